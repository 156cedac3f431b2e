// The order in which the last move is taken, by far the most work, which may be cut off and go on later:
// the likeliest pairs of a tuple and a move first.
#pragma once
#include "last_depth.hpp"
#include "promise.hpp"

namespace arc {

// The last move is taken by rounds, each of which goes so far down in likelihood; a tuple that shows all
// of the outputs counts so much more than a blank one.
constexpr i32 TENTHS_A_ROUND = 10, TENTHS_SHOWN = 1000;
// What is taken further so many tuples later is fetched already, in three steps.
constexpr u32 PARENTS_AHEAD = 3;

class LastMoves {
 public:
  LastMoves(LockStep& walk, LastDepth& last, const Promise& promise, u32 n_demos, u8 depth)
      : walk_(walk), last_(last), n_demos_(n_demos), priors_(last.moves()) {
    for (u32 t : walk.tuples_at(depth)) parents_.push_back(parent_of(t, depth, promise));
    std::stable_sort(parents_.begin(), parents_.end(),
                     [](const Parent& a, const Parent& b) { return a.tenths < b.tenths; });
    for (Parent& parent : parents_) {
      find_next(parent);
      n_left_ += parent.next_cost != NO_MORE;
    }
    if (!parents_.empty()) most_ = parents_[0].tenths;
  }

  // Makes pieces from where it ended last; false where the spending is out before all moves are taken.
  bool run(const Spending& spending, Pieces& pieces) {
    for (; n_left_; most_ += TENTHS_A_ROUND, at_ = 0)
      for (; at_ < parents_.size() && parents_[at_].tenths <= most_; at_++) {
        Parent& parent = parents_[at_];
        prefetch();
        if (parent.next_cost > most_) continue;
        for (; parent.next_cost <= most_; find_next(parent)) {
          if (walk_.n_applications() >= spending.max_applications || pieces.was_cut || walk_.is_spent(spending))
            return false;
          last_.extend(parent.tuple, priors_.after(parent.last_move, parent.is_list)[parent.next++], pieces);
        }
        n_left_ -= parent.next_cost == NO_MORE;
      }
    return true;
  }
  u64 bytes() const { return parents_.capacity() * sizeof(Parent); }

 private:
  // A tuple that is to be taken one move further.
  struct Parent {
    u32 tuple;
    i32 tenths;     // what it costs: the less, the more it shows of the outputs
    i32 next_cost;  // of it and its next move
    u32 next;       // of the moves that come after its last one
    u16 last_move, colors;
    bool is_list;
  };
  static constexpr i32 NO_MORE = 0x7fffffff;

  LockStep& walk_;
  LastDepth& last_;
  u32 n_demos_;
  Priors priors_;
  std::vector<Parent> parents_;
  u64 n_left_ = 0;  // parents that there are moves for
  // Where it is: how far down this round goes, and the parent in it.
  i32 most_ = 0;
  u64 at_ = 0;

  Parent parent_of(u32 tuple, u8 depth, const Promise& promise) const {
    const Tuple& of = walk_.tuples[tuple];
    Parent parent = {tuple, 0, 0, 0, of.parent == NO_PARENT ? NO_MOVE : of.move, 0, of.is_list};
    if (depth > 1) parent.tenths = -(i32)(TENTHS_SHOWN * promise(tuple) / (float)n_demos_);
    if (of.is_list) parent.colors = 0x3ff;
    for (u32 d = 0; d < n_demos_ && !of.is_list; d++) {
      const Pic picture = walk_.picture(tuple, d);
      for (i64 k = 0; k < picture.area(); k++) parent.colors |= (u16)(1u << picture.cells[k]);
    }
    return parent;
  }
  void prefetch() const {
    const auto is_next = [&](u32 ahead) {
      return at_ + ahead < parents_.size() && parents_[at_ + ahead].next_cost <= most_;
    };
    if (is_next(3 * PARENTS_AHEAD)) walk_.prefetch_ids(parents_[at_ + 3 * PARENTS_AHEAD].tuple);
    if (is_next(2 * PARENTS_AHEAD)) walk_.prefetch_headers(parents_[at_ + 2 * PARENTS_AHEAD].tuple);
    if (is_next(PARENTS_AHEAD)) walk_.prefetch_values(parents_[at_ + PARENTS_AHEAD].tuple);
  }
  // Finds the next move after those that a parent was taken further by.
  void find_next(Parent& parent) const {
    const std::vector<u16>& moves = priors_.after(parent.last_move, parent.is_list);
    for (; parent.next < moves.size(); parent.next++) {
      const u16 move = moves[parent.next];
      // A colour that is nowhere is kept as a blank, which `slab` gives, or dropped without effect.
      const i8 color = ALL_MOVES[move].color;
      if (color >= 0 && !(parent.colors >> color & 1)) continue;
      parent.next_cost = parent.tenths + (i32)priors_.tenths(parent.last_move, move);
      return;
    }
    parent.next_cost = NO_MORE;
  }
};

}  // namespace arc
