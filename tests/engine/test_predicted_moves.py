"""Results of moves predicted from features of a picture equal those of the definitions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt.engine import _enumerate
from arcbatt.language import evaluate_call
from arcbatt.language.registry import get_primitive
from arcbatt.proposers.enumerate.moves import vocabulary
from arcbatt.tasks import load
from tests.engine.test_moves import (
    arguments,
    by_definition,
    large_pictures,
    pack,
    pictures,
    sizes,
    unpack,
)

PREDICTABLE = {
    number: move
    for number, move in enumerate(vocabulary())
    if (how := get_primitive(move.primitive).searched)
    and (how.unchanged_if or how.blank_if or how.plain)
}


def predict(number: int, picture: Any, size: tuple[int, int]) -> Any:
    """Return the predicted result as a value of the language; False if the move has to be run."""
    predicted = _enumerate.predict(number, pack(picture), size)
    return unpack(predicted) if predicted else predicted


def check(number: int, picture: Any, size: tuple[int, int]) -> Any:
    """Return the predicted result after comparing it with the definition."""
    predicted = predict(number, picture, size)
    if predicted is not False:
        move = vocabulary()[number]
        assert predicted == by_definition(move.primitive, [picture, *arguments(move, size)]), move
    return predicted


def patterned(seed: int) -> Any:
    """Return a picture that is likely to have some feature."""
    chance = random.Random(seed)
    high = chance.randint(1, 7)
    wide = high if chance.random() < 0.5 else chance.randint(1, 7)
    palette = [*([0] if chance.random() < 0.8 else []), *chance.sample(range(1, 10), 2)]
    palette = palette[: chance.randint(1, 3)] or [0]
    grid = [[chance.choice(palette) for _ in range(wide)] for _ in range(high)]
    kind = chance.randrange(8)
    for i in range(high):
        for j in range(wide):
            if kind == 1:  # mirrored left and right
                grid[i][j] = grid[i][min(j, wide - 1 - j)]
            elif kind == 2:  # mirrored both ways
                grid[i][j] = grid[min(i, high - 1 - i)][min(j, wide - 1 - j)]
            elif kind == 3:  # mirrored over the diagonal
                grid[i][j] = grid[min(i, j, wide - 1)][min(max(i, j), wide - 1)]
            elif kind == 4:  # uniform rows
                grid[i][j] = grid[i][0]
            elif kind == 5:  # uniform columns
                grid[i][j] = grid[0][j]
            elif kind == 6:  # everything in one corner
                grid[i][j] = palette[-1] if i * wide >= j * high else 0
            elif kind == 7:  # a frame
                grid[i][j] = palette[-1] if i in (0, high - 1) or j in (0, wide - 1) else 0
    place = (0, 0) if chance.random() < 0.5 else (chance.randint(-3, 9), chance.randint(-3, 9))
    turned: Any = evaluate_call("turn", [(place, tuple(map(tuple, grid))), chance.randint(1, 7)])
    return turned


@cache
def real_pictures() -> list[Any]:
    """Return grids of tasks, and some of their parts."""
    whole_and_parts = []
    for task in load("arc-agi-1/training")[:12]:
        whole: Any = ((0, 0), task.demos[0].input)
        parts: Any = evaluate_call("split_parts", [whole])
        whole_and_parts += [whole, *sorted(parts)[:4]]
    return whole_and_parts


def cases() -> Iterator[tuple[Any, tuple[int, int]]]:
    for picture in [*map(patterned, range(150)), *real_pictures()]:
        if picture[1]:
            yield picture, (len(picture[1]), len(picture[1][0]))
            yield picture, (5, 4)


def test_each_prediction_is_made_and_right() -> None:
    outcomes: dict[int, set[bool]] = {number: set() for number in PREDICTABLE}
    for picture, size in cases():
        for number in PREDICTABLE:
            outcomes[number].add(check(number, picture, size) is not False)
    for number, move in PREDICTABLE.items():
        assert True in outcomes[number], f"{move} is never predicted"


@pytest.mark.slow
@pytest.mark.parametrize("primitive", sorted({move.primitive for move in PREDICTABLE.values()}))
@settings(max_examples=40)
@given(st.data())
def test_predictions_agree_with_the_definition(primitive: str, data: st.DataObject) -> None:
    numbers = [number for number, move in PREDICTABLE.items() if move.primitive == primitive]
    picture = data.draw(pictures() | large_pictures())
    check(data.draw(st.sampled_from(numbers)), picture, data.draw(sizes))


def test_other_moves_are_run() -> None:
    for number, move in enumerate(vocabulary()):
        if number not in PREDICTABLE and move.shape == "picture":
            assert predict(number, ((0, 0), ((1, 1), (1, 1))), (2, 2)) is False


def test_large_counts_of_parts_are_not_predicted() -> None:
    dots = tuple(tuple((i % 2 == 0) & (j % 2 == 0) for j in range(30)) for i in range(60))
    many: Any = ((0, 0), tuple(tuple(map(int, row)) for row in dots))
    for number, move in PREDICTABLE.items():
        if move.primitive == "tally":
            assert (check(number, many, (3, 3)) is False) == (move.args[0] > 1)


def test_a_larger_picture_than_a_board_is_run() -> None:
    long: Any = ((0, 0), ((1,) * 70,))
    assert all(predict(number, long, (3, 3)) is False for number in PREDICTABLE)
