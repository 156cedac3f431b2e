"""The stage that enumerates values and puts outputs together from them.

A pass is a view of the task and how deep it is searched. All tasks are searched in the first pass,
which is cheap, then all that are still open in the next.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from time import perf_counter, thread_time
from typing import Any

from arcbatt.engine._enumerate import StopFlag
from arcbatt.language import Program
from arcbatt.measure import phase
from arcbatt.search.enumerating import (
    Enumerated,
    EnumerateOptions,
    Stack,
    View,
    enumerate_view,
    is_given,
    vocabulary,
)
from arcbatt.tasks import Grid, Task

from .candidates import Candidate
from .known_values import KnownValues
from .outputs import candidates_of
from .stages import Desk, Share
from .views import NoView, by_role, mirrored, plain

# Of what one pass finds for a task, so many different outputs are offered, and for each of them so
# many programs.
MAX_OUTPUTS = 12
MAX_OF_OUTPUT = 2
# What a step and a piece of a stack count in bits (see `ranking`): a stack is one of so many.
BITS_A_STEP = 0.5
BITS_A_PIECE = 1.0
# A piece that begins with what a known program gave: that is one of so many.
BITS_A_KNOWN = 3.0


@dataclass(frozen=True)
class Pass:
    """One way to search every task: a view, how deep, and which guess at the output's size."""

    name: str
    view: Callable[[Task], View]
    depth: int
    max_applications: int = 20_000_000
    size_guess: int = 0

    @property
    def switch(self) -> str:
        """The name that it is switched off by, without commas and blanks."""
        return self.name.replace(", ", "-").replace(" ", "-")


def _sizes_in_doubt(task: Task) -> View:
    """The task by roles, unless its outputs all have their inputs' size, or one size."""
    sizes = [_size(demo.output) for demo in task.demos]
    if len(set(sizes)) == 1 or sizes == [_size(demo.input) for demo in task.demos]:
        raise NoView("there is no second guess at the output's size")
    return by_role(task)


def _size(grid: Grid) -> tuple[int, int]:
    return len(grid), len(grid[0])


def _mirrored_roles(task: Task) -> View:
    return mirrored(by_role(task), "dmirror")


PASSES = (
    Pass("roles", by_role, 2),
    Pass("plain", plain, 2),
    Pass("second size", _sizes_in_doubt, 2, size_guess=1),
    Pass("roles, deeper", by_role, 3, 100_000),
    Pass("plain, deeper", plain, 3, 100_000),
    Pass("roles, deepest", by_role, 3, 400_000),
    Pass("roles, transposed", _mirrored_roles, 3, 100_000),
)


@dataclass
class EnumerateCount:
    """What the searches of one pass came to."""

    n_tasks: int = 0
    n_without_size: int = 0
    n_seeds: int = 0  # values of known programs that were searched from
    n_applications: int = 0
    n_values: int = 0
    n_pieces: int = 0
    n_stacks: int = 0
    cpu_s: float = 0.0
    walk_s: float = 0.0  # in the steps themselves, hashing and removing duplicates included
    most_bytes: int = 0
    n_cut: int = 0  # searches that ended at a bound

    def add(self, found: Enumerated, cpu_s: float) -> None:
        counts = found.counts
        self.n_tasks += 1
        self.n_without_size += found.size is None
        self.n_seeds += len(found.view.seeds)
        self.n_cut += counts["was_cut"]
        self.n_applications += counts["n_applications"]
        self.n_values += counts["n_values"]
        self.n_pieces += counts["n_pieces"]
        self.n_stacks += counts["n_stacks"]
        self.cpu_s += cpu_s
        self.walk_s += counts["size_s"] + counts["walk_s"]
        self.most_bytes = max(self.most_bytes, counts["n_bytes"])


@dataclass(frozen=True)
class _Found:
    """What one search of one task gave, ready to be offered."""

    task: Task
    candidates: list[Candidate]
    enumerated: Enumerated | None
    cpu_s: float
    trace: list[str] = field(default_factory=list)


class EnumerateStage:
    """Searches tasks pass by pass, several at a time."""

    name = "enumerate"
    weight = 6.0
    trust = 1.0
    enough = 1_000_000  # later passes see for themselves which tasks are still open

    def __init__(
        self,
        *,
        n_threads: int | None = None,
        options: EnumerateOptions | None = None,
        passes: Sequence[Pass] = PASSES,
        n_agreeing: int = 3,
        known: Callable[[], Sequence[Program]] | None = None,
    ) -> None:
        """`n_agreeing` programs that fit all demos and agree end the search of a task.

        What the programs that `known` returns make of the input is searched from too, in the plain
        view; it is called once, when it is needed.
        """
        self._n_threads = n_threads or os.cpu_count() or 1
        self._options = options or EnumerateOptions()
        self._passes = tuple(passes)
        self._n_agreeing = n_agreeing
        self._known = KnownValues(known or list)
        self._done: dict[str, set[str]] = {}  # by pass, the tasks that were searched
        self._agreeing: dict[str, dict[tuple[Grid | None, ...], set[Program]]] = {}
        self.counts = {each.name: EnumerateCount() for each in self._passes}

    def run(self, tasks: Sequence[Task], share: Share, desk: Desk) -> None:
        self._take_up(tasks, desk)
        for each in self._passes:
            done = self._done.setdefault(each.name, set())
            open_tasks = [task for task in tasks if task.id not in done and self._is_open(task)]
            if not open_tasks:
                continue
            if share.is_spent:
                return
            self._known.prepare()
            desk.say(f"{each.name}: {len(open_tasks)} tasks, {each.depth} steps deep")
            self._run_pass(each, open_tasks, share, desk)
            share.end_round()

    def _take_up(self, tasks: Sequence[Task], desk: Desk) -> None:
        """Recall what an earlier run has found, so that tasks are open as they were then."""
        for task in tasks:
            for kept in desk.known(task):
                if kept.stage == self.name:
                    self._note(kept.candidate)

    def _note(self, candidate: Candidate) -> None:
        """Count who agrees."""
        if candidate.fits and candidate.program is not None:
            agreeing = self._agreeing.setdefault(candidate.task.id, {})
            agreeing.setdefault(candidate.outputs, set()).add(candidate.program)

    def _is_open(self, task: Task) -> bool:
        agreeing = self._agreeing.get(task.id, {})
        return all(len(programs) < self._n_agreeing for programs in agreeing.values())

    def _run_pass(self, each: Pass, tasks: Sequence[Task], share: Share, desk: Desk) -> None:
        stop = StopFlag()
        # Small tasks first: most is found in little time.
        queue = iter(sorted(tasks, key=_area))
        running: dict[Future[_Found], float] = {}
        with ThreadPoolExecutor(self._n_threads) as pool:
            try:
                self._feed(pool, running, queue, each, share, desk, stop)
                while running:
                    future = next(as_completed(running))
                    began_s = running.pop(future)
                    self._take(each, future.result(), perf_counter() - began_s, desk)
                    self._feed(pool, running, queue, each, share, desk, stop)
            except BaseException:
                stop.set()
                raise

    def _feed(
        self,
        pool: ThreadPoolExecutor,
        running: dict[Future[_Found], float],
        queue: Iterator[Task],
        each: Pass,
        share: Share,
        desk: Desk,
        stop: StopFlag,
    ) -> None:
        """Keep all threads busy while there is time."""
        while len(running) < self._n_threads and share.left_s > 0:
            task = next(queue, None)
            if task is None:
                return
            # A search that the clock ends could not be repeated: it is cut off by its steps, and
            # by the clock only where it would be very late.
            max_s = max(2.0 * share.left_s, 1.0)
            future = pool.submit(self._search, each, task, max_s, desk.traces(task), stop)
            running[future] = perf_counter()

    def _search(self, each: Pass, task: Task, max_s: float, traces: bool, stop: StopFlag) -> _Found:
        """One search, in a thread of its own."""
        began_s = thread_time()
        options = replace(
            self._options,
            depth=each.depth,
            size_guess=each.size_guess,
            max_applications=min(each.max_applications, self._options.max_applications),
            max_s=min(max_s, self._options.max_s),
        )
        try:
            view = each.view(task)
            if view.name == "plain":
                view = replace(view, seeds=[*view.seeds, *self._known.seeds(task)])
            found = enumerate_view(view, options, stop)
        except NoView:
            return _Found(task, [], None, thread_time() - began_s)
        chosen = _choose(found.stacks)
        programs: dict[Program, Stack] = {}
        for number, stack in enumerate(chosen):
            programs.setdefault(found.program(stack, f"found_{number}"), stack)
        candidates = [
            replace(
                candidate,
                family=_family(found, programs[candidate.program]),
                bits=bits_of(programs[candidate.program], len(task.demos)),
            )
            for candidate in candidates_of(task, list(programs), n_threads=1)
            if candidate.program is not None
        ]
        trace = _trace(each, found) if traces else []
        return _Found(task, candidates, found, thread_time() - began_s, trace)

    def _take(self, each: Pass, found: _Found, wall_s: float, desk: Desk) -> None:
        self._done[each.name].add(found.task.id)
        for candidate in found.candidates:
            desk.offer(candidate)
            self._note(candidate)
        for line in found.trace:
            desk.trace(found.task, line)
        desk.spend(found.task, wall_s / self._n_threads)
        if found.enumerated is not None:
            self.counts[each.name].add(found.enumerated, found.cpu_s)
        counts = found.enumerated.counts if found.enumerated is not None else {}
        desk.log(
            {
                "wall_s": wall_s,
                "engine_s": sum(
                    counts.get(part, 0.0) for part in ("size_s", "walk_s", "pieces_s", "cover_s")
                ),
                "pass": each.name,
                "task": found.task.id,
                "cpu_s": found.cpu_s,
                **{name: counts.get(name, 0) for name in _LOGGED},
            }
        )

    def state(self) -> Any:
        return {
            "done": {name: sorted(ids) for name, ids in self._done.items()},
            "counts": {name: vars(count) for name, count in self.counts.items()},
        }

    def restore(self, state: Any) -> None:
        self._done = {name: set(ids) for name, ids in state["done"].items()}
        for name, count in state["counts"].items():
            self.counts[name] = EnumerateCount(**count)

    def parts(self) -> dict[str, dict[str, Any]]:
        return {name: dict(vars(count)) for name, count in self.counts.items()}


_LOGGED = ("n_applications", "n_values", "n_tuples", "n_pieces", "n_stacks", "n_bytes", "was_cut")


def bits_of(stack: Stack, n_demos: int) -> float:
    """How much choice went into a stack, in bits."""
    n_steps = sum(
        len(pick.path) - 1 + bool(pick.tint) + pick.to_origin + pick.pasted for pick in stack.picks
    )
    n_known = sum(is_given(pick, n_demos) for pick in stack.picks)
    return BITS_A_STEP * n_steps + BITS_A_PIECE * len(stack.picks) + BITS_A_KNOWN * n_known


@phase("score")
def _choose(stacks: Sequence[Stack]) -> list[Stack]:
    """The stacks that are offered: the best of each output, the best outputs."""
    by_output: dict[tuple[Grid | None, ...], list[Stack]] = {}
    for stack in stacks:
        known = by_output.setdefault(stack.outputs, [])
        if len(known) < MAX_OF_OUTPUT:
            known.append(stack)
    chosen = list(by_output.values())[:MAX_OUTPUTS]
    return [stack for same in chosen for stack in same]


def _family(found: Enumerated, stack: Stack) -> str:
    """Stacks of one view that begin alike are kin."""
    path = stack.picks[0].path
    last = vocabulary()[path[-1]].primitive if len(path) > 1 else "seed"
    return f"{found.view.name} {last}"


def _area(task: Task) -> int:
    grids = [grid for demo in task.demos for grid in (demo.input, demo.output)]
    return sum(len(grid) * len(grid[0]) for grid in [*grids, *task.test_inputs])


def _trace(each: Pass, found: Enumerated) -> list[str]:
    counts = found.counts
    lines = [
        f"{each.name}: {counts['n_applications']:,} steps applied, {counts['n_values']:,} values "
        f"(by depth {counts['values_by_depth']}), {counts['n_tuples']:,} tuples "
        f"(by depth {counts['tuples_by_depth']}), {counts['n_merged']:,} merged, "
        f"{counts['n_refused']:,} refused{', cut off' if counts['was_cut'] else ''}",
        f"{each.name}: {counts['n_pieces']:,} pieces of {counts['n_pieces_offered']:,}, "
        f"{counts['n_scanned']:,} looked at, {counts['n_stacks']:,} stacks; "
        f"sizes {counts['size_s']:.3f} s, values {counts['walk_s']:.3f} s, "
        f"pieces {counts['pieces_s']:.3f} s, cover {counts['cover_s']:.3f} s",
    ]
    if found.size is None:
        return [*lines, f"{each.name}: no formula gives the size of any output"]
    n_matched, rows, columns = found.size
    lines.append(f"{each.name}: size fits {n_matched} outputs: rows {rows}, columns {columns}")
    for stack in found.stacks[:5]:
        parts = []
        for pick in stack.picks:
            names = [str(vocabulary()[number]) for number in pick.path[1:]]
            parts.append(f"seed {pick.path[0]} {' '.join(names)} (mode {pick.mode})")
        lines.append(f"{each.name}: {stack.n_right} demos right: {' | '.join(parts)}")
    return lines
