"""The text of batts, and slices of it: all read back as the same programs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import (
    Node,
    Program,
    ProgramError,
    format_batt,
    format_program,
    ir,
    parse_program,
)
from arcbatt.library import library_programs
from tests.conftest import numbers, programs
from tests.support.self_check import BattText

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


def test_a_result_that_is_no_call() -> None:
    for result in (GRID, ir.constant(3), ir.primitive_node("size")):
        program = Program(result)
        assert BattText(format_batt([program])).slice(0) == format_program(program)


@pytest.mark.slow
@given(st.lists(any_programs, min_size=1, max_size=6))
def test_slices_are_the_programs_of_the_batt(members: list[Program]) -> None:
    batt = BattText(format_batt(members))
    assert len(batt) == len(members)
    for place, program in enumerate(members):
        text = batt.slice(place)
        again = parse_program(text)
        assert again.result is program.result
        assert again.name == program.name
        # One line per call, the head and the last line: nothing of other programs.
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
