"""Programs to text that reads back as the same programs: one call a line, inlined, or fused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .constants import NAME_OF_TEXT
from .ir import SIGNATURES, Node, Program, walk
from .parse import MAX_COLUMNS, MAX_NESTING
from .values import Value, format_value

# What is used more than once is written out each time up to so many columns, otherwise named. So
# the length of an inlined text grows with the number of nodes, however often they are shared.
MAX_REPEATED_COLUMNS = 24
# What is longer or nested deeper has a line of its own even if it is used once: with a few such
# arguments a line stays within what `parse` reads.
MAX_INLINED_COLUMNS = MAX_COLUMNS // 8
MAX_INLINED_LEVELS = MAX_NESTING // 2


def format_constant(node: Node) -> str:
    text = format_value(node.value)
    return NAME_OF_TEXT.get(text, text)


def format_program(program: Program) -> str:
    """The program as a function, one call a line: `x1 = ...`, at last `O = ...`."""
    names: dict[Node, str] = {}
    used: set[str] = set()
    lines = []
    for node in program.nodes():
        if node.args:
            name = "O" if node is program.result else f"x{len(names) + 1}"
            lines.append(f"    {name} = {format_step(node, names)}")
            names[node] = name
        elif node.kind == "input":
            used.add(node.name)
    lines.append(f"    return {_format_argument(program.result, names)}")
    return format_function(program.name, used, lines)


def format_inlined(program: Program) -> str:
    """The program as a function that returns one expression.

    Lines `x1 = ...` before it name what the expression would otherwise repeat at length.
    """
    nodes = list(program.nodes())
    n_uses: dict[Node, int] = {}
    for node in nodes:
        for arg in node.args:
            n_uses[arg] = n_uses.get(arg, 0) + 1
    texts: dict[Node, str] = {}
    levels: dict[Node, int] = {}
    lines: list[str] = []
    text = ""
    for node in nodes:
        if node.args:
            head, *parts = [texts[arg] for arg in node.args]
            if node.kind == "call":
                text = f"{node.name}({', '.join((head, *parts))})"
            else:
                text = f"{head}({', '.join(parts)})"
            n_levels = 1 + max([levels[arg] for arg in node.args])
        elif node.kind == "constant":
            text = format_constant(node)
            n_levels = 0 if text.isidentifier() else _count_levels(node.value)
        else:
            text, n_levels = node.name, 0
        if node is not program.result and (
            (len(text) > MAX_REPEATED_COLUMNS and n_uses[node] > 1)
            or len(text) > MAX_INLINED_COLUMNS
            or n_levels > MAX_INLINED_LEVELS
        ):
            name = f"x{len(lines) + 1}"
            lines.append(f"    {name} = {text}")
            text, n_levels = name, 0
        texts[node] = text
        levels[node] = n_levels
    lines.append(f"    return {text}")
    return format_function(program.name, program.inputs, lines)


def format_batt(programs: Sequence[Program]) -> str:
    """Many programs fused: one call a line, each call once, then their results.

    These are lines `O1 = x7  # name`, one a program, by the name that the program has.
    """
    names: dict[Node, str] = {}
    used: set[str] = set()
    lines = []
    for node in walk(*[program.result for program in programs]):
        if node.args:
            name = f"x{len(names) + 1}"
            lines.append(f"    {name} = {format_step(node, names)}")
            names[node] = name
        elif node.kind == "input":
            used.add(node.name)
    for number, program in enumerate(programs, 1):
        result = _format_argument(program.result, names)
        lines.append(f"    O{number} = {result}  # {program.name}")
    return format_function("batt", used, lines)


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


def format_function(name: str, used: Iterable[str], lines: Sequence[str]) -> str:
    """A function of these lines, with the inputs of the least signature that has the used ones."""
    wanted = set(used)
    inputs = next(inputs for inputs in SIGNATURES if wanted <= set(inputs))
    return "\n".join([f"def {name}({', '.join(inputs)}):", *lines]) + "\n"


def _count_levels(value: Value) -> int:
    """How deep a literal is nested: 1 for a number, 2 for a tuple of numbers."""
    n_levels, level = 0, [value]
    while level:
        n_levels += 1
        level = [member for v in level if isinstance(v, tuple | frozenset) for member in v]
    return n_levels
