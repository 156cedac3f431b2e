// What can be said of a cell: as language/primitives/cell_features.py, in the same order. What is
// written here runs in one thread, inside `serial`, but for what takes a lane.
#pragma once
#include "learning.hpp"

namespace arc {

constexpr int N_CELL_FEATURES = 469;
constexpr i32 NO_COLOR_THERE = 10, MOST_OF_CELL = 63;
enum CellTrait : u8 {
  IS_COLOR = 1,
  IS_TAKEN = 2,
  TURNS = 4,
  NAMES = 8,
  SHADE = IS_COLOR | NAMES,
  PAINT = SHADE | IS_TAKEN,
};

// Of each feature: its traits and its simplicity.
struct CellFeatureTable {
  u8 traits[N_CELL_FEATURES];
  u8 simplicity[N_CELL_FEATURES];
};

// A part of a grid; its places are listed in reading order.
struct CellObject {
  const i32* places;
  i32 size, color, top, bottom, left, right, holes, first_alike;
  bool ground, mirrored_sideways, mirrored_upright;
  i32 touched[11];

  ARC_FN i32 height() const { return bottom - top + 1; }
  ARC_FN i32 breadth() const { return right - left + 1; }
};

// Memory for one grid at a time, of up to n cells.
struct CellScratch {
  u8* counts = nullptr;    // 11 a cell
  u8* looked = nullptr;    // 8 n: the first other colour, by direction
  i32* distant = nullptr;  // 10 n: how far that is; how far colours are
  u8* image = nullptr;     // 4 n
  u8* sights = nullptr;    // 8 n: the first colour but background and the own, by direction
  i32* of = nullptr;       // the part of each cell
  i32* places = nullptr;
  i32* queue = nullptr;
  i32* values = nullptr;   // one a part
  i32* tally = nullptr;    // 2 n + 4
  u8* seen = nullptr;
  CellObject* objects = nullptr;
};
ARC_FN bool allocate_cell_scratch(Lane& lane, i64 n, CellScratch& s) {
  s.counts = lane.allocate_array<u8>(11 * n);
  s.looked = lane.allocate_array<u8>(8 * n);
  s.distant = lane.allocate_array<i32>(10 * n);
  s.image = lane.allocate_array<u8>(4 * n);
  s.sights = lane.allocate_array<u8>(8 * n);
  s.of = lane.allocate_array<i32>(n);
  s.places = lane.allocate_array<i32>(n);
  s.queue = lane.allocate_array<i32>(n);
  s.values = lane.allocate_array<i32>(n);
  s.tally = lane.allocate_array<i32>(2 * n + 4);
  s.seen = lane.allocate_array<u8>(n);
  s.objects = lane.allocate_array<CellObject>(n);
  return s.counts && s.looked && s.distant && s.image && s.sights && s.of && s.places && s.queue && s.values &&
         s.tally && s.seen && s.objects;
}

// The colour that is counted most, or least but not 0 times, the lowest of several; two are left out.
template <class T>
ARC_FN i32 commonest_color(const T* counts, i32 apart = -1, i32 apart_too = -1) {
  i32 best = NO_COLOR_THERE;
  for (i32 c = 0; c < 10; c++)
    if (c != apart && c != apart_too && counts[c] > (best == NO_COLOR_THERE ? (T)0 : counts[best])) best = c;
  return best;
}
template <class T>
ARC_FN i32 rarest_color(const T* counts, i32 apart = -1) {
  i32 best = NO_COLOR_THERE;
  for (i32 c = 0; c < 10; c++)
    if (c != apart && counts[c] && (best == NO_COLOR_THERE || counts[c] < counts[best])) best = c;
  return best;
}
template <class T>
ARC_FN i32 n_colors_counted(const T* counts) {
  i32 n = 0;
  for (int c = 0; c < 10; c++) n += counts[c] > 0;
  return n;
}

// Writes the features of one grid, one column after the other: those that are wanted.
struct CellWriter {
  Scene scene;
  CellScratch s;
  u8* columns;       // of the first cell; null where only the table is asked for
  i64 stride;        // from feature to feature
  const u8* wanted;  // one a feature
  CellFeatureTable* table;
  i32 next = 0;  // feature
  i32 ground = 0;
  i64 n = 0;
  i32 n_rows = 0, width = 0;
  i32 color_counts[11] = {};
  i32 n_objects = 0;

  // The next feature: f(k) is what it is in cell k.
  template <class F>
  ARC_FN void add(int traits, int simplicity, F f) {
    table->traits[next] = (u8)traits;
    table->simplicity[next] = (u8)simplicity;
    if (columns && wanted[next]) {
      u8* to = columns + next * stride;
      for (i64 k = 0; k < n; k++) to[k] = (u8)min_of((i32)f(k), MOST_OF_CELL);
    }
    next++;
  }
  // The same by row and column.
  template <class F>
  ARC_FN void add_at(int traits, int simplicity, F f) {
    table->traits[next] = (u8)traits;
    table->simplicity[next] = (u8)simplicity;
    if (columns && wanted[next]) {
      u8* to = columns + next * stride;
      for (i32 i = 0; i < n_rows; i++)
        for (i32 j = 0; j < width; j++) *to++ = (u8)min_of((i32)f(i, j), MOST_OF_CELL);
    }
    next++;
  }
  ARC_FN i32 own(i64 k) const { return scene.cells[k]; }
  ARC_FN i32 at(i32 i, i32 j) const { return scene.at(i, j); }

  // The three writers that look at all cells around: which directions, 0 beside, 1 corners, 2 all.
  ARC_FN static bool is_of(int directions, int d) {
    return directions == 2 || is_beside(d) == (directions == 0);
  }

  ARC_FN void own_features() {
    add(PAINT, 16, [&](i64 k) { return own(k); });
    add(0, 16, [&](i64 k) { return own(k) == ground; });
  }

  ARC_FN void around_features() {
    for (i32 di = -2; di <= 2; di++)
      for (i32 dj = -2; dj <= 2; dj++) {
        if (!di && !dj) continue;
        const bool near = di * di <= 1 && dj * dj <= 1;
        add_at((near ? PAINT : SHADE) | TURNS, near ? 14 : 10,
               [&](i32 i, i32 j) { return at(i + di, j + dj); });
        if (!near) continue;
        add_at(TURNS, 12, [&](i32 i, i32 j) { return at(i + di, j + dj) == at(i, j); });
        add_at(TURNS, 12, [&](i32 i, i32 j) { return at(i + di, j + dj) == ground; });
      }
  }

  ARC_FN void look(int d, u8* color, i32* distance) const {
    const i32 di = row_step(d), dj = column_step(d);
    for (i32 r = 0; r < n_rows; r++)
      for (i32 c = 0; c < width; c++) {
        const i32 i = di < 0 ? r : n_rows - 1 - r, j = dj < 0 ? c : width - 1 - c;
        const i64 k = (i64)i * width + j;
        const i32 following = at(i + di, j + dj);
        const bool same = following == own(k);
        const i64 ahead = k + (i64)di * width + dj;
        color[k] = same ? color[ahead] : (u8)following;
        distance[k] = same ? distance[ahead] + 1 : 1;
      }
  }
  ARC_FN void look_features() {
    for (int d = 0; d < 8; d++) {
      u8* color = s.looked + d * n;
      i32* distance = s.distant + d * n;
      if (columns) look(d, color, distance);
      add(SHADE | TURNS, 14, [=](i64 k) { return color[k]; });
      add(TURNS, 10, [=](i64 k) { return distance[k]; });
      add(TURNS, 8, [=](i64 k) { return distance[k] % 2; });
      add(TURNS, 12, [=](i64 k) { return color[k] == NO_COLOR_THERE; });
    }
    for (int ways = 0; ways < 2; ways++) {
      for (i64 k = 0; columns && k < n; k++) {
        u8* counts = s.counts + 11 * k;
        for (int c = 0; c < 11; c++) counts[c] = 0;
        for (int d = 0; d < 8; d++)
          if (is_of(ways, d)) counts[s.looked[d * n + k]]++;
      }
      for (int c = 0; c < 10; c++) add(NAMES, 11, [=](i64 k) { return s.counts[11 * k + c]; });
      add(0, 11, [=](i64 k) { return s.counts[11 * k + NO_COLOR_THERE]; });
      add(0, 9, [=](i64 k) {
        i32 found = n_rows + width;
        for (int d = 0; d < 8; d++)
          if (is_of(ways, d)) found = min_of(found, s.distant[d * n + k]);
        return found;
      });
      add(0, 8, [=](i64 k) {
        i32 found = 0;
        for (int d = 0; d < 8; d++)
          if (is_of(ways, d)) found = max_of(found, s.distant[d * n + k]);
        return found;
      });
    }
    const int one[4] = {3, 1, 0, 2}, other[4] = {4, 6, 7, 5};
    for (int line = 0; line < 4; line++) {
      const u8 *a = s.looked + one[line] * n, *b = s.looked + other[line] * n;
      u8* between = s.image + line * n;
      for (i64 k = 0; columns && k < n; k++) between[k] = a[k] == b[k] ? a[k] : (u8)NO_COLOR_THERE;
      add((line < 2 ? PAINT : SHADE) | TURNS, 14, [=](i64 k) { return between[k]; });
      add(TURNS, 12, [=](i64 k) { return between[k] != NO_COLOR_THERE; });
    }
    for (int pair = 0; pair < 2; pair++) {
      const u8 *a = s.image + 2 * pair * n, *b = a + n;
      add(PAINT, 13, [=](i64 k) { return min_of(a[k], b[k]); });
      add(0, 11, [=](i64 k) { return (a[k] != NO_COLOR_THERE) + (b[k] != NO_COLOR_THERE); });
    }
  }

  // What is seen first in each direction but background and the own colour; `sights` keeps it.
  ARC_FN void sight_features() {
    for (int d = 0; d < 8; d++) {
      u8* sight = s.sights + d * n;
      const i32 di = row_step(d), dj = column_step(d);
      for (i64 k = 0; columns && k < n; k++) {
        i32 i = (i32)(k / width), j = (i32)(k % width), color = own(k);
        while (color == own(k) || color == ground) color = at(i += di, j += dj);
        sight[k] = (u8)color;
      }
      add(PAINT | TURNS, 13, [=](i64 k) { return sight[k]; });
    }
  }
  // The object that cell k sees in a direction, or -1.
  ARC_FN i32 seen_object(int d, i64 k) const {
    const i32 color = s.sights[d * n + k];
    if (color == NO_COLOR_THERE) return -1;
    while (own(k) != color) k += (i64)row_step(d) * width + column_step(d);
    return s.of[k];
  }

  ARC_FN void mirrored_features() {
    const i32 last_row = n_rows - 1, last_column = width - 1;
    for (int image = 0; image < 5; image++) {
      auto seen = [=](i32 i, i32 j) {
        switch (image) {
          case 0: return at(i, last_column - j);
          case 1: return at(last_row - i, j);
          case 2: return at(last_row - i, last_column - j);
          case 3: return at(j, i);
          default: return at(last_column - j, last_row - i);
        }
      };
      const int turns = image == 2 ? 0 : TURNS;
      add_at(PAINT | turns, 11, seen);
      add_at(turns, 10, [=](i32 i, i32 j) { return seen(i, j) == at(i, j); });
    }
  }

  ARC_FN void position_features() {
    const i32 last_row = n_rows - 1, last_column = width - 1;
    add_at(TURNS, 10, [=](i32 i, i32) { return i; });
    add_at(TURNS, 10, [=](i32 i, i32) { return last_row - i; });
    add_at(TURNS, 10, [=](i32, i32 j) { return j; });
    add_at(TURNS, 10, [=](i32, i32 j) { return last_column - j; });
    for (i32 m = 2; m <= 3; m++) {
      add_at(TURNS, 10, [=](i32 i, i32) { return i % m; });
      add_at(TURNS, 8, [=](i32 i, i32) { return (last_row - i) % m; });
      add_at(TURNS, 10, [=](i32, i32 j) { return j % m; });
      add_at(TURNS, 8, [=](i32, i32 j) { return (last_column - j) % m; });
      add_at(TURNS, 10, [=](i32 i, i32 j) { return (i + j) % m; });
    }
    const i32 w = width;
    add_at(TURNS, 9, [=](i32 i, i32 j) { return (i - j + 3 * w) % 3; });
    auto edge = [=](i32 i, i32 j) {
      return min_of(min_of(i, j), min_of(last_row - i, last_column - j));
    };
    add_at(0, 12, edge);
    add_at(0, 10, [=](i32 i, i32 j) { return edge(i, j) % 2; });
    add_at(TURNS, 9, [=](i32 i, i32) { return min_of(i, last_row - i); });
    add_at(TURNS, 9, [=](i32, i32 j) { return min_of(j, last_column - j); });
    add_at(TURNS, 10, [=](i32 i, i32 j) { return i == j; });
    add_at(TURNS, 10, [=](i32 i, i32 j) { return i + j == last_column; });
    add_at(TURNS, 9, [=](i32 i, i32) { return 2 * i == last_row; });
    add_at(TURNS, 9, [=](i32, i32 j) { return 2 * j == last_column; });
    const i32 is_square = last_row == last_column;
    add_at(0, 9, [=](i32 i, i32 j) { return is_square * ((i == j) + (i + j == last_column)); });
    add_at(0, 9, [=](i32 i, i32 j) { return (2 * i == last_row) + (2 * j == last_column); });
  }

  // Of lines: how often each has each colour, rows first, then columns; 11 numbers each.
  ARC_FN void line_features() {
    i32* counts = s.distant;  // no more lines than n + 1, of which there is room for 10 n
    if (columns) {
      for (i64 k = 0; k < 11LL * (n_rows + width) && k < 10 * n; k++) counts[k] = 0;
    }
    // A grid of one line has n + 1 lines, too many for that room: their counts are found anew.
    const bool roomy = 11LL * (n_rows + width) <= 10 * n;
    for (i32 i = 0; columns && roomy && i < n_rows; i++)
      for (i32 j = 0; j < width; j++) {
        counts[11 * i + at(i, j)]++;
        counts[11 * (n_rows + j) + at(i, j)]++;
      }
    auto n_in = [=](int kind, i32 line, i32 color) {
      if (roomy) return counts[11 * (kind ? n_rows + line : line) + color];
      i32 found = 0;
      for (i32 k = 0; k < (kind ? n_rows : width); k++) found += (kind ? at(k, line) : at(line, k)) == color;
      return found;
    };
    const i32 under = ground;
    auto is_uniform = [=](int kind, i32 line) {
      return n_in(kind, line, kind ? at(0, line) : at(line, 0)) == (kind ? n_rows : width);
    };
    auto n_shown = [=](int kind, i32 line) {
      return (kind ? n_rows : width) - n_in(kind, line, under);
    };
    auto first_shown = [=](int kind, i32 line, bool from_end) {
      const i32 length = kind ? n_rows : width;
      for (i32 k = 0; k < length; k++) {
        const i32 place = from_end ? length - 1 - k : k;
        const i32 color = kind ? at(place, line) : at(line, place);
        if (color != under) return color;
      }
      return NO_COLOR_THERE;
    };
    auto main_color = [=](int kind, i32 line) {
      i32 found[10];
      for (i32 c = 0; c < 10; c++) found[c] = n_in(kind, line, c);
      return commonest_color(found, under);
    };
    for (int kind = 0; kind < 2; kind++) {
      const i32 last = (kind ? n_rows : width) - 1;
      add_line(kind, TURNS, 12, [=](i32 line) { return (i32)is_uniform(kind, line); });
      add_line(kind, PAINT | TURNS, 11, [=](i32 line) { return main_color(kind, line); });
      add_line(kind, PAINT | TURNS, 11, [=](i32 line) { return first_shown(kind, line, false); });
      add_line(kind, PAINT | TURNS, 11, [=](i32 line) { return first_shown(kind, line, true); });
      add_line(kind, SHADE | TURNS, 11, [=](i32 line) { return kind ? at(0, line) : at(line, 0); });
      add_line(kind, SHADE | TURNS, 11, [=](i32 line) { return kind ? at(last, line) : at(line, last); });
      add_line(kind, TURNS, 9, [=](i32 line) { return n_shown(kind, line); });
      for (i32 c = 0; c < 10; c++)
        add_line(kind, NAMES | TURNS, 11, [=](i32 line) { return (i32)(n_in(kind, line, c) > 0); });
    }
    i32 likeness[2] = {0, 0};
    for (int kind = 0; columns && kind < 2; kind++)
      for (i32 line = 0; line < (kind ? width : n_rows); line++) {
        i32 most = 0;
        for (i32 c = 0; c < 10; c++) most = max_of(most, n_in(kind, line, c));
        likeness[kind] += most;
      }
    const int alike = likeness[1] > likeness[0];
    add_line(alike, PAINT, 9, [=](i32 line) {
      if (likeness[0] == likeness[1]) return NO_COLOR_THERE;
      i32 found[10];
      for (i32 c = 0; c < 10; c++) found[c] = n_in(alike, line, c);
      return commonest_color(found);
    });
    i32* of_lines = s.tally;  // 2 n + 4
    auto each_line = [&](auto f) {
      for (i32 line = 0; columns && line < n_rows; line++) of_lines[line] = f(0, line);
      for (i32 line = 0; columns && line < width; line++) of_lines[n_rows + line] = f(1, line);
    };
    const i32 rows = n_rows;
    each_line([&](int kind, i32 line) { return (i32)is_uniform(kind, line); });
    add_at(0, 12, [=](i32 i, i32 j) { return of_lines[i] + of_lines[rows + j]; });
    for (i32 c = 0; c < 10; c++) {
      each_line([&](int kind, i32 line) { return (i32)(n_in(kind, line, c) > 0); });
      add_at(NAMES, 11, [=](i32 i, i32 j) { return of_lines[i] + of_lines[rows + j]; });
    }
    each_line([&](int kind, i32 line) { return n_shown(kind, line); });
    add_at(0, 8, [=](i32 i, i32 j) { return max_of(of_lines[i], of_lines[rows + j]); });
    add_at(0, 8, [=](i32 i, i32 j) { return min_of(of_lines[i], of_lines[rows + j]); });
  }
  // f(line), found once a line.
  template <class F>
  ARC_FN void add_line(int kind, int traits, int simplicity, F f) {
    i32* of_lines = s.tally;
    for (i32 line = 0; columns && wanted[next] && line < (kind ? width : n_rows); line++)
      of_lines[line] = f(line);
    add_at(traits, simplicity, [=](i32 i, i32 j) { return of_lines[kind ? j : i]; });
  }

  ARC_FN void count_features() {
    const int sets[3] = {0, 1, 2}, simplicities[3] = {13, 11, 12};
    for (int set = 0; set < 3; set++) {
      for (i32 i = 0; columns && i < n_rows; i++)
        for (i32 j = 0; j < width; j++) {
          u8* counts = s.counts + 11 * ((i64)i * width + j);
          for (int c = 0; c < 11; c++) counts[c] = 0;
          for (int d = 0; d < 8; d++)
            if (is_of(sets[set], d)) counts[at(i + row_step(d), j + column_step(d))]++;
        }
      for (int c = 0; c < 10; c++)
        add(NAMES, simplicities[set], [=](i64 k) { return s.counts[11 * k + c]; });
      const int n_places = set == 2 ? 8 : 4;
      add(0, 12, [=](i64 k) { return s.counts[11 * k + own(k)]; });
      add(0, 12, [=](i64 k) {
        return n_places - s.counts[11 * k + NO_COLOR_THERE] - s.counts[11 * k + ground];
      });
      add(0, 9, [=](i64 k) { return n_colors_counted(s.counts + 11 * k); });
      add(set == 1 ? SHADE : PAINT, 12, [=](i64 k) { return commonest_color(s.counts + 11 * k, ground, own(k)); });
    }
  }

  ARC_FN void spread(i32 color, bool oblique, i32* found) const {
    const i32 far = n_rows + width;
    for (i64 k = 0; k < n; k++) found[k] = own(k) == color ? 0 : far;
    for (int sign = 1; sign >= -1; sign -= 2)
      for (i64 step = 0; step < n; step++) {
        const i64 k = sign > 0 ? step : n - 1 - step;
        const i32 i = (i32)(k / width), j = (i32)(k % width);
        for (int d = 0; d < 4; d++) {
          if (!oblique && !is_beside(d)) continue;
          const i32 i2 = i + sign * row_step(d), j2 = j + sign * column_step(d);
          if (scene.has(i2, j2)) found[k] = min_of(found[k], found[(i64)i2 * width + j2] + 1);
        }
      }
  }
  ARC_FN void distance_features() {
    const i32 far = n_rows + width;
    for (int oblique = 0; oblique < 2; oblique++) {
      for (i32 c = 0; c < 10; c++) {
        i32* found = s.distant + c * n;
        if (columns && color_counts[c]) spread(c, oblique, found);
        if (columns && !color_counts[c])
          for (i64 k = 0; k < n; k++) found[k] = far;
        add(NAMES, 9, [=](i64 k) { return found[k] == far ? MOST_OF_CELL : found[k]; });
      }
      auto nearest = [=](i64 k) {
        i32 best = NO_COLOR_THERE, distance = far;
        for (i32 c = 0; c < 10; c++)
          if (c != ground && c != own(k) && s.distant[c * n + k] < distance) {
            distance = s.distant[c * n + k];
            best = c;
          }
        return best;
      };
      u8* colors = s.image;
      for (i64 k = 0; columns && k < n; k++) colors[k] = (u8)nearest(k);
      auto distance = [=](i64 k) {
        return colors[k] == NO_COLOR_THERE ? MOST_OF_CELL : s.distant[colors[k] * n + k];
      };
      add(PAINT, 11, [=](i64 k) { return colors[k]; });
      add(0, 9, distance);
      add(0, 8, [=](i64 k) { return distance(k) % 2; });
    }
  }

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
    for (i64 k = 0; k < n; k++) s.of[k] = -1;
    n_objects = 0;
    for (i64 start = 0; start < n; start++) {
      if (s.of[start] >= 0) continue;
      CellObject& object = s.objects[n_objects];
      object.color = own(start);
      object.ground = object.color == ground;
      object.top = n_rows;
      object.left = width;
      object.bottom = object.right = -1;
      const bool beside = how == 0 || object.ground;
      i64 end = 0;
      s.queue[end++] = (i32)start;
      s.of[start] = n_objects;
      for (i64 q = 0; q < end; q++) {
        const i32 i = s.queue[q] / width, j = s.queue[q] % width;
        object.top = min_of(object.top, i);
        object.bottom = max_of(object.bottom, i);
        object.left = min_of(object.left, j);
        object.right = max_of(object.right, j);
        for (int d = 0; d < 8; d++) {
          if (beside && !is_beside(d)) continue;
          const i32 i2 = i + row_step(d), j2 = j + column_step(d);
          if (!scene.has(i2, j2)) continue;
          const i64 k = (i64)i2 * width + j2;
          if (s.of[k] >= 0) continue;
          if (how < 2 || object.ground ? own(k) != object.color : own(k) == ground) continue;
          s.of[k] = n_objects;
          s.queue[end++] = (i32)k;
        }
      }
      object.size = (i32)end;
      if (how == 2 && !object.ground) {
        i32 counts[10] = {};
        for (i64 q = 0; q < end; q++) counts[own(s.queue[q])]++;
        object.color = commonest_color(counts);
      }
      n_objects++;
    }
    i64 area = 0, first = 0;
    for (i32 o = 0; o < n_objects; o++) {
      CellObject& object = s.objects[o];
      object.places = s.places + first;
      s.tally[o] = (i32)first;
      first += object.size;
      area += (i64)object.height() * object.breadth();
    }
    for (i64 k = 0; k < n; k++) s.places[s.tally[s.of[k]]++] = (i32)k;
    return area;
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

  // The parts of one cut; what their boxes hold in all.
  ARC_FN i64 object_features(int how) {
    typedef const CellObject& O;
    i64 area = 0;
    if (columns) {
      area = cut(how);
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
    return area;
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

  ARC_FN void whole_features() {
    const i32 main = commonest_color(color_counts, ground), rare = rarest_color(color_counts, ground);
    add(PAINT, 9, [=](i64) { return ground; });
    add(PAINT, 8, [=](i64) { return main; });
    add(PAINT, 8, [=](i64) { return rare; });
    add(0, 9, [=](i64 k) { return own(k) == main; });
    add(0, 9, [=](i64 k) { return own(k) == rare; });
  }

  // Writes all; what the boxes of all parts hold.
  ARC_FN i64 write() {
    n_rows = scene.n_rows;
    width = scene.width;
    n = columns ? scene.n_cells() : 0;
    for (i64 k = 0; k < n; k++) color_counts[own(k)]++;
    ground = commonest_color(color_counts);
    own_features();
    around_features();
    look_features();
    sight_features();
    mirrored_features();
    position_features();
    line_features();
    count_features();
    distance_features();
    box_features();
    i64 area = 0;
    for (int how = 0; how < 3; how++) area += object_features(how);
    whole_features();
    return area;
  }
};

// Writes the features of a grid, those that are wanted, or, without columns, the table alone.
ARC_NOINLINE i64 write_cell_features(const Scene& scene, const CellScratch& scratch, u8* columns, i64 stride,
                                     const u8* wanted, CellFeatureTable* table) {
  CellWriter writer;
  writer.scene = scene;
  writer.s = scratch;
  writer.columns = columns;
  writer.stride = stride;
  writer.wanted = wanted;
  writer.table = table;
  return writer.write();
}

}  // namespace arc
