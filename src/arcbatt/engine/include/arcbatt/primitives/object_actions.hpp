// What becomes of a grid's objects: as language/primitives/object_actions.py.
#pragma once
#include "../object_drawing.hpp"

namespace arc {
namespace actions {

// --- rules ---

constexpr i32 NODE = 4, ACTION = -1, AT_LEAST = 1;

// The node, an action, to which an object's description leads.
ARC_FN const i32* choose(const i32* rules, const i32* described) {
  i32 place = 1;
  while (rules[place] != ACTION) {
    const i32 number = described[rules[place]], value = rules[place + 2];
    const bool holds = rules[place + 1] == AT_LEAST ? number >= value : number == value;
    place = holds ? place + NODE : rules[place + 3];
  }
  return rules + place;
}

// to := the grid after all objects have acted; false where one cannot.
ARC_FN bool act(const Stage& stage, const i32* rules, const i32* described, const Room& room, i32* to) {
  const Scene& grid = stage.grid;
  for (i64 k = 0; k < grid.n_cells(); k++) to[k] = stage.labels[k] >= 0 ? stage.background : grid.cells[k];
  for (i32 layer = 0; layer < 3; layer++)
    for (i32 k = 0; k < stage.n; k++) {
      const Thing& own = stage.things[k];
      const i32* node = choose(rules, described + (i64)N_FEATURES * k);
      const i32 what = node[1], paint = node[2], copies = node[3];
      const bool adds = is_addition(what);
      if (layer == 1 && (adds || copies || (what == STAY && paint == OWN)))
        for (i32 c = 0; c < own.size; c++) {
          const i64 at = (i64)own.cells[c].row * grid.width + own.cells[c].column;
          to[at] = grid.cells[at];
        }
      if (layer != (adds ? 0 : what == STAY ? 1 : 2)) continue;
      const i32 color = paint_of(stage, own, paint);
      if (color == NO_PAINT) return false;
      const bool can = each_drawn(stage, own, what, room, [&](i32 i, i32 j, i32 own_color) {
        to[(i64)i * grid.width + j] = color == OWN_COLORS ? own_color : color;
        return true;
      });
      if (!can) return false;
    }
  return true;
}

ARC_FN bool are_rules(const i32* rules, i64 n) {
  if (n <= NODE || n % NODE != 1 || (u32)rules[0] >= 2 * N_SEGMENTATIONS) return false;
  for (i64 place = 1; place < n; place += NODE) {
    const i32 feature = rules[place], a = rules[place + 1], b = rules[place + 2], c = rules[place + 3];
    if (feature == ACTION) {
      if ((u32)a >= (u32)N_WHATS || (u32)b >= (u32)N_PAINTS || (u32)c > 1) return false;
    } else {
      if ((u32)feature >= (u32)N_FEATURES || (u32)a > 1 || place + NODE >= n) return false;
      if (c <= place || c >= n || c % NODE != 1) return false;
    }
  }
  return true;
}

// --- learning ---

constexpr i32 MAX_ACTIONS = 3, MAX_ROWS = 1000, MAX_TRIED = 4000, MAX_COVERS = 64, MAX_DEPTH = 4;
constexpr i32 MAX_GREEDY_ACTIONS = 6;
constexpr i32 MAX_NEW = 64;
constexpr i32 MAX_RULES = 1 + NODE * ((2 << MAX_DEPTH) - 1);
constexpr i32 N_ROW_SLOTS = 2048;
constexpr u32 ALL_COLORS = (1u << 10) - 1, OWN_AGREES = 1u << 10;
constexpr i32 MAX_WORDS = MAX_OBJECTS_IN_ALL / 64;

ARC_FN i32 count_set(u64 word) { return count_bits((u32)word) + count_bits((u32)(word >> 32)); }

struct Row {
  i32 what, paint, copies;
};

struct Lesson {
  Stage* stages = nullptr;
  i32 n_demos = 0, n = 0;        // n: of objects, in all
  i32 n_words = 0, n_all = 0;    // words of a set of objects; and of one of objects and new cells
  i64 most_cells = 0;
  Room room;
  i32* tried = nullptr;
  i32* n_new = nullptr;          // for each demo
  u16* agreeing = nullptr;       // [N_TRIED][n]
  u64* drawing = nullptr;        // [N_TRIED][n]
  i32* described = nullptr;      // [n][N_FEATURES]
  i32* new_cells = nullptr;      // most_cells
  u8* shown = nullptr;           // most_cells
  i32* drawn_grid = nullptr;     // most_cells
  // Rows: objects and new cells, then those objects that draw new cells.
  Row* rows = nullptr;
  u64* sets = nullptr;           // [MAX_ROWS][n_all]
  u64* busy = nullptr;           // [MAX_ROWS][n_words]
  i32* slots = nullptr;          // N_ROW_SLOTS
  i32 n_rows = 0;
  i32* counts = nullptr;         // for each object and new cell how many rows have it
  // Questions: feature, comparison and value; who says yes.
  i32* questions = nullptr;      // [n_questions][3]
  u64* holding = nullptr;        // [n_questions][n_words]
  i32* values = nullptr;         // n
  i64 n_questions = 0;
};

// How something done agrees with the output; `drawing` gets the new cells that are drawn.
ARC_FN u32 agree(const Lesson& lesson, const Stage& stage, const Thing& own, i32 what, u64& drawing) {
  drawing = 0;
  const Scene &grid = stage.grid, &wanted = stage.wanted;
  if (what == VANISH) {
    for (i32 k = 0; k < own.size; k++)
      if (wanted.cell(own.cells[k].row, own.cells[k].column) != stage.background) return 0;
    return OWN_AGREES;
  }
  if (is_addition(what))
    for (i32 k = 0; k < own.size; k++) {
      const Place at = own.cells[k];
      if (wanted.cell(at.row, at.column) != grid.cell(at.row, at.column)) return 0;
    }
  u32 agreeing = (ALL_COLORS | OWN_AGREES) & ~(1u << stage.background);
  u64 drawn = 0;
  bool any_new = false;
  const bool can = each_drawn(stage, own, what, lesson.room, [&](i32 i, i32 j, i32 own_color) {
    const i64 at = (i64)i * grid.width + j;
    const i32 color = wanted.cells[at];
    agreeing &= 1u << color | (color == own_color ? OWN_AGREES : 0);
    if (!agreeing) return false;
    const i32 number = lesson.new_cells[at];
    if (number >= 0) {
      any_new = true;
      if (number < MAX_NEW) drawn |= 1ULL << number;
    }
    return true;
  });
  if (!can || !agreeing) return 0;
  if (any_new)
    each_drawn(stage, own, what, lesson.room, [&](i32 i, i32 j, i32) {
      lesson.shown[(i64)i * grid.width + j] = 1;
      return true;
    });
  drawing = drawn;
  return agreeing;
}

// Finds what all objects may have done; false where something is not explained.
ARC_NOINLINE bool look_at_demos(Lesson& lesson) {
  list_tried(lesson.tried);
  for (i32 d = 0, first = 0; d < lesson.n_demos; first += lesson.stages[d].n, d++) {
    const Stage& stage = lesson.stages[d];
    find_references(stage);
    i32 n_new = 0;
    for (i64 k = 0; k < stage.grid.n_cells(); k++) {
      const i32 color = stage.wanted.cells[k];
      lesson.new_cells[k] = color != stage.grid.cells[k] && color != stage.background ? n_new++ : -1;
      lesson.shown[k] = 0;
    }
    lesson.n_new[d] = min_of(n_new, MAX_NEW);
    for (i32 t = 0; t < stage.n; t++) {
      bool can_act = false;
      for (i32 w = 0; w < N_TRIED; w++) {
        const i64 at = (i64)w * lesson.n + first + t;
        lesson.agreeing[at] = (u16)agree(lesson, stage, stage.things[t], lesson.tried[w], lesson.drawing[at]);
        can_act |= lesson.agreeing[at] != 0;
      }
      if (!can_act) return false;
    }
    for (i64 k = 0; k < stage.grid.n_cells(); k++)
      if (lesson.new_cells[k] >= 0 && !lesson.shown[k]) return false;
  }
  for (i32 d = 0, first = 0; d < lesson.n_demos; first += lesson.stages[d].n, d++)
    describe_things(lesson.stages[d], lesson.described + (i64)N_FEATURES * first, lesson.room);
  return true;
}

// Adds a row unless it has no objects or there is one like it; false when there are enough.
ARC_FN bool add_row(Lesson& lesson, i32 w, i32 paint, i32 copies) {
  const i32 what = lesson.tried[w];
  const u16* agreeing = lesson.agreeing + (i64)w * lesson.n;
  const u64* drawing = lesson.drawing + (i64)w * lesson.n;
  u64* set = lesson.sets + (i64)lesson.n_rows * lesson.n_all;
  u64* busy = lesson.busy + (i64)lesson.n_rows * lesson.n_words;
  for (i32 k = 0; k < lesson.n_all; k++) set[k] = 0;
  for (i32 k = 0; k < lesson.n_words; k++) busy[k] = 0;
  bool any = false;
  for (i32 d = 0, k = 0; d < lesson.n_demos; d++) {
    const Stage& stage = lesson.stages[d];
    for (i32 t = 0; t < stage.n; t++, k++) {
      if (copies && !(lesson.agreeing[k] & OWN_AGREES)) continue;  // staying is tried first
      const i32 color = paint_of(stage, stage.things[t], paint);
      const u32 bit = color == OWN_COLORS ? OWN_AGREES : color == NO_PAINT ? 0 : 1u << color;
      if (!(agreeing[k] & bit)) continue;
      any = true;
      set[k / 64] |= 1ULL << k % 64;
      set[lesson.n_words + d] |= drawing[k];
      if (drawing[k]) busy[k / 64] |= 1ULL << k % 64;
    }
  }
  if (!any) return true;
  const i32 kind = min_of(what, 2);
  u64 hash = (u64)kind;
  for (i32 k = 0; k < lesson.n_all; k++) hash = mix_bits(hash ^ set[k]);
  u64 slot = hash & (N_ROW_SLOTS - 1);
  for (; lesson.slots[slot] >= 0; slot = (slot + 1) & (N_ROW_SLOTS - 1)) {
    const i32 r = lesson.slots[slot];
    bool same = min_of(lesson.rows[r].what, 2) == kind;
    for (i32 k = 0; k < lesson.n_all && same; k++) same = lesson.sets[(i64)r * lesson.n_all + k] == set[k];
    if (same) return true;
  }
  lesson.slots[slot] = lesson.n_rows;
  lesson.rows[lesson.n_rows++] = {what, paint, copies};
  return lesson.n_rows < MAX_ROWS;
}

ARC_NOINLINE void make_rows(Lesson& lesson) {
  for (i32 k = 0; k < N_ROW_SLOTS; k++) lesson.slots[k] = -1;
  for (i32 copies = 0; copies < 2; copies++)
    for (i32 w = 0; w < N_TRIED; w++) {
      const i32 what = lesson.tried[w];
      if (copies && (what == STAY || what == VANISH || is_addition(what))) continue;
      u32 any = 0;
      for (i32 k = 0; k < lesson.n; k++) any |= lesson.agreeing[(i64)w * lesson.n + k];
      if (any & OWN_AGREES && !add_row(lesson, w, OWN, copies)) return;
      if (what == VANISH || !(any & ALL_COLORS)) continue;
      for (i32 c = 0; c < 10; c++)
        if (any >> c & 1 && !add_row(lesson, w, OF_COLOR + c, copies)) return;
      if (what == STAY) {
        for (i32 name = 0; name < N_REFERENCES; name++)
          if (!add_row(lesson, w, OF_OTHER + name, copies)) return;
      } else if (reference_of(what) >= 0) {
        if (!add_row(lesson, w, OF_OTHER + reference_of(what), copies)) return;
      }
    }
}

// values := a feature's distinct numbers, ascending; gives how many.
ARC_FN i32 distinct_values(const Lesson& lesson, i32 feature) {
  i32 n = 0;
  for (i32 k = 0; k < lesson.n; k++) {
    const i32 x = lesson.described[(i64)N_FEATURES * k + feature];
    i32 low = 0, high = n;
    while (low < high) {
      const i32 middle = (low + high) / 2;
      if (lesson.values[middle] < x) low = middle + 1; else high = middle;
    }
    if (low < n && lesson.values[low] == x) continue;
    for (i32 m = n++; m > low; m--) lesson.values[m] = lesson.values[m - 1];
    lesson.values[low] = x;
  }
  return n;
}
ARC_FN i64 count_questions(const Lesson& lesson) {
  i64 n = 0;
  for (i32 feature = 0; feature < N_FEATURES; feature++)
    n += distinct_values(lesson, feature) * (1 + is_counted(feature));
  return n;
}
ARC_FN void make_questions(Lesson& lesson) {
  lesson.n_questions = 0;
  for (i32 feature = 0; feature < N_FEATURES; feature++) {
    const i32 n_values = distinct_values(lesson, feature);
    for (i32 comparison = is_counted(feature) ? AT_LEAST : 0; comparison >= 0; comparison--)
      for (i32 v = 0; v < n_values; v++) {
        const i32 value = lesson.values[v];
        u64* holding = lesson.holding + lesson.n_questions * lesson.n_words;
        for (i32 k = 0; k < lesson.n_words; k++) holding[k] = 0;
        i32 n_holding = 0;
        for (i32 k = 0; k < lesson.n; k++) {
          const i32 x = lesson.described[(i64)N_FEATURES * k + feature];
          if (comparison == AT_LEAST ? x < value : x != value) continue;
          holding[k / 64] |= 1ULL << k % 64;
          n_holding++;
        }
        if (n_holding == lesson.n) continue;
        i32* question = lesson.questions + 3 * lesson.n_questions++;
        question[0] = feature;
        question[1] = comparison;
        question[2] = value;
      }
  }
}

// The actions that are chosen from, and the objects that may do each.
struct Choice {
  i32 n = 0;
  i32 rows[MAX_GREEDY_ACTIONS];
  u64 may[MAX_GREEDY_ACTIONS][MAX_WORDS];
};

// How many of the members that say yes, or no, to a question are not right if all of them do the same.
ARC_FN i32 n_wrong(const Lesson& lesson, const Choice& choice, const u64* members, const u64* yes, bool no) {
  i32 n = 0, most = 0;
  for (i32 a = -1; a < choice.n; a++) {
    i32 count = 0;
    for (i32 k = 0; k < lesson.n_words; k++) {
      u64 word = members[k];
      if (yes) word &= no ? ~yes[k] : yes[k];
      count += count_set(a < 0 ? word : word & choice.may[a][k]);
    }
    if (a < 0) n = count; else most = max_of(most, count);
  }
  return n - most;
}

// Writes the nodes from a place on that tell the members' actions; gives the place after them, or 0 where
// that takes too many.
template <int Depth>
ARC_FN i32 grow(const Lesson& lesson, const Choice& choice, const u64* members, i32* rules, i32 place) {
  for (i32 a = 0; a < choice.n; a++) {
    bool all = true;
    for (i32 k = 0; k < lesson.n_words && all; k++) all = !(members[k] & ~choice.may[a][k]);
    if (!all) continue;
    const Row& row = lesson.rows[choice.rows[a]];
    rules[place] = ACTION;
    rules[place + 1] = row.what;
    rules[place + 2] = row.paint;
    rules[place + 3] = row.copies;
    return place + NODE;
  }
  if constexpr (Depth < MAX_DEPTH) {
    i64 best = -1;
    i32 fewest = n_wrong(lesson, choice, members, nullptr, false);
    for (i64 q = 0; q < lesson.n_questions; q++) {
      const u64* yes = lesson.holding + q * lesson.n_words;
      bool any_yes = false, any_no = false;
      for (i32 k = 0; k < lesson.n_words; k++) {
        any_yes |= (members[k] & yes[k]) != 0;
        any_no |= (members[k] & ~yes[k]) != 0;
      }
      if (!any_yes || !any_no) continue;
      const i32 n = n_wrong(lesson, choice, members, yes, false) + n_wrong(lesson, choice, members, yes, true);
      if (n >= fewest) continue;
      fewest = n;
      best = q;
    }
    if (best < 0) return 0;
    u64 part[MAX_WORDS];
    const u64* yes = lesson.holding + best * lesson.n_words;
    for (i32 k = 0; k < lesson.n_words; k++) part[k] = members[k] & yes[k];
    const i32 otherwise = grow<Depth + 1>(lesson, choice, part, rules, place + NODE);
    if (!otherwise) return 0;
    for (i32 k = 0; k < lesson.n_words; k++) part[k] = members[k] & ~yes[k];
    const i32 end = grow<Depth + 1>(lesson, choice, part, rules, otherwise);
    if (!end) return 0;
    for (int k = 0; k < 3; k++) rules[place + k] = lesson.questions[3 * best + k];
    rules[place + 3] = otherwise;
    return end;
  }
  return 0;
}

ARC_FN bool is_exact(const Lesson& lesson, const i32* rules) {
  for (i32 d = 0, first = 0; d < lesson.n_demos; first += lesson.stages[d].n, d++) {
    const Stage& stage = lesson.stages[d];
    if (!act(stage, rules, lesson.described + (i64)N_FEATURES * first, lesson.room, lesson.drawn_grid))
      return false;
    for (i64 k = 0; k < stage.grid.n_cells(); k++)
      if (lesson.drawn_grid[k] != stage.wanted.cells[k]) return false;
  }
  return true;
}

ARC_FN i32 late_questions(const i32* rules, i32 n) {
  i32 asked = 0;
  for (i32 place = 1; place < n; place += NODE) asked += max_of(0, rules[place]);
  return asked;
}

// Tries the rules of a cover; best := them, if they are exact and simpler.
ARC_NOINLINE void try_cover(const Lesson& lesson, i32 segments, const i32* cover, i32 n_actions, i32* best,
                            i32& n_best) {
  Choice choice;
  choice.n = n_actions;
  for (i32 a = 0; a < n_actions; a++) {
    i32 place = a;
    for (; place > 0 && choice.rows[place - 1] > cover[a]; place--) choice.rows[place] = choice.rows[place - 1];
    choice.rows[place] = cover[a];
  }
  u64 everyone[MAX_WORDS], busy[MAX_WORDS];
  for (i32 k = 0; k < lesson.n_words; k++) {
    const i32 n_here = min_of(64, lesson.n - 64 * k);
    everyone[k] = n_here == 64 ? ~0ULL : (1ULL << n_here) - 1;
    busy[k] = 0;
    for (i32 a = 0; a < n_actions; a++) busy[k] |= lesson.busy[(i64)choice.rows[a] * lesson.n_words + k];
  }
  for (int all = 0; all < 2; all++) {
    for (i32 a = 0; a < n_actions; a++) {
      const Row& row = lesson.rows[choice.rows[a]];
      const bool quiet = row.paint == OWN && !row.copies && (row.what == STAY || row.what == VANISH);
      for (i32 k = 0; k < lesson.n_words; k++) {
        const u64 objects = lesson.sets[(i64)choice.rows[a] * lesson.n_all + k];
        choice.may[a][k] = quiet && !all ? objects & ~busy[k] : objects;
      }
    }
    i32 rules[MAX_RULES];
    rules[0] = segments;
    const i32 n = grow<0>(lesson, choice, everyone, rules, 1);
    if (!n) continue;
    if (n_best && (n > n_best || (n == n_best && late_questions(rules, n) >= late_questions(best, n_best))))
      continue;
    if (!is_exact(lesson, rules)) continue;
    for (i32 k = 0; k < n; k++) best[k] = rules[k];
    n_best = n;
    return;
  }
}

// Goes through the covers of so many actions; gives how many numbers the best rules have, or 0. `left` has
// room for a set for each action, and one more.
ARC_NOINLINE i32 try_covers(const Lesson& lesson, i32 segments, i32 n_actions, u64* left, i32* best) {
  i32 n_best = 0, n_tried = 0, n_covers = 0, level = 0;
  i32 rarest[MAX_ACTIONS], chosen[MAX_ACTIONS];
  auto start = [&](i32 at) {
    // The object or cell of what is left that the fewest rows have.
    const u64* set = left + (i64)at * lesson.n_all;
    i32 found = -1;
    for (i32 word = 0; word < lesson.n_all; word++)
      for (u64 bits = set[word]; bits; bits &= bits - 1) {
        const i32 k = 64 * word + lowest_bit64(bits);
        if (found < 0 || lesson.counts[k] < lesson.counts[found]) found = k;
      }
    rarest[at] = found;
    chosen[at] = -1;
  };
  start(0);
  while (level >= 0) {
    const u64 bit = 1ULL << rarest[level] % 64;
    const i32 word = rarest[level] / 64;
    i32 r = chosen[level] + 1;
    while (r < lesson.n_rows && !(lesson.sets[(i64)r * lesson.n_all + word] & bit)) r++;
    if (r == lesson.n_rows) {
      level--;
      continue;
    }
    chosen[level] = r;
    if (++n_tried > MAX_TRIED) return n_best;
    const u64 *set = lesson.sets + (i64)r * lesson.n_all, *now = left + (i64)level * lesson.n_all;
    u64* rest = left + (i64)(level + 1) * lesson.n_all;
    u64 any = 0;
    for (i32 k = 0; k < lesson.n_all; k++) any |= rest[k] = now[k] & ~set[k];
    if (level + 1 == n_actions) {
      if (any) continue;
      if (n_covers++ == MAX_COVERS) return n_best;
      try_cover(lesson, segments, chosen, n_actions, best, n_best);
    } else if (any) {
      start(++level);
    }
  }
  return n_best;
}

// Tries the rows that each have the most of what those before it leave, which is overwritten.
ARC_FN i32 try_greedy_cover(const Lesson& lesson, i32 segments, u64* left, i32* best) {
  i32 chosen[MAX_GREEDY_ACTIONS], n_chosen = 0, n_best = 0;
  for (;;) {
    u64 any = 0;
    for (i32 k = 0; k < lesson.n_all; k++) any |= left[k];
    if (!any) break;
    if (n_chosen == MAX_GREEDY_ACTIONS) return 0;
    i32 most = -1;
    for (i32 r = 0; r < lesson.n_rows; r++) {
      i32 count = 0;
      for (i32 k = 0; k < lesson.n_all; k++) count += count_set(left[k] & lesson.sets[(i64)r * lesson.n_all + k]);
      if (count <= most) continue;
      most = count;
      chosen[n_chosen] = r;
    }
    const u64* set = lesson.sets + (i64)chosen[n_chosen++] * lesson.n_all;
    for (i32 k = 0; k < lesson.n_all; k++) left[k] &= ~set[k];
  }
  try_cover(lesson, segments, chosen, n_chosen, best, n_best);
  return n_best;
}

ARC_NOINLINE i32 find_rules(Lesson& lesson, i32 segments, u64* left, i32* best) {
  for (i32 k = 0; k < 64 * lesson.n_all; k++) lesson.counts[k] = 0;
  for (i32 r = 0; r < lesson.n_rows; r++)
    for (i32 word = 0; word < lesson.n_all; word++)
      for (u64 bits = lesson.sets[(i64)r * lesson.n_all + word]; bits; bits &= bits - 1)
        lesson.counts[64 * word + lowest_bit64(bits)]++;
  for (i32 k = 0; k < lesson.n_all; k++) {
    const i32 n_here = k < lesson.n_words ? min_of(64, lesson.n - 64 * k) : lesson.n_new[k - lesson.n_words];
    left[k] = n_here == 64 ? ~0ULL : (1ULL << n_here) - 1;
  }
  for (i32 n_actions = 1; n_actions <= MAX_ACTIONS; n_actions++) {
    const i32 n = try_covers(lesson, segments, n_actions, left, best);
    if (n) return n;
  }
  return try_greedy_cover(lesson, segments, left, best);
}

// Labels and lists the objects of scenes, of which there may be so many; charges for them. OK, or why not.
ARC_FN Reason make_stages(Lane& lane, Lesson& lesson, i32 segments) {
  i64 n_cells = 0;
  for (i32 d = 0; d < lesson.n_demos; d++) {
    n_cells += lesson.stages[d].grid.n_cells();
    lesson.most_cells = max_of(lesson.most_cells, lesson.stages[d].grid.n_cells());
  }
  i32* labels = lane.allocate_array<i32>(n_cells);
  Place* places = lane.allocate_array<Place>(n_cells);
  lesson.room.marks = lane.allocate_array<u8>(lesson.most_cells);
  lesson.room.queue = lane.allocate_array<Place>(lesson.most_cells);
  if (!labels || !places || !lesson.room.marks || !lesson.room.queue) return OVER_BUDGET;
  const i64 n = serial([&]() {
    i64 offset = 0, n = 0;
    bool too_many = false;
    for (i32 d = 0; d < lesson.n_demos; d++) {
      Stage& stage = lesson.stages[d];
      stage.labels = labels + offset;
      stage.places = places + offset;
      label_stage(stage, segments, lesson.room.queue);
      too_many |= stage.n > MAX_OBJECTS;
      n += stage.n;
      offset += stage.grid.n_cells();
    }
    return too_many || n > MAX_OBJECTS_IN_ALL ? (i64)-1 : n;
  });
  if (n < 0) return EMPTY;
  lesson.n = (i32)n;
  Thing* things = lane.allocate_array<Thing>(n);
  if (!things) return OVER_BUDGET;
  const i64 work = serial([&]() {
    i64 first = 0, sum = 0;
    for (i32 d = 0; d < lesson.n_demos; d++) {
      lesson.stages[d].things = things + first;
      sum += list_things(lesson.stages[d]);
      first += lesson.stages[d].n;
    }
    return sum;
  });
  return lane.charge((u64)work) ? OK : OVER_BUDGET;
}

ARC_NOINLINE Reason learn(Lane& lane, const Value& demos, i32 segments, i32* best, i32& n_best) {
  if (!demos.n) return EMPTY;
  bool changes = false, other_background = false;
  for (u32 d = 0; d < demos.n; d++) {
    const Scene given = demo_side(demos, d, 0), wanted = demo_side(demos, d, 1);
    if (!same_size(given, wanted)) return EMPTY;
    changes = changes || any(given.n_cells(), [&](i64 k) { return given.cells[k] != wanted.cells[k]; });
  }
  if (!changes) return EMPTY;
  if (segments >= N_SEGMENTATIONS) {
    for (u32 d = 0; d < demos.n; d++) other_background |= background_of(demo_side(demos, d, 0), 0) != 0;
    if (!other_background) return EMPTY;
  }
  Lesson lesson;
  lesson.n_demos = (i32)demos.n;
  lesson.stages = lane.allocate_array<Stage>(demos.n);
  if (!lesson.stages) return OVER_BUDGET;
  Stage* stages = lesson.stages;
  each(demos.n, [=](i64 d) {
    stages[d].grid = demo_side(demos, d, 0);
    stages[d].wanted = demo_side(demos, d, 1);
  });
  const Reason made = make_stages(lane, lesson, segments);
  if (made != OK) return made;
  if (!lesson.n) return EMPTY;
  if (!lane.charge((u64)lesson.n * N_TRIED)) return OVER_BUDGET;
  const i64 n = lesson.n;
  lesson.n_words = (lesson.n + 63) / 64;
  lesson.n_all = lesson.n_words + lesson.n_demos;
  lesson.tried = lane.allocate_array<i32>(N_TRIED);
  lesson.n_new = lane.allocate_array<i32>(lesson.n_demos);
  lesson.agreeing = lane.allocate_array<u16>(N_TRIED * n);
  lesson.drawing = lane.allocate_array<u64>(N_TRIED * n);
  lesson.described = lane.allocate_array<i32>(N_FEATURES * n);
  lesson.new_cells = lane.allocate_array<i32>(lesson.most_cells);
  lesson.shown = lane.allocate_array<u8>(lesson.most_cells);
  lesson.drawn_grid = lane.allocate_array<i32>(lesson.most_cells);
  if (lane.exhausted) return OVER_BUDGET;
  if (!serial([&]() { return (i64)look_at_demos(lesson); })) return EMPTY;
  lesson.rows = lane.allocate_array<Row>(MAX_ROWS);
  lesson.sets = lane.allocate_array<u64>((u64)MAX_ROWS * lesson.n_all);
  lesson.busy = lane.allocate_array<u64>((u64)MAX_ROWS * lesson.n_words);
  lesson.slots = lane.allocate_array<i32>(N_ROW_SLOTS);
  lesson.values = lane.allocate_array<i32>(n);
  lesson.counts = lane.allocate_array<i32>(64 * (u64)lesson.n_all);
  u64* left = lane.allocate_array<u64>((u64)(MAX_ACTIONS + 1) * lesson.n_all);
  if (lane.exhausted) return OVER_BUDGET;
  lesson.n_rows = (i32)serial([&]() {
    make_rows(lesson);
    return (i64)lesson.n_rows;
  });
  const i64 n_questions = serial([&]() { return count_questions(lesson); });
  lesson.questions = lane.allocate_array<i32>(3 * (u64)n_questions);
  lesson.holding = lane.allocate_array<u64>((u64)n_questions * lesson.n_words);
  if (lane.exhausted) return OVER_BUDGET;
  n_best = (i32)serial([&]() {
    make_questions(lesson);
    return (i64)find_rules(lesson, segments, left, best);
  });
  return n_best ? OK : EMPTY;
}

ARC_NOINLINE Reason apply(Lane& lane, const i32* rules, const Value& grid, i32* to) {
  Lesson lesson;
  lesson.n_demos = 1;
  lesson.stages = lane.allocate_array<Stage>(1);
  if (!lesson.stages) return OVER_BUDGET;
  Stage* stage = lesson.stages;
  serial([&]() {
    stage->grid = stage->wanted = scene_of(grid);
    return 0;
  });
  const Reason made = make_stages(lane, lesson, rules[0]);
  if (made != OK) return made;
  i32* described = lane.allocate_array<i32>((u64)N_FEATURES * lesson.n);
  if (!described) return OVER_BUDGET;
  const i64 acted = serial([&]() {
    find_references(*stage);
    describe_things(*stage, described, lesson.room);
    return (i64)act(*stage, rules, described, lesson.room, to);
  });
  return acted ? OK : EMPTY;
}

}  // namespace actions

ARC_FN Value prim_learn_actions(Lane& lane, const Value* a) {
  if (!are_color_demos(a[0])) return fail(WRONG_TYPE);
  ARC_ALLOCATE(rules, i32, actions::MAX_RULES);
  const Scratch scratch(lane);
  i32 n = 0;
  const Reason why = actions::learn(lane, a[0], (i32)a[1].number, rules, n);
  scratch.give_back(lane);
  return why == OK ? ints_value(INTS, rules, (u32)n) : fail(why);
}

ARC_FN Value prim_apply_actions(Lane& lane, const Value* a) {
  const Value rules = a[0], grid = a[1];
  if (rules.kind != INTS && rules.kind != PAIR && !(rules.kind == TUPLE && rules.n == 0))
    return fail(WRONG_TYPE);
  if (!is_color_grid(grid)) return fail(WRONG_TYPE);
  if (rules.kind != INTS || !actions::are_rules(rules.ints, rules.n)) return fail(OUT_OF_RANGE);
  ARC_ALLOCATE(to, i32, (u64)grid.n * (u64)width_of(grid));
  const Scratch scratch(lane);
  const Reason why = actions::apply(lane, rules.ints, grid, to);
  scratch.give_back(lane);
  return why == OK ? grid_value(to, grid.n, (u32)width_of(grid)) : fail(why);
}

}  // namespace arc
