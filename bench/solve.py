"""Measure how many tasks are solved without known programs, and the contribution of each part.

    python bench/solve.py                                  ARC-AGI-1 training, all proposers
    python bench/solve.py --data arc-agi-1/training,mine.json     several sets, and their sum
    python bench/solve.py --confidence docs/img/reliability.svg   draw how reliable confidence is
    python bench/solve.py --data A,B --fit                 fit the constants of ranking to sets
    python bench/solve.py --ablate                         repeat with one part off at a time
    python bench/solve.py --ablate learn_class,learn       only these parts, passes or proposers
    python bench/solve.py --proposers known,learn --ablate only the parts of these proposers
    python bench/solve.py --budget 60,120,300,600          the benefit of more time, in one run
    python bench/solve.py --budget 60,3600 --processes 16  the same, shared by 16 processes
    python bench/solve.py --gains                          gain and cost of each round
    python bench/solve.py --without                        rank again without the finds of each part

The bundled solvers are off. Runs are bounded by steps, not by the clock, so that results are the
same on every machine; times are CPU times of all threads. With --budget a run is bounded by CPU
time instead, and passes deepen until it is spent. Each process has its share of the tasks and of
the budget, and chooses its next offer by itself.

--ablate runs everything again without a part. --without runs once, and then ranks the candidates
that the part was not needed for: it shows in one run what each part brings, but not what other
parts would have done in its place.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, fields, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from ranking_fit import Judge, Judged, confidence_rows, fit
from rich.console import Console
from rich.table import Table

from arcbatt.drawing.charts import Chart, Line, svg_charts
from arcbatt.evaluation import TaskBoard
from arcbatt.language import Program
from arcbatt.language.ir import walk
from arcbatt.pool import Pool, PoolProgram
from arcbatt.pool.rows import LIBRARY
from arcbatt.proposers import PROPOSER_NAMES, ProposerOptions, make_proposers
from arcbatt.proposers.enumerate import FIRST_PASSES, vocabulary
from arcbatt.proposers.evolve import EvolveOptions
from arcbatt.proposers.first_programs import fill_pool
from arcbatt.proposers.learn import learner_names
from arcbatt.proposers.proposer import CONFIDENT
from arcbatt.proposers.registry import parts_of, pass_names
from arcbatt.scoring import is_right, load_answers
from arcbatt.solving import Loop, RankedTask, TaskCandidates, Watcher, rank_task
from arcbatt.tasks import Grid, Task, load

FOREVER_S = 1e6


@dataclass(frozen=True)
class Setting:
    """The proposers of a run, and the switches that are off (`arcbatt.proposers.registry`)."""

    name: str = "all"
    proposers: frozenset[str] = frozenset(PROPOSER_NAMES)
    off: frozenset[str] = frozenset()
    cards: int = 30
    programs: tuple[Program, ...] = ()  # known programs besides those of one call


@dataclass
class Outcome:
    """The result of a run: numbers of tasks, and times."""

    solved: int = 0  # by two attempts
    first: int = 0  # by the first attempt
    in_list: int = 0  # by some candidate
    fitted: int = 0
    fitted_but_wrong: int = 0
    cpu_s: float = 0.0
    wall_s: float = 0.0
    ranking_s: float = 0.0  # of CPU time
    solved_ids: set[str] = field(default_factory=set)

    def add(self, other: Outcome) -> None:
        """Add the outcome of other tasks."""
        for each in fields(self):
            if each.name == "solved_ids":
                self.solved_ids |= other.solved_ids
            else:
                setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


class Gains(Watcher):
    """Counts the tasks that each round makes right and wrong, and its cost.

    `GAIN` and `COST_S` of proposers and passes are these figures on training.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._right: set[str] = set()
        self._wrong: dict[str, float] = {}
        self._done: dict[tuple[str, str], set[str]] = {}
        self._cpu_s = time.process_time()
        self.table = Table(title="rounds")
        for heading in ("", "tasks", "likely wrong", "gained", "lost", "gain", "CPU per task"):
            self.table.add_column(heading, justify="right" if heading else "left")

    def on_log(self, loop: Loop, proposer: str, record: dict[str, Any]) -> None:
        if "ended" not in record:
            return
        cpu_s = time.process_time() - self._cpu_s
        item = record["item"]
        done = set(loop.done(proposer, item))
        tasks = done - self._done.get((proposer, item), set())
        self._done[proposer, item] = done
        n_wrong = sum(self._wrong.get(task_id, 1.0) for task_id in tasks)
        right, self._wrong = set(), {}
        for each in loop.rank():
            attempts = Judged(loop.candidates(each.task), self._judge).is_right(each)
            if all(map(any, attempts)):
                right.add(each.task.id)
            self._wrong[each.task.id] = 1 - each.confidence
        n_gained, n_lost = len(right - self._right), len(self._right - right)
        self.table.add_row(
            f"{proposer}: {item}",
            str(len(tasks)),
            f"{n_wrong:.0f}",
            str(n_gained),
            str(n_lost),
            f"{(n_gained - n_lost) / n_wrong:.4f}" if n_wrong else "",
            f"{cpu_s / len(tasks):.3f} s" if tasks else "",
        )
        self._right = right
        self._cpu_s = time.process_time()


class Finders(Watcher):
    """Notes which parts found each candidate: the first round to keep it, and its learners."""

    def __init__(self) -> None:
        self.parts: dict[tuple[str, Program], frozenset[str]] = {}

    def on_log(self, loop: Loop, proposer: str, record: dict[str, Any]) -> None:
        if "ended" not in record:
            return
        for task in loop.tasks:
            for each in loop.candidates(task).kept:
                if (task.id, each.program) in self.parts:
                    continue
                names = {
                    n.name for n in walk(each.program.result) if n.kind in ("call", "primitive")
                }
                parts = {proposer, *names.intersection(learner_names())}
                if proposer == "enumerate":
                    parts.add(record["item"])
                self.parts[task.id, each.program] = frozenset(parts)

    def show(self, console: Console, loop: Loop, judge: Judge) -> None:
        """Print which tasks are solved only with the candidates of a part, or without them."""

        def solved(without: str | None) -> set[str]:
            ids = set()
            for task in loop.tasks:
                candidates = TaskCandidates(task)
                for each in loop.candidates(task).kept:
                    if without not in self.parts[task.id, each.program]:
                        candidates.keep(each)
                right = Judged(candidates, judge).is_right(rank_task(candidates))
                if all(map(any, right)):
                    ids.add(task.id)
            return ids

        parts = sorted(set().union(*self.parts.values()))
        show_lost(
            console,
            {part or "all": Outcome(solved_ids=solved(part)) for part in (None, *parts)},
        )


class TimedLoop(Loop):
    """A loop that adds up the CPU time of ranking."""

    ranking_s = 0.0

    def _rank_anew(self, candidates: TaskCandidates) -> RankedTask:
        began_s = time.thread_time()
        ranked = super()._rank_anew(candidates)
        self.ranking_s += time.thread_time() - began_s
        return ranked


def run(
    tasks: Sequence[Task],
    setting: Setting,
    n_threads: int,
    seed: int,
    budgets_s: Sequence[float],
    watcher: Watcher | None = None,
) -> Iterator[tuple[Loop, Outcome]]:
    """Yield the loop and its times whenever one of the budgets, in CPU seconds, is spent."""
    began_s, cpu_s = time.perf_counter(), time.process_time()
    with Pool.in_memory() as pool:
        fill_pool(pool, library=False)
        pool.add_programs([PoolProgram.of(program, LIBRARY) for program in setting.programs])
        options = ProposerOptions(off=setting.off, evolve=EvolveOptions(seed=seed))
        board = TaskBoard(tasks, device="cpu", n_threads=n_threads)
        proposers = make_proposers(sorted(setting.proposers), options)
        loop = TimedLoop(board, pool, proposers, watcher=watcher, clock=time.process_time)
        for budget_s in budgets_s:
            # A card counts as one round, and so does a pass; every pass should run.
            is_bounded = budget_s == FOREVER_S
            left_s = budget_s - (time.process_time() - cpu_s)
            loop.run(left_s, max(setting.cards, len(FIRST_PASSES)) if is_bounded else None)
            yield (
                loop,
                Outcome(
                    cpu_s=time.process_time() - cpu_s,
                    wall_s=time.perf_counter() - began_s,
                    ranking_s=loop.ranking_s,
                ),
            )


def score(loop: Loop, judge: Judge, outcome: Outcome) -> dict[str, Outcome]:
    """Count the right tasks in total, and by the proposer of the first attempt."""
    by_proposer: dict[str, Outcome] = {}
    for task in loop.tasks:
        candidates = loop.candidates(task)
        ranked = rank_task(candidates)
        right = Judged(candidates, judge).is_right(ranked)
        offered = [
            any(
                judge(task, k, grid)
                for grid in (each.trial.outputs[k] for each in candidates.kept)
                if grid is not None
            )
            for k in range(len(task.test_inputs))
        ]
        best = ranked.best
        proposer = by_proposer.setdefault(best.proposer if best else "nothing", Outcome())
        for each in (outcome, proposer):
            if all(map(any, right)):
                each.solved += 1
                each.solved_ids.add(task.id)
            each.first += all(test[0] for test in right)
            each.in_list += all(offered)
            if candidates.fits:
                each.fitted += 1
                each.fitted_but_wrong += not all(map(any, right))
    return by_proposer


def judge_by_answers(data: str) -> Judge:
    """Return a function that tells whether a grid is right."""
    answers = load_answers(data)

    def judge(task: Task, test: int, grid: Grid) -> bool:
        return is_right(answers, task.id, test, grid)

    return judge


def choose(data: str, n_tasks: int | None) -> list[Task]:
    """Return tasks of a set, evenly spaced; all if `n_tasks` is None."""
    tasks = list(load(data))
    return tasks[:: max(len(tasks) // n_tasks, 1)] if n_tasks else tasks


def run_part(
    data: str,
    n_tasks: int | None,
    setting: Setting,
    seed: int,
    budgets_s: Sequence[float],
    part: int,
    n_parts: int,
) -> list[Outcome]:
    """Run one share of the tasks within its share of each budget."""
    judge = judge_by_answers(data)
    tasks = choose(data, n_tasks)[part::n_parts]
    outcomes = []
    for loop, outcome in run(tasks, setting, 1, seed, [each / n_parts for each in budgets_s]):
        score(loop, judge, outcome)
        outcomes.append(outcome)
    return outcomes


def run_shared(
    data: str,
    n_tasks: int | None,
    setting: Setting,
    seed: int,
    budgets_s: Sequence[float],
    n_parts: int,
) -> dict[str, Outcome]:
    """Run tasks in several processes, and return their summed outcome by budget."""
    with ProcessPoolExecutor(n_parts, get_context("spawn")) as processes:
        parts = [
            processes.submit(run_part, data, n_tasks, setting, seed, budgets_s, part, n_parts)
            for part in range(n_parts)
        ]
        by_part = [part.result() for part in parts]
    rows = {}
    for of_budget in zip(*by_part, strict=True):
        whole = Outcome()
        for outcome in of_budget:
            whole.add(outcome)
        whole.wall_s = max(outcome.wall_s for outcome in of_budget)
        rows[f"{setting.name}, {whole.cpu_s:,.0f} s"] = whole
    return rows


def reliability(console: Console, runs: Sequence[Judged], path: Path) -> None:
    """Draw how often attempts are right by their confidence."""
    ranked = [rank_task(judged.candidates) for judged in runs]
    rows = confidence_rows(runs, ranked)
    right, confidence = rows.right, rows.confidence
    brier = float(((confidence - right) ** 2).mean())
    # Deciles of the test inputs: every point stands for equally many.
    tenths = np.array_split(np.argsort(confidence, kind="stable"), 10)
    points = tuple(
        (float(confidence[each].mean()), float(right[each].mean())) for each in tenths if len(each)
    )
    chart = Chart(
        title=f"{len(right)} test inputs, Brier score {brier:.3f}",
        x_label="confidence",
        y_label="share that is right",
        lines=(Line("right", points), Line("ideal", ((0.0, 0.0), (1.0, 1.0)))),
        top=1.0,
    )
    path.write_text(svg_charts("Reliability of confidence", [chart]), "utf-8")
    console.print(f"Brier score {brier:.3f}; chart: {path}")
    is_sure = confidence >= CONFIDENT
    console.print(
        f"confidence {CONFIDENT} or more: {is_sure.sum()}, {right[is_sure].sum():.0f} right"
    )
    is_outside = rows.features[:, -1] > 0
    for words, chosen in (("outside", is_outside), ("within", ~is_outside)):
        console.print(
            f"test inputs {words} the sizes of the demos: {chosen.sum()}, "
            f"{right[chosen].sum():.0f} right"
        )


def show(console: Console, title: str, rows: dict[str, Outcome]) -> None:
    table = Table(title=title)
    for heading in (
        "",
        "solved, 2 attempts",
        "1 attempt",
        "among the candidates",
        "fit all demos",
        "of those wrong",
        "CPU",
        "wall",
    ):
        table.add_column(heading, justify="left" if not heading else "right")
    for name, each in rows.items():
        counts = (each.solved, each.first, each.in_list, each.fitted, each.fitted_but_wrong)
        times = (f"{each.cpu_s:.0f} s", f"{each.wall_s:.0f} s") if each.cpu_s else ("", "")
        table.add_row(name, *map(str, counts), *times)
    console.print(table)


def ablations(base: Setting) -> dict[str, Setting]:
    """Return the settings with one more part off, by the name of the part."""
    settings = {}
    if len(base.proposers) > 1:
        for name in sorted(base.proposers):
            settings[name] = replace(base, proposers=base.proposers - {name})
    groups = {name: {name} for each in sorted(base.proposers) for name in parts_of(each)}
    if "enumerate" in base.proposers:
        groups |= GROUPS
    for name, names in groups.items():
        if not names <= base.off:
            settings[name] = replace(base, off=base.off | names)
    return {name: replace(each, name=f"no {name}") for name, each in settings.items()}


def show_lost(console: Console, rows: dict[str, Outcome]) -> None:
    """Print which tasks are solved only with a part, and how many only without it."""
    whole, *others = rows.items()
    table = Table(title="tasks solved only with a part (lost) and only without it (gained)")
    for heading in ("", "lost", "gained", "which are lost"):
        table.add_column(heading, justify="right" if heading in ("lost", "gained") else "left")
    for name, each in others:
        lost, gained = whole[1].solved_ids - each.solved_ids, each.solved_ids - whole[1].solved_ids
        table.add_row(name, str(len(lost)), str(len(gained)), " ".join(sorted(lost)))
    console.print(table)


GROUPS = {
    "moves on lists": {
        move.primitive for move in vocabulary() if move.shape in ("cut", "pick", "sift")
    },
    "smear": {"smear"},
    "turn": {"turn"},
    "keep_color": {"keep_color"},
    "tally": {"tally"},
    "tile, wrap, resample": {"tile", "tile_mirrored", "wrap", "resample"},
    "fills": {"solid", "holes", "rim", "core", "mirror_fill", "period_fill"},
    "half_of": {"half_of"},
    "shrink, squeeze, collapse": {"shrink", "squeeze", "collapse"},
}


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--data", default="arc-agi-1/training", metavar="SET,...", help="task sets or files")
    add("--tasks", type=int, help="only this many per set, evenly spaced")
    add("--threads", type=int, default=2)
    add("--seed", type=int, default=0)
    add("--proposers", default=",".join(PROPOSER_NAMES))
    add("--passes", default=",".join(pass_names()), help="of enumerate")
    add("--cards", type=int, default=30, help="of evolve, at least one per pass")
    add(
        "--budget",
        type=lambda text: sorted(map(float, text.split(","))),
        default=[FOREVER_S],
        metavar="SECONDS,...",
        help="CPU time instead of the bound by steps: one row for each",
    )
    add("--processes", type=int, help="share tasks and budget among processes of one thread")
    add("--confidence", type=Path, metavar="SVG", help="draw how reliable confidence is")
    add("--gains", action="store_true", help="print the gain and cost of each round")
    add("--without", action="store_true", help="rank again without the finds of each part")
    add("--fit", action="store_true", help="fit the constants of ranking to all sets")
    add("--ablate", nargs="?", const="", metavar="NAME,...", help="one part off at a time")
    args = parser.parse_args()
    for given, known in ((args.proposers, PROPOSER_NAMES), (args.passes, pass_names())):
        if unknown := set(given.split(",")).difference(known):
            parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    if args.ablate is not None and (args.confidence or args.fit or args.without):
        parser.error("--ablate counts solved tasks only: leave out --confidence, --fit, ...")
    if args.gains and args.without:
        parser.error("--gains and --without: one of them at a time")
    others = args.confidence or args.gains or args.without or args.fit
    if args.processes and (others or args.ablate is not None):
        parser.error("--processes counts solved tasks only: leave out --confidence, --gains, ...")
    off = frozenset(pass_names()) - set(args.passes.split(","))
    args.base = Setting(
        proposers=frozenset(args.proposers.split(",")),
        off=off | {"deepening"} if args.budget == [FOREVER_S] else off,
        cards=args.cards,
    )
    args.settings = ablations(args.base) if args.ablate is not None else {}
    if args.ablate:
        names = args.ablate.split(",")
        if unknown := set(names).difference(args.settings):
            known = ", ".join(args.settings)
            parser.error(f"unknown or off: {', '.join(sorted(unknown))}; known: {known}")
        args.settings = {name: args.settings[name] for name in names}
    return args


def run_set(
    console: Console, data: str, args: argparse.Namespace, judged: dict[str, list[Judged]]
) -> dict[str, Outcome]:
    """Run all settings on one set, print the results, and return the outcomes by name.

    The candidates of a run without ablations are added to `judged`.
    """
    tasks = choose(data, args.tasks)
    if args.processes:
        rows = run_shared(data, args.tasks, args.base, args.seed, args.budget, args.processes)
        show(console, f"{data}: {len(tasks)} tasks, {args.processes} processes", rows)
        return rows
    judge = judge_by_answers(data)
    rows = {}
    by_proposer: dict[str, Outcome] = {}
    for setting in (args.base, *args.settings.values()):
        solved: set[str] = set()
        gains = Gains(judge) if args.gains else None
        finders = Finders() if args.without else None
        watcher = gains or finders
        for loop, outcome in run(tasks, setting, args.threads, args.seed, args.budget, watcher):
            by_proposer = score(loop, judge, outcome)
            is_single = len(args.budget) == 1
            name = setting.name if is_single else f"{setting.name}, {outcome.cpu_s:,.0f} s"
            rows[name] = outcome
            if args.settings or not is_single:
                lost = sorted(solved - outcome.solved_ids)
                again = f", lost again: {', '.join(lost)}" if lost else ""
                console.print(f"{name}: {outcome.solved} solved, {outcome.cpu_s:.0f} s{again}")
            solved = outcome.solved_ids
        if gains is not None:
            console.print(gains.table)
        if finders is not None:
            finders.show(console, loop, judge)
        if not args.settings:
            show_passes(console, loop)
            judged[Path(data).stem] = [Judged(loop.candidates(task), judge) for task in loop.tasks]
    shown = rows
    if not args.settings:
        shown = rows | {f"first attempt by {name}": each for name, each in by_proposer.items()}
    show(console, f"{data}: {len(tasks)} tasks, library off, {args.threads} threads", shown)
    for name, each in rows.items():
        ms = 1000 * each.ranking_s / max(len(tasks), 1)
        console.print(f"ranking, {name}: {ms:.2f} ms of CPU per task")
    if args.settings:
        show_lost(console, rows)
    return rows


def main() -> None:
    args = parse_arguments()
    console = Console(width=130)
    totals: dict[str, Outcome] = {}
    judged: dict[str, list[Judged]] = {}
    sets = args.data.split(",")
    for data in sets:
        for name, outcome in run_set(console, data, args, judged).items():
            outcome.solved_ids = {f"{Path(data).stem}/{task_id}" for task_id in outcome.solved_ids}
            totals.setdefault(name, Outcome()).add(outcome)
    if len(sets) > 1:
        show(console, f"all {len(sets)} sets", totals)
        if args.settings:
            show_lost(console, totals)
    if args.confidence:
        reliability(
            console, [each for of_set in judged.values() for each in of_set], args.confidence
        )
    if args.fit:
        fit(console, judged)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    console.print(f"peak memory {peak:,.0f} MiB")


def show_passes(console: Console, loop: Loop) -> None:
    table = Table(title="passes of enumerate")
    for heading in (
        "pass",
        "tasks",
        "no size",
        "moves applied",
        "values",
        "pieces",
        "stacks",
        "CPU",
        "moves per second",
        "most memory of a task",
    ):
        table.add_column(heading)
    for name, count in loop.parts().get("enumerate", {}).items():
        rate = count["n_applications"] / count["walk_s"] if count["walk_s"] else 0.0
        table.add_row(
            name,
            str(count["n_tasks"]),
            str(count["n_without_size"]),
            *(f"{count[key]:,}" for key in ("n_applications", "n_values", "n_pieces", "n_stacks")),
            f"{count['cpu_s']:.1f} s",
            f"{rate / 1e6:.2f} million",
            f"{count['n_bytes'] / 2**20:.0f} MiB",
        )
    console.print(table)


if __name__ == "__main__":
    main()
