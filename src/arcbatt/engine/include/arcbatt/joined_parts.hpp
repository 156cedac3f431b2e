// Parts of what is numbered, joined as it is found what belongs together: each member has a parent, no later than
// itself, and the first of a part is its own.
#pragma once
#include "platform.hpp"

namespace arc {

// The first of a member's part.
ARC_FN i32 root_of(i32* parents, i32 k) {
  while (parents[k] != k) k = parents[k] = parents[parents[k]];
  return k;
}
// Whether the two were apart.
ARC_FN bool join_parts(i32* parents, i64 a, i64 b) {
  const i32 x = root_of(parents, (i32)a), y = root_of(parents, (i32)b);
  parents[max_of(x, y)] = min_of(x, y);
  return x != y;
}

}  // namespace arc
