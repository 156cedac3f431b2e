"""`arcbatt primitives`: the vocabulary of the language."""

from itertools import groupby
from typing import Annotated

import typer
from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from arcbatt.drawing import draw_value
from arcbatt.explainer import draw_code
from arcbatt.language import Primitive, Program, all_primitives, interpret
from arcbatt.language.parse import parse_expression
from arcbatt.language.registry import spellings

from .console import print_blocks
from .finding import complete_primitive, get_primitive

PRIMITIVES_EXAMPLES = (
    ("arcbatt primitives", "all, by family"),
    ("arcbatt primitives objects", "one, with its examples drawn"),
)

EXAMPLE_SIGN = " == "


def primitives(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="A primitive, by its name or another spelling of it.",
            autocompletion=complete_primitive,
            show_default=False,
        ),
    ] = None,
) -> None:
    """List the primitives by family, or show all there is to know of one."""
    if name is None:
        print_blocks(*_tables())
    else:
        print_blocks(_page(get_primitive(name), name))


def _tables() -> list[RenderableType]:
    tables: list[RenderableType] = []
    everything = all_primitives().values()
    for family, members in groupby(everything, key=lambda primitive: primitive.family):
        table = Table(
            box=box.SIMPLE_HEAD, title=family, title_justify="left", title_style="bold", expand=True
        )
        table.add_column("primitive", ratio=4)
        table.add_column("types", ratio=5, style="yellow")
        table.add_column("gives", ratio=6)
        for primitive in members:
            table.add_row(
                draw_code(primitive.usage, frozenset()),
                "\n".join(map(str, primitive.signatures)),
                primitive.doc,
            )
        tables.append(table)
    tables.append(
        Text(f"{len(everything)} primitives; `arcbatt primitives NAME` shows one", style="dim")
    )
    return tables


def _page(primitive: Primitive, spelling: str) -> RenderableType:
    title = draw_code(primitive.usage, frozenset())
    title.append(f"  {primitive.family}", style="dim")
    parts: list[RenderableType] = [title]
    if spelling != primitive.name:
        parts.append(Text(f"{spelling} is a spelling of {primitive.name}", style="dim"))
    parts += [Text(str(signature), style="yellow") for signature in primitive.signatures]
    parts += [Text(), Text(primitive.doc)]
    if primitive.notes:
        parts.append(Text(primitive.notes))
    if primitive.ties:
        parts.append(Text(f"Ties: {primitive.ties}."))
    others = [other for other, own in spellings().items() if own == primitive.name != other]
    if others:
        parts.append(Text(f"Also spelled: {', '.join(sorted(others))}", style="dim"))
    for example in primitive.examples:
        parts += [Text(), *_example(example)]
    return Group(*parts)


def _example(example: str) -> list[RenderableType]:
    """Return the call of an example and, below it, what it gives."""
    call = example.rpartition(EXAMPLE_SIGN)[0]
    outcome = interpret(Program(parse_expression(call)), {"I": ()}).outcome
    return [draw_code(call, frozenset()), Padding(draw_value(outcome), (0, 0, 0, 2))]
