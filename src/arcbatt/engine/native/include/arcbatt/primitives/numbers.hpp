// Numbers, pairs of numbers and truth values. language/primitives/numbers.py defines the primitives.
#pragma once
#include "../call.hpp"

namespace arc {

template <class F>
ARC_FN Value on_each(const Value& x, F f) {
  if (x.kind == INT) return number(f(x.number));
  return pair_of(f(row_of(x.key)), f(column_of(x.key)));
}

template <class F>
ARC_FN Value on_both(const Value& a, const Value& b, F f) {
  if (a.kind == INT && b.kind == INT) return number(f(a.number, b.number));
  i64 a0 = a.kind == INT ? a.number : row_of(a.key), a1 = a.kind == INT ? a.number : column_of(a.key);
  i64 b0 = b.kind == INT ? b.number : row_of(b.key), b1 = b.kind == INT ? b.number : column_of(b.key);
  return pair_of(f(a0, b0), f(a1, b1));
}

// Rounds down, as Python does.
ARC_FN i64 floor_divide(i64 x, i64 y) {
  i64 q = x / y;
  return q - (x % y != 0 && (x < 0) != (y < 0));
}

ARC_FN Value prim_add(Lane&, const Value* a) {
  return on_both(a[0], a[1], [](i64 x, i64 y) { return x + y; });
}
ARC_FN Value prim_subtract(Lane&, const Value* a) {
  return on_both(a[0], a[1], [](i64 x, i64 y) { return x - y; });
}
ARC_FN Value prim_multiply(Lane&, const Value* a) {
  return on_both(a[0], a[1], [](i64 x, i64 y) { return x * y; });
}
ARC_FN Value prim_divide(Lane&, const Value* a) {
  const Value& by = a[1];
  if (by.kind == INT ? by.number == 0 : row_of(by.key) == 0 || column_of(by.key) == 0)
    return fail(OUT_OF_RANGE);
  return on_both(a[0], by, floor_divide);
}
ARC_FN Value prim_invert(Lane&, const Value* a) {
  return on_each(a[0], [](i64 x) { return -x; });
}
ARC_FN Value prim_even(Lane&, const Value* a) { return truth(!(a[0].number & 1)); }
ARC_FN Value prim_double(Lane&, const Value* a) {
  return on_each(a[0], [](i64 x) { return 2 * x; });
}
ARC_FN Value prim_halve(Lane&, const Value* a) {
  return on_each(a[0], [](i64 x) { return floor_divide(x, 2); });
}
ARC_FN Value prim_increment(Lane&, const Value* a) {
  return on_each(a[0], [](i64 x) { return x + 1; });
}
ARC_FN Value prim_decrement(Lane&, const Value* a) {
  return on_each(a[0], [](i64 x) { return x - 1; });
}
ARC_FN Value prim_crement(Lane&, const Value* a) {
  return on_each(a[0], [](i64 x) { return x + (x > 0) - (x < 0); });
}
ARC_FN Value prim_sign(Lane&, const Value* a) {
  return on_each(a[0], [](i64 x) { return (i64)((x > 0) - (x < 0)); });
}
ARC_FN Value prim_positive(Lane&, const Value* a) { return truth(a[0].number > 0); }
ARC_FN Value prim_greater(Lane&, const Value* a) { return truth(compare(a[0], a[1]) > 0); }
ARC_FN Value prim_toivec(Lane&, const Value* a) { return pair_of(a[0].number, 0); }
ARC_FN Value prim_tojvec(Lane&, const Value* a) { return pair_of(0, a[0].number); }
ARC_FN Value prim_flip(Lane&, const Value* a) { return truth(!is_true(a[0])); }
ARC_FN Value prim_both(Lane&, const Value* a) { return is_true(a[0]) ? a[1] : a[0]; }
ARC_FN Value prim_either(Lane&, const Value* a) { return is_true(a[0]) ? a[0] : a[1]; }
ARC_FN Value prim_equality(Lane&, const Value* a) { return truth(equal(a[0], a[1])); }
ARC_FN Value prim_identity(Lane&, const Value* a) { return a[0]; }
ARC_FN Value prim_branch(Lane&, const Value* a) { return is_true(a[0]) ? a[1] : a[2]; }

ARC_FN Value prim_astuple(Lane& lane, const Value* a) {
  ARC_NEW_MEMBERS(members, 2);
  each(2, [=](i64 k) { members[k] = a[k]; });
  return tuple_of(lane, members, 2);
}

// The locations around one, as a bit set of directions: bit 3 * (di + 1) + (dj + 1).
constexpr u32 TO_SIDES = 0252, TO_CORNERS = 0505, TO_ALL = 0757;
template <bool ALONE>
ARC_FN Value around_by(const Value& location, u32 directions, Key* keys) {
  i64 row = row_of(location.key), column = column_of(location.key);
  if (!in_range(row - 1) || !in_range(row + 1) || !in_range(column - 1) || !in_range(column + 1))
    return fail(OUT_OF_RANGE);
  i64 n = 0;
  auto is_wanted = [=](i64 k) { return directions >> k & 1; };
  auto write = [=](i64 k, i64 place) { keys[place] = key_of(row + k / 3 - 1, column + k % 3 - 1); };
  if (!ALONE) {
    n = filter(9, 0, is_wanted, write);
  } else {
    for (i64 k = 0; k < 9; k++)
      if (is_wanted(k)) write(k, n++);
  }
  return keys_value(INDICES, keys, (u32)n);
}
// The weight of these locations.
ARC_FN u64 weight_around(u32 directions) { return 3 * (u64)count_bits(directions); }
ARC_FN Value around(Lane& lane, const Value& location, u32 directions) {
  ARC_REQUIRE(weight_around(directions));  // first: a value too large and out of range is over budget
  ARC_ALLOCATE(keys, Key, 8);
  return around_by<W == 1>(location, directions, keys);
}
ARC_FN Value prim_dneighbors(Lane& lane, const Value* a) { return around(lane, a[0], TO_SIDES); }
ARC_FN Value prim_ineighbors(Lane& lane, const Value* a) { return around(lane, a[0], TO_CORNERS); }
ARC_FN Value prim_neighbors(Lane& lane, const Value* a) { return around(lane, a[0], TO_ALL); }

}  // namespace arc
