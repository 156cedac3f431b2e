// Plans: the work of a GPU for a batt as steps, each one kernel over all calls that are ready, in stages.
#pragma once
#include "flatten.hpp"

namespace arc {

// The kernels of a head: for calls that a single thread makes, for other calls, for sites.
enum StepKind : u32 { ALONE_STEP, RUN_STEP, SITE_STEP, N_STEP_KINDS };
constexpr const char* STEP_KIND_NAMES[N_STEP_KINDS] = {"alone", "run", "site"};

// Work of one kernel: nodes, and ops or phases of sites, of one head.
struct PlanStep {
  u32 kernel;  // kind * N_HEADS + head
  u32 n_nodes;
  u32 n_others;
  u32 first_node;   // index in the plan's nodes
  u32 first_other;
  u32 first_domain; // of the domains that it makes, which are adjacent
  u32 n_domains;

  u32 kind() const { return kernel / N_HEADS; }
};

// A list of numbers for each of several things.
struct Links {
  std::vector<u32> starts = {0}, items;

  u32 size() const { return (u32)starts.size() - 1; }
  const u32* begin(u32 k) const { return items.data() + starts[k]; }
  const u32* end(u32 k) const { return items.data() + starts[k + 1]; }
  u32 count(u32 k) const { return starts[k + 1] - starts[k]; }
  // Ends the list of one thing, which consists of the items added since the last; removes duplicates.
  void add() {
    const auto first = items.begin() + starts.back();
    std::sort(first, items.end());
    items.erase(std::unique(first, items.end()), items.end());
    starts.push_back((u32)items.size());
  }
  // Returns the inverse relation, for n targets.
  Links inverse(u32 n) const {
    Links links;
    links.starts.assign(n + 1, 0);
    for (u32 item : items) links.starts[item + 1]++;
    for (u32 k = 0; k < n; k++) links.starts[k + 1] += links.starts[k];
    links.items.resize(items.size());
    std::vector<u32> at(links.starts.begin(), links.starts.end() - 1);
    for (u32 k = 0; k < size(); k++)
      for (const u32* item = begin(k); item < end(k); item++) links.items[at[*item]++] = k;
    return links;
  }
};

struct Plan {
  std::vector<PlanStep> steps;
  // By step, earlier steps: those whose results it needs, and those that make domains whose sizes it needs to start.
  // Then the later steps, likewise.
  Links needs, size_needs, users, size_users;
  // A stage ends with sites that many steps wait for; the number of stages is that of sizes to wait for in sequence.
  std::vector<u32> stage_ends;
  std::vector<u32> nodes;         // of steps
  std::vector<u32> others;        // of steps: ops; for sites, 4 times the site plus the phase
  std::vector<u32> sizes;         // by other, what its items are: elements of a domain, or samples
  std::vector<i32> made_domains;  // by other, the domain that it makes, or -1
  std::vector<FlatOp> ops;
  std::vector<FlatSite> sites;
  std::vector<FlatDomain> domains;  // frames, firsts and rows are not known yet
  std::vector<u32> programs;        // the programs that are run
  u32 n_nodes = 0;                  // of the batt
  u32 n_function_calls = 0;         // nodes that are sites
  u32 n_left_out = 0;               // calls of programs that are left out

  // The most calls per sample in one step, not counting elements of containers.
  u32 most_at_once() const {
    u32 most = 0;
    for (const PlanStep& step : steps) most = max_of(most, step.n_nodes + step.n_others);
    return most;
  }
};

// Groups items into steps. Items are urgent if the longest chain of sites depends on them. Among urgent items, the
// next head is one of which everything is ready that can be before sizes must be waited for; otherwise the one with
// the longest path ahead. Other items are postponed until more of their head are ready: fewer steps mean fewer
// kernels.
//
// Items are numbered: the nodes; then the ops; then the phases of sites (including the last, which has no function),
// SITE_ITEMS numbers per site.
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
    step_of_.assign(n_items_, 0);
    domain_numbers_.assign(flat_.domains.size(), 0);
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
  u32 n_made_ = 0;  // domains
  Plan plan_;
  std::vector<bool> needed_;              // by node
  std::vector<u32> kernels_;              // by item; N_KERNELS if it is not run
  Links needs_, users_;                   // by item
  std::vector<u32> step_of_;              // by item
  std::vector<u32> domain_numbers_;       // by domain, its number in the plan, in the order in which steps make them
  std::vector<std::vector<u32>> fillers_; // by domain and column, the item that fills it; 0: filled with its frame

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

  // Returns whether the site's call is part of a program that is run.
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
    std::vector<bool> wanted(flat_.sites.size());
    for (u32 k = 0; k < flat_.sites.size(); k++) wanted[k] = is_wanted(k);

    for (u32 node = 0; node < first_op_; node++) {
      if (needed_[node] && flat_.site_of[node] < 0) {
        kernels_[node] = RUN_STEP * N_HEADS + (is_call(node) ? batt_.code[node].primitive : (u32)HEAD_LOAD);
        if (is_call(node))
          for (u32 k = 0; k < batt_.code[node].n_args; k++)
            needs_.items.push_back(maker_of_node(batt_.args[batt_.code[node].first + k]));
      }
      needs_.add();
    }
    for (const SymbolicOp& op : flat_.ops) {
      if (wanted[flat_.domains[op.domain].site]) {
        const bool alone = op.head >= N_PRIMITIVES || rules_.single_thread[op.head];
        kernels_[needs_.size()] = (alone ? ALONE_STEP : RUN_STEP) * N_HEADS + op.head;
        for (u32 k = 0; k < op.n_args; k++) needs_.items.push_back(maker(op.args[k]));
        needs_.items.push_back(maker_of_domain(op.domain));
      }
      needs_.add();
    }
    for (u32 number = 0; number < flat_.sites.size(); number++) {
      const SymbolicSite& site = flat_.sites[number];
      for (u32 phase = 0; phase < SITE_ITEMS; phase++) {
        if (wanted[number] && phase <= site.n_phases) {
          kernels_[phase_item(number, phase)] = SITE_STEP * N_HEADS + site.head;
          if (phase == 0) {
            for (u32 k = 0; k < site.n_args; k++) needs_.items.push_back(maker(site.args[k]));
            if (site.home >= 0) needs_.items.push_back(maker_of_domain(site.home));
          } else {
            needs_.items.push_back(phase_item(number, phase - 1));
            needs_.items.push_back(maker(site.results[phase - 1]));
          }
        }
        needs_.add();
      }
    }
    users_ = needs_.inverse(n_items_);
  }

  // By item: the most sites in sequence on a path from it, itself included; and the number of items on such a path
  // until sizes must be waited for.
  struct Ahead {
    std::vector<u32> n_sites, n_items;
  };
  Ahead look_ahead() const {
    std::vector<u32> n_missing(n_items_), order;
    Ahead ahead = {std::vector<u32>(n_items_, 0), std::vector<u32>(n_items_, 1)};
    for (u32 item = 0; item < n_items_; item++) {
      n_missing[item] = needs_.count(item);
      if (!n_missing[item]) order.push_back(item);
    }
    for (size_t at = 0; at < order.size(); at++) {
      const u32 item = order[at];
      for (const u32* user = users_.begin(item); user < users_.end(item); user++)
        if (!--n_missing[*user]) order.push_back(*user);
    }
    for (size_t at = order.size(); at-- > 0;) {
      const u32 item = order[at];
      u32 &n_sites = ahead.n_sites[item], &n_items = ahead.n_items[item];
      for (const u32* user = users_.begin(item); user < users_.end(item); user++)
        n_sites = max_of(n_sites, ahead.n_sites[*user]);
      if (is_site(item)) {
        n_sites++;
        continue;
      }
      for (const u32* user = users_.begin(item); user < users_.end(item); user++)
        if (ahead.n_sites[*user] == n_sites && !is_site(*user))
          n_items = max_of(n_items, 1 + ahead.n_items[*user]);
    }
    return ahead;
  }
  bool is_site(u32 item) const { return item >= first_site_ && kernels_[item] < N_KERNELS; }

  void schedule() {
    const Ahead looked = look_ahead();
    const std::vector<u32>& ahead = looked.n_sites;
    std::vector<u32> hurry(N_KERNELS, 0);  // by kernel, the most sites ahead of a ready item
    std::vector<u32> n_missing(n_items_);
    std::vector<std::vector<u32>> ready(N_KERNELS);
    std::vector<u32> kernels_ready;  // kernels with ready items
    const auto make_ready = [&](u32 item) {
      auto& items = ready[kernels_[item]];
      if (items.empty()) kernels_ready.push_back(kernels_[item]);
      items.push_back(item);
      hurry[kernels_[item]] = max_of(hurry[kernels_[item]], ahead[item]);
    };
    for (u32 item = 0; item < n_items_; item++) {
      if (kernels_[item] == N_KERNELS) continue;
      n_missing[item] = needs_.count(item);
      if (!n_missing[item]) make_ready(item);
    }
    // For each kernel, among the most urgent items that can run without waiting for sizes: how many are ready, how
    // many there are, and the longest path of a ready one.
    std::vector<u32> n_urgent(N_KERNELS, 0), n_left(N_KERNELS, 0), ways(N_KERNELS, 0);
    std::vector<u32> n_seen(n_items_, 0), reached, touched;
    u32 hurry_of_stage = ~0u;
    const auto note_urgent = [&](u32 item) {
      n_urgent[kernels_[item]]++;
      ways[kernels_[item]] = max_of(ways[kernels_[item]], looked.n_items[item]);
    };
    const auto begin_stage = [&](u32 most) {
      hurry_of_stage = most;
      for (auto* counts : {&n_urgent, &n_left, &ways}) std::fill(counts->begin(), counts->end(), 0);
      reached.clear();
      for (u32 kernel : kernels_ready)
        for (u32 item : ready[kernel])
          if (ahead[item] == most) reached.push_back(item);
      for (u32 item : reached) note_urgent(item);
      for (size_t at = 0; at < reached.size(); at++) {
        const u32 item = reached[at];
        n_left[kernels_[item]]++;
        if (is_site(item)) continue;
        for (const u32* user = users_.begin(item); user < users_.end(item); user++) {
          if (ahead[*user] != most) continue;
          if (!n_seen[*user]++) touched.push_back(*user);
          if (n_seen[*user] == n_missing[*user]) reached.push_back(*user);
        }
      }
      for (u32 item : touched) n_seen[item] = 0;
      touched.clear();
    };
    std::vector<u32> done;
    while (!kernels_ready.empty()) {
      const auto before = [&](u32 a, u32 b) {
        const bool all_a = n_urgent[a] == n_left[a], all_b = n_urgent[b] == n_left[b];
        if (all_a != all_b) return all_b;
        if (ways[a] != ways[b]) return ways[a] < ways[b];
        const u64 share_a = (u64)n_urgent[a] * n_left[b], share_b = (u64)n_urgent[b] * n_left[a];
        if (share_a != share_b) return share_a < share_b;
        return ready[a].size() != ready[b].size() ? ready[a].size() < ready[b].size() : a < b;
      };
      u32 most = 0, best = N_KERNELS;
      for (u32 kernel : kernels_ready) most = max_of(most, hurry[kernel]);
      if (most != hurry_of_stage) begin_stage(most);
      for (u32 kernel : kernels_ready)
        if (kernel < SITE_STEP * N_HEADS && hurry[kernel] == most && (best == N_KERNELS || before(best, kernel)))
          best = kernel;
      std::vector<u32> chosen;
      for (u32 kernel : kernels_ready)  // all sites at once: after them, sizes must be waited for
        if (best < N_KERNELS ? kernel == best : hurry[kernel] == most) chosen.push_back(kernel);
      std::sort(chosen.begin(), chosen.end());
      for (u32 kernel : chosen) {
        kernels_ready.erase(std::find(kernels_ready.begin(), kernels_ready.end(), kernel));
        hurry[kernel] = 0;
      }
      done.clear();
      for (u32 kernel : chosen) {
        add_step(kernel, ready[kernel]);
        n_left[kernel] -= n_urgent[kernel];
        n_urgent[kernel] = ways[kernel] = 0;
        done.insert(done.end(), ready[kernel].begin(), ready[kernel].end());
        ready[kernel].clear();
      }
      if (best == N_KERNELS) {
        plan_.stage_ends.push_back((u32)plan_.steps.size());
        hurry_of_stage = ~0u;
      }
      for (u32 item : done)
        for (const u32* user = users_.begin(item); user < users_.end(item); user++)
          if (!--n_missing[*user]) {
            make_ready(*user);
            if (ahead[*user] == most) note_urgent(*user);
          }
    }
    const u32 n_steps = (u32)plan_.steps.size();
    if (n_steps && (plan_.stage_ends.empty() || plan_.stage_ends.back() < n_steps))
      plan_.stage_ends.push_back(n_steps);
    plan_.users = plan_.needs.inverse(n_steps);
    plan_.size_users = plan_.size_needs.inverse(n_steps);
  }

  void add_step(u32 kernel, std::vector<u32>& items) {
    std::sort(items.begin(), items.end());
    const u32 number = (u32)plan_.steps.size();
    PlanStep step = {kernel, 0, 0, (u32)plan_.nodes.size(), (u32)plan_.others.size(), n_made_, 0};
    for (u32 item : items) {
      step_of_[item] = number;
      for (const u32* need = needs_.begin(item); need < needs_.end(item); need++)
        plan_.needs.items.push_back(step_of_[*need]);
      if (item < first_op_) {
        step.n_nodes++;
        plan_.nodes.push_back(item);
      } else {
        step.n_others++;
        add_other(item);
      }
    }
    step.n_domains = n_made_ - step.first_domain;
    plan_.needs.add();
    plan_.size_needs.add();
    plan_.steps.push_back(step);
  }

  void add_other(u32 item) {
    if (item < first_site_) {
      plan_.others.push_back(item - first_op_);
      add_size(flat_.ops[item - first_op_].domain);
      plan_.made_domains.push_back(-1);
      return;
    }
    const u32 entry = item - first_site_, phase = entry % SITE_ITEMS;
    const SymbolicSite& site = flat_.sites[entry / SITE_ITEMS];
    plan_.others.push_back(entry);
    add_size(site.home);
    const bool makes = phase < site.n_phases;
    if (makes) domain_numbers_[site.domains[phase]] = n_made_++;
    plan_.made_domains.push_back(makes ? (i32)domain_numbers_[site.domains[phase]] : -1);
  }

  // Adds a member to the current step, with one item per element of a domain, or per sample for -1.
  void add_size(i32 domain) {
    plan_.sizes.push_back(domain < 0 ? (u32)flat_.domains.size() : domain_numbers_[domain]);
    if (domain >= 0) plan_.size_needs.items.push_back(step_of_[maker_of_domain(domain)]);
  }

  // Domains that no step makes have no number; nothing that runs needs them.
  void write_flat() {
    const auto primitive_of = [](u32 head) { return head < N_PRIMITIVES ? head : 0; };
    for (const SymbolicOp& op : flat_.ops) {
      FlatOp made = {primitive_of(op.head), domain_numbers_[op.domain], op.column, op.n_args, {}, {}};
      for (u32 k = 0; k < op.n_args; k++) made.args[k] = flat_.ref(op.args[k], op.domain);
      plan_.ops.push_back(made);
    }
    for (const SymbolicSite& site : flat_.sites) {
      FlatSite made = {primitive_of(site.head), site.home < 0 ? NO_DOMAIN : domain_numbers_[site.home],
                       site.column, site.n_args, {}, site.n_phases, {}, {}};
      for (u32 k = 0; k < site.n_args; k++) made.args[k] = flat_.ref(site.args[k], site.home);
      for (u32 k = 0; k < site.n_phases; k++) {
        made.domains[k] = domain_numbers_[site.domains[k]];
        made.results[k] = flat_.ref(site.results[k], site.domains[k]);
      }
      plan_.sites.push_back(made);
    }
    plan_.domains.resize(flat_.domains.size());
    for (u32 k = 0; k < flat_.domains.size(); k++)
      if (kernels_[maker_of_domain((i32)k)] < N_KERNELS)
        plan_.domains[domain_numbers_[k]] = {nullptr, nullptr, 0, flat_.domains[k].n_args,
                                             flat_.domains[k].n_columns};
  }
};

}  // namespace arc
