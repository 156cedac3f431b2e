// What graph_binding.cpp adds to the extension module.
#pragma once
#include <nanobind/nanobind.h>

void bind_graphs(nanobind::module_& module);
