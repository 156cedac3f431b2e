"""The proposer that learns from bases: what bases there are, and what it proposes."""

from __future__ import annotations

import pytest

from arcbatt.evaluation import N_COPIES, TaskBoard
from arcbatt.language import interpret
from arcbatt.language.text import format_program
from arcbatt.pool import Pool
from arcbatt.proposers.enumerate.views import BASE, on_base
from arcbatt.proposers.finishing import (
    BITS_OF_A_BASE,
    FINISHING,
    GAIN,
    LEARNT_FROM,
    FinishedBases,
    simple_bases,
    sized_bases,
)
from arcbatt.proposers.proposer import SURE
from arcbatt.proposers.trees import GROWING
from arcbatt.solving import Loop
from arcbatt.tasks import Task

from .solving_parts import FOREVER_S, found_for, huge_task, kept_by, task_named, training


def finished(
    *tasks: Task, off: frozenset[str] = frozenset(), pool: Pool | None = None, n_threads: int = 1
) -> Loop:
    board = TaskBoard(tasks, device="cpu", n_threads=n_threads)
    loop = Loop(board, pool or Pool.in_memory(), [FinishedBases(off)])
    loop.run(FOREVER_S)
    return loop


def test_the_least_sure_tasks_come_first_and_sure_ones_are_left_alone() -> None:
    sure, doubtful, nothing = tasks = [task_named(name) for name in ("sure", "doubtful", "nothing")]
    proposer = FinishedBases()
    loop = Loop(TaskBoard(tasks, device="cpu", n_threads=1), Pool.in_memory(), [proposer])
    loop.take(proposer, *found_for(sure, bits=0.0, n_copies=N_COPIES))
    loop.take(proposer, *found_for(doubtful, bits=4.0, n_fitted=1))
    offer = proposer.next_offer(loop.context("finish"))
    assert offer is not None and offer.tasks == (nothing, doubtful)
    n_wrong = 2 - loop.confidence(doubtful)
    assert loop.confidence(sure) >= SURE > loop.confidence(doubtful) > loop.confidence(nothing) == 0
    assert offer.gain == pytest.approx(GAIN * n_wrong)


def test_bases_are_programs_each_once_that_can_be_made_of_demos() -> None:
    bases = simple_bases()
    assert len({base.node for base in bases}) == len(bases) > 300
    for base in bases:
        view = on_base(base.node, base.bits)
        assert view.name == BASE and view.bits == base.bits > BITS_OF_A_BASE


def test_sized_bases_have_the_size_of_outputs() -> None:
    larger, same, other = training("10fcaaa3", "3bdb4ada", "25d487eb")
    assert sized_bases(same) == sized_bases(other) == ()
    for base in sized_bases(larger):
        for demo in larger.demos:
            made = interpret(base.program, {"I": demo.input}).outcome
            assert (len(made), len(made[0])) == (len(demo.output), len(demo.output[0]))  # type: ignore[arg-type, index]


def test_what_is_proposed_fits_by_the_reference_and_finds_demos_it_did_not_see() -> None:
    tasks = training("10fcaaa3", "5117e062", "d4469b4b")
    loop = finished(*tasks)
    assert loop.n_fitted == len(tasks)
    for task in tasks:
        pairs = tuple((demo.input, demo.output) for demo in task.demos)
        best = loop.candidates(task).kept[0]
        assert best.fits and best.trial.n_held_out
        assert best.proposal.family.startswith(f"{BASE} ")
        assert "apply" in format_program(best.program)
        demo = task.demos[0]
        assert interpret(best.program, {"I": demo.input, "S": pairs}).outcome == demo.output
    assert any("tile(" in format_program(each.program) for each in loop.candidates(tasks[0]).kept)


def test_it_repeats_is_done_once_and_counts() -> None:
    tasks = training("10fcaaa3", "25d487eb")
    with Pool.in_memory() as pool:
        first, second = finished(*tasks, pool=pool), finished(*tasks, n_threads=2)
        for task in tasks:
            programs = [
                [each.program for each in loop.candidates(task).kept] for loop in (first, second)
            ]
            assert programs[0] == programs[1]
        first.save()
        again = finished(*tasks, pool=pool)
        assert again.done("finish", FINISHING) == first.done("finish", FINISHING)
        assert kept_by(again) == kept_by(first) and again.parts() == first.parts()
    counts = first.parts()["finish"][FINISHING]
    assert counts["n_tasks"] == 2 and counts["n_bases"] > 2 and counts["n_kept"] > 0


def test_what_is_off_is_not_learnt() -> None:
    (task,) = training("10fcaaa3")
    loop = finished(task, off=frozenset({GROWING}))
    assert GROWING not in "".join(
        format_program(each.program) for each in loop.candidates(task).kept
    )
    nothing = finished(task, off=frozenset({GROWING, *LEARNT_FROM}))
    assert nothing.counts["finish"].n_rounds == 0


def test_any_task_can_be_finished() -> None:
    loop = finished(huge_task(), task_named("small"))
    assert set(loop.done("finish", FINISHING)) == {"huge", "small"}
