// Samples and fused graphs for Python, and work on many nodes, digests or rows of results without the interpreter lock.
#include "graph_binding.hpp"

#include "images.hpp"

using namespace arc;

namespace {

constexpr i32 EMPTY = -1;

constexpr u64 FACTOR = 0xd6e8feb86659fd93ULL;

u64 mixed(u64 x) {
  x ^= x >> 32;
  x *= FACTOR;
  return x ^ x >> 32;
}

// A hash table of positions with room for n of them; the caller compares entries of the same hash.
class PositionTable {
 public:
  explicit PositionTable(u64 n) {
    u64 size = 16;
    while (size < 2 * n) size *= 2;
    slots_.assign(size, EMPTY);
  }
  // Returns the known position that is_same, or adds this one and returns it.
  template <class IsSame>
  i32 find_or_add(u64 hash, i32 place, IsSame is_same) {
    const u64 mask = slots_.size() - 1;
    for (u64 at = hash & mask;; at = (at + 1) & mask) {
      if (slots_[at] == EMPTY) return slots_[at] = place;
      if (is_same(slots_[at])) return slots_[at];
    }
  }

 private:
  std::vector<i32> slots_;
};

// Numbers keys of two words in the order of their first occurrence.
void number_keys(Table<u64> keys, OutArray<i32> numbers) {
  const u64 n = keys.shape(0);
  if (keys.shape(1) != 2 || numbers.size() != n) throw std::invalid_argument("an array of the wrong size");
  nb::gil_scoped_release release;
  const u64* words = keys.data();
  PositionTable table(n);
  i32 n_distinct = 0;
  for (u64 k = 0; k < n; k++) {
    const u64 one = words[2 * k], other = words[2 * k + 1];
    const i32 first = table.find_or_add(mixed(one), (i32)k, [&](i32 place) {
      return words[2 * place] == one && words[2 * place + 1] == other;
    });
    numbers(k) = first == (i32)k ? n_distinct++ : numbers(first);
  }
}

// Finds for each row the first row that is equal in both arrays.
void find_same_rows(Table<u8> reasons, Table<u64> hashes, OutArray<i32> firsts) {
  const u64 n = reasons.shape(0), width = reasons.shape(1);
  if (hashes.shape(0) != n || hashes.shape(1) != width || firsts.size() != n)
    throw std::invalid_argument("an array of the wrong size");
  nb::gil_scoped_release release;
  const u8* reason = reasons.data();
  const u64* hash = hashes.data();
  PositionTable table(n);
  for (u64 k = 0; k < n; k++) {
    u64 sums[4] = {0, 0, 0, 0};  // four independent chains, for instruction-level parallelism
    for (u64 i = 0; i < width; i++) {
      u64& sum = sums[i % 4];
      sum = (sum + hash[k * width + i] + reason[k * width + i]) * FACTOR;
    }
    u64 whole = 0;
    for (u64 sum : sums) whole = mixed(whole + sum);
    firsts(k) = table.find_or_add(whole, (i32)k, [&](i32 other) {
      return !std::memcmp(hash + other * width, hash + k * width, width * sizeof(u64)) &&
             !std::memcmp(reason + other * width, reason + k * width, width);
    });
  }
}

// Nodes with the positions of their arguments, for walks from some of them down.
class Nodes {
 public:
  Nodes(const Array<i32>& firsts, const Array<i32>& counts, const Array<i32>& args, const Array<i32>& places)
      : firsts_(firsts.data()), counts_(counts.data()), args_(args.data()), seen_(counts.size(), 0) {
    const u64 n = counts.size();
    if (firsts.size() != n) throw std::invalid_argument("an array of the wrong size");
    for (u64 k = 0; k < n; k++)
      if (counts_[k] > 0 && (firsts_[k] < 0 || (u64)firsts_[k] + (u64)counts_[k] > args.size()))
        throw std::invalid_argument("an invalid node");
    check(args, n);
    check(places, n);
  }
  // Visits a node and all nodes it needs, except those already visited in this round. Rounds count from 1.
  template <class Visit>
  void walk(i32 root, u64 round, Visit visit) {
    see(root, round, visit);
    while (!todo_.empty()) {
      const i32 node = todo_.back();
      todo_.pop_back();
      for (i32 a = firsts_[node]; a < firsts_[node] + counts_[node]; a++) see(args_[a], round, visit);
    }
  }

 private:
  const i32 *firsts_, *counts_, *args_;
  std::vector<u64> seen_;  // the last round in which a node was visited
  std::vector<i32> todo_;

  static void check(const Array<i32>& places, u64 n) {
    for (u64 k = 0; k < places.size(); k++)
      if (places(k) < 0 || (u64)places(k) >= n) throw std::invalid_argument("no such node");
  }
  template <class Visit>
  void see(i32 node, u64 round, Visit visit) {
    if (seen_[node] == round) return;
    seen_[node] = round;
    visit(node);
    if (counts_[node] > 0) todo_.push_back(node);
  }
};

// Counts the calls that each of some nodes needs, itself included.
void count_calls(Array<i32> firsts, Array<i32> counts, Array<i32> args, Array<i32> places, OutArray<i32> n_calls) {
  if (n_calls.size() != places.size()) throw std::invalid_argument("an array of the wrong size");
  nb::gil_scoped_release release;
  Nodes nodes(firsts, counts, args, places);
  for (u64 p = 0; p < places.size(); p++) {
    n_calls(p) = 0;
    nodes.walk(places(p), p + 1, [&](i32 node) { n_calls(p) += counts(node) > 0; });
  }
}

// Marks some nodes and all nodes they need.
void mark_needed(Array<i32> firsts, Array<i32> counts, Array<i32> args, Array<i32> places, OutArray<bool> needed) {
  if (needed.size() != counts.size()) throw std::invalid_argument("an array of the wrong size");
  nb::gil_scoped_release release;
  Nodes nodes(firsts, counts, args, places);
  for (u64 p = 0; p < places.size(); p++) nodes.walk(places(p), 1, [&](i32 node) { needed(node) = true; });
}

}  // namespace

void bind_graphs(nb::module_& module) {
  nb::class_<Samples>(module, "Samples")
      .def(nb::init<Array<i32>, Array<i32>, Array<i32>, Array<i32>, Array<i32>, Array<i32>, Array<i32>>(),
           array("cells"), array("shapes"), array("inputs"), array("targets"), array("groups"),
           array("group_starts"), array("group_grids"))
      .def("image_bytes", [](const Samples& samples) { return image_bytes(samples); })
      .def("write_image", &write_image<Samples>, array("to"), nb::arg("base"));
  nb::class_<FusedBatt>(module, "FusedBatt")
      .def(nb::init<Array<u8>, Array<i32>, Array<i32>, Array<i32>, Array<i32>, Array<i32>, nb::list>(),
           array("ops"), array("primitives"), array("firsts"), array("counts"), array("args"),
           array("results"), nb::arg("constants"))
      // A part shares the constants of the whole, which is kept alive for them.
      .def("part", [](const FusedBatt& whole, Array<u32> programs) {
             nb::gil_scoped_release release;
             return new FusedBatt(whole, programs);
           },
           array("programs"), nb::rv_policy::take_ownership, nb::keep_alive<0, 1>())
      .def_prop_ro("n_nodes", [](const FusedBatt& batt) { return batt.code.size(); })
      .def_prop_ro("n_calls", [](const FusedBatt& batt) {
             return std::count_if(batt.code.begin(), batt.code.end(),
                                  [](const Instruction& code) { return code.op >= CALL && code.n_args; });
           })
      .def_prop_ro("nodes_before", [](FusedBatt& part) {
             return nb::ndarray<nb::numpy, const u32, nb::ndim<1>>(part.nodes_before.data(),
                                                                   {part.nodes_before.size()});
           }, nb::rv_policy::reference_internal)
      .def("image_bytes", &image_bytes<FusedBatt>)
      .def("write_image", &write_image<FusedBatt>, array("to"), nb::arg("base"));
  module.def("number_keys", &number_keys, array("keys"), array("numbers"));
  module.def("find_same_rows", &find_same_rows, array("reasons"), array("hashes"), array("firsts"));
  module.def("count_calls", &count_calls, array("firsts"), array("counts"), array("args"), array("places"),
             array("n_calls"));
  module.def("mark_needed", &mark_needed, array("firsts"), array("counts"), array("args"), array("places"),
             array("needed"));
}
