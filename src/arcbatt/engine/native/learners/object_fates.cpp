// Learns what becomes of objects, chosen by predicates; documented in language/learners/object_fates.py.
#include <map>
#include <memory>
#include <unordered_map>

#include "demo_grids.hpp"
#include "fate_objects.hpp"

namespace arc {
namespace {

using namespace fates;

enum Comparison { EQUAL, NOT_EQUAL, AT_MOST, AT_LEAST, N_COMPARISONS };

struct Test {
  i32 feature = 0, comparison = 0, value = 0;

  bool holds(const ObjectGrid& grid, i32 object) const {
    const i32 number = grid.feature(feature, object);
    if (number == ABSENT) return false;
    switch (comparison) {
      case EQUAL: return number == value;
      case NOT_EQUAL: return number != value;
      case AT_MOST: return number <= value;
      default: return number >= value;
    }
  }
};

// A rule as it is stored: its length without this number, then bits in sixteenths, cut, kind, the number of tests, the
// tests, the parameters of its kind.
struct FateRule {
  i32 bits = 0, cut = 0, kind = 0;
  std::vector<Test> tests;
  std::vector<i32> parameters;

  void write(std::vector<i32>& to) const {
    to.insert(to.end(), {(i32)(4 + 3 * tests.size() + parameters.size()), bits, cut, kind, (i32)tests.size()});
    for (const Test& test : tests) to.insert(to.end(), {test.feature, test.comparison, test.value});
    to.insert(to.end(), parameters.begin(), parameters.end());
  }
};

constexpr i32 MAX_SIDE = 30, OWN_COLOR = 10, N_INKS = 20, MAX_BITS = 64 * 16;

bool is_fate(i32 fate) {
  if (fate < 0 || fate >= N_FATES || !FATE_BITS[fate]) return false;
  return fate < PAINT || (fate - PAINT) % N_INKS != 0 || fate == RIM || fate == CORE;
}

// Reads a rule; returns false if the numbers are none.
bool read_rule(const i32* numbers, i32 n, FateRule& rule) {
  if (n < 4) return false;
  rule.bits = numbers[0];
  rule.cut = numbers[1];
  rule.kind = numbers[2];
  const i32 n_tests = numbers[3];
  if ((u32)rule.bits > (u32)MAX_BITS || (u32)rule.cut >= (u32)N_CUTS || n_tests < 0 || n_tests > (n - 4) / 3) return false;
  rule.tests.clear();
  for (i32 k = 0; k < n_tests; k++) {
    const i32* at = numbers + 4 + 3 * k;
    if ((u32)at[0] >= (u32)N_FEATURES || (u32)at[1] >= (u32)N_COMPARISONS) return false;
    rule.tests.push_back({at[0], at[1], at[2]});
  }
  rule.parameters.assign(numbers + 4 + 3 * n_tests, numbers + n);
  const std::vector<i32>& p = rule.parameters;
  switch (rule.kind) {
    case PAINT_BY_TEST: return p.size() == 2 && is_fate(p[0]) && is_fate(p[1]);
    case PAINT_BY_TABLE: {
      if (p.size() < 3 || p.size() % 2 == 0 || (u32)p[0] >= (u32)N_FEATURES) return false;
      for (size_t k = 2; k < p.size(); k += 2)
        if (!is_fate(p[k])) return false;
      return true;
    }
    case CROP_ONE: return p.size() == 1 && (u32)p[0] < (u32)N_CROPS;
    case DRAW_COUNT:
      return p.size() == 4 && (u32)p[0] < (u32)N_COUNTS && (u32)p[1] <= (u32)OWN_COLOR && p[2] > 0 && p[2] % 32 &&
             p[2] / 32 && p[2] / 32 <= MAX_SIDE && p[2] % 32 <= MAX_SIDE && (u32)p[3] <= 1;
    case DRAW_LIST: return p.size() == 2 && (u32)p[0] < (u32)N_LISTINGS && (u32)p[1] < (u32)N_ORDERS;
    case SORT: return p.size() == 2 && (u32)p[0] < (u32)N_MEASURES && (u32)p[1] <= 1;
    default: return false;
  }
}

// --- painting ---

// The mirrors and turns that a symmetric object is unchanged by, as bits of turned_shape's numbers.
constexpr u32 SYMMETRY_GROUPS[] = {1u << 2, 1u << 1, 1u << 1 | 1u << 2 | 1u << 3, 1u << 3 | 1u << 5 | 1u << 6, 254, 1u << 3};

Place turn_in_box(const FateObject& own, i32 row, i32 column, i32 turn) {
  i32 i = row - own.part.top, j = column - own.part.left;
  if (turn & 1) i = own.height() - 1 - i;
  if (turn & 2) j = own.width() - 1 - j;
  return turn & 4 ? Place{own.part.top + j, own.part.left + i} : Place{own.part.top + i, own.part.left + j};
}

// Calls draw(row, column, color) for the cells that an object draws, until it returns false. Returns false if it did,
// or if the object cannot have the fate.
template <class Draw>
bool each_drawn(const ObjectGrid& grid, i32 number, i32 fate, Draw draw) {
  const FateObject& own = grid.objects[(size_t)number];
  const Part& part = own.part;
  const Scene& scene = grid.scene;
  if (fate == KEEP) return true;
  if (fate == VANISH) {
    for (const Place& at : part)
      if (!draw(at.row, at.column, 0)) return false;
    return true;
  }
  if (fate == SWAP) {
    if (own.n_colors != 2) return false;
    for (const Place& at : part)
      if (!draw(at.row, at.column, part.color(at) == own.color ? own.minor : own.color)) return false;
    return true;
  }
  if (fate < TURN) {
    const u32 group = SYMMETRY_GROUPS[fate - SYMMETRY];
    if (group >> 4 && own.height() != own.width()) return false;
    for (i32 turn = 1; turn < 8; turn++) {
      if (!(group >> turn & 1)) continue;
      for (const Place& at : part) {
        const Place to = turn_in_box(own, at.row, at.column, turn);
        const i32 there = scene.cell(to.row, to.column), color = part.color(at);
        if (there == color) continue;
        if (there != 0 || !draw(to.row, to.column, color)) return false;
      }
    }
    return true;
  }
  if (fate < PAINT) {
    const i32 turn = fate - TURN;
    if (turn & 4 && own.height() != own.width()) return false;
    for (i32 i = part.top; i <= part.bottom; i++)
      for (i32 j = part.left; j <= part.right; j++) {
        // Where it comes from: turns 5 and 6 are each other's inverse.
        const Place from = turn_in_box(own, i, j, turn == 5 ? 6 : turn == 6 ? 5 : turn);
        if (part.has(from.row, from.column)) {
          if (!draw(i, j, scene.cell(from.row, from.column))) return false;
        } else if (part.has(i, j)) {
          if (!draw(i, j, 0)) return false;
        }
      }
    return true;
  }
  const i32 ink = (fate - PAINT) % N_INKS, how = fate - ink;
  const i32 color = ink < OWN_COLOR ? ink : grid.color_like(number, ink - OWN_COLOR);
  auto add = [&](i32 i, i32 j) {
    if (scene.cell(i, j) != 0) return true;
    return color >= 0 && draw(i, j, color);
  };
  switch (how) {
    case PAINT:
      if (color < 0) return false;
      for (const Place& at : part)
        if (!draw(at.row, at.column, color)) return false;
      return true;
    case FILL_HOLES:
      if (own.holes.empty()) return true;
      for (i32 i = part.top; i <= part.bottom; i++)
        for (i32 j = part.left; j <= part.right; j++)
          if (own.is_hole(i, j) && !add(i, j)) return false;
      return true;
    case FILL_BOX:
      if (part.size == part.area()) return true;
      for (i32 i = part.top; i <= part.bottom; i++)
        for (i32 j = part.left; j <= part.right; j++)
          if (!part.has(i, j) && !add(i, j)) return false;
      return true;
    case RING:
      for (i32 i = std::max(part.top - 1, 0); i <= std::min(part.bottom + 1, scene.n_rows - 1); i++)
        for (i32 j = std::max(part.left - 1, 0); j <= std::min(part.right + 1, scene.width - 1); j++) {
          const bool is_ring = i < part.top || i > part.bottom || j < part.left || j > part.right;
          if (is_ring && !add(i, j)) return false;
        }
      return true;
    case HALO:
      for (const Place& at : part)
        for (int d = 0; d < 8; d++) {
          const i32 i = at.row + row_step(d), j = at.column + column_step(d);
          if (scene.has(i, j) && !part.has(i, j) && !add(i, j)) return false;
        }
      return true;
    default:  // RIM and CORE
      if (color < 0) return false;
      for (const Place& at : part) {
        bool is_rim = false;
        for (int d = 0; d < 8 && !is_rim; d++) {
          const i64 i = at.row + row_step(d), j = at.column + column_step(d);
          is_rim = !scene.has(i, j) || !part.has(i, j);
        }
        if (!draw(at.row, at.column, is_rim == (how == RIM) ? color : part.color(at))) return false;
      }
      return true;
  }
}
// Whether a fate leaves the object's own cells as they are.
bool keeps_cells(i32 fate) { return fate == KEEP || (fate >= SYMMETRY && fate < TURN) || (fate >= FILL_HOLES && fate < RIM); }

struct Drawing {
  std::vector<i32> cells;
  i32 width = 0;

  bool shows(const Scene& wanted) const {
    return width == wanted.width && (i64)cells.size() == wanted.n_cells() && std::equal(cells.begin(), cells.end(), wanted.cells);
  }
  void blank(i32 height, i32 columns) {
    width = columns;
    cells.assign((size_t)height * (size_t)columns, 0);
  }
};

// What changes objects is drawn first, what is added to them on top.
template <class FateOf>
bool paint(const ObjectGrid& grid, FateOf fate_of, Drawing& to) {
  to.width = grid.scene.width;
  to.cells.assign(grid.scene.cells, grid.scene.cells + grid.scene.n_cells());
  for (const bool adds : {false, true})
    for (i32 k = 0; k < grid.n(); k++) {
      const i32 fate = fate_of(k);
      if (fate < 0) return false;
      if (keeps_cells(fate) != adds) continue;
      const bool can = each_drawn(grid, k, fate, [&](i32 i, i32 j, i32 color) {
        to.cells[(size_t)i * (size_t)to.width + (size_t)j] = color;
        return true;
      });
      if (!can) return false;
    }
  return true;
}

// --- other outputs ---

bool crop(const ObjectGrid& grid, i32 number, i32 how, Drawing& to) {
  const FateObject& own = grid.objects[(size_t)number];
  const Part& part = own.part;
  if (how == ONE_CELL) {
    to.blank(1, 1);
    to.cells[0] = own.color;
    return true;
  }
  const i32 margin = how == INSIDE ? 1 : 0, turn = how < TURNED ? 0 : how - TURNED + 1;
  const i32 height = own.height() - 2 * margin, width = own.width() - 2 * margin;
  if (height < 1 || width < 1) return false;
  to.blank(turn & 4 ? width : height, turn & 4 ? height : width);
  for (i32 i = 0; i < height; i++)
    for (i32 j = 0; j < width; j++) {
      const i32 row = part.top + margin + i, column = part.left + margin + j;
      const i32 color = how == ALONE && !part.has(row, column) ? 0 : grid.scene.cell(row, column);
      const i32 a = turn & 1 ? height - 1 - i : i, b = turn & 2 ? width - 1 - j : j;
      to.cells[(size_t)(turn & 4 ? b : a) * (size_t)to.width + (size_t)(turn & 4 ? a : b)] = color;
    }
  return true;
}

i32 count_members(u64 set) { return count_bits((u32)set) + count_bits((u32)(set >> 32)); }

// The color that all selected objects have, or -1.
i32 common_color(const ObjectGrid& grid, u64 selected) {
  i32 color = -1;
  for (u64 bits = selected; bits; bits &= bits - 1) {
    const i32 own = grid.objects[(size_t)lowest_bit64(bits)].color;
    if (color >= 0 && own != color) return -1;
    color = own;
  }
  return color;
}

i32 count_selected(const ObjectGrid& grid, u64 selected, bool cells) {
  if (!cells) return count_members(selected);
  i32 n = 0;
  for (u64 bits = selected; bits; bits &= bits - 1) n += grid.objects[(size_t)lowest_bit64(bits)].part.size;
  return n;
}
bool draw_count(const ObjectGrid& grid, u64 selected, i32 how, i32 color, i32 size, bool cells, Drawing& to) {
  const i32 n = count_selected(grid, selected, cells), ink = color == OWN_COLOR ? common_color(grid, selected) : color;
  if (ink < 0 || (how != FILLED && (n < 1 || n > MAX_SIDE))) return false;
  switch (how) {
    case IN_ROW: to.blank(1, n); break;
    case IN_COLUMN: to.blank(n, 1); break;
    case FILLED:
      to.blank(size / 32, size % 32);
      if (n > (i32)to.cells.size()) return false;
      break;
    default: to.blank(n, n);
  }
  for (size_t k = 0; k < to.cells.size(); k++)
    if (how == FILLED ? (i32)k < n : how == DIAGONAL ? k % (size_t)(n + 1) == 0 : true) to.cells[k] = ink;
  return true;
}

std::vector<i32> in_order(const ObjectGrid& grid, u64 selected, i32 order) {
  std::vector<std::array<i32, 3>> keyed;
  for (u64 bits = selected; bits; bits &= bits - 1) {
    const i32 k = lowest_bit64(bits);
    const Part& part = grid.objects[(size_t)k].part;
    switch (order) {
      case FROM_LEFT: keyed.push_back({part.left, part.top, k}); break;
      case FROM_TOP: keyed.push_back({part.top, part.left, k}); break;
      case LARGEST_FIRST: keyed.push_back({-part.size, part.top, k}); break;
      default: keyed.push_back({part.size, part.top, k});
    }
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<i32> members;
  for (const auto& each : keyed) members.push_back(each[2]);
  return members;
}

// Numbers the groups of overlapping intervals; returns how many there are.
i32 group_intervals(const std::vector<std::pair<i32, i32>>& intervals, std::vector<i32>& groups) {
  std::vector<size_t> order(intervals.size());
  for (size_t k = 0; k < order.size(); k++) order[k] = k;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return intervals[a] < intervals[b]; });
  groups.assign(intervals.size(), 0);
  i32 n = 0, end = -1;
  for (const size_t k : order) {
    if (intervals[k].first > end) n++;
    end = std::max(end, intervals[k].second);
    groups[k] = n - 1;
  }
  return n;
}

bool draw_table(const ObjectGrid& grid, const std::vector<i32>& members, bool in_minor, Drawing& to) {
  std::vector<std::pair<i32, i32>> rows, columns;
  for (const i32 k : members) {
    const Part& part = grid.objects[(size_t)k].part;
    rows.push_back({part.top, part.bottom});
    columns.push_back({part.left, part.right});
  }
  std::vector<i32> row_of, column_of;
  const i32 n_rows = group_intervals(rows, row_of), n_columns = group_intervals(columns, column_of);
  if (n_rows > MAX_SIDE || n_columns > MAX_SIDE) return false;
  to.blank(n_rows, n_columns);
  std::vector<bool> is_taken(to.cells.size());
  for (size_t k = 0; k < members.size(); k++) {
    const size_t at = (size_t)row_of[k] * (size_t)n_columns + (size_t)column_of[k];
    if (is_taken[at]) return false;
    is_taken[at] = true;
    const FateObject& own = grid.objects[(size_t)members[k]];
    to.cells[at] = in_minor ? std::max(own.minor, 0) : own.color;
  }
  return true;
}

// Whether objects lie side by side rather than one below the other.
bool lies_along(const ObjectGrid& grid, u64 selected) {
  i32 top = MAX_NUMBER, bottom = 0, left = MAX_NUMBER, right = 0;  // of their first cells
  for (u64 bits = selected; bits; bits &= bits - 1) {
    const Part& part = grid.objects[(size_t)lowest_bit64(bits)].part;
    top = std::min(top, part.top);
    bottom = std::max(bottom, part.top);
    left = std::min(left, part.left);
    right = std::max(right, part.left);
  }
  return right - left >= bottom - top;
}

// Sorts all objects by a measure, along the direction in which they lie, with the gaps between them.
bool sort_objects(const ObjectGrid& grid, i32 measure, bool falling, Drawing& to) {
  const bool along = lies_along(grid, grid.everyone());
  std::vector<i32> before = in_order(grid, grid.everyone(), along ? FROM_LEFT : FROM_TOP), after = before;
  std::stable_sort(after.begin(), after.end(), [&](i32 a, i32 b) {
    const i32 x = grid.feature(3 * measure, a), y = grid.feature(3 * measure, b);
    return falling ? x > y : x < y;
  });
  to.width = grid.scene.width;
  to.cells.assign(grid.scene.cells, grid.scene.cells + grid.scene.n_cells());
  for (const i32 k : before)
    for (const Place& at : grid.objects[(size_t)k].part) to.cells[(size_t)at.row * (size_t)to.width + (size_t)at.column] = 0;
  const auto start = [&](i32 k) { return along ? grid.objects[(size_t)k].part.left : grid.objects[(size_t)k].part.top; };
  const auto length = [&](i32 k) { return along ? grid.objects[(size_t)k].width() : grid.objects[(size_t)k].height(); };
  i32 place = start(before[0]);
  for (size_t q = 0; q < after.size(); q++) {
    const i32 step = place - start(after[q]);
    for (const Place& at : grid.objects[(size_t)after[q]].part) {
      const i32 i = at.row + (along ? 0 : step), j = at.column + (along ? step : 0);
      if (!grid.scene.has(i, j)) return false;
      to.cells[(size_t)i * (size_t)to.width + (size_t)j] = grid.scene.cell(at.row, at.column);
    }
    if (q + 1 < before.size()) place += length(after[q]) + start(before[q + 1]) - start(before[q]) - length(before[q]);
  }
  return true;
}

bool draw_list(const ObjectGrid& grid, u64 selected, i32 listing, i32 order, Drawing& to) {
  const std::vector<i32> members = in_order(grid, selected, order);
  const i32 n = (i32)members.size();
  if (n == 0) return false;
  if (listing == CELL_TABLE || listing == MINOR_TABLE) return draw_table(grid, members, listing == MINOR_TABLE, to);
  if (listing >= CELLS_ON_AXIS) {
    const i32 along[] = {CELLS_ALONG, CROPS_ALONG, CROPS_ALONG_APART}, down[] = {CELLS_DOWN, CROPS_DOWN, CROPS_DOWN_APART};
    listing = (lies_along(grid, selected) ? along : down)[listing - CELLS_ON_AXIS];
    if (order == FROM_LEFT) order = listing == CELLS_DOWN || listing >= CROPS_DOWN ? FROM_TOP : FROM_LEFT;
    return draw_list(grid, selected, listing, order, to);
  }
  const bool down = listing == CELLS_DOWN || listing == CROPS_DOWN || listing == CROPS_DOWN_APART || listing == BARS_RIGHT ||
                    listing == BARS_LEFT;
  i32 across = 1, along = 0;  // of the list: the longest member, and their sum
  const bool is_crops = listing >= CROPS_ALONG && listing < BARS_RIGHT, is_bars = listing >= BARS_RIGHT;
  const i32 gap = listing == CROPS_ALONG_APART || listing == CROPS_DOWN_APART ? 1 : 0;
  for (const i32 k : members) {
    const FateObject& own = grid.objects[(size_t)k];
    if (is_crops) across = std::max(across, down ? own.width() : own.height());
    if (is_bars) across = std::max(across, own.part.size);
    along += is_crops ? (down ? own.height() : own.width()) : 1;
  }
  along += gap * (n - 1);
  if (across > MAX_SIDE || along > MAX_SIDE) return false;
  to.blank(down ? along : across, down ? across : along);
  i32 at = 0;
  for (const i32 k : members) {
    const FateObject& own = grid.objects[(size_t)k];
    if (is_crops) {
      for (const Place& cell : own.part) {
        const i32 i = cell.row - own.part.top + (down ? at : 0), j = cell.column - own.part.left + (down ? 0 : at);
        to.cells[(size_t)i * (size_t)to.width + (size_t)j] = own.part.color(cell);
      }
      at += (down ? own.height() : own.width()) + gap;
      continue;
    }
    for (i32 m = 0; m < (is_bars ? own.part.size : 1); m++) {
      const i32 along_bar = listing == BARS_LEFT || listing == BARS_UP ? across - 1 - m : m;
      const i32 i = down ? at : along_bar, j = down ? along_bar : at;
      to.cells[(size_t)i * (size_t)to.width + (size_t)j] = own.color;
    }
    at++;
  }
  return true;
}

u64 select(const ObjectGrid& grid, const std::vector<Test>& tests) {
  u64 selected = 0;
  for (i32 k = 0; k < grid.n(); k++)
    if (std::all_of(tests.begin(), tests.end(), [&](const Test& test) { return test.holds(grid, k); })) selected |= 1ULL << k;
  return selected;
}

bool draw_selected(const ObjectGrid& grid, u64 selected, i32 kind, const std::vector<i32>& p, Drawing& to) {
  if (kind == DRAW_COUNT) return draw_count(grid, selected, p[0], p[1], p[2], p[3], to);
  if (kind == DRAW_LIST) return draw_list(grid, selected, p[0], p[1], to);
  // All selected objects show the same.
  if (!selected || !crop(grid, lowest_bit64(selected), p[0], to)) return false;
  Drawing other;
  for (u64 bits = selected & (selected - 1); bits; bits &= bits - 1)
    if (!crop(grid, lowest_bit64(bits), p[0], other) || other.width != to.width || other.cells != to.cells) return false;
  return true;
}

bool follow(const ObjectGrid& grid, const FateRule& rule, Drawing& to) {
  const std::vector<i32>& p = rule.parameters;
  if (rule.kind == PAINT_BY_TABLE)
    return paint(grid, [&](i32 k) {
      const i32 number = grid.feature(p[0], k);
      for (size_t at = 1; at < p.size(); at += 2)
        if (p[at] == number) return p[at + 1];
      return -1;
    }, to);
  for (const Test& test : rule.tests)
    if (grid.n() && grid.feature(test.feature, 0) == ABSENT) return false;
  if (rule.kind == SORT) return sort_objects(grid, p[0], p[1], to);
  const u64 selected = select(grid, rule.tests);
  if (rule.kind == PAINT_BY_TEST) return paint(grid, [&](i32 k) { return p[selected >> k & 1 ? 0 : 1]; }, to);
  return draw_selected(grid, selected, rule.kind, p, to);
}

// --- learning ---

typedef std::vector<u64> Bits;  // a word of objects for each demo

struct BitsHash {
  size_t operator()(const Bits& bits) const {
    u64 hash = bits.size();
    for (const u64 word : bits) hash = mix_bits(hash ^ word);
    return (size_t)hash;
  }
};

struct PricedTest {
  Test test;
  i32 bits;
};
// Tests that select the same objects of the demos, the cheapest first.
struct TestGroup {
  Bits yes;
  std::vector<PricedTest> tests;
};

// A fate that some objects may have had.
struct Row {
  i32 fate, bits;
  Bits may, draws;  // the objects that may have had it; those of them that it changes
};

constexpr size_t MAX_RULES = 160, MAX_TESTS_OF_GROUP = 12, MAX_JOINED = 150, MAX_PAIRS_JOINED = 6, MAX_RULES_JOINED = 24;
constexpr i32 CHEAP_TEST = 5 * 16, MAX_RENDERED = 1500, MAX_VALUES = 10;
constexpr i32 LEAST_TESTED = 40;  // bits of a second test, and of each value of a table, in sixteenths
constexpr i32 BITS_PER_VALUE = 8;

bool contains(const Bits& all, const Bits& some) {
  for (size_t k = 0; k < all.size(); k++)
    if (some[k] & ~all[k]) return false;
  return true;
}
bool meets(const Bits& a, const Bits& b) {
  for (size_t k = 0; k < a.size(); k++)
    if (a[k] & b[k]) return true;
  return false;
}
bool is_empty(const Bits& bits) {
  return std::all_of(bits.begin(), bits.end(), [](u64 word) { return word == 0; });
}
i32 half_log2(size_t n) {  // half of the logarithm, in sixteenths
  i32 log = 0;
  while (n >> (log + 1)) log++;
  return 8 * log;
}

class FateLearner {
 public:
  FateLearner(Lane& lane, const Value& demos) : lane_(lane) {
    for (u32 d = 0; d < demos.n; d++) {
      inputs_.push_back(demo_side(demos, d, 0));
      outputs_.push_back(demo_side(demos, d, 1));
    }
  }

  Reason learn(std::vector<i32>& numbers) {
    if (inputs_.empty()) return EMPTY;
    bool changes = false;
    i64 n_cells = 0;
    paints_ = true;
    for (size_t d = 0; d < inputs_.size(); d++) {
      const bool same = same_size(inputs_[d], outputs_[d]);
      paints_ = paints_ && same;
      changes |= !same || !std::equal(inputs_[d].cells, inputs_[d].cells + inputs_[d].n_cells(), outputs_[d].cells);
      n_cells += inputs_[d].n_cells();
      for (i64 k = 0; k < outputs_[d].n_cells(); k++) output_colors_ |= 1u << outputs_[d].cells[k];
    }
    if (!changes) return EMPTY;
    for (cut_ = 0; cut_ < N_CUTS; cut_++) {
      if (!lane_.charge((u64)n_cells)) return OVER_BUDGET;
      const Reason why = learn_cut();
      if (why != OK) return why;
    }
    if (rules_.empty()) return EMPTY;
    std::vector<std::pair<i32, std::vector<i32>>> written;
    for (const FateRule& rule : rules_) {
      written.push_back({rule.bits, {}});
      rule.write(written.back().second);
    }
    std::sort(written.begin(), written.end());
    if (written.size() > MAX_RULES) written.resize(MAX_RULES);
    for (const auto& each : written) numbers.insert(numbers.end(), each.second.begin(), each.second.end());
    return OK;
  }

 private:
  Reason learn_cut() {
    const Parts parts(inputs_, CUTS[cut_]);
    for (size_t d = 0; d < inputs_.size(); d++) {
      const size_t n = parts.firsts[d + 1] - parts.firsts[d];
      if (n == 0 || n > (size_t)MAX_OBJECTS) return OK;
    }
    if (!lane_.charge(parts.cost())) return OVER_BUDGET;
    grids_.clear();
    everyone_.clear();
    u64 cost = 0;
    for (size_t d = 0; d < inputs_.size(); d++) {
      grids_.emplace_back(inputs_[d], parts.begin_of(d), parts.end_of(d));
      everyone_.push_back(grids_.back().everyone());
      cost += grids_.back().cost();
    }
    if (!lane_.charge(cost)) return OVER_BUDGET;
    is_described_ = false;
    n_rendered_ = 0;
    return paints_ ? learn_paints() : learn_selections();
  }

  // Finds tests for the objects, grouped by the objects that pass them.
  Reason describe() {
    if (is_described_) return OK;
    is_described_ = true;
    u64 cost = 0;
    for (const ObjectGrid& grid : grids_) cost += grid.feature_cost();
    if (!lane_.charge(cost)) return OVER_BUDGET;
    for (ObjectGrid& grid : grids_) grid.describe();
    values_.assign(N_FEATURES, {});
    std::unordered_map<Bits, size_t, BitsHash> known;
    groups_.clear();
    for (i32 feature = 0; feature < N_FEATURES; feature++) {
      std::vector<i32>& values = values_[(size_t)feature];
      for (const ObjectGrid& grid : grids_)
        for (i32 k = 0; k < grid.n(); k++) values.push_back(grid.feature(feature, k));
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
      if (values[0] == ABSENT) values.clear();
      if (values.size() < 2) continue;
      const i32 scale = SCALES[feature], price = FEATURE_BITS[feature] + cost_of_value(scale, values.size());
      for (size_t v = 0; v < values.size(); v++) {
        const i32 value = values[v];
        const bool is_inner = v > 0 && v + 1 < values.size();
        switch (scale) {
          case fates::COUNT:
            add_test(known, {feature, EQUAL, value}, price + 16);
            if (is_inner) add_test(known, {feature, NOT_EQUAL, value}, price + 24);
            if (v + 1 < values.size()) add_test(known, {feature, AT_MOST, value}, price + 12);
            if (v > 0) add_test(known, {feature, AT_LEAST, value}, price + 12);
            break;
          case fates::RANK:
            add_test(known, {feature, EQUAL, value}, price + std::min(value, 4) * 16);
            if (value == 0) add_test(known, {feature, NOT_EQUAL, value}, price + 8);
            break;
          case fates::FLAG:
            // An object is neither in a relation to itself nor out of it: that is -1.
            if (value >= 0) add_test(known, {feature, EQUAL, value}, price + (value ? 0 : 8));
            if (value == -1 && values.size() == 3) add_test(known, {feature, NOT_EQUAL, 1}, price + 8);
            break;
          default:
            add_test(known, {feature, EQUAL, value}, price + 16);
            add_test(known, {feature, NOT_EQUAL, value}, price + 24);
        }
      }
    }
    for (TestGroup& group : groups_)
      std::stable_sort(group.tests.begin(), group.tests.end(),
                       [](const PricedTest& a, const PricedTest& b) { return a.bits < b.bits; });
    // By their cheapest test: in an order that does not depend on that of the demos.
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const TestGroup& a, const TestGroup& b) { return a.tests[0].bits < b.tests[0].bits; });
    return OK;
  }
  static i32 cost_of_value(i32 scale, size_t n_values) { return scale == fates::COUNT ? half_log2(n_values) : 0; }
  void add_test(std::unordered_map<Bits, size_t, BitsHash>& known, const Test& test, i32 bits) {
    Bits yes;
    for (const ObjectGrid& grid : grids_) yes.push_back(select(grid, {test}));
    if (is_empty(yes) || yes == everyone_) return;
    const auto [at, is_new] = known.emplace(yes, groups_.size());
    if (is_new) groups_.push_back({yes, {}});
    groups_[at->second].tests.push_back({test, bits});
  }

  void add_rule(i32 bits, i32 kind, const std::vector<Test>& tests, const std::vector<i32>& parameters) {
    rules_.push_back({std::min(bits + CUT_BITS[cut_], (i32)MAX_BITS), cut_, kind, tests, parameters});
  }
  void add_rules(const TestGroup& group, i32 bits, i32 kind, const std::vector<i32>& parameters) {
    for (size_t k = 0; k < group.tests.size() && k < MAX_TESTS_OF_GROUP; k++)
      add_rule(bits + group.tests[k].bits, kind, {group.tests[k].test}, parameters);
  }

  // --- painting ---

  Reason learn_paints() {
    u64 cost = 0;
    for (const ObjectGrid& grid : grids_)
      for (const FateObject& own : grid.objects) cost += 16 + 2 * (u64)own.part.area();
    if (!lane_.charge(cost)) return OVER_BUDGET;
    const Reason why_not = learn_sorting();
    if (why_not != OK || !find_rows()) return why_not;
    for (const Row& row : rows_)
      if (row.may == everyone_ && renders([&](size_t, i32) { return row.fate; }))
        add_rule(row.bits, PAINT_BY_TEST, {}, {row.fate, row.fate});
    Reason why = learn_pairs();
    if (why == OK) why = learn_tables();
    return why;
  }

  Reason learn_sorting() {
    // As many cells of each color as before.
    for (size_t d = 0; d < grids_.size(); d++) {
      i32 counts[10] = {};
      if (grids_[d].n() < 2) return OK;
      for (i64 k = 0; k < outputs_[d].n_cells(); k++) {
        counts[inputs_[d].cells[k]]++;
        counts[outputs_[d].cells[k]]--;
      }
      if (std::any_of(counts, counts + 10, [](i32 count) { return count != 0; })) return OK;
    }
    const Reason why = describe();
    for (i32 measure = 0; measure < N_MEASURES && why == OK; measure++)
      for (i32 falling = 0; falling < 2; falling++) {
        bool is_right = true;
        for (size_t d = 0; d < grids_.size() && is_right; d++)
          is_right = sort_objects(grids_[d], measure, falling, drawing_) && drawing_.shows(outputs_[d]);
        if (is_right) add_rule(32 + FEATURE_BITS[3 * measure], SORT, {}, {measure, falling});
      }
    return why;
  }

  // Finds the fates that agree with the outputs; false if some object or changed cell has none.
  bool find_rows() {
    std::vector<i32> tried;
    const bool is_mixed = CUTS[cut_] == TOGETHER_4 || CUTS[cut_] == TOGETHER_8;
    for (i32 fate = 0; fate < N_FATES; fate++) {
      if (!is_fate(fate)) continue;
      if (fate >= PAINT) {
        const i32 ink = (fate - PAINT) % N_INKS, how = fate - ink;
        if (ink < OWN_COLOR && !(output_colors_ >> ink & 1)) continue;
        const i32 like = ink - OWN_COLOR;
        if (like == MINOR && !is_mixed) continue;
        if (like == OWN && (how == RIM || how == CORE || (how == PAINT && !is_mixed))) continue;
        if (like > MINOR && (how == RING || how == HALO)) continue;
        if (like > MINOR && (how == RIM || how == CORE) && like != NEAREST && like != TOUCHED && like != WITHIN) continue;
        if ((like == LARGEST || like == SMALLEST) && how != PAINT) continue;
      }
      tried.push_back(fate);
    }
    rows_.clear();
    for (const i32 fate : tried) rows_.push_back({fate, FATE_BITS[fate], Bits(grids_.size()), Bits(grids_.size())});
    for (size_t d = 0; d < grids_.size(); d++) {
      const ObjectGrid& grid = grids_[d];
      const Scene& output = outputs_[d];
      std::vector<u8> is_shown((size_t)output.n_cells());
      for (i32 k = 0; k < grid.n(); k++) {
        bool is_kept = true, any = false;
        for (const Place& at : grid.objects[(size_t)k].part)
          is_kept = is_kept && output.cell(at.row, at.column) == grid.scene.cell(at.row, at.column);
        for (Row& row : rows_) {
          if (is_kept ? row.fate == VANISH : keeps_cells(row.fate)) continue;
          bool changes = false;
          const bool agrees = each_drawn(grid, k, row.fate, [&](i32 i, i32 j, i32 color) {
            changes |= grid.scene.cell(i, j) != color;
            return output.cell(i, j) == color;
          });
          if (!agrees) continue;
          any = true;
          row.may[d] |= 1ULL << k;
          if (!changes) continue;
          row.draws[d] |= 1ULL << k;
          each_drawn(grid, k, row.fate, [&](i32 i, i32 j, i32) {
            return is_shown[(size_t)i * (size_t)output.width + (size_t)j] = 1, true;
          });
        }
        if (!any) return false;
      }
      for (i64 k = 0; k < output.n_cells(); k++)
        if (grid.scene.cells[k] != output.cells[k] && !is_shown[(size_t)k]) return false;
    }
    rows_.erase(std::remove_if(rows_.begin(), rows_.end(),
                               [](const Row& row) { return is_empty(row.fate == KEEP ? row.may : row.draws); }),
                rows_.end());
    std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.bits < b.bits; });
    return true;
  }

  template <class FateOf>
  bool renders(FateOf fate_of) {
    if (n_rendered_++ >= MAX_RENDERED) return false;
    for (size_t d = 0; d < grids_.size(); d++) {
      if (!lane_.charge((u64)grids_[d].scene.n_cells() / 4)) return false;
      if (!paint(grids_[d], [&](i32 k) { return fate_of(d, k); }, drawing_) || !drawing_.shows(outputs_[d])) return false;
    }
    return true;
  }

  Reason learn_pairs() {
    size_t n_joined = 0;
    for (size_t a = 0; a < rows_.size(); a++)
      for (size_t b = 0; b < a; b++) {
        const Row &first = rows_[a], &second = rows_[b];
        Bits must_first(everyone_.size()), must_second(everyone_.size());
        bool covers = true;
        for (size_t d = 0; d < everyone_.size(); d++) {
          covers &= (first.may[d] | second.may[d]) == everyone_[d];
          // An object that would change does not merely stay.
          must_first[d] = (everyone_[d] & ~second.may[d]) | (second.fate == KEEP ? first.draws[d] : 0);
          must_second[d] = (everyone_[d] & ~first.may[d]) | (first.fate == KEEP ? second.draws[d] : 0);
        }
        if (!covers || is_empty(must_first) || is_empty(must_second) || meets(must_first, must_second)) continue;
        const Reason why = describe();
        if (why != OK) return why;
        if (!lane_.charge(groups_.size())) return OVER_BUDGET;
        const i32 bits = first.bits + second.bits;
        i32 cheapest = MAX_BITS;
        for (const TestGroup& group : groups_) {
          if (!contains(group.yes, must_first) || meets(group.yes, must_second)) continue;
          if (!renders([&](size_t d, i32 k) { return group.yes[d] >> k & 1 ? first.fate : second.fate; })) continue;
          cheapest = std::min(cheapest, group.tests[0].bits);
          add_rules(group, bits, PAINT_BY_TEST, {first.fate, second.fate});
        }
        if (cheapest <= CHEAP_TEST || n_joined++ >= MAX_PAIRS_JOINED) continue;
        for (const bool swapped : {false, true}) {
          const Row &yes = swapped ? second : first, &no = swapped ? first : second;
          const Reason why_not = join_tests(swapped ? must_second : must_first, swapped ? must_first : must_second,
                                            [&](const Bits& both, i32 cost, const std::vector<Test>& tests) {
            if (!renders([&](size_t d, i32 k) { return both[d] >> k & 1 ? yes.fate : no.fate; })) return false;
            add_rule(bits + cost, PAINT_BY_TEST, tests, {yes.fate, no.fate});
            return true;
          });
          if (why_not != OK) return why_not;
        }
      }
    return OK;
  }
  // Finds pairs of tests that all of some objects pass and none of some others.
  template <class Take>
  Reason join_tests(const Bits& wanted, const Bits& unwanted, Take take) {
    std::vector<const TestGroup*> passed;
    for (const TestGroup& group : groups_)
      if (contains(group.yes, wanted) && passed.size() < MAX_JOINED) passed.push_back(&group);
    if (!lane_.charge((u64)passed.size() * passed.size() / 8)) return OVER_BUDGET;
    size_t n_taken = 0;
    Bits both(wanted.size());
    // The cheapest pairs first, as far as their cheaper members tell.
    for (size_t a = 0; a < passed.size() && n_taken < MAX_RULES_JOINED; a++)
      for (size_t b = 0; b < a && n_taken < MAX_RULES_JOINED; b++) {
        if (!meets(passed[a]->yes, unwanted) || !meets(passed[b]->yes, unwanted)) continue;
        bool is_clear = true;
        for (size_t d = 0; d < both.size(); d++) {
          both[d] = passed[a]->yes[d] & passed[b]->yes[d];
          is_clear = is_clear && !(both[d] & unwanted[d]);
        }
        if (!is_clear) continue;
        const PricedTest &one = passed[a]->tests[0], &other = passed[b]->tests[0];
        n_taken += take(both, one.bits + other.bits + LEAST_TESTED, {other.test, one.test});
      }
    return OK;
  }

  Reason learn_tables() {
    const Reason why = describe();
    if (why != OK) return why;
    for (i32 feature = 0; feature < N_FEATURES; feature++) {
      const std::vector<i32>& values = values_[(size_t)feature];
      if (SCALES[feature] == fates::FLAG || values.size() < 2 || values.size() > (size_t)MAX_VALUES) continue;
      i32 bits = FEATURE_BITS[feature];
      std::vector<i32> parameters = {feature};
      std::map<i32, i32> fate_of;
      bool is_whole = true;
      for (const i32 value : values) {
        Bits members;
        for (const ObjectGrid& grid : grids_) members.push_back(select(grid, {{feature, EQUAL, value}}));
        const Row* best = nullptr;
        for (const Row& row : rows_) {
          if (!contains(row.may, members)) continue;
          if (!best || (best->fate == KEEP && meets(row.draws, members))) best = &row;
          if (best->fate != KEEP) break;
        }
        is_whole = best != nullptr;
        if (!is_whole) break;
        bits += best->bits + BITS_PER_VALUE;
        parameters.insert(parameters.end(), {value, best->fate});
        fate_of[value] = best->fate;
      }
      if (!is_whole) continue;
      bool differs = false;
      for (const auto& each : fate_of) differs |= each.second != fate_of.begin()->second;
      if (differs && renders([&](size_t d, i32 k) { return fate_of[grids_[d].feature(feature, k)]; }))
        add_rule(bits, PAINT_BY_TABLE, {}, parameters);
    }
    return OK;
  }

  // --- selections ---

  Reason learn_selections() {
    std::vector<std::vector<i32>> kinds[3];  // parameters of the kinds, CROP_ONE first
    for (i32 how = 0; how < N_CROPS; how++) kinds[0].push_back({how});
    std::vector<Bits> shown = find_crops(kinds[0]);
    find_counts(kinds[1]);
    for (i32 listing = 0; listing < N_LISTINGS; listing++)
      for (i32 order = 0; order < N_ORDERS; order++)
        if (((listing != CELL_TABLE && listing != MINOR_TABLE) || order == 0) && can_list(listing))
          kinds[2].push_back({listing, order});
    if (kinds[0].empty() && kinds[1].empty() && kinds[2].empty()) return OK;
    const Reason why = describe();
    if (why != OK) return why;
    const u64 n_tried = (u64)(groups_.size() + 1) * (1 + kinds[1].size() + kinds[2].size());
    if (!lane_.charge(n_tried)) return OVER_BUDGET;
    const bool are_cells =
        std::all_of(outputs_.begin(), outputs_.end(), [](const Scene& output) { return output.n_cells() == 1; });
    for (size_t c = 0; c < kinds[0].size(); c++) {
      const i32 how = kinds[0][c][0];
      const i32 bits = are_cells && how != ONE_CELL ? 40 : how < INSIDE || how == ONE_CELL ? 16 : how == INSIDE ? 24 : 40;
      i32 cheapest = MAX_BITS;
      const auto is_picked = [&](const Bits& yes) {
        return contains(shown[c], yes) && std::all_of(yes.begin(), yes.end(), [](u64 word) { return word != 0; });
      };
      if (is_picked(everyone_)) add_rule(bits, CROP_ONE, {}, kinds[0][c]);
      for (const TestGroup& group : groups_) {
        if (!is_picked(group.yes)) continue;
        cheapest = std::min(cheapest, group.tests[0].bits);
        add_rules(group, bits, CROP_ONE, kinds[0][c]);
      }
      if (cheapest > CHEAP_TEST) join_picks(shown[c], bits, kinds[0][c]);
    }
    for (const i32 kind : {DRAW_COUNT, DRAW_LIST})
      for (const std::vector<i32>& parameters : kinds[kind == DRAW_COUNT ? 1 : 2]) {
        // What always is one cell is hardly a list.
        const i32 bits = are_cells ? 56 : 32 + 16 * (kind == DRAW_COUNT && parameters[3]);
        if (draws(everyone_, kind, parameters)) add_rule(bits, kind, {}, parameters);
        for (const TestGroup& group : groups_)
          if (draws(group.yes, kind, parameters)) add_rules(group, bits, kind, parameters);
      }
    return OK;
  }
  // Returns the objects whose crop is the output, for the ways of cropping with one in each demo; others are removed.
  std::vector<Bits> find_crops(std::vector<std::vector<i32>>& ways) {
    std::vector<Bits> shown;
    std::vector<std::vector<i32>> kept;
    for (const std::vector<i32>& way : ways) {
      Bits members(grids_.size());
      bool any = true;
      for (size_t d = 0; d < grids_.size() && any; d++) {
        const Scene& output = outputs_[d];
        for (i32 k = 0; k < grids_[d].n(); k++) {
          const FateObject& own = grids_[d].objects[(size_t)k];
          const i32 margin = way[0] == INSIDE ? 2 : 0;
          const bool swaps = way[0] >= TURNED && (way[0] - TURNED + 1) & 4;
          const i32 height = way[0] == ONE_CELL ? 1 : own.height() - margin, width = way[0] == ONE_CELL ? 1 : own.width() - margin;
          if ((swaps ? width : height) != output.n_rows || (swaps ? height : width) != output.width) continue;
          if (crop(grids_[d], k, way[0], drawing_) && drawing_.shows(output)) members[d] |= 1ULL << k;
        }
        any = members[d] != 0;
      }
      if (!any) continue;
      kept.push_back(way);
      shown.push_back(members);
    }
    ways = kept;
    return shown;
  }
  void join_picks(const Bits& shown, i32 bits, const std::vector<i32>& parameters) {
    std::vector<const TestGroup*> usable;
    for (const TestGroup& group : groups_) {
      bool any = true;
      for (size_t d = 0; d < shown.size(); d++) any = any && (group.yes[d] & shown[d]);
      if (any && usable.size() < MAX_JOINED) usable.push_back(&group);
    }
    if (!lane_.charge((u64)usable.size() * usable.size() / 8)) return;
    size_t n_taken = 0;
    for (size_t a = 0; a < usable.size(); a++)
      for (size_t b = 0; b < a && n_taken < MAX_RULES_JOINED; b++) {
        if (contains(shown, usable[a]->yes) || contains(shown, usable[b]->yes)) continue;
        bool is_right = true;
        for (size_t d = 0; d < shown.size() && is_right; d++) {
          const u64 both = usable[a]->yes[d] & usable[b]->yes[d];
          is_right = both && !(both & ~shown[d]);
        }
        if (!is_right) continue;
        const PricedTest &one = usable[a]->tests[0], &other = usable[b]->tests[0];
        add_rule(bits + one.bits + other.bits + LEAST_TESTED, CROP_ONE, {other.test, one.test}, parameters);
        n_taken++;
      }
  }
  // The drawings of counts that could be the outputs.
  void find_counts(std::vector<std::vector<i32>>& ways) {
    u32 hows = (1u << N_COUNTS) - 1, common = 0;
    i32 size = 0;
    for (size_t d = 0; d < outputs_.size(); d++) {
      const Scene& output = outputs_[d];
      const i32 own_size = 32 * output.n_rows + output.width;
      if (output.n_rows > MAX_SIDE || output.width > MAX_SIDE) return;
      u32 colors = 0;
      bool is_full = true, is_diagonal = output.n_rows == output.width, is_filled = d == 0 || own_size == size, ended = false;
      for (i64 k = 0; k < output.n_cells(); k++) {
        const bool is_set = output.cells[k] != 0;
        if (is_set) colors |= 1u << output.cells[k];
        is_full = is_full && is_set;
        is_diagonal = is_diagonal && is_set == (k % (output.width + 1) == 0);
        is_filled = is_filled && !(ended && is_set);
        ended |= !is_set;
      }
      size = own_size;
      if (!colors) {  // all black: full of black
        colors = 1;
        is_full = true;
        is_diagonal = is_filled = false;
      }
      if (colors & (colors - 1)) return;
      if (!is_full || output.n_rows != 1) hows &= ~(1u << IN_ROW);
      if (!is_full || output.width != 1) hows &= ~(1u << IN_COLUMN);
      if (!is_full || output.n_rows != output.width) hows &= ~(1u << SQUARE);
      if (!is_diagonal) hows &= ~(1u << DIAGONAL);
      if (!is_filled) hows &= ~(1u << FILLED);
      common = d ? common & colors : colors;
    }
    for (i32 how = 0; how < N_COUNTS; how++) {
      if (!(hows >> how & 1)) continue;
      for (i32 cells = 0; cells < 2; cells++) {
        if (common) ways.push_back({how, lowest_bit(common), size, cells});
        ways.push_back({how, OWN_COLOR, size, cells});
      }
    }
  }
  bool can_list(i32 listing) const {
    return std::all_of(outputs_.begin(), outputs_.end(), [&](const Scene& output) {
      if (output.n_rows > MAX_SIDE || output.width > MAX_SIDE) return false;
      if (listing == CELLS_ALONG) return output.n_rows == 1;
      if (listing == CELLS_DOWN) return output.width == 1;
      if (listing == CELLS_ON_AXIS) return output.n_rows == 1 || output.width == 1;
      if (listing == BARS_RIGHT || listing == BARS_LEFT) return output.n_rows <= MAX_OBJECTS && output.width > 1;
      if (listing == BARS_DOWN || listing == BARS_UP) return output.width <= MAX_OBJECTS && output.n_rows > 1;
      return true;
    });
  }
  bool draws(const Bits& selected, i32 kind, const std::vector<i32>& parameters) {
    for (size_t d = 0; d < selected.size(); d++) {
      const Scene& output = outputs_[d];
      const i32 n = count_members(selected[d]), how = parameters[0];
      if (kind == DRAW_COUNT) {
        i64 n_set = 0;
        for (i64 k = 0; k < output.n_cells(); k++) n_set += output.cells[k] != 0;
        if (!n_set) n_set = output.n_cells();
        const i64 n_counted = count_selected(grids_[d], selected[d], parameters[3]);
        if ((how == SQUARE ? n_counted * n_counted : n_counted) != n_set) return false;
      } else {
        if ((how == CELLS_ALONG || how == BARS_DOWN || how == BARS_UP) && n != output.width) return false;
        if ((how == CELLS_DOWN || how == BARS_RIGHT || how == BARS_LEFT) && n != output.n_rows) return false;
        if ((how == CELL_TABLE || how == MINOR_TABLE) && n > output.n_cells()) return false;
        if (how == CELLS_ON_AXIS && n != output.n_cells()) return false;
        if (how >= CROPS_ALONG && how < BARS_RIGHT && !is_as_long(selected[d], d, how)) return false;
      }
    }
    for (size_t d = 0; d < selected.size(); d++)
      if (!draw_selected(grids_[d], selected[d], kind, parameters, drawing_) || !drawing_.shows(outputs_[d])) return false;
    return true;
  }
  bool is_as_long(u64 selected, size_t d, i32 how) const {
    const bool down = how == CROPS_DOWN || how == CROPS_DOWN_APART;
    i32 along = -(how == CROPS_ALONG_APART || how == CROPS_DOWN_APART), gap = -along;
    for (u64 bits = selected; bits; bits &= bits - 1) {
      const FateObject& own = grids_[d].objects[(size_t)lowest_bit64(bits)];
      along += (down ? own.height() : own.width()) + gap;
    }
    return along == (down ? outputs_[d].n_rows : outputs_[d].width);
  }

  Lane& lane_;
  std::vector<Scene> inputs_, outputs_;
  bool paints_ = false;
  u32 output_colors_ = 0;
  std::vector<FateRule> rules_;
  // Of the current cut:
  i32 cut_ = 0, n_rendered_ = 0;
  bool is_described_ = false;
  std::vector<ObjectGrid> grids_;
  Bits everyone_;
  std::vector<std::vector<i32>> values_;  // of each feature, sorted; none if some object lacks it
  std::vector<TestGroup> groups_;
  std::vector<Row> rows_;
  Drawing drawing_;
};

ARC_IMPLEMENT(learn_fates) {
  if (!are_color_demos(args[0])) return fail(WRONG_TYPE);
  std::vector<i32> numbers;
  const Reason why = FateLearner(lane, args[0]).learn(numbers);
  return why == OK ? numbers_value(lane, numbers) : fail(why);
}

// --- voting ---

constexpr int FIXED_BITS = 40;

// 2 to the power of -bits / 16, as a multiple of 2^-40.
u64 share_of(i32 bits) {
  // 2^(40 - k/16), rounded down
  static const u64 ROOTS[] = {1099511627776ULL, 1052895941924ULL, 1008256608221ULL, 965509835818ULL,
      924575386326ULL, 885376423199ULL, 847839367509ULL, 811893759832ULL, 777472127993ULL, 744509860418ULL,
      712945084849ULL, 682718552209ULL, 653773525389ULL, 626055672747ULL, 599512966122ULL, 574095583180ULL};
  const i32 whole = bits / 16;
  return whole >= FIXED_BITS ? 0 : ROOTS[bits % 16] >> whole;
}

struct Vote {
  Drawing grid;
  u64 evidence = 0;
  i32 n_rules = 0;
  std::vector<i32> rules;  // as numbers
};

// Lets all rules vote for the grids that they make, each further one for a grid counting half. The most evidence comes
// first, of equal grids of evidence the one that comes first in order.
Reason vote(Lane& lane, const Value* args, std::vector<Vote>& votes) {
  const Value rules = args[0];
  if (!is_color_grid(args[1])) return WRONG_TYPE;
  if (rules.kind != INTS) return rules.kind == TUPLE && rules.n ? WRONG_TYPE : OUT_OF_RANGE;
  const std::vector<Scene> scenes = {scene_of(args[1])};
  std::vector<std::unique_ptr<Parts>> parts((size_t)N_CUTS);
  std::vector<std::unique_ptr<ObjectGrid>> grids((size_t)N_CUTS);
  FateRule rule;
  Drawing drawing;
  std::map<std::pair<i32, std::vector<i32>>, size_t> numbers;
  i32 last = 0;
  for (i64 at = 0; at < rules.n;) {
    const i32 length = rules.ints[at];
    if (length < 0 || length > rules.n - at - 1 || !read_rule(rules.ints + at + 1, length, rule)) return OUT_OF_RANGE;
    if (rule.bits < last) return OUT_OF_RANGE;
    last = rule.bits;
    const size_t cut = (size_t)rule.cut;
    if (!parts[cut]) {
      parts[cut].reset(new Parts(scenes, CUTS[cut]));
      if (!lane.charge((u64)scenes[0].n_cells() + parts[cut]->cost())) return OVER_BUDGET;
      if (parts[cut]->parts.size() <= (size_t)MAX_OBJECTS) {
        grids[cut].reset(new ObjectGrid(scenes[0], parts[cut]->begin_of(0), parts[cut]->end_of(0)));
        if (!lane.charge(grids[cut]->cost() + grids[cut]->feature_cost())) return OVER_BUDGET;
        grids[cut]->describe();
      }
    }
    if (!lane.charge(8 + (u64)scenes[0].n_cells() / 8)) return OVER_BUDGET;
    if (grids[cut] && grids[cut]->n() && follow(*grids[cut], rule, drawing)) {
      const auto [place, is_new] = numbers.emplace(std::make_pair(drawing.width, drawing.cells), votes.size());
      if (is_new) {
        votes.emplace_back();
        votes.back().grid = drawing;
      }
      Vote& found = votes[place->second];
      found.evidence += share_of(rule.bits + 16 * found.n_rules++);
      found.rules.insert(found.rules.end(), rules.ints + at, rules.ints + at + 1 + length);
    }
    at += 1 + length;
  }
  std::sort(votes.begin(), votes.end(), [](const Vote& a, const Vote& b) {
    if (a.evidence != b.evidence) return a.evidence > b.evidence;
    return a.grid.width != b.grid.width ? a.grid.width < b.grid.width : a.grid.cells < b.grid.cells;
  });
  return OK;
}

ARC_IMPLEMENT(apply_fates) {
  std::vector<Vote> votes;
  const Reason why = vote(lane, args, votes);
  if (why != OK) return fail(why);
  const size_t place = (size_t)args[2].number;
  if (place >= votes.size()) return fail(EMPTY);
  return cells_value(lane, votes[place].grid.cells, votes[place].grid.width);
}

// The rules that make the grid, as numbers.
ARC_RULE(apply_fates) {
  std::vector<Vote> votes;
  const Reason why = vote(lane, args, votes);
  const size_t place = (size_t)args[2].number;
  if (why != OK || place >= votes.size()) return fail(EMPTY);
  return numbers_value(lane, votes[place].rules);
}

}  // namespace
}  // namespace arc
