// The search of one task: guess the output's size, enumerate values, assemble outputs from them.
#pragma once
#include <memory>

#include "cover.hpp"
#include "last_move_schedule.hpp"
#include "piece_trees.hpp"
#include "size_guesser.hpp"

namespace arc {

// The stored tuples that become pieces between two checks of the clock.
constexpr u32 TUPLES_PER_CHECK = 64;

// The best stacks get variants with twins of their pieces.
constexpr u32 N_STACKS_WITH_TWINS = 5;

// A grid that owns its cells.
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

// A further source: its grid in each example, and the number of moves that it counts as.
struct ExtraSource {
  std::vector<GridCells> grids;
  u8 depth;
};

struct SearchTask {
  std::vector<GridCells> inputs;   // of the demos, then of the tests
  std::vector<GridCells> outputs;  // of the demos
  std::vector<ExtraSource> sources;
};

// The most memory of a search: 7/12 of it are for values and pieces, whose places are counted in 32 bits.
constexpr u64 MAX_SEARCH_BYTES = 6ULL << 30;

// No memory would hold the values of deeper walks.
constexpr u32 MAX_WALK_DEPTH = 16;

// The bounds of a search. `EnumerateOptions` in Python explains them and has the defaults.
struct SearchOptions {
  u8 depth = 0;
  u8 size_depth = 0;
  bool output_sources = false;
  bool open_cells_first = false;
  bool grow_trees = false;    // over the pieces, instead of stacking them
  std::vector<u8> enabled;  // by move
  u32 max_pieces = 0;       // of a stack
  bool subsets = false;
  u32 modes = 0;  // bit m: pieces may paint by mode m
  u64 max_applications = 0;
  u64 max_bytes = 0;
  double max_s = 0;
  u32 max_stacks = 0;  // that are returned

  CoverLimits cover() const {
    CoverLimits limits;
    limits.n_pieces = max_pieces;
    limits.subsets = subsets;
    for (u32 m = 0; m < N_MODES; m++) limits.modes[m] = modes >> m & 1;
    return limits;
  }
  // A third of the memory is for values. Pieces have a quarter: the cover takes as much again, and growing
  // arrays exist twice for a moment.
  u64 walk_bytes() const { return max_bytes / 3; }
  u64 pieces_bytes() const { return max_bytes / 4; }

  // Returns whether a search with these options can be resumed with others: only bounds on moves, time and
  // stacks may differ, and there must not be fewer moves.
  bool can_resume_with(const SearchOptions& other) const {
    const auto all = [](const SearchOptions& o) {
      return std::make_tuple(o.depth, o.size_depth, o.output_sources, o.open_cells_first, o.grow_trees,
                             o.max_pieces, o.subsets, o.modes, o.max_bytes);
    };
    return all(*this) == all(other) && enabled == other.enabled && max_applications <= other.max_applications;
  }
};

// The numbers of sources: the input, blanks of the input's and the output's size, the outputs of the demos,
// then the further sources of the task.
constexpr u16 SOURCE_INPUT = 0, SOURCE_BLANK = 1, SOURCE_BLANK_OUTPUT = 2, SOURCE_FIRST_OUTPUT = 3;

struct AxisResult {
  Path factor, summand;  // empty: none
  i32 times = 1, plus = 0;
  bool uses_width = false;
};
struct LayerResult {
  Path path;
  Piece piece;
  Mode mode;
  u32 demos, n_cells;  // as in `Layer`
};
struct StackResult {
  Stack stack;
  std::vector<LayerResult> layers;
};

// A value that trees test or copy.
struct TreeValueResult {
  Path path;
  bool to_origin, pasted;
};

struct SearchCounts {
  u64 n_applications = 0, n_applied_before = 0;  // of moves, in this run and in those that it resumes
  u64 n_predicted = 0;                           // of n_applications, those predicted from features
  u64 n_values = 0, n_tuples = 0, n_merged = 0, n_refused = 0;
  u64 n_pieces_offered = 0, n_pieces = 0, n_scanned = 0, n_stacks = 0, n_bytes = 0;
  double size_s = 0, walk_s = 0, cover_s = 0;
  bool was_cut = false;       // more moves, memory or time may find more
  bool was_narrowed = false;  // the beam left values out, whatever the bounds
  std::vector<u64> values_by_depth, tuples_by_depth;
};

struct SearchResult {
  bool has_size = false;
  u32 n_sizes_matched = 0;
  AxisResult rows, columns;
  std::vector<Size> sizes;  // of the tests' outputs
  std::vector<StackResult> stacks;
  std::vector<PieceTree> trees;
  std::vector<TreeValueResult> tree_values;  // that the nodes of trees refer to
  SearchCounts counts;
};

// A search that can be resumed with more moves or time where its bounds ended it.
class Search {
 public:
  Search(const SearchTask& task, const SearchOptions& options)
      : task_(task), options_(options), workspace_(2 * max_area(task)), walk_(banks_, workspace_),
        score_(walk_, targets_) {
    ValueLimits limits;
    limits.area = (i64)max_area(task);
    limits.list_area = 5 * limits.area;
    banks_.reserve(task.inputs.size());
    for (const GridCells& input : task.inputs) banks_.emplace_back(input.size, limits, workspace_);
    for (const GridCells& output : task.outputs) targets_.push_back(output.picture());
    // Moves on colors that no grid has are off.
    u32 colors = 0;
    for (const auto* grids : {&task.inputs, &task.outputs})
      for (const GridCells& grid : *grids)
        for (u8 cell : grid.cells) colors |= 1u << cell;
    enabled_ = options.enabled;
    for (u32 s = 0; s < N_MOVES; s++)
      if (ALL_MOVES[s].color >= 0 && !(colors >> ALL_MOVES[s].color & 1)) enabled_[s] = 0;
    // Pieces are tinted in the colors that every output has.
    for (u8 color = 1; color < 10; color++)
      if (std::all_of(task.outputs.begin(), task.outputs.end(), [&](const GridCells& grid) {
            return std::find(grid.cells.begin(), grid.cells.end(), color) != grid.cells.end();
          }))
        tints_.push_back(color);
  }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  const SearchOptions& options() const { return options_; }
  // Returns whether resuming may find more.
  bool can_resume() const { return schedule_ && walk_.was_cut && !pieces_->was_cut; }
  u64 bytes() const { return walk_.bytes() + schedule_bytes(); }
  // The memory that the search holds until it is deleted, more than it uses.
  u64 held_bytes() const { return workspace_.held_bytes() + walk_.own_bytes() + schedule_bytes(); }

  // Starts or resumes the search; the options must allow it (`can_resume_with`).
  SearchResult run(const SearchOptions& options, const std::atomic<bool>& stop) {
    options_ = options;
    budget_ = SearchBudget();
    budget_.max_applications = options.max_applications;
    budget_.max_s = options.max_s;
    budget_.stop = &stop;
    const u64 n_before = walk_.n_applications(), n_predicted_before = workspace_.n_predicted;
    double at = thread_s();
    if (!has_begun_) {
      has_begun_ = true;
      budget_.max_bytes = options.walk_bytes();
      find_size();
      size_result_.counts.size_s = thread_s() - at;
      at = thread_s();
      if (size_result_.has_size && !options.grow_trees) begin();
    }
    SearchResult result = size_result_;
    result.counts.n_applied_before = n_before;
    size_result_.counts.size_s = 0;
    if (size_result_.has_size && options.grow_trees) {
      grow_trees(result);
      result.counts.n_predicted = workspace_.n_predicted - n_predicted_before;
    } else if (size_result_.has_size) {
      budget_.max_bytes = options.walk_bytes() + options.pieces_bytes();
      if (schedule_) walk_.was_cut = !schedule_->run(budget_, *pieces_);
      pieces_->flush(*last_);
      result.counts.walk_s = thread_s() - at;
      result.counts.n_predicted = workspace_.n_predicted - n_predicted_before;
      assemble(result);
    }
    result.counts.n_applications = walk_.n_applications() - n_before;
    count(result.counts);
    return result;
  }

 private:
  u64 schedule_bytes() const { return schedule_ ? schedule_->bytes() : 0; }

  const SearchTask task_;
  SearchOptions options_;
  SearchBudget budget_;
  Workspace workspace_;
  std::vector<Bank> banks_;
  TupleWalk walk_;
  std::vector<Pic> targets_;
  TupleScore score_;
  std::vector<u8> enabled_, tints_;
  bool has_begun_ = false;
  SearchResult size_result_;  // the size, which all runs share
  std::unique_ptr<Pieces> pieces_;
  std::unique_ptr<LastDepth> last_;
  std::unique_ptr<LastMoveSchedule> schedule_;  // null if the walk ended before the last depth

  // The largest area of a picture: twice that of the largest grid.
  static u64 max_area(const SearchTask& task) {
    u64 largest = 0;
    for (const auto* grids : {&task.inputs, &task.outputs})
      for (const GridCells& grid : *grids) largest = std::max<u64>(largest, grid.cells.size());
    return 2 * largest;
  }
  u32 n_demos() const { return (u32)task_.outputs.size(); }

  u8 stored_depth() const { return options_.depth ? (u8)(options_.depth - 1) : 0; }
  // Walks up to the last depth.
  void walk_stored() {
    walk_.clear();
    add_sources(true);
    walk_.run(stored_depth(), (u8)(options_.depth - stored_depth()), enabled_, budget_, score_);
  }
  // Walks up to the last depth, which is left to the schedule.
  void begin() {
    walk_stored();
    pieces_ = std::make_unique<Pieces>(banks_, targets_, tints_, options_.pieces_bytes(), workspace_);
    last_ = std::make_unique<LastDepth>(walk_, enabled_, n_demos());
    pieces_->was_cut |= !offer_stored(*pieces_, *last_);
    if (!options_.depth || walk_.was_cut) return;
    if (options_.open_cells_first) score_open_cells();
    schedule_ = std::make_unique<LastMoveSchedule>(walk_, *last_, score_, n_demos(), stored_depth());
  }
  // Restricts the score to the cells that the best stack of stored tuples leaves open.
  void score_open_cells() {
    pieces_->flush(*last_);
    Workspace of_cover(0);
    CoverLimits limits = options_.cover();
    limits.subsets = false;
    const std::vector<u8> none(pieces_->n_cells(), 0);  // cells of tests, which do not matter here
    Cover cover(*pieces_, limits, of_cover, [&](u32) { return none.data(); });
    cover.run(budget_);
    const std::vector<u64>& open = cover.least_open();
    if (open.empty()) return;
    std::vector<std::vector<u8>> cells;
    for (u32 d = 0; d < n_demos(); d++) {
      cells.emplace_back(pieces_->area(d));
      for (u32 k = 0; k < cells[d].size(); k++) cells[d][k] = open[pieces_->first_word(d) + k / 64] >> (k % 64) & 1;
    }
    score_.set_open(std::move(cells));
  }
  // Grows trees over the values of all depths.
  void grow_trees(SearchResult& result) {
    double at = thread_s();
    budget_.max_bytes = options_.walk_bytes();
    walk_stored();
    DrawnValues values(banks_, n_demos(), options_.pieces_bytes(), workspace_);
    LastDepth last(walk_, enabled_, n_demos());
    bool is_whole = !walk_.was_cut && offer_stored(values, last);
    if (options_.depth) is_whole = is_whole && extend_stored(values, last);
    SearchCounts& counts = result.counts;
    counts.was_cut = values.was_cut || !is_whole;
    counts.n_pieces = values.values.size();
    counts.n_merged = last.n_merged;
    counts.n_refused = last.n_refused;
    counts.walk_s = thread_s() - at;
    at = thread_s();
    TreeGrower grower(values, targets_);
    result.trees = grower.grow(budget_);
    counts.was_cut |= grower.was_cut;
    counts.n_bytes = values.bytes() + grower.bytes();
    std::unordered_map<u32, i32> numbers;
    for (PieceTree& tree : result.trees)
      for (TreeNode& node : tree.nodes) {
        if (node.value < 0) continue;
        const DrawnValue& value = values.values[(u32)node.value];
        const auto [known, is_new] = numbers.try_emplace((u32)node.value, (i32)result.tree_values.size());
        if (is_new) result.tree_values.push_back({last.path_of(value.origin), value.to_origin, value.pasted});
        node.value = known->second;
      }
    counts.cover_s = thread_s() - at;
  }
  // Applies all moves to the tuples before the last depth; returns false if the budget ends that.
  bool extend_stored(DrawnValues& values, LastDepth& last) {
    for (u32 t : walk_.tuples_at(stored_depth()))
      for (u16 move : last.moves()[walk_.tuples[t].is_list]) {
        if (walk_.n_applications() >= budget_.max_applications || values.was_cut || walk_.is_over_budget(budget_))
          return false;
        last.extend(t, move, values);
      }
    return true;
  }
  // Assembles outputs from the pieces.
  void assemble(SearchResult& result) {
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
    for (Stack& stack : cover.run(budget_)) {
      StackResult stack_result;
      for (const Layer& layer : stack.layers) {
        const Piece& piece = pieces.pieces[layer.piece];
        stack_result.layers.push_back({last_->path_of(piece.origin), piece, layer.mode, layer.demos, layer.n_cells});
      }
      stack_result.stack = std::move(stack);
      result.stacks.push_back(std::move(stack_result));
    }
    add_twins(result.stacks, pieces, *last_);
    workspace_.n_applications = n_applications;  // winners are computed again, which does not count
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
    walk_.add_source(ids.data(), SOURCE_INPUT, 0);
    for (u32 e = 0; e < n; e++) ids[e] = add_blank(e, banks_[e].input_size());
    walk_.add_source(ids.data(), SOURCE_BLANK, 1);
    if (with_output_size) {
      for (u32 e = 0; e < n; e++) ids[e] = add_blank(e, banks_[e].output_size());
      walk_.add_source(ids.data(), SOURCE_BLANK_OUTPUT, 1);
    }
    if (options_.output_sources)
      for (u32 k = 0; k < n_demos(); k++) {
        for (u32 e = 0; e < n; e++)
          // A demo may not copy its own output.
          ids[e] = is_input_of(k, e) ? add_blank(e, task_.outputs[k].size)
                                     : banks_[e].add(task_.outputs[k].picture(), 1);
        walk_.add_source(ids.data(), (u16)(SOURCE_FIRST_OUTPUT + k), 1);
      }
    for (u32 k = 0; k < task_.sources.size(); k++) {
      const ExtraSource& source = task_.sources[k];
      for (u32 e = 0; e < n; e++) ids[e] = banks_[e].add(source.grids[e].picture(), source.depth);
      walk_.add_source(ids.data(), (u16)(SOURCE_FIRST_OUTPUT + n_demos() + k), source.depth);
    }
  }
  bool is_input_of(u32 demo, u32 example) const {
    const GridCells &a = task_.inputs[demo], &b = task_.inputs[example];
    return a.size == b.size && a.cells == b.cells;
  }

  void find_size() {
    SearchResult& result = size_result_;
    std::vector<Size> outputs;
    for (const GridCells& output : task_.outputs) outputs.push_back(output.size);
    add_sources(false);
    bool is_input = true, is_constant = true;
    for (u32 d = 0; d < n_demos(); d++) {
      is_input &= outputs[d] == task_.inputs[d].size;
      is_constant &= outputs[d] == outputs[0];
    }
    // No formula is cheaper than the input's size or a constant, if all demos agree on it.
    if (!is_input && !is_constant) walk_.run(options_.size_depth, 0, enabled_, budget_, [](u32) { return 0.0f; });
    SizeGuesser guesser(walk_, outputs);
    const std::optional<SizeGuess> best = guesser.guess();
    if (!best) return;
    const SizeGuess& guess = *best;
    result.has_size = true;
    result.n_sizes_matched = guess.n_matched;
    result.rows = axis_result(guess.rows);
    result.columns = axis_result(guess.columns);
    for (u32 e = 0; e < banks_.size(); e++) {
      banks_[e].set_output_size(e < n_demos() ? outputs[e] : guess.sizes[e]);
      if (e >= n_demos()) result.sizes.push_back(guess.sizes[e]);
      banks_[e].forget_output_moves();
    }
  }
  AxisResult axis_result(const AxisFormula& formula) const {
    const auto path = [&](u32 tuple) { return tuple == NO_PARENT ? Path() : walk_.path_of(tuple); };
    return {path(formula.factor), path(formula.summand), formula.times, formula.plus, formula.uses_width};
  }

  // Offers the stored tuples to pieces; returns false if time runs out.
  template <class Offered>
  bool offer_stored(Offered& pieces, LastDepth& last) {
    std::vector<Pic> pictures(banks_.size());
    for (u32 t = 0; t < walk_.tuples.size(); t++) {
      if (t % TUPLES_PER_CHECK == 0 && budget_.is_out_of_time()) return false;
      if (walk_.tuples[t].is_list) continue;
      for (u32 e = 0; e < banks_.size(); e++) pictures[e] = walk_.picture(t, e);
      pieces.offer({t, NO_MOVE, false}, walk_.tuples[t].depth, pictures.data(), last);
    }
    return true;
  }

  // Returns the cells of a piece in all tests; empty if a move is refused there.
  std::vector<u8> draw_tests(const Piece& piece, const Pieces& pieces, LastDepth& last) {
    std::vector<u8> cells;
    std::vector<Pic> tests(pieces.n_tests());
    if (last.compute(piece.origin, n_demos(), (u32)banks_.size(), tests.data())) {
      cells.resize(pieces.n_cells());
      pieces.draw_tests(piece, tests.data(), cells.data());
    }
    return cells;
  }
  // Adds variants of the best stacks in which a piece is replaced by its twin: one that paints the same in all
  // demos, but not in the tests. The demos do not tell which is meant.
  void add_twins(std::vector<StackResult>& stacks, const Pieces& pieces, LastDepth& last) {
    const u64 n_stacks = std::min<u64>(stacks.size(), N_STACKS_WITH_TWINS);
    std::unordered_map<u32, std::vector<Piece>> twins;
    for (u64 k = 0; k < n_stacks; k++)
      for (const Layer& layer : stacks[k].stack.layers) twins[layer.piece];
    for (u64 k = 0; k < pieces.twins.size(); k++) {
      const auto known = twins.find(pieces.twins[k].piece);
      if (known != twins.end()) known->second.push_back(pieces.twins[k].twin);
    }
    std::vector<std::vector<u8>> outputs;
    for (const StackResult& known : stacks) outputs.push_back(known.stack.outputs);
    for (u64 k = 0; k < n_stacks; k++)
      for (u64 at = 0; at < stacks[k].layers.size(); at++)
        for (const Piece& twin : twins[stacks[k].stack.layers[at].piece]) {
          StackResult variant = stacks[k];
          const LayerResult& replaced = stacks[k].layers[at];
          variant.layers[at] = {last.path_of(twin.origin), twin, replaced.mode, replaced.demos, replaced.n_cells};
          variant.stack.depth = std::max(variant.stack.depth, twin.depth);
          if (!paint(variant, pieces, last)) continue;
          if (std::find(outputs.begin(), outputs.end(), variant.stack.outputs) != outputs.end()) continue;
          outputs.push_back(variant.stack.outputs);
          stacks.push_back(std::move(variant));
        }
  }
  // Paints the outputs of a stack; returns false if it covers no test.
  bool paint(StackResult& result, const Pieces& pieces, LastDepth& last) {
    std::vector<u8> painted(pieces.n_cells(), 0);
    result.stack.outputs.assign(pieces.n_cells(), 0);
    for (const LayerResult& layer : result.layers) {
      const std::vector<u8> cells = draw_tests(layer.piece, pieces, last);
      if (cells.empty()) return false;
      for (u32 c = 0; c < pieces.n_cells(); c++)
        if (!painted[c] && (layer.mode == WHOLE || (cells[c] != 0) == (layer.mode == SHOWN))) {
          painted[c] = 1;
          result.stack.outputs[c] = cells[c];
        }
    }
    bool any = false;
    for (u32 t = 0; t < pieces.n_tests(); t++) {
      const auto from = painted.begin() + pieces.first_cell(t), to = painted.begin() + pieces.first_cell(t + 1);
      result.stack.is_covered[t] = std::find(from, to, 0) == to;
      any |= result.stack.is_covered[t];
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
