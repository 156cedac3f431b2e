"""What a run logs of each generation, and charts of it: how far it came, how fast, by what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import accumulate
from typing import Any

from arcbatt.drawing.charts import Chart, Line

# A kind's line begins when so much of all its mutants was tried: the first few jump up and down.
ENOUGH_TRIED = 0.05
# Up to so many seconds a time is shown in this unit, so that numbers stay short.
_UNITS = ((180.0, 1, "seconds"), (10_800.0, 60, "minutes"), (float("inf"), 3600, "hours"))


@dataclass(frozen=True, slots=True)
class Generation:
    """One generation of a run, as it is logged.

    Times are of the wall clock: `elapsed_s` since the run began, without pauses between an
    interruption and its resuming, `wall_s` and `engine_s` in this generation, all of it and inside
    the engine. `n_solved` counts the tasks that are solved by now, `n_pairs` the new distinct
    (program, task) pairs of this generation. `mutations` has for each kind how many mutants were
    `tried`, `ran` without failure, `improved` on a parent and `solved` a task, since the
    beginning. `details` is any plain data beside.
    """

    generation: int
    elapsed_s: float
    wall_s: float
    engine_s: float
    n_solved: int
    n_pairs: int
    mutations: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, content: Any) -> Generation:
        """Return what `to_json` wrote; anything else is a ValueError."""
        names = {each.name for each in fields(cls)}
        if not isinstance(content, dict) or content.keys() != names:
            raise ValueError(f"expected an object of {', '.join(sorted(names))}")
        return cls(**content)


def progress_charts(generations: Sequence[Generation]) -> list[Chart]:
    """Return the charts of a run: tasks solved, pairs a second, time in the engine, mutations."""
    longest_s = max((each.elapsed_s for each in generations), default=0.0)
    _, seconds, unit = next(row for row in _UNITS if longest_s <= row[0])

    times = [each.elapsed_s / seconds for each in generations]

    def line(name: str, values: Sequence[float]) -> Line:
        return Line(name, tuple(zip(times, values, strict=True)))

    def rates(count: Callable[[Generation], float]) -> tuple[Line, Line]:
        """What was counted a second, in each generation and in all up to it."""
        walls = [each.wall_s for each in generations]
        counts = [count(each) for each in generations]
        sums = zip(accumulate(counts), accumulate(walls), strict=True)
        return (
            line("each generation", [_ratio(*pair) for pair in zip(counts, walls, strict=True)]),
            line("since the beginning", [_ratio(*pair) for pair in sums]),
        )

    kinds = list(dict.fromkeys(kind for each in generations for kind in each.mutations))

    def payoffs(kind: str) -> Line:
        known = [
            (time, each.mutations[kind]["tried"], each.mutations[kind]["improved"])
            for time, each in zip(times, generations, strict=True)
            if kind in each.mutations
        ]
        enough = known[-1][1] * ENOUGH_TRIED
        return Line(
            kind,
            tuple(
                (time, 100 * _ratio(improved, tried))
                for time, tried, improved in known
                if tried >= enough
            ),
        )

    return [
        Chart(
            "Tasks solved",
            unit,
            "tasks of which some program matches all demos",
            (line("solved", [each.n_solved for each in generations]),),
        ),
        Chart(
            "Pairs",
            unit,
            "new (program, task) pairs a second",
            rates(lambda each: each.n_pairs),
        ),
        Chart(
            "Time in the engine",
            unit,
            "% of the wall clock",
            rates(lambda each: 100 * each.engine_s),
            top=100,
        ),
        Chart(
            "Mutations",
            unit,
            "% of tried mutants that improved on a parent, since the beginning",
            tuple(payoffs(kind) for kind in kinds),
        ),
    ]


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
