// Draws a grid's objects or colors as cells or bars; documented in language/learners/object_bars.py.
#include "parts.hpp"

namespace arc {
namespace {

constexpr size_t MAX_SIDE = 30;
enum Order { LARGEST_FIRST, SMALLEST_FIRST, FROM_LEFT, FROM_TOP, N_ORDERS };
enum Choice { ALL, LARGEST, ALL_BUT_LARGEST };
enum Drawing { ROW, COLUMN, TO_RIGHT, TO_LEFT, DOWNWARDS, UPWARDS };
constexpr int COLORS_AS_ITEMS = 2;

// An object or color that gets a cell or a bar.
struct Item {
  i32 color, size, top, left;

  i32 position(i64 order) const {
    return order == LARGEST_FIRST ? -size : order == SMALLEST_FIRST ? size : order == FROM_LEFT ? left : top;
  }
};

std::vector<Item> list_objects(const Parts& all) {
  std::vector<Item> items;
  for (const Part& part : all.parts) {
    const std::array<i32, 10> counts = count_colors(part);
    const i32 color = (i32)(std::max_element(counts.begin() + 1, counts.end()) - counts.begin());
    items.push_back({color, part.size, part.top, part.left});
  }
  return items;
}

std::vector<Item> list_colors(const Scene& scene) {
  Item all[10] = {};
  for (i32 i = 0; i < scene.n_rows; i++)
    for (i32 j = 0; j < scene.width; j++) {
      const i32 color = scene.cell(i, j);
      Item& item = all[color];
      if (!item.size) item = {color, 0, i, j};
      item.size++;
      item.left = std::min(item.left, j);
    }
  std::vector<Item> items;
  std::copy_if(all + 1, all + 10, std::back_inserter(items), [](const Item& item) { return item.size > 0; });
  return items;
}

// Keeps the chosen items, in order.
void choose_items(std::vector<Item>& items, i64 choice, i64 order) {
  i32 most = 0;
  for (const Item& item : items) most = std::max(most, item.size);
  auto is_left_out = [&](const Item& item) { return choice != ALL && (item.size == most) != (choice == LARGEST); };
  items.erase(std::remove_if(items.begin(), items.end(), is_left_out), items.end());
  std::stable_sort(items.begin(), items.end(),
                   [&](const Item& a, const Item& b) { return a.position(order) < b.position(order); });
}

ARC_IMPLEMENT(object_bars) {
  if (!is_color_grid(args[0])) return fail(WRONG_TYPE);
  const std::vector<Scene> scenes = {scene_of(args[0])};
  const i64 drawing = args[3].number;
  std::vector<Item> items;
  if (args[1].number == COLORS_AS_ITEMS) {
    items = list_colors(scenes[0]);
  } else {
    const Parts all(scenes, args[1].number ? TOGETHER_8 : BY_COLOR_8);
    ARC_CHARGE(all.cost());
    items = list_objects(all);
  }
  choose_items(items, args[2].number / N_ORDERS, args[2].number % N_ORDERS);
  const bool is_bar = drawing >= TO_RIGHT;
  size_t length = 1;
  for (const Item& item : items)
    if (is_bar) length = std::max(length, (size_t)item.size);
  if (items.empty() || items.size() > MAX_SIDE || length > MAX_SIDE) return fail(EMPTY);
  const bool is_upright = drawing == ROW || drawing >= DOWNWARDS, is_backwards = drawing == TO_LEFT || drawing == UPWARDS;
  const size_t n = items.size();
  std::vector<i32> cells(n * length);
  for (size_t k = 0; k < n; k++)
    for (size_t m = 0; m < (is_bar ? (size_t)items[k].size : 1); m++) {
      const size_t at = is_backwards ? length - 1 - m : m;
      cells[is_upright ? at * n + k : k * length + at] = items[k].color;
    }
  return cells_value(lane, cells, (i64)(is_upright ? n : length));
}

}  // namespace
}  // namespace arc
