"""Help, examples and mistyped names, for all commands alike."""

from __future__ import annotations

import itertools
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from arcbatt.cli.app import app, command_names, load_command, read_help
from arcbatt.cli.completion import complete_family, complete_primitive, complete_source
from arcbatt.cli.groups import simplify_help

GROUP: Any = get_command(app)


def commands() -> Iterator[tuple[str, ...]]:
    """Return the names of all commands, with those of groups."""
    for name in command_names():
        yield (name,)
        below = getattr(
            GROUP.get_command(GROUP.make_context("arcbatt", [name]), name), "commands", {}
        )
        yield from ((name, each) for each in below)


ALL = list(commands())


def run(*args: str) -> Any:
    return CliRunner().invoke(app, list(args), env={"COLUMNS": "140"})


@pytest.mark.parametrize("words", [(), *ALL], ids=" ".join)
def test_help_shows_examples_and_no_types(words: tuple[str, ...]) -> None:
    ended = run(*words, "--help")
    assert ended.exit_code == 0
    shown = ended.stdout
    assert not re.search(r"<(bool|str|int|float|Path|list\[|path)", shown)
    assert (
        "Examples" in shown and f"arcbatt {' '.join(words)}".strip() in shown.split("Examples")[1]
    )
    assert ("--install-completion" in shown) == (words == ())


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_help_wraps_at_the_terminal_width(words: tuple[str, ...]) -> None:
    shown = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "60"}).stdout
    text = shown.partition("Usage:")[2].partition("\nOptions\n")[0].splitlines()[1:]
    text = text[: text.index("Arguments")] if "Arguments" in text else text
    for line, following in itertools.pairwise(each.strip() for each in text):
        if line and following:
            assert len(f"{line} {following.split()[0]}") > 60, (line, following)


@pytest.mark.parametrize("words", [(), *ALL], ids=" ".join)
def test_help_is_a_page_of_a_terminal(words: tuple[str, ...]) -> None:
    shown = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "80"}).stdout
    assert len(shown.splitlines()) <= 60
    assert max(map(len, shown.splitlines())) <= 80


def test_help_of_a_command_comes_in_two_ways() -> None:
    assert run("help", "pool", "list").stdout == run("pool", "list", "--help").stdout
    assert run("help").stdout == run("--help").stdout
    assert "no command is named sovle; did you mean solve?" in run("help", "sovle").stderr


def test_defaults_are_shown_whatever_else_the_help_says() -> None:
    assert "90s, 10m, 1.5h (10m)" in run("evolve", "--help").stdout
    assert "cuda:1 (auto)" in run("solve", "--help").stdout
    assert "a task's id (arc-agi-1/training)" in run("evolve", "--help").stdout


def test_common_options_come_first() -> None:
    shown = run("solve", "--help").stdout
    places = [shown.index(f"\n{title}\n") for title in ("Options", "Machine", "Search", "Output")]
    assert places == sorted(places)
    assert shown.index("--budget") < places[1] < shown.index("--threads") < places[2]
    # A sentence of each; the page of the command has the rest.
    assert "--rounds N                At most N rounds of each proposer\n" in re.sub(
        " +\n", "\n", shown
    )


def examples(words: tuple[str, ...]) -> list[str]:
    """The commands that the help of a command shows as examples."""
    shown = run(*words, "--help").stdout.split("Examples")[1]
    lines = (line.split("  # ")[0] for line in shown.splitlines())
    return [line.strip() for line in lines if line.startswith("  arcbatt ")]


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_examples_can_be_parsed(words: tuple[str, ...]) -> None:
    listed = examples(words)
    assert listed
    for line in listed:
        args = shlex.split(line)[1:]
        group, ctx = GROUP, GROUP.make_context("arcbatt", list(args))
        while hasattr(group, "commands"):
            name, args = args[0], args[1:]
            group = group.get_command(ctx, name)
            assert group is not None, line
            ctx = group.make_context(name, list(args), parent=ctx)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["sovle"], "no command is named sovle; did you mean solve?"),
        (["kagle"], "did you mean kaggle?"),
        (["pool", "lsit"], "no command is named lsit; did you mean list?"),
        (["runs", "celan"], "did you mean clean?"),
        (["xyzzyx"], "no command is named xyzzyx"),
        (["--versoin"], "no option is named --versoin; did you mean --version?"),
        (["solve", "--budgt", "3s"], "no option is named --budgt; did you mean --budget?"),
        (["solve", "--no-libary"], "did you mean --no-library?"),
        (["pool", "list", "--limti", "3"], "did you mean --limit?"),
    ],
)
def test_a_mistyped_name_gets_a_suggestion(args: list[str], message: str) -> None:
    ended = run(*args)
    assert ended.exit_code == 2 and "Traceback" not in ended.stderr
    assert message in ended.stderr


def test_shell_completions() -> None:
    assert complete_source("arc-agi-1") == ["arc-agi-1/training", "arc-agi-1/evaluation"]
    assert complete_source("67a3c6a") == ["67a3c6ac"]
    assert complete_family("gri") == ["grids"] and "objects" in complete_primitive("obj")


# --- primitives ---


def test_primitives_of_a_family_or_with_words() -> None:
    shown = run("primitives", "--family", "pieces", "--search", "mirror").stdout
    assert "hmirror" in shown and "objects(" not in shown
    assert "did you mean grids?" in run("primitives", "--family", "gridz").stderr
    assert "NAME is one primitive" in run("primitives", "objects", "--family", "grids").stderr
    assert "0 primitives" in run("primitives", "--search", "nosuchthing").stdout
    assert "1 primitive;" in run("primitives", "--search", "vmirror mirror(").stdout.replace(
        "\n", ""
    )


def test_primitives_as_json() -> None:
    everything = json.loads(run("primitives", "--json").stdout)["primitives"]
    (one,) = json.loads(run("primitives", "hmirror", "--json").stdout)["primitives"]
    assert one in everything and one["family"] and one["examples"] and one["signatures"]
    assert len({each["name"] for each in everything}) == len(everything) > 200


@pytest.mark.parametrize("words", ["solve --", "kaggle --", "pool ", ""])
def test_shell_completions_are_short(words: str) -> None:
    environment = {"_ARCBATT_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": f"arcbatt {words}"}
    ended = CliRunner().invoke(app, [], env=environment, prog_name="arcbatt")
    lines = ended.stdout.strip().splitlines()
    assert len(lines) > 5 and all(line.count('":"') == 1 for line in lines)
    assert max(map(len, lines)) < 120


def _modules_after(code: str) -> tuple[set[str], str]:
    """Return the modules that a process has loaded after some code, and what it printed."""
    code += "\nimport sys; print('modules:', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    output, _, modules = done.stdout.rpartition("modules:")
    assert modules, done.stderr
    return set(modules.split()), output


def _not_of_python(modules: set[str]) -> set[str]:
    """Return the packages among modules, less those of Python itself and of its start."""
    packages = {name.partition(".")[0] for name in modules} - sys.stdlib_module_names
    return {name for name in packages if not name.startswith("_")}


def test_the_list_of_commands_is_shown_without_importing_them() -> None:
    modules, output = _modules_after(
        "from arcbatt.cli.app import app\n"
        "try: app(['--help'], prog_name='arcbatt')\n"
        "except SystemExit: pass"
    )
    for name in command_names():
        assert name in output
    assert _not_of_python(modules) <= {"arcbatt", "typer", "rich", "shellingham", "annotated_doc"}
    rooms = {".".join(name.split(".")[:2]) for name in modules if name.startswith("arcbatt.")}
    assert rooms == {"arcbatt.cli", "arcbatt.files", "arcbatt.measure", "arcbatt.suggestion"}
    assert not [name for name in modules if name.startswith("arcbatt.cli.commands.")]


def test_a_search_loads_nothing_that_few_searches_need() -> None:
    modules, _ = _modules_after("import arcbatt.cli.app, arcbatt.cli.commands.solve")
    assert not modules & {"asyncio", "cupy", "http.client", "openai", "ray", "ssl", "starlette"}
    assert not [name for name in modules if name.startswith(("arcbatt.web", "xml."))]


def test_listed_help_is_that_of_the_command() -> None:
    for name in command_names():
        command, _ = load_command(name)
        assert read_help(name) == simplify_help(command).help.split("\n\n")[0]
