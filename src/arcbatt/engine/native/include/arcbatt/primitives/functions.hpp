// Functions as values, and functions over containers. language/primitives/functions.py defines the primitives.
#pragma once
#include "numbers.hpp"

namespace arc {

// Makes a function with captured arguments.
ARC_FN Value make_function(Lane& lane, u32 primitive, const Value* args, u32 n) {
  ARC_NEW_MEMBERS(captured, n);
  each(n, [=](i64 k) { captured[k] = args[k]; });
  return block_value(lane, FUNCTION, primitive, captured, n);
}
ARC_FN Value prim_compose(Lane& lane, const Value* a) { return make_function(lane, P_compose, a, 2); }
ARC_FN Value prim_chain(Lane& lane, const Value* a) { return make_function(lane, P_chain, a, 3); }
ARC_FN Value prim_matcher(Lane& lane, const Value* a) { return make_function(lane, P_matcher, a, 2); }
ARC_FN Value prim_rbind(Lane& lane, const Value* a) { return make_function(lane, P_rbind, a, 2); }
ARC_FN Value prim_lbind(Lane& lane, const Value* a) { return make_function(lane, P_lbind, a, 2); }
ARC_FN Value prim_fork(Lane& lane, const Value* a) { return make_function(lane, P_fork, a, 3); }
ARC_FN Value prim_power(Lane& lane, const Value* a) {
  if (a[1].number < 1) return fail(OUT_OF_RANGE);
  return a[1].number == 1 ? a[0] : make_function(lane, P_power, a, 2);
}

// --- over containers ---

// Many containers whose members are visited: groups of adjacent threads take a container each. Groups are the larger,
// the longer and the fewer the containers are.
struct Inners {
  const Value* values;
  i64 n;
  int doublings;  // a group has 2^doublings threads

  // Calls f(k, j) for the members j of all containers k, in any order.
  template <class F>
  ARC_FN void each_member(F f) const {
    const Counter all = (Counter)n, group = (Counter)1 << doublings, first = thread_index() & (group - 1);
    for (Counter k = thread_index() >> doublings; k < all; k += W >> doublings) {
      const Counter end = (Counter)values[k].n;
      for (Counter j = first; j < end; j += group) f((i64)k, (i64)j);
    }
    sync();
  }
};
ARC_FN Inners inners_of(const Value* values, i64 n) {
  int doublings = 0;
  if (W > 1) {
    i32 longest = 0;
    for (Counter k = thread_index(); k < (Counter)n; k += W) longest = max_of(longest, (i32)values[k].n);
    longest = greatest_of_threads(longest);
    while (W >> doublings > 1 && n << 2 * doublings < (i64)longest * W) doublings++;
  }
  return {values, n, doublings};
}

#if defined(ARC_WARP_LANES)
// `merge_by_rows` reads the keys once per color. It pays up to this number of reads: of keys that are contiguous in
// memory, which all threads read together, and of others.
constexpr u32 MAX_CONTIGUOUS_READS = 16 * 1024, MAX_SCATTERED_READS = 1024;
// Makes the set of the keys, of locations or cells, that each_key(f) passes to f: by rows of bits, color by color.
// Returns false, without any effect, if they are not close to the origin, or would take more than `max_reads`.
template <class EachKey>
ARC_FN bool merge_by_rows(Lane& lane, Kind kind, i64 n_members, u32 max_reads, Value* set, EachKey each_key) {
  u32 seen = 0;
  each_key([&](Key key) { seen |= 1u << (is_place_near(key) ? min_of((u32)color_of(key), 30u) : 31u); });
  u32 colors = bits_of_threads(seen);
  if (colors >> 30 || (u32)count_bits(colors) * (u64)n_members > max_reads) return false;
  Key* keys = lane.allocate_array<Key>(n_members);
  u32* words = shared_words(lane);
  i64 n = 0;
  for (; keys && colors; colors &= colors - 1) {
    const i32 color = lowest_bit(colors);
    write_shared(words + thread_index(), 0);
    sync();
    each_key([=](Key key) {
      if (color_of(key) == color) add_place(words, key);
    });
    const u32 row = read_shared(words + thread_index());
    sync();
    n += write_keys_of_rows(row, key_of(color, 0, 0), keys + n);
  }
  sync();
  if (keys) give_back(lane, keys, n);
  *set = keys ? keys_value(kind, keys, (u32)n) : fail(OVER_BUDGET);
  return true;
}

// Facts about a group of values.
struct Gathered {
  u32 kinds;        // that occur, as bits
  i64 n_members;
  bool in_a_row;    // contiguous: the members of each follow those of the previous one in memory

  ARC_FN Gathered(const Value* values, i64 n) {
    u64 own = 0;
    bool apart = false;
    u32 seen = 0;
    for (Counter k = thread_index(); k < (Counter)n; k += W) {
      const Value value = values[k];
      seen |= 1u << value.kind;
      own += value.n;
      apart |= k + 1 < (Counter)n && value.keys + value.n != values[k + 1].keys;
    }
    in_a_row = !any_thread(apart);
    kinds = bits_of_threads(seen);
    n_members = large_sum_of_threads(own);
  }
};
// Makes the set of all members of sets of one kind that are contiguous in memory, as the parts of a grid are. Returns
// false, without any effect, if they are not, or are not close to the origin.
ARC_FN bool merge_in_a_row(Lane& lane, const Value* inners, i64 n, Value* set) {
  const Gathered all(inners, n);
  if (!all.in_a_row || (all.kinds != 1u << OBJECT && all.kinds != 1u << INDICES)) return false;
  const bool fits = lane.require((u64)all.n_members);
  if (!fits || n == 1) {
    *set = fits ? inners[0] : fail(OVER_BUDGET);
    return true;
  }
  const Key* keys = inners[0].keys;
  const i64 n_keys = all.n_members;
  return merge_by_rows(lane, all.kinds == 1u << OBJECT ? OBJECT : INDICES, n_keys, MAX_CONTIGUOUS_READS, set,
                       [=](auto f) { each(n_keys, [=](i64 k) mutable { f(keys[k]); }); });
}
#endif

// Returns the members of all members, in a container of the outer kind, which is a tuple or set.
ARC_NOINLINE Value merge_any(Lane& lane, bool tuple, const Value* inners, i64 n) {
  i64 n_members = total(n, [=](i64 k) { return (i64)inners[k].n; });
  if (any(n, [=](i64 k) { return !is_container(inners[k]); })) return fail(WRONG_TYPE);
  ARC_REQUIRE(n_members);
  if (!tuple) {
    // Sets of locations or of cells, by far the most common, are joined as keys.
    for (int locations = 0; locations < 2; locations++) {
      const Kind kind = locations ? INDICES : OBJECT;
      if (any(n, [=](i64 k) { return inners[k].kind != kind && inners[k].n; })) continue;
      if (n == 1 && n_members) return inners[0];
      const Inners all = inners_of(inners, n);
      auto each_key = [=](auto f) {
        all.each_member([=](i64 k, i64 j) mutable { f(inners[k].keys[j]); });
      };
      Value set;
#if defined(ARC_WARP_LANES)
      if (merge_by_rows(lane, kind, n_members, MAX_SCATTERED_READS, &set, each_key)) return set;
#elif !defined(ARC_FLAT)
      if (near_set(lane, kind, n_members, &set, each_key)) return set;
#endif
      if (n_members >= MANY_KEYS &&
          set_by_bits(lane, kind, box_of_keys(each_key), n_members, &set, each_key))
        return set;
      ARC_ALLOCATE(keys, Key, n_members);
      ARC_ALLOCATE(starts, u32, n);
      running_sums(n, starts, [=](i64 k) { return inners[k].n; });
      all.each_member([=](i64 k, i64 j) { keys[starts[k] + j] = inners[k].keys[j]; });
      return set_of_keys(lane, kind, keys, n_members);
    }
  }
  ARC_NEW_MEMBERS(members, n_members);
  ARC_ALLOCATE(starts, u32, n);
  running_sums(n, starts, [=](i64 k) { return inners[k].n; });
  inners_of(inners, n).each_member(
      [=](i64 k, i64 j) { members[starts[k] + j] = member(inners[k], (u32)j); });
  return tuple ? tuple_of(lane, members, n_members) : set_of(lane, members, n_members);
}
ARC_FN Value merge_members(Lane& lane, bool tuple, const Value* inners, i64 n) {
#if defined(ARC_WARP_LANES)
  if (Value set; !tuple && merge_in_a_row(lane, inners, n, &set)) return set;
#endif
  return seldom(lane, [=](Lane& there) { return merge_any(there, tuple, inners, n); });
}

// Merges the values of a column; for a set, after equal inner values have been merged.
ARC_FN Value merge_column(Lane& lane, bool tuple, const Column& column, i64 n) {
  Value failure = first_failure(column, n);
  if (failure.failed()) return failure;
  const Value* inners = column.form == Column::VALUES ? column.values : members_of_column(lane, column, n);
  if (!inners) return fail(OVER_BUDGET);
  return merge_members(lane, tuple, inners, n);
}

#if defined(ARC_FLAT)
// Returns whether function values that are not known yet are being asked for; otherwise arguments are not needed.
ARC_EXTERN bool are_arguments_wanted(Lane& lane);
#else
ARC_FN bool are_arguments_wanted(const Lane&) { return true; }
#endif
// Returns the members of a container as arguments of a function.
ARC_FN Column arguments_of(Lane& lane, const Value& container) {
  return are_arguments_wanted(lane) ? column_of(lane, container) : Column();
}

ARC_FN Value prim_apply(Lane& lane, const Value* a) {
  Column members = arguments_of(lane, a[1]);
  Column values = map_function(lane, a[0], &members, 1, a[1].n);
  if (lane.exceeded) return fail(OVER_BUDGET);
  return container_of_column(lane, is_tuple(a[1]), values, a[1].n);
}
ARC_FN Value prim_mapply(Lane& lane, const Value* a) {
  Column members = arguments_of(lane, a[1]);
  Column values = map_function(lane, a[0], &members, 1, a[1].n);
  if (lane.exceeded) return fail(OVER_BUDGET);
  return merge_column(lane, is_tuple(a[1]), values, a[1].n);
}
ARC_FN Value prim_rapply(Lane& lane, const Value* a) {
  u32 n = a[0].n;
  Value* values = lane.allocate_array<Value>(n);
  if (!values) return fail(OVER_BUDGET);
  for (u32 k = 0; k < n; k++) {
    Value outcome = call_function(lane, a[0].members()[k], a + 1, 1);
    if (lane.exceeded) return fail(OVER_BUDGET);
    if (thread_index() == 0) values[k] = outcome;
  }
  sync();
  return container_of_column(lane, is_tuple(a[0]), value_column(values), n);
}

// Applies a function to the members of two containers in pairs, up to the end of the shorter one.
ARC_FN Column map_pairs(Lane& lane, const Value* a, i64* n) {
  Column members[2] = {arguments_of(lane, a[1]), arguments_of(lane, a[2])};
  *n = min_of(a[1].n, a[2].n);
  return map_function(lane, a[0], members, 2, *n);
}
ARC_FN Value prim_papply(Lane& lane, const Value* a) {
  i64 n;
  Column values = map_pairs(lane, a, &n);
  if (lane.exceeded) return fail(OVER_BUDGET);
  return container_of_column(lane, true, values, n);
}
ARC_FN Value prim_mpapply(Lane& lane, const Value* a) {
  i64 n;
  Column values = map_pairs(lane, a, &n);
  if (lane.exceeded) return fail(OVER_BUDGET);
  return merge_column(lane, true, values, n);
}

// Returns a column that has each of n values `times` in a row, or all values `times` over.
ARC_FN Column spread(Lane& lane, const Column& column, i64 n, i64 times, bool in_a_row) {
  if (lane.exceeded) return failed_column(lane);  // there was no memory for the column
  i64 size = n * times;
#if !defined(ARC_FLAT)
  // Without a division per element.
  const auto each_spread = [=](auto to, auto from) {
    if (in_a_row) {
      for (i64 k = 0; k < n; k++)
        for (i64 j = 0; j < times; j++) *to++ = from[k];
    } else {
      for (i64 j = 0; j < times; j++)
        for (i64 k = 0; k < n; k++) *to++ = from[k];
    }
  };
#else
  const auto each_spread = [=](auto to, auto from) {
    each(size, [=](i64 k) { to[k] = from[in_a_row ? (Counter)k / (Counter)times : (Counter)k % (Counter)n]; });
  };
#endif
  if (column.form == Column::NUMBERS) {
    i32* ints = lane.allocate_array<i32>(size);
    if (!ints) return failed_column(lane);
    each_spread(ints, column.ints);
    return number_column(ints);
  }
  if (column.form == Column::VALUES) {
    Value* values = lane.allocate_array<Value>(size);
    if (!values) return failed_column(lane);
    each_spread(values, column.values);
    return value_column(values);
  }
  Key* keys = lane.allocate_array<Key>(size);
  if (!keys) return failed_column(lane);
  each_spread(keys, column.keys);
  return key_column(column.form, keys);
}

ARC_EFFORT(prapply, n_elements + 2ULL * args[1].n * args[2].n)
ARC_FN Value prim_prapply(Lane& lane, const Value* a) {
  i64 na = a[1].n, nb = a[2].n, n = na * nb;
  ARC_REQUIRE(n);
  if (n == 0) return empty_set();
#if !defined(ARC_FLAT)
  // A function that is called with the wrong number of arguments fails at no cost, so no pairs may be made for it.
  if (a[0].n && arity_of(a[0]) != 2) return fail(WRONG_TYPE);
  if (!a[0].n) {
    // Each pair is charged for what the primitive reads, whether it fails or not.
    const u32 peeks = info_of(a[0].aux).peeks;
    u64 read = (u64)n;
    if (!(peeks & 1)) read += (u64)nb * (weight_of(a[1]) - (u64)na);
    if (!(peeks & 2)) read += (u64)na * (weight_of(a[2]) - (u64)nb);
    if (read > lane.max_steps - min_of(lane.steps, lane.max_steps)) lane.exceeded = true;
    if (lane.exceeded) return fail(OVER_BUDGET);
  }
#endif
  Column members[2];
  if (are_arguments_wanted(lane)) {
    members[0] = spread(lane, column_of(lane, a[1]), na, nb, false);
    members[1] = spread(lane, column_of(lane, a[2]), nb, na, true);
  }
  Column values = map_function(lane, a[0], members, 2, n);
  if (lane.exceeded) return fail(OVER_BUDGET);
  return container_of_column(lane, false, values, n);
}

}  // namespace arc
