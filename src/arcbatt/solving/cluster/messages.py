"""Messages between driver and workers: plain data as compressed JSON.

| message | sender | content |
| --- | --- | --- |
| `Hello` | a worker, first | versions, host, device |
| `Setup` | the driver, once | options of the search, tasks, known programs |
| `Ready` | a worker | the setup was accepted |
| `Unit` | the driver | a piece of work: proposer, item, tasks, time |
| `Result` | a worker | its calls of `Context`, in order |

Programs travel as text, trials as their fields. A malformed message raises `MessageError`. Messages
contain nothing executable.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self

from arcbatt.evaluation import Trial
from arcbatt.language import Program, ProgramError, Reason
from arcbatt.pool import PoolProgram, read_program
from arcbatt.proposers import Candidate, Proposal
from arcbatt.tasks import Task
from arcbatt.tasks.validation import TaskError, parse_task

from ..run_folder import run_versions

# Increase with any change of the messages.
FORMAT = 2
# The fastest compression: the driver handles many small messages.
LEVEL = 1
# Fields that a proposal and its trial share.
_SENT_APART = ("program", "task")


class MessageError(ValueError):
    """A message is malformed."""


def versions() -> dict[str, str]:
    """Return the versions that driver and workers must share."""
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
        """Decode a message; raise `MessageError` if it is of another kind."""
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
    except (zlib.error, ValueError, TypeError, RecursionError) as error:
        raise MessageError(f"not a message: {error}") from None
    if not isinstance(name, str) or not isinstance(content, dict):
        raise MessageError("not a message: expected a name and an object")
    return name, content


@dataclass(frozen=True)
class Hello(Message):
    """A worker has started."""

    versions: Mapping[str, str]
    host: str
    pid: int
    n_threads: int
    device: str
    gpus: Sequence[str] = ()


@dataclass(frozen=True)
class Setup(Message):
    """The data that all units of a run share."""

    options: Mapping[str, Any]
    tasks: Sequence[Mapping[str, Any]]
    known: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Ready(Message):
    """A worker has accepted its setup."""


@dataclass(frozen=True)
class Unit(Message):
    """A piece of work.

    `tasks` are ids. `done` has the proposer's finished work by item and task, `candidates` those
    of the tasks, if the offer reads them. With `slice_s` the proposer works as an island: it
    continues where it stopped, for at most `max_rounds` rounds or until that time is spent.
    Otherwise it works once, from this message alone.
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
    """The result of a unit.

    `calls` are the calls of `Context` that change something, with plain arguments. An island
    reports its `n_rounds`, and `has_ended` if it has nothing left to do. `error` is the traceback
    of a failure, `is_memory` whether memory ran out. `ran_on` counts screening results by device.
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


# --- parts of messages ---


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
    """Return a program as plain data; raise `ProgramError` if its text could not be read back."""
    row = PoolProgram.of(program, "")
    return [row.digest.hex(), row.name, row.text]


def program_from_json(content: Sequence[str]) -> Program:
    digest, name, text = content
    try:
        return read_program(bytes.fromhex(digest), name, text)
    except ProgramError as error:
        raise MessageError(f"a program cannot be read: {error}") from None


def trial_to_json(proposal: Proposal, trial: Trial) -> dict[str, Any]:
    """Return a proposal with its trial as plain data.

    A program whose text is too long is None: it is counted, but cannot be kept.
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


def trial_from_json(
    content: Mapping[str, Any], tasks: Mapping[str, Task]
) -> tuple[Proposal, Trial]:
    """Return the proposal and trial that `trial_to_json` wrote."""
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
    """Return a kept candidate as plain data."""
    return {
        **trial_to_json(candidate.proposal, candidate.trial),
        "proposer": candidate.proposer,
        "trust": candidate.trust,
        "found_s": candidate.found_s,
    }


def candidate_from_json(content: Mapping[str, Any], tasks: Mapping[str, Task]) -> Candidate:
    proposal, trial = trial_from_json(content, tasks)
    return Candidate(proposal, trial, content["proposer"], content["trust"], content["found_s"])


def _fields_of(value: Proposal | Trial) -> dict[str, Any]:
    names = (each.name for each in fields(value) if each.name not in _SENT_APART)
    return {name: getattr(value, name) for name in names}


def _tuples(value: Any) -> Any:
    """Replace lists by tuples."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
