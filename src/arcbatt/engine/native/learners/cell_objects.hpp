// Features of a cell by the object that it belongs to and by others around it, and by the whole grid: those of
// language/primitives/cell_objects.py and cell_features.py, in the same order.
#pragma once
#include "cell_surroundings.hpp"
#include "parts.hpp"

namespace arc {
namespace cells {

// Ways to cut a grid into parts: 4-connected of one color; 8-connected of one color, or of all colors other than the
// background; the background always 4-connected.
enum Cut { COLOR_PARTS, COLOR_OBJECTS, OBJECTS };
constexpr int CODE_OF_CUT[] = {ALL_4, BY_COLOR_WITH_GROUND, TOGETHER_WITH_GROUND};

// A part of a grid and its features.
struct CellPart : Part {
  i32 main = 0;  // its most common color
  bool is_ground = false, is_symmetric_sideways = true, is_symmetric_upright = true;
  i32 n_holes = 0, first_of_shape = 0;
  i32 touched[11] = {};  // how often cells touch each color outside the part

  CellPart(const Part& part, i32 ground) : Part(part), main(color(*begin())), is_ground(main == ground) {}
  i32 distance_from_box(i32 i, i32 j) const { return std::min({i - top, bottom - i, j - left, right - j}); }
};

class ObjectColumns : public SurroundingsColumns {
 public:
  using SurroundingsColumns::SurroundingsColumns;

  // Returns the cost of describing all parts: the cells of their boxes, for all cuts.
  u64 cost() const {
    u64 area = 0;
    for (const int how : CODE_OF_CUT) area += Parts(scene, how, ground).cost();
    return area;
  }

 protected:
  void box_features() {
    std::vector<i32> n_boxes(n);
    i32* number = n_boxes.data();
    for (i32 c = 0; c < 10; c++) {
      i32 top = n_rows, bottom = -1, left = width, right = -1;
      for (i32 i = 0; color_counts[c] && i < n_rows; i++)
        for (i32 j = 0; j < width; j++) {
          if (at(i, j) != c) continue;
          top = std::min(top, i);
          bottom = std::max(bottom, i);
          left = std::min(left, j);
          right = std::max(right, j);
        }
      for (i32 i = top; c != ground && i <= bottom; i++)
        for (i32 j = left; j <= right; j++) number[(i64)i * width + j]++;
      add_at([=](i32 i, i32 j) { return i >= top && i <= bottom && j >= left && j <= right; });
    }
    add([=](i64 k) { return number[k]; });
  }

  // --- parts ---

  void cut(Cut how) {
    cutting = Parts(scene, CODE_OF_CUT[how], ground);
    part_of = cutting.labels().data();
    parts.clear();
    for (const Part& part : cutting) parts.emplace_back(part, ground);
  }
  // Computes the features that do not depend on other parts, and finds the first part of each shape.
  void describe_parts(Cut how) {
    std::vector<i32> shapes;  // the first parts of their shapes
    for (CellPart& part : parts) {
      if (how == OBJECTS) part.main = most_common_color(count_colors(part).data());
      part.n_holes = count_holes(part);
      for (const Place& at : part) {
        part.is_symmetric_sideways &= part.has(at.row, part.left + part.right - at.column);
        part.is_symmetric_upright &= part.has(part.top + part.bottom - at.row, at.column);
        for (int d = 0; d < 8; d++) {
          const i32 i = at.row + row_step(d), j = at.column + column_step(d);
          if ((how == COLOR_PARTS && !is_beside(d)) || !scene.has(i, j)) continue;
          if (!part.has(i, j)) part.touched[scene.cell(i, j)]++;
        }
      }
      const auto is_alike = [&](i32 p) { return parts[p].is_ground == part.is_ground && parts[p].has_shape_of(part); };
      const auto same = std::find_if(shapes.begin(), shapes.end(), is_alike);
      part.first_of_shape = same == shapes.end() ? part.label : *same;
      if (same == shapes.end()) shapes.push_back(part.label);
    }
  }
  i32 part_at(i32 i, i32 j) const { return part_of[(i64)i * width + j]; }

  // Adds f(part) of each cell's part.
  template <class F>
  void add_part(F f) {
    std::vector<i32> values;
    for (size_t p = 0; wanted[next] && p < parts.size(); p++) values.push_back((i32)f(parts[p]));
    add_values(values);
  }
  void add_values(const std::vector<i32>& values) {
    const i32 *value = values.data(), *part = part_of;
    add([=](i64 k) { return value[part[k]]; });
  }
  // Adds the rank of f(part), a number from 0 to n, among parts with the same key, a number below `n_keys`.
  template <class Key, class F>
  void add_rank(bool falling, i32 n_keys, Key key, F f) {
    std::vector<i32> values(parts.size()), ranks;
    for (i32 group = 0; wanted[next] && group < n_keys; group++) {
      i32 highest = -1;
      for (const CellPart& part : parts)
        if (key(part) == group) highest = std::max(highest, f(part));
      ranks.assign(highest + 1, 0);
      for (const CellPart& part : parts)
        if (key(part) == group) ranks[f(part)] = 1;
      i32 n_before = 0;
      for (i32 v = 0; v <= highest; v++) {
        i32& rank = ranks[falling ? highest - v : v];
        const i32 is_there = rank;
        rank = n_before;
        n_before += is_there;
      }
      for (size_t p = 0; p < parts.size(); p++)
        if (key(parts[p]) == group) values[p] = ranks[f(parts[p])];
    }
    add_values(values);
  }
  // Adds the number of parts with the same key, a number up to 2 n + 1 or a color.
  template <class Key>
  void add_count(Key key) {
    std::vector<i32> values, counts;
    if (wanted[next]) {
      counts.resize(2 * n + 10);
      for (const CellPart& part : parts) counts[key(part)]++;
      for (const CellPart& part : parts) values.push_back(counts[key(part)]);
    }
    add_values(values);
  }

  void part_features(Cut how) {
    typedef const CellPart& P;
    cut(how);
    describe_parts(how);
    auto is_ground = [](P p) { return (i32)p.is_ground; };
    auto size = [](P p) { return p.size; };
    add_part(size);
    add_part([](P p) { return p.size % 2; });
    add_rank(true, 2, is_ground, size);
    add_rank(false, 2, is_ground, size);
    add_rank(true, 10, [](P p) { return p.main; }, size);
    add_count([](P p) { return 2 * p.size + p.is_ground; });
    add_count([](P p) { return p.first_of_shape; });
    add_count([](P p) { return p.main; });
    add_part([](P p) { return p.height(); });
    add_part([](P p) { return p.width(); });
    add_part([](P p) { return std::max(p.height(), p.width()); });
    add_part([](P p) { return std::min(p.height(), p.width()); });
    add_part([](P p) { return (i64)p.height() * p.width() == p.size; });
    add_part([](P p) { return p.height() == p.width(); });
    add_part([](P p) { return p.n_holes; });
    add_part([=](P p) { return p.top == 0 || p.left == 0 || p.bottom == last_row || p.right == last_column; });
    add_part([](P p) { return p.top == 0; });
    add_part([=](P p) { return p.bottom == last_row; });
    add_part([](P p) { return p.left == 0; });
    add_part([=](P p) { return p.right == last_column; });
    add_part([](P p) { return p.is_symmetric_sideways; });
    add_part([](P p) { return p.is_symmetric_upright; });
    add_part([](P p) { return p.is_symmetric_sideways + p.is_symmetric_upright; });
    add_rank(false, 2, is_ground, [](P p) { return p.top; });
    add_rank(true, 2, is_ground, [](P p) { return p.bottom; });
    add_rank(false, 2, is_ground, [](P p) { return p.left; });
    add_rank(true, 2, is_ground, [](P p) { return p.right; });
    for (int c = 0; c < 10; c++) add_part([=](P p) { return p.touched[c] > 0; });
    add_part([=](P p) { return most_common_color(p.touched, ground); });
    add_part([](P p) { return n_colors_counted(p.touched); });
    if (how == OBJECTS) {
      add_part([=](P p) { return n_colors_counted(count_colors(p).data()); });
      add_part([=](P p) { return most_common_color(count_colors(p).data()); });
      add_part([=](P p) { return rarest_color(count_colors(p).data()); });
    }
    place_features(how);
    if (how == COLOR_OBJECTS) seen_part_features();
    if (how != COLOR_PARTS) enclosing_features();
  }

  // Where a cell lies in its part.
  void place_features(Cut how) {
    const CellPart* all = parts.data();
    const i32 *part = part_of, w = width;
    auto of = [=](i32 i, i32 j) -> const CellPart& { return all[part[(i64)i * w + j]]; };
    auto ring = [=](i32 i, i32 j) { return of(i, j).distance_from_box(i, j); };
    add_at([=](i32 i, i32 j) { return i - of(i, j).top; });
    add_at([=](i32 i, i32 j) { return of(i, j).bottom - i; });
    add_at([=](i32 i, i32 j) { return j - of(i, j).left; });
    add_at([=](i32 i, i32 j) { return of(i, j).right - j; });
    add_at(ring);
    add_at([=](i32 i, i32 j) { return ring(i, j) % 2; });
    add_at([=](i32 i, i32 j) { return (i - of(i, j).top) % 2; });
    add_at([=](i32 i, i32 j) { return (j - of(i, j).left) % 2; });
    add_at([=](i32 i, i32 j) { return (i - of(i, j).top + j - of(i, j).left) % 2; });
    add_at([=](i32 i, i32 j) {
      const CellPart& p = of(i, j);
      return (2 * i == p.top + p.bottom) + (2 * j == p.left + p.right);
    });
    add_at([=](i32 i, i32 j) {
      const CellPart& p = of(i, j);
      if (p.height() != p.width()) return 0;
      return (i - p.top == j - p.left) + (i - p.top == p.right - j);
    });
    for (const int directions : {STRAIGHT, ALL})
      add_at([=](i32 i, i32 j) {
        i32 n_others = 0;
        for (int d = 0; d < 8; d++) {
          if (!is_in(directions, d)) continue;
          const i32 i2 = i + row_step(d), j2 = j + column_step(d);
          n_others += !scene.has(i2, j2) || part[(i64)i2 * w + j2] != part[(i64)i * w + j];
        }
        return n_others;
      });
    if (how != OBJECTS) return;
    add_at([=](i32 i, i32 j) { return at(i, of(i, j).left + of(i, j).right - j); });
    add_at([=](i32 i, i32 j) { return at(of(i, j).top + of(i, j).bottom - i, j); });
    add_at([=](i32 i, i32 j) {
      const CellPart& p = of(i, j);
      return at(p.top + p.bottom - i, p.left + p.right - j);
    });
  }

  // The part that cell k sees in a direction, or null.
  const CellPart* part_seen(int d, i64 k) const {
    const i32 color = sights[d * n + k];
    if (color == ABSENT) return nullptr;
    while (own(k) != color) k += (i64)row_step(d) * width + column_step(d);
    return &parts[part_of[k]];
  }
  // Adds features of the parts around a cell and around its own part, background left out.
  void seen_part_features() {
    auto size_around = [=](i32 i, i32 j, bool largest) {
      i32 best = 0;
      for (int d = 0; d < 8; d++) {
        const i32 i2 = i + row_step(d), j2 = j + column_step(d);
        if (!scene.has(i2, j2) || at(i2, j2) == ground || part_at(i2, j2) == part_at(i, j)) continue;
        const i32 size = parts[part_at(i2, j2)].size;
        if (!best || (largest ? size > best : size < best)) best = size;
      }
      return best;
    };
    add_at([=](i32 i, i32 j) { return size_around(i, j, true); });
    add_at([=](i32 i, i32 j) { return size_around(i, j, false); });
    for (int d = 0; d < 8; d++)
      if (is_beside(d))
        add([=](i64 k) {
          const CellPart* seen = part_seen(d, k);
          return seen ? seen->size : 0;
        });
    // The color of the smaller, or the larger, of the two parts that it is between in its row or column; the line
    // with the smaller parts counts.
    auto end_color = [=](i64 k, bool larger) {
      typedef std::pair<i32, i32> End;  // size and color
      typedef std::pair<End, End> Ends;
      Ends best = {{INT32_MAX, ABSENT}, {INT32_MAX, ABSENT}};
      for (const auto& [one, other] : {std::pair(3, 4), std::pair(1, 6)}) {
        const CellPart *a = part_seen(one, k), *b = part_seen(other, k);
        if (a && b) best = std::min(best, Ends(std::minmax(End(a->size, a->main), End(b->size, b->main))));
      }
      return (larger ? best.second : best.first).second;
    };
    add([=](i64 k) { return end_color(k, false); });
    add([=](i64 k) { return end_color(k, true); });
    for (int d = 0; d < 8; d++) {
      if (!is_beside(d)) continue;
      add_part([=](const CellPart& part) {
        i32 counts[11] = {};
        for (const Place& at : part) counts[sights[d * n + (i64)at.row * width + at.column]]++;
        return most_common_color(counts);
      });
    }
  }

  // The part of two cells or more with the smallest box around a cell, the first of several.
  void enclosing_features() {
    std::vector<const CellPart*> enclosing(n);
    for (const CellPart& part : parts) {
      if (part.is_ground || part.size < 2) continue;
      const i32 area = part.height() * part.width();
      for (i32 i = part.top; i <= part.bottom; i++)
        for (i32 j = part.left; j <= part.right; j++) {
          const CellPart*& there = enclosing[(i64)i * width + j];
          if (!there || area < there->height() * there->width()) there = &part;
        }
    }
    const CellPart* const* around = enclosing.data();
    const i32 w = width;
    add([=](i64 k) { return around[k] != nullptr; });
    add([=](i64 k) { return around[k] ? around[k]->main : ABSENT; });
    add_at([=](i32 i, i32 j) {
      const CellPart* part = around[(i64)i * w + j];
      return part ? part->distance_from_box(i, j) : MOST;
    });
    add([=](i64 k) { return around[k] ? around[k]->size : 0; });
  }

  void whole_features() {
    const i32 main = most_common_color(color_counts, ground), rare = rarest_color(color_counts, ground);
    add([=](i64) { return ground; });
    add([=](i64) { return main; });
    add([=](i64) { return rare; });
    add([=](i64 k) { return own(k) == main; });
    add([=](i64 k) { return own(k) == rare; });
  }

  Parts cutting;                // the last one
  std::vector<CellPart> parts;  // its parts and their features
  const i32* part_of = nullptr;  // of each cell
};

}  // namespace cells
}  // namespace arc
