// Picks one of a grid's things (objects, panels) by a feature that the things picked in all demos have.
#pragma once
#include <set>
#include <unordered_map>
#include <vector>

#include "learner.hpp"

namespace arc {

// Returns the keys that in every demo exactly one thing has: the one that the demo picks. Things are numbered across
// all grids; those of grid g start at firsts[g], those of the grid that the rule is applied to come last. is_picked(d,
// k) says whether demo d picks thing k.
template <class IsPicked>
std::set<u64> find_marks(const std::vector<u64>& keys, const std::vector<size_t>& firsts, IsPicked is_picked) {
  std::set<u64> marks;
  for (size_t d = 0; d + 2 < firsts.size(); d++) {
    std::unordered_map<u64, int> counts;
    for (size_t k = firsts[d]; k < firsts[d + 1]; k++) counts[keys[k]]++;
    std::set<u64> picked;
    for (size_t k = firsts[d]; k < firsts[d + 1]; k++)
      if ((d == 0 || marks.count(keys[k])) && counts[keys[k]] == 1 && is_picked(d, k)) picked.insert(keys[k]);
    marks = std::move(picked);
    if (marks.empty()) break;
  }
  return marks;
}

// Returns whether every demo picks something, whatever its key; this is cheaper than computing keys.
template <class IsPicked>
bool picks_in_all_demos(const std::vector<size_t>& firsts, IsPicked is_picked) {
  for (size_t d = 0; d + 2 < firsts.size(); d++) {
    size_t k = firsts[d];
    while (k < firsts[d + 1] && !is_picked(d, k)) k++;
    if (k == firsts[d + 1]) return false;
  }
  return true;
}

// Returns the one thing of the last grid with such a key; -1 unless there is exactly one.
template <class IsPicked>
i64 pick_alike(const std::vector<u64>& keys, const std::vector<size_t>& firsts, IsPicked is_picked) {
  const std::set<u64> marks = find_marks(keys, firsts, is_picked);
  i64 picked = -1;
  for (size_t k = firsts[firsts.size() - 2]; k < firsts.back(); k++) {
    if (!marks.count(keys[k])) continue;
    if (picked >= 0) return -1;
    picked = (i64)k;
  }
  return picked;
}

}  // namespace arc
