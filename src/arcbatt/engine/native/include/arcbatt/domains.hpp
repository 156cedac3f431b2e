// Domains of arguments: the checks of language/domains.py, by the forms that values have.
#pragma once
#include "build.hpp"

namespace arc {

enum Domain : u8 {
  ANYTHING,
  NUMBER,
  LOCATION,
  NUMERICAL,
  ANY_TUPLE,
  ANY_SET,
  ANY_CONTAINER,
  CONTAINERS,
  ANY_FUNCTION,
  FUNCTIONS,
  PATCH,
  CELLS,
  OBJECTS,
  ROWS,
  A_GRID,
  PIECE,
  ELEMENT,
  DEMOS,
  PICTURE,
  PICTURES,
};

ARC_FN bool is_empty_container(const Value& v) { return is_container(v) && v.n == 0; }
// A tuple of cells; the empty one too.
ARC_FN bool is_cell_tuple(const Value& v) { return v.kind == TUPLE && is_kind(v.members(), v.n, CELL); }
ARC_FN bool is_cells(const Value& v) {
  return v.kind == OBJECT || is_empty_container(v) || is_cell_tuple(v);
}
ARC_FN bool is_patch(const Value& v) {
  return v.kind == INDICES || (v.kind == GRID && v.aux == 2) || is_cells(v);
}
ARC_FN bool is_rows(const Value& v) {
  return v.kind == GRID ||
         (v.kind == TUPLE && !any(v.n, [&](i64 k) { return !is_tuple(v.members()[k]); }));
}
// A row of a grid: numbers, or nothing.
ARC_FN bool is_number_row(const Value& v) {
  return v.kind == INTS || v.kind == PAIR || (v.kind == TUPLE && v.n == 0);
}
ARC_FN bool is_grid(const Value& v) {
  return v.kind == GRID ||
         (v.kind == TUPLE && !any(v.n, [&](i64 k) { return !is_number_row(v.members()[k]); }));
}
ARC_FN bool is_demo(const Value& v) {
  return v.kind == TUPLE && v.n == 2 && is_grid(v.members()[0]) && is_grid(v.members()[1]);
}

// A place and a grid of colors, or one without cells.
ARC_FN bool is_picture(const Value& v) {
  if (v.kind != TUPLE || v.n != 2 || v.members()[0].kind != PAIR) return false;
  const Value grid = v.members()[1];
  if (grid.kind == TUPLE) return grid.n == 0;
  return grid.kind == GRID &&
         !any((i64)grid.n * width_of(grid), [&](i64 k) { return (u32)grid.ints[k] > 9; });
}

ARC_FN bool fits(const Value& v, Domain domain) {
  switch (domain) {
    case ANYTHING: return true;
    case NUMBER: return v.kind == INT;
    case LOCATION: return v.kind == PAIR;
    case NUMERICAL: return v.kind == INT || v.kind == PAIR;
    case ANY_TUPLE: return is_tuple(v);
    case ANY_SET: return is_set(v);
    case ANY_CONTAINER: return is_container(v);
    case CONTAINERS:
      return v.kind == GRID || v.kind == INDICES || v.kind == OBJECT ||
             ((v.kind == TUPLE || v.kind == SET) &&
              !any(v.n, [&](i64 k) { return !is_container(v.members()[k]); }));
    case ANY_FUNCTION: return v.kind == FUNCTION;
    case FUNCTIONS:
      return (v.kind == TUPLE || v.kind == SET) && is_kind(v.members(), v.n, FUNCTION);
    case PATCH: return is_patch(v);
    case CELLS: return is_cells(v);
    case OBJECTS:
      if (v.kind != TUPLE && v.kind != SET) return false;
      if (is_kind(v.members(), v.n, OBJECT)) return true;
      for (u32 k = 0; k < v.n; k++)
        if (!is_cells(v.members()[k])) return false;
      return true;
    case ROWS: return is_rows(v);
    case A_GRID: return is_grid(v);
    case PIECE: return is_tuple(v) || v.kind == INDICES || v.kind == OBJECT || is_empty_container(v);
    case ELEMENT: return is_set(v) ? v.kind == OBJECT || v.n == 0 : is_grid(v);
    case DEMOS:
      if (v.kind != TUPLE) return false;
      for (u32 k = 0; k < v.n; k++)
        if (!is_demo(v.members()[k])) return false;
      return true;
    case PICTURE: return is_picture(v);
    case PICTURES:
      if (v.kind != SET) return false;
      for (u32 k = 0; k < v.n; k++)
        if (!is_picture(v.members()[k])) return false;
      return true;
  }
  return false;
}

// The kinds of values, as bits, that belong to a domain whatever they hold; the highest bit stands for the
// empty set.
constexpr u32 OF_EMPTY_SET = 1u << 31;
ARC_FN constexpr u32 kinds_of(Domain domain) {
  constexpr u32 tuples = 1u << PAIR | 1u << CELL | 1u << INTS | 1u << GRID | 1u << TUPLE;
  constexpr u32 sets = 1u << INDICES | 1u << OBJECT | 1u << INTSET | 1u << SET;
  switch (domain) {
    case ANYTHING: return (1u << FAIL) - 1;
    case NUMBER: return 1u << INT;
    case LOCATION: return 1u << PAIR;
    case NUMERICAL: return 1u << INT | 1u << PAIR;
    case ANY_TUPLE: return tuples;
    case ANY_SET: return sets;
    case ANY_CONTAINER: return tuples | sets;
    case CONTAINERS: return 1u << GRID | 1u << INDICES | 1u << OBJECT | OF_EMPTY_SET;
    case ANY_FUNCTION: return 1u << FUNCTION;
    case PATCH: return 1u << INDICES | 1u << OBJECT | OF_EMPTY_SET;
    case CELLS: return 1u << OBJECT | OF_EMPTY_SET;
    case OBJECTS: return OF_EMPTY_SET;
    case ROWS:
    case A_GRID: return 1u << GRID;
    case PIECE: return tuples | 1u << INDICES | 1u << OBJECT | OF_EMPTY_SET;
    case ELEMENT: return 1u << GRID | 1u << OBJECT | OF_EMPTY_SET;
    default: return 0;
  }
}
ARC_FN bool surely_fits(const Value& v, u32 kinds) {
  return kinds >> v.kind & 1 || (kinds & OF_EMPTY_SET && v.kind == SET && v.n == 0);
}
// Whether a domain's values are numbers that stand in the value itself.
ARC_FN constexpr bool is_number_domain(Domain domain) { return domain == NUMBER || domain == LOCATION || domain == NUMERICAL; }

#if !defined(ARC_FLAT)
constexpr u32 N_DOMAINS = PICTURES + 1;
struct SureKinds {
  u32 kinds[N_DOMAINS];
  constexpr SureKinds() : kinds() {
    for (u32 k = 0; k < N_DOMAINS; k++) kinds[k] = kinds_of((Domain)k);
  }
};
static constexpr SureKinds SURE_KINDS;
ARC_NOINLINE bool belongs_by_members(const Value& v, Domain domain) { return fits(v, domain); }
// The same as `fits` for a domain that is not known at compile time.
ARC_FN bool belongs(const Value& v, Domain domain) {
  return surely_fits(v, SURE_KINDS.kinds[domain]) || belongs_by_members(v, domain);
}
#endif

}  // namespace arc
