// What is known of a picture, and what moves give by it without being run.
//
// A feature is found once a picture, and most moves ask for one: what smears to the right leaves a picture
// alone that has no 0 to the right of a colour. Every rule holds by the definition of its move; a test
// compares all of them with the definitions.
#pragma once
#include <cstring>
#include <vector>

#include "moves.hpp"

namespace arc {

// Of frames up to a board of bits; a larger picture has none of them, and moves on it are run.
enum Feature : u64 {
  // Which groups are known.
  OF_CELLS = 1ULL << 0,
  OF_TURNS = 1ULL << 1,
  OF_HOLES = 1ULL << 2,
  OF_RIM = 1ULL << 3,
  OF_PARTS = 1ULL << 4,
  // Of the cells.
  AT_ORIGIN = 1ULL << 5,
  IS_BLANK = 1ULL << 6,
  IS_FULL = 1ULL << 7,         // no cell is 0
  IS_BLANK_OR_FULL = 1ULL << 8,
  IS_ONE_COLOR = 1ULL << 9,    // at most one, beside 0
  IS_TIGHT = 1ULL << 10,       // no row or column on the edge is 0
  HAS_NO_0_LINE = 1ULL << 11,  // nor any other
  ROWS_ARE_EVEN = 1ULL << 12,  // each is all 0, or has no 0
  COLUMNS_ARE_EVEN = 1ULL << 13,
  ROWS_HAVE_NO_GAP = 1ULL << 14,  // no 0 between cells that are not
  COLUMNS_HAVE_NO_GAP = 1ULL << 15,
  IS_WALLED = 1ULL << 16,  // of one colour, or full
  // Where cells are 0 is the same when it is turned by a code of `turn`; by 6 also what is not square.
  SHOWS_AS_TURNED = 1ULL << 17,  // shifted by the code, up to 6
  // All cells are the same when it is turned.
  IS_AS_TURNED = 1ULL << 24,  // shifted by the code, up to 7
  // No 0 comes next to a colour in a direction of `smear_directions`.
  IS_SMEARED = 1ULL << 32,  // shifted by the direction, 1 to 8
  HAS_NO_HOLE = 1ULL << 41,
  IS_ALL_RIM = 1ULL << 42,
  HAS_FEW_PARTS = 1ULL << 43,
  // Colours 1 to 9, so that the lowest bit of both is free.
  LACKS_COLOR = 1ULL << 43,         // shifted by the colour
  HAS_NO_OTHER_COLOR = 1ULL << 53,  // shifted by the colour
  HAS_FEATURES = 1ULL << 53,        // it is no larger than a board of bits
  NEVER = 1ULL << 63,
};

// What is known of a picture; features that are not known are not set. Counts are those of `tally`.
struct Facts {
  u64 features;
  u64 n_shown : 11, n_parts : 8, n_parts_of_one_color : 8, n_colors : 4, main_color : 4;
  // Of a value in the bank, so that all that is looked up of it lies together.
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
// More parts than there is room for are not told.
constexpr i64 MAX_PARTS = 255;

// How a move's result is told.
struct ToldBy {
  u64 group = 0;     // of features that the rest asks for; 0: the move is always run
  u64 same = NEVER;  // what a picture needs to stay as it is
  u64 blank = NEVER;  // ... to become one of zeros, of its size, in its place
  bool is_to_size = false;  // it stays as it is only if it has the size that the move takes
  // What is of one colour is told by its size: all of the picture's, one cell, or a count's.
  enum : u8 { NO, SLAB, SPOT, SWATCH, TALLY } plain = NO;
};

inline ToldBy told_by(const Move& move) {
  const auto is = [&](const char* name) { return !std::strcmp(move.primitive, name); };
  const i32 code = move.args[0];
  ToldBy by;
  by.group = OF_CELLS;
  if (move.takes != Takes::NOTHING) {
    // What is at the origin and has the size already is pasted, folded, sampled or tiled onto itself.
    by.is_to_size = true;
    by.same = AT_ORIGIN;
  } else if (is("keep_color")) {
    by.same = HAS_NO_OTHER_COLOR << code;
    by.blank = LACKS_COLOR << code;
  } else if (is("drop_color")) {
    by.same = LACKS_COLOR << code;
    by.blank = HAS_NO_OTHER_COLOR << code;
  } else if (is("negative")) {
    by.blank = IS_FULL;
  } else if (is("shrink")) {
    by.same = IS_TIGHT;
  } else if (is("squeeze")) {
    by.same = AT_ORIGIN | HAS_NO_0_LINE;
  } else if (is("to_origin")) {
    by.same = AT_ORIGIN;
  } else if (is("slab")) {
    by.plain = ToldBy::SLAB;
  } else if (is("spot")) {
    by.plain = ToldBy::SPOT;
  } else if (is("swatch")) {
    by.plain = ToldBy::SWATCH;
  } else if (is("tally") && code <= TALLY_PARTS_OF_ONE_COLOR) {
    by.group = code <= TALLY_COLORS ? OF_CELLS : OF_CELLS | OF_PARTS;
    by.plain = ToldBy::TALLY;
  } else if (is("solid")) {
    // All but the outside is given the main colour.
    by.group = OF_CELLS | OF_HOLES;
    by.same = HAS_NO_HOLE | IS_ONE_COLOR;
  } else if (is("holes")) {
    by.group = OF_CELLS | OF_HOLES;
    by.blank = HAS_NO_HOLE;
  } else if (is("rim")) {
    by.group = OF_CELLS | OF_RIM;
    by.same = IS_ALL_RIM;
  } else if (is("core")) {
    by.group = OF_CELLS | OF_RIM;
    by.blank = IS_ALL_RIM;
  } else if (is("turn")) {
    // A code of 8 is one of 4 and 5.
    by.group = OF_CELLS | OF_TURNS;
    by.same = code == 8 ? IS_AS_TURNED << 4 | IS_AS_TURNED << 5 : IS_AS_TURNED << code;
  } else if (is("smear")) {
    by.same = 0;
    for (u64 d = smear_directions(code); d; d >>= 4) by.same |= IS_SMEARED << (d & 15);
  } else if (is("fall")) {
    // To the right, left, down, up: nothing falls where no 0 is next.
    by.same = IS_SMEARED << (code + 1);
  } else if (is("halo")) {
    by.blank = IS_BLANK_OR_FULL;
  } else if (is("bridge")) {
    by.blank = (code != 1 ? ROWS_HAVE_NO_GAP : 0ULL) | (code != 0 ? COLUMNS_HAVE_NO_GAP : 0ULL);
  } else if (is("spread")) {
    // A colour comes to all zeros of its picture, but for the main one of code 1.
    by.same = code ? IS_WALLED : IS_BLANK_OR_FULL;
  } else if (is("mirror_fill")) {
    const u64 flipped = SHOWS_AS_TURNED << 4, upside_down = SHOWS_AS_TURNED << 5, half = SHOWS_AS_TURNED << 2;
    const u64 diagonal = SHOWS_AS_TURNED << 6, upright = flipped | upside_down | half;
    const u64 by_code[] = {flipped, upside_down, upright, diagonal, upright | diagonal};
    by.same = by_code[code];
  } else if (is("period_fill")) {
    by.same = IS_BLANK_OR_FULL;
  } else if (is("lines_through")) {
    const u64 by_code[] = {ROWS_ARE_EVEN, COLUMNS_ARE_EVEN, ROWS_ARE_EVEN | COLUMNS_ARE_EVEN, IS_BLANK_OR_FULL,
                           IS_BLANK_OR_FULL};
    by.same = by_code[code];
  } else {
    by.group = 0;
  }
  return by;
}
inline const std::vector<ToldBy>& all_told_by() {
  static const std::vector<ToldBy> all = [] {
    std::vector<ToldBy> rules;
    for (const Move& move : ALL_MOVES)
      rules.push_back(move.shape == Shape::P_TO_P ? told_by(move) : ToldBy());
    return rules;
  }();
  return all;
}

// --- finding them ---

inline u64 reversed_bits(u64 bits, i32 width) {
  bits = (bits >> 1 & 0x5555555555555555ULL) | (bits & 0x5555555555555555ULL) << 1;
  bits = (bits >> 2 & 0x3333333333333333ULL) | (bits & 0x3333333333333333ULL) << 2;
  bits = (bits >> 4 & 0x0f0f0f0f0f0f0f0fULL) | (bits & 0x0f0f0f0f0f0f0f0fULL) << 4;
  return __builtin_bswap64(bits) >> (64 - width);
}
// Whether a picture, square where its sides are changed, is the same when it is turned by a code.
inline bool is_as_turned(const Pic& p, i64 code) {
  const ::arc::View view = view_of(code, p.n_rows, p.width);
  for (i64 i = 0; i < p.n_rows; i++)
    for (i64 j = 0; j < p.width; j++)
      if (p.cells[i * p.width + j] != p.cells[view.start + i * view.down + j * view.right]) return false;
  return true;
}

// Finds features of pictures; `max_area` is what a move may give.
class FeatureFinder {
 public:
  // Finds those of a group that are not known yet.
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
    // Of all rows: what speaks against a feature.
    u64 right = 0, left = 0, down = 0, up = 0, down_right = 0, up_left = 0, up_right = 0, down_left = 0;
    u64 row_gaps = 0, column_gaps = 0, uneven = 0, flipped = 0, upside_down = 0, half = 0;
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
      uneven |= s && zero;
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
    for (u32 d = 0; d < 8; d++) set(!against[d], IS_SMEARED << (d + 1));
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
    set(is_one_color || is_full, IS_WALLED);
    set(shown.rows[0] && shown.rows[n - 1] && (any & 1) && any >> (p.width - 1) & 1, IS_TIGHT);
    set(!n_empty && any == full, HAS_NO_0_LINE);
    set(!uneven, ROWS_ARE_EVEN);
    set(any == every, COLUMNS_ARE_EVEN);
    set(!row_gaps, ROWS_HAVE_NO_GAP);
    set(!column_gaps, COLUMNS_HAVE_NO_GAP);
    set(!half, SHOWS_AS_TURNED << 2);
    set(!flipped, SHOWS_AS_TURNED << 4);
    set(!upside_down, SHOWS_AS_TURNED << 5);
    set(p.n_rows != p.width || is_shown_transposed(shown, n), SHOWS_AS_TURNED << 6);
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
      if (facts.has(SHOWS_AS_TURNED << code) && is_as_turned(p, code)) facts.features |= IS_AS_TURNED << code;
    if (p.n_rows != p.width) return;
    if (facts.has(SHOWS_AS_TURNED << 6) && is_as_turned(p, 6)) facts.features |= IS_AS_TURNED << 6;
    if (is_as_turned(p, 7)) facts.features |= IS_AS_TURNED << 7;
    // What a quarter turn to one side leaves alone, one to the other does too.
    if (facts.has(SHOWS_AS_TURNED << 2) && is_as_turned(p, 1)) facts.features |= IS_AS_TURNED << 1 | IS_AS_TURNED << 3;
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

// --- telling what moves give ---

// Cells of one colour, as many as any picture has.
class PlainCells {
 public:
  static const u8* of(u8 color) { return all().blocks[color]; }
  // Of three rows of three, the first so many.
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

// Tells what a move gives on a picture by what is known of it; false where it has to be run. What stays
// as it is has the same cells, not equal ones.
inline bool is_told(const Move& move, const ToldBy& by, const Pic& p, const Facts& facts, Size size, Pic& given) {
  if (!(facts.features & HAS_FEATURES)) return false;
  if (facts.has(by.same) && (!by.is_to_size || (p.n_rows == size.n_rows && p.width == size.width))) {
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
    case ToldBy::NO: return false;
    case ToldBy::SLAB:
      given = plain_picture(code >= 2 ? p.row : 0, code >= 2 ? p.column : 0, p.n_rows, p.width,
                            PlainCells::of(code & 1 ? 0 : color));
      if (facts.has(code & 1 ? IS_BLANK : IS_ONE_COLOR | IS_BLANK_OR_FULL) && (code >= 2 || facts.has(AT_ORIGIN)))
        given = p;
      return true;
    case ToldBy::SPOT: given = plain_picture(p.row, p.column, 1, 1, PlainCells::of(color)); return true;
    case ToldBy::SWATCH: given = plain_picture(0, 0, 1, 1, PlainCells::of(color)); return true;
    case ToldBy::TALLY: break;
  }
  if (code > TALLY_COLORS && !facts.has(HAS_FEW_PARTS)) return false;
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
