// The search as Python knows it: grids in, stacks of pieces out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "search.hpp"

namespace nb = nanobind;
using namespace arc;

char* arc::grow_arena(void* owner, u64 bytes, u64* given) { return ((Arena*)owner)->next(bytes, given); }

namespace {

// A grid is (rows, width, cells); cells are bytes of colours.
GridCells grid_of(nb::handle given) {
  const auto [n_rows, width, cells] = nb::cast<std::tuple<i32, i32, nb::bytes>>(given);
  GridCells grid;
  grid.size = {n_rows, width};
  const u8* bytes = (const u8*)cells.c_str();
  grid.cells.assign(bytes, bytes + cells.size());
  if (n_rows < 1 || width < 1 || (u64)n_rows * (u64)width != grid.cells.size())
    throw std::invalid_argument("a grid's cells do not fit its size");
  for (u8 cell : grid.cells)
    if (cell > 9) throw std::invalid_argument("a colour beyond 9");
  return grid;
}
std::vector<GridCells> grids_of(nb::handle given) {
  std::vector<GridCells> grids;
  for (nb::handle grid : given) grids.push_back(grid_of(grid));
  return grids;
}

nb::object axis_object(const FoundAxis& axis) {
  return nb::make_tuple(axis.of, axis.plus, axis.times, axis.more, axis.of_width);
}
nb::dict counts_object(const SearchCounts& c) {
  nb::dict d;
  d["n_applications"] = c.n_applications;
  d["n_values"] = c.n_values;
  d["n_tuples"] = c.n_tuples;
  d["n_merged"] = c.n_merged;
  d["n_refused"] = c.n_refused;
  d["n_pieces_offered"] = c.n_pieces_offered;
  d["n_pieces"] = c.n_pieces;
  d["n_scanned"] = c.n_scanned;
  d["n_stacks"] = c.n_stacks;
  d["n_bytes"] = c.n_bytes;
  d["size_s"] = c.size_s;
  d["walk_s"] = c.walk_s;
  d["pieces_s"] = c.pieces_s;
  d["cover_s"] = c.cover_s;
  d["was_cut"] = c.was_cut;
  d["values_by_depth"] = c.values_by_depth;
  d["tuples_by_depth"] = c.tuples_by_depth;
  return d;
}

// A flag that ends a search from another thread.
struct StopFlag {
  std::atomic<bool> flag{false};
};

nb::object search(nb::handle inputs, nb::handle outputs, nb::handle seeds, nb::bytes enabled, int depth,
                  int size_depth, int size_guess, bool output_seeds, int max_pieces, bool subsets,
                  int modes, u64 max_applications, u64 max_bytes, double max_s, int max_stacks,
                  const StopFlag& stop) {
  TaskToSearch task;
  task.inputs = grids_of(inputs);
  task.outputs = grids_of(outputs);
  for (nb::handle given : seeds) {
    const auto [grids, seed_depth] = nb::cast<std::tuple<nb::object, int>>(given);
    GivenSeed seed;
    seed.grids = grids_of(grids);
    seed.depth = (u8)seed_depth;
    if (seed.grids.size() != task.inputs.size()) throw std::invalid_argument("a seed needs a grid an example");
    task.seeds.push_back(std::move(seed));
  }
  if (task.outputs.empty() || task.outputs.size() >= task.inputs.size())
    throw std::invalid_argument("a search needs demos and tests");
  if (enabled.size() != N_STEPS) throw std::invalid_argument("enabled: one byte a step");
  SearchOptions options;
  options.depth = (u8)depth;
  options.size_depth = (u8)size_depth;
  options.size_guess = (u32)size_guess;
  options.output_seeds = output_seeds;
  options.enabled.assign((const u8*)enabled.c_str(), (const u8*)enabled.c_str() + N_STEPS);
  options.cover.n_pieces = (u32)max_pieces;
  options.cover.subsets = subsets;
  for (u32 m = 0; m < N_MODES; m++) options.cover.modes[m] = modes >> m & 1;
  options.max_bytes = max_bytes;
  options.spending.max_applications = max_applications;
  options.spending.max_bytes = max_bytes / 3;
  options.spending.max_s = max_s;
  options.spending.stop = &stop.flag;
  SearchResult result;
  {
    nb::gil_scoped_release released;
    options.spending.began = std::chrono::steady_clock::now();
    result = Search(task, options).run();
  }
  nb::list stacks;
  const u32 n_demos = (u32)task.outputs.size();
  for (const FoundStack& found : result.stacks) {
    if ((int)stacks.size() == max_stacks) break;
    nb::list picks, grids;
    for (const FoundPick& pick : found.picks)
      picks.append(nb::make_tuple(pick.path, (int)pick.piece.tint, pick.piece.to_origin, pick.piece.pasted,
                                  (int)pick.mode));
    u64 at = 0;
    for (u32 t = 0; t + n_demos < task.inputs.size(); t++) {
      const Size size = result.sizes[t];
      const u64 area = (u64)(size.n_rows * size.width);
      if (found.stack.is_covered[t]) {
        grids.append(nb::make_tuple(size.n_rows, size.width,
                                    nb::bytes((const char*)found.stack.outputs.data() + at, area)));
      } else {
        grids.append(nb::none());
      }
      at += area;
    }
    stacks.append(nb::make_tuple(picks, found.stack.demos, (int)found.stack.depth, grids));
  }
  nb::object size = nb::none();
  if (result.has_size)
    size = nb::make_tuple((int)result.n_sizes_matched, axis_object(result.rows), axis_object(result.columns));
  return nb::make_tuple(size, stacks, counts_object(result.counts));
}

// The vocabulary: what each step takes and gives, its primitive and arguments.
nb::list steps() {
  static const char* const shapes[] = {"picture", "cut", "pick", "sift"};
  static const char* const takes[] = {"", "input size", "output size"};
  nb::list all;
  for (const Step& step : STEPS) {
    nb::list args;
    for (u32 k = 0; k < step.n_args; k++) args.append((int)step.args[k]);
    all.append(nb::make_tuple(shapes[(int)step.shape], step.primitive, nb::tuple(args), takes[(int)step.takes]));
  }
  return all;
}

}  // namespace

NB_MODULE(_enumerate, module) {
  nb::class_<StopFlag>(module, "StopFlag").def(nb::init<>()).def("set", [](StopFlag& stop) { stop.flag = true; });
  module.def("search", &search);
  module.def("steps", &steps);
}
