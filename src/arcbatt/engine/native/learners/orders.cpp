// Items in an order, listed or recolored; documented in language/learners/orders.py.
#include <set>

#include "demo_grids.hpp"
#include "parts.hpp"

namespace arc {
namespace {

constexpr size_t MAX_ITEMS = 60;
// Trying all rules takes time even on the smallest demo, as much as on CELLS_PER_DEMO more cells.
constexpr u64 STEPS_PER_CELL = 64, CELLS_PER_DEMO = 8;
// Applying a rule that was found takes a step for this many cells of the grid.
constexpr u64 CELLS_PER_STEP = 16;
constexpr int CUTS[] = {WHOLE_COLORS, BY_COLOR_8, BY_COLOR_4, TOGETHER_8};
constexpr int N_CUTS = 4;

// --- items and their order ---

enum Key { BY_ROWS, BY_COLUMNS, TOP, LEFT, BOTTOM, RIGHT, SIZE, HEIGHT, WIDTH, AREA, N_KEYS };

struct Item : Part {
  i32 main = 0;  // its most common color
  std::array<i64, N_KEYS> keys;
};

struct Example {
  Scene scene;
  Parts parts;
  std::vector<Item> items;  // in the order of their first places; none if there are too many

  Example(const Scene& of, int cut) : scene(of), parts(of, CUTS[cut]) {
    if (parts.size() > MAX_ITEMS) return;
    for (const Part& part : parts) {
      i64 by_columns = of.n_cells();
      for (const Place& at : part) by_columns = std::min(by_columns, (i64)at.column * of.n_rows + at.row);
      const Place& first = part.places[0];
      items.push_back({part,
                       main_color(count_colors(part)),
                       {(i64)first.row * of.width + first.column, by_columns, part.top, part.left, part.bottom,
                        part.right, part.size, part.height(), part.width(), part.area()}});
    }
  }

  // Returns the numbers of the items in an order; those with equal keys keep theirs.
  std::vector<size_t> in_order(int key, bool falling) const {
    std::vector<size_t> order(items.size());
    for (size_t k = 0; k < order.size(); k++) order[k] = k;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return falling ? items[a].keys[(size_t)key] > items[b].keys[(size_t)key]
                     : items[a].keys[(size_t)key] < items[b].keys[(size_t)key];
    });
    return order;
  }
  bool has_ties(int key) const {
    std::set<i64> distinct;
    for (const Item& item : items) distinct.insert(item.keys[(size_t)key]);
    return distinct.size() < items.size();
  }
};

// --- the rule ---

enum Form { CELLS, RUNS, REVERSED, EXCHANGED, N_FORMS };
enum Canvas { IN_A_ROW, IN_A_COLUMN, OF_FIXED_SIZE, OF_INPUT_SIZE, N_CANVASES };
// How a list fills a grid: along rows or columns; from which end; every other line backwards or not.
enum PathBits { LAST_LINE_FIRST = 1, FROM_THE_END = 2, COLUMNS = 4, IN_TURNS = 8, N_PATHS = 16 };

struct OrderRule {
  int cut = 0, key = 0, form = 0, canvas = 0, path = 0;
  bool falling = false;
  bool has_ties = false;      // items of a demo have equal keys
  i32 n_rows = 0, width = 0;  // of a fixed size

  bool is_list() const { return form < REVERSED; }
  i32 bits() const {  // times 4
    constexpr i32 OF_CUT[] = {4, 4, 6, 6}, OF_FORM[] = {4, 8, 8, 8}, OF_CANVAS[] = {2, 2, 4, 6};
    const i32 of_key = key < SIZE ? 6 : key == SIZE ? 4 : 12;
    i32 sum = OF_CUT[cut] + of_key + 2 * falling + 8 * has_ties + OF_FORM[form];
    if (is_list()) sum += OF_CANVAS[canvas] + 4 * ((path & (LAST_LINE_FIRST | FROM_THE_END | COLUMNS)) != 0) +
                          (path & IN_TURNS ? 6 : 0);
    return sum;
  }
};

// Returns the list that a rule draws; without cells if there is no room for it.
Drawing list_of(const Example& of, const std::vector<size_t>& order, const OrderRule& rule) {
  std::vector<i32> colors;
  for (size_t k : order)
    colors.insert(colors.end(), rule.form == RUNS ? (size_t)of.items[k].size : 1, of.items[k].main);
  const i32 n = (i32)colors.size();
  i32 n_rows = of.scene.n_rows, width = of.scene.width;
  if (rule.canvas == IN_A_ROW || rule.canvas == IN_A_COLUMN) {
    n_rows = rule.canvas == IN_A_ROW ? 1 : n;
    width = rule.canvas == IN_A_ROW ? n : 1;
  } else if (rule.canvas == OF_FIXED_SIZE) {
    n_rows = rule.n_rows;
    width = rule.width;
  }
  if (std::max(n_rows, width) > MAX_SIDE || n > n_rows * width) return {};
  Drawing list(n_rows, width);
  const i32 length = rule.path & COLUMNS ? n_rows : width;
  const i32 n_lines = rule.path & COLUMNS ? width : n_rows;
  for (i32 k = 0; k < n; k++) {
    i32 line = k / length, at = k % length;
    if (((rule.path & FROM_THE_END) != 0) != (rule.path & IN_TURNS && line % 2)) at = length - 1 - at;
    if (rule.path & LAST_LINE_FIRST) line = n_lines - 1 - line;
    (rule.path & COLUMNS ? list.cell(at, line) : list.cell(line, at)) = colors[(size_t)k];
  }
  return list;
}

// The color that the k-th item takes.
i32 new_color(const Example& of, const std::vector<size_t>& order, const OrderRule& rule, size_t k) {
  size_t from = rule.form == REVERSED ? order.size() - 1 - k : k ^ 1;
  if (from >= order.size()) from = k;
  return of.items[order[from]].main;
}

Drawing output_of(const Example& of, const OrderRule& rule) {
  const std::vector<size_t> order = of.in_order(rule.key, rule.falling);
  if (rule.is_list()) return list_of(of, order, rule);
  Drawing drawing(of.scene);
  for (size_t k = 0; k < order.size(); k++)
    for (const Place& at : of.items[order[k]])
      drawing.cell(at.row, at.column) = new_color(of, order, rule, k);
  return drawing;
}

// --- learning ---

typedef std::array<i64, 10> Counts;

class OrderLearner : DemoLearner {
 public:
  std::vector<OrderRule> rules;  // that agree with all demos, those of fewest bits first

  explicit OrderLearner(const Value& demos) : DemoLearner(demos), keep_size_(keep_sizes()) {
    for (const Scene& output : outputs_) have_one_size_ &= same_size(output, outputs_[0]);
  }
  u64 cost() const { return STEPS_PER_CELL * (CELLS_PER_DEMO * inputs_.size() + n_input_cells()); }

  void learn() {
    for (int cut = 0; cut < N_CUTS && change(); cut++) learn_cut(cut);
    std::stable_sort(rules.begin(), rules.end(),
                     [](const OrderRule& a, const OrderRule& b) { return a.bits() < b.bits(); });
  }

 private:
  bool keep_size_, have_one_size_ = true;

  void learn_cut(int cut) {
    std::vector<Example> examples;
    bool differ = false;
    for (const Scene& input : inputs_) {
      examples.emplace_back(input, cut);
      const std::vector<Item>& items = examples.back().items;
      if (items.empty()) return;
      for (const Item& item : items) differ |= item.main != items[0].main;
    }
    // Without two colors in a demo, its items may be in any order.
    const bool lists_cells = differ && has_colors(examples, false);
    const bool lists_runs = differ && has_colors(examples, true);
    const std::vector<std::vector<i32>> targets = targets_of(examples);
    if (!lists_cells && !lists_runs && targets.empty()) return;
    OrderRule rule;
    rule.cut = cut;
    rule.n_rows = outputs_[0].n_rows;
    rule.width = outputs_[0].width;
    for (rule.key = 0; rule.key < N_KEYS; rule.key++) {
      rule.has_ties =
          std::any_of(examples.begin(), examples.end(), [&](const Example& of) { return of.has_ties(rule.key); });
      for (const bool falling : {false, true}) {
        rule.falling = falling;
        if (lists_cells) learn_lists(examples, rule, CELLS);
        if (lists_runs) learn_lists(examples, rule, RUNS);
        if (!targets.empty()) learn_colors(examples, targets, rule);
      }
    }
  }

  // Whether all outputs have the cells of each color that lists of the items have.
  bool has_colors(const std::vector<Example>& examples, bool as_runs) const {
    for (size_t d = 0; d < examples.size(); d++) {
      Counts counts = {};
      for (const Item& item : examples[d].items) counts[(size_t)item.main] += as_runs ? item.keys[SIZE] : 1;
      for (i64 k = 0; k < outputs_[d].n_cells(); k++)
        if (outputs_[d].cells[k]) counts[(size_t)outputs_[d].cells[k]]--;
      if (counts != Counts{}) return false;
    }
    return true;
  }

  void learn_lists(const std::vector<Example>& examples, OrderRule rule, int form) {
    rule.form = form;
    for (rule.canvas = 0; rule.canvas < N_CANVASES; rule.canvas++) {
      if (rule.canvas == OF_FIXED_SIZE ? !have_one_size_ : rule.canvas == OF_INPUT_SIZE && !keep_size_) continue;
      const bool is_line = rule.canvas < OF_FIXED_SIZE;
      for (rule.path = 0; rule.path < (is_line ? 1 : N_PATHS); rule.path++) {
        size_t d = 0;
        while (d < examples.size() && output_of(examples[d], rule).shows(outputs_[d])) d++;
        if (d == examples.size()) rules.push_back(rule);
      }
    }
  }

  // Returns the new color of each item; nothing unless each has one and no other cell changes.
  std::vector<std::vector<i32>> targets_of(const std::vector<Example>& examples) const {
    std::vector<std::vector<i32>> targets;
    if (!keep_size_) return targets;
    for (size_t d = 0; d < examples.size(); d++) {
      const Scene &from = inputs_[d], &to = outputs_[d];
      for (i64 k = 0; k < from.n_cells(); k++)
        if (!from.cells[k] && to.cells[k]) return {};
      targets.emplace_back();
      for (const Item& item : examples[d].items) {
        targets.back().push_back(to.cell(item.places[0].row, item.places[0].column));
        for (const Place& at : item)
          if (to.cell(at.row, at.column) != targets.back().back()) return {};
      }
    }
    return targets;
  }

  void learn_colors(const std::vector<Example>& examples, const std::vector<std::vector<i32>>& targets,
                    OrderRule rule) {
    for (rule.form = REVERSED; rule.form < N_FORMS; rule.form++) {
      bool agrees = true;
      for (size_t d = 0; d < examples.size() && agrees; d++) {
        const std::vector<size_t> order = examples[d].in_order(rule.key, rule.falling);
        for (size_t k = 0; k < order.size() && agrees; k++)
          agrees = new_color(examples[d], order, rule, k) == targets[d][order[k]];
      }
      if (agrees) rules.push_back(rule);
    }
  }
};

Votes<OrderRule> votes_of(const OrderLearner& learner, const Scene& grid) {
  Votes<OrderRule> votes;
  std::vector<Example> by_cut;
  for (int cut = 0; cut < N_CUTS && !learner.rules.empty(); cut++) by_cut.emplace_back(grid, cut);
  for (const OrderRule& rule : learner.rules) {
    const Example& of = by_cut[(size_t)rule.cut];
    if (of.items.empty()) continue;
    Drawing drawing = output_of(of, rule);
    if (!drawing.cells.empty()) votes.add(std::move(drawing), rule);
  }
  return votes;
}

ARC_IMPLEMENT(learn_order) {
  if (!are_color_grids(args[0], args[1])) return fail(WRONG_TYPE);
  if (!args[0].n) return fail(EMPTY);
  OrderLearner learner(args[0]);
  ARC_CHARGE(learner.cost());
  learner.learn();
  const Scene grid = scene_of(args[1]);
  ARC_CHARGE(learner.rules.size() * (u64)grid.n_cells() / CELLS_PER_STEP);
  Votes<OrderRule> votes = votes_of(learner, grid);
  const auto* choice = votes.at(args[2].number);
  return choice ? cells_value(lane, choice->drawing.cells, choice->drawing.width) : fail(EMPTY);
}

// Returns the way of cutting, the key, whether it falls, the form, the canvas and the path.
ARC_RULE(learn_order) {
  if (!args[0].n) return fail(EMPTY);
  OrderLearner learner(args[0]);
  learner.learn();
  Votes<OrderRule> votes = votes_of(learner, scene_of(args[1]));
  const auto* choice = votes.at(args[2].number);
  if (!choice) return fail(EMPTY);
  const OrderRule& rule = choice->rule;
  return numbers_value(
      lane, std::vector<int>{rule.cut, rule.key, (int)rule.falling, rule.form, rule.canvas, rule.path});
}

}  // namespace
}  // namespace arc
