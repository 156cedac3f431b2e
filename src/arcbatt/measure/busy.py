"""How long some thread was at work, for another one that looks now and then."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType


class BusyTime:
    """The time that one thread or more were inside `with`, up to now."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._done_s = 0.0
        self._n_inside = 0
        self._since: float | None = None

    @property
    def seconds(self) -> float:
        """All of it, that which is going on included."""
        with self._lock:
            running_s = 0.0 if self._since is None else self._now() - self._since
            return self._done_s + running_s

    def __enter__(self) -> None:
        with self._lock:
            self._n_inside += 1
            if self._since is None:
                self._since = self._now()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            self._n_inside -= 1
            if self._since is not None and not self._n_inside:
                self._done_s += self._now() - self._since
                self._since = None
