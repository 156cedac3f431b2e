// The part of the extension module in graph_binding.cpp.
#pragma once
#include <nanobind/nanobind.h>

void bind_graphs(nanobind::module_& module);
