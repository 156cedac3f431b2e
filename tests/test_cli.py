"""The command line as a user meets it: output, exit codes, messages, JSON."""

import gzip
import json
import os
import signal
import subprocess
import sys
import warnings
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from rich.table import Table
from typer.testing import CliRunner

import arcbatt
from arcbatt.cli.app import app
from arcbatt.cli.completion import (
    complete_engine,
    complete_primitive,
    complete_set,
    complete_task,
)
from arcbatt.cli.console import clean, stdout, warnings_as_notices
from arcbatt.cli.pictures import record_show
from arcbatt.conformance import ENGINES
from arcbatt.engine import kernel_files, kernels
from arcbatt.engine.health import Gpu, GpuSearch, read_kernels
from arcbatt.language import all_primitives
from arcbatt.tasks import TASK_SETS

RIGHT = "def solve_67a3c6ac(I):\n    x1 = vmirror(I)\n    return x1\n"
WRONG = RIGHT.replace("vmirror", "hmirror")
FAILING = """def solve_67a3c6ac(I):
    x1 = colorfilter(objects(I, T, F, T), 99)
    x2 = first(x1)
    return paint(I, x2)
"""
COMMANDS = ("tasks", "show", "primitives", "check", "explain", "conform", "doctor")


class Outcome:
    """What a command gave."""

    def __init__(self, *args: object) -> None:
        result = CliRunner().invoke(app, [str(arg) for arg in args], env={"COLUMNS": "140"})
        assert result.exception is None or isinstance(result.exception, SystemExit), repr(
            result.exception
        )
        self.status = result.exit_code
        self.out = result.stdout
        self.err = result.stderr

    @property
    def json(self) -> Any:
        assert self.out.startswith("{") and self.out.endswith("}\n")
        return json.loads(self.out)


def error_of(*args: object) -> str:
    """The message of a command that must end with status 2 and print nothing to stdout."""
    outcome = Outcome(*args)
    assert outcome.status == 2
    assert outcome.out == ""
    assert "Traceback" not in outcome.err
    return outcome.err


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    path = tmp_path / "programs.py"
    path.write_text(RIGHT + "\n\n" + RIGHT.replace("67a3c6ac", "nowhere"))
    return path


def write(folder: Path, text: str) -> Path:
    path = folder / "program.py"
    path.write_text(text)
    return path


# --- the whole ---


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


def test_a_pipe_gets_plain_text(programs: Path) -> None:
    environment = {**os.environ, "COLUMNS": "100"}
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        environment.pop(name, None)
    for args in (
        ["check", programs],
        ["show", "67a3c6ac"],
        ["explain", programs, "--task", "67a3c6ac"],
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

    monkeypatch.setattr("arcbatt.cli.tasks_command.load", interrupt)
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


def run_process(*args: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own, stderr read."""
    command = [sys.executable, "-c", "from arcbatt.cli import main; main()", *args]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, **options)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("args", [["--help"], ["check", "--help"], ["tasks"], ["tasks", "--json"]])
def test_a_full_disk_ends_in_one_line(args: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = run_process(*args, stdout=full)
    assert done.returncode == 2
    assert done.stderr == "error: cannot write the output: no space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="streams of POSIX")
def test_a_closed_stream_is_not_missed() -> None:
    done = run_process("tasks", stdout=subprocess.PIPE, preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("columns", ["0", "-5", "wide", "²", "9" * 30])
def test_a_useless_width_counts_as_none(monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    plain = CliRunner().invoke(app, ["tasks"], env={"COLUMNS": None})
    asked = CliRunner().invoke(app, ["tasks"], env={"COLUMNS": columns})
    assert "arc-agi-1/training" in plain.stdout
    assert asked.stdout == plain.stdout


def test_what_a_terminal_would_obey_is_not_printed(tmp_path: Path) -> None:
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


@pytest.mark.parametrize(
    ("args", "old", "new"),
    [
        (["check", "--library"], "--set", "--data"),
        (["show", "67a3c6ac"], "--set", "--data"),
        (["explain", "mine.py", "--task", "67a3c6ac"], "--program", "--name"),
        (["differs"], "--programs", "--program"),
    ],
)
def test_an_old_option_is_refused_with_the_new_one(args: list[str], old: str, new: str) -> None:
    assert f"{old} is called {new} here" in error_of(*args, old, "x")


def test_only_options_that_a_command_has_are_named() -> None:
    assert "no option is named --jobs" in error_of("show", "67a3c6ac", "--jobs", "2")


def test_completion() -> None:
    assert complete_task("00d62c") == ["00d62c1b"]
    assert complete_set("arc-agi-2") == ["arc-agi-2/training", "arc-agi-2/evaluation"]
    assert "objects" in complete_primitive("obj")
    assert complete_engine("ref") == ["reference"]


# --- tasks and show ---


def test_tasks_lists_the_sets() -> None:
    outcome = Outcome("tasks")
    assert outcome.status == 0
    for name in TASK_SETS:
        assert name in outcome.out
    sets = Outcome("tasks", "--json").json["sets"]
    assert [each["set"] for each in sets] == list(TASK_SETS)
    assert [each["tasks"] for each in sets] == [400, 1000, 400, 120]


def test_tasks_of_a_set() -> None:
    (line,) = [
        x for x in Outcome("tasks", "arc-agi-1/training").out.splitlines() if "00d62c1b" in x
    ]
    assert line.split() == ["00d62c1b", "5", "1", "6-20x6-20", "6-20x6-20", "0", "3", "4"]
    tasks = Outcome("tasks", "arc-agi-1/training", "--json").json["tasks"]
    (task,) = [each for each in tasks if each["id"] == "00d62c1b"]
    assert (task["demos"], task["tests"], task["colours"]) == (5, 1, [0, 3, 4])
    assert task["input_sizes"][0] == [6, 6]


def test_a_mistyped_set_gets_a_hint() -> None:
    assert "did you mean arc-agi-1/training?" in error_of("tasks", "arc-agi-1/trainig")


def test_show_draws_a_task() -> None:
    outcome = Outcome("show", "00d62c1b")
    assert outcome.status == 0
    assert "arc-agi-1/training, 5 demos, 1 test input" in outcome.out
    assert "0 3 4 3 0 0" in outcome.out


def test_show_writes_pictures(tmp_path: Path) -> None:
    svg, png = tmp_path / "a.svg", tmp_path / "a.png"
    outcome = Outcome("show", "00d62c1b", "--svg", svg, "--png", png)
    assert outcome.status == 0
    assert svg.read_text().startswith("<svg") and png.read_bytes().startswith(b"\x89PNG")
    assert outcome.out == f"wrote {svg}\nwrote {png}\n"


def test_show_takes_a_task_file_and_a_set(tmp_path: Path) -> None:
    grid = [[1, 2], [3, 4]]
    content = {"train": [{"input": grid, "output": grid}], "test": [{"input": grid}]}
    (tmp_path / "mine.json").write_text(json.dumps(content))
    (tmp_path / "other.json").write_text(json.dumps(content))
    assert "1 demo, 1 test input" in Outcome("show", tmp_path / "mine.json").out
    assert "1 demo, 1 test input" in Outcome("show", "mine", "--data", tmp_path).out
    assert "holds 2 tasks" in error_of("show", tmp_path)
    assert "did you mean mine?" in error_of("show", "mime", "--data", tmp_path)


def test_show_says_what_is_wrong(tmp_path: Path) -> None:
    assert "did you mean 00d62c1b?" in error_of("show", "00d62c1a")
    assert "nosuch.json" in error_of("show", "nosuch.json")
    assert "no such file" in error_of("show", "00d62c1b", "--svg", tmp_path / "no" / "a.svg")


def test_the_recorded_picture_refers_to_nothing_outside() -> None:
    svg = record_show("00d62c1b")
    assert "arcbatt&#160;show&#160;00d62c1b" in svg or "arcbatt show 00d62c1b" in svg
    assert svg.count("://") == svg.count("http://www.w3.org/2000/svg")
    assert record_show("00d62c1b") == svg


# --- primitives ---


def test_primitives_are_listed_by_family() -> None:
    out = Outcome("primitives").out
    for name, primitive in all_primitives().items():
        assert name in out and primitive.family in out


def test_one_primitive_with_its_examples_drawn() -> None:
    out = Outcome("primitives", "objects").out
    primitive = all_primitives()["objects"]
    assert primitive.usage in out and str(primitive.signatures[0]) in out
    assert primitive.ties in out
    assert "objects(((1, 0), (0, 2)), T, F, T)" in out and "2 objects" in out
    assert "p_f is a spelling of palette" in Outcome("primitives", "p_f").out


@pytest.mark.parametrize("name", list(all_primitives()))
def test_every_primitive_can_be_shown(name: str) -> None:
    outcome = Outcome("primitives", name)
    assert outcome.status == 0
    assert all_primitives()[name].doc.split()[0] in outcome.out
    # Every example gives a value.
    assert "failure:" not in outcome.out


def test_a_mistyped_primitive_gets_a_hint() -> None:
    assert "no primitive is named" in error_of("primitives", "")
    assert "did you mean objects?" in error_of("primitives", "obects")
    assert "arcbatt primitives" in error_of("primitives", "qqqqqqqqq")


# --- check ---


def test_check_a_right_program(tmp_path: Path) -> None:
    outcome = Outcome("check", write(tmp_path, RIGHT))
    assert outcome.status == 0
    assert "1 of 1 right" in outcome.out and "✓✓✓✓" in outcome.out


def test_check_a_wrong_program(tmp_path: Path) -> None:
    outcome = Outcome("check", write(tmp_path, WRONG))
    assert outcome.status == 1
    assert "0 of 1 right" in outcome.out and "✗✗✗✗" in outcome.out and "differ" in outcome.out


def test_check_names_the_first_failing_line(tmp_path: Path) -> None:
    path = write(tmp_path, FAILING)
    outcome = Outcome("check", path)
    assert outcome.status == 1
    assert "!!!!" in outcome.out
    assert "line 3, x2: empty: first: the container is empty (demo 1)" in outcome.out
    (program,) = Outcome("check", path, "--json").json["programs"]
    assert program["right"] is False and program["reason"].startswith("line 3, x2: empty")
    assert program["pairs"][0]["result"] == "failed"
    assert (program["pairs"][0]["line"], program["pairs"][0]["name"]) == (3, "x2")


def test_check_types_a_program_for_no_known_task(programs: Path) -> None:
    outcome = Outcome("check", programs)
    assert outcome.status == 0
    assert "1 of 2 right, 1 for no known task (typed only)" in outcome.out
    shown = Outcome("check", programs, "--json").json
    assert (shown["total"], shown["right"], shown["errors"]) == (2, 1, [])
    assert [each["right"] for each in shown["programs"]] == [True, None]
    assert [(each["fits"], each["solves"]) for each in shown["programs"]] == [
        (True, True),
        (None, None),
    ]


def test_check_warns_of_types_and_fails(tmp_path: Path) -> None:
    path = write(tmp_path, "def solve_nowhere(I):\n    x1 = fill(I, I, 3)\n    return x1\n")
    outcome = Outcome("check", path)
    assert outcome.status == 1
    assert "line 2, x1: fill cannot take" in outcome.out


def test_check_goes_on_after_a_file_that_cannot_be_read(tmp_path: Path, programs: Path) -> None:
    bad = write(tmp_path, "def solve_67a3c6ac(I):\n    x1 = vmiror(I)\n    return x1\n")
    empty = tmp_path / "empty.py"
    empty.write_text("# nothing\n")
    outcome = Outcome("check", bad, tmp_path / "missing.py", empty, programs)
    assert outcome.status == 2
    assert "1 of 3 right" in outcome.out
    assert f"{bad}:2:10: unknown primitive vmiror; did you mean vmirror?" in outcome.err
    assert "missing.py: cannot be read" in outcome.err
    assert "empty.py: no programs in this file" in outcome.err
    asked = Outcome("check", bad, programs, "--json")
    assert asked.status == 2
    assert (asked.json["total"], asked.json["right"], asked.json["errors"]) == (3, 1, [])
    rejected = asked.json["programs"][-1]
    assert (rejected["name"], rejected["task"]) == ("solve_67a3c6ac", "67a3c6ac")
    assert rejected["right"] is False and "did you mean vmirror?" in rejected["reason"]


def test_one_rejected_program_does_not_take_its_file_with_it(tmp_path: Path) -> None:
    good = "def solve_67a3c6ac(I):\n    x1 = vmirror(I)\n    return x1\n"
    path = write(tmp_path, good + "def solve_68b16354(I):\n    return foo(I)\n" + good)
    asked = Outcome("check", path, "--json")
    assert (asked.status, asked.json["total"], asked.json["right"]) == (2, 3, 2)


def test_check_the_library() -> None:
    outcome = Outcome("check", "--library", "--json")
    assert outcome.status == 0
    assert outcome.json["total"] == outcome.json["right"] > 0
    assert {"name", "task", "file", "line", "right", "pairs", "cost", "reason", "warnings"} <= set(
        outcome.json["programs"][0]
    )


def test_check_draws_some_tasks(tmp_path: Path) -> None:
    path = write(tmp_path, RIGHT + "\n\n" + WRONG + "\n\n" + FAILING)
    out = Outcome("check", path, "--show", "2").out
    assert out.count("def solve_67a3c6ac(I):") == 2
    assert "x1 = vmirror(I)" in out and "return x1" in out
    assert "the program's output: right" in out and "the program's output: wrong" in out
    assert "the program's output: failed" in Outcome("check", path, "--show", "9").out


def test_check_on_a_source(tmp_path: Path) -> None:
    grid, mirrored = [[1, 2]], [[2, 1]]
    pair = {"input": grid, "output": mirrored}
    tasks = tmp_path / "tasks"
    tasks.mkdir()
    (tasks / "mine.json").write_text(json.dumps({"train": [pair], "test": [pair]}))
    path = write(tmp_path, RIGHT.replace("67a3c6ac", "mine"))
    assert "1 of 1 right" in Outcome("check", path, "--data", tasks).out
    (tasks / "mine.json").write_text(json.dumps({"train": [pair], "test": [{"input": grid}]}))
    outcome = Outcome("check", path, "--data", tasks)
    assert outcome.status == 0
    assert "✓?" in outcome.out and "test inputs are run, not judged" in outcome.err


HOSTILE = {
    "nested": "def solve_67a3c6ac(I):\n    x1 = " + "vmirror(" * 5000 + "I" + ")" * 5000,
    "long": "def solve_67a3c6ac(I):\n" + "    x1 = vmirror(I)\n" * 1_000_000,
    "growing": "def solve_67a3c6ac(I):\n    x0 = hconcat(I, I)\n"
    + "".join(f"    x{k} = hconcat(x{k - 1}, x{k - 1})\n" for k in range(1, 60))
    + "    return x59\n",
    "calling": "def solve_67a3c6ac(I):\n    x0 = compose(vmirror, vmirror)\n"
    + "".join(f"    x{k} = compose(x{k - 1}, x{k - 1})\n" for k in range(1, 20))
    + "    return x19(I)\n",
    "power": "def solve_67a3c6ac(I):\n    x0 = power(vmirror, 30)\n"
    + "".join(f"    x{k} = power(x{k - 1}, 30)\n" for k in range(1, 20))
    + "    return x19(I)\n",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_program_ends_with_a_message(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path, HOSTILE[kind])
    checked = Outcome("check", path)
    explained = Outcome("explain", path, "--task", "67a3c6ac")
    if kind in ("nested", "long"):
        assert (checked.status, explained.status) == (2, 2)
        assert f"{path}:" in checked.err and f"{path}:" in explained.err
    else:
        assert (checked.status, explained.status) == (1, 0)
        assert "over budget" in checked.out and "line " in checked.out
        assert "over budget" in explained.out


def test_explain_refuses_what_nobody_would_read(tmp_path: Path) -> None:
    lines = "".join(f"    x{k} = vmirror(I)\n" for k in range(600))
    message = error_of(
        "explain",
        write(tmp_path, f"def solve_67a3c6ac(I):\n{lines}    return x1\n"),
        "--task",
        "67a3c6ac",
    )
    assert "600 lines" in message and "at most 500 lines" in message


def test_check_within_a_budget(tmp_path: Path) -> None:
    outcome = Outcome("check", write(tmp_path, RIGHT), "--budget-steps", "5")
    assert outcome.status == 1 and "line 2, x1: over budget: " in outcome.out


@pytest.mark.parametrize(
    "args",
    [
        ("check", "--library", "--budget-steps"),
        ("check", "--library", "--budget-bytes"),
        ("run", "--threads"),
        ("card", "--size"),
        ("evolve", "--card-size"),
    ],
)
def test_a_number_that_is_too_large_is_said(args: tuple[str, ...]) -> None:
    assert args[-1] in error_of(*args, 10**22)


def test_one_task_can_be_looked_at_where_another_is_broken(tmp_path: Path) -> None:
    data = kaggle_file(tmp_path)
    tasks = json.loads(data.read_text())
    data.write_text(json.dumps({**tasks, "bad": {"train": [], "test": []}}))
    right = RIGHT.replace("67a3c6ac", "mine")
    path = write(tmp_path, right)
    assert Outcome("show", "mine", "--data", data).status == 0
    assert Outcome("explain", path, "--task", "mine", "--data", data).status == 0
    assert Outcome("check", path, "--data", data).status == 0
    run = ("run", "--no-library", "--program", path, "--data", data)
    assert Outcome(*run, "--tasks", "mine").status == 0
    for command in (("show", "bad", "--data", data), run):
        assert '"train" is empty' in error_of(*command)
    both = write(tmp_path, right + right.replace("mine", "bad"))
    outcome = Outcome("check", both, "--data", data)
    assert outcome.status == 2 and "solve_bad cannot be judged" in outcome.err


def test_a_warning_is_a_note_at_once_and_only_once(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings_as_notices():
        warnings.warn("the card is gone", RuntimeWarning, stacklevel=1)
        assert capsys.readouterr().err == "note: the card is gone\n"
        warnings.warn("the card is gone", RuntimeWarning, stacklevel=1)
    assert capsys.readouterr().err == ""


def test_check_needs_something_to_check() -> None:
    message = error_of("check")
    assert "--library" in message and "Usage" in message
    assert "give one of them" in error_of("check", "--library", "--json", "--show", "1")


# --- conform ---


def test_conform(recorded_calls: Path) -> None:
    with gzip.open(recorded_calls, "rt", encoding="utf-8") as lines:
        n_calls = sum(1 for line in lines if line.strip())
    outcome = Outcome("conform", recorded_calls)
    assert outcome.status == 0
    assert outcome.out == f"{n_calls} of {n_calls} passed on reference\n"
    assert Outcome("conform", "--engine", "batt").out == f"{n_calls} of {n_calls} passed on batt\n"
    shown = Outcome("conform", recorded_calls, "--json").json
    assert shown == {"engine": "reference", "total": n_calls, "passed": n_calls, "differences": []}


def test_conform_shows_the_first_ten_differences(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    good = {"op": "add", "args": [1, 2], "out": 3}
    bad = {"op": "add", "args": [1, 2], "out": 4}
    fails = {"op": "add", "args": [1, 2], "out": {"error": 1}}
    path.write_text("\n".join(map(json.dumps, [good, fails, *[bad] * 12])))
    outcome = Outcome("conform", path)
    assert outcome.status == 1
    assert "1 of 14 passed on reference" in outcome.out
    assert outcome.out.count("add(1, 2)") == 10
    shown = Outcome("conform", path, "--json").json
    assert (shown["passed"], shown["total"], len(shown["differences"])) == (1, 14, 10)
    assert shown["differences"][0]["recorded"] == "failure"
    assert shown["differences"][1] == {
        "line": 3,
        "op": "add",
        "args": ["1", "2"],
        "recorded": "4",
        "got": "3",
    }


def test_conform_says_what_is_wrong(tmp_path: Path, recorded_calls: Path) -> None:
    message = error_of("conform", recorded_calls, "--engine", "referense")
    assert "did you mean reference?" in message and "The engines are: reference" in message
    assert "no GPU" in error_of("conform", "--engine", "cuda:99")
    assert "No such file" in error_of("conform", tmp_path / "missing.jsonl")
    path = tmp_path / "calls.jsonl"
    path.write_text("")
    assert "no recorded calls" in error_of("conform", path)
    path.write_text('{"op": "add"}\n')
    assert "line 1" in error_of("conform", path)
    path.write_bytes(b"\xff\xfe\x00")
    assert "cannot be read" in error_of("conform", path)
    cut = tmp_path / "calls.jsonl.gz"
    cut.write_bytes(gzip.compress(b'{"op": "add"}' * 100)[:-12])
    assert "cannot be read" in error_of("conform", cut)


# --- doctor ---


def test_doctor_says_what_is_here_and_tests_it() -> None:
    outcome = Outcome("doctor")
    assert outcome.status == 0
    for name in ("arcbatt", "Python", "compiler", "flags", "hot loops", "cores", "calibration"):
        assert name in outcome.out
    shown = Outcome("doctor", "--json").json
    assert shown["ok"] and shown["arcbatt"] == version("arcbatt")
    assert "-O" in shown["build"]["flags"]
    tested = {test["backend"]: (test["passed"], test["ok"]) for test in shown["self_test"]}
    n_calls = tested["reference"][0]
    gpus = [f"cuda:{gpu['number']}" for gpu in shown["gpu_search"]["gpus"]]
    assert tested == dict.fromkeys(["reference", "cpu", "batt", *gpus], (n_calls, True))


def test_doctor_without_a_gpu_is_content(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcbatt.doctor.look_for_gpus", lambda: GpuSearch(trouble="no driver"))
    outcome = Outcome("doctor")
    assert outcome.status == 0
    assert "none: no driver" in outcome.out and "not tested: no GPU" in outcome.out


def test_doctor_fails_where_a_backend_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU that is said to be there and does not run; an engine that gives something else."""
    gpus = (Gpu(99, "A card", 2**34, "9.0"),)
    monkeypatch.setattr("arcbatt.doctor.look_for_gpus", lambda: GpuSearch(gpus, cupy="13.0"))
    wrong = {**ENGINES, "cpu": lambda calls: ((call, None) for call in calls)}
    monkeypatch.setattr("arcbatt.doctor.ENGINES", wrong)
    outcome = Outcome("doctor")
    assert outcome.status == 1
    assert "A card, 16 GiB, compute 9.0" in outcome.out
    assert "EngineUnavailable: no GPU" in outcome.out and "got:      None" in outcome.out
    shown = Outcome("doctor", "--json")
    assert (shown.status, shown.json["ok"]) == (1, False)
    fine = {test["backend"]: test["ok"] for test in shown.json["self_test"]}
    assert fine == {"reference": True, "cpu": False, "batt": True, "cuda:99": False}


def test_doctor_says_which_kernels_are_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path))
    gpus = (Gpu(0, "A card", 2**34, "8.6"), Gpu(1, "Another", 2**34, "9.0"))
    names = list(kernels.modules())
    for name in names:
        kernel_files.write(tmp_path / "kernels", kernels.source_digest(), "sm_80", name, b"code")
    kernel_files.write(tmp_path / "kernels", "older", "sm_90", names[0], b"code")
    place = (tmp_path / "kernels", kernels.source_digest(), "sm_90")
    for name, trouble in ((names[0], "it crashed"), (names[1], "so did this"), (names[1], "")):
        kernel_files.note_trouble(*place, name, trouble)
    found = read_kernels(GpuSearch(gpus))
    assert found.failed == {f"sm_90/{names[0]}": "it crashed"}
    assert found.targets == {"sm_80": len(names)}
    assert found.on_gpus == {"cuda:0": len(names), "cuda:1": 0}
    for compiler, trouble in (("NVRTC 12.9", ""), ("", "it is not there")):
        told = replace(found, compiler=compiler, trouble=trouble)
        monkeypatch.setattr("arcbatt.doctor.read_kernels", lambda _search, told=told: told)
        out = " ".join(Outcome("doctor").out.split())
        assert f"{len(names)} of {len(names)} modules for sm_80" in out
        assert "cuda:0 all are compiled" in out
        assert f"sm_90/{names[0]} failed: it crashed" in out
        assert (f"by {compiler} when needed" if compiler else f"compiled: {trouble}") in out


def test_doctor_shows_the_calibration(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = ({"launch_s": 1.25e-5, "devices": ["A card"]}, "calibration.json")
    monkeypatch.setattr("arcbatt.doctor.read_calibration", lambda: stored)
    out = Outcome("doctor").out
    assert "calibration.json" in out and "1.25e-05" in out and "A card" in out
    monkeypatch.setattr("arcbatt.doctor.read_calibration", lambda: (None, "calibration.json"))
    assert "none stored at calibration.json" in Outcome("doctor").out


# --- explain ---


def test_explain_in_the_terminal(programs: Path) -> None:
    out = Outcome("explain", programs, "--task", "67a3c6ac").out
    assert "x1 = vmirror(I)" in out and "✓ demo 1 is right" in out and "demo 2" not in out
    out = Outcome("explain", programs, "--task", "67a3c6ac", "--pair", "all").out
    assert "✓ demo 2 is right" in out and "✓ test 1 is right" in out
    out = Outcome("explain", programs, "--task", "67a3c6ac", "--pair", "test:1").out
    assert "✓ test 1 is right" in out and "demo" not in out


def test_explain_a_failing_program(tmp_path: Path) -> None:
    path = write(tmp_path, FAILING)
    outcome = Outcome("explain", path, "--task", "67a3c6ac")
    assert outcome.status == 0
    assert "failed: empty: first: the container is empty" in outcome.out
    assert "needs x2, which failed" in outcome.out


def test_explain_writes_a_page(tmp_path: Path, programs: Path) -> None:
    page = tmp_path / "page.html"
    outcome = Outcome("explain", programs, "--task", "67a3c6ac", "--html", page)
    assert (outcome.status, outcome.out) == (0, f"wrote {page}\n")
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>") and "test 1 is right" in text


def test_explain_chooses_a_program(tmp_path: Path, programs: Path) -> None:
    message = error_of("explain", programs, "--task", "00d62c1b")
    assert "solve_67a3c6ac, solve_nowhere" in message
    message = error_of("explain", programs, "--task", "67a3c6ac", "--name", "solve_nowher")
    assert "did you mean solve_nowhere?" in message
    outcome = Outcome("explain", programs, "--task", "67a3c6ac", "--name", "solve_nowhere")
    assert outcome.status == 0 and outcome.out.startswith("solve_nowhere")
    only = write(tmp_path, RIGHT)
    assert "is wrong" in Outcome("explain", only, "--task", "00d62c1b").out


def test_explain_says_what_is_wrong(tmp_path: Path, programs: Path) -> None:
    for pair in ("demo:9", "demo:0", "demo", "demo:x", "best:1"):
        message = error_of("explain", programs, "--task", "67a3c6ac", "--pair", pair)
        assert "demo:1, demo:2, demo:3, test:1" in message
    assert "did you mean" in error_of("explain", programs, "--task", "67a3c6ad")
    assert "cannot be read" in error_of("explain", tmp_path / "no.py", "--task", "67a3c6ac")
    bad = write(tmp_path, "import os\n")
    assert "expected a program" in error_of("explain", bad, "--task", "67a3c6ac")
    page = tmp_path / "no" / "page.html"
    assert "no such file" in error_of("explain", programs, "--task", "67a3c6ac", "--html", page)


def test_explain_on_a_task_file(tmp_path: Path) -> None:
    grid, mirrored = [[1, 2]], [[2, 1]]
    pair = {"input": grid, "output": mirrored}
    task = tmp_path / "mine.json"
    task.write_text(json.dumps({"train": [pair], "test": [{"input": grid}]}))
    path = write(tmp_path, RIGHT.replace("67a3c6ac", "mine"))
    outcome = Outcome("explain", path, "--task", task, "--pair", "all")
    assert "✓ demo 1 is right" in outcome.out and "? test 1 has no known answer" in outcome.out


def kaggle_file(folder: Path) -> Path:
    pair = {"input": [[1, 2]], "output": [[2, 1]]}
    path = folder / "my_challenges.json"
    path.write_text(json.dumps({"mine": {"train": [pair], "test": [{"input": [[3, 4]]}]}}))
    (folder / "my_solutions.json").write_text(json.dumps({"mine": [[[4, 3]]]}))
    return path


def test_explain_and_differs_take_tasks_of_any_source(tmp_path: Path) -> None:
    data = kaggle_file(tmp_path)
    path = write(tmp_path, RIGHT.replace("67a3c6ac", "mine"))
    outcome = Outcome("explain", path, "--task", "mine", "--data", data, "--pair", "all")
    assert "✓ demo 1 is right" in outcome.out and "✓ test 1 is right" in outcome.out
    assert "did you mean mine?" in error_of("explain", path, "--task", "mime", "--data", data)
    judged = Outcome("differs", "--program", path, "--task", "mine", "--data", data, "--json").json
    assert judged["fits"] is True and judged["credit"] == 1000


def test_explain_does_not_stop_at_a_broken_neighbour(tmp_path: Path) -> None:
    broken = "def solve_broken(I):\n    return foo(I)\n"
    path = write(tmp_path, RIGHT + "\n\n" + broken * 5)
    outcome = Outcome("explain", path, "--task", "67a3c6ac")
    assert outcome.status == 0 and "✓ demo 1 is right" in outcome.out
    assert outcome.err.count("note: left out:") == 3 and "2 more programs" in outcome.err
    message = error_of("explain", path, "--task", "67a3c6ac", "--name", "solve_broken")
    assert "unknown primitive foo" in message
    # The one that is meant is the broken one, even if it is the only one that is not.
    own = write(tmp_path, RIGHT.replace("67a3c6ac", "other") + broken.replace("broken", "67a3c6ac"))
    assert "unknown primitive foo" in error_of("explain", own, "--task", "67a3c6ac")
    assert "unknown primitive foo" in error_of(
        "explain", write(tmp_path, broken), "--task", "67a3c6ac"
    )


def test_a_differ_is_not_run_by_itself(tmp_path: Path) -> None:
    text = "def solve_67a3c6ac(S, I, output, target):\n    x = vmirror(output)\n    return x\n"
    path = write(tmp_path, text)
    checked = Outcome("check", path)
    assert checked.status == 1 and "a differ judges what programs give" in checked.out
    for command in (["explain", path], ["differs", "--program", path]):
        assert "a differ judges" in error_of(*command, "--task", "67a3c6ac")


# --- score ---


def run_folder(folder: Path, data: object, submission: object) -> Path:
    """The folder of a run over the tasks one and two, of which it fits both."""
    attempt = {"grid": [[7]], "evidence": 1.0, "weight": 1.0, "taken": {}, "broken": []}
    attempt |= {"candidates": 1, "families": [], "best": None}
    test = {"confidence": 0.5, "grids": 1, "attempts": [attempt], "lost": []}
    counts = {"demos": 1, "candidates": 1, "agreeing": 1, "found_s": 1.0, "spent_s": 1.0}
    found = {"proposer": "learn", "fits": True, "confidence": 0.5, "tests": [test], "rules": []}
    rows = [{"task": name, **counts, **found} for name in ("one", "two")]
    about = {"tasks": 2, "fits": 2, "elapsed_s": 1.0, "proposers": {}, "parts": {}, "not_valid": {}}
    path = folder / "run"
    path.mkdir()
    (path / "config.json").write_text(json.dumps({"options": {"data": data}}))
    (path / "results.json").write_text(json.dumps({**about, "by_task": rows}))
    (path / "submission.json").write_text(json.dumps(submission))
    return path


def test_score_of_a_run_needs_no_data(tmp_path: Path) -> None:
    pair = {"input": [[1]], "output": [[2]]}
    tasks = tmp_path / "tasks"
    tasks.mkdir()
    for name in ("one", "two"):
        (tasks / f"{name}.json").write_text(json.dumps({"train": [pair], "test": [pair]}))
    attempts = {"attempt_1": [[7]], "attempt_2": [[2]]}
    wrong = {"attempt_1": [[7]], "attempt_2": [[8]]}
    run = run_folder(tmp_path, str(tasks), {"one": [attempts], "two": [wrong]})
    scored = Outcome("score", run, "--json").json
    assert (scored["tasks"], scored["solved"], scored["solved_first_attempt"]) == (2, 1, 0)
    # Solved at the second attempt is solved.
    assert scored["by_proposer"]["learn"] == {
        "tasks": 2,
        "solved": 1,
        "solved_first_attempt": 0,
        "fits": 2,
        "fits_but_wrong": 1,
    }
    shown = Outcome("score", run).out
    assert "fits but wrong" in shown and "1 of 2 tasks solved" in shown
    assert "--data SET" in error_of("score", run / "submission.json")
    (run / "config.json").write_text("{}")
    assert "give --data SET" in error_of("score", run)
    assert Outcome("score", run, "--data", tasks).status == 0
