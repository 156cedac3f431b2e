"""Rates: how often each kind of mutation is drawn, adapting to what pays.

The rule is Thompson sampling. A mutant pays if it improved on its parent or fits a task. Of each
kind two numbers are kept, how many were tried and how many paid, both discounted: with every try
of any kind all of them shrink by the factor 1 - 1/window, so that old times count less and less. To
draw a kind, a payoff is drawn for each from the Beta distribution (1 + paid, 1 + tried - paid), and
the kind with the highest is taken. With a small probability, the floor, the kind is drawn evenly
instead: so each has at least that share, divided by the number of kinds, and none dies.

Payoffs take long to draw: some hundred are drawn for what was recorded, always the same ones, and
the generator that is passed in chooses among the kinds that had the highest.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

FLOOR = 0.2
WINDOW = 20_000
# So many payoffs of each kind are drawn for what was recorded.
N_PAYOFFS = 256


# What is counted of each kind: since the beginning, how many were tried, ran without failure,
# improved, fitted; and, discounted, how many were tried and paid.
_WHOLE = ("tried", "ran", "improved", "fitted")
_RECENT = ("recently_tried", "recently_paid")
_NAMES = (*_WHOLE, *_RECENT)


class Rates:
    """Counts by kind of mutation, and the draw of the next kinds."""

    def __init__(self, kinds: Sequence[str], *, floor: float = FLOOR, window: int = WINDOW) -> None:
        if not kinds or len(set(kinds)) < len(kinds):
            raise ValueError("rates need kinds, each once")
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
            self._winners = self._draw_winners()
        return self._winners[int(rng.random() * N_PAYOFFS)]

    def _draw_winners(self) -> list[str]:
        """The kinds with the highest payoffs, the same ones with every version of numpy."""
        tried, paid = self._counts[len(_WHOLE) :]
        shape = (N_PAYOFFS, len(self.kinds))
        source = np.random.RandomState(0)
        payoffs = source.beta(1 + paid, 1 + np.maximum(tried - paid, 0.0), shape)
        return [self.kinds[k] for k in payoffs.argmax(axis=1).tolist()]

    def record(
        self,
        kinds: Sequence[str],
        *,
        ran: Sequence[bool] | NDArray[np.bool_],
        improved: Sequence[bool] | NDArray[np.bool_],
        fitted: Sequence[bool] | NDArray[np.bool_],
    ) -> None:
        """Note what became of mutants, in their order: they ran, improved on parents, fit tasks."""
        unknown = set(kinds) - self._numbers.keys()
        if unknown:
            raise ValueError(f"{min(unknown)!r} is no kind of mutation: {', '.join(self.kinds)}")
        numbers = np.array([self._numbers[kind] for kind in kinds], np.intp)
        paid = np.asarray(improved, np.bool_) | np.asarray(fitted, np.bool_)
        # What is left of each after all that come after it.
        kept = 1 - 1 / self.window
        left = kept ** np.arange(len(kinds) - 1, -1, -1)
        self._counts[len(_WHOLE) :] *= kept ** len(kinds)
        for row, weights in enumerate((None, ran, improved, fitted, left, left * paid)):
            self._counts[row] += np.bincount(numbers, weights, len(self.kinds))
        self._winners.clear()

    def table(self) -> dict[str, dict[str, float]]:
        """Return what became of each kind, in their order.

        `share` is its part of what was tried lately, `payoff` the part of those that paid.
        """
        total = float(self._counts[_NAMES.index("recently_tried")].sum())
        return {
            kind: {
                **{name: counts[name] for name in _WHOLE},
                "share": _ratio(counts["recently_tried"], total),
                "payoff": _ratio(counts["recently_paid"], counts["recently_tried"]),
            }
            for kind, counts in self.to_json()["kinds"].items()
        }

    def copy(self) -> Rates:
        """The rates as they are now."""
        return Rates.from_json(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """All there is to go on from."""
        columns = zip(*self._counts.tolist(), strict=True)
        return {
            "floor": self.floor,
            "window": self.window,
            "kinds": {
                kind: {
                    name: int(count) if name in _WHOLE else count
                    for name, count in zip(_NAMES, column, strict=True)
                }
                for kind, column in zip(self.kinds, columns, strict=True)
            },
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Rates:
        """The rates that `to_json` wrote."""
        try:
            rates = cls(tuple(content["kinds"]), floor=content["floor"], window=content["window"])
            for k, counts in enumerate(content["kinds"].values()):
                rates._counts[:, k] = [counts[name] for name in _NAMES]
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"these are no rates of mutations: {error}") from error
        return rates


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
