// Features of a picture, and the results of moves that follow from them without running the move.
//
// Features are computed once per picture, and most moves ask for one: smearing to the right leaves a
// picture unchanged that has no 0 to the right of a color. The registry declares which features tell
// the result of a primitive; a test compares all predictions with the definitions.
#pragma once
#include <cstring>

#include "moves.hpp"

namespace arc {

// A picture larger than a board of bits has no features, and moves on it are run.
enum Feature : u64 {
  // Groups of features that are known.
  OF_CELLS = 1ULL << 0,
  OF_TURNS = 1ULL << 1,
  OF_HOLES = 1ULL << 2,
  OF_RIM = 1ULL << 3,
  OF_PARTS = 1ULL << 4,
  // Group OF_CELLS, up to HAS_NOTHING_TO_SMEAR, and colors.
  AT_ORIGIN = 1ULL << 5,
  IS_BLANK = 1ULL << 6,
  IS_FULL = 1ULL << 7,         // no cell is 0
  IS_BLANK_OR_FULL = 1ULL << 8,
  IS_ONE_COLOR = 1ULL << 9,    // at most one other than 0
  IS_TIGHT = 1ULL << 10,       // no row or column on the edge is 0
  HAS_NO_ZERO_LINE = 1ULL << 11,  // no row or column is all 0
  ROWS_ARE_UNIFORM = 1ULL << 12,  // each is all 0, or has no 0
  COLUMNS_ARE_UNIFORM = 1ULL << 13,
  ROWS_HAVE_NO_GAP = 1ULL << 14,  // no 0 between cells that are not
  COLUMNS_HAVE_NO_GAP = 1ULL << 15,
  IS_ONE_COLOR_OR_FULL = 1ULL << 16,
  // The zeros are the same after a turn by a code of `turn`; for 6 also if the picture is not square.
  SHAPE_IS_SYMMETRIC = 1ULL << 17,  // shifted by the code, up to 6
  // All cells are the same after a turn.
  IS_SYMMETRIC = 1ULL << 24,  // shifted by the code, up to 7
  // No color has a 0 next to it in a direction of `smear_directions`.
  HAS_NOTHING_TO_SMEAR = 1ULL << 32,  // shifted by the direction, 1 to 8
  HAS_NO_HOLE = 1ULL << 41,
  IS_ALL_RIM = 1ULL << 42,
  HAS_FEW_PARTS = 1ULL << 43,
  // Shifted by a color from 1 to 9, so the lowest bit of both is free.
  LACKS_COLOR = 1ULL << 43,
  HAS_NO_OTHER_COLOR = 1ULL << 53,
  HAS_FEATURES = 1ULL << 53,  // the picture fits a board of bits
  NEVER = 1ULL << 63,
};

// The known facts about a picture; unknown features are not set. Counts are those of `tally`.
struct Facts {
  u64 features;
  u64 n_shown : 11, n_parts : 8, n_parts_of_one_color : 8, n_colors : 4, main_color : 4;
  // Of a value in the bank: kept here so that everything looked up about it lies together.
  u64 n_rows : 11, width : 11, depth : 6;

  bool has(u64 all) const { return (features & all) == all; }
  i64 tallied(i64 what) const {
    return what == TALLY_SHOWN_CELLS ? n_shown
           : what == TALLY_COLORS    ? n_colors
           : what == TALLY_PARTS     ? n_parts
                                     : n_parts_of_one_color;
  }
};
static_assert(sizeof(Facts) == 16);
// The most parts that fit the field; with more, counts of parts are not predicted.
constexpr i64 MAX_PARTS = 255;

// Rules for results of one color: a rectangle, a cell in place, a count of cells or
// colors, a count of parts.
enum PlainRule : u8 { NO_RULE, SLAB, SPOT, COUNT_CELLS, COUNT_PARTS };

// The prediction of the result of a move.
struct Prediction {
  u64 groups;     // of features that it needs; 0: the move is always run
  u64 unchanged;  // features with which a picture stays as it is
  u64 blank;      // features with which it becomes blank, of the same size and place
  PlainRule plain;
};

constexpr u64 groups_for(u64 features) {
  return OF_CELLS | (features & HAS_NO_HOLE ? OF_HOLES : 0ULL) | (features & IS_ALL_RIM ? OF_RIM : 0ULL) |
         (features & (255ULL * IS_SYMMETRIC) ? OF_TURNS : 0ULL);
}
constexpr Prediction prediction(u64 unchanged, u64 blank, PlainRule plain) {
  if (unchanged == NEVER && blank == NEVER && plain == NO_RULE) return {0, NEVER, NEVER, NO_RULE};
  return {groups_for(unchanged | blank) | (plain == COUNT_PARTS ? OF_PARTS : 0ULL), unchanged, blank, plain};
}
// By move, as in ALL_MOVES.
#define ARC_PREDICTION(unchanged, blank, plain) prediction(unchanged, blank, plain),
constexpr Prediction PREDICTIONS[] = {
#include "predictions.inc"
};
#undef ARC_PREDICTION
static_assert(sizeof(PREDICTIONS) / sizeof(PREDICTIONS[0]) == N_MOVES);

// --- finding features ---

inline u64 reversed_bits(u64 bits, i32 width) {
  bits = (bits >> 1 & 0x5555555555555555ULL) | (bits & 0x5555555555555555ULL) << 1;
  bits = (bits >> 2 & 0x3333333333333333ULL) | (bits & 0x3333333333333333ULL) << 2;
  bits = (bits >> 4 & 0x0f0f0f0f0f0f0f0fULL) | (bits & 0x0f0f0f0f0f0f0f0fULL) << 4;
  return __builtin_bswap64(bits) >> (64 - width);
}
// Whether a picture is the same after a turn by a code; it must be square if the turn swaps its sides.
inline bool is_symmetric(const Pic& p, i64 code) {
  const ::arc::View view = view_of(code, p.n_rows, p.width);
  for (i64 i = 0; i < p.n_rows; i++)
    for (i64 j = 0; j < p.width; j++)
      if (p.cells[i * p.width + j] != p.cells[view.start + i * view.down + j * view.right]) return false;
  return true;
}

// Finds features of pictures of at most `max_area` cells, the most that a move may give.
class FeatureFinder {
 public:
  // Adds the features of groups that are not known yet.
  static void find(const Pic& p, i64 max_area, u64 group, Facts& facts) {
    const u64 missing = group & ~facts.features;
    facts.features |= group;
    if (p.empty() || p.area() > max_area || !fits_bits(p)) return;
    BitRows shown;
    find_shown(p, shown);
    if (missing & OF_CELLS) find_of_cells(p, shown, facts);
    if (missing & OF_TURNS) find_of_turns(p, facts);
    if (missing & OF_HOLES) find_of_holes(p, facts);
    if (missing & OF_PARTS) find_of_parts(p, facts);
    if (missing & OF_RIM) find_of_rim(p, shown, facts);
  }

 private:
  static void find_of_cells(const Pic& p, const BitRows& shown, Facts& facts) {
    const BitFrame frame = frame_of(p);
    const u64 full = frame.full();
    const i32 n = p.n_rows;
    // Cells that contradict a feature, over all rows.
    u64 right = 0, left = 0, down = 0, up = 0, down_right = 0, up_left = 0, up_right = 0, down_left = 0;
    u64 row_gaps = 0, column_gaps = 0, mixed = 0, flipped = 0, upside_down = 0, half = 0;
    u64 any = 0, every = full, ended = 0, n_empty = 0;
    for (i32 i = 0; i < n; i++) {
      const u64 s = shown.rows[i], zero = full & ~s, other = shown.rows[n - 1 - i];
      right |= s << 1 & zero;
      left |= s >> 1 & zero;
      if (i + 1 < n) {
        const u64 below = shown.rows[i + 1], zero_below = full & ~below;
        down |= s & zero_below;
        up |= below & zero;
        down_right |= s << 1 & zero_below;
        down_left |= s >> 1 & zero_below;
        up_right |= below << 1 & zero;
        up_left |= below >> 1 & zero;
      }
      row_gaps |= s & (s + (s & -s));
      column_gaps |= ended & s;
      ended |= any & zero;
      mixed |= s && zero;
      any |= s;
      every &= s;
      n_empty += !s;
      const u64 reversed = reversed_bits(s, p.width);
      flipped |= reversed ^ s;
      upside_down |= other ^ s;
      half |= reversed ^ other;
    }
    u64 f = HAS_FEATURES;
    const auto set = [&](bool is_so, u64 feature) { f |= is_so ? feature : 0; };
    const u64 against[] = {right, left, down, up, down_right, up_left, up_right, down_left};
    for (u32 d = 0; d < 8; d++) set(!against[d], HAS_NOTHING_TO_SMEAR << (d + 1));
    const ColorCounts counts = count_colors(p);
    u32 colors = 0;
    for (u32 c = 1; c < 10; c++) colors |= (u32)(counts.n[c] > 0) << c;
    facts.main_color = (u64)counts.main_color() & 15;
    facts.n_shown = (u64)counts.n_shown() & 2047;
    facts.n_colors = (u64)__builtin_popcount(colors) & 15;
    const bool is_blank = !any, is_full = every == full && !n_empty;
    const bool is_one_color = !(colors & (colors - 1));
    set(!p.row && !p.column, AT_ORIGIN);
    set(is_blank, IS_BLANK);
    set(is_full, IS_FULL);
    set(is_blank || is_full, IS_BLANK_OR_FULL);
    set(is_one_color, IS_ONE_COLOR);
    set(is_one_color || is_full, IS_ONE_COLOR_OR_FULL);
    set(shown.rows[0] && shown.rows[n - 1] && (any & 1) && any >> (p.width - 1) & 1, IS_TIGHT);
    set(!n_empty && any == full, HAS_NO_ZERO_LINE);
    set(!mixed, ROWS_ARE_UNIFORM);
    set(any == every, COLUMNS_ARE_UNIFORM);
    set(!row_gaps, ROWS_HAVE_NO_GAP);
    set(!column_gaps, COLUMNS_HAVE_NO_GAP);
    set(!half, SHAPE_IS_SYMMETRIC << 2);
    set(!flipped, SHAPE_IS_SYMMETRIC << 4);
    set(!upside_down, SHAPE_IS_SYMMETRIC << 5);
    set(p.n_rows != p.width || is_shown_transposed(shown, n), SHAPE_IS_SYMMETRIC << 6);
    for (u32 c = 1; c < 10; c++) {
      set(!(colors >> c & 1), LACKS_COLOR << c);
      set(!(colors & ~(1u << c)), HAS_NO_OTHER_COLOR << c);
    }
    facts.features |= f;
  }
  static bool is_shown_transposed(const BitRows& shown, i32 n) {
    for (i32 i = 1; i < n; i++)
      for (i32 j = 0; j < i; j++)
        if ((shown.rows[i] >> j ^ shown.rows[j] >> i) & 1) return false;
    return true;
  }
  static void find_of_turns(const Pic& p, Facts& facts) {
    for (u32 code : {2, 4, 5})
      if (facts.has(SHAPE_IS_SYMMETRIC << code) && is_symmetric(p, code)) facts.features |= IS_SYMMETRIC << code;
    if (p.n_rows != p.width) return;
    if (facts.has(SHAPE_IS_SYMMETRIC << 6) && is_symmetric(p, 6)) facts.features |= IS_SYMMETRIC << 6;
    if (is_symmetric(p, 7)) facts.features |= IS_SYMMETRIC << 7;
    // A picture that one quarter turn leaves unchanged, the opposite one does, too.
    if (facts.has(SHAPE_IS_SYMMETRIC << 2) && is_symmetric(p, 1)) facts.features |= IS_SYMMETRIC << 1 | IS_SYMMETRIC << 3;
  }
  static void find_of_holes(const Pic& p, Facts& facts) {
    if (!count_regions_by_bits(p, TALLY_HOLES)) facts.features |= HAS_NO_HOLE;
  }
  static void find_of_parts(const Pic& p, Facts& facts) {
    const i64 n_parts = count_regions_by_bits(p, TALLY_PARTS);
    const i64 n_of_one_color = count_regions_by_bits(p, TALLY_PARTS_OF_ONE_COLOR);
    if (n_parts > MAX_PARTS || n_of_one_color > MAX_PARTS) return;
    facts.features |= HAS_FEW_PARTS;
    facts.n_parts = (u64)n_parts & 255;
    facts.n_parts_of_one_color = (u64)n_of_one_color & 255;
  }
  static void find_of_rim(const Pic& p, const BitRows& shown, Facts& facts) {
    const BitFrame frame = frame_of(p);
    BitRows outside;
    flood_outside(frame, shown, true, outside);
    u64 inner = 0;
    for (i32 i = 0; i < p.n_rows; i++) {
      u64 near = outside.rows[i] | beside_row(frame, outside, i);
      near |= near << 1 | near >> 1 | frame.edge(i);
      inner |= shown.rows[i] & ~near;
    }
    if (!inner) facts.features |= IS_ALL_RIM;
  }
};

// --- predicting results ---

// Cells of one color, enough for any picture.
class PlainCells {
 public:
  static const u8* of(u8 color) { return all().blocks[color]; }
  // Three rows of three, of which the first n cells have the color.
  static const u8* first_of_nine(u8 color, i64 n) { return all().nines[color][n < 9 ? n : 9]; }

 private:
  u8 blocks[10][MAX_AREA];
  u8 nines[10][10][9];

  PlainCells() {
    for (u32 color = 0; color < 10; color++) {
      std::memset(blocks[color], (int)color, MAX_AREA);
      for (u32 n = 0; n < 10; n++)
        for (u32 k = 0; k < 9; k++) nines[color][n][k] = (u8)(k < n ? color : 0);
    }
  }
  static const PlainCells& all() {
    static const PlainCells cells;
    return cells;
  }
};

inline Pic plain_picture(i32 row, i32 column, i64 n_rows, i64 width, const u8* cells) {
  Pic p;
  p.row = row;
  p.column = column;
  p.n_rows = (i32)n_rows;
  p.width = (i32)width;
  p.cells = cells;
  return p;
}

// Predicts the result of a move from facts; returns false where the move has to be run. An unchanged
// picture keeps its cells: the same memory, not a copy.
inline bool predict(const Move& move, const Prediction& by, const Pic& p, const Facts& facts, Size size, Pic& given) {
  if (!(facts.features & HAS_FEATURES)) return false;
  if (facts.has(by.unchanged) &&
      (move.takes == Takes::NOTHING || (p.n_rows == size.n_rows && p.width == size.width))) {
    given = p;
    return true;
  }
  if (facts.has(by.blank)) {
    given = facts.has(IS_BLANK) ? p : plain_picture(p.row, p.column, p.n_rows, p.width, PlainCells::of(0));
    return true;
  }
  const u8 color = (u8)facts.main_color;
  const i32 code = move.args[0];
  switch (by.plain) {
    case NO_RULE: return false;
    case SLAB:
      given = plain_picture(code >= 2 ? p.row : 0, code >= 2 ? p.column : 0, p.n_rows, p.width,
                            PlainCells::of(code & 1 ? 0 : color));
      if (facts.has(code & 1 ? IS_BLANK : IS_ONE_COLOR | IS_BLANK_OR_FULL) && (code >= 2 || facts.has(AT_ORIGIN)))
        given = p;
      return true;
    case SPOT: given = plain_picture(p.row, p.column, 1, 1, PlainCells::of(color)); return true;
    case COUNT_CELLS: break;
    case COUNT_PARTS:
      if (!facts.has(HAS_FEW_PARTS)) return false;
  }
  const i64 n = facts.tallied(code), form = move.args[1];
  if (n == 0) {
    given = empty_picture<u8>();
  } else if (form == TALLY_THREE_ROWS) {
    given = plain_picture(0, 0, 3, 3, PlainCells::first_of_nine(color, n));
  } else {
    const i64 high = form == TALLY_ROW ? 1 : n, wide = form == TALLY_COLUMN ? 1 : n;
    given = high * wide > MAX_AREA ? failed_picture<u8>(OVER_BUDGET)
                                   : plain_picture(0, 0, high, wide, PlainCells::of(color));
  }
  return true;
}

}  // namespace arc
