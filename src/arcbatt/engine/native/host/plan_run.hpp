// A run of a plan on some samples: writes the steps for the kernels, and starts the kernels.
//
// A step is *open* once all steps that it needs are open, and the sizes of the domains that its items belong to are
// known. Open steps are sent together, in a *batch*, and started in the order of the longest remaining work. A kernel
// waits on the device only for the steps that it needs. Steps of sites count elements; their numbers come back while
// other steps run, and open more steps.
//
// There is host memory that the device can read and write, and memory of the device. A batch takes a part of both,
// laid out as follows. One copy sends the host's part up to the domains:
//
//   host:    starts and bounds | steps | domains | the count at each bound, written by the device
//   device:  starts and bounds | steps | frames | counts | firsts
#pragma once
#include <cstring>
#include <queue>
#include <thread>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include "arcbatt/counting.hpp"
#include "plan_streams.hpp"

namespace arc {

struct DeviceSettings {
  u64 n_blocks, n_wide_blocks;            // at most
  u64 block_threads, wide_block_threads;
  u64 elements_per_item, max_large, max_elements;
  u64 add_counts, pick;                   // kernels
};
struct DeviceAddresses {
  u64 nodes, others, domains, queues, listed;
};
struct DevicePlaces : DeviceAddresses {
  std::vector<u64> streams, launches;  // by stream; the last stream is for copies and has no launch
  std::vector<u64> events;             // the same number for each stream
  u64 done;                            // one more event
  std::vector<u64> timing;             // two events per launch if launches are timed
};

// Makes short sleeps of the thread precise during its lifetime; by default they take twice as long.
struct ShortSleeps {
#if defined(__linux__)
  const int usual = prctl(PR_GET_TIMERSLACK);
  ShortSleeps() { prctl(PR_SET_TIMERSLACK, 1000ul); }
  ~ShortSleeps() { if (usual > 0) prctl(PR_SET_TIMERSLACK, (unsigned long)usual); }
#endif
};

class PlanRun {
 public:
  // A launch of a step, or of the kernels that count its elements.
  struct Started {
    u32 step;
    bool is_counting;
    u64 n_items;
  };

  // functions: the device's kernels by the plan's numbers; wide_functions: those for wide lanes, or 0.
  PlanRun(const Plan& plan, const Driver& driver, const DeviceSettings& settings, const DevicePlaces& places,
          std::vector<u64> functions, std::vector<u64> wide_functions, u64 n_samples)
      : plan_(plan), driver_(driver), settings_(settings), places_(places), functions_(std::move(functions)),
        wide_functions_(std::move(wide_functions)), streams_(driver, places.streams, places.events),
        sizes_(plan.domains.size() + 1, 0), domains_(plan.domains), steps_(plan.steps.size()),
        queue_(Later{this}), began_(SteadyClock::now()), last_steps_(places.launches.size(), NO_STEP) {
    sizes_.back() = n_samples;
    for (u32 k = (u32)steps_.size(); k-- > 0;) {
      const PlanStep& step = plan_.steps[k];
      StepState& state = steps_[k];
      state.n_missing = plan_.needs.count(k) + plan_.size_needs.count(k);
      state.n_users = plan_.users.count(k);
      for (const u32* user = plan_.users.begin(k); user < plan_.users.end(k); user++)
        state.rest_us = max_of(state.rest_us, steps_[*user].rest_us);
      for (const u32* user = plan_.size_users.begin(k); user < plan_.size_users.end(k); user++)
        state.rest_us = max_of(state.rest_us, steps_[*user].rest_us + COUNTING_US);
      state.rest_us += expected_us((step.n_nodes + step.n_others) * n_samples);
    }
    for (u32 k = 0; k < steps_.size(); k++)
      if (!steps_[k].n_missing) open_.push_back(k);
  }
  PlanRun(const PlanRun&) = delete;  // its queue points to it

  // Results of `run` besides 0 and the driver's statuses.
  static constexpr int TOO_MANY = -1, LACKS_MEMORY = -2, STOPPED = -3;
  struct Need {
    u64 host_bytes, device_bytes;
  };
  Need lacking = {0, 0};
  std::vector<Started> started;

  // Runs all remaining steps; should_continue() is called regularly. If it lacks memory, call it again with at least the
  // memory that `lacking` says. In all cases the first stream then waits for everything that was started.
  template <class ShouldContinue>
  int run(ShouldContinue should_continue) {
    int status;
    try {
      status = run_steps(should_continue);
    } catch (...) {  // from should_continue()
      streams_.join(0);
      throw;
    }
    const int joined = streams_.join(0);
    return status ? status : joined;
  }
  // Gives memory for the next batches.
  void give_memory(char* host, u64 host_bytes, u64 device, u64 device_bytes) {
    host_next_ = host;
    host_left_ = host_bytes;
    device_next_ = device;
    device_left_ = device_bytes;
  }

  // Starts a kernel outside the plan, with a step of its own.
  int start_one(u64 function, u64 wide_function, u64 nodes, u64 n_nodes, u64 n_items, char* host, u64 device) {
    Step step = new_step(plan_.steps.size() + n_others_started_++, n_items);
    step.nodes = (const u32*)nodes;
    step.n_nodes = (u32)n_nodes;
    std::memcpy(host, (const void*)&step, sizeof(step));
    const int status = driver_.copy(device, host, sizeof(step), streams_[0]);
    return status ? status : start_kernels(function, wide_function, n_items, device, 0);
  }

  // Marks the end of the work on the first stream; `wait` waits for it.
  int end() { return driver_.record((void*)places_.done, streams_[0]); }
  template <class ShouldContinue>
  int wait(ShouldContinue should_continue) {
    int status = 0;
    return wait_until([&] { return is_reached((void*)places_.done, status); }, should_continue, status);
  }

 private:
  // Estimates that decide the order of steps and the stream: time per item of a step that fills the device, per
  // launch, and from the end of a site's kernel to the start of steps on its elements.
  static constexpr double ITEM_US = 0.004, LAUNCH_US = 10, COUNTING_US = 30;
  static constexpr u32 NOT_COUNTED = ~0u, NO_STEP = ~0u;
  // A waiting thread polls at first, and always in runs that may end soon. Later it sleeps, so that threads that deal
  // or run programs can use the core.
  static constexpr int LOOKS_US = 200, SHORT_RUN_US = 3000, SLEEP_US = 20;

  struct StepState {
    u32 n_missing = 0;    // steps that are not open and sizes that are not known, among those it needs
    u32 n_users = 0;      // not started yet
    double rest_us = 0;   // from its start until everything that needs it is done
    u64 n_items = 0;
    u64 words = 0;        // address of its Step on the device
    StreamPlace sent, place;    // when the Step has arrived; when the step is done
    // If it makes domains: items, and the addresses of its numbers.
    u64 n_asked = 0, counts = 0, firsts = 0, bounds = 0;
    u32 n_bounds = 0;
    volatile u32* sums = nullptr;  // at the bounds, written by the device
  };
  struct Later {
    const PlanRun* run;
    bool operator()(u32 a, u32 b) const {
      const double a_us = run->steps_[a].rest_us, b_us = run->steps_[b].rest_us;
      return a_us != b_us ? a_us < b_us : a > b;
    }
  };

  const Plan& plan_;
  Driver driver_;
  DeviceSettings settings_;
  DevicePlaces places_;
  std::vector<u64> functions_, wide_functions_;
  Streams streams_;
  std::vector<u64> sizes_;  // elements of each domain, then the samples
  std::vector<FlatDomain> domains_;
  std::vector<StepState> steps_;
  std::vector<u32> open_;                                         // not sent yet
  std::priority_queue<u32, std::vector<u32>, Later> queue_;       // sent, not started
  std::vector<u32> counting_;                                     // started, with sizes that are not known yet
  SteadyClock::time_point began_;
  bool has_begun_ = false;
  u64 n_others_started_ = 0;
  char* host_next_ = nullptr;
  u64 host_left_ = 0, device_next_ = 0, device_left_ = 0;
  std::vector<u64> ends_;       // running sums of the items of a step's members
  std::vector<StreamPlace> needed_;   // needed by the step that is being started
  std::vector<u32> last_steps_; // by stream, the last step started on it
  bool is_too_much_ = false;    // a step has too many elements

  static u64 aligned(u64 n_bytes) { return (n_bytes + 255) & ~255ULL; }
  static double expected_us(u64 n_items) { return LAUNCH_US + ITEM_US * (double)n_items; }
  double now_us() const { return us_between(began_, SteadyClock::now()); }
  bool makes_domains(u32 k) const { return plan_.steps[k].n_domains > 0; }

  template <class ShouldContinue>
  int run_steps(ShouldContinue should_continue) {
    int status = 0;
    while (!status) {
      open_more();
      if (!open_.empty()) status = send_open();
      if (status) break;
      if (!queue_.empty()) {
        const u32 k = queue_.top();
        queue_.pop();
        status = start(k);
      } else if (!counting_.empty()) {
        status = wait_for_counts(should_continue);
      } else {
        break;
      }
      while (!status && read_counts()) {}
    }
    return status;
  }

  // --- opening steps ---

  // Opens all steps that can be opened after those that were opened last.
  void open_more() {
    for (size_t at = 0; at < open_.size(); at++) {
      const u32 k = open_[at];
      if (steps_[k].sent.position || steps_[k].n_items) continue;  // it was handled before
      count_items(k);
      open_users(plan_.users, k);
      if (!steps_[k].n_items) open_users(plan_.size_users, k);  // its domains have no elements
    }
    const auto is_nothing = [&](u32 k) { return !steps_[k].n_items; };
    open_.erase(std::remove_if(open_.begin(), open_.end(), is_nothing), open_.end());
  }
  void open_users(const Links& users, u32 k) {
    for (const u32* user = users.begin(k); user < users.end(k); user++)
      if (!--steps_[*user].n_missing) open_.push_back(*user);
  }
  void add_up(const PlanStep& step) {
    ends_.assign(1, 0);
    for (u32 k = step.first_other; k < step.first_other + step.n_others; k++)
      ends_.push_back(ends_.back() + sizes_[plan_.sizes[k]]);
  }
  void count_items(u32 k) {
    const PlanStep& step = plan_.steps[k];
    add_up(step);
    const u64 n_others = ends_.back(), each = settings_.elements_per_item;
    const bool alone = step.kind() == ALONE_STEP;
    steps_[k].n_items = step.n_nodes * sizes_.back() + (alone ? (n_others + each - 1) / each : n_others);
    steps_[k].n_asked = makes_domains(k) ? n_others : 0;
    steps_[k].n_bounds = steps_[k].n_asked ? step.n_others + 1 : 0;
    is_too_much_ |= step.n_nodes * sizes_.back() + n_others > settings_.max_elements;
  }
  // --- sending ---

  // Sends all open steps in one copy. The memory must live until their kernels are done.
  int send_open() {
    if (is_too_much_) return TOO_MANY;
    u64 n_numbers = 0, n_asked = 0, n_firsts = 0, n_bounds = 0, n_domains = 0;
    for (u32 k : open_) {
      const StepState& state = steps_[k];
      n_numbers += plan_.steps[k].n_others + state.n_bounds;
      n_asked += state.n_asked;
      n_firsts += state.n_asked + 1;
      n_bounds += state.n_bounds;
      n_domains += state.n_asked ? plan_.steps[k].n_domains : 0;
    }
    const u64 steps_at = aligned(4 * n_numbers), sent_bytes = steps_at + open_.size() * sizeof(Step);
    const u64 sums_at = sent_bytes + n_domains * sizeof(FlatDomain);
    const u64 counts_at = sent_bytes + 8 * n_asked, firsts_at = counts_at + 4 * n_asked;
    const Need need = {aligned(sums_at + 4 * n_bounds), aligned(firsts_at + 4 * n_firsts)};
    if (need.host_bytes > host_left_ || need.device_bytes > device_left_) {
      lacking = need;
      return LACKS_MEMORY;
    }
    char* host = host_next_;
    const u64 device = device_next_;
    give_memory(host + need.host_bytes, host_left_ - need.host_bytes, device + need.device_bytes,
                device_left_ - need.device_bytes);
    int status = begin_sending();
    const u32 copies = streams_.copies();
    u64 numbers = 0, asked = 0, firsts = 0, bounds = 0, domains = sent_bytes;
    for (size_t at = 0; at < open_.size(); at++) {
      const u32 k = open_[at];
      const PlanStep& planned = plan_.steps[k];
      StepState& state = steps_[k];
      add_up(planned);
      state.words = device + steps_at + at * sizeof(Step);
      state.counts = device + counts_at + 4 * asked;
      state.firsts = device + firsts_at + 4 * firsts;
      state.bounds = device + 4 * (numbers + planned.n_others);
      state.sums = (volatile u32*)(host + sums_at) + bounds;
      u32* written = (u32*)host + numbers;
      for (u32 m = 0; m < planned.n_others; m++) written[m] = (u32)ends_[m];
      for (u32 m = 0; m < state.n_bounds; m++) {
        written[planned.n_others + m] = (u32)ends_[m];
        state.sums[m] = NOT_COUNTED;
      }
      ((Step*)(host + steps_at))[at] = words_of(k, device + 4 * numbers);
      if (state.n_asked) {
        const u64 n_bytes = planned.n_domains * sizeof(FlatDomain);
        place_domains(k, device + sent_bytes + 8 * asked);
        std::memcpy(host + domains, (const void*)&domains_[planned.first_domain], n_bytes);
        const u64 there = places_.domains + planned.first_domain * sizeof(FlatDomain);
        if (!status) status = driver_.copy(there, host + domains, n_bytes, streams_[copies]);
        domains += n_bytes;
      }
      numbers += planned.n_others + state.n_bounds;
      asked += state.n_asked;
      firsts += state.n_asked + 1;
      bounds += state.n_bounds;
    }
    if (!status) status = driver_.copy(device, host, sent_bytes, streams_[copies]);
    if (!status && n_asked) status = driver_.fill(device + counts_at, 0, 4 * n_asked, streams_[copies]);
    const StreamPlace sent = streams_.put(copies, now_us() + LAUNCH_US);
    if (!status) status = streams_.record(copies);
    for (u32 k : open_) {
      steps_[k].sent = sent;
      queue_.push(k);
    }
    open_.clear();
    return status;
  }
  // Makes all copies started from here on wait for earlier work on the first stream.
  int begin_sending() {
    if (has_begun_) return 0;
    has_begun_ = true;
    return streams_.wait(streams_.copies(), {streams_.put(0, 0)});
  }

  Step new_step(u64 number, u64 n_items) const {
    Step step = {};
    step.queue = (arc::Queue*)places_.queues + number;
    step.listed = (u32*)places_.listed + settings_.max_large * number;
    step.n_items = (u32)n_items;
    const u64 n_warps = settings_.n_blocks * settings_.block_threads / 32;
    step.at_once = (u32)max_of<u64>(1, min_of<u64>(n_items / (4 * n_warps), MOST_AT_ONCE));
    return step;
  }
  Step words_of(u32 k, u64 starts) const {
    const PlanStep& planned = plan_.steps[k];
    const StepState& state = steps_[k];
    Step step = new_step(k, state.n_items);
    step.nodes = (const u32*)places_.nodes + planned.first_node;
    step.others = (const u32*)places_.others + planned.first_other;
    step.starts = (const u32*)starts;
    step.n_nodes = planned.n_nodes;
    step.n_others = planned.n_others;
    step.n_elements = planned.kind() == ALONE_STEP ? (u32)ends_.back() : 0;
    step.counts = state.n_asked ? (u32*)state.counts : nullptr;
    return step;
  }
  void place_domains(u32 k, u64 frames) {
    const PlanStep& planned = plan_.steps[k];
    for (u32 m = 0; m < planned.n_others; m++) {
      const i32 made = plan_.made_domains[planned.first_other + m];
      if (made < 0) continue;
      domains_[made].frames = (Frame**)frames + ends_[m];
      domains_[made].firsts = (const u32*)steps_[k].firsts + ends_[m];
      domains_[made].n_rows = ends_[m + 1] - ends_[m];
    }
  }

  // --- starting ---

  int start(u32 k) {
    StepState& state = steps_[k];
    needed_.assign(1, state.sent);
    for (const u32* need = plan_.needs.begin(k); need < plan_.needs.end(k); need++) {
      steps_[*need].n_users--;
      if (steps_[*need].place.position) needed_.push_back(steps_[*need].place);
    }
    double end_us;
    const u32 stream = streams_.choose(needed_, now_us(), expected_us(state.n_items), end_us);
    int status = keep_end(stream);
    if (!status) status = streams_.wait(stream, needed_);
    if (!status) status = start_on(k, stream);
    state.place = streams_.put(stream, end_us);
    last_steps_[stream] = k;
    return status;
  }
  // Records an event after the last step on a stream if later steps need it, so that they need not wait for the next
  // step on that stream.
  int keep_end(u32 stream) {
    const u32 last = last_steps_[stream];
    return last != NO_STEP && steps_[last].n_users ? streams_.record(stream) : 0;
  }

  int start_on(u32 k, u32 stream) {
    const PlanStep& step = plan_.steps[k];
    const StepState& state = steps_[k];
    const u64 function = functions_.at(step.kernel), wide = wide_functions_.at(step.kernel);
    int status = begin_timing(stream);
    if (!status) status = start_kernels(function, wide, state.n_items, state.words, stream);
    if (!status) status = end_timing(stream, {k, false, state.n_items});
    return status || !state.n_asked ? status : start_counting(k, stream);
  }
  // Starts the kernel of a step, and the kernel for the items it leaves to wide lanes, if there is one.
  int start_kernels(u64 function, u64 wide, u64 n_items, u64 words, u32 stream) const {
    u64 given[] = {places_.launches[stream], words, 0, 0};
    const int status = launch(function, n_blocks_for(n_items), settings_.block_threads, stream, given);
    if (status || !wide) return status;
    return launch(wide, min_of(n_items, settings_.n_wide_blocks), settings_.wide_block_threads, stream, given);
  }
  int start_counting(u32 k, u32 stream) {
    const StepState& state = steps_[k];
    counting_.push_back(k);
    u64 counted[] = {state.counts, state.firsts, state.n_asked, 0};
    u64 picked[] = {state.firsts, state.bounds, (u64)state.sums, state.n_bounds};
    int status = begin_timing(stream);
    const u64 a_block = COUNTS_PER_THREAD * COUNT_THREADS, n_blocks = (state.n_asked + a_block - 1) / a_block;
    if (!status) status = launch(settings_.add_counts, n_blocks, COUNT_THREADS, stream, counted);
    if (!status) status = launch(settings_.pick, (state.n_bounds + 255) / 256, 256, stream, picked);
    return status ? status : end_timing(stream, {k, true, state.n_asked});
  }
  int begin_timing(u32 stream) {
    if (places_.timing.empty()) return 0;
    return driver_.record((void*)places_.timing.at(2 * started.size()), streams_[stream]);
  }
  int end_timing(u32 stream, const Started& what) {
    if (places_.timing.empty()) return 0;
    started.push_back(what);
    return driver_.record((void*)places_.timing.at(2 * started.size() - 1), streams_[stream]);
  }
  u64 n_blocks_for(u64 n_items) const {
    return min_of(settings_.n_blocks, (n_items * 32 + settings_.block_threads - 1) / settings_.block_threads);
  }
  int launch(u64 function, u64 n_blocks, u64 n_threads, u32 stream, u64 (&given)[4]) const {
    void* parameters[] = {&given[0], &given[1], &given[2], &given[3]};
    return driver_.launch((void*)function, (unsigned)n_blocks, 1, 1, (unsigned)n_threads, 1, 1, 0,
                          streams_[stream], parameters, nullptr);
  }

  // --- sizes of domains ---

  // Takes sizes that have arrived; returns whether there were any.
  bool read_counts() {
    for (size_t at = 0; at < counting_.size(); at++) {
      const u32 k = counting_[at];
      if (!is_counted(steps_[k])) continue;
      counting_.erase(counting_.begin() + (std::ptrdiff_t)at);
      const PlanStep& planned = plan_.steps[k];
      is_too_much_ |= steps_[k].sums[planned.n_others] >= MOST_COUNTED;
      for (u32 m = 0; m < planned.n_others; m++) {
        const i32 made = plan_.made_domains[planned.first_other + m];
        if (made >= 0) sizes_[made] = steps_[k].sums[m + 1] - steps_[k].sums[m];
      }
      streams_.note_done(steps_[k].place);
      open_users(plan_.size_users, k);
      return true;
    }
    return false;
  }
  static bool is_counted(const StepState& state) {
    for (u32 m = state.n_bounds; m-- > 0;)
      if (state.sums[m] == NOT_COUNTED) return false;
    return true;
  }
  // Waits until sizes arrive. A kernel that failed writes none, which the event after it shows.
  template <class ShouldContinue>
  int wait_for_counts(ShouldContinue should_continue) {
    void* done = (void*)places_.done;
    const u32 stream = steps_[counting_.front()].place.stream;
    int status = driver_.record(done, streams_[stream]);
    const auto has_counts = [&] {
      for (u32 k : counting_)
        if (is_counted(steps_[k])) return true;
      return is_reached(done, status);
    };
    return status ? status : wait_until(has_counts, should_continue, status);
  }
  // Returns whether an event was reached; writes errors to the status.
  bool is_reached(void* event, int& status) const {
    const int answer = driver_.query(event);
    if (answer == NOT_READY) return false;
    status = answer;
    return true;
  }
  template <class IsDone, class ShouldContinue>
  int wait_until(IsDone is_done, ShouldContinue should_continue, const int& status) const {
    const auto began = SteadyClock::now();
    auto last_check = began;
    const ShortSleeps sleeps;
    while (!is_done()) {
      const auto now = SteadyClock::now();
      if (us_between(began, now) > LOOKS_US && us_between(began_, now) > SHORT_RUN_US) {
        std::this_thread::sleep_for(std::chrono::microseconds(SLEEP_US));
      } else {
        std::this_thread::yield();
      }
      if (us_between(last_check, now) < 20'000) continue;
      last_check = now;
      if (!should_continue()) return STOPPED;
    }
    return status;
  }
};

}  // namespace arc
