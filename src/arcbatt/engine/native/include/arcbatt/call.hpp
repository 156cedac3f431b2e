// Calls of primitives, checked and counted, and calls of function values on one or many arguments.
//
// A function over a container is evaluated op by op: its tree is walked once, and each primitive in it is applied to a
// whole column of arguments before the next one.
#pragma once
#include "table.hpp"

namespace arc {

#if !defined(ARC_FLAT)
// Runs the primitive's own work on arguments that fit their domains; codes outside their range fail. See
// primitives.hpp.
ARC_NOINLINE Value run_primitive(Lane& lane, u32 primitive, const Value* args);

// Returns the weight of the arguments that a primitive reads; each must itself be within the budget.
ARC_FN u64 read_weight(Lane& lane, const PrimitiveInfo& info, const Value* args, u32 n_args) {
  u64 read = 0;
  for (u32 k = 0; k < n_args; k++)
    if (k >= MAX_ARITY || !(info.peeks >> k & 1)) {
      u64 weight = weight_of(args[k]);
      lane.require(weight);
      read += weight;
    }
  return read;
}

// The same as call_primitive of language/calls.py.
ARC_NOINLINE Value call_primitive(Lane& lane, u32 primitive, const Value* args, u32 n_args) {
  const PrimitiveInfo& info = info_of(primitive);
  if (!lane.charge(1 + read_weight(lane, info, args, n_args))) return fail(OVER_BUDGET);
  if (n_args != info.arity) return fail(WRONG_TYPE);
  for (u32 k = 0; k < n_args; k++)
    if (!belongs(args[k], info.domains[k])) return fail(WRONG_TYPE);
  Value result = run_primitive(lane, primitive, args);
  if (lane.exceeded) return fail(OVER_BUDGET);
  if (result.failed()) return result;
  u64 made = weight_of(result);
  if (!lane.require(made)) return fail(OVER_BUDGET);
  if (!lane.charge(made, BYTES_PER_ELEMENT * (1 + made))) return fail(OVER_BUDGET);
  return result;
}

#endif

// --- columns ---

// Many values of one kind, or one value that stands for many.
struct Column {
  enum Form : u8 { SAME, NUMBERS, LOCATIONS, CELL_KEYS, VALUES } form = SAME;
  union {
    const i32* ints = nullptr;  // NUMBERS
    const Key* keys;            // LOCATIONS, CELL_KEYS
    const Value* values;        // VALUES; some may be failures
  };
  Value same = none_value();  // SAME

  ARC_FN Value at(i64 k) const {
    switch (form) {
      case SAME: return same;
      case NUMBERS: return number(ints[k]);
      case LOCATIONS: return pair_of_key(keys[k]);
      case CELL_KEYS: return cell_of_key(keys[k]);
      default: return values[k];
    }
  }
};

ARC_FN Column same_column(const Value& v) {
  Column c;
  c.same = v;
  return c;
}
ARC_FN Column number_column(const i32* ints) {
  Column c;
  c.form = Column::NUMBERS;
  c.ints = ints;
  return c;
}
ARC_FN Column key_column(Column::Form form, const Key* keys) {
  Column c;
  c.form = form;
  c.keys = keys;
  return c;
}
ARC_FN Column value_column(const Value* values) {
  Column c;
  c.form = Column::VALUES;
  c.values = values;
  return c;
}
// If memory or budget ran out, every value of the column is that failure.
ARC_FN Column failed_column(Lane& lane) {
  lane.exceeded = true;
  return same_column(fail(OVER_BUDGET));
}

// The members of a container as a column, without copying if possible.
ARC_FN Column column_of(Lane& lane, const Value& container) {
  switch (container.kind) {
    case INTS:
    case INTSET: return number_column(container.ints);
    case PAIR: {
      i32* ints = lane.allocate_array<i32>(2);
      if (!ints) return failed_column(lane);
      const Key key = container.key;
      each(2, [=](i64 k) { ints[k] = k ? column_of(key) : row_of(key); });
      return number_column(ints);
    }
    case INDICES: return key_column(Column::LOCATIONS, container.keys);
    case OBJECT: return key_column(Column::CELL_KEYS, container.keys);
    default: {
      const Value* members = members_of(lane, container);
      return members ? value_column(members) : failed_column(lane);
    }
  }
}

// Converts a column of values to a narrower form if all have it.
ARC_FN Column narrowed(Lane& lane, const Value* values, i64 n) {
  u32 kind = n ? values[0].kind : (u32)NONE;
  if ((kind != INT && kind != PAIR && kind != CELL) || !is_kind(values, n, (Kind)kind))
    return value_column(values);
  if (kind == INT) {
    i32* ints = lane.allocate_array<i32>(n);
    if (!ints) return failed_column(lane);
    each(n, [=](i64 k) { ints[k] = (i32)values[k].number; });
    return number_column(ints);
  }
  Key* keys = lane.allocate_array<Key>(n);
  if (!keys) return failed_column(lane);
  each(n, [=](i64 k) { keys[k] = values[k].key; });
  return key_column(kind == PAIR ? Column::LOCATIONS : Column::CELL_KEYS, keys);
}

// The first failure of a column, or none_value().
ARC_FN Value first_failure(const Column& column, i64 n) {
  if (n == 0) return none_value();
  if (column.form == Column::SAME) return column.same.failed() ? column.same : none_value();
  if (column.form != Column::VALUES) return none_value();
  i64 at = first_where(n, [&](i64 k) { return column.values[k].failed(); });
  return at < n ? Value(column.values[at]) : none_value();
}

// The values of a column as members of a new container.
ARC_FN Value* members_of_column(Lane& lane, const Column& column, i64 n) {
  Value* members = new_members(lane, n);
  if (members) each(n, [&](i64 k) { members[k] = column.at(k); });
  return members;
}

// A container of the same kind as another with a column's values; the first failure, if there is one.
ARC_NOINLINE Value container_of_column(Lane& lane, bool tuple, const Column& column, i64 n) {
  Value failure = first_failure(column, n);
  if (failure.failed()) return failure;
  if (tuple && column.form == Column::NUMBERS && n != 2 && n)
    return ints_value(INTS, column.ints, (u32)n);
  if (!tuple && (column.form == Column::LOCATIONS || column.form == Column::CELL_KEYS)) {
    ARC_ALLOCATE(keys, Key, n);
    copy(keys, column.keys, n);
    return set_of_keys(lane, column.form == Column::LOCATIONS ? INDICES : OBJECT, keys, n);
  }
  if (!tuple && column.form == Column::VALUES) return set_of(lane, column.values, n);
  Value* members = members_of_column(lane, column, n);
  if (!members) return fail(OVER_BUDGET);
  return tuple ? tuple_of(lane, members, n) : set_of(lane, members, n);
}

// --- functions on columns ---

// Applies a primitive to whole columns if that is implemented; otherwise returns false without any effect.
ARC_NOINLINE bool run_on_columns(Lane& lane, u32 primitive, const Column* args, i64 n, Column* result);

// x, or the guard's failure where it has failed.
ARC_FN Column guarded(Lane& lane, const Column& x, const Column& guard, i64 n) {
  if (!first_failure(guard, n).failed()) return x;
  if (guard.form == Column::SAME) return guard;
  Value* values = lane.allocate_array<Value>(n);
  if (!values) return failed_column(lane);
  each(n, [&](i64 k) { values[k] = guard.values[k].failed() ? Value(guard.values[k]) : x.at(k); });
  return value_column(values);
}

// Returns for each value of a column whether it equals the target; failures stay.
ARC_NOINLINE Column matches(Lane& lane, const Column& got, const Value& target, i64 n) {
  if (got.form == Column::VALUES || got.form == Column::SAME) {
    Value* values = lane.allocate_array<Value>(n);
    if (!values) return failed_column(lane);
    each(n, [=](i64 k) {
      const Value v = got.at(k);
      values[k] = v.failed() ? v : truth(equal_alone(v, target));
    });
    return narrowed(lane, values, n);
  }
  i32* is_equal = lane.allocate_array<i32>(n);
  if (!is_equal) return failed_column(lane);
  each(n, [&](i64 k) {
    is_equal[k] = got.form == Column::NUMBERS     ? target.kind == INT && got.ints[k] == target.number
                  : got.form == Column::LOCATIONS ? target.kind == PAIR && got.keys[k] == target.key
                                                  : target.kind == CELL && got.keys[k] == target.key;
  });
  return number_column(is_equal);
}

#if defined(ARC_FLAT)
// Functions are steps of the plan: their values were computed before; see flat.hpp.
ARC_EXTERN Column map_function(Lane& lane, const Value& function, const Column* args, u32 n_args, i64 n);
#else

ARC_FN i64 arity_of(Value function) {
  i64 bound = 0;
  while (function.n && (function.aux == P_rbind || function.aux == P_lbind)) {
    function = Value(function.members()[0]);
    bound++;
  }
  return (function.n ? 1 : (i64)info_of(function.aux).arity) - bound;
}

// The same on each element, for primitives that functions over containers call most often: without a call of
// `call_primitive` per element. Writes to `values`; stops if the lane has exceeded a limit.
ARC_NOINLINE bool run_on_elements(Lane& lane, u32 primitive, const Column* args, i64 n, Value* values);

// Applies a primitive to each element; a failed argument gives its failure, at no cost.
ARC_NOINLINE Column map_primitive(Lane& lane, u32 primitive, const Column* args, u32 n_args, i64 n) {
  Column result;
  if (n_args == info_of(primitive).arity && run_on_columns(lane, primitive, args, n, &result))
    return lane.exceeded ? failed_column(lane) : result;
  Value* values = lane.allocate_array<Value>(n);
  if (!values) return failed_column(lane);
  if (n_args == info_of(primitive).arity && run_on_elements(lane, primitive, args, n, values))
    return lane.exceeded ? failed_column(lane) : narrowed(lane, values, n);
  for (i64 k = 0; k < n; k++) {
    Value row[MAX_ARITY + 1];
    Value outcome = none_value();
    u32 used = min_of<u32>(n_args, MAX_ARITY + 1);
    for (u32 a = 0; a < used; a++) {
      row[a] = args[a].at(k);
      if (row[a].failed() && !outcome.failed()) outcome = row[a];
    }
    if (!outcome.failed()) outcome = call_primitive(lane, primitive, row, used);
    if (lane.exceeded) return failed_column(lane);
    if (thread_index() == 0) values[k] = outcome;
  }
  sync();
  return narrowed(lane, values, n);
}

// Returns the elements of a column at some places.
ARC_FN Column chosen_of(Lane& lane, const Column& column, const i32* places, i64 n) {
  if (column.form == Column::SAME) return column;
  if (column.form == Column::NUMBERS) {
    i32* ints = lane.allocate_array<i32>(n);
    if (!ints) return failed_column(lane);
    for (i64 k = 0; k < n; k++) ints[k] = column.ints[places[k]];
    return number_column(ints);
  }
  if (column.form != Column::VALUES) {
    Key* keys = lane.allocate_array<Key>(n);
    if (!keys) return failed_column(lane);
    for (i64 k = 0; k < n; k++) keys[k] = column.keys[places[k]];
    return key_column(column.form, keys);
  }
  Value* values = lane.allocate_array<Value>(n);
  if (!values) return failed_column(lane);
  for (i64 k = 0; k < n; k++) values[k] = column.values[places[k]];
  return narrowed(lane, values, n);
}

// Values of a column that still change, and those that have failed and stay: failures cost nothing, so no work may be
// done on them.
struct Survivors {
  Value* outcomes;  // of all elements; the failures so far
  i32* places;      // of the elements that have not failed
  i64 n;

  ARC_FN Survivors(Lane& lane, i64 n_all)
      : outcomes(lane.allocate_array<Value>(n_all)), places(lane.allocate_array<i32>(n_all)), n(n_all) {
    if (places)
      for (i64 k = 0; k < n_all; k++) places[k] = (i32)k;
  }
  ARC_FN bool fit() const { return outcomes && places; }
  // Stores the failures of a column as outcomes; returns the positions in the column of all other elements.
  ARC_FN i32* drop_failed(Lane& lane, const Column& column) {
    i32* kept = lane.allocate_array<i32>(n);
    if (!kept) return nullptr;
    i64 n_kept = 0;
    for (i64 k = 0; k < n; k++) {
      const Value v = column.at(k);
      if (v.failed()) {
        outcomes[places[k]] = v;
      } else {
        places[n_kept] = places[k];
        kept[n_kept++] = (i32)k;
      }
    }
    n = n_kept;
    return kept;
  }
  // All elements, those that are left with their values in a column.
  ARC_FN Column join(const Column& column) const {
    for (i64 k = 0; k < n; k++) outcomes[places[k]] = column.at(k);
    return value_column(outcomes);
  }
};

ARC_NOINLINE Column map_function(Lane& lane, Value function, const Column* args, u32 n_args, i64 n);

// The function's values on n arguments that have not failed, applied `times` over.
ARC_NOINLINE Column map_power(Lane& lane, Value function, i64 times, Column x, i64 n) {
  Survivors left(lane, n);
  if (!left.fit()) return failed_column(lane);
  for (i64 k = 0; k < times && left.n; k++) {
    x = map_function(lane, function, &x, 1, left.n);
    if (lane.exceeded) return failed_column(lane);
    if (!first_failure(x, left.n).failed()) continue;
    const i32* kept = left.drop_failed(lane, x);
    if (!kept) return failed_column(lane);
    x = chosen_of(lane, x, kept, left.n);
  }
  if (lane.exceeded) return failed_column(lane);
  return left.n == n ? x : left.join(x);
}

// The function's values on n tuples of arguments, as `call` of language/calls.py. No work is done on an argument that
// has failed, nor without arguments: neither costs anything, and a function may be large or call others many times.
ARC_NOINLINE Column map_function(Lane& lane, Value function, const Column* args, u32 n_args, i64 n) {
  if (lane.exceeded) return failed_column(lane);
  if (n_args > MAX_ARITY) return same_column(fail(WRONG_TYPE));
  if (!function.n) return map_primitive(lane, function.aux, args, n_args, n);
  if (n == 0) return same_column(none_value());
  const Value* captured = function.members();
  Column inner[MAX_ARITY + 1];
  bool has_failures = false;
  for (u32 a = 0; a < n_args; a++) has_failures |= first_failure(args[a], n).failed();
  const bool arity_fits = (i64)n_args == arity_of(function);
  if (has_failures || !arity_fits) {
    // An argument that has failed takes precedence over a wrong number of them, the first one most.
    Column failures = same_column(arity_fits ? none_value() : fail(WRONG_TYPE));
    for (u32 a = n_args; a-- > 0;) failures = guarded(lane, failures, args[a], n);
    if (!arity_fits || lane.exceeded || failures.form == Column::SAME) return failures;
    Survivors left(lane, n);
    const i32* kept = left.fit() ? left.drop_failed(lane, failures) : nullptr;
    if (!kept) return failed_column(lane);
    for (u32 a = 0; a < n_args; a++) inner[a] = chosen_of(lane, args[a], kept, left.n);
    const Column values = map_function(lane, function, inner, n_args, left.n);
    return lane.exceeded ? failed_column(lane) : left.join(values);
  }
  switch (function.aux) {
    case P_rbind:
      for (u32 a = 0; a < n_args; a++) inner[a] = args[a];
      inner[n_args] = same_column(captured[1]);
      return map_function(lane, captured[0], inner, n_args + 1, n);
    case P_lbind:
      for (u32 a = 0; a < n_args; a++) inner[a + 1] = args[a];
      inner[0] = same_column(captured[1]);
      return map_function(lane, captured[0], inner, n_args + 1, n);
    case P_compose:
      inner[0] = map_function(lane, captured[1], args, 1, n);
      return map_function(lane, captured[0], inner, 1, n);
    case P_chain:
      inner[0] = map_function(lane, captured[2], args, 1, n);
      inner[1] = map_function(lane, captured[1], inner, 1, n);
      return map_function(lane, captured[0], inner + 1, 1, n);
    case P_fork:
      inner[0] = map_function(lane, captured[1], args, 1, n);
      inner[2] = guarded(lane, args[0], inner[0], n);
      inner[1] = map_function(lane, captured[2], inner + 2, 1, n);
      return map_function(lane, captured[0], inner, 2, n);
    case P_power: return map_power(lane, captured[0], captured[1].number, args[0], n);
    case P_matcher: {
      if (!lane.charge((u64)n)) return failed_column(lane);
      const Column got = map_function(lane, captured[0], args, 1, n);
      return matches(lane, got, captured[1], n);
    }
    default: return same_column(fail(WRONG_TYPE));
  }
}

#endif

// A function's value on one tuple of arguments.
ARC_FN Value call_function(Lane& lane, const Value& function, const Value* args, u32 n_args) {
  if (function.kind != FUNCTION) return fail(WRONG_TYPE);
#if !defined(ARC_FLAT)
  if (!function.n) return call_primitive(lane, function.aux, args, n_args);
#endif
  if (n_args > MAX_ARITY) return fail(WRONG_TYPE);
  Column columns[MAX_ARITY];
  for (u32 k = 0; k < n_args; k++) columns[k] = same_column(args[k]);
  Column result = map_function(lane, function, columns, n_args, 1);
  return lane.exceeded ? fail(OVER_BUDGET) : result.at(0);
}

}  // namespace arc
