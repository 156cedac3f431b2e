"""What stages offer for a task, and what of it is kept: candidates in, the best of them out.

A candidate is one program, or another way to compute outputs, with the grid that it gives for each
test input. It is kept even if it fits only some demos, or none, as long as it gives some grid:
ranking decides. A task keeps the `MAX_KEPT` best, so that its memory is bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arcbatt.language import Program, ProgramError, format_program, parse_program
from arcbatt.pool import NewProgram
from arcbatt.tasks import Grid, Task
from arcbatt.tasks.validation import parse_grid

FULL_CREDIT = 1000
MAX_KEPT = 96


Rank = tuple[object, ...]


class _NoGrid(ValueError):
    """A value is no grid that could be submitted."""


def submittable(value: object) -> Grid | None:
    """Return a value if it can be submitted: 1 to 30 rows of 1 to 30 colours; otherwise None."""
    try:
        return parse_grid(value, "output", _NoGrid)
    except _NoGrid:
        return None


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to solve a task, as a stage offers it.

    `outputs` has a grid for each test input, None where it gives none; `family` names the kind of
    thing it is, so that agreement of unlike candidates counts more than that of kin; `n_fitted`
    demos come out right, of `n_demos`; `n_held_out` come out right when a demo is not among what
    the candidate learns from (None: it learns nothing from them); `credit`, 0 to 1000, is how near
    it comes on all demos, 1000 if all are right; `size` counts calls, `cost` steps; `bits` says how
    much choice went into it: one of 2^bits that could have been tried.
    """

    task: Task
    program: Program | None
    family: str
    outputs: tuple[Grid | None, ...]
    n_fitted: int
    size: int
    cost: int
    credit: int
    n_held_out: int | None = None
    bits: float = 0.0

    def __post_init__(self) -> None:
        if len(self.outputs) != len(self.task.test_inputs):
            raise ValueError(
                f"task {self.task.id}: {len(self.outputs)} outputs, "
                f"expected {len(self.task.test_inputs)}, one a test input"
            )
        if not 0 <= self.n_fitted <= self.n_demos:
            raise ValueError(f"task {self.task.id}: {self.n_fitted} of {self.n_demos} demos fitted")

    @property
    def n_demos(self) -> int:
        return len(self.task.demos)

    @property
    def fits(self) -> bool:
        """Whether all demos come out right."""
        return self.n_fitted == self.n_demos

    @property
    def identity(self) -> object:
        """Equal for candidates of which one is enough."""
        return self.program or (self.family, self.outputs)

    @property
    def rank(self) -> tuple[int, int, int, int, bytes]:
        """Least for the best; the program's digest makes it the same on every run."""
        digest = self.program.result.digest if self.program else b""
        return (-self.n_fitted, -self.credit, self.size, self.cost, digest)


@dataclass(frozen=True, slots=True)
class Kept:
    """A candidate with the stage that offered it, how far that is trusted, and when it was."""

    candidate: Candidate
    stage: str
    trust: float
    found_s: float

    @property
    def rank(self) -> Rank:
        return (*self.candidate.rank, -self.trust, self.stage)

    def to_json(self) -> dict[str, Any]:
        """Plain data, without the task."""
        candidate = self.candidate
        program = candidate.program
        return {
            "stage": self.stage,
            "trust": self.trust,
            "found_s": self.found_s,
            "program": None if program is None else format_program(program),
            "family": candidate.family,
            "outputs": candidate.outputs,
            "n_fitted": candidate.n_fitted,
            "n_held_out": candidate.n_held_out,
            "credit": candidate.credit,
            "size": candidate.size,
            "cost": candidate.cost,
            "bits": candidate.bits,
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any], task: Task) -> Kept:
        """Return what `to_json` wrote."""
        text = content["program"]
        candidate = Candidate(
            task=task,
            program=None if text is None else parse_program(text),
            family=content["family"],
            outputs=tuple(submittable(grid) for grid in content["outputs"]),
            n_fitted=content["n_fitted"],
            size=content["size"],
            cost=content["cost"],
            credit=content["credit"],
            n_held_out=content["n_held_out"],
            bits=content["bits"],
        )
        return cls(candidate, content["stage"], content["trust"], content["found_s"])


def can_be_written(program: Program) -> bool:
    """Whether the text of a program can be read back; what is too large for that cannot win."""
    try:
        NewProgram.of(program, "")
    except ProgramError:
        return False
    return True


class TaskCandidates:
    """The candidates of one task, the best first.

    `version` is another number whenever what is kept has changed.
    """

    def __init__(self, task: Task, kept: Iterable[Kept] = ()) -> None:
        self.task = task
        self._kept: dict[object, Kept] = {}
        # The rank of the worst, once as many are kept as may be: most offers come after that, and
        # most of them are refused by it at once.
        self._worst: Rank | None = None
        self._json: list[dict[str, Any]] | None = None
        self.fits = False
        """Whether some candidate gives the output of every demo; such a one is never given up."""
        self.version = 0
        for each in kept:
            self.offer(each)

    def __len__(self) -> int:
        return len(self._kept)

    def offer(self, kept: Kept) -> bool:
        """Keep a candidate, unless it gives no grid, is known, or is worse than all of many."""
        candidate = kept.candidate
        if candidate.task is not self.task and candidate.task != self.task:
            raise ValueError(f"a candidate for {candidate.task.id}, not {self.task.id}")
        identity = candidate.identity
        if identity in self._kept or (self._worst is not None and kept.rank >= self._worst):
            return False
        outputs = tuple(map(submittable, candidate.outputs))
        if not any(outputs):
            return False
        if candidate.program is not None and not can_be_written(candidate.program):
            return False
        self._kept[identity] = replace(kept, candidate=replace(candidate, outputs=outputs))
        if len(self._kept) > MAX_KEPT:
            del self._kept[max(self._kept, key=lambda key: self._kept[key].rank)]
        if len(self._kept) == MAX_KEPT:
            self._worst = max(each.rank for each in self._kept.values())
        self.fits |= candidate.fits
        self.version += 1
        self._json = None
        return True

    def to_json(self) -> list[dict[str, Any]]:
        """What is kept as plain data; made anew only after a change, since runs are saved often."""
        if self._json is None:
            self._json = [each.to_json() for each in self.kept]
        return self._json

    @property
    def kept(self) -> list[Kept]:
        return sorted(self._kept.values(), key=lambda each: each.rank)

    @property
    def n_agreeing(self) -> int:
        """The most candidates that fit all demos and give the same grid for each test input."""
        counts: dict[Sequence[Grid | None], int] = {}
        for each in self._kept.values():
            candidate = each.candidate
            if candidate.fits and None not in candidate.outputs:
                counts[candidate.outputs] = counts.get(candidate.outputs, 0) + 1
        return max(counts.values(), default=0)
