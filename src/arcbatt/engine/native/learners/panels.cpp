// Learns what happens to whole grids and to their panels; documented in language/learners/panels.py.
#include <map>
#include <string>
#include <unordered_map>

#include "demo_grids.hpp"
#include "panel_layouts.hpp"
#include "windows.hpp"

namespace arc {
namespace {

// --- whole grids ---

// The inputs of all demos and the grid, each a window of its own.
Windows windows_of_inputs(const DemoGrids& grids) {
  Windows all;
  for (const Scene& input : grids.inputs) {
    all.windows.push_back(window_of(input));
    all.end_grid();
  }
  return all;
}

// Returns, for each demo and for the grid, the first demo of its class; the grid's own number if it has none.
std::vector<size_t> find_first_demos(const std::vector<u64>& keys) {
  std::vector<size_t> firsts;
  for (u64 key : keys) firsts.push_back((size_t)(std::find(keys.begin(), keys.end(), key) - keys.begin()));
  return firsts;
}

ARC_IMPLEMENT(learn_class) {
  if (!are_color_grids(args[0], args[1])) return fail(WRONG_TYPE);
  const DemoGrids grids = read_demos(args[0], args[1], false);
  const size_t n = grids.n_demos();
  auto has_output_of = [&](size_t a, size_t b) {
    return are_equal(window_of(grids.outputs[a]), window_of(grids.outputs[b]));
  };
  bool differ = false;
  for (size_t d = 1; d < n; d++) differ |= !has_output_of(d, 0);
  if (!differ) return fail(EMPTY);
  const Windows all = windows_of_inputs(grids);
  ARC_CHARGE(all.cost());
  const std::vector<size_t> firsts = find_first_demos(all.describe(args[2].number));
  for (size_t d = 0; d < n; d++)
    if (!has_output_of(d, firsts[d])) return fail(EMPTY);
  return firsts[n] < n ? args[0].members()[firsts[n]].members()[1] : fail(EMPTY);
}

// Rows of (feature of the inputs, number of the demo that has the output).
ARC_RULE(learn_class) {
  const DemoGrids grids = read_demos(args[0], args[1], false);
  const Windows all = windows_of_inputs(grids);
  const std::vector<u64> keys = all.describe(args[2].number);
  const std::vector<size_t> firsts = find_first_demos(keys);
  std::vector<Value> rows;
  for (size_t d = 0; d < grids.n_demos(); d++)
    if (firsts[d] == d)
      rows.push_back(tuple_value(lane, {feature_value(lane, all.windows[d], args[2].number, keys[d]), number((i64)d)}));
  return tuple_value(lane, rows);
}

// --- layouts ---

enum LayoutCode { BY_LINES, BY_GAPS, SIDEWAYS, UPRIGHT, QUARTERS, SQUARES };
constexpr size_t MAX_PANELS = 64, MAX_FOLDED = 9;

// Whether a grid has panels of this layout.
bool lay_out(const Scene& scene, i64 code, Layout& layout) {
  if (code == BY_LINES) {
    for (i32 color = 1; color < 10; color++)
      if (lay_between_lines(scene, color, MAX_PANELS, layout)) return true;
    return false;
  }
  if (code == BY_GAPS) return lay_between_lines(scene, 0, MAX_PANELS, layout);
  if (code == SQUARES) {
    const i32 side = std::min(scene.n_rows, scene.width);
    if (scene.n_rows % side || scene.width % side) return false;
    layout.height = layout.width = side;
    for (i32 row = 0; row < scene.n_rows; row += side) layout.rows.push_back(row);
    for (i32 column = 0; column < scene.width; column += side) layout.columns.push_back(column);
    return layout.n() >= 2 && layout.n() <= MAX_PANELS;
  }
  layout.height = code == SIDEWAYS ? scene.n_rows : scene.n_rows / 2;
  layout.width = code == UPRIGHT ? scene.width : scene.width / 2;
  layout.rows = {0};
  layout.columns = {0};
  if (code != SIDEWAYS) layout.rows.push_back(scene.n_rows - layout.height);
  if (code != UPRIGHT) layout.columns.push_back(scene.width - layout.width);
  return layout.height > 0 && layout.width > 0;
}

// All grids with their panels.
struct PanelGrids : DemoGrids {
  std::vector<Layout> layouts;
  Windows panels;
};
// Returns whether all grids have panels of the layout.
bool read_panels(const Value* args, i64 layout_code, PanelGrids& grids) {
  (DemoGrids&)grids = read_demos(args[0], args[1], false);
  for (const Scene& scene : grids.inputs) {
    Layout layout;
    if (!lay_out(scene, layout_code, layout)) return false;
    for (i32 row : layout.rows)
      for (i32 column : layout.columns)
        grids.panels.windows.push_back(
            {scene.cells + (i64)row * scene.width + column, layout.height, layout.width, scene.width});
    grids.panels.end_grid();
    grids.layouts.push_back(std::move(layout));
  }
  return true;
}

// --- panels laid over each other ---

// Reads the colors of all panels at a place, and the place's key: the number of panels and what they show.
void read_place(const PanelGrids& grids, size_t grid, i32 i, i32 j, i64 how, std::vector<i32>& colors,
                std::string& key) {
  colors.clear();
  key.clear();
  const Window* panels = grids.panels.of(grid);
  char n_shown = 0;
  for (size_t k = 0; k < grids.layouts[grid].n(); k++) {
    colors.push_back(panels[k].cell(i, j));
    n_shown += colors[k] != 0;
    if (how < 2) key.push_back((char)(how == 0 ? colors[k] : colors[k] != 0));
  }
  if (how == 2) key = {n_shown, (char)colors.size()};
}

typedef std::unordered_map<std::string, Choices> FoldTable;

// False if the demos contradict each other.
bool learn_folds(const PanelGrids& grids, i64 how, FoldTable& table) {
  std::vector<i32> colors;
  std::string key;
  for (size_t d = 0; d < grids.n_demos(); d++) {
    const Layout& layout = grids.layouts[d];
    const Scene& wanted = grids.outputs[d];
    if (wanted.n_rows != layout.height || wanted.width != layout.width) return false;
    for (i32 i = 0; i < layout.height; i++)
      for (i32 j = 0; j < layout.width; j++) {
        read_place(grids, d, i, j, how, colors, key);
        if (!table[key].narrow(ways_to(wanted.cell(i, j), colors))) return false;
      }
  }
  return true;
}

ARC_IMPLEMENT(learn_panels) {
  if (!are_color_grids(args[0], args[1])) return fail(WRONG_TYPE);
  const i64 how = args[3].number;
  PanelGrids grids;
  if (!read_panels(args, args[2].number, grids)) return fail(EMPTY);
  for (const Layout& layout : grids.layouts)
    if (layout.n() > MAX_FOLDED) return fail(EMPTY);
  FoldTable table;
  if (!learn_folds(grids, how, table)) return fail(EMPTY);
  const size_t last = grids.n_demos();
  const Layout& layout = grids.layouts[last];
  std::vector<i32> colors, cells;
  std::string key;
  for (i32 i = 0; i < layout.height; i++)
    for (i32 j = 0; j < layout.width; j++) {
      read_place(grids, last, i, j, how, colors, key);
      const auto choice = table.find(key);
      if (choice == table.end()) return fail(EMPTY);
      cells.push_back(follow_way(choice->second.first(), colors));
    }
  return cells_value(lane, cells, layout.width);
}

// Returns rows of (what the panels show at a place, the source of its color).
ARC_RULE(learn_panels) {
  PanelGrids grids;
  FoldTable table;
  if (!read_panels(args, args[2].number, grids) || !learn_folds(grids, args[3].number, table)) return fail(EMPTY);
  std::vector<Value> rows;
  for (const auto& [key, choice] : std::map(table.begin(), table.end()))
    rows.push_back(tuple_value(lane, {numbers_value(lane, key), number(choice.first())}));
  return tuple_value(lane, rows);
}

// --- panels by their features ---

typedef std::map<u64, Choices> PanelTable;

// Whether each output has one cell per panel.
bool have_cell_per_panel(const PanelGrids& grids) {
  for (size_t d = 0; d < grids.n_demos(); d++)
    if (grids.outputs[d].n_rows != (i32)grids.layouts[d].rows.size() ||
        grids.outputs[d].width != (i32)grids.layouts[d].columns.size())
      return false;
  return true;
}

// Learns the output colors of panels by their keys: way 0 is their own main color. Returns false if the demos
// contradict each other.
bool learn_panel_colors(const PanelGrids& grids, const std::vector<u64>& keys, PanelTable& table) {
  for (size_t d = 0; d < grids.n_demos(); d++) {
    const Scene& wanted = grids.outputs[d];
    for (size_t k = 0; k < grids.layouts[d].n(); k++) {
      const u32 ways = ways_to(wanted.cells[k], {main_color(grids.panels.of(d)[k])});
      if (!table[keys[grids.panels.firsts[d] + k]].narrow(ways)) return false;
    }
  }
  return true;
}

ARC_IMPLEMENT(panel_cells) {
  if (!are_color_grids(args[0], args[1])) return fail(WRONG_TYPE);
  PanelGrids grids;
  if (!read_panels(args, args[2].number, grids)) return fail(EMPTY);
  ARC_CHARGE(grids.panels.cost());
  if (!have_cell_per_panel(grids)) return fail(EMPTY);
  const std::vector<u64> keys = grids.panels.describe(args[3].number);
  PanelTable table;
  if (!learn_panel_colors(grids, keys, table)) return fail(EMPTY);
  const Layout& layout = grids.layouts.back();
  std::vector<i32> cells;
  for (size_t k = grids.panels.firsts[grids.n_demos()]; k < keys.size(); k++) {
    const auto choice = table.find(keys[k]);
    if (choice == table.end()) return fail(EMPTY);
    cells.push_back(follow_way(choice->second.first(), {main_color(grids.panels.windows[k])}));
  }
  return cells_value(lane, cells, (i64)layout.columns.size());
}

// Returns rows of (feature of a panel, the source of its color).
ARC_RULE(panel_cells) {
  PanelGrids grids;
  PanelTable table;
  if (!read_panels(args, args[2].number, grids)) return fail(EMPTY);
  const std::vector<u64> keys = grids.panels.describe(args[3].number);
  if (!learn_panel_colors(grids, keys, table)) return fail(EMPTY);
  std::vector<Value> rows;
  for (const auto& [key, choice] : table) {
    const size_t example = (size_t)(std::find(keys.begin(), keys.end(), key) - keys.begin());
    const Value feature = feature_value(lane, grids.panels.windows[example], args[3].number, key);
    rows.push_back(tuple_value(lane, {feature, number(choice.first())}));
  }
  return tuple_value(lane, rows);
}

// --- panels that are filled by a key panel ---

// The choice of the key panel: by one of the first three codes, or by a feature. From FIRST_MAP on, the key panel is a
// map of the panels.
enum KeyCode { FIRST_PANEL, LAST_PANEL, LAID_OVER, FIRST_FEATURE, FIRST_MAP = 7 };
constexpr size_t NO_PANEL = ~(size_t)0;

// The keys of places by whether they show something, whether the key panel does, and whether no panel shows more.
struct PanelFilling {
  const PanelGrids& grids;
  i64 key;
  std::vector<u64> feature_keys;  // of panels, where the key panel is chosen by a feature
  std::vector<u64> ranks;         // of panels by cells shown, where that tells places apart; else empty
  Choices table[8];
  bool is_known[8] = {};

  PanelFilling(const PanelGrids& grids, i64 key, bool ranked) : grids(grids), key(key) {
    if (ranked) ranks = grids.panels.describe(RANK_SHOWN);
    if (key >= FIRST_FEATURE) feature_keys = grids.panels.describe(RANK_SHOWN + (key - FIRST_FEATURE) % 4);
  }

  // Returns the key panel of a grid, or NO_PANEL. Panels that equal it may have the same feature, but not all panels.
  size_t find_key_panel(size_t grid) const {
    const size_t n = grids.layouts[grid].n(), first = grids.panels.firsts[grid];
    if (key == FIRST_PANEL) return 0;
    if (key == LAST_PANEL) return n - 1;
    const u64 wanted = RANK_SHOWN + (key - FIRST_FEATURE) % 4 == N_EQUAL;  // equal to itself only; else the first rank
    const Window* panels = grids.panels.of(grid);
    size_t first_match = NO_PANEL, n_matches = 0;
    for (size_t k = 0; k < n; k++) {
      if (feature_keys[first + k] != wanted) continue;
      n_matches++;
      if (first_match == NO_PANEL) first_match = k;
      if (!are_equal(panels[first_match], panels[k])) return NO_PANEL;
    }
    return n_matches < n ? first_match : NO_PANEL;
  }

  // Calls f(cell of the grid, key, colors that it may become) for all places in panels until it returns false.
  template <class F>
  bool each_place(size_t grid, F f) const {
    const Layout& layout = grids.layouts[grid];
    const Window* panels = grids.panels.of(grid);
    const bool is_map = key >= FIRST_MAP;
    const size_t key_panel = key == LAID_OVER ? NO_PANEL : find_key_panel(grid);
    if (key != LAID_OVER && key_panel == NO_PANEL) return false;
    if (is_map && (layout.height != (i32)layout.rows.size() || layout.width != (i32)layout.columns.size()))
      return false;
    std::vector<i32> colors(4);
    for (size_t k = 0; k < layout.n(); k++) {
      const size_t row = k / layout.columns.size(), column = k % layout.columns.size();
      const bool is_most = !ranks.empty() && ranks[grids.panels.firsts[grid] + k] == 0;
      const i32 main = main_color(panels[k]);
      for (i32 i = 0; i < layout.height; i++)
        for (i32 j = 0; j < layout.width; j++) {
          i32 shown = 0;
          if (key == LAID_OVER)
            for (size_t m = 0; m < layout.n() && !shown; m++) shown = panels[m].cell(i, j);
          else
            shown = is_map ? panels[key_panel].cell((i64)row, (i64)column) : panels[key_panel].cell(i, j);
          const i32 own = panels[k].cell(i, j);
          colors = {own, shown, main, layout.line_color};
          const int place_key = (own != 0) | (shown != 0) << 1 | (int)is_most << 2;
          const i64 at = (i64)(layout.rows[row] + i) * grids.inputs[grid].width + layout.columns[column] + j;
          if (!f(at, place_key, colors)) return false;
        }
    }
    return true;
  }

  bool learn() {
    for (size_t d = 0; d < grids.n_demos(); d++) {
      const Scene &given = grids.inputs[d], &wanted = grids.outputs[d];
      if (!same_size(given, wanted)) return false;
      i64 n_changed = 0;
      for (i64 k = 0; k < given.n_cells(); k++) n_changed += given.cells[k] != wanted.cells[k];
      const bool agrees = each_place(d, [&](i64 at, int place_key, const std::vector<i32>& colors) {
        n_changed -= given.cells[at] != wanted.cells[at];
        is_known[place_key] = true;
        return table[place_key].narrow(ways_to(wanted.cells[at], colors));
      });
      if (!agrees || n_changed) return false;  // or something changes outside the panels
    }
    return true;
  }
};

ARC_IMPLEMENT(fill_panels) {
  if (!are_color_grids(args[0], args[1])) return fail(WRONG_TYPE);
  PanelGrids grids;
  if (!read_panels(args, BY_LINES, grids)) return fail(EMPTY);
  ARC_CHARGE(grids.panels.cost());
  PanelFilling filling(grids, args[2].number, args[3].number != 0);
  if (!filling.learn()) return fail(EMPTY);
  const Scene& grid = grids.grid();
  std::vector<i32> cells(grid.cells, grid.cells + grid.n_cells());
  const bool applies = filling.each_place(grids.n_demos(), [&](i64 at, int key, const std::vector<i32>& colors) {
    cells[(size_t)at] = follow_way(filling.table[key].first(), colors);
    return filling.is_known[key];
  });
  return applies ? cells_value(lane, cells, grid.width) : fail(EMPTY);
}

// Returns rows of ((place shows something, key panel does, panel shows most), the source of its color).
ARC_RULE(fill_panels) {
  PanelGrids grids;
  if (!read_panels(args, BY_LINES, grids)) return fail(EMPTY);
  PanelFilling filling(grids, args[2].number, args[3].number != 0);
  if (!filling.learn()) return fail(EMPTY);
  std::vector<Value> rows;
  for (int key = 0; key < 8; key++)
    if (filling.is_known[key])
      rows.push_back(tuple_value(lane, {numbers_value(lane, std::vector<int>{key & 1, key >> 1 & 1, key >> 2}),
                                       number(filling.table[key].first())}));
  return tuple_value(lane, rows);
}

}  // namespace
}  // namespace arc
