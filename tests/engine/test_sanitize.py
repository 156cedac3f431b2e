"""The engine under the sanitizers, briefly; `make sanitize` does the same for an hour."""

from __future__ import annotations

from pathlib import Path

import pytest

from arcbatt.engine.gpu.health import read_build
from tests.fuzz import check_case, check_task_case, make_case, make_task_case
from tests.sanitize import SanitizersMissing, describe_running, preloads, run_sanitized

# About 350 programs.
N_CASES = 100
# Only a run that hangs takes this long.
TIMEOUT_S = 900


# One test: the extension is built once, by whichever process runs it.
@pytest.mark.slow
def test_sanitizers_find_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    try:
        preloads("address")
    except SanitizersMissing as missing:
        pytest.skip(f"the sanitizers are not installed: {missing}")
    status = run_sanitized("address", ["--count", str(N_CASES), "--seed", "1"], TIMEOUT_S)
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
    task_case = make_task_case(0)
    assert task_case == make_task_case(0)
    assert check_task_case(task_case) is None


def test_cases_on_tasks_take_stages_and_slices() -> None:
    cases = [make_task_case(seed) for seed in range(0, 400, 10)]
    assert {case.staged for case in cases} == {True, False}
    assert any(len(case.programs) > 128 and case.n_threads > 1 for case in cases)
    assert any(case.only is not None for case in cases)


def test_a_difference_can_be_reproduced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.content_hash", lambda value: 0)
    report = next(filter(None, (check_case(make_case(seed)) for seed in range(20))))
    assert "hash\n  reference: 0\n" in report
    assert "python -m tests.fuzz --seed" in report and "def random_" in report and "I of" in report


def test_a_crash_report_says_what_was_running() -> None:
    case = make_case(3)
    report = describe_running("thread", "3 0")
    assert (
        f"tests.sanitize --only thread --seed {case.seed} --count 1" in report
        and "def random_" in report
    )
    assert "last run: recorded calls" in describe_running("address", "recorded calls")


def test_only_a_fresh_process_takes_another_extension() -> None:
    from tests.support.extension import use_extension

    with pytest.raises(RuntimeError, match="imported already"):
        use_extension(Path("_engine.so"))
