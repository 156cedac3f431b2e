"""Views of a task: the same task with other grids, such as colors by role or examples turned.

Each view has the nodes that compute its grids from `S` and `I`, so that a program found in the view
is a program for the task itself. Views can be nested: roles can be those of the task on its own
background.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from arcbatt.engine.cpu.calls import evaluate_data
from arcbatt.language import Failure
from arcbatt.language.function_of import function_of
from arcbatt.language.ir import Node, call_node, constant, input_node, primitive_node
from arcbatt.language.primitives.views import GROUNDS, TURNS
from arcbatt.language.values import Value
from arcbatt.tasks import Grid, Task

_S, _I = input_node("S"), input_node("I")
# These views are ranked a little below the task as it is.
BACKGROUND_BITS = 0.25
TURN_BITS = 0.25
# The name of views on a base.
BASE = "base"


class NoView(ValueError):
    """The task does not have the requested view."""


@dataclass(frozen=True)
class Source:
    """A value to start from besides the input: its grid in each example, and its node.

    `depth` is the number of moves that it counts as.
    """

    node: Node
    grids: Sequence[Grid]
    depth: int = 1


@dataclass(frozen=True)
class View:
    """A task as it is searched: grids, and the nodes that compute them from `S` and `I`.

    `restore` turns a node for an output of the view into one for an output of the task. `bits` is
    the cost of having chosen this view: one of 2^bits that could have been taken.
    """

    name: str
    demos: Sequence[tuple[Grid, Grid]]
    tests: Sequence[Grid]
    demos_node: Node
    input_node: Node
    restore: Callable[[Node], Node]
    sources: Sequence[Source] = ()
    bits: float = 0.0

    @property
    def kind(self) -> str:
        """The name without codes. Candidates from views of one kind count as related."""
        return re.sub(r" \d+", "", self.name)

    @property
    def inputs(self) -> list[Grid]:
        """The inputs of the demos, then those of the tests."""
        return [*(before for before, _ in self.demos), *self.tests]


def plain(task: Task) -> View:
    """Return the task as it is."""
    demos = [(demo.input, demo.output) for demo in task.demos]
    return View("plain", demos, task.test_inputs, _S, _I, _identity)


def plain_nodes() -> View:
    """Return the plain view without grids: its nodes are the same for all tasks."""
    return View("plain", (), (), _S, _I, _identity)


def on_base(node: Node, bits: float) -> View:
    """Return a view without grids in which each input is replaced by the value of a node."""
    function = function_of(node, "I")
    if function is None:
        raise NoView("the base is not a function of the input alone")
    of_pair = call_node("compose", function, primitive_node("first"))
    changed = call_node("fork", primitive_node("astuple"), of_pair, primitive_node("last"))
    return View(BASE, (), (), call_node("apply", changed, _S), node, _identity, bits=bits)


def by_role(task: Task) -> View:
    """Return the task with colors numbered by their role; see `to_roles`."""
    return with_roles(plain(task))


def with_roles(view: View) -> View:
    """Return a view with colors numbered by their role in it; see `to_roles`."""
    pairs = tuple(view.demos)
    demos, grid = view.demos_node, view.input_node
    return View(
        _name(view, "roles"),
        _call("role_demos", pairs),  # type: ignore[arg-type]
        [_call("to_roles", pairs, test) for test in view.tests],  # type: ignore[misc]
        call_node("role_demos", demos),
        call_node("to_roles", demos, grid),
        lambda node: view.restore(call_node("from_roles", demos, grid, node)),
        bits=view.bits,
    )


def with_background(view: View, code: int) -> View:
    """Return a view with 0 and the background color swapped; see `swap_ground`."""
    pairs = tuple(view.demos)
    demos, grid = view.demos_node, view.input_node
    return View(
        _name(view, f"ground {code}"),
        _call("ground_demos", pairs, code),  # type: ignore[arg-type]
        [_call("swap_ground", pairs, test, test, code) for test in view.tests],  # type: ignore[misc]
        call_node("ground_demos", demos, constant(code)),
        call_node("swap_ground", demos, grid, grid, constant(code)),
        lambda node: view.restore(call_node("swap_ground", demos, grid, node, constant(code))),
        bits=view.bits + BACKGROUND_BITS,
    )


def with_turns(view: View, code: int) -> View:
    """Return a view with each example turned by a landmark in its input; see `to_turn`."""
    demos, grid = view.demos_node, view.input_node
    return View(
        _name(view, f"turn {code}"),
        _call("turn_demos", tuple(view.demos), code),  # type: ignore[arg-type]
        [_call("to_turn", test, code) for test in view.tests],  # type: ignore[misc]
        call_node("turn_demos", demos, constant(code)),
        call_node("to_turn", grid, constant(code)),
        lambda node: view.restore(call_node("from_turn", grid, node, constant(code))),
        bits=view.bits + TURN_BITS,
    )


def mirrored(view: View, mirror: str) -> View:
    """Return a view with all grids mirrored by a primitive that is its own inverse."""

    def flip(grid: Grid) -> Grid:
        return _call(mirror, grid)  # type: ignore[return-value]

    mirror_pair = call_node("lbind", primitive_node("apply"), primitive_node(mirror))
    return View(
        f"{view.name} {mirror}",
        [(flip(before), flip(after)) for before, after in view.demos],
        [flip(grid) for grid in view.tests],
        call_node("apply", mirror_pair, view.demos_node),
        call_node(mirror, view.input_node),
        lambda node: view.restore(call_node(mirror, node)),
        bits=view.bits,
    )


def background_views(view: View) -> Iterator[View]:
    """Yield the views on a background other than 0, each once."""
    return _distinct_views(view, with_background, len(GROUNDS), [_same_grid])


def on_background(task: Task) -> View:
    """Return the task on its first background other than 0, or as it is if it has none."""
    return next(background_views(plain(task)), plain(task))


def turned_views(view: View) -> Iterator[View]:
    """Yield the views that do not turn all examples alike, each once."""
    return _distinct_views(view, with_turns, len(TURNS), _SYMMETRIES)


def nth(views: Iterator[View], n: int) -> View:
    """Return the n-th view, counted from 0, or raise `NoView`."""
    for k, view in enumerate(views):
        if k == n:
            return view
    raise NoView(f"there is no view {n} of this kind")


def _distinct_views(
    view: View,
    make: Callable[[View, int], View],
    n_codes: int,
    trivial: Sequence[Callable[[Grid], Grid]],
) -> Iterator[View]:
    """Yield the views of all codes whose inputs are new.

    A view is left out if one of the `trivial` changes turns all inputs of `view` into its inputs.
    """
    original = view.inputs
    seen: list[list[Grid]] = []
    for code in range(n_codes):
        changed = make(view, code)
        inputs = changed.inputs
        if inputs in seen or any(
            all(change(grid) == new for grid, new in zip(original, inputs, strict=True))
            for change in trivial
        ):
            continue
        seen.append(inputs)
        yield changed


def _same_grid(grid: Grid) -> Grid:
    return grid


def _upside_down(grid: Grid) -> Grid:
    return grid[::-1]


def _left_to_right(grid: Grid) -> Grid:
    return tuple(row[::-1] for row in grid)


def _half_turn(grid: Grid) -> Grid:
    return tuple(row[::-1] for row in grid[::-1])


def _transposed(change: Callable[[Grid], Grid]) -> Callable[[Grid], Grid]:
    return lambda grid: tuple(zip(*change(grid), strict=True))


_FLIPS = (_same_grid, _upside_down, _left_to_right, _half_turn)
_SYMMETRIES = (*_FLIPS, *map(_transposed, _FLIPS))


def _name(view: View, kind: str) -> str:
    return kind if view.name == "plain" else f"{view.name}, {kind}"


def _identity(node: Node) -> Node:
    return node


def _call(name: str, *args: Value) -> Value:
    value = evaluate_data(name, args)
    if isinstance(value, Failure):
        raise NoView(f"{name}: {value}")
    return value
