"""The golden list: results of 40 training tasks, bounded by rounds and so reproducible.

    python -m tests.golden            compare; exit 1 and say what changed
    python -m tests.golden --accept   accept the current results as the list

A refactoring leaves the list unchanged, byte for byte; a change that improves the search accepts
the new list in the same commit.
"""

from __future__ import annotations

import json
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any

from arcbatt.proposers.evolve import EvolveOptions
from arcbatt.scoring import is_right, load_answers
from arcbatt.solving import RunStore, Search, SearchOptions
from arcbatt.solving.run_folder import SUBMISSION
from arcbatt.tasks import load

LIST = Path(__file__).parent / "data" / "golden.json"
DATA = "arc-agi-1/training"
EVERY = 10
# Passes of enumerate, and cards of evolve.
ROUNDS = 4
FOREVER_S = 1e6


def make() -> dict[str, Any]:
    """Solve the tasks without the bundled solvers, and return the content of the list."""
    tasks = list(load(DATA))[::EVERY]
    answers = load_answers(DATA)
    options = SearchOptions(DATA, library=False, device="cpu", evolve=EvolveOptions(card_size=200))
    with tempfile.TemporaryDirectory() as base:
        store = RunStore.create(Path(base), "solve", options)
        with Search(options, store, tasks) as search:
            search.run(FOREVER_S, ROUNDS)
        ranked = search.loop.rank()
        submission = (store.path / SUBMISSION).read_bytes()
        solved, fitted = [], []
        for each in ranked:
            right = [
                any(is_right(answers, each.task.id, k, attempt.grid) for attempt in test.attempts)
                for k, test in enumerate(each.tests)
            ]
            if all(right):
                solved.append(each.task.id)
            if search.loop.candidates(each.task).fits:
                fitted.append(each.task.id)
    return {
        "set": DATA,
        "tasks": len(tasks),
        "rounds": ROUNDS,
        "solved": solved,
        "fitted": fitted,
        "submission_sha256": sha256(submission).hexdigest(),
    }


def describe_changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return the differences, one per line."""
    lines = []
    for key in ("solved", "fitted"):
        for words, ids in (
            (f"no longer {key}", set(before[key]) - set(after[key])),
            (f"newly {key}", set(after[key]) - set(before[key])),
        ):
            if ids:
                lines.append(f"{words}: {', '.join(sorted(ids))}")
    for key in ("set", "tasks", "rounds", "submission_sha256"):
        if before[key] != after[key]:
            lines.append(f"{key}: {before[key]} became {after[key]}")
    return lines


def main() -> None:
    after = make()
    before = json.loads(LIST.read_text("utf-8")) if LIST.exists() else None
    changes = ["there is no list yet"] if before is None else describe_changes(before, after)
    print("\n".join(changes) or "nothing has changed")
    if "--accept" in sys.argv[1:]:
        LIST.write_text(json.dumps(after, indent=1) + "\n", "utf-8")
    elif changes:
        raise SystemExit("python -m tests.golden --accept takes this as the list")


if __name__ == "__main__":
    main()
