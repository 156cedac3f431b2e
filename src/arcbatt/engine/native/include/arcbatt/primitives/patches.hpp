// Patches, their extent, shape and place. language/primitives/patches.py defines the primitives.
#pragma once
#include "../geometry.hpp"
#include "numbers.hpp"

namespace arc {

ARC_FN Kind kind_of_patch(const Value& patch) { return has_cells(patch) ? OBJECT : INDICES; }

ARC_FN Value prim_toindices(Lane& lane, const Value* a) {
  const Value& patch = a[0];
  if (patch.n == 0) return empty_set();
  if (!has_cells(patch)) return patch;
  ARC_KEYS(places, places_of(lane, patch));
  return keys_value(INDICES, places.keys, (u32)places.n);
}

ARC_FN Value prim_recolor(Lane& lane, const Value* a) {
  const Value& patch = a[1];
  if (patch.n == 0) return empty_set();
  const Key color = key_of(a[0].number, -KEY_BIAS, -KEY_BIAS);
  Keys places = keys_of(lane, patch);
  if (!places.keys) return fail(OVER_BUDGET);
  if (!is_one_color(places)) {
#if defined(ARC_WARP_LANES)
    if (const Keys cells = places_by_bits(lane, places, color); cells.keys)
      return keys_value(OBJECT, cells.keys, (u32)cells.n);
    if (lane.exceeded) return fail(OVER_BUDGET);
#endif
    places = places_of(lane, patch);
    if (!places.keys) return fail(OVER_BUDGET);
  }
  if (places.sorted && places.keys[0] >> COLOR_SHIFT == color >> COLOR_SHIFT)
    return keys_value(OBJECT, places.keys, (u32)places.n);
  ARC_ALLOCATE(cells, Key, places.n);
  const Key* from = places.keys;
  each(places.n, [=](i64 k) { cells[k] = (from[k] & ((1ULL << COLOR_SHIFT) - 1)) | color; });
  return places.sorted ? keys_value(OBJECT, cells, (u32)places.n)
                       : set_of_keys(lane, OBJECT, cells, places.n);
}

// Moves a non-empty patch by a vector that keeps it within range; returns a set.
ARC_FN Value moved_by(Lane& lane, const Value& patch, const Keys& keys, i64 di, i64 dj) {
  if (keys.sorted && di == 0 && dj == 0) return patch;
  ARC_ALLOCATE(moved, Key, keys.n);
  const Key* from = keys.keys;
  const Key by = ((Key)di << LINE_ROW) + (Key)dj;
  each(keys.n, [=](i64 k) { moved[k] = from[k] + by; });
  Kind kind = kind_of_patch(patch);
  return keys.sorted ? keys_value(kind, moved, (u32)keys.n) : set_of_keys(lane, kind, moved, keys.n);
}

#if defined(__CUDACC__)
// Moves a non-empty set; whether it stays within range is checked in the same pass, so that keys are read once.
ARC_FN Value moved_checked(Lane& lane, const Value& patch, const Keys& keys, i32 di, i32 dj) {
  if (di == 0 && dj == 0) return patch;
  ARC_ALLOCATE(moved, Key, keys.n);
  const Key* from = keys.keys;
  const Key by = ((Key)di << LINE_ROW) + (Key)dj;
  bool beyond = false;
  each(keys.n, [&](i64 k) {
    const Key key = from[k];
    beyond |= !in_range(row_of(key) + di) || !in_range(column_of(key) + dj);
    moved[k] = key + by;
  });
  if (any_thread(beyond)) return fail(OUT_OF_RANGE);
  return keys_value(kind_of_patch(patch), moved, (u32)keys.n);
}
#endif

template <bool ALONE = false>
ARC_FN bool has_room(const Keys& keys, int line, i64 by) {
  if (by == 0) return true;
  Span span = span_of<ALONE>(keys, line);
  return in_range(span.first + by) && in_range(span.last + by);
}

ARC_FN Value prim_shift(Lane& lane, const Value* a) {
  if (a[0].n == 0) return a[0];
  // The vector is checked only now, since empty patches accept anything.
  if (a[1].kind != PAIR) return fail(WRONG_TYPE);
  ARC_KEYS(keys, keys_of(lane, a[0]));
  i64 di = row_of(a[1].key), dj = column_of(a[1].key);
#if defined(__CUDACC__)
  if (keys.sorted) return moved_checked(lane, a[0], keys, (i32)di, (i32)dj);
#endif
  if (!has_room(keys, LINE_ROW, di) || !has_room(keys, LINE_COLUMN, dj)) return fail(OUT_OF_RANGE);
  return moved_by(lane, a[0], keys, di, dj);
}
ARC_FN Value prim_normalize(Lane& lane, const Value* a) {
  if (a[0].n == 0) return a[0];
  ARC_KEYS(keys, keys_of(lane, a[0]));
  Bounds box = bounds_of(keys);
  if (!in_range(box.height() - 1) || !in_range(box.width() - 1)) return fail(OUT_OF_RANGE);
  return moved_by(lane, a[0], keys, -box.top, -box.left);
}

// --- extent ---

template <bool ALONE = false>
ARC_FN Value end_of_span(Lane& lane, const Value& patch, int line, i64 Span::*end) {
  if (patch.n == 0) return fail(EMPTY);
  ARC_KEYS(keys, keys_of(lane, patch));
  return number(span_of<ALONE>(keys, line).*end);
}
template <bool ALONE = false>
ARC_FN Value prim_uppermost(Lane& lane, const Value* a) {
  return end_of_span<ALONE>(lane, a[0], LINE_ROW, &Span::first);
}
template <bool ALONE = false>
ARC_FN Value prim_lowermost(Lane& lane, const Value* a) {
  return end_of_span<ALONE>(lane, a[0], LINE_ROW, &Span::last);
}
template <bool ALONE = false>
ARC_FN Value prim_leftmost(Lane& lane, const Value* a) {
  return end_of_span<ALONE>(lane, a[0], LINE_COLUMN, &Span::first);
}
template <bool ALONE = false>
ARC_FN Value prim_rightmost(Lane& lane, const Value* a) {
  return end_of_span<ALONE>(lane, a[0], LINE_COLUMN, &Span::last);
}

template <bool ALONE = false>
ARC_FN Value corner_of(Lane& lane, const Value& patch, i64 Bounds::*row, i64 Bounds::*column) {
  if (patch.n == 0) return empty_tuple();
  ARC_KEYS(keys, keys_of(lane, patch));
  Bounds box = bounds_of<ALONE>(keys);
  return pair_of(box.*row, box.*column);
}
template <bool ALONE = false>
ARC_FN Value prim_ulcorner(Lane& lane, const Value* a) {
  return corner_of<ALONE>(lane, a[0], &Bounds::top, &Bounds::left);
}
template <bool ALONE = false>
ARC_FN Value prim_urcorner(Lane& lane, const Value* a) {
  return corner_of<ALONE>(lane, a[0], &Bounds::top, &Bounds::right);
}
template <bool ALONE = false>
ARC_FN Value prim_llcorner(Lane& lane, const Value* a) {
  return corner_of<ALONE>(lane, a[0], &Bounds::bottom, &Bounds::left);
}
template <bool ALONE = false>
ARC_FN Value prim_lrcorner(Lane& lane, const Value* a) {
  return corner_of<ALONE>(lane, a[0], &Bounds::bottom, &Bounds::right);
}

ARC_FN Value prim_corners(Lane& lane, const Value* a) {
  if (a[0].n == 0) {
    // All four are the empty tuple.
    ARC_NEW_MEMBERS(members, 1);
    each(1, [=](i64 k) { members[k] = empty_tuple(); });
    return set_of(lane, members, 1);
  }
  ARC_KEYS(keys, keys_of(lane, a[0]));
  Bounds box = bounds_of(keys);
  i64 n_rows = box.height() > 1 ? 2 : 1, n_columns = box.width() > 1 ? 2 : 1;
  ARC_ALLOCATE(corners, Key, 4);
  each_in_grid(n_rows, n_columns, [=](i64 i, i64 j) {
    corners[i * n_columns + j] = key_of(i ? box.bottom : box.top, j ? box.right : box.left);
  });
  return keys_value(INDICES, corners, (u32)(n_rows * n_columns));
}

// A tuple, which is two wide as a table, is not a line, nor is an empty patch.
template <bool ALONE = false>
ARC_FN Value prim_vline(Lane&, const Value* a) {
  if (a[0].n == 0 || is_tuple(a[0])) return truth(false);
  Bounds box = bounds_of<ALONE>({a[0].keys, a[0].n, true});
  return truth(box.height() == (i64)a[0].n && box.width() == 1);
}
template <bool ALONE = false>
ARC_FN Value prim_hline(Lane&, const Value* a) {
  if (a[0].n == 0 || is_tuple(a[0])) return truth(false);
  Bounds box = bounds_of<ALONE>({a[0].keys, a[0].n, true});
  return truth(box.width() == (i64)a[0].n && box.height() == 1);
}

// `center_of` of geometry.py; a tuple counts as a table unless only its box is asked for.
struct Center {
  i64 row, column;
};
ARC_FN Center center_of(const Value& patch, const Bounds& box, bool of_box) {
  bool table = is_tuple(patch) && !of_box;
  return {box.top + (table ? (i64)patch.n : box.height()) / 2,
          box.left + (table ? 2 : box.width()) / 2};
}
template <bool ALONE = false>
ARC_FN Value prim_center(Lane& lane, const Value* a) {
  if (a[0].n == 0) return fail(EMPTY);
  ARC_KEYS(keys, keys_of(lane, a[0]));
  Center center = center_of(a[0], bounds_of<ALONE>(keys), false);
  return pair_of(center.row, center.column);
}

ARC_FN Value prim_centerofmass(Lane& lane, const Value* a) {
  const Value& patch = a[0];
  if (patch.n == 0) return empty_tuple();
  Keys places = keys_of(lane, patch);
  // Cells of several colors may share a location.
  if (places.keys && has_cells(patch) && !is_one_color(places)) places = places_of(lane, patch);
  if (!places.keys) return fail(OVER_BUDGET);
  const Key* keys = places.keys;
  i64 rows = total(places.n, [=](i64 k) { return row_of(keys[k]); });
  i64 columns = total(places.n, [=](i64 k) { return column_of(keys[k]); });
  return pair_of(floor_divide(rows, patch.n), floor_divide(columns, patch.n));
}

// --- boxes ---

ARC_FN Value outline(Lane& lane, i64 top, i64 left, i64 bottom, i64 right) {
  ARC_REQUIRE(3 * 2 * (u64)(bottom - top + right - left));
  if (!in_range(top) || !in_range(left) || !in_range(bottom) || !in_range(right))
    return fail(OUT_OF_RANGE);
  i64 width = right - left + 1, sides = right > left ? 2 : 1;
  i64 n_between = bottom > top ? bottom - top - 1 : 0;
  i64 n = width + n_between * sides + (bottom > top ? width : 0);
  ARC_ALLOCATE(keys, Key, n);
  const Key first = key_of(top, left), last = key_of(bottom, left);
  each(width, [=](i64 k) {
    keys[k] = first + (Key)k;
    // Writes the same keys again if there is only one row.
    keys[n - width + k] = last + (Key)k;
  });
  each(n_between, [=](i64 k) {
    Key row = first + ((Key)(k + 1) << LINE_ROW);
    keys[width + k * sides] = row;
    keys[width + k * sides + sides - 1] = row + (Key)(width - 1);
  });
  return keys_value(INDICES, keys, (u32)n);
}

ARC_FN Value prim_backdrop(Lane& lane, const Value* a) {
  if (a[0].n == 0) return empty_set();
  ARC_KEYS(keys, keys_of(lane, a[0]));
  Bounds box = bounds_of(keys);
  i64 height = box.height(), width = box.width();
  ARC_REQUIRE(3 * (u64)height * (u64)width);
  if (a[0].kind == INDICES && (i64)a[0].n == height * width) return a[0];
  ARC_ALLOCATE(places, Key, height * width);
  const Key first = key_of(box.top, box.left);
  each_in_grid(height, width, [=](i64 i, i64 j) {
    places[i * width + j] = first + ((Key)i << LINE_ROW) + (Key)j;
  });
  return keys_value(INDICES, places, (u32)(height * width));
}

ARC_NOINLINE Value prim_delta(Lane& lane, const Value* a) {
  if (a[0].n == 0) return empty_set();
  ARC_KEYS(keys, keys_of(lane, a[0]));
  Bounds box = bounds_of(keys);
  i64 height = box.height(), width = box.width();
  ARC_REQUIRE(3 * (u64)height * (u64)width);
  if (a[0].kind == INDICES && (i64)a[0].n == height * width) return empty_set();
  if (W == 1 && fits_board(box)) {
    Board board;
    board.clear(height);
    for (i64 k = 0; k < keys.n; k++)
      board.add(row_of(keys.keys[k]) - box.top, 1ULL << (column_of(keys.keys[k]) - box.left));
    ARC_ALLOCATE(gaps, Key, height * width);
    const u64 full = ~0ULL >> (BOARD_SIZE - width);
    Key* end = gaps;
    for (i64 i = 0; i < height; i++)
      end = keys_of_bits(~board.rows[i] & full, key_of(box.top + i, box.left), end);
    return keys_value(INDICES, gaps, (u32)(end - gaps));
  }
  ARC_KEYS(places, sorted_keys(lane, places_of(lane, a[0])));
  ARC_ALLOCATE(gaps, Key, height * width - places.n);
  const Key* covered = places.keys;
  i64 n_gaps = 0;
  for (i64 i = 0, start = 0; i < height; i++) {
    // The places of this row are covered[start..end).
    const Key first = key_of(box.top + i, box.left);
    i64 end = start;
    if (start < places.n && covered[start] >> LINE_ROW == first >> LINE_ROW)
      end = run_end(covered, places.n, start, LINE_ROW);
    n_gaps = filter(
        width, n_gaps,
        [=](i64 j) {
          i64 at = start + lower_bound(covered + start, end - start, first + (Key)j);
          return at == end || covered[at] != first + (Key)j;
        },
        [=](i64 j, i64 place) { gaps[place] = first + (Key)j; });
    start = end;
  }
  return keys_value(INDICES, gaps, (u32)n_gaps);
}

ARC_FN Value prim_box(Lane& lane, const Value* a) {
  if (a[0].n == 0) return a[0];
  ARC_KEYS(keys, keys_of(lane, a[0]));
  Bounds box = bounds_of(keys);
  return outline(lane, box.top, box.left, box.bottom, box.right);
}
ARC_FN Value prim_inbox(Lane& lane, const Value* a) {
  if (a[0].n == 0) return fail(EMPTY);
  ARC_KEYS(keys, keys_of(lane, a[0]));
  Bounds box = bounds_of(keys);
  i64 top = box.top + 1, left = box.left + 1, bottom = box.bottom - 1, right = box.right - 1;
  return outline(lane, min_of(top, bottom), min_of(left, right), max_of(top, bottom),
                 max_of(left, right));
}
ARC_FN Value prim_outbox(Lane& lane, const Value* a) {
  if (a[0].n == 0) return fail(EMPTY);
  ARC_KEYS(keys, keys_of(lane, a[0]));
  Bounds box = bounds_of(keys);
  return outline(lane, box.top - 1, box.left - 1, box.bottom + 1, box.right + 1);
}

// --- lines ---

// The places between two, both included; none if they are not on one line.
struct Line {
  i64 n;
  Key first, step;
  bool in_range;

  ARC_FN Key key(i64 k) const { return first + (Key)k * step; }
};
// Only the second end may be out of range.
ARC_FN Line line_between(i64 ai, i64 aj, i64 bi, i64 bj) {
  const i64 high = bi > ai ? bi - ai : ai - bi, wide = bj > aj ? bj - aj : aj - bj;
  if (high && wide && high != wide) return {0, 0, 0, true};
  // Start from the end that comes first.
  const bool forward = ai < bi || (ai == bi && aj <= bj);
  const i64 step_j = forward ? sign_of(bj - aj) : sign_of(aj - bj);
  return {max_of(high, wide) + 1, forward ? key_of(ai, aj) : key_of(bi, bj),
          ((Key)(high ? 1 : 0) << LINE_ROW) + (Key)step_j, in_range(bi) && in_range(bj)};
}
ARC_FN Line connecting_line(Key from, Key to) {
  return line_between(row_of(from), column_of(from), row_of(to), column_of(to));
}
ARC_FN Line shot_line(Key from, Key direction) {
  const i64 row = row_of(from), column = column_of(from);
  return line_between(row, column, row + 42 * (i64)row_of(direction), column + 42 * (i64)column_of(direction));
}
ARC_FN Value places_of_line(Lane& lane, const Line& line) {
  if (!line.n) return empty_set();
  ARC_REQUIRE(3 * (u64)line.n);
  if (!line.in_range) return fail(OUT_OF_RANGE);
  ARC_ALLOCATE(keys, Key, line.n);
  each(line.n, [=](i64 k) { keys[k] = line.key(k); });
  return keys_value(INDICES, keys, (u32)line.n);
}
ARC_FN Value prim_connect(Lane& lane, const Value* a) { return places_of_line(lane, connecting_line(a[0].key, a[1].key)); }
ARC_FN Value prim_shoot(Lane& lane, const Value* a) { return places_of_line(lane, shot_line(a[0].key, a[1].key)); }
ARC_FN Value prim_vfrontier(Lane& lane, const Value* a) {
  ARC_ALLOCATE(keys, Key, 30);
  const Key first = key_of(0, column_of(a[0].key));
  each(30, [=](i64 k) { keys[k] = first + ((Key)k << LINE_ROW); });
  return keys_value(INDICES, keys, 30);
}
ARC_FN Value prim_hfrontier(Lane& lane, const Value* a) {
  ARC_ALLOCATE(keys, Key, 30);
  const Key first = key_of(row_of(a[0].key), 0);
  each(30, [=](i64 k) { keys[k] = first + (Key)k; });
  return keys_value(INDICES, keys, 30);
}

// --- two patches ---

// Returns whether two non-empty patches with these spans share a row or column. (If memory runs out, the lane notes it,
// and the answer does not matter.)
ARC_FN bool share_line(Lane& lane, const Keys& a, Span in_a, const Keys& b, Span in_b, int line) {
  i64 first = max_of(in_a.first, in_b.first), last = min_of(in_a.last, in_b.last);
  if (first > last) return false;
  const i64 base = first + KEY_BIAS;
  const Key *keys_a = a.keys, *keys_b = b.keys;
  if (last - first < 64) {
    auto joined = [](i64 x, i64 y) { return x | y; };
    auto bits = [=](const Key* keys, i64 n) {
      return fold(
          n, 0,
          [=](i64 k) {
            u64 at = (u64)(line_of(keys[k], line) - base);
            return at < 64 ? (i64)(1ULL << at) : 0;
          },
          joined);
    };
    return (bits(keys_a, a.n) & bits(keys_b, b.n)) != 0;
  }
  Key* lines = lane.allocate_array<Key>(b.n);
  if (!lines) return false;
  each(b.n, [=](i64 k) { lines[k] = (Key)line_of(keys_b[k], line); });
  if (!sort_keys(lane, lines, b.n)) return false;
  i64 n = b.n;
  return any(a.n, [=](i64 k) {
    Key at = (Key)line_of(keys_a[k], line);
    i64 place = lower_bound(lines, n, at);
    return place < n && lines[place] == at;
  });
}
ARC_FN Value matching(Lane& lane, const Value* a, int line) {
  if (a[0].n == 0 || a[1].n == 0) return truth(false);
  ARC_KEYS(here, keys_of(lane, a[0]));
  ARC_KEYS(there, keys_of(lane, a[1]));
  return truth(share_line(lane, here, span_of(here, line), there, span_of(there, line), line));
}
ARC_NOINLINE Value prim_hmatching(Lane& lane, const Value* a) { return matching(lane, a, LINE_ROW); }
ARC_NOINLINE Value prim_vmatching(Lane& lane, const Value* a) { return matching(lane, a, LINE_COLUMN); }

ARC_FN i64 gap_between(i64 first_a, i64 last_a, i64 first_b, i64 last_b) {
  return max_of<i64>(0, max_of(first_b - last_a, first_a - last_b));
}

// Returns the least distance of any two locations, comparing all of them.
template <bool ALONE = false>
ARC_FN i64 distance_of_few(const Keys& a, const Keys& b) {
  const Key* keys = b.keys;
  const Key* from = a.keys;
  i64 n = b.n;
  auto from_one = [=](i64 k) {
    const i32 row = (i32)line_of(from[k], LINE_ROW), column = (i32)line_of(from[k], LINE_COLUMN);
    i32 best = 4 * KEY_BIAS;
    for (i64 q = 0; q < n; q++) {
      const i32 di = (i32)line_of(keys[q], LINE_ROW) - row, dj = (i32)line_of(keys[q], LINE_COLUMN) - column;
      best = min_of(best, (di < 0 ? -di : di) + (dj < 0 ? -dj : dj));
    }
    return best;
  };
  if (!ALONE) return least(a.n, 4 * KEY_BIAS, from_one);
  i32 best = 4 * KEY_BIAS;
  for (i64 k = 0; k < a.n; k++) best = min_of(best, from_one(k));
  return best;
}

// The same with the first patch moved by (di, dj), skipping locations that cannot be closer.
ARC_NOINLINE i64 distance_of(const Keys& a, const Bounds& box_a, const Keys& b, const Bounds& box_b,
                             i64 di, i64 dj) {
  i64 floor = gap_between(box_a.top + di, box_a.bottom + di, box_b.top, box_b.bottom) +
              gap_between(box_a.left + dj, box_a.right + dj, box_b.left, box_b.right);
  const bool by_row = is_one_color(b);
  // No location of b is closer than its box.
  auto gap = [&](i64 k) {
    i64 row = row_of(a.keys[k]) + di, column = column_of(a.keys[k]) + dj;
    return gap_between(row, row, box_b.top, box_b.bottom) +
           gap_between(column, column, box_b.left, box_b.right);
  };
  // Returns the distance from a location to b, or `best` if it is not less.
  auto nearer = [&](i64 k, i64 best) {
    i64 row = row_of(a.keys[k]) + di, column = column_of(a.keys[k]) + dj, q = 0;
    if (by_row && row - best >= box_b.top)
      q = lower_bound(b.keys, b.n, key_of(color_of(b.keys[0]), row - best + 1, -KEY_BIAS));
    for (; q < b.n && best > floor; q++) {
      i64 down = row_of(b.keys[q]) - row, right = column_of(b.keys[q]) - column;
      if (by_row && down >= best) break;
      best = min_of(best, (down < 0 ? -down : down) + (right < 0 ? -right : right));
    }
    return best;
  };
  // Starting with a location closest to the box leaves few others to compare.
  i64 start = least(a.n, ~0ULL >> 1, [&](i64 k) { return gap(k) << 32 | k; }) & 0xffffffff;
  i64 best = 0;
  if (W == 1) {
    best = nearer(start, 8LL * KEY_BIAS);
  } else {
    i64 row = row_of(a.keys[start]) + di, column = column_of(a.keys[start]) + dj;
    best = least(b.n, 8LL * KEY_BIAS, [&](i64 q) {
      i64 down = row_of(b.keys[q]) - row, right = column_of(b.keys[q]) - column;
      return (down < 0 ? -down : down) + (right < 0 ? -right : right);
    });
  }
  if (best <= floor) return best;
  // From here on each thread has its own best distance.
  return least(a.n, best, [&](i64 k) { return best = gap(k) < best ? nearer(k, best) : best; });
}

// Two patches on boards, one of which moves along the boards' rows, to find whether they touch, i.e. whether their
// least distance is one step.
struct Contact {
  Board moving, around, other;

  // Returns false if the boards are too small. The boards' rows are the rows (along == LINE_COLUMN) or columns
  // (LINE_ROW) that both patches reach.
  ARC_FN bool lay(const Keys& a, const Bounds& box_a, const Keys& b, const Bounds& box_b, int along) {
    bool columns = along == LINE_COLUMN;
    i64 first_a = columns ? box_a.left : box_a.top, last_a = columns ? box_a.right : box_a.bottom;
    i64 first_b = columns ? box_b.left : box_b.top, last_b = columns ? box_b.right : box_b.bottom;
    i64 low = max_of(columns ? box_a.top - 1 : box_a.left - 1, columns ? box_b.top : box_b.left);
    i64 high = min_of(columns ? box_a.bottom + 1 : box_a.right + 1, columns ? box_b.bottom : box_b.right);
    i64 start = min_of(first_a - 1, first_b), n_rows = max_of<i64>(0, high - low + 1);
    if (n_rows > BOARD_SIZE || max_of(last_a + 1, last_b) - start >= BOARD_SIZE) return false;
    int across = LINE_ROW - along;
    low += KEY_BIAS;
    start += KEY_BIAS;
    moving.clear(n_rows);
    around.clear(n_rows);
    other.clear(n_rows);
    for (i64 k = 0; k < a.n; k++) {
      i64 row = line_of(a.keys[k], across) - low;
      u64 bit = 1ULL << (line_of(a.keys[k], along) - start);
      moving.add(row, bit);
      around.add(row - 1, bit);
      around.add(row, bit << 1 | bit >> 1);
      around.add(row + 1, bit);
    }
    for (i64 k = 0; k < b.n; k++)
      other.add(line_of(b.keys[k], across) - low, 1ULL << (line_of(b.keys[k], along) - start));
    return true;
  }

  // Returns whether they touch, without overlap, after `steps` < 64. Cells that leave the boards are past the other
  // patch.
  ARC_FN bool touch(int steps, bool forward) const {
    u64 overlap = 0, touched = 0;
    for (int s = 0; s < (W == 1 ? other.n_rows : Board::PER_THREAD); s++) {
      overlap |= (forward ? moving.rows[s] << steps : moving.rows[s] >> steps) & other.rows[s];
      touched |= (forward ? around.rows[s] << steps : around.rows[s] >> steps) & other.rows[s];
    }
    return !ballot(overlap != 0) && ballot(touched != 0);
  }
};

// Whether comparing all pairs is faster than finding the boxes of two patches first.
ARC_FN bool are_few_pairs(const Keys& a, const Keys& b) {
  constexpr i64 FEW_PAIRS = 32;
  return a.n * b.n <= FEW_PAIRS || (W == 1 && min_of(a.n, b.n) == 1);
}

// Returns the least distance of any two locations of two patches that are not empty.
ARC_FN i64 distance_between(const Keys& a, const Keys& b) {
  if (are_few_pairs(a, b)) return distance_of_few(a, b);
  return distance_of(a, bounds_of(a), b, bounds_of(b), 0, 0);
}

ARC_NOINLINE Value prim_manhattan(Lane& lane, const Value* a) {
  if (a[0].n == 0 || a[1].n == 0) return fail(EMPTY);
  ARC_CHARGE((u64)a[0].n * a[1].n);
  ARC_KEYS(here, keys_of(lane, a[0]));
  ARC_KEYS(there, keys_of(lane, a[1]));
  return number(distance_between(here, there));
}

ARC_NOINLINE Value prim_adjacent(Lane& lane, const Value* a) {
  if (a[0].n == 0 || a[1].n == 0) return fail(EMPTY);
  ARC_CHARGE((u64)a[0].n * a[1].n);
  ARC_KEYS(here, keys_of(lane, a[0]));
  ARC_KEYS(there, keys_of(lane, a[1]));
  if (are_few_pairs(here, there)) return truth(distance_of_few(here, there) == 1);
  Bounds box_a = bounds_of(here), box_b = bounds_of(there);
  if (gap_between(box_a.top, box_a.bottom, box_b.top, box_b.bottom) +
          gap_between(box_a.left, box_a.right, box_b.left, box_b.right) > 1)
    return truth(false);
  Contact contact;
  if (contact.lay(here, box_a, there, box_b, LINE_COLUMN)) return truth(contact.touch(0, true));
  return truth(distance_of(here, box_a, there, box_b, 0, 0) == 1);
}

ARC_FN Value prim_position(Lane& lane, const Value* a) {
  if (a[0].n == 0 || a[1].n == 0) return fail(EMPTY);
  ARC_KEYS(here, keys_of(lane, a[0]));
  ARC_KEYS(there, keys_of(lane, a[1]));
  // Cells become a set of locations first; locations stay unchanged.
  Center from = center_of(a[0], bounds_of(here), has_cells(a[0]));
  Center to = center_of(a[1], bounds_of(there), has_cells(a[1]));
  i64 down = from.row < to.row ? 1 : -1, right = from.column < to.column ? 1 : -1;
  if (from.row == to.row) return pair_of(0, right);
  return from.column == to.column ? pair_of(down, 0) : pair_of(down, right);
}

ARC_NOINLINE Value prim_gravitate(Lane& lane, const Value* a) {
  const Value &source = a[0], &destination = a[1];
  if (source.n == 0 || destination.n == 0) return fail(EMPTY);
  ARC_KEYS(here, keys_of(lane, source));
  ARC_KEYS(there, keys_of(lane, destination));
  Bounds box_a = bounds_of(here), box_b = bounds_of(there);
  Center from = center_of(source, box_a, false), to = center_of(destination, box_b, false);
  bool vertical = share_line(lane, here, {box_a.left, box_a.right}, there, {box_b.left, box_b.right},
                             LINE_COLUMN);
  bool forward = vertical ? from.row < to.row : from.column < to.column;
  // The first move turns a tuple into a set.
  ARC_KEYS(distinct, sorted_keys(lane, here));
  i64 i = vertical ? (forward ? 1 : -1) : 0, j = vertical ? 0 : (forward ? 1 : -1);
  Contact contact;
  bool laid = contact.lay(here, box_a, there, box_b, vertical ? LINE_ROW : LINE_COLUMN);
  int steps = 0;
  for (; steps < 42; steps++) {
    ARC_CHARGE((u64)(steps ? distinct.n : here.n) * (u64)there.n);
    if (laid ? contact.touch(steps, forward)
             : distance_of(here, box_a, there, box_b, steps * i, steps * j) == 1)
      break;
  }
  return pair_of(steps * i, steps * j);
}

// --- objects ---

ARC_FN Value color_of_first(const Value& obj) {
  return number(color_of(obj.kind == OBJECT ? obj.keys[0] : obj.members()[0].key));
}
ARC_FN Value prim_color(Lane&, const Value* a) {
  return a[0].n == 0 ? fail(EMPTY) : color_of_first(a[0]);
}

ARC_FN Value prim_colorfilter(Lane& lane, const Value* a) {
  const Value objs = a[0];
  i64 n = objs.n, color = a[1].number;
  if (n == 0) return empty_set();
  const Value* members = objs.members();
  if (any(n, [=](i64 k) { return members[k].n == 0; })) return fail(EMPTY);
  ARC_NEW_MEMBERS(kept, n);
  i64 n_kept = filter(
      n, 0, [=](i64 k) { return color_of_first(members[k]).number == color; },
      [=](i64 k, i64 place) { kept[place] = members[k]; });
  if (is_tuple(objs)) return set_of(lane, kept, n_kept);
  return n_kept == n ? objs : block_value(lane, SET, 0, kept, (u32)n_kept);
}

// Returns the least move up or left that lays the object onto itself. The object is not moved: its cells are compared
// with those one period before them.
ARC_NOINLINE Value period_of(Lane& lane, const Value& obj, int line) {
  if (obj.n == 0) return number(0);
  ARC_KEYS(cells, sorted_keys(lane, keys_of(lane, obj)));
  const Key* keys = cells.keys;
  Span span = span_of(cells, line);
  i64 extent = span.last - span.first + 1;
  for (i64 period = 1; period < extent; period++) {
    ARC_CHARGE((u64)cells.n);
    const Key back = (Key)period << line;
    const i64 start = span.first + KEY_BIAS + period;
    // Both the cells and their counterparts ascend, so each thread only moves forward.
    i64 at = 0;
    bool missed = any(cells.n, [&, keys](i64 k) {
      if (line_of(keys[k], line) < start) return false;
      Key wanted = keys[k] - back;
      if (W > 1) at += lower_bound(keys + at, k - at, wanted);
      while (keys[at] < wanted) at++;
      return keys[at] != wanted;
    });
    if (!missed) return number(period);
  }
  return number(extent);
}
ARC_FN Value prim_hperiod(Lane& lane, const Value* a) { return period_of(lane, a[0], LINE_COLUMN); }
ARC_FN Value prim_vperiod(Lane& lane, const Value* a) { return period_of(lane, a[0], LINE_ROW); }

}  // namespace arc
