"""Settings and strategies that several test files use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from arcbatt.conformance import SHIPPED
from arcbatt.engine import calibration
from arcbatt.language.random_programs import random_program
from arcbatt.library import library_programs
from arcbatt.pool import Pool, Scored

# Fixtures for all tests.
from tests.cli_parts import program_file as program_file
from tests.gpu_on_cpu import library_of_kernels as library_of_kernels
from tests.gpu_on_cpu import on_cpu as on_cpu
from tests.web_parts import browser as browser
from tests.web_parts import two_runs as two_runs

# Deterministic in CI, so that a red run can be run again; fresh examples elsewhere. Nothing is
# timed: a machine may be busy.
untimed = settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("dev", untimed)
settings.register_profile("ci", untimed, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(scope="session")
def recorded_calls() -> Path:
    return SHIPPED


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for caches, in which there is nothing yet."""
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path))
    monkeypatch.setattr(calibration, "_known", [])
    return tmp_path


# The library's programs, each once: a few tasks have the same rule.
LIBRARY = list(dict.fromkeys(each.program for each in library_programs()))


colors = st.integers(0, 9)
numbers = st.integers(-50, 50)


@st.composite
def grids(draw: st.DrawFn, most: int = 8) -> tuple[tuple[int, ...], ...]:
    """Rectangular grids of few colours, so that objects come about."""
    high, wide = draw(st.integers(1, most)), draw(st.integers(1, most))
    palette = draw(st.lists(colors, min_size=1, max_size=4))
    row = st.lists(st.sampled_from(palette), min_size=wide, max_size=wide).map(tuple)
    return tuple(draw(st.lists(row, min_size=high, max_size=high)))


# Any data value, small.
values = st.recursive(
    numbers | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4).map(tuple) | st.frozensets(inner, max_size=4),
    max_leaves=12,
)

programs = st.builds(
    random_program,
    st.integers(0, 2**32),
    n_calls=st.integers(1, 10),
    well_typed=st.booleans(),
)


def best_of(pool: Pool, task: bytes, limit: int = 10) -> list[Scored]:
    """The best programs of a pool on a task, the best first."""
    return [row for row in pool.parents(per_task=limit) if row.task == task]


def printed_with_any_hash_seed(code: str) -> set[str]:
    """What processes print that differ in the order in which Python iterates sets."""
    return {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "4242")
    }
