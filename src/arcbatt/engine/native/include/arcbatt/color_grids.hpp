// Grids of colors: non-empty rectangles of numbers 0 to 9. Functions without a lane run in one thread, inside `serial`.
#pragma once
#include "build.hpp"

namespace arc {

constexpr u8 OUTSIDE_COLOR = 10;  // of places outside the grid

// The cells of a grid of colors, which a value owns.
struct Scene {
  const i32* cells = nullptr;
  i32 n_rows = 0, width = 0;

  ARC_FN i64 n_cells() const { return (i64)n_rows * width; }
  ARC_FN bool has(i64 i, i64 j) const { return (u64)i < (u64)n_rows && (u64)j < (u64)width; }
  ARC_FN i32 cell(i64 i, i64 j) const { return cells[i * width + j]; }
  ARC_FN u8 at(i64 i, i64 j) const { return has(i, j) ? (u8)cell(i, j) : OUTSIDE_COLOR; }
};
ARC_FN Scene scene_of(const Value& grid) {
  Scene scene;
  scene.cells = grid.ints;
  scene.n_rows = (i32)grid.n;
  scene.width = (i32)width_of(grid);
  return scene;
}
ARC_FN bool same_size(const Scene& a, const Scene& b) {
  return a.n_rows == b.n_rows && a.width == b.width;
}

ARC_FN bool is_color_grid(const Value& v) {
  return v.kind == GRID && !any((i64)v.n * width_of(v), [&](i64 k) { return (u32)v.ints[k] > 9; });
}
ARC_FN bool are_color_demos(const Value& demos) {
  for (u32 k = 0; k < demos.n; k++) {
    const Value demo = demos.members()[k];
    if (!is_color_grid(demo.members()[0]) || !is_color_grid(demo.members()[1])) return false;
  }
  return true;
}
ARC_FN Scene demo_side(const Value& demos, i64 k, int side) {
  return scene_of(demos.members()[k].members()[side]);
}

// Demos made by make(k, side, grid), called for the input and the output of each demo, in this order.
template <class Make>
ARC_FN Value demos_by(Lane& lane, const Value& demos, Make make) {
  ARC_NEW_MEMBERS(pairs, demos.n);
  for (u32 k = 0; k < demos.n; k++) {
    ARC_NEW_MEMBERS(sides, 2);
    for (u32 side = 0; side < 2; side++) {
      const Value grid = make(k, side, demos.members()[k].members()[side]);
      if (grid.failed()) return grid;
      sync();
      if (thread_index() == 0) sides[side] = grid;
      sync();
    }
    const Value pair = tuple_of(lane, sides, 2);
    if (pair.failed()) return pair;
    sync();
    if (thread_index() == 0) pairs[k] = pair;
    sync();
  }
  return tuple_of(lane, pairs, demos.n);
}

}  // namespace arc
