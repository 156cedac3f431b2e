"""Commands for language models: solve with a model, prompts, and checks of replies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import Outcome, error_of
from tests.support.model_server import Answer, model_server, reply

RIGHT = "def solve(I):\n    return vmirror(I)\n"
REPLY = reply(
    "def solve(I):\n    return hmirror(I)\n",
    "def solve_b(I):\n    x = hmiror(I)\n    return I[0]\n",
)
KEY = "sk-very-secret-0123456789"


def test_solve_asks_a_model_and_writes_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai")
    monkeypatch.setenv("ARCBATT_API_KEY", KEY)
    usage = {"prompt_tokens": 1000, "completion_tokens": 100}
    with model_server(lambda _: Answer([reply(RIGHT)], usage=usage)) as server:
        common = ("--budget", "60s", "--out", tmp_path, "--threads", "1", "--no-explain")
        solved = Outcome(
            *("solve", "67a3c6ac", "--proposers", "ask", "--model", "fake"),
            *("--endpoint", server.endpoint, "--max-requests", "3", *common),
            *("--ask", "samples=1,turns=2", "--ask", "timeout=5s,images=yes"),
        )
        assert solved.status == 0, solved.err
        assert len(server.requests) == 1 and server.requests[0]["n"] == 1
    assert "tokens read" in solved.out and "1,000" in solved.out
    (folder,) = tmp_path.iterdir()
    config = json.loads((folder / "config.json").read_text())
    assert config["options"]["ask"]["turns"] == 2 and config["options"]["ask"]["images"] is True
    for path in folder.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes()
    parts = json.loads((folder / "results.json").read_text())["parts"]
    assert parts["ask"]["fake"]["n_requests"] == 1


def test_a_resumed_run_gets_the_key_only_where_the_command_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run's folder may be somebody else's, and name any endpoint."""
    pytest.importorskip("openai")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("ARCBATT_API_KEY", KEY)
    common = ("--budget", "60s", "--no-explain")
    wrong = reply("def solve(I):\n    return hmirror(I)\n")
    with model_server(lambda _: Answer([wrong])) as server:
        options = ("--out", tmp_path, "--proposers", "ask", "--model", "fake", "--ask", "turns=2")
        asked = ("--endpoint", server.endpoint, "--max-requests", "1")
        assert Outcome("solve", "67a3c6ac", *options, *asked, *common).status == 0
        (folder,) = tmp_path.iterdir()
        message = error_of("solve", "--resume", folder, *common)
        assert f"add --endpoint {server.endpoint} if it may have it" in message
        assert len(server.requests) == 1
        resumed = Outcome("solve", "--resume", folder, *common, "--endpoint", server.endpoint)
        assert resumed.status == 0, resumed.err
        monkeypatch.delenv("ARCBATT_API_KEY")
        assert Outcome("solve", "--resume", folder, *common).status == 0
        assert "expected an address" in error_of("solve", "--resume", folder, "--endpoint", "here")
        assert {each["authorization"] for each in server.headers} == {f"Bearer {KEY}"}


def test_a_run_without_a_model_has_no_endpoint(tmp_path: Path) -> None:
    options = ("--proposers", "known", "--rounds", "1", "--no-explain", "--out", tmp_path)
    assert Outcome("solve", "67a3c6ac", *options).status == 0
    (folder,) = tmp_path.iterdir()
    message = error_of("solve", "--resume", folder, "--endpoint", "http://localhost/v1")
    assert "asks no model" in message


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--proposers", "ask"), "ask needs a model and the address"),
        (("--model", "m"), "ask needs a model and the address"),
        (("--endpoint", "http://localhost:8000/v1"), "are for a language model: add --model NAME"),
        (("--max-requests", "3"), "are for a language model: add --model NAME"),
        (
            ("--model", "m", "--endpoint", "here"),
            "error: --endpoint: endpoint is 'here', expected an",
        ),
        (("--model", "m", "--proposers", "learn"), "add ask to --proposers"),
        (("--ask", "sample=3"), "expected NAME=VALUE with one of the names max-tokens"),
        (("--ask", "samples=many"), "--ask samples=many: expected a number"),
        (("--ask", "images=1"), "expected yes or no"),
        (("--ask", "samples=0"), "error: --ask: samples is 0"),
    ],
)
def test_wrong_options_are_refused_before_a_run_begins(
    args: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    assert message in error_of("solve", "67a3c6ac", "--out", tmp_path / "runs", *args)
    assert not (tmp_path / "runs").exists()


def test_the_prompt_is_printed_as_it_is() -> None:
    shown = Outcome("primitives", "--prompt", "--dialect", "arc-dsl", columns=40)
    assert shown.status == 0 and len(shown.out.encode()) <= 12_000
    assert "\nhmirror(piece) -> " in shown.out
    assert (
        "hconcat"
        not in Outcome("primitives", "--prompt", "--family", "numbers").out.split("Examples")[0]
    )
    assert "no dialect is named" in error_of("primitives", "--prompt", "--dialect", "python")
    assert "are about all" in error_of("primitives", "add", "--prompt")


def test_a_constant_is_shown() -> None:
    shown = Outcome("primitives", "UP")
    assert shown.status == 0 and "UP = (-1, 0)" in shown.out
    assert "GREEN" in Outcome("primitives", "THREE").out
    assert Outcome("primitives", "UP", "--json").json == {
        "constant": "UP",
        "value": "(-1, 0)",
        "same": [],
    }


@pytest.mark.parametrize("how", [("--json",), ("--turned",), ()])
def test_all_errors_of_a_program_are_told(how: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "reply.md"
    path.write_text(REPLY)
    checked = Outcome("check", path, "--task", "67a3c6ac", *how)
    assert "hmiror" in checked.err and "write first(I)" in checked.err
    if how == ("--json",):
        (reason,) = (
            each["reason"] for each in checked.json["programs"] if each["name"] == "solve_b"
        )
        assert "hmiror" in reason and "write first(I)" in reason


def test_a_reply_is_checked_with_feedback(tmp_path: Path) -> None:
    path = tmp_path / "reply.md"
    path.write_text(REPLY)
    checked = Outcome("check", path, "--task", "67a3c6ac", "--feedback")
    assert checked.status == 2
    assert "solve is right on 0 of 3 demos." in checked.out
    assert "solve_b is not a program of the language:\nline 2: unknown primitive" in checked.out
    assert "did you mean hmirror?" in checked.out and "write first(I)" in checked.out
    assert not checked.err, "the text has all errors, once"
    programs = Outcome("check", path, "--task", "67a3c6ac", "--feedback", "--json").json["programs"]
    assert [each["feedback"].partition(" ")[0] for each in programs] == ["solve", "solve_b"]
