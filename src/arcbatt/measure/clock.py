"""A clock that attributes time to phases, on one timeline per thread.

A timeline is in exactly one phase at any moment: entering a phase pauses the enclosing one, leaving
resumes it. Times are counted in whole nanoseconds, so the phases of a timeline, including `other`,
sum to its wall clock exactly. Other threads, processes and devices have timelines of their own,
which are never added to the main one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

from .report import NS, OTHER, PHASES, PathTime, Phase, Report, TableReport, TimelineReport

MAIN = "main"

P = ParamSpec("P")
R = TypeVar("R")


class _Step:
    """A node in the tree of nested phases, with the time spent in it but not in its children."""

    __slots__ = ("children", "n_entered", "name", "parent", "self_ns")

    def __init__(self, name: Phase, parent: _Step | None) -> None:
        self.name = name
        self.parent = parent
        self.children: dict[str, _Step] = {}
        self.n_entered = 0
        self.self_ns = 0

    def child(self, name: Phase) -> _Step:
        child = self.children.get(name)
        if child is None:
            if name not in PHASES:
                raise ValueError(f"no phase is named {name!r}; phases are {', '.join(PHASES)}")
            child = self.children[name] = _Step(name, self)
        return child


class _Timeline:
    """The phases of one thread; only that thread enters and leaves them."""

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
        """Leave a phase that is not the innermost, for example when a generator is closed late.

        The phases inside it are left too; leaving them again has no effect.
        """
        outer: _Step | None = self.step
        while outer is not None:
            if outer is step:
                self.step = step.parent or self.root
                return
            outer = outer.parent

    def report(self) -> TimelineReport:
        """Return the times so far, including the running phase."""
        # Another thread may call this while the timeline runs: read a consistent pair.
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


# The timeline of this context. A new thread has none.
_current: ContextVar[_Timeline | None] = ContextVar("timeline", default=None)


class Clock:
    """The wall clock of a run, by phase.

    `now` returns nanoseconds. Time since `loading_since_ns`, an earlier moment, counts as `load`.
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
        """Count the phases of this thread on a separate timeline.

        Time outside all phases is `other`. Only one thread at a time can use a timeline.
        """
        with self._lock:
            timeline = self._timeline(name)
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
        """Add time that a device or another process has measured."""
        with self._lock:
            target = self._timeline(timeline)
            if target is self._main or target.is_running:
                raise ValueError(f"the timeline {timeline!r} belongs to a running thread")
            step = target.root.child(name)
            step.n_entered += 1
            step.self_ns += round(seconds * NS)

    def _timeline(self, name: str) -> _Timeline:
        if name not in self._timelines:
            self._timelines[name] = _Timeline(self, name, self._now)
        return self._timelines[name]

    def add_table(
        self, title: str, columns: Sequence[str], rows: Sequence[Sequence[str | int | float]]
    ) -> None:
        """Add a table to the report; it replaces a table of the same title."""
        table = TableReport(title, tuple(columns), tuple(tuple(row) for row in rows))
        with self._lock:
            self._tables[title] = table

    def report(self) -> Report:
        """Return all times so far; the clock keeps running."""
        with self._lock:
            timelines = list(self._timelines.values())
            tables = tuple(self._tables.values())
        counters: dict[str, int] = {}
        for timeline in timelines:
            for name, n in list(timeline.counters.items()):
                counters[name] = counters.get(name, 0) + n
        return Report(tuple(timeline.report() for timeline in timelines), counters, tables)


class phase:
    """Attribute the time inside a `with` block, or a decorated function, to a phase.

    Has no effect without an active clock.
    """

    __slots__ = ("_name", "_step", "_timeline")
    _step: _Step

    def __init__(self, name: Phase) -> None:
        self._name = name
        self._timeline: _Timeline | None = None

    def __enter__(self) -> None:
        if self._timeline is not None:
            raise RuntimeError(
                f"this phase {self._name!r} has already been entered; create a new one"
            )
        timeline = _current.get()
        # A context that was copied to another thread still holds the first thread's timeline.
        if timeline is not None and timeline.thread == threading.get_ident():
            self._step = timeline.enter(self._name)
            self._timeline = timeline

    def __exit__(self, *_: object) -> None:
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
    """Return the active clock, or None."""
    timeline = _current.get()
    return None if timeline is None else timeline.clock


def count(name: str, n: int = 1) -> None:
    """Increase a counter of the current clock, if any."""
    timeline = _current.get()
    if timeline is not None and timeline.thread == threading.get_ident():
        timeline.counters[name] = timeline.counters.get(name, 0) + n


def record(timeline: str, name: Phase, seconds: float) -> None:
    """Add time measured elsewhere to the current clock, if any; see `Clock.record`."""
    clock = current_clock()
    if clock is not None:
        clock.record(timeline, name, seconds)


@contextmanager
def timeline(name: str) -> Iterator[None]:
    """Count this thread's phases on a timeline of the current clock, if any.

    For a thread that runs in a copy of its starter's context; see `Clock.timeline`.
    """
    clock = current_clock()
    with nullcontext() if clock is None else clock.timeline(name):
        yield


def add_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str | int | float]]
) -> None:
    """Add a table to the report of the current clock, if any."""
    clock = current_clock()
    if clock is not None:
        clock.add_table(title, columns, rows)


class BusyTime:
    """The time during which at least one thread was inside `with`."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._done_s = 0.0
        self._n_inside = 0
        self._since: float | None = None

    @property
    def seconds(self) -> float:
        """The total so far, including a `with` block that is still running."""
        with self._lock:
            running_s = 0.0 if self._since is None else self._now() - self._since
            return self._done_s + running_s

    def __enter__(self) -> None:
        with self._lock:
            self._n_inside += 1
            if self._since is None:
                self._since = self._now()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if self._since is not None and not self._n_inside:
                self._done_s += self._now() - self._since
                self._since = None
