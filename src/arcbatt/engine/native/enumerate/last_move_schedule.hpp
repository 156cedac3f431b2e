// The order of the last moves, which are by far the most work: the likeliest pairs of a tuple and a move
// come first. The budget may end the schedule, and a later run resumes it.
#pragma once
#include "last_depth.hpp"
#include "tuple_score.hpp"

namespace arc {

// Costs are in tenths of a bit. Each round raises the cost limit by COST_PER_ROUND. A tuple that shows all of
// the outputs costs SHOWN_CREDIT less than a blank one.
constexpr i32 COST_PER_ROUND = 10, SHOWN_CREDIT = 1000;
// The tuples between one prefetching step and the next.
constexpr u32 PREFETCH_DISTANCE = 3;

class LastMoveSchedule {
 public:
  LastMoveSchedule(TupleWalk& walk, LastDepth& last, const TupleScore& score, u32 n_demos, u8 depth)
      : walk_(walk), last_(last), n_demos_(n_demos), priors_(last.moves()) {
    for (u32 t : walk.tuples_at(depth)) parents_.push_back(parent_of(t, depth, score));
    std::stable_sort(parents_.begin(), parents_.end(),
                     [](const Parent& a, const Parent& b) { return a.cost < b.cost; });
    for (Parent& parent : parents_) {
      find_next(parent);
      n_left_ += parent.next_cost != NO_MORE;
    }
    if (!parents_.empty()) max_cost_ = parents_[0].cost;
  }

  // Resumes the schedule; returns false if the budget ends it before all moves are applied.
  bool run(const SearchBudget& budget, Pieces& pieces) {
    for (; n_left_; max_cost_ += COST_PER_ROUND, index_ = 0)
      for (; index_ < parents_.size() && parents_[index_].cost <= max_cost_; index_++) {
        Parent& parent = parents_[index_];
        prefetch();
        if (parent.next_cost > max_cost_) continue;
        for (; parent.next_cost <= max_cost_; find_next(parent)) {
          if (walk_.n_applications() >= budget.max_applications || pieces.was_cut || walk_.is_over_budget(budget))
            return false;
          last_.extend(parent.tuple, priors_.after(parent.last_move, parent.is_list)[parent.next++], pieces);
        }
        n_left_ -= parent.next_cost == NO_MORE;
      }
    return true;
  }
  u64 bytes() const { return parents_.capacity() * sizeof(Parent); }

 private:
  // A tuple to extend by one move.
  struct Parent {
    u32 tuple;
    i32 cost;       // lower if it shows more of the outputs
    i32 next_cost;  // of it and its next move
    u32 next;       // index among the moves after its last one
    u16 last_move, colors;
    bool is_list;
  };
  static constexpr i32 NO_MORE = 0x7fffffff;

  TupleWalk& walk_;
  LastDepth& last_;
  u32 n_demos_;
  Priors priors_;
  std::vector<Parent> parents_;
  u64 n_left_ = 0;    // parents with moves left
  i32 max_cost_ = 0;  // of the current round
  u64 index_ = 0;     // of the current parent

  Parent parent_of(u32 tuple, u8 depth, const TupleScore& score) const {
    const Tuple& of = walk_.tuples[tuple];
    Parent parent = {tuple, 0, 0, 0, of.parent == NO_PARENT ? NO_MOVE : of.move, 0, of.is_list};
    if (depth > 1) parent.cost = -(i32)(SHOWN_CREDIT * score(tuple) / (float)n_demos_);
    if (of.is_list) parent.colors = 0x3ff;
    for (u32 d = 0; d < n_demos_ && !of.is_list; d++) {
      const Pic picture = walk_.picture(tuple, d);
      for (i64 k = 0; k < picture.area(); k++) parent.colors |= (u16)(1u << picture.cells[k]);
    }
    return parent;
  }
  void prefetch() const {
    const auto is_next = [&](u32 ahead) {
      return index_ + ahead < parents_.size() && parents_[index_ + ahead].next_cost <= max_cost_;
    };
    if (is_next(3 * PREFETCH_DISTANCE)) walk_.prefetch_ids(parents_[index_ + 3 * PREFETCH_DISTANCE].tuple);
    if (is_next(2 * PREFETCH_DISTANCE)) walk_.prefetch_headers(parents_[index_ + 2 * PREFETCH_DISTANCE].tuple);
    if (is_next(PREFETCH_DISTANCE)) walk_.prefetch_values(parents_[index_ + PREFETCH_DISTANCE].tuple);
  }
  // Finds the next move of a parent.
  void find_next(Parent& parent) const {
    const std::vector<u16>& moves = priors_.after(parent.last_move, parent.is_list);
    for (; parent.next < moves.size(); parent.next++) {
      const u16 move = moves[parent.next];
      // Keeping an absent color gives a blank, as `slab` does; dropping it has no effect.
      const i8 color = ALL_MOVES[move].color;
      if (color >= 0 && !(parent.colors >> color & 1)) continue;
      parent.next_cost = parent.cost + (i32)priors_.cost(parent.last_move, move);
      return;
    }
    parent.next_cost = NO_MORE;
  }
};

}  // namespace arc
