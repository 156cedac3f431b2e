// Connected parts of grids: the ways to cut a grid into them, and the measures that learners share.
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "places.hpp"

namespace arc {

// Which cells form a part: those of one color other than the background (BY_COLOR), of any colors other than the
// background (TOGETHER), those of the background, or those of one color, the background included (ALL); connected by
// sides (4) or also by corners (8). WHOLE_COLORS: all cells of a color other than the background, wherever they lie.
// WITH_GROUND: parts of the background, connected by sides, and the others, connected by corners too.
enum CutCode {
  BY_COLOR_4, BY_COLOR_8, TOGETHER_8, GROUND, ALL_4, ALL_8, TOGETHER_4, WHOLE_COLORS, BY_COLOR_WITH_GROUND,
  TOGETHER_WITH_GROUND
};

// The directions in which a place has a neighbor, as bits.
inline u32 directions_within(const Scene& scene, const Place& at) {
  u32 within = 255;
  if (at.row == 0) within &= ~(1u << 0 | 1u << 1 | 1u << 2);
  if (at.row == scene.n_rows - 1) within &= ~(1u << 5 | 1u << 6 | 1u << 7);
  if (at.column == 0) within &= ~(1u << 0 | 1u << 3 | 1u << 5);
  if (at.column == scene.width - 1) within &= ~(1u << 2 | 1u << 4 | 1u << 7);
  return within;
}

// Numbers the cells of parts in the order of their first places, -1 for cells of no part. Returns the number of parts;
// `queue` has room for all cells.
inline i32 label_parts(const Scene& scene, int how, i32 background, i32* labels, Place* queue) {
  const bool with_ground = how == BY_COLOR_WITH_GROUND || how == TOGETHER_WITH_GROUND;
  const bool together = how == TOGETHER_4 || how == TOGETHER_8 || how == TOGETHER_WITH_GROUND;
  const bool all = how == ALL_4 || how == ALL_8 || with_ground;
  const bool diagonal = how == BY_COLOR_8 || how == TOGETHER_8 || how == ALL_8 || with_ground;
  const u32 beside = 1 << 1 | 1 << 3 | 1 << 4 | 1 << 6;
  const i64 n = scene.n_cells();
  const i32 width = scene.width;
  for (i64 k = 0; k < n; k++) labels[k] = -1;
  i32 steps[8];
  for (int d = 0; d < 8; d++) steps[d] = row_step(d) * width + column_step(d);
  i32 number = 0;
  i64 k = 0;
  for (i32 row = 0; row < scene.n_rows; row++)
    for (i32 column = 0; column < width; column++, k++) {
      const i32 color = scene.cells[k];
      const bool is_ground = color == background;
      if (labels[k] >= 0 || !(all || is_ground == (how == GROUND))) continue;
      labels[k] = number++;
      if (how == WHOLE_COLORS) {
        for (i64 other = k + 1; other < n; other++)
          if (scene.cells[other] == color) labels[other] = labels[k];
        continue;
      }
      const u32 directions = diagonal && !(is_ground && with_ground) ? 255 : beside;
      const bool any_color = together && !is_ground;
      Place* end = queue;
      *end++ = {row, column};
      for (Place* next = queue; next < end; next++) {
        const i64 here = (i64)next->row * width + next->column;
        for (u32 left = directions & directions_within(scene, *next); left; left &= left - 1) {
          const int d = lowest_bit(left);
          const i64 at = here + steps[d];
          if (labels[at] >= 0) continue;
          if (any_color ? scene.cells[at] == background : scene.cells[at] != color) continue;
          labels[at] = labels[k];
          *end++ = {next->row + row_step(d), next->column + column_step(d)};
        }
      }
    }
  return number;
}

struct Part {
  const Place* places = nullptr;  // row by row
  const i32* labels = nullptr;    // of the cells of its grid
  Scene scene;
  i32 label = 0, size = 0, top = 0, left = 0, bottom = 0, right = 0;
  u32 colors = 0;

  const Place* begin() const { return places; }
  const Place* end() const { return places + size; }
  i32 height() const { return bottom - top + 1; }
  i32 width() const { return right - left + 1; }
  i32 area() const { return height() * width(); }
  bool has(i64 i, i64 j) const { return labels[i * scene.width + j] == label; }
  i32 color(const Place& at) const { return scene.cell(at.row, at.column); }
  bool on_edge() const { return top == 0 || left == 0 || bottom == scene.n_rows - 1 || right == scene.width - 1; }

  bool shares_rows(const Part& other) const { return top <= other.bottom && other.top <= bottom; }
  bool shares_columns(const Part& other) const { return left <= other.right && other.left <= right; }
  bool boxes(const Part& other) const {
    return top <= other.top && other.bottom <= bottom && left <= other.left && other.right <= right;
  }
  // The rows and columns between two boxes.
  i32 distance(const Part& other) const {
    return std::max({0, other.top - bottom, top - other.bottom}) + std::max({0, other.left - right, left - other.right});
  }
  bool has_shape_of(const Part& other) const {
    const i32 down = other.top - top, along = other.left - left;
    return size == other.size && height() == other.height() && width() == other.width() &&
           std::equal(begin(), end(), other.begin(), [&](const Place& a, const Place& b) {
             return a.row + down == b.row && a.column + along == b.column;
           });
  }
  // Where a place goes when its part is mirrored or turned in its box: `turn` is 0 to 7, and 0 leaves it unchanged.
  Place turned(const Place& at, i32 turn) const {
    i32 i = at.row - top, j = at.column - left;
    if (turn & 1) i = height() - 1 - i;
    if (turn & 2) j = width() - 1 - j;
    return turn & 4 ? Place{top + j, left + i} : Place{top + i, left + j};
  }
};

// The parts of a grid, in the order of their first places.
class Parts {
 public:
  Parts() = default;
  Parts(const Scene& scene, int how, i32 background = 0)
      : labels_((size_t)scene.n_cells()), places_((size_t)scene.n_cells()) {
    parts_.resize((size_t)label_parts(scene, how, background, labels_.data(), places_.data()));
    const i32* label = labels_.data();
    for (i32 i = 0; i < scene.n_rows; i++)
      for (i32 j = 0; j < scene.width; j++, label++) {
        if (*label < 0) continue;
        Part& part = parts_[(size_t)*label];
        if (!part.size) {
          part.labels = labels_.data();
          part.scene = scene;
          part.label = *label;
          part.top = i;
          part.left = part.right = j;
        }
        part.size++;
        part.bottom = i;
        part.left = std::min(part.left, j);
        part.right = std::max(part.right, j);
        part.colors |= 1u << scene.cell(i, j);
      }
    std::vector<Place*> ends;
    Place* first = places_.data();
    for (Part& part : parts_) {
      part.places = first;
      ends.push_back(first);
      first += part.size;
    }
    label = labels_.data();
    for (i32 i = 0; i < scene.n_rows; i++)
      for (i32 j = 0; j < scene.width; j++, label++)
        if (*label >= 0) *ends[(size_t)*label]++ = {i, j};
  }
  Parts(const Parts&) = delete;  // parts point into it
  Parts(Parts&&) = default;
  Parts& operator=(Parts&&) = default;

  size_t size() const { return parts_.size(); }
  const Part* begin() const { return parts_.data(); }
  const Part* end() const { return parts_.data() + parts_.size(); }
  const Part& operator[](size_t k) const { return parts_[k]; }
  const std::vector<i32>& labels() const { return labels_; }
  // Returns the cost of cutting: the cells of the boxes of all parts, which may overlap.
  u64 cost() const {
    u64 area = 0;
    for (const Part& part : parts_) area += (u64)part.area();
    return area;
  }

 private:
  std::vector<i32> labels_;
  std::vector<Place> places_;
  std::vector<Part> parts_;
};

// --- features of a part ---

// Returns its places within its box after a mirror or turn, sorted, as one number each, after the width.
inline std::vector<i32> turned_shape(const Part& part, int turn) {
  const i32 width = turn & 4 ? part.height() : part.width();
  std::vector<i32> shape = {width};
  for (const Place& place : part) {
    const Place to = part.turned(place, turn);
    shape.push_back((to.row - part.top) * width + to.column - part.left);
  }
  std::sort(shape.begin() + 1, shape.end());
  return shape;
}

// Returns the number of 4-connected areas of zeros that do not reach the edge.
inline i32 count_enclosed(const Scene& scene) {
  const Parts areas(scene, GROUND);
  return (i32)std::count_if(areas.begin(), areas.end(), [](const Part& area) { return !area.on_edge(); });
}
inline i32 count_holes(const Part& part) {
  if (part.size == part.area() || part.height() < 3 || part.width() < 3) return 0;
  std::vector<i32> mask;
  for (i32 i = part.top; i <= part.bottom; i++)
    for (i32 j = part.left; j <= part.right; j++) mask.push_back(part.has(i, j));
  Scene box;
  box.cells = mask.data();
  box.n_rows = part.height();
  box.width = part.width();
  return count_enclosed(box);
}
// Returns 1 for the places of its box that its own cells separate from the edge of the box, row by row.
inline std::vector<u8> mark_holes(const Part& part) {
  const i32 width = part.width();
  std::vector<u8> marks((size_t)part.area());
  for (i32 k = 0; k < part.area(); k++) marks[(size_t)k] = !part.has(part.top + k / width, part.left + k % width);
  std::vector<Place> queue((size_t)part.area());
  reach_from_edge(part.height(), width, queue.data(), [&](i32 k) {
    const bool is_new = marks[(size_t)k];
    marks[(size_t)k] = 0;
    return is_new;
  });
  return marks;
}

// Returns the colors other than 0 around it, as bits.
inline u32 colors_touching(const Part& part) {
  u32 colors = 0;
  for (const Place& place : part)
    for (int d = 0; d < 8; d++) {
      const i64 i = place.row + row_step(d), j = place.column + column_step(d);
      if (part.scene.has(i, j) && !part.has(i, j)) colors |= 1u << part.scene.cell(i, j);
    }
  return colors & ~1u;
}

// Returns whether it is its own mirror image: bit 1 left to right, bit 0 top to bottom.
inline u32 mirrors_of(const Part& part) {
  u32 mirrors = 3;
  for (const Place& at : part) {
    const i64 i = part.top + part.bottom - at.row, j = part.left + part.right - at.column;
    const i32 color = part.color(at);
    if (!part.has(at.row, j) || part.scene.cell(at.row, j) != color) mirrors &= ~2u;
    if (!part.has(i, at.column) || part.scene.cell(i, at.column) != color) mirrors &= ~1u;
  }
  return mirrors;
}

// Counts its cells of each color.
inline std::array<i32, 10> count_colors(const Part& part) {
  std::array<i32, 10> counts = {};
  for (const Place& place : part) counts[(size_t)part.color(place)]++;
  return counts;
}
// Returns the color that is counted most, the lowest of several.
inline i32 main_color(const std::array<i32, 10>& counts) {
  return (i32)(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

}  // namespace arc
