"""A card in portions: an order in, mutants dealt portion by portion, a fused card out.

Who deals a portion, this process or another one, makes no difference: each has a seed of its own,
and depends on nothing but the order. A program's draws are all in one portion, or in few, so that
hardly any mutant is dealt twice.
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
from arcbatt.engine.fusing import Fusing
from arcbatt.engine.graphs import Graph, GraphPrograms, merge_graphs
from arcbatt.language import Program
from arcbatt.measure import phase
from arcbatt.pool import Card

from .archive import Draws
from .cards import new_mutants
from .met import MetFilter, MetPrograms
from .mutation import Donors, Mutant, Mutator, Rates
from .mutation.mutator import mutant_name

# Mutants of a portion: so few that there are portions for many processes, so many that to send
# them takes a small part of the time.
PORTION_SIZE = 30


@dataclass(frozen=True, slots=True)
class Portion:
    """A part of a card: so many mutants at most, of parents in the order of their draws.

    That of one number has mostly the same parents in every card.
    """

    number: int
    seed: int
    size: int
    draws: list[int]  # places among the card's draws
    parents: list[int]  # of each of them, which of the card's parents it is

    def to_tuple(self) -> tuple[int, int, int, list[int], list[int]]:
        """Return its fields, which make it again."""
        return self.number, self.seed, self.size, self.draws, self.parents


@dataclass(frozen=True, slots=True)
class Order:
    """A card that is to be dealt, and all that its mutants depend on beside what was met.

    `following` are the donors of later orders, so that whoever deals can prepare them.
    """

    card: Card
    draws: Draws
    donors: Donors
    following: Donors | None
    rates: Rates
    max_calls: int
    portions: tuple[Portion, ...]


def divide(card: Card, draws: Draws) -> tuple[Portion, ...]:
    """Divide the draws of a card into portions of about the same number of draws.

    Those of one program are together, unless they are more than a portion has in the mean: in the
    first portion with room from that on which its digest says. So they are mostly in the same one
    in every card, and whoever deals it has taken its parents apart before.
    """
    n_portions = max(1, -(-card.size // PORTION_SIZE))
    n_at_most = max(1, len(draws.chosen) // n_portions)
    loads = [0] * n_portions
    portion_of = np.zeros(len(draws.programs), np.int64)  # of those that are in one alone
    shared: dict[int, list[int]] = {}
    for parent, n_draws in Counter(draws.chosen).most_common():
        n_chunks = -(-n_draws // n_at_most)
        digest = draws.programs[parent].result.digest
        portion = int.from_bytes(digest[:4], "little") % n_portions
        chosen = []
        room = n_at_most - n_draws // n_chunks
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
    # The draws portion by portion, in each as they were drawn.
    order = np.argsort(portions, kind="stable")
    ends = np.cumsum(np.bincount(portions, minlength=n_portions))[:-1]
    places = [each.tolist() for each in np.split(order, ends)]
    parents_of = [each.tolist() for each in np.split(parents[order], ends)]
    size = ceil(card.size / n_portions)
    # What stands last may be left out: any of them, not always those that are filled last.
    shuffled = random.Random(card.seed).sample(range(n_portions), n_portions)
    return tuple(Portion(k, card.seed << 16 | k, size, places[k], parents_of[k]) for k in shuffled)


@contextmanager
def uncollected() -> Iterator[None]:
    """Have no cycles looked for meanwhile.

    A card makes and drops some hundred thousand nodes, which are in no cycle. They would have all
    objects of the process looked through again and again, a fifth of the time. What is left of a
    card counts as old at once, so that it is looked through with the other old objects, not for
    itself.
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


class _MetHere:
    """What was met when a card was ordered, and in this portion since."""

    def __init__(self, before: MetFilter) -> None:
        self._before = before
        self._here: set[bytes] = set()

    def add(self, digest: bytes) -> None:
        self._here.add(digest)

    def __contains__(self, digest: object) -> bool:
        assert isinstance(digest, bytes)
        return digest in self._here or digest in self._before


def deal_portion(
    portion: Portion,
    parents: Sequence[Program],
    donors: Donors,
    rates: Rates,
    max_calls: int,
    met: MetFilter,
) -> list[tuple[Mutant, int]]:
    """Deal the mutants of a portion, each with the place of its draw; `parents` are the card's."""
    mutator = Mutator(donors, random.Random(portion.seed), max_calls=max_calls, rates=rates)
    programs = [parents[k] for k in portion.parents]
    draws = zip(programs, portion.draws, strict=True)
    return list(islice(new_mutants(mutator, draws, _MetHere(met)), portion.size))


@dataclass(frozen=True, slots=True)
class DealtPortion:
    """The mutants of a portion, as arrays; `mates` are places of donors.

    There are programs if they were dealt in this process, otherwise their graph alone.
    """

    draws: list[int]  # places among the card's
    kinds: list[str]
    mates: list[tuple[int, ...]]
    programs: list[Program] | None
    graph: Graph | None

    @classmethod
    def of(cls, mutants: Sequence[tuple[Mutant, int]], donors: Donors) -> DealtPortion:
        """Return what was dealt in this process."""
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
        fusing = Fusing()
        programs = self.programs or ()
        return fusing.to_graph([fusing.add(each.result, each.name) for each in programs])


@dataclass(frozen=True)
class DealtCard:
    """A card: mutants, and by place their digests, kinds and tasks."""

    order: Order
    portions: Sequence[DealtPortion]
    chosen: list[int]  # places among the mutants of all portions
    digests: list[bytes]
    kinds: list[str]
    tasks: list[int | None]  # that each is meant for

    def __len__(self) -> int:
        return len(self.digests)

    @property
    def card(self) -> Card:
        return self.order.card

    def made_from(self, place: int) -> tuple[Program, ...]:
        """The parent of a mutant, and the donors of its parts."""
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
        """The programs fused, by whoever asks first: the thread that has the engine run them."""
        with phase("fuse"):
            return _fuse(self.portions, self.chosen)


def assemble(order: Order, portions: Sequence[DealtPortion], met: MetPrograms) -> DealtCard:
    """Take what is new of a card's portions, which is met from now on.

    What they have beyond the size of the card is left out.
    """
    digests = [digest for portion in portions for digest in portion.digests]
    new = met.find_new(digests)[: order.card.size]
    chosen_digests = [digests[k] for k in new]
    met.add_all(chosen_digests)
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
    """The chosen ones of the portions' programs as one batt."""
    if all(portion.graph is None for portion in portions):
        made = [program for portion in portions for program in portion.programs or ()]
        return Batt([made[k] for k in chosen])
    graph = merge_graphs([portion.to_graph() for portion in portions])
    results = graph.results.tolist()
    programs = GraphPrograms(graph, mutant_name, [results[k] for k in chosen])
    is_whole = len(chosen) == len(results)
    return GraphBatt(graph.fuse(None if is_whole else np.array(chosen, np.uint32)), programs)
