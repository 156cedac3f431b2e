"""What goes into a pool and what comes out of it, as plain rows."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import Any, Literal, get_args

from arcbatt.language import ParsedProgram, Program, ProgramError, format_program, to_program
from arcbatt.language.parse import MAX_COLUMNS, MAX_LINES, MAX_PROGRAM_BYTES
from arcbatt.tasks import Grid, Task

from .errors import shown

Kind = Literal["solver", "differ"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# A program's name says what it is, also in a file.
DIFFER_PREFIX = "differ_"

LIBRARY = "library"
IMPORT = "import"

MAX_CREDIT = 1000


def kind_of(name: str) -> Kind:
    """Return what a program of this name is."""
    return "differ" if name.startswith(DIFFER_PREFIX) else "solver"


def task_key(task: Task) -> bytes:
    """Return the digest under which a pool knows a task."""
    return bytes.fromhex(task.digest)


@dataclass(frozen=True, slots=True)
class Card:
    """One deal: the seed it was drawn with (of up to 63 bits), how many parents, and when."""

    seed: int
    size: int
    generation: int
    started_at: float = field(default_factory=time.time)


@dataclass(frozen=True, slots=True)
class NewProgram:
    """A program to keep in a pool. Make it by `NewProgram.of`.

    `origin` is "library", "import", or what made it; `card` the id that
    `Pool.add_card` gave; `parents` are digests.
    """

    digest: bytes
    name: str
    text: str
    kind: Kind
    n_calls: int
    origin: str
    card: int | None = None
    parents: tuple[bytes, ...] = ()
    found_at: float = field(default_factory=time.time)

    @classmethod
    def of(
        cls,
        program: Program | ParsedProgram,
        origin: str,
        *,
        kind: Kind | None = None,
        card: int | None = None,
        parents: tuple[bytes, ...] = (),
    ) -> NewProgram:
        """Return the row of a program; its kind is what its name says unless given.

        Raises `ProgramError` if its straight-line text could not be read back.
        """
        program = to_program(program)
        check_name(program.name)
        text = format_program(program)
        if len(text) > MAX_COLUMNS:
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


def check_name(name: str) -> None:
    """Refuse a name that a program's text could not have."""
    if not name.isidentifier() or iskeyword(name):
        raise ProgramError(f"{shown(name)!r} is no name for a program")


def _check_size(text: str) -> None:
    lines = text.split("\n")
    if len(text.encode()) > MAX_PROGRAM_BYTES:
        raise ProgramError(f"written one call a line it has more than {MAX_PROGRAM_BYTES} bytes")
    if len(lines) > MAX_LINES:
        raise ProgramError(f"written one call a line it has more than {MAX_LINES} lines")
    if max(map(len, lines)) > MAX_COLUMNS:
        raise ProgramError(f"written one call a line it has a line beyond {MAX_COLUMNS} columns")


@dataclass(frozen=True, slots=True)
class NewTrial:
    """What a program reached on a task. Make it by `NewTrial.of`.

    `credit` comes from differs, 0 to 1000. `n_held_out` is of programs that learn from the demos,
    and None where nothing is learnt or it is not known; `n_copies` counts the copies of the task
    on which the program gives the same. `proposer`, `family`, `bits` (the prior)
    and `found_s` (seconds of the run) say how it was found; `outputs` has for each test input a
    grid, or None where the program gives none.
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

    @classmethod
    def of(cls, program: bytes, task: Task, n_fitted: int, **rest: Any) -> NewTrial:
        """Return the trial of the program with this digest; `rest` are the other fields."""
        return cls(program, task_key(task), task.id, task.source, n_fitted, len(task.demos), **rest)


@dataclass(frozen=True, slots=True)
class TrialRow:
    """A trial of the pool that has outputs, with the program's name and text."""

    program: bytes
    task: bytes
    task_name: str
    set_name: str
    n_fitted: int
    n_demos: int
    credit: int
    steps: int
    learns: bool
    n_held_out: int | None
    n_copies: int
    proposer: str
    family: str
    bits: float
    found_s: float
    outputs: tuple[Grid | None, ...]
    found_at: float
    name: str
    text: str

    @property
    def fits(self) -> bool:
        return self.n_fitted == self.n_demos


@dataclass(frozen=True, slots=True)
class NewWork:
    """Work that a proposer has finished on a task. Make it by `NewWork.of`."""

    task: bytes
    task_name: str
    set_name: str
    proposer: str
    item: str
    counts: Mapping[str, Any]
    done_at: float = field(default_factory=time.time)

    @classmethod
    def of(cls, task: Task, proposer: str, item: str, counts: Mapping[str, Any]) -> NewWork:
        """Return the row; `item` is the proposer's own name for what it did."""
        return cls(task_key(task), task.id, task.source, proposer, item, counts)


@dataclass(frozen=True, slots=True)
class Work:
    """Work that a proposer has finished on a task, with what it counted."""

    task: bytes
    proposer: str
    item: str
    counts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PoolProgram:
    """A program of the pool, with how it came about."""

    digest: bytes
    name: str
    text: str
    kind: Kind
    n_calls: int
    origin: str
    found_at: float
    card: Card | None
    parents: tuple[bytes, ...]

    @property
    def hash(self) -> str:
        """The program's identity: 32 hexadecimal digits."""
        return self.digest.hex()


@dataclass(frozen=True, slots=True)
class ProgramSummary:
    """A program of the pool with what it has reached over all tasks."""

    digest: bytes
    name: str
    text: str
    kind: Kind
    n_calls: int
    origin: str
    n_fits: int
    best_fitted: int | None
    best_credit: int | None

    @property
    def hash(self) -> str:
        return self.digest.hex()


@dataclass(frozen=True, slots=True)
class Scored:
    """A program of the pool and what it reached on one task: what selection draws from."""

    program: bytes
    name: str
    text: str
    n_calls: int
    task: bytes
    task_name: str
    set_name: str
    n_fitted: int
    n_demos: int
    credit: int
    steps: int
    found_at: float

    @property
    def fits(self) -> bool:
        return self.n_fitted == self.n_demos


def outputs_to_json(outputs: tuple[Grid | None, ...] | None) -> str | None:
    """Return how a pool writes outputs."""
    return None if outputs is None else json.dumps(outputs, separators=(",", ":"))
