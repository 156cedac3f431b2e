// How likely moves are after others, in tenths of bits. priors.inc is learnt on training by
// bench/priors.py: how often a primitive came after another in what was right there.
#pragma once
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "moves.hpp"

namespace arc {

constexpr u16 NO_MOVE = 0xffff;

class Priors {
 public:
  // What a move costs after another, or after none (NO_MOVE).
  u32 tenths(u16 before, u16 move) const {
    return tenths_[before == NO_MOVE ? n_primitives_ : primitive_of_[before]][move];
  }
  // Moves of a kind that come after another, the likeliest first.
  const std::vector<u16>& after(u16 before, bool is_list) const {
    return after_[before == NO_MOVE ? n_primitives_ : primitive_of_[before]][is_list];
  }

  // `moves` are those that take pictures, and those that take lists.
  explicit Priors(const std::vector<u16> (&moves)[2]) {
    std::vector<const char*> names;
    std::vector<u32> n_moves;
    for (const Move& move : ALL_MOVES) {
      u32 p = 0;
      while (p < names.size() && std::strcmp(names[p], move.primitive)) p++;
      if (p == names.size()) {
        names.push_back(move.primitive);
        n_moves.push_back(0);
      }
      n_moves[p]++;
      primitive_of_.push_back(p);
    }
    n_primitives_ = (u32)names.size();
    const auto number_of = [&](const char* name) {
      u32 p = 0;
      while (p < names.size() && std::strcmp(names[p], name)) p++;
      return p;
    };
    // What was never seen costs this; so does, added, a pair of which both were seen, but not together.
    std::vector<u32> alone(n_primitives_, NEVER_SEEN);
    for (const Row& row : ROWS)
      if (!*row.before && number_of(row.primitive) < n_primitives_) alone[number_of(row.primitive)] = row.tenths;
    std::vector<std::vector<u32>> by_primitive(n_primitives_ + 1);
    for (auto& costs : by_primitive)
      for (u32 cost : alone) costs.push_back(cost + NOT_TOGETHER);
    by_primitive[n_primitives_] = alone;
    for (const Row& row : ROWS) {
      const u32 before = number_of(row.before), after = number_of(row.primitive);
      if (*row.before && before < n_primitives_ && after < n_primitives_) by_primitive[before][after] = row.tenths;
    }
    after_.resize(n_primitives_ + 1);
    for (u32 before = 0; before <= n_primitives_; before++) {
      tenths_.emplace_back();
      for (u32 m = 0; m < N_MOVES; m++) {
        u32 codes = 0;  // in tenths of bits, the choice among the moves of a primitive
        while ((1u << codes / 10) < n_moves[primitive_of_[m]]) codes += 10;
        tenths_.back().push_back(by_primitive[before][primitive_of_[m]] + codes);
      }
      for (u32 kind = 0; kind < 2; kind++) {
        after_[before][kind] = moves[kind];
        std::stable_sort(after_[before][kind].begin(), after_[before][kind].end(),
                         [&](u16 a, u16 b) { return tenths_.back()[a] < tenths_.back()[b]; });
      }
    }
  }

 private:
  struct Row {
    const char *before, *primitive;
    u32 tenths;
  };
#define ARC_PRIOR(before, primitive, tenths) {#before, #primitive, tenths},
  static constexpr Row ROWS[] = {
#include "priors.inc"
  };
#undef ARC_PRIOR
  static constexpr u32 NEVER_SEEN = 100, NOT_TOGETHER = 20;

  u32 n_primitives_;
  std::vector<u32> primitive_of_;               // by move
  std::vector<std::vector<u32>> tenths_;        // by primitive before, and move
  std::vector<std::array<std::vector<u16>, 2>> after_;
};

}  // namespace arc
