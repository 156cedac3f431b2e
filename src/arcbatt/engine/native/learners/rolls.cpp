// Grids whose lines are rolled or sheared; documented in language/learners/rolls.py.
#include "demo_grids.hpp"

namespace arc {
namespace {

constexpr i32 MAX_STEP = 3;
constexpr u64 STEPS_PER_CELL = 64;
enum RollForm { ROLLED, SHEARED };
enum MarkedLine { NO_LINE, FIRST_LINE, LAST_LINE };

// Which column marks a row and which row marks a column, and whether lines are rolled back by the place of the mark.
struct Roll {
  int column = NO_LINE, row = NO_LINE;
  bool rows_back = false, columns_back = false;
};
// Whether columns move instead of rows, how far each further than the one before, and whether the last one stays.
struct Shear {
  bool is_upright = false;
  i32 step = 1;
  bool from_last = false;
};

// The place of the only color that differs from all others, which are equal; -1 if there is none.
template <class ColorAt>
i32 find_mark(i32 length, ColorAt color_at) {
  if (length < 3) return -1;
  const i32 color = color_at(0) == color_at(1) ? color_at(0) : color_at(2);
  i32 mark = -1;
  for (i32 k = 0; k < length; k++)
    if (color_at(k) != color) {
      if (mark >= 0) return -1;
      mark = k;
    }
  return mark;
}

// How far the rows and columns of a grid are rolled, without the lines that have the marks.
struct Turns {
  i32 down = 0, across = 0;
};
// Returns false if a mark is missing.
bool roll(const Scene& scene, const Roll& rule, Drawing& to, Turns& turns) {
  const i32 top = rule.row == FIRST_LINE, left = rule.column == FIRST_LINE;
  const i32 n_rows = scene.n_rows - (rule.row != NO_LINE), width = scene.width - (rule.column != NO_LINE);
  if (n_rows < 1 || width < 1) return false;
  if (rule.column != NO_LINE) {
    const i32 column = left ? 0 : scene.width - 1;
    turns.down = find_mark(n_rows, [&](i32 i) { return scene.cell(i + top, column); });
  }
  if (rule.row != NO_LINE) {
    const i32 row = top ? 0 : scene.n_rows - 1;
    turns.across = find_mark(width, [&](i32 j) { return scene.cell(row, j + left); });
  }
  if (turns.down < 0 || turns.across < 0) return false;
  to.blank(n_rows, width);
  for (i32 i = 0; i < n_rows; i++)
    for (i32 j = 0; j < width; j++) {
      const i32 row = (i + (rule.rows_back ? n_rows - turns.down : turns.down)) % n_rows;
      const i32 column = (j + (rule.columns_back ? width - turns.across : turns.across)) % width;
      to.cell(row, column) = scene.cell(i + top, j + left);
    }
  return true;
}

// Returns false if the result would be too large.
bool shear(const Scene& scene, const Shear& rule, Drawing& to) {
  const i32 n_lines = rule.is_upright ? scene.width : scene.n_rows, growth = rule.step * (n_lines - 1);
  const i32 n_rows = scene.n_rows + (rule.is_upright ? growth : 0), width = scene.width + (rule.is_upright ? 0 : growth);
  if (std::max(n_rows, width) > MAX_SIDE) return false;
  to.blank(n_rows, width);
  for (i32 i = 0; i < scene.n_rows; i++)
    for (i32 j = 0; j < scene.width; j++) {
      const i32 line = rule.is_upright ? j : i;
      const i32 moved = rule.step * (rule.from_last ? n_lines - 1 - line : line);
      const i32 row = i + (rule.is_upright ? moved : 0), column = j + (rule.is_upright ? 0 : moved);
      to.cell(row, column) = scene.cell(i, j);
    }
  return true;
}

bool learn_roll(const DemoGrids& grids, Roll& rule) {
  for (rule.column = NO_LINE; rule.column <= LAST_LINE; rule.column++)
    for (rule.row = NO_LINE; rule.row <= LAST_LINE; rule.row++) {
      if (rule.column == NO_LINE && rule.row == NO_LINE) continue;
      for (int ways = 0; ways < 4; ways++) {
        rule.rows_back = ways & 1;
        rule.columns_back = ways & 2;
        bool fits = true, goes_down = rule.column == NO_LINE, goes_across = rule.row == NO_LINE;
        for (size_t d = 0; fits && d < grids.n_demos(); d++) {
          Drawing drawn;
          Turns turns;
          fits = roll(grids.inputs[d], rule, drawn, turns) && drawn.shows(grids.outputs[d]);
          goes_down |= turns.down > 0;
          goes_across |= turns.across > 0;
        }
        if (fits && goes_down && goes_across) return true;
      }
    }
  return false;
}

bool learn_shear(const DemoGrids& grids, Shear& rule) {
  for (const bool is_upright : {false, true})
    for (rule.step = 1; rule.step <= MAX_STEP; rule.step++)
      for (const bool from_last : {false, true}) {
        rule.is_upright = is_upright;
        rule.from_last = from_last;
        bool fits = true, moves = false;
        for (size_t d = 0; fits && d < grids.n_demos(); d++) {
          Drawing drawn;
          fits = shear(grids.inputs[d], rule, drawn) && drawn.shows(grids.outputs[d]);
          moves |= (is_upright ? grids.inputs[d].width : grids.inputs[d].n_rows) > 1;
        }
        if (fits && moves) return true;
      }
  return false;
}

u64 cost_of(const DemoGrids& grids) {
  u64 n = 0;
  for (const Scene& input : grids.inputs) n += (u64)input.n_cells();
  return STEPS_PER_CELL * n;
}

ARC_IMPLEMENT(learn_rolls) {
  if (!are_color_grids(args[0], args[1])) return fail(WRONG_TYPE);
  if (!args[0].n) return fail(EMPTY);
  const DemoGrids grids = read_demos(args[0], args[1], false);
  ARC_CHARGE(cost_of(grids));
  Drawing drawn;
  Turns turns;
  Roll roll_rule;
  Shear shear_rule;
  const bool is_drawn = args[2].number == ROLLED
                            ? learn_roll(grids, roll_rule) && roll(grids.grid(), roll_rule, drawn, turns)
                            : learn_shear(grids, shear_rule) && shear(grids.grid(), shear_rule, drawn);
  return is_drawn ? cells_value(lane, drawn.cells, drawn.width) : fail(EMPTY);
}

// Returns (marked column, marked row, rows back, columns back), or (upright, step, from the last line).
ARC_RULE(learn_rolls) {
  const DemoGrids grids = read_demos(args[0], args[1], false);
  Roll rolled;
  Shear sheared;
  if (args[2].number == ROLLED) {
    if (!learn_roll(grids, rolled)) return fail(EMPTY);
    return numbers_value(lane, std::vector<int>{rolled.column, rolled.row, rolled.rows_back, rolled.columns_back});
  }
  if (!learn_shear(grids, sheared)) return fail(EMPTY);
  return numbers_value(lane, std::vector<int>{sheared.is_upright, sheared.step, sheared.from_last});
}

}  // namespace
}  // namespace arc
