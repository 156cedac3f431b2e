"""A process that deals: `python -m arcbatt.proposers.evolve.dealing_process`.

Orders come by standard input, dealt portions go by standard output (`dealer`). It ends at once
when its input does.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Mapping, Sequence
from time import process_time
from typing import Any

from arcbatt.engine.graphs import DIGEST_BYTES, Graph
from arcbatt.language import Program, all_primitives
from arcbatt.processes import ending_at_once, take_pipes, write_message

from .dealer import write_dealt
from .met import MetFilter
from .mutation import Donors, Rates
from .mutation.mutator import named
from .portions import DealtPortion, Portion, deal_portion, uncollected


class Helper:
    """What a process that deals knows."""

    def __init__(self) -> None:
        self._programs: dict[bytes, Program] = {}
        self._donors = Donors(())
        self._following = Donors(())
        self._met = MetFilter()

    def deal(self, number: int, state: bytes, portions: Sequence[Sequence[Any]]) -> Iterator[bytes]:
        """Take what an order says, and yield its portions as they are dealt."""
        told: Mapping[str, Any] = marshal.loads(state)
        graph = Graph.from_bytes(told["programs"])
        for place, digest in zip(graph.results.tolist(), graph.result_digests, strict=True):
            self._programs[digest] = named(graph.node(place))
        parents = self._known(told["parents"])
        if told["donors"] is not None:
            self._donors = Donors(self._known(told["donors"]))
        elif told["has_turned"]:
            self._donors = self._following
        if "filter" in told:
            self._met = MetFilter.from_parts(*told["filter"])
        else:
            self._met.add_all(told["met"])
        rates = Rates.from_json(told["rates"])
        for index, *each in portions:
            began_s = process_time()
            mutants = deal_portion(
                Portion(*each), parents, self._donors, rates, told["max_calls"], self._met
            )
            dealt = DealtPortion.of(mutants, self._donors)
            yield write_dealt(number, index, process_time() - began_s, dealt)
        if told["following"]:
            # Nobody waits for it now.
            self._following = Donors(self._known(told["following"]))
            self._following.make_index()
            kept = (*self._donors, *self._following, *parents)
            self._programs = {each.result.digest: each for each in kept}

    def _known(self, digests: bytes) -> list[Program]:
        """The programs of digests, which come one after the other."""
        places = range(0, len(digests), DIGEST_BYTES)
        return [self._programs[digests[start : start + DIGEST_BYTES]] for start in places]


def main() -> None:
    """Deal until there are no more orders."""
    messages, answers = take_pipes()
    with ending_at_once():
        all_primitives()
        helper = Helper()
        write_message(answers, b"ready")
        while True:
            message = messages.get()
            with uncollected():
                for dealt in helper.deal(*marshal.loads(message)):
                    write_message(answers, dealt)


if __name__ == "__main__":
    main()
