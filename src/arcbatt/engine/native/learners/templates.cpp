// Completes parts of templates; language/learners/templates.py documents how they match.
#include <algorithm>
#include <vector>

#include "learner.hpp"
#include "parts.hpp"

namespace arc {
namespace {

constexpr size_t MAX_PARTS = 32, MAX_MATCHES = 512;
constexpr i32 MAX_CELLS = 100, MAX_SCALE = 4;
enum MatchCode { BY_COLORS, BY_ANCHORS, BY_SHAPE };

struct TemplateCell {
  i32 color;
  Place at;
};

// A part as a template, mirrored or turned.
struct Template {
  i32 number, body = 1;  // body: its most common color
  std::vector<TemplateCell> cells;
  i32 counts[10] = {};

  Template(const Part& part, int turn) : number(part.label) {
    // In reading order before turning, which decides ties.
    for (i32 row = part.top; row <= part.bottom; row++)
      for (i32 column = part.left; column <= part.right; column++) {
        if (!part.has(row, column)) continue;
        const i32 color = part.color({row, column});
        const i32 i = turn & 1 ? part.bottom - row : row - part.top;
        const i32 j = turn & 2 ? part.right - column : column - part.left;
        cells.push_back({color, turn & 4 ? Place{j, i} : Place{i, j}});
        counts[color]++;
      }
    for (i32 c = 2; c < 10; c++)
      if (counts[c] > counts[body]) body = c;
  }
};

// A place at which some of a template is there.
struct Match {
  i32 number, turn, scale;  // number: of the template
  Place at;
  i32 n_there = 0, body_color = 0;
  u32 parts = 0;  // bits of those that it consists of
};

class TemplateSearch {
 public:
  TemplateSearch(Lane& lane, const Scene& grid, i32 code)
      : lane_(lane),
        grid_(grid),
        code_(code),
        parts_(grid, code == BY_SHAPE ? TOGETHER_4 : TOGETHER_8) {}

  Reason complete(int n_turns, bool removes, std::vector<i32>& to) {
    if (!lane_.charge(parts_.cost())) return OVER_BUDGET;
    if (parts_.size() > MAX_PARTS) return EMPTY;
    const Reason why = find_matches(n_turns);
    if (why != OK) return why;
    to.assign(grid_.cells, grid_.cells + grid_.n_cells());
    draw_matches(removes, to);
    return OK;
  }

 private:
  // Finds all matches: of the largest template first, by turn, scale, other part and cell.
  Reason find_matches(int n_turns) {
    std::vector<i32> order;
    for (size_t k = 0; k < parts_.size(); k++) order.push_back((i32)k);
    std::stable_sort(order.begin(), order.end(), [&](i32 a, i32 b) { return parts_[a].size > parts_[b].size; });
    for (const i32 number : order) {
      const Part& part = parts_[number];
      if (count_bits(part.colors) < 2 || part.size > MAX_CELLS) continue;
      if (!lane_.charge((u64)n_turns * MAX_SCALE * parts_.size() * (u64)part.size)) return OVER_BUDGET;
      for (int turn = 0; turn < n_turns; turn++) {
        const Template own(part, turn);
        for (i32 scale = 1; scale <= MAX_SCALE; scale++)
          for (i32 target = 0; target < (i32)parts_.size(); target++) {
            if (target == number || parts_[target].size % (scale * scale)) continue;
            const Place first = parts_[target].places[0];
            for (const TemplateCell& cell : own.cells) {
              const Place at = {first.row - scale * cell.at.row, first.column - scale * cell.at.column};
              Match match = {number, turn, scale, at};
              if (!is_match(own, target, match)) continue;
              if (matches_.size() == MAX_MATCHES) return EMPTY;
              matches_.push_back(match);
            }
          }
      }
    }
    return matches_.empty() ? EMPTY : OK;
  }

  // Whether a template matches; completes the match.
  bool is_match(const Template& own, i32 target, Match& match) const {
    i32 n_of[10] = {};
    match.body_color = code_ == BY_ANCHORS ? 0 : own.body;
    for (const TemplateCell& cell : own.cells) {
      const i32 top = match.at.row + match.scale * cell.at.row, left = match.at.column + match.scale * cell.at.column;
      const i32 shown = color_of_square(top, left, match.scale);
      if (shown == 0) continue;
      if (shown < 0) return false;
      if (code_ == BY_ANCHORS && cell.color == own.body) {
        if (!match.body_color) match.body_color = shown;
        if (shown != match.body_color || (shown != own.body && own.counts[shown])) return false;
      } else if (code_ != BY_SHAPE && shown != cell.color) {
        return false;
      }
      for (i32 i = top; i < top + match.scale; i++)
        for (i32 j = left; j < left + match.scale; j++) match.parts |= 1u << parts_[0].labels[(i64)i * grid_.width + j];
      if (code_ == BY_SHAPE && match.parts != 1u << target) return false;
      match.n_there++;
      n_of[cell.color]++;
    }
    if (match.parts >> own.number & 1) return false;
    i32 n_cells = 0;
    for (u32 rest = match.parts; rest; rest &= rest - 1) n_cells += parts_[lowest_bit(rest)].size;
    if (n_cells != match.n_there * match.scale * match.scale) return false;
    const i32 n = (i32)own.cells.size();
    if (code_ == BY_SHAPE) return match.n_there == n && count_bits(parts_[target].colors) == 1;
    bool is_any_whole = false, are_others_whole = true;
    for (i32 c = 1; c < 10; c++) {
      if (!own.counts[c]) continue;
      const bool is_whole = n_of[c] == own.counts[c];
      is_any_whole |= is_whole;
      are_others_whole &= is_whole || c == own.body;
    }
    if (code_ == BY_COLORS) return match.n_there > 0 && match.n_there < n && is_any_whole;
    return n_of[own.body] > 0 && n_of[own.body] < own.counts[own.body] && are_others_whole;
  }
  // The color all over a square, 0 also outside the grid; -1 if there are several.
  i32 color_of_square(i32 top, i32 left, i32 side) const {
    i32 color = -1;
    for (i32 i = top; i < top + side; i++)
      for (i32 j = left; j < left + side; j++) {
        const i32 here = grid_.has(i, j) ? grid_.cell(i, j) : 0;
        if (color >= 0 && here != color) return -1;
        color = here;
      }
    return color;
  }

  // Draws the templates of matches that share no part, those with the most cells first.
  void draw_matches(bool removes, std::vector<i32>& to) {
    std::stable_sort(matches_.begin(), matches_.end(),
                     [](const Match& a, const Match& b) { return a.n_there > b.n_there; });
    u32 taken = 0, used = 0;
    for (const Match& match : matches_) {
      if (taken & (match.parts | 1u << match.number)) continue;
      taken |= match.parts;
      used |= 1u << match.number;
      const Template own(parts_[match.number], match.turn);
      for (const TemplateCell& cell : own.cells) {
        const i32 top = match.at.row + match.scale * cell.at.row, left = match.at.column + match.scale * cell.at.column;
        for (i32 i = top; i < top + match.scale; i++)
          for (i32 j = left; j < left + match.scale; j++)
            if (grid_.has(i, j)) to[(i64)i * grid_.width + j] = cell.color == own.body ? match.body_color : cell.color;
      }
    }
    for (u32 rest = removes ? used : 0; rest; rest &= rest - 1)
      for (const Place& at : parts_[lowest_bit(rest)]) to[(i64)at.row * grid_.width + at.column] = 0;
  }

  Lane& lane_;
  Scene grid_;
  i32 code_;
  Parts parts_;
  std::vector<Match> matches_;
};

ARC_IMPLEMENT(complete_templates) {
  if (!is_color_grid(args[0])) return fail(WRONG_TYPE);
  const Scene grid = scene_of(args[0]);
  std::vector<i32> to;
  const Reason why =
      TemplateSearch(lane, grid, (i32)args[1].number).complete(args[2].number ? 8 : 1, args[3].number != 0, to);
  return why == OK ? cells_value(lane, to, grid.width) : fail(why);
}

}  // namespace
}  // namespace arc
