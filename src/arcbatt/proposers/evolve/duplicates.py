"""Programs in, those of distinct behaviour out: of several that do the same, the cheapest.

Programs do the same if they give equal values (content hashes) or fail for the same reasons on
every sample.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine import _engine
from arcbatt.engine.graphs import sizes_of
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
    firsts = np.empty(len(programs), np.int32)
    _engine.find_same_rows(np.ascontiguousarray(reasons), np.ascontiguousarray(hashes), firsts)
    costs = steps.sum(axis=1)
    least = np.full(len(programs), np.iinfo(np.int64).max)
    np.minimum.at(least, firsts, costs)
    cheapest = np.flatnonzero(costs == least[firsts])
    is_tied = np.bincount(firsts[cheapest], minlength=len(programs))[firsts[cheapest]] > 1
    kept: list[int] = cheapest[~is_tied].tolist()
    # Calls are counted only where programs of one behaviour cost the same.
    tied = cheapest[is_tied].tolist()
    best: dict[int, tuple[int, bytes, int]] = {}
    for place, size in zip(tied, sizes_of(programs, tied), strict=True):
        first, found = int(firsts[place]), (*size, place)
        best[first] = min(best.get(first, found), found)
    return sorted([*kept, *(place for _, _, place in best.values())])
