// Primitives over the demos. language/primitives/demos.py defines the primitives.
#pragma once
#include "../color_grids.hpp"
#include "codes.hpp"
#include "containers.hpp"
#include "functions.hpp"

namespace arc {

ARC_FN Value prim_dedupe_pair_tuple(Lane& lane, const Value* a) {
  const Value demos = a[0];
  ARC_NEW_MEMBERS(kept, demos.n);
  i64 n = 0;
  for (u32 k = 0; k < demos.n; k++) {
    const Value demo = demos.members()[k];
    if (equal(demo.members()[0], demo.members()[1])) continue;
    if (thread_index() == 0) kept[n] = demo;
    n++;
  }
  sync();
  return tuple_of(lane, kept, n);
}

// Returns a function's values on one side of all demos, merged.
ARC_FN Value over_side(Lane& lane, const Value& demos, const Value& function, u32 side) {
  Value* grids = lane.allocate_array<Value>(demos.n);
  if (!grids) return fail(OVER_BUDGET);
  each(demos.n, [=](i64 k) { grids[k] = demos.members()[k].members()[side]; });
  const Column column = value_column(grids);
  Column values = map_function(lane, function, &column, 1, demos.n);
  if (lane.exceeded) return fail(OVER_BUDGET);
  return merge_column(lane, true, values, demos.n);
}
// Returns the values of a function on one side of the demos that it does not have on the other side.
ARC_FN Value side_difference(Lane& lane, const Value* a, u32 side) {
  Value inputs = over_side(lane, a[0], a[1], 0);
  if (inputs.failed()) return inputs;
  Value outputs = over_side(lane, a[0], a[1], 1);
  if (outputs.failed()) return outputs;
  const Value sides[2] = {side ? outputs : inputs, side ? inputs : outputs};
  return prim_difference(lane, sides);
}
ARC_FN Value prim_c_iz(Lane& lane, const Value* a) { return side_difference(lane, a, 0); }
ARC_FN Value prim_c_zo(Lane& lane, const Value* a) { return side_difference(lane, a, 1); }
ARC_FN Value prim_c_iz_n(Lane& lane, const Value* a) {
  Value values = side_difference(lane, a, 0);
  return values.failed() ? values : call_function(lane, a[2], &values, 1);
}
ARC_FN Value prim_c_zo_n(Lane& lane, const Value* a) {
  Value values = side_difference(lane, a, 1);
  return values.failed() ? values : call_function(lane, a[2], &values, 1);
}

ARC_FN Value prim_a_mr(Lane& lane, const Value* a) {
  const Value demos = a[0];
  typedef Codes<P_mir_rot, 1> codes;
  for (i64 code = codes::first; code <= codes::last; code++) {
    bool fits = true;
    for (u32 k = 0; k < demos.n && fits; k++) {
      const Value demo = demos.members()[k];
      const Value args[2] = {demo.members()[0], number(code)};
      Value turned = prim_mir_rot(lane, args);
      if (turned.failed()) return turned;
      fits = equal(turned, demo.members()[1]);
    }
    if (fits) return number(code);
  }
  return fail(EMPTY);
}

ARC_FN Value prim_other_output(Lane& lane, const Value* a) {
  const Value demos = a[0];
  const i64 k = a[1].number;
  if (k < 0 || k >= (i64)demos.n) return fail(OUT_OF_RANGE);
  if (!are_color_demos(demos) || !is_color_grid(a[2])) return fail(WRONG_TYPE);
  const Value demo = demos.members()[k];
  const Value wanted = demo.members()[1];
  if (!equal(demo.members()[0], a[2])) return wanted;
  const i64 n = (i64)wanted.n * width_of(wanted);
  ARC_ALLOCATE(blank, i32, n);
  each(n, [=](i64 c) { blank[c] = 0; });
  return grid_value(blank, wanted.n, (u32)width_of(wanted));
}

}  // namespace arc
