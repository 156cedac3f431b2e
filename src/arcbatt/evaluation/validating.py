"""What a batt found in, the same found again by each program alone out: or a bug, and its record.

A fused program must give what it gives alone. So a program that is to be kept is sliced out of the
batt's text, parsed, and run by itself on one thread of the CPU; reasons, hashes, matches and steps
must be the batt's. Where they are not, fusing, running, printing, slicing or parsing is wrong: all
that is needed to see it again is written to a file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from arcbatt.engine.staged import TaskResult
from arcbatt.engine.version import engine_version
from arcbatt.language import (
    SEARCH_BUDGET,
    Program,
    ProgramError,
    format_batt,
    format_program,
    language_version,
    parse_program,
)
from arcbatt.language.ir import INPUTS
from arcbatt.language.text import format_function
from arcbatt.measure import phase

from .board import TaskBoard

# One bug may show in every program of a long run; so many records of it will do.
MAX_RECORDS = 100
# What must come out again.
COMPARED = ("reasons", "hashes", "n_matches", "steps")

_HEAD = re.compile(r"def batt\([\w, ]+\):")
_CALL = re.compile(r"    (x\d+) = (.+)")
_RESULT = re.compile(r"    O\d+ = (.+)  # (\w+)")
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass
class Validator:
    """Validates programs one batt after the other, and counts those that differ.

    Records go to `folder`, which is made when the first is written.
    """

    board: TaskBoard
    folder: Path
    n_differences: int = 0
    records: list[Path] = field(default_factory=list)

    @phase("validate")
    def validate(
        self,
        batt: Sequence[Program],
        chosen: Sequence[int],
        found: TaskResult,
        task: int,
        origin: Mapping[str, Any],
    ) -> list[bool]:
        """Return of each chosen program of a batt whether it gives alone what `found` says.

        `found` is the screening of the batt, demos held out; `origin` says in plain data where the
        batt comes from, such as the card's seed. The text that is sliced is that of the chosen
        programs fused: that of all would take longer than to validate a few of them.
        """
        programs = [batt[place] for place in chosen]
        fused = BattText(format_batt(programs))
        verdicts = []
        for row, (place, program) in enumerate(zip(chosen, programs, strict=True)):
            text = fused.slice(row)
            in_batt = {name: getattr(found, name)[place, task].item() for name in COMPARED}
            alone, what = self._run_alone(text, program, task)
            what += [name for name in COMPARED if alone and alone[name] != in_batt[name]]
            verdicts.append(not what)
            if what:
                self.n_differences += 1
                self._write(
                    program,
                    {
                        "differs_in": what,
                        "place_in_batt": place,
                        "program": format_program(program),
                        "sliced": text,
                        "batt": [format_program(member) for member in batt],
                        "origin": dict(origin),
                        "language": language_version(),
                        "engine": engine_version(),
                        "budget": {"steps": SEARCH_BUDGET.steps, "bytes": SEARCH_BUDGET.bytes},
                        "task": self.board.tasks[task].id,
                        "demos": [(d.input, d.output) for d in self.board.tasks[task].demos],
                        "in_batt": in_batt,
                        "alone": alone,
                    },
                )
        return verdicts

    def _run_alone(
        self, text: str, program: Program, task: int
    ) -> tuple[dict[str, int] | None, list[str]]:
        """What the program of a text gives, and whether the text differs from the program."""
        try:
            again = parse_program(text)
        except ProgramError:
            return None, ["text"]
        result = self.board.screen_alone(again, task)
        alone = {name: getattr(result, name)[0, 0].item() for name in COMPARED}
        return alone, [] if again == program else ["text"]

    def _write(self, program: Program, record: Mapping[str, Any]) -> None:
        """Write a record under a name that no earlier one has, unless there are enough of them."""
        if len(self.records) == MAX_RECORDS:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        names = (f"difference-{program.hash[:12]}-{number}.json" for number in count(1))
        path = next(self.folder / name for name in names if not (self.folder / name).exists())
        path.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
        self.records.append(path)


# --- slices of a batt's text ---


class _Call(NamedTuple):
    """One call of a batt: where it stands, what is computed, and the names in that."""

    place: int
    expression: str
    names: list[str]


class BattText:
    """The lines of a batt, as `format_batt` writes it, read once for any number of slices.

    Only the text is read: so a slice shows what stands in the batt, and validation, which parses
    and runs it, checks the printing of the batt as well as its running.
    """

    @phase("slice")
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
                if found in self._calls:
                    stack += self._calls[found].names
        calls = self._calls
        # The result needs all the others, so it is the last of them.
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
