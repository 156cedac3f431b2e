"""Commands killed and interrupted at random moments, a few times; `python -m tests.kills` more."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from tests.kills import KINDS, SIGNAL_KINDS, kill_chain, signal_pair
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
