// Runs on the CPU: the work of a thread on its lanes, and the threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <iterator>
#include <mutex>
#include <new>
#include <numeric>
#include <system_error>
#include <thread>

#include "arcbatt/batt.hpp"
#include "arcbatt/words.hpp"
#include "fused_batt.hpp"

namespace arc {

typedef std::chrono::steady_clock Clock;
inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Entries of a profile: one per primitive, and one for calls of function values.
constexpr u64 N_PROFILED = N_PRIMITIVES + 1;

// Values that are kept as words, in memory that counts against the bound of the process.
class KeptWords {
 public:
  std::vector<i32> words;
  std::vector<std::pair<u64, u64>> starts;  // (cell of the result, start of its words)

  KeptWords() = default;
  KeptWords(const KeptWords&) = delete;
  KeptWords& operator=(const KeptWords&) = delete;
  ~KeptWords() { clear(); }
  // Keeps the value of a cell; returns false if there is no memory for it.
  bool keep(u64 cell, const Value& value) {
    const u64 start = words.size(), n = start + count_words(value);
    if (n > words.capacity()) {
      const u64 capacity = max_of<u64>(n, 2 * words.capacity());
      if (!shared_account->take((capacity - words.capacity()) * sizeof(i32))) return false;
      counted_ += (capacity - words.capacity()) * sizeof(i32);
      words.reserve(capacity);
    }
    starts.emplace_back(cell, start);
    words.resize(n);
    write_words(words.data() + start, value);
    return true;
  }
  void clear() {
    shared_account->give(counted_);
    counted_ = 0;
    words = {};
    starts = {};
  }

 private:
  u64 counted_ = 0;  // bytes of words
};

struct NodeRange {
  const u32 *first, *last;
  const u32* begin() const { return first; }
  const u32* end() const { return last; }
};

// Nodes to run in ascending order, so that arguments come first. Constant nodes (`Run::constants`) are run once per
// thread. Shared nodes depend on the demos: they have the same values, failures and costs on all samples with the same
// demos. Common nodes belong to several programs. Each program's own nodes are run after these, and their memory is
// released before the next program.
struct Nodes {
  // The nodes of each program, one program after the other in the order in which they are run.
  struct ByProgram {
    std::vector<u32> nodes, ends;

    void clear() {
      nodes.clear();
      ends.clear();
    }
    void end_program() { ends.push_back((u32)nodes.size()); }
    NodeRange of(size_t k) const { return {nodes.data() + (k ? ends[k - 1] : 0), nodes.data() + ends[k]}; }
  };
  std::vector<u32> shared, common;
  ByProgram own, charged;  // charged: its other calls, which it pays for, too
};

// The data that a thread keeps from lane to lane.
struct Worker {
  Arena arena;
  Lane lane;
  std::vector<Value> slots;
  std::vector<NodeCost> costs;
  KeptWords kept;
  std::vector<u32> programs;  // the programs of a stage
  Nodes nodes;                // their nodes
  std::vector<u8> n_users;    // by node: the programs of a stage that have it, at most 2
  std::vector<u32> missing;   // programs for which there was too little memory
  std::vector<i64> profile;               // nanoseconds, then calls
  // Whether slots and arena still have the values of constant nodes, and of shared nodes of the previous lane.
  bool has_constants = false, has_shared = false;
  const Block* demos = nullptr;  // the demos of these values; samples with the same demos have the same pointer
  Arena::Mark constant_end, shared_end;

  Slots view() { return {slots.data(), costs.data(), 1}; }
};

// A run: work that threads take in units.
struct Run {
  Batt batt;
  const u8* needs = nullptr;   // by node
  std::vector<u32> constants;  // the nodes that need nothing
  const std::vector<Sample>* samples = nullptr;
  Budget budget;
  u64 max_arena_bytes = 0;
  bool profiled = false;
  std::atomic<bool> stopped{false};
  std::exception_ptr error;  // the first one in a thread

  virtual ~Run() = default;
  // Takes the next unit and runs it; returns false if there is none.
  virtual bool run_next(Worker& worker) = 0;

  void set_needs(const std::vector<u8>& given) {
    needs = given.data();
    for (u32 node = 0; node < given.size(); node++)
      if (given[node] == NEEDS_NOTHING) constants.push_back(node);
  }

  bool is_stopped() const { return stopped.load(std::memory_order_relaxed); }

  bool run_one(Worker& worker, u32 node, const Sample& sample) {
    if (!profiled) return run_node(worker.lane, batt, node, sample, worker.view());
    const auto start = Clock::now();
    const bool fits = run_node(worker.lane, batt, node, sample, worker.view());
    const Instruction& code = batt.code[node];
    if (code.op >= CALL) {
      const u64 which = code.op == CALL ? code.primitive : (u64)N_PRIMITIVES;
      worker.profile[which] += std::chrono::nanoseconds(Clock::now() - start).count();
      worker.profile[N_PROFILED + which]++;
    }
    return fits;
  }

  static NodeRange all_of(const std::vector<u32>& nodes) { return {nodes.data(), nodes.data() + nodes.size()}; }

  // Returns false if memory ran out or the run was stopped.
  bool run_nodes(Worker& worker, NodeRange nodes, const Sample& sample) {
    for (u32 node : nodes)
      if (!run_one(worker, node, sample) || is_stopped()) return false;
    return true;
  }

  // Runs nodes of one program, each with what the nodes before have left of the budget, and adds their costs. A program
  // that has spent its budget runs no further: whatever follows, it is over budget. Returns false if memory ran out or
  // the run was stopped.
  bool run_within_budget(Worker& worker, NodeRange nodes, const Sample& sample, ProgramCost& cost) {
    for (u32 node : nodes) {
      if (cost.exceeds(budget)) return true;
      worker.lane.max_steps = budget.steps - cost.steps;
      worker.lane.max_bytes = budget.bytes - cost.bytes;
      if (!run_one(worker, node, sample) || is_stopped()) return false;
      cost.add(worker.costs[node]);
    }
    return true;
  }

  // Runs constant nodes, or keeps their values. They come first in the arena.
  bool run_constants(Worker& worker, const Sample& sample) {
    if (!worker.has_constants) {
      worker.arena.reset(worker.lane);
      worker.has_shared = false;
      worker.has_constants = run_nodes(worker, all_of(constants), sample);
      worker.constant_end = worker.arena.mark(worker.lane);
    }
    return worker.has_constants;
  }
  // Runs shared nodes, or keeps their values from the previous lane if its demos were the same. In the arena they come
  // between constants and the sample's own.
  bool run_shared(Worker& worker, const std::vector<u32>& nodes, const Sample& sample) {
    if (!run_constants(worker, sample)) return false;
    if (worker.has_shared && worker.demos == sample.demos.block) {
      worker.arena.reset(worker.lane, worker.shared_end);
      return true;
    }
    worker.arena.reset(worker.lane, worker.constant_end);
    worker.has_shared = run_nodes(worker, all_of(nodes), sample);
    worker.demos = sample.demos.block;
    worker.shared_end = worker.arena.mark(worker.lane);
    return worker.has_shared;
  }

  // Runs programs on one sample, every node once, and calls record(program, outcome) for each. If memory runs out, runs
  // the programs one by one; a program for which there is still too little memory fails with that reason. Shared nodes
  // must be among those of the previous lane, or worker.has_shared must be false.
  template <class Record>
  void run_programs(Worker& worker, const Sample& sample, const Nodes& nodes,
                    const std::vector<u32>& programs, Record record) {
    worker.arena.max_bytes = max_arena_bytes;
    set_budget(worker.lane, budget);
    const auto outcome = [&](u32 p, const ProgramCost& cost) {
      return outcome_of(worker.slots[batt.results[p]], cost, budget, sample);
    };
    worker.missing.clear();
    if (fits_memory([&] {
          return run_shared(worker, nodes.shared, sample) && run_nodes(worker, all_of(nodes.common), sample);
        })) {
      const Arena::Mark common_end = worker.arena.mark(worker.lane);
      for (size_t k = 0; k < programs.size(); k++) {
        ProgramCost cost;
        for (u32 node : nodes.charged.of(k)) cost.add(worker.costs[node]);
        if (fits_memory([&] { return run_within_budget(worker, nodes.own.of(k), sample, cost); })) {
          record(programs[k], outcome(programs[k], cost));
        } else if (is_stopped()) {
          return;
        } else {
          worker.missing.push_back(programs[k]);
        }
        worker.arena.rewind(worker.lane, common_end);
      }
    } else {
      worker.missing = programs;
    }
    if (worker.missing.empty() || is_stopped()) return;
    worker.has_constants = worker.has_shared = false;
    worker.arena.max_bytes = max_arena_bytes + 16 * budget.bytes + (256ULL << 20);
    for (u32 p : worker.missing) {
      worker.arena.reset(worker.lane);
      ProgramCost cost;
      const NodeRange all = {batt.program_nodes + batt.starts[p], batt.program_nodes + batt.starts[p + 1]};
      const bool fits = fits_memory([&] { return run_within_budget(worker, all, sample, cost); });
      if (is_stopped()) return;
      record(p, fits ? outcome(p, cost) : Outcome{0, budget.steps + 1, NO_NUMBER, OUT_OF_MEMORY, 0});
    }
  }
  // Returns what `work` returns; false if it runs out of memory.
  template <class Work>
  static bool fits_memory(Work work) {
    try {
      return work();
    } catch (const std::bad_alloc&) {  // by a learner
      return false;
    }
  }

  // Takes units until there are none left; should_continue() is called after each.
  template <class ShouldContinue>
  void work(Worker& worker, ShouldContinue should_continue) {
    worker.slots.resize(batt.n_nodes);
    worker.costs.resize(batt.n_nodes);
    worker.n_users.assign(batt.n_nodes, 0);
    worker.kept.clear();
    worker.has_constants = worker.has_shared = false;
    if (profiled) worker.profile.assign(2 * N_PROFILED, 0);
    while (!stopped && run_next(worker))
      if (!should_continue()) stopped = true;
  }
  void work(Worker& worker) {
    work(worker, [] { return true; });
  }

  // Collects the nodes of programs; n_users is 0 for every node, before and afterwards.
  void collect_nodes(const std::vector<u32>& programs, std::vector<u8>& n_users, Nodes& nodes) const {
    nodes.shared.clear();
    nodes.common.clear();
    nodes.own.clear();
    nodes.charged.clear();
    const auto each_node = [&](u32 p, auto f) {
      for (u64 k = batt.starts[p]; k < batt.starts[p + 1]; k++) f(batt.program_nodes[k]);
    };
    for (u32 p : programs)
      each_node(p, [&](u32 node) {
        const u8 n = n_users[node];
        if (n < 2) n_users[node]++;
        if (needs[node] == NEEDS_DEMOS && n == 0) nodes.shared.push_back(node);
        if (needs[node] == NEEDS_SAMPLE && n == 1) nodes.common.push_back(node);
      });
    for (auto* some : {&nodes.shared, &nodes.common}) std::sort(some->begin(), some->end());
    for (u32 p : programs) {
      each_node(p, [&](u32 node) {
        if (needs[node] == NEEDS_SAMPLE && n_users[node] == 1)
          nodes.own.nodes.push_back(node);
        else if (batt.code[node].op >= CALL)
          nodes.charged.nodes.push_back(node);
      });
      nodes.own.end_program();
      nodes.charged.end_program();
    }
    for (u32 p : programs) each_node(p, [&](u32 node) { n_users[node] = 0; });
  }
};

// A run of every program on every chosen sample; results are [program, sample].
struct SampleRun final : Run {
  const u32* chosen = nullptr;
  u8* reasons = nullptr;
  u8* matches = nullptr;
  u64* hashes = nullptr;
  i64* steps = nullptr;
  i32* numbers = nullptr;
  bool keep_values = false;
  u64 n_chosen = 0, n_threads = 1;

  // Prepares the units; call it once all fields are set.
  void prepare() {
    programs_.resize(batt.n_programs);
    std::iota(programs_.begin(), programs_.end(), 0);
    std::vector<u8> n_users(batt.n_nodes, 0);
    collect_nodes(programs_, n_users, nodes_);
    const bool has_shared_calls = std::any_of(nodes_.shared.begin(), nodes_.shared.end(),
                                              [&](u32 node) { return batt.code[node].op >= CALL; });
    if (has_shared_calls && n_threads > 1) join_samples();
  }

  bool run_next(Worker& worker) override {
    const auto [first, end] = take();
    for (u64 k = first; k < end && !is_stopped(); k++) {
      const u64 sample = chosen[k];
      run_programs(worker, (*samples)[sample], nodes_, programs_, [&](u32 p, const Outcome& out) { record(worker, p, sample, out); });
    }
    return first < end;
  }

 private:
  Nodes nodes_;
  std::vector<u32> programs_;
  std::vector<u64> ends_;  // where a thread that starts at a sample should stop; empty: after that sample
  std::mutex mutex_;
  u64 next_ = 0;

  // Lets one thread take all samples with the same demos if they are adjacent.
  void join_samples() {
    const auto demos_of = [&](u64 k) { return (*samples)[chosen[k]].demos.block; };
    ends_.resize(n_chosen);
    for (u64 k = n_chosen; k-- > 0;) {
      const bool joined = k + 1 < n_chosen && demos_of(k) == demos_of(k + 1);
      ends_[k] = joined ? ends_[k + 1] : k + 1;
    }
  }

  // Returns a range of samples for a thread. Ranges get shorter towards the end, so that all threads end together.
  std::pair<u64, u64> take() {
    std::lock_guard<std::mutex> lock(mutex_);
    const u64 first = next_;
    if (first >= n_chosen) return {first, first};
    const u64 share = max_of<u64>(1, (n_chosen - first) / (2 * n_threads));
    next_ = min_of(ends_.empty() ? first + 1 : ends_[first], first + share);
    return {first, next_};
  }

  void record(Worker& worker, u32 program, u64 sample, Outcome out) {
    const u64 cell = program * samples->size() + sample;
    if (keep_values && out.reason == OK && !worker.kept.keep(cell, worker.slots[batt.results[program]]))
      out = {0, out.steps, NO_NUMBER, OUT_OF_MEMORY, 0};
    reasons[cell] = out.reason;
    matches[cell] = out.matches;
    hashes[cell] = out.hash;
    steps[cell] = (i64)out.steps;
    numbers[cell] = out.number;
  }
};

// A run of programs on the demos of tasks; results are [program, task]. A program is tried on all tasks or on one. In
// stages, a program that fails on the first demo of a task, or misses its output, is not run on the others. A unit is
// a task with a slice of the programs: with all of them if there are enough tasks for the threads.
struct TaskRun final : Run {
  // Several units per thread keep all threads busy until the end; but nodes that programs share are run once per
  // slice.
  static constexpr u64 UNITS_PER_THREAD = 3, LEAST_SLICE = 64;
  const u32* starts = nullptr;  // the demos of task t are the samples starts[t] .. starts[t + 1]
  u64 n_tasks = 0;
  bool staged = true;
  u64 n_done = 0;  // demos per task that were already run elsewhere, for programs tried on all tasks
  std::atomic<u64> next{0};
  u8* reasons = nullptr;    // on the first demo
  u8* n_matches = nullptr;  // number of demos that match
  u64* hashes = nullptr;    // on the first demo
  i64* steps = nullptr;     // on all demos it was run on
  i32* numbers = nullptr;   // sum over the demos

  struct Slice {
    std::vector<u32> programs;
    Nodes nodes;
  };
  std::vector<Slice> slices;                // the programs that are tried on all tasks
  std::vector<std::vector<u32>> only_here;  // by task, the programs that are tried on it only; run with the first slice
  std::vector<u32> order;                   // tasks by decreasing size, so that no thread ends with a large one

  u64 n_units() const { return n_tasks * slices.size(); }

  // tasks_of_programs[p] is the only task of program p, or -1.
  void prepare(const i32* tasks_of_programs, u64 n_threads) {
    std::vector<u32> everywhere;
    only_here.resize(n_tasks);
    for (u32 p = 0; p < batt.n_programs; p++) {
      const i32 task = tasks_of_programs[p];
      if (task < 0) {
        everywhere.push_back(p);
      } else if ((u64)task < n_tasks) {
        only_here[task].push_back(p);
      }
    }
    const u64 n_wanted = n_threads > 1 ? UNITS_PER_THREAD * n_threads / max_of<u64>(1, n_tasks) : 1;
    std::vector<u8> n_users(batt.n_nodes, 0);
    slices.resize(max_of<u64>(1, min_of<u64>(n_wanted, everywhere.size() / LEAST_SLICE)));
    for (u64 k = 0; k < slices.size(); k++) {
      const auto start = [&](u64 slice) {
        return everywhere.begin() + (i64)(slice * everywhere.size() / slices.size());
      };
      slices[k].programs.assign(start(k), start(k + 1));
      collect_nodes(slices[k].programs, n_users, slices[k].nodes);
    }
    order.resize(n_tasks);
    std::iota(order.begin(), order.end(), 0);
    std::vector<u64> sizes;
    for (u64 task = 0; task < n_tasks; task++)
      sizes.push_back(starts[task] < starts[task + 1] ? n_cells_of((*samples)[starts[task]].input) : 0);
    std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return sizes[a] > sizes[b]; });
  }
  static u64 n_cells_of(const Value& input) { return input.kind == GRID ? input.n * (u64)width_of(input) : 0; }

  bool run_next(Worker& worker) override {
    const u64 unit = next++;
    if (unit >= n_units()) return false;
    run_task(worker, order[unit / slices.size()], unit % slices.size());
    return true;
  }

  void run_task(Worker& worker, u64 task, u64 slice) {
    static const std::vector<u32> none;
    const std::vector<u32>& here = slice ? none : only_here[task];
    const std::vector<u32>& everywhere = slices[slice].programs;
    const Nodes* base_nodes = here.empty() ? &slices[slice].nodes : nullptr;
    const u32 first = starts[task], end = starts[task + 1];
    worker.programs = here;
    if (!n_done) worker.programs.insert(worker.programs.begin(), everywhere.begin(), everywhere.end());
    for (u32 p : worker.programs) {
      const u64 cell = p * n_tasks + task;
      n_matches[cell] = 0;
      steps[cell] = 0;
      numbers[cell] = 0;
    }
    collect_nodes_of_task(worker, n_done ? nullptr : base_nodes);
    worker.has_shared = false;  // another task may have the same demos, but other programs
    for (u32 sample = first; sample < end; sample++) {
      if (n_done && sample - first == n_done) {
        worker.programs.insert(worker.programs.begin(), everywhere.begin(), everywhere.end());
        collect_nodes_of_task(worker, base_nodes);
        worker.has_shared = false;
      }
      if (staged && sample == first + 1) {
        keep_those_that_matched(worker, task, everywhere, here);
        worker.has_shared = worker.has_shared && !n_done;
      }
      if (worker.programs.empty()) {
        if (staged && sample > first) return;
        continue;
      }
      const Sample& s = (*samples)[sample];
      run_programs(worker, s, worker.nodes, worker.programs, [&](u32 p, const Outcome& out) {
        const u64 cell = p * n_tasks + task;
        if (sample == first) {
          reasons[cell] = out.reason;
          hashes[cell] = out.hash;
        }
        n_matches[cell] += out.matches;
        steps[cell] += (i64)out.steps;
        if (out.number != NO_NUMBER) numbers[cell] += out.number;
      });
      if (stopped.load(std::memory_order_relaxed)) return;
    }
  }

  // `known` are the nodes of the programs if they were collected before.
  void collect_nodes_of_task(Worker& worker, const Nodes* known) const {
    if (known)
      worker.nodes = *known;
    else
      collect_nodes(worker.programs, worker.n_users, worker.nodes);
  }

  // Programs that are tried on this task only are checks, not solutions, and are all kept.
  void keep_those_that_matched(Worker& worker, u64 task, const std::vector<u32>& everywhere,
                               const std::vector<u32>& here) const {
    worker.programs.clear();
    for (u32 p : everywhere)
      if (n_matches[p * n_tasks + task]) worker.programs.push_back(p);
    worker.programs.insert(worker.programs.end(), here.begin(), here.end());
    collect_nodes_of_task(worker, nullptr);
  }
};

// --- threads ---

// Workers are kept for the next run: small runs would spend most of their time on allocating memory.
inline std::mutex workers_mutex;
inline std::vector<std::unique_ptr<Worker>> idle_workers;

inline std::unique_ptr<Worker> take_worker() {
  std::lock_guard<std::mutex> lock(workers_mutex);
  if (idle_workers.empty()) return std::make_unique<Worker>();
  auto worker = std::move(idle_workers.back());
  idle_workers.pop_back();
  return worker;
}
inline void give_back(std::unique_ptr<Worker> worker) {
  worker->kept.clear();
  if (worker->arena.n_bytes > (64ULL << 20) || shared_account->is_scarce()) return;  // too much memory to keep
  std::lock_guard<std::mutex> lock(workers_mutex);
  if (idle_workers.size() < 64) idle_workers.push_back(std::move(worker));
}

inline void free_idle_workers() {
  std::vector<std::unique_ptr<Worker>> freed;
  std::lock_guard<std::mutex> lock(workers_mutex);
  freed.swap(idle_workers);
}

// One thread per worker, all on one run. If the system provides fewer threads, those do the work and the other workers
// are removed; if none, the first worker runs in this thread.
class Threads {
 public:
  Threads(Run& run, std::vector<std::unique_ptr<Worker>>& workers) : run_(run) {
    threads_.reserve(workers.size());
    for (auto& worker : workers)
      if (!start(*worker)) break;
    if (threads_.empty()) here_ = workers[0].get();
    workers.resize(max_of<size_t>(1, threads_.size()));
  }
  ~Threads() {
    for (auto& thread : threads_) thread.join();
  }

  // Waits until all are done; is_interrupted() is called every 50 ms.
  template <class IsInterrupted>
  void wait(IsInterrupted is_interrupted) {
    if (here_) {
      auto last_check = Clock::now();
      work_here(*here_, [&] {
        if (seconds_since(last_check) <= 0.05) return true;
        last_check = Clock::now();
        return !is_interrupted();
      });
      return;
    }
    std::unique_lock<std::mutex> lock(mutex_);
    while (n_running_) {
      if (done_.wait_for(lock, std::chrono::milliseconds(50)) != std::cv_status::timeout) continue;
      lock.unlock();
      if (is_interrupted()) run_.stopped = true;
      lock.lock();
    }
  }

 private:
  Run& run_;
  std::mutex mutex_;
  std::condition_variable done_;
  size_t n_running_ = 0;
  std::vector<std::thread> threads_;
  Worker* here_ = nullptr;

  // An exception ends the run; the first one is thrown where the run was started.
  template <class ShouldContinue>
  void work_here(Worker& worker, ShouldContinue should_continue) {
    try {
      run_.work(worker, should_continue);
    } catch (...) {
      run_.stopped = true;
      std::lock_guard<std::mutex> lock(mutex_);
      if (!run_.error) run_.error = std::current_exception();
    }
  }
  // Returns false if the system provides no thread.
  bool start(Worker& worker) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      n_running_++;
    }
    try {
      threads_.emplace_back([this, &worker] {
        work_here(worker, [] { return true; });
        std::lock_guard<std::mutex> lock(mutex_);
        if (--n_running_ == 0) done_.notify_all();
      });
      return true;
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    std::lock_guard<std::mutex> lock(mutex_);
    n_running_--;
    return false;
  }
};

}  // namespace arc
