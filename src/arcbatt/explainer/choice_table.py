"""The table that explains why grids became attempts or lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChoiceTable:
    """The reasons for and against the grids offered for a test input, in bits.

    There is a column per grid and a row per reason; the last row has the sums. `notes` has
    sentences about single grids.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """Yield the table as aligned text."""
        yield self.title
        table = (("", *self.headings), *self.rows)
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        for words, *cells in table:
            aligned = (f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True))
            yield f"  {words:<{widths[0]}}  {'  '.join(aligned)}".rstrip()
        yield from (f"  {note}" for note in self.notes)
