"""`arcbatt run`: run every program on every task."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import RenderableType
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from arcbatt.evaluation import ResultCache, TaskBoard, Trial
from arcbatt.evaluation.program_run import ProgramResult, ProgramRun
from arcbatt.language import Program, ProgramError
from arcbatt.library import library_programs
from arcbatt.plurals import count
from arcbatt.pool import Pool, PoolProgram
from arcbatt.pool.rows import IMPORT, LIBRARY, kind_of

from .. import INTERRUPTED
from ..console import (
    FittingTable,
    can_overwrite,
    note_hidden_rows,
    print_blocks,
    print_error,
    print_json,
    print_notice,
    stderr,
    stop,
    warnings_as_notices,
)
from ..lookup import check_device, choose_tasks, find_tasks, parse_files
from ..options import (
    DEFAULT_DATA,
    AsJson,
    DeviceName,
    Library,
    Limit,
    Plugins,
    TaskIds,
    Tasks,
    Threads,
)
from ..timing import wall_s

EXAMPLES = (
    ("arcbatt run", "the bundled solvers on ARC-AGI-1 training"),
    ("arcbatt run --pool mine.db --store", "the programs of a pool too; keep the trials in it"),
    ("arcbatt run --program mine.py --tasks 00d62c1b,67a3c6ac", "your own too, on two tasks"),
    ("arcbatt run 00d62c1b", "the bundled solvers on one task"),
    ("arcbatt run arc-agi-1/training --full --json", "on every demo, for a script"),
)

# A table cell lists at most this many names; --json has them all.
SHOWN_IN_CELL = 6


def run(
    source: Tasks = DEFAULT_DATA,
    pool: Annotated[
        Path | None,
        typer.Option(
            "--pool",
            metavar="FILE",
            help="Run the solvers of this pool too, and cache their results in it.",
        ),
    ] = None,
    library: Library = True,
    tasks: TaskIds = None,
    program: Annotated[
        list[Path] | None,
        typer.Option(
            "--program",
            metavar="FILE",
            help="Run the programs of a file too; may be given several times.",
        ),
    ] = None,
    plugin: Plugins = None,
    device: DeviceName = "auto",
    threads: Threads = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full/--staged",
            help="Run every program on every demo, or in stages: on a task's first demo, and on "
            "the others if it fits the first.",
        ),
    ] = False,
    limit: Limit = 20,
    store: Annotated[
        bool,
        typer.Option(
            "--store",
            help="Keep the trials, and programs that fit a demo, in the pool; it is created if it "
            "does not exist.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run every program on every task, and show which program fits which task.

    Programs are the solvers that come with arcbatt, and those of a pool and of files. A program
    fits a task if it gives the output of every demo. Answers to test inputs are not looked at.

    With a pool, results of staged runs are cached in it, and not computed again.

    Ctrl-C ends the run and shows the results so far.

    Exits with 0, with 2 if a program or file cannot be read, with 130 if it was interrupted.
    """
    check_device(device)
    if store and pool is None:
        stop("--store keeps trials in a pool; name it with --pool")
    data, ids = find_tasks(source, tasks)
    chosen = choose_tasks(data, ids or ())
    with warnings_as_notices(), _open_source(pool, program or [], library, store) as programs:
        done = ProgramRun(
            TaskBoard(chosen, device=device, n_threads=threads),
            staged=not full,
            cache=None if programs.pool is None else ResultCache(programs.pool.results, chosen),
        )
        with _bar(programs, len(chosen), as_json) as advance:
            is_ended = _run_all(done, programs, advance)
        if not done.programs and not is_ended:
            stop(_explain_nothing_to_run(programs))
        stored = _store(done, programs) if store else {}
    if as_json:
        content = {"set": data, "from": programs.origins, **done.to_json(), **stored}
        print_json({**content, "ended": is_ended, "wall_s": wall_s()})
    else:
        print_blocks(*_draw(done, limit), _summary(done, programs))
        if stored:
            print_blocks(Text(f"{stored['stored_trials']:,} trials kept in {stored['pool']}"))
    _print_notices(done, programs)
    if is_ended:
        n_pairs = programs.n_different * len(chosen)
        print_notice(f"interrupted after {done.n_pairs:,} of {n_pairs:,} (program, task) pairs")
        raise typer.Exit(INTERRUPTED)
    if programs.errors:
        raise typer.Exit(2)


# --- programs ---


@dataclass
class _Source:
    """The programs to run, with errors and counts of those that are not run."""

    pool: Pool | None
    n_in_pool: int
    files: list[Program]
    library: list[Program]
    errors: list[str]
    n_differs: int
    n_unreadable: int = 0

    @cached_property
    def _n_outside_pool(self) -> int:
        """The number of distinct programs that are not in the pool."""
        digests = {program.result.digest for program in (*self.files, *self.library)}
        return len(digests) - (0 if self.pool is None else len(self.pool.contains(digests)))

    @property
    def n_different(self) -> int:
        """The number of distinct programs to run, as far as known."""
        return self.n_in_pool - self.n_unreadable + self._n_outside_pool

    @property
    def origins(self) -> dict[str, int]:
        """The number of programs by where they come from."""
        origins = {"library": len(self.library), "files": len(self.files)}
        if self.pool is not None:
            origins[str(self.pool.path)] = self.n_in_pool
        return {place: n for place, n in origins.items() if n}

    def programs(self) -> Iterator[Program]:
        if self.pool is not None:
            yield from self.pool.solvers(self._skip)
        yield from self.files
        yield from self.library

    def _skip(self, error: str) -> None:
        self.errors.append(error)
        self.n_unreadable += 1


@contextmanager
def _open_source(
    path: Path | None, paths: Sequence[Path], library: bool, create: bool
) -> Iterator[_Source]:
    parsed, rejected, errors = parse_files(paths)
    errors += [str(each) for found in rejected for each in found.errors]
    solvers = [each.program for each in parsed if _is_solver(each.program)]
    bundled = [each.program for each in library_programs()] if library else []
    n_differs = len(parsed) - len(solvers)
    if path is None:
        yield _Source(None, 0, solvers, bundled, errors, n_differs)
        return
    with Pool.open(path, create=create) as pool:
        n_in_pool = pool.stats().by_kind.get("solver", 0)
        yield _Source(pool, n_in_pool, solvers, bundled, errors, n_differs)


def _is_solver(program: Program) -> bool:
    """Return whether a program can be run; a differ needs another program's output."""
    return kind_of(program.name) == "solver" and set(program.inputs) <= {"S", "I"}


def _explain_nothing_to_run(source: _Source) -> str:
    reasons = ["there is no program to run", *source.errors]
    if source.n_differs:
        reasons.append("differs judge the output of other programs, and are not run by themselves")
    if source.pool is not None and not source.n_in_pool:
        where = source.pool.path
        reasons.append(f"{where}: no solvers in this pool; `arcbatt pool import` adds some")
    return "\n".join(reasons)


# --- running ---


def _run_all(running: ProgramRun, source: _Source, advance: Callable[[int], None]) -> bool:
    """Run all programs; return whether Ctrl-C interrupted it."""
    try:
        for n_programs in running.batts(source.programs()):
            advance(n_programs * len(running.board))
    except KeyboardInterrupt:
        return True
    return False


@contextmanager
def _bar(source: _Source, n_tasks: int, is_quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show a bar of (program, task) pairs on stderr; yield the function that advances it."""
    console = stderr()
    with Progress(
        TextColumn("running"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.completed:,} of {task.total:,} (program, task) pairs", style="dim"),
        console=console,
        transient=True,
        disable=is_quiet or not can_overwrite(console),
    ) as progress:
        bar = progress.add_task("", total=source.n_different * n_tasks)
        yield lambda n_pairs: progress.update(
            bar, advance=n_pairs, total=source.n_different * n_tasks
        )


def _store(done: ProgramRun, source: _Source) -> dict[str, Any]:
    """Store the trials, and the programs with trials that the pool lacks."""
    assert source.pool is not None  # --store requires --pool
    trials = done.to_rows()
    tried = {trial.program for trial in trials}
    new = []
    for programs, origin in ((source.files, IMPORT), (source.library, LIBRARY)):
        for program in programs:
            if program.result.digest in tried:
                try:
                    new.append(PoolProgram.of(program, origin))
                except ProgramError as error:
                    source.errors.append(f"{program.name}: {error}")
    with source.pool.writing():
        n_added = source.pool.add_programs(new)
        n_stored = source.pool.record_trials(trials, only_better=True)
    return {"pool": str(source.pool.path), "stored_trials": n_stored, "stored_programs": n_added}


# --- showing ---


def _draw(done: ProgramRun, limit: int) -> list[RenderableType]:
    drawn: list[RenderableType] = []
    if done.fitting:
        drawn.append(_table_of_fitting(done, limit or None))
    if done.transfers:
        drawn.append(_table_of_transfers(done, limit or None))
    return [*drawn, _table_of_outcomes(done)]


def _start(title: str) -> Table:
    return Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")


def _table_of_fitting(done: ProgramRun, limit: int | None) -> Table:
    fitting = done.fitting
    shown = fitting[:limit]
    table = FittingTable("failures", "calls", "cost", "demos fitted")
    table.title = f"programs that fit a task: {len(fitting):,}"
    table.title_justify, table.title_style = "left", "bold"
    table.add_column("program", overflow="fold", min_width=14)
    table.add_column("calls", justify="right")
    table.add_column("fits", justify="right")
    table.add_column("its own", no_wrap=True)
    table.add_column("others", overflow="fold")
    table.add_column("demos fitted", justify="right")
    table.add_column("failures", justify="right")
    table.add_column("cost", justify="right")
    for result in shown:
        fitted = result.fitted
        table.add_row(
            _some_of(result.names),
            f"{result.program.n_calls:,}",
            f"{len(fitted):,}",
            _own_tasks(done, result),
            _tasks_of([trial for trial in fitted if not result.is_own(trial)]),
            f"{result.n_fitted:,}",
            f"{result.n_failures:,}",
            f"{sum(trial.steps for trial in fitted):,}",
        )
    note_hidden_rows(table, len(fitting) - len(shown))
    return table


def _own_tasks(done: ProgramRun, result: ProgramResult) -> Text:
    """Return the tasks that a program is named after: those it fits, and those it misses."""
    own = [trial for trial in result.fitted if result.is_own(trial)]
    fitted = {trial.task.id for trial in own}
    missed = [t.id for t in done.tasks if t.id in result.own_tasks and t.id not in fitted]
    text = _tasks_of(own)
    if missed:
        text.append(f"not {' '.join(missed)}", style="red")
    return text if text else Text("-", style="dim")


def _tasks_of(trials: Sequence[Trial]) -> Text:
    text = Text()
    for trial in trials[:SHOWN_IN_CELL]:
        lacks_output = _lacks_output(trial)
        mark, style = ("!", "yellow") if lacks_output else ("", "green")
        text.append(f"{trial.task.id}{mark} ", style=style)
    return _note_rest(text, len(trials))


def _lacks_output(trial: Trial) -> bool:
    """Return whether a program gives no output for some test input."""
    return trial.n_outputs != len(trial.task.test_inputs)


def _some_of(names: Sequence[str]) -> Text:
    return _note_rest(Text(" ".join(names[:SHOWN_IN_CELL]) + " "), len(names))


def _note_rest(text: Text, total: int) -> Text:
    if total > SHOWN_IN_CELL:
        text.append(f"and {total - SHOWN_IN_CELL:,} more", style="dim")
    return text


def _table_of_transfers(done: ProgramRun, limit: int | None) -> Table:
    by_task, fitted = done.transfers, done.fitted
    table = _start(f"tasks fitted by programs for other tasks: {len(by_task):,}")
    table.add_column("task", no_wrap=True)
    table.add_column("its own program", no_wrap=True)
    table.add_column("also fitted by, the cheapest first", overflow="fold")
    shown = list(by_task)[:limit]
    for task in shown:
        has_own = any(result.is_own(trial) for result, trial in fitted[task])
        table.add_row(
            task,
            Text("fits it", style="green") if has_own else Text("none does", style="dim"),
            _some_of([result.program.name for result in by_task[task]]),
        )
    note_hidden_rows(table, len(by_task) - len(shown))
    return table


def _table_of_outcomes(done: ProgramRun) -> Table:
    """Return a table of values and of failures by reason."""
    table = _start("on first demos")
    table.add_column("outcome", no_wrap=True)
    table.add_column("runs", justify="right")
    table.add_column("share", justify="right")
    n_failed = sum(done.failures.values())
    rows = {"a value": done.n_pairs - n_failed}
    rows |= {f"failed: {reason.words}": n for reason, n in done.failures.items()}
    for words, n in rows.items():
        table.add_row(words, f"{n:,}", f"{n / done.n_pairs:.1%}" if done.n_pairs else "-")
    return table


def _summary(done: ProgramRun, source: _Source) -> Text:
    n_fitted, size = len(done.fitted), done.size
    text = Text(
        f"{len(done.fitting):,} of {count(len(done.programs), 'program')} "
        f"fit {n_fitted:,} of {count(len(done.tasks), 'task')}",
        style="bold green" if n_fitted else "bold",
    )
    n_demos = sum(result.n_fitted for result in done.programs)
    where = ", ".join(done.ran_on) or "no device"
    pairs = f"{done.n_pairs:,} (program, task) pairs"
    if done.n_recalled:
        pairs += f", {done.n_recalled:,} of them from the cache"
    origins = ", ".join(f"{n:,} of {place}" for place, n in source.origins.items())
    if done.n_same:
        origins += f"; {done.n_same:,} {'is' if done.n_same == 1 else 'are'} the same as others"
    text.append(
        f"\nprograms: {origins}\n{count(n_demos, 'demo')} fitted; {pairs}; "
        f"{count(size.n_calls, 'call')}, {size.n_calls_before:,} before sharing; "
        f"{done.engine_s:.2f} s of {wall_s():.2f} s in the engine, on {where}",
        style="dim",
    )
    return text


def _print_notices(done: ProgramRun, source: _Source) -> None:
    n_lacking = sum(_lacks_output(trial) for result in done.programs for trial in result.fitted)
    if n_lacking:
        print_notice(f"!: fits the task, but gives no output for a test input ({n_lacking:,})")
    if source.n_differs:
        print_notice(f"{count(source.n_differs, 'differ')} in the files not run")
    for error in source.errors:
        print_error(error)
