"""`arcbatt card`: show the programs of one round of evolve as text and in numbers."""

from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from arcbatt.explainer import draw_code
from arcbatt.library import library_programs
from arcbatt.measure import phase
from arcbatt.plurals import count
from arcbatt.pool import Pool
from arcbatt.proposers.evolve import MAX_CARD_SIZE
from arcbatt.proposers.evolve.cards import DEFAULT_SIZE, Card, deal, pool_parents

from ..console import print_blocks, print_json, print_notice, stop
from ..options import AsJson

EXAMPLES = (
    ("arcbatt card", "mutants of the bundled solvers, fused"),
    ("arcbatt card --size 8 --seed 7", "eight programs, drawn with another seed"),
    ("arcbatt card --pool mine.db --json", "parents from a pool, for a script"),
)


def card(
    size: Annotated[
        int,
        typer.Option("--size", metavar="N", min=1, max=MAX_CARD_SIZE, help="Programs per card."),
    ] = DEFAULT_SIZE,
    seed: Annotated[
        int, typer.Option("--seed", metavar="K", help="The same seed deals the same card.")
    ] = 0,
    pool: Annotated[
        Path | None,
        typer.Option(
            "--pool",
            metavar="FILE",
            help="Draw parents from this pool, by score; by default evenly from the bundled "
            "solvers.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make one round of programs as evolve does: draw parents, mutate them, fuse the mutants.

    Such a round of programs is a card. Its programs run as one batt: all of them fused into one
    graph, in which a call that several programs share appears once. Shows the batt as text, and
    how much its programs share.
    """
    if pool is None:
        parents = [parsed.program for parsed in library_programs()]
        weights = None
    else:
        with Pool.open(pool, create=False) as opened, phase("load"):
            parents, weights = pool_parents(opened)
        if not parents:
            fill = f"arcbatt pool import --library --pool {quote(str(pool))}"
            stop(f"{pool} has no solvers; {fill} adds some")
    dealt = deal(parents, size, seed, weights=weights)
    if len(dealt.mutants) < size:
        print_notice(f"the parents yield only {len(dealt.mutants)} new programs of {size}")
    if as_json:
        print_json(_to_json(dealt))
        return
    print_blocks(draw_code(dealt.text, frozenset()))
    print_blocks(_table_of_mutants(dealt), _summary(dealt))


def _to_json(dealt: Card) -> dict[str, Any]:
    return {
        "seed": dealt.seed,
        "parents": [{"name": p.name, "hash": p.hash} for p in dealt.parents],
        "mutants": [
            {
                "name": mutant.program.name,
                "hash": mutant.program.hash,
                "mutation": mutant.kind,
                "parents": [parent.name for parent in mutant.parents],
                "n_calls": mutant.program.n_calls,
            }
            for mutant in dealt.mutants
        ],
        "text": dealt.text,
        "calls_before_sharing": dealt.batt.size.n_calls_before,
        "calls": dealt.batt.n_calls,
    }


def _table_of_mutants(dealt: Card) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("program", no_wrap=True)
    table.add_column("mutation", style="yellow")
    table.add_column("made from")
    table.add_column("calls", justify="right")
    for number, mutant in enumerate(dealt.mutants, start=1):
        table.add_row(
            f"O{number}  {mutant.program.name}",
            mutant.kind,
            ", ".join(parent.name for parent in mutant.parents),
            str(mutant.program.n_calls),
        )
    return table


def _summary(dealt: Card) -> Text:
    size = dealt.batt.size
    return Text(
        f"seed {dealt.seed}: {count(size.n_programs, 'program')} of "
        f"{count(len(dealt.parents), 'parent')}; "
        f"{count(size.n_calls_before, 'call')}, {size.n_calls:,} after sharing",
        style="dim",
    )
