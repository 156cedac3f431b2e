"""A program and its task in, out how it fares when the task is changed as its rule may allow.

A program that states the rule and not the pairs holds when the task is turned or mirrored, when
its colours or its background are others, and when there is more room around. Not every rule is
symmetric, so this is a report and no verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, TypeGuard

from arcbatt.engine.batt import Batt
from arcbatt.engine.samples import Samples
from arcbatt.language import Budget, Failure, ParsedProgram, Value
from arcbatt.measure import phase
from arcbatt.tasks import Grid, Task
from arcbatt.tasks.turning import N_TURNS, framed, recolored, turned, turned_back, unframed
from arcbatt.tasks.validation import MAX_COLOR, MAX_SIDE

from .programs import Judge, KnownTask, answer_judge, judge_demo

# How often colours are exchanged, each by the next in a circle, and how wide frames are.
SHIFTS = (1, 3, 5, 7)
WIDTHS = (1, 3)
N_GROUNDS = 4
COLORS = range(MAX_COLOR + 1)


@dataclass(frozen=True)
class Variant:
    """A way to change all grids of a task, and to change an output back.

    `undo` gives None for what no right output can have been changed to.
    """

    kind: str
    change: Callable[[Grid], Grid]
    undo: Callable[[Grid], Grid | None]


@dataclass(frozen=True, slots=True)
class TurnedCheck:
    """Of each kind of change, for each change whether every pair that can be judged is right."""

    program: ParsedProgram
    holds: Mapping[str, tuple[bool, ...]]

    def to_json(self) -> dict[str, Any]:
        return {"name": self.program.name, "holds": {k: list(v) for k, v in self.holds.items()}}


KINDS = ("turned", "recolored", "background", "framed")


def check_turned(
    program: ParsedProgram, known: KnownTask, budget: Budget | None = None
) -> TurnedCheck:
    """Return how a program fares on its task changed; a kind that cannot be tried is empty."""
    task = known.task
    judges: list[Judge | None] = [partial(judge_demo, demo.output) for demo in task.demos]
    judges += [answer_judge(known, index) for index in range(len(task.test_inputs))]
    variants = list(_variants(task))
    inputs = [*(demo.input for demo in task.demos), *task.test_inputs]
    demos = [
        tuple((each.change(demo.input), each.change(demo.output)) for demo in task.demos)
        for each in variants
    ]
    samples = Samples(
        [each.change(grid) for each in variants for grid in inputs],
        demos=[given for given in demos for _ in inputs],
    )
    with phase("run"):
        result = Batt([program.program]).run(
            samples, budget or Budget(), device="cpu", n_threads=1, keep_values=True
        )
    holds: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    with phase("score"):
        for v, variant in enumerate(variants):
            outcomes = (result.outcome(0, v * len(inputs) + k) for k in range(len(inputs)))
            holds[variant.kind].append(
                all(
                    judge is None or _is_right(outcome, variant, judge)
                    for outcome, judge in zip(outcomes, judges, strict=True)
                )
            )
    return TurnedCheck(program, {kind: tuple(found) for kind, found in holds.items()})


def _is_right(outcome: Value | Failure, variant: Variant, judge: Judge) -> bool:
    if isinstance(outcome, Failure) or not _is_grid(outcome):
        return False
    undone = variant.undo(outcome)
    return undone is not None and judge(undone) is None


def _is_grid(value: Any) -> TypeGuard[Grid]:
    """Whether a value has rows of one length with colours, so that it can be changed back."""
    return (
        isinstance(value, tuple)
        and len(value) > 0
        and all(isinstance(row, tuple) and len(row) == len(value[0]) > 0 for row in value)
        and all(isinstance(cell, int) and cell in COLORS for row in value for cell in row)
    )


def _variants(task: Task) -> Iterator[Variant]:
    grids = list(chain.from_iterable((demo.input, demo.output) for demo in task.demos))
    used = {cell for grid in grids for row in grid for cell in row}
    cells = Counter(cell for demo in task.demos for row in demo.input for cell in row)
    ground = min(cells, key=lambda color: (-cells[color], color))
    for turn in range(1, N_TURNS):
        yield Variant("turned", partial(turned, turn=turn), partial(turned_back, turn=turn))
    others = [color for color in COLORS if color != ground]
    for shift in SHIFTS:
        given = dict(zip(others, others[shift:] + others[:shift], strict=True))
        yield _recoloring("recolored", [given.get(color, color) for color in COLORS])
    for new in [color for color in COLORS if color not in used][:N_GROUNDS]:
        exchanged = {ground: new, new: ground}
        yield _recoloring("background", [exchanged.get(color, color) for color in COLORS])
    # Room around means something where outputs are as large as inputs.
    keeps_size = all(_size(demo.input) == _size(demo.output) for demo in task.demos)
    longest = max(max(_size(grid)) for grid in (*grids, *task.test_inputs))
    for width in WIDTHS:
        if keeps_size and longest + 2 * width <= MAX_SIDE:
            yield Variant(
                "framed",
                partial(framed, width=width, color=ground),
                partial(unframed, width=width, color=ground),
            )


def _recoloring(kind: str, colors: list[int]) -> Variant:
    back = [colors.index(color) for color in COLORS]
    return Variant(kind, partial(recolored, colors=colors), partial(recolored, colors=back))


def _size(grid: Grid) -> tuple[int, int]:
    return len(grid), len(grid[0])
