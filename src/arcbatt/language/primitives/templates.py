"""Templates: parts of a grid that are found complete elsewhere in it.

A template is an object of several colours. Where some of it is found again, turned, mirrored or
larger, the rest is added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..budget import charge
from ..domains import Grid, Number
from ..failure import empty
from ..registry import primitive, worded
from ..values import Pair, Value
from .observations import TOGETHER_4, TOGETHER_8, Part, check_colors, commonest, cut_all, size_of

MAX_PARTS, MAX_CELLS, MAX_FOUND = 32, 100, 512
SCALES = (1, 2, 3, 4)
BY_COLORS, BY_ANCHORS, BY_SHAPE = range(3)
MATCHES_IN_WORDS = (
    "all cells of one of its colours are there",
    "all but its commonest colour is there, and some of that in any colour",
    "an object of its shape and of one colour is there",
)

# A template's cell: its colour, row and column within it.
Cell: TypeAlias = tuple[int, int, int]


def _turned(part: Part, turn: int) -> list[Cell]:
    """Its cells in reading order, each where a mirror or turn takes it."""
    cells = []
    for i, j in sorted(part.shape):
        color = part.grid[part.top + i][part.left + j]
        k = part.height - 1 - i if turn & 1 else i
        m = part.width - 1 - j if turn & 2 else j
        cells.append((color, m, k) if turn & 4 else (color, k, m))
    return cells


@dataclass(frozen=True)
class _Found:
    """A template found in part: where its blocks lie, those of them that are there, and whose."""

    template: int
    blocks: list[tuple[int, list[Pair]]]  # their colours and places
    n_there: int
    parts: frozenset[int]


@dataclass(frozen=True)
class _Search:
    """A grid, its parts, and how templates are matched."""

    grid: Grid
    parts: list[Part]
    owners: dict[Pair, int]
    match: int

    def _colors_there(self, places: Sequence[Pair]) -> set[int]:
        """What is at some places; 0 where that is outside."""
        n_rows, width = size_of(self.grid)
        inside = [0 <= i < n_rows and 0 <= j < width for i, j in places]
        return {
            self.grid[i][j] if is_in else 0 for (i, j), is_in in zip(places, inside, strict=True)
        }

    def at(
        self, template: int, target: int, cells: list[Cell], scale: int, at: Pair
    ) -> _Found | None:
        """A template found at a place; None where it does not match."""
        own = self.parts[template]
        body = commonest(own.grid[i][j] for i, j in own.places)
        body_color = 0 if self.match == BY_ANCHORS else body
        blocks, there = [], []
        for color, i, j in cells:
            places = [
                (at[0] + scale * i + di, at[1] + scale * j + dj)
                for di in range(scale)
                for dj in range(scale)
            ]
            blocks.append((color, places))
            colors = self._colors_there(places)
            if colors == {0}:
                continue
            shown = colors.pop()
            if colors:
                return None
            owners = {self.owners[place] for place in places}
            if self.match == BY_SHAPE:
                right = owners == {target}
            elif self.match == BY_ANCHORS and color == body:
                body_color = body_color or shown
                right = shown == body_color and (shown == body or shown not in own.colors)
            else:
                right = shown == color
            if not right:
                return None
            there.append((color, places))
        touched = frozenset(self.owners[place] for _, places in there for place in places)
        n_cells = sum(self.parts[part].size for part in touched)
        if template in touched or n_cells != len(there) * scale**2:
            return None
        n_of = Counter(color for color, _ in there)
        is_whole = {color: n_of[color] == n for color, n in own.counts.items()}
        if self.match == BY_SHAPE:
            fits = len(there) == own.size and len(self.parts[target].colors) == 1
        elif self.match == BY_COLORS:
            fits = 0 < len(there) < own.size and any(is_whole.values())
        else:
            is_whole.pop(body)
            fits = 0 < n_of[body] < own.counts[body] and all(is_whole.values())
            blocks = [(body_color if color == body else color, places) for color, places in blocks]
        return _Found(template, blocks, len(there), touched) if fits else None

    def all_found(self, n_turns: int) -> Iterator[_Found]:
        """Templates, the largest first, in all turns and scales, where any part may begin."""
        for template, own in sorted(enumerate(self.parts), key=lambda each: -each[1].size):
            if len(own.colors) < 2 or own.size > MAX_CELLS:
                continue
            charge(n_turns * len(SCALES) * len(self.parts) * own.size)
            for turn in range(n_turns):
                cells = _turned(own, turn)
                for scale in SCALES:
                    for target, part in enumerate(self.parts):
                        if target == template or part.size % scale**2:
                            continue
                        first = min(part.places)
                        for _, i, j in cells:
                            place = (first[0] - scale * i, first[1] - scale * j)
                            found = self.at(template, target, cells, scale, place)
                            if found:
                                yield found


@primitive(
    "Grid, Code[0..2], Code[0..1], Code[0..1] -> Grid",
    ties="of templates found with equally many cells the first: by size, by turn, by scale, by "
    "where they are",
    examples=(
        "complete_templates(((1, 2, 3, 0, 0, 2, 0),), 0, 0, 0) == ((1, 2, 3, 0, 1, 2, 3),)",
        "complete_templates(((1, 2, 3, 0, 8, 8, 8),), 2, 0, 1) == ((0, 0, 0, 0, 1, 2, 3),)",
    ),
)
def complete_templates(grid: Grid, match: Number, turns: Number, removes: Number) -> Value:
    """A grid in which parts of templates are completed.

    A template is an object of two or more colours but 0, connected with its corners too (with
    `match` 2 without them), of at most 100 cells; a grid may have 32 objects. It is sought as it
    is and with each cell as a square of 2, 3 and 4, with `turns` 1 also mirrored and turned, at
    all places where another object's first cell, row by row, is one of its own. All that is not
    0 there must be right, in whole objects, and not the template itself: with `match` 0 cells of
    its colours, all those of one colour among them, but not the whole; with 1 the same, but its
    commonest colour, the lowest of several, is another one, the same everywhere, none of its own;
    of that there must be some but not all, and all others. With 2 it is one object of its shape
    and of one colour, which is painted over. What is missing is added, but not outside the grid.

    Those that have most cells are taken first, and none that shares an object with one that was
    taken. With `removes` 1 the templates which were found are taken away. Fails where none is
    found, or more than 512 are.
    """
    check_colors("complete_templates", (), grid)
    (parts,) = cut_all([grid], TOGETHER_4 if match == BY_SHAPE else TOGETHER_8)
    if len(parts) > MAX_PARTS:
        raise empty("complete_templates: too many objects")
    owners = {place: number for number, part in enumerate(parts) for place in part.places}
    found: list[_Found] = []
    for each in _Search(grid, parts, owners, match).all_found(8 if turns else 1):
        found.append(each)
        if len(found) > MAX_FOUND:
            raise empty("complete_templates: too many templates are found")
    if not found:
        raise empty("complete_templates: no template is found")
    rows = [list(row) for row in grid]
    n_rows, width = size_of(grid)
    taken: set[int] = set()
    templates: set[int] = set()
    for each in sorted(found, key=lambda each: -each.n_there):
        if taken & {*each.parts, each.template}:
            continue
        taken |= each.parts
        templates.add(each.template)
        for color, places in each.blocks:
            for i, j in places:
                if 0 <= i < n_rows and 0 <= j < width:
                    rows[i][j] = color
    for template in templates if removes else ():
        for i, j in parts[template].places:
            rows[i][j] = 0
    return tuple(map(tuple, rows))


@worded("complete_templates")
def _(given: Value, grid: Grid, match: int, turns: int, removes: int) -> list[str]:
    how = "also mirrored and turned" if turns else "as it is"
    return [
        f"an object of several colours is completed, {how}, or larger, where "
        f"{MATCHES_IN_WORDS[match]}{', and is taken away itself' * removes}"
    ]
