"""Types: inferred types, warnings, and primitives that fit."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arcbatt.language import Failure, Program, interpret, parse_program
from arcbatt.language.infer import (
    fits_type,
    fitting_primitives,
    infer,
    infer_call,
    infer_invocation,
    type_of_value,
)
from arcbatt.language.registry import all_primitives, get_primitive
from arcbatt.language.types import (
    ANY,
    GRID,
    Bindings,
    fits,
    format_type,
    parse_signature,
    parse_type,
    substitute,
)
from arcbatt.language.values import Value
from bench.random_programs import random_program
from tests.conftest import grids, programs


def infer_text(*lines: str) -> tuple[str, list[str]]:
    text = "\n".join(["def f(S, I):", *(f"    {line}" for line in lines), "    return x", ""])
    typing = infer(parse_program(text))
    return format_type(typing.result), [str(warning) for warning in typing.warnings]


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["x = I"], "Grid"),
        (["x = S"], "Demos"),
        (["x = objects(I, T, F, T)"], "Objects"),
        (["x = o_g_t(I, R5)"], "Tuple[Object]"),
        (["x = apply(toindices, objects(I, T, F, T))"], "Set[Indices]"),
        (["x = argmax(objects(I, T, F, T), size)"], "Object"),
        (["x = order(objects(I, T, F, T), size)"], "Tuple[Object]"),
        (["x = mapply(toindices, objects(I, T, F, T))"], "Indices"),
        (["x = shift(first(objects(I, T, F, T)), UP)"], "Object"),
        (["x = add(shape(I), 1)"], "Pair"),
        (["x = hmirror(ofcolor(I, 3))"], "Indices"),
        (["x = apply(size, hsplit(I, 2))"], "Tuple[Count]"),
        (["x = apply(first, S)"], "Tuple[Grid]"),
        (["f = fork(recolor, color, outbox)", "x = mapply(f, objects(I, T, F, T))"], "Object"),
        (["f = rbind(toobject, I)", "x = f(ofcolor(I, 0))"], "Object"),
        (["f = branch(T, hmirror, vmirror)", "x = f(I)"], "Grid"),
        (["x = rapply(astuple(hmirror, vmirror), I)"], "Tuple[Grid]"),
        (["f = power(rbind(shift, UP), 3)", "x = f(asindices(I))"], "Indices"),
        (["x = c_zo_n(S, p_g, rbind(get_nth, F0))"], "Color"),
        (["x = product(palette(I), palette(I))"], "Set[(Color, Color)]"),
        (["x = sfilter(asindices(I), compose(even, first))"], "Indices"),
        (["x = papply(astuple, first(I), last(I))"], "Tuple[Pair]"),
        (["x = lbind(fill, I)(RED, ofcolor(I, 0))"], "Grid"),
        (["x = extract(partition(I), matcher(color, 3))"], "Object"),
        (["x = astuple(mostcolor(I), ORIGIN)"], "(Color, Pair)"),
    ],
)
def test_inferred_types(lines: list[str], wanted: str) -> None:
    assert infer_text(*lines) == (wanted, [])


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["x = hmirror(size(I))"], "hmirror cannot take (Count)"),
        (["x = fill(I, 3, 4)"], "fill cannot take (Grid, Integer, Integer); it takes Grid, Color"),
        (["x = merge((1, 2))"], "merge cannot take"),
        (["x = apply(1, I)"], "apply cannot take"),
        (["x = apply(add, I)"], "apply cannot take"),
        (["x = compose(1, hmirror)"], "compose cannot take"),
        (["f = compose(increment, hmirror)", "x = f(I)"], "cannot be called with (Grid)"),
        (["f = rbind(hmirror, I)", "x = f(I)"], "cannot be called with (Grid)"),
        (["n = size(I)", "x = n(I)"], "a value of type Count cannot be called"),
        (["x = intersection(I, I)"], "intersection cannot take"),
        (["x = mapply(size, objects(I, T, F, T))"], "mapply cannot take"),
        (["x = power(hmirror, I)"], "power cannot take"),
    ],
)
def test_what_cannot_work_is_warned_of(lines: list[str], wanted: str) -> None:
    _, (warning,) = infer_text(*lines)
    assert wanted in warning


def test_one_mistake_is_one_warning() -> None:
    _, warnings = infer_text("a = hmirror(size(I))", "b = vmirror(a)", "x = hconcat(a, b)")
    assert len(warnings) == 1


@given(programs, grids())
@example(random_program(3, n_calls=8, well_typed=False), ((0,),))
def test_what_is_warned_of_fails(program: Program, grid: Value) -> None:
    """A call with a type warning gives no value, except on empty containers."""
    typing = infer(program)
    trace = interpret(program, {"I": grid, "S": ((grid, grid),)}, keep_trace=True).trace
    for warning in typing.warnings:
        node = warning.node
        if node in trace and not any(_has_empty(trace[arg]) for arg in node.args):
            assert isinstance(trace[node], Failure), str(warning)


def _has_empty(value: Value | Failure) -> bool:
    return isinstance(value, tuple | frozenset) and (not value or any(map(_has_empty, value)))


# Of an empty container they give the number 0, whatever its members would be.
ZERO_IF_EMPTY = {"maximum", "minimum", "valmax", "valmin"}


@given(programs, grids())
def test_values_have_the_types_inferred(program: Program, grid: Value) -> None:
    types = infer(program).types
    if any(node.head in ZERO_IF_EMPTY for node in program.nodes()):
        return
    result = interpret(program, {"I": grid, "S": ((grid, grid),)}, keep_trace=True)
    for node, outcome in result.trace.items():
        term = types[node]
        if isinstance(outcome, Failure) or not isinstance(outcome, int | tuple | frozenset):
            continue
        assert fits_type(term, type_of_value(outcome)) or _holds_functions(outcome), (
            f"{node}: {outcome} is no {term}"
        )


def _holds_functions(value: Value) -> bool:
    if isinstance(value, tuple | frozenset):
        return any(map(_holds_functions, value))
    return not isinstance(value, int)


@given(st.integers(0, 2**32))
def test_well_typed_programs_are_well_typed(seed: int) -> None:
    assert not infer(random_program(seed)).warnings


def test_which_primitives_fit() -> None:
    names = {p.name: format_type(t) for p, t in fitting_primitives([parse_type("Grid")])}
    assert names["hmirror"] == "Grid" and names["palette"] == "Set[Color]"
    assert "delta" in {p.name for p, _ in fitting_primitives([parse_type("Object")])}
    assert "increment" not in names
    only_grids = fitting_primitives([parse_type("Grid")], parse_type("Grid"))
    assert {"rot90", "trim"} <= {p.name for p, _ in only_grids}
    assert not {"palette", "size"} & {p.name for p, _ in only_grids}
    two = {p.name for p, _ in fitting_primitives([parse_type("Color"), parse_type("Indices")])}
    assert "recolor" in two and "fill" not in two


def test_arity_and_unknown_types() -> None:
    fill = get_primitive("fill")
    assert infer_call(fill, [parse_type("Grid")]) is None
    assert infer_call(fill, [ANY, ANY, ANY]) is parse_type("Grid")


def test_functions_nested_without_end_are_no_trouble() -> None:
    lines = ["f0 = compose(hmirror, hmirror)"]
    lines += [f"f{i} = compose(f{i - 1}, f{i - 1})" for i in range(1, 400)]
    _, warnings = infer_text(*lines, "x = f20(I)")
    assert not warnings
    _, warnings = infer_text(*lines, "x = f399(I)")
    assert len(warnings) == 1


@pytest.mark.parametrize(
    "text", ["Grid", "a -> ", "(a -> b, c", "Grud -> Grid", "a, -> b", "a -> b c"]
)
def test_signatures_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="signature"):
        parse_signature(text)


def test_signatures_print_as_they_read() -> None:
    for text in ("(a -> b), C[a] -> C[b]", "Grid, Color, Patch -> Grid", "C[D[a]] -> C[a]"):
        assert str(parse_signature(text)) == text


def test_closed_types_bind_nothing_and_data_fits_itself() -> None:
    patterns = [
        term
        for primitive in all_primitives().values()
        for signature in primitive.signatures
        for term in (*signature.parameters, signature.result)
    ]
    assert {term.is_closed for term in patterns} == {True, False}
    ground = {term for term in patterns if term.is_ground} | {ANY}
    for pattern in dict.fromkeys(patterns):
        for actual in ground:
            for strict in (False, True):
                bindings: Bindings = {}
                is_fit = fits(pattern, actual, bindings, infer_invocation, strict)
                assert not (pattern.is_closed and bindings), pattern
                assert is_fit or actual is not pattern
        for substituted in ({}, {"a": GRID}):
            assert not pattern.is_ground or substitute(pattern, substituted) is pattern


def test_plain_parameters_come_before_functions() -> None:
    assert parse_signature("(a -> b), C[a] -> C[b]").order == (1, 0)
    assert parse_signature("C[(a -> b)], a, a -> b").order == (1, 2, 0)
    assert parse_signature("Grid, Color -> Grid").order == (0, 1)
