// Guesses the output's size: formulas over the sizes of tuples, fitted to the demos.
#pragma once
#include <algorithm>
#include <optional>

#include "tuple_walk.hpp"

namespace arc {

// One side of the output: side(factor) * times + side(summand) + plus. The sides are widths or heights.
struct AxisFormula {
  u32 factor = NO_PARENT;  // a tuple; NO_PARENT: none
  i32 times = 1;
  u32 summand = NO_PARENT;
  i32 plus = 0;
  bool uses_width = false;
};
struct SizeGuess {
  AxisFormula rows, columns;
  u32 n_matched = 0;  // demos
  double cost = 0;
  std::vector<Size> sizes;  // by example
};

class SizeGuesser {
 public:
  // The first examples are demos, whose outputs have the given sizes.
  SizeGuesser(const TupleWalk& walk, const std::vector<Size>& outputs) : walk_(walk), outputs_(outputs) {
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

  // Returns the formula that fits most demos, the cheapest of several; none if no formula fits any.
  std::optional<SizeGuess> guess() {
    add_scaled();
    add_sums();
    add_by_axis();
    if (!best_) return best_;
    best_->sizes = evaluate(*best_);
    return best_;
  }

 private:
  static constexpr u32 MAX_SIZES = 600, MAX_IN_SUMS = 60, MAX_PER_AXIS = 64;
  static constexpr i32 MAX_TIMES = 5, MAX_PLUS = 3;
  const TupleWalk& walk_;
  const std::vector<Size>& outputs_;
  u32 n_examples_;
  std::vector<u32> tuples_;  // with distinct sizes
  std::vector<Size> sizes_;  // by tuple and example
  std::optional<SizeGuess> best_;

  // r is an index into tuples_.
  i32 side(u32 r, u32 e, bool uses_width) const {
    const Size size = sizes_[r * n_examples_ + e];
    return uses_width ? size.width : size.n_rows;
  }
  i32 wanted(u32 d, bool is_width) const { return is_width ? outputs_[d].width : outputs_[d].n_rows; }

  bool tests_fit(u32 r, i32 times, i32 plus, bool uses_width) const {
    for (u32 e = (u32)outputs_.size(); e < n_examples_; e++) {
      const i32 given = side(r, e, uses_width) * times + plus;
      if (given < 1 || given > MAX_SIDE) return false;
    }
    return true;
  }
  // A formula of one tuple, and the demos in which it gives the side of the output as bits.
  struct Linear {
    i32 times, plus;
    u32 mask;
  };
  std::vector<Linear> linear_formulas(u32 r, bool uses_width, bool is_width) const {
    std::vector<Linear> all;
    for (i32 times = 1; times <= MAX_TIMES; times++)
      for (i32 plus = -MAX_PLUS; plus <= MAX_PLUS; plus++) {
        u32 mask = 0;
        for (u32 d = 0; d < outputs_.size() && d < 32; d++)
          mask |= (u32)(side(r, d, uses_width) * times + plus == wanted(d, is_width)) << d;
        if (mask && tests_fit(r, times, plus, uses_width)) all.push_back({times, plus, mask});
      }
    return all;
  }
  void add(const AxisFormula& rows, const AxisFormula& columns, u32 n_matched, double cost) {
    if (n_matched == 0 || (best_ && n_matched < best_->n_matched)) return;
    if (!best_ || n_matched > best_->n_matched || cost < best_->cost)
      best_ = SizeGuess{rows, columns, n_matched, cost, {}};
  }

  // Both sides from one tuple.
  void add_scaled() {
    for (u32 r = 0; r < tuples_.size(); r++) {
      const std::vector<Linear> rows = linear_formulas(r, false, false);
      if (rows.empty()) continue;
      const std::vector<Linear> columns = linear_formulas(r, true, true);
      for (const Linear& y : rows)
        for (const Linear& x : columns)
          add({tuples_[r], y.times, NO_PARENT, y.plus, false}, {tuples_[r], x.times, NO_PARENT, x.plus, true},
              (u32)__builtin_popcount(y.mask & x.mask),
              (r + 1.0) * x.times * y.times * (std::abs(x.plus) + 1) * (std::abs(y.plus) + 1));
    }
  }
  // Sums of the sides of two tuples.
  void add_sums() {
    const u32 n = std::min((u32)tuples_.size(), MAX_IN_SUMS);
    for (u32 a = 0; a < n; a++)
      for (u32 b = 0; b < n; b++)
        for (u32 axes = 1; axes <= 3; axes++) {  // 1: sum of rows, 2: of columns, 3: of both
          u32 n_matched = 0;
          bool all_tests_fit = true;
          for (u32 e = 0; e < n_examples_ && all_tests_fit; e++) {
            const i32 rows = side(a, e, false) + (axes & 1 ? side(b, e, false) : 0);
            const i32 columns = side(a, e, true) + (axes & 2 ? side(b, e, true) : 0);
            if (e < outputs_.size()) {
              n_matched += outputs_[e] == Size{rows, columns};
            } else {
              all_tests_fit = rows >= 1 && rows <= MAX_SIDE && columns >= 1 && columns <= MAX_SIDE;
            }
          }
          if (all_tests_fit)
            add({tuples_[a], 1, axes & 1 ? tuples_[b] : NO_PARENT, 0, false},
                {tuples_[a], 1, axes & 2 ? tuples_[b] : NO_PARENT, 0, true}, n_matched, (a + 1.0) * (b + 1.0));
        }
  }
  // Each side by itself: a constant, or from one side of a tuple.
  void add_by_axis() {
    const std::vector<Axis> rows = axis_formulas(false), columns = axis_formulas(true);
    for (const Axis& y : rows)
      for (const Axis& x : columns)
        add(y.formula, x.formula, (u32)__builtin_popcount(y.mask & x.mask), (y.cost + 10) * (x.cost + 10));
  }
  struct Axis {
    AxisFormula formula;
    double cost;
    u32 mask;
  };
  // Returns the cheapest formula for each set of demos that it fits.
  std::vector<Axis> axis_formulas(bool is_width) const {
    std::vector<Axis> best;
    const auto offer = [&](const Axis& offered) {
      for (Axis& known : best)
        if (known.mask == offered.mask) {
          if (offered.cost < known.cost) known = offered;
          return;
        }
      if (best.size() < MAX_PER_AXIS) best.push_back(offered);
    };
    for (i32 constant = 1; constant <= MAX_SIDE; constant++) {
      u32 mask = 0;
      for (u32 d = 0; d < outputs_.size() && d < 32; d++) mask |= (u32)(wanted(d, is_width) == constant) << d;
      if (mask) offer({{NO_PARENT, 1, NO_PARENT, constant, is_width}, (double)constant, mask});
    }
    for (u32 r = 0; r < tuples_.size(); r++)
      for (bool uses_width : {false, true})
        for (const Linear& f : linear_formulas(r, uses_width, is_width)) {
          // A width rarely gives a height, nor a height a width.
          const double cost = (r + 1.0) * f.times * (std::abs(f.plus) + 1) * (uses_width == is_width ? 1 : 2);
          offer({{tuples_[r], f.times, NO_PARENT, f.plus, uses_width}, cost, f.mask});
        }
    return best;
  }

  i32 evaluate(const AxisFormula& f, u32 e) const {
    const auto side_of = [&](u32 tuple) {
      const Pic& p = walk_.picture(tuple, e);
      return f.uses_width ? p.width : p.n_rows;
    };
    i32 length = f.plus;
    if (f.factor != NO_PARENT) length += f.times * side_of(f.factor);
    if (f.summand != NO_PARENT) length += side_of(f.summand);
    return length;
  }
  std::vector<Size> evaluate(const SizeGuess& guess) const {
    std::vector<Size> sizes;
    for (u32 e = 0; e < n_examples_; e++) sizes.push_back({evaluate(guess.rows, e), evaluate(guess.columns, e)});
    return sizes;
  }
};

}  // namespace arc
