"""The phases, and the times of a clock as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

# In the order of the pipeline.
Phase = Literal[
    "load",
    "deal",
    "fuse",
    "plan",
    "transfer",
    "launch",
    "wait",
    "run",
    "score",
    "store",
    "display",
    "other",
]

PHASES: tuple[Phase, ...] = get_args(Phase)
OTHER: Phase = "other"
"""Time outside all phases."""

NS = 10**9
"""Nanoseconds per second."""


@dataclass(frozen=True, slots=True)
class PathTime:
    """The time in a nested phase; `path` lists phases from the outermost inward.

    The empty path is the whole timeline; its `self_ns` is outside all phases.
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
    """The time in a phase, excluding phases nested in it."""

    name: str
    ns: int
    n_entered: int

    @property
    def seconds(self) -> float:
        return self.ns / NS


@dataclass(frozen=True, slots=True)
class TimelineReport:
    """The time of one thread or device; its phases sum to `wall_ns`."""

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
        """The phases that took time or were entered, in pipeline order."""
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
        """Return a time as a fraction of this timeline's wall clock."""
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
    """A table added to the report, such as calls per primitive or cache hits."""

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
    """All timelines (the main one first), summed counters, and added tables."""

    timelines: tuple[TimelineReport, ...]
    counters: Mapping[str, int]
    tables: tuple[TableReport, ...]

    @property
    def main(self) -> TimelineReport:
        return self.timelines[0]

    @property
    def others(self) -> tuple[TimelineReport, ...]:
        """The timelines of other threads, processes and devices."""
        return self.timelines[1:]

    def to_json(self) -> dict[str, Any]:
        return {
            "wall_s": self.main.wall_s,
            "timelines": [timeline.to_json() for timeline in self.timelines],
            "counters": dict(self.counters),
            "tables": [table.to_json() for table in self.tables],
        }
