"""What carries messages between a driver and its workers: processes of this machine, or Ray."""

from __future__ import annotations

from dataclasses import dataclass
from queue import SimpleQueue
from typing import Protocol


class ClusterError(Exception):
    """A cluster cannot be used, or no more; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a worker: a message came, or, without one, it is lost."""

    worker: str
    message: bytes | None
    why: str = ""


class Transport(Protocol):
    """Starts workers, carries messages to them, and puts what comes back into `events`."""

    name: str
    events: SimpleQueue[Event]

    def n_possible(self) -> int:
        """Return how many workers there may be now; more of them if the cluster has grown."""

    def add(self) -> str:
        """Start one more worker and return its name; its first message is a `Hello`."""

    def send(self, worker: str, message: bytes, *, is_shared: bool = False) -> None:
        """Send a message, to which one comes back; `is_shared`: others are sent the same."""

    def end(self, worker: str) -> None:
        """End a worker at once, whatever it does; there is no event."""

    def close(self) -> None:
        """End all workers."""
