// One source, two targets. A lane is run by W cooperating threads: 1 on the CPU; on the GPU a warp of 32, or a whole
// block for calls on large values. All threads of a lane run the same code on the same values; only the bodies of the
// combinators below are distributed among them. After every combinator, all threads have finished reading, and all of
// them see all writes. Neither this header nor those that include it use the standard library.
#pragma once

namespace arc {

typedef signed char i8;
typedef unsigned char u8;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

#if defined(__CUDACC__)
#if defined(__CUDACC_RTC__) || defined(__NVCC__)
#define ARC_ASSEMBLY  // the compiler is really one for GPUs
#endif
#if !defined(ARC_LANE_THREADS)
#define ARC_WARP_LANES
#endif
#define ARC_FN __device__ inline
#define ARC_NOINLINE __device__ __noinline__
#define ARC_CPU_NOINLINE ARC_FN  // functions called once per kernel, but from many places on the CPU
#define ARC_METHOD __device__ __noinline__
#define ARC_EXTERN __device__
#define ARC_CLONED
#define ARC_TABLE(type, name) __device__ const type name[]
constexpr int WARP = 32;
#if defined(ARC_LANE_THREADS)
constexpr int W = ARC_LANE_THREADS;
ARC_FN int thread_index() { return threadIdx.x; }
ARC_FN void sync() { __syncthreads(); }
// For code that only a warp runs: a wide lane that called it would not link.
__device__ u32 ballot(bool flag);
__device__ u32 shuffle(u32 value, int source);
#else
constexpr int W = WARP;
ARC_FN int thread_index() { return threadIdx.x & 31; }
ARC_FN void sync() { __syncwarp(); }
ARC_FN u32 ballot(bool flag) { return __ballot_sync(0xffffffffu, flag); }
ARC_FN u32 shuffle(u32 value, int source) { return __shfl_sync(0xffffffffu, value, source); }
// The word of the previous or the next thread; the first and the last thread get their own.
ARC_FN u32 from_before(u32 value) { return __shfl_up_sync(0xffffffffu, value, 1); }
ARC_FN u32 from_after(u32 value) { return __shfl_down_sync(0xffffffffu, value, 1); }
#endif
// Within a warp, even if the lane is a block.
ARC_FN int warp_index() { return threadIdx.x & 31; }
ARC_FN u32 ballot_in_warp(bool flag) { return __ballot_sync(0xffffffffu, flag); }
ARC_FN i64 exchange(i64 value, int offset) { return __shfl_xor_sync(0xffffffffu, value, offset); }
ARC_FN i64 shuffle_up(i64 value, int by) { return __shfl_up_sync(0xffffffffu, value, by); }
ARC_FN i64 shuffle_from(i64 value, int source) { return __shfl_sync(0xffffffffu, value, source); }
ARC_FN int count_bits(u32 bits) { return __popc(bits); }
ARC_FN int lowest_bit(u32 bits) { return __ffs((int)bits) - 1; }
ARC_FN u32 mirrored_bits(u32 bits) { return __brev(bits); }
ARC_FN int lowest_bit64(u64 bits) { return __ffsll((i64)bits) - 1; }
ARC_FN void atomic_or(u32* word, u32 bits) { atomicOr(word, bits); }
ARC_FN u32 atomic_add(u32* word, u32 value) { return atomicAdd(word, value); }
ARC_FN void atomic_add(u64* word, u64 value) { atomicAdd(word, value); }
// The same by the first thread of a warp, which continues until it needs the word. If the compiler saw that all
// threads add to one word, it would sum their numbers first, and wait; so the address depends on the thread's number.
#if defined(ARC_ASSEMBLY)
ARC_FN u32 atomic_take(u32* word, u32 n) {
  u32 before;
  asm volatile(
      "{ .reg .u32 lane; .reg .u64 at; mov.u32 lane, %%laneid; mul.wide.u32 at, lane, 4; add.u64 at, at, %1;"
      " atom.global.add.u32 %0, [at], %2; }"
      : "=r"(before) : "l"(word), "r"(n) : "memory");
  return before;
}
// For a word in shared memory.
ARC_FN void atomic_or_shared(u32* word, u32 bits) {
  asm volatile("red.shared.or.b32 [%0], %1;" ::"r"((u32)__cvta_generic_to_shared(word)), "r"(bits) : "memory");
}
ARC_FN u32 read_shared(const u32* word) {
  u32 bits;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(bits) : "r"((u32)__cvta_generic_to_shared(word)) : "memory");
  return bits;
}
ARC_FN void write_shared(u32* word, u32 bits) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"((u32)__cvta_generic_to_shared(word)), "r"(bits) : "memory");
}
#else
ARC_FN u32 atomic_take(u32* word, u32 n) { return atomicAdd(word, n); }
ARC_FN void atomic_or_shared(u32* word, u32 bits) { atomicOr(word, bits); }
ARC_FN u32 read_shared(const u32* word) { return *word; }
ARC_FN void write_shared(u32* word, u32 bits) { *word = bits; }
#endif
ARC_FN i32 atomic_min(i32* word, i32 value) { return atomicMin(word, value); }
ARC_FN void atomic_max(i32* word, i32 value) { atomicMax(word, value); }
// Returns the previous word, as atomic_add and atomic_min; replaces it by `value` if it was `wanted`.
ARC_FN u32 atomic_swap_if(u32* word, u32 wanted, u32 value) { return atomicCAS(word, wanted, value); }
#else
#define ARC_FN inline
// Compiled for several levels of the instruction set; the best one is chosen when the module is loaded.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define ARC_CLONED __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define ARC_CLONED
#endif
#define ARC_TABLE(type, name) static const type name[]
#define ARC_EXTERN
#define ARC_NOINLINE [[maybe_unused]] static __attribute__((noinline))
#define ARC_CPU_NOINLINE ARC_NOINLINE
#define ARC_METHOD __attribute__((noinline))
constexpr int WARP = 1;
constexpr int W = 1;
ARC_FN int thread_index() { return 0; }
ARC_FN void sync() {}
ARC_FN u32 ballot(bool flag) { return flag; }
ARC_FN int warp_index() { return 0; }
ARC_FN u32 ballot_in_warp(bool flag) { return flag; }
ARC_FN i64 exchange(i64 value, int) { return value; }
ARC_FN i64 shuffle_up(i64 value, int) { return value; }
ARC_FN i64 shuffle_from(i64 value, int) { return value; }
ARC_FN int count_bits(u32 bits) { return __builtin_popcount(bits); }
ARC_FN int lowest_bit(u32 bits) { return __builtin_ctz(bits); }
ARC_FN int lowest_bit64(u64 bits) { return __builtin_ctzll(bits); }
ARC_FN void atomic_or(u32* word, u32 bits) { *word |= bits; }
ARC_FN u32 atomic_add(u32* word, u32 value) {
  u32 before = *word;
  *word += value;
  return before;
}
ARC_FN void atomic_add(u64* word, u64 value) { *word += value; }
ARC_FN i32 atomic_min(i32* word, i32 value) {
  i32 before = *word;
  if (value < before) *word = value;
  return before;
}
ARC_FN void atomic_max(i32* word, i32 value) { if (value > *word) *word = value; }
ARC_FN u32 atomic_swap_if(u32* word, u32 wanted, u32 value) {
  u32 before = *word;
  if (before == wanted) *word = value;
  return before;
}
#endif

#if defined(__CUDACC__)
// x / y for x below 2^10: no quotient is so close to the next integer that rounding could reach it.
ARC_FN u32 divide_small(u32 x, u32 y) { return (u32)__fdividef((float)x + 0.5f, (float)y); }
#endif

template <class T>
ARC_FN T min_of(T a, T b) { return b < a ? b : a; }
template <class T>
ARC_FN T max_of(T a, T b) { return a < b ? b : a; }

// --- communication between the threads of a lane ---

#if defined(ARC_LANE_THREADS)
constexpr int N_WARPS = W / WARP;
static_assert(N_WARPS <= WARP && (N_WARPS & (N_WARPS - 1)) == 0, "one warp folds the values of all warps");
// Exchanges one value per warp: thread k of every warp gets the value of warp k % N_WARPS.
ARC_FN i64 between_warps(i64 of_warp) {
  __shared__ i64 words[N_WARPS];
  if (warp_index() == 0) words[threadIdx.x / WARP] = of_warp;
  __syncthreads();
  const i64 value = words[warp_index() % N_WARPS];
  __syncthreads();
  return value;
}
// Thread 0's value.
ARC_NOINLINE i64 broadcast(i64 value) { return shuffle_from(between_warps(value), 0); }
ARC_FN bool any_thread(bool flag) { return __syncthreads_or(flag); }
// The threads' values, combined.
template <class Op>
ARC_NOINLINE i64 fold_threads(i64 value, Op op) {
  for (int offset = WARP / 2; offset > 0; offset /= 2) value = op(value, exchange(value, offset));
  value = between_warps(value);
  for (int offset = N_WARPS / 2; offset > 0; offset /= 2) value = op(value, exchange(value, offset));
  return value;
}
ARC_FN i64 sum_in_warp(i64 value) {
  for (int by = 1; by < WARP; by *= 2) {
    const i64 more = shuffle_up(value, by);
    if (warp_index() >= by) value += more;
  }
  return value;
}
// The sum of the values of all earlier threads; *all is the sum over all threads.
ARC_NOINLINE i64 sum_before(i64 own, i64* all) {
  const i64 here = sum_in_warp(own);
  const i64 of_warps = sum_in_warp(between_warps(shuffle_from(here, WARP - 1)));
  const int warp = threadIdx.x / WARP;
  const i64 earlier = shuffle_from(of_warps, warp ? warp - 1 : 0);
  *all = shuffle_from(of_warps, N_WARPS - 1);
  return (warp ? earlier : 0) + here - own;
}
// The number of earlier threads with the flag; *all counts all threads with it.
ARC_FN i64 count_before(bool flag, i64* all) { return sum_before(flag, all); }
#else
ARC_FN i64 broadcast(i64 value) { return shuffle_from(value, 0); }
#if defined(__CUDACC__)
ARC_FN bool any_thread(bool flag) { return __any_sync(0xffffffffu, flag); }
#else
ARC_FN bool any_thread(bool flag) { return flag; }
#endif
template <class Op>
ARC_FN i64 fold_threads(i64 value, Op op) {
  for (int offset = W / 2; offset > 0; offset /= 2) value = op(value, exchange(value, offset));
  return value;
}
ARC_FN i64 sum_before(i64 own, i64* all) {
  i64 sum = own;
  for (int by = 1; by < W; by *= 2) {
    const i64 more = shuffle_up(sum, by);
    if (thread_index() >= by) sum += more;
  }
  *all = shuffle_from(sum, W - 1);
  return sum - own;
}
ARC_FN i64 count_before(bool flag, i64* all) {
  const u32 mask = ballot(flag);
  *all = count_bits(mask);
  return count_bits(mask & ((1u << thread_index()) - 1));
}
#endif

// The least and the greatest of the threads' numbers.
#if defined(ARC_LANE_THREADS)
ARC_FN i32 least_of_threads(i32 x) {
  return (i32)fold_threads(x, [](i64 a, i64 b) { return b < a ? b : a; });
}
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
ARC_FN i32 least_of_threads(i32 x) { return __reduce_min_sync(0xffffffffu, x); }
#else
ARC_FN i32 least_of_threads(i32 x) {
  for (int offset = W / 2; offset > 0; offset /= 2) x = min_of(x, (i32)exchange(x, offset));
  return x;
}
#endif
ARC_FN i32 greatest_of_threads(i32 x) { return -least_of_threads(-x); }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && !defined(ARC_LANE_THREADS)
ARC_FN u32 sum_of_threads(u32 x) { return __reduce_add_sync(0xffffffffu, x); }
#else
ARC_FN u32 sum_of_threads(u32 x) {
  return (u32)fold_threads((i64)x, [](i64 a, i64 b) { return a + b; });
}
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && defined(ARC_WARP_LANES)
ARC_FN u32 bits_of_threads(u32 x) { return __reduce_or_sync(0xffffffffu, x); }
#else
ARC_FN u32 bits_of_threads(u32 x) {
  return (u32)fold_threads((i64)x, [](i64 a, i64 b) { return a | b; });
}
#endif

// The same for numbers that may be large, but usually are not.
ARC_FN i64 large_sum_of_threads(u64 x) {
  if (!any_thread(x >> 26)) return sum_of_threads((u32)x);
  return fold_threads((i64)x, [](i64 a, i64 b) { return (i64)((u64)a + (u64)b); });
}

// --- combinators: loops distributed among the lane's threads ---

// The type of loop counters: a call on a GPU has fewer than 2^31 elements, and 64 bits would take twice the
// instructions.
#if defined(__CUDACC__)
typedef i32 Counter;
#else
typedef i64 Counter;
#endif

// f(k) for all k below n, in any order.
template <class F>
ARC_FN void each(i64 n, F f) {
  const Counter end = (Counter)n;
  for (Counter k = thread_index(); k < end; k += W) f((i64)k);
  sync();
}

// Whether f(k) is true for any k below n.
template <class F>
ARC_FN bool any(i64 n, F f) {
  if (W == 1) {
    for (i64 k = 0; k < n; k++)
      if (f(k)) return true;
    return false;
  }
  const Counter end = (Counter)n;
  for (Counter start = 0; start < end; start += W) {
    const Counter k = start + thread_index();
    if (any_thread(k < end && f((i64)k))) return true;
  }
  return false;
}

// Combines f(k) for all k below n by a commutative and associative operation.
template <class F, class Op>
ARC_FN i64 fold(i64 n, i64 start, F f, Op op) {
  i64 result = start;
  const Counter end = (Counter)n;
  for (Counter k = thread_index(); k < end; k += W) result = op(result, (i64)f((i64)k));
  return fold_threads(result, op);
}
template <class F>
ARC_FN i64 least(i64 n, i64 start, F f) {
  return fold(n, start, f, [](i64 a, i64 b) { return b < a ? b : a; });
}
template <class F>
ARC_FN i64 greatest(i64 n, i64 start, F f) {
  return fold(n, start, f, [](i64 a, i64 b) { return a < b ? b : a; });
}
// The sum; `start` is not passed on, since each thread would add it again.
template <class F>
ARC_FN i64 total(i64 n, F f) {
  return fold(n, 0, f, [](i64 a, i64 b) { return (i64)((u64)a + (u64)b); });
}

// The least k below n for which f(k) is true, or n.
template <class F>
ARC_FN i64 first_where(i64 n, F f) {
  if (W == 1) {
    for (i64 k = 0; k < n; k++)
      if (f(k)) return k;
    return n;
  }
  const Counter end = (Counter)n;
  for (Counter start = 0; start < end; start += W) {
    const Counter k = start + thread_index();
    const bool hit = k < end && f((i64)k);
#if defined(ARC_LANE_THREADS)
    if (any_thread(hit)) return fold_threads(hit ? k : n, [](i64 a, i64 b) { return b < a ? b : a; });
#else
    const u32 hits = ballot(hit);
    if (hits) return start + lowest_bit(hits);
#endif
  }
  return n;
}

// Calls emit(k, place) for those k below n for which keep(k) is true; places count up from `first` in the order of k.
// Returns the place after the last.
template <class Keep, class Emit>
ARC_FN i64 filter(i64 n, i64 first, Keep keep, Emit emit) {
  if (W == 1) {
    for (i64 k = 0; k < n; k++)
      if (keep(k)) emit(k, first++);
    return first;
  }
  const Counter end = (Counter)n;
  for (Counter start = 0; start < end; start += W) {
    const Counter k = start + thread_index();
    i64 n_kept;
    const bool kept = k < end && keep((i64)k);
    const i64 before = count_before(kept, &n_kept);
    if (kept) emit((i64)k, first + before);
    first += n_kept;
  }
  sync();
  return first;
}

// starts[k] := the sum of f(j) for all j before k, for k below n; returns the sum of all.
template <class T, class F>
ARC_FN i64 running_sums(i64 n, T* starts, F f) {
  i64 before = 0;
  const Counter end = (Counter)n;
  for (Counter first = 0; first < end; first += W) {
    const Counter k = first + thread_index();
    i64 all;
    const i64 here = sum_before(k < end ? (i64)f((i64)k) : 0, &all);
    if (k < end) starts[k] = (T)(before + here);
    before += all;
  }
  sync();
  return before;
}

// A part that only one thread runs; all threads get its result.
template <class F>
ARC_FN i64 serial(F f) {
  i64 result = 0;
  sync();
  if (thread_index() == 0) result = f();
  sync();
  return broadcast(result);
}

template <class T>
ARC_FN void copy(T* to, const T* from, i64 n) {
  if (W == 1) {
    for (i64 k = 0; k < n; k++) to[k] = from[k];
    return;
  }
  const Counter end = (Counter)n;
  for (Counter k = thread_index(); k < end; k += 4 * W) {  // four loads at a time
    const bool two = k + W < end, three = k + 2 * W < end, four = k + 3 * W < end;
    const T a = from[k], b = two ? from[k + W] : a, c = three ? from[k + 2 * W] : a, d = four ? from[k + 3 * W] : a;
    to[k] = a;
    if (two) to[k + W] = b;
    if (three) to[k + 2 * W] = c;
    if (four) to[k + 3 * W] = d;
  }
  sync();
}

}  // namespace arc
