"""The cache of searches: passes resume them within bounded memory, and find the same."""

from __future__ import annotations

from typing import Any

import pytest

from arcbatt.evaluation import TaskBoard
from arcbatt.pool import Pool
from arcbatt.proposers.enumerate import EnumerateOptions, EnumerateProposer, Pass
from arcbatt.proposers.enumerate.search import ResumableSearch
from arcbatt.proposers.enumerate.search_cache import SearchCache, SearchKey
from arcbatt.proposers.views import by_role, plain
from arcbatt.solving import Loop
from tests.support.search import FOREVER_S, training

CUT_OFF = EnumerateOptions(depth=3, max_applications=80_000)
KEY, OTHER = SearchKey("a85d4709", plain, 3), SearchKey("25d8a9c8", plain, 3)


def cut_off(task_id: str) -> ResumableSearch:
    """Return a search that its bound on moves has ended."""
    search = ResumableSearch(plain(training(task_id)[0]))
    search.run(CUT_OFF)
    assert search.can_resume
    return search


def test_a_search_is_taken_by_its_key() -> None:
    cache, search = SearchCache(), cut_off("a85d4709")
    view = plain(training("a85d4709")[0])
    cache.keep(KEY, search)
    assert cache.n_bytes == search.n_bytes > 0
    assert cache.take(OTHER, view) is not search
    assert cache.take(KEY, view) is search
    assert cache.n_bytes == 0
    assert cache.take(KEY, view) is not search


def test_a_search_of_another_view_starts_over() -> None:
    cache, search = SearchCache(), cut_off("a85d4709")
    cache.keep(KEY, search)
    view = plain(training("25d8a9c8")[0])
    taken = cache.take(KEY, view)
    assert taken is not search and taken.view is view


def test_searches_that_do_not_fit_are_dropped() -> None:
    first, second = cut_off("a85d4709"), cut_off("25d8a9c8")
    for_one = SearchCache(max_total_bytes=first.n_bytes + second.n_bytes - 1)
    for_one.keep(KEY, first)
    for_one.keep(OTHER, second)
    assert for_one.n_bytes == first.n_bytes
    assert for_one.take(OTHER, second.view) is not second
    none = SearchCache(max_search_bytes=first.n_bytes - 1)
    none.keep(KEY, first)
    assert none.n_bytes == 0


def test_a_complete_search_is_dropped() -> None:
    cache, search = SearchCache(), ResumableSearch(plain(training("25d8a9c8")[0]))
    search.run(EnumerateOptions(depth=2))
    cache.keep(KEY, search)
    assert cache.n_bytes == 0


def test_searches_of_confident_tasks_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = [Pass(f"{n}", plain, 3, n, gain=1.0, cost_s=1.0) for n in (60_000, 90_000)]
    proposer, cache = EnumerateProposer(passes=passes), SearchCache()
    monkeypatch.setattr(proposer, "_cache", cache)
    board = TaskBoard(training("a85d4709", "d0f5fe59"), device="cpu", n_threads=1)
    loop = Loop(board, Pool.in_memory(), [proposer])
    confident: set[str] = set()
    monkeypatch.setattr(Loop, "confidence", lambda _loop, task: float(task.id in confident))
    loop.run(FOREVER_S, max_rounds=1)
    n_bytes = cache.n_bytes
    context = loop.context(proposer.name)
    confident.add("a85d4709")
    proposer.next_offer(context)
    assert 0 < cache.n_bytes < n_bytes
    confident.add("d0f5fe59")
    assert proposer.next_offer(context) is None
    assert cache.n_bytes == 0


def test_passes_find_the_same_with_and_without_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = [
        Pass(f"{n}", by_role, 3, n, gain=1.0 / n, cost_s=1.0) for n in (60_000, 90_000, 200_000)
    ]
    n_applied_before = 0
    run = ResumableSearch.run

    def counted(self: ResumableSearch, *args: Any) -> Any:
        nonlocal n_applied_before
        found = run(self, *args)
        n_applied_before += found.counts["n_applied_before"]
        return found

    monkeypatch.setattr(ResumableSearch, "run", counted)

    def found_with(cache: SearchCache) -> Any:
        proposer = EnumerateProposer(passes=passes)
        monkeypatch.setattr(proposer, "_cache", cache)
        board = TaskBoard(training("a85d4709", "d0f5fe59"), device="cpu", n_threads=1)
        loop = Loop(board, Pool.in_memory(), [proposer])
        loop.run(FOREVER_S)
        return [[each.program for each in loop.candidates(task).kept] for task in loop.tasks]

    without = found_with(SearchCache(0, 0))
    assert n_applied_before == 0
    assert found_with(SearchCache()) == without
    assert n_applied_before > 60_000
