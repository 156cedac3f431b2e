"""The loop: deal, fuse, run, score, slice, validate, keep, again, until the budget is spent.

A generation is one card: parents drawn from the archive (selection.py), mutated, each mutant new to
the pool. Fused into one batt they are run on the demos of all tasks in stages, each demo held out
(held_out.py): a program that looks outputs up in `S` solves nothing. Then the differs
judge those mutants that solve no task: on the task that the parent was drawn for, where the mutant
behaves like none that the task has kept, and on tasks of which it matches some demos. What solves a
task, or is nearly right on one, is offered to the archive; what the archive takes is run again
alone and goes to the pool.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import asdict, dataclass, field
from itertools import islice
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine.batt import Batt
from arcbatt.engine.staged import TaskResult, TaskSamples, run_on_tasks
from arcbatt.language import Budget, Program, ProgramError
from arcbatt.measure import BusyTime, count, phase, timeline
from arcbatt.pool import Card, NewProgram, NewTrial, Pool
from arcbatt.tasks import Task

from .cards import new_mutants
from .crediting import Crediting
from .duplicates import group_by_behaviour
from .held_out import HeldOutSamples
from .mutation import Donors, Mutant, Mutator, Rates
from .selection import DEFAULT_PER_TASK, FULL_CREDIT, Archive, Candidate, Offer
from .validating import Outcomes, StagedTask, Validator

# A mutant on one demo may take so much; few solvers need more, and many mutants would.
MUTANT_BUDGET = Budget(steps=100_000, bytes=2**23)
# Seeds are judged by all differs on all tasks, which takes long: so many of them at most.
MAX_JUDGED_SEEDS = 200
DEFAULT_CARD_SIZE = 800
# So many draws for each program of a card; then it stays smaller.
DRAWS_A_PROGRAM = 3
# Generations, for what need not be done in each.
DONORS_EVERY = 10
EVICT_EVERY = 50


@dataclass(frozen=True, slots=True)
class EvolveOptions:
    """What a run is asked to do; with the pool's content and the tasks it determines the run.

    Without differs no program is kept for being nearly right unless it matches some demos.
    """

    seed: int = 0
    card_size: int = DEFAULT_CARD_SIZE
    per_task: int = DEFAULT_PER_TASK
    max_calls: int = 40
    use_differs: bool = True
    device: str = "auto"
    n_threads: int | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Found:
    """A program that solves a task that had no solver before."""

    task: Task
    program: Program
    kind: str
    steps: int


@dataclass(frozen=True, slots=True)
class Generation:
    """What one card brought.

    `engine_s` is the part of `wall_s` in which the engine ran cards, this one or the next.
    """

    number: int
    n_mutants: int
    n_pairs: int  # of a new program and a task
    n_calls: int  # of the batt
    n_offers: dict[Offer, int]
    found: tuple[Found, ...]
    ran_on: dict[str, int]
    engine_s: float
    wall_s: float


@dataclass(frozen=True, slots=True)
class _Hand:
    """A card dealt: mutants, the task that each is meant for, and their batt."""

    card: Card
    mutants: list[Mutant]
    tasks: list[int | None]
    batt: Batt


@dataclass
class Evolution:
    """A run over some tasks with a pool, which it fills."""

    samples: TaskSamples
    pool: Pool
    options: EvolveOptions
    validator: Validator
    rates: Rates = field(default_factory=lambda: Rates(Mutator.kinds))
    generation: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(self.options.seed)
        self.archive = Archive(len(self.samples), self.options.per_task)
        self.crediting = Crediting(self._run, use_differs=self.options.use_differs)
        self._held_out = HeldOutSamples(self.samples.tasks)
        self._engine = ThreadPoolExecutor(1, "engine")
        self._busy = BusyTime()
        self._running: _Running | None = None
        self._donors: Donors | None = None
        self._n_dealt = self.generation
        self._seen: set[bytes] = set()
        self._known: set[bytes] = set()  # programs that the pool has
        self._alone: dict[int, StagedTask] = {}

    # --- the beginning ---

    def begin(self, report: Callable[[str], None] = lambda _message: None) -> None:
        """Takes the pool's programs."""
        with phase("load"):
            seeds = list(self.pool.solvers())
            self._seen.update(program.result.digest for program in seeds)
            self._known.update(self._seen)
        report(f"{len(seeds)} programs on {len(self.samples)} tasks")
        if not seeds:
            return
        result = self._run(Batt(seeds))
        scored = [(p, t) for p, t in np.argwhere(result.n_matches > 0).tolist()]
        with phase("score"):
            changes = self._offer_pairs(seeds, result, scored)
        with phase("store"):
            self._store([], changes, None)
        if self.options.use_differs:
            report("how near the programs come to the tasks they do not solve")
            nearest = self.crediting.nearest(self._seeds_to_judge(seeds), self.archive)
            with phase("score"):
                changes = [(c, t, 0, self.archive.offer(t, c)) for t, c in nearest]
            with phase("store"):
                self._store([], changes, None)

    def take(self, programs: Sequence[tuple[int, Program, str]]) -> int:
        """Offer programs that others have found, each to its task; return how many it has kept.

        Each comes with the place of its task and what is noted as its origin. They are judged as
        mutants are, and none is dealt again.
        """
        programs = [each for each in programs if 0 < each[1].n_calls <= self.options.max_calls]
        if not programs:
            return 0
        # One place for each pair: the same program may be meant for several tasks.
        tasks = np.array([task for task, _, _ in programs], np.int32)
        chosen = [program for _, program, _ in programs]
        self._seen.update(program.result.digest for program in chosen)
        result = self._run(Batt(chosen), tasks)
        ran = result.reasons[np.arange(len(tasks)), tasks] == 0
        pairs = [(p, int(tasks[p])) for p in np.flatnonzero(ran).tolist()]
        with phase("score"):
            changes = self._offer_pairs(chosen, result, pairs)
        with phase("store"):
            self._store([], changes, None, {program: origin for _, program, origin in programs})
        return sum(offer != "refused" for _, _, _, offer in changes)

    def _seeds_to_judge(self, seeds: Sequence[Program]) -> list[Program]:
        """Solvers first, then any: those that may be nearly right on other tasks."""
        solvers = self.archive.solvers()
        rest = [program for program in seeds if program not in set(solvers)]
        self.rng.shuffle(rest)
        return [*solvers, *rest][:MAX_JUDGED_SEEDS]

    # --- a generation ---

    def step(self) -> Generation:
        """One card, from dealing to storing.

        The engine is kept busy: while it runs a card the next one is dealt, and while that runs
        the first is scored. So a card is dealt from what was known two cards before.
        """
        start, busy_s = perf_counter(), self._busy.seconds
        hand, running = self._running or self._start(self._deal_and_fuse())
        following = self._deal_and_fuse()
        with phase("run"):
            result = running.result()
        self._running = self._start(following)
        self.generation += 1
        with phase("score"):
            changes = self._score(hand.mutants, hand.tasks, result)
        taken = self._validate(hand, result, changes)
        with phase("store"):
            self._store(hand.mutants, taken, hand.card)
            if self.generation % EVICT_EVERY == 0:
                self.pool.evict(self.options.per_task)
        n_pairs = len(hand.mutants) * len(self.samples)
        count("pairs", n_pairs)
        return Generation(
            number=self.generation,
            n_mutants=len(hand.mutants),
            n_pairs=n_pairs,
            n_calls=hand.batt.n_calls,
            n_offers=dict(Counter(offer for _, _, _, offer in changes)),
            found=tuple(self._found(hand, taken)),
            ran_on=dict(result.ran_on),
            engine_s=self._busy.seconds - busy_s,
            wall_s=perf_counter() - start,
        )

    def go_on_from(self, generation: int, rates: Rates) -> None:
        """Takes up where an earlier run ended; the pool has what it found."""
        self.generation = self._n_dealt = generation
        self.rates = rates

    def close(self) -> None:
        """Ends the thread that the engine is called from; a card that it still runs is lost."""
        self._engine.shutdown()

    def _deal_and_fuse(self) -> _Hand:
        self._n_dealt += 1
        card = Card(self.rng.getrandbits(63), self.options.card_size, self._n_dealt)
        with phase("deal"):
            mutants, tasks = self._deal(random.Random(card.seed))
        with phase("fuse"):
            return _Hand(card, mutants, tasks, Batt([mutant.program for mutant in mutants]))

    def _start(self, hand: _Hand) -> _Running:
        """Has the engine run a card, in its own thread."""
        return hand, self._engine.submit(copy_context().run, self._run_timed, hand.batt)

    def _run_timed(self, batt: Batt) -> TaskResult:
        with timeline("engine"), phase("run"), self._busy:
            return self._run_batt(batt, None)

    def _deal(self, rng: random.Random) -> tuple[list[Mutant], list[int | None]]:
        """Mutants that were never seen, and the task that each is meant for."""
        mutator = Mutator(
            self._current_donors(), rng, max_calls=self.options.max_calls, rates=self.rates
        )
        size = self.options.card_size
        parents = self.archive.draw(DRAWS_A_PROGRAM * size, rng)
        draws = ((parent.program, parent.task) for parent in parents)
        dealt = list(islice(new_mutants(mutator, draws, self._seen), size))
        mutants, tasks = [mutant for mutant, _ in dealt], [task for _, task in dealt]
        # What another process, or an earlier run, has tried with this pool.
        known = self.pool.seen([mutant.program.result.digest for mutant in mutants])
        if known:
            fresh = [k for k, m in enumerate(mutants) if m.program.result.digest not in known]
            mutants, tasks = [mutants[k] for k in fresh], [tasks[k] for k in fresh]
        return mutants, tasks

    def _current_donors(self) -> Donors:
        """The programs that are kept; their index takes long to make, so not those of right now."""
        if self._donors is None or self._n_dealt % DONORS_EVERY == 0:
            self._donors = Donors(self.archive.programs())
        return self._donors

    def _run(self, batt: Batt, only: NDArray[np.int32] | None = None) -> TaskResult:
        with phase("run"):
            return self._run_batt(batt, only)

    def _run_batt(self, batt: Batt, only: NDArray[np.int32] | None) -> TaskResult:
        return run_on_tasks(
            batt,
            self._held_out,
            MUTANT_BUDGET,
            only=only,
            device=self.options.device,
            n_threads=self.options.n_threads,
        )

    # --- scores ---

    def _score(
        self, mutants: Sequence[Mutant], tasks: Sequence[int | None], result: TaskResult
    ) -> list[_Change]:
        programs = [mutant.program for mutant in mutants]
        # Of mutants that give the same on the first demos of all tasks, the cheapest counts.
        groups = group_by_behaviour(programs, result.reasons, result.hashes, result.steps)
        distinct = np.zeros((len(programs), 1), np.bool_)
        distinct[[group.kept for group in groups]] = True
        wanted = (result.n_matches > 0) & self._has_use_for(result) & distinct
        pairs = {(p, t) for p, t in np.argwhere(wanted).tolist()}
        if self.options.use_differs:
            ran = (result.reasons == 0) & distinct
            pairs |= {(k, t) for k, t in enumerate(tasks) if t is not None and ran[k, t]}
        changes = self._offer_pairs(programs, result, sorted(pairs))
        offers_of: dict[Program, set[Offer]] = {}
        for candidate, _, _, offer in changes:
            offers_of.setdefault(candidate.program, set()).add(offer)
        ran_somewhere = (result.reasons == 0).any(axis=1)
        for k, mutant in enumerate(mutants):
            offers = offers_of.get(mutant.program, set())
            self.rates.record(
                mutant.kind,
                ran=bool(ran_somewhere[k]),
                improved="improved" in offers,
                solved="solved" in offers,
            )
        return changes

    def _has_use_for(self, result: TaskResult) -> NDArray[np.bool_]:
        """[program, task]: false where the task has a solver that is no dearer."""
        solvers = [niche.solver for niche in self.archive.niches]
        limits = np.array([-1 if s is None else s.steps for s in solvers], np.int64)
        useful: NDArray[np.bool_] = (limits < 0) | (result.solved & (result.steps < limits))
        return useful

    def _offer_pairs(
        self, programs: Sequence[Program], result: TaskResult, pairs: Sequence[tuple[int, int]]
    ) -> list[_Change]:
        changes: list[_Change] = []
        candidates = self.crediting.candidates(programs, pairs, result, self.archive)
        for (p, t), candidate in candidates:
            is_solver = candidate.credit == FULL_CREDIT
            if is_solver and not self._holds_with_all_demos(candidate.program, t):
                continue
            offer = self.archive.offer(t, candidate)
            changes.append((candidate, t, int(result.n_matches[p, t]), offer))
        return changes

    # --- what is kept ---

    def _validate(
        self, hand: _Hand, result: TaskResult, changes: Sequence[_Change]
    ) -> list[_Change]:
        """Each program that the archive has taken is run again alone, on the task it is for.

        Those that do not give what they gave in the batt leave the archive; the others' changes
        are returned.
        """
        places = {program: k for k, program in enumerate(hand.batt.programs)}
        by_task: dict[int, list[_Change]] = {}
        for change in changes:
            if change[3] != "refused":
                by_task.setdefault(change[1], []).append(change)
        taken: list[_Change] = []
        for t, members in by_task.items():
            chosen = [places[candidate.program] for candidate, _, _, _ in members]
            with phase("validate"):
                verdicts = self.validator.validate(
                    hand.batt.programs,
                    chosen,
                    Outcomes.of_task(result, t, chosen),
                    self._task_alone(t),
                    {"card": asdict(hand.card), "task": self.samples.tasks[t].id},
                )
            for change, is_right in zip(members, verdicts, strict=True):
                if is_right:
                    taken.append(change)
                else:
                    self.archive.withdraw(t, change[0])
        return taken

    def _task_alone(self, task: int) -> StagedTask:
        found = self._alone.get(task)
        if found is None:
            found = StagedTask(HeldOutSamples([self.samples.tasks[task]]))
            self._alone[task] = found
        return found

    def _holds_with_all_demos(self, program: Program, task: int) -> bool:
        """Whether a solver that looks at the demos is one too when it sees all of them."""
        if "S" not in program.inputs:
            return True
        with phase("validate"):
            batt = Batt([program])
            whole = run_on_tasks(batt, self.samples, MUTANT_BUDGET, only=[task], device="cpu")
        return bool(whole.solved[0, task])

    def _found(self, hand: _Hand, taken: Sequence[_Change]) -> Iterator[Found]:
        kinds = {mutant.program: mutant.kind for mutant in hand.mutants}
        for candidate, t, _, offer in taken:
            if offer == "solved":
                program = candidate.program
                yield Found(self.samples.tasks[t], program, kinds[program], candidate.steps)

    def _store(
        self,
        mutants: Sequence[Mutant],
        changes: Sequence[_Change],
        card: Card | None,
        origins: Mapping[Program, str] | None = None,
    ) -> None:
        """What the archive has taken goes to the pool; all mutants are marked as seen.

        `origins` has programs that are new to the pool and no mutants, with where they come from.
        """
        taken = [change for change in changes if change[3] != "refused"]
        with self.pool.writing():
            self.pool.mark_seen([mutant.program.result.digest for mutant in mutants])
            if not taken:
                return
            made_by = {mutant.program: mutant for mutant in mutants}
            new = {c.program: made_by.get(c.program) for c, _, _, _ in taken}
            card_id = self.pool.add_card(card) if card is not None else None
            rows = []
            for program, mutant in new.items():
                origin = (origins or {}).get(program) if mutant is None else mutant.kind
                if origin is None or program.result.digest in self._known:
                    continue
                made_from = () if mutant is None else mutant.parents
                parents = tuple(p.result.digest for p in made_from)
                try:
                    rows.append(NewProgram.of(program, origin, card=card_id, parents=parents))
                except ProgramError:
                    continue  # too large to be written down
                self._known.add(program.result.digest)
            self.pool.add_programs(rows)
            self.pool.record_trials(
                [
                    NewTrial.of(
                        candidate.program.result.digest,
                        self.samples.tasks[t],
                        n_matched,
                        credit=candidate.credit,
                        steps=candidate.steps,
                    )
                    for candidate, t, n_matched, _ in taken
                    if candidate.program.result.digest in self._known
                ],
                only_better=True,
            )


_Running = tuple[_Hand, "Future[TaskResult]"]
# A candidate, its task, the demos it matches, and what the archive said.
_Change = tuple[Candidate, int, int, Offer]


def _named(program: Program, name: str) -> Program:
    return Program(program.result, name)
