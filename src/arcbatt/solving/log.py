"""What a run logs of each part of its work, and charts of it: how far it came, how fast, why.

A long run deals cards by the hundred thousand, and nearly all of them find nothing. So after the
first entries of a log, cards without news are summed up: over a small part of the run at a time,
which makes a log grow by the logarithm of its run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import accumulate
from typing import Any

from arcbatt.drawing.charts import Chart, Line

# So many entries of a log are as they came. After them, an entry may sum up cards over this part of
# the time that the run has taken by then: on a chart that is less than a pixel.
N_DETAILED = 1_000
SUMMED_SHARE = 2e-3
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
    any plain data beside; of several cards in one entry it has `n_cards`, their counts in sum, and
    all else of the last.
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
        """Whether it has what its proposer came to by the end of a round, since the beginning."""
        return "ended" in self.details

    def add_card(self, later: LogEntry) -> LogEntry:
        """Return the entry of this card, or of these cards, and a later one."""
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
        """Return what `to_json` wrote; anything else is a ValueError."""
        names = {each.name for each in fields(cls)}
        if not isinstance(content, dict) or content.keys() != names:
            raise ValueError(f"expected an object of {', '.join(sorted(names))}")
        return cls(**content)


class EntrySums:
    """Entries in, as work is done; those that a log gets out, cards without news summed up.

    Held are the sum of cards of each worker, and the end of their last round. They are let go
    together, before any entry that stands for itself, so that a log is in order.
    """

    def __init__(self, n_entries: int = 0, held: Iterable[LogEntry] = ()) -> None:
        """`n_entries` is how many the log has already, `held` what was held back then."""
        self._n_entries = n_entries
        self._held: dict[tuple[object, ...], LogEntry] = {}
        self._began_s = 0.0
        for entry in held:
            self._hold(entry)

    @property
    def held(self) -> list[LogEntry]:
        return list(self._held.values())

    def take(self, entry: LogEntry) -> list[LogEntry]:
        """Return what the log gets now that this is known."""
        if not self._can_hold(entry):
            return [*self.let_go(), *self._count([entry])]
        has_news = any(each.n_fitted != entry.n_fitted for each in self.held)
        before = self.let_go() if has_news else []
        self._hold(entry)
        if entry.elapsed_s - self._began_s < SUMMED_SHARE * entry.elapsed_s:
            return before
        return [*before, *self.let_go()]

    def let_go(self) -> list[LogEntry]:
        """Return what is held, and hold it no longer."""
        held, self._held = self.held, {}
        return self._count(sorted(held, key=lambda entry: entry.elapsed_s))

    def _count(self, entries: list[LogEntry]) -> list[LogEntry]:
        self._n_entries += len(entries)
        return entries

    def _can_hold(self, entry: LogEntry) -> bool:
        if self._n_entries < N_DETAILED:
            return False
        if entry.ends_round:  # that of a card alone: any other says that an item is done
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
    """Yield the entries of a log as they are written now, whatever version has written it."""
    sums = EntrySums()
    for entry in entries:
        yield from sums.take(entry)
    yield from sums.let_go()


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
    """Return the charts of a run: tasks fitted and, of evolution, pairs, engine and mutations.

    A log may be long, so it is gone through once, and a few numbers of each entry are kept.
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
            "tasks of which some program fits all demos",
            (line("fitted", fitted),),
        )
    ]
    if not cards:
        return charts

    def rates(counts: Sequence[float]) -> tuple[Line, Line]:
        """What was counted a second, at the time and with all up to it."""
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
            "new (program, task) pairs a second",
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
