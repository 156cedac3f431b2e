"""Work, values and memory are bounded: by the budget, and by the memory of the process."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pytest

from arcbatt.engine import _engine, _enumerate
from arcbatt.engine.batt import Batt
from arcbatt.engine.cpu.calls import run_call
from arcbatt.engine.graph.results import BattResult
from arcbatt.engine.graph.samples import Samples
from arcbatt.engine.memory import bound_memory
from arcbatt.engine.task_run import TaskSamples
from arcbatt.language import Budget, Failure, Program, Reason, Value, interpret, parse_program
from arcbatt.language.budget import MAX_ELEMENTS, Meter, metered
from arcbatt.language.calls import call_primitive
from arcbatt.language.failure import CallFailed
from arcbatt.language.registry import get_primitive
from arcbatt.language.values import MAX_NUMBER
from arcbatt.proposers.enumerate import EnumerateOptions
from arcbatt.proposers.enumerate.search import ResumableSearch
from arcbatt.proposers.registry import MOST_MAX_BYTES, ProposerOptions
from arcbatt.proposers.views import plain
from arcbatt.tasks import Task, TaskError, load
from tests.pairs import compare

GRID = ((1, 2), (3, 4))
MIB = 2**20


def program_of(*lines: str) -> Program:
    body = "".join(f"    {line}\n" for line in lines)
    return parse_program(f"def solve(I):\n{body}")


def run_one(program: Program, budget: Budget | None = None) -> BattResult:
    return Batt([program]).run(Samples([GRID]), budget, n_threads=1, keep_values=True)


@pytest.fixture
def little_memory() -> Iterator[None]:
    """Leave room for 48 MiB of values."""
    bound_memory(_engine.memory_in_use() + 48 * MIB)
    yield
    bound_memory()


# --- work that costs nothing is not done ---

UNCHARGED = {
    "many failures": ("f = power(first, 1048575)", "return apply(f, interval(0, {n}, 1))"),
    "nothing to call on": (
        "f = power(first, 1048575)",
        "g = power(f, 1048575)",
        "return apply(g, interval(0, 0, 1))",
    ),
    "a power of a power": (
        "f = power(first, 1048575)",
        "g = power(f, 1048575)",
        "return g(0)",
    ),
    "one of many that goes on": (
        "f = fork(divide, ONE, identity)",
        "f = compose(lbind(divide, TEN), sign)",
        "g = power(compose(crement, f), 100)",
        "return apply(g, interval(-1, {n}, 1))",
    ),
    "a large function of failures": (
        "f0 = compose(first, first)",
        *(f"f{k + 1} = compose(f{k}, f{k})" for k in range(16)),
        "return apply(f16, interval(0, {n}, 1))",
    ),
    "pairs for a function of one argument": (
        "f = compose(first, first)",
        "return prapply(f, interval(0, {n}, 1), interval(0, {n}, 1))",
    ),
}


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("lines", UNCHARGED.values(), ids=UNCHARGED)
def test_no_work_is_done_on_failures(lines: tuple[str, ...]) -> None:
    budget = Budget(5_000_000, 2**26)
    # The definitions are slow; the engine has more to do.
    few, many = (program_of(*(line.format(n=n) for line in lines)) for n in (40, 2_000))
    result, wanted = run_one(few, budget), interpret(few, GRID, budget)
    assert result.outcome(0, 0) == wanted.outcome
    assert int(result.steps[0, 0]) == wanted.steps
    assert run_one(many, budget).outcome(0, 0) == wanted.outcome


def test_elements_that_fail_later_and_those_that_stay_keep_their_places() -> None:
    program = program_of(
        "f = power(compose(rbind(divide, 2), lbind(multiply, 2)), 3)",
        "g = power(compose(lbind(divide, 12), decrement), 2)",
        "two = astuple(f, g)",
        "c = rapply(two, 4)",
        "d = apply(compose(g, increment), (3, 4, 5, 7, 13))",
        "return astuple(c, d)",
    )
    assert run_one(program).outcome(0, 0) == interpret(program, GRID).outcome


# --- one value ---


def test_a_value_has_fewer_elements_than_widths_can_count() -> None:
    budget = Budget(2**50, 2**53)
    assert budget.elements == MAX_ELEMENTS == 2**24 - 1
    wide = program_of("x = canvas(0, (1, 17))", f"return width(hupscale(x, {2**20 - 1}))")
    wanted = interpret(wide, GRID, budget)
    assert wanted.outcome == Failure(Reason.BUDGET)
    assert run_one(wide, budget).outcome(0, 0) == wanted.outcome


def test_weights_of_shared_members_do_not_wrap() -> None:
    budget = Budget(2**50, 2**53)

    def doubled(n: int) -> Program:
        lines = [
            "x0 = astuple(I, I)",
            *(f"x{k} = astuple(x{k - 1}, x{k - 1})" for k in range(1, n)),
        ]
        return program_of(*lines, f"return size(x{n - 1})")

    few = interpret(doubled(8), GRID, budget)
    assert int(run_one(doubled(8), budget).steps[0, 0]) == few.steps
    # The weight of I is 6; size reads nothing.
    weights = [6]
    for _ in range(20):
        weights.append(2 + 2 * weights[-1])
    steps = sum(1 + made for made in weights[1:]) + 1
    assert int(run_one(doubled(20), budget).steps[0, 0]) == steps
    for n in (22, 29):
        assert run_one(doubled(n), budget).outcome(0, 0) == Failure(Reason.BUDGET)


EDGE = MAX_NUMBER
TIES: dict[str, tuple[Value, ...]] = {
    "neighbors": ((2, EDGE),),
    "dneighbors": ((6, EDGE),),
    "ineighbors": ((-EDGE, 4),),
    "split_halves": (((-1, EDGE), ((8, 8, 8, 8), (8, 8, 8, 8))),),
    "split_blocks": (((EDGE - 3, EDGE), ((3, 3, 7), (3, 3, 3), (7, 3, 3), (7, 3, 7))),),
}


@pytest.mark.parametrize("name", TIES)
def test_a_value_too_large_and_out_of_range_is_over_budget(name: str) -> None:
    reasons = set()
    for n in range(1, 120):
        for budget in (Budget(10_000, 16 * n), Budget(n, 2**20)):
            meter = Meter(budget)
            try:
                with metered(meter):
                    call_primitive(get_primitive(name), TIES[name])
            except CallFailed as failed:
                wanted = Failure(Reason.BUDGET) if meter.exceeded else failed.failure
            assert run_call(name, TIES[name], budget).outcome == wanted
            reasons.add(wanted.reason)
    assert reasons == {Reason.BUDGET, Reason.RANGE}


def test_random_pairs_agree() -> None:
    assert compare(first=1, n_pairs=400, minutes=10)


# --- memory ---


def large_values(n: int) -> Program:
    """A program that makes n values of 4 MiB each."""
    lines = [f"x{k} = apply(rbind(add, {k}), x)" for k in range(n)]
    total = [f"s{k} = subtract(size(x{k}), s{k - 1})" for k in range(1, n)]
    first = ("x = interval(-500000, 500000, 1)", *lines, "s0 = size(x0)")
    return program_of(*first, *total, f"return s{n - 1}")


BUDGET = Budget(10**9, 2**40)


@pytest.mark.slow
@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_program_beyond_the_memory_fails_and_the_run_goes_on(n_threads: int) -> None:
    small = [program_of(f"return canvas({color}, (3, 3))") for color in range(5)]
    programs = [*small, large_values(60), large_values(2)]
    samples = Samples([GRID] * 2)
    result = Batt(programs).run(samples, BUDGET, n_threads=n_threads)
    assert (result.reasons[5] == Reason.MEMORY).all()
    assert result.outcome(5, 0) == Failure(Reason.MEMORY)
    assert not result.reasons[:5].any()
    bound_memory()
    again = Batt(programs).run(samples, BUDGET, n_threads=n_threads)
    assert not again.reasons.any()
    assert (again.hashes[:5] == result.hashes[:5]).all()


@pytest.mark.slow
@pytest.mark.usefixtures("little_memory")
def test_values_beyond_the_memory_are_not_kept() -> None:
    program = program_of("return interval(-500000, 500000, 1)")
    samples = Samples([((k % 10,),) for k in range(40)])
    result = Batt([program]).run(samples, BUDGET, n_threads=1, keep_values=True)
    kept = result.reasons[0] == 0
    assert kept.any() and not kept.all()
    assert set(result.reasons[0][~kept].tolist()) == {Reason.MEMORY}
    assert len(result.outcome(0, int(np.flatnonzero(kept)[0]))) == 10**6  # type: ignore[arg-type]


def test_many_samples_and_batts_take_as_much_as_they_have() -> None:
    small = [program_of(f"return canvas({k % 10}, (3, {k + 1}))") for k in range(100)]
    run_one(small[0])
    before = _engine.memory_in_use()
    kept = []
    for program in small:
        kept.append((Batt([program]), Samples([GRID])))
        kept[-1][0].run(kept[-1][1], n_threads=1)
    assert _engine.memory_in_use() - before < 2 * MIB


def test_data_is_had_beyond_the_memory_and_programs_fail() -> None:
    bound_memory(_engine.memory_in_use())
    result = run_one(program_of("return interval(0, 500000, 1)"))
    assert result.outcome(0, 0) == Failure(Reason.MEMORY)
    bound_memory()


@pytest.mark.slow
def test_memory_is_given_back() -> None:
    run_one(large_values(40), BUDGET)
    before = _engine.memory_in_use()
    bound_memory(before + 2**30)
    run_one(large_values(40), BUDGET)
    assert _engine.memory_in_use() <= before
    bound_memory()


def test_a_bound_frees_the_values_of_searches_that_nothing_refers_to() -> None:
    gc.collect()  # garbage of other tests is not counted below
    gc.disable()
    try:
        search = ResumableSearch(plain(load("arc-agi-1/training")["00d62c1b"]))
        search.run(EnumerateOptions(depth=2, max_applications=100_000))
        cycle: list[object] = [search]
        cycle.append(cycle)
        del search, cycle
        _engine.set_memory_bound(2**62)  # frees the memory that threads keep for later
        held = _engine.memory_in_use()
        bound_memory(held)
        assert _engine.memory_in_use() <= held - MIB
    finally:
        gc.enable()
        bound_memory()


@pytest.mark.slow
def test_a_search_ends_when_the_memory_of_the_process_is_used_up() -> None:
    task = load("arc-agi-1/training")["00d62c1b"]
    options = EnumerateOptions(depth=3, max_applications=3_000_000)
    in_use = _engine.memory_in_use()
    bound_memory(in_use + 24 * MIB)
    search = ResumableSearch(plain(task))
    result = search.run(options)
    assert _engine.memory_in_use() > in_use  # both extensions count in one account
    bound_memory()
    assert result.counts["was_cut"]
    free = ResumableSearch(plain(task)).run(options)
    assert free.counts["n_applications"] > result.counts["n_applications"]


def test_a_search_has_fewer_bytes_than_places_can_count() -> None:
    assert MOST_MAX_BYTES == _enumerate.MAX_BYTES
    options = EnumerateOptions(max_bytes=MOST_MAX_BYTES + 1)
    with pytest.raises(ValueError, match="max_bytes"):
        ProposerOptions(enumerate=options)
    with pytest.raises(ValueError, match="max_bytes must be at most"):
        ResumableSearch(plain(load("arc-agi-1/training")[0])).run(options)


# --- other numbers ---


def test_demos_whose_matches_a_byte_cannot_count_are_refused() -> None:
    task = Task.of([(GRID, GRID)], [GRID], id="many")
    many = Task("many", task.demos * 256, task.test_inputs, task.source)
    with pytest.raises(TaskError, match="256 demos, expected 255 at most"):
        TaskSamples([many])
