"""Failure as a value: why a call gave no result.

A definition that cannot return a result raises `CallFailed`; the reference interpreter turns it
into a `Failure`, which is data from there on.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from arcbatt.display import Displayed


class Reason(IntEnum):
    """Why a call failed. The numbers are part of the engine's interface."""

    TYPE = 1  # an argument is of the wrong kind, or a function got the wrong number of them
    EMPTY = 2  # an element was requested, and none fits
    RANGE = 3  # an index, factor or number lies outside its range; division by zero
    BUDGET = 4  # more steps, bytes or nesting than the budget allows
    # The memory of the process did not suffice: not a property of the program, so definitions never
    # give it. Number 5 is `NOT_RUN` of the engine.
    MEMORY = 6

    @property
    def words(self) -> str:
        return _WORDS[self]


_WORDS = {
    Reason.TYPE: "wrong type",
    Reason.EMPTY: "empty",
    Reason.RANGE: "out of range",
    Reason.BUDGET: "over budget",
    Reason.MEMORY: "out of memory",
}


@dataclass(frozen=True, slots=True)
class Failure(Displayed):
    """The outcome of a failed call. Failures with the same reason are equal."""

    reason: Reason
    detail: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Failure) and other.reason == self.reason

    def __hash__(self) -> int:
        return hash(self.reason)

    def __str__(self) -> str:
        return f"{self.reason.words}: {self.detail}" if self.detail else self.reason.words


class CallFailed(Exception):
    """Raised by a definition that cannot return a result; never leaves the package."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.failure = Failure(reason, detail)


def wrong_type(detail: str) -> CallFailed:
    return CallFailed(Reason.TYPE, detail)


def empty(detail: str) -> CallFailed:
    return CallFailed(Reason.EMPTY, detail)


def out_of_range(detail: str) -> CallFailed:
    return CallFailed(Reason.RANGE, detail)


def over_budget(detail: str) -> CallFailed:
    return CallFailed(Reason.BUDGET, detail)
