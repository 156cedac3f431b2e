"""The dealer: orders of cards in, their portions out, dealt by processes where there are any.

Processes are told with each order what has changed since the last one: parents and donors that they
do not have, rates, what was met. Each is sent its portions with that, and answers them one by one.
A portion whose process has ended, or is not ready yet, is dealt here, from the same order: so a run
does not depend on how many processes there are, nor on what becomes of them.
"""

from __future__ import annotations

import marshal
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from time import thread_time
from typing import Any
from weakref import finalize

from arcbatt.engine.fusing import Fusing
from arcbatt.engine.graphs import Graph
from arcbatt.language import Program
from arcbatt.language.registry import own_primitives
from arcbatt.measure import record
from arcbatt.processes import PipedProcess

from .met import MetFilter
from .mutation import Donors
from .portions import DealtPortion, Order, deal_portion

MODULE = "arcbatt.proposers.evolve.dealing_process"
# The timeline of what processes do.
DEALING = "dealing"
# They have the time of a card to deal one, beside the engine's threads; and what each is told costs
# it as much as to deal fifteen mutants. So there are more than half as many as threads, no more.
MIN_THREADS = 4
PROCESSES_A_THREAD = 5 / 8
MAX_PROCESSES = 16
# What starting them costs, half a second of a core each, pays for runs that are not short: they are
# started once this process has dealt for so long.
ALONE_S = 1.0
# One that does not answer for so long is taken for lost.
MAX_WAIT_S = 60.0


def processes_for(n_threads: int) -> int:
    """Return how many processes are to deal where so many threads may run: with few, none."""
    wanted = int(n_threads * PROCESSES_A_THREAD)
    return min(wanted, MAX_PROCESSES) if n_threads >= MIN_THREADS else 0


@dataclass
class _Helper:
    """A process that deals, and what it owes."""

    process: PipedProcess
    is_ready: bool = False
    is_new: bool = True  # it has not been told anything yet
    owed: set[tuple[int, int]] = field(default_factory=set)  # numbers of card and portion


class Dealer:
    """Deals one order at a time."""

    def __init__(self, n_processes: int) -> None:
        self._n_wanted = n_processes
        self._n_started = 0
        self._alone_s = 0.0
        self._events: SimpleQueue[tuple[int, bytes | None]] = SimpleQueue()
        self._helpers: dict[int, _Helper] = {}
        # What helpers know: programs by digest, the donors, and those that follow.
        self._sent: dict[bytes, Program] = {}
        self._donors: Donors | None = None
        self._following: Donors | None = None
        self._dealt: dict[int, DealtPortion] = {}
        self._order: Order | None = None
        self._met: MetFilter | None = None
        self._end = finalize(self, _end_all, self._helpers)

    def start(self) -> None:
        """Start the processes that are wanted and not there; they are ready some time later.

        None where there are own primitives: other processes do not have those.
        """
        while not own_primitives() and len(self._helpers) < self._n_wanted:
            self._start_one()

    def _start_one(self) -> None:
        name = self._n_started
        self._n_started += 1
        events = self._events  # and not the dealer, whom nobody may need any more
        try:
            process = PipedProcess(
                MODULE,
                on_message=lambda message: events.put((name, message)),
                on_end=lambda _how: events.put((name, None)),
            )
        except OSError as error:
            self._n_wanted = 0
            why = f"no process can be started, so cards are dealt by this one alone: {error}"
            warnings.warn(why, RuntimeWarning, stacklevel=2)
        else:
            self._helpers[name] = _Helper(process)

    def wait(self) -> None:
        """Wait until all processes that were started are ready, or have ended."""
        self.start()
        while not all(helper.is_ready for helper in self._helpers.values()):
            self._wait()

    @property
    def n_ready(self) -> int:
        """How many processes are ready to deal."""
        return sum(helper.is_ready for helper in self._helpers.values())

    def order(self, order: Order, met: MetFilter, news: bytes) -> None:
        """Have a card dealt; `news` is what has been met since the last order, now in `met`."""
        assert self._order is None, "one order at a time"
        self._order, self._met = order, met
        self._dealt.clear()
        self._note_events()
        if self._alone_s >= ALONE_S or self._n_started:
            self.start()
        helpers = [helper for helper in self._helpers.values() if helper.is_ready]
        if not helpers or own_primitives():
            return
        told = {
            **self._find_news(order),
            "rates": order.rates.to_json(),
            "max_calls": order.max_calls,
            "met": news,
        }
        shared = marshal.dumps(told)
        whole = b""  # for those that know nothing yet
        number = order.card.generation
        for k, helper in enumerate(helpers):
            mine = [i for i, each in enumerate(order.portions) if each.number % len(helpers) == k]
            helper.owed.update((number, index) for index in mine)
            portions = [(index, *order.portions[index].to_tuple()) for index in mine]
            state = shared
            if helper.is_new:
                helper.is_new = False
                state = whole = whole or marshal.dumps({**told, **self._all_known(order, met)})
            helper.process.send(marshal.dumps((number, state, portions)))

    def _find_news(self, order: Order) -> dict[str, Any]:
        """Return what helpers do not know yet of an order's programs, which they know then."""
        parents = _by_digest(order.draws.programs)
        has_turned = order.donors is not self._donors and order.donors is self._following
        is_new = order.donors is not self._donors and not has_turned
        donors = _by_digest(order.donors) if is_new else {}
        following = _by_digest(order.following or ())
        wanted = {**parents, **donors, **following}
        lacking = {name: each for name, each in wanted.items() if name not in self._sent}
        self._sent.update(lacking)
        if following:
            # Helpers forget all others, too.
            self._sent = {**wanted, **_by_digest(order.donors)}
        self._donors, self._following = order.donors, order.following
        return {
            "programs": _graph_of(lacking.values()),
            "parents": b"".join(parents),
            "donors": b"".join(donors) if is_new else None,
            "has_turned": has_turned,
            "following": b"".join(following),
        }

    def _all_known(self, order: Order, met: MetFilter) -> dict[str, Any]:
        """Return what others than a new helper know, instead of news."""
        return {
            "programs": _graph_of(self._sent.values()),
            "donors": b"".join(_by_digest(order.donors)),
            "has_turned": False,
            "filter": met.to_parts(),
        }

    def collect(self) -> list[DealtPortion]:
        """Return the portions of the card that was ordered, in their order."""
        order, met = self._order, self._met
        assert order is not None and met is not None, "nothing was ordered"
        number = order.card.generation
        self._note_events()
        dealt: list[DealtPortion] = []
        for index, portion in enumerate(order.portions):
            while index not in self._dealt and self._is_owed(number, index):
                self._wait()
            found = self._dealt.get(index)
            if found is None:
                began_s = thread_time()
                mutants = deal_portion(
                    portion,
                    order.draws.programs,
                    order.donors,
                    order.rates,
                    order.max_calls,
                    met,
                )
                found = DealtPortion.of(mutants, order.donors)
                self._alone_s += thread_time() - began_s
            dealt.append(found)
        self._order = self._met = None
        return dealt

    def _is_owed(self, number: int, index: int) -> bool:
        return any((number, index) in helper.owed for helper in self._helpers.values())

    def _wait(self) -> None:
        """Wait for the next that helpers say."""
        try:
            self._note(*self._events.get(timeout=MAX_WAIT_S))
        except Empty:
            for helper in self._helpers.values():
                if helper.owed or not helper.is_ready:
                    helper.process.kill()
                    helper.owed.clear()

    def _note_events(self) -> None:
        """Take note of all that helpers have said."""
        while not self._events.empty():
            self._note(*self._events.get())

    def _note(self, name: int, message: bytes | None) -> None:
        helper = self._helpers[name]
        if message is None:
            del self._helpers[name]
            # Another is started with the next order; one that never was ready would end again.
            self._n_wanted -= not helper.is_ready
            return
        if not helper.is_ready:
            helper.is_ready = True
            return
        number, index, cpu_s, portion = read_dealt(message)
        helper.owed.discard((number, index))
        record(DEALING, "deal", cpu_s)
        if self._order is not None and number == self._order.card.generation:
            self._dealt[index] = portion

    def close(self) -> None:
        """End the processes."""
        self._n_wanted = 0
        self._end()


def _end_all(helpers: dict[int, _Helper]) -> None:
    for helper in helpers.values():
        helper.process.kill()
    for helper in helpers.values():
        helper.process.wait()
    helpers.clear()


def _by_digest(programs: Iterable[Program]) -> dict[bytes, Program]:
    return {program.result.digest: program for program in programs}


def _graph_of(programs: Iterable[Program]) -> bytes:
    fusing = Fusing()
    return fusing.to_graph([fusing.add(each.result, each.name) for each in programs]).to_bytes()


def write_dealt(number: int, index: int, cpu_s: float, portion: DealtPortion) -> bytes:
    """Return what `read_dealt` reads: numbers of card and portion, CPU time, what was dealt."""
    graph = portion.to_graph().to_bytes()
    return marshal.dumps((number, index, cpu_s, portion.draws, portion.kinds, portion.mates, graph))


def read_dealt(message: bytes) -> tuple[int, int, float, DealtPortion]:
    """Return what `write_dealt` wrote."""
    number, index, cpu_s, draws, kinds, mates, graph = marshal.loads(message)
    portion = DealtPortion(draws, kinds, mates, None, Graph.from_bytes(graph))
    return number, index, cpu_s, portion
