"""Rates: how often each kind of mutation is drawn, adapted by Thompson sampling.

A mutant pays off if it improves on its parent or fits a task. For each kind, the numbers of tries
and of payoffs are kept, both discounted: with every try of any kind they shrink by the factor
1 - 1/window. To draw a kind, a rate is sampled for each from the Beta distribution (1 + paid,
1 + tried - paid), and the kind with the highest rate is taken. With a small probability, the floor,
the kind is drawn evenly instead, so that no kind dies out.

Sampling is slow: after each record, some hundred winners are sampled from a fixed seed, and the
given generator chooses among them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

FLOOR = 0.2
WINDOW = 20_000
# The number of winners sampled after each record.
N_SAMPLES = 256


# Counts per kind: in total, how many were tried, ran without failure, improved and fitted; and,
# discounted, how many were tried and paid off.
_TOTAL = ("tried", "ran", "improved", "fitted")
_RECENT = ("recently_tried", "recently_paid")
_NAMES = (*_TOTAL, *_RECENT)


class Rates:
    """Counts by kind of mutation, from which the next kinds are drawn."""

    def __init__(self, kinds: Sequence[str], *, floor: float = FLOOR, window: int = WINDOW) -> None:
        if not kinds or len(set(kinds)) < len(kinds):
            raise ValueError("rates need distinct kinds")
        if not 0 < floor <= 1:
            raise ValueError(f"the floor must be above 0 and at most 1, not {floor}")
        if window < 1:
            raise ValueError(f"the window must be at least 1, not {window}")
        self.kinds = tuple(kinds)
        self.floor = floor
        self.window = window
        self._numbers = {kind: k for k, kind in enumerate(self.kinds)}
        self._counts = np.zeros((len(_NAMES), len(self.kinds)))
        self._winners: list[str] = []

    def draw(self, rng: random.Random) -> str:
        """Return the kind of the next mutation."""
        if rng.random() < self.floor:
            return self.kinds[int(rng.random() * len(self.kinds))]
        if not self._winners:
            self._winners = self._sample_winners()
        return self._winners[int(rng.random() * N_SAMPLES)]

    def _sample_winners(self) -> list[str]:
        """Return the kinds with the highest sampled rates, the same with any version of numpy."""
        tried, paid = self._counts[len(_TOTAL) :]
        shape = (N_SAMPLES, len(self.kinds))
        source = np.random.RandomState(0)
        sampled = source.beta(1 + paid, 1 + np.maximum(tried - paid, 0.0), shape)
        return [self.kinds[k] for k in sampled.argmax(axis=1).tolist()]

    def record(
        self,
        kinds: Sequence[str],
        *,
        ran: Sequence[bool] | NDArray[np.bool_],
        improved: Sequence[bool] | NDArray[np.bool_],
        fitted: Sequence[bool] | NDArray[np.bool_],
    ) -> None:
        """Record for mutants, in their order, whether they ran, improved and fitted."""
        unknown = set(kinds) - self._numbers.keys()
        if unknown:
            raise ValueError(f"unknown mutation {min(unknown)!r}; kinds: {', '.join(self.kinds)}")
        numbers = np.array([self._numbers[kind] for kind in kinds], np.intp)
        paid = np.asarray(improved, np.bool_) | np.asarray(fitted, np.bool_)
        # Each try is discounted by those that come after it.
        kept = 1 - 1 / self.window
        left = kept ** np.arange(len(kinds) - 1, -1, -1)
        self._counts[len(_TOTAL) :] *= kept ** len(kinds)
        for row, weights in enumerate((None, ran, improved, fitted, left, left * paid)):
            self._counts[row] += np.bincount(numbers, weights, len(self.kinds))
        self._winners.clear()

    def table(self) -> dict[str, dict[str, float]]:
        """Return the counts of each kind.

        `share` is its part of the recent tries, `payoff` the part of those that paid off.
        """
        total = float(self._counts[_NAMES.index("recently_tried")].sum())
        return {
            kind: {
                **{name: counts[name] for name in _TOTAL},
                "share": _ratio(counts["recently_tried"], total),
                "payoff": _ratio(counts["recently_paid"], counts["recently_tried"]),
            }
            for kind, counts in self.to_json()["kinds"].items()
        }

    def copy(self) -> Rates:
        """Return a copy of the present rates."""
        return Rates.from_json(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """Return the whole state as plain data."""
        columns = zip(*self._counts.tolist(), strict=True)
        return {
            "floor": self.floor,
            "window": self.window,
            "kinds": {
                kind: {
                    name: int(count) if name in _TOTAL else count
                    for name, count in zip(_NAMES, column, strict=True)
                }
                for kind, column in zip(self.kinds, columns, strict=True)
            },
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Rates:
        """Return the rates with the data of `to_json`."""
        try:
            rates = cls(tuple(content["kinds"]), floor=content["floor"], window=content["window"])
            for k, counts in enumerate(content["kinds"].values()):
                rates._counts[:, k] = [counts[name] for name in _NAMES]
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not the rates of mutations: {error}") from error
        return rates


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
