// Learns new colors of cells from their colors and sights; documented in language/learners/cell_tables.py.
#include <map>
#include <unordered_map>

#include "demo_grids.hpp"
#include "parts.hpp"

namespace arc {
namespace {

// A cell's color and the numbers of its sight as one number: 5 bits for each, after a leading 1.
typedef u64 CellKey;
CellKey add_to_key(CellKey key, u32 number) { return key << 5 | number; }
template <class Numbers>
CellKey add_all(CellKey key, const Numbers* numbers, int n) {
  for (int k = 0; k < n; k++) key = add_to_key(key, numbers[k]);
  return key;
}
std::vector<i32> numbers_in(CellKey key) {
  std::vector<i32> numbers;
  for (; key > 1; key >>= 5) numbers.insert(numbers.begin(), (i32)(key & 31));
  return numbers;
}

// The colors of a relative key; the one numbered k is at k - 1.
struct ColorOrder {
  u8 colors[9];
  int n = 0;

  int find(i32 color) const { return (int)(std::find(colors, colors + n, color) - colors); }
};

// From this code on, keys have numbers for colors in the order in which they are seen, not the colors themselves.
constexpr i64 FIRST_RELATIVE = 22;

// Returns the cut of the grid for a code that looks at parts; -1 for the others.
int cut_for_sight(i64 code) {
  switch (code) {
    case 6: return GROUND;
    case 13: case 17: return ALL_4;
    case 16: return ALL_8;
    case 20: return BY_COLOR_8;
    default: return -1;
  }
}

// The eight mirrors and turns as orders of the 8 directions, and of the 4 in rows and columns.
constexpr u8 TURNS_AROUND[8][8] = {
    {2, 1, 0, 4, 3, 7, 6, 5}, {0, 1, 2, 3, 4, 5, 6, 7}, {5, 6, 7, 3, 4, 0, 1, 2}, {7, 6, 5, 4, 3, 2, 1, 0},
    {0, 3, 5, 1, 6, 2, 4, 7}, {5, 3, 0, 6, 1, 7, 4, 2}, {7, 4, 2, 6, 1, 5, 3, 0}, {2, 4, 7, 1, 6, 0, 3, 5},
};
constexpr u8 TURNS_BESIDE[8][4] = {
    {0, 2, 1, 3}, {0, 1, 2, 3}, {3, 1, 2, 0}, {3, 2, 1, 0}, {1, 0, 3, 2}, {1, 3, 0, 2}, {2, 3, 0, 1}, {2, 0, 3, 1},
};

// For each cell the first color in a direction other than 0, or, with `others`, other than its own.
std::vector<u8> look_along(const Scene& scene, int direction, bool others) {
  const i32 di = row_step(direction), dj = column_step(direction), n_rows = scene.n_rows, width = scene.width;
  const i64 step = (i64)di * width + dj;
  std::vector<u8> colors((size_t)scene.n_cells());
  for (i32 a = 0; a < n_rows; a++)
    for (i32 b = 0; b < width; b++) {
      const i32 i = di < 0 ? a : n_rows - 1 - a, j = dj < 0 ? b : width - 1 - b;
      const i64 k = (i64)i * width + j;
      if (!scene.has(i + di, j + dj)) {
        colors[k] = OUTSIDE_COLOR;
        continue;
      }
      const i32 next = scene.cells[k + step];
      colors[k] = next == (others ? scene.cells[k] : 0) ? colors[k + step] : (u8)next;
    }
  return colors;
}

// Describes a row or column for codes 10, 12, 21 and 33.
u32 see_line(const i32* cells, i64 n, i64 step, i64 code) {
  i32 counts[10] = {};
  u32 colors = 0, first = 0;
  for (i64 k = 0; k < n; k++) {
    const i32 color = cells[k * step];
    counts[color] += color != 0;
    colors |= 1u << color;
    if (!first) first = (u32)color;
  }
  if (code == 33) return first;
  if (code == 21) return colors;
  if (code == 12) return (colors & (colors - 1)) == 0;
  return (u32)(std::max_element(counts, counts + 10) - counts);
}

// The sights of the cells of one grid.
class Sight {
 public:
  Sight(const Scene& scene, const Parts& parts, i64 code) : scene_(scene), code_(code) {
    if (cut_for_sight(code) >= 0) see_parts(parts);
    if (code == 10 || code == 12 || code == 21 || code == 33) {
      for (i64 i = 0; i < scene.n_rows; i++)
        rows_.push_back(see_line(scene.cells + i * scene.width, scene.width, 1, code));
      for (i64 j = 0; j < scene.width; j++)
        columns_.push_back(see_line(scene.cells + j, scene.n_rows, scene.width, code));
    }
    const bool everywhere = code == 26 || code == 29, others = code == 18 || code == 27;
    if (everywhere || others || code == 5 || code == 15 || code == 24 || code == 25 || code == 28)
      for (int d = 0; d < 8; d++)
        if (everywhere || is_beside(d)) looks_[d] = look_along(scene, d, others);
  }

  // Returns the key of a cell: its color, then its sight. With relative codes, `order` gets the colors by number.
  CellKey read_key(i64 i, i64 j, ColorOrder& order) const {
    u8 seen[8];
    const int n = see(i, j, seen);
    const u8 own = (u8)scene_.cell(i, j);
    if (code_ >= FIRST_RELATIVE) return read_relative_key(own, seen, n, order);
    CellKey key = add_to_key(1, own);
    if (code_ == 3 || code_ == 19) {  // in any order: ascending
      u8 counts[OUTSIDE_COLOR + 1] = {};
      for (int k = 0; k < n; k++) counts[seen[k]]++;
      for (u32 color = 0; color <= OUTSIDE_COLOR; color++)
        for (int k = 0; k < (code_ == 3 ? counts[color] : counts[color] > 0); k++) key = add_to_key(key, color);
      return key;
    }
    if (code_ == 11) {
      CellKey best = ~0ULL;
      for (const auto& turn : TURNS_AROUND) {
        CellKey turned = key;
        for (int k = 0; k < 8; k++) turned = add_to_key(turned, seen[turn[k]]);
        best = std::min(best, turned);
      }
      return best;
    }
    if (code_ == 21) {  // sets of colors
      const u32 row = rows_[i], column = columns_[j], sets[4] = {row & 31, row >> 5, column & 31, column >> 5};
      return add_all(key, sets, 4);
    }
    return add_all(key, seen, n);
  }

 private:
  const Scene& scene_;
  i64 code_;
  std::vector<u8> looks_[8];            // by direction, for each cell the first color there
  std::vector<u32> rows_, columns_;     // a description of each line
  std::vector<u8> parts_;               // by cell, a description of its part

  void see_parts(const Parts& parts) {
    const size_t n_cells = (size_t)scene_.n_cells();
    parts_.assign(n_cells, code_ == 20 ? OUTSIDE_COLOR : 0);
    if (code_ == 20) {
      std::vector<i32> sizes(n_cells);  // of the largest part whose box has the cell
      for (const Part& part : parts)
        for (i64 i = part.top; i <= part.bottom; i++)
          for (i64 k = i * scene_.width + part.left; k <= i * scene_.width + part.right; k++)
            if (part.size >= sizes[k]) {
              sizes[k] = part.size;
              parts_[k] = (u8)lowest_bit(part.colors);
            }
      return;
    }
    std::vector<u64> sizes_of_color[10];
    for (const Part& part : parts)
      sizes_of_color[lowest_bit(part.colors)].push_back((u64)part.size);
    if (code_ == 13 || code_ == 16)
      for (auto& sizes : sizes_of_color) rank_keys(sizes.data(), sizes.size(), true);
    size_t next[10] = {};
    for (const Part& part : parts) {
      const int color = lowest_bit(part.colors);
      const u64 rank = sizes_of_color[color][next[color]++];
      u8 key = (u8)std::min(rank, (u64)4);
      if (code_ == 6) key = part.on_edge() ? 0 : (u8)std::min(part.size, 9);
      if (code_ == 17) key = part.on_edge();
      for (const Place& place : part) parts_[(size_t)place.row * scene_.width + place.column] = key;
    }
  }

  // Writes the sight of a cell, at most 8 colors or numbers below 16; returns how many.
  int see(i64 i, i64 j, u8* seen) const {
    const size_t at = (size_t)(i * scene_.width + j);
    int n = 0;
    auto see_both = [&](int a, int b) {
      seen[n++] = looks_[a][at] == looks_[b][at] ? looks_[a][at] : OUTSIDE_COLOR;
    };
    switch (code_) {
      case 1: case 22:
        for (int d = 0; d < 8; d++)
          if (is_beside(d)) seen[n++] = scene_.at(i + row_step(d), j + column_step(d));
        return n;
      case 2: case 3: case 11: case 19: case 23:
        for (int d = 0; d < 8; d++) seen[d] = scene_.at(i + row_step(d), j + column_step(d));
        return 8;
      case 4: case 30:
        seen[0] = (u8)scene_.cell(i, scene_.width - 1 - j);
        seen[1] = (u8)scene_.cell(scene_.n_rows - 1 - i, j);
        return 2;
      case 5: case 18: case 24: case 25: case 27:
        for (int d = 0; d < 8; d++)
          if (is_beside(d)) seen[n++] = looks_[d][at];
        return n;
      case 26:
        for (int d = 0; d < 8; d++) seen[d] = looks_[d][at];
        return 8;
      case 15: case 28: case 29:
        see_both(4, 3);
        see_both(6, 1);
        if (code_ != 29) return n;
        see_both(7, 0);
        see_both(5, 2);
        return n;
      case 7: case 8:
        seen[0] = (u8)(i % (code_ - 5));
        seen[1] = (u8)(j % (code_ - 5));
        return 2;
      case 9:
        seen[0] = (u8)std::min({i, j, (i64)5, scene_.n_rows - 1 - i, scene_.width - 1 - j});
        return 1;
      case 10: case 12: case 33:
        seen[0] = (u8)rows_[i];
        seen[1] = (u8)columns_[j];
        return 2;
      case 14:
        seen[0] = seen[1] = 0;
        for (int d = 0; d < 8; d++) {
          const u8 color = scene_.at(i + row_step(d), j + column_step(d));
          seen[!is_beside(d)] += color != 0 && color != OUTSIDE_COLOR;
        }
        return 2;
      case 6: case 13: case 16: case 17: case 20:
        seen[0] = parts_[at];
        return 1;
      case 31:
        seen[0] = scene_.at(j, i);
        return 1;
      case 32:
        seen[0] = (u8)scene_.cell(scene_.n_rows - 1 - i, scene_.width - 1 - j);
        return 1;
      default: return 0;
    }
  }

  // Numbers colors from 1 in the order in which they are seen, the cell's own first; 0 and OUTSIDE_COLOR stay. For
  // codes that do not distinguish turns, returns the least key of all turns.
  CellKey read_relative_key(u8 own, const u8* seen, int n, ColorOrder& order) const {
    const bool is_turned = code_ == 22 || code_ == 23 || code_ == 25 || code_ == 27;
    CellKey best = ~0ULL;
    for (int turn = 0; turn < (is_turned ? 8 : 1); turn++) {
      u8 numbers[OUTSIDE_COLOR + 1] = {};
      numbers[OUTSIDE_COLOR] = OUTSIDE_COLOR;
      ColorOrder turned;
      CellKey key = 1;
      for (int k = -1; k < n; k++) {
        const int at = k < 0 || !is_turned ? k : n == 8 ? TURNS_AROUND[turn][k] : TURNS_BESIDE[turn][k];
        const u8 color = k < 0 ? own : seen[at];
        if (color && !numbers[color]) {
          turned.colors[turned.n++] = color;
          numbers[color] = (u8)turned.n;
        }
        key = add_to_key(key, numbers[color]);
      }
      if (key >= best) continue;
      best = key;
      order = turned;
    }
    return best;
  }
};

// The new colors of cells by key. For relative codes, a number below 10 is the index of a seen color, from 10 on it is
// 10 plus a color.
typedef std::unordered_map<CellKey, i32> CellTable;

class CellLearner {
 public:
  CellLearner(const DemoGrids& grids, i64 code)
      : grids_(grids), code_(code), is_relative_(code >= FIRST_RELATIVE) {
    for (size_t d = 0; d < grids.n_demos(); d++)
      for (i64 k = 0; k < grids.inputs[d].n_cells(); k++) {
        const i32 color = grids.inputs[d].cells[k];
        known_ |= 1u << color;
        changing_ |= (u32)(color != grids.outputs[d].cells[k]) << color;
      }
    const int how = cut_for_sight(code);
    for (const Scene& input : grids.inputs) parts_.push_back(how < 0 ? Parts() : Parts(input, how));
  }

  CellTable table;

  u64 cost() const {
    u64 sum = 0;
    for (const Parts& parts : parts_) sum += parts.cost();
    return sum;
  }

  // Returns false if cells with the same key become different colors.
  bool learn() {
    ColorOrder order;
    for (size_t d = 0; d < grids_.n_demos(); d++) {
      const Scene& scene = grids_.inputs[d];
      const Sight sight = sight_of(d);
      for (i64 i = 0, k = 0; i < scene.n_rows; i++)
        for (i64 j = 0; j < scene.width; j++, k++) {
          if (is_kept(scene.cells[k])) continue;
          const CellKey key = sight.read_key(i, j, order);
          i32 becomes = grids_.outputs[d].cells[k];
          if (is_relative_) becomes = order.find(becomes) < order.n ? order.find(becomes) : 10 + becomes;
          if (table.emplace(key, becomes).first->second != becomes) return false;
        }
    }
    return true;
  }

  // Returns false if no demo has the key of a cell.
  bool apply(std::vector<i32>& cells) const {
    const Scene& scene = grids_.grid();
    const Sight sight = sight_of(grids_.n_demos());
    ColorOrder order;
    for (i64 i = 0; i < scene.n_rows; i++)
      for (i64 j = 0; j < scene.width; j++) {
        const i32 own = scene.cell(i, j);
        i32 becomes = own;
        if (!is_kept(own)) {
          const auto entry = table.find(sight.read_key(i, j, order));
          if (entry != table.end())
            becomes = !is_relative_ ? entry->second : entry->second < 10 ? order.colors[entry->second] : entry->second - 10;
          else if (!is_relative_ || changing_ >> own & 1)
            return false;
        }
        cells.push_back(becomes);
      }
    return true;
  }

 private:
  const DemoGrids& grids_;
  std::vector<Parts> parts_;  // of the grids; none for codes that do not look at parts
  i64 code_;
  bool is_relative_;
  u32 known_ = 0, changing_ = 0;  // colors of the demos' inputs

  // Colors that never change cannot be contradicted, so they are not looked up.
  bool is_kept(i32 color) const { return !is_relative_ && known_ >> color & 1 && !(changing_ >> color & 1); }

  Sight sight_of(size_t grid) const { return {grids_.inputs[grid], parts_[grid], code_}; }
};

ARC_IMPLEMENT(learn_cells) {
  if (!are_color_grids(args[0], args[1])) return fail(WRONG_TYPE);
  const DemoGrids grids = read_demos(args[0], args[1], true);
  if (!grids.n_demos()) return fail(EMPTY);
  CellLearner learner(grids, args[2].number);
  ARC_CHARGE(learner.cost());
  std::vector<i32> cells;
  if (!learner.learn() || !learner.apply(cells)) return fail(EMPTY);
  return cells_value(lane, cells, grids.grid().width);
}

// Returns rows of (key, new color of such cells).
ARC_RULE(learn_cells) {
  const DemoGrids grids = read_demos(args[0], args[1], true);
  CellLearner learner(grids, args[2].number);
  if (!learner.learn()) return fail(EMPTY);
  std::vector<Value> rows;
  for (const auto& [key, becomes] : std::map(learner.table.begin(), learner.table.end()))
    rows.push_back(tuple_value(lane, {numbers_value(lane, numbers_in(key)), number(becomes)}));
  return tuple_value(lane, rows);
}

}  // namespace
}  // namespace arc
