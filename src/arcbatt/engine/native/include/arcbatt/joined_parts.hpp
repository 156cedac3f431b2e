// Union-find over numbered members: each has a parent, not later than itself; the first of a part is its own parent.
#pragma once
#include "platform.hpp"

namespace arc {

// The first member of a member's part.
ARC_FN i32 root_of(i32* parents, i32 k) {
  while (parents[k] != k) k = parents[k] = parents[parents[k]];
  return k;
}
// Joins two parts; returns whether they were separate.
ARC_FN bool join_parts(i32* parents, i64 a, i64 b) {
  const i32 x = root_of(parents, (i32)a), y = root_of(parents, (i32)b);
  parents[max_of(x, y)] = min_of(x, y);
  return x != y;
}

// The first member of a member's part, while other threads join parts.
ARC_FN i32 root_at_once(i32* parents, i32 k) {
  i32 before = k, here = parents[k];
  for (i32 next; here > (next = parents[here]);) {
    parents[before] = next;  // shortens the path for all
    before = here;
    here = next;
  }
  return here;
}
ARC_FN void join_at_once(i32* parents, i32 a, i32 b) {
  for (;;) {
    a = root_at_once(parents, a);
    b = root_at_once(parents, b);
    if (a == b) return;
    const i32 low = min_of(a, b), high = max_of(a, b), before = atomic_min(parents + high, low);
    if (before == high) return;
    a = low;
    b = before;
  }
}
// Replaces each member's parent by its root, by all threads, once all parts are joined. Paths are not shortened
// meanwhile: that would overwrite roots by parents.
ARC_FN void settle_parts(i32* parents, i64 n) {
  each(n, [=](i64 k) {
    const volatile i32* seen = parents;
    i32 part = seen[k];
    for (i32 next; (next = seen[part]) != part;) part = next;
    parents[k] = part;
  });
}

}  // namespace arc
