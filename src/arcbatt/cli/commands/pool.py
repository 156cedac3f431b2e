"""`arcbatt pool`: show, fill, export, prune and merge pools."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from arcbatt.explainer import draw_code
from arcbatt.interrupts import TERMINATION, Interrupt, noting_interrupts
from arcbatt.language import ProgramError
from arcbatt.library import library_programs
from arcbatt.measure import phase
from arcbatt.plurals import count
from arcbatt.pool import (
    ImportCount,
    Pool,
    PoolProgram,
    PoolStats,
    PoolTrial,
    ProgramSummary,
    default_path,
    export_file,
    import_file,
    read_rows,
)
from arcbatt.pool import merge as merge_pools
from arcbatt.pool.errors import abbreviate, escape

from .. import INTERRUPTED, ignore_signals, notes_interrupts
from ..console import (
    FittingTable,
    can_overwrite,
    print_blocks,
    print_error,
    print_json,
    print_notice,
    stderr,
    stdout,
    stop,
    warnings_as_notices,
)
from ..groups import format_examples, make_group
from ..options import AsJson, Limit

app = make_group("Keep programs and their trials in a file: list, import, export, merge.")

LIST_EXAMPLES = (("arcbatt pool list --task 00d62c1b", "which programs are good at a task"),)
SHOW_EXAMPLES = (
    ("arcbatt pool show 3f9a", "one program, its trials, its parents"),
    ("arcbatt pool show solve_67a3c6ac", "the same, by its name"),
)
IMPORT_EXAMPLES = (
    ("arcbatt pool import --library", "make a pool of the bundled solvers"),
    ("arcbatt pool import solvers.py --pool mine.db", "your own programs, in a pool of your own"),
)
EXPORT_EXAMPLES = (("arcbatt pool export solvers.py", "a file of all programs"),)
PRUNE_EXAMPLES = (
    ("arcbatt pool prune --keep 10", "the ten best of each task, and all that fit one"),
)
STATS_EXAMPLES = (("arcbatt pool stats --json", "for a script"),)
MERGE_EXAMPLES = (
    ("arcbatt pool merge runs/solve-20260101-120000/pool.db", "keep what a run has found"),
)
EXAMPLES = (
    *IMPORT_EXAMPLES,
    *LIST_EXAMPLES,
    *SHOW_EXAMPLES,
    *EXPORT_EXAMPLES,
    *PRUNE_EXAMPLES,
    *STATS_EXAMPLES,
    *MERGE_EXAMPLES,
)

HASH_DIGITS = 12
SHOWN_DEPTH = 6

PoolFile = Annotated[
    Path | None,
    typer.Option(
        "--pool",
        metavar="FILE",
        help="The pool; by default the file that ARCBATT_POOL names, or arcbatt/pool.db in your "
        "data folder (on Linux ~/.local/share).",
    ),
]


def open_pool(path: Path | None, create: bool = False) -> Pool:
    """Open the pool in a file, or the default pool.

    With `create`, a missing pool is created, and the pool must be writable.
    """
    if path is None:
        path = default_path()
        if create:
            path.parent.mkdir(parents=True, exist_ok=True)
    return Pool.open(path, create=create, readonly=False if create else None)


@contextmanager
def _reporting_interrupt(pool: Pool) -> Iterator[None]:
    """After Ctrl-C, print how many programs were added, and exit with its status."""
    n_before = pool.n_programs
    try:
        yield
    except KeyboardInterrupt:
        _end_interrupted(pool.n_programs - n_before)


def _end_interrupted(n_added: int) -> NoReturn:
    added = f"{count(n_added, 'program')} {'was' if n_added == 1 else 'were'} added"
    print_notice(f"interrupted; {added}, the same command adds the rest")
    raise typer.Exit(INTERRUPTED)


def _print_line(text: str, style: str = "") -> None:
    """Print a line without wrapping, so that a path in it stays whole."""
    stdout().print(Text(text, style=style), soft_wrap=True)


@app.command("list", epilog=format_examples(LIST_EXAMPLES))
def list_programs(
    pool: PoolFile = None,
    task: Annotated[
        str | None,
        typer.Option("--task", metavar="ID", help="Only programs with a trial on this task."),
    ] = None,
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """List programs, those that fit most tasks first."""
    with open_pool(pool) as opened, warnings_as_notices():
        programs = opened.summaries(task_name=task, limit=limit or None)
        total = opened.n_programs
    if as_json:
        rows = [_summary_to_json(each) for each in programs]
        print_json({"pool": str(opened.path), "programs": rows, "total": total})
        return
    if programs:
        print_blocks(_table_of_programs(programs))
    where = f" with a trial on {task}" if task else ""
    text = f"{len(programs):,}{where} of {count(total, 'program')} in {opened.path}"
    _print_line(text, "dim")


@app.command(epilog=format_examples(SHOW_EXAMPLES))
def show(
    program: Annotated[
        str,
        typer.Argument(
            metavar="PROGRAM", help="The program's name, or the first digits of its hash."
        ),
    ],
    pool: PoolFile = None,
    as_json: AsJson = False,
) -> None:
    """Show one program: its text, its trials, and its ancestors."""
    with open_pool(pool) as opened, warnings_as_notices():
        matches = opened.find(program)
        if len(matches) != 1:
            stop(_explain_no_match(program, matches, opened))
        (chosen,) = matches
        trials = opened.trials_of(chosen.digest)
        if as_json:
            print_json({"pool": str(opened.path), **_program_to_json(chosen, trials)})
            return
        code = "\n".join(map(escape, chosen.text.splitlines()))
        blocks: list[Any] = [
            draw_code(code, frozenset()),
            Text(f"{_describe(chosen)}; in {opened.path}", "dim"),
        ]
        if trials:
            blocks.append(_table_of_trials(trials))
        if chosen.parents:
            blocks.append(_draw_ancestors(opened, chosen))
        print_blocks(*blocks)


@app.command("import", epilog=format_examples(IMPORT_EXAMPLES))
@notes_interrupts
def import_programs(
    ctx: typer.Context,
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="Files of programs."),
    ] = None,
    library: Annotated[
        bool, typer.Option("--library", help="Import the solvers that come with arcbatt.")
    ] = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Import nothing if anything in the files is not a program."),
    ] = False,
    pool: PoolFile = None,
    as_json: AsJson = False,
) -> None:
    """Import files of programs into the pool, which is created if it does not exist.

    Files are in the arc-dsl style and of any size. A program named differ_... is a differ.
    Anything that is not a program is reported with its position and skipped. Ctrl-C ends the
    import; programs that were added stay.

    Exits with 0 if all programs were read, with 2 if some were not, with 130 if it was interrupted.
    """
    paths = files or []
    if not paths and not library:
        ctx.fail("give a FILE of programs, or --library for those that come with arcbatt")
    total_count = ImportCount()
    errors: list[str] = []

    console = stderr()

    def reject(error: ProgramError) -> None:
        print_error(str(error), console)

    interrupt = Interrupt()
    with (
        noting_interrupts(interrupt, *TERMINATION),
        _reading_bar(console, paths, strict, is_quiet=as_json) as advance,
    ):
        if strict:
            _refuse_any_error(paths, advance, interrupt)
        with open_pool(pool, create=True) as opened:
            if library:
                n_added = opened.add_library()
                total_count += ImportCount(n_added, len(library_programs()) - n_added)
            for file in paths:
                try:
                    total_count += import_file(
                        opened, file, reject, advance, lambda: interrupt.is_set
                    )
                except ProgramError as error:
                    errors.append(str(error))
            total, path = opened.n_programs, opened.path
        ignore_signals()
    for message in errors:
        print_error(message)
    if interrupt.is_set:
        _end_interrupted(total_count.n_added)
    counts = {
        "added": total_count.n_added,
        "known": total_count.n_known,
        "rejected": total_count.n_rejected,
    }
    if as_json:
        print_json({"pool": str(path), **counts, "errors": errors, "total": total})
    else:
        # Some are in the pool already, and others appear twice in the files.
        words = {"added": "added", "known": "the same as another", "rejected": "rejected"}
        what = ", ".join(f"{n:,} {words[name]}" for name, n in counts.items())
        _print_line(f"{what}; {count(total, 'program')} in {path}")
    if errors or total_count.n_rejected:
        raise typer.Exit(2)


@app.command(epilog=format_examples(EXPORT_EXAMPLES))
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write the programs.")],
    pool: PoolFile = None,
) -> None:
    """Write all programs to a file that `pool import` and `check` read."""
    with open_pool(pool) as opened, warnings_as_notices():
        n_programs = export_file(opened.programs(), file)
    text = f"wrote {count(n_programs, 'program')} of {opened.path} to {file}"
    _print_line(text, "green")


@app.command(epilog=format_examples(PRUNE_EXAMPLES))
def prune(
    keep: Annotated[
        int, typer.Option("--keep", metavar="N", min=0, help="How many programs a task keeps.")
    ],
    pool: PoolFile = None,
    as_json: AsJson = False,
) -> None:
    """Keep the best N programs of each task, and all that fit a task or were never tried.

    Better means more demos fitted, then more credit, then fewer steps. Trials with outputs stay.
    Cached results of other versions of arcbatt are removed too.
    """
    with open_pool(pool) as opened:
        n_evicted = opened.evict(keep)
        n_forgotten = opened.results.forget_other_versions()
        total, path = opened.n_programs, str(opened.path)
    if as_json:
        counts = {"evicted": n_evicted, "forgotten": n_forgotten, "total": total}
        print_json({"pool": path, **counts})
    else:
        _print_line(f"{count(n_evicted, 'program')} evicted, {total:,} left in {path}")


@app.command(epilog=format_examples(STATS_EXAMPLES))
def stats(pool: PoolFile = None, as_json: AsJson = False) -> None:
    """Show what is in the pool, and how its cache was used."""
    with open_pool(pool) as opened:
        counts = opened.stats()
        path = str(opened.path)
    if as_json:
        print_json({"pool": path, **counts.to_json()})
    else:
        print_blocks(*_draw_stats(path, counts))


@app.command(epilog=format_examples(MERGE_EXAMPLES))
def merge(
    other: Annotated[Path, typer.Argument(metavar="OTHER", help="The pool to take from.")],
    pool: PoolFile = None,
    as_json: AsJson = False,
) -> None:
    """Add the programs and trials of another pool; of two trials, the better one stays.

    The other pool is only read. Rows that cannot be read, and programs that do not match their
    hash, are shown and skipped. Ctrl-C ends the merge; what was added stays.

    Exits with 0, with 130 if it was interrupted.
    """
    with open_pool(pool, create=True) as opened, _reporting_interrupt(opened):
        merged = merge_pools(opened, other)
        total, path = opened.n_programs, str(opened.path)
    if merged.n_rejected:
        rows = [f"  {each.name}: {each.why}" for each in merged.rejected]
        if merged.n_rejected > len(rows):
            rows.append(f"  and {merged.n_rejected - len(rows):,} more")
        print_notice("\n".join([f"{count(merged.n_rejected, 'row')} of {other} left out:", *rows]))
    if as_json:
        counts = {"programs": merged.n_programs, "trials": merged.n_trials}
        rejected = [{"name": each.name, "why": each.why} for each in merged.rejected]
        details = {"n_rejected": merged.n_rejected, "rejected": rejected}
        print_json({"pool": path, **counts, **details, "total": total})
    else:
        added = f"{count(merged.n_programs, 'program')} and {count(merged.n_trials, 'trial')} added"
        _print_line(f"{added}; {count(total, 'program')} in {path}")


# --- import ---


def _refuse_any_error(
    paths: list[Path], advance: Callable[[int], None], interrupt: Interrupt
) -> None:
    with phase("load"):
        for path in paths:
            for row in read_rows(path, advance):
                if interrupt.is_set:
                    return
                if isinstance(row, ProgramError):
                    stop(f"{row}\nNothing was imported (--strict).")


@contextmanager
def _reading_bar(
    console: Console, paths: list[Path], strict: bool, is_quiet: bool
) -> Iterator[Callable[[int], None]]:
    """Show a bar of bytes read on a console; yield the function that advances it."""
    sizes = [path.stat().st_size for path in paths if path.is_file()]
    with Progress(
        TextColumn("reading"),
        BarColumn(),
        DownloadColumn(binary_units=True),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=is_quiet or not can_overwrite(console),
    ) as progress:
        # --strict reads every file twice.
        bar = progress.add_task("", total=sum(sizes) * (2 if strict else 1))
        unshown = 0

        def advance(n_bytes: int) -> None:
            # There are many lines, and updating the bar is slow.
            nonlocal unshown
            unshown += n_bytes
            if unshown >= 2**16:
                progress.advance(bar, unshown)
                unshown = 0

        yield advance


# --- list and show ---


def _table_of_programs(programs: list[ProgramSummary]) -> Table:
    table = FittingTable("calls", "credit", "from", "most demos")
    table.add_column("hash", no_wrap=True)
    table.add_column("program", overflow="fold")
    table.add_column("calls", justify="right")
    table.add_column("fits", justify="right")
    table.add_column("most demos", justify="right")
    table.add_column("credit", justify="right")
    table.add_column("from", style="dim")
    for each in programs:
        table.add_row(
            each.hash[:HASH_DIGITS],
            abbreviate(each.name),
            f"{each.n_calls:,}",
            Text(str(each.n_fits), style="bold green" if each.n_fits else "dim"),
            _number(each.best_fitted),
            _number(each.best_credit),
            abbreviate(each.origin),
        )
    return table


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _table_of_trials(trials: list[PoolTrial]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("task", "set"):
        table.add_column(heading, no_wrap=True)
    for heading in ("demos", "credit", "steps"):
        table.add_column(heading, justify="right")
    for each in trials:
        table.add_row(
            abbreviate(each.task_name),
            abbreviate(each.set_name),
            Text(f"{each.n_fitted} of {each.n_demos}", style="green" if each.fits else ""),
            f"{each.credit:,}",
            f"{each.steps:,}",
        )
    return table


def _explain_no_match(program: str, matches: list[PoolProgram], pool: Pool) -> str:
    where = f"in {pool.path} has the name, or a hash that starts with, {abbreviate(program)}"
    if not matches:
        return f"no program {where}; `arcbatt pool list` shows them"
    listed = "\n".join(f"  {each.hash}  {abbreviate(each.name)}" for each in matches)
    return f"more than one program {where}; give more digits of a hash\n{listed}"


def _describe(program: PoolProgram) -> str:
    parts = [
        program.hash,
        program.kind,
        count(program.n_calls, "call"),
        f"from {abbreviate(program.origin)}",
    ]
    if program.card is not None:
        card = program.card
        parts.append(f"card of seed {card.seed}, generation {card.generation}")
    return ", ".join(parts)


def _draw_ancestors(pool: Pool, program: PoolProgram) -> Tree:
    """Return the tree of ancestors; one that was drawn before is only named again."""
    drawn: set[bytes] = set()

    def add(branch: Tree, digests: tuple[bytes, ...], depth: int) -> None:
        for digest in digests:
            parent = pool.get(digest)
            text = Text(digest.hex()[:HASH_DIGITS])
            if parent is None:
                branch.add(text.append("  not in the pool", style="dim"))
                continue
            text.append(f"  {abbreviate(parent.name)}")
            text.append(f"  from {abbreviate(parent.origin)}", style="dim")
            below = branch.add(text)
            if digest not in drawn and depth < SHOWN_DEPTH:
                drawn.add(digest)
                add(below, parent.parents, depth + 1)
            elif parent.parents:
                below.add(Text("...", style="dim"))

    tree = Tree(Text("made from", style="bold"))
    add(tree, program.parents, 1)
    return tree


def _summary_to_json(each: ProgramSummary) -> dict[str, Any]:
    return {
        "hash": each.hash,
        "name": each.name,
        "kind": each.kind,
        "calls": each.n_calls,
        "fits": each.n_fits,
        "best_fitted": each.best_fitted,
        "best_credit": each.best_credit,
        "origin": escape(each.origin),
    }


def _program_to_json(program: PoolProgram, trials: list[PoolTrial]) -> dict[str, Any]:
    card = program.card
    return {
        "hash": program.hash,
        "name": program.name,
        "text": program.text,
        "kind": program.kind,
        "calls": program.n_calls,
        "origin": escape(program.origin),
        "found_at": program.found_at,
        "card": None if card is None else {"seed": card.seed, "generation": card.generation},
        "parents": [parent.hex() for parent in program.parents],
        "trials": [
            {
                "task": escape(each.task_name),
                "set": escape(each.set_name),
                "fitted": each.n_fitted,
                "demos": each.n_demos,
                "credit": each.credit,
                "steps": each.steps,
                "fits": each.fits,
            }
            for each in trials
        ],
    }


# --- stats ---


def _draw_stats(path: str, stats: PoolStats) -> list[Table]:
    table = Table(box=None, show_header=False, padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    kinds = ", ".join(count(n, kind) for kind, n in stats.by_kind.items())
    origins = ", ".join(f"{n:,} {origin}" for origin, n in stats.by_origin.items())
    table.add_row("pool", path)
    table.add_row("size", f"{stats.n_bytes / 2**20:.1f} MiB, version {stats.version}")
    table.add_row("programs", f"{stats.n_programs:,}" + (f": {kinds}" if kinds else ""))
    table.add_row("from", origins or "-")
    table.add_row("tasks", f"{stats.n_tasks:,} seen, {stats.n_tasks_fitted:,} that a program fits")
    table.add_row("trials", f"{stats.n_trials:,}")
    table.add_row("work done", f"{stats.n_work:,}")
    table.add_row("cards", f"{stats.n_cards:,}")
    table.add_row("seen, not kept", f"{stats.n_dropped:,}")
    if not stats.caches:
        return [table]
    caches = Table(box=box.SIMPLE_HEAD)
    caches.add_column("cache")
    for heading in ("values", "MiB", "hits", "misses", "seconds in it"):
        caches.add_column(heading, justify="right")
    for name, cache in stats.caches.items():
        caches.add_row(
            name,
            f"{cache.n_rows:,}",
            f"{cache.n_bytes / 2**20:.1f}",
            f"{cache.n_hits:,}",
            f"{cache.n_misses:,}",
            f"{cache.seconds:.3f}",
        )
    return [table, caches]
