"""The notebooks for Kaggle run from top to bottom, in folders that look like Kaggle's.

Here they run in this environment; `make bundle-test` runs them from the published wheels on every
Python and NumPy that Kaggle has.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import arcbatt
from arcbatt.scoring import read_submission
from tests.solving.test_kaggle import BROKEN, MIRROR, write_tasks

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
WITHOUT_NETWORK = ["unshare", "--map-root-user", "--net"]


def execute(name: str, folder: Path, *values: str, prefix: list[str] | None = None) -> str:
    """The text that a notebook prints and shows."""
    out = folder / "out.ipynb"
    command = [sys.executable, ROOT / "release" / "run_notebook.py"]
    command += [ROOT / "notebooks" / f"{name}.ipynb", out]
    command += [word for value in values for word in ("--set", value)]
    ended = subprocess.run([*(prefix or []), *command], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    outputs = [o for cell in json.loads(out.read_text())["cells"] for o in cell.get("outputs", ())]
    shown = [o.get("text", o.get("data", {}).get("text/plain", "")) for o in outputs]
    return "".join("".join(text) for text in shown)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs(path: Path) -> None:
    content = json.loads(path.read_text("utf-8"))
    code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    assert code and all(not c["outputs"] and c["execution_count"] is None for c in code)
    assert [c["metadata"] for c in code].count({"tags": ["parameters"]}) == 1


def test_the_submission_notebook_runs_offline(tmp_path: Path) -> None:
    if shutil.which(WITHOUT_NETWORK[0]) is None:
        pytest.skip("no unshare here, so no process without network")
    tried = subprocess.run([*WITHOUT_NETWORK, "true"], capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"no process without network is permitted here: {tried.stderr.strip()}")
    write_tasks(tmp_path / "input" / "competitions" / "arc", {"good": MIRROR, "bad": BROKEN})
    (tmp_path / "working").mkdir()
    values = (f"INPUT={tmp_path / 'input'}", f"OUTPUT={tmp_path / 'working'}")
    options = "OPTIONS=--budget 1h --rounds 1 --threads 1 --device cpu"
    shown = execute("submit", tmp_path, *values, options, prefix=WITHOUT_NETWORK)
    assert "is valid: 2 tasks, 4 test inputs" in shown and "2 tasks, 4 test inputs" in shown
    submission = read_submission(tmp_path / "working" / "submission.json")
    assert [entry["attempt_1"] for entry in submission["good"]] == [[[9, 8, 7]], [[0, 6]]]


def test_the_tour_runs(tmp_path: Path) -> None:
    shown = execute("tour", tmp_path, f"INPUT={tmp_path}", "BUDGET_S=4")
    assert "<Solution of 67a3c6ac: a program fits all demos" in shown
    assert "demo 1 right, demo 2 right" in shown and "<Score " in shown and "<Solutions: " in shown


def test_the_tour_uses_public_names_only() -> None:
    content = json.loads((ROOT / "notebooks" / "tour.ipynb").read_text("utf-8"))
    code = "".join("".join(each["source"]) for each in content["cells"])
    used = set(re.findall(r"arcbatt\.(\w+)\(", code))
    assert used <= set(arcbatt.__all__) and "from arcbatt." not in code
    assert {"show", "explain", "solve_all", "score", "evolve"} <= used
