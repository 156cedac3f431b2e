// Rules about the fates of a grid's objects: how they are stored, and the grids that they make.
#pragma once
#include "demo_grids.hpp"
#include "fate_objects.hpp"

namespace arc {
namespace fates {

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

// A rule. Stored, it is a list of numbers: how many follow, the bits in sixteenths, cut, kind, the number of tests, the
// tests, the parameters of its kind.
struct FateRule {
  i32 bits = 0, cut = 0, kind = 0;
  std::vector<Test> tests;
  std::vector<i32> parameters;

  // Whether objects may go to new places.
  bool moves() const {
    return kind <= PAINT_BY_TABLE && std::any_of(parameters.begin(), parameters.end(), [](i32 each) { return each >= END; });
  }
  void write(std::vector<i32>& to) const {
    to.insert(to.end(), {(i32)(4 + 3 * tests.size() + parameters.size()), bits, cut, kind, (i32)tests.size()});
    for (const Test& test : tests) to.insert(to.end(), {test.feature, test.comparison, test.value});
    to.insert(to.end(), parameters.begin(), parameters.end());
  }
};

constexpr i32 ANY_SIZE = 33;  // of a drawing whose size is its count
constexpr i32 OWN_COLOR = 10, N_INKS = 20, MAX_BITS = 64 * 16;

inline bool is_fate(i32 fate) {
  return fate >= 0 && (fate < END ? FATE_BITS[fate] != 0 : fate < END + 2 * N_PLACES * N_PLACES);
}
inline i32 bits_of_fate(i32 fate) {
  if (fate < END) return FATE_BITS[fate];
  const i32 places = (fate - END) / 2;
  return PLACE_BITS[places / N_PLACES] + PLACE_BITS[places % N_PLACES] + ((fate - END) % 2 ? COPY_BITS : 0);
}

// Reads a stored rule; returns false if the numbers are not a rule.
inline bool read_rule(const i32* numbers, i32 n, FateRule& rule) {
  if (n < 4) return false;
  rule.bits = numbers[0];
  rule.cut = numbers[1];
  rule.kind = numbers[2];
  const i32 n_tests = numbers[3];
  if ((u32)rule.bits > (u32)MAX_BITS || (u32)rule.cut >= (u32)N_CUTS || n_tests < 0 || n_tests > (n - 4) / 3)
    return false;
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

// The mirrors and turns that a symmetric object is unchanged by, as bits of their numbers.
constexpr u32 SYMMETRY_GROUPS[] = {1u << 2, 1u << 1, 1u << 1 | 1u << 2 | 1u << 3, 1u << 3 | 1u << 5 | 1u << 6,
                                   254,     1u << 3};

// Calls draw(row, column, color) for the cells that an object draws, until it returns false. Returns false if it did,
// or if the object cannot have the fate.
template <class Draw>
inline bool each_drawn(const ObjectGrid& grid, i32 number, i32 fate, Draw draw) {
  const FateObject& own = grid.objects[(size_t)number];
  const Part& part = own;
  const Scene& scene = grid.scene;
  if (fate == KEEP) return true;
  if (fate >= END) {
    const i32 places = (fate - END) / 2;
    const i32 top = grid.place(number, 0, places / N_PLACES), left = grid.place(number, 1, places % N_PLACES);
    if (top == ABSENT || left == ABSENT) return false;
    for (const Place& at : part) {
      const i32 i = at.row - part.top + top, j = at.column - part.left + left;
      if (!scene.has(i, j) || !draw(i, j, part.color(at))) return false;
    }
    return true;
  }
  if (fate == VANISH) {
    for (const Place& at : part)
      if (!draw(at.row, at.column, 0)) return false;
    return true;
  }
  if (fate == SWAP) {
    if (own.n_colors != 2) return false;
    for (const Place& at : part)
      if (!draw(at.row, at.column, part.color(at) == own.main ? own.minor : own.main)) return false;
    return true;
  }
  if (fate < TURN) {
    const u32 group = SYMMETRY_GROUPS[fate - SYMMETRY];
    if (group >> 4 && own.height() != own.width()) return false;
    for (i32 turn = 1; turn < 8; turn++) {
      if (!(group >> turn & 1)) continue;
      for (const Place& at : part) {
        const Place to = own.turned(at, turn);
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
        const Place from = own.turned({i, j}, turn == 5 ? 6 : turn == 6 ? 5 : turn);
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
inline bool keeps_cells(i32 fate) {
  if (fate >= END) return (fate - END) % 2 != 0;
  return fate == KEEP || (fate >= SYMMETRY && fate < TURN) || (fate >= FILL_HOLES && fate < RIM);
}

// Erases the objects that move, then draws changes of objects, additions to them, and moved objects, in this order.
template <class FateOf>
inline bool paint(const ObjectGrid& grid, FateOf fate_of, Drawing& to) {
  to.copy(grid.scene);
  const auto draw = [&](i32 i, i32 j, i32 color) {
    to.cells[(size_t)i * (size_t)to.width + (size_t)j] = color;
    return true;
  };
  for (int layer = 0; layer < 4; layer++)
    for (i32 k = 0; k < grid.n(); k++) {
      const i32 fate = fate_of(k);
      if (fate < 0) return false;
      if (layer == 0 && fate >= END && !keeps_cells(fate)) each_drawn(grid, k, VANISH, draw);
      if (layer != (fate >= END ? 3 : keeps_cells(fate) ? 2 : 1)) continue;
      if (!each_drawn(grid, k, fate, draw)) return false;
    }
  return true;
}

// --- other outputs ---

inline bool crop(const ObjectGrid& grid, i32 number, i32 how, Drawing& to) {
  const FateObject& own = grid.objects[(size_t)number];
  const Part& part = own;
  if (how == ONE_CELL) {
    to.blank(1, 1);
    to.cells[0] = own.main;
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

inline i32 count_members(u64 set) { return count_bits((u32)set) + count_bits((u32)(set >> 32)); }

// The color that all selected objects have, or -1.
inline i32 common_color(const ObjectGrid& grid, u64 selected) {
  i32 color = -1;
  for (u64 bits = selected; bits; bits &= bits - 1) {
    const i32 own = grid.objects[(size_t)lowest_bit64(bits)].main;
    if (color >= 0 && own != color) return -1;
    color = own;
  }
  return color;
}

inline i32 count_selected(const ObjectGrid& grid, u64 selected, bool cells) {
  if (!cells) return count_members(selected);
  i32 n = 0;
  for (u64 bits = selected; bits; bits &= bits - 1) n += grid.objects[(size_t)lowest_bit64(bits)].size;
  return n;
}
inline bool draw_count(const ObjectGrid& grid, u64 selected, i32 how, i32 color, i32 size, bool cells, Drawing& to) {
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

inline std::vector<i32> in_order(const ObjectGrid& grid, u64 selected, i32 order) {
  std::vector<std::array<i32, 3>> keyed;
  for (u64 bits = selected; bits; bits &= bits - 1) {
    const i32 k = lowest_bit64(bits);
    const Part& part = grid.objects[(size_t)k];
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
inline i32 group_intervals(const std::vector<std::pair<i32, i32>>& intervals, std::vector<i32>& groups) {
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

inline bool draw_table(const ObjectGrid& grid, const std::vector<i32>& members, bool in_minor, Drawing& to) {
  std::vector<std::pair<i32, i32>> rows, columns;
  for (const i32 k : members) {
    const Part& part = grid.objects[(size_t)k];
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
    to.cells[at] = in_minor ? std::max(own.minor, 0) : own.main;
  }
  return true;
}

// Whether objects lie side by side rather than one below the other.
inline bool lies_along(const ObjectGrid& grid, u64 selected) {
  i32 top = MAX_NUMBER, bottom = 0, left = MAX_NUMBER, right = 0;  // of their first cells
  for (u64 bits = selected; bits; bits &= bits - 1) {
    const Part& part = grid.objects[(size_t)lowest_bit64(bits)];
    top = std::min(top, part.top);
    bottom = std::max(bottom, part.top);
    left = std::min(left, part.left);
    right = std::max(right, part.left);
  }
  return right - left >= bottom - top;
}

// Sorts all objects by a measure, along the direction in which they lie, with the gaps between them.
inline bool sort_objects(const ObjectGrid& grid, i32 measure, bool falling, Drawing& to) {
  const bool along = lies_along(grid, grid.everyone());
  std::vector<i32> before = in_order(grid, grid.everyone(), along ? FROM_LEFT : FROM_TOP), after = before;
  std::stable_sort(after.begin(), after.end(), [&](i32 a, i32 b) {
    const i32 x = grid.feature(3 * measure, a), y = grid.feature(3 * measure, b);
    return falling ? x > y : x < y;
  });
  to.copy(grid.scene);
  for (const i32 k : before)
    for (const Place& at : grid.objects[(size_t)k])
      to.cells[(size_t)at.row * (size_t)to.width + (size_t)at.column] = 0;
  const auto start = [&](i32 k) {
    return along ? grid.objects[(size_t)k].left : grid.objects[(size_t)k].top;
  };
  const auto length = [&](i32 k) { return along ? grid.objects[(size_t)k].width() : grid.objects[(size_t)k].height(); };
  i32 place = start(before[0]);
  for (size_t q = 0; q < after.size(); q++) {
    const i32 step = place - start(after[q]);
    for (const Place& at : grid.objects[(size_t)after[q]]) {
      const i32 i = at.row + (along ? 0 : step), j = at.column + (along ? step : 0);
      if (!grid.scene.has(i, j)) return false;
      to.cells[(size_t)i * (size_t)to.width + (size_t)j] = grid.scene.cell(at.row, at.column);
    }
    if (q + 1 < before.size()) place += length(after[q]) + start(before[q + 1]) - start(before[q]) - length(before[q]);
  }
  return true;
}

inline bool draw_list(const ObjectGrid& grid, u64 selected, i32 listing, i32 order, Drawing& to) {
  const std::vector<i32> members = in_order(grid, selected, order);
  const i32 n = (i32)members.size();
  if (n == 0) return false;
  if (listing == CELL_TABLE || listing == MINOR_TABLE) return draw_table(grid, members, listing == MINOR_TABLE, to);
  if (listing >= CELLS_ON_AXIS) {
    const i32 along[] = {CELLS_ALONG, CROPS_ALONG, CROPS_ALONG_APART},
              down[] = {CELLS_DOWN, CROPS_DOWN, CROPS_DOWN_APART};
    listing = (lies_along(grid, selected) ? along : down)[listing - CELLS_ON_AXIS];
    if (order == FROM_LEFT) order = listing == CELLS_DOWN || listing >= CROPS_DOWN ? FROM_TOP : FROM_LEFT;
    return draw_list(grid, selected, listing, order, to);
  }
  const bool down = listing == CELLS_DOWN || listing == CROPS_DOWN || listing == CROPS_DOWN_APART ||
                    listing == BARS_RIGHT || listing == BARS_LEFT;
  i32 across = 1, along = 0;  // of the list: the longest member, and their sum
  const bool is_crops = listing >= CROPS_ALONG && listing < BARS_RIGHT, is_bars = listing >= BARS_RIGHT;
  const i32 gap = listing == CROPS_ALONG_APART || listing == CROPS_DOWN_APART ? 1 : 0;
  for (const i32 k : members) {
    const FateObject& own = grid.objects[(size_t)k];
    if (is_crops) across = std::max(across, down ? own.width() : own.height());
    if (is_bars) across = std::max(across, own.size);
    along += is_crops ? (down ? own.height() : own.width()) : 1;
  }
  along += gap * (n - 1);
  if (across > MAX_SIDE || along > MAX_SIDE) return false;
  to.blank(down ? along : across, down ? across : along);
  i32 at = 0;
  for (const i32 k : members) {
    const FateObject& own = grid.objects[(size_t)k];
    if (is_crops) {
      for (const Place& cell : own) {
        const i32 i = cell.row - own.top + (down ? at : 0), j = cell.column - own.left + (down ? 0 : at);
        to.cells[(size_t)i * (size_t)to.width + (size_t)j] = own.color(cell);
      }
      at += (down ? own.height() : own.width()) + gap;
      continue;
    }
    for (i32 m = 0; m < (is_bars ? own.size : 1); m++) {
      const i32 along_bar = listing == BARS_LEFT || listing == BARS_UP ? across - 1 - m : m;
      const i32 i = down ? at : along_bar, j = down ? along_bar : at;
      to.cells[(size_t)i * (size_t)to.width + (size_t)j] = own.main;
    }
    at++;
  }
  return true;
}

inline u64 select(const ObjectGrid& grid, const std::vector<Test>& tests) {
  u64 selected = 0;
  for (i32 k = 0; k < grid.n(); k++)
    if (std::all_of(tests.begin(), tests.end(), [&](const Test& test) { return test.holds(grid, k); }))
      selected |= 1ULL << k;
  return selected;
}

inline bool draw_selected(const ObjectGrid& grid, u64 selected, i32 kind, const std::vector<i32>& p, Drawing& to) {
  if (kind == DRAW_COUNT) return draw_count(grid, selected, p[0], p[1], p[2], p[3], to);
  if (kind == DRAW_LIST) return draw_list(grid, selected, p[0], p[1], to);
  // The crops of all selected objects must be equal.
  if (!selected || !crop(grid, lowest_bit64(selected), p[0], to)) return false;
  Drawing other;
  for (u64 bits = selected & (selected - 1); bits; bits &= bits - 1)
    if (!crop(grid, lowest_bit64(bits), p[0], other) || other.width != to.width || other.cells != to.cells)
      return false;
  return true;
}

inline bool follow(const ObjectGrid& grid, const FateRule& rule, Drawing& to) {
  const std::vector<i32>& p = rule.parameters;
  if (rule.kind == PAINT_BY_TABLE)
    return paint(
        grid,
        [&](i32 k) {
          const i32 number = grid.feature(p[0], k);
          for (size_t at = 1; at < p.size(); at += 2)
            if (p[at] == number) return p[at + 1];
          return -1;
        },
        to);
  for (const Test& test : rule.tests)
    if (grid.n() && grid.feature(test.feature, 0) == ABSENT) return false;
  if (rule.kind == SORT) return sort_objects(grid, p[0], p[1], to);
  const u64 selected = select(grid, rule.tests);
  if (rule.kind == PAINT_BY_TEST) return paint(grid, [&](i32 k) { return p[selected >> k & 1 ? 0 : 1]; }, to);
  return draw_selected(grid, selected, rule.kind, p, to);
}

}  // namespace fates
}  // namespace arc
