// The extension module: values, batts and samples between Python and the engine, and the threads.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <vector>

#include "arcbatt/batt.hpp"
#include "arcbatt/words.hpp"
#include "build_info.hpp"

namespace nb = nanobind;
using namespace arc;

// --- arenas ---

namespace {

// Chunks of memory that a lane takes from and that are reused, not freed, between lanes.
struct Arena {
  struct Chunk {
    std::unique_ptr<char, decltype(&std::free)> memory{nullptr, &std::free};
    u64 size = 0;
  };
  static constexpr u64 MIN_CHUNK = 1 << 20;
#if defined(__SANITIZE_ADDRESS__)
  // Every allocation is a block of its own, freed with the lane: the sanitizer sees what lies beyond.
  static constexpr bool POOLED = false;
#else
  static constexpr bool POOLED = true;
#endif
  std::vector<Chunk> chunks;
  size_t n_used = 0;
  u64 n_bytes = 0;
  u64 max_bytes = ~0ULL;

  Arena() = default;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  char* next(u64 bytes, u64* given) {
    while (n_used < chunks.size() && chunks[n_used].size < bytes) n_used++;
    if (n_used == chunks.size()) {
      u64 size = POOLED ? ((bytes < MIN_CHUNK ? MIN_CHUNK : bytes) + 63) & ~63ULL : bytes;
      if (n_bytes + size > max_bytes) return nullptr;
      char* memory = (char*)std::aligned_alloc(POOLED ? 64 : 16, size);
      if (!memory) return nullptr;
      Chunk chunk;
      chunk.memory.reset(memory);
      chunk.size = size;
      chunks.push_back(std::move(chunk));
      n_bytes += size;
    }
    *given = chunks[n_used].size;
    return chunks[n_used++].memory.get();
  }
  void reset(Lane& lane) {
    n_used = 0;
    if (!POOLED) {
      chunks.clear();
      n_bytes = 0;
    }
    lane.owner = this;
    lane.top = lane.end = nullptr;
    lane.exhausted = lane.exceeded = false;
    lane.steps = lane.bytes = 0;
  }
};

void set_budget(Lane& lane, const Budget& budget) {
  lane.max_steps = budget.steps;
  lane.max_bytes = budget.bytes;
  lane.max_elements = min_of<u64>(budget.steps, budget.bytes / BYTES_AN_ELEMENT);
}
constexpr Budget NO_BUDGET = {~0ULL >> 2, ~0ULL >> 2};

}  // namespace

char* arc::grow_arena(void* owner, u64 bytes, u64* given) { return ((Arena*)owner)->next(bytes, given); }

// --- values to and from Python ---

namespace {

PyObject* function_class = nullptr;  // of (primitive number, captured arguments)

Value value_from(Lane& lane, nb::handle object) {
  if (object.is_none()) return none_value();
  if (PyLong_Check(object.ptr())) {
    int overflow = 0;
    long long x = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    Value v = number(x);
    if (overflow || v.failed()) throw std::invalid_argument("a number beyond the engine's range");
    return v;
  }
  if (function_class && PyObject_IsInstance(object.ptr(), function_class) == 1) {
    u32 primitive = nb::cast<u32>(object.attr("primitive"));
    nb::tuple captured = nb::cast<nb::tuple>(object.attr("args"));
    Value* members = new_members(lane, nb::len(captured));
    size_t n = 0;
    for (nb::handle arg : captured) members[n++] = value_from(lane, arg);
    return block_value(lane, FUNCTION, primitive, members, (u32)n);
  }
  bool tuple = PyTuple_Check(object.ptr());
  if (!tuple && !PyFrozenSet_Check(object.ptr())) throw std::invalid_argument("not a value of the language");
  Value* members = new_members(lane, nb::len(object));
  size_t n = 0;
  for (nb::handle item : object) members[n++] = value_from(lane, item);
  Value v = tuple ? tuple_of(lane, members, n) : set_of(lane, members, n);
  if (v.failed()) throw std::invalid_argument("a value beyond the engine's limits");
  return v;
}

nb::object value_to(const Value& v) {
  if (v.kind == NONE) return nb::none();
  if (v.kind == INT) return nb::int_((long long)v.number);
  nb::object members = nb::steal(PyTuple_New(v.n));
  for (u32 k = 0; k < v.n; k++) PyTuple_SET_ITEM(members.ptr(), k, value_to(member(v, k)).release().ptr());
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

// Grids and demo pairs, as values; they point into the arrays that they were made from.
struct Samples {
  nb::object held;  // the array of all cells
  const i32* cells;
  u64 n_cells;
  std::vector<Sample> samples;
  Arena arena;

  Samples(nb::object cells_object, nb::object shapes_object, nb::object inputs_object,
          nb::object targets_object, nb::object groups_object, nb::object group_starts_object,
          nb::object group_grids_object) {
    auto cells_array = nb::cast<Array<i32>>(cells_object);
    cells = cells_array.data();
    n_cells = cells_array.size();
    held = cells_object;
    auto shapes = nb::cast<Array<i32>>(shapes_object);  // height, width; one after the other
    auto inputs = nb::cast<Array<i32>>(inputs_object);
    auto targets = nb::cast<Array<i32>>(targets_object);  // -1: none
    auto groups = nb::cast<Array<i32>>(groups_object);    // of each sample
    auto starts = nb::cast<Array<i32>>(group_starts_object);
    auto members = nb::cast<Array<i32>>(group_grids_object);  // input, output; one after the other
    std::vector<Value> grids;
    u64 start = 0;
    for (size_t k = 0; 2 * k < shapes.size(); k++) {
      u64 n_rows = (u64)shapes(2 * k), width = (u64)shapes(2 * k + 1);
      if (!n_rows || !width || start + n_rows * width > n_cells)
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
      i64 first = starts(g), n = starts(g + 1) - first;
      Value* pairs = new_members(lane, n);
      for (i64 k = 0; k < n; k++) {
        Value* sides = new_members(lane, 2);
        sides[0] = grid(members(2 * (first + k)));
        sides[1] = grid(members(2 * (first + k) + 1));
        pairs[k] = tuple_of(lane, sides, 2);
      }
      demos.push_back(tuple_of(lane, pairs, n));
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
  Arena arena;

  FusedBatt(nb::object ops_object, nb::object primitives_object, nb::object firsts_object,
            nb::object counts_object, nb::object args_object, nb::object results_object,
            nb::list constant_values) {
    auto ops = nb::cast<Array<u8>>(ops_object);
    auto primitives = nb::cast<Array<i32>>(primitives_object);
    auto firsts = nb::cast<Array<i32>>(firsts_object);
    auto counts = nb::cast<Array<i32>>(counts_object);
    auto arg_nodes = nb::cast<Array<i32>>(args_object);
    auto result_nodes = nb::cast<Array<i32>>(results_object);
    size_t n = ops.size();
    for (size_t k = 0; k < n; k++) {
      i64 first = firsts(k), count = counts(k), primitive = primitives(k);
      if (primitive < 0 || primitive >= N_PRIMITIVES || count < 0 || first < 0 ||
          (ops(k) >= CALL && first + count > (i64)arg_nodes.size()) ||
          (ops(k) == LOAD_CONSTANT && first >= (i64)nb::len(constant_values)))
        throw std::invalid_argument("a node that makes no sense");
      if (ops(k) >= CALL)
        for (i64 a = first; a < first + count; a++)
          if (arg_nodes(a) < 0 || (size_t)arg_nodes(a) >= k)
            throw std::invalid_argument("a node used before it is made");
      code.push_back({ops(k), (u16)primitive, (u32)count, (u32)first});
    }
    for (size_t a = 0; a < arg_nodes.size(); a++) args.push_back((u32)arg_nodes(a));
    Lane lane;
    arena.reset(lane);
    set_budget(lane, NO_BUDGET);
    for (nb::handle value : constant_values) constants.push_back(value_from(lane, value));
    for (size_t p = 0; p < result_nodes.size(); p++) {
      if (result_nodes(p) < 0 || (size_t)result_nodes(p) >= n) throw std::invalid_argument("no such node");
      results.push_back((u32)result_nodes(p));
    }
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
  std::vector<Sample> moved = samples.samples;
  image.place(moved.data(), moved.size());
  image.cells_at = (u64)image.place(samples.cells, samples.n_cells) - image.base;
  image.cells = samples.cells;
  image.n_cells = samples.n_cells;
  std::unordered_map<const Block*, Value> placed;  // demos that several samples share are there once
  for (Sample& s : moved) {
    s.input = image.place(s.input);
    s.target = image.place(s.target);
    if (!s.demos.n) continue;
    auto found = placed.find(s.demos.block);
    if (found == placed.end()) found = placed.emplace(s.demos.block, image.place(s.demos)).first;
    s.demos = found->second;
  }
  if (image.to && !moved.empty())
    std::memcpy(image.to, (const void*)moved.data(), moved.size() * sizeof(Sample));
}

template <class T>
u64 image_bytes(const T& packed) {
  Image image{nullptr, 0};
  place_all(image, packed);
  return image.n_bytes;
}
template <class T>
void write_image(const T& packed, nb::ndarray<u8, nb::ndim<1>, nb::c_contig, nb::device::cpu> to, u64 base) {
  Image image{(char*)to.data(), base};
  place_all(image, packed);
  if (to.size() != image.n_bytes) throw std::invalid_argument("an image of another size");
}

// What a thread keeps from lane to lane.
struct Worker {
  Arena arena;
  Lane lane;
  std::vector<Value> slots;
  std::vector<NodeCost> costs;
  std::vector<i32> words;
  std::vector<std::pair<u64, u64>> kept;  // (cell of the result, where its words start)

  Slots view() { return {slots.data(), costs.data(), 1}; }
};

struct Run {
  Batt batt;
  const std::vector<Sample>* samples;
  const u32* chosen;  // the samples to run
  u64 n_chosen;
  Budget budget;
  u64 max_arena_bytes;
  u8* reasons;
  u8* matches;
  u64* hashes;
  i64* steps;
  i32* numbers;
  bool keep_values;
  std::atomic<u64> next{0};
  std::atomic<u64> n_done{0};
  std::atomic<bool> stopped{false};
  std::atomic<bool> out_of_memory{false};

  void record(Worker& worker, u32 program, u64 sample) {
    const Sample& s = (*samples)[sample];
    Outcome out = outcome_of(batt, program, budget, s, worker.view());
    u64 cell = program * samples->size() + sample;
    reasons[cell] = out.reason;
    matches[cell] = out.matches;
    hashes[cell] = out.hash;
    steps[cell] = (i64)out.steps;
    numbers[cell] = out.number;
    if (keep_values && out.reason == OK) {
      worker.kept.emplace_back(cell, worker.words.size());
      const Value& result = worker.slots[batt.results[program]];
      const u64 start = worker.words.size();
      worker.words.resize(start + count_words(result));
      write_words(worker.words.data() + start, result);
    }
  }

  // All programs on one sample, every node once. If that takes too much memory, one program after
  // the other, which each fit: a program's values are bounded by its budget.
  void run_sample(Worker& worker, u64 sample) {
    const Sample& s = (*samples)[sample];
    worker.arena.max_bytes = max_arena_bytes;
    worker.arena.reset(worker.lane);
    bool fits = true;
    for (u32 node = 0; node < batt.n_nodes && fits; node++) {
      fits = run_node(worker.lane, batt, node, s, worker.view());
      if (stopped.load(std::memory_order_relaxed)) return;
    }
    if (fits) {
      for (u32 p = 0; p < batt.n_programs; p++) record(worker, p, sample);
      return;
    }
    worker.arena.max_bytes = max_arena_bytes + 16 * budget.bytes + (256ULL << 20);
    for (u32 p = 0; p < batt.n_programs; p++) {
      worker.arena.reset(worker.lane);
      for (u64 k = batt.starts[p]; k < batt.starts[p + 1]; k++) {
        if (stopped.load(std::memory_order_relaxed)) return;
        if (!run_node(worker.lane, batt, batt.program_nodes[k], s, worker.view())) {
          out_of_memory = stopped = true;
          return;
        }
      }
      record(worker, p, sample);
    }
  }

  void work(Worker& worker) {
    worker.slots.resize(batt.n_nodes);
    worker.costs.resize(batt.n_nodes);
    worker.words.clear();
    worker.kept.clear();
    set_budget(worker.lane, budget);
    for (u64 k = next++; k < n_chosen && !stopped; k = next++) {
      run_sample(worker, chosen[k]);
      n_done++;
    }
  }
};

// Workers are kept for the next run: their memory is what a small run would spend its time on.
std::mutex workers_mutex;
std::vector<std::unique_ptr<Worker>> idle_workers;

std::unique_ptr<Worker> take_worker() {
  std::lock_guard<std::mutex> lock(workers_mutex);
  if (idle_workers.empty()) return std::make_unique<Worker>();
  auto worker = std::move(idle_workers.back());
  idle_workers.pop_back();
  return worker;
}
void give_back(std::unique_ptr<Worker> worker) {
  if (worker->arena.n_bytes > (64ULL << 20)) return;  // a hostile run's memory is not kept
  std::lock_guard<std::mutex> lock(workers_mutex);
  if (idle_workers.size() < 64) idle_workers.push_back(std::move(worker));
}

typedef std::chrono::steady_clock Clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What another device is expected to take: so many seconds, and some for each second of a thread here.
struct Rival {
  double fixed_s;
  double per_thread_s;
};

// Whether the rest is better left to the rival, going by what has been done so far.
bool should_hand_over(const Run& run, const Rival& rival, double elapsed_s, int n_threads) {
  const u64 done = run.n_done, taken = min_of<u64>(run.next, run.n_chosen);
  if (done == 0 || taken >= run.n_chosen) return false;
  const double a_sample_s = elapsed_s * n_threads / (double)done;
  const double rest_s = a_sample_s * (double)(run.n_chosen - taken);
  return 1.1 * (rival.fixed_s + rival.per_thread_s * rest_s) < rest_s / n_threads;
}

// Runs a batt; returns the words of kept values and their starts, or None. What was handed over to a
// rival (if its fixed seconds are not negative) is not run.
nb::object run_batt(const FusedBatt& batt, const Samples& samples, Array<u32> chosen, u64 max_steps,
                    u64 max_bytes, u64 max_arena_bytes, int n_threads, Out<u8> reasons, Out<u8> matches,
                    Out<u64> hashes, Out<i64> steps, Out<i32> numbers, bool keep_values, double rival_fixed_s,
                    double rival_per_thread_s) {
  Run run;
  run.batt = batt.view();
  run.samples = &samples.samples;
  run.chosen = chosen.data();
  run.n_chosen = chosen.size();
  for (size_t k = 0; k < chosen.size(); k++)
    if (chosen(k) >= samples.samples.size()) throw std::invalid_argument("no such sample");
  run.budget = {max_steps, max_bytes};
  run.max_arena_bytes = max_arena_bytes;
  run.reasons = reasons.data();
  run.matches = matches.data();
  run.hashes = hashes.data();
  run.steps = steps.data();
  run.numbers = numbers.data();
  run.keep_values = keep_values;
  u64 n_cells = (u64)batt.results.size() * samples.samples.size();
  if (reasons.size() != n_cells || matches.size() != n_cells || hashes.size() != n_cells ||
      steps.size() != n_cells || numbers.size() != n_cells)
    throw std::invalid_argument("result arrays of the wrong size");

  // Little work is done here and now: starting a thread would take longer.
  const bool at_once = (u64)batt.code.size() * chosen.size() < 256;
  n_threads = at_once ? 1 : (int)min_of<u64>((u64)max_of(1, n_threads), chosen.size());
  std::vector<std::unique_ptr<Worker>> workers;
  for (int k = 0; k < n_threads; k++) workers.push_back(take_worker());
  bool interrupted = false;
  if (at_once) {
    run.work(*workers[0]);
  } else {
    std::mutex mutex;
    std::condition_variable done;
    int n_running = n_threads;
    std::vector<std::thread> threads;
    {
      nb::gil_scoped_release release;
      for (auto& worker : workers)
        threads.emplace_back([&, w = worker.get()] {
          try {
            run.work(*w);
          } catch (const std::bad_alloc&) {
            run.out_of_memory = run.stopped = true;
          }
          std::lock_guard<std::mutex> lock(mutex);
          if (--n_running == 0) done.notify_all();
        });
      std::unique_lock<std::mutex> lock(mutex);
      const Rival rival = {rival_fixed_s, rival_per_thread_s};
      const auto start = Clock::now();
      auto looked_up = start;
      bool has_rival = rival.fixed_s >= 0;
      while (n_running) {
        const auto pause = std::chrono::milliseconds(has_rival ? 1 : 50);
        if (done.wait_for(lock, pause) != std::cv_status::timeout) continue;
        lock.unlock();
        if (has_rival && should_hand_over(run, rival, seconds_since(start), n_threads)) {
          run.next = run.n_chosen;
          has_rival = false;
        }
        if (seconds_since(looked_up) > 0.05) {
          nb::gil_scoped_acquire acquire;
          looked_up = Clock::now();
          if (!interrupted && PyErr_CheckSignals()) {
            interrupted = true;
            run.stopped = true;
          }
        }
        lock.lock();
      }
      lock.unlock();
      for (auto& thread : threads) thread.join();
    }
  }
  nb::object kept = nb::none();
  if (keep_values && !interrupted && !run.out_of_memory) {
    nb::list words, cells, starts;
    for (auto& worker : workers) {
      words.append(nb::bytes((const char*)worker->words.data(), worker->words.size() * sizeof(i32)));
      cells.append(nb::bytes((const char*)worker->kept.data(), worker->kept.size() * 16));
    }
    kept = nb::make_tuple(words, cells);
  }
  for (auto& worker : workers) give_back(std::move(worker));
  if (interrupted) throw nb::python_error();
  if (run.out_of_memory) throw std::bad_alloc();
  return kept;
}

}  // namespace

NB_MODULE(_engine, module) {
  module.attr("n_primitives") = (int)N_PRIMITIVES;
  module.attr("NOT_RUN") = (int)NOT_RUN;
  module.attr("NO_NUMBER") = (int)NO_NUMBER;
  module.def("build_info", &build_info);
  // The class is Python's own and lives as long as the process: no reference is given back.
  module.def("set_function_class", [](nb::object cls) { function_class = cls.release().ptr(); });
  module.def("call", &call);
  nb::class_<Samples>(module, "Samples")
      .def(nb::init<nb::object, nb::object, nb::object, nb::object, nb::object, nb::object, nb::object>())
      .def("image_bytes", &image_bytes<Samples>)
      .def("write_image", &write_image<Samples>);
  nb::class_<FusedBatt>(module, "FusedBatt")
      .def(nb::init<nb::object, nb::object, nb::object, nb::object, nb::object, nb::object, nb::list>())
      .def("image_bytes", &image_bytes<FusedBatt>)
      .def("write_image", &write_image<FusedBatt>);
  module.def("run_batt", &run_batt);
}
