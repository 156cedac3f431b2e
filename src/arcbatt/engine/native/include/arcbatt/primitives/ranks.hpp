// Picking by rank. language/primitives/ranks.py defines the primitives.
#pragma once
#include "grids.hpp"

namespace arc {

// Returns the position, from 0, of a rank among n; -1 if there is none.
ARC_FN i64 place_of_rank(i64 rank, i64 n) {
  if (rank < -n || rank >= n) return -1;
  return rank < 0 ? rank + n : rank;
}

// Returns the position in a column of the value at a rank in sorted order; -1 if memory ran out.
ARC_NOINLINE i64 ranked_place(Lane& lane, const Column& keys, i64 n, i64 at, bool descending) {
  if (at == 0 || at == n - 1) return extreme_place(keys, n, descending, at != 0);
  const i32* places = places_in_order(lane, keys, n, descending);
  return places ? places[at] : -1;
}

// Returns the member, or the key, at a rank by key.
ARC_FN Value ranked(Lane& lane, const Value& container, const Value& key, i64 rank, bool descending,
                    bool give_key) {
  i64 n = container.n;
  if (n == 0) return fail(OUT_OF_RANGE);
  ARC_MAP_MEMBERS(keys, key, container);
  i64 at = place_of_rank(rank, n);
  if (at < 0) return fail(OUT_OF_RANGE);
  i64 place = ranked_place(lane, keys, n, at, descending);
  if (place < 0) return fail(OVER_BUDGET);
  return give_key ? keys.at(place) : member(container, (u32)place);
}

ARC_FN Value prim_get_nth(Lane&, const Value* a) {
  i64 at = place_of_rank(a[1].number, a[0].n);
  return at < 0 ? fail(OUT_OF_RANGE) : member(a[0], (u32)at);
}
ARC_FN Value prim_get_nth_by_key(Lane& lane, const Value* a) {
  return ranked(lane, a[0], a[2], a[1].number, false, false);
}
ARC_FN Value prim_get_arg_rank(Lane& lane, const Value* a) {
  return ranked(lane, a[0], a[1], a[2].number, true, false);
}
ARC_FN Value prim_get_val_rank(Lane& lane, const Value* a) {
  return ranked(lane, a[0], a[1], a[2].number, false, true);
}

ARC_FN Value prim_get_rank(Lane& lane, const Value* a) {
  const Value from = a[0];
  i64 n = from.n, at = place_of_rank(a[1].number, n);
  if (at < 0) return fail(OUT_OF_RANGE);
  if (is_set(from)) return member(from, (u32)(n - 1 - at));
  const Column members = column_of(lane, from);
  if (lane.exceeded) return fail(OVER_BUDGET);
  i64 place = ranked_place(lane, members, n, at, true);
  return place < 0 ? fail(OVER_BUDGET) : member(from, (u32)place);
}

// Returns the value at a rank of a tally ordered by count; of equally common values the lesser comes first.
ARC_FN Value ranked_by_count(Lane& lane, const Tally& tally, i64 rank, bool descending) {
  if (tally.n < 0) return fail(OVER_BUDGET);
  i64 at = place_of_rank(rank, tally.n);
  if (at < 0) return fail(OUT_OF_RANGE);
  i64 place = ranked_place(lane, number_column(tally.counts), tally.n, at, descending);
  return place < 0 ? fail(OVER_BUDGET) : Value(tally.values[place]);
}

ARC_FN Value prim_get_common_rank(Lane& lane, const Value* a) {
  if (a[0].n == 0) return fail(OUT_OF_RANGE);
  if (is_set(a[0])) return prim_get_nth(lane, a);  // each occurs once
  return ranked_by_count(lane, tally_of_tuple(lane, a[0]), a[1].number, false);
}

ARC_NOINLINE Value prim_get_color_rank(Lane& lane, const Value* a) {
  ARC_PALETTE(palette, a[0]);
  const i64 at = place_of_rank(a[1].number, palette.n);
  if (at < 0) return fail(OUT_OF_RANGE);
  const i64 place = ranked_place(lane, number_column(palette.counts), palette.n, at, true);
  return place < 0 ? fail(OVER_BUDGET) : number(palette.colors[place]);
}

}  // namespace arc
