"""Help, examples and mistyped names, for all commands alike."""

from __future__ import annotations

import itertools
import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from arcbatt.cli.app import app, command_names
from arcbatt.cli.completion import complete_family, complete_primitive, complete_source

GROUP: Any = get_command(app)


def commands() -> Iterator[tuple[str, ...]]:
    """All commands, those of groups too, as they are called."""
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
    text = shown.partition("Usage:")[2].partition("╭")[0].splitlines()[1:]
    for line, following in itertools.pairwise(each.strip() for each in text):
        if line and following:
            assert len(f" {line} {following.split()[0]} ") > 60, (line, following)


def examples(words: tuple[str, ...]) -> list[str]:
    """The commands that the help of a command shows as examples."""
    shown = run(*words, "--help").stdout.split("Examples")[1]
    return [line.strip() for line in shown.splitlines() if line.startswith(" arcbatt ")]


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
