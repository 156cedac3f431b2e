// Trees that choose a color for each cell: `grow_tree` and `apply_tree`.
//
// language/primitives/cell_trees.py describes the numbers of trees and defines what they do to a grid.
#include <memory>
#include <unordered_map>

#include "demo_grids.hpp"
#include "grid_features.hpp"

namespace arc {
namespace {

using namespace cells;

constexpr int NODE_SIZE = 3;
constexpr i32 LEAF = -1, OWN_COLOR = 10;
constexpr u64 STEPS_PER_CELL = 64;

// Whether a cell with a feature's number passes a test.
bool passes(i32 feature, i32 value, i32 number) {
  return TRAITS[feature] & IS_COLOR ? number == value : number <= value;
}

// --- growing ---

constexpr int MAX_ACTIONS = 8, MAX_LEVELS = 9, MAX_LEAVES = 12;
constexpr i32 N_IN_ALL_PARTS = 2;  // features that every part tests
constexpr int LOG_BITS = 10;
// Counting one cell takes as long as comparing this number of words of sets of cells.
constexpr i64 STEPS_PER_COUNTED_CELL = 4;

// A bit for each action that a leaf may have.
__extension__ typedef unsigned __int128 ActionSet;
constexpr int MAX_KNOWN_ACTIONS = 128;

// The actions of a leaf, the simplest first: keep the cell's color, take a color, or take the color that a feature has.
std::vector<i32> all_actions() {
  std::vector<i32> actions = {OWN_COLOR};
  for (i32 c = 0; c < 10; c++) actions.push_back(c);
  for (i32 k = 1; k < N_CELL_FEATURES; k++)
    if (TRAITS[k] & IS_TAKEN) actions.push_back(10 + k);
  return actions;
}

// log2 in 1024ths by squaring, which is the same on all machines.
i64 log2_of(u64 number) {
  int whole = 0;
  while (number >> (whole + 1)) whole++;
  u64 mantissa = number << (30 - whole);
  i64 result = whole;
  for (int k = 0; k < LOG_BITS; k++) {
    mantissa = mantissa * mantissa >> 30;
    const u64 bit = mantissa >> 31;
    mantissa >>= bit;
    result = 2 * result + (i64)bit;
  }
  return result;
}

// The cells of a node in one grid: places of the order, and their classes as sets, word after word.
struct Segment {
  const GridFeatures* grid;
  i64 first, end;      // in the order of cells
  i64 first_cell;      // of the grid
  const u64* classes;  // for each class, the words of its set
  u32 totals[MAX_ACTIONS];
};

// Adds to the cells of each number and class those of one segment that have a feature.
ARC_CLONED void count_in_sets(const Segment& segment, i32 feature, int n_classes, u32 (*counts)[MAX_ACTIONS]) {
  const GridFeatures& grid = *segment.grid;
  const u32 n_words = grid.n_words;
  const u64* set = grid.sets.data() + (size_t)grid.first_set[feature] * n_words;
  for (u64 left = grid.values[feature]; left; left &= left - 1, set += n_words) {
    u32* to = counts[lowest_bit64(left)];
    const u64* class_words = segment.classes;
    for (int a = 0; a < n_classes; a++, class_words += n_words) {
      u64 n = 0;
      for (u32 w = 0; w < n_words; w++) n += (u64)__builtin_popcountll(set[w] & class_words[w]);
      to[a] += (u32)n;
    }
  }
}

class TreeGrower : DemoLearner {
 public:
  TreeGrower(Lane& lane, const Value& demos, i32 way, i32 part)
      : DemoLearner(demos), lane_(lane), way_(way), part_(part) {}

  Reason grow(std::vector<i32>& nodes) {
    if (inputs_.empty() || !keep_sizes()) return EMPTY;
    n_ = (i64)n_input_cells();
    if (!lane_.require(STEPS_PER_CELL / 2 * (u64)n_) || !lane_.charge(STEPS_PER_CELL * (u64)n_)) return OVER_BUDGET;
    // Features are computed only once they are paid for and needed.
    std::vector<std::unique_ptr<RelationColumns>> writers;
    u64 cost = 0;
    for (const Scene& input : inputs_) {
      grids_.push_back(feature_store.find(input));
      writers.emplace_back(grids_.back() ? nullptr : new RelationColumns(input));
      cost += grids_.back() ? grids_.back()->cost : writers.back()->cost();
    }
    if (!lane_.charge(cost)) return OVER_BUDGET;
    if (!change()) {
      nodes = {LEAF, OWN_COLOR, 0};
      return OK;
    }
    first_cells_.push_back(0);
    for (size_t d = 0; d < inputs_.size(); d++) {
      if (!grids_[d]) grids_[d] = feature_store.make(inputs_[d], *writers[d]);
      first_cells_.push_back(first_cells_.back() + inputs_[d].n_cells());
    }
    for (const Scene& output : outputs_) colors_.insert(colors_.end(), output.cells, output.cells + output.n_cells());
    if (!choose_actions()) return EMPTY;
    prepare_splits();
    return grow_node(0, n_, 0, nodes) ? OK : EMPTY;
  }

 private:
  bool is_tested(i32 k) const {
    const int excluded = (way_ & 1 ? TURNS : 0) | (way_ & 2 ? NAMES : 0);
    if (TRAITS[k] & excluded) return false;
    return part_ == 0 || k < N_IN_ALL_PARTS || mix_bits((u64)(64 * k + part_)) % 2 == 0;
  }
  bool is_allowed(i32 action) const { return action < 10 || !(way_ & 1) || !(TRAITS[action - 10] & TURNS); }
  // Chooses actions that explain all cells: each time the one that explains most of those left, the first of several,
  // but keeping colors before all others. Returns false if there are too many.
  bool choose_actions() {
    const std::vector<i32> actions = all_actions();
    std::vector<ActionSet> right(n_);  // the actions that give a cell its color
    for (size_t a = 0; a < actions.size(); a++) {
      if (!is_allowed(actions[a])) continue;
      if (actions[a] < 10) {
        for (i64 k = 0; k < n_; k++) right[k] |= (ActionSet)(actions[a] == colors_[k]) << a;
        continue;
      }
      for (size_t d = 0; d < grids_.size(); d++) {
        const u8* taken = grids_[d]->column(actions[a] - 10);
        for (i64 k = first_cells_[d]; k < first_cells_[d + 1]; k++)
          right[k] |= (ActionSet)(*taken++ == colors_[k]) << a;
      }
    }
    chosen_right_.assign(n_, 0);
    for (;;) {
      i64 counts[MAX_KNOWN_ACTIONS] = {}, n_left = 0;
      for (i64 k = 0; k < n_; k++) {
        if (chosen_right_[k]) continue;
        n_left++;
        for (int word = 0; word < MAX_KNOWN_ACTIONS; word += 64)
          for (u64 bits = (u64)(right[k] >> word); bits; bits &= bits - 1) counts[word + lowest_bit64(bits)]++;
      }
      if (!n_left) return true;
      const bool takes_own = actions_.empty() && counts[0];
      const size_t best = takes_own ? 0 : (size_t)(std::max_element(counts, counts + actions.size()) - counts);
      if (!counts[best] || actions_.size() == MAX_ACTIONS) return false;
      for (i64 k = 0; k < n_; k++) chosen_right_[k] |= (u8)((right[k] >> best & 1) << actions_.size());
      actions_.push_back(actions[best]);
    }
  }

  void prepare_splits() {
    for (i64 k = 0; k < n_; k++) order_.push_back((i32)k);
    classes_.resize(n_);
    weighed_.push_back(0);
    for (i64 k = 1; k <= n_; k++) weighed_.push_back(k * log2_of((u64)k));
    // Of features with the same numbers everywhere only the simplest can be chosen, the first of several.
    std::unordered_map<u64, size_t> known;
    for (i32 k = 0; k < N_CELL_FEATURES; k++) {
      if (!is_tested(k)) continue;
      u64 values = 0, hash = TRAITS[k] & IS_COLOR;
      for (const auto& grid : grids_) {
        values |= grid->values[k];
        hash = mix_bits(hash ^ grid->hashes[k]);
      }
      if (!(values & (values - 1))) continue;
      const auto [at, is_new] = known.emplace(hash, tested_.size());
      if (!is_new && has_same_numbers(tested_[at->second], k)) {
        if (SIMPLICITIES[k] <= SIMPLICITIES[tested_[at->second]]) continue;
        tested_[at->second] = -1;
        at->second = tested_.size();
      }
      tested_.push_back(k);
    }
    tested_.erase(std::remove(tested_.begin(), tested_.end(), -1), tested_.end());
  }
  bool has_same_numbers(i32 one, i32 other) const {
    return std::all_of(grids_.begin(), grids_.end(), [&](const auto& grid) {
      return std::equal(grid->column(one), grid->column(one) + grid->cells.size(), grid->column(other));
    });
  }

  // Appends the nodes for the cells at some places of the order; false if there are too many.
  bool grow_node(i64 first, i64 end, int level, std::vector<i32>& nodes) {
    u32 fitting = 255;
    for (i64 q = first; q < end; q++) fitting &= chosen_right_[order_[q]];
    if (fitting) {
      nodes.insert(nodes.end(), {LEAF, actions_[lowest_bit(fitting)], 0});
      return ++n_leaves_ <= MAX_LEAVES;
    }
    if (level == MAX_LEVELS) return false;
    const Split split = find_split(first, end);
    if (split.feature < 0) return false;
    if (++n_tests_ >= MAX_LEAVES) return false;  // there will be one leaf more
    const size_t place = nodes.size();
    nodes.insert(nodes.end(), {split.feature, split.value, 0});
    // The cells of a node are in their original order.
    size_t d = 0;
    const auto middle = std::stable_partition(order_.begin() + first, order_.begin() + end, [&](i32 cell) {
      while (cell >= first_cells_[d + 1]) d++;
      return passes(split.feature, split.value, grids_[d]->column(split.feature)[cell - first_cells_[d]]);
    });
    const i64 n_passing = middle - order_.begin();
    if (!grow_node(first, n_passing, level + 1, nodes)) return false;
    nodes[place + 2] = (i32)(nodes.size() / NODE_SIZE);
    return grow_node(n_passing, end, level + 1, nodes);
  }

  struct Split {
    i32 feature = -1, value = 0;
    i64 score = 0;
  };

  // Sets the class of each cell: of its right actions, the one that is right for most of these cells; counts the
  // classes.
  void find_classes(i64 first, i64 end, i64* totals) {
    i64 counts[256] = {};
    u8 class_of[256] = {};
    for (i64 q = first; q < end; q++) counts[chosen_right_[order_[q]]]++;
    for (i64 left = end - first; left > 0;) {
      i64 shared[MAX_ACTIONS] = {};
      for (int bits = 1; bits < 256; bits++)
        for (size_t a = 0; counts[bits] && a < actions_.size(); a++) shared[a] += bits >> a & 1 ? counts[bits] : 0;
      const i64 best = std::max_element(shared, shared + actions_.size()) - shared;
      for (int bits = 1; bits < 256; bits++)
        if (counts[bits] && bits >> best & 1) {
          class_of[bits] = (u8)best;
          counts[bits] = 0;
        }
      left -= shared[best];
    }
    std::fill_n(totals, MAX_ACTIONS, 0);
    for (i64 q = first; q < end; q++) totals[classes_[q] = class_of[chosen_right_[order_[q]]]]++;
  }

  // Cuts the cells of a node by grids.
  void find_segments(i64 first, i64 end) {
    segments_.clear();
    class_words_.clear();
    for (i64 q = first; q < end;) {
      const size_t d = (size_t)(std::upper_bound(first_cells_.begin(), first_cells_.end(), order_[q]) -
                                first_cells_.begin() - 1);
      Segment segment = {grids_[d].get(), q, q, first_cells_[d], nullptr, {}};
      while (segment.end < end && order_[segment.end] < first_cells_[d + 1]) segment.totals[classes_[segment.end++]]++;
      q = segment.end;
      segments_.push_back(segment);
      class_words_.resize(class_words_.size() + actions_.size() * segment.grid->n_words);
    }
    u64* words = class_words_.data();
    for (Segment& segment : segments_) {
      segment.classes = words;
      for (i64 q = segment.first; q < segment.end; q++) {
        const i64 cell = order_[q] - segment.first_cell;
        words[(i64)classes_[q] * segment.grid->n_words + cell / 64] |= 1ULL << cell % 64;
      }
      words += actions_.size() * segment.grid->n_words;
    }
  }
  // Counts the cells of a segment by number and class, in the cheaper of two ways.
  void count_numbers(const Segment& segment, i32 feature, u32 (*counts)[MAX_ACTIONS]) const {
    const GridFeatures& grid = *segment.grid;
    const int n_classes = (int)actions_.size();
    const u32 n_sets = grid.first_set[feature + 1] - grid.first_set[feature];
    if (n_sets == 0) {
      u32* to = counts[lowest_bit64(grid.values[feature])];
      for (int a = 0; a < n_classes; a++) to[a] += segment.totals[a];
    } else if ((i64)n_sets * grid.n_words * n_classes < STEPS_PER_COUNTED_CELL * (segment.end - segment.first)) {
      count_in_sets(segment, feature, n_classes, counts);
    } else {
      const u8* numbers = grid.column(feature);
      for (i64 q = segment.first; q < segment.end; q++) counts[numbers[order_[q] - segment.first_cell]][classes_[q]]++;
    }
  }

  // Finds the test with the greatest information gain about the classes, weighted by the simplicity of its feature.
  Split find_split(i64 first, i64 end) {
    const int n_classes = (int)actions_.size();
    const i64* weighed = weighed_.data();
    i64 totals[MAX_ACTIONS];
    find_classes(first, end, totals);
    find_segments(first, end);
    const i64 n = end - first;
    i64 before = weighed[n];
    for (int a = 0; a < n_classes; a++) before -= weighed[totals[a]];
    Split best;
    u32 counts[MOST + 1][MAX_ACTIONS] = {};
    for (const i32 feature : tested_) {
      u64 possible = 0, values = 0;
      for (const Segment& segment : segments_) {
        count_numbers(segment, feature, counts);
        possible |= segment.grid->values[feature];
      }
      for (; possible; possible &= possible - 1) {
        const int value = lowest_bit64(possible);
        const u32* of_value = counts[value];
        if (std::any_of(of_value, of_value + n_classes, [](u32 count) { return count != 0; })) values |= 1ULL << value;
      }
      const bool is_color = TRAITS[feature] & IS_COLOR;
      i64 inside[MAX_ACTIONS] = {};
      while (values) {
        const int value = lowest_bit64(values);
        values &= values - 1;
        if (!is_color && !values) {
          std::fill_n(counts[value], n_classes, 0);
          break;
        }
        i64 n_inside = 0, after = 0;
        for (int a = 0; a < n_classes; a++) {
          inside[a] = counts[value][a] + (is_color ? 0 : inside[a]);
          counts[value][a] = 0;
          n_inside += inside[a];
          after -= weighed[inside[a]] + weighed[totals[a] - inside[a]];
        }
        after += weighed[n_inside] + weighed[n - n_inside];
        const i64 score = (before - after) * SIMPLICITIES[feature];
        if (score > best.score) best = {feature, is_color ? value : (value + lowest_bit64(values)) / 2, score};
      }
    }
    return best;
  }

  Lane& lane_;
  i32 way_, part_;
  // Of all cells of the demos:
  i64 n_ = 0;
  std::vector<std::shared_ptr<const GridFeatures>> grids_;
  std::vector<i64> first_cells_;  // of each grid; the end comes last
  std::vector<u8> colors_;        // in the outputs
  std::vector<u8> chosen_right_;  // bits of the chosen actions that are right
  std::vector<i32> actions_;      // the chosen ones
  std::vector<i32> tested_;       // features
  std::vector<i32> order_;        // the cells, those of a node side by side
  std::vector<u8> classes_;       // in that order
  std::vector<i64> weighed_;      // k log2 k
  // Of the node that is split:
  std::vector<Segment> segments_;
  std::vector<u64> class_words_;
  int n_leaves_ = 0, n_tests_ = 0;
};

ARC_IMPLEMENT(grow_tree) {
  if (!are_color_demos(args[0])) return fail(WRONG_TYPE);
  std::vector<i32> nodes;
  const Reason why = TreeGrower(lane, args[0], (i32)args[1].number, (i32)args[2].number).grow(nodes);
  return why == OK ? numbers_value(lane, nodes) : fail(why);
}

// --- applying ---

bool is_node(const i32* nodes, i64 n_nodes, i64 k) {
  const i32 feature = nodes[NODE_SIZE * k], value = nodes[NODE_SIZE * k + 1], other = nodes[NODE_SIZE * k + 2];
  if (feature != LEAF)
    return (u32)feature < (u32)N_CELL_FEATURES && (u32)value <= (u32)MOST && other > k + 1 && other < n_nodes;
  if (other != 0 || value < 0 || value >= 10 + N_CELL_FEATURES) return false;
  return value < 10 || (TRAITS[value - 10] & IS_TAKEN);
}

ARC_IMPLEMENT(apply_tree) {
  if (!is_color_grid(args[1]) || args[0].kind != INTS || args[0].n % NODE_SIZE) return fail(WRONG_TYPE);
  const i32* nodes = args[0].ints;
  const i64 n_nodes = args[0].n / NODE_SIZE;
  u8 wanted[N_CELL_FEATURES] = {};
  for (i64 k = 0; k < n_nodes; k++) {
    if (!is_node(nodes, n_nodes, k)) return fail(OUT_OF_RANGE);
    const i32 feature = nodes[NODE_SIZE * k] == LEAF ? nodes[NODE_SIZE * k + 1] - 10 : nodes[NODE_SIZE * k];
    if (feature >= 0) wanted[feature] = 1;
  }
  const Scene grid = scene_of(args[1]);
  const i64 n = grid.n_cells();
  ARC_REQUIRE(STEPS_PER_CELL / 2 * (u64)n);
  ARC_CHARGE(STEPS_PER_CELL / 4 * (u64)n);
  const std::shared_ptr<const GridFeatures> known = feature_store.find(grid);
  std::unique_ptr<u8[]> written;
  if (known) {
    ARC_CHARGE(known->cost);
  } else {
    RelationColumns features(grid);
    ARC_CHARGE(features.cost());
    written.reset(new u8[(size_t)N_CELL_FEATURES * (size_t)n]);
    features.write(written.get(), n, wanted);
  }
  const u8* columns = known ? known->columns.data() : written.get();
  std::vector<i32> to(n);
  for (i64 cell = 0; cell < n; cell++) {
    i64 k = 0;
    while (nodes[NODE_SIZE * k] != LEAF) {
      const i32 feature = nodes[NODE_SIZE * k];
      k = passes(feature, nodes[NODE_SIZE * k + 1], columns[feature * n + cell]) ? k + 1 : nodes[NODE_SIZE * k + 2];
    }
    const i32 action = nodes[NODE_SIZE * k + 1];
    to[cell] = action < 10 ? action : columns[(action - 10) * n + cell];
    if (to[cell] == ABSENT) return fail(EMPTY);
  }
  return cells_value(lane, to, grid.width);
}

}  // namespace
}  // namespace arc
