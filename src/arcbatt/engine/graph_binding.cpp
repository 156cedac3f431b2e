// What Python asks of many digests, rows of results or nodes at once; each without the interpreter's lock.
#include "graph_binding.hpp"

#include <nanobind/ndarray.h>

#include <cstring>
#include <stdexcept>
#include <vector>

#include "arcbatt/platform.hpp"

namespace nb = nanobind;
using namespace arc;

namespace {

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Rows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr i32 NOBODY = -1;

u64 mixed(u64 x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  return x ^ x >> 32;
}

// A table of places by hash, with room for n of them; what is of one hash is told apart by whoever asks.
class Table {
 public:
  explicit Table(u64 n) {
    u64 size = 16;
    while (size < 2 * n) size *= 2;
    slots_.assign(size, NOBODY);
  }
  // The place that is there already and is_same, or this one, which is there from now on.
  template <class IsSame>
  i32 find_or_add(u64 hash, i32 place, IsSame is_same) {
    const u64 mask = slots_.size() - 1;
    for (u64 at = hash & mask;; at = (at + 1) & mask) {
      if (slots_[at] == NOBODY) return slots_[at] = place;
      if (is_same(slots_[at])) return slots_[at];
    }
  }

 private:
  std::vector<i32> slots_;
};

// Numbers keys of two words in the order in which each is first met.
void number_keys(Rows<u64> keys, Out<i32> numbers) {
  const u64 n = keys.shape(0);
  if (keys.shape(1) != 2 || numbers.size() != n) throw std::invalid_argument("an array of the wrong size");
  nb::gil_scoped_release release;
  const u64* words = keys.data();
  Table table(n);
  i32 n_met = 0;
  for (u64 k = 0; k < n; k++) {
    const u64 one = words[2 * k], other = words[2 * k + 1];
    const i32 first = table.find_or_add(mixed(one), (i32)k, [&](i32 place) {
      return words[2 * place] == one && words[2 * place + 1] == other;
    });
    numbers(k) = first == (i32)k ? n_met++ : numbers(first);
  }
}

// Of each row the first that is the same: equal in both arrays.
void find_same_rows(Rows<u8> reasons, Rows<u64> hashes, Out<i32> firsts) {
  const u64 n = reasons.shape(0), width = reasons.shape(1);
  if (hashes.shape(0) != n || hashes.shape(1) != width || firsts.size() != n)
    throw std::invalid_argument("an array of the wrong size");
  nb::gil_scoped_release release;
  const u8* reason = reasons.data();
  const u64* hash = hashes.data();
  Table table(n);
  for (u64 k = 0; k < n; k++) {
    u64 sum = 0;
    for (u64 i = k * width; i < (k + 1) * width; i++) sum = mixed(sum + hash[i] + reason[i]);
    firsts(k) = table.find_or_add(sum, (i32)k, [&](i32 other) {
      return !std::memcmp(hash + other * width, hash + k * width, width * sizeof(u64)) &&
             !std::memcmp(reason + other * width, reason + k * width, width);
    });
  }
}

// Nodes by the places of their arguments, for walks from some of them down.
class Nodes {
 public:
  Nodes(const Array<i32>& firsts, const Array<i32>& counts, const Array<i32>& args, const Array<i32>& places)
      : firsts_(firsts.data()), counts_(counts.data()), args_(args.data()), seen_(counts.size(), 0) {
    const u64 n = counts.size();
    if (firsts.size() != n) throw std::invalid_argument("an array of the wrong size");
    for (u64 k = 0; k < n; k++)
      if (counts_[k] > 0 && (firsts_[k] < 0 || (u64)firsts_[k] + (u64)counts_[k] > args.size()))
        throw std::invalid_argument("a node that makes no sense");
    check(args, n);
    check(places, n);
  }
  // Visits what a node needs, itself among it, but for what was visited in this round, numbered from 1 on.
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
  std::vector<u64> seen_;  // in which round last
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

// How many calls each of some nodes needs, itself among them.
void count_calls(Array<i32> firsts, Array<i32> counts, Array<i32> args, Array<i32> places, Out<i32> n_calls) {
  if (n_calls.size() != places.size()) throw std::invalid_argument("an array of the wrong size");
  nb::gil_scoped_release release;
  Nodes nodes(firsts, counts, args, places);
  for (u64 p = 0; p < places.size(); p++) {
    n_calls(p) = 0;
    nodes.walk(places(p), p + 1, [&](i32 node) { n_calls(p) += counts(node) > 0; });
  }
}

// Marks all that some nodes need, themselves among it.
void mark_needed(Array<i32> firsts, Array<i32> counts, Array<i32> args, Array<i32> places, Out<bool> needed) {
  if (needed.size() != counts.size()) throw std::invalid_argument("an array of the wrong size");
  nb::gil_scoped_release release;
  Nodes nodes(firsts, counts, args, places);
  for (u64 p = 0; p < places.size(); p++) nodes.walk(places(p), 1, [&](i32 node) { needed(node) = true; });
}

auto array(const char* name) { return nb::arg(name).noconvert(); }

}  // namespace

void bind_graphs(nb::module_& module) {
  module.def("number_keys", &number_keys, array("keys"), array("numbers"));
  module.def("find_same_rows", &find_same_rows, array("reasons"), array("hashes"), array("firsts"));
  module.def("count_calls", &count_calls, array("firsts"), array("counts"), array("args"), array("places"),
             array("n_calls"));
  module.def("mark_needed", &mark_needed, array("firsts"), array("counts"), array("args"), array("places"),
             array("needed"));
}
