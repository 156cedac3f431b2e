// Objects: connected parts of a grid, and its cells by colour; as language/primitives/objects.py.
#pragma once
#include "grids.hpp"

namespace arc {

// Cells of one row that belong together: of one colour, or of any but the background.
struct CellRun {
  i32 row, start, end;
  i32 color;
  i32 parent;  // the run that stands for its part; itself, or one before it
};

ARC_FN i32 find_root(CellRun* runs, i32 k) {
  while (runs[k].parent != k) {
    runs[k].parent = runs[runs[k].parent].parent;
    k = runs[k].parent;
  }
  return k;
}

// Finds the runs of a grid row by row and joins those that touch; returns how many there are.
ARC_FN i64 label_runs(const i32* cells, i64 n_rows, i64 width, bool univalued, bool diagonal,
                      bool has_bare, i32 bare, CellRun* runs) {
  i64 n = 0, above = 0, above_end = 0;  // runs of the row above: runs[above .. above_end)
  const i32 reach = diagonal ? 1 : 0;
  for (i64 i = 0; i < n_rows; i++) {
    const i32* row = cells + i * width;
    const i64 first = n;
    for (i64 j = 0; j < width;) {
      const i32 color = row[j];
      const i64 start = j++;
      if (has_bare && color == bare) continue;
      if (univalued)
        while (j < width && row[j] == color) j++;
      else
        while (j < width && !(has_bare && row[j] == bare)) j++;
      const i32 k = (i32)n++;
      runs[k] = {(i32)i, (i32)start, (i32)j, color, k};
      // Runs of the row above that end before this one cannot touch a later one either.
      while (above < above_end && runs[above].end + reach <= start) above++;
      for (i64 u = above; u < above_end && runs[u].start < j + reach; u++) {
        if (univalued && runs[u].color != color) continue;
        i32 a = find_root(runs, (i32)u), b = find_root(runs, k);
        if (a < b) runs[b].parent = a;
        if (b < a) runs[a].parent = b;
      }
    }
    above = first;
    above_end = n;
  }
  return n;
}

// The objects of labelled cells. Cells are taken by colour, row and column, so that each object's
// cells and, by their first cells, the objects themselves come out in order.
struct ObjectWriter {
  const i32* cells;
  i64 width;
  const CellRun* runs;
  i64 n_runs;
  bool univalued;
  i32* object_of;  // for each run that stands for a part: its object, or -1
  i64* ends;       // for each object: where its next cell goes
  i64 n_objects;

  // Calls visit(root, color, row, start, end) for stretches of one colour, in order.
  template <class Visit>
  ARC_FN void stretches(i32 color, Visit visit) {
    for (i64 k = 0; k < n_runs; k++) {
      const CellRun run = runs[k];
      if (univalued) {
        if (run.color == color) visit(run.parent, run.row, run.start, run.end);
        continue;
      }
      const i32* row = cells + run.row * width;
      for (i32 j = run.start; j < run.end; j++)
        if (row[j] == color) visit(run.parent, run.row, j, j + 1);
    }
  }
};

// As find_objects of objects.py: a set of objects, or with `tuple` the tuple of them in order.
ARC_NOINLINE Value find_objects(Lane& lane, const Value& grid, bool univalued, bool diagonal,
                                bool without_bg, bool tuple) {
  if (grid.n == 0) return fail(EMPTY);
  i64 bare = 0;
  if (without_bg)
    if (Reason reason = background_of(lane, grid, &bare); reason != OK) return fail(reason);
  const i64 n_rows = grid.n, width = row_size(grid, 0);
  const i32* cells = grid.ints;
  if (grid.kind != GRID) {
    if (any(n_rows, [&](i64 i) { return row_size(grid, i) < width; })) return fail(OUT_OF_RANGE);
    ARC_ALLOCATE(dense, i32, n_rows * width);
    each(n_rows * width, [=](i64 k) { dense[k] = (i32)cell_at(grid, k / width, k % width).number; });
    cells = dense;
  }
  const i64 n_cells = n_rows * width;
  ARC_ALLOCATE(runs, CellRun, n_cells + 1);
  const i64 n_runs = serial([=]() {
    i64 n = label_runs(cells, n_rows, width, univalued, diagonal, without_bg, (i32)bare, runs);
    for (i64 k = 0; k < n; k++) runs[k].parent = find_root(runs, (i32)k);
    return n;
  });
  if (n_runs == 0) return tuple ? empty_tuple() : empty_set();
  const i64 n_objects = total(n_runs, [=](i64 k) { return runs[k].parent == k; });
  const i64 n_kept = total(n_runs, [=](i64 k) { return runs[k].end - runs[k].start; });
  ARC_ALLOCATE(object_of, i32, n_runs);
  ARC_ALLOCATE(starts, i64, 2 * (n_objects + 1));
  ARC_ALLOCATE(keys, Key, n_kept);
  const i64 lowest = least(n_cells, MAX_NUMBER, [=](i64 k) { return cells[k]; });
  const i64 highest = greatest(n_cells, -MAX_NUMBER, [=](i64 k) { return cells[k]; });
  ARC_ALLOCATE(order, Key, highest - lowest > 255 ? n_kept : 1);
  const bool sorted_apart = highest - lowest > 255;
  if (sorted_apart) {
    // Colours all over the place: the cells' keys give the order.
    i64 n = 0;
    for (i64 r = 0; r < n_runs; r++) {
      const CellRun run = runs[r];
      each(run.end - run.start, [=](i64 j) {
        const i64 column = run.start + j;
        order[n + j] = key_of(cells[run.row * width + column], run.row, column);
      });
      n += run.end - run.start;
    }
    if (!sort_keys(lane, order, n_kept)) return fail(OVER_BUDGET);
  }
  serial([=]() {
    for (i64 k = 0; k < n_runs; k++) object_of[k] = -1;
    i64* sizes = starts + n_objects + 1;
    for (i64 k = 0; k <= n_objects; k++) sizes[k] = 0;
    ObjectWriter writer = {cells, width, runs, n_runs, univalued, object_of, starts, 0};
    auto run_of = [=](Key key) {  // the run that holds a cell, by halving
      i64 low = 0, high = n_runs - 1;
      while (low < high) {
        const i64 middle = (low + high + 1) / 2;
        const CellRun& run = runs[middle];
        const bool before = run.row < row_of(key) || (run.row == row_of(key) && run.start <= column_of(key));
        if (before) low = middle; else high = middle - 1;
      }
      return runs[low].parent;
    };
    // Objects in order of their first cells, then where each one's cells start.
    i64 next = 0;
    auto count = [&](i32 root, i64 n) {
      if (object_of[root] < 0) object_of[root] = (i32)next++;
      sizes[object_of[root]] += n;
    };
    if (sorted_apart)
      for (i64 k = 0; k < n_kept; k++) count(run_of(order[k]), 1);
    else
      for (i64 c = lowest; c <= highest; c++)
        writer.stretches((i32)c, [&](i32 root, i32, i32 start, i32 end) { count(root, end - start); });
    starts[0] = 0;
    for (i64 k = 0; k < n_objects; k++) {
      starts[k + 1] = starts[k] + sizes[k];
      sizes[k] = starts[k];
    }
    if (sorted_apart)
      for (i64 k = 0; k < n_kept; k++) keys[sizes[object_of[run_of(order[k])]]++] = order[k];
    else
      for (i64 c = lowest; c <= highest; c++)
        writer.stretches((i32)c, [&](i32 root, i32 row, i32 start, i32 end) {
          i64& at = sizes[object_of[root]];
          for (i32 j = start; j < end; j++) keys[at++] = key_of(c, row, j);
        });
    return 0;
  });
  ARC_NEW_MEMBERS(objects, n_objects);
  each(n_objects, [=](i64 k) {
    objects[k] = keys_value(OBJECT, keys + starts[k], (u32)(starts[k + 1] - starts[k]));
  });
  return block_value(lane, tuple ? TUPLE : SET, 0, objects, (u32)n_objects);
}

ARC_FN Value prim_objects(Lane& lane, const Value* a) {
  return find_objects(lane, a[0], a[1].number, a[2].number, a[3].number, false);
}
ARC_FN Value prim_objects_t(Lane& lane, const Value* a) {
  return find_objects(lane, a[0], a[1].number, a[2].number, a[3].number, true);
}

// For each colour, but for one if `without` is set, the object of all its cells.
ARC_NOINLINE Value by_color(Lane& lane, const Value& grid, bool without, i64 bare) {
  i64 n_cells = 0;
  for (i64 i = 0; i < grid.n; i++) n_cells += row_size(grid, i);
  if (n_cells == 0) return empty_set();
  ARC_ALLOCATE(keys, Key, n_cells);
  i64 n = 0;
  if (grid.kind == GRID) {
    const i64 width = width_of(grid);
    const i32* cells = grid.ints;
    n = filter(
        n_cells, 0, [=](i64 k) { return !(without && cells[k] == bare); },
        [=](i64 k, i64 place) { keys[place] = key_of(cells[k], k / width, k % width); });
  } else {
    for (i64 i = 0; i < grid.n; i++)
      n = filter(
          row_size(grid, i), n,
          [=](i64 j) { return !(without && cell_at(grid, i, j).number == bare); },
          [=](i64 j, i64 place) { keys[place] = key_of(cell_at(grid, i, j).number, i, j); });
  }
  if (!sort_keys(lane, keys, n)) return fail(OVER_BUDGET);
  const i64 n_colors = total(n, [=](i64 k) { return k == 0 || color_of(keys[k]) != color_of(keys[k - 1]); });
  ARC_ALLOCATE(starts, i64, n_colors + 1);
  filter(
      n, 0, [=](i64 k) { return k == 0 || color_of(keys[k]) != color_of(keys[k - 1]); },
      [=](i64 k, i64 place) { starts[place] = k; });
  if (thread_index() == 0) starts[n_colors] = n;
  sync();
  ARC_NEW_MEMBERS(parts, n_colors);
  each(n_colors, [=](i64 k) {
    parts[k] = keys_value(OBJECT, keys + starts[k], (u32)(starts[k + 1] - starts[k]));
  });
  return block_value(lane, SET, 0, parts, (u32)n_colors);
}

ARC_FN Value prim_partition(Lane& lane, const Value* a) { return by_color(lane, a[0], false, 0); }
ARC_FN Value prim_fgpartition(Lane& lane, const Value* a) {
  i64 bare = 0;
  if (Reason reason = background_of(lane, a[0], &bare); reason != OK) return fail(reason);
  return by_color(lane, a[0], true, bare);
}

}  // namespace arc
