// All primitives, by family, in the order of language/primitives.
#pragma once
#include "primitives/numbers.hpp"
#include "primitives/containers.hpp"
#include "primitives/functions.hpp"
#include "primitives/patches.hpp"
#include "primitives/shapes.hpp"
#include "primitives/pieces.hpp"
#include "primitives/grids.hpp"
#include "primitives/objects.hpp"
#include "primitives/codes.hpp"
#include "primitives/ranks.hpp"
#include "primitives/demos.hpp"
#include "primitives/pictures.hpp"
#include "primitives/picture_drawing.hpp"
#include "primitives/picture_lists.hpp"
#include "primitives/picture_pairs.hpp"
#include "primitives/learned.hpp"
#include "primitives/object_actions.hpp"
#include "primitives/views.hpp"
#include "primitives/cell_trees.hpp"
#include "primitives/rewriting.hpp"
#include "primitives/symmetry.hpp"
#include "primitives/classes.hpp"
#include "primitives/panels.hpp"
#include "primitives/templates.hpp"
#include "primitives/object_bars.hpp"
#include "primitives/patterns.hpp"
#if !defined(ARC_FLAT)
#include "columns.hpp"
#endif

namespace arc {

#if !defined(ARC_FLAT)
ARC_NOINLINE Value run_primitive(Lane& lane, u32 primitive, const Value* args) {
  switch (primitive) {
#define ARC_PRIMITIVE(name, arity, peeks, d0, d1, d2, d3, name_hash) \
  case P_##name:                                                     \
    if (!codes_fit<P_##name>(args)) return fail(OUT_OF_RANGE);       \
    return prim_##name(lane, args);
#include "table.inc"
#undef ARC_PRIMITIVE
    default: return fail(WRONG_TYPE);
  }
}
#endif

}  // namespace arc
