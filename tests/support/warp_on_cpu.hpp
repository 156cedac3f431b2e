// The part of CUDA that the kernels need, on one CPU thread: the threads of a block take turns, each on its own stack.
// A thread runs until a vote, shuffle or barrier, which all threads must reach together; otherwise the process reports
// where they diverged and exits. Blocks run one after another.
#pragma once
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <memory>

#define __CUDACC__ 1
#define __CUDA_ARCH__ 900
#define __device__
#define __noinline__ __attribute__((noinline))
#define __global__
#define __launch_bounds__(...)
#define __shared__ static thread_local

// Deny memory to a lane in one of `short_times` requests, always the same ones.
static unsigned short_times = 0, n_times = 0;
extern "C" void have_run_short(unsigned times) {
  short_times = times;
  n_times = 0;
}
static bool runs_short() { return short_times && (++n_times * 2654435761u >> 16) % short_times == 0; }
#define ARC_RUNS_SHORT runs_short

struct Index {
  unsigned x;
};
static thread_local Index threadIdx = {0}, blockDim = {1}, blockIdx = {0}, gridDim = {1};

namespace block {

constexpr int N = ARC_BLOCK_THREADS, WARP = 32;
constexpr size_t STACK_BYTES = 1 << 19;
// Kernels take four words at most.
typedef void (*Kernel)(void*, void*, void*, void*);

// The words that threads exchange at a meeting. Two buffers alternate, since at the next meeting some threads
// have not read the previous words yet.
static thread_local unsigned long long words[2][N];
static thread_local const char* names[2][N];
static thread_local unsigned n_meetings[N];
static thread_local jmp_buf states[N];
static thread_local ucontext_t beginnings[N], caller;
static thread_local bool has_begun[N];
static thread_local int n_done;
static thread_local Kernel kernel;
static thread_local void** given;

static void go_to(int thread) {
  threadIdx.x = thread;
  if (has_begun[thread]) _longjmp(states[thread], 1);
  has_begun[thread] = true;
  setcontext(&beginnings[thread]);
}
static void begin() {
  kernel(given[0], given[1], given[2], given[3]);
  const int thread = threadIdx.x;
  if (++n_done < N) go_to((thread + 1) % N);
  threadIdx.x = 0;
  blockDim.x = 1;
  setcontext(&caller);
}
static void run(Kernel run_kernel, void** words) {
  static thread_local const std::unique_ptr<char[]> stacks(new char[N * STACK_BYTES]);
  kernel = run_kernel;
  given = words;
  n_done = 0;
  blockDim.x = N;
  for (int k = 0; k < N; k++) {
    getcontext(&beginnings[k]);
    beginnings[k].uc_stack.ss_sp = stacks.get() + k * STACK_BYTES;
    beginnings[k].uc_stack.ss_size = STACK_BYTES;
    beginnings[k].uc_link = nullptr;
    makecontext(&beginnings[k], begin, 0);
    has_begun[k] = false;
    n_meetings[k] = 0;
  }
  volatile bool is_back = false;
  getcontext(&caller);
  if (is_back) return;
  is_back = true;
  go_to(0);
}

// Hands a word to all threads; returns theirs, by thread.
static const unsigned long long* meet(unsigned long long word, const char* name) {
  const int thread = threadIdx.x, side = n_meetings[thread] & 1, next = (thread + 1) % N;
  words[side][thread] = word;
  names[side][thread] = name;
  if (!_setjmp(states[thread])) go_to(next);
  n_meetings[thread]++;
  if (names[side][thread] != names[side][next]) {
    fprintf(stderr, "thread %d: %s, thread %d: %s\n", thread, names[side][thread], next, names[side][next]);
    abort();
  }
  return words[side];
}
template <class T>
static unsigned long long word_of(T value) {
  unsigned long long word = 0;
  memcpy(&word, &value, sizeof value);
  return word;
}
template <class T>
static T value_of(unsigned long long word) {
  T value;
  memcpy(&value, &word, sizeof value);
  return value;
}
static int first_of_warp() { return threadIdx.x / WARP * WARP; }
template <class T>
static T from(T value, int source, const char* name) {
  return value_of<T>(meet(word_of(value), name)[first_of_warp() + (source & (WARP - 1))]);
}
template <class T, class Op>
static T fold(T value, Op op, const char* name) {
  const unsigned long long* all = meet(word_of(value), name) + first_of_warp();
  T result = value_of<T>(all[0]);
  for (int k = 1; k < WARP; k++) result = op(result, value_of<T>(all[k]));
  return result;
}

}  // namespace block

inline void __syncwarp() { block::meet(0, "__syncwarp"); }
inline void __syncthreads() {
  if (blockDim.x > 1) block::meet(0, "__syncthreads");
}
inline bool __syncthreads_or(bool flag) {
  const unsigned long long* all = block::meet(flag, "__syncthreads_or");
  for (int k = 0; k < block::N; k++)
    if (all[k]) return true;
  return false;
}
inline unsigned __ballot_sync(unsigned, bool flag) {
  const unsigned long long* all = block::meet(flag, "__ballot_sync") + block::first_of_warp();
  unsigned bits = 0;
  for (int k = 0; k < block::WARP; k++) bits |= (unsigned)all[k] << k;
  return bits;
}
inline bool __any_sync(unsigned mask, bool flag) { return __ballot_sync(mask, flag) != 0; }
inline unsigned __match_any_sync(unsigned, int value) {
  const unsigned long long* all =
      block::meet(block::word_of(value), "__match_any_sync") + block::first_of_warp();
  unsigned bits = 0;
  for (int k = 0; k < block::WARP; k++) bits |= (unsigned)(block::value_of<int>(all[k]) == value) << k;
  return bits;
}
template <class T>
T __shfl_sync(unsigned, T value, int source) {
  return block::from(value, source, "__shfl_sync");
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  return block::from(value, (int)threadIdx.x ^ mask, "__shfl_xor_sync");
}
template <class T>
T __shfl_up_sync(unsigned, T value, int by) {
  const int own = threadIdx.x % block::WARP;
  return block::from(value, own >= by ? own - by : own, "__shfl_up_sync");
}
template <class T>
T __shfl_down_sync(unsigned, T value, int by) {
  const int own = threadIdx.x % block::WARP;
  return block::from(value, own + by < block::WARP ? own + by : own, "__shfl_down_sync");
}
inline int __reduce_min_sync(unsigned, int value) {
  return block::fold(value, [](int a, int b) { return a < b ? a : b; }, "__reduce_min_sync");
}
inline unsigned __reduce_add_sync(unsigned, unsigned value) {
  return block::fold(value, [](unsigned a, unsigned b) { return a + b; }, "__reduce_add_sync");
}
inline unsigned __reduce_or_sync(unsigned, unsigned value) {
  return block::fold(value, [](unsigned a, unsigned b) { return a | b; }, "__reduce_or_sync");
}
inline float __fdividef(float x, float y) { return x / y; }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline unsigned __brev(unsigned bits) {
  unsigned mirrored = 0;
  for (int k = 0; k < 32; k++) mirrored |= (bits >> k & 1) << (31 - k);
  return mirrored;
}
inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
inline int __clzll(long long bits) { return bits ? __builtin_clzll(bits) : 64; }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __ffsll(long long bits) { return __builtin_ffsll(bits); }

// Only one thread runs at a time.
template <class T, class U>
T atomicAdd(T* to, U more) {
  const T before = *to;
  *to += more;
  return before;
}
template <class T, class U>
T atomicOr(T* to, U bits) {
  const T before = *to;
  *to |= bits;
  return before;
}
template <class T>
T atomicMin(T* to, T value) {
  const T before = *to;
  if (value < before) *to = value;
  return before;
}
template <class T>
T atomicMax(T* to, T value) {
  const T before = *to;
  if (value > before) *to = value;
  return before;
}
template <class T>
T atomicCAS(T* to, T wanted, T value) {
  const T before = *to;
  if (before == wanted) *to = value;
  return before;
}

extern "C" void run_block(block::Kernel kernel, void** words) { block::run(kernel, words); }
// Runs blocks of the present size one after the other, so that each may wait for earlier ones.
extern "C" void run_blocks(block::Kernel kernel, unsigned n_blocks, void** words) {
  gridDim.x = n_blocks;
  for (blockIdx.x = 0; blockIdx.x < n_blocks; blockIdx.x++) block::run(kernel, words);
  gridDim.x = 1;
  blockIdx.x = 0;
}

#if !defined(ARC_LANE_THREADS)
#include "counting.hpp"

// Stands for the driver's function. Kernels of steps take a launch and a step, and are run by one block; their wide
// blocks are run by the library that is compiled for them. Counts are added up by as many threads as the launch has. All
// other kernels are run by one thread.
static void (*run_wide_block)(block::Kernel, void**);
extern "C" void use_for_wide(void (*run)(block::Kernel, void**)) { run_wide_block = run; }
extern "C" int launch_kernel(block::Kernel kernel, unsigned n_blocks, unsigned, unsigned, unsigned n_threads, unsigned,
                             unsigned, unsigned, void*, void** given, void**) {
  void* words[4];
  for (int k = 0; k < 4; k++) words[k] = *(void**)given[k];
  if (n_threads == ARC_WIDE_THREADS) {
    run_wide_block(kernel, words);
  } else if (n_threads == ARC_STEP_THREADS) {
    run_block(kernel, words);
  } else if (n_threads == arc::COUNT_THREADS) {
    run_blocks(kernel, n_blocks * (n_threads / block::N), words);
  } else {
    kernel(words[0], words[1], words[2], words[3]);
  }
  return 0;
}
extern "C" int refuse_kernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                             void**, void**) {
  return 719;
}
extern "C" int record_event(void*, void*) { return 0; }
extern "C" int wait_for_event(void*, void*, unsigned) { return 0; }
extern "C" int query_event(void*) { return 0; }
extern "C" int never_done(void*) { return 600; }
extern "C" int copy_bytes(void* to, const void* from, size_t n_bytes, void*) {
  memcpy(to, from, n_bytes);
  return 0;
}
extern "C" int fill_bytes(void* to, unsigned char value, size_t n_bytes, void*) {
  memset(to, value, n_bytes);
  return 0;
}
#endif
