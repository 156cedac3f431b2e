"""The content of `results.json`, `programs.py` and `hall_of_fame.json`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any

from arcbatt.language import Program, format_program
from arcbatt.proposers import Candidate
from arcbatt.tasks import TASK_SETS, BadTask
from arcbatt.tasks.program_names import program_name

from ..candidates import TaskCandidates
from ..descriptions import N_LOST
from ..loop import Loop
from ..ranking import Attempt, RankedTask

PROGRAMS = "programs.py"
HEADER = """# The programs behind first attempts, as text. What they do, and whether they are right:
# arcbatt explain {programs} --task ID{data}
# arcbatt check {programs}{data}
"""


def results_to_json(
    loop: Loop,
    ranked: Sequence[RankedTask],
    bad: Sequence[BadTask] = (),
    rules: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """Return the results of a run as plain data, without any knowledge of what is right.

    `rules` has, by task, the rules in words that the program of its first attempt has learned.
    """
    rules = rules or {}
    return {
        "tasks": len(ranked),
        "fits": loop.n_fitted,
        "elapsed_s": round(loop.elapsed_s, 3),
        "proposers": {name: vars(count) for name, count in loop.counts.items()},
        "parts": loop.parts(),
        "by_task": [
            {
                **task_to_json(loop.candidates(each.task), each, loop.spent_s[each.task.id]),
                "rules": list(rules.get(each.task.id, ())),
            }
            for each in ranked
        ],
        "not_valid": {each.id: each.faults for each in bad},
    }


def task_to_json(found: TaskCandidates, ranked: RankedTask, spent_s: float) -> dict[str, Any]:
    """Return the results of a task: its attempts and the candidates behind them."""
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
        "spent_s": round(spent_s, 3),
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
    best = attempt.best
    return {
        "grid": attempt.grid,
        "evidence": round(attempt.evidence, 6),
        "reasons": {words: round(bits, 3) for words, bits in attempt.reasons.items()},
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


def hall_of_fame_to_json(found: Iterable[TaskCandidates]) -> dict[str, Any]:
    """Return the best programs of each task by size and fit, the smallest first.

    The last one of a task is its best; the others show how near fewer calls come.
    """
    return {
        candidates.task.id: [
            {**_candidate_to_json(each), "demos": each.trial.n_demos}
            for each in best_by_size(candidates.kept)
        ]
        for candidates in found
    }


def best_by_size(kept: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates that fit better, by demos, then credit, than all smaller ones."""
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
    """The program behind the first attempt at a task, under a unique name."""

    ranked: RankedTask
    candidate: Candidate
    program: Program

    @property
    def text(self) -> str:
        return format_program(self.program)


def find_winners(ranked: Sequence[RankedTask]) -> dict[str, Winner]:
    """Return the programs behind first attempts by task id, if they fit some demo."""
    winners: dict[str, Winner] = {}
    for each in ranked:
        best = each.best
        if best is None or not best.trial.n_fitted:
            continue
        program = Program(best.program.result, program_name(each.task.id))
        winners[each.task.id] = Winner(each, best, program)
    return winners


def format_winners(winners: Iterable[Winner], source: str) -> str:
    """Return programs as one text for `arcbatt check` and `arcbatt explain`.

    `source` is where their tasks come from.
    """
    data = "" if source in TASK_SETS else f" --data {quote(_one_line(source))}"
    parts = [HEADER.format(programs=PROGRAMS, data=data)]
    for winner in winners:
        trial = winner.candidate.trial
        note = (
            f"# task {_one_line(winner.ranked.task.id)} of {_one_line(source)}: "
            f"fits {trial.n_fitted} of {trial.n_demos} demos, "
            f"found by {winner.candidate.proposer}, confidence {winner.ranked.confidence:.2f}"
        )
        parts.append(f"{note}\n{winner.text}")
    return "\n\n".join(parts)


def _one_line(text: str) -> str:
    return text if text.isascii() and text.isprintable() else ascii(text)
