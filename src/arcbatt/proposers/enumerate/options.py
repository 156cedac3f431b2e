"""The options of one enumeration, and the switches that turn parts of it off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property

from arcbatt.engine import _enumerate

from ..options import whole_number
from .moves import vocabulary

# How a piece paints: its cells that are not 0, those that are, or all.
MODES = ("shown", "holes", "whole")
SWITCHES: Mapping[str, str] = {
    "known-values": "values of known programs as sources",
    "outputs": "outputs of other demos as sources",
    "sizes": "formulas for the output's size beyond the input's size and a constant",
    "stacking": "more than one piece in an output",
    "subsets": "stacks that are built for some of the demos",
    "paint-shown": "pieces that paint their cells that are not 0",
    "paint-holes": "pieces that paint their cells that are 0",
    "paint-whole": "pieces that paint all of their cells",
    "deepening": "passes beyond the named ones while there is time",
}


@dataclass(frozen=True)
class EnumerateOptions:
    """The bounds of a search, and the parts of it that are on.

    `off` names primitives whose moves are not tried. `max_bytes` bounds the memory of one search.
    `max_applications` bounds the moves tried, so that a search ends at the same point on every
    machine. With `open_cells_first` the last move is tried first on values that show cells which
    the best stack so far leaves open, instead of on values that show most of the outputs. With
    `grow_trees` outputs are not stacks of values, but trees over them.
    """

    depth: int = 2
    size_depth: int = 2
    output_sources: bool = True
    open_cells_first: bool = False
    grow_trees: bool = False
    off: frozenset[str] = frozenset()
    max_pieces: int = 10
    subsets: bool = True
    modes: int = 7
    max_applications: int = 20_000_000
    max_bytes: int = 2**30
    max_s: float = 60.0
    max_stacks: int = 100

    def __post_init__(self) -> None:
        """Raise `ValueError` for a value out of range."""
        for name, (least, most) in _RANGES.items():
            whole_number(name, getattr(self, name), least, most)
        if not self.max_s >= 0:
            raise ValueError(f"max_s is {self.max_s}; it must be 0 or more")
        unknown = sorted(self.off - {move.primitive for move in vocabulary()})
        if unknown:
            raise ValueError(f"off: no move uses {', '.join(unknown)}")

    def without(self, off: frozenset[str]) -> EnumerateOptions:
        """Return these options with switches off; switches of other proposers are ignored."""
        return replace(
            self,
            off=self.off | (off & {move.primitive for move in vocabulary()}),
            output_sources=self.output_sources and "outputs" not in off,
            size_depth=0 if "sizes" in off else self.size_depth,
            max_pieces=1 if "stacking" in off else self.max_pieces,
            subsets=self.subsets and "subsets" not in off,
            modes=self.modes & sum(1 << k for k, m in enumerate(MODES) if f"paint-{m}" not in off),
        )

    @cached_property
    def native(self) -> _enumerate.SearchOptions:
        """The options as the engine takes them, under the same names."""
        options = _enumerate.SearchOptions()
        for field in fields(self):
            if field.name != "off":
                setattr(options, field.name, getattr(self, field.name))
        options.enabled = [move.primitive not in self.off for move in vocabulary()]
        return options


_RANGES = {
    "depth": (0, _enumerate.MAX_DEPTH),
    "size_depth": (0, _enumerate.MAX_DEPTH),
    "max_pieces": (1, 100),
    "modes": (1, 2 ** len(MODES) - 1),
    "max_applications": (0, 2**63),
    "max_bytes": (0, 2**63),
    "max_stacks": (0, 2**31 - 1),
}
