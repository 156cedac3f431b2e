// Plans and their runs for Python.
#include "plan_binding.hpp"

#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "fused_batt.hpp"
#include "layouts.hpp"

using namespace arc;

namespace {

// A copy of the items as an array of NumPy.
template <class T>
nb::object array_of(const std::vector<T>& items) {
  T* content = new T[items.size() + 1];
  std::copy(items.begin(), items.end(), content);
  nb::capsule owner(content, [](void* p) noexcept { delete[] (T*)p; });
  return nb::ndarray<nb::numpy, T>(content, {items.size()}, owner).cast();
}

nb::object links_of(const Links& links) {
  return nb::make_tuple(array_of(links.starts), array_of(links.items));
}

void check_sizes(std::initializer_list<size_t> sizes, size_t n) {
  for (size_t size : sizes)
    if (size != n) throw std::invalid_argument("an array of the wrong size");
}

// Makes rules of the fields of `Gpu`, by primitive. `calls` has MAX_PHASES places of arguments each, -1 for none.
PlanRules new_rules(Array<i8> calls, Array<u8> columns, Array<u8> combines, Array<u8> cpu_only,
                    Array<u8> single_thread, u32 max_ops, i64 max_power) {
  const size_t n = N_PRIMITIVES;
  check_sizes({calls.size() / MAX_PHASES, columns.size(), combines.size(), cpu_only.size(), single_thread.size()}, n);
  PlanRules rules;
  for (size_t p = 0; p < n; p++) {
    PlanRules::CalledFunctions called;
    for (size_t k = p * MAX_PHASES; k < (p + 1) * MAX_PHASES && calls(k) >= 0; k++)
      called.places[called.n_functions++] = (u8)calls(k);
    called.n_columns = columns(p);
    rules.calls.push_back(called);
    rules.combines.push_back(combines(p));
    rules.cpu_only.push_back(cpu_only(p));
    rules.single_thread.push_back(single_thread(p));
  }
  rules.max_ops = max_ops;
  rules.max_power = max_power;
  return rules;
}

// The plan's arrays as a device has them, each at a multiple of 16 bytes.
struct PlanImage {
  std::vector<u64> starts;  // of nodes, others, ops, sites, programs; then the end
  std::vector<u8> content;

  template <class T>
  void place(const std::vector<T>& items) {
    starts.push_back(content.size());
    const u8* first = (const u8*)items.data();
    content.insert(content.end(), first, first + items.size() * sizeof(T));
    content.resize((content.size() + 15) & ~15ULL);
  }
  explicit PlanImage(const Plan& plan) {
    place(plan.nodes);
    place(plan.others);
    place(plan.ops);
    place(plan.sites);
    place(plan.programs);
  }
};

// Runs `work` without the interpreter lock, which is taken only for calls of `should_continue`.
template <class Work>
int without_lock(nb::callable should_continue, Work work) {
  nb::gil_scoped_release release;
  return work([&] {
    nb::gil_scoped_acquire acquire;
    return nb::cast<bool>(should_continue());
  });
}

}  // namespace

void bind_plans(nb::module_& module) {
  nb::list kinds, heads;
  for (const char* name : STEP_KIND_NAMES) kinds.append(name);
  for (const char* name : OTHER_HEAD_NAMES) heads.append(name);
  module.attr("step_kinds") = kinds;
  module.attr("other_heads") = heads;
  module.attr("NO_DOMAIN") = NO_DOMAIN;
  module.attr("MAX_PHASES") = MAX_PHASES;
  module.attr("batt_bytes") = sizeof(Batt);
  module.attr("value_bytes") = sizeof(Value);
  module.attr("cost_bytes") = sizeof(NodeCost);
  module.attr("page_bytes") = sizeof(Page);
  module.attr("step_bytes") = sizeof(Step);
  module.attr("queue_bytes") = sizeof(Queue);
  module.attr("domain_bytes") = sizeof(FlatDomain);
  module.attr("LAUNCH") = dtype_of<Launch>();
  bind_words<Driver>(module, "Driver");
  bind_words<DeviceSettings>(module, "DeviceSettings");
  bind_words<DeviceAddresses>(module, "DeviceAddresses");
  nb::class_<PlanRules>(module, "PlanRules")
      .def("__init__",
           [](PlanRules* made, Array<i8> calls, Array<u8> columns, Array<u8> combines, Array<u8> cpu_only,
              Array<u8> single_thread, u32 max_ops, i64 max_power) {
             new (made) PlanRules(new_rules(calls, columns, combines, cpu_only, single_thread, max_ops, max_power));
           },
           nb::kw_only(), nb::arg("calls"), nb::arg("columns"), nb::arg("combines"), nb::arg("cpu_only"),
           nb::arg("single_thread"), nb::arg("max_ops"), nb::arg("max_power"));
  nb::class_<Plan>(module, "Plan")
      .def_ro("n_nodes", &Plan::n_nodes)
      .def_ro("n_function_calls", &Plan::n_function_calls)
      .def_ro("n_left_out", &Plan::n_left_out)
      .def_prop_ro("n_steps", [](const Plan& plan) { return plan.steps.size(); })
      .def_prop_ro("n_ops", [](const Plan& plan) { return plan.ops.size(); })
      .def_prop_ro("n_domains", [](const Plan& plan) { return plan.domains.size(); })
      .def_prop_ro("most_at_once", &Plan::most_at_once)
      .def_prop_ro("programs", [](const Plan& plan) { return array_of(plan.programs); })
      .def_prop_ro("nodes", [](const Plan& plan) { return array_of(plan.nodes); })
      .def_prop_ro("others", [](const Plan& plan) { return array_of(plan.others); })
      .def_prop_ro("sites", [](const Plan& plan) { return structured_array(plan.sites); })
      .def_prop_ro("steps", [](const Plan& plan) { return structured_array(plan.steps); })
      .def_prop_ro("stage_ends", [](const Plan& plan) { return array_of(plan.stage_ends); })
      .def_prop_ro("needs", [](const Plan& plan) { return links_of(plan.needs); })
      .def_prop_ro("size_needs", [](const Plan& plan) { return links_of(plan.size_needs); })
      .def("image", [](const Plan& plan) {
             const PlanImage image(plan);
             return nb::make_tuple(array_of(image.content), image.starts);
           });
  module.def("make_plan", [](const FusedBatt& batt, const PlanRules& rules) {
    return Scheduling(batt.view(), rules).take_plan();
  }, nb::call_guard<nb::gil_scoped_release>());
  nb::class_<PlanRun>(module, "PlanRun")
      .def("__init__",
           [](PlanRun* made, const Plan& plan, const Driver& driver, const DeviceSettings& settings,
              const DeviceAddresses& addresses, Array<u64> streams, Array<u64> events, Array<u64> timing,
              Array<u64> launches, Array<u64> functions, Array<u64> wide_functions, u64 n_samples) {
             check_sizes({launches.size() + 1}, streams.size());
             if (streams.size() < 2 || events.size() <= streams.size()) throw std::invalid_argument("too few events");
             const std::vector<u64> all = to_vector(events);
             check_sizes({functions.size(), wide_functions.size()}, N_STEP_KINDS * N_HEADS);
             const DevicePlaces places = {addresses, to_vector(streams), to_vector(launches),
                                          {all.begin(), all.end() - 1}, all.back(), to_vector(timing)};
             new (made) PlanRun(plan, driver, settings, places, to_vector(functions), to_vector(wide_functions),
                                n_samples);
           },
           nb::keep_alive<1, 2>(), nb::arg("plan"), nb::kw_only(), nb::arg("driver"),
           nb::arg("settings"), nb::arg("addresses"), nb::arg("streams"), nb::arg("events"), nb::arg("timing"),
           nb::arg("launches"), nb::arg("functions"), nb::arg("wide_functions"), nb::arg("n_samples"))
      .def("run", [](PlanRun& run, nb::callable should_continue) {
             return without_lock(should_continue, [&](auto check) { return run.run(check); });
           })
      .def("end", &PlanRun::end)
      .def("wait", [](PlanRun& run, nb::callable should_continue) {
             return without_lock(should_continue, [&](auto check) { return run.wait(check); });
           })
      .def_prop_ro("started", [](const PlanRun& run) {
             nb::list started;
             for (const PlanRun::Started& each : run.started)
               started.append(nb::make_tuple(each.step, each.is_counting, each.n_items));
             return started;
           })
      .def_prop_ro("lacking", [](const PlanRun& run) {
             return nb::make_tuple(run.lacking.host_bytes, run.lacking.device_bytes);
           })
      .def("give_memory",
           [](PlanRun& run, u64 host, u64 host_bytes, u64 device, u64 device_bytes) {
             run.give_memory((char*)host, host_bytes, device, device_bytes);
           },
           nb::kw_only(), nb::arg("host"), nb::arg("host_bytes"), nb::arg("device"), nb::arg("device_bytes"))
      .def_ro_static("TOO_MANY", &PlanRun::TOO_MANY)
      .def_ro_static("LACKS_MEMORY", &PlanRun::LACKS_MEMORY)
      .def_ro_static("STOPPED", &PlanRun::STOPPED)
      .def("start_one",
           [](PlanRun& run, u64 function, u64 wide_function, u64 nodes, u64 n_nodes, u64 n_items, u64 host,
              u64 device) {
             return run.start_one(function, wide_function, nodes, n_nodes, n_items, (char*)host, device);
           },
           nb::kw_only(), nb::arg("function"), nb::arg("wide_function"), nb::arg("nodes"), nb::arg("n_nodes"), nb::arg("n_items"),
           nb::arg("host"), nb::arg("device"));
}
