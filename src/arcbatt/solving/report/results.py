"""Ranked tasks in, `results.json`, `programs.py` and `hall_of_fame.json` out: what won, as data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from arcbatt.language import Program, format_program
from arcbatt.proposers import Candidate

from ..candidates import TaskCandidates
from ..loop import Loop
from ..ranking import Attempt, RankedTask

PROGRAMS = "programs.py"
PREFIX = "solve_"
# Names are those of files too, and a task may have an id of any length.
MAX_NAME = 80
HEADER = "# The programs behind first attempts, as text. `arcbatt explain` shows what they do.\n"


def results_to_json(loop: Loop, ranked: Sequence[RankedTask]) -> dict[str, Any]:
    """Return all about a run that a script could want; nothing in it knows what is right."""
    return {
        "tasks": len(ranked),
        "fits": loop.n_fitted,
        "elapsed_s": round(loop.elapsed_s, 3),
        "proposers": {name: vars(count) for name, count in loop.counts.items()},
        "parts": loop.parts(),
        "by_task": [_task_to_json(loop, each) for each in ranked],
    }


def _task_to_json(loop: Loop, ranked: RankedTask) -> dict[str, Any]:
    found = loop.candidates(ranked.task)
    best = ranked.best
    return {
        "task": ranked.task.id,
        "demos": len(ranked.task.demos),
        "fits": found.fits,
        "candidates": len(found),
        "agreeing": found.n_agreeing,
        "confidence": round(ranked.confidence, 4),
        "proposer": None if best is None else best.proposer,
        "found_s": None if best is None else round(best.found_s, 3),
        "spent_s": round(loop.spent_s[ranked.task.id], 3),
        "tests": [
            {
                "confidence": round(test.confidence, 4),
                "grids": test.n_grids,
                "attempts": [_attempt_to_json(attempt) for attempt in test.attempts],
            }
            for test in ranked.tests
        ],
    }


def _attempt_to_json(attempt: Attempt) -> dict[str, Any]:
    best = attempt.best
    return {
        "grid": attempt.grid,
        "evidence": round(attempt.evidence, 6),
        "candidates": len(attempt.supporters),
        "families": sorted(attempt.families),
        "best": None if best is None else _candidate_to_json(best),
    }


def _candidate_to_json(candidate: Candidate) -> dict[str, Any]:
    trial = candidate.trial
    return {
        "proposer": candidate.proposer,
        "found_s": round(candidate.found_s, 3),
        "program": format_program(candidate.program),
        "family": candidate.proposal.family,
        "bits": candidate.proposal.bits,
        "fitted": trial.n_fitted,
        "learns": trial.learns,
        "held_out": trial.n_held_out,
        "credit": trial.credit,
        "size": candidate.program.n_calls,
        "steps": trial.steps,
    }


def hall_of_fame_to_json(found: Iterable[TaskCandidates]) -> dict[str, Any]:
    """Return of each task the best programs by size and fit, the smallest first.

    So the last of a task is its best, and those before say what less would do.
    """
    return {
        candidates.task.id: [
            {**_candidate_to_json(each), "demos": each.trial.n_demos}
            for each in best_by_size(candidates.kept)
        ]
        for candidates in found
    }


def best_by_size(kept: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates of which no smaller one fits as well, in demos, then in credit."""
    front: list[Candidate] = []
    reached = (-1, -1)
    for each in sorted(kept, key=lambda each: (each.program.n_calls, each.rank)):
        fit = (each.trial.n_fitted, each.trial.credit)
        if fit > reached:
            front.append(each)
            reached = fit
    return front


@dataclass(frozen=True, slots=True)
class Winner:
    """The program behind the first attempt at a task, under a name that no other has."""

    ranked: RankedTask
    candidate: Candidate
    program: Program

    @property
    def text(self) -> str:
        return format_program(self.program)


def find_winners(ranked: Sequence[RankedTask]) -> dict[str, Winner]:
    """Return by task id the program behind its first attempt, if that fits some demo."""
    winners: dict[str, Winner] = {}
    names: set[str] = set()
    for each in ranked:
        best = each.best
        if best is None or not best.trial.n_fitted:
            continue
        program = Program(best.program.result, _name_for(each.task.id, names))
        winners[each.task.id] = Winner(each, best, program)
    return winners


def format_winners(winners: Iterable[Winner]) -> str:
    """Return programs as one text that parses, for `arcbatt check` and `arcbatt explain`."""
    parts = [HEADER]
    for winner in winners:
        trial = winner.candidate.trial
        note = (
            f"# {_one_line(winner.ranked.task.id)}: "
            f"fits {trial.n_fitted} of {trial.n_demos} demos, "
            f"found by {winner.candidate.proposer}, confidence {winner.ranked.confidence:.2f}"
        )
        parts.append(f"{note}\n{winner.text}")
    return "\n\n".join(parts)


def _name_for(task_id: str, taken: set[str]) -> str:
    """A name for a task's program: solve_<task>, or the nearest that is a name and free."""
    base = name = PREFIX + re.sub(r"\W", "_", task_id, flags=re.ASCII)[:MAX_NAME]
    number = 1
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    taken.add(name)
    return name


def _one_line(text: str) -> str:
    return text if text.isascii() else ascii(text)
