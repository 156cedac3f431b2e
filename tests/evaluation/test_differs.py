"""Differs: full scores for the target only, the same by engine and reference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt.checking.differ_scores import ScoredDemo, credit_of, score_demos
from arcbatt.engine import _engine
from arcbatt.engine.batt import Batt, ContinuedBatt
from arcbatt.engine.graph.samples import Grid, Samples
from arcbatt.evaluation import TaskBoard
from arcbatt.evaluation.differs import (
    BEST_SCORE,
    Differ,
    bundled_differs,
    score_batt,
    score_programs,
)
from arcbatt.language import Failure, Program, Value, interpret, parse_program
from arcbatt.language.infer import infer
from arcbatt.language.ir import constant, input_node, replace_input
from arcbatt.language.registry import primitive, withdraw_user_primitive
from arcbatt.library import differ_files, library_differs, library_programs
from arcbatt.tasks import load
from tests.conftest import grids, values

DIFFERS = {differ.name: differ for differ in bundled_differs()}
each_differ = pytest.mark.parametrize("name", DIFFERS)


def judge_program(differ: Differ, program: Program) -> Program:
    """Return the program of a differ's pair, score and element, for a program's output."""
    return Program(replace_input(differ.program.result, "output", program.result))


def outcome(name: str, output: Value, target: Grid, before: Grid = ((0,),)) -> Value | Failure:
    inputs: dict[str, Value] = {
        "S": ((before, target),),
        "I": before,
        "output": output,
        "target": target,
    }
    return interpret(DIFFERS[name].program, inputs).outcome


def score(name: str, output: Value, target: Grid, before: Grid = ((0,),)) -> int:
    found = outcome(name, output, target, before)
    assert isinstance(found, tuple) and isinstance(found[0], int)
    return found[0]


# --- the bundled differs ---


def test_there_are_enough_and_each_has_a_weight() -> None:
    assert len(library_differs()) >= 10
    assert [parsed.name for parsed in library_differs()] == [d.name for d in bundled_differs()]
    assert all(path.read_text("utf-8").startswith("# Differs ") for path in differ_files())


@each_differ
def test_a_differ_is_typed_and_reads_output_and_target(name: str) -> None:
    program = DIFFERS[name].program
    assert program.inputs == ("S", "I", "output", "target")
    typing = infer(program)
    assert not typing.warnings


def test_the_target_itself_has_the_best_score_on_every_training_demo() -> None:
    inputs, targets, demos = [], [], []
    for task in load("arc-agi-1/training"):
        pairs = tuple((demo.input, demo.output) for demo in task.demos)
        inputs += [demo.input for demo in task.demos]
        targets += [demo.output for demo in task.demos]
        demos += [pairs] * len(pairs)
    right = Program(input_node("target"), "right")
    batt = Batt(score_programs(bundled_differs(), [right]))
    result = batt.run(Samples(inputs, targets, demos), device="cpu")
    assert (result.numbers == BEST_SCORE).all()


# One wrong output per differ: the target, the output, the score, the picked element.
BEFORE: Grid = ((0, 0, 0), (0, 5, 0), (0, 0, 0))
TARGET: Grid = ((0, 0, 2), (0, 5, 0), (3, 0, 0))
FAULTS: dict[str, tuple[Grid, int, Value]] = {
    "differ_size": (TARGET[:2], 666, (1, 0)),
    "differ_cells": (((0, 0, 2), (0, 5, 0), (0, 0, 0)), 800, frozenset({(3, (2, 0))})),
    "differ_changes": (
        ((0, 0, 2), (0, 0, 0), (0, 0, 0)),
        333,
        frozenset({(1, 1), (2, 0)}),
    ),
    "differ_box": (((0, 0, 2), (0, 4, 0), (0, 0, 0)), 750, frozenset({(4, (1, 1))})),
    "differ_colors_missing": (BEFORE, 500, frozenset({2, 3})),
    "differ_colors_extra": (((0, 8, 2), (9, 5, 7), (3, 0, 0)), 571, frozenset({7, 8, 9})),
    "differ_color_counts": (((2, 2, 2), (0, 5, 0), (3, 0, 0)), 500, frozenset({0, 2})),
    "differ_recolored": (
        ((1, 1, 4), (1, 4, 1), (8, 1, 1)),
        777,
        frozenset({(0, 2), (1, 1)}),
    ),
    "differ_objects_missing": (
        ((0, 0, 2), (0, 5, 0), (0, 0, 0)),
        666,
        frozenset({frozenset({(3, (2, 0))})}),
    ),
    "differ_objects_extra": (
        ((0, 0, 2), (0, 5, 0), (3, 0, 1)),
        750,
        frozenset({frozenset({(1, (2, 2))})}),
    ),
    "differ_shapes": (((0, 2, 2), (0, 0, 0), (0, 0, 0)), 0, frozenset({frozenset({(0, 0)})})),
    "differ_turned": (((0, 0, 2), (0, 5, 0), (0, 0, 0)), 0, 7),
    "differ_shifted": (
        ((0, 0, 0, 0), (0, 0, 0, 2), (0, 0, 5, 0), (0, 4, 0, 0)),
        500,
        frozenset({(3, (2, 0))}),
    ),
}


@each_differ
def test_a_wrong_output_has_less_and_what_is_wrong_is_picked(name: str) -> None:
    output, wanted_score, element = FAULTS[name]
    assert score(name, TARGET, TARGET, BEFORE) == BEST_SCORE
    assert outcome(name, output, TARGET, BEFORE) == (wanted_score, element)


def test_what_a_differ_forgives() -> None:
    assert outcome("differ_turned", ((3, 4), (1, 2)), ((1, 2), (3, 4))) == (BEST_SCORE, 0)
    assert score("differ_recolored", ((1, 1, 6), (1, 7, 1), (8, 1, 1)), TARGET) == BEST_SCORE
    moved = ((0, 0, 0, 0), (0, 0, 0, 2), (0, 0, 5, 0), (0, 3, 0, 0))
    assert score("differ_shifted", moved, TARGET) == BEST_SCORE
    assert score("differ_shapes", ((4, 0, 0), (0, 0, 4), (0, 0, 0)), TARGET) == BEST_SCORE
    assert score("differ_box", ((0, 0, 0), (0, 5, 0), (0, 0, 0)), TARGET) == BEST_SCORE
    assert score("differ_color_counts", ((0, 2, 0, 3, 0, 0, 5, 0, 0),), TARGET) == BEST_SCORE


def test_nothing_to_change_and_nothing_drawn() -> None:
    blank = ((0, 0), (0, 0))
    for name in DIFFERS:
        assert score(name, blank, blank, blank) == BEST_SCORE
    assert score("differ_changes", ((0, 1), (0, 0)), blank, blank) == 0
    assert score("differ_objects_extra", ((0, 1), (0, 0)), blank, blank) == 0
    assert score("differ_shifted", ((0, 1), (0, 0)), blank, blank) == 0
    assert score("differ_box", ((1, 1), (1, 1)), blank, blank) == 0


@pytest.mark.parametrize("sides", [(31, 30), (30, 31), (40, 40)])
def test_an_output_larger_than_any_target_is_wrong_though_it_is_cut(sides: tuple[int, int]) -> None:
    target = ((1,) * 30,) * 30
    output = ((1,) * sides[1],) * sides[0]
    assert score("differ_size", output, target) < BEST_SCORE
    assert score("differ_cells", output, target) < BEST_SCORE
    assert score("differ_recolored", output, target) < BEST_SCORE
    assert score("differ_turned", output, target) == 0


# --- any grids, any values ---


@given(grids(), grids(), grids())
@settings(max_examples=100)
def test_scores_are_scores_and_engine_and_reference_agree(
    before: Grid, output: Grid, target: Grid
) -> None:
    check(before, output, target)


@given(grids(4), values, grids(4))
@settings(max_examples=100)
def test_any_value_for_an_output(before: Grid, output: Value, target: Grid) -> None:
    check(before, output, target)


@pytest.mark.slow
@given(grids(6), st.data())
def test_grids_that_are_nearly_equal(target: Grid, data: st.DataObject) -> None:
    row = data.draw(st.integers(0, len(target) - 1))
    column = data.draw(st.integers(0, len(target[0]) - 1))
    cells = [list(cells) for cells in target]
    cells[row][column] = data.draw(st.integers(0, 9))
    check(target, tuple(map(tuple, cells)), target)


def check(before: Grid, output: Value, target: Grid) -> None:
    """Check that engine and reference agree, and that scores are in range."""
    differs = bundled_differs()
    pairs = ((before, target),)
    fixed = Program(constant(output), "fixed")
    whole = [judge_program(differ, fixed) for differ in differs]
    batt = Batt([*whole, *score_programs(differs, [fixed])])
    result = batt.run(Samples([before], [target], [pairs]), device="cpu", keep_values=True)
    for k, differ in enumerate(differs):
        inputs: dict[str, Value] = {"S": pairs, "I": before, "output": output, "target": target}
        wanted = interpret(differ.program, inputs).outcome
        got = result.outcome(k, 0)
        # The element fails only if the score does, so running the score alone misses no failure.
        alone = result.numbers[len(differs) + k, 0]
        if isinstance(wanted, Failure):
            assert isinstance(got, Failure) and got.reason == wanted.reason
            assert alone == _engine.NO_NUMBER
        else:
            assert got == wanted
            assert isinstance(wanted, tuple)
            assert wanted[0] == alone == result.numbers[k, 0]
            assert 0 <= alone <= BEST_SCORE
    is_right = output == target
    cells = list(DIFFERS).index("differ_cells")
    assert (result.numbers[cells, 0] == BEST_SCORE) == is_right


# --- differs and programs together ---


def test_scores_of_programs_stand_by_program_then_differ() -> None:
    task = load("arc-agi-1/training")["00d62c1b"]
    pairs = tuple((demo.input, demo.output) for demo in task.demos)
    samples = Samples([a for a, _ in pairs], [b for _, b in pairs], [pairs] * len(pairs))
    solvers = [parsed.program for parsed in library_programs()[:20]]
    differs = bundled_differs()[3:6]
    scoring = score_programs(differs, solvers)
    assert [program.result for program in scoring] == [
        judge_program(differ, solver).result.args[0] for solver in solvers for differ in differs
    ]
    numbers = Batt(scoring).run(samples, device="cpu").numbers
    numbers = numbers.reshape(len(solvers), len(differs), len(pairs))
    for s, solver in enumerate(solvers):
        for d, differ in enumerate(differs):
            for k, (before, target) in enumerate(pairs):
                inputs: dict[str, Value] = {"S": pairs, "I": before, "target": target}
                found = interpret(judge_program(differ, solver), inputs).outcome
                wanted = _engine.NO_NUMBER if isinstance(found, Failure) else found[0]  # type: ignore[index]
                assert numbers[s, d, k] == wanted


def test_scores_without_nodes_are_those_of_the_programs() -> None:
    board = TaskBoard(load("arc-agi-1/training")[::80], device="cpu", n_threads=1)
    solvers = [parsed.program for parsed in library_programs()[::9]]
    careless = parse_program(
        "def careless(S, I, output, target):\n    return astuple(size(target), I)\n"
    )
    for differs in (bundled_differs(), bundled_differs()[:1], (Differ(careless, 1),)):
        plain, quick = Batt(score_programs(differs, solvers)), score_batt(differs, solvers)
        assert isinstance(quick, ContinuedBatt)
        only = np.arange(quick.n_programs) % len(board)
        wanted, got = (board.screen(batt, only=only, held_out=True) for batt in (plain, quick))
        for name in ("reasons", "n_matches", "hashes", "steps", "numbers"):
            assert (getattr(wanted, name) == getattr(got, name)).all(), name
        # It has everything that other batts have.
        assert quick.programs == plain.programs and quick.size == plain.size
        assert (
            board.screen(quick, held_out=True).hashes == board.screen(plain, held_out=True).hashes
        ).all()
        with pytest.raises(AttributeError, match="no attribute 'odd'"):
            quick.odd  # type: ignore[attr-defined]  # noqa: B018


def test_what_calls_own_primitives_is_scored_by_the_definitions() -> None:
    @primitive("Grid -> Grid")
    def twice(grid: Grid) -> Grid:
        return tuple(row + row for row in grid)

    try:
        own = parse_program("def solve(I):\n    return twice(I)\n")
        batt = score_batt(bundled_differs()[:2], [own])
        assert not isinstance(batt, ContinuedBatt) and batt.is_defined.all()
    finally:
        withdraw_user_primitive("twice")


def test_a_differ_must_return_a_pair_and_weigh_something() -> None:
    no_pair = parse_program("def differ(S, I, output, target):\n    return size(output)\n")
    with pytest.raises(ValueError, match="must return astuple"):
        Differ(no_pair, 1)
    with pytest.raises(ValueError, match="less than 1"):
        Differ(DIFFERS["differ_size"].program, 0)


# --- credit ---


def scored(*scores: Sequence[int]) -> list[ScoredDemo]:
    """Return demos with scores of the first two differs, and 0 for the others."""
    names = [differ.name for differ in bundled_differs()]
    return [
        ScoredDemo(
            load("arc-agi-1/training")[0].demos[0],
            ((0,),),
            {name: (of[k] if k < len(of) else 0, ()) for k, name in enumerate(names)},
        )
        for of in scores
    ]


def test_the_credit_is_the_weighted_mean_over_differs_and_demos() -> None:
    first, second = (differ.weight for differ in bundled_differs()[:2])
    whole = sum(differ.weight for differ in bundled_differs())
    assert credit_of(scored([1000, 0])) == 1000 * first // whole
    assert credit_of(scored([1000, 0], [0, 500])) == (1000 * first + 500 * second) // (2 * whole)


def test_full_credit_only_for_full_scores() -> None:
    full = [1000] * len(bundled_differs())
    assert credit_of(scored(full, full)) == 1000
    assert credit_of(scored(full, [*full[:-1], 999])) == 999


def test_a_solver_has_full_credit_and_a_near_one_nearly_so() -> None:
    task = load("arc-agi-1/training")["00d62c1b"]
    (solver,) = (p.program for p in library_programs() if p.name == "solve_00d62c1b")
    assert credit_of(score_demos(solver, task)) == BEST_SCORE
    near = parse_program(
        "def near(I):\n"
        "    gaps = colorfilter(objects(I, T, F, F), BLACK)\n"
        "    return fill(I, YELLOW, argmin(gaps, size))\n"
    )
    same = parse_program("def same(I):\n    return I\n")
    failing = parse_program("def failing(I):\n    return first(EMPTY)\n")
    credits = [credit_of(score_demos(program, task)) for program in (near, same, failing)]
    assert BEST_SCORE > credits[0] > credits[1] > credits[2] == 0
