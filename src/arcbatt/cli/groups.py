"""Groups of commands that answer a mistyped name with the nearest one, and help without noise."""

from collections.abc import Iterable
from typing import Any

import typer
from typer.core import TyperGroup

# Options by another name than they have: who gives the old one is told the new one, wherever the
# command has that.
RENAMED = {
    "--generations": "--rounds",
    "--jobs": "--threads",
    "--program": "--name",
    "--programs": "--program",
    "--set": "--data",
    "--stages": "--proposers",
}

MAX_COMPLETION = 60

Examples = tuple[tuple[str, str], ...]


def format_examples(lines: Examples) -> str:
    """Return the end of a help text: commands, and below each what it does."""
    shown = ["[bold]Examples[/bold]"]
    for command, purpose in lines:
        shown += [f"[cyan]{command}[/cyan]", f"[dim]    {purpose}[/dim]"]
    return "\n".join(shown)


class Group(TyperGroup):
    """A group of commands: a name that it does not know is answered with the nearest."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            ctx.fail(f"no command is named {args[0]}{_nearest(args[0], known)}")
        return super().resolve_command(ctx, args)


def make_group(help_text: str) -> typer.Typer:
    """Return an app for commands that belong together under one name."""
    return typer.Typer(
        cls=Group,
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_show_locals=False,
        help=help_text,
    )


def explain_option(error: Exception) -> None:
    """Fail with a better message if a command does not know an option; otherwise do nothing."""
    # Typer has its own copy of Click or not, by its version; the class has this name in both.
    if type(error).__name__ != "NoSuchOption":
        return
    ctx, given = getattr(error, "ctx", None), getattr(error, "option_name", "")
    if ctx is None:
        return
    params = ctx.command.get_params(ctx)
    known = [name for param in params for name in (*param.opts, *param.secondary_opts)]
    if RENAMED.get(given) in known:
        ctx.fail(f"{given} is called {RENAMED[given]} here")
    ctx.fail(f"no option is named {given}{_nearest(given, known)}")


def _nearest(name: str, known: Iterable[str]) -> str:
    from arcbatt.tasks.task import suggest  # only who mistypes waits for it to load

    return suggest(name, known)


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a help text, each in a line: what shows them breaks the lines."""
    return [" ".join(part.split()) for part in text.split("\n\n")]


def without_type(param: Any) -> Any:
    """Have help show of a parameter what its value stands for, and not its Python type."""
    # Flags have no value, and the name of an argument stands beside it anyway.
    shown = param.metavar if param.param_type_name == "option" else None
    param.display_type_rich = lambda ctx=None: shown
    return param


def without_noise(command: Any) -> Any:
    """Have help of a command, and of all below it, flow, show no types, and complete in short."""
    command.help = "\n\n".join(_paragraphs(command.help))
    get_params, complete = command.get_params, command.shell_complete
    command.get_params = lambda ctx: [without_type(param) for param in get_params(ctx)]
    command.shell_complete = lambda ctx, incomplete: [
        _with_short_text(item) for item in complete(ctx, incomplete)
    ]
    for below in getattr(command, "commands", {}).values():
        without_noise(below)
    return command


def _with_short_text(item: Any) -> Any:
    """Cut what a shell shows beside an offer: a menu has a line for each."""
    text = item.help or ""
    if len(text) > MAX_COMPLETION:
        item.help = text[: MAX_COMPLETION - 3].rsplit(" ", 1)[0] + "..."
    return item
