"""`import arcbatt`: its names, the kinds of input that they accept, and errors for mistakes."""

from __future__ import annotations

import inspect
import io
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from markupsafe import escape

import arcbatt
from arcbatt import Batt, Failure, Program, Samples, Task, TaskError
from arcbatt.engine._engine import NOT_RUN
from arcbatt.engine.cpu.calls import run_call
from arcbatt.engine.graph.results import BattResult
from arcbatt.engine.task_run import TaskSamples, run_on_tasks
from arcbatt.language import read_lines
from arcbatt.language.registry import user_primitives, withdraw_user_primitive
from arcbatt.pool import PoolError
from arcbatt.solving import Loop
from arcbatt.solving.progress import Progress, bar_html, watching
from tests.conftest import printed_with_any_hash_seed
from tests.support.search import FOREVER_S

GRID = ((1, 2), (3, 4))
MIRRORED = ((2, 1), (4, 3))
VMIRROR = "def solve(I):\n    O = vmirror(I)\n    return O\n"
TASK_ID = "67a3c6ac"


@pytest.fixture(scope="module")
def task() -> Task:
    return arcbatt.find_task(TASK_ID)


@pytest.fixture(scope="module")
def program() -> Program:
    return arcbatt.parse_program(VMIRROR)


@pytest.fixture(scope="module")
def solution(task: Task) -> arcbatt.Solution:
    return arcbatt.solve(task, proposers=["known"], max_rounds=1)


# --- the package ---


def test_every_name_is_there_listed_and_documented() -> None:
    assert dir(arcbatt) == sorted(arcbatt.__all__)
    for name in arcbatt.__all__:
        found = getattr(arcbatt, name)
        if name != "__version__":
            assert inspect.getdoc(found), name
            for each, member in vars(found).items() if inspect.isclass(found) else ():
                if not each.startswith("_") and (callable(member) or isinstance(member, property)):
                    assert inspect.getdoc(member), f"{name}.{each}"


def test_importing_loads_almost_nothing() -> None:
    code = "import sys, arcbatt; print(*sorted(m for m in sys.modules if 'arcbatt' in m))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    names = [name for name in ended.stdout.split() if not name.startswith("_")]
    assert names == ["arcbatt"]


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(AttributeError, match="did you mean solve"):
        _ = arcbatt.sovle


# --- tasks of grids ---

LISTS = [[1, 2], [3, 4]]
AS_JSON = {"train": [{"input": LISTS, "output": LISTS}], "test": [{"input": LISTS}]}


@pytest.mark.parametrize(
    "made",
    [
        lambda: Task.of([(LISTS, LISTS)], [LISTS]),
        lambda: Task.of([(GRID, GRID)], GRID),
        lambda: Task.of([(np.array(LISTS), np.array(LISTS, np.uint8))], [np.array(LISTS)]),
        lambda: Task.of(np.array([[LISTS, LISTS]]), np.array(LISTS)),
        lambda: Task.of([[[np.array(row) for row in LISTS], LISTS]], [LISTS]),
        lambda: Task.of([([[np.int64(c) for c in row] for row in LISTS], LISTS)], [LISTS]),
        lambda: Task.of([{"input": LISTS, "output": LISTS}], [{"input": LISTS}]),
        lambda: Task.of([arcbatt.Pair(GRID, GRID)], [GRID]),
        lambda: Task.of(AS_JSON),
        lambda: Task.of({**AS_JSON, "name": "with more"}),
        lambda: Task.of(json.dumps(AS_JSON)),
        lambda: Task.of(json.dumps(AS_JSON).encode()),
        lambda: Task.of({key: tuple(value) for key, value in AS_JSON.items()}),
        lambda: Task.of(Task.of(AS_JSON)),
        lambda: Task.of(Task.of(AS_JSON).to_json()),
    ],
)
def test_a_task_of_grids(made: Callable[[], Task]) -> None:
    task = made()
    assert task.demos == (arcbatt.Pair(GRID, GRID),) and task.test_inputs == (GRID,)
    assert all(type(cell) is int for row in task.test_inputs[0] for cell in row)
    assert task == Task.of(AS_JSON) and re.fullmatch("[0-9a-f]{8}", task.id)


def test_a_task_has_the_id_and_source_that_it_is_given() -> None:
    task = Task.of(AS_JSON, id="mine", source="a game")
    assert repr(task) == "<Task mine of a game: 1 demo, 1 test input>"


def test_answers_are_not_kept() -> None:
    answered = {"train": AS_JSON["train"], "test": [{"input": LISTS, "output": [[9]]}]}
    assert "9" not in repr(vars(Task.of(answered)))


# --- mistakes: one error each, which says what was expected ---


def _wrong(task: Task, program: Program) -> dict[str, tuple[Callable[[], Any], str]]:
    tasks = arcbatt.load("arc-agi-1/training")
    learning = arcbatt.parse_program("def solve(S, I):\n    return S\n")

    def run_batt(n_threads: Any) -> BattResult:
        return Batt([program]).run(Samples.of(task), n_threads=n_threads)

    return {
        "a grid for a task": (lambda: arcbatt.solve(LISTS), "not a grid; Task.of"),
        "an array for a task": (lambda: arcbatt.solve(np.zeros((2, 2), int)), "not a grid"),
        "a set for a task": (lambda: arcbatt.solve("arc-agi-1/training"), "set of many tasks"),
        "loaded tasks for one": (lambda: arcbatt.solve(tasks), "holds 400 tasks; choose one"),
        "an id with a typo": (lambda: arcbatt.solve("67a3c6ad"), "did you mean 67a3c6ac?"),
        "nothing": (lambda: arcbatt.solve(None), "None of type NoneType is not a task"),
        "a number": (lambda: arcbatt.find_task(5), "a task id is text"),
        "a demo for a task": (lambda: arcbatt.solve(task.demos[0]), "not one of its demos"),
        "tasks for a task": (lambda: arcbatt.solve([task]), "solve_all takes several"),
        "a duration in words": (lambda: arcbatt.solve(task, "5s"), "expected seconds"),
        "no time": (lambda: arcbatt.solve(task, 0), "expected seconds, more than 0"),
        "a device": (lambda: arcbatt.solve(task, device="gpu"), "'gpu' is not a device: auto, cpu"),
        "a proposer": (lambda: arcbatt.solve(task, proposers=["lern"]), "did you mean learn?"),
        "one proposer": (lambda: arcbatt.solve(task, proposers="learn"), r"proposers=\['learn'\]"),
        "a class": (lambda: arcbatt.solve(task, proposers=[Mirrors]), "an instance: Mirrors()"),
        "no proposer": (lambda: arcbatt.solve(task, proposers=[3]), "subclass arcbatt.Proposer"),
        "no trust": (
            lambda: arcbatt.solve(task, proposers=[Distrusted()]),
            "mirrors: its trust is 0, expected a number above 0",
        ),
        "no such pool": (lambda: arcbatt.solve(task, pool="nope.db"), "no such pool"),
        "an open pool": (
            lambda: arcbatt.solve(task, pool=arcbatt.Pool.in_memory()),
            "is the file of a pool",
        ),
        "a pool nowhere": (lambda: arcbatt.solve(task, keep_in="no/x.db"), "folder no does not"),
        "no proposers": (lambda: arcbatt.solve(task, proposers=[]), "no proposer was named"),
        "no round": (lambda: arcbatt.solve(task, max_rounds=0), "max_rounds is 0, expected"),
        "a truth value for rounds": (lambda: arcbatt.solve(task, max_rounds=True), "is True, exp"),
        "a seed of text": (lambda: arcbatt.solve(task, seed="x"), "seed is 'x', expected a whole"),
        "half a seed": (lambda: arcbatt.evolve([task], seed=0.5), "seed is 0.5, expected a whole"),
        "memory as text": (lambda: arcbatt.solve(task, max_bytes="1GiB"), "max_bytes is '1GiB'"),
        "too little memory": (
            lambda: arcbatt.solve(task, max_bytes=1),
            "max_bytes is 1, expected a whole number from 16,777,216 to",
        ),
        "too much memory": (lambda: arcbatt.solve(task, max_bytes=2**70), "max_bytes is 11805916"),
        "an empty card": (lambda: arcbatt.evolve([task], card_size=0), "from 1 to 100,000"),
        "a word for a switch": (
            lambda: arcbatt.solve(task, library=cast(Any, "no")),
            "library is 'no', expected True or False",
        ),
        "a number for a switch": (
            lambda: arcbatt.evolve([task], library=cast(Any, 1)),
            "library is 1, expected True or False",
        ),
        "a card as text": (lambda: arcbatt.evolve([task], card_size="8"), "card_size is '8'"),
        "nothing off": (lambda: arcbatt.solve(task, off=None), r"off=\[None\]"),
        "a number for a pool": (lambda: arcbatt.solve(task, pool=5), "pool is a int, expected"),
        "a number to keep in": (lambda: arcbatt.solve(task, keep_in=5), "keep_in is a int"),
        "a number of workers": (
            lambda: arcbatt.solve_all([task], cluster=cast(Any, 4)),
            "cluster is a int, expected text such as 'local:4'",
        ),
        "no thread": (lambda: arcbatt.solve(task, n_threads=0), "n_threads is 0, expected 1 to"),
        "too many threads": (lambda: arcbatt.solve(task, n_threads=10**30), "expected 1 to 1024"),
        "threads as text": (lambda: arcbatt.run(program, task, n_threads="2"), "n_threads is '2'"),
        "fewer threads than none": (lambda: run_batt(-1), "n_threads is -1, expected 1 to"),
        "no thread for a batt": (lambda: run_batt(0), "n_threads is 0"),
        "a truth value for threads": (lambda: run_batt(True), "n_threads is True, expected 1 to"),
        "a truth value of NumPy": (lambda: run_batt(np.True_), "n_threads is .*, expected 1 to"),
        "a float for threads": (lambda: run_batt(2.0), "n_threads is 2.0, expected 1 to"),
        "threads of a batt as text": (lambda: run_batt("2"), "n_threads is '2'"),
        "no device": (
            lambda: Batt([program]).run(Samples.of(task), device=cast(Any, None)),
            "None is not a device: auto, cpu",
        ),
        "a device by its number": (
            lambda: arcbatt.run(program, task, device=cast(Any, 0)),
            "0 is not a device: auto, cpu",
        ),
        "no thread for tasks": (
            lambda: run_on_tasks(Batt([program]), TaskSamples([task]), n_threads=0),
            "n_threads is 0",
        ),
        "one thing off": (lambda: arcbatt.solve(task, off="parents"), r"off=\['parents'\]"),
        "a number for a budget": (lambda: arcbatt.run(program, task, 5), "expected Budget.steps"),
        "a number for a batt's": (
            lambda: Batt([program]).run(Samples.of(task), cast(Any, 1000)),
            "budget is a int, expected Budget.steps",
        ),
        "a number to interpret by": (
            lambda: arcbatt.interpret(program, GRID, cast(Any, 5)),
            "budget is a int, expected Budget.steps",
        ),
        "a budget of text": (
            lambda: arcbatt.Budget("a", "b"),
            "steps of a budget is 'a', expected",
        ),  # type: ignore[arg-type]
        "half a byte": (lambda: arcbatt.Budget(bytes=0.5), "bytes of a budget is 0.5, expected"),  # type: ignore[arg-type]
        "a huge budget": (lambda: arcbatt.Budget(steps=10**30), "a budget has at most"),
        "no name to load": (lambda: arcbatt.load(""), "is named ''"),
        "a number for an id": (lambda: Task.of(AS_JSON, id=5), "5 is not a task id"),
        "progress": (lambda: arcbatt.solve(task, progress="yes"), "True, False or a Watcher"),
        "no tasks": (lambda: arcbatt.solve_all([]), "no tasks were given"),
        "no set": (lambda: arcbatt.solve_all("arc-agi-3"), "The task sets are arc-agi-1/"),
        "a task among numbers": (lambda: arcbatt.solve_all([task, 3]), "3 of type int is not"),
        "a task twice": (lambda: arcbatt.solve_all([task, task]), "two tasks have the id"),
        "an id to load": (lambda: arcbatt.load(TASK_ID), f"find_task.'{TASK_ID}'. gives it"),
        "a set with a typo": (lambda: arcbatt.load("arc-agi-1/trainig"), "did you mean arc-agi-1/"),
        "tasks to load": (lambda: arcbatt.load([task]), "the name of a set or a path"),
        "no file of a pool": (
            lambda: arcbatt.Pool.open(None),
            "expected the file of a pool, not a None",
        ),
        "one program for a pool": (
            lambda: arcbatt.Pool.in_memory().add_programs(cast(Any, program)),
            r"several programs: add_programs\(\[program\]\)",
        ),
        "an offer for nothing": (
            lambda: arcbatt.Offer("wait", (task,), 1.0, 0),
            "offer wait: gain is 1.0, cost_s 0; expected numbers",
        ),
        "an offer of no number": (
            lambda: arcbatt.Offer("wait", (task,), float("nan"), 1.0),
            "gain is nan",
        ),
        "only a grid": (lambda: Task.of(LISTS), "one grid was given; expected demos"),
        "no test input": (lambda: Task.of([(LISTS, LISTS)]), "no test input; Task.of"),
        "ragged rows": (lambda: Task.of([([[1, 2], [3]], LISTS)], LISTS), "demo 1 input: row 2"),
        "floats": (lambda: Task.of([(np.ones((2, 2)), LISTS)], LISTS), "an array of float64"),
        "a float": (lambda: Task.of([([[1.0]], LISTS)], LISTS), "1.0 is not a color"),
        "a color": (lambda: Task.of([([[12]], LISTS)], LISTS), "12 is not a color"),
        "booleans": (lambda: Task.of([(np.ones((2, 2), bool), LISTS)], LISTS), "array of bool"),
        "a path": (lambda: Task.of(Path("x.json")), r"arcbatt.load\(path\) reads task files"),
        "an id": (lambda: Task.of(TASK_ID), r"arcbatt.find_task\(id\) gives the task"),
        "broken JSON": (lambda: Task.of('{"train": [,]}'), "this is not JSON"),
        "a key": (lambda: Task.of({"trian": [], "test": []}), "did you mean train?"),
        "three grids": (lambda: Task.of([(LISTS, LISTS, LISTS)], LISTS), "expected two"),
        "one grid of two": (lambda: Task.of([LISTS], LISTS), "one grid, expected a pair"),
        "text for rows": (lambda: Task.of([(["12"], LISTS)], LISTS), "'12' is not a row"),
        "no demos": (lambda: Task.of([], [LISTS]), "no demos; expected"),
        "a row for a grid": (lambda: Task.of([([1, 2], LISTS)], LISTS), "1 is not a row"),
        "half a demo": (lambda: Task.of([{"input": LISTS}], LISTS), '"output" is missing'),
        "tests twice": (lambda: Task.of(AS_JSON, [LISTS]), "given twice"),
        "tests as text": (lambda: Task.of([(LISTS, LISTS)], "12"), "expected a grid or several"),
        "a demo as text": (lambda: Task.of({"train": ["12"], "test": ["12"]}), "is not a pair"),
        "a primitive with a typo": (
            lambda: arcbatt.parse_program("def solve(I):\n    return vmiror(I)\n"),
            "did you mean vmirror?",
        ),
        "only an expression": (lambda: arcbatt.parse_program("vmirror(I)"), "def solve_"),
        "a path as text": (lambda: arcbatt.parse_program("mine.py"), "parse_file.'mine.py'."),
        "a file": (lambda: arcbatt.parse_program(Path("mine.py")), r"parse_file\(path\)"),
        "a program": (lambda: arcbatt.parse_program(program), "not a Program"),
        "a file that is not there": (lambda: arcbatt.parse_file("nope.py"), "No such file"),
        "a file of bytes": (lambda: arcbatt.parse_file(b"x"), "expected a path"),
        "text to run": (lambda: arcbatt.run(VMIRROR, GRID), r"parse_program\(text\) gives"),
        "an id to run on": (lambda: arcbatt.run(program, TASK_ID), "a grid or a Task, not text"),
        "many tasks to run on": (lambda: arcbatt.run(program, tasks), r"Samples.of\(\*tasks\)"),
        "ragged to run on": (lambda: arcbatt.run(program, [[1, 2], [3]]), "is not a grid"),
        "floats to run on": (lambda: arcbatt.run(program, np.ones((2, 2))), "one of integers"),
        "arguments swapped": (lambda: arcbatt.run(task, program), "not a Task"),
        "no demos to learn from": (lambda: arcbatt.run(learning, GRID), "asks for input S"),
        "text to interpret": (lambda: arcbatt.interpret("vmirror", GRID), "expected a program"),
        "a batt of one": (lambda: Batt(program), r"Batt\(\[program\]\)"),
        "a batt of nothing": (
            lambda: Batt(cast(Any, None)),
            r"not a NoneType: Batt\(\[program\]\)",
        ),
        "a batt of text": (lambda: Batt([VMIRROR]), r"parse_program\(text\) gives"),
        "a batt of what was rejected": (
            lambda: Batt(list(read_lines(["import os"]))),  # type: ignore[arg-type]
            "program 0 of the batt: expected a program, not a RejectedProgram: 1:1: expected a",
        ),
        "a part by floats": (lambda: Batt([program]).part([0.5]), "expected positions of programs"),  # type: ignore[list-item]
        "a part by no place": (lambda: Batt([program]).part([1]), "expected positions from 0 to 0"),
        "a part from the end": (lambda: Batt([program]).part([-1]), "chosen is .-1., expected po"),
        "a batt on a task": (lambda: Batt([program]).run(task), r"Samples.of\(task\)"),
        "samples of a task": (lambda: Samples(task), r"Samples.of\(task\)"),
        "samples of tasks": (lambda: Samples.of(tasks), r"Samples.of\(\*tasks\)"),
        "explain without a task": (lambda: arcbatt.explain(program), r"explain\(program, task\)"),
        "explain swapped": (lambda: arcbatt.explain(task, program), "not a Task"),
        "explain two": (lambda: arcbatt.explain(VMIRROR * 2, task), "one program, found 2"),
        "score a task": (lambda: arcbatt.score(task), "score takes solutions"),
        "score of what": (lambda: arcbatt.score({}), "say which tasks"),
        "answers": (lambda: arcbatt.score({}, answers=[LISTS]), "expected {task id:"),
        "answers of a task": (lambda: arcbatt.score({}, answers={"x": 3}), "one grid for each"),
        "show a float": (lambda: arcbatt.show(3.5), "a float cannot be drawn"),
        "show a word": (lambda: arcbatt.show("hello"), "no task set, file or folder|no task"),
    }


WRONG = list(_wrong(None, None))  # type: ignore[arg-type]  # only the names are asked for


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_one_clear_error(name: str, task: Task, program: Program) -> None:
    attempt, message = _wrong(task, program)[name]
    with pytest.raises((TypeError, ValueError, LookupError, PoolError)) as caught:
        attempt()
    assert re.search(message, str(caught.value)), caught.value


# --- programs ---


def test_a_program_is_its_text(program: Program) -> None:
    assert program.text == VMIRROR == str(program)
    assert arcbatt.parse_program(program.text) == program
    assert repr(program) == "<Program solve: 1 call>"


def test_text_may_be_indented(program: Program) -> None:
    assert (
        arcbatt.parse_program("\n        def solve(I):\n            return vmirror(I)\n") == program
    )


def test_files_are_named_by_text_or_path(tmp_path: Path, program: Program) -> None:
    file = tmp_path / "mine.py"
    file.write_text(VMIRROR, "utf-8")
    assert [each.program for each in arcbatt.parse_file(str(file))] == [program]


def test_parsed_files_are_accepted_as_programs(tmp_path: Path, task: Task) -> None:
    file = tmp_path / "two.py"
    file.write_text(f"import os\n{VMIRROR}\n\ndef turn(I):\n    return hmirror(I)\n", "utf-8")
    rejected, *parsed = arcbatt.read_file(file)
    assert isinstance(rejected, arcbatt.RejectedProgram)
    programs = [each for each in parsed if isinstance(each, arcbatt.ParsedProgram)]
    assert repr(programs[1]) == f"<ParsedProgram turn: {file}:7>"
    batt = Batt(programs)
    assert batt.run(Samples.of(task)).matches.all(axis=1).tolist() == [True, False]
    assert arcbatt.run(programs[0], task).fits
    assert arcbatt.interpret(programs[0], GRID).outcome == MIRRORED
    assert arcbatt.explain(programs[0], task).pairs[0].verdict == "right"
    arcbatt.show(programs[0])
    with arcbatt.Pool.in_memory() as pool:
        assert pool.add_programs(programs) == 2
        assert {each.name for each in pool.solvers()} == {"solve", "turn"}


def test_numbers_of_numpy_are_numbers(program: Program, task: Task) -> None:
    budget = arcbatt.Budget(np.int64(1000))  # type: ignore[arg-type]
    assert type(budget.steps) is int and budget == arcbatt.Budget(1000)
    result = Batt([program]).run(Samples.of(task), budget, n_threads=np.int32(1))  # type: ignore[arg-type]
    assert result.matches.all()


def test_definitions_take_any_value(program: Program) -> None:
    assert arcbatt.interpret(program, [[1], [2, 3]]).outcome == ((1,), (3, 2))


@pytest.mark.parametrize("grid", [GRID, LISTS, np.array(LISTS), {"I": GRID}])
def test_run_and_interpret_give_the_same(program: Program, grid: Any) -> None:
    fast, slow = arcbatt.run(program, grid), arcbatt.interpret(program, grid)
    assert fast.outcome == slow.outcome == MIRRORED
    assert fast.steps == slow.steps and fast.bytes is None


def test_a_failure_says_why_and_where() -> None:
    program = arcbatt.parse_program(
        "def solve(I):\n    x = first(EMPTY)\n    return hconcat(I, x)\n"
    )
    result = arcbatt.run(program, GRID)
    assert isinstance(result.outcome, Failure) and result.outcome.detail
    assert result.failed_at is not None and result.failed_at.name == "first"


def test_a_run_on_a_task(program: Program, task: Task) -> None:
    run = arcbatt.run(program, task)
    assert run.fits and run.n_fitted == 3 and [pair.is_right for pair in run.pairs][-1] is None
    assert run.outputs == [arcbatt.interpret(program, task.test_inputs[0]).outcome]
    other = arcbatt.run(arcbatt.parse_program("def solve(I):\n    return hmirror(I)\n"), task)
    assert not other.fits and "fits 0 of 3 demos" in repr(other)


def test_samples_of_tasks(program: Program, task: Task) -> None:
    result = Batt([program]).run(Samples.of(task))
    assert result.matches.all() and result.matches.shape == (1, 3)


# --- solving ---


def test_solve_takes_an_id(solution: arcbatt.Solution, task: Task) -> None:
    by_id = arcbatt.solve(TASK_ID, proposers=["known"], max_rounds=1)
    assert by_id.attempts == solution.attempts and solution.fits and solution.task == task


def test_solve_takes_a_task_as_data(solution: arcbatt.Solution, task: Task) -> None:
    given = arcbatt.solve(json.dumps(task.to_json()), proposers=["known"], max_rounds=1)
    assert given.attempts == solution.attempts


def test_learned_rules_are_described(solution: arcbatt.Solution) -> None:
    recolored = Task.of([(((1, 2),), ((3, 2),)), (((2, 1),), ((2, 3),))], [((1, 1),)])
    learned = arcbatt.solve(recolored, proposers=["learn"], max_rounds=1)
    assert learned.fits and learned.rules and not solution.rules
    html = learned._repr_html_()
    assert all(f"<li>{escape(rule)}</li>" in html for rule in learned.rules)


@pytest.fixture(scope="module")
def solutions() -> arcbatt.Solutions:
    return arcbatt.solve_all([TASK_ID, "68b16354"], proposers=["known"], max_rounds=1)


def test_solve_all(solutions: arcbatt.Solutions, tmp_path: Path) -> None:
    assert len(solutions) == 2 == solutions.n_fitted and not solutions.is_interrupted
    assert solutions[0] is solutions[TASK_ID] and len(solutions[:1]) == 1
    assert [each.task.id for each in solutions] == [TASK_ID, "68b16354"]
    with pytest.raises(KeyError, match="did you mean 67a3c6ac"):
        solutions["67a3c6aa"]
    solutions.save(tmp_path / "submission.json")
    written = json.loads((tmp_path / "submission.json").read_text("utf-8"))
    assert written == json.loads(json.dumps(solutions.submission)) and set(written) == {
        TASK_ID,
        "68b16354",
    }
    assert "fit 2 of 2 tasks" in repr(solutions)


def test_scores(solutions: arcbatt.Solutions, solution: arcbatt.Solution, tmp_path: Path) -> None:
    assert arcbatt.score(solution).solved == 1
    score = arcbatt.score(solutions)
    assert (score.tasks, score.solved) == (2, 2)
    assert arcbatt.score(solutions.submission, [each.task for each in solutions]) == score
    solutions.save(tmp_path / "submission.json")
    assert arcbatt.score(tmp_path / "submission.json", "arc-agi-1/training").solved == 2


def test_a_submission_is_scored_by_a_task_or_its_id(solution: arcbatt.Solution) -> None:
    for data in (solution.task, solution.task.id, [solution.task.id]):
        score = arcbatt.score(solution.submission, data)
        assert (score.tasks, score.solved) == (1, 1)


def test_numbers_of_numpy_are_numbers_for_a_search(task: Task) -> None:
    found = arcbatt.solve(
        task,
        np.float32(60),  # type: ignore[arg-type]
        proposers=["known"],
        seed=np.int64(3),  # type: ignore[arg-type]
        max_rounds=np.int64(1),  # type: ignore[arg-type]
        max_bytes=np.int64(2**28),  # type: ignore[arg-type]
    )
    assert found.fits


def test_scoring_with_own_answers() -> None:
    task = Task.of([(GRID, MIRRORED), (MIRRORED, GRID)], [((5, 6, 7),)], id="mine")
    solution = arcbatt.solve(task, proposers=["known"], max_rounds=1)
    with pytest.raises(TaskError, match="its answers are unknown; pass them"):
        arcbatt.score(solution)
    assert arcbatt.score(solution, answers={"mine": [[[7, 6, 5]]]}).solved == 1
    assert arcbatt.score(solution, answers={"mine": [[[5, 6, 7]]]}).solved_first_attempt == 0


def test_solutions_can_be_saved(tmp_path: Path, task: Task) -> None:
    kept = tmp_path / "mine.db"
    arcbatt.solve(task, proposers=["known"], max_rounds=1, library=False, keep_in=kept)
    with arcbatt.Pool.open(kept) as pool:
        assert any(row.n_fitted == len(task.demos) for row in pool.trials())
    again = arcbatt.solve(task, proposers=["known"], max_rounds=1, library=False, pool=kept)
    assert again.fits


def test_a_pool_that_cannot_be_written_to_loses_no_solution(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, task: Task
) -> None:
    def fail(*_: object) -> None:
        raise PoolError("the disk is full")

    monkeypatch.setattr("arcbatt.solving.store.merge_open", fail)
    with pytest.warns(RuntimeWarning, match="the programs found were not kept: the disk is full"):
        found = arcbatt.solve(task, proposers=["known"], max_rounds=1, keep_in=tmp_path / "x.db")
    assert found.fits


def test_evolve(task: Task) -> None:
    found = arcbatt.evolve([task], max_rounds=1, card_size=8, n_threads=1)
    assert found[0].fits


def test_an_interrupt_returns_what_was_found(task: Task) -> None:
    # A background job ignores the signal, so set its handler.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        began_s = time.monotonic()
        solution = arcbatt.solve(task, 60, proposers=["known", Patience()])
    finally:
        signal.signal(signal.SIGINT, before)
    assert solution.is_interrupted and solution.fits and time.monotonic() - began_s < 30
    assert "interrupted" in repr(solution)


class Patience(arcbatt.Proposer):
    """Waits until it is interrupted, when all others are done."""

    name = "patience"

    def next_offer(self, context: arcbatt.Context) -> arcbatt.Offer | None:
        return arcbatt.Offer("wait", context.board.tasks, 1e-9, 1.0)

    def work(self, offer: arcbatt.Offer, context: arcbatt.Context) -> None:
        signal.raise_signal(signal.SIGINT)
        while not context.allowance.is_spent:
            time.sleep(0.01)


# --- a proposer and a primitive of one's own ---


class Mirrors(arcbatt.Proposer):
    """Proposes the two mirrors for every task."""

    name = "mirrors"

    def next_offer(self, context: arcbatt.Context) -> arcbatt.Offer | None:
        done = context.done("mirrors")
        tasks = tuple(task for task in context.board.tasks if task.id not in done)
        return arcbatt.Offer("mirrors", tasks, 1.0, 0.01) if tasks else None

    def work(self, offer: arcbatt.Offer, context: arcbatt.Context) -> None:
        texts = [f"def solve(I):\n    return {name}(I)\n" for name in ("hmirror", "vmirror")]
        for task in offer.tasks:
            programs = map(arcbatt.parse_program, texts)
            context.propose([arcbatt.Proposal.from_program(program, task) for program in programs])
            context.note_done(offer.item, task, {})


class Distrusted(Mirrors):
    trust = 0


def test_an_own_proposer_finds_what_it_proposes(task: Task) -> None:
    solution = arcbatt.solve(task, FOREVER_S, proposers=[Mirrors()])
    assert solution.fits and solution.ranked.best is not None
    assert solution.ranked.best.proposer == "mirrors"


class Mistaken(Mirrors):
    """A proposer with a given offer and a given use of its context."""

    def __init__(self, offer: Any = None, do: Callable[[Any, Task], object] | None = None) -> None:
        self._offer, self._do = offer, do

    def next_offer(self, context: arcbatt.Context) -> arcbatt.Offer | None:
        return super().next_offer(context) if self._offer is None else self._offer

    def work(self, offer: arcbatt.Offer, context: arcbatt.Context) -> None:
        assert self._do is not None
        self._do(context, offer.tasks[0])


@pytest.mark.parametrize(
    ("proposer", "message"),
    [
        (Mistaken("all"), "mirrors: next_offer returned a str, expected an Offer or None"),
        (Mistaken([]), "mirrors: next_offer returned a list, expected an Offer"),
        (
            Mistaken(do=lambda context, _: context.propose([arcbatt.parse_program(VMIRROR)])),
            r"mirrors: expected a Proposal, not a Program; .*Proposal\.from_program\(",
        ),
        (
            Mistaken(do=lambda context, _: context.keep(arcbatt.parse_program(VMIRROR), None)),
            "mirrors: expected a Proposal, not a Program",
        ),
        (
            Mistaken(
                do=lambda context, task: context.propose(
                    arcbatt.Proposal.from_program(arcbatt.parse_program(VMIRROR), task)
                )
            ),
            r"mirrors: expected a sequence, \[proposal\], not a Proposal",
        ),
    ],
)
def test_errors_in_an_own_proposer_are_reported(
    task: Task, proposer: Mistaken, message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        arcbatt.solve(task, FOREVER_S, proposers=[proposer], fail_fast=True)


@pytest.fixture
def drop() -> Iterator[None]:
    @arcbatt.primitive("Grid -> Grid", examples=("drop(((1, 0), (0, 0))) == ((0, 0), (1, 0))",))
    def drop(grid: Any) -> Any:
        """Let every cell that is not black fall to the bottom."""
        columns = [sorted(column, key=bool) for column in zip(*grid, strict=True)]
        return [list(row) for row in zip(*columns, strict=True)]

    yield
    withdraw_user_primitive("drop")


@pytest.mark.usefixtures("drop")
def test_an_own_primitive_is_run_by_its_definition() -> None:
    mixed = arcbatt.parse_program("def solve(I):\n    x = vmirror(I)\n    return drop(x)\n")
    plain = arcbatt.parse_program(VMIRROR)
    grid, fallen = ((1, 0), (0, 2)), ((0, 0), (2, 1))
    assert arcbatt.run(mixed, grid).outcome == arcbatt.interpret(mixed, grid).outcome == fallen
    samples = Samples([grid, grid], [fallen, None])
    result = Batt([plain, mixed]).run(samples, keep_values=True)
    assert result.ran_on == {"cpu": 2, "definitions": 2}
    assert result.matches.tolist() == [[False, False], [True, False]]
    assert result.outcome(0, 0) == ((0, 1), (2, 0)) and result.outcome(1, 1) == fallen
    with pytest.raises(
        ValueError, match="a user-defined primitive, which the engine does not have"
    ):
        run_call("drop", [grid])
    alone = Batt([plain]).run(samples)
    assert (result.hashes[0] == alone.hashes[0]).all() and (result.steps[0] == alone.steps[0]).all()


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("only", [None, [0, 1, 1], [-1, -1, 0]])
@pytest.mark.usefixtures("drop")
def test_definitions_screen_as_the_engine_does(staged: bool, only: list[int] | None) -> None:
    """A user-defined primitive that computes the same as a bundled one has the same results."""

    @arcbatt.primitive("Grid -> Grid")
    def drop(grid: Any) -> Any:
        return [row[::-1] for row in grid]

    texts = ("vmirror(I)", "first(EMPTY)", "height(hmirror(vmirror(I)))")
    wanted, own = (
        [arcbatt.parse_program(f"def solve(I):\n    return {text}\n") for text in chosen]
        for chosen in (texts, [text.replace("vmirror", "drop") for text in texts])
    )
    # Stages end after the first demo, not after the second, which is missed here.
    missed = Task.of([(GRID, MIRRORED), (GRID, GRID), (MIRRORED, GRID)], [GRID])
    samples = TaskSamples([arcbatt.find_task(TASK_ID), arcbatt.find_task("68b16354"), missed])
    bundled = run_on_tasks(Batt(wanted), samples, only=only, staged=staged, device="cpu")
    defined = run_on_tasks(Batt(own), samples, only=only, staged=staged, device="cpu")
    ran = bundled.reasons != NOT_RUN
    for name in ("reasons", "n_matches", "hashes", "steps", "numbers"):
        assert (getattr(bundled, name)[ran] == getattr(defined, name)[ran]).all(), name
    assert (defined.reasons[~ran] == NOT_RUN).all()
    assert defined.ran_on["definitions"] and sum(defined.ran_on.values()) == bundled.ran_on["cpu"]


@pytest.mark.usefixtures("drop")
def test_an_own_primitive_is_part_of_the_search() -> None:
    task = arcbatt.find_task("1e0a9b12")
    solution = arcbatt.solve(task, proposers=["known"], library=False)
    assert solution.fits and "drop(I)" in solution.programs[0].text
    assert arcbatt.explain(solution).pairs[0].verdict == "right"


def test_an_own_primitive_can_be_declared_again(drop: None) -> None:
    program = arcbatt.parse_program("def solve(I):\n    return drop(I)\n")
    version = arcbatt.language.language_version()  # type: ignore[attr-defined]

    @arcbatt.primitive("Grid -> Grid")
    def drop(grid: Any) -> Any:
        return grid

    assert arcbatt.interpret(program, GRID).outcome == GRID
    assert version != arcbatt.language.language_version()  # type: ignore[attr-defined]
    declared = user_primitives()["drop"]
    assert declared.is_user_defined and str(declared.signatures[0]) == "Grid -> Grid"


def test_own_primitives_are_the_same_version_of_the_language_in_every_process() -> None:
    code = (
        "import arcbatt\n"
        "@arcbatt.primitive('Grid -> Grid')\n"
        "def drop(grid):\n"
        "    return grid if 'a' in {'a', 'b', 'c', 'd', 'e'} else None\n"
        "print(arcbatt.language.language_version())\n"
    )
    assert len(printed_with_any_hash_seed(code)) == 1


@pytest.mark.parametrize(
    ("raised", "reason"),
    [(IndexError("no cell"), "out of range"), (RuntimeError("odd"), "wrong type")],
)
@pytest.mark.usefixtures("drop")
def test_an_exception_in_a_definition_is_a_failure(raised: Exception, reason: str) -> None:
    @arcbatt.primitive("Grid -> Grid")
    def drop(grid: Any) -> Any:
        raise raised

    program = arcbatt.parse_program("def solve(I):\n    return drop(I)\n")
    outcome = arcbatt.run(program, GRID).outcome
    assert str(outcome) == f"{reason}: drop: {type(raised).__name__}: {raised}"


@pytest.mark.usefixtures("drop")
def test_an_invalid_result_is_a_failure() -> None:
    @arcbatt.primitive("Grid -> Grid")
    def drop(grid: Any) -> Any:
        return 0.5

    program = arcbatt.parse_program("def solve(I):\n    return drop(I)\n")
    assert "what drop returned: 0.5 is a float" in str(arcbatt.run(program, GRID).outcome)


@pytest.mark.parametrize(
    ("types", "returned", "expected"),
    [
        (("Grid -> Grid",), ((1, 2), 3), "a tuple, expected Grid"),
        (("Grid -> Grid",), 5, "5, expected Grid"),
        (("Grid -> Object",), [(1, (0, 0))], "a tuple, expected Object"),
        (("Grid -> Set[Pair]",), frozenset({(0, (1, 2))}), "a frozenset, expected Indices"),
        (("Grid -> Integer",), (1, 2), r"\(1, 2\), expected Integer"),
        (("Grid -> Boolean",), 2, "2, expected Boolean"),
        (("Grid -> Color[0..9]",), 10, r"10, expected Color\[0..9\]"),
        (("Grid -> None | Pair",), 1, r"1, expected None \| Pair"),
        (("Grid -> (a -> b)",), 1, r"1, expected \(a -> b\)"),
        (("C[a] -> C[a]",), frozenset({1}), r"\{1\}, expected C\[a\]"),
        # The overload of the given arguments counts.
        (("Object -> Integer", "Grid -> Pair"), 1, "1, expected Pair"),
    ],
)
@pytest.mark.usefixtures("drop")
def test_a_result_of_another_type_than_declared_is_a_failure(
    types: tuple[str, ...], returned: Any, expected: str
) -> None:
    @arcbatt.primitive(*types)
    def drop(grid: Any) -> Any:
        return returned

    program = arcbatt.parse_program("def solve(I):\n    return drop(I)\n")
    outcome = str(arcbatt.run(program, GRID).outcome)
    assert re.fullmatch(f"wrong type: what drop returned is {expected}", outcome), outcome


@pytest.mark.parametrize(
    ("types", "returned"),
    [
        ("Grid -> Grid", []),
        ("Grid -> Objects", frozenset({frozenset({(1, (0, 0))}), frozenset()})),
        ("Grid -> Numerical", (1, 2)),
        ("Grid -> Boolean", True),
        ("Grid -> Tuple[Integer]", [1, 2, 3]),
        ("Grid -> None | Pair", None),
        ("Grid -> Any", ((1,), 2)),
        ("C[a] -> C[b]", (frozenset(), 1)),
        ("a -> a", 5),
        ("Cells -> Grid", GRID),  # whatever the argument
    ],
)
@pytest.mark.usefixtures("drop")
def test_a_result_of_the_declared_type_is_accepted(types: str, returned: Any) -> None:
    @arcbatt.primitive(types)
    def drop(thing: Any) -> Any:
        return returned

    argument = "EMPTY" if types.startswith("Cells") else "I"
    program = arcbatt.parse_program(f"def solve(I):\n    return drop({argument})\n")
    outcome = arcbatt.run(program, GRID).outcome
    assert outcome == (tuple(returned) if isinstance(returned, list) else returned)


@pytest.fixture
def own_apply() -> Iterator[None]:
    @arcbatt.primitive("(a -> b), Tuple[a] -> Tuple[b]")
    def own_apply(function: Any, members: Any) -> Any:
        return [function(list(member)) for member in members]

    yield
    withdraw_user_primitive("own_apply")


def applied(function: str, name: str = "own_apply") -> Program:
    return arcbatt.parse_program(f"def solve(I):\n    return {name}({function}, I)\n")


@pytest.mark.parametrize(
    "function",
    [
        "size",
        "compose(first, rbind(order, identity))",
        "rbind(combine, (7, 8))",
        "first",
        "hmirror",
    ],
)
@pytest.mark.parametrize("grid", [GRID, ((1, 2), ())])
@pytest.mark.usefixtures("own_apply")
def test_an_own_primitive_calls_functions_at_their_cost(function: str, grid: Any) -> None:
    own = arcbatt.interpret(applied(function), grid)
    bundled = arcbatt.interpret(applied(function, "apply"), grid)
    assert own.outcome == bundled.outcome
    if not bundled.failed:
        assert own.steps == bundled.steps
        for steps in (bundled.steps, bundled.steps - 1):
            got = arcbatt.interpret(applied(function), grid, arcbatt.Budget(steps)).outcome
            assert (str(got) == f"over budget: more than {steps} steps") == (steps < own.steps)


@pytest.mark.parametrize("ending", ["return 0", "raise KeyError"])
@pytest.mark.usefixtures("drop")
def test_a_caught_budget_error_still_ends_the_run(ending: str) -> None:
    @arcbatt.primitive("(a -> b), a -> Integer")
    def drop(function: Any, grid: Any) -> Any:
        try:
            return function(grid)
        except Exception:
            if ending == "return 0":
                return 0
            raise KeyError from None

    result = arcbatt.run(applied("rbind(upscale, 30)", "drop"), GRID, arcbatt.Budget(500))
    assert str(result.outcome).startswith("over budget: drop") and result.steps == 501
    caught = arcbatt.run(applied("rbind(divide, 0)", "drop"), GRID).outcome
    assert caught == 0 or "KeyError" in str(caught)


def test_a_function_is_called_wrongly(own_apply: None) -> None:
    @arcbatt.primitive("(a -> b), a -> b")
    def own_apply(function: Any, value: Any) -> Any:
        # A run within a run has a budget of its own.
        assert arcbatt.interpret(arcbatt.parse_program(VMIRROR), GRID).outcome == MIRRORED
        return function(0.5)

    result = arcbatt.run(applied("size"), GRID)
    assert "own_apply: ValueError: argument 1 of size: 0.5 is a float" in str(result.outcome)
    made = arcbatt.interpret(arcbatt.parse_program("def solve(I):\n    return size\n"), GRID)
    with pytest.raises(RuntimeError, match="size is a function of the language: it can be called"):
        made.outcome(GRID)  # type: ignore[operator,misc,union-attr]


def _identity(name: str, n_parameters: int = 1) -> Callable[..., Any]:
    made = {1: lambda x: x, 2: lambda x, y: x, 5: lambda a, b, c, d, e: a}[n_parameters]
    made.__name__ = name
    return made


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: arcbatt.primitive("Grid -> Grid")(_identity("vmirror")), "choose another"),
        (lambda: arcbatt.primitive("Grid -> Grid")(_identity("RED")), "choose another"),
        (lambda: arcbatt.primitive("Grid -> Grid")(_identity("I")), "choose another"),
        (lambda: arcbatt.primitive("Grid -> Grid")(lambda grid: grid), "not an ASCII identifier"),
        (lambda: arcbatt.primitive()(_identity("mine")), "say its types"),
        (lambda: arcbatt.primitive(_identity("mine")), "the types as text"),
        (lambda: arcbatt.primitive("Gird -> Grid")(_identity("mine")), "unknown type 'Gird'"),
        (lambda: arcbatt.primitive("Grid -> Grid")(_identity("mine", 2)), "the function 2"),
        (
            lambda: arcbatt.primitive(", ".join(["Grid"] * 5) + " -> Grid")(_identity("mine", 5)),
            "expected 1 to 4",
        ),
        (
            lambda: arcbatt.primitive("Grid -> Grid", examples=("mine(((1,),)) == ((2,),)",))(
                _identity("mine")
            ),
            r"is wrong: it gives \(\(1,\),\)",
        ),
        (
            lambda: arcbatt.primitive("Grid -> Grid", examples=("mine(((1,),))",))(
                _identity("mine")
            ),
            "not of the form call == value",
        ),
        (
            lambda: arcbatt.primitive("Grid -> Grid", examples=("mein(1) == 1",))(
                _identity("mine")
            ),
            "cannot be read",
        ),
    ],
)
def test_a_wrong_declaration_says_so_and_changes_nothing(
    declare: Callable[[], Any], message: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        declare()
    assert not user_primitives()


@pytest.mark.usefixtures("drop")
def test_an_own_primitive_is_typed_and_checked() -> None:
    @arcbatt.primitive("Grid, Color -> Grid", "Object, Color -> Object")
    def drop(thing: Any, color: int) -> Any:
        return thing

    from arcbatt.language.infer import infer

    program = arcbatt.parse_program("def solve(I):\n    return drop(I, RED)\n")
    assert str(infer(program).result) == "Grid"
    wrong = arcbatt.parse_program("def solve(I):\n    return drop(I, I)\n")
    assert infer(wrong).warnings
    assert str(arcbatt.run(wrong, GRID).outcome).startswith("wrong type: drop: color is")


# --- progress ---


def test_a_progress_bar_shows_progress(task: Task) -> None:
    seen: list[str] = []

    class Recorded(Progress):
        def on_progress(self, loop: Loop) -> None:
            super().on_progress(loop)
            seen.extend([self.say(), bar_html(self)])

    arcbatt.solve(task, 5, proposers=["known"], max_rounds=1, progress=Recorded())
    assert seen and re.match(r"programs fit 1 of 1 task, \d+ s left", seen[0])
    assert "<progress" in seen[1]


def test_a_progress_bar_escapes_text() -> None:
    shown = Progress()
    shown.message = "<script>"
    assert "&lt;script&gt;" in bar_html(shown) and "starting" in bar_html(shown, is_done=True)


def test_no_progress_bar_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    for progress in (None, False):
        with watching(progress) as watcher:
            assert isinstance(watcher, Progress)
    assert capsys.readouterr() == ("", "")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_progress_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, task: Task) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    arcbatt.solve(task, 5, proposers=["known"], max_rounds=1)
    assert "programs fit" in terminal.getvalue() or "starting" in terminal.getvalue()


def test_progress_lines_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("arcbatt.solving.progress.SECONDS_PER_LINE", 0.01)
    said = ""
    with watching(True):
        while not said:
            said = capsys.readouterr().err
    assert said.startswith("starting")


# --- show ---


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (TASK_ID, "demo 1"),
        (VMIRROR, "vmirror"),
        (LISTS, "grid 2x2"),
        (np.array(LISTS), "grid 2x2"),
        (GRID, "grid 2x2"),
        (frozenset({(1, 2)}), "indices 1"),
        (7, "number 7"),
        (None, "nothing"),
        (AS_JSON, "demo 1"),
    ],
)
def test_anything_is_shown(thing: Any, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    arcbatt.show(thing)
    assert words in capsys.readouterr().out


def test_show_accepts_all_results(
    task: Task,
    program: Program,
    solution: arcbatt.Solution,
    solutions: arcbatt.Solutions,
    capsys: pytest.CaptureFixture[str],
) -> None:
    things = {
        "-> ": task.demos[0],
        "vmirror": program,
        "confidence": solution,
        "of 2 tasks": solutions,
        "demo 1": arcbatt.explain(solution),
        "TaskRun": arcbatt.run(program, task),
        "grid 2x2": arcbatt.run(program, GRID),
        "400 tasks": arcbatt.load("arc-agi-1/training"),
        "failure": Failure(arcbatt.language.Reason.EMPTY),  # type: ignore[attr-defined]
    }
    for words, thing in things.items():
        arcbatt.show(thing)
        assert words in capsys.readouterr().out
    arcbatt.show(frozenset({(0, 1)}), over=GRID)
    assert capsys.readouterr().out


def test_an_explanation_is_saved(solution: arcbatt.Solution, tmp_path: Path) -> None:
    arcbatt.explain(solution).save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert page.lstrip().startswith("<!DOCTYPE html>") and "vmirror" in page


def test_text_is_explained_with_its_own_names(task: Task) -> None:
    text = "def solve(I):\n    mirrored = vmirror(I)\n    return mirrored\n"
    explanation = arcbatt.explain(text, TASK_ID)
    assert explanation.lines[0].statement.name == "mirrored" and explanation.task == task
