"""Functions over containers as steps of a schedule: what a GPU runs of a batt, planned.

Where the function of `apply`, `argmax`, `order`... is known when programs are fused (a primitive,
bindings, compositions, forks), its calls become ops that are run on the elements of all containers
of all samples at once; see include/arcbatt/flat.hpp for what sites, domains, frames and ops are.
Functions nest: a site may stand within a function, and is run for each element of its home.

A program whose functions depend on data (out of a container, of a `branch`), or that learns from
the demos, is left out: the CPU runs it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arcbatt.language import Node
from arcbatt.language.registry import bundled_primitives, get_primitive

from .table import MAX_ARITY, primitive_numbers

INVOKE, LOAD, MATCH, GUARD = "invoke", "load", "match", "guard"
# What makes functions of functions, and which of its arguments are functions.
COMBINATORS = {
    "compose": (0, 1),
    "chain": (0, 1, 2),
    "fork": (0, 1, 2),
    "matcher": (0,),
    "rbind": (0,),
    "lbind": (0,),
    "power": (0,),
}
# What calls functions: which of its arguments it asks the values of, in this order, and on how many
# columns.
SITES: dict[str, tuple[tuple[int, ...], int]] = {
    **dict.fromkeys(("apply", "mapply"), ((0,), 1)),
    **dict.fromkeys(("papply", "mpapply", "prapply"), ((0,), 2)),
    **dict.fromkeys(("valmax", "valmin", "argmax", "argmin", "order"), ((1,), 1)),
    **dict.fromkeys(("sfilter", "mfilter", "extract"), ((1,), 1)),
    **dict.fromkeys(("get_arg_rank", "get_val_rank"), ((1,), 1)),
    "get_nth_by_key": ((2,), 1),
    **dict.fromkeys(("c_iz", "c_zo"), ((1, 1), 1)),
    **dict.fromkeys(("c_iz_n", "c_zo_n"), ((1, 1, 2), 1)),
}
# Families whose primitives search in one demo after the other: a warp takes far longer for that
# than a core does. And what takes its functions out of a container.
ON_CPU = frozenset(
    "learned object_actions object_bars cell_trees rewriting symmetry"
    " panels classes templates patterns".split()
)
NEVER = frozenset(
    {"rapply"} | {p.name for p in bundled_primitives().values() if p.family in ON_CPU}
)
# Primitives that a thread does alone within functions, unless their arguments are large, as
# include/arcbatt/alone_work.hpp has them.
ALONE = frozenset(
    "identity add subtract multiply divide invert double halve increment decrement crement sign"
    " even positive flip toivec tojvec greater both either branch equality contained index first"
    " last second astuple size color connect shoot dneighbors ineighbors neighbors compose chain"
    " fork matcher lbind rbind initset insert intersection difference combine uppermost lowermost"
    " leftmost rightmost ulcorner urcorner llcorner lrcorner corners vline hline center height"
    " width shape portrait shift toindices recolor manhattan hmatching vmatching".split()
)
# Functions may share parts and so grow large when they are written out.
MAX_OPS = 400
MAX_POWER = 64
# As in include/arcbatt/flat.hpp.
NO_DOMAIN = 2**32 - 1
MAX_PHASES = 3
IN_FRAME = 1 << 31
OP_WORDS, SITE_WORDS = 12, 16


class Dynamic(Exception):
    """A function that is not known when programs are fused."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function value as it was made; `parts` are its captured arguments."""

    head: str
    parts: tuple[Symbol, ...] = ()
    times: int = 1  # of `power`

    @property
    def arity(self) -> int:
        if self.head in ("rbind", "lbind") and self.parts:
            return _known(self.parts[0]).arity - 1
        return 1 if self.parts else get_primitive(self.head).arity


@dataclass(frozen=True, slots=True)
class Symbol:
    """Where a value will be: a node (domain -1), or a column of a domain's frames."""

    domain: int
    place: int
    function: Function | None = None


def _known(symbol: Symbol) -> Function:
    if symbol.function is None:
        raise Dynamic
    return symbol.function


@dataclass(slots=True)
class Op:
    head: str  # a primitive, or MATCH or GUARD
    domain: int
    column: int
    args: tuple[Symbol, ...]

    @property
    def is_alone(self) -> bool:
        """Whether it is run by a thread for each element, not by a warp."""
        return self.head in ALONE or self.head in (MATCH, GUARD)


@dataclass(slots=True)
class Site:
    head: str
    home: int  # domain, or -1
    column: int  # of the home's frames; without a home the node
    args: tuple[Symbol, ...]
    domains: list[int] = field(default_factory=list)
    results: list[Symbol] = field(default_factory=list)


@dataclass(slots=True)
class Domain:
    outer: int
    site: int
    n_args: int  # columns of arguments, before those of ops and sites
    n_columns: int


@dataclass(frozen=True, slots=True)
class Step:
    """What is run together: nodes, and ops or phases of sites, of one head."""

    kind: str  # "run", "alone", "site"
    head: str
    n_nodes: int
    n_others: int
    level: int  # in its stage: it needs nothing of steps of its own level or a higher one

    @property
    def kernel(self) -> str:
        return f"{self.kind}_{self.head}"


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Steps that need nothing but sizes that are known when they begin, those of sites last.

    After them the sizes of the domains that they make are known. Arrays are by step, or by its
    members within functions: ops, or phases of sites.
    """

    steps: tuple[Step, ...]
    levels: NDArray[np.uint32]
    are_alone: NDArray[np.bool_]  # whether threads run its members alone
    first_nodes: NDArray[np.int64]  # where a step's nodes start among the plan's
    n_nodes: NDArray[np.int64]
    first_other: int  # where the members start among the plan's
    firsts: NDArray[np.int64]  # where a step's members start among the stage's, and end
    ends: NDArray[np.int64]
    firsts_of_others: NDArray[np.int64]  # by member, where its step's start
    sizes: NDArray[np.int64]  # by member, which size: see `_size_of`
    first_site: int  # the first member that is a phase of a site
    domains: NDArray[np.int64]  # that those make; -1


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """All that a GPU is to do for a batt."""

    stages: tuple[Stage, ...]
    nodes: NDArray[np.uint32]  # of steps
    others: NDArray[np.uint32]  # of steps: ops; sites times 4 and phases
    ops: NDArray[np.uint32]
    sites: NDArray[np.uint32]
    n_columns: NDArray[np.int64]  # of domains
    n_args: NDArray[np.int64]  # of domains: columns of arguments
    programs: NDArray[np.uint32]  # those that are run
    n_nodes: int  # of the batt
    n_function_calls: int  # nodes that are sites

    @property
    def n_steps(self) -> int:
        return sum(len(stage.steps) for stage in self.stages)

    @property
    def most_at_once(self) -> int:
        """The most calls on a sample that one step makes, elements of containers not counted."""
        steps = (step for stage in self.stages for step in stage.steps)
        return max((step.n_nodes + step.n_others for step in steps), default=0)


class _Flattening:
    """Goes through the nodes of a batt and writes out all functions that are known."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        self.ops: list[Op] = []
        self.sites: list[Site] = []
        self.domains: list[Domain] = []
        self.symbols: dict[Node, Symbol] = {}
        self.site_of: dict[int, int] = {}
        self.left_out: set[int] = set()
        self._limit = 0  # how many ops there may be
        places = {node: k for k, node in enumerate(nodes)}
        self.args = [[places[arg] for arg in node.args] for node in nodes]
        for k, node in enumerate(nodes):
            self._add(k, node)

    def _add(self, k: int, node: Node) -> None:
        function = None
        args = tuple(self.symbols[arg] for arg in node.args)
        if node.kind == "primitive":
            function = Function(node.head)
        elif node.kind == "call":
            function = _function_of(node.head, args, node.args)
        self.symbols[node] = Symbol(-1, k, function)
        head = INVOKE if node.kind == "invoke" else node.head
        if any(arg in self.left_out for arg in self.args[k]) or head in NEVER:
            self.left_out.add(k)
        elif node.kind == "invoke" or (node.kind == "call" and head in SITES):
            n_ops, n_sites, n_domains = len(self.ops), len(self.sites), len(self.domains)
            try:
                self._limit = n_ops + MAX_OPS
                self.site_of[k] = self._site(head, args, -1, k)
            except Dynamic:
                self.left_out.add(k)
                del self.ops[n_ops:], self.sites[n_sites:], self.domains[n_domains:]

    def _site(self, head: str, args: tuple[Symbol, ...], home: int, column: int) -> int:
        asked, n_columns = SITES[head] if head != INVOKE else ((0,), len(args) - 1)
        if len(args) > MAX_ARITY + 1 or len(args) - (head == INVOKE) > MAX_ARITY:
            raise Dynamic
        number = len(self.sites)
        site = Site(head, home, column, args)
        self.sites.append(site)
        for place in asked:
            domain = len(self.domains)
            self.domains.append(Domain(home, number, n_columns, n_columns))
            members = tuple(Symbol(domain, k) for k in range(n_columns))
            site.domains.append(domain)
            site.results.append(self._apply(_known(args[place]), members, domain))
        return number

    def _apply(self, function: Function, args: tuple[Symbol, ...], domain: int) -> Symbol:
        """The function's value of arguments that stand in this domain or outside of it."""
        if len(args) != function.arity:
            raise Dynamic
        if not function.parts:
            return self._op(function.head, args, domain)
        parts = function.parts
        match function.head:
            case "rbind":
                return self._apply(_known(parts[0]), (*args, parts[1]), domain)
            case "lbind":
                return self._apply(_known(parts[0]), (parts[1], *args), domain)
            case "compose" | "chain":
                for part in reversed(parts):
                    args = (self._apply(_known(part), args, domain),)
                return args[0]
            case "fork":
                one = self._apply(_known(parts[1]), args, domain)
                checked = self._new_op(GUARD, (args[0], one), domain)
                other = self._apply(_known(parts[2]), (checked,), domain)
                return self._apply(_known(parts[0]), (one, other), domain)
            case "power":
                for _ in range(function.times):
                    args = (self._apply(_known(parts[0]), args, domain),)
                return args[0]
            case _:
                assert function.head == "matcher"
                got = self._apply(_known(parts[0]), args, domain)
                return self._new_op(MATCH, (got, parts[1], args[0]), domain)

    def _op(self, head: str, args: tuple[Symbol, ...], domain: int) -> Symbol:
        if head in NEVER:
            raise Dynamic
        if head not in SITES:
            return self._new_op(head, args, domain)
        made = self._new_column(domain)
        self._site(head, args, domain, made)
        return Symbol(domain, made)

    def _new_op(self, head: str, args: tuple[Symbol, ...], domain: int) -> Symbol:
        if len(self.ops) >= self._limit:
            raise Dynamic
        op = Op(head, domain, self._new_column(domain), args)
        self.ops.append(op)
        return Symbol(domain, op.column, _function_of(head, args))

    def _new_column(self, domain: int) -> int:
        found = self.domains[domain]
        found.n_columns += 1
        return found.n_columns - 1

    def ref(self, symbol: Symbol, domain: int) -> int:
        """Where it is, seen from a domain; as `Ref` in flat.hpp."""
        if symbol.domain < 0:
            return symbol.place
        hops = 0
        while domain != symbol.domain:
            hops, domain = hops + 1, self.domains[domain].outer
        return IN_FRAME | hops << 16 | symbol.place


def _function_of(
    head: str, args: tuple[Symbol, ...], nodes: tuple[Node, ...] = ()
) -> Function | None:
    """The function that a call gives, if that is known."""
    if head == "identity":
        return args[0].function
    if head not in COMBINATORS or any(args[k].function is None for k in COMBINATORS[head]):
        return None
    if head != "power":
        return Function(head, args)
    times = nodes[1].head if nodes and nodes[1].kind == "constant" else None
    if not isinstance(times, int) or not 1 <= times <= MAX_POWER:
        return None
    return args[0].function if times == 1 else Function(head, args, int(times))


def plan(nodes: Sequence[Node], results: Sequence[int]) -> Plan:
    """Plan the programs of a batt whose functions are known, given the nodes of their results."""
    flat = _Flattening(nodes)
    runs = [k for k, node in enumerate(results) if node not in flat.left_out]
    needed = [False] * len(nodes)
    for program in runs:
        needed[results[program]] = True
    for k in range(len(nodes) - 1, -1, -1):
        if needed[k]:
            for arg in flat.args[k]:
                needed[arg] = True
    return _Scheduling(flat, needed).plan(runs)


_COUNTS = ("n_nodes", "n_others")
_Head = tuple[str, str]


class _Scheduling:
    """Puts what is to be done into steps: always the head next of whose rest most is ready.

    What is to be done are items, by number: the nodes; then the ops; then the phases of sites (the
    last one, without a function, too), MAX_PHASES + 1 numbers for each.
    """

    def __init__(self, flat: _Flattening, needed: list[bool]) -> None:
        self.flat = flat
        self.first_op = len(flat.nodes)
        self.first_site = self.first_op + len(flat.ops)
        n_items = self.first_site + (MAX_PHASES + 1) * len(flat.sites)
        self.users: list[list[int]] = [[] for _ in range(n_items)]
        self.needs: dict[int, set[int]] = {}  # of what is to be done
        self._fillers: dict[tuple[int, int], int] = {}
        wanted = [needed[_root(flat, k)] for k in range(len(flat.sites))]
        for k, site in enumerate(flat.sites):
            if site.home >= 0:
                self._fillers[site.home, site.column] = self._last_phase(k)
        for k, op in enumerate(flat.ops):
            self._fillers[op.domain, op.column] = self.first_op + k
        of_nodes = list(range(self.first_op))
        for node, k in flat.site_of.items():
            of_nodes[node] = self._last_phase(k)
        self._of_nodes = of_nodes
        for k, is_needed in enumerate(needed):
            if is_needed and of_nodes[k] == k:
                self._want(k, {of_nodes[arg] for arg in flat.args[k]})
        for k, site in enumerate(flat.sites):
            if not wanted[k]:
                continue
            before = {self._maker(arg) for arg in site.args}
            if site.home >= 0:
                before.add(self._domain_maker(site.home))
            first = self._phase(k, 0)
            for phase in range(len(site.domains) + 1):
                self._want(first + phase, before)
                if phase < len(site.domains):
                    before = {first + phase, self._maker(site.results[phase])}
        for k, op in enumerate(flat.ops):
            if wanted[flat.domains[op.domain].site]:
                before = {self._maker(arg) for arg in op.args}
                self._want(self.first_op + k, before | {self._domain_maker(op.domain)})

    def _phase(self, site: int, phase: int) -> int:
        return self.first_site + (MAX_PHASES + 1) * site + phase

    def _last_phase(self, site: int) -> int:
        return self._phase(site, len(self.flat.sites[site].domains))

    def _maker(self, symbol: Symbol) -> int:
        if symbol.domain < 0:
            return self._of_nodes[symbol.place]
        filler = self._fillers.get((symbol.domain, symbol.place))
        return self._domain_maker(symbol.domain) if filler is None else filler

    def _domain_maker(self, domain: int) -> int:
        site = self.flat.domains[domain].site
        return self._phase(site, self.flat.sites[site].domains.index(domain))

    def _want(self, item: int, before: set[int]) -> None:
        self.needs[item] = before
        for one in before:
            self.users[one].append(item)

    def _head(self, item: int) -> _Head:
        if item >= self.first_site:
            return "site", self.flat.sites[(item - self.first_site) // (MAX_PHASES + 1)].head
        if item >= self.first_op:
            op = self.flat.ops[item - self.first_op]
            return "alone" if op.is_alone else "run", op.head
        node = self.flat.nodes[item]
        return "run", node.head if node.kind == "call" else LOAD

    def plan(self, runs: list[int]) -> Plan:
        """Return the plan for these programs."""
        heads = {item: self._head(item) for item in self.needs}
        n_left = Counter(heads.values())
        n_missing = {item: len(needs) for item, needs in self.needs.items()}
        ready: dict[_Head, list[int]] = defaultdict(list)
        for item, n in n_missing.items():
            if not n:
                ready[heads[item]].append(item)
        nodes: list[int] = []
        others: list[int] = []
        stages: list[Stage] = []
        steps: list[Step] = []
        levels: dict[int, int] = {}  # of what the stage has done so far

        def end_stage() -> None:
            n_nodes, n_others = (sum(getattr(step, n) for step in steps) for n in _COUNTS)
            stages.append(self._stage(steps, len(nodes) - n_nodes, others, len(others) - n_others))
            steps.clear()
            levels.clear()

        while ready:
            calls = [head for head in ready if head[0] != "site"]
            if calls:
                best = max(calls, key=lambda h: (len(ready[h]) / n_left[h], len(ready[h]), h))
                chosen = [best]
            else:
                chosen = sorted(ready)  # all sites at once: after them sizes must be waited for
            done: list[int] = []
            for head in chosen:
                items = sorted(ready.pop(head))
                n_left[head] -= len(items)
                of_nodes = [item for item in items if item < self.first_op]
                level = -1
                for item in items:
                    for need in self.needs[item]:
                        level = max(level, levels.get(need, -1))
                n_others = len(items) - len(of_nodes)
                steps.append(Step(*head, len(of_nodes), n_others, level + 1))
                levels.update(dict.fromkeys(items, level + 1))
                nodes += of_nodes
                others += items[len(of_nodes) :]
                done += items
            if not calls:
                end_stage()
            for item in done:
                for user in self.users[item]:
                    n_missing[user] -= 1
                    if not n_missing[user]:
                        ready[heads[user]].append(user)
        if steps:
            end_stage()
        flat = self.flat
        numbers = primitive_numbers()
        firsts = [self.first_op if item < self.first_site else self.first_site for item in others]
        return Plan(
            stages=tuple(stages),
            nodes=np.array(nodes, np.uint32),
            others=(np.array(others, np.int64) - np.array(firsts, np.int64)).astype(np.uint32),
            ops=np.array([self._op_words(op, numbers) for op in flat.ops], np.uint32),
            sites=np.array([self._site_words(site, numbers) for site in flat.sites], np.uint32),
            n_columns=np.array([domain.n_columns for domain in flat.domains], np.int64),
            n_args=np.array([domain.n_args for domain in flat.domains], np.int64),
            programs=np.array(runs, np.uint32),
            n_nodes=len(flat.nodes),
            n_function_calls=len(flat.site_of),
        )

    def _stage(
        self, steps: list[Step], first_node: int, others: list[int], first_other: int
    ) -> Stage:
        n_nodes, n_others = (np.array([getattr(s, n) for s in steps], np.int64) for n in _COUNTS)
        ends = np.cumsum(n_others)
        members = others[first_other:]
        of_sites = [item for item in members if item >= self.first_site]
        return Stage(
            steps=tuple(steps),
            levels=np.array([step.level for step in steps], np.uint32),
            are_alone=np.array([step.kind == "alone" for step in steps]),
            first_nodes=first_node + np.cumsum(n_nodes) - n_nodes,
            n_nodes=n_nodes,
            first_other=first_other,
            firsts=ends - n_others,
            ends=ends,
            firsts_of_others=np.repeat(ends - n_others, n_others),
            sizes=np.array([self._size_of(item) for item in members], np.int64),
            first_site=len(members) - len(of_sites),
            domains=np.array([self._made_by(item) for item in of_sites], np.int64),
        )

    def _size_of(self, item: int) -> int:
        """Which size tells how many items it has: the elements of a domain, or the samples."""
        if item < self.first_site:
            return self.flat.ops[item - self.first_op].domain
        home = self.flat.sites[(item - self.first_site) // (MAX_PHASES + 1)].home
        return home if home >= 0 else len(self.flat.domains)

    def _made_by(self, item: int) -> int:
        site, phase = divmod(item - self.first_site, MAX_PHASES + 1)
        domains = self.flat.sites[site].domains
        return domains[phase] if phase < len(domains) else -1

    def _op_words(self, op: Op, numbers: dict[str, int]) -> list[int]:
        args = [self.flat.ref(arg, op.domain) for arg in op.args]
        words = [
            numbers.get(op.head, 0),
            op.domain,
            op.column,
            len(args),
            *_padded(args, MAX_ARITY + 1),
        ]
        return _padded(words, OP_WORDS)

    def _site_words(self, site: Site, numbers: dict[str, int]) -> list[int]:
        flat = self.flat
        args = [flat.ref(arg, site.home) for arg in site.args]
        results = [
            flat.ref(result, domain)
            for result, domain in zip(site.results, site.domains, strict=True)
        ]
        home = NO_DOMAIN if site.home < 0 else site.home
        return [
            *(numbers.get(site.head, 0), home, site.column, len(args)),
            *_padded(args, MAX_ARITY + 1),
            len(site.domains),
            *_padded(site.domains, MAX_PHASES),
            *_padded(results, MAX_PHASES),
        ]


def _root(flat: _Flattening, site: int) -> int:
    """The node of the batt that a site is part of."""
    found = flat.sites[site]
    while found.home >= 0:
        found = flat.sites[flat.domains[found.home].site]
    return found.column


def _padded(words: Sequence[int], n: int, by: int = 0) -> list[int]:
    return [*words, *[by] * (n - len(words))]
