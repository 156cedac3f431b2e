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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Any, NamedTuple

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
        # Of each kind the two distributions that its payoff is drawn from; None: counts are new.
        self._payoffs: list[tuple[str, _Gamma, _Gamma]] | None = None

    def draw(self, rng: random.Random) -> str:
        """The kind of the next mutation."""
        if rng.random() < self.floor:
            return self.kinds[int(rng.random() * len(self.kinds))]
        if self._payoffs is None:
            self._payoffs = [
                (
                    kind,
                    _gamma(1 + each.recently_paid),
                    _gamma(1 + max(each.recently_tried - each.recently_paid, 0.0)),
                )
                for kind, each in self._counts.items()
            ]
        random = rng.random
        best, highest = self.kinds[0], -1.0
        for kind, paid, missed in self._payoffs:
            payoff = _draw_gamma(paid, random)
            if payoff:
                payoff /= payoff + _draw_gamma(missed, random)
            if payoff > highest:
                best, highest = kind, payoff
        return best

    def record(self, kind: str, *, ran: bool, improved: bool, fitted: bool) -> None:
        """Note what became of a mutant: it ran, improved on its parent, fits a task."""
        found = self._counts.get(kind)
        if found is None:
            raise ValueError(f"{kind!r} is no kind of mutation: {', '.join(self.kinds)}")
        self._payoffs = None
        kept = 1 - 1 / self.window
        for counts in self._counts.values():
            counts.recently_tried *= kept
            counts.recently_paid *= kept
        found.tried += 1
        found.ran += ran
        found.improved += improved
        found.fitted += fitted
        found.recently_tried += 1
        found.recently_paid += improved or fitted

    def table(self) -> dict[str, dict[str, float]]:
        """Return what became of each kind, in their order.

        `share` is its part of what was tried lately, `payoff` the part of those that paid.
        """
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

    def to_json(self) -> dict[str, Any]:
        """All there is to go on from."""
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


class _Gamma(NamedTuple):
    """A gamma distribution of scale 1, and what drawing from it needs each time."""

    shape: float
    root: float
    low: float
    high: float


def _gamma(shape: float) -> _Gamma:
    root = sqrt(2.0 * shape - 1.0)
    return _Gamma(shape, root, shape - log(4.0), shape + root)


_SQUEEZE = 1.0 + log(4.5)


def _draw_gamma(gamma: _Gamma, random: Callable[[], float]) -> float:
    """Draw what `random.gammavariate` would, to the bit, for a shape of 1 or more.

    That is Cheng's method of rejection (Applied Statistics 26, 1977). Kinds are drawn several times
    a mutant, each by a draw of all kinds, so what depends on the shape alone is not computed anew.
    """
    shape, root, low, high = gamma
    if shape == 1.0:
        return -log(1.0 - random())
    while True:
        u = random()
        if not 1e-7 < u < 0.9999999:
            continue
        z = u * u * (1.0 - random())
        v = log(u / (1.0 - u)) / root
        drawn = shape * exp(v)
        r = low + high * v - drawn
        if r + _SQUEEZE - 4.5 * z >= 0.0 or r >= log(z):
            return drawn


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
