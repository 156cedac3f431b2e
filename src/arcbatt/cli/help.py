"""The help of a command in the terminal: at most a page, the common options first.

An option shows the first sentence of its help; the pages in docs/commands show all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from .groups import paragraphs

# The width of the column with names; longer names get a line of their own.
MAX_NAME = 24


def render_help(ctx: Any, command: Any, below: Mapping[str, str] | None = None) -> RenderableType:
    """Return the help of a command, to be printed."""
    usage = command.get_usage(ctx).split(": ", 1)[1]
    parts: list[RenderableType] = [
        Text.assemble(("Usage: ", "bold yellow"), (" ".join(usage.split()), "bold")),
        *(Text(paragraph) for paragraph in paragraphs(command.help or "")),
    ]
    sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
    for each in command.get_params(ctx):
        if getattr(each, "hidden", False) or each.name == "help":
            continue
        is_argument = each.param_type_name == "argument"
        title = "Arguments" if is_argument else getattr(each, "rich_help_panel", None) or "Options"
        sections.setdefault(title, []).append((name_of(each), short_help(each)))
    if hasattr(command, "list_commands"):
        if below is None:
            names = command.list_commands(ctx)
            below = {name: command.get_command(ctx, name).help for name in names}
        sections["Commands"] = [(name, _first_sentence(text)) for name, text in below.items()]
    names = [name for rows in sections.values() for name, _ in rows]
    width = max((len(name) for name in names if len(name) <= MAX_NAME), default=0)
    parts += [_section(title, rows, width) for title, rows in sections.items() if rows]
    lines = (command.epilog or "").splitlines()
    parts.append(_Examples(list(zip(lines[::2], map(str.strip, lines[1::2]), strict=True))))
    spaced = [line for part in parts for line in (part, Text())]
    return Group(*spaced[:-1])


def name_of(param: Any) -> str:
    """Return a parameter as it is typed: both names of a switch, or its value."""
    if param.param_type_name == "argument":
        name = param.metavar or param.name.upper()
        return (name if param.required else f"[{name}]") + ("..." if param.nargs < 0 else "")
    names = ", ".join(param.opts)
    if getattr(param, "is_flag", False):
        return f"{names}/{', '.join(param.secondary_opts)}" if param.secondary_opts else names
    return f"{names} {param.metavar or str(param.type.name).upper()}"


def default_of(param: Any) -> str:
    """Return the default of a parameter as it is typed, or an empty text."""
    default = param.default
    if default is None or default is False or default == () or callable(default):
        return ""
    if getattr(param, "is_flag", False):
        return param.opts[0] if default is True else ""
    return str(default)


def short_help(param: Any) -> str:
    """Return the first sentence of a parameter's help, with its default."""
    text = _first_sentence(param.help or "")
    default = default_of(param)
    if param.param_type_name == "option" and param.required:
        return f"{text} (required)"
    return f"{text} ({default})" if default else text


def _first_sentence(text: str) -> str:
    (first, *_) = paragraphs(text) or [""]
    return first.split(". ")[0].rstrip(".")


def _section(title: str, rows: Sequence[tuple[str, str]], width: int) -> RenderableType:
    """Return rows of names and texts below a title; a name that is too long has its own line."""
    table = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(width=width, no_wrap=True)
    table.add_column()
    lines: list[RenderableType] = [Text(title, style="bold yellow")]
    for name, text in rows:
        shown = Text(name, style="bold cyan")
        if len(name) > width:
            lines += [Padding(table, (0, 0, 0, 2))] if table.rows else []
            lines.append(Padding(shown, (0, 0, 0, 2)))
            table = copy(table)
            table.columns = [replace(column, _cells=[]) for column in table.columns]
            table.rows = []
            shown = Text()
        table.add_row(shown, Text(text))
    return Group(*lines, Padding(table, (0, 0, 0, 2)))


class _Examples:
    """Commands with their purposes as comments, beside them where they fit."""

    def __init__(self, examples: Sequence[tuple[str, str]]) -> None:
        self._examples = examples

    def __rich_console__(self, console: Console, options: Any) -> Iterable[RenderableType]:
        yield Text("Examples", style="bold yellow")
        for command, purpose in self._examples:
            shown = Text(f"  {command}", style="cyan", no_wrap=True, overflow="ignore")
            comment = Text(f"  # {purpose}", style="dim")
            if len(shown) + len(comment) <= options.max_width:
                yield shown.append_text(comment)
            else:
                # Commands are never wrapped, so that they can be copied.
                yield from (shown, Text("  ").append_text(comment))
