"""Programs for a task in, candidates out: what they give on its demos and test inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arcbatt.engine.batt import Batt
from arcbatt.language import Failure, Program
from arcbatt.measure import phase
from arcbatt.search.held_out import HeldOutSamples
from arcbatt.search.validating import SampleGrids
from arcbatt.tasks import Task

from .candidates import FULL_CREDIT, Candidate, submittable

# A program is one of so many, more of them the longer it is.
BITS_A_CALL = 0.1


def family_of(program: Program) -> str:
    """The primitive that makes a program's result: programs that end alike are often kin."""
    result = program.result
    return result.name if result.kind == "call" else result.kind


@phase("run")
def candidates_of(
    task: Task,
    programs: Sequence[Program],
    credits: Mapping[Program, int] | None = None,
    *,
    n_threads: int | None = None,
) -> list[Candidate]:
    """Run programs on all demos and test inputs of a task, anew and by themselves.

    So what a candidate says of its fit never rests on what a stage found in some large batt.
    `credits` says how near programs come that do not fit; otherwise the demos fitted do.
    """
    if not programs:
        return []
    n_demos = len(task.demos)
    samples = SampleGrids.of_task(task).packed
    result = Batt(programs).run(samples, device="cpu", n_threads=n_threads, keep_values=True)
    held_out = _held_out(task, programs, n_threads)
    candidates = []
    for place, program in enumerate(programs):
        n_fitted = int(result.matches[place, :n_demos].sum())
        outcomes = [result.outcome(place, k) for k in range(n_demos, len(samples))]
        credit = (credits or {}).get(program, FULL_CREDIT * n_fitted // n_demos)
        is_right = n_fitted == n_demos
        candidates.append(
            Candidate(
                task=task,
                program=program,
                family=family_of(program),
                outputs=tuple(
                    None if isinstance(outcome, Failure) else submittable(outcome)
                    for outcome in outcomes
                ),
                n_fitted=n_fitted,
                size=program.n_calls,
                cost=int(result.steps[place].sum()),
                credit=FULL_CREDIT if is_right else min(credit, FULL_CREDIT - 1),
                n_held_out=held_out.get(program),
                bits=program.n_calls * BITS_A_CALL,
            )
        )
    return candidates


def _held_out(task: Task, programs: Sequence[Program], n_threads: int | None) -> dict[Program, int]:
    """Of programs that learn from the demos: how many they get right that they do not see.

    A program without `S` learns nothing; with one demo there is nothing left to learn from.
    """
    learning = [program for program in programs if "S" in program.inputs]
    if not learning or len(task.demos) < 2:
        return {}
    samples = HeldOutSamples([task]).demos
    result = Batt(learning).run(samples, device="cpu", n_threads=n_threads)
    counts = result.matches.sum(axis=1)
    return {program: int(counts[place]) for place, program in enumerate(learning)}
