"""Enumeration: stacks are programs, searches respect their bounds, and any task can be searched."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, replace
from functools import cache, partial
from itertools import chain
from typing import Any

import pytest

from arcbatt.engine import _engine, _enumerate
from arcbatt.language import Program, all_primitives, interpret
from arcbatt.language.ir import call_node, constant, input_node
from arcbatt.proposers.enumerate.moves import vocabulary
from arcbatt.proposers.enumerate.options import MODES, EnumerateOptions
from arcbatt.proposers.enumerate.search import ResumableSearch, SearchResult, search_view
from arcbatt.proposers.enumerate.stack import Layer, Stack
from arcbatt.proposers.views import Source, View, by_role, plain, with_roles, with_turns
from arcbatt.tasks import Grid, Task
from tests.support.odd_tasks import odd_tasks
from tests.support.search import huge_task, training

VIEWS: dict[str, Callable[[Task], View]] = {
    "plain": plain,
    "roles": by_role,
    "turned": lambda task: with_turns(plain(task), 0),
    "turned, roles": lambda task: with_roles(with_turns(plain(task), 0)),
}
# Small tasks that together have all KINDS of pieces, sources and sizes.
SAMPLE = (
    *("f2829549", "25d8a9c8", "9af7a82c", "3ac3eb23", "239be575", "8be77c9e", "e9afcf9a"),
    *("a85d4709", "834ec97d"),
)
QUICK = EnumerateOptions(max_stacks=3, max_applications=20_000)
KINDS = {
    *("1 piece", "2 pieces", "3 pieces", *MODES, "tint", "to_origin", "pasted"),
    *("picture", "cut", "pick", "sift", "move on every picture of a list"),
    *("input size", "output size", "source 0", "source 1", "output of a demo"),
    *("size of a move", "sum of sizes", "some demos", "size of some demos", "unpainted"),
}


def demos_of(task: Task) -> Any:
    return tuple((demo.input, demo.output) for demo in task.demos)


def by_reference(program: Program, task: Task, grid: Grid) -> Any:
    return interpret(program, {"I": grid, "S": demos_of(task)}).outcome


def paint(result: SearchResult, stack: Stack, task: Task, grid: Grid) -> tuple[Any, Any]:
    """Paint a stack piece by piece by the reference interpreter; return it and its lowest piece.

    Cells that no piece paints are None. Pieces are in the task's own colors and orientation: 0 is 0
    in every view, and mirroring moves whole cells.
    """
    painted: list[list[int | None]] = []
    lowest: Any = None
    for layer in stack.layers:
        lowest = by_reference(result.program(replace(stack, layers=(layer,)), "piece"), task, grid)
        painted = painted or [[None] * len(row) for row in lowest]
        for i, row in enumerate(lowest):
            for j, cell in enumerate(row):
                paints = MODES[layer.mode] == "whole" or (cell != 0) == (
                    MODES[layer.mode] == "shown"
                )
                if paints and painted[i][j] is None:
                    painted[i][j] = cell
    return tuple(map(tuple, painted)), lowest


def check_stack(result: SearchResult, stack: Stack, task: Task) -> None:
    """Check that the program of a stack computes it, by the reference interpreter.

    They may differ in two cases. Cells that the stack leaves unpainted are those of its lowest
    piece. In a demo whose output has another size than the formula gives, the program follows the
    formula.
    """
    program = result.program(stack, "found")
    for index, grid in enumerate(task.test_inputs):
        painted, lowest = paint(result, stack, task, grid)
        is_covered = None not in chain(*painted)
        said = stack.outputs[index]
        assert (said is not None) == is_covered
        if said is not None:
            restored = Program(result.view.restore(constant(said)), "restored")
            assert by_reference(restored, task, grid) == painted
        assert by_reference(program, task, grid) == filled(painted, lowest)
    for index, demo in enumerate(task.demos):
        wanted = shape(result.view.demos[index][1])
        if by_reference(result.size_program(), task, demo.input) != wanted:
            continue
        painted, lowest = paint(result, stack, task, demo.input)
        assert (painted == demo.output) == bool(stack.demos >> index & 1)
        assert by_reference(program, task, demo.input) == filled(painted, lowest)


def filled(painted: Any, lowest: Any) -> Grid:
    return tuple(
        tuple(below if cell is None else cell for cell, below in zip(*rows, strict=True))
        for rows in zip(painted, lowest, strict=True)
    )


def shape(grid: Grid) -> tuple[int, int]:
    return len(grid), len(grid[0])


def kinds_of(result: SearchResult, task: Task) -> Iterator[str]:
    """Yield the kinds of sizes, stacks and layers in a result."""
    n_matched, *axes = result.size
    for of, plus, *_ in axes:
        if len(of) > 1:
            yield "size of a move"
        if plus:
            yield "sum of sizes"
    if n_matched < len(task.demos):
        yield "size of some demos"
    for stack in result.stacks:
        n = len(stack.layers)
        yield f"{n} piece{'s' * (n > 1)}"
        if stack.n_right < len(task.demos):
            yield "some demos"
        if None in stack.outputs:
            yield "unpainted"
        for layer in stack.layers:
            yield from kinds_of_layer(layer, len(task.demos))


def kinds_of_layer(layer: Layer, n_demos: int) -> Iterator[str]:
    yield MODES[layer.mode]
    yield from (name for name in ("tint", "to_origin", "pasted") if getattr(layer, name))
    if layer.is_from_view_source(n_demos):
        yield "given"
    else:
        yield f"source {layer.path[0]}" if layer.path[0] < 3 else "output of a demo"
    is_list = False
    for number in layer.path[1:]:
        move = vocabulary()[number]
        yield move.shape
        if move.takes:
            yield move.takes
        if move.shape == "picture" and is_list:
            yield "move on every picture of a list"
        elif move.shape != "picture":
            is_list = move.shape in ("cut", "sift")


@cache
def searched(name: str, view: str) -> tuple[Task, SearchResult]:
    (task,) = training(name)
    return task, search_view(VIEWS[view](task), QUICK)


# --- stacks are programs ---


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", SAMPLE)
def test_every_stack_is_computed_by_its_program(name: str, view: str) -> None:
    task, result = searched(name, view)
    for stack in result.stacks:
        check_stack(result, stack, task)


def test_twins_of_a_stack_differ_only_in_the_tests() -> None:
    n_twins = 0
    for name in SAMPLE:
        (task,) = training(name)
        result = search_view(plain(task), replace(QUICK, max_stacks=100))
        for first in result.stacks[:2]:
            for stack in result.stacks[-3:]:
                n_other = sum(a != b for a, b in zip(first.layers, stack.layers, strict=False))
                if len(first.layers) == len(stack.layers) and n_other == 1:
                    n_twins += first.demos == stack.demos and first.outputs != stack.outputs
                    check_stack(result, stack, task)
    assert n_twins


@pytest.mark.parametrize("name", SAMPLE)
def test_layers_count_the_cells_they_add(name: str) -> None:
    task, result = searched(name, "plain")
    n_cells = sum(len(demo.output) * len(demo.output[0]) for demo in task.demos)
    for stack in result.stacks:
        added = sum(layer.n_cells for layer in stack.layers)
        assert all(layer.n_cells and layer.demos for layer in stack.layers) and added <= n_cells
        assert stack.n_right < len(task.demos) or added == n_cells
        assert stack.built_for and stack.n_unseen <= stack.n_right
        assert stack.n_unseen == stack.n_right - (stack.demos & stack.built_for).bit_count()


def test_a_stack_built_for_one_demo_is_right_in_others() -> None:
    (task,) = training("67a3c6ac")  # one piece, a mirror, gives all outputs
    every = (1 << len(task.demos)) - 1
    unseen, seen = (
        search_view(plain(task), replace(QUICK, subsets=subsets)).stacks[0]
        for subsets in (True, False)
    )
    assert unseen.demos == seen.demos == every
    assert unseen.built_for.bit_count() == 1 and unseen.n_unseen == len(task.demos) - 1
    assert seen.built_for == every and not seen.n_unseen


def test_a_beam_narrows_deep_searches() -> None:
    (task,) = training("f2829549")
    options = EnumerateOptions(depth=4, max_applications=300_000, max_stacks=3)
    first, second = (search_view(plain(task), options) for _ in range(2))
    assert outcome(first) == outcome(second)
    assert first.counts["was_cut"]
    assert first.counts["n_applications"] >= 300_000 and first.stacks
    assert 0 < first.counts["n_predicted"] < first.counts["n_applications"]
    for stack in first.stacks:
        check_stack(first, stack, task)


def test_a_complete_narrowed_search_finds_nothing_more_with_more_moves() -> None:
    (task,) = training("e9afcf9a")
    few, some, more = (
        search_view(plain(task), EnumerateOptions(depth=4, max_applications=n, max_stacks=3))
        for n in (10**6, 4 * 10**6, 16 * 10**6)
    )
    assert all(result.counts["was_narrowed"] for result in (few, some, more))
    assert few.counts["was_cut"] and not some.counts["was_cut"]
    assert outcome(some) == outcome(more)
    assert some.counts["n_applications"] == more.counts["n_applications"] < 4 * 10**6


def test_the_sample_has_all_kinds() -> None:
    seen = {
        kind
        for name in SAMPLE
        for view in VIEWS
        for task, result in [searched(name, view)]
        for kind in kinds_of(result, task)
    }
    assert KINDS - seen == set()


@pytest.mark.parametrize("name", SAMPLE)
def test_sizes_are_right_in_the_counted_demos(name: str) -> None:
    for view in VIEWS:
        task, result = searched(name, view)
        program = result.size_program()
        n_right = sum(
            by_reference(program, task, demo.input) == shape(result.view.demos[k][1])
            for k, demo in enumerate(task.demos)
        )
        assert n_right == result.size[0]
        for index, grid in enumerate(task.test_inputs):
            outputs = [stack.outputs[index] for stack in result.stacks]
            sizes = {shape(output) for output in outputs if output is not None}
            assert sizes <= {by_reference(program, task, grid)}


def test_a_square_as_high_as_the_input_is_not_the_size_of_the_input() -> None:
    (task,) = training("2dee498d")
    result = search_view(plain(task), EnumerateOptions(depth=0))
    program = result.program(result.stacks[0], "found")
    for demo in task.demos:
        assert by_reference(program, task, demo.input) == demo.output


def test_sources_of_a_view_are_used() -> None:
    (task,) = training("f2829549")
    node = call_node("vmirror", input_node("I"))
    inputs = [*(demo.input for demo in task.demos), *task.test_inputs]
    source = Source(node, [tuple(row[::-1] for row in grid) for grid in inputs], depth=0)
    # Only the source can mirror.
    options = replace(QUICK, depth=1, off=frozenset({"turn", "mirror_fill", "tile_mirrored"}))
    result = search_view(replace(plain(task), sources=[source]), options)
    assert any("given" in kinds_of(result, task) for _ in result.stacks)
    for stack in result.stacks:
        check_stack(result, stack, task)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"off": frozenset({"smear"})}, None),
        ({"modes": 1}, {"holes", "whole"}),
        ({"modes": 6}, {"shown"}),
        ({"max_pieces": 1}, {"2 pieces", "3 pieces", "4 pieces"}),
        ({"subsets": False}, None),
        ({"output_sources": False}, {"output of a demo"}),
        ({"depth": 0}, {"picture", "cut", "pick", "sift"}),
    ],
    ids=["moves", "modes", "shown", "stacking", "subsets", "outputs", "depth"],
)
def test_switched_off_parts_are_not_used(change: dict[str, Any], kind: set[str] | None) -> None:
    n_stacks = 0
    for task in training(*SAMPLE, "67a3c6ac", "25ff71a9"):
        result = search_view(plain(task), replace(QUICK, **change))
        n_stacks += len(result.stacks)
        assert not set(kinds_of(result, task)) & (kind or set())
        used = {
            vocabulary()[number].primitive
            for stack in result.stacks
            for layer in stack.layers
            for number in layer.path[1:]
        }
        assert not used & change.get("off", set())
    assert n_stacks


# --- searches repeat and respect their bounds ---


def outcome(result: SearchResult) -> Any:
    counts = {name: n for name, n in result.counts.items() if not name.endswith("_s")}
    return result.size, result.stacks, counts


@pytest.mark.parametrize("bound", [0, 100, 5_000, 10**9])
def test_a_search_always_ends_at_the_same_point(bound: int) -> None:
    (task,) = training("f2829549")
    options = replace(QUICK, max_applications=bound)
    first, second = (search_view(by_role(task), options) for _ in range(2))
    assert outcome(first) == outcome(second)
    assert first.counts["was_cut"] == (bound < 10**9)
    # The bound is checked before each tuple, on which every move is tried in every example.
    most = bound + 2 * len(vocabulary()) * (len(task.demos) + len(task.test_inputs))
    assert first.counts["n_applications"] <= most or bound == 10**9


def test_threads_do_not_change_results() -> None:
    tasks = training(*SAMPLE)
    alone = [outcome(search_view(plain(task), QUICK)) for task in tasks]
    together: dict[int, Any] = {}

    def search(first: int) -> None:
        for k in range(first, len(tasks), 2):
            together[k] = outcome(search_view(plain(tasks[k]), QUICK))

    threads = [threading.Thread(target=search, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [together[k] for k in range(len(tasks))] == alone


def test_a_stop_flag_ends_a_search() -> None:
    stop = _enumerate.StopFlag()
    stop.set()
    result = search_view(plain(huge_task()), EnumerateOptions(depth=3), stop)
    assert result.counts["was_cut"] and result.counts["n_applications"] < 100_000
    assert result.stacks == []


def test_a_stop_flag_ends_a_running_search() -> None:
    stop = _enumerate.StopFlag()
    options = EnumerateOptions(depth=6, max_bytes=2**28, max_s=1e6)
    results: list[SearchResult] = []
    thread = threading.Thread(
        target=lambda: results.append(search_view(plain(huge_task()), options, stop))
    )
    thread.start()
    stop.set()
    thread.join(60)
    assert not thread.is_alive()
    assert results[0].counts["was_cut"]


def test_a_search_without_time_finds_nothing() -> None:
    result = search_view(plain(huge_task()), EnumerateOptions(depth=3, max_s=0.0))
    assert result.counts["was_cut"] and result.stacks == []


@pytest.mark.parametrize("max_bytes", [0, 2**20, 2**25])
def test_memory_is_bounded(max_bytes: int) -> None:
    (task,) = training("f2829549")
    result = search_view(plain(task), EnumerateOptions(depth=4, max_bytes=max_bytes))
    assert result.counts["was_cut"]
    # The current move is completed: a few values more, and fixed costs.
    assert result.counts["n_bytes"] <= max_bytes + 2**24
    for stack in result.stacks[:5]:
        check_stack(result, stack, task)


def test_long_lists_do_not_overshoot() -> None:
    """A move on a list of nine hundred parts counts as nine hundred moves."""
    dots = tuple(tuple(1 + (3 * i + j) % 9 for j in range(30)) for i in range(30))
    view = replace(plain(huge_task()), demos=[(dots, dots)] * 5, tests=[dots])
    for max_bytes in (2**22, 2**26):
        result = search_view(view, EnumerateOptions(depth=4, max_bytes=max_bytes, max_s=1e6))
        assert result.counts["was_cut"]
        assert result.counts["n_bytes"] <= max_bytes + 2**23


# --- hostile tasks ---


@pytest.mark.slow
@pytest.mark.parametrize("task", list(odd_tasks()), ids=lambda task: task.id)
def test_any_task_can_be_searched(task: Task) -> None:
    for make in (plain, by_role):
        result = search_view(make(task), replace(QUICK, max_bytes=2**26))
        for stack in result.stacks:
            assert len(stack.outputs) == len(task.test_inputs)
            assert 0 < stack.demos < 1 << min(len(task.demos), 32)
            for grid in filter(None, stack.outputs):
                assert all(1 <= side <= 30 for side in shape(grid))
        if result.stacks and len(task.demos) < 10:
            check_stack(result, result.stacks[0], task)


def test_a_demo_does_not_copy_its_own_output() -> None:
    """Outputs of demos with the same input are not sources."""
    (same,) = (task for task in odd_tasks() if task.id == "same demos")
    result = search_view(plain(same), QUICK)
    for stack in result.stacks:
        for layer in stack.layers:
            assert "output of a demo" not in kinds_of_layer(layer, len(same.demos))


# --- errors ---


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"depth": -1}, "depth is -1"),
        ({"depth": 300}, "depth is 300"),
        ({"size_depth": 99}, "size_depth is 99"),
        ({"max_pieces": 0}, "max_pieces is 0"),
        ({"modes": 0}, "modes is 0"),
        ({"modes": 8}, "modes is 8"),
        ({"max_bytes": -1}, "max_bytes is -1"),
        ({"max_applications": -1}, "max_applications is -1"),
        ({"max_stacks": -1}, "max_stacks is -1"),
        ({"max_s": -1.0}, "must be 0 or more"),
        ({"max_s": float("nan")}, "must be 0 or more"),
        ({"off": frozenset({"smaer"})}, "no move uses smaer"),
    ],
    ids=str,
)
def test_bad_options_raise(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        EnumerateOptions(**change)


def test_bad_views_raise() -> None:
    view = plain(training("0520fde7")[0])
    node = input_node("I")
    search = partial(search_view, options=QUICK)
    with pytest.raises(ValueError, match="a source needs one grid per example"):
        search(replace(view, sources=[Source(node, [((1,),)])]))
    with pytest.raises(ValueError, match="needs demos and tests"):
        search(replace(view, tests=[]))
    with pytest.raises(ValueError, match="needs demos and tests"):
        search(replace(view, demos=[]))
    with pytest.raises(ValueError, match="do not match its size"):
        search(replace(view, tests=[((1, 2), (3,))]))
    with pytest.raises(ValueError, match="a color is above 9"):
        search(replace(view, tests=[((10,),)]))
    with pytest.raises(ValueError, match="a grid of 31 x 2 cells; sides must be 1 to 30"):
        search(replace(view, tests=[((1, 2),) * 31]))
    with pytest.raises(ValueError, match="a grid of 1 x 31 cells; sides must be 1 to 30"):
        search(replace(view, demos=[(((1,),), ((1,) * 31,))]))
    with pytest.raises(ValueError, match="a grid of 1 x 400 cells"):
        inputs = [*(before for before, _ in view.demos), *view.tests]
        search(replace(view, sources=[Source(node, [((0,) * 400,)] * len(inputs))]))
    with pytest.raises(ValueError, match="a source's depth is 17"):
        search(replace(view, sources=[Source(node, view.inputs, 17)]))
    result = search_view(plain(training("0520fde7")[0]), QUICK)
    with pytest.raises(ValueError, match="no formula"):
        replace(result, size=None).size_program()


def test_options_have_the_same_names_in_python_and_native_code() -> None:
    ours = {each.name for each in fields(EnumerateOptions)}
    theirs = {name for name in vars(_enumerate.SearchOptions) if not name.startswith("_")}
    assert ours - {"off"} == theirs - {"enabled"}
    native = EnumerateOptions(depth=3, max_s=1.5, off=frozenset({"smear"})).native
    assert (native.depth, native.max_s, native.output_sources) == (3, 1.5, True)
    enabled = [move.primitive != "smear" for move in vocabulary()]
    assert native.enabled == enabled


def test_native_code_checks_options() -> None:
    native = _enumerate.SearchOptions()
    with pytest.raises(AttributeError):
        native.dept = 3  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        native.depth = 300
    with pytest.raises(TypeError):
        native.max_bytes = -1
    grid = (1, 1, b"\1")

    def search(options: _enumerate.SearchOptions) -> None:
        _enumerate.Search([grid, grid], [grid], []).run(options, _enumerate.StopFlag())

    with pytest.raises(ValueError, match="enabled: 0 flags"):
        search(native)
    native.enabled = [1] * len(vocabulary())
    with pytest.raises(ValueError, match="modes"):
        search(native)
    native.modes = 7
    native.size_depth = 17
    with pytest.raises(ValueError, match="at most 16"):
        search(native)
    native.size_depth = 16
    search(native)


# --- open cells first ---


def test_open_cells_lead_to_pieces_that_cover_them() -> None:
    (task,) = training("834ec97d")
    options = EnumerateOptions(depth=3, open_cells_first=True, max_applications=100_000)
    result = search_view(by_role(task), options)
    assert result.stacks[0].n_right == len(task.demos)
    program = result.program(result.stacks[0], "found")
    assert all(by_reference(program, task, demo.input) == demo.output for demo in task.demos)


@pytest.mark.parametrize("task_id", ["25d8a9c8", "a85d4709"])
def test_the_order_of_the_last_move_does_not_change_a_complete_search(task_id: str) -> None:
    view = by_role(training(task_id)[0])
    by_shown, open_cells_first = (
        search_view(view, EnumerateOptions(depth=3, open_cells_first=each))
        for each in (False, True)
    )
    assert not by_shown.counts["was_cut"] and not open_cells_first.counts["was_cut"]
    assert by_shown.stacks[0].demos == open_cells_first.stacks[0].demos
    assert by_shown.stacks[0].depth == open_cells_first.stacks[0].depth


# --- resuming ---

# Small tasks whose last depth has many rounds, lists and tints.
RESUMED = ("25d8a9c8", "a85d4709", "e9afcf9a", "3ac3eb23")


@pytest.mark.parametrize(
    ("view", "open_cells_first"), [("plain", False), ("roles", False), ("roles", True)]
)
@pytest.mark.parametrize("task_id", RESUMED)
def test_a_resumed_search_finds_what_a_new_one_finds(
    task_id: str, view: str, open_cells_first: bool
) -> None:
    (task,) = training(task_id)
    resumed = ResumableSearch(VIEWS[view](task))
    n_applied = n_resumed = 0
    for n_moves in (20_000, 80_000, 81_000, 200_000):
        options = EnumerateOptions(
            depth=3, open_cells_first=open_cells_first, max_applications=n_moves, max_stacks=20
        )
        resumes = resumed.can_resume
        n_resumed += resumes
        result, anew = resumed.run(options), search_view(resumed.view, options)
        assert (result.size, result.stacks) == (anew.size, anew.stacks)
        assert result.counts["n_pieces"] == anew.counts["n_pieces"]
        assert result.counts["was_cut"] == anew.counts["was_cut"]
        assert result.counts["n_applied_before"] == (n_applied if resumes else 0)
        n_applied = result.counts["n_applied_before"] + result.counts["n_applications"]
    assert n_resumed


def test_a_search_resumes_after_a_stop() -> None:
    resumed = ResumableSearch(plain(training("a85d4709")[0]))
    options = EnumerateOptions(depth=3, max_applications=90_000)
    resumed.run(replace(options, max_applications=80_000))
    stop = _enumerate.StopFlag()
    stop.set()
    stopped = resumed.run(options, stop)
    assert stopped.counts["was_cut"] and stopped.counts["n_applications"] < 10_000
    assert resumed.run(options).stacks == search_view(resumed.view, options).stacks


def test_a_search_starts_over_if_it_cannot_resume() -> None:
    resumed = ResumableSearch(plain(training("25d8a9c8")[0]))
    assert not resumed.can_resume and resumed.n_bytes == 0
    resumed.run(EnumerateOptions(depth=3, max_applications=80_000))
    assert resumed.can_resume and resumed.n_bytes > 2**16
    for other in (
        EnumerateOptions(depth=2),
        EnumerateOptions(depth=3, max_applications=10_000),
        EnumerateOptions(depth=3, max_applications=90_000, off=frozenset({"smear"})),
    ):
        result = resumed.run(other)
        assert result.counts["n_applied_before"] == 0
        assert result.stacks == search_view(resumed.view, other).stacks
    # A complete search has nothing to resume.
    resumed.run(EnumerateOptions(depth=2))
    assert not resumed.can_resume
    assert resumed.searches(plain(training("25d8a9c8")[0]))
    assert not resumed.searches(plain(training("a85d4709")[0]))


def test_a_search_says_how_much_memory_it_holds() -> None:
    def in_use() -> int:
        _engine.set_memory_bound(_engine.memory_bound())  # frees what is kept for later searches
        return _engine.memory_in_use()

    before = in_use()
    resumed = ResumableSearch(plain(training("a85d4709")[0]))
    resumed.run(EnumerateOptions(depth=3, max_applications=400_000))
    # What the cover of stacks gave back is still held.
    assert resumed.can_resume
    held = in_use() - before
    assert held > 2**22 and abs(resumed.n_bytes - held) < held / 4
    del resumed
    assert in_use() == before


def test_a_search_runs_in_one_thread_at_a_time() -> None:
    resumed = ResumableSearch(plain(huge_task()))
    stop = _enumerate.StopFlag()
    options = EnumerateOptions(depth=4, max_applications=10**9)

    def search() -> None:
        """Search until stopped, even if the other thread was first."""
        while True:
            with suppress(RuntimeError):
                resumed.run(options, stop)
                return

    thread = threading.Thread(target=search)
    thread.start()
    with pytest.raises(RuntimeError, match="running already"):
        while thread.is_alive():
            # Ends at once if this thread came first.
            ended = _enumerate.StopFlag()
            ended.set()
            resumed.run(options, ended)
    stop.set()
    thread.join()


# --- the vocabulary ---

# Primitives on pictures that are not moves, and why.
NOT_MOVES = {
    "tint": "applied to pieces at the end, in colors that every output has",
    "over": "how the layers of a stack are combined",
    "holes_over": "how the layers of a stack are combined",
}


def test_every_move_is_a_primitive_with_its_arguments() -> None:
    primitives = all_primitives()
    for move in vocabulary():
        n_args = 1 + bool(move.takes) + len(move.args)
        assert primitives[move.primitive].arity == n_args, move
        assert move.shape in ("picture", "cut", "pick", "sift")
        assert move.takes in ("", "input size", "output size")
        assert str(move).startswith(move.primitive)
    assert len(set(vocabulary())) == len(vocabulary())


def test_every_primitive_on_pictures_is_a_move_or_has_a_reason() -> None:
    searched_with = {move.primitive for move in vocabulary()}
    families = ("pictures", "picture_drawing", "picture_lists", "picture_pairs")
    on_pictures = {
        name for name, primitive in all_primitives().items() if primitive.family in families
    }
    assert on_pictures - searched_with == set(NOT_MOVES)
    assert searched_with <= on_pictures
