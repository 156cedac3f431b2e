"""Programs in, groups of those that are the same out: the same by form, or the same by behaviour.

By form: programs of one node are one program, whatever their names. By behaviour: programs that
give equal values (content hashes) or fail for the same reasons on every sample. Of each group one
is kept, of a behaviour the cheapest.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine import _engine
from arcbatt.language import Program


@dataclass(frozen=True, slots=True)
class Group:
    """Places of programs that are the same: the one that is kept, and the others, ascending."""

    kept: int
    duplicates: tuple[int, ...]


def group_by_form(programs: Sequence[Program]) -> list[Group]:
    """Return the groups of programs that are one node, in order; of each the first is kept."""
    return [Group(places[0], tuple(places[1:])) for places in _group(programs)]


def group_by_behaviour(
    programs: Sequence[Program],
    reasons: NDArray[np.uint8],
    hashes: NDArray[np.uint64],
    steps: NDArray[np.int64],
) -> list[Group]:
    """Return the groups of programs that do the same on all samples, by the places of those kept.

    The arrays are [program, sample], as a batt's result has them. Kept is the program of the least
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

    def cost(place: int) -> tuple[int, int, bytes, int]:
        program = programs[place]
        return costs[place], program.n_calls, program.result.digest, place

    groups = []
    for places in _group(_behaviours(reasons, hashes)):
        kept = places[0]
        if len(places) > 1:
            least = min(costs[place] for place in places)
            # Counting calls and hashing walk through a program: only for those that need it.
            kept = min([place for place in places if costs[place] == least], key=cost)
        groups.append(Group(kept, tuple(place for place in places if place != kept)))
    return sorted(groups, key=lambda group: group.kept)


def _behaviours(reasons: NDArray[np.uint8], hashes: NDArray[np.uint64]) -> Iterable[bytes]:
    """All that programs did, a string of bytes each; where one failed, its hash is 0.

    As keys of a dictionary they are compared in full, which takes less time than to sort them with
    `np.unique`.
    """
    rows = np.concatenate([np.ascontiguousarray(hashes).view(np.uint8), reasons], axis=1)
    return (row.tobytes() for row in rows)


def _group(keys: Iterable[Hashable]) -> Iterable[list[int]]:
    """The places of equal keys, in the order of the first of each."""
    places: dict[Hashable, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    return places.values()
