// Grids as panels of one size: as language/primitives/panels.py.
#pragma once
#include "classes.hpp"

namespace arc {

// --- layouts ---

enum LayoutCode { BY_LINES, BY_GAPS, SIDEWAYS, UPRIGHT, QUARTERS, SQUARES };
constexpr i64 MAX_FOLDED = 9;

struct Layout {
  i32 n_rows, n_columns, height, width, line_color;
  i32 rows[MAX_PANELS], columns[MAX_PANELS];

  ARC_FN i64 n() const { return (i64)n_rows * n_columns; }
};

// Where what lies between lines begins, all of one length, and that; how many they are, 0 where lengths
// differ or they are too many.
template <class F>
ARC_FN i32 find_runs(i32 n, F is_line, i32* starts, i32& length) {
  i32 n_runs = 0;
  length = 0;
  for (i32 k = 0; k < n;) {
    if (is_line(k)) {
      k++;
      continue;
    }
    const i32 start = k;
    while (k < n && !is_line(k)) k++;
    if ((n_runs && k - start != length) || n_runs == MAX_PANELS) return 0;
    length = k - start;
    starts[n_runs++] = start;
  }
  return n_runs;
}

ARC_FN bool is_row_of(const Scene& scene, i32 i, i32 color) {
  for (i32 j = 0; j < scene.width; j++)
    if (scene.cell(i, j) != color) return false;
  return true;
}
ARC_FN bool is_column_of(const Scene& scene, i32 j, i32 color) {
  for (i32 i = 0; i < scene.n_rows; i++)
    if (scene.cell(i, j) != color) return false;
  return true;
}

ARC_FN bool lay_between_lines(const Scene& scene, i32 color, Layout& layout) {
  auto is_row = [&](i32 i) { return is_row_of(scene, i, color); };
  auto is_column = [&](i32 j) { return is_column_of(scene, j, color); };
  layout.line_color = color;
  layout.n_rows = find_runs(scene.n_rows, is_row, layout.rows, layout.height);
  layout.n_columns = find_runs(scene.width, is_column, layout.columns, layout.width);
  return layout.n() >= 2 && layout.n() <= MAX_PANELS;
}

// Whether a grid has such panels.
ARC_FN bool lay_out(const Scene& scene, i64 how, Layout& layout) {
  if (how == BY_LINES) {
    for (i32 color = 1; color < 10; color++)
      if (lay_between_lines(scene, color, layout)) return true;
    return false;
  }
  if (how == BY_GAPS) return lay_between_lines(scene, 0, layout);
  layout.line_color = 0;
  if (how == SQUARES) {
    const i32 side = min_of(scene.n_rows, scene.width), longer = max_of(scene.n_rows, scene.width);
    if (longer % side || longer == side || longer / side > MAX_PANELS) return false;
    layout.height = layout.width = side;
    layout.n_rows = scene.n_rows / side;
    layout.n_columns = scene.width / side;
    for (i32 k = 0; k < layout.n_rows; k++) layout.rows[k] = k * side;
    for (i32 k = 0; k < layout.n_columns; k++) layout.columns[k] = k * side;
    return true;
  }
  layout.n_rows = how == SIDEWAYS ? 1 : 2;
  layout.n_columns = how == UPRIGHT ? 1 : 2;
  layout.height = scene.n_rows / layout.n_rows;
  layout.width = scene.width / layout.n_columns;
  layout.rows[0] = layout.columns[0] = 0;
  layout.rows[1] = scene.n_rows - layout.height;
  layout.columns[1] = scene.width - layout.width;
  return layout.height > 0 && layout.width > 0;
}

// The grids of a lesson laid out, the one it is for last.
struct PanelLesson {
  Scene* scenes = nullptr;
  Scene* wanted = nullptr;
  Layout* layouts = nullptr;
  Windows windows;
  i64 n_demos = 0;

  ARC_FN const Window* panels(i64 grid) const { return windows.windows + windows.firsts[grid]; }
  ARC_FN const u64* keys(i64 grid) const { return windows.keys + windows.firsts[grid]; }
  ARC_FN const Layout& own() const { return layouts[n_demos]; }
};
// Fills in a lesson about panels; the reason why not.
ARC_NOINLINE Reason panel_lesson(Lane& lane, const Value* a, i64 how, PanelLesson& lesson) {
  const Lesson plain = lesson_of(lane, a[0], a[1], true);
  if (!plain.scenes) return OVER_BUDGET;
  const i64 n_grids = plain.n_scenes;
  lesson.scenes = plain.scenes;
  lesson.wanted = plain.wanted;
  lesson.n_demos = plain.n_demos;
  lesson.layouts = lane.allocate_array<Layout>(n_grids);
  if (!lesson.layouts) return OVER_BUDGET;
  const i64 n_panels = serial([&]() {
    i64 n = 0;
    for (i64 g = 0; g < n_grids; g++) {
      if (!lay_out(lesson.scenes[g], how, lesson.layouts[g])) return (i64)-1;
      n += lesson.layouts[g].n();
    }
    return n;
  });
  if (n_panels < 0) return EMPTY;
  lesson.windows = new_windows(lane, n_grids, n_panels, plain.most_cells);
  if (!lesson.windows.places) return OVER_BUDGET;
  serial([&]() {
    Windows& all = lesson.windows;
    i64 n = 0;
    for (i64 g = 0; g < n_grids; g++) {
      const Layout& layout = lesson.layouts[g];
      const Scene& scene = lesson.scenes[g];
      all.firsts[g] = n;
      for (i32 row = 0; row < layout.n_rows; row++)
        for (i32 column = 0; column < layout.n_columns; column++) {
          const i32* cells = scene.cells + (i64)layout.rows[row] * scene.width + layout.columns[column];
          all.windows[n++] = {cells, layout.height, layout.width, scene.width};
        }
    }
    all.firsts[n_grids] = n;
    return 0;
  });
  return OK;
}

// Of ways that are right, as bits, the first; below 10 a place among colours, then a colour.
ARC_FN i32 first_way(i32 ways, const i32* colors) {
  const int way = lowest_bit((u32)ways);
  return way < 10 ? colors[way] : way - 10;
}
ARC_FN i32 ways_to(i32 color, const i32* colors, i64 n) {
  i32 ways = 1 << (10 + color);
  for (i64 k = 0; k < n; k++) ways |= (i32)(colors[k] == color) << k;
  return ways;
}

// --- panels over each other ---

ARC_FN u64 fold_key(const i32* colors, i64 n, i64 how) {
  u64 key = 0;
  for (i64 k = 0; k < n; k++) {
    if (how == 0) key = key << 4 | (u64)colors[k];
    if (how == 1) key = key << 1 | (u64)(colors[k] != 0);
    if (how == 2) key += colors[k] != 0;
  }
  return (u64)n << 40 | key;
}

ARC_NOINLINE Reason fold_panels(const PanelLesson& lesson, Book& book, i64 how, i32* to) {
  book.clear();
  for (i64 g = 0; g <= lesson.n_demos; g++)
    if (lesson.layouts[g].n() > MAX_FOLDED) return EMPTY;
  for (i64 g = 0; g <= lesson.n_demos; g++) {
    const Layout& layout = lesson.layouts[g];
    const Window* panels = lesson.panels(g);
    const bool is_last = g == lesson.n_demos;
    if (!is_last && (lesson.wanted[g].n_rows != layout.height || lesson.wanted[g].width != layout.width))
      return EMPTY;
    for (i32 i = 0; i < layout.height; i++)
      for (i32 j = 0; j < layout.width; j++) {
        i32 colors[MAX_FOLDED];
        for (i64 k = 0; k < layout.n(); k++) colors[k] = panels[k].cell(i, j);
        const u64 key = fold_key(colors, layout.n(), how), slot = book.slot_of(key);
        i32& ways = book.values[slot];
        if (is_last) {
          if (ways < 0) return EMPTY;
          *to++ = first_way(ways, colors);
          continue;
        }
        const i32 right = ways_to(lesson.wanted[g].cell(i, j), colors, layout.n());
        book.keys[slot] = key;
        ways = ways < 0 ? right : ways & right;
        if (!ways) return EMPTY;
      }
  }
  return OK;
}

ARC_FN Reason learn_panels_in(Lane& lane, const Value* a, i32* to, Place& size) {
  PanelLesson lesson;
  const Reason why = panel_lesson(lane, a, a[2].number, lesson);
  if (why != OK) return why;
  size = {lesson.own().height, lesson.own().width};
  i64 n = 0;
  for (i64 d = 0; d < lesson.n_demos; d++) n += (i64)lesson.layouts[d].height * lesson.layouts[d].width;
  Book book = new_book(lane, n);
  if (!book.keys) return OVER_BUDGET;
  return (Reason)serial([&]() { return (i64)fold_panels(lesson, book, a[3].number, to); });
}

// --- panels as things ---

ARC_NOINLINE Reason color_panels(const PanelLesson& lesson, Book& book, i32* to) {
  book.clear();
  for (i64 g = 0; g <= lesson.n_demos; g++) {
    const Layout& layout = lesson.layouts[g];
    const bool is_last = g == lesson.n_demos;
    if (!is_last && (lesson.wanted[g].n_rows != layout.n_rows || lesson.wanted[g].width != layout.n_columns))
      return EMPTY;
    for (i64 k = 0; k < layout.n(); k++) {
      const u64 key = lesson.keys(g)[k], slot = book.slot_of(key);
      const i32 own = main_color(lesson.panels(g)[k]);
      i32& ways = book.values[slot];
      if (is_last) {
        if (ways < 0) return EMPTY;
        to[k] = first_way(ways, &own);
        continue;
      }
      const i32 right = ways_to(lesson.wanted[g].cells[k], &own, 1);
      book.keys[slot] = key;
      ways = ways < 0 ? right : ways & right;
      if (!ways) return EMPTY;
    }
  }
  return OK;
}

ARC_FN Reason describe_panels_in(Lane& lane, const Value* a, bool picks, i32* to, Place& size) {
  PanelLesson lesson;
  if (picks && !a[0].n) return EMPTY;
  const Reason why = panel_lesson(lane, a, a[2].number, lesson);
  if (why != OK) return why;
  if (!lane.charge(cost_of_windows(lesson.windows))) return OVER_BUDGET;
  Book book = new_book(lane, lesson.windows.n());
  i32* counts = lane.allocate_array<i32>(book.n_slots);
  if (!book.keys || !counts) return OVER_BUDGET;
  serial([&]() {
    describe_windows(lesson.windows, a[3].number);
    return 0;
  });
  if (!picks) {
    size = {lesson.own().n_rows, lesson.own().n_columns};
    return (Reason)serial([&]() { return (i64)color_panels(lesson, book, to); });
  }
  const Windows& all = lesson.windows;
  const i64 picked = serial([&]() {
    auto key = [&](i64 k) { return all.keys[k]; };
    auto is_wanted = [&](i64 d, i64 k) {
      return are_equal_windows(all.windows[k], window_of(lesson.wanted[d]), false);
    };
    return pick_alike(lesson.n_demos, all.firsts, key, is_wanted, book, counts);
  });
  if (picked < 0) return EMPTY;
  size = {lesson.own().height, lesson.own().width};
  serial([&]() {
    i32* next = to;
    each_color(all.windows[picked], [&](i32 cell) { *next++ = cell; });
    return 0;
  });
  return OK;
}

// --- panels beside each other ---

// Which panel of a grid is the key: its number, -1 for all of them laid over each other, -2 where there is
// none.
ARC_FN i64 find_key(const PanelLesson& lesson, i64 grid, i64 key) {
  const Windows& all = lesson.windows;
  const i64 n = lesson.layouts[grid].n();
  if (key == 0) return 0;
  if (key == 1) return n - 1;
  if (key == 2) return -1;
  const u64 value = key % 4 == 2;  // of 6 and 10: equal to itself alone
  i64 found = -2, n_found = 0;
  for (i64 k = 0; k < n; k++) {
    if (lesson.keys(grid)[k] != value) continue;
    n_found++;
    if (found < 0) found = k;
    const Window* panels = all.windows + all.firsts[grid];
    if (!are_equal_windows(panels[found], panels[k], false)) return -2;
  }
  return n_found < n ? found : -2;
}

// Goes through the places of a grid's panels: f(place in the grid, what it is told by, colours that it may
// become), while it is true. The keys are those of the feature that tells the key; `most` has, for each
// panel of all, whether none shows more, or is null.
template <class F>
ARC_FN bool each_panel_place(const PanelLesson& lesson, i64 grid, i64 key, const u8* most, F f) {
  const Layout& layout = lesson.layouts[grid];
  const Window* panels = lesson.panels(grid);
  const bool is_map = key >= 7;
  const i64 shown = find_key(lesson, grid, key);
  if (shown == -2 || (is_map && (layout.height != layout.n_rows || layout.width != layout.n_columns)))
    return false;
  for (i64 k = 0; k < layout.n(); k++) {
    const i32 row = (i32)(k / layout.n_columns), column = (i32)(k % layout.n_columns);
    const i32 is_most = most && most[lesson.windows.firsts[grid] + k];
    const i32 color = main_color(panels[k]);
    for (i32 i = 0; i < layout.height; i++)
      for (i32 j = 0; j < layout.width; j++) {
        i32 other = 0;
        if (shown >= 0)
          other = is_map ? panels[shown].cell(row, column) : panels[shown].cell(i, j);
        else
          for (i64 m = 0; m < layout.n() && !other; m++) other = panels[m].cell(i, j);
        const i32 own = panels[k].cell(i, j);
        const i32 colors[4] = {own, other, color, layout.line_color};
        const i32 told = (own != 0) | (other != 0) << 1 | is_most << 2;
        const i64 at = (i64)(layout.rows[row] + i) * lesson.scenes[grid].width + layout.columns[column] + j;
        if (!f(at, told, colors)) return false;
      }
  }
  return true;
}

ARC_NOINLINE Reason fill_panels(const PanelLesson& lesson, i64 key, const u8* most, i32* to) {
  i32 table[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
  for (i64 d = 0; d < lesson.n_demos; d++) {
    const Scene &given = lesson.scenes[d], &wanted = lesson.wanted[d];
    if (!same_size(given, wanted)) return EMPTY;
    i64 n_changed = 0;
    for (i64 k = 0; k < given.n_cells(); k++) n_changed += given.cells[k] != wanted.cells[k];
    const bool holds = each_panel_place(lesson, d, key, most, [&](i64 at, i32 told, const i32* colors) {
      const i32 right = ways_to(wanted.cells[at], colors, 4);
      table[told] = table[told] < 0 ? right : table[told] & right;
      n_changed -= given.cells[at] != wanted.cells[at];
      return table[told] != 0;
    });
    if (!holds || n_changed) return EMPTY;
  }
  const Scene& grid = lesson.scenes[lesson.n_demos];
  for (i64 k = 0; k < grid.n_cells(); k++) to[k] = grid.cells[k];
  const bool holds =
      each_panel_place(lesson, lesson.n_demos, key, most, [&](i64 at, i32 told, const i32* colors) {
        if (table[told] < 0) return false;
        to[at] = first_way(table[told], colors);
        return true;
      });
  return holds ? OK : EMPTY;
}

ARC_FN Reason fill_panels_in(Lane& lane, const Value* a, i32* to, Place& size) {
  const i64 key = a[2].number;
  const bool is_most_told = a[3].number != 0;
  PanelLesson lesson;
  const Reason why = panel_lesson(lane, a, BY_LINES, lesson);
  if (why != OK) return why;
  if (!lane.charge(cost_of_windows(lesson.windows))) return OVER_BUDGET;
  u8* most = lane.allocate_array<u8>(lesson.windows.n());
  if (!most) return OVER_BUDGET;
  size = {(i32)a[1].n, (i32)width_of(a[1])};
  return (Reason)serial([&]() {
    if (is_most_told) {
      describe_windows(lesson.windows, 12);
      for (i64 k = 0; k < lesson.windows.n(); k++) most[k] = lesson.windows.keys[k] == 0;
    }
    // Features 12 to 15 tell keys 3 to 6, and 7 to 10.
    if (key >= 3) describe_windows(lesson.windows, 12 + (key - 3) % 4);
    return (i64)fill_panels(lesson, key, is_most_told ? most : nullptr, to);
  });
}

// --- primitives ---

enum PanelUse { FOLD, PICK_PANEL, COLOR_PANELS, FILL };

ARC_FN Value learn_by_panels(Lane& lane, const Value* a, PanelUse use) {
  if (!are_color_demos(a[0]) || !is_color_grid(a[1])) return fail(WRONG_TYPE);
  ARC_ALLOCATE(to, i32, (u64)a[1].n * (u64)width_of(a[1]));
  const Scratch scratch(lane);
  Place size = {0, 0};
  const Reason why = use == FOLD   ? learn_panels_in(lane, a, to, size)
                     : use == FILL ? fill_panels_in(lane, a, to, size)
                                   : describe_panels_in(lane, a, use == PICK_PANEL, to, size);
  scratch.give_back(lane);
  return why == OK ? grid_value(to, (u32)size.row, (u32)size.column) : fail(why);
}
ARC_FN Value prim_learn_panels(Lane& lane, const Value* a) { return learn_by_panels(lane, a, FOLD); }
ARC_FN Value prim_pick_panel(Lane& lane, const Value* a) { return learn_by_panels(lane, a, PICK_PANEL); }
ARC_FN Value prim_panel_cells(Lane& lane, const Value* a) { return learn_by_panels(lane, a, COLOR_PANELS); }
ARC_FN Value prim_fill_panels(Lane& lane, const Value* a) { return learn_by_panels(lane, a, FILL); }

}  // namespace arc
