#include "grid_facts.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "arcbatt/table.hpp"
#include "learners/parts.hpp"

namespace nb = nanobind;

namespace arc {

namespace {

// The cells of a grid, one byte each.
struct CellBytes {
  const u8* cells;
  i64 n_rows, width;

  CellBytes(const nb::bytes& bytes, i64 width) : cells((const u8*)bytes.c_str()), width(width) {
    const i64 n = (i64)bytes.size();
    if (width < 1 || width > 255 || n < 1 || n % width)
      throw std::invalid_argument("a grid's cells do not match its width, or it is wider than 255");
    for (i64 k = 0; k < n; k++)
      if (cells[k] > 9) throw std::invalid_argument("a color is above 9");
    n_rows = n / width;
  }
};

// Returns the shapes of the 8-connected parts of one color other than `ground`. A shape is the width of the part's box,
// then for each cell of the box whether it is of the part.
nb::list shapes_of(const nb::bytes& bytes, i64 width, int ground) {
  const CellBytes grid(bytes, width);
  const std::vector<i32> cells(grid.cells, grid.cells + grid.n_rows * width);
  Scene scene;
  scene.cells = cells.data();
  scene.n_rows = (i32)grid.n_rows;
  scene.width = (i32)width;
  nb::list shapes;
  std::string shape;
  for (const Part& part : Parts(scene, BY_COLOR_8, ground)) {
    shape.assign(1, (char)part.width());
    for (i64 i = part.top; i <= part.bottom; i++)
      for (i64 j = part.left; j <= part.right; j++) shape.push_back((char)part.has(i, j));
    shapes.append(nb::bytes(shape.data(), shape.size()));
  }
  return shapes;
}

// Returns the distinct windows of 2x2 cells as bits, in little-endian order: bit n is the window whose colors, column by
// column, are the digits of n.
nb::bytes windows_of(const nb::bytes& bytes, i64 width) {
  const CellBytes grid(bytes, width);
  std::array<u8, 10000 / 8> bits = {};
  for (i64 i = 1; i < grid.n_rows; i++) {
    const u8* row = grid.cells + i * width;
    for (i64 j = 1; j < width; j++) {
      const u8 *left = row + j - 1, *right = row + j;
      const i32 window = 1000 * left[-width] + 100 * left[0] + 10 * right[-width] + right[0];
      bits[(size_t)(window / 8)] |= (u8)(1 << window % 8);
    }
  }
  return nb::bytes((const char*)bits.data(), bits.size());
}

}  // namespace

void bind_grid_facts(nb::module_& module) {
  module.def("shapes_of", &shapes_of);
  module.def("windows_of", &windows_of);
}

}  // namespace arc
