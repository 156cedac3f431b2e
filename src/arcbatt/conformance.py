"""Recorded calls: read a file of them and replay it on an engine.

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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from .engine import cpu
from .language.failure import Failure, Reason
from .language.interpret import evaluate_call
from .language.registry import find_primitive, suggest
from .language.values import Function, Value, format_value

CallOutcome: TypeAlias = "Value | Failure"
Engine: TypeAlias = Callable[[str, Sequence[Value]], CallOutcome]

ENGINES: dict[str, Engine] = {"reference": evaluate_call, "cpu": cpu.evaluate_call}


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
        return not self.fails and outcome == self.wanted

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(format_value, self.args))})"


@dataclass(frozen=True, slots=True)
class Difference:
    """A recorded call that an engine answers otherwise."""

    call: RecordedCall
    outcome: CallOutcome

    def __str__(self) -> str:
        wanted = "a failure" if self.call.fails else format_value(self.call.wanted)
        got = (
            f"failure ({self.outcome})"
            if isinstance(self.outcome, Failure)
            else format_value(self.outcome)
        )
        return f"line {self.call.line}: {self.call}\n  recorded: {wanted}\n  got:      {got}"


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


def replay(calls: Iterator[RecordedCall], engine: Engine) -> tuple[int, list[Difference]]:
    """Run recorded calls; returns how many there were, and the differences."""
    total = 0
    differences = []
    for call in calls:
        total += 1
        if find_primitive(call.name) is None:
            unknown = f"no primitive is named {call.name!r} {suggest(str(call.name))}".rstrip()
            differences.append(Difference(call, Failure(Reason.TYPE, unknown)))
            continue
        outcome = engine(call.name, call.args)
        if not call.agrees(outcome):
            differences.append(Difference(call, outcome))
    return total, differences
