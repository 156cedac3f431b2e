// Pieces: values of the output's size, or brought to it, as bits that stand for the cells of demos.
// Pieces that paint the same in all demos are one, the least deep of them.
#pragma once
#include <unordered_map>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "lock_step.hpp"
#include "priors.hpp"

namespace arc {

// Where a picture comes from: a tuple, or what a move gives on it, put together where that is a list.
struct Origin {
  u32 tuple;
  u16 move;  // NO_MOVE: the tuple itself
  bool is_heaped;
};

// What is done to pictures at the end: brought to the origin, given one colour, cut to size.
struct Piece {
  Origin of;
  u8 depth;  // moves in all
  i8 tint;   // 0: none
  bool to_origin;
  bool pasted;
  u32 number;  // of equally deep ones the first counts
};

constexpr u64 LOW_BITS = 0x7f7f7f7f7f7f7f7fULL, HIGH_BITS = 0x8080808080808080ULL;
// Bit k: whether byte k is not 0; bytes are below 128.
inline u64 shown_bytes(u64 word) {
  return ((((word + LOW_BITS) & HIGH_BITS) >> 7) * 0x0102040810204080ULL) >> 56;
}

// Bits of 64 cells: which are not 0, which are as wanted.
inline void compare_cells(const u8* cells, const u8* wanted, u64* shown, u64* right) {
  u64 s = 0, r = 0;
#if defined(__SSE2__)
  const __m128i zero = _mm_setzero_si128();
  for (u32 k = 0; k < 4; k++) {
    const __m128i a = _mm_loadu_si128((const __m128i*)cells + k), b = _mm_loadu_si128((const __m128i*)wanted + k);
    s |= (u64)(~(u32)_mm_movemask_epi8(_mm_cmpeq_epi8(a, zero)) & 0xffff) << 16 * k;
    r |= (u64)(u32)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b)) << 16 * k;
  }
#else
  for (u32 k = 0; k < 8; k++) {
    u64 a, b;
    std::memcpy(&a, cells + 8 * k, 8);
    std::memcpy(&b, wanted + 8 * k, 8);
    s |= shown_bytes(a) << 8 * k;
    r |= (shown_bytes(a ^ b) ^ 0xff) << 8 * k;
  }
#endif
  *shown = s;
  *right = r;
}

// A piece's further makings: others whose bits are the same, which may differ in the tests.
constexpr u32 MAX_TWINS = 2;
struct Twin {
  u32 piece;
  Piece made;
};

class Pieces {
 public:
  std::vector<Piece> pieces;
  std::vector<Twin> twins;
  u64 n_offered = 0;
  bool was_cut = false;

  Pieces(const std::vector<Bank>& banks, const std::vector<Pic>& targets, const std::vector<u8>& tints,
         u64 max_bytes)
      : tints_(tints), max_bytes_(max_bytes) {
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
    // By demo and colour, the cells of that colour in the output.
    for (u32 d = 0; d < n_demos_; d++) {
      wanted_.emplace_back(64 * n_words(d), 0);
      std::memcpy(wanted_.back().data(), targets[d].cells, area(d));
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
    row_.resize(2 * n_words_);
    tinted_row_.resize(2 * n_words_);
  }

  u32 n_demos() const { return n_demos_; }
  u32 n_tests() const { return (u32)sizes_.size() - n_demos_; }
  u32 n_words() const { return n_words_; }
  u32 n_cells() const { return n_cells_; }
  u32 first_word(u32 demo) const { return first_word_[demo]; }
  u32 n_words(u32 demo) const { return first_word_[demo + 1] - first_word_[demo]; }
  u32 first_cell(u32 test) const { return first_cell_[test]; }
  u32 area(u32 example) const { return (u32)(sizes_[example].n_rows * sizes_[example].width); }
  const u64* full() const { return full_.data(); }
  // Of a piece in a demo, where it is not 0; behind that, where it is right.
  const u64* bits(u32 piece, u32 demo) const {
    return blocks_[piece >> BLOCK_BITS].get() + ((u64)(piece & BLOCK_MASK) * n_words_ + first_word_[demo]) * 2;
  }
  // Hashes of where a piece is not 0, and of where it is right, in all demos.
  u64 shown_hash(u32 piece) const { return hashes_[piece].shown; }
  u64 right_hash(u32 piece) const { return hashes_[piece].right; }
  u64 bytes() const {
    return (blocks_.size() << BLOCK_BITS) * 16 * n_words_ + pieces.capacity() * (sizeof(Piece) + sizeof(Hashes) + 1) +
           twins.capacity() * sizeof(Twin) + seen_.bytes() + tinted_.bytes();
  }

  // Makes pieces of pictures. `demos` are those of the demos; `tests` gives those of the tests, null
  // where there are none, and is asked only for what would be kept.
  template <class Tests>
  void offer(const Origin& of, u8 depth, const Pic* demos, Tests tests) {
    bool is_placed = true, fits = true;
    for (u32 d = 0; d < n_demos_; d++) {
      is_placed &= demos[d].row == 0 && demos[d].column == 0;
      fits &= demos[d].n_rows == sizes_[d].n_rows && demos[d].width == sizes_[d].width;
    }
    const Pic* of_tests = nullptr;
    bool is_asked = false;
    const auto ask = [&]() {
      if (!is_asked) of_tests = tests();
      is_asked = true;
      return of_tests;
    };
    for (bool to_origin : {false, true}) {
      // Brought to the origin where it lies there in all demos, it would be a twin.
      if (to_origin && is_placed) break;
      const bool pasted = !(fits && (is_placed || to_origin));
      for (u32 d = 0; d < n_demos_; d++) draw(demos[d], to_origin, d);
      const u64 shown_hash = hash_of(row_, 0);
      Piece piece = {of, (u8)(depth + to_origin + pasted), 0, to_origin, pasted, 0};
      keep(piece, row_, shown_hash, ask);
      if (tints_.empty()) continue;
      // What is given one colour is known by where it is not 0.
      u32* known = tinted_.find(shown_hash);
      if (known && *known <= piece.depth) continue;
      if (!ask()) return;
      if (known) *known = piece.depth;
      if (!known) tinted_.find_or_add(shown_hash, piece.depth);
      for (u8 color : tints_) {
        tint(color);
        piece.tint = (i8)color;
        keep({of, (u8)(piece.depth + 1), (i8)color, to_origin, pasted, 0}, tinted_row_, shown_hash, ask);
      }
    }
  }

  // Draws a piece's pictures of the tests as cells, of all tests.
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
  static constexpr u32 BLOCK_BITS = 10, BLOCK_MASK = (1u << BLOCK_BITS) - 1;
  struct Hashes {
    u64 shown, right;
  };
  const std::vector<u8>& tints_;
  u64 max_bytes_;
  u32 n_demos_, n_words_ = 0, n_cells_ = 0;
  std::vector<Size> sizes_;
  std::vector<u32> first_word_, first_cell_;
  std::vector<u64> full_, by_color_;
  std::vector<std::unique_ptr<u64[]>> blocks_;  // bits of so many pieces each
  std::vector<std::vector<u8>> wanted_;
  std::vector<u8> canvas_, n_twins_;
  std::vector<u64> row_, tinted_row_;  // by demo, where what is drawn is not 0, then where it is right
  std::vector<Hashes> hashes_;
  HashTable seen_, tinted_;

  const u64* of_color(u32 demo, u32 color) const {
    return by_color_.data() + 10 * first_word_[demo] + color * n_words(demo);
  }
  // A picture on a blank canvas.
  static void paste(const Pic& p, bool to_origin, Size size, u8* canvas, u64 n_bytes) {
    std::memset(canvas, 0, n_bytes);
    const i32 top = to_origin ? 0 : p.row, left = to_origin ? 0 : p.column;
    const i32 from = std::max(0, -left), to = std::min(p.width, size.width - left);
    if (from >= to) return;
    for (i32 i = std::max(0, -top); i < p.n_rows && top + i < size.n_rows; i++)
      std::memcpy(canvas + (top + i) * size.width + left + from, p.cells + i * p.width + from, (u64)(to - from));
  }
  void draw(const Pic& p, bool to_origin, u32 d) {
    const Size size = sizes_[d];
    const u32 n = n_words(d);
    u64* shown = row_.data() + 2 * first_word_[d];
    const u8* cells = p.cells;
    u32 n_whole = 0;  // words that can be read where they lie
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
    const u8* wanted = wanted_[d].data();
    for (u32 w = 0; w < n_whole; w++) compare_cells(cells + 64 * w, wanted + 64 * w, shown + w, shown + n + w);
    for (u32 w = n_whole; w < n; w++)
      compare_cells(canvas_.data() + 64 * (w - n_whole), wanted + 64 * w, shown + w, shown + n + w);
    shown[2 * n - 1] &= full_[first_word_[d] + n - 1];
  }
  void tint(u8 color) {
    for (u32 d = 0; d < n_demos_; d++) {
      const u32 n = n_words(d), first = 2 * first_word_[d];
      const u64 *ink = of_color(d, color), *zero = of_color(d, 0);
      for (u32 w = 0; w < n; w++) {
        const u64 shown = row_[first + w];
        tinted_row_[first + w] = shown;
        tinted_row_[first + n + w] = (shown & ink[w]) | (~shown & zero[w]);
      }
    }
  }
  // A hash of where a row is not 0 (part 0) or right (part 1).
  u64 hash_of(const std::vector<u64>& row, u32 part) const {
    u64 hash = HASH_K1 + part;
    for (u32 d = 0; d < n_demos_; d++)
      hash = hash_bytes(row.data() + 2 * first_word_[d] + part * n_words(d), 8 * n_words(d), hash);
    return hash;
  }
  // Keeps what was drawn, unless there is one like it that is as shallow, or it is right nowhere.
  template <class Ask>
  void keep(Piece piece, const std::vector<u64>& row, u64 shown_hash, Ask ask) {
    n_offered++;
    u64 any = 0;
    for (u32 d = 0; d < n_demos_; d++)
      for (u32 w = 0; w < n_words(d); w++) any |= row[2 * first_word_[d] + n_words(d) + w];
    if (!any) return;
    const u64 right_hash = hash_of(row, 1), hash = shown_hash ^ fold_product(right_hash, HASH_K2);
    u32* known = seen_.find(hash);
    if (known && pieces[*known].depth <= piece.depth) {
      add_twin(*known, piece);
      return;
    }
    const Pic* tests = ask();
    if (!tests) return;
    if (!piece.pasted && !fit(tests, piece.to_origin)) {
      piece.pasted = true;
      piece.depth++;
    }
    // The number is of the order in which they came; what was put together comes last.
    piece.number = (u32)n_offered | (u32)piece.of.is_heaped << 31;
    if (known) {
      if (pieces[*known].depth > piece.depth) std::swap(pieces[*known], piece);
      add_twin(*known, piece);
      return;
    }
    if (bytes() > max_bytes_) {
      was_cut = true;
      return;
    }
    seen_.find_or_add(hash, (u32)pieces.size());
    pieces.push_back(piece);
    n_twins_.push_back(0);
    hashes_.push_back({shown_hash, right_hash});
    if (pieces.size() > blocks_.size() << BLOCK_BITS)
      blocks_.emplace_back(new u64[(u64)2 * n_words_ << BLOCK_BITS]);
    std::memcpy(blocks_.back().get() + ((pieces.size() - 1) & BLOCK_MASK) * 2 * n_words_, row.data(),
                16 * n_words_);
  }
  void add_twin(u32 piece, const Piece& made) {
    if (n_twins_[piece] == MAX_TWINS) return;
    n_twins_[piece]++;
    twins.push_back({piece, made});
  }
  // Whether pictures of the tests are at the origin and of the output's size.
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
