"""Counts of mutants by kind of mutation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .kinds import KINDS

_NAMES = ("tried", "ran", "improved", "fitted")


class MutationCounts:
    """How many mutants of each kind were tried, ran without failure, improved and fitted."""

    def __init__(self) -> None:
        self._counts = np.zeros((len(_NAMES), len(KINDS)), np.int64)

    def record(
        self,
        kinds: Sequence[str],
        *,
        ran: NDArray[np.bool_],
        improved: NDArray[np.bool_],
        fitted: NDArray[np.bool_],
    ) -> None:
        """Add mutants, given by their kinds."""
        numbers = {kind: k for k, kind in enumerate(KINDS)}
        of_mutant = np.array([numbers[kind] for kind in kinds], np.intp)
        for row, is_counted in enumerate((np.ones(len(kinds), np.bool_), ran, improved, fitted)):
            self._counts[row] += np.bincount(of_mutant[is_counted], minlength=len(KINDS))

    def to_json(self) -> dict[str, dict[str, float]]:
        """Return the counts by kind and name."""
        columns = zip(*self._counts.tolist(), strict=True)
        return {
            kind: dict(zip(_NAMES, column, strict=True))
            for kind, column in zip(KINDS, columns, strict=True)
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> MutationCounts:
        """Return the counts that `to_json` returned."""
        made = cls()
        for k, kind in enumerate(KINDS):
            made._counts[:, k] = [content[kind][name] for name in _NAMES]
        return made
