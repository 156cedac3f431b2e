"""`arcbatt conform` and `doctor`: output, exit codes, messages, JSON."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

from arcbatt.checking import ENGINES
from arcbatt.engine.gpu import kernel_files, kernels
from arcbatt.engine.gpu.health import Gpu, GpuSearch, read_kernels
from tests.support.commands import Outcome, error_of


@pytest.mark.slow
def test_conform(recorded_calls: Path) -> None:
    with gzip.open(recorded_calls, "rt", encoding="utf-8") as lines:
        n_calls = sum(1 for line in lines if line.strip())
    outcome = Outcome("conform", recorded_calls)
    assert outcome.status == 0
    assert outcome.out == f"{n_calls} of {n_calls} passed on reference\n"
    assert Outcome("conform", "--engine", "batt").out == f"{n_calls} of {n_calls} passed on batt\n"
    shown = Outcome("conform", recorded_calls, "--json").json
    assert shown == {"engine": "reference", "total": n_calls, "passed": n_calls, "differences": []}


def test_conform_shows_the_first_ten_differences(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    good = {"op": "add", "args": [1, 2], "out": 3}
    bad = {"op": "add", "args": [1, 2], "out": 4}
    fails = {"op": "add", "args": [1, 2], "out": {"error": 1}}
    path.write_text("\n".join(map(json.dumps, [good, fails, *[bad] * 12])))
    outcome = Outcome("conform", path)
    assert outcome.status == 1
    assert "1 of 14 passed on reference" in outcome.out
    assert outcome.out.count("add(1, 2)") == 10
    shown = Outcome("conform", path, "--json").json
    assert (shown["passed"], shown["total"], len(shown["differences"])) == (1, 14, 10)
    assert shown["differences"][0]["recorded"] == "failure"
    assert shown["differences"][1] == {
        "line": 3,
        "op": "add",
        "args": ["1", "2"],
        "recorded": "4",
        "got": "3",
    }


def test_conform_reports_errors(tmp_path: Path, recorded_calls: Path) -> None:
    message = error_of("conform", recorded_calls, "--engine", "referense")
    assert "did you mean reference?" in message and "The engines are: reference" in message
    assert "no GPU" in error_of("conform", "--engine", "cuda:99")
    assert "No such file" in error_of("conform", tmp_path / "missing.jsonl")
    path = tmp_path / "calls.jsonl"
    path.write_text("")
    assert "no recorded calls" in error_of("conform", path)
    path.write_text('{"op": "add"}\n')
    assert "line 1" in error_of("conform", path)
    path.write_bytes(b"\xff\xfe\x00")
    assert "cannot be read" in error_of("conform", path)
    cut = tmp_path / "calls.jsonl.gz"
    cut.write_bytes(gzip.compress(b'{"op": "add"}' * 100)[:-12])
    assert "cannot be read" in error_of("conform", cut)


@pytest.mark.slow
def test_doctor_shows_facts_and_tests_backends() -> None:
    outcome = Outcome("doctor")
    assert outcome.status == 0
    for name in ("arcbatt", "Python", "compiler", "flags", "instructions", "cores", "calibration"):
        assert name in outcome.out
    shown = Outcome("doctor", "--json").json
    assert shown["ok"] and shown["arcbatt"] == version("arcbatt")
    assert "-O" in shown["build"]["flags"]
    tested = {test["backend"]: (test["passed"], test["ok"]) for test in shown["self_test"]}
    n_calls = tested["reference"][0]
    gpus = [f"cuda:{gpu['number']}" for gpu in shown["gpu_search"]["gpus"]]
    assert tested == dict.fromkeys(["reference", "cpu", "batt", *gpus], (n_calls, True))


@pytest.mark.slow
def test_doctor_passes_without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcbatt.doctor.look_for_gpus", lambda: GpuSearch(trouble="no driver"))
    outcome = Outcome("doctor")
    assert outcome.status == 0
    assert "none: no driver" in outcome.out and "not tested: no GPU" in outcome.out


@pytest.mark.slow
def test_doctor_fails_if_a_backend_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate a GPU that is listed but does not run, and an engine with other results."""
    gpus = (Gpu(99, "A card", 2**34, "9.0"),)
    monkeypatch.setattr("arcbatt.doctor.look_for_gpus", lambda: GpuSearch(gpus, cupy="13.0"))
    wrong = {**ENGINES, "cpu": lambda calls: ((call, None) for call in calls)}
    monkeypatch.setattr("arcbatt.doctor.ENGINES", wrong)
    outcome = Outcome("doctor")
    assert outcome.status == 1
    assert "A card, 16 GiB, compute 9.0" in outcome.out
    assert "EngineUnavailable: no GPU" in outcome.out and "got:      None" in outcome.out
    shown = Outcome("doctor", "--json")
    assert (shown.status, shown.json["ok"]) == (1, False)
    fine = {test["backend"]: test["ok"] for test in shown.json["self_test"]}
    assert fine == {"reference": True, "cpu": False, "batt": True, "cuda:99": False}


@pytest.mark.slow
def test_doctor_shows_compiled_kernels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path))
    gpus = (Gpu(0, "A card", 2**34, "8.6"), Gpu(1, "Another", 2**34, "9.0"))
    names = list(kernels.modules())
    for name in names:
        kernel_files.write(tmp_path / "kernels", kernels.source_digest(), "sm_80", name, b"code")
    kernel_files.write(tmp_path / "kernels", "older", "sm_90", names[0], b"code")
    place = (tmp_path / "kernels", kernels.source_digest(), "sm_90")
    for name, trouble in ((names[0], "it crashed"), (names[1], "so did this"), (names[1], "")):
        kernel_files.note_trouble(*place, name, trouble)
    compiled = read_kernels(GpuSearch(gpus))
    assert compiled.failed == {f"sm_90/{names[0]}": "it crashed"}
    assert compiled.targets == {"sm_80": len(names)}
    assert compiled.on_gpus == {"cuda:0": len(names), "cuda:1": 0}
    for compiler, trouble in (("NVRTC 12.9", ""), ("", "it is not there")):
        changed = replace(compiled, compiler=compiler, trouble=trouble)
        monkeypatch.setattr("arcbatt.doctor.read_kernels", lambda _search, changed=changed: changed)
        out = " ".join(Outcome("doctor").out.split())
        assert f"{len(names)} of {len(names)} modules for sm_80" in out
        assert "cuda:0 all are compiled" in out
        assert f"sm_90/{names[0]} failed: it crashed" in out
        assert (f"by {compiler} when needed" if compiler else f"compiled: {trouble}") in out


@pytest.mark.slow
def test_doctor_shows_the_calibration(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = ({"launch_s": 1.25e-5, "devices": ["A card"]}, "calibration.json")
    monkeypatch.setattr("arcbatt.doctor.read_calibration", lambda: stored)
    out = Outcome("doctor").out
    assert "calibration.json" in out and "1.25e-05" in out and "A card" in out
    monkeypatch.setattr("arcbatt.doctor.read_calibration", lambda: (None, "calibration.json"))
    assert "none stored at calibration.json" in Outcome("doctor").out
