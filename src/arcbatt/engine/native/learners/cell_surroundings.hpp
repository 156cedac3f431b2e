// Features of a cell by its surroundings, its lines and its place: those of language/primitives/cell_surroundings.py,
// in the same order.
#pragma once
#include <algorithm>

#include "cell_columns.hpp"

namespace arc {
namespace cells {

class SurroundingsColumns : public CellColumns {
 public:
  using CellColumns::CellColumns;

 protected:
  void own_features() {
    add([&](i64 k) { return own(k); });
    add([&](i64 k) { return own(k) == ground; });
  }

  void around_features() {
    for (i32 di = -2; di <= 2; di++)
      for (i32 dj = -2; dj <= 2; dj++) {
        if (!di && !dj) continue;
        const bool near = di * di <= 1 && dj * dj <= 1;
        add_at([&](i32 i, i32 j) { return at(i + di, j + dj); });
        if (!near) continue;
        add_at([&](i32 i, i32 j) { return at(i + di, j + dj) == at(i, j); });
        add_at([&](i32 i, i32 j) { return at(i + di, j + dj) == ground; });
      }
  }

  // Finds the first other color in a direction, and how far it is.
  void look(int d, u8* color, i32* distance) const {
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
  void look_features() {
    std::vector<u8> all_colors(8 * n), all_counts(11 * n), all_between(4 * n);
    std::vector<i32> all_distances(8 * n);
    u8 *counts = all_counts.data(), *colors = all_colors.data();
    i32* distances = all_distances.data();
    for (int d = 0; d < 8; d++) {
      u8* color = colors + d * n;
      i32* distance = distances + d * n;
      look(d, color, distance);
      add([=](i64 k) { return color[k]; });
      add([=](i64 k) { return distance[k]; });
      add([=](i64 k) { return distance[k] % 2; });
      add([=](i64 k) { return color[k] == ABSENT; });
    }
    for (const int ways : {STRAIGHT, OBLIQUE}) {
      std::fill(all_counts.begin(), all_counts.end(), 0);
      for (int d = 0; d < 8; d++)
        for (i64 k = 0; is_in(ways, d) && k < n; k++) counts[11 * k + colors[d * n + k]]++;
      for (int c = 0; c < 10; c++) add([=](i64 k) { return counts[11 * k + c]; });
      add([=](i64 k) { return counts[11 * k + ABSENT]; });
      add([=](i64 k) {
        i32 nearest = n_rows + width;
        for (int d = 0; d < 8; d++)
          if (is_in(ways, d)) nearest = std::min(nearest, distances[d * n + k]);
        return nearest;
      });
      add([=](i64 k) {
        i32 farthest = 0;
        for (int d = 0; d < 8; d++)
          if (is_in(ways, d)) farthest = std::max(farthest, distances[d * n + k]);
        return farthest;
      });
    }
    const int one[4] = {3, 1, 0, 2}, other[4] = {4, 6, 7, 5};
    for (int line = 0; line < 4; line++) {
      const u8 *a = colors + one[line] * n, *b = colors + other[line] * n;
      u8* between = all_between.data() + line * n;
      for (i64 k = 0; k < n; k++) between[k] = a[k] == b[k] ? a[k] : (u8)ABSENT;
      add([=](i64 k) { return between[k]; });
      add([=](i64 k) { return between[k] != ABSENT; });
    }
    for (int pair = 0; pair < 2; pair++) {
      const u8 *a = all_between.data() + 2 * pair * n, *b = a + n;
      add([=](i64 k) { return std::min(a[k], b[k]); });
      add([=](i64 k) { return (a[k] != ABSENT) + (b[k] != ABSENT); });
    }
  }

  // Finds the first color in each direction other than the background and the cell's own.
  void find_sights() {
    sights.resize(8 * n);
    for (int d = 0; d < 8; d++) {
      const i32 di = row_step(d), dj = column_step(d);
      for (i64 k = 0; k < n; k++) {
        i32 i = (i32)(k / width), j = (i32)(k % width), color = own(k);
        while (color == own(k) || color == ground) color = at(i += di, j += dj);
        sights[d * n + k] = (u8)color;
      }
    }
  }
  void sight_features() {
    for (int d = 0; d < 8; d++) {
      const u8* sight = sights.data() + d * n;
      add([=](i64 k) { return sight[k]; });
    }
  }

  void mirrored_features() {
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
      add_at(seen);
      add_at([=](i32 i, i32 j) { return seen(i, j) == at(i, j); });
    }
  }

  void position_features() {
    add_at([=](i32 i, i32) { return i; });
    add_at([=](i32 i, i32) { return last_row - i; });
    add_at([=](i32, i32 j) { return j; });
    add_at([=](i32, i32 j) { return last_column - j; });
    for (i32 m = 2; m <= 3; m++) {
      add_at([=](i32 i, i32) { return i % m; });
      add_at([=](i32 i, i32) { return (last_row - i) % m; });
      add_at([=](i32, i32 j) { return j % m; });
      add_at([=](i32, i32 j) { return (last_column - j) % m; });
      add_at([=](i32 i, i32 j) { return (i + j) % m; });
    }
    const i32 w = width;
    add_at([=](i32 i, i32 j) { return (i - j + 3 * w) % 3; });
    auto edge = [=](i32 i, i32 j) {
      return std::min(std::min(i, j), std::min(last_row - i, last_column - j));
    };
    add_at(edge);
    add_at([=](i32 i, i32 j) { return edge(i, j) % 2; });
    add_at([=](i32 i, i32) { return std::min(i, last_row - i); });
    add_at([=](i32, i32 j) { return std::min(j, last_column - j); });
    add_at([=](i32 i, i32 j) { return i == j; });
    add_at([=](i32 i, i32 j) { return i + j == last_column; });
    add_at([=](i32 i, i32) { return 2 * i == last_row; });
    add_at([=](i32, i32 j) { return 2 * j == last_column; });
    const i32 is_square = last_row == last_column;
    add_at([=](i32 i, i32 j) { return is_square * ((i == j) + (i + j == last_column)); });
    add_at([=](i32 i, i32 j) { return (2 * i == last_row) + (2 * j == last_column); });
  }

  void line_features() {
    std::vector<i32> all_counts(11 * (n_rows + width)), all_values(n_rows + width);
    i32 *counts = all_counts.data(), *values = all_values.data();
    for (i32 i = 0; i < n_rows; i++)
      for (i32 j = 0; j < width; j++) {
        counts[11 * i + at(i, j)]++;
        counts[11 * (n_rows + j) + at(i, j)]++;
      }
    // Of lines: kind 0 are rows, 1 columns.
    auto counts_of = [=](int kind, i32 line) { return counts + 11 * (kind ? n_rows + line : line); };
    auto is_uniform = [=](int kind, i32 line) {
      return counts_of(kind, line)[kind ? at(0, line) : at(line, 0)] == (kind ? n_rows : width);
    };
    auto n_shown = [=](int kind, i32 line) { return (kind ? n_rows : width) - counts_of(kind, line)[ground]; };
    auto first_shown = [=](int kind, i32 line, bool from_end) {
      const i32 length = kind ? n_rows : width;
      for (i32 k = 0; k < length; k++) {
        const i32 place = from_end ? length - 1 - k : k;
        const i32 color = kind ? at(place, line) : at(line, place);
        if (color != ground) return color;
      }
      return ABSENT;
    };
    // Adds f(kind, line), evaluated once per line.
    auto add_line = [&](int kind, auto f) {
      for (i32 line = 0; wanted[next] && line < (kind ? width : n_rows); line++) values[line] = (i32)f(kind, line);
      add_at([=](i32 i, i32 j) { return values[kind ? j : i]; });
    };
    for (int kind = 0; kind < 2; kind++) {
      const i32 last = (kind ? n_rows : width) - 1;
      add_line(kind, is_uniform);
      add_line(kind, [=](int of, i32 line) { return most_common_color(counts_of(of, line), ground); });
      add_line(kind, [=](int of, i32 line) { return first_shown(of, line, false); });
      add_line(kind, [=](int of, i32 line) { return first_shown(of, line, true); });
      add_line(kind, [=](int of, i32 line) { return of ? at(0, line) : at(line, 0); });
      add_line(kind, [=](int of, i32 line) { return of ? at(last, line) : at(line, last); });
      add_line(kind, n_shown);
      for (i32 c = 0; c < 10; c++)
        add_line(kind, [=](int of, i32 line) { return counts_of(of, line)[c] > 0; });
    }
    i32 likeness[2] = {0, 0};
    for (int kind = 0; kind < 2; kind++)
      for (i32 line = 0; line < (kind ? width : n_rows); line++)
        likeness[kind] += *std::max_element(counts_of(kind, line), counts_of(kind, line) + 10);
    const bool is_tie = likeness[0] == likeness[1];
    add_line(likeness[1] > likeness[0],
             [=](int of, i32 line) { return is_tie ? ABSENT : most_common_color(counts_of(of, line)); });
    const i32 rows = n_rows;
    auto evaluate = [&](auto f) {
      for (i32 line = 0; line < n_rows; line++) values[line] = (i32)f(0, line);
      for (i32 line = 0; line < width; line++) values[n_rows + line] = (i32)f(1, line);
    };
    evaluate(is_uniform);
    add_at([=](i32 i, i32 j) { return values[i] + values[rows + j]; });
    for (i32 c = 0; c < 10; c++) {
      evaluate([=](int of, i32 line) { return counts_of(of, line)[c] > 0; });
      add_at([=](i32 i, i32 j) { return values[i] + values[rows + j]; });
    }
    evaluate(n_shown);
    add_at([=](i32 i, i32 j) { return std::max(values[i], values[rows + j]); });
    add_at([=](i32 i, i32 j) { return std::min(values[i], values[rows + j]); });
  }

  void count_features() {
    std::vector<u8> all_counts(11 * n);
    u8* counts = all_counts.data();
    for (const int directions : {STRAIGHT, OBLIQUE, ALL}) {
      std::fill(all_counts.begin(), all_counts.end(), 0);
      for (i32 i = 0; i < n_rows; i++)
        for (i32 j = 0; j < width; j++)
          for (int d = 0; d < 8; d++)
            if (is_in(directions, d))
              counts[11 * ((i64)i * width + j) + at(i + row_step(d), j + column_step(d))]++;
      for (int c = 0; c < 10; c++) add([=](i64 k) { return counts[11 * k + c]; });
      const int n_places = directions == ALL ? 8 : 4;
      add([=](i64 k) { return counts[11 * k + own(k)]; });
      add([=](i64 k) { return n_places - counts[11 * k + ABSENT] - counts[11 * k + ground]; });
      add([=](i64 k) { return n_colors_counted(counts + 11 * k); });
      add([=](i64 k) { return most_common_color(counts + 11 * k, ground, own(k)); });
    }
  }

  // Finds the distance of each cell from a color, in straight steps or also oblique ones.
  void spread(i32 color, bool oblique, i32* distances) const {
    const i32 far = n_rows + width;
    for (i64 k = 0; k < n; k++) distances[k] = own(k) == color ? 0 : far;
    // Down, then up: each row from the one before it, then along the row the same way.
    for (i32 sign = 1; sign >= -1; sign -= 2)
      for (i32 r = 0; r < n_rows; r++) {
        i32* row = distances + (i64)(sign > 0 ? r : n_rows - 1 - r) * width;
        const i32* before = row - sign * width;
        for (i32 j = 0; r && j < width; j++) row[j] = std::min(row[j], before[j] + 1);
        for (i32 j = 1; r && oblique && j < width; j++) {
          row[j] = std::min(row[j], before[j - 1] + 1);
          row[j - 1] = std::min(row[j - 1], before[j] + 1);
        }
        for (i32 j = 1; sign > 0 && j < width; j++) row[j] = std::min(row[j], row[j - 1] + 1);
        for (i32 j = width - 2; sign < 0 && j >= 0; j--) row[j] = std::min(row[j], row[j + 1] + 1);
      }
  }
  void distance_features() {
    std::vector<i32> all_distances(10 * n);
    std::vector<u8> nearest(n);
    i32* distances = all_distances.data();
    u8* colors = nearest.data();
    const i32 far = n_rows + width;
    for (const bool oblique : {false, true}) {
      for (i32 c = 0; c < 10; c++) {
        i32* distance = distances + c * n;
        if (color_counts[c])
          spread(c, oblique, distance);
        else
          std::fill(distance, distance + n, far);
        add([=](i64 k) { return distance[k] == far ? MOST : distance[k]; });
      }
      for (i64 k = 0; k < n; k++) {
        i32 shortest = far;
        colors[k] = ABSENT;
        for (i32 c = 0; c < 10; c++)
          if (c != ground && c != own(k) && distances[c * n + k] < shortest) {
            shortest = distances[c * n + k];
            colors[k] = (u8)c;
          }
      }
      auto distance = [=](i64 k) { return colors[k] == ABSENT ? MOST : distances[colors[k] * n + k]; };
      add([=](i64 k) { return colors[k]; });
      add(distance);
      add([=](i64 k) { return distance(k) % 2; });
    }
  }

  std::vector<u8> sights;  // by direction, then by cell
};

}  // namespace cells
}  // namespace arc
