"""The cluster with processes of this machine: the same results, kills, Ctrl-C, the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import arcbatt
from arcbatt.solving import Loop, Watcher
from arcbatt.solving.cluster import ClusterError
from arcbatt.solving.cluster.local import LocalProcesses
from tests.support.cluster import cluster_of, outcome, solved_with
from tests.support.commands import Outcome
from tests.support.search import (
    Scripted,
    check_submission_file,
    contradiction,
    nothing,
    task_named,
    training,
)

TASKS = [*training("67a3c6ac", "25ff71a9"), task_named("a"), contradiction()]
SET, IDS = "arc-agi-1/training", "67a3c6ac,25ff71a9,00d62c1b"
OPTIONS = ("--proposers", "known,learn,enumerate", "--device", "cpu", "--threads", "1")
ENDING = ("--budget", "1h", "--rounds", "1", "--no-explain")
# Long enough for a busy machine.
PATIENCE_S = 120.0


def wait_until(is_so: Callable[[], bool], process: subprocess.Popen[bytes] | None = None) -> None:
    until_s = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < until_s, "it takes too long"
        assert process is None or process.poll() is None, "it has ended"
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_nothing_and_is_replaced() -> None:
    class Killing(Watcher):
        killed: int | None = None

        def on_log(self, loop: Loop, proposer: str, record: dict[str, Any]) -> None:
            if "worker" in record and self.killed is None:
                worker = cluster_of(loop).workers[record["worker"]]
                self.killed = worker.pid
                os.kill(worker.pid, signal.SIGKILL)

    watcher = Killing()
    loop = solved_with(TASKS, "local:2", watcher=watcher)
    assert watcher.killed is not None
    assert outcome(loop) == outcome(solved_with(TASKS))
    states = [worker.state for worker in cluster_of(loop).workers.values()]
    assert states.count("lost") == 1 and len(states) == 3
    assert not any(is_alive(worker.pid) for worker in cluster_of(loop).workers.values())


def test_a_worker_that_cannot_begin_is_an_error_with_its_status(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(ClusterError, match=r"local-1 did not start: .* ended with status 1"):
        solved_with(TASKS, "local:1", folder=tmp_path)


def test_a_failing_worker_logs_its_error(tmp_path: Path) -> None:
    transport = LocalProcesses(1, 1, "cpu", tmp_path / "logs")
    name = transport.add()
    assert transport.events.get(timeout=PATIENCE_S).message
    transport.send(name, b"no message")
    event = transport.events.get(timeout=PATIENCE_S)
    assert event.message is None and "status 1" in event.why
    assert "MessageError" in (tmp_path / "logs" / f"{name}.stderr").read_text()
    transport.send(name, b"to nobody")
    transport.close()


@pytest.mark.slow
def test_solve_all_in_this_process_and_with_workers() -> None:
    tasks = [task_named("a"), *training("67a3c6ac")]
    options: dict[str, Any] = {
        "budget_s": 1e6,
        "max_rounds": 1,
        "proposers": ("known", "learn"),
        "device": "cpu",
    }
    here = arcbatt.solve_all(tasks, **options)
    there = arcbatt.solve_all(tasks, cluster="local:2", **options)
    assert [each.attempts for each in here] == [each.attempts for each in there]
    assert len(there) == 2 and all(each.fits for each in there)
    with pytest.raises(ValueError, match="run in this process only"):
        arcbatt.solve_all(tasks, cluster="local:1", proposers=[Scripted(nothing)])
    with pytest.raises(ClusterError, match="is not a cluster"):
        arcbatt.solve_all(tasks, cluster="somewhere")


# --- the command ---


def solve(tmp_path: Path, name: str, *args: object) -> tuple[Outcome, Path]:
    done = Outcome("solve", SET, "--tasks", IDS, *OPTIONS, *args, "--out", tmp_path / name)
    (folder,) = (tmp_path / name).iterdir()
    return done, folder


@pytest.mark.slow
def test_submissions_are_the_same_byte_for_byte(tmp_path: Path) -> None:
    _, alone = solve(tmp_path, "alone", *ENDING)
    for n_workers in (2, 4):
        args = (*ENDING, "--cluster", f"local:{n_workers}", "--json")
        done, folder = solve(tmp_path, f"by-{n_workers}", *args)
        assert done.status == 0
        submission = (folder / "submission.json").read_bytes()
        assert submission == (alone / "submission.json").read_bytes()
        content = json.loads(done.out)["cluster"]
        assert content["name"] == f"local:{n_workers}" and content["given_up"] == []
        assert len(content["workers"]) == n_workers
        assert sum(worker["n_tasks"] for worker in content["workers"]) > 0
        assert sum(content["ran_on"].values()) > 0 and set(content["ran_on"]) == {"cpu"}
        logs = sorted(path.name for path in (folder / "workers").iterdir())
        assert logs[:2] == ["local-1.jsonl", "local-1.stderr"]


@pytest.mark.slow
def test_workers_are_shown_and_a_run_is_resumed_with_others(tmp_path: Path) -> None:
    done, folder = solve(tmp_path, "runs", *ENDING, "--cluster", "local:1")
    assert "units per minute" in done.out and "units sent again: 0" in done.out
    assert "starting workers: local:1" in done.err
    again = Outcome("solve", "--resume", folder, *ENDING, "--cluster", "local:2")
    assert again.status == 0 and "local-2" in again.out
    check_submission_file(folder / "submission.json", training(*IDS.split(",")))


@pytest.mark.slow
def test_evolve_has_islands(tmp_path: Path) -> None:
    done = Outcome(
        *("evolve", "--tasks", IDS, "--cluster", "local:2", "--card-size", 20, "--budget", "1h"),
        *("--rounds", 4, "--device", "cpu", "--json", "--out", tmp_path),
    )
    assert done.status == 0
    workers = json.loads(done.out)["cluster"]["workers"]
    assert [worker["n_rounds"] for worker in workers] == [2, 2]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("far away", "far away is not a cluster; clusters are local:N"),
        ("local:0", "local:0: expected 1 to"),
    ],
)
def test_a_wrong_cluster_is_said_before_a_folder_is_made(
    tmp_path: Path, name: str, message: str
) -> None:
    for command in (("solve", SET), ("evolve",)):
        done = Outcome(*command, "--cluster", name, "--out", tmp_path / "runs")
        assert done.status == 2 and message in done.err
        assert not (tmp_path / "runs").exists()


def test_without_ray_the_error_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    done = Outcome("solve", SET, "--cluster", "auto", "--out", tmp_path / "runs")
    assert done.status == 2
    assert "pip install 'arcbatt[ray]'" in done.err and "local:N" in done.err


def begin(tmp_path: Path) -> tuple[subprocess.Popen[bytes], Path, list[int]]:
    """Start an endless run; return it, its folder and the ids of its workers once they work."""
    data, runs = tmp_path / "tasks", tmp_path / "runs"
    data.mkdir()
    for task in TASKS:
        (data / f"{task.id}.json").write_text(json.dumps(task.to_json()))
    code = "import sys; from arcbatt.cli import main; main()"
    # Nothing fits one of the tasks, so evolution never ends.
    args = (
        *("solve", data, *OPTIONS, "--proposers", "known,learn,enumerate,evolve"),
        *("--cluster", "local:2", "--budget", "1h", "--out", runs),
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # As at a terminal, where a signal is for all of a group.
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )
    logs: list[Path] = []

    def are_at_work() -> bool:
        """Return whether both workers have a unit, and one has sent a result."""
        logs[:] = runs.glob("*/workers/*.jsonl")
        texts = [log.read_text() for log in logs]
        have_work = len(texts) == 2 and all('"sent"' in text for text in texts)
        return have_work and any('"result"' in text for text in texts)

    wait_until(are_at_work, process)
    pids = [json.loads(log.read_text().splitlines()[0])["pid"] for log in logs]
    assert all(map(is_alive, pids))
    return process, logs[0].parent.parent, pids


@pytest.mark.slow
def test_ctrl_c_ends_all_workers_within_seconds(tmp_path: Path) -> None:
    process, folder, pids = begin(tmp_path)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(PATIENCE_S) == 130
    assert not any(map(is_alive, pids))
    check_submission_file(folder / "submission.json", TASKS)


@pytest.mark.slow
def test_workers_end_with_a_driver_that_was_killed_and_what_was_saved_is_there(
    tmp_path: Path,
) -> None:
    process, folder, pids = begin(tmp_path)
    process.kill()
    process.wait(PATIENCE_S)
    wait_until(lambda: not any(map(is_alive, pids)))
    check_submission_file(folder / "submission.json", TASKS)
