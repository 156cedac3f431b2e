"""The proposers on real tasks, and enumeration: passes, threads, known values, switches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from arcbatt.engine.batt import Batt
from arcbatt.evaluation import TaskBoard
from arcbatt.language import Program, all_primitives, interpret, parse_program
from arcbatt.language.ir import call_node, input_node
from arcbatt.measure import Clock
from arcbatt.pool import Pool, PoolProgram
from arcbatt.proposers import PROPOSER_NAMES, Context, Offer, ProposerOptions, make_proposers
from arcbatt.proposers import proposer as proposer_module
from arcbatt.proposers.enumerate import (
    FIRST_PASSES,
    EnumerateOptions,
    EnumerateProposer,
    Pass,
    all_passes,
)
from arcbatt.proposers.enumerate import proposer as enumerate_module
from arcbatt.proposers.enumerate.options import MODES
from arcbatt.proposers.enumerate.proposer import (
    BITS_PER_ENTROPY_BIT,
    BITS_PER_KNOWN_SOURCE,
    MAX_KNOWN_SOURCES,
    bits_of,
    known_sources,
)
from arcbatt.proposers.enumerate.search import search_view
from arcbatt.proposers.enumerate.stack import Layer, Stack
from arcbatt.proposers.first_programs import fill_pool
from arcbatt.proposers.proposer import MEMORIZED_BITS
from arcbatt.proposers.registry import (
    PARTS,
    check_switches,
    pass_names,
    primitive_names,
)
from arcbatt.proposers.views import NoView, plain
from arcbatt.scoring import is_right, load_answers
from arcbatt.solving import Loop, Watcher, rank_task
from arcbatt.solving.report.submission import make_submission
from arcbatt.tasks import Pair, Task
from tests.support.search import (
    FOREVER_S,
    contradiction,
    huge_task,
    solved_by,
    task_named,
    training,
)

SET = "arc-agi-1/training"
# Tasks that each proposer solves alone.
SOLVED = {
    "known": ("46442a0e", "2dee498d"),
    "learn": ("44d8ac46",),
    "enumerate": ("e9afcf9a", "d037b0a7", "0520fde7"),
    "evolve": ("f8ff0b80",),
    "finish": ("10fcaaa3", "5117e062"),
}
MANY = 20_000_000


def right(loop: Loop) -> set[str]:
    """Return the tasks whose test inputs are all right within two attempts."""
    answers = load_answers(SET)
    return {
        task.id
        for task in loop.tasks
        if all(
            any(is_right(answers, task.id, k, attempt.grid) for attempt in test.attempts)
            for k, test in enumerate(rank_task(loop.candidates(task)).tests)
        )
    }


def loop_over(
    tasks: Sequence[Task],
    proposer: EnumerateProposer,
    *,
    pool: Pool | None = None,
    n_threads: int = 1,
    **changes: Any,
) -> Loop:
    board = TaskBoard(tasks, device="cpu", n_threads=n_threads)
    return Loop(board, pool or Pool.in_memory(), [proposer], **changes)


def one_pass(name: str, view: Callable[[Task], Any], depth: int) -> Pass:
    return Pass(name, view, depth, MANY, gain=1.0, cost_s=1.0)


# --- every proposer alone ---


def test_every_proposer_has_tasks_to_solve() -> None:
    assert set(SOLVED) == set(PROPOSER_NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOLVED)
def test_a_proposer_solves_its_tasks(name: str) -> None:
    tasks = training(*SOLVED[name])
    n_rounds = 40 if name == "evolve" else 4
    assert right(solved_by([name], tasks, max_rounds=n_rounds)) == set(SOLVED[name])


# --- enumeration as a proposer ---


def outcome(loop: Loop) -> Any:
    kept = [
        [(each.program, each.trial.outputs) for each in loop.candidates(task).kept]
        for task in loop.tasks
    ]
    counts = {
        name: {key: n for key, n in part.items() if not key.endswith("_s")}
        for name, part in loop.parts().get("enumerate", {}).items()
    }
    return make_submission(loop.rank()), kept, counts


def test_results_do_not_depend_on_threads() -> None:
    tasks = training("e9afcf9a", "d037b0a7", "a85d4709", "25ff71a9")
    first, *others = (outcome(solved_by(["enumerate"], tasks, n_threads=n)) for n in (1, 1, 2))
    assert all(other == first for other in others)


def test_trials_agree_with_the_reference() -> None:
    tasks = training("e9afcf9a", "d037b0a7", "0520fde7", "9af7a82c")
    loop = solved_by(["enumerate"], tasks)
    n_checked = 0
    for task in tasks:
        pairs = tuple((demo.input, demo.output) for demo in task.demos)
        for each in loop.candidates(task).kept[:6]:
            given = [
                interpret(each.program, {"I": i, "S": pairs}).outcome for i in task.test_inputs
            ]
            assert all(a in (b, None) for a, b in zip(each.trial.outputs, given, strict=True))
            n_right = sum(
                interpret(each.program, {"I": demo.input, "S": pairs}).outcome == demo.output
                for demo in task.demos
            )
            assert n_right == each.trial.n_fitted
            n_checked += 1
    assert n_checked >= 8


def test_it_resumes_after_a_round() -> None:
    tasks = training("a85d4709", "25ff71a9")

    def proposer() -> EnumerateProposer:
        return EnumerateProposer(passes=FIRST_PASSES[:3])

    whole = loop_over(tasks, proposer())
    whole.run(FOREVER_S)
    with Pool.in_memory() as pool:
        first = loop_over(tasks, proposer(), pool=pool)
        first.run(FOREVER_S, 1)
        assert first.counts["enumerate"].n_rounds == 1
        first.save()
        second = loop_over(tasks, proposer(), pool=pool)
        second.run(FOREVER_S)
        assert outcome(second) == outcome(whole)
        n_proposed = second.counts["enumerate"].n_proposed
        second.run(FOREVER_S)  # nothing is left
        assert second.counts["enumerate"].n_proposed == n_proposed


def test_searches_that_the_time_limit_ended_are_repeated() -> None:
    now = 0.0

    def late(task: Task) -> Any:
        """Return a view when the time is up."""
        nonlocal now
        now += 1.0
        return plain(task)

    with Pool.in_memory() as pool:
        for n_rounds in (1, 2):
            proposer = EnumerateProposer(passes=[one_pass("deep", late, 3)])
            loop = loop_over([huge_task()], proposer, pool=pool, clock=lambda: now)
            loop.run(0.2)
            assert loop.counts["enumerate"].n_rounds == n_rounds
            assert proposer.counts()["deep"]["n_cut"] == 1
            assert loop.done("enumerate", "deep") == {}
            loop.save()


def test_an_interrupt_keeps_the_results_so_far() -> None:
    tasks = [*training("25ff71a9"), huge_task()]

    class Impatient(Watcher):
        def on_progress(self, loop: Loop) -> None:
            raise KeyboardInterrupt

    proposer = EnumerateProposer(passes=[one_pass("deep", plain, 3)])
    loop = loop_over(tasks, proposer, n_threads=2, watcher=Impatient())
    with pytest.raises(KeyboardInterrupt):
        loop.run(FOREVER_S)
    assert loop.n_fitted >= 1
    assert loop.done("enumerate", "deep").keys() == {"25ff71a9"}


def test_a_task_without_the_view_is_skipped() -> None:
    def none_of(_task: Task) -> Any:
        raise NoView("nothing to see")

    proposer = EnumerateProposer(passes=[one_pass("none", none_of, 2)])
    loop = loop_over([task_named("one")], proposer)
    loop.run(FOREVER_S)
    assert loop.n_fitted == 0 and proposer.counts() == {}


def test_confident_tasks_are_not_searched_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proposer_module, "CONFIDENT", 0.5)
    (task,) = training("67a3c6ac")
    with Pool.in_memory() as pool:
        loop = loop_over([task], EnumerateProposer(), pool=pool)
        loop.run(FOREVER_S)
        assert list(loop.parts()["enumerate"]) == ["roles"]
        loop.save()
        again = loop_over([task], EnumerateProposer(), pool=pool)
        again.run(FOREVER_S)
        assert again.counts["enumerate"].n_rounds == 1


def test_expensive_passes_search_doubtful_tasks_only(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = [replace(one_pass("expensive", plain, 1), only_doubtful=True)]
    passes.append(one_pass("cheap", plain, 1))
    for limit, searched in ((0.0, ["cheap"]), (0.6, ["expensive", "cheap"])):
        monkeypatch.setattr(proposer_module, "DOUBTFUL", limit)
        loop = loop_over([task_named("one")], EnumerateProposer(passes=passes))
        loop.run(FOREVER_S)
        assert list(loop.parts()["enumerate"]) == searched


def test_the_trace_shows_counts_and_stacks() -> None:
    messages: list[str] = []

    class Listener(Watcher):
        def on_trace(self, task: Task, proposer: str, message: str) -> None:
            messages.append(message)

    (task,) = training("25ff71a9")
    proposer = EnumerateProposer(passes=FIRST_PASSES[:2])
    loop_over([task], proposer, watcher=Listener(), traced=[task.id]).run(FOREVER_S)
    text = "\n".join(messages)
    for words in (
        "moves applied",
        "by depth",
        "merged",
        "refused",
        "pieces",
        "size fits",
        "right:",
    ):
        assert words in text


def test_the_trace_shows_narrowing_and_cuts() -> None:
    messages: list[str] = []

    class Listener(Watcher):
        def on_trace(self, task: Task, proposer: str, message: str) -> None:
            messages.append(message)

    (task,) = training("f2829549")
    deep = Pass("deep", plain, 4, 300_000, gain=1.0, cost_s=1.0)
    whole = Pass("whole", plain, 1, MANY, gain=1.0, cost_s=1.0)
    proposer = EnumerateProposer(passes=[whole, deep])
    loop_over([task], proposer, watcher=Listener(), traced=[task.id]).run(FOREVER_S)
    tried = [message for message in messages if "moves applied" in message]
    of_deep = [each for each in tried if each.startswith("deep")]
    of_whole = [each for each in tried if each.startswith("whole")]
    assert of_deep and of_whole
    for each in of_deep:
        assert each.endswith(", only the most promising deep tuples extended, cut off")
    for each in of_whole:
        assert each.endswith(" refused")


def test_each_thread_has_a_timeline() -> None:
    tasks = training("a85d4709", "25ff71a9", "67a3c6ac", "44d8ac46")
    both = threading.Barrier(2)

    def in_time(task: Task) -> Any:
        """Return a view once both threads ask for one, so that neither takes all tasks."""
        both.wait()
        return plain(task)

    proposer = EnumerateProposer(passes=[one_pass("some", in_time, 1)])
    with Clock().active() as clock:
        loop_over(tasks, proposer, n_threads=2).run(FOREVER_S)
    threads = {timeline.name: timeline for timeline in clock.report().others}
    assert threads.keys() == {"enumerate 1", "enumerate 2"}
    n_runs = 0
    for timeline in threads.values():
        n_entered = {at.path: at.n_entered for at in timeline.paths}
        assert n_entered[("run",)] >= n_entered[("score",)] > 0
        n_runs += n_entered[("score",)]
    assert n_runs == len(tasks)


# --- deepening passes ---


class FakeProposer(EnumerateProposer):
    """Searches nothing, and notes for each task whether its search was cut off."""

    def __init__(self, was_cut: Callable[[Task], bool]) -> None:
        super().__init__()
        self.offers: list[Offer] = []
        self._was_cut = was_cut

    def work(self, offer: Offer, context: Context) -> None:
        self.offers.append(offer)
        for task in offer.tasks:
            context.note_done(offer.item, task, {"was_cut": self._was_cut(task)})

    def passes_of(self, task: Task) -> list[Pass]:
        by_name = {each.name: each for each in all_passes()}
        return [by_name[offer.item] for offer in self.offers if task in offer.tasks]


def fake_passes(tasks: Sequence[Task], was_cut: Callable[[Task], bool]) -> FakeProposer:
    proposer = FakeProposer(was_cut)
    loop_over(tasks, proposer).run(FOREVER_S)
    return proposer


def test_deepening_passes_follow_the_named_ones() -> None:
    tasks = [task_named("one"), task_named("two")]
    proposer = fake_passes(tasks, lambda _task: True)
    assert [offer.item for offer in proposer.offers] == [each.name for each in all_passes()]
    assert all(offer.tasks == tuple(tasks) for offer in proposer.offers)
    gains = {each.name: each.gain for each in all_passes()}
    for offer in proposer.offers:
        # Nothing is found, so both tasks are wrong.
        assert offer.gain == pytest.approx(gains[offer.item] * len(tasks))
    rates = [offer.gain_per_s for offer in proposer.offers]
    assert rates == sorted(rates, reverse=True)
    searched = proposer.passes_of(tasks[0])
    further = [each for each in searched if each not in FIRST_PASSES]
    assert len(further) > len(FIRST_PASSES) and all(each.is_deepening for each in further)
    assert max(each.depth for each in further) > max(each.depth for each in FIRST_PASSES)
    # Passes of one view and depth take more and more moves.
    moves: dict[Any, int] = {}
    for each in searched:
        key = (each.view, each.depth, each.open_cells_first, each.grow_trees)
        assert each.max_applications > moves.get(key, 0)
        moves[key] = each.max_applications


def test_a_complete_search_is_not_offered_again_at_that_depth() -> None:
    whole, cut = task_named("whole"), task_named("cut off")
    proposer = fake_passes([whole, cut], lambda task: task is cut)
    assert proposer.passes_of(cut) == list(all_passes())
    searched = proposer.passes_of(whole)

    def key(each: Pass) -> Any:
        return (each.view, each.depth, each.grow_trees)

    assert len(set(map(key, searched))) == len(searched)
    assert set(map(key, searched)) == set(map(key, all_passes()))


# --- known programs ---


def turned() -> Program:
    return parse_program("def solve(I):\n    O = rot90(vmirror(I))\n    return O\n")


def test_known_sources_are_distinct_nearest_first_and_not_solutions() -> None:
    task = task_named("one")  # solved by vmirror
    names = ("identity", "vmirror", "hmirror", "rot90", "rot180", "dmirror", "lefthalf")
    grid = input_node("I")
    programs = [Program(call_node(name, grid), name) for name in names]
    programs.append(Program(call_node("hmirror", call_node("vmirror", grid)), "as rot180"))
    programs.append(Program(call_node("height", grid), "no grid"))
    board = TaskBoard([task, *training("a85d4709")], device="cpu", n_threads=1)
    sources = known_sources(board, task, Batt(programs))
    assert len({tuple(source.grids) for source in sources}) == len(sources)
    found = {source.node.name for source in sources}
    assert found == {"hmirror", "rot90", "rot180", "dmirror", "lefthalf"}
    # Values of the output's size come first, by wrong cells.
    assert sources[-1].node.name == "lefthalf"
    assert all(len(source.grids) == 4 for source in sources)
    assert known_sources(board, task, Batt([])) == []
    with Pool.in_memory() as pool:
        fill_pool(pool, library=True)
        many = known_sources(board, board.tasks[1], Batt(list(pool.solvers())))
    assert len(many) == MAX_KNOWN_SOURCES


def test_the_shortest_known_programs_are_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(enumerate_module, "MAX_KNOWN_PROGRAMS", 3)
    run_alone: list[Sequence[Program]] = []

    def noted(_board: TaskBoard, _task: Task, batt: Batt, *_rest: Any) -> list[Any]:
        run_alone.append(batt.programs)
        return []

    monkeypatch.setattr(enumerate_module, "known_sources", noted)
    with Pool.in_memory() as pool:
        fill_pool(pool, library=True)
        board = TaskBoard([contradiction()], device="cpu", n_threads=1)
        loop = Loop(board, pool, [EnumerateProposer(None, [one_pass("plain", plain, 1)])])
        loop.run(FOREVER_S)
        (found,) = run_alone
        fewest = sorted(each.n_calls for each in pool.solvers())[:3]
        assert sorted(each.n_calls for each in found) == fewest


def test_a_known_program_can_be_half_of_a_solution() -> None:
    """The task takes a known program and one move; moves that could replace it are off."""
    pairs = [((1, 2, 0), (3, 0, 5)), ((0, 4, 4), (6, 7, 0)), ((2, 0, 0), (8, 1, 3))]
    program = turned()

    def wanted(grid: Any) -> Any:
        value = interpret(program, {"I": grid, "S": ()}).outcome
        return tuple(tuple(9 if cell else 0 for cell in row) for row in value)

    task = Task("half", tuple(Pair(p, wanted(p)) for p in pairs), (((5, 0, 1), (0, 2, 0)),), "t")
    options = EnumerateOptions(off=frozenset({"turn", "mirror_fill", "tile_mirrored"}))
    results = {}
    for known in (True, False):
        proposer = EnumerateProposer(
            options,
            [one_pass("plain", plain, 2)],
            off=frozenset() if known else frozenset({"known-values"}),
        )
        with Pool.in_memory() as pool:
            pool.add_programs([PoolProgram.of(program, "test")])
            loop = loop_over([task], proposer, pool=pool)
            loop.run(FOREVER_S)
        results[known] = loop.rank()[0].tests[0].attempts[0].grid
        assert proposer.counts()["plain"]["n_known"] == known
    assert results[True] == wanted(task.test_inputs[0]) != results[False]


def test_known_sources_cost_bits() -> None:
    (task,) = training("25ff71a9")
    view = plain(task)
    found = search_view(view, EnumerateOptions(max_stacks=1))
    stack = found.stacks[0]
    n_known = len(stack.layers)
    assert bits_of(stack, -3) == bits_of(stack, len(task.demos)) + n_known * BITS_PER_KNOWN_SOURCE


def stack_of(*n_cells: int, built_for: int = 1) -> Stack:
    """Return a stack that gets two demos right; its pieces add the given numbers of cells."""
    layers = tuple(Layer((0,), 0, False, False, 0, 3, n) for n in n_cells)
    return Stack(layers, 3, built_for, 2, (None,))


def test_a_stack_costs_the_entropy_of_its_pieces() -> None:
    assert bits_of(stack_of(40), 2) == 0
    assert bits_of(stack_of(20, 20), 2) == pytest.approx(BITS_PER_ENTROPY_BIT)
    assert bits_of(stack_of(10, 10, 10, 10), 2) == pytest.approx(2 * BITS_PER_ENTROPY_BIT)
    assert 0 < bits_of(stack_of(39, 1), 2) < bits_of(stack_of(30, 10), 2)


def test_a_stack_built_for_all_demos_that_it_fits_may_be_memorized() -> None:
    assert bits_of(stack_of(40, built_for=3), 2) == MEMORIZED_BITS


# --- switches ---


def test_names_of_switches_are_unique() -> None:
    names = [*PARTS, *pass_names(), *primitive_names()]
    assert len(set(names)) == len(names)
    assert not any("," in name or " " in name for name in names)
    assert set(primitive_names()) <= set(all_primitives())
    assert check_switches(["smear", "known-values"]) == {"smear", "known-values"}
    with pytest.raises(ValueError, match="named smaer; did you mean smear") as error:
        check_switches(["smaer"])
    for name in names:
        assert name in str(error.value)
    with pytest.raises(ValueError, match="nothing paints"):
        check_switches([f"paint-{mode}" for mode in MODES])


def test_switches_become_options() -> None:
    options = EnumerateOptions(max_bytes=2**20)
    assert options.without(frozenset()) == options
    off = options.without(
        frozenset({"outputs", "sizes", "stacking", "subsets", "paint-holes", "smear"})
    )
    assert not off.output_sources and not off.subsets
    assert (off.size_depth, off.max_pieces, off.modes) == (0, 1, 0b101)
    assert off.off == {"smear"}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PARTS, *pass_names(), "smear", "learn_cells"])
def test_every_part_can_be_off(name: str) -> None:
    tasks = training("a85d4709")
    loop = solved_by(PROPOSER_NAMES, tasks, off=[name], max_rounds=2, library=False)
    parts = loop.parts()
    assert any(part["n_applications"] for part in parts["enumerate"].values())
    by_switch = {each.name: each.switch for each in all_passes()}
    assert name not in {by_switch[part] for part in parts["enumerate"]}
    if name == "known-values":
        assert all(part["n_known"] == 0 for part in parts["enumerate"].values())
    assert ("parents" in parts.get("evolve", {})) == (name != "parents")


def test_without_deepening_only_the_named_passes_run() -> None:
    options = ProposerOptions(off=frozenset({"deepening"}))
    (proposer,) = make_proposers(["enumerate"], options)
    assert isinstance(proposer, EnumerateProposer)
    loop = loop_over(training("a85d4709"), proposer)
    loop.run(FOREVER_S)  # ends when nothing more is offered
    assert set(loop.parts()["enumerate"]) <= {each.name for each in FIRST_PASSES}
