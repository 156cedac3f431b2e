"""Rules that rewrite cells until nothing changes; `learn_rewrites` learns them from demos.

A rule says which color a cell of some color becomes if up to three places near it look in a
certain way. All cells change together, round after round, and each at most once, so that rays,
floods, bounces and growth are rules of one or two places.

Rules are numbers: the mirrors and turns of the rules that also hold (0 none, 1 left to right, 2
also top to bottom and both, 3 all eight), then 8 numbers per rule: the color of the cell, its new
color, and three times a place and its look, or -1 twice. Places 0 to 7 are around the cell, row by
row, 8 to 15 in the same directions two steps away. A look is a color, or 10 for outside the grid,
11 for a color that is the same at all such places and is the new color if that is also 11, or 12
for any color. 11 and 12 never stand for the cell's own color.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..budget import charge
from ..failure import out_of_range, wrong_type
from ..registry import primitive
from ..values import Grid, Pair, Value, is_number
from ..wording import COLOR_NAMES, PLACE_NAMES, join_words, name_cell
from .color_grids import AROUND, OUTSIDE, all_places, at, check_colors

SAME, ANY = 11, 12  # looks besides colors and OUTSIDE
RULE_SIZE = 8

NEAR = (*AROUND, *((2 * i, 2 * j) for i, j in AROUND))
_TURNED: tuple[Callable[[int, int], Pair], ...] = (
    lambda i, j: (i, j),
    lambda i, j: (i, -j),
    lambda i, j: (-i, j),
    lambda i, j: (-i, -j),
    lambda i, j: (j, i),
    lambda i, j: (-j, i),
    lambda i, j: (-j, -i),
    lambda i, j: (j, -i),
)
# For each mirror or turn, the places that come to stand where 0 to 15 are.
TURNS = tuple(tuple(NEAR.index(turned(*place)) for place in NEAR) for turned in _TURNED)
N_TURNS = (1, 2, 4, 8)  # of each group of mirrors and turns

Rule: TypeAlias = tuple[int, ...]
State: TypeAlias = list[list[int]]


def _see(grid: Grid | State, i: int, j: int) -> list[int]:
    return [at(grid, i + di, j + dj) for di, dj in NEAR]  # type: ignore[arg-type]


def _new_color(rules: Sequence[Rule], turns: int, own: int, seen: Sequence[int]) -> int | None:
    """Return the color by the first rule, and the first turn of it, that holds."""
    for cell, becomes, *wanted in rules:
        if cell != own:
            continue
        for turn in TURNS[: N_TURNS[turns]]:
            some: int | None = None
            for place, look in zip(wanted[::2], wanted[1::2], strict=True):
                if place < 0:
                    continue
                there = seen[turn[place]]
                if look >= SAME:
                    holds = there not in (own, OUTSIDE)
                    if look == SAME:
                        holds = holds and some in (None, there)
                        some = there
                else:
                    holds = there == look
                if not holds:
                    break
            else:
                color = some if becomes == SAME else becomes
                if color is not None and color != own:
                    return color
    return None


def _find_changes(
    state: State, changed: set[Pair], pending: set[Pair], rules: Sequence[Rule], turns: int
) -> list[tuple[Pair, int]]:
    """Return the new colors of pending cells that have not changed yet, in reading order."""
    changes = []
    for i, j in sorted(pending - changed):
        color = _new_color(rules, turns, state[i][j], _see(state, i, j))
        if color is not None:
            changes.append(((i, j), color))
    return changes


def _apply_changes(state: State, changed: set[Pair], changes: list[tuple[Pair, int]]) -> set[Pair]:
    """Change cells; return the places that see something new."""
    for (i, j), color in changes:
        state[i][j] = color
        changed.add((i, j))
    places = {(i + di, j + dj) for (i, j), _ in changes for di, dj in NEAR}
    return {(i, j) for i, j in places if 0 <= i < len(state) and 0 <= j < len(state[0])}


@primitive(
    "Tuple[Integer], Grid -> Grid",
    ties="by the first rule that holds for a cell, of its mirrors and turns the first",
    examples=(
        "rewrite((0, 0, 11, 3, 11, -1, -1, -1, -1), ((0, 2, 0, 0),)) == ((0, 2, 2, 2),)",
        "rewrite((1, 0, 5, 3, 12, 4, 0, -1, -1), ((0, 2, 0, 0),)) == ((0, 2, 5, 0),)",
    ),
    is_host=True,
)
def rewrite(rules: tuple[Value, ...], grid: Grid) -> Value:
    """Rewrite the cells of a grid by rules, all at once, until nothing changes.

    A cell changes at most once. Rules are numbers as `learn_rewrites` returns them: 0 to 3 for the
    mirrors and turns, then 8 per rule: a color, the new color (or 11), and three times a place (0
    to 15, or -1 for none) and its look (a color, or 10 to 12).
    """
    if not all(map(is_number, rules)):
        raise wrong_type("rewrite: rules are not numbers")
    check_colors("rewrite", (), grid)
    numbers: list[int] = list(rules)  # type: ignore[arg-type]
    if len(numbers) % RULE_SIZE != 1 or not 0 <= numbers[0] < len(N_TURNS):
        raise out_of_range("rewrite: not the numbers of rules")
    starts = range(1, len(numbers), RULE_SIZE)
    parsed = [tuple(numbers[k : k + RULE_SIZE]) for k in starts]
    for own, becomes, *wanted in parsed:
        is_rule = 0 <= own <= 9 and (0 <= becomes <= 9 or becomes == SAME)
        for place, look in zip(wanted[::2], wanted[1::2], strict=True):
            is_rule = is_rule and -1 <= place < len(NEAR) and -1 <= look <= ANY
        if not is_rule:
            raise out_of_range("rewrite: numbers that are not a rule")
    charge(len(parsed) * len(grid) * len(grid[0]))
    state = [list(row) for row in grid]
    changed: set[Pair] = set()
    pending = set(all_places(grid))
    while changes := _find_changes(state, changed, pending, parsed, numbers[0]):
        pending = _apply_changes(state, changed, changes)
    return tuple(map(tuple, state))


# --- in words ---

GROUPS_IN_WORDS = (
    "",
    "also mirrored left to right",
    "also mirrored left to right, top to bottom and both",
    "also mirrored and turned in all ways",
)


def _name_look(look: int) -> str:
    others = {
        OUTSIDE: "the edge",
        SAME: "one and the same color",
        ANY: "a color other than its own",
    }
    return others[look] if look in others else COLOR_NAMES[look]


def describe_rules(rules: Sequence[int]) -> list[str]:
    """Return rules in words, a line each, and a last one for their mirrors and turns."""
    lines = []
    for k in range(1, len(rules), RULE_SIZE):
        own, becomes, *wanted = rules[k : k + RULE_SIZE]
        places: dict[int, list[str]] = {}
        for place, look in zip(wanted[::2], wanted[1::2], strict=True):
            if place < 0:
                continue
            distance = "two steps " if place >= 8 else ""
            places.setdefault(look, []).append(distance + PLACE_NAMES[place % 8])
        result = COLOR_NAMES[becomes] if becomes != SAME else ""
        if becomes == SAME:
            result = f"the color that is {join_words(places.pop(SAME, ['near it']))}"
        looks = [f"{_name_look(look)} is {join_words(at)}" for look, at in places.items()]
        where = f" where {' and '.join(looks)}" if looks else ""
        lines.append(f"{name_cell(own)} becomes {result}{where}")
    return [*lines, *filter(None, [GROUPS_IN_WORDS[rules[0]]])]
