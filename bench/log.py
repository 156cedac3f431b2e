"""Measure the log of a long run: its size, and the time and memory to resume and draw it.

    python bench/log.py [--cards 100000] [--hours 8]

Logs synthetic cards through a run, as evolve does, and saves the ledger every five seconds of the
run's clock. Prints the entries and bytes of the log, and the wall-clock time and memory growth of
two fresh processes: one resumes the run, one draws its charts.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from arcbatt.proposers.evolve.mutation import Mutator
from arcbatt.solving import RunStore, Search, SearchOptions
from arcbatt.solving.run_folder import LOG, RunFolder
from arcbatt.solving.run_store import SAVE_EVERY_S
from arcbatt.tasks import load

OPTIONS = SearchOptions("arc-agi-1/training", proposers=("evolve",), library=False, device="cpu")
N_TASKS = 100
# Cards that find something are rare.
FIND_EVERY = 1_000


def make_card(number: int, s_per_card: float) -> dict[str, Any]:
    """Return a log entry of a card, with the size it has in a long run."""
    counts = {"ran": 61 * number, "improved": number // 9, "fitted": number // 4000}
    row = {"tried": 73 * number, **counts}
    finds = [{"task": "67a3c6ac", "program": "0" * 32, "mutation": "splice"}]
    return {
        "item": "card",
        "wall_s": s_per_card,
        "engine_s": 0.7 * s_per_card,
        "card": number,
        "n_pairs": 79_000,
        "mutations": dict.fromkeys(Mutator.kinds, row),
        "n_mutants": 790,
        "n_calls": 5_213,
        "verdicts": {"kept": 3, "known": 12},
        "best_credit": 990,
        "ran_on": {"cpu": 79_000},
        "found": finds if number % FIND_EVERY == 0 else [],
    }


def write_log(base: Path, n_cards: int, run_s: float) -> Path:
    """Log `n_cards` cards; return the folder of the run."""
    s_per_card = run_s / n_cards
    tasks = load("arc-agi-1/training")[:N_TASKS]
    store = RunStore.create(base, "evolve", OPTIONS)
    with Search(OPTIONS, store, tasks) as search:
        saved_s = 0.0
        for number in range(1, n_cards + 1):
            elapsed_s = number * s_per_card
            loop: Any = SimpleNamespace(elapsed_s=elapsed_s, n_fitted=number // FIND_EVERY)
            store.log(loop, "evolve", make_card(number, s_per_card))
            count = {"n_tasks": N_TASKS, "n_rounds": number, "elapsed_s": elapsed_s}
            ended = {"item": "card", "ended": count, "ran_on": {"cpu": 79_000 * number}}
            store.log(loop, "evolve", ended)
            if elapsed_s - saved_s > SAVE_EVERY_S:
                saved_s = elapsed_s
                store.save(search.loop)
        search.run(0.01)
    return store.path


def resume(path: Path) -> Callable[[], None]:
    def work() -> None:
        tasks = load("arc-agi-1/training")[:N_TASKS]
        with Search(OPTIONS, RunStore(RunFolder.open(path)), tasks):
            pass

    return work


def draw(path: Path) -> Callable[[], None]:
    folder = RunFolder.open(path)
    return folder.draw_progress


def report(name: str, work: Callable[[], None]) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    work()
    took_s = time.perf_counter() - start
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{name}: {took_s:.2f} s, {grown / 1024:,.0f} MiB more memory")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, default=100_000)
    parser.add_argument("--hours", type=float, default=8.0)
    parser.add_argument("--only", choices=("resume", "draw"), help=argparse.SUPPRESS)
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only is not None:
        report(options.only, {"resume": resume, "draw": draw}[options.only](options.run))
        return
    with tempfile.TemporaryDirectory() as base:
        start = time.perf_counter()
        path = write_log(Path(base), options.cards, options.hours * 3600)
        took_s = time.perf_counter() - start
        with (path / LOG).open("rb") as log:
            n_entries = sum(1 for _ in log)
        n_bytes = (path / LOG).stat().st_size
        print(f"{options.cards:,} cards: {n_entries:,} entries, {n_bytes / 1e6:,.1f} MB")
        print(f"log: {took_s:.2f} s, {took_s / options.cards * 1e6:.0f} us per card with saves")
        for only in ("resume", "draw"):
            words = [sys.executable, __file__, "--only", only, "--run", str(path)]
            subprocess.run(words, check=True)


if __name__ == "__main__":
    main()
