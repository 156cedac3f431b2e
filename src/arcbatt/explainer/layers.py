"""The layers of a program that stacks pictures, to be shown one by one.

Programs of `enumerate` lay pieces over each other: `over` shows a piece where it is not 0,
`holes_over` where it is 0; the bottom piece is shown everywhere.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from arcbatt.language import Failure, Node, Program, Value, interpret
from arcbatt.language.budget import SEARCH_BUDGET
from arcbatt.language.ir import replace_node
from arcbatt.tasks import Grid, Task

# Where each primitive shows its first argument over its second.
PAINTS = {"over": "where it is not 0", "holes_over": "where it is 0"}
EVERYWHERE = "everywhere"


@dataclass(frozen=True, slots=True)
class Layer:
    """A piece of a stack, where it is shown, and the program without the layers above it."""

    piece: Node
    paints: str
    program: Program


@dataclass(frozen=True, slots=True)
class LaidLayer:
    """A layer on one input: the grid of this layer and those below it, and the cells it changes.

    `grid` is None if the program does not return a grid.
    """

    layer: Layer
    grid: Grid | None
    changed: frozenset[tuple[int, int]]


def find_layers(program: Program) -> list[Layer]:
    """Return the layers of a program from top to bottom; none if it has no stack."""
    top = _find_stack(program.result)
    layers: list[Layer] = []
    node = top
    while node is not None:
        below = node.args[1] if node.kind == "call" and node.name in PAINTS else None
        piece = node if below is None else node.args[0]
        paints = EVERYWHERE if below is None else PAINTS[node.name]
        assert top is not None
        changed = Program(replace_node(program.result, top, node), program.name)
        layers.append(Layer(piece, paints, changed))
        node = below
    return layers


def _find_stack(result: Node) -> Node | None:
    """Return the topmost call that lays one picture on another, if its grid is used."""
    todo, seen = deque([result]), {result}
    while todo:
        node = todo.popleft()
        if node.kind == "call" and node.name == "last":
            (inner,) = node.args
            if inner.kind == "call" and inner.name in PAINTS:
                return inner
        todo += [arg for arg in node.args if arg not in seen]
        seen.update(node.args)
    return None


def lay(layers: list[Layer], task: Task, grid: Grid) -> list[LaidLayer]:
    """Return the grids of the layers on an input, from the full stack to the bottom layer."""
    demos = tuple((demo.input, demo.output) for demo in task.demos)
    shown = [_grid_of(layer.program, {"I": grid, "S": demos}) for layer in layers]
    return [
        LaidLayer(layer, above, _differing(above, below))
        for layer, above, below in zip(layers, shown, [*shown, None][1:], strict=True)
    ]


def _grid_of(program: Program, inputs: dict[str, Value]) -> Grid | None:
    outcome = interpret(program, inputs, SEARCH_BUDGET).outcome
    if isinstance(outcome, Failure) or not isinstance(outcome, tuple):
        return None
    return outcome  # type: ignore[return-value]  # what the program would submit


def _differing(above: Grid | None, below: Grid | None) -> frozenset[tuple[int, int]]:
    """Return the cells that a layer changes; all cells for the bottom layer."""
    if above is None:
        return frozenset()
    same_size = below is not None and len(above) == len(below) and len(above[0]) == len(below[0])
    return frozenset(
        (r, c)
        for r, row in enumerate(above)
        for c, cell in enumerate(row)
        if not same_size or below is None or below[r][c] != cell
    )
