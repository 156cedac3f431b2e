"""Programs to text: straight-line code that `parse` reads back as the same program."""

from __future__ import annotations

from collections.abc import Mapping

from .constants import NAME_OF_TEXT
from .ir import Node, Program
from .values import format_value


def format_constant(node: Node) -> str:
    text = format_value(node.value)
    return NAME_OF_TEXT.get(text, text)


def format_program(program: Program) -> str:
    """The program as a function, one call a line: `x1 = ...`, at last `O = ...`."""
    names: dict[Node, str] = {}
    lines = []
    for node in program.nodes():
        if node.kind not in ("call", "invoke"):
            continue
        name = "O" if node is program.result else f"x{len(names) + 1}"
        lines.append(f"    {name} = {format_step(node, names)}")
        names[node] = name
    lines.append(f"    return {_format_argument(program.result, names)}")
    return "\n".join([f"def {program.name}({', '.join(program.inputs)}):", *lines]) + "\n"


def format_step(node: Node, names: Mapping[Node, str]) -> str:
    """One call, its arguments by the names of earlier lines."""
    args = [_format_argument(arg, names) for arg in node.args]
    if node.kind == "call":
        return f"{node.name}({', '.join(args)})"
    return f"{args[0]}({', '.join(args[1:])})"


def _format_argument(node: Node, names: Mapping[Node, str]) -> str:
    if node in names:
        return names[node]
    return format_constant(node) if node.kind == "constant" else node.name
