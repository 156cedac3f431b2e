// Connected parts of pictures. Pictures of up to 64x64 cells are processed by words, one per row; larger ones cell by
// cell.
//
// Words are private to a thread, and all threads of a lane compute the same ones.
#pragma once
#include "joined_parts.hpp"
#include "pictures.hpp"

namespace arc {

// --- words ---

constexpr i64 PART_SIDE = 64;
template <class C>
ARC_FN bool fits_words(const Picture<C>& p) { return p.n_rows <= PART_SIDE && p.width <= PART_SIDE; }

#if defined(__CUDACC__)
ARC_FN int count_in_word(u64 bits) { return __popcll(bits); }
ARC_FN int highest_in_word(u64 bits) { return 63 - __clzll((i64)bits); }
#else
ARC_FN int count_in_word(u64 bits) { return __builtin_popcountll(bits); }
ARC_FN int highest_in_word(u64 bits) { return 63 - __builtin_clzll(bits); }
#endif

// The word of a full row.
ARC_FN u64 full_word(i64 width) { return ~0ULL >> (64 - width); }

#if defined(__SSE2__) && !defined(__CUDACC__)
typedef char Bytes16 __attribute__((vector_size(16)));
// Compares 16 bytes with a byte. If fewer are left, `last` is the start of the last 16.
ARC_FN u64 equal_bytes(const u8* at, const u8* last, Bytes16 wanted) {
  const u8* from = at < last ? at : last;
  Bytes16 bytes;
  __builtin_memcpy(&bytes, from, 16);
  return (u64)(u32)__builtin_ia32_pmovmskb128((Bytes16)(bytes == wanted)) >> (at - from);
}
#endif

// Writes the cells of a color, one word per row.
template <class C>
ARC_FN void words_of_color(const Picture<C>& p, int color, u64* words) {
  const i64 width = p.width, n_rows = p.n_rows;
#if defined(__SSE2__) && !defined(__CUDACC__)
  if (sizeof(C) == 1 && p.area() >= 16) {
    const u64 full = full_word(width);
    const u8* at = (const u8*)p.cells;
    const u8* last = at + p.area() - 16;
    const char c = (char)color;
    const Bytes16 wanted = {c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c};
    if (width <= 16) {
      for (i64 i = 0; i < n_rows; i++, at += width) words[i] = equal_bytes(at, last, wanted) & full;
      return;
    }
    for (i64 i = 0; i < n_rows; i++, at += width) {
      u64 word = 0;
      for (i64 j = 0; j < width; j += 16) word |= equal_bytes(at + j, last, wanted) << j;
      words[i] = word & full;
    }
    return;
  }
#endif
  const C* at = p.cells;
  for (i64 i = 0; i < n_rows; i++, at += width) {
    u64 word = 0;
    for (i64 j = 0; j < width; j++) word |= (u64)(at[j] == color) << j;
    words[i] = word;
  }
}
// Writes the cells of all other colors.
template <class C>
ARC_FN void words_without_color(const Picture<C>& p, int color, u64* words) {
  words_of_color(p, color, words);
  const u64 full = full_word(p.width);
  for (i64 i = 0; i < p.n_rows; i++) words[i] ^= full;
}

// --- floods ---

// Returns the runs of set bits of `mask` that contain bits of `seed`, a subset of it.
ARC_FN u64 runs_of(u64 seed, u64 mask) {
  u64 runs = (mask & ~(mask + seed)) | seed;  // towards higher bits, the carry fills the run
  while (const u64 more = runs >> 1 & mask & ~runs) runs |= more;
  return runs;
}

ARC_FN u64 with_neighbors(u64 bits) { return bits | bits << 1 | bits >> 1; }

// Grows a part, which has whole runs of `mask` in its rows from `top` to `bottom`, by all runs connected with it.
template <bool DIAGONAL>
ARC_FN void flood_words(const u64* mask, i32 n_rows, u64* part, i32& top, i32& bottom) {
  for (int turn = 0;; turn++) {
    bool grown = false;
    if (turn % 2 == 0) {
      for (i32 i = top + 1; i <= bottom; i++) {
        const u64 near = DIAGONAL ? with_neighbors(part[i - 1]) : part[i - 1];
        if (const u64 more = near & mask[i] & ~part[i]) {
          part[i] |= runs_of(more, mask[i]);
          grown = true;
        }
      }
      while (bottom + 1 < n_rows) {
        const u64 near = DIAGONAL ? with_neighbors(part[bottom]) : part[bottom];
        const u64 more = near & mask[bottom + 1];
        if (!more) break;
        bottom++;
        part[bottom] = runs_of(more, mask[bottom]);
        grown = true;
      }
    } else {
      for (i32 i = bottom - 1; i >= top; i--) {
        const u64 near = DIAGONAL ? with_neighbors(part[i + 1]) : part[i + 1];
        if (const u64 more = near & mask[i] & ~part[i]) {
          part[i] |= runs_of(more, mask[i]);
          grown = true;
        }
      }
      while (top > 0) {
        const u64 near = DIAGONAL ? with_neighbors(part[top]) : part[top];
        const u64 more = near & mask[top - 1];
        if (!more) break;
        top--;
        part[top] = runs_of(more, mask[top]);
        grown = true;
      }
    }
    if (!grown && turn) return;
  }
}

// Finds the part of `mask` that contains a bit of its first row, `top`.
template <bool DIAGONAL>
ARC_FN i32 flood_from(const u64* mask, i32 n_rows, i32 top, u64 bit, u64* part) {
  i32 first = top, bottom = top;
  part[top] = runs_of(bit, mask[top]);
  flood_words<DIAGONAL>(mask, n_rows, part, first, bottom);
  return bottom;
}

// Finds all cells of `mask` that are connected with the edge.
template <bool DIAGONAL>
ARC_FN void flood_from_edge(const u64* mask, i32 n_rows, i64 width, u64* part) {
  const u64 sides = 1ULL | 1ULL << (width - 1);
  for (i32 i = 0; i < n_rows; i++)
    part[i] = i == 0 || i == n_rows - 1 ? mask[i] : runs_of(mask[i] & sides, mask[i]);
  i32 top = 0, bottom = n_rows - 1;
  flood_words<DIAGONAL>(mask, n_rows, part, top, bottom);
}

// Calls f(top, bottom, part) for each part of `rest`, in the order of their first cells, until it returns false; `rest`
// is used up. mask(row, column) returns the cells that may belong to the part with that cell.
template <bool DIAGONAL, class Mask, class F>
ARC_FN void each_part(u64* rest, i32 n_rows, Mask mask, F f) {
  u64 part[PART_SIDE];
  for (i32 i = 0; i < n_rows; i++)
    while (rest[i]) {
      const u64* of = mask(i, lowest_bit64(rest[i]));
      const i32 bottom = flood_from<DIAGONAL>(of, n_rows, i, rest[i] & (0 - rest[i]), part);
      for (i32 k = i; k <= bottom; k++) rest[k] &= ~part[k];
      if (!f(i, bottom, part)) return;
    }
}

// --- cell by cell ---

// Finds for each cell the first cell of its part: neighbors are connected if kind(color) is the same. Runs in one
// thread, inside `serial`.
template <class C, class Kind>
ARC_FN void label_parts(const Picture<C>& p, bool diagonal, i32* parents, Kind kind) {
  const i64 width = p.width;
  const C* cells = p.cells;
  for (i64 i = 0, k = 0; i < p.n_rows; i++)
    for (i64 j = 0; j < width; j++, k++) {
      parents[k] = (i32)k;
      const int own = kind(cells[k]);
      if (j && kind(cells[k - 1]) == own) join_parts(parents, k, k - 1);
      if (!i) continue;
      if (kind(cells[k - width]) == own) join_parts(parents, k, k - width);
      if (!diagonal) continue;
      if (j && kind(cells[k - width - 1]) == own) join_parts(parents, k, k - width - 1);
      if (j + 1 < width && kind(cells[k - width + 1]) == own) join_parts(parents, k, k - width + 1);
    }
  for (i64 k = 0; k < p.area(); k++) parents[k] = root_of(parents, (i32)k);
}

// The parts of a picture of any size: the first cell of each cell's part, and whether a part reaches the edge, by its
// first cell; null if memory ran out.
struct CellParts {
  const i32* parents = nullptr;
  const u8* at_edge = nullptr;

  ARC_FN bool reaches_edge(i64 k) const { return at_edge[parents[k]]; }
};
template <class C, class Kind>
ARC_FN CellParts parts_of_cells(Lane& lane, const Picture<C>& p, bool diagonal, Kind kind) {
  i32* parents = lane.allocate_array<i32>((u64)p.area());
  u8* at_edge = lane.allocate_array<u8>((u64)p.area());
  if (!parents || !at_edge) return {};
  each(p.area(), [=](i64 k) { at_edge[k] = 0; });
  serial([&]() {
    label_parts(p, diagonal, parents, kind);
    for (i64 i = 0, k = 0; i < p.n_rows; i++)
      for (i64 j = 0; j < p.width; j++, k++)
        if (i == 0 || i == p.n_rows - 1 || j == 0 || j == p.width - 1) at_edge[parents[k]] = 1;
    return 0;
  });
  return {parents, at_edge};
}

// --- parts as pictures ---

// A list whose pictures are made one by one, in memory for the most there can be.
template <class C>
struct ListMaker {
  Picture<C>* items = nullptr;  // null: no memory
  i64 n = 0;
  u64 weight = 0;
  bool failed = true;

  ARC_FN ListMaker() {}
  ARC_FN ListMaker(Lane& lane, i64 most) : items(lane.allocate_array<Picture<C>>((u64)most)) {
    failed = !items;
  }
  // Adds a picture of existing cells; its place may be out of range for now.
  ARC_FN bool add(Lane& lane, i64 row, i64 column, i64 n_rows, i64 width, const C* cells) {
    weight += 5 + (u64)n_rows * (u64)(1 + width);
    if (!cells || !lane.require(weight)) {
      failed = true;
      return false;
    }
    if (thread_index() == 0) {
      Picture<C>& item = items[n];
      item.row = (i32)row;
      item.column = (i32)column;
      item.n_rows = (i32)n_rows;
      item.width = (i32)width;
      item.cells = cells;
    }
    sync();
    n++;
    return true;
  }
  // Adds a picture whose cells are yet to be written; returns null if it is too large.
  ARC_FN C* add_new(Lane& lane, i64 row, i64 column, i64 n_rows, i64 width) {
    if (!lane.require(weight + 5 + (u64)n_rows * (u64)(1 + width))) {
      failed = true;
      return nullptr;
    }
    C* cells = lane.allocate_array<C>((u64)n_rows * (u64)width);
    return add(lane, row, column, n_rows, width, cells) ? cells : nullptr;
  }
  ARC_FN PictureList<C> list(Lane& lane) {
    if (failed) return failed_list<C>(OVER_BUDGET);
    const Picture<C>* made = items;
    if (any(n, [=](i64 k) { return !in_range(made[k].row) || !in_range(made[k].column); }))
      return failed_list<C>(OUT_OF_RANGE);
    return list_of(lane, items, n);
  }
};

// Writes the cells of a part's rectangle: those of the part, and 0 elsewhere.
template <class C>
ARC_FN void crop_words(const Picture<C>& p, const u64* part, i64 top, i64 left, i64 n_rows, i64 width, C* to) {
#if !defined(__CUDACC__)
  if (sizeof(C) == 1) {
    // Eight cells at a time, if there are as many to read. Cells written beyond the row are overwritten later, or lie
    // in the memory that `allocate` adds by rounding up.
    constexpr u64 ONES = 0x0101010101010101ULL;
    const u8* const cells = (const u8*)p.cells;
    const i64 last = p.area() - 8, last_to = ((n_rows * width + 15) & ~15LL) - 8;
    i64 from = top * p.width + left, at = 0;
    for (i64 i = 0; i < n_rows; i++, from += p.width, at += width) {
      u64 bits = part[top + i] >> left;
      for (i64 j = 0; j < width; j += 8, bits >>= 8) {
        u8* const here = (u8*)to + at + j;
        if (from + j <= last && at + j <= last_to) {
          u64 bytes;
          __builtin_memcpy(&bytes, cells + from + j, 8);
          // The byte of each bit, as 255 or 0.
          const u64 spread = (bits & 255) * ONES & 0x8040201008040201ULL;
          bytes &= ((spread + 0x7f * ONES) >> 7 & ONES) * 255;
          __builtin_memcpy(here, &bytes, 8);
        } else {
          const i64 n = min_of<i64>(8, width - j);
          for (i64 k = 0; k < n; k++) here[k] = bits >> k & 1 ? cells[from + j + k] : 0;
        }
      }
    }
    return;
  }
#endif
  for (i64 i = 0; i < n_rows; i++) {
    const u64 bits = part[top + i] >> left;
    const C* from = p.cells + (top + i) * p.width + left;
    C* row = to + i * width;
    for (i64 j = thread_index(); j < width; j += W) row[j] = bits >> j & 1 ? from[j] : (C)0;
  }
  sync();
}

// Returns an upper bound of the number of parts: the cells not connected with any earlier cell.
template <bool DIAGONAL>
ARC_FN i64 most_parts(const u64* mask, i32 n_rows) {
  i64 n = 0;
  u64 above = 0;
  for (i32 i = 0; i < n_rows; i++) {
    if (const u64 first = mask[i] & ~(mask[i] << 1) & ~(DIAGONAL ? with_neighbors(above) : above))
      n += count_in_word(first);
    above = mask[i];
  }
  return n;
}

// Adds a part to a list.
template <class C>
struct PartAdder {
  Lane& lane;
  const Picture<C>& p;
  ListMaker<C>& made;

  ARC_FN bool operator()(i32 top, i32 bottom, const u64* part) const {
    u64 columns = 0;
    for (i32 i = top; i <= bottom; i++) columns |= part[i];
    const i64 left = lowest_bit64(columns), width = highest_in_word(columns) - left + 1;
    C* cells = made.add_new(lane, (i64)p.row + top, p.column + left, bottom - top + 1, width);
    if (cells) crop_words(p, part, top, left, bottom - top + 1, width, cells);
    return cells != nullptr;
  }
};

// Finds the parts of all colors except one, connected by sides or corners. Places may be out of range.
template <class C>
ARC_FN ListMaker<C> shapes_by_words(Lane& lane, const Picture<C>& p, int without) {
  u64 mask[PART_SIDE], rest[PART_SIDE];
  words_without_color(p, without, mask);
  for (i32 i = 0; i < p.n_rows; i++) rest[i] = mask[i];
  ListMaker<C> made(lane, most_parts<true>(mask, p.n_rows));
  if (made.failed) return made;
  each_part<true>(rest, p.n_rows, [&](i32, i32) { return (const u64*)mask; }, PartAdder<C>{lane, p, made});
  return made;
}

// Finds the parts of one color other than 0, connected by sides. Places may be out of range.
template <class C>
ARC_FN ListMaker<C> parts_by_words(Lane& lane, const Picture<C>& p) {
  u64 rest[PART_SIDE], other[PART_SIDE], masks[10][PART_SIDE];
  words_without_color(p, 0, rest);
  for (i32 i = 0; i < p.n_rows; i++) other[i] = rest[i];
  i64 most = 0;
  for (i32 i = 0; i < p.n_rows; i++)
    while (other[i]) {
      const int color = p.cells[(i64)i * p.width + lowest_bit64(other[i])];
      words_of_color(p, color, masks[color]);
      for (i32 k = i; k < p.n_rows; k++) other[k] &= ~masks[color][k];
      most += most_parts<false>(masks[color], p.n_rows);
    }
  ListMaker<C> made(lane, most);
  if (made.failed) return made;
  each_part<false>(rest, p.n_rows,
                   [&](i32 i, i32 j) { return (const u64*)masks[p.cells[(i64)i * p.width + j]]; },
                   PartAdder<C>{lane, p, made});
  return made;
}

// The same for pictures of any size: neighbors are connected if kind(color) is the same and not -1.
struct PartBox {
  i32 left, bottom, right;
};
template <class C, class Kind>
ARC_FN ListMaker<C> parts_by_cells(Lane& lane, const Picture<C>& p, bool diagonal, Kind kind) {
  const i64 area = p.area(), width = p.width;
  const C* cells = p.cells;
  i32* parents = lane.allocate_array<i32>((u64)area);
  PartBox* boxes = lane.allocate_array<PartBox>((u64)area);
  if (!parents || !boxes) return ListMaker<C>();
  const i64 n = serial([&]() {
    label_parts(p, diagonal, parents, kind);
    i64 n_parts = 0;
    for (i64 i = 0, k = 0; i < p.n_rows; i++)
      for (i64 j = 0; j < width; j++, k++) {
        PartBox& box = boxes[parents[k]];
        if (parents[k] == k) {
          box = {(i32)j, (i32)i, (i32)j};
          n_parts += kind(cells[k]) >= 0;
        }
        box.left = min_of(box.left, (i32)j);
        box.right = max_of(box.right, (i32)j);
        box.bottom = (i32)i;
      }
    return n_parts;
  });
  ListMaker<C> made(lane, n);
  for (i64 k = 0; k < area && !made.failed; k++) {
    if (parents[k] != k || kind(cells[k]) < 0) continue;
    const PartBox box = boxes[k];
    const i64 top = k / width, high = box.bottom - top + 1, wide = box.right - box.left + 1;
    C* to = made.add_new(lane, p.row + top, p.column + box.left, high, wide);
    for (i64 i = 0; to && i < high; i++) {
      const i64 from = (top + i) * width + box.left;
      each(wide, [=](i64 j) { to[i * wide + j] = parents[from + j] == k ? cells[from + j] : (C)0; });
    }
  }
  return made;
}

template <class C>
ARC_FN ListMaker<C> all_shapes(Lane& lane, const Picture<C>& p, int without) {
  if (fits_words(p)) return shapes_by_words(lane, p, without);
  return parts_by_cells(lane, p, true, [=](C cell) { return cell == without ? -1 : 0; });
}
template <class C>
ARC_FN ListMaker<C> all_parts(Lane& lane, const Picture<C>& p) {
  if (fits_words(p)) return parts_by_words(lane, p);
  return parts_by_cells(lane, p, false, [](C cell) { return cell ? (int)cell : -1; });
}

}  // namespace arc
