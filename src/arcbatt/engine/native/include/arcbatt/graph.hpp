// The fused graph of many programs, and the samples it is run on: data that CPU and GPU read.
#pragma once
#include "table.hpp"

namespace arc {

enum Op : u16 { LOAD_INPUT, LOAD_DEMOS, LOAD_TARGET, LOAD_CONSTANT, LOAD_FUNCTION, CALL, INVOKE };

struct Instruction {
  u16 op;
  u16 primitive;  // LOAD_FUNCTION, CALL
  u32 n_args;
  u32 first;      // CALL, INVOKE: position of its first argument in `args`; LOAD_CONSTANT: which constant
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

  // The most elements that one value can have.
  ARC_FN u64 elements() const { return min_of<u64>(min_of<u64>(steps, bytes / BYTES_PER_ELEMENT), MAX_ELEMENTS); }
};

// The cost of a node's own call on one sample; its steps are one of the constants below if it was not finished.
struct NodeCost {
  u64 steps;
  u64 bytes;
};
constexpr u64 TOO_MANY_STEPS = ~0ULL, UNKNOWN_STEPS = ~0ULL - 1;

// The values and costs of the nodes of one sample, `stride` apart.
struct Slots {
  Value* values;
  NodeCost* costs;
  u64 stride;
  ARC_FN Value& value(u32 node) const { return values[node * stride]; }
  ARC_FN NodeCost& cost(u32 node) const { return costs[node * stride]; }
};

struct Sample {
  Value input;
  Value demos;
  Value target;  // NONE if there is none
};

constexpr i32 NO_NUMBER = -(1 << 30);

// The result of one program on one sample.
struct Outcome {
  u64 hash;
  u64 steps;
  i32 number;  // the result if it is a number, its first member if that is one, or NO_NUMBER
  u8 reason;   // OK, or the reason of the failure
  u8 matches;
};

}  // namespace arc
