// What can be said of a cell by its object and others: as language/primitives/cell_objects.py, in the same
// order. What is written here runs in one thread, inside `serial`.
#pragma once
#include "cell_surroundings.hpp"

namespace arc {

struct ObjectsWriter : SurroundingsWriter {
  ARC_FN void box_features() {
    i32* number = s.queue;
    for (i64 k = 0; columns && k < n; k++) number[k] = 0;
    for (i32 c = 0; c < 10; c++) {
      i32 top = n_rows, bottom = -1, left = width, right = -1;
      for (i32 i = 0; columns && color_counts[c] && i < n_rows; i++)
        for (i32 j = 0; j < width; j++) {
          if (at(i, j) != c) continue;
          top = min_of(top, i);
          bottom = max_of(bottom, i);
          left = min_of(left, j);
          right = max_of(right, j);
        }
      auto inside = [=](i32 i, i32 j) { return i >= top && i <= bottom && j >= left && j <= right; };
      for (i32 i = top; columns && c != ground && i <= bottom; i++)
        for (i32 j = left; j <= right; j++) number[(i64)i * width + j]++;
      add_at(NAMES, 11, inside);
    }
    add(0, 8, [=](i64 k) { return number[k]; });
  }

  // Cuts the grid into parts; what their boxes hold in all.
  ARC_FN i64 cut(int how) {
    i32* parents = s.queue;
    i32 k = 0;
    for (i32 i = 0; i < n_rows; i++)
      for (i32 j = 0; j < width; j++, k++) {
        const bool is_ground = own(k) == ground;
        auto join = [&](i32 earlier) {
          if (how < 2 || is_ground ? own(earlier) != own(k) : own(earlier) == ground) return;
          join_parts(parents, k, earlier);
        };
        parents[k] = k;
        if (j) join(k - 1);
        if (i) join(k - width);
        if (how == 0 || is_ground || !i) continue;
        if (j) join(k - width - 1);
        if (j + 1 < width) join(k - width + 1);
      }
    n_objects = 0;
    k = 0;
    for (i32 i = 0; i < n_rows; i++)
      for (i32 j = 0; j < width; j++, k++) {
        if (parents[k] == k) {
          s.of[k] = n_objects;
          CellObject& object = s.objects[n_objects++];
          object.color = own(k);
          object.ground = object.color == ground;
          object.size = 1;
          object.top = object.bottom = i;
          object.left = object.right = j;
          continue;
        }
        CellObject& object = s.objects[s.of[k] = s.of[parents[k]]];
        object.size++;
        object.bottom = i;
        object.left = min_of(object.left, j);
        object.right = max_of(object.right, j);
      }
    i64 area = 0;
    for (i32 o = 0; o < n_objects; o++) area += (i64)s.objects[o].height() * s.objects[o].breadth();
    return area;
  }
  // Lists the places of each part; where a part has several colours its own is the commonest.
  ARC_FN void list_places(int how) {
    i32 first = 0;
    for (i32 o = 0; o < n_objects; o++) {
      s.objects[o].places = s.places + first;
      s.tally[o] = first;
      first += s.objects[o].size;
    }
    for (i32 k = 0; k < n; k++) s.places[s.tally[s.of[k]]++] = k;
    for (i32 o = 0; how == 2 && o < n_objects; o++) {
      CellObject& object = s.objects[o];
      i32 counts[10] = {};
      for (i32 q = 0; q < object.size; q++) counts[own(object.places[q])]++;
      object.color = commonest_color(counts);
    }
  }

  ARC_FN i32 count_object_holes(i32 o) const {
    const CellObject& object = s.objects[o];
    const i32 height = object.height(), breadth = object.breadth();
    if (height < 3 || breadth < 3 || (i64)height * breadth == object.size) return 0;
    for (i64 k = 0; k < (i64)height * breadth; k++) s.seen[k] = 0;
    i32 n_holes = 0;
    for (i32 row = 0; row < height; row++)
      for (i32 column = 0; column < breadth; column++) {
        auto is_new = [&](i32 i, i32 j) {
          return !s.seen[(i64)i * breadth + j] &&
                 s.of[(i64)(object.top + i) * width + object.left + j] != o;
        };
        if (!is_new(row, column)) continue;
        bool is_hole = true;
        i64 end = 0;
        s.queue[end++] = row * breadth + column;
        s.seen[(i64)row * breadth + column] = 1;
        for (i64 q = 0; q < end; q++) {
          const i32 i = s.queue[q] / breadth, j = s.queue[q] % breadth;
          is_hole &= i > 0 && j > 0 && i < height - 1 && j < breadth - 1;
          for (int d = 0; d < 8; d++) {
            if (!is_beside(d)) continue;
            const i32 i2 = i + row_step(d), j2 = j + column_step(d);
            if ((u32)i2 >= (u32)height || (u32)j2 >= (u32)breadth || !is_new(i2, j2)) continue;
            s.seen[(i64)i2 * breadth + j2] = 1;
            s.queue[end++] = i2 * breadth + j2;
          }
        }
        n_holes += is_hole;
      }
    return n_holes;
  }
  ARC_FN bool same_shape(const CellObject& a, const CellObject& b) const {
    if (a.ground != b.ground || a.size != b.size || a.height() != b.height() || a.breadth() != b.breadth())
      return false;
    const i32 apart = (b.top - a.top) * width + b.left - a.left;
    for (i32 k = 0; k < a.size; k++)
      if (a.places[k] + apart != b.places[k]) return false;
    return true;
  }
  // What is said of each part but by comparison.
  ARC_FN void describe_objects(int how) {
    i32* leaders = s.values;  // the first parts of their shapes
    i32 n_leaders = 0;
    for (i32 o = 0; o < n_objects; o++) {
      CellObject& object = s.objects[o];
      object.holes = count_object_holes(o);
      object.mirrored_sideways = object.mirrored_upright = true;
      for (int c = 0; c < 11; c++) object.touched[c] = 0;
      for (i32 q = 0; q < object.size; q++) {
        const i32 k = object.places[q], i = k / width, j = k % width;
        const i32 across = object.left + object.right - j, below = object.top + object.bottom - i;
        object.mirrored_sideways &= s.of[(i64)i * width + across] == o;
        object.mirrored_upright &= s.of[(i64)below * width + j] == o;
        for (int d = 0; d < 8; d++) {
          const i32 i2 = i + row_step(d), j2 = j + column_step(d);
          if ((how == 0 && !is_beside(d)) || !scene.has(i2, j2)) continue;
          const i64 there = (i64)i2 * width + j2;
          if (s.of[there] != o) object.touched[own(there)]++;
        }
      }
      i32 l = 0;
      while (l < n_leaders && !same_shape(s.objects[leaders[l]], object)) l++;
      if (l == n_leaders) leaders[n_leaders++] = o;
      object.first_alike = leaders[l];
    }
  }

  template <class F>
  ARC_FN void add_object(int traits, int simplicity, F f) {
    for (i32 o = 0; columns && wanted[next] && o < n_objects; o++) s.values[o] = f(s.objects[o]);
    add_values(traits, simplicity);
  }
  ARC_FN void add_values(int traits, int simplicity) {
    add(traits, simplicity, [=](i64 k) { return s.values[s.of[k]]; });
  }
  // Ranks of what f gives, numbers from 0 to n, among parts for which `key` is the same, a number
  // below `n_keys`.
  template <class F, class Key>
  ARC_FN void add_rank(int traits, int simplicity, bool falling, i32 n_keys, Key key, F f) {
    for (i32 g = 0; columns && wanted[next] && g < n_keys; g++) {
      i32 most = -1;
      for (i32 o = 0; o < n_objects; o++)
        if (key(s.objects[o]) == g) most = max_of(most, (i32)f(s.objects[o]));
      if (most < 0) continue;
      for (i32 v = 0; v <= most; v++) s.tally[v] = 0;
      for (i32 o = 0; o < n_objects; o++)
        if (key(s.objects[o]) == g) s.tally[f(s.objects[o])] = 1;
      i32 n_before = 0;
      for (i32 v = 0; v <= most; v++) {
        i32& there = s.tally[falling ? most - v : v];
        const i32 is_there = there;
        there = n_before;
        n_before += is_there;
      }
      for (i32 o = 0; o < n_objects; o++)
        if (key(s.objects[o]) == g) s.values[o] = s.tally[f(s.objects[o])];
    }
    add_values(traits, simplicity);
  }
  // How many parts have the same key, a number below 2 n + 4.
  template <class Key>
  ARC_FN void add_count(int traits, int simplicity, Key key) {
    if (columns && wanted[next]) {
      for (i32 o = 0; o < n_objects; o++) s.tally[key(s.objects[o])] = 0;
      for (i32 o = 0; o < n_objects; o++) s.tally[key(s.objects[o])]++;
      for (i32 o = 0; o < n_objects; o++) s.values[o] = s.tally[key(s.objects[o])];
    }
    add_values(traits, simplicity);
  }

  // The parts of one cut.
  ARC_FN void object_features(int how) {
    typedef const CellObject& O;
    if (columns) {
      cut(how);
      list_places(how);
      describe_objects(how);
    }
    auto kind = [](O o) { return (i32)o.ground; };
    auto size = [](O o) { return o.size; };
    add_object(0, 10, size);
    add_object(0, 7, [](O o) { return o.size % 2; });
    add_rank(0, 12, true, 2, kind, size);
    add_rank(0, 12, false, 2, kind, size);
    add_rank(0, 9, true, 10, [](O o) { return o.color; }, size);
    add_count(0, 9, [](O o) { return 2 * o.size + o.ground; });
    add_count(0, 10, [](O o) { return o.first_alike; });
    add_count(0, 8, [](O o) { return o.color; });
    add_object(TURNS, 9, [](O o) { return o.height(); });
    add_object(TURNS, 9, [](O o) { return o.breadth(); });
    add_object(0, 9, [](O o) { return max_of(o.height(), o.breadth()); });
    add_object(0, 9, [](O o) { return min_of(o.height(), o.breadth()); });
    add_object(0, 10, [](O o) { return (i32)((i64)o.height() * o.breadth() == o.size); });
    add_object(0, 9, [](O o) { return (i32)(o.height() == o.breadth()); });
    add_object(0, 11, [](O o) { return o.holes; });
    const i32 last_row = n_rows - 1, last_column = width - 1;
    add_object(0, 12, [=](O o) {
      return (i32)(o.top == 0 || o.left == 0 || o.bottom == last_row || o.right == last_column);
    });
    add_object(TURNS, 9, [](O o) { return (i32)(o.top == 0); });
    add_object(TURNS, 9, [=](O o) { return (i32)(o.bottom == last_row); });
    add_object(TURNS, 9, [](O o) { return (i32)(o.left == 0); });
    add_object(TURNS, 9, [=](O o) { return (i32)(o.right == last_column); });
    add_object(TURNS, 8, [](O o) { return (i32)o.mirrored_sideways; });
    add_object(TURNS, 8, [](O o) { return (i32)o.mirrored_upright; });
    add_object(0, 8, [](O o) { return o.mirrored_sideways + o.mirrored_upright; });
    add_rank(TURNS, 9, false, 2, kind, [](O o) { return o.top; });
    add_rank(TURNS, 9, true, 2, kind, [](O o) { return o.bottom; });
    add_rank(TURNS, 9, false, 2, kind, [](O o) { return o.left; });
    add_rank(TURNS, 9, true, 2, kind, [](O o) { return o.right; });
    for (int c = 0; c < 10; c++) add_object(NAMES, 11, [=](O o) { return (i32)(o.touched[c] > 0); });
    const i32 under = ground;
    add_object(how == 2 ? SHADE : PAINT, 11, [=](O o) { return commonest_color(o.touched, under); });
    add_object(0, 8, [](O o) { return n_colors_counted(o.touched); });
    if (how == 2) {
      auto has = [=](O o, i32* counts) {
        for (int c = 0; c < 10; c++) counts[c] = 0;
        for (i32 q = 0; q < o.size; q++) counts[own(o.places[q])]++;
      };
      i32 counts[10];
      add_object(0, 10, [&](O o) { return has(o, counts), n_colors_counted(counts); });
      add_object(PAINT, 11, [&](O o) { return has(o, counts), commonest_color(counts); });
      add_object(PAINT, 11, [&](O o) { return has(o, counts), rarest_color(counts); });
    }
    place_features(how);
    if (how == 1) sighted_features();
    if (how) enclosing_features(how);
  }

  ARC_FN void place_features(int how) {
    auto of = [=](i32 i, i32 j) -> const CellObject& { return s.objects[s.of[(i64)i * width + j]]; };
    auto ring = [=](i32 i, i32 j) {
      const CellObject& o = of(i, j);
      return min_of(min_of(i - o.top, o.bottom - i), min_of(j - o.left, o.right - j));
    };
    add_at(TURNS, 9, [=](i32 i, i32 j) { return i - of(i, j).top; });
    add_at(TURNS, 9, [=](i32 i, i32 j) { return of(i, j).bottom - i; });
    add_at(TURNS, 9, [=](i32 i, i32 j) { return j - of(i, j).left; });
    add_at(TURNS, 9, [=](i32 i, i32 j) { return of(i, j).right - j; });
    add_at(0, 10, ring);
    add_at(0, 8, [=](i32 i, i32 j) { return ring(i, j) % 2; });
    add_at(TURNS, 7, [=](i32 i, i32 j) { return (i - of(i, j).top) % 2; });
    add_at(TURNS, 7, [=](i32 i, i32 j) { return (j - of(i, j).left) % 2; });
    add_at(TURNS, 8, [=](i32 i, i32 j) { return (i - of(i, j).top + j - of(i, j).left) % 2; });
    add_at(0, 8, [=](i32 i, i32 j) {
      const CellObject& o = of(i, j);
      return (2 * i == o.top + o.bottom) + (2 * j == o.left + o.right);
    });
    add_at(0, 8, [=](i32 i, i32 j) {
      const CellObject& o = of(i, j);
      if (o.height() != o.breadth()) return 0;
      return (i - o.top == j - o.left) + (i - o.top == o.right - j);
    });
    for (int set = 0; set <= 2; set += 2)
      add_at(0, 10, [=](i32 i, i32 j) {
        const i64 k = (i64)i * width + j;
        i32 n_others = 0;
        for (int d = 0; d < 8; d++) {
          if (!is_of(set, d)) continue;
          const i32 i2 = i + row_step(d), j2 = j + column_step(d);
          n_others += !scene.has(i2, j2) || s.of[(i64)i2 * width + j2] != s.of[k];
        }
        return n_others;
      });
    if (how != 2) return;
    add_at(PAINT | TURNS, 9, [=](i32 i, i32 j) { return at(i, of(i, j).left + of(i, j).right - j); });
    add_at(PAINT | TURNS, 9, [=](i32 i, i32 j) { return at(of(i, j).top + of(i, j).bottom - i, j); });
    add_at(PAINT, 9, [=](i32 i, i32 j) {
      const CellObject& o = of(i, j);
      return at(o.top + o.bottom - i, o.left + o.right - j);
    });
  }

  // What a cell sees of objects but background, and what its own object sees.
  ARC_FN void sighted_features() {
    auto around = [=](i32 i, i32 j, bool largest) {
      i32 found = 0;
      for (int d = 0; d < 8; d++) {
        const i32 i2 = i + row_step(d), j2 = j + column_step(d);
        if (!scene.has(i2, j2) || at(i2, j2) == ground) continue;
        const i32 o = s.of[(i64)i2 * width + j2], size = s.objects[o].size;
        if (o == s.of[(i64)i * width + j]) continue;
        if (!found || (largest ? size > found : size < found)) found = size;
      }
      return found;
    };
    add_at(0, 11, [=](i32 i, i32 j) { return around(i, j, true); });
    add_at(0, 10, [=](i32 i, i32 j) { return around(i, j, false); });
    for (int d = 0; d < 8; d++)
      if (is_beside(d))
        add(TURNS, 9, [=](i64 k) {
          const i32 o = seen_object(d, k);
          return o < 0 ? 0 : s.objects[o].size;
        });
    // The colour of the smaller, or the larger, end of the line that has the least of such ends.
    auto end_color = [=](i64 k, bool larger) {
      const int one[2] = {3, 1}, other[2] = {4, 6};
      u64 least = ~0ULL, then = ~0ULL;  // size and colour of both ends
      for (int line = 0; line < 2; line++) {
        const i32 a = seen_object(one[line], k), b = seen_object(other[line], k);
        if (a < 0 || b < 0) continue;
        const u64 first = (u64)s.objects[a].size << 8 | (u64)s.objects[a].color;
        const u64 second = (u64)s.objects[b].size << 8 | (u64)s.objects[b].color;
        const u64 lesser = min_of(first, second), greater = max_of(first, second);
        if (lesser > least || (lesser == least && greater >= then)) continue;
        least = lesser;
        then = greater;
      }
      if (least == ~0ULL) return NO_COLOR_THERE;
      return (i32)((larger ? then : least) & 255);
    };
    add(PAINT, 12, [=](i64 k) { return end_color(k, false); });
    add(PAINT, 12, [=](i64 k) { return end_color(k, true); });
    for (int d = 0; d < 8; d++) {
      if (!is_beside(d)) continue;
      add_object(PAINT | TURNS, 10, [=](const CellObject& o) {
        i32 counts[11] = {};
        for (i32 q = 0; q < o.size; q++) counts[s.sights[d * n + o.places[q]]]++;
        return commonest_color(counts);
      });
    }
  }

  ARC_FN void enclosing_features(int how) {
    i32* around = s.values;  // the object of each cell, or -1
    for (i64 k = 0; columns && k < n; k++) around[k] = -1;
    for (i32 o = 0; columns && o < n_objects; o++) {
      const CellObject& object = s.objects[o];
      if (object.ground || object.size < 2) continue;
      const i32 area = object.height() * object.breadth();
      for (i32 i = object.top; i <= object.bottom; i++)
        for (i32 j = object.left; j <= object.right; j++) {
          i32& there = around[(i64)i * width + j];
          if (there < 0 || area < s.objects[there].height() * s.objects[there].breadth()) there = o;
        }
    }
    add(0, 11, [=](i64 k) { return around[k] >= 0; });
    add(how == 2 ? PAINT : SHADE, 10, [=](i64 k) { return around[k] < 0 ? NO_COLOR_THERE : s.objects[around[k]].color; });
    add_at(0, 9, [=](i32 i, i32 j) {
      const i32 there = around[(i64)i * width + j];
      if (there < 0) return MOST_OF_CELL;
      const CellObject& o = s.objects[there];
      return min_of(min_of(i - o.top, o.bottom - i), min_of(j - o.left, o.right - j));
    });
    add(0, 8, [=](i64 k) { return around[k] < 0 ? 0 : s.objects[around[k]].size; });
  }
};

}  // namespace arc
