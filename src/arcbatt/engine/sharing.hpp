// The samples of a run, of which threads of the CPU take a few at a time from the front and GPUs many from
// the back, until they meet.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>

#include "arcbatt/platform.hpp"

namespace arc {

// Which programs a thread is to run: all; those that no GPU runs, on samples that one has taken; those that
// a GPU should be done with by now, in case that the CPU is done with them first.
enum Which { ALL_PROGRAMS, LEFT_OUT, SPARE };
constexpr u64 NO_CHUNK = ~0ULL;

// What a thread is given: something to run; nothing yet, and it should ask again; nothing any more.
enum class Taken { UNIT, NOTHING_YET, NOTHING };

// What a thread takes: samples from one place of the order to another.
struct Unit {
  u64 first = 0, end = 0;
  Which which = ALL_PROGRAMS;
  u64 chunk = NO_CHUNK;                         // of what is spare
  const std::atomic<bool>* is_over = nullptr;  // set when a GPU is done with it first
};

class SampleQueue {
 public:
  // With `has_left_out`, threads run of what GPUs take the programs that these leave out.
  SampleQueue(u64 n_samples, bool has_left_out) : end_(n_samples), has_left_out_(has_left_out) {}

  // --- threads of the CPU ---

  // unit_end(k) is how far a thread should go that starts at k. Threads that have nothing else to do run what GPUs
  // have not finished when they should have; until then they wait here, for a little while at a time: one in
  // the middle of a long call would hold up the end of the run.
  template <class UnitEnd>
  Taken take(u64 n_threads, Unit& unit, UnitEnd unit_end) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (is_closed_) return Taken::NOTHING;
    // What only the CPU can do comes first, so that GPUs find the rest of the samples.
    for (Chunk& chunk : chunks_) {
      if (chunk.state == GIVEN_BACK && take_from(chunk.next_spare, chunk.end, n_threads, unit, unit_end))
        return set(unit, ALL_PROGRAMS);
      if (chunk.state != GIVEN_BACK && has_left_out_ &&
          take_from(chunk.next_left_out, chunk.end, n_threads, unit, unit_end))
        return set(unit, LEFT_OUT);
    }
    if (take_from(first_, end_, n_threads, unit, unit_end)) return set(unit, ALL_PROGRAMS);
    const Time now = Clock::now();
    Time next = Time::max();
    for (u64 c = 0; c < chunks_.size(); c++) {
      Chunk& chunk = chunks_[c];
      if (chunk.state != LENT || chunk.next_spare >= chunk.end) continue;
      if (chunk.due > now) {
        next = min_of(next, chunk.due);
        continue;
      }
      unit.first = chunk.next_spare++;
      unit.end = unit.first + 1;
      return set(unit, SPARE, c, &chunk.is_over);
    }
    if (next == Time::max()) return Taken::NOTHING;
    changed_.wait_until(lock, min_of<Time>(next, now + MOST_WAITED));
    return Taken::NOTHING_YET;
  }
  void note_done(const Unit& unit) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (unit.which == ALL_PROGRAMS) n_done_ += unit.end - unit.first;
    if (unit.which == LEFT_OUT) n_left_out_done_ += unit.end - unit.first;
    if (unit.which != SPARE) {
      done_s_ = std::chrono::duration<double>(Clock::now() - began_).count();
      return;
    }
    Chunk& chunk = chunks_[unit.chunk];
    chunk.n_spare += unit.end - unit.first;
    if (chunk.state == LENT && chunk.n_spare == chunk.end - chunk.first) chunk.state = OVERTAKEN;
  }

  // --- GPUs ---

  // Lends up to so many samples, which are due after so many seconds, or never; returns the chunk's number, or
  // NO_CHUNK when nothing is left.
  u64 lend(u64 n, double due_s) {
    std::lock_guard<std::mutex> lock(mutex_);
    const u64 given = min_of(n, end_ - first_);
    if (!given) return NO_CHUNK;
    end_ -= given;
    const std::chrono::duration<double> after(due_s);
    const bool is_due = after < std::chrono::hours(1000);
    const Time due = is_due ? Clock::now() + std::chrono::duration_cast<Clock::duration>(after) : Time::max();
    chunks_.emplace_back(end_, end_ + given, due);
    return chunks_.size() - 1;
  }
  std::pair<u64, u64> range_of(u64 chunk) {
    std::lock_guard<std::mutex> lock(mutex_);
    return {find(chunk).first, find(chunk).end};
  }
  // Whether the GPU's results are wanted: false if the CPU was done first.
  bool finish(u64 chunk) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (find(chunk).state != LENT) return false;
    find(chunk).state = FINISHED;
    find(chunk).is_over = true;
    changed_.notify_all();
    return true;
  }
  // What a GPU could not run; it is lost to threads that have ended.
  void give_back(u64 chunk) {
    std::lock_guard<std::mutex> lock(mutex_);
    Chunk& given = find(chunk);
    if (given.state != LENT) return;
    given.state = GIVEN_BACK;
    given.is_over = true;
    given.next_spare = given.first;
    changed_.notify_all();
  }
  bool is_overtaken(u64 chunk) {
    std::lock_guard<std::mutex> lock(mutex_);
    return is_closed_ || find(chunk).state == OVERTAKEN;
  }
  u64 n_left() {
    std::lock_guard<std::mutex> lock(mutex_);
    return end_ - first_;
  }
  u64 n_done() {
    std::lock_guard<std::mutex> lock(mutex_);
    return n_done_;
  }
  u64 n_left_out_done() {
    std::lock_guard<std::mutex> lock(mutex_);
    return n_left_out_done_;
  }
  // From the beginning until threads were done with the last of both.
  double done_s() {
    std::lock_guard<std::mutex> lock(mutex_);
    return done_s_;
  }
  // Takes all that is left away: the run is given up.
  void close() {
    std::lock_guard<std::mutex> lock(mutex_);
    is_closed_ = true;
    first_ = end_;
    changed_.notify_all();
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;
  // So often a thread that waits looks whether the run was interrupted.
  static constexpr std::chrono::milliseconds MOST_WAITED{10};
  enum State { LENT, FINISHED, OVERTAKEN, GIVEN_BACK };
  struct Chunk {
    u64 first, end;
    Time due;
    u64 next_left_out, next_spare;
    u64 n_spare = 0;  // samples that the CPU is done with
    State state = LENT;
    std::atomic<bool> is_over{false};

    Chunk(u64 first, u64 end, Time due)
        : first(first), end(end), due(due), next_left_out(first), next_spare(first) {}
  };
  std::mutex mutex_;
  std::condition_variable changed_;  // what threads wait for
  std::deque<Chunk> chunks_;  // which stay where they are
  u64 first_ = 0, end_;  // what nobody has taken
  u64 n_done_ = 0;       // samples of which threads have run all programs
  u64 n_left_out_done_ = 0;  // those that no GPU runs, alone
  double done_s_ = 0;
  Time began_ = Clock::now();
  bool has_left_out_, is_closed_ = false;

  static Taken set(Unit& unit, Which which, u64 chunk = NO_CHUNK, const std::atomic<bool>* is_over = nullptr) {
    unit.which = which;
    unit.chunk = chunk;
    unit.is_over = is_over;
    return Taken::UNIT;
  }
  // A thread takes what belongs together, but the less the nearer the end is: all should end together.
  template <class UnitEnd>
  static bool take_from(u64& next, u64 end, u64 n_threads, Unit& unit, UnitEnd unit_end) {
    if (next >= end) return false;
    const u64 share = max_of<u64>(1, (end - next) / (2 * n_threads));
    unit.first = next;
    unit.end = next = min_of(min_of<u64>(unit_end(next), end), next + share);
    return true;
  }
  Chunk& find(u64 chunk) {
    if (chunk >= chunks_.size()) throw std::invalid_argument("no such chunk");
    return chunks_[chunk];
  }
};

}  // namespace arc
