"""The cluster on a real Ray: two nodes of one core on this machine, started once for all tests."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import arcbatt
from arcbatt.solving import Loop, Watcher
from arcbatt.solving.cluster import ClusterError, check_cluster, ray_actors
from arcbatt.solving.cluster.ray_actors import RayActors
from tests.solving.test_cluster_processes import (
    ENDING,
    IDS,
    OPTIONS,
    SET,
    is_alive,
    wait_until,
)
from tests.support.cluster import cluster_of, outcome, solved_with
from tests.support.commands import Outcome
from tests.support.search import contradiction, task_named, training

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'arcbatt[ray]'")
# All in the same process if tests run in several.
pytestmark = [pytest.mark.ray, pytest.mark.xdist_group("ray")]

TASKS = [*training("67a3c6ac", "25ff71a9"), task_named("a"), contradiction()]
STORE_BYTES = 80 * 2**20


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of one node, to which tests add others."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": STORE_BYTES, "include_dashboard": False}
    found = Cluster(initialize_head=True, head_node_args=node)
    try:
        yield found
    finally:
        if ray.is_initialized():
            ray.shutdown()
        found.shutdown()


@pytest.fixture(scope="module")
def second_node(cluster: Any) -> Any:
    return cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES)


def test_the_submission_is_the_same_byte_for_byte(
    cluster: Any, second_node: Any, tmp_path: Path
) -> None:
    folders = {}
    for name, more in (("alone", ()), ("ray", ("--cluster", cluster.address))):
        args = (*OPTIONS, *ENDING, *more, "--out", tmp_path / name)
        done = Outcome("solve", SET, "--tasks", IDS, *args)
        assert done.status == 0
        (folders[name],) = (tmp_path / name).iterdir()
    assert "ray-1" in done.out and "ray-2" in done.out
    one, other = (folders[name] / "submission.json" for name in ("alone", "ray"))
    assert one.read_bytes() == other.read_bytes()
    assert {path.name for path in (folders["ray"] / "workers").iterdir()} >= {"ray-1.jsonl"}
    assert not ray.is_initialized()


def test_an_actor_that_is_killed_costs_nothing(cluster: Any, second_node: Any) -> None:
    class Killing(Watcher):
        killed: int | None = None

        def on_log(self, loop: Loop, proposer: str, record: dict[str, Any]) -> None:
            if "worker" in record and self.killed is None:
                self.killed = cluster_of(loop).workers[record["worker"]].pid
                os.kill(self.killed, signal.SIGKILL)

    watcher = Killing()
    loop = solved_with(TASKS, cluster.address, watcher=watcher)
    assert watcher.killed is not None
    assert outcome(loop) == outcome(solved_with(TASKS))
    states = [worker.state for worker in cluster_of(loop).workers.values()]
    assert states.count("lost") == 1
    wait_until(lambda: not any(is_alive(w.pid) for w in cluster_of(loop).workers.values() if w.pid))


def test_a_connection_that_is_there_is_used_and_left(cluster: Any, second_node: Any) -> None:
    ray.init(address=cluster.address, log_to_driver=False, configure_logging=False)
    try:
        options: dict[str, Any] = {"max_rounds": 1, "proposers": ["known", "learn"]}
        tasks = [task_named("a"), task_named("b")]
        there = arcbatt.solve_all(tasks, 1e6, cluster="auto", device="cpu", **options)
        here = arcbatt.solve_all(tasks, 1e6, device="cpu", **options)
        assert [each.attempts for each in there] == [each.attempts for each in here]
        assert ray.is_initialized()
    finally:
        ray.shutdown()


def test_workers_are_as_many_as_cores_and_gpus_allow(
    cluster: Any, second_node: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for device, n_gpus, n_threads, n_workers in (
        ("cpu", 0, 1, 2),
        ("cpu", 3, 2, 1),
        ("auto", 3, 1, 2),
        ("cuda", 3, 1, 3),
    ):
        transport = RayActors(cluster.address, n_threads, device)
        resource = transport._resource
        counts = {"GPU": n_gpus}
        monkeypatch.setattr(
            transport, "_resource", lambda name, c=counts, r=resource: c.get(name) or r(name)
        )
        assert transport.n_possible() == n_workers
        transport.close()


def test_a_node_that_is_lost_costs_nothing(cluster: Any, second_node: Any) -> None:
    class Removing(Watcher):
        is_removed = False

        def on_log(self, loop: Loop, proposer: str, record: dict[str, Any]) -> None:
            n_joined = sum(bool(each.pid) for each in cluster_of(loop).workers.values())
            if n_joined == 2 and not self.is_removed:
                self.is_removed = True
                cluster.remove_node(second_node, allow_graceful=False)

    # On a busy machine a short search is over before the second worker has joined.
    for n_rounds in range(4, 10):
        watcher = Removing()
        loop = solved_with(TASKS, cluster.address, watcher=watcher, max_rounds=n_rounds)
        if watcher.is_removed:
            break
    assert watcher.is_removed
    assert outcome(loop) == outcome(solved_with(TASKS, max_rounds=n_rounds))


def test_nothing_answers_at_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_actors, "CONNECT_S", 1.0)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
    with pytest.raises(ClusterError, match=f"nothing answers at {address}"):
        check_cluster(address)
    done = Outcome("solve", SET, "--cluster", address, "--out", tmp_path / "runs")
    assert done.status == 2 and "ray start --head" in done.err
    assert not (tmp_path / "runs").exists()
