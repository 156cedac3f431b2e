// Sums the numbers of elements that the sites of a step ask for, so that every row of a domain knows its first element
// (launch.hpp), and reports the sums that the host waits for.
#include "counting.hpp"

// Returns the sum of the numbers of this thread and of those before it in its warp, at most MOST_COUNTED.
ARC_EXTERN arc::u32 sum_up_to(arc::u32 sum) {
  for (arc::u32 by = 1; by < 32; by *= 2) {
    const arc::u32 more = __shfl_up_sync(0xffffffffu, sum, by);
    if ((threadIdx.x & 31) >= by) sum = arc::add_counted(sum, more);
  }
  return sum;
}
// firsts[k] := the sum of counts before k, for k up to n. A block sums one part, publishes the sum in place of the
// first count of that part, marked by the highest bit, and waits for the sums of earlier parts. With fewer blocks than
// parts, a block handles several in turn. If the last sum is MOST_COUNTED, the others are undefined.
extern "C" __global__ void __launch_bounds__(arc::COUNT_THREADS) add_counts(arc::u32* counts, arc::u32* firsts,
                                                                          arc::u32 n) {
  using namespace arc;
  constexpr u32 MARK = 1u << 31;
  __shared__ u32 of_warps[32];
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
  const u32 size = COUNTS_PER_THREAD * blockDim.x;
  u32 before = 0, next = 0;  // the sum of the parts before this one
  for (u32 part = blockIdx.x; part * size < n; part += gridDim.x) {
    // The counts of a warp are adjacent, as are those that its threads read together.
    const u32 first = part * size + warp * COUNTS_PER_THREAD * 32 + lane;
    u32 own[COUNTS_PER_THREAD], places[COUNTS_PER_THREAD], sum = 0;
#pragma unroll
    for (u32 k = 0; k < COUNTS_PER_THREAD; k++) {
      const u32 at = first + k * 32;
      own[k] = at < n ? min_of(counts[at], MOST_COUNTED) : 0;
    }
#pragma unroll
    for (u32 k = 0; k < COUNTS_PER_THREAD; k++) {
      const u32 up_to = sum_up_to(own[k]);
      places[k] = sum + up_to - own[k];
      sum = add_counted(sum, __shfl_sync(0xffffffffu, up_to, 31));
    }
    if (lane == 31) of_warps[warp] = sum;
    __syncthreads();
    const u32 up_to_warp = sum_up_to(lane < n_warps ? of_warps[lane] : 0);
    u32 earlier = __shfl_sync(0xffffffffu, up_to_warp, warp ? warp - 1 : 0);
    if (!warp) earlier = 0;
    const u32 all = __shfl_sync(0xffffffffu, up_to_warp, 31);
    if (threadIdx.x == 0) *(volatile u32*)(counts + part * size) = all | MARK;
    u32 others = 0;
    for (u32 other = next + lane; other < part; other += 32) {
      u32 count;
      do count = *(volatile u32*)(counts + other * size);
      while (!(count & MARK));
      others = add_counted(others, count & ~MARK);
    }
    before = add_counted(before, __shfl_sync(0xffffffffu, sum_up_to(others), 31));
#pragma unroll
    for (u32 k = 0; k < COUNTS_PER_THREAD; k++)
      if (first + k * 32 < n) firsts[first + k * 32] = before + earlier + places[k];
    before = add_counted(before, all);
    next = part + 1;
    if (threadIdx.x == 0 && next * size >= n) firsts[n] = before;
    __syncthreads();  // before the sums of the warps are overwritten
  }
  if (n == 0 && threadIdx.x == 0) firsts[0] = 0;
}

// to[k] := from[places[k]].
extern "C" __global__ void pick(const arc::u32* from, const arc::u32* places, arc::u32* to, arc::u32 n) {
  for (arc::u32 k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)
    to[k] = from[places[k]];
}
