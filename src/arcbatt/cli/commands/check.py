"""`arcbatt check`: check which programs are right on their tasks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from arcbatt.checking import (
    ChangedTaskCheck,
    CheckReport,
    FindTask,
    FurtherPairsCheck,
    ProgramCheck,
    check_on_changed_tasks,
    check_on_pairs,
    check_programs,
    count_results,
    find_named,
    is_differ,
    load_source,
    read_pairs,
)
from arcbatt.checking.changed_tasks import KINDS
from arcbatt.evaluation import run
from arcbatt.explainer import describe_rejection
from arcbatt.language import Budget, ParsedProgram
from arcbatt.language.budget import MAX_BUDGET
from arcbatt.library import library_files
from arcbatt.plurals import count
from arcbatt.tasks import Pair
from arcbatt.tasks.program_names import program_name, task_id_of

from ..check_drawing import draw_checked_task, draw_first_trouble
from ..completion import complete_task
from ..console import (
    can_overwrite,
    counting_bar,
    print_blocks,
    print_error,
    print_json,
    print_notice,
    stdout,
)
from ..lookup import get_known_task, parse_files
from ..options import AsJson, Plugins, TaskSource

EXAMPLES = (
    ("arcbatt check --library", "the bundled solvers"),
    ("arcbatt check my_solvers.py --show 2", "your own, two of them drawn"),
    ("arcbatt check mine.py --task 67a3c6ac", "programs of any name on one task"),
    ("arcbatt check evolved/*.py --json", "for a script"),
    ("arcbatt check mine.py --data tasks/", "on your own task files"),
    ("arcbatt check reply.md --task 00d62c1b --feedback", "a reply, in words"),
    ("arcbatt check mine.py --turned", "do they hold when their tasks are turned or recolored?"),
    ("arcbatt check --library --pairs more.json --explain", "on generated pairs of their tasks"),
)

CHANGES = {
    "turned": "turned or mirrored",
    "recolored": "recolored except for its background",
    "background": "on another background",
    "framed": "framed by its background",
}
# By result: its mark, its mark in ASCII, its style.
MARKS = {
    "right": ("✓", "+", "green"),
    "wrong": ("✗", "x", "red"),
    "failed": ("!", "!", "bold red"),
    "unjudged": ("?", "?", "yellow"),
}


def check(
    ctx: typer.Context,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE",
            help="Files of programs named solve_<task>. They are Python files of programs, or any "
            "text with programs in it, such as the reply of a language model (.md, .txt, .json) "
            "or a notebook: functions that stand there are read as data, never run.",
            show_default=False,
        ),
    ] = None,
    library: Annotated[
        bool, typer.Option("--library", help="Check the solvers that come with arcbatt.")
    ] = False,
    task: Annotated[
        str | None,
        typer.Option(
            "--task",
            metavar="ID",
            help="Check the programs of FILEs on this task, whatever their names. Of the bundled "
            "solvers, only its own is checked.",
            autocompletion=complete_task,
            show_default=False,
        ),
    ] = None,
    data: TaskSource = None,
    as_json: AsJson = False,
    show: Annotated[
        int,
        typer.Option("--show", metavar="N", min=0, help="Draw N of the tasks with their programs."),
    ] = 0,
    turned: Annotated[
        bool,
        typer.Option(
            "--turned",
            help="Report instead how programs do on changed tasks. The changes are the seven other "
            "orientations, exchanged colors, another background, a frame of background. Not every "
            "rule is symmetric, so a program that stops working is not counted as wrong.",
        ),
    ] = False,
    pairs: Annotated[
        Path | None,
        typer.Option(
            "--pairs",
            metavar="FILE",
            help="Check on the pairs of this file instead. It is a JSON object that has, for task "
            "ids, lists of pairs (objects with input and output), such as generators make (re-arc, "
            "ARC-GEN). Programs that are right on all, some or none are counted; those without "
            "pairs in FILE are not run.",
            show_default=False,
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="With --pairs, draw the first pair that each program gets wrong."
        ),
    ] = False,
    feedback: Annotated[
        bool,
        typer.Option(
            "--feedback",
            help="Say in plain text what each program gave. It is made for the prompt of a "
            "language model.",
        ),
    ] = False,
    plugin: Plugins = None,
    budget_steps: Annotated[
        int,
        typer.Option(
            "--budget-steps",
            metavar="N",
            min=1,
            max=MAX_BUDGET,
            help="The most steps on one input.",
        ),
    ] = Budget().steps,
    budget_bytes: Annotated[
        int,
        typer.Option(
            "--budget-bytes",
            metavar="N",
            min=16,
            max=MAX_BUDGET,
            help="The most bytes of values on one input.",
        ),
    ] = Budget().bytes,
) -> None:
    """Run programs on every demo and test input of their tasks and show which are right.

    A program named solve_<task> is for that task; a program for an unknown task is only typed.
    Each pair gets a mark, demos first: ✓ right, ✗ wrong, ! failed, ? unknown.
    A program that is right on all demos fits; one that is also right on all test inputs solves.
    The cost is the highest number of steps on one input. The default budget is the language's own,
    for programs that people write; the search, explain and differs allow 1,000,000 steps.

    Exits with 0 if all programs are right (with --turned always), with 1 if not, with 2 if a file
    or a program in it cannot be read.
    """
    paths = [*(library_files() if library else []), *(files or [])]
    if not paths:
        ctx.fail("give a FILE of programs, or --library for those that come with arcbatt")
    for path in files or []:
        if not path.exists() and find_named(program_name(str(path))) is not None:
            ctx.fail(
                f"{path} is a task: check FILE --task {path} checks your programs on it, and check "
                f"--library --task {path} the solver that comes with arcbatt"
            )
    if as_json and show:
        ctx.fail("--show draws and --json prints one JSON object; give only one of them")
    if turned and show:
        ctx.fail("--turned changes tasks and --show draws them as they are; give only one of them")
    if pairs and (turned or show):
        ctx.fail("--pairs reports on other pairs; give it without --turned and --show")
    if explain and (pairs is None or as_json):
        ctx.fail("--explain draws the pairs of --pairs FILE; give it with --pairs, without --json")
    further = {} if pairs is None else read_pairs(pairs)
    programs, rejected, errors = parse_files(paths)
    find: FindTask = find_named
    if task is not None:
        known = get_known_task(task, data)
        bundled = {str(path) for path in library_files()} if library else set()
        own = program_name(known.task.id)
        programs = [each for each in programs if each.file not in bundled or each.name == own]
        find = lambda _name: known  # noqa: E731
        if not programs and library and not files:
            ctx.fail(f"no solver for {known.task.id} comes with arcbatt")
    elif data is not None:
        tasks = load_source(data)
        find = tasks.find_named
        errors += (
            f"{program.name} cannot be judged: {tasks.bad[program.name].faults[0]}"
            for program in programs
            if program.name in tasks.bad
        )
        if tasks.no_answers:
            print_notice(f"test inputs are run, not judged: {tasks.no_answers}")
    budget = Budget(steps=budget_steps, bytes=budget_bytes)
    is_quiet = as_json or not can_overwrite(stdout())
    if turned:
        _report_turned(programs, find, budget, as_json, is_quiet)
        for error in (*errors, *(each for found in rejected for each in found.errors)):
            print_error(str(error))
        if errors or rejected:
            raise typer.Exit(2)
        return
    if pairs:
        errors += (
            f"{pairs}: task {task_id}: no known task has this id"
            for task_id in further
            if find(program_name(task_id)) is None
        )
        by_name = {program_name(task_id): each for task_id, each in further.items()}
        further_checks, without = _check_on_pairs(programs, find, by_name, budget, is_quiet)
        _report_pairs(further_checks, without, as_json, explain)
        for error in (*errors, *(each for found in rejected for each in found.errors)):
            print_error(str(error))
        if errors or rejected:
            raise typer.Exit(2)
        if not all(check.is_right for check in further_checks):
            raise typer.Exit(1)
        return
    checks = _check_all(programs, find, budget, is_quiet)
    report = CheckReport(tuple(checks), tuple(rejected), tuple(errors))
    texts = [_feedback(check, budget) for check in checks] if feedback else []
    texts += [describe_rejection(each) for each in rejected] if feedback else []
    if as_json:
        content = report.to_json()
        for shown, text in zip(content["programs"], texts, strict=False):
            shown["feedback"] = text
        print_json(content)
    elif feedback:
        print_blocks(Text("\n\n".join(texts)))
    else:
        _print_report(report, show)
    # With --feedback, the errors of programs are in the text.
    said = () if feedback and not as_json else rejected
    for error in (*report.errors, *(each for found in said for each in found.errors)):
        print_error(str(error))
    if not report.all_fine:
        raise typer.Exit(2 if report.errors or report.rejected else 1)


def _feedback(check: ProgramCheck, budget: Budget) -> str:
    """Return what a program gave, in plain text."""
    if check.known is None:
        return f"{check.program.name}: {check.reason or 'no known task: typed only'}"
    return run(check.program, check.known.task, budget, device="cpu", n_threads=1).feedback()


def _with_progress(programs: Sequence[ParsedProgram], is_quiet: bool) -> Iterator[ParsedProgram]:
    """Yield the programs, with a progress bar."""
    with counting_bar("checking", is_quiet) as progress:
        bar = progress.add_task("", total=len(programs))
        for program in programs:
            progress.update(bar, description=program.name)
            yield program
            progress.advance(bar)


def _check_all(
    programs: Sequence[ParsedProgram], find: FindTask, budget: Budget, is_quiet: bool
) -> list[ProgramCheck]:
    return list(check_programs(_with_progress(programs, is_quiet), find, budget))


def _check_on_pairs(
    programs: Sequence[ParsedProgram],
    find: FindTask,
    pairs: Mapping[str, tuple[Pair, ...]],
    budget: Budget,
    is_quiet: bool,
) -> tuple[list[FurtherPairsCheck], list[str]]:
    """Return the checks of programs on pairs by program name, and the programs without any."""
    checks: list[FurtherPairsCheck] = []
    without: list[str] = []
    for program in _with_progress(programs, is_quiet):
        known = None if is_differ(program) else find(program.name)
        if known is None or program.name not in pairs:
            without.append(program.name)
        else:
            checks.append(check_on_pairs(program, known.task, pairs[program.name], budget))
    return checks, without


def _report_pairs(
    checks: Sequence[FurtherPairsCheck], without: Sequence[str], as_json: bool, explain: bool
) -> None:
    """Print how programs do on further pairs, and how many programs have none."""
    counts = count_results(checks)
    if as_json:
        programs = [check.to_json() for check in checks]
        print_json({"programs": programs, "without_pairs": without, "right_on": counts})
        return
    if explain:
        for check in checks:
            if check.first_trouble is not None:
                print_blocks(draw_first_trouble(check), Text())
    if checks:
        print_blocks(_pairs_table(checks))
    summary = (
        f"of {count(len(checks), 'program')}, {counts['all']} right on all pairs, "
        f"{counts['some']} on some, {counts['none']} on none"
    )
    style = "bold green" if counts["all"] == len(checks) else "bold red"
    print_blocks(Text(summary, style=style))
    if without:
        print_notice(f"without pairs in the file: {count(len(without), 'program')}")


def _pairs_table(checks: Sequence[FurtherPairsCheck]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("program", "pairs", "right"):
        table.add_column(heading, no_wrap=True)
    table.add_column("what is wrong", overflow="fold")
    for check in checks:
        trouble = check.first_trouble
        table.add_row(
            check.program.name,
            _marks(pair.result for pair in check.checks),
            f"{check.n_right} of {len(check.checks)}",
            Text(trouble[1].located_reason if trouble else "", style="red"),
        )
    return table


def _report_turned(
    programs: Sequence[ParsedProgram],
    find: FindTask,
    budget: Budget,
    as_json: bool,
    is_quiet: bool,
) -> None:
    """Print how programs do on changed tasks, and name those without a known task."""
    checks: list[ChangedTaskCheck] = []
    unknown: list[str] = []
    for program in _with_progress(programs, is_quiet):
        known = None if is_differ(program) else find(program.name)
        if known is None:
            unknown.append(program.name)
        else:
            checks.append(check_on_changed_tasks(program, known, budget))
    n_holding = {
        kind: (
            sum(all(check.holds[kind]) for check in checks if check.holds[kind]),
            sum(bool(check.holds[kind]) for check in checks),
        )
        for kind in KINDS
    }
    if as_json:
        print_json(
            {
                "programs": [check.to_json() for check in checks],
                "unknown": unknown,
                "hold": {kind: {"all": n, "of": of} for kind, (n, of) in n_holding.items()},
            }
        )
        return
    if checks:
        print_blocks(_turned_table(checks))
    for kind, (n, of) in n_holding.items():
        print_blocks(Text(f"{n} of {of} programs still work when their task is {CHANGES[kind]}"))
    if unknown:
        print_notice(f"for no known task: {', '.join(unknown)}")


def _turned_table(checks: Sequence[ChangedTaskCheck]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("program", *KINDS):
        table.add_column(heading, no_wrap=True)
    for check in checks:
        marks = [
            _marks("right" if held else "wrong" for held in check.holds[kind]) for kind in KINDS
        ]
        table.add_row(check.program.name, *marks)
    return table


def _marks(results: Iterable[str]) -> Text:
    ascii_only = stdout().options.ascii_only
    marks = Text()
    for result in results:
        mark, ascii_mark, style = MARKS[result]
        marks.append(ascii_mark if ascii_only else mark, style=style)
    return marks


def _print_report(report: CheckReport, show: int) -> None:
    if not report.programs and not report.rejected:
        return  # no file could be read, as errors say
    drawable = [check for check in report.programs if check.known is not None]
    for check in drawable[:show]:
        print_blocks(draw_checked_task(check), Text())
    if report.total:
        print_blocks(_table(report))
    summary = Text(
        f"{report.n_right} of {report.total} right",
        style="bold green" if report.all_fine else "bold red",
    )
    n_only_fit = sum(bool(check.fits) and check.solves is False for check in report.programs)
    if n_only_fit:
        summary.append(f", {n_only_fit} fit{'s' * (n_only_fit == 1)} but wrong", style="red")
    if report.n_typed_only:
        summary.append(f", {report.n_typed_only} for no known task (typed only)", style="yellow")
    print_blocks(summary)


def _table(report: CheckReport) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("program", no_wrap=True)
    table.add_column("task", no_wrap=True)
    table.add_column("pairs", no_wrap=True)
    table.add_column("cost", justify="right", no_wrap=True)
    table.add_column("what is wrong", overflow="fold")
    for check in report.programs:
        task = check.task_id or "-"
        table.add_row(
            check.program.name,
            task if check.known else Text(task, style="dim"),
            _marks(pair.result for pair in check.pairs),
            "" if check.cost is None else f"{check.cost:,}",
            _trouble(check),
        )
    for rejected in report.rejected:
        table.add_row(
            rejected.name,
            Text(task_id_of(rejected.name) or "-", style="dim"),
            "",
            "",
            Text(str(rejected.error), style="red"),
        )
    return table


def _trouble(check: ProgramCheck) -> Text:
    if check.right:
        # The warning is about inputs that no pair has.
        return Text("\n".join(map(str, check.warnings)), style="yellow")
    if check.right is None:
        lines = [str(warning) for warning in check.warnings] or ["no known task: typed only"]
        return Text("\n".join(lines), style="yellow")
    return Text(check.reason or "", style="red")
