// The samples of a run, packed by Python.
#pragma once
#include "arcbatt/graph.hpp"
#include "arena.hpp"
#include "arrays.hpp"
#include "values.hpp"

namespace arc {

// Grids and demo pairs as values that point into the array of cells.
struct Samples {
  Array<i32> held;
  const i32* cells;
  u64 n_cells;
  std::vector<Sample> samples;
  Arena arena;
  mutable u64 n_image_bytes = 0;  // 0 until they are counted

  // `shapes` alternates heights and widths, `members` inputs and outputs. `groups` has the group of demos of each
  // sample. A target or group of -1 stands for none.
  Samples(Array<i32> all_cells, Array<i32> shapes, Array<i32> inputs, Array<i32> targets, Array<i32> groups,
          Array<i32> starts, Array<i32> members)
      : held(all_cells), cells(all_cells.data()), n_cells(all_cells.size()) {
    std::vector<Value> grids;
    u64 start = 0;
    for (size_t k = 0; 2 * k + 1 < shapes.size(); k++) {
      const i32 high = shapes(2 * k), wide = shapes(2 * k + 1);
      const u64 n_rows = (u64)high, width = (u64)wide;
      if (high < 1 || wide < 1 || start + n_rows * width > n_cells)
        throw std::invalid_argument("grids do not fit their cells");
      grids.push_back(grid_value(cells + start, (u32)n_rows, (u32)width));
      start += n_rows * width;
    }
    auto grid = [&](i32 k) {
      if (k < 0 || (size_t)k >= grids.size()) throw std::invalid_argument("no such grid");
      return grids[k];
    };
    Lane lane;
    arena.hold_data();
    arena.reset(lane);
    set_budget(lane, NO_BUDGET);
    std::vector<Value> demos;
    for (size_t g = 0; g + 1 < starts.size(); g++) {
      const i64 first = starts(g), n = starts(g + 1) - first;
      if (first < 0 || n < 0 || 2 * (first + n) > (i64)members.size())
        throw std::invalid_argument("groups of demos do not fit their grids");
      Value* pairs = members_or_throw(lane, (u64)n);
      for (i64 k = 0; k < n; k++) {
        Value* sides = members_or_throw(lane, 2);
        sides[0] = grid(members(2 * (first + k)));
        sides[1] = grid(members(2 * (first + k) + 1));
        pairs[k] = checked(lane, tuple_of(lane, sides, 2));
      }
      demos.push_back(checked(lane, tuple_of(lane, pairs, n)));
    }
    if (targets.size() != inputs.size() || groups.size() != inputs.size())
      throw std::invalid_argument("inputs, targets and groups differ in number");
    for (size_t k = 0; k < inputs.size(); k++) {
      i32 group = groups(k);
      if (group >= (i64)demos.size()) throw std::invalid_argument("no such group of demos");
      samples.push_back({grid(inputs(k)), group < 0 ? empty_tuple() : demos[group],
                         targets(k) < 0 ? none_value() : grid(targets(k))});
    }
  }
};

}  // namespace arc
