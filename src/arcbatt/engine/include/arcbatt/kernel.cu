// The GPU side of a run: resident blocks take samples from a queue, a lane to each warp.
#include "batt.hpp"

namespace arc {

// Everything a launch needs, written by the host (engine/gpu.py) in this order.
struct Launch {
  Batt batt;
  Budget budget;
  const Sample* samples;
  const u32* order;  // of the samples, by size
  u64 n_samples;
  u64* next;  // the queue
  u8* reasons;
  u8* matches;
  u64* hashes;
  i64* steps;
  u8* redo;  // samples whose values did not fit their arena
  Value* slots;
  NodeCost* costs;
  char* arenas;
  u64 arena_bytes;
};

}  // namespace arc

// A block's warps take a sample each and run them node by node together: they all need the same
// instructions, which one fetch then brings for all. So samples come ordered by size.
extern "C" __global__ void __launch_bounds__(ARC_BLOCK_THREADS, ARC_BLOCKS_A_SM)
    run_batt(const arc::Launch* image) {
  using namespace arc;
  __shared__ u64 first;
  alignas(16) __shared__ char lanes[ARC_BLOCK_THREADS / W * sizeof(Lane)];
  const Launch launch = *image;
  const Batt batt = launch.batt;
  const u32 n_warps = blockDim.x / W, warp = threadIdx.x / W;
  const u64 lane_index = (u64)blockIdx.x * n_warps + warp;
  Value* slots = launch.slots + lane_index * batt.n_nodes;
  NodeCost* costs = launch.costs + lane_index * batt.n_nodes;
  Lane& lane = ((Lane*)lanes)[warp];
  lane.max_steps = launch.budget.steps;
  lane.max_bytes = launch.budget.bytes;
  lane.max_elements = min_of<u64>(launch.budget.steps, launch.budget.bytes / BYTES_AN_ELEMENT);
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) first = atomicAdd(launch.next, (u64)n_warps);
    __syncthreads();
    if (first >= launch.n_samples) return;
    bool active = first + warp < launch.n_samples;
    const u32 sample = active ? launch.order[first + warp] : 0;
    const Sample s = launch.samples[sample];
    lane.top = launch.arenas + lane_index * launch.arena_bytes;
    lane.end = lane.top + launch.arena_bytes;
    lane.exhausted = false;
    for (u32 node = 0; node < batt.n_nodes; node++) {
      if (active) active = run_into_slot(lane, batt, node, s, slots, costs);
      __syncthreads();
    }
    if (lane.exhausted && thread_index() == 0) launch.redo[sample] = 1;
    for (u32 p = 0; p < batt.n_programs; p++) {
      if (active) {
        const Outcome out = outcome_of(batt, p, launch.budget, s, slots, costs);
        if (thread_index() == 0) {
          const u64 cell = p * launch.n_samples + sample;
          launch.reasons[cell] = out.reason;
          launch.matches[cell] = out.matches;
          launch.hashes[cell] = out.hash;
          launch.steps[cell] = (i64)out.steps;
        }
      }
      __syncthreads();
    }
  }
}
