// A lane: one sample's run. Its arena, its budget, and what the node being run has cost.
#pragma once
#include "value.hpp"

namespace arc {

// More memory for a lane; provided by whoever runs it (binding.cpp, kernel.cu). Gives the start of at
// least `bytes` and sets how many there are; null when there are none.
ARC_EXTERN char* grow_arena(void* owner, u64 bytes, u64* given);

// On the GPU each of a lane's threads has its own copy, and all do the same with it: so none waits for
// another, and much of it stays in registers.
struct Lane {
  char* top = nullptr;
  char* end = nullptr;
  void* owner = nullptr;  // of the arena
  bool exhausted = false;  // the arena's memory was not enough: nothing is known of the call

  // Of the node being run.
  bool exceeded = false;
  u64 steps = 0;
  u64 bytes = 0;
  u64 max_steps = 0;
  u64 max_bytes = 0;
  u64 max_elements = 0;

#if defined(__CUDACC__)
  Value* frame;  // the arguments of the node being run, in shared memory
#else
  Value frame[MAX_ARITY + 1];
#endif

  // Memory that lives as long as the lane, aligned to 16 bytes; null when there is none left.
  ARC_FN void* allocate(u64 n_bytes) {
    n_bytes = (n_bytes + 15) & ~15ULL;
    if (n_bytes == 0) n_bytes = 16;  // null stands for "no memory" alone
    if (n_bytes > (u64)(end - top)) {
      u64 given = 0;
      char* start = grow_arena(owner, n_bytes, &given);
      if (!start) {
        exhausted = exceeded = true;
        return nullptr;
      }
      top = start;
      end = start + given;
    }
    char* result = top;
    top = result + n_bytes;
    return result;
  }
  template <class T>
  ARC_FN T* allocate_array(u64 n) { return (T*)allocate(n * sizeof(T)); }

  // Counts; false when the node has used up the budget.
  ARC_FN bool charge(u64 more_steps, u64 more_bytes = 0) {
    steps += more_steps;
    bytes += more_bytes;
    exceeded = exceeded || steps > max_steps || bytes > max_bytes;
    return !exceeded;
  }
  // Whether a value of so many elements may be made.
  ARC_FN bool require(u64 n_elements) {
    const bool over = n_elements > max_elements;
    if (over) exceeded = true;
    return !over && !exceeded;
  }
};

// Makes a call that is seldom made and not inlined. It is given a copy: a lane whose address is known to others
// would stand in a GPU's memory, not in its registers, all the time.
template <class F>
ARC_FN auto seldom(Lane& lane, F f) {
#if defined(__CUDACC__)
  Lane copy = lane;
  const auto result = f(copy);
  lane = copy;
  return result;
#else
  return f(lane);
#endif
}

// Memory for a while: what is allocated after this is made is given back, unless it went on in another
// chunk; then all of it is kept, since the room left is that of the chunk allocated from last.
struct Scratch {
  char *top, *end;

  ARC_FN explicit Scratch(const Lane& lane) : top(lane.top), end(lane.end) {}
  ARC_FN void give_back(Lane& lane) const {
    sync();  // nobody reads what was there any more
    if (lane.end == end) lane.top = top;
  }
};
// Gives back the end of the array that was allocated last.
template <class T>
ARC_FN void give_back(Lane& lane, const T* array, i64 n_used) {
  lane.top = (char*)array + (((u64)n_used * sizeof(T) + 15) & ~15ULL);
}

// Memory for n elements of a type, or out of the function with that failure.
#define ARC_ALLOCATE(name, type, n)                   \
  type* name = lane.allocate_array<type>(n);          \
  if (!name) return fail(OVER_BUDGET)
#define ARC_REQUIRE(n) \
  if (!lane.require(n)) return fail(OVER_BUDGET)
#define ARC_CHARGE(n) \
  if (!lane.charge(n)) return fail(OVER_BUDGET)

}  // namespace arc
