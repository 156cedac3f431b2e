"""Inlined text, the text of batts, and slices of it: all read back as the same programs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.evaluation.slicing import BattText
from arcbatt.language import (
    Node,
    Program,
    ProgramError,
    format_batt,
    format_inlined,
    format_program,
    ir,
    parse_program,
)
from arcbatt.language.parse import MAX_COLUMNS
from arcbatt.language.text import MAX_REPEATED_COLUMNS
from arcbatt.library import library_programs

from .conftest import numbers, programs

GRID = ir.input_node("I")
BINARY = ("hconcat", "vconcat", "combine", "add", "rbind", "compose")

# Plain data that program text can hold: long and nested constants too.
literals = st.recursive(
    numbers | st.booleans(),
    lambda inner: st.lists(inner, max_size=5).map(tuple) | st.frozensets(inner, max_size=5),
    max_leaves=20,
)


@st.composite
def graphs(draw: st.DrawFn) -> Program:
    """Programs of any form, typed or not: heavy sharing, function values that are called."""
    nodes: list[Node] = [ir.input_node(name) for name in draw(st.sampled_from(ir.SIGNATURES))]
    nodes += [ir.constant(value) for value in draw(st.lists(literals, max_size=3))]
    for _ in range(draw(st.integers(0, 25))):
        some = st.sampled_from(nodes[-4:]) | st.sampled_from(nodes)
        if draw(st.integers(0, 3)):
            made = ir.call_node(draw(st.sampled_from(BINARY)), draw(some), draw(some))
        else:
            function = draw(some.filter(lambda node: node.kind != "constant"))
            made = ir.invoke_node(function, *draw(st.lists(some, min_size=1, max_size=3)))
        nodes.append(made)
    return Program(nodes[-1], draw(st.sampled_from(("solve", "solve_0a1b2c3d", "x1", "O"))))


any_programs = programs | graphs()


def repeat(node: Node, n_levels: int) -> Node:
    """Every level uses the one below it twice: as an expression it would have 2**n_levels parts."""
    for _ in range(n_levels):
        node = ir.call_node("hconcat", node, node)
    return node


@given(any_programs)
def test_inlined_text_is_the_same_program(program: Program) -> None:
    text = format_inlined(program)
    again = parse_program(text)
    assert again.result is program.result
    assert again.name == program.name
    assert format_inlined(again) == text


@given(any_programs)
def test_inlined_text_has_no_more_lines_than_calls_and_constants(program: Program) -> None:
    n_lines = format_inlined(program).count("\n")
    assert n_lines <= 2 + sum(
        node.kind in ("call", "invoke", "constant") for node in program.nodes()
    )


def test_what_is_used_once_or_short_is_written_in_place() -> None:
    text = """
def solve(I):
    x1 = vmirror(I)
    x2 = hconcat(I, x1)
    O = vconcat(x1, x2)
    return O
"""
    inlined = "def solve(I):\n    return vconcat(vmirror(I), hconcat(I, vmirror(I)))\n"
    assert format_inlined(parse_program(text)) == inlined


def test_what_is_long_and_used_again_gets_a_name() -> None:
    long = "hconcat(vmirror(I), hmirror(I))"
    assert len(long) > MAX_REPEATED_COLUMNS
    text = f"def solve(I):\n    x1 = {long}\n    return vconcat(x1, rot90(x1))\n"
    assert format_inlined(parse_program(text)) == text
    constant = "((1, 2), (3, 4), (5, 6), (7, 8))"
    text = f"def solve(I):\n    x1 = {constant}\n    return vconcat(x1, rot90(x1))\n"
    assert format_inlined(parse_program(text)) == text


def test_a_result_that_is_no_call() -> None:
    for result, shown in (
        (GRID, "I"),
        (ir.constant(3), "THREE"),
        (ir.primitive_node("size"), "size"),
    ):
        program = Program(result)
        assert format_inlined(program) == f"def solve(I):\n    return {shown}\n"
        assert BattText(format_batt([program])).slice(0) == format_program(program)


@pytest.mark.parametrize("n_levels", [60, 1000])
def test_shared_nodes_do_not_blow_up(n_levels: int) -> None:
    program = Program(repeat(GRID, n_levels))
    text = format_inlined(program)
    assert len(text) < 40 * n_levels
    assert parse_program(text) == program


def test_length_is_bounded_by_the_number_of_nodes() -> None:
    lengths = [len(format_inlined(Program(repeat(GRID, n)))) for n in (300, 400, 500)]
    # Names have as many digits from 100 to 999, so every level adds the same.
    assert lengths[2] - lengths[1] == lengths[1] - lengths[0]


def test_deep_and_long_programs_stay_readable_text() -> None:
    node = GRID
    for _ in range(3000):
        node = ir.call_node("vmirror", node)
    assert parse_program(format_inlined(Program(node))).result is node
    parts = [ir.call_node("canvas", ir.constant(n % 10), ir.constant((n, n))) for n in range(2000)]
    while len(parts) > 1:
        parts = [
            ir.call_node("hconcat", *pair) for pair in zip(parts[::2], parts[1::2], strict=False)
        ]
    text = format_inlined(Program(parts[0]))
    assert len(text) > MAX_COLUMNS
    assert max(map(len, text.split("\n"))) <= MAX_COLUMNS
    assert parse_program(text).result is parts[0]


@given(st.lists(any_programs, min_size=1, max_size=6))
def test_slices_are_the_programs_of_the_batt(members: list[Program]) -> None:
    batt = BattText(format_batt(members))
    assert len(batt) == len(members)
    for place, program in enumerate(members):
        text = batt.slice(place)
        again = parse_program(text)
        assert again.result is program.result
        assert again.name == program.name
        # One line for each call, the head and the line that returns: nothing of the others.
        assert text.count("\n") == program.n_calls + 2
        assert text.splitlines()[0] == format_program(program).splitlines()[0]


def test_a_batt_has_every_call_once() -> None:
    members = [program.program for program in library_programs()]
    lines = format_batt(members).splitlines()
    calls = {node for program in members for node in program.nodes() if node.args}
    assert len(lines) == 1 + len(calls) + len(members)
    expressions = [line.split(" = ")[1] for line in lines[1 : 1 + len(calls)]]
    assert len(set(expressions)) == len(calls)
    batt = BattText("\n".join(lines))
    for place, program in enumerate(members):
        assert parse_program(batt.slice(place)).result is program.result


def test_text_that_is_no_batt_is_refused_with_its_line() -> None:
    with pytest.raises(ProgramError, match="1:1: expected the first line of a batt"):
        BattText(format_program(Program(GRID)))
    with pytest.raises(ProgramError, match=r"2:1: expected x1 = "):
        BattText("def batt(I):\n    import os\n")
    with pytest.raises(ProgramError, match="first line"):
        BattText("")
