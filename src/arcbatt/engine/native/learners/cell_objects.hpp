// Features of a cell by the object that it belongs to and by others around it, and by the whole grid: those of
// language/primitives/cell_objects.py and cell_features.py, in the same order.
#pragma once
#include <array>

#include "arcbatt/joined_parts.hpp"
#include "cell_surroundings.hpp"

namespace arc {
namespace cells {

// Ways to cut a grid into parts: 4-connected of one color; 8-connected of one color, or of all colors other than the
// background; the background always 4-connected.
enum Cut { COLOR_PARTS, COLOR_OBJECTS, OBJECTS };

// A part of a grid.
struct Part {
  const i32* places;  // in reading order
  i32 size, color, top, bottom, left, right, n_holes, first_of_shape;
  bool is_ground, is_symmetric_sideways, is_symmetric_upright;
  i32 touched[11];  // how often cells touch each color outside the part

  i32 height() const { return bottom - top + 1; }
  i32 width() const { return right - left + 1; }
  i32 distance_from_box(i32 i, i32 j) const { return std::min({i - top, bottom - i, j - left, right - j}); }
};

class ObjectColumns : public SurroundingsColumns {
 public:
  using SurroundingsColumns::SurroundingsColumns;

  // Returns the cost of describing all parts: the cells of their boxes, for all cuts.
  u64 cost() {
    u64 area = 0;
    for (const Cut how : {COLOR_PARTS, COLOR_OBJECTS, OBJECTS}) {
      cut(how);
      for (const Part& part : parts) area += (u64)part.height() * (u64)part.width();
    }
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

  // Cuts the grid: finds the boxes, sizes and first colors of parts.
  void cut(Cut how) {
    std::vector<i32> parents(n);
    i32 k = 0;
    for (i32 i = 0; i < n_rows; i++)
      for (i32 j = 0; j < width; j++, k++) {
        const bool is_ground = own(k) == ground;
        auto join = [&](i32 earlier) {
          if (how != OBJECTS || is_ground ? own(earlier) == own(k) : own(earlier) != ground)
            join_parts(parents.data(), k, earlier);
        };
        parents[k] = k;
        if (j) join(k - 1);
        if (i) join(k - width);
        if (how == COLOR_PARTS || is_ground || !i) continue;
        if (j) join(k - width - 1);
        if (j + 1 < width) join(k - width + 1);
      }
    parts.clear();
    part_of.resize(n);
    k = 0;
    for (i32 i = 0; i < n_rows; i++)
      for (i32 j = 0; j < width; j++, k++) {
        if (parents[k] == k) {
          part_of[k] = (i32)parts.size();
          Part part = {};
          part.color = own(k);
          part.is_ground = part.color == ground;
          part.top = i;
          part.left = part.right = j;
          parts.push_back(part);
        }
        Part& part = parts[part_of[k] = part_of[parents[k]]];
        part.size++;
        part.bottom = i;
        part.left = std::min(part.left, j);
        part.right = std::max(part.right, j);
      }
  }
  // Lists the places of parts, and finds what does not depend on other parts.
  void describe_parts(Cut how) {
    std::vector<i32> ends;
    i32 first = 0;
    places.resize(n);
    for (Part& part : parts) {
      part.places = places.data() + first;
      ends.push_back(first);
      first += part.size;
    }
    for (i32 k = 0; k < n; k++) places[ends[part_of[k]]++] = k;
    std::vector<i32> shapes;  // the first parts of their shapes
    for (i32 p = 0; p < (i32)parts.size(); p++) {
      Part& part = parts[p];
      if (how == OBJECTS) part.color = most_common_color(count_colors(part).data());
      part.n_holes = count_holes(p);
      part.is_symmetric_sideways = part.is_symmetric_upright = true;
      for (i32 q = 0; q < part.size; q++) {
        const i32 k = part.places[q], i = k / width, j = k % width;
        const i32 across = part.left + part.right - j, below = part.top + part.bottom - i;
        part.is_symmetric_sideways &= part_at(i, across) == p;
        part.is_symmetric_upright &= part_at(below, j) == p;
        for (int d = 0; d < 8; d++) {
          const i32 i2 = i + row_step(d), j2 = j + column_step(d);
          if ((how == COLOR_PARTS && !is_beside(d)) || !scene.has(i2, j2)) continue;
          if (part_at(i2, j2) != p) part.touched[at(i2, j2)]++;
        }
      }
      size_t s = 0;
      while (s < shapes.size() && !have_same_shape(parts[shapes[s]], part)) s++;
      if (s == shapes.size()) shapes.push_back(p);
      part.first_of_shape = shapes[s];
    }
  }
  std::array<i32, 10> count_colors(const Part& part) const {
    std::array<i32, 10> counts = {};
    for (i32 q = 0; q < part.size; q++) counts[own(part.places[q])]++;
    return counts;
  }
  i32 part_at(i32 i, i32 j) const { return part_of[(i64)i * width + j]; }

  // The number of 4-connected areas of a part's box that are not its own and do not reach the sides of the box.
  i32 count_holes(i32 p) const {
    const Part& part = parts[p];
    const i32 high = part.height(), wide = part.width();
    if (high < 3 || wide < 3 || (i64)high * wide == part.size) return 0;
    std::vector<u8> seen((i64)high * wide);
    std::vector<Place> queue;
    i32 n_holes = 0;
    for (i32 row = 0; row < high; row++)
      for (i32 column = 0; column < wide; column++) {
        auto reach = [&](i32 i, i32 j) {
          if ((u32)i >= (u32)high || (u32)j >= (u32)wide || seen[(i64)i * wide + j]) return;
          if (part_at(part.top + i, part.left + j) == p) return;
          seen[(i64)i * wide + j] = 1;
          queue.push_back({i, j});
        };
        queue.clear();
        reach(row, column);
        bool is_hole = !queue.empty();
        for (size_t q = 0; q < queue.size(); q++) {
          const Place here = queue[q];
          is_hole &= here.row > 0 && here.column > 0 && here.row < high - 1 && here.column < wide - 1;
          reach(here.row - 1, here.column);
          reach(here.row + 1, here.column);
          reach(here.row, here.column - 1);
          reach(here.row, here.column + 1);
        }
        n_holes += is_hole;
      }
    return n_holes;
  }
  bool have_same_shape(const Part& a, const Part& b) const {
    if (a.is_ground != b.is_ground || a.size != b.size || a.height() != b.height() || a.width() != b.width())
      return false;
    const i32 apart = (b.top - a.top) * width + b.left - a.left;
    for (i32 k = 0; k < a.size; k++)
      if (a.places[k] + apart != b.places[k]) return false;
    return true;
  }

  // Adds f(part) of each cell's part.
  template <class F>
  void add_part(F f) {
    std::vector<i32> values;
    for (size_t p = 0; wanted[next] && p < parts.size(); p++) values.push_back((i32)f(parts[p]));
    add_values(values);
  }
  void add_values(const std::vector<i32>& values) {
    const i32 *value = values.data(), *part = part_of.data();
    add([=](i64 k) { return value[part[k]]; });
  }
  // Adds the rank of f(part), a number from 0 to n, among parts with the same key, a number below `n_keys`.
  template <class Key, class F>
  void add_rank(bool falling, i32 n_keys, Key key, F f) {
    std::vector<i32> values(parts.size()), ranks;
    for (i32 group = 0; wanted[next] && group < n_keys; group++) {
      i32 highest = -1;
      for (const Part& part : parts)
        if (key(part) == group) highest = std::max(highest, f(part));
      ranks.assign(highest + 1, 0);
      for (const Part& part : parts)
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
      for (const Part& part : parts) counts[key(part)]++;
      for (const Part& part : parts) values.push_back(counts[key(part)]);
    }
    add_values(values);
  }

  void part_features(Cut how) {
    typedef const Part& P;
    cut(how);
    describe_parts(how);
    auto is_ground = [](P p) { return (i32)p.is_ground; };
    auto size = [](P p) { return p.size; };
    add_part(size);
    add_part([](P p) { return p.size % 2; });
    add_rank(true, 2, is_ground, size);
    add_rank(false, 2, is_ground, size);
    add_rank(true, 10, [](P p) { return p.color; }, size);
    add_count([](P p) { return 2 * p.size + p.is_ground; });
    add_count([](P p) { return p.first_of_shape; });
    add_count([](P p) { return p.color; });
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
    const Part* all = parts.data();
    const i32 *part = part_of.data(), w = width;
    auto of = [=](i32 i, i32 j) -> const Part& { return all[part[(i64)i * w + j]]; };
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
      const Part& p = of(i, j);
      return (2 * i == p.top + p.bottom) + (2 * j == p.left + p.right);
    });
    add_at([=](i32 i, i32 j) {
      const Part& p = of(i, j);
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
      const Part& p = of(i, j);
      return at(p.top + p.bottom - i, p.left + p.right - j);
    });
  }

  // The part that cell k sees in a direction, or null.
  const Part* part_seen(int d, i64 k) const {
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
          const Part* seen = part_seen(d, k);
          return seen ? seen->size : 0;
        });
    // The color of the smaller, or the larger, of the two parts that it is between in its row or column; the line
    // with the smaller parts counts.
    auto end_color = [=](i64 k, bool larger) {
      typedef std::pair<i32, i32> End;  // size and color
      typedef std::pair<End, End> Ends;
      Ends best = {{INT32_MAX, ABSENT}, {INT32_MAX, ABSENT}};
      for (const auto& [one, other] : {std::pair(3, 4), std::pair(1, 6)}) {
        const Part *a = part_seen(one, k), *b = part_seen(other, k);
        if (a && b) best = std::min(best, Ends(std::minmax(End(a->size, a->color), End(b->size, b->color))));
      }
      return (larger ? best.second : best.first).second;
    };
    add([=](i64 k) { return end_color(k, false); });
    add([=](i64 k) { return end_color(k, true); });
    for (int d = 0; d < 8; d++) {
      if (!is_beside(d)) continue;
      add_part([=](const Part& part) {
        i32 counts[11] = {};
        for (i32 q = 0; q < part.size; q++) counts[sights[d * n + part.places[q]]]++;
        return most_common_color(counts);
      });
    }
  }

  // The part of two cells or more with the smallest box around a cell, the first of several.
  void enclosing_features() {
    std::vector<const Part*> enclosing(n);
    for (const Part& part : parts) {
      if (part.is_ground || part.size < 2) continue;
      const i32 area = part.height() * part.width();
      for (i32 i = part.top; i <= part.bottom; i++)
        for (i32 j = part.left; j <= part.right; j++) {
          const Part*& there = enclosing[(i64)i * width + j];
          if (!there || area < there->height() * there->width()) there = &part;
        }
    }
    const Part* const* around = enclosing.data();
    const i32 w = width;
    add([=](i64 k) { return around[k] != nullptr; });
    add([=](i64 k) { return around[k] ? around[k]->color : ABSENT; });
    add_at([=](i32 i, i32 j) {
      const Part* part = around[(i64)i * w + j];
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

  std::vector<Part> parts;  // of the last cut
  std::vector<i32> part_of;  // of each cell
  std::vector<i32> places;
};

}  // namespace cells
}  // namespace arc
