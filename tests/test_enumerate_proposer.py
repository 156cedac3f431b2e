"""The stages on real tasks: what only one of them solves, and how enumeration is switched."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

from arcbatt.language import Program, all_primitives, parse_program, run
from arcbatt.language.ir import call_node, input_node
from arcbatt.pool import Pool
from arcbatt.scoring import is_right, load_answers
from arcbatt.search.enumerating import MODES, EnumerateOptions, enumerate_view
from arcbatt.search.evolving import EvolveOptions
from arcbatt.solving import (
    STAGE_NAMES,
    Desk,
    Solver,
    StageOptions,
    Watcher,
    make_stages,
    make_submission,
    rank_task,
)
from arcbatt.solving.enumerate_stage import (
    BITS_A_KNOWN,
    PASSES,
    EnumerateStage,
    Pass,
    bits_of,
)
from arcbatt.solving.evolve_stage import MAX_PARENTS, EvolveStage
from arcbatt.solving.known_values import MAX_KNOWN, KnownValues, solvers_of
from arcbatt.solving.seeds import fill_pool
from arcbatt.solving.switches import (
    PARTS,
    check_switches,
    enumerate_options,
    pass_names,
    primitive_names,
)
from arcbatt.solving.views import NoView, plain
from arcbatt.tasks import Pair, Task

from .solving_parts import Told, candidate_for, huge_task, task_named, training

SET = "arc-agi-1/training"
# Tasks that one stage solves, and all others together do not.
ONLY = {
    "pool": ("46442a0e", "2dee498d"),
    "learn": ("44d8ac46",),
    "enumerate": ("e9afcf9a", "d037b0a7", "0520fde7"),
    "evolve": ("f8ff0b80",),
}
FOREVER_S = 1e6


def solved_by(
    stages: Sequence[str],
    tasks: Sequence[Task],
    differences: Path,
    *,
    max_rounds: int = 4,
    library: bool = True,
    off: Collection[str] = (),
    n_threads: int = 1,
) -> Solver:
    with Pool.in_memory() as pool:
        fill_pool(pool, library=library)
        options = StageOptions(
            pool, differences, device="cpu", n_threads=n_threads, off=frozenset(off)
        )
        solver = Solver(tasks, make_stages(stages, options))
        solver.run(FOREVER_S, max_rounds)
    return solver


def right(solver: Solver) -> set[str]:
    """The tasks with all test inputs right within two attempts."""
    answers = load_answers(SET)
    return {
        task.id
        for task in solver.tasks
        if all(
            any(is_right(answers, task.id, k, attempt.grid) for attempt in test.attempts)
            for k, test in enumerate(rank_task(solver.candidates(task)).tests)
        )
    }


# --- what only one stage solves ---


def test_every_stage_has_tasks_of_its_own() -> None:
    assert set(ONLY) == set(STAGE_NAMES)


@pytest.mark.parametrize("stage", ONLY)
def test_a_stage_solves_what_the_others_do_not(stage: str, tmp_path: Path) -> None:
    tasks = training(*ONLY[stage])
    n_rounds = 40 if stage == "evolve" else 4
    assert right(solved_by([stage], tasks, tmp_path, max_rounds=n_rounds)) == set(ONLY[stage])
    others = [name for name in STAGE_NAMES if name != stage]
    # Evolution begins with the library too: without the pool stage nobody knows it.
    library = stage != "pool"
    assert right(solved_by(others, tasks, tmp_path, library=library)) == set()


# --- enumeration as a stage ---


def outcome(solver: Solver) -> Any:
    kept = [
        [(each.candidate.program, each.candidate.outputs) for each in solver.candidates(task).kept]
        for task in solver.tasks
    ]
    counts = {
        name: {key: n for key, n in part.items() if not key.endswith("_s")}
        for name, part in solver.parts().get("enumerate", {}).items()
    }
    return make_submission(solver.rank()), kept, counts


def test_it_repeats_with_any_number_of_threads(tmp_path: Path) -> None:
    tasks = training("e9afcf9a", "d037b0a7", "a85d4709", "25ff71a9")
    first, *others = (
        outcome(solved_by(["enumerate"], tasks, tmp_path, n_threads=n)) for n in (1, 1, 2)
    )
    assert all(other == first for other in others)


def test_programs_that_are_said_to_fit_do_by_the_reference(tmp_path: Path) -> None:
    tasks = training("e9afcf9a", "d037b0a7", "0520fde7", "9af7a82c")
    solver = solved_by(["enumerate"], tasks, tmp_path)
    n_checked = 0
    for task in tasks:
        pairs = tuple((demo.input, demo.output) for demo in task.demos)
        for each in solver.candidates(task).kept[:6]:
            program = each.candidate.program
            assert program is not None
            given = [run(program, {"I": i, "S": pairs}).outcome for i in task.test_inputs]
            assert all(a in (b, None) for a, b in zip(each.candidate.outputs, given, strict=True))
            n_right = sum(
                run(program, {"I": demo.input, "S": pairs}).outcome == demo.output
                for demo in task.demos
            )
            assert n_right == each.candidate.n_fitted
            n_checked += 1
    assert n_checked >= 8


def test_it_ends_by_rounds_and_goes_on_where_it_was() -> None:
    tasks = training("a85d4709", "25ff71a9")

    def stage() -> EnumerateStage:
        return EnumerateStage(n_threads=1, passes=PASSES[:3])

    whole = Solver(tasks, [stage()])
    whole.run(FOREVER_S)
    first = Solver(tasks, [stage()])
    first.run(FOREVER_S, 1)
    assert first.counts["enumerate"].n_rounds == 1
    second = Solver(tasks, [stage()])
    second.restore(first.state())
    second.run(FOREVER_S)
    assert outcome(second) == outcome(whole)
    n_offered = second.counts["enumerate"].n_offered
    second.run(FOREVER_S)  # nothing is left to try
    assert second.counts["enumerate"].n_offered == n_offered


def test_an_interrupt_ends_it_and_what_was_found_is_kept() -> None:
    tasks = [*training("25ff71a9"), huge_task()]

    class Impatient(Watcher):
        def went_on(self, solver: Solver) -> None:
            raise KeyboardInterrupt

    passes = [Pass("deep", plain, 3)]
    solver = Solver(tasks, [EnumerateStage(n_threads=2, passes=passes)], watcher=Impatient())
    with pytest.raises(KeyboardInterrupt):
        solver.run(FOREVER_S)
    assert solver.n_fitted >= 1


def test_a_task_without_the_view_is_passed_over() -> None:
    def none_of(_task: Task) -> Any:
        raise NoView("nothing to see")

    stage = EnumerateStage(n_threads=1, passes=[Pass("none", none_of, 2)])
    solver = Solver([task_named("one")], [stage])
    solver.run(FOREVER_S)
    assert solver.n_fitted == 0 and stage.counts["none"].n_tasks == 0


def test_tasks_that_enough_programs_agree_on_are_not_searched_again() -> None:
    (task,) = training("67a3c6ac")
    stage = EnumerateStage(n_threads=1, n_agreeing=1)
    Solver([task], [stage]).run(FOREVER_S)
    assert [count.n_tasks for count in stage.counts.values()][:2] == [1, 0]


def test_tracing_tells_what_was_tried() -> None:
    told: list[str] = []

    class Listener(Watcher):
        def traced(self, task: Task, stage: str, message: str) -> None:
            told.append(message)

    (task,) = training("25ff71a9")
    stage = EnumerateStage(n_threads=1, passes=PASSES[:2])
    Solver([task], [stage], watcher=Listener(), traced=[task.id]).run(FOREVER_S)
    text = "\n".join(told)
    for words in (
        "steps applied",
        "by depth",
        "merged",
        "refused",
        "pieces",
        "size fits",
        "right:",
    ):
        assert words in text


# --- known programs ---


def turned() -> Program:
    return parse_program("def solve(I):\n    O = rot90(vmirror(I))\n    return O\n")


def test_what_known_programs_give_is_distinct_near_first_and_no_solution() -> None:
    task = task_named("one")  # solved by vmirror
    names = ("identity", "vmirror", "hmirror", "rot90", "rot180", "dmirror", "lefthalf")
    grid = input_node("I")
    programs = [Program(call_node(name, grid), name) for name in names]
    programs.append(Program(call_node("hmirror", call_node("vmirror", grid)), "as rot180"))
    programs.append(Program(call_node("height", grid), "no grid"))
    seeds = KnownValues(lambda: programs).seeds(task)
    assert len({tuple(seed.grids) for seed in seeds}) == len(seeds)
    found = {seed.node.name for seed in seeds}
    assert found == {"hmirror", "rot90", "rot180", "dmirror", "lefthalf"}
    # Of those with the size of the output, the fewest wrong cells first; other sizes last.
    assert seeds[-1].node.name == "lefthalf"
    assert all(len(seed.grids) == 4 for seed in seeds)
    assert KnownValues(list).seeds(task) == []
    with Pool.in_memory() as pool:
        fill_pool(pool, library=True)
        many = KnownValues(lambda: list(solvers_of(pool))).seeds(training("a85d4709")[0])
    assert len(many) == MAX_KNOWN


def test_half_of_a_program_can_be_known(tmp_path: Path) -> None:
    """A task that takes a known program and then a step, without the steps that make it."""
    pairs = [((1, 2, 0), (3, 0, 5)), ((0, 4, 4), (6, 7, 0)), ((2, 0, 0), (8, 1, 3))]
    program = turned()

    def wanted(grid: Any) -> Any:
        value = run(program, {"I": grid, "S": ()}).outcome
        return tuple(tuple(9 if cell else 0 for cell in row) for row in value)

    task = Task("half", tuple(Pair(p, wanted(p)) for p in pairs), (((5, 0, 1), (0, 2, 0)),), "t")
    options = EnumerateOptions(off=frozenset({"turn", "mirror_fill", "tile_mirrored"}))
    results = {}
    for known in (True, False):
        stage = EnumerateStage(
            n_threads=1,
            options=options,
            passes=[Pass("plain", plain, 2)],
            known=(lambda: [program]) if known else None,
        )
        solver = Solver([task], [stage])
        solver.run(FOREVER_S)
        results[known] = solver.rank()[0].tests[0].attempts[0].grid
        assert stage.counts["plain"].n_seeds == known
    assert results[True] == wanted(task.test_inputs[0]) != results[False]


def test_what_is_known_counts_in_bits() -> None:
    (task,) = training("25ff71a9")
    view = plain(task)
    found = enumerate_view(view, EnumerateOptions(max_stacks=1))
    stack = found.stacks[0]
    n_known = len(stack.picks)
    assert bits_of(stack, -3) == bits_of(stack, len(task.demos)) + n_known * BITS_A_KNOWN


# --- switches ---


def test_names_of_switches_are_clear() -> None:
    names = [*PARTS, *pass_names(), *primitive_names()]
    assert len(set(names)) == len(names)
    assert not any("," in name or " " in name for name in names)
    assert set(primitive_names()) <= set(all_primitives())
    assert check_switches(["smear", "known"]) == {"smear", "known"}
    with pytest.raises(ValueError, match="named smaer; did you mean smear") as error:
        check_switches(["smaer"])
    for name in names:
        assert name in str(error.value)
    with pytest.raises(ValueError, match="nothing paints"):
        check_switches([f"paint-{mode}" for mode in MODES])


def test_switches_become_options() -> None:
    options = enumerate_options(frozenset(), 2**20)
    assert options == EnumerateOptions(max_bytes=2**20)
    off = enumerate_options(
        frozenset({"outputs", "sizes", "stacking", "subsets", "paint-holes", "smear"}), 2**20
    )
    assert not off.output_seeds and not off.subsets
    assert (off.size_depth, off.max_pieces, off.modes) == (0, 1, 0b101)
    assert off.off == {"smear"}


@pytest.mark.parametrize("name", [*PARTS, *pass_names(), "smear", "learn_cells"])
def test_everything_can_be_off(name: str, tmp_path: Path) -> None:
    tasks = training("a85d4709")
    solver = solved_by(STAGE_NAMES, tasks, tmp_path, off=[name], max_rounds=2, library=False)
    parts = solver.parts()
    assert any(part["n_applications"] for part in parts["enumerate"].values())
    by_switch = {each.name: each.switch for each in PASSES}
    assert name not in {by_switch[part] for part in parts["enumerate"]}
    if name == "known":
        assert all(part["n_seeds"] == 0 for part in parts["enumerate"].values())
    assert ("parents" in parts.get("evolve", {})) == (name != "parents")


# --- evolution from what others found ---


def evolved(task: Task, do: Callable[[Sequence[Task], Desk], None], **changes: Any) -> Any:
    with Pool.in_memory() as pool:
        fill_pool(pool, library=False)
        options = EvolveOptions(card_size=40, device="cpu", n_threads=1)
        stage = EvolveStage(pool, options, Path("differences"), **changes)
        solver = Solver([task], [Told(do), stage])
        solver.run(FOREVER_S, 2)
        origins = {row.origin for row in pool.programs()}
    return solver.parts().get("evolve"), origins


def test_what_others_nearly_solved_is_evolved_from() -> None:
    (task,) = training("a85d4709")
    near = parse_program("def solve(I):\n    O = replace(vmirror(I), 0, 5)\n    return O\n")
    large = "".join(f"    x{k + 1} = hmirror(x{k})\n" for k in range(60))
    too_large = parse_program(f"def solve(I):\n    x0 = vmirror(I)\n{large}    return x60\n")

    def offer(tasks: Sequence[Task], desk: Desk) -> None:
        for number, program in enumerate([near, near, too_large, None]):
            outputs = (((number,),),) * len(task.test_inputs)
            candidate = candidate_for(
                task, program=program, outputs=outputs, n_fitted=0, credit=10, family=str(number)
            )
            desk.offer(candidate)
        # Near is known by now, and the same program counts once.
        assert len(desk.known(task)) == 3

    counts, origins = evolved(task, offer)
    assert counts["parents"] == {"n_parents_offered": 2, "n_parents_kept": 1}
    assert "told" in origins
    counts, origins = evolved(task, offer, with_parents=False)
    assert counts is None and "told" not in origins


def test_a_few_parents_of_each_task_are_taken() -> None:
    task = task_named("one")

    def offer(tasks: Sequence[Task], desk: Desk) -> None:
        for number in range(30):
            text = f"def solve(I):\n    O = replace(hmirror(I), 1, {number})\n    return O\n"
            outputs = (((number % 10, number // 10),),) * 2
            desk.offer(candidate_for(task, text, outputs=outputs, n_fitted=1, credit=500))

    counts, _ = evolved(task, offer)
    assert counts["parents"]["n_parents_offered"] == MAX_PARENTS
