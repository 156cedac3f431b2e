"""The search in native code, `enumerate/binding.cpp`."""

from collections.abc import Sequence
from typing import Any, Literal

_Grid = tuple[int, int, bytes]  # rows, width, cells
_Picture = tuple[int, int, int, int, bytes]  # row, column, rows, width, cells

MAX_DEPTH: int
MAX_SIDE: int

class StopFlag:
    """Ends a search from another thread."""

    def __init__(self) -> None: ...
    def set(self) -> None: ...

class SearchOptions:
    """How far a search goes; `EnumerateOptions` says what each field is."""

    depth: int
    size_depth: int
    size_guess: int
    output_sources: bool
    by_open: bool
    enabled: list[int]
    max_pieces: int
    subsets: bool
    modes: int
    max_applications: int
    max_bytes: int
    max_s: float
    max_stacks: int

    def __init__(self) -> None: ...

class Walk:
    """A task's grids, and what its last search has kept to go on from."""

    def __init__(
        self,
        inputs: Sequence[_Grid],
        outputs: Sequence[_Grid],
        sources: Sequence[tuple[Sequence[_Grid], int]],
    ) -> None: ...
    def search(
        self, options: SearchOptions, stop: StopFlag
    ) -> tuple[Any, list[Any], dict[str, Any]]: ...
    @property
    def can_resume(self) -> bool: ...
    @property
    def n_bytes(self) -> int: ...

def moves() -> list[tuple[str, str, tuple[int, ...], str]]: ...
def apply(
    move: int, value: _Picture | list[_Picture], size: tuple[int, int]
) -> _Picture | list[_Picture] | None:
    """Return what a move gives on one picture or list of them; None where it is refused."""

def tell(move: int, value: _Picture, size: tuple[int, int]) -> _Picture | Literal[False] | None:
    """Return what features of a picture tell of a move; False where it has to be run."""
