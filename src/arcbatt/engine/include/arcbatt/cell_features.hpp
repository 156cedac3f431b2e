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

  // Writes all; what the boxes of all parts hold.
  ARC_FN i64 write() {
    n_rows = scene.n_rows;
    width = scene.width;
    n = columns ? scene.n_cells() : 0;
    for (i64 k = 0; k < n; k++) color_counts[own(k)]++;
    ground = commonest_color(color_counts);
    own_features();
    around_features();
    look_features();
    sight_features();
    mirrored_features();
    position_features();
    line_features();
    count_features();
    distance_features();
    box_features();
    i64 area = 0;
    for (int how = 0; how < 3; how++) area += object_features(how);
    whole_features();
    return area;
  }
};

// Writes the features of a grid, those that are wanted, or, without columns, the table alone.
ARC_NOINLINE i64 write_cell_features(const Scene& scene, const CellScratch& scratch, u8* columns, i64 stride,
                                     const u8* wanted, CellFeatureTable* table) {
  FeaturesWriter writer;
  writer.scene = scene;
  writer.s = scratch;
  writer.columns = columns;
  writer.stride = stride;
  writer.wanted = wanted;
  writer.table = table;
  return writer.write();
}

}  // namespace arc
