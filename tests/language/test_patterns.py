"""Patterns that continue: examples, and the engine against `interpret`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import Reason, all_primitives
from arcbatt.language.registry import words_of_call
from tests.engine.test_engine import check_call
from tests.language.test_learned import failure, give, grid_of

FORMS = list(all_primitives()["continue_pattern"].all_codes())


@st.composite
def patterns(draw: st.DrawFn) -> Any:
    """Draw demos, and a grid that shows a part of a repeating pattern."""
    kinds = draw(st.lists(st.integers(0, 3), min_size=1, max_size=6))
    down, along = draw(st.integers(-2, 3)), draw(st.integers(0, 3))
    size = draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    shown = draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    rows = tuple(
        tuple(
            kinds[(down * i + along * j) % len(kinds)] if i < shown[0] and j < shown[1] else 0
            for j in range(size[1])
        )
        for i in range(size[0])
    )
    larger = tuple((row * 2)[: len(row) + 2] for row in rows)
    demos = draw(st.sampled_from([(), ((rows, rows),), ((rows, larger),), ((rows, ((1,),)),)]))
    return demos, draw(st.sampled_from([rows, rows[: shown[0]]]))


@given(patterns())
def test_patterns_in_the_engine(lesson: Any) -> None:
    for codes in FORMS:
        check_call("continue_pattern", [*lesson, *codes])


@pytest.mark.parametrize(
    ("form", "hidden", "given_rows", "wanted"),
    [
        (0, 0, "100 010", "100 010 001"),
        (0, 1, "12000 01200 00000", "12000 01200 00120"),
        (1, 1, "1210 3000 0000", "1212 3333 0000"),
        (2, 1, "13 20 10 00", "13 23 13 23"),
        (3, 1, "120 200 000", "121 212 121"),
        (4, 1, "012 000 000", "212 121 212"),
        (4, 1, "312 230 000", "312 231 123"),
        (5, 1, "120 340 000", "121 343 121"),
        (5, 1, "120 210 000", "121 212 121"),
        (5, 1, "123 456 780", None),
    ],
)
def test_patterns_continue(form: int, hidden: int, given_rows: str, wanted: str | None) -> None:
    grid = grid_of(*given_rows.split())
    goal = grid_of(*wanted.split()) if wanted else grid
    output = give("continue_pattern", ((grid, goal),), grid, form, hidden)
    assert output == (goal if wanted else failure(Reason.EMPTY))


def test_the_size_follows_the_demos() -> None:
    grid, longer = grid_of("12"), grid_of("1212")
    assert give("continue_pattern", ((grid, longer),), grid, 1, 0) == longer
    assert give("continue_pattern", ((longer, grid),), longer, 1, 0) == failure(Reason.EMPTY)
    two = ((grid, longer), (grid, grid_of("121")))
    assert give("continue_pattern", two, grid, 1, 0) == failure(Reason.EMPTY)
    higher = ((grid, grid_of("1212", "1212")),)
    assert give("continue_pattern", higher, grid, 1, 0) == failure(Reason.EMPTY)
    assert give("continue_pattern", higher, grid, 2, 0) == failure(Reason.EMPTY)
    assert give("continue_pattern", higher, grid, 5, 0) == grid_of("1212", "1212")
    assert give("continue_pattern", (), ((1,) + (0,) * 30,), 1, 1) == failure(Reason.EMPTY)
    assert give("continue_pattern", (), grid_of("00"), 1, 1) == failure(Reason.EMPTY)
    assert give("continue_pattern", (), grid_of("10", "02"), 0, 1) == failure(Reason.EMPTY)


def test_every_form_is_told_in_words() -> None:
    said = {tuple(words_of_call("continue_pattern", None, [(), grid_of("1"), *c])) for c in FORMS}
    assert len(said) == len(FORMS)
    words = (
        "the pattern of the grid repeats in each row separately; it is continued beyond its edges"
    )
    assert (words,) in said
