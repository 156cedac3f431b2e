// A plan at work on some samples: what each stage needs, written for the kernels, and the kernels started.
//
// The host has memory that the device can read (`Memory::host`) and memory of the device; a stage's part
// of either is laid out as follows, and sent in one copy up to where the host's goes on with the domains:
//
//   host:    starts and bounds | steps | domains | what each bound's count is, written by the device
//   device:  starts and bounds | steps | frames | counts | firsts
#pragma once
#include <chrono>
#include <cstring>
#include <thread>

#include "plan.hpp"

namespace arc {

// The functions of the CUDA driver that are needed, as it declares cuLaunchKernel, cuEventRecord,
// cuStreamWaitEvent, cuMemcpyHtoDAsync, cuMemsetD8Async and cuEventQuery; all return 0 or a status.
struct Driver {
  int (*launch)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream, void** parameters,
                void** extra);
  int (*record)(void* event, void* stream);
  int (*wait)(void* stream, void* event, unsigned flags);
  int (*copy)(u64 to, const void* from, size_t n_bytes, void* stream);
  int (*fill)(u64 to, unsigned char value, size_t n_bytes, void* stream);
  int (*query)(void* event);
};
constexpr int NOT_READY = 600;  // of an event that has not come yet

// What a run is given: the device's sizes, and where things are on it.
struct DeviceSettings {
  u64 n_blocks, n_wide_blocks;  // at most
  u64 block, wide_block;        // threads
  u64 elements_an_item, max_large, max_elements;
  u64 add_counts, pick;         // kernels
};
struct DevicePlaces {
  u64 nodes, others, domains, queues, listed;
  std::vector<u64> streams, launches;  // by stream; kernels of one level are on all of them
  std::vector<u64> events;             // by stream, and one more
};

class PlanRun {
 public:
  // functions: by kernel of the plan, the device's; wide_functions: that for wide lanes, 0 for none.
  PlanRun(const Plan& plan, const Driver& driver, const DeviceSettings& settings, const DevicePlaces& places,
          std::vector<u64> functions, std::vector<u64> wide_functions, u64 n_samples)
      : plan_(plan), driver_(driver), settings_(settings), places_(places), functions_(std::move(functions)),
        wide_functions_(std::move(wide_functions)), sizes_(plan.domains.size() + 1, 0), domains_(plan.domains),
        n_items_of_steps_(plan.steps.size(), 0) {
    sizes_.back() = n_samples;
  }

  // What a stage needs of the host's and the device's memory; nothing of either where its elements are
  // too many.
  struct Need {
    u64 host_bytes, device_bytes;
  };
  Need begin(u32 number) {
    stage_ = &plan_.stages.at(number);
    const u32 first = stage_->first_other, n_members = stage_->end_other - first;
    ends_.assign(1, 0);
    for (u32 k = 0; k < n_members; k++) ends_.push_back(ends_.back() + sizes_[plan_.sizes[first + k]]);
    n_asked_ = ends_.back() - ends_[stage_->first_site - first];
    u64 most = n_asked_, most_of_nodes = 0;
    for (u32 k = stage_->first_step; k < stage_->end_step; k++) {
      const PlanStep& step = plan_.steps[k];
      most = max_of(most, n_of_others(step));
      most_of_nodes = max_of(most_of_nodes, n_of_nodes(step));
    }
    if (most + most_of_nodes > settings_.max_elements) return {0, 0};
    if (!stage_->makes_domains) n_asked_ = 0;
    n_bounds_ = n_asked_ ? stage_->end_other - stage_->first_site + 1 : 0;
    steps_at_ = aligned(4 * ((u64)n_members + n_bounds_));
    sent_bytes_ = steps_at_ + n_steps() * sizeof(Step);
    found_at_ = sent_bytes_ + domains_.size() * sizeof(FlatDomain);
    frames_at_ = sent_bytes_;
    counts_at_ = frames_at_ + 8 * n_asked_;
    firsts_at_ = counts_at_ + 4 * n_asked_;
    return {found_at_ + 4 * n_bounds_, firsts_at_ + 4 * (n_asked_ + 1)};
  }

  // Sends what the stage's kernels need; the memory must stay until they are done.
  int send(char* host, u64 device) {
    host_ = host;
    device_ = device;
    write_numbers();
    Step* steps = (Step*)(host + steps_at_);
    for (u32 k = stage_->first_step; k < stage_->end_step; k++)
      steps[k - stage_->first_step] = step_words(plan_.steps[k], k);
    void* stream = (void*)places_.streams[0];
    int status = driver_.copy(device, host, sent_bytes_, stream);
    if (!n_asked_ || status) return status;
    place_domains();
    const u64 domain_bytes = domains_.size() * sizeof(FlatDomain);
    std::memcpy(host + sent_bytes_, (const void*)domains_.data(), domain_bytes);
    status = driver_.copy(places_.domains, host + sent_bytes_, domain_bytes, stream);
    return status ? status : driver_.fill(device + counts_at_, 0, 4 * n_asked_, stream);
  }

  // Starts steps of the stage, level by level, those of a level side by side on several streams; the
  // first stream goes on when all are done.
  int start(u32 first_step, u32 end_step) const {
    std::vector<u32> order;
    for (u32 k = first_step; k < end_step; k++)
      if (n_items_of_steps_.at(k)) order.push_back(k);
    const auto level = [&](u32 k) { return plan_.steps[k].level; };
    std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return level(a) < level(b); });
    const u64 n_streams = places_.streams.size();
    void* main = (void*)places_.streams[0];
    int status = 0;
    for (u64 first = 0, end; first < order.size() && !status; first = end) {
      for (end = first; end < order.size() && level(order[end]) == level(order[first]);) end++;
      const u64 n_used = min_of<u64>(end - first, n_streams);
      if (n_used > 1) status = driver_.record((void*)places_.events[0], main);
      for (u64 s = 1; s < n_used && !status; s++)
        status = driver_.wait((void*)places_.streams[s], (void*)places_.events[0], 0);
      for (u64 at = first; at < end && !status; at++) status = start_step(order[at], (at - first) % n_streams);
      for (u64 s = 1; s < n_used && !status; s++) {
        status = driver_.record((void*)places_.events[s], (void*)places_.streams[s]);
        if (!status) status = driver_.wait(main, (void*)places_.events[s], 0);
      }
    }
    return status;
  }

  // Whether the stage's kernels must be waited for, so that `read_sizes` finds what they counted.
  bool counts() const { return n_asked_ > 0; }
  int start_counting() const {
    void* stream = (void*)places_.streams[0];
    u64 firsts = device_ + firsts_at_, counted[] = {device_ + counts_at_, firsts, n_asked_, 0};
    const u64 n_parts = (n_asked_ + COUNTS_A_THREAD * COUNT_THREADS - 1) / (COUNTS_A_THREAD * COUNT_THREADS);
    const int status = launch(settings_.add_counts, n_parts, COUNT_THREADS, stream, counted);
    const u64 bounds_at = device_ + 4 * (u64)(stage_->end_other - stage_->first_other);
    u64 picked[] = {firsts, bounds_at, (u64)(host_ + found_at_), n_bounds_};
    return status ? status : launch(settings_.pick, (n_bounds_ + 255) / 256, 256, stream, picked);
  }
  void read_sizes() {
    const u32* found = (const u32*)(host_ + found_at_);
    for (u32 k = stage_->first_site; k < stage_->end_other; k++) {
      const i32 made = plan_.made_domains[k];
      if (made >= 0) sizes_[made] = found[k - stage_->first_site + 1] - found[k - stage_->first_site];
    }
  }

  // A kernel of no step of the plan, which is given a step of its own; `wide`: that for wide lanes, 0 for none.
  int start_one(u64 function, u64 wide, u64 nodes, u64 n_nodes, u64 n_items, char* host, u64 device) {
    Step step = new_step(plan_.steps.size() + n_others_started_++, n_items);
    step.nodes = (const u32*)nodes;
    step.n_nodes = (u32)n_nodes;
    std::memcpy(host, (const void*)&step, sizeof(step));
    void* stream = (void*)places_.streams[0];
    const int status = driver_.copy(device, host, sizeof(step), stream);
    return status ? status : start_kernels(function, wide, n_items, 0, device);
  }

  u64 n_items(u32 step) const { return n_items_of_steps_.at(step); }

  // How `run` ended, beside 0 and the driver's statuses.
  static constexpr int TOO_MANY = -1, LACKS_MEMORY = -2, STOPPED = -3;

  // All stages that were not run yet, each as soon as the sizes are known that it needs; goes_on() is
  // asked now and then. What lacks memory goes on when there is as much as `lacking` says.
  template <class GoesOn>
  int run(GoesOn goes_on) {
    for (; next_ < plan_.stages.size(); next_++) {
      const Need need = begin(next_);
      if (!need.host_bytes) return TOO_MANY;
      if (need.host_bytes > host_left_ || need.device_bytes > device_left_) {
        lacking = need;
        return LACKS_MEMORY;
      }
      int status = send(host_next_, device_next_);
      take(need);
      if (!status) status = start(stage_->first_step, stage_->end_step);
      if (!status && counts()) {
        status = start_counting();
        if (!status) status = wait(goes_on);
        if (!status) read_sizes();
      }
      if (status) return status;
    }
    return 0;
  }
  Need lacking = {0, 0};
  // Memory for the next stages.
  void give_memory(char* host, u64 host_bytes, u64 device, u64 device_bytes) {
    host_next_ = host;
    host_left_ = host_bytes;
    device_next_ = device;
    device_left_ = device_bytes;
  }

  // Until all is done that was started.
  template <class GoesOn>
  int wait(GoesOn goes_on) const {
    typedef std::chrono::steady_clock Clock;
    void* done = (void*)places_.events.back();
    int status = driver_.record(done, (void*)places_.streams[0]);
    const auto began = Clock::now();
    auto asked = began;
    while (!status && (status = driver_.query(done)) == NOT_READY) {
      status = 0;
      const auto now = Clock::now();
      // Most stages take less than two milliseconds; and sleeping takes longer than it is asked to.
      if (now - began > std::chrono::milliseconds(2)) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      } else {
        std::this_thread::yield();
      }
      if (now - asked < std::chrono::milliseconds(20)) continue;
      asked = now;
      if (!goes_on()) return STOPPED;
    }
    return status;
  }

 private:
  const Plan& plan_;
  Driver driver_;
  DeviceSettings settings_;
  DevicePlaces places_;
  std::vector<u64> functions_, wide_functions_;
  std::vector<u64> sizes_;  // elements of each domain, then the samples
  std::vector<FlatDomain> domains_;
  std::vector<u64> n_items_of_steps_;
  u64 n_others_started_ = 0;
  u32 next_ = 0;  // stage
  char* host_next_ = nullptr;
  u64 host_left_ = 0, device_next_ = 0, device_left_ = 0;
  // Of the stage that was begun last.
  const PlanStage* stage_ = nullptr;
  std::vector<u64> ends_;  // items of its members, added up
  u64 n_asked_ = 0;        // items of sites, which count elements
  u64 n_bounds_ = 0;
  u64 steps_at_ = 0, sent_bytes_ = 0, found_at_ = 0, frames_at_ = 0, counts_at_ = 0, firsts_at_ = 0;
  char* host_ = nullptr;
  u64 device_ = 0;

  static u64 aligned(u64 n_bytes) { return (n_bytes + 255) & ~255ULL; }
  void take(const Need& need) {
    const u64 host_bytes = min_of(aligned(need.host_bytes), host_left_);
    const u64 device_bytes = min_of(aligned(need.device_bytes), device_left_);
    host_next_ += host_bytes;
    host_left_ -= host_bytes;
    device_next_ += device_bytes;
    device_left_ -= device_bytes;
  }
  u64 n_steps() const { return stage_->end_step - stage_->first_step; }
  u64 n_of_nodes(const PlanStep& step) const { return step.n_nodes * sizes_.back(); }
  u64 n_of_others(const PlanStep& step) const {
    const u32 first = step.first_other - stage_->first_other;
    return ends_[first + step.n_others] - ends_[first];
  }
  u64 n_blocks_for(u64 n_items) const {
    return min_of(settings_.n_blocks, (n_items * 32 + settings_.block - 1) / settings_.block);
  }

  void write_numbers() {
    u32* numbers = (u32*)host_;
    const u32 first = stage_->first_other, first_site = stage_->first_site - first;
    for (u32 k = stage_->first_step; k < stage_->end_step; k++) {
      const u32 at = plan_.steps[k].first_other - first;
      for (u32 m = at; m < at + plan_.steps[k].n_others; m++) numbers[m] = (u32)(ends_[m] - ends_[at]);
    }
    u32* bounds = numbers + (stage_->end_other - first);
    for (u64 k = 0; k < n_bounds_; k++) bounds[k] = (u32)(ends_[first_site + k] - ends_[first_site]);
  }

  Step new_step(u64 number, u64 n_items) const {
    Step step = {};
    step.queue = (Queue*)places_.queues + number;
    step.listed = (u32*)places_.listed + settings_.max_large * number;
    step.n_items = (u32)n_items;
    const u64 n_warps = settings_.n_blocks * settings_.block / 32;
    step.at_once = (u32)max_of<u64>(1, min_of<u64>(n_items / (4 * n_warps), 8));
    return step;
  }

  Step step_words(const PlanStep& planned, u32 number) {
    const u64 n_others = n_of_others(planned), each = settings_.elements_an_item;
    const bool alone = planned.kind() == ALONE_STEP;
    n_items_of_steps_[number] = n_of_nodes(planned) + (alone ? (n_others + each - 1) / each : n_others);
    Step step = new_step(number, n_items_of_steps_[number]);
    const u32 first = planned.first_other - stage_->first_other;
    step.nodes = (const u32*)places_.nodes + planned.first_node;
    step.others = (const u32*)places_.others + planned.first_other;
    step.starts = (const u32*)device_ + first;
    step.n_nodes = planned.n_nodes;
    step.n_others = planned.n_others;
    step.n_elements = alone ? (u32)n_others : 0;
    if (n_asked_ && planned.kind() == SITE_STEP)
      step.counts = (u32*)(device_ + counts_at_) + (ends_[first] - ends_[stage_->first_site - stage_->first_other]);
    return step;
  }

  void place_domains() {
    const u32 first = stage_->first_other;
    for (u32 k = stage_->first_site; k < stage_->end_other; k++) {
      const i32 made = plan_.made_domains[k];
      if (made < 0) continue;
      const u64 at = ends_[k - first] - ends_[stage_->first_site - first];
      domains_[made].frames = (Frame**)(device_ + frames_at_) + at;
      domains_[made].firsts = (const u32*)(device_ + firsts_at_) + at;
      domains_[made].n_rows = ends_[k - first + 1] - ends_[k - first];
    }
  }

  // A step's kernel, then that for wide lanes if there is one; `words` is where the device has the step.
  int start_kernels(u64 function, u64 wide, u64 n_items, u64 s, u64 words) const {
    void* stream = (void*)places_.streams[s];
    u64 given[] = {places_.launches[s], words, 0, 0};
    const int status = launch(function, n_blocks_for(n_items), settings_.block, stream, given);
    if (status || !wide) return status;
    return launch(wide, min_of(n_items, settings_.n_wide_blocks), settings_.wide_block, stream, given);
  }
  int start_step(u32 k, u64 s) const {
    const PlanStep& step = plan_.steps[k];
    const u64 words = device_ + steps_at_ + (k - stage_->first_step) * sizeof(Step);
    return start_kernels(functions_.at(step.kernel), wide_functions_.at(step.kernel), n_items_of_steps_[k], s, words);
  }

  int launch(u64 function, u64 n_blocks, u64 n_threads, void* stream, u64 (&given)[4]) const {
    void* parameters[] = {&given[0], &given[1], &given[2], &given[3]};
    return driver_.launch((void*)function, (unsigned)n_blocks, 1, 1, (unsigned)n_threads, 1, 1, 0, stream,
                          parameters, nullptr);
  }
};

}  // namespace arc
