"""Results of a run: arrays over programs and samples, and the values if they were kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcbatt.display import Displayed
from arcbatt.engine import _engine
from arcbatt.engine.table import primitive_numbers
from arcbatt.language import Failure, Function, Reason, Value
from arcbatt.plurals import count

_NONE, _INT, _TUPLE, _FUNCTION, _GRID, _INDICES, _OBJECT = (
    _engine.tags[name] for name in ("none", "int", "tuple", "function", "grid", "indices", "object")
)
_NAMES = list(primitive_numbers())


class RunArrays(NamedTuple):
    """The arrays that a run writes, [program, sample] or [program, task].

    On tasks, `matches` counts the demos whose output a program returns.
    """

    reasons: NDArray[np.uint8]
    matches: NDArray[np.uint8]
    hashes: NDArray[np.uint64]
    steps: NDArray[np.int64]
    numbers: NDArray[np.int32]

    @classmethod
    def new(
        cls,
        shape: tuple[int, int],
        allocate: Callable[[tuple[int, int], type[np.generic]], NDArray[Any]] = np.empty,
    ) -> RunArrays:
        """Return arrays whose reasons are all `NOT_RUN`; the others are not initialized."""
        arrays = cls(*(allocate(shape, dtype) for dtype in _ARRAY_TYPES))
        arrays.reasons.fill(_engine.NOT_RUN)
        return arrays

    def set_rows(self, rows: NDArray[Any], source: Any) -> None:
        """Copy arrays of the same names into some of the rows."""
        for name in self._fields:
            getattr(self, name)[rows] = getattr(source, name)

    def to_result(
        self,
        ran_on: Mapping[str, int],
        kept: Sequence[KeptWords] | None,
        values: Mapping[tuple[int, int], Value] | None = None,
    ) -> BattResult:
        """Return the result of a run on samples that has these arrays."""
        matches = self.matches.view(np.bool_)
        arrays = (self.reasons, matches, self.hashes, self.steps, self.numbers)
        words = None if kept is None else tuple(kept)
        return BattResult(*arrays, ran_on, words, _values=values or {})


_ARRAY_TYPES = (np.uint8, np.uint8, np.uint64, np.int64, np.int32)


class KeptWords(NamedTuple):
    """Kept values: the value of cell `cells[k]` of the result starts at `words[starts[k]]`."""

    words: NDArray[np.int32]
    cells: NDArray[np.int64]
    starts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)  # comparing arrays with == gives arrays
class BattResult(Displayed):
    """Results of a run as arrays [program, sample].

    `reasons` is 0 if there is a value, otherwise the number of the `Reason`. `matches` says whether
    the value equals the sample's target. `hashes` are content hashes of the values, `steps` their
    costs. `numbers` has the value if it is a number, its first member if that is one, or
    `NO_NUMBER`. `ran_on` counts the results that came from each device.
    """

    reasons: NDArray[np.uint8]
    matches: NDArray[np.bool_]
    hashes: NDArray[np.uint64]
    steps: NDArray[np.int64]
    numbers: NDArray[np.int32]
    ran_on: Mapping[str, int]
    _kept: tuple[KeptWords, ...] | None = field(default=None, repr=False)
    _places: dict[int, tuple[int, int]] = field(default_factory=dict, repr=False)
    # Values from definitions, by (program, sample).
    _values: Mapping[tuple[int, int], Value] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        n_programs, n_samples = self.reasons.shape
        size = f"{count(n_programs, 'program')} on {count(n_samples, 'sample')}"
        n_values, n_matches = int((self.reasons == 0).sum()), int(self.matches.sum())
        where = ", ".join(f"{name} {n:,}" for name, n in self.ran_on.items())
        values = f"{count(n_values, 'value')}, {n_matches:,} as wanted"
        return f"<BattResult of {size}: {values}; ran on {where or 'nothing'}>"

    def outcome(self, program: int, sample: int) -> Value | Failure:
        """Return the kept value, or the failure, of a program on a sample, both counted from 0."""
        for what, place, n in zip(
            ("program", "sample"), (program, sample), self.reasons.shape, strict=True
        ):
            if not 0 <= index(place) < n:
                expected = f"expected 0 to {n - 1}" if n else "there are none"
                raise IndexError(f"there is no {what} {place}; {expected}")
        if self.reasons[program, sample]:
            return Failure(Reason(int(self.reasons[program, sample])))
        if self._kept is None:
            raise ValueError("values were not kept; run with keep_values=True")
        if (program, sample) in self._values:
            return self._values[program, sample]
        if not self._places:
            for part, kept in enumerate(self._kept):
                pairs = zip(kept.cells.tolist(), kept.starts.tolist(), strict=True)
                self._places.update((cell, (part, start)) for cell, start in pairs)
        part, start = self._places[program * self.reasons.shape[1] + sample]
        return _read(self._kept[part].words, start)[0]


def _read(words: NDArray[np.int32], at: int) -> tuple[Value, int]:
    """Return the value at a position, and the position after it."""
    tag = words[at]
    if tag == _NONE:
        return None, at + 1
    if tag == _INT:
        return int(words[at + 1]), at + 2
    if tag == _GRID:
        high, wide = words[at + 1 : at + 3].tolist()
        end = at + 3 + high * wide
        return tuple(map(tuple, words[at + 3 : end].reshape(high, wide).tolist())), end
    n = int(words[at + 1])
    if tag == _INDICES:
        end = at + 2 + 2 * n
        return frozenset(map(tuple, words[at + 2 : end].reshape(n, 2).tolist())), end
    if tag == _OBJECT:
        end = at + 2 + 3 * n
        cells = words[at + 2 : end].reshape(n, 3).tolist()
        return frozenset((color, (row, column)) for color, row, column in cells), end
    name, start = "", at + 2
    if tag == _FUNCTION:
        name, n, start = _NAMES[n], int(words[at + 2]), at + 3
    members = []
    for _ in range(n):
        member, start = _read(words, start)
        members.append(member)
    if tag == _FUNCTION:
        return Function(name, tuple(members)), start
    return (tuple(members) if tag == _TUPLE else frozenset(members)), start
