// Primitives on whole columns: the hot inner calls of functions over containers.
//
// Each gives exactly the results and costs of the primitive on each element. If it cannot (other forms, a failure
// among the elements), it declines, and the elements are run one by one.
#pragma once
#include "primitives/numbers.hpp"
#include "primitives/patches.hpp"

namespace arc {

// Counts the cost of n equal calls; `read` and `made` are weights per call.
ARC_FN bool charge_calls(Lane& lane, i64 n, u64 read, u64 made) {
  lane.charge((u64)n * (1 + read + made), (u64)n * BYTES_PER_ELEMENT * (1 + made));
  return true;
}

// Numbers of a column, or one for all.
struct NumberSource {
  const i32* ints;
  i32 same;
  bool fits;
  ARC_FN i64 at(i64 k) const { return ints ? ints[k] : same; }
};
ARC_FN NumberSource numbers_in(const Column& c) {
  if (c.form == Column::NUMBERS) return {c.ints, 0, true};
  if (c.form == Column::SAME && c.same.kind == INT) return {nullptr, (i32)c.same.number, true};
  return {nullptr, 0, false};
}
// Locations of a column, or one for all; with `numbers`, a number n stands for the pair (n, n).
struct KeySource {
  const Key* keys;
  const i32* ints;
  Key same;
  bool fits;
  ARC_FN Key at(i64 k) const { return keys ? keys[k] : ints ? key_of(ints[k], ints[k]) : same; }
};
ARC_FN KeySource locations_in(const Column& c, bool numbers) {
  if (c.form == Column::LOCATIONS) return {c.keys, nullptr, 0, true};
  if (c.form == Column::SAME && c.same.kind == PAIR) return {nullptr, nullptr, c.same.key, true};
  if (numbers && c.form == Column::NUMBERS) return {nullptr, c.ints, 0, true};
  if (numbers && c.form == Column::SAME && c.same.kind == INT)
    return {nullptr, nullptr, key_of(c.same.number, c.same.number), true};
  return {nullptr, nullptr, 0, false};
}
ARC_FN u64 weight_in(const Column& c) {
  return c.form == Column::LOCATIONS ? 2 : c.form == Column::CELL_KEYS ? 4 : c.form == Column::SAME ? weight_of(c.same) : 0;
}

template <class F>
ARC_FN bool to_numbers(Lane& lane, i64 n, u64 read, Column* result, F f) {
  i32* out = lane.allocate_array<i32>(n);
  if (!out) return false;
  each(n, [=](i64 k) { out[k] = (i32)f(k); });
  *result = number_column(out);
  return charge_calls(lane, n, read, 0);
}
// The same for results that may leave the range of numbers: then it declines.
template <class F>
ARC_FN bool to_checked_numbers(Lane& lane, i64 n, u64 read, Column* result, F f) {
  if (any(n, [=](i64 k) { return !in_range(f(k)); })) return false;
  return to_numbers(lane, n, read, result, f);
}
template <class F>
ARC_FN bool to_keys(Lane& lane, i64 n, u64 read, u64 made, Column::Form form, Column* result, F f) {
  Key* out = lane.allocate_array<Key>(n);
  if (!out) return false;
  each(n, [=](i64 k) { out[k] = f(k); });
  *result = key_column(form, out);
  return charge_calls(lane, n, read, made);
}

template <class F>
ARC_FN bool unary_on_columns(Lane& lane, const Column* args, i64 n, Column* result, F f) {
  const NumberSource x = numbers_in(args[0]);
  if (x.fits) return to_checked_numbers(lane, n, 0, result, [=](i64 k) { return f(x.at(k)); });
  const KeySource p = locations_in(args[0], false);
  if (!p.fits) return false;
  auto out = [=](i64 k) { return key_of(f(row_of(p.at(k))), f(column_of(p.at(k)))); };
  if (any(n, [=](i64 k) { return !in_range(f(row_of(p.at(k)))) || !in_range(f(column_of(p.at(k)))); }))
    return false;
  return to_keys(lane, n, 2, 2, Column::LOCATIONS, result, out);
}
template <class F>
ARC_FN bool binary_on_columns(Lane& lane, const Column* args, i64 n, Column* result, F f) {
  const NumberSource x = numbers_in(args[0]), y = numbers_in(args[1]);
  if (x.fits && y.fits)
    return to_checked_numbers(lane, n, 0, result, [=](i64 k) { return f(x.at(k), y.at(k)); });
  const KeySource p = locations_in(args[0], true), q = locations_in(args[1], true);
  if (!p.fits || !q.fits) return false;
  auto row = [=](i64 k) { return f((i64)row_of(p.at(k)), (i64)row_of(q.at(k))); };
  auto column = [=](i64 k) { return f((i64)column_of(p.at(k)), (i64)column_of(q.at(k))); };
  if (any(n, [=](i64 k) { return !in_range(row(k)) || !in_range(column(k)); })) return false;
  return to_keys(lane, n, weight_in(args[0]) + weight_in(args[1]), 2, Column::LOCATIONS, result,
                 [=](i64 k) { return key_of(row(k), column(k)); });
}

// Whether a sorted array has a key.
ARC_FN bool has_key(const Key* keys, i64 n, Key key) {
  i64 low = 0, high = n;
  while (low < high) {
    i64 middle = (low + high) / 2;
    if (keys[middle] < key) low = middle + 1; else high = middle;
  }
  return low < n && keys[low] == key;
}

ARC_FN bool contained_on_columns(Lane& lane, const Column* args, i64 n, Column* result) {
  if (args[1].form != Column::SAME) return false;
  const Value container = args[1].same;
  const u64 read = weight_in(args[0]) + weight_of(container);
  const Column x = args[0];
  const bool keys_fit = (x.form == Column::LOCATIONS && container.kind == INDICES) ||
                        (x.form == Column::CELL_KEYS && container.kind == OBJECT);
  if (keys_fit)
    return to_numbers(lane, n, read, result, [=](i64 k) { return has_key(container.keys, container.n, x.keys[k]); });
  if (x.form != Column::NUMBERS || (container.kind != INTSET && container.kind != INTS)) return false;
  return to_numbers(lane, n, read, result, [=](i64 k) {
    for (u32 j = 0; j < container.n; j++)
      if (container.ints[j] == x.ints[k]) return true;
    return false;
  });
}

ARC_FN bool equality_on_columns(Lane& lane, const Column* args, i64 n, Column* result) {
  const NumberSource x = numbers_in(args[0]), y = numbers_in(args[1]);
  if (x.fits && y.fits)
    return to_numbers(lane, n, 0, result, [=](i64 k) { return x.at(k) == y.at(k); });
  const KeySource p = locations_in(args[0], false), q = locations_in(args[1], false);
  if (!p.fits || !q.fits) return false;
  return to_numbers(lane, n, 4, result, [=](i64 k) { return p.at(k) == q.at(k); });
}

ARC_FN bool index_on_columns(Lane& lane, const Column* args, i64 n, Column* result) {
  if (args[0].form != Column::SAME || args[0].same.kind != GRID) return false;
  const Value grid = args[0].same;
  const i64 width = width_of(grid), n_rows = grid.n;
  const KeySource p = locations_in(args[1], false);
  auto outside = [=](i64 k) {
    const i64 i = row_of(p.at(k)), j = column_of(p.at(k));
    return i < 0 || j < 0 || i >= n_rows || j >= width;
  };
  if (!p.fits || any(n, outside)) return false;
  return to_numbers(lane, n, 2, result, [=](i64 k) {
    return grid.ints[row_of(p.at(k)) * width + column_of(p.at(k))];
  });
}

// `first` and `last` of pairs and cells.
ARC_FN bool side_on_columns(Lane& lane, const Column& x, bool last, i64 n, Column* result) {
  if (x.form == Column::LOCATIONS)
    return to_numbers(lane, n, 0, result, [=](i64 k) { return last ? column_of(x.keys[k]) : row_of(x.keys[k]); });
  if (x.form != Column::CELL_KEYS) return false;
  if (!last) return to_numbers(lane, n, 0, result, [=](i64 k) { return color_of(x.keys[k]); });
  return to_keys(lane, n, 0, 2, Column::LOCATIONS, result, [=](i64 k) { return place_of(x.keys[k]); });
}

ARC_FN bool astuple_on_columns(Lane& lane, const Column* args, i64 n, Column* result) {
  const NumberSource x = numbers_in(args[0]), y = numbers_in(args[1]);
  if (!x.fits) return false;
  if (y.fits)
    return to_keys(lane, n, 0, 2, Column::LOCATIONS, result, [=](i64 k) { return key_of(x.at(k), y.at(k)); });
  const KeySource q = locations_in(args[1], false);
  if (!q.fits) return false;
  return to_keys(lane, n, 0, 4, Column::CELL_KEYS, result, [=](i64 k) {
    return key_of(x.at(k), row_of(q.at(k)), column_of(q.at(k)));
  });
}

// Containers and objects as other functions return them.
ARC_FN bool size_on_columns(Lane& lane, const Column& x, i64 n, Column* result) {
  if (x.form != Column::VALUES || any(n, [&](i64 k) { return !is_container(x.values[k]); })) return false;
  return to_numbers(lane, n, 0, result, [=](i64 k) { return x.values[k].n; });
}
ARC_FN bool color_on_columns(Lane& lane, const Column& x, i64 n, Column* result) {
  if (x.form != Column::VALUES || !is_kind(x.values, n, OBJECT)) return false;
  return to_numbers(lane, n, 0, result, [=](i64 k) { return color_of(x.values[k].keys[0]); });
}

// Sets of locations or of cells of a column, or one for all.
struct PatchSource {
  const Value* values;
  i64 step;
  bool fits;
  ARC_FN const Value& at(i64 k) const { return values[k * step]; }
};
ARC_FN PatchSource patches_in(const Column& c, i64 n) {
  if (c.form != Column::SAME && c.form != Column::VALUES) return {nullptr, 0, false};
  const bool same = c.form == Column::SAME;
  const Value* values = same ? &c.same : c.values;
  auto is_other = [=](i64 k) { return values[k].kind != INDICES && values[k].kind != OBJECT; };
  return {values, !same, !any(same ? 1 : n, is_other)};
}

// All pairs of members are charged before any is compared.
ARC_FN bool manhattan_on_columns(Lane& lane, const Column* args, i64 n, Column* result) {
  const PatchSource p = patches_in(args[0], n), q = patches_in(args[1], n);
  if (!p.fits || !q.fits) return false;
  u64 steps = 0, largest = 0;
  for (i64 k = 0; k < n; k++) {
    const u64 read_p = weight_of(p.at(k)), read_q = weight_of(q.at(k));
    steps += read_p + read_q + (u64)p.at(k).n * q.at(k).n;
    largest = max_of(largest, max_of(read_p, read_q));
  }
  if (largest > lane.max_elements) return false;
  if (!lane.charge(steps)) return true;
  return to_numbers(lane, n, 0, result, [=](i64 k) {
    const Value &a = p.at(k), &b = q.at(k);
    return distance_between({a.keys, a.n, true}, {b.keys, b.n, true});
  });
}

// `connect` and `shoot`: the places of all lines are charged before any is made.
template <class LineBetween>
ARC_FN bool lines_on_columns(Lane& lane, const Column* args, i64 n, Column* result, LineBetween line_between) {
  const KeySource p = locations_in(args[0], false), q = locations_in(args[1], false);
  if (!p.fits || !q.fits) return false;
  Value* values = lane.allocate_array<Value>(n);
  if (!values) return true;
  u64 n_places = 0, longest = 0;
  for (i64 k = 0; k < n; k++) {
    const Line line = line_between(p.at(k), q.at(k));
    if (!line.in_range) return false;
    n_places += (u64)line.n;
    longest = max_of(longest, (u64)line.n);
    // Until there is memory for its places: the first one, and the step to the next.
    values[k].n = (u32)line.n;
    values[k].key = line.first;
    values[k].head = (u32)line.step;
  }
  if (3 * longest > lane.max_elements) return false;
  charge_calls(lane, n, 4, 0);
  if (!lane.charge(3 * n_places, 3 * n_places * BYTES_PER_ELEMENT)) return true;
  Key* next = lane.allocate_array<Key>((i64)n_places);
  if (!next) return true;
  for (i64 k = 0; k < n; k++) {
    const u32 n_in_line = values[k].n;
    const Key step = values[k].head;
    Key key = values[k].key;
    values[k] = keys_value(INDICES, next, n_in_line);
    for (u32 j = 0; j < n_in_line; j++, key += step) *next++ = key;
  }
  *result = value_column(values);
  return true;
}

ARC_NOINLINE bool run_on_columns(Lane& lane, u32 primitive, const Column* args, i64 n, Column* result) {
  const NumberSource x = numbers_in(args[0]);
  switch (primitive) {
    case P_identity:
      if (args[0].form == Column::VALUES || args[0].form == Column::SAME) return false;
      *result = args[0];
      return charge_calls(lane, n, 0, weight_in(args[0]));
    case P_add: return binary_on_columns(lane, args, n, result, [](i64 a, i64 b) { return a + b; });
    case P_subtract: return binary_on_columns(lane, args, n, result, [](i64 a, i64 b) { return a - b; });
    case P_multiply: return binary_on_columns(lane, args, n, result, [](i64 a, i64 b) { return a * b; });
    case P_invert: return unary_on_columns(lane, args, n, result, [](i64 a) { return -a; });
    case P_double: return unary_on_columns(lane, args, n, result, [](i64 a) { return 2 * a; });
    case P_halve: return unary_on_columns(lane, args, n, result, [](i64 a) { return a >> 1; });
    case P_increment: return unary_on_columns(lane, args, n, result, [](i64 a) { return a + 1; });
    case P_decrement: return unary_on_columns(lane, args, n, result, [](i64 a) { return a - 1; });
    case P_crement:
      return unary_on_columns(lane, args, n, result, [](i64 a) { return a + (a > 0) - (a < 0); });
    case P_sign:
      return unary_on_columns(lane, args, n, result, [](i64 a) { return (i64)((a > 0) - (a < 0)); });
    case P_even:
      return x.fits && to_numbers(lane, n, 0, result, [=](i64 k) { return !(x.at(k) & 1); });
    case P_positive:
      return x.fits && to_numbers(lane, n, 0, result, [=](i64 k) { return x.at(k) > 0; });
    case P_flip:
      return x.fits && to_numbers(lane, n, 0, result, [=](i64 k) { return x.at(k) == 0; });
    case P_toivec:
      return x.fits && to_keys(lane, n, 0, 2, Column::LOCATIONS, result,
                               [=](i64 k) { return key_of(x.at(k), 0); });
    case P_tojvec:
      return x.fits && to_keys(lane, n, 0, 2, Column::LOCATIONS, result,
                               [=](i64 k) { return key_of(0, x.at(k)); });
    case P_greater:
    case P_both:
    case P_either: {
      const NumberSource y = numbers_in(args[1]);
      if (!x.fits || !y.fits) return false;
      if (primitive == P_greater)
        return to_numbers(lane, n, 0, result, [=](i64 k) { return x.at(k) > y.at(k); });
      const bool both = primitive == P_both;
      return to_numbers(lane, n, 0, result, [=](i64 k) {
        return (x.at(k) != 0) == both ? y.at(k) : x.at(k);
      });
    }
    case P_equality: return equality_on_columns(lane, args, n, result);
    case P_contained: return contained_on_columns(lane, args, n, result);
    case P_index: return index_on_columns(lane, args, n, result);
    case P_first: return side_on_columns(lane, args[0], false, n, result);
    case P_last:
    case P_second: return side_on_columns(lane, args[0], true, n, result);
    case P_astuple: return astuple_on_columns(lane, args, n, result);
    case P_size: return size_on_columns(lane, args[0], n, result);
    case P_color: return color_on_columns(lane, args[0], n, result);
    case P_manhattan: return manhattan_on_columns(lane, args, n, result);
    case P_connect: return lines_on_columns(lane, args, n, result, [](Key from, Key to) { return connecting_line(from, to); });
    case P_shoot: return lines_on_columns(lane, args, n, result, [](Key from, Key to) { return shot_line(from, to); });
    default: return false;
  }
}

}  // namespace arc
