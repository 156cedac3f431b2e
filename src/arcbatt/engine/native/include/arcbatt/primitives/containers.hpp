// Tuples and sets. language/primitives/containers.py defines the primitives.
#pragma once
#include "functions.hpp"

namespace arc {

// --- ascending arrays without duplicates: keys, or the numbers of a set ---

// Returns the first position whose element is not less than x.
template <class T>
ARC_FN i64 sorted_place(const T* data, i64 n, T x) {
  i64 low = 0;
  while (low < n) {
    i64 middle = (low + n) / 2;
    if (data[middle] < x)
      low = middle + 1;
    else
      n = middle;
  }
  return low;
}
template <class T>
ARC_FN bool sorted_has(const T* data, i64 n, T x) {
  i64 at = sorted_place(data, n, x);
  return at < n && data[at] == x;
}

// Writes the elements of one array that are in the other, or those that are not; returns how many.
template <class T>
ARC_FN i64 sorted_select(const T* a, i64 na, const T* b, i64 nb, bool common, T* to) {
  // A single thread walks along both, unless the other is so long that searching it is faster.
  bool walk = W == 1 && nb <= 16 * na;
  i64 at = 0;
  return filter(
      na, 0,
      [&](i64 k) {
        if (!walk) return sorted_has(b, nb, a[k]) == common;
        while (at < nb && b[at] < a[k]) at++;
        return (at < nb && b[at] == a[k]) == common;
      },
      [=](i64 k, i64 place) { to[place] = a[k]; });
}

// Writes the union of two sorted arrays, by one thread; returns its size.
template <class T>
ARC_FN i64 sorted_union_alone(const T* a, i64 na, const T* b, i64 nb, T* to) {
  i64 i = 0, j = 0, n = 0;
  while (i < na && j < nb) {
    T x = a[i], y = b[j];
    to[n++] = x < y ? x : y;
    i += x <= y;
    j += y <= x;
  }
  while (i < na) to[n++] = a[i++];
  while (j < nb) to[n++] = b[j++];
  return n;
}
// The number of elements that sorted_union needs memory for.
ARC_FN i64 union_room(i64 na, i64 nb) { return na + nb + (W == 1 ? 0 : nb); }
template <class T>
ARC_FN i64 sorted_union(const T* a, i64 na, const T* b, i64 nb, T* to) {
  if (W == 1) return sorted_union_alone(a, na, b, nb, to);
  // The position of an element is its own index plus its rank in the other array.
  T* fresh = to + na + nb;
  i64 n_fresh = sorted_select(b, nb, a, na, false, fresh);
  each(na, [=](i64 k) { to[k + sorted_place(fresh, n_fresh, a[k])] = a[k]; });
  each(n_fresh, [=](i64 k) { to[k + sorted_place(a, na, fresh[k])] = fresh[k]; });
  return na + n_fresh;
}

// --- members ---

// Containers of numbers, and of locations, in any form.
ARC_FN bool has_numbers(const Value& v) {
  return v.kind == INTS || v.kind == INTSET || v.kind == PAIR;
}
ARC_FN i32 number_at(const Value& v, i64 k) { return row_cell(v, k); }
ARC_FN bool has_locations(const Value& v) {
  return v.kind == INDICES || (v.kind == GRID && v.aux == 2);
}
ARC_FN Key location_at(const Value& v, i64 k) {
  return v.kind == INDICES ? v.keys[k] : key_of(v.ints[2 * k], v.ints[2 * k + 1]);
}

ARC_FN Value empty_like(const Value& container) {
  return is_tuple(container) ? empty_tuple() : empty_set();
}

// Makes a tuple of numbers that stay where they are in memory.
ARC_FN Value numbers_tuple(const i32* ints, i64 n) {
  if (n == 0) return empty_tuple();
  if (n == 2) return pair_of_key(key_of(ints[0], ints[1]));
  return ints_value(INTS, ints, (u32)n);
}

// As set_of, for members (from new_members) that ascend without duplicates.
ARC_FN Value set_of_sorted(Lane& lane, Value* members, i64 n) {
  if (n == 0) return empty_set();
  u32 kind = members[0].kind;
  if ((kind != PAIR && kind != CELL && kind != INT) || !is_kind(members, n, (Kind)kind))
    return block_value(lane, SET, 0, members, (u32)n);
  if (kind == INT) {
    ARC_ALLOCATE(ints, i32, n);
    each(n, [=](i64 k) { ints[k] = (i32)members[k].number; });
    return ints_value(INTSET, ints, (u32)n);
  }
  ARC_ALLOCATE(keys, Key, n);
  each(n, [=](i64 k) { keys[k] = members[k].key; });
  return keys_value(kind == PAIR ? INDICES : OBJECT, keys, (u32)n);
}

// Returns the members whose flag is not 0, in a container of the same kind.
ARC_NOINLINE Value select_members(Lane& lane, const Value& container, const i32* flags) {
  const Value from = container;
  i64 n = from.n;
  i64 kept = total(n, [=](i64 k) { return (i64)(flags[k] != 0); });
  if (kept == n) return from;
  if (kept == 0) return empty_like(from);
  auto keep = [=](i64 k) { return flags[k] != 0; };
  switch (from.kind) {
    case INDICES:
    case OBJECT: {
      ARC_ALLOCATE(keys, Key, kept);
      filter(n, 0, keep, [=](i64 k, i64 place) { keys[place] = from.keys[k]; });
      return keys_value((Kind)from.kind, keys, (u32)kept);
    }
    case INTS:
    case INTSET: {
      ARC_ALLOCATE(ints, i32, kept);
      filter(n, 0, keep, [=](i64 k, i64 place) { ints[place] = from.ints[k]; });
      return from.kind == INTS ? numbers_tuple(ints, kept) : ints_value(INTSET, ints, (u32)kept);
    }
    case GRID: {
      i64 width = width_of(from);
      ARC_ALLOCATE(cells, i32, kept * width);
      filter(n, 0, keep, [=](i64 k, i64 place) {
        for (i64 j = 0; j < width; j++) cells[place * width + j] = from.ints[k * width + j];
      });
      return grid_value(cells, (u32)kept, (u32)width);
    }
    default: {
      ARC_NEW_MEMBERS(members, kept);
      filter(n, 0, keep, [=](i64 k, i64 place) { members[place] = member(from, (u32)k); });
      return is_tuple(from) ? tuple_of(lane, members, kept) : set_of_sorted(lane, members, kept);
    }
  }
}

// The position of a value in a set, or the one at which it would be inserted.
struct Found {
  i64 place;
  bool there;
};
template <bool ALONE = false>
ARC_NOINLINE Found find_in_set(const Value& set, const Value& value) {
  if ((set.kind == INDICES && value.kind == PAIR) || (set.kind == OBJECT && value.kind == CELL)) {
    i64 at = sorted_place(set.keys, set.n, value.key);
    return {at, at < set.n && set.keys[at] == value.key};
  }
  if (set.kind == INTSET && value.kind == INT) {
    i64 at = sorted_place(set.ints, set.n, (i32)value.number);
    return {at, at < set.n && set.ints[at] == value.number};
  }
  i64 low = 0, high = set.n;
  while (low < high) {
    i64 middle = (low + high) / 2;
    const Value there = member(set, (u32)middle);
    int c = ALONE ? compare_alone(there, value) : compare(there, value);
    if (c == 0) return {middle, true};
    if (c < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return {low, false};
}

// Counts the ascending values that are less than a value, by one thread.
ARC_FN i64 place_among(const Value* values, i64 n, const Value& value) {
  i64 low = 0;
  while (low < n) {
    const i64 middle = (low + n) / 2;
    if (compare_alone(values[middle], value) < 0)
      low = middle + 1;
    else
      n = middle;
  }
  return low;
}

// --- size, membership, set operations ---

ARC_FN Value prim_size(Lane&, const Value* a) { return number(a[0].n); }

ARC_FN Value prim_contained(Lane&, const Value* a) {
  const Value value = a[0], container = a[1];
  if (is_set(container)) return truth(find_in_set(container, value).there);
  if (container.kind == INTS)
    return truth(value.kind == INT &&
                 any(container.n, [=](i64 k) { return container.ints[k] == value.number; }));
  return truth(any(container.n, [=](i64 k) { return equal_alone(member(container, (u32)k), value); }));
}

#if defined(ARC_WARP_LANES)
// Returns the locations of the bits of rows.
ARC_FN Value indices_of_bits(Lane& lane, u32 row) {
  const i64 n = count_keys(row);
  ARC_ALLOCATE(keys, Key, n);
  write_keys_of_rows(row, key_of(0, 0), keys);
  sync();
  return keys_value(INDICES, keys, (u32)n);
}
#endif

// Concatenates the members of two containers in `all`.
ARC_FN bool members_of_both(Lane& lane, const Value& a, const Value& b, Value** all) {
  const Value x = a, y = b;
  Value* members = *all = new_members(lane, (u64)x.n + y.n);
  if (!members) return false;
  each(x.n, [=](i64 k) { members[k] = member(x, (u32)k); });
  each(y.n, [=](i64 k) { members[x.n + k] = member(y, (u32)k); });
  return true;
}

ARC_NOINLINE Value combine_tuple(Lane& lane, const Value& first, const Value& second) {
  const Value a = first, b = second;
  i64 na = a.n, n = na + b.n;
  if (has_numbers(a) && has_numbers(b)) {
    ARC_ALLOCATE(ints, i32, n);
    each(n, [=](i64 k) { ints[k] = k < na ? number_at(a, k) : number_at(b, k - na); });
    return numbers_tuple(ints, n);
  }
  if (a.kind == GRID && b.kind == GRID && width_of(a) == width_of(b)) {
    i64 width = width_of(a), size = na * width;
    ARC_ALLOCATE(cells, i32, n * width);
    copy(cells, a.ints, size);
    copy(cells + size, b.ints, b.n * width);
    return grid_value(cells, (u32)n, (u32)width);
  }
  Value* members;
  if (!members_of_both(lane, a, b, &members)) return fail(OVER_BUDGET);
  return tuple_of(lane, members, n);
}

ARC_NOINLINE Value combine_set(Lane& lane, const Value& a, const Value& b) {
  i64 n = (i64)a.n + b.n;
  if (!is_set(b)) {
    Value* members;
    if (!members_of_both(lane, a, b, &members)) return fail(OVER_BUDGET);
    return set_of(lane, members, n);
  }
  if (a.kind == b.kind && (a.kind == INDICES || a.kind == OBJECT)) {
    ARC_ALLOCATE(keys, Key, union_room(a.n, b.n));
    return keys_value((Kind)a.kind, keys, (u32)sorted_union(a.keys, a.n, b.keys, b.n, keys));
  }
  if (a.kind == b.kind && a.kind == INTSET) {
    ARC_ALLOCATE(ints, i32, union_room(a.n, b.n));
    return ints_value(INTSET, ints, (u32)sorted_union(a.ints, a.n, b.ints, b.n, ints));
  }
  // The union of two general sets, or of sets of two kinds, is a general set.
  if (W > 1) {  // positions as in sorted_union
    ARC_ALLOCATE(fresh, Value, b.n);
    const i64 n_fresh = filter(
        b.n, 0, [=](i64 k) { return !find_in_set<true>(a, member(b, (u32)k)).there; },
        [=](i64 k, i64 place) { fresh[place] = member(b, (u32)k); });
    const i64 made = a.n + n_fresh;
    ARC_NEW_MEMBERS(members, made);
    each(a.n, [=](i64 k) {
      const Value own = member(a, (u32)k);
      members[k + place_among(fresh, n_fresh, own)] = own;
    });
    each(n_fresh, [=](i64 k) { members[k + find_in_set<true>(a, fresh[k]).place] = fresh[k]; });
    return block_value(lane, SET, 0, members, (u32)made);
  }
  ARC_NEW_MEMBERS(members, n);
  u32 i = 0, j = 0;
  i64 made = 0;
  while (i < a.n || j < b.n) {
    int c = i == a.n ? 1 : j == b.n ? -1 : compare(member(a, i), member(b, j));
    Value next = c <= 0 ? member(a, i) : member(b, j);
    if (thread_index() == 0) members[made] = next;
    made++;
    i += c <= 0;
    j += c >= 0;
  }
  sync();
  return block_value(lane, SET, 0, members, (u32)made);
}

ARC_FN Value prim_combine(Lane& lane, const Value* args) {
  const Value &a = args[0], &b = args[1];
  if (b.n == 0) return a;
  if (is_tuple(a)) return seldom(lane, [=](Lane& there) { return combine_tuple(there, args[0], args[1]); });
  if (a.n == 0 && is_set(b)) return b;
#if defined(ARC_WARP_LANES)
  if (u32 row; a.kind == INDICES && b.kind == INDICES && bits_of_places(lane, a.keys, a.n, b.keys, b.n, &row))
    return indices_of_bits(lane, row);
#endif
  return seldom(lane, [=](Lane& there) { return combine_set(there, args[0], args[1]); });
}

ARC_NOINLINE Value prim_intersection(Lane& lane, const Value* args) {
  // Equal members are identical on both sides, so the shorter container can be traversed.
  const Value a = args[args[1].n < args[0].n], b = args[args[0].n <= args[1].n];
  if (a.n == 0) return empty_set();
  if (a.kind == b.kind && (a.kind == INDICES || a.kind == OBJECT)) {
    ARC_ALLOCATE(keys, Key, a.n);
    return keys_value((Kind)a.kind, keys,
                      (u32)sorted_select(a.keys, a.n, b.keys, b.n, true, keys));
  }
  if (a.kind == b.kind && a.kind == INTSET) {
    ARC_ALLOCATE(ints, i32, a.n);
    i64 n = sorted_select(a.ints, a.n, b.ints, b.n, true, ints);
    return n ? ints_value(INTSET, ints, (u32)n) : empty_set();
  }
  if (a.kind != SET && b.kind != SET) return empty_set();
  ARC_ALLOCATE(flags, i32, a.n);
  each(a.n, [=](i64 k) { flags[k] = find_in_set<true>(b, member(a, (u32)k)).there; });
  return select_members(lane, a, flags);
}

// Returns the set of a container's members.
ARC_FN Value as_set(Lane& lane, const Value& container) {
  if (is_set(container)) return container;
  ARC_MEMBERS_OF(members, container);
  return set_of(lane, members, container.n);
}

ARC_NOINLINE Value difference_of(Lane& lane, const Value* args) {
  const Value a = args[0], b = args[1];
  if (a.kind == b.kind && (a.kind == INDICES || a.kind == OBJECT)) {
    ARC_ALLOCATE(keys, Key, a.n);
    return keys_value((Kind)a.kind, keys,
                      (u32)sorted_select(a.keys, a.n, b.keys, b.n, false, keys));
  }
  if (a.kind == b.kind && a.kind == INTSET) {
    ARC_ALLOCATE(ints, i32, a.n);
    i64 n = sorted_select(a.ints, a.n, b.ints, b.n, false, ints);
    return n ? ints_value(INTSET, ints, (u32)n) : empty_set();
  }
  const Value taken = as_set(lane, b);
  if (taken.failed()) return taken;
  ARC_ALLOCATE(flags, i32, a.n);
  if (taken.kind == SET) {
    each(a.n, [=](i64 k) { flags[k] = !find_in_set<true>(taken, member(a, (u32)k)).there; });
  } else {
    const Kind kind = taken.kind == INTSET ? INT : taken.kind == INDICES ? PAIR : CELL;
    each(a.n, [=](i64 k) {
      const Value m = member(a, (u32)k);
      flags[k] = m.kind != kind || !(kind == INT ? sorted_has(taken.ints, taken.n, (i32)m.number)
                                                 : sorted_has(taken.keys, taken.n, m.key));
    });
  }
  return select_members(lane, a, flags);
}
ARC_FN Value prim_difference(Lane& lane, const Value* args) {
  const Value &a = args[0], &b = args[1];
  if (a.n == 0 || b.n == 0) return a;
#if defined(ARC_WARP_LANES)
  if (u32 row, taken; a.kind == INDICES && b.kind == INDICES &&
                      bits_of_places(lane, a.keys, a.n, nullptr, 0, &row) &&
                      bits_of_places(lane, b.keys, b.n, nullptr, 0, &taken))
    return indices_of_bits(lane, row & ~taken);
#endif
  return seldom(lane, [=](Lane& there) { return difference_of(there, args); });
}

ARC_NOINLINE Value prim_dedupe(Lane& lane, const Value* args) {
  const Value tup = args[0];
  i64 n = tup.n;
  if (n < 2) return tup;
  // Up to this number of members, comparing all pairs is faster than sorting.
  constexpr i64 FEW = 48;
  ARC_ALLOCATE(flags, i32, n);
  if (n <= FEW && (has_numbers(tup) || has_locations(tup))) {
    bool numbers = has_numbers(tup);
    each(n, [=](i64 k) {
      bool fresh = true;
      for (i64 j = 0; j < k && fresh; j++)
        fresh = numbers ? number_at(tup, j) != number_at(tup, k)
                        : location_at(tup, j) != location_at(tup, k);
      flags[k] = fresh;
    });
    return select_members(lane, tup, flags);
  }
  ARC_MEMBERS_OF(members, tup);
  if (n <= FEW) {
    each(n, [=](i64 k) {
      bool fresh = true;
      for (i64 j = 0; j < k && fresh; j++) fresh = !equal_alone(members[j], members[k]);
      flags[k] = fresh;
    });
    return select_members(lane, tup, flags);
  }
  ARC_ALLOCATE(places, i32, n);
  if (!sort_places(lane, members, places, n, false)) return fail(OVER_BUDGET);
  each(n, [=](i64 k) {
    flags[places[k]] = k == 0 || !equal_alone(members[places[k - 1]], members[places[k]]);
  });
  return select_members(lane, tup, flags);
}

// --- making ---

ARC_NOINLINE Value prim_initset(Lane& lane, const Value* a) {
  const Value value = a[0];
  ARC_NEW_MEMBERS(members, 1);
  each(1, [=](i64 k) { members[k] = value; });
  return set_of_sorted(lane, members, 1);
}

ARC_NOINLINE Value prim_insert(Lane& lane, const Value* a) {
  const Value value = a[0], set = a[1];
  if (set.n == 0) return prim_initset(lane, a);
  const Found found = find_in_set(set, value);
  if (found.there) return set;
  i64 n = (i64)set.n + 1, at = found.place;
  if ((set.kind == INDICES && value.kind == PAIR) || (set.kind == OBJECT && value.kind == CELL)) {
    ARC_ALLOCATE(keys, Key, n);
    each(n, [=](i64 k) { keys[k] = k == at ? value.key : set.keys[k - (k > at)]; });
    return keys_value((Kind)set.kind, keys, (u32)n);
  }
  if (set.kind == INTSET && value.kind == INT) {
    ARC_ALLOCATE(ints, i32, n);
    each(n, [=](i64 k) { ints[k] = k == at ? (i32)value.number : set.ints[k - (k > at)]; });
    return ints_value(INTSET, ints, (u32)n);
  }
  ARC_NEW_MEMBERS(members, n);
  each(n, [=](i64 k) { members[k] = k == at ? value : member(set, (u32)(k - (k > at))); });
  return block_value(lane, SET, 0, members, (u32)n);
}

ARC_NOINLINE Value prim_remove(Lane& lane, const Value* a) {
  const Value value = a[0], container = a[1];
  i64 n = container.n;
  if (is_set(container)) {
    const Found found = find_in_set(container, value);
    if (!found.there) return container;
    if (n == 1) return empty_set();
    i64 at = found.place;
    if (container.kind == INTSET) {
      ARC_ALLOCATE(ints, i32, n - 1);
      each(n - 1, [=](i64 k) { ints[k] = container.ints[k + (k >= at)]; });
      return ints_value(INTSET, ints, (u32)(n - 1));
    }
    if (container.kind != SET) {
      ARC_ALLOCATE(keys, Key, n - 1);
      each(n - 1, [=](i64 k) { keys[k] = container.keys[k + (k >= at)]; });
      return keys_value((Kind)container.kind, keys, (u32)(n - 1));
    }
    ARC_NEW_MEMBERS(members, n - 1);
    each(n - 1, [=](i64 k) { members[k] = container.members()[k + (k >= at)]; });
    return set_of_sorted(lane, members, n - 1);
  }
  if (n == 0) return container;
  ARC_ALLOCATE(flags, i32, n);
  if (container.kind == INTS) {
    if (value.kind != INT) return container;
    each(n, [=](i64 k) { flags[k] = container.ints[k] != value.number; });
  } else {
    each(n, [=](i64 k) { flags[k] = !equal_alone(member(container, (u32)k), value); });
  }
  return select_members(lane, container, flags);
}

ARC_FN Value prim_other(Lane&, const Value* a) {
  for (u32 k = 0; k < a[0].n; k++) {
    Value m = member(a[0], k);
    if (!equal(m, a[1])) return m;
  }
  return fail(EMPTY);
}

ARC_FN Value prim_merge(Lane& lane, const Value* a) {
  const Value containers = a[0];
  if (containers.n == 0) return containers;
  if (containers.kind == GRID) {  // its cells are contiguous already
    i64 n = containers.n * width_of(containers);
    ARC_REQUIRE(n);
    return numbers_tuple(containers.ints, n);
  }
  ARC_MEMBERS_OF(inners, containers);
  return merge_members(lane, is_tuple(containers), inners, containers.n);
}

ARC_NOINLINE Value prim_totuple(Lane& lane, const Value* a) {
  const Value from = a[0];
  if (is_tuple(from)) return from;
  i64 n = from.n;
  if (n == 0) return empty_tuple();
  if (from.kind == INTSET) return numbers_tuple(from.ints, n);
  if (from.kind == INDICES) {
    ARC_ALLOCATE(cells, i32, 2 * n);
    each(n, [=](i64 k) {
      cells[2 * k] = row_of(from.keys[k]);
      cells[2 * k + 1] = column_of(from.keys[k]);
    });
    return grid_value(cells, (u32)n, 2);
  }
  if (from.kind == SET) {
    u32 kind = from.members()[0].kind;
    if (kind != INT && kind != PAIR && kind != INTS) {  // no special form: the same block
      Value tuple = value_of_kind(TUPLE, from.n);
      tuple.block = from.block;
      return tuple;
    }
  }
  ARC_NEW_MEMBERS(members, n);
  each(n, [=](i64 k) { members[k] = member(from, (u32)k); });
  return tuple_of(lane, members, n);
}

ARC_NOINLINE Value prim_repeat(Lane& lane, const Value* a) {
  const Value item = a[0];
  i64 n = a[1].number;
  ARC_REQUIRE(weight_of(item));  // the definition asks for it
  if (n <= 0) return empty_tuple();
  ARC_REQUIRE((u64)n * (1 + weight_of(item)));
  if (item.kind == INT) {
    ARC_ALLOCATE(ints, i32, n);
    each(n, [=](i64 k) { ints[k] = (i32)item.number; });
    return numbers_tuple(ints, n);
  }
  if (item.kind == PAIR || item.kind == INTS) {
    i64 width = item.n;
    ARC_ALLOCATE(cells, i32, n * width);
    each(n, [=](i64 i) {
      for (i64 j = 0; j < width; j++) cells[i * width + j] = row_cell(item, j);
    });
    return grid_value(cells, (u32)n, (u32)width);
  }
  ARC_NEW_MEMBERS(members, n);
  each(n, [=](i64 k) { members[k] = item; });
  return block_value(lane, TUPLE, 0, members, (u32)n);
}

ARC_FN Value prim_interval(Lane& lane, const Value* a) {
  i64 start = a[0].number, stop = a[1].number, step = a[2].number;
  if (step == 0) return fail(OUT_OF_RANGE);
  i64 n = step > 0 ? (stop - start + step - 1) / step : (start - stop - step - 1) / -step;
  if (n <= 0) return empty_tuple();
  ARC_REQUIRE(n);
  ARC_ALLOCATE(ints, i32, n);
  each(n, [=](i64 k) { ints[k] = (i32)(start + k * step); });
  return numbers_tuple(ints, n);
}

// The memory that a tuple of two values takes, and its weight if it must be checked against the budget.
struct TwoRoom {
  i64 n_bytes;
  u64 weight;
  u32 depth;
};
ARC_FN TwoRoom room_of_two(const Value& x, const Value& y) {
  if (x.kind == INT && (y.kind == INT || y.kind == PAIR)) return {0, 0, 0};
  if (row_width(x) >= 0 && row_width(x) == row_width(y)) return {(i64)((8ULL * x.n + 15) & ~15ULL), 0, 0};
  return {(i64)(sizeof(Block) + 2 * sizeof(Value)), 2 + weight_of(x) + weight_of(y),
          1 + max_of(depth_of(x), depth_of(y))};
}
// Makes that tuple in its one form, by one thread.
ARC_FN Value tuple_of_two(const Value& x, const Value& y, char* memory) {
  if (x.kind == INT && y.kind == INT) return pair_of_key(key_of(x.number, y.number));
  if (x.kind == INT && y.kind == PAIR) return cell_of_key(key_of(x.number, row_of(y.key), column_of(y.key)));
  const i64 width = row_width(x);
  if (width >= 0 && width == row_width(y)) {
    i32* cells = (i32*)memory;
    for (i64 j = 0; j < width; j++) cells[j] = row_cell(x, j);
    for (i64 j = 0; j < width; j++) cells[width + j] = row_cell(y, j);
    return grid_value(cells, 2, (u32)width);
  }
  const TwoRoom room = room_of_two(x, y);
  Block* block = (Block*)memory;
  Value* members = (Value*)(block + 1);
  block->weight = (u32)room.weight;
  block->depth = room.depth;
  members[0] = x;
  members[1] = y;
  Value both = value_of_kind(TUPLE, 2);
  both.block = block;
  return both;
}
// members[k] := the tuple of first(k) and second(k), for k below n; returns false if that exceeds the limits.
template <class First, class Second>
ARC_FN bool make_tuples_of_two(Lane& lane, i64 n, Value* members, First first, Second second) {
  i64* starts = lane.allocate_array<i64>((u64)n);
  if (!starts) return false;
  i64 weight = 0, depth = 0;  // the greatest of this thread's
  const i64 n_bytes = running_sums(n, starts, [&](i64 k) {
    const TwoRoom room = room_of_two(first(k), second(k));
    weight = max_of(weight, (i64)room.weight);
    depth = max_of(depth, (i64)room.depth);
    return room.n_bytes;
  });
  const auto greater = [](i64 a, i64 b) { return a < b ? b : a; };
  if (fold_threads(depth, greater) > MAX_DEPTH) lane.exceeded = true;
  if (!lane.require((u64)fold_threads(weight, greater))) return false;
  char* memory = lane.allocate_array<char>((u64)n_bytes);
  if (!memory) return false;
  each(n, [=](i64 k) { members[k] = tuple_of_two(first(k), second(k), memory + starts[k]); });
  return true;
}

// Makes a tuple or set of the pairs of first(k) and second(k), which are locations, in order.
template <class First, class Second>
ARC_FN Value pairs_of_locations(Lane& lane, Kind kind, i64 n, First first, Second second) {
  ARC_NEW_MEMBERS(members, n);
  ARC_ALLOCATE(cells, i32, 4 * n);
  each(n, [=](i64 k) {
    const Key one = first(k), other = second(k);
    i32* pair = cells + 4 * k;
    pair[0] = row_of(one);
    pair[1] = column_of(one);
    pair[2] = row_of(other);
    pair[3] = column_of(other);
    members[k] = grid_value(pair, 2, 2);
  });
  const Value one = grid_value(cells, 2, 2);
  return weighed_block(lane, kind, 0, members, (u32)n, (u64)n * (1 + weight_of(one)), 1 + depth_of(one));
}

ARC_EFFORT(product, n_elements + 8ULL * args[0].n * args[1].n)
ARC_NOINLINE Value prim_product(Lane& lane, const Value* args) {
  Value a = args[0], b = args[1];
  i64 na = a.n, nb = b.n, n = na * nb;
  ARC_REQUIRE(3 * n);
  if (n == 0) return empty_set();
  bool locations = has_locations(b);
  if (has_numbers(a) && (locations || has_numbers(b))) {
    ARC_ALLOCATE(keys, Key, n);
    for (i64 i = 0; i < na; i++) {
      Key* row = keys + i * nb;
      i64 x = number_at(a, i);
      Key color = (Key)(x + KEY_BIAS) << 42;
      if (locations)
        each(nb, [=](i64 j) { row[j] = (location_at(b, j) & ~((Key)KEY_MASK << 42)) | color; });
      else
        each(nb, [=](i64 j) { row[j] = key_of(x, number_at(b, j)); });
    }
    const Kind kind = locations ? OBJECT : INDICES;
    // Pairs from ascending containers ascend; tuples, which are mostly intervals, usually ascend, too.
    if (any(n - 1, [=](i64 k) { return keys[k] >= keys[k + 1]; }))
      return set_of_keys(lane, kind, keys, n);
    return keys_value(kind, keys, (u32)n);
  }
  // Members of sets ascend, and so do their pairs.
  a = as_set(lane, a);
  b = as_set(lane, b);
  if (a.failed() || b.failed()) return fail(OVER_BUDGET);
  na = a.n;
  nb = b.n;
  n = na * nb;
  if (has_locations(a) && has_locations(b))
    return pairs_of_locations(
        lane, SET, n, [=](i64 k) { return location_at(a, (Counter)k / (Counter)nb); },
        [=](i64 k) { return location_at(b, (Counter)k % (Counter)nb); });
  ARC_NEW_MEMBERS(members, n);
  if (!make_tuples_of_two(
          lane, n, members, [=](i64 k) { return member(a, (u32)k / (u32)nb); },
          [=](i64 k) { return member(b, (u32)k % (u32)nb); }))
    return fail(OVER_BUDGET);
  return set_of_sorted(lane, members, n);
}

ARC_NOINLINE Value prim_pair(Lane& lane, const Value* args) {
  const Value a = args[0], b = args[1];
  i64 n = min_of(a.n, b.n);
  if (n == 0) return empty_tuple();
  if (has_numbers(a) && has_numbers(b)) {
    ARC_ALLOCATE(cells, i32, 2 * n);
    each(n, [=](i64 k) {
      cells[2 * k] = number_at(a, k);
      cells[2 * k + 1] = number_at(b, k);
    });
    return grid_value(cells, (u32)n, 2);
  }
  if (has_locations(a) && has_locations(b))
    return pairs_of_locations(
        lane, TUPLE, n, [=](i64 k) { return location_at(a, k); },
        [=](i64 k) { return location_at(b, k); });
  ARC_NEW_MEMBERS(members, n);
  if (has_numbers(a) && has_locations(b)) {
    each(n, [=](i64 k) {
      Key place = location_at(b, k);
      members[k] = cell_of_key(key_of(number_at(a, k), row_of(place), column_of(place)));
    });
    return block_value(lane, TUPLE, 0, members, (u32)n);
  }
  if (!make_tuples_of_two(
          lane, n, members, [=](i64 k) { return member(a, (u32)k); },
          [=](i64 k) { return member(b, (u32)k); }))
    return fail(OVER_BUDGET);
  return tuple_of(lane, members, n);
}

// --- picking ---

ARC_FN Value prim_first(Lane&, const Value* a) { return a[0].n ? member(a[0], 0) : fail(EMPTY); }
ARC_FN Value prim_second(Lane&, const Value* a) {
  return a[0].n >= 2 ? member(a[0], 1) : fail(EMPTY);
}
ARC_FN Value prim_last(Lane&, const Value* a) {
  return a[0].n ? member(a[0], a[0].n - 1) : fail(EMPTY);
}

// Returns the position below n that wins over all others; wins(first, second) says whether the second of two does, and
// is called by each thread alone.
template <class Wins>
ARC_FN i64 extreme_of(i64 n, Wins wins) {
  return fold(n, -1, [](i64 k) { return k; }, [=](i64 a, i64 b) {
    if (a < 0 || b < 0) return max_of(a, b);
    return wins(min_of(a, b), max_of(a, b)) ? max_of(a, b) : min_of(a, b);
  });
}
ARC_NOINLINE Value extreme_member(const Value& container, int sign) {
  const Value from = container;
  if (from.n == 0) return number(0);
  if (is_set(from)) return member(from, sign > 0 ? from.n - 1 : 0);
  if (from.kind == INTS)
    return number(sign * greatest(from.n, -MAX_NUMBER, [=](i64 k) { return sign * from.ints[k]; }));
  return member(from, (u32)extreme_of(from.n, [=](i64 first, i64 second) {
    return sign * compare_alone(member(from, (u32)second), member(from, (u32)first)) > 0;
  }));
}
ARC_FN Value prim_maximum(Lane&, const Value* a) { return extreme_member(a[0], 1); }
ARC_FN Value prim_minimum(Lane&, const Value* a) { return extreme_member(a[0], -1); }

// Returns the position of the value that would come first, or last, if a column were sorted stably. It has at least one
// value and no failure.
ARC_NOINLINE i64 extreme_place(const Column& column, i64 n, bool descending, bool last) {
  bool greatest_one = descending != last;
  if (column.form == Column::NUMBERS) {
    const i32* ints = column.ints;
    i64 sign = descending ? -1 : 1;
    auto packed = [=](i64 k) { return sign * ints[k] * (1LL << 32) + k; };
    constexpr i64 END = 1LL << 60;
    return (last ? greatest(n, -END, packed) : least(n, END, packed)) & 0xffffffffLL;
  }
  if (column.form == Column::LOCATIONS || column.form == Column::CELL_KEYS) {
    const Key* keys = column.keys;
    auto key = [=](i64 k) { return (i64)keys[k]; };
    const Key best = (Key)(greatest_one ? greatest(n, 0, key) : least(n, (i64)(~0ULL >> 1), key));
    if (!last) return first_where(n, [=](i64 k) { return keys[k] == best; });
    return n - 1 - first_where(n, [=](i64 k) { return keys[n - 1 - k] == best; });
  }
  return extreme_of(n, [&](i64 first, i64 second) {
    const int c = compare_alone(column.at(second), column.at(first));
    return c == 0 ? last : greatest_one ? c > 0 : c < 0;
  });
}

// Returns the positions of a column's values in ascending order, sorted stably; null if memory ran out.
ARC_NOINLINE const i32* places_in_order(Lane& lane, const Column& column, i64 n, bool descending) {
  i32* places = lane.allocate_array<i32>(n);
  if (!places) return nullptr;
  const Column from = column;
  // The key of a number or location has room below it for the position.
  bool numbers = from.form == Column::NUMBERS;
  if (numbers || (from.form == Column::LOCATIONS && n < 1 << 22)) {
    Key* packed = lane.allocate_array<Key>(n);
    if (!packed) return nullptr;
    if (numbers)
      each(n, [=](i64 k) {
        packed[k] = key_of_number(descending ? -from.ints[k] : from.ints[k]) << 32 | (Key)k;
      });
    else
      each(n, [=](i64 k) { packed[k] = (descending ? ~from.keys[k] : from.keys[k]) << 22 | (Key)k; });
    if (!sort_keys(lane, packed, n)) return nullptr;
    const Key mask = numbers ? 0xffffffffu : (1u << 22) - 1;
    each(n, [=](i64 k) { places[k] = (i32)(packed[k] & mask); });
    return places;
  }
  const Value* values = from.form == Column::VALUES ? from.values : members_of_column(lane, from, n);
  if (!values || !sort_places(lane, values, places, n, descending)) return nullptr;
  return places;
}

// Returns a function's values on all members of a non-empty container.
ARC_FN Column map_members(Lane& lane, const Value& function, const Value& container) {
  Column members = arguments_of(lane, container);
  return map_function(lane, function, &members, 1, container.n);
}
// The same in a new variable; returns from the function if a value has failed.
#define ARC_MAP_MEMBERS(name, function, container)                   \
  const Column name = map_members(lane, function, container);        \
  if (lane.exceeded) return fail(OVER_BUDGET);                       \
  {                                                                  \
    const Value failure = first_failure(name, (container).n);        \
    if (failure.failed()) return failure;                            \
  }

ARC_FN Value extreme_value(Lane& lane, const Value* a, bool greatest_one) {
  if (a[0].n == 0) {
    const Value zero = number(0);
    return call_function(lane, a[1], &zero, 1);
  }
  ARC_MAP_MEMBERS(values, a[1], a[0]);
  return values.at(extreme_place(values, a[0].n, greatest_one, false));
}
ARC_FN Value prim_valmax(Lane& lane, const Value* a) { return extreme_value(lane, a, true); }
ARC_FN Value prim_valmin(Lane& lane, const Value* a) { return extreme_value(lane, a, false); }

ARC_FN Value pick_extreme(Lane& lane, const Value* a, bool greatest_one) {
  if (a[0].n == 0) return fail(EMPTY);
  ARC_MAP_MEMBERS(keys, a[1], a[0]);
  return member(a[0], (u32)extreme_place(keys, a[0].n, greatest_one, false));
}
ARC_FN Value prim_argmax(Lane& lane, const Value* a) { return pick_extreme(lane, a, true); }
ARC_FN Value prim_argmin(Lane& lane, const Value* a) { return pick_extreme(lane, a, false); }

// Distinct values in ascending order, and the number of times that each occurs.
struct Tally {
  i64 n = -1;  // -1 if memory ran out
  const Value* values = nullptr;
  const i32* counts = nullptr;
};

// Counts sorted values, given where each new one starts; value(k) is called in combinators.
template <class F>
ARC_FN Tally tally_of_runs(Lane& lane, const i32* starts, i64 n_runs, i64 n, F value) {
  Tally tally;
  Value* values = lane.allocate_array<Value>(n_runs);
  i32* counts = lane.allocate_array<i32>(n_runs);
  if (!values || !counts) return tally;
  each(n_runs, [=](i64 k) {
    values[k] = value(starts[k]);
    counts[k] = (i32)((k + 1 < n_runs ? starts[k + 1] : n) - starts[k]);
  });
  tally.n = n_runs;
  tally.values = values;
  tally.counts = counts;
  return tally;
}

// Counts how often each key occurs, and overwrites the keys; made(key) is the value that a key stands for.
template <class F>
ARC_FN Tally tally_of_keys(Lane& lane, Key* keys, i64 n, F made) {
  i32* starts = lane.allocate_array<i32>(n);
  if (!starts || !sort_keys(lane, keys, n)) return Tally();
  i64 n_runs = filter(
      n, 0, [=](i64 k) { return k == 0 || keys[k] != keys[k - 1]; },
      [=](i64 k, i64 place) { starts[place] = (i32)k; });
  return tally_of_runs(lane, starts, n_runs, n, [=](i64 k) { return made(keys[k]); });
}

// Counts n >= 1 numbers; at(k) is called in combinators.
template <class F>
ARC_FN Tally tally_of_numbers(Lane& lane, i64 n, F at) {
  i64 low = least(n, MAX_NUMBER, at), high = greatest(n, -MAX_NUMBER, at), span = high - low + 1;
  if (span > 64 + 2 * n) {
    Key* keys = lane.allocate_array<Key>(n);
    if (!keys) return Tally();
    each(n, [=](i64 k) { keys[k] = key_of_number(at(k)); });
    return tally_of_keys(lane, keys, n, [](Key key) { return number((i64)key - KEY_BIAS); });
  }
  Tally tally;
  u32* all = lane.allocate_array<u32>(span);
  i32* counts = lane.allocate_array<i32>(span);
  Value* values = lane.allocate_array<Value>(span);
  if (!all || !counts || !values) return tally;
  each(span, [=](i64 x) { all[x] = 0; });
  each(n, [=](i64 k) { atomic_add(all + (at(k) - low), 1); });
  tally.n = filter(
      span, 0, [=](i64 x) { return all[x] != 0; },
      [=](i64 x, i64 place) {
        values[place] = number(low + x);
        counts[place] = (i32)all[x];
      });
  tally.values = values;
  tally.counts = counts;
  return tally;
}

#if defined(ARC_FLAT)
// Counts many values; only distinct ones are sorted.
ARC_NOINLINE Tally tally_of_alike(Lane& lane, const Value* members, i64 n) {
  u32* first_alike = lane.allocate_array<u32>(n);
  u32* all_counts = lane.allocate_array<u32>(n);
  Value* distinct = lane.allocate_array<Value>(n);
  i32* sources = lane.allocate_array<i32>(n);
  if (!first_alike || !all_counts || !distinct || !sources) return Tally();
  if (!find_alike(lane, members, n, first_alike)) return Tally();
  each(n, [=](i64 k) { all_counts[k] = 0; });
  each(n, [=](i64 k) { atomic_add(all_counts + first_alike[k], 1); });
  const i64 n_distinct = filter(
      n, 0, [=](i64 k) { return all_counts[k] != 0; },
      [=](i64 k, i64 place) {
        distinct[place] = members[k];
        sources[place] = (i32)k;
      });
  i32* places = lane.allocate_array<i32>(n_distinct);
  Value* values = lane.allocate_array<Value>(n_distinct);
  i32* counts = lane.allocate_array<i32>(n_distinct);
  if (!places || !values || !counts) return Tally();
  if (!sort_places(lane, distinct, places, n_distinct, false)) return Tally();
  each(n_distinct, [=](i64 k) {
    values[k] = distinct[places[k]];
    counts[k] = (i32)all_counts[sources[places[k]]];
  });
  Tally tally;
  tally.n = n_distinct;
  tally.values = values;
  tally.counts = counts;
  return tally;
}
#endif

// Counts the members of a non-empty tuple.
ARC_NOINLINE Tally tally_of_tuple(Lane& lane, const Value& tup) {
  const Value from = tup;
  i64 n = from.n;
  if (has_numbers(from))
    return tally_of_numbers(lane, n, [=](i64 k) { return (i64)number_at(from, k); });
  bool cells = is_cell_tuple(from);
  if (cells || has_locations(from)) {
    Key* keys = lane.allocate_array<Key>(n);
    if (!keys) return Tally();
    each(n, [=](i64 k) { keys[k] = cells ? from.members()[k].key : location_at(from, k); });
    return tally_of_keys(lane, keys, n,
                         [=](Key key) { return cells ? cell_of_key(key) : pair_of_key(key); });
  }
  const Value* members = members_of(lane, from);
  if (!members) return Tally();
#if defined(ARC_FLAT)
  if (n > MANY_ALIKE) return tally_of_alike(lane, members, n);
#endif
  i32* places = lane.allocate_array<i32>(n);
  i32* starts = lane.allocate_array<i32>(n);
  if (!places || !starts || !sort_places(lane, members, places, n, false)) return Tally();
  const i64 n_runs = filter(
      n, 0, [=](i64 k) { return k == 0 || !equal_alone(members[places[k - 1]], members[places[k]]); },
      [=](i64 k, i64 place) { starts[place] = (i32)k; });
  return tally_of_runs(lane, starts, n_runs, n, [=](i64 k) { return members[places[k]]; });
}

ARC_FN Value most_common(Lane& lane, const Value& container, i64 sign) {
  if (container.n == 0) return fail(EMPTY);
  if (is_set(container)) return member(container, 0);  // each occurs once, so the least wins
  const Tally tally = tally_of_tuple(lane, container);
  if (tally.n < 0) return fail(OVER_BUDGET);
  const i32* counts = tally.counts;
  i64 best = least(tally.n, 1LL << 60, [=](i64 k) { return -sign * counts[k] * (1LL << 32) + k; });
  return tally.values[best & 0xffffffffLL];
}
ARC_FN Value prim_mostcommon(Lane& lane, const Value* a) { return most_common(lane, a[0], 1); }
ARC_FN Value prim_leastcommon(Lane& lane, const Value* a) { return most_common(lane, a[0], -1); }

ARC_NOINLINE Value prim_order(Lane& lane, const Value* a) {
  const Value from = a[0];
  i64 n = from.n;
  if (n == 0) return empty_tuple();
  ARC_MAP_MEMBERS(keys, a[1], from);
  const i32* places = places_in_order(lane, keys, n, false);
  if (!places) return fail(OVER_BUDGET);
  if (has_numbers(from)) {
    ARC_ALLOCATE(ints, i32, n);
    each(n, [=](i64 k) { ints[k] = number_at(from, places[k]); });
    return numbers_tuple(ints, n);
  }
  if (has_locations(from)) {
    ARC_ALLOCATE(cells, i32, 2 * n);
    each(n, [=](i64 k) {
      Key place = location_at(from, places[k]);
      cells[2 * k] = row_of(place);
      cells[2 * k + 1] = column_of(place);
    });
    return grid_value(cells, (u32)n, 2);
  }
  ARC_NEW_MEMBERS(members, n);
  each(n, [=](i64 k) { members[k] = member(from, (u32)places[k]); });
  return tuple_of(lane, members, n);
}

// --- filtering ---

// Returns which values of a column without failures are true; null if memory ran out.
ARC_FN const i32* flags_of(Lane& lane, const Column& column, i64 n) {
  if (column.form == Column::NUMBERS) return column.ints;
  i32* flags = lane.allocate_array<i32>(n);
  if (flags) each(n, [&](i64 k) { flags[k] = is_true(column.at(k)); });
  return flags;
}

ARC_FN Value prim_sfilter(Lane& lane, const Value* a) {
  if (a[0].n == 0) return a[0];
  ARC_MAP_MEMBERS(kept, a[1], a[0]);
  const i32* flags = flags_of(lane, kept, a[0].n);
  return flags ? select_members(lane, a[0], flags) : fail(OVER_BUDGET);
}

ARC_NOINLINE Value prim_mfilter(Lane& lane, const Value* a) {
  const Value from = a[0];
  if (from.n == 0) return from;
  ARC_MAP_MEMBERS(kept, a[1], from);
  const i32* flags = flags_of(lane, kept, from.n);
  if (!flags) return fail(OVER_BUDGET);
  ARC_ALLOCATE(inners, Value, from.n);
  i64 n = filter(
      from.n, 0, [=](i64 k) { return flags[k] != 0; },
      [=](i64 k, i64 place) { inners[place] = member(from, (u32)k); });
  return n ? merge_members(lane, is_tuple(from), inners, n) : empty_like(from);
}

ARC_FN Value prim_extract(Lane& lane, const Value* a) {
  i64 n = a[0].n;
  if (n == 0) return fail(EMPTY);
  const Column flags = map_members(lane, a[1], a[0]);
  if (lane.exceeded) return fail(OVER_BUDGET);
  i64 at;
  if (flags.form == Column::NUMBERS) {
    at = first_where(n, [&](i64 k) { return flags.ints[k] != 0; });
  } else {
    // A failure counts as true, so that the call fails unless an earlier member is extracted.
    at = first_where(n, [&](i64 k) {
      const Value v = flags.at(k);
      return v.failed() || is_true(v);
    });
    if (at < n && flags.at(at).failed()) return flags.at(at);
  }
  return at < n ? member(a[0], (u32)at) : fail(EMPTY);
}

ARC_NOINLINE Value prim_sizefilter(Lane& lane, const Value* a) {
  const Value from = a[0];
  i64 size = a[1].number, n = from.n;
  if (from.kind == INDICES || from.kind == OBJECT) return size == 2 ? from : empty_set();
  if (from.kind == GRID && width_of(from) != size) return empty_set();
  ARC_NEW_MEMBERS(members, n);
  i64 kept = filter(
      n, 0, [=](i64 k) { return (i64)member(from, (u32)k).n == size; },
      [=](i64 k, i64 place) { members[place] = member(from, (u32)k); });
  return is_set(from) ? set_of_sorted(lane, members, kept) : set_of(lane, members, kept);
}

}  // namespace arc
