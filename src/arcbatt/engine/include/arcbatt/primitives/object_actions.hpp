// What becomes of a grid's objects: as language/primitives/object_actions.py.
#pragma once
#include "../learning.hpp"

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

// --- what is drawn ---

enum What {
  STAY = 0,
  VANISH = 1,
  BLOCKED = 2,
  TO_EDGE = 6,
  BY_SIZE = 10,
  TURN = 14,
  HOLES = 21,
  BOX = 22,
  RING = 23,
  RAYS = 24,
  DIAGONALS = 31,
  THROUGH = 36,
  JOIN = 43,
  JOIN_OWN = 44,
  TO_OTHER = 45,
};
enum Way {
  TOWARDS,
  AWAY,
  TOP,
  BOTTOM,
  LEFT_SIDE,
  RIGHT_SIDE,
  MIDDLE_ROW,
  MIDDLE_COLUMN,
  ONTO,
  CENTER,
  OVER_SIDEWAYS,
  OVER_UPRIGHT,
  OVER_BOTH,
  LINE,
  N_WAYS,
};
constexpr i32 BY_CONSTANT = TO_OTHER + N_REFERENCES * N_WAYS;
constexpr i32 MAX_STEP = 15, MAX_CROOKED_STEP = 4, N_STEPS = 2 * MAX_STEP + 1;
constexpr i32 N_WHATS = BY_CONSTANT + N_STEPS * N_STEPS;
constexpr i32 N_TRIED = BY_CONSTANT + (2 * MAX_CROOKED_STEP + 1) * (2 * MAX_CROOKED_STEP + 1) - 1 +
                        4 * (MAX_STEP - MAX_CROOKED_STEP);
constexpr i32 OWN = 0, OF_COLOR = 1, OF_OTHER = 11, N_PAINTS = OF_OTHER + N_REFERENCES;
constexpr i32 OWN_COLORS = -1, NO_PAINT = -2;

// tried := what is tried, in order.
ARC_FN void list_tried(i32* tried) {
  i32 n = 0;
  for (i32 what = 0; what < JOIN; what++) tried[n++] = what;
  for (i32 down = -MAX_STEP; down <= MAX_STEP; down++)
    for (i32 along = -MAX_STEP; along <= MAX_STEP; along++) {
      const i32 most = max_of(max_of(down, -down), max_of(along, -along));
      if ((down == 0) != (along == 0) || (most > 0 && most <= MAX_CROOKED_STEP))
        tried[n++] = BY_CONSTANT + (down + MAX_STEP) * N_STEPS + along + MAX_STEP;
    }
  for (i32 what = TO_OTHER; what < BY_CONSTANT; what++) tried[n++] = what;
  tried[n++] = JOIN;
  tried[n++] = JOIN_OWN;
}

ARC_FN i32 reference_of(i32 what) {
  return what >= TO_OTHER && what < BY_CONSTANT ? (what - TO_OTHER) / N_WAYS : -1;
}
ARC_FN bool is_addition(i32 what) {
  if (what >= HOLES && what < TO_OTHER) return true;
  return what >= TO_OTHER && what < BY_CONSTANT && (what - TO_OTHER) % N_WAYS == LINE;
}
// Up, down, left, right; then the corners, row by row.
ARC_FN i32 down_of(int d) { return d == 0 ? -1 : d == 1 ? 1 : d < 4 ? 0 : d < 6 ? -1 : 1; }
ARC_FN i32 along_of(int d) { return d < 2 ? 0 : d & 1 ? 1 : -1; }
// The directions of a set of rays, as bits.
ARC_FN u32 ray_set(i32 code) { return code < 4 ? 1u << code : code == 4 ? 12u : code == 5 ? 3u : 15u; }
ARC_FN u32 diagonal_set(i32 code) { return code < 4 ? 16u << code : 240u; }

struct Motion {
  i32 down, along, turn;
};

ARC_FN i32 sign_of(i32 x) { return (x > 0) - (x < 0); }

ARC_FN i32 n_free(const Stage& stage, const Thing& own, i32 down, i32 along) {
  for (i32 n = 1;; n++)
    for (i32 k = 0; k < own.size; k++) {
      const i32 i = own.cells[k].row + n * down, j = own.cells[k].column + n * along;
      if (!stage.grid.has(i, j)) return n - 1;
      const i32 label = stage.label(i, j);
      if (label >= 0 && label != own.number) return n - 1;
    }
}
ARC_FN i32 n_to(const Stage& stage, const Thing& own, const Thing& other, i32 down, i32 along) {
  for (i32 n = 1;; n++) {
    bool any_left = false;
    for (i32 k = 0; k < own.size; k++) {
      const i32 i = own.cells[k].row + n * down, j = own.cells[k].column + n * along;
      if (!stage.grid.has(i, j)) continue;
      any_left = true;
      if (stage.label(i, j) == other.number) return n - 1;
    }
    if (!any_left) return -1;
  }
}

// False where it cannot be told.
ARC_FN bool motion_to(const Stage& stage, const Thing& own, const Thing& other, i32 way, Motion& motion) {
  const i32 last_row = stage.grid.n_rows - 1, last_column = stage.grid.width - 1;
  const i32 twice_down = other.top + other.bottom - own.top - own.bottom;
  const i32 twice_along = other.left + other.right - own.left - own.right;
  motion = {0, 0, 0};
  switch (way) {
    case TOWARDS:
    case AWAY: {
      const i32 down = own.has_rows_of(other) ? 0 : sign_of(other.top - own.top);
      const i32 along = own.has_columns_of(other) ? 0 : sign_of(other.left - own.left);
      if (!down && !along) return false;
      i32 n;
      if (way == TOWARDS) {
        n = n_to(stage, own, other, down, along);
        if (n < 0) return false;
      } else {
        n = 1 << 20;
        if (down) n = min_of(n, down < 0 ? last_row - own.bottom : own.top);
        if (along) n = min_of(n, along < 0 ? last_column - own.right : own.left);
        n = -n;
      }
      motion = {n * down, n * along, 0};
      return true;
    }
    case TOP: motion.down = other.top - own.top; return true;
    case BOTTOM: motion.down = other.bottom - own.bottom; return true;
    case LEFT_SIDE: motion.along = other.left - own.left; return true;
    case RIGHT_SIDE: motion.along = other.right - own.right; return true;
    case MIDDLE_ROW: motion.down = twice_down / 2; return !(twice_down & 1);
    case MIDDLE_COLUMN: motion.along = twice_along / 2; return !(twice_along & 1);
    case ONTO: motion = {other.top - own.top, other.left - own.left, 0}; return true;
    case CENTER:
      motion = {twice_down / 2, twice_along / 2, 0};
      return !(twice_down & 1) && !(twice_along & 1);
    case OVER_SIDEWAYS: motion = {0, twice_along, 2}; return true;
    case OVER_UPRIGHT: motion = {twice_down, 0, 1}; return true;
    default: motion = {twice_down, twice_along, 3}; return true;
  }
}
ARC_FN bool motion_of(const Stage& stage, const Thing& own, i32 what, Motion& motion) {
  motion = {0, 0, 0};
  if (what == STAY) return true;
  if (what < TO_EDGE) {
    const i32 down = down_of(what - BLOCKED), along = along_of(what - BLOCKED);
    const i32 n = n_free(stage, own, down, along);
    motion = {n * down, n * along, 0};
    return true;
  }
  if (what < BY_SIZE) {
    const i32 d = what - TO_EDGE;
    if (d == 0) motion.down = -own.top;
    if (d == 1) motion.down = stage.grid.n_rows - 1 - own.bottom;
    if (d == 2) motion.along = -own.left;
    if (d == 3) motion.along = stage.grid.width - 1 - own.right;
    return true;
  }
  if (what < TURN) {
    motion = {down_of(what - BY_SIZE) * own.height(), along_of(what - BY_SIZE) * own.width(), 0};
    return true;
  }
  if (what < HOLES) {
    motion.turn = what - TURN + 1;
    return motion.turn < 4 || own.height() == own.width();
  }
  if (what >= BY_CONSTANT) {
    motion = {(what - BY_CONSTANT) / N_STEPS - MAX_STEP, (what - BY_CONSTANT) % N_STEPS - MAX_STEP, 0};
    return true;
  }
  const i32 other = own.references[reference_of(what)];
  return other >= 0 && motion_to(stage, own, stage.things[other], (what - TO_OTHER) % N_WAYS, motion);
}

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
  Place *next = room.queue, *end = room.queue;
  auto reach = [&](i32 i, i32 j) {
    if ((u32)i >= (u32)height || (u32)j >= (u32)width || room.marks[i * width + j] != 1) return;
    room.marks[i * width + j] = 2;
    *end++ = {i, j};
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
}

// see(i, j) for the places where something is added, also beside the grid and on objects.
template <class F>
ARC_FN void each_added(const Stage& stage, const Thing& own, i32 what, const Room& room, F see) {
  const Scene& grid = stage.grid;
  if (what == HOLES) {
    mark_holes(stage, own, room);
    const i32 width = own.width();
    for (i32 k = 0; k < own.height() * width; k++)
      if (room.marks[k] == 1) see(own.top + k / width, own.left + k % width);
  } else if (what == BOX) {
    for (i32 i = own.top; i <= own.bottom; i++)
      for (i32 j = own.left; j <= own.right; j++) see(i, j);
  } else if (what == RING) {
    for (i32 i = own.top - 1; i <= own.bottom + 1; i++) {
      see(i, own.left - 1);
      see(i, own.right + 1);
    }
    for (i32 j = own.left; j <= own.right; j++) {
      see(own.top - 1, j);
      see(own.bottom + 1, j);
    }
  } else if (what == JOIN || what == JOIN_OWN) {
    for (i32 k = 0; k < own.size; k++)
      for (int d = 0; d < 4; d++) {
        const i32 down = down_of(d), along = along_of(d);
        i32 n = 1, i, j;
        for (;; n++) {
          i = own.cells[k].row + n * down;
          j = own.cells[k].column + n * along;
          if (!grid.has(i, j) || stage.label(i, j) >= 0) break;
        }
        if (!grid.has(i, j) || stage.label(i, j) == own.number) continue;
        if (what == JOIN_OWN && grid.cell(i, j) != own.color) continue;
        for (i32 m = 1; m < n; m++) see(own.cells[k].row + m * down, own.cells[k].column + m * along);
      }
  } else if (what < TO_OTHER) {
    const bool through = what >= THROUGH;
    const u32 set = what < DIAGONALS ? ray_set(what - RAYS)
                    : through        ? ray_set(what - THROUGH)
                                     : diagonal_set(what - DIAGONALS);
    for (i32 k = 0; k < own.size; k++)
      for (int d = 0; d < 8; d++) {
        if (!(set >> d & 1)) continue;
        i32 i = own.cells[k].row + down_of(d), j = own.cells[k].column + along_of(d);
        while (grid.has(i, j) && (through || stage.label(i, j) < 0)) {
          see(i, j);
          i += down_of(d);
          j += along_of(d);
        }
      }
  } else {
    const i32 number = own.references[reference_of(what)];
    if (number < 0 || !own.faces(stage.things[number])) return;
    const Thing& other = stage.things[number];
    i32 top = max_of(own.top, other.top), bottom = min_of(own.bottom, other.bottom);
    i32 left = max_of(own.left, other.left), right = min_of(own.right, other.right);
    if (own.has_rows_of(other)) {
      const i32 after = left;
      left = right + 1;
      right = after - 1;
    } else {
      const i32 after = top;
      top = bottom + 1;
      bottom = after - 1;
    }
    for (i32 i = top; i <= bottom; i++)
      for (i32 j = left; j <= right; j++) see(i, j);
  }
}

// see(i, j, color) for what an object draws in its own colours, as long as that gives true; false where it
// cannot be told what it draws.
template <class F>
ARC_FN bool each_drawn(const Stage& stage, const Thing& own, i32 what, const Room& room, F see) {
  if (what == VANISH) return true;
  if (is_addition(what)) {
    bool goes_on = true;
    each_added(stage, own, what, room, [&](i32 i, i32 j) {
      if (goes_on && stage.grid.has(i, j) && stage.label(i, j) < 0) goes_on = see(i, j, own.color);
    });
    return true;
  }
  Motion motion;
  if (!motion_of(stage, own, what, motion)) return false;
  bool any_seen = false;
  for (i32 k = 0; k < own.size; k++) {
    const Place at = turned_place(own, own.cells[k], motion.turn);
    const i32 i = at.row + motion.down, j = at.column + motion.along;
    if (!stage.grid.has(i, j)) continue;
    any_seen = true;
    if (!see(i, j, stage.grid.cell(own.cells[k].row, own.cells[k].column))) return true;
  }
  return any_seen;
}

ARC_FN i32 paint_of(const Stage& stage, const Thing& own, i32 paint) {
  if (paint == OWN) return OWN_COLORS;
  if (paint < OF_OTHER) return paint - OF_COLOR;
  const i32 number = own.references[paint - OF_OTHER];
  return number < 0 ? NO_PAINT : stage.things[number].color;
}

// --- what objects are like ---

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

// --- rules ---

constexpr i32 NODE = 4, ACTION = -1, AT_LEAST = 1;

// The node, an action, to which an object's description leads.
ARC_FN const i32* choose(const i32* rules, const i32* described) {
  i32 place = 1;
  while (rules[place] != ACTION) {
    const i32 number = described[rules[place]], value = rules[place + 2];
    const bool holds = rules[place + 1] == AT_LEAST ? number >= value : number == value;
    place = holds ? place + NODE : rules[place + 3];
  }
  return rules + place;
}

// to := the grid after all objects have acted; false where one cannot.
ARC_FN bool act(const Stage& stage, const i32* rules, const i32* described, const Room& room, i32* to) {
  const Scene& grid = stage.grid;
  for (i64 k = 0; k < grid.n_cells(); k++) to[k] = stage.labels[k] >= 0 ? stage.background : grid.cells[k];
  for (i32 layer = 0; layer < 3; layer++)
    for (i32 k = 0; k < stage.n; k++) {
      const Thing& own = stage.things[k];
      const i32* node = choose(rules, described + (i64)N_FEATURES * k);
      const i32 what = node[1], paint = node[2], copies = node[3];
      const bool adds = is_addition(what);
      if (layer == 1 && (adds || copies || (what == STAY && paint == OWN)))
        for (i32 c = 0; c < own.size; c++) {
          const i64 at = (i64)own.cells[c].row * grid.width + own.cells[c].column;
          to[at] = grid.cells[at];
        }
      if (layer != (adds ? 0 : what == STAY ? 1 : 2)) continue;
      const i32 color = paint_of(stage, own, paint);
      if (color == NO_PAINT) return false;
      const bool can = each_drawn(stage, own, what, room, [&](i32 i, i32 j, i32 own_color) {
        to[(i64)i * grid.width + j] = color == OWN_COLORS ? own_color : color;
        return true;
      });
      if (!can) return false;
    }
  return true;
}

ARC_FN bool are_rules(const i32* rules, i64 n) {
  if (n <= NODE || n % NODE != 1 || (u32)rules[0] >= 2 * N_SEGMENTATIONS) return false;
  for (i64 place = 1; place < n; place += NODE) {
    const i32 feature = rules[place], a = rules[place + 1], b = rules[place + 2], c = rules[place + 3];
    if (feature == ACTION) {
      if ((u32)a >= (u32)N_WHATS || (u32)b >= (u32)N_PAINTS || (u32)c > 1) return false;
    } else {
      if ((u32)feature >= (u32)N_FEATURES || (u32)a > 1 || place + NODE >= n) return false;
      if (c <= place || c >= n || c % NODE != 1) return false;
    }
  }
  return true;
}

// --- learning ---

constexpr i32 MAX_ACTIONS = 3, MAX_ROWS = 1000, MAX_TRIED = 4000, MAX_COVERS = 64, MAX_DEPTH = 4;
constexpr i32 MAX_GREEDY_ACTIONS = 6;
constexpr i32 MAX_NEW = 64;
constexpr i32 MAX_RULES = 1 + NODE * ((2 << MAX_DEPTH) - 1);
constexpr i32 N_ROW_SLOTS = 2048;
constexpr u32 ALL_COLORS = (1u << 10) - 1, OWN_AGREES = 1u << 10;
constexpr i32 MAX_WORDS = MAX_OBJECTS_IN_ALL / 64;

ARC_FN i32 count_set(u64 word) { return count_bits((u32)word) + count_bits((u32)(word >> 32)); }

struct Row {
  i32 what, paint, copies;
};

struct Lesson {
  Stage* stages = nullptr;
  i32 n_demos = 0, n = 0;        // n: of objects, in all
  i32 n_words = 0, n_all = 0;    // words of a set of objects; and of one of objects and new cells
  i64 most_cells = 0;
  Room room;
  i32* tried = nullptr;
  i32* n_new = nullptr;          // for each demo
  u16* agreeing = nullptr;       // [N_TRIED][n]
  u64* drawing = nullptr;        // [N_TRIED][n]
  i32* described = nullptr;      // [n][N_FEATURES]
  i32* new_cells = nullptr;      // most_cells
  u8* shown = nullptr;           // most_cells
  i32* drawn_grid = nullptr;     // most_cells
  // Rows: objects and new cells, then those objects that draw new cells.
  Row* rows = nullptr;
  u64* sets = nullptr;           // [MAX_ROWS][n_all]
  u64* busy = nullptr;           // [MAX_ROWS][n_words]
  i32* slots = nullptr;          // N_ROW_SLOTS
  i32 n_rows = 0;
  i32* counts = nullptr;         // for each object and new cell how many rows have it
  // Questions: feature, comparison and value; who says yes.
  i32* questions = nullptr;      // [n_questions][3]
  u64* holding = nullptr;        // [n_questions][n_words]
  i32* values = nullptr;         // n
  i64 n_questions = 0;
};

// How something done agrees with the output; `drawing` gets the new cells that are drawn.
ARC_FN u32 agree(const Lesson& lesson, const Stage& stage, const Thing& own, i32 what, u64& drawing) {
  drawing = 0;
  const Scene &grid = stage.grid, &wanted = stage.wanted;
  if (what == VANISH) {
    for (i32 k = 0; k < own.size; k++)
      if (wanted.cell(own.cells[k].row, own.cells[k].column) != stage.background) return 0;
    return OWN_AGREES;
  }
  if (is_addition(what))
    for (i32 k = 0; k < own.size; k++) {
      const Place at = own.cells[k];
      if (wanted.cell(at.row, at.column) != grid.cell(at.row, at.column)) return 0;
    }
  u32 agreeing = (ALL_COLORS | OWN_AGREES) & ~(1u << stage.background);
  u64 drawn = 0;
  bool any_new = false;
  const bool can = each_drawn(stage, own, what, lesson.room, [&](i32 i, i32 j, i32 own_color) {
    const i64 at = (i64)i * grid.width + j;
    const i32 color = wanted.cells[at];
    agreeing &= 1u << color | (color == own_color ? OWN_AGREES : 0);
    if (!agreeing) return false;
    const i32 number = lesson.new_cells[at];
    if (number >= 0) {
      any_new = true;
      if (number < MAX_NEW) drawn |= 1ULL << number;
    }
    return true;
  });
  if (!can || !agreeing) return 0;
  if (any_new)
    each_drawn(stage, own, what, lesson.room, [&](i32 i, i32 j, i32) {
      lesson.shown[(i64)i * grid.width + j] = 1;
      return true;
    });
  drawing = drawn;
  return agreeing;
}

// Finds what all objects may have done; false where something is not explained.
ARC_NOINLINE bool look_at_demos(Lesson& lesson) {
  list_tried(lesson.tried);
  for (i32 d = 0, first = 0; d < lesson.n_demos; first += lesson.stages[d].n, d++) {
    const Stage& stage = lesson.stages[d];
    find_references(stage);
    i32 n_new = 0;
    for (i64 k = 0; k < stage.grid.n_cells(); k++) {
      const i32 color = stage.wanted.cells[k];
      lesson.new_cells[k] = color != stage.grid.cells[k] && color != stage.background ? n_new++ : -1;
      lesson.shown[k] = 0;
    }
    lesson.n_new[d] = min_of(n_new, MAX_NEW);
    for (i32 t = 0; t < stage.n; t++) {
      bool can_act = false;
      for (i32 w = 0; w < N_TRIED; w++) {
        const i64 at = (i64)w * lesson.n + first + t;
        lesson.agreeing[at] = (u16)agree(lesson, stage, stage.things[t], lesson.tried[w], lesson.drawing[at]);
        can_act |= lesson.agreeing[at] != 0;
      }
      if (!can_act) return false;
    }
    for (i64 k = 0; k < stage.grid.n_cells(); k++)
      if (lesson.new_cells[k] >= 0 && !lesson.shown[k]) return false;
  }
  for (i32 d = 0, first = 0; d < lesson.n_demos; first += lesson.stages[d].n, d++)
    describe_things(lesson.stages[d], lesson.described + (i64)N_FEATURES * first, lesson.room);
  return true;
}

// Adds a row unless it has no objects or there is one like it; false when there are enough.
ARC_FN bool add_row(Lesson& lesson, i32 w, i32 paint, i32 copies) {
  const i32 what = lesson.tried[w];
  const u16* agreeing = lesson.agreeing + (i64)w * lesson.n;
  const u64* drawing = lesson.drawing + (i64)w * lesson.n;
  u64* set = lesson.sets + (i64)lesson.n_rows * lesson.n_all;
  u64* busy = lesson.busy + (i64)lesson.n_rows * lesson.n_words;
  for (i32 k = 0; k < lesson.n_all; k++) set[k] = 0;
  for (i32 k = 0; k < lesson.n_words; k++) busy[k] = 0;
  bool any = false;
  for (i32 d = 0, k = 0; d < lesson.n_demos; d++) {
    const Stage& stage = lesson.stages[d];
    for (i32 t = 0; t < stage.n; t++, k++) {
      if (copies && !(lesson.agreeing[k] & OWN_AGREES)) continue;  // staying is tried first
      const i32 color = paint_of(stage, stage.things[t], paint);
      const u32 bit = color == OWN_COLORS ? OWN_AGREES : color == NO_PAINT ? 0 : 1u << color;
      if (!(agreeing[k] & bit)) continue;
      any = true;
      set[k / 64] |= 1ULL << k % 64;
      set[lesson.n_words + d] |= drawing[k];
      if (drawing[k]) busy[k / 64] |= 1ULL << k % 64;
    }
  }
  if (!any) return true;
  const i32 kind = min_of(what, 2);
  u64 hash = (u64)kind;
  for (i32 k = 0; k < lesson.n_all; k++) hash = mix_bits(hash ^ set[k]);
  u64 slot = hash & (N_ROW_SLOTS - 1);
  for (; lesson.slots[slot] >= 0; slot = (slot + 1) & (N_ROW_SLOTS - 1)) {
    const i32 r = lesson.slots[slot];
    bool same = min_of(lesson.rows[r].what, 2) == kind;
    for (i32 k = 0; k < lesson.n_all && same; k++) same = lesson.sets[(i64)r * lesson.n_all + k] == set[k];
    if (same) return true;
  }
  lesson.slots[slot] = lesson.n_rows;
  lesson.rows[lesson.n_rows++] = {what, paint, copies};
  return lesson.n_rows < MAX_ROWS;
}

ARC_NOINLINE void make_rows(Lesson& lesson) {
  for (i32 k = 0; k < N_ROW_SLOTS; k++) lesson.slots[k] = -1;
  for (i32 copies = 0; copies < 2; copies++)
    for (i32 w = 0; w < N_TRIED; w++) {
      const i32 what = lesson.tried[w];
      if (copies && (what == STAY || what == VANISH || is_addition(what))) continue;
      u32 any = 0;
      for (i32 k = 0; k < lesson.n; k++) any |= lesson.agreeing[(i64)w * lesson.n + k];
      if (any & OWN_AGREES && !add_row(lesson, w, OWN, copies)) return;
      if (what == VANISH || !(any & ALL_COLORS)) continue;
      for (i32 c = 0; c < 10; c++)
        if (any >> c & 1 && !add_row(lesson, w, OF_COLOR + c, copies)) return;
      if (what == STAY) {
        for (i32 name = 0; name < N_REFERENCES; name++)
          if (!add_row(lesson, w, OF_OTHER + name, copies)) return;
      } else if (reference_of(what) >= 0) {
        if (!add_row(lesson, w, OF_OTHER + reference_of(what), copies)) return;
      }
    }
}

// values := a feature's distinct numbers, ascending; gives how many.
ARC_FN i32 distinct_values(const Lesson& lesson, i32 feature) {
  i32 n = 0;
  for (i32 k = 0; k < lesson.n; k++) {
    const i32 x = lesson.described[(i64)N_FEATURES * k + feature];
    i32 low = 0, high = n;
    while (low < high) {
      const i32 middle = (low + high) / 2;
      if (lesson.values[middle] < x) low = middle + 1; else high = middle;
    }
    if (low < n && lesson.values[low] == x) continue;
    for (i32 m = n++; m > low; m--) lesson.values[m] = lesson.values[m - 1];
    lesson.values[low] = x;
  }
  return n;
}
ARC_FN i64 count_questions(const Lesson& lesson) {
  i64 n = 0;
  for (i32 feature = 0; feature < N_FEATURES; feature++)
    n += distinct_values(lesson, feature) * (1 + is_counted(feature));
  return n;
}
ARC_FN void make_questions(Lesson& lesson) {
  lesson.n_questions = 0;
  for (i32 feature = 0; feature < N_FEATURES; feature++) {
    const i32 n_values = distinct_values(lesson, feature);
    for (i32 comparison = is_counted(feature) ? AT_LEAST : 0; comparison >= 0; comparison--)
      for (i32 v = 0; v < n_values; v++) {
        const i32 value = lesson.values[v];
        u64* holding = lesson.holding + lesson.n_questions * lesson.n_words;
        for (i32 k = 0; k < lesson.n_words; k++) holding[k] = 0;
        i32 n_holding = 0;
        for (i32 k = 0; k < lesson.n; k++) {
          const i32 x = lesson.described[(i64)N_FEATURES * k + feature];
          if (comparison == AT_LEAST ? x < value : x != value) continue;
          holding[k / 64] |= 1ULL << k % 64;
          n_holding++;
        }
        if (n_holding == lesson.n) continue;
        i32* question = lesson.questions + 3 * lesson.n_questions++;
        question[0] = feature;
        question[1] = comparison;
        question[2] = value;
      }
  }
}

// The actions that are chosen from, and the objects that may do each.
struct Choice {
  i32 n = 0;
  i32 rows[MAX_GREEDY_ACTIONS];
  u64 may[MAX_GREEDY_ACTIONS][MAX_WORDS];
};

// How many of the members that say yes, or no, to a question are not right if all of them do the same.
ARC_FN i32 n_wrong(const Lesson& lesson, const Choice& choice, const u64* members, const u64* yes, bool no) {
  i32 n = 0, most = 0;
  for (i32 a = -1; a < choice.n; a++) {
    i32 count = 0;
    for (i32 k = 0; k < lesson.n_words; k++) {
      u64 word = members[k];
      if (yes) word &= no ? ~yes[k] : yes[k];
      count += count_set(a < 0 ? word : word & choice.may[a][k]);
    }
    if (a < 0) n = count; else most = max_of(most, count);
  }
  return n - most;
}

// Writes the nodes from a place on that tell the members' actions; gives the place after them, or 0 where
// that takes too many.
template <int Depth>
ARC_FN i32 grow(const Lesson& lesson, const Choice& choice, const u64* members, i32* rules, i32 place) {
  for (i32 a = 0; a < choice.n; a++) {
    bool all = true;
    for (i32 k = 0; k < lesson.n_words && all; k++) all = !(members[k] & ~choice.may[a][k]);
    if (!all) continue;
    const Row& row = lesson.rows[choice.rows[a]];
    rules[place] = ACTION;
    rules[place + 1] = row.what;
    rules[place + 2] = row.paint;
    rules[place + 3] = row.copies;
    return place + NODE;
  }
  if constexpr (Depth < MAX_DEPTH) {
    i64 best = -1;
    i32 fewest = n_wrong(lesson, choice, members, nullptr, false);
    for (i64 q = 0; q < lesson.n_questions; q++) {
      const u64* yes = lesson.holding + q * lesson.n_words;
      bool any_yes = false, any_no = false;
      for (i32 k = 0; k < lesson.n_words; k++) {
        any_yes |= (members[k] & yes[k]) != 0;
        any_no |= (members[k] & ~yes[k]) != 0;
      }
      if (!any_yes || !any_no) continue;
      const i32 n = n_wrong(lesson, choice, members, yes, false) + n_wrong(lesson, choice, members, yes, true);
      if (n >= fewest) continue;
      fewest = n;
      best = q;
    }
    if (best < 0) return 0;
    u64 part[MAX_WORDS];
    const u64* yes = lesson.holding + best * lesson.n_words;
    for (i32 k = 0; k < lesson.n_words; k++) part[k] = members[k] & yes[k];
    const i32 otherwise = grow<Depth + 1>(lesson, choice, part, rules, place + NODE);
    if (!otherwise) return 0;
    for (i32 k = 0; k < lesson.n_words; k++) part[k] = members[k] & ~yes[k];
    const i32 end = grow<Depth + 1>(lesson, choice, part, rules, otherwise);
    if (!end) return 0;
    for (int k = 0; k < 3; k++) rules[place + k] = lesson.questions[3 * best + k];
    rules[place + 3] = otherwise;
    return end;
  }
  return 0;
}

ARC_FN bool is_exact(const Lesson& lesson, const i32* rules) {
  for (i32 d = 0, first = 0; d < lesson.n_demos; first += lesson.stages[d].n, d++) {
    const Stage& stage = lesson.stages[d];
    if (!act(stage, rules, lesson.described + (i64)N_FEATURES * first, lesson.room, lesson.drawn_grid))
      return false;
    for (i64 k = 0; k < stage.grid.n_cells(); k++)
      if (lesson.drawn_grid[k] != stage.wanted.cells[k]) return false;
  }
  return true;
}

ARC_FN i32 late_questions(const i32* rules, i32 n) {
  i32 asked = 0;
  for (i32 place = 1; place < n; place += NODE) asked += max_of(0, rules[place]);
  return asked;
}

// Tries the rules of a cover; best := them, if they are exact and simpler.
ARC_NOINLINE void try_cover(const Lesson& lesson, i32 segments, const i32* cover, i32 n_actions, i32* best,
                            i32& n_best) {
  Choice choice;
  choice.n = n_actions;
  for (i32 a = 0; a < n_actions; a++) {
    i32 place = a;
    for (; place > 0 && choice.rows[place - 1] > cover[a]; place--) choice.rows[place] = choice.rows[place - 1];
    choice.rows[place] = cover[a];
  }
  u64 everyone[MAX_WORDS], busy[MAX_WORDS];
  for (i32 k = 0; k < lesson.n_words; k++) {
    const i32 n_here = min_of(64, lesson.n - 64 * k);
    everyone[k] = n_here == 64 ? ~0ULL : (1ULL << n_here) - 1;
    busy[k] = 0;
    for (i32 a = 0; a < n_actions; a++) busy[k] |= lesson.busy[(i64)choice.rows[a] * lesson.n_words + k];
  }
  for (int all = 0; all < 2; all++) {
    for (i32 a = 0; a < n_actions; a++) {
      const Row& row = lesson.rows[choice.rows[a]];
      const bool quiet = row.paint == OWN && !row.copies && (row.what == STAY || row.what == VANISH);
      for (i32 k = 0; k < lesson.n_words; k++) {
        const u64 objects = lesson.sets[(i64)choice.rows[a] * lesson.n_all + k];
        choice.may[a][k] = quiet && !all ? objects & ~busy[k] : objects;
      }
    }
    i32 rules[MAX_RULES];
    rules[0] = segments;
    const i32 n = grow<0>(lesson, choice, everyone, rules, 1);
    if (!n) continue;
    if (n_best && (n > n_best || (n == n_best && late_questions(rules, n) >= late_questions(best, n_best))))
      continue;
    if (!is_exact(lesson, rules)) continue;
    for (i32 k = 0; k < n; k++) best[k] = rules[k];
    n_best = n;
    return;
  }
}

// Goes through the covers of so many actions; gives how many numbers the best rules have, or 0. `left` has
// room for a set for each action, and one more.
ARC_NOINLINE i32 try_covers(const Lesson& lesson, i32 segments, i32 n_actions, u64* left, i32* best) {
  i32 n_best = 0, n_tried = 0, n_covers = 0, level = 0;
  i32 rarest[MAX_ACTIONS], chosen[MAX_ACTIONS];
  auto start = [&](i32 at) {
    // The object or cell of what is left that the fewest rows have.
    const u64* set = left + (i64)at * lesson.n_all;
    i32 found = -1;
    for (i32 word = 0; word < lesson.n_all; word++)
      for (u64 bits = set[word]; bits; bits &= bits - 1) {
        const i32 k = 64 * word + lowest_bit64(bits);
        if (found < 0 || lesson.counts[k] < lesson.counts[found]) found = k;
      }
    rarest[at] = found;
    chosen[at] = -1;
  };
  start(0);
  while (level >= 0) {
    const u64 bit = 1ULL << rarest[level] % 64;
    const i32 word = rarest[level] / 64;
    i32 r = chosen[level] + 1;
    while (r < lesson.n_rows && !(lesson.sets[(i64)r * lesson.n_all + word] & bit)) r++;
    if (r == lesson.n_rows) {
      level--;
      continue;
    }
    chosen[level] = r;
    if (++n_tried > MAX_TRIED) return n_best;
    const u64 *set = lesson.sets + (i64)r * lesson.n_all, *now = left + (i64)level * lesson.n_all;
    u64* rest = left + (i64)(level + 1) * lesson.n_all;
    u64 any = 0;
    for (i32 k = 0; k < lesson.n_all; k++) any |= rest[k] = now[k] & ~set[k];
    if (level + 1 == n_actions) {
      if (any) continue;
      if (n_covers++ == MAX_COVERS) return n_best;
      try_cover(lesson, segments, chosen, n_actions, best, n_best);
    } else if (any) {
      start(++level);
    }
  }
  return n_best;
}

// Tries the rows that each have the most of what those before it leave, which is overwritten.
ARC_FN i32 try_greedy_cover(const Lesson& lesson, i32 segments, u64* left, i32* best) {
  i32 chosen[MAX_GREEDY_ACTIONS], n_chosen = 0, n_best = 0;
  for (;;) {
    u64 any = 0;
    for (i32 k = 0; k < lesson.n_all; k++) any |= left[k];
    if (!any) break;
    if (n_chosen == MAX_GREEDY_ACTIONS) return 0;
    i32 most = -1;
    for (i32 r = 0; r < lesson.n_rows; r++) {
      i32 count = 0;
      for (i32 k = 0; k < lesson.n_all; k++) count += count_set(left[k] & lesson.sets[(i64)r * lesson.n_all + k]);
      if (count <= most) continue;
      most = count;
      chosen[n_chosen] = r;
    }
    const u64* set = lesson.sets + (i64)chosen[n_chosen++] * lesson.n_all;
    for (i32 k = 0; k < lesson.n_all; k++) left[k] &= ~set[k];
  }
  try_cover(lesson, segments, chosen, n_chosen, best, n_best);
  return n_best;
}

ARC_NOINLINE i32 find_rules(Lesson& lesson, i32 segments, u64* left, i32* best) {
  for (i32 k = 0; k < 64 * lesson.n_all; k++) lesson.counts[k] = 0;
  for (i32 r = 0; r < lesson.n_rows; r++)
    for (i32 word = 0; word < lesson.n_all; word++)
      for (u64 bits = lesson.sets[(i64)r * lesson.n_all + word]; bits; bits &= bits - 1)
        lesson.counts[64 * word + lowest_bit64(bits)]++;
  for (i32 k = 0; k < lesson.n_all; k++) {
    const i32 n_here = k < lesson.n_words ? min_of(64, lesson.n - 64 * k) : lesson.n_new[k - lesson.n_words];
    left[k] = n_here == 64 ? ~0ULL : (1ULL << n_here) - 1;
  }
  for (i32 n_actions = 1; n_actions <= MAX_ACTIONS; n_actions++) {
    const i32 n = try_covers(lesson, segments, n_actions, left, best);
    if (n) return n;
  }
  return try_greedy_cover(lesson, segments, left, best);
}

// Labels and lists the objects of scenes, of which there may be so many; charges for them. OK, or why not.
ARC_FN Reason make_stages(Lane& lane, Lesson& lesson, i32 segments) {
  i64 n_cells = 0;
  for (i32 d = 0; d < lesson.n_demos; d++) {
    n_cells += lesson.stages[d].grid.n_cells();
    lesson.most_cells = max_of(lesson.most_cells, lesson.stages[d].grid.n_cells());
  }
  i32* labels = lane.allocate_array<i32>(n_cells);
  Place* places = lane.allocate_array<Place>(n_cells);
  lesson.room.marks = lane.allocate_array<u8>(lesson.most_cells);
  lesson.room.queue = lane.allocate_array<Place>(lesson.most_cells);
  if (!labels || !places || !lesson.room.marks || !lesson.room.queue) return OVER_BUDGET;
  const i64 n = serial([&]() {
    i64 offset = 0, n = 0;
    bool too_many = false;
    for (i32 d = 0; d < lesson.n_demos; d++) {
      Stage& stage = lesson.stages[d];
      stage.labels = labels + offset;
      stage.places = places + offset;
      label_stage(stage, segments, lesson.room.queue);
      too_many |= stage.n > MAX_OBJECTS;
      n += stage.n;
      offset += stage.grid.n_cells();
    }
    return too_many || n > MAX_OBJECTS_IN_ALL ? (i64)-1 : n;
  });
  if (n < 0) return EMPTY;
  lesson.n = (i32)n;
  Thing* things = lane.allocate_array<Thing>(n);
  if (!things) return OVER_BUDGET;
  const i64 work = serial([&]() {
    i64 first = 0, sum = 0;
    for (i32 d = 0; d < lesson.n_demos; d++) {
      lesson.stages[d].things = things + first;
      sum += list_things(lesson.stages[d]);
      first += lesson.stages[d].n;
    }
    return sum;
  });
  return lane.charge((u64)work) ? OK : OVER_BUDGET;
}

ARC_NOINLINE Reason learn(Lane& lane, const Value& demos, i32 segments, i32* best, i32& n_best) {
  if (!demos.n) return EMPTY;
  bool changes = false, other_background = false;
  for (u32 d = 0; d < demos.n; d++) {
    const Scene given = demo_side(demos, d, 0), wanted = demo_side(demos, d, 1);
    if (!same_size(given, wanted)) return EMPTY;
    changes = changes || any(given.n_cells(), [&](i64 k) { return given.cells[k] != wanted.cells[k]; });
  }
  if (!changes) return EMPTY;
  if (segments >= N_SEGMENTATIONS) {
    for (u32 d = 0; d < demos.n; d++) other_background |= background_of(demo_side(demos, d, 0), 0) != 0;
    if (!other_background) return EMPTY;
  }
  Lesson lesson;
  lesson.n_demos = (i32)demos.n;
  lesson.stages = lane.allocate_array<Stage>(demos.n);
  if (!lesson.stages) return OVER_BUDGET;
  Stage* stages = lesson.stages;
  each(demos.n, [=](i64 d) {
    stages[d].grid = demo_side(demos, d, 0);
    stages[d].wanted = demo_side(demos, d, 1);
  });
  const Reason made = make_stages(lane, lesson, segments);
  if (made != OK) return made;
  if (!lesson.n) return EMPTY;
  if (!lane.charge((u64)lesson.n * N_TRIED)) return OVER_BUDGET;
  const i64 n = lesson.n;
  lesson.n_words = (lesson.n + 63) / 64;
  lesson.n_all = lesson.n_words + lesson.n_demos;
  lesson.tried = lane.allocate_array<i32>(N_TRIED);
  lesson.n_new = lane.allocate_array<i32>(lesson.n_demos);
  lesson.agreeing = lane.allocate_array<u16>(N_TRIED * n);
  lesson.drawing = lane.allocate_array<u64>(N_TRIED * n);
  lesson.described = lane.allocate_array<i32>(N_FEATURES * n);
  lesson.new_cells = lane.allocate_array<i32>(lesson.most_cells);
  lesson.shown = lane.allocate_array<u8>(lesson.most_cells);
  lesson.drawn_grid = lane.allocate_array<i32>(lesson.most_cells);
  if (lane.exhausted) return OVER_BUDGET;
  if (!serial([&]() { return (i64)look_at_demos(lesson); })) return EMPTY;
  lesson.rows = lane.allocate_array<Row>(MAX_ROWS);
  lesson.sets = lane.allocate_array<u64>((u64)MAX_ROWS * lesson.n_all);
  lesson.busy = lane.allocate_array<u64>((u64)MAX_ROWS * lesson.n_words);
  lesson.slots = lane.allocate_array<i32>(N_ROW_SLOTS);
  lesson.values = lane.allocate_array<i32>(n);
  lesson.counts = lane.allocate_array<i32>(64 * (u64)lesson.n_all);
  u64* left = lane.allocate_array<u64>((u64)(MAX_ACTIONS + 1) * lesson.n_all);
  if (lane.exhausted) return OVER_BUDGET;
  lesson.n_rows = (i32)serial([&]() {
    make_rows(lesson);
    return (i64)lesson.n_rows;
  });
  const i64 n_questions = serial([&]() { return count_questions(lesson); });
  lesson.questions = lane.allocate_array<i32>(3 * (u64)n_questions);
  lesson.holding = lane.allocate_array<u64>((u64)n_questions * lesson.n_words);
  if (lane.exhausted) return OVER_BUDGET;
  n_best = (i32)serial([&]() {
    make_questions(lesson);
    return (i64)find_rules(lesson, segments, left, best);
  });
  return n_best ? OK : EMPTY;
}

ARC_NOINLINE Reason apply(Lane& lane, const i32* rules, const Value& grid, i32* to) {
  Lesson lesson;
  lesson.n_demos = 1;
  lesson.stages = lane.allocate_array<Stage>(1);
  if (!lesson.stages) return OVER_BUDGET;
  Stage* stage = lesson.stages;
  serial([&]() {
    stage->grid = stage->wanted = scene_of(grid);
    return 0;
  });
  const Reason made = make_stages(lane, lesson, rules[0]);
  if (made != OK) return made;
  i32* described = lane.allocate_array<i32>((u64)N_FEATURES * lesson.n);
  if (!described) return OVER_BUDGET;
  const i64 acted = serial([&]() {
    find_references(*stage);
    describe_things(*stage, described, lesson.room);
    return (i64)act(*stage, rules, described, lesson.room, to);
  });
  return acted ? OK : EMPTY;
}

}  // namespace actions

ARC_FN Value prim_learn_actions(Lane& lane, const Value* a) {
  if (!are_color_demos(a[0])) return fail(WRONG_TYPE);
  ARC_ALLOCATE(rules, i32, actions::MAX_RULES);
  const Scratch scratch(lane);
  i32 n = 0;
  const Reason why = actions::learn(lane, a[0], (i32)a[1].number, rules, n);
  scratch.give_back(lane);
  return why == OK ? ints_value(INTS, rules, (u32)n) : fail(why);
}

ARC_FN Value prim_apply_actions(Lane& lane, const Value* a) {
  const Value rules = a[0], grid = a[1];
  if (rules.kind != INTS && rules.kind != PAIR && !(rules.kind == TUPLE && rules.n == 0))
    return fail(WRONG_TYPE);
  if (!is_color_grid(grid)) return fail(WRONG_TYPE);
  if (rules.kind != INTS || !actions::are_rules(rules.ints, rules.n)) return fail(OUT_OF_RANGE);
  ARC_ALLOCATE(to, i32, (u64)grid.n * (u64)width_of(grid));
  const Scratch scratch(lane);
  const Reason why = actions::apply(lane, rules.ints, grid, to);
  scratch.give_back(lane);
  return why == OK ? grid_value(to, grid.n, (u32)width_of(grid)) : fail(why);
}

}  // namespace arc
