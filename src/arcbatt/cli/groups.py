"""Command groups with suggestions for mistyped names, and cleaner help texts."""

from typing import Any

import typer
from typer.core import TyperGroup

from arcbatt.suggestion import suggest

MAX_COMPLETION = 60

Examples = tuple[tuple[str, str], ...]


def format_examples(lines: Examples) -> str:
    """Return the examples section of a help text."""
    shown = ["[bold]Examples[/bold]"]
    for command, purpose in lines:
        shown += [f"[cyan]{command}[/cyan]", f"[dim]    {purpose}[/dim]"]
    return "\n".join(shown)


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


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a help text, each on one line."""
    return [" ".join(part.split()) for part in text.split("\n\n")]


def without_type(param: Any) -> Any:
    """Make help show the metavar of a parameter instead of its Python type."""
    # Flags have no value, and arguments show their name anyway.
    shown = param.metavar if param.param_type_name == "option" else None
    param.display_type_rich = lambda ctx=None: shown
    return param


def simplify_help(command: Any) -> Any:
    """Reflow the help of a command and its subcommands, hide types, and shorten completions."""
    command.help = "\n\n".join(_paragraphs(command.help))
    get_params, complete = command.get_params, command.shell_complete
    command.get_params = lambda ctx: [without_type(param) for param in get_params(ctx)]
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
