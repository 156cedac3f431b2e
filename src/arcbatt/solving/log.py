"""The log of a run, and charts of it.

A long run deals hundreds of thousands of cards, and nearly all of them find nothing. After the
first entries of a log, cards without news are summed over a small share of the elapsed time, so
that a log grows with the logarithm of the run's length.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import accumulate
from typing import Any

from arcbatt.drawing.charts import Chart, Line

from .report.results_shape import COUNTS, LOG_ENTRY, MUTATION, NUMBER, Values, find_fault

# The first entries are written one by one. After them an entry may sum cards over this share of the
# elapsed time, less than a pixel of a chart.
N_DETAILED = 1_000
SUMMED_SHARE = 2e-3
# A kind's line starts when this share of its mutants was tried: before, it is noise.
ENOUGH_TRIED = 0.05
# The longest time shown in a unit, its seconds, and its name.
_UNITS = ((180.0, 1, "seconds"), (10_800.0, 60, "minutes"), (float("inf"), 3600, "hours"))


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A logged part of a run's work.

    Times are wall-clock times: `elapsed_s` since the start of the run, without the pauses before it
    was resumed, `wall_s` of this part, and `engine_s` of it inside the engine. `n_fitted` counts
    the tasks fitted so far, `n_pairs` the new distinct (program, task) pairs of this part.
    `mutations` has, per kind since the start, how many mutants were `tried`, `ran` without failure,
    `improved` on a parent and `fitted` a task. `details` is other plain data; an entry of several
    cards has `n_cards`, the sums of their counts, and the other details of the last card.
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

    @property
    def is_card(self) -> bool:
        return bool(self.mutations)

    @property
    def ends_round(self) -> bool:
        """Whether it has its proposer's counts at the end of a round."""
        return "ended" in self.details

    def add_card(self, later: LogEntry) -> LogEntry:
        """Return the entry of these cards and a later one."""
        details = {**self.details, **later.details}
        for name, count in self.details.items():
            more = later.details.get(name)
            if name.startswith("n_") and more is not None:
                details[name] = count + more
            elif isinstance(count, Mapping) and isinstance(more, Mapping):
                names = dict.fromkeys([*count, *more])
                details[name] = {each: count.get(each, 0) + more.get(each, 0) for each in names}
        details["n_cards"] = self.details.get("n_cards", 1) + later.details.get("n_cards", 1)
        return replace(
            later,
            wall_s=self.wall_s + later.wall_s,
            engine_s=self.engine_s + later.engine_s,
            n_pairs=self.n_pairs + later.n_pairs,
            details=details,
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, content: Any) -> LogEntry:
        """Return the entry that `to_json` wrote; raise ValueError for anything else."""
        names = {each.name for each in fields(cls)}
        if not isinstance(content, dict) or content.keys() != names:
            raise ValueError(f"expected an object of {', '.join(sorted(names))}")
        if fault := _find_fault(content):
            raise ValueError(fault)
        return cls(**content)


def _find_fault(content: dict[str, Any]) -> str | None:
    """Return what cannot be summed or drawn in the content of an entry, or None."""
    faults = [find_fault(content, LOG_ENTRY)]
    if faults == [None]:
        faults += [
            find_fault(content["mutations"], Values(COUNTS), "mutations"),
            *(find_fault(row, MUTATION, "mutations") for row in content["mutations"].values()),
        ]
        for name, value in content["details"].items():
            if fault := find_fault(name, str, "details"):
                faults.append(fault)
            elif name.startswith("n_"):
                faults.append(find_fault(value, NUMBER, f"details.{name}"))
            elif name == "worker":
                faults.append(find_fault(value, str, f"details.{name}"))
            elif isinstance(value, dict):
                faults.append(find_fault(value, COUNTS, f"details.{name}"))
    return next(filter(None, faults), None)


class EntrySums:
    """Sums entries of cards without news before they are logged.

    It holds the sum of each worker's cards and the end of their last round, and releases them
    together, before any single entry, so that the log stays in order.
    """

    def __init__(self, n_entries: int = 0, held: Iterable[LogEntry] = ()) -> None:
        """`n_entries` is the length of the log, `held` what a resumed run held back."""
        self._n_entries = n_entries
        self._held: dict[tuple[object, ...], LogEntry] = {}
        self._began_s = 0.0
        for entry in held:
            self._hold(entry)

    @property
    def held(self) -> list[LogEntry]:
        return list(self._held.values())

    def take(self, entry: LogEntry) -> list[LogEntry]:
        """Take an entry; return the entries to log now."""
        if not self._can_hold(entry):
            return [*self.release(), *self._count([entry])]
        has_news = any(each.n_fitted != entry.n_fitted for each in self.held)
        before = self.release() if has_news else []
        self._hold(entry)
        if entry.elapsed_s - self._began_s < SUMMED_SHARE * entry.elapsed_s:
            return before
        return [*before, *self.release()]

    def release(self) -> list[LogEntry]:
        """Return and forget the held entries."""
        held, self._held = self.held, {}
        return self._count(sorted(held, key=lambda entry: entry.elapsed_s))

    def _count(self, entries: list[LogEntry]) -> list[LogEntry]:
        self._n_entries += len(entries)
        return entries

    def _can_hold(self, entry: LogEntry) -> bool:
        if self._n_entries < N_DETAILED:
            return False
        if entry.ends_round:  # only of a card: any other marks an item as done
            return any(_work_of(each) == _work_of(entry) for each in self.held)
        return entry.is_card and not entry.details.get("found")

    def _hold(self, entry: LogEntry) -> None:
        key = (*_work_of(entry), entry.details.get("worker"), entry.ends_round)
        if not self._held:
            self._began_s = entry.elapsed_s - entry.wall_s
        before = self._held.get(key)
        if before is not None and entry.is_card:
            entry = before.add_card(entry)
        self._held[key] = entry


def _work_of(entry: LogEntry) -> tuple[str, str]:
    return entry.proposer, entry.item


def sum_up(entries: Iterable[LogEntry]) -> Iterator[LogEntry]:
    """Yield the entries of a log with cards summed, also of an older version's log."""
    sums = EntrySums()
    for entry in entries:
        yield from sums.take(entry)
    yield from sums.release()


@dataclass(frozen=True, slots=True)
class _CardPoint:
    elapsed_s: float
    wall_s: float
    engine_s: float
    n_pairs: int


@dataclass(frozen=True, slots=True)
class _KindPoint:
    elapsed_s: float
    n_tried: float
    n_improved: float


def progress_charts(entries: Iterable[LogEntry]) -> list[Chart]:
    """Return the charts of a run: tasks fitted and, with evolution, pairs, engine and mutations.

    A log may be long, so it is read once, keeping a few numbers per entry.
    """
    fitted: list[tuple[float, float]] = []
    cards: list[_CardPoint] = []
    kinds: dict[str, list[_KindPoint]] = {}
    for entry in sum_up(entries):
        elapsed_s = entry.elapsed_s
        fitted.append((elapsed_s, entry.n_fitted))
        if entry.is_card:
            cards.append(_CardPoint(elapsed_s, entry.wall_s, entry.engine_s, entry.n_pairs))
        for kind, row in entry.mutations.items():
            point = _KindPoint(elapsed_s, row["tried"], row["improved"])
            kinds.setdefault(kind, []).append(point)
    longest_s = max((elapsed_s for elapsed_s, _ in fitted), default=0.0)
    _, seconds, unit = next(row for row in _UNITS if longest_s <= row[0])

    def line(name: str, points: Iterable[tuple[float, float]]) -> Line:
        return Line(name, tuple((elapsed_s / seconds, value) for elapsed_s, value in points))

    charts = [
        Chart(
            "Tasks fitted",
            unit,
            "tasks fitted by some program",
            (line("fitted", fitted),),
        )
    ]
    if not cards:
        return charts

    def rates(counts: Sequence[float]) -> tuple[Line, Line]:
        """Return the rate per second, at each time and since the start."""
        times = [each.elapsed_s for each in cards]
        walls = [each.wall_s for each in cards]
        then = map(_ratio, counts, walls)
        since = map(_ratio, accumulate(counts), accumulate(walls))
        return (
            line("at the time", zip(times, then, strict=True)),
            line("since the beginning", zip(times, since, strict=True)),
        )

    def payoffs(kind: str, points: Sequence[_KindPoint]) -> Line:
        enough = points[-1].n_tried * ENOUGH_TRIED
        return line(
            kind,
            [
                (each.elapsed_s, 100 * _ratio(each.n_improved, each.n_tried))
                for each in points
                if each.n_tried >= enough
            ],
        )

    return [
        *charts,
        Chart(
            "Pairs",
            unit,
            "new (program, task) pairs per second",
            rates([each.n_pairs for each in cards]),
        ),
        Chart(
            "Time in the engine",
            unit,
            "% of the wall clock",
            rates([100 * each.engine_s for each in cards]),
            top=100,
        ),
        Chart(
            "Mutations",
            unit,
            "% of tried mutants that improved on a parent, since the beginning",
            tuple(payoffs(kind, points) for kind, points in kinds.items()),
        ),
    ]


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
