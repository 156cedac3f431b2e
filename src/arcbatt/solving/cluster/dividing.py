"""An offer in, groups of its tasks out: large and slow ones first, no group too long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from arcbatt.proposers import Offer
from arcbatt.tasks import Task

# A group is expected to take so long at most: then little is lost with a worker, and the last ones
# of a round keep nobody waiting for long.
MAX_GROUP_S = 2.0
# Groups a worker in a round, so that whoever is done early gets more.
GROUPS_A_WORKER = 4


def divide(offer: Offer, spent_s: Mapping[str, float], n_workers: int) -> Iterator[list[Task]]:
    """Yield the tasks of an offer in groups, the dearest first.

    A task is expected to take a part of the offer's cost by what it took before, if any did, and
    otherwise by the cells of its grids.
    """
    weights = _weights(offer, spent_s)
    a_weight_s = offer.cost_s / sum(weights.values())
    limit_s = min(MAX_GROUP_S, offer.cost_s / (GROUPS_A_WORKER * n_workers))
    group: list[Task] = []
    group_s = 0.0
    for task in sorted(offer.tasks, key=lambda each: (-weights[each.id], each.id)):
        cost_s = weights[task.id] * a_weight_s
        if group and group_s + cost_s > limit_s:
            yield group
            group, group_s = [], 0.0
        group.append(task)
        group_s += cost_s
    if group:
        yield group


def _weights(offer: Offer, spent_s: Mapping[str, float]) -> dict[str, float]:
    cells = {task.id: float(task.n_cells) for task in offer.tasks}
    spent = {task.id: spent_s.get(task.id, 0.0) for task in offer.tasks}
    total_s = sum(spent.values())
    if not total_s:
        return cells
    # Half by time: a task that took none yet is not for nothing.
    n_cells = sum(cells.values())
    return {name: cells[name] / n_cells + spent[name] / total_s for name in cells}
