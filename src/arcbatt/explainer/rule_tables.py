"""Convert the wording of learned rules to tables.

Primitives describe their rules in lines such as "one at the edge stays" or "a black cell becomes
red where ...". A line that does not fit a table is kept as it is.
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
    """A row of a table: its subject, the result, and the condition.

    `color` is the resulting color, or None if there is no single one. A line that does not fit a
    table has only `what`.
    """

    what: str
    result: str = ""
    where: str = ""
    color: int | None = None


@dataclass(frozen=True, slots=True)
class RuleTable:
    """Rows under a caption that says what distinguishes them."""

    caption: str
    rows: Sequence[RuleRow]

    @property
    def is_table(self) -> bool:
        """Return whether any line has the form of a table row."""
        return any(row.result for row in self.rows)


def to_tables(lines: Iterable[str]) -> list[RuleTable]:
    """Return the tables that lines describe; a line that ends in a colon starts a new one."""
    tables: list[tuple[str, list[RuleRow]]] = []
    is_tree = False
    for line in lines:
        if line.endswith(":") and not line.startswith((" ", "if ", "otherwise")):
            tables.append((line, []))
            is_tree = False
            continue
        if not tables:
            tables.append(("", []))
        # Branches of a tree depend on those above them, so they are not rows.
        is_tree = is_tree or line.startswith(("if ", "otherwise"))
        tables[-1][1].append(RuleRow(line) if is_tree else _to_row(line))
    return [RuleTable(caption, rows) for caption, rows in tables]


def _to_row(line: str) -> RuleRow:
    match = _ROW.fullmatch(line) or _KEY.fullmatch(line)
    if match is None:
        return RuleRow(line)
    parts = match.groupdict()
    result = parts["result"] or parts["verb"]
    color = COLOR_NAMES.index(result) if result in COLOR_NAMES else None
    return RuleRow(parts["what"], result, parts.get("where") or "", color)
