// Trees over pieces: rules that give each cell of the output a color or the color that a value has there, chosen by
// tests whether another value has some color there. They are grown from all demos, and again without each demo.
#pragma once
#include <cmath>

#include "drawn_values.hpp"

namespace arc {

constexpr u32 MAX_TREE_ACTIONS = 8, MAX_TREE_LEVELS = 7, MAX_TREE_LEAVES = 12;
// Further trees, each over a random half of the values.
constexpr u32 N_HALF_TREES = 6;
// No further tree is begun after this much work, counted in words of 64 cells that are compared.
constexpr u64 MAX_TREE_WORK = 60'000'000;
// The discount of a test for each move of its value.
constexpr double DISCOUNT_PER_MOVE = 0.35;

// An inner node tests whether a value has a color: if so the next node follows, otherwise node `other`.
// A leaf has no `other`: it copies a value or takes a color, and the one that it does not use is -1.
struct TreeNode {
  i32 value, color;
  u32 other;
};
typedef std::vector<TreeNode> TreeNodes;

struct PieceTree {
  TreeNodes nodes;
  u32 n_leaves = 0;
  u32 n_held_out = 0;       // demos that come out right without being shown
  u32 n_alike = 0;          // of all trees grown, those with the same outputs
  std::vector<u8> outputs;  // the cells of all tests
};

// Counts the chosen cells of each class. Cells are bits; `classes` has the words of one class after the other.
ARC_CLONED inline void count_classes(const u64* cells, const u64* classes, u32 n_classes, u32 n_words, u32* counts) {
  for (u32 a = 0; a < n_classes; a++) {
    u64 count = 0;
    for (u32 w = 0; w < n_words; w++) count += (u64)__builtin_popcountll(cells[w] & classes[a * n_words + w]);
    counts[a] = (u32)count;
  }
}

class TreeGrower {
 public:
  TreeGrower(const DrawnValues& values, const std::vector<Pic>& outputs) : values_(values) {
    for (u32 d = 0; d < values.n_demos(); d++) {
      first_word_.push_back(n_words_);
      n_words_ += ((u32)outputs[d].area() + 63) / 64;
    }
    first_word_.push_back(n_words_);
    targets_.resize(64 * (u64)n_words_, NO_COLOR);
    for (u32 d = 0; d < values.n_demos(); d++)
      std::copy_n(outputs[d].cells, outputs[d].area(), targets_.begin() + 64 * first_word_[d]);
    all_.assign(n_words_, 0);
    for (u64 k = 0; k < targets_.size(); k++) all_[k / 64] |= (u64)(targets_[k] != NO_COLOR) << (k % 64);
    for (u64 k = 0; k <= targets_.size(); k++)
      weighed_.push_back(k ? std::llround((double)k * std::log2((double)k) * 1024) : 0);
    find_planes();
  }

  bool was_cut = false;  // time ran out
  u64 bytes() const { return (plane_bits_.capacity() + right_.capacity()) * sizeof(u64); }

  // Returns the trees that fit all demos and differ in their outputs, the one over all values first. Large tasks get
  // fewer trees, so that the demos that they find held out may not all be counted.
  std::vector<PieceTree> grow(const SearchBudget& budget) {
    std::vector<PieceTree> trees;
    for (half_ = 0; half_ <= N_HALF_TREES && n_compared_ < MAX_TREE_WORK; half_++) {
      PieceTree tree;
      if ((was_cut = budget.is_out_of_time())) break;
      if (!grow_from(all_, tree.nodes)) {
        if (half_ == 0) break;  // a half of the values does not fit more
        continue;
      }
      tree.n_leaves = n_leaves_;
      for (u32 e = values_.n_demos(); e < values_.n_examples(); e++) apply(tree.nodes, e, tree.outputs);
      tree.n_alike = 1;
      const auto same = std::find_if(trees.begin(), trees.end(),
                                     [&](const PieceTree& other) { return other.outputs == tree.outputs; });
      tree.n_held_out = count_held_out();
      if (same == trees.end()) {
        trees.push_back(std::move(tree));
        continue;
      }
      same->n_alike++;
      if (tree.n_held_out > same->n_held_out || (tree.n_held_out == same->n_held_out && tree.n_leaves < same->n_leaves)) {
        tree.n_alike = same->n_alike;
        *same = std::move(tree);
      }
    }
    return trees;
  }

 private:
  static constexpr u8 NO_COLOR = 255;
  static constexpr u32 MAX_SOURCES = 6;
  // A test that a plane stands for: whether a value has a color, or has not.
  struct Source {
    u32 value;
    u8 color;
    bool is_negated;
  };
  // A set of cells in the demos, and tests that find it.
  struct Plane {
    std::vector<Source> sources;
  };
  typedef std::vector<u64> Cells;  // bits

  const DrawnValues& values_;
  u32 n_words_ = 0;
  std::vector<u32> first_word_;
  std::vector<u8> targets_;   // of all demos, each from a new word on
  Cells all_;
  std::vector<i64> weighed_;  // k log2 k
  std::vector<Plane> planes_;
  Cells plane_bits_;  // by plane
  Cells right_;       // by value, the cells of the demos where it is right
  u32 half_ = 0, n_leaves_ = 0;
  mutable u64 n_compared_ = 0;  // words

  struct Action {
    i32 value, color;  // -1: none
    Cells right;
  };
  std::vector<Action> actions_;

  bool is_in_half(u32 value) const { return half_ == 0 || hash_bytes(&value, sizeof value, HASH_K1 + half_) % 2 == 0; }
  double discount(u32 value) const { return 1 + DISCOUNT_PER_MOVE * values_.values[value].depth; }

  void find_planes() {
    std::unordered_map<u64, u32> known;
    const u32 n_values = (u32)values_.values.size();
    right_.assign((u64)n_values * n_words_, 0);
    std::vector<u8> colors(targets_.size(), NO_COLOR);
    Cells bits(10 * (u64)n_words_);
    for (u32 v = 0; v < n_values; v++) {
      const u8* cells = values_.cells(v);
      std::fill(bits.begin(), bits.end(), 0);
      u32 present = 0;
      for (u32 d = 0; d < values_.n_demos(); d++) {
        const u32 n = values_.first_cell(d + 1) - values_.first_cell(d);
        const u8* from = cells + values_.first_cell(d);
        for (u32 k = 0; k < n; k++) {
          const u32 at = 64 * first_word_[d] + k;
          bits[(u64)from[k] * n_words_ + at / 64] |= 1ULL << (at % 64);
          present |= 1u << from[k];
          right_[(u64)v * n_words_ + at / 64] |= (u64)(from[k] == targets_[at]) << (at % 64);
        }
      }
      if (!(present & (present - 1))) continue;
      for (u8 c = 0; c < 10; c++) {
        if (!(present >> c & 1)) continue;
        u64* plane = bits.data() + (u64)c * n_words_;
        // Of a test and its opposite, only the one that excludes the first cell is kept.
        const bool is_negated = plane[0] & 1;
        for (u32 w = 0; w < n_words_ && is_negated; w++) plane[w] = ~plane[w] & all_[w];
        const u32 number = (u32)planes_.size();
        const u32 at = known.try_emplace(hash_bytes(plane, 8 * n_words_, HASH_K1), number).first->second;
        if (at == number) {
          planes_.emplace_back();
          plane_bits_.insert(plane_bits_.end(), plane, plane + n_words_);
        }
        if (planes_[at].sources.size() < MAX_SOURCES) planes_[at].sources.push_back({v, c, is_negated});
      }
    }
  }
  // The least deep test of a plane in the half; null if there is none.
  const Source* source_of(const Plane& plane) const {
    const Source* best = nullptr;
    for (const Source& each : plane.sources)
      if (is_in_half(each.value) && (!best || values_.values[each.value].depth < values_.values[best->value].depth))
        best = &each;
    return best;
  }

  static u32 count(const Cells& cells) {
    u32 n = 0;
    for (u64 word : cells) n += (u32)__builtin_popcountll(word);
    return n;
  }

  // Chooses actions that explain some cells: the input first, then each time the one that explains most of those
  // left. Returns false if there are too many.
  bool choose_actions(const Cells& cells) {
    actions_.clear();
    Cells left = cells;
    const u32 n_values = (u32)values_.values.size();
    while (count(left)) {
      if (actions_.size() == MAX_TREE_ACTIONS) return false;
      Action best = {-1, -1, {}};
      double best_gain = 0;
      for (i32 c = 0; c < 10; c++) {
        u32 n = 0;
        for (u64 k = 0; k < targets_.size(); k++) n += targets_[k] == c && (left[k / 64] >> (k % 64) & 1);
        if (n > best_gain) best = {-1, c, {}}, best_gain = n;
      }
      for (u32 v = 0; v < n_values; v++) {
        if (!is_in_half(v) && v) continue;
        u32 n = 0;
        for (u32 w = 0; w < n_words_; w++) n += (u32)__builtin_popcountll(right_[(u64)v * n_words_ + w] & left[w]);
        if (n > best_gain) best = {(i32)v, -1, {}}, best_gain = n;
        if (v == 0 && n && actions_.empty() && !values_.values[0].pasted) break;
      }
      if (best_gain == 0) return false;
      best.right.assign(n_words_, 0);
      if (best.value >= 0) {
        std::copy_n(right_.begin() + (i64)((u64)best.value * n_words_), n_words_, best.right.begin());
      } else {
        for (u64 k = 0; k < targets_.size(); k++) best.right[k / 64] |= (u64)(targets_[k] == best.color) << (k % 64);
      }
      for (u32 w = 0; w < n_words_; w++) left[w] &= ~best.right[w];
      actions_.push_back(std::move(best));
      n_compared_ += (u64)n_values * n_words_;
    }
    return true;
  }

  bool grow_from(const Cells& cells, TreeNodes& nodes) {
    nodes.clear();
    n_leaves_ = 0;
    return choose_actions(cells) && grow_node(cells, 0, nodes);
  }
  bool grow_node(const Cells& cells, u32 level, TreeNodes& nodes) {
    for (const Action& action : actions_) {
      bool fits = true;
      for (u32 w = 0; w < n_words_ && fits; w++) fits = !(cells[w] & ~action.right[w]);
      if (!fits) continue;
      nodes.push_back({action.value, action.color, 0});
      return ++n_leaves_ <= MAX_TREE_LEAVES;
    }
    if (level == MAX_TREE_LEVELS) return false;
    u32 plane;
    const Source* test = find_split(cells, plane);
    if (!test) return false;
    Cells passing(n_words_), others(n_words_);
    for (u32 w = 0; w < n_words_; w++) {
      const u64 bits = plane_bits_[(u64)plane * n_words_ + w];
      passing[w] = cells[w] & (test->is_negated ? ~bits : bits);
      others[w] = cells[w] & ~passing[w];
    }
    const u64 place = nodes.size();
    nodes.push_back({(i32)test->value, test->color, 0});
    if (!grow_node(passing, level + 1, nodes)) return false;
    nodes[place].other = (u32)nodes.size();
    return grow_node(others, level + 1, nodes);
  }

  // Finds the test with the greatest information gain about the actions, less for deeper values. A cell for which
  // several actions are right counts for the one that most cells may share.
  const Source* find_split(const Cells& cells, u32& chosen) const {
    std::vector<u32> words;
    for (u32 w = 0; w < n_words_; w++)
      if (cells[w]) words.push_back(w);
    const u32 n_words = (u32)words.size();
    Cells classes;
    std::vector<u32> totals;
    Cells left = cells;
    for (u32 n_left = count(left); n_left;) {
      u32 best = 0, most = 0;
      for (u32 a = 0; a < actions_.size(); a++) {
        u32 n = 0;
        for (u32 w : words) n += (u32)__builtin_popcountll(actions_[a].right[w] & left[w]);
        if (n > most) best = a, most = n;
      }
      for (u32 w : words) {
        classes.push_back(actions_[best].right[w] & left[w]);
        left[w] &= ~actions_[best].right[w];
      }
      totals.push_back(most);
      n_left -= most;
    }
    const u32 n_classes = (u32)totals.size();
    u32 n_cells = 0;
    for (u32 total : totals) n_cells += total;
    i64 before = weighed_[n_cells];
    for (u32 total : totals) before -= weighed_[total];
    const bool is_whole = n_words == n_words_;
    n_compared_ += planes_.size() * n_words * n_classes;
    Cells gathered(n_words);
    double best = 0;
    const Source* test = nullptr;
    u32 counts[MAX_TREE_ACTIONS];
    for (u32 p = 0; p < planes_.size(); p++) {
      const u64* bits = plane_bits_.data() + (u64)p * n_words_;
      if (!is_whole) {
        for (u32 w = 0; w < n_words; w++) gathered[w] = bits[words[w]];
        bits = gathered.data();
      }
      count_classes(bits, classes.data(), n_classes, n_words, counts);
      u32 n_inside = 0;
      i64 after = 0;
      for (u32 a = 0; a < n_classes; a++) {
        n_inside += counts[a];
        after -= weighed_[counts[a]] + weighed_[totals[a] - counts[a]];
      }
      if (!n_inside || n_inside == n_cells) continue;
      after += weighed_[n_inside] + weighed_[n_cells - n_inside];
      if ((double)(before - after) <= best) continue;
      const Source* source = source_of(planes_[p]);
      if (!source) continue;
      const double score = (double)(before - after) / discount(source->value);
      if (score <= best) continue;
      best = score;
      chosen = p;
      test = source;
    }
    return test;
  }

  // Appends the output cells that a tree computes for an example.
  void apply(const TreeNodes& nodes, u32 example, std::vector<u8>& output) const {
    for (u32 k = values_.first_cell(example); k < values_.first_cell(example + 1); k++) {
      u32 at = 0;
      while (nodes[at].other)
        at = values_.cells((u32)nodes[at].value)[k] == nodes[at].color ? at + 1 : nodes[at].other;
      output.push_back(nodes[at].value < 0 ? (u8)nodes[at].color : values_.cells((u32)nodes[at].value)[k]);
    }
  }

  // Returns how many demos are right by the tree that is grown without them.
  u32 count_held_out() {
    u32 n = 0;
    if (values_.n_demos() == 1) return 0;
    for (u32 d = 0; d < values_.n_demos() && n_compared_ < MAX_TREE_WORK; d++) {
      Cells others = all_;
      std::fill(others.begin() + first_word_[d], others.begin() + first_word_[d + 1], 0);
      TreeNodes nodes;
      std::vector<u8> output;
      if (!grow_from(others, nodes)) continue;
      apply(nodes, d, output);
      n += std::equal(output.begin(), output.end(), targets_.begin() + 64 * first_word_[d]);
    }
    return n;
  }
};

}  // namespace arc
