"""The native search, `native/enumerate/binding.cpp`."""

from collections.abc import Sequence
from typing import Any, Literal

_Grid = tuple[int, int, bytes]  # rows, width, cells
_Picture = tuple[int, int, int, int, bytes]  # row, column, rows, width, cells

MAX_DEPTH: int
MAX_BYTES: int
MAX_SIDE: int

class StopFlag:
    """Ends a search from another thread."""

    def __init__(self) -> None: ...
    def set(self) -> None: ...

class SearchOptions:
    """The bounds of a search; `EnumerateOptions` explains each field."""

    depth: int
    size_depth: int
    output_sources: bool
    open_cells_first: bool
    grow_trees: bool
    enabled: list[int]
    max_pieces: int
    subsets: bool
    modes: int
    max_applications: int
    max_bytes: int
    max_s: float
    max_stacks: int

    def __init__(self) -> None: ...

class Search:
    """A search of a task's grids that keeps its state, so that the next run can resume it."""

    def __init__(
        self,
        inputs: Sequence[_Grid],
        outputs: Sequence[_Grid],
        sources: Sequence[tuple[Sequence[_Grid], int]],
    ) -> None: ...
    def run(
        self, options: SearchOptions, stop: StopFlag
    ) -> tuple[Any, list[Any], list[Any], list[Any], dict[str, Any]]: ...
    @property
    def can_resume(self) -> bool: ...
    @property
    def n_bytes(self) -> int: ...

def moves() -> list[tuple[str, str, tuple[int, ...], str]]: ...
def apply(
    move: int, value: _Picture | list[_Picture], size: tuple[int, int]
) -> _Picture | list[_Picture] | None:
    """Return the result of a move on a picture or a list of pictures; None if it is refused."""

def predict(move: int, value: _Picture, size: tuple[int, int]) -> _Picture | Literal[False] | None:
    """Return the result of a move as features predict it; False if it has to be run."""
