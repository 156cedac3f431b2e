// Combine two pictures. language/primitives/picture_pairs.py defines the primitives.
#pragma once
#include "picture_drawing.hpp"
#include "picture_lists.hpp"
#include "pictures.hpp"

namespace arc {

// The most rows and columns of a result, and the largest enlargement.
constexpr i64 MAX_JOINED_SIDE = 30, MAX_JOINED_TIMES = 10;

// Returns one picture's cells where another of its size is not 0, at the origin.
template <class C>
ARC_FN Picture<C> masked_by(Lane& lane, const Picture<C>& colors, const Picture<C>& shape) {
  if (colors.failed()) return colors;
  if (shape.failed()) return shape;
  ARC_NEW_PICTURE(masked, to, 0, 0, colors.n_rows, colors.width);
  const C *from = colors.cells, *shown = shape.cells;
  each(masked.area(), [=](i64 k) { to[k] = shown[k] ? from[k] : (C)0; });
  return masked;
}

// Replaces each non-zero cell of one picture by a copy of another, in the cell's color or in the copy's own colors.
template <class C>
ARC_FN Picture<C> multiplied(Lane& lane, const Picture<C>& coarse, const Picture<C>& fine, bool is_colored) {
  const i64 n_rows = (i64)coarse.n_rows * fine.n_rows, width = (i64)coarse.width * fine.width;
  if (max_of(n_rows, width) > MAX_JOINED_SIDE) return failed_picture<C>(OUT_OF_RANGE);
  ARC_NEW_PICTURE(product, to, 0, 0, n_rows, width);
  const C *outer = coarse.cells, *inner = fine.cells;
  const i64 outer_width = coarse.width, high = fine.n_rows, wide = fine.width;
  each_in_grid(n_rows, width, [=](i64 i, i64 j) {
    const C color = outer[i / high * outer_width + j / wide], cell = inner[i % high * wide + j % wide];
    to[i * width + j] = color && cell ? (is_colored ? color : cell) : (C)0;
  });
  return product;
}

// Returns a picture with another in the box of its holes, enlarged as much as fits.
template <class C>
ARC_FN Picture<C> filled_with(Lane& lane, const Picture<C>& larger, const Picture<C>& smaller) {
  // Measured from its own corner, so that no place is out of range.
  const Picture<C> frame = move_to_origin(lane, larger);
  const Picture<C> within = move_holes(lane, frame);
  if (within.failed()) return within;
  const Picture<C> hole = move_shrink(lane, within);
  if (hole.failed()) return hole;
  const i64 down = hole.n_rows / smaller.n_rows, across = hole.width / smaller.width;
  const i64 times = min_of(min_of(down, across), MAX_JOINED_TIMES);
  if (times < 1) return failed_picture<C>(EMPTY);
  Picture<C> grown = move_grow(lane, smaller, times);
  if (grown.failed()) return grown;
  grown.row = hole.row;
  grown.column = hole.column;
  Picture<C> filled = move_over(lane, grown, frame);
  if (filled.failed()) return filled;
  filled.row = larger.row;
  filled.column = larger.column;
  return filled;
}

template <class C>
ARC_FN i64 n_colors_of(const Picture<C>& p) {
  const ColorCounts counts = count_colors(p);
  i64 n = 0;
  for (int c = 1; c < 10; c++) n += counts.n[c] > 0;
  return n;
}

template <class C>
ARC_FN Picture<C> move_join_two(Lane& lane, const PictureList<C>& list, i64 code) {
  Picture<C> shown[2];
  i64 n_shown = 0;
  for (i64 k = 0; k < list.n; k++) {
    if (!count_shown(list.items[k])) continue;
    if (n_shown == 2) return failed_picture<C>(EMPTY);
    shown[n_shown++] = list.items[k];
  }
  if (n_shown < 2) return failed_picture<C>(EMPTY);
  const Picture<C>&a = shown[0], &b = shown[1];
  if (code == 4) return a.area() <= b.area() ? filled_with(lane, b, a) : filled_with(lane, a, b);
  const i64 more = n_colors_of(a) - n_colors_of(b);
  const bool is_first = more ? more > 0 : a.area() <= b.area();
  const Picture<C>&key = is_first ? a : b, &mask = is_first ? b : a;
  switch (code) {
    case 0: return masked_by(lane, key, move_resample(lane, mask, key.n_rows, key.width));
    case 1: return masked_by(lane, move_resample(lane, key, mask.n_rows, mask.width), mask);
    case 2: return multiplied(lane, key, mask, true);
    default: return multiplied(lane, mask, key, false);
  }
}

}  // namespace arc
