// Learns new colors of objects, or which object is picked, by a feature; documented in
// language/learners/object_tables.py.
#include "demo_grids.hpp"
#include "parts.hpp"
#include "picking.hpp"

namespace arc {
namespace {

// The changes of objects by their keys: bit 0 stands for staying, bit 1 + c for color c.
typedef std::map<u64, Choices> ObjectTable;

// Lists the possible changes of each of the demos' objects. Returns false if one of them neither stays nor becomes one
// color, or if a cell outside of objects changes.
bool read_changes(const DemoGrids& grids, const Parts& all, std::vector<u32>& options) {
  for (size_t d = 0; d < grids.n_demos(); d++) {
    const Scene &given = grids.inputs[d], &wanted = grids.outputs[d];
    i64 n_changed = 0;
    for (i64 k = 0; k < given.n_cells(); k++) n_changed += given.cells[k] != wanted.cells[k];
    for (size_t k = all.firsts[d]; k < all.firsts[d + 1]; k++) {
      u32 colors = 0;
      i64 n_changed_here = 0;
      for (const Place& place : all.parts[k]) {
        const i32 color = wanted.cell(place.row, place.column);
        colors |= 1u << color;
        n_changed_here += color != all.parts[k].color(place);
      }
      n_changed -= n_changed_here;
      const bool is_one_color = (colors & (colors - 1)) == 0;
      options.push_back((is_one_color ? colors << 1 : 0) | (n_changed_here == 0));
      if (!options.back()) return false;
    }
    if (n_changed) return false;
  }
  return true;
}

// False if objects that are alike become different.
bool learn_colors(const std::vector<u32>& options, const std::vector<u64>& keys, ObjectTable& table) {
  for (size_t k = 0; k < options.size(); k++)
    if (!table[keys[k]].narrow(options[k])) return false;
  return true;
}

ARC_IMPLEMENT(learn_objects) {
  if (!are_color_grids(args[0], args[1])) return fail(WRONG_TYPE);
  const DemoGrids grids = read_demos(args[0], args[1], true);
  if (!grids.n_demos()) return fail(EMPTY);
  const Parts all(grids.inputs, (int)args[2].number);
  ARC_CHARGE(all.cost());
  std::vector<u32> options;
  if (!read_changes(grids, all, options)) return fail(EMPTY);
  const std::vector<u64> keys = describe_parts(all, args[3].number);
  ObjectTable table;
  if (!learn_colors(options, keys, table)) return fail(EMPTY);
  const Scene& grid = grids.grid();
  std::vector<i32> cells(grid.cells, grid.cells + grid.n_cells());
  for (size_t k = all.firsts[grids.n_demos()]; k < keys.size(); k++) {
    const auto choice = table.find(keys[k]);
    if (choice == table.end()) return fail(EMPTY);
    if (choice->second.first() == 0) continue;
    for (const Place& place : all.parts[k])
      cells[(size_t)place.row * grid.width + place.column] = choice->second.first() - 1;
  }
  return cells_value(lane, cells, grid.width);
}

// Rows of (feature of objects, the color they become or -1 where they stay).
ARC_RULE(learn_objects) {
  const DemoGrids grids = read_demos(args[0], args[1], true);
  const Parts all(grids.inputs, (int)args[2].number);
  const std::vector<u64> keys = describe_parts(all, args[3].number);
  std::vector<u32> options;
  ObjectTable table;
  if (!read_changes(grids, all, options) || !learn_colors(options, keys, table)) return fail(EMPTY);
  std::vector<Value> rows;
  for (const auto& [key, choice] : table) {
    const Part& example = all.parts[(size_t)(std::find(keys.begin(), keys.end(), key) - keys.begin())];
    rows.push_back(
        tuple_value(lane, {feature_value(lane, example, args[3].number, key), number(choice.first() - 1)}));
  }
  return tuple_value(lane, rows);
}

// Whether the box of a part shows exactly a grid.
bool shows(const Part& part, const Scene& wanted) {
  if (part.height() != wanted.n_rows || part.width() != wanted.width) return false;
  for (i64 i = 0; i < wanted.n_rows; i++)
    for (i64 j = 0; j < wanted.width; j++)
      if (part.scene->cell(part.top + i, part.left + j) != wanted.cell(i, j)) return false;
  return true;
}

ARC_IMPLEMENT(pick_object) {
  if (!are_color_grids(args[0], args[1])) return fail(WRONG_TYPE);
  const DemoGrids grids = read_demos(args[0], args[1], false);
  if (!grids.n_demos()) return fail(EMPTY);
  const Parts all(grids.inputs, (int)args[2].number);
  ARC_CHARGE(all.cost());
  const auto is_picked = [&](size_t d, size_t k) { return shows(all.parts[k], grids.outputs[d]); };
  if (!picks_in_all_demos(all.firsts, is_picked)) return fail(EMPTY);
  const i64 picked = pick_alike(describe_parts(all, args[3].number), all.firsts, is_picked);
  if (picked < 0) return fail(EMPTY);
  const Part& part = all.parts[(size_t)picked];
  std::vector<i32> cells;
  for (i64 i = part.top; i <= part.bottom; i++)
    for (i64 j = part.left; j <= part.right; j++) cells.push_back(grids.grid().cell(i, j));
  return cells_value(lane, cells, part.width());
}

// The features that the demos' picks have in common.
ARC_RULE(pick_object) {
  const DemoGrids grids = read_demos(args[0], args[1], false);
  const Parts all(grids.inputs, (int)args[2].number);
  const std::vector<u64> keys = describe_parts(all, args[3].number);
  const std::set<u64> marks =
      find_marks(keys, all.firsts, [&](size_t d, size_t k) { return shows(all.parts[k], grids.outputs[d]); });
  std::vector<Value> values;
  for (u64 mark : marks) {
    const Part& example = all.parts[(size_t)(std::find(keys.begin(), keys.end(), mark) - keys.begin())];
    values.push_back(feature_value(lane, example, args[3].number, mark));
  }
  return tuple_value(lane, values);
}

}  // namespace
}  // namespace arc
