"""The Typer app: command discovery, `--version`, and error handling."""

import ast
import errno
import os
import sys
from contextlib import suppress
from functools import wraps
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from pkgutil import iter_modules
from typing import Annotated, Any

import typer

import arcbatt
from arcbatt.measure import phase

from . import INTERRUPTED, commands, is_out_of_memory, keep_loaded, raise_interrupts
from .console import USAGE_ERROR, ignore_invalid_width, print_error, stop
from .groups import Examples, Group, explain_option, format_examples, print_help, simplify_help
from .timing import accept_timing, ask_for_timing, timed

# Errors that are reported by their message, without a traceback. They are named instead of imported
# to keep startup fast: a module that was never loaded cannot have raised its error.
_EXPECTED = (
    ("arcbatt.language", "ProgramError"),
    ("arcbatt.plugins", "PluginError"),
    ("arcbatt.tasks", "TaskError"),
    ("arcbatt.tasks", "UnknownTask"),
    ("arcbatt.checking", "RecordError"),
    ("arcbatt.checking", "EngineUnavailable"),
    ("arcbatt.pool", "PoolError"),
    ("arcbatt.solving.run_folder", "RunFolderError"),
    ("arcbatt.solving.cluster", "ClusterError"),
    ("arcbatt.scoring", "SubmissionError"),
)


def _os_error_message(error: OSError) -> str:
    reason = (error.strerror or str(error)).lower()
    # Without a file name it is a stream, and commands only write to streams.
    return f"{error.filename}: {reason}" if error.filename else f"cannot write the output: {reason}"


def _is_expected(error: Exception) -> bool:
    return any(
        isinstance(error, getattr(sys.modules[module], name))
        for module, name in _EXPECTED
        if module in sys.modules
    )


# Commands that help lists first; the others follow in alphabetical order.
_FIRST = ("solve", "score", "tasks", "show", "check", "explain")


def command_names() -> list[str]:
    """Return the names of all commands, the most used first."""
    names = {module.name for module in iter_modules(commands.__path__)}
    return [*_FIRST, *sorted(names.difference(_FIRST))]


def read_help(name: str) -> str:
    """Return the help text of a command from its source, without importing it."""
    (folder,) = commands.__path__
    tree = ast.parse((Path(folder) / f"{name}.py").read_text("utf-8"), "")
    for node in tree.body:
        match node:
            case ast.FunctionDef() if node.name == name:
                return " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
            case ast.Assign(
                targets=[ast.Name(id="app")], value=ast.Call(args=[ast.Constant(value=str(text))])
            ):
                return text
    raise AssertionError(f"{name}.py has neither a function {name} nor a group with a help text")


def load_command(name: str) -> tuple[Any, Examples]:
    """Import the module of a command; return its Click command and the examples of its help."""
    module = import_module(f".{name}", commands.__name__)
    epilog = format_examples(module.EXAMPLES)
    group = getattr(module, "app", None)
    if group is not None:
        group.info.name, group.info.epilog = name, epilog
        return typer.main.get_group(group), module.EXAMPLES
    single = typer.Typer(
        rich_markup_mode="rich", pretty_exceptions_show_locals=False, add_completion=False
    )
    context = getattr(module, "CONTEXT", None)
    single.command(name, epilog=epilog, context_settings=context)(getattr(module, name))
    return typer.main.get_command(single), module.EXAMPLES


def _accept_interrupts(command: Any) -> Any:
    """Let Ctrl-C raise `KeyboardInterrupt` in a command and its subcommands, unless they note it.

    Until then it ends the process: loading and parsing have nothing to clean up.
    """
    for below in getattr(command, "commands", {}).values():
        _accept_interrupts(below)
    callback = command.callback
    if callback is not None and not getattr(callback, "notes_interrupts", False):

        @wraps(callback)
        def run(*args: Any, **kwargs: Any) -> Any:
            raise_interrupts()
            return callback(*args, **kwargs)

        command.callback = run
    return command


class _Commands(Group):
    """The root group: loads and times commands, and turns expected errors into messages.

    Loading on demand keeps startup fast, as most commands need only a part of the package.
    """

    @phase("load")  # on first use, Typer imports its option parser
    def make_context(self, info_name: Any, args: list[str], *rest: Any, **kwargs: Any) -> Any:
        ignore_invalid_width()
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        try:
            return super().make_context(info_name, args, *rest, **kwargs)
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:  # Click's class, of which Typer may have its own copy
            explain_option(error)
            raise

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        (timing,) = (option for option in self.params if option.name == "timing")
        if cmd_name not in command_names():
            return None
        if cmd_name not in self.commands:
            with phase("load"):
                command, _ = load_command(cmd_name)
                self.commands[cmd_name] = simplify_help(
                    accept_timing(_accept_interrupts(command), timing)
                )
            keep_loaded()
        return self.commands[cmd_name]

    def list_commands(self, ctx: Any) -> list[str]:
        return command_names()

    def format_help(self, ctx: Any, formatter: Any) -> None:
        # The list of commands needs only their help texts: importing all of them takes longer.
        print_help(ctx, self, {name: read_help(name) for name in command_names()})

    def invoke(self, ctx: Any) -> Any:
        with timed(ctx):
            return self._invoke(ctx)

    def _invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader closed the pipe; Typer exits quietly
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:  # each package has its own error classes
            if _is_expected(error):
                stop(str(error))
            if is_out_of_memory(error):
                raise  # `main` says so in one line
            if isinstance(error, OSError):
                stop(_os_error_message(error))
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
            ("arcbatt help COMMAND", "describe a command; arcbatt COMMAND --help is the same"),
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
    """Solve ARC-AGI tasks by searching for programs in a grid DSL."""


def run_app() -> None:
    """Run the command line and exit with its status."""
    # Redirect closed streams to devnull.
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot encode a character shows "?" instead of failing.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    status: Any = 0
    failure: OSError | None = None
    try:
        app(prog_name="arcbatt")
    except SystemExit as end:
        status = end.code
    except OSError as error:
        if is_out_of_memory(error):
            raise
        failure = error
    try:
        sys.stdout.flush()
    except OSError as error:
        # A failed command has already reported it, and a closed pipe is not an error.
        if not status and error.errno != errno.EPIPE:
            failure = error
        # Otherwise Python would flush again at exit and print a warning.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if failure is not None:
        status = USAGE_ERROR
        with suppress(OSError):
            print_error(_os_error_message(failure))
    sys.exit(status)
