// The cover: outputs put together from pieces, laid one under the other, none of which is wrong where
// it paints. Each time the piece is taken that adds most. What a piece can add only falls, so that it is
// counted anew only when it comes to the top; those that are wrong on no open cell any more are found
// many at a time.
#pragma once
#include <array>
#include <functional>
#include <memory>

#include "planes.hpp"

namespace arc {

// What a piece paints: its cells that are not 0, those that are, or all.
enum Mode : u8 { SHOWN, HOLES, WHOLE };
constexpr u32 N_MODES = 3;

struct Pick {
  u32 piece;
  Mode mode;
  u32 demos = 0;    // bit d: it adds cells in demo d
  u32 n_cells = 0;  // that it adds in all demos
};

// A stack of pieces, the uppermost first, with what it gives.
struct Stack {
  std::vector<Pick> picks;
  u32 demos = 0;       // bit d: demo d comes out right
  u32 asked = 0;       // bit d: it was made to be right in demo d; of several such subsets the smallest
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
  Cover(const Pieces& pieces, const CoverLimits& limits, Workspace& workspace, CellsOf cells_of)
      : p_(pieces), limits_(limits), workspace_(workspace), cells_of_(cells_of),
        n_chosen_(std::min(p_.n_demos(), MAX_CHOSEN)), brushes_(workspace), by_place_(workspace), rows_(workspace),
        clean_(workspace) {
    add_brushes();
    rank_cells();
    planes_ = std::make_unique<Planes>(p_, order_, ranked_, n_chosen_, workspace);
  }
  u64 bytes() const {
    return workspace_.bytes() + heap_.capacity() * sizeof(u64) + 2 * first_clean_.capacity() * sizeof(u64);
  }

  // Bits of the cells that those stacks leave open which are wrong in none of the chosen demos, of the
  // stack that leaves fewest; none where one leaves none.
  const std::vector<u64>& least_open() const {
    static const std::vector<u64> none;
    return n_least_open_ ? least_open_ : none;
  }

  // All stacks, the best of each output; the best output first.
  std::vector<Stack> run(const Spending& spending) {
    for (u32 t = 0; t < n_chosen_ && !was_cut; t++) {
      order_for(t);
      made_.clear();
      for (u32 subset = 1; subset < 1u << n_chosen_; subset++) {
        if (!(subset >> t & 1)) continue;
        if (!limits_.subsets && subset + 1 != 1u << n_chosen_) continue;
        find_first_clean(subset);
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
    u8 depth;
    Mode mode : 2;
    u8 clean : MAX_CHOSEN;  // bit d: it paints nothing wrong in demo d
    u16 counts[MAX_CHOSEN];   // by demo, cells that it paints right
  };
  static_assert(sizeof(Brush) == 16);
  // A brush, and the most that it can add to a demo.
  struct Row {
    u32 brush;
    u16 count;
    u8 depth;
  };
  // What there is of a piece by mode.
  struct OfPiece {
    u32 brushes[N_MODES];  // NONE where there is none
    u16 witnesses[2];      // a bit that it paints wrong, if it is one: the last that was found
  };
  // A stack that was made: the same comes of any ceiling from its depth to this one, and of any
  // larger subset of the demos in which it painted nothing wrong.
  struct Made {
    u32 subset, wrong;
    i32 ceiling, depth;
  };
  static constexpr u32 NONE = ~0u;
  static constexpr u16 NO_BIT = 0xffff;
  static constexpr u32 N_RANKED = 1024;
  static constexpr u32 AHEAD = 16;

  const Pieces& p_;
  CoverLimits limits_;
  Workspace& workspace_;
  std::function<const u8*(u32)> cells_of_;
  u32 n_chosen_;            // demos that subsets are taken of
  Chunked<Brush> brushes_;  // shallow ones first
  std::vector<u32> order_;  // the pieces, shallow ones first, then those that came first; a place is one in it
  u32 n_within_[256];       // by depth, how many pieces are no deeper
  Chunked<OfPiece> by_place_;
  std::vector<std::array<u8, 2>> clean_modes_;  // by place and mode, as `Brush::clean`
  std::vector<u32> ranked_;  // bits of cells, those where most pieces are wrong first
  std::unique_ptr<Planes> planes_;
  Chunked<Row> rows_;   // of one demo
  Chunked<u8> clean_;   // of each row, as its brush has it
  std::vector<Made> made_;
  std::unordered_map<u64, std::vector<Stack>> found_;

  // Of the stack that is being made.
  u32 subset_ = 0, demo_ = 0;
  u8 ceiling_ = 0;
  u64 at_ = 0;  // rows before it are in the heap, or done with
  u32 n_blocks_ = 0;  // that have pieces within the ceiling
  std::vector<u64> open_;
  // By block of pieces, those whose cells that are not 0, and then that are, are nowhere wrong: at the
  // start in a subset, and by now.
  std::vector<u64> first_clean_, is_clean_;
  std::vector<u64> asked_;  // cells that are open, of the subset
  std::vector<u32> open_cells_;
  std::vector<u64> heap_;  // clean brushes by what they can add at most
  std::vector<u8> painted_;

  // Of the stack of all chosen demos that leaves fewest cells open.
  std::vector<u64> least_open_;
  u32 n_least_open_ = ~0u;

  void order_pieces() {
    struct Key {
      u64 key;
      u32 piece;
      bool operator<(const Key& other) const { return key < other.key; }
    };
    std::vector<Key> keys(p_.pieces.size());
    for (u32 k = 0; k < keys.size(); k++) keys[k] = {(u64)p_.pieces[k].depth << 32 | p_.pieces[k].number, k};
    std::sort(keys.begin(), keys.end());
    for (const Key& key : keys) order_.push_back(key.piece);
    u32 place = 0;
    for (u32 depth = 0; depth < 256; depth++) {
      while (place < keys.size() && keys[place].key >> 32 <= depth) place++;
      n_within_[depth] = place;
    }
  }
  void add_brushes() {
    order_pieces();
    HashTable holes(workspace_), wholes(workspace_);
    by_place_.resize(order_.size());
    clean_modes_.assign(order_.size(), {});
    for (u32 place = 0; place < order_.size(); place++) {
      const u32 piece = order_[place];
      if (place + AHEAD < order_.size()) {
        const u32 later = order_[place + AHEAD];
        __builtin_prefetch(p_.bits(later, 0));
        holes.prefetch(p_.shown_hash(later));
        wholes.prefetch(p_.right_hash(later));
      }
      by_place_[place] = {{NONE, NONE, NONE}, {NO_BIT, NO_BIT}};
      BitCounts counts[MAX_CHOSEN];
      bool is_blank = true, is_full = true;
      for (u32 d = 0; d < n_chosen_; d++) {
        counts[d] = count_bits_of(p_.bits(piece, d), p_.n_words(d));
        is_blank &= counts[d].shown == 0;
        is_full &= counts[d].shown == p_.area(d);
        const u32 n_holes = p_.area(d) - counts[d].shown, n_holes_right = counts[d].right - counts[d].both;
        clean_modes_[place][SHOWN] |= (u8)((counts[d].shown == counts[d].both) << d);
        clean_modes_[place][HOLES] |= (u8)((n_holes == n_holes_right) << d);
      }
      for (u32 d = n_chosen_; d < p_.n_demos(); d++)
        for (u32 w = 0; w < p_.n_words(d); w++) {
          const u64 shown = p_.bits(piece, d)[w];
          is_blank &= !shown;
          is_full &= shown == p_.full()[p_.first_word(d) + w];
        }
      if (limits_.modes[SHOWN]) add_brush(place, SHOWN, counts);
      // Where a piece is right among its zeros follows from where these are.
      const bool is_first = holes.find_or_add(p_.shown_hash(piece), piece) == piece;
      if (limits_.modes[HOLES] && is_first) add_brush(place, HOLES, counts);
      // What shows everywhere, or nowhere, is painted whole by the other modes.
      if (limits_.modes[WHOLE] && !(is_full && limits_.modes[SHOWN]) && !(is_blank && limits_.modes[HOLES]) &&
          wholes.find_or_add(p_.right_hash(piece), piece) == piece)
        add_brush(place, WHOLE, counts);
    }
  }
  void add_brush(u32 place, Mode mode, const BitCounts* counts) {
    const u32 piece = order_[place];
    Brush brush = {piece, p_.pieces[piece].depth, mode, 0, {}};
    u32 any = 0;
    for (u32 d = 0; d < n_chosen_; d++) {
      const BitCounts& n = counts[d];
      const u32 n_painted = mode == SHOWN ? n.shown : mode == HOLES ? p_.area(d) - n.shown : p_.area(d);
      const u32 n_right = mode == SHOWN ? n.both : mode == HOLES ? n.right - n.both : n.right;
      brush.counts[d] = (u16)n_right;
      if (n_painted == n_right) brush.clean = (u8)((brush.clean | 1u << d) & ((1u << MAX_CHOSEN) - 1));
      any |= n_right;
    }
    if (!any) return;
    by_place_[place].brushes[mode] = (u32)brushes_.size();
    brushes_.push_back(brush);
  }
  // Ranks the cells by how many pieces are wrong there, going by some of those.
  void rank_cells() {
    std::vector<u32> counts(64 * p_.n_words(), 0);
    const u32 n_pieces = (u32)p_.pieces.size(), every = n_pieces / N_RANKED + 1;
    for (u32 d = 0; d < n_chosen_; d++) {
      const u32 n = p_.n_words(d), first = 64 * p_.first_word(d);
      for (u32 k = 0; k < p_.area(d); k++) ranked_.push_back(first + k);
      for (u32 piece = 0; piece < n_pieces; piece += every) {
        const u64* right = p_.bits(piece, d) + n;
        for (u32 k = 0; k < p_.area(d); k++) counts[first + k] += !(right[k / 64] >> (k % 64) & 1);
      }
    }
    std::stable_sort(ranked_.begin(), ranked_.end(), [&](u32 a, u32 b) { return counts[a] > counts[b]; });
  }
  // Brushes by what they can add to a demo, the most first, shallow ones first among equals.
  void order_for(u32 demo) {
    const u32 most = p_.area(demo);
    std::vector<u32> places(most + 2, 0);  // of rows with one count, counts descending
    for (u64 b = 0; b < brushes_.size(); b++) places[most - brushes_[b].counts[demo] + 1]++;
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
    const u8 subset = (u8)subset_;
    while (at_ < n) {
      while (at_ < n && (clean_[at_] & subset) != subset) at_++;
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
    // Deeper pieces are taken for known.
    const u32 n_within = n_within_[ceiling];
    n_blocks_ = (n_within + PLANE_PIECES - 1) / PLANE_PIECES;
    is_clean_.assign(first_clean_.begin(), first_clean_.begin() + n_blocks_ * 2 * PLANE_WORDS);
    for (u32 place = n_within; place < n_blocks_ * PLANE_PIECES; place++)
      for (u32 part : {0u, PLANE_WORDS})
        is_clean_[(n_blocks_ - 1) * 2 * PLANE_WORDS + part + place % PLANE_PIECES / 64] |= 1ULL << (place % 64);
    heap_.clear();
    painted_.assign(p_.n_cells(), 0);
    Stack made;
    made.asked = subset;
    made.outputs.assign(p_.n_cells(), 0);
    u32 wrong = 0;
    while (made.picks.size() < limits_.n_pieces && is_open(demo)) {
      if (!made.picks.empty()) find_clean();
      const u32 brush = next_brush();
      if (brush == NONE) break;
      lay(brushes_[brush], made, wrong);
      offer(made, wrong);
    }
    if (subset + 1 == 1u << n_chosen_) keep_least_open();
    made_.push_back({subset, wrong, ceiling, made.depth});
    return made.depth;
  }
  void keep_least_open() {
    u32 n_open = 0;
    for (u32 w = 0; w < p_.first_word(n_chosen_); w++) n_open += (u32)__builtin_popcountll(open_[w]);
    if (n_open >= n_least_open_) return;
    n_least_open_ = n_open;
    least_open_ = open_;
  }
  bool is_open(u32 demo) const {
    for (u32 w = p_.first_word(demo); w < p_.first_word(demo + 1); w++)
      if (open_[w]) return true;
    return false;
  }
  void lay(const Brush& brush, Stack& made, u32& wrong) {
    Pick pick = {brush.piece, brush.mode};
    made.depth = std::max(made.depth, brush.depth);
    const Paint paint(brush.mode);
    for (u32 d = 0; d < p_.n_demos(); d++) {
      const u64* shown = p_.bits(brush.piece, d);
      const u32 n = p_.n_words(d), first = p_.first_word(d);
      for (u32 w = 0; w < n; w++) {
        const u64 painted = paint(shown[w]) & open_[first + w];
        if (d < 32 && (painted & ~shown[n + w])) wrong |= 1u << d;
        if (d < 32 && painted) pick.demos |= 1u << d;
        pick.n_cells += (u32)__builtin_popcountll(painted);
        open_[first + w] &= ~painted;
      }
    }
    made.picks.push_back(pick);
    const u8* cells = cells_of_(brush.piece);
    for (u32 k = 0; k < p_.n_cells(); k++) {
      const bool paints = brush.mode == WHOLE || (cells[k] != 0) == (brush.mode == SHOWN);
      if (paints && !painted_[k]) {
        painted_[k] = 1;
        made.outputs[k] = cells[k];
      }
    }
  }
  // The pieces that are nowhere wrong in a subset, before anything is covered.
  void find_first_clean(u32 subset) {
    // Places behind the last piece are taken for known.
    first_clean_.assign((u64)planes_->n_blocks() * 2 * PLANE_WORDS, ~0ULL);
    for (u32 place = 0; place < order_.size(); place++) {
      u64* clean = first_clean_.data() + place / PLANE_PIECES * 2 * PLANE_WORDS + place % PLANE_PIECES / 64;
      const u64 bit = 1ULL << (place % 64);
      if (subset & ~(u32)clean_modes_[place][SHOWN]) clean[0] &= ~bit;
      if (subset & ~(u32)clean_modes_[place][HOLES]) clean[PLANE_WORDS] &= ~bit;
    }
  }
  // Takes those brushes into the heap that have become clean.
  void find_clean() {
    asked_ = open_;
    for (u32 d = 0; d < n_chosen_; d++)
      for (u32 w = p_.first_word(d); w < p_.first_word(d + 1) && !(subset_ >> d & 1); w++) asked_[w] = 0;
    open_cells_.clear();
    for (u32 k = 0; k < ranked_.size(); k++)
      if (is_asked(ranked_[k])) open_cells_.push_back(k);
    const u32 n = (u32)open_cells_.size();
    for (u32 block = 0; block < n_blocks_; block++) {
      u64* clean = is_clean_.data() + block * 2 * PLANE_WORDS;
      u64 wrong[2 * PLANE_WORDS];
      std::copy(clean, clean + 2 * PLANE_WORDS, wrong);
      const bool is_whole = find_wrong(planes_->block(block), open_cells_.data(), n, wrong) == n;
      for (u32 w = 0; w < PLANE_WORDS; w++) {
        u64 shown = ~wrong[w], holes = ~wrong[PLANE_WORDS + w];
        if (!(shown | holes)) continue;
        const u32 first = block * PLANE_PIECES + 64 * w;
        if (!is_whole) {
          drop_wrong(shown, first, SHOWN);
          drop_wrong(holes, first, HOLES);
        }
        const u64 whole = (clean[w] | shown) & (clean[PLANE_WORDS + w] | holes);
        for (u64 left = shown; left; left &= left - 1) add_clean(first + (u32)__builtin_ctzll(left), SHOWN);
        for (u64 left = holes; left; left &= left - 1) add_clean(first + (u32)__builtin_ctzll(left), HOLES);
        for (u64 left = whole & (shown | holes); left; left &= left - 1)
          add_clean(first + (u32)__builtin_ctzll(left), WHOLE);
        clean[w] |= shown;
        clean[PLANE_WORDS + w] |= holes;
      }
    }
  }
  bool is_asked(u32 bit) const { return asked_[bit / 64] >> (bit % 64) & 1; }
  // Drops the pieces, of 64 from a place on, that paint a cell wrong which is asked for.
  void drop_wrong(u64& pieces, u32 first, Mode mode) {
    const Paint paint(mode);
    for (u64 left = pieces; left; left &= left - 1) {
      const u32 at = (u32)__builtin_ctzll(left), place = first + at;
      u16& witness = by_place_[place].witnesses[mode];
      bool is_wrong = witness != NO_BIT && is_asked(witness);
      for (u32 d = 0; d < n_chosen_ && !is_wrong; d++) {
        if (!(subset_ >> d & 1)) continue;
        const u64* shown = p_.bits(order_[place], d);
        const u32 n = p_.n_words(d), first_word = p_.first_word(d);
        for (u32 w = 0; w < n && !is_wrong; w++)
          if (const u64 bits = paint(shown[w]) & ~shown[n + w] & asked_[first_word + w]) {
            witness = (u16)(64 * (first_word + w) + (u32)__builtin_ctzll(bits));
            is_wrong = true;
          }
      }
      if (is_wrong) pieces &= ~(1ULL << at);
    }
  }
  void add_clean(u32 place, Mode mode) {
    const u32 number = by_place_[place].brushes[mode];
    if (number == NONE) return;
    const Brush& brush = brushes_[number];
    if (brush.counts[demo_]) push(brush.counts[demo_], number);
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
    for (Stack& other : known)
      if (other.picks.size() == made.picks.size() &&
          std::equal(other.picks.begin(), other.picks.end(), made.picks.begin(),
                     [](const Pick& a, const Pick& b) { return a.piece == b.piece && a.mode == b.mode; })) {
        if (__builtin_popcount(made.asked) < __builtin_popcount(other.asked)) other.asked = made.asked;
        return;
      }
    known.push_back(made);
    std::stable_sort(known.begin(), known.end(),
                     [](const Stack& a, const Stack& b) { return a.score() > b.score(); });
    if (known.size() > limits_.n_kept) known.pop_back();
  }
};

}  // namespace arc
