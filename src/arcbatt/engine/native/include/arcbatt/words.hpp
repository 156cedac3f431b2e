// Values as words, for transport to Python: a tag, then the content. Read by graph/results.py.
#pragma once
#include "value.hpp"

namespace arc {

enum Tag : i32 { T_NONE, T_INT, T_TUPLE, T_SET, T_FUNCTION, T_GRID, T_INDICES, T_OBJECT };

ARC_NOINLINE u64 count_words(const Value& v) {
  switch (v.kind) {
    case NONE: return 1;
    case INT: return 2;
    case GRID: return 3 + (u64)v.n * v.aux;
    case INDICES: return 2 + 2ULL * v.n;
    case OBJECT: return 2 + 3ULL * v.n;
    case PAIR: return 6;
    case INTS:
    case INTSET: return 2 + 2ULL * v.n;
    default: break;
  }
  u64 n = v.kind == FUNCTION ? 3 : 2;
  for (u32 k = 0; k < v.n; k++) n += count_words(member(v, k));
  return n;
}

// Writes the words of a value; returns the position after them.
ARC_NOINLINE i32* write_words(i32* to, const Value& v) {
  auto begin = [&](i32 tag, i32 first, i32 second, i64 n) {
    if (thread_index() == 0) {
      const i32 words[3] = {tag, first, second};
      for (i64 k = 0; k < n; k++) to[k] = words[k];
    }
    to += n;
  };
  switch (v.kind) {
    case NONE: begin(T_NONE, 0, 0, 1); return to;
    case INT: begin(T_INT, (i32)v.number, 0, 2); return to;
    case GRID: {
      const i64 n = (i64)v.n * v.aux;
      begin(T_GRID, (i32)v.n, (i32)v.aux, 3);
      copy(to, v.ints, n);
      return to + n;
    }
    case INDICES: {
      begin(T_INDICES, (i32)v.n, 0, 2);
      i32* const words = to;
      each(v.n, [&](i64 k) {
        words[2 * k] = row_of(v.keys[k]);
        words[2 * k + 1] = column_of(v.keys[k]);
      });
      return to + 2 * (i64)v.n;
    }
    case OBJECT: {
      begin(T_OBJECT, (i32)v.n, 0, 2);
      i32* const words = to;
      each(v.n, [&](i64 k) {
        words[3 * k] = color_of(v.keys[k]);
        words[3 * k + 1] = row_of(v.keys[k]);
        words[3 * k + 2] = column_of(v.keys[k]);
      });
      return to + 3 * (i64)v.n;
    }
    case FUNCTION: begin(T_FUNCTION, (i32)v.aux, (i32)v.n, 3); break;
    default: begin(is_tuple(v) ? T_TUPLE : T_SET, (i32)v.n, 0, 2); break;
  }
  for (u32 k = 0; k < v.n; k++) to = write_words(to, member(v, k));
  return to;
}

}  // namespace arc
