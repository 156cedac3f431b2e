"""Enumeration: one view of a task in, stacks of pieces out, each a program.

The engine tries every move of its vocabulary on every value it has found, on all examples in lock
step, and puts outputs together from values that are never wrong where they paint. What it finds is
named by the moves that gave it; here those names become programs of the language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from typing import Any

from arcbatt.engine import _enumerate
from arcbatt.language import Program
from arcbatt.language.ir import Node, call_node, constant, primitive_node
from arcbatt.tasks import Grid

MODES = ("shown", "holes", "whole")
# More moves than this no memory could hold.
MAX_DEPTH = _enumerate.MAX_DEPTH
_SHOWN, _HOLES, _WHOLE = range(3)
_INPUT, _BLANK, _BLANK_OUTPUT, _FIRST_OUTPUT = range(4)


@dataclass(frozen=True, slots=True)
class Move:
    """A move of the vocabulary: a primitive on pictures with its further arguments."""

    shape: str  # "picture", "cut", "pick" or "sift"
    primitive: str
    args: tuple[int, ...]
    takes: str  # "input size", "output size" or nothing

    def __str__(self) -> str:
        given = [self.takes] if self.takes else []
        return f"{self.primitive}({', '.join([*given, *map(str, self.args)])})"


@cache
def vocabulary() -> tuple[Move, ...]:
    """All moves, in the order in which they are tried."""
    return tuple(Move(*row) for row in _enumerate.moves())


@dataclass(frozen=True)
class Source:
    """A value to start from beside the input: its grid in each example, and how to compute it.

    `depth` is the number of moves that it counts.
    """

    node: Node
    grids: Sequence[Grid]
    depth: int = 1

    def __post_init__(self) -> None:
        _check_range("depth of a source", self.depth, 0, MAX_DEPTH)


@dataclass(frozen=True)
class View:
    """A task as it is searched: grids, and the nodes that compute them from `S` and `I`.

    `restore` makes an output of the task from the node of one of the view. `bits` is the choice
    that went into it: one of 2^bits that could have been taken.
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
        """The name without the codes in it: what is found in views of one kind is kin."""
        return re.sub(r" \d+", "", self.name)


@dataclass(frozen=True)
class EnumerateOptions:
    """How far a search goes, and what of it is switched off.

    `off` has names of primitives whose moves are not tried. `max_bytes` bounds the memory of one
    search; `max_applications` the moves tried, so that a search ends at the same place always.
    `by_open`: the last move is taken first from values that show cells which the best stack of one
    move less leaves open, not from those that show most of the outputs.
    """

    depth: int = 2
    size_depth: int = 2
    size_guess: int = 0
    output_sources: bool = True
    by_open: bool = False
    off: frozenset[str] = frozenset()
    max_pieces: int = 10
    subsets: bool = True
    modes: int = 7
    max_applications: int = 20_000_000
    max_bytes: int = 2**30
    max_s: float = 60.0
    max_stacks: int = 100

    def __post_init__(self) -> None:
        """Raise a `ValueError` for what no search could do."""
        _check_range("depth", self.depth, 0, MAX_DEPTH)
        _check_range("size_depth", self.size_depth, 0, MAX_DEPTH)
        _check_range("size_guess", self.size_guess, 0, 100)
        _check_range("max_pieces", self.max_pieces, 1, 100)
        _check_range("modes", self.modes, 1, 2 ** len(MODES) - 1)
        _check_range("max_applications", self.max_applications, 0, 2**63)
        _check_range("max_bytes", self.max_bytes, 0, 2**63)
        _check_range("max_stacks", self.max_stacks, 0, 2**31 - 1)
        if not self.max_s >= 0:
            raise ValueError(f"max_s is {self.max_s}, which is no time")
        unknown = sorted(self.off - {move.primitive for move in vocabulary()})
        if unknown:
            raise ValueError(f"off: no move uses {', '.join(unknown)}")

    @cached_property
    def native(self) -> _enumerate.SearchOptions:
        """The same for the engine, by the same names; moves that are off are not enabled."""
        options = _enumerate.SearchOptions()
        for each in fields(self):
            if each.name != "off":
                setattr(options, each.name, getattr(self, each.name))
        options.enabled = [move.primitive not in self.off for move in vocabulary()]
        return options


@dataclass(frozen=True, slots=True)
class Pick:
    """A piece of a stack: the way to its value, what is done to it at the end, what it paints.

    Bit d of `demos`: it adds cells to demo d; `n_cells` are those of all demos.
    """

    path: tuple[int, ...]
    tint: int
    to_origin: bool
    pasted: bool
    mode: int
    demos: int
    n_cells: int


def is_given(pick: Pick, n_demos: int) -> bool:
    """Whether a piece comes from a source that its view was given."""
    return pick.path[0] >= _FIRST_OUTPUT + n_demos


@dataclass(frozen=True)
class Stack:
    """Pieces one under the other, the uppermost first.

    Bit d of `demos`: demo d comes out right; of `asked`: it was made for demo d. What is right and
    was not asked for was found unseen.
    """

    picks: tuple[Pick, ...]
    demos: int
    asked: int
    depth: int
    outputs: tuple[Grid | None, ...]

    @property
    def n_right(self) -> int:
        return self.demos.bit_count()

    @property
    def n_unseen(self) -> int:
        """The demos that come out right though it was not made for them."""
        return (self.demos & ~self.asked).bit_count()


@dataclass(frozen=True)
class Enumerated:
    """What a search of a view has found."""

    view: View
    size: Any
    stacks: list[Stack]
    counts: dict[str, Any] = field(repr=False)

    def program(self, stack: Stack, name: str) -> Program:
        """The program that gives what a stack gives.

        Where a stack leaves cells unpainted, in a test or in a demo that it does not get right, the
        program gives those of the lowest piece, whatever that paints.
        """
        return _Writer(self.view, self.size).program(stack, name)

    def size_program(self) -> Program:
        """The program that gives the size of the view's output by the formula that was found.

        In a demo that the formula does not fit, pieces are drawn in the output's own size: there
        a program may give another output than its stack.
        """
        if self.size is None:
            raise ValueError("no formula for the size was found")
        return Program(_Writer(self.view, self.size).output_size, "size")


class Walk:
    """A search of one view that goes on, with more moves or time, where its bounds ended it.

    What it finds is what a new search with the same options finds; it pays only for the moves that
    the searches before it have not applied, and keeps the memory that they took.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self._native = _enumerate.Walk(
            [_pack(before) for before, _ in view.demos] + [_pack(grid) for grid in view.tests],
            [_pack(after) for _, after in view.demos],
            [([_pack(grid) for grid in each.grids], each.depth) for each in view.sources],
        )

    @property
    def can_resume(self) -> bool:
        """Whether going on may find more: bounds on moves or time ended it."""
        return self._native.can_resume

    @property
    def n_bytes(self) -> int:
        """What it keeps."""
        return self._native.n_bytes

    def is_of(self, view: View) -> bool:
        """Whether it searches the grids of a view."""
        return bool(_grids_of(self.view) == _grids_of(view))

    def search(
        self, options: EnumerateOptions, stop: _enumerate.StopFlag | None = None
    ) -> Enumerated:
        """Search in this thread; other threads go on meanwhile.

        It goes on where options allow more moves or time than before and are the same otherwise,
        and begins anew where they are not.
        """
        size, stacks, counts = self._native.search(options.native, stop or _enumerate.StopFlag())
        found = [
            Stack(
                tuple(Pick(tuple(path), *rest) for path, *rest in picks),
                demos,
                asked,
                depth,
                tuple(None if grid is None else _unpack(grid) for grid in outputs),
            )
            for picks, demos, asked, depth, outputs in stacks
        ]
        return Enumerated(self.view, size, found, counts)


def enumerate_view(
    view: View, options: EnumerateOptions, stop: _enumerate.StopFlag | None = None
) -> Enumerated:
    """Search one view of a task, in this thread; other threads go on meanwhile."""
    return Walk(view).search(options, stop)


def _grids_of(view: View) -> Any:
    return view.demos, view.tests, [(source.grids, source.depth) for source in view.sources]


def _check_range(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise ValueError(f"{name} is {value}; it must be {least} to {most}")


def _pack(grid: Grid) -> tuple[int, int, bytes]:
    return len(grid), len(grid[0]), b"".join(map(bytes, grid))


def _unpack(packed: tuple[int, int, bytes]) -> Grid:
    n_rows, width, cells = packed
    return tuple(tuple(cells[width * i : width * (i + 1)]) for i in range(n_rows))


class _Writer:
    """Writes what was found in a view as programs."""

    def __init__(self, view: View, size: Any) -> None:
        self._view = view
        self._size = size

    def program(self, stack: Stack, name: str) -> Program:
        result: Node | None = None
        for pick in reversed(stack.picks):
            piece = self._piece(pick)
            if result is None or pick.mode == _WHOLE:
                result = piece
            else:
                layer = "over" if pick.mode == _SHOWN else "holes_over"
                result = call_node(layer, piece, result)
        assert result is not None
        return Program(self._view.restore(call_node("last", result)), name)

    def _piece(self, pick: Pick) -> Node:
        node = self._value(pick.path)
        if pick.to_origin:
            node = call_node("to_origin", node)
        if pick.tint:
            node = call_node("tint", node, constant(pick.tint))
        if pick.pasted:
            node = call_node("paste_on", node, self.output_size)
        return node

    def _value(self, path: tuple[int, ...]) -> Node:
        node = self._source(path[0])
        is_list = False
        for number in path[1:]:
            move = vocabulary()[number]
            args = [constant(arg) for arg in move.args]
            if is_list and move.shape == "picture":
                function = primitive_node(move.primitive)
                for arg in reversed(args):
                    function = call_node("rbind", function, arg)
                node = call_node("apply", function, node)
            else:
                if move.takes:
                    is_input = move.takes == "input size"
                    args.insert(0, self._input_size if is_input else self.output_size)
                node = call_node(move.primitive, node, *args)
                is_list = move.shape in ("cut", "sift")
        return node

    def _source(self, number: int) -> Node:
        view = self._view
        n_outputs = len(view.demos)
        if number == _INPUT:
            grid = view.input_node
        elif number in (_BLANK, _BLANK_OUTPUT):
            size = self._input_size if number == _BLANK else self.output_size
            grid = call_node("canvas", constant(0), size)
        elif number < _FIRST_OUTPUT + n_outputs:
            index = constant(number - _FIRST_OUTPUT)
            grid = call_node("other_output", view.demos_node, index, view.input_node)
        else:
            grid = view.sources[number - _FIRST_OUTPUT - n_outputs].node
        return call_node("astuple", constant((0, 0)), grid)

    @property
    def _input_size(self) -> Node:
        return call_node("shape", self._view.input_node)

    @cached_property
    def output_size(self) -> Node:
        _, rows, columns = self._size
        if (rows, columns) == (([_INPUT], [], 1, 0, False), ([_INPUT], [], 1, 0, True)):
            return self._input_size
        sides = [self._side(*rows), self._side(*columns)]
        if all(side.kind == "constant" for side in sides):
            return constant((sides[0].value, sides[1].value))
        return call_node("astuple", *sides)

    def _side(self, of: list[int], plus: list[int], times: int, more: int, of_width: bool) -> Node:
        def side_of(path: list[int]) -> Node:
            grid = call_node("last", self._value(tuple(path)))
            return call_node("width" if of_width else "height", grid)

        node: Node | None = None
        if of:
            node = side_of(of)
            if times != 1:
                node = call_node("multiply", node, constant(times))
        if plus:
            added = side_of(plus)
            node = added if node is None else call_node("add", node, added)
        if node is None:
            return constant(more)
        return call_node("add", node, constant(more)) if more else node
