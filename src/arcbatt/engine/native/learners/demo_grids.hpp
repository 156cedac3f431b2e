// The grids that a learner gets: the demos, and the grid that the rule is applied to.
#pragma once
#include <vector>

#include "places.hpp"
#include "learner.hpp"

namespace arc {

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

inline bool are_color_grids(const Value& demos, const Value& grid) {
  return are_color_demos(demos) && is_color_grid(grid);
}

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
