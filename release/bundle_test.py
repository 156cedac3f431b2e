"""Run the notebooks of the bundle as Kaggle would, on each kind of image.

python release/bundle_test.py    prints a table, exits 1 if anything fails

Needs the bundle of `make bundle`. For Python 3.11 and 3.12, each with the oldest supported and the
newest NumPy and Pillow, creates an environment like a Kaggle image, without arcbatt, and folders
like Kaggle's, and executes the notebooks in it: the submission notebook in a namespace without
network (`unshare`), if the system permits that.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bundle import BUNDLE
from wheels import ROOT, find_python, make_environment

PLACE = ROOT / "build" / "bundle-test"
RUNNER = Path(__file__).parent / "run_notebook.py"
IMAGE = ("ipykernel", "nbclient", "nbformat", "jinja2", "requests")
OLD = ("numpy==1.26.*", "pillow==10.1.*")
NEW = ("numpy>=2", "pillow>=11")
WITHOUT_NETWORK = ("unshare", "--map-root-user", "--net")
# Long enough to start the search on a busy machine.
OPTIONS = "--budget 40s --threads 1"


@dataclass(frozen=True, slots=True)
class Image:
    """The environment of a notebook: a Python and some packages."""

    version: str
    packages: tuple[str, ...]

    @property
    def name(self) -> str:
        return " ".join([self.version, *(each.strip("=*.>") for each in self.packages)])


def why_not_isolated() -> str | None:
    """Return why processes cannot be isolated from the network here, or None."""
    if shutil.which(WITHOUT_NETWORK[0]) is None:
        return "no unshare"
    tried = subprocess.run([*WITHOUT_NETWORK, "true"], capture_output=True, text=True)
    return None if tried.returncode == 0 else tried.stderr.strip()


def make_folders(place: Path) -> tuple[Path, Path]:
    """Make folders like Kaggle's: the competition's tasks, one of them broken, and the bundle."""
    shutil.rmtree(place, ignore_errors=True)
    data = place / "input" / "competitions" / "arc-prize-2026"
    data.mkdir(parents=True)
    (place / "working").mkdir()
    mirror = {"input": [[1, 2], [3, 4]], "output": [[2, 1], [4, 3]]}
    own = {"input": [[5, 0, 0]], "output": [[0, 0, 5]]}
    task = {"train": [mirror, own], "test": [{"input": [[7, 8, 9]]}, {"input": [[6, 0]]}]}
    broken = {"train": [{"input": [[1]], "output": [[11]]}], "test": [{"input": [[1]]}]}
    tasks = {"aaaaaaaa": task, "bbbbbbbb": broken}
    (data / "arc-agi_test_challenges.json").write_text(json.dumps(tasks))
    shutil.copytree(BUNDLE, place / "input" / "arcbatt")
    return place / "input", place / "working"


def run(image: Image, reason: str | None) -> list[str]:
    """Run both notebooks on an image; return the errors."""
    place = PLACE / image.name
    shutil.rmtree(place, ignore_errors=True)
    python = make_environment(find_python(image.version), place / "env", [*IMAGE, *image.packages])
    given, working = make_folders(place / "kaggle")
    troubles = []
    for name, values in (
        ("submit", [f"INPUT={given}", f"OUTPUT={working}", f"OPTIONS={OPTIONS}"]),
        ("tour", [f"INPUT={given}", "BUDGET_S=20"]),
    ):
        command = [python, RUNNER, BUNDLE / f"{name}.ipynb", working / f"{name}.out.ipynb"]
        command += [word for value in values for word in ("--set", value)]
        if name == "submit" and reason is None:
            command = [*WITHOUT_NETWORK, *command]
        environment = {**os.environ, "PIP_NO_INPUT": "1"}
        ended = subprocess.run(command, capture_output=True, text=True, env=environment)
        if ended.returncode:
            troubles.append(f"{name}: {ended.stderr.strip()[-2000:]}")
    if not troubles:
        submission = json.loads((working / "submission.json").read_text())
        right = [[9, 8, 7]], [[0, 6]]
        if [entry["attempt_1"] for entry in submission["aaaaaaaa"]] != [*right]:
            troubles.append(f"submit: the attempts are not right: {submission['aaaaaaaa']}")
        if len(submission["bbbbbbbb"]) != 1:
            troubles.append("submit: the broken task is not filled in")
    return troubles


def main() -> None:
    if not BUNDLE.exists():
        raise SystemExit(f"{BUNDLE} does not exist; run make bundle")
    reason = why_not_isolated()
    network = "off for submit" if reason is None else f"ON, as it cannot be cut off: {reason}"
    failed = False
    for image in (
        Image(version, packages) for version in ("3.11", "3.12") for packages in (OLD, NEW)
    ):
        troubles = run(image, reason)
        failed |= bool(troubles)
        print(
            f"{image.name:40} network {network}: {'failed' if troubles else 'passed'}", flush=True
        )
        for trouble in troubles:
            print(f"    {trouble}", file=sys.stderr)
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
