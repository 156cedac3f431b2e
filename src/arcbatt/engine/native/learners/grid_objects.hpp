// The objects of a grid, how they refer to each other, and their features.
//
// language/primitives/grid_objects.py declares the references and the features.
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "places.hpp"

namespace arc {
namespace actions {

#include "object_codes.inc"

constexpr i32 MAX_OBJECTS = 64;  // per grid

struct GridObject {
  std::vector<Place> cells;  // row by row
  i32 number, top, left, bottom, right, color, n_colors, n_holes;
  std::array<i32, N_REFERENCES> references;  // for each the number of an object, or -1

  i32 size() const { return (i32)cells.size(); }
  i32 height() const { return bottom - top + 1; }
  i32 width() const { return right - left + 1; }
  i32 area() const { return height() * width(); }
  bool shares_rows(const GridObject& other) const { return top <= other.bottom && other.top <= bottom; }
  bool shares_columns(const GridObject& other) const { return left <= other.right && other.left <= right; }
  bool faces(const GridObject& other) const { return shares_rows(other) != shares_columns(other); }
  bool boxes(const GridObject& other) const {
    return top <= other.top && other.bottom <= bottom && left <= other.left && other.right <= right;
  }
  i32 distance(const GridObject& other) const {
    return std::max({0, other.top - bottom, top - other.bottom}) + std::max({0, other.left - right, left - other.right});
  }
  bool has_shape_of(const GridObject& other) const {
    if (size() != other.size() || height() != other.height() || width() != other.width()) return false;
    for (i32 k = 0; k < size(); k++)
      if (cells[k].row - top != other.cells[k].row - other.top ||
          cells[k].column - left != other.cells[k].column - other.left)
        return false;
    return true;
  }
  // Where a cell goes when the object is mirrored or turned in its box.
  Place turned(const Place& at, i32 turn) const {
    i32 i = at.row - top, j = at.column - left;
    if (turn & 1) i = height() - 1 - i;
    if (turn & 2) j = width() - 1 - j;
    return turn & 4 ? Place{top + j, left + i} : Place{top + i, left + j};
  }
};

inline i32 background_of(const Scene& grid, i32 segmentation) {
  if (segmentation >= N_SEGMENTATIONS) return 0;
  i32 counts[10] = {};
  for (i64 k = 0; k < grid.n_cells(); k++) counts[grid.cells[k]]++;
  return (i32)(std::max_element(counts, counts + 10) - counts);
}

// A grid, its background, and its objects in the order of their first cells.
struct SegmentedGrid {
  Scene grid;
  i32 background;
  std::vector<i32> labels;  // the object of each cell; -1 for the background
  std::vector<GridObject> objects;

  SegmentedGrid(const Scene& grid, i32 segmentation);

  i32 n_objects() const { return (i32)objects.size(); }
  i32 label(i32 i, i32 j) const { return labels[(i64)i * grid.width + j]; }
  i32 cell(const Place& at) const { return grid.cell(at.row, at.column); }
  // Returns the cost of describing the objects: a step per cell of a box and per pair of objects.
  u64 cost() const {
    u64 sum = (u64)n_objects() * (u64)n_objects();
    for (const GridObject& object : objects) sum += (u64)object.area();
    return sum;
  }
  void find_references();
  // The features of each object; references are known.
  std::vector<std::array<i32, N_OBJECT_FEATURES>> describe();
  // The cells of an object's box, row by row: 1 where there is a hole.
  std::vector<u8> mark_holes(const GridObject& own) const;

 private:
  void label_cells(i32 how);
  i32 count_holes(const GridObject& own) const;
  bool is_symmetric(const GridObject& own, i32 turn) const;
  bool touches_another(const GridObject& own) const;
};

inline void SegmentedGrid::label_cells(i32 how) {
  labels.assign(grid.n_cells(), -1);
  std::vector<Place> queue;
  i32 n = 0;
  for (i32 row = 0; row < grid.n_rows; row++)
    for (i32 column = 0; column < grid.width; column++) {
      const i32 color = grid.cell(row, column);
      if (label(row, column) >= 0 || (color == background && how != EVERYTHING_4)) continue;
      auto reach = [&](i32 i, i32 j) {
        labels[(i64)i * grid.width + j] = n;
        queue.push_back({i, j});
      };
      queue.clear();
      reach(row, column);
      if (how == WHOLE_COLOR) {
        for (i64 k = 0; k < grid.n_cells(); k++)
          if (grid.cells[k] == color) labels[k] = n;
        queue.clear();
      }
      for (size_t q = 0; q < queue.size(); q++)
        for (int d = 0; d < 8; d++) {
          if ((how == ONE_COLOR_4 || how == EVERYTHING_4) && !is_beside(d)) continue;
          const i32 i = queue[q].row + row_step(d), j = queue[q].column + column_step(d);
          if (!grid.has(i, j) || label(i, j) >= 0) continue;
          if (how == ANY_COLORS_8 ? grid.cell(i, j) != background : grid.cell(i, j) == color) reach(i, j);
        }
      n++;
    }
  objects.resize(n);
}

inline SegmentedGrid::SegmentedGrid(const Scene& of, i32 segmentation)
    : grid(of), background(background_of(of, segmentation)) {
  label_cells(segmentation % N_SEGMENTATIONS);
  for (i32 i = 0; i < grid.n_rows; i++)
    for (i32 j = 0; j < grid.width; j++)
      if (label(i, j) >= 0) objects[label(i, j)].cells.push_back({i, j});
  for (i32 k = 0; k < n_objects(); k++) {
    GridObject& object = objects[k];
    i32 counts[10] = {};
    object.number = k;
    object.top = object.cells[0].row;
    object.bottom = object.cells.back().row;
    object.left = object.right = object.cells[0].column;
    for (const Place& at : object.cells) {
      object.left = std::min(object.left, at.column);
      object.right = std::max(object.right, at.column);
      counts[cell(at)]++;
    }
    object.color = (i32)(std::max_element(counts, counts + 10) - counts);
    object.n_colors = (i32)(10 - std::count(counts, counts + 10, 0));
  }
}

inline void SegmentedGrid::find_references() {
  for (GridObject& own : objects) {
    std::array<i32, N_REFERENCES> orders, distances;
    own.references.fill(-1);
    for (const GridObject& other : objects) {
      if (other.number == own.number) continue;
      const i32 distance = own.distance(other);
      const bool rows = own.shares_rows(other), columns = own.shares_columns(other);
      // The lowest order wins, then the nearest, then the first.
      auto offer = [&](i32 reference, bool holds, i32 order) {
        if (!holds) return;
        if (own.references[reference] >= 0 &&
            (orders[reference] < order || (orders[reference] == order && distances[reference] <= distance)))
          return;
        own.references[reference] = other.number;
        orders[reference] = order;
        distances[reference] = distance;
      };
      offer(LARGEST, true, -other.size());
      offer(SMALLEST, true, other.size());
      offer(NEAREST, true, 0);
      offer(NEAREST_OF_COLOR, own.color == other.color, 0);
      offer(NEAREST_OF_OTHER_COLOR, own.color != other.color, 0);
      offer(ABOVE, columns && other.bottom < own.top, 0);
      offer(BELOW, columns && other.top > own.bottom, 0);
      offer(TO_THE_LEFT, rows && other.right < own.left, 0);
      offer(TO_THE_RIGHT, rows && other.left > own.right, 0);
      offer(IN_LINE, rows || columns, 0);
      offer(AROUND_IT, other.boxes(own), other.area());
      offer(WITHIN_IT, own.boxes(other), -other.area());
      offer(NEAREST_OF_SHAPE, own.has_shape_of(other), 0);
      offer(LARGEST_OF_COLOR, own.color == other.color, -other.size());
      offer(NEAREST_COLOR_0 + other.color, true, 0);
    }
  }
}

inline std::vector<u8> SegmentedGrid::mark_holes(const GridObject& own) const {
  const i32 height = own.height(), width = own.width();
  std::vector<u8> marks(own.area());
  for (i32 k = 0; k < own.area(); k++) marks[k] = label(own.top + k / width, own.left + k % width) != own.number;
  if (own.size() == own.area()) return marks;
  std::vector<Place> queue(own.area());
  reach_from_edge(height, width, queue.data(), [&](i32 k) {
    const bool is_new = marks[k] == 1;
    marks[k] = is_new ? 2 : marks[k];
    return is_new;
  });
  return marks;
}
inline i32 SegmentedGrid::count_holes(const GridObject& own) const {
  if (own.size() == own.area()) return 0;
  const i32 height = own.height(), width = own.width();
  std::vector<u8> marks = mark_holes(own);
  std::vector<Place> queue;
  i32 n = 0;
  for (i32 start = 0; start < height * width; start++) {
    auto reach = [&](i32 i, i32 j) {
      if ((u32)i >= (u32)height || (u32)j >= (u32)width || marks[i * width + j] != 1) return;
      marks[i * width + j] = 2;
      queue.push_back({i, j});
    };
    queue.clear();
    reach(start / width, start % width);
    n += !queue.empty();
    for (size_t q = 0; q < queue.size(); q++) {
      const Place at = queue[q];
      reach(at.row - 1, at.column);
      reach(at.row + 1, at.column);
      reach(at.row, at.column - 1);
      reach(at.row, at.column + 1);
    }
  }
  return n;
}
inline bool SegmentedGrid::is_symmetric(const GridObject& own, i32 turn) const {
  for (const Place& from : own.cells) {
    const Place to = own.turned(from, turn);
    if (label(to.row, to.column) != own.number || cell(to) != cell(from)) return false;
  }
  return true;
}
inline bool SegmentedGrid::touches_another(const GridObject& own) const {
  for (const Place& at : own.cells)
    for (int d = 0; d < 8; d++) {
      const i32 i = at.row + row_step(d), j = at.column + column_step(d);
      if (grid.has(i, j) && label(i, j) >= 0 && label(i, j) != own.number) return true;
    }
  return false;
}

inline std::vector<std::array<i32, N_OBJECT_FEATURES>> SegmentedGrid::describe() {
  std::vector<std::array<i32, N_OBJECT_FEATURES>> features(objects.size());
  for (GridObject& own : objects) own.n_holes = count_holes(own);
  for (const GridObject& own : objects) {
    auto& f = features[own.number];
    const i32 number = own.references[LARGEST];
    const GridObject* largest = number < 0 ? nullptr : &objects[number];
    f[HAS_LARGER_OF_COLOR] = f[N_OF_SHAPE] = f[N_OF_COLOR] = 0;
    for (const GridObject& other : objects) {
      if (other.number == own.number) continue;
      f[HAS_LARGER_OF_COLOR] |= other.color == own.color && other.size() > own.size();
      f[N_OF_SHAPE] += own.has_shape_of(other);
      f[N_OF_COLOR] += other.color == own.color;
    }
    f[COLOR] = own.color;
    f[SIZE] = own.size();
    f[IS_ONE_CELL] = own.size() == 1;
    f[N_HOLES] = own.n_holes;
    f[HAS_AROUND] = own.references[AROUND_IT] >= 0;
    f[HAS_WITHIN] = own.references[WITHIN_IT] >= 0;
    f[TOUCHES_ANOTHER] = touches_another(own);
    f[N_COLORS] = own.n_colors;
    f[HEIGHT] = own.height();
    f[WIDTH] = own.width();
    f[FILLS_BOX] = own.size() == own.area();
    f[IS_TALL] = own.height() > own.width();
    f[IS_SQUARE] = own.height() == own.width();
    f[IS_SYMMETRIC_SIDEWAYS] = is_symmetric(own, 2);
    f[IS_SYMMETRIC_UPRIGHT] = is_symmetric(own, 1);
    f[SHARES_ROWS_WITH_LARGEST] = largest && own.shares_rows(*largest);
    f[SHARES_COLUMNS_WITH_LARGEST] = largest && own.shares_columns(*largest);
    for (int d = 0; d < 4; d++) f[HAS_ABOVE + d] = own.references[ABOVE + d] >= 0;
    f[AT_TOP] = own.top == 0;
    f[AT_BOTTOM] = own.bottom == grid.n_rows - 1;
    f[AT_LEFT] = own.left == 0;
    f[AT_RIGHT] = own.right == grid.width - 1;
    f[TOUCHES_EDGE] = f[AT_TOP] || f[AT_BOTTOM] || f[AT_LEFT] || f[AT_RIGHT];
    f[SIZE_IS_ODD] = own.size() % 2;
    f[HAS_COLOR_OF_LARGEST] = largest && own.color == largest->color;
    f[FACES_LARGEST] = largest && own.faces(*largest);
    auto color_of = [&](i32 reference) {
      return own.references[reference] < 0 ? -1 : objects[own.references[reference]].color;
    };
    f[COLOR_OF_NEAREST] = color_of(NEAREST);
    f[COLOR_AROUND] = color_of(AROUND_IT);
    f[COLOR_WITHIN] = color_of(WITHIN_IT);
  }
  // The number of distinct smaller, or larger, values.
  auto rank = [&](i32 feature, bool from_largest, auto measure) {
    std::vector<i32> values;
    for (const GridObject& object : objects) values.push_back(measure(object));
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (const GridObject& object : objects) {
      const i32 place = (i32)(std::lower_bound(values.begin(), values.end(), measure(object)) - values.begin());
      features[object.number][feature] = from_largest ? (i32)values.size() - 1 - place : place;
    }
  };
  rank(SIZE_RANK_FROM_LARGEST, true, [](const GridObject& object) { return object.size(); });
  rank(SIZE_RANK_FROM_SMALLEST, false, [](const GridObject& object) { return object.size(); });
  rank(HEIGHT_RANK, true, [](const GridObject& object) { return object.height(); });
  rank(WIDTH_RANK, true, [](const GridObject& object) { return object.width(); });
  rank(HOLES_RANK, true, [](const GridObject& object) { return object.n_holes; });
  rank(RANK_FROM_TOP, false, [](const GridObject& object) { return object.top; });
  rank(RANK_FROM_BOTTOM, true, [](const GridObject& object) { return object.bottom; });
  rank(RANK_FROM_LEFT, false, [](const GridObject& object) { return object.left; });
  rank(RANK_FROM_RIGHT, true, [](const GridObject& object) { return object.right; });
  return features;
}

}  // namespace actions
}  // namespace arc
