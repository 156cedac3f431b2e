"""Searches that later passes resume, kept while they fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from threading import Lock

from arcbatt.proposers.views import View
from arcbatt.tasks import Task

from .search import ResumableSearch

# The oldest searches stay. All passes take the tasks in the same order, so dropping the oldest
# would drop each search just before its turn.
MAX_SEARCH_BYTES = 64 * 2**20
MAX_TOTAL_BYTES = 512 * 2**20


@dataclass(frozen=True, slots=True)
class SearchKey:
    """The search of a task by passes that differ only in their number of moves."""

    task_id: str
    view: Callable[[Task], View]
    depth: int
    open_cells_first: bool = False
    grow_trees: bool = False


class SearchCache:
    """Searches by key. A search that is not kept starts over, which costs only time."""

    def __init__(
        self, max_search_bytes: int = MAX_SEARCH_BYTES, max_total_bytes: int = MAX_TOTAL_BYTES
    ) -> None:
        self._max_search_bytes = max_search_bytes
        self._max_total_bytes = max_total_bytes
        self._searches: dict[SearchKey, ResumableSearch] = {}
        self._n_bytes = 0
        self._lock = Lock()

    @property
    def n_bytes(self) -> int:
        """The memory of all searches that are kept."""
        return self._n_bytes

    def take(self, key: SearchKey, view: View) -> ResumableSearch:
        """Remove and return the search of a key if it is one of this view, else a new search."""
        with self._lock:
            search = self._searches.pop(key, None)
            if search is not None:
                self._n_bytes -= search.n_bytes
        return search if search is not None and search.searches(view) else ResumableSearch(view)

    def keep(self, key: SearchKey, search: ResumableSearch) -> None:
        """Keep a search that can be resumed, if there is room for it."""
        n_bytes = search.n_bytes
        if not search.can_resume or n_bytes > self._max_search_bytes:
            return
        with self._lock:
            if key not in self._searches and self._n_bytes + n_bytes <= self._max_total_bytes:
                self._searches[key] = search
                self._n_bytes += n_bytes

    def keep_only(self, task_ids: Collection[str]) -> None:
        """Drop the searches of all other tasks."""
        with self._lock:
            for key in [key for key in self._searches if key.task_id not in task_ids]:
                self._n_bytes -= self._searches.pop(key).n_bytes
