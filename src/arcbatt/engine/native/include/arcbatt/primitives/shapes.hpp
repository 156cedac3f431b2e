// Shapes and copies of patches. language/primitives/shapes.py defines the primitives.
#pragma once
#include "patches.hpp"

namespace arc {

constexpr i64 REACH = 30;

// Returns the distinct locations of a patch in ascending order.
ARC_FN Keys distinct_places(Lane& lane, const Value& patch) {
  return sorted_keys(lane, places_of(lane, patch));
}

ARC_FN Value prim_is_solid(Lane& lane, const Value* a) {
  if (a[0].n == 0) return truth(false);
  ARC_KEYS(places, distinct_places(lane, a[0]));
  const Bounds box = bounds_of(places);
  return truth(places.n == box.height() * box.width());
}
ARC_FN Value prim_is_outline(Lane& lane, const Value* a) {
  if (a[0].n == 0) return truth(false);
  ARC_KEYS(places, distinct_places(lane, a[0]));
  const Bounds box = bounds_of(places);
  if (box.height() < 3 || box.width() < 3) return truth(false);
  if (places.n != 2 * (box.height() + box.width()) - 4) return truth(false);
  const Key* keys = places.keys;
  return truth(!any(places.n, [=](i64 k) {
    const i64 i = row_of(keys[k]), j = column_of(keys[k]);
    return i > box.top && i < box.bottom && j > box.left && j < box.right;
  }));
}
ARC_FN Value prim_inside_of(Lane& lane, const Value* a) {
  if (a[0].n == 0) return empty_set();
  ARC_KEYS(keys, keys_of(lane, a[0]));
  const Bounds box = bounds_of(keys);
  const i64 height = max_of<i64>(box.height() - 2, 0), width = max_of<i64>(box.width() - 2, 0);
  ARC_REQUIRE(3 * (u64)height * (u64)width);
  ARC_ALLOCATE(inside, Key, height * width);
  const Key first = key_of(box.top + 1, box.left + 1);
  each_in_grid(height, width,
               [=](i64 i, i64 j) { inside[i * width + j] = first + ((Key)i << LINE_ROW) + (Key)j; });
  return keys_value(INDICES, inside, (u32)(height * width));
}
ARC_FN Value prim_cross_at(Lane& lane, const Value* a) {
  ARC_ALLOCATE(keys, Key, 2 * REACH);
  const i64 row = row_of(a[0].key), column = column_of(a[0].key);
  each(REACH, [=](i64 k) {
    keys[k] = key_of(row, k);
    keys[REACH + k] = key_of(k, column);
  });
  return set_of_keys(lane, INDICES, keys, 2 * REACH);
}

// --- copies ---

// Returns the patch moved by each of some vectors, which are given as locations.
ARC_NOINLINE Value copies_of(Lane& lane, const Value& patch, const Keys& offsets) {
  const u64 n_all = (u64)patch.n * (u64)offsets.n;
  ARC_CHARGE(n_all);
  if (n_all == 0) return empty_set();
  const Kind kind = kind_of_patch(patch);
  ARC_REQUIRE((kind == OBJECT ? 5 : 3) * n_all);
  ARC_KEYS(keys, keys_of(lane, patch));
  const Bounds box = bounds_of(keys), ways = bounds_of(offsets);
  if (!in_range(box.top + ways.top) || !in_range(box.left + ways.left) ||
      !in_range(box.bottom + ways.bottom) || !in_range(box.right + ways.right))
    return fail(OUT_OF_RANGE);
  const Key *from = keys.keys, *ways_there = offsets.keys;
  const i64 n = keys.n;
  auto moved_key = [=](i64 k, i64 j) {
    const Key way = ways_there[k];
    return from[j] + ((Key)(i64)row_of(way) << LINE_ROW) + (Key)(i64)column_of(way);
  };
  auto color = [=](i64 k) { return (i64)color_of(from[k]); };
  const i64 first_color = least(n, MAX_NUMBER, color);
  const KeyBox around = {first_color,
                         box.top + ways.top,
                         box.left + ways.left,
                         greatest(n, -MAX_NUMBER, color) - first_color + 1,
                         box.height() + ways.height() - 1,
                         box.width() + ways.width() - 1};
  Value set;
  auto each_key = [=](auto f) {
    each_in_grid(offsets.n, n, [=](i64 k, i64 j) mutable { f(moved_key(k, j)); });
  };
  if (set_by_bits(lane, kind, around, (i64)n_all, &set, each_key)) return set;
  ARC_ALLOCATE(moved, Key, n_all);
  each_in_grid(offsets.n, n, [=](i64 k, i64 j) { moved[k * n + j] = moved_key(k, j); });
  return set_of_keys(lane, kind, moved, (i64)n_all);
}

ARC_EFFORT(copies_at, n_elements + 2ULL * args[0].n * args[1].n)
ARC_FN Value prim_copies_at(Lane& lane, const Value* a) {
  ARC_KEYS(offsets, places_of(lane, a[1]));
  return copies_of(lane, a[0], offsets);
}

ARC_EFFORT(repeat_along, n_elements + 2ULL * REACH * args[0].n)
ARC_FN Value prim_repeat_along(Lane& lane, const Value* a) {
  const i64 di = row_of(a[1].key), dj = column_of(a[1].key);
  const i64 longest = max_of(max_of(di, -di), max_of(dj, -dj));
  const i64 n_each_way = longest ? (REACH - 1) / longest : 0;
  ARC_ALLOCATE(offsets, Key, 2 * n_each_way + 1);
  each(2 * n_each_way + 1,
       [=](i64 k) { offsets[k] = key_of((k - n_each_way) * di, (k - n_each_way) * dj); });
  return copies_of(lane, a[0], Keys{offsets, 2 * n_each_way + 1});
}

}  // namespace arc
