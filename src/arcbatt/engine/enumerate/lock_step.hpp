// The walk: the same moves on all examples in lock step. What it finds are tuples, one value for each
// example, each tuple once; a tuple is a program, and what gave it is its text.
#pragma once
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "bank.hpp"

namespace arc {

constexpr u32 NO_PARENT = ~0u;
// Of the tuples of one depth, from two moves on, so many are kept to be taken two moves further.
constexpr u32 BEAM = 500;

struct Tuple {
  u32 parent;  // NO_PARENT: it is a source
  u16 move;    // of a source: its number
  u8 depth;
  bool is_list;
};

// The time that this thread has had, whoever else ran beside it.
inline double thread_s() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Time and memory are looked at whenever so much work was done (`LockStep::is_spent`): a few
// milliseconds, and 10 MiB at most.
constexpr u64 WORK_A_LOOK = 4096;

// What a search may spend, and whether it has.
struct Spending {
  u64 max_applications = ~0ULL;
  u64 max_bytes = ~0ULL;
  double max_s = 1e9;
  const std::atomic<bool>* stop = nullptr;

  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  double elapsed_s() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  bool is_out_of_time() const { return (stop && stop->load(std::memory_order_relaxed)) || elapsed_s() > max_s; }
};

// A way to a value: the number of a source, then moves.
typedef std::vector<u16> Path;

// Whether a move takes pictures, or lists; what takes pictures and no size is done to all of a list.
inline bool takes(const Move& move, bool is_list) {
  const bool takes_list = move.shape == Shape::L_TO_P || move.shape == Shape::L_TO_L;
  if (!is_list) return !takes_list;
  return takes_list || (move.shape == Shape::P_TO_P && move.takes == Takes::NOTHING);
}

class LockStep {
 public:
  std::vector<Bank>& banks;
  Workspace& workspace;
  std::vector<Tuple> tuples;
  std::vector<u32> ids;  // of tuple t: banks.size() of them from t * banks.size() on
  u64 n_merged = 0;      // tuples that were there before
  u64 n_refused = 0;     // moves that not all examples took
  bool was_cut = false;  // the walk ended because the spending was out
  bool was_narrowed = false;  // not all tuples were taken further

  LockStep(std::vector<Bank>& banks, Workspace& workspace)
      : banks(banks), workspace(workspace), seen_(workspace) {}

  const u32* ids_of(u32 tuple) const { return ids.data() + (u64)tuple * banks.size(); }
  Pic picture(u32 tuple, u32 example) const { return banks[example].picture(ids_of(tuple)[example]); }

  // Begins to fetch a tuple: first the numbers of its values, then what is known of them, then the values.
  void prefetch_ids(u32 tuple) const { __builtin_prefetch(ids_of(tuple)); }
  void prefetch_headers(u32 tuple) const {
    for (u32 e = 0; e < banks.size(); e++) banks[e].prefetch_header(ids_of(tuple)[e]);
  }
  void prefetch_values(u32 tuple) const {
    for (u32 e = 0; e < banks.size(); e++) banks[e].prefetch(ids_of(tuple)[e]);
  }

  void clear() {
    tuples.clear();
    ids.clear();
    seen_ = HashTable(workspace);
  }
  void add_source(const u32* source_ids, u16 number, u8 depth) {
    add(source_ids, {NO_PARENT, number, depth, banks[0].is_list(source_ids[0])});
  }

  // Takes every tuple below a depth one move further, by all the enabled moves; of those that are two
  // moves deep or more only the BEAM best by `promise`. With `further` moves to come after these, lists
  // are made too that only those can do something with.
  template <class Promise>
  void run(u8 max_depth, u8 further, const std::vector<u8>& enabled, const Spending& spending, const Promise& promise) {
    std::vector<u32> next(banks.size());
    std::vector<u16> moves[2];  // those that take pictures, lists
    for (u32 s = 0; s < N_MOVES; s++)
      for (bool is_list : {false, true})
        if (enabled[s] && takes(ALL_MOVES[s], is_list)) moves[is_list].push_back((u16)s);
    for (u8 depth = 0; depth < max_depth; depth++) {
      std::vector<u32> order = tuples_at(depth);
      if (depth > 1 && order.size() > BEAM) narrow(order, promise);
      for (u32 t : order) {
        if (n_applications() >= spending.max_applications) {
          was_cut = true;
          return;
        }
        const bool is_list = tuples[t].is_list;
        for (u16 s : moves[is_list]) {
          // A list is of no use unless one more move can be done with it.
          if (ALL_MOVES[s].shape == Shape::P_TO_L && depth + 2 > max_depth + further) continue;
          if (is_spent(spending)) {
            was_cut = true;
            return;
          }
          extend(t, s, next.data());
        }
      }
    }
  }
  std::vector<u32> tuples_at(u8 depth) const {
    std::vector<u32> found;
    for (u32 t = 0; t < tuples.size(); t++)
      if (tuples[t].depth == depth) found.push_back(t);
    return found;
  }
  Path path_of(u32 tuple) const {
    Path path;
    for (; tuple != NO_PARENT; tuple = tuples[tuple].parent) path.push_back(tuples[tuple].move);
    std::reverse(path.begin(), path.end());
    return path;
  }
  // Takes a tuple one move further, unless an example refuses the move or the result is known.
  void extend(u32 tuple, u16 move, u32* next) {
    const u8 depth = (u8)(tuples[tuple].depth + 1);
    for (u32 e = 0; e < banks.size(); e++) {
      const u32 id = ids_of(tuple)[e], n_before = banks[e].n_entries();
      next[e] = banks[e].apply(id, move, depth);
      work_ += 1 + banks[e].n_items(id) + banks[e].n_entries() - n_before;
      if (next[e] == REFUSED) {
        n_refused++;
        return;
      }
    }
    add(next, {tuple, move, depth, banks[0].is_list(next[0])});
  }

  // Whether time or memory is out, which is looked at now and then. Work is counted in values: a move
  // on a list is one on each of its pictures, and each new value takes memory.
  bool is_spent(const Spending& spending) {
    if (work_ < WORK_A_LOOK) return false;
    work_ = 0;
    return bytes() > spending.max_bytes || spending.is_out_of_time();
  }

  void add_work(u64 more) { work_ += more; }

  u64 n_applications() const { return workspace.n_applications; }
  u64 bytes() const { return ids.capacity() * sizeof(u32) + tuples.capacity() * sizeof(Tuple) + workspace.bytes(); }

 private:
  HashTable seen_;
  u64 work_ = WORK_A_LOOK;  // since the last look; the first is at once

  template <class Promise>
  void narrow(std::vector<u32>& order, const Promise& promise) {
    std::vector<std::pair<float, u32>> promising;
    for (u32 t : order) promising.push_back({-promise(t), t});
    std::partial_sort(promising.begin(), promising.begin() + BEAM, promising.end());
    for (u32 k = 0; k < BEAM; k++) order[k] = promising[k].second;
    order.resize(BEAM);
    was_narrowed = true;
  }
  void add(const u32* tuple_ids, const Tuple& tuple) {
    const u32 number = (u32)tuples.size();
    if (tuple.parent != NO_PARENT) {
      // All its values were found on shorter ways, though maybe each on another one, so that tuples are
      // lost which nothing else gives: at depth 2 mostly 2 to 13 % of the distinct ones, at depth 3 mostly
      // 3 to 22 %. As pieces they would fit more demos by chance than by rule: with them 164 of the 400
      // training tasks are solved, without them 168.
      bool is_late = true;
      for (u32 e = 0; e < banks.size() && is_late; e++) is_late = banks[e].depth(tuple_ids[e]) < tuple.depth;
      if (is_late) {
        n_merged++;
        return;
      }
    }
    const u64 hash = hash_bytes(tuple_ids, banks.size() * sizeof(u32), HASH_K1);
    if (seen_.find_or_add(hash, number) != number) {
      n_merged++;
      return;
    }
    ids.insert(ids.end(), tuple_ids, tuple_ids + banks.size());
    tuples.push_back(tuple);
  }
};

}  // namespace arc
