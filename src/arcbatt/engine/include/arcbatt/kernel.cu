// The GPU side of a run. A kernel for each primitive runs all its calls that are ready, on all samples
// and, within functions, on all elements of all containers: a call on one of them is one item, done by
// one warp. So a kernel's code is small and its own, and few samples or few calls still fill the card.
//
// A warp would hold up all others with a value of some ten thousand elements. Items on such values are
// put on a list, and the same kernel compiled for wide lanes, a block each, runs them right after.
#define ARC_FLAT
#include "alone.hpp"
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
  Flat flat;

  ARC_FN Slots slots(u32 at) const { return {values + at, costs + at, n_chosen}; }
};

constexpr u64 PAGE_BYTES = 64 * 1024;

constexpr u32 MAX_LARGE = ARC_MAX_LARGE;

// What a lane's threads share.
struct Worker {
  Pool pool;
  u64 taken;  // from the pool, by the call
  Replay replay;
  Value frame[MAX_ARITY + 1];
  const Step* leaves_of;  // the step whose large items are left to wide lanes; null where none are
  u32 item;
};
ARC_EXTERN Replay& replay_of(Lane& lane) { return ((Worker*)lane.owner)->replay; }

// From so many elements of arguments on, a block is faster than a warp. But warps are many: the more calls
// are large, the larger one must be, so that the largest of all still find a place on the list.
constexpr u64 LARGE = ARC_LARGE;
constexpr u32 LARGER_TIMES = 6;
ARC_EXTERN bool is_left_to_wide(Lane& lane, u64 n_elements) {
  const Worker& worker = *(Worker*)lane.owner;
  if (n_elements < LARGE || !worker.leaves_of) return false;
  const Step& step = *worker.leaves_of;
  return serial([&]() {
    const u32 n_listed = *(volatile const u32*)&step.queue->n_listed;
    if (n_elements >> (LARGER_TIMES * (u64)n_listed / MAX_LARGE) < LARGE) return (i64)false;
    const u32 at = atomicAdd(&step.queue->n_listed, 1);
    if (at < MAX_LARGE) step.listed[at] = worker.item;
    return (i64)(at < MAX_LARGE);
  });
}

ARC_EXTERN char* grow_arena(void* owner, u64 bytes, u64* given) {
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

// Who runs a kernel's items: lanes that take all of them; lanes that take all but the large ones; wide
// lanes, that take those.
enum Lanes { ALL, LEAVES, WIDE };

template <class Body>
ARC_FN void each_item(const Launch& launch, const Step& step, Lanes lanes, Body body) {
  const bool wide = lanes == WIDE;
  const u32 n_items = wide ? min_of(step.queue->n_listed, MAX_LARGE) : step.n_items;
  const u32 at_once = wide ? 1 : step.at_once;
  u32* next = wide ? &step.queue->next_listed : &step.queue->next;
  for (;;) {
    u32 first = n_items;
    if (thread_index() == 0 && !*(volatile const u32*)launch.stopped) first = atomicAdd(next, at_once);
    first = (u32)broadcast(first);
    if (first >= n_items) return;
    const u32 end = min_of(first + at_once, n_items);
    for (u32 item = first; item < end; item++) body(wide ? step.listed[item] : item);
  }
}

ARC_FN void begin_item(Lane& lane, u32 item) {
  Worker& worker = *(Worker*)lane.owner;
  if (thread_index() == 0) {
    worker.taken = 0;
    worker.item = item;
  }
  sync();
}

// run(lane, item) of all items, or of those left to wide lanes, by a lane each.
template <class Run>
ARC_FN void run_items(const Launch& launch, const Step& step, Lanes lanes, Run run) {
  alignas(16) __shared__ char workers[ARC_BLOCK_THREADS / W][sizeof(Worker)];
  Worker& worker = *(Worker*)workers[threadIdx.x / W];
  Page& page = launch.pages[(blockIdx.x * ARC_BLOCK_THREADS + threadIdx.x) / W];
  Lane lane;
  lane.owner = &worker;
#if defined(__CUDACC__)
  lane.frame = worker.frame;
#endif
  lane.top = page.top;
  lane.end = page.end;
  lane.max_steps = launch.budget.steps;
  lane.max_bytes = launch.budget.bytes;
  lane.max_elements = min_of<u64>(launch.budget.steps, launch.budget.bytes / BYTES_AN_ELEMENT);
  if (thread_index() == 0) {
    worker.pool = launch.pool;
    worker.leaves_of = lanes == LEAVES ? &step : nullptr;
  }
  sync();
  each_item(launch, step, lanes, [&](u32 item) {
    begin_item(lane, item);
    run(lane, item);
  });
  sync();  // before the page is another's, all threads have read it
  if (thread_index() == 0) page = {lane.top, lane.end};
}

// A call within functions by all threads of a lane; `number` counts those of the step.
template <class P>
ARC_FN void run_element(const Launch& launch, const Step& step, Lane& lane, u32 number, const P& primitive) {
  const u32 which = step.which(number);
  const FlatOp& op = launch.flat.ops[step.others[which]];
  const FlatDomain& domain = launch.flat.domains[op.domain];
  const u32 element = number - step.starts[which], row = domain.row_of_element(element);
  Frame* frame = domain.frames[row];
  const u32 k = element - (domain.firsts[row] - domain.firsts[0]);
  const ElementPlace place = {launch.flat, op.args, frame, k, filled_values(frame, op.column) + k};
  if (is_over(frame, lane)) return place.fill(fail(OVER_BUDGET), 0, 0);
  run_call(lane, op.n_args, primitive, place);
}

// A primitive's calls, those of the batt's nodes and those within functions.
template <class P>
ARC_FN void run_calls(const Launch& launch, const Step& step, Lanes lanes, const P& primitive) {
  const u32 n_of_nodes = step.n_nodes * (u32)launch.n_chosen;
  run_items(launch, step, lanes, [&](Lane& lane, u32 item) {
    if (item >= n_of_nodes) return run_element(launch, step, lane, item - n_of_nodes, primitive);
    const u32 at = item / step.n_nodes, node = step.nodes[item - at * step.n_nodes];
    const Instruction code = launch.batt.code[node];
    run_call(lane, code.n_args, primitive, NodePlace{launch.slots(at), launch.batt.args + code.first, node});
  });
}

// Calls within functions by one thread each, ARC_ELEMENTS_AN_ITEM of them to an item; those that threads do
// not run alone by all of them. What is left to wide lanes is by number, not by item.
template <class P>
ARC_FN void run_elements(const Launch& launch, const Step& step, Lanes lanes, const P& primitive) {
  run_items(launch, step, lanes, [&](Lane& lane, u32 item) {
    const u32 n = step.n_elements, end = min_of<u32>((item + 1) * ARC_ELEMENTS_AN_ITEM, n);
    for (u32 first = item * ARC_ELEMENTS_AN_ITEM; first < end; first += W) {
      const u32 at = min_of(first + thread_index(), n - 1), which = step.which(at);
      const FlatOp& op = launch.flat.ops[step.others[which]];
      const FlatDomain& domain = launch.flat.domains[op.domain];
      const u32 element = at - step.starts[which], row = domain.row_of_element(element);
      Frame* frame = first + thread_index() < end ? domain.frames[row] : nullptr;
      const bool together =
          run_alone(lane, launch.flat, op, frame, element - (domain.firsts[row] - domain.firsts[0]), primitive);
      if constexpr (P::MAY_BE_LARGE) {
        for (u32 left = ballot(together); left; left &= left - 1) {
          const u32 number = shuffle(at, lowest_bit(left));
          begin_item(lane, number);
          run_element(launch, step, lane, number, typename P::Together());
        }
      }
    }
  });
}

// A phase of sites of one primitive: run(lane, site, place) is the call. `others` are sites and phases.
template <class Run>
ARC_FN void run_sites(const Launch& launch, const Step& step, Lanes lanes, Run run) {
  run_items(launch, step, lanes, [&](Lane& lane, u32 item) {
    const u32 which = step.which(item);
    const u32 entry = step.others[which], phase = entry & 3, row = item - step.starts[which];
    const FlatSite& site = launch.flat.sites[entry >> 2];
    const u32 at = site.home == NO_DOMAIN ? row : 0;
    run_phase(lane, launch.flat, site, phase, row, launch.slots(at), step.counts + item,
              [&](const SitePlace& place) { run(lane, site, place); });
  });
}

}  // namespace arc

// What every kernel is given.
#define ARC_WORK const arc::Launch *launch, const arc::Step *step
#define ARC_KERNEL extern "C" __global__ void __launch_bounds__(ARC_BLOCK_THREADS, ARC_BLOCKS_A_SM)

// The host adds a line for each kernel that it wants: ARC_RUN for a primitive's calls, ARC_ALONE for
// those within functions that a thread makes alone, ARC_SITE for those that call functions.
#define ARC_RUN(kernel, name, lanes)                                                  \
  ARC_KERNEL kernel(ARC_WORK) {                                                       \
    using namespace arc;                                                              \
    run_calls(*launch, *step, lanes, KnownPrimitive<P_##name, prim_##name>());         \
  }
#define ARC_ALONE(kernel, name, lanes)                                                \
  ARC_KERNEL kernel(ARC_WORK) {                                                       \
    using namespace arc;                                                              \
    run_elements(*launch, *step, lanes, AlonePrimitive<P_##name, prim_##name>());     \
  }
#define ARC_SITE(kernel, name, lanes)                                                 \
  ARC_KERNEL kernel(ARC_WORK) {                                                       \
    using namespace arc;                                                              \
    run_sites(*launch, *step, lanes, [&](Lane& lane, const FlatSite& site, const SitePlace& place) { \
      run_call(lane, site.n_args, KnownPrimitive<P_##name, prim_##name>(), place);    \
    });                                                                               \
  }

#if defined(ARC_COMMON)

// The nodes that are no calls.
ARC_KERNEL run_load(ARC_WORK) {
  using namespace arc;
  const u32 n_nodes = step->n_nodes, n_items = step->n_items;
  for (u32 item = blockIdx.x * blockDim.x + threadIdx.x; item < n_items; item += gridDim.x * blockDim.x) {
    const u32 at = item / n_nodes, node = step->nodes[item - at * n_nodes];
    const Slots slots = launch->slots(at);
    slots.value(node) = load(launch->batt, launch->batt.code[node], launch->samples[launch->chosen[at]]);
    slots.cost(node) = {0, 0};
  }
}

ARC_KERNEL site_invoke(ARC_WORK) {
  using namespace arc;
  run_sites(*launch, *step, ALL, [&](Lane& lane, const FlatSite& site, const SitePlace& place) {
    invoke(lane, site.n_args, place);
  });
}
ARC_KERNEL alone_match(ARC_WORK) { arc::run_elements(*launch, *step, arc::ALL, arc::AloneMatch()); }
ARC_KERNEL alone_guard(ARC_WORK) { arc::run_elements(*launch, *step, arc::ALL, arc::AloneGuard()); }

// firsts[k] := the sum of counts before k, for k up to n; one block, each of whose threads adds up
// some that stand side by side.
extern "C" __global__ void __launch_bounds__(1024) add_counts(const arc::u32* counts, arc::u32* firsts,
                                                              arc::u32 n) {
  using namespace arc;
  constexpr u32 EACH = 16;
  __shared__ u32 sums[1024];
  u32 before = 0;
  for (u32 start = 0; start < n; start += EACH * blockDim.x) {
    const u32 first = start + EACH * threadIdx.x, end = min_of(first + EACH, n);
    u32 own = 0;
    for (u32 k = first; k < end; k++) own += counts[k];
    sums[threadIdx.x] = own;
    __syncthreads();
    for (u32 reach = 1; reach < blockDim.x; reach *= 2) {
      const u32 more = threadIdx.x >= reach ? sums[threadIdx.x - reach] : 0;
      __syncthreads();
      sums[threadIdx.x] += more;
      __syncthreads();
    }
    u32 here = before + sums[threadIdx.x] - own;
    for (u32 k = first; k < end; k++) {
      firsts[k] = here;
      here += counts[k];
    }
    before += sums[blockDim.x - 1];
    __syncthreads();
  }
  if (threadIdx.x == 0) firsts[n] = before;
}

// to[k] := from[places[k]].
extern "C" __global__ void pick(const arc::u32* from, const arc::u32* places, arc::u32* to, arc::u32 n) {
  for (arc::u32 k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)
    to[k] = from[places[k]];
}

// What the programs gave; they stand in the place of nodes.
ARC_KERNEL find_outcomes(ARC_WORK) {
  using namespace arc;
  each_item(*launch, *step, ALL, [&](u32 item) {
    const u32 at = item / step->n_nodes, program = step->nodes[item - at * step->n_nodes];
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
  each_item(*launch, *step, ALL, [&](u32 item) {
    const u32 program = item / launch->n_chosen, at = item - program * launch->n_chosen;
    const bool kept = launch->reasons[program * launch->n_samples + launch->chosen[at]] == OK;
    const u64 n = kept ? count_words(launch->slots(at).value(launch->batt.results[program])) : 0;
    if (thread_index() == 0) launch->n_words[item] = (i64)n;
  });
}
ARC_KERNEL write_kept(ARC_WORK) {
  using namespace arc;
  each_item(*launch, *step, ALL, [&](u32 item) {
    const u32 program = item / launch->n_chosen, at = item - program * launch->n_chosen;
    if (launch->reasons[program * launch->n_samples + launch->chosen[at]] == OK)
      write_words(launch->words + launch->n_words[item],
                  launch->slots(at).value(launch->batt.results[program]));
  });
}

#endif
