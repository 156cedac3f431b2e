// Values: 16 bytes each, bulk data in the lane's arena.
//
// Every value has exactly one form, so that equal values have equal forms. A pair of numbers is PAIR; a number with a
// pair is CELL; one number, or three or more, are INTS; one or more rows of numbers, of one width of at least 1, are
// GRID; all other tuples, including the empty one, are TUPLE. A set of pairs is INDICES, of cells OBJECT, of numbers
// INTSET; all other sets, including the empty one, are SET, with members in ascending order. A function is FUNCTION:
// its primitive and its captured arguments.
#pragma once
#include "platform.hpp"

namespace arc {

enum Kind : u8 {
  NONE,
  INT,
  PAIR,
  CELL,
  INTS,
  GRID,
  TUPLE,
  INDICES,
  OBJECT,
  INTSET,
  SET,
  FUNCTION,
  FAIL,
};

// The same numbers as in language/failure.py.
enum Reason : u8 {
  OK,
  WRONG_TYPE,
  EMPTY,
  OUT_OF_RANGE,
  OVER_BUDGET,
  NOT_RUN,  // internal: memory ran out, and the result is unknown
  OUT_OF_MEMORY,
};

constexpr i32 MAX_NUMBER = (1 << 20) - 1;
constexpr int MAX_DEPTH = 32;
constexpr int BYTES_PER_ELEMENT = 16;
// The most elements of one value, as in language/budget.py: the greatest width that a value holds.
constexpr u32 MAX_ELEMENTS = (1 << 24) - 1;
constexpr int MAX_ARITY = 4;

// A location or cell as one number with the same order: 21 bits each for color, row, column.
typedef u64 Key;
constexpr i32 KEY_BIAS = 1 << 20;
constexpr u64 KEY_MASK = (1 << 21) - 1;
constexpr Key NO_COLOR = (Key)KEY_BIAS << 42;  // the color bits of a location

ARC_FN Key key_of(i64 color, i64 row, i64 column) {
  return (Key)(color + KEY_BIAS) << 42 | (Key)(row + KEY_BIAS) << 21 | (Key)(column + KEY_BIAS);
}
ARC_FN Key key_of(i64 row, i64 column) { return key_of(0, row, column); }
ARC_FN i32 color_of(Key key) { return (i32)(key >> 42) - KEY_BIAS; }
ARC_FN i32 row_of(Key key) { return (i32)(key >> 21 & KEY_MASK) - KEY_BIAS; }
ARC_FN i32 column_of(Key key) { return (i32)(key & KEY_MASK) - KEY_BIAS; }
// The location of a cell.
ARC_FN Key place_of(Key key) { return (key & ((1ULL << 42) - 1)) | NO_COLOR; }

ARC_FN bool in_range(i64 number) { return number <= MAX_NUMBER && number >= -MAX_NUMBER; }

struct Value;

// The header of TUPLE, SET and FUNCTION; their members follow.
struct Block {
  u32 weight;  // of the whole value
  u32 depth;
  u64 unused;
};

struct alignas(16) Value {
  union {
    u32 head;  // all of the following: otherwise compilers for GPUs copy a value byte by byte
    struct {
      u32 kind : 8;
      u32 aux : 24;  // GRID: width; FUNCTION: primitive; FAIL: reason
    };
  };
  u32 n;         // number of members; GRID: of rows; FUNCTION: of captured arguments
  union {
    i64 number;       // INT
    Key key;          // PAIR, CELL
    const i32* ints;  // INTS, INTSET; GRID: n * width cells, row by row
    const Key* keys;  // INDICES, OBJECT
    Block* block;     // TUPLE, SET, FUNCTION
  };

  ARC_FN bool failed() const { return kind == FAIL; }
  ARC_FN Reason reason() const { return (Reason)aux; }
  ARC_FN const Value* members() const { return (const Value*)(block + 1); }
};

ARC_FN i64 width_of(const Value& grid) { return grid.aux; }

ARC_FN Value value_of_kind(Kind kind, u32 n) {
  Value v;
  v.kind = kind;
  v.aux = 0;
  v.n = n;
  v.number = 0;
  return v;
}
ARC_FN Value fail(Reason reason) {
  Value v = value_of_kind(FAIL, 0);
  v.aux = reason;
  return v;
}
ARC_FN Value none_value() { return value_of_kind(NONE, 0); }
// A number, or the failure if it is out of range.
ARC_FN Value number(i64 x) {
  if (!in_range(x)) return fail(OUT_OF_RANGE);
  Value v = value_of_kind(INT, 0);
  v.number = x;
  return v;
}
ARC_FN Value truth(bool x) {
  Value v = value_of_kind(INT, 0);
  v.number = x;
  return v;
}
ARC_FN Value pair_of_key(Key key) {
  Value v = value_of_kind(PAIR, 2);
  v.key = key;
  return v;
}
ARC_FN Value cell_of_key(Key key) {
  Value v = value_of_kind(CELL, 2);
  v.key = key;
  return v;
}
ARC_FN Value pair_of(i64 row, i64 column) {
  if (!in_range(row) || !in_range(column)) return fail(OUT_OF_RANGE);
  return pair_of_key(key_of(row, column));
}
ARC_FN Value keys_value(Kind kind, const Key* keys, u32 n) {
  Value v = value_of_kind(n ? kind : SET, n);
  v.keys = keys;
  if (!n) v.block = nullptr;
  return v;
}
ARC_FN Value ints_value(Kind kind, const i32* ints, u32 n) {
  Value v = value_of_kind(kind, n);
  v.ints = ints;
  return v;
}
// Rows of numbers; n_rows and width are at least 1.
ARC_FN Value grid_value(const i32* cells, u32 n_rows, u32 width) {
  Value v = value_of_kind(GRID, n_rows);
  v.aux = width;
  v.ints = cells;
  return v;
}
ARC_FN Value empty_tuple() { return value_of_kind(TUPLE, 0); }
ARC_FN Value empty_set() { return value_of_kind(SET, 0); }
ARC_FN Value bare_function(u16 primitive) {
  Value v = value_of_kind(FUNCTION, 0);
  v.aux = primitive;
  return v;
}

ARC_FN bool is_tuple(const Value& v) { return v.kind >= PAIR && v.kind <= TUPLE; }
ARC_FN bool is_set(const Value& v) { return v.kind >= INDICES && v.kind <= SET; }
ARC_FN bool is_container(const Value& v) { return v.kind >= PAIR && v.kind <= SET; }
ARC_FN bool is_true(const Value& v) {
  if (v.kind == INT) return v.number != 0;
  if (v.kind == NONE) return false;
  return v.kind == FUNCTION || v.n != 0;
}

// The number of elements at all levels, as in language/values.py.
ARC_FN u64 weight_of(const Value& v) {
  if (v.kind == TUPLE || v.kind == SET || v.kind == FUNCTION) return v.n ? v.block->weight : 0;
  // The weight of a member, 4 bits per kind.
  constexpr u64 added = 1ULL << 4 * PAIR | 2ULL << 4 * CELL | 1ULL << 4 * INTS | 1ULL << 4 * INTSET |
                        3ULL << 4 * INDICES | 5ULL << 4 * OBJECT;
  return (u64)v.n * (v.kind == GRID ? 1 + v.aux : (u32)(added >> 4 * v.kind) & 15);
}

ARC_FN u32 depth_of(const Value& v) {
  switch (v.kind) {
    case PAIR:
    case INTS:
    case INTSET: return 1;
    case CELL:
    case GRID:
    case INDICES: return 2;
    case OBJECT: return 3;
    case TUPLE:
    case SET:
    case FUNCTION: return v.n ? v.block->depth : 1;
    default: return 0;
  }
}

#if defined(__CUDACC__)
// The memory that a value points to, in sectors of 32 bytes, which a GPU fetches at a time: the number of the first
// sector and, in the lowest 8 bits, their count, at most MOST_SECTORS.
typedef u64 Sectors;
constexpr u64 MOST_SECTORS = 128;
ARC_FN Sectors sectors_of(const Value& v) {
  // Bytes per member, 4 bits per kind.
  constexpr u64 sizes = 4ULL << 4 * INTS | 4ULL << 4 * GRID | 8ULL << 4 * INDICES | 8ULL << 4 * OBJECT |
                        4ULL << 4 * INTSET;
  u64 n_bytes = (u64)v.n * (u32)(sizes >> 4 * v.kind & 15);
  if (v.kind == GRID) n_bytes *= v.aux;
  if (v.n && (v.kind == TUPLE || v.kind == SET)) n_bytes = sizeof(Block) + v.n * sizeof(Value);
  if (!n_bytes) return 0;
  const u64 start = (u64)v.ints, first = start / 32, last = (start + n_bytes - 1) / 32;
  return first << 8 | min_of(last - first + 1, MOST_SECTORS);
}

// Prefetches memory; the threads continue meanwhile. `landing` has a word per thread.
#if __CUDA_ARCH__ >= 800 && defined(ARC_WARP_LANES)
constexpr bool FETCHES_AHEAD = true;
#else
constexpr bool FETCHES_AHEAD = false;
#endif
#if defined(ARC_ASSEMBLY) && __CUDA_ARCH__ >= 800 && defined(ARC_WARP_LANES)
ARC_FN void fetch_sector(u64 number, u32* landing) {
  const u32 to = (u32)__cvta_generic_to_shared(landing + thread_index());
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(number * 32));
}
// Waits for prefetches before a block ends, since its shared memory is then reused.
ARC_FN void end_fetching() { asm volatile("cp.async.wait_all;"); }
#else
ARC_FN void fetch_sector(u64, u32*) {}
ARC_FN void end_fetching() {}
#endif
ARC_FN void fetch_sectors(Sectors sectors, u32* landing) {
  const u32 n = (u32)sectors & 255;
#pragma unroll 1
  for (u32 k = thread_index(); k < n; k += W) fetch_sector((sectors >> 8) + k, landing);
}
#endif

// A member of a container, or a captured argument of a function.
ARC_FN Value member(const Value& v, u32 k) {
  switch (v.kind) {
    case PAIR: return number(k == 0 ? row_of(v.key) : column_of(v.key));
    case CELL: return k == 0 ? number(color_of(v.key)) : pair_of_key(place_of(v.key));
    case INTS:
    case INTSET: return number(v.ints[k]);
    case GRID: {
      i64 width = width_of(v);
      const i32* row = v.ints + (i64)k * width;
      if (width == 2) return pair_of_key(key_of(row[0], row[1]));
      return ints_value(INTS, row, width);
    }
    case INDICES: return pair_of_key(v.keys[k]);
    case OBJECT: return cell_of_key(v.keys[k]);
    default: return v.members()[k];
  }
}

}  // namespace arc
