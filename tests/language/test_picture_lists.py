"""Lists of pictures: the engine against the definitions, and the meaning of the primitives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import Budget, Value, all_primitives
from arcbatt.language.budget import Meter, use_meter
from arcbatt.language.calls import call_primitive
from arcbatt.language.values import MAX_NUMBER, Grid
from arcbatt.tasks import load
from tests.engine.test_engine import check_call

Picture = tuple[tuple[int, int], Grid]
EMPTY_PICTURE: Picture = ((0, 0), ())


def grid(text: str) -> Grid:
    """Rows of digits, a dot for 0."""
    return tuple(tuple(map(int, line)) for line in text.replace(".", "0").split())


def pic(text: str, row: int = 0, column: int = 0) -> Picture:
    return (row, column), grid(text)


def call(name: str, *args: Value) -> Value:
    use_meter(Meter(Budget()))
    return call_primitive(all_primitives()[name], args)


# --- the engine ---

sizes = st.one_of(
    st.tuples(st.integers(1, 6), st.integers(1, 6)),
    st.tuples(st.integers(1, 12), st.integers(1, 12)),
    st.tuples(st.integers(1, 3), st.sampled_from([63, 64, 65, 70])),
    st.tuples(st.sampled_from([63, 64, 65, 70]), st.integers(1, 3)),
)
near = st.integers(-9, 9)
places = st.tuples(near, near) | st.tuples(
    st.sampled_from([MAX_NUMBER, -MAX_NUMBER, MAX_NUMBER - 3]), near
)


@st.composite
def drawn_grids(draw: st.DrawFn) -> Grid:
    """Pictures of few colors, often with lines right through them."""
    high, wide = draw(sizes)
    palette = draw(st.lists(st.integers(0, 9), min_size=1, max_size=3)) + [0] * draw(
        st.integers(0, 3)
    )
    rng = draw(st.randoms(use_true_random=False))
    rows = [[rng.choice(palette) for _ in range(wide)] for _ in range(high)]
    for _ in range(draw(st.integers(0, 3))):
        color = rng.choice([*palette, 5])
        if rng.random() < 0.5:
            rows[rng.randrange(high)] = [color] * wide
        else:
            column = rng.randrange(wide)
            for line in rows:
                line[column] = color
    return tuple(map(tuple, rows))


pictures = st.one_of(
    st.tuples(places, drawn_grids()), st.tuples(places, st.just(())), st.just(EMPTY_PICTURE)
)


@st.composite
def picture_lists(draw: st.DrawFn) -> frozenset[Picture]:
    """Some at many places with the same cells, so that there are ties."""
    grids = draw(st.lists(drawn_grids() | st.just(()), max_size=4))
    if not grids:
        return frozenset()
    close = st.tuples(st.integers(-4, 4), st.integers(-4, 4))
    return draw(st.frozensets(st.tuples(close, st.sampled_from(grids)), max_size=30))


OF_PICTURES = (
    "split_colors",
    "split_parts",
    "split_shapes",
    "cut",
    "split_columns",
    "split_rows",
    "split_halves",
    "split_blocks",
)
OF_LISTS = ("heap_up",)
OF_LISTS_BY_CODE = ("pick", "best_of", "rest_of", "overlay")


def codes_of(name: str) -> range:
    ((_, codes),) = all_primitives()[name].codes
    return codes


def test_all_are_tested() -> None:
    family = [name for name, p in all_primitives().items() if p.family == "picture_lists"]
    assert sorted([*OF_PICTURES, *OF_LISTS, *OF_LISTS_BY_CODE, "settle"]) == sorted(family)


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_PICTURES)
@given(pictures)
def test_of_pictures(name: str, p: Picture) -> None:
    check_call(name, [p])


@given(pictures, st.integers(-1, 4))
def test_settle(p: Picture, code: int) -> None:
    check_call("settle", [p, code])


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_LISTS)
@given(picture_lists())
def test_of_lists(name: str, several: frozenset[Picture]) -> None:
    check_call(name, [several])


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_LISTS_BY_CODE)
@given(picture_lists(), st.data())
def test_of_lists_by_code(name: str, several: frozenset[Picture], data: st.DataObject) -> None:
    check_call(name, [several, data.draw(st.integers(-1, codes_of(name)[-1] + 1))])


@pytest.mark.slow
def test_real_grids() -> None:
    for task in load("arc-agi-1/training")[:40]:
        p: Picture = ((0, 0), task.demos[0].input)
        for name in OF_PICTURES:
            check_call(name, [p])
        for code in codes_of("settle"):
            check_call("settle", [p, code])
        several = call("split_parts", p)
        for name in OF_LISTS:
            check_call(name, [several])
        for name in OF_LISTS_BY_CODE:
            for code in codes_of(name):
                check_call(name, [several, code])


@pytest.mark.parametrize("steps", [300, 3_000, 30_000])
def test_what_is_over_the_budget(steps: int) -> None:
    hooks = [[max(i, j) % 2 + 1 for j in range(30)] for i in range(30)]  # large boxes, nested
    p: Picture = ((0, 0), tuple(map(tuple, hooks)))
    net = [[int(i % 2 * j % 2 == 0) for j in range(30)] for i in range(30)]
    frames: Picture = ((0, 0), tuple(map(tuple, net)))
    for given_picture in (p, frames):
        for name in OF_PICTURES:
            check_call(name, [given_picture], Budget(steps=steps))
        check_call("settle", [given_picture, 0], Budget(steps=steps))
    apart = frozenset({pic("1"), pic("1", 900, 900)})
    check_call("heap_up", [apart], Budget(steps=steps))


# --- what they mean ---


def test_cut_takes_the_color_whose_smallest_part_is_largest() -> None:
    # Both 5 and 0 reach across and leave two parts or more; 0 leaves a single cell.
    p = pic("11511 .15.. 11511", 3, 2)
    assert call("cut", p) == frozenset({pic("11 .1 11", 3, 2), pic("11 .. 11", 3, 5)})


def test_cut_takes_zeros_as_part_of_a_remainder() -> None:
    p = pic("..5.. 1.5.2 ..5..")
    assert call("cut", p) == frozenset({pic(".. 1. .."), pic(".. .2 ..", 0, 3)})


def test_cut_does_not_separate_what_touches_no_outer_wall() -> None:
    # The inside of the ring of 2 touches only a 0 that is not connected with the edge.
    p = pic("....... .22222. .2...2. .2.3.2. .2...2. .22222. .......")
    # So the most common color, 0, is the separator, which leaves the ring and the cell.
    ring = pic("22222 2...2 2...2 2...2 22222", 1, 1)
    assert call("cut", p) == frozenset({ring, pic("3", 3, 3)})


def test_cut_without_a_separator_takes_the_commonest_color() -> None:
    assert call("cut", pic("333 343 333")) == frozenset({pic("4", 1, 1)})
    assert call("cut", pic("333")) == frozenset()


def test_parts_and_shapes() -> None:
    p = pic("11. .12 3.2", 5, 5)
    assert call("split_parts", p) == frozenset(
        {pic("11 .1", 5, 5), pic("2 2", 6, 7), pic("3", 7, 5)}
    )
    assert call("split_shapes", p) == frozenset({p})
    hook = pic("111 ..1 2.1")
    assert call("split_shapes", hook) == frozenset({pic("111 ..1 ..1"), pic("2", 2, 0)})


def test_settled_parts_stop_at_what_has_settled() -> None:
    p = pic("1..2 3... ....")
    assert call("settle", p, 0) == frozenset({pic("1", 0, 2), pic("2", 0, 3), pic("3", 1, 3)})
    assert call("settle", p, 2) == frozenset({pic("1", 1, 0), pic("2", 2, 3), pic("3", 2, 0)})
    assert call("settle", p, 3) == frozenset({pic("1"), pic("2", 0, 3), pic("3", 1, 0)})
    # The hook begins further left than the cell in it, so the cell moves first, through the hook.
    hook = pic("11.. 12.. 11..")
    assert pic("2", 1, 3) in call("settle", hook, 0)  # type: ignore[operator]


LIST = frozenset(
    {
        pic("11 11", 0, 5),
        pic("11 1.", 1, 4),
        pic("22 2.", 2, 3),
        pic("333 3.3 333", 3, 2),
        pic("4..5.6", 4, 1),
        pic("11 11", 5, 0),
    }
)


@pytest.mark.parametrize(
    ("code", "row"),
    [
        (0, 3),
        (1, 1),
        (2, 3),
        (3, 0),
        (4, 4),
        (5, 0),
        (6, 5),
        (7, 4),
        (8, 4),
        (9, 0),
        (10, 3),
        (11, 0),
        (12, 5),
        (13, 0),
        (14, 0),
        (15, 1),
        (16, 0),
        (17, 3),
        (18, 0),
        (19, 0),
        (20, 1),
    ],
)
def test_what_is_picked(code: int, row: int) -> None:
    picked = call("pick", LIST, code)
    assert isinstance(picked, tuple)
    assert picked[0][0] == row  # type: ignore[index]
    best, rest = call("best_of", LIST, code), call("rest_of", LIST, code)
    assert isinstance(best, frozenset) and isinstance(rest, frozenset)
    assert best | rest == LIST and not best & rest
    assert picked == min(best)  # type: ignore[type-var]


def test_joins() -> None:
    several = frozenset({pic("111 111", 2, 2), pic("22", 3, 1), pic("3", 2, 2)})
    assert call("heap_up", several) == pic(".311 2211", 2, 1)


@pytest.mark.parametrize(
    ("code", "wanted"), [(0, "123."), (1, "1..."), (2, ".23."), (3, "...1"), (4, "....")]
)
def test_overlays(code: int, wanted: str) -> None:
    several = frozenset({pic("1...", 0, 0), pic("22..", 0, 9), pic("4.3.", 5, 5), pic("99", 7, 7)})
    assert call("overlay", several, code) == pic(wanted)


@pytest.mark.parametrize("name", [*OF_LISTS, *OF_LISTS_BY_CODE])
def test_of_nothing(name: str) -> None:
    args = [0] if name in OF_LISTS_BY_CODE else []
    wanted = frozenset() if name in ("best_of", "rest_of") else EMPTY_PICTURE
    assert call(name, frozenset(), *args) == wanted
