// The grids that a learner gets: the demos, and the grid that the rule is applied to.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "places.hpp"
#include "learner.hpp"

namespace arc {

// The longest side of what learners draw, and of the grids that some of them learn from.
constexpr i32 MAX_SIDE = 30;

struct DemoGrids {
  std::vector<Scene> inputs;   // of the demos, then the grid that the rule is applied to
  std::vector<Scene> outputs;  // of the demos

  size_t n_demos() const { return outputs.size(); }
  const Scene& grid() const { return inputs.back(); }
};

// Returns the grids of all demos, or of those whose output has the input's size.
inline DemoGrids read_demos(const Value& demos, const Value& grid, bool only_same_size) {
  DemoGrids grids;
  grids.inputs.reserve(demos.n + 1);
  grids.outputs.reserve(demos.n);
  for (u32 k = 0; k < demos.n; k++) {
    const Scene input = demo_side(demos, k, 0), output = demo_side(demos, k, 1);
    if (only_same_size && !same_size(input, output)) continue;
    grids.inputs.push_back(input);
    grids.outputs.push_back(output);
  }
  grids.inputs.push_back(scene_of(grid));
  return grids;
}

// The demos that a rule is learned from; the base of learners.
class DemoLearner {
 public:
  explicit DemoLearner(const Value& demos) {
    for (u32 d = 0; d < demos.n; d++) {
      inputs_.push_back(demo_side(demos, d, 0));
      outputs_.push_back(demo_side(demos, d, 1));
    }
  }

 protected:
  std::vector<Scene> inputs_, outputs_;

  bool keep_sizes() const { return std::equal(inputs_.begin(), inputs_.end(), outputs_.begin(), same_size); }
  // Whether some output is not its input.
  bool change() const {
    return !std::equal(inputs_.begin(), inputs_.end(), outputs_.begin(), [](const Scene& from, const Scene& to) {
      return same_size(from, to) && std::equal(from.cells, from.cells + from.n_cells(), to.cells);
    });
  }
  u64 n_input_cells() const {
    u64 n = 0;
    for (const Scene& input : inputs_) n += (u64)input.n_cells();
    return n;
  }
};

inline bool are_color_grids(const Value& demos, const Value& grid) {
  return are_color_demos(demos) && is_color_grid(grid);
}

// A grid that a rule draws.
struct Drawing {
  std::vector<i32> cells;
  i32 width = 0;

  Drawing() = default;
  Drawing(i32 height, i32 columns) { blank(height, columns); }
  explicit Drawing(const Scene& scene) { copy(scene); }
  void blank(i32 height, i32 columns) {
    width = columns;
    cells.assign((size_t)height * (size_t)columns, 0);
  }
  void copy(const Scene& scene) {
    width = scene.width;
    cells.assign(scene.cells, scene.cells + scene.n_cells());
  }
  i32& cell(i32 i, i32 j) { return cells[(size_t)i * (size_t)width + (size_t)j]; }
  i32 cell(i32 i, i32 j) const { return cells[(size_t)i * (size_t)width + (size_t)j]; }
  i32 n_rows() const { return width ? (i32)cells.size() / width : 0; }
  bool shows(const Scene& wanted) const {
    return width == wanted.width && (i64)cells.size() == wanted.n_cells() &&
           std::equal(cells.begin(), cells.end(), wanted.cells);
  }
};

// The grids that rules vote for: a rule of n quarters of a bit counts 2 to the power of -n / 4.
template <class Rule>
class Votes {
 public:
  // A grid, and the first rule that gives it.
  struct Choice {
    Drawing drawing;
    Rule rule;
    double weight = 0.0;
  };

  void add(Drawing drawing, const Rule& rule) {
    auto same = std::find_if(choices_.begin(), choices_.end(), [&](const Choice& each) {
      return each.drawing.width == drawing.width && each.drawing.cells == drawing.cells;
    });
    if (same == choices_.end()) same = choices_.insert(same, Choice{std::move(drawing), rule});
    same->weight += std::exp2(-rule.bits() / 4.0);
  }
  // Returns the choice at a place, those of most weight first, or the last one; null if there is none.
  const Choice* at(i64 place) {
    if (choices_.empty()) return nullptr;
    std::stable_sort(choices_.begin(), choices_.end(),
                     [](const Choice& a, const Choice& b) { return a.weight > b.weight; });
    return &choices_[std::min((size_t)place, choices_.size() - 1)];
  }

 private:
  std::vector<Choice> choices_;
};

// The choices that agree with all demos for cells or things with the same key, as bits; the lowest is used.
struct Choices {
  u32 bits = ~0u;

  // Returns false if no choice is left.
  bool narrow(u32 right) { return (bits &= right) != 0; }
  int first() const { return lowest_bit(bits); }
};

// The sources of a color, as bits: below 10 positions in a list of colors, from 10 on fixed colors.
inline u32 ways_to(i32 color, const std::vector<i32>& sources) {
  u32 ways = 1u << (10 + color);
  for (size_t k = 0; k < sources.size(); k++) ways |= (u32)(sources[k] == color) << k;
  return ways;
}
inline i32 follow_way(int way, const std::vector<i32>& sources) { return way < 10 ? sources[way] : way - 10; }

}  // namespace arc
