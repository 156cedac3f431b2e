"""Phases of work in, time by phase out, on one timeline a thread.

A timeline is in exactly one phase at any moment: entering a phase stops the count of the one around
it, leaving resumes that. So the times of a timeline's phases, `other` among them, sum to its wall
clock exactly: they are counted in whole nanoseconds. What other threads, processes and devices do
is kept in timelines of their own and never added to the main one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from types import TracebackType
from typing import ParamSpec, TypeVar

from .phases import OTHER, PHASES, Phase
from .report import PathTime, Report, TableReport, TimelineReport

MAIN = "main"
NS = 10**9

P = ParamSpec("P")
R = TypeVar("R")


class _Step:
    """A place in the tree of phases: the phases around it, and the time in it alone."""

    __slots__ = ("children", "n_entered", "name", "parent", "self_ns")

    def __init__(self, name: Phase, parent: _Step | None) -> None:
        self.name = name
        self.parent = parent
        self.children: dict[str, _Step] = {}
        self.n_entered = 0
        self.self_ns = 0

    def child(self, name: Phase) -> _Step:
        found = self.children.get(name)
        if found is None:
            if name not in PHASES:
                raise ValueError(f"no phase is named {name!r}; phases are {', '.join(PHASES)}")
            found = self.children[name] = _Step(name, self)
        return found


class _Timeline:
    """The time of one thread. Only that thread enters and leaves phases on it."""

    __slots__ = (
        "clock",
        "counters",
        "is_running",
        "name",
        "now",
        "root",
        "since",
        "step",
        "thread",
    )

    def __init__(self, clock: Clock, name: str, now: Callable[[], int]) -> None:
        self.clock = clock
        self.name = name
        self.now = now
        self.root = self.step = _Step(OTHER, None)
        self.since = 0
        self.is_running = False
        self.thread = 0
        self.counters: dict[str, int] = {}

    def start(self) -> None:
        self.thread = threading.get_ident()
        self.since = self.now()
        self.is_running = True

    def stop(self) -> None:
        self.step.self_ns += self.now() - self.since
        self.step = self.root
        self.is_running = False

    def enter(self, name: Phase) -> _Step:
        step = self.step
        inner = step.children.get(name) or step.child(name)
        now = self.now()
        step.self_ns += now - self.since
        inner.n_entered += 1
        self.step = inner
        self.since = now
        return inner

    def leave(self, step: _Step) -> None:
        now = self.now()
        current = self.step
        current.self_ns += now - self.since
        self.since = now
        if current is step:
            self.step = step.parent or self.root
        else:
            self._unwind(step)

    def _unwind(self, step: _Step) -> None:
        """Leave a phase that is not the innermost: a generator was closed late, for example.

        The phases inside it are left with it; a phase that was left so is not left again.
        """
        outer: _Step | None = self.step
        while outer is not None:
            if outer is step:
                self.step = step.parent or self.root
                return
            outer = outer.parent

    def report(self) -> TimelineReport:
        """The times so far, the running phase's until now."""
        # Another thread may ask while this one goes on: take a phase and its start that belong
        # together.
        while True:
            step, since = self.step, self.since
            now = self.now()
            if step is self.step and since == self.since:
                break
        running_ns = now - since if self.is_running else 0
        paths: list[PathTime] = []

        def visit(at: _Step, path: tuple[str, ...]) -> int:
            place = len(paths)
            paths.append(PathTime(path, 0, 0, 0))
            self_ns = at.self_ns + (running_ns if at is step else 0)
            total_ns = self_ns
            for child in list(at.children.values()):
                total_ns += visit(child, (*path, child.name))
            paths[place] = PathTime(path, self_ns, total_ns, at.n_entered)
            return total_ns

        visit(self.root, ())
        return TimelineReport(self.name, tuple(paths))


# The timeline that phases are counted on here. A new thread has none.
_current: ContextVar[_Timeline | None] = ContextVar("timeline", default=None)


class Clock:
    """A run's wall clock, taken apart by phase.

    `now` gives nanoseconds. `loading_since_ns` is an earlier moment of it: what went by since then
    counts as load.
    """

    def __init__(
        self,
        now: Callable[[], int] = time.perf_counter_ns,
        loading_since_ns: int | None = None,
    ) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._main = _Timeline(self, MAIN, now)
        self._timelines: dict[str, _Timeline] = {MAIN: self._main}
        self._tables: dict[str, TableReport] = {}
        self._main.start()
        if loading_since_ns is not None:
            load = self._main.root.child("load")
            load.n_entered += 1
            load.self_ns = self._main.since - loading_since_ns

    @contextmanager
    def active(self) -> Iterator[Clock]:
        """Count the phases of this thread on the main timeline."""
        self._main.thread = threading.get_ident()
        token = _current.set(self._main)
        try:
            yield self
        finally:
            _current.reset(token)

    @contextmanager
    def timeline(self, name: str) -> Iterator[None]:
        """Count the phases of this thread on a timeline of that name, beside the main one.

        What is in no phase there is `other`. Two threads cannot be on one timeline at a time.
        """
        with self._lock:
            timeline = self._timelines.get(name)
            if timeline is None:
                timeline = self._timelines[name] = _Timeline(self, name, self._now)
            if timeline.is_running:
                raise ValueError(f"the timeline {name!r} is in use; give this one another name")
            timeline.start()
        token = _current.set(timeline)
        try:
            yield
        finally:
            _current.reset(token)
            timeline.stop()

    def record(self, timeline: str, name: Phase, seconds: float) -> None:
        """Add time that something else measured: a device, or another process."""
        with self._lock:
            found = self._timelines.get(timeline)
            if found is None:
                found = self._timelines[timeline] = _Timeline(self, timeline, self._now)
            if found is self._main or found.is_running:
                raise ValueError(f"the timeline {timeline!r} keeps its own time")
            step = found.root.child(name)
            step.n_entered += 1
            step.self_ns += round(seconds * NS)

    def add_table(
        self, title: str, columns: Sequence[str], rows: Sequence[Sequence[str | int | float]]
    ) -> None:
        """Show a table with the report; one of the same title is replaced."""
        table = TableReport(title, tuple(columns), tuple(tuple(row) for row in rows))
        with self._lock:
            self._tables[title] = table

    def report(self) -> Report:
        """Return all times so far; the clock goes on."""
        with self._lock:
            timelines = list(self._timelines.values())
            tables = tuple(self._tables.values())
        counters: dict[str, int] = {}
        for timeline in timelines:
            for name, n in list(timeline.counters.items()):
                counters[name] = counters.get(name, 0) + n
        return Report(tuple(timeline.report() for timeline in timelines), counters, tables)


class phase:
    """Count what happens inside under a phase of the current clock, if there is one.

    For one `with` at a time, or as a decorator of a function.
    """

    __slots__ = ("_name", "_step", "_timeline")
    _step: _Step

    def __init__(self, name: Phase) -> None:
        self._name = name
        self._timeline: _Timeline | None = None

    def __enter__(self) -> None:
        if self._timeline is not None:
            raise RuntimeError(
                f"this phase {self._name!r} has been entered already; make a new one"
            )
        timeline = _current.get()
        # A context that was copied into another thread still names this one's timeline.
        if timeline is not None and timeline.thread == threading.get_ident():
            self._step = timeline.enter(self._name)
            self._timeline = timeline

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        timeline = self._timeline
        if timeline is not None:
            self._timeline = None
            timeline.leave(self._step)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        name = self._name

        @wraps(function)
        def timed(*args: P.args, **kwargs: P.kwargs) -> R:
            with phase(name):
                return function(*args, **kwargs)

        return timed


def current_clock() -> Clock | None:
    """Return the clock that is active here."""
    timeline = _current.get()
    return None if timeline is None else timeline.clock


def count(name: str, n: int = 1) -> None:
    """Add to a counter of the current clock, if there is one."""
    timeline = _current.get()
    if timeline is not None and timeline.thread == threading.get_ident():
        timeline.counters[name] = timeline.counters.get(name, 0) + n


def record(timeline: str, name: Phase, seconds: float) -> None:
    """Add a device's time to the current clock, if there is one; see `Clock.record`."""
    clock = current_clock()
    if clock is not None:
        clock.record(timeline, name, seconds)


@contextmanager
def timeline(name: str) -> Iterator[None]:
    """Count this thread's phases on a timeline of the current clock; see `Clock.timeline`.

    For a thread that was started with a copy of its starter's context.
    """
    clock = current_clock()
    if clock is None:
        yield
    else:
        with clock.timeline(name):
            yield


def add_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str | int | float]]
) -> None:
    """Show a table with the report of the current clock, if there is one."""
    clock = current_clock()
    if clock is not None:
        clock.add_table(title, columns, rows)
