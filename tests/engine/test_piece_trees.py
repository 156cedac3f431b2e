"""Trees over pieces: they are programs that fit the demos, and held-out demos are counted."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from arcbatt.language import interpret
from arcbatt.proposers.enumerate.options import EnumerateOptions
from arcbatt.proposers.enumerate.proposer import bits_of_tree
from arcbatt.proposers.enumerate.search import SearchResult, search_view
from arcbatt.proposers.enumerate.tree import PieceTree
from arcbatt.proposers.views import by_role, plain
from arcbatt.tasks import Grid, Pair, Task
from tests.support.search import training

OPTIONS = EnumerateOptions(depth=1, size_depth=1, grow_trees=True)
MAX_LEAVES = 12


def task_of(rule: Any, *grids: Grid) -> Task:
    """Return a task whose last grid is the test input."""
    return Task("made", tuple(Pair(grid, rule(grid)) for grid in grids[:-1]), (grids[-1],), "made")


def change(grid: Grid) -> Grid:
    """Make cells green where the grid, upside down, is red."""
    return tuple(
        tuple(3 if below == 2 else cell for cell, below in zip(*rows, strict=True))
        for rows in zip(grid, grid[::-1], strict=True)
    )


GRIDS = (
    ((1, 0, 2, 5), (0, 1, 0, 4), (4, 1, 5, 2)),
    ((2, 2, 0, 1), (5, 4, 1, 0), (1, 0, 4, 2)),
    ((0, 5, 1, 1), (2, 0, 4, 5), (2, 1, 0, 5)),
    ((4, 2, 1, 0), (1, 5, 2, 4), (0, 2, 2, 1)),
)


def outputs_of(result: SearchResult, tree: PieceTree, task: Task) -> list[Any]:
    """Return the outputs of all demos and tests by the reference interpreter."""
    program = result.tree_program(tree, "tree")
    demos = tuple((demo.input, demo.output) for demo in task.demos)
    inputs = [*(demo.input for demo in task.demos), *task.test_inputs]
    return [interpret(program, {"I": grid, "S": demos}).outcome for grid in inputs]


def test_a_rule_over_pieces_is_found() -> None:
    task = task_of(change, *GRIDS)
    result = search_view(plain(task), OPTIONS)
    tree = result.trees[0]
    assert outputs_of(result, tree, task) == [change(grid) for grid in GRIDS]
    assert (tree.n_leaves, tree.n_held_out) == (2, 3)
    assert not result.stacks


@cache
def searched(name: str) -> tuple[Task, list[SearchResult]]:
    (task,) = training(name)
    options = replace(OPTIONS, depth=2, max_applications=40_000)
    return task, [search_view(view(task), options) for view in (plain, by_role)]


@pytest.mark.parametrize("name", ["25d8a9c8", "9af7a82c", "e9afcf9a", "a85d4709", "6e02f1e3"])
def test_every_tree_fits_the_demos(name: str) -> None:
    task, results = searched(name)
    for result in results:
        for tree in result.trees:
            outputs = outputs_of(result, tree, task)
            for demo, output in zip(task.demos, outputs, strict=False):
                # Where the formula for the size is wrong, the program has another size.
                assert output == demo.output or len(output) != len(demo.output)
            assert tree.n_leaves == len(tree.nodes) // 2 + 1 <= MAX_LEAVES
            assert 0 <= tree.n_held_out <= len(task.demos)
        tests = [tuple(outputs_of(result, tree, task)) for tree in result.trees]
        assert len(set(tests)) == len(tests), "two trees have the same outputs"
        assert sum(tree.n_alike for tree in result.trees) <= 7


def test_demos_without_a_common_rule_are_not_found_held_out() -> None:
    outputs = iter((1, 6, 7, 8))
    task = task_of(lambda grid: ((next(outputs),),), *GRIDS)
    result = search_view(plain(task), OPTIONS)
    assert all(tree.n_held_out == 0 for tree in result.trees)
    single = task_of(change, *GRIDS[-2:])
    assert all(tree.n_held_out == 0 for tree in search_view(plain(single), OPTIONS).trees)


def test_trees_repeat_and_respect_their_bounds() -> None:
    task = task_of(change, *GRIDS)
    first, second = (search_view(plain(task), OPTIONS) for _ in range(2))
    assert first.trees == second.trees and first.trees
    cut = search_view(plain(task), replace(OPTIONS, max_applications=10))
    assert cut.counts["was_cut"] and not first.counts["was_cut"]
    assert search_view(plain(task), replace(OPTIONS, max_s=0)).trees == []


def test_large_and_unproven_trees_cost_more() -> None:
    tree = PieceTree((), (), n_leaves=3, n_held_out=2, n_alike=2)
    assert bits_of_tree(tree) < bits_of_tree(replace(tree, n_leaves=4))
    assert bits_of_tree(tree) < bits_of_tree(replace(tree, n_held_out=0))
    assert bits_of_tree(tree) < bits_of_tree(tree, is_of_half=True)
    assert bits_of_tree(tree) > bits_of_tree(replace(tree, n_alike=4))
