// Constants of counting.cu that the host needs, too.
#pragma once
#include "platform.hpp"

namespace arc {

// Counts per thread, and threads per block, of add_counts.
constexpr u32 COUNTS_PER_THREAD = 8, COUNT_THREADS = 1024;
// Sums saturate at this value, which is too much for any run.
constexpr u32 MOST_COUNTED = 1u << 30;
ARC_FN u32 add_counted(u32 one, u32 other) { return min_of(one + other, MOST_COUNTED); }

}  // namespace arc
