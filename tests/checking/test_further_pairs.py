"""Programs on further pairs of their tasks: reading the file, and the counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arcbatt.checking import check_on_pairs, count_results, read_pairs
from arcbatt.language import parse_programs
from arcbatt.tasks import Pair, TaskError, find_task

MIRRORED = Pair(((1, 2),), ((2, 1),))
SAME = Pair(((3, 4),), ((3, 4),))


def test_counts_programs_by_how_many_pairs_are_right() -> None:
    (program,) = parse_programs("def solve_67a3c6ac(I):\n    O = vmirror(I)\n    return O\n")
    task = find_task("67a3c6ac")
    checks = [
        check_on_pairs(program, task, pairs)
        for pairs in ((MIRRORED, MIRRORED), (SAME, MIRRORED), (SAME, SAME), (MIRRORED,))
    ]
    assert [check.n_right for check in checks] == [2, 1, 0, 1]
    assert count_results(checks) == {"all": 2, "some": 1, "none": 1}
    assert checks[0].first_trouble is None
    assert checks[1].first_trouble is not None
    pair, outcome = checks[1].first_trouble
    assert (pair, outcome.located_reason) == (SAME, "pair 1: 2 cells differ")


def test_a_program_is_given_the_demos_of_its_task() -> None:
    text = "def solve_67a3c6ac(S, I):\n    O = last(first(S))\n    return O\n"
    (program,) = parse_programs(text)
    task = find_task("67a3c6ac")
    pair = Pair(((1,),), task.demos[0].output)
    assert check_on_pairs(program, task, (pair,)).is_right


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([1], "is not an object of task ids"),
        ({}, "is not an object of task ids"),
        ({"67a3c6ac": {}}, "task 67a3c6ac: {} is not a list of pairs"),
        ({"67a3c6ac": []}, "task 67a3c6ac: [] is not a list of pairs"),
        ({"67a3c6ac": [{"input": [[1]]}]}, 'pair 1: the key "output" is missing'),
        ({"67a3c6ac": [{"input": [[1]], "output": [[12]]}]}, "pair 1 output: row 1, column 1"),
        ({"67a3c6ac": [[[1]]]}, "pair 1: [[1]] is not a pair"),
        ({"": [{"input": [[1]], "output": [[1]]}]}, "is not a task id"),
    ],
)
def test_a_malformed_file_is_refused(tmp_path: Path, content: Any, message: str) -> None:
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(content))
    with pytest.raises(TaskError) as refused:
        read_pairs(path)
    assert str(refused.value).startswith(f"{path}: ") and message in str(refused.value)
