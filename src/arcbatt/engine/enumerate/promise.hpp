// How much a tuple promises: what it shows of the outputs.
#pragma once
#include "lock_step.hpp"

namespace arc {

class Promise {
 public:
  Promise(const LockStep& walk, const std::vector<Pic>& targets) : walk_(walk), targets_(targets) {}

  // How much of the outputs a tuple's values show where they lie: cells that are right less those
  // that are wrong, of those that are not 0.
  float operator()(u32 tuple) const {
    float sum = 0;
    for (u32 d = 0; d < targets_.size(); d++) {
      const Bank& bank = walk_.banks[d];
      const u32 id = walk_.ids_of(tuple)[d];
      i32 balance = 0;
      if (bank.is_list(id)) {
        for (u32 k = 0; k < bank.n_items(id); k++) balance += balance_of(bank.picture(bank.items(id)[k]), targets_[d]);
      } else {
        balance = balance_of(bank.picture(id), targets_[d]);
      }
      sum += (float)balance / (float)targets_[d].area();
    }
    return sum;
  }

 private:
  const LockStep& walk_;
  const std::vector<Pic>& targets_;

  static i32 balance_of(const Pic& p, const Pic& target) {
    i32 balance = 0;
    const i32 left = std::max(0, -p.column), right = std::min(p.width, target.width - p.column);
    for (i32 i = std::max(0, -p.row); i < p.n_rows && p.row + i < target.n_rows; i++) {
      const u8* from = p.cells + i * p.width;
      const u8* to = target.cells + (p.row + i) * target.width + p.column;
      for (i32 j = left; j < right; j++) balance += from[j] ? (from[j] == to[j] ? 1 : -1) : 0;
    }
    return balance;
  }
};

}  // namespace arc
