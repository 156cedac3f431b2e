"""`arcbatt conform`: replay recorded calls on an engine."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from arcbatt.checking import SHIPPED, Difference, read_recorded, replay
from arcbatt.explainer import draw_code
from arcbatt.language import format_value

from ..completion import complete_engine
from ..console import print_blocks, print_json, stop
from ..lookup import get_engine
from ..options import AsJson

EXAMPLES = (
    ("arcbatt conform", "the calls that come with arcbatt, on the reference interpreter"),
    ("arcbatt conform --engine cuda", "on a GPU"),
    ("arcbatt conform calls.jsonl.gz --json", "your own, for a script"),
)

SHOWN_DIFFERENCES = 10
# An argument may be a whole grid; this much text still identifies the call.
MAX_TEXT = 300


def conform(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="Recorded calls, one JSON object per line, plain or gzipped; by default those "
            "that come with arcbatt.",
        ),
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="The engine: reference, cpu (one at a time), batt (fused), "
            "cuda (fused, on a GPU) or cuda:1.",
            autocompletion=complete_engine,
        ),
    ] = "reference",
    as_json: AsJson = False,
) -> None:
    """Replay recorded calls of primitives on an engine and compare the results.

    Engines that run the calls fused compare values by their content hashes.

    Exits with 0 only if every call has the recorded result.
    """
    runs = get_engine(engine)
    file = file or SHIPPED
    total, differences = replay(read_recorded(file), runs)
    if not total:
        stop(f"{file}: no recorded calls in this file")
    passed = total - len(differences)
    if as_json:
        print_json(
            {
                "engine": engine,
                "total": total,
                "passed": passed,
                "differences": [_to_json(d) for d in differences[:SHOWN_DIFFERENCES]],
            }
        )
    else:
        style = "bold red" if differences else "bold green"
        print_blocks(
            *(_draw(difference) for difference in differences[:SHOWN_DIFFERENCES]),
            Text(f"{passed} of {total} passed on {engine}", style=style),
        )
    if differences:
        raise typer.Exit(1)


def _to_json(difference: Difference) -> dict[str, object]:
    call = difference.call
    return {
        "line": call.line,
        "op": call.name,
        "args": [format_value(arg) for arg in call.args],
        "recorded": difference.recorded,
        "got": difference.got,
    }


def _draw(difference: Difference) -> Text:
    drawn = Text(f"line {difference.call.line}  ", style="dim")
    drawn.append_text(draw_code(_cut(str(difference.call)), frozenset()))
    drawn.append("\n  recorded  ", style="dim").append(_cut(difference.recorded), style="green")
    drawn.append("\n  got       ", style="dim").append(_cut(difference.got), style="red")
    return drawn.append("\n")


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 3] + "..."
