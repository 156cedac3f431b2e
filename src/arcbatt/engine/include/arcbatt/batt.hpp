// A batt: many programs fused into one graph, run over one sample at a time.
#pragma once
#include "primitives.hpp"

namespace arc {

enum Op : u8 { LOAD_INPUT, LOAD_DEMOS, LOAD_CONSTANT, LOAD_FUNCTION, CALL, INVOKE };

struct Instruction {
  u8 op;
  u8 n_args;
  u16 primitive;  // LOAD_FUNCTION, CALL
  u32 first;      // CALL, INVOKE: where its arguments' nodes stand in `args`; LOAD_CONSTANT: which
};

// Nodes are numbered so that arguments come before the nodes that use them.
struct Batt {
  const Instruction* code;
  const u32* args;
  const Value* constants;
  u32 n_nodes;
  u32 n_programs;
  const u32* results;  // the node of each program's result
  const u64* starts;   // the nodes of program p are program_nodes[starts[p] .. starts[p + 1])
  const u32* program_nodes;
};

struct Budget {
  u64 steps;
  u64 bytes;
};

// What one node gave on one sample, and what its own call cost.
struct NodeCost {
  u64 steps;
  u64 bytes;
};

struct Sample {
  Value input;
  Value demos;
  Value target;  // NONE where there is none
};

// What one program gives on one sample.
struct Outcome {
  u64 hash;
  u64 steps;
  u8 reason;  // OK, or why it failed
  u8 matches;
};

#if defined(ARC_PROFILE)
// Cycles and calls by primitive, the last one for calls of function values.
__device__ u64 profile_cycles[N_PRIMITIVES + 1];
__device__ u64 profile_calls[N_PRIMITIVES + 1];
#endif

ARC_FN Value run_node(Lane& lane, const Batt& batt, u32 node, const Sample& sample, Value* slots) {
  const Instruction code = batt.code[node];
  switch (code.op) {
    case LOAD_INPUT: return sample.input;
    case LOAD_DEMOS: return sample.demos;
    case LOAD_CONSTANT: return batt.constants[code.first];
    case LOAD_FUNCTION: return bare_function(code.primitive);
    default: break;
  }
  Value* args = lane.frame;
  const u32 n_args = code.n_args;
  const u32 held = min_of<u32>(n_args, MAX_ARITY + 1);
  for (u32 k = 0; k < n_args; k++) {
    const Value arg = slots[batt.args[code.first + k]];
    if (arg.failed()) return arg;
    if (k < held && thread_index() == 0) args[k] = arg;
  }
  sync();
  if (code.op == CALL) return call_primitive(lane, code.primitive, args, n_args);
  if (n_args > MAX_ARITY + 1) {
    // More arguments than any function takes: a bare primitive still counts what it was given.
    if (args[0].kind == FUNCTION && !args[0].n) {
      lane.charge(1 + read_weight(lane, info_of(args[0].aux), args + 1, MAX_ARITY));
      for (u32 k = MAX_ARITY + 1; k < n_args; k++)
        lane.charge(weight_of(slots[batt.args[code.first + k]]));
    }
    return fail(WRONG_TYPE);
  }
  return call_function(lane, args[0], args + 1, n_args - 1);
}

// Runs one node into its slot; false when the arena's memory was not enough.
ARC_FN bool run_into_slot(Lane& lane, const Batt& batt, u32 node, const Sample& sample, Value* slots,
                          NodeCost* costs) {
  sync();
  lane.steps = lane.bytes = 0;
  lane.exceeded = false;
  sync();
#if defined(ARC_PROFILE)
  const i64 start = clock64();
#endif
  Value result = run_node(lane, batt, node, sample, slots);
#if defined(ARC_PROFILE)
  if (thread_index() == 0 && batt.code[node].op >= CALL) {
    const u32 which = batt.code[node].op == CALL ? batt.code[node].primitive : (u32)N_PRIMITIVES;
    atomicAdd(&profile_cycles[which], (u64)(clock64() - start));
    atomicAdd(&profile_calls[which], 1ULL);
  }
#endif
  if (lane.exceeded) result = fail(OVER_BUDGET);
  if (thread_index() == 0) {
    slots[node] = result;
    costs[node].steps = lane.exceeded ? ~0ULL : lane.steps;
    costs[node].bytes = lane.bytes;
  }
  sync();
  return !lane.exhausted;
}

// What a program gave, all of its nodes having been run.
ARC_FN Outcome outcome_of(const Batt& batt, u32 program, const Budget& budget, const Sample& sample,
                          const Value* slots, const NodeCost* costs) {
  const u32* nodes = batt.program_nodes + batt.starts[program];
  const i64 n = (i64)(batt.starts[program + 1] - batt.starts[program]);
  Outcome out = {0, budget.steps + 1, OVER_BUDGET, 0};
  if (any(n, [=](i64 k) { return costs[nodes[k]].steps == ~0ULL; })) return out;
  u64 steps = (u64)total(n, [=](i64 k) { return (i64)costs[nodes[k]].steps; });
  u64 bytes = (u64)total(n, [=](i64 k) { return (i64)costs[nodes[k]].bytes; });
  if (steps > budget.steps || bytes > budget.bytes) return out;
  out.steps = steps;
  const Value result = slots[batt.results[program]];
  out.reason = result.failed() ? result.reason() : OK;
  if (result.failed()) return out;
  out.hash = hash_of(result);
  out.matches = sample.target.kind != NONE && equal(result, sample.target);
  return out;
}

}  // namespace arc
