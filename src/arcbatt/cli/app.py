"""The app: its commands, `--version`, and how errors end."""

import sys
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import arcbatt
from arcbatt.conformance import RecordError
from arcbatt.language import ProgramError
from arcbatt.tasks import TaskError, UnknownTask

from . import INTERRUPTED
from .check_command import CHECK_EXAMPLES, check
from .conform_command import CONFORM_EXAMPLES, conform
from .console import stop
from .explain_command import EXPLAIN_EXAMPLES, explain
from .primitives_command import PRIMITIVES_EXAMPLES, primitives
from .tasks_command import SHOW_EXAMPLES, TASKS_EXAMPLES, show, tasks


class _Commands(TyperGroup):
    """Ends an expected error with one message, and an interrupt with none."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # whoever read the output has had enough; Typer ends quietly
        except (ProgramError, TaskError, UnknownTask, RecordError) as error:
            stop(str(error))
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            stop(f"{where}{(error.strerror or str(error)).lower()}")
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"arcbatt {arcbatt.__version__}")
        raise typer.Exit


@app.callback()
def start(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Solves ARC-AGI tasks by searching for programs in a grid DSL."""


def _examples(*lines: tuple[str, str]) -> str:
    """The end of a help text: one command a line, and what it does."""
    width = max(len(command) for command, _ in lines)
    shown = ["[bold]Examples[/bold]"]
    for command, purpose in lines:
        shown.append(f"[cyan]{command:{width}}[/cyan]  [dim]{purpose}[/dim]")
    return "\n".join(shown)


app.command(epilog=_examples(*TASKS_EXAMPLES))(tasks)
app.command(epilog=_examples(*SHOW_EXAMPLES))(show)
app.command(epilog=_examples(*PRIMITIVES_EXAMPLES))(primitives)
app.command(epilog=_examples(*CHECK_EXAMPLES))(check)
app.command(epilog=_examples(*EXPLAIN_EXAMPLES))(explain)
app.command(epilog=_examples(*CONFORM_EXAMPLES))(conform)


def run_app() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a mark shows "?" rather than a traceback.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    app(prog_name="arcbatt")
