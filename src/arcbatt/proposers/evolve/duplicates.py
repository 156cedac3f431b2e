"""Find programs with the same behavior, and keep the cheapest of each behavior.

Programs behave the same if they give equal values (content hashes) or fail for the same reasons on
every sample.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine import _engine
from arcbatt.engine.graph.graphs import sizes_of
from arcbatt.language import Program


def cheapest_by_behavior(
    programs: Sequence[Program],
    reasons: NDArray[np.uint8],
    hashes: NDArray[np.uint64],
    steps: NDArray[np.int64],
) -> list[int]:
    """Return the indices, ascending, of one program for each behavior on all samples.

    The arrays are [program, sample], as in a batt's result. Of programs with the same behavior, the
    one with the fewest steps in total is chosen, of these the one with the fewest calls. Remaining
    ties go to the least digest, so that the order of the programs does not matter.
    """
    shape = (len(programs), reasons.shape[1])
    if not reasons.shape == hashes.shape == steps.shape == shape:
        raise ValueError(
            f"expected arrays for {shape[0]} programs on the same samples, not "
            f"{reasons.shape} reasons, {hashes.shape} hashes, {steps.shape} steps"
        )
    if (reasons == _engine.NOT_RUN).any():
        raise ValueError("the behavior of a program is unknown where it was not run")
    firsts = np.empty(len(programs), np.int32)
    _engine.find_same_rows(np.ascontiguousarray(reasons), np.ascontiguousarray(hashes), firsts)
    costs = steps.sum(axis=1)
    least = np.full(len(programs), np.iinfo(np.int64).max)
    np.minimum.at(least, firsts, costs)
    cheapest = np.flatnonzero(costs == least[firsts])
    is_tied = np.bincount(firsts[cheapest], minlength=len(programs))[firsts[cheapest]] > 1
    kept: list[int] = cheapest[~is_tied].tolist()
    # Calls are counted only where programs with the same behavior cost the same.
    tied = cheapest[is_tied].tolist()
    best: dict[int, tuple[int, bytes, int]] = {}
    for place, size in zip(tied, sizes_of(programs, tied), strict=True):
        first, key = int(firsts[place]), (*size, place)
        best[first] = min(best.get(first, key), key)
    return sorted([*kept, *(place for _, _, place in best.values())])
