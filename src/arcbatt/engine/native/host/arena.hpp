// The memory of lanes on the CPU.
#pragma once
#include <vector>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "arcbatt/graph.hpp"
#include "memory.hpp"

namespace arc {

// Chunks of memory that a lane takes from and that are reused, not freed, between lanes.
struct Arena {
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
  std::vector<CountedMemory> chunks;
  size_t n_used = 0;
  size_t most_used = 0;  // chunks, since they were last trimmed
  u32 n_resets = 0;      // since then
  u64 n_bytes = 0;
  u64 max_bytes = ~0ULL;
  u64 small_chunk = SMALL_CHUNK;  // the least size of the next small chunk
  bool may_exceed = false;        // the bound of the process; for work that is ended in another way

  Arena() = default;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Makes this the memory of data that is there before any program runs. There are many such arenas, of a few KiB each,
  // and without their data a program could not even fail.
  void hold_data() {
    small_chunk = 4096;
    may_exceed = true;
  }

  char* next(u64 bytes, u64* given) {
    const size_t first_unused = n_used;
    while (n_used < chunks.size() && size_of(n_used) < bytes) n_used++;
    if (n_used == chunks.size()) {
      // Chunks from here on are too small and unused: kept, they would add to the large one.
      if (bytes > LARGE_CHUNK) free_from(n_used = first_unused);
      const bool is_large = POOLED && n_bytes >= MAX_SMALL;
      const u64 alignment = is_large ? PAGE : POOLED ? 64 : 16;
      const u64 least = max_of<u64>(bytes, is_large ? LARGE_CHUNK : small_chunk);
      small_chunk = min_of<u64>(2 * small_chunk, SMALL_CHUNK);
      const u64 size = POOLED ? (least + alignment - 1) & ~(alignment - 1) : bytes;
      if (n_bytes + size > max_bytes) return nullptr;
      CountedMemory memory = allocate_counted(alignment, size, may_exceed);
      if (!memory) return nullptr;
#if defined(MADV_HUGEPAGE)
      if (is_large) madvise(memory.get(), size, MADV_HUGEPAGE);  // only a hint
#endif
      chunks.push_back(std::move(memory));
      n_bytes += size;
    }
    *given = size_of(n_used);
    most_used = max_of(most_used, n_used + 1);
    return chunks[n_used++].get();
  }
  u64 size_of(size_t chunk) const { return chunks[chunk].get_deleter().size; }
  // Frees the chunks from a number on.
  void free_from(size_t first) {
    for (; chunks.size() > first; chunks.pop_back()) n_bytes -= size_of(chunks.size() - 1);
  }
  // Frees chunks that no lane has used for a while, so that one large sample does not keep its memory for the whole run.
  static constexpr u32 RESETS_PER_TRIM = 16;
  void trim(size_t n_kept) {
    if (++n_resets < RESETS_PER_TRIM && !shared_account->is_scarce()) return;
    free_from(max_of(most_used, n_kept));
    most_used = n_kept;
    n_resets = 0;
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
    trim(from.n_used);
    rewind(lane, from);
    lane.owner = this;
    lane.exhausted = lane.exceeded = false;
    lane.steps = lane.bytes = 0;
  }
  // Releases what a lane has taken since the mark.
  void rewind(Lane& lane, const Mark& to) {
    n_used = to.n_used;
    if (!POOLED) free_from(n_used);
    lane.top = to.top;
    lane.end = to.end;
  }
};

inline void set_budget(Lane& lane, const Budget& budget) {
  lane.max_steps = budget.steps;
  lane.max_bytes = budget.bytes;
  lane.max_elements = budget.elements();
}
constexpr Budget NO_BUDGET = {~0ULL >> 2, ~0ULL >> 2};

}  // namespace arc
