"""The options of a search, and their form in `config.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from typing import Any, Self, get_origin, get_type_hints

from arcbatt.proposers import PROPOSER_NAMES, ProposerOptions


@dataclass(frozen=True)
class SearchOptions(ProposerOptions):
    """Everything that determines a search besides its budget; a resumed search keeps it.

    `data` is where the tasks come from, `tasks` the ids chosen there, None for all. `pool` is a
    file whose programs are known from the start, as are the bundled solvers with `library`. With
    `skip_bad`, invalid tasks are left out instead of refused; `submission` is a second file for
    the submission. With `survives_errors`, an exception in a proposer ends only that proposer.
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
    survives_errors: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
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
        if value.keys() != names:
            raise ValueError(f"expected the options {', '.join(sorted(names))}")
        hints = get_type_hints(kind)
        return kind(**{name: _from_plain(hints[name], each) for name, each in value.items()})  # type: ignore[operator]
    if isinstance(value, list):
        return frozenset(value) if get_origin(kind) is frozenset else tuple(value)
    return value
