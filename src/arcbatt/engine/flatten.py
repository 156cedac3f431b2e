"""What is known of primitives when a GPU's work is planned, and the plan in Python's words.

Plans are made by the extension (flatten.hpp, plan.hpp): where the function of `apply`, `argmax`,
`order`... is known when programs are fused, its calls become steps that are run on the elements of
all containers of all samples at once. Of a `branch` both functions are written out, each on what it
is called with. A program whose functions depend on data otherwise (out of a container, a `power` of
a number that is not known, a `branch` of functions of different arity), or that learns from the
demos, is left out: the CPU runs it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from arcbatt.language.registry import bundled_primitives

from . import _engine
from .table import primitive_numbers

Plan = _engine.Plan
# What makes functions of functions, and which of its arguments are functions.
COMBINATORS = {
    "compose": (0, 1),
    "chain": (0, 1, 2),
    "fork": (0, 1, 2),
    "matcher": (0,),
    "rbind": (0,),
    "lbind": (0,),
    "power": (0,),
    "branch": (1, 2),
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
    "learned object_actions object_bars cell_trees rewriting"
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
    " fork matcher lbind rbind initset insert remove intersection difference combine uppermost"
    " lowermost leftmost rightmost ulcorner urcorner llcorner lrcorner corners vline hline center"
    " height width shape portrait shift toindices recolor manhattan hmatching vmatching".split()
)
# Functions may share parts and so grow large when they are written out.
MAX_OPS = 400
MAX_POWER = 64
MAX_PHASES = 3  # as in include/arcbatt/launch.hpp
# Kinds of kernels and their heads beside primitives, as in plan.hpp and flatten.hpp.
KINDS = ("alone", "run", "site")
OTHER_HEADS = ("load", "invoke", "match", "guard", "where", "elsewhere", "pick")


@dataclass(frozen=True, slots=True)
class Step:
    """What is run together: nodes, and ops or phases of sites, of one head."""

    kernel: str
    n_nodes: int
    n_others: int
    needs: tuple[int, ...]  # steps whose results it needs, by number
    size_needs: tuple[int, ...]  # those that make what its items are elements of


def make_plan(fused: _engine.FusedBatt) -> Plan:
    """Plan the programs of a batt whose functions are known."""
    return _engine.make_plan(fused, _rules())


def stages_of(plan: Plan) -> list[list[Step]]:
    """Return the plan's steps, by stage."""
    names = kernel_names()
    needs, size_needs = (_links(each) for each in (plan.needs, plan.size_needs))
    # The fields of `PlanStep` in plan.hpp, of which the others say where members start.
    steps = [
        Step(names[kernel], n_nodes, n_others, needs[k], size_needs[k])
        for k, (kernel, n_nodes, n_others, *_) in enumerate(plan.steps.tolist())
    ]
    return [steps[first:end] for first, end in pairwise([0, *plan.stage_ends.tolist()])]


def _links(links: tuple[NDArray[np.uint32], NDArray[np.uint32]]) -> list[tuple[int, ...]]:
    starts, items = (each.tolist() for each in links)
    return [tuple(items[first:end]) for first, end in pairwise(starts)]


def kernels_of(plan: Plan) -> dict[int, str]:
    """Return the names of the kernels that a plan has steps of, by their numbers."""
    names = kernel_names()
    return {kernel: names[kernel] for kernel in np.unique(plan.steps[:, 0]).tolist()}


@cache
def kernel_names() -> tuple[str, ...]:
    """Return what kernels are called, by the numbers that plans have of them."""
    heads = (*primitive_numbers(), *OTHER_HEADS)
    assert len(heads) == _engine.n_heads
    return tuple(f"{kind}_{head}" for kind in KINDS for head in heads)


@cache
def _rules() -> _engine.PlanRules:
    numbers = primitive_numbers()
    n = len(numbers)
    asked = np.full((n, MAX_PHASES), -1, np.int8)
    n_columns, combinators, never, alone = (np.zeros(n, np.uint8) for _ in range(4))
    for name, (places, columns) in SITES.items():
        asked[numbers[name], : len(places)] = places
        n_columns[numbers[name]] = columns
    for name, places in COMBINATORS.items():
        combinators[numbers[name]] = sum(1 << place for place in places)
    never[[numbers[name] for name in NEVER]] = 1
    alone[[numbers[name] for name in ALONE]] = 1
    return _engine.PlanRules(
        asked=asked.ravel(),
        n_columns=n_columns,
        combinators=combinators,
        never=never,
        alone=alone,
        max_ops=MAX_OPS,
        max_power=MAX_POWER,
    )
