"""Proposes outputs put together from enumerated values: stacks of pieces, pass after pass."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from math import log2
from queue import SimpleQueue
from time import perf_counter, thread_time
from typing import Any

from arcbatt.engine._enumerate import StopFlag
from arcbatt.engine.batt import Batt
from arcbatt.evaluation import Trial
from arcbatt.language import Program
from arcbatt.measure import phase, timeline
from arcbatt.plurals import count
from arcbatt.tasks import Grid, Task

from ..proposer import BITS_BY_HEART, Context, Offer, Proposal, smallest, unsure
from .known_values import MAX_RUN, known_values
from .passes import Pass, all_passes
from .stacks import (
    Enumerated,
    EnumerateOptions,
    Stack,
    is_given,
    vocabulary,
)
from .views import NoView
from .walks import KeptWalks, WalkKey

# Of what one pass finds for a task, so many different outputs are proposed, and for each of them
# so many programs.
MAX_OUTPUTS = 12
MAX_OF_OUTPUT = 2
# What counts against a stack (see `ranking`), as on training: each bit that it takes on average to
# say of which piece a cell is, so that a piece which mends a few cells counts little; and a piece
# that begins with what a known program gave, which is one of so many. How many moves make a piece
# tells nothing more.
BITS_A_BIT = 1.7
BITS_A_KNOWN = 2.6
_LOGGED = ("n_applications", "n_values", "n_tuples", "n_pieces", "n_stacks", "n_bytes", "was_cut")


@dataclass
class PassCount:
    """What the searches of one pass came to."""

    n_tasks: int = 0
    n_without_size: int = 0
    n_known: int = 0  # values of known programs that were searched from
    n_applications: int = 0
    n_values: int = 0
    n_pieces: int = 0
    n_stacks: int = 0
    cpu_s: float = 0.0
    walk_s: float = 0.0  # in the moves themselves, hashing and removing duplicates included
    n_bytes: int = 0  # the most of one task
    n_cut: int = 0  # searches that ended at a bound

    @classmethod
    def of(cls, found: Enumerated, cpu_s: float) -> PassCount:
        counts = found.counts
        return cls(
            n_tasks=1,
            n_without_size=int(found.size is None),
            n_known=len(found.view.sources),
            n_applications=counts["n_applications"],
            n_values=counts["n_values"],
            n_pieces=counts["n_pieces"],
            n_stacks=counts["n_stacks"],
            cpu_s=cpu_s,
            walk_s=counts["size_s"] + counts["walk_s"],
            n_bytes=counts["n_bytes"],
            n_cut=int(counts["was_cut"]),
        )

    def add(self, counts: Mapping[str, Any]) -> None:
        """Add what one task came to, as it is noted in the ledger."""
        for name, value in vars(self).items():
            more = counts.get(name, 0)
            setattr(self, name, max(value, more) if name == "n_bytes" else value + more)


@dataclass(frozen=True)
class _Found:
    """What one search of one task gave."""

    task: Task
    judged: Sequence[tuple[Proposal, Trial]]
    enumerated: Enumerated | None
    cpu_s: float
    trace: list[str] = field(default_factory=list)


class EnumeratedStacks:
    """Searches tasks pass by pass, several at a time."""

    name = "enumerate"
    trust = 1.0

    def __init__(
        self,
        options: EnumerateOptions | None = None,
        passes: Sequence[Pass] | None = None,
        *,
        use_known: bool = True,
    ) -> None:
        """`use_known`: the plain view is searched from what known programs give, too."""
        self._options = options or EnumerateOptions()
        self._passes = tuple(all_passes() if passes is None else passes)
        self._use_known = use_known
        self._known_batt: Batt | None = None
        self._walks = KeptWalks()
        self._context: Context | None = None
        # By pass, what the end of the time has cut off: the ledger has all else.
        self._cut_off: list[tuple[str, Mapping[str, Any]]] = []

    def next_offer(self, context: Context) -> Offer | None:
        self._context = context
        left, _ = unsure(context.board.tasks, context)
        self._walks.keep_only({task.id for task in left})  # others are left alone
        for each in self._passes:
            done = context.done(each.name)
            tasks, n_wrong = unsure(
                (
                    task
                    for task in left
                    if task.id not in done
                    and not each.is_needless(lambda item, id=task.id: context.done(item).get(id))  # type: ignore[misc]
                ),
                context,
            )
            if tasks:
                return Offer(each.name, tasks, each.gain * n_wrong, each.cost_s * len(tasks))
        return None

    def work(self, offer: Offer, context: Context) -> None:
        (this,) = (each for each in self._passes if each.name == offer.item)
        context.say(f"{this.name}: {count(len(offer.tasks), 'task')}, {this.depth} moves deep")
        searching = _Searching(this, self._options, context, self._known(context), self._walks)
        # Small tasks first: most is found in little time.
        tasks = sorted(offer.tasks, key=lambda task: task.n_cells)
        # Closed whatever happens, so that no thread goes on after an interrupt.
        with closing(searching.run(tasks)) as all_found:
            for found, wall_s in all_found:
                self._take(this, found, wall_s, context)

    def _known(self, context: Context) -> Batt:
        if self._known_batt is None:
            with phase("fuse"):
                known = smallest(context.known, MAX_RUN) if self._use_known else []
                self._known_batt = Batt(known)
        return self._known_batt

    def _take(self, this: Pass, found: _Found, wall_s: float, context: Context) -> None:
        for proposal, trial in found.judged:
            context.keep(proposal, trial)
        for line in found.trace:
            context.trace(found.task, line)
        context.spend(found.task, wall_s / context.n_threads)
        enumerated = found.enumerated
        counts = {} if enumerated is None else enumerated.counts
        was_cut = bool(counts.get("was_cut"))
        noted: dict[str, Any] = {"was_cut": was_cut}
        if enumerated is not None:
            noted |= vars(PassCount.of(enumerated, found.cpu_s))
        # What the end of the time cut off is searched again by a run that resumes this one.
        if was_cut and context.allowance.is_spent:
            self._cut_off.append((this.name, noted))
        else:
            context.note_done(this.name, found.task, noted)
        context.log(
            {
                "wall_s": wall_s,
                "engine_s": sum(
                    counts.get(part, 0.0) for part in ("size_s", "walk_s", "pieces_s", "cover_s")
                ),
                "task": found.task.id,
                "cpu_s": found.cpu_s,
                **{name: counts.get(name, 0) for name in _LOGGED},
            }
        )

    def finish(self, context: Context) -> None:
        pass

    def counts(self) -> Mapping[str, Mapping[str, Any]]:
        found: dict[str, PassCount] = {}
        for name, noted in [*self._noted(), *self._cut_off]:
            found.setdefault(name, PassCount()).add(noted)
        return {name: dict(vars(count)) for name, count in found.items()}

    def _noted(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """What searches came to by the ledger, with the names of their passes."""
        if self._context is None:
            return
        for each in self._passes:
            for noted in self._context.done(each.name).values():
                if "n_tasks" in noted:
                    yield each.name, noted


class _Searching:
    """One pass over some tasks, in threads of which each is a timeline of its own."""

    def __init__(
        self,
        this: Pass,
        options: EnumerateOptions,
        context: Context,
        known: Batt,
        walks: KeptWalks,
    ) -> None:
        self._pass = this
        self._context = context
        self._known = known
        self._walks = walks
        self._stop = StopFlag()
        self._numbers: SimpleQueue[int] = SimpleQueue()
        self._options = replace(
            options,
            depth=this.depth,
            size_guess=this.size_guess,
            by_open=this.by_open,
            max_applications=this.max_applications,
        )
        for number in range(1, context.n_threads + 1):
            self._numbers.put(number)

    def run(self, tasks: Sequence[Task]) -> Generator[tuple[_Found, float], None, None]:
        """Yield what was found for each task, and the seconds that it took, while there is time."""
        queue = iter(tasks)
        running: dict[Future[_Found], float] = {}
        with ThreadPoolExecutor(self._context.n_threads) as threads:
            try:
                self._feed(threads, running, queue)
                while running:
                    with phase("run"):
                        ended, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in ended:
                        began_s = running.pop(future)
                        yield future.result(), perf_counter() - began_s
                    self._feed(threads, running, queue)
            except BaseException:
                # An interrupt, too: whoever leaves the pool waits for its threads.
                self._stop.set()
                raise

    def _feed(
        self,
        threads: ThreadPoolExecutor,
        running: dict[Future[_Found], float],
        queue: Iterator[Task],
    ) -> None:
        """Keep all threads busy while there is time."""
        while len(running) < self._context.n_threads:
            left_s = self._context.allowance.left_s
            task = next(queue, None) if left_s > 0 else None
            if task is None:
                return
            run = copy_context().run
            future = threads.submit(run, self._search, task, left_s, self._context.traces(task))
            running[future] = perf_counter()

    def _search(self, task: Task, max_s: float, traces: bool) -> _Found:
        """One search, in a thread of its own."""
        number = self._numbers.get()
        try:
            with timeline(f"enumerate {number}"):
                return self._search_timed(task, max_s, traces)
        finally:
            self._numbers.put(number)

    def _search_timed(self, task: Task, max_s: float, traces: bool) -> _Found:
        began_s = thread_time()
        context = self._context
        try:
            view = self._pass.view(task)
            if view.name == "plain":
                known = known_values(context.board, task, self._known)
                view = replace(view, sources=[*view.sources, *known])
            this = self._pass
            key = WalkKey(task.id, this.view, this.depth, this.size_guess, this.by_open)
            walk = self._walks.take(key, view)
            with phase("run"):
                found = walk.search(replace(self._options, max_s=max_s), self._stop)
            self._walks.keep(key, walk)
        except NoView:
            return _Found(task, [], None, thread_time() - began_s)
        with phase("score"):
            proposals = list(_propose(task, found))
        trials = context.judge(proposals, n_threads=1)
        trace = _trace(self._pass, found) if traces else []
        judged = list(zip(proposals, trials, strict=True))
        return _Found(task, judged, found, thread_time() - began_s, trace)


def _propose(task: Task, found: Enumerated) -> Iterator[Proposal]:
    """The programs of the stacks that are proposed, each once."""
    met: set[Program] = set()
    for number, stack in enumerate(_choose(found.stacks)):
        program = found.program(stack, f"found_{number}")
        if program not in met:
            met.add(program)
            bits = found.view.bits + bits_of(stack, len(task.demos))
            yield Proposal(program, task, _family(found, stack), bits)


def bits_of(stack: Stack, n_demos: int) -> float:
    """Return how much choice went into a stack, in bits."""
    n_cells = sum(pick.n_cells for pick in stack.picks)
    parts = [pick.n_cells / n_cells for pick in stack.picks if pick.n_cells]
    of_which = sum(-part * log2(part) for part in parts)
    n_known = sum(is_given(pick, n_demos) for pick in stack.picks)
    by_heart = 0.0 if stack.n_unseen else BITS_BY_HEART
    return BITS_A_BIT * of_which + BITS_A_KNOWN * n_known + by_heart


def _choose(stacks: Sequence[Stack]) -> list[Stack]:
    """The stacks that are proposed: the best of each output, the best outputs."""
    by_output: dict[tuple[Grid | None, ...], list[Stack]] = {}
    for stack in stacks:
        known = by_output.setdefault(stack.outputs, [])
        if len(known) < MAX_OF_OUTPUT:
            known.append(stack)
    chosen = list(by_output.values())[:MAX_OUTPUTS]
    return [stack for same in chosen for stack in same]


def _family(found: Enumerated, stack: Stack) -> str:
    """Stacks of one kind of view that begin alike are kin."""
    path = stack.picks[0].path
    last = vocabulary()[path[-1]].primitive if len(path) > 1 else "source"
    return f"{found.view.kind} {last}"


def _trace(this: Pass, found: Enumerated) -> list[str]:
    counts = found.counts
    ends = ", cut off" if counts["was_cut"] else ""
    if counts["was_narrowed"]:
        ends = f", of deep tuples only the most promising taken further{ends}"
    lines = [
        f"{this.name}: {counts['n_applications']:,} moves applied, {counts['n_values']:,} values "
        f"(by depth {counts['values_by_depth']}), {counts['n_tuples']:,} tuples "
        f"(by depth {counts['tuples_by_depth']}), {counts['n_merged']:,} merged, "
        f"{counts['n_refused']:,} refused{ends}",
        f"{this.name}: {counts['n_pieces']:,} pieces of {counts['n_pieces_offered']:,}, "
        f"{counts['n_scanned']:,} looked at, {counts['n_stacks']:,} stacks; "
        f"sizes {counts['size_s']:.3f} s, values {counts['walk_s']:.3f} s, "
        f"pieces {counts['pieces_s']:.3f} s, cover {counts['cover_s']:.3f} s",
    ]
    if found.size is None:
        return [*lines, f"{this.name}: no formula gives the size of any output"]
    n_matched, rows, columns = found.size
    lines.append(f"{this.name}: size fits {n_matched} outputs: rows {rows}, columns {columns}")
    for stack in found.stacks[:5]:
        parts = []
        for pick in stack.picks:
            names = [str(vocabulary()[number]) for number in pick.path[1:]]
            parts.append(f"source {pick.path[0]} {' '.join(names)} (mode {pick.mode})")
        lines.append(f"{this.name}: {stack.n_right} demos right: {' | '.join(parts)}")
    return lines
