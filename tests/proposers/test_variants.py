"""Variants: all programs one change away from a program, and their use on other tasks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.evaluation import TaskBoard
from arcbatt.language import Program, format_program, parse_program
from arcbatt.language.infer import fits_type, infer
from arcbatt.language.types import GRID
from arcbatt.library import library_programs
from arcbatt.pool import Pool, PoolProgram
from arcbatt.proposers import known
from arcbatt.proposers.evolve.mutation import VARIANTS, variants
from arcbatt.proposers.known import KnownProposer
from arcbatt.proposers.proposer import smallest_programs
from arcbatt.solving import Loop
from arcbatt.tasks import Task
from tests.conftest import programs
from tests.support.search import FOREVER_S, training

LIBRARY = [parsed.program for parsed in library_programs()]
FILL = "def solve(I):\n    cells = ofcolor(I, 8)\n    O = fill(I, 3, cells)\n    return O\n"
kinds = st.sampled_from(tuple(VARIANTS))


def is_made(text: str, kind: str, wanted: str) -> bool:
    program = parse_program(f"def f(S, I):\n    return {text}\n")
    other = parse_program(f"def f(S, I):\n    return {wanted}\n")
    return any(mutant.program == other for mutant in variants(program, kind))


@given(st.one_of(st.sampled_from(LIBRARY), programs), kinds)
def test_variants_are_well_typed_grids_and_distinct(parent: Program, kind: str) -> None:
    made = [mutant for _, mutant in zip(range(200), variants(parent, kind, LIBRARY), strict=False)]
    assert len({mutant.program.result for mutant in made}) == len(made)
    for mutant in made:
        assert mutant.kind == kind and mutant.parents[0] == parent
        assert mutant.program != parent
    for mutant in made[:5]:
        typing = infer(mutant.program)
        assert not typing.warnings and fits_type(GRID, typing.result)
        assert parse_program(format_program(mutant.program)) == mutant.program


@pytest.mark.parametrize(
    ("kind", "text", "wanted"),
    [
        ("demo_color", "replace(I, 8, 3)", "replace(I, 8, c_zo_n(S, p_g, first))"),
        (
            "demo_color",
            "replace(I, 8, 8)",
            "replace(I, c_iz_n(S, p_g, last), c_iz_n(S, p_g, last))",
        ),
        (
            "two_colors",
            "replace(I, 8, 3)",
            "replace(I, get_color_rank(I, 1), c_zo_n(S, p_g, first))",
        ),
        ("generalize", "replace(I, 8, 3)", "replace(I, get_color_rank(I, -1), 3)"),
        ("delete", "vmirror(hmirror(I))", "hmirror(I)"),
        ("finish", "replace(I, 8, 3)", "vmirror(replace(I, 8, 3))"),
    ],
)
def test_each_kind_makes_what_it_says(kind: str, text: str, wanted: str) -> None:
    assert is_made(text, kind, wanted)


def test_a_color_changes_in_all_its_places_but_a_count_does_not() -> None:
    text, rank = "replace(hupscale(I, 3), 3, 0)", "get_color_rank(I, 1)"
    assert is_made(text, "generalize", f"replace(hupscale(I, 3), {rank}, 0)")
    assert not any(
        "hupscale(x1" in format_program(mutant.program)
        for mutant in variants(parse_program(f"def f(I):\n    return {text}\n"), "generalize")
    )
    both = "fill(replace(I, 3, 0), 3, ofcolor(I, 5))"
    assert is_made(both, "generalize", both.replace("3", rank))
    assert not is_made(both, "generalize", both.replace("3", rank, 1))


def test_programs_in_sequence_are_short_and_only_the_first_looks_at_demos() -> None:
    def made(body: str) -> Program:
        return parse_program(f"def f(S, I):\n    return {body}\n")

    turn, learn = made("rot90(I)"), made("replace(I, 8, c_zo_n(S, p_g, first))")
    long = made("rot90(" * 7 + "I" + ")" * 7)
    known = [turn, learn, long]
    found = list(variants(turn, "sequence", known)) + list(variants(learn, "sequence", known))
    assert [mutant.program for mutant in found] == [
        made("rot90(replace(I, 8, c_zo_n(S, p_g, first)))")
    ]
    assert found[0].parents == (learn, turn)
    assert not list(variants(long, "sequence", known))
    assert not list(variants(turn, "sequence"))


# --- the proposer ---


def recolored(task: Task) -> Task:
    """Return the same task with other colors: 8 becomes 6, and 3 becomes 7."""
    other = {8: 6, 3: 7, 6: 8, 7: 3}

    def changed(grid: Any) -> Any:
        return tuple(tuple(other.get(cell, cell) for cell in row) for row in grid)

    return Task.of(
        [(changed(demo.input), changed(demo.output)) for demo in task.demos],
        [changed(grid) for grid in task.test_inputs],
    )


def fill_task() -> Task:
    """Cells of 8 become 3."""

    def pair(*rows: str) -> tuple[Any, Any]:
        grid = tuple(tuple(map(int, row)) for row in rows)
        return grid, tuple(tuple(3 if cell == 8 else cell for cell in row) for row in grid)

    return Task.of([pair("0810", "0085"), pair("888", "010")], [((0, 8), (8, 1))])


def loop_of(proposer: KnownProposer, task: Task, pool: Pool) -> Loop:
    loop = Loop(TaskBoard([task], device="cpu", n_threads=1), pool, [proposer])
    loop.run(FOREVER_S)
    return loop


def test_variants_find_the_rule_with_other_colors() -> None:
    task = recolored(fill_task())
    with Pool.in_memory() as pool:
        parent = parse_program(FILL)
        pool.add_programs([PoolProgram.of(parent, "library")])
        loop = loop_of(KnownProposer(), task, pool)
        best = loop.candidates(task).kept[0]
        assert best.fits and best.trial.outputs == (((0, 7), (7, 1)),)
        row = pool.get(best.program.result.digest)
        assert row is not None and row.parents == (parent.result.digest,)
        assert row.origin in VARIANTS
        counts = loop.parts()["known"]
        assert counts["two_colors"]["fitted"] == 1 and counts["two_colors"]["tried"] > 0
        # Later kinds are not tried on a fitted task.
        assert counts["delete"] == {"tried": 0, "fitted": 0}
        loop.save()
        assert loop_of(KnownProposer(), task, pool).parts()["known"] == counts
    with Pool.in_memory() as pool:
        pool.add_programs([PoolProgram.of(parent, "library")])
        loop = loop_of(KnownProposer(frozenset({"variants"})), task, pool)
        assert not loop.candidates(task).fits and not loop.parts()


def test_programs_get_more_steps_where_quick_ones_fit_nothing() -> None:
    expensive = parse_program("""
def expensive(I):
    x1 = asindices(canvas(0, (12, 12)))
    x2 = greater(size(product(x1, x1)), 0)
    return branch(x2, vmirror(I), I)
""")
    cheap = parse_program("def cheap(I):\n    return vmirror(I)\n")
    (task,) = training("67a3c6ac")

    def programs_of(*known_ones: Program) -> set[Program]:
        with Pool.in_memory() as pool:
            pool.add_programs([PoolProgram.of(each, "library") for each in known_ones])
            loop = loop_of(KnownProposer(frozenset({"variants"})), task, pool)
            assert task.id in loop.done("known", known.SOME_DEMOS)
            return {each.program for each in loop.candidates(task).kept if each.fits}

    assert programs_of(expensive) == {expensive}
    assert programs_of(expensive, cheap) == {cheap}


def test_all_kinds_are_tried_on_unfitted_tasks() -> None:
    (task,) = training("44d8ac46")
    with Pool.in_memory() as pool:
        pool.add_programs([PoolProgram.of(parse_program(FILL), "library")])
        loop = loop_of(KnownProposer(), task, pool)
        assert all(loop.done("known", kind) for kind in VARIANTS)
        assert set(known.VARIED) == set(VARIANTS)


def test_the_smallest_of_many_programs_are_varied() -> None:
    texts = ("vmirror(hmirror(rot90(I)))", "replace(I, 8, 3)", "hmirror(I)")
    made = [parse_program(f"def f(I):\n    return {text}\n") for text in texts]
    assert smallest_programs(made, 2) == made[1:]
    assert smallest_programs(made[:2], 2) == made[:2]
