// Cell trees: as language/primitives/cell_trees.py.
#pragma once
#include "../cell_features.hpp"
#include "grids.hpp"

namespace arc {

constexpr int MAX_TREE_ACTIONS = 8, MAX_TREE_LEVELS = 9, MAX_TREE_LEAVES = 12;
constexpr u64 TREE_STEPS_A_CELL = 64;
constexpr i32 TREE_LEAF = -1, OWN_COLOR = 10;
constexpr int N_TESTED_ALWAYS = 2;
constexpr int TREE_LOG_BITS = 10;

// What a cell may take, the simplest first: its own colour, a colour, or what a feature is.
struct TreeActions {
  i32 codes[64];
  int n = 0;

  ARC_FN explicit TreeActions(const CellFeatureTable& table) {
    codes[n++] = OWN_COLOR;
    for (i32 c = 0; c < 10; c++) codes[n++] = c;
    for (i32 k = 1; k < N_CELL_FEATURES; k++)
      if (table.traits[k] & IS_TAKEN) codes[n++] = 10 + k;
  }
};

ARC_FN bool is_tested(const CellFeatureTable& table, i32 k, i64 way, i64 part) {
  const int left_out = (way & 1 ? TURNS : 0) | (way & 2 ? NAMES : 0);
  if (table.traits[k] & left_out) return false;
  return part == 0 || k < N_TESTED_ALWAYS || mix_bits((u64)(64 * k + part)) % 2 == 0;
}
ARC_FN bool is_taken(const CellFeatureTable& table, i32 action, i64 way) {
  return action < 10 || !(way & 1) || !(table.traits[action - 10] & TURNS);
}

// log2 in parts of 1024, by squaring.
ARC_FN i64 tree_log2(u64 number) {
  int whole = 0;
  while (number >> (whole + 1)) whole++;
  u64 mantissa = number << (30 - whole);
  i64 result = whole;
  for (int k = 0; k < TREE_LOG_BITS; k++) {
    mantissa = mantissa * mantissa >> 30;
    const u64 bit = mantissa >> 31;
    mantissa >>= bit;
    result = 2 * result + (i64)bit;
  }
  return result;
}

// All cells of the demos.
struct TreeLesson {
  i64 n = 0;
  const CellFeatureTable* table = nullptr;
  const u8* columns = nullptr;  // of each feature, n
  const u8* colors = nullptr;   // that are wanted
  u64* right = nullptr;         // bits of the actions that give it
  u8* few = nullptr;            // bits of the chosen ones
  i32* order = nullptr;         // cells, those of a node side by side
  i32* spare = nullptr;
  u8* classes = nullptr;  // in that order
  i64* weighed = nullptr;  // x log2 x
  i32 actions[MAX_TREE_ACTIONS];
  int n_actions = 0;
  i32 tested[N_CELL_FEATURES];
  i32 n_tested = 0;
};

ARC_FN Reason choose_actions(TreeLesson& lesson, i64 way) {
  const TreeActions actions(*lesson.table);
  u64 allowed = 0;
  for (int a = 0; a < actions.n; a++) {
    const i32 action = actions.codes[a];
    if (!is_taken(*lesson.table, action, way)) continue;
    allowed |= 1ULL << a;
    const u8* column = action < 10 ? nullptr : lesson.columns + (i64)(action - 10) * lesson.n;
    for (i64 k = 0; k < lesson.n; k++)
      lesson.right[k] |= (u64)((column ? column[k] : action) == lesson.colors[k]) << a;
  }
  for (i64 k = 0; k < lesson.n; k++) lesson.few[k] = 0;
  for (;;) {
    i64 counts[64] = {};
    bool any_left = false;
    for (i64 k = 0; k < lesson.n; k++) {
      if (lesson.few[k]) continue;
      any_left = true;
      for (u64 bits = lesson.right[k] & allowed; bits; bits &= bits - 1) counts[lowest_bit64(bits)]++;
    }
    if (!any_left) break;
    int best = 0;
    if (lesson.n_actions || !counts[0])
      for (int a = 0; a < actions.n; a++)
        if (counts[a] > counts[best]) best = a;
    if (!counts[best] || lesson.n_actions == MAX_TREE_ACTIONS) return EMPTY;
    const int place = lesson.n_actions++;
    lesson.actions[place] = actions.codes[best];
    for (i64 k = 0; k < lesson.n; k++) lesson.few[k] |= (u8)((lesson.right[k] >> best & 1) << place);
  }
  return OK;
}

struct TreeSplit {
  i32 feature = -1, value = 0;
  i64 score = 0;
};

// classes := for each of these cells the right action that most of them may share.
ARC_FN void share_actions(const TreeLesson& lesson, i64 first, i64 end, i64* totals) {
  i64 counts[256] = {};
  u8 class_of[256] = {};
  for (i64 q = first; q < end; q++) counts[lesson.few[lesson.order[q]]]++;
  for (i64 left = end - first; left > 0;) {
    i64 shared[MAX_TREE_ACTIONS] = {};
    for (int bits = 1; bits < 256; bits++)
      for (int a = 0; counts[bits] && a < lesson.n_actions; a++) shared[a] += bits >> a & 1 ? counts[bits] : 0;
    int best = 0;
    for (int a = 1; a < lesson.n_actions; a++)
      if (shared[a] > shared[best]) best = a;
    for (int bits = 1; bits < 256; bits++)
      if (counts[bits] && bits >> best & 1) {
        class_of[bits] = (u8)best;
        counts[bits] = 0;
      }
    left -= shared[best];
  }
  for (int a = 0; a < lesson.n_actions; a++) totals[a] = 0;
  for (i64 q = first; q < end; q++) totals[lesson.classes[q] = class_of[lesson.few[lesson.order[q]]]]++;
}

ARC_FN TreeSplit best_split(const TreeLesson& lesson, i64 first, i64 end) {
  const int n_classes = lesson.n_actions;
  const i64* weighed = lesson.weighed;
  i64 totals[MAX_TREE_ACTIONS];
  share_actions(lesson, first, end, totals);
  const i64 n = end - first;
  i64 before = weighed[n];
  for (int a = 0; a < n_classes; a++) before -= weighed[totals[a]];
  TreeSplit best;
  u32 found[64][MAX_TREE_ACTIONS] = {};
  for (i32 t = 0; t < lesson.n_tested; t++) {
    const i32 feature = lesson.tested[t];
    const u8* column = lesson.columns + (i64)feature * lesson.n;
    u64 values = 0;
    for (i64 q = first; q < end; q++) {
      const u8 value = column[lesson.order[q]];
      found[value][lesson.classes[q]]++;
      values |= 1ULL << value;
    }
    const bool is_color = lesson.table->traits[feature] & IS_COLOR;
    i64 inside[MAX_TREE_ACTIONS] = {};
    while (values) {
      const int value = lowest_bit64(values);
      values &= values - 1;
      if (!is_color && !values) {
        for (int a = 0; a < n_classes; a++) found[value][a] = 0;
        break;
      }
      i64 n_inside = 0, after = 0;
      for (int a = 0; a < n_classes; a++) {
        inside[a] = found[value][a] + (is_color ? 0 : inside[a]);
        found[value][a] = 0;
        n_inside += inside[a];
        after -= weighed[inside[a]] + weighed[totals[a] - inside[a]];
      }
      after += weighed[n_inside] + weighed[n - n_inside];
      const i64 score = (before - after) * lesson.table->simplicity[feature];
      if (score <= best.score) continue;
      best.feature = feature;
      best.value = is_color ? value : (value + lowest_bit64(values)) / 2;
      best.score = score;
    }
  }
  return best;
}

// How many numbers a leaf has, which is written.
ARC_FN i64 write_leaf(i32* node, i32 action) {
  node[0] = TREE_LEAF;
  node[1] = action;
  node[2] = 0;
  return 3;
}

// A node to be grown: its cells, and the node that goes on with it where its test fails, or -1.
struct TreeTask {
  i64 first, end;
  i32 level, parent;
};

// Writes the tree; how many numbers it has, or 0 where there is none.
ARC_FN i64 grow_nodes(const TreeLesson& lesson, i32* nodes) {
  TreeTask tasks[MAX_TREE_LEVELS + 2];
  int n_tasks = 0;
  i32 n_nodes = 0, n_tests = 0, n_leaves = 0;
  tasks[n_tasks++] = {0, lesson.n, 0, -1};
  while (n_tasks) {
    const TreeTask task = tasks[--n_tasks];
    i32* node = nodes + 3 * n_nodes;
    if (task.parent >= 0) nodes[3 * task.parent + 2] = n_nodes;
    u32 fitting = 255;
    for (i64 q = task.first; q < task.end; q++) fitting &= lesson.few[lesson.order[q]];
    if (fitting) {
      if (++n_leaves > MAX_TREE_LEAVES) return 0;
      write_leaf(node, lesson.actions[lowest_bit(fitting)]);
      n_nodes++;
      continue;
    }
    if (task.level == MAX_TREE_LEVELS) return 0;
    const TreeSplit split = best_split(lesson, task.first, task.end);
    if (split.feature < 0) return 0;
    node[0] = split.feature;
    node[1] = split.value;
    node[2] = 0;
    const u8* column = lesson.columns + (i64)split.feature * lesson.n;
    const bool is_color = lesson.table->traits[split.feature] & IS_COLOR;
    i64 middle = task.first, n_others = 0;
    for (i64 q = task.first; q < task.end; q++) {
      const i32 cell = lesson.order[q];
      if (is_color ? column[cell] == split.value : column[cell] <= split.value)
        lesson.order[middle++] = cell;
      else
        lesson.spare[n_others++] = cell;
    }
    for (i64 q = 0; q < n_others; q++) lesson.order[middle + q] = lesson.spare[q];
    tasks[n_tasks++] = {middle, task.end, task.level + 1, n_nodes};
    tasks[n_tasks++] = {task.first, middle, task.level + 1, -1};
    n_nodes++;
    if (++n_tests >= MAX_TREE_LEAVES) return 0;  // there will be one leaf more
  }
  return 3 * n_nodes;
}

// Makes the tree in `to`; how many numbers it has, or 0 and why not.
ARC_NOINLINE i64 grow_tree_in(Lane& lane, const Value* a, i32* to, Reason& why) {
  const Value demos = a[0];
  const i64 way = a[1].number, part = a[2].number;
  why = OVER_BUDGET;
  i64 n = 0, most = 0;
  for (u32 d = 0; d < demos.n; d++) {
    const i64 n_cells = demo_side(demos, d, 0).n_cells();
    n += n_cells;
    most = max_of(most, n_cells);
  }
  if (!lane.require(TREE_STEPS_A_CELL / 2 * (u64)n) || !lane.charge(TREE_STEPS_A_CELL * (u64)n)) return 0;
  CellScratch scratch;
  if (!allocate_cell_scratch(lane, most, scratch)) return 0;
  const i64 area = serial([&]() {
    i64 sum = 0;
    for (u32 d = 0; d < demos.n; d++) sum += area_of_parts(demo_side(demos, d, 0), scratch);
    return sum;
  });
  if (!lane.charge((u64)area)) return 0;
  // Where nothing changes there is nothing to tell apart, and no feature is needed.
  bool changes = false;
  for (u32 d = 0; d < demos.n && !changes; d++) {
    const Scene given = demo_side(demos, d, 0), output = demo_side(demos, d, 1);
    changes = any(given.n_cells(), [&](i64 k) { return given.cells[k] != output.cells[k]; });
  }
  if (!changes) return serial([&]() { return write_leaf(to, OWN_COLOR); });
  CellFeatureTable* table = lane.allocate_array<CellFeatureTable>(1);
  TreeLesson* lesson = lane.allocate_array<TreeLesson>(1);
  u8* wanted = lane.allocate_array<u8>(N_CELL_FEATURES);
  u8* columns = lane.allocate_array<u8>((u64)N_CELL_FEATURES * (u64)n);
  u8* colors = lane.allocate_array<u8>(n);
  u64* right = lane.allocate_array<u64>(n);
  u8* few = lane.allocate_array<u8>(n);
  i32* order = lane.allocate_array<i32>(n);
  i32* spare = lane.allocate_array<i32>(n);
  u8* classes = lane.allocate_array<u8>(n);
  i64* weighed = lane.allocate_array<i64>(n + 1);
  if (!table || !lesson || !wanted || !columns || !colors || !right || !few || !order || !spare || !classes ||
      !weighed)
    return 0;
  serial([&]() {
    fill_cell_table(table);
    for (i32 k = 0; k < N_CELL_FEATURES; k++)
      wanted[k] = is_tested(*table, k, way, part) ||
                  ((table->traits[k] & IS_TAKEN) && is_taken(*table, 10 + k, way));
    i64 first = 0;
    for (u32 d = 0; d < demos.n; d++) {
      const Scene given = demo_side(demos, d, 0), output = demo_side(demos, d, 1);
      write_cell_features(given, scratch, columns + first, n, wanted, table);
      for (i64 k = 0; k < given.n_cells(); k++) colors[first + k] = (u8)output.cells[k];
      first += given.n_cells();
    }
    return 0;
  });
  why = EMPTY;
  return serial([&]() -> i64 {
    *lesson = TreeLesson();
    lesson->n = n;
    lesson->table = table;
    lesson->columns = columns;
    lesson->colors = colors;
    lesson->right = right;
    lesson->few = few;
    lesson->order = order;
    lesson->spare = spare;
    lesson->classes = classes;
    lesson->weighed = weighed;
    for (i64 k = 0; k < n; k++) {
      right[k] = 0;
      order[k] = (i32)k;
    }
    if (choose_actions(*lesson, way) != OK) return 0;
    weighed[0] = 0;
    for (i64 k = 1; k <= n; k++) weighed[k] = k * tree_log2((u64)k);
    for (i32 k = 0; k < N_CELL_FEATURES; k++) {
      if (!is_tested(*table, k, way, part)) continue;
      const u8* column = columns + (i64)k * n;
      i64 q = 1;
      while (q < n && column[q] == column[0]) q++;
      if (q < n) lesson->tested[lesson->n_tested++] = k;
    }
    return grow_nodes(*lesson, to);
  });
}

ARC_FN Value prim_grow_tree(Lane& lane, const Value* a) {
  const Value demos = a[0];
  if (!are_color_demos(demos)) return fail(WRONG_TYPE);
  if (!demos.n) return fail(EMPTY);
  for (u32 d = 0; d < demos.n; d++)
    if (!same_size(demo_side(demos, d, 0), demo_side(demos, d, 1))) return fail(EMPTY);
  ARC_ALLOCATE(nodes, i32, 3 * 2 * MAX_TREE_LEAVES);
  const Scratch scratch(lane);
  Reason why = OK;
  const i64 n = grow_tree_in(lane, a, nodes, why);
  scratch.give_back(lane);
  return n ? ints_value(INTS, nodes, (u32)n) : fail(why);
}

ARC_FN bool is_tree_node(const CellFeatureTable& table, const i32* nodes, i64 n_nodes, i64 k) {
  const i32 feature = nodes[3 * k], value = nodes[3 * k + 1], other = nodes[3 * k + 2];
  if (feature != TREE_LEAF)
    return (u32)feature < (u32)N_CELL_FEATURES && (u32)value <= (u32)MOST_OF_CELL && other > k + 1 &&
           other < n_nodes;
  if (other != 0 || value < 0 || value >= 10 + N_CELL_FEATURES) return false;
  return value < 10 || (table.traits[value - 10] & IS_TAKEN);
}

// Paints the grid in `to`.
ARC_NOINLINE Reason apply_tree_in(Lane& lane, const Value* a, i32* to) {
  const Scene scene = scene_of(a[1]);
  const i32* nodes = a[0].ints;
  const i64 n_nodes = a[0].n / 3, n = scene.n_cells();
  CellFeatureTable* table = lane.allocate_array<CellFeatureTable>(1);
  u8* wanted = lane.allocate_array<u8>(N_CELL_FEATURES);
  if (!table || !wanted) return OVER_BUDGET;
  const bool is_good = serial([&]() -> i64 {
    fill_cell_table(table);
    for (i32 k = 0; k < N_CELL_FEATURES; k++) wanted[k] = 0;
    for (i64 k = 0; k < n_nodes; k++) {
      if (!is_tree_node(*table, nodes, n_nodes, k)) return 0;
      const i32 feature = nodes[3 * k] == TREE_LEAF ? nodes[3 * k + 1] - 10 : nodes[3 * k];
      if (feature >= 0) wanted[feature] = 1;
    }
    return 1;
  });
  if (!is_good) return OUT_OF_RANGE;
  if (!lane.require(TREE_STEPS_A_CELL / 2 * (u64)n) || !lane.charge(TREE_STEPS_A_CELL / 4 * (u64)n))
    return OVER_BUDGET;
  CellScratch scratch;
  u8* columns = lane.allocate_array<u8>((u64)N_CELL_FEATURES * (u64)n);
  if (!allocate_cell_scratch(lane, n, scratch) || !columns) return OVER_BUDGET;
  const i64 area = serial([&]() { return area_of_parts(scene, scratch); });
  if (!lane.charge((u64)area)) return OVER_BUDGET;
  serial([&]() {
    write_cell_features(scene, scratch, columns, n, wanted, table);
    return 0;
  });
  const CellFeatureTable& known = *table;
  const bool missed = any(n, [&](i64 cell) {
    i64 k = 0;
    while (nodes[3 * k] != TREE_LEAF) {
      const i32 feature = nodes[3 * k], value = nodes[3 * k + 1];
      const i32 there = columns[feature * n + cell];
      k = (known.traits[feature] & IS_COLOR ? there == value : there <= value) ? k + 1 : nodes[3 * k + 2];
    }
    const i32 action = nodes[3 * k + 1];
    to[cell] = action < 10 ? action : columns[(action - 10) * n + cell];
    return to[cell] == NO_COLOR_THERE;
  });
  sync();
  return missed ? EMPTY : OK;
}
ARC_FN Value prim_apply_tree(Lane& lane, const Value* a) {
  if (!is_color_grid(a[1])) return fail(WRONG_TYPE);
  if (a[0].kind != INTS || a[0].n % 3) return fail(WRONG_TYPE);
  ARC_ALLOCATE(to, i32, (u64)a[1].n * (u64)width_of(a[1]));
  const Scratch scratch(lane);
  const Reason why = apply_tree_in(lane, a, to);
  scratch.give_back(lane);
  return why == OK ? grid_value(to, a[1].n, (u32)width_of(a[1])) : fail(why);
}

}  // namespace arc
