"""Plans: the work of a GPU for a batt, as steps that each run one kernel.

The extension makes them (flatten.hpp, plan.hpp). If the function of `apply`, `argmax`, `order`...
is known when programs are fused, its calls become steps that run on the elements of all containers
of all samples at once. Both functions of a `branch` are planned, each for the elements that it is
called with. The CPU runs programs whose functions depend on data in other ways (functions from a
container, a `power` by a computed number, a `branch` of functions of different arity), and programs
that learn from the demos.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine import _engine
from arcbatt.engine.table import primitive_numbers
from arcbatt.language.registry import bundled_primitives

Plan = _engine.Plan
# Calls that the function of one call may consist of; functions that share parts can become large.
MAX_OPS = 400
MAX_POWER = 64


@dataclass(frozen=True, slots=True)
class Step:
    """Work of one kernel: nodes, and ops or phases of sites, of one head."""

    kernel: str
    n_nodes: int
    n_others: int
    needs: tuple[int, ...]  # numbers of the steps whose results it needs
    size_needs: tuple[int, ...]  # numbers of those that make the containers of its items


def make_plan(fused: _engine.FusedBatt) -> Plan:
    """Plan the programs of a batt whose functions are known."""
    return _engine.make_plan(fused, _rules())


def stages_of(plan: Plan) -> list[list[Step]]:
    """Return the steps of a plan by stage."""
    names = kernel_names()
    needs, size_needs = (_links(each) for each in (plan.needs, plan.size_needs))
    steps = [
        Step(names[step["kernel"]], int(step["n_nodes"]), int(step["n_others"]), *links)
        for step, *links in zip(plan.steps, needs, size_needs, strict=True)
    ]
    return [steps[first:end] for first, end in pairwise([0, *plan.stage_ends.tolist()])]


def _links(links: tuple[NDArray[np.uint32], NDArray[np.uint32]]) -> list[tuple[int, ...]]:
    starts, items = (each.tolist() for each in links)
    return [tuple(items[first:end]) for first, end in pairwise(starts)]


def kernels_of(plan: Plan) -> dict[int, str]:
    """Return the kernels of a plan's steps, by number."""
    names = kernel_names()
    return {kernel: names[kernel] for kernel in np.unique(plan.steps["kernel"]).tolist()}


@cache
def kernel_names() -> tuple[str, ...]:
    """Return the names of all kernels, in the order of their numbers."""
    heads = (*primitive_numbers(), *_engine.other_heads)
    return tuple(f"{kind}_{head}" for kind in _engine.step_kinds for head in heads)


@cache
def _rules() -> _engine.PlanRules:
    """Return the facts of `Gpu` about all primitives, by number."""
    n = len(primitive_numbers())
    calls = np.full((n, _engine.MAX_PHASES), -1, np.int8)
    columns, combines, cpu_only, single_thread = (np.zeros(n, np.uint8) for _ in range(4))
    for name, number in primitive_numbers().items():
        primitive = bundled_primitives()[name]
        called = primitive.called_functions
        calls[number, : len(called)] = called
        columns[number] = primitive.gpu.columns if called else 0
        combines[number] = sum(1 << place for place in primitive.combined_functions)
        cpu_only[number] = primitive.gpu.cpu_only
        single_thread[number] = primitive.gpu.single_thread
    return _engine.PlanRules(
        calls=calls.ravel(),
        columns=columns,
        combines=combines,
        cpu_only=cpu_only,
        single_thread=single_thread,
        max_ops=MAX_OPS,
        max_power=MAX_POWER,
    )
