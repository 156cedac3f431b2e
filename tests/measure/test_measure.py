"""Time by phase sums to the wall clock if phases are nested, repeated or parallel, or raise.

Nothing here looks at real time: the clocks are turned by hand.
"""

from __future__ import annotations

import contextvars
import io
import json
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from arcbatt import measure
from arcbatt.measure import PHASES, Clock, Phase, Report, TimelineReport, phase
from arcbatt.measure.process import process_start_ns
from arcbatt.measure.tables import draw_report

SECOND = 10**9


class Hand:
    """A clock that advances only on request."""

    def __init__(self) -> None:
        self.ns = 1234

    def __call__(self) -> int:
        return self.ns

    def pass_s(self, seconds: float) -> None:
        self.ns += round(seconds * SECOND)


@pytest.fixture
def hand() -> Hand:
    return Hand()


def times(timeline: TimelineReport) -> dict[str, float]:
    """The seconds of each phase; that they sum to the wall clock is checked on the way."""
    assert sum(each.ns for each in timeline.phases) == timeline.wall_ns
    return {each.name: each.seconds for each in timeline.phases}


def paths(timeline: TimelineReport) -> dict[str, tuple[float, float]]:
    """Each path with its own and its whole seconds."""
    return {" ".join(at.path): (at.self_ns / SECOND, at.total_ns / SECOND) for at in timeline.paths}


def test_phases_are_exclusive_and_sum_to_the_wall_clock(hand: Hand) -> None:
    clock = Clock(hand)
    with clock.active():
        hand.pass_s(1)
        with phase("run"):
            hand.pass_s(2)
            with phase("score"):
                hand.pass_s(4)
                with phase("run"):
                    hand.pass_s(8)
            hand.pass_s(16)
        hand.pass_s(32)
        with phase("run"):
            hand.pass_s(64)
    main = clock.report().main
    assert times(main) == {"run": 90, "score": 4, "other": 33}
    assert main.wall_s == 127
    assert paths(main) == {
        "": (33, 127),
        "run": (82, 94),
        "run score": (4, 12),
        "run score run": (8, 8),
    }
    assert {each.name: each.n_entered for each in main.phases} == {
        "run": 3,
        "score": 1,
        "other": 0,
    }


def test_the_running_phase_counts_until_now(hand: Hand) -> None:
    clock = Clock(hand)
    with clock.active(), phase("store"):
        hand.pass_s(3)
        assert times(clock.report().main) == {"store": 3}
        hand.pass_s(1)
        assert times(clock.report().main) == {"store": 4}


def test_the_clock_runs_before_and_after_it_is_active(hand: Hand) -> None:
    clock = Clock(hand)
    hand.pass_s(1)
    with clock.active():
        hand.pass_s(1)
    hand.pass_s(1)
    assert times(clock.report().main) == {"other": 3}


def test_time_before_the_clock_counts_as_load(hand: Hand) -> None:
    started = hand()
    hand.pass_s(5)
    clock = Clock(hand, loading_since_ns=started)
    with clock.active():
        hand.pass_s(1)
        with phase("load"):
            hand.pass_s(2)
    assert times(clock.report().main) == {"load": 7, "other": 1}


def test_an_exception_leaves_its_phases(hand: Hand) -> None:
    clock = Clock(hand)
    with clock.active():
        with pytest.raises(KeyError), phase("run"), phase("score"):
            hand.pass_s(1)
            raise KeyError
        hand.pass_s(2)
    assert times(clock.report().main) == {"run": 0, "score": 1, "other": 2}


def test_a_function_is_a_phase(hand: Hand) -> None:
    @phase("fuse")
    def halve(n: int) -> int:
        """Again and again."""
        hand.pass_s(1)
        return halve(n // 2) if n else 0

    clock = Clock(hand)
    with clock.active():
        assert halve(8) == 0
    assert times(clock.report().main) == {"fuse": 5}
    assert halve.__name__ == "halve" and halve.__doc__ == "Again and again."


def test_a_phase_object_is_for_one_with_at_a_time(hand: Hand) -> None:
    clock = Clock(hand)
    once = phase("run")
    with clock.active():
        with once:
            with pytest.raises(RuntimeError, match="already been entered"), once:
                pass
            hand.pass_s(1)
        with once:
            hand.pass_s(1)
    assert times(clock.report().main) == {"run": 2}


def test_phases_left_out_of_order_sum_to_the_wall_clock(hand: Hand) -> None:
    def loading() -> Iterator[int]:
        with phase("load"):
            yield 1

    clock = Clock(hand)
    with clock.active():
        items = loading()
        with phase("run"):
            next(items)
            hand.pass_s(1)  # the generator waits inside its phase
        hand.pass_s(2)
        items.close()
        hand.pass_s(4)
    assert times(clock.report().main) == {"load": 1, "run": 0, "other": 6}


def test_without_a_clock_nothing_happens() -> None:
    assert measure.current_clock() is None
    with phase("run"):
        measure.count("calls")
        measure.record("cuda:0", "run", 1)
        measure.add_table("calls", ["primitive"], [["hmirror"]])
    assert measure.current_clock() is None


def test_a_mistyped_phase_is_an_error(hand: Hand) -> None:
    wrong: Phase = "runn"  # type: ignore[assignment]
    message = "no phase is named 'runn'; phases are load, deal"
    with Clock(hand).active(), pytest.raises(ValueError, match=message), phase(wrong):
        pass


def test_threads_have_timelines_of_their_own(hand: Hand) -> None:
    clock = Clock(hand)
    turns = [threading.Event() for _ in range(4)]

    def work() -> None:
        with phase("run"):  # on no timeline
            pass
        with clock.timeline("worker 1"):
            with phase("run"):
                turns[0].set()
                turns[1].wait(10)
                measure.count("calls", 3)
            turns[2].set()
            turns[3].wait(10)

    with clock.active():
        thread = threading.Thread(target=work)
        thread.start()
        with phase("display"):
            turns[0].wait(10)
            hand.pass_s(2)
            turns[1].set()
            turns[2].wait(10)
            hand.pass_s(1)
            measure.count("calls")
            turns[3].set()
            thread.join()
        hand.pass_s(4)
    report = clock.report()
    assert times(report.main) == {"display": 3, "other": 4}
    (worker,) = report.others
    assert worker.name == "worker 1"
    assert times(worker) == {"run": 2, "other": 1}
    assert report.counters == {"calls": 4}


def test_many_threads_at_once_lose_nothing() -> None:
    """Each thread's clock is its own count of calls, so its sum is known whatever the order."""
    clock = Clock(lambda: 0)
    n_threads, n_rounds = 8, 300
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for _ in range(n_rounds):
                with clock.timeline(f"worker {number}"), phase("run"), phase("score"):
                    measure.count("rounds")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(n_threads)]
    for thread in threads:
        thread.start()
    for _ in range(50):
        clock.report()
    for thread in threads:
        thread.join()
    assert not failures
    report = clock.report()
    assert report.counters == {"rounds": n_threads * n_rounds}
    assert len(report.others) == n_threads
    for timeline in report.others:
        assert {at.n_entered for at in timeline.paths if at.path} == {n_rounds}


def test_one_timeline_is_for_one_thread_at_a_time(hand: Hand) -> None:
    clock = Clock(hand)
    with clock.timeline("worker"):
        with pytest.raises(ValueError, match="in use"), clock.timeline("worker"):
            pass
        with pytest.raises(ValueError, match="belongs to a running thread"):
            clock.record("worker", "run", 1)
        hand.pass_s(1)
    hand.pass_s(10)  # no thread is inside
    with clock.timeline("worker"), phase("run"):
        hand.pass_s(2)
    with pytest.raises(ValueError, match="in use"), clock.timeline("main"):
        pass
    (worker,) = clock.report().others
    assert times(worker) == {"run": 2, "other": 1}


def test_a_thread_with_a_copied_context_has_a_timeline_where_there_is_a_clock(hand: Hand) -> None:
    def work() -> None:
        with measure.timeline("worker"), phase("run"):
            hand.pass_s(2)

    work()  # without a clock nothing is counted
    clock = Clock(hand)
    with clock.active():
        thread = threading.Thread(target=contextvars.copy_context().run, args=(work,))
        thread.start()
        thread.join()
    (worker,) = clock.report().others
    assert worker.name == "worker"
    assert times(worker) == {"run": 2}


def test_a_copied_context_does_not_disturb_the_main_timeline(hand: Hand) -> None:
    clock = Clock(hand)

    def work() -> None:
        with phase("run"):
            measure.count("calls")

    with clock.active(), phase("load"):
        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(work,))
        thread.start()
        thread.join()
        hand.pass_s(1)
    report = clock.report()
    assert times(report.main) == {"load": 1} and not report.counters


def test_busy_time_includes_the_running_block(hand: Hand) -> None:
    busy = measure.BusyTime(lambda: hand() / SECOND)
    hand.pass_s(1)
    assert busy.seconds == 0
    with busy:
        hand.pass_s(2)
        assert busy.seconds == pytest.approx(2)
        hand.pass_s(1)
    hand.pass_s(5)
    with pytest.raises(KeyError), busy:
        hand.pass_s(4)
        raise KeyError
    assert busy.seconds == pytest.approx(7)
    # Two at a time count once.
    with busy:
        hand.pass_s(1)
        with busy:
            hand.pass_s(1)
        hand.pass_s(1)
    hand.pass_s(1)
    assert busy.seconds == pytest.approx(10)


def test_devices_have_separate_timelines(hand: Hand) -> None:
    clock = Clock(hand)
    with clock.active(), phase("run"):
        hand.pass_s(1)
        measure.record("cuda:0", "run", 0.75)
        measure.record("cuda:0", "transfer", 0.25)
        measure.record("cuda:1", "run", 3)
        measure.record("cuda:0", "run", 0.5)
    report = clock.report()
    assert times(report.main) == {"run": 1}
    assert {each.name: times(each) for each in report.others} == {
        "cuda:0": {"transfer": 0.25, "run": 1.25},
        "cuda:1": {"run": 3},
    }
    with pytest.raises(ValueError, match="belongs to a running thread"):
        clock.record("main", "run", 1)


steps = st.recursive(
    st.integers(0, 9),
    lambda inner: st.tuples(st.sampled_from(PHASES), st.lists(inner, max_size=4), st.booleans()),
    max_leaves=30,
)


@given(st.lists(steps, max_size=5))
def test_any_tree_of_phases_sums_up(work: list[object]) -> None:
    hand = Hand()
    clock = Clock(hand)
    wanted = dict.fromkeys(PHASES, 0)
    total = 0

    def do(step: object, current: Phase) -> None:
        nonlocal total
        if isinstance(step, int):
            hand.ns += step
            wanted[current] += step
            total += step
            return
        name, inner, fails = step  # type: ignore[misc]
        try:
            with phase(name):
                for each in inner:
                    do(each, name)
                if fails:
                    raise KeyError
        except KeyError:
            pass

    with clock.active():
        for step in work:
            do(step, "other")
    main = clock.report().main
    assert main.wall_ns == total
    given_ns = {each.name: each.ns for each in main.phases}
    assert {name: ns for name, ns in given_ns.items() if ns} == {
        name: ns for name, ns in wanted.items() if ns
    }
    for at in main.paths:
        inside = sum(
            other.total_ns for other in main.paths if other.path and other.path[:-1] == at.path
        )
        assert at.total_ns == at.self_ns + inside


# --- how it is shown ---


@pytest.fixture
def report(hand: Hand) -> Report:
    clock = Clock(hand)
    with clock.active():
        with phase("run"):
            hand.pass_s(3)
            with phase("score"):
                hand.pass_s(1)
        measure.record("cuda:0 <a & b>", "run", 2)
        measure.count("calls", 12345)
        measure.add_table("calls by primitive", ["primitive", "calls", "s"], [["hmirror", 7, 0.5]])
        measure.add_table("calls by primitive", ["primitive", "calls", "s"], [["vmirror", 8, 1.5]])
        hand.pass_s(1)
    return clock.report()


def test_tables(report: Report) -> None:
    console = Console(width=100, record=True, force_terminal=False, file=None)
    with console.capture() as capture:
        for block in draw_report(report):
            console.print(block)
    text = capture.get()
    lines = [line.split() for line in text.splitlines()]
    assert ["run", "3.000", "60.0%", "1"] in lines
    assert ["other", "1.000", "20.0%"] in lines
    assert ["sum", "=", "wall", "clock", "5.000", "100.0%"] in lines
    assert ["calls", "12,345"] in lines and ["vmirror", "8", "1.500"] in lines
    assert "cuda:0 <a & b> (in parallel, not added)" in text and "hmirror" not in text


def test_unused_counters_and_tables_are_not_shown(hand: Hand) -> None:
    assert len(draw_report(Clock(hand).report())) == 1


def test_json(report: Report) -> None:
    content = json.loads(json.dumps(report.to_json()))
    assert content["wall_s"] == 5 and content["counters"] == {"calls": 12345}
    main, device = content["timelines"]
    assert main["phases"]["run"] == {"seconds": 3, "share": 0.6, "entered": 1}
    assert sum(each["seconds"] for each in main["phases"].values()) == content["wall_s"]
    assert {"path": ["run", "score"], "self_s": 1, "total_s": 1, "entered": 1} in main["paths"]
    assert device["name"].startswith("cuda:0")
    assert content["tables"][0]["rows"] == [["vmirror", 8, 1.5]]


def test_a_process_began_before_it_imported_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcbatt.measure.process._age_ns", lambda: None)
    imported = process_start_ns()
    from arcbatt.measure import process

    assert imported == process._IMPORTED_NS
    # A process that had done other things before is not starting up.
    monkeypatch.setattr("arcbatt.measure.process._age_ns", lambda: 10**15)
    assert process_start_ns() == imported
    monkeypatch.undo()
    assert process_start_ns() <= imported


def test_long_tables_are_cut() -> None:
    clock = Clock()
    rows = [(f"primitive{k:02}", k, k / 100) for k in range(40)]
    clock.add_table("calls", ("primitive", "calls", "share"), rows)
    report = clock.report()
    console = Console(width=100, record=True, file=io.StringIO())
    for block in draw_report(report):
        console.print(block)
    text = console.export_text()
    assert "primitive24" in text and "primitive25" not in text and "and 15 more" in text
    assert "24.0%" in text
    assert len(report.to_json()["tables"][0]["rows"]) == 40
