// Construction of containers: sorting, removing duplicates, and bringing tuples and sets into their one form.
#pragma once
#include "order.hpp"

namespace arc {

// Returns the last index whose start is not after x; starts ascend, and the first is not after x.
ARC_FN u32 find_start(const u32* starts, u64 n, u32 x) {
  u64 low = 0, high = n;
  while (high - low > 1) {
    const u64 middle = (low + high) / 2;
    if (starts[middle] <= x) low = middle; else high = middle;
  }
  return (u32)low;
}

// --- sorting keys ---

#if defined(__CUDACC__)
// Sorts 32 keys, one per thread: a bitonic network over the warp.
ARC_FN Key sort_across(Key key) {
  const int t = warp_index();
  for (int size = 2; size <= WARP; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      const Key other = (Key)exchange((i64)key, stride);
      const bool keeps_less = ((t & stride) == 0) == ((t & size) == 0);
      if (keeps_less ? other < key : other > key) key = other;
    }
  return key;
}
// Counts the sorted keys that are less than a key or, with `or_equal`, not greater.
ARC_FN i64 rank_in(const Key* keys, i64 n, Key key, bool or_equal) {
  i64 low = 0, high = n;
  while (low < high) {
    const i64 middle = (low + high) / 2;
    if (keys[middle] < key || (or_equal && keys[middle] == key)) low = middle + 1; else high = middle;
  }
  return low;
}
// Sorts runs of 32 across the warp, then merges them: each key finds its position by its rank in the other run.
ARC_NOINLINE bool sort_keys(Lane& lane, Key* keys, i64 n) {
  if (!any(n - 1, [=](i64 k) { return keys[k] > keys[k + 1]; })) return true;
  for (i64 start = 0; start < n; start += W) {
    const i64 k = start + thread_index();
    const Key key = sort_across(k < n ? keys[k] : ~0ULL);
    if (k < n) keys[k] = key;
  }
  sync();
  if (n <= WARP) return true;
  Key* other = lane.allocate_array<Key>(n);
  if (!other) return false;
  Key *from = keys, *to = other;
  for (i64 run = WARP; run < n; run *= 2) {
    each(n, [=](i64 k) {
      const i64 start = k & -2 * run;  // the lengths of runs are powers of two
      const i64 middle = min_of(start + run, n), end = min_of(start + 2 * run, n);
      const Key key = from[k];
      const i64 rank = k < middle ? rank_in(from + middle, end - middle, key, false)
                                  : rank_in(from + start, middle - start, key, true) - (middle - start);
      to[k + rank] = key;
    });
    Key* t = from;
    from = to;
    to = t;
  }
  if (from != keys) copy(keys, from, n);
  return true;
}
#else
inline void insertion_sort(Key* keys, i64 n) {
  for (i64 i = 1; i < n; i++) {
    Key key = keys[i];
    i64 j = i;
    for (; j > 0 && keys[j - 1] > key; j--) keys[j] = keys[j - 1];
    keys[j] = key;
  }
}
// Sorts runs of 16 by insertion, then merges them bottom-up; returns false if memory ran out.
ARC_NOINLINE bool sort_keys(Lane& lane, Key* keys, i64 n) {
  i64 sorted = 1;
  while (sorted < n && keys[sorted - 1] <= keys[sorted]) sorted++;
  if (sorted >= n) return true;
  if (n <= 24) {
    insertion_sort(keys, n);
    return true;
  }
  Key* other = lane.allocate_array<Key>(n);
  if (!other) return false;
  for (i64 i = 0; i < n; i += 16) insertion_sort(keys + i, min_of<i64>(16, n - i));
  Key *from = keys, *to = other;
  for (i64 run = 16; run < n; run *= 2) {
    for (i64 start = 0; start < n; start += 2 * run) {
      i64 a = start, middle = min_of(start + run, n), b = middle, end = min_of(start + 2 * run, n);
      for (i64 k = start; k < end; k++)
        to[k] = a < middle && (b >= end || from[a] <= from[b]) ? from[a++] : from[b++];
    }
    Key* t = from;
    from = to;
    to = t;
  }
  if (from != keys) copy(keys, from, n);
  return true;
}
#endif

// Sorts keys and removes duplicates in place; returns how many are left, or -1 if memory ran out.
ARC_FN i64 sort_unique(Lane& lane, Key* keys, i64 n) {
  if (!seldom(lane, [&](Lane& there) { return sort_keys(there, keys, n); })) return -1;
  if (!any(n - 1, [=](i64 k) { return keys[k] == keys[k + 1]; })) return n;
  if (W == 1) {
    i64 kept = n ? 1 : 0;
    for (i64 k = 1; k < n; k++)
      if (keys[k] != keys[kept - 1]) keys[kept++] = keys[k];
    return kept;
  }
  const Scratch scratch(lane);
  Key* sorted = lane.allocate_array<Key>(n);
  if (!sorted) return -1;
  copy(sorted, keys, n);
  const i64 kept = filter(
      n, 0, [=](i64 k) { return k == 0 || sorted[k] != sorted[k - 1]; },
      [=](i64 k, i64 place) { keys[place] = sorted[k]; });
  scratch.give_back(lane);
  return kept;
}

// The ranges of the three parts of keys.
struct KeyBox {
  i64 color, row, column;           // the least
  i64 n_colors, n_rows, n_columns;  // number of values up to the greatest

  ARC_FN u64 volume() const { return (u64)n_colors * n_rows * n_columns; }
  // For boxes of less than 2^32 places: a division of 64 bits takes a GPU a hundred instructions.
  ARC_FN u32 place(Key key) const {
    const u32 in_colors = (u32)(color_of(key) - (i32)color) * (u32)n_rows + (u32)(row_of(key) - (i32)row);
    return in_colors * (u32)n_columns + (u32)(column_of(key) - (i32)column);
  }
  ARC_FN Key key(u32 place) const {
    const u32 in_colors = place / (u32)n_columns, in_rows = in_colors / (u32)n_rows;
    return key_of(color + in_rows, row + (in_colors - in_rows * (u32)n_rows),
                  column + (place - in_colors * (u32)n_columns));
  }
#if defined(__CUDACC__)
  // The same for boxes of at most 1,024 places.
  ARC_FN Key key_in_small(u32 place) const {
    const u32 in_colors = divide_small(place, (u32)n_columns), in_rows = divide_small(in_colors, (u32)n_rows);
    return key_of(color + in_rows, row + (in_colors - in_rows * (u32)n_rows),
                  column + (place - in_colors * (u32)n_columns));
  }
#endif
};
#if defined(ARC_WARP_LANES)
constexpr u64 SHARED_PLACES = 32 * W;  // whose bits fit into shared memory
#endif
// The box of the keys that each_key(f) passes to f, distributed over the threads.
template <class EachKey>
ARC_FN KeyBox box_of_keys(EachKey each_key) {
  constexpr i32 END = 1 << 22;
  i32 least[3] = {END, END, END}, greatest[3] = {-END, -END, -END};
  each_key([&](Key key) {
    const i32 parts[3] = {color_of(key), row_of(key), column_of(key)};
    for (int part = 0; part < 3; part++) {
      least[part] = min_of(least[part], parts[part]);
      greatest[part] = max_of(greatest[part], parts[part]);
    }
  });
  for (int part = 0; part < 3; part++) {
    least[part] = least_of_threads(least[part]);
    greatest[part] = greatest_of_threads(greatest[part]);
  }
  return {least[0], least[1], least[2], greatest[0] - least[0] + 1, greatest[1] - least[1] + 1,
          greatest[2] - least[2] + 1};
}

#if defined(ARC_WARP_LANES)
// --- places within 32 rows and columns of the origin as bits: one row per thread ---

// A word per thread in shared memory; implemented by kernel.cu.
ARC_EXTERN u32* shared_words(const Lane& lane);

// A key's row times 2^21 plus its column; more than any near place for all others.
ARC_FN u64 near_place(Key key) {
  return (key & ((1ULL << 42) - 1)) - ((u64)KEY_BIAS << 21 | KEY_BIAS);
}
ARC_FN bool is_place_near(Key key) {
  const u64 place = near_place(key);
  return !(place >> 32) && !((u32)place & ~(31u << 21 | 31u));
}
// Sets the bit of a near place.
ARC_FN void add_place(u32* words, Key key) {
  const u32 place = (u32)near_place(key);
  atomic_or_shared(words + (place >> 21), 1u << (place & 31));
}
// Sets the bits of the places of keys, of cells or locations; returns false if one is outside.
ARC_FN bool add_places(u32* words, const Key* keys, i64 n) {
  bool outside = false;
  each(n, [&](i64 k) {
    const Key key = keys[k];
    if (is_place_near(key))
      add_place(words, key);
    else
      outside = true;
  });
  return !any_thread(outside);
}
// The bits of the places of keys, and of more keys.
ARC_FN bool bits_of_places(Lane& lane, const Key* keys, i64 n, const Key* more, i64 n_more, u32* row) {
  u32* words = shared_words(lane);
  write_shared(words + thread_index(), 0);
  sync();
  if (!add_places(words, keys, n) || !add_places(words, more, n_more)) return false;
  *row = read_shared(words + thread_index());
  sync();
  return true;
}

// Writes the keys of the threads' bits in order, by key_at(thread, bit). Returns their number.
template <class KeyAt>
ARC_FN i32 write_keys(u32 word, Key* to, KeyAt key_at) {
  const int t = thread_index();
  u32 words = ballot(word != 0);
  const u32 count = (u32)count_bits(word);
  constexpr int FEW_WORDS = 6;
  const i32 n_words = count_bits(words);
  if (n_words <= FEW_WORDS || n_words <= greatest_of_threads((i32)count)) {  // all threads write a word together
    i32 n = 0;
    for (; words; words &= words - 1) {
      const int at = lowest_bit(words);
      const u32 bits = shuffle(word, at);
      if (bits >> t & 1) to[n + count_bits(bits & ((1u << t) - 1))] = key_at(at, t);
      n += count_bits(bits);
    }
    return n;
  }
  u32 sum = count;
  for (int offset = 1; offset < W; offset *= 2) {
    const u32 other = shuffle(sum, t - offset);
    if (t >= offset) sum += other;
  }
  Key* next = to + (sum - count);
  for (u32 rest = word; rest; rest &= rest - 1) *next++ = key_at(t, lowest_bit(rest));
  return (i32)shuffle(sum, W - 1);
}
// The same by rows; `first` is the key of the first place.
ARC_FN i32 write_keys_of_rows(u32 row, Key first, Key* to) {
  return write_keys(row, to, [=](int i, int j) { return first + ((Key)i << 21) + (Key)j; });
}
ARC_FN i64 count_keys(u32 row) { return sum_of_threads((u32)count_bits(row)); }
#endif

// With at least MANY_KEYS keys that are close together, marking each place of their box with a bit is faster than
// sorting, which takes many threads longer than a few passes.
constexpr i64 MANY_KEYS = W == 1 || W > WARP ? 64 : 8;
#if defined(ARC_FLAT)
ARC_FN bool bits_pay(const KeyBox& box, i64 n) {
  constexpr i64 PLACES_PER_KEY = 256;
#if defined(ARC_WARP_LANES)
  if (box.volume() <= SHARED_PLACES) return true;
  if (n < 64) return false;
#endif
  return box.volume() <= (u64)(PLACES_PER_KEY * n) && !(box.volume() >> 32);
}
#else
ARC_FN i64 words_per_row(const KeyBox& box) { return (box.n_columns + 63) / 64; }
ARC_FN bool bits_pay(const KeyBox& box, i64 n) {
  constexpr i64 WORDS_PER_KEY = 4;
  return box.n_colors * box.n_rows * words_per_row(box) <= WORDS_PER_KEY * n;
}
#endif
// Writes to `to` the distinct keys that each_key(f) passes to f, in ascending order; the keys are distributed over the
// threads and lie in the box. Returns their number, or -1 if memory ran out.
template <class EachKey>
ARC_FN i64 keys_by_bits(Lane& lane, const KeyBox& box, Key* to, EachKey each_key) {
#if defined(ARC_WARP_LANES)
  if (box.volume() <= SHARED_PLACES) {
    u32* words = shared_words(lane);
    write_shared(words + thread_index(), 0);
    sync();
    each_key([=](Key key) {
      const u32 place = box.place(key);
      atomic_or_shared(words + place / 32, 1u << place % 32);
    });
    const u32 word = read_shared(words + thread_index());
    sync();
    const i32 kept = write_keys(word, to, [=](int at, int bit) { return box.key_in_small(32 * at + bit); });
    sync();
    return kept;
  }
#endif
  const Scratch scratch(lane);
#if defined(ARC_FLAT)
  const i64 n_words = (i64)(box.volume() + 31) / 32;
  u32* bits = lane.allocate_array<u32>(n_words);
  i32* starts = lane.allocate_array<i32>(n_words);
  if (!bits || !starts) return -1;
  each(n_words, [=](i64 k) { bits[k] = 0; });
  each_key([=](Key key) {
    const u32 place = box.place(key), bit = 1u << place % 32;
    if (!(bits[place / 32] & bit)) atomic_or(bits + place / 32, bit);  // it is often set already
  });
  const i64 kept = running_sums(n_words, starts, [=](i64 k) { return count_bits(bits[k]); });
  each(n_words, [=](i64 k) {
    Key* next = to + starts[k];
    for (u32 left = bits[k]; left; left &= left - 1) *next++ = box.key(32 * (u32)k + (u32)lowest_bit(left));
  });
#else
  const i64 n_in_row = words_per_row(box), n_words = box.n_colors * box.n_rows * n_in_row;
  u64* words = lane.allocate_array<u64>(n_words);
  if (!words) return -1;
  for (i64 k = 0; k < n_words; k++) words[k] = 0;
  each_key([&](Key key) {
    const i64 row = (color_of(key) - box.color) * box.n_rows + (row_of(key) - box.row);
    const i64 column = column_of(key) - box.column;
    words[row * n_in_row + column / 64] |= 1ULL << column % 64;
  });
  i64 kept = 0;
  const u64* word = words;
  for (i64 color = 0; color < box.n_colors; color++)
    for (i64 row = 0; row < box.n_rows; row++) {
      const Key start = key_of(box.color + color, box.row + row, box.column);
      for (i64 k = 0; k < n_in_row; k++)
        for (u64 left = *word++; left; left &= left - 1) to[kept++] = start + (Key)(64 * k + lowest_bit64(left));
    }
#endif
  scratch.give_back(lane);
  return kept;
}

#if !defined(ARC_FLAT)
// Writes the distinct keys that each_key(f) passes to f in ascending order if all are near the origin and have a color,
// as most do: in one pass over them, by a bit per place and color. Then room(n) returns the memory for at most n keys,
// and the result is how many there are, or -1 without memory. Otherwise returns 0, without any effect.
template <class EachKey, class Room>
ARC_FN i64 write_near_keys(EachKey each_key, Room room) {
  constexpr i64 FIRST = -48, SIDE = 128, N_COLORS = 16;  // lines that are shot from a grid of 30 x 30 end within
  constexpr i64 N_WORDS = SIDE / 64;                     // per row
  constexpr Key OUTSIDE = ~((Key)(N_COLORS - 1) << 42 | (Key)(SIDE - 1) << 21 | (SIDE - 1));
  u64 words[N_COLORS][SIDE][N_WORDS];  // only those of colors that occur are initialized
  const Key first = key_of(0, FIRST, FIRST);
  Key outside = 0;
  u32 colors = 0;
  i32 low = SIDE, high = -1;
  each_key([&](Key key) {
    const Key place = key - first;
    outside |= place & OUTSIDE;
    const u32 color = (u32)(place >> 42) % N_COLORS;
    const i32 row = (i32)(place >> 21 & (SIDE - 1));
    if (!(colors >> color & 1)) {
      colors |= 1u << color;
      std::memset(words[color], 0, sizeof(words[color]));
    }
    low = min_of(low, row);
    high = max_of(high, row);
    words[color][row][place >> 6 & (N_WORDS - 1)] |= 1ULL << (place & 63);
  });
  if (outside) return 0;
  Key* keys = room(count_bits(colors) * (high - low + 1) * SIDE);
  if (!keys) return -1;
  Key* to = keys;
  for (; colors; colors &= colors - 1) {
    const i64 color = lowest_bit(colors);
    for (i64 row = low; row <= high; row++)
      for (i64 k = 0; k < N_WORDS; k++)
        for (u64 left = words[color][row][k]; left; left &= left - 1)
          *to++ = first + ((Key)color << 42) + ((Key)row << 21) + (Key)(64 * k + lowest_bit64(left));
  }
  return to - keys;
}
// Makes the set of many keys that each_key(f) passes to f, n of them, if all are near; otherwise returns false without
// any effect.
template <class EachKey>
ARC_FN bool near_set(Lane& lane, Kind kind, i64 n, Value* set, EachKey each_key) {
  if (n < MANY_KEYS) return false;
  Key* keys = nullptr;
  const i64 kept = write_near_keys(each_key, [&](i64 most) { return keys = lane.allocate_array<Key>(min_of(n, most)); });
  if (!kept) return false;
  if (kept > 0) give_back(lane, keys, kept);
  *set = kept < 0 ? fail(OVER_BUDGET) : keys_value(kind, keys, (u32)kept);
  return true;
}
#endif

// Sorts many keys that are close together and removes duplicates, by a bit per possible key. Returns how many are
// left, or -1 if that does not pay or there is no memory for it.
ARC_NOINLINE i64 sort_unique_by_bits(Lane& lane, Key* keys, i64 n) {
  if (n < MANY_KEYS || !any(n - 1, [=](i64 k) { return keys[k] >= keys[k + 1]; })) return -1;
  auto each_key = [=](auto f) { each(n, [=](i64 k) mutable { f(keys[k]); }); };
#if !defined(ARC_FLAT)
  if (const i64 kept = write_near_keys(each_key, [=](i64) { return keys; })) return kept;
#endif
  const KeyBox box = box_of_keys(each_key);
  return bits_pay(box, n) ? keys_by_bits(lane, box, keys, each_key) : -1;
}
// Makes the set of at most n keys that each_key(f) passes to f, if bits pay, in exactly the memory that it needs;
// otherwise returns false without any effect.
template <class EachKey>
ARC_FN bool set_by_bits(Lane& lane, Kind kind, const KeyBox& box, i64 n, Value* set, EachKey each_key) {
  if (n < MANY_KEYS || !bits_pay(box, n)) return false;
  Key* keys = lane.allocate_array<Key>(min_of((u64)n, box.volume()));
  const char* end = lane.end;
  const i64 kept = keys ? keys_by_bits(lane, box, keys, each_key) : -1;
  if (kept > 0 && lane.end == end) give_back(lane, keys, kept);
  *set = kept < 0 ? fail(OVER_BUDGET) : keys_value(kind, keys, (u32)kept);
  return true;
}

// The same as sort_unique for keys of locations or cells, by bits if that pays.
ARC_FN i64 sort_unique_keys(Lane& lane, Key* keys, i64 n) {
  const i64 kept = seldom(lane, [&](Lane& there) { return sort_unique_by_bits(there, keys, n); });
  if (kept >= 0 || lane.exceeded) return kept;
  return sort_unique(lane, keys, n);
}
// Makes a set of locations or cells from keys in any order, which are overwritten.
ARC_FN Value set_of_keys(Lane& lane, Kind kind, Key* keys, i64 n) {
  n = sort_unique_keys(lane, keys, n);
  return n < 0 ? fail(OVER_BUDGET) : keys_value(kind, keys, (u32)n);
}

// The key that orders numbers.
ARC_FN Key key_of_number(i64 x) { return (Key)(x + KEY_BIAS); }

// --- sorting values ---

// A number that orders sets of locations or cells, tuples of numbers, or rows of one width, by their first members.
struct Heads {
  Kind kind;  // NONE if the values have no such number
  u32 width;  // of rows; 1 if there are none

  static constexpr i32 REACH_OF_HEADS = 512;
  static constexpr u32 N_NUMBERS = 5;
  ARC_FN u32 n_keys() const { return kind == OBJECT ? 2 : 3; }
  ARC_FN bool has_rows() const { return kind == GRID || kind == INTS; }
  ARC_FN static bool is_near(i32 number) { return (u32)(number + REACH_OF_HEADS) < 2 * REACH_OF_HEADS; }
  ARC_FN bool fits(const Value& v) const {
    if (has_rows()) {
      if (v.kind != kind || (kind == GRID && v.aux != width)) return false;
      for (u32 k = 0; k < v.n * width && k < N_NUMBERS; k++)
        if (!is_near(v.ints[k])) return false;
      return true;
    }
    if (v.n == 0) return v.kind == SET;
    if (v.kind != kind) return false;
    for (u32 k = 0; k < v.n && k < n_keys(); k++) {
      const Key key = v.keys[k];
      if (!is_near(row_of(key)) || !is_near(column_of(key)) || (u32)color_of(key) >= 16) return false;
    }
    return true;
  }
  // A missing member comes before all others: a prefix is less.
  ARC_FN static u64 part(i32 number) { return (u64)(number + REACH_OF_HEADS) << 1 | 1; }
  ARC_FN u64 head(const Value& v) const {
    u64 head = 0;
    if (has_rows()) {
      for (u32 k = 0; k < N_NUMBERS; k++) head = head << 11 | (k < v.n * width ? part(v.ints[k]) : 0);
      return head;
    }
    if (kind == NONE) return 0;
    for (u32 k = 0; k < n_keys(); k++) {
      const bool is_there = k < v.n;
      const Key key = is_there ? v.keys[k] : 0;
      if (kind == OBJECT) head = head << 4 | (is_there ? (u64)color_of(key) : 0);
      head = head << 21 |
             (is_there ? (u64)(row_of(key) + REACH_OF_HEADS) << 11 | part(column_of(key)) : 0);
    }
    return head;
  }
};
ARC_FN Heads heads_of(const Value* values, i64 n) {
  const u32 kind = values[0].kind;
  const bool has_rows = kind == GRID || kind == INTS;
  for (int k = 0; k < (has_rows ? 1 : 2); k++) {
    const Heads heads = {has_rows ? (Kind)kind : k ? INDICES : OBJECT, kind == GRID ? (u32)values[0].aux : 1};
    if (!any(n, [=](i64 at) { return !heads.fits(values[at]); })) return heads;
  }
  return {NONE, 1};
}

#if defined(ARC_FLAT)
// Orders the places by many threads: runs are merged; each place finds its position by its rank in the other run.
ARC_NOINLINE bool merge_places(Lane& lane, const Value* values, i32* places, i64 n, int sign) {
  struct Run {
    i32* places;
    u64* heads;
  };
  Run from = {places, lane.allocate_array<u64>(n)};
  Run to = {lane.allocate_array<i32>(n), lane.allocate_array<u64>(n)};
  if (!from.heads || !to.places || !to.heads) return false;
  const Heads heads = heads_of(values, n);
  each(n, [=](i64 k) { from.heads[k] = heads.head(values[k]); });
  for (i64 run = 1; run < n; run *= 2) {
    each(n, [=](i64 k) {
      const i64 start = k & -2 * run;  // the lengths of runs are powers of two
      const i64 middle = min_of(start + run, n), end = min_of(start + 2 * run, n);
      const bool in_first = k < middle;
      const i32 place = from.places[k];
      const u64 head = from.heads[k];
      i64 low = in_first ? middle : start, high = in_first ? end : middle;
      const i64 first = low;
      while (low < high) {
        const i64 between = (low + high) / 2;
        const u64 there = from.heads[between];
        const int c = sign * (there != head ? (there < head ? -1 : 1)
                                            : compare_alone(values[from.places[between]], values[place]));
        if (in_first ? c < 0 : c <= 0) low = between + 1; else high = between;
      }
      const i64 at = in_first ? k + (low - first) : start + (k - middle) + (low - first);
      to.places[at] = place;
      to.heads[at] = head;
    });
    const Run t = from;
    from = to;
    to = t;
  }
  if (from.places != places) copy(places, from.places, n);
  return true;
}
#endif

// places[0..n) := the indices of `keys` in ascending order of value; equal ones keep their order.
ARC_NOINLINE bool sort_places(Lane& lane, const Value* keys, i32* places, i64 n, bool descending) {
  if (!any(n, [=](i64 k) { return keys[k].kind != INT; })) {
    Key* packed = lane.allocate_array<Key>(n);
    if (!packed) return false;
    each(n, [=](i64 k) {
      Key key = key_of_number(descending ? -keys[k].number : keys[k].number);
      packed[k] = key << 32 | (Key)k;
    });
    if (!sort_keys(lane, packed, n)) return false;
    each(n, [=](i64 k) { places[k] = (i32)(packed[k] & 0xffffffffu); });
    return true;
  }
  each(n, [=](i64 k) { places[k] = (i32)k; });
  const int sign = descending ? -1 : 1;
  if (!any(n - 1, [=](i64 k) { return sign * compare_alone(keys[k], keys[k + 1]) > 0; })) return true;
#if defined(ARC_FLAT)
  return merge_places(lane, keys, places, n, sign);
#else
  struct Headed {
    u64 head;
    i32 place;
  };
  const Scratch scratch(lane);
  Headed* from = lane.allocate_array<Headed>(n);
  Headed* to = lane.allocate_array<Headed>(n);
  if (!from || !to) return false;
  const Heads heads = heads_of(keys, n);
  for (i64 k = 0; k < n; k++) from[k] = {heads.head(keys[k]), (i32)k};
  auto comes_first = [&](const Headed& a, const Headed& b) {
    if (a.head != b.head) return (a.head < b.head) != descending;
    return sign * compare(keys[a.place], keys[b.place]) <= 0;
  };
  for (i64 run = 1; run < n; run *= 2) {
    for (i64 start = 0; start < n; start += 2 * run) {
      i64 a = start, middle = min_of(start + run, n), b = middle, end = min_of(start + 2 * run, n);
      for (i64 k = start; k < end; k++)
        to[k] = a < middle && (b >= end || comes_first(from[a], from[b])) ? from[a++] : from[b++];
    }
    Headed* t = from;
    from = to;
    to = t;
  }
  for (i64 k = 0; k < n; k++) places[k] = from[k].place;
  scratch.give_back(lane);
  return true;
#endif
}

// --- tuples, sets and functions from members ---

// Allocates members, with space for their block before them.
ARC_FN Value* new_members(Lane& lane, u64 n) {
  Block* block = (Block*)lane.allocate(sizeof(Block) + n * sizeof(Value));
  return block ? (Value*)(block + 1) : nullptr;
}
#define ARC_NEW_MEMBERS(name, n)            \
  Value* name = new_members(lane, n);       \
  if (!name) return fail(OVER_BUDGET)

// Makes a TUPLE, SET or FUNCTION over members in place, of known weight.
ARC_FN Value weighed_block(Lane& lane, Kind kind, u32 aux, Value* members, u32 n, u64 weight, u32 depth) {
  Value v = value_of_kind(kind, n);
  v.aux = aux;
  if (n == 0) return v;
  if (!lane.require(weight)) return fail(OVER_BUDGET);
  if (depth > MAX_DEPTH) {
    lane.exceeded = true;
    return fail(OVER_BUDGET);
  }
  v.block = (Block*)members - 1;
  if (thread_index() == 0) {
    v.block->weight = (u32)weight;
    v.block->depth = depth;
  }
  sync();
  return v;
}
ARC_FN Value block_value(Lane& lane, Kind kind, u32 aux, Value* members, u32 n) {
  const u64 weight = n + (u64)total(n, [=](i64 k) { return (i64)weight_of(members[k]); });
  const u32 depth = 1 + (u32)greatest(n, 0, [=](i64 k) { return (i64)depth_of(members[k]); });
  return weighed_block(lane, kind, aux, members, n, weight, depth);
}

ARC_FN bool is_kind(const Value* values, i64 n, Kind kind) {
  return !any(n, [=](i64 k) { return values[k].kind != kind; });
}

// Returns the length of a tuple of numbers, or -1 for any other value.
ARC_FN i64 row_width(const Value& v) { return v.kind == INTS || v.kind == PAIR ? (i64)v.n : -1; }
ARC_FN i32 row_cell(const Value& row, i64 column) {
  if (row.kind == PAIR) return column == 0 ? row_of(row.key) : column_of(row.key);
  return row.ints[column];
}

// Makes the tuple of these members (from new_members) in its one form.
ARC_NOINLINE Value make_tuple(Lane& lane, Value* members, i64 n) {
  if (n == 0) return empty_tuple();
  u32 kind = members[0].kind;
  if (kind == INT) {
    if (n == 2) {
      if (members[1].kind == INT) return pair_of_key(key_of(members[0].number, members[1].number));
      if (members[1].kind == PAIR)
        return cell_of_key(key_of(members[0].number, row_of(members[1].key), column_of(members[1].key)));
    } else if (is_kind(members, n, INT)) {
      ARC_ALLOCATE(ints, i32, n);
      each(n, [=](i64 k) { ints[k] = (i32)members[k].number; });
      return ints_value(INTS, ints, (u32)n);
    }
  } else if (kind == INTS || kind == PAIR) {
    i64 width = members[0].n;
    if (!any(n, [=](i64 k) { return row_width(members[k]) != width; })) {
      ARC_ALLOCATE(cells, i32, n * width);
      if (W > 1 && n > WARP) {  // one thread per member; most are short
        each(n, [=](i64 i) {
          const Value row = members[i];
          for (i64 j = 0; j < width; j++) cells[i * width + j] = row_cell(row, j);
        });
        return grid_value(cells, (u32)n, (u32)width);
      }
      for (i64 i = 0; i < n; i++) {
        const Value row = members[i];
        each(width, [=](i64 j) { cells[i * width + j] = row_cell(row, j); });
      }
      return grid_value(cells, (u32)n, (u32)width);
    }
  }
  return block_value(lane, TUPLE, 0, members, (u32)n);
}
ARC_FN Value tuple_of(Lane& lane, Value* members, i64 n) {
  return seldom(lane, [&](Lane& there) { return make_tuple(there, members, n); });
}

// A number that equal values share, by one thread, for tables that live no longer than a call. Not recursive, as
// compare_alone.
ARC_NOINLINE u64 quick_hash(const Value& value) {
  constexpr u64 FACTOR = 0x9e3779b97f4a7c15ULL;
  struct Level {  // members to come
    const Value* next;
    const Value* end;
  };
  Level levels[MAX_DEPTH];
  int depth = 0;
  u64 hash = 0;
  auto add = [&](u64 word) { hash = ((hash ^ hash >> 29) + word) * FACTOR; };
  // Adds words; four chains of multiplications at a time.
  auto add_all = [&](const auto* words, u32 n) {
    u64 a = 0, b = 0, c = 0, d = 0;
    u32 k = 0;
    for (; k + 4 <= n; k += 4) {
      a = (a ^ (u64)words[k]) * FACTOR;
      b = (b ^ (u64)words[k + 1]) * FACTOR;
      c = (c ^ (u64)words[k + 2]) * FACTOR;
      d = (d ^ (u64)words[k + 3]) * FACTOR;
    }
    for (; k < n; k++) add((u64)words[k]);
    add(a);
    add(b);
    add(c);
    add(d);
  };
  for (Value v = value;;) {
    add((u64)v.kind << 56 | (u64)v.aux << 32 | v.n);
    switch (v.kind) {
      case INT:
      case PAIR:
      case CELL: add((u64)v.number); break;
      case INTS:
      case INTSET:
      case GRID: add_all(v.ints, v.kind == GRID ? v.n * v.aux : v.n); break;
      case INDICES:
      case OBJECT: add_all(v.keys, v.n); break;
      default:
        if (has_members(v)) levels[depth++] = {v.members(), v.members() + v.n};
        break;
    }
    while (depth && levels[depth - 1].next == levels[depth - 1].end) depth--;
    if (!depth) {
      add(0);
      return hash ^ hash >> 32;
    }
    v = *levels[depth - 1].next++;
  }
}

// Finds equal members: first_alike[k] := the index of one representative of all members equal to the k-th. Returns
// false if memory ran out. A function's values are often equal, and comparing hashes is far less work for many threads
// than sorting.
ARC_NOINLINE bool find_alike(Lane& lane, const Value* members, i64 n, u32* first_alike) {
  constexpr u32 FREE = ~0u;
  i64 n_slots = 64;
  while (n_slots < 2 * n) n_slots *= 2;
  const Scratch scratch(lane);
  u32* slots = lane.allocate_array<u32>(n_slots);
  if (!slots) return false;
  each(n_slots, [=](i64 k) { slots[k] = FREE; });
  each(n, [=](i64 k) {
    for (u64 at = quick_hash(members[k]);; at++) {
      // Usually it is set already, which needs no swap.
      u32* slot = slots + (at & (n_slots - 1));
      u32 there = *(volatile u32*)slot;
      if (there == FREE) there = atomic_swap_if(slot, FREE, (u32)k);
      first_alike[k] = there == FREE ? (u32)k : there;
      if (there == FREE || equal_alone(members[there], members[k])) return;
    }
  });
  scratch.give_back(lane);
  return true;
}
// From this number on, finding equal members first pays.
constexpr i64 MANY_ALIKE = 32;

// Makes the set of these members, in any order and with duplicates, in its one form.
ARC_NOINLINE Value make_set(Lane& lane, const Value* members, i64 n) {
  if (n == 0) return empty_set();
  u32 kind = members[0].kind;
  if ((kind == PAIR || kind == CELL || kind == INT) && is_kind(members, n, (Kind)kind)) {
    ARC_ALLOCATE(keys, Key, n);
    if (kind == INT) {
      each(n, [=](i64 k) { keys[k] = key_of_number(members[k].number); });
      n = sort_unique(lane, keys, n);
      if (n < 0) return fail(OVER_BUDGET);
      ARC_ALLOCATE(ints, i32, n);
      each(n, [=](i64 k) { ints[k] = (i32)keys[k] - KEY_BIAS; });
      return ints_value(INTSET, ints, (u32)n);
    }
    each(n, [=](i64 k) { keys[k] = members[k].key; });
    return set_of_keys(lane, kind == PAIR ? INDICES : OBJECT, keys, n);
  }
  const bool are_distinct = n > MANY_ALIKE;
  if (are_distinct) {
    ARC_ALLOCATE(first_alike, u32, n);
    if (!find_alike(lane, members, n, first_alike)) return fail(OVER_BUDGET);
    ARC_ALLOCATE(distinct, Value, n);
    const Value* all = members;
    n = filter(
        n, 0, [=](i64 k) { return first_alike[k] == (u32)k; },
        [=](i64 k, i64 place) { distinct[place] = all[k]; });
    members = distinct;
  }
  ARC_ALLOCATE(places, i32, n);
  if (!sort_places(lane, members, places, n, false)) return fail(OVER_BUDGET);
  ARC_NEW_MEMBERS(sorted, n);
  if (are_distinct) {
    each(n, [=](i64 k) { sorted[k] = members[places[k]]; });
    return block_value(lane, SET, 0, sorted, (u32)n);
  }
  const i64 kept = filter(
      n, 0,
      [=](i64 k) { return k == 0 || compare_alone(members[places[k - 1]], members[places[k]]) != 0; },
      [=](i64 k, i64 place) { sorted[place] = members[places[k]]; });
  return block_value(lane, SET, 0, sorted, (u32)kept);
}
ARC_FN Value set_of(Lane& lane, const Value* members, i64 n) {
  return seldom(lane, [&](Lane& there) { return make_set(there, members, n); });
}

// Makes a container of the same kind, tuple or set, as another.
ARC_FN Value like(Lane& lane, const Value& container, Value* members, i64 n) {
  return is_tuple(container) ? tuple_of(lane, members, n) : set_of(lane, members, n);
}

// The members of a container as values; a new array for kinds that do not store them so.
ARC_FN const Value* members_of(Lane& lane, const Value& v) {
  if (v.kind == TUPLE || v.kind == SET) return v.n ? v.members() : (const Value*)&v;
  Value* members = new_members(lane, v.n);
  if (!members) return nullptr;
  each(v.n, [=](i64 k) { members[k] = member(v, (u32)k); });
  return members;
}
#define ARC_MEMBERS_OF(name, container)                    \
  const Value* name = members_of(lane, container);         \
  if (!name) return fail(OVER_BUDGET)

}  // namespace arc
