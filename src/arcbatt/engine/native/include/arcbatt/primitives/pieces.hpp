// Pieces, i.e. grids and patches. language/primitives/pieces.py defines the primitives.
#pragma once
#include "../geometry.hpp"

namespace arc {

// Returns the bounds of a piece that is a set; unused for other pieces.
template <bool ALONE = false>
ARC_FN Bounds box_of_piece(const Value& piece) {
  if (piece.n == 0 || is_tuple(piece)) return {0, 0, 0, 0};
  return bounds_of<ALONE>({piece.keys, piece.n, true});
}

template <bool ALONE = false>
ARC_FN Value prim_height(Lane&, const Value* a) {
  if (a[0].n == 0 || is_tuple(a[0])) return number(a[0].n);
  Span rows = span_of<ALONE>({a[0].keys, a[0].n, true}, LINE_ROW);
  return number(rows.last - rows.first + 1);
}
template <bool ALONE = false>
ARC_FN Value prim_width(Lane&, const Value* a) {
  if (a[0].n == 0 || is_tuple(a[0])) {
    i64 width = width_of_piece(a[0], {0, 0, 0, 0});
    return width < 0 ? fail(WRONG_TYPE) : number(width);
  }
  Span columns = span_of<ALONE>({a[0].keys, a[0].n, true}, LINE_COLUMN);
  return number(columns.last - columns.first + 1);
}
template <bool ALONE = false>
ARC_FN Value prim_shape(Lane&, const Value* a) {
  Bounds box = box_of_piece<ALONE>(a[0]);
  i64 width = width_of_piece(a[0], box);
  return width < 0 ? fail(WRONG_TYPE) : pair_of(height_of_piece(a[0], box), width);
}
template <bool ALONE = false>
ARC_FN Value prim_portrait(Lane&, const Value* a) {
  Bounds box = box_of_piece<ALONE>(a[0]);
  i64 width = width_of_piece(a[0], box);
  return width < 0 ? fail(WRONG_TYPE) : truth(height_of_piece(a[0], box) > width);
}
ARC_FN Value prim_square(Lane&, const Value* a) {
  const Value& piece = a[0];
  if (is_tuple(piece) && piece.n == 0) return fail(EMPTY);
  Bounds box = box_of_piece(piece);
  i64 height = height_of_piece(piece, box), width = width_of_piece(piece, box);
  if (width < 0) return fail(WRONG_TYPE);
  return truth(height == width && (is_tuple(piece) || height * width == (i64)piece.n));
}

// --- mirrors of tuples ---

// Reverses a tuple.
ARC_CPU_NOINLINE Value turned_around(Lane& lane, const Value& tuple) {
  const i64 n = tuple.n;
  const i32* from = tuple.ints;
  if (n == 0) return tuple;
  switch (tuple.kind) {
    case PAIR: return pair_of_key(key_of(column_of(tuple.key), row_of(tuple.key)));
    case INTS: {
      ARC_ALLOCATE(ints, i32, n);
      each(n, [=](i64 k) { ints[k] = from[n - 1 - k]; });
      return ints_value(INTS, ints, (u32)n);
    }
    case GRID: {
      const Counter width = (Counter)width_of(tuple), last = (Counter)n - 1;
      ARC_ALLOCATE(cells, i32, n * width);
      each_in_grid(n, width, [=](Counter i, Counter j) {
        cells[i * width + j] = from[(last - i) * width + j];
      });
      return grid_value(cells, (u32)n, (u32)width);
    }
    default: {
      const Value whole = tuple;
      ARC_NEW_MEMBERS(members, n);
      each(n, [=](i64 k) { members[k] = member(whole, (u32)(n - 1 - k)); });
      return tuple_of(lane, members, n);
    }
  }
}

// Reverses each row of a tuple of tuples.
ARC_NOINLINE Value rows_turned_around(Lane& lane, const Value& rows) {
  if (!is_rows(rows)) return fail(WRONG_TYPE);
  const i64 n = rows.n;
  if (n == 0) return rows;
  if (rows.kind == GRID) {
    const Counter width = (Counter)width_of(rows);
    const i32* from = rows.ints;
    ARC_ALLOCATE(cells, i32, n * width);
    each_in_grid(n, width, [=](Counter i, Counter j) {
      cells[i * width + j] = from[i * width + width - 1 - j];
    });
    return grid_value(cells, (u32)n, (u32)width);
  }
  ARC_NEW_MEMBERS(members, n);
  for (i64 i = 0; i < n; i++) {
    Value row = turned_around(lane, rows.members()[i]);
    if (row.failed()) return row;
    if (thread_index() == 0) members[i] = row;
  }
  sync();
  return tuple_of(lane, members, n);
}

// Flips a tuple of tuples over the diagonal from the upper left or, with `turned`, the upper right.
ARC_NOINLINE Value transposed(Lane& lane, const Value& rows, bool turned) {
  if (!is_rows(rows)) return fail(WRONG_TYPE);
  const i64 n = rows.n;
  if (n == 0) return rows;
  if (rows.kind == GRID) {
    i64 width = width_of(rows);
    // Cell (j, i) comes from (i, j), counted from the other end with `turned`.
    i64 step = turned ? -1 : 1;
    const i32* from = turned ? rows.ints + n * width - 1 : rows.ints;
    ARC_ALLOCATE(cells, i32, n * width);
    each_in_grid(width, n, [=](i64 j, i64 i) { cells[j * n + i] = from[step * (i * width + j)]; });
    return grid_value(cells, (u32)width, (u32)n);
  }
  const Value* from = rows.members();
  i64 width = least(n, from[0].n, [=](i64 i) { return (i64)from[i].n; });
  ARC_NEW_MEMBERS(members, width);
  for (i64 j = 0; j < width; j++) {
    ARC_NEW_MEMBERS(column, n);
    each(n, [=](i64 i) {
      const Value& row = from[turned ? n - 1 - i : i];
      column[i] = member(row, (u32)(turned ? row.n - 1 - j : j));
    });
    Value made = tuple_of(lane, column, n);
    if (made.failed()) return made;
    if (thread_index() == 0) members[j] = made;
  }
  sync();
  return tuple_of(lane, members, width);
}

// --- mirrors of patches ---

ARC_FN Value hmirrored(Lane& lane, const Value& patch) {
  const Key* keys = patch.keys;
  const i64 n = patch.n;
  Span rows = span_of({keys, n, true}, LINE_ROW);
  const Key sum = (Key)(rows.first + rows.last + 2 * KEY_BIAS);
  ARC_ALLOCATE(mirrored, Key, n);
  // Within each color, the rows are in reverse order.
  for (i64 color = 0, color_end; color < n; color = color_end) {
    color_end = run_end(keys, n, color, COLOR_SHIFT);
    for (i64 row = color, row_end; row < color_end; row = row_end) {
      row_end = run_end(keys, color_end, row, LINE_ROW);
      const Key line = (Key)line_of(keys[row], LINE_ROW);
      const Key up = (sum - line - line) << LINE_ROW;
      Key* to = mirrored + color + color_end - row_end;
      const Key* from = keys + row;
      each(row_end - row, [=](i64 k) { to[k] = from[k] + up; });
    }
  }
  return keys_value((Kind)patch.kind, mirrored, (u32)n);
}

ARC_FN Value vmirrored(Lane& lane, const Value& patch) {
  const Key* keys = patch.keys;
  const i64 n = patch.n;
  Span columns = span_of({keys, n, true}, LINE_COLUMN);
  const Key sum = (Key)(columns.first + columns.last + 2 * KEY_BIAS);
  ARC_ALLOCATE(mirrored, Key, n);
  for (i64 row = 0, row_end; row < n; row = row_end) {
    row_end = run_end(keys, n, row, LINE_ROW);
    Key* to = mirrored + row;
    const Key* last = keys + row_end - 1;
    const Key line = keys[row] >> LINE_ROW << LINE_ROW;
    each(row_end - row, [=](i64 k) { to[k] = line | (sum - (last[-k] & KEY_MASK)); });
  }
  return keys_value((Kind)patch.kind, mirrored, (u32)n);
}

// Flips a patch over the diagonal of its box from the upper left or, with `turned`, the upper right.
ARC_NOINLINE Value flipped(Lane& lane, const Value& patch, bool turned) {
  const Key* keys = patch.keys;
  const i64 n = patch.n;
  Bounds box = bounds_of({keys, n, true});
  if (!in_range(box.top + box.right - box.left) || !in_range(box.left + box.bottom - box.top))
    return fail(OUT_OF_RANGE);
  ARC_ALLOCATE(mirrored, Key, n);
  if (W == 1 && n > 8 && fits_board(box)) {
    Key* to = mirrored;
    Board board;
    for (i64 color = 0, end; color < n; color = end) {
      end = run_end(keys, n, color, COLOR_SHIFT);
      board.clear(box.width());
      for (i64 k = color; k < end; k++) {
        i64 row = row_of(keys[k]), column = column_of(keys[k]);
        board.add(turned ? box.right - column : column - box.left,
                  1ULL << (turned ? box.bottom - row : row - box.top));
      }
      for (i64 i = 0; i < board.n_rows; i++)
        to = keys_of_bits(board.rows[i], key_of(color_of(keys[color]), box.top + i, box.left), to);
    }
    return keys_value((Kind)patch.kind, mirrored, (u32)n);
  }
  each(n, [=](i64 k) {
    i64 row = row_of(keys[k]), column = column_of(keys[k]);
    mirrored[k] = key_of(color_of(keys[k]), box.top + (turned ? box.right - column : column - box.left),
                         box.left + (turned ? box.bottom - row : row - box.top));
  });
  if (!sort_keys(lane, mirrored, n)) return fail(OVER_BUDGET);
  return keys_value((Kind)patch.kind, mirrored, (u32)n);
}

ARC_CPU_NOINLINE Value prim_hmirror(Lane& lane, const Value* a) {
  if (is_tuple(a[0])) return turned_around(lane, a[0]);
  return a[0].n == 0 ? fail(EMPTY) : hmirrored(lane, a[0]);
}
ARC_NOINLINE Value prim_vmirror(Lane& lane, const Value* a) {
  if (is_tuple(a[0])) return rows_turned_around(lane, a[0]);
  return a[0].n == 0 ? fail(EMPTY) : vmirrored(lane, a[0]);
}
ARC_FN Value prim_dmirror(Lane& lane, const Value* a) {
  if (is_tuple(a[0])) return transposed(lane, a[0], false);
  return a[0].n == 0 ? fail(EMPTY) : flipped(lane, a[0], false);
}
ARC_FN Value prim_cmirror(Lane& lane, const Value* a) {
  if (is_tuple(a[0])) return transposed(lane, a[0], true);
  return a[0].n == 0 ? fail(EMPTY) : flipped(lane, a[0], true);
}

// --- upscale ---

ARC_NOINLINE Value upscaled_rows(Lane& lane, const Value& rows, i64 times) {
  if (!is_rows(rows)) return fail(WRONG_TYPE);
  const i64 n = rows.n;
  const bool grid = rows.kind == GRID;
  const Value* from = grid ? nullptr : rows.members();
  u64 n_cells = grid ? (u64)(n * width_of(rows)) : (u64)total(n, [=](i64 i) { return (i64)from[i].n; });
  // In two steps, since the product may exceed 64 bits.
  if (n_cells) ARC_REQUIRE((u64)(times * times));
  ARC_REQUIRE((u64)(times * n) + (u64)(times * times) * n_cells);
  if (n == 0 || times == 0) return empty_tuple();
  if (times == 1) return rows;
  if (grid) {
    i64 width = width_of(rows), wide = width * times;
    const i32* ints = rows.ints;
    ARC_ALLOCATE(cells, i32, n * times * wide);
    if (W > 1) {  // adjacent threads write adjacent cells
      each_in_grid(n * times, wide, [=](i64 i, i64 j) {
        cells[i * wide + j] = ints[(u32)i / (u32)times * width + (u32)j / (u32)times];
      });
      return grid_value(cells, (u32)(n * times), (u32)wide);
    }
    each_in_grid(n, width, [=](i64 i, i64 j) {
      i32 cell = ints[i * width + j];
      i32* to = cells + i * times * wide + j * times;
      for (i64 di = 0; di < times; di++, to += wide)
        for (i64 dj = 0; dj < times; dj++) to[dj] = cell;
    });
    return grid_value(cells, (u32)(n * times), (u32)wide);
  }
  ARC_NEW_MEMBERS(members, n * times);
  for (i64 i = 0; i < n; i++) {
    const Value row = from[i];
    ARC_NEW_MEMBERS(wider, row.n * times);
    each_in_grid(row.n, times, [=](i64 j, i64 dj) { wider[j * times + dj] = member(row, (u32)j); });
    const Value made = tuple_of(lane, wider, row.n * times);
    if (made.failed()) return made;
    each(times, [=](i64 di) { members[i * times + di] = made; });
  }
  return tuple_of(lane, members, n * times);
}

ARC_EFFORT(upscale, n_elements * (u64)max_of<i64>(1, args[1].number * args[1].number))
ARC_NOINLINE Value prim_upscale(Lane& lane, const Value* a) {
  const Value& element = a[0];
  const i64 times = max_of<i64>(0, a[1].number), n = element.n;
  if (is_tuple(element)) return upscaled_rows(lane, element, times);
  if (n == 0) return empty_set();
  if (element.kind != OBJECT) return fail(WRONG_TYPE);
  ARC_REQUIRE((u64)(times * times));
  ARC_REQUIRE(5 * (u64)(times * times) * (u64)n);
  if (times == 0) return empty_set();
  if (times == 1) return element;
  const Key* keys = element.keys;
  Bounds box = bounds_of({keys, n, true});
  if (!in_range(box.top + box.height() * times - 1) || !in_range(box.left + box.width() * times - 1))
    return fail(OUT_OF_RANGE);
  ARC_ALLOCATE(blocks, Key, n * times * times);
  Key* to = blocks;
  for (i64 row = 0, row_end; row < n; row = row_end) {
    row_end = run_end(keys, n, row, LINE_ROW);
    i64 n_cells = row_end - row, wide = n_cells * times;
    each(n_cells, [=](i64 k) {
      Key cell = keys[row + k];
      Key block = key_of(color_of(cell), box.top + (row_of(cell) - box.top) * times,
                         box.left + (column_of(cell) - box.left) * times);
      for (i64 di = 0; di < times; di++, block += (Key)1 << LINE_ROW)
        for (i64 dj = 0; dj < times; dj++) to[di * wide + k * times + dj] = block + (Key)dj;
    });
    to += wide * times;
  }
  return keys_value(OBJECT, blocks, (u32)(n * times * times));
}

}  // namespace arc
