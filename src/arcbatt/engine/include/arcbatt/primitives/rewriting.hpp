// Rewriting until nothing changes: as language/primitives/rewriting.py.
#pragma once
#include "../observations.hpp"

namespace arc {

constexpr i32 SAME_COLOR = 11, ANY_COLOR = 12;
constexpr i64 NUMBERS_A_RULE = 8;
constexpr int MAX_WANTED = 3, MAX_RULES = 6, MAX_SOUGHT = 8, MAX_ATTEMPTS = 4;
constexpr i64 MAX_KINDS = 2048, KIND_SLOTS = 4096;
constexpr u64 ONE_EACH = 0x1111111111111111ULL;

// The identity, left to right, top to bottom, both, and the transposed ones: rows of TURNS_AROUND.
ARC_TABLE(u8, REWRITE_TURNS) = {1, 0, 2, 3, 4, 5, 6, 7};
// The place that a turn brings to stand at a place.
ARC_FN int turned_place(int turn, int place) {
  return (place & 8) | TURNS_AROUND[8 * REWRITE_TURNS[turn] + (place & 7)];
}
ARC_FN i64 near_column(int place) { return (i64)column_step(place & 7) * (1 + (place >> 3)); }

// What is seen near a cell: 4 bits for each place.
ARC_FN u64 see_near(const i32* cells, i64 n_rows, i64 width, i64 at, int n_places) {
  const i64 row = at / width, column = at % width;
  u64 seen = 0;
  for (int k = 0; k < n_places; k++) {
    const i64 i = row + row_step(k & 7) * (1 + (k >> 3)), j = column + near_column(k);
    const bool inside = (u64)i < (u64)n_rows && (u64)j < (u64)width;
    seen |= (u64)(inside ? cells[i * width + j] : OUTSIDE_COLOR) << 4 * k;
  }
  return seen;
}

// What a cell becomes by the first rule, and the first turn of it, that holds; -1 if none does.
ARC_FN i32 become(const i32* rules, i64 n_rules, int n_turns, i32 own, u64 seen) {
  for (i64 r = 0; r < n_rules; r++) {
    const i32* rule = rules + r * NUMBERS_A_RULE;
    if (rule[0] != own) continue;
    for (int turn = 0; turn < n_turns; turn++) {
      i32 some = -1;
      bool holds = true;
      for (int k = 0; k < MAX_WANTED && holds; k++) {
        const i32 place = rule[2 + 2 * k], look = rule[3 + 2 * k];
        if (place < 0) continue;
        const i32 there = (i32)(seen >> 4 * turned_place(turn, place) & 15);
        if (look < SAME_COLOR) {
          holds = there == look;
        } else {
          holds = there != own && there != OUTSIDE_COLOR;
          if (look == SAME_COLOR) {
            holds = holds && (some < 0 || some == there);
            some = there;
          }
        }
      }
      const i32 color = rule[1] == SAME_COLOR ? some : rule[1];
      if (holds && color >= 0 && color != own) return color;
    }
  }
  return -1;
}

// A grid that is being rewritten.
struct Rewritten {
  i32* cells = nullptr;
  u8* marks = nullptr;  // 1: it has changed; 2: to be looked at
  i64 n_rows = 0, width = 0;
  ARC_FN i64 n_cells() const { return n_rows * width; }
};
enum Mark : u8 { CHANGED = 1, LOOK_AT = 2 };

struct NewColor {
  i32 at, color;
};

// What cells become now, of those to be looked at; how many.
ARC_FN i64 rewrite_round(const Rewritten& state, const i32* rules, i64 n_rules, int n_turns, NewColor* found) {
  i64 n = 0;
  for (i64 k = 0; k < state.n_cells(); k++) {
    if (state.marks[k] != LOOK_AT) continue;
    bool is_ruled = false;
    for (i64 r = 0; r < n_rules; r++) is_ruled |= rules[r * NUMBERS_A_RULE] == state.cells[k];
    if (!is_ruled) continue;
    const u64 seen = see_near(state.cells, state.n_rows, state.width, k, 16);
    const i32 color = become(rules, n_rules, n_turns, state.cells[k], seen);
    if (color >= 0) found[n++] = {(i32)k, color};
  }
  return n;
}
// Changes cells, and marks those whose surroundings are other than before.
ARC_FN void change_cells(const Rewritten& state, const NewColor* found, i64 n) {
  for (i64 k = 0; k < state.n_cells(); k++) state.marks[k] &= (u8)CHANGED;
  for (i64 f = 0; f < n; f++) {
    state.cells[found[f].at] = found[f].color;
    state.marks[found[f].at] = CHANGED;
    const i64 row = found[f].at / state.width, column = found[f].at % state.width;
    for (int p = 0; p < 16; p++) {
      const i64 i = row + row_step(p & 7) * (1 + (p >> 3)), j = column + near_column(p);
      if ((u64)i < (u64)state.n_rows && (u64)j < (u64)state.width) {
        u8& mark = state.marks[i * state.width + j];
        if (!(mark & CHANGED)) mark = LOOK_AT;
      }
    }
  }
}
ARC_FN void look_everywhere(const Rewritten& state) {
  for (i64 k = 0; k < state.n_cells(); k++)
    if (!(state.marks[k] & CHANGED)) state.marks[k] = LOOK_AT;
}

// --- learning ---

// A bit for each place, of 16, at which the same is seen.
ARC_FN u32 equal_places(u64 a, u64 b) {
  u64 x = a ^ b;
  x = ~(x | x >> 1 | x >> 2 | x >> 3) & ONE_EACH;
  x = (x | x >> 3) & 0x0303030303030303ULL;
  x = (x | x >> 6) & 0x000f000f000f000fULL;
  x = (x | x >> 12) & 0x000000ff000000ffULL;
  return (u32)((x | x >> 24) & 0xffff);
}

// What a cell is, what it becomes, and how many are so; what is near it, in each turn, and the places
// there that have colours other than its own.
struct CellKind {
  i32 own, becomes, n;
  u64 views[8];
  u16 colors[8];
};
struct Kinds {
  CellKind* kinds = nullptr;
  i32* slots = nullptr;  // -1, or the place of a kind
  i64 n = 0;
  int n_places = 8, n_turns = 1;

  ARC_FN void clear() {
    n = 0;
    for (i64 k = 0; k < KIND_SLOTS; k++) slots[k] = -1;
  }
  // False when they are too many.
  ARC_FN bool add(i32 own, i32 becomes, u64 view) {
    u64 slot = mix_bits(view ^ (u64)(own * 10 + becomes) * 0x9e3779b97f4a7c15ULL) & (KIND_SLOTS - 1);
    for (; slots[slot] >= 0; slot = (slot + 1) & (KIND_SLOTS - 1)) {
      CellKind& kind = kinds[slots[slot]];
      if (kind.views[0] == view && kind.own == own && kind.becomes == becomes) {
        kind.n++;
        return true;
      }
    }
    if (n == MAX_KINDS) return false;
    slots[slot] = (i32)n;
    CellKind& kind = kinds[n++];
    kind.own = own;
    kind.becomes = becomes;
    kind.n = 1;
    for (int turn = 0; turn < n_turns; turn++) {
      u64 turned = 0;
      for (int k = 0; k < n_places; k++) turned |= (view >> 4 * turned_place(turn, k) & 15) << 4 * k;
      kind.views[turn] = turned;
      kind.colors[turn] = (u16)(((1u << n_places) - 1) & ~equal_places(turned, (u64)own * ONE_EACH) &
                                ~equal_places(turned, OUTSIDE_COLOR * ONE_EACH));
    }
    return true;
  }
};
ARC_FN Kinds new_kinds(Lane& lane, int n_places, int n_turns) {
  Kinds kinds;
  kinds.n_places = n_places;
  kinds.n_turns = n_turns;
  kinds.kinds = lane.allocate_array<CellKind>(MAX_KINDS);
  kinds.slots = lane.allocate_array<i32>(KIND_SLOTS);
  if (!kinds.kinds) kinds.slots = nullptr;
  return kinds;
}

struct CellSample {
  u64 view;
  i32 own, becomes;
  u32 ones, same, any;
};

// What learning needs besides the states.
struct RuleSearch {
  Kinds met, left, ends;
  i32 n_places = 8;
  int n_turns = 1;
  u32* seen = nullptr;    // a bit for each set of places
  i32* counts = nullptr;  // for each set of places how many cells
  u16* masks = nullptr;   // the sets that have such
};

// f(places, n) for other cells, in each turn, of which a rule would be right, or wrong: see `alike` of the
// definition.
template <class F>
ARC_FN void each_alike(const CellSample& s, const Kinds& kinds, bool is_right, F f) {
  for (i64 e = 0; e < kinds.n; e++) {
    const CellKind& kind = kinds.kinds[e];
    if (kind.own != s.own || (!s.same && (kind.becomes == s.becomes) != is_right)) continue;
    for (int turn = 0; turn < kinds.n_turns; turn++) {
      const u64 view = kind.views[turn];
      const u32 colors = kind.colors[turn];
      const u32 alike = (equal_places(view, s.view) & s.ones & ~s.any) | (colors & s.any);
      if (!s.same) {
        f(alike, kind.n);
        continue;
      }
      for (u32 shown = colors & s.same; shown;) {
        const i32 color = (i32)(view >> 4 * lowest_bit(shown) & 15);
        const u32 here = equal_places(view, (u64)color * ONE_EACH) & shown;
        shown &= ~here;
        if ((kind.becomes == color) == is_right) f((alike & ~s.same) | here, kind.n);
      }
    }
  }
}

struct BestRule {
  i64 worth = -1;  // with its rank in the lowest two bits
  i32 numbers[NUMBERS_A_RULE] = {};
};

// Takes the best rule about a cell like the sample if it is better than what there is.
ARC_NOINLINE void seek_from(const RuleSearch& search, const CellSample& s, int rank, BestRule& best) {
  const int n = search.n_places;
  // For places: all those of which some cell that would be wrong has them and these.
  u32 refused_1 = 0, refused_2[16] = {}, refused_3[16][16] = {};
  for (i64 k = 0; k < ((i64)1 << n) / 32; k++) search.seen[k] = 0;
  each_alike(s, search.met, false, [&](u32 mask, i32) {
    if (search.seen[mask >> 5] >> (mask & 31) & 1) return;
    search.seen[mask >> 5] |= 1u << (mask & 31);
    refused_1 |= mask;
    for (u32 a = mask; a; a &= a - 1) {
      u32* with_a = refused_3[lowest_bit(a)];
      refused_2[lowest_bit(a)] |= mask;
      for (u32 b = a & (a - 1); b; b &= b - 1) with_a[lowest_bit(b)] |= mask;
    }
  });
  i64 n_masks = -1;
  auto consider = [&](u32 places, int n_wanted) {
    if ((s.same && !(places & s.same)) || (s.any && !(places & s.any))) return;
    if (n_masks < 0) {
      n_masks = 0;
      auto count = [&](u32 mask, i32 n_cells) {
        if (!search.counts[mask]) search.masks[n_masks++] = (u16)mask;
        search.counts[mask] += n_cells;
      };
      each_alike(s, search.left, true, count);
      each_alike(s, search.ends, true, count);
    }
    i64 n_right = 0;
    for (i64 m = 0; m < n_masks; m++)
      if ((search.masks[m] & places) == places) n_right += search.counts[search.masks[m]];
    const i64 cost = 1 + n_wanted + count_bits(places >> 8);
    const i64 worth = n_right * 16 / cost << 2 | rank;
    if (worth <= best.worth) return;
    best.worth = worth;
    best.numbers[0] = s.own;
    best.numbers[1] = s.same ? SAME_COLOR : s.becomes;
    for (int k = 2; k < NUMBERS_A_RULE; k++) best.numbers[k] = -1;
    i32* next = best.numbers + 2;
    for (u32 rest = places; rest; rest &= rest - 1) {
      const int k = lowest_bit(rest);
      *next++ = k;
      *next++ = s.same >> k & 1 ? SAME_COLOR : s.any >> k & 1 ? ANY_COLOR : (i32)(s.view >> 4 * k & 15);
    }
  };
  for (int a = 0; a < n; a++)
    if (!(refused_1 >> a & 1)) consider(1u << a, 1);
  for (int a = 0; a < n; a++)
    for (u32 rest = s.ones & ~refused_2[a] & ~((2u << a) - 1); rest; rest &= rest - 1)
      consider(1u << a | (rest & (~rest + 1)), 2);
  for (int a = 0; a < n; a++)
    for (int b = a + 1; b < n; b++)
      for (u32 rest = s.ones & ~refused_3[a][b] & ~((2u << b) - 1); rest; rest &= rest - 1)
        consider(1u << a | 1u << b | (rest & (~rest + 1)), 3);
  for (i64 m = 0; m < n_masks; m++) search.counts[search.masks[m]] = 0;
}

// The best rule for one of the first kinds that are left; false where there is none.
ARC_FN bool seek_rule(const RuleSearch& search, i32* numbers) {
  BestRule best;
  const u32 ones = (1u << search.n_places) - 1;
  int n_sought = 0;
  for (i64 e = 0; e < search.left.n && n_sought < MAX_SOUGHT; e++) {
    const CellKind& kind = search.left.kinds[e];
    const u32 same = equal_places(kind.views[0], (u64)kind.becomes * ONE_EACH) & ones;
    const u32 colors = kind.colors[0];
    if (!colors) continue;
    n_sought++;
    const u32 others = colors & ~same;
    CellSample sample = {kind.views[0], kind.own, kind.becomes, ones, 0, 0};
    seek_from(search, sample, 2, best);
    sample.same = same;
    if (same) seek_from(search, sample, 3, best);
    sample.any = others;
    if (others) seek_from(search, sample, 1, best);
  }
  for (int k = 0; k < NUMBERS_A_RULE; k++) numbers[k] = best.numbers[k];
  return best.worth >= 0;
}

// The demos, and how far each is rewritten.
struct RewriteLesson {
  const Value* demos = nullptr;
  i64 n_demos = 0, n_cells = 0, most_cells = 0;
  u32 changing = 0;
  Rewritten* states = nullptr;
  NewColor* found = nullptr;
  ARC_FN const i32* given(i64 d) const { return demo_side(*demos, d, 0).cells; }
  ARC_FN const i32* wanted(i64 d) const { return demo_side(*demos, d, 1).cells; }
};

ARC_FN bool meet_demos(const RewriteLesson& lesson, RuleSearch& search) {
  search.met.clear();
  search.ends.clear();
  for (i64 d = 0; d < lesson.n_demos; d++) {
    const i32 *given = lesson.given(d), *wanted = lesson.wanted(d);
    const Rewritten& state = lesson.states[d];
    for (i64 k = 0; k < state.n_cells(); k++) {
      if (!(lesson.changing >> given[k] & 1)) continue;
      const bool stays = given[k] == wanted[k];
      if (!search.met.add(given[k], wanted[k], see_near(given, state.n_rows, state.width, k, search.n_places)))
        return false;
      const u64 in_the_end = see_near(wanted, state.n_rows, state.width, k, search.n_places);
      if (!(stays ? search.met : search.ends).add(given[k], wanted[k], in_the_end)) return false;
    }
  }
  return true;
}

// left := the cells that are still to change, as they are now; false when they are too many.
ARC_FN bool find_left(const RewriteLesson& lesson, RuleSearch& search, bool is_met) {
  search.left.clear();
  for (i64 d = 0; d < lesson.n_demos; d++) {
    const Rewritten& state = lesson.states[d];
    const i32* wanted = lesson.wanted(d);
    for (i64 k = 0; k < state.n_cells(); k++) {
      const i32 own = state.cells[k];
      if (state.marks[k] & CHANGED || !(lesson.changing >> own & 1)) continue;
      if (!is_met && own == wanted[k]) continue;
      const u64 seen = see_near(state.cells, state.n_rows, state.width, k, search.n_places);
      if (is_met && !search.met.add(own, wanted[k], seen)) return false;
      if (own != wanted[k] && !search.left.add(own, wanted[k], seen)) return false;
    }
  }
  return true;
}

enum Course : u8 { RIGHT, WRONG, TOO_MANY };

// Rewrites one demo as far as it goes; what was wrong is met.
ARC_FN Course rewrite_demo(const RewriteLesson& lesson, RuleSearch& search, i64 d, const i32* rules,
                            i64 n_rules) {
  const Rewritten& state = lesson.states[d];
  const i32* wanted = lesson.wanted(d);
  look_everywhere(state);
  for (;;) {
    const i64 n = rewrite_round(state, rules, n_rules, search.n_turns, lesson.found);
    if (!n) return RIGHT;
    bool is_wrong = false;
    for (i64 f = 0; f < n; f++) {
      const i64 at = lesson.found[f].at;
      if (lesson.found[f].color == wanted[at]) continue;
      is_wrong = true;
      const u64 seen = see_near(state.cells, state.n_rows, state.width, at, search.n_places);
      if (!search.met.add(state.cells[at], wanted[at], seen)) return TOO_MANY;
    }
    if (is_wrong) return WRONG;
    change_cells(state, lesson.found, n);
  }
}

// Learns rules in one thread; how many there are, or -1. `n_charged` counts what is to be charged for.
ARC_NOINLINE i64 learn_rules(const RewriteLesson& lesson, RuleSearch& search, i32* rules, i64& n_charged,
                             i64 max_charged) {
  if (!meet_demos(lesson, search)) return -1;
  for (i64 k = 0; k < (i64)1 << search.n_places; k++) search.counts[k] = 0;
  for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    for (i64 d = 0; d < lesson.n_demos; d++)
      for (i64 k = 0; k < lesson.states[d].n_cells(); k++) {
        lesson.states[d].cells[k] = lesson.given(d)[k];
        lesson.states[d].marks[k] = 0;
      }
    Course course = RIGHT;
    for (i64 n_rules = 0; course == RIGHT; n_rules++) {
      if (!find_left(lesson, search, n_rules > 0)) return -1;
      if (!search.left.n) return n_rules;
      if (n_rules == MAX_RULES) return -1;
      n_charged += lesson.n_cells;
      if (n_charged > max_charged) return -1;
      if (!seek_rule(search, rules + n_rules * NUMBERS_A_RULE)) return -1;
      for (i64 d = 0; d < lesson.n_demos && course == RIGHT; d++)
        course = rewrite_demo(lesson, search, d, rules, n_rules + 1);
      if (course == TOO_MANY) return -1;
    }
  }
  return -1;
}

// How many rules were learnt, -1 for none, -2 when memory ran out.
ARC_FN i64 learn_rewrites_in(Lane& lane, RewriteLesson& lesson, i64 code, i32* rules) {
  RuleSearch search;
  search.n_places = code < 4 ? 8 : 16;
  search.n_turns = 1 << (code & 3);
  search.met = new_kinds(lane, search.n_places, search.n_turns);
  search.left = new_kinds(lane, search.n_places, search.n_turns);
  search.ends = new_kinds(lane, search.n_places, search.n_turns);
  const i64 n_sets = (i64)1 << search.n_places;
  search.seen = lane.allocate_array<u32>(n_sets / 32);
  search.counts = lane.allocate_array<i32>(n_sets);
  search.masks = lane.allocate_array<u16>(n_sets);
  lesson.states = lane.allocate_array<Rewritten>(lesson.n_demos);
  lesson.found = lane.allocate_array<NewColor>(lesson.most_cells);
  i32* cells = lane.allocate_array<i32>(lesson.n_cells);
  u8* marks = lane.allocate_array<u8>(lesson.n_cells);
  i64* charged = lane.allocate_array<i64>(1);
  if (!search.met.slots || !search.left.slots || !search.ends.slots || !search.seen || !search.counts ||
      !search.masks || !lesson.states || !lesson.found || !cells || !marks || !charged)
    return -2;
  const i64 max_charged = lane.steps < lane.max_steps ? (i64)(lane.max_steps - lane.steps) : 0;
  const i64 n_rules = serial([&]() {
    i64 first = 0;
    for (i64 d = 0; d < lesson.n_demos; d++) {
      const Scene scene = demo_side(*lesson.demos, d, 0);
      Rewritten& state = lesson.states[d];
      state.cells = cells + first;
      state.marks = marks + first;
      state.n_rows = scene.n_rows;
      state.width = scene.width;
      first += scene.n_cells();
    }
    *charged = 0;
    return learn_rules(lesson, search, rules, *charged, max_charged);
  });
  return lane.charge((u64)*charged) ? n_rules : -2;
}

ARC_FN Value prim_learn_rewrites(Lane& lane, const Value* a) {
  const Value demos = a[0];
  const i64 code = a[1].number;
  if (!are_color_demos(demos)) return fail(WRONG_TYPE);
  RewriteLesson lesson;
  lesson.demos = &demos;
  lesson.n_demos = demos.n;
  for (i64 d = 0; d < lesson.n_demos; d++) {
    if (!same_size(demo_side(demos, d, 0), demo_side(demos, d, 1))) return fail(EMPTY);
    const i64 n = demo_side(demos, d, 0).n_cells();
    lesson.n_cells += n;
    lesson.most_cells = max_of(lesson.most_cells, n);
  }
  for (i64 d = 0; d < lesson.n_demos; d++) {
    const i32 *given = lesson.given(d), *wanted = lesson.wanted(d);
    lesson.changing |= (u32)fold(
        demo_side(demos, d, 0).n_cells(), 0,
        [=](i64 k) { return (i64)(given[k] != wanted[k]) << given[k]; }, [](i64 x, i64 y) { return x | y; });
  }
  if (!lesson.changing) return fail(EMPTY);
  ARC_CHARGE((u64)lesson.n_cells);
  ARC_ALLOCATE(numbers, i32, 1 + MAX_RULES * NUMBERS_A_RULE);
  const Scratch scratch(lane);
  const i64 n_rules = learn_rewrites_in(lane, lesson, code, numbers + 1);
  scratch.give_back(lane);
  if (n_rules < 0) return fail(n_rules == -1 ? EMPTY : OVER_BUDGET);
  serial([&]() { return (i64)(numbers[0] = (i32)(code & 3)); });
  return ints_value(INTS, numbers, (u32)(1 + n_rules * NUMBERS_A_RULE));
}

// --- rewriting ---

ARC_FN bool are_rules(const i32* numbers, i64 n) {
  if (n % NUMBERS_A_RULE != 1 || (u32)numbers[0] > 3) return false;
  return !any(n / NUMBERS_A_RULE, [=](i64 r) {
    const i32* rule = numbers + 1 + r * NUMBERS_A_RULE;
    bool holds = (u32)rule[0] <= 9 && ((u32)rule[1] <= 9 || rule[1] == SAME_COLOR);
    for (int k = 2; k < NUMBERS_A_RULE; k += 2)
      holds &= rule[k] >= -1 && rule[k] < 16 && rule[k + 1] >= -1 && rule[k + 1] <= ANY_COLOR;
    return !holds;
  });
}

ARC_FN Value prim_rewrite(Lane& lane, const Value* a) {
  const Value numbers = a[0], grid = a[1];
  // A pair, or nothing, are numbers too, but no rules.
  const bool are_few = numbers.kind == PAIR || (numbers.kind == TUPLE && numbers.n == 0);
  if ((numbers.kind != INTS && !are_few) || !is_color_grid(grid)) return fail(WRONG_TYPE);
  if (are_few || !are_rules(numbers.ints, numbers.n)) return fail(OUT_OF_RANGE);
  const i64 n_rules = numbers.n / NUMBERS_A_RULE, n = (i64)grid.n * width_of(grid);
  ARC_CHARGE((u64)n_rules * (u64)n);
  ARC_ALLOCATE(cells, i32, n);
  const Scratch scratch(lane);
  Rewritten state;
  state.cells = cells;
  state.marks = lane.allocate_array<u8>(n);
  state.n_rows = grid.n;
  state.width = width_of(grid);
  NewColor* found = lane.allocate_array<NewColor>(n);
  if (!state.marks || !found) return fail(OVER_BUDGET);
  copy(cells, grid.ints, n);
  serial([&]() {
    for (i64 k = 0; k < n; k++) state.marks[k] = LOOK_AT;
    for (;;) {
      const i64 n_found = rewrite_round(state, numbers.ints + 1, n_rules, 1 << numbers.ints[0], found);
      if (!n_found) return (i64)0;
      change_cells(state, found, n_found);
    }
  });
  scratch.give_back(lane);
  return grid_value(cells, grid.n, (u32)width_of(grid));
}

}  // namespace arc
