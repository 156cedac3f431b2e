"""Recorded calls of primitives, and their replay on an engine.

A file holds one JSON object per line: `{"op": name, "args": [...], "out": value}`. Values are
encoded as follows: a number is an int; `{"bool": b}`; `{"tuple": [...]}`; `{"rows": [[...]]}` is a
tuple of int tuples; `{"set": [...]}`; `{"prim": name}` is a primitive as a value; `{"call": [name,
args...]}` is the function that this call returns; `{"none": 0}`; as a result, `{"error": 1}` means
that the call fails.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from arcbatt.language.failure import Failure, Reason
from arcbatt.language.interpreter import evaluate_call
from arcbatt.language.registry import find_primitive, spellings
from arcbatt.language.values import Function, Value, content_hash, format_value
from arcbatt.suggestion import suggest

# The calls that come with the package.
SHIPPED = Path(__file__).parent / "primitives.jsonl.gz"


@dataclass(frozen=True, slots=True)
class Hashed:
    """A value known only by its content hash, which is all that a batt keeps."""

    hash: int

    def __str__(self) -> str:
        return f"a value with hash {self.hash:016x}"


CallOutcome: TypeAlias = "Value | Failure | Hashed"


class RecordError(ValueError):
    """A line of a file of recorded calls cannot be read."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A primitive, its arguments and its result; `wanted` is None if the call fails."""

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


Engine: TypeAlias = Callable[[Iterable[RecordedCall]], Iterator[tuple[RecordedCall, CallOutcome]]]


@dataclass(frozen=True, slots=True)
class Difference:
    """A recorded call with another outcome on an engine."""

    call: RecordedCall
    outcome: CallOutcome

    @property
    def recorded(self) -> str:
        """The recorded result as text."""
        if self.call.fails:
            return "failure"
        value = format_value(self.call.wanted)
        if isinstance(self.outcome, Hashed):
            value += f", with hash {content_hash(self.call.wanted):016x}"
        return value

    @property
    def got(self) -> str:
        """The engine's result as text."""
        if isinstance(self.outcome, Failure):
            return f"failure: {self.outcome}"
        return str(self.outcome) if isinstance(self.outcome, Hashed) else format_value(self.outcome)

    def __str__(self) -> str:
        where = f"line {self.call.line}: {self.call}"
        return f"{where}\n  recorded: {self.recorded}\n  got:      {self.got}"


def replay(calls: Iterable[RecordedCall], engine: Engine) -> tuple[int, list[Difference]]:
    """Run recorded calls; return their number and the differences, in order."""
    total = 0
    differences = []

    def known() -> Iterator[RecordedCall]:
        nonlocal total
        for call in calls:
            total += 1
            if find_primitive(call.name) is None:
                unknown = f"no primitive is named {call.name!r}{suggest(call.name, spellings())}"
                differences.append(Difference(call, Failure(Reason.TYPE, unknown)))
            else:
                yield call

    for call, outcome in engine(known()):
        if not call.agrees(outcome):
            differences.append(Difference(call, outcome))
    return total, sorted(differences, key=lambda difference: difference.call.line)


def read_recorded(path: Path) -> Iterator[RecordedCall]:
    """Yield the calls of a file, plain or gzipped."""
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _read_line(line, number, path)
    except RecordError:
        raise
    except OSError as error:  # missing, a folder, or not gzipped
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
    """Return the value that a JSON form encodes."""
    if type(encoded) is int:
        return encoded
    if not isinstance(encoded, dict) or len(encoded) != 1:
        raise ValueError(f"{encoded!r} does not encode a value")
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
                raise ValueError(f"{name}(...) does not return a function: {made}")
            return made
        case _:
            raise ValueError(f"{kind!r} is not a kind of value")


def _name(spelling: str) -> str:
    primitive = find_primitive(spelling)
    if primitive is None:
        raise ValueError(f"unknown primitive {spelling!r}{suggest(spelling, spellings())}")
    return primitive.name
