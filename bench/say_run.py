"""Say in a paragraph what the newest run of a folder did; for `make run`.

python bench/say_run.py runs
"""

from __future__ import annotations

import argparse
from pathlib import Path
from textwrap import fill

import arcbatt
from arcbatt.plurals import count
from arcbatt.solving.run_folder import REPORT
from arcbatt.solving.runs import list_runs, read_results


def main() -> None:
    parser = argparse.ArgumentParser(description="Say what the newest run of a folder did.")
    parser.add_argument("folder", type=Path)
    runs, _ = list_runs(parser.parse_args().folder)
    print(f"\n{fill(describe(runs[0].path), 80, break_on_hyphens=False)}")


def describe(path: Path) -> str:
    """Return the paragraph about a run."""
    results = read_results(path)
    scored = arcbatt.score(path)
    run = next(each for each in list_runs(path.parent)[0] if each.path == path)
    library = "with" if run.config.options["library"] else "without"
    return (
        f"arcbatt has searched for {results['elapsed_s']:.0f} s for programs for "
        f"{count(results['tasks'], 'task')} of {run.data}, {library} its bundled solvers. For "
        f"{results['fits']} of them it found a program that gives the output of every pair shown. "
        f"It made two attempts at each test input: all are right for "
        f"{count(scored.solved, 'task')}, for {scored.solved_first_attempt} of them at the first "
        f"attempt. {path / REPORT} shows every task with its program; `.venv/bin/arcbatt serve "
        f"{path}` shows the same in a browser, line by line."
    )


if __name__ == "__main__":
    main()
