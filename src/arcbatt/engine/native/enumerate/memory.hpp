// Memory for searches: large slabs that one search hands on to the next, so that pages are touched once.
#pragma once
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "arcbatt/batt.hpp"
#include "../host/arena.hpp"

namespace arc {

constexpr u64 SLAB_BYTES = 2 << 20, CHUNK_BYTES = 64 << 10;
// The most slabs that are kept for later searches.
constexpr u64 MAX_FREE_SLABS = 64;

// Returns a slab, or null if the system refuses it.
inline char* map_slab() {
#if defined(__linux__)
  // Straight from the system, which gets it back when it is freed: the allocator would keep most slabs that threads free
  // out of order, and long runs would grow by gigabytes.
  char* mapped = (char*)mmap(nullptr, 2 * SLAB_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  const u64 n_before = -(u64)mapped % SLAB_BYTES;
  char* slab = mapped + n_before;
  if (n_before) munmap(mapped, n_before);
  munmap(slab + SLAB_BYTES, SLAB_BYTES - n_before);
  madvise(slab, SLAB_BYTES, MADV_HUGEPAGE);  // only a hint
  return slab;
#else
  return (char*)std::aligned_alloc(SLAB_BYTES, SLAB_BYTES);
#endif
}
inline void unmap_slab(char* slab) {
#if defined(__linux__)
  munmap(slab, SLAB_BYTES);
#else
  std::free(slab);
#endif
}

// The free slabs of the process.
class SlabPool {
 public:
  static SlabPool& shared() {
    static SlabPool* pool = new SlabPool;  // never deleted: threads may outlive static objects
    return *pool;
  }
  char* take() {
    {
      const std::lock_guard<std::mutex> guard(lock_);
      if (!free_.empty()) {
        char* slab = free_.back();
        free_.pop_back();
        return slab;
      }
    }
    char* slab = map_slab();
    if (!slab) throw std::bad_alloc();
    shared_account->add(SLAB_BYTES);
    return slab;
  }
  void give(char* slab) {
    {
      const std::lock_guard<std::mutex> guard(lock_);
      if (free_.size() < MAX_FREE_SLABS && !shared_account->is_scarce()) {
        free_.push_back(slab);
        return;
      }
    }
    unmap_slab(slab);
    shared_account->give(SLAB_BYTES);
  }
  void free_all() {
    const std::lock_guard<std::mutex> guard(lock_);
    for (char* slab : free_) unmap_slab(slab);
    shared_account->give(free_.size() * SLAB_BYTES);
    free_.clear();
  }

 private:
  std::mutex lock_;
  std::vector<char*> free_;
};

// The memory of one search, and the lanes that its moves run in.
class Workspace {
 public:
  Lane scratch;            // for one move whose result is copied
  Lane transient;          // for the pictures of one tuple
  u64 n_applications = 0;  // of moves to pictures and lists
  u64 n_predicted = 0;     // of these, moves that were not run

  explicit Workspace(u64 max_elements) {
    for (Lane* lane : {&scratch, &transient}) {
      set_budget(*lane, NO_BUDGET);
      lane->max_elements = max_elements;
    }
    for (Arena& arena : arenas_) {
      arena.max_bytes = 64ULL << 20;
      arena.may_exceed = true;
    }
    reset_scratch();
    reset_transient();
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() {
    count_others(0);
    for (char* slab : slabs_) SlabPool::shared().give(slab);
  }

  // Sets the memory outside of slabs that counts against the bound of the process.
  void count_others(u64 n_bytes) {
    shared_account->add(n_bytes);
    shared_account->give(n_others_);
    n_others_ = n_bytes;
  }

  void reset_scratch() { arenas_[0].reset(scratch); }
  void reset_transient() { arenas_[1].reset(transient); }

  // Allocates at most a slab until the search ends.
  char* take(u64 n_bytes) {
    n_bytes = (n_bytes + 63) & ~63ULL;
    if (n_bytes > n_left_) {
      // Use the rest of the slab as chunks.
      for (; n_left_ >= CHUNK_BYTES; n_left_ -= CHUNK_BYTES, top_ += CHUNK_BYTES) free_chunks_.push_back(top_);
      top_ = SlabPool::shared().take();
      slabs_.push_back(top_);
      n_left_ = SLAB_BYTES;
    }
    char* taken = top_;
    top_ += n_bytes;
    n_left_ -= n_bytes;
    n_bytes_ += n_bytes;
    return taken;
  }
  char* take_chunk() {
    if (free_chunks_.empty()) return take(CHUNK_BYTES);
    char* chunk = free_chunks_.back();
    free_chunks_.pop_back();
    n_bytes_ += CHUNK_BYTES;
    return chunk;
  }
  void give_chunk(char* chunk) {
    free_chunks_.push_back(chunk);
    n_bytes_ -= CHUNK_BYTES;
  }
  // The bytes in use. Chunks that were given back are used before more are taken.
  u64 bytes() const { return n_bytes_ + arenas_[0].n_bytes + arenas_[1].n_bytes; }
  // The bytes that no other search can use, chunks that were given back included.
  u64 held_bytes() const { return slabs_.size() * SLAB_BYTES + arenas_[0].n_bytes + arenas_[1].n_bytes; }

 private:
  Arena arenas_[2];
  std::vector<char*> slabs_, free_chunks_;
  char* top_ = nullptr;
  u64 n_left_ = 0, n_bytes_ = 0, n_others_ = 0;
};

// An array in chunks of a workspace, which grows without moving. Members are not initialized.
template <class T>
class Chunked {
  static constexpr u32 shift_of(u64 n) { return n < 2 ? 0 : 1 + shift_of(n / 2); }
  static constexpr u32 SHIFT = shift_of(CHUNK_BYTES / sizeof(T));
  static constexpr u64 MASK = (1ULL << SHIFT) - 1;

 public:
  explicit Chunked(Workspace& workspace) : workspace_(&workspace) {}
  Chunked(Chunked&& other) : workspace_(other.workspace_), chunks_(std::move(other.chunks_)), size_(other.size_) {
    other.chunks_.clear();
    other.size_ = 0;
  }
  Chunked& operator=(Chunked&& other) {
    std::swap(workspace_, other.workspace_);
    std::swap(chunks_, other.chunks_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Chunked() {
    for (T* chunk : chunks_) workspace_->give_chunk((char*)chunk);
  }

  T& operator[](u64 k) { return chunks_[k >> SHIFT][k & MASK]; }
  const T& operator[](u64 k) const { return chunks_[k >> SHIFT][k & MASK]; }
  u64 size() const { return size_; }
  void push_back(const T& member) {
    if (size_ >> SHIFT == chunks_.size()) add_chunk();
    (*this)[size_++] = member;
  }
  // Adds contiguous members, at most a chunk.
  T* add(u64 n) {
    if ((size_ + n - 1) >> SHIFT >= chunks_.size()) {
      size_ = chunks_.size() << SHIFT;
      add_chunk();
    }
    T* added = &(*this)[size_];
    size_ += n;
    return added;
  }
  void resize(u64 n) {
    while (chunks_.size() << SHIFT < n) add_chunk();
    size_ = n;
  }
  void assign_zeros(u64 n) {
    resize(n);
    for (T* chunk : chunks_) std::memset((void*)chunk, 0, std::min<u64>(n, MASK + 1) * sizeof(T));
  }
  void clear() { size_ = 0; }

 private:
  Workspace* workspace_;
  std::vector<T*> chunks_;
  u64 size_ = 0;

  void add_chunk() { chunks_.push_back((T*)workspace_->take_chunk()); }
};

}  // namespace arc
