"""The pool as a run's ledger: trials with outputs, finished work, state, merging."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arcbatt.pool import Pool, PoolError, PoolProgram, PoolWork, merge
from arcbatt.tasks import find_task
from tests.pool.test_pool import key, pool_at, program_of, row_of, trial_of

GRIDS = (((1, 2), (3, 4)), None)
FOUND = {
    "learns": True,
    "n_held_out": 2,
    "n_copies": 3,
    "proposer": "learn",
    "family": "cells",
    "bits": 7.5,
    "found_s": 1.25,
    "outputs": GRIDS,
}


@pytest.fixture
def pool() -> Iterator[Pool]:
    with Pool.in_memory() as opened:
        yield opened


@pytest.fixture
def rows() -> list[PoolProgram]:
    return [row_of(number) for number in range(6)]


# --- trials ---


def test_a_trial_comes_back_with_its_program(pool: Pool, rows: list[PoolProgram]) -> None:
    pool.add_programs(rows)
    trial = trial_of(rows[0], "a", 3, 1000, 20, **FOUND)
    pool.record_trials([trial, trial_of(rows[1], "a", 2)])
    (found,) = pool.trials()
    assert found == replace(trial, name=rows[0].name, text=rows[0].text) and found.fits
    assert found.learns is True and type(found.outputs) is tuple


def test_trials_are_ordered_by_task_and_time(
    pool: Pool,
    rows: list[PoolProgram],
) -> None:
    pool.add_programs(rows)
    first, second = sorted("ab", key=key)
    pool.record_trials(
        [
            trial_of(rows[0], second, 1, outputs=(), found_s=0.0),
            trial_of(rows[1], first, 1, outputs=(), found_s=2.0),
            *(trial_of(row, first, 1, outputs=(), found_s=1.0) for row in rows[2:]),
        ]
    )
    early = sorted(rows[2:], key=lambda row: row.digest)
    of_first = [*(row.digest for row in early), rows[1].digest]
    assert [each.program for each in pool.trials()] == [*of_first, rows[0].digest]
    assert [each.program for each in pool.trials(key(first))] == of_first
    assert list(pool.trials(key("nowhere"))) == []


def test_outputs_are_never_lost(pool: Pool, rows: list[PoolProgram]) -> None:
    pool.add_programs(rows)
    plain = trial_of(rows[0], "a", 2, 500, proposer="evolve", family="splice", bits=1.0)
    with_outputs = replace(plain, **FOUND)  # type: ignore[arg-type]
    later = replace(with_outputs, proposer="known", bits=0.0, outputs=(None,))

    def known() -> tuple[int, str, float, object]:
        (row,) = pool.trials()
        return row.n_fitted, row.proposer, row.bits, row.outputs

    for only_better in (False, True):
        pool.record_trials([plain])
        pool.record_trials([replace(plain, proposer="other")])
        # The same numbers with outputs are written even with `only_better`.
        assert pool.record_trials([with_outputs], only_better=only_better) == 1
        assert known() == (2, "learn", 7.5, GRIDS)
        pool.record_trials([plain, later])
        assert known() == (2, "learn", 7.5, GRIDS)
        # A better screening does not replace a whole trial.
        assert pool.record_trials([replace(plain, n_fitted=3)], only_better=True) == 0
        assert known() == (2, "learn", 7.5, GRIDS)
        assert pool.record_trials([replace(later, n_fitted=3)], only_better=True) == 1
        assert known() == (3, "learn", 7.5, GRIDS)
        pool.drop_outputs([(rows[0].digest, key("a")), (rows[1].digest, key("a"))])
        assert list(pool.trials()) == []
        pool.record_trials([plain])


def test_a_worse_trial_with_outputs_adds_only_the_outputs(
    pool: Pool,
    rows: list[PoolProgram],
) -> None:
    pool.add_programs(rows)
    pool.record_trials([trial_of(rows[0], "a", 2, 800, 5)])
    worse = trial_of(rows[0], "a", 1, 900, 1, outputs=GRIDS, found_at=9.0)
    assert pool.record_trials([worse], only_better=True) == 1
    (row,) = pool.trials()
    assert (row.n_fitted, row.credit, row.steps, row.found_at) == (2, 800, 5, 1.0)
    assert row.outputs == GRIDS


@pytest.mark.parametrize(
    "wrong", [{"n_held_out": 1}, {"learns": True, "n_held_out": 4}, {"n_copies": -1}]
)
def test_held_out_demos_and_copies_are_checked(
    pool: Pool,
    rows: list[PoolProgram],
    wrong: dict[str, object],
) -> None:
    pool.add_programs(rows)
    with pytest.raises(PoolError, match="CHECK constraint"):
        pool.record_trials([trial_of(rows[0], "a", 1, **wrong)])


def test_eviction_keeps_trials_with_outputs(pool: Pool, rows: list[PoolProgram]) -> None:
    pool.add_programs(rows)
    pool.record_trials(
        [
            trial_of(rows[0], "a", 2),
            trial_of(rows[1], "a", 1, outputs=GRIDS),
            trial_of(rows[1], "b", 0),
            trial_of(rows[2], "a", 1),
        ]
    )
    assert pool.evict(0) == 2
    assert [each.program for each in pool.trials()] == [rows[1].digest]
    assert [each.task_name for each in pool.trials_of(rows[1].digest)] == ["a"]
    pool.drop_outputs([(rows[1].digest, key("a"))])
    assert pool.evict(0) == 1


# --- work and state ---


def test_work_is_recorded_once(pool: Pool) -> None:
    task = find_task("00d62c1b")
    done = [
        PoolWork.of(task, "enumerate", "roles", {"n_calls": 5}),
        PoolWork.of(task, "learn", "cells", {}),
    ]
    pool.note_work(done)
    updated = replace(done[0], counts={"n_calls": 7})
    pool.note_work([updated])
    pool.note_work([replace(done[1], counts={"n_calls": 9})], only_new=True)
    assert pool.work() == [updated, done[1]]
    assert pool.work("learn") == [done[1]]
    assert pool.work("nobody") == [] and pool.stats().n_work == 2


def test_state_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "pool.db"
    with Pool.open(path) as opened:
        assert opened.state("rng") is None
        opened.set_state("rng", {"words": [1, 2], "gauss": None})
        opened.set_state("round", 4)
        opened.set_state("round", 5)
    with Pool.open(path) as opened:
        assert opened.state("rng") == {"words": [1, 2], "gauss": None}
        assert opened.state("round") == 5


@pytest.mark.parametrize("value", ["{", b"\x00", "[" * 100_000, "1" * 10_000])
def test_damaged_state_raises_an_error(pool: Pool, value: object) -> None:
    pool.store.connection.execute("INSERT INTO state VALUES ('rng', ?)", (value,))
    with pytest.raises(PoolError, match="the pool in memory: its state 'rng' is damaged"):
        pool.state("rng")


# --- reading ---


def test_solvers_come_in_order_under_their_names(pool: Pool) -> None:
    renamed = replace(row_of(1), name="solve_x")
    pool.add_programs([row_of(3), renamed, PoolProgram.of(program_of(2, "differ"), "import")])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = list(pool.solvers())
    assert [(each.name, each.result) for each in found] == [
        ("solve_3", program_of(3).result),
        ("solve_x", program_of(1).result),
    ]


def test_the_versions_are_part_of_the_caches_keys(tmp_path: Path) -> None:
    path, entry = tmp_path / "pool.db", (key("a"), key("task"))
    with Pool.open(path, versions="language 1 engine 1") as opened:
        opened.results.put({entry: b"old"})
    with Pool.open(path, versions="language 1 engine 2") as opened:
        assert opened.results.get([entry]) == {}
        assert opened.results.forget_other_versions() == 1


# --- merging ---


def test_merge_adds_outputs_and_work_but_not_state(tmp_path: Path) -> None:
    a, b, c = (row_of(number) for number in range(3))
    other = pool_at(
        tmp_path / "other.db",
        [a, b, c],
        [
            trial_of(a, "t", 1, outputs=GRIDS, proposer="learn"),
            trial_of(b, "t", 3, outputs=(None,)),
            trial_of(c, "u", 3, **FOUND),
        ],
    )
    task = find_task("00d62c1b")
    with Pool.open(other) as opened:
        opened.note_work([PoolWork.of(task, "learn", "cells", {"n": 1})])
        opened.note_work([PoolWork.of(task, "learn", "moves", {"n": 1})])
        opened.set_state("round", 9)
    with Pool.in_memory() as mine:
        mine.add_programs([a, b])
        mine.record_trials([trial_of(a, "t", 2), trial_of(b, "t", 2, outputs=GRIDS)])
        mine.note_work([PoolWork.of(task, "learn", "cells", {"n": 2})])
        count = merge(mine, other)
        assert (count.n_programs, count.n_trials, count.n_rejected) == (1, 3, 0)
        found = {each.program: each for each in mine.trials()}
        assert (found[a.digest].n_fitted, found[a.digest].outputs) == (2, GRIDS)
        assert found[a.digest].proposer == "learn"
        assert (found[b.digest].n_fitted, found[b.digest].outputs) == (3, GRIDS)
        assert (found[c.digest].family, found[c.digest].n_held_out) == ("cells", 2)
        assert [(each.item, each.counts) for each in mine.work()] == [
            ("cells", {"n": 2}),
            ("moves", {"n": 1}),
        ]
        assert mine.state("round") is None
        again = merge(mine, other)
        assert (again.n_programs, again.n_trials) == (0, 0)
