"""Programs as data: sharing, identity, and text that reads back as the same program."""

from __future__ import annotations

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import Program, format_program, ir, parse_program, parse_programs
from arcbatt.language.types import Type
from bench.random_programs import random_program
from tests.conftest import printed_with_any_hash_seed, programs

TEXT = """
def solve_demo(S, I):
    shapes = objects(I, T, F, without_bg=T)
    biggest = argmax(shapes, size)
    color_of = compose(first, first)
    spots = toindices(biggest)
    O = fill(I, color_of(S), spots)
    return O
"""
# Of TEXT, on every machine and Python version: a change here changes every stored hash.
TEXT_HASH = "1b5d646f665ea3f4a26d8afc6ea79d81"


@given(programs)
def test_text_and_back_is_the_identity(program: Program) -> None:
    text = format_program(program)
    again = parse_program(text)
    assert again == program
    assert again.result is program.result
    assert again.hash == program.hash
    assert format_program(again) == text


def test_equal_expressions_are_one_node() -> None:
    a = ir.call_node("hmirror", ir.input_node("I"))
    assert ir.call_node("hmirror_t", ir.input_node("I")) is a
    assert ir.invoke_node(ir.primitive_node("hmirror"), ir.input_node("I")) is a


@pytest.mark.slow
def test_threads_that_make_equal_expressions_at_a_time_make_one_node() -> None:
    n_threads, n_times, n_nodes = 4, 100, 200
    together = Barrier(n_threads)

    def make(_thread: int) -> list[ir.Node]:
        made = []
        for number in range(n_times):
            together.wait()
            made += [ir.constant((number, each)) for each in range(n_nodes)]
        return made

    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # so that threads get between each other everywhere
    try:
        with ThreadPoolExecutor(n_threads) as threads:
            made = list(threads.map(make, range(n_threads)))
    finally:
        sys.setswitchinterval(interval_s)
    assert all(len(set(same)) == 1 for same in zip(*made, strict=True))


def test_identity_is_that_of_the_canonical_form() -> None:
    plain = parse_program(
        "def f(I):\n    x1 = add(ONE, TWO)\n    O = canvas(x1, UNITY)\n    return O\n"
    )
    other = parse_program(
        "def g(S, I):\n    # a comment\n    dead = hmirror(I)\n"
        "    return canvas(dimensions=(1, 1), value=add(b=RED, a=F1))\n"
    )
    assert other == plain
    assert other.hash == plain.hash


def test_true_and_one_are_two_constants() -> None:
    assert ir.constant(True) is not ir.constant(1)
    assert ir.constant((True, 0)) is not ir.constant((1, 0))
    assert ir.constant((1, 0)) is ir.constant((1, 0))


def test_hash_is_fixed() -> None:
    assert parse_program(TEXT).hash == TEXT_HASH


def test_hash_does_not_depend_on_the_process() -> None:
    code = (
        "from arcbatt.language import parse_program\n"
        "from bench.random_programs import random_program\n"
        f"print(parse_program({TEXT!r}).hash)\n"
        "print(*[random_program(seed).hash for seed in range(20)])\n"
    )
    outputs = printed_with_any_hash_seed(code)
    assert outputs == {
        f"{TEXT_HASH}\n" + " ".join(random_program(seed).hash for seed in range(20)) + "\n"
    }


@given(st.lists(programs, max_size=6))
def test_different_programs_have_different_hashes(several: list[Program]) -> None:
    assert len({program.hash for program in several}) == len(set(several))


@given(programs)
def test_programs_can_be_pickled_and_copied(program: Program) -> None:
    assert pickle.loads(pickle.dumps(program)).result is program.result
    assert copy.deepcopy(program) == program


def test_nodes_that_nobody_holds_are_forgotten() -> None:
    # Numbers that no other test has: what others hold, or have left in cycles, does not count.
    numbers = [str(number) for number in range(314_159, 314_209)]

    def n_known() -> int:
        return sum(ir._interned.get(("constant", number, ())) is not None for number in numbers)

    node = ir.constant(271_828)
    for number in numbers:
        node = ir.call_node("add", node, ir.constant(int(number)))
    assert n_known() == len(numbers)
    del node
    ir.call_node("add", ir.constant(271_828), ir.constant(271_829))  # the next node
    assert n_known() == 0


def test_no_python_code_runs_when_a_node_or_type_goes() -> None:
    # An interrupt in such code would be swallowed.
    things: list[object] = [
        ir.call_node("subtract", ir.constant(271_828), ir.constant(314_159)),
        Type("number", (), "", range(271_828, 314_159)),
    ]
    events: list[str] = []
    sys.setprofile(lambda _frame, event, _arg: events.append(event))
    things.clear()
    sys.setprofile(None)
    assert "c_call" in events and "call" not in events


def test_nodes_come_in_evaluation_order() -> None:
    for seed in range(50):
        seen: set[ir.Node] = set()
        for node in random_program(seed, 12).nodes():
            assert node not in seen and set(node.args) <= seen
            seen.add(node)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ir.input_node("X"),
        lambda: ir.constant("text"),  # type: ignore[arg-type]
        lambda: ir.constant((1, [2])),  # type: ignore[arg-type]
        lambda: ir.call_node("hmiror", ir.input_node("I")),
        lambda: ir.call_node("hmirror"),
        lambda: ir.primitive_node("nothing"),
        lambda: ir.invoke_node(ir.input_node("I")),
    ],
)
def test_nodes_that_make_no_sense_are_refused(make: object) -> None:
    with pytest.raises(ValueError):
        make()  # type: ignore[operator]


def test_many_programs_in_one_text() -> None:
    text = "from dsl import *\nfrom constants import *\n\n" + "\n\n".join(
        format_program(random_program(seed)) for seed in range(30)
    )
    parsed = list(parse_programs(text, "many.py"))
    assert [p.program for p in parsed] == [random_program(seed) for seed in range(30)]
    assert [p.name for p in parsed] == [f"random_{seed}" for seed in range(30)]
    assert all(p.file == "many.py" for p in parsed)


def test_a_parsed_program_knows_its_lines() -> None:
    (parsed,) = parse_programs("\n" + TEXT)
    assert [(line, name) for line, name, _ in parsed.lines] == [
        (4, "shapes"),
        (5, "biggest"),
        (6, "color_of"),
        (7, "spots"),
        (8, "O"),
    ]
    assert parsed.lines[-1][2] is parsed.program.result
