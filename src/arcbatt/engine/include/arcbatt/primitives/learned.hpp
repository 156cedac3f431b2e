// What the demos teach: as language/primitives/learned.py.
#pragma once
#include "../observations.hpp"
#include "grids.hpp"

namespace arc {

// --- the roles of colours ---

constexpr int N_MEASURES = 6 + 9 + 8;

// What a scene's colours measure; nothing of colours that it lacks.
struct Measures {
  u32 colors = 0;
  i32 numbers[10][N_MEASURES];
};

// How many cells of other colours the n cells of a colour keep from the edge. All of them lie in the colour's
// box, from one corner to the other: from outside of it the edge is reached straight away.
ARC_FN i32 n_enclosed(const Scene& scene, i32 color, i32 n, Place from, Place to, i32* labels, Place* places) {
  const i32 height = to.row - from.row + 1, width = to.column - from.column + 1;
  if (n < 4 || height < 3 || width < 3 || n == height * width) return 0;
  const i32* cells = scene.cells + (i64)from.row * scene.width + from.column;
  for (i32 i = 0; i < height; i++)
    for (i32 j = 0; j < width; j++) labels[i * width + j] = cells[(i64)i * scene.width + j] == color;
  const i32 n_reached = reach_from_edge(height, width, places, [&](i32 k) {
    if (labels[k]) return false;
    labels[k] = 1;
    return true;
  });
  return height * width - n - n_reached;
}

// Counts the parts of each colour but black, whose cells may touch by corners: add(color, 1) where one begins,
// add(color, -1) where two turn out to be one.
template <class Add>
ARC_FN void count_parts(const Scene& scene, i32* parents, Add add) {
  const i32 width = scene.width, *cells = scene.cells;
  i32 k = 0;
  for (i32 i = 0; i < scene.n_rows; i++)
    for (i32 j = 0; j < width; j++, k++) {
      const i32 color = cells[k];
      if (color == 0) continue;
      // The one above touches all others that come before; the two on the left touch each other.
      if (i && cells[k - width] == color) {
        parents[k] = parents[k - width];
        continue;
      }
      const bool above_right = i && j + 1 < width && cells[k - width + 1] == color;
      const bool before = j && cells[k - 1] == color, above_left = i && j && cells[k - width - 1] == color;
      const i32 left = before ? k - 1 : above_left ? k - width - 1 : -1;
      parents[k] = above_right ? parents[k - width + 1] : left >= 0 ? parents[left] : k;
      if (!above_right && left < 0) add(color, 1);
      if (above_right && left >= 0 && join_parts(parents, k, left)) add(color, -1);
    }
}

// Measures the colours of a scene that are not in `without`.
ARC_FN void measure_colors(const Scene& scene, u32 without, i32* labels, Place* places, Measures& m) {
  const i64 n = scene.n_cells(), n_rows = scene.n_rows, width = scene.width;
  m.colors = 0;
  for (i64 k = 0; k < n; k++) m.colors |= 1u << scene.cells[k];
  m.colors &= ~without;
  for (int c = 0; c < 10; c++)
    for (int k = 0; k < N_MEASURES; k++) m.numbers[c][k] = 0;
  for (i32 i = 0; i < n_rows; i++) {
    // Of each colour the first and the last cell of the row reach furthest.
    const i32* row = scene.cells + i * width;
    i32 first[10], last[10];
    u32 colors = 0;
    for (i32 j = (i32)width - 1; j >= 0; j--) first[row[j]] = j;
    for (i32 j = 0; j < width; j++) {
      last[row[j]] = j;
      m.numbers[row[j]][0]++;
      colors |= 1u << row[j];
    }
    const i32 down = i + 1, up = (i32)n_rows - i;
    for (; colors; colors &= colors - 1) {
      const int c = lowest_bit(colors);
      const i32 right = last[c] + 1, left = (i32)width - first[c];
      const i32 reaches[8] = {right,        left,          down,         up,
                              down + right - 1, up + left - 1, down + left - 1, up + right - 1};
      i32* most = m.numbers[c] + 15;
      for (int k = 0; k < 8; k++) most[k] = max_of(most[k], reaches[k]);
    }
  }
  count_parts(scene, labels, [&](i32 color, i32 more) { m.numbers[color][2] += more; });
  for (int c = 0; c < 10; c++) {
    if (!(m.colors >> c & 1)) continue;
    i32* numbers = m.numbers[c];
    const i32 right = numbers[15] - 1, left = (i32)width - numbers[16];
    const i32 bottom = numbers[17] - 1, top = (i32)n_rows - numbers[18];
    numbers[4] = n_enclosed(scene, c, numbers[0], {top, left}, {bottom, right}, labels, places);
    for (int k = 0; k < 6; k += 2) numbers[k + 1] = -numbers[k];
    if (c > 0) numbers[5 + c] = 1;
  }
}

// The colour for which a measure is greatest, the lowest of several; there must be one.
ARC_FN int take_color(const Measures& m, int measure) {
  int best = lowest_bit(m.colors);
  for (u32 others = m.colors & (m.colors - 1); others; others &= others - 1) {
    const int c = lowest_bit(others);
    if (m.numbers[c][measure] > m.numbers[best][measure]) best = c;
  }
  return best;
}

struct Ratio {
  i64 part, whole;
  ARC_FN bool operator<(const Ratio& other) const { return part * other.whole < other.part * whole; }
};
ARC_FN Ratio margin_of(const Measures& m, int measure) {
  i64 first = m.numbers[lowest_bit(m.colors)][measure];
  u32 others = m.colors & (m.colors - 1);
  if (!others) return {first != 0, 1};
  i64 second = -((i64)1 << 40);
  for (; others; others &= others - 1) {
    const i64 number = m.numbers[lowest_bit(others)][measure];
    second = max_of(second, min_of(first, number));
    first = max_of(first, number);
  }
  if (first == second) return {0, 1};
  return {first - second, (first < 0 ? -first : first) + (second < 0 ? -second : second)};
}

// What is learnt of the demos: the fixed colours and the measures that tell further roles.
struct RoleRule {
  u32 fixed = 1;
  i32 n = 0;
  i32 measures[10];
};

ARC_FN u32 colors_of(const Scene& scene) {
  u32 colors = 0;
  for (i64 k = 0; k < scene.n_cells(); k++) colors |= 1u << scene.cells[k];
  return colors;
}

// Learns the rule; `all` has room for the demos' measures.
ARC_FN void learn_roles(const Value& demos, Measures* all, i32* labels, Place* places, RoleRule& rule) {
  const i64 n = demos.n;
  u32 in_any = 0, in_all = ~0u, out_any = 0, out_first = 0;
  bool one_out = true;
  for (i64 k = 0; k < n; k++) {
    const u32 given = colors_of(demo_side(demos, k, 0)), wanted = colors_of(demo_side(demos, k, 1));
    in_any |= given;
    in_all &= given;
    out_any |= wanted;
    if (k == 0) out_first = wanted;
    one_out &= wanted == out_first;
  }
  rule.fixed = 1;
  rule.n = 0;
  if (n) rule.fixed |= (out_any & ~in_any) | (in_all & ~out_any) | (one_out ? out_first : 0);
  for (i64 k = 0; k < n; k++) measure_colors(demo_side(demos, k, 0), rule.fixed, labels, places, all[k]);
  for (;;) {
    int best = -1;
    Ratio best_margin = {0, 1};
    for (int measure = 0; measure < N_MEASURES; measure++) {
      Ratio worst = {-1, 1};
      for (i64 k = 0; k < n; k++) {
        if (!all[k].colors) continue;
        const Ratio margin = margin_of(all[k], measure);
        if (worst.part < 0 || margin < worst) worst = margin;
        if (!(best_margin < worst)) break;  // it gets no better
      }
      if (best_margin < worst) {
        best = measure;
        best_margin = worst;
      }
    }
    if (best < 0) return;
    rule.measures[rule.n++] = best;
    for (i64 k = 0; k < n; k++)
      if (all[k].colors) all[k].colors &= ~(1u << take_color(all[k], best));
  }
}

// For each role the colour of a scene that has it.
ARC_FN void find_roles(const RoleRule& rule, const Scene& scene, Measures& m, i32* labels, Place* places,
                       i32* roles) {
  measure_colors(scene, rule.fixed, labels, places, m);
  int n = 0;
  u32 used = rule.fixed;
  for (int c = 0; c < 10; c++)
    if (rule.fixed >> c & 1) roles[n++] = c;
  for (int k = 0; k < rule.n; k++) {
    const int measure = rule.measures[k];
    int color = -1;
    if (measure >= 6 && measure < 15) {
      if (!(used >> (measure - 5) & 1)) color = measure - 5;
    } else if (m.colors) {
      color = take_color(m, measure);
    }
    roles[n++] = color;
    if (color < 0) continue;
    used |= 1u << color;
    m.colors &= ~(1u << color);
  }
  while (n < 10) roles[n++] = -1;
  for (int k = 0; k < 10; k++) {
    if (roles[k] >= 0) continue;
    roles[k] = lowest_bit(m.colors ? m.colors : ~used);
    used |= 1u << roles[k];
    m.colors &= ~(1u << roles[k]);
  }
}

// tables := the roles in all demos' inputs, or, where there is one, in the grid; 10 numbers each, from roles
// to colours, or with `inverse` from colours to roles. False when memory ran out.
ARC_NOINLINE bool role_tables(Lane& lane, const Value& demos, const Value* grid, bool inverse, i32* tables) {
  i64 most = grid ? (i64)grid->n * width_of(*grid) : 0;
  for (i64 k = 0; k < (i64)demos.n; k++) most = max_of(most, demo_side(demos, k, 0).n_cells());
  Measures* all = lane.allocate_array<Measures>(demos.n + 1);
  i32* labels = lane.allocate_array<i32>(most);
  Place* places = lane.allocate_array<Place>(most);
  if (!all || !labels || !places) return false;
  serial([&]() {
    RoleRule rule;
    learn_roles(demos, all, labels, places, rule);
    for (i64 k = 0; k < (grid ? 1 : (i64)demos.n); k++) {
      i32 roles[10];
      const Scene scene = grid ? scene_of(*grid) : demo_side(demos, k, 0);
      find_roles(rule, scene, all[demos.n], labels, places, roles);
      for (int role = 0; role < 10; role++)
        tables[10 * k + (inverse ? roles[role] : role)] = inverse ? role : roles[role];
    }
    return 0;
  });
  return true;
}

ARC_FN Value renamed(Lane& lane, const Value& grid, const i32* names) {
  const i64 n = (i64)grid.n * width_of(grid);
  ARC_ALLOCATE(to, i32, n);
  const i32* from = grid.ints;
  each(n, [=](i64 k) { to[k] = names[from[k]]; });
  return grid_value(to, grid.n, (u32)width_of(grid));
}
ARC_FN Value renamed_by_roles(Lane& lane, const Value& demos, const Value& grid, const Value& shown,
                              bool inverse) {
  ARC_ALLOCATE(names, i32, 10);
  const Scratch scratch(lane);
  const bool done = role_tables(lane, demos, &grid, inverse, names);
  scratch.give_back(lane);
  return done ? renamed(lane, shown, names) : fail(OVER_BUDGET);
}

// Demos made of others: make(k, side, grid) for the input and the output of each, in this order.
template <class Make>
ARC_FN Value demos_by(Lane& lane, const Value& demos, Make make) {
  ARC_NEW_MEMBERS(pairs, demos.n);
  for (u32 k = 0; k < demos.n; k++) {
    ARC_NEW_MEMBERS(sides, 2);
    for (u32 side = 0; side < 2; side++) {
      const Value grid = make(k, side, demos.members()[k].members()[side]);
      if (grid.failed()) return grid;
      sync();
      if (thread_index() == 0) sides[side] = grid;
      sync();
    }
    const Value pair = tuple_of(lane, sides, 2);
    if (pair.failed()) return pair;
    sync();
    if (thread_index() == 0) pairs[k] = pair;
    sync();
  }
  return tuple_of(lane, pairs, demos.n);
}

ARC_FN Value prim_role_demos(Lane& lane, const Value* a) {
  const Value demos = a[0];
  if (!are_color_demos(demos)) return fail(WRONG_TYPE);
  ARC_ALLOCATE(names, i32, 10 * (u64)demos.n);
  const Scratch scratch(lane);
  const bool done = role_tables(lane, demos, nullptr, true, names);
  scratch.give_back(lane);
  if (!done) return fail(OVER_BUDGET);
  return demos_by(lane, demos, [&](u32 k, u32, const Value& grid) {
    return renamed(lane, grid, names + 10 * k);
  });
}
ARC_FN Value prim_to_roles(Lane& lane, const Value* a) {
  if (!are_color_demos(a[0]) || !is_color_grid(a[1])) return fail(WRONG_TYPE);
  return renamed_by_roles(lane, a[0], a[1], a[1], true);
}
ARC_FN Value prim_from_roles(Lane& lane, const Value* a) {
  if (!are_color_demos(a[0]) || !is_color_grid(a[1]) || !is_color_grid(a[2])) return fail(WRONG_TYPE);
  return renamed_by_roles(lane, a[0], a[1], a[2], false);
}

// --- outputs ---

ARC_FN Value prim_other_output(Lane& lane, const Value* a) {
  const Value demos = a[0];
  const i64 k = a[1].number;
  if (k < 0 || k >= (i64)demos.n) return fail(OUT_OF_RANGE);
  if (!are_color_demos(demos) || !is_color_grid(a[2])) return fail(WRONG_TYPE);
  const Value demo = demos.members()[k];
  const Value wanted = demo.members()[1];
  if (!equal(demo.members()[0], a[2])) return wanted;
  const i64 n = (i64)wanted.n * width_of(wanted);
  ARC_ALLOCATE(blank, i32, n);
  each(n, [=](i64 c) { blank[c] = 0; });
  return grid_value(blank, wanted.n, (u32)width_of(wanted));
}

// --- cells ---

// Learns from a lesson's demos and writes what becomes of the grid's cells; in one thread.
ARC_NOINLINE Reason learn_cells(const Lesson& lesson, const Cutting& cutting, const Seeing& seeing,
                                Book& book, i64 code, i32* to) {
  const bool relative = code >= N_PLAIN_SIGHTS;
  u32 known = 0, changing = 0;
  for (i64 d = 0; d < lesson.n_demos; d++) {
    const i32 *given = lesson.scenes[d].cells, *wanted = lesson.wanted[d].cells;
    for (i64 k = 0; k < lesson.scenes[d].n_cells(); k++) {
      known |= 1u << given[k];
      changing |= (u32)(given[k] != wanted[k]) << given[k];
    }
  }
  book.clear();
  for (i64 s = 0; s < lesson.n_scenes; s++) {
    const Scene scene = lesson.scenes[s];
    const bool is_last = s == lesson.n_scenes - 1;
    const i64 first = cutting.n ? cutting.firsts[s] : 0, after = cutting.n ? cutting.firsts[s + 1] : 0;
    look_at_scene(scene, cutting.regions + first, after - first, code, seeing);
    const i32* wanted = is_last ? nullptr : lesson.wanted[s].cells;
    i64 k = 0;
    for (i64 i = 0; i < scene.n_rows; i++)
      for (i64 j = 0; j < scene.width; j++, k++) {
        const u32 own = (u32)scene.cells[k];
        // What never changes cannot contradict itself: it need not be looked up.
        if (!relative && known >> own & 1 && !(changing >> own & 1)) {
          if (is_last) to[k] = (i32)own;
          continue;
        }
        u8 order[10];
        const u64 key =
            relative ? relative_key(scene, seeing, code, i, j, order) : plain_key(scene, seeing, code, i, j);
        const u64 slot = book.slot_of(key);
        i32& value = book.values[slot];
        if (!is_last) {
          // A colour; or one of those seen, by its number, and from 10 on a colour.
          i32 becomes = wanted[k];
          if (relative) {
            i32 n_colors = 0;  // those in `order`: the greatest number
            for (u64 rest = key; rest; rest >>= 4)
              if ((rest & 15) != OUTSIDE_COLOR) n_colors = max_of(n_colors, (i32)(rest & 15));
            i32 source = 10 + becomes;
            for (i32 c = 0; c < n_colors; c++)
              if (order[c] == becomes) source = c;
            becomes = source;
          }
          if (value < 0) {
            book.keys[slot] = key;
            value = becomes;
          } else if (value != becomes) {
            return EMPTY;
          }
        } else if (value >= 0) {
          to[k] = !relative ? value : value < 10 ? order[value] : value - 10;
        } else if (relative && !(changing >> own & 1)) {
          to[k] = (i32)own;
        } else {
          return EMPTY;
        }
      }
  }
  return OK;
}

ARC_FN Reason learn_cells_in(Lane& lane, const Value* a, i64 code, i32* to) {
  const Lesson lesson = lesson_of(lane, a[0], a[1], false);
  if (!lesson.scenes) return OVER_BUDGET;
  if (!lesson.n_demos) return EMPTY;
  Cutting cutting;
  if (cut_for_sight(code) >= 0) {
    cutting = cut_lesson(lane, lesson, cut_for_sight(code));
    if (!cutting.regions) return OVER_BUDGET;
  }
  const Seeing seeing = new_seeing(lane, lesson, code);
  Book book = new_book(lane, lesson.n_cells);
  if (!seeing.columns || !book.keys) return OVER_BUDGET;
  return (Reason)serial([&]() { return (i64)learn_cells(lesson, cutting, seeing, book, code, to); });
}
ARC_FN Value prim_learn_cells(Lane& lane, const Value* a) {
  const i64 code = a[2].number;
  if (!are_color_demos(a[0]) || !is_color_grid(a[1])) return fail(WRONG_TYPE);
  ARC_ALLOCATE(to, i32, (u64)a[1].n * (u64)width_of(a[1]));
  const Scratch scratch(lane);
  const Reason why = learn_cells_in(lane, a, code, to);
  scratch.give_back(lane);
  return why == OK ? grid_value(to, a[1].n, (u32)width_of(a[1])) : fail(why);
}

// --- objects ---

// Each of these learns from a lesson whose parts have their keys, and writes what becomes of the grid;
// in one thread.

ARC_FN Reason learn_objects(const Lesson& lesson, const Cutting& cutting, Book& book, i32* to) {
  // For each key what its objects may have become: bit 0 stands for staying, 1 + c for colour c.
  book.clear();
  for (i64 d = 0; d < lesson.n_demos; d++) {
    const Scene given = lesson.scenes[d], wanted = lesson.wanted[d];
    i64 n_changed = 0;
    for (i64 k = 0; k < given.n_cells(); k++) n_changed += given.cells[k] != wanted.cells[k];
    for (i64 r = cutting.firsts[d]; r < cutting.firsts[d + 1]; r++) {
      const Region& region = cutting.regions[r];
      u32 colors = 0;
      i64 changed_here = 0;
      for (i32 k = 0; k < region.size; k++) {
        const i32 color = wanted.cell(region.places[k].row, region.places[k].column);
        colors |= 1u << color;
        changed_here += color != region.color(region.places[k]);
      }
      n_changed -= changed_here;
      u32 options = (colors & (colors - 1) ? 0 : colors << 1) | (changed_here == 0);
      const u64 slot = book.slot_of(region.key);
      if (book.values[slot] >= 0) options &= (u32)book.values[slot];
      if (!options) return EMPTY;
      book.keys[slot] = region.key;
      book.values[slot] = (i32)options;
    }
    if (n_changed) return EMPTY;  // beside the objects
  }
  const Scene grid = lesson.scenes[lesson.n_scenes - 1];
  for (i64 k = 0; k < grid.n_cells(); k++) to[k] = grid.cells[k];
  for (i64 r = cutting.firsts[lesson.n_scenes - 1]; r < cutting.n; r++) {
    const Region& region = cutting.regions[r];
    const i32 options = book.values[book.slot_of(region.key)];
    if (options < 0) return EMPTY;
    if (options & 1) continue;
    const i32 color = lowest_bit((u32)options) - 1;
    for (i32 k = 0; k < region.size; k++)
      to[(i64)region.places[k].row * grid.width + region.places[k].column] = color;
  }
  return OK;
}

ARC_FN bool shows(const Region& region, const Scene& wanted) {
  if (region.height() != wanted.n_rows || region.width() != wanted.width) return false;
  for (i64 i = 0; i < wanted.n_rows; i++)
    for (i64 j = 0; j < wanted.width; j++)
      if (region.scene->cell(region.top + i, region.left + j) != wanted.cell(i, j)) return false;
  return true;
}

enum ObjectLesson { COLORS, PICK };

// Makes the result in `to`, which has room for the grid; `size` gets the rows and columns of it.
ARC_NOINLINE Reason learn_objects_in(Lane& lane, const Value* a, ObjectLesson what, i32* to, Place& size) {
  const Lesson lesson = lesson_of(lane, a[0], a[1], what == PICK);
  if (!lesson.scenes) return OVER_BUDGET;
  if (!lesson.n_demos) return EMPTY;
  const Cutting cutting = cut_lesson(lane, lesson, (int)a[2].number);
  if (!cutting.regions) return OVER_BUDGET;
  const Describing describing = new_describing(lane, lesson, cutting);
  Book book = new_book(lane, cutting.n);
  i32* counts = lane.allocate_array<i32>(book.n_slots);
  if (!describing.slots || !book.keys || !counts) return OVER_BUDGET;
  const i64 feature = a[3].number;
  serial([&]() {
    describe(lesson, cutting, describing, feature);
    return 0;
  });
  size = {(i32)a[1].n, (i32)width_of(a[1])};
  if (what == COLORS) return (Reason)serial([&]() { return (i64)learn_objects(lesson, cutting, book, to); });
  const i64 picked = serial([&]() {
    auto key = [&](i64 r) { return cutting.regions[r].key; };
    auto is_wanted = [&](i64 d, i64 r) { return shows(cutting.regions[r], lesson.wanted[d]); };
    return pick_alike(lesson.n_demos, cutting.firsts, key, is_wanted, book, counts);
  });
  if (picked < 0) return EMPTY;
  const Region region = cutting.regions[picked];
  const i32* from = a[1].ints;
  const i64 width = width_of(a[1]), top = region.top, left = region.left, wide = region.width();
  each_in_grid(region.height(), wide,
               [=](i64 i, i64 j) { to[i * wide + j] = from[(top + i) * width + left + j]; });
  size = {(i32)region.height(), (i32)wide};
  return OK;
}

ARC_FN Value learn_by_objects(Lane& lane, const Value* a, ObjectLesson what) {
  if (!are_color_demos(a[0]) || !is_color_grid(a[1])) return fail(WRONG_TYPE);
  ARC_ALLOCATE(to, i32, (u64)a[1].n * (u64)width_of(a[1]));
  const Scratch scratch(lane);
  Place size = {0, 0};
  const Reason why = learn_objects_in(lane, a, what, to, size);
  scratch.give_back(lane);
  return why == OK ? grid_value(to, (u32)size.row, (u32)size.column) : fail(why);
}
ARC_FN Value prim_learn_objects(Lane& lane, const Value* a) { return learn_by_objects(lane, a, COLORS); }
ARC_FN Value prim_pick_object(Lane& lane, const Value* a) { return learn_by_objects(lane, a, PICK); }

}  // namespace arc
