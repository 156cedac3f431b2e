"""`arcbatt tasks`, `show` and `primitives`: output, exit codes, messages, JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arcbatt.language import all_primitives
from arcbatt.tasks import TASK_SETS
from docs.terminal_pictures import record_show
from tests.support.commands import RIGHT, Outcome, error_of, kaggle_file, write


def test_tasks_lists_the_sets() -> None:
    outcome = Outcome("tasks")
    assert outcome.status == 0
    for name in TASK_SETS:
        assert name in outcome.out
    sets = Outcome("tasks", "--json").json["sets"]
    assert [each["set"] for each in sets] == list(TASK_SETS)
    assert [each["tasks"] for each in sets] == [400, 1000, 400, 120, 120]


def test_tasks_of_a_set() -> None:
    (line,) = [
        x for x in Outcome("tasks", "arc-agi-1/training").out.splitlines() if "00d62c1b" in x
    ]
    assert line.split() == ["00d62c1b", "5", "1", "6-20x6-20", "6-20x6-20", "0", "3", "4"]
    tasks = Outcome("tasks", "arc-agi-1/training", "--json").json["tasks"]
    (task,) = [each for each in tasks if each["id"] == "00d62c1b"]
    assert (task["demos"], task["tests"], task["colors"]) == (5, 1, [0, 3, 4])
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


def test_show_reports_errors(tmp_path: Path) -> None:
    assert "did you mean 00d62c1b?" in error_of("show", "00d62c1a")
    assert "nosuch.json" in error_of("show", "nosuch.json")
    assert "no such file" in error_of("show", "00d62c1b", "--svg", tmp_path / "no" / "a.svg")


def test_the_recorded_picture_is_self_contained() -> None:
    svg = record_show("00d62c1b")
    assert "arcbatt&#160;show&#160;00d62c1b" in svg or "arcbatt show 00d62c1b" in svg
    assert svg.count("://") == svg.count("http://www.w3.org/2000/svg")
    assert record_show("00d62c1b") == svg


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


@pytest.mark.slow
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


def test_a_task_can_be_shown_beside_an_invalid_one(tmp_path: Path) -> None:
    data = kaggle_file(tmp_path)
    tasks = json.loads(data.read_text())
    data.write_text(json.dumps({**tasks, "bad": {"train": [], "test": []}}))
    right = RIGHT.replace("67a3c6ac", "mine")
    path = write(tmp_path, right)
    assert Outcome("show", "mine", "--data", data).status == 0
    assert Outcome("explain", path, "--task", "mine", "--data", data).status == 0
    assert Outcome("check", path, "--data", data).status == 0
    run = ("run", "--no-library", "--program", path, data)
    assert Outcome(*run, "--tasks", "mine").status == 0
    for command in (("show", "bad", "--data", data), run):
        assert '"train" is empty' in error_of(*command)
    both = write(tmp_path, right + right.replace("mine", "bad"))
    outcome = Outcome("check", both, "--data", data)
    assert outcome.status == 2 and "solve_bad cannot be judged" in outcome.err


def test_tasks_diff_says_which_tasks_differ_and_how(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    task = {
        "train": [{"input": [[1]], "output": [[2]]}, {"input": [[3]], "output": [[4]]}],
        "test": [{"input": [[5]], "output": [[6]]}],
    }
    demo = {"input": [[1, 1]], "output": [[2]]}
    changes = {
        "same": task,
        "order": {**task, "train": task["train"][::-1]},
        "demo": {**task, "train": [demo, task["train"][1]]},
        "answer": {**task, "test": [{"input": [[5]], "output": [[7]]}]},
        "tests": {**task, "test": task["test"] * 2},
    }
    for folder, tasks in ((one, dict.fromkeys(changes, task) | {"gone": task}), (other, changes)):
        folder.mkdir()
        for name, content in tasks.items():
            (folder / f"{name}.json").write_text(json.dumps(content))
    found = Outcome("tasks", "diff", one, other, "--json").json
    assert found["only_first"] == ["gone"] and found["only_second"] == [] and found["same"] == 1
    assert found["changed"] == {
        "answer": ["test 1: another answer"],
        "demo": ["demo 1 input: 1x1 in the first, 1x2 in the second"],
        "order": ["the demos are in another order"],
        "tests": ["1 test input in the first, 2 in the second"],
    }
    shown = Outcome("tasks", "diff", one, other, columns=80)
    assert "1 task the same in both, 4 not, 1 only in the first" in shown.out
    assert Outcome("tasks", "diff", one).status == 2
    assert "name one set" in Outcome("tasks", one, other).err


def test_the_evaluation_set_of_kaggle_differs_in_six_tasks() -> None:
    found = Outcome("tasks", "diff", "arc-agi-2/evaluation", "kaggle-2025/evaluation", "--json")
    assert len(found.json["changed"]) == 6 and found.json["same"] == 114


def test_counts_of_pairs_stay_with_a_run(tmp_path: Path) -> None:
    path = tmp_path / "mirror.json"
    pairs = [{"input": [[k, 9]], "output": [[9, k]]} for k in range(6)]
    path.write_text(json.dumps(pairs))
    rounds = ("--rounds", 1, "--threads", 1, "--device", "cpu", "--no-explain")
    source = f"{path}#demos=2,tests=3"
    done = Outcome("solve", source, *rounds, "--out", tmp_path / "runs", "--json")
    assert done.status == 0, done.err
    assert Outcome("score", done.json["folder"], "--json").json["test_inputs_right"] == 3
