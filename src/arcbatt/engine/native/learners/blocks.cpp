// Outputs as blocks of a map, one block per cell; documented in language/learners/blocks.py.
#include <bitset>
#include <map>
#include <memory>

#include "demo_grids.hpp"

namespace arc {
namespace {

constexpr u64 STEPS_PER_CELL = 64;

// The rows and columns of a drawing for which the predicates hold.
template <class KeepsRow, class KeepsColumn>
Drawing select(const Drawing& of, KeepsRow keeps_row, KeepsColumn keeps_column) {
  std::vector<i32> rows, columns;
  for (i32 i = 0; i < of.n_rows(); i++)
    if (keeps_row(i)) rows.push_back(i);
  for (i32 j = 0; j < of.width; j++)
    if (keeps_column(j)) columns.push_back(j);
  Drawing kept((i32)rows.size(), (i32)columns.size());
  for (i32 i = 0; i < kept.n_rows(); i++)
    for (i32 j = 0; j < kept.width; j++) kept.cell(i, j) = of.cell(rows[(size_t)i], columns[(size_t)j]);
  return kept;
}
bool is_row_shown(const Drawing& of, i32 i) {
  for (i32 j = 0; j < of.width; j++)
    if (of.cell(i, j)) return true;
  return false;
}
bool is_column_shown(const Drawing& of, i32 j) {
  for (i32 i = 0; i < of.n_rows(); i++)
    if (of.cell(i, j)) return true;
  return false;
}
// The box of the cells that are not 0; without cells if there are none.
Drawing box_of(const Drawing& of) {
  i32 top = of.n_rows(), bottom = -1, left = of.width, right = -1;
  for (i32 i = 0; i < of.n_rows(); i++)
    for (i32 j = 0; j < of.width; j++)
      if (of.cell(i, j)) {
        top = std::min(top, i);
        bottom = i;
        left = std::min(left, j);
        right = std::max(right, j);
      }
  return select(of, [&](i32 i) { return top <= i && i <= bottom; }, [&](i32 j) { return left <= j && j <= right; });
}
Drawing without_blank_lines(const Drawing& of) {
  return select(of, [&](i32 i) { return is_row_shown(of, i); }, [&](i32 j) { return is_column_shown(of, j); });
}
Drawing without_repeated_lines(const Drawing& of) {
  const auto differs = [&](bool is_row, i32 at) {
    for (i32 k = 0; k < (is_row ? of.width : of.n_rows()); k++)
      if (is_row ? of.cell(at, k) != of.cell(at - 1, k) : of.cell(k, at) != of.cell(k, at - 1)) return true;
    return false;
  };
  return select(of, [&](i32 i) { return !i || differs(true, i); }, [&](i32 j) { return !j || differs(false, j); });
}

// --- maps and stamps ---

enum MapCode { WHOLE_GRID, BOX, NO_REPEATS, NO_BLANKS };
Drawing map_of(const Drawing& grid, i64 code) {
  return code == BOX          ? box_of(grid)
         : code == NO_REPEATS ? without_repeated_lines(grid)
         : code == NO_BLANKS  ? without_blank_lines(grid)
                              : grid;
}

// Bit 0 transposes, then bit 1 turns upside down and bit 2 left to right.
constexpr int N_SYMMETRIES = 8;
Drawing turned(const Drawing& of, int how) {
  Drawing to(how & 1 ? of.width : of.n_rows(), how & 1 ? of.n_rows() : of.width);
  for (i32 i = 0; i < to.n_rows(); i++)
    for (i32 j = 0; j < to.width; j++) {
      const i32 row = how & 2 ? to.n_rows() - 1 - i : i, column = how & 4 ? to.width - 1 - j : j;
      to.cell(i, j) = how & 1 ? of.cell(column, row) : of.cell(row, column);
    }
  return to;
}
// Stamps are the grid, its box and the grid without repeated lines, each in all symmetries.
constexpr int N_STAMPS = 3 * N_SYMMETRIES;
std::vector<Drawing> stamps_of(const Drawing& grid) {
  std::vector<Drawing> stamps;
  for (const Drawing& of : {grid, box_of(grid), without_repeated_lines(grid)})
    for (int how = 0; how < N_SYMMETRIES; how++) stamps.push_back(turned(of, how));
  return stamps;
}

// --- kinds of blocks ---

// A block is full in a color (kinds 0 to 9) or in its cell's color, or it is made of a stamp.
constexpr int OWN = 10, FIRST_OF_STAMP = 11;
enum Use { COPY, ONLY_COLOR, WITHOUT_COLOR, MASK, NEGATIVE, N_USES };
constexpr int N_KINDS = FIRST_OF_STAMP + N_STAMPS * N_USES;
typedef std::bitset<N_KINDS> Kinds;

// The color of a block's cell by kind; `color` is that of the map's cell, `stamp` that of the stamp's cell.
i32 color_by(int use, i32 color, i32 stamp) {
  switch (use) {
    case COPY: return stamp;
    case ONLY_COLOR: return stamp == color ? stamp : 0;
    case WITHOUT_COLOR: return stamp == color ? 0 : stamp;
    case MASK: return stamp ? color : 0;
    default: return stamp ? 0 : color;
  }
}

// --- features of the map's cells ---

enum Feature { ANY, IS_ZERO, IS_COMMONEST, IS_COMMONEST_SHOWN, IS_RAREST, COLOR, RANK, CHECKER, PARITIES, N_FEATURES };

class MapFeatures {
 public:
  explicit MapFeatures(const Drawing& map) : map_(map) {
    for (i32 color : map.cells) counts_[color]++;
  }
  int key(int feature, i32 i, i32 j) const {
    const i32 color = map_.cell(i, j);
    switch (feature) {
      case ANY: return 0;
      case IS_ZERO: return color == 0;
      case IS_COMMONEST: return !is_passed(color, 0, false);
      case IS_COMMONEST_SHOWN: return color && !is_passed(color, 1, false);
      case IS_RAREST: return !is_passed(color, 0, true);
      case COLOR: return color;
      case RANK: {
        int rank = 0;
        for (i32 c = 0; c < 10; c++) rank += counts_[c] > counts_[color];
        return rank;
      }
      case CHECKER: return (i + j) % 2;
      default: return i % 2 * 2 + j % 2;
    }
  }

 private:
  const Drawing& map_;
  i32 counts_[10] = {};

  // Whether another color from `first` on is at least as common, or, with `by_fewest`, at least as rare.
  bool is_passed(i32 color, i32 first, bool by_fewest) const {
    for (i32 c = first; c < 10; c++) {
      if (c == color || !counts_[c]) continue;
      if (by_fewest ? counts_[c] <= counts_[color] : counts_[c] >= counts_[color]) return true;
    }
    return false;
  }
};

// --- the rule ---

// The size of a block: that of a stamp, the number of colors other than 0 each way, or that of all demos.
constexpr int BY_COLORS = N_STAMPS, SAME_SIZE = N_STAMPS + 1, N_SIZES = N_STAMPS + 2;

i32 n_colors_of(const Drawing& grid) {
  i32 present = 0;
  for (i32 color : grid.cells) present |= 1 << color;
  return __builtin_popcount((u32)present >> 1);
}

struct Example {
  Drawing grid, map;
  std::vector<Drawing> stamps;
  MapFeatures features;
  Example(const Scene& scene, i64 code)
      : grid(scene), map(map_of(grid, code)), stamps(stamps_of(grid)), features(map) {}
  Example(const Example&) = delete;
};

struct BlockRule {
  int feature = 0, size = 0;
  i32 high = 0, wide = 0;  // of the blocks of all demos, by SAME_SIZE
  std::map<int, Kinds> table;
};

void size_by(int size, const Example& of, const BlockRule& rule, i32& high, i32& wide) {
  const bool is_stamp = size < N_STAMPS;
  high = is_stamp ? of.stamps[(size_t)size].n_rows() : size == BY_COLORS ? n_colors_of(of.grid) : rule.high;
  wide = is_stamp ? of.stamps[(size_t)size].width : size == BY_COLORS ? high : rule.wide;
}

// The kinds of blocks that an output has in the place of a map's cell.
Kinds kinds_of(const Scene& output, const Example& of, i32 i, i32 j, i32 high, i32 wide) {
  const i32 color = of.map.cell(i, j);
  Kinds kinds;
  const auto agrees = [&](auto color_at) {
    for (i32 k = 0; k < high; k++)
      for (i32 m = 0; m < wide; m++)
        if (output.cell(i * high + k, j * wide + m) != color_at(k, m)) return false;
    return true;
  };
  const i32 first = output.cell(i * high, j * wide);
  if (agrees([&](i32, i32) { return first; })) {
    kinds[(size_t)first] = true;
    kinds[OWN] = first == color;
  }
  for (int s = 0; s < N_STAMPS; s++) {
    const Drawing& stamp = of.stamps[(size_t)s];
    if (stamp.n_rows() != high || stamp.width != wide) continue;
    for (int use = 0; use < N_USES; use++)
      kinds[(size_t)(FIRST_OF_STAMP + s * N_USES + use)] =
          agrees([&](i32 k, i32 m) { return color_by(use, color, stamp.cell(k, m)); });
  }
  return kinds;
}

class BlockLearner : DemoLearner {
 public:
  BlockRule rule;

  BlockLearner(const Value& demos, i64 code) : DemoLearner(demos), code_(code) {}
  u64 cost() const {
    u64 n = n_input_cells();
    for (const Scene& output : outputs_) n += (u64)output.n_cells();
    return STEPS_PER_CELL * n;
  }

  bool learn() {
    for (const Scene& input : inputs_) examples_.push_back(std::make_unique<Example>(input, code_));
    bool has_blocks = false, has_map = false;
    for (size_t d = 0; d < examples_.size(); d++) {
      const Drawing& map = examples_[d]->map;
      if (map.cells.empty() || outputs_[d].n_rows % map.n_rows() || outputs_[d].width % map.width) return false;
      has_blocks |= outputs_[d].n_cells() > (i64)map.cells.size();
      has_map |= map.cells.size() > 1;
    }
    if (!has_blocks || !has_map || !find_size()) return false;
    for (rule.feature = 0; rule.feature < N_FEATURES; rule.feature++)
      if (fill_table()) return true;
    return false;
  }

 private:
  i64 code_;
  std::vector<std::unique_ptr<Example>> examples_;

  i32 high(size_t d) const { return outputs_[d].n_rows / examples_[d]->map.n_rows(); }
  i32 wide(size_t d) const { return outputs_[d].width / examples_[d]->map.width; }

  bool find_size() {
    rule.high = high(0);
    rule.wide = wide(0);
    for (rule.size = 0; rule.size < N_SIZES; rule.size++) {
      bool fits = true;
      for (size_t d = 0; d < examples_.size() && fits; d++) {
        i32 n_rows, width;
        size_by(rule.size, *examples_[d], rule, n_rows, width);
        fits = n_rows == high(d) && width == wide(d);
      }
      if (fits) return true;
    }
    return false;
  }

  bool fill_table() {
    rule.table.clear();
    for (size_t d = 0; d < examples_.size(); d++) {
      const Example& of = *examples_[d];
      for (i32 i = 0; i < of.map.n_rows(); i++)
        for (i32 j = 0; j < of.map.width; j++) {
          Kinds& kinds = rule.table.try_emplace(of.features.key(rule.feature, i, j), Kinds().set()).first->second;
          kinds &= kinds_of(outputs_[d], of, i, j, high(d), wide(d));
          if (kinds.none()) return false;
        }
    }
    return true;
  }
};

int first_of(const Kinds& kinds) {
  int k = 0;
  while (!kinds[(size_t)k]) k++;
  return k;
}

ARC_IMPLEMENT(learn_blocks) {
  if (!are_color_grids(args[0], args[1])) return fail(WRONG_TYPE);
  if (!args[0].n) return fail(EMPTY);
  BlockLearner learner(args[0], args[2].number);
  ARC_CHARGE(learner.cost());
  if (!learner.learn()) return fail(EMPTY);
  const Example of(scene_of(args[1]), args[2].number);
  i32 high, wide;
  size_by(learner.rule.size, of, learner.rule, high, wide);
  const i64 n_rows = (i64)high * of.map.n_rows(), width = (i64)wide * of.map.width;
  if (!n_rows || !width || std::max(n_rows, width) > MAX_SIDE) return fail(EMPTY);
  std::vector<i32> cells((size_t)(n_rows * width));
  for (i32 i = 0; i < of.map.n_rows(); i++)
    for (i32 j = 0; j < of.map.width; j++) {
      const auto known = learner.rule.table.find(of.features.key(learner.rule.feature, i, j));
      if (known == learner.rule.table.end()) return fail(EMPTY);
      const int kind = first_of(known->second), use = (kind - FIRST_OF_STAMP) % N_USES;
      const i32 color = of.map.cell(i, j);
      const Drawing* stamp = kind < FIRST_OF_STAMP ? nullptr : &of.stamps[(size_t)((kind - FIRST_OF_STAMP) / N_USES)];
      if (stamp && (stamp->n_rows() != high || stamp->width != wide)) return fail(EMPTY);
      for (i32 k = 0; k < high; k++)
        for (i32 m = 0; m < wide; m++)
          cells[(size_t)((i * high + k) * width + j * wide + m)] =
              stamp ? color_by(use, color, stamp->cell(k, m)) : kind == OWN ? color : kind;
    }
  return cells_value(lane, cells, width);
}

// Returns the feature, then rows of (its value, the kind of block).
ARC_RULE(learn_blocks) {
  BlockLearner learner(args[0], args[2].number);
  if (!args[0].n || !learner.learn()) return fail(EMPTY);
  std::vector<Value> rows = {number(learner.rule.feature)};
  for (const auto& [key, kinds] : learner.rule.table)
    rows.push_back(tuple_value(lane, {number(key), number(first_of(kinds))}));
  return tuple_value(lane, rows);
}

}  // namespace
}  // namespace arc
