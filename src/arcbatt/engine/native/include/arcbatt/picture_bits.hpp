// Pictures as bits, one word per row, for floods, contacts and connected parts. Pictures that do not fit a board of
// bits are processed cell by cell.
#pragma once
#include "geometry.hpp"
#include "picture_parts.hpp"

namespace arc {

// One bit beyond the last of a row is left for carries.
constexpr i32 MAX_BIT_ROWS = 64, MAX_BIT_WIDTH = 63;

// Row i of a board is rows[i]; on a warp only thread i has it.
struct BitRows {
  u64 rows[W == 1 ? MAX_BIT_ROWS : 1];
};

// The size of boards.
struct BitFrame {
  i32 n_rows, width;

  // The bits of all cells of a row.
  ARC_FN u64 full() const { return (1ULL << width) - 1; }
  // The bits of those cells of a row that are on the edge.
  ARC_FN u64 edge(i32 row) const {
    return row == 0 || row == n_rows - 1 ? full() : 1ULL | 1ULL << (width - 1);
  }
  // Calls f(row, at) for each row, which is rows[at] of a board. Threads without a row take part.
  template <class F>
  ARC_FN void each_row(F f) const {
    if constexpr (W == 1) {
      for (i32 i = 0; i < n_rows; i++) f(i, i);
    } else {
      f(thread_index(), 0);
    }
  }
};
template <class C>
ARC_FN bool fits_bits(const Picture<C>& p) {
  return p.n_rows <= (W == 1 ? MAX_BIT_ROWS : W) && p.width <= MAX_BIT_WIDTH;
}
template <class C>
ARC_FN BitFrame frame_of(const Picture<C>& p) { return {p.n_rows, p.width}; }

// Returns the union of the rows above and below a row.
ARC_FN u64 beside_row(const BitFrame& frame, const BitRows& board, i32 row) {
#if defined(__CUDACC__)
  const u32 low = (u32)board.rows[0], high = (u32)(board.rows[0] >> 32);
  const int up = row > 0 ? row - 1 : row, down = row < W - 1 ? row + 1 : row;
  const u64 above = shuffle(low, up) | (u64)shuffle(high, up) << 32;
  const u64 below = shuffle(low, down) | (u64)shuffle(high, down) << 32;
#else
  const u64 above = row > 0 ? board.rows[row - 1] : 0;
  const u64 below = row < frame.n_rows - 1 ? board.rows[row + 1] : 0;
#endif
  return (row > 0 ? above : 0) | (row < frame.n_rows - 1 ? below : 0);
}

// --- from cells to bits and back ---

#if !defined(__CUDACC__)
constexpr u64 BYTE_ONES = 0x0101010101010101ULL;

// Loads eight cells from a place on, one byte each, the first lowest; 0 beyond the last cell.
ARC_FN u64 load_cells(const u8* cells, i64 at, i64 n) {
  u64 bytes = 0;
  if (at + 8 <= n) {
    __builtin_memcpy(&bytes, cells + at, 8);
  } else if (n >= 8) {
    __builtin_memcpy(&bytes, cells + n - 8, 8);
    bytes = at < n ? bytes >> 8 * (at + 8 - n) : 0;
  } else {
    for (i64 k = at; k < n; k++) bytes |= (u64)cells[k] << 8 * (k - at);
  }
  return bytes;
}
// Stores eight cells, or as many as there are places left.
ARC_FN void store_cells(u8* cells, i64 at, i64 n, u64 bytes) {
  if (at + 8 <= n) {
    __builtin_memcpy(cells + at, &bytes, 8);
  } else {
    for (i64 k = at; k < n; k++, bytes >>= 8) cells[k] = (u8)bytes;
  }
}
// Returns a bit for each byte that is not 0; bytes are below 128.
ARC_FN u64 bits_of_bytes(u64 bytes) {
  return ((bytes + 0x7f * BYTE_ONES) >> 7 & BYTE_ONES) * 0x0102040810204080ULL >> 56;
}
// Returns a byte of 1 or 0 for each of the lowest eight bits.
ARC_FN u64 bytes_of_bits(u64 bits) {
  return (((bits & 255) * BYTE_ONES & 0x8040201008040201ULL) + 0x7f * BYTE_ONES) >> 7 & BYTE_ONES;
}
#endif

// Returns the bits of the cells that are not 0.
template <class C>
ARC_FN void find_shown(const Picture<C>& p, BitRows& shown) {
#if defined(__CUDACC__)
  shown.rows[0] = 0;
  const i32 t = thread_index();
  for (i32 i = 0; i < p.n_rows; i++) {
    const C* row = p.cells + (i64)i * p.width;
    const u64 low = ballot(t < p.width && row[t]);
    const u64 high = ballot(t + W < p.width && row[t + W]);
    if (t == i) shown.rows[0] = low | high << 32;
  }
#else
  const u64 full = frame_of(p).full();
  const C* row = p.cells;
  i64 left = p.area();
  for (i32 i = 0; i < p.n_rows; i++, row += p.width, left -= p.width) {
    u64 bits = 0;
    if constexpr (sizeof(C) == 1)
      for (i32 j = 0; j < p.width; j += 8) bits |= bits_of_bytes(load_cells(row, j, left)) << j;
    else
      for (i32 j = 0; j < p.width; j++) bits |= (u64)(row[j] != 0) << j;
    shown.rows[i] = bits & full;
  }
#endif
}

#if !defined(__CUDACC__)
// Finds the cells that equal the one to their left, and those that equal the one above them.
template <class C>
ARC_FN void find_equal(const Picture<C>& p, BitRows& as_left, BitRows& as_above) {
  const u64 full = frame_of(p).full();
  const C* row = p.cells;
  i64 left = p.area();
  for (i32 i = 0; i < p.n_rows; i++, row += p.width, left -= p.width) {
    const C* above = i ? row - p.width : row;
    u64 aside = 0, over = 0;  // cells that differ
    if constexpr (sizeof(C) == 1) {
      u64 before = 0;
      for (i32 j = 0; j < p.width; j += 8) {
        const u64 bytes = load_cells(row, j, left);
        aside |= bits_of_bytes(bytes ^ (bytes << 8 | before)) << j;
        over |= bits_of_bytes(bytes ^ load_cells(above, j, left)) << j;
        before = bytes >> 56;
      }
    } else {
      for (i32 j = 1; j < p.width; j++) aside |= (u64)(row[j] != row[j - 1]) << j;
      for (i32 j = 0; j < p.width; j++) over |= (u64)(row[j] != above[j]) << j;
    }
    as_left.rows[i] = ~aside & full & ~1ULL;
    as_above.rows[i] = i ? ~over & full : 0;
  }
}
#endif

// The colors painted where bits are set: one color, or the cells of a picture.
template <class C>
struct OneColor {
  C color;

  ARC_FN C at(i64) const { return color; }
  ARC_FN u64 masked(u64 ones, i64, i64) const { return ones * color; }
};
template <class C>
struct OwnColors {
  const C* cells;

  ARC_FN C at(i64 k) const { return cells[k]; }
#if !defined(__CUDACC__)
  ARC_FN u64 masked(u64 ones, i64 at, i64 n) const { return ones * 255 & load_cells(cells, at, n); }
#endif
};
// Writes the cells of a frame: the color of the ink where bits are set, elsewhere 0.
template <class C, class Ink>
ARC_FN void paint_bits(const BitFrame& frame, const BitRows& board, C* to, const Ink& ink) {
  i64 at = 0;
#if defined(__CUDACC__)
  for (i32 i = 0; i < frame.n_rows; i++, at += frame.width) {
    const u32 low = shuffle((u32)board.rows[0], i), high = shuffle((u32)(board.rows[0] >> 32), i);
    const u64 bits = low | (u64)high << 32;
    for (i32 j = thread_index(); j < frame.width; j += W) to[at + j] = bits >> j & 1 ? ink.at(at + j) : 0;
  }
  sync();
#else
  const i64 n = (i64)frame.n_rows * frame.width;
  for (i32 i = 0; i < frame.n_rows; i++, at += frame.width) {
    const u64 bits = board.rows[i];
    if constexpr (sizeof(C) == 1)  // cells written beyond a row are overwritten by the next row
      for (i32 j = 0; j < frame.width; j += 8)
        store_cells(to, at + j, n, ink.masked(bytes_of_bits(bits >> j), at + j, n));
    else
      for (i32 j = 0; j < frame.width; j++) to[at + j] = bits >> j & 1 ? ink.at(at + j) : 0;
  }
#endif
}

// --- floods ---

// Finds the zeros that are connected through zeros to the edge, by sides or also by corners.
ARC_FN void flood_outside(const BitFrame& frame, const BitRows& shown, bool diagonal, BitRows& outside) {
  const u64 full = frame.full();
#if defined(__CUDACC__)
  const i32 t = thread_index();
  const u64 open = t < frame.n_rows ? full & ~shown.rows[0] : 0;
  outside.rows[0] = runs_of(open & frame.edge(t), open);
  for (;;) {
    u64 near = beside_row(frame, outside, t);
    if (diagonal) near |= near << 1 | near >> 1;
    const u64 before = outside.rows[0], seed = before | (near & open);
    if (!ballot(seed != before)) return;
    outside.rows[0] = runs_of(seed, open);
  }
#else
  u64 open[MAX_BIT_ROWS] = {};
  for (i32 i = 0; i < frame.n_rows; i++) open[i] = full & ~shown.rows[i];
  if (diagonal)
    flood_from_edge<true>(open, frame.n_rows, frame.width, outside.rows);
  else
    flood_from_edge<false>(open, frame.n_rows, frame.width, outside.rows);
#endif
}

// --- connected parts ---

#if !defined(__CUDACC__)
// Counts the parts that runs of cells form: a run begins at each bit of `starts`; where a bit of `links` is set, its
// run is connected with that of the cell above.
ARC_CLONED static i64 count_linked(const BitFrame& frame, const BitRows& starts, const BitRows& links) {
  u16 parent[MAX_BIT_ROWS * MAX_BIT_WIDTH];
  auto root = [&](i32 k) {
    while (parent[k] != k) {
      parent[k] = parent[parent[k]];
      k = parent[k];
    }
    return k;
  };
  i32 n_runs = 0, n_joined = 0, above = 0;  // `above` is the first run of the row above
  for (i32 i = 0; i < frame.n_rows; i++) {
    const i32 first = n_runs;
    n_runs += __builtin_popcountll(starts.rows[i]);
    for (i32 k = first; k < n_runs; k++) parent[k] = (u16)k;
    for (u64 rest = links.rows[i]; rest; rest &= rest - 1) {
      const u64 up_to = rest ^ (rest - 1);  // the bits up to the lowest
      const i32 a = root(above + __builtin_popcountll(starts.rows[i - 1] & up_to) - 1);
      const i32 b = root(first + __builtin_popcountll(starts.rows[i] & up_to) - 1);
      if (a == b) continue;
      parent[max_of(a, b)] = (u16)min_of(a, b);
      n_joined++;
    }
    above = first;
  }
  return n_runs - n_joined;
}

// Counts the parts of set cells that are connected by sides.
ARC_FN i64 count_parts(const BitFrame& frame, const BitRows& board) {
  BitRows starts, links;
  u64 above = 0;
  for (i32 i = 0; i < frame.n_rows; i++) {
    const u64 bits = board.rows[i], common = bits & above;
    starts.rows[i] = bits & ~(bits << 1);
    links.rows[i] = common & ~(common << 1);
    above = bits;
  }
  return count_linked(frame, starts, links);
}

// Returns the corners minus the sides plus the cells, each counted once, of all set cells. By Euler's formula this is
// the number of parts connected by sides or corners, minus the number of their holes.
ARC_CLONED static i64 euler_number(const BitFrame& frame, const BitRows& shown) {
  i64 sum = 0;
  u64 above = 0;
  for (i32 i = 0; i <= frame.n_rows; i++) {
    const u64 bits = i < frame.n_rows ? shown.rows[i] : 0, either = bits | above;
    sum += __builtin_popcountll(either | either << 1) - __builtin_popcountll(either);
    sum += __builtin_popcountll(bits) - __builtin_popcountll(bits | bits << 1);
    above = bits;
  }
  return sum;
}
#endif

}  // namespace arc
