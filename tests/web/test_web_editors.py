"""Tasks that are drawn and programs that are written, without a browser: bounds, jobs, verdicts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import TimeoutExpired
from types import SimpleNamespace
from typing import Any, cast

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.testclient import TestClient

from arcbatt.explainer import read_source
from arcbatt.language import parse_programs
from arcbatt.processes import PipedProcess
from arcbatt.tasks import TaskError, find_task
from arcbatt.web import Settings, create_app, draw_start, write
from arcbatt.web.draw_solving import solve_drawn
from arcbatt.web.draw_tasks import MAX_DEMOS, read_file
from arcbatt.web.jobs import MAX_RUNNING, Job, Worker, Workers, stream_job, wait_for
from arcbatt.web.jobs_protocol import CHECK, END, ERROR, SOLVE
from arcbatt.web.program_check import check_written, parse_one
from arcbatt.web.security import MAX_BODY_BYTES
from arcbatt.web.settings import DEFAULT_PORT

ADDRESS = f"http://127.0.0.1:{DEFAULT_PORT}"
TASK = "67a3c6ac"  # every input is mirrored
OF = {"set": "arc-agi-1-training", "task": TASK}
HERE = f"/sets/{OF['set']}/tasks/{TASK}"
RIGHT = "def solve(I):\n    # as in a mirror\n    O = vmirror(I)\n    return O\n"
GRID = [[1, 2], [0, 0]]
MIRRORED = [[2, 1], [0, 0]]
SMALL = {"train": [{"input": GRID, "output": MIRRORED}], "test": [{"input": [[3, 4]]}]}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    app = create_app(Settings(runs_folder=tmp_path))
    with TestClient(app, base_url=ADDRESS, headers={"origin": ADDRESS}) as made:
        yield made


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run it in a thread of its own: Playwright has a loop in that of the tests."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, asyncio.wait_for(work, 60)).result()


def with_grid(grid: object) -> dict[str, Any]:
    return {"train": [{"input": grid, "output": GRID}], "test": [{"input": GRID}]}


# Invalid tasks, and their error messages.
BAD_TASKS = [
    (None, "None is not a task"),
    ({}, 'the key "train" is missing'),
    ({"train": [], "test": []}, '"train" is empty'),
    (with_grid([[1, 10]]), "row 1, column 2: 10 is not a color (0 to 9)"),
    (with_grid([[1, -1]]), "row 1, column 2: -1 is not a color"),
    (with_grid([[1, True]]), "row 1, column 2: True is not a color"),
    (with_grid([[1, 2], [3]]), "row 2: 1 cell, expected 2 as in row 1"),
    (with_grid([[0] * 31]), "31 cells, expected 1 to 30"),
    (with_grid([]), "0 rows, expected 1 to 30"),
    (with_grid("<b>"), "is not a grid"),
    ({**SMALL, "test": [{"input": GRID, "output": [[77]]}]}, "test 1 output: row 1"),
    ({**SMALL, "test": [3]}, "test 1: 3 is not a pair"),
    ({**SMALL, "train": SMALL["train"] * (MAX_DEMOS + 1)}, "21 pairs, expected 20 at most"),
]


@pytest.mark.parametrize(("task", "said"), BAD_TASKS)
def test_invalid_tasks_are_rejected(client: TestClient, task: Any, said: str) -> None:
    solved = client.post("/api/solve", json={"task": task, "budget_s": 5})
    opened = client.post("/api/draw/open", content=json.dumps(task))
    checked = client.post("/api/check", json={"text": RIGHT, "pair": "demo 1", "task": task})
    for answer in (solved, opened, checked):
        assert answer.status_code == 422
        assert said in answer.json()["error"]


def test_a_search_may_leave_out_the_bundled_solvers(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[dict[str, Any]] = []

    def begin(_workers: Workers, _kind: str, given: dict[str, Any], _limit_s: float) -> Job:
        begun.append(given)
        raise HTTPException(429)

    monkeypatch.setattr(Workers, "begin", begin)
    body = {"task": SMALL, "budget_s": 5}
    for more in ({}, {"library": False}):
        assert client.post("/api/solve", json=body | more).status_code == 429
    assert [given["library"] for given in begun] == [True, False]
    answer = client.post("/api/solve", json=body | {"library": "no"})
    assert answer.status_code == 422 and "is not true or false" in answer.json()["error"]


@pytest.mark.parametrize("budget_s", [None, "5", True, 0, -1, 601, float("inf")])
def test_a_budget_has_bounds(client: TestClient, budget_s: Any) -> None:
    body = json.dumps({"task": SMALL, "budget_s": budget_s})
    answer = client.post("/api/solve", content=body)
    assert answer.status_code == 422
    assert "not a number from 1 to 600" in answer.json()["error"]


@pytest.mark.parametrize("path", ["/api/solve", "/api/check"])
def test_a_body_that_is_not_an_object_is_rejected(client: TestClient, path: str) -> None:
    bodies = (b"", b"{", b"[1]", b"[" * 100_000, b"\xff\xfe", b"9" * 10_000)
    for body in (*bodies, b'{"of": "\\ud800"}'):
        answer = client.post(path, content=body)
        assert answer.status_code == 400
        assert "the request body is not" in answer.json()["error"]


@pytest.mark.parametrize("path", ["/api/solve", "/api/check", "/api/draw/open"])
def test_bodies_and_origins_are_bounded(client: TestClient, path: str) -> None:
    answer = client.post(path, content=b" " * (MAX_BODY_BYTES + 1))
    assert answer.status_code == 413 and "1,000,000 bytes" in answer.json()["error"]
    answer = client.post(path, json={}, headers={"origin": "http://elsewhere.example"})
    assert answer.status_code == 403
    assert "elsewhere.example" in answer.json()["error"]
    del client.headers["origin"]
    assert client.post(path, json={}).status_code == 403
    assert client.get(path).status_code == 405


def test_the_length_of_programs_is_bounded(client: TestClient) -> None:
    def said(**body: Any) -> str:
        answer = client.post("/api/check", json={"text": RIGHT, "pair": "all", "of": OF, **body})
        assert answer.status_code in (404, 422)
        return str(answer.json()["error"])

    assert '"text" is not a text' in said(text=3)
    assert "100,000 at most" in said(text="#" * 100_001)
    assert '"pair" has' in said(pair="demo" * 10)
    assert "no task set is named ../etc" in said(of={"set": "../etc", "task": TASK})
    assert "has no task ../../x" in said(of={**OF, "task": "../../x"})
    assert "no run is named" in said(of={"run": "..", "task": TASK})
    assert '"of" does not name a task' in said(of=[1])
    assert "neither a set nor a run" in said(of={})


def test_a_file_is_opened_with_its_answers(client: TestClient) -> None:
    content = {"train": SMALL["train"], "test": [{"input": GRID, "output": MIRRORED}]}
    assert client.post("/api/draw/open", json=content).json() == content
    of_kaggle = client.post("/api/draw/open", json={"abc": content})
    assert of_kaggle.json() == content
    several = client.post("/api/draw/open", json={"abc": content, "def": content})
    assert several.status_code == 422
    assert "this file has 2 tasks, the first is 'abc'" in several.json()["error"]
    with pytest.raises(TaskError, match="this is not JSON"):
        read_file("{")


def test_editors_begin_with_any_task(client: TestClient) -> None:
    assert f'data-start="/api{HERE}"' in client.get(f"{HERE}/draw").text
    begun = client.get(f"/api{HERE}").json()
    assert begun == json.loads(json.dumps(find_task(TASK).to_json()))
    assert all(test.keys() == {"input"} for test in begun["test"])
    assert f'data-name="solve_{TASK}"' in client.get(f"{HERE}/write").text
    for path in ("/draw", "/write"):
        assert client.get(path).status_code == 200
        assert client.get(f"/sets/{OF['set']}/tasks/nothing{path}").status_code == 404
    assert f'href="{HERE}/draw"' in client.get(HERE).text
    program = client.get(f"{HERE.replace(TASK, '00d62c1b')}/programs/1").text
    assert "/write#program=def%20solve_00d62c1b" in program


def test_editors_begin_with_a_task_of_a_run(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = SimpleNamespace(key="a-run", tasks=[find_task(TASK)], data="arc-agi-1/training")
    monkeypatch.setattr(draw_start, "read_run", lambda _catalog, _key: run)
    start = draw_start.find_start(
        client.app.state.catalog,  # type: ignore[attr-defined]
        {"run": "a-run", "task": TASK},
    )
    assert start is not None and start.here == f"/runs/a-run/tasks/{TASK}"
    assert f'data-start="/api{start.here}"' in client.get(f"{start.here}/draw").text
    assert client.get(f"/api{start.here}").json() == client.get(f"/api{HERE}").json()


def test_words_have_their_docs(client: TestClient) -> None:
    result = client.get("/api/words").json()
    mirror = next(each for each in result["primitives"] if each["name"] == "vmirror")
    assert mirror["doc"] and mirror["examples"] and mirror["signatures"]
    assert result["constants"]["RED"] == "2"


def test_answers_do_not_reach_the_search(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[dict[str, Any]] = []

    def begin(_workers: Workers, _kind: str, task: dict[str, Any], _limit_s: float) -> Job:
        given.append(task)
        raise TaskError("enough")

    monkeypatch.setattr(Workers, "begin", begin)
    task = {**SMALL, "test": [{"input": GRID, "output": MIRRORED}], "answers": [MIRRORED]}
    client.post("/api/solve", json={"task": task, "budget_s": 5})
    (sent,) = json.loads(json.dumps(given))
    assert sent["task"] == {"train": SMALL["train"], "test": [{"input": GRID}]}


def test_a_search_streams_attempts() -> None:
    events: list[tuple[str, dict[str, Any]]] = []
    content = json.loads(json.dumps(find_task(TASK).to_json()))
    is_enough = False

    def tell(name: str, data: dict[str, Any]) -> None:
        nonlocal is_enough
        events.append((name, json.loads(json.dumps(data))))
        if name == "attempts" and data["fits"] and not is_enough:
            is_enough = True
            raise KeyboardInterrupt

    solve_drawn({"task": content, "budget_s": 600.0, "library": True}, tell)
    names = [name for name, _ in events]
    assert names[-2:] == ["attempts", "solved"]
    assert {"progress", "attempts"} <= set(names[:-2])
    result = events[-2][1]
    first = result["tests"][0]["attempts"][0]
    assert result["fits"] and first["grid"] == [row[::-1] for row in content["test"][0]["input"]]
    assert "def " in first["program"]
    assert "fits all demos" in events[-1][1]["says"]
    progress = next(data for name, data in events if name == "progress")
    assert progress.keys() == {"elapsed_s", "proposer", "message", "n_proposed", "n_kept"}


def check(text: str, pair: str = "demo 1", task: Any = SMALL) -> dict[str, Any]:
    events: list[dict[str, Any]] = []
    given = {"text": text, "pair": pair, "source": None, "task": task}
    check_written(given, lambda _name, data: events.append(data))
    (result,) = events
    return result


def test_a_program_is_shown_line_by_line_and_checked() -> None:
    result = check(RIGHT)
    assert result["lines"] == [{"line": 3, "state": "value", "note": "grid 2x2"}]
    assert [(each["pair"], each["result"]) for each in result["pairs"]] == [
        ("demo 1", "right"),
        ("test 1", "unjudged"),
    ]
    assert result["summary"]["words"] == "right on 1 of 1 pairs, 1 without an answer"
    assert result["summary"]["right"]
    assert "<svg" in result["html"] and "style=" not in result["html"]
    both = check(RIGHT, "all")["html"]
    assert both.count("<svg") > result["html"].count("<svg")


def test_texts_are_escaped() -> None:
    bad = "<img src=x onerror=alert(1)>"
    result = check(
        f'def solve(I):\n    """{bad}"""\n    # {bad}\n    O = vmirror(I)\n    return O\n'
    )
    assert "<img" not in result["html"] and "&lt;img" in result["html"]


def test_answers_that_were_drawn_are_judged() -> None:
    answered = {**SMALL, "test": [{"input": [[3, 4]], "output": [[4, 3]]}]}
    assert [each["result"] for each in check(RIGHT, task=answered)["pairs"]] == ["right", "right"]
    wrong = check("def solve(I):\n    return I\n", task=answered)
    assert [each["result"] for each in wrong["pairs"]] == ["wrong", "wrong"]
    assert wrong["summary"]["reason"] and not wrong["summary"]["right"]
    # One without an answer: then none is judged.
    both = {**SMALL, "test": [*SMALL["test"], *answered["test"]]}
    assert [each["result"] for each in check(RIGHT, task=both)["pairs"]][1:] == ["unjudged"] * 2


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "expected a program"),
        ("import os\n", 1, "expected a program"),
        ("def solve(I):\n    O = vmiror(I)\n    return O\n", 2, "did you mean vmirror?"),
        ("def solve(I):\n    O = vmirror(I\n    return O\n", 2, ""),
        ("def solve(I):\n    O = __import__('os')\n    return O\n", 2, ""),
        (RIGHT + RIGHT, 5, "one program at a time"),
        ("def d(S, I, output, target):\n    return output\n", 1, "a differ judges"),
    ],
)
def test_errors_in_programs_have_a_place(text: str, line: int, said: str) -> None:
    error = check(text)["error"]
    assert error["line"] == line
    assert error["column"] >= 1
    assert said in error["message"]


def test_lines_before_an_error_are_shown() -> None:
    text = (
        "def solve(I):\n    a = vmirror(I)\n    b = hmirror(I)\n    c = vmiror(b)\n    return c\n"
    )
    result = check(text)
    assert result["error"]["line"] == 4
    assert [(each["line"], each["note"]) for each in result["lines"]] == [
        (2, "grid 2x2"),
        (3, "grid 2x2"),
    ]
    assert "hmirror" in result["html"] and "unused" not in result["html"]
    assert "html" not in check("def solve(I):\n    a = vmiror(I)\n    return a\n")
    assert "html" not in check("def solve(I):\n    a = fill(I,\n    b = 3")


def test_programs_that_are_too_long_are_not_explained() -> None:
    lines = "".join(f"    x{k} = vmirror({f'x{k - 1}' if k else 'I'})\n" for k in range(501))
    assert "501 lines" in check(f"def solve(I):\n{lines}    return x500\n")["error"]["message"]


def test_lines_that_fail_say_so() -> None:
    text = "def solve(I):\n    a = first(EMPTY)\n    b = hconcat(a, I)\n    c = 1\n    return b\n"
    lines = check(text)["lines"]
    assert [each["state"] for each in lines] == ["failed", "blocked", "value"]
    assert lines[1]["note"] == "needs a, which failed"
    assert lines[2]["note"] == "number 1; unused"
    warned = check("def solve(I):\n    O = vmirror(3)\n    return O\n")["lines"][0]
    assert warned["state"] == "failed" and warned["note"].startswith("cannot work")


def test_a_source_prints_its_program_again() -> None:
    text = 'def solve(I):\n    """Say "so"."""\n    # why\n    a = fill(\n        I, RED, EMPTY)\n'
    text += "    return vmirror(a)\n"
    (program,) = parse_programs(text)
    printed = read_source(program).text
    assert "# why" in printed
    assert parse_one(printed).program == program.program


def test_checks_go_to_a_process_and_back(client: TestClient) -> None:
    body = {"text": RIGHT, "pair": "test 1", "of": OF}
    workers = client.app.state.workers  # type: ignore[attr-defined]
    for _ in range(MAX_RUNNING[CHECK] + 1):
        result = client.post("/api/check", json=body).json()
        assert result["summary"]["words"] == "right on 4 of 4 pairs"
    # One process did them all.
    assert len(workers._idle) == 1
    assert not workers._running


def test_a_check_that_takes_too_long_ends(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "LIMIT_S", 0.0)
    monkeypatch.setattr("arcbatt.web.jobs.PULSE_S", 0.01)
    answer = client.post("/api/check", json={"text": RIGHT, "pair": "all", "of": OF})
    assert answer.status_code == 422
    assert "this takes more than 0 s" in answer.json()["error"]
    assert not client.app.state.workers._running  # type: ignore[attr-defined]


def is_running(process: PipedProcess) -> bool:
    try:
        process.wait()
    except TimeoutExpired:
        return True
    return False


def test_a_job_ends_when_the_client_disconnects() -> None:
    async def go() -> None:
        workers = Workers()
        given = {"task": SMALL, "budget_s": 60.0, "library": True}
        jobs = [workers.begin(SOLVE, given, 100.0) for _ in range(MAX_RUNNING[SOLVE])]
        with pytest.raises(Exception, match="searches are running already"):
            workers.begin(SOLVE, given, 100.0)
        sent: list[Any] = []
        left = asyncio.Event()

        async def send(message: Any) -> None:
            sent.append(message)
            if message.get("body"):
                left.set()

        async def receive() -> Any:
            await left.wait()
            return {"type": "http.disconnect"}

        scope = {"type": "http", "asgi": {"spec_version": "2.3"}}
        await stream_job(jobs[0])(scope, receive, send)
        assert not is_running(jobs[0].worker._process)
        assert sent[0]["status"] == 200
        jobs[1].close()
        jobs[1].close()  # closing it again has no effect
        assert not is_running(jobs[1].worker._process)
        assert not workers._running and not workers._idle

    run(go())


def test_a_job_without_a_reader_has_a_time_limit() -> None:
    async def go() -> None:
        workers = Workers()
        job = workers.begin(SOLVE, {"task": SMALL, "budget_s": 60.0, "library": True}, 0.05)
        await asyncio.sleep(0.1)  # as for a page that keeps its stream open without reading
        assert not workers._running
        assert not is_running(job.worker._process)
        assert "this takes more than 0 s" in [text async for text in job.stream()][-1]

    run(go())


def test_searches_never_run_in_a_process_that_read_answers(client: TestClient) -> None:
    workers = client.app.state.workers  # type: ignore[attr-defined]
    client.post("/api/check", json={"text": RIGHT, "pair": "all", "of": OF})
    (checked,) = workers._idle

    async def go() -> None:
        job = workers.begin(SOLVE, {"task": SMALL, "budget_s": 60.0, "library": True}, 60.0)
        assert job.worker is not checked
        job.close()

    run(go())
    assert workers._idle == [checked]


def test_a_dead_process_is_reported() -> None:
    async def go() -> None:
        job = Workers().begin(SOLVE, {"task": SMALL, "budget_s": 60.0, "library": True}, 100.0)
        job.worker._process.kill()
        events = [text async for text in job.stream()]
        assert f"event: {ERROR}" in events[-1]
        assert "ended with signal 9" in events[-1]

    run(go())


def test_a_process_ends_with_its_server() -> None:
    async def go() -> None:
        worker = Worker()
        stdin = worker._process._process.stdin
        assert stdin is not None
        stdin.close()  # as it is when a server was killed
        while worker._process._process.poll() is None:
            await asyncio.sleep(0.05)

    run(go())


def test_a_check_ends_when_its_client_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone:
        async def is_disconnected(self) -> bool:
            return True

    async def go() -> None:
        workers = Workers()
        job = workers.begin(CHECK, {}, 60.0)
        with pytest.raises(HTTPException, match="the client is gone"):
            await wait_for(job, cast(Request, Gone()))
        assert not is_running(job.worker._process)
        assert not workers._idle

    monkeypatch.setattr("arcbatt.web.jobs.PULSE_S", 0.001)
    run(go())


def test_errors_in_a_job_are_reported() -> None:
    async def go() -> None:
        # Not what a server sends: it would have been refused there.
        job = Workers().begin(
            CHECK, {"text": RIGHT, "pair": "all", "source": None, "task": 3}, 60.0
        )
        events = []
        while not events or events[-1].name != END:
            if (event := await job.next_event()) is not None:
                events.append(event)
        assert [event.name for event in events] == [ERROR, END]
        assert "3 is not a task" in events[0].data["message"]
        job.close()
        job.worker.kill()

    run(go())
