// Features of cells in columns: as language/primitives/cell_columns.py. What is written here runs in one
// thread, inside `serial`, but for what takes a lane.
#pragma once
#include "observations.hpp"

namespace arc {

constexpr int N_CELL_FEATURES = 469;
constexpr i32 NO_COLOR_THERE = 10, MOST_OF_CELL = 63;
enum CellTrait : u8 {
  IS_COLOR = 1,
  IS_TAKEN = 2,
  TURNS = 4,
  NAMES = 8,
  SHADE = IS_COLOR | NAMES,
  PAINT = SHADE | IS_TAKEN,
};

// Features that are found together; those of parts, three kinds, one after the other.
enum CellFeatureGroup : u8 {
  OWN_GROUP,
  AROUND_GROUP,
  LOOK_GROUP,
  SIGHT_GROUP,
  MIRRORED_GROUP,
  POSITION_GROUP,
  LINE_GROUP,
  COUNT_GROUP,
  DISTANCE_GROUP,
  BOX_GROUP,
  OBJECT_GROUP,
  WHOLE_GROUP = OBJECT_GROUP + 3,
  N_CELL_GROUPS
};

// Of each feature: its traits and its simplicity; of each group, where it ends.
struct CellFeatureTable {
  u8 traits[N_CELL_FEATURES];
  u8 simplicity[N_CELL_FEATURES];
  i32 ends[N_CELL_GROUPS];
};

// A part of a grid; its places are listed in reading order.
struct CellObject {
  const i32* places;
  i32 size, color, top, bottom, left, right, holes, first_alike;
  bool ground, mirrored_sideways, mirrored_upright;
  i32 touched[11];

  ARC_FN i32 height() const { return bottom - top + 1; }
  ARC_FN i32 breadth() const { return right - left + 1; }
};

// Memory for one grid at a time, of up to n cells.
struct CellScratch {
  u8* counts = nullptr;    // 11 a cell
  u8* looked = nullptr;    // 8 n: the first other colour, by direction
  i32* distant = nullptr;  // 10 n: how far that is; how far colours are
  u8* image = nullptr;     // 4 n
  u8* sights = nullptr;    // 8 n: the first colour but background and the own, by direction
  i32* of = nullptr;       // the part of each cell
  i32* places = nullptr;
  i32* queue = nullptr;
  i32* values = nullptr;   // one a part
  i32* tally = nullptr;    // 2 n + 4
  u8* seen = nullptr;
  CellObject* objects = nullptr;
};
ARC_FN bool allocate_cell_scratch(Lane& lane, i64 n, CellScratch& s) {
  s.counts = lane.allocate_array<u8>(11 * n);
  s.looked = lane.allocate_array<u8>(8 * n);
  s.distant = lane.allocate_array<i32>(10 * n);
  s.image = lane.allocate_array<u8>(4 * n);
  s.sights = lane.allocate_array<u8>(8 * n);
  s.of = lane.allocate_array<i32>(n);
  s.places = lane.allocate_array<i32>(n);
  s.queue = lane.allocate_array<i32>(n);
  s.values = lane.allocate_array<i32>(n);
  s.tally = lane.allocate_array<i32>(2 * n + 4);
  s.seen = lane.allocate_array<u8>(n);
  s.objects = lane.allocate_array<CellObject>(n);
  return s.counts && s.looked && s.distant && s.image && s.sights && s.of && s.places && s.queue && s.values &&
         s.tally && s.seen && s.objects;
}

// The colour that is counted most, or least but not 0 times, the lowest of several; two are left out.
template <class T>
ARC_FN i32 commonest_color(const T* counts, i32 apart = -1, i32 apart_too = -1) {
  i32 best = NO_COLOR_THERE;
  for (i32 c = 0; c < 10; c++)
    if (c != apart && c != apart_too && counts[c] > (best == NO_COLOR_THERE ? (T)0 : counts[best])) best = c;
  return best;
}
template <class T>
ARC_FN i32 rarest_color(const T* counts, i32 apart = -1) {
  i32 best = NO_COLOR_THERE;
  for (i32 c = 0; c < 10; c++)
    if (c != apart && counts[c] && (best == NO_COLOR_THERE || counts[c] < counts[best])) best = c;
  return best;
}
template <class T>
ARC_FN i32 n_colors_counted(const T* counts) {
  i32 n = 0;
  for (int c = 0; c < 10; c++) n += counts[c] > 0;
  return n;
}

// Writes the features of one grid, one column after the other: those that are wanted.
struct CellWriter {
  Scene scene;
  CellScratch s;
  u8* columns;       // of the first cell; null where the table is to be filled
  i64 stride;        // from feature to feature
  const u8* wanted;  // one a feature
  CellFeatureTable* table;
  i32 next = 0;  // feature
  i32 ground = 0;
  i64 n = 0;
  i32 n_rows = 0, width = 0;
  i32 color_counts[11] = {};
  i32 n_objects = 0;

  // Begins the next feature: whether it is to be written.
  ARC_FN bool begin(int traits, int simplicity) {
    const i32 feature = next++;
    if (columns) return wanted[feature];
    table->traits[feature] = (u8)traits;
    table->simplicity[feature] = (u8)simplicity;
    return false;
  }
  // The next feature: f(k) is what it is in cell k.
  template <class F>
  ARC_FN void add(int traits, int simplicity, F f) {
    if (!begin(traits, simplicity)) return;
    u8* to = columns + (next - 1) * stride;
    for (i64 k = 0; k < n; k++) to[k] = (u8)min_of((i32)f(k), MOST_OF_CELL);
  }
  // The same by row and column.
  template <class F>
  ARC_FN void add_at(int traits, int simplicity, F f) {
    if (!begin(traits, simplicity)) return;
    u8* to = columns + (next - 1) * stride;
    for (i32 i = 0; i < n_rows; i++)
      for (i32 j = 0; j < width; j++) *to++ = (u8)min_of((i32)f(i, j), MOST_OF_CELL);
  }
  // Whether any feature of a group is to be written.
  ARC_FN bool wants(int group) const {
    for (i32 k = group ? table->ends[group - 1] : 0; columns && k < table->ends[group]; k++)
      if (wanted[k]) return true;
    return false;
  }
  // The next group of features, which f adds, unless none of them is to be written.
  template <class F>
  ARC_FN void add_group(int group, F f) {
    if (!columns || wants(group)) f();
    if (!columns) table->ends[group] = next;
    next = table->ends[group];
  }
  ARC_FN i32 own(i64 k) const { return scene.cells[k]; }
  ARC_FN i32 at(i32 i, i32 j) const { return scene.at(i, j); }

  // The three writers that look at all cells around: which directions, 0 beside, 1 corners, 2 all.
  ARC_FN static bool is_of(int directions, int d) {
    return directions == 2 || is_beside(d) == (directions == 0);
  }
};

}  // namespace arc
