// The last depth of a walk, which is most of it. Results of moves become pieces at once or are dropped; the
// few that win are computed again.
#pragma once
#include "pieces.hpp"

namespace arc {

class LastDepth {
 public:
  u64 n_merged = 0;   // lists that were known
  u64 n_refused = 0;  // moves that some example refused

  LastDepth(TupleWalk& walk, const std::vector<u8>& enabled, u32 n_demos)
      : walk_(walk), n_demos_(n_demos), pictures_(walk.banks.size()), lists_of_(walk.banks.size()),
        lists_(walk.workspace) {
    for (u32 s = 0; s < N_MOVES; s++) {
      if (!enabled[s] || ALL_MOVES[s].shape == Shape::P_TO_L) continue;
      for (bool is_list : {false, true})
        if (takes(ALL_MOVES[s], is_list)) moves_[is_list].push_back((u16)s);
      if (ALL_MOVES[s].ends_lists) ending_ = (u16)s;
    }
  }

  // The moves on pictures, and those on lists.
  const std::vector<u16> (&moves() const)[2] { return moves_; }

  // Offers the result of a move on a tuple to `pieces`.
  template <class Offered>
  void extend(u32 tuple, u16 move, Offered& pieces) {
    const bool is_heaped = gives_list(tuple, move);
    walk_.workspace.reset_transient();
    if (is_heaped) {
      if (!compute_lists(tuple, move, 0, n_demos_)) {
        n_refused++;
        return;
      }
      // Equal lists in all demos may differ in the tests, but pieces that are equal in all demos are merged.
      const u32 number = (u32)lists_.size();
      if (lists_.find_or_add(hash_of_lists(move), number) != number) {
        walk_.workspace.n_applications += n_demos_;  // the heaping that is skipped
        n_merged++;
        return;
      }
    }
    if (is_heaped ? !end_lists(0, n_demos_, pictures_.data()) : !compute(tuple, move, 0, n_demos_, pictures_.data())) {
      n_refused++;
      return;
    }
    const u8 depth = (u8)(depth_after(tuple) + is_heaped);
    if (!walk_.tuples[tuple].is_list && is_unchanged(tuple)) {
      pieces.offer_unchanged({tuple, move, false}, depth, pictures_.data(), *this);
      return;
    }
    // Decided now: computing the items of later lists may lower the depths of known pictures.
    const bool is_new = is_heaped && !is_known_shallower(0, n_demos_, depth);
    pieces.offer({tuple, move, is_heaped, is_new}, depth, pictures_.data(), *this);
  }

  // Returns the pictures of the tests for an offered piece; null if a move is refused there, or if all
  // pictures are known from shorter paths (`TupleWalk::add`).
  const Pic* tests_of(const Origin& origin, u8 depth) {
    const u32 n = (u32)pictures_.size();
    Pic* pictures = pictures_.data();
    if (!compute(origin, n_demos_, n, pictures + n_demos_)) return nullptr;
    if (origin.move == NO_MOVE || origin.is_new || !is_known_shallower(n_demos_, n, depth)) return pictures + n_demos_;
    if (origin.is_heaped) return nullptr;
    // These applications were counted when the demos were computed first.
    const u64 n_applications = walk_.workspace.n_applications, n_predicted = walk_.workspace.n_predicted;
    bool all_known = true;
    for (u32 e = 0; e < n_demos_ && all_known; e++) {
      compute_beside(origin, e, e + 1, pictures + e);
      all_known = is_known_shallower(e, e + 1, depth);
    }
    walk_.workspace.n_applications = n_applications;
    walk_.workspace.n_predicted = n_predicted;
    return all_known ? nullptr : pictures + n_demos_;
  }

  // Computes the pictures of some examples, valid until the next call; returns false if a move is refused.
  bool compute(const Origin& origin, u32 first, u32 end, Pic* pictures) {
    walk_.workspace.reset_transient();
    return compute_beside(origin, first, end, pictures);
  }

  Path path_of(const Origin& origin) const {
    Path path = walk_.path_of(origin.tuple);
    if (origin.move != NO_MOVE) path.push_back(origin.move);
    if (origin.is_heaped) path.push_back(ending_);
    return path;
  }

 private:
  TupleWalk& walk_;
  u32 n_demos_;
  std::vector<u16> moves_[2];  // on pictures, on lists
  u16 ending_ = NO_MOVE;       // an extra move that turns lists of the last depth into pictures
  std::vector<Pic> pictures_;
  std::vector<std::vector<u32>> lists_of_;  // by example, the pictures of a list
  HashTable lists_;

  u8 depth_after(u32 tuple) const { return (u8)(walk_.tuples[tuple].depth + 1); }
  bool gives_list(u32 tuple, u16 move) const {
    return walk_.tuples[tuple].is_list && ALL_MOVES[move].shape != Shape::L_TO_P;
  }
  // Computes pictures without freeing those computed before.
  bool compute_beside(const Origin& origin, u32 first, u32 end, Pic* pictures) {
    if (origin.is_heaped)
      return compute_lists(origin.tuple, origin.move, first, end) && end_lists(first, end, pictures);
    if (origin.move != NO_MOVE) return compute(origin.tuple, origin.move, first, end, pictures);
    for (u32 e = first; e < end; e++) pictures[e - first] = walk_.picture(origin.tuple, e);
    return true;
  }
  bool compute(u32 tuple, u16 move, u32 first, u32 end, Pic* pictures) {
    for (u32 e = first; e < end; e++) {
      pictures[e - first] = walk_.banks[e].compute(walk_.ids_of(tuple)[e], move);
      if (pictures[e - first].failed()) return false;
    }
    walk_.add_work(end - first);
    return true;
  }
  bool compute_lists(u32 tuple, u16 move, u32 first, u32 end) {
    if (ending_ == NO_MOVE) return false;
    for (u32 e = first; e < end; e++) {
      if (!walk_.banks[e].compute_list(walk_.ids_of(tuple)[e], move, depth_after(tuple), lists_of_[e])) return false;
      walk_.add_work(lists_of_[e].size());
    }
    return true;
  }
  bool end_lists(u32 first, u32 end, Pic* pictures) {
    for (u32 e = first; e < end; e++) {
      pictures[e - first] = walk_.banks[e].compute_from_items(lists_of_[e], ALL_MOVES[ending_]);
      if (pictures[e - first].failed()) return false;
    }
    walk_.add_work(end - first);
    return true;
  }
  // Returns whether the pictures of the demos are those of a tuple.
  bool is_unchanged(u32 tuple) const {
    for (u32 e = 0; e < n_demos_; e++)
      if (!walk_.banks[e].is_itself(walk_.ids_of(tuple)[e], pictures_[e])) return false;
    return true;
  }
  // Hashes the lists of all demos; lists from sifting do not merge with others.
  u64 hash_of_lists(u16 move) const {
    u64 hash = ALL_MOVES[move].shape == Shape::L_TO_L ? HASH_K1 : HASH_K2;
    for (u32 e = 0; e < n_demos_; e++)
      hash = hash_bytes(lists_of_[e].data(), lists_of_[e].size() * sizeof(u32), hash + lists_of_[e].size());
    return hash;
  }
  // Returns whether the pictures of some examples are known from shorter paths.
  bool is_known_shallower(u32 first, u32 end, u8 depth) const {
    for (u32 e = first; e < end; e++)
      if (walk_.banks[e].depth_of(pictures_[e]) >= depth) return false;
    return true;
  }
};

}  // namespace arc
