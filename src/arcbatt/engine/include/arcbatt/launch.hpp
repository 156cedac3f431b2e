// What the host writes for the kernels of a GPU: what functions over containers are written out to
// (engine/flatten.hpp), and what each kernel is to do (engine/plan_run.hpp). See flat.hpp for what sites,
// domains, frames and ops are.
#pragma once
#include "batt.hpp"

namespace arc {

struct Frame;

// Where an argument of an op or site is: a node of the batt, or a column of this frame or of one so
// many frames further out.
typedef u32 Ref;
constexpr u32 IN_FRAME = 1u << 31;
constexpr u32 MAX_HOPS = 0x7fff, MAX_COLUMNS = 0x10000;
ARC_FN bool is_node(Ref ref) { return !(ref & IN_FRAME); }
ARC_FN u32 hops_of(Ref ref) { return ref >> 16 & MAX_HOPS; }
ARC_FN u32 column_number(Ref ref) { return ref & (MAX_COLUMNS - 1); }

// A call within a function.
struct FlatOp {
  u32 primitive;
  u32 domain;
  u32 column;  // that it fills
  u32 n_args;
  Ref args[MAX_ARITY + 1];
  u32 unused[3];
};
constexpr u32 MAX_PHASES = 3;
constexpr u32 NO_DOMAIN = ~0u;
struct FlatSite {
  u32 primitive;
  u32 home;         // the domain it stands in, or NO_DOMAIN
  u32 column;       // of the home's frames; without a home the node
  u32 n_args;
  Ref args[MAX_ARITY + 1];
  u32 n_phases;
  u32 domains[MAX_PHASES];  // what each phase makes frames of
  Ref results[MAX_PHASES];  // where in those the function's values are
};
// All frames of one phase of one site: a row for each sample, or for each element of its home.
struct FlatDomain {
  Frame** frames;
  const u32* firsts;  // by row, the number of its first element; counted from firsts[0]
  u64 n_rows;
  u64 n_args;     // columns of arguments; the others are filled element by element
  u64 n_columns;

  ARC_FN u32 row_of_element(u32 element) const {
    // Rows without elements start where the next one does: the last of them has the element.
    return find_start(firsts, n_rows, firsts[0] + element);
  }
};

// So many items a lane takes at once, at most.
constexpr u32 MOST_AT_ONCE = 8;
// How far the items of a step are taken.
struct Queue {
  u32 next;
  u32 n_huge, n_large;  // left to wide lanes
  u32 next_listed;
};
// What a kernel is to do. Its items, taken a few at a time, are nodes of the batt on all samples, then
// things within functions (`others`), of which each starts at some item after those.
struct Step {
  const u32* nodes;
  const u32* others;  // ops; or sites times 4 and phases
  const u32* starts;
  u32* counts;  // of sites: by item, how many elements it asks for
  Queue* queue;
  u32* listed;  // items that are left to wide lanes: the largest from its beginning, others from its middle
  u32 n_nodes;
  u32 n_others;
  u32 n_items;
  u32 at_once;
  u32 n_elements;  // where an item is many of them
  u32 unused;

  ARC_FN u32 which(u32 item) const { return find_start(starts, n_others, item); }
};

}  // namespace arc
