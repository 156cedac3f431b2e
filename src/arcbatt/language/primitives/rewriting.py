"""Rewriting until nothing changes: rules about a cell and what is near it, learnt from demos.

A rule says what a cell of some colour becomes where up to three of the places near it look in
some way. All cells are looked at together, round after round, and each changes at most once; so
rays, floods, bounces and growth are rules of one or two places.

Rules are numbers: which mirrors and turns of them hold as well (0 none, 1 left to right, 2 also
top to bottom and both, 3 all eight), then 8 for each rule: the colour of the cell, what it
becomes, and three times a place and what is there, or -1 twice. Places 0 to 7 are those around
the cell, row by row, 8 to 15 those in the same directions two steps away. What is there: a
colour; 10 the outside; 11 some colour, the same wherever a rule says so, which the cell becomes
if the rule says 11 for that too; 12 any colour. 11 and 12 are never the cell's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations
from operator import or_
from typing import TypeAlias

from ..budget import charge
from ..domains import AnyTuple, Demos, Grid, Number
from ..failure import empty, out_of_range, wrong_type
from ..registry import primitive, worded
from ..values import Pair, Value, is_number
from .cell_columns import COLOR_NAMES
from .observations import AROUND, OUTSIDE, Pairs, all_places, at, check_colors, size_of

SAME, ANY = 11, 12  # what rules say beside colours and OUTSIDE
NUMBERS_A_RULE = 8
MAX_PLACES, MAX_RULES = 3, 6
# How many kinds of cells are told apart, how many of them a rule is sought for, and how often
# learning begins anew with what it did wrong.
MAX_KINDS, MAX_SOUGHT, MAX_ATTEMPTS = 2048, 8, 4

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
# For each mirror or turn the places that come to stand where 0 to 15 are; how many each group has.
TURNS = tuple(tuple(NEAR.index(turned(*place)) for place in NEAR) for turned in _TURNED)
N_TURNS = (1, 2, 4, 8)
N_REWRITES = 2 * len(N_TURNS)  # codes that programs may use

# A rule as its 8 numbers. What is seen near a cell is a number of 4 bits for each place; sets of
# places are such numbers of zeros and ones.
Rule: TypeAlias = tuple[int, ...]
State: TypeAlias = list[list[int]]


def _see(grid: Grid | State, i: int, j: int) -> list[int]:
    return [at(grid, i + di, j + dj) for di, dj in NEAR]  # type: ignore[arg-type]


def _becomes(rules: Sequence[Rule], turns: int, own: int, seen: Sequence[int]) -> int | None:
    """What a cell becomes by the first rule, and the first turn of it, that holds."""
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


def _round(
    state: State, changed: set[Pair], look_at: set[Pair], rules: Sequence[Rule], turns: int
) -> list[tuple[Pair, int]]:
    """What cells that have not changed become now, of those to be looked at, in reading order."""
    found = []
    for i, j in sorted(look_at - changed):
        color = _becomes(rules, turns, state[i][j], _see(state, i, j))
        if color is not None:
            found.append(((i, j), color))
    return found


def _change(state: State, changed: set[Pair], found: list[tuple[Pair, int]]) -> set[Pair]:
    """Change cells; return those whose surroundings are other than before."""
    for (i, j), color in found:
        state[i][j] = color
        changed.add((i, j))
    places = {(i + di, j + dj) for (i, j), _ in found for di, dj in NEAR}
    return {(i, j) for i, j in places if 0 <= i < len(state) and 0 <= j < len(state[0])}


# --- learning ---

# What a cell is, what it becomes, and what is near it.
Kind: TypeAlias = tuple[int, int, int]
Kinds: TypeAlias = Counter[Kind]


def _add(kinds: Kinds, own: int, becomes: int, seen: Sequence[int], n_places: int) -> None:
    kinds[own, becomes, sum(seen[k] << 4 * k for k in range(n_places))] += 1
    if len(kinds) > MAX_KINDS:
        raise empty("learn_rewrites: too many kinds of cells")


def _equal(a: int, b: int, ones: int) -> int:
    """The places at which the same is seen."""
    x = a ^ b
    return ~(x | x >> 1 | x >> 2 | x >> 3) & ones


@lru_cache(maxsize=4 * MAX_KINDS)
def _turn(view: int, own: int, ones: int) -> list[tuple[int, int]]:
    """What is seen in each turn, and the places that have colours other than the cell's own."""
    found = []
    for turn in TURNS:
        turned = sum((view >> 4 * turn[k] & 15) << 4 * k for k in range(ones.bit_count()))
        colors = ones & ~_equal(turned, own * ones, ones) & ~_equal(turned, OUTSIDE * ones, ones)
        found.append((turned, colors))
    return found


@dataclass(frozen=True)
class _Sample:
    """A cell that changes as an example for rules: what it is, becomes and sees.

    A rule wants, at some of the places, the colours that are there; but the same colour at those
    of `same`, and any colour at those of `any`.
    """

    own: int
    becomes: int
    view: int
    ones: int
    same: int
    any: int

    def alike(self, kinds: Kinds, n_turns: int) -> Iterator[tuple[int, bool, int]]:
        """For other cells, in each turn: where they are alike, whether it is right that they
        become what a rule about such places says, and how many they are.
        """
        for (own, becomes, view), n in kinds.items():
            if own != self.own:
                continue
            for turned, colors in _turn(view, own, self.ones)[:n_turns]:
                alike = _equal(turned, self.view, self.ones) & ~self.any | colors & self.any
                if not self.same:
                    yield alike, becomes == self.becomes, n
                    continue
                shown = colors & self.same
                while shown:
                    color = turned >> (shown & -shown).bit_length() - 1 & 15
                    here = _equal(turned, color * self.ones, self.ones) & shown
                    shown &= ~here
                    yield alike & ~self.same | here, becomes == color, n

    def rule(self, places: Sequence[int]) -> Rule:
        numbers = [self.own, SAME if self.same else self.becomes]
        for k in places:
            is_same, is_any = self.same >> 4 * k & 1, self.any >> 4 * k & 1
            numbers += [k, SAME if is_same else ANY if is_any else self.view >> 4 * k & 15]
        return tuple(numbers + [-1, -1] * (MAX_PLACES - len(places)))


def _samples(kind: Kind, n_places: int) -> Iterator[tuple[int, _Sample]]:
    """The ways in which a cell can be an example, each with its rank among equally good ones."""
    own, becomes, view = kind
    ones = sum(1 << 4 * k for k in range(n_places))
    same = _equal(view, becomes * ones, ones)
    others = ones & ~same & ~_equal(view, own * ones, ones)
    others &= ~_equal(view, OUTSIDE * ones, ones)
    yield 2, _Sample(own, becomes, view, ones, 0, 0)
    if same:
        yield 3, _Sample(own, becomes, view, ones, same, 0)
    if others:
        yield 1, _Sample(own, becomes, view, ones, same, others)


def _seek(met: Kinds, left: Kinds, ends: Kinds, n_places: int, n_turns: int) -> Rule:
    """The best rule for one of the first kinds that are left, which is wrong for none met."""
    best, best_rule = (-1, 0), None
    n_sought = 0
    for kind in left:
        own, _, view = kind
        if all(view >> 4 * k & 15 in (own, OUTSIDE) for k in range(n_places)):
            continue
        n_sought += 1
        if n_sought > MAX_SOUGHT:
            break
        for rank, sample in _samples(kind, n_places):
            wrong = {alike for alike, is_right, _ in sample.alike(met, n_turns) if not is_right}
            right: Counter[int] = Counter()
            for kinds in (left, ends):
                for alike, is_right, n in sample.alike(kinds, n_turns):
                    if is_right:
                        right[alike] += n
            for n_wanted in range(1, MAX_PLACES + 1):
                for first in combinations(range(n_places), n_wanted - 1):
                    mask = sum(1 << 4 * k for k in first)
                    refused = reduce(or_, (m for m in wrong if m & mask == mask), 0)
                    for last in range(first[-1] + 1 if first else 0, n_places):
                        wanted = mask | 1 << 4 * last
                        if (
                            refused >> 4 * last & 1
                            or (sample.same and not wanted & sample.same)
                            or (sample.any and not wanted & sample.any)
                        ):
                            continue
                        places = (*first, last)
                        cost = 1 + sum(1 + (k >= len(AROUND)) for k in places)
                        n_right = sum(n for m, n in right.items() if m & wanted == wanted)
                        worth = (n_right * 16 // cost, rank)
                        if worth > best:
                            best, best_rule = worth, sample.rule(places)
    if best_rule is None:
        raise empty("learn_rewrites: no rule holds for what is left")
    return best_rule


class _Lesson:
    """Demos to learn from, and what has been met in learning."""

    def __init__(self, demos: Pairs, n_places: int, turns: int) -> None:
        self.demos, self.n_places, self.turns = demos, n_places, turns
        self.n_cells = sum(len(given) * len(given[0]) for given, _ in demos)
        self.changing = {
            given[i][j]
            for given, wanted in demos
            for i, j in all_places(given)
            if given[i][j] != wanted[i][j]
        }
        if not self.changing:
            raise empty("learn_rewrites: no demo changes anything")
        charge(self.n_cells)
        # Cells as they are met, and those that change as they are seen in the end.
        self.met: Kinds = Counter()
        self.ends: Kinds = Counter()
        for given, wanted in demos:
            for i, j in all_places(given):
                own, becomes = given[i][j], wanted[i][j]
                if own in self.changing:
                    _add(self.met, own, becomes, _see(given, i, j), n_places)
                    in_the_end = self.met if own == becomes else self.ends
                    _add(in_the_end, own, becomes, _see(wanted, i, j), n_places)

    def attempt(self) -> list[Rule] | None:
        """Rules that make the outputs; none if they did something wrong, which is met now."""
        rules: list[Rule] = []
        states = [[list(row) for row in given] for given, _ in self.demos]
        changed: list[set[Pair]] = [set() for _ in states]
        while True:
            left = self._left(states, changed, bool(rules))
            if not left:
                return rules
            if len(rules) == MAX_RULES:
                raise empty("learn_rewrites: more rules than there may be")
            charge(self.n_cells)
            n_turns = N_TURNS[self.turns]
            rules.append(_seek(self.met, left, self.ends, self.n_places, n_turns))
            for k, (_, wanted) in enumerate(self.demos):
                if not self._rewrite(states[k], changed[k], wanted, rules):
                    return None

    def _left(self, states: list[State], changed: list[set[Pair]], is_met: bool) -> Kinds:
        """The cells that are still to change, as they are now."""
        left: Kinds = Counter()
        for state, already, (_, wanted) in zip(states, changed, self.demos, strict=True):
            for i, j in all_places(wanted):
                own, becomes = state[i][j], wanted[i][j]
                if (i, j) in already or own not in self.changing:
                    continue
                seen = _see(state, i, j)
                if is_met:
                    _add(self.met, own, becomes, seen, self.n_places)
                if own != becomes:
                    _add(left, own, becomes, seen, self.n_places)
        return left

    def _rewrite(
        self, state: State, changed: set[Pair], wanted: Grid, rules: Sequence[Rule]
    ) -> bool:
        """Rewrite one state as far as it goes; whether all was right."""
        look_at = set(all_places(wanted))
        while found := _round(state, changed, look_at, rules, self.turns):
            wrong = [(i, j) for (i, j), color in found if color != wanted[i][j]]
            for i, j in wrong:
                _add(self.met, state[i][j], wanted[i][j], _see(state, i, j), self.n_places)
            if wrong:
                return False
            look_at = _change(state, changed, found)
        return True


@primitive(
    "Demos, Code[0..7] -> Tuple[Integer]",
    ties="of equally good rules the first: by cells in reading order, then by places",
    examples=(
        "learn_rewrites(((((0, 0, 0), (1, 0, 0), (0, 0, 0)), "
        "((0, 0, 0), (1, 1, 1), (0, 0, 0))),), 0) == (0, 0, 11, 3, 11, -1, -1, -1, -1)",
        "learn_rewrites(((((1, 0), (0, 0)), ((1, 0), (0, 1))),), 0) == "
        "(0, 0, 11, 0, 11, -1, -1, -1, -1)",
    ),
)
def learn_rewrites(S: Demos, code: Number) -> Value:
    """Rules for `rewrite`, as numbers, that make the outputs of all demos, none wrong on the way.

    Outputs must have their inputs' sizes, and something must change. Codes 0 to 3 say which
    mirrors and turns of rules hold: none, left to right, also top to bottom and both, all eight.
    They look at the 8 places around a cell; 4 to 7, likewise, also at 8 two steps away.

    Time and again the demos are rewritten as far as it goes, and a rule is sought for one of the
    first 8 kinds of cells that are still to change (a kind: its colour, what it becomes and what
    is near it, not nothing but its own colour and the outside). A rule wants at most 3 of those
    places to look as they do there; in all that, the colour that the cell becomes may be one that
    is the same in all places, and all others any colours. No cell that was met, nor one that
    stays in an output, may become what is wrong by it. The best has most cells, still to change
    or as they are seen in the outputs, counted in all turns, for its number of places and 1 (16
    times the cells over that, without the rest; a place two steps away counts twice). Then one
    with the colour that is the same is preferred, then one with colours alone. Where rules
    together do something wrong, that is met, and learning begins anew, 4 times in all. It fails
    where no rule is found, 6 are not enough, or more than 2048 kinds are met.
    """
    check_colors("learn_rewrites", S)
    if any(size_of(given) != size_of(wanted) for given, wanted in S):
        raise empty("learn_rewrites: an output has not its input's size")
    turns, is_wide = code % 4, code // 4
    lesson = _Lesson(S, len(AROUND) * (1 + is_wide), turns)
    for _ in range(MAX_ATTEMPTS):
        rules = lesson.attempt()
        if rules is not None:
            return (turns, *(number for rule in rules for number in rule))
    raise empty("learn_rewrites: rules go wrong together")


@primitive(
    "Tuple[Integer], Grid -> Grid",
    ties="by the first rule that holds for a cell, of its mirrors and turns the first",
    examples=(
        "rewrite((0, 0, 11, 3, 11, -1, -1, -1, -1), ((0, 2, 0, 0),)) == ((0, 2, 2, 2),)",
        "rewrite((1, 0, 5, 3, 12, 4, 0, -1, -1), ((0, 2, 0, 0),)) == ((0, 2, 5, 0),)",
    ),
)
def rewrite(rules: AnyTuple, grid: Grid) -> Value:
    """A grid whose cells become what rules say, all together, until nothing changes.

    A cell changes at most once. Rules are numbers as `learn_rewrites` gives them: 0 to 3 for the
    mirrors and turns, then 8 for each rule: a colour, what it becomes (a colour, or 11), and three
    times a place (0 to 15, or -1 for none) and what is there (a colour, or 10 to 12).
    """
    if not all(map(is_number, rules)):
        raise wrong_type("rewrite: rules are not numbers")
    check_colors("rewrite", (), grid)
    numbers: list[int] = list(rules)  # type: ignore[arg-type]
    if len(numbers) % NUMBERS_A_RULE != 1 or not 0 <= numbers[0] < len(N_TURNS):
        raise out_of_range("rewrite: not numbers of rules")
    starts = range(1, len(numbers), NUMBERS_A_RULE)
    parsed = [tuple(numbers[k : k + NUMBERS_A_RULE]) for k in starts]
    for own, becomes, *wanted in parsed:
        is_rule = 0 <= own <= 9 and (0 <= becomes <= 9 or becomes == SAME)
        for place, look in zip(wanted[::2], wanted[1::2], strict=True):
            is_rule = is_rule and -1 <= place < len(NEAR) and -1 <= look <= ANY
        if not is_rule:
            raise out_of_range("rewrite: numbers that are no rule")
    charge(len(parsed) * len(grid) * len(grid[0]))
    state = [list(row) for row in grid]
    changed: set[Pair] = set()
    look_at = set(all_places(grid))
    while found := _round(state, changed, look_at, parsed, numbers[0]):
        look_at = _change(state, changed, found)
    return tuple(map(tuple, state))


# --- in words ---

GROUPS_IN_WORDS = (
    "",
    "also mirrored left to right",
    "also mirrored left to right, top to bottom and both",
    "also mirrored and turned in all ways",
)
_DIRECTIONS = ("up left", "up", "up right", "left", "right", "down left", "down", "down right")


def say_rules(rules: Sequence[int]) -> list[str]:
    """Return what rules say, a line each, and a last one for their mirrors and turns."""
    lines = []
    for k in range(1, len(rules), NUMBERS_A_RULE):
        own, becomes, *wanted = rules[k : k + NUMBERS_A_RULE]
        looks = []
        for place, look in zip(wanted[::2], wanted[1::2], strict=True):
            if place < 0:
                continue
            where = _DIRECTIONS[place % 8] + (", two steps away," if place >= 8 else "")
            what = {OUTSIDE: "the edge", SAME: "that colour", ANY: "any other colour"}
            looks.append(f"{where} is {what[look] if look in what else COLOR_NAMES[look]}")
        result = "the colour near it" if becomes == SAME else COLOR_NAMES[becomes]
        lines.append(f"a {COLOR_NAMES[own]} cell becomes {result} where {' and '.join(looks)}")
    return [*lines, *filter(None, [GROUPS_IN_WORDS[rules[0]]])]


@worded("learn_rewrites")
def _(given: Sequence[int], S: Demos, code: Number) -> list[str]:
    return ["again and again, until nothing changes:", *say_rules(given)]
