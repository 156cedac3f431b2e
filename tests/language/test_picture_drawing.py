"""Primitives that draw on pictures: the engine against the definitions, and their meaning."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.engine.cpu.calls import run_call
from arcbatt.language import Budget, Failure, Reason, Value, all_primitives
from arcbatt.language.values import MAX_NUMBER
from tests.engine.test_engine import check_call

EMPTY = ((0, 0), ())
places = st.tuples(st.integers(-6, 9), st.integers(-6, 9))


@st.composite
def pictures(draw: st.DrawFn) -> Value:
    """Pictures of few colors: small, single lines, wider or higher than 64 cells, or empty."""
    kind = draw(
        st.sampled_from(["small", "small", "middle", "row", "column", "wide", "high", "none"])
    )
    if kind == "none":
        return (draw(places), ())
    most = {"small": 4, "middle": 12, "row": 20, "column": 20, "wide": 80, "high": 80}[kind]
    n_rows = 1 if kind == "row" else draw(st.integers(1, 3 if kind == "wide" else most))
    width = 1 if kind == "column" else draw(st.integers(1, 3 if kind == "high" else most))
    palette = draw(st.sampled_from([[0], [3], [0, 2], [0, 0, 0, 1], [0, 0, 1, 2], [*range(10)]]))
    rng = draw(st.randoms(use_true_random=False))
    grid = tuple(tuple(rng.choice(palette) for _ in range(width)) for _ in range(n_rows))
    return (draw(places), grid)


sizes = st.one_of(
    st.tuples(st.integers(1, 9), st.integers(1, 9)),
    st.tuples(st.integers(-1, 70), st.integers(-1, 70)),
)
ARGUMENTS: dict[str, st.SearchStrategy[Any]] = {
    "p": pictures(),
    "top": pictures(),
    "under": pictures(),
    "code": st.integers(-1, 15),
    "gap": st.integers(0, 1) | st.integers(-1, 2),
    "n": st.integers(0, 11),
    "size": sizes,
    "direction": places,
}
STEPS = [name for name, step in all_primitives().items() if step.family == "picture_drawing"]


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
@given(st.data())
def test_the_engine_draws_as_the_definitions(name: str, data: st.DataObject) -> None:
    check_call(name, [data.draw(ARGUMENTS[of]) for of in all_primitives()[name].parameters])


@pytest.mark.parametrize("name", STEPS)
def test_places_at_the_edge_of_numbers(name: str) -> None:
    others = {"code": 1, "gap": 1, "n": 2, "size": (3, 4), "direction": (1, -1)}
    for row in (MAX_NUMBER, -MAX_NUMBER):
        given_picture = ((row, -row), ((1, 0), (0, 2)))
        parameters = all_primitives()[name].parameters
        check_call(name, [others.get(of, given_picture) for of in parameters])


@pytest.mark.parametrize("name", ["paste_on", "wrap", "resample", "tile", "tile_mirrored"])
def test_sizes_beyond_the_budget_are_not_made(name: str) -> None:
    arguments: list[Value] = [((0, 0), ((1, 2),)), (100_000, 100_000), 0]
    arguments = arguments[: all_primitives()[name].arity]
    check_call(name, arguments)
    assert run_call(name, arguments).outcome == Failure(Reason.BUDGET)


def test_work_beyond_the_budget_is_not_done() -> None:
    column: Value = ((0, 0), ((1,),) * 1000)
    assert run_call("resample", [column, (1, 1000)], Budget(steps=10**5)).outcome == Failure(
        Reason.BUDGET
    )
    sparse: Value = ((0, 0), ((1, 0, 2) * 100,))
    assert run_call("period_fill", [sparse], Budget(steps=10**4)).outcome == Failure(Reason.BUDGET)


# --- what they mean ---


def drawn(name: str, rows: str, *args: Value) -> str:
    """Return the result of a primitive on rows of digits; dots are 0, blanks separate rows."""
    grid = tuple(tuple(0 if c == "." else int(c) for c in line) for line in rows.split())
    outcome: Any = run_call(name, [((0, 0), grid), *args]).outcome
    check_call(name, [((0, 0), grid), *args])
    return " ".join("".join(str(c) if c else "." for c in line) for line in outcome[1])


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        (1, "36 25 14"),
        (2, "654 321"),
        (3, "41 52 63"),
        (4, "321 654"),
        (5, "456 123"),
        (6, "14 25 36"),
        (7, "63 52 41"),
    ],
)
def test_turns(code: int, wanted: str) -> None:
    assert drawn("turn", "123 456", code) == wanted


def test_a_flip_goes_along_the_axis_that_is_further_off() -> None:
    assert drawn("turn", "1.. ... ...", 8) == "..1 ... ..."
    assert drawn("turn", ".1. ... ...", 8) == "... ... .1."
    assert drawn("turn", "..1. .... ....", 8) == ".... .... ..1."


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        (0, "..... .1111 .2222 ....."),
        (1, "..... 11... 22... ....."),
        (2, "..... .1... .2... .2..."),
        (3, ".1... .1... .2... ....."),
        (4, "..... 11111 22222 ....."),
        (5, ".1... .1... .2... .2..."),
        (6, ".1... 11111 22222 .2..."),
        (7, "..... .1... .21.. ..21."),
        (8, "1.... 21... .2... ....."),
        (9, "..12. .12.. .2... ....."),
        (10, "..... .1... 12... 2...."),
        (11, "1.... 21... .21.. ..21."),
        (12, "..12. .12.. 12... 2...."),
        (13, "1.12. 212.. 121.. 2.21."),
        (14, "1112. 21211 12122 2221."),
    ],
)
def test_smears(code: int, wanted: str) -> None:
    assert drawn("smear", "..... .1... .2... .....", code) == wanted


def test_a_later_direction_paints_over_an_earlier_one() -> None:
    assert drawn("smear", "1...2", 4) == "12222"
    assert drawn("smear", "..1 ... 2..", 6) == "211 2.1 221"
    assert drawn("smear", "..3 ... 1..", 13) == "..3 .3. 1.."
    assert drawn("smear", "1.. ... ..2", 11) == "1.. .2. ..2"
    assert drawn("smear", "2.1 ... ...", 14) == "211 211 1.2"


def test_colors_are_stopped_by_cells_not_by_paint() -> None:
    assert drawn("smear", ".3. 1.. ...", 6) == "133 131 13."


def test_bridges_leave_their_ends_out_and_columns_win() -> None:
    assert drawn("bridge", "1..1.1 2.....", 0) == ".11.1. ......"
    assert drawn("bridge", ".3. 1.1 .3.", 2) == "... .3. ..."
    assert drawn("bridge", "1.2.1", 0) == "....."


def test_what_is_first_in_reading_order_spreads_first() -> None:
    assert drawn("spread", "..2 ... 1..", 0) == "222 122 112"
    assert drawn("spread", "1.5.. .55.2 ..5..", 1) == "11522 15522 11522"
    assert drawn("spread", ".5.2 55.2 ....", 1) == ".522 5522 2222"


def test_periods() -> None:
    assert drawn("period_fill", "12.2 .1.1") == "12.2 .1.1"
    assert drawn("period_fill", "121. 343. 1..2") == "1212 3434 1212"
    assert drawn("period_fill", "12.. ....") == "1212 1212"
    assert drawn("period_fill", "12 3.") == "12 3."
    assert drawn("period_fill", "1.. ... ...") == "111 111 111"


def test_resampling_weighs_areas() -> None:
    assert drawn("resample", "112", (1, 2)) == "12"
    assert drawn("resample", "123", (1, 2)) == "13"
    assert drawn("resample", "122 133", (1, 1)) == "1"
    assert drawn("resample", "12 3.", (4, 2)) == "12 12 3. 3."


def test_wrapping_goes_on_below_or_to_the_right() -> None:
    assert drawn("wrap", "1234567 8912345", (4, 3)) == "123 891 456 234"
    assert drawn("wrap", "12 34 56", (2, 5)) == "1256. 34..."


def test_lines_go_on_behind_cells() -> None:
    assert drawn("lines_through", "..... .1.2. .....", 0) == "..... 11121 ....."
    assert drawn("lines_through", "..... .1.2. .....", 3) == "1.1.2 .1.2. 1.1.2"
