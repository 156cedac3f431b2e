"""Rows of a pool in, what they say out; a row that says nothing sensible is left out and reported.

A pool is foreign input: SQLite puts a text or a blob where a number belongs if it is told to. So
each row is checked when it is read, and each text when it is parsed.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from arcbatt.language import Program, ProgramError, parse_program
from arcbatt.measure import phase
from arcbatt.tasks import Grid
from arcbatt.tasks.validation import parse_grid

from .errors import shown
from .rows import MAX_CREDIT, check_name

T = TypeVar("T")

DIGEST_BYTES = 16
MAX_NAMED = 3

# SQLite has no truth values, and JSON no mappings but one.
_STORED_AS = {bool: int, Mapping: dict}

OnSkip = Callable[[str], None]
"""Is told which row was left out, and why."""


def is_digest(value: object) -> bool:
    """Return whether this is how a pool names a program or a task."""
    return isinstance(value, bytes) and len(value) == DIGEST_BYTES


class UnreadableRow(ValueError):
    """A row that is not what a pool writes; the message says why."""


@contextmanager
def reporting(place: str, on_skip: OnSkip | None) -> Iterator[OnSkip]:
    """Give what takes the rows that were left out; without `on_skip` a warning sums them up."""
    if on_skip is not None:
        yield on_skip
        return
    skipped: list[str] = []
    try:
        yield skipped.append
    finally:
        if skipped:
            named = ", ".join(skipped[:MAX_NAMED]) + ", ..." * (len(skipped) > MAX_NAMED)
            count = "1 row" if len(skipped) == 1 else f"{len(skipped):,} rows"
            warnings.warn(
                f"{count} of {place} cannot be read and {'was' if len(skipped) == 1 else 'were'} "
                f"left out: {named}",
                RuntimeWarning,
                stacklevel=3,
            )


def make_rows(make: type[T], found: Iterable[Sequence[Any]], skip: OnSkip) -> Iterator[T]:
    """Yield rows of SQLite's values as `make`, a dataclass; those of wrong types are skipped."""
    for values in found:
        try:
            check_values(make, values)
        except UnreadableRow as error:
            skip(str(error))
        else:
            yield make(*values)


def check_values(make: type, values: Sequence[Any]) -> None:
    """Refuse values that are not of the types that the fields of `make` have."""
    fields = _fields_of(make)
    for (name, allowed), value in zip(fields.items(), values, strict=True):
        if isinstance(allowed, frozenset):
            if value not in allowed:
                raise _unreadable(fields, values, f"{name} is {shown(value)}")
        elif type(value) not in allowed:
            what = type(value).__name__.removesuffix("Type")
            raise _unreadable(fields, values, f"{name} is of type {what}")
        elif type(value) is bytes and not is_digest(value):
            raise _unreadable(fields, values, f"{name} has {len(value)} bytes, not {DIGEST_BYTES}")
    if "n_demos" in fields:
        row = dict(zip(fields, values, strict=True))
        if not 0 <= row["n_fitted"] <= row["n_demos"] or not row["n_demos"]:
            raise _unreadable(fields, values, f"{row['n_fitted']} of {row['n_demos']} demos")
        if not 0 <= row["credit"] <= MAX_CREDIT:
            raise _unreadable(fields, values, f"a credit of {row['credit']}")
        n_held_out = row.get("n_held_out")
        if n_held_out is not None and not (row["learns"] and 0 <= n_held_out <= row["n_demos"]):
            raise _unreadable(fields, values, f"{n_held_out} demos held out")
        if row.get("n_copies", 0) < 0:
            raise _unreadable(fields, values, f"{row['n_copies']} copies")


def _unreadable(fields: Iterable[str], values: Sequence[Any], why: str) -> UnreadableRow:
    row = dict(zip(fields, values, strict=True))
    names = (row.get(key) for key in ("name", "program", "digest", "item", "kind"))
    known = (each.hex() if isinstance(each, bytes) else each for each in names)
    name = next((each for each in known if isinstance(each, str) and each), "a row")
    return UnreadableRow(f"{shown(name)}: {why}")


@cache
def _fields_of(make: type) -> dict[str, tuple[type, ...] | frozenset[Any]]:
    """Return the fields in order, each with the types or, of a `Literal`, the values allowed."""
    fields: dict[str, tuple[type, ...] | frozenset[Any]] = {}
    for name, hint in get_type_hints(make).items():
        if get_origin(hint) is Literal:
            fields[name] = frozenset(get_args(hint))
        else:
            types = get_args(hint) if isinstance(hint, UnionType) else (hint,)
            plain = (get_origin(each) or each for each in types)
            fields[name] = tuple(_STORED_AS.get(each, each) for each in plain)
    return fields


@phase("load")
def read_program(digest: bytes, name: str, text: str) -> Program:
    """Return the program of a row under the row's name.

    Raises `ProgramError` if the text is no program, or not the one that the digest names.
    """
    check_name(name)
    program = parse_program(text)
    if program.result.digest != digest:
        raise ProgramError("its text is not the program that its hash names")
    return Program(program.result, name)


def describe_unreadable(name: str, error: ProgramError) -> str:
    """Return what is said of a program that cannot be read."""
    return f"{shown(name)}: {error.message}"


def make_trials(make: type[T], found: Iterable[Sequence[Any]], skip: OnSkip) -> Iterator[T]:
    """Yield rows as `make`, which has the fields of a trial; `outputs` comes as JSON."""
    for row in _rows_with_json(make, found, "outputs", _outputs_from_json, skip):
        yield make(**{**row, "learns": bool(row["learns"])})


def make_work(make: type[T], found: Iterable[Sequence[Any]], skip: OnSkip) -> Iterator[T]:
    """Yield rows as `make`, which has the fields of finished work; `counts` comes as JSON."""
    for row in _rows_with_json(make, found, "counts", json.loads, skip):
        yield make(**row)


def _rows_with_json(
    make: type,
    found: Iterable[Sequence[Any]],
    column: str,
    read: Callable[[str], Any],
    skip: OnSkip,
) -> Iterator[dict[str, Any]]:
    """Yield rows by the names of the fields of `make`, what `read` makes of a column's JSON in it.

    Those that cannot be read, or are of wrong types then, are skipped.
    """
    for values in found:
        row: dict[str, Any] = dict(zip(_fields_of(make), values, strict=True))
        try:
            if isinstance(row[column], str):
                row[column] = read(row[column])
            check_values(make, list(row.values()))
        except UnreadableRow as error:
            skip(str(error))
        except (ValueError, RecursionError) as error:
            skip(str(_unreadable(row, values, f"{column}: {shown(str(error))}")))
        else:
            yield row


def _outputs_from_json(text: str) -> tuple[Grid | None, ...]:
    content = json.loads(text)
    if not isinstance(content, list):
        raise ValueError("no list of grids")
    return tuple(None if grid is None else parse_grid(grid, "a grid") for grid in content)
