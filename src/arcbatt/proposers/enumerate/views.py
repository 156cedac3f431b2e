"""Views of a task: the same task with colours by role, or mirrored, to search in and map back from.

Each view has the nodes that compute it from `S` and `I`, so that what is found in it is a program
for the task itself.
"""

from __future__ import annotations

from functools import partial

from arcbatt.engine.cpu import evaluate_call
from arcbatt.language import Failure
from arcbatt.language.ir import Node, call_node, input_node, primitive_node
from arcbatt.language.values import Value
from arcbatt.tasks import Grid, Task

from .stacks import View

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


def _same(node: Node) -> Node:
    return node


def _call(name: str, *args: Value) -> Value:
    given = evaluate_call(name, args)
    if isinstance(given, Failure):
        raise NoView(f"{name}: {given}")
    return given
