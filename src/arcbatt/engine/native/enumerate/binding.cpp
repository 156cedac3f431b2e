// The Python binding of the search.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "search.hpp"

namespace nb = nanobind;
using namespace arc;

char* arc::grow_arena(void* owner, u64 bytes, u64* given) { return ((Arena*)owner)->next(bytes, given); }

namespace {

std::vector<u8> cells_of(i32 n_rows, i32 width, const nb::bytes& given) {
  const u8* bytes = (const u8*)given.c_str();
  std::vector<u8> cells(bytes, bytes + given.size());
  if ((u64)n_rows * (u64)width != cells.size())
    throw std::invalid_argument("a grid's cells do not match its size");
  for (u8 cell : cells)
    if (cell > 9) throw std::invalid_argument("a color is above 9");
  return cells;
}

// A grid is (rows, width, cells); cells are bytes.
GridCells grid_of(nb::handle given) {
  const auto [n_rows, width, cells] = nb::cast<std::tuple<i32, i32, nb::bytes>>(given);
  GridCells grid;
  grid.size = {n_rows, width};
  if (n_rows < 1 || width < 1 || n_rows > MAX_SIDE || width > MAX_SIDE)
    throw std::invalid_argument("a grid of " + std::to_string(n_rows) + " x " + std::to_string(width) +
                                " cells; sides must be 1 to " + std::to_string(MAX_SIDE));
  grid.cells = cells_of(n_rows, width, cells);
  return grid;
}
std::vector<GridCells> grids_of(nb::handle given) {
  std::vector<GridCells> grids;
  for (nb::handle grid : given) grids.push_back(grid_of(grid));
  return grids;
}

nb::object axis_object(const AxisResult& axis) {
  return nb::make_tuple(axis.factor, axis.summand, axis.times, axis.plus, axis.uses_width);
}
nb::dict counts_object(const SearchCounts& c) {
  nb::dict d;
  d["n_applications"] = c.n_applications;
  d["n_applied_before"] = c.n_applied_before;
  d["n_predicted"] = c.n_predicted;
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
  d["cover_s"] = c.cover_s;
  d["was_cut"] = c.was_cut;
  d["was_narrowed"] = c.was_narrowed;
  d["values_by_depth"] = c.values_by_depth;
  d["tuples_by_depth"] = c.tuples_by_depth;
  return d;
}

// A flag that ends a search from another thread.
struct StopFlag {
  std::atomic<bool> flag{false};
};

void check_options(const SearchOptions& options) {
  if (options.enabled.size() != N_MOVES)
    throw std::invalid_argument("enabled: " + std::to_string(options.enabled.size()) +
                                " flags, expected one for each of " +
                                std::to_string(N_MOVES) + " moves");
  if (options.depth > MAX_WALK_DEPTH || options.size_depth > MAX_WALK_DEPTH)
    throw std::invalid_argument("depth and size_depth must be at most " + std::to_string(MAX_WALK_DEPTH));
  if (options.max_bytes > MAX_SEARCH_BYTES)
    throw std::invalid_argument("max_bytes must be at most " + std::to_string(MAX_SEARCH_BYTES));
  if (!options.modes || options.modes >> N_MODES)
    throw std::invalid_argument("modes: a bit for each mode that is on");
}

SearchTask task_of(nb::handle inputs, nb::handle outputs, nb::handle sources) {
  SearchTask task;
  task.inputs = grids_of(inputs);
  task.outputs = grids_of(outputs);
  for (nb::handle given : sources) {
    const auto [grids, source_depth] = nb::cast<std::tuple<nb::object, int>>(given);
    ExtraSource source;
    source.grids = grids_of(grids);
    if (source_depth < 0 || source_depth > (int)MAX_WALK_DEPTH)
      throw std::invalid_argument("a source's depth is " + std::to_string(source_depth) + "; it must be 0 to " +
                                  std::to_string(MAX_WALK_DEPTH));
    source.depth = (u8)source_depth;
    if (source.grids.size() != task.inputs.size()) throw std::invalid_argument("a source needs one grid per example");
    task.sources.push_back(std::move(source));
  }
  if (task.outputs.empty() || task.outputs.size() >= task.inputs.size())
    throw std::invalid_argument("a search needs demos and tests");
  return task;
}

// A task and the state of its last search.
struct ResumableSearch {
  SearchTask task;
  std::unique_ptr<Search> kept;
  std::atomic<bool> is_busy{false};

  ResumableSearch(nb::handle inputs, nb::handle outputs, nb::handle sources)
      : task(task_of(inputs, outputs, sources)) {}
  bool can_resume() const { return kept && kept->can_resume(); }
  u64 n_bytes() const { return kept ? kept->held_bytes() : 0; }

  SearchResult run(const SearchOptions& options, const StopFlag& stop) {
    if (!can_resume() || !kept->options().can_resume_with(options)) {
      kept.reset();  // frees its memory before the next search takes some
      kept = std::make_unique<Search>(task, options);
    }
    return kept->run(options, stop.flag);
  }
};

nb::object run_search(ResumableSearch& search, const SearchOptions& options, const StopFlag& stop) {
  check_options(options);
  if (search.is_busy.exchange(true)) throw std::runtime_error("this search is running already, in another thread");
  SearchResult result;
  {
    nb::gil_scoped_release released;
    try {
      result = search.run(options, stop);
    } catch (...) {
      search.kept.reset();
      search.is_busy = false;
      throw;
    }
  }
  search.is_busy = false;
  const SearchTask& task = search.task;
  nb::list stacks;
  const u32 n_demos = (u32)task.outputs.size();
  for (const StackResult& each : result.stacks) {
    if (stacks.size() == options.max_stacks) break;
    nb::list layers, grids;
    for (const LayerResult& layer : each.layers)
      layers.append(nb::make_tuple(layer.path, (int)layer.piece.tint, layer.piece.to_origin, layer.piece.pasted,
                                  (int)layer.mode, layer.demos, layer.n_cells));
    u64 at = 0;
    for (u32 t = 0; t + n_demos < task.inputs.size(); t++) {
      const Size size = result.sizes[t];
      const u64 area = (u64)(size.n_rows * size.width);
      if (each.stack.is_covered[t]) {
        grids.append(nb::make_tuple(size.n_rows, size.width,
                                    nb::bytes((const char*)each.stack.outputs.data() + at, area)));
      } else {
        grids.append(nb::none());
      }
      at += area;
    }
    stacks.append(nb::make_tuple(layers, each.stack.demos, each.stack.built_for, (int)each.stack.depth, grids));
  }
  nb::list trees, values;
  for (const PieceTree& tree : result.trees) {
    nb::list nodes;
    for (const TreeNode& node : tree.nodes) nodes.append(nb::make_tuple(node.value, node.color, node.other));
    trees.append(nb::make_tuple(nb::tuple(nodes), tree.n_leaves, tree.n_held_out, tree.n_alike));
  }
  for (const TreeValueResult& value : result.tree_values)
    values.append(nb::make_tuple(value.path, value.to_origin, value.pasted));
  nb::object size = nb::none();
  if (result.has_size)
    size = nb::make_tuple((int)result.n_sizes_matched, axis_object(result.rows), axis_object(result.columns));
  return nb::make_tuple(size, stacks, trees, values, counts_object(result.counts));
}

// Returns the vocabulary: by move its shape, primitive, arguments and the size that it takes.
nb::list moves() {
  static const char* const shapes[] = {"picture", "cut", "pick", "sift"};
  static const char* const takes[] = {"", "input size", "output size"};
  nb::list all;
  for (const Move& move : ALL_MOVES) {
    nb::list args;
    for (u32 k = 0; k < move.n_args; k++) args.append((int)move.args[k]);
    all.append(nb::make_tuple(shapes[(int)move.shape], move.primitive, nb::tuple(args), takes[(int)move.takes]));
  }
  return all;
}

// --- one move, for tests ---

// The limits of a search of the largest grids.
ValueLimits largest_value_limits() {
  ValueLimits limits;
  limits.area = MAX_AREA;
  limits.list_area = 10 * MAX_SIDE * MAX_SIDE;
  return limits;
}

// A picture is (row, column, rows, width, cells); the empty one is all zeros.
struct OwnedPicture {
  std::vector<u8> cells;
  Pic picture;
};
OwnedPicture picture_of(nb::handle given, const ValueLimits& limits) {
  const auto [row, column, n_rows, width, cells] = nb::cast<std::tuple<i32, i32, i32, i32, nb::bytes>>(given);
  if (n_rows < 0 || width < 0 || !n_rows != !width || (i64)n_rows * width > limits.area)
    throw std::invalid_argument("a picture has at most " + std::to_string(limits.area) + " cells, or none");
  if (!in_range(row) || !in_range(column) || (!n_rows && (row || column)))
    throw std::invalid_argument("the place of a picture is out of range");
  OwnedPicture owned;
  owned.cells = cells_of(n_rows, width, cells);
  owned.picture.row = row;
  owned.picture.column = column;
  owned.picture.n_rows = n_rows;
  owned.picture.width = width;
  owned.picture.cells = owned.cells.data();
  return owned;
}
nb::object picture_object(const Pic& p) {
  return nb::make_tuple(p.row, p.column, p.n_rows, p.width, nb::bytes((const char*)p.cells, (size_t)p.area()));
}

Size size_of(std::tuple<i32, i32> given) {
  const Size size = {std::get<0>(given), std::get<1>(given)};
  if (size.n_rows < 1 || size.width < 1 || size.n_rows > MAX_SIDE || size.width > MAX_SIDE)
    throw std::invalid_argument("sides of a size must be 1 to " + std::to_string(MAX_SIDE));
  return size;
}

// Returns the result of a move on a picture or a list of pictures; None if it is refused: it fails, does not
// take such a value, or exceeds the limits. `size` is that of the input and of the output.
nb::object apply(u32 move, nb::handle value, std::tuple<i32, i32> size) {
  if (move >= N_MOVES) throw std::invalid_argument("no such move");
  const Size sides = size_of(size);
  const ValueLimits limits = largest_value_limits();
  Workspace workspace(2 * (u64)limits.area);
  Bank bank(sides, limits, workspace);
  bank.set_output_size(sides);
  u32 id;
  if (nb::isinstance<nb::list>(value)) {
    std::vector<OwnedPicture> owned;
    for (nb::handle item : value) owned.push_back(picture_of(item, limits));
    std::vector<Pic> pictures;
    for (const OwnedPicture& each : owned) pictures.push_back(each.picture);
    id = bank.add_list(pictures, 0);
    if (id == REFUSED) throw std::invalid_argument("the list exceeds the limits of the search");
  } else {
    id = bank.add(picture_of(value, limits).picture, 0);
  }
  const u32 given = bank.apply(id, move, 1);
  if (given == REFUSED) return nb::none();
  if (!bank.is_list(given)) return picture_object(bank.picture(given));
  nb::list items;
  for (u32 k = 0; k < bank.n_items(given); k++) items.append(picture_object(bank.picture(bank.items(given)[k])));
  return items;
}

// Returns the result of a move as predicted from features of the picture: False where it has to be run, None
// where it is refused.
nb::object predict_move(u32 move, nb::handle value, std::tuple<i32, i32> size) {
  if (move >= N_MOVES) throw std::invalid_argument("no such move");
  const ValueLimits limits = largest_value_limits();
  const OwnedPicture owned = picture_of(value, limits);
  const Prediction& by = PREDICTIONS[move];
  Facts facts = {};
  if (by.groups) FeatureFinder::find(owned.picture, limits.area, by.groups, facts);
  Pic given;
  if (!by.groups || !predict(ALL_MOVES[move], by, owned.picture, facts, size_of(size), given)) return nb::bool_(false);
  return given.failed() ? nb::none() : picture_object(given);
}

}  // namespace

NB_MODULE(_enumerate, module) {
  nb::set_leak_warnings(false);  // caches hold objects until the process ends
  shared_account = (MemoryAccount*)nb::cast<nb::capsule>(
                       nb::module_::import_("arcbatt.engine._engine").attr("memory_account")).data();
  shared_account->add_keeper([] { SlabPool::shared().free_all(); });
  nb::class_<StopFlag>(module, "StopFlag").def(nb::init<>()).def("set", [](StopFlag& stop) { stop.flag = true; });
  nb::class_<SearchOptions>(module, "SearchOptions")
      .def(nb::init<>())
      .def_rw("depth", &SearchOptions::depth)
      .def_rw("size_depth", &SearchOptions::size_depth)
      .def_rw("output_sources", &SearchOptions::output_sources)
      .def_rw("open_cells_first", &SearchOptions::open_cells_first)
      .def_rw("grow_trees", &SearchOptions::grow_trees)
      .def_rw("enabled", &SearchOptions::enabled)
      .def_rw("max_pieces", &SearchOptions::max_pieces)
      .def_rw("subsets", &SearchOptions::subsets)
      .def_rw("modes", &SearchOptions::modes)
      .def_rw("max_applications", &SearchOptions::max_applications)
      .def_rw("max_bytes", &SearchOptions::max_bytes)
      .def_rw("max_s", &SearchOptions::max_s)
      .def_rw("max_stacks", &SearchOptions::max_stacks);
  module.attr("MAX_DEPTH") = MAX_WALK_DEPTH;
  module.attr("MAX_BYTES") = MAX_SEARCH_BYTES;
  module.attr("MAX_SIDE") = MAX_SIDE;
  nb::class_<ResumableSearch>(module, "Search")
      .def(nb::init<nb::handle, nb::handle, nb::handle>(), nb::arg("inputs"), nb::arg("outputs"), nb::arg("sources"))
      .def("run", &run_search, nb::arg("options"), nb::arg("stop"))
      .def_prop_ro("can_resume", &ResumableSearch::can_resume)
      .def_prop_ro("n_bytes", &ResumableSearch::n_bytes);
  module.def("moves", &moves);
  module.def("apply", &apply, nb::arg("move"), nb::arg("value"), nb::arg("size"));
  module.def("predict", &predict_move, nb::arg("move"), nb::arg("value"), nb::arg("size"));
}
