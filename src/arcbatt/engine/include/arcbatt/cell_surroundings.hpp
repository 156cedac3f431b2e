// What can be said of a cell by what is around it: as language/primitives/cell_surroundings.py, in the same
// order. What is written here runs in one thread, inside `serial`.
#pragma once
#include "cell_columns.hpp"

namespace arc {

struct SurroundingsWriter : CellWriter {
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
  ARC_FN void find_sights() {
    for (int d = 0; d < 8; d++) {
      u8* sight = s.sights + d * n;
      const i32 di = row_step(d), dj = column_step(d);
      for (i64 k = 0; k < n; k++) {
        i32 i = (i32)(k / width), j = (i32)(k % width), color = own(k);
        while (color == own(k) || color == ground) color = at(i += di, j += dj);
        sight[k] = (u8)color;
      }
    }
  }
  ARC_FN void sight_features() {
    for (int d = 0; d < 8; d++) {
      const u8* sight = s.sights + d * n;
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
    // Down, then up: each row from the one before it, then along the row the same way.
    for (i32 sign = 1; sign >= -1; sign -= 2)
      for (i32 r = 0; r < n_rows; r++) {
        i32* row = found + (i64)(sign > 0 ? r : n_rows - 1 - r) * width;
        const i32* before = row - sign * width;
        for (i32 j = 0; r && j < width; j++) row[j] = min_of(row[j], before[j] + 1);
        for (i32 j = 1; r && oblique && j < width; j++) {
          row[j] = min_of(row[j], before[j - 1] + 1);
          row[j - 1] = min_of(row[j - 1], before[j] + 1);
        }
        for (i32 j = 1; sign > 0 && j < width; j++) row[j] = min_of(row[j], row[j - 1] + 1);
        for (i32 j = width - 2; sign < 0 && j >= 0; j--) row[j] = min_of(row[j], row[j + 1] + 1);
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
};

}  // namespace arc
