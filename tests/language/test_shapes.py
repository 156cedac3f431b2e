"""Primitives on areas and shapes: their meaning in terms of others, and edge cases."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt.language import Budget, Failure, Program, Reason, Value, interpret
from arcbatt.language.interpreter import evaluate_call
from arcbatt.language.parse import parse_program
from tests.conftest import grids
from tests.engine.test_engine import FAR, check_call

RING = frozenset((i, j) for i in range(3) for j in range(3)) - {(1, 1)}
SOLID = frozenset((i, j) for i in range(2, 5) for j in range(4))


def run(body: str, grid: Value, patch: Value = frozenset()) -> Value | Failure:
    program = parse_program(f"def solve(S, I):\n    O = {body}\n    return O\n")
    assert isinstance(program, Program)
    return interpret(program, {"I": grid, "S": patch}).outcome


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "by_others"),
    [
        ("foreground(I)", "merge(fgpartition(I))"),
        ("not_of_color(I, 1)", "sfilter(asobject(I), compose(flip, matcher(first, 1)))"),
        ("not_of_color(I, mostcolor(I))", "foreground(I)"),
        ("parts_of(I, 1, T)", "colorfilter(objects(I, T, T, F), 1)"),
        ("objects_on(I, F, T, mostcolor(I))", "objects(I, F, T, T)"),
        ("objects_on(I, T, F, 99)", "objects(I, T, F, F)"),
        ("areas_between(I, ofcolor(I, 1))", "areas_between(I, recolor(7, ofcolor(I, 1)))"),
        ("merge(areas_between(I, ofcolor(I, 1)))", "difference(asindices(I), ofcolor(I, 1))"),
        ("areas_between(I, not_of_color(I, 1))", "apply(toindices, parts_of(I, 1, F))"),
        (
            "enclosed_cells(I, 1)",
            "toindices(mfilter(parts_of(I, 1, F), compose(flip, rbind(bordering, I))))",
        ),
    ],
)
@settings(max_examples=30)
@given(grids().filter(lambda grid: len({len(row) for row in grid}) == 1 and grid != ((),)))
def test_a_word_is_what_others_say_at_length(word: str, by_others: str, grid: Value) -> None:
    assert run(word, grid) == run(by_others, grid)


locations = st.frozensets(st.tuples(st.integers(-2, 6), st.integers(-2, 6)), max_size=12)
objects = st.frozensets(
    st.tuples(st.integers(0, 2), st.tuples(st.integers(-2, 6), st.integers(-2, 6))), max_size=12
)


@pytest.mark.parametrize(
    ("word", "by_others"),
    [
        ("copies_at(S, {(0, 3), (1, 1)})", "mapply(lbind(shift, S), {(0, 3), (1, 1)})"),
        ("copies_at({(0, 0), (1, 5)}, S)", "copies_at({(0, 0), (1, 5)}, toindices(S))"),
        ("is_solid(S)", "both(size(S), equality(toindices(S), backdrop(S)))"),
        ("inside_of(S)", "difference(backdrop(S), box(S))"),
        (
            "repeat_along(S, (-10, 0))",
            "copies_at(S, ((-20, 0), (-10, 0), (0, 0), (10, 0), (20, 0)))",
        ),
    ],
)
@settings(max_examples=30)
@given(locations | objects)
def test_a_word_about_patches_is_what_others_say(word: str, by_others: str, patch: Value) -> None:
    assert run(word, (), patch) == run(by_others, (), patch)


def test_the_ground_is_what_most_rows_and_columns_show() -> None:
    large = (*((5, 5, 5, 5, 0),) * 4, (0, 0, 0, 0, 0))
    assert (run("mostcolor(I)", large), run("groundcolor(I)", large)) == (5, 0)
    lines = ((0, 0, 8, 0, 0), (0, 0, 8, 0, 0), (8,) * 5, (0, 0, 8, 0, 0))
    assert (run("mostcolor(I)", lines), run("groundcolor(I)", lines)) == (0, 8)
    # If both show in as many lines: more cells, then the lower color.
    assert run("groundcolor(I)", ((4, 3), (4, 4), (3, 4))) == 4
    assert run("groundcolor(I)", ((4, 3), (3, 4))) == 3


def test_an_outline_has_an_inside() -> None:
    assert evaluate_call("is_outline", [RING]) is True
    assert evaluate_call("is_outline", [frozenset((5, place) for place in RING)]) is True
    assert evaluate_call("is_outline", [tuple(RING) + tuple(RING)]) is True
    for other in (SOLID, RING - {(0, 1)}, RING | {(1, 1)}, RING - {(0, 1)} | {(1, 1)}, frozenset()):
        assert evaluate_call("is_outline", [other]) is False
    assert evaluate_call("is_outline", [frozenset({(0, 0), (0, 1), (0, 2)})]) is False


def test_a_place_counts_once_however_many_cells_it_has() -> None:
    doubled = frozenset((color, place) for color in (1, 2) for place in SOLID)
    assert evaluate_call("is_solid", [doubled]) is True
    assert evaluate_call("is_solid", [doubled - {(1, (2, 0))}]) is True
    assert evaluate_call("is_solid", [doubled - {(1, (3, 1)), (2, (3, 1))}]) is False


def test_copies_are_counted_before_they_are_made() -> None:
    many = frozenset((i, j) for i in range(100) for j in range(100))
    assert evaluate_call("copies_at", [many, many], Budget()) == Failure(Reason.BUDGET)
    check_call("copies_at", [many, many], Budget())
    check_call("copies_at", [SOLID, RING], Budget(steps=200, bytes=3000))
    check_call("repeat_along", [SOLID, (0, 1)], Budget(steps=3000, bytes=30_000))


def test_a_copy_out_of_range_is_none() -> None:
    edge = frozenset({(FAR - 1, 0)})
    for args in ([edge, frozenset({(0, 0), (1, 0)})], [edge, frozenset({(0, -FAR + 1)})]):
        check_call("copies_at", args)
    check_call("repeat_along", [edge, (1, 0)])
    assert evaluate_call("repeat_along", [edge, (1, 0)]) == Failure(Reason.RANGE)
    assert evaluate_call("repeat_along", [edge, (30, 0)]) == edge


def test_grids_that_are_none() -> None:
    for name, more in (
        ("foreground", []),
        ("groundcolor", []),
        ("parts_of", [1, False]),
        ("objects_on", [True, True, 1]),
        ("enclosed_cells", [1]),
        ("areas_between", [SOLID]),
    ):
        assert evaluate_call(name, [(), *more]) == Failure(Reason.EMPTY)
        check_call(name, [(), *more])
        check_call(name, [((), ()), *more])
        check_call(name, [((1, 2, 1), (1,)), *more])
    assert evaluate_call("not_of_color", [(), 1]) == frozenset()
    assert evaluate_call("parts_of", [((1, 2), (1,)), 1, False]) == Failure(Reason.RANGE)


@pytest.mark.slow
def test_only_cells_of_the_result_have_to_be_locations() -> None:
    tall = ((1, 0, 0), *((),) * (FAR - 1), (1,))
    for color in (0, 1):
        check_call("not_of_color", [tall, color], Budget())
    check_call("parts_of", [((1,) + (0,) * (FAR - 1) + (1,),), 1, False], Budget())
