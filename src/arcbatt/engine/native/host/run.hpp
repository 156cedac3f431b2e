// Runs on the CPU: the work of a thread on its lanes, and the threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <new>
#include <numeric>
#include <system_error>
#include <thread>

#include "arcbatt/batt.hpp"
#include "arcbatt/words.hpp"
#include "arena.hpp"

namespace arc {

typedef std::chrono::steady_clock Clock;
inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Entries of a profile: one per primitive, and one for calls of function values.
constexpr u64 N_PROFILED = N_PRIMITIVES + 1;

// Nodes to run in ascending order, so that arguments come first. Shared nodes need neither the input nor the target:
// they have the same values, failures and costs on all samples with the same demos.
struct Nodes {
  std::vector<u32> shared, own;
};

// The data that a thread keeps from lane to lane.
struct Worker {
  Arena arena;
  Lane lane;
  std::vector<Value> slots;
  std::vector<NodeCost> costs;
  std::vector<i32> words;
  std::vector<std::pair<u64, u64>> kept;  // (cell of the result, start of its words)
  std::vector<u32> programs;              // the programs of a stage
  Nodes nodes;                            // their nodes
  std::vector<i64> profile;               // nanoseconds, then calls
  // Whether slots and arena still have the values of shared nodes of the previous lane.
  bool has_shared = false;
  const Block* demos = nullptr;  // the demos of these values; samples with the same demos have the same pointer
  Arena::Mark shared_end;

  Slots view() { return {slots.data(), costs.data(), 1}; }
};

// A run: work that threads take in units.
struct Run {
  Batt batt;
  const u8* is_own = nullptr;  // whether a node needs the input or the target
  const std::vector<Sample>* samples = nullptr;
  Budget budget;
  u64 max_arena_bytes = 0;
  bool profiled = false;
  std::atomic<bool> stopped{false};
  std::atomic<bool> out_of_memory{false};

  virtual ~Run() = default;
  // Takes the next unit and runs it; returns false if there is none.
  virtual bool run_next(Worker& worker) = 0;

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

  // Returns false if memory ran out or the run was stopped.
  bool run_nodes(Worker& worker, const std::vector<u32>& nodes, const Sample& sample) {
    for (u32 node : nodes)
      if (!run_one(worker, node, sample) || is_stopped()) return false;
    return true;
  }

  // Runs shared nodes, or keeps their values from the previous lane if its demos were the same. They come first, so
  // that their values are contiguous in the arena, before the sample's own.
  bool run_shared(Worker& worker, const std::vector<u32>& nodes, const Sample& sample) {
    if (worker.has_shared && worker.demos == sample.demos.block) {
      worker.arena.reset(worker.lane, worker.shared_end);
      return true;
    }
    worker.arena.reset(worker.lane);
    worker.has_shared = run_nodes(worker, nodes, sample);
    worker.demos = sample.demos.block;
    worker.shared_end = worker.arena.mark(worker.lane);
    return worker.has_shared;
  }

  // Runs programs on one sample, every node once, and calls record(program) for each. If memory runs out, runs the
  // programs one by one; each fits, since its budget bounds its values. Shared nodes must be among those of the
  // previous lane, or worker.has_shared must be false.
  template <class Record>
  void run_programs(Worker& worker, const Sample& sample, const Nodes& nodes,
                    const std::vector<u32>& programs, Record record) {
    worker.arena.max_bytes = max_arena_bytes;
    if (run_shared(worker, nodes.shared, sample) && run_nodes(worker, nodes.own, sample)) {
      for (u32 p : programs) record(p);
      return;
    }
    if (is_stopped()) return;
    worker.has_shared = false;
    worker.arena.max_bytes = max_arena_bytes + 16 * budget.bytes + (256ULL << 20);
    for (u32 p : programs) {
      worker.arena.reset(worker.lane);
      for (u64 k = batt.starts[p]; k < batt.starts[p + 1]; k++) {
        if (is_stopped()) return;
        if (!run_one(worker, batt.program_nodes[k], sample)) {
          out_of_memory = stopped = true;
          return;
        }
      }
      record(p);
    }
  }

  // Takes units until there are none left; should_continue() is called after each.
  template <class ShouldContinue>
  void work(Worker& worker, ShouldContinue should_continue) {
    worker.slots.resize(batt.n_nodes);
    worker.costs.resize(batt.n_nodes);
    worker.words.clear();
    worker.kept.clear();
    worker.has_shared = false;
    if (profiled) worker.profile.assign(2 * N_PROFILED, 0);
    set_budget(worker.lane, budget);
    while (!stopped && run_next(worker))
      if (!should_continue()) stopped = true;
  }
  void work(Worker& worker) {
    work(worker, [] { return true; });
  }

  void collect_nodes(const std::vector<u32>& programs, Nodes& nodes) const {
    nodes.shared.clear();
    nodes.own.clear();
    for (u32 p : programs)
      for (u64 k = batt.starts[p]; k < batt.starts[p + 1]; k++) {
        const u32 node = batt.program_nodes[k];
        (is_own[node] ? nodes.own : nodes.shared).push_back(node);
      }
    for (auto* some : {&nodes.shared, &nodes.own}) {
      std::sort(some->begin(), some->end());
      some->erase(std::unique(some->begin(), some->end()), some->end());
    }
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
    bool has_shared_calls = false;
    for (u32 node = 0; node < batt.n_nodes; node++) {
      (is_own[node] ? nodes_.own : nodes_.shared).push_back(node);
      has_shared_calls |= !is_own[node] && batt.code[node].op >= CALL;
    }
    programs_.resize(batt.n_programs);
    std::iota(programs_.begin(), programs_.end(), 0);
    if (has_shared_calls && n_threads > 1) join_samples();
  }

  bool run_next(Worker& worker) override {
    const auto [first, end] = take();
    for (u64 k = first; k < end && !is_stopped(); k++) {
      const u64 sample = chosen[k];
      run_programs(worker, (*samples)[sample], nodes_, programs_, [&](u32 p) { record(worker, p, sample); });
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

  void record(Worker& worker, u32 program, u64 sample) {
    const Outcome out = outcome_of(batt, program, budget, (*samples)[sample], worker.view());
    const u64 cell = program * samples->size() + sample;
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
    slices.resize(max_of<u64>(1, min_of<u64>(n_wanted, everywhere.size() / LEAST_SLICE)));
    for (u64 k = 0; k < slices.size(); k++) {
      const auto start = [&](u64 slice) {
        return everywhere.begin() + (i64)(slice * everywhere.size() / slices.size());
      };
      slices[k].programs.assign(start(k), start(k + 1));
      collect_nodes(slices[k].programs, slices[k].nodes);
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
    const Nodes& base_nodes = slices[slice].nodes;
    const u32 first = starts[task], end = starts[task + 1];
    worker.programs = here;
    if (!n_done) worker.programs.insert(worker.programs.begin(), everywhere.begin(), everywhere.end());
    for (u32 p : worker.programs) {
      const u64 cell = p * n_tasks + task;
      n_matches[cell] = 0;
      steps[cell] = 0;
      numbers[cell] = 0;
    }
    collect_nodes_of_task(worker, here, base_nodes, !n_done);
    worker.has_shared = false;  // another task may have the same demos, but other programs
    for (u32 sample = first; sample < end; sample++) {
      if (n_done && sample - first == n_done) {
        worker.programs.insert(worker.programs.begin(), everywhere.begin(), everywhere.end());
        collect_nodes_of_task(worker, here, base_nodes, true);
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
      run_programs(worker, s, worker.nodes, worker.programs, [&](u32 p) {
        const Outcome out = outcome_of(batt, p, budget, s, worker.view());
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

  void collect_nodes_of_task(Worker& worker, const std::vector<u32>& here, const Nodes& base_nodes,
                             bool has_everywhere) const {
    if (here.empty() && has_everywhere) {
      worker.nodes = base_nodes;
      return;
    }
    collect_nodes(here, worker.nodes);
    if (!has_everywhere) return;
    const Nodes more = worker.nodes;
    unite(base_nodes.shared, more.shared, worker.nodes.shared);
    unite(base_nodes.own, more.own, worker.nodes.own);
  }

  static void unite(const std::vector<u32>& a, const std::vector<u32>& b, std::vector<u32>& to) {
    to.clear();
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(to));
  }

  // Programs that are tried on this task only are checks, not solutions, and are all kept.
  void keep_those_that_matched(Worker& worker, u64 task, const std::vector<u32>& everywhere,
                               const std::vector<u32>& here) const {
    worker.programs.clear();
    for (u32 p : everywhere)
      if (n_matches[p * n_tasks + task]) worker.programs.push_back(p);
    worker.programs.insert(worker.programs.end(), here.begin(), here.end());
    collect_nodes(worker.programs, worker.nodes);
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
  if (worker->arena.n_bytes > (64ULL << 20)) return;  // too much memory to keep
  std::lock_guard<std::mutex> lock(workers_mutex);
  if (idle_workers.size() < 64) idle_workers.push_back(std::move(worker));
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

  template <class ShouldContinue>
  void work_here(Worker& worker, ShouldContinue should_continue) {
    try {
      run_.work(worker, should_continue);
    } catch (const std::bad_alloc&) {
      run_.out_of_memory = run_.stopped = true;
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
