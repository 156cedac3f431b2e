"""`arcbatt primitives`: list the primitives, or show one."""

from collections.abc import Sequence
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
from arcbatt.language import (
    Primitive,
    Program,
    all_primitives,
    find_primitive,
    format_value,
    interpret,
    language_prompt,
)
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.parse import parse_expression
from arcbatt.plurals import count
from arcbatt.suggestion import suggest

from ..completion import complete_family, complete_primitive
from ..console import print_blocks, print_json, stdout, stop
from ..lookup import get_primitive
from ..options import AsJson, Plugins

EXAMPLES = (
    ("arcbatt primitives", "all, by family"),
    ("arcbatt primitives objects", "one, with its examples drawn"),
    ("arcbatt primitives --family grids", "the primitives of one family"),
    ("arcbatt primitives --search 'most common'", "the primitives whose text has these words"),
    ("arcbatt primitives UP", "a constant"),
    ("arcbatt primitives --prompt --dialect arc-dsl", "for the prompt of a language model"),
    ("arcbatt primitives --json", "for a script"),
)

EXAMPLE_SIGN = " == "


def primitives(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="A primitive, by its name or another spelling of it, or a constant.",
            autocompletion=complete_primitive,
        ),
    ] = None,
    family: Annotated[
        str | None,
        typer.Option(
            "--family",
            metavar="NAME",
            help="Only the primitives of this family.",
            autocompletion=complete_family,
        ),
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(
            "--search",
            metavar="WORDS",
            help="Only those with all these words in their name, other spellings, types or text.",
        ),
    ] = None,
    prompt: Annotated[
        bool,
        typer.Option(
            "--prompt",
            help="Describe the language for the prompt of a language model, in at most 30 KB.",
        ),
    ] = False,
    dialect: Annotated[
        str,
        typer.Option(
            "--dialect",
            metavar="full|arc-dsl",
            help="For --prompt: all primitives, or those of the public arc-dsl in at most 12 KB.",
        ),
    ] = "full",
    plugin: Plugins = None,
    as_json: AsJson = False,
) -> None:
    """List the primitives by family, or show everything about one, or about a constant."""
    if name is not None and (family is not None or search is not None or prompt):
        stop("NAME is one primitive; --family, --search and --prompt are about all")
    if prompt:
        if as_json or search is not None:
            stop("--prompt is text about all primitives; leave out --json and --search")
        try:
            stdout().file.write(language_prompt(dialect, [family] if family else None))
        except ValueError as error:
            stop(str(error))
        return
    if name is not None and name in CONSTANTS and find_primitive(name) is None:
        _show_constant(name, as_json)
        return
    chosen = [get_primitive(name)] if name is not None else _choose(family, search)
    if as_json:
        print_json({"primitives": [each.to_json() for each in chosen]})
    elif name is None:
        print_blocks(*_tables(chosen))
    else:
        print_blocks(_page(chosen[0], name))


def _show_constant(name: str, as_json: bool) -> None:
    """Print a named constant with its value, and the other names of that value."""
    value = CONSTANTS[name]
    text = format_value(value)
    others = [each for each, same in CONSTANTS.items() if format_value(same) == text != each]
    others.remove(name)
    if as_json:
        print_json({"constant": name, "value": text, "same": others})
        return
    parts: list[RenderableType] = [Text.assemble((name, "bold magenta"), f" = {text}")]
    if others:
        parts.append(Text(f"Other names of this value: {', '.join(others)}", style="dim"))
    parts += [Text(), draw_value(value)]
    print_blocks(Group(*parts))


def _choose(family: str | None, search: str | None) -> list[Primitive]:
    chosen = list(all_primitives().values())
    if family is not None:
        families = list(dict.fromkeys(each.family for each in chosen))
        if family not in families:
            stop(
                f"no family is named {family}{suggest(family, families)}\n"
                f"The families are: {', '.join(families)}."
            )
        chosen = [each for each in chosen if each.family == family]
    words = (search or "").lower().split()
    return [each for each in chosen if all(word in _searched_text(each) for word in words)]


def _searched_text(primitive: Primitive) -> str:
    shown = (primitive.usage, primitive.doc, primitive.notes or "", *primitive.other_names)
    return "\n".join((*shown, *map(str, primitive.signatures))).lower()


def _tables(chosen: Sequence[Primitive]) -> list[RenderableType]:
    tables: list[RenderableType] = []
    for family, members in groupby(chosen, key=lambda primitive: primitive.family):
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
    shown = f"{count(len(chosen), 'primitive')}; `arcbatt primitives NAME` shows one"
    return [*tables, Text(shown, style="dim")]


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
    if primitive.other_names:
        parts.append(Text(f"Also spelled: {', '.join(primitive.other_names)}", style="dim"))
    for example in primitive.examples:
        parts += [Text(), *_example(example)]
    return Group(*parts)


def _example(example: str) -> list[RenderableType]:
    """Return the call of an example and, below it, its value."""
    call = example.rpartition(EXAMPLE_SIGN)[0]
    outcome = interpret(Program(parse_expression(call)), {"I": ()}).outcome
    return [draw_code(call, frozenset()), Padding(draw_value(outcome), (0, 0, 0, 2))]
