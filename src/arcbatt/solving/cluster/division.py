"""The division of an offer into groups of tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from arcbatt.proposers import Offer
from arcbatt.tasks import Task

# The longest expected time of a group, so that losing a worker costs little, and the other workers
# do not wait long for the last groups of a round.
MAX_GROUP_S = 2.0
# Groups per worker and round, so that a worker that is done early gets more.
GROUPS_PER_WORKER = 4


def divide(offer: Offer, spent_s: Mapping[str, float], n_workers: int) -> Iterator[list[Task]]:
    """Yield the tasks of an offer in groups, the most expensive first.

    A task's share of the offer's cost is estimated by the time spent on it so far and by the
    number of cells in its grids.
    """
    weights = _weights(offer, spent_s)
    s_per_weight = offer.cost_s / sum(weights.values())
    limit_s = min(MAX_GROUP_S, offer.cost_s / (GROUPS_PER_WORKER * n_workers))
    group: list[Task] = []
    group_s = 0.0
    for task in sorted(offer.tasks, key=lambda each: (-weights[each.id], each.id)):
        cost_s = weights[task.id] * s_per_weight
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
    # Half by cells: a task without time so far still costs something.
    n_cells = sum(cells.values())
    return {name: cells[name] / n_cells + spent[name] / total_s for name in cells}
