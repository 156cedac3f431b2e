// The features of the cells of one grid, written column by column; the base of cell_surroundings.hpp and
// cell_objects.hpp.
//
// Features are added in the order of language/primitives/cell_features.py, which declares their names, traits and
// simplicity. Lambdas capture pointers by value: writing a column of bytes may alias anything else.
#pragma once
#include <vector>

#include "places.hpp"

namespace arc {
namespace cells {

#include "cell_features.inc"

constexpr i32 ABSENT = 10, MOST = 63;  // instead of a color; greater numbers count as MOST

// The color that is counted most, or least but not 0 times, the lowest of several; two may be left out.
template <class T>
i32 most_common_color(const T* counts, i32 without = -1, i32 nor = -1) {
  i32 best = ABSENT;
  for (i32 c = 0; c < 10; c++)
    if (c != without && c != nor && counts[c] > (best == ABSENT ? (T)0 : counts[best])) best = c;
  return best;
}
template <class T>
i32 rarest_color(const T* counts, i32 without = -1) {
  i32 best = ABSENT;
  for (i32 c = 0; c < 10; c++)
    if (c != without && counts[c] && (best == ABSENT || counts[c] < counts[best])) best = c;
  return best;
}
template <class T>
i32 n_colors_counted(const T* counts) {
  i32 n = 0;
  for (int c = 0; c < 10; c++) n += counts[c] > 0;
  return n;
}

// Sets of directions.
enum Directions { STRAIGHT, OBLIQUE, ALL };
inline bool is_in(int directions, int d) { return directions == ALL || is_beside(d) == (directions == STRAIGHT); }

class CellColumns {
 public:
  explicit CellColumns(const Scene& of)
      : scene(of), n(of.n_cells()), n_rows(of.n_rows), width(of.width), last_row(n_rows - 1), last_column(width - 1) {
    for (i64 k = 0; k < n; k++) color_counts[own(k)]++;
    ground = most_common_color(color_counts);
  }

 protected:
  // Adds the next feature if it is wanted: f(k) is its number in cell k.
  template <class F>
  void add(F f) {
    const i32 feature = next++;
    if (!wanted[feature]) return;
    u8* to = columns + feature * stride;
    for (i64 k = 0; k < n; k++) to[k] = (u8)std::min((i32)f(k), MOST);
  }
  // The same by row and column.
  template <class F>
  void add_at(F f) {
    const i32 feature = next++;
    if (!wanted[feature]) return;
    u8* to = columns + feature * stride;
    for (i32 i = 0; i < n_rows; i++)
      for (i32 j = 0; j < width; j++) *to++ = (u8)std::min((i32)f(i, j), MOST);
  }
  // Whether any feature of a group is wanted.
  bool wants(int group) const {
    for (i32 k = group ? GROUP_ENDS[group - 1] : 0; k < GROUP_ENDS[group]; k++)
      if (wanted[k]) return true;
    return false;
  }
  i32 own(i64 k) const { return scene.cells[k]; }
  i32 at(i32 i, i32 j) const { return scene.at(i, j); }

  Scene scene;
  i64 n;
  i32 n_rows, width, last_row, last_column;
  i32 ground = 0;  // the background
  i32 color_counts[11] = {};
  // The columns to write: the first cell of the first one, the distance between features, and the wanted features.
  u8* columns = nullptr;
  i64 stride = 0;
  const u8* wanted = nullptr;
  i32 next = 0;  // feature
};

}  // namespace cells
}  // namespace arc
