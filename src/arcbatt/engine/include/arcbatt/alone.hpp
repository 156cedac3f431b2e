// Calls of simple primitives by one thread each: on all elements of a frame at once, whatever forms
// their arguments have. For the GPU; see flat.hpp.
#pragma once
#include "batt.hpp"

namespace arc {

// What a call by one thread gave and cost; where it is not known, a lane has to make the call.
struct AloneCall {
  Value value;
  u64 steps;
  u64 bytes;
  bool known;
};

// A primitive's own work, where its code is not for one thread already; `memory` is for a tuple of two.
template <u32 P, Value (*RUN)(Lane&, const Value*)>
ARC_FN Value work_alone(Lane& lane, const Value* args, char* memory) {
  if constexpr (P == P_equality) return truth(equal_alone(args[0], args[1]));
  if constexpr (P == P_astuple) return tuple_of_two(args[0], args[1], memory);
  if constexpr (P == P_contained) {
    const Value container = args[1];
    if (is_set(container)) return truth(find_in_set<true>(container, args[0]).there);
    for (u32 k = 0; k < container.n; k++)
      if (equal_alone(member(container, k), args[0])) return truth(true);
    return truth(false);
  }
  return RUN(lane, args);
}

// As run_call; the lane is only asked for its limits.
template <u32 P, Value (*RUN)(Lane&, const Value*)>
ARC_FN AloneCall call_alone(Lane& lane, u32 n_args, const Value* args, char* memory) {
  const KnownPrimitive<P, RUN> primitive;
  constexpr PrimitiveInfo info = Declared<P>::info;
  for (u32 k = 0; k < n_args; k++)
    if (args[k].failed()) return {args[k], 0, 0, true};
  u64 steps = 1, heaviest = 0;
  for (u32 k = 0; k < info.arity; k++)
    if (!(info.peeks >> k & 1)) {
      const u64 weight = weight_of(args[k]);
      heaviest = max_of(heaviest, weight);
      steps += weight;
    }
  const AloneCall unknown = {none_value(), 0, 0, false};
  // Tuples are looked into by all threads to find whether they are grids or cells.
  const bool looks_into = info.domains[0] == ROWS || info.domains[0] == CELLS;
  if (heaviest > lane.max_elements || steps > lane.max_steps) return unknown;
  if (looks_into && args[0].kind == TUPLE && args[0].n) return unknown;
  if (!primitive.accepts(args)) return {fail(WRONG_TYPE), steps, 0, true};
  if (!codes_fit<P>(args)) return {fail(OUT_OF_RANGE), steps, 0, true};
  const Value result = work_alone<P, RUN>(lane, args, memory);
  if (result.failed()) return {result, steps, 0, true};
  const u64 made = weight_of(result), bytes = BYTES_AN_ELEMENT * (1 + made);
  const bool over = made > lane.max_elements || steps + made > lane.max_steps || bytes > lane.max_bytes;
  if (over || depth_of(result) > MAX_DEPTH) return unknown;
  return {result, steps + made, bytes, true};
}

}  // namespace arc
