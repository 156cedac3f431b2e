// Features of a cell by its relations to colors, lines, panels, symmetries and objects of its grid: those of
// language/primitives/cell_relations.py, in the same order.
#pragma once
#include "cell_objects.hpp"
#include "panel_layouts.hpp"

namespace arc {
namespace cells {

class RelationColumns : public ObjectColumns {
 public:
  using ObjectColumns::ObjectColumns;

  // Writes the wanted features: `to` has the first cell's of the first feature.
  void write(u8* to, i64 from_feature_to_feature, const u8* wanted_features) {
    columns = to;
    stride = from_feature_to_feature;
    wanted = wanted_features;
    int group = 0;
    auto add_group = [&](auto f) {
      if (wants(group)) f();
      next = GROUP_ENDS[group++];
    };
    add_group([&] { own_features(); });
    add_group([&] { around_features(); });
    add_group([&] { look_features(); });
    const int n_before_objects = 10, n_before_relations = 14;  // groups
    if (wants(group) || wants(n_before_objects + COLOR_OBJECTS) || wants(n_before_relations + 1)) find_sights();
    add_group([&] { sight_features(); });
    add_group([&] { mirrored_features(); });
    add_group([&] { position_features(); });
    add_group([&] { line_features(); });
    add_group([&] { count_features(); });
    add_group([&] { distance_features(); });
    add_group([&] { box_features(); });
    for (const Cut how : {COLOR_PARTS, COLOR_OBJECTS, OBJECTS}) add_group([&] { part_features(how); });
    add_group([&] { whole_features(); });
    add_group([&] { nearest_features(); });
    add_group([&] { side_features(); });
    add_group([&] { direction_features(); });
    add_group([&] { panel_features(); });
    add_group([&] { symmetry_features(); });
    add_group([&] { axis_features(); });
    add_group([&] { sequence_features(); });
    add_group([&] { object_features(); });
  }

 private:
  static constexpr i32 MAX_PANELS = 100, MAX_SHOWN = 100, MAX_OBJECTS = 32;

  // The color that all but `ground` agree on: ground if nothing else is seen, ABSENT if several are, or nothing at all.
  i32 shared_color(std::initializer_list<i32> colors) const {
    i32 shared = ABSENT;
    for (const i32 color : colors)
      if (color != ABSENT && (shared == ABSENT || shared == ground)) shared = color;
    for (const i32 color : colors)
      if (color != ABSENT && color != ground && color != shared) return ABSENT;
    return shared;
  }

  void nearest_features() {
    std::vector<i32> all_distances(10 * n);
    i32* distances = all_distances.data();
    const i32 far = n_rows + width;
    for (const bool oblique : {false, true}) {
      for (i32 c = 0; c < 10; c++)
        if (color_counts[c])
          spread(c, oblique, distances + c * n);
        else
          std::fill_n(distances + c * n, n, far);
      auto is_other = [=](i32 c, i64 k) { return c != ground && c != own(k) && distances[c * n + k] < far; };
      add([=](i64 k) {
        i32 shortest = far, n_nearest = 0;
        for (i32 c = 0; c < 10; c++) {
          if (!is_other(c, k)) continue;
          n_nearest = distances[c * n + k] < shortest ? 1 : n_nearest + (distances[c * n + k] == shortest);
          shortest = std::min(shortest, distances[c * n + k]);
        }
        return n_nearest;
      });
      add([=](i64 k) {
        i32 longest = -1, color = ABSENT;
        for (i32 c = 0; c < 10; c++)
          if (is_other(c, k) && distances[c * n + k] > longest) {
            longest = distances[c * n + k];
            color = c;
          }
        return color;
      });
    }
  }

  // The colors that a cell sees on the two sides of its row or column.
  void side_features() {
    std::vector<i32> all_distances(2 * n);
    i32* distances = all_distances.data();
    for (const auto& [one, other] : {std::pair(3, 4), std::pair(1, 6)}) {
      for (const int d : {one, other})
        for (i64 k = 0; k < n; k++) {
          i64 steps = 0, at = k;
          const i32 color = sights[d * n + k];
          for (; color != ABSENT && own(at) != color; steps++) at += (i64)row_step(d) * width + column_step(d);
          distances[(d == other) * n + k] = color == ABSENT ? MOST : (i32)steps;
        }
      const u8 *a = sights.data() + one * n, *b = sights.data() + other * n;
      const i32* near = distances;
      add([=](i64 k) { return near[k] < near[n + k] ? a[k] : near[n + k] < near[k] || a[k] == b[k] ? b[k] : ABSENT; });
      add([=](i64 k) { return near[k] == near[n + k] && near[k] < MOST; });
    }
  }

  // In how many directions a color is anywhere.
  void direction_features() {
    std::vector<u16> all_seen(8 * n);
    u16* seen = all_seen.data();
    for (int d = 0; d < 8; d++)
      for (i32 r = 0; r < n_rows; r++)
        for (i32 c = 0; c < width; c++) {
          const i32 i = row_step(d) < 0 ? r : last_row - r, j = column_step(d) < 0 ? c : last_column - c;
          const i32 color = at(i + row_step(d), j + column_step(d));
          const i64 k = (i64)i * width + j, ahead = k + (i64)row_step(d) * width + column_step(d);
          seen[d * n + k] = color == ABSENT ? (u16)0 : (u16)(seen[d * n + ahead] | 1 << color);
        }
    for (const int ways : {STRAIGHT, OBLIQUE})
      for (int c = 0; c < 10; c++)
        add([=](i64 k) {
          i32 number = 0;
          for (int d = 0; d < 8; d++) number += is_in(ways, d) && seen[d * n + k] >> c & 1;
          return number;
        });
  }

  // --- panels ---

  Layout find_panels() const {
    for (i32 c = 1; c <= 10; c++) {
      Layout panels;
      const i32 color = c % 10;  // lines of color 0 come last
      if (color_counts[color] && lay_between_lines(scene, color, MAX_PANELS, panels)) return panels;
    }
    return {};
  }
  void panel_features() {
    const Layout all = find_panels();
    const i32 n_across = (i32)all.columns.size(), n_down = (i32)all.rows.size(), n_panels = (i32)all.n();
    // Of each cell: its panel, or -1, and its place there.
    std::vector<i32> panels(n, -1), rows(n), breadths(n), n_shown(n_panels), n_equal(n_panels);
    for (i32 p = 0; p < n_panels; p++)
      for (i32 i = 0; i < all.height; i++)
        for (i32 j = 0; j < all.width; j++) {
          const i64 k = (i64)(all.rows[p / n_across] + i) * width + all.columns[p % n_across] + j;
          panels[k] = p;
          rows[k] = i;
          breadths[k] = j;
          n_shown[p] += own(k) != ground;
        }
    auto color_in = [&](i32 p, i32 i, i32 j) { return at(all.rows[p / n_across] + i, all.columns[p % n_across] + j); };
    for (i32 p = 0; p < n_panels; p++)
      for (i32 q = 0; q < n_panels; q++) {
        bool equal = true;
        for (i32 i = 0; equal && i < all.height; i++)
          for (i32 j = 0; j < all.width; j++) equal &= color_in(p, i, j) == color_in(q, i, j);
        n_equal[p] += equal;
      }
    // The panel that shows most, and the panel and the place there of the first color of one cell; negative if there
    // is none.
    const i32 most = n_panels ? *std::max_element(n_shown.begin(), n_shown.end()) : 0;
    i32 fullest = -1, marked = -1, named = -1;
    for (i32 p = 0; p < n_panels; p++)
      if (n_shown[p] == most) fullest = fullest == -1 ? p : -2;
    const i32 mark = (i32)(std::find(color_counts, color_counts + 10, 1) - color_counts);
    for (i64 k = 0; k < n; k++)
      if (own(k) == mark && panels[k] >= 0) {
        marked = panels[k];
        if (n_down == all.height && n_across == all.width) named = rows[k] * n_across + breadths[k];
      }
    // The color counts of all panels at each place.
    std::vector<std::array<i32, 11>> counts((size_t)(all.height * all.width));
    for (i64 k = 0; k < n; k++)
      if (panels[k] >= 0) counts[(size_t)(rows[k] * all.width + breadths[k])][own(k)]++;

    const i32 *panel = panels.data(), *row = rows.data(), *breadth = breadths.data();
    auto of_panel = [&](auto f, i32 outside) { add([&, f](i64 k) { return panel[k] < 0 ? outside : f(panel[k]); }); };
    of_panel([&](i32 p) { return p / n_across; }, MOST);
    of_panel([&](i32 p) { return p % n_across; }, MOST);
    of_panel([&](i32 p) { return n_shown[p]; }, 0);
    of_panel([&](i32 p) { return std::count_if(n_shown.begin(), n_shown.end(), [&](i32 m) { return m > n_shown[p]; }); },
             MOST);
    of_panel([&](i32 p) { return std::count_if(n_shown.begin(), n_shown.end(), [&](i32 m) { return m < n_shown[p]; }); },
             MOST);
    of_panel([&](i32 p) { return n_equal[p]; }, 0);
    auto of_place = [&](auto f, i32 outside) {
      add([&, f](i64 k) { return panel[k] < 0 ? outside : f(panel[k], row[k], breadth[k]); });
    };
    auto counts_at = [&](i32 i, i32 j) -> const std::array<i32, 11>& { return counts[(size_t)(i * all.width + j)]; };
    of_place([&](i32, i32 i, i32 j) { return n_panels - counts_at(i, j)[ground]; }, 0);
    of_place([&](i32, i32 i, i32 j) { return most_common_color(counts_at(i, j).data(), ground); }, ABSENT);
    of_place([&](i32, i32 i, i32 j) { return fullest < 0 ? ABSENT : color_in(fullest, i, j); }, ABSENT);
    const bool is_map = fullest >= 0 && n_down == all.height && n_across == all.width;
    of_panel([&](i32 p) { return is_map ? color_in(fullest, p / n_across, p % n_across) : ABSENT; }, ABSENT);
    of_place([&](i32, i32 i, i32 j) { return marked < 0 ? ABSENT : color_in(marked, i, j); }, ABSENT);
    of_panel([&](i32 p) { return p == named; }, 0);
    auto sees = [&](i32 p, i32 i, i32 j, i32 down, i32 across) {
      const i32 own_color = color_in(p, i, j);
      i32 q = p / n_across + down, r = p % n_across + across;
      for (; q >= 0 && r >= 0 && q < n_down && r < n_across; q += down, r += across) {
        const i32 color = color_in(q * n_across + r, i, j);
        if (color != ground && color != own_color) return color;
      }
      return ABSENT;
    };
    of_place(
        [&](i32 p, i32 i, i32 j) {
          const i32 left = sees(p, i, j, 0, -1), up = sees(p, i, j, -1, 0);
          const i32 sideways = left == sees(p, i, j, 0, 1) ? left : ABSENT;
          return std::min(sideways, up == sees(p, i, j, 1, 0) ? up : ABSENT);
        },
        ABSENT);
  }

  // --- symmetries ---

  enum Image { SIDEWAYS, UPRIGHT, HALF_TURN, QUARTER_TURN };
  // The image of a place; the axis or center is given by the sums of a place's and its image's coordinates.
  static Place image_of(Image how, i32 rows, i32 columns, Place of) {
    switch (how) {
      case SIDEWAYS: return {of.row, columns - of.column};
      case UPRIGHT: return {rows - of.row, of.column};
      case HALF_TURN: return {rows - of.row, columns - of.column};
      default: return {(rows + 2 * of.column - columns) / 2, (columns - 2 * of.row + rows) / 2};
    }
  }
  // Finds the axis or center under which most of what is shown, and least background, has an image of its own color,
  // and nothing one of another color. Returns whether there is just one best.
  bool find_symmetry(Image how, const std::vector<Place>& shown, i32& best_rows, i32& best_columns) const {
    if (shown.empty() || (i32)shown.size() > MAX_SHOWN) return false;
    i32 top = n_rows, bottom = 0, left = width, right = 0, best = 0;
    for (const Place& place : shown) {
      top = std::min(top, place.row);
      bottom = std::max(bottom, place.row);
      left = std::min(left, place.column);
      right = std::max(right, place.column);
    }
    if (how == SIDEWAYS) top = bottom = 0;
    if (how == UPRIGHT) left = right = 0;
    bool is_single = false;
    for (i32 rows = 2 * top; rows <= 2 * bottom; rows++)
      for (i32 columns = 2 * left; columns <= 2 * right; columns++) {
        if (how == QUARTER_TURN && (rows + columns) % 2) continue;
        i32 score = 0, n_left = (i32)shown.size();
        for (const Place& place : shown) {
          const Place image = image_of(how, rows, columns, place);
          const i32 color = at(image.row, image.column);
          const bool is_open = color == ABSENT || color == ground;
          if (!is_open && color != at(place.row, place.column)) break;
          score += is_open ? -1 : 2;
          n_left--;
          if (score + 2 * n_left < best) break;
        }
        if (n_left || score <= 0 || score < best) continue;
        is_single = score > best;
        best = score;
        best_rows = rows;
        best_columns = columns;
      }
    return is_single;
  }
  void symmetry_features() {
    std::vector<Place> shown;
    for (i32 i = 0; i < n_rows; i++)
      for (i32 j = 0; j < width; j++)
        if (at(i, j) != ground) shown.push_back({i, j});
    for (const Image how : {SIDEWAYS, UPRIGHT, HALF_TURN, QUARTER_TURN}) {
      i32 rows = 0, columns = 0;
      const bool is_found = find_symmetry(how, shown, rows, columns);
      auto image = [=](Place of) { return image_of(how, rows, columns, of); };
      add_at([=](i32 i, i32 j) {
        const Place there = image({i, j});
        return is_found ? at(there.row, there.column) : ABSENT;
      });
      if (how != QUARTER_TURN) continue;
      add_at([=](i32 i, i32 j) {
        const Place one = image({i, j}), two = image(one), three = image(two);
        auto color = [=](Place of) { return at(of.row, of.column); };
        return is_found ? shared_color({color({i, j}), color(one), color(two), color(three)}) : ABSENT;
      });
    }
  }

  // The images under reflection at the only inner row and column of a color other than the background, but for a cell.
  void axis_features() {
    i32 row = -1, column = -1;
    auto is_axis = [&](i32 length, auto color_at) {
      if (length <= 2) return false;
      const i32 color = color_at(0) == color_at(1) ? color_at(0) : color_at(2);  // of all cells but one
      i32 n_alike = 0;
      for (i32 k = 0; k < length; k++) n_alike += color_at(k) == color;
      return color != ground && n_alike >= length - 1;
    };
    for (i32 i = 1; i < last_row; i++)
      if (is_axis(width, [&](i32 j) { return at(i, j); })) row = row == -1 ? i : -2;
    for (i32 j = 1; j < last_column; j++)
      if (is_axis(n_rows, [&](i32 i) { return at(i, j); })) column = column == -1 ? j : -2;
    auto sideways = [=](i32 i, i32 j) { return column < 0 ? ABSENT : at(i, 2 * column - j); };
    auto upright = [=](i32 i, i32 j) { return row < 0 ? ABSENT : at(2 * row - i, j); };
    auto turned = [=](i32 i, i32 j) { return row < 0 || column < 0 ? ABSENT : at(2 * row - i, 2 * column - j); };
    add_at(sideways);
    add_at(upright);
    add_at(turned);
    add_at([=](i32 i, i32 j) { return shared_color({sideways(i, j), upright(i, j), turned(i, j)}); });
  }

  // The first line other than background as a list of colors that the lines after all those take in turn.
  void sequence_features() {
    i32 first_row = -1, first_column = -1, shown_rows = 0, shown_columns = 0;
    for (i32 i = last_row; i >= 0; i--)
      for (i32 j = 0, is_shown = 0; j < width && !is_shown; j++)
        if (at(i, j) != ground) {
          is_shown = 1;
          first_row = i;
          shown_rows++;
        }
    for (i32 j = last_column; j >= 0; j--)
      for (i32 i = 0, is_shown = 0; i < n_rows && !is_shown; i++)
        if (at(i, j) != ground) {
          is_shown = 1;
          first_column = j;
          shown_columns++;
        }
    auto in_turn = [](i32 k, i32 length) { return (k % length + length) % length; };
    add_at([=](i32 i, i32) { return first_row < 0 ? ABSENT : at(first_row, in_turn(i - shown_rows, width)); });
    add_at([=](i32, i32 j) { return first_column < 0 ? ABSENT : at(in_turn(j - shown_columns, n_rows), first_column); });
  }

  // --- objects ---

  void object_features() {
    cut(OBJECTS);
    std::vector<i32> objects;
    for (size_t p = 0; p < parts.size(); p++)
      if (!parts[p].is_ground) objects.push_back((i32)p);
    if ((i32)objects.size() > MAX_OBJECTS) objects.clear();
    // How a cell lies to the nearest other object, by straight steps to its box.
    std::vector<u8> bearings(n, 3);
    for (i64 k = 0; k < n; k++) {
      i32 shortest = INT32_MAX;
      for (const i32 p : objects) {
        if (part_of[k] == p) continue;
        const CellPart& part = parts[p];
        const i32 i = (i32)(k / width), j = (i32)(k % width);
        const i32 down = std::max({0, part.top - i, i - part.bottom});
        const i32 across = std::max({0, part.left - j, j - part.right});
        if (down + across > shortest) continue;
        const u8 bearing = down == across ? 2 : down == 0 || across == 0;
        bearings[k] = down + across < shortest ? bearing : std::max(bearings[k], bearing);
        shortest = down + across;
      }
    }
    const u8* bearing = bearings.data();
    add([=](i64 k) { return bearing[k]; });
    // The largest object moved onto the smallest, and the reverse.
    const CellPart *largest = nullptr, *smallest = nullptr;
    for (const i32 p : objects) {
      if (!largest || parts[p].size > largest->size) largest = &parts[p];
      if (!smallest || parts[p].size < smallest->size) smallest = &parts[p];
    }
    i32 n_largest = 0, n_smallest = 0;
    for (const i32 p : objects) {
      n_largest += parts[p].size == largest->size;
      n_smallest += parts[p].size == smallest->size;
    }
    for (const bool reversed : {false, true}) {
      const CellPart *from = reversed ? smallest : largest, *to = reversed ? largest : smallest;
      const bool is_found = n_largest == 1 && n_smallest == 1 && from != to;
      const i32 down = is_found ? to->top + to->bottom - from->top - from->bottom : 1;
      const i32 across = is_found ? to->left + to->right - from->left - from->right : 1;
      add_at([=](i32 i, i32 j) {
        if (down % 2 || across % 2) return ABSENT;
        const i32 row = i - down / 2, column = j - across / 2;
        const bool is_in = row >= from->top && row <= from->bottom && column >= from->left && column <= from->right;
        return is_in ? at(row, column) : ABSENT;
      });
    }
  }
};

}  // namespace cells
}  // namespace arc
