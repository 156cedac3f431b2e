"""Learners of panels and classes of grids: examples, and the engine against `interpret`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import Reason
from arcbatt.language.learners.panels import GRID_FEATURES, KEYS, LAYOUTS, PANEL_FEATURES
from arcbatt.language.native import find_rule
from arcbatt.language.registry import words_of_call
from tests.conftest import grids
from tests.engine.test_engine import check_call
from tests.language.test_learned import demos_of, failure, give, grid_of

ALL_FEATURES = range(len(PANEL_FEATURES))
BY_LINES = 0


@st.composite
def paneled(draw: st.DrawFn, shape: tuple[int, int], size: tuple[int, int], line: int) -> Any:
    """Draw panels of few colors, some of them equal, and the grid that has them between lines."""
    (n_rows, n_columns), (height, width) = shape, size
    panel = st.lists(
        st.lists(st.sampled_from([0, 0, 1, 2, 3]), min_size=width, max_size=width),
        min_size=height,
        max_size=height,
    )
    kinds = draw(st.lists(panel, min_size=1, max_size=4))
    n = n_rows * n_columns
    panels = [draw(st.sampled_from(kinds)) for _ in range(n)]
    rows: list[list[int]] = []
    for a in range(n_rows):
        if a:
            rows.append([line] * (n_columns * width + n_columns - 1))
        for i in range(height):
            row: list[int] = []
            for b in range(n_columns):
                row += ([line] if b else []) + panels[a * n_columns + b][i]
            rows.append(row)
    return tuple(tuple(map(tuple, panel)) for panel in panels), tuple(map(tuple, rows))


@st.composite
def lessons(draw: st.DrawFn) -> Any:
    """Draw demos about panels, and a grid to apply the rule to."""
    shape = draw(st.tuples(st.integers(1, 3), st.integers(2, 3)))
    size = shape if draw(st.booleans()) else draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    line = draw(st.sampled_from([5, 5, 0]))
    becomes = draw(st.sampled_from(["laid over", "first", "cells", "changed", "any"]))
    demos = []
    for _ in range(draw(st.integers(1, 3))):
        panels, grid = draw(paneled(shape, size, line))
        if becomes == "laid over":
            wanted = tuple(
                tuple(max(panel[i][j] for panel in panels) for j in range(size[1]))
                for i in range(size[0])
            )
        elif becomes == "first":
            wanted = panels[0]
        elif becomes == "cells":
            counts = [sum(map(any, zip(*panel, strict=True))) for panel in panels]
            wanted = tuple(
                tuple(counts[a * shape[1] : (a + 1) * shape[1]]) for a in range(shape[0])
            )
        elif becomes == "changed":
            wanted = tuple(tuple(4 if cell == 2 else cell for cell in row) for row in grid)
        else:
            wanted = draw(grids(4))
        demos.append((grid, wanted))
    _, last = draw(paneled(shape, size, line))
    return tuple(demos), draw(st.sampled_from([last, demos[0][0]]))


@pytest.mark.slow
@given(lessons(), st.integers(0, len(LAYOUTS) - 1), st.data())
def test_panels_in_the_engine(lesson: Any, layout: int, data: st.DataObject) -> None:
    demos, grid = lesson
    layout = data.draw(st.sampled_from([BY_LINES, layout]))
    for how in range(3):
        check_call("learn_panels", [demos, grid, layout, how])
    for feature in data.draw(st.lists(st.sampled_from(ALL_FEATURES), min_size=6, max_size=6)):
        check_call("panel_cells", [demos, grid, layout, feature])
    for key in range(len(KEYS)):
        check_call("fill_panels", [demos, grid, key, data.draw(st.integers(0, 1))])


@pytest.mark.slow
@given(st.lists(st.tuples(grids(4), grids(2)), min_size=1, max_size=4), st.data())
def test_classes_in_the_engine(demos: Any, data: st.DataObject) -> None:
    grid = data.draw(st.sampled_from([each for each, _ in demos]))
    turned = tuple(zip(*grid[::-1], strict=True))
    for feature in range(len(GRID_FEATURES)):
        check_call("learn_class", [tuple(demos), grid, feature])
        check_call("learn_class", [tuple(demos), turned, feature])


@pytest.mark.parametrize(
    ("layout", "grid", "panels"),
    [
        (0, "1052 0053", []),
        (0, "10520 00530", ["10 00", "20 30"]),
        (0, "5555 5105 5555 5205", ["10", "20"]),
        (0, "151 555 252 555 353", ["1", "1", "2", "2", "3", "3"]),
        (1, "1200 1100 0000 0022", []),
        (1, "120 110 000 230 231", ["120 110", "230 231"]),
        (1, "0120 0000 0230", ["12", "23"]),
        (2, "12345", ["12", "45"]),
        (2, "1", []),
        (3, "1 2 3", ["1", "3"]),
        (4, "123 456 789", ["1", "3", "7", "9"]),
        (4, "12", []),
        (5, "123456 123455", ["12 12", "34 34", "56 55"]),
        (5, "1 2 3", ["1", "2", "3"]),
        (5, "12 12", []),
        (5, "123 123", []),
    ],
)
def test_layouts(layout: int, grid: str, panels: list[str]) -> None:
    whole = grid_of(*grid.split())
    for panel in panels:
        wanted = grid_of(*panel.split())
        assert give("learn_panels", ((whole, wanted),), whole, layout, 0) == wanted
    n = len(panels)
    line = ((tuple(range(n)),), tuple((k,) for k in range(n)))
    cells = [give("panel_cells", ((whole, each),), whole, layout, 19) for each in line if n]
    is_table = layout == 4 or grid.startswith("151")
    assert (
        [each in cells for each in line] == [False, False]
        if is_table
        else any(each == cell for each, cell in zip(line, cells, strict=False)) == bool(n)
    )


PANELS = ("10 01", "00 00", "12 20", "10 01")


def check_feature(panels: tuple[str, ...], feature: int, keys: list[Any]) -> None:
    """Check the feature's value for each panel, by the rule of a demo that colors them by it."""
    rows = zip(*(panel.split() for panel in panels), strict=True)
    grid = grid_of(*("5".join(row) for row in rows))
    colors = {key: 6 + k for k, key in enumerate(dict.fromkeys(keys))}
    demo = (grid, (tuple(colors[key] for key in keys),))
    rule: Any = find_rule("panel_cells", [(demo,), grid, BY_LINES, feature])
    assert dict(rule) == {key: 10 + color for key, color in colors.items()}
    assert give("panel_cells", (demo,), grid, BY_LINES, feature) == demo[1]


@pytest.mark.parametrize(
    ("feature", "keys"),
    [
        (0, [2, 0, 3, 2]),
        (1, [1, 0, 2, 1]),
        (2, [0b10, 0, 0b110, 0b10]),
        (3, [1, 0, 2, 1]),
        (4, [((1, 0), (0, 1)), ((0, 0), (0, 0)), ((1, 1), (1, 0)), ((1, 0), (0, 1))]),
        (6, [0, 3, 0, 0]),
        (7, [1, 1, 1, 1]),
        (8, [1, 0, 2, 1]),
        (9, [2, 0, 3, 2]),
        (10, [0, 0, 0, 0]),
        (11, [0, 0, 1, 0]),
        # From 12 on panels are compared with each other.
        (12, [1, 2, 0, 1]),
        (13, [1, 0, 2, 1]),
        (14, [1, 2, 0, 1]),
        (15, [2, 1, 1, 2]),
        (16, [2, 1, 1, 2]),
        (17, [1, 2, 0, 1]),
        (18, [1, 1, 0, 1]),
        (19, [0, 1, 2, 3]),
        (20, [0, 2, 1, 0]),
        (21, [1, 1, 0, 1]),
    ],
)
def test_features_of_panels(feature: int, keys: list[Any]) -> None:
    check_feature(PANELS, feature, keys)


def test_more_features_of_panels() -> None:
    check_feature(("111 101 111", "000 101 000"), 10, [1, 0])
    mask = ((1, 0), (0, 1))
    check_feature(("10 01", "01 10"), 5, [mask, mask])
    assert len(set(PANEL_FEATURES)) == len(PANEL_FEATURES) == 29


def test_panels_come_to_what_demos_show() -> None:
    # The right panel where it shows something, else the left one.
    over = ((grid_of("10520", "00533", "41501"), grid_of("20", "33", "41")),)
    assert give("learn_panels", over, grid_of("70502"), 0, 1) == grid_of("72")
    assert give("learn_panels", over, grid_of("70502"), 0, 0) == failure(Reason.EMPTY)
    assert give("learn_panels", over, grid_of("00500"), 0, 1) == grid_of("00")
    # As many as show something; but not of another number of panels.
    count = ((grid_of("12503", "00501"), grid_of("78", "07")),)
    assert give("learn_panels", count, grid_of("40566"), 0, 2) == grid_of("87")
    assert give("learn_panels", count, grid_of("4050056"), 0, 2) == failure(Reason.EMPTY)
    two = ((grid_of("151"), grid_of("1")), (grid_of("151"), grid_of("2")))
    assert give("learn_panels", two, grid_of("151"), 0, 0) == failure(Reason.EMPTY)
    assert give("learn_panels", over[:1], grid_of("10"), 0, 0) == failure(Reason.EMPTY)
    larger = ((grid_of("151"), grid_of("11")),)
    assert give("learn_panels", larger, grid_of("151"), 0, 0) == failure(Reason.EMPTY)
    many = grid_of("15" * 9 + "1", "25" * 9 + "2")
    assert give("learn_panels", ((many, grid_of("1", "2")),), many, 0, 2) == failure(Reason.EMPTY)


def test_panels_become_cells() -> None:
    demos = ((grid_of("10522", "55555", "33500"), grid_of("12", "30")),)
    assert give("panel_cells", demos, grid_of("40588"), 0, 0) == grid_of("48")
    assert give("panel_cells", demos, grid_of("40588"), 0, 2) == failure(Reason.EMPTY)
    alike = ((grid_of("10520"), grid_of("47")),)
    assert give("panel_cells", alike, grid_of("10520"), 0, 0) == failure(Reason.EMPTY)
    assert give("panel_cells", alike, grid_of("20510"), 0, 3) == grid_of("74")
    line = ((grid_of("10520"), grid_of("4")),)
    assert give("panel_cells", line, grid_of("10520"), 0, 0) == failure(Reason.EMPTY)


def test_a_grid_has_the_output_of_its_class() -> None:
    demos = demos_of("27a28665")
    for feature, taught in ((4, 1), (3, 0)):
        right = [
            give("learn_class", demos[:k] + demos[k + 1 :], grid, feature) == wanted
            for k, (grid, wanted) in enumerate(demos)
        ]
        assert any(right) == taught
    one = ((grid_of("10"), grid_of("3")), (grid_of("11"), grid_of("3")))
    assert give("learn_class", one, grid_of("10"), 0) == failure(Reason.EMPTY)
    unlike = ((grid_of("10"), grid_of("3")), (grid_of("01"), grid_of("4")))
    assert give("learn_class", unlike, grid_of("10"), 0) == failure(Reason.EMPTY)
    assert give("learn_class", unlike, grid_of("11"), 4) == failure(Reason.EMPTY)
    assert give("learn_class", unlike, grid_of("05"), 4) == grid_of("4")


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        (0, "00"),
        (1, "10"),
        (2, "12"),
        (3, "12"),
        (4, "00"),
        (5, "12"),
    ],
)
def test_a_panel_is_the_key_to_the_others(key: int, shown: str) -> None:
    """Where the key is not 0 a place becomes 7."""
    check_filling(grid_of("00512510"), key, shown)


def check_filling(grid: Any, key: int, shown: str) -> None:
    places = [cell != 5 and shown[k % 3] != "0" for k, cell in enumerate(grid[0])]
    becomes = tuple(7 if is_shown else cell for is_shown, cell in zip(places, grid[0], strict=True))
    assert give("fill_panels", ((grid, (becomes,)),), grid, key, 0) == (becomes,)


def test_the_odd_panel_is_the_key() -> None:
    check_filling(grid_of("10510502"), 6, "02")
    for row in ("10510510", "10502533"):
        grid = grid_of(row)
        assert give("fill_panels", ((grid, grid),), grid, 6, 0) == failure(Reason.EMPTY)
    demos = ((grid_of("10500"), grid_of("70500")),)
    assert give("fill_panels", demos, grid_of("10502"), 1, 0) == failure(Reason.EMPTY)
    two = ((grid_of("10511"), grid_of("20534")),)
    assert give("fill_panels", two, grid_of("10511"), 1, 0) == failure(Reason.EMPTY)


def test_a_map_has_a_cell_for_each_panel() -> None:
    wide = grid_of("40511", "00510")
    assert give("fill_panels", ((wide, wide),), wide, 8, 0) == failure(Reason.EMPTY)
    square = grid_of("40511", "00510", "55555", "10510", "11511")
    becomes = grid_of("44500", "44500", "55555", "00500", "00500")
    assert give("fill_panels", ((square, becomes),), square, 8, 0) == becomes
    beside = grid_of("44500", "44500", "66666", "00500", "00500")
    assert give("fill_panels", ((square, beside),), square, 8, 0) == failure(Reason.EMPTY)
    assert give("fill_panels", ((square, grid_of("1")),), square, 8, 0) == failure(Reason.EMPTY)


# --- in words ---


def test_classes_in_words() -> None:
    demos = ((grid_of("10"), grid_of("3")), (grid_of("22", "02"), grid_of("4")))
    said = [words_of_call("learn_class", None, [demos, demos[0][0], k]) for k in range(12)]
    assert len({lines[0] for lines in said}) == 12
    assert said[0][1:] == ["1: the output of demo 1", "3: the output of demo 2"]
    assert said[2][1:] == ["blue: the output of demo 1", "red: the output of demo 2"]
    assert said[3][1] == "blue: the output of demo 1"
    assert said[4][1:] == ["##/.#: the output of demo 2", "#.: the output of demo 1"]
    assert said[6][1:] == [
        "neither: the output of demo 2",
        "top to bottom only: the output of demo 1",
    ]
    assert said[7][1] == "no: the output of demo 1"


def test_panels_in_words() -> None:
    grid = grid_of("10520", "00533")
    over = ((grid, grid_of("20", "33")),)
    colors, shown, count = (
        words_of_call("learn_panels", None, [over, grid, 0, how]) for how in range(3)
    )
    assert colors[0].startswith(
        "panels (between lines of a color other than black) are laid over each other"
    )
    assert "blue, red: the color in panel 2" in colors
    assert "black, colored: the color in panel 2" in shown
    assert count[1:] == [
        "0 of them: the color in panel 1",
        "1 of them: the color in panel 2",
        "2 of them: the color in panel 2",
    ]
    one = ((grid_of("15"), grid_of("7")),)
    assert words_of_call("learn_panels", None, [one, grid_of("15"), 2, 1])[1:] == [
        "colored, colored: orange"
    ]
    cells = words_of_call("panel_cells", None, [((grid, grid_of("14")),), grid, 0, 0])
    assert cells[1:] == ["1: its most common color", "3: yellow"]


def test_filling_in_words() -> None:
    demos, grid = demos_of("29623171"), demos_of("29623171")[0][0]
    key, *lines = words_of_call("fill_panels", None, [demos, grid, 2, 1])
    assert key.endswith("are filled by a key, all panels, laid over each other:")
    assert any(
        line.startswith("a black place of a panel with the most colored cells becomes")
        for line in lines
    )
    square = grid_of("10511", "00510", "55555", "10510", "11511")
    lines = words_of_call("fill_panels", None, [((square, square),), square, 8, 0])
    assert "a colored place stays where the key is black" in lines
    sevens = tuple(tuple(7 if cell != 5 else 5 for cell in row) for row in square)
    lines = words_of_call("fill_panels", None, [((square, sevens),), square, 0, 0])
    assert any(line.endswith("becomes orange where the key is black") for line in lines)
