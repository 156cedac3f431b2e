"""The web app without a browser: answers, access control, and refused requests."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from PIL import Image
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from typer.testing import CliRunner

import arcbatt.web
from arcbatt.api import score
from arcbatt.cli.app import app as cli
from arcbatt.drawing.palette import COLORS
from arcbatt.solving.report.views import TaskView
from arcbatt.solving.run_folder import LOCK
from arcbatt.solving.runs import compare_runs, split_runs
from arcbatt.tasks import load
from arcbatt.web import Settings, create_app, protocol, runs_page
from arcbatt.web.assets import read_assets
from arcbatt.web.catalog import make_keys, task_key
from arcbatt.web.security import MAX_BODY_BYTES, SECURITY_HEADERS, Guard
from arcbatt.web.server import address_of
from arcbatt.web.settings import DEFAULT_PORT, is_local
from tests.support.commands import Outcome
from tests.support.search import HOSTILE
from tests.support.web import SHOWN_TASKS, TwoRuns, serving

OWN = f"http://127.0.0.1:{DEFAULT_PORT}"
SET = "/sets/arc-agi-1-training"


def client_of(settings: Settings, base: str = OWN) -> TestClient:
    return TestClient(create_app(settings), base_url=base, follow_redirects=False)


@pytest.fixture
def client(two_runs: TwoRuns) -> Iterator[TestClient]:
    with client_of(Settings(runs_folder=two_runs.folder)) as made:
        yield made


@pytest.fixture
def paths(two_runs: TwoRuns) -> list[str]:
    """Return the address of each page."""
    run, task = f"/runs/{two_runs.second}", SHOWN_TASKS[0]
    query = f"first={two_runs.first}&second={two_runs.second}"
    return [
        SET,
        f"{SET}/tasks/00d62c1b",
        f"{SET}/tasks/00d62c1b/programs/1",
        "/runs",
        run,
        f"/runs/{two_runs.first}/tasks/{SHOWN_TASKS[-1]}",
        f"{run}/tasks/{task}",
        f"{run}/tasks/{task}/programs/1",
        "/compare",
        f"/compare?{query}",
        f"/compare?{query}&by=fits",
        "/draw",
        f"{run}/tasks/{task}/draw",
        "/write",
        f"{SET}/tasks/00d62c1b/write",
        f"{SET}/tasks/00d62c1b/play",
        "/primitives",
    ]


# --- who is answered ---


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{DEFAULT_PORT}", "127.0.0.1:1", ""]
)
def test_a_name_that_is_not_this_server_is_refused(client: TestClient, host: str) -> None:
    answer = client.get(SET, headers={"host": host})
    assert answer.status_code == 421


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_all_names_of_this_machine_are_accepted(client: TestClient, host: str) -> None:
    assert client.get("/runs", headers={"host": f"{host}:{DEFAULT_PORT}"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"https://127.0.0.1:{DEFAULT_PORT}"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
    ],
)
def test_requests_from_other_sites_are_rejected(client: TestClient, headers: Any) -> None:
    assert client.get("/api/sets/arc-agi-1-training/tasks", headers=headers).status_code == 403


def test_links_from_other_sites_work(client: TestClient) -> None:
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get("/runs", headers=headers).status_code == 200


def test_changing_requests_must_come_from_this_server(client: TestClient) -> None:
    assert client.post("/runs").status_code == 403
    assert client.post("/runs", headers={"origin": "http://evil.example"}).status_code == 403
    for headers in ({"origin": OWN}, {"sec-fetch-site": "same-origin"}):
        # The request reaches the page, which accepts no POST.
        assert client.post("/runs", headers=headers).status_code == 405


def test_bodies_are_bounded(client: TestClient) -> None:
    body = b"x" * (MAX_BODY_BYTES + 1)
    answer = client.post("/runs", content=body, headers={"origin": OWN})
    assert answer.status_code == 413 and "1,000,000" in answer.text
    for length, status in (("many", 400), ("9" * 5000, 413)):
        refused = client.post("/runs", headers={"origin": OWN, "content-length": length})
        assert refused.status_code == status


def test_a_body_without_a_length_is_bounded() -> None:
    async def read_all(scope: Any, receive: Any, send: Any) -> None:
        await Request(scope, receive).body()
        await PlainTextResponse("read")(scope, receive, send)

    def pieces(n: int) -> Iterator[bytes]:
        yield from (b"x" * 100_000 for _ in range(n))

    inner = TestClient(Guard(read_all, Settings()), base_url=OWN)
    assert inner.post("/", content=pieces(2), headers={"origin": OWN}).text == "read"
    assert inner.post("/", content=pieces(11), headers={"origin": OWN}).status_code == 413


def require_headers(answer: Any) -> None:
    assert SECURITY_HEADERS.items() <= answer.headers.items(), answer.url
    assert "unsafe" not in answer.headers["content-security-policy"]


@pytest.mark.slow
def test_pages_have_security_headers_and_no_inline_script_or_style(
    client: TestClient, paths: list[str]
) -> None:
    for path in paths:
        page = client.get(path)
        assert page.status_code == 200, path
        require_headers(page)
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", page.text), path
        assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", page.text)), path
        assert "://" not in page.text.replace("http://www.w3.org/2000/svg", ""), path
    for path in ("/static/style.css", "/nowhere", "/api/runs/x/tasks"):
        require_headers(client.get(path))


def test_a_server_for_others_needs_a_token() -> None:
    with pytest.raises(ValueError, match="token"):
        Settings(host="0.0.0.0")
    with pytest.raises(ValueError, match="printable ASCII"):
        Settings(token="geheim\u20ac")
    assert is_local("127.0.0.1") and is_local("localhost") and is_local("::1")
    assert not is_local("0.0.0.0") and not is_local("example.org")


def test_a_token_is_required_and_kept_in_a_cookie(tmp_path: Path) -> None:
    settings = Settings(runs_folder=tmp_path, host="0.0.0.0", token="a secret")
    assert address_of(settings).endswith("/?token=a%20secret")
    with client_of(settings, f"http://192.0.2.7:{DEFAULT_PORT}") as client:
        assert client.get("/runs").status_code == 401
        assert client.get("/static/style.css").status_code == 401
        assert client.get("/runs?token=guess").status_code == 401
        assert client.get("/runs", headers={"host": "evil.example"}).status_code == 421
        answer = client.get("/runs?token=a+secret&x=1")
        assert (answer.status_code, answer.headers["location"]) == (303, "/runs?x=1")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie and "samesite=lax" in cookie
        assert cookie.startswith(f"arcbatt_token_{DEFAULT_PORT}=")
        assert client.get("/runs").status_code == 200  # by the cookie
        client.cookies.clear()
        assert client.get("/runs").status_code == 401
        bearer = {"authorization": "Bearer a secret"}
        assert client.get("/runs", headers=bearer).status_code == 200
        moved = client.get(f"{client.base_url}//evil.example/?token=a+secret")
        assert moved.headers["location"].startswith("/evil.example")


# --- what there is ---


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "/nowhere",
        "/sets/nothing",
        "/sets/..%2f..%2fetc",
        f"{SET}/tasks/zzz",
        f"{SET}/tasks/..%2f..%2fpasswd",
        "/sets/arc-agi-9/training",
        f"{SET}/tasks/00d62c1b/programs/0",
        f"{SET}/tasks/00d62c1b/programs/7",
        f"{SET}/tasks/00d62c1b/programs/-1",
        f"{SET}/tasks/00d62c1b/programs/{'9' * 5000}",
        f"{SET}/tasks/00d62c1b/export.exe",
        "/runs/nothing",
        "/runs/%2e%2e",
        "/static/..%2fapp.py",
        "/static/app.py",
    ],
)
def test_unknown_addresses_are_not_found(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "<script>" not in answer.text


def test_data_errors_are_returned_as_json(client: TestClient) -> None:
    answer = client.get("/api/sets/nothing/tasks")
    assert (answer.status_code, answer.json()) == (
        404,
        {"error": "no task set is named nothing"},
    )


def test_a_server_error_shows_only_its_class(
    two_runs: TwoRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("something private")

    monkeypatch.setattr("arcbatt.web.runs_page.list_runs", fail)
    app = create_app(Settings(runs_folder=two_runs.folder))
    with TestClient(app, base_url=OWN, raise_server_exceptions=False) as client:
        answer = client.get("/runs")
    assert answer.status_code == 500 and "RuntimeError" in answer.text
    assert "private" not in answer.text
    assert SECURITY_HEADERS.items() <= answer.headers.items()


def test_a_program_too_large_to_show_says_so(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arcbatt.explainer.trace.MAX_LINES", 1)
    answer = client.get(f"{SET}/tasks/00d62c1b/programs/1")
    assert answer.status_code == 422 and "at most 1 lines" in answer.text


def test_the_first_page_is_a_set(two_runs: TwoRuns, tmp_path: Path) -> None:
    with client_of(Settings(runs_folder=tmp_path)) as client:
        assert client.get("/").headers["location"] == SET
        assert "No runs here yet" in client.get("/runs").text
    path = two_runs.folder / two_runs.first
    assert address_of(Settings(runs=(path,))) == f"{OWN}/runs/{two_runs.first}"


def test_the_newest_run_comes_first(client: TestClient, two_runs: TwoRuns) -> None:
    listed = re.findall(r'href="/runs/([^"]+)"', client.get("/runs").text)
    assert listed == [two_runs.second, two_runs.first]


def test_rows_of_a_set_and_of_a_run(client: TestClient, two_runs: TwoRuns) -> None:
    content = client.get("/api/sets/arc-agi-1-training/tasks").json()
    assert len(content["tasks"]) == 400
    row = next(each for each in content["tasks"] if each["task"] == "67a3c6ac")
    task = load("arc-agi-1/training")["67a3c6ac"]
    assert row["input"].split(" ") == ["".join(map(str, r)) for r in task.demos[0].input]
    rows = client.get(f"/api/runs/{two_runs.second}/tasks").json()["tasks"]
    known = {each["task"]: each for each in rows}
    assert set(known) == set(SHOWN_TASKS)
    assert known["67a3c6ac"]["state"] == "fits" and known["67a3c6ac"]["proposer"] == "known"
    solved = {
        each.task_id for each in score(two_runs.folder / two_runs.second).by_task if each.solved
    }
    assert {name for name, each in known.items() if each["verdict"] == "right"} == solved


def test_the_page_of_a_task_of_a_run(client: TestClient, two_runs: TwoRuns) -> None:
    page = client.get(f"/runs/{two_runs.second}/tasks/017c7c7b").text
    assert "Candidates, and why" in page and "Finished work" in page
    assert "attempt 1" in page and "wanted" in page and 'class="marks"' in page
    stacked = f"/runs/{two_runs.second}/tasks/25ff71a9"
    numbers = re.findall(r'programs/(\d+)">what every line', client.get(stacked).text)
    assert numbers
    program = client.get(f"{stacked}/programs/{numbers[0]}").text
    assert "Layers" in program and 'data-lift="1"' in program


def test_a_task_that_failed_says_where(client: TestClient, two_runs: TwoRuns) -> None:
    page = client.get(f"/runs/{two_runs.second}/tasks/045e512c").text
    assert "Where the best program is wrong" in page and "cells differ" in page


def test_a_set_shows_answers_only_when_asked(client: TestClient) -> None:
    page = client.get(f"{SET}/tasks/00d62c1b").text
    assert "<summary>show it</summary>" in page and "<details open" not in page


def test_a_run_without_its_ledger_is_shown(two_runs: TwoRuns, tmp_path: Path) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(two_runs.folder / two_runs.second, copied)
    (copied / "pool.db").unlink()
    with client_of(Settings(runs=(copied,))) as client:
        assert client.get("/runs/copied").status_code == 200
        page = client.get("/runs/copied/tasks/67a3c6ac")
        assert page.status_code == 200 and "vmirror" in page.text
        assert client.get("/runs/copied/tasks/67a3c6ac/programs/1").status_code == 200


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda results: results.pop("proposers"), "it: 'proposers' is missing"),
        (lambda results: results["by_task"].insert(0, 7), "it.by_task[0]: expected an object"),
        (lambda results: results["by_task"][1].update(confidence="high"), "unexpected 'high'"),
        (lambda results: results["by_task"][0]["tests"].clear(), "tests: it is empty"),
        (lambda results: results.update(by_task={}), "it.by_task: expected a list"),
        (lambda results: results.update(proposers={"known": {}}), "'elapsed_s' is missing"),
        (lambda results: results.update(parts={"known": {"all": 5}}), "expected an object"),
        (lambda results: results["by_task"][0].update(proposer="\ud800"), "unexpected '\\ud800'"),
        (
            lambda results: results["by_task"][0]["tests"][0]["attempts"][0]["grid"][0].append(1),
            "attempts[0].grid: row",
        ),
    ],
)
def test_malformed_results_are_reported_with_their_place(
    two_runs: TwoRuns, tmp_path: Path, change: Callable[[Any], object], said: str
) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(two_runs.folder / two_runs.second, copied)
    results = json.loads((copied / "results.json").read_text())
    change(results)
    (copied / "results.json").write_text(json.dumps(results))
    with client_of(Settings(runs=(copied,))) as client:
        assert said in unescape(client.get("/runs").text)
        for path in ("/runs/copied", "/runs/copied/tasks/67a3c6ac"):
            answer = client.get(path)
            assert answer.status_code == 422 and said in unescape(answer.text)


def test_a_folder_that_is_no_run_says_so(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("{}")
    with client_of(Settings(runs_folder=tmp_path)) as client:
        assert "is of format None" in client.get("/runs").text
        answer = client.get("/runs/broken")
        assert answer.status_code == 422 and "format None" in answer.text


def test_hostile_ids_are_escaped(tmp_path: Path) -> None:
    pair = {"input": [[1, 2]], "output": [[2, 1]]}
    content = {name: {"train": [pair], "test": [{"input": [[3, 4]]}]} for name in HOSTILE}
    source = tmp_path / "<b>odd_challenges.json"
    source.write_text(json.dumps(content))
    with client_of(Settings(runs_folder=tmp_path, data=(str(source),))) as client:
        (place,) = (path for path in client.app.state.catalog.sources if "odd" in path)  # type: ignore[attr-defined]
        rows = client.get(f"/api/sets/{place}/tasks").json()["tasks"]
        assert {row["task"] for row in rows} == set(HOSTILE)
        assert len({row["key"] for row in rows}) == len(HOSTILE)
        for row in rows:
            page = client.get(f"/sets/{place}/tasks/{row['key']}")
            assert page.status_code == 200 and "<script>alert" not in page.text
            file = client.get(f"/sets/{place}/tasks/{row['key']}/export.svg")
            ET.fromstring(file.text)
            assert re.fullmatch(
                r'attachment; filename="[\w.-]+"', file.headers["content-disposition"]
            )


def test_keys_are_plain_and_differ() -> None:
    assert make_keys(["a/b", "a b", "..", "x"]) == ["a-b", "a-b-2", "set", "x"]
    assert task_key("67a3c6ac") == "67a3c6ac" and "/" not in task_key("../x")


def test_colors_of_the_style_are_those_of_pictures(client: TestClient) -> None:
    style = client.get("/static/style.css").text
    assert re.findall(r"\.color-(\d) \{ background: (#\w+); \}", style) == [
        (str(number), color) for number, color in enumerate(COLORS)
    ]
    colors = re.findall(r'name="arcbatt-colors" content="([^"]+)"', client.get("/runs").text)
    assert [part.split(" ")[1] for part in colors[0].split(";")] == list(COLORS)


def test_styles_and_scripts_are_checked_before_they_are_sent_again(client: TestClient) -> None:
    for name, (kind, _) in read_assets().items():
        answer = client.get(f"/static/{name}")
        assert answer.headers["content-type"] == f"{kind}; charset=utf-8"
        again = client.get(f"/static/{name}", headers={"if-none-match": answer.headers["etag"]})
        assert again.status_code == 304 and not again.content


# --- files to keep ---


@pytest.mark.slow
def test_everything_exports_in_three_ways(client: TestClient, two_runs: TwoRuns) -> None:
    task = f"/runs/{two_runs.second}/tasks/{SHOWN_TASKS[0]}"
    query = f"?first={two_runs.first}&second={two_runs.second}"
    for base, rest in ((task, ""), (f"{task}/programs/1", ""), ("/compare", query)):
        page = client.get(f"{base}/export.html{rest}")
        assert page.status_code == 200 and "attachment" in page.headers["content-disposition"]
        assert not re.search(r'(src|href)="(?!data:|#)', page.text), base
        svg = client.get(f"{base}/export.svg{rest}").text
        assert ET.fromstring(svg).tag.endswith("svg")
        with Image.open(BytesIO(client.get(f"{base}/export.png{rest}").content)) as image:
            assert image.width > 100
    report = client.get(f"/runs/{two_runs.second}/export.html").text
    assert report.count("<article") == len(SHOWN_TASKS) and "mark right" in report
    for kind in ("svg", "png"):
        assert client.get(f"/runs/{two_runs.second}/progress.{kind}").status_code == 200


def test_compare_requires_two_existing_runs(client: TestClient, two_runs: TwoRuns) -> None:
    assert "which two runs" in client.get("/compare/export.svg").text
    missing = client.get(f"/compare?first={two_runs.first}&second=none")
    assert missing.status_code == 404
    page = client.get(f"/compare?first={two_runs.first}&second={two_runs.second}&by=fits").text
    tasks = compare_runs(two_runs.folder / two_runs.first, two_runs.folder / two_runs.second)
    parts = split_runs(tasks, lambda task: task.fits)
    assert parts["second"] and f"Gained: {len(parts['second'])}" in page
    assert f"Lost: {len(parts['first'])}" in page


# --- a run in progress ---


def after_first_look(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Call a function after the first look at a watched run, before the next one."""
    monkeypatch.setattr(runs_page, "POLL_S", 0.05)
    read, todo = runs_page._read_progress, [act]

    def reading(*arguments: Any) -> dict[str, Any]:
        progress = read(*arguments)
        while todo:
            todo.pop()()
        return progress

    monkeypatch.setattr(runs_page, "_read_progress", reading)


def test_a_run_is_watched_until_it_ends(two_runs: TwoRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    path = two_runs.folder / two_runs.second
    lock = FileLock(path / LOCK, thread_local=False)
    lock.acquire()
    try:
        with client_of(Settings(runs=(path,))) as client:
            assert 'id="live"' in client.get(f"/runs/{two_runs.second}").text
            rows = client.get(f"/api/runs/{two_runs.second}/tasks").json()
            assert rows["running"] and all(0 <= each["confidence"] < 1 for each in rows["tasks"])
            assert "fits" in {each["state"] for each in rows["tasks"]}
            page = client.get(f"/runs/{two_runs.second}/tasks/67a3c6ac").text
            assert "attempt 1" in page and "confidence" in page
            after_first_look(monkeypatch, lock.release)
            text = client.get(f"/api/runs/{two_runs.second}/events").text
    finally:
        lock.release(force=True)
    events = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]
    assert events[0]["running"] and not events[-1]["running"]
    assert events[0]["entries"][0]["fitted"] == events[0]["fitted"] > 0


def test_a_run_that_is_removed_while_it_is_watched_says_so(
    two_runs: TwoRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "removed"
    shutil.copytree(two_runs.folder / two_runs.first, path)
    lock = FileLock(path / LOCK, thread_local=False)
    lock.acquire()
    try:
        with client_of(Settings(runs_folder=tmp_path)) as client:
            away = tmp_path.parent / f"{tmp_path.name}-away"
            after_first_look(monkeypatch, lambda: path.rename(away))
            text = client.get("/api/runs/removed/events").text
    finally:
        lock.release(force=True)
    events = text.strip().split("\n\n")
    assert events[0].startswith("data: ")
    assert events[-1].startswith("event: trouble\n")


def test_the_number_of_live_pages_is_bounded(
    client: TestClient, two_runs: TwoRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs_page, "MAX_STREAMS", 0)
    answer = client.get(f"/api/runs/{two_runs.second}/events")
    assert answer.status_code == 503 and "close some" in answer.json()["error"]


def test_pages_that_ask_at_once_do_not_exceed_the_number(
    two_runs: TwoRuns, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(runs_page, "MAX_STREAMS", 3)
    copied = tmp_path / "copied"
    shutil.copytree(two_runs.folder / two_runs.second, copied)
    lock = FileLock(copied / LOCK, thread_local=False)
    lock.acquire()  # it seems to be running, so that its events do not end
    with serving(runs=(copied,)) as address, ExitStack() as stack:
        stack.callback(lock.release, force=True)
        place = address.removeprefix("http://")
        host, _, port = place.partition(":")
        streams = [
            stack.enter_context(socket.create_connection((host, int(port)))) for _ in range(8)
        ]
        for each in streams:
            each.sendall(f"GET /api/runs/copied/events HTTP/1.1\r\nHost: {place}\r\n\r\n".encode())
        statuses = [each.recv(4096).split()[1] for each in streams]
        assert sorted(statuses) == [b"200"] * 3 + [b"503"] * 5


def test_requests_must_arrive_in_time(two_runs: TwoRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEADERS_S", 0.1)
    monkeypatch.setattr(protocol, "BODY_S", 0.1)
    with serving(runs_folder=two_runs.folder) as address:
        place = address.removeprefix("http://")
        host, _, port = place.partition(":")
        host_line = f"HTTP/1.1\r\nHost: {place}\r\n"
        upload = f"POST /api/check {host_line}Origin: {address}\r\nContent-Length: 99\r\n\r\n{{"
        for begun in (b"", b"GET / HT", f"GET / {host_line}".encode(), upload.encode()):
            with socket.create_connection((host, int(port))) as slow:
                slow.sendall(begun)
                answer = b"".join(iter(partial(slow.recv, 4096), b""))
            assert answer.startswith(b"HTTP/1.1 408")
        assert urllib.request.urlopen(f"{address}/runs").status == 200


def test_an_aborted_upload_is_no_fault(two_runs: TwoRuns) -> None:
    messages = [
        {"type": "http.request", "body": b'{"task', "more_body": True},
        {"type": "http.disconnect"},
    ]
    sent: list[Any] = []

    async def receive() -> Any:
        return messages.pop(0) if len(messages) > 1 else messages[0]

    async def send(message: Any) -> None:
        sent.append(message)

    headers = {"host": f"127.0.0.1:{DEFAULT_PORT}", "content-length": "99"}
    headers["origin"] = f"http://{headers['host']}"
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/api/solve",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    # A fault would be raised again for the server to log.
    asyncio.run(create_app(Settings(runs_folder=two_runs.folder))(scope, receive, send))
    assert sent[0]["status"] == 400


@pytest.mark.parametrize("option", ["proposers", "off", "plugins"])
def test_odd_options_of_a_run_are_reported(two_runs: TwoRuns, tmp_path: Path, option: str) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(two_runs.folder / two_runs.second, copied)
    config = json.loads((copied / "config.json").read_text())
    config["options"][option] = 5
    (copied / "config.json").write_text(json.dumps(config))
    with client_of(Settings(runs_folder=tmp_path)) as client:
        answer = client.get("/runs")
        assert answer.status_code == 200
        assert f"it.options.{option}: expected a list" in unescape(answer.text)


@pytest.mark.parametrize("file", ["config.json", "results.json", "log.jsonl"])
def test_files_nested_too_deep_are_reported(two_runs: TwoRuns, tmp_path: Path, file: str) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(two_runs.folder / two_runs.second, copied)
    (copied / file).write_text("[" * 100_000 + "\n")
    with client_of(Settings(runs_folder=tmp_path)) as client:
        assert client.get("/runs").status_code == 200
        answer = client.get("/runs/copied")
        assert answer.status_code == 422 and file in unescape(answer.text)


# --- the command ---


def test_serve_prints_its_address_and_errors(
    two_runs: TwoRuns, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    served: list[Settings] = []

    def serve(settings: Settings, on_ready: Any) -> None:
        served.append(settings)
        on_ready(address_of(settings))

    opened: list[str] = []
    monkeypatch.setattr(arcbatt.web, "serve", serve)
    monkeypatch.setattr("webbrowser.open", opened.append)
    run = CliRunner().invoke
    ended = run(cli, ["serve", str(two_runs.folder / two_runs.first), "--port", "8400"])
    address = f"http://127.0.0.1:8400/runs/{two_runs.first}"
    assert ended.exit_code == 0 and address in ended.stdout.replace("\n", "")
    assert opened == [address] and served[-1].token is None
    ended = run(cli, ["serve", "--host", "0.0.0.0", "--no-open"])
    assert served[-1].token and f"token={served[-1].token}" in ended.stdout.replace("\n", "")
    assert len(opened) == 1 and served[-1].port == DEFAULT_PORT
    run(cli, ["serve", "--no-open"])
    assert served[-1] == Settings()
    for arguments in (["serve", str(tmp_path)], ["serve", "--data", "nothing.json"]):
        assert run(cli, arguments).exit_code == 2
    for token in ("", "\u20ac"):
        ended = run(cli, ["serve", "--host", "0.0.0.0", "--token", token, "--no-open"])
        assert ended.exit_code == 2 and "token" in ended.stderr


def test_serve_names_missing_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcbatt.cli.commands.serve.find_spec", lambda name: None)
    ended = CliRunner().invoke(cli, ["serve"])
    assert ended.exit_code == 2 and "pip install 'arcbatt[web]'" in ended.stderr


def test_a_port_that_is_taken_is_an_error(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ended = CliRunner().invoke(cli, ["serve", "--no-open", "--port", port])
    assert ended.exit_code == 2 and "--port N" in ended.stderr
    # An address that is reserved for documentation: no machine has it.
    ended = CliRunner().invoke(cli, ["serve", "--no-open", "--host", "198.51.100.77"])
    assert ended.exit_code == 2 and "--host ADDRESS" in ended.stderr


@pytest.mark.slow
def test_the_server_starts_and_ends(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "arcbatt", "serve", "--no-open", "--port", str(port)]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, env=os.environ) as process:
        assert process.stdout is not None
        assert f"http://127.0.0.1:{port}/" in process.stdout.readline().decode()
        page = b""
        while not page and process.poll() is None:
            try:
                page = urllib.request.urlopen(f"http://127.0.0.1:{port}/runs").read()
            except OSError:
                time.sleep(0.05)
        assert b"No runs here yet" in page
        process.send_signal(signal.SIGINT)
        assert process.wait(120) in (0, 130)


def test_score_updates_the_report(two_runs: TwoRuns, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(two_runs.folder / two_runs.second, run)
    before = (run / "report.html").read_text("utf-8").split("<main")[1]
    assert "mark right" not in before and "<code>arcbatt score</code>" in before
    assert CliRunner().invoke(cli, ["score", str(run)]).exit_code == 0
    report = (run / "report.html").read_text("utf-8").split("<main")[1]
    scored = score(run)
    assert report.count('data-verdict="right"') == scored.solved
    assert report.count('data-verdict="wrong"') == scored.tasks - scored.solved
    # Pages about programs are linked as before.
    assert report.count('href="explanations/') == before.count('href="explanations/') > 0
    config = json.loads((run / "config.json").read_text())
    (run / "config.json").write_text(json.dumps({**config, "format": 0}))
    ended = CliRunner().invoke(cli, ["score", str(run)])
    assert ended.exit_code == 0 and "does not show what is right" in ended.stderr


# --- runs: names, removal, comparison of many ---


def copy_of_run(two_runs: TwoRuns, folder: Path, name: str) -> Path:
    return Path(shutil.copytree(two_runs.folder / two_runs.second, folder / name))


def test_a_run_can_be_named_and_deleted(two_runs: TwoRuns, tmp_path: Path) -> None:
    run = copy_of_run(two_runs, tmp_path, "mine")
    with client_of(Settings(runs_folder=tmp_path)) as client:
        client.headers["origin"] = OWN
        assert client.post("/api/runs/mine/notes", json={"name": "x", "note": 3}).status_code == 422
        long = {"name": "x" * 81, "note": ""}
        assert client.post("/api/runs/mine/notes", json=long).status_code == 422
        given = {"name": "<b>deep</b>", "note": "four moves & more"}
        assert client.post("/api/runs/mine/notes", json=given).json() == given
        page = client.get("/runs").text
        assert "&lt;b&gt;deep&lt;/b&gt;" in page and "four moves &amp; more" in page
        assert "known, learn, enumerate" in page and "no library" in page
        assert "&lt;b&gt;deep&lt;/b&gt;" in client.get("/runs/mine").text
        with FileLock(run / "lock"):
            assert client.post("/api/runs/mine/delete", json={}).status_code == 422
        assert run.exists()
        refused = client.post(
            "/api/runs/mine/delete", json={}, headers={"origin": "http://evil.example"}
        )
        assert refused.status_code == 403 and run.exists()
        assert client.post("/api/runs/nothing/delete", json={}).status_code == 404
        assert client.post("/api/runs/mine/delete", json={}).status_code == 200
        assert not run.exists()


@pytest.mark.parametrize("notes", ["[" * 100_000, '{"name": "\\ud800", "note": ""}', "[]", "\0"])
def test_odd_notes_count_as_none(two_runs: TwoRuns, tmp_path: Path, notes: str) -> None:
    run = copy_of_run(two_runs, tmp_path, "mine")
    (run / "notes.json").write_text(notes)
    with client_of(Settings(runs_folder=tmp_path)) as client:
        assert client.get("/runs").status_code == client.get("/runs/mine").status_code == 200


def test_more_than_two_runs_are_compared_in_a_table(two_runs: TwoRuns, tmp_path: Path) -> None:
    for name in ("first", "second"):
        shutil.copytree(two_runs.folder / getattr(two_runs, name), tmp_path / name)
    copy_of_run(two_runs, tmp_path, "third")
    with client_of(Settings(runs_folder=tmp_path)) as client:
        page = client.get("/compare?run=first&run=second&run=third").text
        assert "right by some of 3 runs" in page
        for name in ("first", "second", "third"):
            assert f'<th scope="col">{name}</th>' in page
        assert "/runs/third" in page and "/runs/second/tasks/" in page and ">not</a>" in page
        two = client.get("/compare?run=second&run=first")
        assert two.headers["location"] == "/compare?first=first&second=second"
        many = "&".join(f"run=r{k}" for k in range(13))
        assert client.get(f"/compare?{many}").status_code == 422
        assert client.get("/compare?run=first&run=second&run=none").status_code == 404


def test_charts_as_data(client: TestClient, two_runs: TwoRuns) -> None:
    charts = client.get(f"/api/runs/{two_runs.second}/charts").json()["charts"]
    assert charts and all(each["title"] and each["lines"] for each in charts)
    query = f"first={two_runs.first}&second={two_runs.second}"
    (chart,) = client.get(f"/api/compare/charts?{query}").json()["charts"]
    assert [line["name"] for line in chart["lines"]] == [two_runs.first, two_runs.second]


def test_sets_are_found_by_the_names_that_commands_take(client: TestClient) -> None:
    there = client.get("/sets/arc-agi-1/training")
    assert there.status_code == 303 and there.headers["location"] == "/sets/arc-agi-1-training"
    task = client.get("/sets/arc-agi-1/training/tasks/00d62c1b")
    assert task.headers["location"] == "/sets/arc-agi-1-training/tasks/00d62c1b"
    play = client.get("/sets/arc-agi-1/training/tasks/00d62c1b/play")
    assert play.headers["location"] == "/sets/arc-agi-1-training/tasks/00d62c1b/play"


def test_programs_have_the_numbers_of_their_addresses(client: TestClient) -> None:
    assert "solve_00d62c1b, program 1" in client.get(f"{SET}/tasks/00d62c1b/programs/1").text


def test_a_drawn_answer_is_judged(client: TestClient) -> None:
    client.headers["origin"] = OWN
    address = f"/api{SET}/tasks/67a3c6ac/judge"
    task = client.get(f"/api{SET}/tasks/67a3c6ac").json()
    mirrored = [row[::-1] for row in task["test"][0]["input"]]
    assert client.post(address, json={"test": 0, "grid": mirrored}).json() == {"right": True}
    assert client.post(address, json={"test": 0, "grid": [[1]]}).json() == {"right": False}
    for wrong in ({"test": 1, "grid": [[1]]}, {"test": 0, "grid": [[11]]}, {"grid": [[1]]}):
        assert client.post(address, json=wrong).status_code == 422
    # The page holds no answer.
    assert str(mirrored[0])[1:-1] not in client.get(f"{SET}/tasks/67a3c6ac/play").text


def test_a_task_fits_if_some_program_does(
    client: TestClient, two_runs: TwoRuns, tmp_path: Path
) -> None:
    """Every place that says how many tasks fit counts the same ones."""
    folder = tmp_path / "run"
    shutil.copytree(two_runs.folder / two_runs.second, folder)
    results = json.loads((folder / "results.json").read_text())
    (listed,) = Outcome("runs", "list", "--out", tmp_path, "--json").json["runs"]
    assert listed["fits"] == results["fits"]
    text = re.sub(r"<[^>]*>|\s+", " ", (folder / "report.html").read_text())
    assert re.search(r"(\d+) +fits all demos", text)[1] == str(results["fits"])
    scored = Outcome("score", folder, "--json").json["by_proposer"]
    assert sum(each["fits"] for each in scored.values()) == results["fits"]
    rows = client.get(f"/api/runs/{two_runs.second}/tasks").json()["tasks"]
    n_fitted = sum(each["state"] == "fits" for each in rows)
    assert n_fitted == results["fits"] == sum(row["fits"] for row in results["by_task"])
    row = dict(results["by_task"][0], fits=True)
    lesser = json.loads(json.dumps(row))
    for test in lesser["tests"]:
        test["attempts"][0]["best"] = None
    task = load("arc-agi-1/training")[row["task"]]
    view = TaskView(task, lesser)
    assert view.state == "fits" and not view.best_fits
