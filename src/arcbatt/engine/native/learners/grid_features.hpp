// All features of the cells of a grid, as numbers and as sets of cells, and a store of those that were computed last:
// trees are grown from the same demos again with other features, with one demo held out, and in other programs.
#pragma once
#include <cstring>
#include <memory>

#include "cell_relations.hpp"

namespace arc {
namespace cells {

struct GridFeatures {
  std::vector<i32> cells;
  i32 n_rows, width;
  u64 cost;                         // of describing the parts of the grid
  u32 n_words;                      // of a set of cells
  std::vector<u8> columns;          // the numbers of all cells, by feature
  u64 values[N_CELL_FEATURES];      // bits of the numbers that a feature has
  u64 hashes[N_CELL_FEATURES];      // of the columns
  // By feature and number, the set of cells that have it; none of a feature with a single number.
  std::vector<u64> sets;
  u32 first_set[N_CELL_FEATURES + 1];

  GridFeatures(const Scene& scene, RelationColumns& writer)
      : cells(scene.cells, scene.cells + scene.n_cells()),
        n_rows(scene.n_rows),
        width(scene.width),
        n_words((u32)(scene.n_cells() + 63) / 64) {
    const size_t n = cells.size();
    cost = writer.cost();
    columns.resize(N_CELL_FEATURES * n);
    u8 wanted[N_CELL_FEATURES];
    std::fill_n(wanted, N_CELL_FEATURES, 1);
    writer.write(columns.data(), (i64)n, wanted);
    u32 n_sets = 0;
    for (i32 f = 0; f < N_CELL_FEATURES; f++) {
      const u8* numbers = column(f);
      values[f] = 0;
      for (size_t k = 0; k < n; k++) values[f] |= 1ULL << numbers[k];
      hashes[f] = hash_numbers(numbers, n);
      first_set[f] = n_sets;
      if (values[f] & (values[f] - 1)) n_sets += (u32)count_bits64(values[f]);
    }
    first_set[N_CELL_FEATURES] = n_sets;
    sets.resize((size_t)n_sets * n_words);
    for (i32 f = 0; f < N_CELL_FEATURES; f++) {
      if (first_set[f] == first_set[f + 1]) continue;
      u64* set_of[MOST + 1];
      u64* next = sets.data() + (size_t)first_set[f] * n_words;
      for (u64 left = values[f]; left; left &= left - 1, next += n_words) set_of[lowest_bit64(left)] = next;
      const u8* numbers = column(f);
      for (size_t k = 0; k < n; k++) set_of[numbers[k]][k / 64] |= 1ULL << k % 64;
    }
  }

  const u8* column(i32 feature) const { return columns.data() + (size_t)feature * cells.size(); }
  bool is_of(const Scene& scene) const {
    return n_rows == scene.n_rows && width == scene.width && std::equal(cells.begin(), cells.end(), scene.cells);
  }
  u64 bytes() const { return sizeof *this + 4 * cells.size() + columns.size() + 8 * sets.size(); }

 private:
  static u64 hash_numbers(const u8* numbers, size_t n) {
    u64 hash = n;
    for (size_t k = 0; k < n; k += 8) {
      u64 word = 0;
      std::memcpy(&word, numbers + k, std::min(n - k, (size_t)8));
      hash = mix_bits(hash ^ word);
    }
    return hash;
  }
  static i32 count_bits64(u64 bits) { return count_bits((u32)bits) + count_bits((u32)(bits >> 32)); }
};

// The features that a thread used last.
class FeatureStore {
 public:
  // Returns the features of a grid, or null if they are not in the store.
  std::shared_ptr<const GridFeatures> find(const Scene& scene) {
    for (size_t k = kept_.size(); k-- > 0;)
      if (kept_[k]->is_of(scene)) {
        std::rotate(kept_.begin() + (i64)k, kept_.begin() + (i64)k + 1, kept_.end());
        return kept_.back();
      }
    return nullptr;
  }
  // Returns the features of a grid, and keeps them instead of those that were not used for longest.
  std::shared_ptr<const GridFeatures> make(const Scene& scene, RelationColumns& writer) {
    if (auto known = find(scene)) return known;
    kept_.push_back(std::make_shared<GridFeatures>(scene, writer));
    bytes_ += kept_.back()->bytes();
    const auto made = kept_.back();
    size_t n_dropped = 0;
    for (; bytes_ > MAX_BYTES || kept_.size() - n_dropped > MAX_GRIDS; n_dropped++)
      bytes_ -= kept_[n_dropped]->bytes();
    kept_.erase(kept_.begin(), kept_.begin() + (i64)n_dropped);
    return made;
  }

 private:
  static constexpr u64 MAX_BYTES = 8 << 20;
  static constexpr size_t MAX_GRIDS = 64;
  std::vector<std::shared_ptr<const GridFeatures>> kept_;
  u64 bytes_ = 0;
};
inline thread_local FeatureStore feature_store;

}  // namespace cells
}  // namespace arc
