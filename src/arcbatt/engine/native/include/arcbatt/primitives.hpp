// All primitives and how one is called by its number.
#pragma once
#include "families.inc"
#if !defined(ARC_FLAT)
#include "columns.hpp"
#endif

namespace arc {

// Primitives on pictures as calls on values: `check` may return a failure, the rest are arguments of move_<name>.
#define ARC_PICTURE_PRIMITIVE(name, check, ...)                     \
  ARC_FN Value prim_##name(Lane& lane, const Value* a) {            \
    check;                                                          \
    return value_of(lane, move_##name(lane, __VA_ARGS__));          \
  }
#define ARC_NO_CHECK (void)0
#define ARC_CHECK_SIZE(v) \
  if (!is_size(v)) return fail(OUT_OF_RANGE)
#include "picture_primitives.inc"

#if !defined(ARC_FLAT)
ARC_NOINLINE Value run_primitive(Lane& lane, u32 primitive, const Value* args) {
  switch (primitive) {
#define ARC_PRIMITIVE(name, arity, peeks, d0, d1, d2, d3, name_hash) \
  case P_##name:                                                     \
    if (!codes_fit<P_##name>(args)) return fail(OUT_OF_RANGE);       \
    return prim_##name(lane, args);
#define ARC_HOST_PRIMITIVE(name, arity, peeks, d0, d1, d2, d3, name_hash) \
  case P_##name:                                                         \
    if (!codes_fit<P_##name>(args)) return fail(OUT_OF_RANGE);           \
    return HOST_PRIMITIVES[P_##name](lane, args);
#include "table.inc"
#undef ARC_PRIMITIVE
    default: return fail(WRONG_TYPE);
  }
}

// A call as `call_primitive` makes it, of a primitive that is known at compile time.
template <u32 P, Value (*RUN)(Lane&, const Value*)>
ARC_FN Value call_known(Lane& lane, const Value* args) {
  constexpr PrimitiveInfo info = Declared<P>::info;
  u64 read = 0;
  for (u32 k = 0; k < info.arity; k++)
    if (!(info.peeks >> k & 1)) {
      const u64 weight = weight_of(args[k]);
      lane.require(weight);
      read += weight;
    }
  if (!lane.charge(1 + read)) return fail(OVER_BUDGET);
  if ((info.arity > 0 && !fits(args[0], info.domains[0])) || (info.arity > 1 && !fits(args[1], info.domains[1])) ||
      (info.arity > 2 && !fits(args[2], info.domains[2])))
    return fail(WRONG_TYPE);
  if (!codes_fit<P>(args)) return fail(OUT_OF_RANGE);
  const Value result = RUN(lane, args);
  if (lane.exceeded || result.failed()) return result;
  const u64 made = weight_of(result);
  if (lane.require(made)) lane.charge(made, BYTES_PER_ELEMENT * (1 + made));
  return result;
}
template <u32 P, Value (*RUN)(Lane&, const Value*)>
ARC_NOINLINE bool map_known(Lane& lane, const Column* args, i64 n, Value* values) {
  constexpr u32 ARITY = Declared<P>::info.arity;
  static_assert(ARITY <= 3);
  for (i64 k = 0; k < n && !lane.exceeded; k++) {
    Value row[ARITY];
    u32 n_right = 0;
    for (u32 a = 0; a < ARITY; a++) {
      row[a] = args[a].at(k);
      if (n_right == a && !row[a].failed()) n_right++;
    }
    values[k] = n_right < ARITY ? row[n_right] : call_known<P, RUN>(lane, row);
  }
  return true;
}
ARC_NOINLINE bool run_on_elements(Lane& lane, u32 primitive, const Column* args, i64 n, Value* values) {
  switch (primitive) {
#define ARC_KNOWN(name) \
  case P_##name: return map_known<P_##name, prim_##name>(lane, args, n, values);
    ARC_KNOWN(size)
    ARC_KNOWN(recolor)
    ARC_KNOWN(first)
    ARC_KNOWN(last)
    ARC_KNOWN(identity)
    ARC_KNOWN(subtract)
    ARC_KNOWN(add)
    ARC_KNOWN(multiply)
    ARC_KNOWN(invert)
    ARC_KNOWN(color)
    ARC_KNOWN(toindices)
    ARC_KNOWN(shift)
    ARC_KNOWN(ulcorner)
    ARC_KNOWN(lrcorner)
    ARC_KNOWN(leftmost)
    ARC_KNOWN(uppermost)
    ARC_KNOWN(height)
    ARC_KNOWN(width)
    ARC_KNOWN(initset)
    ARC_KNOWN(intersection)
    ARC_KNOWN(combine)
    ARC_KNOWN(difference)
    ARC_KNOWN(flip)
    ARC_KNOWN(astuple)
    ARC_KNOWN(equality)
    ARC_KNOWN(contained)
    ARC_KNOWN(dneighbors)
    ARC_KNOWN(insert)
    ARC_KNOWN(vfrontier)
    ARC_KNOWN(hfrontier)
    ARC_KNOWN(manhattan)
#undef ARC_KNOWN
    default: return false;
  }
}
#endif

}  // namespace arc
