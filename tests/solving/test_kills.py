"""Commands killed and interrupted at random moments, a few times; `python -m tests.kills` more."""

from __future__ import annotations

import random
import signal
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import kills
from tests.kills import (
    KINDS,
    SIGNAL_KINDS,
    Lost,
    Patience,
    Process,
    Run,
    kill_chain,
    signal_pair,
)
from tests.support.search import default_signals

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_command_loses_nothing(kind: str, tmp_path: Path) -> None:
    kill_chain(kind, tmp_path, 1, random.Random(kind))


@pytest.mark.parametrize("kind", SIGNAL_KINDS)
def test_two_signals_end_a_command_with_its_results(kind: str, tmp_path: Path) -> None:
    with default_signals():
        signal_pair(kind, tmp_path, random.Random(kind))


def test_a_hanging_process_is_told_from_one_that_has_no_core(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kills, "PATIENCE_S", 0.5)
    monkeypatch.setattr(kills, "ARCBATT", [sys.executable, "-c", "import time; time.sleep(60)"])
    process = Process(Run("solve", tmp_path))
    with pytest.raises(Lost, match="does not end"):
        process.end()
    assert process.child.returncode == -signal.SIGABRT

    delays = iter(k * 10.0 for k in range(1000))
    monkeypatch.setattr(kills, "_delays_s", lambda _pid: {"1": next(delays), "2": 0.0})
    waiting, hanging = Patience(0), Patience(0)
    for _ in range(4):
        time.sleep(0.2)
        assert not waiting.is_over
    monkeypatch.setattr(kills, "_delays_s", lambda _pid: {"2": 0.0})
    time.sleep(0.6)
    assert hanging.is_over


def test_a_delay_that_the_system_counts_late_is_no_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter([(0.0, 0.0), (30.0, 0.0), (59.0, 0.0), (61.0, 60.5), (120.0, 60.5), (122.0, 60.5)])
    now_s, delay_s = 0.0, 0.0

    def look() -> None:
        nonlocal now_s, delay_s
        now_s, delay_s = next(looks)

    monkeypatch.setattr(kills, "time", SimpleNamespace(monotonic=lambda: now_s))
    monkeypatch.setattr(kills, "_delays_s", lambda _pid: {"1": delay_s})
    look()
    patience = Patience(0)
    for is_over in (False, False, False, False, True):
        look()
        assert patience.is_over == is_over
