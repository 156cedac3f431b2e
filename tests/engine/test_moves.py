"""Moves on the bank's pictures, of bytes, agree with the primitives' definitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt.engine import _enumerate
from arcbatt.language import Value, all_primitives, evaluate_call
from arcbatt.language.budget import Meter, metered
from arcbatt.language.calls import call_primitive
from arcbatt.language.failure import CallFailed, over_budget
from arcbatt.language.values import MAX_NUMBER, ordered, weigh
from arcbatt.proposers.enumerate.moves import Move, vocabulary
from tests.conftest import colors

# A search refuses what is larger than this in a task of the largest grids: pictures, lists in all,
# and what a move asks for before it makes it.
MAX_AREA = 2 * 30 * 30
MAX_LIST_AREA = 10 * 30 * 30
MAX_ITEMS = 1000
MAX_REQUIRED = 2 * MAX_AREA

PRIMITIVES = tuple(dict.fromkeys(move.primitive for move in vocabulary()))
EMPTY = ((0, 0), ())
# Of each primitive: the definitions are slow on large pictures.
N_EXAMPLES = 50


# --- pictures, as the language and as the bank has them ---


def pack(picture: Any) -> tuple[int, int, int, int, bytes]:
    (row, column), grid = picture
    if not grid:
        return 0, 0, 0, 0, b""
    return row, column, len(grid), len(grid[0]), b"".join(map(bytes, grid))


def unpack(packed: Any) -> Any:
    row, column, n_rows, width, cells = packed
    rows = [tuple(cells[width * i : width * (i + 1)]) for i in range(n_rows)]
    return (row, column), tuple(rows)


def apply(number: int, value: Any, size: tuple[int, int]) -> Any:
    """Return the result of a move in the bank as a value of the language; None if refused."""
    is_list = isinstance(value, frozenset)
    packed = [pack(picture) for picture in value] if is_list else pack(value)
    found = _enumerate.apply(number, packed, size)
    if found is None:
        return None
    return frozenset(map(unpack, found)) if isinstance(found, list) else unpack(found)


def arguments(move: Move, size: tuple[int, int]) -> list[Value]:
    return [*([size] if move.takes else []), *move.args]


def area(picture: Any) -> int:
    return len(picture[1]) * len(picture[1][0]) if picture[1] else 0


def is_kept(value: Any) -> bool:
    """Return whether a value is within the limits of a search."""
    if not isinstance(value, frozenset):
        return area(value) <= MAX_AREA
    return len(value) <= MAX_ITEMS and sum(map(area, value)) <= MAX_LIST_AREA


def numbers_of(primitive: str) -> list[int]:
    return [k for k, move in enumerate(vocabulary()) if move.primitive == primitive]


class BankMeter(Meter):
    """Bounds each request for elements, as a search does, and nothing else."""

    def require(self, n_elements: int) -> None:
        if n_elements > MAX_REQUIRED:
            raise over_budget("more than a search makes")


def by_definition(name: str, args: Sequence[Value]) -> Any:
    """Return the result of a definition within the limits of a search; None if refused."""
    try:
        with metered(BankMeter()):
            given_value = call_primitive(all_primitives()[name], args)
    except CallFailed:
        return None
    return given_value if is_kept(given_value) else None


def check(number: int, value: Any, size: tuple[int, int]) -> None:
    """Check that a move gives the same as its definition, or is refused as stated."""
    move = vocabulary()[number]
    args = [value, *arguments(move, size)]
    found, wanted = apply(number, value, size), by_definition(move.primitive, args)
    # Some moves ask for a list as a whole before they make it, where the definition has it weighed
    # after: such a list may be refused.
    if found is None and isinstance(wanted, frozenset) and weigh(wanted, 2**30) > MAX_REQUIRED:
        return
    assert found == wanted


def check_on_items(number: int, pictures: Any, size: tuple[int, int]) -> None:
    """Check that a move on a list of pictures is applied to each of its pictures."""
    move = vocabulary()[number]
    found = [by_definition(move.primitive, [each, *move.args]) for each in ordered(pictures)]
    # The area is that of the pictures before equal ones become one.
    is_refused = None in found or sum(map(area, found)) > MAX_LIST_AREA
    assert apply(number, pictures, size) == (None if is_refused else frozenset(found))


# --- what they are tried on ---


@st.composite
def pictures(draw: st.DrawFn, most: int = 8) -> Any:
    """Pictures of few colours, mostly near the origin; now and then the empty one."""
    high, wide = draw(st.integers(0, most)), draw(st.integers(1, most))
    if not high:
        return EMPTY
    palette = draw(st.lists(colors, min_size=1, max_size=4))
    row = st.lists(st.sampled_from(palette), min_size=wide, max_size=wide).map(tuple)
    near = st.integers(-4, 12)
    far = st.sampled_from([-MAX_NUMBER, MAX_NUMBER, 1000])
    place = draw(st.tuples(near, near) | st.tuples(near | far, near | far))
    return place, tuple(draw(st.lists(row, min_size=high, max_size=high)))


@st.composite
def large_pictures(draw: st.DrawFn) -> Any:
    """Pictures as large as grids are, or twice as large, with a pattern in them."""
    high, wide = draw(st.sampled_from([(30, 30), (60, 30), (30, 60), (29, 1), (1, 30), (17, 30)]))
    a, b, n = draw(st.integers(1, 7)), draw(st.integers(1, 7)), draw(st.integers(1, 10))
    move = draw(st.integers(1, 5))
    grid = tuple(
        tuple((i * a + j * b) % n if (i // move + j // move) % 2 else 0 for j in range(wide))
        for i in range(high)
    )
    return (draw(st.integers(-3, 3)), draw(st.integers(-3, 3))), grid


sizes = st.tuples(st.integers(1, 30), st.integers(1, 30))
picture_sets = st.frozensets(pictures(5), max_size=6)


@pytest.mark.slow
@pytest.mark.parametrize("primitive", PRIMITIVES)
@settings(max_examples=N_EXAMPLES)
@given(st.data())
def test_a_move_is_what_its_primitive_is(primitive: str, data: st.DataObject) -> None:
    number = data.draw(st.sampled_from(numbers_of(primitive)))
    takes_list = vocabulary()[number].shape in ("pick", "sift")
    value = data.draw(picture_sets if takes_list else pictures() | large_pictures())
    check(number, value, data.draw(sizes))


ON_ITEMS = tuple(
    dict.fromkeys(
        move.primitive for move in vocabulary() if move.shape == "picture" and not move.takes
    )
)


@pytest.mark.slow
@pytest.mark.parametrize("primitive", ON_ITEMS)
@settings(max_examples=N_EXAMPLES)
@given(st.data())
def test_a_step_on_a_list_is_the_step_on_each_picture(primitive: str, data: st.DataObject) -> None:
    number = data.draw(st.sampled_from(numbers_of(primitive)))
    check_on_items(number, data.draw(picture_sets), data.draw(sizes))


def test_long_lists_keep_their_order() -> None:
    """Many moves return the pictures of a long list in another order."""
    many = frozenset(((i, j), ((1 + (i * j) % 9,),)) for i in range(8) for j in range(10))
    for number, move in enumerate(vocabulary()):
        if move.shape in ("pick", "sift"):
            check(number, many, (30, 30))
        elif move.primitive in ON_ITEMS:
            check_on_items(number, many, (30, 30))


@pytest.mark.parametrize("n", range(2, 20))
def test_a_list_of_one_picture_is_not_taken_for_the_empty_picture(n: int) -> None:
    single = [((i, 0), ((1,),)) for i in range(n)]
    value = frozenset([EMPTY, *single, ((n, 0), ((1, 1),))])
    for number in numbers_of("best_of"):
        check(number, value, (20, 20))


def test_every_row_of_the_vocabulary_is_tried_once() -> None:
    """Run each row on one picture that it changes; the properties draw rows at random."""
    grid = (
        (0, 0, 5, 0, 1, 2),
        (3, 0, 5, 0, 4, 0),
        (5, 5, 5, 5, 5, 5),
        (6, 7, 5, 8, 0, 0),
        (0, 0, 5, 9, 9, 0),
    )
    picture = ((1, 2), grid)
    parts: Any = evaluate_call("cut", [picture])
    assert len(parts) > 1
    for number, move in enumerate(vocabulary()):
        check(number, parts if move.shape in ("pick", "sift") else picture, (4, 7))


# --- what is refused ---


@pytest.mark.parametrize(
    ("number", "value", "size", "message"),
    [
        (len(vocabulary()), (0, 0, 1, 1, b"\1"), (1, 1), "no such move"),
        (0, (0, 0, 1, 1, b"\1"), (0, 1), "sides of a size must be 1 to 30"),
        (0, (0, 0, 1, 1, b"\1"), (1, 31), "sides of a size must be 1 to 30"),
        (0, (0, 0, 1, 1, b"\1\1"), (1, 1), "do not match"),
        (0, (0, 0, 1, 1, b"\12"), (1, 1), "a color is above 9"),
        (0, (0, 0, -1, 1, b""), (1, 1), "at most 1800 cells"),
        (0, (0, 0, 0, 1, b""), (1, 1), "at most 1800 cells"),
        (0, (0, 0, 61, 30, bytes(1830)), (1, 1), "at most 1800 cells"),
        (0, (2**20, 0, 1, 1, b"\1"), (1, 1), "place of a picture is out of range"),
        (0, (1, 1, 0, 0, b""), (1, 1), "place of a picture is out of range"),
        (0, [(k, 0, 1, 1, b"\1") for k in range(1001)], (1, 1), "exceeds the limits"),
    ],
)
def test_invalid_pictures_are_refused(
    number: int, value: Any, size: tuple[int, int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        _enumerate.apply(number, value, size)


def shapes_that_do_not_fit() -> Sequence[tuple[int, Any]]:
    picture, pictures_ = ((0, 0), ((1,),)), frozenset({((0, 0), ((1,),))})
    wrong = []
    for number, move in enumerate(vocabulary()):
        if move.shape in ("pick", "sift"):
            wrong.append((number, picture))
        elif move.shape == "cut" or move.takes:
            wrong.append((number, pictures_))
    return wrong


def test_a_step_refuses_what_it_does_not_take() -> None:
    for number, value in shapes_that_do_not_fit():
        assert apply(number, value, (3, 3)) is None
