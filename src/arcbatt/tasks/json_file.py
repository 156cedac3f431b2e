"""Read a JSON file strictly, with one error class for everything that can be wrong with it."""

import json
from pathlib import Path
from typing import Any

from arcbatt.tasks.validation import TaskError, show

# The first bytes of compressed files.
_PACKED = {b"PK\x03\x04": "zip", b"\x1f\x8b": "gzip"}


class _NotANumber(ValueError):
    """Python would read it as a number that JSON does not have, such as NaN."""


def refuse_constant(name: str) -> float:
    """Raise ValueError for NaN and infinities (the `parse_constant` of `json.loads`)."""
    raise _NotANumber(name)


class _DuplicateKey(Exception):
    """A JSON object repeats a key; the argument is the key."""


def read_json(path: Path, error: type[Exception] = TaskError, *, only_finite: bool = False) -> Any:
    """Return the JSON value in the UTF-8 file at `path`; raise `error` if it is not valid.

    With `only_finite`, NaN and infinities are not valid either; grids are checked for them anyway.
    """
    return parse_json(read_text(path, error), str(path), error, only_finite=only_finite)


def read_text(path: Path, error: type[Exception] = TaskError) -> str:
    """Return the text of a JSON file; raise `error` if it cannot be one."""
    try:
        if not path.is_file():
            raise error(f"{path}: " + ("not a file" if path.exists() else "no such file"))
        data = path.read_bytes()
    except OSError as problem:
        raise error(f"{path}: cannot be read: {problem.strerror}") from None
    for mark, kind in _PACKED.items():
        if data.startswith(mark):
            raise error(f"{path}: this is a {kind} file; unpack it, and name the JSON file in it")
    if not data.strip():
        raise error(f"{path}: this file is empty")
    if b"\0" in data:
        raise error(f"{path}: NUL byte at byte {data.index(0)}: this is not a JSON text file")
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as problem:
        raise error(f"{path}: byte {problem.start} is not UTF-8 text") from None


def parse_json(
    text: str, path: str, error: type[Exception] = TaskError, *, only_finite: bool = False
) -> Any:
    """Return the JSON value of a text; `path` is the place for messages."""
    try:
        refuse = refuse_constant if only_finite else None
        return json.loads(text, object_pairs_hook=_object, parse_constant=refuse)
    except json.JSONDecodeError as problem:
        raise error(
            f"{path}: line {problem.lineno}, column {problem.colno}: not JSON: {problem.msg}"
        ) from None
    except _DuplicateKey as problem:
        raise error(
            f"{path}: the key {show(problem.args[0])} appears twice in one object"
        ) from None
    except _NotANumber as problem:
        raise error(f"{path}: {problem} is not a number of JSON") from None
    except RecursionError:
        raise error(f"{path}: lists or objects are nested too deep") from None
    except ValueError:
        # The only remaining ValueError is Python's limit on the digits of an integer.
        raise error(f"{path}: a number has too many digits") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a JSON object; reject duplicate keys."""
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _DuplicateKey(key)
            seen.add(key)
    return result
