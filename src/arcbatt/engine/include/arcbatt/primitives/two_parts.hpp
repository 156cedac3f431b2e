// Two parts of a grid combined: as language/primitives/two_parts.py.
#pragma once
#include "panels.hpp"

namespace arc {

// A part of a grid, with cells of its own.
struct Cutout {
  i32* cells = nullptr;
  i32 n_rows = 0, width = 0;

  ARC_FN i32 cell(i64 i, i64 j) const { return cells[i * width + j]; }
};
struct TwoParts {
  Cutout first, second;
};

ARC_FN void copy_window(const Window& window, Cutout& to) {
  to.n_rows = window.n_rows;
  to.width = window.width;
  i32* next = to.cells;
  each_color(window, [&](i32 cell) { *next++ = cell; });
}

ARC_FN bool take_squares(const Scene& scene, TwoParts& parts) {
  const i32 side = min_of(scene.n_rows, scene.width);
  if (max_of(scene.n_rows, scene.width) != 2 * side) return false;
  const i64 after = scene.width > side ? side : (i64)side * scene.width;
  const Window one = {scene.cells, side, side, scene.width}, other = {scene.cells + after, side, side, scene.width};
  auto n_colors = [](const Window& window) {
    return count_bits(colors_shown(window)) + (count_color(window, 0) > 0);
  };
  const bool in_order = n_colors(one) <= n_colors(other);
  copy_window(in_order ? one : other, parts.first);
  copy_window(in_order ? other : one, parts.second);
  return true;
}

// What an object shows in its box, 0 for all else.
ARC_FN void take_alone(const Region& region, Cutout& to) {
  to.n_rows = (i32)region.height();
  to.width = (i32)region.width();
  i32* next = to.cells;
  for (i32 i = region.top; i <= region.bottom; i++)
    for (i32 j = region.left; j <= region.right; j++) *next++ = region.has(i, j) ? region.scene->cell(i, j) : 0;
}

// Marks what is no line of a colour: 1, and 2 in the longest run of such, the first of several. Whether
// there are both.
template <class F>
ARC_FN bool mark_runs(i32 n, F is_line, u8* marks) {
  i32 best = 0, best_end = 0, length = 0;
  bool any_other = false;
  for (i32 k = 0; k < n; k++) {
    marks[k] = !is_line(k);
    length = marks[k] ? length + 1 : 0;
    if (length > best) {
      best = length;
      best_end = k + 1;
    }
  }
  for (i32 k = best_end - best; k < best_end; k++) marks[k] = 2;
  for (i32 k = 0; k < n; k++) any_other |= marks[k] == 1;
  return best && any_other;
}
// The cells of marked rows and columns.
ARC_FN void take_marked(const Scene& scene, const u8* rows, const u8* columns, u8 mark, Cutout& to) {
  i32* next = to.cells;
  to.n_rows = to.width = 0;
  for (i32 j = 0; j < scene.width; j++) to.width += columns[j] == mark;
  for (i32 i = 0; i < scene.n_rows; i++) {
    if (rows[i] != mark) continue;
    to.n_rows++;
    for (i32 j = 0; j < scene.width; j++)
      if (columns[j] == mark) *next++ = scene.cell(i, j);
  }
}
ARC_FN bool take_between_lines(const Scene& scene, u8* rows, u8* columns, TwoParts& parts) {
  for (i32 color = 1; color < 10; color++) {
    auto is_row = [&](i32 i) { return is_row_of(scene, i, color); };
    auto is_column = [&](i32 j) { return is_column_of(scene, j, color); };
    const bool has_rows = mark_runs(scene.n_rows, is_row, rows);
    if (!mark_runs(scene.width, is_column, columns) || !has_rows) continue;
    take_marked(scene, rows, columns, 2, parts.first);
    take_marked(scene, rows, columns, 1, parts.second);
    return true;
  }
  return false;
}

// Whether a part, each cell as a block, can be made so large.
ARC_FN bool can_be_made(const Cutout& part, i32 n_rows, i32 width) {
  return n_rows >= part.n_rows && width >= part.width && n_rows % part.n_rows == 0 && width % part.width == 0;
}
ARC_FN i32 cell_made(const Cutout& part, i32 n_rows, i32 width, i64 i, i64 j) {
  return part.cell(i / (n_rows / part.n_rows), j / (width / part.width));
}

// The size of what two parts come to; no rows where they do not fit.
ARC_FN Place size_combined(const TwoParts& parts, i64 way) {
  const Cutout &first = parts.first, &second = parts.second;
  if (way < 2) return {first.n_rows * second.n_rows, first.width * second.width};
  if (way == 2) return {can_be_made(second, first.n_rows, first.width) ? first.n_rows : 0, first.width};
  if (way == 4) {
    const bool fits = first.n_rows > 2 && first.width > 2 && can_be_made(second, first.n_rows - 2, first.width - 2);
    return {fits ? first.n_rows : 0, first.width};
  }
  if (!can_be_made(second, first.n_rows, first.width)) return {0, 0};
  const i32 down = first.n_rows / second.n_rows, along = first.width / second.width;
  for (i64 i = 0; i < first.n_rows; i++)
    for (i64 j = 0; j < first.width; j++)
      if (first.cell(i, j) != first.cell(i - i % down, j - j % along)) return {0, 0};
  return {second.n_rows, second.width};
}
ARC_FN i32 cell_combined(const TwoParts& parts, i64 way, i64 i, i64 j) {
  const Cutout &first = parts.first, &second = parts.second;
  if (way < 2) {
    const Cutout &coarse = way ? first : second, &fine = way ? second : first;
    const i32 color = coarse.cell(i / fine.n_rows, j / fine.width), cell = fine.cell(i % fine.n_rows, j % fine.width);
    return !color || !cell ? 0 : way ? cell : color;
  }
  if (way == 2) return first.cell(i, j) ? cell_made(second, first.n_rows, first.width, i, j) : 0;
  if (way == 3)
    return first.cell(i * (first.n_rows / second.n_rows), j * (first.width / second.width)) ? second.cell(i, j) : 0;
  const bool is_edge = i == 0 || j == 0 || i == first.n_rows - 1 || j == first.width - 1;
  return is_edge ? first.cell(i, j) : cell_made(second, first.n_rows - 2, first.width - 2, i - 1, j - 1);
}

ARC_FN Value prim_combine_two(Lane& lane, const Value* a) {
  const i64 how = a[1].number, way = a[2].number;
  if (!is_color_grid(a[0])) return fail(WRONG_TYPE);
  const Scene scene = scene_of(a[0]);
  Cutting cutting;
  if (how == 1) {
    const Lesson lesson = lesson_of_one(lane, a[0]);
    if (!lesson.scenes) return fail(OVER_BUDGET);
    cutting = cut_lesson(lane, lesson, TOGETHER_8);
    if (!cutting.regions) return fail(OVER_BUDGET);
    if (cutting.n != 2) return fail(EMPTY);
  }
  ARC_ALLOCATE(first, i32, scene.n_cells());
  ARC_ALLOCATE(second, i32, scene.n_cells());
  ARC_ALLOCATE(rows, u8, scene.n_rows);
  ARC_ALLOCATE(columns, u8, scene.width);
  ARC_ALLOCATE(shared, TwoParts, 1);
  const bool is_taken = serial([&]() {
    TwoParts& parts = *shared;
    parts = TwoParts();
    parts.first.cells = first;
    parts.second.cells = second;
    if (how == 0) return (i64)take_squares(scene, parts);
    if (how == 2) return (i64)take_between_lines(scene, rows, columns, parts);
    const bool in_order = cutting.regions[0].area() >= cutting.regions[1].area();
    take_alone(cutting.regions[!in_order], parts.first);
    take_alone(cutting.regions[in_order], parts.second);
    return (i64)1;
  });
  if (!is_taken) return fail(EMPTY);
  const TwoParts parts = *shared;
  if (way < 2) {
    ARC_REQUIRE((u64)parts.first.n_rows * parts.first.width * parts.second.n_rows * parts.second.width);
  }
  const Place size = size_combined(parts, way);
  if (!size.row) return fail(EMPTY);
  const i64 width = size.column;
  ARC_ALLOCATE(to, i32, (u64)size.row * (u64)width);
  each((i64)size.row * width, [=](i64 k) { to[k] = cell_combined(parts, way, k / width, k % width); });
  return grid_value(to, (u32)size.row, (u32)width);
}

}  // namespace arc
