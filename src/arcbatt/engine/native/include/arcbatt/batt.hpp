// Running the nodes of a batt on one sample at a time.
#pragma once
#include "graph.hpp"
#include "primitives.hpp"

namespace arc {

ARC_FN Value load(const Batt& batt, const Instruction& code, const Sample& sample) {
  switch (code.op) {
    case LOAD_INPUT: return sample.input;
    case LOAD_DEMOS: return sample.demos;
    case LOAD_TARGET: return sample.target;
    case LOAD_CONSTANT: return batt.constants[code.first];
    default: return bare_function(code.primitive);
  }
}

// The value and the steps of a node that has exceeded a limit.
ARC_FN Value exceeded_value(const Lane& lane) { return fail(lane.exhausted ? NOT_RUN : OVER_BUDGET); }
ARC_FN u64 exceeded_steps(const Lane& lane) { return lane.exhausted ? UNKNOWN_STEPS : TOO_MANY_STEPS; }

// The arguments and the result of a node.
struct NodePlace {
  Slots slots;
  const u32* args;
  u32 node;

  ARC_FN Value arg(u32 k) const { return slots.value(args[k]); }
  ARC_FN void write(const Value& value, const NodeCost& cost) const {
    slots.value(node) = value;
    slots.cost(node) = cost;
  }
  ARC_FN void fill(const Value& value, u64 steps, u64 bytes) const {
    if (thread_index() == 0) write(value, {steps, bytes});
    sync();
  }
  ARC_FN void fill_exceeded(const Lane& lane) const {
    fill(exceeded_value(lane), exceeded_steps(lane), lane.bytes);
  }
};

// Copies the arguments of a call to the lane's frame; returns the number of arguments before the first failure.
template <class Place>
ARC_FN u32 gather(Lane& lane, const Place& place, u32 n_args) {
  Value* args = lane.frame;
  const i64 n_right = first_where(n_args, [&](i64 k) {
    const Value arg = place.arg((u32)k);
    if (k < MAX_ARITY + 1) args[k] = arg;
    return arg.failed();
  });
  sync();
  return (u32)n_right;
}

ARC_FN void begin_node(Lane& lane, u64 steps) {
  lane.steps = steps;
  lane.bytes = 0;
  lane.exceeded = lane.exhausted = false;
}

// A primitive that is known at compile time, and one that is not.
template <u32 P, Value (*RUN)(Lane&, const Value*)>
struct KnownPrimitive {
  static constexpr PrimitiveInfo declared = Declared<P>::info;
  ARC_FN PrimitiveInfo info() const { return declared; }
#if defined(ARC_FLAT)
  ARC_FN u32 sure_kinds(u32 arg) const {
    constexpr u32 kinds[] = {kinds_of(declared.domains[0]), kinds_of(declared.domains[1]),
                             kinds_of(declared.domains[2]), kinds_of(declared.domains[3])};
    return arg == 0 ? kinds[0] : arg == 1 ? kinds[1] : arg == 2 ? kinds[2] : kinds[3];
  }
#endif
  ARC_FN bool accepts(const Value* args) const {
    constexpr PrimitiveInfo known = declared;
    return (known.arity < 1 || fits(args[0], known.domains[0])) &&
           (known.arity < 2 || fits(args[1], known.domains[1])) &&
           (known.arity < 3 || fits(args[2], known.domains[2])) &&
           (known.arity < 4 || fits(args[3], known.domains[3]));
  }
  ARC_FN Value run(Lane& lane, const Value* args) const {
    if (!codes_fit<P>(args)) return fail(OUT_OF_RANGE);
    return RUN(lane, args);
  }
  ARC_FN u64 effort(const Value* args, u64 n_elements) const { return Effort<P>::of(args, n_elements); }
};
#if !defined(ARC_FLAT)
struct AnyPrimitive {
  u32 number;
  ARC_FN const PrimitiveInfo& info() const { return info_of(number); }
  ARC_FN bool accepts(const Value* args) const {
    for (u32 k = 0; k < info().arity; k++)
      if (!belongs(args[k], info().domains[k])) return false;
    return true;
  }
  ARC_FN Value run(Lane& lane, const Value* args) const { return run_primitive(lane, number, args); }
};
#endif

#if defined(ARC_FLAT)
// Returns whether a call on this many elements was left to a wide lane; then there is nothing to do.
ARC_EXTERN bool is_left_to_wide(Lane& lane, u64 n_elements);
#endif

// Starts a call of a primitive; n_right is the number of arguments before the first failure. Counts as call_primitive
// does, but starts from zero and uses the lane's counters only while the primitive runs. Returns whether to run it;
// otherwise its result is written.
template <class P, class Place>
ARC_FN bool begin_call(Lane& lane, const Value* args, u32 n_args, u32 n_right, const P& primitive,
                       const Place& place) {
  if (n_right < n_args) {
    place.fill(place.arg(n_right), 0, 0);
    return false;
  }
  u64 steps = 1, heaviest = 0;
  const bool arity_fits = n_args == primitive.info().arity;
  const u32 n_weighed = arity_fits ? primitive.info().arity : n_args;
  for (u32 k = 0; k < n_weighed; k++)
    if (k >= MAX_ARITY || !(primitive.info().peeks >> k & 1)) {
      const u64 weight = weight_of(k < MAX_ARITY ? args[k] : place.arg(k));
      heaviest = max_of(heaviest, weight);
      steps += weight;
    }
  begin_node(lane, steps);
  if (heaviest > lane.max_elements || steps > lane.max_steps) {
    place.fill_exceeded(lane);
    return false;
  }
  if (!arity_fits || !primitive.accepts(args)) {
    place.fill(fail(WRONG_TYPE), steps, 0);
    return false;
  }
  return true;
}
// Adds the cost of a primitive's result; returns false if that exceeds the budget.
ARC_FN bool add_result(const Lane& lane, const Value& result, NodeCost& cost) {
  if (result.failed()) return true;
  const u64 made = weight_of(result);
  cost.steps += made;
  cost.bytes += BYTES_PER_ELEMENT * (1 + made);
  return made <= lane.max_elements && cost.steps <= lane.max_steps && cost.bytes <= lane.max_bytes;
}
// Runs a call that was started, and writes its result.
template <class P, class Place>
ARC_FN void finish_call(Lane& lane, const Value* args, const P& primitive, const Place& place) {
#if defined(ARC_FLAT)
  if (is_left_to_wide(lane, primitive.effort(args, lane.steps))) return;
#endif
  const Value result = primitive.run(lane, args);
  NodeCost cost = {lane.steps, lane.bytes};
  if (lane.exceeded || !add_result(lane, result, cost)) return place.fill_exceeded(lane);
  place.fill(result, cost.steps, cost.bytes);
}
template <class P, class Place>
ARC_FN void run_call(Lane& lane, u32 n_args, const P& primitive, const Place& place) {
  const u32 n_right = gather(lane, place, n_args);
  if (begin_call(lane, lane.frame, n_args, n_right, primitive, place)) finish_call(lane, lane.frame, primitive, place);
}

#if !defined(ARC_FLAT)
// Runs a node that calls a function value, which is its first argument.
ARC_FN void run_invoke(Lane& lane, u32 n_args, const NodePlace& place) {
  const u32 n_right = gather(lane, place, n_args);
  const Value* args = lane.frame;
  if (n_right < n_args) return place.fill(place.arg(n_right), 0, 0);
  begin_node(lane, 0);
  Value result = fail(WRONG_TYPE);
  if (n_args <= MAX_ARITY + 1) {
    result = call_function(lane, args[0], args + 1, n_args - 1);
  } else if (args[0].kind == FUNCTION && !args[0].n) {
    // More arguments than any function takes: a bare primitive still counts their weights.
    lane.charge(1 + read_weight(lane, info_of(args[0].aux), args + 1, MAX_ARITY));
    for (u32 k = MAX_ARITY + 1; k < n_args; k++) lane.charge(weight_of(place.arg(k)));
  }
  if (lane.exceeded) return place.fill_exceeded(lane);
  place.fill(result, lane.steps, lane.bytes);
}

// Runs any node and writes its result; returns false if the lane ran out of memory.
ARC_FN bool run_node(Lane& lane, const Batt& batt, u32 node, const Sample& sample, const Slots& slots) {
  const Instruction code = batt.code[node];
  const NodePlace place = {slots, batt.args + code.first, node};
  if (code.op < CALL) {
    place.fill(load(batt, code, sample), 0, 0);
    return true;
  }
  if (code.op == INVOKE) {
    run_invoke(lane, code.n_args, place);
  } else {
    run_call(lane, code.n_args, AnyPrimitive{code.primitive}, place);
  }
  return !lane.exhausted;
}
#endif

// The cost of all nodes of a program.
struct ProgramCost {
  u64 steps = 0, bytes = 0;
  bool unfinished = false, unknown = false;

  ARC_FN void add(const NodeCost& cost) {
    unfinished |= cost.steps >= UNKNOWN_STEPS;
    unknown |= cost.steps == UNKNOWN_STEPS;
    steps += cost.steps;
    bytes += cost.bytes;
  }
  ARC_FN bool exceeds(const Budget& budget) const { return unfinished || steps > budget.steps || bytes > budget.bytes; }
};
ARC_FN ProgramCost cost_of(const Batt& batt, u32 program, const Slots& slots) {
  const u32* nodes = batt.program_nodes + batt.starts[program];
  const Counter n = (Counter)(batt.starts[program + 1] - batt.starts[program]);
  ProgramCost cost;
  for (Counter k = thread_index(); k < n; k += W) cost.add(slots.cost(nodes[k]));
  cost.unfinished = any_thread(cost.unfinished);
  if (cost.unfinished) {
    cost.unknown = any_thread(cost.unknown);
    return cost;
  }
  cost.steps = (u64)large_sum_of_threads(cost.steps);
  cost.bytes = (u64)large_sum_of_threads(cost.bytes);
  return cost;
}

// Returns the outcome of a program whose nodes have been run.
ARC_FN Outcome outcome_of(const Value& result, const ProgramCost& cost, const Budget& budget, const Sample& sample) {
  Outcome out = {0, budget.steps + 1, NO_NUMBER, OVER_BUDGET, 0};
  if (cost.unknown) out.reason = NOT_RUN;
  if (cost.exceeds(budget)) return out;
  out.steps = cost.steps;
  out.reason = result.failed() ? result.reason() : OK;
  if (result.failed()) return out;
  out.hash = hash_of(result);
  const Value first = is_tuple(result) && result.n ? member(result, 0) : result;
  if (first.kind == INT) out.number = (i32)first.number;
  out.matches = sample.target.kind != NONE && equal(result, sample.target);
  return out;
}

ARC_FN Outcome outcome_of(const Batt& batt, u32 program, const Budget& budget, const Sample& sample,
                          const Slots& slots) {
  return outcome_of(slots.value(batt.results[program]), cost_of(batt, program, slots), budget, sample);
}

}  // namespace arc
