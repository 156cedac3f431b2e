"""Tasks that are hard on a search: noise, extreme sizes, too few or too many of everything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arcbatt.tasks import Grid, Pair, Task


def noise(n_rows: int, width: int, seed: int) -> Grid:
    return tuple(
        tuple((seed * (i + 3) * (j + 7) + i * i * 5 + j * j * j) % 10 for j in range(width))
        for i in range(n_rows)
    )


def odd_tasks() -> Iterator[Task]:
    def make(name: str, pairs: Any, tests: Any) -> Task:
        return Task(name, tuple(Pair(*pair) for pair in pairs), tuple(tests), "tests")

    dot = ((3,),)
    yield make(
        "noise", [(noise(30, 30, k), noise(30, 30, k + 20)) for k in range(4)], [noise(30, 30, 9)]
    )
    yield make("dots", [(dot, ((4,),)), (((5,),), ((6,),))], [((7,),)])
    yield make("one demo", [(noise(4, 5, 1), noise(4, 5, 2))], [noise(6, 5, 3)])
    yield make("ten demos", [(noise(3, 3, k), noise(3, 3, k)[::-1]) for k in range(10)], [dot])
    yield make("same demos", [(noise(3, 4, 1), noise(4, 3, 2))] * 4, [noise(3, 4, 1)])
    yield make("40 demos", [(noise(2, 2, k), noise(2, 2, k)) for k in range(40)], [dot])
    yield make("contradiction", [(dot, ((k,),)) for k in range(5)], [dot])
    yield make("growing", [(dot, noise(30, 30, 1)), (((2,),), noise(30, 30, 2))], [((9,),)])
    yield make("shrinking", [(noise(30, 30, k), ((k,),)) for k in range(3)], [noise(30, 30, 9)])
    yield make(
        "odd sizes",
        [(noise(1, 30, 1), noise(30, 1, 2)), (noise(30, 1, 3), dot), (dot, noise(7, 2, 4))],
        [noise(30, 30, 5), dot],
    )
    yield make(
        "six tests",
        [(noise(3, k, k), noise(3, k, k)[::-1]) for k in range(2, 5)],
        [noise(k, k + 1, k) for k in range(1, 7)],
    )
    yield make("blank", [(((0,) * 30,) * 30, ((0,) * 30,) * 30)] * 2, [((0,) * 30,) * 30])
