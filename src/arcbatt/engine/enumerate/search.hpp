// One task searched: sizes guessed, values enumerated, outputs put together from them.
#pragma once
#include "cover.hpp"
#include "last_depth.hpp"
#include "sizes.hpp"

namespace arc {

// So many tuples are made pieces of between two looks at the clock.
constexpr u32 TUPLES_A_LOOK = 64;

// Twins are looked for of so many stacks. The last move is taken by rounds, each of which goes so far down in likelihood; a tuple that shows all
// of the outputs counts so much more than a blank one.
constexpr u32 N_TWINNED = 5;
constexpr i32 TENTHS_A_ROUND = 10, TENTHS_SHOWN = 1000;
// What is taken further so many tuples later is fetched already.
constexpr u32 PARENTS_AHEAD = 3;

// A grid with its own cells.
struct GridCells {
  Size size = {0, 0};
  std::vector<u8> cells;
  Pic picture() const {
    Pic p;
    p.n_rows = size.n_rows;
    p.width = size.width;
    p.cells = cells.data();
    return p;
  }
};

// A source that is given: its grid in each example, and the number of moves that it counts.
struct GivenSource {
  std::vector<GridCells> grids;
  u8 depth;
};

struct TaskToSearch {
  std::vector<GridCells> inputs;   // of the demos, then of the tests
  std::vector<GridCells> outputs;  // of the demos
  std::vector<GivenSource> sources;
};

// More moves than this no memory could hold.
constexpr u32 MAX_WALK_DEPTH = 16;

// How far a search goes, as `EnumerateOptions` in Python, which says what each is and has the defaults.
struct SearchOptions {
  u8 depth = 0;
  u8 size_depth = 0;
  u32 size_guess = 0;  // which of the guesses at the output's size is taken
  bool output_sources = false;
  std::vector<u8> enabled;  // by move
  u32 max_pieces = 0;       // of a stack
  bool subsets = false;
  u32 modes = 0;  // bit m: whether pieces may paint by mode m
  u64 max_applications = 0;
  u64 max_bytes = 0;
  double max_s = 0;
  u32 max_stacks = 0;  // that are handed over

  CoverLimits cover() const {
    CoverLimits limits;
    limits.n_pieces = max_pieces;
    limits.subsets = subsets;
    for (u32 m = 0; m < N_MODES; m++) limits.modes[m] = modes >> m & 1;
    return limits;
  }
  // A third of the memory is for values; pieces have a quarter, since what is stacked from them takes as
  // much again, and arrays that grow are there twice for a moment.
  u64 walk_bytes() const { return max_bytes / 3; }
  u64 pieces_bytes() const { return max_bytes / 4; }
};

// Sources are numbered: the input, blanks of the input's and the output's size, the outputs of the demos
// from here on, and after those what is given.
constexpr u16 SEED_INPUT = 0, SEED_BLANK = 1, SEED_BLANK_OUTPUT = 2, SEED_FIRST_OUTPUT = 3;

struct FoundAxis {
  Path of, plus;  // empty: none
  i32 times = 1, more = 0;
  bool of_width = false;
};
struct FoundPick {
  Path path;
  Piece piece;
  Mode mode;
};
struct FoundStack {
  Stack stack;
  std::vector<FoundPick> picks;
};

struct SearchCounts {
  u64 n_applications = 0, n_values = 0, n_tuples = 0, n_merged = 0, n_refused = 0;
  u64 n_pieces_offered = 0, n_pieces = 0, n_scanned = 0, n_stacks = 0, n_bytes = 0;
  double size_s = 0, walk_s = 0, pieces_s = 0, cover_s = 0;
  bool was_cut = false;
  std::vector<u64> values_by_depth, tuples_by_depth;
};

struct SearchResult {
  bool has_size = false;
  u32 n_sizes_matched = 0;
  FoundAxis rows, columns;
  std::vector<Size> sizes;  // of the tests' outputs
  std::vector<FoundStack> stacks;
  SearchCounts counts;
};

class Search {
 public:
  Search(const TaskToSearch& task, const SearchOptions& options, const std::atomic<bool>& stop)
      : task_(task), options_(options), workspace_(2 * max_area(task)), walk_(banks_, workspace_) {
    spending_.max_applications = options.max_applications;
    spending_.max_bytes = options.walk_bytes();
    spending_.max_s = options.max_s;
    spending_.stop = &stop;
    Limits limits;
    limits.area = (i64)max_area(task);
    limits.list_area = 5 * limits.area;
    banks_.reserve(task.inputs.size());
    for (const GridCells& input : task.inputs) banks_.emplace_back(input.size, limits, workspace_);
    for (const GridCells& output : task.outputs) targets_.push_back(output.picture());
    // Colours that no grid has are not looked for.
    u32 colors = 0;
    for (const auto* grids : {&task.inputs, &task.outputs})
      for (const GridCells& grid : *grids)
        for (u8 cell : grid.cells) colors |= 1u << cell;
    enabled_ = options.enabled;
    for (u32 s = 0; s < N_MOVES; s++)
      if (ALL_MOVES[s].color >= 0 && !(colors >> ALL_MOVES[s].color & 1)) enabled_[s] = 0;
    // Colours of a piece as a whole are those that every output has.
    for (u8 color = 1; color < 10; color++)
      if (std::all_of(task.outputs.begin(), task.outputs.end(), [&](const GridCells& grid) {
            return std::find(grid.cells.begin(), grid.cells.end(), color) != grid.cells.end();
          }))
        tints_.push_back(color);
  }

  SearchResult run() {
    SearchResult result;
    double at = thread_s();
    const bool has_size = find_size(result);
    result.counts.size_s = thread_s() - at;
    at = thread_s();
    if (has_size) {
      walk_.clear();
      add_sources(true);
      const u8 stored_depth = options_.depth ? (u8)(options_.depth - 1) : 0;
      walk_.run(stored_depth, (u8)(options_.depth - stored_depth), enabled_, spending_,
                [this](u32 t) { return promise(t); });
      Pieces pieces(banks_, targets_, tints_, options_.pieces_bytes(), workspace_);
      LastDepth last(walk_, enabled_, n_demos());
      add_stored(pieces, last);
      if (options_.depth && !walk_.was_cut) add_last(last, pieces, stored_depth);
      pieces.settle_all(last);
      result.counts.walk_s = thread_s() - at;
      at = thread_s();
      std::unordered_map<u32, std::vector<u8>> cells;
      Workspace of_cover(0);
      Cover cover(pieces, options_.cover(), of_cover, [&](u32 piece) -> const u8* {
        std::vector<u8>& drawn = cells[piece];
        if (drawn.empty()) drawn = draw_tests(pieces.pieces[piece], pieces, last);
        return drawn.data();
      });
      for (Stack& stack : cover.run(spending_)) {
        FoundStack found;
        for (const Pick& pick : stack.picks) {
          const Piece& piece = pieces.pieces[pick.piece];
          found.picks.push_back({last.path_of(piece.of), piece, pick.mode});
        }
        found.stack = std::move(stack);
        result.stacks.push_back(std::move(found));
      }
      add_twins(result.stacks, pieces, last);
      result.counts.cover_s = thread_s() - at;
      result.counts.n_pieces = pieces.pieces.size();
      result.counts.n_pieces_offered = pieces.n_offered;
      result.counts.n_scanned = cover.n_scanned;
      result.counts.n_stacks = cover.n_stacks;
      result.counts.n_bytes = cover.bytes();
      result.counts.n_merged = last.n_merged;
      result.counts.n_refused = last.n_refused;
      result.counts.was_cut |= pieces.was_cut || cover.was_cut;
    }
    count(result.counts);
    return result;
  }

 private:
  const TaskToSearch& task_;
  const SearchOptions& options_;
  Spending spending_;
  Workspace workspace_;
  std::vector<Bank> banks_;
  LockStep walk_;
  std::vector<Pic> targets_;
  std::vector<u8> enabled_, tints_;

  // Of a picture: twice that of the largest grid.
  static u64 max_area(const TaskToSearch& task) {
    u64 largest = 0;
    for (const auto* grids : {&task.inputs, &task.outputs})
      for (const GridCells& grid : *grids) largest = std::max<u64>(largest, grid.cells.size());
    return 2 * largest;
  }
  u32 n_demos() const { return (u32)task_.outputs.size(); }

  u32 add_blank(u32 e, Size size) {
    const std::vector<u8> zeros((u64)(size.n_rows * size.width), 0);
    Pic p;
    p.n_rows = size.n_rows;
    p.width = size.width;
    p.cells = zeros.data();
    return banks_[e].add(p, 1);
  }
  void add_sources(bool with_output_size) {
    const u32 n = (u32)banks_.size();
    std::vector<u32> ids(n);
    for (u32 e = 0; e < n; e++) ids[e] = banks_[e].add(task_.inputs[e].picture(), 0);
    walk_.add_source(ids.data(), SEED_INPUT, 0);
    for (u32 e = 0; e < n; e++) ids[e] = add_blank(e, banks_[e].input_size());
    walk_.add_source(ids.data(), SEED_BLANK, 1);
    if (with_output_size) {
      for (u32 e = 0; e < n; e++) ids[e] = add_blank(e, banks_[e].output_size());
      walk_.add_source(ids.data(), SEED_BLANK_OUTPUT, 1);
    }
    if (options_.output_sources)
      for (u32 k = 0; k < n_demos(); k++) {
        for (u32 e = 0; e < n; e++)
          // Nobody may copy an answer.
          ids[e] = is_input_of(k, e) ? add_blank(e, task_.outputs[k].size)
                                     : banks_[e].add(task_.outputs[k].picture(), 1);
        walk_.add_source(ids.data(), (u16)(SEED_FIRST_OUTPUT + k), 1);
      }
    for (u32 k = 0; k < task_.sources.size(); k++) {
      const GivenSource& source = task_.sources[k];
      for (u32 e = 0; e < n; e++) ids[e] = banks_[e].add(source.grids[e].picture(), source.depth);
      walk_.add_source(ids.data(), (u16)(SEED_FIRST_OUTPUT + n_demos() + k), source.depth);
    }
  }
  bool is_input_of(u32 demo, u32 example) const {
    const GridCells &a = task_.inputs[demo], &b = task_.inputs[example];
    return a.size == b.size && a.cells == b.cells;
  }

  bool find_size(SearchResult& result) {
    std::vector<Size> outputs;
    for (const GridCells& output : task_.outputs) outputs.push_back(output.size);
    add_sources(false);
    bool is_input = options_.size_guess == 0, is_constant = is_input;
    for (u32 d = 0; d < n_demos(); d++) {
      is_input &= outputs[d] == task_.inputs[d].size;
      is_constant &= outputs[d] == outputs[0];
    }
    // No other formula can be cheaper than these two, and all demos agree.
    if (!is_input && !is_constant) walk_.run(options_.size_depth, 0, enabled_, spending_, [](u32) { return 0.0f; });
    SizeGuesser guesser(walk_, outputs);
    const std::vector<SizeGuess> guesses = guesser.guess(options_.size_guess + 1);
    if (guesses.size() <= options_.size_guess) return false;
    const SizeGuess& guess = guesses[options_.size_guess];
    result.has_size = true;
    result.n_sizes_matched = guess.n_matched;
    result.rows = found(guess.rows);
    result.columns = found(guess.columns);
    for (u32 e = 0; e < banks_.size(); e++) {
      banks_[e].set_output_size(e < n_demos() ? outputs[e] : guess.sizes[e]);
      if (e >= n_demos()) result.sizes.push_back(guess.sizes[e]);
      banks_[e].forget_output_moves();
    }
    return true;
  }
  FoundAxis found(const AxisFormula& formula) const {
    FoundAxis axis;
    if (formula.of != NO_PARENT) axis.of = walk_.path_of(formula.of);
    if (formula.plus != NO_PARENT) axis.plus = walk_.path_of(formula.plus);
    axis.times = formula.times;
    axis.more = formula.more;
    axis.of_width = formula.of_width;
    return axis;
  }

  // How much of the outputs a tuple's values show where they lie: cells that are right less those
  // that are wrong, of those that are not 0.
  float promise(u32 tuple) const {
    float sum = 0;
    for (u32 d = 0; d < n_demos(); d++) {
      const Bank& bank = banks_[d];
      const u32 id = walk_.ids_of(tuple)[d];
      i32 balance = 0;
      if (bank.is_list(id)) {
        for (u32 k = 0; k < bank.n_items(id); k++) balance += balance_of(bank.picture(bank.items(id)[k]), targets_[d]);
      } else {
        balance = balance_of(bank.picture(id), targets_[d]);
      }
      sum += (float)balance / (float)targets_[d].area();
    }
    return sum;
  }
  static i32 balance_of(const Pic& p, const Pic& target) {
    i32 balance = 0;
    const i32 left = std::max(0, -p.column), right = std::min(p.width, target.width - p.column);
    for (i32 i = std::max(0, -p.row); i < p.n_rows && p.row + i < target.n_rows; i++) {
      const u8* from = p.cells + i * p.width;
      const u8* to = target.cells + (p.row + i) * target.width + p.column;
      for (i32 j = left; j < right; j++) balance += from[j] ? (from[j] == to[j] ? 1 : -1) : 0;
    }
    return balance;
  }

  // Makes pieces of the tuples that are stored.
  void add_stored(Pieces& pieces, LastDepth& last) {
    std::vector<Pic> pictures(banks_.size());
    for (u32 t = 0; t < walk_.tuples.size(); t++) {
      if (t % TUPLES_A_LOOK == 0 && spending_.is_out_of_time()) {
        pieces.was_cut = true;
        return;
      }
      if (walk_.tuples[t].is_list) continue;
      for (u32 e = 0; e < banks_.size(); e++) pictures[e] = walk_.picture(t, e);
      pieces.offer({t, NO_MOVE, false}, walk_.tuples[t].depth, pictures.data(), last);
    }
  }
  // A tuple that is to be taken one move further.
  struct Parent {
    u32 tuple;
    i32 tenths;     // what it costs: the less, the more it shows of the outputs
    i32 next_cost;  // of it and its next move
    u32 next;       // of the moves that come after its last one
    u16 last_move, colors;
    bool is_list;
  };
  static constexpr i32 NO_MORE = 0x7fffffff;
  // Takes the last move, by far the most work, which may be cut off: the likeliest pairs of a tuple and
  // a move first.
  void add_last(LastDepth& last, Pieces& pieces, u8 depth) {
    const Priors priors(last.moves());
    std::vector<Parent> parents;
    for (u32 t : walk_.tuples_at(depth)) parents.push_back(parent_of(t, depth));
    std::stable_sort(parents.begin(), parents.end(),
                     [](const Parent& a, const Parent& b) { return a.tenths < b.tenths; });
    u64 n_left = 0;
    for (Parent& parent : parents) {
      find_next(parent, priors);
      n_left += parent.next_cost != NO_MORE;
    }
    for (i32 most = parents.empty() ? 0 : parents[0].tenths; n_left; most += TENTHS_A_ROUND)
      for (u64 k = 0; k < parents.size() && parents[k].tenths <= most; k++) {
        Parent& parent = parents[k];
        if (k + PARENTS_AHEAD < parents.size() && parents[k + PARENTS_AHEAD].next_cost <= most)
          walk_.prefetch(parents[k + PARENTS_AHEAD].tuple, n_demos());
        if (parent.next_cost > most) continue;
        for (; parent.next_cost <= most; find_next(parent, priors)) {
          if (walk_.n_applications() >= spending_.max_applications || pieces.was_cut ||
              walk_.is_spent(spending_, spending_.max_bytes)) {
            walk_.was_cut = true;
            return;
          }
          last.extend(parent.tuple, priors.after(parent.last_move, parent.is_list)[parent.next++], pieces);
        }
        n_left -= parent.next_cost == NO_MORE;
      }
  }
  // Finds the next move after those that a parent was taken further by.
  void find_next(Parent& parent, const Priors& priors) const {
    const std::vector<u16>& moves = priors.after(parent.last_move, parent.is_list);
    for (; parent.next < moves.size(); parent.next++) {
      const u16 move = moves[parent.next];
      // A colour that is nowhere is kept as a blank, which `slab` gives, or dropped without effect.
      const i8 color = ALL_MOVES[move].color;
      if (color >= 0 && !(parent.colors >> color & 1)) continue;
      parent.next_cost = parent.tenths + (i32)priors.tenths(parent.last_move, move);
      return;
    }
    parent.next_cost = NO_MORE;
  }
  Parent parent_of(u32 tuple, u8 depth) const {
    const bool is_source = walk_.tuples[tuple].parent == NO_PARENT;
    Parent parent = {tuple, 0, 0, 0, is_source ? NO_MOVE : walk_.tuples[tuple].move, 0, walk_.tuples[tuple].is_list};
    if (depth > 1) parent.tenths = -(i32)(TENTHS_SHOWN * promise(tuple) / (float)n_demos());
    for (u32 d = 0; d < n_demos(); d++) {
      const u32 id = walk_.ids_of(tuple)[d];
      if (banks_[d].is_list(id)) {
        parent.colors = 0x3ff;
        break;
      }
      const Pic picture = banks_[d].picture(id);
      for (i64 k = 0; k < picture.area(); k++) parent.colors |= (u16)(1u << picture.cells[k]);
    }
    return parent;
  }

  // The cells of a piece in all tests; none where it has none.
  std::vector<u8> draw_tests(const Piece& piece, const Pieces& pieces, LastDepth& last) {
    std::vector<u8> cells;
    std::vector<Pic> tests(pieces.n_tests());
    if (last.make(piece.of, n_demos(), (u32)banks_.size(), tests.data())) {
      cells.resize(pieces.n_cells());
      pieces.draw_tests(piece, tests.data(), cells.data());
    }
    return cells;
  }
  // Adds to the best stacks those in which one piece is another that paints the same in all demos, but
  // not in the tests: which of them is meant the demos do not say.
  void add_twins(std::vector<FoundStack>& stacks, const Pieces& pieces, LastDepth& last) {
    const u64 n_stacks = std::min<u64>(stacks.size(), N_TWINNED);
    std::unordered_map<u32, std::vector<Piece>> twins;
    for (u64 k = 0; k < n_stacks; k++)
      for (const Pick& pick : stacks[k].stack.picks) twins[pick.piece];
    for (u64 k = 0; k < pieces.twins.size(); k++) {
      const auto known = twins.find(pieces.twins[k].piece);
      if (known != twins.end()) known->second.push_back(pieces.twins[k].made);
    }
    std::vector<std::vector<u8>> outputs;
    for (const FoundStack& found : stacks) outputs.push_back(found.stack.outputs);
    for (u64 k = 0; k < n_stacks; k++)
      for (u64 at = 0; at < stacks[k].picks.size(); at++)
        for (const Piece& twin : twins[stacks[k].stack.picks[at].piece]) {
          FoundStack found = stacks[k];
          found.picks[at] = {last.path_of(twin.of), twin, found.picks[at].mode};
          found.stack.depth = std::max(found.stack.depth, twin.depth);
          if (!paint(found, pieces, last)) continue;
          if (std::find(outputs.begin(), outputs.end(), found.stack.outputs) != outputs.end()) continue;
          outputs.push_back(found.stack.outputs);
          stacks.push_back(std::move(found));
        }
  }
  // Makes the outputs of a stack from its picks; false where it covers no test.
  bool paint(FoundStack& found, const Pieces& pieces, LastDepth& last) {
    std::vector<u8> painted(pieces.n_cells(), 0);
    found.stack.outputs.assign(pieces.n_cells(), 0);
    for (const FoundPick& pick : found.picks) {
      const std::vector<u8> cells = draw_tests(pick.piece, pieces, last);
      if (cells.empty()) return false;
      for (u32 c = 0; c < pieces.n_cells(); c++)
        if (!painted[c] && (pick.mode == WHOLE || (cells[c] != 0) == (pick.mode == SHOWN))) {
          painted[c] = 1;
          found.stack.outputs[c] = cells[c];
        }
    }
    bool any = false;
    for (u32 t = 0; t < pieces.n_tests(); t++) {
      const auto from = painted.begin() + pieces.first_cell(t), to = painted.begin() + pieces.first_cell(t + 1);
      found.stack.is_covered[t] = std::find(from, to, 0) == to;
      any |= found.stack.is_covered[t];
    }
    return any;
  }

  void count(SearchCounts& counts) {
    counts.n_applications = walk_.n_applications();
    counts.n_tuples = walk_.tuples.size();
    counts.n_merged += walk_.n_merged;
    counts.n_refused += walk_.n_refused;
    counts.n_bytes += walk_.bytes();
    counts.was_cut |= walk_.was_cut || walk_.was_narrowed;
    for (const Bank& bank : banks_) {
      counts.n_values += bank.n_entries();
      for (u32 id = 0; id < bank.n_entries(); id++) tick(counts.values_by_depth, bank.depth(id));
    }
    for (const Tuple& tuple : walk_.tuples) tick(counts.tuples_by_depth, tuple.depth);
  }
  static void tick(std::vector<u64>& counts, u8 at) {
    if (counts.size() <= at) counts.resize(at + 1u, 0);
    counts[at]++;
  }
};

}  // namespace arc
