// Values drawn in the output's size, with the colors of their cells in all examples: what trees over pieces test
// and copy. Of values that look the same everywhere, one with the fewest moves is kept.
#pragma once
#include "last_depth.hpp"

namespace arc {

// A picture with its final changes: moved to the origin, pasted onto the output's size.
struct DrawnValue {
  Origin origin;
  u8 depth;  // the number of moves and final changes
  bool to_origin, pasted;
};

class DrawnValues {
 public:
  std::vector<DrawnValue> values;
  bool was_cut = false;

  DrawnValues(const std::vector<Bank>& banks, u32 n_demos, u64 max_bytes, Workspace& workspace)
      : n_demos_(n_demos), max_bytes_(max_bytes), known_(workspace) {
    for (const Bank& bank : banks) {
      first_cell_.push_back(n_cells_);
      sizes_.push_back(bank.output_size());
      n_cells_ += (u32)(sizes_.back().n_rows * sizes_.back().width);
    }
    first_cell_.push_back(n_cells_);
    row_.resize(n_cells_);
    moved_row_.resize(n_cells_);
  }

  u32 n_examples() const { return (u32)sizes_.size(); }
  u32 n_demos() const { return n_demos_; }
  u64 bytes() const { return cells_.capacity() + values.capacity() * sizeof(DrawnValue); }
  u32 first_cell(u32 example) const { return first_cell_[example]; }
  // The cells of a value in all examples.
  const u8* cells(u32 value) const { return cells_.data() + (u64)value * n_cells_; }

  // Draws the pictures of a tuple or of a move on it, where they are and at the origin. `tests` is as for `Pieces`.
  template <class Tests>
  void offer(const Origin& origin, u8 depth, const Pic* demos, Tests& tests) {
    bool at_origin = true, fits = true;
    for (u32 e = 0; e < n_demos_; e++) draw(demos[e], e, at_origin, fits, moved_row_.data());
    const Pic* of_tests = tests.tests_of(origin, depth);
    if (!of_tests) return;
    for (u32 e = n_demos_; e < n_examples(); e++) draw(of_tests[e - n_demos_], e, at_origin, fits, moved_row_.data());
    keep({origin, (u8)(depth + !(fits && at_origin)), false, !(fits && at_origin)}, row_.data());
    if (!at_origin) keep({origin, (u8)(depth + 1 + !fits), true, !fits}, moved_row_.data());
  }
  // Pictures that equal those of their tuple in all demos may differ in the tests.
  template <class Tests>
  void offer_unchanged(const Origin& origin, u8 depth, const Pic* demos, Tests& tests) {
    offer(origin, depth, demos, tests);
  }

 private:
  u32 n_demos_, n_cells_ = 0;
  u64 max_bytes_;
  std::vector<Size> sizes_;
  std::vector<u32> first_cell_;
  std::vector<u8> cells_;  // by value
  HashTable known_;
  std::vector<u8> row_, moved_row_;

  void draw(const Pic& p, u32 e, bool& at_origin, bool& fits, u8* moved) {
    const Size size = sizes_[e];
    at_origin &= p.row == 0 && p.column == 0;
    fits &= p.n_rows == size.n_rows && p.width == size.width;
    paste(p, false, size, row_.data() + first_cell_[e], first_cell_[e + 1] - first_cell_[e]);
    paste(p, true, size, moved + first_cell_[e], first_cell_[e + 1] - first_cell_[e]);
  }
  void keep(const DrawnValue& value, const u8* row) {
    const u32 number = (u32)values.size();
    const HashTable::Entry* known = known_.find(hash_of(row));
    if (known) {
      if (values[known->number].depth > value.depth) values[known->number] = value;
      return;
    }
    // The array exists twice while it grows.
    if (3 * (cells_.size() + n_cells_) > max_bytes_) {
      was_cut = true;
      return;
    }
    known_.find_or_add(hash_of(row), number);
    values.push_back(value);
    cells_.insert(cells_.end(), row, row + n_cells_);
  }
  u64 hash_of(const u8* row) const { return hash_bytes(row, n_cells_, HASH_K1); }
};

}  // namespace arc
