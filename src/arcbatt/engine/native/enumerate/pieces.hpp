// Pieces: values drawn in the output's size, as bits for the cells of the demos. Of pieces that paint the same
// in all demos only the least deep is kept, with a few twins.
#pragma once
#include <unordered_map>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "tuple_walk.hpp"
#include "priors.hpp"

namespace arc {

// The origin of a picture: a tuple, or a move on it, heaped up if that gives a list.
struct Origin {
  u32 tuple;
  u16 move;  // NO_MOVE: the tuple itself
  bool is_heaped;
  bool is_new = false;  // the heap was not known from a shorter path when it was made
};

// A picture with its final changes: moved to the origin, tinted in one color, pasted onto the output's size.
struct Piece {
  Origin origin;
  u32 order;  // breaks ties between equally deep pieces
  u8 depth;   // the number of moves and final changes
  i8 tint;    // 0: none
  bool to_origin;
  bool pasted;
};
static_assert(sizeof(Piece) == 16);

// Draws a picture on a blank canvas.
inline void paste(const Pic& p, bool to_origin, Size size, u8* canvas, u64 n_bytes) {
  std::memset(canvas, 0, n_bytes);
  const i32 top = to_origin ? 0 : p.row, left = to_origin ? 0 : p.column;
  const i32 from = std::max(0, -left), to = std::min(p.width, size.width - left);
  if (from >= to) return;
  for (i32 i = std::max(0, -top); i < p.n_rows && top + i < size.n_rows; i++)
    std::memcpy(canvas + (top + i) * size.width + left + from, p.cells + i * p.width + from, (u64)(to - from));
}

constexpr u64 LOW_BITS = 0x7f7f7f7f7f7f7f7fULL, HIGH_BITS = 0x8080808080808080ULL;
// Sets bit k if byte k is not 0; bytes are below 128.
inline u64 shown_bytes(u64 word) {
  return ((((word + LOW_BITS) & HIGH_BITS) >> 7) * 0x0102040810204080ULL) >> 56;
}

// Computes bits of 64 cells: which are not 0, and which equal the target.
inline void compare_cells(const u8* cells, const u8* target, u64* shown, u64* right) {
  u64 s = 0, r = 0;
#if defined(__SSE2__)
  const __m128i zero = _mm_setzero_si128();
  for (u32 k = 0; k < 4; k++) {
    const __m128i a = _mm_loadu_si128((const __m128i*)cells + k), b = _mm_loadu_si128((const __m128i*)target + k);
    s |= (u64)(~(u32)_mm_movemask_epi8(_mm_cmpeq_epi8(a, zero)) & 0xffff) << 16 * k;
    r |= (u64)(u32)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b)) << 16 * k;
  }
#else
  for (u32 k = 0; k < 8; k++) {
    u64 a, b;
    std::memcpy(&a, cells + 8 * k, 8);
    std::memcpy(&b, target + 8 * k, 8);
    s |= shown_bytes(a) << 8 * k;
    r |= (shown_bytes(a ^ b) ^ 0xff) << 8 * k;
  }
#endif
  *shown = s;
  *right = r;
}

// A twin has the same bits as a piece that is kept, but may differ from it in the tests.
constexpr u32 MAX_TWINS = 2;
struct Twin {
  u32 piece;  // the index of the piece that is kept
  Piece twin;
};

class Pieces {
 public:
  Chunked<Piece> pieces;
  Chunked<Twin> twins;
  u64 n_offered = 0;
  bool was_cut = false;

  Pieces(const std::vector<Bank>& banks, const std::vector<Pic>& targets, const std::vector<u8>& tints,
         u64 max_bytes, Workspace& workspace)
      : pieces(workspace), twins(workspace), workspace_(workspace), tints_(tints), max_bytes_(max_bytes),
        hashes_(workspace), seen_(workspace), tinted_(workspace) {
    n_demos_ = (u32)targets.size();
    for (u32 e = 0; e < banks.size(); e++) {
      sizes_.push_back(banks[e].output_size());
      if (e < n_demos_) {
        first_word_.push_back(n_words_);
        n_words_ += (area(e) + 63) / 64;
      } else {
        first_cell_.push_back(n_cells_);
        n_cells_ += area(e);
      }
    }
    first_word_.push_back(n_words_);
    first_cell_.push_back(n_cells_);
    for (u32 d = 0; d < n_demos_; d++) {
      targets_.emplace_back(64 * n_words(d), 0);
      std::memcpy(targets_.back().data(), targets[d].cells, area(d));
      for (u32 w = 0; w < n_words(d); w++) {
        const u32 left = area(d) - 64 * w;
        full_.push_back(left >= 64 ? ~0ULL : (1ULL << left) - 1);
      }
      for (u32 color = 0; color < 10; color++)
        for (u32 w = 0; w < n_words(d); w++) {
          u64 bits = 0;
          for (u32 k = 64 * w; k < area(d) && k < 64 * w + 64; k++)
            bits |= (u64)(targets[d].cells[k] == color) << (k % 64);
          by_color_.push_back(bits);
        }
      canvas_.resize(std::max<u64>(canvas_.size(), 64 * n_words(d)));
    }
    rows_.resize((u64)MAX_PENDING * 2 * n_words_);
    tinted_rows_.resize(tints.size() * 2 * n_words_);
    tinted_hashes_.resize(tints.size());
    while (row_bytes() << block_bits_ > SLAB_BYTES / 8) block_bits_--;
  }

  Workspace& workspace() const { return workspace_; }
  u32 n_demos() const { return n_demos_; }
  u32 n_tests() const { return (u32)sizes_.size() - n_demos_; }
  u32 n_words() const { return n_words_; }
  u32 n_cells() const { return n_cells_; }
  u32 first_word(u32 demo) const { return first_word_[demo]; }
  u32 n_words(u32 demo) const { return first_word_[demo + 1] - first_word_[demo]; }
  u32 first_cell(u32 test) const { return first_cell_[test]; }
  u32 area(u32 example) const { return (u32)(sizes_[example].n_rows * sizes_[example].width); }
  const u64* full() const { return full_.data(); }
  // Returns the bits of a piece in a demo: where it is not 0, followed by where it is right.
  const u64* bits(u32 piece, u32 demo) const {
    return blocks_[piece >> block_bits_] +
           ((u64)(piece & ((1u << block_bits_) - 1)) * n_words_ + first_word_[demo]) * 2;
  }
  // Hashes of the bits in all demos.
  u64 shown_hash(u32 piece) const { return hashes_[piece].shown; }
  u64 right_hash(u32 piece) const { return hashes_[piece].right; }

  // Queues pieces made of pictures of the demos, while the tables that they are looked up in are prefetched.
  // `tests.tests_of(origin, depth)` returns the pictures of the tests or null; it is called only for pieces
  // that would be kept.
  template <class Tests>
  void offer(const Origin& origin, u8 depth, const Pic* demos, Tests& tests) {
    const Extent extent = extent_of(demos);
    draw_all(demos, false, next_row());
    enqueue({origin, depth, false, !(extent.fits && extent.at_origin), false, true, hashes_of(next_row())});
    // If it lies at the origin in all demos, moving it there changes nothing.
    if (!extent.at_origin) {
      draw_all(demos, true, next_row());
      enqueue({origin, depth, true, !extent.fits, false, true, hashes_of(next_row())});
    }
    while (n_pending_ + 2 > MAX_PENDING) process_next(tests);
  }
  // Queues pictures that equal those of their tuple, which was offered itself: they can only be twins.
  template <class Tests>
  void offer_unchanged(const Origin& origin, u8 depth, const Pic* demos, Tests& tests) {
    if (unchanged_.tuple != origin.tuple) find_unchanged(origin.tuple, demos);
    const auto& [_, extent, hashes, is_right] = unchanged_;
    enqueue({origin, depth, false, !(extent.fits && extent.at_origin), true, is_right[0], hashes[0]});
    if (!extent.at_origin) enqueue({origin, depth, true, !extent.fits, true, is_right[1], hashes[1]});
    while (n_pending_ + 2 > MAX_PENDING) process_next(tests);
  }
  // Processes all pending pieces.
  template <class Tests>
  void flush(Tests& tests) {
    while (n_pending_) process_next(tests);
  }

  // Draws the cells of a piece in all tests.
  void draw_tests(const Piece& piece, const Pic* tests, u8* cells) const {
    for (u32 t = 0; t < n_tests(); t++) {
      const u32 e = n_demos_ + t;
      u8* to = cells + first_cell_[t];
      paste(tests[t], piece.to_origin, sizes_[e], to, area(e));
      if (piece.tint)
        for (u32 k = 0; k < area(e); k++) to[k] = to[k] ? (u8)piece.tint : 0;
    }
  }

 private:
  struct Hashes {
    u64 shown, right;
  };
  // A piece that is drawn, but not looked up yet.
  struct Pending {
    Origin origin;
    u8 depth;
    bool to_origin, pasted;
    bool is_unchanged;  // its pictures are those of its tuple, and no row is drawn
    bool is_right;      // somewhere; only set if no row is drawn
    Hashes hashes;
  };
  static constexpr u32 MAX_PENDING = 32;
  // Whether the pictures of all demos lie at the origin, and have the outputs' sizes.
  struct Extent {
    bool at_origin = true, fits = true;
  };
  // The pieces of a tuple itself: in place, and moved to the origin.
  struct UnchangedPieces {
    u32 tuple = NO_PARENT;
    Extent extent;
    Hashes hashes[2];
    bool is_right[2];
  };

  Workspace& workspace_;
  const std::vector<u8>& tints_;
  u64 max_bytes_, n_row_bytes_ = 0;
  u32 n_demos_, n_words_ = 0, n_cells_ = 0;
  std::vector<Size> sizes_;
  std::vector<u32> first_word_, first_cell_;
  std::vector<u64> full_;      // all cells of the demos
  std::vector<u64> by_color_;  // by demo and color, the cells of that color in the output
  u32 block_bits_ = 10;
  std::vector<u64*> blocks_;  // bits of 2^block_bits_ pieces each
  std::vector<std::vector<u8>> targets_;
  std::vector<u8> canvas_;
  // A row has the bits of a piece: by demo where it is not 0, then where it is right. There is one per
  // pending piece, and one per tint.
  std::vector<u64> rows_, tinted_rows_;
  std::vector<u64> tinted_hashes_;
  Pending pending_[MAX_PENDING];
  u32 first_pending_ = 0, n_pending_ = 0;
  UnchangedPieces unchanged_;
  Chunked<Hashes> hashes_;
  HashTable seen_, tinted_;

  u64 row_bytes() const { return 16ULL * n_words_; }
  static u64 hash_of(const Hashes& hashes) { return hashes.shown ^ fold_product(hashes.right, HASH_K2); }
  const u64* of_color(u32 demo, u32 color) const {
    return by_color_.data() + 10 * first_word_[demo] + color * n_words(demo);
  }
  void draw(const Pic& p, bool to_origin, u32 d, u64* row) {
    const Size size = sizes_[d];
    const u32 n = n_words(d);
    u64* shown = row + 2 * first_word_[d];
    const u8* cells = p.cells;
    u32 n_whole = 0;  // words that need no copy
    if (p.n_rows == size.n_rows && p.width == size.width && (to_origin || (p.row == 0 && p.column == 0))) {
      n_whole = area(d) / 64;
      const u32 left = area(d) % 64;
      if (left) {
        std::memcpy(canvas_.data(), cells + 64 * n_whole, left);
        std::memset(canvas_.data() + left, 0, 64 - left);
      }
    } else {
      paste(p, to_origin, size, canvas_.data(), 64 * n);
    }
    const u8* target = targets_[d].data();
    for (u32 w = 0; w < n_whole; w++) compare_cells(cells + 64 * w, target + 64 * w, shown + w, shown + n + w);
    for (u32 w = n_whole; w < n; w++)
      compare_cells(canvas_.data() + 64 * (w - n_whole), target + 64 * w, shown + w, shown + n + w);
    shown[2 * n - 1] &= full_[first_word_[d] + n - 1];
  }
  Extent extent_of(const Pic* demos) const {
    Extent extent;
    for (u32 d = 0; d < n_demos_; d++) {
      extent.at_origin &= demos[d].row == 0 && demos[d].column == 0;
      extent.fits &= demos[d].n_rows == sizes_[d].n_rows && demos[d].width == sizes_[d].width;
    }
    return extent;
  }
  void draw_all(const Pic* demos, bool to_origin, u64* row) {
    for (u32 d = 0; d < n_demos_; d++) draw(demos[d], to_origin, d, row);
  }
  u32 next_place() const { return (first_pending_ + n_pending_) % MAX_PENDING; }
  u64* next_row() { return rows_.data() + (u64)next_place() * 2 * n_words_; }
  void enqueue(const Pending& it) {
    pending_[next_place()] = it;
    n_pending_++;
    seen_.prefetch(hash_of(it.hashes));
    if (!tints_.empty() && !it.is_unchanged) tinted_.prefetch(it.hashes.shown);
  }
  void find_unchanged(u32 tuple, const Pic* demos) {
    unchanged_.tuple = tuple;
    unchanged_.extent = extent_of(demos);
    for (bool to_origin : {false, true}) {
      draw_all(demos, to_origin, next_row());
      unchanged_.hashes[to_origin] = hashes_of(next_row());
      unchanged_.is_right[to_origin] = is_right(next_row());
    }
  }
  // Processes the oldest pending piece, and with it the same moved to the origin, which shares its tests.
  template <class Tests>
  void process_next(Tests& tests) {
    const Pic* of_tests = nullptr;
    bool has_tests = false;
    const Pending& it = pending_[first_pending_];
    const auto get_tests = [&]() {
      if (!has_tests) of_tests = tests.tests_of(it.origin, it.depth);
      has_tests = true;
      return of_tests;
    };
    do {
      process(pending_[first_pending_], rows_.data() + (u64)first_pending_ * 2 * n_words_, get_tests);
      first_pending_ = (first_pending_ + 1) % MAX_PENDING;
      n_pending_--;
    } while (n_pending_ && pending_[first_pending_].to_origin);
  }
  template <class GetTests>
  void process(const Pending& it, const u64* row, GetTests get_tests) {
    const u8 depth = (u8)(it.depth + it.to_origin + it.pasted);
    if (it.is_unchanged) {
      n_offered++;
      HashTable::Entry* known = it.is_right ? seen_.find(hash_of(it.hashes)) : nullptr;
      if (known) add_twin(*known, {it.origin, 0, depth, 0, it.to_origin, it.pasted});
      return;
    }
    keep({it.origin, 0, depth, 0, it.to_origin, it.pasted}, row, it.hashes, get_tests);
    if (tints_.empty()) return;
    // A tinted piece is known by where it is not 0.
    HashTable::Entry* known = tinted_.find(it.hashes.shown);
    if ((known && known->number <= depth) || !get_tests()) return;
    if (known) known->number = depth;
    if (!known) tinted_.find_or_add(it.hashes.shown, depth);
    for (u32 k = 0; k < tints_.size(); k++) {
      u64* tinted = tinted_rows_.data() + (u64)k * 2 * n_words_;
      tint(tints_[k], row, tinted);
      tinted_hashes_[k] = hash_of(tinted, 1);
      seen_.prefetch(hash_of({it.hashes.shown, tinted_hashes_[k]}));
    }
    for (u32 k = 0; k < tints_.size(); k++)
      keep({it.origin, 0, (u8)(depth + 1), (i8)tints_[k], it.to_origin, it.pasted},
           tinted_rows_.data() + (u64)k * 2 * n_words_, {it.hashes.shown, tinted_hashes_[k]}, get_tests);
  }
  void tint(u8 color, const u64* row, u64* tinted) const {
    for (u32 d = 0; d < n_demos_; d++) {
      const u32 n = n_words(d), first = 2 * first_word_[d];
      const u64 *ink = of_color(d, color), *zero = of_color(d, 0);
      for (u32 w = 0; w < n; w++) {
        const u64 shown = row[first + w];
        tinted[first + w] = shown;
        tinted[first + n + w] = (shown & ink[w]) | (~shown & zero[w]);
      }
    }
  }
  Hashes hashes_of(const u64* row) const { return {hash_of(row, 0), hash_of(row, 1)}; }
  // Returns whether a row is right anywhere.
  bool is_right(const u64* row) const {
    u64 any = 0;
    for (u32 d = 0; d < n_demos_; d++)
      for (u32 w = 0; w < n_words(d); w++) any |= row[2 * first_word_[d] + n_words(d) + w];
    return any;
  }
  // Hashes where a row is not 0 (part 0) or right (part 1).
  u64 hash_of(const u64* row, u32 part) const {
    u64 hash = HASH_K1 + part;
    for (u32 d = 0; d < n_demos_; d++)
      hash = hash_bytes(row + 2 * first_word_[d] + part * n_words(d), 8 * n_words(d), hash);
    return hash;
  }
  // Keeps a piece, unless it is right nowhere or an equal one is as shallow.
  template <class GetTests>
  void keep(Piece piece, const u64* row, const Hashes& hashes, GetTests get_tests) {
    n_offered++;
    if (!is_right(row)) return;
    const u64 hash = hash_of(hashes);
    HashTable::Entry* known = seen_.find(hash);
    if (known && depth_of(*known) <= piece.depth) {
      add_twin(*known, piece);
      return;
    }
    const Pic* tests = get_tests();
    if (!tests) return;
    if (!piece.pasted && !fit(tests, piece.to_origin)) {
      piece.pasted = true;
      piece.depth++;
    }
    // Heaps come last.
    piece.order = (u32)n_offered | (u32)piece.origin.is_heaped << 31;
    if (known) {
      if (depth_of(*known) > piece.depth) {
        known->note += piece.depth - depth_of(*known);
        std::swap(pieces[known->number], piece);
      }
      add_twin(*known, piece);
      return;
    }
    if (n_row_bytes_ + seen_.bytes() + tinted_.bytes() > max_bytes_ || shared_account->is_full()) {
      was_cut = true;
      return;
    }
    const u64 number = pieces.size();
    seen_.find_or_add(hash, (u32)number, piece.depth);
    pieces.push_back(piece);
    hashes_.push_back(hashes);
    const u64 n_block = 1ULL << block_bits_;
    if (number == blocks_.size() * n_block) {
      blocks_.push_back((u64*)workspace_.take(row_bytes() << block_bits_));
      n_row_bytes_ += (row_bytes() + sizeof(Piece) + sizeof(Hashes)) << block_bits_;
    }
    std::memcpy(blocks_.back() + (number % n_block) * 2 * n_words_, row, row_bytes());
  }
  // The note of an entry has the depth of its piece in the low byte, and its number of twins above, so that
  // looking it up does not touch the piece.
  static u8 depth_of(const HashTable::Entry& known) { return (u8)known.note; }
  void add_twin(HashTable::Entry& known, const Piece& twin) {
    if (known.note >> 8 == MAX_TWINS) return;
    known.note += 1 << 8;
    twins.push_back({known.number, twin});
  }
  // Returns whether the pictures of the tests lie at the origin and have the output's size.
  bool fit(const Pic* tests, bool to_origin) const {
    for (u32 t = 0; t < n_tests(); t++) {
      const Size size = sizes_[n_demos_ + t];
      if (tests[t].n_rows != size.n_rows || tests[t].width != size.width) return false;
      if (!to_origin && (tests[t].row || tests[t].column)) return false;
    }
    return true;
  }
};

}  // namespace arc
