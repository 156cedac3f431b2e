"""Fates of objects: rules reproduce demos, vote, and agree with a slow search."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.engine.cpu.calls import run_call
from arcbatt.language import Budget, Failure, Reason
from arcbatt.language.learners.object_fates import (
    FATE_BITS,
    MAX_PLACES,
    Count,
    Crop,
    Fate,
    FateKind,
    Listing,
    Order,
    describe_fate,
    describe_rule,
    split_rules,
)
from arcbatt.language.learners.object_predicates import CUTS, FEATURES, MEASURES, PLACES, Scale
from arcbatt.language.native import find_rule
from arcbatt.language.registry import words_of_call
from arcbatt.tasks import load
from tests.conftest import grids
from tests.language.learner_checks import SEARCH, check_cost
from tests.language.test_learned import demos_of, failure, give, grid_of

# Tasks of each kind of rule: painting by a test and by a table, crops, counts, lists.
TASKS = ("25d8a9c8", "08ed6ac7", "be94b721", "d0f5fe59", "f8b3ba0a", "00d62c1b")


def learn(*demos: Any) -> Any:
    return run_call("learn_fates", (demos,), SEARCH).outcome


def apply(rules: Any, grid: Any, place: int = 0) -> Any:
    return run_call("apply_fates", (rules, grid, place), SEARCH).outcome


def joined(*rules: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(number) for rule in rules for number in (len(rule), *rule))


def check_rules(demos: Any) -> Any:
    """Check that every rule reproduces the demos, in any order; return the rules."""
    rules = learn(*demos)
    assert learn(*demos[::-1]) == rules, "the order of the demos matters"
    if isinstance(rules, Failure):
        return rules
    bits = [rule[0] for rule in split_rules(rules)]
    assert bits == sorted(bits)
    for rule in split_rules(rules):
        assert describe_rule(rule)
        for given_grid, wanted in demos:
            assert apply(joined(tuple(rule)), given_grid) == wanted
    for given_grid, wanted in demos:
        assert apply(rules, given_grid) == wanted
        assert apply(rules, given_grid, 1) == wanted
    return rules


# --- properties ---


def transform(grid: Any, color: int, how: int) -> Any:
    """Return an output that some rule explains."""
    if how == 0:
        return tuple(tuple(color if cell else 0 for cell in row) for row in grid)
    if how == 1:
        return tuple(tuple(0 if cell == color else cell for cell in row) for row in grid)
    return ((color,) * sum(cell == color for row in grid for cell in row),)


@given(st.lists(grids(5), min_size=1, max_size=3), st.integers(1, 3), st.integers(0, 2))
def test_rules_reproduce_the_demos_in_any_order(inputs: Any, color: int, how: int) -> None:
    demos = tuple((grid, transform(grid, color, how)) for grid in inputs)
    check_rules(tuple(demo for demo in demos if demo[1] != ((),)))


@pytest.mark.parametrize("task", TASKS)
def test_rules_of_tasks_reproduce_the_demos(task: str) -> None:
    assert not isinstance(check_rules(demos_of(task)), Failure)


@pytest.mark.slow
def test_rules_of_many_tasks_reproduce_the_demos() -> None:
    tasks = random.Random(3).sample(list(load("arc-agi-1/training")), 60)
    learned = [check_rules(demos_of(task.id)) for task in tasks]
    assert sum(not isinstance(rules, Failure) for rules in learned) > 8


def test_cost_is_counted_and_bounded() -> None:
    for task in TASKS:
        demos = demos_of(task)
        check_cost("learn_fates", (demos,))
        steps = run_call("learn_fates", (demos,), SEARCH).steps
        less = run_call("learn_fates", (demos,), Budget(steps - 1, SEARCH.bytes))
        assert less.outcome == failure(Reason.BUDGET)
        check_cost("apply_fates", (learn(*demos), demos[0][0], 0))


def test_learning_ends_wherever_its_budget_does() -> None:
    # Here it looks for an order of objects first, and asks for their features twice.
    column = ((((8,), (4,), (8,), (4,), (4,), (8,)), ((3,), (9,), (3,), (3,), (3,), (9,))),)
    row = ((((0, 5, 5, 0, 7), (0,) * 5), ((0, 7, 0, 5, 5), (0,) * 5)),)
    for demos in (column, row):
        steps = run_call("learn_fates", (demos,), SEARCH).steps
        for fewer in range(1, steps):
            less = run_call("learn_fates", (demos,), Budget(fewer, SEARCH.bytes))
            assert less.outcome == failure(Reason.BUDGET)


@given(st.lists(st.integers(-3, 30), max_size=24), grids(4))
def test_numbers_that_are_no_rules_are_refused(numbers: list[int], grid: Any) -> None:
    outcome = apply(tuple(numbers), grid)
    if isinstance(outcome, Failure):
        assert outcome.reason in (Reason.RANGE, Reason.EMPTY)


@st.composite
def any_rule(draw: st.DrawFn) -> tuple[int, ...]:
    """Return a rule of any kind with valid numbers."""
    fates = st.one_of(
        st.sampled_from([fate for fate, bits in enumerate(FATE_BITS) if bits]),
        st.integers(Fate.END, Fate.END + 2 * len(PLACES) ** 2 - 1),
    )
    kind = draw(st.sampled_from(FateKind))
    test = st.tuples(st.integers(0, len(FEATURES) - 1), st.integers(0, 3), st.integers(-1, 4))
    tests = draw(st.lists(test, max_size=2))
    parameters = {
        FateKind.PAINT_BY_TEST: st.tuples(fates, fates),
        FateKind.PAINT_BY_TABLE: st.tuples(
            st.integers(0, len(FEATURES) - 1), st.just(0), fates, st.just(1), fates
        ),
        FateKind.CROP_ONE: st.tuples(st.integers(0, Crop.N_CROPS - 1)),
        FateKind.DRAW_COUNT: st.tuples(
            st.integers(0, Count.N_COUNTS - 1),
            st.integers(0, 10),
            st.just(32 * 3 + 4),
            st.integers(0, 1),
        ),
        FateKind.DRAW_LIST: st.tuples(
            st.integers(0, Listing.N_LISTINGS - 1), st.integers(0, Order.N_ORDERS - 1)
        ),
        FateKind.SORT: st.tuples(st.integers(0, len(MEASURES) - 1), st.integers(0, 1)),
    }[kind]
    numbers = tuple(number for each in tests for number in each)
    cut = draw(st.integers(0, len(CUTS) - 1))
    return (16, cut, kind, len(tests), *numbers, *draw(parameters))


@given(any_rule(), grids(7))
def test_any_rule_gives_a_grid_or_none(rule: tuple[int, ...], grid: Any) -> None:
    outcome = apply(joined(rule), grid)
    assert not isinstance(outcome, Failure) or outcome.reason is Reason.EMPTY
    assert describe_rule(rule)


# --- votes ---

BOX, VANISHES = (0, FateKind.CROP_ONE, 0, Crop.BOX), (0, FateKind.PAINT_BY_TEST, 0, 1, 1)


def test_the_most_evidence_comes_first() -> None:
    grid = grid_of("022")
    cell = (0, FateKind.CROP_ONE, 0, Crop.ONE_CELL)
    # One rule of 2 bits counts as much as those of 3 bits, 3 bits less one, 3 bits less two, ...
    rules = joined((32, *BOX), (48, *cell), (48, *VANISHES))
    assert [apply(rules, grid, place) for place in range(MAX_PLACES)] == [
        grid_of("22"),
        grid_of("2"),
        grid_of("000"),
    ]
    rules = joined((32, *cell), (33, *BOX), (33, *BOX))
    assert apply(rules, grid) == grid_of("22")
    # Two choices: the last one stands in for the third.
    assert [apply(rules, grid, place) for place in (1, 2)] == [grid_of("2")] * 2
    assert split_rules(find_rule("apply_fates", (rules, grid, 0))) == [(33, *BOX)] * 2


def test_rules_come_in_the_order_of_their_bits() -> None:
    assert apply(joined((32, *BOX), (16, *BOX)), grid_of("022")) == failure(Reason.RANGE)


# --- by brute force ---


def objects_of(grid: Any) -> list[frozenset[tuple[int, int]]]:
    """Return the 4-connected objects of one color other than 0."""
    left = {(i, j) for i, row in enumerate(grid) for j, cell in enumerate(row) if cell}
    objects = []
    while left:
        new = [left.pop()]
        cells = set(new)
        while new:
            i, j = new.pop()
            for place in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
                if place in left and grid[place[0]][place[1]] == grid[i][j]:
                    left.remove(place)
                    cells.add(place)
                    new.append(place)
        objects.append(frozenset(cells))
    return objects


@given(st.lists(grids(5), min_size=1, max_size=3))
def test_the_largest_are_found_by_a_slow_search(inputs: Any) -> None:
    """The largest objects vanish: that rule is found wherever it says something."""
    demos = []
    for grid in inputs:
        largest = max(map(len, objects_of(grid)), default=0)
        gone = set().union(*(each for each in objects_of(grid) if len(each) == largest))
        rows = enumerate(grid)
        wanted = [[0 if (i, j) in gone else cell for j, cell in enumerate(row)] for i, row in rows]
        demos.append((grid, tuple(map(tuple, wanted))))
    objects = [objects_of(grid) for grid in inputs]
    rules = check_rules(tuple(demos))
    is_stated = any(len(set(map(len, each))) > 1 for each in objects)
    if is_stated and all(objects):
        is_largest = (1, 0, 0)  # the rank of the size is 0
        by_size = [rule[4:] for rule in split_rules(rules) if rule[1:4] == (0, 0, 1)]
        assert (*is_largest, Fate.VANISH, Fate.KEEP) in by_size


# --- single fates and outputs ---


@pytest.mark.parametrize(
    ("fate", "given_rows", "wanted_rows"),
    [
        (Fate.SWAP, ("12", "22"), ("21", "11")),
        (Fate.SYMMETRY, ("100", "110"), ("110", "110")),
        (Fate.TURN + 2, ("10", "11"), ("01", "11")),
        (Fate.PAINT + 4, ("10", "11"), ("40", "44")),
        (Fate.FILL_HOLES + 3, ("111", "101", "111"), ("111", "131", "111")),
        (Fate.FILL_BOX + 10, ("10", "11"), ("11", "11")),
        (Fate.RING + 5, ("000", "010", "000"), ("555", "515", "555")),
        (Fate.HALO + 5, ("0000", "0100", "0000"), ("5550", "5150", "5550")),
        (Fate.RIM, ("111", "111", "111"), ("000", "010", "000")),
        (Fate.CORE + 2, ("111", "111", "111"), ("111", "121", "111")),
    ],
)
def test_fates(fate: int, given_rows: Any, wanted_rows: Any) -> None:
    cut = 3 if fate == Fate.SWAP else 0  # of any colors
    rule = (16, cut, FateKind.PAINT_BY_TEST, 0, fate, fate)
    assert apply(joined(rule), grid_of(*given_rows)) == grid_of(*wanted_rows)


def test_the_enclosed_object_gives_its_color() -> None:
    ring = ("11111", "10001", "10301", "10001", "11111")
    rules = learn(
        (grid_of(*ring), grid_of(*(row.replace("1", "3") for row in ring))),
        (grid_of("222", "242", "222"), grid_of("444", "444", "444")),
    )
    assert apply(rules, grid_of("666", "676", "666")) == grid_of("777", "777", "777")


def test_a_reference_selects() -> None:
    """Objects above the longest one vanish."""
    rules = learn(
        (grid_of("0100", "2222", "0010"), grid_of("0000", "2222", "0010")),
        (grid_of("3000", "0010", "2222", "0100"), grid_of("0000", "0000", "2222", "0100")),
    )
    assert apply(rules, grid_of("5050", "0000", "0800", "2222")) == grid_of(
        "0000", "0000", "0000", "2222"
    )


@pytest.mark.parametrize(
    ("first", "second", "test"),
    [
        # A cell for each object, the cells of a hole, crops side by side, a table of cells.
        ((("101", "000"), ("55",)), (("100", "101", "001"), ("555",))[:2], None),
        ((("1011", "0000"), ("11",)), (("1010", "0001"), ("111",)), (("01010", "10001"), "1111")),
        (
            (("1022", "1020"), ("122", "120")),
            (("3030", "3033"), ("330", "333")),
            (("0704", "0704"), ("74", "74")),
        ),
        (
            (("110220", "110220", "000000", "330440"), ("12", "34")),
            (("50060", "00000", "70080"), ("56", "78")),
            (("1020", "0000", "3040"), ("12", "34")),
        ),
    ],
)
def test_lists_and_counts(first: Any, second: Any, test: Any) -> None:
    demos = tuple((grid_of(*a), grid_of(*b)) for a, b in (first, second))
    rules = check_rules(demos)
    assert not isinstance(rules, Failure)
    if test is not None:
        rows = (test[1],) if isinstance(test[1], str) else test[1]
        assert grid_of(*rows) in [apply(rules, grid_of(*test[0]), place) for place in range(3)]


def place(rows: str, columns: str, copies: bool = False) -> int:
    """Return the fate of moving to the places with these words."""
    row = [each.rows for each in PLACES].index(rows)
    column = [each.columns for each in PLACES].index(columns)
    return Fate.END + 2 * (len(PLACES) * row + column) + copies


@pytest.mark.parametrize(
    ("fate", "wanted_rows"),
    [
        (place("unchanged", "at the right edge"), ("0001", "0222")),
        (place("unchanged", "to the right until blocked", copies=True), ("1001", "0222")),
        (place("mirrored top to bottom", "mirrored left to right"), ("2220", "0001")),
        (place("up by 1", "unchanged"), None),
    ],
)
def test_places(fate: int, wanted_rows: Any) -> None:
    """The blue cell moves; the red line goes to the right, if not mirrored or placed with it."""
    rule = (16, 0, FateKind.PAINT_BY_TEST, 0, fate, fate)
    wanted = failure(Reason.EMPTY) if wanted_rows is None else grid_of(*wanted_rows)
    assert apply(joined(rule), grid_of("1000", "0222")) == wanted


def test_a_move_by_a_reference_is_learned() -> None:
    """A blue cell goes on top of the longest object, its columns stay."""
    rules = learn(
        (grid_of("0100", "0000", "0000", "2222"), grid_of("0000", "0000", "0100", "2222")),
        (grid_of("0001", "0000", "3333", "0000"), grid_of("0000", "0001", "3333", "0000")),
        (grid_of("1000", "2222", "0000", "0000"), grid_of("1000", "2222", "0000", "0000")),
    )
    moved = apply(rules, grid_of("00010", "00000", "00000", "66666"))
    assert moved == grid_of("00000", "00000", "00010", "66666")


def test_sorting_keeps_gaps() -> None:
    rules = learn(
        (grid_of("0222010033", "0222000033"), grid_of("0103300222", "0003300222")),
        (grid_of("44405", "44400"), grid_of("50444", "00444")),
    )
    assert apply(rules, grid_of("1103")) == grid_of("3011")


# --- words ---


def test_every_code_has_words() -> None:
    moves = range(Fate.END, Fate.END + 2 * len(PLACES) ** 2)
    fates = [describe_fate(fate) for fate, bits in enumerate(FATE_BITS) if bits]
    fates += map(describe_fate, moves)
    assert len(set(fates)) == len(fates)
    for feature, each in enumerate(FEATURES):
        rule = (16, 0, FateKind.CROP_ONE, 1, feature, 0, 1, 0)
        assert "{" not in describe_rule(rule) and each.scale in Scale
    assert len({each.phrase for each in FEATURES}) == len(FEATURES)


def test_words_show_the_rules_that_vote() -> None:
    args = (joined((32, *BOX), (48, *VANISHES)), grid_of("022"), 0)
    assert words_of_call("apply_fates", give("apply_fates", *args), args) == [
        "1 of the 2 rules about objects gives this output:",
        "objects (4-connected, of one color): the output is the box of the only object",
    ]
