// Geometry of grids and patches that many primitives share. language/primitives/geometry.py defines it.
#pragma once
#include "call.hpp"

namespace arc {

// --- loops over the cells of a table ---

#if defined(__CUDACC__)
// The cells of one thread, `W` apart, without a division per cell.
struct CellTurns {
  Counter width, down, right;
  Counter i, j;

  ARC_FN explicit CellTurns(i64 wide) : width((Counter)wide) {
    static_assert(W < 1024, "divide_small divides such numbers");
    down = (Counter)divide_small(W, (u32)width);
    right = W - down * width;
    i = (Counter)divide_small((u32)thread_index(), (u32)width);
    j = thread_index() - i * width;
  }
  ARC_FN void go_on() {
    i += down;
    j += right;
    if (j >= width) {
      j -= width;
      i++;
    }
  }
};
#endif

// Calls f(i, j) for all rows i below n_rows and columns j below width, in any order; one cell per thread.
template <class F>
ARC_FN void each_in_grid(i64 n_rows, i64 width, F f) {
#if defined(__CUDACC__)
  if (width > 0)
    for (CellTurns at(width); at.i < (Counter)n_rows; at.go_on()) f((i64)at.i, (i64)at.j);
  sync();
#else
  for (i64 i = 0; i < n_rows; i++)
    for (i64 j = 0; j < width; j++) f(i, j);
#endif
}

// --- keys ---

// Keys of locations or cells in iteration order; the pointer is null if memory ran out.
struct Keys {
  const Key* keys;
  i64 n;
  bool sorted = false;  // known to ascend, without duplicates, as a set's do
};
#define ARC_KEYS(name, made)     \
  const Keys name = made;        \
  if (!name.keys) return fail(OVER_BUDGET)

ARC_FN Keys keys_of_nothing() {
#if defined(__CUDACC__)
  return {(const Key*)16, 0, true};
#else
  static const Key nothing = 0;
  return {&nothing, 0, true};
#endif
}

// A key's row (LINE_ROW) or column (LINE_COLUMN), still with its bias.
constexpr int LINE_ROW = 21, LINE_COLUMN = 0, COLOR_SHIFT = 42;
ARC_FN i64 line_of(Key key, int line) { return (i64)(key >> line & KEY_MASK); }

// Returns whether all keys, of which there is at least one, have one color and ascend; then their locations ascend,
// too.
ARC_FN bool is_one_color(const Keys& keys) {
  return keys.sorted && keys.keys[0] >> COLOR_SHIFT == keys.keys[keys.n - 1] >> COLOR_SHIFT;
}

// Returns the end of the run of keys that begins at `start`: those that differ only in the lowest bits.
ARC_FN i64 run_end(const Key* keys, i64 n, i64 start, int bits) {
  Key run = keys[start] >> bits;
  return start + first_where(n - start, [=](i64 k) { return keys[start + k] >> bits != run; });
}

// Returns the first position in ascending keys whose key is not less than a key.
ARC_FN i64 lower_bound(const Key* keys, i64 n, Key key) {
  i64 low = 0;
  while (n > 0) {
    i64 half = n / 2;
    bool below = keys[low + half] < key;
    low = below ? low + half + 1 : low;
    n = below ? n - half - 1 : half;
  }
  return low;
}

// --- extent ---

// First and last of rows or columns.
struct Span {
  i64 first, last;
};

// Returns the rows or columns that keys, at least one, cover. With ALONE, here and below, each thread has keys of its
// own.
template <bool ALONE = false>
ARC_FN Span span_of(const Keys& keys, int line) {
  if (line == LINE_ROW && is_one_color(keys))
    return {row_of(keys.keys[0]), row_of(keys.keys[keys.n - 1])};
  i32 low = (i32)KEY_MASK, high = 0;
  for (i64 k = ALONE ? 0 : thread_index(); k < keys.n; k += ALONE ? 1 : W) {
    i32 at = (i32)line_of(keys.keys[k], line);
    low = min_of(low, at);
    high = max_of(high, at);
  }
  if (ALONE) return {low - KEY_BIAS, high - KEY_BIAS};
  return {least_of_threads(low) - KEY_BIAS, greatest_of_threads(high) - KEY_BIAS};
}

// The first and last row and column of locations or cells, of which there is at least one.
struct Bounds {
  i64 top, left, bottom, right;

  ARC_FN i64 height() const { return bottom - top + 1; }
  ARC_FN i64 width() const { return right - left + 1; }
};
template <bool ALONE = false>
ARC_FN Bounds bounds_of(const Keys& keys) {
  if (is_one_color(keys)) {
    Span rows = span_of<ALONE>(keys, LINE_ROW), columns = span_of<ALONE>(keys, LINE_COLUMN);
    return {rows.first, columns.first, rows.last, columns.last};
  }
  i32 top = (i32)KEY_MASK, left = (i32)KEY_MASK, bottom = 0, right = 0;
  for (i64 k = ALONE ? 0 : thread_index(); k < keys.n; k += ALONE ? 1 : W) {
    i32 row = (i32)line_of(keys.keys[k], LINE_ROW), column = (i32)line_of(keys.keys[k], LINE_COLUMN);
    top = min_of(top, row);
    left = min_of(left, column);
    bottom = max_of(bottom, row);
    right = max_of(right, column);
  }
  if (ALONE) return {top - KEY_BIAS, left - KEY_BIAS, bottom - KEY_BIAS, right - KEY_BIAS};
  return {least_of_threads(top) - KEY_BIAS, least_of_threads(left) - KEY_BIAS,
          greatest_of_threads(bottom) - KEY_BIAS, greatest_of_threads(right) - KEY_BIAS};
}

// --- boards ---

// Locations of a small box as bits: up to 64 rows of 64. Rows are distributed over the lane's threads, each of which
// has only its own.
constexpr i64 BOARD_SIZE = 64;
struct Board {
  static constexpr int PER_THREAD = W < BOARD_SIZE ? BOARD_SIZE / W : 1;
  u64 rows[PER_THREAD];
  i64 n_rows;

  ARC_FN void clear(i64 n) {
    n_rows = n;
    for (int s = 0; s < (W == 1 ? n : PER_THREAD); s++) rows[s] = 0;
  }
  // Sets bits of a row, unless the board has no such row. All threads must make the same calls.
  ARC_FN void add(i64 row, u64 bits) {
    if (W == 1) {
      if ((u64)row < (u64)n_rows) rows[row] |= bits;
      return;
    }
    for (int s = 0; s < PER_THREAD; s++)
      if (row == s * W + thread_index()) rows[s] |= bits;
  }
};
ARC_FN bool fits_board(const Bounds& box) {
  return box.height() <= BOARD_SIZE && box.width() <= BOARD_SIZE;
}

// Writes the keys of a row's bits in ascending order to `to`; returns the end.
ARC_FN Key* keys_of_bits(u64 bits, Key first, Key* to) {
  for (; bits; bits &= bits - 1) *to++ = first + (Key)lowest_bit64(bits);
  return to;
}

// --- patches ---

// Returns whether the members of a non-empty patch are cells rather than locations.
ARC_FN bool has_cells(const Value& patch) {
  return patch.kind == OBJECT || (patch.kind == TUPLE && patch.n);
}

// Returns the members of a patch, locations (without a color) or cells, as keys in iteration order.
ARC_FN Keys keys_of(Lane& lane, const Value& patch) {
  if (patch.n == 0) return keys_of_nothing();
  if (is_set(patch)) return {patch.keys, patch.n, true};
  Key* keys = lane.allocate_array<Key>(patch.n);
  if (!keys) return {nullptr, 0};
  each(patch.n, [=](i64 k) { keys[k] = member(patch, (u32)k).key; });
  return {keys, patch.n};
}

// Sorts keys and removes duplicates, as in a set.
ARC_FN Keys sorted_keys(Lane& lane, const Keys& keys) {
  if (keys.sorted || !keys.keys) return keys;
  Key* sorted = lane.allocate_array<Key>(keys.n);
  if (!sorted) return {nullptr, 0};
  copy(sorted, keys.keys, keys.n);
  i64 n = sort_unique_keys(lane, sorted, keys.n);
  return n < 0 ? Keys{nullptr, 0} : Keys{sorted, n, true};
}

#if defined(ARC_WARP_LANES)
// Returns the distinct places of one or more keys, with the color bits given; none if they are not close to the
// origin, or memory ran out.
ARC_FN Keys places_by_bits(Lane& lane, const Keys& keys, Key color) {
  u32 row;
  if (!bits_of_places(lane, keys.keys, keys.n, nullptr, 0, &row)) return {nullptr, 0};
  const i64 n = count_keys(row);
  Key* places = lane.allocate_array<Key>(n);
  if (!places) return {nullptr, 0};
  write_keys_of_rows(row, color | (key_of(0, 0) - NO_COLOR), places);
  sync();
  return {places, n, true};
}
#endif

// Returns an object's distinct locations, or indices unchanged: `places` of geometry.py.
ARC_CPU_NOINLINE Keys places_of(Lane& lane, const Value& patch) {
  Keys members = keys_of(lane, patch);
  if (!members.keys || !has_cells(patch)) return members;
  bool one_color = is_one_color(members);
  // These cells have the color bits of locations already.
  if (one_color && members.keys[0] >> COLOR_SHIFT == NO_COLOR >> COLOR_SHIFT) return members;
#if defined(ARC_WARP_LANES)
  if (!one_color)
    if (const Keys distinct = places_by_bits(lane, members, NO_COLOR); distinct.keys) return distinct;
#endif
  Key* places = lane.allocate_array<Key>(members.n);
  if (!places) return {nullptr, 0};
  if (W == 1 && !one_color && members.n > 8) {
    Bounds box = bounds_of(members);
    if (fits_board(box)) {
      Board board;
      board.clear(box.height());
      for (i64 k = 0; k < members.n; k++)
        board.add(row_of(members.keys[k]) - box.top, 1ULL << (column_of(members.keys[k]) - box.left));
      Key* end = places;
      for (i64 i = 0; i < box.height(); i++)
        end = keys_of_bits(board.rows[i], key_of(box.top + i, box.left), end);
      return {places, end - places, true};
    }
  }
  each(members.n, [=](i64 k) { places[k] = place_of(members.keys[k]); });
  i64 n = one_color ? members.n : sort_unique_keys(lane, places, members.n);
  return n < 0 ? Keys{nullptr, 0} : Keys{places, n, true};
}

// --- grids and patches ---

// As `height_of` and `width_of` of geometry.py: a tuple is a table, whatever its members are.
ARC_FN i64 height_of_piece(const Value& piece, const Bounds& bounds) {
  return piece.n == 0 || is_tuple(piece) ? (i64)piece.n : bounds.bottom - bounds.top + 1;
}
// Returns -1 if the first member has no width.
ARC_FN i64 width_of_piece(const Value& piece, const Bounds& bounds) {
  if (piece.n == 0) return 0;
  if (!is_tuple(piece)) return bounds.right - bounds.left + 1;
  if (piece.kind == GRID) return width_of(piece);
  Value first = member(piece, 0);
  return is_container(first) ? (i64)first.n : -1;
}

// --- grids ---

// The number of members of a row in a tuple of tuples, and a member of it.
ARC_FN i64 row_size(const Value& rows, i64 row) {
  return rows.kind == GRID ? width_of(rows) : (i64)rows.members()[row].n;
}
ARC_FN Value cell_at(const Value& rows, i64 row, i64 column) {
  return rows.kind == GRID ? number(rows.ints[row * width_of(rows) + column])
                           : member(rows.members()[row], (u32)column);
}

}  // namespace arc
