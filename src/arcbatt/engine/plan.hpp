// What a GPU is to do for a batt: steps, each one kernel over all that is ready for it, in stages.
#pragma once
#include "flatten.hpp"

namespace arc {

// Which kernels a head has: of calls that threads make alone, of others, of sites.
enum StepKind : u32 { ALONE_STEP, RUN_STEP, SITE_STEP, N_STEP_KINDS };

// What is run together: nodes, and ops or phases of sites, of one head.
struct PlanStep {
  u32 kernel;  // kind * N_HEADS + head
  u32 n_nodes;
  u32 n_others;
  u32 level;  // in its stage: it needs nothing of steps of its own level or a higher one
  u32 first_node;   // among the plan's
  u32 first_other;

  u32 kind() const { return kernel / N_HEADS; }
};

// Steps that need nothing but sizes that are known when they begin, those of sites last. After them the
// sizes of the domains that they make are known.
struct PlanStage {
  u32 first_step, end_step;
  u32 first_other, end_other;  // members of its steps within functions: ops, or phases of sites
  u32 first_site;              // the first of those that is a phase of a site
  bool makes_domains;
};

struct Plan {
  std::vector<PlanStage> stages;
  std::vector<PlanStep> steps;
  std::vector<u32> nodes;         // of steps
  std::vector<u32> others;        // of steps: ops; sites times 4 and phases
  std::vector<u32> sizes;         // by other, how many items it has: elements of a domain, or samples
  std::vector<i32> made_domains;  // by other; -1
  std::vector<FlatOp> ops;
  std::vector<FlatSite> sites;
  std::vector<FlatDomain> domains;  // of which frames, firsts and rows are not known yet
  std::vector<u32> programs;        // those that are run
  u32 n_nodes = 0;                  // of the batt
  u32 n_function_calls = 0;         // nodes that are sites
  u32 n_left_out = 0;               // calls that programs make which are not run

  // The most calls on a sample that one step makes, elements of containers not counted.
  u32 most_at_once() const {
    u32 most = 0;
    for (const PlanStep& step : steps) most = max_of(most, step.n_nodes + step.n_others);
    return most;
  }
};

// Puts what is to be done into steps: always the head next of whose rest most is ready, among those that
// sites wait for which most other sites wait for in turn. What is in no hurry is left for later, when more
// of its head is ready: the fewer steps, the fewer kernels are started.
//
// What is to be done are items, by number: the nodes; then the ops; then the phases of sites (the last
// one, without a function, too), SITE_ITEMS numbers for each.
class Scheduling {
 public:
  Scheduling(const Batt& batt, const PlanRules& rules)
      : batt_(batt), rules_(rules), flat_(batt, rules), first_op_(batt.n_nodes),
        first_site_(first_op_ + (u32)flat_.ops.size()),
        n_items_(first_site_ + SITE_ITEMS * (u32)flat_.sites.size()) {
    for (u32 p = 0; p < batt.n_programs; p++)
      if (!flat_.left_out[batt.results[p]]) plan_.programs.push_back(p);
    find_needed();
    find_needs();
  }

  Plan take_plan() {
    schedule();
    write_flat();
    plan_.n_nodes = batt_.n_nodes;
    plan_.n_function_calls = flat_.n_function_calls;
    return std::move(plan_);
  }

 private:
  static constexpr u32 SITE_ITEMS = MAX_PHASES + 1;
  static constexpr u32 N_KERNELS = N_STEP_KINDS * N_HEADS;
  const Batt& batt_;
  const PlanRules& rules_;
  Flattening flat_;
  u32 first_op_, first_site_, n_items_;
  Plan plan_;
  std::vector<bool> needed_;              // by node
  std::vector<u32> kernels_;              // by item; N_KERNELS where it is not to be done
  std::vector<u32> needs_, needs_starts_; // needs of item k stand at needs_starts_[k] and on
  std::vector<u32> users_, users_starts_;
  std::vector<std::vector<u32>> fillers_; // by domain and column, what fills it; 0: with its frame

  bool is_call(u32 node) const { return batt_.code[node].op >= CALL; }
  u32 phase_item(u32 site, u32 phase) const { return first_site_ + SITE_ITEMS * site + phase; }
  u32 last_phase(u32 site) const { return phase_item(site, flat_.sites[site].n_phases); }
  u32 maker_of_node(u32 node) const {
    return flat_.site_of[node] < 0 ? node : last_phase((u32)flat_.site_of[node]);
  }
  u32 maker_of_domain(i32 domain) const {
    return phase_item(flat_.domains[domain].site, flat_.domains[domain].phase);
  }
  u32 maker(const Symbol& symbol) const {
    if (symbol.domain < 0) return maker_of_node(symbol.place);
    const u32 filler = fillers_[symbol.domain][symbol.place];
    return filler ? filler : maker_of_domain(symbol.domain);
  }

  void find_needed() {
    needed_.assign(batt_.n_nodes, false);
    std::vector<bool> of_left_out(batt_.n_nodes, false);
    size_t at = 0;
    for (u32 p = 0; p < batt_.n_programs; p++) {
      const bool runs = at < plan_.programs.size() && plan_.programs[at] == p;
      at += runs;
      (runs ? needed_ : of_left_out)[batt_.results[p]] = true;
    }
    for (u32 node = batt_.n_nodes; node-- > 0;) {
      if (!is_call(node)) continue;
      plan_.n_left_out += of_left_out[node];
      for (u32 k = 0; k < batt_.code[node].n_args; k++) {
        const u32 arg = batt_.args[batt_.code[node].first + k];
        if (needed_[node]) needed_[arg] = true;
        if (of_left_out[node]) of_left_out[arg] = true;
      }
    }
  }

  // Whether the site's call is part of a program that is run.
  bool is_wanted(u32 site) const {
    while (flat_.sites[site].home >= 0) site = flat_.domains[flat_.sites[site].home].site;
    return needed_[flat_.sites[site].column];
  }

  void find_needs() {
    for (const SiteDomain& domain : flat_.domains) fillers_.emplace_back(domain.n_columns, 0);
    for (u32 k = 0; k < flat_.sites.size(); k++)
      if (flat_.sites[k].home >= 0) fillers_[flat_.sites[k].home][flat_.sites[k].column] = last_phase(k);
    for (u32 k = 0; k < flat_.ops.size(); k++)
      fillers_[flat_.ops[k].domain][flat_.ops[k].column] = first_op_ + k;
    kernels_.assign(n_items_, N_KERNELS);
    needs_starts_.push_back(0);
    std::vector<bool> wanted(flat_.sites.size());
    for (u32 k = 0; k < flat_.sites.size(); k++) wanted[k] = is_wanted(k);

    for (u32 node = 0; node < first_op_; node++) {
      if (needed_[node] && flat_.site_of[node] < 0) {
        kernels_[node] = RUN_STEP * N_HEADS + (is_call(node) ? batt_.code[node].primitive : (u32)HEAD_LOAD);
        if (is_call(node))
          for (u32 k = 0; k < batt_.code[node].n_args; k++)
            needs_.push_back(maker_of_node(batt_.args[batt_.code[node].first + k]));
      }
      end_needs();
    }
    for (const SymbolicOp& op : flat_.ops) {
      if (wanted[flat_.domains[op.domain].site]) {
        const bool alone = op.head >= N_PRIMITIVES || rules_.alone[op.head];
        kernels_[needs_starts_.size() - 1] = (alone ? ALONE_STEP : RUN_STEP) * N_HEADS + op.head;
        for (u32 k = 0; k < op.n_args; k++) needs_.push_back(maker(op.args[k]));
        needs_.push_back(maker_of_domain(op.domain));
      }
      end_needs();
    }
    for (u32 number = 0; number < flat_.sites.size(); number++) {
      const SymbolicSite& site = flat_.sites[number];
      for (u32 phase = 0; phase < SITE_ITEMS; phase++) {
        if (wanted[number] && phase <= site.n_phases) {
          kernels_[phase_item(number, phase)] = SITE_STEP * N_HEADS + site.head;
          if (phase == 0) {
            for (u32 k = 0; k < site.n_args; k++) needs_.push_back(maker(site.args[k]));
            if (site.home >= 0) needs_.push_back(maker_of_domain(site.home));
          } else {
            needs_.push_back(phase_item(number, phase - 1));
            needs_.push_back(maker(site.results[phase - 1]));
          }
        }
        end_needs();
      }
    }
    find_users();
  }

  // Of the item whose needs were added last, each once.
  void end_needs() {
    const auto first = needs_.begin() + needs_starts_.back();
    std::sort(first, needs_.end());
    needs_.erase(std::unique(first, needs_.end()), needs_.end());
    needs_starts_.push_back((u32)needs_.size());
  }

  void find_users() {
    users_starts_.assign(n_items_ + 1, 0);
    for (u32 need : needs_) users_starts_[need + 1]++;
    for (u32 k = 0; k < n_items_; k++) users_starts_[k + 1] += users_starts_[k];
    users_.resize(needs_.size());
    std::vector<u32> at(users_starts_.begin(), users_starts_.end() - 1);
    for (u32 item = 0; item < n_items_; item++)
      for (u32 k = needs_starts_[item]; k < needs_starts_[item + 1]; k++) users_[at[needs_[k]]++] = item;
  }

  // By item, the most sites that are one after the other on a way from it on, itself included.
  std::vector<u32> count_sites_ahead() const {
    std::vector<u32> n_missing(n_items_), order, ahead(n_items_, 0);
    for (u32 item = 0; item < n_items_; item++) {
      n_missing[item] = needs_starts_[item + 1] - needs_starts_[item];
      if (!n_missing[item]) order.push_back(item);
    }
    for (size_t at = 0; at < order.size(); at++)
      for (u32 k = users_starts_[order[at]]; k < users_starts_[order[at] + 1]; k++)
        if (!--n_missing[users_[k]]) order.push_back(users_[k]);
    for (size_t at = order.size(); at-- > 0;) {
      const u32 item = order[at];
      for (u32 k = users_starts_[item]; k < users_starts_[item + 1]; k++)
        ahead[item] = max_of(ahead[item], ahead[users_[k]]);
      ahead[item] += item >= first_site_ && kernels_[item] < N_KERNELS;
    }
    return ahead;
  }

  void schedule() {
    const std::vector<u32> ahead = count_sites_ahead();
    std::vector<u32> hurry(N_KERNELS, 0);  // by kernel, the most sites ahead of what is ready
    std::vector<u32> n_left(N_KERNELS, 0), n_missing(n_items_);
    std::vector<std::vector<u32>> ready(N_KERNELS);
    std::vector<u32> kernels_ready;  // those with anything in `ready`
    const auto make_ready = [&](u32 item) {
      auto& items = ready[kernels_[item]];
      if (items.empty()) kernels_ready.push_back(kernels_[item]);
      items.push_back(item);
      hurry[kernels_[item]] = max_of(hurry[kernels_[item]], ahead[item]);
    };
    for (u32 item = 0; item < n_items_; item++) {
      if (kernels_[item] == N_KERNELS) continue;
      n_left[kernels_[item]]++;
      n_missing[item] = needs_starts_[item + 1] - needs_starts_[item];
      if (!n_missing[item]) make_ready(item);
    }
    std::vector<i32> levels(n_items_, -1);  // of what the stage has done so far
    std::vector<u32> done, of_stage;
    u32 first_step = 0, first_other = 0;
    const auto end_stage = [&] {
      add_stage(first_step, first_other);
      first_step = (u32)plan_.steps.size();
      first_other = (u32)plan_.others.size();
      for (u32 item : of_stage) levels[item] = -1;
      of_stage.clear();
    };
    while (!kernels_ready.empty()) {
      const auto before = [&](u32 a, u32 b) {
        const double share_a = (double)ready[a].size() / n_left[a], share_b = (double)ready[b].size() / n_left[b];
        if (share_a != share_b) return share_a < share_b;
        return ready[a].size() != ready[b].size() ? ready[a].size() < ready[b].size() : a < b;
      };
      u32 most = 0, best = N_KERNELS;
      for (u32 kernel : kernels_ready) most = max_of(most, hurry[kernel]);
      for (u32 kernel : kernels_ready)
        if (kernel < SITE_STEP * N_HEADS && hurry[kernel] == most && (best == N_KERNELS || before(best, kernel)))
          best = kernel;
      std::vector<u32> chosen;
      for (u32 kernel : kernels_ready)  // sites at once: after them sizes must be waited for
        if (best < N_KERNELS ? kernel == best : hurry[kernel] == most) chosen.push_back(kernel);
      std::sort(chosen.begin(), chosen.end());
      for (u32 kernel : chosen) {
        kernels_ready.erase(std::find(kernels_ready.begin(), kernels_ready.end(), kernel));
        hurry[kernel] = 0;
      }
      done.clear();
      for (u32 kernel : chosen) {
        add_step(kernel, ready[kernel], levels);
        n_left[kernel] -= (u32)ready[kernel].size();
        done.insert(done.end(), ready[kernel].begin(), ready[kernel].end());
        ready[kernel].clear();
      }
      of_stage.insert(of_stage.end(), done.begin(), done.end());
      if (best == N_KERNELS) end_stage();
      for (u32 item : done)
        for (u32 k = users_starts_[item]; k < users_starts_[item + 1]; k++)
          if (!--n_missing[users_[k]]) make_ready(users_[k]);
    }
    if (first_step < plan_.steps.size()) end_stage();
  }

  void add_step(u32 kernel, std::vector<u32>& items, std::vector<i32>& levels) {
    std::sort(items.begin(), items.end());
    i32 level = -1;
    for (u32 item : items)
      for (u32 k = needs_starts_[item]; k < needs_starts_[item + 1]; k++)
        level = max_of(level, levels[needs_[k]]);
    PlanStep step = {kernel, 0, 0, (u32)(level + 1), (u32)plan_.nodes.size(), (u32)plan_.others.size()};
    for (u32 item : items) {
      levels[item] = level + 1;
      if (item < first_op_) {
        step.n_nodes++;
        plan_.nodes.push_back(item);
      } else {
        step.n_others++;
        add_other(item);
      }
    }
    plan_.steps.push_back(step);
  }

  void add_other(u32 item) {
    const u32 n_domains = (u32)flat_.domains.size();
    if (item < first_site_) {
      plan_.others.push_back(item - first_op_);
      plan_.sizes.push_back((u32)flat_.ops[item - first_op_].domain);
      plan_.made_domains.push_back(-1);
      return;
    }
    const u32 entry = item - first_site_, phase = entry % SITE_ITEMS;
    const SymbolicSite& site = flat_.sites[entry / SITE_ITEMS];
    plan_.others.push_back(entry);
    plan_.sizes.push_back(site.home >= 0 ? (u32)site.home : n_domains);
    plan_.made_domains.push_back(phase < site.n_phases ? site.domains[phase] : -1);
  }

  void add_stage(u32 first_step, u32 first_other) {
    const u32 end_step = (u32)plan_.steps.size(), end_other = (u32)plan_.others.size();
    PlanStage stage = {first_step, end_step, first_other, end_other, end_other, false};
    for (u32 k = first_step; k < end_step; k++)
      if (plan_.steps[k].kind() == SITE_STEP) stage.first_site = min_of(stage.first_site, plan_.steps[k].first_other);
    for (u32 k = stage.first_site; k < end_other; k++) stage.makes_domains |= plan_.made_domains[k] >= 0;
    plan_.stages.push_back(stage);
  }

  void write_flat() {
    const auto primitive_of = [](u32 head) { return head < N_PRIMITIVES ? head : 0; };
    for (const SymbolicOp& op : flat_.ops) {
      FlatOp made = {primitive_of(op.head), (u32)op.domain, op.column, op.n_args, {}, {}};
      for (u32 k = 0; k < op.n_args; k++) made.args[k] = flat_.ref(op.args[k], op.domain);
      plan_.ops.push_back(made);
    }
    for (const SymbolicSite& site : flat_.sites) {
      FlatSite made = {primitive_of(site.head), site.home < 0 ? NO_DOMAIN : (u32)site.home,
                       site.column, site.n_args, {}, site.n_phases, {}, {}};
      for (u32 k = 0; k < site.n_args; k++) made.args[k] = flat_.ref(site.args[k], site.home);
      for (u32 k = 0; k < site.n_phases; k++) {
        made.domains[k] = (u32)site.domains[k];
        made.results[k] = flat_.ref(site.results[k], site.domains[k]);
      }
      plan_.sites.push_back(made);
    }
    for (const SiteDomain& domain : flat_.domains)
      plan_.domains.push_back({nullptr, nullptr, 0, domain.n_args, domain.n_columns});
  }
};

}  // namespace arc
