// Symmetries of a grid, which fill its hidden cells. language/primitives/symmetry.py defines the primitives.
#pragma once
#include "../color_grids.hpp"
#include "../joined_parts.hpp"

namespace arc {

constexpr i64 PAIRS_PER_ERROR = 20;

// A map of places: to (a * x + b, c * y + d), where x is the row and y the column, or, if across, the other way round.
struct PlaceMap {
  bool across;
  i32 a, b, c, d;
};
// A map that a thread tries, and whether it holds.
struct TriedMap {
  PlaceMap map;
  bool holds;
};

// Returns how many of the numbers below n, signed and shifted, lie below n_there.
ARC_FN i64 n_inside(i64 n, i32 sign, i64 shift, i64 n_there) {
  const i64 first = sign > 0 ? shift : shift - n + 1;
  return max_of<i64>(min_of(first + n, n_there) - max_of<i64>(first, 0), 0);
}
// Calls f(shift) for all shifts of n signed numbers that leave at least `at_least` of them below n_there.
template <class F>
ARC_FN void each_shift(i32 n, i32 sign, i32 n_there, i64 at_least, F f) {
  if (at_least > min_of(n, n_there)) return;
  const i32 before = sign > 0 ? n : 1, after = sign > 0 ? 0 : n - 1;
  for (i32 shift = (i32)at_least - before; shift <= n_there - (i32)at_least + after; shift++) f(shift);
}

// Calls f(map) for all maps of a grid of that size that keep at least half of its cells within it.
template <class F>
ARC_FN void each_map(i32 n_rows, i32 width, F f) {
  const i64 n = (i64)n_rows * width;
  auto half_of = [&](i64 others) { return (n + 2 * others - 1) / (2 * others); };
  const i64 half_rows = half_of(width), half_columns = half_of(n_rows);
  each_shift(width, -1, width, half_columns, [&](i32 d) { f(PlaceMap{false, 1, 0, -1, d}); });
  each_shift(n_rows, -1, n_rows, half_rows, [&](i32 b) { f(PlaceMap{false, -1, b, 1, 0}); });
  auto keeps_half = [&](i32 sign, i32 k) {
    return 2 * n_inside(width, sign, k, n_rows) * n_inside(n_rows, sign, sign > 0 ? -k : k, width) >= n;
  };
  for (i32 k = 1 - n_rows; k < n_rows; k++)
    if (keeps_half(1, k)) f(PlaceMap{true, 1, k, 1, -k});
  for (i32 k = 0; k < n_rows + width - 1; k++)
    if (keeps_half(-1, k)) f(PlaceMap{true, -1, k, -1, k});
  for (i32 sign = 1; sign >= -1; sign -= 2)
    each_shift(n_rows, sign, n_rows, half_rows, [&](i32 b) {
      if (sign > 0 && b < 0) return;
      each_shift(width, sign, width, half_of(n_inside(n_rows, sign, b, n_rows)), [&](i32 d) {
        if (sign < 0 || b > 0 || d > 0) f(PlaceMap{false, sign, b, sign, d});
      });
    });
  if (2 * min_of(n_rows, width) < max_of(n_rows, width)) return;
  each_shift(width, -1, n_rows, half_of(min_of(n_rows, width)), [&](i32 b) {
    each_shift(n_rows, 1, width, half_of(n_inside(width, -1, b, n_rows)),
               [&](i32 d) { f(PlaceMap{true, -1, b, 1, d}); });
  });
}

// --- cells as bits ---

// Bits of 64 places: which are known, and the four bits of their colors, 0 if unknown.
constexpr i32 N_PLANES = 5;
struct PlaneBits {
  u64 planes[N_PLANES];
};

// Reverses the bits of a word.
ARC_FN u64 reversed_bits(u64 bits) {
  bits = (bits >> 1 & 0x5555555555555555ULL) | (bits & 0x5555555555555555ULL) << 1;
  bits = (bits >> 2 & 0x3333333333333333ULL) | (bits & 0x3333333333333333ULL) << 2;
  bits = (bits >> 4 & 0x0F0F0F0F0F0F0F0FULL) | (bits & 0x0F0F0F0F0F0F0F0FULL) << 4;
  bits = (bits >> 8 & 0x00FF00FF00FF00FFULL) | (bits & 0x00FF00FF00FF00FFULL) << 8;
  bits = (bits >> 16 & 0x0000FFFF0000FFFFULL) | (bits & 0x0000FFFF0000FFFFULL) << 16;
  return bits >> 32 | bits << 32;
}

// The rows or the columns of a grid, forward or backward.
struct LineBits {
  PlaneBits* words = nullptr;  // n_words per line
  i32 n_lines = 0, length = 0, n_words = 0;

  ARC_FN bool allocate(Lane& lane, i32 lines, i32 cells) {
    n_lines = lines;
    length = cells;
    n_words = (cells + 63) / 64;
    words = lane.allocate_array<PlaneBits>((u64)lines * (u64)n_words);
    return words != nullptr;
  }
  ARC_FN const PlaneBits* line(i32 k) const { return words + (i64)k * n_words; }

  // Writes lines that are `step` apart, with cells that are `along` apart.
  ARC_FN void write(const i32* cells, i32 step, i32 along, i64 hidden) const {
    each(n_lines, [&](i64 k) {
      for (i32 w = 0; w < n_words; w++) {
        const i32* from = cells + k * step + (i64)64 * w * along;
        u64 known = 0, first = 0, second = 0, third = 0, fourth = 0;
        for (i32 b = 0; b < min_of(64, length - 64 * w); b++, from += along) {
          const u64 is_known = *from != hidden, color = is_known ? (u64)*from : 0;
          known |= is_known << b;
          first |= (color & 1) << b;
          second |= (color >> 1 & 1) << b;
          third |= (color >> 2 & 1) << b;
          fourth |= (color >> 3) << b;
        }
        words[k * n_words + w] = {{known, first, second, third, fourth}};
      }
    });
  }
  ARC_FN void reverse(const LineBits& lines) const {
    each(n_lines, [&](i64 k) {
      for (i32 w = 0; w < n_words; w++)
        for (i32 p = 0; p < N_PLANES; p++)
          words[k * n_words + w].planes[p] = reversed_bits(lines.bits((i32)k, p, length - 64 - 64 * w));
    });
  }
  // Returns 64 bits of a line's plane from a place on, which may lie outside.
  ARC_FN u64 bits(i32 k, i32 plane, i32 from) const {
    const i32 word = from >> 6, by = from & 63;
    auto at = [&](i32 w) { return (u32)w < (u32)n_words ? line(k)[w].planes[plane] : 0; };
    return by ? at(word) >> by | at(word + 1) << (64 - by) : at(word);
  }
};

// The rows and columns of a grid, forward and backward.
struct SceneBits {
  LineBits rows[2], columns[2];

  ARC_FN bool allocate(Lane& lane, i32 n_rows, i32 width) {
    bool fits = true;
    for (int way = 0; way < 2; way++)
      fits = rows[way].allocate(lane, n_rows, width) && columns[way].allocate(lane, width, n_rows) && fits;
    return fits;
  }
  ARC_FN void write(const Scene& scene, i64 hidden) const {
    rows[0].write(scene.cells, scene.width, 1, hidden);
    columns[0].write(scene.cells, 1, scene.width, hidden);
    rows[1].reverse(rows[0]);
    columns[1].reverse(columns[0]);
  }
};

// A map by rows: cell j of row i goes to cell j + shift of line `line + step * i`.
struct RowMap {
  const LineBits* images;
  i32 first, end;  // the rows whose images lie within the grid
  i32 line, step, shift;

  ARC_FN RowMap(const SceneBits& bits, const PlaceMap& map) {
    const i32 n_rows = bits.rows[0].n_lines, width = bits.rows[0].length;
    const i32 sign = map.across ? map.a : map.c, by = map.across ? map.b : map.d;
    images = (map.across ? bits.columns : bits.rows) + (sign < 0);
    shift = sign > 0 ? by : images->length - 1 - by;
    step = map.across ? map.c : map.a;
    line = map.across ? map.d : map.b;
    const i32 n_lines = map.across ? width : n_rows;
    first = max_of(0, step > 0 ? -line : line - n_lines + 1);
    end = min_of(n_rows, step > 0 ? n_lines - line : line + 1);
  }
};

// Calls f(known, wrong) for up to 64 cells at a time while it returns true: bits of the cells that are known as well as
// their images, and of those whose colors differ. Returns whether f was true for all.
template <class F>
ARC_FN bool each_pair(const SceneBits& bits, const RowMap& map, F f) {
  const LineBits &from = bits.rows[0], &to = *map.images;
  if (from.n_words == 1 && to.n_words == 1) {
    const i32 down = max_of(map.shift, 0), up = max_of(-map.shift, 0);
    const PlaneBits *here = from.words + map.first, *there = to.words + map.line + map.step * map.first;
    for (i32 i = map.first; i < map.end; i++, here++, there += map.step) {
      u64 differs = 0;
      for (i32 p = 1; p < N_PLANES; p++) differs |= here->planes[p] ^ there->planes[p] >> down << up;
      const u64 known = here->planes[0] & there->planes[0] >> down << up;
      if (!f(known, differs & known)) return false;
    }
    return true;
  }
  for (i32 i = map.first; i < map.end; i++)
    for (i32 w = 0; w < from.n_words; w++) {
      const i32 line = map.line + map.step * i, at = 64 * w + map.shift;
      const u64* here = from.line(i)[w].planes;
      u64 differs = 0;
      for (i32 p = 1; p < N_PLANES; p++) differs |= here[p] ^ to.bits(line, p, at);
      const u64 known = here[0] & to.bits(line, 0, at);
      if (!f(known, differs & known)) return false;
    }
  return true;
}
ARC_FN i64 count_bits64(u64 bits) { return count_bits((u32)bits) + count_bits((u32)(bits >> 32)); }

// Returns how many known cells a map takes to themselves.
ARC_FN i64 n_known_fixed(const Scene& scene, const PlaceMap& map, i64 hidden) {
  i64 n = 0;
  auto count = [&](i32 i, i32 j) {
    const i32 row = map.a * (map.across ? j : i) + map.b, column = map.c * (map.across ? i : j) + map.d;
    n += row == i && column == j && scene.has(i, j) && scene.cell(i, j) != hidden;
  };
  for (i32 i = 0; i < scene.n_rows; i++) {
    if (map.across) {
      count(i, map.c * i + map.d);
    } else if (map.c < 0) {
      count(i, map.d / 2);
    } else {
      for (i32 j = 0; map.a * i + map.b == i && j < scene.width; j++) count(i, j);
    }
  }
  return n;
}

// Returns whether known cells obey a map.
ARC_CLONED ARC_NOINLINE bool map_holds(const Scene& scene, const SceneBits& bits, const PlaceMap& map, i64 hidden,
                                       bool noise) {
  const RowMap rows(bits, map);
  i64 n_pairs = 0, n_wrong = 0;
  // There are at most as many pairs as cells.
  const i64 max_wrong = noise ? scene.n_cells() / PAIRS_PER_ERROR : 0;
  const bool is_kept = each_pair(bits, rows, [&](u64, u64 wrong) {
    if (wrong) n_wrong += count_bits64(wrong);
    return n_wrong <= max_wrong;
  });
  if (!is_kept) return false;
  each_pair(bits, rows, [&](u64 known, u64) {
    n_pairs += count_bits64(known);
    return true;
  });
  n_pairs -= n_known_fixed(scene, map, hidden);
  return 4 * n_pairs >= scene.n_cells() && PAIRS_PER_ERROR * n_wrong <= n_pairs;
}

// Calls f(place, image, n, step) for every `rows_apart`-th row: n adjacent places of it, whose images lie in the scene,
// `step` apart.
template <class F>
ARC_FN void each_run(const Scene& scene, const PlaceMap& map, i32 first_row, i32 rows_apart, F f) {
  const i32 width = scene.width, n_rows = scene.n_rows;
  const i32 sign = map.across ? map.a : map.c, shift = map.across ? map.b : map.d;
  const i32 n_there = map.across ? n_rows : width, n_lines = map.across ? width : n_rows;
  const i32 first = max_of(0, sign > 0 ? -shift : shift - n_there + 1);
  const i32 end = min_of(width, sign > 0 ? n_there - shift : shift + 1);
  for (i32 i = first_row; i < n_rows; i += rows_apart) {
    const i32 line = map.across ? map.c * i + map.d : map.a * i + map.b, place = sign * first + shift;
    if ((u32)line >= (u32)n_lines) continue;
    f(i * width + first, map.across ? place * width + line : line * width + place, end - first,
      sign * (map.across ? width : 1));
  }
}

// Returns whether a map leads from each of this thread's places to one of the same orbit; `first` has for each place the
// first one of its orbit.
ARC_CLONED ARC_NOINLINE bool is_within_orbits(const Scene& scene, const PlaceMap& map, const i32* first) {
  i32 differs = 0;
  each_run(scene, map, thread_index(), W, [&](i32 place, i32 image, i32 n, i32 step) {
    const i32 *here = first + place, *there = first + image;
    if (step == 1)
      for (i32 k = 0; k < n; k++) differs |= here[k] ^ there[k];
    else if (step == -1)
      for (i32 k = 0; k < n; k++) differs |= here[k] ^ there[-k];
    else
      for (i32 k = 0; k < n; k++) differs |= here[k] ^ there[k * step];
  });
  return !differs;
}
ARC_NOINLINE void join_orbits(const Scene& scene, const PlaceMap& map, i32* first) {
  each_run(scene, map, thread_index(), W, [&](i32 place, i32 image, i32 n, i32 step) {
    for (i32 k = 0; k < n; k++)
      if (W == 1)
        join_parts(first, place + k, image + k * step);
      else
        join_at_once(first, place + k, image + k * step);
  });
  sync();
  settle_parts(first, scene.n_cells());
}

// Joins the orbits of cells that valid maps take to each other. Each thread tries one map at a time; `tried` has room for
// one per thread. Returns the steps to charge, and stops when they exceed a limit. It is inlined on GPUs because NVRTC
// 12.9 crashes otherwise for compute capability 10.0 and higher.
ARC_CPU_NOINLINE u64 find_orbits(const Scene& scene, const SceneBits& bits, i64 hidden, bool noise, i32* orbits,
                             TriedMap* tried, u64 max_charged) {
  u64 n_charged = 0;
  PlaceMap own = {};
  int n_waiting = 0;
  const auto try_waiting = [&]() {
    const bool holds = thread_index() < n_waiting && map_holds(scene, bits, own, hidden, noise);
    n_waiting = 0;
    if (!any_thread(holds)) return;
    tried[thread_index()] = {own, holds};
    sync();
    for (int k = 0; k < W && n_charged <= max_charged; k++) {
      if (!tried[k].holds) continue;
      const PlaceMap map = tried[k].map;
      n_charged += (u64)scene.n_cells();
      if (n_charged > max_charged || !any_thread(!is_within_orbits(scene, map, orbits))) continue;
      join_orbits(scene, map, orbits);
    }
    sync();  // before the next maps are tried
  };
  each_map(scene.n_rows, scene.width, [&](const PlaceMap& map) {
    if (n_charged > max_charged) return;
    if (thread_index() == n_waiting) own = map;
    if (++n_waiting == W) try_waiting();
  });
  try_waiting();
  return n_charged;
}

// Writes the output; `counts` has room for 10 numbers per cell.
ARC_NOINLINE Reason close_orbits(const Scene& scene, i64 hidden, bool noise, const i32* orbits, u32* counts,
                                 i32* to) {
  const i64 n = scene.n_cells();
  each(10 * n, [&](i64 k) { counts[k] = 0; });
  each(n, [&](i64 k) {
    if (scene.cells[k] != hidden) atomic_add(counts + 10 * (i64)orbits[k] + scene.cells[k], 1u);
  });
  const bool is_unknown = any(n, [&](i64 k) {
    to[k] = scene.cells[k];
    if (to[k] != hidden && !noise) return false;
    const u32* own = counts + 10 * (i64)orbits[k];
    i32 best = 0;
    for (i32 c = 1; c < 10; c++)
      if (own[c] > own[best]) best = c;
    to[k] = best;
    return !own[best];
  });
  return is_unknown ? EMPTY : OK;
}

ARC_FN Value prim_close_symmetry(Lane& lane, const Value* a) {
  const Value grid = a[0];
  const i64 hidden = a[1].number;
  const bool noise = a[2].number != 0;
  if (!is_color_grid(grid)) return fail(WRONG_TYPE);
  const i64 n = (i64)grid.n * width_of(grid);
  const i64 n_hidden = total(n, [&](i64 k) { return grid.ints[k] == hidden; });
  if (n_hidden == 0 || n_hidden == n) return fail(EMPTY);
  ARC_CHARGE((u64)n * (16 + (u64)n / 32));
  ARC_ALLOCATE(to, i32, n);
  const Scratch scratch(lane);
  i32* orbits = lane.allocate_array<i32>(n);
  u32* counts = lane.allocate_array<u32>(10 * (u64)n);
  TriedMap* tried = lane.allocate_array<TriedMap>(W);
  SceneBits bits;
  const bool fits = bits.allocate(lane, (i32)grid.n, (i32)width_of(grid));
  if (!orbits || !counts || !tried || !fits) return fail(OVER_BUDGET);
  const Scene scene = scene_of(grid);
  bits.write(scene, hidden);
  each(n, [&](i64 k) { orbits[k] = (i32)k; });
  ARC_CHARGE(find_orbits(scene, bits, hidden, noise, orbits, tried, lane.max_steps - lane.steps));
  const Reason why = close_orbits(scene, hidden, noise, orbits, counts, to);
  scratch.give_back(lane);
  return why == OK ? grid_value(to, grid.n, (u32)width_of(grid)) : fail(why);
}

}  // namespace arc
