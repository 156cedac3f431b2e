"""Check whether a program still works when its task is turned, recolored or framed.

A program that expresses a task's rule rather than its pairs often works in other orientations, with
other colors or another background, and with a frame of background. Not every rule is symmetric, so
this is a report, not a verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, TypeGuard

from arcbatt.engine.batt import Batt
from arcbatt.engine.graph.samples import Samples
from arcbatt.language import Budget, Failure, ParsedProgram, Value
from arcbatt.measure import phase
from arcbatt.tasks import Grid, Task
from arcbatt.tasks.transforms import N_TURNS, framed, recolored, turned, turned_back, unframed
from arcbatt.tasks.validation import MAX_COLOR, MAX_SIDE

from .programs import Judge, KnownTask, answer_judge, judge_demo

# Recolorings rotate all colors but the background by these distances.
COLOR_SHIFTS = (1, 3, 5, 7)
FRAME_WIDTHS = (1, 3)
N_BACKGROUNDS = 4
COLORS = range(MAX_COLOR + 1)


@dataclass(frozen=True)
class Variant:
    """A way to change all grids of a task, and to change an output back.

    `undo` returns None for a grid that `change` cannot produce.
    """

    kind: str
    change: Callable[[Grid], Grid]
    undo: Callable[[Grid], Grid | None]


@dataclass(frozen=True, slots=True)
class ChangedTaskCheck:
    """The results of a program on changed copies of its task.

    `holds` has, by kind and for each change, whether all pairs with known answers are right.
    """

    program: ParsedProgram
    holds: Mapping[str, tuple[bool, ...]]

    def to_json(self) -> dict[str, Any]:
        return {"name": self.program.name, "holds": {k: list(v) for k, v in self.holds.items()}}


KINDS = ("turned", "recolored", "background", "framed")


def check_on_changed_tasks(
    program: ParsedProgram, known: KnownTask, budget: Budget | None = None
) -> ChangedTaskCheck:
    """Check a program on changed copies of its task; a kind that cannot be tried is empty."""
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
    return ChangedTaskCheck(program, {kind: tuple(each) for kind, each in holds.items()})


def _is_right(outcome: Value | Failure, variant: Variant, judge: Judge) -> bool:
    if isinstance(outcome, Failure) or not _is_grid(outcome):
        return False
    undone = variant.undo(outcome)
    return undone is not None and judge(undone) is None


def _is_grid(value: Any) -> TypeGuard[Grid]:
    """Return whether a value is a grid: rows of colors, all of one length."""
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
    background = min(cells, key=lambda color: (-cells[color], color))
    for turn in range(1, N_TURNS):
        yield Variant("turned", partial(turned, turn=turn), partial(turned_back, turn=turn))
    others = [color for color in COLORS if color != background]
    for shift in COLOR_SHIFTS:
        shifted = dict(zip(others, others[shift:] + others[:shift], strict=True))
        yield _recoloring("recolored", [shifted.get(color, color) for color in COLORS])
    for new in [color for color in COLORS if color not in used][:N_BACKGROUNDS]:
        exchanged = {background: new, new: background}
        yield _recoloring("background", [exchanged.get(color, color) for color in COLORS])
    # A frame only makes sense if outputs are as large as inputs.
    keeps_size = all(_size(demo.input) == _size(demo.output) for demo in task.demos)
    longest = max(max(_size(grid)) for grid in (*grids, *task.test_inputs))
    for width in FRAME_WIDTHS:
        if keeps_size and longest + 2 * width <= MAX_SIDE:
            yield Variant(
                "framed",
                partial(framed, width=width, color=background),
                partial(unframed, width=width, color=background),
            )


def _recoloring(kind: str, colors: list[int]) -> Variant:
    back = [colors.index(color) for color in COLORS]
    return Variant(kind, partial(recolored, colors=colors), partial(recolored, colors=back))


def _size(grid: Grid) -> tuple[int, int]:
    return len(grid), len(grid[0])
