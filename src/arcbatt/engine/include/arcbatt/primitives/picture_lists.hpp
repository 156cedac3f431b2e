// Lists of pictures: as language/primitives/picture_lists.py.
#pragma once
#include "pictures.hpp"

namespace arc {

// --- cut ---

template <class C>
ARC_FN PictureList<C> step_split_colors(Lane& lane, const Picture<C>& p) {
  const ColorCounts counts = count_colors(p);
  Picture<C>* items = lane.allocate_array<Picture<C>>(9);
  if (!items) return failed_list<C>(OVER_BUDGET);
  i64 n = 0;
  for (int color = 1; color < 10; color++) {
    if (!counts.n[color]) continue;
    const Picture<C> item = step_keep_color(lane, p, color);
    if (item.failed()) return failed_list<C>(item.reason());
    sync();
    if (thread_index() == 0) items[n] = item;
    sync();
    n++;
  }
  return list_of(items, n);
}
ARC_FN Value prim_split_colors(Lane& lane, const Value* a) {
  return value_of(lane, step_split_colors(lane, picture_of(a[0])));
}

}  // namespace arc
