"""Programs in, those of distinct behaviour out: of several that do the same, the cheapest.

Programs do the same if they give equal values (content hashes) or fail for the same reasons on
every sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine import _engine
from arcbatt.engine.graphs import size_of
from arcbatt.language import Program


def cheapest_by_behaviour(
    programs: Sequence[Program],
    reasons: NDArray[np.uint8],
    hashes: NDArray[np.uint64],
    steps: NDArray[np.int64],
) -> list[int]:
    """Return the places, ascending, of one program for each behaviour on all samples.

    The arrays are [program, sample], as a batt's result has them. It is the program of the least
    sum of steps; among those, of the fewest calls; then, so that the choice depends on the programs
    alone, of the least digest, and of equal programs the first.
    """
    shape = (len(programs), reasons.shape[1])
    if not reasons.shape == hashes.shape == steps.shape == shape:
        raise ValueError(
            f"expected arrays of {shape[0]} programs on the same samples, not "
            f"{reasons.shape} reasons, {hashes.shape} hashes, {steps.shape} steps"
        )
    if (reasons == _engine.NOT_RUN).any():
        raise ValueError("a program's behaviour is not known where it was not run")
    costs = steps.sum(axis=1).tolist()

    def size(place: int) -> tuple[int, bytes, int]:
        return *size_of(programs, place), place

    places_of: dict[tuple[int, int], list[int]] = {}
    for place, behaviour in enumerate(_behaviours(reasons, hashes)):
        places_of.setdefault(behaviour, []).append(place)
    kept = []
    for places in places_of.values():
        least = min(costs[place] for place in places)
        cheapest = [place for place in places if costs[place] == least]
        # Counting calls and hashing walk through a program: only for those that need it.
        kept.append(cheapest[0] if len(cheapest) == 1 else min(cheapest, key=size))
    return sorted(kept)


def _behaviours(
    reasons: NDArray[np.uint8], hashes: NDArray[np.uint64]
) -> Iterator[tuple[int, int]]:
    """Yield of each program what it did: equal for those that did the same, and for no others.

    Sums of all that a program did, each by a weight of its own, tell most of them apart in a
    fraction of the time that it takes to compare; those of one sum are compared in full.
    """
    weights = _weights(reasons.shape[1])
    sums = (hashes + reasons) @ weights
    kinds: dict[int, list[int]] = {}
    for place, sum_ in enumerate(sums.tolist()):
        # One of each kind of programs of this sum.
        firsts = kinds.setdefault(sum_, [])
        for number, first in enumerate(firsts):
            if (hashes[place] == hashes[first]).all() and (reasons[place] == reasons[first]).all():
                yield sum_, number
                break
        else:
            firsts.append(place)
            yield sum_, len(firsts) - 1


@cache
def _weights(n_samples: int) -> NDArray[np.uint64]:
    """Odd numbers without a pattern, always the same."""
    weights: NDArray[np.uint64] = np.random.default_rng(0).integers(
        0, 2**63, n_samples, np.uint64
    ) * np.uint64(2) + np.uint64(1)
    return weights
