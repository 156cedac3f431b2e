"""The reference interpreter: failures as values, budgets, sharing, traces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import (
    Budget,
    Failure,
    Program,
    Reason,
    Value,
    evaluate_call,
    interpret,
    parse_program,
)
from arcbatt.language.values import Function
from bench.random_programs import random_program
from tests.conftest import grids, programs, values

GRID = ((0, 0, 1), (0, 2, 2), (3, 0, 0))


def run_lines(*lines: str, budget: Budget | None = None, **options: bool):  # type: ignore[no-untyped-def]
    text = "\n".join(["def f(S, I):", *(f"    {line}" for line in lines), "    return x", ""])
    return interpret(parse_program(text), {"I": GRID, "S": ((GRID, GRID),)}, budget, **options)


@given(programs, grids())
def test_running_never_raises(program: Program, grid: Value) -> None:
    result = interpret(program, {"I": grid, "S": ((grid, grid),)}, Budget(steps=200_000))
    assert result.failed == (result.failed_at is not None)
    assert result.steps >= 0


@given(programs, grids())
def test_the_same_run_gives_the_same_result(program: Program, grid: Value) -> None:
    inputs = {"I": grid, "S": ((grid, grid),)}
    a, b = interpret(program, inputs), interpret(program, inputs)
    assert (a.outcome, a.steps, a.bytes, a.failed_at) == (b.outcome, b.steps, b.bytes, b.failed_at)


@given(st.data())
def test_any_primitive_on_any_values_gives_a_value_or_a_failure(data: st.DataObject) -> None:
    from arcbatt.language import all_primitives

    primitive = data.draw(st.sampled_from(list(all_primitives().values())))
    functions = st.sampled_from([Function(name) for name in all_primitives()])
    cells = st.tuples(st.integers(0, 9), st.tuples(st.integers(-3, 9), st.integers(-3, 9)))
    argument = (
        values
        | grids()
        | functions
        | st.frozensets(cells, max_size=6)
        | st.frozensets(cells.map(lambda cell: cell[1]), max_size=6)
        | st.lists(cells, max_size=4).map(tuple)
        | st.lists(st.lists(st.integers(-2, 12), max_size=4).map(tuple), max_size=4).map(tuple)
        | st.frozensets(st.frozensets(cells, max_size=4), max_size=3)
    )
    args = [data.draw(argument) for _ in range(primitive.arity)]
    outcome = evaluate_call(primitive.name, args, Budget(steps=100_000))
    assert isinstance(outcome, Failure | int | tuple | frozenset | Function) or outcome is None


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("x = hmirror(3)", Reason.TYPE),
        ("x = fill(I, 3, {1, 2})", Reason.TYPE),
        ("x = fill(I, 3, {(0, 1), (1, (0, 1))})", Reason.TYPE),
        ("x = lbind(add, 1)(2, 3)", Reason.TYPE),
        ("x = first(EMPTY)", Reason.EMPTY),
        ("x = argmax((), size)", Reason.EMPTY),
        ("x = extract((1, 3), even)", Reason.EMPTY),
        ("x = subgrid(EMPTY, I)", Reason.EMPTY),
        ("x = divide(1, 0)", Reason.RANGE),
        ("x = get_nth((1, 2), 2)", Reason.RANGE),
        ("x = interval(0, 3, 0)", Reason.RANGE),
        ("x = multiply(1000000, 1000000)", Reason.RANGE),
        ("x = power(double, 0)", Reason.RANGE),
        ("x = o_g(I, 8)", Reason.RANGE),
        ("x = cellwise(I, tophalf(I), 0)", Reason.RANGE),
        ("x = repeat(upscale(I, 9), 1000000)", Reason.BUDGET),
        ("x = canvas(0, (1000000, 1000000))", Reason.BUDGET),
    ],
)
def test_reasons(line: str, reason: Reason) -> None:
    result = run_lines(line)
    assert isinstance(result.outcome, Failure)
    assert result.outcome.reason is reason
    assert result.outcome.detail


def test_a_failure_carries_through_and_names_its_origin() -> None:
    result = run_lines("a = first(EMPTY)", "b = increment(a)", "x = astuple(1, b)")
    assert result.outcome.reason is Reason.EMPTY
    assert result.failed_at.name == "first"


def test_of_two_failed_arguments_the_first_counts() -> None:
    result = run_lines("x = astuple(divide(1, 0), first(EMPTY))")
    assert result.outcome.reason is Reason.RANGE


def test_a_failure_in_the_branch_not_taken_is_a_failure() -> None:
    assert run_lines("x = branch(T, 1, first(EMPTY))").failed


def test_a_failure_is_no_default_value() -> None:
    for line in ("x = apply(first, (EMPTY,))", "x = sfilter((1, (1, 2)), even)"):
        assert run_lines(line).failed


def test_a_dead_line_changes_nothing() -> None:
    dead = run_lines("dead = first(EMPTY)", "x = hmirror(I)")
    assert dead == run_lines("x = hmirror(I)")


def test_the_first_failing_element_gives_the_reason() -> None:
    assert run_lines("x = apply(first, (EMPTY, 3))").outcome.reason is Reason.EMPTY
    assert run_lines("x = apply(first, (3, EMPTY))").outcome.reason is Reason.TYPE


def test_extract_looks_no_further_than_its_result() -> None:
    assert run_lines("x = extract((2, (1, 2)), even)").outcome == 2
    assert run_lines("x = extract(((1, 2), 2), even)").outcome.reason is Reason.TYPE


def test_a_missing_input_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="asks for input S"):
        interpret(parse_program("def f(S, I):\n    return S\n"), {"I": GRID})


# --- traces and sharing ---


def test_a_trace_keeps_every_value() -> None:
    result = run_lines("a = hmirror(I)", "x = vmirror(a)", keep_trace=True)
    named = {node.head: outcome for node, outcome in result.trace.items()}
    assert named["hmirror"] == GRID[::-1]
    assert named["vmirror"] == result.outcome


def test_shared_nodes_are_evaluated_and_counted_once() -> None:
    once = run_lines("a = objects(I, T, F, T)", "x = astuple(a, a)")
    twice = run_lines("a = objects(I, T, F, T)", "b = o_g(I, R5)", "x = astuple(a, b)")
    assert once.outcome == twice.outcome
    assert once.steps < twice.steps


# --- budgets ---


@pytest.mark.parametrize(
    ("line", "steps"),
    [
        ("x = add(1, 2)", 1),
        ("x = add(UP, UP)", 1 + 2 + 2 + 2),
        ("x = hmirror(((1, 2), (3, 4)))", 1 + 6 + 6),
        ("x = index(I, ORIGIN)", 1 + 2),
        ("x = apply(increment, (1, 2, 3))", (1 + 3 + 3) + 3),
        ("x = compose(double, double)", 1 + 2),
        ("x = compose(double, double)(3)", (1 + 2) + 2),
        ("x = matcher(double, 6)(3)", (1 + 2) + 2),
        ("x = manhattan({(0, 0), (0, 1)}, {(5, 5)})", 1 + 6 + 3 + 2),
        ("x = first((1, 2, 3))", 1),
    ],
)
def test_what_things_cost(line: str, steps: int) -> None:
    result = run_lines(line)
    assert result.steps == steps


def test_bytes_are_counted_on_results() -> None:
    assert run_lines("x = add(1, 2)").bytes == 16
    assert run_lines("x = hmirror(((1, 2), (3, 4)))").bytes == 16 * 7


def test_a_failed_call_has_cost_its_reading() -> None:
    assert run_lines("x = merge((1, 2))").steps == 1 + 2


def test_calls_go_on_after_a_failure_so_that_order_does_not_matter() -> None:
    a = run_lines("x = apply(first, (EMPTY, (1,), (2,)))")
    b = run_lines("x = apply(first, ((1,), (2,), EMPTY))")
    assert a.failed and b.failed
    assert a.steps == b.steps


@given(st.integers(0, 10_000), grids())
def test_a_budget_is_met_exactly(seed: int, grid: Value) -> None:
    """A program runs with its own steps as the budget, and fails with one step less."""
    program = random_program(seed, 6)
    inputs = {"I": grid, "S": ((grid, grid),)}
    full = interpret(program, inputs)
    if full.steps < 2 or (full.failed and full.outcome.reason is Reason.BUDGET):  # type: ignore[union-attr]
        return
    enough = interpret(program, inputs, Budget(steps=full.steps))
    assert (enough.outcome, enough.steps) == (full.outcome, full.steps)
    short = interpret(program, inputs, Budget(steps=full.steps - 1))
    assert isinstance(short.outcome, Failure) and short.outcome.reason is Reason.BUDGET
    assert short.steps == full.steps


def test_over_budget_outweighs_other_failures() -> None:
    result = run_lines("x = astuple(first(EMPTY), repeat(upscale(I, 9), 1000000))")
    assert result.outcome.reason is Reason.BUDGET
    assert result.steps == Budget().steps + 1


@pytest.mark.parametrize(
    "lines",
    [
        ["a = upscale(I, 10)", "b = upscale(a, 10)", "c = upscale(b, 10)", "x = upscale(c, 10)"],
        ["f = power(fork(combine, identity, identity), 60)", "x = f((1, 2))"],
        ["f = power(fork(astuple, identity, identity), 30)", "x = f(1)"],
        ["a = interval(0, 100000, 1)", "x = product(a, a)"],
        ["a = interval(0, 100000, 1)", "x = prapply(add, a, a)"],
        ["a = asindices(canvas(0, (300, 300)))", "x = manhattan(a, shift(a, (900, 900)))"],
        ["f = power(double, 1000000)", "x = f(0)", "y = power(f, 1000000)", "x = y(0)"],
        ["x = shoot(ORIGIN, (0, 1000000))"],
        ["x = backdrop({(0, 0), (1000000, 1000000)})"],
        ["a = connect(ORIGIN, (0, 900000))", "x = mapply(neighbors, a)"],
        ["f0 = compose(double, double)"]
        + [f"f{i} = compose(f{i - 1}, f{i - 1})" for i in range(1, 30)]
        + ["x = f29(0)"],
        ["f0 = compose(double, double)"]
        + [f"f{i} = compose(f{i - 1}, f{i - 1})" for i in range(1, 60)]
        + ["x = equality(f59, f58)"],
    ],
    ids=lambda lines: lines[-1],
)
def test_hostile_programs_cost_their_budget_and_no_more(lines: list[str]) -> None:
    result = run_lines(*lines, budget=Budget(steps=200_000, bytes=2**22))
    assert isinstance(result.outcome, Failure)
    assert result.outcome.reason is Reason.BUDGET


def test_the_default_budget_allows_a_search_by_hand_over_all_rectangles() -> None:
    """Look for every black rectangle of sides 3 to 9 in a 30x30 grid, as solvers do."""
    grid = tuple(tuple((i * j) % 3 for j in range(30)) for i in range(30))
    text = """
def f(I):
    sides = interval(3, 10, 1)
    shapes = product(sides, sides)
    canvases = apply(compose(asobject, lbind(canvas, 0)), shapes)
    hits = apply(lbind(occurrences, I), canvases)
    moves = lbind(lbind, shift)
    laid = fork(apply, moves, lbind(occurrences, I))
    x = mapply(laid, canvases)
    return astuple(size(hits), size(x))
"""
    assert not interpret(parse_program(text), {"I": grid}).failed


def test_a_budget_must_allow_something() -> None:
    for wrong in ({"steps": 0}, {"bytes": 0}, {"steps": -1}, {"steps": 2**70}, {"bytes": 2**70}):
        with pytest.raises(ValueError, match="budget"):
            Budget(**wrong)
