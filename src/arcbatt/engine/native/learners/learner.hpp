// Infrastructure for the primitives of this folder: ordinary C++ for the CPU, one file per family. A file puts its code
// into an anonymous namespace inside `arc` and implements each of its primitives with
//
// ARC_IMPLEMENT(learn_cells) { ... lane, args ... return a Value; }
//
// and, for a learner whose rule is put into words, ARC_RULE(learn_cells) { ... }, which returns the rule as a value of
// the language. No other registration is needed: the primitive is declared in arcbatt/language/learners.
#pragma once
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "arcbatt/build.hpp"
#include "arcbatt/table.hpp"

namespace arc {

// For each learner that has one, the function that returns the rule behind a call.
inline HostPrimitive RULE_FINDERS[N_PRIMITIVES] = {};

struct Registration {
  Registration(HostPrimitive* table, u32 primitive, HostPrimitive implementation) { table[primitive] = implementation; }
};
#define ARC_REGISTER(table, prefix, name)                                                \
  Value prefix##_##name(Lane& lane, const Value* args);                                  \
  const Registration prefix##_registration_##name(table, P_##name, &prefix##_##name);    \
  Value prefix##_##name([[maybe_unused]] Lane& lane, [[maybe_unused]] const Value* args)
#define ARC_IMPLEMENT(name) ARC_REGISTER(HOST_PRIMITIVES, run, name)
#define ARC_RULE(name) ARC_REGISTER(RULE_FINDERS, rule, name)

// --- values ---

// The tuple of some values in its one form.
inline Value tuple_value(Lane& lane, const std::vector<Value>& values) {
  Value* members = new_members(lane, values.size());
  if (!members) return fail(OVER_BUDGET);
  std::copy(values.begin(), values.end(), members);
  return tuple_of(lane, members, (i64)values.size());
}
template <class Numbers>
Value numbers_value(Lane& lane, const Numbers& numbers) {
  std::vector<Value> values;
  for (auto each : numbers) values.push_back(number(each));
  return tuple_value(lane, values);
}
inline Value cells_value(Lane& lane, const std::vector<i32>& cells, i64 width) {
  ARC_ALLOCATE(to, i32, cells.size());
  std::copy(cells.begin(), cells.end(), to);
  return grid_value(to, (u32)((i64)cells.size() / width), (u32)width);
}

// --- keys ---

// Replaces numbers by their ranks among the distinct ones.
inline void rank_keys(u64* keys, size_t n, bool falling) {
  std::vector<u64> distinct(keys, keys + n);
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (size_t k = 0; k < n; k++) {
    const u64 n_less = (u64)(std::lower_bound(distinct.begin(), distinct.end(), keys[k]) - distinct.begin());
    keys[k] = falling ? distinct.size() - 1 - n_less : n_less;
  }
}

// --- registration ---

// Throws unless exactly the primitives that are declared as host primitives have an implementation here.
inline void check_learners() {
  auto check = [](const char* name, u32 primitive, bool is_declared) {
    if (is_declared == (HOST_PRIMITIVES[primitive] != nullptr)) return;
    const char* why = is_declared ? " is declared as a learner, but has no ARC_IMPLEMENT in engine/native/learners"
                                  : " has an ARC_IMPLEMENT, but is not declared as a learner or host primitive";
    throw std::runtime_error(std::string("primitive ") + name + why);
  };
#define ARC_PRIMITIVE(name, arity, peeks, d0, d1, d2, d3, name_hash) check(#name, P_##name, false);
#define ARC_HOST_PRIMITIVE(name, arity, peeks, d0, d1, d2, d3, name_hash) check(#name, P_##name, true);
#include "arcbatt/table.inc"
#undef ARC_PRIMITIVE
}

}  // namespace arc
