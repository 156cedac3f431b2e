// Facts about grids that ranking needs: the shapes of their parts, and the patterns in them.
#pragma once
#include <nanobind/nanobind.h>

namespace arc {

void bind_grid_facts(nanobind::module_& module);

}  // namespace arc
