"""What a batt gives: arrays over programs and samples, and the values where they were kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import index
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcbatt.display import Displayed
from arcbatt.language import Failure, Function, Reason, Value
from arcbatt.plurals import count

from .table import primitive_numbers

# As `Tag` in words.hpp.
_NONE, _INT, _TUPLE, _SET, _FUNCTION, _GRID, _INDICES, _OBJECT = range(8)
_NAMES = list(primitive_numbers())


class BattArrays(NamedTuple):
    """What a run writes, [program, sample]; the engine's own names and types."""

    reasons: NDArray[np.uint8]
    matches: NDArray[np.uint8]
    hashes: NDArray[np.uint64]
    steps: NDArray[np.int64]
    numbers: NDArray[np.int32]

    def to_result(
        self,
        ran_on: Mapping[str, int],
        kept: tuple[KeptWords, ...] | None,
        values: Mapping[tuple[int, int], Value] | None = None,
    ) -> BattResult:
        """Return what was written as the result of a run."""
        matches = self.matches.view(np.bool_)
        arrays = (self.reasons, matches, self.hashes, self.steps, self.numbers)
        return BattResult(*arrays, ran_on, kept, _values=values or {})


ARRAY_TYPES = (np.uint8, np.uint8, np.uint64, np.int64, np.int32)
"""The types of a run's arrays, in their order."""


class KeptWords(NamedTuple):
    """Values that were kept: that of cell `cells[k]` of the result starts at `words[starts[k]]`."""

    words: NDArray[np.int32]
    cells: NDArray[np.int64]
    starts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)  # arrays are compared by whoever asks, element by element
class BattResult(Displayed):
    """Arrays [program, sample].

    `reasons` is 0 where there is a value, otherwise the number of the `Reason`; `matches` whether
    the value equals the sample's target; `hashes` the value's content hash; `steps` the cost;
    `numbers` the value where it is a number, the first member where that is one, else `NO_NUMBER`.
    `ran_on` says how many results came from which device.
    """

    reasons: NDArray[np.uint8]
    matches: NDArray[np.bool_]
    hashes: NDArray[np.uint64]
    steps: NDArray[np.int64]
    numbers: NDArray[np.int32]
    ran_on: Mapping[str, int]
    _kept: tuple[KeptWords, ...] | None = field(default=None, repr=False)
    _places: dict[int, tuple[int, int]] = field(default_factory=dict, repr=False)
    # By (program, sample), those that are kept as values.
    _values: Mapping[tuple[int, int], Value] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        n_programs, n_samples = self.reasons.shape
        size = f"{count(n_programs, 'program')} on {count(n_samples, 'sample')}"
        n_values, n_matches = int((self.reasons == 0).sum()), int(self.matches.sum())
        where = ", ".join(f"{name} {n:,}" for name, n in self.ran_on.items())
        found = f"{count(n_values, 'value')}, {n_matches:,} as wanted"
        return f"<BattResult of {size}: {found}; ran on {where or 'nothing'}>"

    def outcome(self, program: int, sample: int) -> Value | Failure:
        """Return the value, which must have been kept, or the failure.

        Both are counted from 0; what is not there is an `IndexError`.
        """
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
    """A value from its words, and where the next one starts."""
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
