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
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine.batt import Batt
from arcbatt.engine.results import BattResult
from arcbatt.engine.samples import Samples
from arcbatt.engine.staged import TaskResult, TaskSamples, run_on_tasks
from arcbatt.language import (
    Budget,
    Program,
    ProgramError,
    format_batt,
    format_program,
    language_version,
    parse_program,
)
from arcbatt.measure import phase
from arcbatt.tasks import Grid, Task

from .slicing import BattText

# One bug may show in every program of a long run; so many records of it will do.
MAX_RECORDS = 100

Demos = tuple[tuple[Grid, Grid], ...]


class ValidationError(Exception):
    """A program gives alone what it does not give in its batt. `record` has all about it."""

    def __init__(self, program: Program, what: Sequence[str], record: Path | None) -> None:
        where = f"; {record} has all that is needed to see it again" if record else ""
        super().__init__(
            f"{program.name} ({program.hash}) alone differs from its batt in "
            f"{', '.join(what)}{where}"
        )
        self.what = tuple(what)
        self.record = record


@dataclass(frozen=True)
class SampleGrids:
    """Samples that can be written down: what `Samples` is made of, one entry a sample."""

    inputs: tuple[Grid, ...]
    targets: tuple[Grid | None, ...]
    demos: tuple[Demos, ...]

    @classmethod
    def of_task(cls, task: Task) -> SampleGrids:
        """Return the demos of a task, then its test inputs, which have no target."""
        demos = tuple((demo.input, demo.output) for demo in task.demos)
        inputs = (*(demo.input for demo in task.demos), *task.test_inputs)
        targets = (*(demo.output for demo in task.demos), *([None] * len(task.test_inputs)))
        return cls(inputs, targets, (demos,) * len(inputs))

    @cached_property
    def packed(self) -> Samples:
        return Samples(self.inputs, self.targets, self.demos)

    @property
    def n_columns(self) -> int:
        return len(self.inputs)

    def run_alone(self, program: Program, budget: Budget) -> Outcomes:
        result = Batt([program]).run(self.packed, budget, device="cpu", n_threads=1)
        return Outcomes.of(result)

    def to_json(self) -> dict[str, Any]:
        # Samples of one task share their demos, which are written once.
        groups = {id(demos): demos for demos in self.demos}
        places = {key: place for place, key in enumerate(groups)}
        return {
            "inputs": self.inputs,
            "targets": self.targets,
            "demos": list(groups.values()),
            "demos_of_sample": [places[id(demos)] for demos in self.demos],
        }


@dataclass(frozen=True)
class StagedTask:
    """The samples of one task, run in stages: demos beyond the first only where that matches."""

    samples: TaskSamples

    @property
    def n_columns(self) -> int:
        return 1

    def run_alone(self, program: Program, budget: Budget) -> Outcomes:
        batt = Batt([program])
        result = run_on_tasks(batt, self.samples, budget, device="cpu", n_threads=1)
        return Outcomes.of_task(result, 0)

    def to_json(self) -> dict[str, Any]:
        (task,) = self.samples.tasks
        return {
            "task": task.id,
            "samples": type(self.samples).__name__,
            "in_stages": [(demo.input, demo.output) for demo in task.demos],
        }


class Outcomes(NamedTuple):
    """What programs gave, [program, sample]: what of a result must come out again.

    On a task as a whole there is one column: reason and hash are those of the first demo, `matches`
    and `steps` are sums.
    """

    reasons: NDArray[Any]
    hashes: NDArray[Any]
    matches: NDArray[Any]
    steps: NDArray[Any]

    @classmethod
    def of(
        cls,
        result: BattResult,
        programs: Sequence[int] | slice = slice(None),
        samples: Sequence[int] | slice = slice(None),
    ) -> Outcomes:
        """Return those of some programs on some samples of a result, given by their places."""
        return cls(*(getattr(result, name)[programs][:, samples] for name in cls._fields))

    @classmethod
    def of_task(
        cls, result: TaskResult, task: int, programs: Sequence[int] | slice = slice(None)
    ) -> Outcomes:
        """Return those of some programs on one task as a whole."""
        columns = (result.reasons, result.hashes, result.n_matches, result.steps)
        return cls(*(array[programs][:, task : task + 1] for array in columns))

    def to_json(self, program: int) -> dict[str, Any]:
        return {name: getattr(self, name)[program].tolist() for name in self._fields}


@dataclass
class Validator:
    """Validates programs one batt after the other, and counts.

    Records go to `folder`, which is made when the first is written. A strict one raises
    `ValidationError` at the first difference, another goes on. The budget must be the batt's.
    """

    folder: Path
    strict: bool = True
    budget: Budget = field(default_factory=Budget)
    n_validated: int = 0
    n_differences: int = 0
    records: list[Path] = field(default_factory=list)

    @phase("validate")
    def validate(
        self,
        batt: Sequence[Program],
        chosen: Sequence[int],
        found: Outcomes,
        samples: SampleGrids | StagedTask,
        origin: Mapping[str, Any],
    ) -> list[bool]:
        """Return of each chosen program of a batt whether it gives alone what `found` says.

        `found` has one row for each chosen program, the columns of the samples; `origin` says in
        plain data where the batt comes from, such as the card's seed and the generation. The text
        that is sliced is that of the chosen programs fused: that of all would take longer than to
        validate a few of them.
        """
        shape = (len(chosen), samples.n_columns)
        if found.reasons.shape != shape:
            raise ValueError(f"expected outcomes of shape {shape}, not {found.reasons.shape}")
        programs = [batt[place] for place in chosen]
        fused = BattText(format_batt(programs))
        verdicts = []
        for row, program in enumerate(programs):
            text = fused.slice(row)
            what, alone = self._compare(program, text, row, found, samples)
            self.n_validated += 1
            verdicts.append(not what)
            if what:
                self.n_differences += 1
                record = {
                    "differs_in": what,
                    "place_in_batt": chosen[row],
                    "program": format_program(program),
                    "sliced": text,
                    "batt": [format_program(member) for member in batt],
                    "origin": dict(origin),
                    "language": language_version(),
                    "budget": {"steps": self.budget.steps, "bytes": self.budget.bytes},
                    "samples": samples.to_json(),
                    "in_batt": found.to_json(row),
                    "alone": alone.to_json(0) if alone else None,
                }
                path = self._write(program, record)
                if self.strict:
                    raise ValidationError(program, what, path)
        return verdicts

    def _compare(
        self,
        program: Program,
        text: str,
        row: int,
        found: Outcomes,
        samples: SampleGrids | StagedTask,
    ) -> tuple[list[str], Outcomes | None]:
        """In what a program differs, and what it gave alone."""
        try:
            again = parse_program(text)
        except ProgramError:
            return ["text"], None
        alone = samples.run_alone(again, self.budget)
        what = [] if again == program else ["text"]
        what += [
            name
            for name in Outcomes._fields
            if not np.array_equal(getattr(alone, name)[0], getattr(found, name)[row])
        ]
        return what, alone

    def _write(self, program: Program, record: Mapping[str, Any]) -> Path | None:
        """Write a record under a name that no earlier one has, unless there are enough of them."""
        if len(self.records) == MAX_RECORDS:
            return None
        self.folder.mkdir(parents=True, exist_ok=True)
        names = (f"difference-{program.hash[:12]}-{number}.json" for number in count(1))
        path = next(self.folder / name for name in names if not (self.folder / name).exists())
        path.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
        self.records.append(path)
        return path
