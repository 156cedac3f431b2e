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
      : walk_(walk), n_demos_(n_demos), pictures_(walk.banks.size()) {
    for (u32 s = 0; s < N_MOVES; s++) {
      if (!enabled[s] || ALL_MOVES[s].shape == Shape::P_TO_L) continue;
      for (bool is_list : {false, true})
        if (takes(ALL_MOVES[s], is_list)) moves_[is_list].push_back((u16)s);
      if (!std::strcmp(ALL_MOVES[s].primitive, "heap_up")) heap_ = (u16)s;
    }
  }
  u64 bytes() const { return lists_.bytes(); }

  // The moves that take pictures, and those that take lists.
  const std::vector<u16> (&moves() const)[2] { return moves_; }

  // Makes pieces of what a move gives on a tuple.
  void extend(u32 tuple, u16 move, Pieces& pieces) {
    u64 list_hash;
    if (!make(tuple, move, 0, n_demos_, pictures_.data(), list_hash)) {
      n_refused++;
      return;
    }
    const u8 depth = (u8)(depth_after(tuple) + (list_hash != 0));
    if (list_hash) {
      // In the tests such lists may differ, but pieces that paint the same in all demos are one.
      const u32 number = (u32)lists_.size();
      if (lists_.find_or_add(list_hash, number) != number) {
        n_merged++;
        return;
      }
    }
    pieces.offer({tuple, move, list_hash != 0}, depth, pictures_.data(), [&]() -> const Pic* {
      Pic* tests = pictures_.data() + n_demos_;
      u64 hash;
      if (!make(tuple, move, n_demos_, (u32)pictures_.size(), tests, hash)) return nullptr;
      return is_late(depth) ? nullptr : tests;
    });
  }

  // The pictures of some examples; false where a move is refused.
  bool make(const Origin& of, u32 first, u32 end, Pic* pictures) {
    u64 hash;
    if (of.move != NO_MOVE) return make(of.tuple, of.move, first, end, pictures, hash);
    for (u32 e = first; e < end; e++) pictures[e - first] = walk_.picture(of.tuple, e);
    return true;
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
  HashTable lists_;

  const Move* heap() const { return heap_ == NO_MOVE ? nullptr : &ALL_MOVES[heap_]; }
  u8 depth_after(u32 tuple) const { return (u8)(walk_.tuples[tuple].depth + 1); }
  bool make(u32 tuple, u16 move, u32 first, u32 end, Pic* pictures, u64& list_hash) {
    u64 hash;
    list_hash = 0;
    for (u32 e = first; e < end; e++) {
      const u32 id = walk_.ids_of(tuple)[e];
      pictures[e - first] = walk_.banks[e].give(id, move, depth_after(tuple), heap(), hash);
      if (pictures[e - first].failed()) return false;
      if (hash) list_hash = fold_product(list_hash ^ hash, HASH_K1 + e);
    }
    walk_.add_work(end - first);
    return true;
  }
  // Whether all pictures were found on shorter ways (`LockStep::add`).
  bool is_late(u8 depth) const {
    for (u32 e = 0; e < pictures_.size(); e++)
      if (walk_.banks[e].depth_of(pictures_[e]) >= depth) return false;
    return true;
  }
};

}  // namespace arc
