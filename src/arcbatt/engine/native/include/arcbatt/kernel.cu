// The GPU side of a run. A kernel per primitive runs all of its calls that are ready, on all samples and, within
// functions, on all elements of all containers. A call on one of them is one item, run by one warp. So kernels are
// small, and few samples or few calls still fill the device.
//
// On values of ten thousand elements a warp would hold up all others. Such items are put on a list, which the same
// kernel, compiled for wide lanes (blocks), runs right after.
#define ARC_FLAT
#include "alone.hpp"
#include "words.hpp"

namespace arc {

constexpr u64 PAGE_BYTES = ARC_PAGE_BYTES;

constexpr u32 MAX_LARGE = ARC_MAX_LARGE;

// Calls whose arguments are fetched, weighed and checked together, by four threads each, and whose results are written
// together, so that a warp waits for memory once.
constexpr u32 BATCH = MOST_AT_ONCE;
struct BatchedCall {
  Frame* frame;   // null for a node of the batt
  u32 which;      // the op, or the node
  u32 at;         // the element, or the number among the chosen samples
  u32 n_args;
  bool is_over;   // its result is no longer needed
};
struct Batch {
  // Weight of an argument that needs a closer look: it may have failed, not fit, or be too large.
  static constexpr u32 UNSURE = 1u << 28;
  BatchedCall calls[BATCH];
  Value args[BATCH][MAX_ARITY];
  u32 weights[BATCH][MAX_ARITY];     // by argument, its part of the call's steps, or UNSURE
  Sectors memory[BATCH][MAX_ARITY];  // by argument, the memory that it points to
};
// The results of the calls of a batch.
struct BatchResults {
  Value values[BATCH];
  NodeCost costs[BATCH];
};

// Programs whose outcomes are found together: their costs, and the memory that their results point to.
struct ProgramBatch {
  ProgramCost costs[BATCH];
  Sectors memory[BATCH];
};

// The data that the threads of a lane share.
struct Worker {
  Pool pool;
  u64 taken;  // bytes that the call has taken from the pool
  Replay replay;
  Value frame[MAX_ARITY + 1];
  union {
    Batch batch;
    ProgramBatch programs;
  };
  BatchResults results;
  const Step* leaves_of;  // the step whose large items are left to wide lanes, or null
  u32 item;
  u32 landing[WARP];  // target of prefetches, which is never read
  u32 words[WARP];
};
ARC_EXTERN Replay& replay_of(Lane& lane) { return ((Worker*)lane.owner)->replay; }
ARC_EXTERN u32* shared_words(const Lane& lane) { return ((Worker*)lane.owner)->words; }

// From this many elements of arguments on, a block is faster than a warp. But there are more warps than blocks, so the
// limit rises with the number of large calls, to leave room for the largest. The longest calls are in the first half of
// the list and start first.
constexpr u64 LARGE = ARC_LARGE, VERY_LARGE = LARGE << 5;
constexpr u32 LARGER_TIMES = 5, HALF_LIST = MAX_LARGE / 2;
ARC_EXTERN bool is_left_to_wide(Lane& lane, u64 n_elements) {
  const Worker& worker = *(Worker*)lane.owner;
  if (n_elements < LARGE || !worker.leaves_of) return false;
  const Step& step = *worker.leaves_of;
  return serial([&]() {
    const bool huge = n_elements >= VERY_LARGE;
    u32* n_listed = huge ? &step.queue->n_huge : &step.queue->n_large;
    const u32 n_seen = *(volatile const u32*)n_listed;
    if (n_elements >> (LARGER_TIMES * (u64)n_seen / HALF_LIST) < (huge ? VERY_LARGE : LARGE)) return (i64)false;
    const u32 at = atomicAdd(n_listed, 1);
    if (at < HALF_LIST) step.listed[huge ? at : HALF_LIST + at] = worker.item;
    return (i64)(at < HALF_LIST);
  });
}

ARC_EXTERN char* grow_arena(void* owner, u64 bytes, u64* given) {
  Worker& worker = *(Worker*)owner;
  const u64 size = bytes <= PAGE_BYTES / 2 ? PAGE_BYTES : (bytes + 255) & ~255ULL;
#if defined(ARC_RUNS_SHORT)  // tests let memory run out at times
  if (serial([]() { return (i64)ARC_RUNS_SHORT(); })) return nullptr;
#endif
  const u64 taken = worker.taken + size;
  if (taken > worker.pool.max_call_bytes) return nullptr;
  const u64 at = (u64)serial([&]() { return (i64)atomicAdd(worker.pool.n_used, size); });
  if (at + size > worker.pool.n_bytes) return nullptr;
  worker.taken = taken;
  sync();
  *given = size;
  return worker.pool.start + at;
}

// The lanes that run the items of a kernel: lanes that take all; lanes that take all but large items; wide lanes,
// which take those.
enum Lanes { ALL, LEAVES, WIDE };

// Items that a lane takes together.
struct Portion {
  u32 first, n;
  const u32* listed;  // items left to wide lanes; null if all are run

  ARC_FN u32 item(u32 k) const { return listed ? listed[first + k] : first + k; }
};
// All items of a step, of which lanes take portions.
struct Items {
  const Launch& launch;
  const Step& step;
  const bool wide;
  u32 n_huge, n, at_once;
  u32* next;

  ARC_FN Items(const Launch& launch, const Step& step, Lanes lanes) : launch(launch), step(step), wide(lanes == WIDE) {
    n_huge = wide ? min_of(step.queue->n_huge, HALF_LIST) : 0;
    n = wide ? n_huge + min_of(step.queue->n_large, HALF_LIST) : step.n_items;
    at_once = wide ? 1 : step.at_once;
    next = wide ? &step.queue->next_listed : &step.queue->next;
  }
  // Requests a portion, by the first thread; `wait_for` returns its start, which takes a while to arrive.
  struct Request {
    u32 first, is_stopped;
  };
  ARC_FN Request ask() const {
    Request request = {0, 0};
    if (thread_index() == 0) {
      request.first = atomic_take(next, at_once);
      request.is_stopped = *(volatile const u32*)launch.stopped;
    }
    return request;
  }
  ARC_FN u32 wait_for(const Request& request) const { return (u32)broadcast(request.is_stopped ? n : request.first); }
  // Returns the portion with this start; it is empty if no items are left.
  ARC_FN Portion portion(u32 first) const {
    const u32 after = wide && first >= n_huge ? HALF_LIST - n_huge : 0;
    return {after + first, first < n ? min_of(at_once, n - first) : 0, wide ? step.listed : nullptr};
  }
  // Large portions are requested in advance; a single item that would have to wait goes to another lane.
  ARC_FN bool ahead() const { return at_once > 1; }
};
// Calls body(portion) for all items, after fetch(portion).
template <class Fetch, class Body>
ARC_FN void each_portion(const Launch& launch, const Step& step, Lanes lanes, Fetch fetch, Body body) {
  const Items items(launch, step, lanes);
  const bool ahead = items.ahead();
  for (u32 first = items.wait_for(items.ask());;) {
    const Portion portion = items.portion(first);
    if (!portion.n) return;
    // Requested here and awaited after the fetch: the compiler waits at once for requests that live longer.
    const Items::Request request = ahead ? items.ask() : Items::Request{0, 0};
    fetch(portion);
    if (ahead) first = items.wait_for(request);
    body(portion);
    if (!ahead) first = items.wait_for(items.ask());
  }
}
template <class Body>
ARC_FN void each_item(const Launch& launch, const Step& step, Lanes lanes, Body body) {
  each_portion(
      launch, step, lanes, [](const Portion&) {},
      [&](const Portion& portion) {
        for (u32 k = 0; k < portion.n; k++) body(portion.item(k));
      });
}

ARC_FN void begin_item(Lane& lane, u32 item) {
  Worker& worker = *(Worker*)lane.owner;
  if (thread_index() == 0) {
    worker.taken = 0;
    worker.item = item;
  }
  sync();
}

// Calls run(lane) by every lane, with a lane's memory.
template <class Run>
ARC_FN void with_lane(const Launch& launch, const Step& step, Lanes lanes, Run run) {
  if (lanes == WIDE && step.queue->n_huge + step.queue->n_large == 0) return;  // the usual case
  alignas(16) __shared__ char workers[ARC_BLOCK_THREADS / W][sizeof(Worker)];
  Worker& worker = *(Worker*)workers[threadIdx.x / W];
  Page& page = launch.pages[(blockIdx.x * ARC_BLOCK_THREADS + threadIdx.x) / W];
  Lane lane;
  lane.owner = &worker;
  lane.frame = worker.frame;
  lane.top = page.top;
  lane.end = page.end;
  lane.max_steps = launch.budget.steps;
  lane.max_bytes = launch.budget.bytes;
  lane.max_elements = launch.budget.elements();
  if (thread_index() == 0) {
    worker.pool = launch.pool;
    worker.leaves_of = lanes == LEAVES ? &step : nullptr;
  }
  sync();
  run(lane, worker);
  sync();  // all threads have read the page before it is reused
  if (thread_index() == 0) page = {lane.top, lane.end};
}
// Calls run(lane, item) for all items, or for those left to wide lanes, one lane per item.
template <class Run>
ARC_FN void run_items(const Launch& launch, const Step& step, Lanes lanes, Run run) {
  with_lane(launch, step, lanes, [&](Lane& lane, Worker&) {
    each_item(launch, step, lanes, [&](u32 item) {
      begin_item(lane, item);
      run(lane, item);
    });
  });
}

// Finds an item's call: items of nodes come first, then those within functions.
ARC_FN BatchedCall find_call(const Launch& launch, const Step& step, const Lane& lane, u32 item) {
  const u32 n_of_nodes = step.n_nodes * (u32)launch.n_chosen;
  if (item < n_of_nodes) {
    const u32 at = item / step.n_nodes, node = step.nodes[item - at * step.n_nodes];
    return {nullptr, node, at, launch.batt.code[node].n_args, false};
  }
  const u32 number = item - n_of_nodes, which = step.which(number), op = step.others[which];
  const FlatDomain& domain = launch.flat.domains[launch.flat.ops[op].domain];
  const u32 element = number - step.starts[which], row = domain.row_of_element(element);
  Frame* frame = domain.frames[row];
  return {frame, op, element - (domain.firsts[row] - domain.firsts[0]), launch.flat.ops[op].n_args,
          seen_over(frame, lane)};
}
// The arguments and the result of a call.
struct CallPlace {
  const Launch& launch;
  const BatchedCall& call;

  ARC_FN NodePlace of_node() const {
    return {launch.slots(call.at), launch.batt.args + launch.batt.code[call.which].first, call.which};
  }
  ARC_FN ElementPlace of_element() const {
    const FlatOp& op = launch.flat.ops[call.which];
    return {launch.flat, op.args, call.frame, call.at, filled_values(call.frame, op.column) + call.at};
  }
  ARC_FN Value arg(u32 k) const { return call.frame ? of_element().arg(k) : of_node().arg(k); }
  // Called by one thread.
  ARC_FN void write(const Value& value, const NodeCost& cost) const {
    if (!call.frame) return of_node().write(value, cost);
    *of_element().to = value;
    if (cost.steps >= UNKNOWN_STEPS)
      atomic_or(&call.frame->flags, cost.steps == UNKNOWN_STEPS ? EXCEEDED | EXHAUSTED : EXCEEDED);
    else if (cost.steps)
      add_cost(call.frame, cost.steps, cost.bytes);
  }
  ARC_FN void fill(const Value& value, u64 steps, u64 bytes) const {
    if (call.frame)
      of_element().fill(value, steps, bytes);
    else
      of_node().fill(value, steps, bytes);
  }
  ARC_FN void fill_exceeded(const Lane& lane) const {
    if (call.frame)
      of_element().fill_exceeded(lane);
    else
      of_node().fill_exceeded(lane);
  }
};

// Facts about the calls of a batch, one bit per call and fact.
enum BatchFact : u32 {
  FILLED,      // it has a result
  UNSETTLED,   // its own cost is not added yet
  OVER,        // it exceeded the budget
  OUT,         // it ran out of memory
};
static_assert(BATCH <= 8, "a word has four facts of each");
ARC_FN constexpr u32 fact_bit(BatchFact fact, u32 k) { return 1u << (fact * 8 + k); }
// The arguments and the result of a call in a batch; results are kept until the batch is complete.
struct BatchPlace {
  const Launch& launch;
  const Batch& batch;
  BatchResults& results;
  u32 k;
  u32& facts;

  ARC_FN Value arg(u32 arg) const {
    const BatchedCall& call = batch.calls[k];
    return call.n_args <= MAX_ARITY ? batch.args[k][arg] : CallPlace{launch, call}.arg(arg);
  }
  ARC_FN void fill(const Value& value, u64 steps, u64 bytes) const {
    facts |= fact_bit(FILLED, k);
    if (thread_index() > 0) return;
    results.values[k] = value;
    results.costs[k] = {steps, bytes};
  }
  ARC_FN void fill_exceeded(const Lane& lane) const {
    fill(exceeded_value(lane), exceeded_steps(lane), lane.bytes);
  }
  // Keeps the result of a primitive; its cost is added with those of the others.
  ARC_FN void fill_unsettled(const Lane& lane, const Value& value) const {
    facts |= fact_bit(UNSETTLED, k);
    if (lane.exceeded) facts |= fact_bit(OVER, k);
    if (lane.exhausted) facts |= fact_bit(OUT, k);
    fill(value, lane.steps, lane.bytes);
  }
};

// Returns an argument's weight if it surely fits.
template <class P>
ARC_FN u32 sure_weight(const Lane& lane, const P& primitive, const Value& arg, u32 which) {
  if (!surely_fits(arg, primitive.sure_kinds(which))) return Batch::UNSURE;
  if (primitive.info().peeks >> which & 1) return 0;
  const u64 weight = weight_of(arg);
  return weight > lane.max_elements || weight > Batch::UNSURE ? Batch::UNSURE : (u32)weight;
}

// Each thread checks by itself whether the call's frame is over. If they disagree it counts as over: an argument may
// be missing then, and the result of the call is never read.
template <class P>
ARC_FN void fetch_batch(const Launch& launch, const Step& step, const Lane& lane, Batch& batch, const Portion& portion,
                        const P& primitive) {
  each((i64)BATCH * MAX_ARITY, [&](i64 number) {
    const u32 k = (u32)number / MAX_ARITY, arg = (u32)number % MAX_ARITY;
    if (k >= portion.n) return;
    const BatchedCall call = find_call(launch, step, lane, portion.item(k));
    if (arg == 0) batch.calls[k] = call;
    const bool is_there = arg < call.n_args && !call.is_over;
    const Value value = is_there ? CallPlace{launch, call}.arg(arg) : none_value();
    const bool is_sure = call.n_args == primitive.info().arity && !call.is_over;
    batch.args[k][arg] = value;
    batch.weights[k][arg] = !is_sure ? Batch::UNSURE : is_there ? sure_weight(lane, primitive, value, arg) : 0;
    batch.memory[k][arg] = sectors_of(value);
  });
}

// Prefetches the memory that a call's arguments point to, while another call runs.
template <class P>
ARC_FN void fetch_ahead(const Batch& batch, u32 k, u32* landing) {
  constexpr PrimitiveInfo info = P::declared;
#pragma unroll
  for (u32 arg = 0; arg < info.arity; arg++)
    if (!(info.peeks >> arg & 1) && !is_number_domain(info.domains[arg])) fetch_sectors(batch.memory[k][arg], landing);
}

// Runs a call of a batch and keeps its result there.
template <class P>
ARC_FN void run_batched(const Launch& launch, Lane& lane, Worker& worker, const Batch& batch, u32 k, u32 item,
                        u32 most_steps, u32& facts, const P& primitive) {
  // All threads write the same values, so none has to wait.
  worker.taken = 0;
  worker.item = item;
  const Value* args = batch.args[k];
  const BatchPlace place = {launch, batch, worker.results, k, facts};
  const u32* weights = batch.weights[k];
  const u32 steps = 1 + weights[0] + weights[1] + weights[2] + weights[3];
  bool runs = steps <= most_steps;
  if (runs) {
    begin_node(lane, steps);
  } else if (batch.calls[k].is_over) {
    place.fill(fail(OVER_BUDGET), 0, 0);
  } else {
    const u32 n_args = batch.calls[k].n_args;
    const bool are_there = n_args <= MAX_ARITY;
    const u32 n_right = are_there ? (u32)first_where(n_args, [&](i64 arg) { return args[arg].failed(); })
                                  : gather(lane, place, n_args);
    runs = begin_call(lane, are_there ? args : lane.frame, n_args, n_right, primitive, place);
  }
  if (runs && !is_left_to_wide(lane, primitive.effort(args, lane.steps)))
    place.fill_unsettled(lane, primitive.run(lane, args));
  sync();
}
// Writes the results of the calls of a batch.
ARC_FN void finish_batch(const Launch& launch, const Lane& lane, const Batch& batch, const BatchResults& results,
                         u32 n, u32 facts) {
  each(n, [&](i64 k) {
    auto is = [=](BatchFact fact) { return (facts & fact_bit(fact, (u32)k)) != 0; };
    if (!is(FILLED)) return;
    const CallPlace place = {launch, batch.calls[k]};
    const Value value = results.values[k];
    const NodeCost before = results.costs[k];
    NodeCost cost = before;
    if (is(OVER) || (is(UNSETTLED) && !add_result(lane, value, cost))) {
      const bool exhausted = is(OUT);
      place.write(fail(exhausted ? NOT_RUN : OVER_BUDGET), {exhausted ? UNKNOWN_STEPS : TOO_MANY_STEPS, before.bytes});
    } else {
      place.write(value, cost);
    }
  });
}

// Runs a primitive's calls: those of the batt's nodes and those within functions.
template <class P>
ARC_FN void run_calls(const Launch& launch, const Step& step, Lanes lanes, const P& primitive) {
  with_lane(launch, step, lanes, [&](Lane& lane, Worker& worker) {
    const u32 most_steps = (u32)min_of<u64>(lane.max_steps, Batch::UNSURE - 1);
    const Batch& batch = worker.batch;
    each_portion(
        launch, step, lanes,
        [&](const Portion& portion) {
          fetch_batch(launch, step, lane, worker.batch, portion, primitive);
          if (FETCHES_AHEAD) fetch_ahead<P>(batch, 0, worker.landing);
        },
        [&](const Portion& portion) {
          u32 facts = 0;
          for (u32 k = 0; k < portion.n; k++) {
            if (FETCHES_AHEAD && k + 1 < portion.n) fetch_ahead<P>(batch, k + 1, worker.landing);
            run_batched(launch, lane, worker, batch, k, portion.item(k), most_steps, facts, primitive);
          }
          finish_batch(launch, lane, batch, worker.results, portion.n, facts);
        });
  });
  end_fetching();
}

// Runs calls within functions by one thread each, with ARC_ELEMENTS_PER_ITEM of them per item, so that few calls are
// spread over many warps. Calls that are too large for a thread are run by all threads. The list for wide lanes has
// numbers of calls, not of items.
template <class P>
ARC_FN void run_elements(const Launch& launch, const Step& step, Lanes lanes, const P& primitive) {
  with_lane(launch, step, lanes, [&](Lane& lane, Worker&) {
    auto run = [&](const Portion& portion) {
      const u32 n = step.n_elements, end = min_of<u32>((portion.first + portion.n) * ARC_ELEMENTS_PER_ITEM, n);
      for (u32 first = portion.first * ARC_ELEMENTS_PER_ITEM; first < end; first += W) {
        const u32 at = min_of(first + thread_index(), n - 1), which = step.which(at);
        const FlatOp& op = launch.flat.ops[step.others[which]];
        const FlatDomain& domain = launch.flat.domains[op.domain];
        const u32 element = at - step.starts[which], row = domain.row_of_element(element);
        Frame* frame = first + thread_index() < end ? domain.frames[row] : nullptr;
        begin_item(lane, first);
        const bool together =
            run_alone(lane, launch.flat, op, frame, element - (domain.firsts[row] - domain.firsts[0]), primitive);
        if constexpr (P::MAY_BE_LARGE) {
          for (u32 left = ballot(together); left; left &= left - 1) {
            const u32 number = shuffle(at, lowest_bit(left));
            begin_item(lane, number);
            const BatchedCall call = find_call(launch, step, lane, number);
            const CallPlace place = {launch, call};
            // Other lanes add to the frame meanwhile: what one thread sees counts for all.
            if (broadcast(call.is_over))
              place.fill(fail(OVER_BUDGET), 0, 0);
            else
              run_call(lane, call.n_args, typename P::Together(), place);
          }
        }
      }
    };
    each_portion(launch, step, lanes, [](const Portion&) {}, run);
  });
}

// Runs a phase of the sites of one primitive; run(lane, site, place) is the call. `others` are sites and phases.
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

// A program, in place of a node, on a sample. The items of one program are adjacent, as are the costs of its nodes.
struct ProgramPlace {
  u32 program, at;
  Slots slots;

  ARC_FN ProgramPlace(const Launch& launch, const Step& step, u32 item) {
    const u32 n_chosen = (u32)launch.n_chosen, which = item / n_chosen;
    program = step.nodes[which];
    at = item - which * n_chosen;
    slots = launch.slots(at);
  }
  ARC_FN const Value& result(const Launch& launch) const { return slots.value(launch.batt.results[program]); }
};
#if defined(ARC_WARP_LANES)
// Adds up the costs of some programs, by four threads each, and prefetches the memory of their results.
ARC_FN void fetch_outcomes(const Launch& launch, const Step& step, const Portion& portion, Worker& worker) {
  ProgramBatch& batch = worker.programs;
  const u32 k = thread_index() % BATCH;
  ProgramCost cost;
  Sectors memory = 0;
  if (k < portion.n) {
    const ProgramPlace place(launch, step, portion.item(k));
    memory = sectors_of(place.result(launch));
    const u64* starts = launch.batt.starts + place.program;
    const u32* nodes = launch.batt.program_nodes + starts[0];
    const u32 n = (u32)(starts[1] - starts[0]);
    for (u32 j = thread_index() / BATCH; j < n; j += W / BATCH) cost.add(place.slots.cost(nodes[j]));
  }
  sync();
  u32 flags = (u32)cost.unfinished | (u32)cost.unknown << 1;
  for (u32 offset = BATCH; offset < W; offset *= 2) {
    cost.steps += (u64)exchange((i64)cost.steps, offset);
    cost.bytes += (u64)exchange((i64)cost.bytes, offset);
    flags |= (u32)exchange(flags, offset);
  }
  cost.unfinished = flags & 1;
  cost.unknown = flags >> 1;
  if (thread_index() < (int)BATCH) {
    batch.costs[k] = cost;
    batch.memory[k] = memory;
  }
  sync();
  if (!FETCHES_AHEAD) return;
  for (u32 j = 0; j < portion.n; j++) fetch_sectors(batch.memory[j], worker.landing);
}
#endif

// Finds the outcomes of programs, which take the place of nodes.
ARC_FN void find_outcomes(const Launch& launch, const Step& step, Lanes lanes) {
  with_lane(launch, step, lanes, [&](Lane& lane, Worker& worker) {
    // find_cost(place) returns the cost of all nodes of the program.
    auto run = [&](u32 item, auto find_cost) {
      begin_item(lane, item);
      const ProgramPlace place(launch, step, item);
      const Value result = place.result(launch);
      if (is_left_to_wide(lane, weight_of(result))) return;
      const u32 sample = launch.chosen[place.at];
      const Outcome out = outcome_of(result, find_cost(place), launch.budget, launch.samples[sample]);
      const u64 cell = place.program * launch.n_samples + sample;
      if (thread_index() > 0) return;
      launch.reasons[cell] = out.reason;
      launch.matches[cell] = out.matches;
      launch.hashes[cell] = out.hash;
      launch.steps[cell] = (i64)out.steps;
      launch.numbers[cell] = out.number;
    };
#if defined(ARC_WARP_LANES)
    each_portion(
        launch, step, lanes,
        [&](const Portion& portion) { fetch_outcomes(launch, step, portion, worker); },
        [&](const Portion& portion) {
          for (u32 k = 0; k < portion.n; k++)
            run(portion.item(k), [&](const ProgramPlace&) { return worker.programs.costs[k]; });
        });
#else
    each_item(launch, step, lanes, [&](u32 item) {
      run(item, [&](const ProgramPlace& place) { return cost_of(launch.batt, place.program, place.slots); });
    });
#endif
  });
  end_fetching();
}

}  // namespace arc

// The arguments of every kernel.
#define ARC_WORK const arc::Launch *launch, const arc::Step *step
#define ARC_KERNEL extern "C" __global__ void __launch_bounds__(ARC_BLOCK_THREADS, ARC_BLOCKS_PER_SM)

// The host adds a line per kernel: ARC_RUN for a primitive's calls, ARC_ALONE for calls within functions that a single
// thread makes, ARC_SITE for calls that call functions, ARC_FIND for the outcomes of programs.
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

#define ARC_FIND(kernel, name, lanes) \
  ARC_KERNEL kernel(ARC_WORK) { arc::find_##name(*launch, *step, arc::lanes); }

#if defined(ARC_COMMON)
#include "counting.cu"

// Nodes that are not calls.
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
ARC_KERNEL alone_where(ARC_WORK) { arc::run_elements(*launch, *step, arc::ALL, arc::AloneWhere<true>()); }
ARC_KERNEL alone_elsewhere(ARC_WORK) { arc::run_elements(*launch, *step, arc::ALL, arc::AloneWhere<false>()); }
ARC_KERNEL alone_pick(ARC_WORK) { arc::run_elements(*launch, *step, arc::ALL, arc::AlonePick()); }

ARC_FIND(find_outcomes, outcomes, LEAVES)

// Counts the words of values that are to be kept; then writes them from their starts on.
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
