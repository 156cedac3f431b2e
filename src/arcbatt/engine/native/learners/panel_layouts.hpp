// Equal panels of a grid, between lines of one color.
#pragma once
#include <algorithm>
#include <vector>

#include "arcbatt/color_grids.hpp"

namespace arc {

struct Layout {
  std::vector<i32> rows, columns;  // where panels start
  i32 height = 0, width = 0, line_color = 0;

  size_t n() const { return rows.size() * columns.size(); }
};

// Sets the starts of the runs between lines; none if their lengths differ.
template <class IsLine>
i32 find_runs(i32 n, IsLine is_line, std::vector<i32>& starts) {
  i32 length = 0;
  starts.clear();
  for (i32 k = 0; k < n; k++) {
    if (is_line(k)) continue;
    const i32 start = k;
    while (k < n && !is_line(k)) k++;
    if (!starts.empty() && k - start != length) {
      starts.clear();
      return 0;
    }
    length = k - start;
    starts.push_back(start);
  }
  return length;
}

// Whether lines of a color separate equal panels; sets the layout.
inline bool lay_between_lines(const Scene& scene, i32 color, size_t max_panels, Layout& layout) {
  auto is_row = [&](i32 i) {
    const i32* row = scene.cells + (i64)i * scene.width;
    return std::all_of(row, row + scene.width, [=](i32 cell) { return cell == color; });
  };
  auto is_column = [&](i32 j) {
    for (i32 i = 0; i < scene.n_rows; i++)
      if (scene.cell(i, j) != color) return false;
    return true;
  };
  layout.line_color = color;
  layout.height = find_runs(scene.n_rows, is_row, layout.rows);
  layout.width = find_runs(scene.width, is_column, layout.columns);
  return layout.n() >= 2 && layout.n() <= max_panels;
}

}  // namespace arc
