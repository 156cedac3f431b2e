"""The app: its commands, `--version`, and how errors end."""

import errno
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any

import typer

import arcbatt
from arcbatt.measure import phase

from . import INTERRUPTED
from .console import USAGE_ERROR, forget_useless_width, print_error, stop
from .groups import Group, explain_option, format_examples, without_noise, without_type
from .timing import accept_timing, ask_for_timing, timed

# Errors that end a command with their message alone. They are named, not imported: what was never
# loaded cannot have raised one.
_EXPECTED = (
    ("arcbatt.language", "ProgramError"),
    ("arcbatt.tasks", "TaskError"),
    ("arcbatt.tasks", "UnknownTask"),
    ("arcbatt.conformance", "RecordError"),
    ("arcbatt.conformance", "EngineUnavailable"),
    ("arcbatt.pool", "PoolError"),
    ("arcbatt.solving.run_folder", "RunFolderError"),
    ("arcbatt.solving.cluster", "ClusterError"),
    ("arcbatt.scoring", "SubmissionError"),
)


def _say_os_error(error: OSError) -> str:
    what = (error.strerror or str(error)).lower()
    # Without a name it is a stream, and commands read none.
    return f"{error.filename}: {what}" if error.filename else f"cannot write the output: {what}"


def _is_expected(error: Exception) -> bool:
    return any(
        isinstance(error, getattr(sys.modules[module], name))
        for module, name in _EXPECTED
        if module in sys.modules
    )


@dataclass(frozen=True)
class _Command:
    """Where a command is: its module, loaded when the command is asked for, and names there."""

    module: str
    function: str
    examples: str
    context: str | None = None

    def load(self, name: str) -> Any:
        module = import_module(f".{self.module}", __package__)
        epilog = format_examples(getattr(module, self.examples))
        found = getattr(module, self.function)
        if isinstance(found, typer.Typer):
            found.info.name, found.info.epilog = name, epilog
            return typer.main.get_group(found)
        alone = typer.Typer(
            rich_markup_mode="rich", pretty_exceptions_show_locals=False, add_completion=False
        )
        context = getattr(module, self.context) if self.context else None
        alone.command(name, epilog=epilog, context_settings=context)(found)
        return typer.main.get_command(alone)


_COMMANDS = {
    "solve": _Command("solve_command", "solve", "SOLVE_EXAMPLES"),
    "kaggle": _Command("kaggle_command", "kaggle", "KAGGLE_EXAMPLES"),
    "score": _Command("score_command", "score", "SCORE_EXAMPLES"),
    "tasks": _Command("tasks_command", "tasks", "TASKS_EXAMPLES"),
    "show": _Command("tasks_command", "show", "SHOW_EXAMPLES"),
    "primitives": _Command("primitives_command", "primitives", "PRIMITIVES_EXAMPLES"),
    "check": _Command("check_command", "check", "CHECK_EXAMPLES"),
    "explain": _Command("explain_command", "explain", "EXPLAIN_EXAMPLES"),
    "differs": _Command("differs_command", "differs", "DIFFERS_EXAMPLES"),
    "card": _Command("card_command", "card", "CARD_EXAMPLES"),
    "evolve": _Command("evolve_command", "evolve", "EVOLVE_EXAMPLES"),
    "run": _Command("run_command", "run", "RUN_EXAMPLES"),
    "conform": _Command("conform_command", "conform", "CONFORM_EXAMPLES"),
    "doctor": _Command("doctor_command", "doctor", "DOCTOR_EXAMPLES"),
    "profile": _Command("profile_command", "profile", "PROFILE_EXAMPLES", "PROFILE_CONTEXT"),
    "pool": _Command("pool_command", "pool_app", "POOL_EXAMPLES"),
    "runs": _Command("runs_command", "runs_app", "RUNS_EXAMPLES"),
    "serve": _Command("serve_command", "serve", "SERVE_EXAMPLES"),
}


class _Commands(Group):
    """Ends an expected error with one message, and an interrupt with none; times every command.

    A command is loaded when it is asked for: most need only a part of the package.
    """

    @phase("load")  # Typer imports what it reads options with when it first reads some
    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        forget_useless_width()
        try:
            return super().make_context(*args, **kwargs)
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:  # Click's, of which Typer may have a copy
            explain_option(error)
            raise

    def get_params(self, ctx: Any) -> Any:
        return [without_type(param) for param in super().get_params(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        (timing,) = (option for option in self.params if option.name == "timing")
        if cmd_name not in _COMMANDS:
            return None
        if cmd_name not in self.commands:
            with phase("load"):
                loaded = accept_timing(_COMMANDS[cmd_name].load(cmd_name), timing)
                self.commands[cmd_name] = without_noise(loaded)
        return self.commands[cmd_name]

    def list_commands(self, ctx: Any) -> list[str]:
        return list(_COMMANDS)

    def invoke(self, ctx: Any) -> Any:
        with timed(ctx):
            return self._invoke(ctx)

    def _invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # whoever read the output has had enough; Typer ends quietly
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:  # packages have their own; which are expected is in a list
            if _is_expected(error):
                stop(str(error))
            if isinstance(error, OSError):
                stop(_say_os_error(error))
            explain_option(error)
            raise


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=format_examples(
        (
            ("arcbatt solve 67a3c6ac --budget 10s", "solve one task"),
            ("arcbatt solve arc-agi-1/training --budget 2m", "solve all tasks of a set"),
            ("arcbatt COMMAND --help", "what a command does, with examples"),
        )
    ),
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


def run_app() -> None:
    """Run the command line and end the process with its status."""
    # Whoever closed a stream wants nothing of it.
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a mark shows "?" rather than a traceback.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    status: Any = 0
    trouble: OSError | None = None
    try:
        app(prog_name="arcbatt")
    except SystemExit as ended:
        status = ended.code
    except OSError as error:
        trouble = error
    try:
        sys.stdout.flush()
    except OSError as error:
        # A command that could not write has said so; who closed a pipe has had enough.
        if not status and error.errno != errno.EPIPE:
            trouble = error
        # Python would try once more at the end, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if trouble is not None:
        status = USAGE_ERROR
        with suppress(OSError):
            print_error(_say_os_error(trouble))
    sys.exit(status)
