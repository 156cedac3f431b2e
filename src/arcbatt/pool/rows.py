"""What goes into a pool and what comes out of it, as plain rows."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import Literal, get_args

from arcbatt.language import Program, ProgramError, format_program
from arcbatt.language.parse import MAX_COLUMNS, MAX_LINES, MAX_PROGRAM_BYTES
from arcbatt.tasks import Task

Kind = Literal["solver", "differ"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# A program's name says what it is, also in a file.
DIFFER_PREFIX = "differ_"

LIBRARY = "library"
IMPORT = "import"

POINTS_A_DEMO = 1000


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
    """A program to keep. Make it by `NewProgram.of`.

    `origin` is "library", "import", or the mutation that made it; `card` the id that
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
        program: Program,
        origin: str,
        *,
        kind: Kind | None = None,
        card: int | None = None,
        parents: tuple[bytes, ...] = (),
    ) -> NewProgram:
        """Return the row of a program; its kind is what its name says unless given.

        Raises `ProgramError` if its straight-line text could not be read back.
        """
        if not program.name.isidentifier() or iskeyword(program.name):
            raise ProgramError(f"{program.name!r} is no name for a program")
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


def _check_size(text: str) -> None:
    lines = text.split("\n")
    if len(text.encode()) > MAX_PROGRAM_BYTES:
        raise ProgramError(f"written one call a line it has more than {MAX_PROGRAM_BYTES} bytes")
    if len(lines) > MAX_LINES:
        raise ProgramError(f"written one call a line it has more than {MAX_LINES} lines")
    if max(map(len, lines)) > MAX_COLUMNS:
        raise ProgramError(f"written one call a line it has a line beyond {MAX_COLUMNS} columns")


@dataclass(frozen=True, slots=True)
class NewScore:
    """What a program reached on the demos of a task. `partial` comes from differs, 0 to 1000."""

    program: bytes
    task: bytes
    task_name: str
    set_name: str
    n_matched: int
    n_demos: int
    partial: int = 0
    steps: int = 0
    found_at: float = field(default_factory=time.time)

    @classmethod
    def of(
        cls, program: bytes, task: Task, n_matched: int, *, partial: int = 0, steps: int = 0
    ) -> NewScore:
        return cls(
            program,
            task_key(task),
            task.id,
            task.source,
            n_matched,
            len(task.demos),
            partial,
            steps,
        )


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
    kind: Kind
    n_calls: int
    origin: str
    n_solved: int
    best_score: int | None
    best_partial: int | None

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
    n_matched: int
    n_demos: int
    partial: int
    steps: int
    found_at: float

    @property
    def score(self) -> int:
        return POINTS_A_DEMO * self.n_matched

    @property
    def solved(self) -> bool:
        return self.n_matched == self.n_demos


@dataclass(frozen=True, slots=True)
class SolvedTask:
    """A task that some program of the pool solves; `program` is the cheapest."""

    task: bytes
    name: str
    set_name: str
    n_programs: int
    program: bytes
    steps: int
