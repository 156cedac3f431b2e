// Sheets that lie over each other; documented in language/learners/layers.py.
#include <bitset>

#include "demo_grids.hpp"
#include "parts.hpp"

namespace arc {
namespace {

constexpr size_t MAX_SHEETS = 12;
constexpr u64 STEPS_PER_CELL = 32;
constexpr i32 THICK = 2;

// Cells of a grid, numbered row by row in rows of MAX_SIDE cells.
typedef std::bitset<(size_t)(MAX_SIDE * MAX_SIDE)> Cells;

size_t number_of(i32 i, i32 j) { return (size_t)(i * MAX_SIDE + j); }

struct Box {
  i32 top = MAX_SIDE, left = MAX_SIDE, bottom = -1, right = -1;

  void add(i32 i, i32 j) {
    top = std::min(top, i);
    left = std::min(left, j);
    bottom = std::max(bottom, i);
    right = std::max(right, j);
  }
};

template <class Visit>
void for_each_cell(const Cells& cells, Visit visit) {
  for (size_t k = cells._Find_first(); k < cells.size(); k = cells._Find_next(k))
    visit((i32)k / MAX_SIDE, (i32)k % MAX_SIDE);
}
Box box_of(const Cells& cells) {
  Box box;
  for_each_cell(cells, [&](i32 i, i32 j) { box.add(i, j); });
  return box;
}

// --- whole sheets ---

// The cells of a box for which the predicate holds.
template <class Holds>
Cells cells_in(const Box& box, Holds holds) {
  Cells cells;
  for (i32 i = box.top; i <= box.bottom; i++)
    for (i32 j = box.left; j <= box.right; j++)
      if (holds(i, j)) cells[number_of(i, j)] = true;
  return cells;
}
Cells frame(const Box& box, i32 thickness) {
  return cells_in(box, [&](i32 i, i32 j) {
    return std::min({i - box.top, box.bottom - i, j - box.left, box.right - j}) < thickness;
  });
}
// The diagonal through all cells, from their first row to their last; none if they lie on several.
Cells diagonal(const Cells& seen, const Box& box, i32 slope) {
  i32 first = 0;
  bool is_first = true, is_one = true;
  for_each_cell(seen, [&](i32 i, i32 j) {
    if (is_first) first = j - slope * i;
    is_first = false;
    is_one &= j - slope * i == first;
  });
  return is_one ? cells_in(box, [&](i32 i, i32 j) { return j - slope * i == first; }) : Cells();
}
Cells with_mirrors(const Cells& seen, const Box& box, bool sideways, bool upright) {
  Cells cells = seen;
  for_each_cell(seen, [&](i32 i, i32 j) {
    const i32 other_row = upright ? box.top + box.bottom - i : i, other_column = sideways ? box.left + box.right - j : j;
    cells[number_of(i, other_column)] = cells[number_of(other_row, j)] = cells[number_of(other_row, other_column)] = true;
  });
  return cells;
}
// The cells between the first and the last one of each row or column.
Cells spans(const Cells& seen, const Box& box, bool of_rows, bool of_columns) {
  Box by_row[MAX_SIDE], by_column[MAX_SIDE];
  for_each_cell(seen, [&](i32 i, i32 j) {
    by_row[i].add(i, j);
    by_column[j].add(i, j);
  });
  return cells_in(box, [&](i32 i, i32 j) {
    return (of_rows && by_row[i].left <= j && j <= by_row[i].right) ||
           (of_columns && by_column[j].top <= i && i <= by_column[j].bottom);
  });
}

// The forms of a whole sheet, the likeliest first. A sheet whose visible cells have one of the first N_COMPLETE is
// complete.
constexpr int N_SHAPES = 11, SYMMETRIC = 5, N_COMPLETE = 6;
Cells shape(const Cells& seen, const Box& box, int k) {
  switch (k) {
    case 0: return frame(box, 1);
    case 1: return diagonal(seen, box, 1);
    case 2: return diagonal(seen, box, -1);
    case 3: return frame(box, THICK);
    case 4: return frame(box, MAX_SIDE);
    case SYMMETRIC: return with_mirrors(seen, box, true, true);
    case 6: return with_mirrors(seen, box, true, false);
    case 7: return with_mirrors(seen, box, false, true);
    case 8: return spans(seen, box, true, true);
    case 9: return spans(seen, box, true, false);
    default: return spans(seen, box, false, true);
  }
}

// The first shape that contains what is seen and is hidden elsewhere by other sheets.
Cells whole_of(const Cells& seen, bool is_connected, const Cells& painted) {
  const Box box = box_of(seen);
  Cells first = seen;
  for (int k = 0; k < N_SHAPES; k++) {
    const Cells whole = shape(seen, box, k);
    // Parts on both sides of what hides their middle are symmetric, too.
    if (k < (is_connected ? N_COMPLETE : SYMMETRIC) && whole == seen) return seen;
    if (first == seen && (seen & ~whole).none() && (whole & ~painted).none()) first = whole;
  }
  return first;
}

struct Sheet {
  i32 color = 0;
  Cells seen, whole;
  bool is_covered = false, covers = false;
};

// --- sheets in their order ---

enum Which { ALL, OVERLAPPING, TOP, NOT_TOP, BOTTOM, NOT_BOTTOM, COVERED, COMPLETE, COVERING, NOT_COVERING, MIDDLE, N_WHICH };

struct Stack {
  Scene scene;
  std::vector<Sheet> sheets;  // the lowest first; empty unless some sheet covers another

  Stack(const Scene& of, i64 code) : scene(of) {
    if (std::max(of.n_rows, of.width) > MAX_SIDE) return;
    const Parts parts(scene, code ? BY_COLOR_8 : WHOLE_COLORS);
    if (parts.size() > MAX_SHEETS) return;
    Cells painted;
    std::vector<Sheet> found;
    for (const Part& part : parts) {
      Sheet sheet;
      sheet.color = part.color(*part.begin());
      for (const Place& at : part) sheet.seen[number_of(at.row, at.column)] = true;
      painted |= sheet.seen;
      found.push_back(sheet);
    }
    i32 n_parts[10] = {};
    for (const Part& part : Parts(scene, BY_COLOR_8)) n_parts[part.color(*part.begin())]++;
    for (Sheet& sheet : found) sheet.whole = whole_of(sheet.seen, code || n_parts[sheet.color] == 1, painted);
    put_in_order(found);
  }

  bool is_in(const Sheet& sheet, int which) const {
    switch (which) {
      case ALL: return true;
      case OVERLAPPING: return sheet.covers || sheet.is_covered;
      case TOP: return sheet.covers && !sheet.is_covered;
      case NOT_TOP: return !sheet.covers || sheet.is_covered;
      case BOTTOM: return sheet.is_covered && !sheet.covers;
      case NOT_BOTTOM: return !sheet.is_covered || sheet.covers;
      case COVERED: return sheet.is_covered;
      case COMPLETE: return !sheet.is_covered;
      case COVERING: return sheet.covers;
      case NOT_COVERING: return !sheet.covers;
      default: return sheet.covers && sheet.is_covered;
    }
  }

 private:
  // Takes the first sheet that covers none of those that are left, again and again. Keeps no sheet if some cover each
  // other in a circle, or if none covers another.
  void put_in_order(std::vector<Sheet>& found) {
    const size_t n = found.size();
    std::vector<bool> is_taken(n);
    const auto covers = [&](size_t a, size_t b) { return a != b && (found[b].whole & found[a].seen).any(); };
    for (size_t a = 0; a < n; a++)
      for (size_t b = 0; b < n; b++)
        if (covers(a, b)) found[a].covers = found[b].is_covered = true;
    while (sheets.size() < n) {
      size_t next = n;
      for (size_t a = 0; a < n && next == n; a++) {
        bool is_lowest = !is_taken[a];
        for (size_t b = 0; b < n && is_lowest; b++) is_lowest = is_taken[b] || !covers(a, b);
        if (is_lowest) next = a;
      }
      if (next == n) break;
      is_taken[next] = true;
      sheets.push_back(found[next]);
    }
    const bool overlap = std::any_of(found.begin(), found.end(), [](const Sheet& each) { return each.covers; });
    if (sheets.size() < n || !overlap) sheets.clear();
  }
};

// --- outputs ---

enum Form {
  COLORS_ALONG, COLORS_ALONG_BACK, COLORS_DOWN, COLORS_DOWN_BACK,
  NESTED, NESTED_BACK, NESTED_AROUND_FOUR, NESTED_AROUND_FOUR_BACK,
  KEPT, CROPPED, CUT_OUT, COLOR, ALL_PAINTED, IN_FRONT, REVERSED, MARKED,
  N_FORMS = MARKED + 10  // one for each color
};

struct LayerRule {
  int form = 0, which = 0;
};

void draw(Drawing& on, const Sheet& sheet) {
  for_each_cell(sheet.whole, [&](i32 i, i32 j) { on.cell(i, j) = sheet.color; });
}
Drawing cropped(const Drawing& from, const Box& box) {
  const i32 n_rows = box.bottom - box.top + 1, width = box.right - box.left + 1;
  Drawing to(n_rows, width);
  for (i32 i = 0; i < n_rows; i++)
    for (i32 j = 0; j < width; j++) to.cell(i, j) = from.cell(box.top + i, box.left + j);
  return to;
}
// A list of colors as a row, a column, or squares within each other, the first outermost; the last has 1 or 4 cells.
Drawing list_of(const std::vector<i32>& colors, int form) {
  const i32 n = (i32)colors.size();
  if (form < NESTED) {
    Drawing list = form < COLORS_DOWN ? Drawing(1, n) : Drawing(n, 1);
    list.cells = colors;
    return list;
  }
  const i32 side = 2 * (n - 1) + (form < NESTED_AROUND_FOUR ? 1 : 2);
  if (side > MAX_SIDE) return {};
  Drawing squares(side, side);
  for (i32 i = 0; i < side; i++)
    for (i32 j = 0; j < side; j++)
      squares.cell(i, j) = colors[(size_t)std::min({i, j, side - 1 - i, side - 1 - j})];
  return squares;
}

// Returns the output by a rule; it is empty if the rule gives none.
Drawing output_of(const Stack& stack, const LayerRule& rule) {
  std::vector<const Sheet*> chosen;
  std::vector<i32> colors;
  Cells whole, seen;
  for (const Sheet& sheet : stack.sheets) {
    if (!stack.is_in(sheet, rule.which)) continue;
    chosen.push_back(&sheet);
    colors.push_back(sheet.color);
    whole |= sheet.whole;
    seen |= sheet.seen;
  }
  if (chosen.empty()) return {};
  const bool is_one_color = std::count(colors.begin(), colors.end(), colors[0]) == (i64)colors.size();
  Drawing kept(stack.scene.n_rows, stack.scene.width), copy(stack.scene);
  switch (rule.form) {
    case COLORS_ALONG_BACK:
    case COLORS_DOWN_BACK:
    case NESTED_BACK:
    case NESTED_AROUND_FOUR_BACK: std::reverse(colors.begin(), colors.end()); [[fallthrough]];
    case COLORS_ALONG:
    case COLORS_DOWN:
    case NESTED:
    case NESTED_AROUND_FOUR: return list_of(colors, rule.form);
    case KEPT:
    case CROPPED:
      for (const Sheet* sheet : chosen) draw(kept, *sheet);
      return rule.form == KEPT ? kept : cropped(kept, box_of(whole));
    case CUT_OUT: return cropped(copy, box_of(whole));
    case COLOR:
    case ALL_PAINTED:
      if (!is_one_color) return {};
      if (rule.form == COLOR) return list_of({colors[0]}, COLORS_ALONG);
      for (i32& cell : copy.cells) cell = cell ? colors[0] : 0;
      return copy;
    case IN_FRONT:
      for (const Sheet& sheet : stack.sheets)
        if (!stack.is_in(sheet, rule.which)) draw(kept, sheet);
      for (const Sheet* sheet : chosen) draw(kept, *sheet);
      return kept;
    case REVERSED:
      for (size_t k = stack.sheets.size(); k-- > 0;) draw(kept, stack.sheets[k]);
      return kept;
    default:
      for_each_cell(seen, [&](i32 i, i32 j) { copy.cell(i, j) = rule.form - MARKED; });
      return copy;
  }
}

// Whether a form is made of some of the sheets; a list and the reversed order are also made of all of them.
bool has_choice(int form, int which) {
  if (form == REVERSED) return which == ALL;
  return form < KEPT ? which == ALL || which == OVERLAPPING : which > OVERLAPPING;
}

u64 cost_of(const Value& demos) {
  u64 n = 0;
  for (u32 d = 0; d < demos.n; d++) n += (u64)demo_side(demos, d, 0).n_cells();
  return STEPS_PER_CELL * n;
}

bool learn(const Value& demos, i64 code, LayerRule& rule) {
  std::vector<Stack> stacks;
  for (u32 d = 0; d < demos.n; d++) {
    stacks.emplace_back(demo_side(demos, d, 0), code);
    if (stacks.back().sheets.empty()) return false;
  }
  for (rule.form = 0; rule.form < N_FORMS; rule.form++)
    for (rule.which = 0; rule.which < N_WHICH; rule.which++) {
      if (!has_choice(rule.form, rule.which)) continue;
      u32 d = 0;
      while (d < demos.n && output_of(stacks[d], rule).shows(demo_side(demos, d, 1))) d++;
      if (d == demos.n) return true;
    }
  return false;
}

ARC_IMPLEMENT(learn_layers) {
  if (!are_color_grids(args[0], args[1])) return fail(WRONG_TYPE);
  if (!args[0].n) return fail(EMPTY);
  ARC_CHARGE(cost_of(args[0]));
  LayerRule rule;
  if (!learn(args[0], args[2].number, rule)) return fail(EMPTY);
  const Drawing output = output_of(Stack(scene_of(args[1]), args[2].number), rule);
  if (output.cells.empty()) return fail(EMPTY);
  return cells_value(lane, output.cells, output.width);
}

// Returns the form of the output, and the sheets it is made of.
ARC_RULE(learn_layers) {
  LayerRule rule;
  if (!args[0].n || !learn(args[0], args[2].number, rule)) return fail(EMPTY);
  return tuple_value(lane, {number(rule.form), number(rule.which)});
}

}  // namespace
}  // namespace arc
