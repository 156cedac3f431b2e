"""The golden list: what 40 training tasks come to, bounded by rounds, so always the same.

    python -m tests.golden            compare; exit 1 and say what changed
    python -m tests.golden --accept   write what there is now as the list

A change that is meant to change nothing leaves it as it is, to the byte; one that makes the search
better accepts the new list in the same commit.
"""

from __future__ import annotations

import json
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any

from arcbatt.scoring import is_right, load_answers
from arcbatt.solving import Run, RunOptions
from arcbatt.solving.run import SUBMISSION
from arcbatt.solving.run_folder import RunFolder
from arcbatt.tasks import load

LIST = Path(__file__).parent / "data" / "golden.json"
DATA = "arc-agi-1/training"
EVERY = 10
# Passes of enumerate, and cards of evolve.
ROUNDS = 4
FOREVER_S = 1e6


def make() -> dict[str, Any]:
    """Solve the tasks, without the bundled solvers, and return what is in the list."""
    tasks = list(load(DATA))[::EVERY]
    answers = load_answers(DATA)
    options = RunOptions(DATA, library=False, device="cpu", card_size=200)
    with tempfile.TemporaryDirectory() as base:
        with RunFolder.create(Path(base), options.to_config("solve")) as folder:
            with Run(folder, tasks) as run:
                run.spend(FOREVER_S, ROUNDS)
            ranked = run.loop.rank()
            submission = (folder.path / SUBMISSION).read_bytes()
        solved, fitted = [], []
        for each in ranked:
            right = [
                any(is_right(answers, each.task.id, k, attempt.grid) for attempt in test.attempts)
                for k, test in enumerate(each.tests)
            ]
            if all(right):
                solved.append(each.task.id)
            if run.loop.candidates(each.task).fits:
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
    """Return what differs, a line each."""
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
