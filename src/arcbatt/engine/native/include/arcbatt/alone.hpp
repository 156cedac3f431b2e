// Calls of small primitives within functions, one per thread: a warp runs 32 elements, of any frames. Calls with
// larger arguments are run by the whole warp, one after the other. For the GPU; see flat.hpp, and alone_work.hpp for
// the work of the primitives.
#pragma once
#include "alone_work.hpp"

namespace arc {

// The result and the cost of a call, as far as they are known before the primitive's own work.
struct AloneCall {
  enum State { READY, DONE, OVER, TOGETHER } state;  // TOGETHER: to be run by all threads of the lane
  Value value;
  u64 steps;
  u64 bytes;
};

// The same as `fits`, for one thread.
ARC_FN bool fits_alone(const Value& v, Domain domain) {
  if (v.kind != TUPLE || (domain != ROWS && domain != CELLS && domain != PATCH)) return fits(v, domain);
  for (u32 k = 0; k < v.n; k++) {
    const Value member = v.members()[k];
    if (domain == ROWS ? !is_tuple(member) : member.kind != CELL) return false;
  }
  return true;
}

// The part of a call before the primitive's own work, as in run_call.
template <u32 P>
ARC_FN AloneCall begin_alone(const Lane& lane, const Value* args) {
  constexpr PrimitiveInfo info = Declared<P>::info;
  u64 steps = 1, heaviest = 0;
  for (u32 k = 0; k < info.arity; k++) {
    if (args[k].failed()) return {AloneCall::DONE, args[k], 0, 0};
    if (info.peeks >> k & 1) continue;
    const u64 weight = weight_of(args[k]);
    heaviest = max_of(heaviest, weight);
    steps += weight;
  }
  if (heaviest > lane.max_elements || steps > lane.max_steps) return {AloneCall::OVER, none_value(), 0, 0};
  for (u32 k = 0; k < info.arity; k++)
    if (!fits_alone(args[k], info.domains[k])) return {AloneCall::DONE, fail(WRONG_TYPE), steps, 0};
  if (!codes_fit<P>(args)) return {AloneCall::DONE, fail(OUT_OF_RANGE), steps, 0};
  return {AloneCall::READY, none_value(), steps, 0};
}

// The calls of a primitive on several elements, one per thread of the lane.
template <u32 P, Value (*RUN)(Lane&, const Value*)>
struct AlonePrimitive {
  typedef Alone<P, RUN> Work;
  typedef KnownPrimitive<P, RUN> Together;  // the call by all threads
  static constexpr bool MAY_BE_LARGE = Work::MAY_BE_LARGE;
  ARC_FN AloneCall call(Lane& lane, const Flat& flat, const FlatOp& op, Frame* frame, u32 element) const {
    constexpr u32 ARITY = Declared<P>::info.arity;
    Value args[ARITY];
    AloneCall call = {AloneCall::DONE, none_value(), 0, 0};
    i64 room = 0;
    if (frame) {
      for (u32 k = 0; k < ARITY; k++) args[k] = flat.fetch(frame, element, op.args[k]);
      call = begin_alone<P>(lane, args);
      if (call.state == AloneCall::READY && !Work::is_small(args)) call.state = AloneCall::TOGETHER;
      if (call.state == AloneCall::READY) room = Work::room(lane, args);
      if (room < 0) call.state = AloneCall::OVER;
    }
    char* memory = nullptr;
    if constexpr (Work::TAKES_MEMORY) {
      i64 all = 0;
      const i64 before = sum_before(max_of<i64>(room, 0), &all);
      if (all) memory = (char*)lane.allocate((u64)all);
      if (all && !memory && call.state == AloneCall::READY) call.state = AloneCall::OVER;
      memory += before;
    }
    if constexpr (Work::WRITES_TOGETHER) Work::write(args, call.state == AloneCall::READY ? memory : nullptr);
    if (call.state != AloneCall::READY) return call;
    lane.steps = call.steps;
    call.value = Work::work(lane, args, memory);
    call.steps = lane.steps;
    if (lane.exceeded) call.state = AloneCall::OVER;
    if (call.value.failed() || lane.exceeded) return call;
    const u64 made = weight_of(call.value);
    call.steps += made;
    call.bytes = BYTES_PER_ELEMENT * (1 + made);
    if (made > lane.max_elements || call.steps > lane.max_steps || call.bytes > lane.max_bytes)
      call.state = AloneCall::OVER;
    return call;
  }
};
// `matcher`: compares a function's value (args[0]) with args[1]. args[2] is the function's argument, which costs a
// step unless it has failed.
struct AloneMatch {
  static constexpr bool MAY_BE_LARGE = false;
  ARC_FN AloneCall call(Lane&, const Flat& flat, const FlatOp& op, Frame* frame, u32 element) const {
    if (!frame) return {AloneCall::DONE, none_value(), 0, 0};
    const Value got = flat.fetch(frame, element, op.args[0]);
    const u64 steps = !flat.fetch(frame, element, op.args[2]).failed();
    if (got.failed()) return {AloneCall::DONE, got, steps, 0};
    return {AloneCall::DONE, truth(equal_alone(got, flat.fetch(frame, element, op.args[1]))), steps, 0};
  }
};
// args[0], or the failure of args[1] if it has failed.
struct AloneGuard {
  static constexpr bool MAY_BE_LARGE = false;
  ARC_FN AloneCall call(Lane&, const Flat& flat, const FlatOp& op, Frame* frame, u32 element) const {
    if (!frame) return {AloneCall::DONE, none_value(), 0, 0};
    const Value guard = flat.fetch(frame, element, op.args[1]);
    return {AloneCall::DONE, guard.failed() ? guard : flat.fetch(frame, element, op.args[0]), 0, 0};
  }
};
// args[0] if args[1] is true (or false); otherwise a failure that is never read.
template <bool IS_TRUE>
struct AloneWhere {
  static constexpr bool MAY_BE_LARGE = false;
  ARC_FN AloneCall call(Lane&, const Flat& flat, const FlatOp& op, Frame* frame, u32 element) const {
    if (!frame) return {AloneCall::DONE, none_value(), 0, 0};
    const bool is_wanted = is_true(flat.fetch(frame, element, op.args[1])) == IS_TRUE;
    return {AloneCall::DONE, is_wanted ? flat.fetch(frame, element, op.args[0]) : fail(EMPTY), 0, 0};
  }
};
// args[1] if args[0] is true, otherwise args[2], at no cost, whether or not the other has failed.
struct AlonePick {
  static constexpr bool MAY_BE_LARGE = false;
  ARC_FN AloneCall call(Lane&, const Flat& flat, const FlatOp& op, Frame* frame, u32 element) const {
    if (!frame) return {AloneCall::DONE, none_value(), 0, 0};
    const bool is_first = is_true(flat.fetch(frame, element, op.args[0]));
    return {AloneCall::DONE, flat.fetch(frame, element, op.args[is_first ? 1 : 2]), 0, 0};
  }
};

// Adds each thread's cost to its frame.
ARC_FN void add_costs(Frame* frame, u64 steps, u64 bytes) {
  // The elements of a warp are mostly in one frame: then their costs are summed first.
  Frame* first = (Frame*)broadcast((i64)frame);
  if (any_thread(frame && frame != first)) {
    if (steps) add_cost(frame, steps, bytes);
    return;
  }
  const auto add = [](i64 a, i64 b) { return (i64)((u64)a + (u64)b); };
  const u64 all_steps = (u64)fold_threads((i64)steps, add), all_bytes = (u64)fold_threads((i64)bytes, add);
  if (thread_index() == 0 && all_steps) add_cost(first, all_steps, all_bytes);
}

// Runs one element of a frame per thread; threads without an element have no frame. Returns whether all threads have
// to run it together; then nothing has been done.
template <class P>
ARC_FN bool run_alone(Lane& lane, const Flat& flat, const FlatOp& op, Frame* frame, u32 element,
                      const P& primitive) {
  begin_node(lane, 0);
  Frame* wanted = frame && !seen_over(frame, lane) ? frame : nullptr;
  const AloneCall call = primitive.call(lane, flat, op, wanted, element);
  const bool together = call.state == AloneCall::TOGETHER;
  const bool over = frame && (!wanted || call.state == AloneCall::OVER);
  if (frame && !together) filled_values(frame, op.column)[element] = over ? fail(OVER_BUDGET) : call.value;
  if (wanted && over) add_flags(frame, lane);
  const bool counts = frame && !over && !together;
  add_costs(frame, counts ? call.steps : 0, counts ? call.bytes : 0);
  return together;
}

}  // namespace arc
