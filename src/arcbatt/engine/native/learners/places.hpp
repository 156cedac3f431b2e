// Places and directions in grids of colors.
#pragma once
#include "arcbatt/color_grids.hpp"

namespace arc {

// Steps in the 8 directions, numbered row by row as AROUND of language/primitives/color_grids.py.
inline int row_step(int direction) { return direction < 3 ? -1 : direction < 5 ? 0 : 1; }
inline int column_step(int direction) {
  return (direction < 4 ? direction : direction + 1) % 3 - 1;
}
inline bool is_beside(int direction) {
  return direction == 1 || direction == 3 || direction == 4 || direction == 6;
}

struct Place {
  i32 row, column;
};

// Visits all open places of a box that are connected to its edge by sides. enter(k) says whether the k-th place is
// open and visited for the first time. Returns the number of places visited, which `places` lists.
template <class Enter>
i32 reach_from_edge(i32 height, i32 width, Place* places, Enter enter) {
  Place *next = places, *end = places;
  auto reach = [&](i32 i, i32 j) {
    if ((u32)i < (u32)height && (u32)j < (u32)width && enter(i * width + j)) *end++ = {i, j};
  };
  for (i32 i = 0; i < height; i++) {
    reach(i, 0);
    reach(i, width - 1);
  }
  for (i32 j = 0; j < width; j++) {
    reach(0, j);
    reach(height - 1, j);
  }
  for (; next < end; next++) {
    reach(next->row - 1, next->column);
    reach(next->row + 1, next->column);
    reach(next->row, next->column - 1);
    reach(next->row, next->column + 1);
  }
  return (i32)(end - places);
}

// Spreads the bits of a hash.
inline u64 mix_bits(u64 x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

}  // namespace arc
