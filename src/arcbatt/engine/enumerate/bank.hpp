// The bank of one example: every distinct picture and list of pictures that moves have given, each
// once, and what every move gave on it.
#pragma once
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "../arena.hpp"
#include "moves.hpp"

namespace arc {

// Where a move was not tried yet on a value, and where it gave none.
constexpr u32 UNTRIED = ~0u, REFUSED = ~0u - 1;

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
    // Four at a time, so that none waits for the last.
    u64 lanes[4] = {h, h ^ HASH_K1, h ^ HASH_K2, ~h};
    for (; n >= 32; n -= 32, at += 32)
      for (u32 k = 0; k < 4; k++) lanes[k] = fold_product(lanes[k] ^ read_word(at + 8 * k), HASH_K1);
    h = fold_product(lanes[0] ^ HASH_K2, lanes[1]) ^ fold_product(lanes[2] ^ HASH_K1, lanes[3]);
  }
  for (; n >= 8; n -= 8, at += 8) h = fold_product(h ^ read_word(at), HASH_K1);
  if (n) h = fold_product(h ^ read_word(at, n), HASH_K1);
  return fold_product(h, HASH_K2);
}
inline u64 hash_of_picture(const Pic& p) {
  const u64 place = (u64)(u32)p.row << 32 | (u32)p.column, size = (u64)(u32)p.n_rows << 32 | (u32)p.width;
  return hash_bytes(p.cells, (u64)p.area(), fold_product(place ^ HASH_K2, size ^ HASH_K1));
}

// A table from 64-bit hashes to numbers; hashes are taken for what they are hashes of.
class HashTable {
 public:
  HashTable() : keys_(1024, 0), numbers_(1024, 0) {}
  // The number of a hash; `otherwise` becomes it where it had none.
  u32 find_or_add(u64 hash, u32 otherwise) {
    if (2 * (n_ + 1) > keys_.size()) widen();
    if (!hash) hash = 1;
    u64 at = hash & (keys_.size() - 1);
    while (keys_[at] && keys_[at] != hash) at = (at + 1) & (keys_.size() - 1);
    if (keys_[at]) return numbers_[at];
    keys_[at] = hash;
    numbers_[at] = otherwise;
    n_++;
    return otherwise;
  }
  // The number of a hash, to be read or changed; null where it has none.
  u32* find(u64 hash) {
    if (!hash) hash = 1;
    u64 at = hash & (keys_.size() - 1);
    while (keys_[at] && keys_[at] != hash) at = (at + 1) & (keys_.size() - 1);
    return keys_[at] ? &numbers_[at] : nullptr;
  }
  u64 size() const { return n_; }
  u64 bytes() const { return keys_.size() * 12; }

 private:
  std::vector<u64> keys_;
  std::vector<u32> numbers_;
  u64 n_ = 0;

  void widen() {
    std::vector<u64> keys(2 * keys_.size(), 0);
    std::vector<u32> numbers(2 * keys_.size(), 0);
    for (u64 k = 0; k < keys_.size(); k++) {
      if (!keys_[k]) continue;
      u64 at = keys_[k] & (keys.size() - 1);
      while (keys[at]) at = (at + 1) & (keys.size() - 1);
      keys[at] = keys_[k];
      numbers[at] = numbers_[k];
    }
    keys_.swap(keys);
    numbers_.swap(numbers);
  }
};

struct Entry {
  Pic picture;
  const u32* items = nullptr;  // of a list: its pictures, in their order
  u32 n_items = 0;
  u8 depth = 0;  // the least number of moves that gave it
  bool is_list = false;
  u32* children = nullptr;  // by move, what it gave; null where none was tried
};

struct Limits {
  i64 area = 900;       // of a picture
  i64 list_area = 4500;  // of all pictures of a list
  i64 list_items = 1000;
};

class Bank {
 public:
  u64 n_applications = 0;  // of moves to pictures and lists, each once a distinct value

  Bank(Size input_size, const Limits& limits) : input_size_(input_size), limits_(limits) {
    arena_.max_bytes = 64ULL << 20;
    arena_.reset(lane_);
    set_budget(lane_, NO_BUDGET);
    lane_.max_elements = (u64)limits.area * 2;
  }

  const Entry& operator[](u32 id) const { return entries_[id]; }
  u32 n_entries() const { return (u32)entries_.size(); }
  void set_output_size(Size size) { output_size_ = size; }
  Size input_size() const { return input_size_; }
  Size output_size() const { return output_size_; }
  u64 bytes() const {
    return kept_bytes_ + entries_.capacity() * sizeof(Entry) + ids_.bytes() + arena_.n_bytes;
  }

  // The number of a picture, which is copied if it is new.
  u32 add(const Pic& picture, u8 depth) {
    const u32 id = ids_.find_or_add(hash_of_picture(picture), n_entries());
    if (id < n_entries()) return lower_depth(id, depth);
    Entry entry;
    entry.picture = picture;
    if (picture.area()) {
      u8* cells = (u8*)keep((u64)picture.area());
      std::memcpy(cells, picture.cells, (u64)picture.area());
      entry.picture.cells = cells;
    }
    entry.depth = depth;
    entries_.push_back(entry);
    return id;
  }

  // The number of a list of pictures, in any order; REFUSED where it is beyond the limits.
  u32 add_list(std::vector<Pic>& pictures, u8 depth) {
    arena_.reset(lane_);
    return add_list(list_of(lane_, pictures.data(), (i64)pictures.size()), depth);
  }

  // What a move gives on a value: its number, or REFUSED.
  u32 apply(u32 id, u32 move, u8 depth) {
    if (!entries_[id].children) {
      u32* children = (u32*)keep(N_MOVES * sizeof(u32));
      std::memset(children, 0xff, N_MOVES * sizeof(u32));
      entries_[id].children = children;
    }
    const u32 known = entries_[id].children[move];
    if (known != UNTRIED) {
      if (known != REFUSED) lower_depth(known, depth);
      return known;
    }
    const u32 given = run(id, ALL_MOVES[move], move, depth);
    entries_[id].children[move] = given;
    return given;
  }

  // What a move that gives no list of a picture gives on a value, as it is until the next call and no
  // entry of the bank. A list is put together by `heap`; `list_hash` is then its hash, and 0 for a picture. Failed where it is refused.
  Pic give(u32 id, u32 number, u8 depth, const Move* heap, u64& list_hash) {
    const Move& move = ALL_MOVES[number];
    const bool is_list = entries_[id].is_list;
    list_hash = 0;
    if (is_list && move.shape == Shape::P_TO_P && move.takes == Takes::NOTHING) {
      if (!heap || !apply_to_items(id, number, depth)) return failed_picture<u8>(EMPTY);
      list_hash = hash_of_items();
      n_applications++;
      arena_.reset(lane_);
      return checked(heap->pick(lane_, pictures_of(given_.data(), (u32)given_.size()), heap->args));
    }
    if (is_list != (move.shape == Shape::L_TO_P || move.shape == Shape::L_TO_L)) return failed_picture<u8>(EMPTY);
    n_applications++;
    arena_.reset(lane_);
    if (move.shape == Shape::P_TO_P) {
      if (move.takes == Takes::OUTPUT_SIZE && !output_size_.n_rows) return failed_picture<u8>(EMPTY);
      const Size size = move.takes == Takes::OUTPUT_SIZE ? output_size_ : input_size_;
      return checked(move.to_picture(lane_, entries_[id].picture, move.args, size));
    }
    if (move.shape == Shape::L_TO_P) return checked(move.pick(lane_, pictures_of(id), move.args));
    const PicList list = move.sift(lane_, pictures_of(id), move.args);
    if (!heap || is_refused(list)) return failed_picture<u8>(EMPTY);
    list_hash = HASH_K1;
    for (i32 k = 0; k < list.n; k++) list_hash = fold_product(list_hash ^ hash_of_picture(list.items[k]), HASH_K2);
    n_applications++;
    return checked(heap->pick(lane_, list, heap->args));
  }
  // The least number of moves that gave a picture; 255 where it is no entry.
  u8 depth_of(const Pic& picture) {
    const u32* id = ids_.find(hash_of_picture(picture));
    return id ? entries_[*id].depth : 255;
  }

  // Moves that take the output's size are to be tried anew.
  void forget_output_moves() {
    for (Entry& entry : entries_)
      if (entry.children)
        for (u32 s = 0; s < N_MOVES; s++)
          if (ALL_MOVES[s].takes == Takes::OUTPUT_SIZE) entry.children[s] = UNTRIED;
  }

 private:
  Size input_size_, output_size_ = {0, 0};
  Limits limits_;
  std::vector<Entry> entries_;
  HashTable ids_;
  Arena arena_;  // scratch, for one application
  Lane lane_;
  std::vector<std::unique_ptr<char[]>> blocks_;  // what is kept
  char* free_ = nullptr;
  u64 n_free_ = 0;
  u64 kept_bytes_ = 0;
  std::vector<Pic> pictures_;
  std::vector<u32> given_;

  void* keep(u64 n_bytes) {
    n_bytes = (n_bytes + 15) & ~15ULL;
    if (n_bytes > n_free_) {
      const u64 size = n_bytes > 65536 ? n_bytes : 65536;
      blocks_.emplace_back(new char[size]);
      free_ = blocks_.back().get();
      n_free_ = size;
      kept_bytes_ += size;
    }
    char* result = free_;
    free_ += n_bytes;
    n_free_ -= n_bytes;
    return result;
  }
  u32 lower_depth(u32 id, u8 depth) {
    if (depth < entries_[id].depth) entries_[id].depth = depth;
    return id;
  }

  u32 run(u32 id, const Move& move, u32 number, u8 depth) {
    const bool is_list = entries_[id].is_list;
    const bool takes_list = move.shape == Shape::L_TO_P || move.shape == Shape::L_TO_L;
    if (is_list && move.shape == Shape::P_TO_P && move.takes == Takes::NOTHING)
      return apply_to_items(id, number, depth) ? add_items(depth) : REFUSED;
    if (is_list != takes_list) return REFUSED;
    n_applications++;
    arena_.reset(lane_);
    const Pic& picture = entries_[id].picture;
    switch (move.shape) {
      case Shape::P_TO_P: {
        if (move.takes == Takes::OUTPUT_SIZE && !output_size_.n_rows) return REFUSED;
        const Size size = move.takes == Takes::OUTPUT_SIZE ? output_size_ : input_size_;
        return add_picture(move.to_picture(lane_, picture, move.args, size), depth);
      }
      case Shape::P_TO_L: return add_list(move.to_list(lane_, picture, move.args), depth);
      case Shape::L_TO_P: return add_picture(move.pick(lane_, pictures_of(id), move.args), depth);
      default: return add_list(move.sift(lane_, pictures_of(id), move.args), depth);
    }
  }
  PicList pictures_of(u32 id) { return pictures_of(entries_[id].items, entries_[id].n_items); }
  PicList pictures_of(const u32* items, u32 n) {
    pictures_.clear();
    for (u32 k = 0; k < n; k++) pictures_.push_back(entries_[items[k]].picture);
    PicList list;
    list.items = pictures_.data();
    list.n = (i32)n;
    return list;
  }
  Pic checked(const Pic& picture) const {
    return picture.area() > limits_.area ? failed_picture<u8>(OVER_BUDGET) : picture;
  }
  u32 add_picture(const Pic& picture, u8 depth) {
    return checked(picture).failed() ? REFUSED : add(picture, depth);
  }
  bool is_refused(const PicList& list) const {
    if (list.failed() || list.n > limits_.list_items) return true;
    i64 area = 0;
    for (i32 k = 0; k < list.n; k++) area += list.items[k].area();
    return area > limits_.list_area;
  }
  u32 add_list(const PicList& list, u8 depth) {
    if (is_refused(list)) return REFUSED;
    given_.clear();
    for (i32 k = 0; k < list.n; k++) given_.push_back(add(list.items[k], depth));
    return add_items(depth);
  }
  u64 hash_of_items() const {
    return hash_bytes(given_.data(), given_.size() * sizeof(u32), HASH_K2 + given_.size());
  }
  // The list of the pictures in `given_`, which are in order and none twice.
  u32 add_items(u8 depth) {
    const u32 id = ids_.find_or_add(hash_of_items(), n_entries());
    if (id < n_entries()) return lower_depth(id, depth);
    Entry entry;
    entry.is_list = true;
    entry.n_items = (u32)given_.size();
    u32* items = (u32*)keep(given_.size() * sizeof(u32));
    if (!given_.empty()) std::memcpy(items, given_.data(), given_.size() * sizeof(u32));
    entry.items = items;
    entry.depth = depth;
    entries_.push_back(entry);
    return id;
  }
  // Makes `given_` of a move on every picture of a list; false where that is refused.
  bool apply_to_items(u32 id, u32 move, u8 depth) {
    std::vector<u32> given;
    i64 area = 0;
    for (u32 k = 0; k < entries_[id].n_items; k++) {
      const u32 item = apply(entries_[id].items[k], move, depth);
      if (item == REFUSED) return false;
      area += entries_[item].picture.area();
      given.push_back(item);
    }
    if (area > limits_.list_area) return false;
    const auto before = [&](u32 a, u32 b) {
      return compare_pictures(entries_[a].picture, entries_[b].picture) < 0;
    };
    // Mostly in order already.
    if (!std::is_sorted(given.begin(), given.end(), before))
      std::stable_sort(given.begin(), given.end(), before);
    size_t kept = 0;
    for (size_t k = 0; k < given.size(); k++)
      if (!kept || given[kept - 1] != given[k]) given[kept++] = given[k];
    given.resize(kept);
    given_.swap(given);
    return true;
  }
};

}  // namespace arc
