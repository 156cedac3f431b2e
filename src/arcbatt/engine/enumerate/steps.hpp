// The vocabulary of the search: every step that it tries, in the order in which it tries them.
//
// A step is a primitive with its further arguments. One row here is all that it takes to have a
// primitive on pictures searched with.
#pragma once
#include "arcbatt/primitives/picture_drawing.hpp"
#include "arcbatt/primitives/picture_lists.hpp"
#include "arcbatt/primitives/pictures.hpp"

namespace arc {

typedef Picture<u8> Pic;
typedef PictureList<u8> PicList;

struct Size {
  i32 n_rows, width;
  bool operator==(const Size& other) const { return n_rows == other.n_rows && width == other.width; }
};

// What a step takes and gives: P a picture, L a list of pictures.
enum class Shape : u8 { P_TO_P, P_TO_L, L_TO_P, L_TO_L };
// The size that a step takes, if it takes one: that of the input, or that of the output.
enum class Takes : u8 { NOTHING, INPUT_SIZE, OUTPUT_SIZE };

struct Step {
  Shape shape;
  const char* primitive;
  Takes takes;
  u8 n_args;
  i32 args[2];
  i8 color;  // the step does something only where this colour occurs; -1: always
  Pic (*to_picture)(Lane&, const Pic&, const i32*, Size);
  PicList (*to_list)(Lane&, const Pic&, const i32*);
  Pic (*pick)(Lane&, const PicList&, const i32*);
  PicList (*sift)(Lane&, const PicList&, const i32*);
};

#define ARC_P0(name)                                                                          \
  {Shape::P_TO_P, #name, Takes::NOTHING, 0, {0, 0}, -1,                                       \
   [](Lane& lane, const Pic& p, const i32*, Size) { return step_##name(lane, p); }, nullptr,  \
   nullptr, nullptr}
#define ARC_P1_OF(name, a, color)                                                                  \
  {Shape::P_TO_P, #name, Takes::NOTHING, 1, {a, 0}, color,                                         \
   [](Lane& lane, const Pic& p, const i32* args, Size) { return step_##name(lane, p, args[0]); },  \
   nullptr, nullptr, nullptr}
#define ARC_P1(name, a) ARC_P1_OF(name, a, -1)
#define ARC_P1_COLOR(name, a) ARC_P1_OF(name, a, a)
#define ARC_P2(name, a, b)                                                                      \
  {Shape::P_TO_P, #name, Takes::NOTHING, 2, {a, b}, -1,                                         \
   [](Lane& lane, const Pic& p, const i32* args, Size) {                                        \
     return step_##name(lane, p, args[0], args[1]);                                             \
   },                                                                                           \
   nullptr, nullptr, nullptr}
#define ARC_SIZE0(name, takes)                                    \
  {Shape::P_TO_P, #name, Takes::takes, 0, {0, 0}, -1,             \
   [](Lane& lane, const Pic& p, const i32*, Size size) {          \
     return step_##name(lane, p, size.n_rows, size.width);        \
   },                                                             \
   nullptr, nullptr, nullptr}
#define ARC_SIZE1(name, takes, a)                                        \
  {Shape::P_TO_P, #name, Takes::takes, 1, {a, 0}, -1,                    \
   [](Lane& lane, const Pic& p, const i32* args, Size size) {            \
     return step_##name(lane, p, size.n_rows, size.width, args[0]);      \
   },                                                                    \
   nullptr, nullptr, nullptr}
#define ARC_CUT0(name)                                                                     \
  {Shape::P_TO_L, #name, Takes::NOTHING, 0, {0, 0}, -1, nullptr,                           \
   [](Lane& lane, const Pic& p, const i32*) { return step_##name(lane, p); }, nullptr, nullptr}
#define ARC_CUT1(name, a)                                                                      \
  {Shape::P_TO_L, #name, Takes::NOTHING, 1, {a, 0}, -1, nullptr,                               \
   [](Lane& lane, const Pic& p, const i32* args) { return step_##name(lane, p, args[0]); },    \
   nullptr, nullptr}
#define ARC_PICK0(name)                                                    \
  {Shape::L_TO_P, #name, Takes::NOTHING, 0, {0, 0}, -1, nullptr, nullptr,  \
   [](Lane& lane, const PicList& list, const i32*) { return step_##name(lane, list); }, nullptr}
#define ARC_PICK1(name, a)                                                 \
  {Shape::L_TO_P, #name, Takes::NOTHING, 1, {a, 0}, -1, nullptr, nullptr,  \
   [](Lane& lane, const PicList& list, const i32* args) { return step_##name(lane, list, args[0]); }, \
   nullptr}
#define ARC_SIFT1(name, a)                                                          \
  {Shape::L_TO_L, #name, Takes::NOTHING, 1, {a, 0}, -1, nullptr, nullptr, nullptr,  \
   [](Lane& lane, const PicList& list, const i32* args) { return step_##name(lane, list, args[0]); }}

#define ARC_NINE(row, name) \
  row(name, 1), row(name, 2), row(name, 3), row(name, 4), row(name, 5), row(name, 6), row(name, 7), \
      row(name, 8), row(name, 9)
#define ARC_CRITERIA(row, name)                                                                      \
  row(name, 0), row(name, 1), row(name, 2), row(name, 3), row(name, 4), row(name, 5), row(name, 6),  \
      row(name, 7), row(name, 8), row(name, 9), row(name, 10), row(name, 11), row(name, 12),         \
      row(name, 13), row(name, 14), row(name, 15), row(name, 16), row(name, 17), row(name, 18),      \
      row(name, 19), row(name, 20)

inline const Step STEPS[] = {
    // Colours.
    ARC_NINE(ARC_P1_COLOR, keep_color), ARC_P0(negative), ARC_NINE(ARC_P1_COLOR, drop_color),
    // Extents.
    ARC_P0(shrink), ARC_P0(spot), ARC_P1(slab, 1), ARC_P1(slab, 0), ARC_P1(slab, 3), ARC_P1(slab, 2),
    ARC_P0(to_origin), ARC_P0(solid), ARC_P0(holes), ARC_P0(core), ARC_P0(squeeze), ARC_P0(collapse),
    ARC_P0(middle), ARC_P0(swatch),
    // Turns.
    ARC_P1(turn, 1), ARC_P1(turn, 2), ARC_P1(turn, 3), ARC_P1(turn, 4), ARC_P1(turn, 5), ARC_P1(turn, 6),
    ARC_P1(turn, 7), ARC_P1(turn, 8),
    // Counts.
    ARC_P2(tally, 0, 0), ARC_P2(tally, 0, 1), ARC_P2(tally, 0, 2), ARC_P2(tally, 1, 0),
    ARC_P2(tally, 1, 1), ARC_P2(tally, 1, 2), ARC_P2(tally, 2, 0), ARC_P2(tally, 2, 1),
    ARC_P2(tally, 2, 2), ARC_P2(tally, 3, 0), ARC_P2(tally, 3, 1), ARC_P2(tally, 3, 2),
    ARC_P2(tally, 0, 3), ARC_P2(tally, 1, 3), ARC_P2(tally, 2, 3), ARC_P2(tally, 3, 3),
    // Drawing.
    ARC_P1(smear, 0), ARC_P1(smear, 1), ARC_P1(smear, 2), ARC_P1(smear, 3), ARC_P1(smear, 4),
    ARC_P1(smear, 5), ARC_P1(smear, 6), ARC_P1(smear, 7), ARC_P1(smear, 8), ARC_P1(smear, 9),
    ARC_P1(smear, 10), ARC_P1(smear, 11), ARC_P1(smear, 12), ARC_P1(smear, 13), ARC_P1(smear, 14),
    ARC_P0(halo), ARC_P1(framed, 0), ARC_P1(framed, 1), ARC_P0(rim), ARC_P1(bridge, 0), ARC_P1(bridge, 1),
    ARC_P1(bridge, 2), ARC_P1(spread, 0), ARC_P1(spread, 1), ARC_P1(half_of, 0), ARC_P1(half_of, 1),
    ARC_P1(half_of, 2), ARC_P1(half_of, 3), ARC_P1(mirror_fill, 0), ARC_P1(mirror_fill, 1),
    ARC_P1(mirror_fill, 2), ARC_P1(mirror_fill, 3), ARC_P1(mirror_fill, 4), ARC_P0(period_fill),
    ARC_P1(fall, 0), ARC_P1(fall, 1), ARC_P1(fall, 2), ARC_P1(fall, 3), ARC_P1(lines_through, 0),
    ARC_P1(lines_through, 1), ARC_P1(lines_through, 2), ARC_P1(lines_through, 3),
    ARC_P1(lines_through, 4), ARC_P1(grow, 2), ARC_P1(grow, 3),
    // To a size.
    ARC_SIZE0(paste_on, INPUT_SIZE), ARC_SIZE0(paste_on, OUTPUT_SIZE), ARC_SIZE0(wrap, INPUT_SIZE),
    ARC_SIZE0(wrap, OUTPUT_SIZE), ARC_SIZE0(resample, INPUT_SIZE), ARC_SIZE0(resample, OUTPUT_SIZE),
    ARC_SIZE1(tile, INPUT_SIZE, 0), ARC_SIZE1(tile, OUTPUT_SIZE, 0), ARC_SIZE1(tile, INPUT_SIZE, 1),
    ARC_SIZE1(tile, OUTPUT_SIZE, 1), ARC_SIZE1(tile_mirrored, INPUT_SIZE, 0),
    ARC_SIZE1(tile_mirrored, OUTPUT_SIZE, 0), ARC_SIZE1(tile_mirrored, INPUT_SIZE, 1),
    ARC_SIZE1(tile_mirrored, OUTPUT_SIZE, 1),
    // Lists.
    ARC_CUT0(cut), ARC_CUT0(split_colors), ARC_CUT0(split_parts), ARC_CUT0(split_shapes),
    ARC_CUT0(split_columns), ARC_CUT0(split_rows), ARC_CUT0(split_blocks), ARC_CUT0(split_halves),
    ARC_CUT0(bracketed), ARC_CUT1(settle, 0), ARC_CUT1(settle, 1), ARC_CUT1(settle, 2),
    ARC_CUT1(settle, 3), ARC_CRITERIA(ARC_PICK1, pick), ARC_PICK0(pick_unique), ARC_PICK0(heap_up),
    ARC_PICK0(line_up), ARC_PICK1(butt, 0), ARC_PICK1(butt, 1), ARC_PICK1(overlay, 0),
    ARC_PICK1(overlay, 1), ARC_PICK1(overlay, 2), ARC_PICK1(overlay, 3), ARC_PICK1(overlay, 4),
    ARC_CRITERIA(ARC_SIFT1, best_of), ARC_CRITERIA(ARC_SIFT1, rest_of)};
constexpr u32 N_STEPS = sizeof(STEPS) / sizeof(STEPS[0]);

}  // namespace arc
