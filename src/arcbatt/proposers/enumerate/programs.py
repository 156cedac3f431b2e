"""Programs of the language for stacks of pieces, and for trees over them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from arcbatt.language import Program
from arcbatt.language.ir import Node, call_node, constant, primitive_node
from arcbatt.proposers.views import View

from .moves import vocabulary
from .options import MODES
from .stack import BLANK, BLANK_OUTPUT, FIRST_OUTPUT, INPUT, Layer, Stack
from .tree import PieceTree


class StackWriter:
    """Writes the stacks and the size formula of a view as programs."""

    def __init__(self, view: View, size: Any) -> None:
        self._view = view
        self._size = size

    def program(self, stack: Stack, name: str) -> Program:
        """Return the program of a stack, built from its lowest piece upwards."""
        result: Node | None = None
        for layer in reversed(stack.layers):
            piece = self._piece(layer)
            mode = MODES[layer.mode]
            if result is None or mode == "whole":
                result = piece
            else:
                result = call_node("over" if mode == "shown" else "holes_over", piece, result)
        assert result is not None
        return Program(self._view.restore(call_node("last", result)), name)

    def tree_program(self, tree: PieceTree, name: str) -> Program:
        """Return the program of a tree: a choice for each of its tests."""
        return Program(self._view.restore(self._choice(tree, 0)), name)

    def _choice(self, tree: PieceTree, k: int) -> Node:
        number, color, other = tree.nodes[k]
        if number < 0:
            return call_node("canvas", constant(color), self.output_size)
        value = tree.values[number]
        node = self._drawn(value.path, value.to_origin, 0, value.pasted)
        grid = call_node("last", node)
        if not other:
            return grid
        chosen, rest = self._choice(tree, k + 1), self._choice(tree, other)
        return call_node("where_color", grid, constant(color), chosen, rest)

    def _piece(self, layer: Layer) -> Node:
        return self._drawn(layer.path, layer.to_origin, layer.tint, layer.pasted)

    def _drawn(self, path: tuple[int, ...], to_origin: bool, tint: int, pasted: bool) -> Node:
        node = self._value(path)
        if to_origin:
            node = call_node("to_origin", node)
        if tint:
            node = call_node("tint", node, constant(tint))
        if pasted:
            node = call_node("paste_on", node, self.output_size)
        return node

    def _value(self, path: tuple[int, ...]) -> Node:
        node = self._source(path[0])
        is_list = False
        for number in path[1:]:
            move = vocabulary()[number]
            args = [constant(arg) for arg in move.args]
            if is_list and move.shape == "picture":
                function = primitive_node(move.primitive)
                for arg in reversed(args):
                    function = call_node("rbind", function, arg)
                node = call_node("apply", function, node)
            else:
                if move.takes:
                    takes_input_size = move.takes == "input size"
                    args.insert(0, self._input_size if takes_input_size else self.output_size)
                node = call_node(move.primitive, node, *args)
                is_list = move.shape in ("cut", "sift")
        return node

    def _source(self, number: int) -> Node:
        view = self._view
        n_outputs = len(view.demos)
        if number == INPUT:
            grid = view.input_node
        elif number in (BLANK, BLANK_OUTPUT):
            size = self._input_size if number == BLANK else self.output_size
            grid = call_node("canvas", constant(0), size)
        elif number < FIRST_OUTPUT + n_outputs:
            index = constant(number - FIRST_OUTPUT)
            grid = call_node("other_output", view.demos_node, index, view.input_node)
        else:
            grid = view.sources[number - FIRST_OUTPUT - n_outputs].node
        return call_node("astuple", constant((0, 0)), grid)

    @property
    def _input_size(self) -> Node:
        return call_node("shape", self._view.input_node)

    @cached_property
    def output_size(self) -> Node:
        """The node that computes the size of the view's output."""
        _, rows, columns = self._size
        if (rows, columns) == (([INPUT], [], 1, 0, False), ([INPUT], [], 1, 0, True)):
            return self._input_size
        sides = [self._side(*rows), self._side(*columns)]
        if all(side.kind == "constant" for side in sides):
            return constant((sides[0].value, sides[1].value))
        return call_node("astuple", *sides)

    def _side(
        self, factor: list[int], summand: list[int], times: int, plus: int, uses_width: bool
    ) -> Node:
        """Return side(factor) * times + side(summand) + plus; an empty path stands for no term."""

        def side(path: list[int]) -> Node:
            grid = call_node("last", self._value(tuple(path)))
            return call_node("width" if uses_width else "height", grid)

        node: Node | None = None
        if factor:
            node = side(factor)
            if times != 1:
                node = call_node("multiply", node, constant(times))
        if summand:
            node = side(summand) if node is None else call_node("add", node, side(summand))
        if node is None:
            return constant(plus)
        return call_node("add", node, constant(plus)) if plus else node
