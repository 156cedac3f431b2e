// The extension module: values, batts and samples between Python and the engine, and the threads.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "arcbatt/batt.hpp"
#include "arcbatt/words.hpp"
#include "arena.hpp"
#include "build_info.hpp"
#include "graph_binding.hpp"
#include "plan_binding.hpp"
#include "running.hpp"
#include "source_digest.hpp"

namespace nb = nanobind;
using namespace arc;

char* arc::grow_arena(void* owner, u64 bytes, u64* given) { return ((Arena*)owner)->next(bytes, given); }

// --- values to and from Python ---

namespace {

PyObject* function_class = nullptr;  // of (primitive number, captured arguments)

// Room for members; a value that is made here has no budget, so that only memory can be short.
Value* members_or_throw(Lane& lane, u64 n) {
  Value* members = new_members(lane, n);
  if (!members) throw std::bad_alloc();
  return members;
}

Value checked(const Lane& lane, const Value& v) {
  if (v.failed() && lane.exhausted) throw std::bad_alloc();
  if (v.failed()) throw std::invalid_argument("a value beyond the engine's limits");
  return v;
}

std::pair<Value*, u32> members_from(Lane& lane, nb::handle container, int depth);

// The value of a Python object, which is at this level of nesting.
Value value_from(Lane& lane, nb::handle object, int depth = 1) {
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

std::pair<Value*, u32> members_from(Lane& lane, nb::handle container, int depth) {
  // Before its members are looked at: Python's nesting has no end that this stack would bear.
  if (depth > MAX_DEPTH) throw std::invalid_argument("a value nested deeper than the engine's limits");
  Value* members = members_or_throw(lane, nb::len(container));
  u32 n = 0;
  for (nb::handle item : container) members[n++] = value_from(lane, item, depth + 1);
  return {members, n};
}

nb::object value_to(const Value& v) {
  if (v.kind == NONE) return nb::none();
  if (v.kind == INT) return nb::int_((long long)v.number);
  nb::object members = nb::steal(PyTuple_New(v.n));
  if (!members) throw nb::python_error();
  for (u32 k = 0; k < v.n; k++) PyTuple_SetItem(members.ptr(), k, value_to(member(v, k)).release().ptr());
  if (v.kind == FUNCTION) return nb::handle(function_class)((u32)v.aux, members);
  return is_tuple(v) ? members : nb::steal(PyFrozenSet_New(members.ptr()));
}

// One call of a primitive: (reason, value, steps, bytes, hash).
nb::tuple call(u32 primitive, nb::tuple args, u64 max_steps, u64 max_bytes) {
  if (primitive >= N_PRIMITIVES) throw std::invalid_argument("no such primitive");
  Arena arena;
  Lane lane;
  arena.reset(lane);
  set_budget(lane, NO_BUDGET);
  std::vector<Value> values;
  for (nb::handle arg : args) values.push_back(value_from(lane, arg));
  while (values.size() < MAX_ARITY) values.push_back(none_value());
  set_budget(lane, {max_steps, max_bytes});
  Value result = call_primitive(lane, primitive, values.data(), (u32)nb::len(args));
  nb::object value = result.failed() ? nb::none() : value_to(result);
  u64 hash = result.failed() ? 0 : hash_of(result);
  return nb::make_tuple(result.failed() ? (int)result.reason() : 0, value, lane.steps, lane.bytes, hash);
}

// --- samples ---

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Grids and demo pairs, as values; they point into the array of cells, which is kept.
struct Samples {
  Array<i32> held;
  const i32* cells;
  u64 n_cells;
  std::vector<Sample> samples;
  Arena arena;
  mutable u64 n_image_bytes = 0;  // once they have been counted

  // `shapes` has heights and widths, `members` inputs and outputs, one after the other; a target of -1
  // is none; `groups` has the group of demos of each sample.
  Samples(Array<i32> all_cells, Array<i32> shapes, Array<i32> inputs, Array<i32> targets, Array<i32> groups,
          Array<i32> starts, Array<i32> members)
      : held(all_cells), cells(all_cells.data()), n_cells(all_cells.size()) {
    std::vector<Value> grids;
    u64 start = 0;
    for (size_t k = 0; 2 * k + 1 < shapes.size(); k++) {
      const i32 high = shapes(2 * k), wide = shapes(2 * k + 1);
      const u64 n_rows = (u64)high, width = (u64)wide;
      if (high < 1 || wide < 1 || start + n_rows * width > n_cells)
        throw std::invalid_argument("grids do not fit their cells");
      grids.push_back(grid_value(cells + start, (u32)n_rows, (u32)width));
      start += n_rows * width;
    }
    auto grid = [&](i32 k) {
      if (k < 0 || (size_t)k >= grids.size()) throw std::invalid_argument("no such grid");
      return grids[k];
    };
    Lane lane;
    arena.reset(lane);
    set_budget(lane, NO_BUDGET);
    std::vector<Value> demos;
    for (size_t g = 0; g + 1 < starts.size(); g++) {
      const i64 first = starts(g), n = starts(g + 1) - first;
      if (first < 0 || n < 0 || 2 * (first + n) > (i64)members.size())
        throw std::invalid_argument("groups of demos do not fit their grids");
      Value* pairs = members_or_throw(lane, (u64)n);
      for (i64 k = 0; k < n; k++) {
        Value* sides = members_or_throw(lane, 2);
        sides[0] = grid(members(2 * (first + k)));
        sides[1] = grid(members(2 * (first + k) + 1));
        pairs[k] = checked(lane, tuple_of(lane, sides, 2));
      }
      demos.push_back(checked(lane, tuple_of(lane, pairs, n)));
    }
    if (targets.size() != inputs.size() || groups.size() != inputs.size())
      throw std::invalid_argument("inputs, targets and groups differ in number");
    for (size_t k = 0; k < inputs.size(); k++) {
      i32 group = groups(k);
      if (group >= (i64)demos.size()) throw std::invalid_argument("no such group of demos");
      samples.push_back({grid(inputs(k)), group < 0 ? empty_tuple() : demos[group],
                         targets(k) < 0 ? none_value() : grid(targets(k))});
    }
  }
};

// --- batts ---

struct FusedBatt {
  std::vector<Instruction> code;
  std::vector<u32> args, results, program_nodes;
  std::vector<u64> starts;
  std::vector<Value> constants;
  std::vector<u8> is_own;         // whether a node needs the input or the target
  std::vector<u32> nodes_before;  // of a part: which of the whole's each node is
  Arena arena;

  FusedBatt(Array<u8> ops, Array<i32> primitives, Array<i32> firsts, Array<i32> counts, Array<i32> arg_nodes,
            Array<i32> result_nodes, nb::list constant_values) {
    size_t n = ops.size();
    if (primitives.size() != n || firsts.size() != n || counts.size() != n)
      throw std::invalid_argument("nodes and what is said of them differ in number");
    Lane lane;
    arena.reset(lane);
    set_budget(lane, NO_BUDGET);
    for (nb::handle value : constant_values) constants.push_back(value_from(lane, value));
    // The rest takes a millisecond for a card of mutants, in which another thread may have the interpreter.
    nb::gil_scoped_release release;
    for (size_t k = 0; k < n; k++) {
      i64 first = firsts(k), count = counts(k), primitive = primitives(k);
      if (ops(k) > INVOKE || (ops(k) == INVOKE && !count) || primitive < 0 || primitive >= N_PRIMITIVES ||
          count < 0 || first < 0 ||
          (ops(k) >= CALL && first + count > (i64)arg_nodes.size()) ||
          (ops(k) == LOAD_CONSTANT && first >= (i64)constants.size()))
        throw std::invalid_argument("a node that makes no sense");
      u8 own = ops(k) == LOAD_INPUT || ops(k) == LOAD_TARGET;
      if (ops(k) >= CALL)
        for (i64 a = first; a < first + count; a++) {
          if (arg_nodes(a) < 0 || (size_t)arg_nodes(a) >= k)
            throw std::invalid_argument("a node used before it is made");
          own |= is_own[arg_nodes(a)];
        }
      is_own.push_back(own);
      code.push_back({ops(k), (u16)primitive, (u32)count, (u32)first});
    }
    for (size_t a = 0; a < arg_nodes.size(); a++) args.push_back((u32)arg_nodes(a));
    for (size_t p = 0; p < result_nodes.size(); p++) {
      if (result_nodes(p) < 0 || (size_t)result_nodes(p) >= n) throw std::invalid_argument("no such node");
      results.push_back((u32)result_nodes(p));
    }
    collect_program_nodes();
  }

  // Some programs of a batt with the nodes that they need, in the same order. Constants stay where they are.
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
      is_own.push_back(whole.is_own[node]);
    }
    for (size_t p = 0; p < programs.size(); p++) results.push_back(places[whole.results[programs(p)]]);
    collect_program_nodes();
  }

  // The nodes of each program, ascending, so that arguments come first.
  void collect_program_nodes() {
    std::vector<u32> seen(code.size(), 0), stack, found;
    starts.push_back(0);
    for (size_t p = 0; p < results.size(); p++) {
      found.clear();
      stack.push_back(results[p]);
      while (!stack.empty()) {
        u32 node = stack.back();
        stack.pop_back();
        if (seen[node] == p + 1) continue;
        seen[node] = (u32)p + 1;
        found.push_back(node);
        if (code[node].op >= CALL)
          for (u32 a = 0; a < code[node].n_args; a++) stack.push_back(args[code[node].first + a]);
      }
      std::sort(found.begin(), found.end());
      program_nodes.insert(program_nodes.end(), found.begin(), found.end());
      starts.push_back(program_nodes.size());
    }
  }

  Batt view() const {
    return {code.data(),    args.data(),   constants.data(),    (u32)code.size(),
            (u32)results.size(), results.data(), starts.data(), program_nodes.data()};
  }
};

// --- images: batts and samples as bytes that mean the same at another address ---

struct Image {
  char* to;  // where the bytes are written; null when they are only counted
  u64 base;  // where they will stand
  u64 n_bytes = 0;
  // Cells that are placed already, whole: what points into them is not placed again.
  const i32* cells = nullptr;
  u64 n_cells = 0, cells_at = 0;

  template <class T>
  T* place(const T* items, u64 n) {
    const u64 into = (u64)((const char*)items - (const char*)cells);
    if (cells && into < n_cells * sizeof(i32)) return (T*)(base + cells_at + into);
    const u64 at = (n_bytes + 15) & ~15ULL;
    n_bytes = at + n * sizeof(T);
    if (to && n) std::memcpy(to + at, (const void*)items, n * sizeof(T));
    return (T*)(base + at);
  }
  Value place(Value v) {
    switch (v.kind) {
      case INTS:
      case INTSET: v.ints = place(v.ints, v.n); break;
      case GRID: v.ints = place(v.ints, (u64)v.n * v.aux); break;
      case INDICES:
      case OBJECT: v.keys = place(v.keys, v.n); break;
      case TUPLE:
      case SET:
      case FUNCTION:
        if (v.n) {
          std::vector<Value> members(v.members(), v.members() + v.n);
          for (Value& m : members) m = place(m);
          Block* block = place(v.block, 1);
          place(members.data(), members.size());
          v.block = block;
        }
        break;
      default: break;
    }
    return v;
  }
};

// Starts with the Batt itself.
void place_all(Image& image, const FusedBatt& batt) {
  Batt view = batt.view();
  image.place(&view, 1);
  view.code = image.place(view.code, view.n_nodes);
  view.args = image.place(view.args, batt.args.size());
  std::vector<Value> constants;
  for (const Value& v : batt.constants) constants.push_back(image.place(v));
  view.constants = image.place(constants.data(), constants.size());
  view.results = image.place(view.results, view.n_programs);
  view.starts = image.place(view.starts, view.n_programs + 1);
  view.program_nodes = image.place(view.program_nodes, batt.program_nodes.size());
  if (image.to) std::memcpy(image.to, &view, sizeof(view));
}

// Starts with the array of Sample.
void place_all(Image& image, const Samples& samples) {
  image.place(samples.samples.data(), samples.samples.size());
  image.cells_at = (u64)image.place(samples.cells, samples.n_cells) - image.base;
  image.cells = samples.cells;
  image.n_cells = samples.n_cells;
  std::unordered_map<const Block*, Value> placed;  // demos that several samples share are there once
  char* to = image.to;
  for (Sample moved : samples.samples) {
    moved.input = image.place(moved.input);
    moved.target = image.place(moved.target);
    if (moved.demos.n) {
      auto found = placed.find(moved.demos.block);
      if (found == placed.end()) found = placed.emplace(moved.demos.block, image.place(moved.demos)).first;
      moved.demos = found->second;
    }
    if (!to) continue;
    std::memcpy(to, (const void*)&moved, sizeof(moved));
    to += sizeof(moved);
  }
}

template <class T>
u64 image_bytes(const T& packed) {
  Image image{nullptr, 0};
  place_all(image, packed);
  return image.n_bytes;
}
u64 image_bytes(const Samples& samples) {
  if (!samples.n_image_bytes) samples.n_image_bytes = image_bytes<Samples>(samples);
  return samples.n_image_bytes;
}
template <class T>
void write_image(const T& packed, Vector<u8> to, u64 base) {
  if (to.size() != image_bytes(packed)) throw std::invalid_argument("an image of another size");
  nb::gil_scoped_release release;
  Image image{(char*)to.data(), base};
  place_all(image, packed);
}

// --- runs ---

// Runs on threads, without the lock of the interpreter; Ctrl-C is taken meanwhile.
std::vector<std::unique_ptr<Worker>> run_on_threads(Run& run, u64 n_lanes, u64 n_threads, bool is_alone) {
  // Little work is done here and now: starting a thread would take longer. But nothing that may take
  // a second, at a step a nanosecond, since it could not be interrupted.
  const u64 n_results = max_of<u64>(1, run.batt.n_programs * n_lanes);
  const bool at_once =
      is_alone && run.batt.n_nodes * n_lanes < 256 && run.budget.steps <= 1'000'000'000 / n_results;
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
  if (interrupted || run.out_of_memory) {
    for (auto& worker : workers) give_back(std::move(worker));
    if (interrupted) throw nb::python_error();
    throw std::bad_alloc();
  }
  return workers;
}

// Cycles of the clock and calls by primitive, the last one for calls of function values.
void add_profile(const std::vector<std::unique_ptr<Worker>>& workers, Vector<i64> profile) {
  if (!profile.size()) return;
  if (profile.size() != 2 * N_PROFILED) throw std::invalid_argument("a profile of the wrong size");
  for (auto& worker : workers)
    for (u64 k = 0; k < 2 * N_PROFILED; k++) profile(k) += worker->profile[k];
}

template <class A>
void check_size(const A& array, u64 n) {
  if (array.size() != n) throw std::invalid_argument("an array of the wrong size");
}

// Runs a batt; returns the words of kept values and their starts, or None. The samples are all that are
// chosen, or what threads get of a queue that GPUs take from, too, to run the programs of theirs.
nb::object run_batt(const FusedBatt& batt, const Samples& samples, Array<u32> chosen, u64 max_steps,
                    u64 max_bytes, u64 max_arena_bytes, int n_threads, Out<u8> reasons, Out<u8> matches,
                    Out<u64> hashes, Out<i64> steps, Out<i32> numbers, bool keep_values,
                    SampleQueue* queue, Array<u32> programs_on_gpu, Vector<i64> profile) {
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
  run.is_own = batt.is_own.data();
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
  SampleQueue all(chosen.size(), false);
  run.queue = queue ? queue : &all;
  std::vector<bool> on_gpu(queue ? batt.results.size() : 0, false);
  for (size_t k = 0; k < programs_on_gpu.size(); k++) on_gpu.at(programs_on_gpu(k)) = true;
  run.prepare(chosen.size(), on_gpu);
  auto workers = run_on_threads(run, chosen.size(), run.n_threads, !queue);
  add_profile(workers, profile);
  nb::object kept = nb::none();
  if (keep_values) {
    nb::list words, cells;
    for (auto& worker : workers) {
      words.append(nb::bytes((const char*)worker->words.data(), worker->words.size() * sizeof(i32)));
      cells.append(nb::bytes((const char*)worker->kept.data(), worker->kept.size() * 16));
    }
    kept = nb::make_tuple(words, cells);
  }
  for (auto& worker : workers) give_back(std::move(worker));
  return kept;
}

// Runs a batt on the demos of tasks; see TaskRun.
void run_tasks(const FusedBatt& batt, const Samples& samples, Array<u32> starts, Array<i32> tasks_of_programs,
               u64 max_steps, u64 max_bytes, u64 max_arena_bytes, int n_threads, bool staged, u64 n_done,
               Out<u8> reasons, Out<u8> n_matches, Out<u64> hashes, Out<i64> steps, Out<i32> numbers,
               Vector<i64> profile) {
  if (starts.size() < 1 || tasks_of_programs.size() != batt.results.size())
    throw std::invalid_argument("tasks and programs do not fit");
  const u64 n_tasks = starts.size() - 1, n_cells = (u64)batt.results.size() * n_tasks;
  for (u64 t = 0; t < n_tasks; t++)
    if (starts(t) > starts(t + 1) || starts(t + 1) > samples.samples.size())
      throw std::invalid_argument("no such samples");
  check_size(reasons, n_cells);
  check_size(n_matches, n_cells);
  check_size(hashes, n_cells);
  check_size(steps, n_cells);
  check_size(numbers, n_cells);
  TaskRun run;
  run.batt = batt.view();
  run.is_own = batt.is_own.data();
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
  auto workers = run_on_threads(run, run.n_units(), (u64)max_of(1, n_threads), true);
  add_profile(workers, profile);
  for (auto& worker : workers) give_back(std::move(worker));
}

// Rows of one array into the same rows of another, from some byte of each on.
void copy_result_rows(Out<u8> to, nb::ndarray<const u8, nb::ndim<2>, nb::c_contig, nb::device::cpu> from,
               Array<u32> rows, u64 first_byte) {
  const u64 n = from.shape(1);
  if (first_byte + n > to.shape(1)) throw std::invalid_argument("rows that are too long");
  for (size_t k = 0; k < rows.size(); k++)
    if (rows(k) >= to.shape(0) || rows(k) >= from.shape(0)) throw std::invalid_argument("no such row");
  nb::gil_scoped_release release;
  for (size_t k = 0; k < rows.size(); k++)
    if (n) std::memcpy(&to(rows(k), first_byte), &from(rows(k), 0), n);
}

// An array is taken as it is: one that had to be converted would be written to in vain.
auto array(const char* name) { return nb::arg(name).noconvert(); }

}  // namespace

NB_MODULE(_engine, module) {
  nb::set_leak_warnings(false);  // what caches hold until the process ends is no leak
  module.attr("n_primitives") = (int)N_PRIMITIVES;
  module.attr("NOT_RUN") = (int)NOT_RUN;
  module.attr("NO_NUMBER") = (int)NO_NUMBER;
  module.attr("source_digest") = source_digest();
  module.def("build_info", &build_info);
  // The class is Python's own and lives as long as the process: no reference is given back.
  module.def("set_function_class", [](nb::object cls) { function_class = cls.release().ptr(); });
  module.def("call", &call);
  nb::class_<Samples>(module, "Samples")
      .def(nb::init<Array<i32>, Array<i32>, Array<i32>, Array<i32>, Array<i32>, Array<i32>, Array<i32>>(),
           array("cells"), array("shapes"), array("inputs"), array("targets"), array("groups"),
           array("group_starts"), array("group_grids"))
      .def("image_bytes", [](const Samples& samples) { return image_bytes(samples); })
      .def("write_image", &write_image<Samples>, array("to"), nb::arg("base"));
  nb::class_<FusedBatt>(module, "FusedBatt")
      .def(nb::init<Array<u8>, Array<i32>, Array<i32>, Array<i32>, Array<i32>, Array<i32>, nb::list>(),
           array("ops"), array("primitives"), array("firsts"), array("counts"), array("args"),
           array("results"), nb::arg("constants"))
      // A part's constants are the whole's, which so must live as long.
      .def("part", [](const FusedBatt& whole, Array<u32> programs) {
             nb::gil_scoped_release release;
             return new FusedBatt(whole, programs);
           },
           array("programs"), nb::rv_policy::take_ownership, nb::keep_alive<0, 1>())
      .def_prop_ro("n_nodes", [](const FusedBatt& batt) { return batt.code.size(); })
      .def_prop_ro("n_calls", [](const FusedBatt& batt) {
             return std::count_if(batt.code.begin(), batt.code.end(),
                                  [](const Instruction& code) { return code.op >= CALL && code.n_args; });
           })
      .def_prop_ro("nodes_before", [](FusedBatt& part) {
             return nb::ndarray<nb::numpy, const u32, nb::ndim<1>>(part.nodes_before.data(),
                                                                   {part.nodes_before.size()});
           }, nb::rv_policy::reference_internal)
      .def("image_bytes", &image_bytes<FusedBatt>)
      .def("write_image", &write_image<FusedBatt>, array("to"), nb::arg("base"));
  nb::class_<SampleQueue>(module, "SampleQueue")
      .def(nb::init<u64, bool>(), nb::kw_only(), nb::arg("n_samples"), nb::arg("has_left_out"))
      .def("lend",
           [](SampleQueue& queue, u64 n, double due_s) -> nb::object {
             const u64 chunk = queue.lend(n, due_s);
             if (chunk == NO_CHUNK) return nb::none();
             const auto [first, end] = queue.range_of(chunk);
             return nb::make_tuple(chunk, first, end);
           },
           nb::arg("n"), nb::arg("due_s"))
      .def("finish", &SampleQueue::finish)
      .def("give_back", &SampleQueue::give_back)
      .def("is_overtaken", &SampleQueue::is_overtaken)
      .def("close", &SampleQueue::close)
      .def_prop_ro("n_left", &SampleQueue::n_left)
      .def_prop_ro("n_done", &SampleQueue::n_done)
      .def_prop_ro("n_left_out_done", &SampleQueue::n_left_out_done)
      .def_prop_ro("done_s", &SampleQueue::done_s);
  module.def("run_batt", &run_batt, nb::arg("batt"), nb::arg("samples"), array("chosen"), nb::kw_only(),
             nb::arg("max_steps"), nb::arg("max_bytes"), nb::arg("max_arena_bytes"), nb::arg("n_threads"),
             array("reasons"), array("matches"), array("hashes"), array("steps"), array("numbers"),
             nb::arg("keep_values"), nb::arg("queue").none(), array("programs_on_gpu"), array("profile"));
  module.def("run_tasks", &run_tasks, nb::arg("batt"), nb::arg("samples"), array("starts"),
             array("tasks_of_programs"), nb::kw_only(), nb::arg("max_steps"), nb::arg("max_bytes"),
             nb::arg("max_arena_bytes"), nb::arg("n_threads"), nb::arg("staged"), nb::arg("n_done"), array("reasons"),
             array("n_matches"), array("hashes"), array("steps"), array("numbers"), array("profile"));
  module.def("copy_result_rows", &copy_result_rows, array("to"), array("source"), array("rows"), nb::arg("first_byte"));
  bind_graphs(module);
  bind_plans(module);
  module.def("make_plan", [](const FusedBatt& batt, const PlanRules& rules) {
    return Scheduling(batt.view(), rules).take_plan();
  }, nb::call_guard<nb::gil_scoped_release>());
}
