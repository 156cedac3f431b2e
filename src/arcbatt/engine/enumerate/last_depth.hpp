// The last depth of a walk: by far the most of it. What moves give there is made a piece of at once, or
// nothing; no value of it is kept, and the few that win are computed again.
#pragma once
#include "pieces.hpp"

namespace arc {

class LastDepth {
 public:
  u64 n_merged = 0;   // lists that were there before
  u64 n_refused = 0;  // moves that not all examples took

  LastDepth(LockStep& walk, const std::vector<u8>& enabled, u32 n_demos)
      : walk_(walk), n_demos_(n_demos), pictures_(walk.banks.size()), lists_of_(walk.banks.size()),
        lists_(walk.workspace) {
    for (u32 s = 0; s < N_MOVES; s++) {
      if (!enabled[s] || ALL_MOVES[s].shape == Shape::P_TO_L) continue;
      for (bool is_list : {false, true})
        if (takes(ALL_MOVES[s], is_list)) moves_[is_list].push_back((u16)s);
      if (!std::strcmp(ALL_MOVES[s].primitive, "heap_up")) heap_ = (u16)s;
    }
  }

  // The moves that take pictures, and those that take lists.
  const std::vector<u16> (&moves() const)[2] { return moves_; }

  // Makes pieces of what a move gives on a tuple.
  void extend(u32 tuple, u16 move, Pieces& pieces) {
    const bool is_heaped = gives_list(tuple, move);
    walk_.workspace.reset_given();
    if (is_heaped) {
      if (!make_lists(tuple, move, 0, n_demos_)) {
        n_refused++;
        return;
      }
      // In the tests such lists may differ, but pieces that paint the same in all demos are one.
      const u32 number = (u32)lists_.size();
      if (lists_.find_or_add(hash_of_lists(move), number) != number) {
        walk_.workspace.n_applications += n_demos_;  // of what puts them together
        n_merged++;
        return;
      }
    }
    if (is_heaped ? !heap_up(0, n_demos_, pictures_.data()) : !give(tuple, move, 0, n_demos_, pictures_.data())) {
      n_refused++;
      return;
    }
    const u8 depth = (u8)(depth_after(tuple) + is_heaped);
    if (!walk_.tuples[tuple].is_list && is_itself(tuple)) {
      pieces.offer_again({tuple, move, false}, depth, pictures_.data(), *this);
      return;
    }
    // Pictures of lists that are made meanwhile may be found on shorter ways than what is put together.
    const bool is_new = is_heaped && !is_late(0, n_demos_, depth);
    pieces.offer({tuple, move, is_heaped, is_new}, depth, pictures_.data(), *this);
  }

  // The pictures of the tests of what is offered as a piece; null where a move is refused there, or where
  // all pictures were found on shorter ways (`LockStep::add`).
  const Pic* tests_of(const Origin& of, u8 depth) {
    const u32 n = (u32)pictures_.size();
    Pic* pictures = pictures_.data();
    if (!make(of, n_demos_, n, pictures + n_demos_)) return nullptr;
    if (of.move == NO_MOVE || of.is_new || !is_late(n_demos_, n, depth)) return pictures + n_demos_;
    if (of.is_heaped) return nullptr;
    const u64 n_applications = walk_.workspace.n_applications, n_told = walk_.workspace.n_told;
    bool all_late = true;
    for (u32 e = 0; e < n_demos_ && all_late; e++) {
      make_more(of, e, e + 1, pictures + e);
      all_late = is_late(e, e + 1, depth);
    }
    walk_.workspace.n_applications = n_applications;  // these are counted already
    walk_.workspace.n_told = n_told;
    return all_late ? nullptr : pictures + n_demos_;
  }

  // The pictures of some examples, which are there until the next are made; false where a move is refused.
  bool make(const Origin& of, u32 first, u32 end, Pic* pictures) {
    walk_.workspace.reset_given();
    return make_more(of, first, end, pictures);
  }

  // The moves that give what comes from an origin, from its source on.
  Path path_of(const Origin& of) const {
    Path path = walk_.path_of(of.tuple);
    if (of.move != NO_MOVE) path.push_back(of.move);
    if (of.is_heaped) path.push_back(heap_);
    return path;
  }

 private:
  LockStep& walk_;
  u32 n_demos_;
  std::vector<u16> moves_[2];  // that take pictures, lists
  u16 heap_ = NO_MOVE;         // lists that no move is left for are put together all the same
  std::vector<Pic> pictures_;
  std::vector<std::vector<u32>> lists_of_;  // by example, what a move that gives a list gave
  HashTable lists_;

  u8 depth_after(u32 tuple) const { return (u8)(walk_.tuples[tuple].depth + 1); }
  bool gives_list(u32 tuple, u16 move) const {
    return walk_.tuples[tuple].is_list && ALL_MOVES[move].shape != Shape::L_TO_P;
  }
  // The same, beside what is there.
  bool make_more(const Origin& of, u32 first, u32 end, Pic* pictures) {
    if (of.is_heaped) return make_lists(of.tuple, of.move, first, end) && heap_up(first, end, pictures);
    if (of.move != NO_MOVE) return give(of.tuple, of.move, first, end, pictures);
    for (u32 e = first; e < end; e++) pictures[e - first] = walk_.picture(of.tuple, e);
    return true;
  }
  bool give(u32 tuple, u16 move, u32 first, u32 end, Pic* pictures) {
    for (u32 e = first; e < end; e++) {
      pictures[e - first] = walk_.banks[e].give(walk_.ids_of(tuple)[e], move);
      if (pictures[e - first].failed()) return false;
    }
    walk_.add_work(end - first);
    return true;
  }
  bool make_lists(u32 tuple, u16 move, u32 first, u32 end) {
    if (heap_ == NO_MOVE) return false;
    for (u32 e = first; e < end; e++) {
      if (!walk_.banks[e].give_list(walk_.ids_of(tuple)[e], move, depth_after(tuple), lists_of_[e])) return false;
      walk_.add_work(lists_of_[e].size());
    }
    return true;
  }
  // Whether the pictures of the demos are those of a tuple.
  bool is_itself(u32 tuple) const {
    for (u32 e = 0; e < n_demos_; e++)
      if (!walk_.banks[e].is_itself(walk_.ids_of(tuple)[e], pictures_[e])) return false;
    return true;
  }
  // Of the lists of all demos, which were given by a move; those of a sift are told from others.
  u64 hash_of_lists(u16 move) const {
    u64 hash = ALL_MOVES[move].shape == Shape::L_TO_L ? HASH_K1 : HASH_K2;
    for (u32 e = 0; e < n_demos_; e++)
      hash = hash_bytes(lists_of_[e].data(), lists_of_[e].size() * sizeof(u32), hash + lists_of_[e].size());
    return hash;
  }
  bool heap_up(u32 first, u32 end, Pic* pictures) {
    for (u32 e = first; e < end; e++) {
      pictures[e - first] = walk_.banks[e].put_together(lists_of_[e], ALL_MOVES[heap_]);
      if (pictures[e - first].failed()) return false;
    }
    walk_.add_work(end - first);
    return true;
  }
  // Whether the pictures of some examples were found on shorter ways.
  bool is_late(u32 first, u32 end, u8 depth) const {
    for (u32 e = first; e < end; e++)
      if (walk_.banks[e].depth_of(pictures_[e]) >= depth) return false;
    return true;
  }
};

}  // namespace arc
