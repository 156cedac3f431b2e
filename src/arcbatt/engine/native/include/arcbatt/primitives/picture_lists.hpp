// Lists of pictures. language/primitives/picture_lists.py defines the primitives.
#pragma once
#include "../picture_parts.hpp"
#include "pictures.hpp"

namespace arc {

// --- cut ---

// Calls f(color, words) for each color other than 0, in the order of their first cells; `words` are its cells.
template <class C, class F>
ARC_FN void each_color_by_words(const Picture<C>& p, F f) {
  u64 rest[PART_SIDE], words[PART_SIDE];
  words_without_color(p, 0, rest);
  for (i64 i = 0; i < p.n_rows; i++)
    while (rest[i]) {
      const int color = p.cells[i * p.width + lowest_bit64(rest[i])];
      words_of_color(p, color, words);
      for (i64 k = i; k < p.n_rows; k++) rest[k] &= ~words[k];
      f(color, (const u64*)words);
    }
}

template <class C>
ARC_FN PictureList<C> move_split_colors(Lane& lane, const Picture<C>& p) {
  if (p.empty()) return PictureList<C>();
  if (fits_words(p)) {
    // In the order of pictures, one whose first non-zero cell comes later precedes the others.
    int colors[9], n_colors = 0;
    each_color_by_words(p, [&](int color, const u64*) { colors[n_colors++] = color; });
    ListMaker<C> made(lane, n_colors);
    while (!made.failed && n_colors) {
      const int color = colors[--n_colors];
      const C* from = p.cells;
      C* to = made.add_new(lane, p.row, p.column, p.n_rows, p.width);
      if (to) each(p.area(), [=](i64 k) { to[k] = from[k] == color ? from[k] : (C)0; });
    }
    return made.list(lane);
  }
  const ColorCounts counts = count_colors(p);
  Picture<C>* items = lane.allocate_array<Picture<C>>(9);
  if (!items) return failed_list<C>(OVER_BUDGET);
  i64 n = 0;
  for (int color = 1; color < 10; color++) {
    if (!counts.n[color]) continue;
    const Picture<C> item = move_keep_color(lane, p, color);
    if (item.failed()) return failed_list<C>(item.reason());
    sync();
    if (thread_index() == 0) items[n] = item;
    sync();
    n++;
  }
  return list_of(lane, items, n);
}

template <class C>
ARC_FN PictureList<C> move_split_parts(Lane& lane, const Picture<C>& p) {
  if (p.empty()) return PictureList<C>();
  return all_parts(lane, p).list(lane);
}

template <class C>
ARC_FN PictureList<C> move_split_shapes(Lane& lane, const Picture<C>& p) {
  if (p.empty()) return PictureList<C>();
  return all_shapes(lane, p, 0).list(lane);
}

// The colors on each edge, as bits.
struct EdgeColors {
  u32 top = 0, bottom = 0, left = 0, right = 0;
};
template <class C>
ARC_FN EdgeColors edge_colors(const Picture<C>& p) {
  EdgeColors colors;
  const i64 width = p.width, n_rows = p.n_rows;
  const C *first = p.cells, *last = p.cells + (n_rows - 1) * width;
  for (i64 j = 0; j < width; j++) {
    colors.top |= 1u << first[j];
    colors.bottom |= 1u << last[j];
  }
  for (i64 i = 0; i < n_rows; i++) {
    colors.left |= 1u << first[i * width];
    colors.right |= 1u << first[i * width + width - 1];
  }
  return colors;
}

// Returns the size of the smallest part that remains if a color, which has cells on opposite edges, is removed; 0 if
// that separates nothing, or if the size is at most `most`.
template <class C>
ARC_FN i64 least_left_by_words(const Picture<C>& p, int color, i64 most) {
  const i32 n_rows = p.n_rows;
  u64 walls[PART_SIDE], outer[PART_SIDE], mask[PART_SIDE], rest[PART_SIDE];
  words_of_color(p, color, walls);
  flood_from_edge<true>(walls, n_rows, p.width, outer);
  const u64 full = full_word(p.width);
  u64 above = 0, here = outer[0];
  for (i32 i = 0; i < n_rows; i++) {
    mask[i] = rest[i] = walls[i] ^ full;
    const u64 below = i + 1 < n_rows ? outer[i + 1] : 0;
    outer[i] = with_neighbors(above | here | below);
    above = here;
    here = below;
  }
  i64 n = 0, least = p.area();
  each_part<true>(rest, n_rows, [&](i32, i32) { return (const u64*)mask; },
                  [&](i32 top, i32 bottom, const u64* part) {
                    i64 size = 0;
                    u64 touching = 0;
                    for (i32 i = top; i <= bottom; i++) {
                      size += count_in_word(part[i]);
                      touching |= part[i] & outer[i];
                    }
                    n++;
                    least = touching && size > most ? min_of(least, size) : 0;
                    return least > 0;
                  });
  return n < 2 ? 0 : least;
}

// The same for larger pictures, by one thread; `parents`, `sizes` and `marks` have room for all cells.
template <class C>
ARC_FN i64 least_left_by_cells(const Picture<C>& p, int color, i32* parents, i32* sizes, u8* marks) {
  const i64 n_rows = p.n_rows, width = p.width, area = p.area();
  const C* cells = p.cells;
  label_parts(p, true, parents, [=](C cell) { return (int)(cell == color); });
  for (i64 k = 0; k < area; k++) sizes[k] = marks[k] = 0;
  for (i64 i = 0, k = 0; i < n_rows; i++)
    for (i64 j = 0; j < width; j++, k++) {
      sizes[parents[k]]++;
      const bool on_edge = i == 0 || i == n_rows - 1 || j == 0 || j == width - 1;
      if (on_edge && cells[k] == color) marks[parents[k]] = 1;
    }
  // Find the parts that touch marked cells.
  for (i64 i = 0, k = 0; i < n_rows; i++)
    for (i64 j = 0; j < width; j++, k++) {
      if (cells[k] == color) continue;
      for (i64 a = max_of<i64>(i - 1, 0); a <= min_of(i + 1, n_rows - 1); a++)
        for (i64 b = max_of<i64>(j - 1, 0); b <= min_of(j + 1, width - 1); b++) {
          const i64 other = a * width + b;
          if (cells[other] == color && marks[parents[other]]) marks[parents[k]] = 1;
        }
    }
  i64 n = 0, least = area;
  for (i64 k = 0; k < area; k++) {
    if (parents[k] != k || cells[k] == color) continue;
    n++;
    least = min_of(least, marks[k] ? (i64)sizes[k] : 0);
  }
  return n < 2 ? 0 : least;
}

// Returns the most common color, 0 included, the lowest of several.
template <class C>
ARC_FN int most_common_color(const Picture<C>& p) {
  i32 n[4][16];  // four counters, so that no count waits for the previous one
  for (int c = 0; c < 16; c++) n[0][c] = n[1][c] = n[2][c] = n[3][c] = 0;
  const C* cells = p.cells;
  const i64 area = p.area();
  i64 k = 0;
  for (; k + 4 <= area; k += 4)
    for (int s = 0; s < 4; s++) n[s][cells[k + s]]++;
  for (; k < area; k++) n[0][cells[k]]++;
  int best = 0;
  i32 most = 0;
  for (int c = 0; c < 10; c++) {
    const i32 all = n[0][c] + n[1][c] + n[2][c] + n[3][c];
    if (all > most) {
      best = c;
      most = all;
    }
  }
  return best;
}

template <class C>
ARC_FN PictureList<C> move_cut(Lane& lane, const Picture<C>& p) {
  if (p.empty()) return PictureList<C>();
  const EdgeColors edges = edge_colors(p);
  const u32 across = (edges.top & edges.bottom) | (edges.left & edges.right);
  const bool by_words = fits_words(p);
  i32 *parents = nullptr, *sizes = nullptr;
  u8* marks = nullptr;
  if (!by_words) {
    const u64 area = (u64)p.area();
    parents = lane.allocate_array<i32>(area);
    sizes = lane.allocate_array<i32>(area);
    marks = lane.allocate_array<u8>(area);
    if (!parents || !sizes || !marks) return failed_list<C>(OVER_BUDGET);
  }
  int best = -1;
  i64 most = 0;
  for (int color = 0; color < 10; color++) {
    if (!(across >> color & 1)) continue;
    const i64 least = by_words ? least_left_by_words(p, color, most) : serial([&]() {
      return least_left_by_cells(p, color, parents, sizes, marks);
    });
    if (least > most) {
      best = color;
      most = least;
    }
  }
  if (best < 0) best = most_common_color(p);
  return all_shapes(lane, p, best).list(lane);
}

template <class C>
ARC_FN PictureList<C> move_split_columns(Lane& lane, const Picture<C>& p) {
  if (p.empty()) return PictureList<C>();
  const i64 n_rows = p.n_rows, width = p.width;
  if (!lane.require((u64)width * (u64)(5 + 2 * n_rows))) return failed_list<C>(OVER_BUDGET);
  if (!in_range(width - 1)) return failed_list<C>(OUT_OF_RANGE);
  C* to = lane.allocate_array<C>((u64)p.area());
  Picture<C>* items = lane.allocate_array<Picture<C>>((u64)width);
  if (!to || !items) return failed_list<C>(OVER_BUDGET);
  const C* from = p.cells;
  each(width, [=](i64 j) {
    for (i64 i = 0; i < n_rows; i++) to[j * n_rows + i] = from[i * width + j];
    Picture<C>& item = items[j];
    item.row = 0;
    item.column = (i32)j;
    item.n_rows = (i32)n_rows;
    item.width = 1;
    item.cells = to + j * n_rows;
  });
  PictureList<C> list;
  list.items = items;
  list.n = (i32)width;
  return list;
}

template <class C>
ARC_FN PictureList<C> move_split_rows(Lane& lane, const Picture<C>& p) {
  if (p.empty()) return PictureList<C>();
  const i64 n_rows = p.n_rows, width = p.width;
  if (!lane.require((u64)n_rows * (u64)(6 + width))) return failed_list<C>(OVER_BUDGET);
  if (!in_range(n_rows - 1)) return failed_list<C>(OUT_OF_RANGE);
  Picture<C>* items = lane.allocate_array<Picture<C>>((u64)n_rows);
  if (!items) return failed_list<C>(OVER_BUDGET);
  const C* from = p.cells;
  each(n_rows, [=](i64 i) {
    Picture<C>& item = items[i];
    item.row = (i32)i;
    item.column = 0;
    item.n_rows = 1;
    item.width = (i32)width;
    item.cells = from + i * width;
  });
  PictureList<C> list;
  list.items = items;
  list.n = (i32)n_rows;
  return list;
}

// Copies a rectangle of cells.
template <class C>
ARC_FN void copy_box(const C* from, i64 from_width, C* to, i64 to_width, i64 n_rows, i64 width) {
  for (i64 i = 0; i < n_rows; i++)
    for (i64 j = thread_index(); j < width; j += W) to[i * to_width + j] = from[i * from_width + j];
  sync();
}

template <class C>
ARC_FN PictureList<C> move_split_halves(Lane& lane, const Picture<C>& p) {
  const i64 n_rows = p.n_rows, width = p.width;
  if (p.area() < 2) return PictureList<C>();
  ListMaker<C> made(lane, 2);
  if (made.failed) return made.list(lane);
  if (width >= n_rows) {
    const i64 half = width / 2, rest = width - half;
    C* left = made.add_new(lane, p.row, p.column, n_rows, half);
    C* right = left ? made.add_new(lane, p.row, p.column + rest, n_rows, half) : nullptr;
    if (!right) return made.list(lane);
    copy_box(p.cells, width, left, half, n_rows, half);
    copy_box(p.cells + rest, width, right, half, n_rows, half);
  } else {
    const i64 half = n_rows / 2, rest = n_rows - half;
    made.add(lane, p.row, p.column, half, width, p.cells);
    if (!made.failed) made.add(lane, p.row + rest, p.column, half, width, p.cells + rest * width);
  }
  return made.list(lane);
}

// Runs of lines without separators: their number, and whether all have the same length.
struct LineRuns {
  i64 n = 0;
  bool even = true;
};
// Calls f(start, end) for each run of numbers below n for which `drawn` is false.
template <class Drawn, class F>
ARC_FN void each_run(i64 n, Drawn drawn, F f) {
  for (i64 k = 0; k < n;) {
    const i64 start = k;
    while (k < n && !drawn(k)) k++;
    if (k > start) f(start, k);
    while (k < n && drawn(k)) k++;
  }
}
template <class Drawn>
ARC_FN LineRuns count_runs(i64 n, Drawn drawn) {
  LineRuns runs;
  i64 length = 0;
  each_run(n, drawn, [&](i64 start, i64 end) {
    if (runs.n++ && end - start != length) runs.even = false;
    length = end - start;
  });
  return runs;
}
// The best division so far.
struct Division {
  int color = -1;
  i64 n = 1, n_rows = 0, n_columns = 0;
  bool even = false;

  ARC_FN void offer(int of_color, const LineRuns& rows, const LineRuns& columns) {
    const i64 n_panels = rows.n * columns.n;
    const bool all_even = rows.even && columns.even;
    if (n_panels < 2 || (all_even == even ? n_panels <= n : even)) return;
    color = of_color;
    n = n_panels;
    n_rows = rows.n;
    n_columns = columns.n;
    even = all_even;
  }
};
template <class C, class DrawnRow, class DrawnColumn>
ARC_FN PictureList<C> panels(Lane& lane, const Picture<C>& p, i64 n, DrawnRow row, DrawnColumn column) {
  ListMaker<C> made(lane, n);
  if (made.failed) return made.list(lane);
  each_run(p.n_rows, row, [&](i64 top, i64 bottom) {
    each_run(p.width, column, [&](i64 left, i64 right) {
      if (made.failed) return;
      const i64 high = bottom - top, wide = right - left;
      C* to = made.add_new(lane, p.row + top, p.column + left, high, wide);
      if (to) copy_box(p.cells + top * p.width + left, p.width, to, wide, high, wide);
    });
  });
  return made.list(lane);
}

template <class C>
ARC_FN PictureList<C> move_split_blocks(Lane& lane, const Picture<C>& p) {
  if (p.empty()) return PictureList<C>();
  const i64 n_rows = p.n_rows, width = p.width;
  const C* cells = p.cells;
  // A line has a cell in the first row or column.
  const EdgeColors edges = edge_colors(p);
  Division best;
  if (fits_words(p)) {
    const u64 full = full_word(width);
    u64 rows[10], columns[10];
    for (int color = 0; color < 10; color++) {
      rows[color] = 0;
      columns[color] = 0;
      if (!((edges.top & edges.bottom) >> color & 1) && !((edges.left & edges.right) >> color & 1)) continue;
      u64 words[PART_SIDE];
      words_of_color(p, color, words);
      u64 in_rows = 0, in_columns = full;
      for (i64 i = 0; i < n_rows; i++) {
        in_rows |= (u64)(words[i] == full) << i;
        in_columns &= words[i];
      }
      if (!in_rows && !in_columns) continue;
      rows[color] = in_rows;
      columns[color] = in_columns;
      best.offer(color, count_runs(n_rows, [=](i64 i) { return in_rows >> i & 1; }),
                 count_runs(width, [=](i64 j) { return in_columns >> j & 1; }));
    }
    if (best.color < 0) return PictureList<C>();
    const u64 in_rows = rows[best.color], in_columns = columns[best.color];
    return panels(lane, p, best.n, [=](i64 i) { return in_rows >> i & 1; },
                  [=](i64 j) { return in_columns >> j & 1; });
  }
  // The color of each line, or -1.
  i8* row_color = lane.allocate_array<i8>((u64)n_rows);
  i8* column_color = lane.allocate_array<i8>((u64)width);
  if (!row_color || !column_color) return failed_list<C>(OVER_BUDGET);
  each(n_rows, [=](i64 i) {
    const C* row = cells + i * width;
    i64 j = 1;
    while (j < width && row[j] == row[0]) j++;
    row_color[i] = j < width ? (i8)-1 : (i8)row[0];
  });
  each(width, [=](i64 j) {
    i64 i = 1;
    while (i < n_rows && cells[i * width + j] == cells[j]) i++;
    column_color[j] = i < n_rows ? (i8)-1 : (i8)cells[j];
  });
  for (int color = 0; color < 10; color++)
    if ((edges.top | edges.left) >> color & 1)
      best.offer(color, count_runs(n_rows, [=](i64 i) { return row_color[i] == color; }),
                 count_runs(width, [=](i64 j) { return column_color[j] == color; }));
  if (best.color < 0) return PictureList<C>();
  const int color = best.color;
  return panels(lane, p, best.n, [=](i64 i) { return row_color[i] == color; },
                [=](i64 j) { return column_color[j] == color; });
}

// --- settling ---

// Moves a part in a direction until it would hit the edge or a taken cell; its cells are then taken, too. Returns the
// number of steps.
template <class C>
ARC_FN i64 settle_by_words(const Picture<C>& part, i64 n_rows, i64 width, int down, int right, u64* taken,
                           i64& n_cells) {
  u64 shape[PART_SIDE];
  words_without_color(part, 0, shape);
  const i64 high = part.n_rows;
  for (i64 i = 0; i < high; i++) n_cells += count_in_word(shape[i]);
  i64 row = part.row, column = part.column, n = 0;
  for (;;) {
    row += down;
    column += right;
    if (row < 0 || column < 0 || row + high > n_rows || column + part.width > width) break;
    u64 overlap = 0;
    for (i64 i = 0; i < high; i++) overlap |= shape[i] << column & taken[row + i];
    if (overlap) break;
    n++;
  }
  row -= down;
  column -= right;
  for (i64 i = 0; i < high; i++) taken[row + i] |= shape[i] << column;
  return n;
}

template <class C>
ARC_FN PictureList<C> move_settle(Lane& lane, const Picture<C>& p, i64 code) {
  if (p.empty()) return PictureList<C>();
  const int down = code == 2 ? 1 : code == 3 ? -1 : 0, right = code == 0 ? 1 : code == 1 ? -1 : 0;
  const i64 n_rows = p.n_rows, width = p.width;
  Picture<C> unplaced = p;
  unplaced.row = unplaced.column = 0;
  ListMaker<C> made = all_parts(lane, unplaced);
  if (made.failed) return made.list(lane);
  const PictureList<C> parts = list_of(lane, made.items, made.n);
  if (parts.failed()) return parts;
  const i64 n = parts.n;
  made.items = (Picture<C>*)parts.items;  // its own memory, or that of the sort
  made.n = n;
  Picture<C>* items = made.items;
  // The foremost part moves first; equally advanced ones in their order.
  Key* order = lane.allocate_array<Key>((u64)n);
  if (!order) return failed_list<C>(OVER_BUDGET);
  each(n, [=](i64 k) {
    const i64 ahead = (i64)items[k].row * down + (i64)items[k].column * right;
    order[k] = (Key)((1LL << 30) - ahead) << 32 | (Key)k;
  });
  if (!sort_keys(lane, order, n)) return failed_list<C>(OVER_BUDGET);
  if (fits_words(p)) {
    u64 taken[PART_SIDE];
    for (i64 i = 0; i < n_rows; i++) taken[i] = 0;
    u64 work = 0;
    for (i64 k = 0; k < n; k++) {
      Picture<C>& item = items[order[k] & 0xffffffffu];
      i64 n_cells = 0;
      const i64 far = settle_by_words(item, n_rows, width, down, right, taken, n_cells);
      work += (u64)(n_cells * (far + 1));
      sync();
      if (thread_index() == 0) {
        item.row += (i32)(p.row + down * far);
        item.column += (i32)(p.column + right * far);
      }
      sync();
    }
    if (!lane.charge(work)) return failed_list<C>(OVER_BUDGET);
    return made.list(lane);
  }
  u8* taken = lane.allocate_array<u8>((u64)p.area());
  if (!taken) return failed_list<C>(OVER_BUDGET);
  each(p.area(), [=](i64 k) { taken[k] = 0; });
  for (i64 k = 0; k < n; k++) {
    Picture<C>& item = items[order[k] & 0xffffffffu];
    const C* cells = item.cells;
    const i64 area = item.area(), high = item.n_rows, wide = item.width;
    const i64 n_cells = total(area, [=](i64 c) { return cells[c] != 0; });
    i64 row = item.row, column = item.column;
    for (;;) {
      if (!lane.charge((u64)n_cells)) return failed_list<C>(OVER_BUDGET);
      const i64 i = row + down, j = column + right;
      if (i < 0 || j < 0 || i + high > n_rows || j + wide > width) break;
      if (any(area, [=](i64 c) { return cells[c] && taken[(i + c / wide) * width + j + c % wide]; })) break;
      row = i;
      column = j;
    }
    each(area, [=](i64 c) {
      if (cells[c]) taken[(row + c / wide) * width + column + c % wide] = 1;
    });
    sync();
    if (thread_index() == 0) {
      item.row = (i32)(p.row + row);
      item.column = (i32)(p.column + column);
    }
    sync();
  }
  return made.list(lane);
}

// --- pick ---

enum PickCode : u8 {
  PICK_MOST_SHOWN,
  PICK_LEAST_SHOWN,
  PICK_LARGEST,
  PICK_SMALLEST,
  PICK_MOST_COLORS,
  PICK_TOP,
  PICK_BOTTOM,
  PICK_MOST_SHAPES,
  PICK_MOST_ZEROS,
  PICK_LEAST_ZEROS,
  PICK_MOST_ENCLOSED,
  PICK_LEAST_ENCLOSED,
  PICK_LEFT,
  PICK_RIGHT,
  PICK_COMMONEST,
  PICK_RAREST,
  PICK_COMMONEST_SHAPE,
  PICK_RAREST_SHAPE,
  PICK_MOST_SYMMETRIC,
  PICK_LEAST_COLORS,
  PICK_LEAST_SYMMETRIC,
};

#if !defined(__CUDACC__)
// Loads eight cells that are bytes, with 1 for each that is not 0.
ARC_FN u64 shown_bytes(const u8* cells) {
  constexpr u64 ONES = 0x0101010101010101ULL;
  u64 bytes;
  __builtin_memcpy(&bytes, cells, 8);
  return (bytes + 0x7f * ONES) >> 7 & ONES;
}
#endif

// The following functions run in one thread.

template <class C>
ARC_FN i64 count_shown(const Picture<C>& p) {
  const i64 area = p.area();
  const C* cells = p.cells;
  i64 n = 0, k = 0;
#if !defined(__CUDACC__)
  if (sizeof(C) == 1)
    for (; k + 8 <= area; k += 8) n += (i64)(shown_bytes((const u8*)cells + k) * 0x0101010101010101ULL >> 56);
#endif
  for (; k < area; k++) n += cells[k] != 0;
  return n;
}
// The colors of a picture, as bits.
template <class C>
ARC_FN u32 colors_of(const Picture<C>& p) {
  u32 colors = 0;
  for (i64 k = 0; k < p.area(); k++) colors |= 1u << p.cells[k];
  return colors;
}
template <class C>
ARC_FN i64 count_zeros(const Picture<C>& p) {
  i64 top = p.n_rows, bottom = -1, left = p.width, right = -1, n = 0;
  if (fits_words(p) && !p.empty()) {
    u64 shown[PART_SIDE], columns = 0;
    words_without_color(p, 0, shown);
    for (i64 i = 0; i < p.n_rows; i++) {
      if (!shown[i]) continue;
      columns |= shown[i];
      n += count_in_word(shown[i]);
      top = min_of(top, i);
      bottom = i;
    }
    if (!columns) return 0;
    left = lowest_bit64(columns);
    right = highest_in_word(columns);
  } else {
    for (i64 i = 0, k = 0; i < p.n_rows; i++)
      for (i64 j = 0; j < p.width; j++, k++) {
        if (!p.cells[k]) continue;
        n++;
        top = min_of(top, i);
        bottom = i;
        left = min_of(left, j);
        right = max_of(right, j);
      }
    if (!n) return 0;
  }
  return (bottom - top + 1) * (right - left + 1) - n;
}
template <class C>
ARC_FN i64 count_symmetries(const Picture<C>& p) {
  const i64 n_rows = p.n_rows, width = p.width;
  const C* cells = p.cells;
  auto is_mirrored = [=](i64 of_row, i64 of_column) {
    // The cell that (0, 0) comes from, and the steps from there.
    const i64 start = (of_row < 0 ? n_rows - 1 : 0) * width + (of_column < 0 ? width - 1 : 0);
    for (i64 i = 0; i < n_rows; i++)
      for (i64 j = 0; j < width; j++)
        if (cells[i * width + j] != cells[start + of_row * i * width + of_column * j]) return 0;
    return 1;
  };
  auto is_transposed = [=]() {
    if (n_rows != width) return 0;
    for (i64 i = 1; i < n_rows; i++)
      for (i64 j = 0; j < i; j++)
        if (cells[i * width + j] != cells[j * width + i]) return 0;
    return 1;
  };
  return is_mirrored(1, -1) + is_mirrored(-1, 1) + is_mirrored(-1, -1) + is_transposed();
}
template <class C>
ARC_FN i64 count_shapes(const Picture<C>& p) {
  u64 mask[PART_SIDE], rest[PART_SIDE];
  words_without_color(p, 0, mask);
  for (i32 i = 0; i < p.n_rows; i++) rest[i] = mask[i];
  i64 n = 0;
  each_part<true>(rest, p.n_rows, [&](i32, i32) { return (const u64*)mask; },
                  [&](i32, i32, const u64*) { return ++n > 0; });
  return n;
}
template <class C>
ARC_FN i64 count_enclosed(const Picture<C>& p) {
  u64 zeros[PART_SIDE], outer[PART_SIDE];
  words_of_color(p, 0, zeros);
  flood_from_edge<false>(zeros, p.n_rows, p.width, outer);
  i64 n = 0;
  for (i32 i = 0; i < p.n_rows; i++)
    if (const u64 inner = zeros[i] & ~outer[i]) n += count_in_word(inner);
  return n;
}
// count_shapes and count_enclosed for pictures of any size, by all threads; -1 if memory ran out.
template <class C>
ARC_FN i64 count_by_cells(Lane& lane, const Picture<C>& p, bool shapes) {
  const Scratch scratch(lane);
  const CellParts parts = parts_of_cells(lane, p, shapes, [](C cell) { return (int)(cell != 0); });
  if (!parts.at_edge) return -1;
  const C* cells = p.cells;
  const i64 n = total(p.area(), [=](i64 k) {
    return (int)(shapes ? cells[k] && parts.parents[k] == k : !cells[k] && !parts.reaches_edge(k));
  });
  scratch.give_back(lane);
  return n;
}

// Returns whether pictures have the same cells, or the same shape.
template <class C>
ARC_FN bool same_cells(const Picture<C>& a, const Picture<C>& b, bool shapes) {
  if (a.n_rows != b.n_rows || a.width != b.width) return false;
  const C *x = a.cells, *y = b.cells;
  for (i64 k = 0; k < a.area(); k++)
    if (shapes ? (x[k] != 0) != (y[k] != 0) : x[k] != y[k]) return false;
  return true;
}
template <class C>
ARC_FN u64 hash_of_cells(const Picture<C>& p, bool shapes) {
  constexpr u64 FACTOR = 0x9E3779B97F4A7C15ULL;
  u64 hash = ((u64)p.n_rows << 32 | (u64)p.width) * FACTOR;
  const i64 area = p.area();
  const C* cells = p.cells;
  i64 k = 0;
#if !defined(__CUDACC__)
  if (sizeof(C) == 1)
    for (; k + 8 <= area; k += 8) {
      u64 bytes;
      __builtin_memcpy(&bytes, (const u8*)cells + k, 8);
      if (shapes) bytes = shown_bytes((const u8*)cells + k);
      hash = (hash ^ bytes) * FACTOR;
      hash ^= hash >> 32;
    }
#endif
  for (; k < area; k++) {
    hash = (hash ^ (u64)(shapes ? cells[k] != 0 : cells[k])) * FACTOR;
    hash ^= hash >> 32;
  }
  return hash * FACTOR;
}
// values[k] := the number of pictures with the same cells, or shape, as picture k; returns false if memory ran out.
template <class C>
ARC_FN bool count_alike(Lane& lane, const PictureList<C>& list, bool shapes, i64* values) {
  const i64 n = list.n;
  const Picture<C>* items = list.items;
  // Sort by the hash, with the position in the list in the lowest bits.
  int index_bits = 0;
  while ((1LL << index_bits) < n) index_bits++;
  const u64 index_mask = (1ULL << index_bits) - 1;
  Key* keys = lane.allocate_array<Key>((u64)n);
  if (!keys) return false;
  each(n, [=](i64 k) {
    keys[k] = (hash_of_cells(items[k], shapes) & ~index_mask) | (Key)k;
    values[k] = 0;
  });
  if (!sort_keys(lane, keys, n)) return false;
  serial([=]() {
    for (i64 a = 0; a < n; a++) {
      const i64 first = (i64)(keys[a] & index_mask);
      if (values[first]) continue;
      i64 alike = 1, end = a + 1;
      for (; end < n && !((keys[a] ^ keys[end]) & ~index_mask); end++) {
        const i64 k = (i64)(keys[end] & index_mask);
        if (values[k] || !same_cells(items[first], items[k], shapes)) continue;
        values[k] = -1;  // until their number is known
        alike++;
      }
      values[first] = alike;
      for (i64 b = a + 1; b < end; b++) {
        i64& value = values[keys[b] & index_mask];
        if (value < 0) value = alike;
      }
    }
    return 0;
  });
  return true;
}

// Returns the value of a criterion for one picture, without its sign, by one thread.
template <class C>
ARC_FN i64 worth_of(const Picture<C>& p, i64 code) {
  switch (code) {
    case PICK_MOST_SHOWN:
    case PICK_LEAST_SHOWN: return count_shown(p);
    case PICK_LARGEST:
    case PICK_SMALLEST: return p.area();
    case PICK_MOST_COLORS:
    case PICK_LEAST_COLORS: return count_bits(colors_of(p) & ~1u);
    case PICK_TOP:
    case PICK_BOTTOM: return p.row;
    case PICK_LEFT:
    case PICK_RIGHT: return p.column;
    case PICK_MOST_ZEROS:
    case PICK_LEAST_ZEROS: return count_zeros(p);
    case PICK_MOST_SHAPES: return p.empty() || !fits_words(p) ? 0 : count_shapes(p);
    case PICK_MOST_ENCLOSED:
    case PICK_LEAST_ENCLOSED: return p.empty() || !fits_words(p) ? 0 : count_enclosed(p);
    default: return count_symmetries(p);
  }
}

// Returns the value of the criterion for each picture of a list; null if memory ran out.
template <class C>
ARC_FN const i64* worths_of(Lane& lane, const PictureList<C>& list, i64 code) {
  const i64 n = list.n;
  const Picture<C>* items = list.items;
  i64* values = lane.allocate_array<i64>((u64)n);
  if (!values) return nullptr;
  if (code >= PICK_COMMONEST && code <= PICK_RAREST_SHAPE) {
    if (!count_alike(lane, list, code >= PICK_COMMONEST_SHAPE, values)) return nullptr;
  } else if (W == 1) {
    for (i64 k = 0; k < n; k++) values[k] = worth_of(items[k], code);
  } else {
    each(n, [=](i64 k) { values[k] = worth_of(items[k], code); });
  }
  if (code == PICK_MOST_SHAPES || code == PICK_MOST_ENCLOSED || code == PICK_LEAST_ENCLOSED) {
    for (i64 k = 0; k < n; k++) {
      if (fits_words(items[k])) continue;
      const i64 value = count_by_cells(lane, items[k], code == PICK_MOST_SHAPES);
      if (value < 0) return nullptr;
      if (thread_index() == 0) values[k] = value;
    }
    sync();
  }
  const bool least_first = code == PICK_LEAST_SHOWN || code == PICK_SMALLEST || code == PICK_TOP ||
                           code == PICK_LEAST_ZEROS || code == PICK_LEAST_ENCLOSED || code == PICK_LEFT ||
                           code == PICK_RAREST || code == PICK_RAREST_SHAPE || code == PICK_LEAST_COLORS ||
                           code == PICK_LEAST_SYMMETRIC;
  if (least_first) each(n, [=](i64 k) { values[k] = -values[k]; });
  return values;
}
ARC_FN i64 best_worth(const i64* values, i64 n) {
  return greatest(n, -(1LL << 62), [=](i64 k) { return values[k]; });
}

template <class C>
ARC_FN Picture<C> move_pick(Lane& lane, const PictureList<C>& list, i64 code) {
  if (!list.n) return empty_picture<C>();
  const i64* values = worths_of(lane, list, code);
  if (!values) return failed_picture<C>(OVER_BUDGET);
  const i64 best = best_worth(values, list.n);
  return list.items[first_where(list.n, [=](i64 k) { return values[k] == best; })];
}

template <class C>
ARC_FN PictureList<C> picked(Lane& lane, const PictureList<C>& list, i64 code, bool wanted) {
  if (!list.n) return list;
  const i64* values = worths_of(lane, list, code);
  Picture<C>* items = lane.allocate_array<Picture<C>>((u64)list.n);
  if (!values || !items) return failed_list<C>(OVER_BUDGET);
  const i64 best = best_worth(values, list.n);
  const Picture<C>* from = list.items;
  PictureList<C> result;
  result.items = items;
  result.n = (i32)filter(
      list.n, 0, [=](i64 k) { return (values[k] == best) == wanted; },
      [=](i64 k, i64 at) { items[at] = from[k]; });
  return result;
}
template <class C>
ARC_FN PictureList<C> move_best_of(Lane& lane, const PictureList<C>& list, i64 code) {
  return picked(lane, list, code, true);
}
template <class C>
ARC_FN PictureList<C> move_rest_of(Lane& lane, const PictureList<C>& list, i64 code) {
  return picked(lane, list, code, false);
}

#define ARC_PICTURE_LIST(name, value)                            \
  const PictureList<i32> name = list_of_value(lane, value);      \
  if (name.failed()) return fail(name.why)

// --- combining ---

// Lays the non-zero cells of a picture over others, `n_over` in all.
template <class C>
ARC_FN void paste_box(const Picture<C>& p, C* over, i64 at, i64 over_width, [[maybe_unused]] i64 n_over) {
  const C* from = p.cells;
  const i64 width = p.width;
#if !defined(__CUDACC__)
  if (sizeof(C) == 1) {
    const u8* source = (const u8*)from;
    u8* target = (u8*)over + at;
    const i64 last = p.area() - 8, last_over = n_over - 8 - at;
    for (i64 i = 0; i < p.n_rows; i++) {
      const i64 in_source = i * width, in_target = i * over_width;
      for (i64 j = 0; j < width; j += 8) {
        if (in_source + j <= last && in_target + j <= last_over) {
          u64 bytes, under;
          __builtin_memcpy(&bytes, source + in_source + j, 8);
          __builtin_memcpy(&under, target + in_target + j, 8);
          if (width - j < 8) bytes &= (1ULL << 8 * (width - j)) - 1;
          constexpr u64 ONES = 0x0101010101010101ULL;
          under &= ~(((bytes + 0x7f * ONES) >> 7 & ONES) * 255);
          under |= bytes;
          __builtin_memcpy(target + in_target + j, &under, 8);
        } else {
          const i64 n = min_of<i64>(8, width - j);
          for (i64 k = j; k < j + n; k++)
            if (source[in_source + k]) target[in_target + k] = source[in_source + k];
        }
      }
    }
    return;
  }
#endif
  for (i64 i = 0; i < p.n_rows; i++)
    for (i64 j = thread_index(); j < width; j += W)
      if (from[i * width + j]) over[at + i * over_width + j] = from[i * width + j];
  sync();
}

template <class C>
ARC_FN Picture<C> move_heap_up(Lane& lane, const PictureList<C>& list) {
  const Picture<C>* items = list.items;
  const i64 n = list.n;
  const i64 far = 1LL << 40;
  i64 top = far, left = far, bottom = -far, right = -far;
  for (i64 k = 0; k < n; k++) {
    if (items[k].empty()) continue;
    top = min_of<i64>(top, items[k].row);
    left = min_of<i64>(left, items[k].column);
    bottom = max_of<i64>(bottom, (i64)items[k].row + items[k].n_rows);
    right = max_of<i64>(right, (i64)items[k].column + items[k].width);
  }
  if (bottom < top) return empty_picture<C>();
  const i64 width = right - left, area = (bottom - top) * width;
  ARC_NEW_PICTURE(joint, to, top, left, bottom - top, width);
  Key* order = lane.allocate_array<Key>((u64)n);
  if (!order) return failed_picture<C>(OVER_BUDGET);
  each(area, [=](i64 k) { to[k] = 0; });
  each(n, [=](i64 k) { order[k] = (Key)count_shown(items[k]) << 32 | (Key)k; });
  if (!sort_keys(lane, order, n)) return failed_picture<C>(OVER_BUDGET);
  for (i64 k = n; k-- > 0;) {
    const Picture<C> item = items[order[k] & 0xffffffffu];
    if (!item.empty()) paste_box(item, to, (item.row - top) * width + item.column - left, width, area);
  }
  return joint;
}

template <class C>
ARC_FN Picture<C> move_overlay(Lane& lane, const PictureList<C>& list, i64 code) {
  const Picture<C>* items = list.items;
  const i64 start = first_where(list.n, [=](i64 k) { return !items[k].empty(); });
  if (start == list.n) return empty_picture<C>();
  const Picture<C> first = items[start];
  const i64 area = first.area();
  ARC_NEW_PICTURE(joint, to, 0, 0, first.n_rows, first.width);
  const C* lowest = first.cells;
  each(area, [=](i64 k) { to[k] = lowest[k]; });
  constexpr C SEVERAL = 10;  // not a color
  for (i64 k = start + 1; k < list.n; k++) {
    const Picture<C> item = items[k];
    if (item.n_rows != first.n_rows || item.width != first.width) continue;
    const C* from = item.cells;
    switch (code) {
      case 0: each(area, [=](i64 c) { to[c] = to[c] ? to[c] : from[c]; }); break;
      case 1: each(area, [=](i64 c) { to[c] = from[c] ? to[c] : (C)0; }); break;
      case 2:
        each(area, [=](i64 c) {
          const C over = to[c] ? SEVERAL : from[c];
          to[c] = from[c] ? over : to[c];
        });
        break;
      case 3: each(area, [=](i64 c) { to[c] = (C)(to[c] | from[c]); }); break;
      default: each(area, [=](i64 c) { to[c] = from[c] ? (C)0 : to[c]; });
    }
  }
  if (code == 2) each(area, [=](i64 c) { to[c] = to[c] == SEVERAL ? (C)0 : to[c]; });
  if (code == 3) each(area, [=](i64 c) { to[c] = !to[c]; });
  return joint;
}

}  // namespace arc
