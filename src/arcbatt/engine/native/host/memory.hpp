// The memory for values in this process: one bound for all threads, runs and searches.
#pragma once
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "arcbatt/platform.hpp"

namespace arc {

// Counts the bytes that runs and searches hold. Both extensions share one account: `shared` is set when the second one
// is loaded.
class MemoryAccount {
 public:
  u64 bound() const { return bound_.load(std::memory_order_relaxed); }
  // Takes bytes; returns false if that would exceed the bound even without the memory that is kept for later.
  bool take(u64 n_bytes) {
    if (is_taken(n_bytes)) return true;
    const u64 before = used();
    free_kept();
    return used() < before && is_taken(n_bytes);
  }
  // Takes bytes even beyond the bound, for work that looks at `is_full` often.
  void add(u64 n_bytes) { used_.fetch_add(n_bytes, std::memory_order_relaxed); }
  void give(u64 n_bytes) { used_.fetch_sub(n_bytes, std::memory_order_relaxed); }
  u64 used() const { return used_.load(std::memory_order_relaxed); }
  bool is_full() const { return used() > bound(); }
  // Whether memory should be freed rather than kept for later.
  bool is_scarce() const { return used() > bound() / 2; }

  // Sets the bound, and frees what is kept for later: it need not fit into the new one.
  void set_bound(u64 n_bytes) {
    bound_ = n_bytes;
    free_kept();
  }
  // Adds a function that frees what its caller keeps for later.
  void add_keeper(void (*free)()) {
    std::lock_guard<std::mutex> lock(keepers_mutex_);
    keepers_.push_back(free);
  }

 private:
  std::atomic<u64> bound_{~0ULL}, used_{0};
  std::mutex keepers_mutex_;
  std::vector<void (*)()> keepers_;

  bool is_taken(u64 n_bytes) {
    if (used_.fetch_add(n_bytes, std::memory_order_relaxed) + n_bytes <= bound())
      return true;
    give(n_bytes);
    return false;
  }
  void free_kept() {
    std::lock_guard<std::mutex> lock(keepers_mutex_);
    for (auto* free : keepers_) free();
  }
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
