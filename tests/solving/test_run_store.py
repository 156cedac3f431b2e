"""Searches in run folders: files are complete whatever happens, and runs can be resumed."""

from __future__ import annotations

import errno
import itertools
import json
import math
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from arcbatt.drawing.palette import COLORS
from arcbatt.drawing.pixels import png_pixels
from arcbatt.interrupts import Interrupt, noting_interrupts
from arcbatt.language import interpret, parse_file, parse_program
from arcbatt.pool import Pool, PoolError, PoolProgram, merge
from arcbatt.proposers import Context
from arcbatt.proposers.enumerate import EnumerateOptions
from arcbatt.proposers.evolve import EvolveOptions
from arcbatt.solving import Loop, RunStore, Search, SearchOptions, Watcher
from arcbatt.solving import log as log_module
from arcbatt.solving import run_store as store_module
from arcbatt.solving.log import LogEntry
from arcbatt.solving.run_folder import RunFolder, RunFolderError, read_log
from arcbatt.solving.run_notes import RunNotes, write_notes
from arcbatt.solving.run_store import make_config, missing_space, read_options
from arcbatt.solving.runs import note_score, read_results
from arcbatt.tasks import Pair, Task
from tests.support.search import (
    FLIP,
    HOSTILE,
    MIRROR,
    Script,
    Scripted,
    check_submission_file,
    contradiction,
    default_signals,
    huge_task,
    kept_candidates,
    nothing,
    offer_all,
    register_scripted,
    task_named,
    training,
    trial_for,
)

FILES = {"submission.json", "report.html", "programs.py", "results.json", "hall_of_fame.json"}
ALWAYS = FILES | {"config.json", "log.jsonl", "lock", "pool.db"}
SCRIPTED = SearchOptions("tests", proposers=("scripted",), library=False, device="cpu", n_threads=1)


def start(
    base: Path, tasks: Sequence[Task], options: SearchOptions = SCRIPTED, **given: Any
) -> Search:
    return Search(options, RunStore.create(base, "solve", options), tasks, **given)


def resume(path: Path, tasks: Sequence[Task]) -> Search:
    store = RunStore(RunFolder.open(path))
    return Search(store.options, store, tasks)


def folder_of(search: Search) -> RunFolder:
    assert isinstance(search.store, RunStore)
    return search.store.folder


def run_scripted(
    monkeypatch: pytest.MonkeyPatch,
    base: Path,
    tasks: Sequence[Task],
    do: Script,
    *,
    explain: bool = False,
    interrupt: Interrupt | None = None,
) -> Path:
    """Run a scripted proposer; return the folder of the run."""
    register_scripted(monkeypatch, lambda: Scripted(do))
    with start(base, tasks, interrupt=interrupt) as search:
        search.run(60, explain=explain)
    return folder_of(search).path


class Checker(HTMLParser):
    """Checks that tags are closed in order and ids are unique."""

    VOID = frozenset({"link", "meta", "img", "input", "br"})

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
    """Check that a report is well formed, self-contained, and draws every task."""
    text = path.read_text("utf-8")
    checker = Checker()
    checker.feed(text)
    checker.close()
    assert checker.stack == [] and len(set(checker.ids)) == len(checker.ids)
    articles = [given for tag, given in checker.tags if tag == "article"]
    assert [given["data-task"] for given in articles] == [task.id for task in tasks]
    # The first of all attempts at a task stands in the overview too.
    n_grids = sum(2 * len(t.demos) + 3 * len(t.test_inputs) + 1 for t in tasks)
    images = [given["src"] for tag, given in checker.tags if tag == "img"]
    results = json.loads(path.with_name("results.json").read_text())
    n_lost = sum(len(test["lost"]) for row in results["by_task"] for test in row["tests"])
    assert len(images) == n_grids + n_lost
    assert all(source and source.startswith("data:image/png;base64,") for source in images)
    assert not any("src" in given for tag, given in checker.tags if tag == "script")
    assert not any(tag == "link" or "style" in given for tag, given in checker.tags)
    assert "http" not in text
    return checker


# --- files ---


def test_a_run_writes_all_its_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tasks = [task_named("one"), task_named("two")]
    path = run_scripted(monkeypatch, tmp_path, tasks, offer_all)
    assert {each.name for each in path.iterdir()} == ALWAYS | {"progress.svg", "progress.png"}
    submission = check_submission_file(path / "submission.json", tasks)
    assert submission["one"][0]["attempt_1"] == [[6, 5], [8, 7]]
    results = json.loads((path / "results.json").read_text())
    assert (results["tasks"], results["fits"]) == (2, 2)
    assert [row["proposer"] for row in results["by_task"]] == ["scripted", "scripted"]
    assert all(row["spent_s"] >= 0 for row in results["by_task"])
    hall = json.loads((path / "hall_of_fame.json").read_text())
    assert parse_program(hall["two"][0]["program"]) == parse_program(MIRROR)
    note, ended = read_log(path / "log.jsonl")
    assert (note.proposer, note.item, note.number) == ("scripted", "round 1", 1)
    assert (note.n_pairs, note.wall_s, note.engine_s, note.n_fitted) == (1, 0.5, 0.25, 2)
    assert note.details == {"note": 1} and ended.details["ended"]["n_first"] == 2
    with Pool.open(path / "pool.db", readonly=True) as pool:
        assert {row.task_name for row in pool.trials()} == {"one", "two"}


def test_all_files_exist_before_the_first_round(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tasks = [task_named("one"), huge_task()]

    def look(_tasks: Sequence[Task], _context: Context) -> None:
        (path,) = tmp_path.iterdir()
        assert {each.name for each in path.iterdir()} - {"pool.db-wal", "pool.db-shm"} == ALWAYS
        check_submission_file(path / "submission.json", tasks)
        check_report(path / "report.html", tasks)

    run_scripted(monkeypatch, tmp_path, tasks, look)


def test_nothing_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tasks = [task_named("one"), huge_task()]
    path = run_scripted(monkeypatch, tmp_path, tasks, nothing, explain=True)
    check_submission_file(path / "submission.json", tasks)
    check_report(path / "report.html", tasks)
    assert list(parse_file(path / "programs.py")) == []
    assert json.loads((path / "hall_of_fame.json").read_text()) == {"one": [], "huge": []}


def test_a_budget_spent_at_the_start_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    register_scripted(monkeypatch, lambda: Scripted(nothing))
    with start(tmp_path, [task_named("one")]) as solving:
        folder = folder_of(solving)
        solving.run(-0.5)
        assert solving.trouble is not None and "nothing was searched" in solving.trouble
        check_submission_file(folder.path / "submission.json", solving.loop.tasks)
        solving.run(60)
        assert solving.trouble is None
        solving.run(60)  # of which nothing is left to do
        assert solving.trouble is None


def test_hostile_names_and_huge_tasks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tasks = [*map(task_named, HOSTILE), huge_task()]
    path = run_scripted(monkeypatch, tmp_path / "runs", tasks, offer_all, explain=True)
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
    options = SearchOptions("arc-agi-1/training", device="cpu", n_threads=1)
    with start(tmp_path, tasks, options) as solving:
        folder = folder_of(solving)
        solving.run(600, max_rounds=3, explain=True)
        results = {row["task"]: row for row in _results(folder.path)["by_task"]}
    programs = {each.name: each.program for each in parse_file(folder.path / "programs.py")}
    assert {"solve_67a3c6ac", "solve_00d62c1b"} <= programs.keys()
    for task in tasks:
        best = results[task.id]["tests"][0]["attempts"][0]["best"]
        if best is None or not best["fitted"]:
            assert f"solve_{task.id}" not in programs
            continue
        program = programs[f"solve_{task.id}"]
        pairs = tuple((demo.input, demo.output) for demo in task.demos)
        outcomes = [interpret(program, {"I": d.input, "S": pairs}).outcome for d in task.demos]
        right = [demo.output for demo in task.demos]
        assert sum(map(_equal, outcomes, right)) == best["fitted"]
    checker = check_report(folder.path / "report.html", tasks)
    links = [given["href"] for tag, given in checker.tags if tag == "a"]
    assert "explanations/solve_67a3c6ac.html" in links
    assert (folder.path / "explanations" / "solve_67a3c6ac.html").exists()


def _equal(value: object, other: object) -> bool:
    return value == other


def _results(path: Path) -> Any:
    return json.loads((path / "results.json").read_text())


def test_the_report_has_the_explain_command_if_there_is_no_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = run_scripted(monkeypatch, tmp_path, training("67a3c6ac"), offer_all)
    command = "arcbatt explain programs.py --task 67a3c6ac --name solve_67a3c6ac"
    assert command in (path / "report.html").read_text("utf-8")


def test_pictures_have_one_pixel_per_cell() -> None:
    for grid in (((0,),), ((1, 2, 3), (4, 5, 6)), ((7, 8), (9, 0), (1, 1))):
        with Image.open(BytesIO(png_pixels(grid))) as image:
            assert image.size == (len(grid[0]), len(grid))
            pixels = image.convert("RGB")
            for r, row in enumerate(grid):
                for c, color in enumerate(row):
                    assert pixels.getpixel((c, r)) == tuple(bytes.fromhex(COLORS[color][1:]))


# --- ends that nobody planned ---


@pytest.mark.parametrize("how", [KeyboardInterrupt, RuntimeError])
def test_files_are_written_however_a_run_ends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, how: type[BaseException]
) -> None:
    tasks = [task_named("one"), task_named("two")]

    def stop_in_the_middle(tasks: Sequence[Task], context: Context) -> None:
        context.keep(*trial_for(tasks[0]))
        raise how

    register_scripted(monkeypatch, lambda: Scripted(stop_in_the_middle))
    options = replace(SCRIPTED, survives_errors=False)
    raised = nullcontext() if how is KeyboardInterrupt else pytest.raises(how)
    with start(tmp_path, tasks, options) as search, raised:
        search.run(60)
    path = folder_of(search).path
    submission = check_submission_file(path / "submission.json", tasks)
    assert submission["one"][0]["attempt_1"] == [[6, 5], [8, 7]]
    check_report(path / "report.html", tasks)
    assert [each.name for each in parse_file(path / "programs.py")] == ["solve_one"]


@pytest.mark.parametrize("which", ["at the start", "at the end"])
def test_an_interrupt_does_not_stop_the_writing_of_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, which: str
) -> None:
    write, n_reports = store_module.make_report, 0

    def interrupted(*args: Any, **options: Any) -> str:
        nonlocal n_reports
        n_reports += 1
        if n_reports == ("at the start", "at the end").index(which) + 1:
            signal.raise_signal(signal.SIGINT)
        return write(*args, **options)

    monkeypatch.setattr(store_module, "make_report", interrupted)
    with default_signals(), noting_interrupts(Interrupt()) as interrupt:
        run_scripted(monkeypatch, tmp_path, [task_named("one")], offer_all, interrupt=interrupt)
    assert interrupt.is_set
    (path,) = tmp_path.iterdir()
    check_submission_file(path / "submission.json", [task_named("one")])
    check_report(path / "report.html", [task_named("one")])
    found = "scripted, 2 of 2 demos" in (path / "report.html").read_text("utf-8")
    assert found == (which == "at the end")


class Noted(Watcher):
    def __init__(self) -> None:
        self.messages: list[str] = []

    def on_message(self, loop: Loop, message: str) -> None:
        self.messages.append(message)


def test_a_full_disk_does_not_end_the_search(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def no_space(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    register_scripted(monkeypatch, lambda: Scripted(offer_all, n_rounds=3))
    watcher = Noted()
    with start(tmp_path, [task_named("one")], watcher=watcher) as solving:
        folder = folder_of(solving)
        monkeypatch.setattr(folder, "append", no_space)
        solving.run(60)
        assert solving.trouble is not None and "No space left" in solving.trouble
    begins, trouble = watcher.messages
    assert begins.startswith("starts from") and "continuing without" in trouble
    submission = check_submission_file(folder.path / "submission.json", [task_named("one")])
    assert submission["one"][1]["attempt_1"] == [[0, 9]]


def test_a_ledger_that_cannot_grow_does_not_end_the_search(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fill_disk(tasks: Sequence[Task], context: Context) -> None:
        offer_all(tasks, context)
        # The smallest limit: the current size.
        context.pool.store.connection.execute("PRAGMA max_page_count = 1")

    register_scripted(monkeypatch, lambda: Scripted(fill_disk, n_rounds=3))
    monkeypatch.setattr(store_module, "SAVE_EVERY_S", 0.0)
    tasks = [task_named(str(number)) for number in range(100, 300)]
    watcher = Noted()
    with start(tmp_path, tasks, watcher=watcher) as solving:
        folder = folder_of(solving)
        solving.run(60)
        assert solving.loop.n_rounds == 3
        assert solving.trouble is not None and "disk is full" in solving.trouble
    assert "disk is full" in watcher.messages[-1] and "continuing without" in watcher.messages[-1]
    submission = check_submission_file(folder.path / "submission.json", tasks)
    assert submission["100"][1]["attempt_1"] == [[0, 9]]


def test_a_file_that_cannot_be_written_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = tmp_path / "mine" / "submission.json"
    place.parent.mkdir()

    def work(tasks: Sequence[Task], context: Context) -> None:
        offer_all(tasks, context)
        shutil.rmtree(place.parent)

    register_scripted(monkeypatch, lambda: Scripted(work))
    monkeypatch.setattr(store_module, "SAVE_EVERY_S", 0.0)
    watcher = Noted()
    options = replace(SCRIPTED, submission=str(place))
    with (
        start(tmp_path / "runs", [task_named("one")], options, watcher=watcher) as solving,
        pytest.raises(FileNotFoundError),
    ):
        solving.run(60)
    assert any(message.startswith(f"cannot write to {place} (") for message in watcher.messages)


def test_the_submission_is_current_where_the_run_folder_is_gone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = tmp_path / "submission.json"
    current: list[Any] = []

    def work(tasks: Sequence[Task], context: Context) -> None:
        if context.n_rounds == 0:
            offer_all(tasks, context)
            shutil.rmtree(tmp_path / "runs")
        else:
            current.append(check_submission_file(place, tasks)["one"][1]["attempt_1"])

    register_scripted(monkeypatch, lambda: Scripted(work, n_rounds=2))
    monkeypatch.setattr(store_module, "SAVE_EVERY_S", 0.0)
    monkeypatch.setattr(store_module, "SAVING_SHARE", 1e9)  # every time
    options = replace(SCRIPTED, submission=str(place))
    watcher = Noted()
    with (
        start(tmp_path / "runs", [task_named("one")], options, watcher=watcher) as solving,
        pytest.raises(FileNotFoundError, match=r"runs"),
    ):
        solving.run(60)
    assert current == [[[0, 9]]]
    said = "\n".join(watcher.messages)
    assert "pool.db: it was removed or replaced" in said and "written again" not in said
    assert f"{place} has the newest attempts" in said


def test_each_file_is_said_once_and_again_only_when_it_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = store_module.write_whole
    is_full = [False]

    def write(path: Path, content: str) -> None:
        if is_full[0] and path.name == "results.json":
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        real(path, content)

    def work(tasks: Sequence[Task], context: Context) -> None:
        is_full[0] = context.n_rounds < 3
        offer_all(tasks, context)

    monkeypatch.setattr(store_module, "write_whole", write)
    monkeypatch.setattr(store_module, "SAVE_EVERY_S", 0.0)
    monkeypatch.setattr(store_module, "SAVING_SHARE", 1e9)  # every time
    register_scripted(monkeypatch, lambda: Scripted(work, n_rounds=5))
    watcher = Noted()
    with start(tmp_path, [task_named("one")], watcher=watcher) as solving:
        path = folder_of(solving).path
        solving.run(60)
        assert solving.trouble is None
    results = path / "results.json"
    assert watcher.messages[1:] == [
        f"cannot write to {results} (No space left on device); continuing without",
        f"{results} is written again",
    ]


def test_a_ledger_that_is_replaced_is_noticed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def work(tasks: Sequence[Task], context: Context) -> None:
        (ledger,) = tmp_path.glob("*/pool.db")
        ledger.unlink()
        Pool.open(ledger).close()
        offer_all(tasks, context)

    register_scripted(monkeypatch, lambda: Scripted(work))
    with start(tmp_path, [task_named("one")]) as solving:
        solving.run(60)
        assert solving.trouble is not None and "removed or replaced" in solving.trouble
    check_submission_file(folder_of(solving).path / "submission.json", [task_named("one")])


def test_a_folder_from_elsewhere_does_not_choose_what_is_overwritten(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    register_scripted(monkeypatch, lambda: Scripted(offer_all))
    mine = tmp_path / "mine"
    options = replace(SCRIPTED, submission=str(mine))
    with start(tmp_path / "runs", [task_named("one")], options) as solving:
        solving.run(60)
    check_submission_file(mine, [task_named("one")])
    mine.write_text("precious")
    with resume(folder_of(solving).path, [task_named("one")]) as resumed:
        resumed.run(60)
    assert mine.read_text() == "precious"


@pytest.mark.parametrize("name", ["results.json", "log.jsonl", "pool.db", "explanations"])
def test_a_folder_with_links_is_not_written_to(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    register_scripted(monkeypatch, lambda: Scripted(offer_all))
    with start(tmp_path / "runs", [task_named("one")]) as solving:
        solving.run(60)
    path = folder_of(solving).path
    elsewhere = tmp_path / "elsewhere"
    if (path / name).exists():
        (path / name).rename(elsewhere)
    (path / name).symlink_to(elsewhere)
    before = elsewhere.read_bytes() if elsewhere.exists() else None
    for write in (
        partial(resume, path, [task_named("one")]),
        partial(note_score, path, {}),
        partial(write_notes, path, RunNotes("x", "y")),
    ):
        with pytest.raises(RunFolderError, match=f"{name} is a link"):
            write()
    assert (elsewhere.read_bytes() if elsewhere.exists() else None) == before


def test_log_and_ledger_catch_up_after_a_full_disk(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    is_full = [False]

    def work(tasks: Sequence[Task], context: Context) -> None:
        is_full[0] = context.n_rounds == 1
        offer_all(tasks, context)

    register_scripted(monkeypatch, lambda: Scripted(work, n_rounds=4))
    watcher = Noted()
    with start(tmp_path, [task_named("one")], watcher=watcher) as solving:
        folder = folder_of(solving)
        real = folder.append

        def append(entry: LogEntry) -> None:
            if is_full[0]:
                raise OSError(errno.ENOSPC, "No space left on device")
            real(entry)

        monkeypatch.setattr(folder, "append", append)
        solving.run(60)
        assert solving.trouble is None
    _, trouble, again = watcher.messages
    assert "continuing without" in trouble and "again" in again
    entries = list(read_log(folder.path / "log.jsonl"))
    assert [each.number for each in entries] == list(range(1, len(entries) + 1))
    written = (folder.path / "submission.json").read_bytes()
    with resume(folder.path, [task_named("one")]) as resumed:
        folder = folder_of(resumed)
        assert resumed.loop.n_rounds == 4
        resumed.store.write(resumed.loop)
    assert (folder.path / "submission.json").read_bytes() == written


def test_a_ledger_catches_up_once_it_can_grow(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def work(tasks: Sequence[Task], context: Context) -> None:
        n_pages = 1 if context.n_rounds == 0 else 2**30
        context.pool.store.connection.execute(f"PRAGMA max_page_count = {n_pages}")
        if context.n_rounds == 0:
            offer_all(tasks, context)

    register_scripted(monkeypatch, lambda: Scripted(work, n_rounds=2))
    monkeypatch.setattr(store_module, "SAVE_EVERY_S", 0.0)
    tasks = [task_named(str(number)) for number in range(100, 300)]
    with start(tmp_path, tasks, watcher=(watcher := Noted())) as solving:
        folder = folder_of(solving)
        solving.run(60)
        assert solving.trouble is None
    assert any("disk is full" in message for message in watcher.messages)
    with resume(folder.path, tasks) as resumed:
        folder = folder_of(resumed)
        assert resumed.loop.n_fitted == len(tasks)


def test_a_failed_append_leaves_the_log_unchanged(tmp_path: Path) -> None:
    entry = LogEntry(1, "scripted", "all", 1.0, 1.0, 0.0, 0, 0)
    with RunFolder.create(tmp_path, make_config("solve", SCRIPTED)) as folder:
        folder.begin_log(0)
        folder.append(entry)
        before = (folder.path / "log.jsonl").read_bytes()
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, limits[1]))
        try:
            with pytest.raises(OSError, match="large"):
                folder.append(entry)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert (folder.path / "log.jsonl").read_bytes() == before
        folder.append(entry)
    assert (folder.path / "log.jsonl").read_bytes() == 2 * before


def test_a_proposer_that_cannot_write_to_the_ledger_does_not_end_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def work(tasks: Sequence[Task], context: Context) -> None:
        offer_all(tasks, context)
        raise PoolError("pool.db: the disk is full")

    register_scripted(monkeypatch, lambda: Scripted(work, n_rounds=3))
    watcher = Noted()
    with start(tmp_path, [task_named("one")], watcher=watcher) as solving:
        folder = folder_of(solving)
        solving.run(60)
        assert solving.loop.n_rounds == 1 and solving.trouble is None
    assert watcher.messages[-1] == "scripted has stopped: pool.db: the disk is full"
    submission = check_submission_file(folder.path / "submission.json", [task_named("one")])
    assert submission["one"][1]["attempt_1"] == [[0, 9]]


def test_results_are_updated_during_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Reader(Watcher):
        n_fitted = 0

        def on_progress(self, _loop: Loop) -> None:
            results = read_results(folder.path)
            self.n_fitted = max(self.n_fitted, results["fits"])
            assert all(0 <= row["confidence"] < 1 for row in results["by_task"])

    register_scripted(monkeypatch, lambda: Scripted(offer_all, n_rounds=3))
    monkeypatch.setattr(store_module, "SAVE_EVERY_S", 0.0)
    monkeypatch.setattr(store_module, "SAVING_SHARE", 1.0)
    reader = Reader()
    with start(tmp_path, [task_named("one")], watcher=reader) as solving:
        folder = folder_of(solving)
        solving.run(60)
    assert reader.n_fitted == 1


def test_missing_disk_space_is_reported_before_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert missing_space(tmp_path / "not" / "yet", 1) is None
    usage = shutil.disk_usage(tmp_path)._replace(free=1_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage)
    lack = missing_space(tmp_path, 400)
    assert lack is not None and "1 MB are free, and a run over 400 tasks may write" in lack


# --- going on ---


def test_a_run_is_resumed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tasks = [task_named("one"), task_named("two")]

    def offer_next(tasks: Sequence[Task], context: Context) -> None:
        offer_all(tasks[context.state() - 1 :][:1], context)  # another task in each round

    register_scripted(monkeypatch, lambda: Scripted(offer_next, n_rounds=2))
    with start(tmp_path, tasks) as first:
        folder = folder_of(first)
        first.run(60, max_rounds=1)
        assert first.loop.n_fitted == 1
    with resume(folder.path, tasks) as second:
        assert kept_candidates(second.loop) == kept_candidates(first.loop)
        assert second.loop.rank() == first.loop.rank()
        second.run(60)
        assert second.loop.n_fitted == 2
        assert second.loop.elapsed_s > first.loop.elapsed_s
        assert second.loop.counts["scripted"].n_rounds == 2
    log = list(read_log(folder.path / "log.jsonl"))
    assert [each.number for each in log] == [1, 2, 3, 4]
    assert [each.item for each in log] == ["round 1"] * 2 + ["round 2"] * 2
    submission = check_submission_file(folder.path / "submission.json", tasks)
    for name in ("one", "two"):
        assert submission[name][0]["attempt_1"] == [[6, 5], [8, 7]]


def test_a_resumed_run_gives_the_same_result_as_an_uninterrupted_one(tmp_path: Path) -> None:
    # Unsolved tasks: the work on others depends on the candidates found so far.
    tasks = training("a64e4611", "150deff5", "d06dbe63")
    options = SearchOptions(
        "arc-agi-1/training",
        proposers=("known", "learn", "enumerate"),
        library=False,
        device="cpu",
        n_threads=1,
    )
    with start(tmp_path / "whole", tasks, options) as whole:
        folder = folder_of(whole)
        whole.run(600, max_rounds=4)
    with start(tmp_path / "parts", tasks, options) as part:
        folder = folder_of(part)
        part.run(600, max_rounds=2)
    with resume(folder.path, tasks) as rest:
        rest.run(600, max_rounds=2)

    def outcome(solving: Search) -> Any:
        kept = [solving.loop.candidates(task).kept for task in tasks]
        return [[(each.proposal, each.trial, each.proposer) for each in found] for found in kept]

    assert outcome(rest) == outcome(whole) != outcome(part)
    texts = [(folder_of(each).path / "submission.json").read_bytes() for each in (whole, rest)]
    assert texts[0] == texts[1]


@pytest.mark.slow
@pytest.mark.parametrize("save_every_s", [0.0, 600.0])
def test_real_proposers_are_resumed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, save_every_s: float
) -> None:
    monkeypatch.setattr(store_module, "SAVE_EVERY_S", save_every_s)
    monkeypatch.setattr(store_module, "SAVING_SHARE", 1.0)
    # Nothing fits the second task, so that evolution has work; variants of known programs, which
    # would have work too, are off.
    tasks = [*training("67a3c6ac"), contradiction()]
    options = SearchOptions("arc-agi-1/training", device="cpu", n_threads=1, off=("variants",))
    with start(tmp_path, tasks, options) as first:
        folder = folder_of(first)
        first.run(600, max_rounds=3)  # as many as the known programs have work for
        n_known_rounds = first.loop.counts["known"].n_rounds
        n_rounds = first.loop.counts["evolve"].n_rounds
        known = first.loop.known
    with resume(folder.path, tasks) as second:
        assert kept_candidates(second.loop) == kept_candidates(first.loop)
        second.run(600, max_rounds=2)
        # The known programs are the same and were tried already; evolution continues.
        assert second.loop.known == known
        assert second.loop.counts["known"].n_rounds == n_known_rounds
        assert second.loop.counts["evolve"].n_rounds > n_rounds


def test_a_run_that_has_saved_nothing_starts_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    register_scripted(monkeypatch, lambda: Scripted(offer_all))
    with start(tmp_path, [task_named("one")]) as solving:
        folder = folder_of(solving)
        solving.store.write(solving.loop)
    (folder.path / "log.jsonl").write_text("what a killed process left\n")
    with resume(folder.path, [task_named("one")]) as solving:
        assert not solving.loop.is_resumed
        solving.run(60)
        assert solving.loop.n_fitted == 1
    assert [each.number for each in read_log(folder.path / "log.jsonl")] == [1, 2]


def test_a_run_without_its_ledger_keeps_its_submission(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tasks = [task_named("one")]
    path = run_scripted(monkeypatch, tmp_path, tasks, nothing)
    before = (path / "submission.json").read_bytes()
    (path / "pool.db").unlink()
    with pytest.raises(RunFolderError, match="is missing"):
        resume(path, tasks)
    assert (path / "submission.json").read_bytes() == before and not (path / "pool.db").exists()


def test_a_shortened_log_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = run_scripted(monkeypatch, tmp_path, [task_named("one")], nothing)
    log = (path / "log.jsonl").read_bytes()
    (path / "log.jsonl").write_bytes(log[: log.index(b"\n") + 1])
    with pytest.raises(RunFolderError, match=r"has 1 entries, but pool.db expects 2"):
        resume(path, [task_named("one")])
    # Work that the ledger does not cover is logged again; a torn last line is ignored.
    (path / "log.jsonl").write_bytes(log + log + b'{"number": 5, "prop')
    with resume(path, [task_named("one")]):
        assert (path / "log.jsonl").read_bytes() == log


def test_cards_of_a_long_run_are_summed_and_survive_resuming(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(log_module, "N_DETAILED", 4)
    monkeypatch.setattr(log_module, "SUMMED_SHARE", 1.0)  # holds back as many entries as possible
    monkeypatch.setattr(store_module, "SAVE_EVERY_S", 0.0)
    monkeypatch.setattr(store_module, "SAVING_SHARE", 1e9)
    killed = tmp_path / "killed"

    def deal(_tasks: Sequence[Task], context: Context) -> None:
        for _ in range(10):
            mutations = {"swap": {"tried": 1, "improved": 0}}
            context.log({"n_pairs": 1, "mutations": mutations, "found": []})
        if not killed.exists():  # the files that a process killed now leaves
            shutil.copytree(folder.path, killed, ignore=shutil.ignore_patterns("lock"))

    register_scripted(monkeypatch, lambda: Scripted(deal, n_rounds=2))
    with start(tmp_path, [task_named("one")]) as whole:
        folder = folder_of(whole)
        whole.run(60)
    assert sum(1 for _ in read_log(killed / "log.jsonl")) == 4
    with resume(killed, [task_named("one")]) as resumed:
        resumed.run(60)
    for path in (folder.path, killed):
        entries = list(read_log(path / "log.jsonl"))
        assert [each.number for each in entries] == list(range(1, len(entries) + 1)) != []
        cards = [each for each in entries if each.is_card]
        assert sum(each.n_pairs for each in cards) == 20 and len(cards) < 10


def test_an_interrupt_while_logging_leaves_a_resumable_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    register_scripted(monkeypatch, lambda: Scripted(offer_all, n_rounds=2))
    with (
        default_signals(),
        noting_interrupts(Interrupt()) as interrupt,
        start(tmp_path, [task_named("one")], interrupt=interrupt) as solving,
    ):
        folder = folder_of(solving)
        real = folder.append

        def interrupted(entry: LogEntry) -> None:
            real(entry)
            signal.raise_signal(signal.SIGINT)

        monkeypatch.setattr(folder, "append", interrupted)
        solving.run(60)
        assert solving.is_interrupted and solving.loop.n_rounds == 1
    with resume(folder.path, [task_named("one")]) as solving:
        assert solving.loop.n_fitted == 1
        solving.run(60)
    numbers = [each.number for each in read_log(folder.path / "log.jsonl")]
    assert numbers == list(range(1, len(numbers) + 1))


def test_an_interrupt_while_the_ledger_is_written_loses_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    save, n_saved = Loop.save, 0

    def interrupted(loop: Loop, states: Mapping[str, Any]) -> None:
        nonlocal n_saved
        save(loop, states)
        n_saved += 1
        if n_saved == 2:  # after the first round
            signal.raise_signal(signal.SIGINT)

    register_scripted(monkeypatch, lambda: Scripted(offer_all, n_rounds=2))
    monkeypatch.setattr(Loop, "save", interrupted)
    monkeypatch.setattr(store_module, "SAVE_EVERY_S", 0.0)
    with (
        default_signals(),
        noting_interrupts(Interrupt()) as interrupt,
        start(tmp_path, [task_named("one")], interrupt=interrupt) as solving,
    ):
        solving.run(60)
        folder = folder_of(solving)
    assert solving.is_interrupted
    with resume(folder.path, [task_named("one")]) as resumed:
        assert kept_candidates(resumed.loop) == kept_candidates(solving.loop)
        assert resumed.loop.n_fitted == 1


def test_an_interrupt_while_the_last_ledger_is_written_leaves_all_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    save = Loop.save

    def interrupted(loop: Loop, states: Mapping[str, Any] | None = None) -> None:
        save(loop, states)
        if loop.n_fitted:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Loop, "save", interrupted)
    with default_signals(), noting_interrupts(Interrupt()) as interrupt:
        run_scripted(monkeypatch, tmp_path, [task_named("one")], offer_all, interrupt=interrupt)
    assert interrupt.is_set
    (path,) = tmp_path.iterdir()
    assert "scripted, 2 of 2 demos" in (path / "report.html").read_text("utf-8")
    submission = check_submission_file(path / "submission.json", [task_named("one")])
    assert submission["one"][0]["attempt_1"] == [[6, 5], [8, 7]]


class Killed(BaseException):
    """Simulates the sudden end of a process: nothing is written after it."""


@pytest.mark.slow
def test_a_run_killed_before_any_write_resumes_with_the_content_of_its_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tasks = [task_named("one"), task_named("two")]

    def offer_next(tasks: Sequence[Task], context: Context) -> None:
        offer_all(tasks[context.state() - 1 :][:1], context)  # another task in each round

    def is_killed_before(n_writes: int, path: Path) -> bool:
        n_left = n_writes

        def dying(write: Callable[..., Any]) -> Callable[..., Any]:
            def write_unless_dead(*args: Any) -> Any:
                nonlocal n_left
                if not n_left:
                    raise Killed
                n_left -= 1
                return write(*args)

            return write_unless_dead

        with pytest.MonkeyPatch.context() as patch:
            for name in ("write_submission", "write_whole"):
                patch.setattr(store_module, name, dying(getattr(store_module, name)))
            patch.setattr(Loop, "save", dying(Loop.save))
            try:
                with resume(path, tasks) as solving:
                    solving.run(60)
            except Killed:
                return True
        return False

    def found_in(path: Path) -> tuple[Any, int]:
        submission = json.loads((path / "submission.json").read_bytes())
        firsts = {name: [each["attempt_1"] for each in submission[name]] for name in submission}
        wanted = {task.id: trial_for(task)[1].outputs for task in tasks}
        right = {name for name in wanted if firsts[name] == json.loads(json.dumps(wanted[name]))}
        return right, read_results(path)["fits"]

    monkeypatch.setattr(store_module, "SAVE_EVERY_S", 0.0)
    monkeypatch.setattr(store_module, "SAVING_SHARE", math.inf)
    n_found = []
    for n_writes in itertools.count(6):  # six files are written before the first round
        register_scripted(monkeypatch, lambda: Scripted(offer_next, n_rounds=2))
        with RunFolder.create(tmp_path, make_config("solve", SCRIPTED)) as folder:
            pass
        is_killed = is_killed_before(n_writes, folder.path)
        right, n_fitted = found_in(folder.path)
        n_found.append(len(right))
        register_scripted(monkeypatch, lambda: Scripted(nothing))
        with resume(folder.path, tasks) as resumed:
            resumed.run(60, max_rounds=1)
        right_then, n_fitted_then = found_in(folder.path)
        assert right_then >= right and n_fitted_then >= n_fitted, f"after {n_writes} writes"
        if not is_killed:
            break
    assert set(n_found) == {0, 1, 2}  # it was killed at every stage


def test_a_run_killed_before_its_first_save_restarts_with_the_same_programs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tasks = [task_named("one")]

    def save_no_more(_store: RunStore, _loop: Loop) -> None:
        raise Killed

    def die(_tasks: Sequence[Task], context: Context) -> None:
        context.pool.add_programs([parse_program("def mine(I):\n    return hmirror(dmirror(I))\n")])
        patch.setattr(RunStore, "_save_ledger", save_no_more)
        raise Killed

    register_scripted(monkeypatch, lambda: Scripted(die))
    with (
        pytest.MonkeyPatch.context() as patch,
        start(tmp_path, tasks) as killed,
        pytest.raises(Killed),
    ):
        killed.run(60)
    register_scripted(monkeypatch, lambda: Scripted(nothing))
    with resume(folder_of(killed).path, tasks) as resumed:
        resumed.run(60)
    assert resumed.loop.known == killed.loop.known


def test_a_run_is_not_resumed_with_other_tasks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = run_scripted(monkeypatch, tmp_path, [task_named("one")], nothing)
    with pytest.raises(RunFolderError, match="are not those it was"):
        resume(path, [task_named("two")])


def test_options_come_back_from_the_folder() -> None:
    options = SearchOptions(
        data="set",
        tasks=("a,b",),
        proposers=("known",),
        pool="p.db",
        library=False,
        device="cpu",
        n_threads=2,
        off=frozenset({"smear", "variants"}),
        enumerate=EnumerateOptions(max_bytes=2**28),
        evolve=EvolveOptions(seed=7, card_size=5, use_differs=False),
        skip_bad=True,
        submission="mine.json",
        survives_errors=True,
    )
    config = make_config("evolve", options)
    again = json.loads(json.dumps(config.options))
    assert (config.command, config.seed) == ("evolve", 7)
    assert read_options(replace(config, options=again)) == options
    evolve = again["evolve"]
    for broken in (
        {**again, "colour": 1},
        {"data": "set"},
        {**again, "library": "yes"},
        {**again, "evolve": {**evolve, "card_size": "many"}},
        {**again, "evolve": {"seed": 7}},
        {**again, "evolve": 7},
    ):
        with pytest.raises(RunFolderError, match="options of this run cannot be read"):
            read_options(replace(config, options=broken))


def test_programs_of_a_pool_are_used_and_reported(tmp_path: Path) -> None:
    odd = parse_program(FLIP.replace("hmirror(I)", "hmirror(vmirror(rot90(I)))"))
    with Pool.open(tmp_path / "known.db") as pool:
        pool.add_programs([PoolProgram.of(odd, "test")])
    pair = Pair(((1, 2), (3, 4)), ((2, 4), (1, 3)))
    task = Task("turned", (pair,), (((5, 6), (7, 8)),), "tests")
    options = SearchOptions(
        "tests", proposers=("known",), pool=str(tmp_path / "known.db"), library=False, device="cpu"
    )
    watcher = Noted()
    with start(tmp_path / "runs", [task], options, watcher=watcher) as solving:
        solving.run(60)
        programs = [each.program for each in solving.loop.candidates(task).kept]
    assert odd in programs
    known = tmp_path / "known.db"
    assert watcher.messages[0] == f"starts from no bundled solvers and 1 program of {known}"


def test_pools_of_two_runs_are_merged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tasks = [task_named("one"), task_named("two")]
    paths = []
    for place, text in enumerate((MIRROR, FLIP)):

        def offer(
            tasks: Sequence[Task], context: Context, k: int = place, text: str = text
        ) -> None:
            context.keep(*trial_for(tasks[k], text))

        paths.append(run_scripted(monkeypatch, tmp_path / str(place), tasks, offer) / "pool.db")
    with Pool.open(tmp_path / "both.db") as both:
        for path in paths:
            merge(both, path)
        found = {(row.task_name, parse_program(row.text), row.outputs) for row in both.trials()}
    outputs = tuple(tuple(row[::-1] for row in grid) for grid in tasks[0].test_inputs)
    assert found == {
        ("one", parse_program(MIRROR), outputs),
        ("two", parse_program(FLIP), outputs),
    }


# --- sudden ends, in a process of its own ---

KILLED = """
import json, random, sys
from pathlib import Path
import pytest
from arcbatt.solving import RunStore, run_store
from tests.support.search import Scripted, kept_candidates, register_scripted, task_named
from tests.solving.test_run_store import offer_random, resume

path = Path(sys.argv[1])
save, n_saved = RunStore._save_ledger, 0

def note(store, loop):
    global n_saved
    n_saved += 1
    (path / f"saved_{n_saved}").write_text(json.dumps(kept_candidates(loop)))
    save(store, loop)
    print(n_saved, flush=True)

RunStore._save_ledger = note
run_store.SAVE_EVERY_S, run_store.SAVING_SHARE = 0.0, 1.0
with pytest.MonkeyPatch.context() as patch:
    register_scripted(patch, lambda: Scripted(offer_random, n_rounds=10**9))
    with resume(path, [task_named("one")]) as solving:
        solving.run(3600)
"""


def offer_random(tasks: Sequence[Task], context: Context) -> None:
    """Keep so many random programs that earlier ones are evicted."""
    rng = random.Random(context.state())
    for _ in range(30):
        colors = ", ".join(str(rng.randrange(10)) for _ in range(2))
        cell = f"initset(astuple({rng.randrange(9)}, {rng.randrange(9)}))"
        text = f"def solve(I):\n    O = underfill(replace(I, {colors}), 3, {cell})\n    return O\n"
        context.keep(*trial_for(tasks[0], text, n_fitted=1, credit=rng.randrange(1000)))


def test_a_killed_run_resumes_from_its_last_save(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    register_scripted(monkeypatch, lambda: Scripted(offer_random, n_rounds=10**9))
    with start(tmp_path, [task_named("one")]):
        pass
    (path,) = tmp_path.iterdir()
    n_rounds = 0
    for _ in range(3):
        worker = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(path)],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        assert worker.stdout is not None
        lines = [worker.stdout.readline() for _ in range(6)]
        worker.send_signal(signal.SIGKILL)
        n_saved = int((lines + worker.stdout.readlines())[-1])
        worker.wait()
        worker.stdout.close()
        with resume(path, [task_named("one")]) as solving:
            # It may have been killed between the last commit and its message.
            saved = [path / f"saved_{number}" for number in (n_saved, n_saved + 1)]
            known = [json.loads(each.read_text() or "0") for each in saved if each.exists()]
            assert kept_candidates(solving.loop) in known
            assert solving.loop.n_rounds > n_rounds
            n_rounds = solving.loop.n_rounds
            log = list(read_log(path / "log.jsonl"))
            assert [each.number for each in log] == list(range(1, len(log) + 1))
            assert (
                log[-1].item == f"round {solving.loop.pool.state('loop')['proposers']['scripted']}"
            )
        for each in path.glob("saved_*"):
            each.unlink()


# Signals do what they do at a terminal, also where the tests run in the background.
COMMAND = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
for name in ("SIGTERM", "SIGHUP"):
    signal.signal(getattr(signal, name), signal.SIG_DFL)
from arcbatt.cli import main
main()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"])
@pytest.mark.parametrize("command", ["solve", "evolve"])
def test_a_signaled_process_leaves_a_valid_submission(
    tmp_path: Path, command: str, how: str
) -> None:
    ids = "25d8a9c8,67a3c6ac,ff28f65a"
    words = [sys.executable, "-c", COMMAND, command]
    data = ["arc-agi-1/training"]
    process = subprocess.Popen(
        [*words, *data, "--tasks", ids, "--out", str(tmp_path), "--budget", "1h", "--threads", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        _wait_for_rounds(tmp_path, process)
        process.send_signal(getattr(signal, how))
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    (path,) = tmp_path.iterdir()
    tasks = training(*ids.split(","))
    submission = check_submission_file(path / "submission.json", tasks)
    check_report(path / "report.html", tasks)
    assert "starts from the bundled solvers" in err and "Traceback" not in err
    if how == "SIGKILL":
        assert process.returncode == -signal.SIGKILL
    else:
        assert process.returncode == 130
        assert "programs fit" in out and "interrupted; the results" in err
        mirrored = [list(row[::-1]) for row in tasks[1].test_inputs[0]]
        assert submission["67a3c6ac"][0]["attempt_1"] == mirrored
    again = subprocess.run(
        [*words, "--resume", str(path), "--rounds", "1", "--json", "--budget", "1h"],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        cwd=tmp_path,
    )
    assert json.loads(again.stdout)["fits"] >= 1


def _wait_for_rounds(base: Path, process: subprocess.Popen[str]) -> None:
    """Wait until some rounds are in the log."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        assert process.poll() is None
        logs = list(base.glob("*/log.jsonl"))
        if logs and logs[0].read_bytes().count(b"\n") > 5:
            return
        time.sleep(0.02)
    raise AssertionError("the run did not begin")
