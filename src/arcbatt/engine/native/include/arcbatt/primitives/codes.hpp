// Choices coded as numbers. language/primitives/codes.py defines the primitives.
#pragma once
#include "objects.hpp"
#include "patches.hpp"
#include "pieces.hpp"

namespace arc {

ARC_FN Value prim_o_g(Lane& lane, const Value* a) {
  const i64 code = a[1].number;
  return find_objects(lane, a[0], code & 4, code & 2, code & 1, false);
}
ARC_FN Value prim_o_g_t(Lane& lane, const Value* a) {
  const i64 code = a[1].number;
  return find_objects(lane, a[0], code & 4, code & 2, code & 1, true);
}

ARC_FN Value prim_mir_rot(Lane& lane, const Value* a) {
  const i64 code = a[1].number;
  switch (code) {
    case 0: return prim_hmirror(lane, a);
    case 1: return prim_dmirror(lane, a);
    case 2: return prim_vmirror(lane, a);
    case 3: return prim_cmirror(lane, a);
    default: break;
  }
  // A patch has mirrors but no turns.
  if (!is_tuple(a[0])) return fail(OUT_OF_RANGE);
  if (!is_rows(a[0])) return fail(WRONG_TYPE);
  return code == 4   ? prim_rot90(lane, a)
         : code == 5 ? prim_rot180(lane, a)
         : code == 6 ? prim_rot270(lane, a)
                     : a[0];
}

ARC_FN Value prim_col_row(Lane& lane, const Value* a) {
  switch (a[1].number) {
    case 0: return prim_lowermost(lane, a);
    case 1: return prim_uppermost(lane, a);
    case 2: return prim_leftmost(lane, a);
    default: return prim_rightmost(lane, a);
  }
}
ARC_FN Value prim_corner(Lane& lane, const Value* a) {
  switch (a[1].number) {
    case 0: return prim_ulcorner(lane, a);
    case 1: return prim_urcorner(lane, a);
    case 2: return prim_llcorner(lane, a);
    default: return prim_lrcorner(lane, a);
  }
}

}  // namespace arc
