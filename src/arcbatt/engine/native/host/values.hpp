// Conversion of values between Python and the engine.
#pragma once
#include <nanobind/nanobind.h>

#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arcbatt/build.hpp"
#include "arcbatt/table.hpp"

namespace arc {

namespace nb = nanobind;

inline PyObject* function_class = nullptr;  // called with a primitive's number and captured arguments

// Returns memory for members. Values are made here without a budget, so only memory can run out.
inline Value* members_or_throw(Lane& lane, u64 n) {
  Value* members = new_members(lane, n);
  if (!members) throw std::bad_alloc();
  return members;
}

inline Value checked(const Lane& lane, const Value& v) {
  if (v.failed() && lane.exhausted) throw std::bad_alloc();
  if (v.failed()) throw std::invalid_argument("a value beyond the engine's limits");
  return v;
}

inline std::pair<Value*, u32> members_from(Lane& lane, nb::handle container, int depth);

// Returns the value of a Python object at a level of nesting.
inline Value value_from(Lane& lane, nb::handle object, int depth = 1) {
  if (object.is_none()) return none_value();
  if (PyLong_Check(object.ptr())) {
    int overflow = 0;
    long long x = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    Value v = number(x);
    if (overflow || v.failed()) throw std::invalid_argument("a number beyond the engine's range");
    return v;
  }
  if (function_class && PyObject_IsInstance(object.ptr(), function_class) == 1) {
    const u32 primitive = nb::cast<u32>(object.attr("primitive"));
    if (primitive >= N_PRIMITIVES) throw std::invalid_argument("no such primitive");
    const auto [members, n] = members_from(lane, nb::tuple(object.attr("args")), depth);
    return checked(lane, block_value(lane, FUNCTION, primitive, members, n));
  }
  const bool tuple = PyTuple_Check(object.ptr());
  if (!tuple && !PyFrozenSet_Check(object.ptr())) throw std::invalid_argument("not a value of the language");
  const auto [members, n] = members_from(lane, object, depth);
  return checked(lane, tuple ? tuple_of(lane, members, n) : set_of(lane, members, n));
}

inline std::pair<Value*, u32> members_from(Lane& lane, nb::handle container, int depth) {
  // Checked first: the nesting of Python objects is unbounded, the stack is not.
  if (depth > MAX_DEPTH) throw std::invalid_argument("a value nested deeper than the engine's limits");
  Value* members = members_or_throw(lane, nb::len(container));
  u32 n = 0;
  for (nb::handle item : container) members[n++] = value_from(lane, item, depth + 1);
  return {members, n};
}

inline nb::object value_to(const Value& v) {
  if (v.kind == NONE) return nb::none();
  if (v.kind == INT) return nb::int_((long long)v.number);
  nb::object members = nb::steal(PyTuple_New(v.n));
  if (!members) throw nb::python_error();
  for (u32 k = 0; k < v.n; k++) PyTuple_SetItem(members.ptr(), k, value_to(member(v, k)).release().ptr());
  if (v.kind == FUNCTION) return nb::handle(function_class)((u32)v.aux, members);
  return is_tuple(v) ? members : nb::steal(PyFrozenSet_New(members.ptr()));
}

inline std::vector<Value> padded_values(Lane& lane, nb::tuple args) {
  std::vector<Value> values;
  for (nb::handle arg : args) values.push_back(value_from(lane, arg));
  while (values.size() < MAX_ARITY) values.push_back(none_value());
  return values;
}

}  // namespace arc
