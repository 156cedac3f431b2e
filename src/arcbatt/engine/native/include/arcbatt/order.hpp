// The order, equality and hash of values, as `compare` and `content_hash` of language/values.py.
#pragma once
#if !defined(__CUDACC__)
#include <cstring>
#endif
#include "lane.hpp"

namespace arc {

ARC_NOINLINE int compare(const Value& a, const Value& b);

// The position of a kind in the order of values.
ARC_FN int rank_of(const Value& v) {
  if (v.kind == NONE) return 0;
  if (v.kind == INT) return 1;
  return v.kind <= TUPLE ? 2 : v.kind <= SET ? 3 : 4;
}

ARC_FN int sign_of(i64 x) { return (x > 0) - (x < 0); }

ARC_FN int compare_keys(const Key* a, const Key* b, u32 na, u32 nb) {
  u32 n = min_of(na, nb);
  i64 at = first_where(n, [=](i64 k) { return a[k] != b[k]; });
  if (at < n) return a[at] < b[at] ? -1 : 1;
  return sign_of((i64)na - nb);
}
ARC_FN int compare_ints(const i32* a, const i32* b, i64 na, i64 nb) {
  i64 n = min_of(na, nb);
  i64 at = first_where(n, [=](i64 k) { return a[k] != b[k]; });
  if (at < n) return a[at] < b[at] ? -1 : 1;
  return sign_of(na - nb);
}

ARC_FN int compare_members(const Value& a, const Value& b) {
  u32 n = min_of(a.n, b.n);
  for (u32 k = 0; k < n; k++) {
    int c = compare(member(a, k), member(b, k));
    if (c) return c;
  }
  return sign_of((i64)a.n - b.n);
}

ARC_NOINLINE int compare(const Value& a, const Value& b) {
  int ra = rank_of(a), rb = rank_of(b);
  if (ra != rb) return ra < rb ? -1 : 1;
  if (ra == 0) return 0;
  if (ra == 1) return sign_of(a.number - b.number);
  if (a.kind == b.kind) switch (a.kind) {
      case PAIR:
      case CELL: return a.key == b.key ? 0 : a.key < b.key ? -1 : 1;
      case INTS:
      case INTSET: return compare_ints(a.ints, b.ints, a.n, b.n);
      case INDICES:
      case OBJECT: return compare_keys(a.keys, b.keys, a.n, b.n);
      case GRID:
        if (width_of(a) == width_of(b))
          return compare_ints(a.ints, b.ints, (i64)a.n * width_of(a), (i64)b.n * width_of(b));
        break;
      default: break;
    }
  // Primitives are numbered in the order of their names.
  if (ra == 4 && a.aux != b.aux) return a.aux < b.aux ? -1 : 1;
  return compare_members(a, b);
}

#if defined(__CUDACC__)
// Returns where two arrays first differ, or n, by one thread; four elements of each are loaded at a time.
template <class T>
ARC_FN i64 difference_alone(const T* a, const T* b, i64 n) {
  const Counter end = (Counter)n;
  Counter k = 0;
  for (; k + 4 <= end; k += 4) {
    const T a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
    const T b0 = b[k], b1 = b[k + 1], b2 = b[k + 2], b3 = b[k + 3];
    if (a0 != b0) return k;
    if (a1 != b1) return k + 1;
    if (a2 != b2) return k + 2;
    if (a3 != b3) return k + 3;
  }
  while (k < end && a[k] == b[k]) k++;
  return k;
}
// Compares arrays by one thread; a prefix comes first.
template <class T>
ARC_FN int compare_arrays_alone(const T* a, i64 na, const T* b, i64 nb) {
  const i64 n = min_of(na, nb), at = difference_alone(a, b, n);
  if (at < n) return a[at] < b[at] ? -1 : 1;
  return sign_of(na - nb);
}
// Compares values by one thread if that needs no comparison of members; otherwise returns false.
ARC_FN bool compare_without_members(const Value& a, const Value& b, int* result) {
  const int ra = rank_of(a), rb = rank_of(b);
  if (ra != rb) {
    *result = ra < rb ? -1 : 1;
  } else if (ra <= 1) {
    *result = ra ? sign_of(a.number - b.number) : 0;
  } else if (ra == 4 && a.aux != b.aux) {
    *result = a.aux < b.aux ? -1 : 1;
  } else if (a.kind != b.kind) {
    return false;
  } else if (a.kind == PAIR || a.kind == CELL) {
    *result = a.key == b.key ? 0 : a.key < b.key ? -1 : 1;
  } else if (a.kind == INTS || a.kind == INTSET) {
    *result = compare_arrays_alone(a.ints, a.n, b.ints, b.n);
  } else if (a.kind == GRID) {
    // Rows of different widths are never equal: the first rows decide.
    const i64 wa = width_of(a), wb = width_of(b);
    *result = wa == wb ? compare_arrays_alone(a.ints, a.n * wa, b.ints, b.n * wb)
                       : compare_arrays_alone(a.ints, wa, b.ints, wb);
  } else if (a.kind == INDICES || a.kind == OBJECT) {
    *result = compare_arrays_alone(a.keys, a.n, b.keys, b.n);
  } else {
    return false;
  }
  return true;
}
// The same as `compare`, by one thread, so that each thread of a lane can compare values of its own. Such functions
// must not be recursive: afterwards the threads of a warp are not converged where the compiler assumes it (CUDA 12.9
// to 13.4), and pass a barrier before others have reached it.
ARC_NOINLINE int compare_alone(const Value& first, const Value& second) {
  struct Level {  // containers whose members are compared, and the current member
    Value a, b;
    u32 k;
  };
  Level levels[MAX_DEPTH];
  int depth = 0;
  for (Value a = first, b = second;;) {
    int c = 0;
    if (!compare_without_members(a, b, &c)) {
      if (a.n && b.n) {
        levels[depth] = {a, b, 0};
        a = member(levels[depth].a, 0);
        b = member(levels[depth].b, 0);
        depth++;
        continue;
      }
      c = sign_of((i64)a.n - b.n);
    }
    for (;; depth--) {
      if (c || !depth) return c;
      Level& level = levels[depth - 1];
      if (++level.k < min_of(level.a.n, level.b.n)) {
        a = member(level.a, level.k);
        b = member(level.b, level.k);
        break;
      }
      c = sign_of((i64)level.a.n - level.b.n);
    }
  }
}
ARC_FN bool equal_alone(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.n != b.n) return false;
  return (a.aux == b.aux && a.number == b.number) || compare_alone(a, b) == 0;  // often the same value
}
#else
ARC_NOINLINE bool equal(const Value& a, const Value& b);
ARC_FN int compare_alone(const Value& a, const Value& b) { return compare(a, b); }
ARC_FN bool equal_alone(const Value& a, const Value& b) { return equal(a, b); }
#endif
// Containers with this many members are compared by all threads at once, each with members of its own.
constexpr u32 MANY_MEMBERS = 8;

ARC_NOINLINE bool equal(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.n != b.n) return false;
  switch (a.kind) {
    case NONE: return true;
    case INT: return a.number == b.number;
    case PAIR:
    case CELL: return a.key == b.key;
    case INTS:
    case INTSET: return a.ints == b.ints || !any(a.n, [&](i64 k) { return a.ints[k] != b.ints[k]; });
    case GRID: {
      i64 width = width_of(a);
      if (width != width_of(b)) return false;
      return a.ints == b.ints || !any(a.n * width, [&](i64 k) { return a.ints[k] != b.ints[k]; });
    }
    case INDICES:
    case OBJECT: return a.keys == b.keys || !any(a.n, [&](i64 k) { return a.keys[k] != b.keys[k]; });
    case FUNCTION:
      if (a.aux != b.aux) return false;
      [[fallthrough]];
    case TUPLE:
    case SET:
      if (a.n == 0 || a.block == b.block) return true;
      if (a.block->weight != b.block->weight || a.block->depth != b.block->depth) return false;
      if (W > 1 && a.n >= MANY_MEMBERS)
        return !any(a.n, [&](i64 k) { return !equal_alone(a.members()[k], b.members()[k]); });
      for (u32 k = 0; k < a.n; k++)
        if (!equal(a.members()[k], b.members()[k])) return false;
      return true;
    default: return false;
  }
}

// --- hash ---

ARC_FN constexpr u64 mix(u64 x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}
// The multiplier of a tuple's k-th member.
ARC_FN constexpr u64 find_multiplier(u64 k) { return mix((k + 1) * 0x9e3779b97f4a7c15ULL) | 1; }
ARC_FN u64 close_hash(u64 kind, u64 n, u64 sum) {
  return mix(sum + kind * 0xd1b54a32d192ed03ULL + n * 0x8cb92ba72f3d8dd7ULL);
}
constexpr u64 HASH_NONE = 1, HASH_NUMBER = 2, HASH_TUPLE = 3, HASH_SET = 4, HASH_FUNCTION = 5;

ARC_FN constexpr u64 find_hash(i64 x) { return mix((u64)x * 0x9e3779b97f4a7c15ULL + HASH_NUMBER); }

// Most numbers are colors, and most locations those of a small grid: their hashes are looked up.
#if defined(__CUDACC__)
constexpr u32 N_KNOWN_PLACES = 32, N_KNOWN_NUMBERS = 32;
#define ARC_EIGHT_OF(f, k) f(k), f(k + 1), f(k + 2), f(k + 3), f(k + 4), f(k + 5), f(k + 6), f(k + 7)
#define ARC_ALL_OF(f) ARC_EIGHT_OF(f, 0), ARC_EIGHT_OF(f, 8), ARC_EIGHT_OF(f, 16), ARC_EIGHT_OF(f, 24)
ARC_TABLE(u64, MULTIPLIERS) = {ARC_ALL_OF(find_multiplier)};
ARC_TABLE(u64, NUMBER_HASHES) = {ARC_ALL_OF(find_hash)};
#undef ARC_ALL_OF
#undef ARC_EIGHT_OF
#else
// The caches of a core have room for more.
constexpr u32 N_KNOWN_PLACES = 1024, N_KNOWN_NUMBERS = 32;
template <u32 N>
struct WordTable {
  u64 words[N];
  constexpr WordTable(u64 (*f)(u64)) : words() {
    for (u64 k = 0; k < N; k++) words[k] = f(k);
  }
  ARC_FN u64 operator[](u64 k) const { return words[k]; }
};
static constexpr WordTable<N_KNOWN_PLACES> MULTIPLIERS(find_multiplier);
static constexpr WordTable<N_KNOWN_NUMBERS> NUMBER_HASHES([](u64 k) { return find_hash((i64)k); });
#endif
ARC_FN u64 multiplier(u64 k) { return k < N_KNOWN_PLACES ? MULTIPLIERS[k] : find_multiplier(k); }
ARC_FN u64 hash_number(i64 x) { return (u64)x < N_KNOWN_NUMBERS ? NUMBER_HASHES[x] : find_hash(x); }
// The sum over a tuple of numbers; four independent sums for instruction-level parallelism.
ARC_FN u64 hash_numbers(const i32* numbers, i64 n) {
  u64 sum = 0;
  Counter k = 0;
  for (; k + 4 <= (Counter)n; k += 4) {
    const i32 a = numbers[k], b = numbers[k + 1], c = numbers[k + 2], d = numbers[k + 3];
    const bool known = (u32)(a | b | c | d) < N_KNOWN_NUMBERS && k + 4 <= (Counter)N_KNOWN_PLACES;
    sum += known ? NUMBER_HASHES[a] * MULTIPLIERS[k] + NUMBER_HASHES[b] * MULTIPLIERS[k + 1] +
                       NUMBER_HASHES[c] * MULTIPLIERS[k + 2] + NUMBER_HASHES[d] * MULTIPLIERS[k + 3]
                 : hash_number(a) * multiplier(k) + hash_number(b) * multiplier(k + 1) +
                       hash_number(c) * multiplier(k + 2) + hash_number(d) * multiplier(k + 3);
  }
  for (; k < (Counter)n; k++) sum += hash_number(numbers[k]) * multiplier(k);
  return sum;
}
ARC_FN u64 hash_pair(i64 row, i64 column) {
  return close_hash(HASH_TUPLE, 2, hash_number(row) * multiplier(0) + hash_number(column) * multiplier(1));
}
ARC_FN u64 hash_location(Key key) { return hash_pair(row_of(key), column_of(key)); }
ARC_FN u64 hash_cell(Key key) {
  return close_hash(HASH_TUPLE, 2,
                    hash_number(color_of(key)) * multiplier(0) + hash_location(key) * multiplier(1));
}
// A hash of a primitive's name; see table.hpp.
ARC_FN u64 hash_name(u32 primitive);

// The sum of f(k) for all k below n, by one thread or by all.
template <bool ALONE, class F>
ARC_FN u64 hash_sum(i64 n, F f) {
  if (!ALONE) return (u64)total(n, f);
  u64 sum = 0;
  for (i64 k = 0; k < n; k++) sum += f(k);
  return sum;
}
// Returns whether the members of a value are stored as values.
ARC_FN bool has_members(const Value& v) {
  return v.n && (v.kind == TUPLE || v.kind == SET || v.kind == FUNCTION);
}
// The hash of a value without such members.
template <bool ALONE>
ARC_FN u64 hash_without_members(const Value& v) {
  switch (v.kind) {
    case NONE: return close_hash(HASH_NONE, 0, 0);
    case INT: return hash_number(v.number);
    case PAIR: return hash_location(v.key);
    case CELL: return hash_cell(v.key);
    case INTS:
      return close_hash(HASH_TUPLE, v.n, hash_sum<ALONE>(v.n, [&](i64 k) {
                          return hash_number(v.ints[k]) * multiplier(k);
                        }));
    case INTSET:
      return close_hash(HASH_SET, v.n,
                        hash_sum<ALONE>(v.n, [&](i64 k) { return mix(hash_number(v.ints[k])); }));
    case INDICES:
      return close_hash(HASH_SET, v.n,
                        hash_sum<ALONE>(v.n, [&](i64 k) { return mix(hash_location(v.keys[k])); }));
    case OBJECT:
      return close_hash(HASH_SET, v.n,
                        hash_sum<ALONE>(v.n, [&](i64 k) { return mix(hash_cell(v.keys[k])); }));
    case GRID: {
      const i64 width = width_of(v);
      const auto hash_of_row = [&](i64 i) {
        return close_hash(HASH_TUPLE, width, hash_numbers(v.ints + i * width, width));
      };
#if defined(__CUDACC__)
      const u64 sum = hash_sum<ALONE>(v.n, [&](i64 i) { return hash_of_row(i) * multiplier(i); });
#else
      // Large grids consist of a few rows that are repeated.
      u64 sum = 0, hash = 0;
      for (i64 i = 0; i < v.n; i++) {
        const i32* row = v.ints + i * width;
        if (!i || std::memcmp(row - width, row, (u64)width * sizeof(i32))) hash = hash_of_row(i);
        sum += hash * multiplier(i);
      }
#endif
      return close_hash(HASH_TUPLE, v.n, sum);
    }
    case TUPLE: return close_hash(HASH_TUPLE, 0, 0);
    case SET: return close_hash(HASH_SET, 0, 0);
    case FUNCTION: return close_hash(HASH_FUNCTION, 0, hash_name(v.aux));
    default: return 0;
  }
}
// The part of the k-th member in a value's hash, and the hash of the sum of all parts.
ARC_FN u64 hash_of_member(const Value& v, u64 hash, u64 k) { return v.kind == SET ? mix(hash) : hash * multiplier(k); }
ARC_FN u64 hash_of_members(const Value& v, u64 sum) {
  if (v.kind == FUNCTION) return close_hash(HASH_FUNCTION, v.n, hash_name(v.aux) + sum);
  return close_hash(v.kind == SET ? HASH_SET : HASH_TUPLE, v.n, sum);
}
// The hash of a value, computed by one thread; not recursive, like compare_alone.
ARC_NOINLINE u64 hash_alone(const Value& value) {
  struct Level {  // a container, the current member, and the sum over the members before it
    Value v;
    u64 sum;
    u32 k;
  };
  if (!has_members(value)) return hash_without_members<true>(value);
  Level levels[MAX_DEPTH];
  levels[0] = {value, 0, 0};
  for (int depth = 1;;) {
    Level& level = levels[depth - 1];
    const Value next = level.v.members()[level.k];
    if (has_members(next)) {
      levels[depth++] = {next, 0, 0};
      continue;
    }
    u64 hash = hash_without_members<true>(next);
    for (;; depth--) {
      if (!depth) return hash;
      Level& above = levels[depth - 1];
      above.sum += hash_of_member(above.v, hash, above.k);
      if (++above.k < above.v.n) break;
      hash = hash_of_members(above.v, above.sum);
    }
  }
}
// The hash of a value, computed by all threads.
ARC_NOINLINE u64 hash_together(const Value& v) {
  if (!has_members(v)) return hash_without_members<false>(v);
  const Value* members = v.members();
  const i64 n = v.n;
  u64 sum = 0;
  // Small members are hashed by one thread each, large ones by all threads, one after the other.
  constexpr u64 LARGE_MEMBER = 4 * W;
  const u64 together = n < MANY_MEMBERS ? 0 : LARGE_MEMBER;
  if (together)
    sum = (u64)total(n, [&](i64 k) {
      return weight_of(members[k]) < together ? hash_of_member(v, hash_alone(members[k]), (u64)k) : 0;
    });
  for (i64 k = 0;; k++) {
    k += first_where(n - k, [=](i64 j) { return weight_of(members[k + j]) >= together; });
    if (k >= n) return hash_of_members(v, sum);
    sum += hash_of_member(v, hash_together(members[k]), (u64)k);
  }
}
ARC_FN u64 hash_of(const Value& v) { return W == 1 ? hash_alone(v) : hash_together(v); }

}  // namespace arc
