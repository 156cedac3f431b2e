"""Views of a task: the same task with colours by role, or mirrored, to search in and map back from.

Each view has the nodes that compute it from `S` and `I`, so that what is found in it is a program
for the task itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from arcbatt.engine.cpu import evaluate_call
from arcbatt.language import Failure
from arcbatt.language.ir import Node, call_node, input_node, primitive_node
from arcbatt.language.values import Value
from arcbatt.search.enumerating import Seed, View
from arcbatt.tasks import Grid, Task

_S, _I = input_node("S"), input_node("I")


class NoView(ValueError):
    """A task that a view cannot be made of."""


def plain(task: Task) -> View:
    """The task as it is."""
    demos = [(demo.input, demo.output) for demo in task.demos]
    return View("plain", demos, task.test_inputs, _S, _I, _same)


def by_role(task: Task) -> View:
    """The task with colours numbered by the part that they play; see `to_roles`."""
    pairs = tuple((demo.input, demo.output) for demo in task.demos)
    demos = _call("role_demos", pairs)
    tests = [_call("to_roles", pairs, grid) for grid in task.test_inputs]
    restore = partial(call_node, "from_roles", _S, _I)
    return View(
        "roles",
        demos,  # type: ignore[arg-type]
        tests,  # type: ignore[arg-type]
        call_node("role_demos", _S),
        call_node("to_roles", _S, _I),
        restore,
    )


def mirrored(view: View, mirror: str) -> View:
    """A view with all its grids mirrored by a primitive that undoes itself."""

    def turn(grid: Grid) -> Grid:
        return _call(mirror, grid)  # type: ignore[return-value]

    # Both grids of a pair are mirrored, of all pairs.
    both = call_node("lbind", primitive_node("apply"), primitive_node(mirror))
    return View(
        f"{view.name} {mirror}",
        [(turn(before), turn(after)) for before, after in view.demos],
        [turn(grid) for grid in view.tests],
        call_node("apply", both, view.demos_node),
        call_node(mirror, view.input_node),
        lambda node: view.restore(call_node(mirror, node)),
    )


def with_seeds(view: View, makers: Sequence[Callable[[Node, Node], Node]], depth: int) -> View:
    """A view with further values to start from: calls over its demos and input.

    What fails in an example is no seed.
    """
    seeds = []
    pairs = tuple(view.demos)
    inputs = [before for before, _ in view.demos] + list(view.tests)
    for make in makers:
        node = make(view.demos_node, view.input_node)
        grids = []
        for grid in inputs:
            args = [_argument(arg, view, pairs, grid) for arg in node.args]
            given = evaluate_call(node.name, args)
            if isinstance(given, Failure):
                break
            grids.append(given)
        if len(grids) == len(inputs):
            seeds.append(Seed(node, grids, depth))  # type: ignore[arg-type]
    return View(
        view.name, view.demos, view.tests, view.demos_node, view.input_node, view.restore, seeds
    )


def _argument(arg: Node, view: View, pairs: Value, grid: Grid) -> Value:
    """What an argument of a seed's call stands for in one example."""
    if arg == view.demos_node:
        return pairs
    if arg == view.input_node:
        return grid
    if arg.kind != "constant":
        raise ValueError("a seed is a call over the demos, the input and constants")
    return arg.value


def _same(node: Node) -> Node:
    return node


def _call(name: str, *args: Value) -> Value:
    given = evaluate_call(name, args)
    if isinstance(given, Failure):
        raise NoView(f"{name}: {given}")
    return given
