// Drawing operations on pictures. language/primitives/picture_drawing.py defines the primitives.
#pragma once
#include "../geometry.hpp"
#include "pictures.hpp"

namespace arc {

// --- helpers ---

// Allocates temporary memory, within a Scratch and after the memory of the result, or returns from the function.
#define ARC_SCRATCH(name, type, n)            \
  type* name = lane.allocate_array<type>(n);  \
  if (!name) return failed_picture<C>(OVER_BUDGET)

template <class C>
ARC_FN void fill_cells(C* to, i64 n, C color) {
  each(n, [=](i64 k) { to[k] = color; });
}
// Copies a rectangle of cells between arrays with these distances between rows.
template <class C>
ARC_FN void copy_rows(C* to, i64 to_stride, const C* from, i64 from_stride, i64 n_rows, i64 width) {
  each_in_grid(n_rows, width, [=](i64 i, i64 j) { to[i * to_stride + j] = from[i * from_stride + j]; });
}
template <class C>
ARC_FN Picture<C> blank_picture(Lane& lane, i64 n_rows, i64 width) {
  ARC_NEW_PICTURE(blank, to, 0, 0, n_rows, width);
  fill_cells<C>(to, n_rows * width, 0);
  return blank;
}

// A picture turned or mirrored: its cell at row i, column j comes from start + i * down + j * right.
struct View {
  i64 start, down, right;
};
// Returns the view for a code of `turn`.
ARC_FN View view_of(i64 code, i64 n_rows, i64 width) {
  const i64 last_row = (n_rows - 1) * width, last = n_rows * width - 1;
  switch (code) {
    case 1: return {width - 1, -1, width};
    case 2: return {last, -width, -1};
    case 3: return {last_row, 1, -width};
    case 4: return {width - 1, width, -1};
    case 5: return {last_row, -width, 1};
    case 6: return {0, 1, width};
    default: return {last, -1, -width};
  }
}

// Lines of cells through a frame in one direction, each from its first cell on.
struct Lines {
  i64 n_rows, width, down, right;

  ARC_FN i64 count() const { return !down ? n_rows : !right ? width : n_rows + width - 1; }
  ARC_FN i64 step() const { return down * width + right; }
  // Returns the first cell of a line, and its number of cells in `n`.
  ARC_FN i64 first(i64 line, i64* n) const {
    i64 i = 0, j = 0;  // as if the direction were to the right or down
    if (!down) {
      i = line;
    } else if (!right) {
      j = line;
    } else {
      i = max_of<i64>(0, line - width + 1);
      j = max_of<i64>(0, width - 1 - line);
    }
    const i64 n_down = n_rows - i, n_right = width - j;
    *n = !down ? n_right : !right ? n_down : min_of(n_down, n_right);
    if (down < 0) i = n_rows - 1 - i;
    if (right < 0) j = width - 1 - j;
    return i * width + j;
  }
};

// --- pictures as rows of vectors ---

// Pictures of up to 64 by 64 cells on the CPU: a row is one, two or four vectors of bytes, with 0 beyond its cells.
#if !defined(__CUDACC__) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define ARC_SHEETS
#endif
#endif
constexpr i64 SHEET_SIZE = 64;

#if defined(ARC_SHEETS)
typedef u8 Bytes __attribute__((vector_size(16)));

// Shifts bytes by S places, to the right or to the left; 0 is shifted in.
template <int S>
ARC_FN Bytes moved_right(Bytes v) {
  return __builtin_shufflevector(Bytes{}, v, 16 - S, 17 - S, 18 - S, 19 - S, 20 - S, 21 - S, 22 - S,
                                 23 - S, 24 - S, 25 - S, 26 - S, 27 - S, 28 - S, 29 - S, 30 - S, 31 - S);
}
template <int S>
ARC_FN Bytes moved_left(Bytes v) {
  return __builtin_shufflevector(v, Bytes{}, S, 1 + S, 2 + S, 3 + S, 4 + S, 5 + S, 6 + S, 7 + S, 8 + S,
                                 9 + S, 10 + S, 11 + S, 12 + S, 13 + S, 14 + S, 15 + S);
}
ARC_FN Bytes if_zero(Bytes v, Bytes other) { return v | (other & (Bytes)(v == 0)); }

template <int N>
struct SheetRow {
  Bytes part[N];

  // Returns this row with cells of another where it is 0.
  ARC_FN SheetRow or_else(const SheetRow& other) const {
    SheetRow result;
    for (int k = 0; k < N; k++) result.part[k] = if_zero(part[k], other.part[k]);
    return result;
  }
  template <int S>
  ARC_FN SheetRow right() const {
    SheetRow result;
    for (int k = 0; k < N; k++) {
      result.part[k] = moved_right<S>(part[k]);
      if (k > 0) result.part[k] |= moved_left<16 - S>(part[k - 1]);
    }
    return result;
  }
  template <int S>
  ARC_FN SheetRow left() const {
    SheetRow result;
    for (int k = 0; k < N; k++) {
      result.part[k] = moved_left<S>(part[k]);
      if (k + 1 < N) result.part[k] |= moved_right<16 - S>(part[k + 1]);
    }
    return result;
  }
  ARC_FN SheetRow sideways(i64 by) const { return by > 0 ? right<1>() : by < 0 ? left<1>() : *this; }
  // Smears each cell that is not 0 to the right, by doubling steps.
  ARC_FN SheetRow smeared_right() const {
    SheetRow v = or_else(right<1>());
    v = v.or_else(v.template right<2>());
    v = v.or_else(v.template right<4>());
    v = v.or_else(v.template right<8>());
    for (int step = 1; step < N; step *= 2)
      for (int k = N - 1; k >= step; k--) v.part[k] = if_zero(v.part[k], v.part[k - step]);
    return v;
  }
  ARC_FN SheetRow smeared_left() const {
    SheetRow v = or_else(left<1>());
    v = v.or_else(v.template left<2>());
    v = v.or_else(v.template left<4>());
    v = v.or_else(v.template left<8>());
    for (int step = 1; step < N; step *= 2)
      for (int k = 0; k + step < N; k++) v.part[k] = if_zero(v.part[k], v.part[k + step]);
    return v;
  }
};

template <int N>
struct Sheet {
  static constexpr i64 STRIDE = 16 * N;
  SheetRow<N> rows[SHEET_SIZE];

  template <class C>
  ARC_FN void read(const Picture<C>& p) {
    const i64 width = p.width, area = p.area();
    Bytes inside[N];
    for (i64 j = 0; j < STRIDE; j++) ((u8*)inside)[j] = j < width ? 255 : 0;
    i64 i = 0;
    if constexpr (sizeof(C) == 1) {  // whole vectors, as long as there are enough cells
      const u8* from = (const u8*)p.cells;
      for (; i * width + STRIDE <= area; i++) {
        __builtin_memcpy(&rows[i], from + i * width, STRIDE);
        for (int k = 0; k < N; k++) rows[i].part[k] &= inside[k];
      }
    }
    for (; i < p.n_rows; i++) {
      rows[i] = SheetRow<N>{};
      for (i64 j = 0; j < width; j++) ((u8*)&rows[i])[j] = (u8)p.cells[i * width + j];
    }
  }
  template <class C>
  ARC_FN void write(C* to, i64 n_rows, i64 width) const {
    const i64 area = n_rows * width;
    i64 i = 0;
    if constexpr (sizeof(C) == 1)  // bytes of a vector beyond its row are overwritten by the next one
      for (; i * width + STRIDE <= area; i++) __builtin_memcpy(to + i * width, &rows[i], STRIDE);
    for (; i < n_rows; i++)
      for (i64 j = 0; j < width; j++) to[i * width + j] = ((const u8*)&rows[i])[j];
  }
  ARC_FN void clear(i64 n_rows) {
    for (i64 i = 0; i < n_rows; i++) rows[i] = SheetRow<N>{};
  }
};

// Calls f(parts) with the number of vectors that a row needs; returns false if a picture does not fit.
template <int N>
struct Parts {
  static constexpr int n = N;
};
template <class C, class F>
ARC_FN bool on_sheet(const Picture<C>& p, F f) {
  if (p.n_rows > SHEET_SIZE || p.width > SHEET_SIZE) return false;
  if (p.width <= 16) f(Parts<1>());
  else if (p.width <= 32) f(Parts<2>());
  else f(Parts<4>());
  return true;
}
#endif

// --- turn ---

// Compares how far the center of the non-zero cells is from the middle of the frame, horizontally and vertically.
template <class C>
ARC_FN bool further_off_sideways(const Picture<C>& p) {
  const C* cells = p.cells;
  const i64 n_rows = p.n_rows, width = p.width;
  const i64 upright = total(n_rows, [=](i64 i) {
    i32 n = 0;
    for (i64 j = 0; j < width; j++) n += cells[i * width + j] != 0;
    return n * (2 * i - (n_rows - 1));
  });
  const i64 sideways = total(n_rows, [=](i64 i) {
    i64 sum = 0;
    for (i64 j = 0; j < width; j++) sum += (2 * j - (width - 1)) & -(i64)(cells[i * width + j] != 0);
    return sum;
  });
  return (sideways < 0 ? -sideways : sideways) >= (upright < 0 ? -upright : upright);
}
template <class C>
ARC_FN Picture<C> move_turn(Lane& lane, const Picture<C>& p, i64 code) {
  if (code == 8) code = further_off_sideways(p) ? 4 : 5;
  const bool upright = code == 2 || code == 4 || code == 5;
  const i64 n_rows = upright ? p.n_rows : p.width, width = upright ? p.width : p.n_rows;
  ARC_NEW_PICTURE(turned, to, p.row, p.column, n_rows, width);
  const View view = view_of(code, p.n_rows, p.width);
  const C* from = p.cells + view.start;
  each_in_grid(n_rows, width,
               [=](i64 i, i64 j) { to[i * width + j] = from[i * view.down + j * view.right]; });
  return turned;
}

template <class C>
ARC_FN Picture<C> move_half_of(Lane& lane, const Picture<C>& p, i64 code) {
  const i64 n_rows = code < 2 ? p.n_rows : p.n_rows / 2, width = code < 2 ? p.width / 2 : p.width;
  const i64 top = code == 3 ? p.n_rows - n_rows : 0, left = code == 1 ? p.width - width : 0;
  ARC_NEW_PICTURE(half, to, p.row + top, p.column + left, n_rows, width);
  copy_rows(to, width, p.cells + top * p.width + left, (i64)p.width, n_rows, width);
  return half;
}

// --- smear and connect ---

// The directions of a code, in order, each as a hexadecimal digit: 1 right, 2 left, 3 down, 4 up,
// 5 down-right, 6 up-left, 7 up-right, 8 down-left. The first one is the lowest.
ARC_FN u64 smear_directions(i64 code) {
  switch (code) {
    case 0: return 0x1;
    case 1: return 0x2;
    case 2: return 0x3;
    case 3: return 0x4;
    case 4: return 0x21;
    case 5: return 0x43;
    case 6: return 0x4321;
    case 7: return 0x5;
    case 8: return 0x6;
    case 9: return 0x7;
    case 10: return 0x8;
    case 11: return 0x65;
    case 12: return 0x87;
    case 13: return 0x8765;
    default: return 0x87654321;
  }
}
ARC_FN i64 rows_down(u64 direction) {
  return direction == 3 || direction == 5 || direction == 8 ? 1 : direction < 3 ? 0 : -1;
}
ARC_FN i64 columns_right(u64 direction) {
  return direction == 1 || direction == 5 || direction == 7   ? 1
         : direction == 2 || direction == 6 || direction == 8 ? -1
                                                              : 0;
}

#if defined(ARC_SHEETS)
// Paints over `painted` the cells that move down (by = 1) or up (-1) the rows, and sideways with each row.
template <int N, int SIDEWAYS>
ARC_FN void smear_rows(const Sheet<N>& from, Sheet<N>& painted, i64 n_rows, i64 by) {
  SheetRow<N> carried{};
  for (i64 s = 0, i = by > 0 ? 0 : n_rows - 1; s < n_rows; s++, i += by) {
    carried = from.rows[i].or_else(carried.sideways(SIDEWAYS));
    painted.rows[i] = carried.or_else(painted.rows[i]);
  }
}
template <int N>
ARC_FN void smear_sheet(const Sheet<N>& from, Sheet<N>& painted, i64 n_rows, u64 direction) {
  switch (direction) {
    case 1:
      for (i64 i = 0; i < n_rows; i++)
        painted.rows[i] = from.rows[i].smeared_right().or_else(painted.rows[i]);
      return;
    case 2:
      for (i64 i = 0; i < n_rows; i++)
        painted.rows[i] = from.rows[i].smeared_left().or_else(painted.rows[i]);
      return;
    case 3: return smear_rows<N, 0>(from, painted, n_rows, 1);
    case 4: return smear_rows<N, 0>(from, painted, n_rows, -1);
    case 5: return smear_rows<N, 1>(from, painted, n_rows, 1);
    case 6: return smear_rows<N, -1>(from, painted, n_rows, -1);
    case 7: return smear_rows<N, 1>(from, painted, n_rows, -1);
    default: return smear_rows<N, -1>(from, painted, n_rows, 1);
  }
}
#endif
template <class C>
ARC_FN Picture<C> move_smear(Lane& lane, const Picture<C>& p, i64 code) {
  ARC_NEW_PICTURE(smeared, to, p.row, p.column, p.n_rows, p.width);
  const u64 directions = smear_directions(code);
#if defined(ARC_SHEETS)
  const i64 n_rows = p.n_rows, width = p.width;
  const bool done = on_sheet(p, [&](auto parts) {
    Sheet<decltype(parts)::n> sheet, painted;
    sheet.read(p);
    painted.clear(n_rows);
    for (u64 d = directions; d; d >>= 4) smear_sheet(sheet, painted, n_rows, d & 15);
    painted.write(to, n_rows, width);
  });
  if (done) return smeared;
#endif
  const C* from = p.cells;
  copy(to, from, p.area());
  for (u64 d = directions; d; d >>= 4) {
    const Lines lines{p.n_rows, p.width, rows_down(d & 15), columns_right(d & 15)};
    each(lines.count(), [=](i64 line) {
      i64 n;
      const i64 first = lines.first(line, &n), step = lines.step();
      C color = 0;
      for (i64 s = 0, k = first; s < n; s++, k += step) {
        if (from[k]) color = from[k];
        if (color) to[k] = color;
      }
    });
  }
  return smeared;
}

template <class C>
ARC_FN Picture<C> move_bridge(Lane& lane, const Picture<C>& p, i64 code) {
  ARC_NEW_PICTURE(bridged, to, p.row, p.column, p.n_rows, p.width);
#if defined(ARC_SHEETS)
  // A gap is filled if the nearest colors on both sides are equal.
  const i64 n_rows = p.n_rows, width = p.width;
  const bool done = on_sheet(p, [&](auto parts) {
    constexpr int N = decltype(parts)::n;
    Sheet<N> sheet, above, painted;
    sheet.read(p);
    painted.clear(n_rows);
    const auto gaps = [](const SheetRow<N>& own, const SheetRow<N>& one, const SheetRow<N>& other) {
      SheetRow<N> result;
      for (int k = 0; k < N; k++)
        result.part[k] = one.part[k] & (Bytes)(one.part[k] == other.part[k]) & (Bytes)(own.part[k] == 0);
      return result;
    };
    if (code != 1)
      for (i64 i = 0; i < n_rows; i++) {
        const SheetRow<N> row = sheet.rows[i];
        painted.rows[i] = gaps(row, row.smeared_right(), row.smeared_left());
      }
    if (code != 0) {
      SheetRow<N> carried{};
      for (i64 i = 0; i < n_rows; i++) above.rows[i] = carried = sheet.rows[i].or_else(carried);
      carried = SheetRow<N>{};
      for (i64 i = n_rows - 1; i >= 0; i--) {
        carried = sheet.rows[i].or_else(carried);
        painted.rows[i] = gaps(sheet.rows[i], above.rows[i], carried).or_else(painted.rows[i]);
      }
    }
    painted.write(to, n_rows, width);
  });
  if (done) return bridged;
#endif
  const C* from = p.cells;
  fill_cells<C>(to, p.area(), 0);
  for (int upright = code == 1; upright <= (code != 0); upright++) {
    const Lines lines{p.n_rows, p.width, upright, !upright};
    each(lines.count(), [=](i64 line) {
      i64 n;
      const i64 first = lines.first(line, &n), step = lines.step();
      i64 last = -1;
      for (i64 s = 0, k = first; s < n; s++, k += step) {
        if (!from[k]) continue;
        if (last >= 0 && from[last] == from[k])
          for (i64 gap = last + step; gap != k; gap += step) to[gap] = from[k];
        last = k;
      }
    });
  }
  return bridged;
}

template <class C>
ARC_FN Picture<C> move_spread(Lane& lane, const Picture<C>& p, i64 code) {
  ARC_NEW_PICTURE(painted, to, p.row, p.column, p.n_rows, p.width);
  const int wall = code ? count_colors(p).main_color() : 0;
  const i64 n_rows = p.n_rows, width = p.width, stride = width + 2;
  const Scratch scratch(lane);
  ARC_SCRATCH(board, u8, (n_rows + 2) * stride);  // with a border that nothing spreads to
  ARC_SCRATCH(waiting, i32, n_rows * width + 1);
  const C* from = p.cells;
  serial([=]() {
    constexpr u8 EDGE = 255;
    for (i64 j = 0; j < stride; j++) board[j] = board[(n_rows + 1) * stride + j] = EDGE;
    i64 n = 0, n_free = 0;
    for (i64 i = 0; i < n_rows; i++) {
      u8* row = board + (i + 1) * stride + 1;
      row[-1] = row[width] = EDGE;
      for (i64 j = 0; j < width; j++) {
        const int color = from[i * width + j];
        row[j] = (u8)color;
        waiting[n] = (i32)(row + j - board);
        n += (color != 0) & (color != wall);
        n_free += color == 0;
      }
    }
    const i64 n_all = n + n_free;  // an upper bound for `n`
    for (i64 at = 0; at < n && n < n_all; at++) {
      const i64 k = waiting[at];
      const u8 color = board[k];
      const i64 around[4] = {k + 1, k - 1, k + stride, k - stride};
      for (int d = 0; d < 4; d++) {  // without a branch, which would often be mispredicted
        const u8 before = board[around[d]];
        board[around[d]] = before ? before : color;
        waiting[n] = (i32)around[d];
        n += !before;
      }
    }
    return 0;
  });
  each_in_grid(n_rows, width,
               [=](i64 i, i64 j) { to[i * width + j] = (C)board[(i + 1) * stride + j + 1]; });
  scratch.give_back(lane);
  return painted;
}

// The first cell of each line as a key K: its number in reading order, then its color. NOTHING, with color 0, comes
// after all others.
template <class K, class C>
ARC_FN Picture<C> draw_lines(Lane& lane, const Picture<C>& p, i64 code, K nothing) {
  ARC_NEW_PICTURE(drawn, to, p.row, p.column, p.n_rows, p.width);
  const bool rows_too = code == 0 || code == 2 || code == 4, diagonals = code >= 3;
  const bool columns_too = code == 1 || code == 2 || code == 4;
  const i64 n_rows = p.n_rows, width = p.width, n_diagonals = n_rows + width;
  const Scratch scratch(lane);
  ARC_SCRATCH(keys, K, n_rows + width + 2 * n_diagonals);
  K* rows = keys;
  K* columns = rows + n_rows;
  K* falling = columns + width;         // by column - row + n_rows
  K* rising = falling + n_diagonals;    // by column + row
  fill_cells<K>(keys, n_rows + width + 2 * n_diagonals, nothing);
  const C* from = p.cells;
  serial([=]() {
    // From the last row to the first, so that the first cell remains.
    const auto note = [=](const C* __restrict__ row, K first, K* __restrict__ to_note) {
      for (i64 j = 0; j < width; j++)
        to_note[j] = row[j] ? (K)(first + (K)(16 * j) + (K)row[j]) : to_note[j];
    };
    for (i64 i = n_rows - 1; i >= 0; i--) {
      const C* row = from + i * width;
      const K first = (K)(i * width * 16);
      if (rows_too) {
        i64 j = 0;
        while (j < width && !row[j]) j++;
        if (j < width) rows[i] = (K)(first + 16 * j + row[j]);
      }
      if (columns_too) note(row, first, columns);
      if (diagonals) note(row, first, falling + n_rows - i);
      if (diagonals) note(row, first, rising + i);
    }
    return 0;
  });
  each(n_rows, [=](i64 i) {
    const C* __restrict__ own = from + i * width;
    C* __restrict__ painted = to + i * width;
    const K *__restrict__ down = falling + n_rows - i, *__restrict__ up = rising + i;
    const K *__restrict__ upright = columns, across = rows[i];
    for (i64 j = 0; j < width; j++) {
      const K least = min_of(min_of(across, upright[j]), min_of(down[j], up[j]));
      painted[j] = own[j] ? own[j] : (C)(least & 15);
    }
  });
  scratch.give_back(lane);
  return drawn;
}
template <class C>
ARC_FN Picture<C> move_lines_through(Lane& lane, const Picture<C>& p, i64 code) {
  if (p.area() < 2047) return draw_lines<short>(lane, p, code, (short)(2047 * 16));
  return draw_lines<i64>(lane, p, code, 1LL << 60);
}

template <class C>
ARC_FN Picture<C> move_fall(Lane& lane, const Picture<C>& p, i64 code) {
  ARC_NEW_PICTURE(fallen, to, p.row, p.column, p.n_rows, p.width);
  fill_cells<C>(to, p.area(), 0);
  const C* from = p.cells;
  // Start at the edge towards which cells fall.
  const Lines lines{p.n_rows, p.width, code == 2 ? -1 : code == 3, code == 0 ? -1 : code == 1};
  each(lines.count(), [=](i64 line) {
    i64 n;
    const i64 first = lines.first(line, &n), step = lines.step();
    i64 rest = first;
    for (i64 s = 0, k = first; s < n; s++, k += step) {
      const C color = from[k];
      to[rest] = color;
      rest += step & -(i64)(color != 0);
    }
  });
  return fallen;
}

// --- frame ---

template <class C>
ARC_FN Picture<C> move_halo(Lane& lane, const Picture<C>& p) {
  ARC_NEW_PICTURE(around, to, p.row, p.column, p.n_rows, p.width);
  const i64 n_rows = p.n_rows, width = p.width;
#if defined(ARC_SHEETS)
  const bool done = on_sheet(p, [&](auto parts) {
    constexpr int N = decltype(parts)::n;
    Sheet<N> sheet, painted;
    sheet.read(p);
    const auto widened = [&](i64 i) {
      const SheetRow<N> row = i < n_rows ? sheet.rows[i] : SheetRow<N>{};
      const SheetRow<N> right = row.template right<1>(), left = row.template left<1>();
      SheetRow<N> result;
      for (int k = 0; k < N; k++) result.part[k] = row.part[k] | right.part[k] | left.part[k];
      return result;
    };
    SheetRow<N> above{}, here = widened(0);
    for (i64 i = 0; i < n_rows; i++) {
      const SheetRow<N> below = widened(i + 1);
      for (int k = 0; k < N; k++) {
        const Bytes near = above.part[k] | here.part[k] | below.part[k];
        painted.rows[i].part[k] = (Bytes)(near != 0) & (Bytes)(sheet.rows[i].part[k] == 0) & 1;
      }
      above = here;
      here = below;
    }
    painted.write(to, n_rows, width);
  });
  if (done) return around;
#endif
  const C* from = p.cells;
  each_in_grid(n_rows, width, [=](i64 i, i64 j) {
    int near = 0;
    for (i64 y = max_of<i64>(i - 1, 0); y <= min_of(i + 1, n_rows - 1); y++)
      for (i64 x = max_of<i64>(j - 1, 0); x <= min_of(j + 1, width - 1); x++) near |= from[y * width + x];
    to[i * width + j] = near && !from[i * width + j];
  });
  return around;
}

template <class C>
ARC_FN Picture<C> move_framed(Lane& lane, const Picture<C>& p, i64 code) {
  if (p.empty()) return p;
  const i64 n_rows = p.n_rows + 2, width = p.width + 2;
  ARC_NEW_PICTURE(larger, to, (i64)p.row - 1, (i64)p.column - 1, n_rows, width);
  fill_cells<C>(to, n_rows * width, (C)(code ? count_colors(p).main_color() : 1));
  copy_rows(to + width + 1, width, p.cells, (i64)p.width, p.n_rows, p.width);
  return larger;
}

// Repeats each cell of a row.
template <class C>
ARC_FN void stretch_row(const C* from, i64 width, i64 wide, C* to) {
  switch (wide) {  // common factors, without a loop per cell
    case 1:
      for (i64 j = 0; j < width; j++) to[j] = from[j];
      return;
    case 2:
      for (i64 j = 0; j < width; j++) to[2 * j] = to[2 * j + 1] = from[j];
      return;
    case 3:
      for (i64 j = 0; j < width; j++) to[3 * j] = to[3 * j + 1] = to[3 * j + 2] = from[j];
      return;
    default:
      for (i64 j = 0; j < width; j++)
        for (i64 s = 0; s < wide; s++) to[j * wide + s] = from[j];
  }
}
// Enlarges each cell to a block.
template <class C>
ARC_FN void draw_blocks(const Picture<C>& p, C* to, i64 high, i64 wide) {
  const C* from = p.cells;
  const i64 width = p.width, to_width = width * wide;
  each(p.n_rows, [=](i64 i) {
    C* first = to + i * high * to_width;
    stretch_row(from + i * width, width, wide, first);
    for (i64 r = 1; r < high; r++)
      for (i64 j = 0; j < to_width; j++) first[r * to_width + j] = first[j];
  });
}
template <class C>
ARC_FN Picture<C> move_grow(Lane& lane, const Picture<C>& p, i64 n) {
  ARC_NEW_PICTURE(grown, to, p.row, p.column, p.n_rows * n, p.width * n);
  draw_blocks(p, to, n, n);
  return grown;
}

// --- fill in ---

template <class C>
ARC_FN Picture<C> move_mirror_fill(Lane& lane, const Picture<C>& p, i64 code) {
  ARC_NEW_PICTURE(filled, to, p.row, p.column, p.n_rows, p.width);
  const i64 width = p.width;
  copy(to, p.cells, p.area());
  // Codes of `turn`, the first one as the lowest digit.
  u64 views = code == 0 ? 0x4 : code == 1 ? 0x5 : code == 2 ? 0x254 : code == 3 ? 0x6 : 0x6254;
  for (; views; views >>= 4) {
    if ((views & 15) == 6 && p.n_rows != p.width) continue;
    const View view = view_of((i64)(views & 15), p.n_rows, width);
    const C* from = p.cells + view.start;
    each_in_grid(p.n_rows, width, [=](i64 i, i64 j) {
      const C own = to[i * width + j], other = from[i * view.down + j * view.right];
      to[i * width + j] = own ? own : other;
    });
  }
  return filled;
}

// Folds bits at places that are equal modulo b into the first b places.
ARC_FN u64 folded_bits(u64 bits, i64 b, i64 width) {
  for (i64 step = b; step < width; step *= 2) bits |= bits >> step;
  return b < 64 ? bits & ((1ULL << b) - 1) : bits;
}

// Finds the smallest tile, as rows * 2^32 + columns, or 0; by one thread. For pictures up to 64 wide: one word per row
// and color. `words` has 18 per row.
template <class C>
ARC_FN i64 least_tile_of_bits(const Picture<C>& p, i64 n_shown, u64* words) {
  const i64 n_rows = p.n_rows, width = p.width;
  int place[10], n = 0;
  u32 seen = 0;
  for (i64 k = 0; k < p.area(); k++) seen |= 1u << p.cells[k];
  for (int c = 1; c < 10; c++) place[c] = seen >> c & 1 ? n++ : 0;
  u64 *of_row = words, *folded = words + n * n_rows;
  for (i64 k = 0; k < n * n_rows; k++) of_row[k] = 0;
  for (i64 i = 0; i < n_rows; i++)
    for (i64 j = 0; j < width; j++) {
      const int color = p.cells[i * width + j];
      if (color) of_row[i * n + place[color]] |= 1ULL << j;
    }
  i64 most = min_of(p.area() - 1, n_shown), best = 0;  // the area of the next tile to be found
  for (i64 a = 1; a <= min_of(n_rows, most); a++) {
    for (i64 k = 0; k < a * n; k++) folded[k] = of_row[k];
    for (i64 i = a, r = 0; i < n_rows; i++, r = r + 1 < a ? r + 1 : 0)
      for (int c = 0; c < n; c++) folded[r * n + c] |= of_row[i * n + c];
    for (i64 b = 1; b <= width && a * b <= most; b++) {
      const u64 all = b < 64 ? (1ULL << b) - 1 : ~0ULL;
      bool fits = true;
      for (i64 r = 0; r < a && fits; r++) {
        u64 any_color = 0, twice = 0;
        for (int c = 0; c < n; c++) {
          const u64 bits = folded_bits(folded[r * n + c], b, width);
          twice |= any_color & bits;
          any_color |= bits;
        }
        fits = !twice && any_color == all;
      }
      if (!fits) continue;
      best = a << 32 | b;
      most = a * b - 1;
      break;
    }
  }
  return best;
}
// The same for pictures of any width. `tile` has as many cells as the picture.
template <class C>
ARC_FN i64 least_tile_of_cells(const Picture<C>& p, i64 n_shown, C* tile) {
  const i64 n_rows = p.n_rows, width = p.width;
  i64 most = min_of(p.area() - 1, n_shown), best = 0;
  for (i64 a = 1; a <= min_of(n_rows, most); a++)
    for (i64 b = 1; b <= width && a * b <= most; b++) {
      for (i64 k = 0; k < a * b; k++) tile[k] = 0;
      i64 n_found = 0;
      bool fits = true;
      for (i64 i = 0, r = 0; i < n_rows && fits; i++, r = r + 1 < a ? r + 1 : 0)
        for (i64 j = 0, s = 0; j < width; j++, s = s + 1 < b ? s + 1 : 0) {
          const C color = p.cells[i * width + j], other = tile[r * b + s];
          if (!color || color == other) continue;
          if (other) fits = false;
          tile[r * b + s] = color;
          n_found++;
        }
      if (!fits || n_found != a * b) continue;
      best = a << 32 | b;
      most = a * b - 1;
    }
  return best;
}
template <class C>
ARC_FN Picture<C> move_period_fill(Lane& lane, const Picture<C>& p) {
  const C* from = p.cells;
  const i64 n_rows = p.n_rows, width = p.width, area = p.area();
  const i64 n_shown = total(area, [=](i64 k) { return from[k] != 0; });
  if (n_shown == 0 || n_shown == area) return p;
  if (!lane.charge((u64)area * (u64)area)) return failed_picture<C>(OVER_BUDGET);
  ARC_NEW_PICTURE(filled, to, p.row, p.column, n_rows, width);
  const bool narrow = width <= 64;
  const Scratch scratch(lane);
  ARC_SCRATCH(words, u64, narrow ? 18 * n_rows : 1);
  ARC_SCRATCH(tile, C, area);
  serial([=]() {
    const i64 best = narrow ? least_tile_of_bits(p, n_shown, words) : least_tile_of_cells(p, n_shown, tile);
    const i64 a = best ? best >> 32 : n_rows, b = best ? best & 0xffffffffLL : width;
    for (i64 k = 0; k < a * b; k++) tile[k] = 0;
    for (i64 i = 0, r = 0; i < n_rows; i++, r = r + 1 < a ? r + 1 : 0)
      for (i64 j = 0, s = 0; j < width; j++, s = s + 1 < b ? s + 1 : 0) tile[r * b + s] |= from[i * width + j];
    for (i64 i = 0, r = 0; i < n_rows; i++, r = r + 1 < a ? r + 1 : 0)
      for (i64 j = 0, s = 0; j < width; j++, s = s + 1 < b ? s + 1 : 0) to[i * width + j] = tile[r * b + s];
    return 0;
  });
  scratch.give_back(lane);
  return filled;
}

// --- to a size ---

// The part of one frame that lies in another, in rows and columns of the other.
struct Overlap {
  i64 top, left, n_rows, width;  // sizes below 0 mean no overlap
};
template <class C>
ARC_FN Overlap overlap_of(const Picture<C>& p, i64 row, i64 column, i64 n_rows, i64 width) {
  const i64 above = (i64)p.row - row, before = (i64)p.column - column;
  const i64 top = max_of<i64>(0, above), left = max_of<i64>(0, before);
  return {top, left, min_of(n_rows, above + p.n_rows) - top, min_of(width, before + p.width) - left};
}
// Calls f(cell of a rectangle, cell of p at the same place) with the indices of all shared cells.
template <class C, class F>
ARC_FN void each_shared(const Picture<C>& p, i64 row, i64 column, i64 n_rows, i64 width, F f) {
  const Overlap part = overlap_of(p, row, column, n_rows, width);
  if (part.n_rows <= 0 || part.width <= 0) return;
  const i64 to = part.top * width + part.left, from_width = p.width;
  const i64 from = (part.top + row - p.row) * from_width + (part.left + column - p.column);
  each_in_grid(part.n_rows, part.width,
               [=](i64 i, i64 j) { f(to + i * width + j, from + i * from_width + j); });
}

// A size argument is a pair, each side at least 1.
ARC_FN bool is_size(const Value& size) { return row_of(size.key) >= 1 && column_of(size.key) >= 1; }

template <class C>
ARC_FN Picture<C> move_paste_on(Lane& lane, const Picture<C>& p, i64 height, i64 width) {
  ARC_NEW_PICTURE(pasted, to, 0, 0, height, width);
  fill_cells<C>(to, height * width, 0);
  const C* from = p.cells;
  each_shared(p, 0, 0, height, width, [=](i64 k, i64 l) { to[k] = from[l]; });
  return pasted;
}

template <class C>
ARC_FN Picture<C> move_wrap(Lane& lane, const Picture<C>& p, i64 height, i64 width) {
  ARC_NEW_PICTURE(folded, to, 0, 0, height, width);
  fill_cells<C>(to, height * width, 0);
  const C* from = p.cells;
  const i64 n_rows = p.n_rows, strip = p.width;
  if (strip > width) {
    for (i64 top = 0, left = 0; top < height && left < strip; top += n_rows, left += width)
      copy_rows(to + top * width, width, from + left, strip, min_of(n_rows, height - top),
                min_of(width, strip - left));
  } else if (strip > 0) {
    for (i64 top = 0, left = 0; top < n_rows && left < width; top += height, left += strip)
      copy_rows(to + left, width, from + top * strip, strip, min_of(height, n_rows - top),
                min_of(strip, width - left));
  }
  return folded;
}

// The order of colors that cover equal areas: the last has rank 0.
struct ColorRanks {
  i32 rank[10], color[10];
};
ARC_FN ColorRanks ranks_of(const ColorCounts& counts) {
  ColorRanks ranks;
  for (int c = 0; c < 10; c++) {
    i32 rank = 0;
    for (int d = 0; d < 10; d++) rank += counts.n[d] < counts.n[c] || (counts.n[d] == counts.n[c] && d > c);
    ranks.rank[c] = rank;
    ranks.color[rank] = c;
  }
  return ranks;
}
// Areas are measured in units in which a cell of the picture is `height` high and `width` wide, and a cell of the
// result has as many rows and columns as the picture. The area of a color in a cell is stored with its rank, as 16 *
// area + rank; the greatest of these determines the color.
//
// On the CPU: row by row, along the segments into which the edges of both kinds of cells divide a row.
template <class K, class C>
ARC_FN Picture<C> resampled_in_pieces(Lane& lane, const Picture<C>& p, C* to, const Picture<C>& resampled,
                                      const ColorRanks& ranks) {
  struct Piece {
    i32 from, to;
    K wide;
  };
  const i64 height = resampled.n_rows, width = resampled.width, n_rows = p.n_rows, from_width = p.width;
  const Scratch scratch(lane);
  ARC_SCRATCH(pieces, Piece, width + from_width);
  ARC_SCRATCH(nothing, K, 10 * width);
  ARC_SCRATCH(covered, K, 10 * width);
  ARC_SCRATCH(most, K, width);
  i64 n = 0;
  for (i64 x = 0, j = 0, at = 0; j < width; n++) {
    const i64 end_x = (x + 1) * width, end_j = (j + 1) * from_width, end = min_of(end_x, end_j);
    pieces[n] = {(i32)x, (i32)j, (K)(end - at)};
    x += end == end_x;
    j += end == end_j;
    at = end;
  }
  for (i64 j = 0; j < width; j++)
    for (int c = 0; c < 10; c++) nothing[10 * j + c] = (K)ranks.rank[c];
  for (i64 i = 0, y = 0; i < height; i++) {
    const i64 top = i * n_rows, bottom = top + n_rows;
    copy(covered, nothing, 10 * width);
    fill_cells<K>(most, width, 0);
    while ((y + 1) * height <= top) y++;
    for (i64 row = y; row * height < bottom; row++) {
      const K high = (K)(16 * (min_of((row + 1) * height, bottom) - max_of(row * height, top)));
      const C* from = p.cells + row * from_width;
      for (i64 k = 0; k < n; k++) {
        const Piece piece = pieces[k];
        K* cell = covered + 10 * (i64)piece.to + from[piece.from];
        const K area = *cell + high * piece.wide;
        *cell = area;
        most[piece.to] = max_of(most[piece.to], area);
      }
    }
    for (i64 j = 0; j < width; j++) to[i * width + j] = (C)ranks.color[most[j] & 15];
  }
  scratch.give_back(lane);
  return resampled;
}
template <class C>
ARC_FN Picture<C> move_resample(Lane& lane, const Picture<C>& p, i64 height, i64 width) {
  if (p.empty()) return blank_picture<C>(lane, height, width);
  ARC_NEW_PICTURE(resampled, to, 0, 0, height, width);
  const i64 n_rows = p.n_rows, from_width = p.width;
  if (!lane.charge((u64)(n_rows + height) * (u64)(from_width + width))) return failed_picture<C>(OVER_BUDGET);
  if (height % n_rows == 0 && width % from_width == 0) {
    draw_blocks(p, to, height / n_rows, width / from_width);
    return resampled;
  }
  const ColorRanks ranks = ranks_of(count_colors(p));
  if (W == 1 && p.area() < 1 << 26) return resampled_in_pieces<i32>(lane, p, to, resampled, ranks);
  if (W == 1) return resampled_in_pieces<i64>(lane, p, to, resampled, ranks);
  // One cell of the result per thread.
  const C* from = p.cells;
  each_in_grid(height, width, [=](i64 i, i64 j) {
    const i64 top = i * n_rows, bottom = top + n_rows, left = j * from_width, right = left + from_width;
    i64 covered[10], most = 0;
    for (int c = 0; c < 10; c++) covered[c] = ranks.rank[c];
    for (i64 y = top / height; y * height < bottom; y++) {
      const i64 high = 16 * (min_of((y + 1) * height, bottom) - max_of(y * height, top));
      for (i64 x = left / width; x * width < right; x++) {
        const int color = from[y * from_width + x];
        covered[color] += high * (min_of((x + 1) * width, right) - max_of(x * width, left));
        most = max_of(most, covered[color]);
      }
    }
    to[i * width + j] = (C)ranks.color[most & 15];
  });
  return resampled;
}

// Writes to to[0..n_to) the line, of n, at each offset from `start` on; -1 in gaps.
ARC_FN void tile_lines(i32* to, i64 n_to, i64 start, i64 n, i64 gap, bool mirrored) {
  const i64 period = n + gap, both = 2 * period;
  const i64 phase = (start % both + both) % both;
  const auto line_at = [=](i64 at) {
    const bool second = at >= period;
    const i64 line = second ? at - period : at;
    return (i32)(line >= n ? -1 : mirrored && second ? n - 1 - line : line);
  };
  if (W == 1) {
    for (i64 k = 0, at = phase; k < n_to; k++, at = at + 1 < both ? at + 1 : 0) to[k] = line_at(at);
    return;
  }
  each(n_to, [=](i64 k) { to[k] = line_at((phase + k) % both); });
}
template <class C>
ARC_FN Picture<C> tiled(Lane& lane, const Picture<C>& p, i64 height, i64 width, i64 gap, bool mirrored) {
  if (p.empty()) return blank_picture<C>(lane, height, width);
  ARC_NEW_PICTURE(tiled, to, 0, 0, height, width);
  const i64 period = (mirrored ? 2 : 1) * (p.n_rows + gap), n_rows = min_of(height, period);
  const Scratch scratch(lane);
  ARC_SCRATCH(rows, i32, n_rows);
  ARC_SCRATCH(columns, i32, width);
  tile_lines(rows, n_rows, -(i64)p.row, p.n_rows, gap, mirrored);
  tile_lines(columns, width, -(i64)p.column, p.width, gap, mirrored);
  const C* from = p.cells;
  const i64 from_width = p.width;
  each_in_grid(n_rows, width, [=](i64 i, i64 j) {
    const i32 line = rows[i], at = columns[j];
    const i32 none = (line | at) >> 31;  // all bits set in a gap
    to[i * width + j] = (C)(from[(line & ~none) * from_width + (at & ~none)] & ~none);
  });
  for (i64 done = period; done < height; done += period)
    copy(to + done * width, to, min_of(period, height - done) * width);
  scratch.give_back(lane);
  return tiled;
}
ARC_EFFORT(tile, (u64)max_of(0, row_of(args[1].key)) * (u64)max_of(0, column_of(args[1].key)))
template <class C>
ARC_FN Picture<C> move_tile(Lane& lane, const Picture<C>& p, i64 height, i64 width, i64 gap) {
  return tiled(lane, p, height, width, gap, false);
}
template <class C>
ARC_FN Picture<C> move_tile_mirrored(Lane& lane, const Picture<C>& p, i64 height, i64 width, i64 gap) {
  return tiled(lane, p, height, width, gap, true);
}

// --- layers ---

template <class C>
ARC_FN Picture<C> move_over(Lane& lane, const Picture<C>& top, const Picture<C>& under) {
  ARC_NEW_PICTURE(both, to, under.row, under.column, under.n_rows, under.width);
  copy(to, under.cells, under.area());
  const C* from = top.cells;
  each_shared(top, under.row, under.column, under.n_rows, under.width, [=](i64 k, i64 l) {
    const C color = from[l], below = to[k];
    to[k] = color ? color : below;
  });
  return both;
}
template <class C>
ARC_FN Picture<C> move_holes_over(Lane& lane, const Picture<C>& top, const Picture<C>& under) {
  ARC_NEW_PICTURE(both, to, under.row, under.column, under.n_rows, under.width);
  copy(to, under.cells, under.area());
  const C* from = top.cells;
  each_shared(top, under.row, under.column, under.n_rows, under.width, [=](i64 k, i64 l) {
    const C below = to[k];
    to[k] = from[l] ? below : 0;
  });
  return both;
}

}  // namespace arc
