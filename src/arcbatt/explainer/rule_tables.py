"""What a program has learnt, line by line, in; the table that was learnt out, row by row.

Lines are those that primitives tell of what they learnt ("one at the edge stays", "a black cell
becomes red where ..."). A line that is no row of a table stands as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arcbatt.language.primitives.cell_columns import COLOR_NAMES

_ROW = re.compile(
    r"(?P<what>\S.*?),? (?P<verb>becomes|stays|vanishes)(?: (?P<result>.+?))?"
    r"(?: where (?P<where>.+))?"
)
_KEY = re.compile(r"(?P<what>\S[^:]*): (?P<result>[^:]+)")


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A row of a table: what it is about, what becomes of it, and where.

    `color` is the number of the colour that it becomes, None where that is no single colour. A
    line that is no row is `what` alone.
    """

    what: str
    result: str = ""
    where: str = ""
    color: int | None = None


@dataclass(frozen=True, slots=True)
class RuleTable:
    """Rows under what says by what they are told apart."""

    caption: str
    rows: Sequence[RuleRow]

    @property
    def is_table(self) -> bool:
        """Whether there is more to see than lines."""
        return any(row.result for row in self.rows)


def to_tables(lines: Iterable[str]) -> list[RuleTable]:
    """Return the tables that lines tell; a line that ends in a colon begins another."""
    tables: list[tuple[str, list[RuleRow]]] = []
    is_tree = False
    for line in lines:
        if line.endswith(":") and not line.startswith((" ", "if ", "otherwise")):
            tables.append((line, []))
            is_tree = False
            continue
        if not tables:
            tables.append(("", []))
        # Branches of a tree hang on those above them, and are no rows.
        is_tree = is_tree or line.startswith(("if ", "otherwise"))
        tables[-1][1].append(RuleRow(line) if is_tree else _to_row(line))
    return [RuleTable(caption, rows) for caption, rows in tables]


def _to_row(line: str) -> RuleRow:
    found = _ROW.fullmatch(line) or _KEY.fullmatch(line)
    if found is None:
        return RuleRow(line)
    parts = found.groupdict()
    result = parts["result"] or parts["verb"]
    color = COLOR_NAMES.index(result) if result in COLOR_NAMES else None
    return RuleRow(parts["what"], result, parts.get("where") or "", color)
