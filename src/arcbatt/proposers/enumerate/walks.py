"""Walks that later passes go on from, while they fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from threading import Lock

from arcbatt.tasks import Task

from .stacks import View, Walk

# What one walk may keep, and all of them together. Those that were kept first stay: passes take the
# tasks in one order, so that the last ones would push out the first before their turn comes.
MAX_WALK_BYTES = 64 * 2**20
MAX_ALL_BYTES = 512 * 2**20


@dataclass(frozen=True, slots=True)
class WalkKey:
    """What a walk searches: passes that differ in their number of moves alone have the same."""

    task_id: str
    view: Callable[[Task], View]
    depth: int
    size_guess: int = 0
    by_open: bool = False


class KeptWalks:
    """Walks by what they search; one that is not kept begins anew, which costs time alone."""

    def __init__(
        self, max_walk_bytes: int = MAX_WALK_BYTES, max_all_bytes: int = MAX_ALL_BYTES
    ) -> None:
        self._max_walk_bytes = max_walk_bytes
        self._max_all_bytes = max_all_bytes
        self._walks: dict[WalkKey, Walk] = {}
        self._n_bytes = 0
        self._lock = Lock()

    @property
    def n_bytes(self) -> int:
        return self._n_bytes

    def take(self, key: WalkKey, view: View) -> Walk:
        """Return the walk that is kept under a key, if it is one of this view, or a new one."""
        with self._lock:
            walk = self._walks.pop(key, None)
            if walk is not None:
                self._n_bytes -= walk.n_bytes
        return walk if walk is not None and walk.is_of(view) else Walk(view)

    def keep(self, key: WalkKey, walk: Walk) -> None:
        """Keep a walk that can go on, if there is room for it."""
        n_bytes = walk.n_bytes
        if not walk.can_resume or n_bytes > self._max_walk_bytes:
            return
        with self._lock:
            if key not in self._walks and self._n_bytes + n_bytes <= self._max_all_bytes:
                self._walks[key] = walk
                self._n_bytes += n_bytes

    def keep_only(self, task_ids: Collection[str]) -> None:
        """Drop the walks of all other tasks, which nobody will take."""
        with self._lock:
            for key in [key for key in self._walks if key.task_id not in task_ids]:
                self._n_bytes -= self._walks.pop(key).n_bytes
