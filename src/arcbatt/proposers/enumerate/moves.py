"""The vocabulary of enumeration: primitives on pictures, each with every choice of its codes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from arcbatt.engine import _enumerate


@dataclass(frozen=True, slots=True)
class Move:
    """A primitive on a picture or a list of pictures, with its further arguments."""

    shape: str  # "picture", "cut", "pick" or "sift"
    primitive: str
    args: tuple[int, ...]
    takes: str  # "input size", "output size" or ""

    def __str__(self) -> str:
        sizes = [self.takes] if self.takes else []
        return f"{self.primitive}({', '.join([*sizes, *map(str, self.args)])})"


@cache
def vocabulary() -> tuple[Move, ...]:
    """Return all moves in the order in which they are tried."""
    return tuple(Move(*row) for row in _enumerate.moves())
