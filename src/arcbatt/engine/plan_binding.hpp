// What plan_binding.cpp adds to the extension module.
#pragma once
#include <nanobind/nanobind.h>

#include "plan_run.hpp"

void bind_plans(nanobind::module_& module);
