"""SQL that is long or used in more than one place."""

from __future__ import annotations

from arcbatt.language.parse import MAX_PROGRAM_BYTES

# One byte more than a program may have: a longer text is rejected without filling the memory.
TEXT = f"substr(programs.text, 1, {MAX_PROGRAM_BYTES + 1})"


def select_trials(outputs: str = "outputs") -> str:
    """Return the query for rows of `PoolTrial`; with `outputs` "NULL", outputs are not read."""
    return f"""
    SELECT programs.digest, tasks.digest, tasks.name, tasks.set_name,
        n_fitted, n_demos, credit, steps, learns, n_held_out, n_copies, proposer, family, bits,
        found_s, {outputs}, trials.found_at, programs.name, {TEXT}
    FROM trials
    JOIN programs ON programs.id = trials.program_id
    JOIN tasks ON tasks.id = trials.task_id
    """


SELECT_WORK = """
SELECT tasks.digest, tasks.name, set_name, proposer, item, counts, done_at
FROM work JOIN tasks ON tasks.id = task_id
"""

# The order of selection and eviction: the best program of a task first.
BEST_FIRST = """
trials.n_fitted DESC, trials.credit DESC, trials.steps, trials.program_id
"""

# A screening, where demos may be held out, never replaces a whole trial, which has outputs.
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
DIGEST_WITHOUT_TRIALS = """
SELECT digest FROM programs
WHERE id = ? AND NOT EXISTS (SELECT 1 FROM trials WHERE program_id = programs.id)
"""
