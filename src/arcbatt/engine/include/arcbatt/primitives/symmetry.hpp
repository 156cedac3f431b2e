// Symmetry that a grid has: as language/primitives/symmetry.py.
#pragma once
#include "../observations.hpp"

namespace arc {

constexpr i64 ONE_WRONG_IN = 20;

// Where a place is taken: (a * x + b, c * y + d), x being its row and y its column, or across.
struct PlaceMap {
  bool across;
  i32 a, b, c, d;
};

// f(place, image) for the places that a map takes to places of the scene, while it is true; whether it
// was so for all.
template <class F>
ARC_FN bool each_image(const Scene& scene, const PlaceMap& map, F f) {
  i32 at = 0;
  for (i32 i = 0; i < scene.n_rows; i++)
    for (i32 j = 0; j < scene.width; j++, at++) {
      const i32 row = map.a * (map.across ? j : i) + map.b, column = map.c * (map.across ? i : j) + map.d;
      if (scene.has(row, column) && !f(at, row * scene.width + column)) return false;
    }
  return true;
}

ARC_FN i64 n_inside(i64 n, i32 sign, i64 shift, i64 n_there) {
  const i64 first = sign > 0 ? shift : shift - n + 1;
  return max_of<i64>(min_of(first + n, n_there) - max_of<i64>(first, 0), 0);
}

ARC_FN bool map_holds(const Scene& scene, const PlaceMap& map, i64 hidden, bool noise) {
  const i64 n_rows = scene.n_rows, width = scene.width;
  const i64 inside = n_inside(map.across ? width : n_rows, map.a, map.b, n_rows) *
                     n_inside(map.across ? n_rows : width, map.c, map.d, width);
  if (2 * inside < n_rows * width) return false;
  const i64 max_wrong = noise ? inside / ONE_WRONG_IN : 0;
  i64 n_pairs = 0, n_wrong = 0;
  const bool is_kept = each_image(scene, map, [&](i32 at, i32 image) {
    const i32 here = scene.cells[at], there = scene.cells[image];
    if (here == hidden || there == hidden || at == image) return true;
    n_pairs++;
    n_wrong += here != there;
    return n_wrong <= max_wrong;
  });
  return is_kept && 4 * n_pairs >= n_rows * width && ONE_WRONG_IN * n_wrong <= n_pairs;
}

// f(map) for all maps of a grid of that size that may keep half of its cells.
template <class F>
ARC_FN void each_map(i32 n_rows, i32 width, F f) {
  for (i32 d = 0; d < 2 * width - 1; d++) f(PlaceMap{false, 1, 0, -1, d});
  for (i32 b = 0; b < 2 * n_rows - 1; b++) f(PlaceMap{false, -1, b, 1, 0});
  for (i32 k = 1 - n_rows; k < n_rows; k++) f(PlaceMap{true, 1, k, 1, -k});
  for (i32 k = 0; k < n_rows + width - 1; k++) f(PlaceMap{true, -1, k, -1, k});
  for (i32 d = 1; d < width; d++) f(PlaceMap{false, 1, 0, 1, d});
  for (i32 b = 1; b < n_rows; b++)
    for (i32 d = 1 - width; d < width; d++) f(PlaceMap{false, 1, b, 1, d});
  for (i32 b = 0; b < 2 * n_rows - 1; b++)
    for (i32 d = 0; d < 2 * width - 1; d++) f(PlaceMap{false, -1, b, -1, d});
  if (2 * min_of(n_rows, width) < max_of(n_rows, width)) return;
  for (i32 b = 0; b < n_rows + width - 1; b++)
    for (i32 d = 1 - n_rows; d < width; d++) f(PlaceMap{true, -1, b, 1, d});
}

// A place of its orbit that stands for it.
ARC_FN i32 orbit_of(i32* parents, i32 place) {
  while (parents[place] != place) place = parents[place] = parents[parents[place]];
  return place;
}

// Writes what becomes of the cells, in one thread; `counts` has room for 10 numbers a cell. Cells of maps
// that hold are charged for, which are counted.
ARC_NOINLINE Reason close_orbits(const Scene& scene, i64 hidden, bool noise, i32* parents, i32* counts,
                                 i32* to, u64& n_charged, u64 max_charged) {
  const i64 n = scene.n_cells();
  for (i64 k = 0; k < n; k++) parents[k] = (i32)k;
  for (i64 k = 0; k < 10 * n; k++) counts[k] = 0;
  each_map(scene.n_rows, scene.width, [&](const PlaceMap& map) {
    if (n_charged > max_charged || !map_holds(scene, map, hidden, noise)) return;
    n_charged += (u64)n;
    if (n_charged > max_charged) return;
    each_image(scene, map, [&](i32 at, i32 image) {
      const i32 a = orbit_of(parents, at), b = orbit_of(parents, image);
      parents[max_of(a, b)] = min_of(a, b);
      return true;
    });
  });
  if (n_charged > max_charged) return OVER_BUDGET;
  for (i64 k = 0; k < n; k++)
    if (scene.cells[k] != hidden) counts[10 * (i64)orbit_of(parents, (i32)k) + scene.cells[k]]++;
  for (i64 k = 0; k < n; k++) {
    to[k] = scene.cells[k];
    if (to[k] != hidden && !noise) continue;
    const i32* own = counts + 10 * (i64)orbit_of(parents, (i32)k);
    i32 best = 0;
    for (i32 c = 1; c < 10; c++)
      if (own[c] > own[best]) best = c;
    if (!own[best]) return EMPTY;
    to[k] = best;
  }
  return OK;
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
  i32* parents = lane.allocate_array<i32>(n);
  i32* counts = lane.allocate_array<i32>(10 * (u64)n);
  u64* n_charged = lane.allocate_array<u64>(1);
  if (!parents || !counts || !n_charged) return fail(OVER_BUDGET);
  const u64 max_charged = lane.max_steps - lane.steps;
  const Reason why = (Reason)serial([&]() {
    *n_charged = 0;
    return (i64)close_orbits(scene_of(grid), hidden, noise, parents, counts, to, *n_charged, max_charged);
  });
  ARC_CHARGE(*n_charged);
  scratch.give_back(lane);
  return why == OK ? grid_value(to, grid.n, (u32)width_of(grid)) : fail(why);
}

}  // namespace arc
