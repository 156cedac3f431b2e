// Hashes of values, and hash tables.
#pragma once
#include "memory.hpp"

namespace arc {

inline u64 fold_product(u64 a, u64 b) {
  const unsigned __int128 product = (unsigned __int128)a * b;
  return (u64)product ^ (u64)(product >> 64);
}
constexpr u64 HASH_K1 = 0x9e3779b97f4a7c15ULL, HASH_K2 = 0xd1b54a32d192ed03ULL;

inline u64 read_word(const char* at, u64 n = 8) {
  u64 word = 0;
  std::memcpy(&word, at, n);
  return word;
}
inline u64 hash_bytes(const void* bytes, u64 n, u64 start) {
  const char* at = (const char*)bytes;
  u64 h = start;
  if (n >= 64) {
    // Four independent lanes hide the latency of the multiplications.
    u64 lanes[4] = {h, h ^ HASH_K1, h ^ HASH_K2, ~h};
    for (; n >= 32; n -= 32, at += 32)
      for (u32 k = 0; k < 4; k++) lanes[k] = fold_product(lanes[k] ^ read_word(at + 8 * k), HASH_K1);
    h = fold_product(lanes[0] ^ HASH_K2, lanes[1]) ^ fold_product(lanes[2] ^ HASH_K1, lanes[3]);
  }
  for (; n >= 8; n -= 8, at += 8) h = fold_product(h ^ read_word(at), HASH_K1);
  if (n) h = fold_product(h ^ read_word(at, n), HASH_K1);
  return fold_product(h, HASH_K2);
}

// A table from 64-bit hashes to numbers. Equal hashes are taken for equal values.
class HashTable {
 public:
  // The number of a hash, and a note of the owner.
  struct Entry {
    u32 number, note;
  };
  explicit HashTable(Workspace& workspace) : workspace_(&workspace), slots_(workspace) {
    slots_.assign_zeros(MIN_SLOTS);
  }
  // Returns the number of a hash; `otherwise` becomes its number if it is new.
  u32 find_or_add(u64 hash, u32 otherwise, u32 note = 0) {
    if (2 * (n_ + 1) > slots_.size()) widen();
    Slot& slot = slot_of(slots_, hash ? hash : 1);
    if (slot.hash) return slot.entry.number;
    slot = {hash ? hash : 1, {otherwise, note}};
    n_++;
    return otherwise;
  }
  // Returns the entry of a hash, valid until the next one is added, or null.
  Entry* find(u64 hash) {
    Slot& slot = slot_of(slots_, hash ? hash : 1);
    return slot.hash ? &slot.entry : nullptr;
  }
  void prefetch(u64 hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }
  u64 size() const { return n_; }
  u64 bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    u64 hash;  // 0: empty
    Entry entry;
  };
  static_assert(sizeof(Slot) == 16);
  static constexpr u64 MIN_SLOTS = 1024;
  static constexpr u32 PREFETCH_DISTANCE = 16;
  Workspace* workspace_;
  Chunked<Slot> slots_;
  u64 n_ = 0;

  // Returns the slot of a hash, or the empty one where it belongs.
  static Slot& slot_of(Chunked<Slot>& slots, u64 hash) {
    const u64 mask = slots.size() - 1;
    u64 at = hash & mask;
    for (;; at = (at + 1) & mask) {
      Slot& slot = slots[at];
      if (!slot.hash || slot.hash == hash) return slot;
    }
  }
  void widen() {
    Chunked<Slot> wider(*workspace_);
    wider.assign_zeros(2 * slots_.size());
    const u64 mask = wider.size() - 1;
    for (u64 k = 0; k < slots_.size(); k++) {
      if (k + PREFETCH_DISTANCE < slots_.size()) __builtin_prefetch(&wider[slots_[k + PREFETCH_DISTANCE].hash & mask]);
      if (slots_[k].hash) slot_of(wider, slots_[k].hash) = slots_[k];
    }
    slots_ = std::move(wider);
  }
};

}  // namespace arc
