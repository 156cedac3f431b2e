// The cover: outputs put together from pieces, values of the output's size laid one under the other,
// none of which is wrong where it paints. Bits stand for the cells of demos.
#pragma once
#include <algorithm>
#include <unordered_map>

#include "lock_step.hpp"

namespace arc {

// What a piece paints: its cells that are not 0, those that are, or all.
enum Mode : u8 { SHOWN, HOLES, WHOLE };
constexpr u32 N_MODES = 3;

// A tuple, and what is done to it at the end: brought to the origin, given one colour, cut to size.
struct Piece {
  u32 tuple;
  i8 tint;  // 0: none
  bool to_origin;
  bool pasted;
  u8 depth;  // moves in all
};
struct Pick {
  u32 piece;
  Mode mode;
};

constexpr u64 LOW_BITS = 0x7f7f7f7f7f7f7f7fULL, HIGH_BITS = 0x8080808080808080ULL;
// Bit k: whether byte k is not 0; bytes are below 128.
inline u64 shown_bytes(u64 word) {
  return ((((word + LOW_BITS) & HIGH_BITS) >> 7) * 0x0102040810204080ULL) >> 56;
}

// How many bits two rows of words share.
ARC_CLONED inline u32 count_common(const u64* a, const u64* b, u32 n) {
  u64 count = 0;
  for (u32 w = 0; w < n; w++) count += (u64)__builtin_popcountll(a[w] & b[w]);
  return (u32)count;
}

class Pieces {
 public:
  std::vector<Piece> pieces;
  u64 n_offered = 0;
  bool was_cut = false;

  Pieces(const LockStep& walk, const std::vector<Pic>& targets, u64 max_bytes)
      : walk_(walk), max_bytes_(max_bytes) {
    n_demos_ = (u32)targets.size();
    for (u32 e = 0; e < walk.banks.size(); e++) {
      const Size size = walk.banks[e].output_size();
      sizes_.push_back(size);
      const u32 area = (u32)(size.n_rows * size.width);
      if (e < n_demos_) {
        first_word_.push_back(n_words_);
        n_words_ += (area + 63) / 64;
      } else {
        first_cell_.push_back(n_cells_);
        n_cells_ += area;
      }
    }
    first_word_.push_back(n_words_);
    first_cell_.push_back(n_cells_);
    for (u32 d = 0; d < n_demos_; d++) {
      for (u32 w = 0; w < n_words(d); w++) {
        const u32 left = area(d) - 64 * w;
        full_.push_back(left >= 64 ? ~0ULL : (1ULL << left) - 1);
      }
      padded_.emplace_back(8 * ((area(d) + 7) / 8), 0);
      std::memcpy(padded_.back().data(), targets[d].cells, area(d));
    }
    // By demo and colour, the cells of that colour in the output.
    for (u32 d = 0; d < n_demos_; d++)
      for (u32 color = 0; color < 10; color++)
        for (u32 w = 0; w < n_words(d); w++) {
          u64 bits = 0;
          for (u32 k = 64 * w; k < area(d) && k < 64 * w + 64; k++)
            bits |= (u64)(targets[d].cells[k] == color) << (k % 64);
          by_color_.push_back(bits);
        }
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
  // Of a piece, where it is not 0 and where it is right; and its cells in the tests.
  const u64* shown(u32 piece) const { return bits_.data() + (u64)piece * 2 * n_words_; }
  const u64* right(u32 piece) const { return shown(piece) + n_words_; }
  const u8* cells(u32 piece) const { return cells_.data() + (u64)piece * n_cells_; }
  u64 bytes() const { return bits_.capacity() * 8 + cells_.capacity() + seen_.bytes(); }

  // Makes pieces of a tuple of pictures.
  void add(u32 tuple, const std::vector<u8>& tints) {
    bool is_placed = true, fits = true;
    for (u32 e = 0; e < sizes_.size(); e++) {
      const Pic& p = walk_.picture(tuple, e);
      is_placed &= p.row == 0 && p.column == 0;
      fits &= p.n_rows == sizes_[e].n_rows && p.width == sizes_[e].width;
    }
    for (bool to_origin : {false, true}) {
      if (to_origin && is_placed) continue;
      const bool pasted = !(fits && (is_placed || to_origin));
      draw(tuple, to_origin);
      const u8 depth = (u8)(walk_.tuples[tuple].depth + to_origin + pasted);
      keep({tuple, 0, to_origin, pasted, depth});
      for (u8 color : tints) {
        for (u32 d = 0; d < n_demos_; d++)
          for (u32 w = first_word_[d]; w < first_word_[d + 1]; w++) {
            const u32 of_demo = w - first_word_[d];
            right_now_[w] = (shown_now_[w] & of_color(d, color)[of_demo]) |
                            (~shown_now_[w] & of_color(d, 0)[of_demo]);
          }
        for (u32 k = 0; k < n_cells_; k++) cells_now_[k] = cells_now_[k] ? color : 0;
        keep({tuple, (i8)color, to_origin, pasted, (u8)(depth + 1)});
      }
    }
  }

 private:
  const LockStep& walk_;
  u64 max_bytes_;
  u32 n_demos_, n_words_ = 0, n_cells_ = 0;
  std::vector<Size> sizes_;
  std::vector<u32> first_word_, first_cell_;
  std::vector<u64> full_, by_color_, bits_;
  std::vector<std::vector<u8>> padded_;
  std::vector<u8> cells_, canvas_, cells_now_;
  std::vector<u64> shown_now_, right_now_;
  HashTable seen_;

  const u64* of_color(u32 demo, u32 color) const {
    return by_color_.data() + 10 * first_word_[demo] + color * n_words(demo);
  }
  // A picture on a blank canvas, whose bytes go on to a multiple of 8.
  void paste(const Pic& p, bool to_origin, Size size, u8* canvas, u64 n_bytes) {
    if (p.n_rows == size.n_rows && p.width == size.width && (to_origin || (p.row == 0 && p.column == 0))) {
      std::memcpy(canvas, p.cells, (u64)p.area());
      std::memset(canvas + p.area(), 0, n_bytes - (u64)p.area());
      return;
    }
    std::memset(canvas, 0, n_bytes);
    const i32 top = to_origin ? 0 : p.row, left = to_origin ? 0 : p.column;
    const i32 from = std::max(0, -left), to = std::min(p.width, size.width - left);
    if (from >= to) return;
    for (i32 i = std::max(0, -top); i < p.n_rows && top + i < size.n_rows; i++)
      std::memcpy(canvas + (top + i) * size.width + left + from, p.cells + i * p.width + from, (u64)(to - from));
  }
  void draw(u32 tuple, bool to_origin) {
    shown_now_.assign(n_words_, 0);
    right_now_.assign(n_words_, 0);
    cells_now_.resize(n_cells_);
    canvas_.resize(1024);
    for (u32 d = 0; d < n_demos_; d++) {
      const std::vector<u8>& target = padded_[d];
      canvas_.resize(std::max(canvas_.size(), target.size()));
      paste(walk_.picture(tuple, d), to_origin, sizes_[d], canvas_.data(), target.size());
      u64* shown = shown_now_.data() + first_word_[d];
      u64* right = right_now_.data() + first_word_[d];
      for (u64 k = 0; k < target.size(); k += 8) {
        u64 word, wanted;
        std::memcpy(&word, canvas_.data() + k, 8);
        std::memcpy(&wanted, target.data() + k, 8);
        shown[k / 64] |= shown_bytes(word) << (k % 64);
        right[k / 64] |= (shown_bytes(word ^ wanted) ^ 0xff) << (k % 64);
      }
      for (u32 w = 0; w < n_words(d); w++) right[w] &= full_[first_word_[d] + w];
    }
    for (u32 t = 0; t < n_tests(); t++) {
      const u32 e = n_demos_ + t;
      canvas_.resize(std::max<u64>(canvas_.size(), area(e) + 8));
      paste(walk_.picture(tuple, e), to_origin, sizes_[e], canvas_.data(), area(e));
      std::memcpy(cells_now_.data() + first_cell_[t], canvas_.data(), area(e));
    }
  }
  // Keeps what was drawn, unless there is one like it or it is right nowhere.
  void keep(const Piece& piece) {
    n_offered++;
    u64 any = 0;
    for (u64 bits : right_now_) any |= bits;
    if (!any) return;
    u64 hash = hash_bytes(shown_now_.data(), 8 * n_words_, HASH_K1);
    hash = hash_bytes(right_now_.data(), 8 * n_words_, hash);
    hash = hash_bytes(cells_now_.data(), n_cells_, hash);
    if (bytes() > max_bytes_) {
      was_cut = true;
      return;
    }
    const u32 number = (u32)pieces.size();
    if (seen_.find_or_add(hash, number) != number) return;
    pieces.push_back(piece);
    bits_.insert(bits_.end(), shown_now_.begin(), shown_now_.end());
    bits_.insert(bits_.end(), right_now_.begin(), right_now_.end());
    cells_.insert(cells_.end(), cells_now_.begin(), cells_now_.end());
  }
};

// A stack of pieces, the uppermost first, with what it gives.
struct Stack {
  std::vector<Pick> picks;
  u32 demos = 0;       // bit d: demo d comes out right
  u32 n_right = 0;
  u8 depth = 0;        // of the deepest piece
  std::vector<u8> outputs;    // the cells of all tests
  std::vector<u8> is_covered;  // by test, whether all its cells are painted
  double score() const { return n_right - 0.1 * depth - 1e-5 * (double)picks.size(); }
};

// Subsets are taken of the first so many demos.
constexpr u32 MAX_CHOSEN = 5;

struct CoverLimits {
  u32 n_pieces = 10;
  bool subsets = true;   // also of some demos
  u32 n_kept = 3;        // stacks that give one output
  bool modes[N_MODES] = {true, true, true};
};

class Cover {
 public:
  u64 n_scanned = 0, n_stacks = 0;
  bool was_cut = false;

  Cover(const Pieces& pieces, const CoverLimits& limits) : p_(pieces), limits_(limits) {
    const u32 n_words = p_.n_words();
    const u32 n = (u32)p_.pieces.size();
    n_chosen_ = std::min(p_.n_demos(), MAX_CHOSEN);
    // Pieces by depth; earlier ones first among those of one depth.
    std::vector<u32> by_depth(n);
    for (u32 k = 0; k < n; k++) by_depth[k] = k;
    std::stable_sort(by_depth.begin(), by_depth.end(),
                     [&](u32 a, u32 b) { return p_.pieces[a].depth < p_.pieces[b].depth; });
    good_.reserve((u64)n * N_MODES * 2 * n_words);
    brushes_.reserve((u64)n * N_MODES);
    for (u32 k : by_depth)
      for (u32 m = 0; m < N_MODES; m++)
        if (limits_.modes[m]) add_brush(k, (Mode)m, n_words);
  }
  u64 bytes() const {
    return good_.size() * sizeof(u64) + brushes_.size() * sizeof(Brush) + rows_.capacity() * sizeof(Row);
  }

  // All stacks, the best of each output; the best output first.
  std::vector<Stack> run(const Spending& spending) {
    for (u32 t = 0; t < n_chosen_ && !was_cut; t++) {
      order_for(t);
      for (u32 subset = 1; subset < 1u << n_chosen_; subset++) {
        if (!(subset >> t & 1)) continue;
        if (!limits_.subsets && subset + 1 != 1u << n_chosen_) continue;
        // What a stack was made with all pieces of some depth is, it is with no deeper ones too.
        for (i32 ceiling = 255; ceiling >= 0;) {
          if (spending.is_out_of_time()) {
            was_cut = true;
            break;
          }
          ceiling = (i32)stack(subset, t, (u8)ceiling) - 1;
        }
        if (was_cut) break;
      }
    }
    std::vector<Stack> all;
    for (auto& [hash, stacks] : found_)
      for (Stack& each : stacks) all.push_back(std::move(each));
    std::stable_sort(all.begin(), all.end(), [](const Stack& a, const Stack& b) {
      return a.score() != b.score() ? a.score() > b.score() : a.outputs < b.outputs;
    });
    return all;
  }

 private:
  struct Brush {
    u32 piece;
    Mode mode;
    u8 depth;
    u8 clean;  // bit d: it paints nothing wrong in demo d
    u16 witness[MAX_CHOSEN];  // by demo, a bit that it paints wrong
  };
  // A brush as it is scanned for, with all that most of them are passed over by.
  struct Row {
    u32 brush;
    u16 count;  // the most that it can add
    u8 depth;
    u8 clean;
    u16 witness[MAX_CHOSEN];
  };
  const Pieces& p_;
  CoverLimits limits_;
  u32 n_chosen_;                // demos that subsets are taken of
  std::vector<Brush> brushes_;  // shallow ones first
  std::vector<u64> good_;       // of each: where it paints what is right, and where what is wrong
  std::vector<Row> rows_;
  std::vector<u64> open_;
  std::vector<u8> painted_;
  std::unordered_map<u64, std::vector<Stack>> found_;

  const u64* good(u32 brush) const { return good_.data() + (u64)brush * 2 * p_.n_words(); }
  const u64* bad(u32 brush) const { return good(brush) + p_.n_words(); }

  void add_brush(u32 piece, Mode mode, u32 n_words) {
    const u64 start = good_.size();
    good_.resize(start + 2 * n_words);
    u64 any = 0;
    for (u32 w = 0; w < n_words; w++) {
      const u64 full = p_.full()[w], shown = p_.shown(piece)[w], right = p_.right(piece)[w];
      const u64 paints = mode == SHOWN ? shown : mode == HOLES ? full & ~shown : full;
      good_[start + w] = paints & right;
      good_[start + n_words + w] = paints & ~right;
      any |= paints & right;
    }
    if (!any) {
      good_.resize(start);
      return;
    }
    Brush brush = {piece, mode, p_.pieces[piece].depth, 0, {}};
    for (u32 d = 0; d < n_chosen_; d++) {
      bool is_clean = true;
      for (u32 w = p_.first_word(d); w < p_.first_word(d + 1); w++)
        if (const u64 bits = good_[start + n_words + w]) {
          brush.witness[d] = (u16)(64 * w + (u32)__builtin_ctzll(bits));
          is_clean = false;
        }
      if (is_clean) brush.clean |= (u8)(1u << d);
    }
    brushes_.push_back(brush);
  }
  // Brushes by what they can add to a demo, the most first, shallow ones first among equals.
  void order_for(u32 demo) {
    const u32 first = p_.first_word(demo), most = p_.area(demo);
    std::vector<u16> counts(brushes_.size());
    std::vector<u32> places(most + 2, 0);  // of rows with one count, counts descending
    for (u32 b = 0; b < brushes_.size(); b++) {
      counts[b] = (u16)count_common(good(b) + first, p_.full() + first, p_.n_words(demo));
      if (counts[b]) places[most - counts[b] + 1]++;
    }
    for (u32 k = 1; k < places.size(); k++) places[k] += places[k - 1];
    rows_.resize(places.back());
    for (u32 b = 0; b < brushes_.size(); b++) {
      if (!counts[b]) continue;
      const Brush& brush = brushes_[b];
      Row& row = rows_[places[most - counts[b]]++];
      row = {b, counts[b], brush.depth, brush.clean, {}};
      std::copy(brush.witness, brush.witness + MAX_CHOSEN, row.witness);
    }
  }
  // Makes a stack that is right in a subset of the demos, each time with what adds most to one of
  // them; returns the depth of its deepest piece, 0 where there is none.
  u8 stack(u32 subset, u32 demo, u8 ceiling) {
    open_.assign(p_.full(), p_.full() + p_.n_words());
    painted_.assign(p_.n_cells(), 0);
    Stack made;
    made.outputs.assign(p_.n_cells(), 0);
    u32 wrong = 0;
    const u32 first = p_.first_word(demo), n_words = p_.n_words(demo);
    while (made.picks.size() < limits_.n_pieces) {
      u32 best = ~0u, best_gain = 0;
      for (const Row& row : rows_) {
        if (row.count < best_gain) break;
        if (row.depth > ceiling) continue;
        n_scanned++;
        const u32 unclean = subset & ~(u32)row.clean;
        if (unclean && !becomes_clean(row, unclean)) continue;
        const u64* bits = good(row.brush);
        const u32 gain = count_common(bits + first, open_.data() + first, n_words);
        if (gain > best_gain || (gain == best_gain && gain && row.brush < best)) {
          best = row.brush;
          best_gain = gain;
        }
      }
      if (!best_gain) break;
      lay(best, made, wrong);
      offer(made, wrong);
    }
    return made.depth;
  }
  // Whether what a brush paints wrong in these demos is covered.
  bool becomes_clean(const Row& row, u32 demos) const {
    for (u32 left = demos; left; left &= left - 1) {
      const u32 bit = row.witness[__builtin_ctz(left)];
      if (open_[bit / 64] >> (bit % 64) & 1) return false;
    }
    const u64* bits = bad(row.brush);
    for (u32 left = demos; left; left &= left - 1) {
      const u32 d = (u32)__builtin_ctz(left);
      for (u32 w = p_.first_word(d); w < p_.first_word(d + 1); w++)
        if (bits[w] & open_[w]) return false;
    }
    return true;
  }
  void lay(u32 brush, Stack& made, u32& wrong) {
    const Brush& b = brushes_[brush];
    made.picks.push_back({b.piece, b.mode});
    made.depth = std::max(made.depth, b.depth);
    for (u32 d = 0; d < p_.n_demos(); d++)
      for (u32 w = p_.first_word(d); w < p_.first_word(d + 1); w++) {
        if (d < 32 && (bad(brush)[w] & open_[w])) wrong |= 1u << d;
        open_[w] &= ~(good(brush)[w] | bad(brush)[w]);
      }
    const u8* cells = p_.cells(b.piece);
    for (u32 k = 0; k < p_.n_cells(); k++) {
      const bool paints = b.mode == WHOLE || (cells[k] != 0) == (b.mode == SHOWN);
      if (paints && !painted_[k]) {
        painted_[k] = 1;
        made.outputs[k] = cells[k];
      }
    }
  }
  void offer(Stack& made, u32 wrong) {
    made.is_covered.assign(p_.n_tests(), 1);
    bool any = false;
    for (u32 t = 0; t < p_.n_tests(); t++) {
      for (u32 k = p_.first_cell(t); k < p_.first_cell(t + 1) && made.is_covered[t]; k++)
        made.is_covered[t] = painted_[k];
      any |= made.is_covered[t];
    }
    if (!any) return;
    made.demos = 0;
    for (u32 d = 0; d < p_.n_demos() && d < 32; d++) {
      bool is_right = !(wrong >> d & 1);
      for (u32 w = p_.first_word(d); w < p_.first_word(d + 1) && is_right; w++) is_right = !open_[w];
      made.demos |= (u32)is_right << d;
    }
    made.n_right = (u32)__builtin_popcount(made.demos);
    if (!made.n_right) return;
    n_stacks++;
    const u64 hash = hash_bytes(made.outputs.data(), made.outputs.size(),
                                hash_bytes(made.is_covered.data(), made.is_covered.size(), HASH_K1));
    std::vector<Stack>& known = found_[hash];
    for (const Stack& other : known)
      if (other.picks.size() == made.picks.size() &&
          std::equal(other.picks.begin(), other.picks.end(), made.picks.begin(),
                     [](const Pick& a, const Pick& b) { return a.piece == b.piece && a.mode == b.mode; }))
        return;
    known.push_back(made);
    std::stable_sort(known.begin(), known.end(),
                     [](const Stack& a, const Stack& b) { return a.score() > b.score(); });
    if (known.size() > limits_.n_kept) known.pop_back();
  }
};

}  // namespace arc
