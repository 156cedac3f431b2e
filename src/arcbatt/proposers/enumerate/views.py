"""Views of a task: colours by role, the background as 0, examples turned; to search in.

Each view has the nodes that compute it from `S` and `I`, so that what is found in it is a program
for the task itself. Views are made of views: roles can be those of the task on its own background.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from arcbatt.engine.cpu import evaluate_data
from arcbatt.language import Failure
from arcbatt.language.function_of import function_of
from arcbatt.language.ir import Node, call_node, constant, input_node, primitive_node
from arcbatt.language.primitives.views import GROUNDS, TURNS
from arcbatt.language.values import Value
from arcbatt.tasks import Grid, Task

from .stacks import View

_S, _I = input_node("S"), input_node("I")
# What is found as a simple program in the task as it is comes first.
BITS_A_GROUND = 0.25
BITS_A_TURN = 0.25
# The name of views on a base.
BASE = "base"


class NoView(ValueError):
    """A task that a view cannot be made of."""


def plain(task: Task) -> View:
    """The task as it is."""
    demos = [(demo.input, demo.output) for demo in task.demos]
    return View("plain", demos, task.test_inputs, _S, _I, _same)


def bare() -> View:
    """The plain view of no task: its nodes alone, which are the same for all tasks."""
    return View("plain", (), (), _S, _I, _same)


def on_base(node: Node, bits: float) -> View:
    """A view of no task with each input replaced by a base: what a node makes of it."""
    function = function_of(node, "I")
    if function is None:
        raise NoView("what is made of an input cannot be made of those of the demos")
    of_pair = call_node("compose", function, primitive_node("first"))
    changed = call_node("fork", primitive_node("astuple"), of_pair, primitive_node("last"))
    return View(BASE, (), (), call_node("apply", changed, _S), node, _same, bits=bits)


def by_role(task: Task) -> View:
    """The task with colours numbered by the part that they play; see `to_roles`."""
    return with_roles(plain(task))


def with_roles(view: View) -> View:
    """A view with colours numbered by the part that they play in it; see `to_roles`."""
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


def with_ground(view: View, code: int) -> View:
    """A view with 0 and the background swapped; see `swap_ground`."""
    pairs = tuple(view.demos)
    demos, grid = view.demos_node, view.input_node
    return View(
        _name(view, f"ground {code}"),
        _call("ground_demos", pairs, code),  # type: ignore[arg-type]
        [_call("swap_ground", pairs, test, test, code) for test in view.tests],  # type: ignore[misc]
        call_node("ground_demos", demos, constant(code)),
        call_node("swap_ground", demos, grid, grid, constant(code)),
        lambda node: view.restore(call_node("swap_ground", demos, grid, node, constant(code))),
        bits=view.bits + BITS_A_GROUND,
    )


def with_turns(view: View, code: int) -> View:
    """A view with each example turned so that a named thing lies one way; see `to_turn`."""
    demos, grid = view.demos_node, view.input_node
    return View(
        _name(view, f"turn {code}"),
        _call("turn_demos", tuple(view.demos), code),  # type: ignore[arg-type]
        [_call("to_turn", test, code) for test in view.tests],  # type: ignore[misc]
        call_node("turn_demos", demos, constant(code)),
        call_node("to_turn", grid, constant(code)),
        lambda node: view.restore(call_node("from_turn", grid, node, constant(code))),
        bits=view.bits + BITS_A_TURN,
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
        bits=view.bits,
    )


def grounds(view: View) -> Iterator[View]:
    """Yield the views on another background than 0, each once."""
    return _others(view, with_ground, len(GROUNDS), [_same_grid])


def grounded(task: Task) -> View:
    """The task on the first background that it has beside 0, or else as it is."""
    return next(grounds(plain(task)), plain(task))


def turns(view: View) -> Iterator[View]:
    """Yield the views that turn some examples otherwise than others, each once."""
    return _others(view, with_turns, len(TURNS), _MIRRORS)


def nth(views: Iterator[View], n: int) -> View:
    """Return one of the views that a task has, counted from 0."""
    for k, view in enumerate(views):
        if k == n:
            return view
    raise NoView(f"there is no view {n} of this kind")


def _others(
    view: View,
    make: Callable[[View, int], View],
    n_codes: int,
    same: Sequence[Callable[[Grid], Grid]],
) -> Iterator[View]:
    """The views by all codes whose grids are not those of an earlier one, nor all `same`."""
    own = _inputs(view)
    known: list[list[Grid]] = []
    for code in range(n_codes):
        found = make(view, code)
        grids = _inputs(found)
        if grids in known or any(
            all(change(grid) == new for grid, new in zip(own, grids, strict=True))
            for change in same
        ):
            continue
        known.append(grids)
        yield found


def _inputs(view: View) -> list[Grid]:
    """The grids that all others of a view depend on."""
    return [*(before for before, _ in view.demos), *view.tests]


def _same_grid(grid: Grid) -> Grid:
    return grid


def _upside_down(grid: Grid) -> Grid:
    return grid[::-1]


def _left_to_right(grid: Grid) -> Grid:
    return tuple(row[::-1] for row in grid)


def _turned_around(grid: Grid) -> Grid:
    return tuple(row[::-1] for row in grid[::-1])


def _transposed(change: Callable[[Grid], Grid]) -> Callable[[Grid], Grid]:
    return lambda grid: tuple(zip(*change(grid), strict=True))


_FLIPS = (_same_grid, _upside_down, _left_to_right, _turned_around)
_MIRRORS = (*_FLIPS, *map(_transposed, _FLIPS))


def _name(view: View, kind: str) -> str:
    return kind if view.name == "plain" else f"{view.name}, {kind}"


def _same(node: Node) -> Node:
    return node


def _call(name: str, *args: Value) -> Value:
    given = evaluate_data(name, args)
    if isinstance(given, Failure):
        raise NoView(f"{name}: {given}")
    return given
