"""Propose stacks of pieces that are assembled from enumerated values, and trees over them."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from math import log2
from queue import SimpleQueue
from time import perf_counter, thread_time
from typing import Any, ClassVar

from arcbatt.engine._enumerate import StopFlag
from arcbatt.engine.batt import Batt
from arcbatt.evaluation import TaskBoard, Trial
from arcbatt.language import Program
from arcbatt.measure import phase, timeline
from arcbatt.plurals import count
from arcbatt.proposers.near_values import near_values
from arcbatt.proposers.views import NoView, Source
from arcbatt.tasks import Grid, Task

from ..proposer import MEMORIZED_BITS, Context, Offer, Proposal, smallest_programs, uncertain_tasks
from .moves import vocabulary
from .options import SWITCHES, EnumerateOptions
from .passes import Pass, all_passes
from .search import SearchResult
from .search_cache import SearchCache, SearchKey
from .stack import Stack
from .tree import PieceTree

# Per task and pass, this many different outputs are proposed, each with this many programs.
MAX_OUTPUTS = 12
MAX_PROGRAMS_PER_OUTPUT = 2
# Values of known programs as sources: the shortest programs are run, and the values nearest to the
# outputs are taken. Running all programs of a large pool would cost more than the search itself.
# Searching from a source takes about as long as searching from the input one move less deep.
MAX_KNOWN_PROGRAMS = 1000
MAX_KNOWN_SOURCES = 12
KNOWN_DEPTH = 1
# The cost of a stack for ranking, fitted on training: per bit of entropy of which piece a cell is
# from, so that a piece which mends a few cells costs little, and per piece that starts from the
# value of a known program. The number of moves in a piece adds nothing.
BITS_PER_ENTROPY_BIT = 1.7
BITS_PER_KNOWN_SOURCE = 2.6
# The cost of a tree over pieces: a constant, then bits per leaf, bits if it gives no held-out demo
# right, and bits if it is grown from half of the pieces. Each doubling of the number of trees with
# the same outputs makes it cheaper. A tree that gives no held-out demo right is proposed only if it
# is small.
TREE_BITS, BITS_PER_LEAF = 0.5, 0.8
NONE_HELD_OUT_BITS, HALF_BITS, BITS_PER_DOUBLING = 1.3, 0.8, 0.5
MAX_UNPROVEN_LEAVES = 4
CHOICE = "where_color"
# Seconds between two checks whether the search was interrupted.
POLL_S = 0.1
_LOGGED = ("n_applications", "n_values", "n_tuples", "n_pieces", "n_stacks", "n_bytes", "was_cut")


@dataclass
class PassCount:
    """The summed counts of one pass."""

    n_tasks: int = 0
    n_without_size: int = 0
    n_known: int = 0  # values of known programs used as sources
    n_applications: int = 0
    n_values: int = 0
    n_pieces: int = 0
    n_stacks: int = 0
    n_trees: int = 0
    cpu_s: float = 0.0
    walk_s: float = 0.0  # applying moves, with hashing and removal of duplicates
    n_bytes: int = 0  # the maximum over tasks
    n_cut: int = 0  # searches that ended at a bound

    @classmethod
    def of(cls, result: SearchResult, cpu_s: float) -> PassCount:
        """Return the counts of one search."""
        counts = result.counts
        return cls(
            n_tasks=1,
            n_without_size=int(result.size is None),
            n_known=len(result.view.sources),
            n_applications=counts["n_applications"],
            n_values=counts["n_values"],
            n_pieces=counts["n_pieces"],
            n_stacks=counts["n_stacks"],
            n_trees=len(result.trees),
            cpu_s=cpu_s,
            walk_s=counts["size_s"] + counts["walk_s"],
            n_bytes=counts["n_bytes"],
            n_cut=int(counts["was_cut"]),
        )

    def add(self, counts: Mapping[str, Any]) -> None:
        """Add the counts of one task, as the ledger has them."""
        for name, value in vars(self).items():
            more = counts.get(name, 0)
            setattr(self, name, max(value, more) if name == "n_bytes" else value + more)


@dataclass(frozen=True)
class _TaskResult:
    """The proposals of one search of one task; `search` is None if the task lacks the view."""

    task: Task
    judged: Sequence[tuple[Proposal, Trial]]
    search: SearchResult | None
    cpu_s: float
    trace: list[str] = field(default_factory=list)


class EnumerateProposer:
    """Searches tasks pass by pass, several tasks at a time."""

    name = "enumerate"
    trust = 1.0
    switches: ClassVar = SWITCHES
    count_columns: ClassVar = {
        "": "pass",
        "n_tasks": "tasks",
        "n_applications": "moves",
        "n_values": "values",
        "n_trees": "trees",
        "n_bytes": "MiB",
        "cpu_s": "CPU",
    }

    def __init__(
        self,
        options: EnumerateOptions | None = None,
        passes: Sequence[Pass] | None = None,
        off: frozenset[str] = frozenset(),
    ) -> None:
        """`off` names passes, primitives and other parts that are off."""
        self._options = (options or EnumerateOptions()).without(off)
        self._passes = tuple(
            each
            for each in (all_passes() if passes is None else passes)
            if each.switch not in off and not ("deepening" in off and each.is_deepening)
        )
        self._uses_known = "known-values" not in off
        self._known_batt: Batt | None = None
        self._cache = SearchCache()
        self._context: Context | None = None
        # Counts of searches that the time limit ended, by pass; the ledger has the others.
        self._unfinished: list[tuple[str, Mapping[str, Any]]] = []

    def next_offer(self, context: Context) -> Offer | None:
        self._context = context
        left, _ = uncertain_tasks(context.board.tasks, context)
        self._cache.keep_only({task.id for task in left})
        for each in self._passes:
            done = context.done(each.name)
            tasks, n_wrong = uncertain_tasks(
                (
                    task
                    for task in left
                    if task.id not in done
                    and not each.is_redundant(lambda item, id=task.id: context.done(item).get(id))  # type: ignore[misc]
                ),
                context,
                only_doubtful=each.only_doubtful,
            )
            if tasks:
                return Offer(each.name, tasks, each.gain * n_wrong, each.cost_s * len(tasks))
        return None

    def work(self, offer: Offer, context: Context) -> None:
        (this,) = (each for each in self._passes if each.name == offer.item)
        context.say(f"{this.name}: {count(len(offer.tasks), 'task')}, {this.depth} moves deep")
        run = _PassRun(this, self._options, context, self._known(context), self._cache)
        # Small tasks first: they are solved most often, in the least time.
        tasks = sorted(offer.tasks, key=lambda task: task.n_cells)
        # Close the generator on any exception, so that no thread runs on after an interrupt.
        with closing(run.results(tasks)) as results:
            for result, wall_s in results:
                self._take(this, result, wall_s, context)

    def _known(self, context: Context) -> Batt:
        if self._known_batt is None:
            with phase("fuse"):
                programs = (
                    smallest_programs(context.known, MAX_KNOWN_PROGRAMS) if self._uses_known else []
                )
                self._known_batt = Batt(programs)
        return self._known_batt

    def _take(self, this: Pass, result: _TaskResult, wall_s: float, context: Context) -> None:
        for proposal, trial in result.judged:
            context.keep(proposal, trial)
        for line in result.trace:
            context.trace(result.task, line)
        context.spend(result.task, wall_s / context.n_threads)
        counts = {} if result.search is None else result.search.counts
        was_cut = bool(counts.get("was_cut"))
        noted: dict[str, Any] = {"was_cut": was_cut}
        if result.search is not None:
            noted |= vars(PassCount.of(result.search, result.cpu_s))
        # A run that resumes this one repeats the searches that the time limit ended.
        if was_cut and context.allowance.is_spent:
            self._unfinished.append((this.name, noted))
        else:
            context.note_done(this.name, result.task, noted)
        context.log(
            {
                "wall_s": wall_s,
                "engine_s": sum(counts.get(part, 0.0) for part in ("size_s", "walk_s", "cover_s")),
                "task": result.task.id,
                "cpu_s": result.cpu_s,
                **{name: counts.get(name, 0) for name in _LOGGED},
            }
        )

    def finish(self, context: Context) -> None:
        pass

    def counts(self) -> Mapping[str, Mapping[str, Any]]:
        totals: dict[str, PassCount] = {}
        for name, noted in [*self._noted(), *self._unfinished]:
            totals.setdefault(name, PassCount()).add(noted)
        return {name: dict(vars(total)) for name, total in totals.items()}

    def _noted(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the counts in the ledger with the names of their passes."""
        if self._context is None:
            return
        for each in self._passes:
            for noted in self._context.done(each.name).values():
                if "n_tasks" in noted:
                    yield each.name, noted


class _PassRun:
    """One pass over some tasks, in threads that each have their own timeline."""

    def __init__(
        self,
        this: Pass,
        options: EnumerateOptions,
        context: Context,
        known: Batt,
        cache: SearchCache,
    ) -> None:
        self._pass = this
        self._context = context
        self._known = known
        self._cache = cache
        self._stop = StopFlag()
        self._thread_numbers: SimpleQueue[int] = SimpleQueue()
        self._options = replace(
            options,
            depth=this.depth,
            open_cells_first=this.open_cells_first,
            grow_trees=this.grow_trees,
            max_applications=this.max_applications,
        )
        for number in range(1, context.n_threads + 1):
            self._thread_numbers.put(number)

    def results(self, tasks: Sequence[Task]) -> Generator[tuple[_TaskResult, float], None, None]:
        """Yield the result of each task and its wall-clock time, while there is time."""
        queue = iter(tasks)
        running: dict[Future[_TaskResult], float] = {}
        with ThreadPoolExecutor(self._context.n_threads) as threads:
            try:
                self._feed(threads, running, queue)
                while running:
                    with phase("run"):
                        ended, _ = wait(running, POLL_S, return_when=FIRST_COMPLETED)
                    if self._context.allowance.is_interrupted:
                        self._stop.set()
                    for future in ended:
                        began_s = running.pop(future)
                        yield future.result(), perf_counter() - began_s
                    self._feed(threads, running, queue)
            except BaseException:
                # Leaving the pool waits for its threads, also after an interrupt.
                self._stop.set()
                raise

    def _feed(
        self,
        threads: ThreadPoolExecutor,
        running: dict[Future[_TaskResult], float],
        queue: Iterator[Task],
    ) -> None:
        """Keep all threads busy while there is time."""
        while len(running) < self._context.n_threads:
            left_s = self._context.allowance.left_s
            task = next(queue, None) if left_s > 0 else None
            if task is None:
                return
            run = copy_context().run
            near = self._context.source_programs(task)
            is_traced = self._context.is_traced(task)
            future = threads.submit(run, self._search, task, left_s, is_traced, near)
            running[future] = perf_counter()

    def _search(
        self, task: Task, max_s: float, traces: bool, near: Sequence[Program]
    ) -> _TaskResult:
        """Search one task in the current thread."""
        number = self._thread_numbers.get()
        try:
            with timeline(f"enumerate {number}"):
                return self._search_timed(task, max_s, traces, near)
        finally:
            self._thread_numbers.put(number)

    def _search_timed(
        self, task: Task, max_s: float, traces: bool, near: Sequence[Program]
    ) -> _TaskResult:
        began_s = thread_time()
        context, this = self._context, self._pass
        try:
            view = this.view(task)
            if view.name == "plain":
                known = known_sources(context.board, task, self._known, near)
                view = replace(view, sources=[*view.sources, *known])
            key = SearchKey(
                task.id,
                this.view,
                this.depth,
                this.open_cells_first,
                this.grow_trees,
            )
            search = self._cache.take(key, view)
            with phase("run"):
                result = search.run(replace(self._options, max_s=max_s), self._stop)
            self._cache.keep(key, search)
        except NoView:
            return _TaskResult(task, [], None, thread_time() - began_s)
        with phase("score"):
            proposals = list(_proposals(task, result))
        trials = context.judge(proposals, n_threads=1)
        trace = _trace(this, result) if traces else []
        judged = list(zip(proposals, trials, strict=True))
        return _TaskResult(task, judged, result, thread_time() - began_s, trace)


def known_sources(
    board: TaskBoard, task: Task, batt: Batt, handed_on: Sequence[Program] = ()
) -> list[Source]:
    """Return the values of programs that come nearest to the outputs, as sources.

    Those that other proposers hand on come first.

    A known program rarely solves another task, but it may be the first half of a solution. Values
    that are right in all demos are left out: they are solutions already.
    """
    values = near_values(board, task, batt)
    if handed_on:
        own = near_values(board, task, Batt(handed_on[:MAX_KNOWN_SOURCES]))
        seen = {value.grids for value in own}
        values = [*own, *(value for value in values if value.grids not in seen)]
    near = [value for value in values if not value.is_right]
    return [Source(value.node, value.grids, KNOWN_DEPTH) for value in near[:MAX_KNOWN_SOURCES]]


def _proposals(task: Task, result: SearchResult) -> Iterator[Proposal]:
    """Yield the programs of the best stacks, each once, and those of trees."""
    seen: set[Program] = set()
    for number, stack in enumerate(_best_stacks(result.stacks)):
        program = result.program(stack, f"found_{number}")
        if program not in seen:
            seen.add(program)
            bits = result.view.bits + bits_of(stack, len(task.demos))
            yield Proposal(program, task, _family(result, stack), bits)
    for number, tree in enumerate(result.trees):
        if tree.n_held_out or tree.n_leaves <= MAX_UNPROVEN_LEAVES:
            program = result.tree_program(tree, f"tree_{number}")
            bits = result.view.bits + bits_of_tree(tree, is_of_half=number > 0)
            yield Proposal(program, task, f"{result.view.kind} {CHOICE}", bits)


def bits_of(stack: Stack, n_demos: int) -> float:
    """Return how much choice went into a stack, in bits."""
    n_cells = sum(layer.n_cells for layer in stack.layers)
    shares = [layer.n_cells / n_cells for layer in stack.layers if layer.n_cells]
    entropy = sum(-share * log2(share) for share in shares)
    n_known = sum(layer.is_from_view_source(n_demos) for layer in stack.layers)
    memorized = 0.0 if stack.n_unseen else MEMORIZED_BITS
    return BITS_PER_ENTROPY_BIT * entropy + BITS_PER_KNOWN_SOURCE * n_known + memorized


def bits_of_tree(tree: PieceTree, *, is_of_half: bool = False) -> float:
    """Return how much choice went into a tree, in bits."""
    bits = TREE_BITS + BITS_PER_LEAF * (tree.n_leaves - 1)
    if not tree.n_held_out:
        bits += NONE_HELD_OUT_BITS
    if is_of_half:
        bits += HALF_BITS
    return bits - BITS_PER_DOUBLING * log2(tree.n_alike)


def _best_stacks(stacks: Sequence[Stack]) -> list[Stack]:
    """Return the best stacks of each of the best outputs."""
    by_output: dict[tuple[Grid | None, ...], list[Stack]] = {}
    for stack in stacks:
        same = by_output.setdefault(stack.outputs, [])
        if len(same) < MAX_PROGRAMS_PER_OUTPUT:
            same.append(stack)
    return [stack for same in list(by_output.values())[:MAX_OUTPUTS] for stack in same]


def _family(result: SearchResult, stack: Stack) -> str:
    """Return the kind of view and the last move of the uppermost piece."""
    path = stack.layers[0].path
    last = vocabulary()[path[-1]].primitive if len(path) > 1 else "source"
    return f"{result.view.kind} {last}"


def _trace(this: Pass, result: SearchResult) -> list[str]:
    counts = result.counts
    end = ", cut off" if counts["was_cut"] else ""
    if counts["was_narrowed"]:
        end = f", only the most promising deep tuples extended{end}"
    lines = [
        f"{this.name}: {counts['n_applications']:,} moves applied, {counts['n_values']:,} values "
        f"(by depth {counts['values_by_depth']}), {counts['n_tuples']:,} tuples "
        f"(by depth {counts['tuples_by_depth']}), {counts['n_merged']:,} merged, "
        f"{counts['n_refused']:,} refused{end}",
        f"{this.name}: {counts['n_pieces']:,} pieces of {counts['n_pieces_offered']:,}, "
        f"{counts['n_scanned']:,} scanned, {counts['n_stacks']:,} stacks; "
        f"sizes {counts['size_s']:.3f} s, values {counts['walk_s']:.3f} s, "
        f"cover {counts['cover_s']:.3f} s",
    ]
    if result.size is None:
        return [*lines, f"{this.name}: no formula gives the size of any output"]
    n_matched, rows, columns = result.size
    lines.append(f"{this.name}: size fits {n_matched} outputs: rows {rows}, columns {columns}")
    for stack in result.stacks[:5]:
        parts = []
        for layer in stack.layers:
            names = [str(vocabulary()[number]) for number in layer.path[1:]]
            parts.append(f"source {layer.path[0]} {' '.join(names)} (mode {layer.mode})")
        lines.append(f"{this.name}: {stack.n_right} demos right: {' | '.join(parts)}")
    lines += [
        f"{this.name}: a tree of {count(tree.n_leaves, 'leaf', 'leaves')}, {tree.n_held_out} demos "
        f"right held out, {tree.n_alike} of its trees alike"
        for tree in result.trees
    ]
    return lines
