"""Feedback on programs in plain text."""

from __future__ import annotations

import arcbatt
from arcbatt.explainer import describe_rejection
from arcbatt.explainer.feedback import MAX_TEXT
from arcbatt.language import ParsedProgram, RejectedProgram

TASK = arcbatt.Task.of(
    demos=[
        ([[1, 0], [0, 2]], [[0, 1], [2, 0]]),
        ([[1, 1], [0, 2]], [[1, 1], [2, 5]]),
        ([[0, 0], [0, 0]], [[0, 0]]),
    ],
    test_inputs=[[[3, 0]]],
)


def parsed(text: str) -> ParsedProgram:
    (program,) = arcbatt.read_programs(text)
    assert isinstance(program, ParsedProgram)
    return program


def test_feedback_names_cells_sizes_and_what_came_out() -> None:
    run = arcbatt.run(parsed("def solve(I):\n    return vmirror(I)\n"), TASK)
    assert run.feedback() == (
        "solve is right on 1 of 3 demos.\n"
        "demo 1: right\n"
        "demo 2: wrong, 1 cell differs: (1, 1) is 0, not 5\n"
        "it gives:\n"
        "11\n"
        "20\n"
        "demo 3: wrong, gives grid 2x2, wanted grid 1x2\n"
        "it gives:\n"
        "00\n"
        "00\n"
        "test 1: gives grid 1x2"
    )


def test_feedback_names_the_failing_line_its_reason_and_arguments() -> None:
    text = (
        "def solve(I):\n    parts = objects(I, T, F, T)\n    best = argmax(parts, size)\n"
        "    return subgrid(best, I)\n"
    )
    told = arcbatt.run(parsed(text), TASK).feedback()
    assert "demo 3: fails in `best = argmax(parts, size)`: empty" in told
    assert "argmax: container is EMPTY (nothing)" in told or "argmax: container is EMPTY" in told
    assert arcbatt.explain(text, TASK).text == told


def test_pairs_that_fail_in_the_same_way_are_told_once() -> None:
    told = arcbatt.run(parsed("def solve(I):\n    return first(EMPTY)\n"), TASK).feedback()
    assert told.count("fails in") == 1 and "\ndemo 1, demo 2, demo 3, test 1: fails in `" in told


def test_feedback_on_a_program_without_its_text_has_lines_of_its_own() -> None:
    program = arcbatt.parse_program("def solve(I):\n    return index(I, (9, 9))\n")
    told = arcbatt.run(program, TASK).feedback()
    assert "wrong, gives nothing, wanted grid 2x2" in told


def test_feedback_is_short() -> None:
    grid = [[k % 10 for k in range(30)] for _ in range(30)]
    other = [[(k + 1) % 10 for k in range(30)] for _ in range(30)]
    task = arcbatt.Task.of(demos=[(grid, other)] * 40, test_inputs=[grid] * 40)
    told = arcbatt.run(parsed("def solve(I):\n    return I\n"), task).feedback()
    assert len(told) <= MAX_TEXT
    assert "(0, 0) is 0, not 1" in told


def test_a_rejection_tells_all_errors_with_remedies() -> None:
    text = "Try this:\n\n```\ndef solve(I):\n    x = hmiror(I)\n    return I[0]\n```\n"
    (rejected,) = arcbatt.read_programs(text)
    assert isinstance(rejected, RejectedProgram)
    told = describe_rejection(rejected)
    assert "line 2: unknown primitive hmiror; did you mean hmirror?" in told
    assert "line 3: " in told and "write first(I)" in told
