"""Evolution: deal, fuse, screen, credit, slice, validate, keep, card after card.

A card is parents drawn from the archive, mutated, each mutant new to the pool. Fused into one batt
they are screened on the demos of all tasks, each demo held out. Then the differs judge those
mutants that fit no task: on the task that the parent was drawn for, where the mutant behaves like
none that the task has kept, and on tasks of which it fits some demos. What fits a task, or is
nearly right on one, is offered to the archive; what the archive takes is run again alone and goes
to the pool.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import asdict, dataclass, field, replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcbatt import plurals
from arcbatt.engine.batt import Batt
from arcbatt.engine.gpu import GpuError, device_count
from arcbatt.engine.staged import TaskResult
from arcbatt.evaluation import FULL_CREDIT, Crediting, TaskBoard, Validator
from arcbatt.language import Program, ProgramError
from arcbatt.measure import BusyTime, count, phase, timeline, usable_cores
from arcbatt.pool import Card, NewProgram, NewTrial, Pool, PoolError, task_key
from arcbatt.tasks import Task

from .archive import DEFAULT_PER_TASK, Archive, Entry, Verdict
from .dealer import Dealer, processes_for
from .duplicates import cheapest_by_behaviour
from .met import MetPrograms
from .mutation import Donors, Mutator, Rates
from .portions import DealtCard, Order, assemble, divide, uncollected

# Programs at the start are screened so many at once: a pool has any number of them, and the time
# may end meanwhile.
SCREENED_AT_ONCE = 500
# Programs at the start are judged by all differs on all tasks, which takes long: so many at most.
MAX_JUDGED_AT_START = 200
DEFAULT_CARD_SIZE = 800
# To run a card on a GPU takes a time that its size does not change; many cores need no larger ones.
GPU_CARD_SIZE = 3200
# A card is one batt, which has to fit into memory.
MAX_CARD_SIZE = 100_000
# So many draws for each program of a card; then it stays smaller.
DRAWS_A_PROGRAM = 4
# Cards, for what need not be done with each.
DONORS_EVERY = 10
EVICT_EVERY = 50
# What was met is marked in the pool when there are so many. Each stands in a place of its own, so
# that to mark those of one card writes nearly as much to the disk as to mark those of fifty.
MARK_AT_ONCE = 2**16
# So many cards are run at a time: while the slowest programs of one come to their end, or it is
# prepared for a GPU, the others have the cores, or the GPU.
N_AT_ONCE = 3
# The timelines of the threads that have the engine run cards.
ENGINE = ("engine", "engine, second card at a time", "engine, third card at a time")
# So many cards are begun while the first of them is run, so that the engine never waits for this
# thread. A run depends on it: a card is dealt from what was known three cards more before.
N_BEGUN = 4


def choose_card_size(device: str) -> int:
    """Return how many programs a card has if nobody says: more where a GPU of this machine runs."""
    if device == "cpu":
        return DEFAULT_CARD_SIZE
    try:
        device_count()
    except GpuError:
        return DEFAULT_CARD_SIZE
    return GPU_CARD_SIZE


@dataclass(frozen=True, slots=True)
class EvolveOptions:
    """What evolution is asked to do; with the pool's content and the tasks it determines the run.

    Without differs no program is kept for being nearly right unless it fits some demos.
    """

    seed: int = 0
    card_size: int = DEFAULT_CARD_SIZE
    per_task: int = DEFAULT_PER_TASK
    max_calls: int = 40
    use_differs: bool = True


class _Change(NamedTuple):
    """An entry that the archive has taken, its task, the demos it fits, and what as.

    `place` is that of the program among those that were run.
    """

    place: int
    entry: Entry
    task: int
    n_fitted: int
    verdict: Verdict


@dataclass(slots=True)
class _Offered:
    """What became of entries that were offered to the archive."""

    taken: list[_Change] = field(default_factory=list)
    n_refused: int = 0

    def note(self, change: _Change) -> None:
        if change.verdict == "refused":
            self.n_refused += 1
        else:
            self.taken.append(change)

    @property
    def verdicts(self) -> dict[Verdict, int]:
        counts = Counter(change.verdict for change in self.taken)
        return {**counts, "refused": self.n_refused} if self.n_refused else dict(counts)


@dataclass(frozen=True, slots=True)
class _Rows:
    """What is to go to the pool together: programs of a card, or of none, and trials."""

    card: Card | None
    programs: Sequence[NewProgram]
    trials: Sequence[NewTrial]

    def write(self, pool: Pool) -> None:
        with pool.writing():
            card = None if self.card is None else pool.add_card(self.card)
            pool.add_programs([replace(program, card=card) for program in self.programs])
            pool.record_trials(self.trials, only_better=True)


@dataclass(frozen=True, slots=True)
class Found:
    """A program that fits a task that had no solver before."""

    task: Task
    program: Program
    mutation: str


@dataclass(frozen=True, slots=True)
class CardResult:
    """What one card brought.

    `engine_s` is the part of the time in which the engine ran cards, this one or the next.
    """

    number: int
    n_mutants: int
    n_pairs: int  # of a new program and a task
    n_calls: int  # of the batt
    verdicts: dict[Verdict, int]
    found: tuple[Found, ...]
    ran_on: dict[str, int]
    engine_s: float


@dataclass
class Evolution:
    """Evolves programs for the tasks of a board, with a pool, which it fills.

    `known` are programs that stay in the pool whatever becomes of them: those that a run began
    with, and begins with again when it is resumed. `n_processes` deal beside this one; by default
    as many as the board's threads allow.
    """

    board: TaskBoard
    pool: Pool
    options: EvolveOptions
    validator: Validator
    rates: Rates = field(default_factory=lambda: Rates(Mutator.kinds))
    known: Sequence[Program] = ()
    n_cards: int = 0
    n_processes: int | None = None

    def __post_init__(self) -> None:
        self._spared = frozenset(program.result.digest for program in self.known)
        self.rng = random.Random(self.options.seed)
        self.archive = Archive(len(self.board), self.options.per_task)
        self.crediting = Crediting(self.board, use_differs=self.options.use_differs)
        self._engine = ThreadPoolExecutor(N_AT_ONCE, "engine")
        self._busy = BusyTime()
        self._idle_lines = list(reversed(ENGINE[:N_AT_ONCE]))
        self._running: deque[_Running] = deque()
        self._ordered: Order | None = None
        self._donors: Donors | None = None
        self._following: Donors | None = None
        self._n_dealt = self.n_cards
        self._met = MetPrograms(self.pool)
        self._unstored: deque[_Rows] = deque()
        self._unmarked: list[bytes] = []
        n_processes = self.n_processes
        if n_processes is None:
            n_processes = processes_for(self.board.n_threads or usable_cores())
        self._dealer = Dealer(n_processes)

    # --- the beginning ---

    def begin(
        self,
        programs: Sequence[Program],
        say: Callable[[str], None] = lambda _message: None,
        is_spent: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = perf_counter,
    ) -> float:
        """Take the programs that are known, which the pool has; return how long the engine took.

        That is of one program, in the mean over those that were run before the time `is_spent`.
        """
        say(
            f"{plurals.count(len(programs), 'program')} on {plurals.count(len(self.board), 'task')}"
        )
        if not programs:
            return 0.0
        self._met.add_all(program.result.digest for program in programs)
        screen_s, n_screened = 0.0, 0
        while n_screened < len(programs) and not (n_screened and is_spent()):
            some = programs[n_screened : n_screened + SCREENED_AT_ONCE]
            began_s = clock()
            result = self.board.screen(Batt(some), held_out=True)
            screen_s += clock() - began_s
            n_screened += len(some)
            scored = [(p, t) for p, t in np.argwhere(result.n_matches > 0).tolist()]
            with phase("score"):
                offered = self._offer_pairs(some, result, scored)
            self._store(offered.taken)
        if self.options.use_differs:
            say("how near the programs come to the tasks that none fits")
            chosen = self._programs_to_judge(programs)
            with phase("score"):
                nearest = list(self.crediting.nearest(chosen, self.archive, is_spent))
            self._store(self._offer_each(nearest).taken)
        return screen_s / n_screened

    def take(self, programs: Sequence[tuple[int, Program, str]]) -> int:
        """Offer programs that others have found, each to its task; return how many it has kept.

        Each comes with the place of its task and what is noted as its origin. They are judged as
        mutants are, and none is dealt again.
        """
        programs = [each for each in programs if 0 < each[1].n_calls <= self.options.max_calls]
        self._met.add_all(program.result.digest for _, program, _ in programs)
        offered = self._offer_each([(task, program) for task, program, _ in programs])
        self._store(offered.taken, origins={program: origin for _, program, origin in programs})
        return len(offered.taken)

    def _offer_each(self, programs: Sequence[tuple[int, Program]]) -> _Offered:
        """Offer programs, each to the task that it comes with, by what it does on its demos."""
        if not programs:
            return _Offered()
        # One place for each pair: the same program may be meant for several tasks.
        tasks = np.array([task for task, _ in programs], np.int32)
        chosen = [program for _, program in programs]
        result = self.board.screen(Batt(chosen), only=tasks, held_out=True)
        ran = result.reasons[np.arange(len(tasks)), tasks] == 0
        pairs = [(p, int(tasks[p])) for p in np.flatnonzero(ran).tolist()]
        with phase("score"):
            return self._offer_pairs(chosen, result, pairs)

    def _programs_to_judge(self, programs: Sequence[Program]) -> list[Program]:
        """Solvers first, then any: those that may be nearly right on other tasks."""
        solvers = self.archive.solvers()
        are_solvers = set(solvers)
        rest = [program for program in programs if program not in are_solvers]
        self.rng.shuffle(rest)
        return [*solvers, *rest][:MAX_JUDGED_AT_START]

    # --- a card ---

    def step(self, *, is_last: bool = False) -> CardResult:
        """Take one card to its end: have it run, score, validate and store it.

        The engine is kept busy: while it runs a card, `N_BEGUN - 1` more are begun, and the one
        after them is being dealt. Towards the end, when no card that is begun now would be run in
        time, `is_last` has none begun but the one that is to be returned; those that were begun
        are returned one by one.
        """
        with uncollected():
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
            # First of all, so that the engine has it at once, and there is all the time until the
            # next card is run to deal the one that is ordered.
            self._running.append(self._start(self._deal()))
            self._ordered = self._order_card()
        with phase("score"):
            offered = self._score(dealt, result)
        taken = self._validate(dealt, result, offered.taken)
        self._store(taken, dealt)
        if self.n_cards % EVICT_EVERY == 0:
            with suppress(PoolError):  # there is a next time
                self.pool.evict(self.options.per_task, spared=self._spared)
        n_pairs = len(dealt) * len(self.board)
        count("pairs", n_pairs)
        return CardResult(
            number=self.n_cards,
            n_mutants=len(dealt),
            n_pairs=n_pairs,
            n_calls=dealt.batt.n_calls,
            verdicts=offered.verdicts,
            found=tuple(self._found(dealt, taken)),
            ran_on=dict(result.ran_on),
            engine_s=self._busy.seconds - busy_s,
        )

    def to_json(self) -> dict[str, Any]:
        """Return what is needed to resume; the pool has the programs."""
        version, words, gauss = self.rng.getstate()
        return {
            "n_cards": self.n_cards,
            "tasks": [task.id for task in self.board.tasks],
            "rates": self.rates.to_json(),
            "rng": [version, list(words), gauss],
        }

    def resume_from(self, state: Mapping[str, Any]) -> None:
        """Take up where an earlier run ended; before `begin`."""
        self.n_cards = self._n_dealt = state["n_cards"]
        self.rates = Rates.from_json(state["rates"])
        version, words, gauss = state["rng"]
        self.rng.setstate((version, tuple(words), gauss))
        # All that was kept was met, what is no parent any more, too.
        self._met.add_all(self.pool.digests())

    def take_kept(self) -> int:
        """Offer what the pool says was nearest to each task; return how many are kept again."""
        places = {task_key(task): t for t, task in enumerate(self.board.tasks)}
        # Twice as many as are kept: some of them do the same.
        rows = self.pool.parents(per_task=2 * self.options.per_task)
        of_tasks = [row for row in rows if row.task in places]
        offered = self._offer_each(
            [(places[row.task], program) for row, program in self.pool.readable(of_tasks)]
        )
        self._store(offered.taken)
        return len(offered.taken)

    def wait_for_processes(self) -> None:
        """Have the processes that deal started now, and wait until they are ready."""
        self._dealer.wait()

    @property
    def n_dealing(self) -> int:
        """How many processes deal beside this one."""
        return self._dealer.n_ready

    def close(self) -> None:
        """End the threads that the engine is called from, and the processes that deal.

        Cards that the engine still runs are lost, and the one that was ordered. All that was met is
        marked in the pool.
        """
        self._dealer.close()
        self._engine.shutdown(cancel_futures=True)
        self._write(is_last=True)

    def _deal(self) -> DealtCard:
        """Return the next card: that which was ordered, or else one of what is kept now."""
        order = self._ordered or self._order_card()
        self._ordered = None
        with phase("deal"):
            return assemble(order, self._dealer.collect(), self._met)

    @phase("deal")
    def _order_card(self) -> Order:
        """Order mutants of what is kept now."""
        self._n_dealt += 1
        card = Card(self.rng.getrandbits(63), self.options.card_size, self._n_dealt)
        draws = self.archive.draw(DRAWS_A_PROGRAM * card.size, random.Random(card.seed))
        order = Order(
            card,
            draws,
            self._choose_donors(),
            self._following,
            self.rates.copy(),
            self.options.max_calls,
            divide(card, draws),
        )
        self._dealer.order(order, self._met.filter, self._met.take_news())
        return order

    def _start(self, dealt: DealtCard) -> _Running:
        """Have the engine run a card, in a thread of its own."""
        return dealt, self._engine.submit(copy_context().run, self._screen_timed, dealt)

    def _screen_timed(self, dealt: DealtCard) -> TaskResult:
        line = self._idle_lines.pop()
        try:
            with timeline(line), self._busy:
                # Where a GPU runs a card, the cores are for those who deal.
                return self.board.screen(dealt.batt, held_out=True, skip_dear=True, may_share=False)
        finally:
            self._idle_lines.append(line)

    def _choose_donors(self) -> Donors:
        """The programs that are kept; their index takes long to make, so not those of right now.

        New ones are chosen one order before they are used.
        """
        turn = self._n_dealt % DONORS_EVERY
        if self._donors is None:
            self._donors = Donors(self.archive.programs())
        elif turn == 0 and self._following is not None:
            self._donors = self._following
        self._following = Donors(self.archive.programs()) if turn == DONORS_EVERY - 1 else None
        return self._donors

    # --- scores ---

    def _score(self, dealt: DealtCard, result: TaskResult) -> _Offered:
        programs = dealt.batt.programs
        # Of mutants that give the same on the first demos of all tasks, the cheapest counts.
        kept = cheapest_by_behaviour(programs, result.reasons, result.hashes, result.steps)
        is_distinct = np.zeros(len(programs), np.bool_)
        is_distinct[kept] = True
        # np.nonzero would take twenty times as long.
        p, t = np.divmod(np.flatnonzero(result.n_matches.ravel() != 0), len(self.board))
        wanted = is_distinct[p] & self._has_use_for(result, p, t)
        pairs = set(zip(p[wanted].tolist(), t[wanted].tolist(), strict=True))
        if self.options.use_differs:
            meant_for = np.array([-1 if task is None else task for task in dealt.tasks], np.intp)
            p = np.flatnonzero((meant_for >= 0) & is_distinct)
            p = p[result.reasons[p, meant_for[p]] == 0]
            pairs.update(zip(p.tolist(), meant_for[p].tolist(), strict=True))
        offered = self._offer_pairs(programs, result, sorted(pairs))
        ran_somewhere = (result.reasons == 0).any(axis=1)
        improved, fitted = np.zeros((2, len(programs)), np.bool_)
        improved[[change.place for change in offered.taken if change.verdict == "improved"]] = True
        fitted[[change.place for change in offered.taken if change.verdict == "fits"]] = True
        self.rates.record(dealt.kinds, ran=ran_somewhere, improved=improved, fitted=fitted)
        return offered

    def _has_use_for(
        self, result: TaskResult, p: NDArray[np.intp], t: NDArray[np.intp]
    ) -> NDArray[np.bool_]:
        """Return of places of programs and tasks: false where a task has a solver no dearer."""
        solvers = [niche.solver for niche in self.archive.niches]
        limits = np.array([-1 if s is None else s.steps for s in solvers], np.int64)[t]
        are_solvers = result.n_matches[p, t] == result.n_demos[t]
        useful: NDArray[np.bool_] = (limits < 0) | (are_solvers & (result.steps[p, t] < limits))
        return useful

    def _offer_pairs(
        self, programs: Sequence[Program], result: TaskResult, pairs: Sequence[tuple[int, int]]
    ) -> _Offered:
        offered = _Offered()
        for (p, t), worth in self.crediting.worths(programs, pairs, result, self.archive):
            steps = int(result.steps[p, t])
            # The program of a mutant takes time to make, and few are taken.
            if self.archive.refuses(t, steps, worth):
                offered.n_refused += 1
            elif worth.credit < FULL_CREDIT or self._fits_with_all_demos(programs[p], t):
                entry = Entry(programs[p], steps, worth)
                verdict = self.archive.offer(t, entry)
                offered.note(_Change(p, entry, t, int(result.n_matches[p, t]), verdict))
        return offered

    # --- what is kept ---

    def _validate(
        self, dealt: DealtCard, result: TaskResult, taken: Sequence[_Change]
    ) -> list[_Change]:
        """Have each program that the archive has taken run again alone, on the task it is for.

        Those that do not give what they gave in the batt leave the archive; the others' changes
        are returned.
        """
        by_task: dict[int, list[_Change]] = {}
        for change in taken:
            by_task.setdefault(change.task, []).append(change)
        right: list[_Change] = []
        card = asdict(dealt.card)
        for t, members in by_task.items():
            chosen = [change.place for change in members]
            origin = {"card": card, "task": self.board.tasks[t].id}
            verdicts = self.validator.validate(dealt.batt.programs, chosen, result, t, origin)
            for change, is_right in zip(members, verdicts, strict=True):
                if is_right:
                    right.append(change)
                else:
                    self.archive.withdraw(t, change.entry)
        return right

    def _fits_with_all_demos(self, program: Program, task: int) -> bool:
        """Whether a solver that looks at the demos is one too when it sees all of them."""
        if "S" not in program.inputs:
            return True
        with phase("validate"):
            whole = self.board.screen_alone(program, task, held_out=False)
        return bool(whole.solved[0, 0])

    def _found(self, dealt: DealtCard, taken: Sequence[_Change]) -> Iterator[Found]:
        for change in taken:
            if change.verdict == "fits":
                task = self.board.tasks[change.task]
                yield Found(task, change.entry.program, dealt.kinds[change.place])

    @phase("store")
    def _store(
        self,
        taken: Sequence[_Change],
        dealt: DealtCard | None = None,
        *,
        origins: Mapping[Program, str] | None = None,
    ) -> None:
        """Put what the archive has taken into the pool; all that is new will be marked as seen.

        That is a card, or programs with where they come from; without, the pool has them.
        """
        if dealt is None:
            self._unmarked += [program.result.digest for program in origins or {}]
        else:
            self._unmarked += dealt.digests
        if taken:
            self._unstored.append(self._to_rows(taken, dealt, origins or {}))
        self._write(is_last=False)

    def _to_rows(
        self,
        taken: Sequence[_Change],
        dealt: DealtCard | None,
        origins: Mapping[Program, str],
    ) -> _Rows:
        known = self.pool.contains({change.entry.program.result.digest for change in taken})
        programs: list[NewProgram] = []
        places = {change.entry.program: change.place for change in taken}
        for program, place in places.items():
            parents: tuple[bytes, ...] = ()
            if dealt is None:
                origin = origins.get(program)
            else:
                origin = dealt.kinds[place]
                parents = tuple(parent.result.digest for parent in dealt.made_from(place))
            if origin is None or program.result.digest in known:
                continue
            try:
                programs.append(NewProgram.of(program, origin, parents=parents))
            except ProgramError:
                continue  # too large to be written down
        trials = [
            NewTrial.of(
                change.entry.program.result.digest,
                self.board.tasks[change.task],
                change.n_fitted,
                credit=change.entry.credit,
                steps=change.entry.steps,
                proposer="evolve",
            )
            for change in taken
        ]
        return _Rows(None if dealt is None else dealt.card, programs, trials)

    @phase("store")
    def _write(self, *, is_last: bool) -> None:
        """Write to the pool what waits for that; what was met in large parts, and at the end.

        On a full disk it waits for the next card, and evolution goes on. Whoever saves the run in
        the same pool says what is wrong.
        """
        with suppress(PoolError):
            while self._unstored:
                self._unstored[0].write(self.pool)
                self._unstored.popleft()
            if self._unmarked and (is_last or len(self._unmarked) >= MARK_AT_ONCE):
                # In the order in which the pool has them.
                self.pool.mark_seen(sorted(self._unmarked))
                self._unmarked.clear()


_Running = tuple[DealtCard, "Future[TaskResult]"]
