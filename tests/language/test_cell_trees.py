"""Cell trees: their features, applying them, learning them, and their words."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt.engine.cpu.calls import run_call
from arcbatt.language import Budget, Failure, Reason, all_primitives
from arcbatt.language.budget import Meter, use_meter
from arcbatt.language.primitives.cell_columns import IS_COLOR, IS_TAKEN, MOST, NAMES, NONE, TURNS
from arcbatt.language.primitives.cell_features import FEATURES, columns_of
from arcbatt.language.primitives.cell_trees import ACTIONS, NODE_SIZE, describe_tree
from tests.conftest import grids
from tests.engine.test_engine import check_call
from tests.language.learner_checks import check_cost, check_learner
from tests.language.test_learned import TASKS, demos_of, give, grid_of, lessons

WAYS, PARTS = (codes for _, codes in all_primitives()["grow_tree"].codes)
ROOMY = Budget(steps=5_000_000, bytes=2**26)


def place_of(name: str) -> int:
    (place,) = (k for k, feature in enumerate(FEATURES) if feature.name == name)
    return place


def column(name: str, grid: Any) -> list[int]:
    use_meter(Meter(Budget()))
    return columns_of(grid)[place_of(name)]


# --- features ---


def test_features_have_distinct_names_and_actions_fit_a_set() -> None:
    assert len({feature.name for feature in FEATURES}) == len(FEATURES)
    assert len(ACTIONS) < 128
    assert all(f.traits & IS_COLOR for f in FEATURES if f.traits & IS_TAKEN)
    assert all(1 <= feature.simplicity <= 16 for feature in FEATURES)


@pytest.mark.slow
@given(grids(7))
def test_every_grid_has_all_features_in_range(grid: Any) -> None:
    if not grid or not grid[0]:
        return
    use_meter(Meter(Budget()))
    columns = columns_of(grid)
    assert len(columns) == len(FEATURES)
    for feature, numbers in zip(FEATURES, columns, strict=True):
        assert len(numbers) == len(grid) * len(grid[0])
        assert 0 <= min(numbers) <= max(numbers) <= (NONE if feature.traits & IS_COLOR else MOST)


def test_features_that_do_not_turn_are_the_same_in_a_turned_grid() -> None:
    rng = random.Random(4)
    for _ in range(20):
        size = rng.randint(1, 7), rng.randint(1, 7)
        grid = tuple(
            tuple(rng.choice((0, 0, 0, 1, 2, 3)) for _ in range(size[1])) for _ in range(size[0])
        )
        turned = tuple(zip(*grid[::-1], strict=True))
        mirrored = tuple(row[::-1] for row in grid)
        places = [[(i, j) for j in range(size[1])] for i in range(size[0])]
        use_meter(Meter(Budget()))
        columns = columns_of(grid)
        for other, where in (
            (turned, list(zip(*places[::-1], strict=True))),
            (mirrored, [row[::-1] for row in places]),
        ):
            others = columns_of(other)
            for k, feature in enumerate(FEATURES):
                # Of several boxes of one size the first counts, which changes.
                if feature.traits & TURNS or "smallest box" in feature.name:
                    continue
                wanted = [columns[k][i * size[1] + j] for row in where for i, j in row]
                assert others[k] == wanted, (feature.name, grid, other)


def test_some_features_have_the_values_of_their_names() -> None:
    grid = grid_of("00000", "02220", "02020", "02220", "00003")
    middle = 2 * 5 + 2
    assert column("its one-color part touches the edge", grid)[middle] == 0
    assert column("the color on both sides of it in its row", grid)[middle] == 2
    assert column("how many holes its object has", grid)[5 + 1] == 1
    assert column("the rank by size of its one-color object, from the largest", grid)[24] == 1
    assert column("it is background", grid)[middle] == 1
    assert column("the nearest other color except background by steps", grid)[24] == 2
    assert column("how many steps from green it is", grid)[0] == 4
    assert column("the main color that its one-color object sees down of it", grid)[24] == NONE
    assert column("its distance from the box of its object", grid)[5 + 1] == 0


def test_nearest_colors_sides_and_directions_have_the_values_of_their_names() -> None:
    grid = grid_of("20000", "00000", "00003")
    nearest = column("how many other colors except background are nearest by straight steps", grid)
    assert [nearest[k] for k in (1, 3, 11)] == [1, 2, 2]
    farthest = column("the farthest other color except background by straight steps", grid)
    assert (farthest[0], farthest[1], farthest[13]) == (3, 3, 2)
    line = grid_of("20003")
    assert column("the nearer color seen in its row", line) == [3, 2, NONE, 3, 2]
    assert column("two colors seen in its row are as near", line) == [0, 0, 1, 0, 0]
    assert column("in how many straight directions red is", line) == [0, 1, 1, 1, 1]
    assert column("in how many oblique directions green is", grid)[1] == 0
    assert column("in how many oblique directions red is", grid)[6] == 1


def test_panels_have_the_values_of_their_names() -> None:
    grid = grid_of("20500", "02500", "55555", "30504", "00500")
    here = lambda name: column(name, grid)  # noqa: E731
    assert here("panels left of its panel")[:5] == [0, 0, MOST, 1, 1]
    assert here("cells of its panel except background")[0] == 2
    assert here("how many panels show more than its panel")[3] == 3
    assert here("how many panels show less than its panel")[0] == 3
    assert here("how many panels are like its panel")[0] == 1
    assert here("how many panels show something at its place")[:2] == [2, 1]
    assert here("the most common color at its place in panels")[3:5] == [2, 4]
    assert here("the color at its place in the panel that shows most")[3:5] == [2, 0]
    # A map: panel (1, 1) is where the panel that shows most has red, too.
    assert here("the color of its panel in the panel that shows most")[18] == 2
    assert here("the color of its panel in the panel that shows most")[3] == 0
    # The first color of one cell is green, in the first place of its panel.
    assert here("the color at its place in the panel with the first color of one cell")[0] == 3
    assert here("its panel lies as the first color of one cell lies in a panel")[0] == 1
    assert here("its panel lies as the first color of one cell lies in a panel")[3] == 0
    row = grid_of("20500502")
    assert column("the color at its place in panels on both sides of its panel", row) == [NONE] * 8
    row = grid_of("20500520")
    between = column("the color at its place in panels on both sides of its panel", row)
    assert between == [*[NONE] * 3, 2, *[NONE] * 4]


def test_symmetries_and_axes_have_the_values_of_their_names() -> None:
    # A square of quarter turns that lacks two of its corners.
    grid = grid_of("000000", "020020", "003300", "003300", "000020", "000000")
    orbit = column("the color of its images under quarter turns, where these fit best", grid)
    assert orbit[4 * 6 + 1] == 2 and orbit[0] == 0 and orbit[2 * 6 + 2] == 3
    name = "the color there when what is shown is mirrored left to right, where that fits best"
    assert column(name, grid_of("00000", "23200", "20000"))[2 * 5 + 2] == 2
    crossed = grid_of("23500", "00500", "55555", "00500", "00500")
    at = "the color of its image at the only"
    assert column(f"{at} inner column of one color", crossed)[3:5] == [3, 2]
    assert column(f"{at} inner row of one color", crossed)[20] == 2
    assert column(f"{at} crossing of a row and a column of one color", crossed)[24] == 2
    both = column(f"{at} inner row, column or crossing of one color", crossed)
    assert [both[k] for k in (4, 20, 24, 9)] == [2, 2, 2, 0]


def test_turns_and_moved_objects_have_the_values_of_their_names() -> None:
    listed = grid_of("234", "555", "000", "000", "000")
    name = "the color whose turn it is, of the first {0} that is shown, in the {0}s after these"
    assert [column(name.format("row"), listed)[3 * i] for i in range(2, 5)] == [2, 3, 4]
    grid = grid_of("0000000", "0220000", "0230003", "0000000")
    moved = column("the color there when the largest object is centered on the smallest", grid)
    assert set(moved) == {NONE}  # it would lie between cells
    grid = grid_of("0000000", "2420000", "0000020", "0000000")
    moved = column("the color there when the largest object is centered on the smallest", grid)
    assert moved[2 * 7 + 4 : 2 * 7 + 7] == [2, 4, 2]
    name = "how it lies to the nearest object (0 aside, 1 in its lines, 2 in line with a corner)"
    bearing = column(name, grid)
    assert (bearing[3], bearing[7 + 3], bearing[2 * 7 + 3], bearing[0]) == (2, 1, 2, 1)


def test_background_is_the_most_common_color_whichever_that_is() -> None:
    grid = grid_of("55555", "52225", "52525", "52225", "55550")
    other = tuple(tuple({5: 0, 0: 3}.get(cell, cell) for cell in row) for row in grid)
    use_meter(Meter(Budget()))
    for feature, one, two in zip(FEATURES, columns_of(grid), columns_of(other), strict=True):
        if not feature.traits & NAMES:
            assert one == two, feature.name


# --- trees ---


@pytest.mark.parametrize("way", WAYS)
def test_a_rule_is_learned_and_applied(way: int) -> None:
    # Enclosed background becomes yellow.
    demos = demos_of("00d62c1b")
    tree = give("grow_tree", demos, way, 0)
    for given_, wanted in demos:
        assert give("apply_tree", tree, given_) == wanted
    if way in (2, 3):
        tested = [tree[k] for k in range(0, len(tree), NODE_SIZE) if tree[k] >= 0]
        assert all(not FEATURES[k].traits & NAMES for k in tested)


def test_a_tree_in_words() -> None:
    tree = give("grow_tree", demos_of("25d8a9c8"), 0, 0)
    assert describe_tree(tree) == [
        "if its row is of one color:",
        "  it becomes grey",
        "otherwise:",
        "  it becomes black",
    ]
    assert describe_tree((-1, 10, 0)) == ["it stays"]


def test_the_own_color_is_preferred() -> None:
    demos = ((grid_of("123", "456"), grid_of("123", "456")),)
    assert give("grow_tree", demos, 0, 0) == (-1, 10, 0)


@pytest.mark.slow
def test_parts_test_other_features() -> None:
    demos = demos_of("00d62c1b")
    trees = {give("grow_tree", demos, 0, part) for part in PARTS}
    assert len(trees) > 3


def test_unlearnable_demos_fail_as_empty() -> None:
    dot, wide = grid_of("3"), grid_of("33")
    contradiction = ((dot, grid_of("1")), (dot, grid_of("2")))
    for demos in ((), ((dot, wide),), ((dot, dot), (dot, wide)), contradiction):
        assert give("grow_tree", demos, 0, 0) == Failure(Reason.EMPTY)
    rng = random.Random(1)
    noise = [tuple(tuple(rng.randrange(10) for _ in range(20)) for _ in range(20)) for _ in "12"]
    assert give("grow_tree", (tuple(noise),), 0, 0) == Failure(Reason.EMPTY)
    # A cell is to take the color above it, and there is none.
    above = 10 + place_of("the color up of it")
    assert give("apply_tree", (-1, above, 0), dot) == Failure(Reason.EMPTY)


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        ((), Reason.TYPE),
        ((1, 2), Reason.TYPE),
        ((-1, (1, 2), 0), Reason.TYPE),
        ((-1, 10, 1), Reason.RANGE),
        ((-1, 11, 0), Reason.RANGE),  # not a color that can be taken
        ((-1, -1, 0), Reason.RANGE),
        ((-2, 0, 0), Reason.RANGE),
        ((len(FEATURES), 0, 2, -1, 0, 0, -1, 0, 0), Reason.RANGE),
        ((0, 0, 1, -1, 0, 0, -1, 0, 0), Reason.RANGE),  # its other node is the next one
        ((0, 0, 3, -1, 0, 0, -1, 0, 0), Reason.RANGE),
        ((0, 64, 2, -1, 0, 0, -1, 0, 0), Reason.RANGE),
    ],
)
def test_malformed_trees_are_refused(tree: Any, reason: Reason) -> None:
    assert give("apply_tree", tree, grid_of("12")) == Failure(reason)
    check_call("apply_tree", (tree, grid_of("12")))


# --- the engine agrees ---


@pytest.mark.slow
@given(lessons(), st.sampled_from(WAYS), st.sampled_from(PARTS))
def test_learned_trees_reproduce_the_demos(lesson: Any, way: int, part: int) -> None:
    demos, grid = lesson
    tree = check_learner("grow_tree", "apply_tree", demos, (way, part))
    if isinstance(tree, tuple):
        check_call("apply_tree", (tree, grid), ROOMY)


def test_learning_keeps_to_the_budget() -> None:
    check_cost("grow_tree", (demos_of("25d8a9c8"), 0, 0))


@pytest.mark.slow
@given(grids(9), st.data())
@settings(max_examples=150)
def test_the_engine_has_the_same_features(grid: Any, data: st.DataObject) -> None:
    # A tree of one test, near the values of the feature: the output shows which cells pass.
    feature = data.draw(st.integers(0, len(FEATURES) - 1))
    value = data.draw(st.integers(0, 10 if FEATURES[feature].traits & IS_COLOR else 6))
    check_call("apply_tree", ((feature, value, 2, -1, 1, 0, -1, 2, 0), grid), ROOMY)


@pytest.mark.parametrize("seed", range(3))
def test_the_engine_has_all_features_of_larger_grids(seed: int) -> None:
    rng = random.Random(seed)
    n_rows, width = rng.choice(((1, 40), (70, 2), (13, 17)))
    grid = tuple(
        tuple(rng.choice((0, 0, 0, 5, 5, 7, 8)) for _ in range(width)) for _ in range(n_rows)
    )
    use_meter(Meter(Budget()))
    # The definition would compute all columns again for every tree.
    for k, numbers in enumerate(columns_of(grid)):
        for value in sorted(set(numbers))[:2]:
            is_color = FEATURES[k].traits & IS_COLOR
            cells = [1 if (n == value if is_color else n <= value) else 2 for n in numbers]
            wanted = tuple(tuple(cells[i : i + width]) for i in range(0, len(cells), width))
            got = run_call("apply_tree", ((k, value, 2, -1, 1, 0, -1, 2, 0), grid), ROOMY)
            assert got.outcome == wanted, FEATURES[k].name


@pytest.mark.slow
@pytest.mark.parametrize("task", ["00d62c1b", "25d8a9c8", "3befdf3e", "a5313dff", "d90796e8"])
def test_learned_trees_reproduce_tasks(task: str) -> None:
    for way in WAYS:
        for part in (0, 5):
            tree = check_learner("grow_tree", "apply_tree", demos_of(task), (way, part))
            if isinstance(tree, tuple):
                n_leaves = sum(tree[k] < 0 for k in range(0, len(tree), NODE_SIZE))
                assert n_leaves <= 12
                check_call("apply_tree", (tree, TASKS[task].test_inputs[0]), ROOMY)
