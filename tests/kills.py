"""Kill and interrupt commands at random moments, and check that nothing saved is lost.

    python -m tests.kills --n 1000                kill -9: solve, evolve, kaggle, cluster, import
    python -m tests.kills --signals --n 1000      two signals within 60 ms: evolve, solve, kaggle
    python -m tests.kills --n 50 --kinds import   kills of one command

A killed run is resumed and killed again, until it has been killed `CHAIN` times; then it is resumed
to its end. After every kill: the ledger is intact and has every fit that results or an earlier
ledger had, files are whole, the submission has all tasks, and no worker is left. After every pair
of signals: the process ends in time with its results written, an exit status of an interrupt, and
nothing on stderr that is not meant for users.

Prints counts per command. A failed check is printed with the folder, which stays; then the status
is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from arcbatt.pool import Pool
from arcbatt.scoring import read_submission
from arcbatt.solving.run_folder import CONFIG, POOL, RESULTS, SUBMISSION
from arcbatt.solving.runs import is_running, read_results
from arcbatt.tasks import load
from tests.support.search import default_signals

KINDS = ("solve", "evolve", "kaggle", "cluster", "import")
SIGNAL_KINDS = ("evolve", "solve", "kaggle")
# The number of times that one run, or one pool, is killed.
CHAIN = 8
# Small tasks of ARC-AGI-1 training, all of them quickly solved; and one without a rule, so that a
# search never ends by itself.
SOLVABLE = ("25d8a9c8", "67a3c6ac", "68b16354", "74dd1130", "a416b8f3", "c8f0f002")
NOISE = "noise"
TASKS = (*SOLVABLE, NOISE)
# The longest wait before a kill, from the start or from the first file of results.
FIRST_S, LATER_S = 1.5, 3.0
# The gap between two signals.
GAP_S = 0.06
# No command takes this long to start or to end, beside the time in which it waits for a core.
PATIENCE_S = 60.0
N_IMPORTED = 20_000
# What an interrupted process must not print.
SYMPTOMS = ("Traceback", "terminate called", "Exception ignored", "Fatal Python error")
ARCBATT = [sys.executable, "-m", "arcbatt"]


class Lost(AssertionError):
    """A check failed after a kill or a signal."""


def check(is_right: object, message: str) -> None:
    """Raise `Lost` with a message unless a check holds."""
    if not is_right:
        raise Lost(message)


class Run:
    """A run of `solve`, `evolve` or `kaggle` in a folder of its own, killed and resumed."""

    def __init__(self, kind: str, base: Path, budget: str = "1h") -> None:
        self.base = base
        self.kind = kind
        self._budget = budget
        self._files = base / "input"
        self._files.mkdir()
        tasks = load("arc-agi-1/training")
        content: dict[str, Any] = {
            name: {
                "train": [{"input": d.input, "output": d.output} for d in tasks[name].demos],
                "test": [{"input": grid} for grid in tasks[name].test_inputs],
            }
            for name in SOLVABLE
        }
        content[NOISE] = _noise()
        self._challenges = self._files / "arc-agi_test_challenges.json"
        self._challenges.write_text(json.dumps(content))
        self._submission = base / "submission.json"
        self._fits: set[str] = set()
        """The tasks that any earlier ledger or results had a fit for."""

    @property
    def folder(self) -> Path | None:
        """The folder of the run, once it can be resumed."""
        configs = sorted(self.base.glob(f"runs/*/{CONFIG}"))
        return configs[0].parent if configs else None

    def command(self, budget: str | None = None) -> list[str]:
        """Return the command that starts the run, or resumes it."""
        options = ["--budget", budget or self._budget]
        if self.folder is not None:
            name = "evolve" if self.kind == "evolve" else "solve"
            cluster = ["--cluster", "local:2"] if self.kind == "cluster" else []
            return [name, "--resume", str(self.folder), *cluster, *options, *self._written()]
        options += ["--device", "cpu", "--threads", "1"]
        if self.kind == "kaggle":
            output = ["--output", str(self.base)]
            return ["kaggle", "--input", str(self._files), *output, *options]
        options += ["--no-library", "--out", str(self.base / "runs")]
        if self.kind == "evolve":
            options.remove("--no-library")
            return ["evolve", str(self._challenges), *options]
        options += self._written()
        if self.kind == "cluster":
            options += ["--cluster", "local:2"]
        return ["solve", str(self._challenges), *options]

    def _written(self) -> list[str]:
        return [] if self.kind == "evolve" else ["--submission", str(self._submission)]

    @property
    def has_results(self) -> bool:
        folder = self.folder
        return folder is not None and (folder / RESULTS).exists()

    def check(self) -> None:
        """Check the files after the process has ended."""
        if self.kind != "evolve" and self._submission.exists():
            self._check_submission(self._submission)
        folder = self.folder
        if folder is None:
            check(not self._fits, "the folder of the run is gone")
            return
        check(not is_running(folder), "the folder is still locked")
        if (folder / SUBMISSION).exists():
            self._check_submission(folder / SUBMISSION)
        seen = set(self._fits)
        if (folder / RESULTS).exists():
            seen |= {row["task"] for row in read_results(folder)["by_task"] if row["fits"]}
        fits = self._fits_of_ledger(folder)
        check(seen <= fits, f"the ledger has lost the fits of {sorted(seen - fits)}")
        self._fits = fits

    def _check_submission(self, path: Path) -> None:
        check(read_submission(path).keys() == set(TASKS), f"{path} lacks tasks")

    def _fits_of_ledger(self, folder: Path) -> set[str]:
        path = folder / POOL
        if not path.exists():
            check(not (folder / RESULTS).exists(), "there are results without a ledger")
            return set()
        check_intact(path)
        with Pool.open(path, create=False) as pool:
            return {row.task_name for row in pool.trials() if row.fits}

    def check_whole(self) -> None:
        """Check the files after a regular end."""
        self.check()
        folder = self.folder
        assert folder is not None
        rows = read_results(folder)["by_task"]
        check(len(rows) == len(TASKS), "results.json lacks tasks")
        attempts = {
            row["task"]: [[each["grid"] for each in test["attempts"]] for test in row["tests"]]
            for row in rows
        }
        places = [folder / SUBMISSION]
        places += [] if self.kind == "evolve" else [self._submission]
        for place in places:
            submitted = {
                name: [list(entry.values()) for entry in entries]
                for name, entries in json.loads(place.read_bytes()).items()
            }
            check(submitted == attempts, f"{place} is not what results.json has")


def _noise() -> dict[str, list[dict[str, list[list[int]]]]]:
    """Return a task whose grids have nothing to do with each other."""
    rng = random.Random(0)

    def grid() -> list[list[int]]:
        return [[rng.randrange(10) for _ in range(6)] for _ in range(6)]

    pairs = [{"input": grid(), "output": grid()} for _ in range(3)]
    return {"train": pairs, "test": [{"input": grid()}]}


class Import:
    """An import of a large file, killed and repeated."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.kind = "import"
        self._file, self._pool = base / "programs.py", base / "pool.db"
        self._file.write_text(
            "\n\n".join(
                f"def solve_{n}(I):\n    x1 = fill(I, {n % 10}, {n})\n    return x1\n"
                for n in range(N_IMPORTED)
            )
        )
        self._n_known = 0

    def command(self, budget: str | None = None) -> list[str]:
        return ["pool", "import", str(self._file), "--pool", str(self._pool)]

    @property
    def has_results(self) -> bool:
        return self._pool.exists()

    def check(self) -> None:
        if not self._pool.exists():
            check(not self._n_known, "the pool is gone")
            return
        check_intact(self._pool)
        with Pool.open(self._pool, create=False) as pool:
            n_programs = pool.n_programs
        check(n_programs >= self._n_known, f"{self._n_known - n_programs} programs are lost")
        self._n_known = n_programs

    def check_whole(self) -> None:
        self.check()
        check(self._n_known == N_IMPORTED, f"{self._n_known} programs of {N_IMPORTED}")


def check_intact(path: Path) -> None:
    """Check a SQLite file, after it has recovered from the kill."""
    connection = sqlite3.connect(path)
    try:
        rows = connection.execute("PRAGMA integrity_check").fetchall()
        check(rows == [("ok",)], f"{path} is damaged: {rows[:3]}")
        rows = connection.execute("PRAGMA foreign_key_check").fetchall()
        check(not rows, f"{path} has rows without a parent")
    finally:
        connection.close()


def make_target(kind: str, base: Path, budget: str = "1h") -> Run | Import:
    return Import(base) if kind == "import" else Run(kind, base, budget)


class Patience:
    """Whether a process has had `PATIENCE_S`, without the time in which a thread of it had no core.

    On a busy machine a process of low priority may wait a minute for a second of work. One that
    hangs waits for no core.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._seen_s = time.monotonic()
        self._delays_s = _delays_s(pid)
        self._had_s = 0.0

    @property
    def is_over(self) -> bool:
        """Look at the process; to be asked often."""
        now_s, delays_s = time.monotonic(), _delays_s(self._pid)
        delayed = (delay_s - self._delays_s.get(t, 0.0) for t, delay_s in delays_s.items())
        # The system counts a delay once it is over: it may be longer than the time since the last
        # look, and what earlier looks counted is taken back.
        self._had_s += now_s - self._seen_s - max(delayed, default=0.0)
        self._had_s = max(self._had_s, 0.0)
        self._seen_s, self._delays_s = now_s, delays_s
        return self._had_s > PATIENCE_S


def _delays_s(pid: int) -> dict[str, float]:
    """Return by thread of a process how long it has been ready to run without a core."""
    delays_s = {}
    for thread in Path(f"/proc/{pid}/task").glob("*"):
        with suppress(OSError):  # it has ended
            delays_s[thread.name] = int((thread / "schedstat").read_text().split()[1]) / 1e9
    return delays_s


class Process:
    """A command in a process of its own; its output goes to a file."""

    def __init__(self, target: Run | Import, budget: str | None = None) -> None:
        self._log = (target.base / "output").open("w+b")
        self.child = subprocess.Popen(
            [*ARCBATT, *target.command(budget)],
            stdout=self._log,
            stderr=self._log,
            env={**os.environ, "PYTHONFAULTHANDLER": "1"},
        )

    def wait_for_results(self, target: Run | Import) -> None:
        """Wait until the first files are there, or the process has ended."""
        patience = Patience(self.child.pid)
        while not target.has_results and self.child.poll() is None:
            check(not patience.is_over, "the command does not start")
            time.sleep(0.005)

    def wait_for_handlers(self) -> None:
        """Wait until the command itself handles signals, as Python does before."""
        patience = Patience(self.child.pid)
        while self.child.poll() is None and not _handles(self.child.pid, signal.SIGHUP):
            check(not patience.is_over, "the command does not start")
            time.sleep(0.001)

    def end(self) -> tuple[int, str]:
        """Wait until the process has ended; return its status and output."""
        patience = Patience(self.child.pid)
        while self.child.poll() is None:
            if patience.is_over:
                # Python prints where its threads are (PYTHONFAULTHANDLER).
                self.child.send_signal(signal.SIGABRT)
                self.child.wait()
                raise Lost(f"the process does not end:\n{self._output()}")
            time.sleep(0.02)
        return self.child.returncode, self._output()

    def _output(self) -> str:
        self._log.seek(0)
        output = self._log.read().decode(errors="replace")
        self._log.close()
        return output

    def descendants(self) -> set[int]:
        """Return the ids of the processes that it has started."""
        return set(_below(self.child.pid))


def _below(pid: int) -> Iterator[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in map(int, children):
        yield child
        yield from _below(child)


def _handles(pid: int, number: int) -> bool:
    """Return whether a process has a handler for a signal."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    (caught,) = (line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


def wait_until_gone(pids: set[int]) -> None:
    """Check that processes end, as children of a killed process must."""
    patience = {pid: Patience(pid) for pid in pids}
    while left := {pid for pid in pids if _is_running(pid)}:
        check(not any(patience[pid].is_over for pid in left), f"processes {sorted(left)} are left")
        time.sleep(0.05)


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_somewhere(process: Process, target: Run | Import, rng: random.Random) -> None:
    """Wait for a random moment of a run: in its start, or after its first results."""
    if rng.random() < 0.25:
        time.sleep(rng.random() * FIRST_S)
        return
    process.wait_for_results(target)
    time.sleep(rng.random() * LATER_S)


def kill_chain(kind: str, base: Path, n_kills: int, rng: random.Random) -> None:
    """Kill and resume a command, then run it to its end."""
    target = make_target(kind, base)
    for _ in range(n_kills):
        process = Process(target)
        wait_somewhere(process, target, rng)
        children = process.descendants()
        process.child.kill()
        status, output = process.end()
        is_over = kind == "import" and status == 0
        check(status == -signal.SIGKILL or is_over, f"status {status}:\n{output}")
        wait_until_gone(children)
        target.check()
    status, output = Process(target, "1s").end()
    check(status == 0, f"the last run ends with status {status}:\n{output}")
    target.check_whole()


def signal_pair(kind: str, base: Path, rng: random.Random) -> None:
    """Send two signals to a command, and check how it ends."""
    # Some signals arrive at the end of a run, which writes results and joins threads.
    target = make_target(kind, base, rng.choice(("1h", "1h", "2s")))
    process = Process(target)
    process.wait_for_handlers()
    wait_somewhere(process, target, rng)
    sent = [rng.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)) for _ in range(2)]
    children = process.descendants()
    for place, number in enumerate(sent):
        if place:
            time.sleep(rng.random() * GAP_S)
        process.child.send_signal(number)
    status, output = process.end()
    what = f"{' '.join(each.name for each in sent)}: status {status}:\n{output}"
    wait_until_gone(children)
    for symptom in SYMPTOMS:
        check(symptom not in output, what)
    if isinstance(target, Run) and target.folder is not None:
        check(status in (0, 130), what)
        target.check_whole()
    else:
        # It had nothing to write yet.
        at_once = {130, *(128 + each for each in sent), *(-each for each in sent)}
        check(status in at_once, what)
        target.check()


def run(kinds: Sequence[str], n: int, seed: int, *, signals: bool, keep: Path) -> int:
    """Kill or interrupt commands `n` times, in turn; return the number of failures."""
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    n_failures, turn = 0, 0
    try:
        while sum(counts.values()) < n:
            kind = kinds[turn % len(kinds)]
            turn += 1
            n_kills = 1 if signals else min(CHAIN, n - sum(counts.values()))
            base = Path(tempfile.mkdtemp(prefix=f"{kind}-", dir=keep))
            try:
                if signals:
                    signal_pair(kind, base, rng)
                else:
                    kill_chain(kind, base, n_kills, rng)
            except Exception as error:  # whatever a damaged file raises
                n_failures += 1
                print(f"{kind}: {type(error).__name__}: {error}\n  in {base}", flush=True)
            else:
                shutil.rmtree(base)
            counts[kind] += n_kills
            if sys.stdout.isatty() or turn % 10 == 0:
                print(_describe(counts, signals, n_failures), flush=True)
    finally:  # after an interrupt, too
        print(_describe(counts, signals, n_failures), flush=True)
    return n_failures


def _describe(counts: Counter[str], signals: bool, n_failures: int) -> str:
    parts = ", ".join(f"{kind} {number:,}" for kind, number in sorted(counts.items()))
    what = "pairs of signals" if signals else "kills"
    return f"{sum(counts.values()):,} {what} ({parts}): {n_failures} failures"


def main(words: Sequence[str] | None = None) -> bool:
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--n", type=int, default=100, help="how many kills or pairs")
    parser.add_argument("--signals", action="store_true", help="pairs of signals, not kills")
    parser.add_argument("--kinds", help="commands, by default all")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument("--keep", type=Path, help="where folders are made")
    options = parser.parse_args(words)
    known = SIGNAL_KINDS if options.signals else KINDS
    kinds = options.kinds.split(",") if options.kinds else known
    if unknown := set(kinds).difference(known):
        parser.error(f"--kinds: {', '.join(sorted(unknown))}; choose among {', '.join(known)}")
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
    # Background jobs ignore Ctrl-C, and so would the commands.
    with default_signals():
        return run(kinds, options.n, options.seed, signals=options.signals, keep=options.keep) > 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
