// One task searched: sizes guessed, values enumerated, outputs put together from them.
#pragma once
#include <memory>

#include "cover.hpp"
#include "last_moves.hpp"
#include "sizes.hpp"

namespace arc {

// So many tuples are made pieces of between two looks at the clock.
constexpr u32 TUPLES_A_LOOK = 64;

// Twins are looked for of so many stacks.
constexpr u32 N_TWINNED = 5;

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
  bool by_open = false;  // the last move is taken first from what shows cells that stacks so far leave open
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

  // Whether a search by the one can go on by the other: they differ in bounds that it has not met.
  bool agrees(const SearchOptions& other) const {
    const auto all = [](const SearchOptions& o) {
      return std::make_tuple(o.depth, o.size_depth, o.size_guess, o.output_sources, o.by_open, o.max_pieces,
                             o.subsets, o.modes, o.max_bytes);
    };
    return all(*this) == all(other) && enabled == other.enabled && max_applications <= other.max_applications;
  }
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
  u32 demos, n_cells;  // as `Pick` has them
};
struct FoundStack {
  Stack stack;
  std::vector<FoundPick> picks;
};

struct SearchCounts {
  u64 n_applications = 0, n_applied_before = 0;  // of moves, now and by the searches that it goes on from
  u64 n_told = 0;                                // of moves now, those that features told without a run
  u64 n_values = 0, n_tuples = 0, n_merged = 0, n_refused = 0;
  u64 n_pieces_offered = 0, n_pieces = 0, n_scanned = 0, n_stacks = 0, n_bytes = 0;
  double size_s = 0, walk_s = 0, pieces_s = 0, cover_s = 0;
  bool was_cut = false;       // more moves, memory or time would find more
  bool was_narrowed = false;  // not all values were taken further, whatever there is of these
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

// A search, which can go on with more moves, or more time, where its bounds ended it.
class Search {
 public:
  Search(const TaskToSearch& task, const SearchOptions& options)
      : task_(task), options_(options), workspace_(2 * max_area(task)), walk_(banks_, workspace_),
        promise_(walk_, targets_) {
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
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  const SearchOptions& options() const { return options_; }
  // Whether more than it has found may come of going on.
  bool can_resume() const { return last_moves_ && walk_.was_cut && !pieces_->was_cut; }
  u64 bytes() const { return walk_.bytes() + (last_moves_ ? last_moves_->bytes() : 0); }

  // Finds what there is within the bounds of the options, which agree with those that it began with.
  SearchResult run(const SearchOptions& options, const std::atomic<bool>& stop) {
    options_ = options;
    spending_ = Spending();
    spending_.max_applications = options.max_applications;
    spending_.max_s = options.max_s;
    spending_.stop = &stop;
    const u64 n_before = walk_.n_applications(), n_told_before = workspace_.n_told;
    double at = thread_s();
    if (!is_begun_) {
      is_begun_ = true;
      spending_.max_bytes = options.walk_bytes();
      find_size();
      found_.counts.size_s = thread_s() - at;
      at = thread_s();
      if (found_.has_size) begin();
    }
    SearchResult result = found_;
    result.counts.n_applied_before = n_before;
    found_.counts.size_s = 0;
    if (found_.has_size) {
      spending_.max_bytes = options.walk_bytes() + options.pieces_bytes();
      if (last_moves_) walk_.was_cut = !last_moves_->run(spending_, *pieces_);
      pieces_->settle_all(*last_);
      result.counts.walk_s = thread_s() - at;
      result.counts.n_told = workspace_.n_told - n_told_before;
      stack(result);
    }
    result.counts.n_applications = walk_.n_applications() - n_before;
    count(result.counts);
    return result;
  }

 private:
  const TaskToSearch task_;
  SearchOptions options_;
  Spending spending_;
  Workspace workspace_;
  std::vector<Bank> banks_;
  LockStep walk_;
  std::vector<Pic> targets_;
  Promise promise_;
  std::vector<u8> enabled_, tints_;
  bool is_begun_ = false;
  SearchResult found_;  // the size, which is found first
  std::unique_ptr<Pieces> pieces_;
  std::unique_ptr<LastDepth> last_;
  std::unique_ptr<LastMoves> last_moves_;  // none where the walk ended before the last depth

  // Of a picture: twice that of the largest grid.
  static u64 max_area(const TaskToSearch& task) {
    u64 largest = 0;
    for (const auto* grids : {&task.inputs, &task.outputs})
      for (const GridCells& grid : *grids) largest = std::max<u64>(largest, grid.cells.size());
    return 2 * largest;
  }
  u32 n_demos() const { return (u32)task_.outputs.size(); }

  // Walks up to the last depth.
  void begin() {
    walk_.clear();
    add_sources(true);
    const u8 stored_depth = options_.depth ? (u8)(options_.depth - 1) : 0;
    walk_.run(stored_depth, (u8)(options_.depth - stored_depth), enabled_, spending_, promise_);
    pieces_ = std::make_unique<Pieces>(banks_, targets_, tints_, options_.pieces_bytes(), workspace_);
    last_ = std::make_unique<LastDepth>(walk_, enabled_, n_demos());
    add_stored(*pieces_, *last_);
    if (!options_.depth || walk_.was_cut) return;
    if (options_.by_open) find_open();
    last_moves_ = std::make_unique<LastMoves>(walk_, *last_, promise_, n_demos(), stored_depth);
  }
  // Finds the cells that the best stack of what is stored leaves open.
  void find_open() {
    pieces_->settle_all(*last_);
    Workspace of_cover(0);
    CoverLimits limits = options_.cover();
    limits.subsets = false;
    const std::vector<u8> none(pieces_->n_cells(), 0);  // of tests, which have no say
    Cover cover(*pieces_, limits, of_cover, [&](u32) { return none.data(); });
    cover.run(spending_);
    const std::vector<u64>& open = cover.least_open();
    if (open.empty()) return;
    std::vector<std::vector<u8>> cells;
    for (u32 d = 0; d < n_demos(); d++) {
      cells.emplace_back(pieces_->area(d));
      for (u32 k = 0; k < cells[d].size(); k++) cells[d][k] = open[pieces_->first_word(d) + k / 64] >> (k % 64) & 1;
    }
    promise_.set_open(std::move(cells));
  }
  // Puts outputs together from the pieces.
  void stack(SearchResult& result) {
    const double at = thread_s();
    const u64 n_applications = walk_.n_applications();
    const Pieces& pieces = *pieces_;
    std::unordered_map<u32, std::vector<u8>> cells;
    Workspace of_cover(0);
    Cover cover(pieces, options_.cover(), of_cover, [&](u32 piece) -> const u8* {
      std::vector<u8>& drawn = cells[piece];
      if (drawn.empty()) drawn = draw_tests(pieces.pieces[piece], pieces, *last_);
      return drawn.data();
    });
    for (Stack& stack : cover.run(spending_)) {
      FoundStack found;
      for (const Pick& pick : stack.picks) {
        const Piece& piece = pieces.pieces[pick.piece];
        found.picks.push_back({last_->path_of(piece.of), piece, pick.mode, pick.demos, pick.n_cells});
      }
      found.stack = std::move(stack);
      result.stacks.push_back(std::move(found));
    }
    add_twins(result.stacks, pieces, *last_);
    workspace_.n_applications = n_applications;  // what wins is computed again, but no move anew
    SearchCounts& counts = result.counts;
    counts.cover_s = thread_s() - at;
    counts.n_pieces = pieces.pieces.size();
    counts.n_pieces_offered = pieces.n_offered;
    counts.n_scanned = cover.n_scanned;
    counts.n_stacks = cover.n_stacks;
    counts.n_bytes = cover.bytes();
    counts.n_merged = last_->n_merged;
    counts.n_refused = last_->n_refused;
    counts.was_cut |= pieces.was_cut || cover.was_cut;
  }

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

  void find_size() {
    SearchResult& result = found_;
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
    if (guesses.size() <= options_.size_guess) return;
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
          const FoundPick& of = stacks[k].picks[at];
          found.picks[at] = {last.path_of(twin.of), twin, of.mode, of.demos, of.n_cells};
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
    counts.n_tuples = walk_.tuples.size();
    counts.n_merged += walk_.n_merged;
    counts.n_refused += walk_.n_refused;
    counts.n_bytes += bytes();
    counts.was_cut |= walk_.was_cut;
    counts.was_narrowed = walk_.was_narrowed;
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
