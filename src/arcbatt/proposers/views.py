"""Views of a task: the same task with other grids, such as colors by role or examples turned.

Each view has the nodes that compute its grids from `S` and `I`, so that a program found in the view
is a program for the task itself. Views can be nested: roles can be those of the task on its own
background.

In a view of boxes, every box of an object is an example, and its program does to each box of the
input what was found for one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from arcbatt.engine.cpu.calls import evaluate_data
from arcbatt.language import Failure
from arcbatt.language.function_of import function_of
from arcbatt.language.ir import Node, call_node, constant, input_node, primitive_node
from arcbatt.language.primitives.views import GROUNDS, TURNS
from arcbatt.language.values import Value, ordered
from arcbatt.tasks import Grid, Task

_S, _I = input_node("S"), input_node("I")
_FIRST, _LAST = primitive_node("first"), primitive_node("last")
_ASTUPLE, _FORK = primitive_node("astuple"), primitive_node("fork")
# These views are ranked a little below the task as it is.
BACKGROUND_BITS = 0.25
TURN_BITS = 0.25
# The name of views on a base.
BASE = "base"
# The primitives that cut a grid into the objects whose boxes are a view: those of any colors,
# 8-connected, and those of one color, 4-connected.
BOX_CUTS = ("split_shapes", "split_parts")
# Fitted to half of the tasks that have boxes: 1 is as good as 0 and 0.5, 2 loses one task.
BOX_BITS = 1.0
MAX_BOXES = 24
# Switches of `learn`.
BACKGROUND_RULES, TURNED_RULES = "background-rules", "turned-rules"


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
    def prefix(self) -> str:
        """The name as the beginning of programs' names."""
        return re.sub(r"\W", "_", self.name)

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


def learning_views(task: Task, off: frozenset[str] = frozenset()) -> Iterator[View]:
    """Yield the views of a task in which rules are learned, the simplest first."""
    unchanged = plain(task)
    yield unchanged
    yield with_roles(unchanged)
    if BACKGROUND_RULES not in off:
        for view in background_views(unchanged):
            yield view
            yield with_roles(view)
    if TURNED_RULES not in off:
        yield from islice(turned_views(unchanged), 1)


def group_by_view(
    tasks: Sequence[Task], off: frozenset[str] = frozenset(), *, without: Sequence[str] = ()
) -> list[list[tuple[View, Task]]]:
    """Return the `learning_views` of tasks with their tasks, grouped into lists by view.

    Views in a list have the same nodes. Views whose kind contains a name in `without` are left out.
    """
    by_name: dict[str, list[tuple[View, Task]]] = {}
    for task in tasks:
        for view in learning_views(task, off):
            if any(kind in view.kind for kind in without):
                continue
            by_name.setdefault(view.name, []).append((view, task))
    return list(by_name.values())


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


def in_boxes(view: View, code: int) -> View:
    """Return a view in which the box of each object is an example.

    Its demos are the distinct boxes of all demos, each with the same cells of the output, those
    that change first. Raise `NoView` unless boxes are disjoint, do not fill their grid, and are
    all that changes; at least two of them must change, and equal ones in the same way.
    """
    demos: dict[tuple[Grid, Grid], None] = {}
    for before, after in view.demos:
        demos.update(dict.fromkeys(_pairs_of_boxes(before, after, code)))
    changed = [(box, after) for box, after in demos if box != after]
    kept = [(box, after) for box, after in demos if box == after]
    if len(changed) < 2:
        raise NoView("fewer than two boxes change")
    if len(demos) > MAX_BOXES:
        raise NoView(f"there are more than {MAX_BOXES} boxes")
    if len(demos) > len({box for box, _ in demos}):
        raise NoView("equal boxes change in different ways")
    tests = dict.fromkeys(box for grid in view.tests for _, box in _boxes(grid, code))
    if not tests:
        raise NoView("no test input has objects")
    return View(
        _name(view, f"boxes {code}"),
        changed + kept,
        list(tests),
        _demos_of_boxes(view.demos_node, code),
        _I,
        lambda node: view.restore(_over_boxes(node, view.input_node, code)),
        bits=view.bits + BOX_BITS,
    )


def box_views(task: Task) -> Iterator[View]:
    """Yield the views of boxes, of the task as it is and on its background, each once."""
    seen = []
    for view, code in product((plain(task), on_background(task)), range(len(BOX_CUTS))):
        try:
            boxes = in_boxes(view, code)
        except NoView:
            continue
        if boxes.inputs not in seen:
            seen.append(boxes.inputs)
            yield boxes


def _boxes(grid: Grid, code: int) -> list[tuple[tuple[int, int], Grid]]:
    """Return the place and cells of each object's box, in order."""
    found: Any = _call(BOX_CUTS[code], ((0, 0), grid))
    return ordered(found)  # type: ignore[return-value]


def _pairs_of_boxes(before: Grid, after: Grid, code: int) -> list[tuple[Grid, Grid]]:
    """Return the distinct boxes of a demo, each with the same cells of the output.

    Raise `NoView` unless boxes are disjoint, do not fill their grid, and are all that changes.
    """
    size = len(before), len(before[0])
    if size != (len(after), len(after[0])):
        raise NoView("an output has another size than its input")
    pairs = set()
    outside = set(product(range(size[0]), range(size[1])))
    for (i, j), box in _boxes(before, code):
        rows, columns = range(i, i + len(box)), range(j, j + len(box[0]))
        places = set(product(rows, columns))
        if not places <= outside:
            raise NoView("boxes overlap")
        outside -= places
        pairs.add((box, tuple(tuple(after[row][column] for column in columns) for row in rows)))
    if not outside or any(after[row][column] for row, column in outside):
        raise NoView("boxes fill the grid, or something changes outside of them")
    return ordered(frozenset(pairs))  # type: ignore[return-value]


def _function(*functions: Node) -> Node:
    """Return the composition of functions, the last applied first."""
    *outer, function = functions
    for each in reversed(outer):
        function = call_node("compose", each, function)
    return function


def _cut(code: int) -> Node:
    """Return the function from a grid to the boxes of its objects, as pictures."""
    return _function(primitive_node(BOX_CUTS[code]), call_node("lbind", _ASTUPLE, constant((0, 0))))


def _demos_of_boxes(demos: Node, code: int) -> Node:
    """Return the node for the boxes of all demos, each with the same cells of the output."""
    # Of an output: the function from a picture to its grid and the same cells of the output.
    same_cells = _function(
        call_node("lbind", call_node("lbind", _FORK, _ASTUPLE), _LAST),
        call_node(
            "rbind",
            call_node("rbind", _FORK, _function(primitive_node("shape"), _LAST)),
            _FIRST,
        ),
        call_node("lbind", primitive_node("lbind"), primitive_node("crop")),
    )
    of_demo = call_node(
        "fork",
        primitive_node("apply"),
        _function(same_cells, _LAST),
        _function(_cut(code), _FIRST),
    )
    distinct = call_node("dedupe", call_node("mapply", of_demo, demos))
    changed = call_node("dedupe_pair_tuple", distinct)
    return call_node("combine", changed, call_node("difference", distinct, changed))


def _over_boxes(node: Node, grid: Node, code: int) -> Node:
    """Return the node for a grid in which each box is replaced by what a node makes of it."""
    function = function_of(node, "I")
    if function is None:
        raise NoView("what is done to a box is not a function of it")
    in_place = call_node("fork", _ASTUPLE, _FIRST, _function(function, _LAST))
    cut = call_node(BOX_CUTS[code], call_node("astuple", constant((0, 0)), grid))
    joined = call_node("heap_up", call_node("apply", in_place, cut))
    return call_node("last", call_node("paste_on", joined, call_node("shape", grid)))


def background_views(view: View) -> Iterator[View]:
    """Yield the views on a background other than 0, each once."""
    return _distinct_views(view, with_background, len(GROUNDS), [_same_grid])


def on_background(task: Task) -> View:
    """Return the task on its first background other than 0, or as it is if it has none."""
    return next(background_views(plain(task)), plain(task))


def turned_views(view: View) -> Iterator[View]:
    """Yield the views that do not turn all examples alike, each once."""
    return _distinct_views(view, with_turns, len(TURNS), _SYMMETRIES)


def first_of(views: Iterator[View]) -> View:
    """Return the first view, or raise `NoView`."""
    for view in views:
        return view
    raise NoView("there is no view of this kind")


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
