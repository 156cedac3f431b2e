"""Format programs as text that parses back: one call per line, or fused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from .constants import NAME_OF_TEXT
from .ir import SIGNATURES, Node, Program, walk
from .values import format_value

# The longest line that is read; longer ones are written in several.
MAX_COLUMNS = 20_000


def format_constant(node: Node) -> str:
    text = format_value(node.value)
    return NAME_OF_TEXT.get(text, text)


def format_program(program: Program) -> str:
    """Return a program as a function with one call per line: `x1 = ...`, last `O = ...`."""
    names: dict[Node, str] = {}
    used: set[str] = set()
    lines = []
    for node in program.nodes():
        if node.args:
            name = "O" if node is program.result else f"x{len(names) + 1}"
            lines.append(f"    {name} = {format_call(node, names)}")
            names[node] = name
        elif node.kind == "input":
            used.add(node.name)
    lines.append(f"    return {_format_argument(program.result, names)}")
    return format_function(program.name, used, lines)


def format_batt(programs: Sequence[Program]) -> str:
    """Return many programs fused: each distinct call on a line, then the results.

    A result is a line `O1 = x7  # name`, with the name of the program.
    """
    names: dict[Node, str] = {}
    used: set[str] = set()
    lines = []
    for node in walk(*[program.result for program in programs]):
        if node.args:
            name = f"x{len(names) + 1}"
            lines.append(f"    {name} = {format_call(node, names)}")
            names[node] = name
        elif node.kind == "input":
            used.add(node.name)
    for number, program in enumerate(programs, 1):
        result = _format_argument(program.result, names)
        lines.append(f"    O{number} = {result}  # {program.name}")
    return format_function("batt", used, lines)


def format_call(node: Node, names: Mapping[Node, str]) -> str:
    """Return the text of a call whose arguments are names of earlier lines."""
    args = [_format_argument(arg, names) for arg in node.args]
    if node.kind == "call":
        return f"{node.name}({', '.join(args)})"
    return f"{args[0]}({', '.join(args[1:])})"


def _format_argument(node: Node, names: Mapping[Node, str]) -> str:
    if node in names:
        return names[node]
    return format_constant(node) if node.kind == "constant" else node.name


def format_function(name: str, used: Iterable[str], lines: Sequence[str]) -> str:
    """Return a function of these lines, with the shortest list of inputs that has the used ones."""
    wanted = set(used)
    inputs = next(inputs for inputs in SIGNATURES if wanted <= set(inputs))
    short = [part for line in lines for part in _break_line(line)]
    return "\n".join([f"def {name}({', '.join(inputs)}):", *short]) + "\n"


def _break_line(line: str) -> Iterator[str]:
    """Yield a line in parts that can be read; commas are within brackets, where lines may end."""
    while len(line) > MAX_COLUMNS:
        end = line.rindex(", ", 0, MAX_COLUMNS) + 1
        yield line[:end]
        line = f"       {line[end:]}"
    yield line
