// The cover assembles outputs from pieces on top of each other, none of which is wrong where it shows.
//
// A stack is built greedily from the top: the next piece is the one that adds most right cells and paints no
// open cell wrong. The gain of a piece only falls, so it is recounted only when the piece reaches the top of a
// heap. Pieces that have become clean, i.e. paint no open cell wrong any more, are found many at a time.
#pragma once
#include <array>
#include <functional>
#include <memory>

#include "planes.hpp"

namespace arc {

// The cells that a piece paints: those that are not 0, those that are, or all.
enum Mode : u8 { SHOWN, HOLES, WHOLE };
constexpr u32 N_MODES = 3;

struct Layer {
  u32 piece;
  Mode mode;
  u32 demos = 0;    // bit d: it adds cells to demo d
  u32 n_cells = 0;  // that it adds to all demos
};

// A stack of pieces, the uppermost first, with its outputs.
struct Stack {
  std::vector<Layer> layers;
  u32 demos = 0;      // bit d: demo d comes out right
  u32 built_for = 0;  // bit d: it was built to get demo d right; the smallest such subset
  u32 n_right = 0;    // demos
  u8 depth = 0;       // of the deepest piece
  std::vector<u8> outputs;     // the cells of all tests
  std::vector<u8> is_covered;  // by test, whether all of its cells are painted
  double score() const { return n_right - 0.1 * depth - 1e-5 * (double)layers.size(); }
};

// Stacks are built for subsets of the first demos.
constexpr u32 MAX_SUBSET_DEMOS = 5;

struct CoverLimits {
  u32 n_pieces = 10;
  bool subsets = true;  // build for proper subsets of the demos, too
  u32 n_stacks_per_output = 3;
  bool modes[N_MODES] = {true, true, true};
};

// The cells that a mode paints, given the bits of cells that are not 0: (shown ^ flip) | all.
struct Paint {
  u64 flip, all;
  explicit Paint(Mode mode) : flip(mode == HOLES ? ~0ULL : 0), all(mode == WHOLE ? ~0ULL : 0) {}
  u64 operator()(u64 shown) const { return (shown ^ flip) | all; }
};

// Counts the open cells that are painted right.
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

  // `cells_of(piece)` returns the cells of a piece in all tests.
  template <class CellsOf>
  Cover(const Pieces& pieces, const CoverLimits& limits, Workspace& workspace, CellsOf cells_of)
      : p_(pieces), limits_(limits), workspace_(workspace), cells_of_(cells_of),
        n_subset_demos_(std::min(p_.n_demos(), MAX_SUBSET_DEMOS)), brushes_(workspace), by_place_(workspace),
        ranked_brushes_(workspace), ranked_clean_(workspace) {
    add_brushes();
    rank_cells();
    planes_ = std::make_unique<Planes>(p_, order_, ranked_cells_, n_subset_demos_, workspace);
  }
  u64 bytes() const {
    return workspace_.bytes() + heap_.capacity() * sizeof(u64) + 2 * first_clean_.capacity() * sizeof(u64);
  }

  // Returns the open cells, as bits, of the stack for all subset demos that leaves the fewest cells open;
  // empty if it leaves none.
  const std::vector<u64>& least_open() const {
    static const std::vector<u64> none;
    return n_least_open_ ? least_open_ : none;
  }

  // Returns the best stacks of each output, the best first.
  std::vector<Stack> run(const SearchBudget& budget) {
    for (u32 t = 0; t < n_subset_demos_ && !was_cut; t++) {
      rank_brushes(t);
      built_.clear();
      for (u32 subset = 1; subset < 1u << n_subset_demos_; subset++) {
        if (!(subset >> t & 1)) continue;
        if (!limits_.subsets && subset + 1 != 1u << n_subset_demos_) continue;
        find_first_clean(subset);
        // Lower the ceiling on depth step by step, below the deepest piece of the last stack.
        for (i32 ceiling = 255; ceiling >= 0;) {
          if (const BuiltStack* known = find_equivalent(subset, ceiling)) {
            ceiling = known->depth - 1;
            continue;
          }
          if (budget.is_out_of_time()) {
            was_cut = true;
            break;
          }
          ceiling = (i32)build(subset, t, (u8)ceiling) - 1;
        }
        if (was_cut) break;
      }
    }
    std::vector<Stack> all;
    for (auto& [hash, stacks] : by_output_)
      for (Stack& each : stacks) all.push_back(std::move(each));
    std::stable_sort(all.begin(), all.end(), [](const Stack& a, const Stack& b) {
      return a.score() != b.score() ? a.score() > b.score() : a.outputs < b.outputs;
    });
    return all;
  }

 private:
  // A piece with a mode.
  struct Brush {
    u32 piece;
    u8 depth;
    Mode mode : 2;
    u8 clean : MAX_SUBSET_DEMOS;  // bit d: it paints nothing wrong in demo d
    u16 counts[MAX_SUBSET_DEMOS];  // by demo, the cells that it paints right
  };
  static_assert(sizeof(Brush) == 16);
  // A brush, and the most cells that it can add to a demo.
  struct RankedBrush {
    u32 brush;
    u16 count;
    u8 depth;
  };
  // The brushes of a piece by mode.
  struct PieceBrushes {
    u32 brushes[N_MODES];  // NONE: no such brush
    u16 witnesses[2];      // by mode SHOWN and HOLES, the last cell seen that it paints wrong
  };
  // A stack that was built. Every ceiling from its depth to this one gives the same stack, and so does every
  // larger subset without demos that it painted wrong.
  struct BuiltStack {
    u32 subset, wrong;
    i32 ceiling, depth;
  };
  static constexpr u32 NONE = ~0u;
  static constexpr u16 NO_BIT = 0xffff;
  static constexpr u32 N_SAMPLED_PIECES = 1024;
  static constexpr u32 PREFETCH_DISTANCE = 16;

  const Pieces& p_;
  CoverLimits limits_;
  Workspace& workspace_;
  std::function<const u8*(u32)> cells_of_;
  u32 n_subset_demos_;
  Chunked<Brush> brushes_;  // shallow ones first
  std::vector<u32> order_;  // the pieces by depth and order; a place is an index into it
  u32 n_within_[256];       // by depth, the number of pieces that are no deeper
  Chunked<PieceBrushes> by_place_;
  std::vector<std::array<u8, 2>> clean_modes_;  // by place and mode, as in `Brush::clean`
  std::vector<u32> ranked_cells_;  // bits of cells, those where most pieces are wrong first
  std::unique_ptr<Planes> planes_;
  Chunked<RankedBrush> ranked_brushes_;  // for one demo, by falling count
  Chunked<u8> ranked_clean_;             // of each, as in its brush
  std::vector<BuiltStack> built_;
  std::unordered_map<u64, std::vector<Stack>> by_output_;

  // The state of the stack that is being built.
  u32 subset_ = 0, demo_ = 0;
  u8 ceiling_ = 0;
  u64 next_ranked_ = 0;  // ranked brushes before it were tried or are in the heap
  u32 n_blocks_ = 0;     // with pieces within the ceiling
  std::vector<u64> open_;
  // By block of pieces, those that are clean by mode SHOWN, then by HOLES: at the start in a subset, and now.
  std::vector<u64> first_clean_, is_clean_;
  std::vector<u64> wanted_;  // open cells of the subset
  std::vector<u32> open_cells_;
  std::vector<u64> heap_;  // clean brushes by an upper bound of their gain
  std::vector<u8> painted_;

  // The stack for all subset demos that leaves the fewest cells open.
  std::vector<u64> least_open_;
  u32 n_least_open_ = ~0u;

  void order_pieces() {
    struct SortKey {
      u64 key;
      u32 piece;
      bool operator<(const SortKey& other) const { return key < other.key; }
    };
    std::vector<SortKey> keys(p_.pieces.size());
    for (u32 k = 0; k < keys.size(); k++) keys[k] = {(u64)p_.pieces[k].depth << 32 | p_.pieces[k].order, k};
    std::sort(keys.begin(), keys.end());
    for (const SortKey& key : keys) order_.push_back(key.piece);
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
      if (place + PREFETCH_DISTANCE < order_.size()) {
        const u32 later = order_[place + PREFETCH_DISTANCE];
        __builtin_prefetch(p_.bits(later, 0));
        holes.prefetch(p_.shown_hash(later));
        wholes.prefetch(p_.right_hash(later));
      }
      by_place_[place] = {{NONE, NONE, NONE}, {NO_BIT, NO_BIT}};
      BitCounts counts[MAX_SUBSET_DEMOS];
      bool is_blank = true, is_full = true;
      for (u32 d = 0; d < n_subset_demos_; d++) {
        counts[d] = count_bits_of(p_.bits(piece, d), p_.n_words(d));
        is_blank &= counts[d].shown == 0;
        is_full &= counts[d].shown == p_.area(d);
        const u32 n_holes = p_.area(d) - counts[d].shown, n_holes_right = counts[d].right - counts[d].both;
        clean_modes_[place][SHOWN] |= (u8)((counts[d].shown == counts[d].both) << d);
        clean_modes_[place][HOLES] |= (u8)((n_holes == n_holes_right) << d);
      }
      for (u32 d = n_subset_demos_; d < p_.n_demos(); d++)
        for (u32 w = 0; w < p_.n_words(d); w++) {
          const u64 shown = p_.bits(piece, d)[w];
          is_blank &= !shown;
          is_full &= shown == p_.full()[p_.first_word(d) + w];
        }
      if (limits_.modes[SHOWN]) add_brush(place, SHOWN, counts);
      // The zeros of a piece determine where they are right.
      const bool is_first = holes.find_or_add(p_.shown_hash(piece), piece) == piece;
      if (limits_.modes[HOLES] && is_first) add_brush(place, HOLES, counts);
      // A piece that is 0 nowhere, or everywhere, is painted whole by the other modes.
      if (limits_.modes[WHOLE] && !(is_full && limits_.modes[SHOWN]) && !(is_blank && limits_.modes[HOLES]) &&
          wholes.find_or_add(p_.right_hash(piece), piece) == piece)
        add_brush(place, WHOLE, counts);
    }
  }
  void add_brush(u32 place, Mode mode, const BitCounts* counts) {
    const u32 piece = order_[place];
    Brush brush = {piece, p_.pieces[piece].depth, mode, 0, {}};
    u32 any = 0;
    for (u32 d = 0; d < n_subset_demos_; d++) {
      const BitCounts& n = counts[d];
      const u32 n_painted = mode == SHOWN ? n.shown : mode == HOLES ? p_.area(d) - n.shown : p_.area(d);
      const u32 n_right = mode == SHOWN ? n.both : mode == HOLES ? n.right - n.both : n.right;
      brush.counts[d] = (u16)n_right;
      if (n_painted == n_right) brush.clean = (u8)((brush.clean | 1u << d) & ((1u << MAX_SUBSET_DEMOS) - 1));
      any |= n_right;
    }
    if (!any) return;
    by_place_[place].brushes[mode] = (u32)brushes_.size();
    brushes_.push_back(brush);
  }
  // Ranks the cells by the number of wrong pieces, in a sample of about N_SAMPLED_PIECES.
  void rank_cells() {
    std::vector<u32> counts(64 * p_.n_words(), 0);
    const u32 n_pieces = (u32)p_.pieces.size(), every = n_pieces / N_SAMPLED_PIECES + 1;
    for (u32 d = 0; d < n_subset_demos_; d++) {
      const u32 n = p_.n_words(d), first = 64 * p_.first_word(d);
      for (u32 k = 0; k < p_.area(d); k++) ranked_cells_.push_back(first + k);
      for (u32 piece = 0; piece < n_pieces; piece += every) {
        const u64* right = p_.bits(piece, d) + n;
        for (u32 k = 0; k < p_.area(d); k++) counts[first + k] += !(right[k / 64] >> (k % 64) & 1);
      }
    }
    std::stable_sort(ranked_cells_.begin(), ranked_cells_.end(), [&](u32 a, u32 b) { return counts[a] > counts[b]; });
  }
  // Sorts the brushes by the cells that they can add to a demo, shallow ones first among equals.
  void rank_brushes(u32 demo) {
    const u32 most = p_.area(demo);
    std::vector<u32> places(most + 2, 0);  // by falling count, the index of the next brush
    for (u64 b = 0; b < brushes_.size(); b++) places[most - brushes_[b].counts[demo] + 1]++;
    for (u32 k = 1; k < places.size(); k++) places[k] += places[k - 1];
    ranked_brushes_.resize(places[most]);
    ranked_clean_.resize(places[most]);
    for (u32 b = 0; b < brushes_.size(); b++) {
      const Brush& brush = brushes_[b];
      const u16 count = brush.counts[demo];
      if (!count) continue;
      const u32 place = places[most - count]++;
      ranked_brushes_[place] = {b, count, brush.depth};
      ranked_clean_[place] = brush.clean;
    }
  }
  const BuiltStack* find_equivalent(u32 subset, i32 ceiling) const {
    for (const BuiltStack& built : built_)
      if (!(built.subset & ~subset) && !(built.wrong & subset) && built.depth <= ceiling && ceiling <= built.ceiling)
        return &built;
    return nullptr;
  }

  // The heap is ordered by the bound, then by the number of the brush.
  static u64 key_of(u32 bound, u32 brush) { return (u64)bound << 32 | (u32)~brush; }
  void push(u32 bound, u32 brush) {
    heap_.push_back(key_of(bound, brush));
    std::push_heap(heap_.begin(), heap_.end());
  }
  // Returns the key of the clean brush with the largest bound; 0 if there is none.
  u64 next_key() {
    const u64 n = ranked_brushes_.size();
    const u8 subset = (u8)subset_;
    while (next_ranked_ < n) {
      while (next_ranked_ < n && (ranked_clean_[next_ranked_] & subset) != subset) next_ranked_++;
      if (next_ranked_ == n) break;
      const RankedBrush& row = ranked_brushes_[next_ranked_];
      const u64 key = key_of(row.count, row.brush);
      if (!heap_.empty() && heap_.front() > key) break;
      next_ranked_++;
      if (row.depth <= ceiling_) return key;
    }
    if (heap_.empty()) return 0;
    std::pop_heap(heap_.begin(), heap_.end());
    const u64 key = heap_.back();
    heap_.pop_back();
    return key;
  }
  // Returns the clean brush that adds most cells to the demo; NONE if none adds any.
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

  // Builds a stack for a subset of the demos, each time with the brush that adds most to one of them; returns
  // the depth of its deepest piece, 0 if it has none.
  u8 build(u32 subset, u32 demo, u8 ceiling) {
    subset_ = subset;
    demo_ = demo;
    ceiling_ = ceiling;
    next_ranked_ = 0;
    open_.assign(p_.full(), p_.full() + p_.n_words());
    // Pieces beyond the ceiling count as clean already, so that they are not found again.
    const u32 n_within = n_within_[ceiling];
    n_blocks_ = (n_within + PLANE_PIECES - 1) / PLANE_PIECES;
    is_clean_.assign(first_clean_.begin(), first_clean_.begin() + n_blocks_ * 2 * PLANE_WORDS);
    for (u32 place = n_within; place < n_blocks_ * PLANE_PIECES; place++)
      for (u32 part : {0u, PLANE_WORDS})
        is_clean_[(n_blocks_ - 1) * 2 * PLANE_WORDS + part + place % PLANE_PIECES / 64] |= 1ULL << (place % 64);
    heap_.clear();
    painted_.assign(p_.n_cells(), 0);
    Stack built;
    built.built_for = subset;
    built.outputs.assign(p_.n_cells(), 0);
    u32 wrong = 0;
    while (built.layers.size() < limits_.n_pieces && is_open(demo)) {
      if (!built.layers.empty()) find_clean();
      const u32 brush = next_brush();
      if (brush == NONE) break;
      lay(brushes_[brush], built, wrong);
      record(built, wrong);
    }
    if (subset + 1 == 1u << n_subset_demos_) keep_least_open();
    built_.push_back({subset, wrong, ceiling, built.depth});
    return built.depth;
  }
  void keep_least_open() {
    u32 n_open = 0;
    for (u32 w = 0; w < p_.first_word(n_subset_demos_); w++) n_open += (u32)__builtin_popcountll(open_[w]);
    if (n_open >= n_least_open_) return;
    n_least_open_ = n_open;
    least_open_ = open_;
  }
  bool is_open(u32 demo) const {
    for (u32 w = p_.first_word(demo); w < p_.first_word(demo + 1); w++)
      if (open_[w]) return true;
    return false;
  }
  void lay(const Brush& brush, Stack& built, u32& wrong) {
    Layer layer = {brush.piece, brush.mode};
    built.depth = std::max(built.depth, brush.depth);
    const Paint paint(brush.mode);
    for (u32 d = 0; d < p_.n_demos(); d++) {
      const u64* shown = p_.bits(brush.piece, d);
      const u32 n = p_.n_words(d), first = p_.first_word(d);
      for (u32 w = 0; w < n; w++) {
        const u64 painted = paint(shown[w]) & open_[first + w];
        if (d < 32 && (painted & ~shown[n + w])) wrong |= 1u << d;
        if (d < 32 && painted) layer.demos |= 1u << d;
        layer.n_cells += (u32)__builtin_popcountll(painted);
        open_[first + w] &= ~painted;
      }
    }
    built.layers.push_back(layer);
    const u8* cells = cells_of_(brush.piece);
    for (u32 k = 0; k < p_.n_cells(); k++) {
      const bool paints = brush.mode == WHOLE || (cells[k] != 0) == (brush.mode == SHOWN);
      if (paints && !painted_[k]) {
        painted_[k] = 1;
        built.outputs[k] = cells[k];
      }
    }
  }
  // Finds the pieces that are clean in a subset before anything is covered.
  void find_first_clean(u32 subset) {
    // Places after the last piece count as clean already.
    first_clean_.assign((u64)planes_->n_blocks() * 2 * PLANE_WORDS, ~0ULL);
    for (u32 place = 0; place < order_.size(); place++) {
      u64* clean = first_clean_.data() + place / PLANE_PIECES * 2 * PLANE_WORDS + place % PLANE_PIECES / 64;
      const u64 bit = 1ULL << (place % 64);
      if (subset & ~(u32)clean_modes_[place][SHOWN]) clean[0] &= ~bit;
      if (subset & ~(u32)clean_modes_[place][HOLES]) clean[PLANE_WORDS] &= ~bit;
    }
  }
  // Adds the brushes that have become clean to the heap.
  void find_clean() {
    wanted_ = open_;
    for (u32 d = 0; d < n_subset_demos_; d++)
      for (u32 w = p_.first_word(d); w < p_.first_word(d + 1) && !(subset_ >> d & 1); w++) wanted_[w] = 0;
    open_cells_.clear();
    for (u32 k = 0; k < ranked_cells_.size(); k++)
      if (is_wanted(ranked_cells_[k])) open_cells_.push_back(k);
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
  bool is_wanted(u32 bit) const { return wanted_[bit / 64] >> (bit % 64) & 1; }
  // Drops those of 64 pieces from a place on that paint a wanted cell wrong.
  void drop_wrong(u64& pieces, u32 first, Mode mode) {
    const Paint paint(mode);
    for (u64 left = pieces; left; left &= left - 1) {
      const u32 at = (u32)__builtin_ctzll(left), place = first + at;
      u16& witness = by_place_[place].witnesses[mode];
      bool is_wrong = witness != NO_BIT && is_wanted(witness);
      for (u32 d = 0; d < n_subset_demos_ && !is_wrong; d++) {
        if (!(subset_ >> d & 1)) continue;
        const u64* shown = p_.bits(order_[place], d);
        const u32 n = p_.n_words(d), first_word = p_.first_word(d);
        for (u32 w = 0; w < n && !is_wrong; w++)
          if (const u64 bits = paint(shown[w]) & ~shown[n + w] & wanted_[first_word + w]) {
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
  // Records a stack if it covers a test and gets a demo right.
  void record(Stack& built, u32 wrong) {
    built.is_covered.assign(p_.n_tests(), 1);
    bool any = false;
    for (u32 t = 0; t < p_.n_tests(); t++) {
      for (u32 k = p_.first_cell(t); k < p_.first_cell(t + 1) && built.is_covered[t]; k++)
        built.is_covered[t] = painted_[k];
      any |= built.is_covered[t];
    }
    if (!any) return;
    built.demos = 0;
    for (u32 d = 0; d < p_.n_demos() && d < 32; d++) {
      bool is_right = !(wrong >> d & 1);
      for (u32 w = p_.first_word(d); w < p_.first_word(d + 1) && is_right; w++) is_right = !open_[w];
      built.demos |= (u32)is_right << d;
    }
    built.n_right = (u32)__builtin_popcount(built.demos);
    if (!built.n_right) return;
    n_stacks++;
    const u64 hash = hash_bytes(built.outputs.data(), built.outputs.size(),
                                hash_bytes(built.is_covered.data(), built.is_covered.size(), HASH_K1));
    std::vector<Stack>& known = by_output_[hash];
    for (Stack& other : known)
      if (other.layers.size() == built.layers.size() &&
          std::equal(other.layers.begin(), other.layers.end(), built.layers.begin(),
                     [](const Layer& a, const Layer& b) { return a.piece == b.piece && a.mode == b.mode; })) {
        if (__builtin_popcount(built.built_for) < __builtin_popcount(other.built_for))
          other.built_for = built.built_for;
        return;
      }
    known.push_back(built);
    std::stable_sort(known.begin(), known.end(),
                     [](const Stack& a, const Stack& b) { return a.score() > b.score(); });
    if (known.size() > limits_.n_stacks_per_output) known.pop_back();
  }
};

}  // namespace arc
