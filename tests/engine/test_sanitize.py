"""The engine under the sanitizers, briefly; `make sanitize` does the same for an hour."""

from __future__ import annotations

from pathlib import Path

import pytest

from arcbatt.engine.gpu.health import read_build
from tests.fuzz import check_case, make_case
from tests.sanitize import SanitizersMissing, describe_running, preloads, run_sanitized

# About 350 programs.
N_CASES = 100
# Only a run that hangs takes this long.
TIMEOUT_S = 900


# One test: the extension is built once, by whichever process runs it.
@pytest.mark.slow
def test_sanitizers_find_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    try:
        preloads()
    except SanitizersMissing as missing:
        pytest.skip(f"the sanitizers are not installed: {missing}")
    status = run_sanitized(["--count", str(N_CASES), "--seed", "1"], TIMEOUT_S)
    output = "\n".join(capfd.readouterr())
    assert status == 0, output
    assert "with sanitizers" in output and "recorded calls reproduced on cpu" in output
    assert "tasks searched" in output
    assert "no difference (seeds 1 to 100)" in output


def test_the_installed_extension_is_not_the_sanitized_one() -> None:
    assert not read_build().sanitized


def test_cases_come_from_their_seeds() -> None:
    for seed in range(20):
        case = make_case(seed)
        assert case == make_case(seed)
        assert check_case(case) is None


def test_a_difference_can_be_reproduced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.content_hash", lambda value: 0)
    report = next(filter(None, (check_case(make_case(seed)) for seed in range(20))))
    assert "hash\n  reference: 0\n" in report
    assert "python -m tests.fuzz --seed" in report and "def random_" in report and "I of" in report


def test_a_crash_report_says_what_was_running() -> None:
    case = make_case(3)
    report = describe_running("3 0")
    assert f"tests.sanitize --seed {case.seed} --count 1" in report and "def random_" in report
    assert describe_running("recorded calls") == "last run: recorded calls"


def test_only_a_fresh_process_takes_another_extension() -> None:
    from tests.support.extension import use_extension

    with pytest.raises(RuntimeError, match="imported already"):
        use_extension(Path("_engine.so"))
