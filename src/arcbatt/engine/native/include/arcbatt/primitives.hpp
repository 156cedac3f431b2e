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
#endif

}  // namespace arc
