"""The dealer: deals the portions of ordered cards, with the help of other processes.

Each order tells the processes what has changed since the last one: parents and donors that they do
not have, programs seen. Each process receives its portions and answers them one by one. A
portion whose process has ended, or is not ready yet, is dealt here from the same order, so results
depend neither on the number of processes nor on their fate.
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

from arcbatt.engine.graph.fusion import GraphBuilder
from arcbatt.engine.graph.graphs import Graph
from arcbatt.language import Program
from arcbatt.language.registry import user_primitives
from arcbatt.measure import record
from arcbatt.processes import PipedProcess

from .mutation import Donors
from .portions import DealtPortion, Order, deal_portion
from .seen_programs import SeenFilter

MODULE = "arcbatt.proposers.evolve.dealer_process"
# The timeline of the processes.
DEALING = "dealing"
# The processes deal a card while the engine's threads run another one. Reading an order costs each
# as much as dealing fifteen mutants, so there are not many more than half as many as threads.
MIN_THREADS = 4
PROCESSES_PER_THREAD = 5 / 8
MAX_PROCESSES = 16
# Starting a process takes half a second of a core, which a short run does not earn back: they are
# started once this process has dealt for this long.
ALONE_S = 1.0
# A process that does not answer for this long counts as lost.
MAX_WAIT_S = 60.0


def processes_for(n_threads: int) -> int:
    """Return the number of dealing processes for a number of threads; 0 if there are few."""
    wanted = int(n_threads * PROCESSES_PER_THREAD)
    return min(wanted, MAX_PROCESSES) if n_threads >= MIN_THREADS else 0


@dataclass
class _Helper:
    """A process that deals, and the portions it owes."""

    process: PipedProcess
    is_ready: bool = False
    is_new: bool = True  # it has not received an order yet
    owed: set[tuple[int, int]] = field(default_factory=set)  # numbers of card and portion


class Dealer:
    """Deals one order at a time."""

    def __init__(self, n_processes: int) -> None:
        self._n_wanted = n_processes
        self._n_started = 0
        self._alone_s = 0.0
        self._events: SimpleQueue[tuple[int, bytes | None]] = SimpleQueue()
        self._helpers: dict[int, _Helper] = {}
        # The helpers' programs by digest, their donors, and their next donors.
        self._sent: dict[bytes, Program] = {}
        self._donors: Donors | None = None
        self._next_donors: Donors | None = None
        self._dealt: dict[int, DealtPortion] = {}
        self._order: Order | None = None
        self._seen: SeenFilter | None = None
        self._end = finalize(self, _end_all, self._helpers)

    def start(self) -> None:
        """Start missing processes; they are ready some time later.

        With user-defined primitives none is started: other processes do not have them.
        """
        while not user_primitives() and len(self._helpers) < self._n_wanted:
            self._start_one()

    def _start_one(self) -> None:
        name = self._n_started
        self._n_started += 1
        events = self._events  # not self, which would keep the dealer alive
        try:
            process = PipedProcess(
                MODULE,
                on_message=lambda message: events.put((name, message)),
                on_end=lambda _how: events.put((name, None)),
            )
        except OSError as error:
            self._n_wanted = 0
            why = f"cannot start a process, so cards are dealt by this one alone: {error}"
            warnings.warn(why, RuntimeWarning, stacklevel=2)
        else:
            self._helpers[name] = _Helper(process)

    def wait(self) -> None:
        """Start the processes, and wait until all are ready or have ended."""
        self.start()
        while not all(helper.is_ready for helper in self._helpers.values()):
            self._wait()

    @property
    def n_ready(self) -> int:
        """The number of processes that are ready to deal."""
        return sum(helper.is_ready for helper in self._helpers.values())

    def order(self, order: Order, seen: SeenFilter, news: bytes) -> None:
        """Start dealing a card; `news` are the digests added to `seen` since the last order."""
        assert self._order is None, "one order at a time"
        self._order, self._seen = order, seen
        self._dealt.clear()
        self._handle_events()
        if self._alone_s >= ALONE_S or self._n_started:
            self.start()
        helpers = [helper for helper in self._helpers.values() if helper.is_ready]
        if not helpers or user_primitives():
            return
        update = {
            **self._program_news(order),
            "max_calls": order.max_calls,
            "seen": news,
        }
        shared = marshal.dumps(update)
        whole = b""  # for new helpers
        number = order.card.generation
        for k, helper in enumerate(helpers):
            mine = [i for i, each in enumerate(order.portions) if each.number % len(helpers) == k]
            helper.owed.update((number, index) for index in mine)
            portions = [(index, *order.portions[index].to_tuple()) for index in mine]
            state = shared
            if helper.is_new:
                helper.is_new = False
                state = whole = whole or marshal.dumps({**update, **self._all_state(order, seen)})
            helper.process.send(marshal.dumps((number, state, portions)))

    def _program_news(self, order: Order) -> dict[str, Any]:
        """Return the programs of an order that helpers lack, and the roles of its programs."""
        parents = _by_digest(order.draws.programs)
        use_next = order.donors is not self._donors and order.donors is self._next_donors
        is_new = order.donors is not self._donors and not use_next
        donors = _by_digest(order.donors) if is_new else {}
        next_donors = _by_digest(order.next_donors or ())
        wanted = {**parents, **donors, **next_donors}
        lacking = {name: each for name, each in wanted.items() if name not in self._sent}
        self._sent.update(lacking)
        if next_donors:
            # Helpers drop all other programs too.
            self._sent = {**wanted, **_by_digest(order.donors)}
        self._donors, self._next_donors = order.donors, order.next_donors
        return {
            "programs": _graph_of(lacking.values()),
            "parents": b"".join(parents),
            "donors": b"".join(donors) if is_new else None,
            "use_next_donors": use_next,
            "next_donors": b"".join(next_donors),
        }

    def _all_state(self, order: Order, seen: SeenFilter) -> dict[str, Any]:
        """Return the whole state that other helpers have, for a new one."""
        return {
            "programs": _graph_of(self._sent.values()),
            "donors": b"".join(_by_digest(order.donors)),
            "use_next_donors": False,
            "filter": seen.to_parts(),
        }

    def collect(self) -> list[DealtPortion]:
        """Return the portions of the ordered card; deal those that no helper owes."""
        order, seen = self._order, self._seen
        assert order is not None and seen is not None, "nothing was ordered"
        number = order.card.generation
        self._handle_events()
        dealt: list[DealtPortion] = []
        for index, portion in enumerate(order.portions):
            while index not in self._dealt and self._is_owed(number, index):
                self._wait()
            dealt_portion = self._dealt.get(index)
            if dealt_portion is None:
                began_s = thread_time()
                mutants = deal_portion(
                    portion,
                    order.draws.programs,
                    order.donors,
                    order.max_calls,
                    seen,
                )
                dealt_portion = DealtPortion.of(mutants, order.donors)
                self._alone_s += thread_time() - began_s
            dealt.append(dealt_portion)
        self._order = self._seen = None
        return dealt

    def _is_owed(self, number: int, index: int) -> bool:
        return any((number, index) in helper.owed for helper in self._helpers.values())

    def _wait(self) -> None:
        """Wait for the next message of a helper; kill those that are late."""
        try:
            self._handle(*self._events.get(timeout=MAX_WAIT_S))
        except Empty:
            for helper in self._helpers.values():
                if helper.owed or not helper.is_ready:
                    helper.process.kill()
                    helper.owed.clear()

    def _handle_events(self) -> None:
        """Handle all messages of helpers that have arrived."""
        while not self._events.empty():
            self._handle(*self._events.get())

    def _handle(self, name: int, message: bytes | None) -> None:
        helper = self._helpers[name]
        if message is None:
            del self._helpers[name]
            # Another is started with the next order, unless this one failed before it was ready.
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
    builder = GraphBuilder()
    return builder.to_graph([builder.add(each.result, each.name) for each in programs]).to_bytes()


def write_dealt(number: int, index: int, cpu_s: float, portion: DealtPortion) -> bytes:
    """Encode a portion with the numbers of its card and itself, and its CPU time."""
    graph = portion.to_graph().to_bytes()
    return marshal.dumps((number, index, cpu_s, portion.draws, portion.kinds, portion.mates, graph))


def read_dealt(message: bytes) -> tuple[int, int, float, DealtPortion]:
    """Decode the message of `write_dealt`."""
    number, index, cpu_s, draws, kinds, mates, graph = marshal.loads(message)
    portion = DealtPortion(draws, kinds, mates, None, Graph.from_bytes(graph))
    return number, index, cpu_s, portion
