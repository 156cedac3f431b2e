// What can be said of a cell: as language/primitives/cell_features.py, in the same order. What is
// written here runs in one thread, inside `serial`.
#pragma once
#include "cell_objects.hpp"

namespace arc {

// Writes all features of one grid.
struct FeaturesWriter : ObjectsWriter {
  ARC_FN void whole_features() {
    const i32 main = commonest_color(color_counts, ground), rare = rarest_color(color_counts, ground);
    add(PAINT, 9, [=](i64) { return ground; });
    add(PAINT, 8, [=](i64) { return main; });
    add(PAINT, 8, [=](i64) { return rare; });
    add(0, 9, [=](i64 k) { return own(k) == main; });
    add(0, 9, [=](i64 k) { return own(k) == rare; });
  }

  ARC_FN FeaturesWriter(const Scene& of, const CellScratch& scratch) {
    scene = of;
    s = scratch;
    n_rows = scene.n_rows;
    width = scene.width;
    n = scene.n_cells();
    for (i64 k = 0; k < n; k++) color_counts[own(k)]++;
    ground = commonest_color(color_counts);
  }

  ARC_FN void write() {
    add_group(OWN_GROUP, [&] { own_features(); });
    add_group(AROUND_GROUP, [&] { around_features(); });
    add_group(LOOK_GROUP, [&] { look_features(); });
    if (wants(SIGHT_GROUP) || wants(OBJECT_GROUP + 1)) find_sights();
    add_group(SIGHT_GROUP, [&] { sight_features(); });
    add_group(MIRRORED_GROUP, [&] { mirrored_features(); });
    add_group(POSITION_GROUP, [&] { position_features(); });
    add_group(LINE_GROUP, [&] { line_features(); });
    add_group(COUNT_GROUP, [&] { count_features(); });
    add_group(DISTANCE_GROUP, [&] { distance_features(); });
    add_group(BOX_GROUP, [&] { box_features(); });
    for (int how = 0; how < 3; how++) add_group(OBJECT_GROUP + how, [&] { object_features(how); });
    add_group(WHOLE_GROUP, [&] { whole_features(); });
  }
};

// Fills the table of all features.
ARC_NOINLINE void fill_cell_table(CellFeatureTable* table) {
  FeaturesWriter writer{Scene(), CellScratch()};
  writer.columns = nullptr;
  writer.table = table;
  writer.write();
}
// Writes the features of a grid, those that are wanted; the table is filled.
ARC_NOINLINE void write_cell_features(const Scene& scene, const CellScratch& scratch, u8* columns, i64 stride,
                                      const u8* wanted, CellFeatureTable* table) {
  FeaturesWriter writer(scene, scratch);
  writer.columns = columns;
  writer.stride = stride;
  writer.wanted = wanted;
  writer.table = table;
  writer.write();
}
// What the boxes of all parts of a grid hold, for each way to cut it.
ARC_NOINLINE i64 area_of_parts(const Scene& scene, const CellScratch& scratch) {
  FeaturesWriter writer(scene, scratch);
  i64 area = 0;
  for (int how = 0; how < 3; how++) area += writer.cut(how);
  return area;
}

}  // namespace arc
