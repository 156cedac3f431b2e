"""Rows of a pool: programs, trials and finished work, as they are written and read."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import Any, Literal

from arcbatt.language import ParsedProgram, Program, ProgramError, format_program, to_program
from arcbatt.language.parse import MAX_PROGRAM_BYTES, MIN_LONG_TEXT
from arcbatt.language.tree_reader import MAX_LINES
from arcbatt.tasks import Grid, Task

from .errors import abbreviate

ProgramKind = Literal["solver", "differ"]

# A program's name says what it is, also in a file.
DIFFER_PREFIX = "differ_"

LIBRARY = "library"
IMPORT = "import"

MAX_CREDIT = 1000


def kind_of(name: str) -> ProgramKind:
    """Return the kind of a program with this name."""
    return "differ" if name.startswith(DIFFER_PREFIX) else "solver"


def task_key(task: Task) -> bytes:
    """Return the digest that identifies a task in a pool."""
    return bytes.fromhex(task.digest)


@dataclass(frozen=True, slots=True)
class PoolCard:
    """One deal: the seed of its draws (up to 63 bits), its size, its number, its start time."""

    seed: int
    size: int
    generation: int
    started_at: float = field(default_factory=time.time)


@dataclass(frozen=True, slots=True)
class PoolProgram:
    """A program in a pool. Use `PoolProgram.of` to make one.

    `origin` is "library", "import", or the name of the mutation or proposer that made it; `card`
    is the deal it came from, if any; `parents` are digests.
    """

    digest: bytes
    name: str
    text: str
    kind: ProgramKind
    n_calls: int
    origin: str
    card: PoolCard | None = None
    parents: tuple[bytes, ...] = ()
    found_at: float = field(default_factory=time.time)

    @classmethod
    def of(
        cls,
        program: Program | ParsedProgram,
        origin: str,
        *,
        kind: ProgramKind | None = None,
        card: PoolCard | None = None,
        parents: tuple[bytes, ...] = (),
    ) -> PoolProgram:
        """Return the row of a program; unless `kind` is given, the name determines it.

        Raises `ProgramError` if the straight-line text could not be parsed again.
        """
        program = to_program(program)
        check_name(program.name)
        text = format_program(program)
        if len(text) > MIN_LONG_TEXT:
            _check_size(text)
        return cls(
            digest=program.result.digest,
            name=program.name,
            text=text,
            kind=kind or kind_of(program.name),
            n_calls=program.n_calls,
            origin=origin,
            card=card,
            parents=parents,
        )

    @property
    def hash(self) -> str:
        """The program's identity as 32 hexadecimal digits."""
        return self.digest.hex()


def check_name(name: str) -> None:
    """Raise `ProgramError` unless a program's text could have this name."""
    if not name.isidentifier() or iskeyword(name):
        raise ProgramError(f"{abbreviate(name)!r} is not a valid program name")


def _check_size(text: str) -> None:
    lines = text.split("\n")
    if len(text.encode()) > MAX_PROGRAM_BYTES:
        raise ProgramError(f"with one call per line it has more than {MAX_PROGRAM_BYTES} bytes")
    if len(lines) > MAX_LINES:
        raise ProgramError(f"with one call per line it has more than {MAX_LINES} lines")


@dataclass(frozen=True, slots=True)
class PoolTrial:
    """The result of a program on a task, as a pool stores it. Use `PoolTrial.of` to make one.

    `credit` is the differs' score, 0 to 1000. `n_held_out` is None if the program does not learn
    from the demos or the number is unknown; `n_copies` counts the copies of the task on which the
    program behaves the same. `proposer`, `family`, `bits` (the prior) and `found_s` (seconds into
    the run) tell how it was found. `outputs` has one entry per test input: a grid, or None if the
    program gives none; it is None as a whole if the program was not run on the test inputs. `name`
    and `text` are the program's and are only filled in by reading.
    """

    program: bytes
    task: bytes
    task_name: str
    set_name: str
    n_fitted: int
    n_demos: int
    credit: int = 0
    steps: int = 0
    learns: bool = False
    n_held_out: int | None = None
    n_copies: int = 0
    proposer: str = ""
    family: str = ""
    bits: float = 0.0
    found_s: float = 0.0
    outputs: tuple[Grid | None, ...] | None = None
    found_at: float = field(default_factory=time.time)
    name: str = ""
    text: str = ""

    @classmethod
    def of(cls, program: bytes, task: Task, n_fitted: int, **rest: Any) -> PoolTrial:
        """Return the trial of the program with this digest; `rest` are the other fields."""
        return cls(program, task_key(task), task.id, task.source, n_fitted, len(task.demos), **rest)

    @property
    def fits(self) -> bool:
        """Whether the program gets all demos right."""
        return self.n_fitted == self.n_demos


@dataclass(frozen=True, slots=True)
class PoolWork:
    """One item of work that a proposer finished on a task. Use `PoolWork.of` to make one."""

    task: bytes
    task_name: str
    set_name: str
    proposer: str
    item: str
    counts: Mapping[str, Any]
    done_at: float = field(default_factory=time.time)

    @classmethod
    def of(cls, task: Task, proposer: str, item: str, counts: Mapping[str, Any]) -> PoolWork:
        """Return the row; `item` is the proposer's own name for the work."""
        return cls(task_key(task), task.id, task.source, proposer, item, counts)


@dataclass(frozen=True, slots=True)
class ProgramSummary:
    """A program with its best results over all tasks."""

    digest: bytes
    name: str
    text: str
    kind: ProgramKind
    n_calls: int
    origin: str
    n_fits: int
    best_fitted: int | None
    best_credit: int | None

    @property
    def hash(self) -> str:
        """The program's identity as 32 hexadecimal digits."""
        return self.digest.hex()


def outputs_to_json(outputs: tuple[Grid | None, ...] | None) -> str | None:
    """Return outputs as a pool writes them."""
    return None if outputs is None else json.dumps(outputs, separators=(",", ":"))
