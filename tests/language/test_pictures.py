"""Primitives from picture to picture: their meaning, and the engine against the definitions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import Budget, Value, all_primitives
from arcbatt.language.primitives import pictures
from arcbatt.language.primitives.picture_tools import EMPTY_PICTURE, Picture
from tests.engine.test_engine import check_call

FAR = 2**20 - 1  # the last row or column that a place can have

sides = st.one_of(
    st.integers(1, 4), st.integers(1, 12), st.sampled_from([1, 8, 16, 30, 63, 64, 65])
)
palettes = st.one_of(
    st.just([0]),
    st.sampled_from([[0, 5], [0, 0, 0, 2], [0, 3, 3, 3], [3], [0, 0, 1, 2], [9, 4, 0]]),
    st.lists(st.integers(0, 9), min_size=1, max_size=5),
)
places = st.tuples(st.integers(-30, 30), st.integers(-30, 30))


@st.composite
def made_pictures(draw: st.DrawFn) -> Picture:
    high, wide, palette = draw(sides), draw(sides), draw(palettes)
    rng = draw(st.randoms(use_true_random=False))
    rows = [tuple(rng.choice(palette) for _ in range(wide)) for _ in range(high)]
    if draw(st.booleans()):  # lines that repeat
        rows = [rows[rng.randrange(k + 1)] for k in range(high)]
    if draw(st.booleans()):  # a margin
        rows = [tuple(c if 1 < j < wide - 1 else 0 for j, c in enumerate(row)) for row in rows]
    return draw(places), tuple(rows)


some_pictures = st.one_of(
    made_pictures(),
    st.just(EMPTY_PICTURE),
    st.just(((3, -4), ())),
    st.builds(
        lambda p, at: (at, p[1]), made_pictures(), st.sampled_from([(FAR, -FAR), (-FAR, FAR)])
    ),
)
STEPS = [name for name, primitive in all_primitives().items() if primitive.family == "pictures"]


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
@given(st.data())
def test_the_engine_agrees(name: str, data: st.DataObject) -> None:
    ranges = dict(all_primitives()[name].codes)
    colors_or_codes = [ranges.get(k, range(10)) for k in range(1, all_primitives()[name].arity)]
    numbers = [data.draw(st.integers(c[0] - 1, c[-1] + 1)) for c in colors_or_codes]
    check_call(name, [data.draw(some_pictures), *numbers])


@pytest.mark.parametrize("form", range(4))
def test_large_tallies_are_refused_alike(form: int) -> None:
    full = ((0, 0), ((1,) * 40,) * 40)
    for n_bytes in (2**14, 2**15, 2**16, 2**25):
        check_call("tally", [full, 0, form], Budget(steps=10**8, bytes=n_bytes))


# --- what they mean ---


def drawn(text: str, row: int = 0, column: int = 0) -> Picture:
    """A picture of lines of digits; a dot is 0."""
    lines = text.replace(".", "0").split()
    return (row, column), tuple(tuple(map(int, line)) for line in lines)


def step(name: str, *args: Value) -> Any:
    return getattr(pictures, name)(*args)


@pytest.mark.parametrize(
    ("name", "given_text", "wanted"),
    [
        # The outside goes round corners only by sides for solid and holes...
        ("solid", ".2. 2.2 .2.", ".2. 222 .2."),
        ("holes", ".2. 2.2 .2.", "... .2. ..."),
        ("solid", "33333 3.2.3 33.33 3...3 33333", "33333 33333 33333 33333 33333"),
        ("holes", "3333 3..3 33.3", ".... .... ...."),
        ("solid", ".... .44. .4.. 1...", ".... .44. .4.. 4..."),
        # ... and also by corners for rim and core.
        ("rim", "..... ..2.. .2.2. ..2.. .....", "..... ..2.. .2.2. ..2.. ....."),
        ("rim", "5555. 5555. 5555. 5555. .....", "5555. 5..5. 5..5. 5555. ....."),
        ("core", "..... .555. .565. .555. .....", "..... ..... ..6.. ..... ....."),
        ("core", "55555 55.55 55555", "..... .5.5. ....."),
        ("rim", "55555 55.55 55555", "55555 5...5 55555"),
        ("core", "55.55 55555 55555 55555", "..... ..... .555. ....."),
        ("negative", "..4 .7.", "44. 4.4"),
        ("shrink", ".... .1.2 .... ....", "1.2"),
        ("collapse", "1122 1122 .... 1122", "12 .. 12"),
    ],
)
def test_shapes(name: str, given_text: str, wanted: str) -> None:
    got = step(name, drawn(given_text, 2, 3))
    assert got[1] == drawn(wanted)[1]
    if name in ("solid", "holes", "rim", "core", "negative"):
        assert got[0] == (2, 3)


def test_the_outside_of_a_rim_goes_through_corners() -> None:
    ring = drawn("5555 5555 55.5 555.")
    assert step("core", ring)[1] == drawn(".... .... .... ....")[1]
    assert step("rim", ring) == ring
    assert step("holes", ring)[1] == drawn(".... .... ..5. ....")[1]


@pytest.mark.parametrize(
    ("what", "n"),
    [(0, 14), (1, 2), (2, 2), (3, 5), (4, 1)],
)
def test_what_tallies_count(what: int, n: int) -> None:
    given_picture = drawn("333.... 3.3..33 33.3... 7..7... 77.....", 5, 5)
    assert step("tally", given_picture, what, 2) == ((0, 0), ((3,),) * n)


def test_forms_of_tallies() -> None:
    four = drawn("2.2 ..." + " 2.2")
    assert step("tally", four, 0, 0) == ((0, 0), ((2,) * 4,) * 4)
    assert step("tally", four, 0, 1) == ((0, 0), ((2,) * 4,))
    assert step("tally", four, 0, 3)[1] == drawn("222 2.. ...")[1]
    assert step("tally", drawn("2222 2222 2222"), 0, 3)[1] == drawn("222 222 222")[1]
    assert step("tally", drawn("222"), 4, 3) == EMPTY_PICTURE


@pytest.mark.parametrize("name", STEPS)
def test_nothing_gives_nothing_wherever_it_lies(name: str) -> None:
    numbers = [1] * (all_primitives()[name].arity - 1)
    assert step(name, ((3, -4), ()), *numbers) == EMPTY_PICTURE


def test_the_main_color_of_a_blank_picture_is_0() -> None:
    blank = drawn("... ...", 4, 5)
    assert step("slab", blank, 0) == ((0, 0), blank[1])
    assert step("slab", blank, 2) == blank
    assert step("solid", blank) == blank
    assert step("spot", blank) == ((4, 5), ((0,),))
