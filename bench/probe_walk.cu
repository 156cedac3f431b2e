// What a card would bring to the walk of `enumerate`: some moves, unchanged, on a million pictures, with
// the hash of each result looked up and inserted in one table. One source for the card, where a warp
// makes a picture, and for one core; the checksums of both must be the same.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 -I src/arcbatt/engine/include bench/probe_walk.cu -o probe_card
//   g++ -O3 -std=c++17 -I src/arcbatt/engine/include -x c++ bench/probe_walk.cu -o probe_core
//   ./probe_card; ./probe_core
//
// Each prints a line a move: moves a second with and without the table, and the checksum.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "arcbatt/primitives/picture_drawing.hpp"
#include "arcbatt/primitives/picture_lists.hpp"
#include "arcbatt/primitives/picture_pairs.hpp"
#include "arcbatt/primitives/pictures.hpp"

namespace arc {
ARC_EXTERN char* grow_arena(void*, u64, u64*) { return nullptr; }  // a warp has one page
}  // namespace arc

using namespace arc;
typedef Picture<u8> Pic;

constexpr u32 N_PICTURES = 1 << 20, MAX_SIDE = 20;
constexpr u64 TABLE_SIZE = 1 << 25, PAGE_BYTES = 32 * 1024;
constexpr i32 SIDE = 12;  // of the size that moves which take one are given

// What is probed: a name, and what it makes of a picture `p`.
#define EACH_MOVE(MOVE)                                               \
  MOVE(keep_color, move_keep_color(lane, p, 3))                       \
  MOVE(negative, move_negative(lane, p))                              \
  MOVE(shrink, move_shrink(lane, p))                                  \
  MOVE(slab, move_slab(lane, p, 0))                                   \
  MOVE(solid, move_solid(lane, p))                                    \
  MOVE(squeeze, move_squeeze(lane, p))                                \
  MOVE(turn, move_turn(lane, p, 1))                                   \
  MOVE(tally, move_tally(lane, p, 1, 0))                              \
  MOVE(smear, move_smear(lane, p, 4))                                 \
  MOVE(halo, move_halo(lane, p))                                      \
  MOVE(bridge, move_bridge(lane, p, 2))                               \
  MOVE(spread, move_spread(lane, p, 0))                               \
  MOVE(half_of, move_half_of(lane, p, 0))                             \
  MOVE(mirror_fill, move_mirror_fill(lane, p, 0))                     \
  MOVE(resample, move_resample(lane, p, SIDE, SIDE))            \
  MOVE(tile, move_tile(lane, p, SIDE, SIDE, 0))                 \
  MOVE(split_parts_heap_up, move_heap_up(lane, move_split_parts(lane, p)))

// --- one picture ---

struct Made {
  u32 place, n_rows, width;
};
struct Input {
  const u8* cells;
  const Made* made;
};

ARC_FN u64 mixed(u64 x) {
  x *= 0x9e3779b97f4a7c15ULL;
  x ^= x >> 29;
  return x * 0xd1b54a32d192ed03ULL;
}
ARC_FN u64 hash_of(const Pic& p) {
  if (p.failed()) return 1;
  const u8* cells = p.cells;
  const u64 sum = (u64)total(p.area(), [=](i64 k) { return (i64)mixed((u64)k << 4 | cells[k]); });
  const u64 place = (u64)(u32)p.row << 32 | (u32)p.column, size = (u64)(u32)p.n_rows << 32 | (u32)p.width;
  const u64 hash = mixed(sum ^ mixed(place ^ mixed(size)));
  return hash ? hash : 1;
}
ARC_FN Pic picture_at(const Input& input, u32 k) {
  Pic p;
  p.n_rows = (i32)input.made[k].n_rows;
  p.width = (i32)input.made[k].width;
  p.cells = input.cells + input.made[k].place;
  return p;
}
ARC_FN void begin(Lane& lane, char* page) {
  sync();
  lane.top = page;
  lane.end = page + PAGE_BYTES;
  lane.max_steps = lane.max_bytes = ~0ULL >> 2;
  lane.max_elements = 2 * 2 * MAX_SIDE * MAX_SIDE;
  lane.steps = lane.bytes = 0;
  lane.exhausted = lane.exceeded = false;
  sync();
}

#define STRUCT_OF(name, call)                                                  \
  struct Run_##name {                                                          \
    ARC_FN static Pic run(Lane& lane, const Pic& p) { return call; }           \
  };
EACH_MOVE(STRUCT_OF)

// --- all of them ---

#if defined(__CUDACC__)
constexpr int BLOCK = 128, N_BLOCKS = 132 * 16;

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("probe_walk: the card says: %s\n", cudaGetErrorString(error));
  std::exit(1);
}
__device__ bool insert(u64* table, u64 hash) {
  for (u64 at = hash & (TABLE_SIZE - 1);; at = (at + 1) & (TABLE_SIZE - 1)) {
    const u64 known = atomicCAS(table + at, 0ULL, hash);
    if (!known || known == hash) return !known;
  }
}
template <class Run>
__global__ void probe(Input input, char* pages, u64* table, u64* sums) {
  alignas(16) __shared__ char lanes[BLOCK / W][sizeof(Lane)];
  Lane& lane = *(Lane*)lanes[threadIdx.x / W];
  const u32 warp = (blockIdx.x * BLOCK + threadIdx.x) / W;
  u64 sum = 0, n_new = 0;
  for (u32 k = warp; k < N_PICTURES; k += N_BLOCKS * BLOCK / W) {
    begin(lane, pages + (u64)warp * PAGE_BYTES);
    const u64 hash = hash_of(Run::run(lane, picture_at(input, k)));
    sum += hash;
    if (table && thread_index() == 0) n_new += insert(table, hash);
  }
  if (thread_index() == 0) {
    atomicAdd(sums, sum);
    atomicAdd(sums + 1, n_new);
  }
}
struct Device {
  Input input;
  char* pages;
  u64 *table, *sums;

  Device(const std::vector<u8>& cells, const std::vector<Made>& made) {
    u8* to;
    Made* of;
    check(cudaMalloc(&to, cells.size()));
    check(cudaMalloc(&of, made.size() * sizeof(Made)));
    check(cudaMemcpy(to, cells.data(), cells.size(), cudaMemcpyHostToDevice));
    check(cudaMemcpy(of, made.data(), made.size() * sizeof(Made), cudaMemcpyHostToDevice));
    input = {to, of};
    check(cudaMalloc(&pages, (u64)N_BLOCKS * BLOCK / W * PAGE_BYTES));
    check(cudaMalloc(&table, TABLE_SIZE * sizeof(u64)));
    check(cudaMalloc(&sums, 2 * sizeof(u64)));
    check(cudaMemset(table, 0, TABLE_SIZE * sizeof(u64)));
  }
  template <class Run>
  double run(bool with_table, u64* sum) {
    double best_s = 1e9;
    for (int again = 0; again < (with_table ? 1 : 3); again++) {
      check(cudaMemset(sums, 0, 2 * sizeof(u64)));
      check(cudaDeviceSynchronize());
      const auto began = std::chrono::steady_clock::now();
      probe<Run><<<N_BLOCKS, BLOCK>>>(input, pages, with_table ? table : nullptr, sums);
      check(cudaDeviceSynchronize());
      const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      best_s = s < best_s ? s : best_s;
    }
    check(cudaMemcpy(sum, sums, 2 * sizeof(u64), cudaMemcpyDeviceToHost));
    return best_s;
  }
};
#else
struct Device {
  Input input;
  std::vector<char> page = std::vector<char>(PAGE_BYTES);
  std::vector<u64> table = std::vector<u64>(TABLE_SIZE);

  Device(const std::vector<u8>& cells, const std::vector<Made>& made) { input = {cells.data(), made.data()}; }
  bool insert(u64 hash) {
    for (u64 at = hash & (TABLE_SIZE - 1);; at = (at + 1) & (TABLE_SIZE - 1)) {
      if (table[at] == hash) return false;
      if (!table[at]) {
        table[at] = hash;
        return true;
      }
    }
  }
  template <class Run>
  double run(bool with_table, u64* sum) {
    Lane lane;
    sum[0] = sum[1] = 0;
    const auto began = std::chrono::steady_clock::now();
    for (u32 k = 0; k < N_PICTURES; k++) {
      begin(lane, page.data());
      const u64 hash = hash_of(Run::run(lane, picture_at(input, k)));
      sum[0] += hash;
      if (with_table) sum[1] += insert(hash);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
};
#endif

// Pictures like those of tasks: some rectangles and single cells on a background of 0.
static void draw(std::vector<u8>& cells, std::vector<Made>& made) {
  u64 state = 1;
  const auto next = [&](u32 n) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (u32)((state >> 33) % n);
  };
  for (u32 k = 0; k < N_PICTURES; k++) {
    const u32 n_rows = 3 + next(MAX_SIDE - 2), width = 3 + next(MAX_SIDE - 2), place = (u32)cells.size();
    cells.resize(place + n_rows * width + 8, 0);
    for (u32 n = 2 + next(5); n; n--) {
      const u32 top = next(n_rows), left = next(width), color = 1 + next(4);
      const u32 bottom = top + 1 + next(4), right = left + 1 + next(4);
      for (u32 i = top; i < bottom && i < n_rows; i++)
        for (u32 j = left; j < right && j < width; j++) cells[place + i * width + j] = (u8)color;
    }
    made.push_back({place, n_rows, width});
  }
}

int main() {
  std::vector<u8> cells;
  std::vector<Made> made;
  draw(cells, made);
  Device device(cells, made);
  u64 sum[2] = {0, 0};
  double all_s = 0, all_inserted_s = 0;
  u32 n_moves = 0;
  const auto show = [&](const char* name, double made_s, double inserted_s) {
    all_s += made_s;
    all_inserted_s += inserted_s;
    n_moves++;
    std::printf("%-20s %9.2f million a second, %9.2f with the table, %8llu new, checksum %016llx\n", name,
                N_PICTURES / made_s / 1e6, N_PICTURES / inserted_s / 1e6, sum[1], sum[0]);
  };
#define PROBE(name, call)                                          \
  {                                                                \
    const double made_s = device.run<Run_##name>(false, sum);      \
    show(#name, made_s, device.run<Run_##name>(true, sum));        \
  }
  EACH_MOVE(PROBE)
  std::printf("%-20s %9.2f million a second, %9.2f with the table\n", "all", n_moves * (double)N_PICTURES / all_s / 1e6,
              n_moves * (double)N_PICTURES / all_inserted_s / 1e6);
  return 0;
}
