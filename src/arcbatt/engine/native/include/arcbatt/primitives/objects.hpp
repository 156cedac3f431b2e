// Objects: connected parts of a grid, and its cells by color. language/primitives/objects.py defines the primitives.
#pragma once
#include "../joined_parts.hpp"
#include "grids.hpp"

namespace arc {

enum KeptColors : u8 { EVERY_COLOR, ALL_BUT_COMMONEST, ALL_BUT, ONLY };

// The cells that form parts, and how they are connected.
struct Cut {
  bool univalued, diagonal;
  KeptColors keeps;  // cells of other colors belong to no part
  i32 color;         // ALL_BUT: that one; ONLY: that one
  Kind kind = OBJECT;  // the kind of a part: INDICES if all kept cells have color 0
  const i32* cells = nullptr;
  i64 n_rows = 0, width = 0;

  ARC_FN bool kept(i32 c) const { return keeps == EVERY_COLOR || (c == color) == (keeps == ONLY); }
  // The weight of the set or tuple of parts.
  ARC_FN u64 weight(i64 n_parts, i64 n_cells) const {
    return (u64)n_parts + (kind == OBJECT ? 5 : 3) * (u64)n_cells;
  }
  ARC_FN u32 depth() const { return kind == OBJECT ? 4 : 3; }
};

// Makes objects of sorted keys, one after the other: object k is keys[starts[k] .. starts[k + 1]).
ARC_FN Value objects_of(Lane& lane, const Cut& cut, bool tuple, const Key* keys, const i32* starts, i64 n) {
  ARC_NEW_MEMBERS(objects, n);
  const Kind kind = cut.kind;
  each(n, [=](i64 k) {
    objects[k] = keys_value(kind, keys + starts[k], (u32)(starts[k + 1] - starts[k]));
  });
  return weighed_block(lane, tuple ? TUPLE : SET, 0, objects, (u32)n, cut.weight(n, starts[n]), cut.depth());
}

// --- by joined runs: any grid ---

// Adjacent cells of one color in a row, in reading order: their first and last cell, and the first run of their part.
struct CellRuns {
  i32 *firsts, *lasts, *parts;
  i64 n;
  i64 width;

  ARC_FN i32 row(i64 k) const { return (i32)((u32)firsts[k] / (u32)width); }
  ARC_FN i32 length(i64 k) const { return lasts[k] - firsts[k] + 1; }
  // Returns whether all cells of a run have locations within the range of numbers.
  ARC_FN bool is_located(i64 k) const {
    const i64 row = this->row(k);
    return row <= MAX_NUMBER && lasts[k] - row * width <= MAX_NUMBER;
  }
};
// Finds the runs of the n_kept cells that are kept, and joins those that touch; returns false if memory ran out.
ARC_NOINLINE bool find_runs(Lane& lane, const Cut& cut, i64 n_kept, CellRuns* to) {
  const Cut by = cut;
  const i32* cells = cut.cells;
  const i64 width = cut.width, n_rows = cut.n_rows;
  CellRuns runs = {lane.allocate_array<i32>(n_kept), lane.allocate_array<i32>(n_kept), nullptr, 0, width};
  if (!runs.firsts || !runs.lasts) return false;
  runs.n = filter_cells(
      n_rows, width, 0,
      [=](i64 i, i64 j) {
        const i32* cell = cells + i * width + j;
        return by.kept(*cell) && (j == 0 || cell[-1] != *cell);
      },
      [=](i64 i, i64 j, i64 place) { runs.firsts[place] = (i32)(i * width + j); });
  filter_cells(
      n_rows, width, 0,
      [=](i64 i, i64 j) {
        const i32* cell = cells + i * width + j;
        return by.kept(*cell) && (j == width - 1 || cell[1] != *cell);
      },
      [=](i64 i, i64 j, i64 place) { runs.lasts[place] = (i32)(i * width + j); });
  i32* parts = runs.parts = lane.allocate_array<i32>(runs.n);
  if (!parts) return false;
  each(runs.n, [=](i64 k) { parts[k] = (i32)k; });
  each(runs.n, [=](i64 k) {
    const i64 row = runs.row(k), first = runs.firsts[k], last = runs.lasts[k];
    if (!by.univalued && first > row * width && k && runs.lasts[k - 1] == first - 1)
      join_at_once(parts, (i32)k - 1, (i32)k);
    if (row == 0) return;
    // Join the runs of the row above that touch this one.
    const i64 above = (row - 1) * width, left = max_of(first - width - by.diagonal, above);
    const i64 right = min_of(last - width + by.diagonal, above + width - 1);
    for (i64 other = sorted_place(runs.lasts, k, (i32)left); other < k && runs.firsts[other] <= right; other++)
      if (!by.univalued || cells[runs.firsts[other]] == cells[first]) join_at_once(parts, (i32)other, (i32)k);
  });
  settle_parts(parts, runs.n);
  *to = runs;
  return true;
}

// Runs are in the order of their cells, so taking objects in the order of their first runs sorts them.
ARC_NOINLINE Value objects_by_runs(Lane& lane, const Cut& cut, bool tuple) {
  const Cut by = cut;
  const i32* cells = cut.cells;
  const i64 n_kept = total(cut.n_rows * cut.width, [=](i64 k) { return by.kept(cells[k]); });
  if (n_kept == 0) return tuple ? empty_tuple() : empty_set();
  ARC_REQUIRE(cut.weight(1, n_kept));  // at least
  CellRuns runs;
  if (!find_runs(lane, cut, n_kept, &runs)) return fail(OVER_BUDGET);
  const i64 n_runs = runs.n;
  const i64 n_objects = total(n_runs, [=](i64 k) { return runs.parts[k] == k; });
  // A very large grid has places that are out of range; the call fails if an object has one. Exceeding the budget takes
  // precedence.
  ARC_REQUIRE(cut.weight(n_objects, n_kept));
  if (any(n_runs, [=](i64 k) { return !runs.is_located(k); })) return fail(OUT_OF_RANGE);
  // Runs by color, then by object, as keys; the lower half of a key is the run, or its position by color.
  ARC_ALLOCATE(by_color, Key, n_runs);
  ARC_ALLOCATE(by_object, Key, n_runs);
  ARC_ALLOCATE(objects, i32, n_runs);  // by the first run of a part: its first place by color; its object
  ARC_ALLOCATE(places, i32, n_runs);
  ARC_ALLOCATE(starts, i32, n_objects + 1);
  ARC_ALLOCATE(keys, Key, n_kept);
  each(n_runs, [=](i64 k) {
    by_color[k] = key_of_number(cells[runs.firsts[k]]) << 32 | (Key)k;
    objects[k] = (i32)n_runs;
  });
  if (!sort_keys(lane, by_color, n_runs)) return fail(OVER_BUDGET);
  auto run_at = [=](i64 k) { return (i64)(u32)by_color[k]; };
  auto part_at = [=](i64 k) { return runs.parts[run_at(k)]; };
  each(n_runs, [=](i64 k) { atomic_min(objects + part_at(k), (i32)k); });
  each(n_runs, [=](i64 k) { places[k] = objects[part_at(k)]; });
  filter(
      n_runs, 0, [=](i64 k) { return places[k] == k; },
      [=](i64 k, i64 place) { objects[part_at(k)] = (i32)place; });
  each(n_runs, [=](i64 k) { by_object[k] = (Key)objects[part_at(k)] << 32 | (Key)k; });
  if (!sort_keys(lane, by_object, n_runs)) return fail(OVER_BUDGET);
  auto run_of = [=](i64 k) { return run_at((i64)(u32)by_object[k]); };
  running_sums(n_runs, places, [=](i64 k) { return runs.length(run_of(k)); });
  each(n_runs, [=](i64 k) {
    const i64 object = (i64)(by_object[k] >> 32);
    if (k == 0 || (i64)(by_object[k - 1] >> 32) != object) starts[object] = places[k];
    const i64 run = run_of(k), row = runs.row(run);
    const Key first = key_of(cells[runs.firsts[run]], row, runs.firsts[run] - row * runs.width);
    Key* to = keys + places[k];
    for (i32 j = 0; j < runs.length(run); j++) to[j] = first + (Key)j;
  });
  if (thread_index() == 0) starts[n_objects] = (i32)n_kept;
  sync();
  return objects_of(lane, cut, tuple, keys, starts, n_objects);
}

// --- by bits: grids of up to 32x32 cells, one word per row ---

#if defined(ARC_WARP_LANES)
// On a warp each thread holds a row.

// The cells of one color that form parts: runs of set bits. Carries fill them towards higher bits, and towards lower
// bits in the mirrored row.
struct PartRows {
  u32 row, mirrored;
  bool diagonal;

  ARC_FN PartRows(u32 mask, bool diagonal) : row(mask), mirrored(mirrored_bits(mask)), diagonal(diagonal) {}
  // Returns the runs that contain bits of `seed`.
  ARC_FN u32 runs_of(u32 seed) const {
    return seed | (row & ~(row + seed)) | mirrored_bits(mirrored & ~(mirrored + mirrored_bits(seed)));
  }
  // Returns the cells that touch no other.
  ARC_FN u32 lone() const {
    const int t = thread_index();
    const u32 above = from_before(row), below = from_after(row);
    const u32 across = (t > 0 ? above : 0) | (t < W - 1 ? below : 0), around = diagonal ? across | row : row;
    return row & ~(across | around << 1 | around >> 1);
  }
  // Returns the part of a cell: that of the first bit of `left` in the row of this thread.
  ARC_FN u32 part_of(int first_row, u32 left) const {
    u32 part = thread_index() == first_row ? runs_of(left & (0u - left)) : 0;
    for (;;) {
      // The first and the last row get their own bits, which adds nothing.
      u32 near = from_before(part) | from_after(part);
      if (diagonal) near |= near << 1 | near >> 1;
      const u32 fresh = near & row & ~part;
      if (!any_thread(fresh != 0)) return part;
      part = runs_of(part | fresh);
    }
  }
};

// The colors of a grid's cells as four planes of bits; each thread has a row.
struct ColorPlanes {
  u32 planes[4];
  u32 in_row;  // bits of the cells
  u32 colors;  // bits of the colors that occur

  // Returns false if a cell is not a color.
  ARC_FN bool read(const Cut& cut) {
    const int t = thread_index();
    const i32 width = (i32)cut.width, n = (i32)cut.n_rows * width;
    u32 words[4] = {};  // word t has 32 cells in reading order
    u32 seen = 0;
    for (i32 start = 0; start < n; start += W) {
      const bool is_cell = start + t < n;
      const u32 color = is_cell ? (u32)cut.cells[start + t] : 0;
      if (is_cell) seen |= 1u << min_of(color, 31u);
#pragma unroll
      for (int b = 0; b < 4; b++) {
        const u32 bits = ballot(color >> b & 1);
        if (t * W == start) words[b] = bits;
      }
    }
    in_row = t < (i32)cut.n_rows ? ~0u >> (32 - width) : 0;
    const int first = t * width;
#pragma unroll
    for (int b = 0; b < 4; b++) {
      const u64 low = shuffle(words[b], first / W & 31), high = shuffle(words[b], (first / W + 1) & 31);
      planes[b] = (u32)((high << 32 | low) >> first % W);
    }
    colors = bits_of_threads(seen);
    return colors < 1u << N_COLORS;
  }
  ARC_FN u32 of(int color) const {
    u32 row = in_row;
#pragma unroll
    for (int b = 0; b < 4; b++) row &= color >> b & 1 ? planes[b] : ~planes[b];
    return row;
  }
  // Returns the cells that are kept.
  ARC_FN u32 kept(const Cut& cut) const {
    if (cut.keeps == EVERY_COLOR) return in_row;
    const u32 of_color = (u32)cut.color < (u32)N_COLORS ? of(cut.color) : 0;
    return cut.keeps == ONLY ? of_color : in_row & ~of_color;
  }
  // Returns the most common color, the lowest of several.
  ARC_FN i32 most_common() const {
    i32 best = 0;
    u32 most = 0;
    for (u32 left = colors; left; left &= left - 1) {
      const int c = lowest_bit(left);
      const u32 count = sum_of_threads((u32)count_bits(of(c)));
      if (count > most) {
        most = count;
        best = c;
      }
    }
    return best;
  }
};

// Finds the parts of one color each, contiguous in memory; returns how many.
ARC_FN i32 parts_of_one_color(const Cut& cut, const ColorPlanes& planes, u32 colors, Key* keys, Value* objects) {
  const int t = thread_index();
  const Kind kind = cut.kind;
  i32 n = 0, at = 0;
  for (; colors; colors &= colors - 1) {
    const int c = lowest_bit(colors);
    const Key first = key_of(c, 0, 0);
    const PartRows rows(planes.of(c), cut.diagonal);
    const u32 lone = rows.lone();
    for (u32 rest = rows.row;;) {
      // Lone cells are taken together until another part comes first.
      const u32 joined = rest & ~lone, rows_left = ballot(joined != 0);
      const int row = rows_left ? lowest_bit(rows_left) : W;
      const u32 before = t < row ? ~0u : t > row ? 0 : (joined & (0u - joined)) - 1, next = rest & lone & before;
      if (any_thread(next != 0)) {
        const i32 more = write_keys_of_rows(next, first, keys + at);
        for (i32 k = t; k < more; k += W) objects[n + k] = keys_value(kind, keys + at + k, 1);
        n += more;
        at += more;
      }
      if (!rows_left) break;
      const u32 part = rows.part_of(row, joined);
      const i32 more = write_keys_of_rows(part, first, keys + at);
      if (t == 0) objects[n] = keys_value(kind, keys + at, (u32)more);
      n++;
      at += more;
      rest &= ~(next | part);
    }
  }
  sync();
  return n;
}
// Finds the parts of any colors.
ARC_FN Value parts_of_any_color(Lane& lane, const Cut& cut, const ColorPlanes& planes, u32 all, u32 colors,
                                i64 n_kept, bool tuple) {
  const int t = thread_index();
  ARC_ALLOCATE(keys, Key, n_kept);
  ARC_ALLOCATE(starts, i32, n_kept + 1);
  ARC_ALLOCATE(firsts, Key, n_kept);
  const PartRows rows(all, cut.diagonal);
  i32 n = 0, at = 0;
  u32 rest = all;
  for (u32 rows_left; (rows_left = ballot(rest != 0)); n++) {
    const u32 part = rows.part_of(lowest_bit(rows_left), rest);
    const i32 start = at;
    for (u32 left = colors; left; left &= left - 1) {
      const int c = lowest_bit(left);
      at += write_keys_of_rows(part & planes.of(c), key_of(c, 0, 0), keys + at);
    }
    sync();
    if (t == 0) {
      starts[n] = start;
      firsts[n] = keys[start];
    }
    rest &= ~part;
  }
  if (t == 0) starts[n] = at;
  sync();
  // Parts are ordered by their first places, objects by their first cells.
  ARC_NEW_MEMBERS(objects, n);
  const Kind kind = cut.kind;
  each(n, [=](i64 k) {
    i32 rank = 0;
    for (i32 j = 0; j < n; j++) rank += firsts[j] < firsts[k];
    objects[rank] = keys_value(kind, keys + starts[k], (u32)(starts[k + 1] - starts[k]));
  });
  return weighed_block(lane, tuple ? TUPLE : SET, 0, objects, (u32)n, cut.weight(n, n_kept), cut.depth());
}
ARC_FN Value objects_by_bits(Lane& lane, const Cut& cut, const ColorPlanes& planes, bool tuple) {
  const u32 all = planes.kept(cut);
  const i64 n_kept = count_keys(all);
  if (n_kept == 0) return tuple ? empty_tuple() : empty_set();
  const u32 chosen = (u32)cut.color < (u32)N_COLORS ? 1u << cut.color : 0;
  const u32 colors = planes.colors & (cut.keeps == EVERY_COLOR ? ~0u : cut.keeps == ONLY ? chosen : ~chosen);
  if (!cut.univalued) return parts_of_any_color(lane, cut, planes, all, colors, n_kept, tuple);
  ARC_ALLOCATE(keys, Key, n_kept);
  ARC_NEW_MEMBERS(objects, n_kept);
  const i32 n = parts_of_one_color(cut, planes, colors, keys, objects);
  give_back(lane, objects, n);
  return weighed_block(lane, tuple ? TUPLE : SET, 0, objects, (u32)n, cut.weight(n, n_kept), cut.depth());
}
#elif !defined(__CUDACC__)
// On the CPU, row i of a grid is word i + 1 between two empty words, so that every row has one above and one below.
constexpr int N_WORDS = 32 + 2;

// The cells of each color.
struct ColorRows {
  u32 colors;                    // bit c: color c occurs
  u32 counts[N_COLORS];          // this and the next only for colors that occur
  u32 rows[N_COLORS][N_WORDS];
};

// Returns which of 16 bytes equal a byte, as bits.
ARC_FN u32 equal_bytes(const u8* bytes, u8 byte) {
#if defined(__SSE2__)
  typedef char Bytes __attribute__((vector_size(16), aligned(1), may_alias));
  return (u32)__builtin_ia32_pmovmskb128(*(const Bytes*)bytes == (char)byte);
#else
  u32 bits = 0;
  for (int k = 0; k < 16; k++) bits |= (u32)(bytes[k] == byte) << k;
  return bits;
#endif
}

// Finds the cells of each color; returns false if a cell is not a color.
ARC_CLONED static bool split_colors(const Cut& cut, ColorRows& split) {
  typedef u32 Cells __attribute__((vector_size(64), aligned(4), may_alias));
  typedef u8 Bytes __attribute__((vector_size(16), aligned(1), may_alias));
  const i32* cells = cut.cells;
  i64 n = cut.n_rows * cut.width;
  i32 few[16];
  if (n < 16) {
    for (i64 k = 0; k < 16; k++) few[k] = cells[min_of(k, n - 1)];
    cells = few;
    n = 16;
  }
  // As bytes, so that one comparison handles a row, or half of one. The last 16 cells may overlap those before, which
  // does no harm.
  u8 bytes[32 * 32];
  Cells all = {}, seen = {};
  for (i64 start = 0; start < n; start += 16) {
    const i64 at = min_of(start, n - 16);
    const Cells some = *(const Cells*)(cells + at);
    *(Bytes*)(bytes + at) = __builtin_convertvector(some, Bytes);
    all |= some;
    seen |= (Cells{} + 1) << (some & 31);
  }
  u32 all_bits = 0;
  split.colors = 0;
  for (int k = 0; k < 16; k++) {
    all_bits |= all[k];
    split.colors |= seen[k];
  }
  if (all_bits >= 32 || split.colors >> N_COLORS) return false;
  const u32 in_width = ~0u >> (32 - cut.width);
  for (u32 left = split.colors; left; left &= left - 1) {
    const int c = lowest_bit(left);
    u32* rows = split.rows[c];
    u32 count = 0;
    rows[0] = rows[cut.n_rows + 1] = 0;
    for (i64 i = 0; i < cut.n_rows; i++) {
      const u8* row = bytes + i * cut.width;
      u32 bits = equal_bytes(row, (u8)c);
      if (cut.width > 16) bits |= equal_bytes(row + 16, (u8)c) << 16;
      rows[i + 1] = bits & in_width;
      count += count_bits(bits & in_width);
    }
    split.counts[c] = count;
  }
  return true;
}

// Returns the bits that cells in the row above or below touch.
ARC_FN u32 touched(u32 bits, bool diagonal) { return diagonal ? bits | bits << 1 | bits >> 1 : bits; }

// Returns the runs of set bits of `mask` that contain bits of `seeds`, a subset of it.
ARC_FN u32 runs_at(u32 seeds, u32 mask) {
  u32 runs = 0;
  while (seeds) {
    const u32 seed = seeds & (0u - seeds), below = seed - 1;
    // From the first seed, the carry of an addition finds the upper end of its run. Its lower end is after the last
    // gap, or at bit 0.
    const int start = 63 - __builtin_clzll((u64)(~mask & below) << 1 | 1);
    runs |= (mask & ~(mask + seed)) | (~0u << start & below);
    seeds &= ~runs;
  }
  return runs;
}

// The cells of a part, which are in words top .. bottom.
struct Part {
  i64 top, bottom;
  u32 rows[N_WORDS];
};

// Moves cells that touch the part from `rest` to it, up and down, until none are left.
ARC_NOINLINE void grow_part(Part& part, u32* rest, bool diagonal) {
  auto take = [&](i64 from, i64 to) {
    const u32 runs = runs_at(touched(part.rows[from], diagonal) & rest[to], rest[to]);
    rest[to] ^= runs;
    part.rows[to] |= runs;
    return runs != 0;
  };
  for (bool grown = true; grown;) {
    part.rows[part.top - 1] = part.rows[part.bottom + 1] = 0;
    grown = false;
    for (i64 i = part.bottom; i > part.top; i--) grown |= take(i, i - 1);
    for (i64 i = part.top; i < part.bottom; i++) grown |= take(i, i + 1);
    const bool above = take(part.top, part.top - 1), under = take(part.bottom, part.bottom + 1);
    part.top -= above;
    part.bottom += under;
    grown |= above || under;
  }
}

// Moves the part that contains a run of a row from `rest` to `part`.
ARC_FN void take_part(Part& part, u32* rest, i64 row, u32 run, bool diagonal) {
  part.top = row;
  part.rows[row] = run;
  rest[row] ^= run;
  // For most parts one pass down finds all cells; it misses those that touch the part from above.
  u32 missed = touched(run, diagonal) & rest[row - 1];
  while (const u32 seeds = touched(run, diagonal) & rest[row + 1]) {
    run = runs_at(seeds, rest[row + 1]);
    missed |= touched(run, diagonal) & rest[row];
    row++;
    part.rows[row] = run;
    rest[row] ^= run;
  }
  part.bottom = row;
  if (missed) grow_part(part, rest, diagonal);
}

// Appends the keys of a row's bits, run by run, four at a time: up to three more are overwritten.
ARC_FN Key* append_row(Key* to, u32 bits, Key first) {
  typedef Key FourKeys __attribute__((vector_size(32), aligned(8), may_alias));
  while (bits) {
    const int start = lowest_bit(bits);
    const int length = lowest_bit64(~((u64)bits >> start));
    FourKeys next = first + (Key)start + FourKeys{0, 1, 2, 3};
    for (int k = 0; k < length; k += 4, next += 4) *(FourKeys*)(to + k) = next;
    to += length;
    bits &= bits + (1u << start);
  }
  return to;
}

// Objects are found by their first cells in the order of cells (color, row, column), so they are sorted. Both functions
// write objects and their keys, and return the number of objects.

ARC_CLONED static i64 parts_of_one_color(const Cut& cut, ColorRows& split, u32 colors, Key* keys,
                                         Value* objects) {
  Part part;
  i64 n = 0;
  for (; colors; colors &= colors - 1) {
    const int c = lowest_bit(colors);
    u32* rest = split.rows[c];
    for (i64 row = 1; row <= cut.n_rows; row++)
      while (const u32 left = rest[row]) {
        // Only whole runs are left, so a carry from the first cell finds the first run.
        take_part(part, rest, row, left & ~(left + (left & (0u - left))), cut.diagonal);
        Key* end = keys;
        for (i64 i = row; i <= part.bottom; i++)
          end = append_row(end, part.rows[i], key_of(c, i - 1, 0));
        objects[n++] = keys_value(cut.kind, keys, (u32)(end - keys));
        keys = end;
      }
  }
  return n;
}

ARC_CLONED static i64 parts_of_any_color(const Cut& cut, const ColorRows& split, u32 colors, Key* keys,
                                         Value* objects) {
  Part part;
  u32 rest[N_WORDS] = {};
  for (u32 left = colors; left; left &= left - 1)
    for (i64 i = 1; i <= cut.n_rows; i++) rest[i] |= split.rows[lowest_bit(left)][i];
  i64 n = 0;
  for (; colors; colors &= colors - 1) {
    const u32* rows = split.rows[lowest_bit(colors)];
    for (i64 row = 1; row <= cut.n_rows; row++)
      while (const u32 left = rest[row] & rows[row]) {
        take_part(part, rest, row, runs_at(left & (0u - left), rest[row]), cut.diagonal);
        Key* end = keys;
        // The part has no cells of lower colors: it would have been found from them.
        for (u32 more = colors; more; more &= more - 1) {
          const int c = lowest_bit(more);
          for (i64 i = part.top; i <= part.bottom; i++)
            end = append_row(end, part.rows[i] & split.rows[c][i], key_of(c, i - 1, 0));
        }
        objects[n++] = keys_value(OBJECT, keys, (u32)(end - keys));
        keys = end;
      }
  }
  return n;
}

ARC_NOINLINE Value objects_by_bits(Lane& lane, const Cut& cut, ColorRows& split, bool tuple) {
  u32 colors = split.colors;
  const u32 chosen = (u32)cut.color < (u32)N_COLORS ? 1u << cut.color : 0;
  if (cut.keeps == ALL_BUT_COMMONEST) {
    int bare = lowest_bit(colors);
    for (u32 left = colors; left; left &= left - 1)
      if (split.counts[lowest_bit(left)] > split.counts[bare]) bare = lowest_bit(left);
    colors ^= 1u << bare;
  } else if (cut.keeps != EVERY_COLOR) {
    colors &= cut.keeps == ONLY ? chosen : ~chosen;
  }
  i64 n_kept = 0;
  for (u32 left = colors; left; left &= left - 1) n_kept += split.counts[lowest_bit(left)];
  if (!colors) return tuple ? empty_tuple() : empty_set();
  ARC_ALLOCATE(keys, Key, n_kept + 3);
  ARC_NEW_MEMBERS(objects, n_kept);
  const i64 n = cut.univalued ? parts_of_one_color(cut, split, colors, keys, objects)
                              : parts_of_any_color(cut, split, colors, keys, objects);
  give_back(lane, objects, n);
  return weighed_block(lane, tuple ? TUPLE : SET, 0, objects, (u32)n, cut.weight(n, n_kept), cut.depth());
}
#endif

// Returns the cells of a non-empty grid row by row, each cut to the length of the first row.
ARC_NOINLINE Reason dense_cells(Lane& lane, const Value& grid, const i32** cells) {
  *cells = grid.ints;
  if (grid.kind == GRID) return OK;
  const i64 width = row_size(grid, 0), n_cells = grid.n * width;
  if (any(grid.n, [&](i64 i) { return row_size(grid, i) < width; })) return OUT_OF_RANGE;
  i32* dense = lane.allocate_array<i32>(n_cells);
  if (!dense) return OVER_BUDGET;
  each(n_cells, [=](i64 k) { dense[k] = (i32)cell_at(grid, k / width, k % width).number; });
  *cells = dense;
  return OK;
}

// Cuts a non-empty grid with rows of any length and any numbers; the cut has its sizes.
ARC_NOINLINE Value cut_any_grid(Lane& lane, const Value& grid, Cut cut, bool tuple) {
  if (cut.keeps == ALL_BUT_COMMONEST) {
    i64 bare = 0;
    if (Reason reason = background_of(lane, grid, &bare); reason != OK) return fail(reason);
    cut.keeps = ALL_BUT;
    cut.color = (i32)bare;
  }
  if (Reason reason = dense_cells(lane, grid, &cut.cells); reason != OK) return fail(reason);
  return objects_by_runs(lane, cut, tuple);
}

// Returns the parts of a grid as a set or, with `tuple`, as a tuple in order.
ARC_CPU_NOINLINE Value cut_grid(Lane& lane, const Value& grid, Cut cut, bool tuple) {
  if (grid.n == 0) return fail(EMPTY);
  cut.cells = grid.ints;
  cut.n_rows = grid.n;
  cut.width = row_size(grid, 0);
#if !defined(ARC_LANE_THREADS)  // grids that fit are too small for so wide a lane
  const bool small = cut.n_rows <= 32 && cut.width <= 32 && cut.width > 0 && grid.kind == GRID;
#if defined(ARC_WARP_LANES)
  ColorPlanes planes;
  if (small && planes.read(cut)) {
    if (cut.keeps == ALL_BUT_COMMONEST) {
      cut.keeps = ALL_BUT;
      cut.color = planes.most_common();
    }
    return objects_by_bits(lane, cut, planes, tuple);
  }
#else
  ColorRows color_rows;
  if (small && split_colors(cut, color_rows)) return objects_by_bits(lane, cut, color_rows, tuple);
#endif
#endif
  return seldom(lane, [=](Lane& there) { return cut_any_grid(there, grid, cut, tuple); });
}

// As find_objects of objects.py.
ARC_FN Value find_objects(Lane& lane, const Value& grid, bool univalued, bool diagonal, bool without_bg,
                          bool tuple) {
  return cut_grid(lane, grid, Cut{univalued, diagonal, without_bg ? ALL_BUT_COMMONEST : EVERY_COLOR, 0},
                  tuple);
}

ARC_FN Value prim_objects(Lane& lane, const Value* a) {
  return find_objects(lane, a[0], a[1].number, a[2].number, a[3].number, false);
}
ARC_FN Value prim_objects_t(Lane& lane, const Value* a) {
  return find_objects(lane, a[0], a[1].number, a[2].number, a[3].number, true);
}

ARC_FN Value prim_objects_on(Lane& lane, const Value* a) {
  return cut_grid(lane, a[0], Cut{a[1].number != 0, a[2].number != 0, ALL_BUT, (i32)a[3].number}, false);
}
ARC_FN Value prim_parts_of(Lane& lane, const Value* a) {
  return cut_grid(lane, a[0], Cut{true, a[2].number != 0, ONLY, (i32)a[1].number}, false);
}

ARC_NOINLINE Value prim_enclosed_cells(Lane& lane, const Value* a) {
  if (a[0].n == 0) return fail(EMPTY);
  Cut cut = {true, false, ONLY, (i32)a[1].number};
  cut.n_rows = a[0].n;
  cut.width = row_size(a[0], 0);
  if (Reason reason = dense_cells(lane, a[0], &cut.cells); reason != OK) return fail(reason);
  const i32* cells = cut.cells;
  const i64 n_rows = cut.n_rows, width = cut.width;
  const i64 n_kept = total(n_rows * width, [=](i64 k) { return cut.kept(cells[k]); });
  CellRuns runs;
  if (!find_runs(lane, cut, n_kept, &runs)) return fail(OVER_BUDGET);
  ARC_ALLOCATE(reaches_edge, i32, runs.n);  // by the first run of a part
  ARC_ALLOCATE(starts, i32, runs.n);
  each(runs.n, [=](i64 k) { reaches_edge[k] = 0; });
  each(runs.n, [=](i64 k) {
    const i64 row = runs.row(k), left = runs.firsts[k] - row * width, right = runs.lasts[k] - row * width;
    if (row == 0 || row == n_rows - 1 || left == 0 || right == width - 1) reaches_edge[runs.parts[k]] = 1;
  });
  auto is_enclosed = [=](i64 k) { return !reaches_edge[runs.parts[k]]; };
  const i64 n = running_sums(runs.n, starts, [=](i64 k) { return is_enclosed(k) ? runs.length(k) : 0; });
  if (any(runs.n, [=](i64 k) { return is_enclosed(k) && !runs.is_located(k); })) {
    ARC_REQUIRE(3 * (u64)n);
    return fail(OUT_OF_RANGE);
  }
  ARC_ALLOCATE(keys, Key, n);
  each(runs.n, [=](i64 k) {
    if (!is_enclosed(k)) return;
    const i64 row = runs.row(k);
    const Key first = key_of(row, runs.firsts[k] - row * width);
    for (i32 j = 0; j < runs.length(k); j++) keys[starts[k] + j] = first + (Key)j;
  });
  return keys_value(INDICES, keys, (u32)n);
}

ARC_NOINLINE Value prim_areas_between(Lane& lane, const Value* a) {
  if (a[0].n == 0) return fail(EMPTY);
  const i64 n_rows = a[0].n, width = row_size(a[0], 0), n_cells = n_rows * width;
  ARC_REQUIRE(3 * (u64)n_cells);
  if (n_cells == 0) return empty_set();
  ARC_KEYS(walls, keys_of(lane, a[1]));
  ARC_ALLOCATE(plan, i32, n_cells);
  each(n_cells, [=](i64 k) { plan[k] = 0; });
  const Key* keys = walls.keys;
  each(walls.n, [=](i64 k) {
    const i64 i = row_of(keys[k]), j = column_of(keys[k]);
    if (i >= 0 && i < n_rows && j >= 0 && j < width) plan[i * width + j] = 1;
  });
  return cut_grid(lane, grid_value(plan, (u32)n_rows, (u32)width), Cut{true, false, ONLY, 0, INDICES}, false);
}

// Returns the cells of a grid, with `without` set except those of one color, as one object, or with `apart` as one
// object per color. In a grid so large that some places are out of range, only the returned cells have to be within it.
ARC_NOINLINE Value kept_cells(Lane& lane, const Value& grid, bool without, i64 bare, bool apart) {
  ARC_RASTER(raster, grid);
  ARC_PALETTE(palette, grid);
  const i32 *cells = raster.cells, *colors = palette.colors, *counts = palette.counts;
  auto kept = [=](i32 color) { return !without || color != bare; };
  const i64 n_parts = apart ? total(palette.n, [=](i64 k) { return kept(colors[k]); }) : 0;
  const i64 n_kept = total(palette.n, [=](i64 k) { return kept(colors[k]) ? counts[k] : 0; });
  // As in objects_by_runs, the budget comes first.
  ARC_REQUIRE((u64)n_parts + 5 * (u64)n_kept);
  ARC_ALLOCATE(keys, Key, n_kept);
  i64 n = 0;
  for (i64 i = 0; i < raster.n_rows; i++) {
    const i32* row = cells + raster.start(i);
    const i64 first_beyond = i > MAX_NUMBER ? 0 : MAX_NUMBER + 1;
    if (any(raster.size(i) - first_beyond, [=](i64 j) { return kept(row[first_beyond + j]); }))
      return fail(OUT_OF_RANGE);
    n = filter(
        raster.size(i), n, [=](i64 j) { return kept(row[j]); },
        [=](i64 j, i64 place) { keys[place] = key_of(row[j], i, j); });
  }
  return object_of_places(lane, keys, n);
}

// Returns an object of all cells for each color, with `without` set except one.
ARC_NOINLINE Value by_color(Lane& lane, const Value& grid, bool without, i64 bare) {
  const bool fits = are_locations(
      grid.n, grid.kind == GRID ? width_of(grid)
                                : greatest(grid.n, 0, [&](i64 i) { return row_size(grid, i); }));
  const Value cells = fits ? prim_asobject(lane, &grid) : kept_cells(lane, grid, without, bare, true);
  if (cells.failed() || cells.n == 0) return cells;
  const Key* keys = cells.keys;
  const i64 n = cells.n;
  auto begins = [=](i64 k) { return k == 0 || color_of(keys[k]) != color_of(keys[k - 1]); };
  const i64 n_colors = total(n, begins);
  ARC_ALLOCATE(starts, i32, n_colors + 1);
  filter(n, 0, begins, [=](i64 k, i64 place) { starts[place] = (i32)k; });
  if (thread_index() == 0) starts[n_colors] = (i32)n;
  sync();
  ARC_NEW_MEMBERS(parts, n_colors);
  const i64 n_parts = filter(
      n_colors, 0, [=](i64 k) { return !without || color_of(keys[starts[k]]) != bare; },
      [=](i64 k, i64 place) {
        parts[place] = keys_value(OBJECT, keys + starts[k], (u32)(starts[k + 1] - starts[k]));
      });
  return block_value(lane, SET, 0, parts, (u32)n_parts);
}

ARC_FN Value prim_partition(Lane& lane, const Value* a) { return by_color(lane, a[0], false, 0); }
ARC_FN Value prim_fgpartition(Lane& lane, const Value* a) {
  i64 bare = 0;
  if (Reason reason = background_of(lane, a[0], &bare); reason != OK) return fail(reason);
  return by_color(lane, a[0], true, bare);
}

ARC_FN Value prim_foreground(Lane& lane, const Value* a) {
  i64 bare = 0;
  if (Reason reason = background_of(lane, a[0], &bare); reason != OK) return fail(reason);
  return kept_cells(lane, a[0], true, bare, false);
}
ARC_FN Value prim_not_of_color(Lane& lane, const Value* a) {
  const i64 bare = a[1].number;
  if (!is_set(a[0])) return kept_cells(lane, a[0], true, bare, false);
  if (a[0].n == 0) return empty_set();
  const Key* from = a[0].keys;
  ARC_ALLOCATE(keys, Key, a[0].n);
  const i64 n = filter(
      a[0].n, 0, [=](i64 k) { return color_of(from[k]) != bare; },
      [=](i64 k, i64 place) { keys[place] = from[k]; });
  return keys_value(OBJECT, keys, (u32)n);
}

// The score of a color as the background: the number of rows and columns that show it, then its cells.
ARC_FN i64 ground_score(i64 n_lines, i64 n_cells) { return n_lines << 32 | n_cells; }

// For any numbers, and rows of any length.
ARC_NOINLINE Value groundcolor_by_sorting(Lane& lane, const Value& grid) {
  ARC_RASTER(raster, grid);
  ARC_PALETTE(palette, grid);
  if (palette.n == 0) return fail(EMPTY);
  // A line that shows a color, as a key: the color, whether it is a column, and its index.
  constexpr int COLOR_AT = 40, COLUMN_AT = 39;
  ARC_ALLOCATE(shown, Key, 2 * raster.n_cells());
  for (i64 i = 0; i < raster.n_rows; i++) {
    const i64 start = raster.start(i);
    const i32* row = raster.cells + start;
    each(raster.size(i), [=](i64 j) {
      const Key color = (Key)(row[j] + KEY_BIAS) << COLOR_AT;
      shown[2 * (start + j)] = color | (Key)i;
      shown[2 * (start + j) + 1] = color | 1ULL << COLUMN_AT | (Key)j;
    });
  }
  const i64 n = sort_unique(lane, shown, 2 * raster.n_cells());
  if (n < 0) return fail(OVER_BUDGET);
  const i32 *colors = palette.colors, *counts = palette.counts;
  auto score = [=](i64 k) {
    const Key color = (Key)(colors[k] + KEY_BIAS);
    const i64 first = lower_bound(shown, n, color << COLOR_AT);
    return ground_score(lower_bound(shown, n, (color + 1) << COLOR_AT) - first, counts[k]);
  };
  const i64 best = greatest(palette.n, 0, score);
  return number(colors[first_where(palette.n, [=](i64 k) { return score(k) == best; })]);
}
ARC_FN Value prim_groundcolor(Lane& lane, const Value* a) {
  const Value& grid = a[0];
  u32 counts[N_COLORS];
  if (grid.kind != GRID || !count_cells(grid.ints, grid.n * width_of(grid), counts))
    return groundcolor_by_sorting(lane, grid);
  // The colors that rows, and then columns, show, as bits.
  const i64 n_rows = grid.n, width = width_of(grid);
  const i32* cells = grid.ints;
  ARC_ALLOCATE(lines, u32, n_rows + width);
  each(n_rows, [=](i64 i) {
    u32 shown = 0;
    for (i64 j = 0; j < width; j++) shown |= 1u << cells[i * width + j];
    lines[i] = shown;
  });
  each(width, [=](i64 j) {
    u32 shown = 0;
    for (i64 i = 0; i < n_rows; i++) shown |= 1u << cells[i * width + j];
    lines[n_rows + j] = shown;
  });
  i64 ground = 0, best = 0;
  for (int c = 0; c < N_COLORS; c++) {
    const i64 n_lines = total(n_rows + width, [=](i64 k) { return lines[k] >> c & 1; });
    const i64 score = ground_score(n_lines, counts[c]);
    if (score > best) {
      best = score;
      ground = c;
    }
  }
  return number(ground);
}

}  // namespace arc
