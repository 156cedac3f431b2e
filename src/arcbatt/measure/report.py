"""What a clock has counted, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .phases import OTHER, PHASES

NS = 10**9


@dataclass(frozen=True, slots=True)
class PathTime:
    """The time in a phase inside those around it: `path` goes from the outermost inwards.

    The empty path is the whole timeline, and its own time is in no phase.
    """

    path: tuple[str, ...]
    self_ns: int
    total_ns: int
    n_entered: int

    def to_json(self) -> dict[str, Any]:
        return {
            "path": list(self.path),
            "self_s": self.self_ns / NS,
            "total_s": self.total_ns / NS,
            "entered": self.n_entered,
        }


@dataclass(frozen=True, slots=True)
class PhaseTime:
    """The time in a phase, without that of phases inside it."""

    name: str
    ns: int
    n_entered: int

    @property
    def seconds(self) -> float:
        return self.ns / NS


@dataclass(frozen=True, slots=True)
class TimelineReport:
    """The time of one thread or device. Its phases sum to `wall_ns`."""

    name: str
    paths: tuple[PathTime, ...]

    @property
    def wall_ns(self) -> int:
        return self.paths[0].total_ns

    @property
    def wall_s(self) -> float:
        return self.wall_ns / NS

    @property
    def phases(self) -> tuple[PhaseTime, ...]:
        """Every phase that took time or was entered, in the order of the pipeline."""
        ns = dict.fromkeys(PHASES, 0)
        n_entered = dict.fromkeys(PHASES, 0)
        for at in self.paths:
            name: Any = at.path[-1] if at.path else OTHER
            ns[name] += at.self_ns
            n_entered[name] += at.n_entered
        return tuple(
            PhaseTime(name, ns[name], n_entered[name])
            for name in PHASES
            if ns[name] or n_entered[name]
        )

    def share(self, ns: int) -> float:
        """Return what part of this timeline's wall clock a time is."""
        return ns / self.wall_ns if self.wall_ns else 0.0

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "wall_s": self.wall_s,
            "phases": {
                each.name: {
                    "seconds": each.seconds,
                    "share": self.share(each.ns),
                    "entered": each.n_entered,
                }
                for each in self.phases
            },
            "paths": [at.to_json() for at in self.paths],
        }


@dataclass(frozen=True, slots=True)
class TableReport:
    """A table that something measured adds to the report: calls by primitive, hits of caches."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float, ...], ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
        }


@dataclass(frozen=True, slots=True)
class Report:
    """All timelines, the main one first; counters over all of them; tables that were added."""

    timelines: tuple[TimelineReport, ...]
    counters: Mapping[str, int]
    tables: tuple[TableReport, ...]

    @property
    def main(self) -> TimelineReport:
        return self.timelines[0]

    @property
    def beside(self) -> tuple[TimelineReport, ...]:
        """The timelines of other threads, processes and devices."""
        return self.timelines[1:]

    def to_json(self) -> dict[str, Any]:
        return {
            "wall_s": self.main.wall_s,
            "timelines": [timeline.to_json() for timeline in self.timelines],
            "counters": dict(self.counters),
            "tables": [table.to_json() for table in self.tables],
        }
