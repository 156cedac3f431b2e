// Finds connected parts of grids.
#pragma once
#include "places.hpp"

namespace arc {

// Which cells form a part: those of one color other than 0 (BY_COLOR), of any colors other than 0 (TOGETHER), zeros, or
// those of one color, 0 included (ALL); connected by sides (4) or also by corners (8). WHOLE_COLORS: all cells of a color
// other than 0, wherever they lie.
enum CutCode { BY_COLOR_4, BY_COLOR_8, TOGETHER_8, ZEROS, ALL_4, ALL_8, TOGETHER_4, WHOLE_COLORS };

// The directions in which a place has a neighbor, as bits.
inline u32 directions_within(const Scene& scene, const Place& at) {
  u32 within = 255;
  if (at.row == 0) within &= ~(1u << 0 | 1u << 1 | 1u << 2);
  if (at.row == scene.n_rows - 1) within &= ~(1u << 5 | 1u << 6 | 1u << 7);
  if (at.column == 0) within &= ~(1u << 0 | 1u << 3 | 1u << 5);
  if (at.column == scene.width - 1) within &= ~(1u << 2 | 1u << 4 | 1u << 7);
  return within;
}

// Finds the parts of a grid, in the order of their first places: numbers their cells (-1 for cells of no part) and
// lists their places. Returns the number of parts.
inline i32 label_parts(const Scene& scene, int how, i32* labels, Place* places) {
  const bool diagonal = how == BY_COLOR_8 || how == TOGETHER_8 || how == ALL_8;
  const bool together = how == TOGETHER_4 || how == TOGETHER_8, all = how == ALL_4 || how == ALL_8;
  const i64 n = scene.n_cells();
  const i32 width = scene.width;
  for (i64 k = 0; k < n; k++) labels[k] = -1;
  i32 steps[8];
  for (int d = 0; d < 8; d++) steps[d] = row_step(d) * width + column_step(d);
  const u32 all_directions = diagonal ? 255 : 1 << 1 | 1 << 3 | 1 << 4 | 1 << 6;
  Place* end = places;
  i32 number = 0;
  i64 k = 0;
  for (i32 row = 0; row < scene.n_rows; row++)
    for (i32 column = 0; column < width; column++, k++) {
      const i32 color = scene.cells[k];
      if (labels[k] >= 0 || !(all || (color == 0) == (how == ZEROS))) continue;
      Place* next = end;
      *end++ = {row, column};
      labels[k] = number;
      for (i64 other = k + 1; how == WHOLE_COLORS && other < n; other++) {
        if (scene.cells[other] != color) continue;
        labels[other] = number;
        *end++ = {(i32)(other / width), (i32)(other % width)};
      }
      for (next = how == WHOLE_COLORS ? end : next; next < end; next++) {
        const i64 here = (i64)next->row * width + next->column;
        for (u32 left = all_directions & directions_within(scene, *next); left; left &= left - 1) {
          const int d = lowest_bit(left);
          const i64 at = here + steps[d];
          if (labels[at] >= 0) continue;
          if (together ? scene.cells[at] == 0 : scene.cells[at] != color) continue;
          labels[at] = number;
          *end++ = {next->row + row_step(d), next->column + column_step(d)};
        }
      }
      number++;
    }
  if (end < places + n) end->row = -1;  // the list ends
  return number;
}

}  // namespace arc
