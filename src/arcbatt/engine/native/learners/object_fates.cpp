// Learns the fates of objects that predicates select; documented in language/learners/object_fates.py.
#include <map>
#include <memory>
#include <unordered_map>

#include "demo_grids.hpp"
#include "fate_rules.hpp"

namespace arc {
namespace {

using namespace fates;

// --- learning ---

typedef std::vector<u64> Bits;  // a word of objects for each demo

struct BitsHash {
  size_t operator()(const Bits& bits) const {
    u64 hash = bits.size();
    for (const u64 word : bits) hash = mix_bits(hash ^ word);
    return (size_t)hash;
  }
};

struct PricedTest {
  Test test;
  i32 bits;
};
// Tests that select the same objects of the demos, the cheapest first.
struct TestGroup {
  Bits yes;
  std::vector<PricedTest> tests;
};

// A fate that some objects may have had.
struct Row {
  i32 fate, bits;
  Bits may, draws;  // the objects that may have had it; those of them that it changes
};

constexpr size_t MAX_RULES = 160, MAX_TESTS_OF_GROUP = 12, MAX_JOINED = 150, MAX_PAIRS_JOINED = 6,
                 MAX_RULES_JOINED = 24;
constexpr i32 MAX_RENDERED = 1500;
constexpr size_t MAX_PLACED = 60;
constexpr size_t MAX_VALUES = 10;  // of a table
// Bits in sixteenths. Two tests are joined only if no test alone costs at most CHEAP_TEST.
constexpr i32 CHEAP_TEST = 80, JOINING = 40, BITS_PER_VALUE = 8, SORT_BITS = 32, DRAW_BITS = 32, CELLS_BITS = 16;
// Bits of crops: of the box or the object alone, of its inside, of turned ones. If all outputs are one cell, a rule
// whose output may be larger is unlikely.
constexpr i32 CROP_BITS = 16, INSIDE_BITS = 24, TURNED_BITS = 40, UNLIKELY_CROP = 40, UNLIKELY_DRAWING = 56;

bool contains(const Bits& all, const Bits& some) {
  for (size_t k = 0; k < all.size(); k++)
    if (some[k] & ~all[k]) return false;
  return true;
}
bool meets(const Bits& a, const Bits& b) {
  for (size_t k = 0; k < a.size(); k++)
    if (a[k] & b[k]) return true;
  return false;
}
bool is_empty(const Bits& bits) {
  return std::all_of(bits.begin(), bits.end(), [](u64 word) { return word == 0; });
}
i32 half_log2(size_t n) {  // half of the logarithm, in sixteenths
  i32 log = 0;
  while (n >> (log + 1)) log++;
  return 8 * log;
}

class FateLearner : DemoLearner {
 public:
  FateLearner(Lane& lane, const Value& demos) : DemoLearner(demos), lane_(lane), paints_(keep_sizes()) {}

  Reason learn(std::vector<i32>& numbers) {
    if (!change()) return EMPTY;
    for (const Scene& output : outputs_)
      for (i64 k = 0; k < output.n_cells(); k++) output_colors_ |= 1u << output.cells[k];
    for (cut_ = 0; cut_ < N_CUTS; cut_++)
      if (charge(n_input_cells())) learn_cut();
    if (is_over_) return OVER_BUDGET;
    if (rules_.empty()) return EMPTY;
    std::vector<std::pair<i32, std::vector<i32>>> written;
    for (const FateRule& rule : rules_) {
      written.push_back({rule.bits, {}});
      rule.write(written.back().second);
    }
    std::sort(written.begin(), written.end());
    if (written.size() > MAX_RULES) written.resize(MAX_RULES);
    for (const auto& each : written) numbers.insert(numbers.end(), each.second.begin(), each.second.end());
    return OK;
  }

 private:
  bool charge(u64 steps) {
    is_over_ = is_over_ || !lane_.charge(steps);
    return !is_over_;
  }

  void learn_cut() {
    parts_.clear();
    u64 cut_cost = 0;
    for (const Scene& input : inputs_) {
      parts_.emplace_back(input, CUTS[cut_]);
      const size_t n = parts_.back().size();
      if (n == 0 || n > (size_t)MAX_OBJECTS) return;
      cut_cost += parts_.back().cost();
    }
    if (!charge(cut_cost)) return;
    grids_.clear();
    everyone_.clear();
    u64 cost = 0;
    for (size_t d = 0; d < inputs_.size(); d++) {
      grids_.emplace_back(inputs_[d], parts_[d]);
      everyone_.push_back(grids_.back().everyone());
      cost += grids_.back().cost();
    }
    if (!charge(cost)) return;
    is_described_ = false;
    n_rendered_ = 0;
    if (paints_)
      learn_paints();
    else
      learn_selections();
  }

  // Finds tests for the objects, grouped by the objects that pass them; false if that is over budget.
  bool describe() {
    if (is_described_) return true;
    u64 cost = 0;
    for (const ObjectGrid& grid : grids_) cost += grid.feature_cost();
    if (!charge(cost)) return false;
    is_described_ = true;
    for (ObjectGrid& grid : grids_) grid.describe();
    values_.assign(N_FEATURES, {});
    std::unordered_map<Bits, size_t, BitsHash> known;
    groups_.clear();
    for (i32 feature = 0; feature < N_FEATURES; feature++) {
      std::vector<i32>& values = values_[(size_t)feature];
      for (const ObjectGrid& grid : grids_)
        for (i32 k = 0; k < grid.n(); k++) values.push_back(grid.feature(feature, k));
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
      if (values[0] == ABSENT) values.clear();
      if (values.size() < 2) continue;
      const i32 scale = SCALES[feature], price = FEATURE_BITS[feature] + cost_of_value(scale, values.size());
      for (size_t v = 0; v < values.size(); v++) {
        const i32 value = values[v];
        const bool is_inner = v > 0 && v + 1 < values.size();
        switch (scale) {
          case fates::COUNT:
            add_test(known, {feature, EQUAL, value}, price + 16);
            if (is_inner) add_test(known, {feature, NOT_EQUAL, value}, price + 24);
            if (v + 1 < values.size()) add_test(known, {feature, AT_MOST, value}, price + 12);
            if (v > 0) add_test(known, {feature, AT_LEAST, value}, price + 12);
            break;
          case fates::RANK:
            add_test(known, {feature, EQUAL, value}, price + std::min(value, 4) * 16);
            if (value == 0) add_test(known, {feature, NOT_EQUAL, value}, price + 8);
            break;
          case fates::FLAG:
            // A relation of an object to itself is neither true nor false, but -1.
            if (value >= 0) add_test(known, {feature, EQUAL, value}, price + (value ? 0 : 8));
            if (value == -1 && values.size() == 3) add_test(known, {feature, NOT_EQUAL, 1}, price + 8);
            break;
          default:
            add_test(known, {feature, EQUAL, value}, price + 16);
            add_test(known, {feature, NOT_EQUAL, value}, price + 24);
        }
      }
    }
    for (TestGroup& group : groups_)
      std::stable_sort(group.tests.begin(), group.tests.end(),
                       [](const PricedTest& a, const PricedTest& b) { return a.bits < b.bits; });
    // Sorted by their cheapest test, so that the order of the demos does not matter.
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const TestGroup& a, const TestGroup& b) { return a.tests[0].bits < b.tests[0].bits; });
    return true;
  }
  static i32 cost_of_value(i32 scale, size_t n_values) { return scale == fates::COUNT ? half_log2(n_values) : 0; }
  void add_test(std::unordered_map<Bits, size_t, BitsHash>& known, const Test& test, i32 bits) {
    Bits yes;
    for (const ObjectGrid& grid : grids_) yes.push_back(select(grid, {test}));
    if (is_empty(yes) || yes == everyone_) return;
    const auto [at, is_new] = known.emplace(yes, groups_.size());
    if (is_new) groups_.push_back({yes, {}});
    groups_[at->second].tests.push_back({test, bits});
  }

  void add_rule(i32 bits, i32 kind, const std::vector<Test>& tests, const std::vector<i32>& parameters) {
    rules_.push_back({std::min(bits + CUT_BITS[cut_], (i32)MAX_BITS), cut_, kind, tests, parameters});
  }
  void add_rules(const TestGroup& group, i32 bits, i32 kind, const std::vector<i32>& parameters) {
    for (size_t k = 0; k < group.tests.size() && k < MAX_TESTS_OF_GROUP; k++)
      add_rule(bits + group.tests[k].bits, kind, {group.tests[k].test}, parameters);
  }

  // --- painting ---

  void learn_paints() {
    u64 cost = 0;
    for (const ObjectGrid& grid : grids_)
      for (const FateObject& own : grid.objects) cost += 16 + 2 * (u64)own.area();
    if (!charge(cost)) return;
    learn_sorting();
    if (!find_rows()) return;
    for (const Row& row : rows_)
      if (row.may == everyone_ && renders([&](size_t, i32) { return row.fate; }))
        add_rule(row.bits, PAINT_BY_TEST, {}, {row.fate, row.fate});
    learn_pairs();
    learn_tables();
  }

  void learn_sorting() {
    // Sorting keeps the number of cells of each color.
    for (size_t d = 0; d < grids_.size(); d++) {
      i32 counts[10] = {};
      if (grids_[d].n() < 2) return;
      for (i64 k = 0; k < outputs_[d].n_cells(); k++) {
        counts[inputs_[d].cells[k]]++;
        counts[outputs_[d].cells[k]]--;
      }
      if (std::any_of(counts, counts + 10, [](i32 count) { return count != 0; })) return;
    }
    if (!describe()) return;
    for (i32 measure = 0; measure < N_MEASURES; measure++)
      for (i32 falling = 0; falling < 2; falling++) {
        bool is_right = true;
        for (size_t d = 0; d < grids_.size() && is_right; d++)
          is_right = sort_objects(grids_[d], measure, falling, drawing_) && drawing_.shows(outputs_[d]);
        if (is_right) add_rule(SORT_BITS + FEATURE_BITS[3 * measure], SORT, {}, {measure, falling});
      }
  }

  // Finds the fates that agree with the outputs; false if some object or changed cell has none.
  bool find_rows() {
    std::vector<i32> tried;
    const bool is_mixed = CUTS[cut_] == TOGETHER_4 || CUTS[cut_] == TOGETHER_8;
    for (i32 fate = 0; fate < N_FATES; fate++) {
      if (!is_fate(fate)) continue;
      if (fate >= PAINT) {
        const i32 ink = (fate - PAINT) % N_INKS, how = fate - ink;
        if (ink < OWN_COLOR && !(output_colors_ >> ink & 1)) continue;
        const i32 like = ink - OWN_COLOR;
        if (like == MINOR && !is_mixed) continue;
        if (like == OWN && (how == RIM || how == CORE || (how == PAINT && !is_mixed))) continue;
        if (like > MINOR && (how == RING || how == HALO)) continue;
        if (like > MINOR && (how == RIM || how == CORE) && like != NEAREST && like != TOUCHED && like != WITHIN)
          continue;
        if ((like == LARGEST || like == SMALLEST) && how != PAINT) continue;
      }
      tried.push_back(fate);
    }
    rows_.clear();
    for (const i32 fate : tried) rows_.push_back({fate, FATE_BITS[fate], Bits(grids_.size()), Bits(grids_.size())});
    shown_.clear();
    for (const Scene& output : outputs_) shown_.emplace_back((size_t)output.n_cells());
    for (Row& row : rows_)
      for (size_t d = 0; d < grids_.size(); d++)
        for (i32 k = 0; k < grids_[d].n(); k++)
          if (is_kept(d, k) ? row.fate != VANISH : !keeps_cells(row.fate)) note_agreement(row, d, k);
    if (!are_explained()) {
      if (!find_places()) return false;
      if (!are_explained()) return false;
    }
    rows_.erase(std::remove_if(rows_.begin(), rows_.end(),
                               [](const Row& row) { return is_empty(row.fate == KEEP ? row.may : row.draws); }),
                rows_.end());
    std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.bits < b.bits; });
    return true;
  }

  bool is_kept(size_t d, i32 k) const {
    const Part& part = grids_[d].objects[(size_t)k];
    return std::all_of(part.begin(), part.end(),
                       [&](const Place& at) { return outputs_[d].cell(at.row, at.column) == part.color(at); });
  }
  // Notes whether an object may have had a fate, and the cells that it shows.
  void note_agreement(Row& row, size_t d, i32 k) {
    const ObjectGrid& grid = grids_[d];
    const Scene& output = outputs_[d];
    bool changes = false;
    const bool agrees = each_drawn(grid, k, row.fate, [&](i32 i, i32 j, i32 color) {
      changes |= grid.scene.cell(i, j) != color;
      return output.cell(i, j) == color;
    });
    if (!agrees) return;
    row.may[d] |= 1ULL << k;
    if (!changes) return;
    row.draws[d] |= 1ULL << k;
    each_drawn(grid, k, row.fate, [&](i32 i, i32 j, i32) {
      return shown_[d][(size_t)i * (size_t)output.width + (size_t)j] = 1, true;
    });
  }
  // Whether each object has a fate and each changed cell is shown.
  bool are_explained() const {
    for (size_t d = 0; d < grids_.size(); d++) {
      u64 having = 0;
      for (const Row& row : rows_) having |= row.may[d];
      if (having != everyone_[d] || first_hidden(d) >= 0) return false;
    }
    return true;
  }
  // The first changed cell that no fate shows, or -1.
  i64 first_hidden(size_t d) const {
    for (i64 k = 0; k < outputs_[d].n_cells(); k++)
      if (inputs_[d].cells[k] != outputs_[d].cells[k] && !shown_[d][(size_t)k]) return k;
    return -1;
  }

  // Finds moves of objects that show cells which no other fate shows; false if there are none.
  bool find_places() {
    std::vector<u8> is_possible((size_t)N_PLACES * N_PLACES, 1), is_here(is_possible.size());
    bool any_hidden = false;
    u64 cost = 0;
    for (const ObjectGrid& grid : grids_) cost += (u64)grid.n() * N_PLACES;
    if (!charge(cost)) return false;
    for (size_t d = 0; d < grids_.size(); d++) {
      const i64 hidden = first_hidden(d);
      if (hidden < 0) continue;
      any_hidden = true;
      std::fill(is_here.begin(), is_here.end(), 0);
      const i32 row = (i32)(hidden / outputs_[d].width), column = (i32)(hidden % outputs_[d].width);
      ObjectGrid& grid = grids_[d];
      grid.find_places();
      for (i32 k = 0; k < grid.n(); k++)
        for (const Place& at : grid.objects[(size_t)k]) {
          const i32 down = row - at.row, along = column - at.column;
          if (!is_seen_at(d, k, down, along)) continue;
          const Part& part = grid.objects[(size_t)k];
          for (i32 r = 0; r < N_PLACES; r++)
            for (i32 c = 0; c < N_PLACES && grid.place(k, 0, r) == part.top + down; c++)
              if (grid.place(k, 1, c) == part.left + along) is_here[(size_t)(r * N_PLACES + c)] = 1;
        }
      for (size_t k = 0; k < is_here.size(); k++) is_possible[k] &= is_here[k];
    }
    if (!any_hidden) return false;
    std::vector<std::pair<i32, i32>> fates;  // with their bits, the cheapest first
    for (i32 k = 0; k < N_PLACES * N_PLACES; k++)
      for (i32 copies = 0; copies < 2 && is_possible[(size_t)k]; copies++)
        fates.push_back({bits_of_fate(END + 2 * k + copies), END + 2 * k + copies});
    std::sort(fates.begin(), fates.end());
    if (fates.size() > MAX_PLACED) fates.resize(MAX_PLACED);
    for (ObjectGrid& grid : grids_) grid.find_places();
    for (const auto& [bits, fate] : fates) {
      Row row = {fate, bits, Bits(grids_.size()), Bits(grids_.size())};
      for (size_t d = 0; d < grids_.size(); d++)
        for (i32 k = 0; k < grids_[d].n(); k++)
          if (!keeps_cells(fate) || is_kept(d, k)) note_agreement(row, d, k);
      rows_.push_back(row);
    }
    return !fates.empty();
  }
  // Whether the output shows an object at another place.
  bool is_seen_at(size_t d, i32 k, i32 down, i32 along) const {
    const Part& part = grids_[d].objects[(size_t)k];
    return std::all_of(part.begin(), part.end(), [&](const Place& at) {
      const i64 i = at.row + down, j = at.column + along;
      return outputs_[d].has(i, j) && outputs_[d].cell(i, j) == part.color(at);
    });
  }

  template <class FateOf>
  bool renders(FateOf fate_of) {
    if (n_rendered_++ >= MAX_RENDERED) return false;
    for (size_t d = 0; d < grids_.size(); d++) {
      if (!charge((u64)grids_[d].scene.n_cells() / 4)) return false;
      if (!paint(grids_[d], [&](i32 k) { return fate_of(d, k); }, drawing_) || !drawing_.shows(outputs_[d]))
        return false;
    }
    return true;
  }

  void learn_pairs() {
    size_t n_joined = 0;
    for (size_t a = 0; a < rows_.size(); a++)
      for (size_t b = 0; b < a; b++) {
        const Row &first = rows_[a], &second = rows_[b];
        Bits must_first(everyone_.size()), must_second(everyone_.size());
        bool covers = true;
        for (size_t d = 0; d < everyone_.size(); d++) {
          covers &= (first.may[d] | second.may[d]) == everyone_[d];
          // An object stays only if the other fate would not change it.
          must_first[d] = (everyone_[d] & ~second.may[d]) | (second.fate == KEEP ? first.draws[d] : 0);
          must_second[d] = (everyone_[d] & ~first.may[d]) | (first.fate == KEEP ? second.draws[d] : 0);
        }
        if (!covers || is_empty(must_first) || is_empty(must_second) || meets(must_first, must_second)) continue;
        if (!describe() || !charge(groups_.size())) return;
        const i32 bits = first.bits + second.bits;
        i32 cheapest = MAX_BITS;
        for (const TestGroup& group : groups_) {
          if (!contains(group.yes, must_first) || meets(group.yes, must_second)) continue;
          if (!renders([&](size_t d, i32 k) { return group.yes[d] >> k & 1 ? first.fate : second.fate; })) continue;
          cheapest = std::min(cheapest, group.tests[0].bits);
          add_rules(group, bits, PAINT_BY_TEST, {first.fate, second.fate});
        }
        if (cheapest <= CHEAP_TEST || n_joined++ >= MAX_PAIRS_JOINED) continue;
        for (const bool swapped : {false, true}) {
          const Row &yes = swapped ? second : first, &no = swapped ? first : second;
          const Bits &wanted = swapped ? must_second : must_first, &unwanted = swapped ? must_first : must_second;
          join_tests(wanted, unwanted, [&](const Bits& both, i32 cost, const std::vector<Test>& tests) {
            if (!renders([&](size_t d, i32 k) { return both[d] >> k & 1 ? yes.fate : no.fate; })) return false;
            add_rule(bits + cost, PAINT_BY_TEST, tests, {yes.fate, no.fate});
            return true;
          });
        }
      }
  }
  // Finds pairs of tests that all wanted objects pass and no unwanted one.
  template <class Take>
  void join_tests(const Bits& wanted, const Bits& unwanted, Take take) {
    std::vector<const TestGroup*> passed;
    for (const TestGroup& group : groups_)
      if (contains(group.yes, wanted) && passed.size() < MAX_JOINED) passed.push_back(&group);
    if (!charge((u64)passed.size() * passed.size() / 8)) return;
    size_t n_taken = 0;
    Bits both(wanted.size());
    // Pairs in the order of their more expensive members.
    for (size_t a = 0; a < passed.size() && n_taken < MAX_RULES_JOINED; a++)
      for (size_t b = 0; b < a && n_taken < MAX_RULES_JOINED; b++) {
        if (!meets(passed[a]->yes, unwanted) || !meets(passed[b]->yes, unwanted)) continue;
        bool is_clear = true;
        for (size_t d = 0; d < both.size(); d++) {
          both[d] = passed[a]->yes[d] & passed[b]->yes[d];
          is_clear = is_clear && !(both[d] & unwanted[d]);
        }
        if (!is_clear) continue;
        const PricedTest &one = passed[a]->tests[0], &other = passed[b]->tests[0];
        n_taken += take(both, one.bits + other.bits + JOINING, {other.test, one.test});
      }
  }

  void learn_tables() {
    if (!describe()) return;
    for (i32 feature = 0; feature < N_FEATURES; feature++) {
      const std::vector<i32>& values = values_[(size_t)feature];
      if (SCALES[feature] == fates::FLAG || values.size() < 2 || values.size() > MAX_VALUES) continue;
      i32 bits = FEATURE_BITS[feature];
      std::vector<i32> parameters = {feature};
      std::map<i32, i32> fate_of;
      bool is_whole = true;
      for (const i32 value : values) {
        Bits members;
        for (const ObjectGrid& grid : grids_) members.push_back(select(grid, {{feature, EQUAL, value}}));
        const Row* best = nullptr;
        for (const Row& row : rows_) {
          if (!contains(row.may, members)) continue;
          if (!best || (best->fate == KEEP && meets(row.draws, members))) best = &row;
          if (best->fate != KEEP) break;
        }
        is_whole = best != nullptr;
        if (!is_whole) break;
        bits += best->bits + BITS_PER_VALUE;
        parameters.insert(parameters.end(), {value, best->fate});
        fate_of[value] = best->fate;
      }
      if (!is_whole) continue;
      bool differs = false;
      for (const auto& each : fate_of) differs |= each.second != fate_of.begin()->second;
      if (differs && renders([&](size_t d, i32 k) { return fate_of[grids_[d].feature(feature, k)]; }))
        add_rule(bits, PAINT_BY_TABLE, {}, parameters);
    }
  }

  // --- selections ---

  void learn_selections() {
    std::vector<std::vector<i32>> kinds[3];  // parameters of the kinds, CROP_ONE first
    for (i32 how = 0; how < N_CROPS; how++) kinds[0].push_back({how});
    std::vector<Bits> shown = find_crops(kinds[0]);
    find_counts(kinds[1]);
    for (i32 listing = 0; listing < N_LISTINGS; listing++)
      for (i32 order = 0; order < N_ORDERS; order++)
        if (((listing != CELL_TABLE && listing != MINOR_TABLE) || order == 0) && can_list(listing))
          kinds[2].push_back({listing, order});
    if ((kinds[0].empty() && kinds[1].empty() && kinds[2].empty()) || !describe()) return;
    const u64 n_tried = (u64)(groups_.size() + 1) * (1 + kinds[1].size() + kinds[2].size());
    if (!charge(n_tried)) return;
    const bool are_cells =
        std::all_of(outputs_.begin(), outputs_.end(), [](const Scene& output) { return output.n_cells() == 1; });
    for (size_t c = 0; c < kinds[0].size(); c++) {
      const i32 how = kinds[0][c][0];
      i32 bits = how < INSIDE || how == ONE_CELL ? CROP_BITS : how == INSIDE ? INSIDE_BITS : TURNED_BITS;
      if (are_cells && how != ONE_CELL) bits = UNLIKELY_CROP;
      i32 cheapest = MAX_BITS;
      const auto is_picked = [&](const Bits& yes) {
        return contains(shown[c], yes) && std::all_of(yes.begin(), yes.end(), [](u64 word) { return word != 0; });
      };
      if (is_picked(everyone_)) add_rule(bits, CROP_ONE, {}, kinds[0][c]);
      for (const TestGroup& group : groups_) {
        if (!is_picked(group.yes)) continue;
        cheapest = std::min(cheapest, group.tests[0].bits);
        add_rules(group, bits, CROP_ONE, kinds[0][c]);
      }
      if (cheapest > CHEAP_TEST) join_picks(shown[c], bits, kinds[0][c]);
    }
    for (const i32 kind : {DRAW_COUNT, DRAW_LIST})
      for (const std::vector<i32>& parameters : kinds[kind == DRAW_COUNT ? 1 : 2]) {
        const i32 cells_bits = kind == DRAW_COUNT && parameters[3] ? CELLS_BITS : 0;
        const i32 bits = are_cells ? UNLIKELY_DRAWING : DRAW_BITS + cells_bits;
        if (draws(everyone_, kind, parameters)) add_rule(bits, kind, {}, parameters);
        for (const TestGroup& group : groups_)
          if (draws(group.yes, kind, parameters)) add_rules(group, bits, kind, parameters);
      }
  }
  // Returns the objects whose crop is the output, by way of cropping; removes ways without such an object in some demo.
  std::vector<Bits> find_crops(std::vector<std::vector<i32>>& ways) {
    std::vector<Bits> shown;
    std::vector<std::vector<i32>> kept;
    for (const std::vector<i32>& way : ways) {
      Bits members(grids_.size());
      bool any = true;
      for (size_t d = 0; d < grids_.size() && any; d++) {
        const Scene& output = outputs_[d];
        for (i32 k = 0; k < grids_[d].n(); k++) {
          const FateObject& own = grids_[d].objects[(size_t)k];
          const i32 margin = way[0] == INSIDE ? 2 : 0;
          const bool swaps = way[0] >= TURNED && (way[0] - TURNED + 1) & 4;
          const i32 height = way[0] == ONE_CELL ? 1 : own.height() - margin,
                    width = way[0] == ONE_CELL ? 1 : own.width() - margin;
          if ((swaps ? width : height) != output.n_rows || (swaps ? height : width) != output.width) continue;
          if (crop(grids_[d], k, way[0], drawing_) && drawing_.shows(output)) members[d] |= 1ULL << k;
        }
        any = members[d] != 0;
      }
      if (!any) continue;
      kept.push_back(way);
      shown.push_back(members);
    }
    ways = kept;
    return shown;
  }
  void join_picks(const Bits& shown, i32 bits, const std::vector<i32>& parameters) {
    std::vector<const TestGroup*> usable;
    for (const TestGroup& group : groups_) {
      bool any = true;
      for (size_t d = 0; d < shown.size(); d++) any = any && (group.yes[d] & shown[d]);
      if (any && usable.size() < MAX_JOINED) usable.push_back(&group);
    }
    if (!charge((u64)usable.size() * usable.size() / 8)) return;
    size_t n_taken = 0;
    for (size_t a = 0; a < usable.size(); a++)
      for (size_t b = 0; b < a && n_taken < MAX_RULES_JOINED; b++) {
        if (contains(shown, usable[a]->yes) || contains(shown, usable[b]->yes)) continue;
        bool is_right = true;
        for (size_t d = 0; d < shown.size() && is_right; d++) {
          const u64 both = usable[a]->yes[d] & usable[b]->yes[d];
          is_right = both && !(both & ~shown[d]);
        }
        if (!is_right) continue;
        const PricedTest &one = usable[a]->tests[0], &other = usable[b]->tests[0];
        add_rule(bits + one.bits + other.bits + JOINING, CROP_ONE, {other.test, one.test}, parameters);
        n_taken++;
      }
  }
  // The drawings of counts that could be the outputs.
  void find_counts(std::vector<std::vector<i32>>& ways) {
    u32 hows = (1u << N_COUNTS) - 1, common = 0;
    i32 size = 0;
    for (size_t d = 0; d < outputs_.size(); d++) {
      const Scene& output = outputs_[d];
      const i32 own_size = 32 * output.n_rows + output.width;
      if (output.n_rows > MAX_SIDE || output.width > MAX_SIDE) return;
      u32 colors = 0;
      bool is_full = true, is_diagonal = output.n_rows == output.width, is_filled = d == 0 || own_size == size,
           ended = false;
      for (i64 k = 0; k < output.n_cells(); k++) {
        const bool is_set = output.cells[k] != 0;
        if (is_set) colors |= 1u << output.cells[k];
        is_full = is_full && is_set;
        is_diagonal = is_diagonal && is_set == (k % (output.width + 1) == 0);
        is_filled = is_filled && !(ended && is_set);
        ended |= !is_set;
      }
      size = own_size;
      if (!colors) {  // an all-black drawing counts as full
        colors = 1;
        is_full = true;
        is_diagonal = is_filled = false;
      }
      if (colors & (colors - 1)) return;
      if (!is_full || output.n_rows != 1) hows &= ~(1u << IN_ROW);
      if (!is_full || output.width != 1) hows &= ~(1u << IN_COLUMN);
      if (!is_full || output.n_rows != output.width) hows &= ~(1u << SQUARE);
      if (!is_diagonal) hows &= ~(1u << DIAGONAL);
      if (!is_filled) hows &= ~(1u << FILLED);
      common = d ? common & colors : colors;
    }
    for (i32 how = 0; how < N_COUNTS; how++) {
      if (!(hows >> how & 1)) continue;
      for (i32 cells = 0; cells < 2; cells++) {
        const i32 drawn = how == FILLED ? size : ANY_SIZE;
        if (common) ways.push_back({how, lowest_bit(common), drawn, cells});
        ways.push_back({how, OWN_COLOR, drawn, cells});
      }
    }
  }
  bool can_list(i32 listing) const {
    return std::all_of(outputs_.begin(), outputs_.end(), [&](const Scene& output) {
      if (output.n_rows > MAX_SIDE || output.width > MAX_SIDE) return false;
      if (listing == CELLS_ALONG) return output.n_rows == 1;
      if (listing == CELLS_DOWN) return output.width == 1;
      if (listing == CELLS_ON_AXIS) return output.n_rows == 1 || output.width == 1;
      if (listing == BARS_RIGHT || listing == BARS_LEFT) return output.n_rows <= MAX_OBJECTS && output.width > 1;
      if (listing == BARS_DOWN || listing == BARS_UP) return output.width <= MAX_OBJECTS && output.n_rows > 1;
      return true;
    });
  }
  bool draws(const Bits& selected, i32 kind, const std::vector<i32>& parameters) {
    for (size_t d = 0; d < selected.size(); d++) {
      const Scene& output = outputs_[d];
      const i32 n = count_members(selected[d]), how = parameters[0];
      if (kind == DRAW_COUNT) {
        i64 n_set = 0;
        for (i64 k = 0; k < output.n_cells(); k++) n_set += output.cells[k] != 0;
        if (!n_set) n_set = output.n_cells();
        const i64 n_counted = count_selected(grids_[d], selected[d], parameters[3]);
        if ((how == SQUARE ? n_counted * n_counted : n_counted) != n_set) return false;
      } else {
        if ((how == CELLS_ALONG || how == BARS_DOWN || how == BARS_UP) && n != output.width) return false;
        if ((how == CELLS_DOWN || how == BARS_RIGHT || how == BARS_LEFT) && n != output.n_rows) return false;
        if ((how == CELL_TABLE || how == MINOR_TABLE) && n > output.n_cells()) return false;
        if (how == CELLS_ON_AXIS && n != output.n_cells()) return false;
        if (how >= CROPS_ALONG && how < BARS_RIGHT && !is_as_long(selected[d], d, how)) return false;
      }
    }
    for (size_t d = 0; d < selected.size(); d++)
      if (!draw_selected(grids_[d], selected[d], kind, parameters, drawing_) || !drawing_.shows(outputs_[d]))
        return false;
    return true;
  }
  bool is_as_long(u64 selected, size_t d, i32 how) const {
    const bool down = how == CROPS_DOWN || how == CROPS_DOWN_APART;
    i32 along = -(how == CROPS_ALONG_APART || how == CROPS_DOWN_APART), gap = -along;
    for (u64 bits = selected; bits; bits &= bits - 1) {
      const FateObject& own = grids_[d].objects[(size_t)lowest_bit64(bits)];
      along += (down ? own.height() : own.width()) + gap;
    }
    return along == (down ? outputs_[d].n_rows : outputs_[d].width);
  }

  Lane& lane_;
  bool paints_, is_over_ = false;
  u32 output_colors_ = 0;
  std::vector<FateRule> rules_;
  // Of the current cut:
  i32 cut_ = 0, n_rendered_ = 0;
  bool is_described_ = false;
  std::vector<Parts> parts_;        // of the inputs, by the present cut
  std::vector<ObjectGrid> grids_;
  Bits everyone_;
  std::vector<std::vector<i32>> values_;  // of each feature, sorted; none if some object lacks it
  std::vector<TestGroup> groups_;
  std::vector<Row> rows_;
  std::vector<std::vector<u8>> shown_;  // of each demo, the cells that some fate shows rightly
  Drawing drawing_;
};

ARC_IMPLEMENT(learn_fates) {
  if (!are_color_demos(args[0])) return fail(WRONG_TYPE);
  std::vector<i32> numbers;
  const Reason why = FateLearner(lane, args[0]).learn(numbers);
  return why == OK ? numbers_value(lane, numbers) : fail(why);
}

// --- voting ---

constexpr int FIXED_BITS = 40;

// 2 to the power of -bits / 16, as a multiple of 2^-40.
u64 share_of(i32 bits) {
  // 2^(40 - k/16), rounded down
  static const u64 ROOTS[] = {1099511627776ULL, 1052895941924ULL, 1008256608221ULL, 965509835818ULL,
                              924575386326ULL,  885376423199ULL,  847839367509ULL,  811893759832ULL,
                              777472127993ULL,  744509860418ULL,  712945084849ULL,  682718552209ULL,
                              653773525389ULL,  626055672747ULL,  599512966122ULL,  574095583180ULL};
  const i32 whole = bits / 16;
  return whole >= FIXED_BITS ? 0 : ROOTS[bits % 16] >> whole;
}

struct Vote {
  Drawing grid;
  u64 evidence = 0;
  i32 n_rules = 0;
  std::vector<i32> rules;  // as numbers
};

// Lets all rules vote for the grids that they make; each further rule for a grid counts half. The grid with the most
// evidence comes first; of equal evidence, the lesser grid.
Reason vote(Lane& lane, const Value* args, std::vector<Vote>& votes) {
  const Value rules = args[0];
  if (!is_color_grid(args[1])) return WRONG_TYPE;
  if (rules.kind != INTS) return rules.kind == TUPLE && rules.n ? WRONG_TYPE : OUT_OF_RANGE;
  const Scene scene = scene_of(args[1]);
  std::vector<std::unique_ptr<Parts>> parts((size_t)N_CUTS);
  std::vector<std::unique_ptr<ObjectGrid>> grids((size_t)N_CUTS);
  FateRule rule;
  Drawing drawing;
  std::map<std::pair<i32, std::vector<i32>>, size_t> numbers;  // of votes, by their grids
  i32 last = 0;
  for (i64 at = 0; at < rules.n;) {
    const i32 length = rules.ints[at];
    if (length < 0 || length > rules.n - at - 1 || !read_rule(rules.ints + at + 1, length, rule)) return OUT_OF_RANGE;
    if (rule.bits < last) return OUT_OF_RANGE;
    last = rule.bits;
    const size_t cut = (size_t)rule.cut;
    if (!parts[cut]) {
      parts[cut].reset(new Parts(scene, CUTS[cut]));
      if (!lane.charge((u64)scene.n_cells() + parts[cut]->cost())) return OVER_BUDGET;
      if (parts[cut]->size() <= (size_t)MAX_OBJECTS) {
        grids[cut].reset(new ObjectGrid(scene, *parts[cut]));
        if (!lane.charge(grids[cut]->cost() + grids[cut]->feature_cost())) return OVER_BUDGET;
        grids[cut]->describe();
      }
    }
    if (!lane.charge(8 + (u64)scene.n_cells() / 8)) return OVER_BUDGET;
    if (grids[cut] && rule.moves()) {
      if (!lane.charge((u64)grids[cut]->n() * N_PLACES)) return OVER_BUDGET;
      grids[cut]->find_places();
    }
    if (grids[cut] && grids[cut]->n() && follow(*grids[cut], rule, drawing)) {
      const auto [place, is_new] = numbers.emplace(std::make_pair(drawing.width, drawing.cells), votes.size());
      if (is_new) {
        votes.emplace_back();
        votes.back().grid = drawing;
      }
      Vote& found = votes[place->second];
      found.evidence += share_of(rule.bits + 16 * found.n_rules++);
      found.rules.insert(found.rules.end(), rules.ints + at, rules.ints + at + 1 + length);
    }
    at += 1 + length;
  }
  std::sort(votes.begin(), votes.end(), [](const Vote& a, const Vote& b) {
    if (a.evidence != b.evidence) return a.evidence > b.evidence;
    return a.grid.width != b.grid.width ? a.grid.width < b.grid.width : a.grid.cells < b.grid.cells;
  });
  return OK;
}

ARC_IMPLEMENT(apply_fates) {
  std::vector<Vote> votes;
  const Reason why = vote(lane, args, votes);
  if (why != OK) return fail(why);
  if (votes.empty()) return fail(EMPTY);
  const size_t place = std::min((size_t)args[2].number, votes.size() - 1);
  return cells_value(lane, votes[place].grid.cells, votes[place].grid.width);
}

// The rules that make the grid, as numbers.
ARC_RULE(apply_fates) {
  std::vector<Vote> votes;
  const Reason why = vote(lane, args, votes);
  if (why != OK || votes.empty()) return fail(EMPTY);
  const size_t place = std::min((size_t)args[2].number, votes.size() - 1);
  return numbers_value(lane, votes[place].rules);
}

}  // namespace
}  // namespace arc
