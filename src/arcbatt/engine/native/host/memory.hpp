// The memory for values in this process: one bound for all threads, runs and searches.
#pragma once
#include <atomic>
#include <cstdlib>
#include <memory>

#include "arcbatt/platform.hpp"

namespace arc {

// Counts the bytes that runs and searches hold. Both extensions share one account: `shared` is set when the second one
// is loaded.
class MemoryAccount {
 public:
  std::atomic<u64> bound{~0ULL};

  // Takes bytes; returns false if that would exceed the bound.
  bool take(u64 n_bytes) {
    if (used_.fetch_add(n_bytes, std::memory_order_relaxed) + n_bytes <= bound.load(std::memory_order_relaxed))
      return true;
    give(n_bytes);
    return false;
  }
  // Takes bytes even beyond the bound, for work that looks at `is_full` often.
  void add(u64 n_bytes) { used_.fetch_add(n_bytes, std::memory_order_relaxed); }
  void give(u64 n_bytes) { used_.fetch_sub(n_bytes, std::memory_order_relaxed); }
  u64 used() const { return used_.load(std::memory_order_relaxed); }
  bool is_full() const { return used() > bound.load(std::memory_order_relaxed); }
  // Whether so much is in use that memory should be freed rather than kept for later.
  bool is_scarce() const { return used() > bound.load(std::memory_order_relaxed) / 2; }

 private:
  std::atomic<u64> used_{0};
};

// Never deleted: threads may outlive static objects.
inline MemoryAccount* shared_account = new MemoryAccount;

// A block of memory that counts against the bound while it exists.
struct CountedFree {
  u64 size = 0;
  void operator()(char* memory) const {
    std::free(memory);
    shared_account->give(size);
  }
};
typedef std::unique_ptr<char, CountedFree> CountedMemory;
// Returns null if the system refuses it, or the bound unless it may be exceeded.
inline CountedMemory allocate_counted(u64 alignment, u64 size, bool may_exceed) {
  if (may_exceed)
    shared_account->add(size);
  else if (!shared_account->take(size))
    return nullptr;
  char* memory = (char*)std::aligned_alloc(alignment, size);
  if (!memory) shared_account->give(size);
  return CountedMemory(memory, CountedFree{size});
}

}  // namespace arc
