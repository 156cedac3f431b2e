"""Views of a task: their nodes compute their grids, and outputs can be mapped back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from arcbatt.language import Failure, Program, Reason, interpret
from arcbatt.language.ir import Node, call_node, constant
from arcbatt.language.primitives.views import TURNS
from arcbatt.proposers import views
from arcbatt.proposers.enumerate import all_passes
from arcbatt.proposers.views import (
    NoView,
    View,
    background_views,
    box_views,
    by_role,
    first_of,
    in_boxes,
    plain,
    turned_views,
    with_background,
    with_roles,
    with_turns,
)
from arcbatt.tasks import Grid, Pair, Task, load
from tests.support.search import huge_task, task_named

VIEWS: dict[str, Callable[[Task], View]] = {
    "plain": plain,
    "roles": by_role,
    **{f"ground {k}": lambda task, k=k: with_background(plain(task), k) for k in range(3)},
    **{
        f"ground {k}, roles": lambda task, k=k: with_roles(with_background(plain(task), k))
        for k in range(3)
    },
    **{f"turn {k}": lambda task, k=k: with_turns(plain(task), k) for k in range(len(TURNS))},
    **{
        f"turn {k}, roles": lambda task, k=k: with_roles(with_turns(plain(task), k))
        for k in range(len(TURNS))
    },
    "turned ground": lambda task: with_roles(with_turns(with_background(plain(task), 1), 0)),
    "twice": lambda task: with_turns(with_turns(by_role(task), 0), 1),
}
TASKS = [*list(load("arc-agi-1/training"))[::40], huge_task(), task_named("small")]


def value_of(node: Node, task: Task, grid: Any) -> Any:
    """Evaluate a node by the reference interpreter."""
    pairs = tuple((demo.input, demo.output) for demo in task.demos)
    return interpret(Program(node, "node"), {"I": grid, "S": pairs}).outcome


@pytest.mark.slow
@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_nodes_compute_the_grids_of_a_view_and_restore_undoes_it(task: Task, name: str) -> None:
    view = VIEWS[name](task)
    inputs = [*(demo.input for demo in task.demos), *task.test_inputs]
    seen = [*(before for before, _ in view.demos), *view.tests]
    assert len(seen) == len(inputs)
    for given, wanted in zip(inputs[:1] + inputs[-1:], seen[:1] + seen[-1:], strict=True):
        assert value_of(view.input_node, task, given) == wanted
        assert value_of(view.restore(view.input_node), task, given) == given
    assert value_of(view.demos_node, task, inputs[0]) == tuple(view.demos)
    for demo, (_, after) in list(zip(task.demos, view.demos, strict=True))[:2]:
        assert value_of(view.restore(constant(after)), task, demo.input) == demo.output


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_roles_are_a_permutation_that_leaves_0_in_place(task: Task) -> None:
    view = by_role(task)
    every = (tuple(range(10)),)
    for grid, seen in zip(task.test_inputs, view.tests, strict=True):
        colors = value_of(view.restore(constant(every)), task, grid)
        assert sorted(colors[0]) == list(every[0]) and colors[0][0] == 0
        for row, roles in zip(grid, seen, strict=True):
            assert tuple(colors[0][role] for role in roles) == row


def test_roles_do_not_depend_on_the_colors() -> None:
    """A task with its colors renamed looks the same by role."""

    def task_in(background: int, thing: int) -> Task:
        before = ((background, 0, 0), (background, background, thing))
        return Task("t", (Pair(before, before[::-1]),) * 2, (before,), "tests")

    assert by_role(task_in(3, 5)).tests == by_role(task_in(4, 8)).tests


def test_the_views_of_passes_are_among_those_tested() -> None:
    tested = {make(TASKS[0]).kind for make in VIEWS.values()}
    for each in all_passes():
        kinds = set()
        for task in TASKS:
            try:
                kinds.add(each.view(task).kind)
            except NoView:  # a pass may skip tasks, but not all
                continue
        assert kinds, each.name
        assert kinds <= tested, each.name


def test_views_of_one_kind_differ_only_in_codes() -> None:
    view = with_roles(with_turns(with_background(plain(TASKS[0]), 1), 2))
    assert (view.name, view.kind) == ("ground 1, turn 2, roles", "ground, turn, roles")


def task_of(*inputs: Grid) -> Task:
    """Return a task of identity demos; the last input is the test."""
    pairs = tuple(Pair(grid, grid) for grid in inputs[:-1])
    return Task("task", pairs, inputs[-1:], "tests")


def test_background_views_are_distinct_and_change_something() -> None:
    black = ((0, 0, 0), (0, 5, 0), (0, 0, 0))
    red = ((2, 2, 2), (2, 5, 2), (2, 2, 2))
    assert list(background_views(plain(task_of(black, black, black)))) == []
    # If all codes give the same background, there is one view.
    (only,) = background_views(plain(task_of(red, red, red)))
    assert only.tests == [black] and only.name == "ground 0"
    # A background for all examples differs from one per example.
    names = [view.name for view in background_views(plain(task_of(red, red, black)))]
    assert names == ["ground 0", "ground 1"]
    assert first_of(background_views(plain(task_of(red, red, black)))).name == "ground 0"
    with pytest.raises(NoView, match="no view"):
        first_of(background_views(plain(task_of(black, black, black))))


def test_turned_views_are_distinct_and_turn_examples_differently() -> None:
    top = ((0, 5, 0), (0, 0, 0), (0, 0, 0))
    bottom = top[::-1]
    assert list(turned_views(plain(task_of(bottom, bottom, bottom)))) == []
    turned = list(turned_views(plain(task_of(top, bottom, top))))
    assert turned and turned[0].tests == [top]
    assert [before for before, _ in turned[0].demos] == [top, top]
    seen = [[*view.demos, *view.tests] for view in turned]
    assert all(seen.count(each) == 1 for each in seen)


def upside_down_objects() -> Task:
    """Every object of two colors is turned upside down, one that is symmetric stays."""
    demos = (
        Pair(((1, 1, 0, 0), (2, 0, 0, 3)), ((2, 0, 0, 0), (1, 1, 0, 3))),
        Pair(((0, 5, 0, 4), (0, 6, 0, 4)), ((0, 6, 0, 4), (0, 5, 0, 4))),
    )
    return Task("upside down", demos, (((7, 0, 8, 8), (9, 0, 8, 0)), ((0, 0, 0, 3),)), "tests")


def test_boxes_are_examples_and_programs_do_the_same_to_each_box() -> None:
    task = upside_down_objects()
    (view,) = (each for each in box_views(task) if each.name == "boxes 0")
    assert view.demos == [
        (((1, 1), (2, 0)), ((2, 0), (1, 1))),
        (((5,), (6,)), ((6,), (5,))),
        (((3,),), ((3,),)),
        (((4,), (4,)), ((4,), (4,))),
    ]
    assert view.tests == [((7,), (9,)), ((8, 8), (8, 0)), ((3,),)]
    for demo in task.demos:
        assert value_of(view.demos_node, task, demo.input) == tuple(view.demos)
    given = task.test_inputs[0]
    assert value_of(view.restore(view.input_node), task, given) == given
    flipped = ((9, 0, 8, 0), (7, 0, 8, 8))
    assert value_of(view.restore(call_node("hmirror", view.input_node)), task, given) == flipped
    by_roles = with_roles(view)
    assert value_of(by_roles.restore(by_roles.input_node), task, given) == given
    with pytest.raises(NoView, match="not a function"):
        view.restore(constant(given))


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (((1, 0), (0, 0)), ((1, 0),), "another size"),
        (((1, 0), (0, 0)), ((2, 3), (0, 0)), "outside"),
        (((1, 1), (0, 1)), ((2, 2), (0, 2)), "fill"),
        (((1, 1, 1), (1, 0, 0), (1, 0, 2), (0, 0, 0)), ((3,) * 3,) * 4, "overlap"),
        (((1, 0), (0, 0)), ((2, 0), (0, 0)), "fewer than two"),
        (((1, 0, 1), (0, 0, 0)), ((2, 0, 3), (0, 0, 0)), "different ways"),
    ],
)
def test_a_task_without_boxes_that_change_has_no_view_of_boxes(
    before: Grid, after: Grid, why: str
) -> None:
    task = Task("boxes", (Pair(before, after),), (before,), "tests")
    with pytest.raises(NoView, match=why):
        in_boxes(plain(task), 0)


def test_a_failing_primitive_raises_no_view(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "evaluate_data", lambda *_: Failure(Reason.EMPTY))
    with pytest.raises(NoView, match="role_demos"):
        by_role(task_named("one"))
