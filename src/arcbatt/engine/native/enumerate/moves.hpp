// The vocabulary of the search: all moves in the order in which they are tried.
//
// A move is a primitive with its further arguments. moves.inc is generated from the registry, where a
// primitive on pictures declares how the search uses it.
#pragma once
#include "arcbatt/primitives/picture_drawing.hpp"
#include "arcbatt/primitives/picture_lists.hpp"
#include "arcbatt/primitives/picture_pairs.hpp"
#include "arcbatt/primitives/pictures.hpp"

namespace arc {

typedef Picture<u8> Pic;
typedef PictureList<u8> PicList;

// The largest side of a grid. Pictures have at most twice the area of the largest grid.
constexpr i32 MAX_SIDE = 30;
constexpr i64 MAX_AREA = 2 * MAX_SIDE * MAX_SIDE;

struct Size {
  i32 n_rows, width;
  bool operator==(const Size& other) const { return n_rows == other.n_rows && width == other.width; }
};

// The argument and result of a move: P a picture, L a list of pictures.
enum class Shape : u8 { P_TO_P, P_TO_L, L_TO_P, L_TO_L };
// The size that a move takes as an argument, if any.
enum class Takes : u8 { NOTHING, INPUT_SIZE, OUTPUT_SIZE };

struct Move {
  Shape shape;
  const char* primitive;
  Takes takes;
  u8 n_args;
  i32 args[2];
  i8 color;  // the move has an effect only where this color occurs; -1: always
  bool ends_lists;  // it turns the lists that moves of the last depth make into pictures
  Pic (*to_picture)(Lane&, const Pic&, const i32*, Size);
  PicList (*to_list)(Lane&, const Pic&, const i32*);
  Pic (*pick)(Lane&, const PicList&, const i32*);
  PicList (*sift)(Lane&, const PicList&, const i32*);
};

// A row of moves.inc calls move_<name> with the value, the size if it takes one, and its codes.
#define ARC_SIZE_NOTHING
#define ARC_SIZE_INPUT_SIZE , size.n_rows, size.width
#define ARC_SIZE_OUTPUT_SIZE , size.n_rows, size.width
#define ARC_ARGS_0
#define ARC_ARGS_1 , args[0]
#define ARC_ARGS_2 , args[0], args[1]
#define ARC_RUN_P_TO_P(call)                                                                        \
  [](Lane& lane, const Pic& given, [[maybe_unused]] const i32* args, [[maybe_unused]] Size size) {  \
    return call;                                                                                    \
  },                                                                                                \
      nullptr, nullptr, nullptr
#define ARC_RUN_LIST(Given, call) \
  [](Lane& lane, const Given& given, [[maybe_unused]] const i32* args) { return call; }
#define ARC_RUN_P_TO_L(call) nullptr, ARC_RUN_LIST(Pic, call), nullptr, nullptr
#define ARC_RUN_L_TO_P(call) nullptr, nullptr, ARC_RUN_LIST(PicList, call), nullptr
#define ARC_RUN_L_TO_L(call) nullptr, nullptr, nullptr, ARC_RUN_LIST(PicList, call)
#define ARC_MOVE_ROW(ends_lists, shape, name, takes, n_codes, a, b, color)        \
  {Shape::shape, #name, Takes::takes, n_codes, {a, b}, color, ends_lists,         \
   ARC_RUN_##shape(move_##name(lane, given ARC_SIZE_##takes ARC_ARGS_##n_codes))},
#define ARC_MOVE(...) ARC_MOVE_ROW(false, __VA_ARGS__)
#define ARC_LIST_ENDING_MOVE(...) ARC_MOVE_ROW(true, __VA_ARGS__)

inline const Move ALL_MOVES[] = {
#include "moves.inc"
};
constexpr u32 N_MOVES = sizeof(ALL_MOVES) / sizeof(ALL_MOVES[0]);

}  // namespace arc
