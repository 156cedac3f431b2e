// The objects of a grid, how they refer to each other, and their features.
//
// language/primitives/grid_objects.py declares the references and the features.
#pragma once
#include "parts.hpp"

namespace arc {
namespace actions {

#include "object_codes.inc"

constexpr i32 MAX_OBJECTS = 64;  // per grid

struct GridObject : Part {
  i32 main = 0, n_colors = 0;  // main: its most common color
  std::array<i32, N_REFERENCES> references;  // for each the number of an object, or -1

  explicit GridObject(const Part& part) : Part(part) {
    const std::array<i32, 10> counts = count_colors(part);
    main = main_color(counts);
    n_colors = (i32)(10 - std::count(counts.begin(), counts.end(), 0));
  }
  bool faces(const GridObject& other) const { return shares_rows(other) != shares_columns(other); }
};

inline i32 background_of(const Scene& grid, i32 segmentation) {
  if (segmentation >= N_SEGMENTATIONS) return 0;
  i32 counts[10] = {};
  for (i64 k = 0; k < grid.n_cells(); k++) counts[grid.cells[k]]++;
  return (i32)(std::max_element(counts, counts + 10) - counts);
}

// How segmentations cut a grid.
constexpr int CUT_OF[N_SEGMENTATIONS] = {BY_COLOR_4, BY_COLOR_8, TOGETHER_8, WHOLE_COLORS, ALL_4};

// A grid, its background, and its objects in the order of their first cells.
struct SegmentedGrid {
  Scene grid;
  i32 background;
  Parts parts;
  std::vector<GridObject> objects;

  SegmentedGrid(const Scene& of, i32 segmentation)
      : grid(of),
        background(background_of(of, segmentation)),
        parts(of, CUT_OF[segmentation % N_SEGMENTATIONS], background),
        objects(parts.begin(), parts.end()) {}

  i32 n_objects() const { return (i32)objects.size(); }
  // The object of a cell; -1 for the background.
  i32 label(i32 i, i32 j) const { return parts.labels()[(i64)i * grid.width + j]; }
  i32 cell(const Place& at) const { return grid.cell(at.row, at.column); }
  // Returns the cost of describing the objects: a step per cell of a box and per pair of objects.
  u64 cost() const { return (u64)n_objects() * (u64)n_objects() + parts.cost(); }
  void find_references();
  // The features of each object; references are known.
  std::vector<std::array<i32, N_OBJECT_FEATURES>> describe() const;

 private:
  bool touches_another(const GridObject& own) const;
};

inline void SegmentedGrid::find_references() {
  for (GridObject& own : objects) {
    std::array<i32, N_REFERENCES> orders, distances;
    own.references.fill(-1);
    for (const GridObject& other : objects) {
      if (other.label == own.label) continue;
      const i32 distance = own.distance(other);
      const bool rows = own.shares_rows(other), columns = own.shares_columns(other);
      // The lowest order wins, then the nearest, then the first.
      auto offer = [&](i32 reference, bool holds, i32 order) {
        if (!holds) return;
        if (own.references[reference] >= 0 &&
            (orders[reference] < order || (orders[reference] == order && distances[reference] <= distance)))
          return;
        own.references[reference] = other.label;
        orders[reference] = order;
        distances[reference] = distance;
      };
      offer(LARGEST, true, -other.size);
      offer(SMALLEST, true, other.size);
      offer(NEAREST, true, 0);
      offer(NEAREST_OF_COLOR, own.main == other.main, 0);
      offer(NEAREST_OF_OTHER_COLOR, own.main != other.main, 0);
      offer(ABOVE, columns && other.bottom < own.top, 0);
      offer(BELOW, columns && other.top > own.bottom, 0);
      offer(TO_THE_LEFT, rows && other.right < own.left, 0);
      offer(TO_THE_RIGHT, rows && other.left > own.right, 0);
      offer(IN_LINE, rows || columns, 0);
      offer(AROUND_IT, other.boxes(own), other.area());
      offer(WITHIN_IT, own.boxes(other), -other.area());
      offer(NEAREST_OF_SHAPE, own.has_shape_of(other), 0);
      offer(LARGEST_OF_COLOR, own.main == other.main, -other.size);
      offer(NEAREST_COLOR_0 + other.main, true, 0);
    }
  }
}

inline bool SegmentedGrid::touches_another(const GridObject& own) const {
  for (const Place& at : own)
    for (int d = 0; d < 8; d++) {
      const i32 i = at.row + row_step(d), j = at.column + column_step(d);
      if (grid.has(i, j) && label(i, j) >= 0 && label(i, j) != own.label) return true;
    }
  return false;
}

inline std::vector<std::array<i32, N_OBJECT_FEATURES>> SegmentedGrid::describe() const {
  std::vector<std::array<i32, N_OBJECT_FEATURES>> features(objects.size());
  for (const GridObject& own : objects) {
    auto& f = features[own.label];
    const i32 number = own.references[LARGEST];
    const GridObject* largest = number < 0 ? nullptr : &objects[number];
    f[HAS_LARGER_OF_COLOR] = f[N_OF_SHAPE] = f[N_OF_COLOR] = 0;
    for (const GridObject& other : objects) {
      if (other.label == own.label) continue;
      f[HAS_LARGER_OF_COLOR] |= other.main == own.main && other.size > own.size;
      f[N_OF_SHAPE] += own.has_shape_of(other);
      f[N_OF_COLOR] += other.main == own.main;
    }
    f[COLOR] = own.main;
    f[SIZE] = own.size;
    f[IS_ONE_CELL] = own.size == 1;
    f[N_HOLES] = count_holes(own);
    f[HAS_AROUND] = own.references[AROUND_IT] >= 0;
    f[HAS_WITHIN] = own.references[WITHIN_IT] >= 0;
    f[TOUCHES_ANOTHER] = touches_another(own);
    f[N_COLORS] = own.n_colors;
    f[HEIGHT] = own.height();
    f[WIDTH] = own.width();
    f[FILLS_BOX] = own.size == own.area();
    f[IS_TALL] = own.height() > own.width();
    f[IS_SQUARE] = own.height() == own.width();
    f[IS_SYMMETRIC_SIDEWAYS] = mirrors_of(own) >> 1;
    f[IS_SYMMETRIC_UPRIGHT] = mirrors_of(own) & 1;
    f[SHARES_ROWS_WITH_LARGEST] = largest && own.shares_rows(*largest);
    f[SHARES_COLUMNS_WITH_LARGEST] = largest && own.shares_columns(*largest);
    for (int d = 0; d < 4; d++) f[HAS_ABOVE + d] = own.references[ABOVE + d] >= 0;
    f[AT_TOP] = own.top == 0;
    f[AT_BOTTOM] = own.bottom == grid.n_rows - 1;
    f[AT_LEFT] = own.left == 0;
    f[AT_RIGHT] = own.right == grid.width - 1;
    f[TOUCHES_EDGE] = own.on_edge();
    f[SIZE_IS_ODD] = own.size % 2;
    f[HAS_COLOR_OF_LARGEST] = largest && own.main == largest->main;
    f[FACES_LARGEST] = largest && own.faces(*largest);
    auto color_of = [&](i32 reference) {
      return own.references[reference] < 0 ? -1 : objects[own.references[reference]].main;
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
      features[object.label][feature] = from_largest ? (i32)values.size() - 1 - place : place;
    }
  };
  rank(SIZE_RANK_FROM_LARGEST, true, [](const GridObject& object) { return object.size; });
  rank(SIZE_RANK_FROM_SMALLEST, false, [](const GridObject& object) { return object.size; });
  rank(HEIGHT_RANK, true, [](const GridObject& object) { return object.height(); });
  rank(WIDTH_RANK, true, [](const GridObject& object) { return object.width(); });
  rank(HOLES_RANK, true, [&](const GridObject& object) { return features[object.label][N_HOLES]; });
  rank(RANK_FROM_TOP, false, [](const GridObject& object) { return object.top; });
  rank(RANK_FROM_BOTTOM, true, [](const GridObject& object) { return object.bottom; });
  rank(RANK_FROM_LEFT, false, [](const GridObject& object) { return object.left; });
  rank(RANK_FROM_RIGHT, true, [](const GridObject& object) { return object.right; });
  return features;
}

}  // namespace actions
}  // namespace arc
