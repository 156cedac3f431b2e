// Continues repeating patterns; language/learners/patterns.py documents the forms.
#include <algorithm>
#include <vector>

#include "places.hpp"
#include "learner.hpp"

namespace arc {
namespace {

constexpr i32 MAX_PATTERN_SIDE = 30, MAX_PERIOD = 15;
enum PatternForm { BY_STEP, BY_ROW, BY_COLUMN, RISING, FALLING, BOTH_WAYS };

// A grid with some known cells, and the size of the output.
struct Pattern {
  Scene scene;
  i32 n_rows, width;
  bool hidden;

  bool knows(i64 i, i64 j) const { return scene.has(i, j) && (!hidden || scene.cell(i, j)); }
};

// --- one step ---

bool step_repeats(const Pattern& pattern, i32 di, i32 dj, i64 n_shown) {
  const Scene& scene = pattern.scene;
  i64 n_equal = 0;
  for (i32 i = 0; i < scene.n_rows; i++)
    for (i32 j = 0; j < scene.width; j++) {
      if (!pattern.knows(i, j) || !pattern.knows(i + di, j + dj)) continue;
      if (scene.cell(i, j) != scene.cell(i + di, j + dj)) return false;
      n_equal += scene.cell(i, j) != 0;
    }
  return 3 * n_equal >= n_shown && n_equal;
}
void fill_by_step(const Pattern& pattern, i32 di, i32 dj, i32* to) {
  for (i32 i = 0; i < pattern.n_rows; i++)
    for (i32 j = 0; j < pattern.width; j++) {
      i32 color = -1;
      for (i32 k = 0; k <= MAX_PATTERN_SIDE && color < 0; k++) {
        if (pattern.knows(i + k * di, j + k * dj))
          color = pattern.scene.cell(i + k * di, j + k * dj);
        else if (pattern.knows(i - k * di, j - k * dj))
          color = pattern.scene.cell(i - k * di, j - k * dj);
      }
      *to++ = std::max(color, 0);
    }
}
bool continue_by_step(const Pattern& pattern, i32* to) {
  const i32 n_rows = pattern.scene.n_rows, width = pattern.scene.width;
  i64 n_shown = 0;
  for (i64 k = 0; k < pattern.scene.n_cells(); k++) n_shown += pattern.scene.cells[k] != 0;
  // Shortest first: by the longer component, then by their sum, then by rows, then by columns.
  for (i32 longer = 1; longer < std::max(n_rows, width); longer++)
    for (i32 sum = longer; sum <= 2 * longer; sum++)
      for (i32 di = 0; di <= std::min(longer, n_rows - 1); di++) {
        const i32 along = sum - di;
        if (along < 0 || std::max(di, along) != longer || along >= width) continue;
        for (i32 dj = -along; dj <= along; dj += std::max(2 * along, 1)) {
          if (di == 0 && dj <= 0) continue;
          if (!step_repeats(pattern, di, dj, n_shown)) continue;
          fill_by_step(pattern, di, dj, to);
          return true;
        }
      }
  return false;
}

// --- each line separately ---

// Continues n cells of the grid, `from_step` apart, with their shortest period to `length` cells, `step` apart.
void continue_line(const i32* from, i64 n, i64 from_step, bool hidden, i32* to, i64 length, i64 step) {
  while (hidden && n && from[(n - 1) * from_step] == 0) n--;
  i64 period = 1;
  for (; period < n; period++) {
    bool repeats = true;
    for (i64 k = period; k < n && repeats; k++) repeats = from[k * from_step] == from[(k - period) * from_step];
    if (repeats) break;
  }
  for (i64 k = 0; k < length; k++) to[k * step] = n ? from[k % period * from_step] : 0;
}
bool continue_lines(const Pattern& pattern, bool rows, i32* to) {
  const Scene& scene = pattern.scene;
  if (rows ? scene.n_rows < pattern.n_rows : scene.width < pattern.width) return false;
  for (i64 k = 0; k < (rows ? pattern.n_rows : pattern.width); k++) {
    if (rows)
      continue_line(scene.cells + k * scene.width, scene.width, 1, pattern.hidden, to + k * pattern.width,
                    pattern.width, 1);
    else
      continue_line(scene.cells + k, scene.n_rows, scene.width, pattern.hidden, to + k, pattern.n_rows,
                    pattern.width);
  }
  return true;
}

// --- classes of places ---

i32 remainder_of(i32 x, i32 period) {
  const i32 rest = x % period;
  return rest < 0 ? rest + period : rest;
}
// The class of a place; `down` and `along` are periods, the second is 0 for diagonals.
i32 place_class(i64 form, i32 i, i32 j, i32 down, i32 along) {
  if (form == BOTH_WAYS) return i % down * along + j % along;
  return remainder_of(form == RISING ? i + j : i - j, down);
}
// Fills the output if the known places of each class have one color and all classes are known.
bool fill_by_class(const Pattern& pattern, i64 form, i32 down, i32 along, i32* to) {
  std::vector<i32> colors(form == BOTH_WAYS ? down * along : down, -1);
  for (i32 i = 0; i < pattern.scene.n_rows; i++)
    for (i32 j = 0; j < pattern.scene.width; j++) {
      if (!pattern.knows(i, j)) continue;
      i32& color = colors[place_class(form, i, j, down, along)];
      if (color >= 0 && color != pattern.scene.cell(i, j)) return false;
      color = pattern.scene.cell(i, j);
    }
  for (i32 i = 0; i < pattern.n_rows; i++)
    for (i32 j = 0; j < pattern.width; j++) {
      const i32 color = colors[place_class(form, i, j, down, along)];
      if (color < 0) return false;
      *to++ = color;
    }
  return true;
}
bool continue_by_class(const Pattern& pattern, i64 form, i32* to) {
  if (form != BOTH_WAYS) {
    for (i32 period = 1; period <= MAX_PERIOD; period++)
      if (fill_by_class(pattern, form, period, 0, to)) return true;
    return false;
  }
  for (i32 n = 1; n <= pattern.n_rows * pattern.width; n++)
    for (i32 down = 1; down <= pattern.n_rows; down++)
      if (n % down == 0 && n / down <= pattern.width &&
          fill_by_class(pattern, form, down, n / down, to))
        return true;
  return false;
}

bool continue_pattern(const Pattern& pattern, i64 form, i32* to) {
  if (form == BY_STEP) return continue_by_step(pattern, to);
  if (form == BY_ROW || form == BY_COLUMN) return continue_lines(pattern, form == BY_ROW, to);
  return continue_by_class(pattern, form, to);
}

ARC_IMPLEMENT(continue_pattern) {
  const Value demos = args[0];
  if (!are_color_demos(demos) || !is_color_grid(args[1])) return fail(WRONG_TYPE);
  Pattern pattern;
  pattern.scene = scene_of(args[1]);
  pattern.n_rows = pattern.scene.n_rows;
  pattern.width = pattern.scene.width;
  pattern.hidden = args[3].number != 0;
  bool keep_size = true, one_size = true;
  for (i64 d = 0; d < (i64)demos.n; d++) {
    keep_size &= same_size(demo_side(demos, d, 0), demo_side(demos, d, 1));
    one_size &= same_size(demo_side(demos, 0, 1), demo_side(demos, d, 1));
  }
  if (!keep_size) {
    if (!one_size) return fail(EMPTY);
    pattern.n_rows = demo_side(demos, 0, 1).n_rows;
    pattern.width = demo_side(demos, 0, 1).width;
  }
  if (pattern.n_rows < pattern.scene.n_rows || pattern.width < pattern.scene.width) return fail(EMPTY);
  if (std::max(pattern.n_rows, pattern.width) > MAX_PATTERN_SIDE) return fail(EMPTY);
  const i64 n = (i64)pattern.n_rows * pattern.width;
  i64 n_known = 0;
  for (i64 k = 0; k < pattern.scene.n_cells(); k++) n_known += !pattern.hidden || pattern.scene.cells[k] != 0;
  if (n_known == 0 || n_known == n) return fail(EMPTY);
  ARC_CHARGE((u64)n * (16 + (u64)n / 32));
  ARC_ALLOCATE(to, i32, n);
  if (!continue_pattern(pattern, args[2].number, to)) return fail(EMPTY);
  return grid_value(to, (u32)pattern.n_rows, (u32)pattern.width);
}

}  // namespace
}  // namespace arc
