"""Differences between an expected grid and a program's value."""

from __future__ import annotations

from arcbatt.language import Value
from arcbatt.tasks import Grid

from .describe import describe


def differing_cells(wanted: Grid, got: Value) -> frozenset[tuple[int, int]] | None:
    """Return the indices of cells that differ, or None if `got` does not have the same shape."""
    if not isinstance(got, tuple) or len(got) != len(wanted):
        return None
    differing = set()
    for row, (cells, wanted_cells) in enumerate(zip(got, wanted, strict=True)):
        if not isinstance(cells, tuple) or len(cells) != len(wanted_cells):
            return None
        for column, (cell, wanted_cell) in enumerate(zip(cells, wanted_cells, strict=True)):
            if cell != wanted_cell:
                differing.add((row, column))
    return frozenset(differing)


def describe_difference(wanted: Grid, got: Value) -> str:
    """Return in a few words how `got` differs from `wanted`."""
    differing = differing_cells(wanted, got)
    if differing is None:
        return f"gives {describe(got).caption}, wanted {describe(wanted).caption}"
    return "1 cell differs" if len(differing) == 1 else f"{len(differing)} cells differ"
