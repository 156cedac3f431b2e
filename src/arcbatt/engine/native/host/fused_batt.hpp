// The fused graph of a batt, with the memory of its constants.
#pragma once
#include <algorithm>

#include "arcbatt/graph.hpp"
#include "arena.hpp"
#include "arrays.hpp"
#include "values.hpp"

namespace arc {

// What a node's value depends on: on nothing but constants, on the demos, or on the input or target.
enum Needs : u8 { NEEDS_NOTHING, NEEDS_DEMOS, NEEDS_SAMPLE };

struct FusedBatt {
  std::vector<Instruction> code;
  std::vector<u32> args, results, program_nodes;
  std::vector<u64> starts;
  std::vector<Value> constants;
  std::vector<u8> needs;
  std::vector<u32> nodes_before;  // of a part: the node of the whole that each node was
  Arena arena;

  FusedBatt(Array<u8> ops, Array<i32> primitives, Array<i32> firsts, Array<i32> counts, Array<i32> arg_nodes,
            Array<i32> result_nodes, nb::list constant_values) {
    size_t n = ops.size();
    if (primitives.size() != n || firsts.size() != n || counts.size() != n)
      throw std::invalid_argument("the arrays of nodes differ in length");
    Lane lane;
    arena.hold_data();
    arena.reset(lane);
    set_budget(lane, NO_BUDGET);
    for (nb::handle value : constant_values) constants.push_back(value_from(lane, value));
    // The rest takes a millisecond for a card of mutants; other threads can use the interpreter meanwhile.
    nb::gil_scoped_release release;
    for (size_t k = 0; k < n; k++) {
      i64 first = firsts(k), count = counts(k), primitive = primitives(k);
      if (ops(k) > INVOKE || (ops(k) == INVOKE && !count) || primitive < 0 || primitive >= N_PRIMITIVES ||
          count < 0 || first < 0 ||
          (ops(k) >= CALL && first + count > (i64)arg_nodes.size()) ||
          (ops(k) == LOAD_CONSTANT && first >= (i64)constants.size()))
        throw std::invalid_argument("an invalid node");
      const Instruction made = {ops(k), (u16)primitive, (u32)count, (u32)first};
      u8 need = made.op == LOAD_INPUT || made.op == LOAD_TARGET ? NEEDS_SAMPLE
                : made.op == LOAD_DEMOS                         ? NEEDS_DEMOS
                                                                : NEEDS_NOTHING;
      if (ops(k) >= CALL)
        for (i64 a = first; a < first + count; a++) {
          if (arg_nodes(a) < 0 || (size_t)arg_nodes(a) >= k)
            throw std::invalid_argument("a node used before it is made");
          need = max_of(need, needs[arg_nodes(a)]);
        }
      needs.push_back(need);
      code.push_back(made);
    }
    for (size_t a = 0; a < arg_nodes.size(); a++) args.push_back((u32)arg_nodes(a));
    for (size_t p = 0; p < result_nodes.size(); p++) {
      if (result_nodes(p) < 0 || (size_t)result_nodes(p) >= n) throw std::invalid_argument("no such node");
      results.push_back((u32)result_nodes(p));
    }
    collect_program_nodes();
  }

  // Makes a graph of some of the programs, with the nodes that they need in the same order. Constants are shared.
  FusedBatt(const FusedBatt& whole, Array<u32> programs) : constants(whole.constants) {
    std::vector<bool> needed(whole.code.size(), false);
    for (size_t p = 0; p < programs.size(); p++) {
      if (programs(p) >= whole.results.size()) throw std::invalid_argument("no such program");
      const u32 program = programs(p);
      for (u64 k = whole.starts[program]; k < whole.starts[program + 1]; k++) needed[whole.program_nodes[k]] = true;
    }
    std::vector<u32> places(whole.code.size(), 0);
    for (u32 node = 0; node < whole.code.size(); node++) {
      if (!needed[node]) continue;
      Instruction moved = whole.code[node];
      if (moved.op >= CALL) {
        const u32* from = whole.args.data() + moved.first;
        moved.first = (u32)args.size();
        for (u32 a = 0; a < moved.n_args; a++) args.push_back(places[from[a]]);
      }
      places[node] = (u32)code.size();
      nodes_before.push_back(node);
      code.push_back(moved);
      needs.push_back(whole.needs[node]);
    }
    for (size_t p = 0; p < programs.size(); p++) results.push_back(places[whole.results[programs(p)]]);
    collect_program_nodes();
  }

  // Lists the nodes of each program in ascending order, so that arguments come first.
  void collect_program_nodes() {
    std::vector<u32> seen(code.size(), 0), stack, nodes;
    starts.push_back(0);
    for (size_t p = 0; p < results.size(); p++) {
      nodes.clear();
      stack.push_back(results[p]);
      while (!stack.empty()) {
        u32 node = stack.back();
        stack.pop_back();
        if (seen[node] == p + 1) continue;
        seen[node] = (u32)p + 1;
        nodes.push_back(node);
        if (code[node].op >= CALL)
          for (u32 a = 0; a < code[node].n_args; a++) stack.push_back(args[code[node].first + a]);
      }
      std::sort(nodes.begin(), nodes.end());
      program_nodes.insert(program_nodes.end(), nodes.begin(), nodes.end());
      starts.push_back(program_nodes.size());
    }
  }

  Batt view() const {
    return {code.data(),    args.data(),   constants.data(),    (u32)code.size(),
            (u32)results.size(), results.data(), starts.data(), program_nodes.data()};
  }
};

}  // namespace arc
