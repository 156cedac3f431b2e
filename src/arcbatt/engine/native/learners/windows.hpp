// Windows into grids (whole grids or their panels) and the features that distinguish them.
#pragma once
#include <algorithm>
#include <vector>

#include "learner.hpp"
#include "parts.hpp"

namespace arc {

struct Window {
  const i32* cells = nullptr;
  i32 n_rows = 0, width = 0, stride = 0;

  i32 cell(i64 i, i64 j) const { return cells[i * stride + j]; }
  i64 n_cells() const { return (i64)n_rows * width; }
};
inline Window window_of(const Scene& scene) { return {scene.cells, scene.n_rows, scene.width, scene.width}; }

// Calls f(color) for all cells of a window, row by row.
template <class F>
void each_color(const Window& window, F f) {
  for (i32 i = 0; i < window.n_rows; i++)
    for (i32 j = 0; j < window.width; j++) f(window.cell(i, j));
}
inline i64 count_color(const Window& window, i32 color) {
  i64 n = 0;
  each_color(window, [&](i32 cell) { n += cell == color; });
  return n;
}
// The colors other than 0, as bits.
inline u32 colors_shown(const Window& window) {
  u32 colors = 0;
  each_color(window, [&](i32 cell) { colors |= 1u << cell; });
  return colors & ~1u;
}
// The most common color other than 0, the lowest of several; 0 where there is none.
inline i32 main_color(const Window& window) {
  i32 counts[10] = {};
  each_color(window, [&](i32 cell) { counts[cell] += cell != 0; });
  return (i32)(std::max_element(counts, counts + 10) - counts);
}

// Whether window `a`, mirrored or turned, equals `b`, or, with `masks`, is 0 exactly where `b` is.
inline bool is_turned(const Window& a, const Window& b, int turn, bool masks) {
  const bool across = turn & 4;
  if (a.n_rows != (across ? b.width : b.n_rows) || a.width != (across ? b.n_rows : b.width)) return false;
  for (i32 i = 0; i < a.n_rows; i++)
    for (i32 j = 0; j < a.width; j++) {
      const i32 k = turn & 1 ? a.n_rows - 1 - i : i, m = turn & 2 ? a.width - 1 - j : j;
      const i32 here = a.cell(i, j), there = across ? b.cell(m, k) : b.cell(k, m);
      if (masks ? (here == 0) != (there == 0) : here != there) return false;
    }
  return true;
}
inline bool are_equal(const Window& a, const Window& b, bool masks = false) { return is_turned(a, b, 0, masks); }

// The number of a window's parts, or, of GROUND, of those that do not touch its edge.
inline i64 count_parts(const Window& window, int how) {
  std::vector<i32> cells;
  each_color(window, [&](i32 cell) { cells.push_back(cell); });
  Scene scene;
  scene.cells = cells.data();
  scene.n_rows = window.n_rows;
  scene.width = window.width;
  return how == GROUND ? count_enclosed(scene) : (i64)Parts(scene, how).size();
}

// --- features ---

enum WindowFeature {
  N_SHOWN, N_COLORS, COLORS_SHOWN, MAIN_COLOR, MASK, TURNED_MASK, MIRRORS, TRANSPOSE, N_PARTS_8, N_PARTS_4, N_ENCLOSED,
  N_MINOR, RANK_SHOWN, RANK_SHOWN_RISING, RANK_COLORS, N_EQUAL, N_EQUAL_MASKS, RANK_PARTS, RANK_MINOR, POSITION,
  RANK_OF_COLOR,  // colors 1 to 9
};

// The value of a feature that depends on one window only.
inline u64 measure_window(const Window& window, i64 feature) {
  switch (feature) {
    case N_SHOWN: return (u64)(window.n_cells() - count_color(window, 0));
    case N_COLORS: return (u64)count_bits(colors_shown(window));
    case COLORS_SHOWN: return colors_shown(window);
    case MAIN_COLOR: return (u64)main_color(window);
    case MIRRORS: return (u64)(is_turned(window, window, 2, false) << 1 | is_turned(window, window, 1, false));
    case TRANSPOSE: return is_turned(window, window, 4, false);
    case N_PARTS_8: return (u64)count_parts(window, BY_COLOR_8);
    case N_PARTS_4: return (u64)count_parts(window, BY_COLOR_4);
    case N_ENCLOSED: return (u64)count_parts(window, GROUND);
    case N_MINOR: {
      const i32 color = main_color(window);
      const i64 n_shown = window.n_cells() - count_color(window, 0);
      return (u64)(n_shown - (color ? count_color(window, color) : 0));
    }
    default: return (u64)count_color(window, (i32)feature - RANK_OF_COLOR + 1);
  }
}
// The measure that a ranking feature ranks by; -1 for other features.
inline i64 ranked_measure(i64 feature) {
  switch (feature) {
    case RANK_SHOWN: case RANK_SHOWN_RISING: return N_SHOWN;
    case RANK_COLORS: return N_COLORS;
    case RANK_PARTS: return N_PARTS_8;
    case RANK_MINOR: return N_MINOR;
    default: return feature >= RANK_OF_COLOR ? feature : -1;
  }
}

// The windows of some grids, one grid after the other.
struct Windows {
  std::vector<Window> windows;
  std::vector<size_t> firsts = {0};  // of each grid; the end comes last

  size_t n_grids() const { return firsts.size() - 1; }
  size_t n_of(size_t grid) const { return firsts[grid + 1] - firsts[grid]; }
  const Window* of(size_t grid) const { return windows.data() + firsts[grid]; }
  void end_grid() { firsts.push_back(windows.size()); }

  // Returns the cost of the features, which read every cell several times.
  u64 cost() const {
    u64 n_cells = 0;
    for (const Window& window : windows) n_cells += (u64)window.n_cells();
    return 8 * n_cells;
  }

  // Returns a number for each window; windows with the same value of the feature have the same number.
  std::vector<u64> describe(i64 feature) const {
    std::vector<u64> keys(windows.size());
    if (feature == MASK || feature == TURNED_MASK) {
      const int n_turns = feature == TURNED_MASK ? 8 : 1;
      for (size_t k = 0; k < windows.size(); k++) {
        auto is_alike = [&](const Window& other) {
          for (int turn = 0; turn < n_turns; turn++)
            if (is_turned(windows[k], other, turn, true)) return true;
          return false;
        };
        keys[k] = (u64)(std::find_if(windows.begin(), windows.begin() + (i64)k, is_alike) - windows.begin());
      }
      return keys;
    }
    const i64 ranked = ranked_measure(feature);
    for (size_t grid = 0; grid < n_grids(); grid++) {
      const Window* own = of(grid);
      u64* own_keys = keys.data() + firsts[grid];
      for (size_t k = 0; k < n_of(grid); k++) {
        if (feature == POSITION)
          own_keys[k] = k;
        else if (feature == N_EQUAL || feature == N_EQUAL_MASKS)
          own_keys[k] = (u64)std::count_if(own, own + n_of(grid), [&](const Window& other) {
            return are_equal(own[k], other, feature == N_EQUAL_MASKS);
          });
        else
          own_keys[k] = measure_window(own[k], ranked >= 0 ? ranked : feature);
      }
      if (ranked >= 0) rank_keys(own_keys, n_of(grid), feature != RANK_SHOWN_RISING);
    }
    return keys;
  }
};

// Returns the feature of a window as a value to be put into words: a mask as a grid of 0 and 1, otherwise the key.
inline Value feature_value(Lane& lane, const Window& window, i64 feature, u64 key) {
  if (feature != MASK && feature != TURNED_MASK) return number((i64)key);
  std::vector<i32> mask;
  each_color(window, [&](i32 cell) { mask.push_back(cell != 0); });
  return cells_value(lane, mask, window.width);
}

}  // namespace arc
