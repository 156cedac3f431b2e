// The GPU side of a run. A kernel for each primitive runs all its calls that are ready, on all samples:
// a call on a sample is one item, done by one warp. So a kernel's code is small and its own, and few
// samples or few calls still fill the card.
#include "batt.hpp"
#include "words.hpp"

namespace arc {

// The memory of all values of a launch, given out in pages. A warp keeps its page for the next kernel.
struct Pool {
  char* start;
  u64 n_bytes;
  u64* n_used;
  u64 max_call_bytes;  // what one call may take
};
struct Page {
  char* top;
  char* end;
};

// Everything the kernels need, written by the host (engine/gpu.py) in this order.
struct Launch {
  Batt batt;
  Budget budget;
  const Sample* samples;
  const u32* chosen;  // the samples of this launch
  u64 n_chosen;
  u64 n_samples;  // in all: a row of the result arrays
  Pool pool;
  Page* pages;        // by warp
  const u32* stopped; // not 0 when the run is to end
  Value* values;      // [node, chosen sample]
  NodeCost* costs;    // [node, chosen sample]
  u8* reasons;        // [program, sample]
  u8* matches;
  u64* hashes;
  i64* steps;
  i32* numbers;
  i64* n_words;  // [program, chosen sample]: of values that are kept; later where they start
  i32* words;

  ARC_FN Slots slots(u32 at) const { return {values + at, costs + at, n_chosen}; }
};

constexpr u64 PAGE_BYTES = 64 * 1024;

// What a warp has in shared memory.
struct Worker {
  Lane lane;
  Pool pool;
  u64 taken;  // from the pool, by the call
};

ARC_NOINLINE char* grow_arena(void* owner, u64 bytes, u64* given) {
  Worker& worker = *(Worker*)owner;
  const u64 size = bytes <= PAGE_BYTES / 2 ? PAGE_BYTES : (bytes + 255) & ~255ULL;
  const u64 taken = worker.taken + size;
  if (taken > worker.pool.max_call_bytes) return nullptr;
  const u64 at = (u64)serial([&]() { return (i64)atomicAdd(worker.pool.n_used, size); });
  if (at + size > worker.pool.n_bytes) return nullptr;
  worker.taken = taken;
  sync();
  *given = size;
  return worker.pool.start + at;
}

// The items of a kernel, taken from its queue a few at a time.
struct Queue {
  u32* next;
  u32 n_items;
  u32 at_once;
};

template <class Body>
ARC_FN void each_item(const Launch& launch, const Queue& queue, Body body) {
  for (;;) {
    u32 first = queue.n_items;
    if (thread_index() == 0 && !*(volatile const u32*)launch.stopped)
      first = atomicAdd(queue.next, queue.at_once);
    first = shuffle(first, 0);
    if (first >= queue.n_items) return;
    const u32 end = min_of(first + queue.at_once, queue.n_items);
    for (u32 item = first; item < end; item++) body(item);
  }
}

// run(lane, node, code, slots) of each of the nodes on each sample.
template <class Run>
ARC_FN void run_nodes(const Launch& launch, const Queue& queue, const u32* nodes, u32 n_nodes, Run run) {
  __shared__ alignas(16) char workers[ARC_BLOCK_THREADS / W][sizeof(Worker)];
  Worker& worker = *(Worker*)workers[threadIdx.x / W];
  Lane& lane = worker.lane;
  Page& page = launch.pages[(blockIdx.x * ARC_BLOCK_THREADS + threadIdx.x) / W];
  lane.owner = &worker;
  lane.top = page.top;
  lane.end = page.end;
  lane.max_steps = launch.budget.steps;
  lane.max_bytes = launch.budget.bytes;
  lane.max_elements = min_of<u64>(launch.budget.steps, launch.budget.bytes / BYTES_AN_ELEMENT);
  worker.pool = launch.pool;
  sync();
  each_item(launch, queue, [&](u32 item) {
    const u32 at = item / n_nodes, node = nodes[item - at * n_nodes];
    worker.taken = 0;
    const Slots slots = launch.slots(at);
    const Instruction code = launch.batt.code[node];
    run(lane, node, code, slots);
  });
  if (thread_index() == 0) page = {lane.top, lane.end};
}

}  // namespace arc

// What every kernel is given: the launch, and its queue.
#define ARC_WORK const arc::Launch* launch, arc::u32* next, arc::u32 n_items, arc::u32 at_once
#define ARC_KERNEL extern "C" __global__ void __launch_bounds__(ARC_BLOCK_THREADS, ARC_BLOCKS_A_SM)

// The calls of a primitive; the host adds a line ARC_RUN(name) for each that it wants.
#define ARC_RUN(name)                                                                                 \
  ARC_KERNEL run_##name(ARC_WORK, const arc::u32* nodes, arc::u32 n_nodes) {                          \
    using namespace arc;                                                                              \
    run_nodes(*launch, {next, n_items, at_once}, nodes, n_nodes,                                      \
              [&](Lane& lane, u32 node, const Instruction& code, const Slots& slots) {                \
                run_call(lane, launch->batt, node, code, slots,                                       \
                         KnownPrimitive<P_##name, prim_##name>());                                    \
              });                                                                                     \
  }

#if defined(ARC_FUNCTIONS)

// Calls of function values, and of primitives that take them: these can come to call any primitive,
// so that this kernel holds them all.
ARC_KERNEL run_functions(ARC_WORK, const arc::u32* nodes, arc::u32 n_nodes) {
  using namespace arc;
  run_nodes(*launch, {next, n_items, at_once}, nodes, n_nodes,
            [&](Lane& lane, u32 node, const Instruction& code, const Slots& slots) {
              if (code.op == INVOKE)
                run_invoke(lane, launch->batt, node, code, slots);
              else
                run_call(lane, launch->batt, node, code, slots, AnyPrimitive{code.primitive});
            });
}

#endif

#if defined(ARC_COMMON)

// The nodes that are no calls.
ARC_KERNEL run_loads(ARC_WORK, const arc::u32* nodes, arc::u32 n_nodes) {
  using namespace arc;
  for (u32 item = blockIdx.x * ARC_BLOCK_THREADS + threadIdx.x; item < n_items;
       item += gridDim.x * ARC_BLOCK_THREADS) {
    const u32 at = item / n_nodes, node = nodes[item - at * n_nodes];
    const Slots slots = launch->slots(at);
    slots.value(node) = load(launch->batt, launch->batt.code[node], launch->samples[launch->chosen[at]]);
    slots.cost(node) = {0, 0};
  }
}

// What the programs gave.
ARC_KERNEL find_outcomes(ARC_WORK) {
  using namespace arc;
  each_item(*launch, {next, n_items, at_once}, [&](u32 item) {
    const u32 at = item / launch->batt.n_programs, program = item - at * launch->batt.n_programs;
    const u32 sample = launch->chosen[at];
    const Outcome out =
        outcome_of(launch->batt, program, launch->budget, launch->samples[sample], launch->slots(at));
    const u64 cell = program * launch->n_samples + sample;
    if (thread_index() == 0) {
      launch->reasons[cell] = out.reason;
      launch->matches[cell] = out.matches;
      launch->hashes[cell] = out.hash;
      launch->steps[cell] = (i64)out.steps;
      launch->numbers[cell] = out.number;
    }
  });
}

// How many words the values take that are to be kept; then the words, from where they start.
ARC_KERNEL count_kept(ARC_WORK) {
  using namespace arc;
  each_item(*launch, {next, n_items, at_once}, [&](u32 item) {
    const u32 program = item / launch->n_chosen, at = item - program * launch->n_chosen;
    const bool kept = launch->reasons[program * launch->n_samples + launch->chosen[at]] == OK;
    const u64 n = kept ? count_words(launch->slots(at).value(launch->batt.results[program])) : 0;
    if (thread_index() == 0) launch->n_words[item] = (i64)n;
  });
}
ARC_KERNEL write_kept(ARC_WORK) {
  using namespace arc;
  each_item(*launch, {next, n_items, at_once}, [&](u32 item) {
    const u32 program = item / launch->n_chosen, at = item - program * launch->n_chosen;
    if (launch->reasons[program * launch->n_samples + launch->chosen[at]] == OK)
      write_words(launch->words + launch->n_words[item],
                  launch->slots(at).value(launch->batt.results[program]));
  });
}

#endif
