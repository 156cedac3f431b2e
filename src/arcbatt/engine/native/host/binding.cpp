// The extension module: single calls, and runs of batts on the threads of the CPU.
#include "build_info.hpp"
#include "fused_batt.hpp"
#include "graph_binding.hpp"
#include "grid_facts.hpp"
#include "learners/learner.hpp"
#include "plan_binding.hpp"
#include "run.hpp"
#include "samples.hpp"
#include "source_digest.hpp"

using namespace arc;

char* arc::grow_arena(void* owner, u64 bytes, u64* given) { return ((Arena*)owner)->next(bytes, given); }

namespace {

// Calls a primitive; returns (reason, value, steps, bytes, hash).
nb::tuple call(u32 primitive, nb::tuple args, u64 max_steps, u64 max_bytes) {
  if (primitive >= N_PRIMITIVES) throw std::invalid_argument("no such primitive");
  Arena arena;
  Lane lane;
  arena.reset(lane);
  set_budget(lane, NO_BUDGET);
  const std::vector<Value> values = padded_values(lane, args);
  set_budget(lane, {max_steps, max_bytes});
  Value result = call_primitive(lane, primitive, values.data(), (u32)nb::len(args));
  nb::object value = result.failed() ? nb::none() : value_to(result);
  u64 hash = result.failed() ? 0 : hash_of(result);
  return nb::make_tuple(result.failed() ? (int)result.reason() : 0, value, lane.steps, lane.bytes, hash);
}

// A primitive's own work on arguments that were checked and counted, by a program that has used some of its
// budget: (reason, value, steps of that work).
nb::tuple run_checked_primitive(u32 primitive, nb::tuple args, u64 max_steps, u64 max_bytes, u64 steps, u64 bytes) {
  if (primitive >= N_PRIMITIVES || nb::len(args) != info_of(primitive).arity)
    throw std::invalid_argument("no such primitive, or arguments that do not fit it");
  Arena arena;
  Lane lane;
  arena.reset(lane);
  set_budget(lane, NO_BUDGET);
  const std::vector<Value> values = padded_values(lane, args);
  set_budget(lane, {max_steps, max_bytes});
  lane.steps = steps;
  lane.bytes = bytes;
  Value result = run_primitive(lane, primitive, values.data());
  if (lane.exhausted) throw std::bad_alloc();
  if (lane.exceeded) result = fail(OVER_BUDGET);
  const int reason = result.failed() ? (int)result.reason() : 0;
  return nb::make_tuple(reason, reason ? nb::none() : value_to(result), lane.steps - steps);
}

// The rule behind a learner's call that succeeded.
nb::object find_rule(u32 primitive, nb::tuple args) {
  if (primitive >= N_PRIMITIVES || !RULE_FINDERS[primitive] || nb::len(args) != info_of(primitive).arity)
    throw std::invalid_argument("no learner with a rule, or arguments that do not fit it");
  Arena arena;
  Lane lane;
  arena.reset(lane);
  set_budget(lane, NO_BUDGET);
  const std::vector<Value> values = padded_values(lane, args);
  const Value rule = RULE_FINDERS[primitive](lane, values.data());
  if (rule.failed()) throw std::invalid_argument("the call has no rule");
  return value_to(rule);
}

// Runs on threads, without the interpreter lock; signals are handled meanwhile.
std::vector<std::unique_ptr<Worker>> run_on_threads(Run& run, u64 n_lanes, u64 n_threads) {
  // Little work is done in this thread: starting another would take longer. The limit keeps it under a second, at a
  // nanosecond per step, since it cannot be interrupted.
  const u64 n_results = max_of<u64>(1, run.batt.n_programs * n_lanes);
  const bool at_once = run.batt.n_nodes * n_lanes < 256 && run.budget.steps <= 1'000'000'000 / n_results;
  n_threads = at_once ? 1 : max_of<u64>(1, min_of(n_threads, n_lanes));
  std::vector<std::unique_ptr<Worker>> workers;
  for (u64 k = 0; k < n_threads; k++) workers.push_back(take_worker());
  bool interrupted = false;
  if (at_once) {
    run.work(*workers[0]);
  } else {
    nb::gil_scoped_release release;
    Threads threads(run, workers);
    threads.wait([&] {
      nb::gil_scoped_acquire acquire;
      interrupted = interrupted || PyErr_CheckSignals() != 0;
      return interrupted;
    });
  }
  if (interrupted || run.error) {
    for (auto& worker : workers) give_back(std::move(worker));
    if (interrupted) throw nb::python_error();
    std::rethrow_exception(run.error);
  }
  return workers;
}

// Adds nanoseconds and calls by primitive; the last entry counts calls of function values.
void add_profile(const std::vector<std::unique_ptr<Worker>>& workers, OutArray<i64> profile) {
  if (!profile.size()) return;
  if (profile.size() != 2 * N_PROFILED) throw std::invalid_argument("a profile of the wrong size");
  for (auto& worker : workers)
    for (u64 k = 0; k < 2 * N_PROFILED; k++) profile(k) += worker->profile[k];
}

// Runs a batt on the chosen samples; returns the words of kept values and their starts, or None.
nb::object run_batt(const FusedBatt& batt, const Samples& samples, Array<u32> chosen, u64 max_steps,
                    u64 max_bytes, u64 max_arena_bytes, int n_threads, OutTable<u8> reasons, OutTable<u8> matches,
                    OutTable<u64> hashes, OutTable<i64> steps, OutTable<i32> numbers, bool keep_values,
                    OutArray<i64> profile) {
  const u64 n_cells = (u64)batt.results.size() * samples.samples.size();
  check_size(reasons, n_cells);
  check_size(matches, n_cells);
  check_size(hashes, n_cells);
  check_size(steps, n_cells);
  check_size(numbers, n_cells);
  for (size_t k = 0; k < chosen.size(); k++)
    if (chosen(k) >= samples.samples.size()) throw std::invalid_argument("no such sample");
  SampleRun run;
  run.batt = batt.view();
  run.set_needs(batt.needs);
  run.samples = &samples.samples;
  run.budget = {max_steps, max_bytes};
  run.max_arena_bytes = max_arena_bytes;
  run.profiled = profile.size() > 0;
  run.chosen = chosen.data();
  run.reasons = reasons.data();
  run.matches = matches.data();
  run.hashes = hashes.data();
  run.steps = steps.data();
  run.numbers = numbers.data();
  run.keep_values = keep_values;
  run.n_threads = (u64)max_of(1, n_threads);
  run.n_chosen = chosen.size();
  run.prepare();
  auto workers = run_on_threads(run, chosen.size(), run.n_threads);
  add_profile(workers, profile);
  nb::object kept = nb::none();
  if (keep_values) {
    nb::list words, cells;
    for (auto& worker : workers) {
      KeptWords& values = worker->kept;
      words.append(nb::bytes((const char*)values.words.data(), values.words.size() * sizeof(i32)));
      cells.append(nb::bytes((const char*)values.starts.data(), values.starts.size() * 16));
      values.clear();
    }
    kept = nb::make_tuple(words, cells);
  }
  for (auto& worker : workers) give_back(std::move(worker));
  return kept;
}

// Runs a batt on the demos of tasks; see TaskRun.
void run_tasks(const FusedBatt& batt, const Samples& samples, Array<u32> starts, Array<i32> tasks_of_programs,
               u64 max_steps, u64 max_bytes, u64 max_arena_bytes, int n_threads, bool staged, u64 n_done,
               OutTable<u8> reasons, OutTable<u8> n_matches, OutTable<u64> hashes, OutTable<i64> steps,
               OutTable<i32> numbers, OutArray<i64> profile) {
  if (starts.size() < 1 || tasks_of_programs.size() != batt.results.size())
    throw std::invalid_argument("tasks and programs do not fit");
  const u64 n_tasks = starts.size() - 1, n_cells = (u64)batt.results.size() * n_tasks;
  for (u64 t = 0; t < n_tasks; t++) {
    if (starts(t) > starts(t + 1) || starts(t + 1) > samples.samples.size())
      throw std::invalid_argument("no such samples");
    if (starts(t + 1) - starts(t) > 255) throw std::invalid_argument("more than 255 demos, whose number is a byte");
  }
  check_size(reasons, n_cells);
  check_size(n_matches, n_cells);
  check_size(hashes, n_cells);
  check_size(steps, n_cells);
  check_size(numbers, n_cells);
  TaskRun run;
  run.batt = batt.view();
  run.set_needs(batt.needs);
  run.samples = &samples.samples;
  run.n_tasks = n_tasks;
  run.budget = {max_steps, max_bytes};
  run.max_arena_bytes = max_arena_bytes;
  run.profiled = profile.size() > 0;
  run.starts = starts.data();
  run.staged = staged;
  run.n_done = n_done;
  run.reasons = reasons.data();
  run.n_matches = n_matches.data();
  run.hashes = hashes.data();
  run.steps = steps.data();
  run.numbers = numbers.data();
  run.prepare(tasks_of_programs.data(), (u64)max_of(1, n_threads));
  auto workers = run_on_threads(run, run.n_units(), (u64)max_of(1, n_threads));
  add_profile(workers, profile);
  for (auto& worker : workers) give_back(std::move(worker));
}

}  // namespace

NB_MODULE(_engine, module) {
  nb::set_leak_warnings(false);  // caches hold objects until the process ends
  module.attr("n_primitives") = (int)N_PRIMITIVES;
  module.attr("NOT_RUN") = (int)NOT_RUN;
  module.attr("NO_NUMBER") = (int)NO_NUMBER;
  module.attr("source_digest") = source_digest();
  nb::dict ops, tags;
  ops["I"] = (int)LOAD_INPUT;
  ops["S"] = (int)LOAD_DEMOS;
  ops["target"] = (int)LOAD_TARGET;
  ops["constant"] = (int)LOAD_CONSTANT;
  ops["primitive"] = (int)LOAD_FUNCTION;
  ops["call"] = (int)CALL;
  ops["invoke"] = (int)INVOKE;
  module.attr("ops") = ops;
  tags["none"] = (int)T_NONE;
  tags["int"] = (int)T_INT;
  tags["tuple"] = (int)T_TUPLE;
  tags["set"] = (int)T_SET;
  tags["function"] = (int)T_FUNCTION;
  tags["grid"] = (int)T_GRID;
  tags["indices"] = (int)T_INDICES;
  tags["object"] = (int)T_OBJECT;
  module.attr("tags") = tags;
  module.def("build_info", &build_info);
  module.attr("memory_account") = nb::capsule(shared_account);
  shared_account->add_keeper(free_idle_workers);
  module.def("set_memory_bound", [](u64 n_bytes) { shared_account->set_bound(n_bytes); });
  module.def("memory_bound", [] { return shared_account->bound(); });
  module.def("memory_in_use", [] { return shared_account->used(); });
  // The class lives as long as the process, so its reference is never released.
  module.def("set_function_class", [](nb::object cls) { function_class = cls.release().ptr(); });
  module.def("call", &call);
  check_learners();
  module.def("run_primitive", &run_checked_primitive);
  module.def("find_rule", &find_rule);
  module.def("run_batt", &run_batt, nb::arg("batt"), nb::arg("samples"), array("chosen"), nb::kw_only(),
             nb::arg("max_steps"), nb::arg("max_bytes"), nb::arg("max_arena_bytes"), nb::arg("n_threads"),
             array("reasons"), array("matches"), array("hashes"), array("steps"), array("numbers"),
             nb::arg("keep_values"), array("profile"));
  module.def("run_tasks", &run_tasks, nb::arg("batt"), nb::arg("samples"), array("starts"),
             array("tasks_of_programs"), nb::kw_only(), nb::arg("max_steps"), nb::arg("max_bytes"),
             nb::arg("max_arena_bytes"), nb::arg("n_threads"), nb::arg("staged"), nb::arg("n_done"),
             array("reasons"), array("matches"), array("hashes"), array("steps"), array("numbers"), array("profile"));
  bind_grid_facts(module);
  bind_graphs(module);
  bind_plans(module);
}
