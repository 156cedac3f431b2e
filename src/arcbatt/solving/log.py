"""What a run logs of each part of its work, and charts of it: how far it came, how fast, why."""

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
class LogEntry:
    """One part of a run's work, as it is logged.

    Times are of the wall clock: `elapsed_s` since the run began, without pauses between an
    interruption and its resuming, `wall_s` and `engine_s` in this part, all of it and inside the
    engine. `n_fitted` counts the tasks that are fitted by now, `n_pairs` the new distinct (program,
    task) pairs of this part. `mutations` has for each kind how many mutants were `tried`, `ran`
    without failure, `improved` on a parent and `fitted` a task, since the beginning. `details` is
    any plain data beside.
    """

    number: int
    proposer: str
    item: str
    elapsed_s: float
    wall_s: float
    engine_s: float
    n_fitted: int
    n_pairs: int
    mutations: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, content: Any) -> LogEntry:
        """Return what `to_json` wrote; anything else is a ValueError."""
        names = {each.name for each in fields(cls)}
        if not isinstance(content, dict) or content.keys() != names:
            raise ValueError(f"expected an object of {', '.join(sorted(names))}")
        return cls(**content)


def progress_charts(entries: Sequence[LogEntry]) -> list[Chart]:
    """Return the charts of a run: tasks fitted and, of evolution, pairs, engine and mutations."""
    longest_s = max((each.elapsed_s for each in entries), default=0.0)
    _, seconds, unit = next(row for row in _UNITS if longest_s <= row[0])

    def line(name: str, of: Sequence[LogEntry], values: Sequence[float]) -> Line:
        return Line(
            name, tuple((e.elapsed_s / seconds, v) for e, v in zip(of, values, strict=True))
        )

    charts = [
        Chart(
            "Tasks fitted",
            unit,
            "tasks of which some program fits all demos",
            (line("fitted", entries, [each.n_fitted for each in entries]),),
        )
    ]
    cards = [each for each in entries if each.mutations]
    if not cards:
        return charts

    def rates(count: Callable[[LogEntry], float]) -> tuple[Line, Line]:
        """What was counted a second, with each card and with all up to it."""
        walls = [each.wall_s for each in cards]
        counts = [count(each) for each in cards]
        sums = zip(accumulate(counts), accumulate(walls), strict=True)
        return (
            line("each card", cards, [_ratio(*pair) for pair in zip(counts, walls, strict=True)]),
            line("since the beginning", cards, [_ratio(*pair) for pair in sums]),
        )

    def payoffs(kind: str) -> Line:
        known = [each for each in cards if kind in each.mutations]
        enough = known[-1].mutations[kind]["tried"] * ENOUGH_TRIED
        chosen = [each for each in known if each.mutations[kind]["tried"] >= enough]
        counts = [each.mutations[kind] for each in chosen]
        return line(kind, chosen, [100 * _ratio(row["improved"], row["tried"]) for row in counts])

    kinds = dict.fromkeys(kind for each in cards for kind in each.mutations)
    return [
        *charts,
        Chart("Pairs", unit, "new (program, task) pairs a second", rates(lambda e: e.n_pairs)),
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
