// Connected parts of grids, and their features.
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "label_parts.hpp"
#include "learner.hpp"

namespace arc {

struct Part {
  const Place* places = nullptr;
  const i32* labels = nullptr;  // of the cells of its grid
  const Scene* scene = nullptr;
  i32 label = 0, size = 0, top = 0, left = 0, bottom = 0, right = 0;
  u32 colors = 0;

  const Place* begin() const { return places; }
  const Place* end() const { return places + size; }
  i64 height() const { return bottom - top + 1; }
  i64 width() const { return right - left + 1; }
  i64 area() const { return height() * width(); }
  bool has(i64 i, i64 j) const { return labels[i * scene->width + j] == label; }
  i32 color(const Place& at) const { return scene->cell(at.row, at.column); }
  bool on_edge() const {
    return top == 0 || left == 0 || bottom == scene->n_rows - 1 || right == scene->width - 1;
  }
};

// The parts of some grids, one grid after the other, in the order of their first places.
struct Parts {
  std::vector<Part> parts;
  std::vector<size_t> firsts;  // of each grid; the end comes last

  Parts() = default;
  Parts(const std::vector<Scene>& scenes, int how) {
    size_t n_cells = 0, offset = 0;
    for (const Scene& scene : scenes) n_cells += (size_t)scene.n_cells();
    labels_.resize(n_cells);
    places_.resize(n_cells);
    for (const Scene& scene : scenes) {
      firsts.push_back(parts.size());
      const i64 n = label_parts(scene, how, labels_.data() + offset, places_.data() + offset);
      const Place* place = places_.data() + offset;
      for (i64 label = 0; label < n; label++) {
        Part part;
        part.places = place;
        part.labels = labels_.data() + offset;
        part.scene = &scene;
        part.label = (i32)label;
        part.top = part.bottom = place->row;
        part.left = part.right = place->column;
        const Place* last = places_.data() + offset + scene.n_cells();
        for (; place < last && place->row >= 0 && part.has(place->row, place->column); place++) {
          part.top = std::min(part.top, place->row);
          part.bottom = std::max(part.bottom, place->row);
          part.left = std::min(part.left, place->column);
          part.right = std::max(part.right, place->column);
          part.colors |= 1u << part.color(*place);
        }
        part.size = (i32)(place - part.places);
        parts.push_back(part);
      }
      offset += (size_t)scene.n_cells();
    }
    firsts.push_back(parts.size());
  }
  Parts(const Parts&) = delete;
  Parts(Parts&&) = default;

  size_t n_grids() const { return firsts.size() - 1; }
  const Part* begin_of(size_t grid) const { return parts.data() + firsts[grid]; }
  const Part* end_of(size_t grid) const { return parts.data() + firsts[grid + 1]; }
  // Returns the cost of cutting: the cells of the boxes of all parts, which may overlap.
  u64 cost() const {
    u64 area = 0;
    for (const Part& part : parts) area += (u64)part.area();
    return area;
  }

 private:
  std::vector<i32> labels_;
  std::vector<Place> places_;
};

// --- features of a part ---

// Returns its places within its box after a mirror or turn, 0 to 7, sorted, as one number each; 0 leaves it unchanged.
inline std::vector<i32> turned_shape(const Part& part, int turn) {
  const i32 width = (i32)(turn & 4 ? part.height() : part.width());
  std::vector<i32> shape = {width};
  for (const Place& place : part) {
    i32 i = place.row - part.top, j = place.column - part.left;
    if (turn & 1) i = (i32)part.height() - 1 - i;
    if (turn & 2) j = (i32)part.width() - 1 - j;
    shape.push_back(turn & 4 ? j * width + i : i * width + j);
  }
  std::sort(shape.begin() + 1, shape.end());
  return shape;
}

inline i64 count_holes(const Part& part) {
  if (part.size == part.area()) return 0;
  std::vector<i32> mask, labels((size_t)part.area());
  std::vector<Place> places((size_t)part.area());
  for (i64 i = part.top; i <= part.bottom; i++)
    for (i64 j = part.left; j <= part.right; j++) mask.push_back(part.has(i, j));
  Scene box;
  box.cells = mask.data();
  box.n_rows = (i32)part.height();
  box.width = (i32)part.width();
  std::vector<bool> is_open((size_t)label_parts(box, ZEROS, labels.data(), places.data()));
  for (i32 i = 0; i < box.n_rows; i++)
    for (i32 j = 0; j < box.width; j++) {
      const i32 label = labels[(size_t)i * box.width + j];
      if (label >= 0 && (i == 0 || j == 0 || i == box.n_rows - 1 || j == box.width - 1)) is_open[label] = true;
    }
  return std::count(is_open.begin(), is_open.end(), false);
}

// Returns the colors other than 0 around it, as bits.
inline u32 colors_touching(const Part& part) {
  u32 colors = 0;
  for (const Place& place : part)
    for (int d = 0; d < 8; d++) {
      const i64 i = place.row + row_step(d), j = place.column + column_step(d);
      if (part.scene->has(i, j) && !part.has(i, j)) colors |= 1u << part.scene->cell(i, j);
    }
  return colors & ~1u;
}

// Returns whether it is its own mirror image: bit 1 left to right, bit 0 top to bottom.
inline u32 mirrors_of(const Part& part) {
  u32 mirrors = 3;
  for (const Place& at : part) {
    const i64 i = part.top + part.bottom - at.row, j = part.left + part.right - at.column;
    const i32 color = part.color(at);
    if (!part.has(at.row, j) || part.scene->cell(at.row, j) != color) mirrors &= ~2u;
    if (!part.has(i, at.column) || part.scene->cell(i, at.column) != color) mirrors &= ~1u;
  }
  return mirrors;
}

// Counts its cells of each color.
inline std::array<i32, 10> count_colors(const Part& part) {
  std::array<i32, 10> counts = {};
  for (const Place& place : part) counts[(size_t)part.color(place)]++;
  return counts;
}

}  // namespace arc
