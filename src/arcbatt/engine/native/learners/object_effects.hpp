// Effects of objects: moves, turns, additions and paints, as defined in language/primitives/object_effects.py, which
// also declares the codes.
#pragma once
#include "grid_objects.hpp"

namespace arc {
namespace actions {

constexpr i32 OWN_COLORS = -1, NO_PAINT = -2;  // instead of a color
constexpr i32 N_STEPS = 2 * MAX_STEP + 1;

// The effects that learning tries, in order.
inline std::vector<i32> tried_effects() {
  std::vector<i32> tried;
  for (i32 effect = 0; effect < JOIN; effect++) tried.push_back(effect);
  for (i32 down = -MAX_STEP; down <= MAX_STEP; down++)
    for (i32 along = -MAX_STEP; along <= MAX_STEP; along++) {
      const i32 longest = std::max(std::abs(down), std::abs(along));
      if ((down == 0) != (along == 0) || (longest > 0 && longest <= MAX_OBLIQUE_STEP))
        tried.push_back(BY_CONSTANT + (down + MAX_STEP) * N_STEPS + along + MAX_STEP);
    }
  for (i32 effect = TO_OTHER; effect < BY_CONSTANT; effect++) tried.push_back(effect);
  tried.push_back(JOIN);
  tried.push_back(JOIN_OWN);
  return tried;
}

inline i32 reference_of(i32 effect) {
  return effect >= TO_OTHER && effect < BY_CONSTANT ? (effect - TO_OTHER) / N_WAYS : -1;
}
// Returns whether the object stays and something is added on the background.
inline bool is_addition(i32 effect) {
  if (effect >= HOLES && effect < TO_OTHER) return true;
  return effect >= TO_OTHER && effect < BY_CONSTANT && (effect - TO_OTHER) % N_WAYS == LINE;
}

// Up, down, left, right; then the corners, row by row.
constexpr Place DIRECTIONS[8] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
// Bits of the directions of each set of rays.
constexpr u8 RAY_SETS[] = {1, 2, 4, 8, 12, 3, 15}, DIAGONAL_SETS[] = {16, 32, 64, 128, 240};

struct Motion {
  i32 down = 0, along = 0, turn = 0;
};

inline i32 sign_of(i32 x) { return (x > 0) - (x < 0); }

// The number of steps that an object can go before another object or the edge is in its way.
inline i32 n_free_steps(const SegmentedGrid& in, const GridObject& own, const Place& direction) {
  for (i32 n = 1;; n++)
    for (const Place& at : own) {
      const i32 i = at.row + n * direction.row, j = at.column + n * direction.column;
      if (!in.grid.has(i, j)) return n - 1;
      if (in.label(i, j) >= 0 && in.label(i, j) != own.label) return n - 1;
    }
}
// The steps that an object can go until it would hit another; -1 if it never does.
inline i32 n_steps_to(const SegmentedGrid& in, const GridObject& own, const GridObject& other, const Place& direction) {
  for (i32 n = 1;; n++) {
    bool is_inside = false;
    for (const Place& at : own) {
      const i32 i = at.row + n * direction.row, j = at.column + n * direction.column;
      if (!in.grid.has(i, j)) continue;
      is_inside = true;
      if (in.label(i, j) == other.label) return n - 1;
    }
    if (!is_inside) return -1;
  }
}

// Finds how an object moves relative to another; false if it cannot.
inline bool find_motion_to(const SegmentedGrid& in, const GridObject& own, const GridObject& other, i32 way,
                           Motion& motion) {
  const i32 twice_down = other.top + other.bottom - own.top - own.bottom;
  const i32 twice_along = other.left + other.right - own.left - own.right;
  const bool is_even_down = twice_down % 2 == 0, is_even_along = twice_along % 2 == 0;
  const Place heading = {own.shares_rows(other) ? 0 : sign_of(other.top - own.top),
                         own.shares_columns(other) ? 0 : sign_of(other.left - own.left)};
  const bool is_apart = heading.row || heading.column;
  switch (way) {
    case TOWARDS: {
      const i32 n = is_apart ? n_steps_to(in, own, other, heading) : -1;
      motion = {n * heading.row, n * heading.column};
      return n >= 0;
    }
    case AWAY: {
      i32 n = 1 << 20;
      if (heading.row) n = std::min(n, heading.row < 0 ? in.grid.n_rows - 1 - own.bottom : own.top);
      if (heading.column) n = std::min(n, heading.column < 0 ? in.grid.width - 1 - own.right : own.left);
      motion = {-n * heading.row, -n * heading.column};
      return is_apart;
    }
    case TOP: motion = {other.top - own.top, 0}; return true;
    case BOTTOM: motion = {other.bottom - own.bottom, 0}; return true;
    case LEFT_SIDE: motion = {0, other.left - own.left}; return true;
    case RIGHT_SIDE: motion = {0, other.right - own.right}; return true;
    case MIDDLE_ROW: motion = {twice_down / 2, 0}; return is_even_down;
    case MIDDLE_COLUMN: motion = {0, twice_along / 2}; return is_even_along;
    case ONTO: motion = {other.top - own.top, other.left - own.left}; return true;
    case CENTER: motion = {twice_down / 2, twice_along / 2}; return is_even_down && is_even_along;
    case OVER_SIDEWAYS: motion = {0, twice_along, 2}; return true;
    case OVER_UPRIGHT: motion = {twice_down, 0, 1}; return true;
    default: motion = {twice_down, twice_along, 3}; return true;
  }
}
// Finds how an object moves; false if it cannot.
inline bool find_motion(const SegmentedGrid& in, const GridObject& own, i32 effect, Motion& motion) {
  motion = {};
  if (effect == STAY) return true;
  if (effect < TO_EDGE) {
    const Place direction = DIRECTIONS[effect - SLIDE];
    const i32 n = n_free_steps(in, own, direction);
    motion = {n * direction.row, n * direction.column};
  } else if (effect < BY_SIZE) {
    const Motion motions[4] = {
        {-own.top, 0}, {in.grid.n_rows - 1 - own.bottom, 0}, {0, -own.left}, {0, in.grid.width - 1 - own.right}};
    motion = motions[effect - TO_EDGE];
  } else if (effect < TURN) {
    const Place direction = DIRECTIONS[effect - BY_SIZE];
    motion = {direction.row * own.height(), direction.column * own.width()};
  } else if (effect < HOLES) {
    motion.turn = effect - TURN + 1;
    return motion.turn < 4 || own.height() == own.width();
  } else if (effect >= BY_CONSTANT) {
    motion = {(effect - BY_CONSTANT) / N_STEPS - MAX_STEP, (effect - BY_CONSTANT) % N_STEPS - MAX_STEP};
  } else {
    const i32 other = own.references[reference_of(effect)];
    return other >= 0 && find_motion_to(in, own, in.objects[other], (effect - TO_OTHER) % N_WAYS, motion);
  }
  return true;
}

// Calls see(i, j) for the places where something is added, including those outside the grid and on objects.
template <class F>
void each_added(const SegmentedGrid& in, const GridObject& own, i32 effect, F see) {
  const Scene& grid = in.grid;
  // Calls see_place(i, j) for the places of a ray, as long as they are in the grid and `is_open`; returns the first
  // place that is not.
  auto shoot = [&](const Place& from, const Place& direction, auto is_open, auto see_place) {
    Place at = {from.row + direction.row, from.column + direction.column};
    for (; grid.has(at.row, at.column) && is_open(at); at.row += direction.row, at.column += direction.column)
      see_place(at.row, at.column);
    return at;
  };
  auto is_free = [&](const Place& at) { return in.label(at.row, at.column) < 0; };
  if (effect == HOLES) {
    const std::vector<u8> marks = mark_holes(own);
    const i32 width = own.width();
    for (i32 k = 0; k < own.area(); k++)
      if (marks[k] == 1) see(own.top + k / width, own.left + k % width);
  } else if (effect == BOX) {
    for (i32 i = own.top; i <= own.bottom; i++)
      for (i32 j = own.left; j <= own.right; j++) see(i, j);
  } else if (effect == RING) {
    for (i32 i = own.top - 1; i <= own.bottom + 1; i++) {
      see(i, own.left - 1);
      see(i, own.right + 1);
    }
    for (i32 j = own.left; j <= own.right; j++) {
      see(own.top - 1, j);
      see(own.bottom + 1, j);
    }
  } else if (effect == JOIN || effect == JOIN_OWN) {
    for (const Place& from : own)
      for (int d = 0; d < 4; d++) {
        const Place end = shoot(from, DIRECTIONS[d], is_free, [](i32, i32) {});
        if (!grid.has(end.row, end.column) || in.label(end.row, end.column) == own.label) continue;
        if (effect == JOIN_OWN && in.cell(end) != own.main) continue;
        shoot(from, DIRECTIONS[d], is_free, see);
      }
  } else if (effect < TO_OTHER) {
    const bool through = effect >= THROUGH;
    const u32 set = effect < DIAGONALS ? RAY_SETS[effect - RAYS]
                    : through          ? RAY_SETS[effect - THROUGH]
                                       : DIAGONAL_SETS[effect - DIAGONALS];
    for (const Place& from : own)
      for (int d = 0; d < 8; d++)
        if (set >> d & 1) shoot(from, DIRECTIONS[d], [&](const Place& at) { return through || is_free(at); }, see);
  } else {
    const i32 number = own.references[reference_of(effect)];
    if (number < 0 || !own.faces(in.objects[number])) return;
    const GridObject& other = in.objects[number];
    i32 top = std::max(own.top, other.top), bottom = std::min(own.bottom, other.bottom);
    i32 left = std::max(own.left, other.left), right = std::min(own.right, other.right);
    // The cells between the two boxes, in the rows or columns that they share.
    if (own.shares_rows(other))
      std::tie(left, right) = std::make_pair(right + 1, left - 1);
    else
      std::tie(top, bottom) = std::make_pair(bottom + 1, top - 1);
    for (i32 i = top; i <= bottom; i++)
      for (i32 j = left; j <= right; j++) see(i, j);
  }
}

// Calls see(i, j, color) for the cells that an object draws in its own colors, as long as that returns true; returns
// false if the object cannot have the effect.
template <class F>
bool each_drawn(const SegmentedGrid& in, const GridObject& own, i32 effect, F see) {
  if (effect == VANISH) return true;
  if (is_addition(effect)) {
    bool continues = true;
    each_added(in, own, effect, [&](i32 i, i32 j) {
      if (continues && in.grid.has(i, j) && in.label(i, j) < 0) continues = see(i, j, own.main);
    });
    return true;
  }
  Motion motion;
  if (!find_motion(in, own, effect, motion)) return false;
  bool is_visible = false;
  for (const Place& from : own) {
    const Place at = own.turned(from, motion.turn);
    const i32 i = at.row + motion.down, j = at.column + motion.along;
    if (!in.grid.has(i, j)) continue;
    is_visible = true;
    if (!see(i, j, in.cell(from))) return true;
  }
  return is_visible;
}

// The color of a paint, or OWN_COLORS or NO_PAINT.
inline i32 color_of_paint(const SegmentedGrid& in, const GridObject& own, i32 paint) {
  if (paint == OWN) return OWN_COLORS;
  if (paint < OF_OTHER) return paint - OF_COLOR;
  const i32 number = own.references[paint - OF_OTHER];
  return number < 0 ? NO_PAINT : in.objects[number].main;
}

}  // namespace actions
}  // namespace arc
