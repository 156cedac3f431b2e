"""Work of proposers that waits, such as for an answer over a network, beside the search."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextvars import copy_context
from inspect import isgenerator
from itertools import count
from threading import Condition, Thread
from typing import Any

from arcbatt.measure import timeline
from arcbatt.proposers import Allowance

# Seconds between two looks at the allowance while waiting.
POLL_S = 0.1


class Background:
    """Threads that work beside the search. None of them keeps the process from ending."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._n_events = self._n_seen = 0
        self._numbers = count(1)
        self.is_closed = False
        self.n_running = 0

    def start(
        self, name: str, work: Callable[..., Any], args: tuple[Any, ...], into: Results
    ) -> None:
        """Call a function in a thread; each result goes into a queue as it comes."""
        with self._changed:
            number = next(self._numbers)
            self.n_running += 1
            into.n_running += 1
        run = copy_context().run
        Thread(
            target=run,
            args=(self._run, f"{name} {number}", work, args, into),
            name=f"{name} {number}",
            daemon=True,
        ).start()

    def _run(
        self, name: str, work: Callable[..., Any], args: tuple[Any, ...], into: Results
    ) -> None:
        try:
            with timeline(name):
                for result in _results(work, args):
                    self._add(into, result)
                    if self.is_closed:
                        break
        except BaseException as error:  # it is raised where the results are taken
            self._add(into, error)
        finally:
            with self._changed:
                self.n_running -= 1
                into.n_running -= 1
                self._n_events += 1
                self._changed.notify_all()

    def _add(self, into: Results, result: Any) -> None:
        with self._changed:
            into.ready.append(result)
            self._n_events += 1
            self._changed.notify_all()

    def wait(self, allowance: Allowance) -> bool:
        """Wait until something happens or the allowance is spent; return False if nothing can."""
        with self._changed:
            while self._n_events == self._n_seen and self.n_running and not allowance.is_spent:
                self._changed.wait(min(POLL_S, max(allowance.left_s, 0.001)))
            has_news = self._n_events != self._n_seen
            self._n_seen = self._n_events
            return has_news or self.n_running > 0

    def close(self) -> None:
        """Start nothing more: threads end with the result that they are working on."""
        self.is_closed = True


class Results:
    """The results of the background work of one proposer, in order of arrival."""

    def __init__(self) -> None:
        self.ready: deque[Any] = deque()
        self.n_running = 0

    def take(self) -> list[Any]:
        """Return and forget the results so far; raise the exception of work that failed."""
        taken: list[Any] = []
        while self.ready:
            if isinstance(self.ready[0], BaseException):
                if taken:
                    return taken  # the exception comes next
                raise self.ready.popleft()
            taken.append(self.ready.popleft())
        return taken


def _results(work: Callable[..., Any], args: tuple[Any, ...]) -> Iterator[Any]:
    """Yield the results of a function: those that it yields, or the one that it returns."""
    given = work(*args)
    if isgenerator(given):
        yield from given
    else:
        yield given
