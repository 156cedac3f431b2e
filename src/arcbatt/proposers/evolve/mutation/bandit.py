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
from math import exp, log, sqrt
from typing import Any

FLOOR = 0.2
WINDOW = 20_000

# A gamma distribution of scale 1: its shape, and what each draw from it needs.
_Gamma = tuple[float, float, float, float]
_SQUEEZE = 1.0 + log(4.5)


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
        # Of each kind the two distributions that its payoff is drawn from; None: counts are new.
        self._payoffs: list[tuple[str, tuple[_Gamma, _Gamma]]] | None = None

    def draw(self, rng: random.Random) -> str:
        """The kind of the next mutation.

        Payoffs are to the bit what `rng.betavariate` gives, by Cheng's method of rejection (Applied
        Statistics 26, 1977). A mutant takes several draws of all kinds, so what depends on counts
        alone is computed once, and nothing is called that need not be.
        """
        if rng.random() < self.floor:
            return self.kinds[int(rng.random() * len(self.kinds))]
        if self._payoffs is None:
            self._discount_all()
            self._payoffs = [(kind, _betas(counts)) for kind, counts in self._counts.items()]
        random = rng.random
        best, highest = self.kinds[0], -1.0
        for kind, gammas in self._payoffs:
            paid = payoff = 0.0
            for shape, root, low, high in gammas:
                if shape == 1.0:
                    drawn = -log(1.0 - random())
                else:
                    while True:
                        u = random()
                        if not 1e-7 < u < 0.9999999:
                            continue
                        z = u * u * (1.0 - random())
                        v = log(u / (1.0 - u)) / root
                        drawn = shape * exp(v)
                        r = low + high * v - drawn
                        if r + _SQUEEZE - 4.5 * z >= 0.0 or r >= log(z):
                            break
                if paid:
                    payoff = paid / (paid + drawn)
                elif not drawn:
                    break
                else:
                    paid = drawn
            if payoff > highest:
                best, highest = kind, payoff
        return best

    def record(self, kind: str, *, ran: bool, improved: bool, fitted: bool) -> None:
        """Note what became of a mutant: it ran, improved on its parent, fits a task."""
        found = self._counts.get(kind)
        if found is None:
            raise ValueError(f"{kind!r} is no kind of mutation: {', '.join(self.kinds)}")
        self._payoffs = None
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


def _betas(counts: _Counts) -> tuple[_Gamma, _Gamma]:
    """The two distributions whose draws make one of a payoff: the one's share of their sum."""
    paid = counts.recently_paid
    return _gamma(1 + paid), _gamma(1 + max(counts.recently_tried - paid, 0.0))


def _gamma(shape: float) -> _Gamma:
    root = sqrt(2.0 * shape - 1.0)
    return shape, root, shape - log(4.0), shape + root


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
