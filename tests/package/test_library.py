"""The bundled solver library: every program right on every pair of its task."""

from __future__ import annotations

import pytest

from arcbatt.checking import check_programs
from arcbatt.language import ParsedProgram, format_program, parse_program
from arcbatt.library import library_files, library_programs

KINDS = set(
    "colors counting cropping drawing framing gravity holes lines objects panels paths patterns"
    " scaling selection sorting symmetry templates tiling".split()
)


@pytest.mark.slow
@pytest.mark.parametrize("solver", library_programs(), ids=lambda solver: solver.name)
def test_every_solver_is_right(solver: ParsedProgram) -> None:
    (check,) = check_programs([solver])
    assert check.right, check.reason
    assert check.known is not None and check.known.task.source == "arc-agi-1/training"
    assert not check.warnings, [str(warning) for warning in check.warnings]
    assert parse_program(format_program(solver.program)) == solver.program


def test_the_library_spreads_over_the_kinds_of_tasks() -> None:
    assert {path.stem for path in library_files()} == KINDS
    assert len(library_programs()) == 399
    assert all(text.count("\ndef ") >= 5 for text in (p.read_text() for p in library_files()))


def test_each_task_has_one_solver() -> None:
    names = [solver.name for solver in library_programs()]
    assert len(set(names)) == len(names)
    # A few tasks have the same rule.
    assert len({solver.program for solver in library_programs()}) == len(names) - 10


def test_solvers_state_the_rule_and_read_no_demos() -> None:
    assert not [solver.name for solver in library_programs() if "S" in solver.program.inputs]
