// Functions over containers, flattened for the GPU: the calls of a function are steps of the plan, which run on the
// elements of all containers of all samples at once. host/flatten.hpp and host/plan.hpp make the plan.
//
// A site is a call that calls a function (`apply`, `argmax`...). It runs in phases. A phase ends when the site asks
// for the values of a function on a column; a frame is made for these. The calls of the function (ops) fill the
// columns of the frame. Then the site runs again from its beginning and finds these values. So its results, failures
// and costs come from the one source of its primitive.
#pragma once
#include "batt.hpp"
#include "launch.hpp"

namespace arc {

// A function's values on one column of elements: columns of its arguments, then one per op.
struct alignas(16) Frame {
  u64 steps;  // of all ops so far
  u64 bytes;
  Frame* outer;  // the frame that the site is part of; null for a node of the batt
  u32 outer_element;
  u32 sample;  // number among the chosen samples
  u32 n;       // elements
  u32 flags;
  u64 unused;
  ARC_FN Column* columns() { return (Column*)(this + 1); }
};
constexpr u32 EXCEEDED = 1, EXHAUSTED = 2;  // flags

inline ARC_METHOD Value Flat::fetch(Frame* frame, u32 element, Ref ref) const {
  if (is_node(ref)) return node_value(ref, frame->sample);
  for (u32 hops = hops_of(ref); hops; hops--) {
    element = frame->outer_element;
    frame = frame->outer;
  }
  return frame->columns()[column_number(ref)].at(element);
}
inline ARC_METHOD Column Flat::fetch_column(Lane& lane, Frame* frame, Ref ref) const {
  if (is_node(ref)) return same_column(node_value(ref, frame->sample));
  if (hops_of(ref)) return same_column(fetch(frame, 0, ref));
  const Column column = frame->columns()[column_number(ref)];
  return column.form == Column::VALUES ? narrowed(lane, column.values, frame->n) : column;
}

ARC_FN void add_cost(Frame* frame, u64 steps, u64 bytes) {
  atomic_add(&frame->steps, steps);
  atomic_add(&frame->bytes, bytes);
}
ARC_FN void add_flags(Frame* frame, const Lane& lane) {
  atomic_or(&frame->flags, lane.exhausted ? EXCEEDED | EXHAUSTED : EXCEEDED);
}
// Returns whether a frame's values are no longer needed, since the site's call is over budget. Other lanes may add to
// the frame at the same time, so one thread decides for all.
ARC_FN bool seen_over(const Frame* frame, const Lane& lane) {
  for (; frame; frame = frame->outer) {
    const volatile Frame& seen = *frame;
    if (seen.flags || seen.steps > lane.max_steps || seen.bytes > lane.max_bytes) return true;
  }
  return false;
}
ARC_FN bool is_over(const Frame* frame, const Lane& lane) {
  return broadcast(thread_index() == 0 && seen_over(frame, lane));
}

// The arguments and the result of an op on one element.
struct ElementPlace {
  const Flat& flat;
  const Ref* args;
  Frame* frame;
  u32 element;
  Value* to;

  ARC_FN Value arg(u32 k) const { return flat.fetch(frame, element, args[k]); }
  ARC_FN void fill(const Value& value, u64 steps, u64 bytes) const {
    if (thread_index() == 0) {
      *to = value;
      if (steps) add_cost(frame, steps, bytes);
    }
    sync();
  }
  ARC_FN void fill_exceeded(const Lane& lane) const {
    if (thread_index() == 0) {
      *to = fail(lane.exhausted ? NOT_RUN : OVER_BUDGET);
      add_flags(frame, lane);
    }
    sync();
  }
};

// The memory that the elements of a column are written to.
ARC_FN Value* filled_values(Frame* frame, u32 column) { return (Value*)frame->columns()[column].values; }

// The progress of a site that is running.
struct Replay {
  const Flat* flat;
  const FlatSite* site;
  Frame* outer;
  u32 element;
  u32 sample;
  u32 row;
  u32 phase;    // number of functions whose values are known
  u32 n_asked;       // number of functions whose values it has asked for
  Frame* new_frame;  // the frame of the first function whose values are not known
};
ARC_EXTERN Replay& replay_of(Lane& lane);
// Weight of an element that a site has asked for, relative to an element of a container.
constexpr u64 SITE_EFFORT = 8;

// Returns a frame for a function's values on n tuples of arguments, or null if memory ran out.
ARC_NOINLINE Frame* new_frame(Lane& lane, const Replay& replay, const Column* args, u32 n_args, i64 n) {
  const FlatDomain& domain = replay.flat->domains[replay.site->domains[replay.phase]];
  const u64 head = sizeof(Frame) + domain.n_columns * sizeof(Column);
  const u64 n_first = domain.n_args;
  Frame* frame = (Frame*)lane.allocate(head + (domain.n_columns - n_first) * (u64)n * sizeof(Value));
  if (!frame) return nullptr;
  if (thread_index() == 0) {
    *frame = {0, 0, replay.outer, replay.element, replay.sample, (u32)n, 0, 0};
    for (u32 k = 0; k < n_args; k++) frame->columns()[k] = args[k];
  }
  Value* values = (Value*)((char*)frame + head);
  each((i64)(domain.n_columns - n_first), [=](i64 k) {
    frame->columns()[n_first + k] = value_column(values + k * n);
  });
  return frame;
}

ARC_EXTERN bool are_arguments_wanted(Lane& lane) {
  const Replay& replay = replay_of(lane);
  return replay.n_asked == replay.phase;
}
// Returns the function's values, and charges their cost, if they are known; otherwise makes the frame that computes
// them, and ends the phase.
ARC_EXTERN Column map_function(Lane& lane, const Value&, const Column* args, u32 n_args, i64 n) {
  Replay& replay = replay_of(lane);
  if (lane.exceeded) return failed_column(lane);
  const FlatSite& site = *replay.site;
  const u32 phase = replay.n_asked;
  sync();
  if (phase >= site.n_phases) {  // cannot happen as long as the plan knows its primitives
    lane.exhausted = true;
    return failed_column(lane);
  }
  if (phase == replay.phase) {
    Frame* frame = new_frame(lane, replay, args, n_args, n);
    if (thread_index() == 0) replay.new_frame = frame;
    sync();
    return failed_column(lane);
  }
  if (thread_index() == 0) replay.n_asked = phase + 1;
  sync();
  Frame* frame = replay.flat->domains[site.domains[phase]].frames[replay.row];
  if (frame->flags & EXHAUSTED) lane.exhausted = true;
  if (frame->flags || !lane.charge(frame->steps, frame->bytes)) return failed_column(lane);
  return replay.flat->fetch_column(lane, frame, site.results[phase]);
}

// The arguments of a site, and its result unless it has asked for more.
struct SitePlace {
  const Replay& replay;
  Slots slots;

  ARC_FN Value arg(u32 k) const {
    const Ref ref = replay.site->args[k];
    return replay.outer ? replay.flat->fetch(replay.outer, replay.element, ref)
                        : replay.flat->node_value(ref, replay.sample);
  }
  ARC_FN void fill(const Value& value, u64 steps, u64 bytes) const {
    if (replay.new_frame) return;
    const u32 column = replay.site->column;
    if (!replay.outer) return NodePlace{slots, nullptr, column}.fill(value, steps, bytes);
    element_place(column).fill(value, steps, bytes);
  }
  ARC_FN void fill_exceeded(const Lane& lane) const {
    if (replay.new_frame) return;
    const u32 column = replay.site->column;
    if (!replay.outer) return NodePlace{slots, nullptr, column}.fill_exceeded(lane);
    element_place(column).fill_exceeded(lane);
  }
  ARC_FN ElementPlace element_place(u32 column) const {
    return {*replay.flat, nullptr, replay.outer, replay.element,
            filled_values(replay.outer, column) + replay.element};
  }
};

// A call of a function value, which is the site's first argument.
template <class Place>
ARC_FN void invoke(Lane& lane, u32 n_args, const Place& place) {
  const u32 n_right = gather(lane, place, n_args);
  const Value* args = lane.frame;
  if (n_right < n_args) return place.fill(place.arg(n_right), 0, 0);
  begin_node(lane, 0);
  const Value result = call_function(lane, args[0], args + 1, n_args - 1);
  if (lane.exceeded) return place.fill_exceeded(lane);
  place.fill(result, lane.steps, lane.bytes);
}

// Runs one phase of a site, whose call is run(place). Returns the number of elements that it asks for.
template <class Run>
ARC_FN void run_phase(Lane& lane, const Flat& flat, const FlatSite& site, u32 phase, u32 row, Slots slots,
                      u32* counts, Run run) {
  Replay& replay = replay_of(lane);
  Frame* outer = nullptr;
  u32 element = 0, sample = row;
  bool wanted = true;
  if (site.home != NO_DOMAIN) {
    const FlatDomain& home = flat.domains[site.home];
    const u32 home_row = home.row_of_element(row);
    outer = home.frames[home_row];
    element = row - (home.firsts[home_row] - home.firsts[0]);
    sample = outer->sample;
    wanted = !is_over(outer, lane);
    if (!wanted && phase == 0 && thread_index() == 0)
      filled_values(outer, site.column)[element] = fail(OVER_BUDGET);
  }
  if (phase > 0) {
    const Frame* frame = flat.domains[site.domains[phase - 1]].frames[row];
    wanted = wanted && frame != nullptr;
    if (wanted && is_left_to_wide(lane, SITE_EFFORT * frame->n + frame->bytes / BYTES_PER_ELEMENT)) return;
  }
  if (thread_index() == 0) replay = {&flat, &site, outer, element, sample, row, phase, 0, nullptr};
  sync();
  if (wanted) run(SitePlace{replay, slots});
  sync();
  if (phase < site.n_phases && thread_index() == 0) {
    flat.domains[site.domains[phase]].frames[row] = replay.new_frame;
    *counts = replay.new_frame ? replay.new_frame->n : 0;
  }
  sync();
}

}  // namespace arc
