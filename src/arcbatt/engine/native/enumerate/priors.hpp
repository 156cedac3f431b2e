// The costs of moves after others, in tenths of a bit. bench/priors.py writes priors.inc: how often a
// primitive follows another in stacks that are right on training.
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
  // Returns the cost of a move after another, or after none (NO_MOVE).
  u32 cost(u16 before, u16 move) const {
    return costs_[before == NO_MOVE ? n_primitives_ : primitive_of_[before]][move];
  }
  // Returns the moves on pictures or lists after another move, the likeliest first.
  const std::vector<u16>& after(u16 before, bool is_list) const {
    return after_[before == NO_MOVE ? n_primitives_ : primitive_of_[before]][is_list];
  }

  // `moves` are those on pictures, and those on lists.
  explicit Priors(const std::vector<u16> (&moves)[2]) {
    std::vector<const char*> names;
    std::vector<u32> n_moves;
    const auto number_of = [&](const char* name) {
      u32 p = 0;
      while (p < names.size() && std::strcmp(names[p], name)) p++;
      return p;
    };
    for (const Move& move : ALL_MOVES) {
      const u32 p = number_of(move.primitive);
      if (p == names.size()) {
        names.push_back(move.primitive);
        n_moves.push_back(0);
      }
      n_moves[p]++;
      primitive_of_.push_back(p);
    }
    n_primitives_ = (u32)names.size();
    std::vector<u32> alone(n_primitives_, UNSEEN_COST);
    for (const Row& row : ROWS)
      if (!*row.before && number_of(row.primitive) < n_primitives_) alone[number_of(row.primitive)] = row.cost;
    std::vector<std::vector<u32>> by_primitive(n_primitives_ + 1);
    for (auto& costs : by_primitive)
      for (u32 cost : alone) costs.push_back(cost + UNSEEN_PAIR_COST);
    by_primitive[n_primitives_] = alone;
    for (const Row& row : ROWS) {
      const u32 before = number_of(row.before), after = number_of(row.primitive);
      if (*row.before && before < n_primitives_ && after < n_primitives_) by_primitive[before][after] = row.cost;
    }
    after_.resize(n_primitives_ + 1);
    for (u32 before = 0; before <= n_primitives_; before++) {
      costs_.emplace_back();
      for (u32 m = 0; m < N_MOVES; m++) {
        u32 codes = 0;  // the choice among the moves of a primitive
        while ((1u << codes / 10) < n_moves[primitive_of_[m]]) codes += 10;
        costs_.back().push_back(by_primitive[before][primitive_of_[m]] + codes);
      }
      for (u32 kind = 0; kind < 2; kind++) {
        after_[before][kind] = moves[kind];
        std::stable_sort(after_[before][kind].begin(), after_[before][kind].end(),
                         [&](u16 a, u16 b) { return costs_.back()[a] < costs_.back()[b]; });
      }
    }
  }

 private:
  struct Row {
    const char *before, *primitive;
    u32 cost;
  };
#define ARC_PRIOR(before, primitive, cost) {#before, #primitive, cost},
  static constexpr Row ROWS[] = {
#include "priors.inc"
  };
#undef ARC_PRIOR
  // The second is added to the cost of a primitive for a pair that was not seen.
  static constexpr u32 UNSEEN_COST = 100, UNSEEN_PAIR_COST = 20;

  u32 n_primitives_;
  std::vector<u32> primitive_of_;               // by move
  std::vector<std::vector<u32>> costs_;        // by primitive before, and move
  std::vector<std::array<std::vector<u16>, 2>> after_;
};

}  // namespace arc
