"""What a batt found in, the same found again by each program alone out: or a bug, and its record.

A fused program must give what it gives alone. So a program that is to be kept is sliced out of the
batt's text, parsed, and run by itself on one thread of the CPU; reasons, hashes, matches and steps
must be the batt's. Where they are not, fusing, running, printing, slicing or parsing is wrong: all
that is needed to see it again is written to a file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

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
from arcbatt.measure import phase

from .board import TaskBoard
from .slicing import BattText

# One bug may show in every program of a long run; so many records of it will do.
MAX_RECORDS = 100
# What must come out again.
COMPARED = ("reasons", "hashes", "n_matches", "steps")


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
