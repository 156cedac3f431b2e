"""Check that fused programs do the same when they are sliced out of the batt's text and run alone.

A difference means that fusing, running, printing, slicing or parsing is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from arcbatt.engine.task_run import TaskResult
from arcbatt.evaluation import TaskBoard
from arcbatt.language import Program, ProgramError, format_batt, format_program, parse_program
from arcbatt.language.ir import INPUTS
from arcbatt.language.text import format_function

COMPARED = ("reasons", "hashes", "n_matches", "steps")

_HEAD = re.compile(r"def batt\([\w, ]+\):")
_CALL = re.compile(r"    (x\d+) = (.+)")
_RESULT = re.compile(r"    O\d+ = (.+)  # (\w+)")
_NAME = re.compile(r"[A-Za-z_]\w*")


def find_difference(
    board: TaskBoard, programs: Sequence[Program], fused: TaskResult, task: int
) -> str | None:
    """Return the first program whose results on a task, with demos held out, differ alone.

    `fused` is the screening of the programs' batt.
    """
    text = BattText(format_batt(programs))
    for place, program in enumerate(programs):
        sliced = text.slice(place)
        where = f"{program.name} on {board.tasks[task].id}"
        try:
            parsed = parse_program(sliced)
        except ProgramError as error:
            return f"{where}: its slice cannot be parsed: {error}\n{sliced}"
        if parsed != program:
            return f"{where}: its slice is another program\n{format_program(program)}\n{sliced}"
        alone = board.screen_alone(parsed, task)
        for name in COMPARED:
            in_batt, by_itself = getattr(fused, name)[place, task], getattr(alone, name)[0, 0]
            if in_batt != by_itself:
                return f"{where}: {name} is {in_batt} fused and {by_itself} alone\n{sliced}"
    return None


class _Call(NamedTuple):
    """One call of a batt: its position, its expression, and the names in that."""

    place: int
    expression: str
    names: list[str]


class BattText:
    """The lines of a batt, as `format_batt` writes it, read once for any number of slices."""

    def __init__(self, text: str) -> None:
        self._calls: dict[str, _Call] = {}
        self._results: list[tuple[str, str]] = []
        head, *lines = text.splitlines() or [""]
        if not _HEAD.fullmatch(head):
            raise _rejection("expected the first line of a batt: def batt(I):", 1, head)
        for number, line in enumerate(lines, 2):
            if call := _CALL.fullmatch(line):
                name, expression = call.groups()
                names = _NAME.findall(expression)
                self._calls[name] = _Call(len(self._calls), expression, names)
            elif result := _RESULT.fullmatch(line):
                self._results.append((result[1], result[2]))
            else:
                raise _rejection("expected x1 = ..., or O1 = ...  # name", number, line)

    def __len__(self) -> int:
        """Return the number of programs."""
        return len(self._results)

    def slice(self, program: int) -> str:
        """Return the text of the program with an index, its lines numbered from 1."""
        result, name = self._results[program]
        needed: set[str] = set()
        stack = _NAME.findall(result)
        while stack:
            each = stack.pop()
            if each not in needed:
                needed.add(each)
                if each in self._calls:
                    stack += self._calls[each].names
        calls = self._calls
        # The result needs all other calls, so it is the last.
        chosen = sorted(needed & calls.keys(), key=lambda each: calls[each].place)
        new_names = {old: f"x{number}" for number, old in enumerate(chosen, 1)}
        if result in calls:
            new_names[result] = "O"
        lines = [f"    {new_names[old]} = {_rename(calls[old], new_names)}" for old in chosen]
        lines.append(f"    return {new_names.get(result, result)}")
        return format_function(name, needed.intersection(INPUTS), lines)


def _rename(call: _Call, new_names: dict[str, str]) -> str:
    return _NAME.sub(lambda name: new_names.get(name[0], name[0]), call.expression)


def _rejection(message: str, line: int, text: str) -> ProgramError:
    return ProgramError(message, line=line, column=1, text=text)
