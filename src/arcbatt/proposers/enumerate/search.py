"""Search one view of a task for stacks of pieces.

The engine tries every move of its vocabulary on every value that it has, on all examples in lock
step, and assembles outputs from values that are never wrong where they paint.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from arcbatt.engine import _enumerate
from arcbatt.language import Program
from arcbatt.proposers.views import View
from arcbatt.tasks import Grid

from .options import EnumerateOptions
from .programs import StackWriter
from .stack import Layer, Stack
from .tree import DrawnValue, PieceTree


@dataclass(frozen=True)
class SearchResult:
    """The stacks that a search of a view has found, best first.

    `size` is the formula for the output's size, as the engine gives it; None if there is none.
    """

    view: View
    size: Any
    stacks: list[Stack]
    trees: list[PieceTree]
    counts: dict[str, Any] = field(repr=False)

    def program(self, stack: Stack, name: str) -> Program:
        """Return the program that computes a stack.

        Cells that the stack leaves unpainted, in a test or in a demo that it gets wrong, are those
        of its lowest piece.
        """
        return StackWriter(self.view, self.size).program(stack, name)

    def tree_program(self, tree: PieceTree, name: str) -> Program:
        """Return the program that computes a tree."""
        return StackWriter(self.view, self.size).tree_program(tree, name)

    def size_program(self) -> Program:
        """Return the program that computes the size of the view's output.

        In a demo that the formula does not fit, the search draws pieces in the output's own size:
        there a program may differ from its stack.
        """
        if self.size is None:
            raise ValueError("no formula for the size was found")
        return Program(StackWriter(self.view, self.size).output_size, "size")


class ResumableSearch:
    """A search of one view that resumes where its bounds on moves or time ended it.

    It finds what a new search with the same options finds, but applies only the moves that earlier
    calls have not applied. Between calls it keeps its values in memory.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self._native = _enumerate.Search(
            [_pack(grid) for grid in view.inputs],
            [_pack(after) for _, after in view.demos],
            [([_pack(grid) for grid in source.grids], source.depth) for source in view.sources],
        )

    @property
    def can_resume(self) -> bool:
        """Whether bounds on moves or time ended it, so that resuming may find more."""
        return self._native.can_resume

    @property
    def n_bytes(self) -> int:
        """The memory of the search in bytes."""
        return self._native.n_bytes

    def searches(self, view: View) -> bool:
        """Return whether this search is over the same grids as a view."""
        return bool(_grids_of(self.view) == _grids_of(view))

    def run(
        self, options: EnumerateOptions, stop: _enumerate.StopFlag | None = None
    ) -> SearchResult:
        """Search in this thread without holding the interpreter lock.

        It resumes if the options differ from the previous ones only by more moves or time, and
        starts over otherwise.
        """
        size, stacks, trees, values, counts = self._native.run(
            options.native, stop or _enumerate.StopFlag()
        )
        drawn = tuple(DrawnValue(tuple(path), *changes) for path, *changes in values)
        return SearchResult(
            self.view,
            size,
            [_stack(*stack) for stack in stacks],
            [PieceTree(nodes, drawn, *figures) for nodes, *figures in trees],
            counts,
        )


def search_view(
    view: View, options: EnumerateOptions, stop: _enumerate.StopFlag | None = None
) -> SearchResult:
    """Search one view of a task in this thread, without holding the interpreter lock."""
    return ResumableSearch(view).run(options, stop)


def _grids_of(view: View) -> Any:
    return view.demos, view.tests, [(source.grids, source.depth) for source in view.sources]


def _stack(layers: Any, demos: int, built_for: int, depth: int, outputs: Any) -> Stack:
    return Stack(
        tuple(Layer(tuple(path), *rest) for path, *rest in layers),
        demos,
        built_for,
        depth,
        tuple(None if grid is None else _unpack(*grid) for grid in outputs),
    )


def _pack(grid: Grid) -> tuple[int, int, bytes]:
    return len(grid), len(grid[0]), b"".join(map(bytes, grid))


def _unpack(n_rows: int, width: int, cells: bytes) -> Grid:
    return tuple(tuple(cells[width * i : width * (i + 1)]) for i in range(n_rows))
