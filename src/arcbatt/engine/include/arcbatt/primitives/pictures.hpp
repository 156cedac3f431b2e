// Steps from picture to picture: as language/primitives/pictures.py.
#pragma once
#include "../pictures.hpp"

namespace arc {

// --- colours ---

template <class C>
ARC_FN Picture<C> step_keep_color(Lane& lane, const Picture<C>& p, i64 color) {
  ARC_NEW_PICTURE(kept, to, p.row, p.column, p.n_rows, p.width);
  const C* from = p.cells;
  each(p.area(), [=](i64 k) { to[k] = from[k] == color ? from[k] : 0; });
  return kept;
}
ARC_FN Value prim_keep_color(Lane& lane, const Value* a) {
  return value_of(lane, step_keep_color(lane, picture_of(a[0]), a[1].number));
}

}  // namespace arc
