"""Candidates in, the best programs of each task by complexity and fit out.

A program is in the hall if no smaller one of its task fits as well: more demos right or, with as
many, more credit. So the last of a task is its best, and those before say what less would do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from arcbatt.language import format_program
from arcbatt.proposers import Candidate

from ..candidates import TaskCandidates


def best_by_size(kept: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates of which no smaller one fits as well."""
    front: list[Candidate] = []
    reached = (-1, -1)
    for each in sorted(kept, key=lambda each: (each.program.n_calls, each.rank)):
        fit = (each.trial.n_fitted, each.trial.credit)
        if fit > reached:
            front.append(each)
            reached = fit
    return front


def hall_of_fame_to_json(found: Iterable[TaskCandidates]) -> dict[str, Any]:
    """Return the hall of each task, the smallest program first."""
    return {
        candidates.task.id: [
            {
                "program": format_program(each.program),
                "size": each.program.n_calls,
                "steps": each.trial.steps,
                "fitted": each.trial.n_fitted,
                "demos": each.trial.n_demos,
                "credit": each.trial.credit,
                "proposer": each.proposer,
                "found_s": round(each.found_s, 3),
            }
            for each in best_by_size(candidates.kept)
        ]
        for candidates in found
    }
