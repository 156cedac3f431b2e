// Templates that are found in part: as language/primitives/templates.py.
#pragma once
#include "../observations.hpp"

namespace arc {

constexpr i64 MAX_TEMPLATE_PARTS = 32, MAX_TEMPLATE_CELLS = 100, MAX_FOUND = 512;
constexpr int N_SCALES = 4;
enum TemplateMatch { BY_COLORS, BY_ANCHORS, BY_SHAPE };

struct TemplateCell {
  i32 color, row, column;
};
// A template that is being sought, in one turn.
struct Template {
  TemplateCell cells[MAX_TEMPLATE_CELLS];
  i32 counts[10];  // of its colours
  i32 n, number, body;
};
struct FoundTemplate {
  i32 template_number, turn, scale, top, left, n_there, body_color;
  u32 parts;
};
struct TemplateSearch {
  const Scene* scene = nullptr;
  const Region* parts = nullptr;
  i64 n_parts = 0, match = 0;
  Template* sought = nullptr;
  FoundTemplate* found = nullptr;
};

// Its cells in reading order, each where a mirror or turn takes it.
ARC_FN void turn_template(const Region& region, int turn, Template& to) {
  to.n = 0;
  to.number = region.number;
  for (int c = 0; c < 10; c++) to.counts[c] = 0;
  for (i32 i = region.top; i <= region.bottom; i++)
    for (i32 j = region.left; j <= region.right; j++) {
      if (!region.has(i, j)) continue;
      const Place at = turn_place(region, {i, j}, turn);
      const i32 color = region.scene->cell(i, j);
      to.counts[color]++;
      to.cells[to.n++] = {color, at.row, at.column};
    }
  to.body = 1;
  for (int c = 2; c < 10; c++)
    if (to.counts[c] > to.counts[to.body]) to.body = c;
}

// What is all over a square that begins at a place: 0 also outside, -1 where it differs.
ARC_FN i32 color_of_square(const Scene& scene, i32 row, i32 column, i32 side) {
  i32 color = -1;
  for (i32 i = row; i < row + side; i++)
    for (i32 j = column; j < column + side; j++) {
      const i32 here = scene.has(i, j) ? scene.cell(i, j) : 0;
      if (color >= 0 && here != color) return -1;
      color = here;
    }
  return color;
}

// Whether a template matches where `found` says, of which the rest is filled in.
ARC_FN bool match_template(const TemplateSearch& search, const Template& own, i64 target, FoundTemplate& found) {
  const Scene& scene = *search.scene;
  const i32 scale = found.scale;
  i32 n_of[10] = {};
  found.n_there = 0;
  found.parts = 0;
  found.body_color = search.match == BY_ANCHORS ? 0 : own.body;
  for (i32 k = 0; k < own.n; k++) {
    const TemplateCell& cell = own.cells[k];
    const i32 top = found.top + scale * cell.row, left = found.left + scale * cell.column;
    const i32 shown = color_of_square(scene, top, left, scale);
    if (shown == 0) continue;
    if (shown < 0) return false;
    if (search.match == BY_ANCHORS && cell.color == own.body) {
      if (!found.body_color) found.body_color = shown;
      if (shown != found.body_color || (shown != own.body && own.counts[shown])) return false;
    } else if (search.match != BY_SHAPE && shown != cell.color) {
      return false;
    }
    for (i32 i = top; i < top + scale; i++)
      for (i32 j = left; j < left + scale; j++)
        found.parts |= 1u << search.parts[0].labels[(i64)i * scene.width + j];
    if (search.match == BY_SHAPE && found.parts != 1u << target) return false;
    found.n_there++;
    n_of[cell.color]++;
  }
  if (found.parts >> own.number & 1) return false;
  i64 n_cells = 0;
  for (u32 rest = found.parts; rest; rest &= rest - 1) n_cells += search.parts[lowest_bit(rest)].size;
  if (n_cells != (i64)found.n_there * scale * scale) return false;
  if (search.match == BY_SHAPE)
    return found.n_there == own.n && count_bits(search.parts[target].colors) == 1;
  bool any_whole = false, all_whole = true;
  for (int c = 1; c < 10; c++) {
    if (!own.counts[c]) continue;
    const bool is_whole = n_of[c] == own.counts[c];
    any_whole |= is_whole;
    all_whole &= is_whole || c == own.body;
  }
  if (search.match == BY_COLORS) return found.n_there > 0 && found.n_there < own.n && any_whole;
  return n_of[own.body] > 0 && n_of[own.body] < own.counts[own.body] && all_whole;
}

// Finds all; how many they are, or -1 where that is too many, -2 when the budget is spent. `order` has the
// parts, the largest first.
ARC_NOINLINE i64 find_templates(const TemplateSearch& search, int n_turns, const i32* order, u64& n_charged,
                                u64 max_charged) {
  i64 n_found = 0;
  Template& own = *search.sought;
  for (i64 o = 0; o < search.n_parts; o++) {
    const Region& region = search.parts[order[o]];
    if (count_bits(region.colors) < 2 || region.size > MAX_TEMPLATE_CELLS) continue;
    n_charged += (u64)n_turns * N_SCALES * (u64)search.n_parts * (u64)region.size;
    if (n_charged > max_charged) return -2;
    for (int turn = 0; turn < n_turns; turn++) {
      turn_template(region, turn, own);
      for (i32 scale = 1; scale <= N_SCALES; scale++)
        for (i64 target = 0; target < search.n_parts; target++) {
          const Region& part = search.parts[target];
          if (target == order[o] || part.size % (scale * scale)) continue;
          const Place first = part.places[0];
          for (i32 k = 0; k < own.n; k++) {
            FoundTemplate found = {};
            found.template_number = order[o];
            found.turn = turn;
            found.scale = scale;
            found.top = first.row - scale * own.cells[k].row;
            found.left = first.column - scale * own.cells[k].column;
            if (!match_template(search, own, target, found)) continue;
            if (n_found == MAX_FOUND) return -1;
            search.found[n_found++] = found;
          }
        }
    }
  }
  return n_found;
}

ARC_NOINLINE void add_templates(const TemplateSearch& search, i64 n_found, bool removes, i32* to) {
  const Scene& scene = *search.scene;
  u32 taken = 0, used = 0;
  for (i64 k = 0; k < scene.n_cells(); k++) to[k] = scene.cells[k];
  for (i32 n_there = MAX_TEMPLATE_CELLS; n_there > 0; n_there--)
    for (i64 f = 0; f < n_found; f++) {
      const FoundTemplate& found = search.found[f];
      if (found.n_there != n_there || taken & (found.parts | 1u << found.template_number)) continue;
      taken |= found.parts;
      used |= 1u << found.template_number;
      turn_template(search.parts[found.template_number], found.turn, *search.sought);
      for (i32 k = 0; k < search.sought->n; k++) {
        const TemplateCell& cell = search.sought->cells[k];
        const i32 color = cell.color == search.sought->body ? found.body_color : cell.color;
        const i32 top = found.top + found.scale * cell.row, left = found.left + found.scale * cell.column;
        for (i32 i = top; i < top + found.scale; i++)
          for (i32 j = left; j < left + found.scale; j++)
            if (scene.has(i, j)) to[(i64)i * scene.width + j] = color;
      }
    }
  for (u32 rest = removes ? used : 0; rest; rest &= rest - 1) {
    const Region& region = search.parts[lowest_bit(rest)];
    for (i32 k = 0; k < region.size; k++)
      to[(i64)region.places[k].row * scene.width + region.places[k].column] = 0;
  }
}

ARC_FN Reason complete_templates_in(Lane& lane, const Value* a, i32* to) {
  const Lesson lesson = lesson_of_one(lane, a[0]);
  if (!lesson.scenes) return OVER_BUDGET;
  TemplateSearch search;
  search.match = a[1].number;
  const Cutting cutting = cut_lesson(lane, lesson, search.match == BY_SHAPE ? TOGETHER_4 : TOGETHER_8);
  if (!cutting.regions) return OVER_BUDGET;
  if (cutting.n > MAX_TEMPLATE_PARTS) return EMPTY;
  search.scene = lesson.scenes;
  search.parts = cutting.regions;
  search.n_parts = cutting.n;
  search.sought = lane.allocate_array<Template>(1);
  search.found = lane.allocate_array<FoundTemplate>(MAX_FOUND);
  i32* order = lane.allocate_array<i32>(MAX_TEMPLATE_PARTS);
  u64* n_charged = lane.allocate_array<u64>(1);
  if (!search.sought || !search.found || !order || !n_charged) return OVER_BUDGET;
  const u64 max_charged = lane.max_steps - lane.steps;
  const int n_turns = a[2].number ? 8 : 1;
  const bool removes = a[3].number != 0;
  const i64 n_found = serial([&]() {
    for (i64 k = 0; k < cutting.n; k++) {
      i64 at = k;
      for (; at > 0 && search.parts[order[at - 1]].size < search.parts[k].size; at--) order[at] = order[at - 1];
      order[at] = (i32)k;
    }
    *n_charged = 0;
    const i64 n = find_templates(search, n_turns, order, *n_charged, max_charged);
    if (n > 0) add_templates(search, n, removes, to);
    return n;
  });
  if (!lane.charge(*n_charged)) return OVER_BUDGET;
  return n_found > 0 ? OK : EMPTY;
}

ARC_FN Value prim_complete_templates(Lane& lane, const Value* a) {
  const Value grid = a[0];
  if (!is_color_grid(grid)) return fail(WRONG_TYPE);
  ARC_ALLOCATE(to, i32, (u64)grid.n * (u64)width_of(grid));
  const Scratch scratch(lane);
  const Reason why = complete_templates_in(lane, a, to);
  scratch.give_back(lane);
  return why == OK ? grid_value(to, grid.n, (u32)width_of(grid)) : fail(why);
}

}  // namespace arc
