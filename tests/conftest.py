"""Settings, fixtures and strategies for all tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from arcbatt.checking import SHIPPED
from arcbatt.engine import _engine
from arcbatt.engine.gpu import calibration
from arcbatt.engine.memory import bound_memory
from arcbatt.library import library_programs
from arcbatt.pool import Pool, PoolTrial
from bench.random_programs import random_program
from tests.support.commands import program_file as program_file
from tests.support.emulated_gpu import library_of_kernels as library_of_kernels
from tests.support.emulated_gpu import on_cpu as on_cpu
from tests.support.gpu import n_gpus
from tests.support.web import browser as browser
from tests.support.web import two_runs as two_runs

# Deterministic in CI, so that a failure can be repeated; new examples elsewhere. There are no
# deadlines, as a machine may be busy.
untimed = settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("dev", untimed)
settings.register_profile("ci", untimed, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


# Tests with these fixtures carry a marker: `make check` leaves them out.
FIXTURE_MARKERS = {"library_of_kernels": "slow", "browser": "browser"}


@pytest.hookimpl(tryfirst=True)  # before `-m` selects by marker
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    no_gpu = pytest.mark.skipif(not n_gpus(), reason="needs a GPU and CuPy")
    for item in items:
        for fixture in FIXTURE_MARKERS.keys() & getattr(item, "fixturenames", ()):
            item.add_marker(FIXTURE_MARKERS[fixture])
        if item.get_closest_marker("gpu"):
            item.add_marker(no_gpu)


@pytest.fixture(scope="session")
def recorded_calls() -> Path:
    return SHIPPED


@pytest.fixture(autouse=True)
def memory_bound() -> Iterator[None]:
    """Reset the bound on memory, which commands of a test set in this process."""
    before = _engine.memory_bound()
    yield
    if _engine.memory_bound() != before:
        bound_memory()


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder."""
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path))
    monkeypatch.setattr(calibration, "_known", [])
    return tmp_path


# The library's distinct programs: a few tasks share a rule.
LIBRARY = list(dict.fromkeys(each.program for each in library_programs()))


colors = st.integers(0, 9)
numbers = st.integers(-50, 50)


@st.composite
def grids(draw: st.DrawFn, max_side: int = 8) -> tuple[tuple[int, ...], ...]:
    """Draw a rectangular grid with few colors, so that it has objects."""
    height, width = draw(st.integers(1, max_side)), draw(st.integers(1, max_side))
    palette = draw(st.lists(colors, min_size=1, max_size=4))
    row = st.lists(st.sampled_from(palette), min_size=width, max_size=width).map(tuple)
    return tuple(draw(st.lists(row, min_size=height, max_size=height)))


# Any small data value.
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


def best_of(pool: Pool, task: bytes, limit: int = 10) -> list[PoolTrial]:
    """Return the best programs of a pool on a task, best first."""
    return [row for row in pool.parents(per_task=limit) if row.task == task]


def printed_with_any_hash_seed(code: str) -> set[str]:
    """Return the distinct outputs of processes with different hash seeds, hence set orders."""
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
