// Classes of grids: as language/primitives/classes.py. What is written here runs in one thread, inside
// `serial`, but for what takes a lane.
#pragma once
#include "../observations.hpp"

namespace arc {

constexpr i64 MAX_PANELS = 64;  // of a grid

// A part of a grid, or all of it.
struct Window {
  const i32* cells = nullptr;
  i32 n_rows = 0, width = 0, stride = 0;

  ARC_FN i32 cell(i64 i, i64 j) const { return cells[i * stride + j]; }
  ARC_FN i64 n_cells() const { return (i64)n_rows * width; }
};
ARC_FN Window window_of(const Scene& scene) { return {scene.cells, scene.n_rows, scene.width, scene.width}; }

// f(color) for all cells of a window, row by row.
template <class F>
ARC_FN void each_color(const Window& window, F f) {
  for (i32 i = 0; i < window.n_rows; i++)
    for (i32 j = 0; j < window.width; j++) f(window.cell(i, j));
}
ARC_FN i64 count_color(const Window& window, i32 color) {
  i64 n = 0;
  each_color(window, [&](i32 cell) { n += cell == color; });
  return n;
}
ARC_FN u32 colors_shown(const Window& window) {
  u32 colors = 0;
  each_color(window, [&](i32 cell) { colors |= 1u << cell; });
  return colors & ~1u;
}
// The commonest colour but 0, the lowest of several; 0 where there is none.
ARC_FN i32 main_color(const Window& window) {
  i32 counts[10] = {};
  each_color(window, [&](i32 cell) { counts[cell] += cell != 0; });
  i32 best = 0;
  for (i32 c = 1; c < 10; c++)
    if (counts[c] > counts[best]) best = c;
  return best;
}

// Whether one window, mirrored or turned, is the other, or, with `masks`, is 0 where the other is.
ARC_FN bool is_turned(const Window& a, const Window& b, int turn, bool masks) {
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
ARC_FN bool are_equal_windows(const Window& a, const Window& b, bool masks) {
  return is_turned(a, b, 0, masks);
}

// The windows of some grids, and what describing them needs.
struct Windows {
  Window* windows = nullptr;
  u64* keys = nullptr;
  i64* firsts = nullptr;  // for each grid its first window; one more
  i64 n_grids = 0;
  i32 *cells = nullptr, *labels = nullptr;  // room for the largest window
  Place* places = nullptr;

  ARC_FN i64 n() const { return firsts[n_grids]; }
};
// Room for the windows of some grids; null places when memory ran out.
ARC_FN Windows new_windows(Lane& lane, i64 n_grids, i64 n_windows, i64 most_cells) {
  Windows all;
  all.n_grids = n_grids;
  all.windows = lane.allocate_array<Window>(n_windows);
  all.keys = lane.allocate_array<u64>(n_windows);
  all.firsts = lane.allocate_array<i64>(n_grids + 1);
  all.cells = lane.allocate_array<i32>(most_cells);
  all.labels = lane.allocate_array<i32>(most_cells);
  all.places = lane.allocate_array<Place>(most_cells);
  if (!all.windows || !all.keys || !all.firsts || !all.cells || !all.labels) all.places = nullptr;
  return all;
}

// How many parts a window has, or, of ZEROS, how many that do not reach its edge.
ARC_FN i64 count_parts(const Windows& all, const Window& window, int how) {
  Scene scene;
  scene.cells = all.cells;
  scene.n_rows = window.n_rows;
  scene.width = window.width;
  i64 n_zeros = 0, n = 0;
  each_color(window, [&](i32 cell) {
    all.cells[n++] = cell;
    n_zeros += cell == 0;
  });
  const i64 n_parts = label_scene(scene, how, 0, all.labels, all.places);
  if (how != ZEROS) return n_parts;
  i64 n_open = 0;
  i32 last_open = -1;  // the places of a part stand together
  for (i64 k = 0; k < n_zeros; k++) {
    const Place at = all.places[k];
    if (at.row > 0 && at.column > 0 && at.row < scene.n_rows - 1 && at.column < scene.width - 1) continue;
    const i32 label = all.labels[(i64)at.row * scene.width + at.column];
    n_open += label != last_open;
    last_open = label;
  }
  return n_parts - n_open;
}

// What a window is like by itself, but for features that want others to be like it.
ARC_FN u64 describe_alone(const Windows& all, const Window& window, i64 feature) {
  switch (feature) {
    case 0: return (u64)(window.n_cells() - count_color(window, 0));
    case 1: return (u64)count_bits(colors_shown(window));
    case 2: return colors_shown(window);
    case 3: return (u64)main_color(window);
    case 6: return (u64)(is_turned(window, window, 2, false) << 1 | is_turned(window, window, 1, false));
    case 7: return is_turned(window, window, 4, false);
    case 8: return (u64)count_parts(all, window, BY_COLOR_8);
    case 9: return (u64)count_parts(all, window, BY_COLOR_4);
    case 10: return (u64)count_parts(all, window, ZEROS);
    case 11: {
      const i32 color = main_color(window);
      const i64 n_shown = window.n_cells() - count_color(window, 0);
      return (u64)(n_shown - (color ? count_color(window, color) : 0));
    }
    default: return (u64)count_color(window, (i32)feature - 19);
  }
}
// Of the features that are ranks, what is ranked; -1 for others.
ARC_FN i64 ranked_feature(i64 feature) {
  switch (feature) {
    case 12: case 13: return 0;
    case 14: return 1;
    case 17: return 8;
    case 18: return 11;
    default: return feature >= 20 ? feature : -1;
  }
}

// keys := their ranks, from the greatest, or the least; of at most MAX_PANELS.
ARC_FN void rank_windows(u64* keys, i64 n, bool falling) {
  u64 distinct[MAX_PANELS];
  i64 n_distinct = 0;
  for (i64 k = 0; k < n; k++) {
    i64 at = 0;
    while (at < n_distinct && (falling ? distinct[at] > keys[k] : distinct[at] < keys[k])) at++;
    if (at < n_distinct && distinct[at] == keys[k]) continue;
    for (i64 m = n_distinct++; m > at; m--) distinct[m] = distinct[m - 1];
    distinct[at] = keys[k];
  }
  for (i64 k = 0; k < n; k++) {
    u64 rank = 0;
    while (distinct[rank] != keys[k]) rank++;
    keys[k] = rank;
  }
}

// keys := what the windows are like.
ARC_NOINLINE void describe_windows(const Windows& all, i64 feature) {
  if (feature == 4 || feature == 5) {
    for (i64 k = 0; k < all.n(); k++) {
      i64 first = 0;
      for (bool alike = false; first < k; first++) {
        for (int turn = 0; turn < (feature == 5 ? 8 : 1) && !alike; turn++)
          alike = is_turned(all.windows[k], all.windows[first], turn, true);
        if (alike) break;
      }
      all.keys[k] = (u64)first;
    }
    return;
  }
  const i64 ranked = ranked_feature(feature);
  for (i64 g = 0; g < all.n_grids; g++) {
    const i64 first = all.firsts[g], n = all.firsts[g + 1] - first;
    const Window* windows = all.windows + first;
    u64* keys = all.keys + first;
    for (i64 k = 0; k < n; k++) {
      if (feature == 19) {
        keys[k] = (u64)k;
      } else if (feature == 15 || feature == 16) {
        keys[k] = 0;
        for (i64 m = 0; m < n; m++) keys[k] += are_equal_windows(windows[k], windows[m], feature == 16);
      } else {
        keys[k] = describe_alone(all, windows[k], ranked >= 0 ? ranked : feature);
      }
    }
    if (ranked >= 0) rank_windows(keys, n, feature != 13);
  }
}
ARC_FN u64 cost_of_windows(const Windows& all) {
  u64 n_cells = 0;
  for (i64 k = 0; k < all.n(); k++) n_cells += (u64)all.windows[k].n_cells();
  return 8 * n_cells;
}

// The demo whose output a grid has, by its class: -1 where there is none.
ARC_FN i64 find_class(const Windows& all, const Value& demos) {
  const i64 n = demos.n;
  i64 found = -1;
  for (i64 d = n - 1; d >= 0; d--) {
    for (i64 e = 0; e < d; e++)
      if (all.keys[d] == all.keys[e] &&
          !are_equal_windows(window_of(demo_side(demos, d, 1)), window_of(demo_side(demos, e, 1)), false))
        return -1;
    if (all.keys[d] == all.keys[n]) found = d;
  }
  return found;
}

ARC_FN Value prim_learn_class(Lane& lane, const Value* a) {
  const Value demos = a[0];
  const i64 n = demos.n, feature = a[2].number;
  if (!are_color_demos(demos) || !is_color_grid(a[1])) return fail(WRONG_TYPE);
  i64 most = scene_of(a[1]).n_cells();
  bool differ = false;
  for (i64 d = 0; d < n; d++) {
    most = max_of(most, demo_side(demos, d, 0).n_cells());
    differ |= !are_equal_windows(window_of(demo_side(demos, d, 1)), window_of(demo_side(demos, 0, 1)), false);
  }
  if (!differ) return fail(EMPTY);
  const Scratch scratch(lane);
  const Windows all = new_windows(lane, n + 1, n + 1, most);
  if (!all.places) return fail(OVER_BUDGET);
  serial([&]() {
    for (i64 d = 0; d <= n; d++) {
      all.firsts[d] = d;
      all.windows[d] = window_of(d < n ? demo_side(demos, d, 0) : scene_of(a[1]));
    }
    all.firsts[n + 1] = n + 1;
    return 0;
  });
  ARC_CHARGE(cost_of_windows(all));
  const i64 found = serial([&]() {
    describe_windows(all, feature);
    return find_class(all, demos);
  });
  scratch.give_back(lane);
  return found < 0 ? fail(EMPTY) : demos.members()[found].members()[1];
}

}  // namespace arc
