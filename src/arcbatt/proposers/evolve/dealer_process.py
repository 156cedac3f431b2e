"""A process that deals portions of cards: `python -m arcbatt.proposers.evolve.dealer_process`.

It reads orders from standard input and writes portions to standard output (see `dealer`), and ends
when its input does.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Mapping, Sequence
from time import process_time
from typing import Any

from arcbatt.engine.graph.graphs import DIGEST_BYTES, Graph
from arcbatt.language import Program, all_primitives
from arcbatt.plugins import load_plugins_of_parent
from arcbatt.processes import exit_on_error, take_pipes, write_message

from .dealer import write_dealt
from .mutation import Donors
from .mutation.mutator import named
from .portions import DealtPortion, Portion, deal_portion, without_garbage_collection
from .seen_programs import SeenFilter


class Helper:
    """The state of a dealing process."""

    def __init__(self) -> None:
        self._programs: dict[bytes, Program] = {}
        self._donors = Donors(())
        self._next_donors = Donors(())
        self._seen = SeenFilter()

    def deal(self, number: int, state: bytes, portions: Sequence[Sequence[Any]]) -> Iterator[bytes]:
        """Update the state by an order, and yield its portions as they are dealt."""
        update: Mapping[str, Any] = marshal.loads(state)
        graph = Graph.from_bytes(update["programs"])
        for place, digest in zip(graph.results.tolist(), graph.result_digests, strict=True):
            self._programs[digest] = named(graph.node(place))
        parents = self._known(update["parents"])
        if update["donors"] is not None:
            self._donors = Donors(self._known(update["donors"]))
        elif update["use_next_donors"]:
            self._donors = self._next_donors
        if "filter" in update:
            self._seen = SeenFilter.from_parts(*update["filter"])
        else:
            self._seen.add_all(update["seen"])
        for index, *each in portions:
            began_s = process_time()
            mutants = deal_portion(
                Portion(*each), parents, self._donors, update["max_calls"], self._seen
            )
            dealt = DealtPortion.of(mutants, self._donors)
            yield write_dealt(number, index, process_time() - began_s, dealt)
        if update["next_donors"]:
            # All portions are sent, so preparing the next donors delays none of them.
            self._next_donors = Donors(self._known(update["next_donors"]))
            self._next_donors.make_index()
            kept = (*self._donors, *self._next_donors, *parents)
            self._programs = {each.result.digest: each for each in kept}

    def _known(self, digests: bytes) -> list[Program]:
        """Return the programs with the concatenated digests."""
        places = range(0, len(digests), DIGEST_BYTES)
        return [self._programs[digests[start : start + DIGEST_BYTES]] for start in places]


def main() -> None:
    """Deal portions until there are no more orders."""
    messages, answers = take_pipes()
    with exit_on_error():
        all_primitives()
        load_plugins_of_parent()
        helper = Helper()
        write_message(answers, b"ready")
        while True:
            message = messages.get()
            with without_garbage_collection():
                for dealt in helper.deal(*marshal.loads(message)):
                    write_message(answers, dealt)


if __name__ == "__main__":
    main()
