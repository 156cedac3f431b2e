"""Stacks of pieces, as a search finds them."""

from __future__ import annotations

from dataclasses import dataclass

from arcbatt.tasks import Grid

# The sources of a search by number; the outputs of the demos are followed by the view's sources.
INPUT, BLANK, BLANK_OUTPUT, FIRST_OUTPUT = range(4)


@dataclass(frozen=True, slots=True)
class Layer:
    """A piece of a stack: the path to its value, the final changes to it, and how it paints.

    The path is the number of a source, then those of moves. Bit d of `demos` is set if the layer
    adds cells to demo d; `n_cells` counts the cells that it adds to all demos.
    """

    path: tuple[int, ...]
    tint: int
    to_origin: bool
    pasted: bool
    mode: int
    demos: int
    n_cells: int

    def is_from_view_source(self, n_demos: int) -> bool:
        """Return whether the path starts at one of the view's own sources."""
        return self.path[0] >= FIRST_OUTPUT + n_demos


@dataclass(frozen=True)
class Stack:
    """Pieces on top of each other, the uppermost first.

    Bit d of `demos` is set if demo d comes out right, bit d of `built_for` if the stack was built
    to get demo d right.
    """

    layers: tuple[Layer, ...]
    demos: int
    built_for: int
    depth: int
    outputs: tuple[Grid | None, ...]

    @property
    def n_right(self) -> int:
        """The number of demos that come out right."""
        return self.demos.bit_count()

    @property
    def n_unseen(self) -> int:
        """The number of demos that come out right though the stack was not built for them."""
        return (self.demos & ~self.built_for).bit_count()
