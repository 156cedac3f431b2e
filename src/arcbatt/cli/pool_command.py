"""`arcbatt pool`: what is in a pool, and programs into it and out of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from arcbatt.explain import draw_code
from arcbatt.language import ProgramError
from arcbatt.library import library_programs
from arcbatt.measure import phase
from arcbatt.pool import (
    ImportCount,
    Pool,
    PoolProgram,
    PoolStats,
    ProgramSummary,
    Scored,
    default_path,
    export_file,
    import_file,
    read_rows,
)
from arcbatt.pool import merge as merge_pools

from .console import print_blocks, print_error, print_json, print_notice, stderr, stop

pool_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Keep programs with their scores in a file, list them, bring them in and out.",
)

POOL_EXAMPLES = (
    ("arcbatt pool import --library", "make a pool of the bundled solvers"),
    ("arcbatt pool import solvers.py --pool mine.db", "your own programs, in a pool of your own"),
    ("arcbatt pool list --task 00d62c1b", "who is good at a task"),
    ("arcbatt pool show 3f9a", "one program, its scores, its parents"),
    ("arcbatt pool export solvers.py", "a file of all programs"),
    ("arcbatt pool merge other.db", "add what another pool has"),
)

HASH_DIGITS = 12
SHOWN_DEPTH = 6

PoolFile = Annotated[
    Path | None,
    typer.Option(
        "--pool",
        metavar="FILE",
        help="The pool; otherwise what ARCBATT_POOL names, or arcbatt/pool.db in your data folder "
        "(on Linux ~/.local/share).",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def open_pool(path: Path | None, create: bool = False) -> Pool:
    """Open the pool of a file, or the one where it is when nobody says."""
    if path is None:
        path = default_path()
        if create:
            path.parent.mkdir(parents=True, exist_ok=True)
    return Pool.open(path, create=create)


@pool_app.command("list")
def list_programs(
    pool: PoolFile = None,
    task: Annotated[
        str | None,
        typer.Option("--task", metavar="ID", help="Only programs with a score on this task."),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=0, help="How many; 0 for all.")
    ] = 20,
    as_json: AsJson = False,
) -> None:
    """List programs, those that solve most first."""
    with open_pool(pool) as opened:
        found = opened.summaries(task_name=task, limit=limit or None)
        total = opened.n_programs
    if as_json:
        print_json({"programs": [_summary_to_json(each) for each in found], "total": total})
        return
    if found:
        print_blocks(_table_of_programs(found))
    where = f" with a score on {task}" if task else ""
    print_blocks(Text(f"{len(found):,}{where} of {total:,} programs", style="dim"))


@pool_app.command()
def show(
    program: Annotated[
        str, typer.Argument(metavar="HASH", help="The first digits of the program's hash.")
    ],
    pool: PoolFile = None,
    as_json: AsJson = False,
) -> None:
    """Show one program: its text, what it reached, and what it was made from."""
    with open_pool(pool) as opened:
        found = opened.find(program)
        if len(found) != 1:
            stop(_which(program, found))
        (chosen,) = found
        scores = opened.scores(chosen.digest)
        if as_json:
            print_json(_program_to_json(chosen, scores))
            return
        blocks: list[Any] = [draw_code(chosen.text, frozenset()), Text(_came_about(chosen), "dim")]
        if scores:
            blocks.append(_table_of_scores(scores))
        if chosen.parents:
            blocks.append(_draw_ancestors(opened, chosen))
        print_blocks(*blocks)


@pool_app.command("import")
def import_programs(
    ctx: typer.Context,
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="Files of programs.", show_default=False),
    ] = None,
    library: Annotated[
        bool, typer.Option("--library", help="Take the solvers that come with arcbatt.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Import nothing if any program is no program.")
    ] = False,
    pool: PoolFile = None,
    as_json: AsJson = False,
) -> None:
    """Bring files of programs into the pool, which is made if it is not there.

    Files are in the arc-dsl style and of any size. A program named differ_... is a differ. What is
    no program is reported with its place and skipped.

    Status 0 if all programs were read, 2 if some were not.
    """
    paths = files or []
    if not paths and not library:
        ctx.fail("give a FILE of programs, or --library for those that come with arcbatt")
    count = ImportCount()
    errors: list[str] = []

    def reject(error: ProgramError) -> None:
        print_error(str(error))

    with _reading_bar(paths, strict, is_quiet=as_json) as advance:
        if strict:
            _refuse_any_error(paths, advance)
        with open_pool(pool, create=True) as opened:
            if library:
                n_added = opened.add_library()
                count += ImportCount(n_added, len(library_programs()) - n_added)
            for path in paths:
                try:
                    count += import_file(opened, path, reject, advance)
                except ProgramError as error:
                    errors.append(str(error))
            total = opened.n_programs
    for message in errors:
        print_error(message)
    counts = {"added": count.n_added, "known": count.n_known, "rejected": count.n_rejected}
    if as_json:
        print_json({**counts, "errors": errors, "total": total})
    else:
        what = ", ".join(f"{n:,} {name}" for name, n in counts.items())
        print_blocks(Text(f"{what}; {total:,} programs in the pool"))
    if errors or count.n_rejected:
        raise typer.Exit(2)


@pool_app.command()
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write the programs.")],
    pool: PoolFile = None,
) -> None:
    """Write all programs to a file that `pool import` and `check` read."""
    with open_pool(pool) as opened:
        n_programs = export_file(opened.programs(), file)
    print_blocks(Text(f"wrote {n_programs:,} programs to {file}", style="green"))


@pool_app.command()
def prune(
    keep: Annotated[
        int, typer.Option("--keep", metavar="N", min=0, help="How many programs a task keeps.")
    ],
    pool: PoolFile = None,
    as_json: AsJson = False,
) -> None:
    """Keep the best N programs of each task, and all that solve one or were never scored.

    Better is a higher score, then a higher partial score, then fewer steps. What the cache holds of
    other versions of the language goes too.
    """
    with open_pool(pool) as opened:
        n_evicted = opened.evict(keep)
        n_forgotten = opened.results.forget_other_languages()
        total = opened.n_programs
    if as_json:
        print_json({"evicted": n_evicted, "forgotten": n_forgotten, "total": total})
    else:
        print_blocks(Text(f"{n_evicted:,} programs evicted, {total:,} are left"))


@pool_app.command()
def stats(pool: PoolFile = None, as_json: AsJson = False) -> None:
    """Say how much is in the pool, and how its cache was used."""
    with open_pool(pool) as opened:
        found = opened.stats()
        path = str(opened.path)
    if as_json:
        print_json({"pool": path, **found.to_json()})
    else:
        print_blocks(*_draw_stats(path, found))


@pool_app.command()
def merge(
    other: Annotated[Path, typer.Argument(metavar="OTHER", help="The pool to take from.")],
    pool: PoolFile = None,
    as_json: AsJson = False,
) -> None:
    """Add the programs and scores of another pool; of two scores the better one stays.

    The other pool is only read. Programs in it that are not what their hash says are skipped.
    """
    with open_pool(pool, create=True) as opened:
        count = merge_pools(opened, other)
        total = opened.n_programs
    if count.n_rejected:
        print_notice(f"{count.n_rejected:,} programs of {other} are not what their hash says")
    if as_json:
        counts = {"programs": count.n_programs, "scores": count.n_scores}
        print_json({**counts, "rejected": count.n_rejected, "total": total})
    else:
        added = f"{count.n_programs:,} programs and {count.n_scores:,} scores added"
        print_blocks(Text(f"{added}; {total:,} programs in the pool"))


# --- import ---


def _refuse_any_error(paths: list[Path], advance: Callable[[int], None]) -> None:
    with phase("load"):
        for path in paths:
            for row in read_rows(path, advance):
                if isinstance(row, ProgramError):
                    stop(f"{row}\nNothing was imported (--strict).")


@contextmanager
def _reading_bar(
    paths: list[Path], strict: bool, is_quiet: bool
) -> Iterator[Callable[[int], None]]:
    """A bar of bytes read, on stderr; gives what tells it of them."""
    console = stderr()
    sizes = [path.stat().st_size for path in paths if path.is_file()]
    with Progress(
        TextColumn("reading"),
        BarColumn(),
        DownloadColumn(binary_units=True),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=is_quiet or not console.is_terminal,
    ) as progress:
        # With --strict every file is read twice.
        bar = progress.add_task("", total=sum(sizes) * (2 if strict else 1))
        unshown = 0

        def advance(n_bytes: int) -> None:
            # Lines are many; a bar needs telling only now and then.
            nonlocal unshown
            unshown += n_bytes
            if unshown >= 2**16:
                progress.advance(bar, unshown)
                unshown = 0

        yield advance


# --- list and show ---


def _table_of_programs(found: list[ProgramSummary]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("hash", no_wrap=True)
    table.add_column("program", overflow="fold")
    table.add_column("calls", justify="right")
    table.add_column("solves", justify="right")
    table.add_column("best score", justify="right")
    table.add_column("partial", justify="right")
    table.add_column("from", style="dim")
    for each in found:
        table.add_row(
            each.hash[:HASH_DIGITS],
            each.name,
            f"{each.n_calls:,}",
            Text(str(each.n_solved), style="bold green" if each.n_solved else "dim"),
            _number(each.best_score),
            _number(each.best_partial),
            each.origin,
        )
    return table


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _table_of_scores(scores: list[Scored]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("task", "set"):
        table.add_column(heading, no_wrap=True)
    for heading in ("demos", "score", "partial", "steps"):
        table.add_column(heading, justify="right")
    for each in scores:
        table.add_row(
            each.task_name,
            each.set_name,
            Text(f"{each.n_matched} of {each.n_demos}", style="green" if each.solved else ""),
            f"{each.score:,}",
            f"{each.partial:,}",
            f"{each.steps:,}",
        )
    return table


def _which(prefix: str, found: list[PoolProgram]) -> str:
    if not found:
        return f"no program has a hash that starts with {prefix}; `arcbatt pool list` shows them"
    listed = "\n".join(f"  {each.hash}  {each.name}" for each in found)
    return f"several programs have a hash that starts with {prefix}; give more digits\n{listed}"


def _came_about(program: PoolProgram) -> str:
    parts = [program.hash, program.kind, f"{program.n_calls} calls", f"from {program.origin}"]
    if program.card is not None:
        card = program.card
        parts.append(f"card of seed {card.seed}, generation {card.generation}")
    return ", ".join(parts)


def _draw_ancestors(pool: Pool, program: PoolProgram) -> Tree:
    """Return the parents, theirs and so on; one that was drawn before is only named again."""
    drawn: set[bytes] = set()

    def add(branch: Tree, digests: tuple[bytes, ...], depth: int) -> None:
        for digest in digests:
            parent = pool.get(digest)
            text = Text(digest.hex()[:HASH_DIGITS])
            if parent is None:
                branch.add(text.append("  not in the pool", style="dim"))
                continue
            text.append(f"  {parent.name}").append(f"  from {parent.origin}", style="dim")
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
        "solves": each.n_solved,
        "best_score": each.best_score,
        "best_partial": each.best_partial,
        "origin": each.origin,
    }


def _program_to_json(program: PoolProgram, scores: list[Scored]) -> dict[str, Any]:
    card = program.card
    return {
        "hash": program.hash,
        "name": program.name,
        "text": program.text,
        "kind": program.kind,
        "calls": program.n_calls,
        "origin": program.origin,
        "found_at": program.found_at,
        "card": None if card is None else {"seed": card.seed, "generation": card.generation},
        "parents": [parent.hex() for parent in program.parents],
        "scores": [
            {
                "task": each.task_name,
                "set": each.set_name,
                "matched": each.n_matched,
                "demos": each.n_demos,
                "score": each.score,
                "partial": each.partial,
                "steps": each.steps,
                "solved": each.solved,
            }
            for each in scores
        ],
    }


# --- stats ---


def _draw_stats(path: str, found: PoolStats) -> list[Table]:
    table = Table(box=None, show_header=False, padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    kinds = ", ".join(f"{n:,} {kind}s" for kind, n in found.by_kind.items())
    origins = ", ".join(f"{n:,} {origin}" for origin, n in found.by_origin.items())
    table.add_row("pool", path)
    table.add_row("size", f"{found.n_bytes / 2**20:.1f} MiB, version {found.version}")
    table.add_row("programs", f"{found.n_programs:,}" + (f": {kinds}" if kinds else ""))
    table.add_row("from", origins or "-")
    table.add_row("tasks", f"{found.n_tasks:,} met, {found.n_solved:,} solved")
    table.add_row("scores", f"{found.n_scores:,}")
    table.add_row("cards", f"{found.n_cards:,}")
    table.add_row("seen, not kept", f"{found.n_dropped:,}")
    if not found.caches:
        return [table]
    caches = Table(box=box.SIMPLE_HEAD)
    caches.add_column("cache")
    for heading in ("values", "MiB", "hits", "misses", "seconds in it"):
        caches.add_column(heading, justify="right")
    for name, cache in found.caches.items():
        caches.add_row(
            name,
            f"{cache.n_rows:,}",
            f"{cache.n_bytes / 2**20:.1f}",
            f"{cache.n_hits:,}",
            f"{cache.n_misses:,}",
            f"{cache.seconds:.3f}",
        )
    return [table, caches]
