// Connected parts of grids, and the features that distinguish them.
#pragma once
#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
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

// --- features of one part ---

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
inline i64 count_minor(const Part& part) {
  const std::array<i32, 10> counts = count_colors(part);
  return part.size - *std::max_element(counts.begin(), counts.end());
}

// 0 it does not fill its box, 1 a square, 2 a line, 3 another rectangle.
inline u64 fullness_of(const Part& part) {
  if (part.size < part.area()) return 0;
  if (part.height() == part.width()) return 1;
  return part.height() == 1 || part.width() == 1 ? 2 : 3;
}

// --- features that distinguish parts ---

enum PartFeature {
  COLORS, SIZE, RANK_SIZE, RANK_SIZE_RISING, HEIGHT_AND_WIDTH, N_HOLES, TURNED_SHAPE, SHAPE, ON_EDGE, TOUCHING,
  N_OF_SHAPE, MIRROR_SYMMETRY, RANK_LEFT, RANK_TOP, FULLNESS, EXTREME, N_OF_COLORS, RANK_HOLES, RANK_AREA, RANK_WIDTH,
  RANK_HEIGHT, SINGLE_CELL, SYMMETRIC, RANK_MINOR_CELLS,
};

// Returns the value of a feature for one part, or the number by which it ranks or counts parts.
inline u64 measure_part(const Part& part, i64 feature) {
  switch (feature) {
    case COLORS: case N_OF_COLORS: return part.colors;
    case SIZE: case RANK_SIZE: case RANK_SIZE_RISING: case EXTREME: return (u64)part.size;
    case HEIGHT_AND_WIDTH: return (u64)part.height() << 32 | (u64)part.width();
    case N_HOLES: case RANK_HOLES: return (u64)count_holes(part);
    case ON_EDGE: return part.on_edge();
    case TOUCHING: return colors_touching(part);
    case MIRROR_SYMMETRY: return mirrors_of(part);
    case RANK_LEFT: return (u64)part.left;
    case RANK_TOP: return (u64)part.top;
    case FULLNESS: return fullness_of(part);
    case RANK_AREA: return (u64)part.area();
    case RANK_WIDTH: return (u64)part.width();
    case RANK_HEIGHT: return (u64)part.height();
    case SINGLE_CELL: return part.size == 1;
    case SYMMETRIC: return mirrors_of(part) != 0;
    default: return (u64)count_minor(part);
  }
}

// Returns a number for each part; parts with the same value of the feature have the same number.
inline std::vector<u64> describe_parts(const Parts& all, i64 feature) {
  std::vector<u64> keys;
  if (feature == SHAPE || feature == TURNED_SHAPE || feature == N_OF_SHAPE) {
    std::map<std::vector<i32>, u64> numbers;
    for (const Part& part : all.parts) {
      std::vector<i32> shape = turned_shape(part, 0);
      for (int turn = 1; turn < 8 && feature == TURNED_SHAPE; turn++) shape = std::min(shape, turned_shape(part, turn));
      keys.push_back(numbers.emplace(std::move(shape), numbers.size()).first->second);
    }
  } else {
    for (const Part& part : all.parts) keys.push_back(measure_part(part, feature));
  }
  for (size_t grid = 0; grid < all.n_grids(); grid++) {
    u64* own = keys.data() + all.firsts[grid];
    const size_t n = all.firsts[grid + 1] - all.firsts[grid];
    switch (feature) {
      case RANK_SIZE_RISING: case RANK_LEFT: case RANK_TOP: rank_keys(own, n, false); break;
      case RANK_SIZE: case RANK_HOLES: case RANK_AREA: case RANK_WIDTH: case RANK_HEIGHT: case RANK_MINOR_CELLS:
        rank_keys(own, n, true);
        break;
      case N_OF_SHAPE: case N_OF_COLORS: {
        std::unordered_map<u64, u64> counts;
        for (size_t k = 0; k < n; k++) counts[own[k]]++;
        for (size_t k = 0; k < n; k++) own[k] = counts[own[k]];
        break;
      }
      case EXTREME: {
        if (!n) break;
        const u64 largest = *std::max_element(own, own + n), smallest = *std::min_element(own, own + n);
        for (size_t k = 0; k < n; k++) own[k] = own[k] == largest ? 0 : own[k] == smallest ? 1 : 2;
        break;
      }
      default: break;
    }
  }
  return keys;
}

// Returns the feature of a part as a value to be put into words: a shape as a grid of 0 and 1, a size as a pair,
// otherwise the key.
inline Value feature_value(Lane& lane, const Part& part, i64 feature, u64 key) {
  if (feature == HEIGHT_AND_WIDTH) return pair_of(part.height(), part.width());
  if (feature != SHAPE && feature != TURNED_SHAPE) return number((i64)key);
  std::vector<i32> mask;
  for (i64 i = part.top; i <= part.bottom; i++)
    for (i64 j = part.left; j <= part.right; j++) mask.push_back(part.has(i, j));
  return cells_value(lane, mask, part.width());
}

}  // namespace arc
