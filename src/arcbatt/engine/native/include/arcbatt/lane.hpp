// A lane: the run of one sample, with its memory, its budget and the cost of the current node.
#pragma once
#include "value.hpp"

namespace arc {

// Returns more memory for a lane, at least `bytes`, and sets its size; null if there is none. Implemented by the
// lane's runner (binding.cpp, kernel.cu).
ARC_EXTERN char* grow_arena(void* owner, u64 bytes, u64* given);

// On the GPU each thread of a lane has its own copy and does the same with it, so that none waits for another and most
// of it stays in registers.
struct Lane {
  char* top = nullptr;
  char* end = nullptr;
  void* owner = nullptr;  // of the memory
  bool exhausted = false;  // the lane ran out of memory: the result of the call is unknown

  // About the current node.
  bool exceeded = false;
  u64 steps = 0;
  u64 bytes = 0;
  u64 max_steps = 0;
  u64 max_bytes = 0;
  u64 max_elements = 0;

#if defined(__CUDACC__)
  Value* frame;  // the arguments of the current node, in shared memory
#else
  Value frame[MAX_ARITY + 1];
#endif

  // Allocates memory for the life of the lane, aligned to 16 bytes; null if there is none left.
  ARC_FN void* allocate(u64 n_bytes) {
    n_bytes = (n_bytes + 15) & ~15ULL;
    if (n_bytes == 0) n_bytes = 16;  // null only means that there is no memory
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

  // Counts steps; returns false if the node has exceeded the budget.
  ARC_FN bool charge(u64 more_steps, u64 more_bytes = 0) {
    steps += more_steps;
    bytes += more_bytes;
    exceeded = exceeded || steps > max_steps || bytes > max_bytes;
    return !exceeded;
  }
  // Returns whether a value of this many elements may be made.
  ARC_FN bool require(u64 n_elements) {
    const bool over = n_elements > max_elements;
    if (over) exceeded = true;
    return !over && !exceeded;
  }
};

// Makes a rare call that is not inlined, with a copy of the lane: a lane whose address escapes would live in a GPU's
// memory instead of registers.
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

// Scope of temporary memory: memory allocated during its life is released, unless it continued in another chunk. Then
// all of it is kept, since only the last chunk has free space.
struct Scratch {
  char *top, *end;

  ARC_FN explicit Scratch(const Lane& lane) : top(lane.top), end(lane.end) {}
  ARC_FN void give_back(Lane& lane) const {
    sync();  // no thread may still be reading the released memory
    if (lane.end == end) lane.top = top;
  }
};
// Releases the end of the array that was allocated last.
template <class T>
ARC_FN void give_back(Lane& lane, const T* array, i64 n_used) {
  lane.top = (char*)array + (((u64)n_used * sizeof(T) + 15) & ~15ULL);
}

// Allocates n elements of a type, or returns from the function with that failure.
#define ARC_ALLOCATE(name, type, n)                   \
  type* name = lane.allocate_array<type>(n);          \
  if (!name) return fail(OVER_BUDGET)
#define ARC_REQUIRE(n) \
  if (!lane.require(n)) return fail(OVER_BUDGET)
#define ARC_CHARGE(n) \
  if (!lane.charge(n)) return fail(OVER_BUDGET)

}  // namespace arc
