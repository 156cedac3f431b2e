// Rules that rewrite cells until nothing changes: `learn_rewrites` and `rewrite`.
//
// language/primitives/rewriting.py describes the numbers of rules and defines what they do to a grid.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "demo_grids.hpp"

namespace arc {
namespace {

constexpr i32 SAME_COLOR = 11, ANY_COLOR = 12;
constexpr int RULE_SIZE = 8, MAX_RULES = 6;
// A rule is sought for the first MAX_SOUGHT kinds of cells; learning restarts MAX_ATTEMPTS times.
constexpr int MAX_SOUGHT = 8, MAX_ATTEMPTS = 4;
constexpr size_t MAX_KINDS = 2048;
constexpr int N_NEAR = 16, N_TURNS = 8;
constexpr u64 ONE_EACH = 0x1111111111111111ULL;
constexpr int N_ROW = N_NEAR / 4;  // words with 16 bits per place

typedef std::array<i32, RULE_SIZE> Rule;

// The 16 places near a cell, the 8 around it first, then the same directions two steps away.
i32 near_row(int place) { return row_step(place & 7) * (1 + (place >> 3)); }
i32 near_column(int place) { return column_step(place & 7) * (1 + (place >> 3)); }

// For each mirror or turn, the place that comes to stand at each place.
struct TurnTable {
  u8 places[N_TURNS][N_NEAR];

  TurnTable() {
    for (int turn = 0; turn < N_TURNS; turn++)
      for (int place = 0; place < N_NEAR; place++) {
        const i32 i = near_row(place), j = near_column(place);
        const Place images[N_TURNS] = {{i, j}, {i, -j}, {-i, j}, {-i, -j}, {j, i}, {-j, i}, {-j, -i}, {j, -i}};
        for (int other = 0; other < N_NEAR; other++)
          if (near_row(other) == images[turn].row && near_column(other) == images[turn].column)
            places[turn][place] = (u8)other;
      }
  }
};
const TurnTable TURNS;

// For 4 bits, 16 equal bits each.
struct SpreadTable {
  u64 bits[16];

  SpreadTable() {
    for (u32 k = 0; k < 16; k++) {
      bits[k] = 0;
      for (u32 q = 0; q < 4; q++) bits[k] |= (u64)(k >> q & 1 ? 0xffff : 0) << 16 * q;
    }
  }
};
const SpreadTable SPREAD;

// A grid while it is being rewritten.
struct State {
  enum Mark : u8 { UNCHANGED, CHANGED, PENDING };  // PENDING: unchanged, to be looked at

  std::vector<i32> cells;
  std::vector<u8> marks;
  i32 n_rows, width;

  explicit State(const Scene& scene)
      : cells(scene.cells, scene.cells + scene.n_cells()),
        marks(cells.size(), PENDING),
        n_rows(scene.n_rows),
        width(scene.width) {}

  void look_everywhere() {
    for (u8& mark : marks)
      if (mark != CHANGED) mark = PENDING;
  }
};

// The colors near a cell, 4 bits per place.
u64 see_near(const i32* cells, i32 n_rows, i32 width, i32 at, int n_places) {
  const i32 row = at / width, column = at % width;
  u64 seen = 0;
  for (int k = 0; k < n_places; k++) {
    const i32 i = row + near_row(k), j = column + near_column(k);
    const bool inside = (u32)i < (u32)n_rows && (u32)j < (u32)width;
    seen |= (u64)(inside ? cells[i * width + j] : OUTSIDE_COLOR) << 4 * k;
  }
  return seen;
}
u64 see_near(const State& state, i32 at, int n_places) {
  return see_near(state.cells.data(), state.n_rows, state.width, at, n_places);
}

// Returns the new color of a cell, by the first rule that holds in any of its turns; -1 if none holds.
i32 new_color(const std::vector<Rule>& rules, int n_turns, i32 own, u64 seen) {
  for (const Rule& rule : rules) {
    if (rule[0] != own) continue;
    for (int turn = 0; turn < n_turns; turn++) {
      i32 shared = -1;
      bool holds = true;
      for (int k = 2; k < RULE_SIZE && holds; k += 2) {
        const i32 place = rule[k], look = rule[k + 1];
        if (place < 0) continue;
        const i32 there = (i32)(seen >> 4 * TURNS.places[turn][place] & 15);
        if (look < SAME_COLOR) {
          holds = there == look;
        } else {
          holds = there != own && there != OUTSIDE_COLOR;
          if (look == SAME_COLOR) {
            holds = holds && (shared < 0 || shared == there);
            shared = there;
          }
        }
      }
      const i32 color = rule[1] == SAME_COLOR ? shared : rule[1];
      if (holds && color >= 0 && color != own) return color;
    }
  }
  return -1;
}

struct Change {
  i32 at, color;
};

// The changes of the next round, in reading order.
void find_changes(const State& state, const std::vector<Rule>& rules, int n_turns, std::vector<Change>& changes) {
  u32 ruled = 0;  // bits of the colors that rules are about
  for (const Rule& rule : rules) ruled |= 1u << rule[0];
  changes.clear();
  for (i32 k = 0; k < (i32)state.cells.size(); k++) {
    if (state.marks[k] != State::PENDING || !(ruled >> state.cells[k] & 1)) continue;
    const i32 color = new_color(rules, n_turns, state.cells[k], see_near(state, k, N_NEAR));
    if (color >= 0) changes.push_back({k, color});
  }
}

// Changes cells and marks those that see something new.
void apply_changes(State& state, const std::vector<Change>& changes) {
  for (u8& mark : state.marks)
    if (mark == State::PENDING) mark = State::UNCHANGED;
  for (const Change& change : changes) {
    state.cells[change.at] = change.color;
    state.marks[change.at] = State::CHANGED;
    const i32 row = change.at / state.width, column = change.at % state.width;
    for (int place = 0; place < N_NEAR; place++) {
      const i32 i = row + near_row(place), j = column + near_column(place);
      if ((u32)i >= (u32)state.n_rows || (u32)j >= (u32)state.width) continue;
      u8& mark = state.marks[i * state.width + j];
      if (mark != State::CHANGED) mark = State::PENDING;
    }
  }
}

// --- learning ---

// Bits of the places, of 16, at which two cells see the same.
u32 equal_places(u64 a, u64 b) {
  u64 x = a ^ b;
  x = ~(x | x >> 1 | x >> 2 | x >> 3) & ONE_EACH;
  x = (x | x >> 3) & 0x0303030303030303ULL;
  x = (x | x >> 6) & 0x000f000f000f000fULL;
  x = (x | x >> 12) & 0x000000ff000000ffULL;
  return (u32)((x | x >> 24) & 0xffff);
}

// Cells of one color that become one color and see the same near them.
struct Kind {
  i32 own, becomes, n_cells;
  u64 views[N_TURNS];   // what they see, in each turn
  u16 colors[N_TURNS];  // bits of the places that have colors other than their own
};

// Kinds in the order in which they were first seen.
class Kinds {
 public:
  std::vector<Kind> list;

  Kinds(int n_places, int n_turns) : n_places_(n_places), n_turns_(n_turns) {}

  void clear() {
    list.clear();
    numbers_.clear();
  }
  // Counts one more cell; false if there are too many kinds.
  bool add(i32 own, i32 becomes, u64 view) {
    const auto [entry, is_new] = numbers_.try_emplace({view, own * 10 + becomes}, (u32)list.size());
    if (!is_new) {
      list[entry->second].n_cells++;
      return true;
    }
    if (list.size() == MAX_KINDS) return false;
    Kind kind = {own, becomes, 1, {}, {}};
    for (int turn = 0; turn < n_turns_; turn++) {
      u64 turned = 0;
      for (int k = 0; k < n_places_; k++) turned |= (view >> 4 * TURNS.places[turn][k] & 15) << 4 * k;
      kind.views[turn] = turned;
      kind.colors[turn] = (u16)(((1u << n_places_) - 1) & ~equal_places(turned, (u64)own * ONE_EACH) &
                                ~equal_places(turned, OUTSIDE_COLOR * ONE_EACH));
    }
    list.push_back(kind);
    return true;
  }

 private:
  struct Key {
    u64 view;
    i32 colors;
    bool operator==(const Key& other) const { return view == other.view && colors == other.colors; }
  };
  struct KeyHash {
    size_t operator()(const Key& key) const { return mix_bits(key.view ^ (u64)key.colors * 0x9e3779b97f4a7c15ULL); }
  };

  int n_places_, n_turns_;
  std::unordered_map<Key, u32, KeyHash> numbers_;
};

// A cell that changes, as an example for rules. A rule requires, at some of its places, the colors that are
// there; but one shared color at those of `same`, and any colors at those of `any`.
struct Example {
  u64 view;
  i32 own, becomes;
  u32 same, any;
};

class RewriteLearner : DemoLearner {
 public:
  RewriteLearner(Lane& lane, const Value& demos, int n_places, int n_turns)
      : DemoLearner(demos),
        lane_(lane),
        n_places_(n_places),
        n_turns_(n_turns),
        seen_(n_places, n_turns),
        left_(n_places, n_turns),
        ends_(n_places, n_turns),
        refused_sets_((1u << n_places) / 64),
        n_right_(1u << n_places) {}

  Reason learn(std::vector<Rule>& rules) {
    if (!keep_sizes()) return EMPTY;
    n_cells_ = (i64)n_input_cells();
    for (size_t d = 0; d < inputs_.size(); d++)
      for (i64 k = 0; k < inputs_[d].n_cells(); k++)
        if (inputs_[d].cells[k] != outputs_[d].cells[k]) changing_ |= 1u << inputs_[d].cells[k];
    if (!changing_) return EMPTY;
    if (!lane_.charge((u64)n_cells_)) return OVER_BUDGET;
    if (!collect_kinds()) return EMPTY;
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      rules.clear();
      const Reason why = try_rules(rules);
      if (why != OK) return why;
      if (!went_wrong_) return OK;
    }
    return EMPTY;
  }

 private:
  // Collects all cells of changing colors; false if they are of too many kinds.
  bool collect_kinds() {
    for (size_t d = 0; d < inputs_.size(); d++) {
      const Scene &input = inputs_[d], &output = outputs_[d];
      for (i32 k = 0; k < (i32)input.n_cells(); k++) {
        const i32 own = input.cells[k], becomes = output.cells[k];
        if (!(changing_ >> own & 1)) continue;
        if (!seen_.add(own, becomes, see_near(input.cells, input.n_rows, input.width, k, n_places_))) return false;
        const u64 in_output = see_near(output.cells, output.n_rows, output.width, k, n_places_);
        if (!(own == becomes ? seen_ : ends_).add(own, becomes, in_output)) return false;
      }
    }
    return true;
  }

  // Finds rules one by one until they make all outputs, or sets `went_wrong_`.
  Reason try_rules(std::vector<Rule>& rules) {
    std::vector<State> states(inputs_.begin(), inputs_.end());
    went_wrong_ = false;
    while (!went_wrong_) {
      if (!find_left(states, !rules.empty())) return EMPTY;
      if (left_.list.empty()) return OK;
      if (rules.size() == MAX_RULES) return EMPTY;
      if (!lane_.charge((u64)n_cells_)) return OVER_BUDGET;
      rules.emplace_back();
      if (!find_rule(rules.back())) return EMPTY;
      for (size_t d = 0; d < states.size() && !went_wrong_; d++)
        if (!rewrite_demo(states[d], outputs_[d], rules)) return EMPTY;
    }
    return OK;
  }

  // Collects the cells that are still to change as they are now; false if they are of too many kinds.
  bool find_left(const std::vector<State>& states, bool add_seen) {
    left_.clear();
    for (size_t d = 0; d < states.size(); d++) {
      const State& state = states[d];
      for (i32 k = 0; k < (i32)state.cells.size(); k++) {
        const i32 own = state.cells[k], becomes = outputs_[d].cells[k];
        if (state.marks[k] == State::CHANGED || !(changing_ >> own & 1)) continue;
        if (!add_seen && own == becomes) continue;
        const u64 view = see_near(state, k, n_places_);
        if (add_seen && !seen_.add(own, becomes, view)) return false;
        if (own != becomes && !left_.add(own, becomes, view)) return false;
      }
    }
    return true;
  }

  // Rewrites one demo until nothing changes; wrong changes are added to the cells seen. Returns false if there are too
  // many kinds.
  bool rewrite_demo(State& state, const Scene& output, const std::vector<Rule>& rules) {
    state.look_everywhere();
    for (;;) {
      find_changes(state, rules, n_turns_, changes_);
      if (changes_.empty()) return true;
      for (const Change& change : changes_) {
        const i32 becomes = output.cells[change.at];
        if (change.color == becomes) continue;
        went_wrong_ = true;
        if (!seen_.add(state.cells[change.at], becomes, see_near(state, change.at, n_places_))) return false;
      }
      if (went_wrong_) return true;
      apply_changes(state, changes_);
    }
  }

  // Calls f(places, n_cells) for cells, in each turn, that equal the example at those places, and for which a rule
  // about any of these places would be right, or wrong, until it returns false. Returns false if it did.
  template <class F>
  bool each_alike(const Example& example, const Kinds& kinds, bool is_right, F f) const {
    const u32 all = (1u << n_places_) - 1;
    for (const Kind& kind : kinds.list) {
      if (kind.own != example.own) continue;
      if (!example.same && (kind.becomes == example.becomes) != is_right) continue;
      for (int turn = 0; turn < n_turns_; turn++) {
        const u64 view = kind.views[turn];
        const u32 colors = kind.colors[turn];
        const u32 alike = (equal_places(view, example.view) & all & ~example.any) | (colors & example.any);
        if (!example.same) {
          if (!f(alike, kind.n_cells)) return false;
          continue;
        }
        for (u32 shown = colors & example.same; shown;) {
          const i32 color = (i32)(view >> 4 * lowest_bit(shown) & 15);
          const u32 here = equal_places(view, (u64)color * ONE_EACH) & shown;
          shown &= ~here;
          if ((kind.becomes == color) == is_right && !f((alike & ~example.same) | here, kind.n_cells)) return false;
        }
      }
    }
    return true;
  }

  // Finds the best rule for one of the first kinds that are left; false if there is none.
  bool find_rule(Rule& rule) {
    i64 best = -1;
    int n_sought = 0;
    for (const Kind& kind : left_.list) {
      const u32 colors = kind.colors[0];
      if (!colors) continue;
      if (++n_sought > MAX_SOUGHT) break;
      const u32 all = (1u << n_places_) - 1;
      const u32 same = equal_places(kind.views[0], (u64)kind.becomes * ONE_EACH) & all;
      Example example = {kind.views[0], kind.own, kind.becomes, 0, 0};
      improve_rule(example, 2, best, rule);
      example.same = same;
      if (same) improve_rule(example, 3, best, rule);
      example.any = colors & ~same;
      if (example.any) improve_rule(example, 1, best, rule);
    }
    return best >= 0;
  }

  // Replaces the rule by the best one about an example if that scores higher; `rank` decides ties.
  void improve_rule(const Example& example, int rank, i64& best, Rule& rule) {
    // By place, a row of 16 bits for each other place: all further places at which a wrong cell that equals the example
    // at these two equals it, too. A place and itself are one place.
    u64 refused_with[N_NEAR][N_ROW] = {};
    const u32 every_place = (1u << n_places_) - 1;
    u32 refused = 0;
    std::fill(refused_sets_.begin(), refused_sets_.end(), 0);
    const bool is_possible = each_alike(example, seen_, false, [&](u32 places, i32) {
      u64& word = refused_sets_[places / 64];
      const u64 bit = 1ULL << places % 64;
      if (word & bit) return true;
      if (places == every_place) return false;
      word |= bit;
      refused |= places;
      u64 row[N_ROW];
      for (int k = 0; k < N_ROW; k++) row[k] = SPREAD.bits[places >> 4 * k & 15] & places * 0x0001000100010001ULL;
      for (u32 a = places; a; a &= a - 1) {
        u64* to = refused_with[lowest_bit(a)];
        for (int k = 0; k < N_ROW; k++) to[k] |= row[k];
      }
      return true;
    });
    // A wrong cell that equals the example everywhere refuses all rules.
    if (!is_possible) return;
    const auto refused_with_both = [&](int a, int b) { return (u32)(refused_with[a][b / 4] >> 16 * (b % 4) & 0xffff); };
    bool is_counted = false;
    i64 n_right_at[N_NEAR] = {};  // by place: the number of cells for which a rule about it alone is right
    auto consider = [&](u32 places, int n_required) {
      if ((example.same && !(places & example.same)) || (example.any && !(places & example.any))) return;
      if (!is_counted) {
        is_counted = true;
        auto count = [&](u32 alike, i32 n_cells) {
          if (!n_right_[alike]) right_sets_.push_back(alike);
          n_right_[alike] += n_cells;
          return true;
        };
        each_alike(example, left_, true, count);
        each_alike(example, ends_, true, count);
        for (const u32 alike : right_sets_)
          for (u32 a = alike; a; a &= a - 1) n_right_at[lowest_bit(a)] += n_right_[alike];
      }
      const i64 cost = 1 + n_required + count_bits(places >> 8);
      const auto score_of = [&](i64 n_right) { return n_right * 16 / cost << 2 | rank; };
      i64 most = n_right_at[lowest_bit(places)];
      for (u32 rest = places & (places - 1); rest; rest &= rest - 1) most = std::min(most, n_right_at[lowest_bit(rest)]);
      if (score_of(most) <= best) return;
      i64 n_right = 0;
      for (const u32 alike : right_sets_)
        if ((alike & places) == places) n_right += n_right_[alike];
      const i64 score = score_of(n_right);
      if (score <= best) return;
      best = score;
      rule = {example.own, example.same ? SAME_COLOR : example.becomes, -1, -1, -1, -1, -1, -1};
      int next = 2;
      for (u32 rest = places; rest; rest &= rest - 1) {
        const int k = lowest_bit(rest);
        rule[next++] = k;
        rule[next++] = example.same >> k & 1  ? SAME_COLOR
                       : example.any >> k & 1 ? ANY_COLOR
                                              : (i32)(example.view >> 4 * k & 15);
      }
    };
    // f(place) for all places after one that are not refused.
    auto each_allowed = [&](int after, u32 without, auto f) {
      for (u32 rest = every_place & ~without & ~((2u << after) - 1); rest; rest &= rest - 1) f(1u << lowest_bit(rest));
    };
    for (int a = 0; a < n_places_; a++)
      if (!(refused >> a & 1)) consider(1u << a, 1);
    for (int a = 0; a < n_places_; a++)
      each_allowed(a, refused_with_both(a, a), [&](u32 last) { consider(1u << a | last, 2); });
    for (int a = 0; a < n_places_; a++)
      for (int b = a + 1; b < n_places_; b++)
        each_allowed(b, refused_with_both(a, b), [&](u32 last) { consider(1u << a | 1u << b | last, 3); });
    for (const u32 alike : right_sets_) n_right_[alike] = 0;
    right_sets_.clear();
  }

  Lane& lane_;
  int n_places_, n_turns_;
  i64 n_cells_ = 0;
  u32 changing_ = 0;  // bits of the colors of cells that change
  bool went_wrong_ = false;
  Kinds seen_, left_, ends_;  // cells as they were seen; those still to change; those changed, as in the outputs
  std::vector<Change> changes_;
  std::vector<u64> refused_sets_;  // a bit per set of places
  std::vector<i32> n_right_;       // by set of places: the number of cells for which a rule is right
  std::vector<u32> right_sets_;    // the sets for which that is not 0
};

ARC_IMPLEMENT(learn_rewrites) {
  if (!are_color_demos(args[0])) return fail(WRONG_TYPE);
  const i32 code = (i32)args[1].number, turns = code & 3;
  std::vector<Rule> rules;
  const Reason why = RewriteLearner(lane, args[0], code < 4 ? 8 : N_NEAR, 1 << turns).learn(rules);
  if (why != OK) return fail(why);
  std::vector<i32> numbers = {turns};
  for (const Rule& rule : rules) numbers.insert(numbers.end(), rule.begin(), rule.end());
  return numbers_value(lane, numbers);
}

bool are_rules(const i32* numbers, i64 n) {
  if (n % RULE_SIZE != 1 || (u32)numbers[0] > 3) return false;
  for (const i32* rule = numbers + 1; rule < numbers + n; rule += RULE_SIZE) {
    if ((u32)rule[0] > 9 || ((u32)rule[1] > 9 && rule[1] != SAME_COLOR)) return false;
    for (int k = 2; k < RULE_SIZE; k += 2)
      if (rule[k] < -1 || rule[k] >= N_NEAR || rule[k + 1] < -1 || rule[k + 1] > ANY_COLOR) return false;
  }
  return true;
}

ARC_IMPLEMENT(rewrite) {
  const Value numbers = args[0], grid = args[1];
  // A pair and the empty tuple hold numbers too, but never rules.
  const bool is_short = numbers.kind == PAIR || (numbers.kind == TUPLE && numbers.n == 0);
  if ((numbers.kind != INTS && !is_short) || !is_color_grid(grid)) return fail(WRONG_TYPE);
  if (is_short || !are_rules(numbers.ints, numbers.n)) return fail(OUT_OF_RANGE);
  std::vector<Rule> rules(numbers.n / RULE_SIZE);
  for (size_t r = 0; r < rules.size(); r++)
    std::copy_n(numbers.ints + 1 + r * RULE_SIZE, RULE_SIZE, rules[r].begin());
  State state(scene_of(grid));
  ARC_CHARGE((u64)rules.size() * (u64)state.cells.size());
  std::vector<Change> changes;
  for (;;) {
    find_changes(state, rules, 1 << numbers.ints[0], changes);
    if (changes.empty()) return cells_value(lane, state.cells, state.width);
    apply_changes(state, changes);
  }
}

}  // namespace
}  // namespace arc
