"""Evolution: deal, fuse, screen, credit and keep, card after card.

A card consists of parents drawn from the archive and mutated; each mutant is new to the pool. Fused
into one batt, the mutants are screened on the demos of all tasks, each demo held out. Differs then
score the mutants that fit no task: on the task that the parent was drawn for, unless the task has
kept a program with the same behavior, and on tasks of which they fit some demos. Mutants that fit a
task, or are nearly right on one, are offered to the archive; those that it takes go to the pool.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcbatt import plurals
from arcbatt.engine.batt import Batt
from arcbatt.engine.gpu.devices import GpuError, device_count
from arcbatt.engine.task_run import TaskResult
from arcbatt.evaluation import FULL_CREDIT, CreditScorer, TaskBoard, Trial
from arcbatt.language import Program, ProgramError
from arcbatt.measure import BusyTime, count, phase, timeline, usable_cores
from arcbatt.pool import Pool, PoolCard, PoolError, PoolProgram, PoolTrial, task_key
from arcbatt.tasks import Task

from ..options import whole_number
from .archive import DEFAULT_PER_TASK, Archive, Entry, Verdict
from .dealer import Dealer, processes_for
from .duplicates import cheapest_by_behavior
from .mutation import Donors, MutationCounts
from .portions import DealtCard, Order, assemble, divide, without_garbage_collection
from .seen_programs import SeenPrograms

# Programs at the start are screened in batches: a pool may have very many, and time may run out.
SCREENING_BATCH = 500
# All differs on all tasks take long, so no more programs than this are scored at the start.
MAX_SCORED_AT_START = 200
DEFAULT_CARD_SIZE = 800
# A GPU takes about the same time for a larger card; more cores do not need larger ones.
GPU_CARD_SIZE = 3200
# A card is one batt, which has to fit into memory.
MAX_CARD_SIZE = 100_000
# A card stays smaller if this many draws per program do not fill it.
DRAWS_PER_PROGRAM = 4
# Numbers of cards between two renewals of the donors, and between two evictions.
DONORS_EVERY = 10
EVICT_EVERY = 50
# Seen programs are written to the pool in batches: each goes to a page of its own, so marking those
# of one card writes nearly as much as marking those of fifty.
MARKING_BATCH = 2**16
# The engine runs three cards at a time: while the slowest programs of one finish, or one is
# prepared for a GPU, the others use the cores or the GPU.
N_AT_ONCE = 3
# The timelines of the threads that run cards.
ENGINE = ("engine", "engine, second card at a time", "engine, third card at a time")
# A fourth card waits, so that the engine never waits for this thread. Results depend on this: a
# card is dealt from what was known N_BEGUN + 2 cards earlier.
N_BEGUN = 4


def choose_card_size(device: str) -> int:
    """Return the default number of programs per card, which is larger if a GPU may run them."""
    if device == "cpu":
        return DEFAULT_CARD_SIZE
    try:
        device_count()
    except GpuError:
        return DEFAULT_CARD_SIZE
    return GPU_CARD_SIZE


@dataclass(frozen=True, slots=True)
class EvolveOptions:
    """The options of evolution; with the pool's content and the tasks they determine the run.

    Without differs, a program that does not fit is only kept if it fits some demos.
    """

    seed: int = 0
    card_size: int = DEFAULT_CARD_SIZE
    per_task: int = DEFAULT_PER_TASK
    max_calls: int = 40
    use_differs: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", whole_number("seed", self.seed))
        object.__setattr__(
            self, "card_size", whole_number("card_size", self.card_size, 1, MAX_CARD_SIZE)
        )
        if not isinstance(self.use_differs, bool):
            raise ValueError(f"use_differs is {self.use_differs!r:.40}, expected True or False")


class _Change(NamedTuple):
    """An entry that the archive took for a task; `place` is the program's index in its batt."""

    place: int
    task: int
    entry: Entry
    verdict: Verdict

    @property
    def program(self) -> Program:
        return self.entry.program


@dataclass(slots=True)
class _Changes:
    """The entries that the archive took, and the number of those that it refused."""

    taken: list[_Change] = field(default_factory=list)
    n_refused: int = 0

    @property
    def verdicts(self) -> dict[Verdict, int]:
        counts = Counter(change.verdict for change in self.taken)
        return {**counts, "refused": self.n_refused} if self.n_refused else dict(counts)


class _Rows(NamedTuple):
    """Rows that go to the pool in one transaction."""

    programs: Sequence[PoolProgram]
    trials: Sequence[PoolTrial]


@dataclass(frozen=True, slots=True)
class NewFit:
    """A program that fits a task that had no solver before."""

    task: Task
    program: Program
    mutation: str


@dataclass(frozen=True, slots=True)
class CardResult:
    """The result of one card.

    `engine_s` is the time in which the engine ran cards, this one or later ones.
    """

    number: int
    n_mutants: int
    n_pairs: int  # of a new program and a task
    n_calls: int  # of the batt
    verdicts: dict[Verdict, int]
    new_fits: tuple[NewFit, ...]
    ran_on: dict[str, int]
    engine_s: float


@dataclass
class Evolution:
    """Evolves programs for the tasks of a board, and adds them to a pool.

    `known` are programs that always stay in the pool: a resumed run begins with them again.
    `n_processes` processes help to deal; by default as many as the board's threads allow.
    """

    board: TaskBoard
    pool: Pool
    options: EvolveOptions
    mutations: MutationCounts = field(default_factory=MutationCounts)
    known: Sequence[Program] = ()
    n_cards: int = 0
    n_processes: int | None = None

    def __post_init__(self) -> None:
        self._spared = frozenset(program.result.digest for program in self.known)
        self.rng = random.Random(self.options.seed)
        self.archive = Archive(len(self.board), self.options.per_task)
        self.scorer = CreditScorer(self.board, use_differs=self.options.use_differs)
        self._engine = ThreadPoolExecutor(N_AT_ONCE, "engine")
        self._busy = BusyTime()
        self._idle_lines = list(reversed(ENGINE[:N_AT_ONCE]))
        self._running: deque[_Running] = deque()
        self._ordered: Order | None = None
        self._donors: Donors | None = None
        self._next_donors: Donors | None = None
        self._n_ordered = self.n_cards
        self._seen = SeenPrograms(self.pool)
        self._unstored: deque[_Rows] = deque()
        self._unmarked: list[bytes] = []
        n_processes = self.n_processes
        if n_processes is None:
            n_processes = processes_for(self.board.n_threads or usable_cores())
        self._dealer = Dealer(n_processes)

    # --- start and end ---

    def begin(
        self,
        programs: Sequence[Program],
        say: Callable[[str], None] = lambda _message: None,
        is_spent: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = perf_counter,
    ) -> float:
        """Offer the known programs, which are in the pool, to the archive.

        Returns the engine's seconds per program, over programs run until `is_spent` returns true.
        """
        say(
            f"{plurals.count(len(programs), 'program')} on {plurals.count(len(self.board), 'task')}"
        )
        if not programs:
            return 0.0
        self._seen.add_all(program.result.digest for program in programs)
        screen_s, n_screened = 0.0, 0
        while n_screened < len(programs) and not (n_screened and is_spent()):
            batch = programs[n_screened : n_screened + SCREENING_BATCH]
            began_s = clock()
            result = self.board.screen(Batt(batch), held_out=True)
            screen_s += clock() - began_s
            n_screened += len(batch)
            pairs = [(p, t) for p, t in np.argwhere(result.n_matches > 0).tolist()]
            with phase("score"):
                changes = self._offer_pairs(batch, result, pairs)
            self._store(changes.taken)
        if self.options.use_differs:
            say("scoring how close the programs come to unsolved tasks")
            chosen = self._choose_to_score(programs)
            with phase("score"):
                nearest = list(self.scorer.nearest(chosen, self.archive, is_spent))
            self._store(self._offer_each(nearest).taken)
        return screen_s / n_screened

    def take(self, programs: Sequence[tuple[int, Program, str]]) -> int:
        """Offer programs of other proposers to the archive; return how many it took.

        Each comes with the index of its task and its origin for the pool. They are scored like
        mutants, and never dealt again.
        """
        programs = [each for each in programs if 0 < each[1].n_calls <= self.options.max_calls]
        self._seen.add_all(program.result.digest for _, program, _ in programs)
        changes = self._offer_each([(task, program) for task, program, _ in programs])
        self._store(changes.taken, origins={program: origin for _, program, origin in programs})
        return len(changes.taken)

    def _offer_each(self, programs: Sequence[tuple[int, Program]]) -> _Changes:
        """Screen programs, each on the task that it comes with, and offer them to the archive."""
        if not programs:
            return _Changes()
        # The same program may occur with several tasks.
        tasks = np.array([task for task, _ in programs], np.int32)
        chosen = [program for _, program in programs]
        result = self.board.screen(Batt(chosen), only=tasks, held_out=True)
        ran = result.reasons[np.arange(len(tasks)), tasks] == 0
        pairs = [(p, int(tasks[p])) for p in np.flatnonzero(ran).tolist()]
        with phase("score"):
            return self._offer_pairs(chosen, result, pairs)

    def _choose_to_score(self, programs: Sequence[Program]) -> list[Program]:
        """Return solvers, then random other programs, which may be nearly right on some task."""
        solvers = self.archive.solvers()
        are_solvers = set(solvers)
        rest = [program for program in programs if program not in are_solvers]
        self.rng.shuffle(rest)
        return [*solvers, *rest][:MAX_SCORED_AT_START]

    def to_json(self) -> dict[str, Any]:
        """Return the state from which a run is resumed; the pool has the programs."""
        version, words, gauss = self.rng.getstate()
        return {
            "n_cards": self.n_cards,
            "tasks": [task.id for task in self.board.tasks],
            "mutations": self.mutations.to_json(),
            "rng": [version, list(words), gauss],
        }

    def resume_from(self, state: Mapping[str, Any]) -> None:
        """Restore the state of an earlier run; to be called before `begin`."""
        self.n_cards = self._n_ordered = state["n_cards"]
        self.mutations = MutationCounts.from_json(state["mutations"])
        version, words, gauss = state["rng"]
        self.rng.setstate((version, tuple(words), gauss))
        # All programs in the pool were seen, also those that are no longer parents.
        self._seen.add_all(self.pool.digests())

    def take_from_pool(self) -> int:
        """Offer the pool's best programs of each task again; return how many are taken."""
        places = {task_key(task): t for t, task in enumerate(self.board.tasks)}
        # Twice as many as a task keeps, as some have the same behavior.
        trials = self.pool.parents(per_task=2 * self.options.per_task)
        of_tasks = [trial for trial in trials if trial.task in places]
        changes = self._offer_each(
            [(places[trial.task], program) for trial, program in self.pool.readable(of_tasks)]
        )
        self._store(changes.taken)
        return len(changes.taken)

    def wait_for_processes(self) -> None:
        """Start the dealing processes now, and wait until they are ready."""
        self._dealer.wait()

    @property
    def n_dealing(self) -> int:
        """The number of processes that help to deal."""
        return self._dealer.n_ready

    def close(self) -> None:
        """Stop the engine's threads and the dealing processes, and write to the pool.

        Cards that are ordered or running are lost; all seen programs are marked in the pool.
        """
        with ExitStack() as ending:  # a failure in one step skips none of the others
            ending.callback(self._write, is_last=True)
            ending.callback(self._engine.shutdown, cancel_futures=True)
            ending.callback(self._dealer.close)

    # --- a card ---

    def step(self, *, is_last: bool = False) -> CardResult:
        """Finish one card: wait for its run, score it and store what the archive takes.

        Meanwhile `N_BEGUN - 1` more cards are running or waiting, and the next one is being dealt.
        With `is_last`, when a new card would not be finished in time, none is begun except the one
        to return; cards that were begun before are returned one by one.
        """
        with without_garbage_collection():
            return self._step(is_last)

    def _step(self, is_last: bool) -> CardResult:
        busy_s = self._busy.seconds
        while len(self._running) < (1 if is_last else N_BEGUN):
            self._running.append(self._start(self._deal()))
        if not is_last and self._ordered is None:
            self._ordered = self._order_card()
        dealt, running = self._running.popleft()
        with phase("run"):
            result = running.result()
        self.n_cards += 1
        if not is_last:
            # Before scoring, so that the engine gets the next card at once and the dealer has until
            # the end of the next run for the one after it.
            self._running.append(self._start(self._deal()))
            self._ordered = self._order_card()
        with phase("score"):
            changes = self._score(dealt, result)
        self._store(changes.taken, dealt)
        if self.n_cards % EVICT_EVERY == 0:
            with suppress(PoolError):  # the next eviction tries again
                self.pool.evict(self.options.per_task, spared=self._spared)
        n_pairs = len(dealt) * len(self.board)
        count("pairs", n_pairs)
        return CardResult(
            number=self.n_cards,
            n_mutants=len(dealt),
            n_pairs=n_pairs,
            n_calls=dealt.batt.n_calls,
            verdicts=changes.verdicts,
            new_fits=tuple(self._new_fits(dealt, changes.taken)),
            ran_on=dict(result.ran_on),
            engine_s=self._busy.seconds - busy_s,
        )

    def _new_fits(self, dealt: DealtCard, taken: Sequence[_Change]) -> Iterator[NewFit]:
        for change in taken:
            if change.verdict == "fits":
                task = self.board.tasks[change.task]
                yield NewFit(task, change.program, dealt.kinds[change.place])

    def _deal(self) -> DealtCard:
        """Return the card that was ordered, or else one from the present archive."""
        order = self._ordered or self._order_card()
        self._ordered = None
        with phase("deal"):
            return assemble(order, self._dealer.collect(), self._seen)

    @phase("deal")
    def _order_card(self) -> Order:
        """Order mutants of the present archive."""
        self._n_ordered += 1
        card = PoolCard(self.rng.getrandbits(63), self.options.card_size, self._n_ordered)
        draws = self.archive.draw(DRAWS_PER_PROGRAM * card.size, random.Random(card.seed))
        order = Order(
            card,
            draws,
            self._choose_donors(),
            self._next_donors,
            self.options.max_calls,
            divide(card, draws),
        )
        self._dealer.order(order, self._seen.filter, self._seen.take_news())
        return order

    def _choose_donors(self) -> Donors:
        """Return the donors; they are renewed every few cards, as their index takes long to build.

        New ones are chosen one order before they are used, so that processes can prepare them.
        """
        turn = self._n_ordered % DONORS_EVERY
        if self._donors is None:
            self._donors = Donors(self.archive.programs())
        elif turn == 0 and self._next_donors is not None:
            self._donors = self._next_donors
        self._next_donors = Donors(self.archive.programs()) if turn == DONORS_EVERY - 1 else None
        return self._donors

    def _start(self, dealt: DealtCard) -> _Running:
        """Screen a card in a thread of the engine."""
        return dealt, self._engine.submit(copy_context().run, self._screen, dealt)

    def _screen(self, dealt: DealtCard) -> TaskResult:
        line = self._idle_lines.pop()
        try:
            with timeline(line), self._busy:
                return self.board.screen(dealt.batt, held_out=True, skip_expensive=True)
        finally:
            self._idle_lines.append(line)

    # --- scores ---

    def _score(self, dealt: DealtCard, result: TaskResult) -> _Changes:
        programs = dealt.batt.programs
        # Of mutants with the same results on the first demos of all tasks, the cheapest counts.
        kept = cheapest_by_behavior(programs, result.reasons, result.hashes, result.steps)
        is_distinct = np.zeros(len(programs), np.bool_)
        is_distinct[kept] = True
        # np.nonzero would take twenty times as long.
        p, t = np.divmod(np.flatnonzero(result.n_matches.ravel() != 0), len(self.board))
        is_useful = is_distinct[p] & self._are_useful(result, p, t)
        pairs = set(zip(p[is_useful].tolist(), t[is_useful].tolist(), strict=True))
        if self.options.use_differs:
            tasks = np.array([-1 if task is None else task for task in dealt.tasks], np.intp)
            p = np.flatnonzero((tasks >= 0) & is_distinct)
            p = p[result.reasons[p, tasks[p]] == 0]
            pairs.update(zip(p.tolist(), tasks[p].tolist(), strict=True))
        changes = self._offer_pairs(programs, result, sorted(pairs))
        ran_somewhere = (result.reasons == 0).any(axis=1)
        improved, fitted = np.zeros((2, len(programs)), np.bool_)
        improved[[change.place for change in changes.taken if change.verdict == "improved"]] = True
        fitted[[change.place for change in changes.taken if change.verdict == "fits"]] = True
        self.mutations.record(dealt.kinds, ran=ran_somewhere, improved=improved, fitted=fitted)
        return changes

    def _are_useful(
        self, result: TaskResult, p: NDArray[np.intp], t: NDArray[np.intp]
    ) -> NDArray[np.bool_]:
        """Return for (program, task) pairs whether the task has no solver that is as cheap."""
        solvers = [niche.solver for niche in self.archive.niches]
        limits = np.array([-1 if s is None else s.trial.steps for s in solvers], np.int64)[t]
        are_solvers = result.n_matches[p, t] == result.n_demos[t]
        useful: NDArray[np.bool_] = (limits < 0) | (are_solvers & (result.steps[p, t] < limits))
        return useful

    def _offer_pairs(
        self, programs: Sequence[Program], result: TaskResult, pairs: Sequence[tuple[int, int]]
    ) -> _Changes:
        changes = _Changes()
        for (p, t), credit in self.scorer.credits(programs, pairs, result, self.archive):
            steps = int(result.steps[p, t])
            # Building a mutant's program takes time, and few are taken.
            if self.archive.refuses(t, steps, credit):
                changes.n_refused += 1
            elif credit.score < FULL_CREDIT or self._fits_with_all_demos(programs[p], t):
                n_fitted = int(result.n_matches[p, t])
                task = self.board.tasks[t]
                trial = Trial.screened(task, programs[p], n_fitted, steps, credit.score)
                entry = Entry(trial, credit.behavior, credit.first_look)
                verdict = self.archive.offer(t, entry)
                if verdict == "refused":
                    changes.n_refused += 1
                else:
                    changes.taken.append(_Change(p, t, entry, verdict))
        return changes

    def _fits_with_all_demos(self, program: Program, task: int) -> bool:
        """Return whether a program that fits held-out demos also fits when it sees all of them."""
        if "S" not in program.inputs:
            return True
        return bool(self.board.screen_alone(program, task, held_out=False).solved[0, 0])

    # --- the pool ---

    @phase("store")
    def _store(
        self,
        taken: Sequence[_Change],
        dealt: DealtCard | None = None,
        *,
        origins: Mapping[Program, str] | None = None,
    ) -> None:
        """Write what the archive took to the pool, and mark all new programs as seen.

        The new programs are those of a card, or those in `origins`; others are in the pool.
        """
        if dealt is None:
            self._unmarked += [program.result.digest for program in origins or {}]
        else:
            self._unmarked += dealt.digests
        if taken:
            trials = [
                change.entry.trial.to_row(with_outputs=False, proposer="evolve") for change in taken
            ]
            self._unstored.append(_Rows(self._new_rows(taken, dealt, origins or {}), trials))
        self._write(is_last=False)

    def _new_rows(
        self, taken: Sequence[_Change], dealt: DealtCard | None, origins: Mapping[Program, str]
    ) -> list[PoolProgram]:
        known = self.pool.contains({change.program.result.digest for change in taken})
        rows = []
        for program, place in {change.program: change.place for change in taken}.items():
            parents: tuple[bytes, ...] = ()
            if dealt is None:
                origin = origins.get(program)
            else:
                origin = dealt.kinds[place]
                parents = tuple(parent.result.digest for parent in dealt.made_from(place))
            if origin is None or program.result.digest in known:
                continue
            card = None if dealt is None else dealt.card
            with suppress(ProgramError):  # too large to be written as text
                rows.append(PoolProgram.of(program, origin, card=card, parents=parents))
        return rows

    @phase("store")
    def _write(self, *, is_last: bool) -> None:
        """Write pending rows to the pool; seen programs only in large batches, and at the end.

        If the disk is full, the rows stay pending and evolution continues: saving the run's state
        in the same pool reports the error.
        """
        with suppress(PoolError):
            while self._unstored:
                rows = self._unstored[0]
                with self.pool.writing():
                    self.pool.add_programs(rows.programs)
                    self.pool.record_trials(rows.trials, only_better=True)
                self._unstored.popleft()
            if self._unmarked and (is_last or len(self._unmarked) >= MARKING_BATCH):
                # In the order of the pool's index.
                self.pool.mark_seen(sorted(self._unmarked))
                self._unmarked.clear()


_Running = tuple[DealtCard, "Future[TaskResult]"]
