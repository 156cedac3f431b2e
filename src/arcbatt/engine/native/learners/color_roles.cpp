// Learns the roles of colors from the demos' inputs; documented in language/learners/color_roles.py.
#include <array>

#include "arcbatt/joined_parts.hpp"
#include "demo_grids.hpp"

namespace arc {
namespace {

// Measures that select a color: cells, parts and enclosed cells, each followed by its negative; being color 1 to 9; how
// far the color reaches in 8 directions.
enum Measure { N_CELLS, N_PARTS = 2, N_ENCLOSED = 4, FIRST_COLOR = 6, FIRST_REACH = 15, N_MEASURES = 23 };
enum Reach { RIGHT, LEFT, DOWN, UP };

struct Measures {
  u32 colors = 0;  // those that are measured
  i32 numbers[10][N_MEASURES] = {};
};

u32 colors_of(const Scene& scene) {
  u32 colors = 0;
  for (i64 k = 0; k < scene.n_cells(); k++) colors |= 1u << scene.cells[k];
  return colors;
}

// The number of cells of other colors that the n cells of a color separate from the edge; all lie in the color's box.
i32 count_enclosed(const Scene& scene, i32 color, i32 n, Place from, Place to) {
  const i32 height = to.row - from.row + 1, width = to.column - from.column + 1;
  if (n < 4 || height < 3 || width < 3 || n == height * width) return 0;
  std::vector<u8> is_closed((size_t)(height * width));
  std::vector<Place> places(is_closed.size());
  for (i32 i = 0; i < height; i++)
    for (i32 j = 0; j < width; j++)
      is_closed[(size_t)(i * width + j)] = scene.cell(from.row + i, from.column + j) == color;
  const i32 n_reached = reach_from_edge(height, width, places.data(), [&](i32 k) {
    const bool is_open = !is_closed[(size_t)k];
    is_closed[(size_t)k] = 1;
    return is_open;
  });
  return height * width - n - n_reached;
}

// Counts the 8-connected parts of each color other than 0.
void count_parts(const Scene& scene, Measures& m) {
  const i32 width = scene.width, *cells = scene.cells;
  std::vector<i32> parents((size_t)scene.n_cells());
  i32 k = 0;
  for (i32 i = 0; i < scene.n_rows; i++)
    for (i32 j = 0; j < width; j++, k++) {
      const i32 color = cells[k];
      if (color == 0) continue;
      // The cell above touches all other earlier neighbors; the two on the left touch each other.
      if (i && cells[k - width] == color) {
        parents[k] = parents[k - width];
        continue;
      }
      const bool above_right = i && j + 1 < width && cells[k - width + 1] == color;
      const bool before = j && cells[k - 1] == color, above_left = i && j && cells[k - width - 1] == color;
      const i32 left = before ? k - 1 : above_left ? k - width - 1 : -1;
      parents[k] = above_right ? parents[k - width + 1] : left >= 0 ? parents[left] : k;
      if (!above_right && left < 0) m.numbers[color][N_PARTS]++;
      if (above_right && left >= 0 && join_parts(parents.data(), k, left)) m.numbers[color][N_PARTS]--;
    }
}

// Measures the colors of a grid that are not in `without`.
Measures measure_colors(const Scene& scene, u32 without) {
  Measures m;
  const i32 n_rows = scene.n_rows, width = scene.width;
  m.colors = colors_of(scene) & ~without;
  for (i32 i = 0; i < n_rows; i++) {
    // The first and the last cell of a color in the row reach furthest.
    const i32* row = scene.cells + (i64)i * width;
    i32 first[10], last[10];
    u32 colors = 0;
    for (i32 j = width - 1; j >= 0; j--) first[row[j]] = j;
    for (i32 j = 0; j < width; j++) {
      last[row[j]] = j;
      m.numbers[row[j]][N_CELLS]++;
      colors |= 1u << row[j];
    }
    const i32 down = i + 1, up = n_rows - i;
    for (; colors; colors &= colors - 1) {
      const int c = lowest_bit(colors);
      const i32 right = last[c] + 1, left = width - first[c];
      const i32 reaches[8] = {right, left, down, up, down + right - 1, up + left - 1, down + left - 1, up + right - 1};
      i32* most = m.numbers[c] + FIRST_REACH;
      for (int k = 0; k < 8; k++) most[k] = std::max(most[k], reaches[k]);
    }
  }
  count_parts(scene, m);
  for (int c = 0; c < 10; c++) {
    if (!(m.colors >> c & 1)) continue;
    i32* numbers = m.numbers[c];
    const i32* reaches = numbers + FIRST_REACH;
    const Place from = {n_rows - reaches[UP], width - reaches[LEFT]}, to = {reaches[DOWN] - 1, reaches[RIGHT] - 1};
    numbers[N_ENCLOSED] = count_enclosed(scene, c, numbers[N_CELLS], from, to);
    for (int k = 0; k < FIRST_COLOR; k += 2) numbers[k + 1] = -numbers[k];
    if (c > 0) numbers[FIRST_COLOR + c - 1] = 1;
  }
  return m;
}

// Returns the color with the greatest measure, the lowest of several; there is at least one.
int best_color(const Measures& m, int measure) {
  int best = lowest_bit(m.colors);
  for (int c = best + 1; c < 10; c++)
    if (m.colors >> c & 1 && m.numbers[c][measure] > m.numbers[best][measure]) best = c;
  return best;
}

struct Ratio {
  i64 part, whole;
  bool operator<(const Ratio& other) const { return part * other.whole < other.part * whole; }
};
// Returns how clearly a measure selects a color: the difference of the two greatest numbers over the sum of their
// absolute values.
Ratio margin_of(const Measures& m, int measure) {
  std::vector<i64> numbers;
  for (int c = 0; c < 10; c++)
    if (m.colors >> c & 1) numbers.push_back(m.numbers[c][measure]);
  if (numbers.size() == 1) return {numbers[0] != 0, 1};
  std::partial_sort(numbers.begin(), numbers.begin() + 2, numbers.end(), std::greater<i64>());
  if (numbers[0] == numbers[1]) return {0, 1};
  return {numbers[0] - numbers[1], std::abs(numbers[0]) + std::abs(numbers[1])};
}

struct RoleRule {
  u32 fixed = 1;              // colors that are their own roles, ascending
  std::vector<int> measures;  // of the further roles
};

RoleRule learn_roles(const Value& demos) {
  RoleRule rule;
  u32 in_any = 0, in_all = ~0u, out_any = 0, out_all = ~0u;
  for (u32 k = 0; k < demos.n; k++) {
    const u32 given = colors_of(demo_side(demos, k, 0)), wanted = colors_of(demo_side(demos, k, 1));
    in_any |= given;
    in_all &= given;
    out_any |= wanted;
    out_all &= wanted;
  }
  if (demos.n) rule.fixed |= (out_any & ~in_any) | (in_all & ~out_any) | (out_any == out_all ? out_any : 0);
  std::vector<Measures> all;
  for (u32 k = 0; k < demos.n; k++) all.push_back(measure_colors(demo_side(demos, k, 0), rule.fixed));
  for (;;) {
    int best = -1;
    Ratio best_margin = {0, 1};
    for (int measure = 0; measure < N_MEASURES; measure++) {
      Ratio worst = {2, 1};  // no margin is greater than 1
      for (const Measures& m : all)
        if (m.colors) worst = std::min(worst, margin_of(m, measure));
      if (worst.part < 2 * worst.whole && best_margin < worst) {
        best = measure;
        best_margin = worst;
      }
    }
    if (best < 0) return rule;
    rule.measures.push_back(best);
    for (Measures& m : all)
      if (m.colors) m.colors &= ~(1u << best_color(m, best));
  }
}

// Returns the color of a grid for each role.
std::array<i32, 10> find_roles(const RoleRule& rule, const Scene& scene) {
  Measures m = measure_colors(scene, rule.fixed);
  std::vector<int> roles;
  u32 used = rule.fixed;
  for (int c = 0; c < 10; c++)
    if (rule.fixed >> c & 1) roles.push_back(c);
  for (int measure : rule.measures) {
    int color = -1;
    if (measure >= FIRST_COLOR && measure < FIRST_REACH) {
      if (!(used >> (measure - FIRST_COLOR + 1) & 1)) color = measure - FIRST_COLOR + 1;
    } else if (m.colors) {
      color = best_color(m, measure);
    }
    roles.push_back(color);
    if (color < 0) continue;
    used |= 1u << color;
    m.colors &= ~(1u << color);
  }
  std::array<i32, 10> colors;
  for (size_t k = 0; k < 10; k++) {
    int color = k < roles.size() ? roles[k] : -1;
    if (color < 0) color = lowest_bit(m.colors ? m.colors : ~used);  // the grid's other colors, then those it lacks
    used |= 1u << color;
    m.colors &= ~(1u << color);
    colors[k] = color;
  }
  return colors;
}
std::array<i32, 10> inverse(const std::array<i32, 10>& roles) {
  std::array<i32, 10> numbers;
  for (i32 role = 0; role < 10; role++) numbers[(size_t)roles[(size_t)role]] = role;
  return numbers;
}

Value renamed(Lane& lane, const Value& grid, const std::array<i32, 10>& names) {
  const i64 n = scene_of(grid).n_cells();
  ARC_ALLOCATE(to, i32, n);
  for (i64 k = 0; k < n; k++) to[k] = names[(size_t)grid.ints[k]];
  return grid_value(to, grid.n, (u32)width_of(grid));
}

ARC_IMPLEMENT(role_demos) {
  if (!are_color_demos(args[0])) return fail(WRONG_TYPE);
  const RoleRule rule = learn_roles(args[0]);
  std::array<i32, 10> names;
  return demos_by(lane, args[0], [&](u32 k, u32 side, const Value& grid) {
    if (side == 0) names = inverse(find_roles(rule, demo_side(args[0], k, 0)));
    return renamed(lane, grid, names);
  });
}

ARC_IMPLEMENT(to_roles) {
  if (!are_color_grids(args[0], args[1])) return fail(WRONG_TYPE);
  return renamed(lane, args[1], inverse(find_roles(learn_roles(args[0]), scene_of(args[1]))));
}

ARC_IMPLEMENT(from_roles) {
  if (!are_color_grids(args[0], args[1]) || !is_color_grid(args[2])) return fail(WRONG_TYPE);
  return renamed(lane, args[2], find_roles(learn_roles(args[0]), scene_of(args[1])));
}

// The fixed colors, and the measures of the further roles.
ARC_RULE(to_roles) {
  const RoleRule rule = learn_roles(args[0]);
  std::vector<int> fixed;
  for (int c = 0; c < 10; c++)
    if (rule.fixed >> c & 1) fixed.push_back(c);
  return tuple_value(lane, {numbers_value(lane, fixed), numbers_value(lane, rule.measures)});
}
ARC_RULE(role_demos) { return rule_to_roles(lane, args); }

}  // namespace
}  // namespace arc
