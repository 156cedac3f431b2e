"""Evolution on a few tasks: its results are right, stored, reproducible and resumable."""

from __future__ import annotations

import gc
import json
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from typer.testing import CliRunner

from arcbatt.cli.app import app
from arcbatt.engine.batt import Batt
from arcbatt.engine.gpu.devices import GpuError
from arcbatt.engine.task_run import TaskResult
from arcbatt.evaluation import TaskBoard
from arcbatt.language import interpret, parse_program
from arcbatt.language.registry import primitive, withdraw_user_primitive
from arcbatt.library import library_programs
from arcbatt.measure import Clock
from arcbatt.pool import Pool, PoolProgram, task_key
from arcbatt.proposers.evolve import (
    DEFAULT_CARD_SIZE,
    EvolveOptions,
    choose_card_size,
    dealer,
    evolution,
    seen_programs,
)
from arcbatt.proposers.evolve.archive import Archive
from arcbatt.proposers.evolve.dealer import DEALING, Dealer
from arcbatt.proposers.evolve.evolution import ENGINE, GPU_CARD_SIZE, N_BEGUN, Evolution
from arcbatt.proposers.evolve.portions import DealtCard, Order
from arcbatt.solving.run_folder import read_log
from arcbatt.tasks import Task, load
from tests.conftest import best_of

SMALL = EvolveOptions(seed=1, card_size=40)
# A card of several portions.
PORTIONS = EvolveOptions(seed=1, card_size=180)
# The programs for these tasks are left out, so that mutants have to fit them.
LEFT = {"solve_9dfd6313", "solve_68b16354", "solve_6150a2bd", "solve_4c4377d9", "solve_28bf18c6"}
FEW = [
    each.program
    for each in library_programs()
    if Path(each.file).stem in {"symmetry", "tiling", "cropping"} and each.name not in LEFT
]


@pytest.fixture(scope="module")
def board() -> TaskBoard:
    # The library fits some of these, and its mutants fit more.
    names = {"74dd1130", "9dfd6313", "68b16354", "67a3c6ac", "3c9b0459", "6150a2bd", "4c4377d9"}
    training = load("arc-agi-1/training")
    chosen = [task for k, task in enumerate(training) if task.id in names or k % 40 == 0]
    return TaskBoard(chosen, device="cpu", n_threads=1)


@contextmanager
def begun(
    board: TaskBoard,
    folder: Path,
    options: EvolveOptions = SMALL,
    pool: Pool | None = None,
    n_processes: int | None = None,
) -> Iterator[Evolution]:
    """Yield an evolution that has begun with a pool's programs, by default a small library."""
    with Pool.in_memory() if pool is None else pool as opened:
        if not opened.n_programs:
            opened.add_programs([PoolProgram.of(program, "library") for program in FEW])
        evolving = Evolution(board, opened, options, n_processes=n_processes)
        try:
            evolving.begin(list(opened.solvers()))
            evolving.wait_for_processes()
            yield evolving
        finally:
            evolving.close()


def test_mutants_do_the_same_fused_and_alone(board: TaskBoard, tmp_path: Path) -> None:
    with begun(board, tmp_path) as evolving:
        for _ in range(3):
            dealt = evolving._deal()
            fused = board.screen(dealt.batt, held_out=True)
            for k, program in enumerate(dealt.batt.programs):
                alone = board.screen(Batt([program]), held_out=True)
                for name in ("reasons", "n_matches", "hashes", "steps"):
                    assert (getattr(fused, name)[k] == getattr(alone, name)[0]).all()


@pytest.mark.parametrize("use_differs", [True, False])
def test_new_fits_are_right_and_in_the_pool(
    board: TaskBoard, tmp_path: Path, use_differs: bool
) -> None:
    options = EvolveOptions(seed=2, card_size=60, use_differs=use_differs)
    with begun(board, tmp_path, options) as evolving:
        at_start = evolving.archive.n_fitted
        cards = [evolving.step() for _ in range(12)]
        found = [each for card in cards for each in card.new_fits]
        assert bool(found) or not use_differs
        assert evolving.archive.n_fitted == at_start + len(found)
        for each in found:
            pairs = tuple((demo.input, demo.output) for demo in each.task.demos)
            for demo in each.task.demos:
                outcome = interpret(each.program, {"I": demo.input, "S": pairs}).outcome
                assert outcome == demo.output
            best = best_of(evolving.pool, task_key(each.task), 1)[0]
            assert best.fits
            assert parse_program(best.text).result.digest == best.program
        verdicts = Counter[str]()
        for card in cards:
            verdicts.update(card.verdicts)
        assert verdicts["fits"] == len(found)
        nearly = [entry for niche in evolving.archive.niches for entry in niche.nearly_right]
        assert bool(nearly) or not use_differs


@pytest.mark.parametrize("n_times", [2, 4, 100])
def test_programs_at_the_start_are_run_while_time_remains(
    board: TaskBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_times: int
) -> None:
    monkeypatch.setattr(evolution, "SCREENING_BATCH", 10)
    looks = count()
    options = EvolveOptions(use_differs=False)
    with Pool.in_memory() as pool:
        pool.add_programs([PoolProgram.of(program, "library") for program in FEW])
        evolving = Evolution(board, pool, options, n_processes=0)
        try:
            evolving.begin(FEW, is_spent=lambda: next(looks) >= n_times)
        finally:
            evolving.close()
        in_time = FEW[: 10 * (n_times + 1)]
        result = board.screen(Batt(in_time), held_out=True)
        fitted = {task.id for t, task in enumerate(board.tasks) if result.solved[:, t].any()}
        kept = {row.task_name for row in pool.parents() if row.fits}
        assert kept == fitted


def test_a_solver_must_also_fit_when_it_sees_all_demos(
    board: TaskBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Evolution, "_fits_with_all_demos", lambda *_: False)
    with begun(board, tmp_path) as evolving:
        cards = [evolving.step() for _ in range(2)]
        assert evolving.archive.n_fitted == 0
        assert not any(card.new_fits for card in cards)
        # Nearly right programs stay, and no kind of mutation is credited with a fit.
        assert any(niche.nearly_right for niche in evolving.archive.niches)
        assert not any(row["fitted"] for row in evolving.mutations.to_json().values())


def test_programs_that_read_demos_are_run_with_all_of_them(
    board: TaskBoard, tmp_path: Path
) -> None:
    with begun(board, tmp_path) as evolving:

        def fits(body: str) -> bool:
            program = parse_program(f"def made(S, I):\n    return {body}\n")
            return evolving._fits_with_all_demos(program, 0)

        assert not fits("second(first(S))")  # right on the first demo alone
        assert fits("second(extract(S, compose(rbind(equality, I), first)))")
        assert fits("I")  # sees no demos: held out or not is the same


def test_counts_of_mutations_have_fitted_tasks(board: TaskBoard, tmp_path: Path) -> None:
    with begun(board, tmp_path, EvolveOptions(seed=2, card_size=60)) as evolving:
        found = [each for _ in range(8) for each in evolving.step().new_fits]
    solvers = {each.program for each in found}
    assert sum(row["fitted"] for row in evolving.mutations.to_json().values()) == len(solvers) > 0


def test_the_engine_has_its_own_timelines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = TaskBoard(load("arc-agi-1/training")[::40], device="cpu", n_threads=1)
    screen, numbers, started = TaskBoard.screen, count(), Barrier(len(ENGINE), timeout=60)

    def wait_and_screen(self: TaskBoard, *args: Any, **named: Any) -> TaskResult:
        # One card per timeline runs at the same time.
        if named.get("skip_expensive") and next(numbers) < len(ENGINE):
            started.wait()
        return screen(self, *args, **named)

    monkeypatch.setattr(TaskBoard, "screen", wait_and_screen)
    clock = Clock()
    with clock.active(), begun(fresh, tmp_path) as evolving:
        evolving.step()
    report = clock.report()
    assert {line.name for line in report.others} == set(ENGINE)
    for line in report.others:
        assert {each.name for each in line.phases if each.n_entered} == {"fuse", "run"}
    main = {each.name for each in report.main.phases if each.n_entered}
    assert main >= {"load", "deal", "fuse", "run", "score", "store"}


def test_garbage_collection_resumes_after_a_card(
    board: TaskBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with begun(board, tmp_path) as evolving:
        seen = []
        deal = evolving._deal

        def watched() -> DealtCard:
            seen.append(gc.isenabled())
            if len(seen) > N_BEGUN + 3:  # the first step begins one more, each other one
                raise KeyboardInterrupt
            return deal()

        monkeypatch.setattr(evolving, "_deal", watched)
        evolving.step()
        assert gc.isenabled()
        gc.disable()
        try:
            evolving.step()
            assert not gc.isenabled()
        finally:
            gc.enable()
        evolving.step()
        with pytest.raises(KeyboardInterrupt):
            evolving.step()
        assert gc.isenabled() and not any(seen)


def test_the_last_cards_are_returned_and_none_is_begun(board: TaskBoard, tmp_path: Path) -> None:
    with begun(board, tmp_path) as evolving:
        begun_cards: list[DealtCard] = []
        start = evolving._start

        def noting(dealt: DealtCard) -> Any:
            begun_cards.append(dealt)
            return start(dealt)

        evolving._start = noting  # type: ignore[method-assign]
        cards = [evolving.step()]
        assert len(begun_cards) == N_BEGUN + 1
        cards += [evolving.step(is_last=True) for _ in range(N_BEGUN)]
        assert len(begun_cards) == N_BEGUN + 1 and not evolving._running
        assert [card.number for card in cards] == [dealt.card.generation for dealt in begun_cards]
        assert [card.n_mutants for card in cards] == [len(dealt) for dealt in begun_cards]
        # Another last card runs alone; then evolution can continue as before.
        assert evolving.step(is_last=True).number == N_BEGUN + 2 and not evolving._running
        assert evolving.step().number == N_BEGUN + 3 and len(evolving._running) == N_BEGUN


def test_threads_end_and_programs_are_marked_if_a_process_does_not_end(
    board: TaskBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_self: Dealer) -> None:
        raise TimeoutError("a killed process has not ended")

    with begun(board, tmp_path) as evolving:
        evolving.step()
        assert evolving._unmarked
        with monkeypatch.context() as patched:
            patched.setattr(Dealer, "close", fail)
            with pytest.raises(TimeoutError, match="has not ended"):
                evolving.close()
        assert not evolving._unmarked
        assert not any(each.is_alive() for each in evolving._engine._threads)


def test_no_program_is_dealt_twice_even_after_a_restart(board: TaskBoard, tmp_path: Path) -> None:
    dealt: list[bytes] = []
    for _ in range(2):
        pool = Pool.open(tmp_path / "pool.db")
        with begun(board, tmp_path, replace(SMALL, seed=5), pool) as evolving:
            card = evolving._deal()
            evolving._running.append(evolving._start(card))
            evolving.step()
            dealt += card.digests
    assert len(set(dealt)) == len(dealt)


def summary(evolving: Evolution, n_cards: int) -> object:
    cards = [evolving.step() for _ in range(n_cards)]
    return (
        [(c.number, c.n_mutants, c.verdicts, [f.program.hash for f in c.new_fits]) for c in cards],
        [e.program.hash for niche in evolving.archive.niches for e in niche.nearly_right],
    )


def test_a_seed_determines_a_run(board: TaskBoard, tmp_path: Path) -> None:
    seen = []
    for seed in (1, 1, 2):
        with begun(board, tmp_path, replace(SMALL, seed=seed)) as evolving:
            seen.append(summary(evolving, 3))
    assert seen[0] == seen[1] != seen[2]


@pytest.fixture(scope="module")
def without_processes(board: TaskBoard, tmp_path_factory: pytest.TempPathFactory) -> object:
    with begun(board, tmp_path_factory.mktemp("alone"), PORTIONS, n_processes=0) as evolving:
        assert evolving.n_dealing == 0
        return summary(evolving, 4)


@pytest.mark.slow
@pytest.mark.parametrize("n_processes", [1, 3])
def test_runs_do_not_depend_on_the_number_of_processes(
    board: TaskBoard, tmp_path: Path, without_processes: object, n_processes: int
) -> None:
    clock = Clock()
    with clock.active(), begun(board, tmp_path, PORTIONS, n_processes=n_processes) as evolving:
        assert evolving.n_dealing == n_processes
        assert summary(evolving, 4) == without_processes
        # The mutants in the pool were dealt by other processes.
        mutants = [row for row in evolving.pool.programs() if row.card is not None]
        assert mutants and all(row.parents for row in mutants)
    (dealing,) = [line for line in clock.report().others if line.name == DEALING]
    assert dealing.wall_s > 0


def test_runs_do_not_depend_on_killed_processes(
    board: TaskBoard, tmp_path: Path, without_processes: object
) -> None:
    with begun(board, tmp_path, PORTIONS, n_processes=2) as evolving:
        helpers = evolving._dealer._helpers
        first = dict(helpers)
        real = evolving._order_card

        def order_and_kill() -> Order:
            """Kill a process while it deals."""
            ordered = real()
            for helper in [each for each in helpers.values() if each.is_ready][:1]:
                helper.process.kill()
                helper.process.wait()
            return ordered

        evolving._order_card = order_and_kill  # type: ignore[method-assign]
        assert summary(evolving, 4) == without_processes
        # Each order starts as many processes as are missing.
        assert first.keys() - helpers.keys() and helpers.keys() - first.keys()


def test_processes_end_with_their_dealer(tmp_path: Path) -> None:
    dealing = Dealer(1)
    dealing.wait()
    (helper,) = dealing._helpers.values()
    del dealing
    helper.process.wait()  # which fails if it goes on
    assert helper.process._process.returncode == -signal.SIGKILL


def test_this_process_deals_if_no_other_can_be_started(
    board: TaskBoard, tmp_path: Path, without_processes: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: Any, **_named: Any) -> None:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr("subprocess.Popen", refuse)
    with (
        pytest.warns(RuntimeWarning, match="no more processes"),
        begun(board, tmp_path, PORTIONS, n_processes=2) as evolving,
    ):
        assert evolving.n_dealing == 0
        assert summary(evolving, 4) == without_processes


def test_processes_are_started_after_some_time(
    board: TaskBoard, tmp_path: Path, without_processes: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Evolution, "wait_for_processes", lambda _evolution: None)
    with begun(board, tmp_path, PORTIONS, n_processes=1) as evolving:
        evolving.step()
        assert not evolving._dealer._helpers
    monkeypatch.setattr(dealer, "ALONE_S", 1e-6)
    with begun(board, tmp_path, PORTIONS, n_processes=1) as evolving:
        assert summary(evolving, 4) == without_processes
        assert evolving._dealer._helpers


def test_user_primitives_are_dealt_by_this_process(board: TaskBoard, tmp_path: Path) -> None:
    @primitive("Grid -> Grid")
    def upside_down_here(grid: Any) -> Any:
        """Gives the rows in reverse order."""
        return grid[::-1]

    try:
        with begun(board, tmp_path, n_processes=2) as evolving:
            assert evolving.n_dealing == 0
            assert evolving.step(is_last=True).n_mutants
    finally:
        withdraw_user_primitive("upside_down_here")


def test_evolution_resumes_from_plain_data_and_the_pool(board: TaskBoard, tmp_path: Path) -> None:
    path = tmp_path / "pool.db"
    with begun(board, tmp_path, pool=Pool.open(path)) as evolving:
        for _ in range(2):
            evolving.step()
        state = json.loads(json.dumps(evolving.to_json()))
        n_fitted, mutations = evolving.archive.n_fitted, evolving.mutations.to_json()
        following = evolving.rng.getrandbits(63)
    with Pool.open(path) as pool:
        again = Evolution(board, pool, SMALL)
        again.resume_from(state)
        assert (again.n_cards, again.mutations.to_json()) == (2, mutations)
        assert again.rng.getrandbits(63) == following
        again.begin(list(pool.solvers()))
        assert again.archive.n_fitted == n_fitted
        assert [again.step().number for _ in range(2)] == [3, 4]
        again.close()


def test_nearest_programs_are_credited_by_all_demos(tmp_path: Path) -> None:
    flip = parse_program("def flip(I):\n    return vmirror(I)\n")
    first = ((1, 0, 0), (2, 0, 0), (3, 5, 0))
    others = [((k, 2, 3), (0, 0, 5), (0, 0, k)) for k in (4, 6, 7)]
    upside_down = [(grid, tuple(reversed(grid))) for grid in others]
    task = Task.of([(first, tuple(row[::-1] for row in first)), *upside_down], [first])
    with Pool.in_memory() as pool:
        pool.add_programs([PoolProgram.of(flip, "library")])
        board = TaskBoard([task], device="cpu")
        evolving = Evolution(board, pool, SMALL)
        evolving.begin([flip])
        result = board.screen(Batt([flip]), held_out=True)
        assert result.n_matches.tolist() == [[1]]
        scorer = evolving.scorer
        ((_, credit),) = scorer.credits([flip], [(0, 0)], result, Archive(1))
        # By the first demo alone it would be nearly right, and be kept twice.
        assert [entry.credit for entry in evolving.archive.niches[0].nearly_right] == [credit]
        assert credit.score < 900 < scorer._nearness([flip])[0, 0]
        evolving.close()


def test_a_resumed_run_keeps_nearly_right_programs(board: TaskBoard, tmp_path: Path) -> None:
    path = tmp_path / "pool.db"
    with begun(board, tmp_path, pool=Pool.open(path)) as evolving:
        for _ in range(4):
            evolving.step()
        state = json.loads(json.dumps(evolving.to_json()))
        kept = [{entry.program for entry in n.nearly_right} for n in evolving.archive.niches]
    with Pool.open(path) as pool:
        again = Evolution(board, pool, SMALL)
        again.resume_from(state)
        digests = list(pool.digests())
        assert len(digests) > len(FEW)
        assert not again._seen.find_new(digests)
        again.begin(FEW[:5])
        again.take_from_pool()
        n_again = 0
        for niche, before in zip(again.archive.niches, kept, strict=True):
            n_again += len(before & {entry.program for entry in niche.nearly_right})
        # Of two with the same behavior, either may be kept.
        assert n_again > 0.8 * sum(map(len, kept)) > 20
        again.close()


# --- seen programs ---


def test_nothing_is_dealt_twice_with_a_small_filter(
    board: TaskBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # More than the cards that are not stored yet, and far fewer than all.
    monkeypatch.setattr(seen_programs, "MAX_ADDED", 250)
    monkeypatch.setattr(evolution, "MARKING_BATCH", 30)
    dealt: list[bytes] = []
    real = Evolution._deal

    def noting(self: Evolution) -> DealtCard:
        card = real(self)
        dealt.extend(card.digests)
        return card

    monkeypatch.setattr(Evolution, "_deal", noting)
    with begun(board, tmp_path) as evolving:
        for _ in range(15):
            evolving.step()
        assert evolving._seen.filter.has_forgotten
    assert len(set(dealt)) == len(dealt) > 300


def test_programs_of_other_proposers_are_scored_kept_and_not_dealt(
    board: TaskBoard, tmp_path: Path
) -> None:
    solver = parse_program("def found(I):\n    return vmirror(I)\n")
    useless = parse_program("def found(I):\n    return first(difference(I, I))\n")
    task = next(t for t, task in enumerate(board.tasks) if task.id == "67a3c6ac")
    with Pool.in_memory() as pool:
        pool.add_programs([PoolProgram.of(parse_program("def f(I):\n    return I\n"), "import")])
        evolving = Evolution(board, pool, SMALL)
        evolving.begin(list(pool.solvers()))
        assert evolving.take([(task, solver, "enumerate"), (task, useless, "learn")]) == 1
        kept = evolving.archive.niches[task].solver
        assert kept is not None and kept.program == solver
        (best,) = best_of(pool, task_key(board.tasks[task]), 1)
        assert best.program == solver.result.digest and best.fits
        row = pool.get(solver.result.digest)
        assert row is not None and row.origin == "enumerate"
        both = {solver.result.digest, useless.result.digest}
        assert all(each in evolving._seen for each in both)
        evolving.close()
        assert pool.seen(both) == both  # a later run knows them, too
        assert evolving.take([]) == 0
        evolving.close()


# --- the command ---


def test_rows_held_back_by_a_full_disk_are_written_later(board: TaskBoard, tmp_path: Path) -> None:
    def grow(is_full: bool) -> set[bytes]:
        with begun(board, tmp_path) as evolving:
            room = evolving.pool.store.connection
            if is_full:
                room.execute("PRAGMA max_page_count = 1")  # no larger than it is
            for _ in range(4):
                evolving.step()
            n_kept = evolving.pool.n_programs
            room.execute(f"PRAGMA max_page_count = {2**30}")
            evolving.step()
            assert evolving.pool.n_programs > n_kept
            return set(evolving.pool.digests())

    assert grow(is_full=True) == grow(is_full=False)


def test_the_command_runs_and_resumes(tmp_path: Path) -> None:
    runner = CliRunner()
    common = ["evolve", "--budget", "1h", "--rounds", "2"]
    chosen = ["--tasks", "74dd1130,68b16354", "--card-size", "30", "--device", "cpu"]
    first = runner.invoke(app, [*common, *chosen, "--out", str(tmp_path / "runs")])
    assert first.exit_code == 0, first.output
    assert "of 2 tasks" in first.output
    (run_folder,) = (tmp_path / "runs").iterdir()
    config = json.loads((run_folder / "config.json").read_text())
    assert config["options"]["tasks"] == ["74dd1130,68b16354"]
    again = runner.invoke(app, [*common, "--resume", str(run_folder)])
    assert again.exit_code == 0, again.output
    # It continues with all of its tasks, also those that are fitted by now.
    records = [each.details for each in read_log(run_folder / "log.jsonl")]
    assert [each["card"] for each in records if "card" in each] == [1, 2, 3, 4]


def test_cards_are_larger_with_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_none() -> int:
        raise GpuError("none")

    monkeypatch.setattr(evolution, "device_count", find_none)
    assert choose_card_size("auto") == choose_card_size("cpu") == DEFAULT_CARD_SIZE
    monkeypatch.setattr(evolution, "device_count", lambda: 1)
    assert choose_card_size("auto") == choose_card_size("cuda:0") == GPU_CARD_SIZE
    assert choose_card_size("cpu") == DEFAULT_CARD_SIZE


def test_the_chosen_card_size_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evolution, "DEFAULT_CARD_SIZE", 30)
    asked = ["--tasks", "74dd1130", "--device", "cpu", "--rounds", "1", "--budget", "1h"]
    done = CliRunner().invoke(app, ["evolve", *asked, "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    (config,) = tmp_path.glob("*/config.json")
    assert json.loads(config.read_text())["options"]["evolve"]["card_size"] == 30


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--budget", "soon"], "is not a duration"),
        (["--budget", "-3s"], "is not a duration"),
        (["--tasks", "nosuchtask"], "no task 'nosuchtask'"),
        (["--device", "gpu"], "'gpu' is not a device"),
        (["nosuchset"], "nosuchset"),
        (["--resume", "nosuchrun"], "nosuchrun"),
    ],
)
def test_bad_usage_is_reported_without_a_folder(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["evolve", *arguments])
    assert result.exit_code == 2
    assert message in result.output
    assert not list(tmp_path.iterdir())
