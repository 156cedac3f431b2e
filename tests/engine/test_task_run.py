"""Programs on tasks: in stages and whole, on one thread and two, against single runs."""

from __future__ import annotations

import numpy as np
import pytest

from arcbatt.engine import _engine, profiler, task_run
from arcbatt.engine.batt import Batt, Choice, run_on_devices
from arcbatt.engine.task_run import TaskSamples, run_on_tasks
from arcbatt.language import Budget, parse_program
from arcbatt.library import library_programs
from arcbatt.tasks import load
from bench.random_programs import random_program

SMALL = Budget(steps=200_000, bytes=2**22)
ARRAYS = ("reasons", "n_matches", "hashes", "steps", "numbers")


@pytest.fixture(scope="module")
def tasks() -> TaskSamples:
    return TaskSamples(load("arc-agi-1/training")[:60])


@pytest.fixture(scope="module")
def batt() -> Batt:
    programs = [solver.program for solver in library_programs()]
    return Batt([*programs, *(random_program(seed, 8) for seed in range(40))])


def test_without_stages_all_demos_are_counted(tasks: TaskSamples, batt: Batt) -> None:
    whole = run_on_tasks(batt, tasks, SMALL, staged=False)
    plain = batt.run(tasks.demos, SMALL)
    starts = tasks.starts[:-1].astype(int)
    assert (whole.n_matches == np.add.reduceat(plain.matches.astype(int), starts, axis=1)).all()
    assert (whole.steps == np.add.reduceat(plain.steps, starts, axis=1)).all()
    assert (whole.reasons == plain.reasons[:, starts]).all()
    assert (whole.hashes == plain.hashes[:, starts]).all()
    assert whole.solved.any()


def test_in_stages_only_those_go_on_that_match_the_first_demo(
    tasks: TaskSamples, batt: Batt
) -> None:
    staged = run_on_tasks(batt, tasks, SMALL)
    whole = run_on_tasks(batt, tasks, SMALL, staged=False)
    first = batt.run(tasks.first_demos, SMALL)
    assert (staged.n_matches == np.where(first.matches, whole.n_matches, 0)).all()
    assert (staged.steps == np.where(first.matches, whole.steps, first.steps)).all()
    assert (staged.reasons == whole.reasons).all()
    assert (staged.solved == whole.solved).all()


@pytest.mark.parametrize("staged", [True, False])
def test_neither_threads_nor_company_matter(tasks: TaskSamples, batt: Batt, staged: bool) -> None:
    one = run_on_tasks(batt, tasks, SMALL, staged=staged, n_threads=1)
    two = run_on_tasks(batt, tasks, SMALL, staged=staged, n_threads=2)
    few = run_on_tasks(Batt(batt.programs[5:8]), tasks, SMALL, staged=staged)
    for name in ARRAYS:
        assert (getattr(one, name) == getattr(two, name)).all()
        assert (getattr(one, name)[5:8] == getattr(few, name)).all()


@pytest.mark.parametrize("staged", [True, False])
def test_few_tasks_are_run_in_slices(batt: Batt, staged: bool) -> None:
    few = TaskSamples(load("arc-agi-1/training")[:6])
    only = [-1 if p % 9 else p % 6 for p in range(len(batt.programs))]
    one = run_on_tasks(batt, few, SMALL, only=only, staged=staged, device="cpu", n_threads=1)
    many = run_on_tasks(batt, few, SMALL, only=only, staged=staged, device="cpu", n_threads=16)
    for name in ARRAYS:
        assert (getattr(one, name) == getattr(many, name)).all(), name
    with profiler.profile() as whole:
        run_on_tasks(batt, few, SMALL, staged=staged, device="cpu", n_threads=1)
    with profiler.profile() as in_slices:
        run_on_tasks(batt, few, SMALL, staged=staged, device="cpu", n_threads=16)
    calls = [sum(row.n_calls for row in each.rows()) for each in (whole, in_slices)]
    assert calls[0] < calls[1] < 2 * calls[0]  # what slices share is run once for each


def test_a_program_may_be_tried_on_one_task_alone(tasks: TaskSamples, batt: Batt) -> None:
    only = [p % 61 - 1 for p in range(len(batt.programs))]
    got = run_on_tasks(batt, tasks, SMALL, only=only)
    whole = run_on_tasks(batt, tasks, SMALL, staged=False)
    staged = run_on_tasks(batt, tasks, SMALL)
    for program, task in enumerate(only):
        for name in ARRAYS:
            row = getattr(got, name)[program]
            if task < 0:
                assert (row == getattr(staged, name)[program]).all()
            else:
                assert row[task] == getattr(whole, name)[program, task]
                others = np.delete(row, task)
                assert (others == (_engine.NOT_RUN if name == "reasons" else 0)).all()


def test_numbers_are_summed_up_over_demos(tasks: TaskSamples) -> None:
    texts = ("return 7", "return astuple(3, I)", "return I", "return first(difference(I, I))")
    programs = [parse_program(f"def f(I):\n    {text}\n") for text in texts]
    got = run_on_tasks(Batt(programs), tasks, staged=False)
    assert (got.numbers[0] == 7 * tasks.n_demos).all()
    assert (got.numbers[1] == 3 * tasks.n_demos).all()
    assert (got.numbers[2:] == 0).all()


def test_a_gpu_goes_in_the_same_stages(
    tasks: TaskSamples, batt: Batt, monkeypatch: pytest.MonkeyPatch
) -> None:
    only = [-1 if p % 7 else p % 60 for p in range(len(batt.programs))]
    wanted = {
        staged: run_on_tasks(batt, tasks, SMALL, only=only, staged=staged, device="cpu")
        for staged in (True, False)
    }
    # The code path of GPUs, with runs of the CPU in their place.
    chosen = {"cpu": Choice([], 2), "auto": Choice([0], 2)}
    monkeypatch.setattr(task_run, "choose_devices", lambda _batt, device, *_: chosen[device])
    monkeypatch.setattr(
        task_run,
        "run_on_devices",
        lambda batt, _choice, request: run_on_devices(batt, Choice([], 2), request),
    )
    for staged, cpu in wanted.items():
        got = run_on_tasks(batt, tasks, SMALL, only=only, staged=staged)
        for name in ARRAYS:
            assert (getattr(got, name) == getattr(cpu, name)).all(), name


def test_a_profile_counts_every_call_once() -> None:
    program = parse_program("def f(I):\n    return hconcat(hmirror(I), vmirror(hmirror(I)))\n")
    tasks = TaskSamples(load("arc-agi-1/training")[:5])
    with profiler.profile() as profile:
        run_on_tasks(Batt([program]), tasks, staged=False, device="cpu")
    calls = {row.name: row.n_calls for row in profile.rows()}
    assert calls == dict.fromkeys(("hmirror", "vmirror", "hconcat"), tasks.n_samples)
    assert all(row.seconds > 0 for row in profile.rows())


def test_a_part_of_a_batt_gives_what_its_programs_give(tasks: TaskSamples, batt: Batt) -> None:
    whole = batt.run(tasks.demos, SMALL, device="cpu")
    for chosen in (np.arange(0, len(batt.programs), 3), np.array([5, 2]), np.arange(0)):
        part = batt.part(chosen)
        assert part.programs == tuple(batt.programs[k] for k in chosen)
        assert part.n_nodes == Batt(part.programs).n_nodes <= batt.n_nodes
        got = part.run(tasks.demos, SMALL, device="cpu")
        for name in ("reasons", "matches", "hashes", "steps", "numbers"):
            assert (getattr(got, name) == getattr(whole, name)[chosen]).all(), name
    assert batt.part(np.arange(len(batt.programs))) is batt


def test_results_show_themselves_in_a_line(tasks: TaskSamples) -> None:
    batt = Batt([parse_program("def f(I):\n    return vmirror(I)\n")])
    on_tasks, on_samples = run_on_tasks(batt, tasks), batt.run(tasks.demos, device="cpu")
    n_fits, n = int(on_tasks.solved.sum()), tasks.n_samples
    assert (
        repr(on_tasks)
        == f"<TaskResult of 1 program on 60 tasks: {n_fits} fit{'s' * (n_fits != 1)}>"
    )
    wanted = f"{n} values, {on_samples.matches.sum()} as wanted; ran on cpu {n}"
    assert repr(on_samples) == f"<BattResult of 1 program on {n} samples: {wanted}>"


@pytest.mark.parametrize("only", [[60], [0, 1], []])
def test_tasks_that_are_not_there_are_refused(tasks: TaskSamples, only: list[int]) -> None:
    batt = Batt([parse_program("def f(I):\n    return vmirror(I)\n")])
    with pytest.raises(ValueError, match="only: a task, 0 to 59, or -1 for each of 1 programs"):
        run_on_tasks(batt, tasks, only=only)
