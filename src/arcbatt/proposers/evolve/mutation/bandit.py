"""Rates: how often each kind of mutation is drawn, adapting to what pays.

The rule is Thompson sampling. A mutant pays if it improved on its parent or fits a task. Of each
kind two numbers are kept, how many were tried and how many paid, both discounted: with every try
of any kind all of them shrink by the factor 1 - 1/window, so that old times count less and less. To
draw a kind, a payoff is drawn for each from the Beta distribution (1 + paid, 1 + tried - paid), and
the kind with the highest is taken. With a small probability, the floor, the kind is drawn evenly
instead: so each has at least that share, divided by the number of kinds, and none dies.

All chance comes from the generator that is passed in.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

FLOOR = 0.2
WINDOW = 20_000


@dataclass(slots=True)
class _Counts:
    """One kind: how many were tried, ran without failure, improved, fitted, since the beginning."""

    tried: int = 0
    ran: int = 0
    improved: int = 0
    fitted: int = 0
    recently_tried: float = 0.0
    recently_paid: float = 0.0


class Rates:
    """Counts by kind of mutation, and the draw of the next kind."""

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
        self._counts = {kind: _Counts() for kind in self.kinds}
        # How many were recorded, and how many of them each kind's recent counts are discounted by.
        self._n_recorded = 0
        self._discounted = dict.fromkeys(self.kinds, 0)

    @cached_property
    def _source(self) -> np.random.RandomState:
        """What draws payoffs: the same ones of a seed with every version of numpy.

        To make one takes longer than all that it draws for a portion of a card.
        """
        return np.random.RandomState()

    @property
    def n_recorded(self) -> int:
        """How many were recorded here; what was drawn before the last of them is out of date."""
        return self._n_recorded

    def draw(self, n: int, rng: random.Random) -> list[str]:
        """Return the kinds of the next mutations; many at a time cost little more than one."""
        source = self._source
        source.seed(rng.getrandbits(32))
        self._discount_all()
        paid = np.array([counts.recently_paid for counts in self._counts.values()])
        tried = np.array([counts.recently_tried for counts in self._counts.values()])
        payoffs = source.beta(1 + paid, 1 + np.maximum(tried - paid, 0.0), (n, len(self.kinds)))
        evenly = source.randint(len(self.kinds), size=n)
        is_even = source.random_sample(n) < self.floor
        drawn = np.where(is_even, evenly, payoffs.argmax(axis=1))
        return [self.kinds[k] for k in drawn.tolist()]

    def record(self, kind: str, *, ran: bool, improved: bool, fitted: bool) -> None:
        """Note what became of a mutant: it ran, improved on its parent, fits a task."""
        found = self._counts.get(kind)
        if found is None:
            raise ValueError(f"{kind!r} is no kind of mutation: {', '.join(self.kinds)}")
        self._n_recorded += 1
        self._discount(kind)
        found.tried += 1
        found.ran += ran
        found.improved += improved
        found.fitted += fitted
        found.recently_tried += 1
        found.recently_paid += improved or fitted

    def _discount(self, kind: str) -> None:
        """Have the recent counts of a kind shrink by all that was recorded since they last did."""
        counts = self._counts[kind]
        kept = (1 - 1 / self.window) ** (self._n_recorded - self._discounted[kind])
        counts.recently_tried *= kept
        counts.recently_paid *= kept
        self._discounted[kind] = self._n_recorded

    def _discount_all(self) -> None:
        for kind in self.kinds:
            self._discount(kind)

    def table(self) -> dict[str, dict[str, float]]:
        """Return what became of each kind, in their order.

        `share` is its part of what was tried lately, `payoff` the part of those that paid.
        """
        self._discount_all()
        total = sum(counts.recently_tried for counts in self._counts.values())
        return {
            kind: {
                "tried": counts.tried,
                "ran": counts.ran,
                "improved": counts.improved,
                "fitted": counts.fitted,
                "share": _ratio(counts.recently_tried, total),
                "payoff": _ratio(counts.recently_paid, counts.recently_tried),
            }
            for kind, counts in self._counts.items()
        }

    def copy(self) -> Rates:
        """The rates as they are now."""
        return Rates.from_json(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """All there is to go on from."""
        self._discount_all()
        return {
            "floor": self.floor,
            "window": self.window,
            "kinds": {
                kind: {name: getattr(counts, name) for name in _Counts.__slots__}
                for kind, counts in self._counts.items()
            },
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Rates:
        """The rates that `to_json` wrote."""
        try:
            rates = cls(tuple(content["kinds"]), floor=content["floor"], window=content["window"])
            for kind, counts in content["kinds"].items():
                rates._counts[kind] = _Counts(**counts)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"these are no rates of mutations: {error}") from error
        return rates


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
