// Pictures, which are rectangles of colors 0 to 9 at a place, with 0 transparent, and lists of them; as
// language/primitives/picture_tools.py.
//
// Operations on pictures are templates over the type of a cell: i32 in values of the language, u8 in the bank of the
// search, which stores millions of them. Both run the same code.
#pragma once
#include "call.hpp"

namespace arc {

template <class C>
struct Picture {
  i32 row = 0, column = 0;       // the place of its first cell; may be negative
  i32 n_rows = 0, width = 0;     // both 0: the empty picture, which lies at (0, 0)
  const C* cells = nullptr;      // row by row

  ARC_FN i64 area() const { return (i64)n_rows * width; }
  ARC_FN bool empty() const { return n_rows == 0; }
  // In a failure n_rows is -1 and width the reason.
  ARC_FN bool failed() const { return n_rows < 0; }
  ARC_FN Reason reason() const { return (Reason)width; }
};

template <class C>
ARC_FN Picture<C> empty_picture() { return Picture<C>(); }
template <class C>
ARC_FN Picture<C> failed_picture(Reason reason) {
  Picture<C> p;
  p.n_rows = -1;
  p.width = reason;
  return p;
}

// A new picture whose cells are yet to be written; it has failed if there is no memory for it, or its place is out of
// range.
template <class C>
struct NewPicture {
  Picture<C> picture;
  C* cells;
};
template <class C>
ARC_FN NewPicture<C> new_picture(Lane& lane, i64 row, i64 column, i64 n_rows, i64 width) {
  if (n_rows <= 0 || width <= 0) return {empty_picture<C>(), nullptr};
  if (!lane.require((u64)n_rows * (u64)(1 + width))) return {failed_picture<C>(OVER_BUDGET), nullptr};
  if (!in_range(row) || !in_range(column)) return {failed_picture<C>(OUT_OF_RANGE), nullptr};
  C* cells = lane.allocate_array<C>((u64)n_rows * (u64)width);
  if (!cells) return {failed_picture<C>(OVER_BUDGET), nullptr};
  Picture<C> p;
  p.row = (i32)row;
  p.column = (i32)column;
  p.n_rows = (i32)n_rows;
  p.width = (i32)width;
  p.cells = cells;
  return {p, cells};
}
// Declares a new picture `name` with the cells `made_cells`, or returns from the function: with the empty picture if
// there are no cells, or with the failure.
#define ARC_NEW_PICTURE(name, made_cells, row, column, n_rows, width)                 \
  const NewPicture<C> made_##name = new_picture<C>(lane, row, column, n_rows, width); \
  if (!made_##name.cells) return made_##name.picture;                                 \
  const Picture<C> name = made_##name.picture;                                        \
  C* const made_cells = made_##name.cells

// The number of cells of each color.
struct ColorCounts {
  i32 n[10];

  // Returns the most common color other than 0, the lowest of several; 0 if there is none.
  ARC_FN int main_color() const {
    int best = 0;
    for (int c = 1; c < 10; c++)
      if (n[c] > (best ? n[best] : 0)) best = c;
    return best;
  }
  ARC_FN i64 n_shown() const {
    i64 sum = 0;
    for (int c = 1; c < 10; c++) sum += n[c];
    return sum;
  }
};
template <class C>
ARC_FN ColorCounts count_colors(const Picture<C>& p) {
  ColorCounts counts;
  const C* cells = p.cells;
  if (W == 1) {
    // Nine fields of 7 bits in a word. Two words take turns, so that no count waits for the previous one.
    constexpr i64 MOST = 2 * 127;
    constexpr u64 ONE_IN_FIELD[10] = {0,          1,           1ULL << 7,  1ULL << 14, 1ULL << 21,
                                      1ULL << 28, 1ULL << 35,  1ULL << 42, 1ULL << 49, 1ULL << 56};
    for (int c = 0; c < 10; c++) counts.n[c] = 0;
    const i64 n = p.area();
    for (i64 start = 0; start < n; start += MOST) {
      const i64 end = min_of(n, start + MOST);
      u64 even = 0, odd = 0;
      i64 k = start;
      for (; k + 1 < end; k += 2) {
        even += ONE_IN_FIELD[cells[k]];
        odd += ONE_IN_FIELD[cells[k + 1]];
      }
      if (k < end) even += ONE_IN_FIELD[cells[k]];
      for (int c = 1; c < 10; c++, even >>= 7, odd >>= 7) counts.n[c] += (i32)((even & 127) + (odd & 127));
    }
    counts.n[0] = (i32)(n - counts.n_shown());
    return counts;
  }
  for (int c = 0; c < 10; c++) counts.n[c] = (i32)total(p.area(), [=](i64 k) { return cells[k] == c; });
  return counts;
}

// Compares pictures as their values compare: by place, then by rows of cells as tuples.
template <class C>
ARC_FN int compare_pictures(const Picture<C>& a, const Picture<C>& b) {
  if (a.row != b.row) return a.row < b.row ? -1 : 1;
  if (a.column != b.column) return a.column < b.column ? -1 : 1;
  if (!a.n_rows || !b.n_rows) return (a.n_rows > 0) - (b.n_rows > 0);
  // If widths differ, the first row decides; otherwise rows compare as one sequence of cells.
  const C *x = a.cells, *y = b.cells;
  const i64 in_row = min_of(a.width, b.width);
  const i64 n = a.width == b.width ? in_row * min_of(a.n_rows, b.n_rows) : in_row;
  const i64 at = first_where(n, [=](i64 k) { return x[k] != y[k]; });
  if (at < n) return x[at] < y[at] ? -1 : 1;
  return a.width != b.width ? (a.width < b.width ? -1 : 1) : sign_of((i64)a.n_rows - b.n_rows);
}

// Distinct pictures in their order; n is -1 for a failure.
template <class C>
struct PictureList {
  const Picture<C>* items = nullptr;
  i32 n = 0;
  Reason why = OK;

  ARC_FN bool failed() const { return n < 0; }
};
template <class C>
ARC_FN PictureList<C> failed_list(Reason why) {
  PictureList<C> list;
  list.n = -1;
  list.why = why;
  return list;
}

// Makes a list of pictures in any order, which are overwritten; if one of them has failed, the list has that failure.
template <class C>
ARC_FN PictureList<C> list_of(Lane& lane, Picture<C>* items, i64 n) {
  const i64 bad = first_where(n, [=](i64 k) { return items[k].failed(); });
  if (bad < n) return failed_list<C>(items[bad].reason());
  PictureList<C> list;
  list.items = items;
  list.n = (i32)n;
  i64 in_order = 1;  // the length of the strictly ascending start
  while (in_order < n && compare_pictures(items[in_order - 1], items[in_order]) < 0) in_order++;
  if (in_order >= n) return list;
  // Sort runs by insertion, then merge them bottom-up.
  const i64 run_size = n <= 24 ? 24 : 8;
  for (i64 start = 0; start < n; start += run_size)
    for (i64 i = start + 1; i < min_of(start + run_size, n); i++) {
      const Picture<C> item = items[i];
      i64 j = i;
      while (j > start && compare_pictures(items[j - 1], item) > 0) j--;
      if (j == i) continue;
      sync();
      if (thread_index() == 0) {
        for (i64 k = i; k > j; k--) items[k] = items[k - 1];
        items[j] = item;
      }
      sync();
    }
  if (n > run_size) {
    Picture<C>* other = lane.allocate_array<Picture<C>>((u64)n);
    if (!other) return failed_list<C>(OVER_BUDGET);
    for (i64 run = run_size; run < n; run *= 2) {
      for (i64 start = 0; start < n; start += 2 * run) {
        const i64 middle = min_of(start + run, n), end = min_of(start + 2 * run, n);
        i64 a = start, b = middle;
        for (i64 k = start; k < end; k++) {
          const bool take_a = a < middle && (b >= end || compare_pictures(items[a], items[b]) <= 0);
          const Picture<C> item = items[take_a ? a++ : b++];
          if (thread_index() == 0) other[k] = item;
        }
      }
      sync();
      Picture<C>* t = items;
      items = other;
      other = t;
    }
  }
  i64 kept = 0;
  for (i64 k = 0; k < n; k++) {
    const Picture<C> item = items[k];
    if (kept && compare_pictures(items[kept - 1], item) == 0) continue;
    sync();
    if (thread_index() == 0) items[kept] = item;
    sync();
    kept++;
  }
  list.items = items;
  list.n = (i32)kept;
  return list;
}

// --- values ---

ARC_FN Picture<i32> picture_of(const Value& v) {
  const Value grid = v.members()[1];
  if (grid.kind != GRID) return empty_picture<i32>();
  Picture<i32> p;
  p.row = row_of(v.members()[0].key);
  p.column = column_of(v.members()[0].key);
  p.n_rows = (i32)grid.n;
  p.width = (i32)width_of(grid);
  p.cells = grid.ints;
  return p;
}
ARC_FN Value value_of(Lane& lane, const Picture<i32>& p) {
  if (p.failed()) return fail(p.reason());
  ARC_NEW_MEMBERS(members, 2);
  if (thread_index() == 0) {
    members[0] = pair_of_key(key_of(p.row, p.column));
    members[1] = p.empty() ? empty_tuple() : grid_value(p.cells, (u32)p.n_rows, (u32)p.width);
  }
  sync();
  return tuple_of(lane, members, 2);
}

// Returns the members of a set of pictures; a failed list if memory ran out. (All empty pictures are equal, whatever
// their place.)
ARC_FN PictureList<i32> list_of_value(Lane& lane, const Value& v) {
  Picture<i32>* items = lane.allocate_array<Picture<i32>>(v.n);
  if (!items) return failed_list<i32>(OVER_BUDGET);
  each(v.n, [=](i64 k) { items[k] = picture_of(v.members()[k]); });
  return list_of(lane, items, (i64)v.n);
}
ARC_FN Value value_of(Lane& lane, const PictureList<i32>& list) {
  if (list.failed()) return fail(list.why);
  ARC_NEW_MEMBERS(members, list.n);
  for (i32 k = 0; k < list.n; k++) {
    const Value item = value_of(lane, list.items[k]);
    if (item.failed()) return item;
    sync();
    if (thread_index() == 0) members[k] = item;
    sync();
  }
  return set_of(lane, members, list.n);
}

}  // namespace arc
