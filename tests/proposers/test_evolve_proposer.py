"""The proposer `evolve`: candidates of other proposers become parents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from arcbatt.evaluation import TaskBoard
from arcbatt.language import parse_program
from arcbatt.pool import Pool
from arcbatt.proposers import Context
from arcbatt.proposers.evolve import EvolveOptions, EvolveProposer, evolution
from arcbatt.proposers.evolve.evolution import CardResult, Evolution
from arcbatt.proposers.evolve.proposer import CARDS_TO_GIVE_UP, MAX_PARENTS
from arcbatt.proposers.first_programs import fill_pool
from arcbatt.solving import Loop
from arcbatt.tasks import Task
from tests.support.search import FOREVER_S, Script, Scripted, task_named, training, trial_for


def evolved(task: Task, do: Script, **switches: frozenset[str]) -> Any:
    with Pool.in_memory() as pool:
        fill_pool(pool, library=False)
        mutants = EvolveProposer(EvolveOptions(card_size=40), **switches)
        board = TaskBoard([task], device="cpu", n_threads=1)
        loop = Loop(board, pool, [Scripted(do), mutants])
        loop.run(FOREVER_S, 2)
        assert loop.counts["evolve"].n_rounds == 2
        origins = {row.origin for row in pool.programs()}
    return loop.parts()["evolve"], origins


def test_nearly_right_candidates_become_parents() -> None:
    (task,) = training("a85d4709")
    near = parse_program("def solve(I):\n    O = replace(vmirror(I), 0, 5)\n    return O\n")
    large = "".join(f"    x{k + 1} = hmirror(x{k})\n" for k in range(60))
    too_large = parse_program(f"def solve(I):\n    x0 = vmirror(I)\n{large}    return x60\n")

    def offer(tasks: Sequence[Task], context: Context) -> None:
        for number, program in enumerate([near, near, too_large]):
            outputs = (((number,),),) * len(task.test_inputs)
            context.keep(*trial_for(task, program=program, outputs=outputs, n_fitted=0, credit=10))
        # Near is known by then, and equal programs count once.
        assert len(context.candidates(task)) == 2

    counts, origins = evolved(task, offer)
    assert counts["parents"] == {"n_parents_offered": 2, "n_parents_kept": 1}
    assert "scripted" in origins
    counts, origins = evolved(task, offer, off=frozenset({"parents"}))
    assert "parents" not in counts and "scripted" not in origins
    assert "splice" in counts


def test_a_few_parents_of_each_task_are_taken() -> None:
    task = task_named("one")

    def offer(tasks: Sequence[Task], context: Context) -> None:
        for number in range(30):
            text = f"def solve(I):\n    O = replace(hmirror(I), 1, {number})\n    return O\n"
            outputs = (((number % 10, number // 10),),) * 2
            context.keep(*trial_for(task, text, outputs=outputs, n_fitted=1, credit=500))

    counts, _ = evolved(task, offer)
    assert counts["parents"]["n_parents_offered"] == MAX_PARENTS


def test_a_resumed_run_begins_with_the_same_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evolution, "EVICT_EVERY", 1)
    board = TaskBoard(training("a85d4709", "67385a82"), device="cpu", n_threads=1)
    options = EvolveOptions(card_size=60, per_task=1)
    with Pool.in_memory() as pool:
        fill_pool(pool, library=False)
        loop = Loop(board, pool, [EvolveProposer(options)])
        loop.run(FOREVER_S, 6)
        loop.save()
        resumed = Loop(board, pool, [EvolveProposer(options)])
        resumed.run(FOREVER_S, 1)
        assert resumed.is_resumed and resumed.known == loop.known


def test_running_a_loop_again_equals_resuming_it() -> None:
    board = TaskBoard(training("a85d4709", "67385a82"), device="cpu", n_threads=1)
    options = EvolveOptions(card_size=40)

    def kept_after(is_resumed: bool) -> Any:
        with Pool.in_memory() as pool:
            fill_pool(pool, library=False)
            for number in range(3):
                if not number or is_resumed:
                    loop = Loop(board, pool, [EvolveProposer(options)])
                loop.run(FOREVER_S, 2)
                loop.save()
            assert loop.counts["evolve"].n_rounds == 6
            assert loop.pool.state("loop")["proposers"]["evolve"]["n_cards"] == 6
            return [[each.program for each in loop.candidates(task).kept] for task in board.tasks]

    assert kept_after(is_resumed=False) == kept_after(is_resumed=True)


def test_evolve_gives_up_after_several_empty_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = [0] * (CARDS_TO_GIVE_UP - 1) + [3] + [0] * CARDS_TO_GIVE_UP
    left, real = iter(numbers), Evolution.step

    def step(evolution: Evolution, **options: bool) -> CardResult:
        return replace(real(evolution, **options), n_mutants=next(left))

    monkeypatch.setattr(Evolution, "step", step)
    (task,) = training("a85d4709")
    with Pool.in_memory() as pool:
        fill_pool(pool, library=True)
        mutants = EvolveProposer(EvolveOptions(card_size=5))
        loop = Loop(TaskBoard([task], device="cpu", n_threads=1), pool, [mutants])
        loop.run(FOREVER_S, 10 * len(numbers))
    assert loop.counts["evolve"].n_rounds == len(numbers)


def test_what_it_remembers_does_not_grow_with_what_it_drops() -> None:
    """Candidates and archived programs that others have replaced are forgotten."""
    (task,) = training("a85d4709")
    numbers = iter(range(10**6))

    def offer(tasks: Sequence[Task], context: Context) -> None:
        for _ in range(50):
            number = next(numbers)
            call = f"replace(vmirror(I), {number % 10}, {number})"
            program = parse_program(f"def solve(I):\n    O = {call}\n    return O\n")
            outputs = (((number % 10,),),) * len(task.test_inputs)
            credit = min(number, 900)
            context.keep(
                *trial_for(task, program=program, outputs=outputs, n_fitted=0, credit=credit)
            )

    with Pool.in_memory() as pool:
        fill_pool(pool, library=False)
        evolve = EvolveProposer(EvolveOptions(card_size=40))
        board = TaskBoard([task], device="cpu", n_threads=1)
        loop = Loop(board, pool, [Scripted(offer, n_rounds=8), evolve])
        loop.run(FOREVER_S, 24)
        assert next(numbers) > 4 * MAX_PARENTS
        assert evolve.evolution is not None
        n_archived = sum(len(niche.entries) for niche in evolve.evolution.archive.niches)
    assert len(evolve._proposed) <= n_archived
    assert evolve._taken <= {(0, each.program) for each in loop.candidates(task).kept}
