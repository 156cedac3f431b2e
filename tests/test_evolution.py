"""The loop on a few tasks: what it finds holds, is kept, and can be gone on with."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arcbatt.cli.app import app
from arcbatt.engine.batt import Batt
from arcbatt.engine.staged import TaskSamples, run_on_tasks
from arcbatt.language import Budget, Program, parse_program, run
from arcbatt.library import library_programs
from arcbatt.measure import Clock
from arcbatt.pool import Pool, task_key
from arcbatt.search.evolving import MUTANT_BUDGET, Evolution, EvolveOptions
from arcbatt.search.evolving_run import EvolutionRun
from arcbatt.search.run_folder import RunConfig, RunFolder, read_log
from arcbatt.search.validating import Outcomes, StagedTask, Validator
from arcbatt.tasks import Task, load

SMALL = EvolveOptions(seed=1, card_size=40, n_threads=1, device="cpu")


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    # The library solves some of these, and mutants of it some more.
    names = {"74dd1130", "9dfd6313", "68b16354", "67a3c6ac", "3c9b0459", "6150a2bd", "4c4377d9"}
    training = load("arc-agi-1/training")
    return [task for k, task in enumerate(training) if task.id in names or k % 40 == 0]


def evolution(tasks: list[Task], pool: Pool, folder: Path, options: EvolveOptions) -> Evolution:
    validator = Validator(folder, strict=True, budget=MUTANT_BUDGET)
    if not pool.n_programs:
        pool.add_library()
    return Evolution(TaskSamples(tasks), pool, options, validator)


def test_mutants_score_fused_what_they_score_alone(tasks: list[Task], tmp_path: Path) -> None:
    with Pool.in_memory() as pool:
        evolving = evolution(tasks, pool, tmp_path, SMALL)
        evolving.begin()
        for _ in range(3):
            hand = evolving._deal_and_fuse()
            fused = run_on_tasks(hand.batt, evolving.samples, MUTANT_BUDGET, device="cpu")
            for k, mutant in enumerate(hand.mutants):
                alone = run_on_tasks(
                    Batt([mutant.program]), evolving.samples, MUTANT_BUDGET, device="cpu"
                )
                for name in ("reasons", "n_matches", "hashes", "steps"):
                    assert (getattr(fused, name)[k] == getattr(alone, name)[0]).all()
        evolving.close()


@pytest.mark.parametrize("use_differs", [True, False])
def test_what_is_found_is_right_and_in_the_pool(
    tasks: list[Task], tmp_path: Path, use_differs: bool
) -> None:
    options = EvolveOptions(seed=2, card_size=60, device="cpu", use_differs=use_differs)
    with Pool.in_memory() as pool:
        evolving = evolution(tasks, pool, tmp_path, options)
        evolving.begin()
        at_start = evolving.archive.n_solved
        generations = [evolving.step() for _ in range(12)]
        evolving.close()
        found = [f for generation in generations for f in generation.found]
        assert bool(found) or not use_differs
        assert evolving.archive.n_solved == at_start + len(found)
        for each in found:
            pairs = tuple((demo.input, demo.output) for demo in each.task.demos)
            for demo in each.task.demos:
                outcome = run(each.program, {"I": demo.input, "S": pairs}).outcome
                assert outcome == demo.output
            best = pool.best_for_task(task_key(each.task), 1)[0]
            assert best.fits
            assert parse_program(best.text).result.digest == best.program
        assert evolving.validator.n_differences == 0
        offers = Counter[str]()
        for generation in generations:
            offers.update(generation.n_offers)
        assert offers["solved"] == len(found)
        assert evolving.validator.n_validated == offers.total() - offers["refused"]
        nearly = [c for niche in evolving.archive.niches for c in niche.nearly_right]
        assert bool(nearly) or not use_differs


def test_what_does_not_hold_alone_is_not_kept(
    tasks: list[Task], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_alone = StagedTask.run_alone

    def one_step_more(task: StagedTask, program: Program, budget: Budget) -> Outcomes:
        right = run_alone(task, program, budget)
        return right._replace(steps=right.steps + 1)

    monkeypatch.setattr(StagedTask, "run_alone", one_step_more)
    with Pool.in_memory() as pool:
        validator = Validator(tmp_path, strict=False, budget=MUTANT_BUDGET)
        pool.add_library()
        evolving = Evolution(TaskSamples(tasks), pool, SMALL, validator)
        evolving.begin()
        before = (evolving.archive.n_solved, pool.n_programs)
        generations = [evolving.step() for _ in range(3)]
        evolving.close()
        assert not any(generation.found for generation in generations)
        assert validator.n_differences == validator.n_validated > 0
        assert (evolving.archive.n_solved, pool.n_programs) == before
        # Parents are what the pool had at first.
        assert set(evolving.archive.programs()) <= {each.program for each in library_programs()}


def test_a_solver_that_is_none_when_it_sees_all_demos_is_not_offered(
    tasks: list[Task], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Evolution, "_holds_with_all_demos", lambda *_: False)
    with Pool.in_memory() as pool:
        evolving = evolution(tasks, pool, tmp_path, SMALL)
        evolving.begin()
        generations = [evolving.step() for _ in range(2)]
        evolving.close()
        assert evolving.archive.n_solved == 0
        assert not any(generation.found for generation in generations)
        # What is nearly right stays, and the kinds of mutation are not paid for it.
        assert any(niche.nearly_right for niche in evolving.archive.niches)
        assert not any(row.solved for row in evolving.rates.table())


def test_all_demos_are_looked_at_for_solvers_that_look_at_demos(
    tasks: list[Task], tmp_path: Path
) -> None:
    with Pool.in_memory() as pool:
        evolving = evolution(tasks, pool, tmp_path, SMALL)

        def holds(body: str) -> bool:
            program = parse_program(f"def made(S, I):\n    return {body}\n")
            return evolving._holds_with_all_demos(program, 0)

        assert not holds("second(first(S))")  # right on the first demo alone
        assert holds("second(extract(S, compose(rbind(equality, I), first)))")
        assert holds("I")  # sees no demos: held out or not is the same
        evolving.close()


def test_the_number_solved_is_that_of_the_table(tasks: list[Task], tmp_path: Path) -> None:
    with Pool.in_memory() as pool:
        evolving = evolution(tasks, pool, tmp_path, EvolveOptions(seed=2, card_size=60))
        evolving.begin()
        found = [f for _ in range(8) for f in evolving.step().found]
        evolving.close()
    solvers = {each.program for each in found}
    assert sum(row.solved for row in evolving.rates.table()) == len(solvers) > 0


def test_the_engine_has_a_timeline_of_its_own(tasks: list[Task], tmp_path: Path) -> None:
    clock = Clock()
    with clock.active(), Pool.in_memory() as pool:
        evolving = evolution(tasks, pool, tmp_path, SMALL)
        evolving.begin()
        evolving.step()
        evolving.close()
    report = clock.report()
    assert [timeline.name for timeline in report.timelines] == ["main", "engine"]
    (beside,) = report.beside
    assert [each.name for each in beside.phases if each.n_entered] == ["run"]
    main = {each.name for each in report.main.phases if each.n_entered}
    assert main >= {"load", "deal", "fuse", "run", "score", "slice", "validate", "store"}


def test_no_program_is_dealt_twice_not_even_after_a_restart(
    tasks: list[Task], tmp_path: Path
) -> None:
    path = tmp_path / "pool.db"
    dealt: list[bytes] = []
    for seed in (5, 5):
        with Pool.open(path) as pool:
            options = EvolveOptions(seed=seed, card_size=40, device="cpu", n_threads=1)
            evolving = evolution(tasks, pool, tmp_path, options)
            evolving.begin()
            hand = evolving._deal_and_fuse()
            evolving._running = evolving._start(hand)
            evolving.step()
            dealt += [mutant.program.result.digest for mutant in hand.mutants]
            evolving.close()
    assert len(set(dealt)) == len(dealt)


def test_runs_repeat_from_their_seed(tasks: list[Task], tmp_path: Path) -> None:
    seen = []
    for _ in range(2):
        with Pool.in_memory() as pool:
            evolving = evolution(tasks, pool, tmp_path, SMALL)
            evolving.begin()
            generations = [evolving.step() for _ in range(3)]
            seen.append(
                (
                    [
                        (g.n_mutants, g.n_offers, [f.program.hash for f in g.found])
                        for g in generations
                    ],
                    [c.program.hash for n in evolving.archive.niches for c in n.nearly_right],
                )
            )
            evolving.close()
    assert seen[0] == seen[1]


def test_a_run_is_logged_and_can_be_gone_on_with(tasks: list[Task], tmp_path: Path) -> None:
    path = tmp_path / "pool.db"
    config = RunConfig("evolve", 1, SMALL.to_json())
    with Pool.open(path) as pool, RunFolder.create(tmp_path / "runs", config) as folder:
        evolving = evolution(tasks, pool, tmp_path, SMALL)
        first = EvolutionRun(evolving, folder)
        first.go_on(math.inf, max_generations=2)
        evolving.close()
    with Pool.open(path) as pool, RunFolder.open(folder.path) as again:
        evolving = evolution(tasks, pool, tmp_path, SMALL)
        second = EvolutionRun(evolving, again)
        second.go_on(math.inf, max_generations=2)
        evolving.close()
    log = read_log(folder.path / "log.jsonl")
    assert [g.generation for g in log] == list(range(1, len(log) + 1))
    assert len(log) == evolving.generation == 4
    assert second.n_pairs == sum(g.n_pairs for g in log) > first.n_pairs
    assert second.elapsed_s > first.elapsed_s
    assert all(0 < g.engine_s <= g.wall_s for g in log)
    assert evolving.archive.n_solved >= log[0].n_solved
    assert (folder.path / "progress.svg").exists()


def test_the_command_runs_and_resumes(tmp_path: Path) -> None:
    runner = CliRunner()
    common = ["evolve", "--budget", "1h", "--generations", "2"]
    chosen = ["--tasks", "74dd1130,68b16354", "--card-size", "30", "--device", "cpu"]
    places = ["--pool", str(tmp_path / "p.db"), "--out", str(tmp_path / "runs")]
    first = runner.invoke(app, [*common, *chosen, *places])
    assert first.exit_code == 0, first.output
    assert "tasks solved" in first.output
    (run_folder,) = (tmp_path / "runs").iterdir()
    config = json.loads((run_folder / "config.json").read_text())
    assert config["options"]["tasks"] == ["74dd1130,68b16354"]
    again = runner.invoke(app, [*common, "--resume", str(run_folder)])
    assert again.exit_code == 0, again.output
    assert len(read_log(run_folder / "log.jsonl")) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--budget", "soon"], "is no time"),
        (["--budget", "-3s"], "is no time"),
        (["--tasks", "nosuchtask"], "no task 'nosuchtask'"),
        (["--device", "gpu"], "gpu is no device"),
        (["--data", "nosuchset"], "nosuchset"),
        (["--resume", "nosuchrun"], "nosuchrun"),
    ],
)
def test_bad_usage_is_said_and_makes_no_folder(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    result = CliRunner().invoke(app, ["evolve", "--out", str(tmp_path / "runs"), *arguments])
    assert result.exit_code == 2
    assert message in result.output
    assert not (tmp_path / "runs").exists()
