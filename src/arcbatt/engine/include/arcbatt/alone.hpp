// Calls of small primitives within functions, each by one thread: 32 elements to a warp, whatever frames
// they stand in. For the GPU; see flat.hpp.
#pragma once
#include "flat.hpp"

namespace arc {

// What a call gave and cost, where that is known before the primitive's own work is done.
struct AloneCall {
  enum State { READY, DONE, OVER } state;
  Value value;
  u64 steps;
  u64 bytes;
};

// As `fits`, by one thread.
ARC_FN bool fits_alone(const Value& v, Domain domain) {
  if (v.kind != TUPLE || (domain != ROWS && domain != CELLS)) return fits(v, domain);
  for (u32 k = 0; k < v.n; k++) {
    const Value member = v.members()[k];
    if (domain == ROWS ? !is_tuple(member) : member.kind != CELL) return false;
  }
  return true;
}

// What comes before a primitive's own work: as run_call.
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

// The bytes of memory that its work takes; -1 where that is over the limits.
template <u32 P>
ARC_FN i64 room_alone(const Lane& lane, const Value* args) {
  if constexpr (P == P_astuple) {
    const TwoRoom room = room_of_two(args[0], args[1]);
    return room.weight > lane.max_elements || room.depth > MAX_DEPTH ? -1 : room.n_bytes;
  }
  if constexpr (P == P_connect || P == P_shoot) {
    const Line line = P == P_connect ? connecting_line(args) : shot_line(args);
    if (3 * (u64)line.n > lane.max_elements) return -1;
    return line.in_range ? (line.n * (i64)sizeof(Key) + 15) & ~15LL : 0;
  }
  return 0;
}

// A primitive's own work: its own code, unless that is for all threads of a lane.
template <u32 P, Value (*RUN)(Lane&, const Value*)>
ARC_FN Value work_alone(Lane& lane, const Value* args, char* memory) {
  if constexpr (P == P_equality) {
    return truth(equal_alone(args[0], args[1]));
  } else if constexpr (P == P_greater) {
    return truth(compare_alone(args[0], args[1]) > 0);
  } else if constexpr (P == P_astuple) {
    return tuple_of_two(args[0], args[1], memory);
  } else if constexpr (P == P_connect || P == P_shoot) {
    const Line line = P == P_connect ? connecting_line(args) : shot_line(args);
    if (!line.n) return empty_set();
    if (!line.in_range) return fail(OUT_OF_RANGE);
    Key* keys = (Key*)memory;
    for (i64 k = 0; k < line.n; k++) keys[k] = line.key(k);
    return keys_value(INDICES, keys, (u32)line.n);
  } else if constexpr (P == P_contained) {
    const Value container = args[1];
    if (is_set(container)) return truth(find_in_set<true>(container, args[0]).there);
    for (u32 k = 0; k < container.n; k++)
      if (equal_alone(member(container, k), args[0])) return truth(true);
    return truth(false);
  } else {
    return RUN(lane, args);
  }
}

// The calls of a primitive on so many elements, one a thread of the lane.
template <u32 P, Value (*RUN)(Lane&, const Value*)>
struct AlonePrimitive {
  ARC_FN AloneCall call(Lane& lane, const Flat& flat, const FlatOp& op, Frame* frame, u32 element) const {
    constexpr u32 ARITY = Declared<P>::info.arity;
    Value args[ARITY];
    AloneCall call = {AloneCall::DONE, none_value(), 0, 0};
    i64 room = 0, all = 0;
    if (frame) {
      for (u32 k = 0; k < ARITY; k++) args[k] = flat.fetch(frame, element, op.args[k]);
      call = begin_alone<P>(lane, args);
      if (call.state == AloneCall::READY) room = room_alone<P>(lane, args);
      if (room < 0) call.state = AloneCall::OVER;
    }
    char* memory = nullptr;
    if constexpr (P == P_astuple || P == P_connect || P == P_shoot) {
      const i64 before = sum_before(max_of<i64>(room, 0), &all);
      if (all) memory = (char*)lane.allocate((u64)all);
      if (all && !memory) call.state = call.state == AloneCall::READY ? AloneCall::OVER : call.state;
      memory += before;
    }
    if (call.state != AloneCall::READY) return call;
    call.value = work_alone<P, RUN>(lane, args, memory);
    if (call.value.failed()) return call;
    const u64 made = weight_of(call.value);
    call.steps += made;
    call.bytes = BYTES_AN_ELEMENT * (1 + made);
    if (made > lane.max_elements || call.steps > lane.max_steps || call.bytes > lane.max_bytes)
      call.state = AloneCall::OVER;
    return call;
  }
};
// `matcher` of what a function gave (args[0]) and what it is to be (args[1]); args[2] is what the
// function was given, and costs a step where it has not failed.
struct AloneMatch {
  ARC_FN AloneCall call(Lane&, const Flat& flat, const FlatOp& op, Frame* frame, u32 element) const {
    if (!frame) return {AloneCall::DONE, none_value(), 0, 0};
    const Value got = flat.fetch(frame, element, op.args[0]);
    const u64 steps = !flat.fetch(frame, element, op.args[2]).failed();
    if (got.failed()) return {AloneCall::DONE, got, steps, 0};
    return {AloneCall::DONE, truth(equal_alone(got, flat.fetch(frame, element, op.args[1]))), steps, 0};
  }
};
// args[0] where args[1] has not failed, that failure where it has.
struct AloneGuard {
  ARC_FN AloneCall call(Lane&, const Flat& flat, const FlatOp& op, Frame* frame, u32 element) const {
    if (!frame) return {AloneCall::DONE, none_value(), 0, 0};
    const Value guard = flat.fetch(frame, element, op.args[1]);
    return {AloneCall::DONE, guard.failed() ? guard : flat.fetch(frame, element, op.args[0]), 0, 0};
  }
};

// One element of a frame a thread; those without one have no frame.
template <class P>
ARC_FN void run_alone(Lane& lane, const Flat& flat, const FlatOp& op, Frame* frame, u32 element,
                      const P& primitive) {
  begin_node(lane, 0);
  Frame* wanted = frame && !seen_over(frame, lane) ? frame : nullptr;
  const AloneCall call = primitive.call(lane, flat, op, wanted, element);
  const bool over = frame && (!wanted || call.state == AloneCall::OVER);
  if (frame) filled_values(frame, op.column)[element] = over ? fail(OVER_BUDGET) : call.value;
  if (wanted && over) add_flags(frame, lane);
  // Mostly a warp's elements stand in one frame: then their costs are added up before.
  const u64 steps = over || !frame ? 0 : call.steps, bytes = over || !frame ? 0 : call.bytes;
  Frame* first = (Frame*)broadcast((i64)frame);
  if (any_thread(frame && frame != first)) {
    if (steps) add_cost(frame, steps, bytes);
    return;
  }
  const auto add = [](i64 a, i64 b) { return (i64)((u64)a + (u64)b); };
  const u64 all_steps = (u64)fold_threads((i64)steps, add), all_bytes = (u64)fold_threads((i64)bytes, add);
  if (thread_index() == 0 && all_steps) add_cost(first, all_steps, all_bytes);
}

}  // namespace arc
