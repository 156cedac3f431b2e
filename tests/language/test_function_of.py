"""Functions of a program's input, as nodes: they have the values of the program."""

from __future__ import annotations

import pytest

from arcbatt.engine.batt import Batt
from arcbatt.engine.graph.samples import Samples
from arcbatt.language import Program, interpret, parse_program
from arcbatt.language.function_of import function_of
from arcbatt.language.infer import infer
from arcbatt.language.ir import call_node, constant, input_node
from arcbatt.library import library_programs
from arcbatt.tasks import find_task

GRIDS = (((1, 2), (3, 4)), ((5, 0, 5),))
DEMOS = (((((3, 3, 5),), ((3,),))), ((((5, 4, 4),), ((4,),))))


def function_in(lines: str) -> Program | None:
    """Return a program that applies the function of these lines, which assign O, to grids."""
    program = parse_program(f"def solve(S, I):\n{lines}\n    return O\n")
    function = function_of(program.result, "I")
    if function is None:
        return None
    applied = Program(call_node("apply", function, constant(GRIDS)))
    assert not infer(applied).warnings
    for k, grid in enumerate(GRIDS):
        alone = interpret(program, {"I": grid, "S": DEMOS}).outcome
        together = interpret(applied, {"I": grid, "S": DEMOS}).outcome
        assert together[k] == alone  # type: ignore[index]
    result = Batt([applied]).run(Samples([GRIDS[0]], [None], [DEMOS]), device="cpu")
    assert result.reasons[0, 0] == 0
    return applied


@pytest.mark.parametrize(
    "lines",
    [
        "    O = vmirror(I)",
        "    x = vmirror(I)\n    O = hconcat(I, x)",
        "    x = square(I)\n    y = vmirror(I)\n    O = branch(x, 7, y)",
        "    x = shape(I)\n    y = astuple(ORIGIN, I)\n    z = tile(y, x, 0)\n    O = last(z)",
        "    x = vmirror(I)\n    y = from_roles(S, I, x)\n    O = swap_ground(S, I, y, 1)",
        "    f = rbind(multiply, 2)\n    g = lbind(apply, f)\n    O = apply(g, I)",
        "    f = compose(vmirror, hmirror)\n    O = f(I)",
    ],
)
def test_a_function_gives_what_the_program_gives(lines: str) -> None:
    assert function_in(lines) is not None


@pytest.mark.parametrize(
    "lines",
    [
        "    x = mostcolor(I)\n    y = leastcolor(I)\n    O = replace(I, x, y)",
        "    x = mostcolor(I)\n    y = asindices(I)\n    O = fill(I, x, y)",
        "    x = mostcolor(I)\n    f = rbind(canvas, (2, 2))\n    g = lbind(f, x)\n    O = g(I)",
        "    O = canvas(0, (2, 2))",
    ],
)
def test_what_cannot_be_written_has_no_function(lines: str) -> None:
    program = parse_program(f"def solve(S, I):\n{lines}\n    return O\n")
    assert function_of(program.result, "I") is None


def test_functions_of_bundled_programs_give_what_these_give() -> None:
    n_tried = 0
    for parsed in library_programs():
        task = find_task(parsed.name.removeprefix("solve_"))
        function = function_of(parsed.program.result, "I")
        if function is None or task is None:
            continue
        n_tried += 1
        inputs = [demo.input for demo in task.demos]
        pairs = tuple((demo.input, demo.output) for demo in task.demos)
        applied = Program(call_node("apply", function, constant(tuple(inputs))))
        both = Batt([parsed.program, applied]).run(
            Samples(inputs, [None] * len(inputs), [pairs] * len(inputs)),
            device="cpu",
            n_threads=1,
            keep_values=True,
        )
        alone = tuple(both.outcome(0, k) for k in range(len(inputs)))
        assert both.outcome(1, 0) == alone
    assert n_tried > 10


def test_an_input_is_the_identity() -> None:
    function = function_of(input_node("I"), "I")
    assert function is not None and function.name == "identity"
