"""Check and convert the rows that SQLite returns.

A pool may come from elsewhere, and SQLite can store text or a blob in a numeric column. So every
row is checked when it is read; a row that fails is left out and reported.
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

from .errors import abbreviate
from .rows import MAX_CREDIT, check_name

T = TypeVar("T")

DIGEST_BYTES = 16
MAX_NAMED = 3

# SQLite has no booleans, and JSON's only mapping is a dict.
_STORED_AS = {bool: int, Mapping: dict}

OnSkip = Callable[[str], None]
"""Receives "name: reason" for each row that is left out."""


def is_digest(value: object) -> bool:
    """Return whether a value can be the digest of a program or a task."""
    return isinstance(value, bytes) and len(value) == DIGEST_BYTES


@contextmanager
def reporting(place: str, on_skip: OnSkip | None) -> Iterator[OnSkip]:
    """Yield a callback for rows that are left out; without `on_skip`, sum them up in a warning."""
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


def make_rows(make: type[T], rows: Iterable[Sequence[Any]], skip: OnSkip) -> Iterator[T]:
    """Yield SQLite's rows as instances of the dataclass `make`; skip rows with invalid values."""
    fields = _fields_of(make)  # type: ignore[arg-type]  # mypy: a class is hashable
    for values in rows:
        row = dict(zip(fields, values, strict=True))
        fault = _decode(row) or _find_fault(row, fields)
        if fault is not None:
            skip(f"{_name_of(row)}: {fault}")
            continue
        if "learns" in row:
            row["learns"] = bool(row["learns"])
        yield make(**row)


def _decode(row: dict[str, Any]) -> str | None:
    """Decode the JSON columns of a row in place; return an error message if that fails."""
    for column, decode in (("outputs", _outputs_from_json), ("counts", json.loads)):
        if isinstance(row.get(column), str):
            try:
                row[column] = decode(row[column])
            except (ValueError, RecursionError) as error:
                return f"{column}: {abbreviate(str(error))}"
    return None


def _outputs_from_json(text: str) -> tuple[Grid | None, ...]:
    content = json.loads(text)
    if not isinstance(content, list):
        raise ValueError("not a list of grids")
    return tuple(None if grid is None else parse_grid(grid, "a grid") for grid in content)


_Fields = Mapping[str, tuple[type, ...] | frozenset[Any]]


def _find_fault(row: Mapping[str, Any], fields: _Fields) -> str | None:
    """Return why a row's values are not those of the fields' types; None if they are."""
    for (name, allowed), value in zip(fields.items(), row.values(), strict=True):
        if isinstance(allowed, frozenset):
            if value not in allowed:
                return f"{name} is {abbreviate(value)}"
        elif type(value) not in allowed:
            return f"{name} is of type {type(value).__name__.removesuffix('Type')}"
        elif type(value) is bytes and not is_digest(value):
            return f"{name} has {len(value)} bytes, not {DIGEST_BYTES}"
    return _find_fault_of_trial(row) if "n_demos" in row else None


def _find_fault_of_trial(row: Mapping[str, Any]) -> str | None:
    n_demos, n_held_out = row["n_demos"], row["n_held_out"]
    if not 0 <= row["n_fitted"] <= n_demos or not n_demos:
        return f"{row['n_fitted']} of {n_demos} demos"
    if not 0 <= row["credit"] <= MAX_CREDIT:
        return f"a credit of {row['credit']}"
    if n_held_out is not None and not (row["learns"] and 0 <= n_held_out <= n_demos):
        return f"{n_held_out} demos held out"
    return f"{row['n_copies']} copies" if row["n_copies"] < 0 else None


def _name_of(row: Mapping[str, Any]) -> str:
    names = (row.get(key) for key in ("name", "program", "digest", "item", "kind"))
    known = (each.hex() if isinstance(each, bytes) else each for each in names)
    return abbreviate(next((each for each in known if isinstance(each, str) and each), "a row"))


@cache
def _fields_of(make: type) -> _Fields:
    """Return the fields in order, each with its allowed types or, for a `Literal`, its values."""
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

    Raises `ProgramError` if the text is not a program, or not the one with this digest.
    """
    check_name(name)
    program = parse_program(text)
    if program.result.digest != digest:
        raise ProgramError("its text is not the program that its hash names")
    return Program(program.result, name)


def describe_unreadable(name: str, error: ProgramError) -> str:
    """Return the message about a program that cannot be read."""
    return f"{abbreviate(name)}: {error.message}"
