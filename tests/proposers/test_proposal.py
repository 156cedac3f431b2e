"""Proposals of programs, and work of proposers that waits beside the search."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import arcbatt
from arcbatt.evaluation import TaskBoard
from arcbatt.proposers.proposer import BITS_PER_CALL

TEXT = "def solve(I):\n    x = vmirror(I)\n    return x\n"
FOREVER_S = 3600.0


@pytest.fixture
def task() -> arcbatt.Task:
    return arcbatt.Task.of(demos=[([[1, 2]], [[2, 1]])], test_inputs=[[[3, 4]]])


def test_a_proposal_is_made_of_a_program_or_of_a_parsed_one(task: arcbatt.Task) -> None:
    program = arcbatt.parse_program(TEXT)
    (parsed,) = arcbatt.read_programs(TEXT)
    assert isinstance(parsed, arcbatt.ParsedProgram)
    proposal = arcbatt.Proposal.from_program(program, task)
    assert (proposal.family, proposal.bits) == ("vmirror", BITS_PER_CALL)
    assert proposal == arcbatt.Proposal.from_program(parsed, task)
    assert arcbatt.Proposal(parsed, task, "own", 1.0).program == program  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected a program, not a str"):
        arcbatt.Proposal.from_program(TEXT, task)  # type: ignore[arg-type]
    board = TaskBoard([task], device="cpu", n_threads=1)
    assert board.trials(task, [parsed]) == board.trials(task, [program])
    assert "x = vmirror(I)" in arcbatt.explain(parsed, task).source.text


class Waiting(arcbatt.Proposer):
    """Starts a function for each task once, and proposes what it gives."""

    name = "waiting"

    def __init__(self, work: Any) -> None:
        self._work = work
        self.n_asked = 0

    def next_offer(self, context: arcbatt.Context) -> arcbatt.Offer | None:
        self.n_asked += 1
        tasks = context.board.tasks
        if context.has_results:
            return arcbatt.Offer("take", tasks, 1.0, 0.01, divides=False)
        is_new = not context.done("asked")
        return arcbatt.Offer("ask", tasks, 1.0, 0.01, divides=False) if is_new else None

    def work(self, offer: arcbatt.Offer, context: arcbatt.Context) -> None:
        for task in offer.tasks:
            if offer.item == "ask":
                context.start(self._work, task)
                context.note_done("asked", task, {})
        for task, program in context.results():
            context.propose([arcbatt.Proposal.from_program(program, task)])


def test_work_that_waits_runs_beside_the_search(task: arcbatt.Task) -> None:
    here = threading.get_ident()

    def work(task: arcbatt.Task) -> Iterator[Any]:
        assert threading.get_ident() != here
        for name in ("hmirror", "vmirror"):
            yield task, arcbatt.parse_program(TEXT.replace("vmirror", name))

    proposer = Waiting(work)
    solution = arcbatt.solve(task, FOREVER_S, proposers=[proposer])
    assert solution.fits
    # The loop waits instead of asking without end.
    assert proposer.n_asked < 20


def test_what_is_returned_is_a_result_too(task: arcbatt.Task) -> None:
    proposer = Waiting(lambda task: (task, arcbatt.parse_program(TEXT)))
    assert arcbatt.solve(task, FOREVER_S, proposers=[proposer]).fits


def test_an_exception_beside_the_search_ends_that_proposer(task: arcbatt.Task) -> None:
    def work(task: arcbatt.Task) -> Any:
        raise ZeroDivisionError("of its own")

    with pytest.warns(RuntimeWarning, match=r"waiting failed, and the search continued"):
        solution = arcbatt.solve(task, FOREVER_S, proposers=["known", Waiting(work)], max_rounds=2)
    assert solution.fits  # by known
    with pytest.raises(ZeroDivisionError, match="of its own"):
        arcbatt.solve(task, FOREVER_S, proposers=[Waiting(work)], fail_fast=True)


def test_a_budget_ends_work_that_never_ends(task: arcbatt.Task) -> None:
    go_on = threading.Event()
    ended: list[arcbatt.Task] = []

    def work(task: arcbatt.Task) -> None:
        go_on.wait(60)
        ended.append(task)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arcbatt.solve(task, 0.3, proposers=[Waiting(work)])
    assert not ended
    go_on.set()
