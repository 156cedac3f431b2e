"""The app: its commands, `--version`, and how errors end."""

import sys
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import arcbatt
from arcbatt.conformance import EngineUnavailable, RecordError
from arcbatt.language import ProgramError
from arcbatt.measure import phase
from arcbatt.pool import PoolError
from arcbatt.scoring import SubmissionError
from arcbatt.search.run_folder import RunFolderError
from arcbatt.tasks import TaskError, UnknownTask

from . import INTERRUPTED
from .card_command import CARD_EXAMPLES, card
from .check_command import CHECK_EXAMPLES, check
from .conform_command import CONFORM_EXAMPLES, conform
from .console import stop
from .differs_command import DIFFERS_EXAMPLES, differs
from .doctor_command import DOCTOR_EXAMPLES, doctor
from .evolve_command import EVOLVE_EXAMPLES, evolve
from .explain_command import EXPLAIN_EXAMPLES, explain
from .pool_command import POOL_EXAMPLES, pool_app
from .primitives_command import PRIMITIVES_EXAMPLES, primitives
from .profile_command import PROFILE_CONTEXT, PROFILE_EXAMPLES, profile
from .run_command import RUN_EXAMPLES, run
from .score_command import SCORE_EXAMPLES, score
from .solve_command import SOLVE_EXAMPLES, solve
from .tasks_command import SHOW_EXAMPLES, TASKS_EXAMPLES, show, tasks
from .timing import accept_timing, ask_for_timing, timed

_EXPECTED = (
    ProgramError,
    TaskError,
    UnknownTask,
    RecordError,
    EngineUnavailable,
    PoolError,
    RunFolderError,
    SubmissionError,
)


class _Commands(TyperGroup):
    """Ends an expected error with one message, and an interrupt with none; times every command."""

    @phase("load")  # Typer imports what it reads options with when it first reads some
    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        return super().make_context(*args, **kwargs)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        (timing,) = (option for option in self.params if option.name == "timing")
        command = super().get_command(ctx, cmd_name)
        return None if command is None else accept_timing(command, timing)

    def invoke(self, ctx: Any) -> Any:
        with timed(ctx):
            return self._invoke(ctx)

    def _invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # whoever read the output has had enough; Typer ends quietly
        except _EXPECTED as error:
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
    timing: Annotated[
        bool,
        typer.Option(
            "--timing",
            callback=ask_for_timing,
            expose_value=False,
            help="Print time by phase at the end.",
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


app.command(epilog=_examples(*SOLVE_EXAMPLES))(solve)
app.command(epilog=_examples(*SCORE_EXAMPLES))(score)
app.command(epilog=_examples(*TASKS_EXAMPLES))(tasks)
app.command(epilog=_examples(*SHOW_EXAMPLES))(show)
app.command(epilog=_examples(*PRIMITIVES_EXAMPLES))(primitives)
app.command(epilog=_examples(*CHECK_EXAMPLES))(check)
app.command(epilog=_examples(*EXPLAIN_EXAMPLES))(explain)
app.command(epilog=_examples(*DIFFERS_EXAMPLES))(differs)
app.command(epilog=_examples(*CARD_EXAMPLES))(card)
app.command(epilog=_examples(*EVOLVE_EXAMPLES))(evolve)
app.command(epilog=_examples(*RUN_EXAMPLES))(run)
app.command(epilog=_examples(*CONFORM_EXAMPLES))(conform)
app.command(epilog=_examples(*DOCTOR_EXAMPLES))(doctor)
app.command(epilog=_examples(*PROFILE_EXAMPLES), context_settings=PROFILE_CONTEXT)(profile)
app.add_typer(pool_app, name="pool", epilog=_examples(*POOL_EXAMPLES))


def run_app() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a mark shows "?" rather than a traceback.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    app(prog_name="arcbatt")
