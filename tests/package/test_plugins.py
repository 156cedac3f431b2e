"""Plugins: primitives and proposers of the user's own, in every command and from Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import arcbatt
from arcbatt import plugins
from arcbatt.language.registry import user_primitives, withdraw_user_primitive
from arcbatt.plugins import PluginError, load_plugin, load_plugins_of_parent
from arcbatt.proposers import ProposerOptions, make_proposers
from arcbatt.proposers.registry import all_names
from tests.support.commands import Outcome, error_of

PLUGIN = '''
import arcbatt

@arcbatt.primitive("Grid -> Grid", examples=("let_fall(((1, 0), (0, 0))) == ((0, 0), (1, 0))",))
def let_fall(grid):
    """Let every cell that is not black fall to the bottom of its column."""
    columns = [sorted(column, key=bool) for column in zip(*grid)]
    return list(zip(*columns))


class FallDown(arcbatt.Proposer):
    name = "fall_down"

    def next_offer(self, context):
        done = context.done("let_fall")
        tasks = tuple(task for task in context.board.tasks if task.id not in done)
        return arcbatt.Offer("let_fall", tasks, 1.0, 0.001) if tasks else None

    def work(self, offer, context):
        program = arcbatt.parse_program("def solve(I):\\n    return let_fall(I)\\n")
        for task in offer.tasks:
            context.propose([arcbatt.Proposal.from_program(program, task)])
            context.note_done(offer.item, task, {})
'''
TASK = {
    "train": [
        {"input": [[1, 0], [0, 2]], "output": [[0, 0], [1, 2]]},
        {"input": [[2, 0, 3], [0, 0, 0]], "output": [[0, 0, 0], [2, 0, 3]]},
    ],
    "test": [{"input": [[0, 4], [0, 0], [5, 0]]}],
}
SOLVER = "def solve_fall(I):\n    return let_fall(I)\n"


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file of a plugin, a task and a program for it; what is loaded is forgotten."""
    monkeypatch.setenv(plugins.VARIABLE, "[]")
    monkeypatch.setattr(plugins, "_loaded", {})
    path = tmp_path / "mine.py"
    path.write_text(PLUGIN)
    (tmp_path / "fall.json").write_text(json.dumps(TASK))
    (tmp_path / "solvers.py").write_text(SOLVER)
    yield path
    for name in list(user_primitives()):
        withdraw_user_primitive(name)


def run_with(plugin: Path, *args: str) -> Outcome:
    return Outcome(*args, "--plugin", plugin)


def test_a_plugin_gives_primitives_and_proposers(plugin: Path) -> None:
    module = load_plugin(str(plugin))
    assert load_plugin(str(plugin)) is module
    assert arcbatt.run(arcbatt.parse_program(SOLVER), [[1], [0]]).outcome == ((0,), (1,))
    assert "fall_down" in all_names()
    (made,) = make_proposers(["fall_down"], ProposerOptions())
    assert made.name == "fall_down"
    solution = arcbatt.solve(arcbatt.Task.of(TASK), 30, proposers=["fall_down"], library=False)
    assert solution.fits


@pytest.mark.parametrize(
    "args",
    [
        ("run", "fall.json", "--program", "solvers.py", "--no-library"),
        ("explain", "solvers.py", "--task", "fall.json"),
        ("check", "solvers.py", "--task", "fall.json"),
        ("primitives", "let_fall"),
    ],
    ids=lambda args: args[0],
)
def test_commands_take_a_plugin(
    plugin: Path, args: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(plugin.parent)
    without = Outcome(*args)
    assert without.status != 0
    assert run_with(plugin, *args).status == 0


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--cluster", "local:1")], ids=["here", "local worker"])
def test_solve_takes_a_plugin_and_resumes_only_with_it(
    plugin: Path, more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(plugin.parent)
    environ = {**os.environ, plugins.VARIABLE: "[]"}

    def arcbatt_command(*args: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "arcbatt", *args]
        return subprocess.run(command, capture_output=True, text=True, timeout=100, env=environ)

    solved = arcbatt_command(
        *("solve", "fall.json", "--plugin", "mine.py", "--proposers", "fall_down"),
        *("--no-library", "--budget", "60s", "--rounds", "2", "--json", *more),
    )
    assert solved.returncode == 0, solved.stderr
    content = json.loads(solved.stdout)
    assert content["by_task"][0]["fits"] and content["by_task"][0]["proposer"] == "fall_down"
    refused = arcbatt_command("solve", "--resume", content["folder"], "--budget", "5s")
    assert refused.returncode == 2 and "add --plugin" in refused.stderr
    resumed = arcbatt_command(
        *("solve", "--resume", content["folder"], "--budget", "30s", "--rounds", "1"),
        *("--plugin", "mine.py"),
    )
    assert resumed.returncode == 0, resumed.stderr


def test_evolve_and_kaggle_take_a_plugin(plugin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(plugin.parent)
    quick = ("--budget", "1h", "--rounds", "1", "--threads", "1", "--device", "cpu")
    evolved = run_with(plugin, "evolve", "fall.json", *quick, "--no-library", "--json")
    assert evolved.status == 0, evolved.err
    config = json.loads((Path(evolved.json["folder"]) / "config.json").read_text())
    assert config["options"]["plugins"] == [str(plugin)]

    (plugin.parent / "input").mkdir()
    challenges = plugin.parent / "input" / "arc-agi_test_challenges.json"
    challenges.write_text(json.dumps({"fall": TASK}))
    places = ("--input", "input", "--output", "output", "--proposers", "fall_down")
    made = run_with(plugin, "kaggle", *places, *quick, "--no-library")
    assert made.status == 0, made.err
    submission = json.loads((plugin.parent / "output" / "submission.json").read_text())
    assert submission["fall"][0]["attempt_1"] == [[0, 0], [0, 0], [5, 4]]


def test_pages_know_the_primitives_of_a_plugin(plugin: Path) -> None:
    pytest.importorskip("starlette")
    from starlette.testclient import TestClient

    from arcbatt.web import Settings, create_app

    load_plugin(str(plugin))
    here = "http://127.0.0.1:8327"
    app = create_app(Settings(runs_folder=plugin.parent / "runs"))
    with TestClient(app, base_url=here, headers={"origin": here}) as client:
        assert "let_fall" in client.get("/primitives").text
        # The check runs in a process of its own.
        body = {"text": SOLVER, "pair": "demo 1", "task": {**TASK, "name": "fall"}}
        checked = client.post("/api/check", json=body).json()
        assert checked["summary"]["words"].startswith("right on 2 of 2 pairs"), checked


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import nothing_like_it\n", "No module named 'nothing_like_it'"),
        ("x = 1\ny = x / 0\n", "ZeroDivisionError: division by zero"),
        ("x = (\n", "was never closed"),
        ("import sys\nsys.exit(0)\n", "SystemExit: 0"),
        (PLUGIN.replace("== ((0, 0), (1, 0))", "== ((1, 1),)"), "is wrong: it gives"),
    ],
)
def test_a_plugin_that_fails_is_one_clear_line(plugin: Path, text: str, message: str) -> None:
    plugin.write_text(text)
    (line,) = error_of("primitives", "add", "--plugin", plugin).strip().split("\n")
    assert f"plugin {plugin}: " in line and message in line and ", line " in line


def test_an_unknown_plugin_is_named(plugin: Path) -> None:
    with pytest.raises(PluginError, match="plugin nowhere_at_all: neither a file"):
        load_plugin("nowhere_at_all")
    with pytest.raises(PluginError, match=r"plugin \.: neither a file"):
        load_plugin(".")
    with pytest.raises(PluginError, match=r"there is no file .*other\.py"):
        load_plugin(str(plugin.parent / "other.py"))


def test_installed_plugins_are_loaded_by_name_only(
    plugin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(plugin.parent))
    entry = EntryPoint("fall", "mine", plugins.GROUP)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [entry])
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    assert Outcome("primitives", "let_fall").status == 2
    assert load_plugin("fall").__name__ == "mine"
    assert "fall_down" in all_names()
    monkeypatch.delitem(sys.modules, "mine")


def test_child_processes_load_what_their_parent_has(plugin: Path) -> None:
    load_plugin(str(plugin))
    inherited = os.environ[plugins.VARIABLE]
    assert json.loads(inherited) == [str(plugin)]
    plugins._loaded.clear()
    withdraw_user_primitive("let_fall")
    load_plugins_of_parent()
    assert "let_fall" in user_primitives()


def test_a_proposer_of_a_plugin_may_not_take_the_name_of_another(plugin: Path) -> None:
    plugin.write_text(PLUGIN.replace('"fall_down"', '"learn"'))
    load_plugin(str(plugin))
    with pytest.raises(ValueError, match="a proposer is named learn already"):
        all_names()
