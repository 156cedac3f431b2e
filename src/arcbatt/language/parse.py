"""Parse program text.

A program is a function definition in the style of arc-dsl solvers:

    def solve_67a3c6ac(I):
        x1 = vmirror(I)
        return x1

Its inputs are `(I)` or `(S, I)`; each line assigns an expression to a name; the last line
returns one. An expression is a name, a constant, a literal of numbers, tuples and sets,
or a call of a primitive or of a function-valued name; calls may be nested, and arguments
of primitives given by keyword. Annotations of types mean nothing here. A file may hold
many programs and, outside of them, comments, docstrings and arc-dsl's own import lines,
which mean nothing either. Other lines there are rejected by themselves: programs above and
below them are read.

The text is read, by `parse_plain` where it can and otherwise by `ast`, and never run:
whatever a file contains, the outcome is programs or a `ProgramError`.
"""

from __future__ import annotations

import ast
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from arcbatt.measure import phase
from arcbatt.plurals import count
from arcbatt.suggestion import suggest

from . import ir
from .constants import CONSTANTS
from .ir import SIGNATURES, Node, Program
from .parse_plain import read_plain
from .registry import Primitive, find_primitive, spellings
from .values import MAX_NUMBER, Value

# Limits on one program; a file may hold any number of them.
MAX_PROGRAM_BYTES = 2**20
MAX_LINES = 10_000
MAX_NESTING = 64
MAX_COLUMNS = 20_000

# Lengths of names and lines in messages.
MAX_SHOWN = 80


def _shorten(text: str) -> str:
    """Return text from a file as a message shows it."""
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + "..."


class ProgramError(ValueError):
    """Invalid program text: where it is, what is there and what was expected."""

    def __init__(
        self, message: str, *, file: str = "", line: int = 0, column: int = 0, text: str = ""
    ) -> None:
        where = ":".join(str(part) for part in (file, line, column) if part)
        # Text from a file must not control the terminal.
        text = "".join(
            c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[:200]
        )
        shown = _shorten(text)
        super().__init__(
            (f"{where}: " if where else "") + message + (f"\n    {shown}" if shown else "")
        )
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.text = text


@dataclass(frozen=True, slots=True)
class ParsedProgram:
    """A program with its place in the text and the names of its lines.

    It is accepted wherever a program is.
    """

    program: Program
    file: str
    line: int
    # In order: line number, assigned name, node. The last line, named "return", is left out if it
    # only returns a name.
    lines: tuple[tuple[int, str, Node], ...]

    @property
    def name(self) -> str:
        """The name that the text gives it."""
        return self.program.name

    def __repr__(self) -> str:
        return f"<ParsedProgram {self.name}: {self.file}:{self.line}>"


@dataclass(frozen=True, slots=True)
class RejectedProgram:
    """Text in the place of a program that is not one, with the name it gives itself.

    The name is empty for lines outside of programs; those up to the next program are rejected
    together, at the first of them.
    """

    name: str
    error: ProgramError
    line: int


@phase("load")
def parse_file(path: str | os.PathLike[str]) -> list[ParsedProgram]:
    """Return all programs of a file; the first text that is not a program is a `ProgramError`."""
    return list(parse_programs(_read_text(path), str(path)))


def _read_text(path: str | os.PathLike[str]) -> str:
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"expected a path, not a {type(path).__name__}")
    try:
        return Path(path).read_bytes().decode("utf-8")
    except OSError as error:
        raise ProgramError(f"cannot be read: {error.strerror}", file=str(path)) from error
    except UnicodeDecodeError as error:
        raise ProgramError(f"is not UTF-8 text: {error.reason}", file=str(path)) from error


@phase("load")
def read_file(path: str | os.PathLike[str]) -> list[ParsedProgram | RejectedProgram]:
    """Return all programs of a file; text that is not a program is a `RejectedProgram`."""
    return list(read_lines(_read_text(path).split("\n"), str(path)))


def read_lines(lines: Iterable[str], file: str = "") -> Iterator[ParsedProgram | RejectedProgram]:
    """Yield the programs of a file, and each text that is not a program with the reason.

    Lines come without their ends. One program's text is held at a time, so the file may be of any
    size.
    """
    for chunk in _split(lines):
        try:
            yield _parse_chunk(chunk, file)
        except ProgramError as error:
            name = _NAME.match(chunk.text)
            yield RejectedProgram(name.group(1) if name else "", error, chunk.line)


def parse_programs(text: str, file: str = "") -> Iterator[ParsedProgram]:
    """Return the programs of a text; raise ProgramError at the first that is not one."""
    for chunk in _split(text.split("\n")):
        yield _parse_chunk(chunk, file)


def parse_program(text: str, file: str = "") -> Program:
    """Return the one program of a text, such as "def solve(I):\\n    return vmirror(I)\\n".

    It is parsed, never run by Python. Raise a `ProgramError` that says where it is not a program.
    """
    if not isinstance(text, str):
        hint = "; parse_file(path) reads files" if isinstance(text, os.PathLike) else ""
        raise TypeError(f"expected the text of a program, not a {type(text).__name__}{hint}")
    if text.endswith(".py") and "\n" not in text:
        raise ProgramError(f"expected the text of a program; parse_file({text!r}) reads a file")
    if text.lstrip().startswith("def ") and not text.startswith("def "):
        text = dedent(text)  # it may come from an indented string
    programs = list(parse_programs(text, file))
    if len(programs) != 1:
        raise ProgramError(f"expected one program, found {len(programs)}", file=file)
    return programs[0].program


def to_program(given: object, what: str = "") -> Program:
    """Return the program that is given, as it is or as it was parsed.

    Raise a `TypeError` for all else: it starts with `what` and says what to do.
    """
    if isinstance(given, Program):
        return given
    if isinstance(given, ParsedProgram):
        return given.program
    hint = ""
    if isinstance(given, str):
        hint = "; parse_program(text) gives the program"
    elif isinstance(given, RejectedProgram):
        hint = f": {given.error}"
    place = f"{what}: " if what else ""
    raise TypeError(f"{place}expected a program, not a {type(given).__name__}{hint}")


# The import lines of arc-dsl's own solver files.
_HEADER = re.compile(r"from [\w.]*\b(dsl|constants|arc_types) import \*\s*(#.*)?$")
# Python takes long to read such a string, and programs do not need it.
_FORMAT_STRING = re.compile(r"""\b([fF][rR]?|[rR][fF])['"]""")
# Signs of an invalid line: such a string, a NUL, a carriage return within the line.
_SUSPECT = ("\0", "\r", *(letter + quote for letter in "fFrR" for quote in "'\""))
_BLANK = re.compile(r"\s*(#.*)?$")
_ODD_LITERAL = re.compile(r"\\|\b[0-9]+[A-Za-z_]")
# Python refuses to read integers of more than 4,300 digits.
_LONG_NUMBER = re.compile(r"[0-9_]{4301,}")
_NAME = re.compile(r"def\s+(\w{1,100})")
# The byte order mark with which some editors begin a file; copied text may have it, too.
_BYTE_ORDER_MARK = "\ufeff"
_QUOTES = re.compile(r"\s*[rR]?(\"\"\"|''')")


# How the lines of a program begin, except the first. A line that begins otherwise belongs to the
# program only if a string or bracket is open.
_WITHIN = frozenset({"", " ", "\t", "\f", "\r", "#"})
_MARK = re.compile(r"""\\.?|\"{3}|'{3}|["'#()\[\]{}]""")


class _Chunk(NamedTuple):
    """The text of one function and its first line; or a stray line, with an error."""

    line: int
    text: str
    trouble: str = ""


class _Openings:
    """The string, brackets or continued line still open after the lines read so far."""

    def __init__(self) -> None:
        self.quotes = ""  # that end the open string
        self.depth = 0
        self.is_continued = False  # the line ends in a backslash

    @property
    def in_text(self) -> bool:
        """Whether a string of several lines is open."""
        return len(self.quotes) == 3

    def __bool__(self) -> bool:
        return self.is_continued or self.depth > 0 or self.quotes != ""

    def follow(self, line: str) -> None:
        if len(line) > MAX_COLUMNS:
            return  # not a line of a program
        mark = ""
        for match in _MARK.finditer(line.removesuffix("\r")):
            mark = match.group()
            if self.quotes:
                # In a string of one quote, three quotes end it and make an empty string.
                if mark == self.quotes or mark == 3 * self.quotes:
                    self.quotes = ""
            elif mark[0] in "\"'":
                self.quotes = mark
            elif mark == "#":
                break
            elif mark in "([{":
                self.depth += 1
            elif mark in ")]}":
                self.depth -= 1
        self.is_continued = mark == "\\"
        if not self.in_text and not self.is_continued:
            self.quotes = ""


def _split(lines: Iterable[str]) -> Iterator[_Chunk]:
    """Split a text at lines that start with `def`, and at lines outside of programs.

    So limits apply to each program alone, and a file of any size can be read.
    """
    chunk: list[str] = []
    first_line = 0
    openings = _Openings()
    n_followed = 0  # lines of the chunk that were scanned, which is done only if needed
    is_reported = False  # whether stray lines since the last program were reported
    text_from = _Chunk(0, "")
    for number, line in enumerate(lines, start=1):
        if number == 1:
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if chunk and line[:1] in _WITHIN:
            chunk.append(line)
            continue
        if line.startswith("def ") and (chunk or not openings.in_text):
            if chunk:
                yield _Chunk(first_line, "\n".join(chunk))
            chunk, first_line = [line], number
            openings, n_followed, is_reported = _Openings(), 0, False
            continue
        if chunk:
            for each in chunk[n_followed:]:
                openings.follow(each)
            n_followed = len(chunk)
            if openings:
                chunk.append(line)
                continue
            yield _Chunk(first_line, "\n".join(chunk))
            chunk, openings = [], _Openings()
        was_in_text = openings.in_text
        if was_in_text or '"""' in line or "'''" in line:
            openings.follow(line)
        if was_in_text:
            continue
        if openings.in_text:
            text_from = _Chunk(number, line, "expected an end of this text in quotes")
        means_nothing = _BLANK.match(line) or _HEADER.match(line) or _QUOTES.match(line)
        if not means_nothing and not is_reported:
            is_reported = True
            yield _Chunk(number, line, "expected a program: def solve_...(I):")
    if chunk:
        yield _Chunk(first_line, "\n".join(chunk))
    elif openings.in_text:
        yield text_from


def first_function(lines: Iterable[str]) -> str:
    """Return the text of the function that begins with the first of these lines, and no more."""
    return next(_split(lines)).text


def _parse_chunk(chunk: _Chunk, file: str) -> ParsedProgram:
    first_line, text, trouble = chunk

    def rejection(message: str, line: int = 1, column: int = 1, shown: str = "") -> ProgramError:
        return ProgramError(
            message, file=file, line=first_line + line - 1, column=column, text=shown
        )

    if trouble:
        raise rejection(trouble, shown=text)
    n_bytes = len(text) if text.isascii() else len(text.encode(errors="replace"))
    if n_bytes > MAX_PROGRAM_BYTES:
        raise rejection(f"a program has at most {MAX_PROGRAM_BYTES} bytes")
    n_lines = text.rstrip().count("\n") + 1
    if n_lines > MAX_LINES:
        raise rejection(f"a program has at most {MAX_LINES} lines, this one has {n_lines}")
    if len(text) > MAX_COLUMNS or any(each in text for each in _SUSPECT):
        _check_lines(text, rejection)
    if plain := read_plain(text, first_line):
        return ParsedProgram(plain[0], file, first_line, plain[1])
    try:
        tree = _parse_syntax(text)
    except SyntaxError as error:
        at, column, why = error.lineno or 1, error.offset or 1, error.msg
        # Python's message suggests to raise a limit of Python and does not say where.
        if "digits) for integer" in why and (number := _LONG_NUMBER.search(text)):
            before = text[: number.start()]
            at, column = before.count("\n") + 1, len(before) - before.rfind("\n")
            why = "a number has too many digits"
        raise rejection(f"not readable as a program: {why}", at, column, _line(text, at)) from error
    except (RecursionError, MemoryError) as error:  # which one, and its message, depends on Python
        raise rejection("not readable as a program: nested too deep") from error
    except ValueError as error:
        raise rejection(f"not readable as a program: {error}") from error
    try:
        return _Reader(text, first_line, file).read(tree)
    except RecursionError as error:
        raise rejection("not readable as a program: nested too deep") from error


def _check_lines(text: str, rejection: Callable[[str, int, int, str], ProgramError]) -> None:
    """Reject text that Python would reject slowly, or without saying where."""
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > MAX_COLUMNS:
            raise rejection(f"a line has at most {MAX_COLUMNS} columns", number, 1, line[:80])
        if (column := line.find("\0")) >= 0:
            raise rejection("not readable as a program: a NUL byte", number, column + 1, line)
        if (column := line.removesuffix("\r").find("\r")) >= 0:
            raise rejection(
                "not readable as a program: a carriage return that ends no line",
                number,
                column + 1,
                line,
            )
        if match := _FORMAT_STRING.search(line):
            raise rejection("expected no format string", number, match.start() + 1, line)


def _parse_syntax(text: str) -> ast.Module:
    if not _ODD_LITERAL.search(text):
        return ast.parse(text)
    with warnings.catch_warnings():  # about odd escapes in docstrings, and numbers such as 1if
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _line(text: str, number: int) -> str:
    lines = text.split("\n")
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


@cache
def _constant_node(name: str) -> Node:
    return ir.constant(CONSTANTS[name])


class _Reader:
    """Translates one function's syntax tree into a program."""

    def __init__(self, text: str, first_line: int, file: str) -> None:
        self.text = text
        self.first_line = first_line
        self.file = file
        self.names: dict[str, Node] = {}
        self.lines: list[tuple[int, str, Node]] = []

    def reject(self, message: str, at: ast.AST) -> ProgramError:
        line: int = getattr(at, "lineno", 1)
        end_line: int = getattr(at, "end_lineno", None) or line
        # `ast` counts columns in bytes.
        whole = self.text.split("\n")[line - 1].encode()
        start: int = getattr(at, "col_offset", 0)
        end: int | None = getattr(at, "end_col_offset", None) if end_line == line else None
        return ProgramError(
            message,
            file=self.file,
            line=self.first_line + line - 1,
            column=len(whole[:start].decode(errors="replace")) + 1,
            text=whole[start:end].decode(errors="replace").strip(),
        )

    def read(self, tree: ast.Module) -> ParsedProgram:
        function, *rest = tree.body
        if not isinstance(function, ast.FunctionDef):
            raise self.reject("expected a program: def solve_...(I):", function)
        if rest:
            raise self.reject("expected nothing between programs", rest[0])
        self.read_inputs(function)
        statements = function.body
        if (
            isinstance(statements[0], ast.Expr)
            and isinstance(statements[0].value, ast.Constant)
            and isinstance(statements[0].value.value, str)
        ):
            statements = statements[1:]  # a docstring
        if not statements or not isinstance(statements[-1], ast.Return):
            raise self.reject("expected a last line `return ...`", (statements or [function])[-1])
        for statement in statements[:-1]:
            self.read_assignment(statement)
        returned = statements[-1]
        if returned.value is None:
            raise self.reject("expected a name or a call to return", returned)
        result = self.read_expression(returned.value)
        if not isinstance(returned.value, ast.Name) or not self.lines:
            self.lines.append((self.first_line + returned.lineno - 1, "return", result))
        return ParsedProgram(
            Program(result, function.name), self.file, self.first_line, tuple(self.lines)
        )

    def read_inputs(self, function: ast.FunctionDef) -> None:
        args = function.args
        names = tuple(arg.arg for arg in args.args)
        plain = not (
            args.posonlyargs or args.kwonlyargs or args.vararg or args.kwarg or args.defaults
        )
        if not plain or names not in SIGNATURES or function.decorator_list:
            raise self.reject("expected the inputs (I), (S, I) or (S, I, output, target)", function)
        self.names = {name: ir.input_node(name) for name in names}
        self.reserved = {"S", "I", *names}

    def read_assignment(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets: list[ast.expr] = [statement.target]
            value = statement.value
        elif isinstance(statement, ast.Assign):
            targets, value = statement.targets, statement.value
        else:
            raise self.reject("expected an assignment: name = call(...)", statement)
        (target, *others) = targets
        if others or not isinstance(target, ast.Name):
            raise self.reject("expected one name to assign to", target)
        name = target.id
        if name in self.reserved:
            raise self.reject(f"{name} is an input; expected another name to assign to", target)
        if name in CONSTANTS or find_primitive(name) is not None:
            kind = "constant" if name in CONSTANTS else "primitive"
            raise self.reject(f"{name} is a {kind}; expected another name to assign to", target)
        node = self.read_expression(value)
        self.names[name] = node
        self.lines.append((self.first_line + statement.lineno - 1, name, node))

    def read_expression(self, expression: ast.expr, depth: int = 0) -> Node:
        if isinstance(expression, ast.Name):
            return self.names.get(expression.id) or self.read_name(expression)
        if depth > MAX_NESTING:
            raise self.reject(f"calls nested deeper than {MAX_NESTING}", expression)
        if isinstance(expression, ast.Call):
            return self.read_call(expression, depth)
        return ir.constant(self.read_literal(expression, depth))

    def read_name(self, expression: ast.Name) -> Node:
        name = expression.id
        if name in CONSTANTS:
            return _constant_node(name)
        if find_primitive(name) is not None:
            return ir.primitive_node(name)
        hint = suggest(name, (*self.names, *CONSTANTS, *spellings()))
        raise self.reject(f"unknown name {_shorten(name)}{hint}", expression)

    def read_call(self, expression: ast.Call, depth: int) -> Node:
        args = [self.read_expression(arg, depth + 1) for arg in expression.args]
        callee = expression.func
        if isinstance(callee, ast.Name) and callee.id not in self.names:
            primitive = find_primitive(callee.id)
            if callee.id in CONSTANTS:
                raise self.reject("expected a primitive or a function-valued name to call", callee)
            if primitive is None:
                hint = suggest(callee.id, (*self.names, *spellings()))
                raise self.reject(f"unknown primitive {_shorten(callee.id)}{hint}", callee)
            if expression.keywords:
                args = self.place_keywords(primitive, args, expression, depth)
            if len(args) != primitive.arity:
                takes = count(primitive.arity, "argument")
                raise self.reject(f"{primitive.usage} takes {takes}, not {len(args)}", expression)
            return ir.call_node(primitive, *args)
        if not isinstance(callee, ast.Name | ast.Call):
            raise self.reject("expected a primitive or a function-valued name to call", callee)
        if expression.keywords:
            raise self.reject("only primitives take keyword arguments", expression)
        if not args:
            raise self.reject("a function value needs at least one argument", expression)
        function = self.read_expression(callee, depth + 1)
        if function.kind == "constant":
            raise self.reject("expected a primitive or a function-valued name to call", callee)
        try:
            return ir.invoke_node(function, *args)
        except ValueError as error:
            raise self.reject(str(error), expression) from error

    def place_keywords(
        self, primitive: Primitive, args: list[Node], call: ast.Call, depth: int
    ) -> list[Node]:
        given = dict(zip(primitive.parameters, args, strict=False))
        for keyword in call.keywords:
            name = keyword.arg
            if name not in primitive.parameters:
                raise self.reject(
                    f"{primitive.usage} has no argument {_shorten(name or '**')}", keyword.value
                )
            if name in given:
                raise self.reject(f"{primitive.usage}: {name} is given twice", keyword.value)
            given[name] = self.read_expression(keyword.value, depth + 1)
        missing = [name for name in primitive.parameters if name not in given]
        if missing or len(args) > primitive.arity:
            raise self.reject(
                f"{primitive.usage}: expected {', '.join(missing) or 'fewer arguments'}", call
            )
        return [given[name] for name in primitive.parameters]

    def read_literal(self, expression: ast.expr, depth: int) -> Value:
        """Read numbers, T and F, named constants, and tuples and sets of them."""
        if depth > MAX_NESTING:
            raise self.reject(f"literals nested deeper than {MAX_NESTING}", expression)
        if isinstance(expression, ast.Tuple | ast.Set):
            members = [self.read_literal(member, depth + 1) for member in expression.elts]
            return tuple(members) if isinstance(expression, ast.Tuple) else frozenset(members)
        if isinstance(expression, ast.Name) and expression.id in CONSTANTS:
            return CONSTANTS[expression.id]
        negative = isinstance(expression, ast.UnaryOp) and isinstance(expression.op, ast.USub)
        number = expression.operand if negative else expression  # type: ignore[attr-defined]
        if isinstance(number, ast.Constant) and isinstance(number.value, int):
            value = number.value
            if abs(value) > MAX_NUMBER:
                raise self.reject(f"expected a number up to {MAX_NUMBER}", expression)
            return -value if negative else value
        raise self.reject(
            "expected a name, a constant, a number, a tuple or set of them, or a call", expression
        )


def parse_expression(text: str) -> Node:
    """Parse a single expression without inputs, as in the examples of primitives."""
    return parse_program(f"def example(I):\n    return {text}\n").result
