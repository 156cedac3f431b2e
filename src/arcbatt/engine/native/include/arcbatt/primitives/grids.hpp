// Grids: making, cutting, joining, scaling, coloring. language/primitives/grids.py defines the primitives.
#pragma once
#include "../geometry.hpp"
#include "numbers.hpp"

namespace arc {

// As `filter`, over cells: calls emit(row, column, place) in reading order.
template <class Keep, class Emit>
ARC_FN i64 filter_cells(i64 n_rows, i64 width, i64 first, Keep keep, Emit emit) {
#if defined(__CUDACC__)
  if (n_rows <= 0 || width <= 0) return first;
  const Counter end = (Counter)(n_rows * width);
  CellTurns at(width);
  for (Counter start = 0; start < end; start += W, at.go_on()) {
    i64 n_kept;
    const bool kept = at.i < (Counter)n_rows && keep((i64)at.i, (i64)at.j);
    const i64 before = count_before(kept, &n_kept);
    if (kept) emit((i64)at.i, (i64)at.j, first + before);
    first += n_kept;
  }
  sync();
#else
  for (i64 i = 0; i < n_rows; i++)
    for (i64 j = 0; j < width; j++)
      if (keep(i, j)) emit(i, j, first++);
#endif
  return first;
}

// --- grids as cells in memory ---

// A grid's cells row by row; if rows have unequal lengths (or are empty), also the start of each.
struct Raster {
  const i32* cells;    // null if memory ran out
  const i64* starts;   // null if all rows have the width
  i64 n_rows, width;   // of the first row
  ARC_FN i64 start(i64 row) const { return starts ? starts[row] : row * width; }
  ARC_FN i64 size(i64 row) const { return starts ? starts[row + 1] - starts[row] : width; }
  ARC_FN i64 n_cells() const { return start(n_rows); }
};
#define ARC_RASTER(name, grid)                    \
  const Raster name = raster_of(lane, grid);      \
  if (!name.cells) return fail(OVER_BUDGET)

ARC_NOINLINE Raster ragged_raster(Lane& lane, const Value& grid) {
  const i64 n = grid.n;
  i64* starts = lane.allocate_array<i64>(n + 1);
  if (!starts) return {nullptr, nullptr, 0, 0};
  i64 n_cells = serial([=]() {
    i64 at = 0;
    for (i64 i = 0; i < n; i++) {
      starts[i] = at;
      at += grid.members()[i].n;
    }
    starts[n] = at;
    return at;
  });
  i32* cells = lane.allocate_array<i32>(n_cells + 1);
  if (!cells) return {nullptr, nullptr, 0, 0};
  each(n, [=](i64 i) {
    const Value row = grid.members()[i];
    for (i64 j = 0; j < row.n; j++) cells[starts[i] + j] = row_cell(row, j);
  });
  return {cells, starts, n, n ? starts[1] : 0};
}
ARC_FN Raster raster_of(Lane& lane, const Value& grid) {
  if (grid.kind == GRID) return {grid.ints, nullptr, grid.n, width_of(grid)};
  return seldom(lane, [&](Lane& there) { return ragged_raster(there, grid); });
}

// Makes a row of numbers that stay where they are in memory.
ARC_FN Value row_value(const i32* cells, i64 n) {
  if (n == 0) return empty_tuple();
  if (n == 2) return pair_of_key(key_of(cells[0], cells[1]));
  return ints_value(INTS, cells, (u32)n);
}

// Makes a grid of other cells with rows as long as the raster's.
ARC_NOINLINE Value ragged_value(Lane& lane, const Raster& raster, const i32* cells) {
  ARC_NEW_MEMBERS(members, raster.n_rows);
  each(raster.n_rows,
       [&](i64 i) { members[i] = row_value(cells + raster.start(i), raster.size(i)); });
  return tuple_of(lane, members, raster.n_rows);
}
ARC_FN Value value_of_raster(Lane& lane, const Raster& raster, const i32* cells) {
  if (!raster.starts) return grid_value(cells, (u32)raster.n_rows, (u32)raster.width);
  return seldom(lane, [=](Lane& there) { return ragged_value(there, raster, cells); });
}

// Makes one or more empty rows.
ARC_NOINLINE Value make_empty_rows(Lane& lane, i64 n) {
  ARC_NEW_MEMBERS(members, n);
  each(n, [=](i64 k) { members[k] = empty_tuple(); });
  return tuple_of(lane, members, n);
}
ARC_FN Value empty_rows(Lane& lane, i64 n) {
  return seldom(lane, [=](Lane& there) { return make_empty_rows(there, n); });
}
// Makes a grid of n_rows >= 1 rows from cells in memory; the width may be 0.
ARC_FN Value rows_value(Lane& lane, const i32* cells, i64 n_rows, i64 width) {
  return width ? grid_value(cells, (u32)n_rows, (u32)width) : empty_rows(lane, n_rows);
}

// Returns whether the row and column of every cell are in the range of numbers.
ARC_FN bool are_locations(i64 n_rows, i64 width) {
  return n_rows <= MAX_NUMBER + 1 && width <= MAX_NUMBER + 1;
}

// Returns the locations for which keep(row, column) is true.
template <class Keep>
ARC_FN Value locations_where(Lane& lane, i64 n_rows, i64 width, Keep keep) {
  if (!are_locations(n_rows, width)) {
    auto beyond = [&](i64 i, i64 j) { return (i > MAX_NUMBER || j > MAX_NUMBER) && keep(i, j); };
    auto nothing = [](i64, i64, i64) {};
    if (filter_cells(n_rows, width, 0, beyond, nothing)) {
      ARC_REQUIRE(3 * filter_cells(n_rows, width, 0, keep, nothing));
      return fail(OUT_OF_RANGE);
    }
  }
  ARC_ALLOCATE(keys, Key, n_rows * width + 1);
  const Key first = key_of(0, 0);
  i64 n = filter_cells(n_rows, width, 0, keep, [=](i64 i, i64 j, i64 place) {
    keys[place] = first + ((Key)i << LINE_ROW) + (Key)j;
  });
  give_back(lane, keys, n);
  return keys_value(INDICES, keys, (u32)n);
}

// --- colors ---

constexpr int N_COLORS = 10;

// Counts the numbers at(k) for k below n into counts[0..9]; returns false if one of them is not a color. Each thread
// counts in ten fields of 6 bits until they are full, then adds them to fields of 16 bits.
template <class At>
ARC_FN bool count_colors(i64 n, At at, u32* counts) {
  constexpr i64 MOST = 63;
  for (int c = 0; c < N_COLORS; c++) counts[c] = 0;
  for (i64 start = 0; start < n; start += MOST * W) {
    u64 packed = 0;
    bool others = false;
    auto count = [&](u32 c) {
      const bool other = c >= (u32)N_COLORS;
      others |= other;
      packed += 1ULL << (other ? 0 : 6 * c);
    };
    const Counter end = (Counter)min_of(n - start, MOST * W);
    Counter k = thread_index();
    for (; k + 3 * W < end; k += 4 * W) {  // four loads at a time
      const u32 a = (u32)at(start + k), b = (u32)at(start + k + W), c = (u32)at(start + k + 2 * W),
                d = (u32)at(start + k + 3 * W);
      count(a);
      count(b);
      count(c);
      count(d);
    }
    for (; k < end; k += W) count((u32)at(start + k));
    if (any_thread(others)) return false;
    for (int c = 0; c < N_COLORS; c += 2) {
      const u32 two = (u32)(packed >> 6 * c) & 4095;
      const u32 all = sum_of_threads((two & MOST) | two >> 6 << 16);
      counts[c] += all & 0xffff;
      counts[c + 1] += all >> 16;
    }
  }
  return true;
}

// The colors of a grid's or object's cells, one per cell.
struct Colors {
  const i32* ints;  // of a grid
  const Key* keys;  // of an object
  i64 n;            // -1 if memory ran out
  ARC_FN i32 at(i64 k) const { return ints ? ints[k] : color_of(keys[k]); }
};
ARC_FN Colors colors_of(Lane& lane, const Value& element) {
  if (element.n == 0) return {nullptr, nullptr, 0};
  if (is_set(element)) return {nullptr, element.keys, element.n};
  const Raster raster = raster_of(lane, element);
  return {raster.cells, nullptr, raster.cells ? raster.n_cells() : -1};
}

#if defined(__CUDACC__)
ARC_FN bool count_cells(const i32* cells, i64 n, u32* counts) {
  return count_colors(n, [=](i64 k) { return cells[k]; }, counts);
}
#else
// Ten comparisons of many cells at a time are faster than a table lookup per cell.
ARC_CLONED static void count_each_color(const i32* cells, i64 n, u32* counts) {
  for (i32 c = 0; c < N_COLORS; c++) {
    u32 count = 0;
    for (i64 k = 0; k < n; k++) count += cells[k] == c;
    counts[c] = count;
  }
}
ARC_FN bool count_cells(const i32* cells, i64 n, u32* counts) {
  count_each_color(cells, n, counts);
  i64 n_counted = 0;
  for (int c = 0; c < N_COLORS; c++) n_counted += counts[c];
  return n_counted == n;
}
// Finds, row by row, which of up to 32 cells have a color, as bits.
ARC_CLONED static void rows_of_color(const i32* cells, i64 n_rows, i64 width, i32 color, u32* rows) {
  for (i64 i = 0; i < n_rows; i++) {
    const i32* row = cells + i * width;
    u32 bits = 0;
    for (u32 j = 0; j < (u32)width; j++) bits |= (u32)(row[j] == color) << j;
    rows[i] = bits;
  }
}
#endif

ARC_FN bool count_colors(const Colors& colors, u32* counts) {
  if (colors.ints) return count_cells(colors.ints, colors.n, counts);
  const Key* keys = colors.keys;
  return count_colors(colors.n, [=](i64 k) { return color_of(keys[k]); }, counts);
}

// The colors that occur, ascending, and the number of cells of each.
struct Palette {
  const i32* colors;  // null if memory ran out
  const i32* counts;
  i64 n;
};
#define ARC_PALETTE(name, element)                 \
  const Palette name = palette_of(lane, element);    \
  if (!name.colors) return fail(OVER_BUDGET)

// For any numbers: sorts them, then counts each run.
ARC_NOINLINE Palette palette_by_sorting(Lane& lane, const Colors& all) {
  const i64 n = all.n;
  Key* keys = lane.allocate_array<Key>(n + 1);
  i32* colors = lane.allocate_array<i32>(n + 1);
  i32* starts = lane.allocate_array<i32>(n + 1);
  if (!keys || !colors || !starts) return {nullptr, nullptr, 0};
  each(n, [=](i64 k) { keys[k] = key_of_number(all.at(k)); });
  if (!sort_keys(lane, keys, n)) return {nullptr, nullptr, 0};
  i64 n_runs = filter(
      n, 0, [=](i64 k) { return k == 0 || keys[k] != keys[k - 1]; },
      [=](i64 k, i64 place) {
        colors[place] = (i32)keys[k] - KEY_BIAS;
        starts[place] = (i32)k;
      });
  i32* counts = lane.allocate_array<i32>(n_runs + 1);
  if (!counts) return {nullptr, nullptr, 0};
  each(n_runs, [=](i64 k) { counts[k] = (k + 1 < n_runs ? starts[k + 1] : (i32)n) - starts[k]; });
  return {colors, counts, n_runs};
}
ARC_FN Palette palette_of(Lane& lane, const Value& element) {
  const Colors all = colors_of(lane, element);
  if (all.n < 0) return {nullptr, nullptr, 0};
  u32 table[N_COLORS];
  if (!count_colors(all, table)) return palette_by_sorting(lane, all);
  i32* colors = lane.allocate_array<i32>(2 * N_COLORS);
  if (!colors) return {nullptr, nullptr, 0};
  i32* counts = colors + N_COLORS;
  i64 n = filter(
      N_COLORS, 0, [&](i64 c) { return table[c] != 0; },
      [&](i64 c, i64 place) {
        colors[place] = (i32)c;
        counts[place] = (i32)table[c];
      });
  return {colors, counts, n};
}

// `background` of geometry.py: the most common color, or the rarest that occurs, the lowest of several. The reason is
// OK, EMPTY if there are no cells, or OVER_BUDGET.
struct Background {
  Reason reason;
  i64 color;
};
ARC_NOINLINE Background background_by_sorting(Lane& lane, const Colors& all, bool rarest) {
  const Palette palette = palette_by_sorting(lane, all);
  if (!palette.colors) return {OVER_BUDGET, 0};
  const i32* counts = palette.counts;
  i64 best = rarest ? least(palette.n, all.n, [=](i64 k) { return counts[k]; })
                    : greatest(palette.n, 0, [=](i64 k) { return counts[k]; });
  return {OK, palette.colors[first_where(palette.n, [=](i64 k) { return counts[k] == best; })]};
}
ARC_CPU_NOINLINE Reason background_of(Lane& lane, const Value& element, i64* color, bool rarest = false) {
  const Colors all = colors_of(lane, element);
  if (all.n < 0) return OVER_BUDGET;
  if (all.n == 0) return EMPTY;
  u32 table[N_COLORS];
  if (count_colors(all, table)) {
    u32 best = 0;
    for (u32 c = 0; c < (u32)N_COLORS; c++)
      // Complements of counts find the rarest; a count of 0 never wins.
      if (u32 count = rarest && table[c] ? ~table[c] : table[c]; count > best) {
        best = count;
        *color = c;
      }
    return OK;
  }
  const Background sorted = seldom(lane, [=](Lane& there) { return background_by_sorting(there, all, rarest); });
  *color = sorted.color;
  return sorted.reason;
}

ARC_FN Value prim_mostcolor(Lane& lane, const Value* a) {
  i64 color = 0;
  Reason reason = background_of(lane, a[0], &color);
  return reason == OK ? number(color) : fail(reason);
}
ARC_FN Value prim_leastcolor(Lane& lane, const Value* a) {
  i64 color = 0;
  Reason reason = background_of(lane, a[0], &color, true);
  return reason == OK ? number(color) : fail(reason);
}
ARC_FN Value prim_colorcount(Lane& lane, const Value* a) {
  const Colors colors = colors_of(lane, a[0]);
  if (colors.n < 0) return fail(OVER_BUDGET);
  const i32 value = (i32)a[1].number;
  const i32* ints = colors.ints;
  const Key* keys = colors.keys;
  return number(ints ? total(colors.n, [=](i64 k) { return ints[k] == value; })
                     : total(colors.n, [=](i64 k) { return color_of(keys[k]) == value; }));
}
ARC_FN Value prim_palette(Lane& lane, const Value* a) {
  ARC_PALETTE(palette, a[0]);
  return palette.n ? ints_value(INTSET, palette.colors, (u32)palette.n) : empty_set();
}
ARC_FN Value prim_p_g(Lane& lane, const Value* a) {
  ARC_PALETTE(palette, a[0]);
  return row_value(palette.colors, palette.n);
}
ARC_FN Value prim_numcolors(Lane& lane, const Value* a) {
  ARC_PALETTE(palette, a[0]);
  return number(palette.n);
}

// Returns the grid with f(cell) for each cell.
template <class F>
ARC_FN Value map_cells(Lane& lane, const Value& grid, F f) {
  ARC_RASTER(raster, grid);
  const i32* from = raster.cells;
  i64 n = raster.n_cells();
  ARC_ALLOCATE(cells, i32, n + 1);
  each(n, [=](i64 k) { cells[k] = f(from[k]); });
  return value_of_raster(lane, raster, cells);
}
ARC_FN Value prim_replace(Lane& lane, const Value* a) {
  const i32 replacee = (i32)a[1].number, replacer = (i32)a[2].number;
  return map_cells(lane, a[0], [=](i32 cell) { return cell == replacee ? replacer : cell; });
}
ARC_FN Value prim_switch(Lane& lane, const Value* a) {
  const i32 x = (i32)a[1].number, y = (i32)a[2].number;
  return map_cells(lane, a[0], [=](i32 cell) { return cell == x ? y : cell == y ? x : cell; });
}

// --- cells and locations ---

ARC_FN Value prim_asindices(Lane& lane, const Value* a) {
  const i64 n_rows = a[0].n, width = n_rows ? row_size(a[0], 0) : 0, n = n_rows * width;
  ARC_REQUIRE(3 * (u64)n);
  if (n == 0) return empty_set();
  if (!are_locations(n_rows, width)) return fail(OUT_OF_RANGE);
  ARC_ALLOCATE(keys, Key, n);
  each_in_grid(n_rows, width, [=](i64 i, i64 j) { keys[i * width + j] = key_of(i, j); });
  return keys_value(INDICES, keys, (u32)n);
}

#if defined(__CUDACC__)
// Calls emit(k, place) for all k below n, with places in the order of the colors at(k), then of k; `counts` has the
// number of each color.
template <class At, class Emit>
ARC_FN void each_by_color(i64 n, const u32* counts, At at, Emit emit) {
#if defined(ARC_WARP_LANES)
  const int t = thread_index();
  u32 colors = 0, next = 0, start = 0;  // thread c has the next place of color c
#pragma unroll
  for (int c = 0; c < N_COLORS; c++) {
    if (t == c) next = start;
    start += counts[c];
    colors |= (u32)(counts[c] != 0) << c;
  }
  for (Counter first = 0; first < (Counter)n; first += W) {
    const Counter k = first + t;
    const i32 color = k < (Counter)n ? at((i64)k) : -1;
    u32 place = 0;
    for (u32 left = colors; left; left &= left - 1) {
      const int c = lowest_bit(left);
      const u32 those = ballot(color == c), before = shuffle(next, c);
      if (color == c) place = before + (u32)count_bits(those & ((1u << t) - 1));
      if (t == c) next += (u32)count_bits(those);
    }
    if (k < (Counter)n) emit((i64)k, (i64)place);
  }
  sync();
#else
  i64 start = 0;
  for (i32 c = 0; c < N_COLORS; c++)
    if (counts[c]) start = filter(n, start, [&](i64 k) { return at(k) == c; }, emit);
#endif
}
#endif

// Makes an object of keys in the order of their places, each of which occurs once: only the colors are out of order.
ARC_FN Value object_of_places(Lane& lane, Key* keys, i64 n) {
  if (n == 0) return empty_set();
#if defined(ARC_WARP_LANES)
  if (n <= W) {  // one key per thread
    const int t = thread_index();
    const Key key = t < n ? keys[t] : 0;
    const i32 color = t < n ? color_of(key) : -1;
    if (any_thread(color >= N_COLORS || (t < n && color < 0))) return set_of_keys(lane, OBJECT, keys, n);
    int start = 0, place = 0;
#pragma unroll
    for (int c = 0; c < N_COLORS; c++) {
      const u32 those = ballot(color == c);
      if (color == c) place = start + count_bits(those & ((1u << t) - 1));
      start += count_bits(those);
    }
    if (t < n) keys[place] = key;
    sync();
    return keys_value(OBJECT, keys, (u32)n);
  }
#endif
  u32 counts[N_COLORS];
  if (!count_colors(n, [=](i64 k) { return color_of(keys[k]); }, counts))
    return set_of_keys(lane, OBJECT, keys, n);
  if (counts[color_of(keys[0])] == n) return keys_value(OBJECT, keys, (u32)n);
  ARC_ALLOCATE(sorted, Key, n);
  if (W == 1) {
    u32 next[N_COLORS], start = 0;
    for (int c = 0; c < N_COLORS; c++) {
      next[c] = start;
      start += counts[c];
    }
    for (i64 k = 0; k < n; k++) sorted[next[color_of(keys[k])]++] = keys[k];
  }
#if defined(__CUDACC__)
  each_by_color(
      n, counts, [=](i64 k) { return color_of(keys[k]); },
      [=](i64 k, i64 place) { sorted[place] = keys[k]; });
#endif
  return keys_value(OBJECT, sorted, (u32)n);
}

ARC_FN Value prim_asobject(Lane& lane, const Value* a) {
  ARC_RASTER(raster, a[0]);
  const i64 n = raster.n_cells();
  if (n == 0) return empty_set();
  const i64 longest = raster.starts ? greatest(raster.n_rows, 0, [&](i64 i) { return raster.size(i); })
                                    : raster.width;
  const i32* cells = raster.cells;
  // An empty row has no location, however far down it is.
  const bool ok = are_locations(raster.n_rows, longest) ||
                  (are_locations(0, longest) &&
                   !any(raster.n_rows, [&](i64 i) { return i > MAX_NUMBER && raster.size(i); }));
  if (!ok) {
    ARC_REQUIRE(5 * (u64)n);
    return fail(OUT_OF_RANGE);
  }
  ARC_ALLOCATE(keys, Key, n);
  if (raster.starts) {
    each(raster.n_rows, [&](i64 i) {
      for (i64 k = raster.start(i), j = 0; j < raster.size(i); j++)
        keys[k + j] = key_of(cells[k + j], i, j);
    });
    return object_of_places(lane, keys, n);
  }
  const i64 n_rows = raster.n_rows, width = raster.width;
  u32 counts[N_COLORS];
  if (!count_colors(n, [=](i64 k) { return cells[k]; }, counts)) {
    each_in_grid(n_rows, width, [=](i64 i, i64 j) {
      keys[i * width + j] = key_of(cells[i * width + j], i, j);
    });
    return set_of_keys(lane, OBJECT, keys, n);
  }
  if (W == 1) {
    u32 next[N_COLORS], start = 0;
    for (int c = 0; c < N_COLORS; c++) {
      next[c] = start;
      start += counts[c];
    }
    const i32* cell = cells;
    for (i64 i = 0; i < n_rows; i++)
      for (i64 j = 0; j < width; j++, cell++) keys[next[*cell]++] = key_of(*cell, i, j);
  }
#if defined(__CUDACC__)
  each_by_color(
      n, counts, [=](i64 k) { return cells[k]; },
      [=](i64 k, i64 place) {
        const u32 i = (u32)k / (u32)width;
        keys[place] = key_of(cells[k], i, (u32)k - i * (u32)width);
      });
#endif
  return keys_value(OBJECT, keys, (u32)n);
}

ARC_NOINLINE Value ofcolor_ragged(Lane& lane, const Value& grid, i64 value) {
  ARC_RASTER(raster, grid);
  ARC_ALLOCATE(keys, Key, raster.n_cells() + 1);
  i64 n = 0;
  bool beyond = false;
  for (i64 i = 0; i < raster.n_rows; i++) {
    const i32* row = raster.cells + raster.start(i);
    const i64 size = raster.size(i);
    if (!are_locations(i + 1, size))
      beyond |= any(size, [=](i64 j) { return (i > MAX_NUMBER || j > MAX_NUMBER) && row[j] == value; });
    n = filter(
        size, n, [=](i64 j) { return row[j] == value; },
        [=](i64 j, i64 place) { keys[place] = key_of(i, j); });
  }
  if (beyond) {
    ARC_REQUIRE(3 * (u64)n);
    return fail(OUT_OF_RANGE);
  }
  give_back(lane, keys, n);
  return keys_value(INDICES, keys, (u32)n);
}
ARC_FN Value prim_ofcolor(Lane& lane, const Value* a) {
  const i64 value = a[1].number;
  if (a[0].kind != GRID) return seldom(lane, [&](Lane& there) { return ofcolor_ragged(there, a[0], value); });
  const i32* cells = a[0].ints;
  const i64 width = width_of(a[0]);
#if !defined(__CUDACC__)
  if (width <= 32 && a[0].n <= 32) {
    u32 rows[32];
    rows_of_color(cells, a[0].n, width, (i32)value, rows);
    ARC_ALLOCATE(keys, Key, a[0].n * width);
    i64 n = 0;
    for (i64 i = 0; i < a[0].n; i++) {
      const Key row = key_of(i, 0);
      for (u32 bits = rows[i]; bits; bits &= bits - 1) keys[n++] = row + lowest_bit(bits);
    }
    give_back(lane, keys, n);
    return keys_value(INDICES, keys, (u32)n);
  }
#endif
  const Counter step = (Counter)width;
  const i32 color = (i32)value;
  return locations_where(lane, a[0].n, width,
                         [=](Counter i, Counter j) { return cells[i * step + j] == color; });
}

ARC_FN Value prim_index(Lane&, const Value* a) {
  if (a[0].n == 0) return fail(EMPTY);
  const i64 i = row_of(a[1].key), j = column_of(a[1].key);
  if (i < 0 || i >= (i64)a[0].n || j < 0 || j >= row_size(a[0], 0)) return none_value();
  return j < row_size(a[0], i) ? cell_at(a[0], i, j) : fail(OUT_OF_RANGE);
}

// --- painting ---

// The positions in a raster of keys that are moved by an offset.
struct Spots {
  Raster raster;
  const Key* keys;
  i64 n, di, dj;

  // Returns the index of a key's cell in the raster; -1 outside.
  ARC_FN i64 operator()(i64 k) const {
    const Key key = keys[k];
    const u32 i = (u32)(row_of(key) + (i32)di), j = (u32)(column_of(key) + (i32)dj);
    if (i >= (u32)raster.n_rows || j >= (u32)raster.width) return -1;
    return raster.starts ? raster.starts[i] + j : (i64)(i * (u32)raster.width + j);
  }
  // Returns whether a key is inside the grid's dimensions but beyond the end of its row.
  ARC_FN bool miss() const {
    if (!raster.starts) return false;
    return any(n, [&](i64 k) {
      i64 i = row_of(keys[k]) + di, j = column_of(keys[k]) + dj;
      if ((u64)i >= (u64)raster.n_rows || (u64)j >= (u64)raster.width) return false;
      return j >= raster.size(i);
    });
  }
};

// Paints the spots in one color; with `under`, only where the raster has the color `bare`.
ARC_FN void fill_spots(const Spots& spots, i32* cells, i32 value, bool under, i32 bare) {
  const i32* before = spots.raster.cells;
  each(spots.n, [&](i64 k) {
    i64 spot = spots(k);
    if (spot >= 0 && (!under || before[spot] == bare)) cells[spot] = value;
  });
}

// Paints the keys' colors at their spots in order, so that the last of several at one spot wins; with `under`, the
// first one other than `bare`. `cells` starts with the raster's cells. Returns false if memory ran out.
ARC_FN bool paint_spots(Lane& lane, const Spots& spots, i32* cells, bool under, i32 bare, bool one_color) {
  if (W == 1) {
    for (i64 k = 0; k < spots.n; k++) {
      i64 spot = spots(k);
      if (spot >= 0 && (!under || cells[spot] == bare)) cells[spot] = color_of(spots.keys[k]);
    }
    return true;
  }
  // Paint all at the same time; if fewer spots were painted than there are keys, some keys share a spot.
  const i32* before = spots.raster.cells;
  auto paints = [&](i64 spot) { return spot >= 0 && (!under || before[spot] == bare); };
  bool several = false;
#if defined(ARC_WARP_LANES)
  const bool by_bits = !one_color && !spots.raster.starts && spots.raster.n_rows <= W && spots.raster.width <= 32;
  if (by_bits) {
    u32* words = shared_words(lane);
    write_shared(words + thread_index(), 0);
    sync();
    u32 n_painted = 0;
    each(spots.n, [&](i64 k) {
      const Key key = spots.keys[k];
      const u32 i = (u32)(row_of(key) + (i32)spots.di), j = (u32)(column_of(key) + (i32)spots.dj);
      if (i >= (u32)spots.raster.n_rows || j >= (u32)spots.raster.width) return;
      const u32 spot = i * (u32)spots.raster.width + j;
      if (under && before[spot] != bare) return;
      cells[spot] = color_of(key);
      atomic_or_shared(words + i, 1u << j);
      n_painted++;
    });
    several = sum_of_threads(n_painted - (u32)count_bits(read_shared(words + thread_index()))) != 0;
    sync();
  } else
#endif
  {
    each(spots.n, [&](i64 k) {
      i64 spot = spots(k);
      if (paints(spot)) cells[spot] = color_of(spots.keys[k]);
    });
    // Detect keys whose color was overwritten.
    several = !one_color && any(spots.n, [&](i64 k) {
      i64 spot = spots(k);
      return paints(spot) && cells[spot] != color_of(spots.keys[k]);
    });
  }
  if (!several) return true;
  // By cell, the key that wins: the last, or the first that shows.
  const i64 n_cells = spots.raster.n_cells();
  i32* winners = lane.allocate_array<i32>((u64)n_cells);
  if (!winners) return false;
  const i32 no_winner = under ? 0x7fffffff : -1;
  each(n_cells, [=](i64 spot) { winners[spot] = no_winner; });
  each(spots.n, [&](i64 k) {
    const i64 spot = spots(k);
    if (!paints(spot)) return;
    if (!under)
      atomic_max(winners + spot, (i32)k);
    else if (color_of(spots.keys[k]) != bare)
      atomic_min(winners + spot, (i32)k);
  });
  each(n_cells, [&](i64 spot) {
    if (winners[spot] != no_winner) cells[spot] = color_of(spots.keys[winners[spot]]);
  });
  return true;
}

ARC_FN i32* copied_cells(Lane& lane, const Raster& raster) {
  i64 n = raster.n_cells();
  i32* cells = lane.allocate_array<i32>(n + 1);
  if (cells) copy(cells, raster.cells, n);
  return cells;
}
#define ARC_COPIED_CELLS(name, raster)             \
  i32* name = copied_cells(lane, raster);          \
  if (!name) return fail(OVER_BUDGET)

ARC_FN Value filled(Lane& lane, const Value& grid, i64 value, const Value& patch, bool under, i64 bare) {
  ARC_RASTER(raster, grid);
  // Locations need not be distinct: all get the same color.
  ARC_KEYS(keys, keys_of(lane, patch));
  const Spots spots = {raster, keys.keys, keys.n, 0, 0};
  if (spots.miss()) return fail(OUT_OF_RANGE);
  ARC_COPIED_CELLS(cells, raster);
  fill_spots(spots, cells, (i32)value, under, (i32)bare);
  return value_of_raster(lane, raster, cells);
}
ARC_FN Value painted(Lane& lane, const Value& grid, const Value& obj, bool under, i64 bare) {
  ARC_RASTER(raster, grid);
  ARC_KEYS(keys, keys_of(lane, obj));
  const Spots spots = {raster, keys.keys, keys.n, 0, 0};
  if (spots.miss()) return fail(OUT_OF_RANGE);
  ARC_COPIED_CELLS(cells, raster);
  const bool one_color = keys.n && is_one_color(keys);
  if (!paint_spots(lane, spots, cells, under, (i32)bare, one_color)) return fail(OVER_BUDGET);
  return value_of_raster(lane, raster, cells);
}

ARC_CPU_NOINLINE Value prim_fill(Lane& lane, const Value* a) {
  if (a[0].n == 0) return fail(EMPTY);
  return filled(lane, a[0], a[1].number, a[2], false, 0);
}
ARC_CPU_NOINLINE Value prim_paint(Lane& lane, const Value* a) {
  if (a[0].n == 0) return fail(EMPTY);
  return painted(lane, a[0], a[1], false, 0);
}
ARC_CPU_NOINLINE Value prim_underfill(Lane& lane, const Value* a) {
  i64 bare = 0;
  if (Reason reason = background_of(lane, a[0], &bare); reason != OK) return fail(reason);
  return filled(lane, a[0], a[1].number, a[2], true, bare);
}
ARC_CPU_NOINLINE Value prim_underpaint(Lane& lane, const Value* a) {
  i64 bare = 0;
  if (Reason reason = background_of(lane, a[0], &bare); reason != OK) return fail(reason);
  return painted(lane, a[0], a[1], true, bare);
}
ARC_CPU_NOINLINE Value prim_cover(Lane& lane, const Value* a) {
  i64 bare = 0;
  if (Reason reason = background_of(lane, a[0], &bare); reason != OK) return fail(reason);
  return filled(lane, a[0], bare, a[1], false, 0);
}
ARC_NOINLINE Value prim_move(Lane& lane, const Value* a) {
  i64 bare = 0;
  if (Reason reason = background_of(lane, a[0], &bare); reason != OK) return fail(reason);
  ARC_RASTER(raster, a[0]);
  Keys keys = keys_of(lane, a[1]);
  if (!keys.keys) return fail(OVER_BUDGET);
  if (is_tuple(a[1]) && keys.n) {
    // Moving makes a set of it, so it is painted in the order of its cells, not of the tuple.
    ARC_ALLOCATE(sorted, Key, keys.n);
    copy(sorted, keys.keys, keys.n);
    i64 n = sort_unique_keys(lane, sorted, keys.n);
    if (n < 0) return fail(OVER_BUDGET);
    keys = {sorted, n};
  }
  const Spots here = {raster, keys.keys, keys.n, 0, 0};
  const Spots there = {raster, keys.keys, keys.n, row_of(a[2].key), column_of(a[2].key)};
  if (here.miss() || there.miss()) return fail(OUT_OF_RANGE);
  ARC_COPIED_CELLS(cells, raster);
  fill_spots(here, cells, (i32)bare, false, 0);
  if (!paint_spots(lane, there, cells, false, 0, false)) return fail(OVER_BUDGET);
  return value_of_raster(lane, raster, cells);
}

ARC_EFFORT(canvas, (u64)max_of(0, row_of(args[1].key)) * (u64)max_of(0, column_of(args[1].key)))
ARC_FN Value prim_canvas(Lane& lane, const Value* a) {
  const i64 high = max_of(0, row_of(a[1].key)), wide = max_of(0, column_of(a[1].key));
  ARC_REQUIRE((u64)(high * (1 + wide)));
  if (high == 0) return empty_tuple();
  const i32 value = (i32)a[0].number;
  ARC_ALLOCATE(cells, i32, high * wide + 1);
  each(high * wide, [=](i64 k) { cells[k] = value; });
  return rows_value(lane, cells, high, wide);
}

ARC_FN Value prim_cellwise(Lane& lane, const Value* a) {
  if (a[0].n == 0) return fail(EMPTY);
  ARC_RASTER(x, a[0]);
  ARC_RASTER(y, a[1]);
  const i64 n_rows = x.n_rows, width = x.width;
  if (width == 0) return empty_rows(lane, n_rows);
  if (y.n_rows < n_rows) return fail(OUT_OF_RANGE);
  if (x.starts || y.starts) {
    if (any(n_rows, [&](i64 i) { return x.size(i) < width || y.size(i) < width; }))
      return fail(OUT_OF_RANGE);
  } else if (y.width < width) {
    return fail(OUT_OF_RANGE);
  }
  const i32 fallback = (i32)a[2].number;
  ARC_ALLOCATE(cells, i32, n_rows * width);
  each_in_grid(n_rows, width, [&](i64 i, i64 j) {
    i32 cell = x.cells[x.start(i) + j];
    cells[i * width + j] = cell == y.cells[y.start(i) + j] ? cell : fallback;
  });
  return grid_value(cells, (u32)n_rows, (u32)width);
}

ARC_FN Value prim_where_color(Lane& lane, const Value* a) {
  if (a[0].n == 0) return fail(EMPTY);
  ARC_RASTER(key, a[0]);
  ARC_RASTER(x, a[2]);
  ARC_RASTER(y, a[3]);
  const i64 n_rows = key.n_rows, width = key.width;
  if (width == 0) return empty_rows(lane, n_rows);
  if (min_of(x.n_rows, y.n_rows) < n_rows) return fail(OUT_OF_RANGE);
  if (any(n_rows, [&](i64 i) { return key.size(i) < width || x.size(i) < width || y.size(i) < width; }))
    return fail(OUT_OF_RANGE);
  const i32 color = (i32)a[1].number;
  ARC_ALLOCATE(cells, i32, n_rows * width);
  each_in_grid(n_rows, width, [&](i64 i, i64 j) {
    cells[i * width + j] =
        key.cells[key.start(i) + j] == color ? x.cells[x.start(i) + j] : y.cells[y.start(i) + j];
  });
  return grid_value(cells, (u32)n_rows, (u32)width);
}

// --- turning, cutting, joining ---

// For a cell at row i and column j of a table, the cell of another table that it is taken from.
struct Walk {
  i64 row, row_by_i, row_by_j;
  i64 column, column_by_i, column_by_j;
};

// Makes a table of a given size from cells of another one.
ARC_NOINLINE Value picked(Lane& lane, const Value& rows, i64 n_rows, i64 width, const Walk& walk) {
  if (n_rows == 0) return empty_tuple();
  if (width == 0) return empty_rows(lane, n_rows);
  ARC_NEW_MEMBERS(members, n_rows);
  for (i64 i = 0; i < n_rows; i++) {
    ARC_NEW_MEMBERS(row, width);
    each(width, [&](i64 j) {
      row[j] = cell_at(rows, walk.row + i * walk.row_by_i + j * walk.row_by_j,
                       walk.column + i * walk.column_by_i + j * walk.column_by_j);
    });
    Value made = tuple_of(lane, row, width);
    if (made.failed()) return made;
    if (thread_index() == 0) members[i] = made;
  }
  sync();
  return tuple_of(lane, members, n_rows);
}

// Returns the number of columns that all rows have.
ARC_FN i64 n_columns_of(const Value& rows) {
  if (rows.kind == GRID) return width_of(rows);
  return rows.n ? least(rows.n, rows.members()[0].n, [&](i64 i) { return rows.members()[i].n; }) : 0;
}

ARC_FN Value prim_rot90(Lane& lane, const Value* a) {
  const i64 n = a[0].n, width = n_columns_of(a[0]);
  if (a[0].kind != GRID)
    return width ? picked(lane, a[0], width, n, {n - 1, 0, -1, 0, 1, 0}) : empty_tuple();
  const i32* from = a[0].ints + (n - 1) * width;
  ARC_ALLOCATE(cells, i32, n * width);
  each_in_grid(width, n, [=](i64 i, i64 j) { cells[i * n + j] = from[i - j * width]; });
  return grid_value(cells, (u32)width, (u32)n);
}
ARC_FN Value prim_rot270(Lane& lane, const Value* a) {
  const i64 n = a[0].n, width = n_columns_of(a[0]);
  if (a[0].kind != GRID)
    return width ? picked(lane, a[0], width, n, {0, 0, 1, width - 1, -1, 0}) : empty_tuple();
  const i32* from = a[0].ints + (width - 1);
  ARC_ALLOCATE(cells, i32, n * width);
  each_in_grid(width, n, [=](i64 i, i64 j) { cells[i * n + j] = from[j * width - i]; });
  return grid_value(cells, (u32)width, (u32)n);
}
ARC_FN Value prim_rot180(Lane& lane, const Value* a) {
  const i64 n = a[0].n;
  if (a[0].kind == GRID) {
    const i64 size = n * width_of(a[0]);
    const i32* last = a[0].ints + (size - 1);
    ARC_ALLOCATE(cells, i32, size);
    each(size, [=](i64 k) { cells[k] = last[-k]; });
    return grid_value(cells, (u32)n, (u32)width_of(a[0]));
  }
  ARC_NEW_MEMBERS(members, n);
  for (i64 i = 0; i < n; i++) {
    const Value row = a[0].members()[n - 1 - i];
    ARC_NEW_MEMBERS(turned, row.n);
    each(row.n, [=](i64 j) { turned[j] = member(row, (u32)(row.n - 1 - j)); });
    Value made = tuple_of(lane, turned, row.n);
    if (made.failed()) return made;
    if (thread_index() == 0) members[i] = made;
  }
  sync();
  return tuple_of(lane, members, n);
}

// Returns the position of a start or end of a Python slice in a tuple of n members.
ARC_FN i64 slice_bound(i64 at, i64 n) { return at < 0 ? max_of<i64>(0, at + n) : min_of(at, n); }

// Returns the members from start up to stop, both from 0 to n; none if stop comes first.
ARC_FN Value slice_of(Lane& lane, const Value& tuple, i64 start, i64 stop) {
  const i64 n = stop - start;
  if (n <= 0) return empty_tuple();
  if (n == (i64)tuple.n) return tuple;
  if (tuple.kind == GRID)
    return grid_value(tuple.ints + start * width_of(tuple), (u32)n, (u32)width_of(tuple));
  if (tuple.kind == INTS) return row_value(tuple.ints + start, n);
  ARC_NEW_MEMBERS(members, n);
  each(n, [&](i64 k) { members[k] = member(tuple, (u32)(start + k)); });
  return tuple_of(lane, members, n);
}

// Returns rows[top:bottom], with [left:right] of each row, as in Python.
ARC_CPU_NOINLINE Value cut(Lane& lane, const Value& rows, i64 top, i64 bottom, i64 left, i64 right) {
  top = slice_bound(top, rows.n);
  const i64 high = slice_bound(bottom, rows.n) - top;
  if (high <= 0) return empty_tuple();
  if (rows.kind == GRID) {
    const i64 width = width_of(rows), start = slice_bound(left, width);
    const i64 wide = slice_bound(right, width) - start;
    if (wide <= 0) return empty_rows(lane, high);
    const i32* from = rows.ints + top * width + start;
    // Whole rows, or a part of one row: the cells are contiguous already.
    if (wide == width || high == 1) return grid_value(from, (u32)high, (u32)wide);
    ARC_ALLOCATE(cells, i32, high * wide);
    const Counter step = (Counter)width, to_step = (Counter)wide;
    each_in_grid(high, wide, [=](Counter i, Counter j) { cells[i * to_step + j] = from[i * step + j]; });
    return grid_value(cells, (u32)high, (u32)wide);
  }
  ARC_NEW_MEMBERS(members, high);
  for (i64 i = 0; i < high; i++) {
    const Value row = rows.members()[top + i];
    Value part = slice_of(lane, row, slice_bound(left, row.n), slice_bound(right, row.n));
    if (part.failed()) return part;
    if (thread_index() == 0) members[i] = part;
  }
  sync();
  return tuple_of(lane, members, high);
}

ARC_FN Value prim_crop(Lane& lane, const Value* a) {
  const i64 i = row_of(a[1].key), j = column_of(a[1].key);
  return cut(lane, a[0], i, i + row_of(a[2].key), j, j + column_of(a[2].key));
}
ARC_FN Value prim_trim(Lane& lane, const Value* a) { return cut(lane, a[0], 1, -1, 1, -1); }
ARC_FN Value prim_tophalf(Lane& lane, const Value* a) { return slice_of(lane, a[0], 0, a[0].n / 2); }
ARC_FN Value prim_bottomhalf(Lane& lane, const Value* a) {
  return slice_of(lane, a[0], a[0].n / 2 + a[0].n % 2, a[0].n);
}

// Returns some of the columns that all rows have; without columns there are no rows.
ARC_FN Value columns_from(Lane& lane, const Value& rows, i64 first, i64 n) {
  if (n == 0) return empty_tuple();
  if (rows.kind == GRID) return cut(lane, rows, 0, rows.n, first, first + n);
  return picked(lane, rows, rows.n, n, {0, 1, 0, first, 0, 1});
}
ARC_FN Value prim_lefthalf(Lane& lane, const Value* a) {
  return columns_from(lane, a[0], 0, n_columns_of(a[0]) / 2);
}
ARC_FN Value prim_righthalf(Lane& lane, const Value* a) {
  const i64 n = n_columns_of(a[0]);
  return columns_from(lane, a[0], n / 2 + n % 2, n / 2);
}

// Concatenates two tuples.
ARC_NOINLINE Value joined(Lane& lane, const Value& x, const Value& y) {
  if (x.n == 0) return y;
  if (y.n == 0) return x;
  const i64 nx = x.n, n = nx + y.n;
  if (x.kind == y.kind && ((x.kind == GRID && x.aux == y.aux) || (x.kind == INTS && n != 2))) {
    const i64 width = x.kind == GRID ? width_of(x) : 1;
    ARC_ALLOCATE(ints, i32, n * width);
    copy(ints, x.ints, nx * width);
    copy(ints + nx * width, y.ints, (n - nx) * width);
    return x.kind == GRID ? grid_value(ints, (u32)n, (u32)width) : ints_value(INTS, ints, (u32)n);
  }
  ARC_NEW_MEMBERS(members, n);
  each(n, [&](i64 k) { members[k] = k < nx ? member(x, (u32)k) : member(y, (u32)(k - nx)); });
  return tuple_of(lane, members, n);
}

// Concatenates the rows of two tables, up to the end of the shorter one.
ARC_NOINLINE Value joined_rows(Lane& lane, const Value& x, const Value& y) {
  const i64 n = min_of(x.n, y.n);
  ARC_NEW_MEMBERS(members, n);
  for (i64 i = 0; i < n; i++) {
    Value row = joined(lane, member(x, (u32)i), member(y, (u32)i));
    if (row.failed()) return row;
    if (thread_index() == 0) members[i] = row;
  }
  sync();
  return tuple_of(lane, members, n);
}
ARC_FN Value prim_hconcat(Lane& lane, const Value* a) {
  const i64 n = min_of(a[0].n, a[1].n);
  if (n == 0) return empty_tuple();
  if (a[0].kind != GRID || a[1].kind != GRID)
    return seldom(lane, [=](Lane& there) { return joined_rows(there, a[0], a[1]); });
  const Counter left = (Counter)width_of(a[0]), right = (Counter)width_of(a[1]), width = left + right;
  const i32 *x = a[0].ints, *y = a[1].ints;
  ARC_ALLOCATE(cells, i32, n * width);
  if (W > 1) {
    each_in_grid(n, width, [=](Counter i, Counter j) {
      cells[i * width + j] = j < left ? x[i * left + j] : y[i * right + (j - left)];
    });
  } else {
    each_in_grid(n, left, [=](Counter i, Counter j) { cells[i * width + j] = x[i * left + j]; });
    each_in_grid(n, right, [=](Counter i, Counter j) { cells[i * width + left + j] = y[i * right + j]; });
  }
  return grid_value(cells, (u32)n, (u32)width);
}
ARC_FN Value prim_vconcat(Lane& lane, const Value* a) { return joined(lane, a[0], a[1]); }

// Cuts a table into n parts, side by side or one above the other.
ARC_FN Value split(Lane& lane, const Value& rows, i64 n, bool side_by_side) {
  if (n == 0) return fail(OUT_OF_RANGE);
  if (rows.n == 0) return fail(EMPTY);
  if (n < 0) return empty_tuple();
  const i64 high = rows.n, wide = row_size(rows, 0), whole = side_by_side ? wide : high;
  const i64 part = whole / n, step = part + (whole % n != 0);
  ARC_REQUIRE((u64)(n * (side_by_side ? 1 + high * (1 + part) : 1 + part * (1 + wide))));
  ARC_NEW_MEMBERS(members, n);
  for (i64 k = 0; k < n; k++) {
    Value cut_off = side_by_side ? cut(lane, rows, 0, high, step * k, step * k + part)
                                 : cut(lane, rows, step * k, step * k + part, 0, wide);
    if (cut_off.failed()) return cut_off;
    if (thread_index() == 0) members[k] = cut_off;
  }
  sync();
  return tuple_of(lane, members, n);
}
ARC_FN Value prim_hsplit(Lane& lane, const Value* a) { return split(lane, a[0], a[1].number, true); }
ARC_FN Value prim_vsplit(Lane& lane, const Value* a) { return split(lane, a[0], a[1].number, false); }

// --- scaling ---

ARC_EFFORT(hupscale, n_elements * (u64)max_of<i64>(1, args[1].number))
ARC_FN Value prim_hupscale(Lane& lane, const Value* a) {
  const i64 times = max_of<i64>(0, a[1].number), n = a[0].n;
  const Value rows = a[0];
  ARC_REQUIRE(n + times * total(n, [=](i64 i) { return row_size(rows, i); }));
  if (times == 1 || n == 0) return rows;
  if (times == 0) return empty_rows(lane, n);
  if (rows.kind == GRID) {
    const i64 width = width_of(rows);
    ARC_ALLOCATE(cells, i32, n * width * times);
    each_in_grid(n * width, times, [=](i64 k, i64 t) { cells[k * times + t] = rows.ints[k]; });
    return grid_value(cells, (u32)n, (u32)(width * times));
  }
  ARC_NEW_MEMBERS(members, n);
  for (i64 i = 0; i < n; i++) {
    const Value row = rows.members()[i];
    ARC_NEW_MEMBERS(wider, row.n * times);
    each_in_grid(row.n, times, [=](i64 j, i64 t) { wider[j * times + t] = member(row, (u32)j); });
    Value made = tuple_of(lane, wider, row.n * times);
    if (made.failed()) return made;
    if (thread_index() == 0) members[i] = made;
  }
  sync();
  return tuple_of(lane, members, n);
}

ARC_EFFORT(vupscale, n_elements * (u64)max_of<i64>(1, args[1].number))
ARC_FN Value prim_vupscale(Lane& lane, const Value* a) {
  const i64 times = max_of<i64>(0, a[1].number), n = a[0].n;
  const Value rows = a[0];
  ARC_REQUIRE(times * (n + total(n, [=](i64 i) { return row_size(rows, i); })));
  if (times == 1 || n == 0) return rows;
  if (times == 0) return empty_tuple();
  if (rows.kind == GRID) {
    const i64 width = width_of(rows);
    ARC_ALLOCATE(cells, i32, n * width * times);
    each_in_grid(n, width, [=](i64 i, i64 j) {
      const i32 cell = rows.ints[i * width + j];
      for (i64 t = 0; t < times; t++) cells[(i * times + t) * width + j] = cell;
    });
    return grid_value(cells, (u32)(n * times), (u32)width);
  }
  ARC_NEW_MEMBERS(members, n * times);
  each_in_grid(n, times, [=](i64 i, i64 t) { members[i * times + t] = rows.members()[i]; });
  return tuple_of(lane, members, n * times);
}

ARC_FN Value prim_downscale(Lane& lane, const Value* a) {
  if (a[0].n == 0) return fail(EMPTY);
  if (a[1].number == 0) return fail(OUT_OF_RANGE);
  const i64 step = a[1].number < 0 ? -a[1].number : a[1].number;
  const i64 width = row_size(a[0], 0);
  const i64 n_rows = (a[0].n + step - 1) / step, n = (width + step - 1) / step;
  if (a[0].kind != GRID) {
    // All rows must reach the last column taken, even rows that are left out.
    const Value rows = a[0];
    if (width && any(rows.n, [=](i64 i) { return row_size(rows, i) <= (n - 1) * step; }))
      return fail(OUT_OF_RANGE);
    return picked(lane, rows, n_rows, n, {0, step, 0, 0, 0, step});
  }
  const i32* from = a[0].ints;
  ARC_ALLOCATE(cells, i32, n_rows * n);
  each_in_grid(n_rows, n, [=](i64 i, i64 j) { cells[i * n + j] = from[i * step * width + j * step]; });
  return grid_value(cells, (u32)n_rows, (u32)n);
}

// --- lines and borders ---

// The rows, and the columns that all rows have, that are of one color.
struct EvenLines {
  const u8* rows;  // null if memory ran out
  const u8* columns;
  i64 n_columns;
};
ARC_FN EvenLines even_lines(Lane& lane, const Raster& raster) {
  const i64 n_rows = raster.n_rows;
  const i64 n_columns =
      raster.starts ? least(n_rows, raster.width, [&](i64 i) { return raster.size(i); }) : raster.width;
  u8* even = lane.allocate_array<u8>(n_rows + n_columns + 1);
  if (!even) return {nullptr, nullptr, 0};
  const i32* cells = raster.cells;
  each(n_rows + n_columns, [&](i64 k) {
    bool same = true;
    if (k < n_rows) {
      const i32* row = cells + raster.start(k);
      const i64 size = raster.size(k);
      same = size > 0;
      for (i64 j = 1; j < size && same; j++) same = row[j] == row[0];
    } else {
      const i32* column = cells + (k - n_rows);
      for (i64 i = 1; i < n_rows && same; i++) same = column[raster.start(i)] == column[0];
    }
    even[k] = same;
  });
  return {even, even + n_rows, n_columns};
}

ARC_NOINLINE Value prim_frontiers(Lane& lane, const Value* a) {
  if (a[0].n == 0) return fail(EMPTY);
  ARC_RASTER(raster, a[0]);
  const EvenLines even = even_lines(lane, raster);
  if (!even.rows) return fail(OVER_BUDGET);
  const i64 high = raster.n_rows, wide = raster.width;
  if (raster.starts && any(high, [&](i64 i) { return even.rows[i] && raster.size(i) < wide; }))
    return fail(OUT_OF_RANGE);
  const i64 n_across = total(high, [&](i64 i) { return even.rows[i]; });
  const i64 n_down = total(even.n_columns, [&](i64 j) { return even.columns[j]; });
  const i64 n = n_across + n_down;
  if (n == 0) return empty_set();
  if (!are_locations(high, wide)) {
    // A vertical line has a location in every row, a horizontal one in every column; otherwise look for the last rows
    // and columns of lines.
    i64 last_row = n_down ? high - 1 : 0, last_column = n_across ? wide - 1 : 0;
    if (wide && any(high, [&](i64 i) { return i > MAX_NUMBER && even.rows[i]; })) last_row = high - 1;
    if (any(even.n_columns, [&](i64 j) { return j > MAX_NUMBER && even.columns[j]; }))
      last_column = wide - 1;
    if (!are_locations(last_row + 1, last_column + 1)) {
      ARC_REQUIRE((u64)(n + 5 * (n_across * wide + n_down * high)));
      return fail(OUT_OF_RANGE);
    }
  }
  ARC_ALLOCATE(keys, Key, n_across * wide + n_down * high + 1);
  ARC_NEW_MEMBERS(lines, n);
  Key* line = keys;
  i64 n_lines = 0;
  for (i64 k = 0; k < high + even.n_columns; k++) {
    if (!even.rows[k]) continue;
    const bool across = k < high;
    const i64 at = across ? k : k - high, size = across ? wide : high;
    const i64 color = raster.cells[across ? raster.start(k) : at];
    each(size, [=](i64 t) { line[t] = across ? key_of(color, at, t) : key_of(color, t, at); });
    if (thread_index() == 0) lines[n_lines] = keys_value(OBJECT, line, (u32)size);
    n_lines++;
    line += size;
  }
  sync();
  return set_of(lane, lines, n);
}

ARC_NOINLINE Value prim_compress(Lane& lane, const Value* a) {
  ARC_RASTER(raster, a[0]);
  const EvenLines even = even_lines(lane, raster);
  if (!even.rows) return fail(OVER_BUDGET);
  const i64 n_rows = raster.n_rows, n_columns = even.n_columns;
  if (!any(n_rows + n_columns, [&](i64 k) { return even.rows[k]; })) return a[0];
  ARC_ALLOCATE(rows, i32, n_rows + 1);
  const i64 high = filter(
      n_rows, 0, [&](i64 i) { return !even.rows[i]; }, [=](i64 i, i64 place) { rows[place] = (i32)i; });
  if (high == 0) return empty_tuple();
  if (!raster.starts) {
    ARC_ALLOCATE(columns, i32, n_columns + 1);
    const i64 wide = filter(
        n_columns, 0, [&](i64 j) { return !even.columns[j]; },
        [=](i64 j, i64 place) { columns[place] = (i32)j; });
    ARC_ALLOCATE(cells, i32, high * wide + 1);
    const i32* from = raster.cells;
    const i64 width = raster.width;
    each_in_grid(high, wide,
              [=](i64 i, i64 j) { cells[i * wide + j] = from[rows[i] * width + columns[j]]; });
    return rows_value(lane, cells, high, wide);
  }
  ARC_ALLOCATE(cells, i32, raster.n_cells() + 1);
  ARC_NEW_MEMBERS(members, high);
  each(high, [&](i64 i) {
    const i32* from = raster.cells + raster.start(rows[i]);
    i32* to = cells + raster.start(rows[i]);
    i64 n = 0;
    for (i64 j = 0; j < raster.size(rows[i]); j++)
      if (j >= n_columns || !even.columns[j]) to[n++] = from[j];
    members[i] = row_value(to, n);
  });
  return tuple_of(lane, members, high);
}

// --- patches in grids ---

ARC_FN Value prim_bordering(Lane& lane, const Value* a) {
  if (a[0].n == 0 || a[1].n == 0) return fail(EMPTY);
  ARC_KEYS(keys, keys_of(lane, a[0]));
  const Bounds bounds = bounds_of(keys);
  return truth(bounds.top == 0 || bounds.left == 0 || bounds.bottom == (i64)a[1].n - 1 ||
               bounds.right == row_size(a[1], 0) - 1);
}

ARC_CPU_NOINLINE Value prim_toobject(Lane& lane, const Value* a) {
  if (a[1].n == 0) return fail(EMPTY);
  ARC_KEYS(keys, keys_of(lane, a[0]));
  if (keys.n == 0) return empty_set();
  ARC_RASTER(raster, a[1]);
  const Spots spots = {raster, keys.keys, keys.n, 0, 0};
  if (spots.miss()) return fail(OUT_OF_RANGE);
  ARC_ALLOCATE(cells, Key, keys.n);
  const i64 n = filter(
      keys.n, 0, [&](i64 k) { return spots(k) >= 0; },
      [&](i64 k, i64 place) {
        cells[place] = place_of(keys.keys[k]) - NO_COLOR +
                       ((Key)(raster.cells[spots(k)] + KEY_BIAS) << 42);
      });
  give_back(lane, cells, n);
  // A set of at most one color has each place once, in order.
  if (is_set(a[0]) && color_of(keys.keys[0]) == color_of(keys.keys[keys.n - 1]))
    return object_of_places(lane, cells, n);
  return set_of_keys(lane, OBJECT, cells, n);
}

ARC_FN Value prim_subgrid(Lane& lane, const Value* a) {
  if (a[0].n == 0) return fail(EMPTY);
  ARC_KEYS(keys, keys_of(lane, a[0]));
  const Bounds bounds = bounds_of(keys);
  return cut(lane, a[1], bounds.top, bounds.top + height_of_piece(a[0], bounds), bounds.left,
             bounds.left + width_of_piece(a[0], bounds));
}

// For grids with rows of unequal length, and for objects that are tuples, whose size is not that of their box: follows
// the definition cell by cell.
ARC_NOINLINE Value occurrences_in_order(Lane& lane, const Raster& raster, const Keys& keys,
                                        const Bounds& bounds, i64 n_rows, i64 n_columns) {
  enum { MISMATCH, MATCH, MISS };
  auto check = [&](i64 i, i64 j) {
    for (i64 k = 0; k < keys.n; k++) {
      const Key key = keys.keys[k];
      const i64 row = i + row_of(key) - bounds.top, column = j + column_of(key) - bounds.left;
      if (row >= raster.n_rows || column >= raster.width) return MISMATCH;
      if (column >= raster.size(row)) return MISS;
      if (raster.cells[raster.start(row) + column] != color_of(key)) return MISMATCH;
    }
    return MATCH;
  };
  if (raster.starts && filter_cells(
                           n_rows, n_columns, 0, [&](i64 i, i64 j) { return check(i, j) == MISS; },
                           [](i64, i64, i64) {}))
    return fail(OUT_OF_RANGE);
  return locations_where(lane, n_rows, n_columns,
                         [&](i64 i, i64 j) { return check(i, j) == MATCH; });
}

ARC_NOINLINE Value prim_occurrences(Lane& lane, const Value* a) {
  if (a[0].n == 0) return fail(EMPTY);
  Keys keys = keys_of(lane, a[1]);
  if (!keys.keys) return fail(OVER_BUDGET);
  Bounds bounds = {0, 0, 0, 0};
  if (keys.n) bounds = bounds_of(keys);
  const i64 n_rows = max_of<i64>(0, (i64)a[0].n - height_of_piece(a[1], bounds) + 1);
  const i64 n_columns = max_of<i64>(0, row_size(a[0], 0) - width_of_piece(a[1], bounds) + 1);
  ARC_CHARGE((u64)(n_rows * n_columns * max_of<i64>(1, a[1].n)));
  if (n_rows * n_columns == 0) return empty_set();
  if (keys.n && is_tuple(a[1])) {
    ARC_ALLOCATE(sorted, Key, keys.n);
    copy(sorted, keys.keys, keys.n);
    i64 n = sort_unique(lane, sorted, keys.n);
    if (n < 0) return fail(OVER_BUDGET);
    keys = {sorted, n};
  }
  if (a[0].kind != GRID || is_tuple(a[1])) {
    ARC_RASTER(raster, a[0]);
    return occurrences_in_order(lane, raster, keys, bounds, n_rows, n_columns);
  }
  // At all places tried, the cells are inside the grid. Cells of the highest color are compared first: the lowest is
  // often the background, which matches almost everywhere.
  struct Wanted {
    i32 offset, color;
  };
  const i32* cells = a[0].ints;
  const i64 width = width_of(a[0]), n = keys.n;
  ARC_ALLOCATE(wanted, Wanted, n + 1);
  each(n, [=](i64 k) {
    const Key key = keys.keys[n - 1 - k];
    const i64 row = row_of(key) - bounds.top, column = column_of(key) - bounds.left;
    wanted[k] = {(i32)(row * width + column), color_of(key)};
  });
  return locations_where(lane, n_rows, n_columns, [=](i64 i, i64 j) {
    const i32* corner = cells + i * width + j;
    for (i64 k = 0; k < n; k++)
      if (corner[wanted[k].offset] != wanted[k].color) return false;
    return true;
  });
}

}  // namespace arc
