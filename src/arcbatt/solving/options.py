"""The options of a search, and their form in `config.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import Any, Self, get_origin, get_type_hints

from arcbatt.measure import check_threads
from arcbatt.proposers import PROPOSER_NAMES, ProposerOptions
from arcbatt.proposers.options import whole_number
from arcbatt.proposers.registry import LEAST_MAX_BYTES

# More than any machine has.
MOST_MEMORY = 2**50


@dataclass(frozen=True)
class SearchOptions(ProposerOptions):
    """Everything that determines a search besides its budget; a resumed search keeps it.

    `data` is where the tasks come from, `tasks` the ids chosen there, None for all. `pool` is a
    file whose programs are known from the start, as are the bundled solvers with `library`. With
    `skip_bad`, invalid tasks are left out instead of refused; `submission` is a second file for
    the submission. With `survives_errors`, an exception in a proposer ends only that proposer.
    `plugins` are files and modules that were imported for it (`arcbatt.plugins`). `max_bytes`
    bounds the memory for values in each process: of all threads, programs that run and enumerations
    together; None stands for half of the machine's.
    """

    data: str = ""
    tasks: tuple[str, ...] | None = None
    proposers: tuple[str, ...] = PROPOSER_NAMES
    pool: str | None = None
    library: bool = True
    device: str = "auto"
    n_threads: int | None = None
    skip_bad: bool = False
    submission: str | None = None
    survives_errors: bool = True
    max_bytes: int | None = None
    plugins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        optional = ("pool", "submission")
        for name in ("data", "device", *optional):
            given = getattr(self, name)
            if not isinstance(given, str) and not (given is None and name in optional):
                raise ValueError(f"{name} is {given!r:.40}, expected a text")
        for name, names in (("tasks", self.tasks or ()), ("proposers", self.proposers)):
            if isinstance(names, str) or not all(isinstance(each, str) for each in names):
                raise ValueError(f"{name} is {names!r:.40}, expected several names")
        check_threads(self.n_threads)
        if self.max_bytes is not None:
            limit = whole_number("max_bytes", self.max_bytes, LEAST_MAX_BYTES, MOST_MEMORY)
            object.__setattr__(self, "max_bytes", limit)
            of_search = min(limit, self.enumerate.max_bytes)
            object.__setattr__(self, "enumerate", replace(self.enumerate, max_bytes=of_search))
        for name in ("library", "skip_bad", "survives_errors"):
            given = getattr(self, name)
            if not isinstance(given, bool):
                raise ValueError(f"{name} is {given!r:.40}, expected True or False")

    def to_json(self) -> dict[str, Any]:
        """Return the options as plain data, those of each proposer nested."""
        plain: dict[str, Any] = _to_plain(asdict(self))
        return plain

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """Return the options that `to_json` wrote; raise ValueError for anything else."""
        try:
            options: Self = _from_plain(cls, content)
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(repr(error)) from None
        return options


def _to_plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _to_plain(each) for name, each in value.items()}
    return sorted(value) if isinstance(value, frozenset) else value


def _from_plain(kind: Any, value: Any) -> Any:
    if is_dataclass(kind):
        names = {each.name for each in fields(kind)}
        if not isinstance(value, Mapping) or value.keys() != names:
            raise ValueError(f"expected the options {', '.join(sorted(names))}")
        hints = get_type_hints(kind)
        return kind(**{name: _from_plain(hints[name], each) for name, each in value.items()})  # type: ignore[operator]
    if isinstance(value, list):
        return frozenset(value) if get_origin(kind) is frozenset else tuple(value)
    return value
