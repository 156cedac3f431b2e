"""Programs found in prose, Markdown and JSON, with their places."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import arcbatt
from arcbatt.language import ParsedProgram, RejectedProgram
from arcbatt.language.replies import MAX_CHARACTERS

REPLY = '''Sure! I'd mirror it. The def of a solver isn't hard, "as they say".

```python
from arc import *
import numpy as np

def helper(g):
    return hmirror(g)

def solve(I):
    """Mirrored."""
    x = fill(I, RED,
             ofcolor(I, BLUE))

    return helper(x)
print(solve(I))
```

1. Another one:

   ```python
   def solve_b(I):
       x = vmirror(I)
       return add(x[0],
                  hmiror(I))
   ```

> def solve_q(grid):
>     return vmirror(grid)

Or `def solve_c(I): return rot90(I)`, which
def solve in prose is not (really). And finally

def truncated(I):
    x = hmirror(I
'''


def test_programs_of_a_reply_with_their_places() -> None:
    found = arcbatt.read_programs(REPLY, "reply.md")
    names = [each.name for each in found]
    assert names == ["solve", "solve_b", "solve_q", "solve_c", "truncated"]
    kinds = [isinstance(each, ParsedProgram) for each in found]
    assert kinds == [True, False, True, True, False]
    lines = REPLY.split("\n")
    assert all(f"def {each.name}" in lines[each.line - 1] for each in found)
    first, second, quoted, inline, _ = found
    assert isinstance(first, ParsedProgram) and isinstance(second, RejectedProgram)
    wanted = "def s(I):\n    return hmirror(fill(I, RED, ofcolor(I, BLUE)))\n"
    assert first.program == arcbatt.parse_program(wanted)
    assert [(each.line, each.column) for each in second.errors] == [(24, 19), (25, 19)]
    for error in second.errors:
        assert lines[error.line - 1][error.column - 1 :].startswith(error.text)
    assert isinstance(quoted, ParsedProgram) and isinstance(inline, ParsedProgram)
    assert quoted.program == arcbatt.parse_program("def s(I):\n    return vmirror(I)\n")
    assert inline.program == arcbatt.parse_program("def s(I):\n    return rot90(I)\n")


@pytest.mark.parametrize("indent", [None, 2])
def test_programs_in_json(indent: int | None) -> None:
    texts = [f'def solve_{k}(I):\n    x = hmirror(I)  # "{k}"\n    return x\n' for k in range(3)]
    content = json.dumps([{"why": "the def is", "program": each} for each in texts], indent=indent)
    found = arcbatt.read_programs(content)
    assert [each.name for each in found] == ["solve_0", "solve_1", "solve_2"]
    assert all(isinstance(each, ParsedProgram) for each in found)


SOLVER = "def solve(I):\n    x = hmirror(I)\n    return x\n"


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + SOLVER,
        json.dumps(
            {"role": "assistant", "content": f"{'It is mirrored. ' * 99}\n```\n{SOLVER}```"}
        ),
        json.dumps({"function": {"arguments": json.dumps({"program": SOLVER})}}),
        'He said "' + json.dumps({"a": 'a "', "b": SOLVER}),
        SOLVER.replace(":\n", ':\n    """As in:\n    ```\n    1 2\n    ```\n    """\n', 1),
    ],
    ids=[
        "byte order mark",
        "long prose in json",
        "json in json",
        "odd quotes",
        "fence in docstring",
    ],
)
def test_a_program_is_found_in(text: str) -> None:
    (found,) = arcbatt.read_programs(text)
    assert isinstance(found, ParsedProgram)
    assert found.program == arcbatt.parse_program(SOLVER)


LINES = ["import arc", "def solve(I):", "    x = hmiror(I)", "", "    return x", "", "print(1)"]
OTHER = "def other(I): return rot90(I)"


def of_notebook(source: list[str] | str) -> str:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": source}
    return json.dumps({"cells": [cell, {"source": [OTHER]}], "nbformat": 4}, indent=1)


@pytest.mark.parametrize(
    ("text", "is_one_per_line"),
    [
        (json.dumps({"program": LINES, "other": OTHER}), False),
        (json.dumps([{"answers": [[LINES], OTHER]}]), False),
        (json.dumps({"arguments": json.dumps({"programs": [LINES, [OTHER]]})}), False),
        (json.dumps({"program": LINES, "other": OTHER}, indent=2), True),
        (f"Lines:\n```json\n{json.dumps([[LINES], [OTHER]], indent=4)}\n```\n", True),
        (of_notebook([f"{line}\n" for line in LINES]), True),
        (of_notebook("\n".join(LINES)), False),
    ],
    ids=["object", "nested", "json in json", "indented", "fence", "notebook", "text in notebook"],
)
def test_programs_in_lists_of_lines(text: str, is_one_per_line: bool) -> None:
    solve, other = arcbatt.read_programs(text)
    assert isinstance(solve, RejectedProgram) and isinstance(other, ParsedProgram)
    assert other.program == arcbatt.parse_program("def s(I):\n    return rot90(I)\n")
    lines = text.split("\n")
    assert "def other" in lines[other.line - 1]
    assert "def solve" in lines[solve.line - 1]
    assert solve.error.line == solve.line + 1
    if is_one_per_line:
        place = lines[solve.error.line - 1][solve.error.column - 1 :]
        assert place.startswith("hmiror(I)")


def test_a_list_of_lines_is_one_block() -> None:
    lists = [of_helper(each, is_below=False).split("\n") for each in ("hmirror", "vmirror")]
    found = arcbatt.read_programs(json.dumps(lists))
    calls = [each.program.text for each in found if isinstance(each, ParsedProgram)]
    assert ["hmirror" in calls[0], "vmirror" in calls[1], len(found)] == [True, True, 2]


def test_a_notebook_is_a_file_of_prose(tmp_path: Path) -> None:
    path = tmp_path / "tries.ipynb"
    path.write_text(of_notebook([f"{line}\n" for line in LINES]))
    solve, other = arcbatt.read_file(path)
    assert isinstance(solve, RejectedProgram) and str(path) in str(solve.error)
    assert isinstance(other, ParsedProgram)


def test_brackets_in_a_head_do_not_hide_a_function() -> None:
    (found,) = arcbatt.read_programs("def solve(I, size=(1, 2)):\n    return I\n")
    assert isinstance(found, RejectedProgram) and "expected the inputs" in found.error.message


def of_helper(mirror: str, *, is_below: bool) -> str:
    parts = [
        f"def changed(x):\n    return {mirror}(x)\n",
        "def solve(I):\n    return trim(changed(I))\n",
    ]
    return "\n".join(reversed(parts) if is_below else parts)


@pytest.mark.parametrize("is_below", [False, True])
@pytest.mark.parametrize(
    "write",
    [
        lambda first, second: f"```\n{first}```\nOr:\n```\n{second}```\n",
        lambda first, second: json.dumps([first, second]),
        lambda first, second: json.dumps({"a": f"```\n{first}```\nOr:\n```\n{second}```\n"}),
    ],
    ids=["fences", "json", "fences in json"],
)
def test_functions_of_one_name_are_those_of_their_block(
    write: Callable[[str, str], str], is_below: bool
) -> None:
    first, second = (of_helper(each, is_below=is_below) for each in ("hmirror", "vmirror"))
    found = arcbatt.read_programs(write(first, second))
    calls = [each.program.text for each in found if isinstance(each, ParsedProgram)]
    assert ["hmirror" in calls[0], "vmirror" in calls[1], len(found)] == [True, True, 2]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No program at all.\n```\nprint('def solve(I):')\n```\n",
        "def of a word. def\n\ndefine(x):\n",
        '{"a": "def solve(I): on one line"}',
        '"' * 10_000,
        "```" * 10_000,
    ],
)
def test_other_text_is_passed_over(text: str) -> None:
    assert arcbatt.read_programs(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "def f(" * 300_000,
        "def f(I):\n" * 20_000,
        "def f(I): " + "(" * 500_000,
        '"def f(' + "\\n" * 500_000,
        '"' + "\\" * 1_000_000,
        "> " * 1_000_000,
        "def f(\n" * 100_000,
        "`def f(" * 200_000,
        "x" * (MAX_CHARACTERS + 10),
        "\0\x1b[2J def f(I):\n\0",
        '"def f(' + '\\"' * 300_000,
        "def f(" + "(a)" * 300_000,
        '"def f(\\n' * 100_000,
        '"def f(I):",' * 300_000,
        '["def f(I):","x"]' * 100_000,
        '["def f(I):",\n' * 100_000,
    ],
    ids=range(16),
)
def test_hostile_text_ends_quickly(text: str) -> None:
    assert all(isinstance(each, RejectedProgram) for each in arcbatt.read_programs(text))


def test_a_reply_is_text() -> None:
    with pytest.raises(TypeError, match="expected text, not a bytes"):
        arcbatt.read_programs(b"def solve(I)")  # type: ignore[arg-type]


def test_files_of_prose_have_programs_only(tmp_path: Path) -> None:
    (tmp_path / "reply.md").write_text(REPLY)
    (tmp_path / "reply.py").write_text(REPLY)
    in_prose = arcbatt.read_file(tmp_path / "reply.md")
    assert [each.name for each in in_prose][:2] == ["solve", "solve_b"]
    assert "" in [each.name for each in arcbatt.read_file(tmp_path / "reply.py")]
