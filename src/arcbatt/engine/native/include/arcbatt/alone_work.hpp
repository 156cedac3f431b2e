// The work of small primitives by one thread, on arguments with few members; see alone.hpp.
//
// Alone<P> decides which arguments a single thread can handle, how much memory that takes, and does the work of
// primitive P. Results and costs are those of the primitive.
#pragma once
#include "flat.hpp"

namespace arc {

// The most members of an argument that a single thread processes.
constexpr u32 FEW_MEMBERS = 64;
constexpr u64 FEW_DISTANCES = 256;
constexpr i64 OVER_LIMITS = -1;  // instead of the bytes of memory that a call takes

ARC_FN i64 room_of_keys(i64 n) { return (n * (i64)sizeof(Key) + 15) & ~15LL; }
// A set of locations or of cells that is not empty.
ARC_FN bool has_keys(const Value& v) { return v.kind == INDICES || v.kind == OBJECT; }
ARC_FN bool has_few_keys(const Value& v) { return v.n == 0 || (has_keys(v) && v.n <= FEW_MEMBERS); }
ARC_FN bool has_one_color(const Value& v) { return is_one_color({v.keys, v.n, true}); }
ARC_FN bool have_like_keys(const Value& a, const Value& b) { return has_keys(a) && a.kind == b.kind; }

// Primitives that need no memory; a single thread can run the code of most of them.
struct AloneAnyway {
  static constexpr bool TAKES_MEMORY = false, MAY_BE_LARGE = false;
  static constexpr bool WRITES_TOGETHER = false;  // threads without a call take part in `write`
  ARC_FN static bool is_small(const Value*) { return true; }
  ARC_FN static i64 room(const Lane&, const Value*) { return 0; }
};
template <u32 P, Value (*RUN)(Lane&, const Value*)>
struct Alone : AloneAnyway {
  ARC_FN static Value work(Lane& lane, const Value* args, char*) { return RUN(lane, args); }
};

// The parts that differ: the condition for small calls, their memory, and their work.
#define ARC_ALONE_OF(name) \
  template <Value (*RUN)(Lane&, const Value*)> \
  struct Alone<P_##name, RUN>
#define ARC_IS_SMALL(condition)              \
  static constexpr bool MAY_BE_LARGE = true; \
  ARC_FN static bool is_small(const Value* a) { return condition; }
#define ARC_ROOM(lane_name)                  \
  static constexpr bool TAKES_MEMORY = true; \
  ARC_FN static i64 room(const Lane& lane_name, const Value* a)
#define ARC_WORK_ALONE(lane_name, memory) \
  ARC_FN static Value work(Lane& lane_name, const Value* a, char* memory)

// --- numbers and order ---

ARC_ALONE_OF(equality) : AloneAnyway {
  ARC_WORK_ALONE(, ) { return truth(equal_alone(a[0], a[1])); }
};
ARC_ALONE_OF(greater) : AloneAnyway {
  ARC_WORK_ALONE(, ) { return truth(compare_alone(a[0], a[1]) > 0); }
};
ARC_ALONE_OF(astuple) : AloneAnyway {
  ARC_ROOM(lane) {
    const TwoRoom room = room_of_two(a[0], a[1]);
    return room.weight > lane.max_elements || room.depth > MAX_DEPTH ? OVER_LIMITS : room.n_bytes;
  }
  ARC_WORK_ALONE(, memory) { return tuple_of_two(a[0], a[1], memory); }
};
template <u32 DIRECTIONS>
struct AloneAround : AloneAnyway {
  ARC_ROOM(lane) { return weight_around(DIRECTIONS) > lane.max_elements ? OVER_LIMITS : room_of_keys(8); }
  ARC_WORK_ALONE(, memory) { return around_by<true>(a[0], DIRECTIONS, (Key*)memory); }
};
ARC_ALONE_OF(dneighbors) : AloneAround<TO_SIDES> {};
ARC_ALONE_OF(ineighbors) : AloneAround<TO_CORNERS> {};
ARC_ALONE_OF(neighbors) : AloneAround<TO_ALL> {};

// --- functions ---

// Returns the memory for a container or function of these members.
ARC_FN i64 room_of_block(const Lane& lane, const Value* members, u32 n) {
  u64 weight = n;
  u32 depth = 0;
  for (u32 k = 0; k < n; k++) {
    weight += weight_of(members[k]);
    depth = max_of(depth, depth_of(members[k]));
  }
  if (weight > lane.max_elements || depth + 1 > MAX_DEPTH) return OVER_LIMITS;
  return (i64)(sizeof(Block) + n * sizeof(Value));
}
// Makes that container or function of n values; one of the members may be skipped.
ARC_FN Value block_alone(Kind kind, u32 aux, const Value* from, u32 n, char* memory, u32 left_out = ~0u) {
  Value v = value_of_kind(kind, n);
  v.aux = aux;
  v.block = (Block*)memory;
  Value* members = (Value*)(v.block + 1);
  u64 weight = n;
  u32 depth = 0;
  for (u32 k = 0; k < n; k++) {
    const Value member = from[k + (k >= left_out)];
    members[k] = member;
    weight += weight_of(member);
    depth = max_of(depth, depth_of(member));
  }
  v.block->weight = (u32)weight;
  v.block->depth = depth + 1;
  return v;
}
template <u32 P>
struct AloneFunction : AloneAnyway {
  static constexpr u32 N = Declared<P>::info.arity;
  ARC_ROOM(lane) { return room_of_block(lane, a, N); }
  ARC_WORK_ALONE(, memory) { return block_alone(FUNCTION, P, a, N, memory); }
};
ARC_ALONE_OF(compose) : AloneFunction<P_compose> {};
ARC_ALONE_OF(chain) : AloneFunction<P_chain> {};
ARC_ALONE_OF(fork) : AloneFunction<P_fork> {};
ARC_ALONE_OF(matcher) : AloneFunction<P_matcher> {};
ARC_ALONE_OF(lbind) : AloneFunction<P_lbind> {};
ARC_ALONE_OF(rbind) : AloneFunction<P_rbind> {};

// --- sets ---

ARC_ALONE_OF(contained) : AloneAnyway {
  ARC_WORK_ALONE(, ) {
    const Value container = a[1];
    if (is_set(container)) return truth(find_in_set<true>(container, a[0]).there);
    for (u32 k = 0; k < container.n; k++)
      if (equal_alone(member(container, k), a[0])) return truth(true);
    return truth(false);
  }
};

// The set of one value.
ARC_FN i64 room_of_one(const Lane& lane, const Value& value) {
  if (value.kind == INT || value.kind == PAIR || value.kind == CELL) return room_of_keys(1);
  return room_of_block(lane, &value, 1);
}
ARC_FN Value set_of_one(const Value& value, char* memory) {
  if (value.kind == INT) {
    *(i32*)memory = (i32)value.number;
    return ints_value(INTSET, (i32*)memory, 1);
  }
  if (value.kind != PAIR && value.kind != CELL) return block_alone(SET, 0, &value, 1, memory);
  *(Key*)memory = value.key;
  return keys_value(value.kind == PAIR ? INDICES : OBJECT, (Key*)memory, 1);
}
ARC_ALONE_OF(initset) : AloneAnyway {
  ARC_ROOM(lane) { return room_of_one(lane, a[0]); }
  ARC_WORK_ALONE(, memory) { return set_of_one(a[0], memory); }
};

ARC_ALONE_OF(insert) : AloneAnyway {
  ARC_IS_SMALL(a[1].n == 0 || (a[1].n <= FEW_MEMBERS && ((a[1].kind == INDICES && a[0].kind == PAIR) ||
                                                         (a[1].kind == OBJECT && a[0].kind == CELL))))
  ARC_ROOM(lane) { return a[1].n ? room_of_keys((i64)a[1].n + 1) : room_of_one(lane, a[0]); }
  ARC_WORK_ALONE(, memory) {
    const Value value = a[0], set = a[1];
    if (set.n == 0) return set_of_one(value, memory);
    const i64 n = (i64)set.n + 1, at = sorted_place(set.keys, set.n, value.key);
    if (at < n - 1 && set.keys[at] == value.key) return set;
    Key* keys = (Key*)memory;
    for (i64 k = 0; k < n; k++) keys[k] = k == at ? value.key : set.keys[k - (k > at)];
    return keys_value((Kind)set.kind, keys, (u32)n);
  }
};

// For numbers, keys, and sets of sets: a set of numbers or tuples may become another kind.
ARC_ALONE_OF(remove) : AloneAnyway {
  static constexpr u32 FEW_SETS = 16;
  static constexpr u64 LIGHT = 2048;
  ARC_FN static bool has_few_sets(const Value& v) {
    return v.kind == SET && v.n <= FEW_SETS && v.block->weight <= LIGHT && v.members()[0].kind >= INDICES;
  }
  ARC_IS_SMALL(a[1].n == 0 || (a[1].n <= FEW_MEMBERS && (has_numbers(a[1]) || has_keys(a[1]))) || has_few_sets(a[1]))
  ARC_ROOM() {
    const i64 n = a[1].n;
    if (n == 0) return 0;
    return a[1].kind == SET ? (i64)sizeof(Block) + (n - 1) * (i64)sizeof(Value) : room_of_keys(n);
  }
  ARC_WORK_ALONE(, memory) {
    const Value value = a[0], from = a[1];
    if (from.n == 0 || (has_numbers(from) && value.kind != INT)) return from;
    if (has_numbers(from)) {
      i32* ints = (i32*)memory;
      u32 n = 0;
      for (u32 k = 0; k < from.n; k++)
        if (number_at(from, k) != value.number) ints[n++] = number_at(from, k);
      if (n == from.n) return from;
      if (from.kind != INTSET) return numbers_tuple(ints, n);
      return n ? ints_value(INTSET, ints, n) : empty_set();
    }
    const Found found = find_in_set<true>(from, value);
    if (!found.there) return from;
    const u32 n = from.n - 1, at = (u32)found.place;
    if (n == 0) return empty_set();
    if (from.kind != SET) {
      Key* keys = (Key*)memory;
      for (u32 k = 0; k < n; k++) keys[k] = from.keys[k + (k >= at)];
      return keys_value((Kind)from.kind, keys, n);
    }
    return block_alone(SET, 0, from.members(), n, memory, at);
  }
};

// Keeps the keys that are (or are not) among the others.
ARC_FN Value select_keys_alone(const Value& from, const Value& others, bool common, char* memory) {
  Key* keys = (Key*)memory;
  u32 n = 0;
  i64 at = 0;  // keys before it are less than all that are left
  for (u32 k = 0; k < from.n; k++) {
    const Key key = from.keys[k];
    at += sorted_place(others.keys + at, others.n - at, key);
    if ((at < others.n && others.keys[at] == key) == common) keys[n++] = key;
  }
  return keys_value((Kind)from.kind, keys, n);
}
ARC_ALONE_OF(intersection) : AloneAnyway {
  ARC_FN static u32 n_less(const Value* a) { return min_of(a[0].n, a[1].n); }
  ARC_IS_SMALL(n_less(a) == 0 || (have_like_keys(a[0], a[1]) && n_less(a) <= FEW_MEMBERS))
  ARC_ROOM() { return room_of_keys(n_less(a)); }
  ARC_WORK_ALONE(, memory) {
    if (n_less(a) == 0) return empty_set();
    const bool second = a[1].n < a[0].n;
    return select_keys_alone(a[second], a[!second], true, memory);
  }
};
ARC_ALONE_OF(difference) : AloneAnyway {
  ARC_IS_SMALL(a[0].n == 0 || a[1].n == 0 || (have_like_keys(a[0], a[1]) && a[0].n <= FEW_MEMBERS))
  ARC_ROOM() { return a[0].n && a[1].n ? room_of_keys(a[0].n) : 0; }
  ARC_WORK_ALONE(, memory) {
    return a[0].n && a[1].n ? select_keys_alone(a[0], a[1], false, memory) : a[0];
  }
};
ARC_ALONE_OF(combine) : AloneAnyway {
  ARC_FN static bool is_one(const Value* a) { return a[1].n == 0 || (a[0].n == 0 && is_set(a[0]) && is_set(a[1])); }
  ARC_IS_SMALL(is_one(a) || (have_like_keys(a[0], a[1]) && a[0].n <= FEW_MEMBERS && a[1].n <= FEW_MEMBERS))
  ARC_ROOM() { return is_one(a) ? 0 : room_of_keys((i64)a[0].n + a[1].n); }
  ARC_WORK_ALONE(, memory) {
    if (is_one(a)) return a[a[1].n != 0];
    const Value x = a[0], y = a[1];
    return keys_value((Kind)x.kind, (Key*)memory,
                      (u32)sorted_union_alone(x.keys, x.n, y.keys, y.n, (Key*)memory));
  }
};

// --- patches ---

// The extent of patches with keys, by the primitive's own code.
#define ARC_ALONE_EXTENT(name)                                                         \
  ARC_ALONE_OF(name) : AloneAnyway {                                                   \
    ARC_IS_SMALL(has_few_keys(a[0]))                                                   \
    ARC_WORK_ALONE(lane, ) { return prim_##name<true>(lane, a); }                      \
  }
ARC_ALONE_EXTENT(uppermost);
ARC_ALONE_EXTENT(lowermost);
ARC_ALONE_EXTENT(leftmost);
ARC_ALONE_EXTENT(rightmost);
ARC_ALONE_EXTENT(ulcorner);
ARC_ALONE_EXTENT(urcorner);
ARC_ALONE_EXTENT(llcorner);
ARC_ALONE_EXTENT(lrcorner);
ARC_ALONE_EXTENT(vline);
ARC_ALONE_EXTENT(hline);
ARC_ALONE_EXTENT(center);
// For tuples these return the size.
#define ARC_ALONE_PIECE(name)                                                          \
  ARC_ALONE_OF(name) : AloneAnyway {                                                   \
    ARC_IS_SMALL(is_tuple(a[0]) || has_few_keys(a[0]))                                 \
    ARC_WORK_ALONE(lane, ) { return prim_##name<true>(lane, a); }                      \
  }
ARC_ALONE_PIECE(height);
ARC_ALONE_PIECE(width);
ARC_ALONE_PIECE(shape);
ARC_ALONE_PIECE(portrait);

ARC_ALONE_OF(corners) : AloneAnyway {
  ARC_IS_SMALL(a[0].n != 0 && has_few_keys(a[0]))
  ARC_ROOM() { return room_of_keys(4); }
  ARC_WORK_ALONE(, memory) {
    const Bounds box = bounds_of<true>({a[0].keys, a[0].n, true});
    Key* keys = (Key*)memory;
    u32 n = 0;
    for (i64 row = box.top;; row = box.bottom) {
      keys[n++] = key_of(row, box.left);
      if (box.right > box.left) keys[n++] = key_of(row, box.right);
      if (row == box.bottom) return keys_value(INDICES, keys, n);
    }
  }
};

struct AloneLine : AloneAnyway {
  static constexpr bool WRITES_TOGETHER = true;
  ARC_FN static i64 room_of(const Lane& lane, const Line& line) {
    if (3 * (u64)line.n > lane.max_elements) return OVER_LIMITS;
    return line.in_range ? room_of_keys(line.n) : 0;
  }
  ARC_FN static Value places(const Line& line, char* memory) {
    if (!line.n) return empty_set();
    if (!line.in_range) return fail(OUT_OF_RANGE);
    return keys_value(INDICES, (const Key*)memory, (u32)line.n);
  }
  // Writes the keys of each thread's line, line_of(first argument, second), if there is memory for it. Long lines are
  // written by all threads together, to adjacent memory.
  template <class LineOf>
  ARC_FN static void write_line(const Value* a, char* memory, LineOf line_of) {
    constexpr i32 LONG = 12;
    Line line = {0, 0, 0, true};
    if (memory) line = line_of(a[0].key, a[1].key);
    if (!line.in_range) line.n = 0;
    Key* keys = (Key*)memory;
    if (greatest_of_threads((i32)line.n) < LONG) {
      for (i64 k = 0; k < line.n; k++) keys[k] = line.key(k);
      return;
    }
    for (u32 left = ballot(line.n > 0); left; left &= left - 1) {
      const int source = lowest_bit(left);
      const i32 n = (i32)shuffle((u32)line.n, source);
      const Key first = (Key)shuffle_from((i64)line.first, source), step = (Key)shuffle_from((i64)line.step, source);
      Key* to = (Key*)shuffle_from((i64)keys, source);
      for (i32 k = thread_index(); k < n; k += W) to[k] = first + (Key)k * step;
    }
  }
};
ARC_ALONE_OF(connect) : AloneLine {
  ARC_ROOM(lane) { return AloneLine::room_of(lane, connecting_line(a[0].key, a[1].key)); }
  ARC_WORK_ALONE(, memory) { return AloneLine::places(connecting_line(a[0].key, a[1].key), memory); }
  ARC_FN static void write(const Value* a, char* memory) { AloneLine::write_line(a, memory, connecting_line); }
};
ARC_ALONE_OF(shoot) : AloneLine {
  ARC_ROOM(lane) { return AloneLine::room_of(lane, shot_line(a[0].key, a[1].key)); }
  ARC_WORK_ALONE(, memory) { return AloneLine::places(shot_line(a[0].key, a[1].key), memory); }
  ARC_FN static void write(const Value* a, char* memory) { AloneLine::write_line(a, memory, shot_line); }
};

ARC_ALONE_OF(shift) : AloneAnyway {
  ARC_IS_SMALL(has_few_keys(a[0]))
  ARC_ROOM() { return room_of_keys(a[0].n); }
  ARC_WORK_ALONE(, memory) {
    const Value patch = a[0];
    if (patch.n == 0) return patch;
    if (a[1].kind != PAIR) return fail(WRONG_TYPE);
    const i64 di = row_of(a[1].key), dj = column_of(a[1].key);
    const Keys keys = {patch.keys, patch.n, true};
    if (!has_room<true>(keys, LINE_ROW, di) || !has_room<true>(keys, LINE_COLUMN, dj)) return fail(OUT_OF_RANGE);
    if (di == 0 && dj == 0) return patch;
    const Key by = ((Key)di << LINE_ROW) + (Key)dj;
    Key* moved = (Key*)memory;
    for (u32 k = 0; k < patch.n; k++) moved[k] = patch.keys[k] + by;
    return keys_value((Kind)patch.kind, moved, patch.n);
  }
};

// A patch of one color as cells of another color, or as locations.
struct AloneColored : AloneAnyway {
  ARC_FN static bool is_small_patch(const Value& patch) {
    return patch.n == 0 || (has_few_keys(patch) && has_one_color(patch));
  }
  ARC_FN static Value colored(const Value& patch, Kind kind, Key color, char* memory) {
    if (patch.n == 0) return empty_set();
    if (patch.keys[0] >> COLOR_SHIFT == color >> COLOR_SHIFT) return keys_value(kind, patch.keys, patch.n);
    Key* keys = (Key*)memory;
    for (u32 k = 0; k < patch.n; k++) keys[k] = (patch.keys[k] & ((1ULL << COLOR_SHIFT) - 1)) | color;
    return keys_value(kind, keys, patch.n);
  }
};
ARC_ALONE_OF(toindices) : AloneColored {
  ARC_IS_SMALL(a[0].kind == INDICES || AloneColored::is_small_patch(a[0]))
  ARC_ROOM() { return a[0].kind == OBJECT ? room_of_keys(a[0].n) : 0; }
  ARC_WORK_ALONE(, memory) {
    return a[0].kind == INDICES ? a[0] : AloneColored::colored(a[0], INDICES, NO_COLOR, memory);
  }
};
ARC_ALONE_OF(recolor) : AloneColored {
  ARC_IS_SMALL(AloneColored::is_small_patch(a[1]))
  ARC_ROOM() { return room_of_keys(a[1].n); }
  ARC_WORK_ALONE(, memory) {
    return AloneColored::colored(a[1], OBJECT, key_of(a[0].number, -KEY_BIAS, -KEY_BIAS), memory);
  }
};

ARC_ALONE_OF(manhattan) : AloneAnyway {
  ARC_IS_SMALL((a[0].n == 0 || has_keys(a[0])) && (a[1].n == 0 || has_keys(a[1])) &&
               (u64)a[0].n * a[1].n <= FEW_DISTANCES)
  ARC_WORK_ALONE(lane, ) {
    if (a[0].n == 0 || a[1].n == 0) return fail(EMPTY);
    ARC_CHARGE((u64)a[0].n * a[1].n);
    return number(distance_of_few<true>({a[0].keys, a[0].n, true}, {a[1].keys, a[1].n, true}));
  }
};
template <int LINE>
struct AloneMatching : AloneAnyway {
  ARC_IS_SMALL(has_few_keys(a[0]) && has_few_keys(a[1]))
  ARC_WORK_ALONE(, ) {
    const Value x = a[0], y = a[1];
    // Compares the rows or columns of one patch, as bits, with those of the other.
    for (i64 start = 0; start < (i64)x.n && y.n;) {
      const i64 base = line_of(x.keys[start], LINE);
      u64 bits = 0;
      i64 next = x.n;
      for (i64 k = start; k < (i64)x.n; k++) {
        const u64 at = (u64)(line_of(x.keys[k], LINE) - base + 32);
        if (at < 64) bits |= 1ULL << at;
        else if (next == (i64)x.n) next = k;
      }
      for (u32 k = 0; k < y.n; k++) {
        const u64 at = (u64)(line_of(y.keys[k], LINE) - base + 32);
        if (at < 64 && (bits >> at & 1)) return truth(true);
      }
      start = next;
    }
    return truth(false);
  }
};
ARC_ALONE_OF(hmatching) : AloneMatching<LINE_ROW> {};
ARC_ALONE_OF(vmatching) : AloneMatching<LINE_COLUMN> {};

}  // namespace arc
