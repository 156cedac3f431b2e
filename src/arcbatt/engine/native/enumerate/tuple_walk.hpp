// The walk applies the same moves to all examples in lock step. It finds distinct tuples of one value per
// example. A tuple stands for a program: the path of moves that led to it.
#pragma once
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "bank.hpp"

namespace arc {

constexpr u32 NO_PARENT = ~0u;
// The number of tuples per depth, from two moves on, that are extended by two or more further moves.
constexpr u32 BEAM_WIDTH = 500;

struct Tuple {
  u32 parent;  // NO_PARENT: it is a source
  u16 move;    // for a source: its number
  u8 depth;
  bool is_list;
};

// Returns the CPU time of this thread.
inline double thread_s() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Time and memory are checked once per this much work (`TupleWalk::is_over_budget`), which takes a few
// milliseconds and at most 10 MiB.
constexpr u64 WORK_PER_CHECK = 4096;

// The bounds of a search.
struct SearchBudget {
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

// The path to a value: the number of a source, then moves.
typedef std::vector<u16> Path;

// Returns whether a move takes lists, or else pictures. A move on pictures without a size is applied to every
// picture of a list.
inline bool takes(const Move& move, bool is_list) {
  const bool takes_list = move.shape == Shape::L_TO_P || move.shape == Shape::L_TO_L;
  if (!is_list) return !takes_list;
  return takes_list || (move.shape == Shape::P_TO_P && move.takes == Takes::NOTHING);
}

class TupleWalk {
 public:
  std::vector<Bank>& banks;
  Workspace& workspace;
  std::vector<Tuple> tuples;
  std::vector<u32> ids;       // the values of tuple t start at t * banks.size()
  u64 n_merged = 0;           // tuples that were known
  u64 n_refused = 0;          // moves that some example refused
  bool was_cut = false;       // the budget ended the walk
  bool was_narrowed = false;  // the beam left tuples out

  TupleWalk(std::vector<Bank>& all_banks, Workspace& memory)
      : banks(all_banks), workspace(memory), seen_(memory) {}

  const u32* ids_of(u32 tuple) const { return ids.data() + (u64)tuple * banks.size(); }
  Pic picture(u32 tuple, u32 example) const { return banks[example].picture(ids_of(tuple)[example]); }

  // Prefetch a tuple in three steps: the ids of its values, their headers, the values.
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

  // Extends every tuple below a depth by all enabled moves; of those two or more moves deep only the
  // BEAM_WIDTH best by `score`. `n_later_moves` will follow: lists are made only if a move is left for them.
  template <class Score>
  void run(u8 max_depth, u8 n_later_moves, const std::vector<u8>& enabled, const SearchBudget& budget,
           const Score& score) {
    std::vector<u32> next(banks.size());
    std::vector<u16> moves[2];  // on pictures, on lists
    for (u32 s = 0; s < N_MOVES; s++)
      for (bool is_list : {false, true})
        if (enabled[s] && takes(ALL_MOVES[s], is_list)) moves[is_list].push_back((u16)s);
    for (u8 depth = 0; depth < max_depth; depth++) {
      std::vector<u32> order = tuples_at(depth);
      if (depth > 1 && order.size() > BEAM_WIDTH) narrow(order, score);
      for (u32 t : order) {
        if (n_applications() >= budget.max_applications) {
          was_cut = true;
          return;
        }
        const bool is_list = tuples[t].is_list;
        for (u16 s : moves[is_list]) {
          if (ALL_MOVES[s].shape == Shape::P_TO_L && depth + 2 > max_depth + n_later_moves) continue;
          if (is_over_budget(budget)) {
            was_cut = true;
            return;
          }
          extend(t, s, next.data());
        }
      }
    }
  }
  std::vector<u32> tuples_at(u8 depth) const {
    std::vector<u32> at_depth;
    for (u32 t = 0; t < tuples.size(); t++)
      if (tuples[t].depth == depth) at_depth.push_back(t);
    return at_depth;
  }
  Path path_of(u32 tuple) const {
    Path path;
    for (; tuple != NO_PARENT; tuple = tuples[tuple].parent) path.push_back(tuples[tuple].move);
    std::reverse(path.begin(), path.end());
    return path;
  }
  // Extends a tuple by a move, unless an example refuses the move or the result is known.
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

  // Returns whether time or memory has run out, checked once per WORK_PER_CHECK. Work is counted in values:
  // a move on a list counts once per picture, and each new value counts, since it takes memory.
  bool is_over_budget(const SearchBudget& budget) {
    if (work_ < WORK_PER_CHECK) return false;
    work_ = 0;
    workspace.count_others(own_bytes());
    return bytes() > budget.max_bytes || shared_account->is_full() || budget.is_out_of_time();
  }

  void add_work(u64 more) { work_ += more; }

  u64 n_applications() const { return workspace.n_applications; }
  u64 bytes() const { return own_bytes() + workspace.bytes(); }
  u64 own_bytes() const { return ids.capacity() * sizeof(u32) + tuples.capacity() * sizeof(Tuple); }

 private:
  HashTable seen_;
  u64 work_ = WORK_PER_CHECK;  // since the last check, so that the first comes at once

  template <class Score>
  void narrow(std::vector<u32>& order, const Score& score) {
    std::vector<std::pair<float, u32>> ranked;
    for (u32 t : order) ranked.push_back({-score(t), t});
    std::partial_sort(ranked.begin(), ranked.begin() + BEAM_WIDTH, ranked.end());
    for (u32 k = 0; k < BEAM_WIDTH; k++) order[k] = ranked[k].second;
    order.resize(BEAM_WIDTH);
    was_narrowed = true;
  }
  void add(const u32* tuple_ids, const Tuple& tuple) {
    const u32 number = (u32)tuples.size();
    if (tuple.parent != NO_PARENT) {
      // All of its values are known from shorter paths, possibly different ones, so this loses distinct
      // tuples: mostly 2 to 13 % at depth 2 and 3 to 22 % at depth 3. As pieces they would fit demos by
      // chance more often than by rule: with them 164 of the 400 training tasks are solved, without 168.
      bool all_known = true;
      for (u32 e = 0; e < banks.size() && all_known; e++) all_known = banks[e].depth(tuple_ids[e]) < tuple.depth;
      if (all_known) {
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
