// Objects that slide in a direction of their own; documented in language/learners/slides.py.
#include <map>
#include <tuple>

#include "demo_grids.hpp"
#include "parts.hpp"

namespace arc {
namespace {

constexpr size_t MAX_OBJECTS = 40;
// Trying all rules takes time even on the smallest demo, as much as on CELLS_PER_DEMO more cells.
constexpr u64 STEPS_PER_CELL = 200, CELLS_PER_DEMO = 8;
// Applying a rule that was found takes a step for this many cells of the grid.
constexpr u64 CELLS_PER_STEP = 16;
constexpr int CUTS[] = {BY_COLOR_4, BY_COLOR_8, TOGETHER_4, TOGETHER_8};
constexpr int N_CUTS = 4;

// --- objects ---

struct Thing : Part {
  i32 main = 0, rare = 0, n_rare = 0;  // its most common and rarest color, and how many cells have that

  explicit Thing(const Part& part) : Part(part) {
    const std::array<i32, 10> counts = count_colors(part);
    main = main_color(counts);
    for (i32 c = 9; c > 0; c--)
      if (counts[(size_t)c] && (!rare || counts[(size_t)c] < n_rare)) n_rare = counts[(size_t)(rare = c)];
  }
  bool is_one_color() const { return n_rare == size; }
};

struct Example {
  i32 n_rows, width;
  Parts parts;
  std::vector<Thing> things;
  i32 walls[4] = {};  // the color of the upper, left, right and lower edge, if more than half of it has one; or 0

  Example(const Scene& scene, int how) : n_rows(scene.n_rows), width(scene.width), parts(scene, how) {
    if (parts.size() > MAX_OBJECTS) return;
    things = std::vector<Thing>(parts.begin(), parts.end());
    find_walls(scene);
  }

 private:
  void find_walls(const Scene& scene) {
    std::array<i32, 10> counts[4] = {};
    for (i32 j = 1; j + 1 < width; j++) {
      counts[0][(size_t)scene.cell(0, j)]++;
      counts[3][(size_t)scene.cell(n_rows - 1, j)]++;
    }
    for (i32 i = 1; i + 1 < n_rows; i++) {
      counts[1][(size_t)scene.cell(i, 0)]++;
      counts[2][(size_t)scene.cell(i, width - 1)]++;
    }
    for (int side = 0; side < 4; side++)
      for (i32 c = 1; c < 10; c++)
        if (2 * counts[side][(size_t)c] > (side % 3 ? n_rows : width) - 2) walls[side] = c;
  }
};

// --- which objects slide ---

enum Which {
  ALL, NOT_LARGEST, LARGEST, NOT_SMALLEST, SMALLEST, ONE_CELL, SEVERAL_CELLS, OFF_EDGE, NOT_ACROSS, SEVERAL_COLORS,
  ONE_COLOR, ODD_COLOR, SHARED_COLOR, ODD_SHAPE, SHARED_SHAPE, OF_COLOR,
  NOT_OF_COLOR = OF_COLOR + 10,  // both followed by the color
  N_WHICH = NOT_OF_COLOR + 10
};

bool slides(const Example& of, const Thing& thing, int which) {
  const auto count = [&](auto holds) { return std::count_if(of.things.begin(), of.things.end(), holds); };
  const bool is_largest = !count([&](const Thing& other) { return other.size > thing.size; });
  const bool is_smallest = !count([&](const Thing& other) { return other.size < thing.size; });
  const bool is_across = thing.height() == of.n_rows || thing.width() == of.width;
  switch (which) {
    case ALL: return true;
    case NOT_LARGEST: return !is_largest;
    case LARGEST: return is_largest;
    case NOT_SMALLEST: return !is_smallest;
    case SMALLEST: return is_smallest;
    case ONE_CELL: return thing.size == 1;
    case SEVERAL_CELLS: return thing.size > 1;
    case OFF_EDGE: return !thing.on_edge();
    case NOT_ACROSS: return thing.size == 1 || !is_across;
    case SEVERAL_COLORS: return !thing.is_one_color();
    case ONE_COLOR: return thing.is_one_color();
    case ODD_COLOR:
    case SHARED_COLOR:
      return (count([&](const Thing& other) { return other.main == thing.main; }) == 1) == (which == ODD_COLOR);
    case ODD_SHAPE:
    case SHARED_SHAPE:
      return (count([&](const Thing& other) { return other.has_shape_of(thing); }) == 1) == (which == ODD_SHAPE);
    default:
      return which < NOT_OF_COLOR ? thing.main == which - OF_COLOR : thing.main != which - NOT_OF_COLOR;
  }
}

// --- where they slide to ---

// The first 8 are those of places.hpp. Towards a target: NEAREST, then whether also diagonally (1), whether away (2),
// and, by 4, which: any still object, one of its color, the largest.
enum Direction {
  NEAR_EDGE = 8, FAR_EDGE, TO_RARE, FROM_RARE, TO_NARROW, TO_WIDE, TO_WALL, FROM_WALL, NEAREST,
  N_DIRECTIONS = NEAREST + 12
};
enum Target { ANY_STILL, OF_ITS_COLOR, LARGEST_STILL };

struct Step {
  i32 row = 0, column = 0;
  bool is_none() const { return !row && !column; }
  bool operator<(const Step& other) const { return std::tie(row, column) < std::tie(other.row, other.column); }
  Step back() const { return {-row, -column}; }
};
i32 sign(i64 x) { return (x > 0) - (x < 0); }
constexpr Step SIDES[] = {{-1, 0}, {0, -1}, {0, 1}, {1, 0}};

Step to_edge(const Example& of, const Thing& thing, bool nearest) {
  const i32 gaps[] = {thing.top, thing.left, of.width - 1 - thing.right, of.n_rows - 1 - thing.bottom};
  const i32 wanted = nearest ? *std::min_element(gaps, gaps + 4) : *std::max_element(gaps, gaps + 4);
  if (std::count(gaps, gaps + 4, wanted) > 1) return {};
  return SIDES[std::find(gaps, gaps + 4, wanted) - gaps];
}
// From the middle of its other cells to the middle of those of its rarest color.
Step to_rare(const Thing& thing) {
  if (thing.is_one_color()) return {};
  i64 rows = 0, columns = 0;
  const i64 n = thing.size, n_rare = thing.n_rare;
  for (const Place& at : thing) {
    const i64 weight = thing.color(at) == thing.rare ? n - n_rare : -n_rare;
    rows += weight * at.row;
    columns += weight * at.column;
  }
  // A distance of less than a third of a cell gives no direction.
  const i64 least = n_rare * (n - n_rare) / 3;
  return {std::abs(rows) > least ? sign(rows) : 0, std::abs(columns) > least ? sign(columns) : 0};
}
// The side of its box with fewer cells than the opposite one, if it has one such pair.
Step to_narrow(const Thing& thing) {
  i32 top = 0, bottom = 0, left = 0, right = 0;
  for (const Place& at : thing) {
    top += at.row == thing.top;
    bottom += at.row == thing.bottom;
    left += at.column == thing.left;
    right += at.column == thing.right;
  }
  if ((top == bottom) == (left == right)) return {};
  return {sign(bottom - top) * -1, sign(right - left) * -1};
}
Step to_wall(const Example& of, const Thing& thing) {
  Step to;
  int n = 0;
  for (int side = 0; side < 4; side++)
    if (of.walls[side] == thing.main) {
      to = SIDES[side];
      n++;
    }
  return n == 1 ? to : Step();
}
Step to_target(const Example& of, const Thing& thing, const std::vector<bool>& are_sliding, int target, bool diagonal) {
  i32 largest = 0, nearest = 2 * MAX_SIDE;
  for (size_t k = 0; k < of.things.size(); k++)
    if (!are_sliding[k]) largest = std::max(largest, of.things[k].size);
  Step to;
  for (size_t k = 0; k < of.things.size(); k++) {
    const Thing& other = of.things[k];
    if (are_sliding[k] || (target == OF_ITS_COLOR && other.main != thing.main) ||
        (target == LARGEST_STILL && other.size < largest))
      continue;
    const i32 above = thing.top - other.bottom, below = other.top - thing.bottom;
    const i32 before = thing.left - other.right, after = other.left - thing.right;
    const Step step = {(below > 0) - (above > 0), (after > 0) - (before > 0)};
    const i32 distance = std::max({above, below, before, after});
    if (step.is_none() || (step.row && step.column && !diagonal) || distance >= nearest) continue;
    nearest = distance;
    to = step;
  }
  return to;
}

Step direction_of(const Example& of, const Thing& thing, const std::vector<bool>& are_sliding, int direction) {
  switch (direction) {
    case NEAR_EDGE:
    case FAR_EDGE: return to_edge(of, thing, direction == NEAR_EDGE);
    case TO_RARE: return to_rare(thing);
    case FROM_RARE: return to_rare(thing).back();
    case TO_NARROW: return to_narrow(thing);
    case TO_WIDE: return to_narrow(thing).back();
    case TO_WALL: return to_wall(of, thing);
    case FROM_WALL: return to_wall(of, thing).back();
  }
  if (direction < 8) return {row_step(direction), column_step(direction)};
  const int k = direction - NEAREST;
  const Step step = to_target(of, thing, are_sliding, k / 4, k & 1);
  return k & 2 ? step.back() : step;
}

// --- how far ---

enum Stop { BLOCKED, BY_ONE, BY_TWO, BY_THREE, BY_LENGTH, BY_SIZE, BY_RARE, AT_EDGE, N_STOPS };

i32 limit_of(const Thing& thing, int stop) {
  switch (stop) {
    case BLOCKED:
    case AT_EDGE: return MAX_SIDE;
    case BY_LENGTH: return std::max(thing.height(), thing.width());
    case BY_SIZE: return thing.size;
    case BY_RARE: return thing.n_rare;
    default: return stop;
  }
}

// --- the rule ---

struct SlideRule {
  int cut = 0, which = 0, direction = 0, stop = 0;
  bool vanish = false;  // whether objects that would slide but have no direction vanish

  i32 bits() const {  // times 4
    constexpr i32 OF_CUT[] = {4, 2, 6, 4};
    const i32 of_which = which == ALL ? 0 : which < OF_COLOR ? 6 : 10;
    const i32 of_direction = direction < 8 ? 10 : direction < NEAREST ? 8 : 6 + 2 * ((direction - NEAREST) & 3);
    return OF_CUT[cut] + of_which + of_direction + (stop == BLOCKED ? 0 : 8) + 4 * vanish;
  }
};

struct Slide {
  std::vector<bool> are_sliding;
  std::vector<Step> steps;
};
std::vector<bool> sliding_of(const Example& of, int which) {
  std::vector<bool> are_sliding;
  for (const Thing& thing : of.things) are_sliding.push_back(slides(of, thing, which));
  return are_sliding;
}
Slide slide_of(const Example& of, const std::vector<bool>& are_sliding, int direction) {
  Slide slide = {are_sliding, std::vector<Step>(of.things.size())};
  for (size_t k = 0; k < of.things.size(); k++)
    if (are_sliding[k]) slide.steps[k] = direction_of(of, of.things[k], are_sliding, direction);
  return slide;
}

// Moves one object after the other, those furthest along their direction first, through those that have yet to move.
std::vector<i32> render(const Example& of, const Slide& slide, int stop, bool vanish, u64& n_moved) {
  std::vector<i32> cells((size_t)(of.n_rows * of.width));
  const auto draw = [&](const Thing& thing, i32 rows, i32 columns) {
    for (const Place& at : thing) cells[(size_t)((at.row + rows) * of.width + at.column + columns)] = thing.color(at);
  };
  std::vector<std::pair<i32, size_t>> order;
  for (size_t k = 0; k < of.things.size(); k++) {
    const Thing& thing = of.things[k];
    const Step& step = slide.steps[k];
    if (!step.is_none())
      order.push_back({-(step.row > 0 ? thing.bottom : step.row * thing.top) -
                           (step.column > 0 ? thing.right : step.column * thing.left),
                       k});
    else if (!(vanish && slide.are_sliding[k]))
      draw(thing, 0, 0);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [_, k] : order) {
    const Thing& thing = of.things[k];
    const Step& step = slide.steps[k];
    i32 n = 0;
    for (const i32 limit = limit_of(thing, stop); n < limit; n++) {
      const i32 rows = (n + 1) * step.row, columns = (n + 1) * step.column;
      n_moved += (u64)thing.size;
      if (thing.top + rows < 0 || thing.bottom + rows >= of.n_rows || thing.left + columns < 0 ||
          thing.right + columns >= of.width)
        break;
      if (stop != AT_EDGE && std::any_of(thing.begin(), thing.end(), [&](const Place& at) {
            return cells[(size_t)((at.row + rows) * of.width + at.column + columns)] != 0;
          }))
        break;
    }
    draw(thing, n * step.row, n * step.column);
  }
  return cells;
}

class SlideLearner : DemoLearner {
 public:
  using DemoLearner::DemoLearner;

  std::vector<SlideRule> rules;  // that agree with all demos, those of fewest bits first

  // Whether sizes agree, something changes, and outputs have no more cells of any color but 0.
  bool can_be_slides() const {
    for (size_t d = 0; d < inputs_.size(); d++) {
      const Scene &from = inputs_[d], &to = outputs_[d];
      if (!same_size(from, to) || std::max(from.n_rows, from.width) > MAX_SIDE) return false;
      i32 counts[10] = {};
      bool changes = false;
      for (i64 k = 0; k < from.n_cells(); k++) {
        counts[from.cells[k]]++;
        counts[to.cells[k]]--;
        changes |= from.cells[k] != to.cells[k];
      }
      if (!changes || std::any_of(counts + 1, counts + 10, [](i32 n) { return n < 0; })) return false;
    }
    return true;
  }
  u64 cost() const {
    return STEPS_PER_CELL * (CELLS_PER_DEMO * inputs_.size() + n_input_cells());
  }

  // Returns false if more than `max_moved` cells had to be moved.
  bool learn(u64 max_moved) {
    for (int cut = 0; cut < N_CUTS; cut++)
      if (!learn_cut(cut, max_moved)) return false;
    std::stable_sort(rules.begin(), rules.end(),
                     [](const SlideRule& a, const SlideRule& b) { return a.bits() < b.bits(); });
    return true;
  }

 private:
  u64 n_moved_ = 0;

  bool learn_cut(int cut, u64 max_moved) {
    std::vector<Example> examples;
    for (const Scene& input : inputs_) {
      examples.emplace_back(input, CUTS[cut]);
      if (examples.back().things.empty()) return true;
    }
    // Whether the first demo's output is right, by the steps of its objects and the stop: many rules share these.
    std::map<std::pair<std::vector<Step>, int>, bool> agrees_with_first;
    // The rules for a set of objects, which several values of `which` select, and the cells to move to find them again.
    struct Known {
      std::vector<SlideRule> rules;
      u64 n_moved = 0;
    };
    std::map<std::vector<std::vector<bool>>, Known> known_rules;
    SlideRule rule;
    rule.cut = cut;
    for (rule.which = 0; rule.which < N_WHICH; rule.which++) {
      std::vector<std::vector<bool>> sliding;
      for (const Example& of : examples) sliding.push_back(sliding_of(of, rule.which));
      if (!moves_all_that_change(examples, sliding)) continue;
      const auto [at, is_new] = known_rules.try_emplace(sliding);
      Known& known = at->second;
      if (is_new && !learn_for(examples, sliding, rule, max_moved, agrees_with_first, known.rules, known.n_moved))
        return false;
      if (!is_new) n_moved_ += known.n_moved;
      if (n_moved_ > max_moved) return false;
      for (SlideRule each : known.rules) {
        each.which = rule.which;
        rules.push_back(each);
      }
    }
    return true;
  }

  // Finds the rules for objects. `n_moved` is the number of cells moved for rules that were not remembered.
  bool learn_for(const std::vector<Example>& examples, const std::vector<std::vector<bool>>& sliding, SlideRule rule,
                 u64 max_moved, std::map<std::pair<std::vector<Step>, int>, bool>& agrees_with_first,
                 std::vector<SlideRule>& found, u64& n_moved) {
    for (rule.direction = 0; rule.direction < N_DIRECTIONS; rule.direction++) {
      std::vector<Slide> slides;
      bool lacks_direction = false, some_slide = true;
      for (size_t d = 0; d < examples.size() && some_slide; d++) {
        slides.push_back(slide_of(examples[d], sliding[d], rule.direction));
        some_slide = false;
        for (size_t k = 0; k < sliding[d].size(); k++) {
          const bool has_direction = !slides.back().steps[k].is_none();
          lacks_direction |= sliding[d][k] && !has_direction;
          some_slide |= has_direction;
        }
      }
      if (!some_slide) continue;
      for (int vanish = 0; vanish <= (int)lacks_direction; vanish++)
        for (rule.stop = 0; rule.stop < N_STOPS; rule.stop++) {
          rule.vanish = vanish;
          u64 n_moved_here = 0;
          const auto agrees = [&](size_t d) {
            const std::vector<i32> cells = render(examples[d], slides[d], rule.stop, rule.vanish, n_moved_here);
            return std::equal(cells.begin(), cells.end(), outputs_[d].cells);
          };
          const bool agrees_first =
              vanish ? agrees(0) : remembered(agrees_with_first, slides[0], rule.stop, agrees);
          if (!vanish) {
            n_moved_ += n_moved_here;
            n_moved_here = 0;
          }
          size_t d = agrees_first ? 1 : examples.size() + 1;
          while (d < examples.size() && agrees(d)) d++;
          if (d == examples.size()) found.push_back(rule);
          n_moved_ += n_moved_here;
          n_moved += n_moved_here;
        }
      if (n_moved_ > max_moved) return false;
    }
    return true;
  }

  template <class Agrees>
  static bool remembered(std::map<std::pair<std::vector<Step>, int>, bool>& known, const Slide& slide, int stop,
                         Agrees agrees) {
    const auto [at, is_new] = known.try_emplace({slide.steps, stop}, false);
    if (is_new) at->second = agrees(0);
    return at->second;
  }

  bool moves_all_that_change(const std::vector<Example>& examples,
                             const std::vector<std::vector<bool>>& sliding) const {
    bool some = false;
    for (size_t d = 0; d < examples.size(); d++)
      for (size_t of = 0; of < sliding[d].size(); of++) {
        const Thing& thing = examples[d].things[of];
        if (sliding[d][of]) {
          some = true;
          continue;
        }
        for (const Place& at : thing)
          if (outputs_[d].cell(at.row, at.column) != thing.color(at)) return false;
      }
    return some;
  }
};

Votes<SlideRule> votes_of(const SlideLearner& learner, const Scene& grid) {
  Votes<SlideRule> votes;
  u64 n_moved = 0;
  std::vector<Example> by_cut;
  for (int cut : CUTS) by_cut.emplace_back(grid, cut);
  for (const SlideRule& rule : learner.rules) {
    const Example& of = by_cut[(size_t)rule.cut];
    if (of.things.empty()) continue;
    Drawing drawing(grid.n_rows, grid.width);
    drawing.cells = render(of, slide_of(of, sliding_of(of, rule.which), rule.direction), rule.stop, rule.vanish, n_moved);
    votes.add(std::move(drawing), rule);
  }
  return votes;
}

ARC_IMPLEMENT(learn_slides) {
  if (!are_color_grids(args[0], args[1])) return fail(WRONG_TYPE);
  SlideLearner learner(args[0]);
  const Scene grid = scene_of(args[1]);
  if (!args[0].n || !learner.can_be_slides() || std::max(grid.n_rows, grid.width) > MAX_SIDE) return fail(EMPTY);
  const u64 steps = learner.cost();
  ARC_CHARGE(steps);
  if (!learner.learn(100 * steps)) return fail(EMPTY);
  ARC_CHARGE(learner.rules.size() * (u64)grid.n_cells() / CELLS_PER_STEP);
  Votes<SlideRule> votes = votes_of(learner, grid);
  const auto* choice = votes.at(args[2].number);
  return choice ? cells_value(lane, choice->drawing.cells, grid.width) : fail(EMPTY);
}

// Returns the way of cutting, which objects slide, where to, how far, and whether those without a direction vanish.
ARC_RULE(learn_slides) {
  SlideLearner learner(args[0]);
  if (!args[0].n || !learner.can_be_slides() || !learner.learn(100 * learner.cost()))
    return fail(EMPTY);
  Votes<SlideRule> votes = votes_of(learner, scene_of(args[1]));
  const auto* choice = votes.at(args[2].number);
  if (!choice) return fail(EMPTY);
  const SlideRule& rule = choice->rule;
  return numbers_value(lane, std::vector<int>{rule.cut, rule.which, rule.direction, rule.stop, (int)rule.vanish});
}

}  // namespace
}  // namespace arc
