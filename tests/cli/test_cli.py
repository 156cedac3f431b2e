"""The command line as a whole: help, versions, signals, pipes, widths, completion."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from rich.table import Table
from typer.testing import CliRunner

import arcbatt
from arcbatt.cli.app import app
from arcbatt.cli.completion import complete_engine, complete_primitive, complete_set, complete_task
from arcbatt.cli.console import clean, stdout, warnings_as_notices
from tests.support.commands import RIGHT, Outcome, error_of

COMMANDS = ("tasks", "show", "primitives", "check", "explain", "conform", "doctor")


def test_the_public_api() -> None:
    assert arcbatt.__version__ == version("arcbatt")
    for name in arcbatt.__all__:
        assert hasattr(arcbatt, name)
    program = arcbatt.parse_program(RIGHT)
    assert arcbatt.run(program, {"I": ((1, 2),)}).outcome == ((2, 1),)


def test_version() -> None:
    outcome = Outcome("--version")
    assert (outcome.status, outcome.out) == (0, f"arcbatt {arcbatt.__version__}\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(command: str) -> None:
    outcome = Outcome(command, "--help")
    assert outcome.status == 0
    assert "Examples" in outcome.out and f"arcbatt {command} " in outcome.out
    assert f" {command} " in Outcome("--help").out


def test_a_mistyped_command_ends_with_status_2() -> None:
    outcome = Outcome("chek")
    assert outcome.status == 2 and "chek" in outcome.err


@pytest.mark.slow
def test_a_pipe_gets_plain_text(program_file: Path) -> None:
    environment = {**os.environ, "COLUMNS": "100"}
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        environment.pop(name, None)
    for args in (
        ["check", program_file],
        ["show", "67a3c6ac"],
        ["explain", program_file, "--task", "67a3c6ac"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", "from arcbatt.cli import main; main()", *map(str, args)],
            capture_output=True,
            text=True,
            env=environment,
            check=True,
        )
        assert "\x1b" not in done.stdout and done.stderr == ""
        assert "67a3c6ac" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_an_interrupt_ends_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("arcbatt.cli.commands.tasks.load", interrupt)
    # Where the tests run in the background, interrupts are ignored from the start.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        outcome = Outcome("tasks")
    finally:
        signal.signal(signal.SIGINT, before)
    assert (outcome.status, outcome.out, outcome.err) == (130, "", "")


# Sends a signal to itself when a module of the command line is looked for.
SIGNAL_WHILE_LOADING = """
import os, signal, sys

class Sender:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {number})

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Sender())
sys.argv = ["arcbatt", "tasks"]
from arcbatt.cli import main
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("module", ["arcbatt.measure", "arcbatt.cli.console"])
def test_a_signal_while_modules_load_ends_quietly(number: signal.Signals, module: str) -> None:
    code = SIGNAL_WHILE_LOADING.format(module=module, number=int(number))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", "")


# Sends two signals when all is done: when atexit calls, and before Python joins its threads.
SIGNALS_AT_THE_END = """
import atexit, os, signal, sys, threading

def send():
    for number in (signal.SIGTERM, signal.SIGINT):
        os.kill(os.getpid(), number)

signal.signal(signal.SIGINT, signal.default_int_handler)
atexit.register(send)
threading._register_atexit(send)
sys.argv = ["arcbatt", *{args!r}]
from arcbatt.cli import main
main()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_signals_at_the_end_of_a_search_change_nothing(tmp_path: Path) -> None:
    options = "--rounds 1 --budget 1h --no-library --device cpu --threads 1 --no-explain"
    args = ["solve", "67a3c6ac", "--out", str(tmp_path), *options.split()]
    code = SIGNALS_AT_THE_END.format(args=args)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and "programs fit 1 of 1 task" in done.stdout
    assert "Traceback" not in done.stderr and "ignored" not in done.stderr


@pytest.mark.parametrize(
    "error",
    [
        "MemoryError()",
        "OSError(12, 'Cannot allocate memory')",
        'RuntimeError("can\'t start new thread")',
        "ImportError('lib.so: failed to map segment from shared object')",
    ],
)
def test_a_lack_of_memory_is_one_line(error: str) -> None:
    code = f"""
import sys
from arcbatt.cli import main
from arcbatt.cli.commands import tasks

def fail(*_):
    raise {error}

tasks.load = fail
sys.argv = ["arcbatt", "tasks"]
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr == "error: out of memory; allow the process more, or give it fewer --threads\n"
    )


def run_process(*args: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Start a command in a process of its own; its stderr can be read."""
    command = [sys.executable, "-c", "from arcbatt.cli import main; main()", *args]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, **options)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("args", [["--help"], ["check", "--help"], ["tasks"], ["tasks", "--json"]])
def test_a_full_disk_ends_in_one_line(args: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = run_process(*args, stdout=full)
    assert done.returncode == 2
    assert done.stderr == "error: cannot write the output: no space left on device\n"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="streams of POSIX")
def test_closed_streams_are_ignored() -> None:
    done = run_process("tasks", stdout=subprocess.PIPE, preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("columns", ["0", "-5", "wide", "²", "9" * 30])
def test_an_invalid_width_is_ignored(monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    plain = CliRunner().invoke(app, ["tasks"], env={"COLUMNS": None})
    asked = CliRunner().invoke(app, ["tasks"], env={"COLUMNS": columns})
    assert "arc-agi-1/training" in plain.stdout
    assert asked.stdout == plain.stdout


def test_control_characters_are_not_printed(tmp_path: Path) -> None:
    console = stdout()
    with console.capture() as capture:
        table = Table("name")
        table.add_row("a\x1b[31mb\x9bc\u202ed\x07")
        console.print(table, "e\x1b]0;title\x07f")
    shown = capture.get()
    assert shown.replace("\n", "").isprintable()
    assert "b" in shown and "[31mb" in shown
    assert clean("one\ntwo\x1b[0m") == "one\ntwo\N{REPLACEMENT CHARACTER}[0m"
    assert clean("x" * 10, 8) == "xxxxx..." and clean("x" * 8, 8) == "x" * 8
    path = tmp_path / "a\x1b[31mb.py"
    message = error_of("explain", path, "--task", "67a3c6ac")
    assert "\x1b" not in message and "cannot be read" in message
    assert len(error_of("show", "x" * 100_000)) < 20_000


def test_suggestions_name_existing_options() -> None:
    assert "no option is named --jobs" in error_of("show", "67a3c6ac", "--jobs", "2")


def test_completion() -> None:
    assert complete_task("00d62c") == ["00d62c1b"]
    assert complete_set("arc-agi-2") == ["arc-agi-2/training", "arc-agi-2/evaluation"]
    assert "objects" in complete_primitive("obj")
    assert complete_engine("ref") == ["reference"]


def test_a_warning_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings_as_notices():
        warnings.warn("the card is gone", RuntimeWarning, stacklevel=1)
        assert capsys.readouterr().err == "note: the card is gone\n"
        warnings.warn("the card is gone", RuntimeWarning, stacklevel=1)
    assert capsys.readouterr().err == ""
