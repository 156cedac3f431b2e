"""The README is correct: its solver is right, its commands are there (see `test_docs` too)."""

from __future__ import annotations

import re
from pathlib import Path

from arcbatt.checking import find_built_in
from arcbatt.cli.app import command_names
from arcbatt.language import Program, interpret, parse_program

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text("utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", TEXT, re.S)
MAX_LINES = 135


def test_the_readme_is_short() -> None:
    assert len(TEXT.splitlines()) < MAX_LINES


def test_the_solver_that_is_shown_is_right() -> None:
    (text,) = (each for each in SNIPPETS if each.startswith("def solve_"))
    program: Program = parse_program(text)
    known = find_built_in(program.name.removeprefix("solve_"))
    assert known is not None
    for demo in known.task.demos:
        assert interpret(program, {"I": demo.input}).outcome == demo.output


def test_commands_in_the_readme_exist() -> None:
    blocks = "".join(re.findall(r"```\n(.*?)```", TEXT, re.S))
    named = {*re.findall(r"^arcbatt (\w+)", blocks, re.M), *re.findall(r"`arcbatt (\w+)", TEXT)}
    assert named and named <= {*command_names(), "help"}
