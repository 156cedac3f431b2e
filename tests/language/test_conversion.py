"""Values from outside: lists and arrays are accepted, others refused with their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.engine.batt import Batt
from arcbatt.engine.cpu.calls import run_call
from arcbatt.engine.graph.samples import Samples
from arcbatt.language import Function, Program, Value, interpret, parse_program, to_value
from arcbatt.language.conversion import MAX_ELEMENTS
from arcbatt.language.ir import constant
from arcbatt.language.values import MAX_DEPTH, MAX_NUMBER
from tests.conftest import grids, values

GRID = ((1, 2, 0), (3, 4, 0))
PROGRAM = parse_program("def f(I):\n    return hmirror(I)\n")
MIRRORED = ((3, 4, 0), (1, 2, 0))


class Place(NamedTuple):
    row: int
    column: int


def as_lists(value: Any) -> Any:
    return [as_lists(member) for member in value] if isinstance(value, tuple) else value


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = (value,)
    return value


# --- what is taken ---


@given(values)
def test_a_value_is_taken_as_it_is(value: Value) -> None:
    assert to_value(value, "x") is value


@given(values)
def test_lists_are_taken_for_tuples(value: Value) -> None:
    assert to_value(as_lists(value), "x") == value


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64])
def test_arrays_of_integers_are_taken_for_tuples(dtype: Any) -> None:
    taken: Any = to_value(np.array(GRID, dtype), "x")
    assert taken == GRID
    assert {type(cell) for row in taken for cell in row} == {int}
    assert to_value([np.array([1, 2], dtype), dtype(3)], "x") == ((1, 2), 3)


def test_tuples_and_numbers_of_other_classes_become_plain() -> None:
    taken: Any = to_value(Place(1, 2), "x")
    assert taken == (1, 2) and type(taken) is tuple
    assert type(to_value(frozenset({np.int8(1)}), "x")) is frozenset


@pytest.mark.parametrize(
    "function",
    [
        Function("size"),
        Function("rbind", (Function("add"), (1, 2))),
        Function("compose", (Function("size"), Function("fork", (Function("add"),) * 3))),
    ],
    ids=str,
)
def test_functions_are_values(function: Function) -> None:
    assert to_value((function, 1), "x") == (function, 1)


def test_the_limits_themselves_are_values() -> None:
    deepest = nested(MAX_DEPTH)
    for value in (MAX_NUMBER, -MAX_NUMBER, deepest):
        assert to_value(value, "x") == value
    assert to_value(as_lists(deepest), "x") == deepest


# --- what is refused ---


def endless() -> Any:
    ring: list[Any] = []
    ring.append(ring)
    return ring


def doubled(kind: Callable[[Any], Any]) -> Any:
    """Two members that are one, again and again: more of them than any memory holds."""
    value: Any = kind((1, 2))
    for _ in range(MAX_DEPTH - 2):
        value = kind((value, value))
    return value


REFUSED: dict[str, tuple[Any, str]] = {
    "float": (1.0, r"x: 1\.0 is a float; expected a number"),
    "text": ("ab", "x: 'ab' is a str; expected a number"),
    "bytes": (b"\1\2", "x: .* is a bytes"),
    "set": ({1, 2}, "x: .* is a set"),
    "dict": ({1: 2}, "x: .* is a dict"),
    "object": (object(), "x: .* is a object"),
    "member": ([[1, 2], [3, 4.0]], r"x\[1\]\[1\]: 4\.0 is a float"),
    "in a tuple": ((1, "a"), r"x\[1\]: 'a' is a str"),
    "in a set": (frozenset({2.5}), r"x\[0\]: 2\.5 is a float"),
    "array of floats": (np.zeros((2, 2)), "x: an array of float64, expected one of integers"),
    "array of truths": (np.zeros(2, bool), "x: an array of bool"),
    "array of objects": (np.array([[1], None], object), "x: an array of object"),
    "array in a list": ([1, np.zeros(2)], r"x\[1\]: an array of float64"),
    "large": (MAX_NUMBER + 1, f"x: {MAX_NUMBER + 1} is outside the numbers of the language"),
    "large in a grid": ([[1, -MAX_NUMBER - 1]], r"x\[0\]\[1\]: -1048576 is outside the numbers"),
    "huge": (10**5000, "x: an integer of 16610 bits is outside the numbers"),
    "deep": (nested(MAX_DEPTH + 1), r"x\[0\].*: nested deeper than 32 levels"),
    "very deep": (nested(100_000), "nested deeper than 32 levels"),
    "endless": (endless(), "nested deeper than 32 levels"),
    "doubled": (doubled(tuple), f"x: more than {MAX_ELEMENTS} elements"),
    "doubled function": (
        doubled(lambda pair: Function("compose", tuple(pair))),
        f"x: more than {MAX_ELEMENTS} elements",
    ),
    "doubled list": (doubled(list), f"x: more than {MAX_ELEMENTS} elements"),
    "no primitive": (Function("nope"), "x: no primitive is named 'nope'"),
    "captures nothing": (Function("size", (1,)), "x: size makes no function of such arguments"),
    "captures too few": (Function("compose", (Function("size"),)), "x: compose makes no function"),
    "captures no function": (Function("rbind", (1, 2)), "x: rbind makes no function"),
    "captures no value": (Function("rbind", (Function("add"), 0.5)), r"x\[1\]: 0\.5 is a float"),  # type: ignore[arg-type]
}


@pytest.mark.slow
@pytest.mark.parametrize(("given_value", "message"), REFUSED.values(), ids=list(REFUSED))
def test_what_is_no_value_is_refused(given_value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        to_value(given_value, "x")


# --- every door ---

DOORS: dict[str, Callable[[Any], Any]] = {
    "run": lambda grid: interpret(PROGRAM, {"I": grid}).outcome,
    "run_call": lambda grid: run_call("hmirror", [grid]).outcome,
    "Samples": lambda grid: (
        Batt([PROGRAM]).run(Samples([grid]), device="cpu", keep_values=True).outcome(0, 0)
    ),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=list(DOORS))
@pytest.mark.parametrize("make", [as_lists, np.array, lambda grid: list(map(np.array, grid))])
def test_every_door_takes_lists_and_arrays(door: Callable[[Any], Any], make: Any) -> None:
    assert door(make(GRID)) == door(GRID) == MIRRORED


@pytest.mark.parametrize("door", DOORS.values(), ids=list(DOORS))
@pytest.mark.parametrize("name", ["float", "text", "member", "array of floats", "large in a grid"])
def test_every_door_refuses_the_rest(door: Callable[[Any], Any], name: str) -> None:
    given_value, message = REFUSED[name]
    with pytest.raises(ValueError, match=message.removeprefix("x")):
        door(given_value)


@given(values | grids() | st.floats() | st.text())
def test_running_never_raises_once_a_value_is_taken(value: Any) -> None:
    try:
        taken = to_value(value, "x")
    except ValueError:
        with pytest.raises(ValueError, match="input I"):
            interpret(PROGRAM, {"I": value})
        with pytest.raises(ValueError, match="hmirror: argument 1"):
            run_call("hmirror", [value])
        return
    assert interpret(PROGRAM, {"I": value}).outcome == run_call("hmirror", [taken]).outcome


@pytest.mark.parametrize(
    "grid",
    [(), ((),), ((1, 2), (3,)), [[1], []], 5, None, frozenset({(1,)}), (((1,),),), ((1, None),)],
    ids=str,
)
def test_samples_are_made_of_grids(grid: Any) -> None:
    with pytest.raises(ValueError, match=r"input 1: .* is not a grid"):
        Samples([GRID, grid])


def test_samples_say_which_grid_is_wrong() -> None:
    with pytest.raises(ValueError, match=r"target 1\[0\]\[0\]: 'a' is a str"):
        Samples([GRID, GRID], [None, [["a"]]])
    with pytest.raises(ValueError, match=r"demos of sample 0: output of demo 1\[0\]\[0\]: 1\.5"):
        Samples([GRID], demos=[[(GRID, GRID), (GRID, [[1.5]])]])
    with pytest.raises(ValueError, match=r"demos of sample 0: demo 0 is .* expected a pair"):
        Samples([GRID], demos=[[GRID[0]]])
    with pytest.raises(ValueError, match=r"target 0\[1\]\[2\]: 1048576 is outside the numbers"):
        Samples([GRID], [((1, 2, 3), (4, 5, MAX_NUMBER + 1))])
    with pytest.raises(ValueError, match=r"input 0\[0\]\[0\]: .* is outside the numbers"):
        Samples([((2**40,),)])
    with pytest.raises(ValueError, match="1 targets for 2 inputs"):
        Samples([GRID, GRID], [GRID])
    with pytest.raises(ValueError, match="2 demos for 1 inputs"):
        Samples([GRID], demos=[(), ()])


def test_samples_may_be_one_array() -> None:
    inputs = np.arange(24).reshape(4, 2, 3)
    result = Batt([PROGRAM]).run(Samples(inputs, inputs[:, ::-1]), device="cpu")
    assert result.matches.all()


def test_a_batt_runs_on_samples_alone() -> None:
    with pytest.raises(TypeError, match="samples is a list; make samples with Samples"):
        Batt([PROGRAM]).run([GRID])  # type: ignore[arg-type]


def test_a_constant_beyond_the_limits_is_said_with_its_program() -> None:
    with pytest.raises(ValueError, match="large: a constant: 1048576 is outside the numbers"):
        Batt([Program(constant(MAX_NUMBER + 1), "large")])
