"""Workers as Ray actors, on this machine or on all machines of a cluster.

Only this module needs Ray, which is imported when a cluster is opened.
"""

from __future__ import annotations

import importlib
import logging
import os
import socket
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from queue import SimpleQueue
from typing import Any

from arcbatt.measure import usable_cores
from arcbatt.plugins import loaded_plugins

from .transport import ClusterError, Event
from .worker import Worker

AUTO = "auto"
CLIENT = "ray://"
# Seconds to wait for a port to answer; Ray itself would wait for minutes.
CONNECT_S = 5.0
# The object store holds only small messages; by default Ray takes a third of the memory.
STORE_BYTES = 100 * 2**20


class RayActors:
    """A `Transport` to one worker per `n_threads` cores, some of them with a GPU."""

    def __init__(self, address: str, n_threads: int, device: str) -> None:
        """`address` is HOST:PORT, or "auto" for this machine's cluster, started if necessary."""
        self.events: SimpleQueue[Event] = SimpleQueue()
        self._ray = import_ray()
        self._owns_connection = not self._ray.is_initialized()
        if self._owns_connection:
            _connect(self._ray, address)
        self.name = f"ray:{self._ray.get_runtime_context().gcs_address}"
        self._n_threads = n_threads
        self._device = device
        self._actors: dict[str, Any] = {}
        self._with_gpu: set[str] = set()
        self._shared: dict[bytes, Any] = {}
        self._numbers = count()

    def n_possible(self) -> int:
        if self._device.startswith("cuda"):
            return self._n_gpus
        return max(int(self._resource("CPU")) // self._n_threads, 1)

    def _resource(self, name: str) -> float:
        return float(self._ray.cluster_resources().get(name, 0.0))

    @property
    def _n_gpus(self) -> int:
        return 0 if self._device == "cpu" else int(self._resource("GPU"))

    def add(self) -> str:
        number = next(self._numbers)
        name = f"ray-{number + 1}"
        has_gpu = len(self._with_gpu) < self._n_gpus
        if has_gpu:
            self._with_gpu.add(name)
        # Ray sets CUDA_VISIBLE_DEVICES to the assigned GPU.
        device = "cuda" if self._device.startswith("cuda") else self._device
        make = self._ray.remote(
            num_cpus=self._n_threads, num_gpus=int(has_gpu), max_restarts=0, max_task_retries=0
        )(Worker)
        actor = make.remote(
            number, self._n_threads, device if has_gpu else "cpu", tuple(loaded_plugins())
        )
        self._actors[name] = actor
        self._expect(name, actor.hello.remote())
        return name

    def _expect(self, name: str, reference: Any) -> None:
        """Put the result of a call into the events."""

        def deliver(future: Future[bytes]) -> None:
            error = future.exception()
            if error is None:
                self.events.put(Event(name, future.result()))
            else:
                self._with_gpu.discard(name)
                self.events.put(Event(name, None, _first_line(error)))

        reference.future().add_done_callback(deliver)

    def send(self, worker: str, message: bytes, *, is_shared: bool = False) -> None:
        content: Any = message
        if is_shared:
            if message not in self._shared:
                self._shared[message] = self._ray.put(message)
            content = self._shared[message]
        self._expect(worker, self._actors[worker].answer.remote(content))

    def end(self, worker: str) -> None:
        self._with_gpu.discard(worker)
        with suppress(Exception):  # a worker that is gone has ended
            self._ray.kill(self._actors.pop(worker), no_restart=True)

    def close(self) -> None:
        for worker in list(self._actors):
            self.end(worker)
        if self._owns_connection:
            self._ray.shutdown()


def import_ray() -> Any:
    """Return Ray, or raise a `ClusterError` that says how to install it."""
    # Do not let Ray report usage statistics.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise ClusterError(
            f"Ray cannot be used ({error}); install it with `pip install 'arcbatt[ray]'`, or take "
            f"processes of this machine: --cluster local:N"
        ) from None


def _connect(ray: Any, address: str) -> None:
    quietly = {
        "logging_level": logging.ERROR,
        "log_to_driver": False,
        "configure_logging": False,
        "include_dashboard": None,
    }
    try:
        if address != AUTO:
            ray.init(address=address, **quietly)
            return
        try:
            ray.init(address=AUTO, **quietly)
        except ConnectionError:  # none is running: start a local one
            ray.init(
                address="local",
                num_cpus=usable_cores(),
                object_store_memory=STORE_BYTES,
                **{**quietly, "include_dashboard": False},
            )
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        raise ClusterError(
            f"Ray at {address} cannot be used: {_first_line(error)}\n"
            f"`ray status --address {address}` says whether it runs; the versions of Ray and of "
            f"Python must be the same here and there"
        ) from error


def check_reachable(address: str) -> None:
    """Raise `ClusterError` if nothing answers at an address."""
    host, _, port = address.removeprefix(CLIENT).rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_S).close()
    except (OSError, OverflowError) as error:
        raise ClusterError(
            f"nothing answers at {address} ({error}); is Ray running there? "
            f"`ray start --head --port {port}` starts it"
        ) from None


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
