"""Enumeration: what it finds is a program, it ends where it is told, and takes any task."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, replace
from functools import cache, partial
from itertools import chain
from typing import Any

import pytest

from arcbatt.engine import _enumerate
from arcbatt.language import Program, all_primitives, interpret
from arcbatt.language.ir import call_node, constant, input_node
from arcbatt.proposers.enumerate.stacks import (
    MODES,
    Enumerated,
    EnumerateOptions,
    Pick,
    Source,
    Stack,
    View,
    Walk,
    enumerate_view,
    is_given,
    vocabulary,
)
from arcbatt.proposers.enumerate.views import by_role, mirrored, plain
from arcbatt.tasks import Grid, Task

from .searching import odd_tasks
from .solving_parts import huge_task, training

VIEWS: dict[str, Callable[[Task], View]] = {
    "plain": plain,
    "roles": by_role,
    "mirrored": lambda task: mirrored(plain(task), "hmirror"),
    "roles, mirrored": lambda task: mirrored(by_role(task), "dmirror"),
}
# Small tasks that between them have all kinds of pieces, sources and sizes; `KINDS` says which.
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


def paint(found: Enumerated, stack: Stack, task: Task, grid: Grid) -> tuple[Any, Any]:
    """What a stack is by its definition, painted piece by piece, and its lowest piece.

    Cells that no piece paints are None. The pieces come from the reference interpreter, and are
    as the task has them: 0 is 0 in every view, and mirroring moves whole cells.
    """
    painted: list[list[int | None]] = []
    lowest: Any = None
    for pick in stack.picks:
        lowest = by_reference(found.program(replace(stack, picks=(pick,)), "piece"), task, grid)
        painted = painted or [[None] * len(row) for row in lowest]
        for i, row in enumerate(lowest):
            for j, cell in enumerate(row):
                paints = MODES[pick.mode] == "whole" or (cell != 0) == (MODES[pick.mode] == "shown")
                if paints and painted[i][j] is None:
                    painted[i][j] = cell
    return tuple(map(tuple, painted)), lowest


def check_stack(found: Enumerated, stack: Stack, task: Task) -> None:
    """The program of a stack gives what the stack says, by the reference interpreter.

    It differs in two cases, and in no other. Cells that the stack leaves unpainted are those of
    its lowest piece. In a demo whose output has not the size that the formula gives, the program
    goes by the formula.
    """
    program = found.program(stack, "found")
    for index, grid in enumerate(task.test_inputs):
        painted, lowest = paint(found, stack, task, grid)
        is_covered = None not in chain(*painted)
        said = stack.outputs[index]
        assert (said is not None) == is_covered
        if said is not None:
            restored = Program(found.view.restore(constant(said)), "restored")
            assert by_reference(restored, task, grid) == painted
        assert by_reference(program, task, grid) == filled(painted, lowest)
    for index, demo in enumerate(task.demos):
        wanted = shape(found.view.demos[index][1])
        if by_reference(found.size_program(), task, demo.input) != wanted:
            continue
        painted, lowest = paint(found, stack, task, demo.input)
        assert (painted == demo.output) == bool(stack.demos >> index & 1)
        assert by_reference(program, task, demo.input) == filled(painted, lowest)


def filled(painted: Any, lowest: Any) -> Grid:
    return tuple(
        tuple(below if cell is None else cell for cell, below in zip(*rows, strict=True))
        for rows in zip(painted, lowest, strict=True)
    )


def shape(grid: Grid) -> tuple[int, int]:
    return len(grid), len(grid[0])


def kinds_of(found: Enumerated, task: Task) -> Iterator[str]:
    """What is to be seen in what was found."""
    n_matched, *axes = found.size
    for of, plus, *_ in axes:
        if len(of) > 1:
            yield "size of a move"
        if plus:
            yield "sum of sizes"
    if n_matched < len(task.demos):
        yield "size of some demos"
    for stack in found.stacks:
        n = len(stack.picks)
        yield f"{n} piece{'s' * (n > 1)}"
        if stack.n_right < len(task.demos):
            yield "some demos"
        if None in stack.outputs:
            yield "unpainted"
        for pick in stack.picks:
            yield from kinds_of_pick(pick, len(task.demos))


def kinds_of_pick(pick: Pick, n_demos: int) -> Iterator[str]:
    yield MODES[pick.mode]
    yield from (name for name in ("tint", "to_origin", "pasted") if getattr(pick, name))
    if is_given(pick, n_demos):
        yield "given"
    else:
        yield f"source {pick.path[0]}" if pick.path[0] < 3 else "output of a demo"
    is_list = False
    for number in pick.path[1:]:
        move = vocabulary()[number]
        yield move.shape
        if move.takes:
            yield move.takes
        if move.shape == "picture" and is_list:
            yield "move on every picture of a list"
        elif move.shape != "picture":
            is_list = move.shape in ("cut", "sift")


@cache
def searched(name: str, view: str) -> tuple[Task, Enumerated]:
    (task,) = training(name)
    return task, enumerate_view(VIEWS[view](task), QUICK)


# --- what is found is a program ---


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", SAMPLE)
def test_every_stack_is_what_its_program_gives(name: str, view: str) -> None:
    task, found = searched(name, view)
    for stack in found.stacks:
        check_stack(found, stack, task)


def test_a_stack_has_twins_that_differ_in_the_tests_alone() -> None:
    n_twins = 0
    for name in SAMPLE:
        (task,) = training(name)
        found = enumerate_view(plain(task), replace(QUICK, max_stacks=100))
        for first in found.stacks[:2]:
            for stack in found.stacks[-3:]:
                n_other = sum(a != b for a, b in zip(first.picks, stack.picks, strict=False))
                if len(first.picks) == len(stack.picks) and n_other == 1:
                    n_twins += first.demos == stack.demos and first.outputs != stack.outputs
                    check_stack(found, stack, task)
    assert n_twins


@pytest.mark.parametrize("name", SAMPLE)
def test_pieces_say_which_cells_they_add(name: str) -> None:
    task, found = searched(name, "plain")
    n_cells = sum(len(demo.output) * len(demo.output[0]) for demo in task.demos)
    for stack in found.stacks:
        added = sum(pick.n_cells for pick in stack.picks)
        assert all(pick.n_cells and pick.demos for pick in stack.picks) and added <= n_cells
        assert stack.n_right < len(task.demos) or added == n_cells
        assert stack.asked and stack.n_unseen <= stack.n_right
        assert stack.n_unseen == stack.n_right - (stack.demos & stack.asked).bit_count()


def test_what_is_made_for_one_demo_is_right_in_others_unseen() -> None:
    (task,) = training("67a3c6ac")  # one piece, a mirror, gives all outputs
    every = (1 << len(task.demos)) - 1
    unseen, seen = (
        enumerate_view(plain(task), replace(QUICK, subsets=subsets)).stacks[0]
        for subsets in (True, False)
    )
    assert unseen.demos == seen.demos == every
    assert unseen.asked.bit_count() == 1 and unseen.n_unseen == len(task.demos) - 1
    assert seen.asked == every and not seen.n_unseen


def test_four_moves_deep_only_the_best_are_taken_further() -> None:
    (task,) = training("f2829549")
    options = EnumerateOptions(depth=4, max_applications=300_000, max_stacks=3)
    first, second = (enumerate_view(plain(task), options) for _ in range(2))
    assert outcome(first) == outcome(second)
    assert first.counts["was_cut"]
    assert first.counts["n_applications"] >= 300_000 and first.stacks
    assert 0 < first.counts["n_told"] < first.counts["n_applications"]
    for stack in first.stacks:
        check_stack(first, stack, task)


def test_what_was_only_narrowed_finds_nothing_more_with_more_moves() -> None:
    (task,) = training("e9afcf9a")
    few, some, more = (
        enumerate_view(plain(task), EnumerateOptions(depth=4, max_applications=n, max_stacks=3))
        for n in (10**6, 4 * 10**6, 16 * 10**6)
    )
    assert all(found.counts["was_narrowed"] for found in (few, some, more))
    assert few.counts["was_cut"] and not some.counts["was_cut"]
    assert outcome(some) == outcome(more)
    assert some.counts["n_applications"] == more.counts["n_applications"] < 4 * 10**6


def test_the_sample_has_all_kinds() -> None:
    seen = {
        kind
        for name in SAMPLE
        for view in VIEWS
        for task, found in [searched(name, view)]
        for kind in kinds_of(found, task)
    }
    assert KINDS - seen == set()


@pytest.mark.parametrize("name", SAMPLE)
def test_sizes_are_right_in_as_many_demos_as_is_said(name: str) -> None:
    for view in VIEWS:
        task, found = searched(name, view)
        program = found.size_program()
        n_right = sum(
            by_reference(program, task, demo.input) == shape(found.view.demos[k][1])
            for k, demo in enumerate(task.demos)
        )
        assert n_right == found.size[0]
        for index, grid in enumerate(task.test_inputs):
            outputs = [stack.outputs[index] for stack in found.stacks]
            sizes = {shape(output) for output in outputs if output is not None}
            assert sizes <= {by_reference(program, task, grid)}


@pytest.mark.parametrize("guess", [0, 1, 2])
def test_further_guesses_at_the_size_are_programs_too(guess: int) -> None:
    (task,) = training("8be77c9e")
    found = enumerate_view(plain(task), replace(QUICK, size_guess=guess))
    first = enumerate_view(plain(task), QUICK)
    assert (found.size == first.size) == (guess == 0)
    for stack in found.stacks:
        check_stack(found, stack, task)


def test_a_square_as_high_as_the_input_is_not_the_input_s_size() -> None:
    (task,) = training("2dee498d")
    found = enumerate_view(plain(task), EnumerateOptions(depth=0))
    program = found.program(found.stacks[0], "found")
    for demo in task.demos:
        assert by_reference(program, task, demo.input) == demo.output


def test_given_sources_are_searched_from() -> None:
    (task,) = training("f2829549")
    node = call_node("vmirror", input_node("I"))
    inputs = [*(demo.input for demo in task.demos), *task.test_inputs]
    source = Source(node, [tuple(row[::-1] for row in grid) for grid in inputs], depth=0)
    # Nothing else can mirror: what mirrors is the source.
    options = replace(QUICK, depth=1, off=frozenset({"turn", "mirror_fill", "tile_mirrored"}))
    found = enumerate_view(replace(plain(task), sources=[source]), options)
    assert any("given" in kinds_of(found, task) for _ in found.stacks)
    for stack in found.stacks:
        check_stack(found, stack, task)


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
def test_what_is_off_is_not_used(change: dict[str, Any], kind: set[str] | None) -> None:
    n_stacks = 0
    for task in training(*SAMPLE, "67a3c6ac", "25ff71a9"):
        found = enumerate_view(plain(task), replace(QUICK, **change))
        n_stacks += len(found.stacks)
        assert not set(kinds_of(found, task)) & (kind or set())
        used = {
            vocabulary()[number].primitive
            for stack in found.stacks
            for pick in stack.picks
            for number in pick.path[1:]
        }
        assert not used & change.get("off", set())
    assert n_stacks


# --- it repeats, and ends where it is told ---


def outcome(found: Enumerated) -> Any:
    counts = {name: n for name, n in found.counts.items() if not name.endswith("_s")}
    return found.size, found.stacks, counts


@pytest.mark.parametrize("bound", [0, 100, 5_000, 10**9])
def test_a_search_ends_at_the_same_place_always(bound: int) -> None:
    (task,) = training("f2829549")
    options = replace(QUICK, max_applications=bound)
    first, second = (enumerate_view(by_role(task), options) for _ in range(2))
    assert outcome(first) == outcome(second)
    assert first.counts["was_cut"] == (bound < 10**9)
    # It looks at the bound before each value; on one, every move is tried in every example.
    most = bound + 2 * len(vocabulary()) * (len(task.demos) + len(task.test_inputs))
    assert first.counts["n_applications"] <= most or bound == 10**9


def test_threads_do_not_change_what_is_found() -> None:
    tasks = training(*SAMPLE)
    alone = [outcome(enumerate_view(plain(task), QUICK)) for task in tasks]
    beside: dict[int, Any] = {}

    def search(first: int) -> None:
        for k in range(first, len(tasks), 2):
            beside[k] = outcome(enumerate_view(plain(tasks[k]), QUICK))

    threads = [threading.Thread(target=search, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [beside[k] for k in range(len(tasks))] == alone


def test_a_stop_flag_ends_a_search() -> None:
    stop = _enumerate.StopFlag()
    stop.set()
    found = enumerate_view(plain(huge_task()), EnumerateOptions(depth=3), stop)
    assert found.counts["was_cut"] and found.counts["n_applications"] < 100_000
    assert found.stacks == []


def test_a_stop_flag_is_seen_while_it_searches() -> None:
    stop = _enumerate.StopFlag()
    options = EnumerateOptions(depth=6, max_bytes=2**28, max_s=1e6)
    results: list[Enumerated] = []
    thread = threading.Thread(
        target=lambda: results.append(enumerate_view(plain(huge_task()), options, stop))
    )
    thread.start()
    stop.set()
    thread.join(60)
    assert not thread.is_alive()
    assert results[0].counts["was_cut"]


def test_no_time_is_no_search() -> None:
    found = enumerate_view(plain(huge_task()), EnumerateOptions(depth=3, max_s=0.0))
    assert found.counts["was_cut"] and found.stacks == []


@pytest.mark.parametrize("max_bytes", [0, 2**20, 2**25])
def test_memory_is_bounded(max_bytes: int) -> None:
    (task,) = training("f2829549")
    found = enumerate_view(plain(task), EnumerateOptions(depth=4, max_bytes=max_bytes))
    assert found.counts["was_cut"]
    # What was going on when the bound was reached is ended: a few values more, and fixed costs.
    assert found.counts["n_bytes"] <= max_bytes + 2**24
    for stack in found.stacks[:5]:
        check_stack(found, stack, task)


def test_long_lists_do_not_overshoot() -> None:
    """Nine hundred cells that are nine hundred parts: a move on such a list is as many moves."""
    dots = tuple(tuple(1 + (3 * i + j) % 9 for j in range(30)) for i in range(30))
    view = replace(plain(huge_task()), demos=[(dots, dots)] * 5, tests=[dots])
    for max_bytes in (2**22, 2**26):
        found = enumerate_view(view, EnumerateOptions(depth=4, max_bytes=max_bytes, max_s=1e6))
        assert found.counts["was_cut"]
        assert found.counts["n_bytes"] <= max_bytes + 2**23


# --- hostile tasks ---


@pytest.mark.parametrize("task", list(odd_tasks()), ids=lambda task: task.id)
def test_any_task_can_be_searched(task: Task) -> None:
    for make in (plain, by_role):
        found = enumerate_view(make(task), replace(QUICK, max_bytes=2**26))
        for stack in found.stacks:
            assert len(stack.outputs) == len(task.test_inputs)
            assert 0 < stack.demos < 1 << min(len(task.demos), 32)
            for grid in filter(None, stack.outputs):
                assert all(1 <= side <= 30 for side in shape(grid))
        if found.stacks and len(task.demos) < 10:
            check_stack(found, found.stacks[0], task)


def test_nobody_copies_an_answer() -> None:
    """What fits by other demos' outputs has them from other demos."""
    (same,) = (task for task in odd_tasks() if task.id == "same demos")
    found = enumerate_view(plain(same), QUICK)
    for stack in found.stacks:
        for pick in stack.picks:
            assert "output of a demo" not in kinds_of_pick(pick, len(same.demos))


# --- what is wrong is said ---


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"depth": -1}, "depth is -1"),
        ({"depth": 300}, "depth is 300"),
        ({"size_depth": 99}, "size_depth is 99"),
        ({"size_guess": -1}, "size_guess is -1"),
        ({"max_pieces": 0}, "max_pieces is 0"),
        ({"modes": 0}, "modes is 0"),
        ({"modes": 8}, "modes is 8"),
        ({"max_bytes": -1}, "max_bytes is -1"),
        ({"max_applications": -1}, "max_applications is -1"),
        ({"max_stacks": -1}, "max_stacks is -1"),
        ({"max_s": -1.0}, "no time"),
        ({"max_s": float("nan")}, "no time"),
        ({"off": frozenset({"smaer"})}, "no move uses smaer"),
    ],
    ids=str,
)
def test_bad_options_are_said(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        EnumerateOptions(**change)


def test_bad_views_are_said() -> None:
    view = plain(training("0520fde7")[0])
    node = input_node("I")
    search = partial(enumerate_view, options=QUICK)
    with pytest.raises(ValueError, match="a source needs a grid an example"):
        search(replace(view, sources=[Source(node, [((1,),)])]))
    with pytest.raises(ValueError, match="needs demos and tests"):
        search(replace(view, tests=[]))
    with pytest.raises(ValueError, match="needs demos and tests"):
        search(replace(view, demos=[]))
    with pytest.raises(ValueError, match="do not fit its size"):
        search(replace(view, tests=[((1, 2), (3,))]))
    with pytest.raises(ValueError, match="a colour beyond 9"):
        search(replace(view, tests=[((10,),)]))
    with pytest.raises(ValueError, match="a grid of 31 x 2 cells; sides must be 1 to 30"):
        search(replace(view, tests=[((1, 2),) * 31]))
    with pytest.raises(ValueError, match="a grid of 1 x 31 cells; sides must be 1 to 30"):
        search(replace(view, demos=[(((1,),), ((1,) * 31,))]))
    with pytest.raises(ValueError, match="a grid of 1 x 400 cells"):
        inputs = [*(before for before, _ in view.demos), *view.tests]
        search(replace(view, sources=[Source(node, [((0,) * 400,)] * len(inputs))]))
    with pytest.raises(ValueError, match="depth of a source is 17"):
        Source(node, [], 17)
    found = enumerate_view(plain(training("0520fde7")[0]), QUICK)
    with pytest.raises(ValueError, match="no formula"):
        replace(found, size=None).size_program()


def test_options_have_the_same_names_on_both_sides() -> None:
    ours = {each.name for each in fields(EnumerateOptions)}
    theirs = {name for name in vars(_enumerate.SearchOptions) if not name.startswith("_")}
    assert ours - {"off"} == theirs - {"enabled"}
    native = EnumerateOptions(depth=3, max_s=1.5, off=frozenset({"smear"})).native
    assert (native.depth, native.max_s, native.output_sources) == (3, 1.5, True)
    enabled = [move.primitive != "smear" for move in vocabulary()]
    assert native.enabled == enabled


def test_the_engine_checks_options_too() -> None:
    native = _enumerate.SearchOptions()
    with pytest.raises(AttributeError):
        native.dept = 3  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        native.depth = 300
    with pytest.raises(TypeError):
        native.max_bytes = -1
    grid = (1, 1, b"\1")

    def search(options: _enumerate.SearchOptions) -> None:
        _enumerate.Walk([grid, grid], [grid], []).search(options, _enumerate.StopFlag())

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


# --- by what is open ---


def test_what_is_left_open_leads_to_pieces_that_cover_it() -> None:
    (task,) = training("834ec97d")
    options = EnumerateOptions(depth=3, by_open=True, max_applications=100_000)
    found = enumerate_view(by_role(task), options)
    assert found.stacks[0].n_right == len(task.demos)
    program = found.program(found.stacks[0], "found")
    assert all(by_reference(program, task, demo.input) == demo.output for demo in task.demos)


@pytest.mark.parametrize("task_id", ["25d8a9c8", "a85d4709"])
def test_the_order_of_the_last_move_changes_no_search_of_all_moves(task_id: str) -> None:
    view = by_role(training(task_id)[0])
    by_shown, by_open = (
        enumerate_view(view, EnumerateOptions(depth=3, by_open=each)) for each in (False, True)
    )
    assert not by_shown.counts["was_cut"] and not by_open.counts["was_cut"]
    assert by_shown.stacks[0].demos == by_open.stacks[0].demos
    assert by_shown.stacks[0].depth == by_open.stacks[0].depth


# --- going on ---

# Small tasks whose last depth has many rounds, lists and tints.
GOING_ON = ("25d8a9c8", "a85d4709", "e9afcf9a", "3ac3eb23")


@pytest.mark.parametrize(("view", "by_open"), [("plain", False), ("roles", False), ("roles", True)])
@pytest.mark.parametrize("task_id", GOING_ON)
def test_a_walk_that_goes_on_finds_what_a_new_search_finds(
    task_id: str, view: str, by_open: bool
) -> None:
    (task,) = training(task_id)
    walk = Walk(VIEWS[view](task))
    n_applied = n_resumed = 0
    for n_moves in (20_000, 80_000, 81_000, 200_000):
        options = EnumerateOptions(
            depth=3, by_open=by_open, max_applications=n_moves, max_stacks=20
        )
        resumes = walk.can_resume
        n_resumed += resumes
        found, anew = walk.search(options), enumerate_view(walk.view, options)
        assert (found.size, found.stacks) == (anew.size, anew.stacks)
        assert found.counts["n_pieces"] == anew.counts["n_pieces"]
        assert found.counts["was_cut"] == anew.counts["was_cut"]
        assert found.counts["n_applied_before"] == (n_applied if resumes else 0)
        n_applied = found.counts["n_applied_before"] + found.counts["n_applications"]
    assert n_resumed


def test_a_walk_goes_on_after_it_was_stopped() -> None:
    walk = Walk(plain(training("a85d4709")[0]))
    options = EnumerateOptions(depth=3, max_applications=90_000)
    walk.search(replace(options, max_applications=80_000))
    stop = _enumerate.StopFlag()
    stop.set()
    stopped = walk.search(options, stop)
    assert stopped.counts["was_cut"] and stopped.counts["n_applications"] < 10_000
    assert walk.search(options).stacks == enumerate_view(walk.view, options).stacks


def test_a_walk_begins_anew_where_it_cannot_go_on() -> None:
    walk = Walk(plain(training("25d8a9c8")[0]))
    assert not walk.can_resume and walk.n_bytes == 0
    walk.search(EnumerateOptions(depth=3, max_applications=80_000))
    assert walk.can_resume and walk.n_bytes > 2**16
    for other in (
        EnumerateOptions(depth=2),
        EnumerateOptions(depth=3, max_applications=10_000),
        EnumerateOptions(depth=3, max_applications=90_000, off=frozenset({"smear"})),
    ):
        found = walk.search(other)
        assert found.counts["n_applied_before"] == 0
        assert found.stacks == enumerate_view(walk.view, other).stacks
    # What was searched whole has nothing to go on to.
    walk.search(EnumerateOptions(depth=2))
    assert not walk.can_resume
    assert walk.is_of(plain(training("25d8a9c8")[0]))
    assert not walk.is_of(plain(training("a85d4709")[0]))


def test_a_walk_searches_in_one_thread_at_a_time() -> None:
    walk = Walk(plain(huge_task()))
    stop = _enumerate.StopFlag()
    options = EnumerateOptions(depth=4, max_applications=10**9)

    def search() -> None:
        """Search until stopped, also if the other thread was the first."""
        while True:
            with suppress(RuntimeError):
                walk.search(options, stop)
                return

    thread = threading.Thread(target=search)
    thread.start()
    with pytest.raises(RuntimeError, match="searching already"):
        while thread.is_alive():
            # Ended at once if this came first.
            ended = _enumerate.StopFlag()
            ended.set()
            walk.search(options, ended)
    stop.set()
    thread.join()


# --- the vocabulary ---

# Primitives on pictures that are no moves, and why.
NOT_STEPS = {
    "tint": "done to pieces at the end, in colours that every output has",
    "over": "how the pieces of a stack are put together",
    "holes_over": "how the pieces of a stack are put together",
    "nudge": "pieces one cell aside multiply the values and solve next to nothing",
}


def test_every_step_is_a_primitive_with_its_arguments() -> None:
    primitives = all_primitives()
    for move in vocabulary():
        n_args = 1 + bool(move.takes) + len(move.args)
        assert primitives[move.primitive].arity == n_args, move
        assert move.shape in ("picture", "cut", "pick", "sift")
        assert move.takes in ("", "input size", "output size")
        assert str(move).startswith(move.primitive)
    assert len(set(vocabulary())) == len(vocabulary())


def test_every_primitive_on_pictures_is_searched_with_or_there_is_a_reason() -> None:
    searched_with = {move.primitive for move in vocabulary()}
    families = ("pictures", "picture_drawing", "picture_lists", "picture_pairs")
    on_pictures = {
        name for name, primitive in all_primitives().items() if primitive.family in families
    }
    assert on_pictures - searched_with == set(NOT_STEPS)
    assert searched_with <= on_pictures
