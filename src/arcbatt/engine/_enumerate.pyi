"""The search in native code, `enumerate/binding.cpp`."""

from collections.abc import Sequence
from typing import Any

_Grid = tuple[int, int, bytes]  # rows, width, cells

class StopFlag:
    """Ends a search from another thread."""

    def __init__(self) -> None: ...
    def set(self) -> None: ...

def search(
    inputs: Sequence[_Grid],
    outputs: Sequence[_Grid],
    seeds: Sequence[tuple[Sequence[_Grid], int]],
    enabled: bytes,
    depth: int,
    size_depth: int,
    size_guess: int,
    output_seeds: bool,
    max_pieces: int,
    subsets: bool,
    modes: int,
    max_applications: int,
    max_bytes: int,
    max_s: float,
    max_stacks: int,
    stop: StopFlag,
) -> tuple[Any, list[Any], dict[str, Any]]: ...
def steps() -> list[tuple[str, str, tuple[int, ...], str]]: ...
