// The part of the extension module in plan_binding.cpp.
#pragma once
#include <nanobind/nanobind.h>

void bind_plans(nanobind::module_& module);
