// The structures that the host writes for the kernels of a GPU: flattened functions (host/flatten.hpp), the work of
// each kernel (host/plan_run.hpp) and the memory of a run (gpu/device_run.py). flat.hpp explains sites, domains,
// frames and ops.
#pragma once
#include "graph.hpp"

namespace arc {

struct Column;
struct Frame;

// The location of an argument of an op or site: a node of the batt, or a column of this frame or of an outer one.
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
  u32 column;  // the column that it fills
  u32 n_args;
  Ref args[MAX_ARITY + 1];
  u32 unused[3];
};
constexpr u32 MAX_PHASES = 3;
constexpr u32 NO_DOMAIN = ~0u;
struct FlatSite {
  u32 primitive;
  u32 home;         // the domain it is part of, or NO_DOMAIN
  u32 column;       // of the home's frames; without a home, the node
  u32 n_args;
  Ref args[MAX_ARITY + 1];
  u32 n_phases;
  u32 domains[MAX_PHASES];  // by phase, the domain of its frames
  Ref results[MAX_PHASES];  // by phase, the location of the function's values in them
};
// All frames of one phase of one site: a row per sample, or per element of its home.
struct FlatDomain {
  Frame** frames;
  const u32* firsts;  // by row, the number of its first element, relative to firsts[0]
  u64 n_rows;
  u64 n_args;     // columns of arguments; the others are filled element by element
  u64 n_columns;

  ARC_FN u32 row_of_element(u32 element) const {
    // Rows without elements start where the next row does: the element belongs to the last of them.
    return find_start(firsts, n_rows, firsts[0] + element);
  }
};

// The most items that a lane takes at a time.
constexpr u32 MOST_AT_ONCE = 8;
// Progress of the items of a step.
struct Queue {
  u32 next;
  u32 n_huge, n_large;  // left to wide lanes
  u32 next_listed;
};
// The work of a kernel. Its items are nodes of the batt on all samples, then ops or phases of sites (`others`), each
// of which starts at an item of its own.
struct Step {
  const u32* nodes;
  const u32* others;  // ops; for sites, 4 times the site plus the phase
  const u32* starts;
  u32* counts;  // for sites: by item, the number of elements that it asks for
  Queue* queue;
  u32* listed;  // items left to wide lanes: the largest from the beginning, others from the middle
  u32 n_nodes;
  u32 n_others;
  u32 n_items;
  u32 at_once;
  u32 n_elements;  // if an item consists of several
  u32 unused;

  ARC_FN u32 which(u32 item) const { return find_start(starts, n_others, item); }
};

// The flattened functions of a batt, with the values of its nodes.
struct Flat {
  const FlatOp* ops;
  const FlatSite* sites;
  FlatDomain* domains;
  Value* values;  // of the batt's nodes: [node, chosen sample]
  u64 n_chosen;

  ARC_FN Value node_value(u32 node, u32 sample) const { return values[node * n_chosen + sample]; }
  inline ARC_METHOD Value fetch(Frame* frame, u32 element, Ref ref) const;
  // Fetches the values for all elements of a frame.
  inline ARC_METHOD Column fetch_column(Lane& lane, Frame* frame, Ref ref) const;
};

// The memory for all values of a launch, given out in pages. A warp keeps its page for the next kernel.
struct Pool {
  char* start;
  u64 n_bytes;
  u64* n_used;
  u64 max_call_bytes;  // the most that one call may take
};
struct Page {
  char* top;
  char* end;
};

// Everything that the kernels of a chunk of samples share.
struct Launch {
  Batt batt;
  Budget budget;
  const Sample* samples;
  const u32* chosen;  // the samples of this launch
  u64 n_chosen;
  u64 n_samples;  // of the run: a row of the result arrays
  Pool pool;
  Page* pages;        // by warp
  const u32* stopped; // not 0 if the run is to end
  Value* values;      // [node, chosen sample]
  NodeCost* costs;    // [node, chosen sample]
  u8* reasons;        // [program, sample]
  u8* matches;
  u64* hashes;
  i64* steps;
  i32* numbers;
  i64* n_words;  // [program, chosen sample]: number of words of kept values; later their starts
  i32* words;
  Flat flat;

  ARC_FN Slots slots(u32 at) const { return {values + at, costs + at, n_chosen}; }
};

}  // namespace arc
