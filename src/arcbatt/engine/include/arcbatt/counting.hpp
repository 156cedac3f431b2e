// How numbers of elements are added up (counting.cu), as the host must know, too.
#pragma once
#include "platform.hpp"

namespace arc {

// How many numbers of elements are added up by a thread, and threads of a block that does so.
constexpr u32 COUNTS_A_THREAD = 8, COUNT_THREADS = 1024;
// Sums of them go no further: that is too much for any run.
constexpr u32 MOST_COUNTED = 1u << 30;
ARC_FN u32 add_counted(u32 one, u32 other) { return min_of(one + other, MOST_COUNTED); }

}  // namespace arc
