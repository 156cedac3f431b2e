"""The table that explains why grids became attempts or lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap

# Of the table as text, and the least for its reasons.
WIDTH = 80
LEAST_WORDS = 20


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
        """Yield the table as aligned text of `WIDTH` columns; reasons are broken into lines."""
        yield self.title
        # "lost, place 3" takes two lines, so that columns are narrow.
        upper, lower = zip(
            *(heading.rpartition(", ")[::2] for heading in self.headings), strict=True
        )
        table = [("", *(f"{each}," if each else "" for each in upper))] * any(upper)
        table += [("", *lower), *self.rows]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)][1:]
        longest = max(len(words) for words, *_ in self.rows)
        n_words = min(longest, max(LEAST_WORDS, WIDTH - 2 - sum(width + 2 for width in widths)))
        for words, *cells in table:
            *first, last = wrap(words, n_words) or [""]
            yield from (f"  {line}" for line in first)
            aligned = (f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
            yield f"  {last:<{n_words}}  {'  '.join(aligned)}".rstrip()
        for note in self.notes:
            yield from wrap(note, WIDTH, initial_indent="  ", subsequent_indent="    ")
