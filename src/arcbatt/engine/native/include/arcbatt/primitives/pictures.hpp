// Operations from picture to picture. language/primitives/pictures.py defines the primitives.
#pragma once
#include "../picture_bits.hpp"

namespace arc {

// Returns a picture at another place with f of each cell.
template <class C, class F>
ARC_FN void map_cells(i64 n, C* __restrict__ to, const C* __restrict__ from, F f) {
  if constexpr (W == 1) {
    for (i64 k = 0; k < n; k++) to[k] = f(from[k]);
  } else {
    each(n, [=](i64 k) { to[k] = f(from[k]); });
  }
}
template <class C>
ARC_FN void fill_cells(i64 n, C* to, C color) {
  each(n, [=](i64 k) { to[k] = color; });
}
template <class C>
ARC_FN Picture<C> one_cell(Lane& lane, i64 row, i64 column, C color) {
  ARC_NEW_PICTURE(cell, to, row, column, 1, 1);
  fill_cells<C>(1, to, color);
  return cell;
}

// --- colors ---

// A color as a cell, so that only cells of that color equal it.
template <class C>
ARC_FN C cell_to_find(i64 color) { return color >= 0 && color <= 9 ? (C)color : (C)100; }

template <class C>
ARC_FN Picture<C> move_keep_color(Lane& lane, const Picture<C>& p, i64 color) {
  ARC_NEW_PICTURE(kept, to, p.row, p.column, p.n_rows, p.width);
  const C wanted = cell_to_find<C>(color);
  map_cells(p.area(), to, p.cells, [=](C c) { return c == wanted ? c : (C)0; });
  return kept;
}

template <class C>
ARC_FN Picture<C> move_drop_color(Lane& lane, const Picture<C>& p, i64 color) {
  ARC_NEW_PICTURE(rest, to, p.row, p.column, p.n_rows, p.width);
  const C dropped = cell_to_find<C>(color);
  map_cells(p.area(), to, p.cells, [=](C c) { return c == dropped ? (C)0 : c; });
  return rest;
}

// Returns the lowest color other than 0; 1 if there is none.
template <class C>
ARC_FN C lowest_color(const Picture<C>& p) {
  const C* cells = p.cells;
  const i64 n = p.area();
  C lowest = 10;
  if constexpr (W == 1) {
    for (i64 k = 0; k < n; k++) lowest = min_of(lowest, cells[k] ? cells[k] : (C)10);
  } else {
    lowest = (C)least(n, 10, [=](i64 k) { return cells[k] ? cells[k] : (C)10; });
  }
  return lowest < 10 ? lowest : (C)1;
}
template <class C>
ARC_FN Picture<C> move_negative(Lane& lane, const Picture<C>& p) {
  ARC_NEW_PICTURE(turned, to, p.row, p.column, p.n_rows, p.width);
  const C lowest = lowest_color(p);
  map_cells(p.area(), to, p.cells, [=](C c) { return c ? (C)0 : lowest; });
  return turned;
}

template <class C>
ARC_FN Picture<C> move_tint(Lane& lane, const Picture<C>& p, i64 color) {
  ARC_NEW_PICTURE(tinted, to, p.row, p.column, p.n_rows, p.width);
  map_cells(p.area(), to, p.cells, [ink = (C)color](C c) { return c ? ink : (C)0; });
  return tinted;
}

// --- extent ---

// Returns some rows and columns of a picture at their place; whole rows are not copied.
template <class C>
ARC_FN Picture<C> cropped(Lane& lane, const Picture<C>& p, i64 top, i64 left, i64 n_rows, i64 width) {
  const C* from = p.cells + top * p.width + left;
  if (width == p.width && n_rows > 0 && in_range(p.row + top)) {
    Picture<C> part = p;
    part.row += (i32)top;
    part.n_rows = (i32)n_rows;
    part.cells = from;
    return part;
  }
  ARC_NEW_PICTURE(part, to, p.row + top, p.column + left, n_rows, width);
#if !defined(__CUDACC__)
  if constexpr (sizeof(C) == 1) {  // cells written beyond a row are overwritten by the next row
    const i64 n = n_rows * width, n_from = p.area() - top * p.width - left;
    for (i64 i = 0; i < n_rows; i++)
      for (i64 j = 0; j < width; j += 8)
        store_cells(to, i * width + j, n, load_cells(from, i * p.width + j, n_from));
    return part;
  }
#endif
  const i64 stride = p.width;
  each_in_grid(n_rows, width, [=](i64 i, i64 j) { to[i * width + j] = from[i * stride + j]; });
  return part;
}

template <class C>
ARC_FN Picture<C> move_shrink(Lane& lane, const Picture<C>& p) {
  const C* cells = p.cells;
#if !defined(__CUDACC__)
  if (fits_bits(p)) {
    BitRows shown;
    find_shown(p, shown);
    i32 top = 0, bottom = p.n_rows - 1;
    while (top <= bottom && !shown.rows[top]) top++;
    if (top > bottom) return empty_picture<C>();
    while (!shown.rows[bottom]) bottom--;
    u64 columns = 0;
    for (i32 i = top; i <= bottom; i++) columns |= shown.rows[i];
    const int left = lowest_bit64(columns), right = 63 - __builtin_clzll(columns);
    return cropped(lane, p, top, left, bottom - top + 1, right - left + 1);
  }
#endif
  const i64 n = p.area();
  const i64 first = first_where(n, [=](i64 k) { return cells[k] != 0; });
  if (first == n) return empty_picture<C>();
  const i64 last = greatest(n, 0, [=](i64 k) { return cells[k] ? k : 0; });
  const u32 width = (u32)p.width;
  const i64 left = least(n, width, [=](i64 k) { return cells[k] ? (u32)k % width : width; });
  const i64 right = greatest(n, 0, [=](i64 k) { return cells[k] ? (u32)k % width : 0; });
  const i64 top = first / width;
  return cropped(lane, p, top, left, last / width - top + 1, right - left + 1);
}

template <class C>
ARC_FN Picture<C> move_to_origin(Lane&, const Picture<C>& p) {
  Picture<C> moved = p;
  moved.row = moved.column = 0;
  return moved;
}

// Returns rows and columns of a picture, moved together, at the origin.
template <class C, class Index>
ARC_FN Picture<C> lines_together(Lane& lane, const Picture<C>& p, const Index* rows, i64 n_rows,
                                 const Index* columns, i64 width) {
  if (n_rows == p.n_rows && width == p.width) return move_to_origin(lane, p);
  ARC_NEW_PICTURE(together, to, 0, 0, n_rows, width);
  const C* from = p.cells;
  const i64 stride = p.width;
  each_in_grid(n_rows, width,
               [=](i64 i, i64 j) { to[i * width + j] = from[rows[i] * stride + columns[j]]; });
  return together;
}
#if !defined(__CUDACC__)
// The same for lines given as bits.
template <class C>
ARC_FN Picture<C> lines_together(Lane& lane, const Picture<C>& p, u64 rows, u64 columns) {
  u8 of_row[64], of_column[64];
  i64 n_rows = 0, width = 0;
  for (; rows; rows &= rows - 1) of_row[n_rows++] = (u8)lowest_bit64(rows);
  for (; columns; columns &= columns - 1) of_column[width++] = (u8)lowest_bit64(columns);
  return lines_together(lane, p, of_row, n_rows, of_column, width);
}
#endif
// The same for lines for which keep_row(i) and keep_column(j) hold.
template <class C, class KeepRow, class KeepColumn>
ARC_FN Picture<C> lines_where(Lane& lane, const Picture<C>& p, KeepRow keep_row, KeepColumn keep_column) {
  i32* rows = lane.allocate_array<i32>((u64)p.n_rows);
  if (!rows) return failed_picture<C>(OVER_BUDGET);
  i32* columns = lane.allocate_array<i32>((u64)p.width);
  if (!columns) return failed_picture<C>(OVER_BUDGET);
  const i64 n_rows = filter(p.n_rows, 0, keep_row, [=](i64 i, i64 at) { rows[at] = (i32)i; });
  const i64 width = filter(p.width, 0, keep_column, [=](i64 j, i64 at) { columns[at] = (i32)j; });
  return lines_together(lane, p, rows, n_rows, columns, width);
}

template <class C>
ARC_FN Picture<C> move_squeeze(Lane& lane, const Picture<C>& p) {
  if (p.empty()) return p;
#if !defined(__CUDACC__)
  if (fits_bits(p)) {
    BitRows shown;
    find_shown(p, shown);
    u64 rows = 0, columns = 0;
    for (i32 i = 0; i < p.n_rows; i++) {
      rows |= (u64)(shown.rows[i] != 0) << i;
      columns |= shown.rows[i];
    }
    return lines_together(lane, p, rows, columns);
  }
#endif
  const C* cells = p.cells;
  const i64 n_rows = p.n_rows, width = p.width;
  auto keep_row = [=](i64 i) {
    for (i64 j = 0; j < width; j++)
      if (cells[i * width + j]) return true;
    return false;
  };
  auto keep_column = [=](i64 j) {
    for (i64 i = 0; i < n_rows; i++)
      if (cells[i * width + j]) return true;
    return false;
  };
  return lines_where(lane, p, keep_row, keep_column);
}

template <class C>
ARC_FN Picture<C> move_collapse(Lane& lane, const Picture<C>& p) {
  if (p.empty()) return p;
#if !defined(__CUDACC__)
  if (fits_bits(p)) {
    BitRows as_left, as_above;
    find_equal(p, as_left, as_above);
    const u64 full = frame_of(p).full();
    u64 rows = 0, doubles = full;
    for (i32 i = 0; i < p.n_rows; i++) {
      rows |= (u64)(as_above.rows[i] != full) << i;
      doubles &= as_left.rows[i];
    }
    return lines_together(lane, p, rows, full & ~doubles);
  }
#endif
  const C* cells = p.cells;
  const i64 n_rows = p.n_rows, width = p.width;
  auto keep_row = [=](i64 i) {
    for (i64 j = 0; j < width && i; j++)
      if (cells[i * width + j] != cells[(i - 1) * width + j]) return true;
    return i == 0;
  };
  auto keep_column = [=](i64 j) {
    for (i64 i = 0; i < n_rows && j; i++)
      if (cells[i * width + j] != cells[i * width + j - 1]) return true;
    return j == 0;
  };
  return lines_where(lane, p, keep_row, keep_column);
}

template <class C>
ARC_FN Picture<C> move_spot(Lane& lane, const Picture<C>& p) {
  if (p.empty()) return p;
  return one_cell<C>(lane, p.row, p.column, (C)count_colors(p).main_color());
}

template <class C>
ARC_FN Picture<C> move_middle(Lane& lane, const Picture<C>& p) {
  if (p.empty()) return p;
  const i64 high = 2 - (p.n_rows & 1), wide = 2 - (p.width & 1);
  ARC_NEW_PICTURE(spot, to, (i64)p.row + (p.n_rows - 1) / 2, (i64)p.column + (p.width - 1) / 2, high, wide);
  fill_cells<C>(high * wide, to, 1);
  return spot;
}

template <class C>
ARC_FN Picture<C> move_slab(Lane& lane, const Picture<C>& p, i64 code) {
  const bool in_place = code >= 2;
  ARC_NEW_PICTURE(slab, to, in_place ? p.row : 0, in_place ? p.column : 0, p.n_rows, p.width);
  fill_cells<C>(p.area(), to, code & 1 ? (C)0 : (C)count_colors(p).main_color());
  return slab;
}

// --- inside and outside ---

// Returns the enclosed zeros and, with `shapes`, all other cells except the outside, in the main color.
template <class C>
ARC_FN Picture<C> filled_in(Lane& lane, const Picture<C>& p, bool shapes) {
  ARC_NEW_PICTURE(filled, to, p.row, p.column, p.n_rows, p.width);
  const C color = (C)count_colors(p).main_color();
  const C* from = p.cells;
  if (fits_bits(p)) {
    const BitFrame frame = frame_of(p);
    BitRows shown, outside;
    find_shown(p, shown);
    flood_outside(frame, shown, false, outside);
    frame.each_row([&](i32, i32 at) {
      shown.rows[at] = ~outside.rows[at] & (shapes ? frame.full() : frame.full() & ~shown.rows[at]);
    });
    paint_bits(frame, shown, to, OneColor<C>{color});
    return filled;
  }
  const CellParts parts = parts_of_cells(lane, p, false, [](C cell) { return (int)(cell != 0); });
  if (!parts.at_edge) return failed_picture<C>(OVER_BUDGET);
  each(p.area(), [=](i64 k) { to[k] = from[k] ? (shapes ? color : 0) : parts.reaches_edge(k) ? 0 : color; });
  return filled;
}

template <class C>
ARC_FN Picture<C> move_solid(Lane& lane, const Picture<C>& p) { return filled_in(lane, p, true); }

template <class C>
ARC_FN Picture<C> move_holes(Lane& lane, const Picture<C>& p) { return filled_in(lane, p, false); }

// Returns the cells on the edge and those that touch the outside, or all others.
template <class C>
ARC_FN Picture<C> bordering(Lane& lane, const Picture<C>& p, bool rim) {
  ARC_NEW_PICTURE(kept, to, p.row, p.column, p.n_rows, p.width);
  const C* from = p.cells;
  if (fits_bits(p)) {
    const BitFrame frame = frame_of(p);
    BitRows shown, outside;
    find_shown(p, shown);
    flood_outside(frame, shown, true, outside);
    frame.each_row([&](i32 row, i32 at) {
      u64 near = outside.rows[at] | beside_row(frame, outside, row);
      near |= near << 1 | near >> 1 | frame.edge(row);
      shown.rows[at] &= rim ? near : ~near;
    });
    paint_bits(frame, shown, to, OwnColors<C>{from});
    return kept;
  }
  const CellParts parts = parts_of_cells(lane, p, true, [](C cell) { return (int)(cell != 0); });
  if (!parts.at_edge) return failed_picture<C>(OVER_BUDGET);
  auto is_outside = [=](i64 k) { return !from[k] && parts.reaches_edge(k); };
  const i64 n_rows = p.n_rows, width = p.width;
  each_in_grid(n_rows, width, [=](i64 i, i64 j) {
    bool near = i == 0 || j == 0 || i == n_rows - 1 || j == width - 1;
    for (i64 di = -1; di <= 1 && !near; di++)
      for (i64 dj = -1; dj <= 1; dj++) near |= is_outside((i + di) * width + j + dj);
    const i64 k = i * width + j;
    to[k] = near == rim ? from[k] : 0;
  });
  return kept;
}

template <class C>
ARC_FN Picture<C> move_rim(Lane& lane, const Picture<C>& p) { return bordering(lane, p, true); }

template <class C>
ARC_FN Picture<C> move_core(Lane& lane, const Picture<C>& p) { return bordering(lane, p, false); }

// --- counts ---

// The codes of `tally`.
enum TallyWhat { TALLY_SHOWN_CELLS, TALLY_COLORS, TALLY_PARTS, TALLY_PARTS_OF_ONE_COLOR, TALLY_HOLES };
enum TallyForm { TALLY_SQUARE, TALLY_ROW, TALLY_COLUMN, TALLY_THREE_ROWS };

#if !defined(__CUDACC__)
// As count_regions, by bits.
template <class C>
ARC_FN i64 count_regions_by_bits(const Picture<C>& p, i64 what) {
  const BitFrame frame = frame_of(p);
  BitRows shown;
  find_shown(p, shown);
  if (what == TALLY_PARTS_OF_ONE_COLOR) {
    BitRows starts, links;
    find_equal(p, starts, links);
    for (i32 i = 0; i < p.n_rows; i++) {
      const u64 as_left = starts.rows[i], as_above = links.rows[i] & shown.rows[i];
      starts.rows[i] = shown.rows[i] & ~as_left;
      links.rows[i] = as_above & ~(as_above << 1 & as_left);
    }
    return count_linked(frame, starts, links);
  }
  BitRows enclosed;
  flood_outside(frame, shown, false, enclosed);
  u64 some = 0;
  for (i32 i = 0; i < p.n_rows; i++) {
    enclosed.rows[i] = frame.full() & ~enclosed.rows[i] & ~shown.rows[i];
    some |= enclosed.rows[i];
  }
  const i64 n_holes = some ? count_parts(frame, enclosed) : 0;
  return what == TALLY_HOLES ? n_holes : n_holes + euler_number(frame, shown);
}
#endif
// Returns the number of TALLY_PARTS, TALLY_PARTS_OF_ONE_COLOR or TALLY_HOLES; -1 if memory ran out.
template <class C>
ARC_FN i64 count_regions(Lane& lane, const Picture<C>& p, i64 what) {
#if !defined(__CUDACC__)
  if (fits_bits(p)) return count_regions_by_bits(p, what);
#endif
  const bool by_color = what == TALLY_PARTS_OF_ONE_COLOR;
  const CellParts parts = parts_of_cells(lane, p, what == TALLY_PARTS, [=](C cell) {
    return by_color ? (int)cell : (int)(cell != 0);
  });
  if (!parts.at_edge) return -1;
  return total(p.area(), [=](i64 k) {
    if (parts.parents[k] != k || (p.cells[k] == 0) != (what == TALLY_HOLES)) return 0;
    return (int)(what != TALLY_HOLES || !parts.at_edge[k]);
  });
}

template <class C>
ARC_FN Picture<C> move_tally(Lane& lane, const Picture<C>& p, i64 what, i64 form) {
  if (p.empty()) return p;
  const ColorCounts counts = count_colors(p);
  const C color = (C)counts.main_color();
  i64 n = 0;
  if (what == TALLY_SHOWN_CELLS) {
    n = counts.n_shown();
  } else if (what == TALLY_COLORS) {
    for (int c = 1; c < 10; c++) n += counts.n[c] > 0;
  } else {
    n = color ? count_regions(lane, p, what) : 0;
    if (n < 0) return failed_picture<C>(OVER_BUDGET);
  }
  if (n == 0) return empty_picture<C>();
  if (form == TALLY_THREE_ROWS) {
    ARC_NEW_PICTURE(drawn, to, 0, 0, 3, 3);
    each(9, [=](i64 k) { to[k] = k < n ? color : 0; });
    return drawn;
  }
  const i64 high = form == TALLY_ROW ? 1 : n, wide = form == TALLY_COLUMN ? 1 : n;
  ARC_NEW_PICTURE(drawn, to, 0, 0, high, wide);
  fill_cells<C>(high * wide, to, color);
  return drawn;
}

}  // namespace arc
