// The streams of a run: the stream that a kernel is started on, and the events that it has to wait for.
//
// Everything on a stream has a position, counted from 1. A stream waits for a position of another stream by an event
// that was recorded there at that position or later; each stream has several events, used in turn. Each stream knows
// what it has waited for, directly or indirectly, so that nothing is waited for twice.
#pragma once
#include <chrono>

#include "plan.hpp"

namespace arc {

// The functions of the CUDA driver that are used, as declared for cuLaunchKernel, cuEventRecord, cuStreamWaitEvent,
// cuMemcpyHtoDAsync, cuMemsetD8Async and cuEventQuery. All return 0 or a status.
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
constexpr int NOT_READY = 600;  // status of an event that was not reached yet

typedef std::chrono::steady_clock SteadyClock;
inline double us_between(SteadyClock::time_point from, SteadyClock::time_point to) {
  return std::chrono::duration<double, std::micro>(to - from).count();
}

// A position on a stream; 0 needs no waiting.
struct StreamPlace {
  u32 stream = 0;
  u32 position = 0;
};

class Streams {
 public:
  // The last stream is for copies. All streams have the same number of events.
  Streams(const Driver& driver, const std::vector<u64>& streams, const std::vector<u64>& events)
      : driver_(driver), n_((u32)streams.size()), each_((u32)(events.size() / streams.size())) {
    for (u32 s = 0; s < n_; s++) {
      Queue queue;
      queue.stream = (void*)streams[s];
      queue.seen.assign(n_, 0);
      for (u32 k = 0; k < each_; k++) queue.marks.push_back({0, (void*)events[s * each_ + k], queue.seen});
      queues_.push_back(queue);
    }
  }

  u32 copies() const { return n_ - 1; }
  void* operator[](u32 stream) const { return queues_[stream].stream; }
  StreamPlace last(u32 stream) const { return {stream, queues_[stream].n}; }

  // Returns the stream on which a kernel that needs these places is expected to start first. Among equals, prefers a
  // stream of one of the places, then the stream that was busy last. Times are in microseconds.
  u32 choose(const std::vector<StreamPlace>& needed, double now_us, double taken_us, double& end_us) const {
    double ready_us = now_us;
    for (const StreamPlace& place : needed)
      if (!is_done(place)) ready_us = max_of(ready_us, queues_[place.stream].end_us(place.position));
    u32 best = 0;
    double best_us = 0;
    for (u32 s = 0; s < copies(); s++) {
      const double start_us = max_of(ready_us, free_us(s));
      if (s == 0 || start_us < best_us - 0.5 || (start_us < best_us + 0.5 && is_better(s, best, needed))) {
        best = s;
        best_us = start_us;
      }
    }
    end_us = best_us + taken_us;
    return best;
  }

  // Makes a stream wait until everything at these places is done.
  int wait(u32 stream, const std::vector<StreamPlace>& needed) {
    Queue& queue = queues_[stream];
    for (const StreamPlace& place : needed) {
      if (!place.position || place.stream == stream || is_done(place)) continue;
      if (queue.seen[place.stream] >= place.position) continue;
      Queue& other = queues_[place.stream];
      const Mark* mark = other.find(place.position);
      if (!mark) {
        const int status = record(place.stream);
        if (status) return status;
        mark = other.find(place.position);
      }
      const int status = driver_.wait(queue.stream, mark->event, 0);
      if (status) return status;
      for (u32 s = 0; s < n_; s++) queue.seen[s] = max_of(queue.seen[s], mark->seen[s]);
      queue.seen[place.stream] = max_of(queue.seen[place.stream], mark->position);
    }
    return 0;
  }

  // Notes new work on a stream, with its expected end.
  StreamPlace put(u32 stream, double end_us) {
    Queue& queue = queues_[stream];
    queue.n++;
    queue.ends_us.push_back(end_us);
    return last(stream);
  }
  // Records an event at the stream's end, so that others need not wait for later work.
  int record(u32 stream) {
    Queue& queue = queues_[stream];
    if (!queue.n || queue.newest().position == queue.n) return 0;
    queue.next_mark = (queue.next_mark + 1) % each_;
    Mark& mark = queue.newest();
    mark.position = queue.n;
    mark.seen = queue.seen;
    return driver_.record(mark.event, queue.stream);
  }

  // Notes that everything up to a place is done.
  void note_done(const StreamPlace& place) {
    Queue& queue = queues_[place.stream];
    queue.n_done = max_of(queue.n_done, place.position);
  }
  bool is_done(const StreamPlace& place) const { return place.position <= queues_[place.stream].n_done; }

  // Makes a stream wait for all work on the others.
  int join(u32 stream) {
    std::vector<StreamPlace> ends;
    for (u32 s = 0; s < n_; s++) ends.push_back(last(s));
    return wait(stream, ends);
  }

 private:
  struct Mark {
    u32 position;
    void* event;
    std::vector<u32> seen;  // `seen` of the stream when it was recorded
  };
  struct Queue {
    void* stream = nullptr;
    u32 n = 0, n_done = 0;       // positions
    u32 next_mark = 0;
    std::vector<Mark> marks;     // used in turn
    std::vector<u32> seen;       // by stream, the last position that was waited for
    std::vector<double> ends_us; // by position, the expected end

    Mark& newest() { return marks[next_mark]; }
    double end_us(u32 position) const { return ends_us[position - 1]; }
    // Returns the first event at this position or later, or null.
    const Mark* find(u32 position) const {
      const Mark* first = nullptr;
      for (const Mark& mark : marks)
        if (mark.position >= position && (!first || mark.position < first->position)) first = &mark;
      return first;
    }
  };
  Driver driver_;
  u32 n_, each_;
  std::vector<Queue> queues_;

  double free_us(u32 stream) const {
    const Queue& queue = queues_[stream];
    return queue.n == queue.n_done ? 0 : queue.end_us(queue.n);
  }
  bool is_better(u32 stream, u32 than, const std::vector<StreamPlace>& needed) const {
    const bool follows = is_last_of(stream, needed), other_follows = is_last_of(than, needed);
    return follows != other_follows ? follows : free_us(stream) > free_us(than);
  }
  bool is_last_of(u32 stream, const std::vector<StreamPlace>& needed) const {
    for (const StreamPlace& place : needed)
      if (place.stream == stream && place.position && place.position == queues_[stream].n) return true;
    return false;
  }
};

}  // namespace arc
