// What can be observed of grids: as language/primitives/observations.py. What is written here runs in
// one thread, inside `serial`, but for what takes a lane.
#pragma once
#include "geometry.hpp"
#include "joined_parts.hpp"

namespace arc {

constexpr u8 OUTSIDE_COLOR = 10;

// --- grids of colours ---

struct Scene {
  const i32* cells = nullptr;
  i32 n_rows = 0, width = 0;

  ARC_FN i64 n_cells() const { return (i64)n_rows * width; }
  ARC_FN bool has(i64 i, i64 j) const { return (u64)i < (u64)n_rows && (u64)j < (u64)width; }
  ARC_FN i32 cell(i64 i, i64 j) const { return cells[i * width + j]; }
  ARC_FN u8 at(i64 i, i64 j) const { return has(i, j) ? (u8)cell(i, j) : OUTSIDE_COLOR; }
};
ARC_FN Scene scene_of(const Value& grid) {
  Scene scene;
  scene.cells = grid.ints;
  scene.n_rows = (i32)grid.n;
  scene.width = (i32)width_of(grid);
  return scene;
}
ARC_FN bool same_size(const Scene& a, const Scene& b) {
  return a.n_rows == b.n_rows && a.width == b.width;
}

ARC_FN bool is_color_grid(const Value& v) {
  return v.kind == GRID && !any((i64)v.n * width_of(v), [&](i64 k) { return (u32)v.ints[k] > 9; });
}
ARC_FN bool are_color_demos(const Value& demos) {
  for (u32 k = 0; k < demos.n; k++) {
    const Value demo = demos.members()[k];
    if (!is_color_grid(demo.members()[0]) || !is_color_grid(demo.members()[1])) return false;
  }
  return true;
}
ARC_FN Scene demo_side(const Value& demos, i64 k, int side) {
  return scene_of(demos.members()[k].members()[side]);
}

// The demos that teach, and the grid they are for, which comes last among the scenes.
struct Lesson {
  Scene* scenes = nullptr;  // the inputs
  Scene* wanted = nullptr;  // the outputs
  i64 n_demos = 0, n_scenes = 0;
  i64 n_cells = 0, most_cells = 0, most_lines = 0;  // of the scenes: in all, and of the largest
};
// Those demos, or with `all` all of them; null scenes when memory ran out.
ARC_FN Lesson lesson_of(Lane& lane, const Value& demos, const Value& grid, bool all) {
  Lesson lesson;
  auto teaches = [&](i64 k) { return all || same_size(demo_side(demos, k, 0), demo_side(demos, k, 1)); };
  for (i64 k = 0; k < (i64)demos.n; k++) lesson.n_demos += teaches(k);
  lesson.n_scenes = lesson.n_demos + 1;
  Scene* scenes = lane.allocate_array<Scene>(lesson.n_scenes);
  Scene* wanted = lane.allocate_array<Scene>(lesson.n_demos);
  if (!scenes || !wanted) return lesson;
  serial([&]() {
    i64 d = 0;
    for (i64 k = 0; k < (i64)demos.n; k++) {
      if (!teaches(k)) continue;
      scenes[d] = demo_side(demos, k, 0);
      wanted[d++] = demo_side(demos, k, 1);
    }
    scenes[d] = scene_of(grid);
    return 0;
  });
  lesson.scenes = scenes;
  lesson.wanted = wanted;
  for (i64 s = 0; s < lesson.n_scenes; s++) {
    lesson.n_cells += scenes[s].n_cells();
    lesson.most_cells = max_of(lesson.most_cells, scenes[s].n_cells());
    lesson.most_lines = max_of(lesson.most_lines, (i64)max_of(scenes[s].n_rows, scenes[s].width));
  }
  return lesson;
}

// A lesson of one grid alone, to be cut; null scenes when memory ran out.
ARC_FN Lesson lesson_of_one(Lane& lane, const Value& grid) {
  Lesson lesson;
  Scene* scenes = lane.allocate_array<Scene>(1);
  if (!scenes) return lesson;
  serial([&]() {
    scenes[0] = scene_of(grid);
    return 0;
  });
  lesson.scenes = scenes;
  lesson.n_scenes = 1;
  lesson.n_cells = lesson.most_cells = scenes[0].n_cells();
  lesson.most_lines = max_of(scenes[0].n_rows, scenes[0].width);
  return lesson;
}

// --- tables ---

ARC_FN u64 mix_bits(u64 x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

// From keys to numbers that are not negative.
struct Book {
  u64* keys = nullptr;
  i32* values = nullptr;  // -1: the slot is free
  u64 n_slots = 0;

  ARC_FN void clear() {
    for (u64 k = 0; k < n_slots; k++) values[k] = -1;
  }
  // Where a key is, or may be put.
  ARC_FN u64 slot_of(u64 key) const {
    u64 slot = mix_bits(key) & (n_slots - 1);
    while (values[slot] >= 0 && keys[slot] != key) slot = (slot + 1) & (n_slots - 1);
    return slot;
  }
};
// A table for up to n keys, to be cleared; null keys when memory ran out.
ARC_FN Book new_book(Lane& lane, i64 n) {
  Book book;
  book.n_slots = 16;
  while ((i64)book.n_slots * 2 < 3 * n) book.n_slots *= 2;
  u64* keys = lane.allocate_array<u64>(book.n_slots);
  i32* values = lane.allocate_array<i32>(book.n_slots);
  if (!keys || !values) return book;
  book.keys = keys;
  book.values = values;
  return book;
}

// --- parts of grids ---

enum CutCode { BY_COLOR_4, BY_COLOR_8, TOGETHER_8, ZEROS, ALL_4, ALL_8, TOGETHER_4 };

// The directions in the order of AROUND, row by row.
ARC_FN int row_step(int direction) { return direction < 3 ? -1 : direction < 5 ? 0 : 1; }
ARC_FN int column_step(int direction) {
  return (direction < 4 ? direction : direction + 1) % 3 - 1;
}
ARC_FN bool is_beside(int direction) {
  return direction == 1 || direction == 3 || direction == 4 || direction == 6;
}

struct Place {
  i32 row, column;
};

// Goes from the edge of a box to all places that can be reached by sides. enter(k): whether the box's k-th place
// is open, and met for the first time. Returns how many were entered; `places` has them.
template <class Enter>
ARC_FN i32 reach_from_edge(i32 height, i32 width, Place* places, Enter enter) {
  Place *next = places, *end = places;
  auto reach = [&](i32 i, i32 j) {
    if ((u32)i < (u32)height && (u32)j < (u32)width && enter(i * width + j)) *end++ = {i, j};
  };
  for (i32 i = 0; i < height; i++) {
    reach(i, 0);
    reach(i, width - 1);
  }
  for (i32 j = 0; j < width; j++) {
    reach(0, j);
    reach(height - 1, j);
  }
  for (; next < end; next++) {
    reach(next->row - 1, next->column);
    reach(next->row + 1, next->column);
    reach(next->row, next->column - 1);
    reach(next->row, next->column + 1);
  }
  return (i32)(end - places);
}

struct Region {
  const Place* places;
  const i32* labels;  // of its scene: whose number each cell has
  const Scene* scene;
  i32 number, size, top, left, bottom, right;
  u32 colors;
  u64 key = 0, hash = 0;

  ARC_FN i64 height() const { return bottom - top + 1; }
  ARC_FN i64 width() const { return right - left + 1; }
  ARC_FN i64 area() const { return height() * width(); }
  ARC_FN bool has(i64 i, i64 j) const { return labels[i * scene->width + j] == number; }
  ARC_FN i32 color(const Place& at) const { return scene->cell(at.row, at.column); }
  ARC_FN bool on_edge() const {
    return top == 0 || left == 0 || bottom == scene->n_rows - 1 || right == scene->width - 1;
  }
};

// The parts of all scenes of a lesson, in order.
struct Cutting {
  Region* regions = nullptr;
  i64* firsts = nullptr;  // for each scene its first part; one more
  i64 n = 0;
};

// Bits of the directions in which a place has a neighbour.
ARC_FN u32 directions_within(const Scene& scene, const Place& at) {
  u32 within = 255;
  if (at.row == 0) within &= ~(1u << 0 | 1u << 1 | 1u << 2);
  if (at.row == scene.n_rows - 1) within &= ~(1u << 5 | 1u << 6 | 1u << 7);
  if (at.column == 0) within &= ~(1u << 0 | 1u << 3 | 1u << 5);
  if (at.column == scene.width - 1) within &= ~(1u << 2 | 1u << 4 | 1u << 7);
  return within;
}

// Finds the parts of a scene: numbers their cells, from `number` on, and lists their places.
ARC_FN i64 label_scene(const Scene& scene, int how, i64 number, i32* labels, Place* places) {
  const bool diagonal = how == BY_COLOR_8 || how == TOGETHER_8 || how == ALL_8;
  const bool together = how == TOGETHER_4 || how == TOGETHER_8, all = how == ALL_4 || how == ALL_8;
  const i64 n = scene.n_cells();
  const i32 width = scene.width;
  for (i64 k = 0; k < n; k++) labels[k] = -1;
  i32 steps[8];
  for (int d = 0; d < 8; d++) steps[d] = row_step(d) * width + column_step(d);
  const u32 all_directions = diagonal ? 255 : 1 << 1 | 1 << 3 | 1 << 4 | 1 << 6;
  Place* end = places;
  i64 k = 0;
  for (i32 row = 0; row < scene.n_rows; row++)
    for (i32 column = 0; column < width; column++, k++) {
      const i32 color = scene.cells[k];
      if (labels[k] >= 0 || !(all || (color == 0) == (how == ZEROS))) continue;
      Place* next = end;
      *end++ = {row, column};
      labels[k] = (i32)number;
      for (; next < end; next++) {
        const i64 here = (i64)next->row * width + next->column;
        for (u32 left = all_directions & directions_within(scene, *next); left; left &= left - 1) {
          const int d = lowest_bit(left);
          const i64 at = here + steps[d];
          if (labels[at] >= 0) continue;
          if (together ? scene.cells[at] == 0 : scene.cells[at] != color) continue;
          labels[at] = (i32)number;
          *end++ = {next->row + row_step(d), next->column + column_step(d)};
        }
      }
      number++;
    }
  if (end < places + n) end->row = -1;  // the list ends
  return number;
}

// Cuts all scenes, and charges for the boxes of the parts; no regions when memory, or the budget, ran
// out.
ARC_NOINLINE Cutting cut_lesson(Lane& lane, const Lesson& lesson, int how) {
  Cutting cutting;
  i64* firsts = lane.allocate_array<i64>(lesson.n_scenes + 1);
  i32* labels = lane.allocate_array<i32>(lesson.n_cells);
  Place* places = lane.allocate_array<Place>(lesson.n_cells);
  if (!firsts || !labels || !places) return cutting;
  const i64 n = serial([&]() {
    i64 number = 0, offset = 0;
    for (i64 s = 0; s < lesson.n_scenes; s++) {
      firsts[s] = number;
      number = label_scene(lesson.scenes[s], how, number, labels + offset, places + offset);
      offset += lesson.scenes[s].n_cells();
    }
    firsts[lesson.n_scenes] = number;
    return number;
  });
  Region* regions = lane.allocate_array<Region>(n);
  if (!regions) return cutting;
  const i64 area = serial([&]() {
    i64 offset = 0, sum = 0;
    for (i64 s = 0; s < lesson.n_scenes; s++) {
      const Scene& scene = lesson.scenes[s];
      const Place* place = places + offset;
      for (i64 r = firsts[s]; r < firsts[s + 1]; r++) {
        Region region;
        region.places = place;
        region.labels = labels + offset;
        region.scene = &scene;
        region.number = (i32)r;
        region.top = region.bottom = place->row;
        region.left = region.right = place->column;
        region.colors = 0;
        const Place* last = places + offset + scene.n_cells();
        for (; place < last && place->row >= 0 && region.has(place->row, place->column); place++) {
          region.bottom = max_of(region.bottom, place->row);
          region.left = min_of(region.left, place->column);
          region.right = max_of(region.right, place->column);
          region.top = min_of(region.top, place->row);
          region.colors |= 1u << scene.cell(place->row, place->column);
        }
        region.size = (i32)(place - region.places);
        sum += region.area();
        regions[r] = region;
      }
      offset += scene.n_cells();
    }
    return sum;
  });
  if (!lane.charge((u64)area)) return cutting;
  cutting.regions = regions;
  cutting.firsts = firsts;
  cutting.n = n;
  return cutting;
}

// --- what an object is like ---

// Where a place of a region lies in its box after a mirror or turn, 0 to 7; 0 leaves it.
ARC_FN Place turn_place(const Region& region, const Place& at, int turn) {
  i32 i = at.row - region.top, j = at.column - region.left;
  if (turn & 1) i = (i32)region.height() - 1 - i;
  if (turn & 2) j = (i32)region.width() - 1 - j;
  return turn & 4 ? Place{j, i} : Place{i, j};
}
enum Likeness { SAME_SHAPE, TURNED_SHAPE };

ARC_FN u64 hash_region(const Region& region, int likeness) {
  u64 result = ~0ULL;
  for (int turn = 0; turn < (likeness == TURNED_SHAPE ? 8 : 1); turn++) {
    u64 sum = 0;
    for (i32 k = 0; k < region.size; k++) {
      const Place at = turn_place(region, region.places[k], turn);
      sum += mix_bits(((u64)at.row << 28) + (u64)at.column + 1);
    }
    result = min_of(result, sum);
  }
  return result;
}
ARC_FN bool are_alike(const Region& a, const Region& b, int likeness) {
  if (a.hash != b.hash || a.size != b.size) return false;
  for (int turn = 0; turn < (likeness == TURNED_SHAPE ? 8 : 1); turn++) {
    const i64 height = turn & 4 ? a.width() : a.height(), width = turn & 4 ? a.height() : a.width();
    if (height != b.height() || width != b.width()) continue;
    bool same = true;
    for (i32 k = 0; k < a.size && same; k++) {
      const Place at = turn_place(a, a.places[k], turn);
      same = b.has(b.top + at.row, b.left + at.column);
    }
    if (same) return true;
  }
  return false;
}

// What describing needs besides the parts.
struct Describing {
  i32* tally = nullptr;     // for numbers of cells, of parts, and sets of colours
  u8* visited = nullptr;    // most_cells
  Place* queue = nullptr;   // most_cells
  i32* slots = nullptr;     // of a table of likenesses: a part, or -1
  i64 n_slots = 0;
};
ARC_FN Describing new_describing(Lane& lane, const Lesson& lesson, const Cutting& cutting) {
  Describing d;
  d.n_slots = 16;
  while (d.n_slots * 2 < 3 * cutting.n) d.n_slots *= 2;
  d.tally = lane.allocate_array<i32>(max_of(max_of(lesson.most_cells + 1, cutting.n), (i64)1 << 10));
  d.visited = lane.allocate_array<u8>(lesson.most_cells);
  d.queue = lane.allocate_array<Place>(lesson.most_cells);
  d.slots = lane.allocate_array<i32>(d.n_slots);
  if (!d.tally || !d.visited || !d.queue) d.slots = nullptr;
  return d;
}

// keys := for each part the number of the first that it is like.
ARC_FN void find_alike(const Cutting& cutting, const Describing& d, int likeness) {
  for (i64 k = 0; k < d.n_slots; k++) d.slots[k] = -1;
  for (i64 r = 0; r < cutting.n; r++) {
    Region& region = cutting.regions[r];
    region.hash = hash_region(region, likeness);
    i64 slot = (i64)(region.hash & (u64)(d.n_slots - 1));
    while (d.slots[slot] >= 0 && !are_alike(region, cutting.regions[d.slots[slot]], likeness))
      slot = (slot + 1) & (d.n_slots - 1);
    if (d.slots[slot] < 0) d.slots[slot] = (i32)r;
    region.key = (u64)d.slots[slot];
  }
}

ARC_FN i64 count_holes(const Region& region, const Describing& d) {
  const i64 height = region.height(), width = region.width();
  if (region.size == height * width) return 0;
  for (i64 k = 0; k < height * width; k++) d.visited[k] = 0;
  i64 n_holes = 0;
  for (i32 row = 0; row < height; row++)
    for (i32 column = 0; column < width; column++) {
      auto is_new = [&](i64 i, i64 j) {
        return !d.visited[i * width + j] && !region.has(region.top + i, region.left + j);
      };
      if (!is_new(row, column)) continue;
      bool enclosed = true;
      Place *next = d.queue, *end = d.queue;
      *end++ = {row, column};
      d.visited[row * width + column] = 1;
      for (; next < end; next++) {
        const i32 i = next->row, j = next->column;
        enclosed &= i > 0 && j > 0 && i < height - 1 && j < width - 1;
        for (int way = 0; way < 4; way++) {
          const i32 i2 = i + (way == 0) - (way == 1), j2 = j + (way == 2) - (way == 3);
          if ((u64)i2 >= (u64)height || (u64)j2 >= (u64)width || !is_new(i2, j2)) continue;
          d.visited[i2 * width + j2] = 1;
          *end++ = {i2, j2};
        }
      }
      n_holes += enclosed;
    }
  return n_holes;
}

ARC_FN u32 colors_touching(const Region& region) {
  u32 colors = 0;
  for (i32 k = 0; k < region.size; k++)
    for (int d = 0; d < 8; d++) {
      const i64 i = region.places[k].row + row_step(d), j = region.places[k].column + column_step(d);
      if (region.scene->has(i, j) && !region.has(i, j)) colors |= 1u << region.scene->cell(i, j);
    }
  return colors & ~1u;
}

// Whether it is its own mirror image: 2 left to right, 1 top to bottom.
ARC_FN u32 mirrors_of(const Region& region) {
  u32 mirrors = 3;
  for (i32 k = 0; k < region.size && mirrors; k++) {
    const Place at = region.places[k];
    const i64 i = region.top + region.bottom - at.row, j = region.left + region.right - at.column;
    const i32 color = region.color(at);
    if (!region.has(at.row, j) || region.scene->cell(at.row, j) != color) mirrors &= ~2u;
    if (!region.has(i, at.column) || region.scene->cell(i, at.column) != color) mirrors &= ~1u;
  }
  return mirrors;
}

ARC_FN i64 count_minor(const Region& region) {
  i32 counts[10] = {};
  i32 most = 0;
  for (i32 k = 0; k < region.size; k++) counts[region.color(region.places[k])]++;
  for (int c = 0; c < 10; c++) most = max_of(most, counts[c]);
  return region.size - most;
}

// What parts are ranked by, none more than the scene has cells; -1 for features that are no ranks.
ARC_FN i64 measure_region(const Region& region, const Describing& d, i64 feature) {
  switch (feature) {
    case 2: case 3: return region.size;
    case 12: return region.left;
    case 13: return region.top;
    case 17: return count_holes(region, d);
    case 18: return region.area();
    case 19: return region.width();
    case 20: return region.height();
    case 23: return count_minor(region);
    default: return -1;
  }
}

// keys := ranks of keys, which are numbers up to `most`, among a scene's parts.
ARC_FN void rank_keys(Region* regions, i64 n, i32* tally, i64 most, bool falling) {
  for (i64 k = 0; k <= most; k++) tally[k] = 0;
  for (i64 r = 0; r < n; r++) tally[regions[r].key] = 1;
  i32 n_before = 0;
  for (i64 k = 0; k <= most; k++) {
    const i32 there = tally[falling ? most - k : k];
    tally[falling ? most - k : k] = n_before;
    n_before += there;
  }
  for (i64 r = 0; r < n; r++) regions[r].key = (u64)tally[regions[r].key];
}
// keys := how many of a scene's parts have the same key.
ARC_FN void count_keys(Region* regions, i64 n, i32* tally) {
  for (i64 r = 0; r < n; r++) tally[regions[r].key] = 0;
  for (i64 r = 0; r < n; r++) tally[regions[r].key]++;
  for (i64 r = 0; r < n; r++) regions[r].key = (u64)tally[regions[r].key];
}

ARC_FN u64 fullness_of(const Region& region) {
  if (region.size < region.area()) return 0;
  if (region.height() == region.width()) return 1;
  return region.height() == 1 || region.width() == 1 ? 2 : 3;
}

// keys := what the parts are like.
ARC_NOINLINE void describe(const Lesson& lesson, const Cutting& cutting, const Describing& d, i64 feature) {
  if (feature == 6) return find_alike(cutting, d, TURNED_SHAPE);
  if (feature == 7 || feature == 10) find_alike(cutting, d, SAME_SHAPE);
  if (feature == 7) return;
  for (i64 s = 0; s < lesson.n_scenes; s++) {
    Region* regions = cutting.regions + cutting.firsts[s];
    const i64 n = cutting.firsts[s + 1] - cutting.firsts[s];
    i32 largest = 0, smallest = 0;
    for (i64 r = 0; r < n && feature == 15; r++) {
      largest = max_of(largest, regions[r].size);
      smallest = r ? min_of(smallest, regions[r].size) : regions[r].size;
    }
    i64 most = 0;
    bool ranked = false;
    for (i64 r = 0; r < n; r++) {
      Region& region = regions[r];
      const i64 measure = measure_region(region, d, feature);
      if (measure >= 0) {
        ranked = true;
        most = max_of(most, measure);
        region.key = (u64)measure;
        continue;
      }
      switch (feature) {
        case 0: case 16: region.key = region.colors; break;
        case 1: region.key = (u64)region.size; break;
        case 4: region.key = (u64)region.height() << 32 | (u64)region.width(); break;
        case 5: region.key = (u64)count_holes(region, d); break;
        case 8: region.key = region.on_edge(); break;
        case 9: region.key = colors_touching(region); break;
        case 11: region.key = mirrors_of(region); break;
        case 14: region.key = fullness_of(region); break;
        case 15: region.key = region.size == largest ? 0 : region.size == smallest ? 1 : 2; break;
        case 21: region.key = region.size == 1; break;
        case 22: region.key = mirrors_of(region) != 0; break;
        default: break;
      }
    }
    if (ranked) rank_keys(regions, n, d.tally, most, feature != 3 && feature != 12 && feature != 13);
    if (feature == 10 || feature == 16) count_keys(regions, n, d.tally);
  }
}

// The one of the last grid's things that is like those which demos pick, -1 where not one is. A demo's
// things are numbered from its first on; key(k) tells them, shows(d, k) says whether one is what demo d
// picks. `counts` has room for a number for each slot of the table.
template <class Key, class Shows>
ARC_FN i64 pick_alike(i64 n_demos, const i64* firsts, Key key, Shows shows, Book& book, i32* counts) {
  // For each key how many demos, from the first on, pick a thing that alone has it.
  book.clear();
  for (i64 d = 0; d < n_demos; d++) {
    const i64 first = firsts[d], end = firsts[d + 1];
    for (i64 k = first; k < end; k++) {
      const u64 slot = book.slot_of(key(k));
      book.keys[slot] = key(k);
      book.values[slot] = max_of(book.values[slot], 0);
      counts[slot] = 0;
    }
    for (i64 k = first; k < end; k++) counts[book.slot_of(key(k))]++;
    bool any_left = false;
    for (i64 k = first; k < end; k++) {
      const u64 slot = book.slot_of(key(k));
      if (counts[slot] != 1 || book.values[slot] != d || !shows(d, k)) continue;
      book.values[slot]++;
      any_left = true;
    }
    if (!any_left) return -1;
  }
  i64 picked = -1;
  for (i64 k = firsts[n_demos]; k < firsts[n_demos + 1]; k++) {
    if (book.values[book.slot_of(key(k))] != n_demos) continue;
    if (picked >= 0) return -1;
    picked = k;
  }
  return picked;
}

// --- what a cell sees ---

constexpr int N_PLAIN_SIGHTS = 22;

// How the grid is cut for a code that asks for its parts; -1 for the others.
ARC_FN int cut_for_sight(i64 code) {
  switch (code) {
    case 6: return ZEROS;
    case 13: case 17: return ALL_4;
    case 16: return ALL_8;
    case 20: return BY_COLOR_8;
    default: return -1;
  }
}

// The eight mirrors and turns, as orders of what is around, and of what is beside.
ARC_TABLE(u8, TURNS_AROUND) = {
    2, 1, 0, 4, 3, 7, 6, 5, 0, 1, 2, 3, 4, 5, 6, 7, 5, 6, 7, 3, 4, 0, 1, 2, 7, 6, 5, 4, 3, 2, 1, 0,
    0, 3, 5, 1, 6, 2, 4, 7, 5, 3, 0, 6, 1, 7, 4, 2, 7, 4, 2, 6, 1, 5, 3, 0, 2, 4, 7, 1, 6, 0, 3, 5,
};
ARC_TABLE(u8, TURNS_BESIDE) = {
    0, 2, 1, 3, 0, 1, 2, 3, 3, 1, 2, 0, 3, 2, 1, 0, 1, 0, 3, 2, 1, 3, 0, 2, 2, 3, 0, 1, 2, 0, 3, 1,
};

// What seeing needs, and what it has found out about one scene.
struct Seeing {
  u8* looks = nullptr;    // for each of 8 directions, most_cells: the first colour there
  i64 stride = 0;         // most_cells
  u32* rows = nullptr;    // of each row, and of each column, most_lines
  u32* columns = nullptr;
  u8* parts = nullptr;    // of each cell's part, most_cells
  i32* tally = nullptr;   // most_cells + 1
};
ARC_FN Seeing new_seeing(Lane& lane, const Lesson& lesson, i64 code) {
  const bool has_looks = code == 5 || code == 15 || code == 18 || (code >= 24 && code <= 29);
  const bool has_parts = cut_for_sight(code) >= 0;
  Seeing s;
  s.stride = lesson.most_cells;
  s.looks = lane.allocate_array<u8>(has_looks ? 8 * lesson.most_cells : 0);
  s.parts = lane.allocate_array<u8>(has_parts ? lesson.most_cells : 0);
  s.tally = lane.allocate_array<i32>(has_parts ? lesson.most_cells + 1 : 0);
  s.rows = lane.allocate_array<u32>(lesson.most_lines);
  s.columns = lane.allocate_array<u32>(lesson.most_lines);
  if (!s.looks || !s.parts || !s.tally || !s.rows) s.columns = nullptr;
  return s;
}

// For each cell the first colour in a direction but 0, or, with `others`, but its own.
ARC_FN void look_along(const Scene& scene, int direction, bool others, u8* found) {
  const i32 di = row_step(direction), dj = column_step(direction);
  const i32 n_rows = scene.n_rows, width = scene.width;
  const i64 step = (i64)di * width + dj;
  for (i32 a = 0; a < n_rows; a++) {
    const i32 i = di < 0 ? a : n_rows - 1 - a;
    const i64 row = (i64)i * width;
    const bool row_ends = (u32)(i + di) >= (u32)n_rows;
    for (i32 b = 0; b < width; b++) {
      const i32 j = dj < 0 ? b : width - 1 - b;
      const i64 k = row + j;
      if (row_ends || (u32)(j + dj) >= (u32)width) {
        found[k] = OUTSIDE_COLOR;
        continue;
      }
      const i32 next = scene.cells[k + step];
      found[k] = next == (others ? scene.cells[k] : 0) ? found[k + step] : (u8)next;
    }
  }
}

// What codes 10, 12, 21 and 33 see of a row or column.
ARC_FN u32 see_line(const i32* cells, i64 n, i64 step, i64 code) {
  i32 counts[10] = {};
  u32 colors = 0, first = 0;
  for (i64 k = 0; k < n; k++) {
    const i32 color = cells[k * step];
    counts[color]++;
    colors |= 1u << color;
    if (!first) first = (u32)color;
  }
  if (code == 33) return first;
  if (code == 21) return colors;
  if (code == 12) return (colors & (colors - 1)) == 0;
  u32 best = 0;
  for (u32 c = 1; c < 10; c++)
    if (counts[c] > (best ? counts[best] : 0)) best = c;
  return best;
}

// What codes 6, 13, 16, 17 and 20 see of a cell's part.
ARC_FN void see_parts(const Scene& scene, Region* regions, i64 n, i64 code, const Seeing& s) {
  const i64 n_cells = scene.n_cells();
  for (i64 k = 0; k < n_cells; k++) s.parts[k] = code == 20 ? OUTSIDE_COLOR : 0;
  if (code == 20) {
    for (i64 k = 0; k < n_cells; k++) s.tally[k] = 0;
    for (i64 r = 0; r < n; r++) {
      const Region& region = regions[r];
      const u8 color = (u8)lowest_bit(region.colors);
      for (i64 i = region.top; i <= region.bottom; i++)
        for (i64 k = i * scene.width + region.left; k <= i * scene.width + region.right; k++)
          if (region.size >= s.tally[k]) {
            s.tally[k] = region.size;
            s.parts[k] = color;
          }
    }
    return;
  }
  if (code == 13 || code == 16)
    for (int c = 0; c < 10; c++) {
      i64 most = -1;
      for (i64 r = 0; r < n; r++)
        if (regions[r].colors == 1u << c) most = max_of(most, (i64)regions[r].size);
      for (i64 k = 0; k <= most; k++) s.tally[k] = 0;
      for (i64 r = 0; r < n; r++)
        if (regions[r].colors == 1u << c) s.tally[regions[r].size] = 1;
      i32 n_larger = 0;
      for (i64 k = most; k >= 0; k--) {
        const i32 there = s.tally[k];
        s.tally[k] = n_larger;
        n_larger += there;
      }
      for (i64 r = 0; r < n; r++)
        if (regions[r].colors == 1u << c) regions[r].key = (u64)min_of(s.tally[regions[r].size], 4);
    }
  for (i64 r = 0; r < n; r++) {
    const Region& region = regions[r];
    u8 key = (u8)region.key;
    if (code == 6) key = region.on_edge() ? 0 : (u8)min_of(region.size, 9);
    if (code == 17) key = region.on_edge();
    for (i32 k = 0; k < region.size; k++)
      s.parts[(i64)region.places[k].row * scene.width + region.places[k].column] = key;
  }
}

// Finds out what a code needs to know of a scene.
ARC_FN void look_at_scene(const Scene& scene, Region* regions, i64 n, i64 code, const Seeing& s) {
  if (cut_for_sight(code) >= 0) return see_parts(scene, regions, n, code, s);
  if (code == 10 || code == 12 || code == 21 || code == 33) {
    for (i64 i = 0; i < scene.n_rows; i++)
      s.rows[i] = see_line(scene.cells + i * scene.width, scene.width, 1, code);
    for (i64 j = 0; j < scene.width; j++)
      s.columns[j] = see_line(scene.cells + j, scene.n_rows, scene.width, code);
    return;
  }
  const bool everywhere = code == 26 || code == 29, others = code == 18 || code == 27;
  if (everywhere || others || code == 5 || code == 15 || code == 24 || code == 25 || code == 28)
    for (int d = 0; d < 8; d++)
      if (everywhere || is_beside(d)) look_along(scene, d, others, s.looks + d * s.stride);
}

// What a cell sees, in `seen`, at most 8 colours or numbers below 16; how many they are.
ARC_FN int see(const Scene& scene, const Seeing& s, i64 code, i64 i, i64 j, u8* seen) {
  const i64 at = i * scene.width + j;
  int n = 0;
  auto look = [&](int d) { return s.looks[d * s.stride + at]; };
  auto both = [&](int a, int b) {
    const u8 color = look(a);
    seen[n++] = color == look(b) ? color : OUTSIDE_COLOR;
  };
  switch (code) {
    case 1: case 22:
      for (int d = 0; d < 8; d++)
        if (is_beside(d)) seen[n++] = scene.at(i + row_step(d), j + column_step(d));
      return n;
    case 2: case 3: case 11: case 19: case 23:
      if (i > 0 && j > 0 && i < scene.n_rows - 1 && j < scene.width - 1) {
        const i32* middle = scene.cells + at;
        const i64 w = scene.width;
        seen[0] = (u8)middle[-w - 1];
        seen[1] = (u8)middle[-w];
        seen[2] = (u8)middle[-w + 1];
        seen[3] = (u8)middle[-1];
        seen[4] = (u8)middle[1];
        seen[5] = (u8)middle[w - 1];
        seen[6] = (u8)middle[w];
        seen[7] = (u8)middle[w + 1];
      } else {
        for (int d = 0; d < 8; d++) seen[d] = scene.at(i + row_step(d), j + column_step(d));
      }
      return 8;
    case 4: case 30:
      seen[0] = (u8)scene.cell(i, scene.width - 1 - j);
      seen[1] = (u8)scene.cell(scene.n_rows - 1 - i, j);
      return 2;
    case 5: case 18: case 24: case 25: case 27:
      for (int d = 0; d < 8; d++)
        if (is_beside(d)) seen[n++] = look(d);
      return n;
    case 26:
      for (int d = 0; d < 8; d++) seen[d] = look(d);
      return 8;
    case 15: case 28: case 29:
      both(4, 3);
      both(6, 1);
      if (code != 29) return n;
      both(7, 0);
      both(5, 2);
      return n;
    case 7: case 8:
      seen[0] = (u8)(i % (code - 5));
      seen[1] = (u8)(j % (code - 5));
      return 2;
    case 9:
      seen[0] = (u8)min_of(min_of(min_of(i, j), (i64)5), min_of(scene.n_rows - 1 - i, scene.width - 1 - j));
      return 1;
    case 10: case 12: case 33:
      seen[0] = (u8)s.rows[i];
      seen[1] = (u8)s.columns[j];
      return 2;
    case 14:
      seen[0] = seen[1] = 0;
      for (int d = 0; d < 8; d++) {
        const u8 color = scene.at(i + row_step(d), j + column_step(d));
        seen[!is_beside(d)] += color != 0 && color != OUTSIDE_COLOR;
      }
      return 2;
    case 6: case 13: case 16: case 17: case 20:
      seen[0] = s.parts[at];
      return 1;
    case 31:
      seen[0] = scene.at(j, i);
      return 1;
    case 32:
      seen[0] = (u8)scene.cell(scene.n_rows - 1 - i, scene.width - 1 - j);
      return 1;
    default: return 0;
  }
}

// The key of a cell and what it sees, for codes below N_PLAIN_SIGHTS.
ARC_FN u64 plain_key(const Scene& scene, const Seeing& s, i64 code, i64 i, i64 j) {
  const u64 own = (u64)scene.cell(i, j);
  if (code == 21) return own << 20 | (u64)s.rows[i] << 10 | (u64)s.columns[j];
  u8 seen[8];
  const int n = see(scene, s, code, i, j, seen);
  u64 key = 0;
  if (code == 3) {  // how many of each colour
    for (int k = 0; k < 8; k++) key += 1ULL << 4 * seen[k];
    return own << 44 | key;
  }
  if (code == 19) {
    for (int k = 0; k < 8; k++) key |= 1ULL << seen[k];
    return own << 11 | key;
  }
  if (code == 11) {
    key = ~0ULL;
    for (int turn = 0; turn < 8; turn++) {
      u64 turned = 0;
      for (int k = 0; k < 8; k++) turned = turned << 4 | seen[TURNS_AROUND[8 * turn + k]];
      key = min_of(key, turned);
    }
    return own << 32 | key;
  }
  for (int k = 0; k < n; k++) key = key << 4 | seen[k];
  return own << 32 | key;
}

// Colours as they come, its own first, numbered from 1; 0 and what lies outside stay. `order` gets
// the colours by their numbers, less 1.
ARC_FN u64 number_colors(u8 own, const u8* seen, const u8* turn, int n, u8* order) {
  u8 numbers[16] = {};
  numbers[OUTSIDE_COLOR] = OUTSIDE_COLOR;
  u8 n_colors = 0;
  u64 key = 0;
  for (int k = -1; k < n; k++) {
    const u8 color = k < 0 ? own : seen[turn ? turn[k] : k];
    if (color && !numbers[color]) {
      order[n_colors] = color;
      numbers[color] = ++n_colors;
    }
    key = key << 4 | numbers[color];
  }
  return key;
}
// The same of what a cell sees, for codes from N_PLAIN_SIGHTS on: of all turns the least.
ARC_FN u64 relative_key(const Scene& scene, const Seeing& s, i64 code, i64 i, i64 j, u8* order) {
  const u8 own = (u8)scene.cell(i, j);
  u8 seen[8];
  const int n = see(scene, s, code, i, j, seen);
  const bool turned = code == 22 || code == 23 || code == 25 || code == 27;
  if (!turned) return number_colors(own, seen, nullptr, n, order);
  const u8* turns = n == 8 ? TURNS_AROUND : TURNS_BESIDE;
  u64 best = ~0ULL;
  for (int turn = 0; turn < 8; turn++) {
    u8 colors[10];
    const u64 key = number_colors(own, seen, turns + turn * n, n, colors);
    if (key >= best) continue;
    best = key;
    for (int k = 0; k < 9; k++) order[k] = colors[k];
  }
  return best;
}

}  // namespace arc
