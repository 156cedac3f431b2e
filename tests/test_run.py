"""Solving as a run: its files are whole whatever happens, and it can be gone on with."""

from __future__ import annotations

import errno
import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from arcbatt.drawing.palette import COLOURS
from arcbatt.drawing.pixels import png_pixels
from arcbatt.language import parse_file, parse_program, run
from arcbatt.pool import NewProgram, Pool
from arcbatt.search.run_folder import RunConfig, RunFolder, RunFolderError, read_log
from arcbatt.solving import Desk, Solver, Watcher, solve_run
from arcbatt.solving.solve_run import SolveOptions, SolveRun, require_space
from arcbatt.solving.stages import Stage
from arcbatt.tasks import Pair, Task

from .solving_parts import (
    FLIP,
    HOSTILE,
    MIRROR,
    Told,
    candidate_for,
    check_submission_file,
    huge_task,
    put_in_list,
    task_named,
    training,
)

FILES = {"submission.json", "report.html", "programs.py", "results.json", "hall_of_fame.json"}
ALWAYS = FILES | {"config.json", "log.jsonl", "state.json", "lock", "pool.db"}
TOLD = SolveOptions("tests", stages=("told",), device="cpu", n_threads=1)


def offer_all(tasks: Sequence[Task], desk: Desk) -> None:
    for task in tasks:
        desk.offer(candidate_for(task))


def nothing(_tasks: Sequence[Task], _desk: Desk) -> None:
    pass


def start(base: Path, options: SolveOptions = TOLD) -> RunFolder:
    return RunFolder.create(base, options.to_config())


def run_told(
    monkeypatch: pytest.MonkeyPatch,
    base: Path,
    tasks: Sequence[Task],
    do: Callable[[Sequence[Task], Desk], None],
    *,
    explain: bool = False,
) -> Path:
    """A run of a stage that does what a function says; returns its folder."""
    put_in_list(monkeypatch, lambda: Told(do))
    with start(base) as folder, SolveRun(folder, tasks) as solving:
        solving.go_on(60)
        if explain:
            solving.explain()
    return folder.path


class Checker(HTMLParser):
    """Every tag that is opened is closed, in order, and no id is there twice."""

    VOID = frozenset({"meta", "img", "input", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.ids: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        assert len(given) == len(attrs)
        self.tags.append((tag, given))
        if "id" in given:
            self.ids.append(given["id"] or "")
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag


def check_report(path: Path, tasks: Sequence[Task]) -> Checker:
    """The report is well formed, refers to nothing elsewhere, and has every task drawn."""
    text = path.read_text("utf-8")
    checker = Checker()
    checker.feed(text)
    checker.close()
    assert checker.stack == [] and len(set(checker.ids)) == len(checker.ids)
    articles = [given for tag, given in checker.tags if tag == "article"]
    assert [given["data-task"] for given in articles] == [task.id for task in tasks]
    n_grids = sum(2 * len(t.demos) + 3 * len(t.test_inputs) for t in tasks)
    images = [given["src"] for tag, given in checker.tags if tag == "img"]
    assert len(images) == n_grids
    assert all(source and source.startswith("data:image/png;base64,") for source in images)
    assert [tag for tag, _ in checker.tags].count("script") == 1
    assert "http" not in text
    return checker


# --- files ---


def test_a_run_writes_all_its_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tasks = [task_named("one"), task_named("two")]
    path = run_told(monkeypatch, tmp_path, tasks, offer_all)
    assert {each.name for each in path.iterdir()} == ALWAYS | {"progress.svg", "progress.png"}
    submission = check_submission_file(path / "submission.json", tasks)
    assert submission["one"][0]["attempt_1"] == [[6, 5], [8, 7]]
    results = json.loads((path / "results.json").read_text())
    assert (results["tasks"], results["fitted"]) == (2, 2)
    assert [row["stage"] for row in results["by_task"]] == ["told", "told"]
    assert all(row["spent_s"] >= 0 for row in results["by_task"])
    hall = json.loads((path / "hall_of_fame.json").read_text())
    assert parse_program(hall["two"][0]["program"]) == parse_program(MIRROR)
    logged = [each.details for each in read_log(path / "log.jsonl")]
    assert [each["stage"] for each in logged] == ["told", "told"]
    assert logged[0]["note"] == 1 and logged[1]["ended"]["n_first"] == 2


def test_all_is_there_before_the_first_stage_begins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tasks = [task_named("one"), huge_task()]

    def look(_tasks: Sequence[Task], _desk: Desk) -> None:
        (path,) = tmp_path.iterdir()
        assert {each.name for each in path.iterdir()} - {"pool.db-wal", "pool.db-shm"} == ALWAYS
        check_submission_file(path / "submission.json", tasks)
        check_report(path / "report.html", tasks)

    run_told(monkeypatch, tmp_path, tasks, look)


def test_nothing_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tasks = [task_named("one"), huge_task()]
    path = run_told(monkeypatch, tmp_path, tasks, nothing, explain=True)
    check_submission_file(path / "submission.json", tasks)
    check_report(path / "report.html", tasks)
    assert list(parse_file(path / "programs.py")) == []
    assert json.loads((path / "hall_of_fame.json").read_text()) == {"one": [], "huge": []}


def test_hostile_names_and_huge_tasks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tasks = [*map(task_named, HOSTILE), huge_task()]
    path = run_told(monkeypatch, tmp_path / "runs", tasks, offer_all, explain=True)
    check_submission_file(path / "submission.json", tasks)
    text = (path / "report.html").read_text("utf-8")
    check_report(path / "report.html", tasks)
    assert "alert(1)" in text and "<script>alert" not in text
    names = [parsed.name for parsed in parse_file(path / "programs.py")]
    assert len(set(names)) == len(names) == len(tasks)
    pages = {each.name for each in (path / "explanations").iterdir()}
    assert pages == {f"{name}.html" for name in names}
    # Nothing was written anywhere else.
    assert [each.name for each in tmp_path.iterdir()] == ["runs"]
    assert len(list((tmp_path / "runs").iterdir())) == 1


def test_programs_parse_and_fit_by_the_reference(tmp_path: Path) -> None:
    tasks = training("67a3c6ac", "00d62c1b", "28bf18c6", "ff28f65a")
    options = SolveOptions("arc-agi-1/training", device="cpu", n_threads=1)
    with start(tmp_path, options) as folder, SolveRun(folder, tasks) as solving:
        solving.go_on(600, max_rounds=3)
        solving.explain()
        results = {row["task"]: row for row in _results(folder.path)["by_task"]}
    programs = {each.name: each.program for each in parse_file(folder.path / "programs.py")}
    assert {"solve_67a3c6ac", "solve_00d62c1b"} <= programs.keys()
    for task in tasks:
        best = results[task.id]["tests"][0]["attempts"][0]["best"]
        if best is None or not best["n_fitted"]:
            assert f"solve_{task.id}" not in programs
            continue
        program = programs[f"solve_{task.id}"]
        pairs = tuple((demo.input, demo.output) for demo in task.demos)
        outcomes = [run(program, {"I": d.input, "S": pairs}).outcome for d in task.demos]
        right = [demo.output for demo in task.demos]
        assert sum(map(_equal, outcomes, right)) == best["n_fitted"]
    checker = check_report(folder.path / "report.html", tasks)
    links = [given["href"] for tag, given in checker.tags if tag == "a"]
    assert "explanations/solve_67a3c6ac.html" in links
    assert (folder.path / "explanations" / "solve_67a3c6ac.html").exists()


def _equal(value: object, other: object) -> bool:
    return value == other


def _results(path: Path) -> Any:
    return json.loads((path / "results.json").read_text())


def test_the_report_says_how_to_explain_where_there_is_no_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = run_told(monkeypatch, tmp_path, training("67a3c6ac"), offer_all)
    command = "arcbatt explain programs.py --task 67a3c6ac --program solve_67a3c6ac"
    assert command in (path / "report.html").read_text("utf-8")


def test_pictures_have_a_pixel_a_cell() -> None:
    for grid in (((0,),), ((1, 2, 3), (4, 5, 6)), ((7, 8), (9, 0), (1, 1))):
        with Image.open(BytesIO(png_pixels(grid))) as image:
            assert image.size == (len(grid[0]), len(grid))
            pixels = image.convert("RGB")
            for r, row in enumerate(grid):
                for c, colour in enumerate(row):
                    assert pixels.getpixel((c, r)) == tuple(bytes.fromhex(COLOURS[colour][1:]))


# --- ends that nobody planned ---


@pytest.mark.parametrize("how", [KeyboardInterrupt, RuntimeError])
def test_whatever_ends_a_run_its_files_are_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, how: type[BaseException]
) -> None:
    tasks = [task_named("one"), task_named("two")]

    def stop_in_the_middle(tasks: Sequence[Task], desk: Desk) -> None:
        desk.offer(candidate_for(tasks[0]))
        raise how

    with pytest.raises(how):
        run_told(monkeypatch, tmp_path, tasks, stop_in_the_middle)
    (path,) = tmp_path.iterdir()
    submission = check_submission_file(path / "submission.json", tasks)
    assert submission["one"][0]["attempt_1"] == [[6, 5], [8, 7]]
    check_report(path / "report.html", tasks)
    assert [each.name for each in parse_file(path / "programs.py")] == ["solve_one"]


def test_an_interrupt_while_files_are_written_waits(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write, n_reports = solve_run.make_report, 0

    def interrupted(*args: Any, **options: Any) -> str:
        nonlocal n_reports
        n_reports += 1
        if n_reports == 2:
            signal.raise_signal(signal.SIGINT)
        return write(*args, **options)

    monkeypatch.setattr(solve_run, "make_report", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_told(monkeypatch, tmp_path, [task_named("one")], offer_all)
    (path,) = tmp_path.iterdir()
    assert "told, 2 of 2 demos" in (path / "report.html").read_text("utf-8")


class Noted(Watcher):
    def __init__(self) -> None:
        self.messages: list[str] = []

    def said(self, solver: Solver, message: str) -> None:
        self.messages.append(message)


def test_a_full_disk_does_not_end_the_search(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def no_space(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    put_in_list(monkeypatch, lambda: Told(offer_all, n_rounds=3))
    watcher = Noted()
    with start(tmp_path) as folder:
        monkeypatch.setattr(folder, "append", no_space)
        with SolveRun(folder, [task_named("one")], watcher=watcher) as solving:
            solving.go_on(60)
            assert solving.trouble is not None and "No space left" in solving.trouble
    assert len(watcher.messages) == 1 and "going on without" in watcher.messages[0]
    submission = check_submission_file(folder.path / "submission.json", [task_named("one")])
    assert submission["one"][1]["attempt_1"] == [[0, 9]]


def test_a_disk_that_is_too_small_is_said_before(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    require_space(tmp_path / "not" / "yet", 1)
    usage = shutil.disk_usage(tmp_path)._replace(free=1_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage)
    with pytest.raises(RunFolderError, match=r"1 MB are free, and a run over 400 tasks may write"):
        require_space(tmp_path, 400)


# --- going on ---


def test_a_run_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tasks = [task_named("one"), task_named("two")]
    made: list[Told] = []

    def make() -> Stage:
        # Each round another task.
        stage = Told(lambda tasks, desk: offer_all(tasks[stage.n_done - 1 :][:1], desk), n_rounds=2)
        made.append(stage)
        return stage

    put_in_list(monkeypatch, make)
    with start(tmp_path) as folder, SolveRun(folder, tasks) as first:
        first.go_on(60, max_rounds=1)
        assert first.solver.n_fitted == 1
    with RunFolder.open(folder.path) as again, SolveRun(again, tasks) as second:
        assert second.solver.n_fitted == 1
        second.go_on(60)
        assert second.solver.n_fitted == 2
        assert second.solver.elapsed_s > first.solver.elapsed_s
    assert made[1].n_done == 2
    log = read_log(folder.path / "log.jsonl")
    assert [each.generation for each in log] == [1, 2, 3, 4]
    submission = check_submission_file(folder.path / "submission.json", tasks)
    for name in ("one", "two"):
        assert submission[name][0]["attempt_1"] == [[6, 5], [8, 7]]


def test_real_stages_go_on(tmp_path: Path) -> None:
    tasks = training("67a3c6ac", "a85d4709")
    options = SolveOptions("arc-agi-1/training", device="cpu", n_threads=1)
    with start(tmp_path, options) as folder, SolveRun(folder, tasks) as first:
        first.go_on(600, max_rounds=2)
        n_pool_rounds = first.solver.counts["pool"].n_rounds
        n_rounds = first.solver.counts["evolve"].n_rounds
        n_kept = len(first.solver.candidates(tasks[1]))
    with RunFolder.open(folder.path) as again, SolveRun(again, tasks) as second:
        second.go_on(600, max_rounds=2)
        # Known programs have been tried; evolution goes on.
        assert second.solver.counts["pool"].n_rounds == n_pool_rounds
        assert second.solver.counts["evolve"].n_rounds > n_rounds
        assert len(second.solver.candidates(tasks[1])) >= n_kept


def test_a_run_does_not_go_on_with_other_tasks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = run_told(monkeypatch, tmp_path, [task_named("one")], nothing)
    with RunFolder.open(path) as folder, pytest.raises(RunFolderError, match="are not those that"):
        SolveRun(folder, [task_named("two")])


def test_the_folder_of_another_command_is_refused(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path, RunConfig("evolve", 0, {}))
    with folder, pytest.raises(RunFolderError, match="the folder of `arcbatt evolve`"):
        SolveRun(folder, [])


def test_options_come_back_from_the_folder() -> None:
    options = SolveOptions("set", ("a,b",), ("pool",), "p.db", False, 7, "cpu", 2)
    again = json.loads(json.dumps(options.to_config().options))
    assert SolveOptions.from_config(RunConfig("solve", 7, again)) == options


def test_what_a_pool_knows_is_used(tmp_path: Path) -> None:
    odd = parse_program(FLIP.replace("hmirror(I)", "hmirror(vmirror(rot90(I)))"))
    with Pool.open(tmp_path / "known.db") as pool:
        pool.add_programs([NewProgram.of(odd, "test")])
    pair = Pair(((1, 2), (3, 4)), ((2, 4), (1, 3)))
    task = Task("turned", (pair,), (((5, 6), (7, 8)),), "tests")
    options = SolveOptions(
        "tests", stages=("pool",), pool=str(tmp_path / "known.db"), library=False, device="cpu"
    )
    with start(tmp_path / "runs", options) as folder, SolveRun(folder, [task]) as solving:
        solving.go_on(60)
        programs = [each.candidate.program for each in solving.solver.candidates(task).kept]
    assert odd in programs


# --- signals, in a process of its own ---


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_process_that_is_ended_leaves_a_valid_submission(
    tmp_path: Path, how: signal.Signals
) -> None:
    ids = "25d8a9c8,67a3c6ac,ff28f65a"
    command = [sys.executable, "-c", "from arcbatt.cli import main; main()", "solve"]
    common = ["--budget", "1h", "--jobs", "1"]
    process = subprocess.Popen(
        [*command, "arc-agi-1/training", "--tasks", ids, "--out", str(tmp_path), *common],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        _wait_for_rounds(tmp_path, process)
        process.send_signal(how)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    (path,) = tmp_path.iterdir()
    tasks = training(*ids.split(","))
    submission = check_submission_file(path / "submission.json", tasks)
    check_report(path / "report.html", tasks)
    mirrored = [list(row[::-1]) for row in tasks[1].test_inputs[0]]
    assert submission["67a3c6ac"][0]["attempt_1"] == mirrored
    if how is signal.SIGKILL:
        assert process.returncode == -how
    else:
        assert process.returncode == 130
        assert "tasks solved on their demos" in out
    again = subprocess.run(
        [*command, "--resume", str(path), "--rounds", "1", "--json", *common[:2]],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(again.stdout)["fitted"] >= 1


def _wait_for_rounds(base: Path, process: subprocess.Popen[str]) -> None:
    """Until some rounds are in the log."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None
        logs = list(base.glob("*/log.jsonl"))
        if logs and logs[0].read_bytes().count(b"\n") > 5:
            return
        time.sleep(0.02)
    raise AssertionError("the run did not begin")
