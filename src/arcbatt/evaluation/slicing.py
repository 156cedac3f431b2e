"""The text of a batt in, the text of one of its programs out: the lines that its result needs.

Only the text is read, as `format_batt` writes it. So a slice shows what stands in the batt, and
validation, which parses and runs it, checks the printing of the batt as well as its running.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from arcbatt.language import ProgramError
from arcbatt.language.ir import INPUTS
from arcbatt.language.text import format_function
from arcbatt.measure import phase

_HEAD = re.compile(r"def batt\([\w, ]+\):")
_STEP = re.compile(r"    (x\d+) = (.+)")
_RESULT = re.compile(r"    O\d+ = (.+)  # (\w+)")
_NAME = re.compile(r"[A-Za-z_]\w*")


class _Step(NamedTuple):
    place: int
    expression: str
    names: list[str]


class BattText:
    """The lines of a batt, read once for any number of slices."""

    @phase("slice")
    def __init__(self, text: str) -> None:
        self._steps: dict[str, _Step] = {}
        self._results: list[tuple[str, str]] = []
        head, *lines = text.splitlines() or [""]
        if not _HEAD.fullmatch(head):
            raise _rejection("expected the first line of a batt: def batt(I):", 1, head)
        for number, line in enumerate(lines, 2):
            if step := _STEP.fullmatch(line):
                name, expression = step.groups()
                names = _NAME.findall(expression)
                self._steps[name] = _Step(len(self._steps), expression, names)
            elif result := _RESULT.fullmatch(line):
                self._results.append((result[1], result[2]))
            else:
                raise _rejection("expected x1 = ..., or O1 = ...  # name", number, line)

    def __len__(self) -> int:
        """How many programs the batt has."""
        return len(self._results)

    @phase("slice")
    def slice(self, program: int) -> str:
        """Return the text of a program, given by its place in the batt; lines are numbered anew."""
        result, name = self._results[program]
        needed: set[str] = set()
        stack = _NAME.findall(result)
        while stack:
            found = stack.pop()
            if found not in needed:
                needed.add(found)
                if found in self._steps:
                    stack += self._steps[found].names
        steps = self._steps
        # The result needs all the others, so it is the last of them.
        chosen = sorted(needed & steps.keys(), key=lambda step: steps[step].place)
        new_names = {old: f"x{number}" for number, old in enumerate(chosen, 1)}
        if result in steps:
            new_names[result] = "O"
        lines = [f"    {new_names[old]} = {_rename(steps[old], new_names)}" for old in chosen]
        lines.append(f"    return {new_names.get(result, result)}")
        return format_function(name, needed.intersection(INPUTS), lines)


def _rename(step: _Step, new_names: dict[str, str]) -> str:
    return _NAME.sub(lambda name: new_names.get(name[0], name[0]), step.expression)


def _rejection(message: str, line: int, text: str) -> ProgramError:
    return ProgramError(message, line=line, column=1, text=text)
