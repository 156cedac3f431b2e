"""A program that stacks pictures in, its layers out, to be lifted one by one.

What `enumerate` finds are pieces laid one over the other: `over` shows a piece where it is not 0,
`holes_over` where it is 0, and the undermost everywhere.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from arcbatt.language import Failure, Node, Program, Value, interpret
from arcbatt.language.budget import SEARCH_BUDGET
from arcbatt.language.ir import replace_node
from arcbatt.tasks import Grid, Task

# How each of them lays its first argument on its second.
PAINTS = {"over": "where it is not 0", "holes_over": "where it is 0"}
EVERYWHERE = "everywhere"


@dataclass(frozen=True, slots=True)
class Layer:
    """A piece of a stack, where it paints, and the program without the layers above it."""

    piece: Node
    paints: str
    program: Program


@dataclass(frozen=True, slots=True)
class LaidLayer:
    """A layer on one input: what it shows with all below it, and the cells that it changes there.

    `grid` is None where the program gives none.
    """

    layer: Layer
    grid: Grid | None
    changed: frozenset[tuple[int, int]]


def find_layers(program: Program) -> list[Layer]:
    """Return the layers of a program, the uppermost first; none where it stacks nothing."""
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
    """Return the uppermost call that lays one picture on another and whose grid is taken."""
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
    """Return what the layers show on an input, from all of them to the undermost alone."""
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
    """Return the cells that a layer changes; all of them where nothing is below it."""
    if above is None:
        return frozenset()
    same_size = below is not None and len(above) == len(below) and len(above[0]) == len(below[0])
    return frozenset(
        (r, c)
        for r, row in enumerate(above)
        for c, cell in enumerate(row)
        if not same_size or below is None or below[r][c] != cell
    )
