// The score of a tuple: how much it shows of the outputs, or of those of their cells that are still open.
#pragma once
#include "tuple_walk.hpp"

namespace arc {

class TupleScore {
 public:
  TupleScore(const TupleWalk& walk, const std::vector<Pic>& targets) : walk_(walk), targets_(targets) {}

  // Restricts the score to some cells, given by a flag per demo and cell.
  void set_open(std::vector<std::vector<u8>> cells) {
    open_ = std::move(cells);
    n_open_.clear();
    for (const std::vector<u8>& of_demo : open_)
      n_open_.push_back((u32)std::count_if(of_demo.begin(), of_demo.end(), [](u8 is_open) { return is_open; }));
  }

  // Returns the sum over demos of the share of right cells less that of wrong ones, among cells that are not
  // 0. Values are compared where they lie.
  float operator()(u32 tuple) const {
    float sum = 0;
    for (u32 d = 0; d < targets_.size(); d++) {
      const u32 n_counted = open_.empty() ? (u32)targets_[d].area() : n_open_[d];
      if (!n_counted) continue;
      const Bank& bank = walk_.banks[d];
      const u32 id = walk_.ids_of(tuple)[d];
      i32 balance = 0;
      if (bank.is_list(id)) {
        for (u32 k = 0; k < bank.n_items(id); k++) balance += balance_of(bank.picture(bank.items(id)[k]), d);
      } else {
        balance = balance_of(bank.picture(id), d);
      }
      sum += (float)balance / (float)n_counted;
    }
    return sum;
  }

 private:
  const TupleWalk& walk_;
  const std::vector<Pic>& targets_;
  std::vector<std::vector<u8>> open_;  // empty: all cells count
  std::vector<u32> n_open_;

  i32 balance_of(const Pic& p, u32 demo) const {
    const Pic& target = targets_[demo];
    i32 balance = 0;
    const i32 left = std::max(0, -p.column), right = std::min(p.width, target.width - p.column);
    for (i32 i = std::max(0, -p.row); i < p.n_rows && p.row + i < target.n_rows; i++) {
      const u8* from = p.cells + i * p.width;
      const i32 first = (p.row + i) * target.width + p.column;
      for (i32 j = left; j < right; j++)
        if (from[j] && (open_.empty() || open_[demo][(u64)(first + j)]))
          balance += from[j] == target.cells[first + j] ? 1 : -1;
    }
    return balance;
  }
};

}  // namespace arc
