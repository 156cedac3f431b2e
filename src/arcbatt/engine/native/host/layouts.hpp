// Layouts of structures that Python fills or reads by the names of their fields.
#pragma once
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "arcbatt/launch.hpp"
#include "plan_run.hpp"

namespace arc {

namespace nb = nanobind;

struct Field {
  const char* name;
  std::string format;  // as NumPy writes it
  size_t offset;
};

template <class T>
std::string format_of() {
  if constexpr (std::is_pointer_v<T>) return "u8";
  if constexpr (std::is_integral_v<T>) return (std::is_signed_v<T> ? "i" : "u") + std::to_string(sizeof(T));
  return "V" + std::to_string(sizeof(T));
}
#define ARC_FIELD(Struct, field) \
  Field { #field, format_of<decltype(std::declval<Struct&>().field)>(), offsetof(Struct, field) }

template <class Struct>
std::vector<Field> fields_of();

template <>
inline std::vector<Field> fields_of<Launch>() {
  return {ARC_FIELD(Launch, batt),         ARC_FIELD(Launch, budget.steps),
          ARC_FIELD(Launch, budget.bytes), ARC_FIELD(Launch, samples),
          ARC_FIELD(Launch, chosen),       ARC_FIELD(Launch, n_chosen),
          ARC_FIELD(Launch, n_samples),    ARC_FIELD(Launch, pool.start),
          ARC_FIELD(Launch, pool.n_bytes), ARC_FIELD(Launch, pool.n_used),
          ARC_FIELD(Launch, pool.max_call_bytes), ARC_FIELD(Launch, pages),
          ARC_FIELD(Launch, stopped),      ARC_FIELD(Launch, values),
          ARC_FIELD(Launch, costs),        ARC_FIELD(Launch, reasons),
          ARC_FIELD(Launch, matches),      ARC_FIELD(Launch, hashes),
          ARC_FIELD(Launch, steps),        ARC_FIELD(Launch, numbers),
          ARC_FIELD(Launch, n_words),      ARC_FIELD(Launch, words),
          ARC_FIELD(Launch, flat.ops),     ARC_FIELD(Launch, flat.sites),
          ARC_FIELD(Launch, flat.domains), ARC_FIELD(Launch, flat.values),
          ARC_FIELD(Launch, flat.n_chosen)};
}
template <>
inline std::vector<Field> fields_of<PlanStep>() {
  return {ARC_FIELD(PlanStep, kernel), ARC_FIELD(PlanStep, n_nodes), ARC_FIELD(PlanStep, n_others)};
}
template <>
inline std::vector<Field> fields_of<FlatSite>() {
  return {ARC_FIELD(FlatSite, primitive), ARC_FIELD(FlatSite, home), ARC_FIELD(FlatSite, column),
          ARC_FIELD(FlatSite, n_phases)};
}
template <>
inline std::vector<Field> fields_of<Driver>() {
  return {ARC_FIELD(Driver, launch), ARC_FIELD(Driver, record), ARC_FIELD(Driver, wait),
          ARC_FIELD(Driver, copy),   ARC_FIELD(Driver, fill),   ARC_FIELD(Driver, query)};
}
template <>
inline std::vector<Field> fields_of<DeviceSettings>() {
  return {ARC_FIELD(DeviceSettings, n_blocks),          ARC_FIELD(DeviceSettings, n_wide_blocks),
          ARC_FIELD(DeviceSettings, block_threads),     ARC_FIELD(DeviceSettings, wide_block_threads),
          ARC_FIELD(DeviceSettings, elements_per_item), ARC_FIELD(DeviceSettings, max_large),
          ARC_FIELD(DeviceSettings, max_elements),      ARC_FIELD(DeviceSettings, add_counts),
          ARC_FIELD(DeviceSettings, pick)};
}
template <>
inline std::vector<Field> fields_of<DeviceAddresses>() {
  return {ARC_FIELD(DeviceAddresses, nodes), ARC_FIELD(DeviceAddresses, others), ARC_FIELD(DeviceAddresses, domains),
          ARC_FIELD(DeviceAddresses, queues), ARC_FIELD(DeviceAddresses, listed)};
}

// The structured type of NumPy for an array of the structure.
template <class Struct>
nb::object dtype_of() {
  nb::list names, formats, offsets;
  for (const Field& field : fields_of<Struct>()) {
    names.append(field.name);
    formats.append(field.format.c_str());
    offsets.append(field.offset);
  }
  nb::dict layout;
  layout["names"] = names;
  layout["formats"] = formats;
  layout["offsets"] = offsets;
  layout["itemsize"] = sizeof(Struct);
  return nb::module_::import_("numpy").attr("dtype")(layout);
}

// A copy of structures as an array of NumPy.
template <class Struct>
nb::object structured_array(const std::vector<Struct>& items) {
  const nb::bytes content((const char*)items.data(), items.size() * sizeof(Struct));
  return nb::module_::import_("numpy").attr("frombuffer")(content, dtype_of<Struct>());
}

// Binds a structure of words and addresses, whose constructor takes all fields by name.
template <class Struct>
void bind_words(nb::module_& module, const char* name) {
  nb::class_<Struct>(module, name).def("__init__", [](Struct* made, nb::kwargs given) {
    const std::vector<Field> fields = fields_of<Struct>();
    Struct filled = {};
    for (const Field& field : fields) {
      if (field.format != "u8" || !given.contains(field.name))
        throw std::invalid_argument(std::string("missing field: ") + field.name);
      const u64 word = nb::cast<u64>(given[field.name]);
      std::memcpy((char*)&filled + field.offset, &word, sizeof(word));
    }
    if (given.size() != fields.size()) throw std::invalid_argument("an unknown field");
    new (made) Struct(filled);
  });
}

}  // namespace arc
