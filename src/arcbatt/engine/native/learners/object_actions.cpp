// Rules that choose an action for each object of a grid by a small tree: `learn_actions` and `apply_actions`.
//
// language/primitives/object_actions.py describes the numbers of rules and defines what they do to a grid.
#include <tuple>
#include <unordered_set>

#include "demo_grids.hpp"
#include "object_effects.hpp"

namespace arc {
namespace {

using namespace actions;

typedef std::array<i32, N_OBJECT_FEATURES> Features;
typedef std::vector<u64> Bits;

// --- rules ---

constexpr i32 NODE_SIZE = 4, ACTION = -1, AT_LEAST = 1;

// The node, an action, to which an object's features lead.
const i32* choose_action(const i32* rules, const Features& features) {
  i32 place = 1;
  while (rules[place] != ACTION) {
    const i32 number = features[rules[place]], value = rules[place + 2];
    const bool holds = rules[place + 1] == AT_LEAST ? number >= value : number == value;
    place = holds ? place + NODE_SIZE : rules[place + 3];
  }
  return rules + place;
}

// Makes the grid after all objects have acted; false if one cannot. Additions are drawn first, then objects that stay,
// then those that move.
bool act(const SegmentedGrid& in, const i32* rules, const Features* features, std::vector<i32>& to) {
  const Scene& grid = in.grid;
  to.assign(grid.cells, grid.cells + grid.n_cells());
  for (i64 k = 0; k < grid.n_cells(); k++)
    if (in.parts.labels()[k] >= 0) to[k] = in.background;
  for (int layer = 0; layer < 3; layer++)
    for (const GridObject& own : in.objects) {
      const i32* node = choose_action(rules, features[own.label]);
      const i32 effect = node[1], paint = node[2], copies = node[3];
      const bool adds = is_addition(effect);
      if (layer == 1 && (adds || copies || (effect == STAY && paint == OWN)))
        for (const Place& at : own) to[(i64)at.row * grid.width + at.column] = in.cell(at);
      if (layer != (adds ? 0 : effect == STAY ? 1 : 2)) continue;
      const i32 color = color_of_paint(in, own, paint);
      if (color == NO_PAINT) return false;
      const bool can = each_drawn(in, own, effect, [&](i32 i, i32 j, i32 own_color) {
        to[(i64)i * grid.width + j] = color == OWN_COLORS ? own_color : color;
        return true;
      });
      if (!can) return false;
    }
  return true;
}

bool are_rules(const i32* rules, i64 n) {
  if (n <= NODE_SIZE || n % NODE_SIZE != 1 || (u32)rules[0] >= 2 * N_SEGMENTATIONS) return false;
  for (i64 place = 1; place < n; place += NODE_SIZE) {
    const i32 feature = rules[place], a = rules[place + 1], b = rules[place + 2], c = rules[place + 3];
    if (feature == ACTION) {
      if ((u32)a >= (u32)N_EFFECTS || (u32)b >= (u32)N_PAINTS || (u32)c > 1) return false;
    } else {
      if ((u32)feature >= (u32)N_OBJECT_FEATURES || (u32)a > 1 || place + NODE_SIZE >= n) return false;
      if (c <= place || c >= n || c % NODE_SIZE != 1) return false;
    }
  }
  return true;
}

ARC_IMPLEMENT(apply_actions) {
  const Value rules = args[0], grid = args[1];
  // A pair and the empty tuple hold numbers too, but never rules.
  if (rules.kind != INTS && rules.kind != PAIR && !(rules.kind == TUPLE && rules.n == 0)) return fail(WRONG_TYPE);
  if (!is_color_grid(grid)) return fail(WRONG_TYPE);
  if (rules.kind != INTS || !are_rules(rules.ints, rules.n)) return fail(OUT_OF_RANGE);
  SegmentedGrid in(scene_of(grid), rules.ints[0]);
  if (in.n_objects() > MAX_OBJECTS) return fail(EMPTY);
  ARC_CHARGE(in.cost());
  in.find_references();
  std::vector<i32> to;
  if (!act(in, rules.ints, in.describe().data(), to)) return fail(EMPTY);
  return cells_value(lane, to, in.grid.width);
}

// --- learning ---

constexpr i32 MAX_OBJECTS_IN_ALL = 512;
constexpr size_t MAX_ACTIONS = 3;  // of which all choices are tried
constexpr size_t MAX_GREEDY_ACTIONS = 6;
constexpr size_t MAX_ROWS = 1000;
constexpr int MAX_TRIED = 4000, MAX_COVERS = 64, MAX_DEPTH = 4;
constexpr i32 MAX_NEW = 64;  // cells of a demo that must be drawn
// The agreement of an effect with an output: bits of the colors in which they agree, and a bit for its own colors.
constexpr u32 ALL_COLORS = (1u << 10) - 1, OWN_AGREES = 1u << 10;

i32 count_set(u64 word) { return count_bits((u32)word) + count_bits((u32)(word >> 32)); }
bool has_bit(const Bits& bits, i32 k) { return bits[k / 64] >> k % 64 & 1; }
void set_bit(Bits& bits, i32 k) { bits[k / 64] |= 1ULL << k % 64; }
// A word with the lowest n bits set, at most 64.
u64 lowest_bits(i32 n) { return n >= 64 ? ~0ULL : (1ULL << n) - 1; }
bool is_subset(const Bits& bits, const Bits& others) {
  for (size_t k = 0; k < bits.size(); k++)
    if (bits[k] & ~others[k]) return false;
  return true;
}
Bits without(Bits bits, const Bits& others) {
  for (size_t k = 0; k < bits.size(); k++) bits[k] &= ~others[k];
  return bits;
}

// An action that some objects may have done.
struct Row {
  i32 effect, paint, copies;
  Bits members;  // those objects, then the new cells that they draw, a word per demo
  Bits drawing;  // those objects that draw new cells
};

// The kind of effect and the members of a row.
typedef std::pair<i32, Bits> RowKey;
struct RowKeyHash {
  size_t operator()(const RowKey& key) const {
    u64 hash = (u64)key.first;
    for (const u64 word : key.second) hash = mix_bits(hash ^ word);
    return hash;
  }
};

struct Question {
  i32 feature, comparison, value;
  Bits yes;  // the objects for which the answer is yes
};

// The actions that a tree chooses from: rows, and the objects that may do each.
struct Choice {
  std::vector<const Row*> rows;
  std::vector<Bits> may;
};

class ActionLearner : DemoLearner {
 public:
  ActionLearner(Lane& lane, const Value& demos, i32 segmentation)
      : DemoLearner(demos), lane_(lane), segmentation_(segmentation), effects_(tried_effects()) {}

  Reason learn(std::vector<i32>& rules) {
    const Reason why = segment_inputs();
    if (why != OK) return why;
    if (!find_agreement()) return EMPTY;
    for (const SegmentedGrid& grid : grids_)
      for (const Features& features : grid.describe()) features_.push_back(features);
    make_rows();
    make_questions();
    return find_rules(rules) ? OK : EMPTY;
  }

 private:
  Reason segment_inputs() {
    if (!keep_sizes() || !change()) return EMPTY;
    const auto has_background_0 = [](const Scene& input) { return background_of(input, 0) == 0; };
    if (segmentation_ >= N_SEGMENTATIONS && std::all_of(inputs_.begin(), inputs_.end(), has_background_0)) return EMPTY;
    u64 cost = 0;
    bool are_too_many = false;
    for (const Scene& input : inputs_) {
      grids_.emplace_back(input, segmentation_);
      are_too_many |= grids_.back().n_objects() > MAX_OBJECTS;
      n_ += grids_.back().n_objects();
      cost += grids_.back().cost();
    }
    if (are_too_many || n_ > MAX_OBJECTS_IN_ALL || !n_) return EMPTY;
    n_words_ = (n_ + 63) / 64;
    return lane_.charge(cost) && lane_.charge((u64)n_ * effects_.size()) ? OK : OVER_BUDGET;
  }

  // Finds how all effects on all objects agree with the outputs; false if something is not explained.
  bool find_agreement() {
    agreeing_.resize(effects_.size() * n_);
    drawing_.resize(effects_.size() * n_);
    i32 first = 0;
    for (size_t d = 0; d < grids_.size(); d++) {
      SegmentedGrid& in = grids_[d];
      in.find_references();
      const i64 n_cells = in.grid.n_cells();
      i32 n_new = 0;
      new_cells_.assign(n_cells, -1);
      is_shown_.assign(n_cells, false);
      for (i64 k = 0; k < n_cells; k++) {
        const i32 color = outputs_[d].cells[k];
        if (color != in.grid.cells[k] && color != in.background) new_cells_[k] = n_new++;
      }
      n_new_.push_back(std::min(n_new, MAX_NEW));
      for (const GridObject& own : in.objects) {
        bool can_act = false;
        for (size_t e = 0; e < effects_.size(); e++) {
          const size_t at = e * n_ + first + own.label;
          agreeing_[at] = (u16)agree(in, outputs_[d], own, effects_[e], drawing_[at]);
          can_act |= agreeing_[at] != 0;
        }
        if (!can_act) return false;
      }
      for (i64 k = 0; k < n_cells; k++)
        if (new_cells_[k] >= 0 && !is_shown_[k]) return false;
      first += in.n_objects();
    }
    return true;
  }
  // Returns the agreement of an effect with the output; `drawing` gets bits of the new cells that it draws.
  u32 agree(const SegmentedGrid& in, const Scene& output, const GridObject& own, i32 effect, u64& drawing) {
    auto is_all = [&](auto wanted) {
      return std::all_of(own.begin(), own.end(),
                         [&](const Place& at) { return output.cell(at.row, at.column) == wanted(at); });
    };
    if (effect == VANISH) return is_all([&](const Place&) { return in.background; }) ? OWN_AGREES : 0;
    if (is_addition(effect) && !is_all([&](const Place& at) { return in.cell(at); })) return 0;
    u32 agreeing = (ALL_COLORS | OWN_AGREES) & ~(1u << in.background);
    u64 drawn = 0;
    bool is_new = false;
    const bool can = each_drawn(in, own, effect, [&](i32 i, i32 j, i32 own_color) {
      const i64 at = (i64)i * output.width + j;
      const i32 color = output.cells[at], number = new_cells_[at];
      agreeing &= 1u << color | (color == own_color ? OWN_AGREES : 0);
      is_new |= number >= 0;
      if (number >= 0 && number < MAX_NEW) drawn |= 1ULL << number;
      return agreeing != 0;
    });
    if (!can || !agreeing) return 0;
    if (is_new)
      each_drawn(in, own, effect, [&](i32 i, i32 j, i32) { return is_shown_[(i64)i * output.width + j] = true; });
    drawing = drawn;
    return agreeing;
  }

  // Lists the actions; of those with the same objects and new cells the first.
  void make_rows() {
    for (i32 copies = 0; copies < 2; copies++)
      for (size_t e = 0; e < effects_.size(); e++) {
        const i32 effect = effects_[e];
        if (copies && (effect == STAY || effect == VANISH || is_addition(effect))) continue;
        u32 any = 0;
        for (i32 k = 0; k < n_; k++) any |= agreeing_[e * n_ + k];
        if (any & OWN_AGREES) add_row(e, OWN, copies);
        if (effect == VANISH || !(any & ALL_COLORS)) continue;
        for (i32 c = 0; c < 10; c++)
          if (any >> c & 1) add_row(e, OF_COLOR + c, copies);
        for (i32 reference = 0; effect == STAY && reference < N_REFERENCES; reference++)
          add_row(e, OF_OTHER + reference, copies);
        if (reference_of(effect) >= 0) add_row(e, OF_OTHER + reference_of(effect), copies);
      }
  }
  void add_row(size_t e, i32 paint, i32 copies) {
    if (rows_.size() == MAX_ROWS) return;
    auto& [kind, members] = key_;
    kind = std::min(effects_[e], 2);
    members.assign(n_words_ + grids_.size(), 0);
    Bits drawing(n_words_);
    bool is_possible = false;
    i32 k = 0;
    for (size_t d = 0; d < grids_.size(); d++)
      for (const GridObject& own : grids_[d].objects) {
        const size_t at = e * n_ + k, number = k++;
        if (copies && !(agreeing_[number] & OWN_AGREES)) continue;  // effect 0 is to stay
        const i32 color = color_of_paint(grids_[d], own, paint);
        const u32 bit = color == OWN_COLORS ? OWN_AGREES : color == NO_PAINT ? 0 : 1u << color;
        if (!(agreeing_[at] & bit)) continue;
        is_possible = true;
        set_bit(members, (i32)number);
        members[n_words_ + d] |= drawing_[at];
        if (drawing_[at]) set_bit(drawing, (i32)number);
      }
    if (is_possible && known_.insert(key_).second) rows_.push_back({effects_[e], paint, copies, members, drawing});
  }

  void make_questions() {
    for (i32 feature = 0; feature < N_OBJECT_FEATURES; feature++) {
      std::vector<i32> values;
      for (const Features& features : features_) values.push_back(features[feature]);
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
      for (i32 comparison = IS_COUNTED[feature] ? AT_LEAST : 0; comparison >= 0; comparison--)
        for (const i32 value : values) {
          Question question = {feature, comparison, value, Bits(n_words_)};
          i32 n_yes = 0;
          for (i32 k = 0; k < n_; k++) {
            const i32 x = features_[k][feature];
            if (comparison == AT_LEAST ? x < value : x != value) continue;
            set_bit(question.yes, k);
            n_yes++;
          }
          if (n_yes < n_) questions_.push_back(question);
        }
    }
  }

  bool find_rules(std::vector<i32>& best) {
    Bits all;
    for (i32 k = 0; k < n_words_; k++) all.push_back(lowest_bits(n_ - 64 * k));
    for (const i32 n_new : n_new_) all.push_back(lowest_bits(n_new));
    n_rows_with_.assign(64 * all.size(), 0);
    for (const Row& row : rows_)
      for (size_t word = 0; word < all.size(); word++)
        for (u64 bits = row.members[word]; bits; bits &= bits - 1) n_rows_with_[64 * word + lowest_bit64(bits)]++;
    for (size_t n_actions = 1; n_actions <= MAX_ACTIONS; n_actions++) {
      n_tried_ = n_covers_ = 0;
      cover_.clear();
      try_covers(all, n_actions, best);
      if (!best.empty()) return true;
    }
    try_greedy_cover(all, best);
    return !best.empty();
  }
  // Tries all sets of `n_actions` rows that cover the remaining members: takes each of the rows with the member that
  // the fewest rows have, and covers the rest in the same way. Returns false when a limit is reached.
  bool try_covers(const Bits& left, size_t n_actions, std::vector<i32>& best) {
    i32 rarest = -1;
    for (size_t word = 0; word < left.size(); word++)
      for (u64 bits = left[word]; bits; bits &= bits - 1) {
        const i32 k = (i32)(64 * word) + lowest_bit64(bits);
        if (rarest < 0 || n_rows_with_[k] < n_rows_with_[rarest]) rarest = k;
      }
    for (const Row& row : rows_) {
      if (!has_bit(row.members, rarest)) continue;
      if (++n_tried_ > MAX_TRIED) return false;
      const bool is_covered = is_subset(left, row.members), is_last = cover_.size() + 1 == n_actions;
      if (is_last != is_covered) continue;
      cover_.push_back(&row);
      bool continues = true;
      if (!is_last)
        continues = try_covers(without(left, row.members), n_actions, best);
      else if (n_covers_++ < MAX_COVERS)
        try_cover(cover_, best);
      else
        continues = false;
      cover_.pop_back();
      if (!continues) return false;
    }
    return true;
  }
  // Tries a greedy choice: each time the row with the most of the remaining members.
  void try_greedy_cover(Bits left, std::vector<i32>& best) {
    cover_.clear();
    while (std::any_of(left.begin(), left.end(), [](u64 word) { return word != 0; })) {
      if (cover_.size() == MAX_GREEDY_ACTIONS) return;
      i32 most = -1;
      const Row* chosen = nullptr;
      for (const Row& row : rows_) {
        i32 count = 0;
        for (size_t k = 0; k < left.size(); k++) count += count_set(left[k] & row.members[k]);
        if (count <= most) continue;
        most = count;
        chosen = &row;
      }
      cover_.push_back(chosen);
      left = without(left, chosen->members);
    }
    try_cover(cover_, best);
  }
  // Replaces the best rules by those that choose among some rows if they are exact and simpler.
  void try_cover(const std::vector<const Row*>& rows, std::vector<i32>& best) const {
    Choice choice = {rows, {}};
    std::sort(choice.rows.begin(), choice.rows.end());
    Bits everyone, drawing(n_words_);
    for (i32 k = 0; k < n_words_; k++) everyone.push_back(lowest_bits(n_ - 64 * k));
    for (const Row* row : rows)
      for (i32 k = 0; k < n_words_; k++) drawing[k] |= row->drawing[k];
    // If possible, objects that may draw something new do not merely stay or vanish.
    for (const bool may_idle : {false, true}) {
      choice.may.clear();
      for (const Row* row : choice.rows) {
        const bool is_idle = row->paint == OWN && !row->copies && (row->effect == STAY || row->effect == VANISH);
        const Bits objects(row->members.begin(), row->members.begin() + n_words_);
        choice.may.push_back(is_idle && !may_idle ? without(objects, drawing) : objects);
      }
      std::vector<i32> rules = {segmentation_};
      if (!grow(choice, everyone, 0, rules)) continue;
      if (!best.empty() && cost_of(rules) >= cost_of(best)) continue;
      if (!is_exact(rules)) continue;
      best = rules;
      return;
    }
  }
  // The number of nodes, then how late in their list the questions are.
  static std::pair<size_t, i32> cost_of(const std::vector<i32>& rules) {
    i32 features = 0;
    for (size_t place = 1; place < rules.size(); place += NODE_SIZE) features += std::max(0, rules[place]);
    return {rules.size(), features};
  }
  bool is_exact(const std::vector<i32>& rules) const {
    std::vector<i32> drawn;
    const Features* features = features_.data();
    for (size_t d = 0; d < grids_.size(); d++) {
      if (!act(grids_[d], rules.data(), features, drawn)) return false;
      if (!std::equal(drawn.begin(), drawn.end(), outputs_[d].cells)) return false;
      features += grids_[d].n_objects();
    }
    return true;
  }

  // Appends the nodes that choose the members' actions; false if there are too many.
  bool grow(const Choice& choice, const Bits& members, int depth, std::vector<i32>& rules) const {
    for (size_t a = 0; a < choice.rows.size(); a++)
      if (is_subset(members, choice.may[a])) {
        const Row& row = *choice.rows[a];
        rules.insert(rules.end(), {ACTION, row.effect, row.paint, row.copies});
        return true;
      }
    if (depth == MAX_DEPTH) return false;
    const Question* best = nullptr;
    i32 fewest = n_wrong(choice, members, nullptr, true);
    for (const Question& question : questions_) {
      bool any_yes = false, any_no = false;
      for (i32 k = 0; k < n_words_; k++) {
        any_yes |= (members[k] & question.yes[k]) != 0;
        any_no |= (members[k] & ~question.yes[k]) != 0;
      }
      if (!any_yes || !any_no) continue;
      const i32 n = n_wrong(choice, members, &question.yes, true) + n_wrong(choice, members, &question.yes, false);
      if (n >= fewest) continue;
      fewest = n;
      best = &question;
    }
    if (!best) return false;
    const size_t place = rules.size();
    rules.insert(rules.end(), {best->feature, best->comparison, best->value, 0});
    const Bits no = without(members, best->yes), yes = without(members, no);
    if (!grow(choice, yes, depth + 1, rules)) return false;
    rules[place + 3] = (i32)rules.size();
    return grow(choice, no, depth + 1, rules);
  }
  // The number of wrong members, among those with an answer, if all of these act alike.
  i32 n_wrong(const Choice& choice, const Bits& members, const Bits* yes, bool answer) const {
    auto count = [&](const Bits* may) {
      i32 n = 0;
      for (i32 k = 0; k < n_words_; k++) {
        u64 word = members[k];
        if (yes) word &= answer ? (*yes)[k] : ~(*yes)[k];
        n += count_set(may ? word & (*may)[k] : word);
      }
      return n;
    };
    i32 most = 0;
    for (const Bits& may : choice.may) most = std::max(most, count(&may));
    return count(nullptr) - most;
  }

  Lane& lane_;
  i32 segmentation_;
  std::vector<i32> effects_;
  std::vector<SegmentedGrid> grids_;
  std::vector<Features> features_;  // of all objects of all demos, n_
  i32 n_ = 0, n_words_ = 0;         // n_words_: of a set of objects
  std::vector<i32> new_cells_;      // of a demo: the number of each cell that must be drawn, or -1
  std::vector<u8> is_shown_;        // likewise, whether some effect draws it
  std::vector<i32> n_new_;          // of each demo
  std::vector<u16> agreeing_;       // by effect and object
  std::vector<u64> drawing_;        // likewise, bits of the new cells of its demo that are drawn
  std::vector<Row> rows_;
  RowKey key_;  // of the last row
  std::unordered_set<RowKey, RowKeyHash> known_;
  std::vector<Question> questions_;
  std::vector<i32> n_rows_with_;  // for each member
  std::vector<const Row*> cover_;
  int n_tried_ = 0, n_covers_ = 0;
};

ARC_IMPLEMENT(learn_actions) {
  if (!are_color_demos(args[0])) return fail(WRONG_TYPE);
  std::vector<i32> rules;
  const Reason why = ActionLearner(lane, args[0], (i32)args[1].number).learn(rules);
  return why == OK ? numbers_value(lane, rules) : fail(why);
}

}  // namespace
}  // namespace arc
