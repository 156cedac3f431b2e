// Other views of a task. language/primitives/views.py defines the primitives.
#pragma once
#include "../color_grids.hpp"

namespace arc {

// --- the background ---

enum GroundCode { GROUND_OF_DEMOS, GROUND_OF_GRID, GROUND_OF_BORDER };

struct GroundCounts {
  i64 numbers[10] = {};

  ARC_FN void add(const Scene& scene, bool only_border) {
    const i64 last_row = scene.n_rows - 1, last_column = scene.width - 1;
    for (i64 i = 0; i <= last_row; i++) {
      const i32* row = scene.cells + i * scene.width;
      if (!only_border || i == 0 || i == last_row) {
        for (i64 j = 0; j <= last_column; j++) numbers[row[j]]++;
      } else {
        numbers[row[0]]++;
        if (last_column) numbers[row[last_column]]++;
      }
    }
  }
  // Returns the most common color, the lowest of several.
  ARC_FN int most_common() const {
    int best = 0;
    for (int c = 1; c < 10; c++)
      if (numbers[c] > numbers[best]) best = c;
    return best;
  }
};

ARC_FN i32 ground_of(const Value& demos, const Value& grid, i64 code) {
  return (i32)serial([&]() {
    GroundCounts counts;
    if (code == GROUND_OF_DEMOS)
      for (u32 k = 0; k < demos.n; k++) counts.add(demo_side(demos, k, 0), false);
    else
      counts.add(scene_of(grid), code == GROUND_OF_BORDER);
    return (i64)counts.most_common();
  });
}

ARC_FN Value ground_swapped(Lane& lane, const Value& grid, i32 color) {
  const i64 n = (i64)grid.n * width_of(grid);
  ARC_ALLOCATE(to, i32, n);
  const i32* from = grid.ints;
  each(n, [=](i64 k) { to[k] = from[k] == 0 ? color : from[k] == color ? 0 : from[k]; });
  return grid_value(to, grid.n, (u32)width_of(grid));
}

ARC_FN Value prim_ground_demos(Lane& lane, const Value* a) {
  const Value demos = a[0];
  const i64 code = a[1].number;
  if (!are_color_demos(demos)) return fail(WRONG_TYPE);
  i32 color = 0;
  return demos_by(lane, demos, [&](u32 k, u32 side, const Value& grid) {
    const bool is_known = side || (k && code == GROUND_OF_DEMOS);
    if (!is_known) color = ground_of(demos, grid, code);
    return ground_swapped(lane, grid, color);
  });
}
ARC_FN Value prim_swap_ground(Lane& lane, const Value* a) {
  if (!are_color_demos(a[0]) || !is_color_grid(a[1]) || !is_color_grid(a[2])) return fail(WRONG_TYPE);
  return ground_swapped(lane, a[2], ground_of(a[0], a[1], a[3].number));
}

// --- turns ---

// How a grid is turned: flipped, then transposed.
struct Turn {
  bool down, right, across;

  ARC_FN i64 packed() const { return down | right << 1 | across << 2; }
};
ARC_FN Turn unpacked_turn(i64 bits) { return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0}; }

enum TurnThing { RAREST, COMMONEST, N_TURN_THINGS };
enum TurnWay { TO_TOP_AND_LEFT, TO_BELOW, TO_TOP_LEFT_BY_FLIPS };

struct CellSums {
  i64 n = 0, down = 0, right = 0;

  ARC_FN void add(const CellSums& other) {
    n += other.n;
    down += other.down;
    right += other.right;
  }
};

ARC_FN Turn find_turn(const Scene& scene, i64 code) {
  CellSums by_color[10], shown;
  i64 k = 0;
  for (i64 i = 0; i < scene.n_rows; i++)
    for (i64 j = 0; j < scene.width; j++, k++) by_color[scene.cells[k]].add({1, i, j});
  const i64 thing = code % N_TURN_THINGS, way = code / N_TURN_THINGS;
  const int sign = thing == RAREST ? 1 : -1;
  int color = 0;
  for (int c = 1; c < 10; c++) {
    if (!by_color[c].n) continue;
    shown.add(by_color[c]);
    if (!color || sign * by_color[c].n < sign * by_color[color].n) color = c;
  }
  if (!color) return {false, false, false};
  const CellSums of = by_color[color];
  i64 down = 2 * of.down - of.n * (scene.n_rows - 1), right = 2 * of.right - of.n * (scene.width - 1);
  if (thing == RAREST) {
    down = shown.n * of.down - of.n * shown.down;
    right = shown.n * of.right - of.n * shown.right;
  }
  const bool is_steep = (down < 0 ? -down : down) >= (right < 0 ? -right : right);
  if (way == TO_TOP_AND_LEFT) return {down > 0, right > 0, !is_steep};
  if (way == TO_TOP_LEFT_BY_FLIPS) return {down > 0, right > 0, false};
  // A turn is an even number of flips and transpositions.
  if (is_steep) return {down < 0, down < 0, false};
  return {right > 0, right < 0, true};
}
ARC_FN Turn turn_of(const Value& grid, i64 code) {
  return unpacked_turn(serial([&]() { return find_turn(scene_of(grid), code).packed(); }));
}

// Turns a grid or, with `back`, reverses the turn.
ARC_FN Value turned(Lane& lane, const Value& grid, Turn turn, bool back) {
  const i64 n_rows = grid.n, width = width_of(grid);
  const i64 new_rows = turn.across ? width : n_rows, new_width = turn.across ? n_rows : width;
  // Flips apply to the grid before it is transposed, or after.
  const bool flips_rows = back && turn.across ? turn.right : turn.down;
  const bool flips_columns = back && turn.across ? turn.down : turn.right;
  ARC_ALLOCATE(to, i32, n_rows * width);
  const i32* from = grid.ints;
  each_in_grid(new_rows, new_width, [=](i64 i, i64 j) {
    i64 row = turn.across ? j : i, column = turn.across ? i : j;
    if (flips_rows) row = n_rows - 1 - row;
    if (flips_columns) column = width - 1 - column;
    to[i * new_width + j] = from[row * width + column];
  });
  return grid_value(to, (u32)new_rows, (u32)new_width);
}

ARC_FN Value prim_turn_demos(Lane& lane, const Value* a) {
  const i64 code = a[1].number;
  if (!are_color_demos(a[0])) return fail(WRONG_TYPE);
  Turn turn = {};
  return demos_by(lane, a[0], [&](u32, u32 side, const Value& grid) {
    if (side == 0) turn = turn_of(grid, code);
    return turned(lane, grid, turn, false);
  });
}
ARC_FN Value prim_to_turn(Lane& lane, const Value* a) {
  if (!is_color_grid(a[0])) return fail(WRONG_TYPE);
  return turned(lane, a[0], turn_of(a[0], a[1].number), false);
}
ARC_FN Value prim_from_turn(Lane& lane, const Value* a) {
  if (!is_color_grid(a[0]) || !is_color_grid(a[1])) return fail(WRONG_TYPE);
  return turned(lane, a[1], turn_of(a[0], a[2].number), true);
}

}  // namespace arc
