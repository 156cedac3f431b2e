"""Checks of programs on their tasks: results, failing lines, costs, unknown tasks."""

import json
from pathlib import Path

import pytest

from arcbatt.checking import (
    CheckReport,
    ProgramCheck,
    check_program,
    check_programs,
    find_built_in,
    load_source,
)
from arcbatt.checking import programs as checking
from arcbatt.language import Budget, Failure, Reason, parse_programs
from arcbatt.library import library_files, library_programs
from arcbatt.tasks.program_names import task_id_of

MIRROR = "def solve_67a3c6ac(I):\n    x1 = vmirror(I)\n    return x1\n"


def check(text: str, **options: object) -> ProgramCheck:
    (found,) = check_programs(parse_programs(text, "mine.py"), **options)  # type: ignore[arg-type]
    return found


@pytest.mark.slow
def test_the_library_is_right_on_every_pair() -> None:
    assert library_files()
    wrong = [
        (each.program.name, each.reason)
        for each in check_programs(library_programs())
        if each.right is not True
    ]
    assert wrong == []


def test_a_right_program() -> None:
    found = check(MIRROR)
    task = find_built_in("67a3c6ac")
    assert task is not None
    assert found.right is True and found.is_fine and found.reason is None
    assert [pair.pair for pair in found.pairs] == [
        *(f"demo {k + 1}" for k in range(len(task.task.demos))),
        *(f"test {k + 1}" for k in range(len(task.task.test_inputs))),
    ]
    assert found.cost == max(pair.steps for pair in found.pairs)
    assert found.cost_sum == sum(pair.steps for pair in found.pairs)


def test_a_wrong_program_says_how_its_output_differs() -> None:
    same_size = check(MIRROR.replace("vmirror", "hmirror"))
    assert same_size.right is False
    assert {pair.result for pair in same_size.pairs} == {"wrong"}
    assert same_size.reason is not None and "differ" in same_size.reason
    other_size = check(MIRROR.replace("vmirror", "tophalf"))
    assert other_size.reason == "demo 1: gives grid 2x4, wanted grid 4x4"
    no_grid = check(MIRROR.replace("vmirror", "palette"))
    assert {pair.result for pair in no_grid.pairs} == {"wrong"}


def test_a_set_is_never_right() -> None:
    # Comparing a set with a tuple must not count as "not unequal".
    found = check("def solve_67a3c6ac(I):\n    x1 = asindices(I)\n    return x1\n")
    assert {pair.result for pair in found.pairs} == {"wrong"}


def test_the_first_failing_line_is_named() -> None:
    found = check(
        "# Comment.\n\ndef solve_67a3c6ac(I):\n"
        "    x1 = colorfilter(objects(I, T, F, T), 99)\n"
        "    x2 = shift(first(x1), DOWN)\n"
        "    x3 = paint(I, x2)\n"
        "    return x3\n"
    )
    assert {pair.result for pair in found.pairs} == {"failed"}
    assert (found.pairs[0].line, found.pairs[0].name) == (5, "x2")
    assert found.reason is not None
    assert found.reason.startswith("line 5, x2: empty: ")


def test_a_failure_in_the_return_line_is_named() -> None:
    found = check("def solve_67a3c6ac(I):\n    x1 = EMPTY\n    return first(x1)\n")
    assert found.pairs[0].name == "return"
    assert found.reason is not None and found.reason.startswith("line 3, return: empty: ")


def test_a_type_warning_has_the_line_of_its_call() -> None:
    found = check(
        "def solve_nowhere(I):\n    x1 = vmirror(I)\n    x2 = fill(x1, I, 3)\n    return x2\n"
    )
    (warning,) = found.warnings
    assert (warning.line, warning.name) == (3, "x2")
    assert "fill cannot take" in warning.message
    assert found.right is None and not found.is_fine


@pytest.mark.parametrize("name", ["solve_nowhere", "mirror"])
def test_a_program_without_a_known_task_is_typed_only(name: str) -> None:
    found = check(MIRROR.replace("solve_67a3c6ac", name))
    assert found.right is None and found.is_fine and found.pairs == ()
    assert found.to_json()["right"] is None
    assert found.to_json()["cost"] is None


def test_similar_names_are_only_sought_for_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    # Searching all ids for each of many programs would take far too long.
    def fail(*_: object, **__: object) -> list[str]:
        raise AssertionError("looked for names that are alike")

    monkeypatch.setattr("difflib.get_close_matches", fail)
    assert check(MIRROR.replace("67a3c6ac", "67a3c6ab")).right is None


def test_booleans_are_the_numbers_0_and_1() -> None:
    # 1 and T are the same value, so a grid of T is a grid of blue cells.
    known = find_built_in("67a3c6ac")
    text = MIRROR.replace("vmirror(I)", "replace(vmirror(I), 1, T)")
    (program,) = parse_programs(text)
    assert any(1 in row for grid in known.task.test_inputs for row in grid)  # type: ignore[union-attr]
    assert check_program(program, known).right is True


def test_over_budget_is_a_failure() -> None:
    found = check(MIRROR, budget=Budget(steps=3))
    assert {pair.result for pair in found.pairs} == {"failed"}
    assert found.reason is not None and "over budget" in found.reason
    assert found.cost == 4


def test_a_source_without_answers_leaves_tests_unjudged(tmp_path: Path) -> None:
    grid = [[1, 2], [3, 4]]
    mirrored = [[2, 1], [4, 3]]
    tasks = {"mine": {"train": [{"input": grid, "output": mirrored}], "test": [{"input": grid}]}}
    path = tmp_path / "some_challenges.json"
    path.write_text(json.dumps(tasks))
    source = load_source(str(path))
    assert source.no_answers
    found = check(MIRROR.replace("67a3c6ac", "mine"), find=source.find_named)
    assert [pair.result for pair in found.pairs] == ["right", "unjudged"]
    (tmp_path / "some_solutions.json").write_text(json.dumps({"mine": [grid]}))
    judged = load_source(str(path))
    assert judged.no_answers is None
    found = check(MIRROR.replace("67a3c6ac", "mine"), find=judged.find_named)
    assert [pair.result for pair in found.pairs] == ["right", "wrong"]


def test_the_demos_are_given_as_S() -> None:
    found = check(
        "def solve_67a3c6ac(S, I):\n    x1 = a_mr(S)\n    x2 = mir_rot_t(I, x1)\n    return x2\n"
    )
    assert found.right is True


def test_the_report_counts_and_prints_as_json() -> None:
    text = MIRROR + MIRROR.replace("vmirror", "hmirror") + MIRROR.replace("67a3c6ac", "nowhere")
    report = CheckReport(
        tuple(check_programs(parse_programs(text, "mine.py"))), errors=("a.py: bad",)
    )
    shown = json.loads(json.dumps(report.to_json()))
    assert (shown["total"], shown["right"], shown["typed_only"]) == (3, 1, 1)
    assert shown["errors"] == ["a.py: bad"]
    first = shown["programs"][0]
    assert first["name"] == "solve_67a3c6ac" and first["task"] == "67a3c6ac"
    assert (first["file"], first["line"]) == ("mine.py", 1)
    assert first["pairs"][0]["pair"] == "demo 1" and first["pairs"][0]["result"] == "right"
    assert not report.all_fine


def test_task_ids_come_from_names() -> None:
    assert task_id_of("solve_67a3c6ac") == "67a3c6ac"
    assert task_id_of("mirror") is None


@pytest.mark.slow
def test_the_engine_agrees_with_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = [*library_programs(), *parse_programs(FAILING)]
    expected = list(check_programs(programs))
    monkeypatch.setattr(checking, "MAX_REFERENCE_STEPS", -1)
    for given, wanted in zip(check_programs(programs), expected, strict=True):
        for pair, reference in zip(given.pairs, wanted.pairs, strict=True):
            assert (pair.pair, pair.result, pair.outcome, pair.steps) == (
                reference.pair,
                reference.result,
                reference.outcome,
                reference.steps,
            )


FAILING = "def solve_67a3c6ac(I):\n    x1 = first(difference(I, I))\n    return x1\n"
GROWING = """def solve_67a3c6ac(I):
    x1 = hconcat(I, I)
    x2 = product(asindices(upscale(I, 8)), asindices(upscale(I, 8)))
    x3 = product(x2, x2)
    return x3
"""


def test_an_expensive_line_is_found_quickly() -> None:
    found = check(GROWING)
    first, *others = found.pairs
    assert first.outcome == Failure(Reason.BUDGET)
    assert (first.line, first.name) == (4, "x3")
    assert found.reason is not None and "over budget: more than 50,000,000 steps" in found.reason
    assert all(pair.result == "failed" and pair.line is None for pair in others)
    assert found.fits is False and found.solves is False


def test_fitting_is_not_solving() -> None:
    right = check(MIRROR)
    assert (right.fits, right.solves) == (True, True)
    typed = check(MIRROR.replace("67a3c6ac", "nowhere"))
    assert (typed.fits, typed.solves) == (None, None)
