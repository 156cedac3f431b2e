"""A trial: what evaluation says of one program on one task."""

from __future__ import annotations

from dataclasses import dataclass

from arcbatt.language import Program, Reason
from arcbatt.tasks import Grid, Task
from arcbatt.tasks.validation import parse_grid

FULL_CREDIT = 1000


class _NoGrid(ValueError):
    """A value is no grid that could be submitted."""


def submittable(value: object) -> Grid | None:
    """Return a value if it can be submitted: 1 to 30 rows of 1 to 30 colours; otherwise None."""
    try:
        return parse_grid(value, "output", _NoGrid)
    except _NoGrid:
        return None


@dataclass(frozen=True, slots=True)
class Trial:
    """A program on a task: how well it fits, what it costs, what it gives for the test inputs.

    `n_fitted` demos come out right. A program that `learns` reads the demos: of it, `n_held_out`
    demos come out right that it does not see; None is unknown, as a task of one demo leaves
    nothing to learn from. A program that learns nothing has None too. On `n_copies` copies of the
    task (`copies`) it gives the same, changed as they are; one that fits no demo is not run on
    them. `credit`, 0 to 1000, is how near it comes on all demos, 1000 only if all are right;
    `steps` its cost on all samples; `failure` the first failure on one of them; `outputs` has a
    grid for each test input, None where it gives none that could be submitted.
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
    def holds_unseen(self) -> bool:
        """Whether it learns nothing, or all demos that it fits come out right unseen."""
        return not self.learns or (self.n_held_out or 0) >= max(self.n_fitted, 1)
