"""Trials: the result of one program on one task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arcbatt.language import Program, Reason
from arcbatt.pool import PoolTrial
from arcbatt.tasks import Grid, Task
from arcbatt.tasks.validation import parse_grid

FULL_CREDIT = 1000


class _NotAGrid(ValueError):
    """A value cannot be submitted as a grid."""


def submittable(value: object) -> Grid | None:
    """Return a value if it is a grid of 1 to 30 rows of 1 to 30 colors; otherwise None."""
    try:
        return parse_grid(value, "output", _NotAGrid)
    except _NotAGrid:
        return None


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a program on a task.

    `n_fitted` is the number of demos that it gets right, and `credit` (0 to 1000) tells how close
    it comes on all of them; only a program that fits all demos has 1000. `steps` is its cost on all
    samples it was run on, `failure` the first failure. `outputs` has an entry per test input: a
    grid, or None if the program gives none that could be submitted.

    A program that `learns` reads the demos; `n_held_out` is the number of demos that it gets right
    without seeing them, or None if unknown: a single demo leaves nothing to learn from. `n_copies`
    counts the copies of the task (see `copies`) on which the program behaves the same; a program
    that fits no demo is not run on copies.
    """

    task: Task
    program: Program
    n_fitted: int
    credit: int
    steps: int
    outputs: tuple[Grid | None, ...]
    learns: bool = False
    n_held_out: int | None = None
    n_copies: int = 0
    failure: Reason | None = None

    def __post_init__(self) -> None:
        if len(self.outputs) != len(self.task.test_inputs):
            raise ValueError(
                f"task {self.task.id}: {len(self.outputs)} outputs, "
                f"expected {len(self.task.test_inputs)}, one per test input"
            )
        if not 0 <= self.n_fitted <= self.n_demos:
            raise ValueError(f"task {self.task.id}: {self.n_fitted} of {self.n_demos} demos fitted")

    @classmethod
    def screened(
        cls, task: Task, program: Program, n_fitted: int, steps: int, credit: int
    ) -> Trial:
        """Return the trial of a program that was run on the demos only."""
        return cls(task, program, n_fitted, credit, steps, (None,) * len(task.test_inputs))

    @property
    def n_demos(self) -> int:
        return len(self.task.demos)

    @property
    def fits(self) -> bool:
        """Whether all demos are right."""
        return self.n_fitted == self.n_demos

    @property
    def n_outputs(self) -> int:
        """The number of test inputs with an output."""
        return sum(grid is not None for grid in self.outputs)

    @property
    def predicts_held_out(self) -> bool:
        """Whether it does not learn, or predicts as many held-out demos as it fits."""
        return not self.learns or (self.n_held_out or 0) >= max(self.n_fitted, 1)

    def to_row(self, *, with_outputs: bool = True, **origin: Any) -> PoolTrial:
        """Return the pool's row; `origin` are its fields about how the program was found."""
        return PoolTrial.of(
            self.program.result.digest,
            self.task,
            self.n_fitted,
            credit=self.credit,
            steps=self.steps,
            learns=self.learns,
            n_held_out=self.n_held_out,
            n_copies=self.n_copies,
            outputs=self.outputs if with_outputs else None,
            **origin,
        )

    @classmethod
    def from_row(cls, row: PoolTrial, task: Task, program: Program) -> Trial:
        """Return the trial of a pool's row; raises ValueError if it has no outputs for the task."""
        return cls(
            task,
            program,
            row.n_fitted,
            row.credit,
            row.steps,
            row.outputs or (),
            row.learns,
            row.n_held_out,
            row.n_copies,
        )
