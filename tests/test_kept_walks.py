"""Walks kept from pass to pass: passes go on, within a bounded memory, and find the same."""

from __future__ import annotations

from typing import Any

import pytest

from arcbatt.evaluation import TaskBoard
from arcbatt.pool import Pool
from arcbatt.proposers.enumerate import EnumeratedStacks, EnumerateOptions, Pass
from arcbatt.proposers.enumerate.stacks import Walk
from arcbatt.proposers.enumerate.views import by_role, plain
from arcbatt.proposers.enumerate.walks import KeptWalks, WalkKey
from arcbatt.solving import Loop

from .solving_parts import FOREVER_S, training

CUT_OFF = EnumerateOptions(depth=3, max_applications=80_000)
KEY, OTHER = WalkKey("a85d4709", plain, 3), WalkKey("25d8a9c8", plain, 3)


def cut_off(task_id: str) -> Walk:
    """A walk that its bound on moves has ended."""
    walk = Walk(plain(training(task_id)[0]))
    walk.search(CUT_OFF)
    assert walk.can_resume
    return walk


def test_a_walk_is_taken_where_it_was_kept() -> None:
    walks, walk = KeptWalks(), cut_off("a85d4709")
    view = plain(training("a85d4709")[0])
    walks.keep(KEY, walk)
    assert walks.n_bytes == walk.n_bytes > 0
    assert walks.take(OTHER, view) is not walk
    assert walks.take(KEY, view) is walk
    assert walks.n_bytes == 0
    assert walks.take(KEY, view) is not walk


def test_a_walk_of_another_view_begins_anew() -> None:
    walks, walk = KeptWalks(), cut_off("a85d4709")
    walks.keep(KEY, walk)
    view = plain(training("25d8a9c8")[0])
    taken = walks.take(KEY, view)
    assert taken is not walk and taken.view is view


def test_what_does_not_fit_is_dropped() -> None:
    first, second = cut_off("a85d4709"), cut_off("25d8a9c8")
    for_one = KeptWalks(max_all_bytes=first.n_bytes + second.n_bytes - 1)
    for_one.keep(KEY, first)
    for_one.keep(OTHER, second)
    assert for_one.n_bytes == first.n_bytes
    assert for_one.take(OTHER, second.view) is not second
    none = KeptWalks(max_walk_bytes=first.n_bytes - 1)
    none.keep(KEY, first)
    assert none.n_bytes == 0


def test_a_walk_that_is_done_is_dropped() -> None:
    walks, walk = KeptWalks(), Walk(plain(training("25d8a9c8")[0]))
    walk.search(EnumerateOptions(depth=2))
    walks.keep(KEY, walk)
    assert walks.n_bytes == 0


def test_walks_of_tasks_that_are_sure_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = [Pass(f"{n}", plain, 3, n, gain=1.0, cost_s=1.0) for n in (60_000, 90_000)]
    proposer, walks = EnumeratedStacks(passes=passes), KeptWalks()
    monkeypatch.setattr(proposer, "_walks", walks)
    board = TaskBoard(training("a85d4709", "d0f5fe59"), device="cpu", n_threads=1)
    loop = Loop(board, Pool.in_memory(), [proposer])
    sure: set[str] = set()
    monkeypatch.setattr(Loop, "confidence", lambda _loop, task: float(task.id in sure))
    loop.run(FOREVER_S, max_rounds=1)
    n_bytes = walks.n_bytes
    context = loop.context(proposer.name)
    sure.add("a85d4709")
    proposer.next_offer(context)
    assert 0 < walks.n_bytes < n_bytes
    sure.add("d0f5fe59")
    assert proposer.next_offer(context) is None
    assert walks.n_bytes == 0


def test_passes_find_the_same_with_walks_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = [
        Pass(f"{n}", by_role, 3, n, gain=1.0 / n, cost_s=1.0) for n in (60_000, 90_000, 200_000)
    ]
    n_applied_before = 0
    search = Walk.search

    def counted(self: Walk, *args: Any) -> Any:
        nonlocal n_applied_before
        found = search(self, *args)
        n_applied_before += found.counts["n_applied_before"]
        return found

    monkeypatch.setattr(Walk, "search", counted)

    def found_with(walks: KeptWalks) -> Any:
        proposer = EnumeratedStacks(passes=passes)
        monkeypatch.setattr(proposer, "_walks", walks)
        board = TaskBoard(training("a85d4709", "d0f5fe59"), device="cpu", n_threads=1)
        loop = Loop(board, Pool.in_memory(), [proposer])
        loop.run(FOREVER_S)
        return [[each.program for each in loop.candidates(task).kept] for task in loop.tasks]

    without = found_with(KeptWalks(0, 0))
    assert n_applied_before == 0
    assert found_with(KeptWalks()) == without
    assert n_applied_before > 60_000
