// Flattening: turns functions that are known when programs are fused into steps of a plan.
//
// If the function of `apply`, `argmax`, `order`... is known (a primitive, bindings, compositions, forks), its calls
// become ops that run on the elements of all containers of all samples at once; include/arcbatt/flat.hpp explains
// sites, domains, frames and ops. Functions nest: a site may be part of a function, and then runs for each element of
// its home.
//
// Nodes are left out, with all nodes that need them, if their function is not known before the run (a function from a
// container, a `power` by a computed number, a `branch` of functions of different arity), or if no GPU runs them.
#pragma once
#include <algorithm>
#include <deque>
#include <vector>

#include "arcbatt/launch.hpp"

namespace arc {

// A step runs calls of one head: a primitive, or one of these.
enum Head : u32 {
  HEAD_LOAD = N_PRIMITIVES,
  HEAD_INVOKE,
  HEAD_MATCH,
  HEAD_GUARD,
  HEAD_WHERE,
  HEAD_ELSEWHERE,
  HEAD_PICK,
  N_HEADS
};
constexpr const char* OTHER_HEAD_NAMES[N_HEADS - N_PRIMITIVES] = {"load",  "invoke",    "match", "guard",
                                                                  "where", "elsewhere", "pick"};

// Facts about primitives by number, declared in their blocks and passed by gpu/plan.py.
struct PlanRules {
  struct CalledFunctions {
    u32 n_functions = 0;          // 0 if the primitive calls none
    u8 places[MAX_PHASES] = {};   // arguments that are functions, in the order of calls
    u32 n_columns = 0;            // the number of elements that each is called on at once
  };
  std::vector<CalledFunctions> calls;
  std::vector<u32> combines;        // primitives that make functions of functions: a bit for each such argument
  std::vector<bool> cpu_only;
  std::vector<bool> single_thread;  // by head: a single thread makes its calls within functions
  u32 max_ops = 0;               // the most calls of one call's function
  i64 max_power = 0;
};

struct Function;

// The location of a value: a node (domain -1), or a column of a domain's frames.
struct Symbol {
  static constexpr i32 NOWHERE = -2;
  i32 domain = NOWHERE;  // NOWHERE for functions that are not known
  u32 place = 0;
  const Function* function = nullptr;

  bool is_known() const { return domain != NOWHERE; }
};

// A function value; `parts` are its captured arguments.
struct Function {
  u32 primitive;
  u32 arity;
  std::vector<Symbol> parts;
  i64 times = 1;  // for `power`
};

struct SymbolicOp {
  u32 head;  // a primitive, or one from HEAD_MATCH on
  i32 domain;
  u32 column;
  u32 n_args;
  Symbol args[MAX_ARITY + 1];
};
struct SymbolicSite {
  u32 head;
  i32 home;    // domain, or -1
  u32 column;  // of the home's frames; without a home, the node
  u32 n_args;
  Symbol args[MAX_ARITY + 1];
  u32 n_phases = 0;
  i32 domains[MAX_PHASES] = {};
  Symbol results[MAX_PHASES];
};
struct SiteDomain {
  i32 outer;
  u32 site;
  u32 phase;
  u32 n_args;  // columns of arguments, before those of ops and sites
  u32 n_columns;
};

class Flattening {
 public:
  static constexpr i32 NO_SITE = -1;
  std::vector<SymbolicOp> ops;
  std::vector<SymbolicSite> sites;
  std::vector<SiteDomain> domains;
  std::vector<i32> site_of;     // by node
  std::vector<bool> left_out;   // by node
  u32 n_function_calls = 0;

  Flattening(const Batt& batt, const PlanRules& rules)
      : site_of(batt.n_nodes, NO_SITE), left_out(batt.n_nodes), batt_(batt), rules_(rules) {
    nodes_.reserve(batt.n_nodes);
    for (u32 node = 0; node < batt.n_nodes; node++) add(node);
  }

  // Returns a reference to a value, as seen from a domain.
  Ref ref(const Symbol& symbol, i32 domain) const {
    if (symbol.domain < 0) return symbol.place;
    u32 hops = 0;
    for (; domain != symbol.domain; hops++) domain = domains[domain].outer;
    return IN_FRAME | hops << 16 | symbol.place;
  }

 private:
  typedef std::vector<Symbol> Symbols;
  const Batt& batt_;
  const PlanRules& rules_;
  std::vector<Symbol> nodes_;
  std::deque<Function> functions_;
  size_t op_limit_ = 0;
  u32 depth_ = 0;

  void add(u32 node) {
    const Instruction& code = batt_.code[node];
    const bool is_call = code.op == CALL, is_invoke = code.op == INVOKE;
    const u32 n_args = is_call || is_invoke ? code.n_args : 0;
    const u32* places = batt_.args + code.first;
    Symbols args;
    bool is_left_out = is_call && rules_.cpu_only[code.primitive];
    for (u32 k = 0; k < n_args; k++) {
      args.push_back(nodes_[places[k]]);
      is_left_out |= left_out[places[k]];
    }
    const Function* function = nullptr;
    if (code.op == LOAD_FUNCTION) function = bare(code.primitive);
    if (is_call) function = made_by(code.primitive, args, times_of(code));
    nodes_.push_back({-1, node, function});
    left_out[node] = is_left_out;
    if (is_left_out || !(is_invoke || (is_call && rules_.calls[code.primitive].n_functions))) return;
    const size_t n_ops = ops.size(), n_sites = sites.size(), n_domains = domains.size();
    op_limit_ = n_ops + rules_.max_ops;
    if (add_site(is_invoke ? (u32)HEAD_INVOKE : code.primitive, args, -1, node)) {
      site_of[node] = (i32)n_sites;
      n_function_calls++;
      return;
    }
    left_out[node] = true;
    ops.resize(n_ops);
    sites.resize(n_sites);
    domains.resize(n_domains);
  }

  const Function* bare(u32 primitive) {
    functions_.push_back({primitive, info_of(primitive).arity, {}});
    return &functions_.back();
  }

  // Returns the second argument of `power` if it is known, otherwise 0.
  i64 times_of(const Instruction& code) const {
    if (code.primitive != P_power || code.n_args < 2) return 0;
    const Instruction& second = batt_.code[batt_.args[code.first + 1]];
    if (second.op != LOAD_CONSTANT) return 0;
    const Value& value = batt_.constants[second.first];
    return value.kind == INT ? value.number : 0;
  }

  // Returns the function that a call makes, if it is known.
  const Function* made_by(u32 primitive, const Symbols& args, i64 times) {
    if (primitive == P_identity) return args.empty() ? nullptr : args[0].function;
    const u32 functions = rules_.combines[primitive];
    if (!functions) return nullptr;
    for (u32 k = 0; k < MAX_ARITY; k++)
      if (functions >> k & 1 && (k >= args.size() || !args[k].function)) return nullptr;
    if (primitive == P_branch && (!args[1].function->arity || args[1].function->arity != args[2].function->arity))
      return nullptr;
    if (primitive == P_power) {
      if (times < 1 || times > rules_.max_power) return nullptr;
      if (times == 1) return args[0].function;
    }
    const bool binds = primitive == P_rbind || primitive == P_lbind;
    const u32 arity = binds ? args[0].function->arity - 1 : primitive == P_branch ? args[1].function->arity : 1;
    functions_.push_back({primitive, arity, args, primitive == P_power ? times : 1});
    return &functions_.back();
  }

  // Returns whether all functions of the site are known.
  bool add_site(u32 head, const Symbols& args, i32 home, u32 column) {
    const bool is_invoke = head == HEAD_INVOKE;
    const u32 n_args = (u32)args.size();
    if (n_args - is_invoke > MAX_ARITY || n_args > MAX_ARITY + 1) return false;
    PlanRules::CalledFunctions called;
    if (is_invoke) {
      called.n_functions = 1;
      called.n_columns = n_args - 1;
    } else {
      called = rules_.calls[head];
    }
    const u32 number = (u32)sites.size();
    SymbolicSite site = {head, home, column, n_args, {}, called.n_functions, {}, {}};
    std::copy(args.begin(), args.end(), site.args);
    sites.push_back(site);
    for (u32 phase = 0; phase < called.n_functions; phase++) {
      const i32 domain = (i32)domains.size();
      domains.push_back({home, number, phase, called.n_columns, called.n_columns});
      sites[number].domains[phase] = domain;
      const u32 place = called.places[phase];
      if (place >= n_args || !args[place].function) return false;
      Symbols members;
      for (u32 k = 0; k < called.n_columns; k++) members.push_back({domain, k, nullptr});
      const Symbol result = apply(*args[place].function, std::move(members), domain);
      if (!result.is_known()) return false;
      sites[number].results[phase] = result;
    }
    return true;
  }

  // Returns the result of the function; its arguments belong to this domain or to an outer one.
  Symbol apply(const Function& function, Symbols args, i32 domain) {
    // Deeper nesting has more calls than the limit.
    if (args.size() != function.arity || depth_ > 4 * rules_.max_ops) return {};
    depth_++;
    const Symbol result = apply_known(function, std::move(args), domain);
    depth_--;
    return result;
  }

  Symbol apply_known(const Function& function, Symbols args, i32 domain) {
    const Symbols& parts = function.parts;
    if (parts.empty()) return call(function.primitive, args, domain);
    switch (function.primitive) {
      case P_rbind:
        args.push_back(parts[1]);
        return apply(*parts[0].function, std::move(args), domain);
      case P_lbind:
        args.insert(args.begin(), parts[1]);
        return apply(*parts[0].function, std::move(args), domain);
      case P_compose:
      case P_chain: {
        Symbol value = args[0];
        for (size_t k = parts.size(); k-- > 0 && value.is_known();)
          value = apply(*parts[k].function, {value}, domain);
        return value;
      }
      case P_power: {
        Symbol value = args[0];
        for (i64 k = 0; k < function.times && value.is_known(); k++)
          value = apply(*parts[0].function, {value}, domain);
        return value;
      }
      case P_fork: {
        const Symbol one = apply(*parts[1].function, args, domain);
        if (!one.is_known()) return {};
        const Symbol checked = new_op(HEAD_GUARD, {args[0], one}, domain);
        if (!checked.is_known()) return {};
        const Symbol other = apply(*parts[2].function, {checked}, domain);
        if (!other.is_known()) return {};
        return apply(*parts[0].function, {one, other}, domain);
      }
      case P_branch: {
        // Each function gets its arguments for the elements that it is called on. For all other elements they count as
        // failed, and calls on them cost nothing.
        Symbol results[2];
        for (u32 k = 0; k < 2; k++) {
          Symbols own;
          for (const Symbol& arg : args) {
            Symbol made = new_op(k ? HEAD_ELSEWHERE : HEAD_WHERE, {arg, parts[0]}, domain);
            if (!made.is_known()) return {};
            made.function = arg.function;
            own.push_back(made);
          }
          results[k] = apply(*parts[1 + k].function, std::move(own), domain);
          if (!results[k].is_known()) return {};
        }
        return new_op(HEAD_PICK, {parts[0], results[0], results[1]}, domain);
      }
      default: {  // matcher
        const Symbol got = apply(*parts[0].function, args, domain);
        return got.is_known() ? new_op(HEAD_MATCH, {got, parts[1], args[0]}, domain) : Symbol{};
      }
    }
  }

  Symbol call(u32 primitive, const Symbols& args, i32 domain) {
    if (rules_.cpu_only[primitive]) return {};
    if (!rules_.calls[primitive].n_functions) return new_op(primitive, args, domain);
    const u32 column = domains[domain].n_columns++;
    if (!add_site(primitive, args, domain, column)) return {};
    return {domain, column, nullptr};
  }

  Symbol new_op(u32 head, const Symbols& args, i32 domain) {
    if (ops.size() >= op_limit_) return {};
    SymbolicOp op = {head, domain, domains[domain].n_columns++, (u32)args.size(), {}};
    std::copy(args.begin(), args.end(), op.args);
    ops.push_back(op);
    return {domain, op.column, head < N_PRIMITIVES ? made_by(head, args, 0) : nullptr};
  }
};

}  // namespace arc
