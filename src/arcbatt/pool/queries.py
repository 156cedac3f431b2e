"""What is asked of SQLite in more than one place, or at length."""

from __future__ import annotations

from arcbatt.language.parse import MAX_PROGRAM_BYTES

# One more than a program may have: what is longer is refused as such, and fills no memory.
TEXT = f"substr(programs.text, 1, {MAX_PROGRAM_BYTES + 1})"

SCORED = f"""
SELECT programs.digest, programs.name, {TEXT}, programs.n_calls,
    tasks.digest, tasks.name, tasks.set_name,
    trials.n_fitted, trials.n_demos, trials.credit, trials.steps, trials.found_at
FROM trials
JOIN programs ON programs.id = trials.program_id
JOIN tasks ON tasks.id = trials.task_id
"""
# Which of two programs is better on a task: the order of selection and of eviction.
BEST_FIRST = """
trials.n_fitted DESC, trials.credit DESC, trials.steps, trials.program_id
"""

TRIALS_QUERY = f"""
SELECT programs.digest, tasks.digest, tasks.name, tasks.set_name,
    n_fitted, n_demos, credit, steps, learns, n_held_out, n_copies, proposer, family, bits,
    found_s, outputs, trials.found_at, programs.name, {TEXT}
FROM trials
JOIN programs ON programs.id = trials.program_id
JOIN tasks ON tasks.id = trials.task_id
"""

# Whether the numbers of a trial take the place of those that are there, and whether what is told
# of how it was found does. What is better in a screening, where demos may be held out, says nothing
# against a whole trial, which has outputs.
_IS_BETTER = """
(:always OR (outputs IS NULL OR excluded.outputs IS NOT NULL)
    AND (excluded.n_fitted, excluded.credit, -excluded.steps) > (n_fitted, credit, -steps))
"""
_HAS_MORE = "(outputs IS NULL AND excluded.outputs IS NOT NULL)"
RECORD = f"""
INSERT INTO trials (program_id, task_id, n_fitted, n_demos, credit, steps, learns, n_held_out,
    n_copies, proposer, family, bits, found_s, outputs, found_at)
SELECT id, :task, :n_fitted, :n_demos, :credit, :steps, :learns, :n_held_out,
    :n_copies, :proposer, :family, :bits, :found_s, :outputs, :found_at
FROM programs WHERE digest = :program
ON CONFLICT (program_id, task_id) DO UPDATE SET
    found_at = iif(excluded.n_fitted > n_fitted, excluded.found_at, found_at),
    n_fitted = iif({_IS_BETTER}, excluded.n_fitted, n_fitted),
    n_demos = excluded.n_demos,
    credit = iif({_IS_BETTER}, excluded.credit, credit),
    steps = iif({_IS_BETTER}, excluded.steps, steps),
    learns = iif({_HAS_MORE}, excluded.learns, learns),
    n_held_out = iif({_HAS_MORE}, excluded.n_held_out, n_held_out),
    n_copies = iif({_HAS_MORE}, excluded.n_copies, n_copies),
    proposer = iif({_HAS_MORE}, excluded.proposer, proposer),
    family = iif({_HAS_MORE}, excluded.family, family),
    bits = iif({_HAS_MORE}, excluded.bits, bits),
    found_s = iif({_HAS_MORE}, excluded.found_s, found_s),
    outputs = coalesce(outputs, excluded.outputs)
WHERE {_IS_BETTER} OR {_HAS_MORE}
"""
TASK_IDS = "SELECT id, digest FROM tasks WHERE digest IN"
