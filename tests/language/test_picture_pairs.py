"""Combining two pictures: the engine against the definition, and its meaning."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import Reason, evaluate_call
from arcbatt.language.registry import get_primitive
from tests.engine.test_engine import check_call
from tests.language.test_picture_lists import drawn_grids, pic, places

CODES = range(5)
FRAME = pic("2222 2..2 2..2 2222", 4, 4)


def join(code: int, *pictures: Any) -> Any:
    return evaluate_call("join_two", [frozenset(pictures), code])


@pytest.mark.slow
@given(
    st.frozensets(st.tuples(places, drawn_grids()), min_size=1, max_size=3),
    st.booleans(),
    st.sampled_from(CODES),
)
def test_joining_in_the_engine(pictures: Any, is_framed: bool, code: int) -> None:
    check_call("join_two", [pictures | {FRAME} if is_framed else pictures, code])


def test_all_codes_are_looked_at() -> None:
    assert [(code,) for code in CODES] == list(get_primitive("join_two").all_codes())


def test_a_shape_masks_colors_of_its_size_or_of_another() -> None:
    key, shape = pic("37 28", 9, 9), pic("11.. 11.. ..11 ..11")
    assert join(0, key, shape) == pic("3. .8")
    assert join(1, key, pic("1..1 1111")) == pic("3..7 2288")


def test_a_product_has_the_colors_of_the_key() -> None:
    key, mask = pic("2. .3"), pic(".8 88", 0, 5)
    assert join(2, key, mask) == pic(".2.. 22.. ...3 ..33")
    assert join(3, key, mask) == pic("..2. ...3 2.2. .3.3")


def test_the_smaller_is_enlarged_into_the_holes_of_the_larger() -> None:
    assert join(4, pic("5"), FRAME) == pic("2222 2552 2552 2222", 4, 4)
    assert join(4, pic("5.", 1, 1), FRAME) == pic("2222 25.2 2..2 2222", 4, 4)


def test_what_cannot_be_joined_fails() -> None:
    for pictures in (
        [],
        [pic("1")],
        [pic("1"), pic(".", 0, 3)],
        [pic("1", 0, k) for k in range(3)],
    ):
        for code in CODES:
            assert join(code, *pictures).reason is Reason.EMPTY
    assert join(4, pic("5 5 5"), FRAME).reason is Reason.EMPTY
    assert join(4, pic("5"), pic("222")).reason is Reason.EMPTY
    wide = pic("1" * 8)
    assert join(2, wide, pic("1" * 4, 3, 3)).reason is Reason.RANGE
