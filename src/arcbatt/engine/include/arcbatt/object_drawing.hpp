// What objects draw, by number: as language/primitives/object_drawing.py.
#pragma once
#include "object_stages.hpp"

namespace arc {
namespace actions {

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

}  // namespace actions
}  // namespace arc
