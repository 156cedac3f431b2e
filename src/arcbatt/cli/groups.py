"""Command groups with suggestions for mistyped names, and cleaner help texts."""

from collections.abc import Mapping
from typing import Any

import typer
from typer.core import TyperGroup

from arcbatt.suggestion import suggest

from .console import print_blocks

MAX_COMPLETION = 60

Examples = tuple[tuple[str, str], ...]


def format_examples(lines: Examples) -> str:
    """Return examples as the epilog of a command, which `help` shows."""
    return "\n".join(f"{command}\n    {purpose}" for command, purpose in lines)


class Group(TyperGroup):
    """A command group that suggests the nearest name for an unknown command."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            ctx.fail(f"no command is named {args[0]}{suggest(args[0], known)}")
        return super().resolve_command(ctx, args)


def make_group(help_text: str) -> typer.Typer:
    """Return an app for a group of commands."""
    return typer.Typer(
        cls=Group,
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_show_locals=False,
        help=help_text,
    )


def explain_option(error: Exception) -> None:
    """Fail with a suggestion if the error is about an unknown option; otherwise return."""
    # Some versions of Typer have their own copy of Click, so compare the class by name.
    if type(error).__name__ != "NoSuchOption":
        return
    ctx, given = getattr(error, "ctx", None), getattr(error, "option_name", "")
    if ctx is None:
        return
    params = ctx.command.get_params(ctx)
    known = [name for param in params for name in (*param.opts, *param.secondary_opts)]
    ctx.fail(f"no option is named {given}{suggest(given, known)}")


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a help text, each on one line."""
    return [" ".join(part.split()) for part in text.split("\n\n")]


def print_help(ctx: Any, command: Any, below: Mapping[str, str] | None = None) -> None:
    """Print the help of a command; `below` has the help texts of its subcommands, if known."""
    # Imported here because most calls show no help.
    from .help import render_help

    print_blocks(render_help(ctx, command, below))


def simplify_help(command: Any) -> Any:
    """Use the package's own help for a command and its subcommands; shorten completions."""
    command.help = "\n\n".join(paragraphs(command.help))
    command.format_help = lambda ctx, _: print_help(ctx, command)
    complete = command.shell_complete
    command.shell_complete = lambda ctx, incomplete: [
        _with_short_text(item) for item in complete(ctx, incomplete)
    ]
    for below in getattr(command, "commands", {}).values():
        simplify_help(below)
    return command


def _with_short_text(item: Any) -> Any:
    """Shorten the description of a completion, which has one line in the shell's menu."""
    text = item.help or ""
    if len(text) > MAX_COMPLETION:
        item.help = text[: MAX_COMPLETION - 3].rsplit(" ", 1)[0] + "..."
    return item
