// The bits of pieces, transposed: for each cell, which of 512 pieces are not 0 and which are right there. A
// few words then show which pieces paint nothing wrong on the open cells.
#pragma once
#include "pieces.hpp"

namespace arc {

constexpr u32 PLANE_WORDS = 8, PLANE_PIECES = 64 * PLANE_WORDS;

// Transposes 64 rows of 64 bits.
inline void transpose(u64* rows) {
  u64 mask = 0x00000000ffffffffULL;
  for (u32 j = 32; j; j >>= 1, mask ^= mask << j)
    for (u32 k = 0; k < 64; k = (k + j + 1) & ~j) {
      const u64 swapped = (rows[k] >> j ^ rows[k + j]) & mask;
      rows[k] ^= swapped << j;
      rows[k + j] ^= swapped;
    }
}

// At most this many pieces of a block are checked one by one.
constexpr u32 FEW_PIECES = 40;

// Adds to `wrong` the pieces that paint one of some cells wrong: first by cells that are not 0, then by cells
// that are. Stops early when few are left, and returns the number of cells it checked.
ARC_CLONED inline u32 find_wrong(const u64* __restrict__ planes, const u32* cells, u32 n, u64* __restrict__ wrong) {
  u64 any_wrong[2 * PLANE_WORDS];
  for (u32 w = 0; w < 2 * PLANE_WORDS; w++) any_wrong[w] = wrong[w];
  u32 k = 0;
  while (k < n) {
    for (const u32 end = k + 8 < n ? k + 8 : n; k < end; k++) {
      const u64* plane = planes + (u64)cells[k] * 2 * PLANE_WORDS;
      for (u32 w = 0; w < PLANE_WORDS; w++) {
        any_wrong[w] |= plane[w] & ~plane[PLANE_WORDS + w];
        any_wrong[PLANE_WORDS + w] |= ~(plane[w] | plane[PLANE_WORDS + w]);
      }
    }
    u64 n_left = 0;
    for (u32 w = 0; w < 2 * PLANE_WORDS; w++) n_left += (u64)__builtin_popcountll(~any_wrong[w]);
    if (n_left <= FEW_PIECES) break;
  }
  for (u32 w = 0; w < 2 * PLANE_WORDS; w++) wrong[w] = any_wrong[w];
  return k;
}

class Planes {
 public:
  // `order` has the pieces by bit of the planes, `bits` the bits of the cells by plane.
  Planes(const Pieces& pieces, const std::vector<u32>& order, const std::vector<u32>& bits, u32 n_demos,
         Workspace& workspace) {
    const u32 n_blocks = ((u32)order.size() + PLANE_PIECES - 1) / PLANE_PIECES;
    for (u32 k = 0; k < n_blocks; k++)
      blocks_.push_back((u64*)workspace.take(bits.size() * 2 * PLANE_WORDS * sizeof(u64)));
    std::vector<u32> places(64 * pieces.n_words(), ~0u);
    for (u32 k = 0; k < bits.size(); k++) places[bits[k]] = k;
    u64 rows[2][64];
    for (u32 group = 0; group < n_blocks * PLANE_WORDS; group++) {
      const u32 first = 64 * group, n = (u32)order.size();
      u64* block = blocks_[group / PLANE_WORDS] + group % PLANE_WORDS;
      for (u32 d = 0; d < n_demos; d++)
        for (u32 w = 0; w < pieces.n_words(d); w++) {
          for (u32 k = 0; k < 64; k++) {
            const u64* shown = first + k < n ? pieces.bits(order[first + k], d) : nullptr;
            rows[0][k] = shown ? shown[w] : 0;
            rows[1][k] = shown ? shown[pieces.n_words(d) + w] : 0;
          }
          transpose(rows[0]);
          transpose(rows[1]);
          const u32* place = places.data() + 64 * (pieces.first_word(d) + w);
          for (u32 k = 0; k < 64; k++) {
            if (place[k] == ~0u) continue;
            block[(u64)place[k] * 2 * PLANE_WORDS] = rows[0][k];
            block[(u64)place[k] * 2 * PLANE_WORDS + PLANE_WORDS] = rows[1][k];
          }
        }
    }
  }
  u32 n_blocks() const { return (u32)blocks_.size(); }
  const u64* block(u32 number) const { return blocks_[number]; }

 private:
  std::vector<u64*> blocks_;
};

}  // namespace arc
