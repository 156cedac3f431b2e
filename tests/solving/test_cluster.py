"""The cluster without processes: messages, the division of work, and lost work."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt import primitive, solve_all
from arcbatt.language import Reason
from arcbatt.language.registry import withdraw_user_primitive
from arcbatt.proposers import PROPOSER_NAMES, Context, Offer
from arcbatt.proposers.enumerate import FIRST_PASSES
from arcbatt.proposers.evolve import EvolveOptions
from arcbatt.solving import Loop, Watcher
from arcbatt.solving.cluster import ClusterError, WorkerError, check_cluster, driver
from arcbatt.solving.cluster.division import MAX_GROUP_S, divide
from arcbatt.solving.cluster.messages import (
    Hello,
    MessageError,
    Ready,
    Result,
    Setup,
    Unit,
    candidate_from_json,
    candidate_to_json,
    kind_of,
    program_from_json,
    program_to_json,
    task_from_json,
    task_to_json,
    trial_from_json,
    trial_to_json,
)
from arcbatt.solving.cluster.migration import ELSEWHERE, MIGRANTS_PER_TASK, Migration
from arcbatt.solving.cluster.transport import Event
from arcbatt.solving.cluster.worker import Worker
from arcbatt.tasks import Task
from tests.support.cluster import QUICK, Inline, cluster_of, failed, outcome, solved_with
from tests.support.search import (
    FLIP,
    MIRROR,
    Scripted,
    candidate_for,
    contradiction,
    huge_task,
    nothing,
    register_scripted,
    task_named,
    training,
    trial_for,
)

TASKS = [*training("67a3c6ac", "25ff71a9"), task_named("a"), contradiction()]


# --- messages ---


def test_a_task_a_program_and_a_trial_come_out_as_they_went_in() -> None:
    for task in TASKS:
        assert task_from_json(task_to_json(task)) == task
    (task,) = training("67a3c6ac")
    trials: dict[str, Any] = {"learns": True, "n_held_out": 1, "failure": Reason.BUDGET}
    outputs = (None,) * len(task.test_inputs)
    for changes in ({}, trials, {"n_fitted": 1, "credit": 17, "outputs": outputs}):
        proposal, trial = trial_for(task, **changes)
        message = Result("1", [["keep", trial_to_json(proposal, trial)]], 0.5, 0.25).to_bytes()
        ((name, content),) = Result.from_bytes(message).calls
        assert name == "keep"
        assert trial_from_json(content, {task.id: task}) == (proposal, trial)
    program = proposal.program
    again = program_from_json(program_to_json(program))
    assert again == program and again.name == program.name


def test_a_candidate_comes_out_as_it_went_in() -> None:
    task = task_named("a")
    candidate = candidate_for(task, proposer="enumerate", trust=0.5)
    setup = Setup({}, [], [candidate_to_json(candidate)]).to_bytes()  # type: ignore[list-item]
    (content,) = Setup.from_bytes(setup).known
    assert candidate_from_json(content, {task.id: task}) == candidate  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "data", [b"", b"nothing", Ready().to_bytes()[:-3], b"x\x9c" + b"0" * 20], ids=repr
)
def test_bytes_that_are_not_a_message_are_refused(data: bytes) -> None:
    with pytest.raises(MessageError, match="not a message"):
        kind_of(data)


def test_another_message_than_expected_is_an_error() -> None:
    with pytest.raises(MessageError, match="expected a Unit, got a Ready"):
        Unit.from_bytes(Ready().to_bytes())
    with pytest.raises(MessageError, match="before the setup"):
        Worker(0, 1, "cpu").answer(_unit().to_bytes())


def _unit() -> Unit:
    return Unit("1", "known", "all demos", ["a"], 1.0, 1.0, 1.0, 0, {})


def test_a_program_that_is_not_what_its_digest_says_is_refused() -> None:
    task = task_named("a")
    content = trial_to_json(*trial_for(task))
    content["program"][2] = FLIP
    with pytest.raises(MessageError, match="cannot be read"):
        trial_from_json(content, {task.id: task})


# --- dividing ---


@given(st.integers(1, 40), st.integers(1, 50), st.floats(0.001, 100), st.lists(st.integers(0, 9)))
def test_groups_have_every_task_once_the_slowest_first(
    n_tasks: int, n_workers: int, cost_s: float, times: list[int]
) -> None:
    tasks = tuple(task_named(f"task {k}") for k in range(n_tasks))
    spent_s = {task.id: float(s) for task, s in zip(tasks, times, strict=False)}
    offer = Offer("item", tasks, 1.0, cost_s)
    groups = list(divide(offer, spent_s, n_workers))
    found = [task for group in groups for task in group]
    assert len(found) == len(tasks) and set(found) == set(tasks)
    if sum(spent_s.values()):
        ordered = [spent_s.get(task.id, 0.0) for task in found]
        assert ordered == sorted(ordered, reverse=True)
    # All tasks cost the same: enough groups for the workers, none that takes too long.
    alike = list(divide(offer, {}, n_workers))
    assert max(map(len, alike)) == 1 or max(map(len, alike)) * cost_s / n_tasks <= MAX_GROUP_S


# --- the same results ---


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    alone = outcome(solved_with(TASKS))
    for n_workers in (1, 2, 4):
        assert outcome(solved_with(TASKS, Inline(n_workers))) == alone


@pytest.mark.slow
def test_all_of_it_is_the_same_on_real_tasks() -> None:
    tasks = training("a416b8f3", "d4a91cb9", "0d3d703e", "3ac3eb23")
    off = tuple(each.switch for each in FIRST_PASSES[3:])
    # Every proposer there is that divides, so that none depends on what workers do not have.
    names = tuple(name for name in PROPOSER_NAMES if name != "evolve")
    options = replace(QUICK, proposers=names, off=off, library=True)
    alone = solved_with(tasks, options=options)
    assert alone.n_fitted >= 3
    assert outcome(solved_with(tasks, Inline(3), options=options)) == outcome(alone)


def test_without_steps_all_work_is_done() -> None:
    options = replace(QUICK, off=QUICK.off | {"deepening"})
    alone = solved_with(TASKS[:3], options=options, max_rounds=None)
    loop = solved_with(TASKS[:3], Inline(2), options=options, max_rounds=None)
    counts = {name: count.n_proposed for name, count in loop.counts.items()}
    assert counts == {name: count.n_proposed for name, count in alone.counts.items()}
    assert [r.tests for r in loop.rank()] != []
    for ranked, other in zip(loop.rank(), alone.rank(), strict=True):
        assert [[a.grid for a in t.attempts] for t in ranked.tests] == [
            [a.grid for a in t.attempts] for t in other.tests
        ]


def test_an_idle_worker_gets_tasks_that_no_worker_has() -> None:
    held: list[tuple[str, bytes]] = []
    begun: list[str] = []

    def hold_one(inline: Inline, worker: str, unit: Unit, message: bytes) -> bool:
        """Keep the first unit of the contradiction until others are at the next pass."""
        if unit.item == "roles" and "contradiction" in unit.tasks and not begun:
            held.append((worker, message))
            return True
        if unit.item == "plain" and held:
            assert "contradiction" not in unit.tasks
            begun.extend(unit.tasks)
            inline.answer(*held.pop())
        return False

    options = replace(QUICK, proposers=("enumerate",), off=QUICK.off | {"deepening"})
    loop = solved_with(TASKS, Inline(2, hold_one), options=options, max_rounds=None)
    assert begun
    assert "contradiction" in loop.done("enumerate", "roles")
    assert "contradiction" in loop.done("enumerate", "plain")


# --- what is lost ---


def test_a_unit_of_a_worker_that_is_lost_is_done_by_another_and_counted_once() -> None:
    lost: list[str] = []

    def lose(inline: Inline, worker: str, unit: Unit, message: bytes) -> bool:
        if len(inline.units) in (2, 5):
            inline.lose(worker)
            lost.append(unit.id)
            return True
        return False

    inline = Inline(2, lose)
    loop = solved_with(TASKS, inline)
    assert outcome(loop) == outcome(solved_with(TASKS))
    cluster = cluster_of(loop)
    assert cluster.n_retries == len(lost) == 2
    assert Counter(each.state for each in cluster.workers.values()) == {"lost": 2, "ended": 2}
    assert inline.is_closed


def test_a_result_that_comes_twice_counts_once() -> None:
    def twice(inline: Inline, worker: str, unit: Unit, message: bytes) -> bool:
        inline.answer(worker, message)
        return False

    loop = solved_with(TASKS, Inline(1, twice))
    assert outcome(loop) == outcome(solved_with(TASKS))
    assert cluster_of(loop).n_late > 0


def test_a_straggler_s_unit_goes_to_another_worker_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "STRAGGLER_S", 0.0)
    monkeypatch.setattr(driver, "STRAGGLER_TIMES", 0.0)
    monkeypatch.setattr(driver, "LOOK_EVERY_S", 0.01)
    held: list[tuple[str, bytes]] = []

    def hold(inline: Inline, worker: str, unit: Unit, message: bytes) -> bool:
        if not held:
            held.append((worker, message))
            return True
        if len(held) == 1 and unit.id == Unit.from_bytes(held[0][1]).id:
            # The second one has it; now the first one answers as well, too late.
            inline.answer(worker, message)
            inline.answer(*held[0])
            held.append(held[0])
            return True
        return False

    loop = solved_with(TASKS, Inline(2, hold))
    assert outcome(loop) == outcome(solved_with(TASKS))
    assert len(held) == 2 and cluster_of(loop).n_late >= 1


def test_a_task_that_workers_are_lost_on_is_given_up_and_the_others_are_not() -> None:
    said: list[str] = []

    class Hearing(Watcher):
        def on_message(self, loop: Loop, message: str) -> None:
            said.append(message)

    def lose(inline: Inline, worker: str, unit: Unit, message: bytes) -> bool:
        is_bad = unit.proposer == "enumerate" and "contradiction" in unit.tasks
        if is_bad:
            inline.lose(worker, "killed")
        return is_bad

    loop = solved_with(TASKS, Inline(2, lose), watcher=Hearing())
    cluster = cluster_of(loop)
    (message,) = cluster.given_up
    assert "enumerate, roles, contradiction" in message and "killed" in message
    assert message in said
    others = {task.id for task in TASKS} - {"contradiction"}
    assert loop.done("enumerate", "roles").keys() == others
    assert loop.done("learn", "rules").keys() == others | {"contradiction"}
    alone = outcome(solved_with(TASKS[:3]))
    assert outcome(solved_with(TASKS[:3], Inline(2, lose))) == alone


def test_out_of_memory_is_tried_again_and_the_worker_stays() -> None:
    tried: Counter[str] = Counter()

    def once(inline: Inline, worker: str, unit: Unit, message: bytes) -> bool:
        tried[unit.id] += 1
        if tried[unit.id] == 1:
            inline.events.put(Event(worker, failed(unit, "MemoryError", is_memory=True)))
        return tried[unit.id] == 1

    loop = solved_with(TASKS, Inline(2, once))
    assert outcome(loop) == outcome(solved_with(TASKS))
    assert len(cluster_of(loop).workers) == 2
    assert cluster_of(loop).n_retries == len(tried)


def test_a_worker_out_of_memory_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def grow(_tasks: object, _context: Context) -> None:
        raise MemoryError

    register_scripted(monkeypatch, lambda: Scripted(grow))
    options = replace(QUICK, proposers=("scripted",))
    loop = solved_with([task_named("a")], Inline(1), options=options)
    (message,) = cluster_of(loop).given_up
    assert "out of memory" in message


def test_a_bug_of_a_proposer_ends_the_run_with_its_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_tasks: object, _context: Context) -> None:
        raise ZeroDivisionError("a bug")

    register_scripted(monkeypatch, lambda: Scripted(fail))
    inline = Inline(1)
    with pytest.raises(
        WorkerError, match=r"(?s)inline-1 .* failed on scripted.*ZeroDivisionError: a b"
    ):
        solved_with([task_named("a")], inline, options=replace(QUICK, proposers=("scripted",)))
    assert inline.is_closed


def test_a_bug_of_a_proposer_ends_that_proposer_alone_where_errors_are_survived(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_tasks: object, _context: Context) -> None:
        raise ZeroDivisionError("a bug")

    register_scripted(monkeypatch, lambda: Scripted(fail, gain=1e6))
    options = replace(QUICK, proposers=("known", "scripted"))
    tasks = [task_named("a"), task_named("b")]
    loop = solved_with(tasks, Inline(1), options=options, survives_errors=True)
    assert "ZeroDivisionError: a bug" in loop.failed["scripted"]
    assert loop.done("known", "all demos").keys() == {"a", "b"}


def test_what_was_found_before_a_bug_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_and_fail(tasks: Sequence[Task], context: Context) -> None:
        context.keep(*trial_for(tasks[0]))
        raise ZeroDivisionError("a bug")

    register_scripted(monkeypatch, lambda: Scripted(find_and_fail))
    options = replace(QUICK, proposers=("scripted",))
    loop = solved_with([task_named("a")], Inline(1), options=options, survives_errors=True)
    assert "ZeroDivisionError: a bug" in loop.failed["scripted"]
    assert loop.n_fitted == 1


def test_a_worker_with_an_invalid_result_is_lost() -> None:
    def scribble(inline: Inline, worker: str, unit: Unit, message: bytes) -> bool:
        is_first = len(inline.units) == 1
        if is_first:
            calls = [["keep", {"program": ["00", "x", "no program"], "task": "a"}]]
            answer = Result(unit.id, calls, 0.0, 0.0).to_bytes()
            inline.events.put(Event(worker, answer))
        return is_first

    loop = solved_with(TASKS, Inline(2, scribble))
    assert outcome(loop) == outcome(solved_with(TASKS))
    assert cluster_of(loop).n_retries == 1


def test_a_message_nested_too_deep_is_no_message() -> None:
    with pytest.raises(MessageError, match="not a message"):
        kind_of(zlib.compress(b"[" * 100_000))


def test_no_call_but_those_of_a_context_is_done() -> None:
    def scribble(inline: Inline, worker: str, unit: Unit, message: bytes) -> bool:
        is_first = len(inline.units) == 1
        if is_first:
            answer = Result(unit.id, [["save"]], 0.0, 0.0).to_bytes()
            inline.events.put(Event(worker, answer))
        return is_first

    loop = solved_with(TASKS, Inline(1, scribble))
    assert outcome(loop) == outcome(solved_with(TASKS))


# --- who may work ---


@pytest.mark.slow
@pytest.mark.parametrize("name", ["arcbatt", "language", "engine", "messages"])
def test_a_worker_of_another_version_is_left_out_and_the_others_work(name: str) -> None:
    said: list[str] = []

    class Hearing(Watcher):
        def on_message(self, loop: Loop, message: str) -> None:
            said.append(message)

    inline = Inline(2)
    hello = Hello.from_bytes(Worker(0, 1, "cpu").hello())
    inline.hellos[0] = {"versions": {**hello.versions, name: "other"}, "host": "far"}
    loop = solved_with(TASKS, inline, watcher=Hearing())
    assert outcome(loop) == outcome(solved_with(TASKS))
    assert {worker for worker, _ in inline.units} == {"inline-2"}
    (message,) = (each for each in said if "inline-1" in each)
    assert f"on far has {name} other, not {hello.versions[name]}" in message


def test_without_any_worker_of_this_version_the_run_ends_with_an_error() -> None:
    inline = Inline(2)
    inline.hellos = {k: {"versions": {}} for k in range(2)}
    with pytest.raises(ClusterError, match=r"(?s)no worker can be used.*inline-1.*inline-2"):
        solved_with(TASKS, inline)
    assert inline.is_closed


def test_workers_that_do_not_start_are_not_started_for_ever() -> None:
    class Broken(Inline):
        def greet(self, name: str, number: int) -> None:
            self.lose(name, "no such module")

    inline = Broken(2)
    with pytest.raises(ClusterError, match="did not start: no such module"):
        solved_with(TASKS, inline)
    assert 3 <= len(inline.workers) <= 4


def test_failed_starts_of_hours_ago_do_not_end_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker is lost and fails to restart once per unit: only consecutive failures count."""
    monkeypatch.setattr(driver, "LOOK_EVERY_S", 0.0)
    hours = [0.0]
    real = driver.perf_counter
    monkeypatch.setattr(driver, "perf_counter", lambda: real() + 3600 * hours[0])
    is_broken = [False]

    class Flaky(Inline):
        def greet(self, name: str, number: int) -> None:
            if is_broken[0]:
                is_broken[0] = False
                self.lose(name, "out of memory")
            else:
                super().greet(name, number)

    def lose_now_and_then(inline: Inline, worker: str, _unit: Unit, _message: bytes) -> bool:
        if len(inline.units) % 2 or len(inline.workers) > 12:
            return False
        hours[0] += 3
        is_broken[0] = True
        inline.lose(worker)
        return True

    loop = solved_with(TASKS, Flaky(1, lose_now_and_then))
    assert n_failed_starts(loop) > driver.MAX_FAILED_STARTS


def n_failed_starts(loop: Loop) -> int:
    workers = cluster_of(loop).workers.values()
    return sum(each.state == driver.LOST and not each.host for each in workers)


@pytest.mark.parametrize(("hours_per_unit", "goes_on"), [(3, True), (0, False)])
def test_starts_are_tried_again_after_a_while(
    monkeypatch: pytest.MonkeyPatch, hours_per_unit: int, goes_on: bool
) -> None:
    """All workers but the first fail to start."""
    monkeypatch.setattr(driver, "LOOK_EVERY_S", 0.0)
    hours = [0.0]
    real = driver.perf_counter
    monkeypatch.setattr(driver, "perf_counter", lambda: real() + 3600 * hours[0])

    class Broken(Inline):
        def greet(self, name: str, number: int) -> None:
            if number:
                self.lose(name, "no such module")
            else:
                super().greet(name, number)

    def wait(*_: object) -> bool:
        hours[0] += hours_per_unit
        return False

    loop = solved_with(TASKS, Broken(2, wait))
    # The first worker becomes ready after the first failure.
    assert (n_failed_starts(loop) > driver.MAX_FAILED_STARTS + 1) == goes_on


def test_waiting_for_workers_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "JOIN_S", 0.01)
    monkeypatch.setattr(driver, "LOOK_EVERY_S", 0.01)

    class Silent(Inline):
        def greet(self, name: str, number: int) -> None:
            pass

    with pytest.raises(ClusterError, match="no worker has joined"):
        solved_with(TASKS, Silent(1))


def test_workers_join_while_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "LOOK_EVERY_S", 0.0)

    def grow(inline: Inline, _worker: str, _unit: Unit, _message: bytes) -> bool:
        inline.n_possible_now = 3
        return False

    inline = Inline(1, grow)
    loop = solved_with(TASKS, inline)
    assert outcome(loop) == outcome(solved_with(TASKS))
    assert len({worker for worker, _ in inline.units}) == 3


@pytest.mark.parametrize("name", ["nowhere", "local", "local:0", "local:x", "local:9999999", ""])
def test_invalid_cluster_names_are_refused(name: str) -> None:
    with pytest.raises(ClusterError, match=r"is not a cluster|expected 1 to"):
        check_cluster(name)


def test_own_primitives_are_refused_at_once() -> None:
    @primitive("Grid -> Grid")
    def lift(grid: Any) -> Any:
        return grid[1:]

    try:
        check_cluster(None)
        words = (
            r"workers do not have your own primitives \(lift\): put them into a plugin, or leave"
        )
        for name in ("local:2", "auto", "10.0.0.1:6379"):
            with pytest.raises(ClusterError, match=words):
                check_cluster(name)
        with pytest.raises(ClusterError, match=words):
            solve_all(TASKS, 1, cluster="local:2")
    finally:
        withdraw_user_primitive("lift")


def test_no_cluster_is_none() -> None:
    check_cluster(None)
    check_cluster("local:3")


# --- what a unit has ---


def test_a_proposer_must_say_that_it_reads_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[float] = []

    def look(tasks: Any, context: Context) -> None:
        for task in tasks:
            met.append(len(context.candidates(task)))
            context.keep(*trial_for(task, FLIP, family="hmirror"))
            met.append(len(context.candidates(task)))
            met.append(context.n_agreeing(task))
            met.append(context.confidence(task))

    class Reading(Scripted):
        says = True

        def next_offer(self, context: Context) -> Offer | None:
            offer = super().next_offer(context)
            return offer and replace(offer, reads_candidates=self.says)

    options = replace(QUICK, proposers=("known", "scripted"))
    register_scripted(monkeypatch, lambda: Reading(look, gain=1e-9))
    solved_with([task_named("a")], options=options)
    here, met = met, []
    solved_with([task_named("a")], Inline(1), options=options)
    assert met == here and here[1] == here[0] + 1
    Reading.says = False
    with pytest.raises(WorkerError, match="must set `reads_candidates`"):
        solved_with([task_named("a")], Inline(1), options=options)


def test_traces_states_and_logs_come_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    traced: list[tuple[str, str, str]] = []
    logged: list[dict[str, Any]] = []

    class Hearing(Watcher):
        def on_trace(self, task: Task, proposer: str, message: str) -> None:
            traced.append((task.id, proposer, message))

        def on_log(self, loop: Loop, proposer: str, record: dict[str, Any]) -> None:
            logged.append(record)

    def tell(tasks: Any, context: Context) -> None:
        for task in tasks:
            context.trace(task, f"seen: {context.is_traced(task)}")
            context.spend(task, 0.125)

    register_scripted(monkeypatch, lambda: Scripted(tell, n_rounds=2))
    options = replace(QUICK, proposers=("scripted",))
    tasks = [task_named("a"), task_named("b")]
    loop = solved_with(
        tasks, Inline(1), options=options, watcher=Hearing(), traced=["b"], folder=tmp_path
    )
    assert [each for each in traced if "seen" in each[2]] == [("b", "scripted", "seen: True")] * 2
    assert loop.counts["scripted"].n_rounds == 2
    notes = [record["note"] for record in logged if "note" in record]
    assert sorted(set(notes)) == [1, 2]
    assert {record.get("worker") for record in logged if "note" in record} == {"inline-1"}
    assert loop.spent_s["a"] >= 0.25
    lines = (tmp_path / "workers" / "inline-1.jsonl").read_text().splitlines()
    assert '"event": "joined"' in lines[0] and '"event": "ended"' in lines[-1]


def test_a_program_that_cannot_be_written_is_counted_and_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from arcbatt.pool import rows

    monkeypatch.setattr(rows, "MIN_LONG_TEXT", 120)
    monkeypatch.setattr(rows, "MAX_PROGRAM_BYTES", 120)
    tasks = [task_named("a")]
    alone = solved_with(tasks)
    assert outcome(solved_with(tasks, Inline(1))) == outcome(alone)
    assert any(count.n_proposed > count.n_kept for count in alone.counts.values())


def test_at_the_end_of_the_time_what_is_out_is_taken_and_nothing_more_is_begun() -> None:
    options = replace(QUICK, proposers=("enumerate",))
    loop = solved_with(
        [huge_task(), *TASKS], Inline(2), options=options, budget_s=0.7, max_rounds=None
    )
    assert loop.left_s == 0.0 and loop.elapsed_s < 10
    assert loop.counts["enumerate"].n_rounds < 40


# --- islands ---

EVOLVE = replace(QUICK, proposers=("evolve",), library=True, evolve=EvolveOptions(card_size=30))


def test_islands_share_rounds_and_are_dealt_what_others_have_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(driver, "SLICE_S", 0.0)  # one card per report
    inline = Inline(2)
    options = replace(EVOLVE, proposers=("enumerate", "evolve"))
    loop = solved_with(TASKS, inline, options=options, max_rounds=4)
    assert [each.n_rounds for each in cluster_of(loop).workers.values()] == [2, 2]
    assert loop.counts["evolve"].n_rounds == 4
    islands = [(worker, unit) for worker, unit in inline.units if unit.proposer == "evolve"]
    migrants = [
        (worker, each["program"][0], each["task"])
        for worker, unit in islands
        for each in unit.candidates or ()
    ]
    assert {worker for worker, *_ in migrants} == {"inline-1", "inline-2"}
    assert len(set(migrants)) == len(migrants)  # none is sent twice to one worker
    for _, unit in islands:
        counts = Counter(each["task"] for each in unit.candidates or ())
        assert max(counts.values(), default=0) <= MIGRANTS_PER_TASK
    # Programs found by other islands are parents there.
    offered = 0
    for worker in inline.workers.values():
        assert worker._work is not None
        parents = worker._work._proposers["evolve"].counts()["parents"]
        offered += parents["n_parents_offered"]
    assert offered == len(migrants)


def test_migrants_are_the_best_and_unlike_and_new_to_the_island() -> None:
    task = task_named("a")
    loop = solved_with([task], options=EVOLVE, max_rounds=1)
    (proposer,) = loop.proposers
    texts = [f"def solve(I):\n    O = canvas({k}, astuple(1, 1))\n    return O\n" for k in range(6)]
    found = [
        trial_for(task, text, outputs=((((k,),),) * 2), n_fitted=1, credit=900 - k)
        for k, text in enumerate(texts)
    ]
    twin = trial_for(task, MIRROR, outputs=found[0][1].outputs, n_fitted=1, credit=899)
    for each in [*found, twin]:
        loop.take(proposer, *each)
    migration = Migration()
    best = [each.program.hash for each in loop.candidates(task).kept]
    dealt = migration.deal("here", loop, [task], "evolve")
    assert len(dealt) == MIGRANTS_PER_TASK and dealt[0]["program"][0] == best[0]
    assert len({str(each["trial"]["outputs"]) for each in dealt}) == len(dealt)
    assert {each["proposer"] for each in dealt} == {f"evolve {ELSEWHERE}"}
    assert migration.deal("here", loop, [task], "evolve") == []
    # The worker that found it does not get it back; a new worker gets all.
    trial = next(each.trial for each in loop.candidates(task).kept if each.program.hash == best[0])
    migration.note("there", trial)
    assert best[0] not in {
        each["program"][0] for each in migration.deal("there", loop, [task], "x")
    }
    migration.forget("here")
    assert migration.deal("here", loop, [task], "evolve") == dealt


def test_islands_have_other_seeds() -> None:
    tasks = training("67a3c6ac", "a416b8f3")
    inline = Inline(2)
    loop = solved_with(tasks, inline, options=EVOLVE, max_rounds=2)
    seeds = [worker._work.options.evolve.seed for worker in inline.workers.values()]  # type: ignore[union-attr]
    assert seeds == [0, 1]
    assert loop.counts["evolve"].n_rounds == 2
    assert loop.parts()["evolve"]


def test_an_island_that_is_lost_costs_what_it_has_not_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(driver, "SLICE_S", 0.0)

    def lose(inline: Inline, worker: str, unit: Unit, message: bytes) -> bool:
        is_third = len(inline.units) == 3
        if is_third:
            inline.lose(worker)
        return is_third

    tasks = training("67a3c6ac", "25ff71a9")
    loop = solved_with(tasks, Inline(1, lose), options=EVOLVE, max_rounds=5)
    assert loop.counts["evolve"].n_rounds == 5
    assert [each.n_rounds for each in cluster_of(loop).workers.values()] == [2, 3]
    assert cluster_of(loop).n_retries == 0


def test_islands_that_have_nothing_more_to_do_are_asked_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(driver, "SLICE_S", 0.0)
    finished: list[int] = []

    class Spent(Scripted):
        """Offers without end, but has nothing more to do after two rounds."""

        n_worked = 0

        def next_offer(self, context: Context) -> Offer | None:
            if self.n_worked == 2:
                return None
            return Offer("round", context.board.tasks, 1.0, 1.0, divides=False)

        def work(self, offer: Offer, context: Context) -> None:
            self.n_worked += 1

        def finish(self, context: Context) -> None:
            finished.append(self.n_worked)

    register_scripted(monkeypatch, lambda: Spent(nothing))
    options = replace(QUICK, proposers=("scripted",))
    loop = solved_with([contradiction()], Inline(2), options=options, max_rounds=None)
    assert loop.counts["scripted"].n_rounds == 4
    assert sorted(finished) == [0, 2, 2]  # that of the driver has done nothing


def test_an_island_that_is_out_of_memory_keeps_what_it_found_and_is_given_up_in_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Large(Scripted):
        """Finds something in each round, then runs out of memory."""

        def next_offer(self, context: Context) -> Offer | None:
            return Offer("round", context.board.tasks, 1.0, 1.0, divides=False)

        def work(self, offer: Offer, context: Context) -> None:
            context.keep(*trial_for(offer.tasks[0]))
            raise MemoryError

    register_scripted(monkeypatch, lambda: Large(nothing))
    options = replace(QUICK, proposers=("scripted",))
    inline = Inline(1)
    loop = solved_with([task_named("a")], inline, options=options, max_rounds=None)
    assert loop.n_fitted == 1 and len(inline.units) == driver.MAX_TRIES
    (message,) = cluster_of(loop).given_up
    assert "out of memory" in message


def test_a_run_of_islands_can_be_resumed_here(tmp_path: Path) -> None:
    tasks = training("67a3c6ac", "25ff71a9")
    loop = solved_with(tasks, Inline(2), options=EVOLVE, max_rounds=4)
    state = loop.context("evolve").state()
    assert state["n_cards"] == 2 and set(state["tasks"]) == {task.id for task in tasks}


@pytest.mark.slow
def test_solving_and_evolving_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "SLICE_S", 0.0)
    options = replace(EVOLVE, proposers=("known", "evolve"))
    loop = solved_with([*TASKS, *training("a416b8f3")], Inline(2), options=options, max_rounds=3)
    assert loop.counts["evolve"].n_rounds == 3
    assert loop.done("known", "all demos").keys() == {task.id for task in loop.tasks}
