"""What driver and workers write to each other: plain data in, compressed bytes out, and back.

| message | from | what it has |
| --- | --- | --- |
| `Hello` | a worker, first of all | versions, where it runs, on what |
| `Setup` | the driver, once | options of the run, tasks, known programs |
| `Ready` | a worker | that it has understood |
| `Unit` | the driver | one piece of work: proposer, item, tasks, time |
| `Result` | a worker | what was done of it, call by call of `Context`, in order |

Programs travel as text and are parsed again, trials as their fields. A message that the other side
did not write so is a `MessageError`. Nothing in them can be run.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self

from arcbatt.evaluation import Trial
from arcbatt.language import Program, ProgramError, Reason
from arcbatt.pool import NewProgram, read_program
from arcbatt.proposers import Candidate, Proposal
from arcbatt.tasks import Task
from arcbatt.tasks.validation import TaskError, parse_task

from ..run_folder import run_versions

# Another number is another way to write messages.
FORMAT = 1
# Fast: messages are small, and the driver has many of them.
LEVEL = 1
# Those of a proposal and a trial that are sent once for both, or by another name.
_SENT_APART = ("program", "task")


class MessageError(ValueError):
    """A message is not what the other side should write; says what is wrong."""


def versions() -> dict[str, str]:
    """Return what must be the same on the driver and on every worker."""
    return {
        **run_versions(),
        "messages": str(FORMAT),
    }


@dataclass(frozen=True)
class Message:
    """A message: its fields are plain data."""

    def to_bytes(self) -> bytes:
        content = {each.name: getattr(self, each.name) for each in fields(self)}
        text = json.dumps([type(self).__name__, content], separators=(",", ":"))
        return zlib.compress(text.encode(), LEVEL)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the message that bytes are; another kind of message is a `MessageError`."""
        name, content = _read(data)
        if name != cls.__name__:
            raise MessageError(f"expected a {cls.__name__}, got a {name}")
        try:
            return cls(**content)
        except TypeError as error:
            raise MessageError(f"{name}: {error}") from None


def kind_of(data: bytes) -> str:
    """Return the name of the class of a message."""
    return _read(data)[0]


def _read(data: bytes) -> tuple[str, dict[str, Any]]:
    try:
        name, content = json.loads(zlib.decompress(data))
    except (zlib.error, ValueError, TypeError) as error:
        raise MessageError(f"not a message: {error}") from None
    if not isinstance(name, str) or not isinstance(content, dict):
        raise MessageError("not a message: expected a name and an object")
    return name, content


@dataclass(frozen=True)
class Hello(Message):
    """A worker has begun: what it is and where, with the GPUs that it was given."""

    versions: Mapping[str, str]
    host: str
    pid: int
    n_threads: int
    device: str
    gpus: Sequence[str] = ()


@dataclass(frozen=True)
class Setup(Message):
    """What all units of a run have in common."""

    config: Mapping[str, Any]
    tasks: Sequence[Mapping[str, Any]]
    known: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Ready(Message):
    """A worker has taken its setup."""


@dataclass(frozen=True)
class Unit(Message):
    """One piece of work.

    `tasks` are ids. `done` has by item and task what this proposer has noted, `candidates` what is
    kept for the tasks, if the offer reads that. With `slice_s` the proposer works as an island:
    round after round, `max_rounds` at most, until that much time is spent, going on from
    where it stood; otherwise once, from nothing but what is here.
    """

    id: str
    proposer: str
    item: str
    tasks: Sequence[str]
    gain: float
    cost_s: float
    allowance_s: float
    n_rounds: int
    done: Mapping[str, Mapping[str, Mapping[str, Any]]]
    state: Any = None
    candidates: Sequence[Any] | None = None
    traced: Sequence[str] = ()
    slice_s: float | None = None
    max_rounds: int | None = None


@dataclass(frozen=True)
class Result(Message):
    """What came of a unit.

    `calls` are those of `Context` that change something, in order, with plain arguments. An island
    has worked `n_rounds`, and `has_ended` if it has nothing more to do. `error` is why the unit
    could not be done, `is_memory` whether for lack of memory. `ran_on` counts results of
    screening by device; `trouble` is what is wrong with the engine.
    """

    unit: str
    calls: Sequence[Sequence[Any]]
    wall_s: float
    cpu_s: float
    n_rounds: int = 1
    has_ended: bool = False
    error: str | None = None
    is_memory: bool = False
    ran_on: Mapping[str, int] = field(default_factory=dict)
    trouble: str | None = None


# --- what messages are made of ---


def task_to_json(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "source": task.source,
        "train": [{"input": demo.input, "output": demo.output} for demo in task.demos],
        "test": [{"input": grid} for grid in task.test_inputs],
    }


def task_from_json(content: Mapping[str, Any]) -> Task:
    try:
        return parse_task(content["id"], content, content["source"], "setup")
    except (KeyError, TaskError) as error:
        raise MessageError(f"a task cannot be read: {error}") from None


def program_to_json(program: Program) -> list[str]:
    """Return a program as plain data; a `ProgramError` if its text could not be read back."""
    row = NewProgram.of(program, "")
    return [row.digest.hex(), row.name, row.text]


def program_from_json(content: Sequence[str]) -> Program:
    digest, name, text = content
    try:
        return read_program(bytes.fromhex(digest), name, text)
    except ProgramError as error:
        raise MessageError(f"a program cannot be read: {error}") from None


def found_to_json(proposal: Proposal, trial: Trial) -> dict[str, Any]:
    """Return a proposal with its trial as plain data.

    A program that is too large to be written is None: it cannot be kept, only counted.
    """
    try:
        program = program_to_json(proposal.program)
    except ProgramError:
        program = None
    return {
        "program": program,
        "task": trial.task.id,
        "proposal": _fields_of(proposal),
        "trial": _fields_of(trial),
    }


def found_from_json(
    content: Mapping[str, Any], tasks: Mapping[str, Task]
) -> tuple[Proposal, Trial]:
    """Return what `found_to_json` wrote of a program that can be written."""
    try:
        task = tasks[content["task"]]
        program = program_from_json(content["program"])
        trial = {name: _tuples(value) for name, value in content["trial"].items()}
        if trial["failure"] is not None:
            trial["failure"] = Reason(trial["failure"])
        proposal = {name: _tuples(value) for name, value in content["proposal"].items()}
        return (
            Proposal(program=program, task=task, **proposal),
            Trial(program=program, task=task, **trial),
        )
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, MessageError):
            raise
        raise MessageError(f"a trial cannot be read: {error!r}") from None


def candidate_to_json(candidate: Candidate) -> dict[str, Any]:
    """Return a candidate as plain data; those that are kept can be written."""
    return {
        **found_to_json(candidate.proposal, candidate.trial),
        "proposer": candidate.proposer,
        "trust": candidate.trust,
        "found_s": candidate.found_s,
    }


def candidate_from_json(content: Mapping[str, Any], tasks: Mapping[str, Task]) -> Candidate:
    proposal, trial = found_from_json(content, tasks)
    return Candidate(proposal, trial, content["proposer"], content["trust"], content["found_s"])


def _fields_of(value: Proposal | Trial) -> dict[str, Any]:
    names = (each.name for each in fields(value) if each.name not in _SENT_APART)
    return {name: getattr(value, name) for name in names}


def _tuples(value: Any) -> Any:
    """Plain data with tuples for lists, as in what is frozen."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
