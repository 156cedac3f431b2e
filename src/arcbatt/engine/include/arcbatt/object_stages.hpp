// A grid's objects, their names for each other, what they are like: as language/primitives/object_stages.py.
#pragma once
#include "observations.hpp"

namespace arc {
namespace actions {

// --- objects ---

constexpr i32 TOGETHER = 2, ALL_OF_COLOR = 3, EVERYTHING_4 = 4;
constexpr i32 N_SEGMENTATIONS = 5;
constexpr i32 MAX_OBJECTS = 64, MAX_OBJECTS_IN_ALL = 512;
constexpr i32 N_REFERENCES = 24;
enum Reference { LARGEST = 0, NEAREST = 2, UPWARD = 5, AROUND_IT = 10, WITHIN_IT = 11 };

struct Thing {
  const Place* cells;  // row by row
  i32 number, size, top, left, bottom, right, color, n_colors, n_holes;
  i32 references[N_REFERENCES];

  ARC_FN i32 height() const { return bottom - top + 1; }
  ARC_FN i32 width() const { return right - left + 1; }
  ARC_FN i32 area() const { return height() * width(); }
  ARC_FN bool has_rows_of(const Thing& other) const { return top <= other.bottom && other.top <= bottom; }
  ARC_FN bool has_columns_of(const Thing& other) const { return left <= other.right && other.left <= right; }
  ARC_FN bool faces(const Thing& other) const { return has_rows_of(other) != has_columns_of(other); }
  ARC_FN bool boxes(const Thing& other) const {
    return top <= other.top && other.bottom <= bottom && left <= other.left && other.right <= right;
  }
  ARC_FN i32 distance(const Thing& other) const {
    return max_of(0, max_of(other.top - bottom, top - other.bottom)) +
           max_of(0, max_of(other.left - right, left - other.right));
  }
  ARC_FN bool is_twin(const Thing& other) const {
    if (size != other.size || height() != other.height() || width() != other.width()) return false;
    for (i32 k = 0; k < size; k++)
      if (cells[k].row - top != other.cells[k].row - other.top ||
          cells[k].column - left != other.cells[k].column - other.left)
        return false;
    return true;
  }
};

struct Stage {
  Scene grid, wanted;
  i32* labels;
  Place* places;
  Thing* things;
  i32 background, n;

  ARC_FN i32 label(i64 i, i64 j) const { return labels[i * grid.width + j]; }
};

ARC_FN i32 background_of(const Scene& grid, i32 segments) {
  if (segments >= N_SEGMENTATIONS) return 0;
  i32 counts[10] = {}, best = 0;
  for (i64 k = 0; k < grid.n_cells(); k++) counts[grid.cells[k]]++;
  for (i32 c = 1; c < 10; c++)
    if (counts[c] > counts[best]) best = c;
  return best;
}

// Labels a stage's cells and lists them by object; `queue` has room for its cells. Gives the number of
// objects; their cells are listed by object, each object's row by row, once `list_things` has run.
ARC_FN void label_stage(Stage& stage, i32 segments, Place* queue) {
  const Scene& grid = stage.grid;
  const i32 how = segments % N_SEGMENTATIONS, width = grid.width;
  const i64 n_cells = grid.n_cells();
  stage.background = background_of(grid, segments);
  stage.n = 0;
  for (i64 k = 0; k < n_cells; k++) stage.labels[k] = -1;
  i64 k = 0;
  for (i32 row = 0; row < grid.n_rows; row++)
    for (i32 column = 0; column < width; column++, k++) {
      const i32 color = grid.cells[k];
      if (stage.labels[k] >= 0 || (color == stage.background && how != EVERYTHING_4)) continue;
      if (how == ALL_OF_COLOR) {
        for (i64 m = k; m < n_cells; m++)
          if (grid.cells[m] == color) stage.labels[m] = stage.n;
      } else {
        Place *next = queue, *end = queue;
        *end++ = {row, column};
        stage.labels[k] = stage.n;
        for (; next < end; next++)
          for (int d = 0; d < 8; d++) {
            if ((how == BY_COLOR_4 || how == EVERYTHING_4) && !is_beside(d)) continue;
            const i32 i = next->row + row_step(d), j = next->column + column_step(d);
            if (!grid.has(i, j)) continue;
            const i64 at = (i64)i * width + j;
            if (stage.labels[at] >= 0) continue;
            if (how == TOGETHER ? grid.cells[at] == stage.background : grid.cells[at] != color) continue;
            stage.labels[at] = stage.n;
            *end++ = {i, j};
          }
      }
      stage.n++;
    }
}

ARC_FN void find_references(const Stage& stage) {
  for (i32 k = 0; k < stage.n; k++) {
    Thing& own = stage.things[k];
    i32 orders[N_REFERENCES], distances[N_REFERENCES];
    for (i32 name = 0; name < N_REFERENCES; name++) own.references[name] = -1;
    for (i32 m = 0; m < stage.n; m++) {
      if (m == k) continue;
      const Thing& other = stage.things[m];
      const i32 distance = own.distance(other);
      const bool rows = own.has_rows_of(other), columns = own.has_columns_of(other);
      auto offer = [&](i32 name, bool holds, i32 order) {
        if (!holds) return;
        if (own.references[name] >= 0 &&
            (orders[name] < order || (orders[name] == order && distances[name] <= distance)))
          return;
        own.references[name] = m;
        orders[name] = order;
        distances[name] = distance;
      };
      offer(0, true, -other.size);
      offer(1, true, other.size);
      offer(2, true, 0);
      offer(3, own.color == other.color, 0);
      offer(4, own.color != other.color, 0);
      offer(5, columns && other.bottom < own.top, 0);
      offer(6, columns && other.top > own.bottom, 0);
      offer(7, rows && other.right < own.left, 0);
      offer(8, rows && other.left > own.right, 0);
      offer(9, rows || columns, 0);
      offer(10, other.boxes(own), other.area());
      offer(11, own.boxes(other), -other.area());
      offer(12, own.is_twin(other), 0);
      offer(13, own.color == other.color, -other.size);
      offer(14 + other.color, true, 0);
    }
  }
}

// Lists the objects of a labelled stage; its things have room for them. Gives what is charged for it.
ARC_FN i64 list_things(Stage& stage) {
  const Scene& grid = stage.grid;
  const i64 n_cells = grid.n_cells();
  for (i32 k = 0; k < stage.n; k++) stage.things[k].size = 0;
  for (i64 k = 0; k < n_cells; k++)
    if (stage.labels[k] >= 0) stage.things[stage.labels[k]].size++;
  Place* place = stage.places;
  for (i32 k = 0; k < stage.n; k++) {
    stage.things[k].cells = place;
    place += stage.things[k].size;
    stage.things[k].size = 0;
  }
  i64 k = 0;
  for (i32 row = 0; row < grid.n_rows; row++)
    for (i32 column = 0; column < grid.width; column++, k++)
      if (stage.labels[k] >= 0) {
        Thing& thing = stage.things[stage.labels[k]];
        const_cast<Place*>(thing.cells)[thing.size++] = {row, column};
      }
  i64 area = (i64)stage.n * stage.n;
  for (i32 t = 0; t < stage.n; t++) {
    Thing& thing = stage.things[t];
    i32 counts[10] = {};
    thing.number = t;
    thing.n_holes = 0;
    thing.top = thing.bottom = thing.cells[0].row;
    thing.left = thing.right = thing.cells[0].column;
    for (i32 c = 0; c < thing.size; c++) {
      const Place at = thing.cells[c];
      thing.bottom = max_of(thing.bottom, at.row);
      thing.left = min_of(thing.left, at.column);
      thing.right = max_of(thing.right, at.column);
      counts[grid.cell(at.row, at.column)]++;
    }
    thing.color = 0;
    thing.n_colors = 0;
    for (i32 c = 0; c < 10; c++) {
      thing.n_colors += counts[c] > 0;
      if (counts[c] > counts[thing.color]) thing.color = c;
    }
    area += (i64)thing.height() * thing.width();
  }
  return area;
}

// --- what objects are like ---

ARC_FN Place turned_place(const Thing& own, const Place& at, i32 turn) {
  i32 i = at.row - own.top, j = at.column - own.left;
  if (turn & 1) i = own.height() - 1 - i;
  if (turn & 2) j = own.width() - 1 - j;
  return turn & 4 ? Place{own.top + j, own.left + i} : Place{own.top + i, own.left + j};
}

// Room for floods, of the largest grid's cells.
struct Room {
  u8* marks;
  Place* queue;
};

// Marks what of an object's box is a hole with 1, row by row; what else there is is not 1.
ARC_FN void mark_holes(const Stage& stage, const Thing& own, const Room& room) {
  const i32 height = own.height(), width = own.width();
  auto is_own = [&](i32 i, i32 j) { return stage.label(own.top + i, own.left + j) == own.number; };
  for (i32 k = 0; k < height * width; k++) room.marks[k] = !is_own(k / width, k % width);
  if (own.size == height * width) return;
  reach_from_edge(height, width, room.queue, [&](i32 k) {
    if (room.marks[k] != 1) return false;
    room.marks[k] = 2;
    return true;
  });
}

constexpr i32 N_FEATURES = 44;
// Those that are also compared by "at least".
ARC_FN bool is_counted(i32 feature) {
  return feature == 1 || feature == 6 || feature == 8 || feature == 9 || (feature >= 13 && feature <= 15);
}

ARC_FN bool mirrors(const Stage& stage, const Thing& own, i32 turn) {
  for (i32 k = 0; k < own.size; k++) {
    const Place from = own.cells[k], to = turned_place(own, from, turn);
    if (stage.label(to.row, to.column) != own.number ||
        stage.grid.cell(to.row, to.column) != stage.grid.cell(from.row, from.column))
      return false;
  }
  return true;
}
ARC_FN i32 count_holes(const Stage& stage, const Thing& own, const Room& room) {
  const i32 height = own.height(), width = own.width();
  if (own.size == height * width) return 0;
  mark_holes(stage, own, room);
  i32 n = 0;
  for (i32 start = 0; start < height * width; start++) {
    if (room.marks[start] != 1) continue;
    n++;
    Place *next = room.queue, *end = room.queue;
    auto reach = [&](i32 i, i32 j) {
      if ((u32)i >= (u32)height || (u32)j >= (u32)width || room.marks[i * width + j] != 1) return;
      room.marks[i * width + j] = 2;
      *end++ = {i, j};
    };
    reach(start / width, start % width);
    for (; next < end; next++) {
      reach(next->row - 1, next->column);
      reach(next->row + 1, next->column);
      reach(next->row, next->column - 1);
      reach(next->row, next->column + 1);
    }
  }
  return n;
}
ARC_FN bool touches(const Stage& stage, const Thing& own) {
  for (i32 k = 0; k < own.size; k++)
    for (int d = 0; d < 8; d++) {
      const i32 i = own.cells[k].row + row_step(d), j = own.cells[k].column + column_step(d);
      if (!stage.grid.has(i, j)) continue;
      const i32 label = stage.label(i, j);
      if (label >= 0 && label != own.number) return true;
    }
  return false;
}

// described[N_FEATURES * k + feature] := the rank of each object's measure, distinct numbers counted.
template <class F>
ARC_FN void rank_things(const Stage& stage, i32* described, i32 feature, bool falling, F measure) {
  i32 sorted[MAX_OBJECTS], n = 0;
  for (i32 k = 0; k < stage.n; k++) {
    const i32 x = measure(stage.things[k]);
    i32 place = 0;
    while (place < n && sorted[place] < x) place++;
    if (place < n && sorted[place] == x) continue;
    for (i32 m = n++; m > place; m--) sorted[m] = sorted[m - 1];
    sorted[place] = x;
  }
  for (i32 k = 0; k < stage.n; k++) {
    const i32 x = measure(stage.things[k]);
    i32 place = 0;
    while (sorted[place] < x) place++;
    described[N_FEATURES * k + feature] = falling ? n - 1 - place : place;
  }
}

ARC_FN void describe_things(const Stage& stage, i32* described, const Room& room) {
  for (i32 k = 0; k < stage.n; k++)
    stage.things[k].n_holes = count_holes(stage, stage.things[k], room);
  for (i32 k = 0; k < stage.n; k++) {
    const Thing& own = stage.things[k];
    i32* f = described + (i64)N_FEATURES * k;
    const Thing* largest = own.references[LARGEST] < 0 ? nullptr : stage.things + own.references[LARGEST];
    bool larger = false;
    i32 n_twins = 0, n_colored = 0;
    for (i32 m = 0; m < stage.n; m++) {
      if (m == k) continue;
      const Thing& other = stage.things[m];
      larger |= other.color == own.color && other.size > own.size;
      n_twins += own.is_twin(other);
      n_colored += other.color == own.color;
    }
    const bool upper = own.top == 0, lower = own.bottom == stage.grid.n_rows - 1;
    const bool on_left = own.left == 0, on_right = own.right == stage.grid.width - 1;
    f[0] = own.color;
    f[1] = own.size;
    f[4] = own.size == 1;
    f[5] = upper || lower || on_left || on_right;
    f[6] = own.n_holes;
    f[7] = larger;
    f[8] = n_twins;
    f[9] = n_colored;
    f[10] = own.references[AROUND_IT] >= 0;
    f[11] = own.references[WITHIN_IT] >= 0;
    f[12] = touches(stage, own);
    f[13] = own.n_colors;
    f[14] = own.height();
    f[15] = own.width();
    f[16] = own.size == own.area();
    f[17] = own.height() > own.width();
    f[18] = own.height() == own.width();
    f[19] = mirrors(stage, own, 2);
    f[20] = mirrors(stage, own, 1);
    f[21] = largest && own.has_rows_of(*largest);
    f[22] = largest && own.has_columns_of(*largest);
    for (int d = 0; d < 4; d++) f[23 + d] = own.references[UPWARD + d] >= 0;
    f[27] = upper;
    f[28] = lower;
    f[29] = on_left;
    f[30] = on_right;
    f[38] = own.size % 2;
    f[39] = largest && own.color == largest->color;
    f[40] = largest && own.faces(*largest);
    const i32 names[3] = {NEAREST, AROUND_IT, WITHIN_IT};
    for (int m = 0; m < 3; m++) {
      const i32 number = own.references[names[m]];
      f[41 + m] = number < 0 ? -1 : stage.things[number].color;
    }
  }
  rank_things(stage, described, 2, true, [](const Thing& thing) { return thing.size; });
  rank_things(stage, described, 3, false, [](const Thing& thing) { return thing.size; });
  rank_things(stage, described, 31, true, [](const Thing& thing) { return thing.height(); });
  rank_things(stage, described, 32, true, [](const Thing& thing) { return thing.width(); });
  rank_things(stage, described, 33, true, [](const Thing& thing) { return thing.n_holes; });
  rank_things(stage, described, 34, false, [](const Thing& thing) { return thing.top; });
  rank_things(stage, described, 35, true, [](const Thing& thing) { return thing.bottom; });
  rank_things(stage, described, 36, false, [](const Thing& thing) { return thing.left; });
  rank_things(stage, described, 37, true, [](const Thing& thing) { return thing.right; });
}

}  // namespace actions
}  // namespace arc
