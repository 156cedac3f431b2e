// A grid's objects as cells or bars: as language/primitives/object_bars.py.
#pragma once
#include "../observations.hpp"

namespace arc {

constexpr i64 MAX_BAR = 30;

// Something that gets a cell or a bar.
struct BarItem {
  i32 color, size, top, left;
};

ARC_FN BarItem item_of(const Region& region) {
  i32 counts[10] = {};
  for (i32 k = 0; k < region.size; k++) counts[region.color(region.places[k])]++;
  BarItem item = {1, region.size, region.top, region.left};
  for (i32 c = 2; c < 10; c++)
    if (counts[c] > counts[item.color]) item.color = c;
  return item;
}

// Lists the colours but 0, as items; how many they are.
ARC_FN i64 list_colors(const Scene& scene, BarItem* items) {
  BarItem all[10] = {};
  i32 k = 0;
  for (i32 i = 0; i < scene.n_rows; i++)
    for (i32 j = 0; j < scene.width; j++, k++) {
      BarItem& item = all[scene.cells[k]];
      if (!item.size++) item = {scene.cells[k], 1, i, j};
      item.left = min_of(item.left, j);
    }
  i64 n = 0;
  for (int c = 1; c < 10; c++)
    if (all[c].size) items[n++] = all[c];
  return n;
}

// Leaves those that are chosen, in their order; how many they are.
ARC_FN i64 choose_items(BarItem* items, i64 n, i64 choice) {
  const i64 which = choice / 4, order = choice % 4;
  i32 most = 0;
  for (i64 k = 0; k < n; k++) most = max_of(most, items[k].size);
  auto place = [&](const BarItem& item) {
    return order == 0 ? -item.size : order == 1 ? item.size : order == 2 ? item.left : item.top;
  };
  i64 n_chosen = 0;
  for (i64 k = 0; k < n; k++) {
    const BarItem item = items[k];
    if (which && (item.size == most) != (which == 1)) continue;
    if (n_chosen == MAX_BAR) return 0;
    i64 at = n_chosen++;
    for (; at > 0 && place(items[at - 1]) > place(item); at--) items[at] = items[at - 1];
    items[at] = item;
  }
  return n_chosen;
}

// Draws them; `size` gets the rows and columns, none where there is nothing to draw.
ARC_NOINLINE void draw_items(BarItem* items, i64 n, i64 choice, i64 drawing, i32* to, Place& size) {
  n = choose_items(items, n, choice);
  i32 length = 1;
  for (i64 k = 0; k < n && drawing >= 2; k++) length = max_of(length, items[k].size);
  size = {0, 0};
  if (!n || length > MAX_BAR) return;
  const bool is_upright = drawing == 0 || drawing >= 4, is_turned = drawing == 3 || drawing == 5;
  size = is_upright ? Place{length, (i32)n} : Place{(i32)n, length};
  for (i64 k = 0; k < n; k++)
    for (i32 m = 0; m < length; m++) {
      const i32 at = is_turned ? length - 1 - m : m;
      to[is_upright ? at * n + k : k * length + at] = drawing < 2 || m < items[k].size ? items[k].color : 0;
    }
}

ARC_FN Reason object_bars_in(Lane& lane, const Value* a, i32* to, Place& size) {
  const Lesson lesson = lesson_of_one(lane, a[0]);
  if (!lesson.scenes) return OVER_BUDGET;
  Cutting cutting;
  if (a[1].number < 2) {
    cutting = cut_lesson(lane, lesson, a[1].number ? TOGETHER_8 : BY_COLOR_8);
    if (!cutting.regions) return OVER_BUDGET;
  }
  BarItem* items = lane.allocate_array<BarItem>(max_of(cutting.n, (i64)10));
  Place* drawn = lane.allocate_array<Place>(1);
  if (!items || !drawn) return OVER_BUDGET;
  serial([&]() {
    i64 n = cutting.n;
    for (i64 k = 0; k < n; k++) items[k] = item_of(cutting.regions[k]);
    if (a[1].number == 2) n = list_colors(lesson.scenes[0], items);
    draw_items(items, n, a[2].number, a[3].number, to, *drawn);
    return 0;
  });
  size = *drawn;
  return size.row ? OK : EMPTY;
}

ARC_FN Value prim_object_bars(Lane& lane, const Value* a) {
  if (!is_color_grid(a[0])) return fail(WRONG_TYPE);
  ARC_ALLOCATE(to, i32, MAX_BAR * MAX_BAR);
  const Scratch scratch(lane);
  Place size = {0, 0};
  const Reason why = object_bars_in(lane, a, to, size);
  scratch.give_back(lane);
  return why == OK ? grid_value(to, (u32)size.row, (u32)size.column) : fail(why);
}

}  // namespace arc
