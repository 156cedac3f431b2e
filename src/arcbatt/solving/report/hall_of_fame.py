"""Candidates in, the best programs of each task by complexity and fit out.

A program is in the hall if no smaller one of its task fits as well: more demos right or, with as
many, more credit. So the last of a task is its best, and those before say what less would do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .candidates import Kept, TaskCandidates


def best_by_size(kept: Iterable[Kept]) -> list[Kept]:
    """Return of candidates with a program those of which no smaller one fits as well."""
    front: list[Kept] = []
    reached = (-1, -1)
    for each in sorted(kept, key=lambda each: (each.candidate.size, each.rank)):
        candidate = each.candidate
        if candidate.program is None:
            continue
        fit = (candidate.n_fitted, candidate.credit)
        if fit > reached:
            front.append(each)
            reached = fit
    return front


def hall_of_fame_to_json(found: Iterable[TaskCandidates]) -> dict[str, Any]:
    """Return the hall of each task, the smallest program first."""
    return {
        candidates.task.id: [
            {
                "program": row["program"],
                "size": row["size"],
                "cost": row["cost"],
                "fitted": row["n_fitted"],
                "demos": len(candidates.task.demos),
                "credit": row["credit"],
                "stage": row["stage"],
                "found_s": round(row["found_s"], 3),
            }
            for row in (kept.to_json() for kept in best_by_size(candidates.kept))
        ]
        for candidates in found
    }
