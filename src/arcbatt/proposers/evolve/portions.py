"""Cards in portions, which several processes can deal, and their assembly into one fused card.

It makes no difference which process deals a portion: it has its own seed, and depends on nothing
but the order. A program's draws are all in one portion, or in few, so that hardly any mutant is
dealt twice.
"""

from __future__ import annotations

import gc
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import ceil

import numpy as np

from arcbatt.engine.batt import Batt, GraphBatt
from arcbatt.engine.graph.fusion import GraphBuilder
from arcbatt.engine.graph.graphs import Graph, GraphPrograms, merge_graphs
from arcbatt.language import Program
from arcbatt.measure import phase
from arcbatt.pool import PoolCard

from .archive import Draws
from .cards import new_mutants
from .mutation import Donors, Mutant, Mutator
from .mutation.mutator import mutant_name
from .seen_programs import SeenFilter, SeenPrograms

# Few enough mutants that there are portions for many processes, and enough that sending them takes
# a small part of the time.
PORTION_SIZE = 30


@dataclass(frozen=True, slots=True)
class Portion:
    """A part of a card: at most `size` mutants, of parents in the order of their draws.

    The portion with the same number has mostly the same parents in every card.
    """

    number: int
    seed: int
    size: int
    draws: list[int]  # indices of the card's draws
    parents: list[int]  # for each draw, the index of the card's parent

    def to_tuple(self) -> tuple[int, int, int, list[int], list[int]]:
        """Return the fields, from which `Portion` can be made again."""
        return self.number, self.seed, self.size, self.draws, self.parents


@dataclass(frozen=True, slots=True)
class Order:
    """A card to deal, with everything that its mutants depend on except the programs seen.

    `next_donors` are the donors of later orders, which processes can prepare.
    """

    card: PoolCard
    draws: Draws
    donors: Donors
    next_donors: Donors | None
    max_calls: int
    portions: tuple[Portion, ...]


def divide(card: PoolCard, draws: Draws) -> tuple[Portion, ...]:
    """Divide the draws of a card into portions of about the same number of draws.

    The draws of one program are kept together, unless they exceed the average portion: they go to
    the first portion with room, starting at one given by the program's digest. So a program is
    mostly in the same portion in every card, and its process has analyzed it before.
    """
    n_portions = max(1, -(-card.size // PORTION_SIZE))
    max_draws = max(1, len(draws.chosen) // n_portions)
    loads = [0] * n_portions
    portion_of = np.zeros(len(draws.programs), np.int64)  # of programs in one portion
    shared: dict[int, list[int]] = {}
    for parent, n_draws in Counter(draws.chosen).most_common():
        n_chunks = -(-n_draws // max_draws)
        digest = draws.programs[parent].result.digest
        portion = int.from_bytes(digest[:4], "little") % n_portions
        chosen = []
        room = max_draws - n_draws // n_chunks
        for _ in range(n_chunks):
            n_tried = 1
            while loads[portion] > room and n_tried < n_portions:
                portion, n_tried = (portion + 1) % n_portions, n_tried + 1
            if loads[portion] > room:
                portion = loads.index(min(loads))
            loads[portion] += n_draws // n_chunks
            chosen.append(portion)
        portion_of[parent] = chosen[0]
        if n_chunks > 1:
            shared[parent] = chosen
    parents = np.array(draws.chosen, np.int64)
    portions = portion_of[parents]
    for parent, chosen in shared.items():
        of_parent = np.flatnonzero(parents == parent)
        portions[of_parent] = np.resize(chosen, len(of_parent))
    # Sort the draws by portion, and within a portion by time.
    order = np.argsort(portions, kind="stable")
    ends = np.cumsum(np.bincount(portions, minlength=n_portions))[:-1]
    places = [each.tolist() for each in np.split(order, ends)]
    parents_of = [each.tolist() for each in np.split(parents[order], ends)]
    size = ceil(card.size / n_portions)
    # The last portions may be cut off, so shuffle them.
    shuffled = random.Random(card.seed).sample(range(n_portions), n_portions)
    return tuple(Portion(k, card.seed << 16 | k, size, places[k], parents_of[k]) for k in shuffled)


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Suspend Python's garbage collection of reference cycles.

    A card creates and drops hundreds of thousands of nodes without cycles, which would trigger
    searches that take a fifth of the time. The nodes that remain count as old at once.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.freeze()
            gc.unfreeze()
            gc.enable()


class _SeenInPortion:
    """The programs seen before a card was ordered, and in this portion."""

    def __init__(self, before: SeenFilter) -> None:
        self._before = before
        self._new: set[bytes] = set()

    def add(self, digest: bytes) -> None:
        self._new.add(digest)

    def __contains__(self, digest: object) -> bool:
        assert isinstance(digest, bytes)
        return digest in self._new or digest in self._before


def deal_portion(
    portion: Portion,
    parents: Sequence[Program],
    donors: Donors,
    max_calls: int,
    seen: SeenFilter,
) -> list[tuple[Mutant, int]]:
    """Return a portion's mutants with the indices of their draws; `parents` are the card's."""
    mutator = Mutator(donors, random.Random(portion.seed), max_calls=max_calls)
    programs = [parents[k] for k in portion.parents]
    draws = zip(programs, portion.draws, strict=True)
    return list(islice(new_mutants(mutator, draws, _SeenInPortion(seen)), portion.size))


@dataclass(frozen=True, slots=True)
class DealtPortion:
    """The mutants of a portion as arrays; `mates` are indices of donors.

    A portion dealt in this process has programs; one from another process has only their graph.
    """

    draws: list[int]  # indices of the card's draws
    kinds: list[str]
    mates: list[tuple[int, ...]]
    programs: list[Program] | None
    graph: Graph | None

    @classmethod
    def of(cls, mutants: Sequence[tuple[Mutant, int]], donors: Donors) -> DealtPortion:
        """Return a portion that was dealt in this process."""
        return cls(
            [draw for _, draw in mutants],
            [mutant.kind for mutant, _ in mutants],
            [tuple([donors.place(mate) for mate in m.parents[1:]]) for m, _ in mutants],
            [mutant.program for mutant, _ in mutants],
            None,
        )

    @property
    def digests(self) -> list[bytes]:
        if self.graph is not None:
            return self.graph.result_digests
        return [program.result.digest for program in self.programs or ()]

    def to_graph(self) -> Graph:
        """Return the programs' graph."""
        if self.graph is not None:
            return self.graph
        builder = GraphBuilder()
        programs = self.programs or ()
        return builder.to_graph([builder.add(each.result, each.name) for each in programs])


@dataclass(frozen=True)
class DealtCard:
    """The mutants of a card, with their digests, kinds and tasks."""

    order: Order
    portions: Sequence[DealtPortion]
    chosen: list[int]  # indices of the mutants of all portions
    digests: list[bytes]
    kinds: list[str]
    tasks: list[int | None]  # for which their parents were drawn

    def __len__(self) -> int:
        return len(self.digests)

    @property
    def card(self) -> PoolCard:
        return self.order.card

    def made_from(self, place: int) -> tuple[Program, ...]:
        """Return the parent of a mutant, and the donors of its parts."""
        index = self.chosen[place]
        for portion in self.portions:
            if index < len(portion.draws):
                break
            index -= len(portion.draws)
        programs, chosen, _ = self.order.draws
        mates = [self.order.donors[mate] for mate in portion.mates[index]]
        return (programs[chosen[portion.draws[index]]], *mates)

    @cached_property
    def batt(self) -> Batt:
        """The fused programs; the engine's thread is the first to ask for them."""
        with phase("fuse"):
            return _fuse(self.portions, self.chosen)


def assemble(order: Order, portions: Sequence[DealtPortion], seen: SeenPrograms) -> DealtCard:
    """Return the card of all new mutants in its portions, up to its size, and mark them seen."""
    digests = [digest for portion in portions for digest in portion.digests]
    new = seen.find_new(digests)[: order.card.size]
    chosen_digests = [digests[k] for k in new]
    seen.add_all(chosen_digests)
    kinds = [kind for portion in portions for kind in portion.kinds]
    draws = [draw for portion in portions for draw in portion.draws]
    tasks = order.draws.tasks
    return DealtCard(
        order,
        portions,
        new,
        chosen_digests,
        [kinds[k] for k in new],
        [tasks[draws[k]] for k in new],
    )


def _fuse(portions: Sequence[DealtPortion], chosen: Sequence[int]) -> Batt:
    """Return the chosen programs of all portions as one batt."""
    if all(portion.graph is None for portion in portions):
        made = [program for portion in portions for program in portion.programs or ()]
        return Batt([made[k] for k in chosen])
    graph = merge_graphs([portion.to_graph() for portion in portions])
    results = graph.results.tolist()
    programs = GraphPrograms(graph, mutant_name, [results[k] for k in chosen])
    is_whole = len(chosen) == len(results)
    return GraphBatt(graph.fuse(None if is_whole else np.array(chosen, np.uint32)), programs)
