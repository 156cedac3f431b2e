"""The finish proposer: its bases, and its proposals."""

from __future__ import annotations

from itertools import pairwise

import pytest

from arcbatt.evaluation import N_COPIES, TaskBoard, Trial
from arcbatt.language import interpret
from arcbatt.language.text import format_program
from arcbatt.pool import Pool
from arcbatt.proposers import finish as finish_module
from arcbatt.proposers.finish import (
    BASE_BITS,
    BOX_RULES,
    FINISHING,
    GAIN,
    FinishProposer,
    base_learners,
    enlarged_bases,
    simple_bases,
)
from arcbatt.proposers.proposer import CONFIDENT
from arcbatt.proposers.trees import GROW_TREE
from arcbatt.proposers.views import BASE, on_base
from arcbatt.solving import Loop
from arcbatt.tasks import Pair, Task
from tests.support.search import (
    FOREVER_S,
    huge_task,
    kept_candidates,
    task_named,
    training,
    trial_for,
)


def finish(
    *tasks: Task, off: frozenset[str] = frozenset(), pool: Pool | None = None, n_threads: int = 1
) -> Loop:
    board = TaskBoard(tasks, device="cpu", n_threads=n_threads)
    loop = Loop(board, pool or Pool.in_memory(), [FinishProposer(off)])
    loop.run(FOREVER_S)
    return loop


def test_the_least_confident_tasks_come_first_and_confident_ones_are_left_out() -> None:
    sure, doubtful, nothing = tasks = [task_named(name) for name in ("sure", "doubtful", "nothing")]
    proposer = FinishProposer()
    loop = Loop(TaskBoard(tasks, device="cpu", n_threads=1), Pool.in_memory(), [proposer])
    loop.take(proposer, *trial_for(sure, bits=0.0, n_copies=N_COPIES))
    loop.take(proposer, *trial_for(doubtful, bits=4.0, n_fitted=1))
    offer = proposer.next_offer(loop.context("finish"))
    assert offer is not None and offer.tasks == (nothing, doubtful)
    n_wrong = 2 - loop.confidence(doubtful)
    assert (
        loop.confidence(sure)
        >= CONFIDENT
        > loop.confidence(doubtful)
        > loop.confidence(nothing)
        == 0
    )
    assert offer.gain == pytest.approx(GAIN * n_wrong)


def test_bases_are_functions_of_the_input() -> None:
    bases = simple_bases()
    assert len(bases) > 300
    for base in bases.values():
        view = on_base(base.node, base.bits)
        assert view.name == BASE and view.bits == base.bits > BASE_BITS


def test_enlarged_bases_have_the_size_of_outputs() -> None:
    larger, same, other = training("10fcaaa3", "3bdb4ada", "25d487eb")
    assert enlarged_bases(same) == enlarged_bases(other) == {}
    for base in enlarged_bases(larger).values():
        for demo in larger.demos:
            made = interpret(base.program, {"I": demo.input}).outcome
            assert (len(made), len(made[0])) == (len(demo.output), len(demo.output[0]))  # type: ignore[arg-type, index]


def test_proposals_fit_by_the_reference_and_find_held_out_demos() -> None:
    tasks = training("10fcaaa3", "5117e062", "d4469b4b")
    loop = finish(*tasks)
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


def test_rules_are_learned_from_the_boxes_of_objects() -> None:
    """A cell of an object becomes the color that is its mirror image left to right."""

    def mirrored(*colors: int) -> Pair:
        rows = [(0, a, b, a + b, 0, 0) for a, b in pairwise(colors)]
        flipped = [(0, *row[3:0:-1], 0, 0) for row in rows]
        blank = (0,) * 6
        return Pair(
            (blank, *rows, blank, (0, 0, 0, 0, 2, 3)), (blank, *flipped, blank, (0, 0, 0, 0, 3, 2))
        )

    demos = (mirrored(1, 2, 3), mirrored(4, 3, 1, 2), mirrored(2, 6))
    task = Task("mirrored", demos, (mirrored(1, 5, 2).input,), "tests")
    wanted = (mirrored(1, 5, 2).output,)

    def on_boxes(off: frozenset[str]) -> list[Trial]:
        kept = finish(task, off=off).candidates(task).kept
        return [each.trial for each in kept if each.proposal.family.startswith("boxes")]

    assert any(trial.fits and trial.outputs == wanted for trial in on_boxes(frozenset()))
    assert on_boxes(frozenset({BOX_RULES})) == []


def test_results_repeat_and_work_is_done_once_and_counted() -> None:
    tasks = training("10fcaaa3", "25d487eb")
    with Pool.in_memory() as pool:
        first, second = finish(*tasks, pool=pool), finish(*tasks, n_threads=2)
        for task in tasks:
            programs = [
                [each.program for each in loop.candidates(task).kept] for loop in (first, second)
            ]
            assert programs[0] == programs[1]
        first.save()
        again = finish(*tasks, pool=pool)
        assert again.done("finish", FINISHING) == first.done("finish", FINISHING)
        assert kept_candidates(again) == kept_candidates(first) and again.parts() == first.parts()
    counts = first.parts()["finish"][FINISHING]
    assert counts["n_tasks"] == 2 and counts["n_bases"] > 2 and counts["n_kept"] > 0


def test_rules_are_learned_for_doubtful_tasks_only(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = training("10fcaaa3", "a416b8f3")  # right: a tree on a tiling; a tiling
    monkeypatch.setattr(finish_module, "DOUBTFUL", 0.0)
    loop = finish(*tasks)
    assert [each.id for each in tasks if loop.candidates(each).fits] == ["a416b8f3"]
    assert loop.parts()["finish"][FINISHING]["n_bases"] == 0


def test_switched_off_learners_are_not_used() -> None:
    (task,) = training("10fcaaa3")
    loop = finish(task, off=frozenset({GROW_TREE}))
    assert GROW_TREE not in "".join(
        format_program(each.program) for each in loop.candidates(task).kept
    )
    nothing = finish(task, off=frozenset({GROW_TREE, *base_learners()}))
    assert nothing.counts["finish"].n_rounds == 0


def test_any_task_can_be_finished() -> None:
    loop = finish(huge_task(), task_named("small"))
    assert set(loop.done("finish", FINISHING)) == {"huge", "small"}
