"""`arcbatt run`: every program on every task, and who solves what."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import RenderableType
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from arcbatt.language import Program, ProgramError
from arcbatt.library import library_programs
from arcbatt.measure import current_clock
from arcbatt.pool import NewProgram, Pool, default_path
from arcbatt.pool.rows import IMPORT, LIBRARY, kind_of
from arcbatt.search.remembering import ResultMemory
from arcbatt.search.running import Match, ProgramRun, RanProgram, RunReport

from . import INTERRUPTED
from .check_command import parse_files
from .console import (
    print_blocks,
    print_error,
    print_json,
    print_notice,
    stderr,
    stop,
    warnings_as_notices,
)
from .finding import check_device, choose_tasks
from .options import DEFAULT_DATA, DataSet, DeviceName, TaskIds, Threads
from .pool_command import AsJson, PoolFile, open_pool

RUN_EXAMPLES = (
    ("arcbatt run", "the pool's solvers, or the bundled ones, on ARC-AGI-1 training"),
    ("arcbatt run --pool mine.db --store", "and keep the scores in the pool"),
    ("arcbatt run --programs mine.py --tasks 00d62c1b,67a3c6ac", "your own beside them, two tasks"),
    ("arcbatt run --data arc-agi-2/training --full --json", "on every sample, for a script"),
)

# So soon after Ctrl-C what is running ends.
PART_S = 0.4
# More names than this in one cell help nobody; --json has them all.
SHOWN_IN_CELL = 6


def run(
    pool: PoolFile = None,
    data: DataSet = DEFAULT_DATA,
    tasks: TaskIds = None,
    programs: Annotated[
        list[Path] | None,
        typer.Option(
            "--programs",
            metavar="FILE",
            help="Run the programs of a file too; may be given several times.",
            show_default=False,
        ),
    ] = None,
    device: DeviceName = "auto",
    threads: Threads = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full/--staged",
            help="Run every program on every sample, or in stages: on the first demo of a task, on "
            "the others if that matches, on its test inputs if all do.",
        ),
    ] = False,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=0, help="How many rows to show; 0 for all.")
    ] = 20,
    store: Annotated[
        bool,
        typer.Option(
            "--store",
            help="Keep the scores in the pool, and programs of files that have one; the pool is "
            "made if it is not there.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run every program on every task, and say who solves what.

    Programs are the solvers of the pool, if there is one, and those of files; without either, the
    solvers that come with arcbatt. A program solves a task when it gives the output of every demo.
    Whether it is right on test inputs is not looked at.

    With a pool, what programs gave in stages is remembered in it, and not run again.

    Ctrl-C ends the run and shows what is done.

    Status 0, 2 if a program or file cannot be read, 130 if the run was ended.
    """
    check_device(device)
    chosen = choose_tasks(data, tasks or [])
    source = _find_programs(pool, programs or [], may_be_made=store)
    running = ProgramRun(
        chosen,
        staged=not full,
        device=device,
        n_threads=threads,
        part_s=PART_S,
        memory=None if source.pool is None else ResultMemory(source.pool.results, chosen, None),
    )
    try:
        with warnings_as_notices(), _bar(source, len(chosen), as_json) as advance:
            is_ended = _run_all(running, source, advance)
    finally:
        source.close()
    report = running.report()
    if not report.programs and not is_ended:
        stop(_nothing_to_run(source))
    stored = _store(report, source, pool) if store else {}
    if as_json:
        print_json({"set": data, **report.to_json(), **stored, "wall_s": _wall_s()})
    else:
        print_blocks(*_draw(report, limit), _summary(report))
        if stored:
            print_blocks(Text(f"{stored['stored_scores']:,} scores kept in {stored['pool']}"))
    _say_what_was_left(report, source)
    if is_ended:
        n_pairs = source.n_programs * len(chosen)
        print_notice(f"ended after {report.n_pairs:,} of {n_pairs:,} (program, task) pairs")
        raise typer.Exit(INTERRUPTED)
    if source.errors:
        raise typer.Exit(2)


def _wall_s() -> float:
    """Since the process began, as `--timing` has it."""
    clock = current_clock()
    assert clock is not None  # `app` has one while a command runs
    return clock.report().main.wall_s


# --- where programs come from ---


@dataclass
class _Source:
    """The programs to run, and what could not be read or is not run."""

    pool: Pool | None
    n_in_pool: int
    files: list[Program]
    library: list[Program]
    errors: list[str]
    n_differs: int

    @property
    def n_programs(self) -> int:
        return self.n_in_pool + len(self.files) + len(self.library)

    def programs(self) -> Iterator[Program]:
        if self.pool is not None:
            yield from self.pool.solvers(lambda why: self.errors.append(f"of the pool, {why}"))
        yield from self.files
        yield from self.library

    def close(self) -> None:
        if self.pool is not None:
            self.pool.close()


def _find_programs(path: Path | None, paths: Sequence[Path], may_be_made: bool) -> _Source:
    parsed, rejected, errors = parse_files(paths)
    errors += [str(each.error) for each in rejected]
    solvers = [each.program for each in parsed if _is_solver(each.program)]
    # A pool that was named must be there, unless it is to be made.
    must_be_there = path is not None and not may_be_made
    is_there = must_be_there or (path or default_path()).exists()
    pool = open_pool(path) if is_there else None
    n_in_pool = 0 if pool is None else pool.stats().by_kind.get("solver", 0)
    library = [] if pool or paths else [each.program for each in library_programs()]
    return _Source(pool, n_in_pool, solvers, library, errors, len(parsed) - len(solvers))


def _is_solver(program: Program) -> bool:
    """A differ judges another program's output, and there is none here."""
    return kind_of(program.name) == "solver" and set(program.inputs) <= {"S", "I"}


def _nothing_to_run(source: _Source) -> str:
    reasons = ["there is no program to run", *source.errors]
    if source.n_differs:
        reasons.append("differs judge what programs give, and are not run by themselves")
    if source.pool is not None and not source.n_in_pool:
        where = source.pool.path
        reasons.append(f"{where}: no solvers in this pool; `arcbatt pool import` brings some in")
    return "\n".join(reasons)


# --- running ---


def _run_all(running: ProgramRun, source: _Source, advance: Callable[[int], None]) -> bool:
    """Runs everything; returns whether it was ended before by Ctrl-C."""
    try:
        for batt in running.batts(source.programs()):
            for n_tasks in running.parts(batt):
                advance(n_tasks * len(batt.batt.programs))
    except KeyboardInterrupt:
        return True
    return False


@contextmanager
def _bar(source: _Source, n_tasks: int, is_quiet: bool) -> Iterator[Callable[[int], None]]:
    """A bar of (program, task) pairs on stderr; gives what tells it of them."""
    console = stderr()
    with Progress(
        TextColumn("running"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.completed:,} of {task.total:,} (program, task) pairs", style="dim"),
        console=console,
        transient=True,
        disable=is_quiet or not console.is_terminal,
    ) as progress:
        bar = progress.add_task("", total=source.n_programs * n_tasks)
        yield lambda n_pairs: progress.advance(bar, n_pairs)


def _store(report: RunReport, source: _Source, path: Path | None) -> dict[str, Any]:
    """Keep the scores; programs that the pool lacks are added if they have one."""
    scores = report.new_trials()
    scored = {score.program for score in scores}
    new = []
    for programs, origin in ((source.files, IMPORT), (source.library, LIBRARY)):
        for program in programs:
            if program.result.digest in scored:
                try:
                    new.append(NewProgram.of(program, origin))
                except ProgramError as error:
                    source.errors.append(f"{program.name}: {error}")
    with open_pool(path, create=True) as pool, pool.writing():
        n_added = pool.add_programs(new)
        n_stored = pool.record_trials(scores, only_better=True)
        return {"pool": str(pool.path), "stored_scores": n_stored, "stored_programs": n_added}


# --- showing ---


def _draw(report: RunReport, limit: int) -> list[RenderableType]:
    drawn: list[RenderableType] = []
    if report.solvers:
        drawn.append(_table_of_solvers(report, limit or None))
    if report.transfers:
        drawn.append(_table_of_transfers(report, limit or None))
    drawn.append(_table_of_outcomes(report))
    return drawn


def _start(title: str) -> Table:
    return Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")


def _table_of_solvers(report: RunReport, limit: int | None) -> Table:
    shown = list(report.solvers.items())[:limit]
    table = _start(f"programs that solve a task: {len(report.solvers):,}")
    table.add_column("program", overflow="fold")
    table.add_column("calls", justify="right")
    table.add_column("solves", justify="right")
    table.add_column("its own", no_wrap=True)
    table.add_column("others", overflow="fold")
    table.add_column("demos matched", justify="right")
    table.add_column("failures", justify="right")
    table.add_column("cost", justify="right")
    for number, matches in shown:
        ran = report.programs[number]
        own = [match for match in matches if report.is_own(match)]
        others = [match for match in matches if not report.is_own(match)]
        table.add_row(
            ran.program.name,
            f"{ran.program.n_calls:,}",
            f"{len(matches):,}",
            _tasks_of(report, own) if own else _own_unsolved(ran, report),
            _tasks_of(report, others),
            f"{ran.n_matched:,}",
            f"{ran.n_failures:,}",
            f"{sum(match.steps for match in matches):,}",
        )
    _say_how_many_more(table, len(report.solvers) - len(shown))
    return table


def _own_unsolved(ran: RanProgram, report: RunReport) -> Text:
    """The task of the program's name, where it is among those that were run."""
    is_here = any(task.id == ran.own_task for task in report.tasks)
    return Text(f"not {ran.own_task}" if is_here else "-", style="red" if is_here else "dim")


def _tasks_of(report: RunReport, matches: Sequence[Match]) -> Text:
    text = Text()
    for match in matches[:SHOWN_IN_CELL]:
        task = report.tasks[match.task]
        # It is marked where a program solves a task and yet fails on a test input of it.
        fails = match.n_test_outputs != len(task.test_inputs)
        text.append(f"{task.id}{'!' * fails} ", style="yellow" if fails else "green")
    return _say_rest(text, len(matches))


def _say_rest(text: Text, total: int) -> Text:
    if total > SHOWN_IN_CELL:
        text.append(f"and {total - SHOWN_IN_CELL:,} more", style="dim")
    return text


def _table_of_transfers(report: RunReport, limit: int | None) -> Table:
    by_task: dict[int, list[Match]] = {}
    for match in report.transfers:
        by_task.setdefault(match.task, []).append(match)
    table = _start(f"tasks solved by programs for other tasks: {len(by_task):,}")
    table.add_column("task", no_wrap=True)
    table.add_column("its own program", no_wrap=True)
    table.add_column("also solved by, the cheapest first", overflow="fold")
    solved = report.solved
    for number, matches in list(by_task.items())[:limit]:
        has_own = any(report.is_own(match) for match in solved[number])
        names = [report.programs[match.program].program.name for match in matches]
        table.add_row(
            report.tasks[number].id,
            Text("solves it", style="green") if has_own else Text("none does", style="dim"),
            _say_rest(Text(" ".join(names[:SHOWN_IN_CELL]) + " "), len(names)),
        )
    _say_how_many_more(table, len(by_task) - len(list(by_task)[:limit]))
    return table


def _table_of_outcomes(report: RunReport) -> Table:
    """Failures by reason, and what is no failure."""
    which = "first demos, and tests where solved" if report.staged else "all samples"
    table = _start(f"on {which}")
    table.add_column("outcome", no_wrap=True)
    table.add_column("runs", justify="right")
    table.add_column("share", justify="right")
    n_failed = sum(report.failures.values())
    rows = {"a value": report.n_runs - n_failed}
    rows |= {f"failed: {reason.words}": n for reason, n in report.failures.items()}
    for words, n in rows.items():
        table.add_row(words, f"{n:,}", f"{n / report.n_runs:.1%}" if report.n_runs else "-")
    return table


def _say_how_many_more(table: Table, n_more: int) -> None:
    if n_more:
        table.caption = f"and {n_more:,} more; --limit 0 shows all"
        table.caption_justify = "left"


def _summary(report: RunReport) -> Text:
    n_solved = len(report.solved)
    text = Text(
        f"{n_solved:,} of {_several(len(report.tasks), 'task')} solved "
        f"by {len(report.solvers):,} of {_several(len(report.programs), 'program')}",
        style="bold green" if n_solved else "bold",
    )
    n_matched = sum(ran.n_matched for ran in report.programs)
    where = ", ".join(report.ran_on) or "no device"
    pairs = f"{report.n_pairs:,} (program, task) pairs"
    if report.n_recalled:
        pairs += f", {report.n_recalled:,} of them known before"
    text.append(
        f"\n{_several(n_matched, 'demo')} matched; {pairs}; "
        f"{_several(report.n_calls, 'call')}, {report.n_calls_before:,} before sharing; "
        f"{report.engine_s:.2f} s of {_wall_s():.2f} s in the engine, on {where}",
        style="dim",
    )
    return text


def _say_what_was_left(report: RunReport, source: _Source) -> None:
    n_fail = sum(
        match.n_test_outputs != len(report.tasks[match.task].test_inputs)
        for matches in report.solved.values()
        for match in matches
    )
    if n_fail:
        print_notice(f"!: solves the task, but fails on a test input; {n_fail:,} such")
    if source.n_differs:
        print_notice(f"{_several(source.n_differs, 'differ')} of the files not run")
    for error in source.errors:
        print_error(error)


def _several(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"
