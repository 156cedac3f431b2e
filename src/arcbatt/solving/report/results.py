"""Ranked tasks in, `results.json` and `programs.py` out: what won, and the text of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from arcbatt.language import Program, format_program
from arcbatt.proposers import Candidate

from ..loop import Loop
from ..ranking import Attempt, RankedTask
from ..tracing import N_LOST

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
                "lost": [_attempt_to_json(attempt) for attempt in test.lost[:N_LOST]],
            }
            for test in ranked.tests
        ],
    }


def _attempt_to_json(attempt: Attempt) -> dict[str, Any]:
    best, weight = attempt.best, attempt.weight
    parts = {} if weight is None else weight.parts
    return {
        "grid": attempt.grid,
        "evidence": round(attempt.evidence, 6),
        "weight": None if weight is None else round(weight.bits(), 3),
        "taken": {name: round(bits, 3) for name, bits in parts.items()},
        "broken": list(attempt.broken),
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
        "copies": trial.n_copies,
        "credit": trial.credit,
        "size": candidate.program.n_calls,
        "steps": trial.steps,
    }


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
