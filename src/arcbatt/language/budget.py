"""Budgets: how much work a program may do, counted and never timed.

The count is defined on values, so that every implementation arrives at the same number:

- Each call of a primitive, by a line of the program or from inside another primitive
  through a function value, costs `1 + read + made` steps: `read` is the weight (see
  `values`) of the arguments that the primitive reads, `made` the weight of its result.
  A primitive reads all its arguments except those that its block lists under `peeks`,
  of which it only takes the part that it returns. A few primitives compare many pairs of elements;
  their blocks add that work with `charge`.
- A call that fails has cost its `1 + read` (and work charged before the failure), and
  the calls made inside it. Functions over containers call their function on every
  element, also after one has failed.
- Each result also costs `16 * (1 + made)` bytes.
- A shared subexpression is evaluated, and counted, once per program.

A program whose steps or bytes exceed the budget fails with `over budget`, whatever else
happens in it: the sum does not depend on the order of evaluation, so neither does the
verdict. A single call that would make more elements than the whole budget is stopped
before it makes them. The cost reported for a program over budget is the budget plus one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from operator import index

from .failure import CallFailed, Reason, over_budget
from .values import Function, Value, weigh

BYTES_PER_ELEMENT = 16
# The engine counts in 64 bits; no run takes this many steps.
MAX_BUDGET = 2**53
# The most elements of one value, whatever the budget: the engine keeps widths in 24 bits.
MAX_ELEMENTS = 2**24 - 1


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits for one program on one sample."""

    steps: int = 50_000_000
    bytes: int = 512 * 2**20

    def __post_init__(self) -> None:
        for name in ("steps", "bytes"):
            given = getattr(self, name)
            try:
                object.__setattr__(self, name, index(given))
            except TypeError:
                why = f"{name} of a budget is {given!r:.40}, expected a whole number"
                raise TypeError(why) from None
        if self.steps < 1 or self.bytes < BYTES_PER_ELEMENT:
            raise ValueError(f"a budget needs at least 1 step and {BYTES_PER_ELEMENT} bytes")
        if max(self.steps, self.bytes) > MAX_BUDGET:
            raise ValueError(f"a budget has at most {MAX_BUDGET} steps and as many bytes")

    @property
    def elements(self) -> int:
        """The most elements that one value can have within this budget."""
        return min(self.steps, self.bytes // BYTES_PER_ELEMENT, MAX_ELEMENTS)


def to_budget(given: object) -> Budget:
    """Return the given budget, the default one for None; raise TypeError for anything else."""
    if not isinstance(given, Budget | None):
        raise TypeError(f"budget is a {type(given).__name__}, expected Budget(steps=...) or None")
    return given or Budget()


# The budget of the search, of explanations and of trials, so that a program found within it is also
# shown and scored within it. On training, 100,000 steps lose three tasks that
# 1,000,000 solve; 50 million solve no more.
SEARCH_BUDGET = Budget(steps=1_000_000, bytes=2**23)


@dataclass(slots=True)
class Meter:
    """Counts one program's steps and bytes against its budget."""

    budget: Budget = field(default_factory=Budget)
    steps: int = 0
    bytes: int = 0
    exceeded: bool = False
    # Weights of values by identity; the value is kept so that its id is not reused.
    _weights: dict[int, tuple[Value, int]] = field(default_factory=dict)

    def charge(self, steps: int, n_bytes: int = 0) -> None:
        self.steps += steps
        self.bytes += n_bytes
        if self.steps > self.budget.steps:
            raise self._exceed(f"more than {self.budget.steps} steps")
        if self.bytes > self.budget.bytes:
            raise self._exceed(f"more than {self.budget.bytes} bytes")

    def require(self, n_elements: int) -> None:
        if n_elements > self.budget.elements:
            raise self._exceed(f"a value of more than {self.budget.elements} elements")

    def weight(self, value: Value) -> int:
        if not isinstance(value, tuple | frozenset | Function):
            return weigh(value, 0)
        known = self._weights.get(id(value))
        if known is None:
            try:
                known = (value, weigh(value, self.budget.elements))
            except CallFailed as failed:
                self.exceeded |= failed.failure.reason is Reason.BUDGET
                raise
            self._weights[id(value)] = known
        return known[1]

    def _exceed(self, detail: str) -> CallFailed:
        self.exceeded = True
        return over_budget(detail)


_current: ContextVar[Meter] = ContextVar("meter")


def current_meter() -> Meter:
    """Return the meter of the program that is running in this context."""
    return _current.get()


def use_meter(meter: Meter) -> None:
    _current.set(meter)


@contextmanager
def metered(meter: Meter) -> Iterator[None]:
    """Count calls in this block by a meter; the previous meter is restored, so runs may nest."""
    before = _current.set(meter)
    try:
        yield
    finally:
        _current.reset(before)


def charge(steps: int) -> None:
    """Charge for work of a definition beyond reading arguments and making its result."""
    current_meter().charge(steps)


def require(n_elements: int) -> None:
    """Fail if a call is about to make a value with more elements than the budget allows."""
    current_meter().require(n_elements)
