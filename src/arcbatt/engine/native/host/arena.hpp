// The memory of lanes on the CPU.
#pragma once
#include <cstdlib>
#include <memory>
#include <vector>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "arcbatt/graph.hpp"

namespace arc {

// Chunks of memory that a lane takes from and that are reused, not freed, between lanes.
struct Arena {
  struct Chunk {
    std::unique_ptr<char, decltype(&std::free)> memory{nullptr, &std::free};
    u64 size = 0;
  };
  // A lane that needs more than a few small chunks gets large ones, in pages of 2 MiB if the system has them: mapping
  // hundreds of MiB in pages of 4 KiB takes a tenth of the time of a whole library of programs.
  static constexpr u64 SMALL_CHUNK = 1 << 20, MAX_SMALL = 4 * SMALL_CHUNK;
  static constexpr u64 PAGE = 2 << 20, LARGE_CHUNK = 4 * PAGE;
#if defined(__SANITIZE_ADDRESS__)
  // Every allocation is a block of its own, freed with the lane, so that the sanitizer sees overruns.
  static constexpr bool POOLED = false;
#else
  static constexpr bool POOLED = true;
#endif
  std::vector<Chunk> chunks;
  size_t n_used = 0;
  u64 n_bytes = 0;
  u64 max_bytes = ~0ULL;

  Arena() = default;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  char* next(u64 bytes, u64* given) {
    while (n_used < chunks.size() && chunks[n_used].size < bytes) n_used++;
    if (n_used == chunks.size()) {
      const bool is_large = POOLED && n_bytes >= MAX_SMALL;
      const u64 alignment = is_large ? PAGE : POOLED ? 64 : 16;
      const u64 least = max_of<u64>(bytes, is_large ? LARGE_CHUNK : SMALL_CHUNK);
      const u64 size = POOLED ? (least + alignment - 1) & ~(alignment - 1) : bytes;
      if (n_bytes + size > max_bytes) return nullptr;
      char* memory = (char*)std::aligned_alloc(alignment, size);
      if (!memory) return nullptr;
#if defined(MADV_HUGEPAGE)
      if (is_large) madvise(memory, size, MADV_HUGEPAGE);  // only a hint
#endif
      Chunk chunk;
      chunk.memory.reset(memory);
      chunk.size = size;
      chunks.push_back(std::move(chunk));
      n_bytes += size;
    }
    *given = chunks[n_used].size;
    return chunks[n_used++].memory.get();
  }
  // The fill level of a lane; empty by default.
  struct Mark {
    size_t n_used = 0;
    char* top = nullptr;
    char* end = nullptr;
  };
  Mark mark(const Lane& lane) const { return {n_used, lane.top, lane.end}; }

  void reset(Lane& lane) { reset(lane, Mark()); }
  // Starts a lane at the mark; memory before it is kept.
  void reset(Lane& lane, const Mark& from) {
    n_used = from.n_used;
    if (!POOLED)
      for (; chunks.size() > n_used; chunks.pop_back()) n_bytes -= chunks.back().size;
    lane.owner = this;
    lane.top = from.top;
    lane.end = from.end;
    lane.exhausted = lane.exceeded = false;
    lane.steps = lane.bytes = 0;
  }
};

inline void set_budget(Lane& lane, const Budget& budget) {
  lane.max_steps = budget.steps;
  lane.max_bytes = budget.bytes;
  lane.max_elements = min_of<u64>(budget.steps, budget.bytes / BYTES_PER_ELEMENT);
}
constexpr Budget NO_BUDGET = {~0ULL >> 2, ~0ULL >> 2};

}  // namespace arc
