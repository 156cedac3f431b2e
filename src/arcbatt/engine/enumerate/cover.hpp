// The cover: outputs put together from pieces, laid one under the other, none of which is wrong where
// it paints. Each time the piece is taken that adds most. What a piece can add only falls, so that it is
// counted anew only when it comes to the top; a piece that is wrong somewhere waits for that cell to be
// covered, and is not looked at before.
#pragma once
#include <functional>

#include "pieces.hpp"

namespace arc {

// What a piece paints: its cells that are not 0, those that are, or all.
enum Mode : u8 { SHOWN, HOLES, WHOLE };
constexpr u32 N_MODES = 3;

struct Pick {
  u32 piece;
  Mode mode;
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

// Cells of a piece that a mode paints, as bits of where it is not 0: (shown ^ flip) | all.
struct Paint {
  u64 flip, all;
  explicit Paint(Mode mode) : flip(mode == HOLES ? ~0ULL : 0), all(mode == WHOLE ? ~0ULL : 0) {}
  u64 operator()(u64 shown) const { return (shown ^ flip) | all; }
};

// How many open cells are painted, and right.
ARC_CLONED inline u32 count_gain(const u64* shown, const u64* open, u32 n, u64 flip, u64 all) {
  u64 count = 0;
  for (u32 w = 0; w < n; w++)
    count += (u64)__builtin_popcountll(((shown[w] ^ flip) | all) & shown[n + w] & open[w]);
  return (u32)count;
}
struct BitCounts {
  u32 shown, right, both;
};
ARC_CLONED inline BitCounts count_bits_of(const u64* shown, u32 n) {
  u64 n_shown = 0, n_right = 0, n_both = 0;
  for (u32 w = 0; w < n; w++) {
    n_shown += (u64)__builtin_popcountll(shown[w]);
    n_right += (u64)__builtin_popcountll(shown[n + w]);
    n_both += (u64)__builtin_popcountll(shown[w] & shown[n + w]);
  }
  return {(u32)n_shown, (u32)n_right, (u32)n_both};
}

class Cover {
 public:
  u64 n_scanned = 0, n_stacks = 0;
  bool was_cut = false;

  // `cells_of(piece)` gives its cells in all tests.
  template <class CellsOf>
  Cover(const Pieces& pieces, const CoverLimits& limits, CellsOf cells_of)
      : p_(pieces), limits_(limits), cells_of_(cells_of) {
    n_chosen_ = std::min(p_.n_demos(), MAX_CHOSEN);
    add_brushes();
    ranks_.assign(N_RANKS * p_.n_words(), 0);
    for (u32 d = 0; d < n_chosen_; d++) {
      rank_cells(d);
      group_by_witness(d);
    }
    heads_.assign(64 * p_.n_words(), NONE);
  }
  u64 bytes() const {
    u64 n = brushes_.capacity() * sizeof(Brush) + rows_.capacity() * sizeof(Row) + clean_.capacity() +
            waiting_.capacity() * sizeof(Waiting) + heap_.capacity() * sizeof(u64) +
            released_.capacity() * sizeof(u32);
    for (const Groups& groups : groups_) n += groups.brushes.capacity() * sizeof(u32);
    return n;
  }

  // All stacks, the best of each output; the best output first.
  std::vector<Stack> run(const Spending& spending) {
    for (u32 t = 0; t < n_chosen_ && !was_cut; t++) {
      order_for(t);
      made_.clear();
      for (u32 subset = 1; subset < 1u << n_chosen_; subset++) {
        if (!(subset >> t & 1)) continue;
        if (!limits_.subsets && subset + 1 != 1u << n_chosen_) continue;
        // What a stack was made with all pieces of some depth is, it is with no deeper ones too.
        for (i32 ceiling = 255; ceiling >= 0;) {
          if (const Made* known = made_before(subset, ceiling)) {
            ceiling = known->depth - 1;
            continue;
          }
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
    u16 counts[MAX_CHOSEN];   // by demo, cells that it paints right
  };
  // A brush, and the most that it can add to a demo.
  struct Row {
    u32 brush;
    u16 count;
    u8 depth;
  };
  // Brushes by the bit of a demo that they wait for at first: those of bit k from starts[k] on.
  struct Groups {
    std::vector<u32> starts, brushes;
  };
  // A brush that waits for a cell to be covered, and who waits for that too.
  struct Waiting {
    u32 brush, next;
  };
  // A stack that was made: the same comes of any ceiling from its depth to this one, and of any
  // larger subset of the demos in which it painted nothing wrong.
  struct Made {
    u32 subset, wrong;
    i32 ceiling, depth;
  };
  static constexpr u32 NONE = ~0u;
  static constexpr u32 N_RANKS = 4, N_RANKED = 2048, AHEAD = 8;

  const Pieces& p_;
  CoverLimits limits_;
  std::function<const u8*(u32)> cells_of_;
  u32 n_chosen_;                // demos that subsets are taken of
  std::vector<Brush> brushes_;  // shallow ones first
  std::vector<u64> ranks_;      // cells that few brushes paint right, then others
  Groups groups_[MAX_CHOSEN];   // by demo
  std::vector<Row> rows_;       // of one demo
  std::vector<u8> clean_;       // of each row, as its brush has it
  std::vector<Made> made_;
  std::unordered_map<u64, std::vector<Stack>> found_;

  // Of the stack that is being made.
  u32 subset_ = 0, demo_ = 0;
  u8 ceiling_ = 0;
  u64 at_ = 0;  // rows before it are in the heap, waiting, or done with
  std::vector<u64> open_;
  std::vector<u32> heads_;  // by bit, the last that came to wait for it
  std::vector<u32> awaited_;  // bits with a head
  std::vector<Waiting> waiting_;
  std::vector<u32> released_;
  std::vector<u64> heap_;  // clean brushes by what they can add at most
  std::vector<u8> painted_;

  void add_brushes() {
    std::vector<u32> order(p_.pieces.size());
    for (u32 k = 0; k < order.size(); k++) order[k] = k;
    std::sort(order.begin(), order.end(), [&](u32 a, u32 b) {
      const Piece &x = p_.pieces[a], &y = p_.pieces[b];
      return x.depth != y.depth ? x.depth < y.depth : x.number < y.number;
    });
    HashTable holes, wholes;
    for (u32 piece : order) {
      BitCounts counts[MAX_CHOSEN];
      bool is_blank = true, is_full = true;
      for (u32 d = 0; d < n_chosen_; d++) {
        counts[d] = count_bits_of(p_.bits(piece, d), p_.n_words(d));
        is_blank &= counts[d].shown == 0;
        is_full &= counts[d].shown == p_.area(d);
      }
      for (u32 d = n_chosen_; d < p_.n_demos(); d++)
        for (u32 w = 0; w < p_.n_words(d); w++) {
          const u64 shown = p_.bits(piece, d)[w];
          is_blank &= !shown;
          is_full &= shown == p_.full()[p_.first_word(d) + w];
        }
      if (limits_.modes[SHOWN]) add_brush(piece, SHOWN, counts);
      // Where a piece is right among its zeros follows from where these are.
      const bool is_first = holes.find_or_add(p_.shown_hash(piece), piece) == piece;
      if (limits_.modes[HOLES] && is_first) add_brush(piece, HOLES, counts);
      // What shows everywhere, or nowhere, is painted whole by the other modes.
      if (limits_.modes[WHOLE] && !(is_full && limits_.modes[SHOWN]) && !(is_blank && limits_.modes[HOLES]) &&
          wholes.find_or_add(p_.right_hash(piece), piece) == piece)
        add_brush(piece, WHOLE, counts);
    }
  }
  void add_brush(u32 piece, Mode mode, const BitCounts* counts) {
    Brush brush = {piece, mode, p_.pieces[piece].depth, 0, {}, {}};
    u32 any = 0;
    for (u32 d = 0; d < n_chosen_; d++) {
      const BitCounts& n = counts[d];
      const u32 n_painted = mode == SHOWN ? n.shown : mode == HOLES ? p_.area(d) - n.shown : p_.area(d);
      const u32 n_right = mode == SHOWN ? n.both : mode == HOLES ? n.right - n.both : n.right;
      brush.counts[d] = (u16)n_right;
      if (n_painted == n_right) brush.clean |= (u8)(1u << d);
      any |= n_right;
    }
    if (any) brushes_.push_back(brush);
  }
  // Ranks the cells of a demo by how many brushes paint them and nothing wrong, going by some of those:
  // who waits for a cell that few cover waits long.
  void rank_cells(u32 d) {
    const u32 n = p_.n_words(d);
    std::vector<u32> counts(64 * n, 0), cells;
    const u64 every = brushes_.size() / N_RANKED + 1;
    for (u64 b = 0; b < brushes_.size(); b += every) {
      if (!(brushes_[b].clean >> d & 1)) continue;
      const u64* shown = p_.bits(brushes_[b].piece, d);
      const Paint paint(brushes_[b].mode);
      for (u32 w = 0; w < n; w++)
        for (u64 left = paint(shown[w]) & shown[n + w]; left; left &= left - 1)
          counts[64 * w + (u32)__builtin_ctzll(left)]++;
    }
    for (u32 k = 0; k < p_.area(d); k++) cells.push_back(k);
    std::stable_sort(cells.begin(), cells.end(), [&](u32 a, u32 b) { return counts[a] < counts[b]; });
    for (u32 k = 0; k < cells.size(); k++) {
      // The last rank has half of the cells, the one before it half of the others, and so on.
      u32 rank = 0;
      while (rank + 1 < N_RANKS && (k << (N_RANKS - 1 - rank)) >= cells.size()) rank++;
      ranks_[rank * p_.n_words() + p_.first_word(d) + cells[k] / 64] |= 1ULL << (cells[k] % 64);
    }
  }
  // A bit of a demo that a brush paints wrong among some cells, one that few others cover; NONE where
  // there is none.
  u32 wrong_bit(const Brush& brush, u32 d, const u64* among) const {
    const u32 n = p_.n_words(d), first = p_.first_word(d);
    const u64* shown = p_.bits(brush.piece, d);
    const Paint paint(brush.mode);
    u32 found = NONE, found_rank = N_RANKS;
    for (u32 w = 0; w < n; w++) {
      const u64 wrong = paint(shown[w]) & ~shown[n + w] & among[first + w];
      if (!wrong) continue;
      for (u32 rank = 0; rank < found_rank; rank++)
        if (const u64 bits = wrong & ranks_[rank * p_.n_words() + first + w]) {
          found = 64 * (first + w) + (u32)__builtin_ctzll(bits);
          found_rank = rank;
        }
      if (!found_rank) break;
    }
    return found;
  }
  void group_by_witness(u32 d) {
    const u32 start = 64 * p_.first_word(d);
    Groups& groups = groups_[d];
    groups.starts.assign(64 * p_.n_words(d) + 1, 0);
    for (Brush& brush : brushes_) {
      if (brush.clean >> d & 1) continue;
      brush.witness[d] = (u16)wrong_bit(brush, d, p_.full());
      groups.starts[brush.witness[d] - start + 1]++;
    }
    for (u32 k = 1; k < groups.starts.size(); k++) groups.starts[k] += groups.starts[k - 1];
    groups.brushes.resize(groups.starts.back());
    std::vector<u32> next = groups.starts;
    for (u32 b = 0; b < brushes_.size(); b++)
      if (!(brushes_[b].clean >> d & 1)) groups.brushes[next[brushes_[b].witness[d] - start]++] = b;
  }
  // Brushes by what they can add to a demo, the most first, shallow ones first among equals.
  void order_for(u32 demo) {
    const u32 most = p_.area(demo);
    std::vector<u32> places(most + 2, 0);  // of rows with one count, counts descending
    for (const Brush& brush : brushes_) places[most - brush.counts[demo] + 1]++;
    for (u32 k = 1; k < places.size(); k++) places[k] += places[k - 1];
    rows_.resize(places[most]);
    clean_.resize(places[most]);
    for (u32 b = 0; b < brushes_.size(); b++) {
      const Brush& brush = brushes_[b];
      const u16 count = brush.counts[demo];
      if (!count) continue;
      const u32 place = places[most - count]++;
      rows_[place] = {b, count, brush.depth};
      clean_[place] = brush.clean;
    }
  }
  const Made* made_before(u32 subset, i32 ceiling) const {
    for (const Made& made : made_)
      if (!(made.subset & ~subset) && !(made.wrong & subset) && made.depth <= ceiling && ceiling <= made.ceiling)
        return &made;
    return nullptr;
  }

  // Brushes in the heap: what adds most first, of those the first.
  static u64 key_of(u32 bound, u32 brush) { return (u64)bound << 32 | (u32)~brush; }
  void push(u32 bound, u32 brush) {
    heap_.push_back(key_of(bound, brush));
    std::push_heap(heap_.begin(), heap_.end());
  }
  // The clean brush that may add most, with what it may add; 0 where there is none.
  u64 next_key() {
    const u64 n = rows_.size();
    const u8 *clean = clean_.data(), subset = (u8)subset_;
    while (at_ < n) {
      while (at_ < n && (clean[at_] & subset) != subset) at_++;
      if (at_ == n) break;
      const Row& row = rows_[at_];
      const u64 key = key_of(row.count, row.brush);
      if (!heap_.empty() && heap_.front() > key) break;
      at_++;
      if (row.depth <= ceiling_) return key;
    }
    if (heap_.empty()) return 0;
    std::pop_heap(heap_.begin(), heap_.end());
    const u64 key = heap_.back();
    heap_.pop_back();
    return key;
  }
  // The brush that adds most to the demo and paints nothing wrong in the subset; NONE where none adds
  // anything.
  u32 next_brush() {
    const u32 n_words = p_.n_words(demo_);
    const u64* open = open_.data() + p_.first_word(demo_);
    while (const u64 key = next_key()) {
      n_scanned++;
      const u32 bound = (u32)(key >> 32), number = ~(u32)key;
      const Brush& brush = brushes_[number];
      const Paint paint(brush.mode);
      const u32 gain = count_gain(p_.bits(brush.piece, demo_), open, n_words, paint.flip, paint.all);
      if (gain == bound) return number;
      if (gain) push(gain, number);
    }
    return NONE;
  }

  // Makes a stack that is right in a subset of the demos, each time with what adds most to one of
  // them; returns the depth of its deepest piece, 0 where there is none.
  u8 stack(u32 subset, u32 demo, u8 ceiling) {
    subset_ = subset;
    demo_ = demo;
    ceiling_ = ceiling;
    at_ = 0;
    open_.assign(p_.full(), p_.full() + p_.n_words());
    for (u32 bit : awaited_) heads_[bit] = NONE;
    awaited_.clear();
    waiting_.clear();
    heap_.clear();
    painted_.assign(p_.n_cells(), 0);
    Stack made;
    made.outputs.assign(p_.n_cells(), 0);
    u32 wrong = 0;
    while (made.picks.size() < limits_.n_pieces && is_open(demo)) {
      const u32 brush = next_brush();
      if (brush == NONE) break;
      lay(brushes_[brush], made, wrong);
      offer(made, wrong);
    }
    made_.push_back({subset, wrong, ceiling, made.depth});
    return made.depth;
  }
  bool is_open(u32 demo) const {
    for (u32 w = p_.first_word(demo); w < p_.first_word(demo + 1); w++)
      if (open_[w]) return true;
    return false;
  }
  void lay(const Brush& brush, Stack& made, u32& wrong) {
    made.picks.push_back({brush.piece, brush.mode});
    made.depth = std::max(made.depth, brush.depth);
    released_.clear();
    const Paint paint(brush.mode);
    for (u32 d = 0; d < p_.n_demos(); d++) {
      const u64* shown = p_.bits(brush.piece, d);
      const u32 n = p_.n_words(d), first = p_.first_word(d);
      for (u32 w = 0; w < n; w++) {
        const u64 painted = paint(shown[w]) & open_[first + w];
        if (d < 32 && (painted & ~shown[n + w])) wrong |= 1u << d;
        open_[first + w] &= ~painted;
        if (d < n_chosen_ && (subset_ >> d & 1))
          for (u64 left = painted; left; left &= left - 1)
            release(d, 64 * (first + w) + (u32)__builtin_ctzll(left));
      }
    }
    for (u64 k = 0; k < released_.size(); k++) {
      if (k + AHEAD < released_.size()) prefetch(brushes_[released_[k + AHEAD]]);
      look_at(released_[k]);
    }
    const u8* cells = cells_of_(brush.piece);
    for (u32 k = 0; k < p_.n_cells(); k++) {
      const bool paints = brush.mode == WHOLE || (cells[k] != 0) == (brush.mode == SHOWN);
      if (paints && !painted_[k]) {
        painted_[k] = 1;
        made.outputs[k] = cells[k];
      }
    }
  }
  // Gathers those that waited for a bit: at first each waits in the first demo that it is wrong in.
  void release(u32 d, u32 bit) {
    const Groups& groups = groups_[d];
    const u32 first = bit - 64 * p_.first_word(d), end = groups.starts[first + 1];
    for (u32 k = groups.starts[first]; k < end; k++) {
      if (k + AHEAD < end) __builtin_prefetch(&brushes_[groups.brushes[k + AHEAD]]);
      const Brush& brush = brushes_[groups.brushes[k]];
      const u32 unclean = subset_ & ~(u32)brush.clean;
      if ((u32)__builtin_ctz(unclean) == d && brush.counts[demo_] && brush.depth <= ceiling_)
        released_.push_back(groups.brushes[k]);
    }
    for (u32 at = heads_[bit]; at != NONE; at = waiting_[at].next) released_.push_back(waiting_[at].brush);
  }
  void prefetch(const Brush& brush) const {
    __builtin_prefetch(p_.bits(brush.piece, demo_));
    const u32 unclean = subset_ & ~(u32)brush.clean;
    __builtin_prefetch(p_.bits(brush.piece, (u32)__builtin_ctz(unclean)));
  }
  // Has a brush wait for another bit that it paints wrong, or takes it for clean.
  void look_at(u32 number) {
    n_scanned++;
    const Brush& brush = brushes_[number];
    for (u32 left = subset_ & ~(u32)brush.clean; left; left &= left - 1) {
      const u32 bit = wrong_bit(brush, (u32)__builtin_ctz(left), open_.data());
      if (bit == NONE) continue;
      if (heads_[bit] == NONE) awaited_.push_back(bit);
      waiting_.push_back({number, heads_[bit]});
      heads_[bit] = (u32)waiting_.size() - 1;
      return;
    }
    push(brush.counts[demo_], number);
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
