// Guesses at the output's size: a formula over sizes that the walk has found, fitted to the demos.
#pragma once
#include <algorithm>

#include "lock_step.hpp"

namespace arc {

// The rows, or columns, of tuple `of` times `times`, plus those of tuple `plus`, plus `more`.
struct AxisFormula {
  u32 of = NO_PARENT;
  i32 times = 1;
  u32 plus = NO_PARENT;
  i32 more = 0;
  bool of_width = false;
};
struct SizeGuess {
  AxisFormula rows, columns;
  u32 n_matched = 0;  // demos
  double cost = 0;
  std::vector<Size> sizes;  // by example
};

class SizeGuesser {
 public:
  // The first of the examples are demos, and their outputs have these sizes.
  SizeGuesser(const LockStep& walk, const std::vector<Size>& outputs) : walk_(walk), outputs_(outputs) {
    n_examples_ = (u32)walk.banks.size();
    HashTable seen(walk.workspace);
    std::vector<Size> row(n_examples_);
    for (u32 t = 0; t < walk.tuples.size(); t++) {
      if (walk.tuples[t].is_list) continue;
      for (u32 e = 0; e < n_examples_; e++) row[e] = {walk.picture(t, e).n_rows, walk.picture(t, e).width};
      const u32 number = (u32)tuples_.size();
      if (seen.find_or_add(hash_bytes(row.data(), row.size() * sizeof(Size), HASH_K1), number) != number) continue;
      tuples_.push_back(t);
      sizes_.insert(sizes_.end(), row.begin(), row.end());
      if (tuples_.size() == MAX_SIZES) break;
    }
  }

  // The best guesses, the best first, none with the sizes of another.
  std::vector<SizeGuess> guess(u32 n_wanted) {
    scaled();
    sums();
    by_axis();
    std::stable_sort(found_.begin(), found_.end(), [](const SizeGuess& a, const SizeGuess& b) {
      return a.n_matched != b.n_matched ? a.n_matched > b.n_matched : a.cost < b.cost;
    });
    std::vector<SizeGuess> best;
    for (SizeGuess& guess : found_) {
      if (best.size() == n_wanted) break;
      guess.sizes = sizes_by(guess);
      const auto same = [&](const SizeGuess& other) {
        return std::equal(guess.sizes.begin() + (i64)outputs_.size(), guess.sizes.end(),
                          other.sizes.begin() + (i64)outputs_.size());
      };
      if (std::none_of(best.begin(), best.end(), same)) best.push_back(guess);
    }
    return best;
  }

 private:
  static constexpr u32 MAX_SIZES = 600, MAX_IN_SUMS = 60, MAX_FOUND = 4096;
  const LockStep& walk_;
  const std::vector<Size>& outputs_;
  u32 n_examples_;
  std::vector<u32> tuples_;  // with sizes that no earlier one has
  std::vector<Size> sizes_;  // of those, by example
  std::vector<SizeGuess> found_;
  u32 best_matched_ = 1;

  Size size(u32 r, u32 e) const { return sizes_[r * n_examples_ + e]; }
  i32 side(u32 r, u32 e, bool of_width) const { return of_width ? size(r, e).width : size(r, e).n_rows; }
  i32 wanted(u32 d, bool of_width) const { return of_width ? outputs_[d].width : outputs_[d].n_rows; }

  bool tests_fit(u32 r, i32 times, i32 more, bool of_width) const {
    for (u32 e = (u32)outputs_.size(); e < n_examples_; e++) {
      const i32 given = side(r, e, of_width) * times + more;
      if (given < 1 || given > MAX_SIDE) return false;
    }
    return true;
  }
  // The demos in which a formula gives the output's rows, or columns.
  u32 matched(u32 r, i32 times, i32 more, bool of_width) const {
    u32 mask = 0;
    for (u32 d = 0; d < outputs_.size() && d < 32; d++)
      if (side(r, d, of_width) * times + more == wanted(d, of_width)) mask |= 1u << d;
    return mask;
  }
  void add(const SizeGuess& guess) {
    if (guess.n_matched < best_matched_) return;
    if (guess.n_matched > best_matched_) {
      best_matched_ = guess.n_matched;
      found_.clear();
    }
    if (found_.size() < MAX_FOUND) found_.push_back(guess);
  }

  struct Linear {
    i32 times, more;
    u32 mask;
  };
  std::vector<Linear> linear(u32 r, bool of_width) const {
    std::vector<Linear> all;
    for (i32 times = 1; times <= 5; times++)
      for (i32 more = -3; more <= 3; more++) {
        const u32 mask = matched(r, times, more, of_width);
        if (mask && tests_fit(r, times, more, of_width)) all.push_back({times, more, mask});
      }
    return all;
  }
  void scaled() {
    for (u32 r = 0; r < tuples_.size(); r++) {
      const std::vector<Linear> rows = linear(r, false);
      if (rows.empty()) continue;
      for (const Linear& y : rows)
        for (const Linear& x : linear(r, true)) {
          const u32 n = (u32)__builtin_popcount(y.mask & x.mask);
          if (n < best_matched_) continue;
          SizeGuess guess;
          guess.rows = {tuples_[r], y.times, NO_PARENT, y.more, false};
          guess.columns = {tuples_[r], x.times, NO_PARENT, x.more, true};
          guess.n_matched = n;
          guess.cost = (r + 1.0) * x.times * y.times * (std::abs(x.more) + 1) * (std::abs(y.more) + 1);
          add(guess);
        }
    }
  }
  void sums() {
    const u32 n = std::min((u32)tuples_.size(), MAX_IN_SUMS);
    for (u32 a = 0; a < n; a++)
      for (u32 b = 0; b < n; b++)
        for (u32 axes = 1; axes <= 3; axes++) {  // 1: rows are summed, 2: columns, 3: both
          u32 matched = 0;
          bool tests_fit = true;
          for (u32 e = 0; e < n_examples_ && tests_fit; e++) {
            const i32 rows = side(a, e, false) + (axes & 1 ? side(b, e, false) : 0);
            const i32 columns = side(a, e, true) + (axes & 2 ? side(b, e, true) : 0);
            if (e < outputs_.size()) {
              matched += outputs_[e] == Size{rows, columns};
            } else {
              tests_fit = rows >= 1 && rows <= MAX_SIDE && columns >= 1 && columns <= MAX_SIDE;
            }
          }
          if (!tests_fit || matched < best_matched_) continue;
          SizeGuess guess;
          guess.rows = {tuples_[a], 1, axes & 1 ? tuples_[b] : NO_PARENT, 0, false};
          guess.columns = {tuples_[a], 1, axes & 2 ? tuples_[b] : NO_PARENT, 0, true};
          guess.n_matched = matched;
          guess.cost = (a + 1.0) * (b + 1.0);
          add(guess);
        }
  }
  struct Axis {
    AxisFormula formula;
    double loss;
    u32 mask;
  };
  std::vector<Axis> axis(bool of_width) const {
    std::vector<Axis> best;
    const auto offer = [&](const Axis& offered) {
      for (Axis& known : best)
        if (known.mask == offered.mask) {
          if (offered.loss < known.loss) known = offered;
          return;
        }
      if (best.size() < 64) best.push_back(offered);
    };
    for (i32 constant = 1; constant <= MAX_SIDE; constant++) {
      u32 mask = 0;
      for (u32 d = 0; d < outputs_.size() && d < 32; d++) mask |= (u32)(wanted(d, of_width) == constant) << d;
      if (mask) offer({{NO_PARENT, 1, NO_PARENT, constant, of_width}, (double)constant, mask});
    }
    for (u32 r = 0; r < tuples_.size(); r++)
      for (bool other : {false, true})
        for (i32 times = 1; times <= 5; times++)
          for (i32 more = -3; more <= 3; more++) {
            u32 mask = 0;
            for (u32 d = 0; d < outputs_.size() && d < 32; d++)
              mask |= (u32)(side(r, d, other) * times + more == wanted(d, of_width)) << d;
            if (!mask || !tests_fit(r, times, more, other)) continue;
            // The other side of a picture stands for one less often.
            const double loss = (r + 1.0) * times * (std::abs(more) + 1) * (other == of_width ? 1 : 2);
            offer({{tuples_[r], times, NO_PARENT, more, other}, loss, mask});
          }
    return best;
  }
  void by_axis() {
    const std::vector<Axis> rows = axis(false), columns = axis(true);
    for (const Axis& y : rows)
      for (const Axis& x : columns) {
        SizeGuess guess;
        guess.rows = y.formula;
        guess.columns = x.formula;
        guess.n_matched = (u32)__builtin_popcount(y.mask & x.mask);
        guess.cost = (y.loss + 10) * (x.loss + 10);
        add(guess);
      }
  }
  i32 side_by(const AxisFormula& f, u32 e) const {
    i32 given = f.more;
    const auto side_of = [&](u32 tuple) {
      const Pic& p = walk_.picture(tuple, e);
      return f.of_width ? p.width : p.n_rows;
    };
    if (f.of != NO_PARENT) given += f.times * side_of(f.of);
    if (f.plus != NO_PARENT) given += side_of(f.plus);
    return given;
  }
  std::vector<Size> sizes_by(const SizeGuess& guess) const {
    std::vector<Size> sizes;
    for (u32 e = 0; e < n_examples_; e++) sizes.push_back({side_by(guess.rows, e), side_by(guess.columns, e)});
    return sizes;
  }
};

}  // namespace arc
