"""Candidates, stages and the solver: what is kept, how the budget is spent, what comes out."""

from __future__ import annotations

import math
import random
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import arcbatt
from arcbatt.language import Program, parse_program, run
from arcbatt.language.ir import call_node, input_node
from arcbatt.language.registry import all_primitives
from arcbatt.pool import Pool
from arcbatt.solving import (
    STAGE_NAMES,
    Desk,
    Kept,
    Solver,
    StageOptions,
    TaskCandidates,
    Watcher,
    make_stages,
    make_submission,
)
from arcbatt.solving.candidates import MAX_KEPT
from arcbatt.solving.hall_of_fame import best_by_size
from arcbatt.solving.interrupts import termination_interrupts, uninterrupted
from arcbatt.solving.outputs import candidates_of
from arcbatt.solving.seeds import fill_pool, seed_programs
from arcbatt.solving.tracing import describe_ranking
from arcbatt.tasks import Pair, Task

from .solving_parts import FLIP, MIRROR, Told, candidate_for, huge_task, task_named, training

TASK = task_named("one")


def kept(task: Task = TASK, text: str = MIRROR, **changes: Any) -> Kept:
    return Kept(candidate_for(task, text, **changes), "told", 1.0, 0.5)


def fits_all_demos(program: Program, task: Task) -> bool:
    """By the reference interpreter."""
    pairs = tuple((demo.input, demo.output) for demo in task.demos)
    return all(
        run(program, {"I": demo.input, "S": pairs}).outcome == demo.output for demo in task.demos
    )


# --- candidates ---


def test_a_candidate_without_any_grid_or_known_before_is_not_kept() -> None:
    found = TaskCandidates(TASK)
    for outputs in ((None, None), ((), None), (((10,),), ((True,),)), (((1,) * 31,), None)):
        assert not found.offer(kept(outputs=outputs))
    assert len(found) == found.version == 0
    assert found.offer(kept(outputs=(((1,),), ((99,),))))
    assert found.kept[0].candidate.outputs == (((1,),), None)
    assert not found.offer(kept(size=0))
    with pytest.raises(ValueError, match="not one"):
        found.offer(kept(task_named("two")))
    with pytest.raises(ValueError, match="expected 2"):
        candidate_for(TASK, outputs=())


def test_the_best_are_kept_in_whatever_order_they_come() -> None:
    rng = random.Random(1)
    offers = [
        kept(
            program=None,
            family=f"family {k}",
            n_fitted=rng.randrange(3),
            size=rng.randrange(9),
            credit=rng.randrange(1000),
        )
        for k in range(4 * MAX_KEPT)
    ]
    wanted = sorted(offers, key=lambda each: each.rank)[:MAX_KEPT]
    for _ in range(5):
        rng.shuffle(offers)
        found = TaskCandidates(TASK, offers)
        assert [each.candidate for each in found.kept] == [each.candidate for each in wanted]


def test_candidates_come_back_from_plain_data() -> None:
    found = TaskCandidates(TASK, [kept(), kept(text=FLIP, n_fitted=0, credit=12, n_held_out=1)])
    again = TaskCandidates(TASK, (Kept.from_json(row, TASK) for row in found.to_json()))
    assert again.kept == found.kept
    found.offer(kept(program=None, family="other"))
    assert len(found.to_json()) == 3


def test_a_program_that_could_not_be_read_back_is_not_kept() -> None:
    node = input_node("I")
    for name in ("hmirror", "vmirror") * 6000:
        node = call_node(all_primitives()[name], node)
    assert not TaskCandidates(TASK).offer(kept(program=Program(node)))


def test_what_fits_is_counted_anew_by_the_engine() -> None:
    right, wrong = candidates_of(TASK, [parse_program(MIRROR), parse_program(FLIP)])
    assert right.fits and right.credit == 1000 and right.outputs == (((6, 5), (8, 7)), ((0, 9),))
    assert wrong.n_fitted == 0 and wrong.credit == 0
    assert candidates_of(TASK, []) == []


def test_seeds_give_grids_and_read_back() -> None:
    names = [program.name for program in seed_programs()]
    assert len(set(names)) == len(names) > 5
    with Pool.in_memory() as pool:
        fill_pool(pool, library=False)
        assert pool.n_programs == len(names)
        fill_pool(pool, library=True)
        assert pool.n_programs > len(names)


# --- the hall of fame ---


def test_in_the_hall_are_programs_that_no_smaller_one_equals() -> None:
    small = kept(n_fitted=0, credit=300, size=1)
    as_good_but_larger = kept(text=FLIP, n_fitted=0, credit=300, size=2)
    better = kept(n_fitted=1, credit=200, size=5)
    no_program = kept(program=None, n_fitted=2, size=6)
    best = kept(n_fitted=2, size=9)
    offers = [best, as_good_but_larger, no_program, better, small]
    assert best_by_size(offers) == [small, better, best]
    assert best_by_size([]) == []


# --- the solver ---


class Notes(Watcher):
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def said(self, solver: Solver, message: str) -> None:
        self.lines.append(message)

    def traced(self, task: Task, stage: str, message: str) -> None:
        self.lines.append(f"{task.id}, {stage}: {message}")

    def ended_stage(self, solver: Solver, stage: str) -> None:
        self.lines.append(f"{stage} ended")


def offer_all(tasks: Sequence[Task], desk: Desk) -> None:
    for task in tasks:
        desk.offer(candidate_for(task))


def test_stages_run_in_turn_and_are_counted() -> None:
    tasks = [task_named("one"), task_named("two")]
    notes = Notes()
    first, second = Told(offer_all, "first", n_rounds=2), Told(offer_all, "second")
    first.enough = second.enough = 1
    solver = Solver(tasks, [first, second], watcher=notes)
    solver.run(60)
    # What one stage has done another need not do.
    assert (first.n_done, second.n_done) == (2, 0)
    assert notes.lines == ["first ended"]
    count = solver.counts["first"]
    assert (count.n_tasks, count.n_rounds, count.n_offered) == (2, 2, 4)
    assert (count.n_kept, count.n_first, solver.n_fitted) == (2, 2, 2)
    assert solver.elapsed_s > 0 == solver.left_s


def test_a_stage_gets_the_part_of_the_time_that_its_weight_has() -> None:
    now = 0.0
    shares = []

    class Clocked(Told):
        def run(self, tasks: Sequence[Task], share: Any, desk: Desk) -> None:
            nonlocal now
            shares.append(share.budget_s)
            now += 10
            desk.spend(tasks[0], 4)

    first, second, third = (Clocked(offer_all, name) for name in "abc")
    first.weight = 2.0
    tasks = [task_named("one"), task_named("two")]
    solver = Solver(tasks, [first, second, third], clock=lambda: now)
    solver.run(100)
    assert shares == [50, 45, 80]
    # Four seconds of each stage were counted to one task, and half of the others.
    assert solver.spent_s == {"one": 21.0, "two": 9.0}
    assert solver.elapsed_s == 30


def test_rounds_end_a_stage() -> None:
    stage = Told(lambda _tasks, _desk: None, n_rounds=9)
    Solver([TASK], [stage]).run(60, max_rounds=3)
    assert stage.n_done == 3


def test_an_interrupt_passes_through_and_what_was_found_stays() -> None:
    def offer_then_stop(tasks: Sequence[Task], desk: Desk) -> None:
        offer_all(tasks, desk)
        raise KeyboardInterrupt

    solver = Solver([TASK], [Told(offer_then_stop)])
    with pytest.raises(KeyboardInterrupt):
        solver.run(60)
    assert solver.n_fitted == 1 and solver.current is None
    assert make_submission(solver.rank())["one"][0]["attempt_1"] == ((6, 5), (8, 7))


def test_only_what_is_traced_is_told() -> None:
    def tell(tasks: Sequence[Task], desk: Desk) -> None:
        for task in tasks:
            assert desk.traces(task) == (task.id == "one")
            desk.trace(task, "tried much")
            desk.offer(candidate_for(task))
            desk.offer(candidate_for(task, n_held_out=2))

    notes = Notes()
    solver = Solver([TASK, task_named("two")], [Told(tell)], watcher=notes, traced=["one"])
    solver.run(60)
    began, tried, kept, refused, ended = notes.lines
    assert began.startswith("one, told: 0 candidates") and "looks for more" in began
    assert tried == "one, told: tried much"
    assert "fits 2 of 2 demos" in kept and kept.endswith("; kept")
    assert "not kept" in refused and ended == "told ended"
    lines = list(describe_ranking(solver.rank()[0]))
    assert "grids offered: 1," in lines[0] and "evidence" in lines[1] and "stands in" in lines[2]


def test_a_solver_goes_on_from_its_state() -> None:
    tasks = [task_named("one"), task_named("two")]
    before = Solver(tasks, [Told(lambda tasks, desk: offer_all(tasks[:1], desk), n_rounds=3)])
    before.run(60, max_rounds=1)
    after = Solver(tasks, [Told(offer_all, n_rounds=3)])
    after.restore(before.state())
    assert after.rank() == before.rank()
    assert (after.elapsed_s, after.counts) == (before.elapsed_s, before.counts)
    after.run(60)
    assert after.counts["told"].n_rounds == 3 and after.n_fitted == 2


def test_tasks_and_stages_have_names_of_their_own() -> None:
    with pytest.raises(ValueError, match="two tasks"):
        Solver([TASK, TASK], [])
    with pytest.raises(ValueError, match="two stages"):
        Solver([TASK], [Told(offer_all), Told(offer_all)])
    with pytest.raises(ValueError, match="no task"):
        Solver([TASK], [Told(lambda _t, desk: desk.offer(candidate_for(huge_task())))]).run(9)


# --- real stages ---


def solved_by(
    stages: Sequence[str],
    tasks: Sequence[Task],
    tmp_path: Path,
    *,
    library: bool = True,
    max_rounds: int = 3,
    seed: int = 0,
) -> Solver:
    with Pool.in_memory() as pool:
        fill_pool(pool, library=library)
        options = StageOptions(pool, tmp_path, seed, device="cpu", n_threads=1)
        made = make_stages(stages, options)
        solver = Solver(tasks, made)
        solver.run(math.inf, max_rounds)
    return solver


def test_stages_are_made_by_name_in_their_order(tmp_path: Path) -> None:
    with Pool.in_memory() as pool:
        options = StageOptions(pool, tmp_path)
        assert [stage.name for stage in make_stages(STAGE_NAMES[::-1], options)] == list(
            STAGE_NAMES
        )
        with pytest.raises(ValueError, match="no stage is named pol; stages are pool"):
            make_stages(["pol"], options)


def test_the_pool_stage_finds_what_is_known(tmp_path: Path) -> None:
    mirrored, closed, unknown = training("67a3c6ac", "00d62c1b", "25d8a9c8")
    solver = solved_by(["pool"], [mirrored, closed, unknown], tmp_path)
    assert [solver.candidates(task).fits for task in solver.tasks] == [True, True, False]
    # Without the library a mirror is still a primitive, and walls are not.
    solver = solved_by(["pool"], [mirrored, closed], tmp_path, library=False)
    assert [solver.candidates(task).fits for task in solver.tasks] == [True, False]


def test_the_evolve_stage_finds_what_the_pool_stage_does_not(tmp_path: Path) -> None:
    tasks = training("28bf18c6", "25d8a9c8")
    assert solved_by(["pool"], tasks, tmp_path).n_fitted == 0
    solver = solved_by(["pool", "evolve"], tasks, tmp_path, max_rounds=8)
    assert solver.counts["evolve"].n_first == solver.n_fitted >= 1
    best = solver.candidates(tasks[0]).kept[0].candidate
    assert best.program is not None and fits_all_demos(best.program, tasks[0])
    assert not list(tmp_path.iterdir())  # no difference between batts and programs alone
    # What is nearly right is offered too.
    assert any(not each.candidate.fits for each in solver.candidates(tasks[1]).kept)


def test_every_program_that_is_said_to_fit_does_by_the_reference(tmp_path: Path) -> None:
    tasks = training("67a3c6ac", "28bf18c6", "5582e5ca", "007bbfb7", "3c9b0459")
    solver = solved_by(STAGE_NAMES, tasks, tmp_path)
    n_checked = 0
    for task in tasks:
        for each in solver.candidates(task).kept:
            program = each.candidate.program
            if each.candidate.fits and program is not None:
                assert fits_all_demos(program, task)
                n_checked += 1
    assert n_checked >= 4


def test_runs_repeat_from_seed_and_rounds(tmp_path: Path) -> None:
    tasks = training("28bf18c6", "25d8a9c8", "67a3c6ac")

    def outcome(seed: int, stages: Sequence[str] = STAGE_NAMES) -> Any:
        solver = solved_by(stages, tasks, tmp_path, seed=seed)
        programs = [
            [each.candidate.program for each in solver.candidates(task).kept] for task in tasks
        ]
        return make_submission(solver.rank()), programs

    assert outcome(3) == outcome(3)
    # Only evolution is left to chance, and it is not asked where others have found enough.
    assert outcome(3, ["pool", "evolve"])[1] != outcome(4, ["pool", "evolve"])[1]


# --- from Python ---


def test_solve_gives_a_solution() -> None:
    (task,) = training("67a3c6ac")
    solution = arcbatt.solve(task, budget_s=60, device="cpu", max_rounds=2)
    assert isinstance(solution, arcbatt.Solution)
    assert len(solution.attempts) == len(task.test_inputs)
    first, second = solution.attempts[0]
    assert first == tuple(row[::-1] for row in task.test_inputs[0]) != second
    assert fits_all_demos(solution.programs[0], task)
    assert solution.fits and 0.5 < solution.confidence <= 1
    assert repr(solution).startswith("<Solution of 67a3c6ac: a program fits all demos")


def test_solve_uses_a_pool_and_does_not_change_it(tmp_path: Path) -> None:
    task = task_named("one")
    path = tmp_path / "pool.db"
    Pool.open(path).close()
    before = path.read_bytes()
    solution = arcbatt.solve(task, 60, pool=path, library=False, stages=["pool"], max_rounds=2)
    assert solution.fits
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "task",
    [
        huge_task(),
        Task("dot", (Pair(((0,),), ((0,),)),), (((0,),),), "tests"),
        Task("odd", (Pair(((0,) * 30,), ((1,),) * 30),), (((9,),) * 30, ((5,) * 30,)), "tests"),
    ],
    ids=lambda task: task.id,
)
def test_every_task_has_two_attempts(task: Task) -> None:
    solution = arcbatt.solve(task, 60, max_rounds=1, device="cpu")
    assert len(solution.attempts) == len(task.test_inputs)
    for first, second in solution.attempts:
        assert first and second and first != second
    assert 0 <= solution.confidence <= 1


def test_nothing_found_still_has_two_attempts() -> None:
    solution = arcbatt.solve(huge_task(), 60, stages=[])
    assert (solution.fits, solution.programs, solution.confidence) == (False, [], 0)
    assert solution.attempts[0][0] == huge_task().test_inputs[0]
    assert "no program" in repr(solution)


def test_solving_is_loaded_when_it_is_asked_for() -> None:
    assert "solve" in dir(arcbatt) or "solve" in arcbatt.__all__
    with pytest.raises(AttributeError, match="no attribute 'slove'"):
        _ = arcbatt.slove


# --- signals ---


def test_termination_is_an_interrupt_inside_only() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), termination_interrupts():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before


def test_what_may_not_be_interrupted_ends_first() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
        done.append(1)
    assert done == [1]
