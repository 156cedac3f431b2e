"""The statements of a program as they are written: extent, comments, and calls inside them.

The meaning of each line comes from the parser.
"""

import ast
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arcbatt.language import Node, ParsedProgram, find_primitive


@dataclass(frozen=True, slots=True)
class InnerCall:
    """A call inside a line: its text and its node."""

    text: str
    node: Node


@dataclass(frozen=True, slots=True)
class Statement:
    """One line of a program: the assigned name (`return` for the last) and its text.

    `inner` holds the calls inside it, except the outermost, each before the call that uses it.
    """

    number: int
    name: str
    text: str
    comments: tuple[str, ...]
    node: Node
    inner: tuple[InnerCall, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A program as it was written: its docstring, statements and assigned names.

    `statements` includes the last line only if it does more than return a name. `last_line` always
    has it.
    """

    header: str
    doc: str
    statements: tuple[Statement, ...]
    last_line: str
    names: frozenset[str]

    @property
    def text(self) -> str:
        """The text of the program alone, with its names and comments."""
        is_plain = not {'"', "\\"} & set(self.doc)
        lines = [f'"""{self.doc}"""' if is_plain else repr(self.doc)] if self.doc else []
        for statement in self.statements:
            lines += [*statement.comments, *statement.text.split("\n")]
        if not self.statements or self.statements[-1].name != "return":
            lines.append(self.last_line)
        return "\n".join([self.header, *(f"    {line}" for line in lines), ""])


def read_source(program: ParsedProgram) -> Source:
    """Return the source of a program as it is written."""
    # Split lines as the parser does; a carriage return only ends a line.
    lines = [line.removesuffix("\r") for line in program.text.split("\n")]
    chunk = "\n".join(lines)
    encoded = [line.encode() for line in lines]
    with warnings.catch_warnings():  # about escapes in docstrings
        warnings.simplefilter("ignore", SyntaxWarning)
        function = ast.parse(chunk, "").body[0]
    assert isinstance(function, ast.FunctionDef)  # checked by the parser
    docstring = ast.get_docstring(function)
    body = function.body if docstring is None else function.body[1:]
    first_line = program.line - 1  # of the chunk, less one: `lineno` counts from 1
    statements = []
    # The first line after the header and docstring, then after each statement.
    free_line = function.lineno if docstring is None else function.body[0].end_lineno or 1
    returned = body[-1]
    assert isinstance(returned, ast.Return)
    shown_body = body if program.lines[-1][1] == "return" else body[:-1]
    shown_body = [each for each in shown_body if not isinstance(each, ast.FunctionDef)]
    for statement, (number, name, node) in zip(shown_body, program.lines, strict=True):
        assert isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return)
        assert statement.value is not None
        assert statement.lineno + first_line == number
        comments = _comments(lines[free_line : statement.lineno - 1])
        free_line = statement.end_lineno or statement.lineno
        inner = tuple(_inner_calls(statement.value, node, encoded))
        shown = _statement_text(statement, encoded)
        statements.append(Statement(number, name, shown, comments, node, inner))
    last_line = _statement_text(returned, encoded)
    names = frozenset(name for _, name, _ in program.lines)
    header = f"def {program.name}({', '.join(arg.arg for arg in function.args.args)}):"
    return Source(header, " ".join((docstring or "").split()), tuple(statements), last_line, names)


def _segment(part: ast.stmt | ast.expr, lines: Sequence[bytes]) -> str:
    """Return the text of a part of a program; lines are UTF-8, as `ast` counts columns in bytes.

    `ast.get_source_segment` would split the whole text each time.
    """
    assert part.end_lineno is not None
    segment = b"\n".join(lines[part.lineno - 1 : part.end_lineno])
    n_after = len(lines[part.end_lineno - 1]) - (part.end_col_offset or 0)
    return segment[part.col_offset : len(segment) - n_after].decode()


def _statement_text(statement: ast.stmt, lines: Sequence[bytes]) -> str:
    first, *rest = _segment(statement, lines).split("\n")
    # Continuation lines keep their indent relative to the body.
    return "\n".join([first, *(line.removeprefix(" " * statement.col_offset) for line in rest)])


def _comments(lines: list[str]) -> tuple[str, ...]:
    return tuple(line.strip() for line in lines if line.strip().startswith("#"))


def _inner_calls(outer: ast.expr, node: Node, lines: Sequence[bytes]) -> Iterator[InnerCall]:
    """Walk an expression beside its node; yield the calls below the outermost one."""
    seen = {node}

    def walk(expression: ast.expr, node: Node) -> Iterator[InnerCall]:
        if not isinstance(expression, ast.Call):
            return
        for inner, inner_node in _arguments(expression, node):
            yield from walk(inner, inner_node)
        if node not in seen:
            seen.add(node)
            yield InnerCall(" ".join(_segment(expression, lines).split()), node)

    return walk(outer, node)


def _arguments(call: ast.Call, node: Node) -> Iterator[tuple[ast.expr, Node]]:
    """Pair the arguments of a call with those of its node, unless it stands for other calls."""
    if node.kind == "invoke" and len(node.args) == len(call.args) + 1:
        yield from zip([call.func, *call.args], node.args, strict=True)
        return
    primitive = find_primitive(call.func.id) if isinstance(call.func, ast.Name) else None
    if node.kind != "call" or primitive is None or primitive.name != node.name:
        return
    yield from zip(call.args, node.args, strict=False)
    for keyword in call.keywords:
        assert keyword.arg is not None
        yield keyword.value, node.args[primitive.parameters.index(keyword.arg)]
