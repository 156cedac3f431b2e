"""Recorded calls: files of them in, calls with what they gave out.

A file holds one JSON object a line: `{"op": name, "args": [...], "out": value}`. Encoding: a
number is an int; `{"bool": b}`; `{"tuple": [...]}`; `{"rows": [[...]]}` a tuple of int tuples;
`{"set": [...]}`; `{"prim": name}` a primitive as a value; `{"call": [name, args...]}` the
function that this call returns; `{"none": 0}`; as a result, `{"error": 1}` says that the
call fails.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from arcbatt.language.failure import Failure
from arcbatt.language.interpreter import evaluate_call
from arcbatt.language.registry import find_primitive, suggest
from arcbatt.language.values import Function, Value, content_hash, format_value

# The calls that come with the package.
SHIPPED = Path(__file__).parent / "primitives.jsonl.gz"


@dataclass(frozen=True, slots=True)
class Hashed:
    """A value of which only the content hash is known: all that a batt keeps of it."""

    hash: int

    def __str__(self) -> str:
        return f"a value of hash {self.hash:016x}"


CallOutcome: TypeAlias = "Value | Failure | Hashed"


class RecordError(ValueError):
    """A line of a file of recorded calls that cannot be read."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A primitive, its arguments and what it gave; `wanted` None stands for a failure."""

    line: int
    name: str
    args: tuple[Value, ...]
    wanted: Value
    fails: bool

    def agrees(self, outcome: CallOutcome) -> bool:
        if isinstance(outcome, Failure):
            return self.fails
        if isinstance(outcome, Hashed):
            return not self.fails and outcome.hash == content_hash(self.wanted)
        return not self.fails and outcome == self.wanted

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(format_value, self.args))})"


@dataclass(frozen=True, slots=True)
class Difference:
    """A recorded call that an engine answers otherwise."""

    call: RecordedCall
    outcome: CallOutcome

    @property
    def recorded(self) -> str:
        """The recorded result, as text."""
        if self.call.fails:
            return "failure"
        value = format_value(self.call.wanted)
        if isinstance(self.outcome, Hashed):
            value += f", of hash {content_hash(self.call.wanted):016x}"
        return value

    @property
    def got(self) -> str:
        """The result that came, as text."""
        if isinstance(self.outcome, Failure):
            return f"failure: {self.outcome}"
        return str(self.outcome) if isinstance(self.outcome, Hashed) else format_value(self.outcome)

    def __str__(self) -> str:
        where = f"line {self.call.line}: {self.call}"
        return f"{where}\n  recorded: {self.recorded}\n  got:      {self.got}"


def read_recorded(path: Path) -> Iterator[RecordedCall]:
    """The calls of a file, plain or gzipped."""
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _read_line(line, number, path)
    except RecordError:
        raise
    except OSError as error:  # a file that is missing, no file, or no gzip
        raise RecordError(f"{path.name}: cannot be read: {error.strerror or error}") from error
    except (EOFError, UnicodeDecodeError, zlib.error) as error:
        raise RecordError(f"{path.name}: cannot be read: {error}") from error


def _read_line(line: str, number: int, path: Path) -> RecordedCall:
    try:
        record = json.loads(line)
        name, args, out = record["op"], record["args"], record["out"]
        fails = out == {"error": 1}
        wanted = None if fails else decode(out)
        return RecordedCall(number, name, tuple(map(decode, args)), wanted, fails)
    except json.JSONDecodeError as error:
        reason = f"column {error.colno}: {error.msg}"
        raise RecordError(f"{path.name}: line {number}: {reason}") from error
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        reason = f"no {error} in the record" if isinstance(error, KeyError) else str(error)
        raise RecordError(f"{path.name}: line {number}: {reason}") from error


def decode(encoded: Any) -> Value:
    """A value from its JSON form."""
    if type(encoded) is int:
        return encoded
    if not isinstance(encoded, dict) or len(encoded) != 1:
        raise ValueError(f"{encoded!r} encodes no value")
    ((kind, content),) = encoded.items()
    match kind:
        case "bool":
            return bool(content)
        case "none":
            return None
        case "tuple":
            return tuple(map(decode, content))
        case "rows":
            return tuple(tuple(map(decode, row)) for row in content)
        case "set":
            return frozenset(map(decode, content))
        case "prim":
            return Function(_name(content))
        case "call":
            name, *args = content
            made = evaluate_call(_name(name), tuple(map(decode, args)))
            if isinstance(made, Failure):
                raise ValueError(f"{name}(...) gives no function: {made}")
            return made
        case _:
            raise ValueError(f"{kind!r} is no kind of value")


def _name(spelling: str) -> str:
    primitive = find_primitive(spelling)
    if primitive is None:
        raise ValueError(f"unknown primitive {spelling!r} {suggest(spelling)}".rstrip())
    return primitive.name
