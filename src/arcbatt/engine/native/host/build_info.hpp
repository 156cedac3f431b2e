// How the extension was compiled, for `arcbatt doctor`.
#pragma once

#include <nanobind/nanobind.h>

#include "arcbatt/platform.hpp"

#ifndef ARCBATT_FLAGS
#define ARCBATT_FLAGS "unknown"
#endif
#define ARC_QUOTED(...) #__VA_ARGS__
#define ARC_TEXT_OF(...) ARC_QUOTED(__VA_ARGS__)

// The level that loops marked ARC_CLONED take on this machine, as the loader has chosen it.
inline const char* cloned_level() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (sizeof(ARC_TEXT_OF(ARC_CLONED)) > 1) {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
      return "x86-64-v4";
    if (__builtin_cpu_supports("avx2")) return "avx2";
  }
#endif
  return "baseline";
}

inline nanobind::dict build_info() {
  nanobind::dict info;
#if defined(__clang__)
  info["compiler"] = "Clang " __clang_version__;
#elif defined(__GNUC__)
  info["compiler"] = "GCC " __VERSION__;
#else
  info["compiler"] = "unknown";
#endif
  info["flags"] = ARCBATT_FLAGS;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  info["sanitized"] = true;
#else
  info["sanitized"] = false;
#endif
  info["instruction_set"] = cloned_level();
  return info;
}
