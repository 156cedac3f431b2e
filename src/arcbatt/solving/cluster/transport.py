"""The interface that carries messages between a driver and its workers."""

from __future__ import annotations

from dataclasses import dataclass
from queue import SimpleQueue
from typing import Protocol


class ClusterError(Exception):
    """A cluster cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Event:
    """A message from a worker or, without one, the loss of the worker."""

    worker: str
    message: bytes | None
    why: str = ""


class Transport(Protocol):
    """Starts workers, sends them messages, and puts their answers into `events`."""

    name: str
    events: SimpleQueue[Event]

    def n_possible(self) -> int:
        """Return how many workers there may be; the number grows with the cluster."""

    def add(self) -> str:
        """Start a worker and return its name; its first message is a `Hello`."""

    def send(self, worker: str, message: bytes, *, is_shared: bool = False) -> None:
        """Send a message to be answered; with `is_shared`, other workers get the same one."""

    def end(self, worker: str) -> None:
        """End a worker at once, without an event."""

    def close(self) -> None:
        """End all workers."""
