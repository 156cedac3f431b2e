"""Small and odd tasks, and a proposer that runs a script, for tests of searches."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arcbatt.evaluation import TaskBoard, Trial
from arcbatt.interrupts import TERMINATION
from arcbatt.language import Program, parse_program
from arcbatt.pool import Pool, PoolProgram
from arcbatt.proposers import (
    Candidate,
    Context,
    Offer,
    Proposal,
    Proposer,
    ProposerOptions,
    make_proposers,
    registry,
)
from arcbatt.proposers.evolve import EvolveOptions
from arcbatt.proposers.first_programs import fill_pool
from arcbatt.scoring import read_submission
from arcbatt.solving import Loop
from arcbatt.tasks import Grid, Pair, Task, load

MIRROR = "def solve(I):\n    O = vmirror(I)\n    return O\n"
FLIP = "def solve(I):\n    O = hmirror(I)\n    return O\n"
FOREVER_S = 1e6
HOSTILE = (
    "../../escape",
    "</script><script>alert(1)</script>",
    "a'\"&<b>",
    "ünïcødé 図",
    "x" * 300,
    "def",
    "1",
    "a-b",
    "a_b",
)


def task_named(name: str) -> Task:
    """A task that `vmirror` solves."""
    # Each task has its own pair, since a pool identifies tasks by content, not by name.
    color = sum(name.encode()) % 10
    pair = Pair(((1, 2), (3, 4)), ((2, 1), (4, 3)))
    own = Pair(((color, 2), (5, 5)), ((2, color), (5, 5)))
    return Task(name, (pair, own), (((5, 6), (7, 8)), ((9, 0),)), "tests")


def contradiction() -> Task:
    """A task whose demos contradict each other: nothing fits it."""
    pairs = tuple(Pair(((3, 0), (0, 0)), ((k, 0), (0, k))) for k in range(4))
    return Task("contradiction", pairs, (((3, 3), (0, 0)),), "tests")


def huge_task() -> Task:
    """Grids as large as they can be, of noise that nothing explains."""

    def grid(seed: int) -> Grid:
        return tuple(
            tuple((seed * r * r + 7 * c * c * c + r * c) % 10 for c in range(30)) for r in range(30)
        )

    pairs = tuple(Pair(grid(k), grid(k + 50)) for k in range(4))
    return Task("huge", pairs, tuple(grid(k + 99) for k in range(3)), "tests")


def training(*names: str) -> list[Task]:
    tasks = load("arc-agi-1/training")
    return [tasks[name] for name in names]


def trial_for(
    task: Task, text: str = MIRROR, *, family: str = "vmirror", bits: float = 0.1, **changes: Any
) -> tuple[Proposal, Trial]:
    """A proposal and its trial, which gives each test input mirrored, as the program would."""
    program = changes.pop("program", None) or parse_program(text)
    content: dict[str, Any] = {
        "task": task,
        "program": program,
        "n_fitted": len(task.demos),
        "credit": 1000,
        "steps": 10,
        "outputs": tuple(tuple(row[::-1] for row in grid) for grid in task.test_inputs),
    }
    return Proposal(program, task, family, bits), Trial(**{**content, **changes})


def candidate_for(
    task: Task,
    text: str = MIRROR,
    *,
    proposer: str = "scripted",
    trust: float = 1.0,
    **changes: Any,
) -> Candidate:
    return Candidate(*trial_for(task, text, **changes), proposer, trust, 0.5)


def kept_candidates(loop: Loop) -> dict[str, list[dict[str, Any]]]:
    """Return the kept candidates of each task in the form that a ledger stores as JSON."""
    return {
        task.id: [
            {
                "program": each.program.hash,
                "proposer": each.proposer,
                "trust": each.trust,
                "family": each.proposal.family,
                "bits": each.proposal.bits,
                "found_s": each.found_s,
                "fit": [each.trial.n_fitted, each.trial.credit, each.trial.steps],
                "held out": [each.trial.learns, each.trial.n_held_out],
                "copies": each.trial.n_copies,
                "outputs": json.loads(json.dumps(each.trial.outputs)),
            }
            for each in loop.candidates(task).kept
        ]
        for task in loop.tasks
    }


Script = Callable[[Sequence[Task], Context], None]


def offer_all(tasks: Sequence[Task], context: Context) -> None:
    for task in tasks:
        context.keep(*trial_for(task))


def nothing(_tasks: Sequence[Task], _context: Context) -> None:
    pass


class Scripted:
    """A proposer that calls a function in every round."""

    trust = 1.0

    def __init__(
        self,
        do: Script,
        name: str = "scripted",
        *,
        n_rounds: int = 1,
        gain: float = 1.0,
        cost_s: float = 1.0,
    ) -> None:
        self.name = name
        self.gain, self.cost_s = gain, cost_s
        self.n_finished = 0
        self._do = do
        self._n_rounds = n_rounds

    def next_offer(self, context: Context) -> Offer | None:
        n_done = context.state() or 0
        if n_done >= self._n_rounds:
            return None
        return Offer(f"round {n_done + 1}", context.board.tasks, self.gain, self.cost_s)

    def work(self, offer: Offer, context: Context) -> None:
        n_done = (context.state() or 0) + 1
        context.save_state(n_done)
        self._do(offer.tasks, context)
        context.log({"n_pairs": 1, "wall_s": 0.5, "engine_s": 0.25, "note": n_done})

    def finish(self, context: Context) -> None:
        self.n_finished += 1

    def counts(self) -> Mapping[str, Mapping[str, Any]]:
        return {}


def register_scripted(monkeypatch: pytest.MonkeyPatch, make: Callable[[], Proposer]) -> None:
    """Register a proposer named "scripted"."""
    makers = {**registry.PROPOSERS, "scripted": lambda _options: make()}
    monkeypatch.setattr(registry, "PROPOSERS", makers)


def solved_by(
    names: Sequence[str],
    tasks: Sequence[Task],
    *,
    max_rounds: int = 4,
    library: bool = True,
    seed: int = 0,
    off: Collection[str] = (),
    n_threads: int = 1,
    programs: Sequence[Program] | None = None,
) -> Loop:
    """Run proposers on tasks for up to `max_rounds` rounds each; return the loop.

    If given, `programs` replace the library.
    """
    with Pool.in_memory() as pool:
        fill_pool(pool, library=library and programs is None)
        pool.add_programs([PoolProgram.of(program, "import") for program in programs or ()])
        options = ProposerOptions(evolve=EvolveOptions(seed=seed), off=frozenset(off))
        board = TaskBoard(tasks, device="cpu", n_threads=n_threads)
        loop = Loop(board, pool, make_proposers(names, options))
        loop.run(FOREVER_S, max_rounds)
    return loop


@contextmanager
def default_signals() -> Iterator[None]:
    """Set the signal handlers of a terminal, also where tests run in the background."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *TERMINATION)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in TERMINATION:
        signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def check_submission_file(path: Path, tasks: Sequence[Task]) -> dict[str, Any]:
    """Check that a submission has two distinct grids per test input of these tasks, and no more."""
    submission = read_submission(path)
    assert submission.keys() == {task.id for task in tasks}
    for task in tasks:
        assert len(submission[task.id]) == len(task.test_inputs)
        for attempts in submission[task.id]:
            assert attempts["attempt_1"] != attempts["attempt_2"]
    content: dict[str, Any] = json.loads(path.read_bytes())
    return content
