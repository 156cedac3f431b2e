"""What features of a picture tell of a move is what its definition gives."""

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
from arcbatt.proposers.enumerate.stacks import vocabulary
from arcbatt.tasks import load

from .test_moves import arguments, by_definition, large_pictures, pack, pictures, sizes, unpack

# Moves that no feature tells anything of.
ALWAYS_RUN = {"collapse", "middle", "framed", "half_of", "grow"}
TOLD = {
    number: move
    for number, move in enumerate(vocabulary())
    if move.shape == "picture" and move.primitive not in ALWAYS_RUN
}


def tell(number: int, picture: Any, size: tuple[int, int]) -> Any:
    """What is told, as a value of the language; False where the move has to be run."""
    told = _enumerate.tell(number, pack(picture), size)
    return unpack(told) if told else told


def check(number: int, picture: Any, size: tuple[int, int]) -> Any:
    told = tell(number, picture, size)
    if told is not False:
        move = vocabulary()[number]
        assert told == by_definition(move.primitive, [picture, *arguments(move, size)]), move
    return told


def patterned(seed: int) -> Any:
    """A picture with what rules ask for: one colour, no zeros, symmetries, even or joined lines."""
    chance = random.Random(seed)
    high = chance.randint(1, 7)
    wide = high if chance.random() < 0.5 else chance.randint(1, 7)
    palette = [*([0] if chance.random() < 0.8 else []), *chance.sample(range(1, 10), 2)]
    palette = palette[: chance.randint(1, 3)] or [0]
    grid = [[chance.choice(palette) for _ in range(wide)] for _ in range(high)]
    kind = chance.randrange(8)
    for i in range(high):
        for j in range(wide):
            if kind == 1:  # the same from left and right
                grid[i][j] = grid[i][min(j, wide - 1 - j)]
            elif kind == 2:  # ... from all sides
                grid[i][j] = grid[min(i, high - 1 - i)][min(j, wide - 1 - j)]
            elif kind == 3:  # ... over the diagonal
                grid[i][j] = grid[min(i, j, wide - 1)][min(max(i, j), wide - 1)]
            elif kind == 4:  # even rows
                grid[i][j] = grid[i][0]
            elif kind == 5:  # even columns
                grid[i][j] = grid[0][j]
            elif kind == 6:  # what has fallen to one corner
                grid[i][j] = palette[-1] if i * wide >= j * high else 0
            elif kind == 7:  # a frame
                grid[i][j] = palette[-1] if i in (0, high - 1) or j in (0, wide - 1) else 0
    place = (0, 0) if chance.random() < 0.5 else (chance.randint(-3, 9), chance.randint(-3, 9))
    turned: Any = evaluate_call("turn", [(place, tuple(map(tuple, grid))), chance.randint(1, 7)])
    return turned


@cache
def real_pictures() -> list[Any]:
    """Grids of tasks, and the parts that they are made of."""
    found = []
    for task in load("arc-agi-1/training")[:12]:
        whole: Any = ((0, 0), task.demos[0].input)
        parts: Any = evaluate_call("split_parts", [whole])
        found += [whole, *sorted(parts)[:4]]
    return found


def tried_on() -> Iterator[tuple[Any, tuple[int, int]]]:
    for picture in [*map(patterned, range(150)), *real_pictures()]:
        if picture[1]:
            yield picture, (len(picture[1]), len(picture[1][0]))
            yield picture, (5, 4)


def test_each_rule_tells_something_and_nothing_wrong() -> None:
    outcomes: dict[int, set[str]] = {number: set() for number in TOLD}
    for picture, size in tried_on():
        for number in TOLD:
            told = check(number, picture, size)
            outcomes[number].add("run" if told is False else "same" if told == picture else "other")
    for number, move in TOLD.items():
        assert outcomes[number] & {"same", "other"}, f"nothing is ever told of {move}"


@pytest.mark.parametrize("primitive", sorted({move.primitive for move in TOLD.values()}))
@settings(max_examples=40)
@given(st.data())
def test_what_is_told_is_what_the_definition_gives(primitive: str, data: st.DataObject) -> None:
    numbers = [number for number, move in TOLD.items() if move.primitive == primitive]
    picture = data.draw(pictures() | large_pictures())
    check(data.draw(st.sampled_from(numbers)), picture, data.draw(sizes))


@pytest.mark.parametrize("primitive", sorted(ALWAYS_RUN))
def test_nothing_is_told_of_other_moves(primitive: str) -> None:
    for number, move in enumerate(vocabulary()):
        if move.primitive == primitive:
            assert tell(number, ((0, 0), ((1, 1), (1, 1))), (2, 2)) is False


def test_more_parts_than_are_counted_are_not_told() -> None:
    dots = tuple(tuple((i % 2 == 0) & (j % 2 == 0) for j in range(30)) for i in range(60))
    many: Any = ((0, 0), tuple(tuple(map(int, row)) for row in dots))
    for number, move in TOLD.items():
        if move.primitive == "tally":
            assert (check(number, many, (3, 3)) is False) == (move.args[0] > 1)


def test_a_larger_picture_than_a_board_is_run() -> None:
    long: Any = ((0, 0), ((1,) * 70,))
    assert all(tell(number, long, (3, 3)) is False for number in TOLD)
