"""Candidates, the loop and its ledger: keeping candidates, spending the budget, results."""

from __future__ import annotations

import random
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import arcbatt
from arcbatt.evaluation import TaskBoard
from arcbatt.interrupts import TERMINATION, Interrupt, noting_interrupts
from arcbatt.language import Program, interpret
from arcbatt.language.ir import call_node, constant, input_node
from arcbatt.language.registry import all_primitives
from arcbatt.library import library_programs
from arcbatt.pool import Pool, merge
from arcbatt.proposers import (
    PROPOSER_NAMES,
    Candidate,
    Context,
    Proposer,
    ProposerOptions,
    known,
    learn,
    make_proposers,
)
from arcbatt.proposers.first_programs import fill_pool, first_programs
from arcbatt.solving import Loop, TaskCandidates, Watcher
from arcbatt.solving.candidates import MAX_KEPT
from arcbatt.solving.descriptions import describe_ranking
from arcbatt.solving.report.results import best_by_size
from arcbatt.solving.report.submission import make_submission
from arcbatt.solving.search import describe_trouble
from arcbatt.tasks import Pair, Task
from tests.support.search import (
    FLIP,
    FOREVER_S,
    Scripted,
    candidate_for,
    default_signals,
    huge_task,
    kept_candidates,
    nothing,
    offer_all,
    solved_by,
    task_named,
    training,
    trial_for,
)

TASK = task_named("one")


def recolored(number: int) -> Program:
    """One of many programs that give a grid."""
    first, second, third = (constant(number // 10**k % 10) for k in range(3))
    node = call_node("replace", input_node("I"), first, second)
    return Program(call_node("fill", node, third, constant(frozenset({(0, 0)}))), "recolored")


def fits_all_demos(program: Program, task: Task) -> bool:
    """By the reference interpreter."""
    pairs = tuple((demo.input, demo.output) for demo in task.demos)
    return all(
        interpret(program, {"I": demo.input, "S": pairs}).outcome == demo.output
        for demo in task.demos
    )


def keep_all(found: TaskCandidates, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Offer candidates as the loop does; return the evicted ones."""
    gone = [found.keep(each) for each in candidates if found.is_wanted(each)]
    return [each for each in gone if each is not None]


# --- candidates ---


def test_a_candidate_without_any_grid_or_known_before_is_not_kept() -> None:
    found = TaskCandidates(TASK)
    assert not found.is_wanted(candidate_for(TASK, outputs=(None, None)))
    assert len(found) == found.version == 0
    keep_all(found, [candidate_for(TASK, outputs=(((1,),), None))])
    assert found.kept[0].trial.outputs == (((1,),), None)
    assert not found.is_wanted(candidate_for(TASK, steps=0))
    with pytest.raises(ValueError, match="not one"):
        found.is_wanted(candidate_for(task_named("two")))
    with pytest.raises(ValueError, match="expected 2"):
        candidate_for(TASK, outputs=())


def test_the_best_are_kept_in_whatever_order_they_come() -> None:
    rng = random.Random(1)
    offers = [
        candidate_for(
            TASK,
            program=recolored(k),
            n_fitted=rng.randrange(3),
            steps=rng.randrange(9),
            credit=rng.randrange(1000),
        )
        for k in range(4 * MAX_KEPT)
    ]
    wanted = sorted(offers, key=lambda each: each.rank)[:MAX_KEPT]
    for _ in range(5):
        rng.shuffle(offers)
        found = TaskCandidates(TASK)
        gone = keep_all(found, offers)
        assert found.kept == wanted and found.fits == any(each.fits for each in offers)
        assert not set(gone) & set(wanted)


def test_those_that_fit_and_agree_are_counted() -> None:
    found = TaskCandidates(TASK)
    assert found.n_agreeing == 0
    other = (((1,),), ((2,),))
    keep_all(
        found,
        [
            candidate_for(TASK, program=recolored(1)),
            candidate_for(TASK, program=recolored(2)),
            candidate_for(TASK, program=recolored(3), n_fitted=1),
            candidate_for(TASK, program=recolored(4), outputs=other),
            candidate_for(TASK, program=recolored(5), outputs=(((1,),), None)),
        ],
    )
    assert found.n_agreeing == 2


def test_seeds_give_grids_and_read_back() -> None:
    names = [program.name for program in first_programs()]
    assert len(set(names)) == len(names) > 5
    with Pool.in_memory() as pool:
        fill_pool(pool, library=False)
        assert pool.n_programs == len(names)
        fill_pool(pool, library=True)
        assert pool.n_programs > len(names)


# --- the hall of fame ---


def test_in_the_hall_are_programs_that_no_smaller_one_equals() -> None:
    def of_size(n_calls: int, **changes: Any) -> Candidate:
        node = input_node("I")
        for _ in range(n_calls):
            node = call_node("hmirror", node)
        return candidate_for(TASK, program=Program(node, "long"), **changes)

    small = of_size(1, n_fitted=0, credit=300)
    as_good_but_larger = of_size(2, n_fitted=0, credit=300)
    better = of_size(5, n_fitted=1, credit=200)
    best = of_size(9, n_fitted=2)
    as_good_but_dearer = of_size(9, n_fitted=2, steps=11)
    offers = [best, as_good_but_larger, as_good_but_dearer, better, small]
    assert best_by_size(offers) == [small, better, best]
    assert best_by_size([]) == []


# --- the loop ---


def loop_of(
    proposers: Sequence[Proposer],
    tasks: Sequence[Task] = (TASK,),
    pool: Pool | None = None,
    **changes: Any,
) -> Loop:
    board = TaskBoard(tasks, device="cpu", n_threads=1)
    return Loop(board, pool or Pool.in_memory(), proposers, **changes)


class Notes(Watcher):
    """Records messages."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def on_message(self, loop: Loop, message: str) -> None:
        self.lines.append(message)

    def on_log(self, loop: Loop, proposer: str, record: dict[str, Any]) -> None:
        self.lines.append(f"{proposer}, {record['item']}{', ended' * ('ended' in record)}")

    def on_trace(self, task: Task, proposer: str, message: str) -> None:
        self.lines.append(f"{task.id}, {proposer}: {message}")


def test_the_offer_that_gains_most_for_its_cost_comes_first() -> None:
    notes = Notes()
    dear = Scripted(nothing, "dear", gain=9, cost_s=10)
    cheap = Scripted(nothing, "cheap", gain=1, cost_s=1, n_rounds=3)
    twin = Scripted(nothing, "twin", gain=2, cost_s=2)

    class Tiring(Scripted):
        """Gains less with every round."""

        def work(self, offer: Any, context: Context) -> None:
            super().work(offer, context)
            self.gain /= 10

    tiring = Tiring(nothing, "tiring", gain=50, n_rounds=3)
    loop = loop_of([dear, cheap, twin, tiring], watcher=notes)
    loop.run(60)
    ended = [line.split(", ")[:2] for line in notes.lines if line.endswith("ended")]
    assert ended == [
        ["tiring", "round 1"],  # 50 a second
        ["tiring", "round 2"],  # 5
        ["cheap", "round 1"],  # 1; of equal offers the first
        ["cheap", "round 2"],
        ["cheap", "round 3"],
        ["twin", "round 1"],
        ["dear", "round 1"],  # 0.9
        ["tiring", "round 3"],  # 0.5
    ]
    assert loop.n_rounds == 8
    assert [each.n_finished for each in (dear, cheap, twin, tiring)] == [1, 1, 1, 1]


def test_proposers_are_counted() -> None:
    tasks = [TASK, task_named("two")]
    first, second = (
        Scripted(offer_all, "first", n_rounds=2, gain=2),
        Scripted(offer_all, "second"),
    )
    loop = loop_of([first, second], tasks)
    loop.run(60)
    count = loop.counts["first"]
    assert (count.n_tasks, count.n_rounds, count.n_proposed) == (2, 2, 4)
    assert (count.n_kept, count.n_first, loop.n_fitted) == (2, 2, 2)
    count = loop.counts["second"]
    assert (count.n_proposed, count.n_kept, count.n_first) == (2, 0, 0)
    assert loop.elapsed_s > 0 and loop.current is None


def test_time_is_counted_to_tasks_and_no_round_begins_when_it_is_spent() -> None:
    now = 0.0

    def take_ten(tasks: Sequence[Task], context: Context) -> None:
        nonlocal now
        left.append(context.allowance.left_s)
        now += 10
        context.spend(tasks[0], 4)

    left: list[float] = []
    tasks = [TASK, task_named("two")]
    loop = loop_of([Scripted(take_ten, n_rounds=9)], tasks, clock=lambda: now)
    loop.run(25)
    assert left == [25, 15, 5]
    # Four seconds of each round were counted to one task, and half of the others.
    assert loop.spent_s == {"one": 21.0, "two": 9.0}
    assert (loop.elapsed_s, loop.left_s) == (30, 0)
    assert loop.counts["scripted"].elapsed_s == 30


def test_rounds_bound_each_proposer_anew_with_every_run() -> None:
    loop = loop_of(
        [
            Scripted(nothing, "first", n_rounds=9),
            Scripted(nothing, "second", n_rounds=2),
        ]
    )
    loop.run(60, max_rounds=3)
    assert [count.n_rounds for count in loop.counts.values()] == [3, 2]
    loop.run(60, max_rounds=3)
    assert [count.n_rounds for count in loop.counts.values()] == [6, 2]


def test_an_interrupt_passes_through_and_what_was_found_stays() -> None:
    def offer_then_stop(tasks: Sequence[Task], context: Context) -> None:
        offer_all(tasks, context)
        raise KeyboardInterrupt

    proposer = Scripted(offer_then_stop)
    loop = loop_of([proposer])
    with pytest.raises(KeyboardInterrupt):
        loop.run(60)
    assert loop.n_fitted == 1 and loop.current is None and proposer.n_finished == 1
    assert make_submission(loop.rank())["one"][0]["attempt_1"] == ((6, 5), (8, 7))


def test_only_traced_tasks_are_reported() -> None:
    def tell(tasks: Sequence[Task], context: Context) -> None:
        for task in tasks:
            assert context.is_traced(task) == (task.id == "one")
            context.trace(task, "tried much")
            context.keep(*trial_for(task))
            context.keep(*trial_for(task, steps=2))

    notes = Notes()
    loop = loop_of([Scripted(tell)], [TASK, task_named("two")], watcher=notes, traced=["one"])
    loop.run(60)
    began, tried, kept, refused, *logged = notes.lines
    assert began == "one, scripted: round 1: searched"
    assert tried == "one, scripted: tried much"
    assert "fits 2 of 2 demos" in kept and kept.endswith("; kept")
    assert "not kept" in refused
    assert logged == ["scripted, round 1", "scripted, round 1, ended"]
    lines = list(describe_ranking(loop.rank()[0]))
    assert "grids offered: 1," in lines[0] and "candidates: 1" in lines[1]
    assert "a stand-in" in lines[2] and any("evidence" in line for line in lines[3:])


def test_tasks_and_proposers_have_names_of_their_own() -> None:
    with pytest.raises(ValueError, match="two tasks"):
        loop_of([], [TASK, TASK])
    with pytest.raises(ValueError, match="two proposers"):
        loop_of([Scripted(offer_all), Scripted(offer_all)])
    with pytest.raises(ValueError, match="is not a task of this search"):
        loop_of([Scripted(lambda _t, context: context.keep(*trial_for(huge_task())))]).run(9)


def test_a_program_that_could_not_be_read_back_is_not_kept() -> None:
    node = input_node("I")
    for name in ("hmirror", "vmirror") * 6000:
        node = call_node(all_primitives()[name], node)

    def offer(tasks: Sequence[Task], context: Context) -> None:
        context.keep(*trial_for(tasks[0], program=Program(node)))

    loop = loop_of([Scripted(offer)])
    loop.run(60)
    assert len(loop.candidates(TASK)) == 0 and loop.counts["scripted"].n_proposed == 1


# --- the ledger ---


def test_a_loop_goes_on_from_its_pool() -> None:
    tasks = [TASK, task_named("two")]

    def proposer() -> Scripted:
        def offer(tasks: Sequence[Task], context: Context) -> None:
            # Another task in each round.
            task = tasks[(context.state() - 1) % 2]
            found = trial_for(task, learns=True, n_held_out=1, bits=2.5, family="rule")
            context.keep(*found)
            context.keep(*trial_for(task, FLIP, n_fitted=0, credit=12, outputs=(None, ((7,),))))
            context.note_done("thing", task, {"n": context.state()})

        return Scripted(offer, n_rounds=3)

    with Pool.in_memory() as pool:
        before = loop_of([proposer()], tasks, pool)
        assert not before.is_resumed
        before.run(60, max_rounds=1)
        before.save()
        after = loop_of([proposer()], tasks, pool)
        assert after.is_resumed
        assert kept_candidates(after) == kept_candidates(before)
        assert after.rank() == before.rank()
        assert (after.elapsed_s, after.counts) == (before.elapsed_s, before.counts)
        assert (after.spent_s, after.n_rounds) == (before.spent_s, 1)
        assert (
            after.done("scripted", "thing") == before.done("scripted", "thing") == {"one": {"n": 1}}
        )
        after.run(60)
        assert after.counts["scripted"].n_rounds == 3 and after.n_fitted == 2
        after.save()
        again = loop_of([proposer()], tasks, pool)
        assert kept_candidates(again) == kept_candidates(after)
        assert again.done("scripted", "thing") == {"one": {"n": 3}, "two": {"n": 2}}


def test_what_was_not_saved_is_not_there() -> None:
    with Pool.in_memory() as pool:
        loop = loop_of([Scripted(offer_all)], pool=pool)
        loop.save()
        loop.run(60)
        assert loop.n_fitted == 1
        assert loop_of([Scripted(offer_all)], pool=pool).n_fitted == 0


def test_the_pool_has_the_same_candidates_as_the_loop_whatever_came_and_went() -> None:
    rng = random.Random(2)

    def offer(tasks: Sequence[Task], context: Context) -> None:
        for _ in range(500):
            # A program may return with more credit, and be kept after it was evicted.
            program = recolored(rng.randrange(2 * MAX_KEPT))
            context.keep(*trial_for(TASK, program=program, n_fitted=1, credit=rng.randrange(999)))

    with Pool.in_memory() as pool:
        loop = loop_of([Scripted(offer, n_rounds=3)], pool=pool)
        for _ in range(3):
            loop.run(60, max_rounds=1)
            loop.save()
            again = loop_of([Scripted(nothing)], pool=pool)
            assert len(again.candidates(TASK)) == MAX_KEPT
            assert kept_candidates(again) == kept_candidates(loop)


def test_a_pool_of_other_tasks_is_refused() -> None:
    with Pool.in_memory() as pool:
        loop_of([], pool=pool).save()
        with pytest.raises(ValueError, match="are not those it was started with"):
            loop_of([], [task_named("two")], pool)


def test_what_is_known_is_what_was_there_at_the_start() -> None:
    def look(tasks: Sequence[Task], context: Context) -> None:
        n_known.append(len(context.known))
        context.keep(*trial_for(tasks[0], program=recolored(7)))

    n_known: list[int] = []
    with Pool.in_memory() as pool:
        fill_pool(pool, library=False)
        before = loop_of([Scripted(look, n_rounds=2)], pool=pool)
        before.run(60, max_rounds=1)
        before.save()
        assert pool.n_programs == len(first_programs()) + 1
        loop_of([Scripted(look, n_rounds=2)], pool=pool).run(60)
    assert n_known == [len(first_programs())] * 2


def test_what_learn_and_enumerate_find_is_in_the_pool_and_merges(tmp_path: Path) -> None:
    found: dict[str, set[tuple[bytes, str]]] = {}
    tasks = training("44d8ac46", "25ff71a9")
    for name in ("learn", "enumerate"):
        with Pool.open(tmp_path / f"{name}.db") as pool:
            options = ProposerOptions(off=frozenset({"deepening"}))
            loop = loop_of(make_proposers([name], options), tasks, pool)
            loop.run(FOREVER_S, max_rounds=1)
            loop.save()
            assert loop.n_fitted
            rows = list(pool.trials())
            candidates = [each for task in tasks for each in loop.candidates(task).kept]
            assert {row.outputs for row in rows} == {each.trial.outputs for each in candidates}
            assert all(row.proposer == name for row in rows)
            found[name] = {(row.program, row.task_name) for row in rows}
            assert found[name] == {
                (each.program.result.digest, each.trial.task.id) for each in candidates
            }
    with Pool.open(tmp_path / "both.db") as both:
        for name in found:
            merge(both, tmp_path / f"{name}.db")
        merged = {(row.program, row.task_name) for row in both.trials()}
        programs = {row.digest for row in both.programs()}
    assert merged == found["learn"] | found["enumerate"]
    assert programs == {digest for digest, _ in merged}


# --- real proposers ---


def test_proposers_are_made_by_name_in_their_order(tmp_path: Path) -> None:
    options = ProposerOptions()
    made = make_proposers(PROPOSER_NAMES[::-1], options)
    assert [proposer.name for proposer in made] == list(PROPOSER_NAMES)
    with pytest.raises(ValueError, match="no proposer is named knwon; did you mean known"):
        make_proposers(["knwon"], options)


def test_known_programs_are_found(tmp_path: Path) -> None:
    mirrored, closed, read = training("67a3c6ac", "00d62c1b", "25d8a9c8")
    # No known program fits this: its outputs are inputs of another task.
    unknown = Task.of(
        [(demo.input, other.input) for demo, other in zip(read.demos, closed.demos, strict=False)],
        [closed.test_inputs[0]],
    )
    loop = solved_by(["known"], [mirrored, closed, unknown])
    assert [loop.candidates(task).fits for task in loop.tasks] == [True, True, False]
    # Without the library a mirror is still a primitive, and walls are not.
    loop = solved_by(["known"], [mirrored, closed], library=False)
    assert [loop.candidates(task).fits for task in loop.tasks] == [True, False]


@pytest.mark.parametrize(
    ("name", "proposer", "item", "bound"),
    [
        ("known", known.KnownProposer, known.ALL_DEMOS, "PROGRAMS_PER_BATT"),
        ("learn", learn.LearnProposer, learn.RULES, "TASKS_PER_BATCH"),
    ],
)
def test_work_ends_when_the_time_does_and_goes_on_later(
    name: str,
    proposer: Callable[[], Proposer],
    item: str,
    bound: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0

    class Waiting(Watcher):
        """Advances the clock whenever work is logged."""

        def on_log(self, loop: Loop, proposer: str, record: dict[str, Any]) -> None:
            nonlocal now
            now += 10

    monkeypatch.setattr(sys.modules[proposer.__module__], bound, 1)
    tasks = training("44d8ac46", "67a3c6ac")
    with Pool.in_memory() as pool:
        fill_pool(pool, library=False)
        loop = loop_of([proposer()], tasks, pool, watcher=Waiting(), clock=lambda: now)
        loop.run(5)
        n_done = len(loop.done(name, item))
        assert loop.counts[name].n_rounds == 1 and n_done < len(tasks)
        loop.run(0)
        assert loop.counts[name].n_rounds == 1
        loop.run(FOREVER_S)
        assert len(loop.done(name, item)) == len(tasks)
        assert loop.candidates(tasks[1]).fits


@pytest.mark.slow
def test_evolve_finds_what_was_not_known(tmp_path: Path) -> None:
    tasks = training("28bf18c6", "25d8a9c8")
    # The solvers of these two tasks are left out of the programs that evolve starts from.
    few = [
        each.program
        for each in library_programs()
        if Path(each.file).stem in {"cropping", "tiling", "symmetry"}
        and each.name not in {"solve_28bf18c6", "solve_25d8a9c8"}
    ]
    loop = solved_by(["evolve"], tasks, max_rounds=8, programs=few)
    assert loop.counts["evolve"].n_first == loop.n_fitted >= 1
    best = loop.candidates(tasks[0]).kept[0]
    assert best.proposer == "evolve" and fits_all_demos(best.program, tasks[0])
    assert not list(tmp_path.iterdir())  # no difference between batts and programs alone
    # Nearly right programs are proposed too.
    assert any(not each.fits for each in loop.candidates(tasks[1]).kept)


@pytest.mark.slow
def test_every_program_that_is_said_to_fit_does_by_the_reference(tmp_path: Path) -> None:
    tasks = training("67a3c6ac", "28bf18c6", "5582e5ca", "007bbfb7", "3c9b0459")
    loop = solved_by(PROPOSER_NAMES, tasks, max_rounds=3)
    n_checked = 0
    for task in tasks:
        for each in loop.candidates(task).kept:
            if each.fits:
                assert fits_all_demos(each.program, task)
                n_checked += 1
    assert n_checked >= 4


@pytest.mark.slow
def test_runs_repeat_from_seed_and_rounds(tmp_path: Path) -> None:
    tasks = training("28bf18c6", "25d8a9c8", "67a3c6ac")

    def outcome(seed: int, names: Sequence[str] = PROPOSER_NAMES) -> Any:
        loop = solved_by(names, tasks, max_rounds=3, seed=seed, library=False)
        programs = [[each.program for each in loop.candidates(task).kept] for task in tasks]
        return make_submission(loop.rank()), programs

    assert outcome(3) == outcome(3)
    # Only evolution is left to chance.
    assert outcome(3, ["known", "evolve"])[1] != outcome(4, ["known", "evolve"])[1]


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
    path = tmp_path / "pool.db"
    Pool.open(path).close()
    before = path.read_bytes()
    solution = arcbatt.solve(TASK, 60, pool=path, library=False, proposers=["known"], max_rounds=2)
    assert solution.fits
    assert path.read_bytes() == before


@pytest.mark.slow
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
    solution = arcbatt.solve(huge_task(), 1e-9)
    assert (solution.fits, solution.programs, solution.confidence) == (False, [], 0)
    assert solution.attempts[0][0] == huge_task().test_inputs[0]
    assert "no program" in repr(solution)


def test_outputs_of_candidates_share_equal_rows() -> None:
    found = TaskCandidates(TASK)
    for number in range(4):
        grid = (tuple(range(3)), (4, 5, number))  # rows of its own
        text = f"def solve(I):\n    O = replace(I, 0, {number + 100})\n    return O\n"
        found.keep(candidate_for(TASK, text, outputs=(grid,) * len(TASK.test_inputs)))
    first_rows = {id(each.trial.outputs[0][0]) for each in found.kept if each.trial.outputs[0]}
    assert len(found) == 4 and len(first_rows) == 1


def test_solving_is_loaded_when_it_is_asked_for() -> None:
    assert "solve" in dir(arcbatt) or "solve" in arcbatt.__all__
    with pytest.raises(AttributeError, match="no attribute 'slove'"):
        _ = arcbatt.slove


# --- signals ---


@pytest.mark.parametrize("number", [signal.SIGINT, *TERMINATION])
def test_signals_set_a_flag_inside_only(number: signal.Signals) -> None:
    with default_signals():
        before = signal.getsignal(number)
        with noting_interrupts(Interrupt(), *TERMINATION) as interrupt:
            assert not interrupt.is_set
            signal.raise_signal(number)
            signal.raise_signal(number)
            assert interrupt.is_set
        assert signal.getsignal(number) is before


@pytest.mark.parametrize("number", TERMINATION)
def test_an_ignored_signal_stays_ignored(number: signal.Signals) -> None:
    with default_signals():
        signal.signal(number, signal.SIG_IGN)
        with noting_interrupts(Interrupt(), *TERMINATION) as interrupt:
            signal.raise_signal(number)
        assert not interrupt.is_set and signal.getsignal(number) is signal.SIG_IGN


def test_an_interrupted_loop_ends_and_proposers_finish_in_the_time_that_is_left() -> None:
    interrupt = Interrupt()
    left_s = []

    def work(tasks: Sequence[Task], context: Context) -> None:
        offer_all(tasks, context)
        interrupt.set()
        left_s.append(context.allowance.left_s)

    class Finishing(Scripted):
        def finish(self, context: Context) -> None:
            left_s.append(context.allowance.left_s)

    with Pool.in_memory() as pool:
        board = TaskBoard([task_named("one")], device="cpu")
        loop = Loop(board, pool, [Finishing(work, n_rounds=9)], interrupt=interrupt)
        loop.run(FOREVER_S)
    assert loop.n_rounds == 1 and loop.n_fitted == 1 and not loop.is_out_of_time
    assert left_s[0] == 0 and left_s[1] > FOREVER_S / 2


def test_an_error_in_a_proposer_ends_it_alone_where_that_is_wanted() -> None:
    def fail(_tasks: Sequence[Task], _context: Context) -> None:
        raise ZeroDivisionError("of its own")

    def offer(tasks: Sequence[Task], context: Context) -> None:
        context.keep(*trial_for(tasks[0]))

    board = TaskBoard([task_named("one")], device="cpu", n_threads=1)
    proposers = [
        Scripted(fail, "failing", n_rounds=3, gain=9.0),
        Scripted(offer, "working"),
    ]
    with pytest.raises(ZeroDivisionError):
        Loop(board, Pool.in_memory(), proposers).run(60)
    loop = Loop(board, Pool.in_memory(), proposers, survives_errors=True)
    loop.run(60)
    assert loop.n_fitted == 1 and loop.counts["failing"].n_rounds == 1
    assert "ZeroDivisionError: of its own" in loop.failed["failing"]
    trouble = describe_trouble(loop)
    assert trouble is not None and "failing failed" in trouble


@pytest.mark.parametrize("where", ["next_offer", "finish"])
def test_an_error_of_a_proposer_leaves_others_to_work_and_to_end(
    monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    def fail(_context: Context) -> None:
        raise ZeroDivisionError("of its own")

    def offer(tasks: Sequence[Task], context: Context) -> None:
        context.keep(*trial_for(tasks[0]))

    board = TaskBoard([task_named("one")], device="cpu", n_threads=1)
    failing, working = Scripted(nothing, "failing"), Scripted(offer, "working")
    monkeypatch.setattr(failing, where, fail)
    with pytest.raises(ZeroDivisionError):
        Loop(board, Pool.in_memory(), [failing, working]).run(60)
    assert working.n_finished == 1
    loop = Loop(board, Pool.in_memory(), [failing, working], survives_errors=True)
    loop.run(60)
    assert loop.n_fitted == 1 and working.n_finished == 2
    assert list(loop.failed) == ["failing"] and "of its own" in loop.failed["failing"]
