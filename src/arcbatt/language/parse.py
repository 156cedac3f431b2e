"""Parse program text.

A program is a function definition in the style of arc-dsl solvers:

    def solve_67a3c6ac(I):
        x1 = vmirror(I)
        return x1

Its inputs are `(I)` or `(S, I)`; each line assigns an expression to a name; the last line
returns one. An expression is a name, a constant, a literal of numbers, tuples and sets,
or a call of a primitive or of a function-valued name; calls may be nested, and arguments
of primitives given by keyword; `tree_reader` says which other Python is accepted.
Annotations of types mean nothing here. A file may hold many programs and, outside of them,
comments, docstrings and arc-dsl's own import lines, which mean nothing either. Other
lines there are rejected by themselves: programs above and below them are read. A function
whose parameters are not inputs, and which another one calls, is not a program by itself.

The text is read, by `parse_plain` where it can and otherwise by `ast`, and never run:
whatever a file contains, the outcome is programs or a `ProgramError`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from arcbatt.measure import phase

from .ir import SIGNATURES, Node, Program
from .parse_plain import read_plain
from .program_error import ProgramError
from .registry import find_primitive
from .text import MAX_COLUMNS
from .tree_reader import MAX_LINES, FindHelper, Helper, TreeReader, parse_syntax

# Limits on one program, besides those on its lines and nesting; a file may hold any number of them.
MAX_PROGRAM_BYTES = 2**20
# The text of a longer program may be too long to be read back, as it has one call per line and
# spaces: by less than this many times.
MIN_LONG_TEXT = MAX_PROGRAM_BYTES // 32
# Of a text, the last functions that programs may call.
MAX_HELPERS = 200


@dataclass(frozen=True, slots=True)
class ParsedProgram:
    """A program with its place in the text and the names of its lines.

    It is accepted wherever a program is.
    """

    program: Program
    file: str
    line: int
    text: str = field(repr=False)
    """The program as it is written."""
    # In order: line number, assigned name, node. The last line, named "return", is left out if it
    # only returns a name.
    lines: tuple[tuple[int, str, Node], ...]

    @property
    def name(self) -> str:
        """The name that the text gives it."""
        return self.program.name

    def places(self) -> dict[Node, tuple[int, str]]:
        """Return the first line that needs each node: its number and the name it assigns."""
        places: dict[Node, tuple[int, str]] = {}
        for number, name, result in self.lines:
            stack = [result]
            while stack:
                node = stack.pop()
                if node not in places:
                    places[node] = (number, name)
                    stack.extend(node.args)
        return places

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

    @property
    def errors(self) -> tuple[ProgramError, ...]:
        """All errors of the program, in the order of its lines."""
        return self.error.all


@phase("load")
def parse_file(path: str | os.PathLike[str]) -> list[ParsedProgram]:
    """Return all programs of a file; the first text that is not a program is a `ProgramError`."""
    programs = []
    for each in _read_items(path):
        if isinstance(each, RejectedProgram):
            raise each.error
        programs.append(each)
    return programs


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
    """Return all programs of a file; text that is not a program is a `RejectedProgram`.

    In a file of prose, Markdown or JSON (.md, .txt, .json, .jsonl, .ipynb, .html, .log) only
    functions are looked at, as `read_programs` does.
    """
    return list(_read_items(path))


def _read_items(path: str | os.PathLike[str]) -> Iterator[ParsedProgram | RejectedProgram]:
    from .replies import is_prose, read_programs  # here, since it imports this module

    text = _read_text(path)
    if is_prose(Path(path)):
        return iter(read_programs(text, str(path)))
    return read_chunks(_split(text.split("\n")), str(path))


def read_lines(lines: Iterable[str], file: str = "") -> Iterator[ParsedProgram | RejectedProgram]:
    """Yield the programs of a file, and each text that is not a program with the reason.

    Lines come without their ends. One program's text is held at a time, so the file may be of any
    size.
    """
    return read_chunks(_split(lines), file, is_large=True)


def read_chunks(
    chunks: Iterable[Chunk], file: str, *, is_large: bool = False
) -> Iterator[ParsedProgram | RejectedProgram]:
    """Yield the program of each chunk, or the reason why it is none."""
    for chunk, find_helper in _programs_among(chunks, is_large=is_large):
        try:
            yield _parse_chunk(chunk, file, find_helper)
        except ProgramError as error:
            name = _NAME.match(chunk.text)
            yield RejectedProgram(name.group(1) if name else "", error, chunk.line)


def parse_programs(text: str, file: str = "") -> Iterator[ParsedProgram]:
    """Return the programs of a text; raise ProgramError at the first that is not one."""
    for chunk, find_helper in _programs_among(_split(text.split("\n"))):
        yield _parse_chunk(chunk, file, find_helper)


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
# Python refuses to read integers of more than 4,300 digits.
_LONG_NUMBER = re.compile(r"[0-9_]{4301,}")
_NAME = re.compile(r"def\s+(\w{1,100})")
_HEAD = re.compile(r"def\s+\w{1,100}\s*\(([^()]{0,400})\)")
_WORD = re.compile(r"[A-Za-z_]\w{0,100}")
# The byte order mark with which some editors begin a file; copied text may have it, too.
BYTE_ORDER_MARK = "\ufeff"
_QUOTES = re.compile(r"\s*[rR]?(\"\"\"|''')")


# How the lines of a program begin, except the first. A line that begins otherwise belongs to the
# program only if a string or bracket is open.
_WITHIN = frozenset({"", " ", "\t", "\f", "\r", "#"})
_MARK = re.compile(r"""\\.?|\"{3}|'{3}|["'#()\[\]{}]""")


class Chunk(NamedTuple):
    """The text of one function and its place; or a stray line, with an error.

    `block` tells apart the fences and strings of one text: functions of the same block belong
    together.
    """

    line: int
    text: str
    trouble: str = ""
    column: int = 0
    block: tuple[int, ...] = ()


class Openings:
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


def _split(lines: Iterable[str]) -> Iterator[Chunk]:
    """Split a text at lines that start with `def`, and at lines outside of programs.

    So limits apply to each program alone, and a file of any size can be read.
    """
    chunk: list[str] = []
    first_line = 0
    openings = Openings()
    n_followed = 0  # lines of the chunk that were scanned, which is done only if needed
    is_reported = False  # whether stray lines since the last program were reported
    text_from = Chunk(0, "")
    for number, line in enumerate(lines, start=1):
        if number == 1:
            line = line.removeprefix(BYTE_ORDER_MARK)
        if chunk and line[:1] in _WITHIN:
            chunk.append(line)
            continue
        if line.startswith("def ") and (chunk or not openings.in_text):
            if chunk:
                yield Chunk(first_line, "\n".join(chunk))
            chunk, first_line = [line], number
            openings, n_followed, is_reported = Openings(), 0, False
            continue
        if chunk:
            for each in chunk[n_followed:]:
                openings.follow(each)
            n_followed = len(chunk)
            if openings:
                chunk.append(line)
                continue
            yield Chunk(first_line, "\n".join(chunk))
            chunk, openings = [], Openings()
        was_in_text = openings.in_text
        if was_in_text or '"""' in line or "'''" in line:
            openings.follow(line)
        if was_in_text:
            continue
        if openings.in_text:
            text_from = Chunk(number, line, "expected an end of this text in quotes")
        means_nothing = _BLANK.match(line) or _HEADER.match(line) or _QUOTES.match(line)
        if not means_nothing and not is_reported:
            is_reported = True
            yield Chunk(number, line, "expected a program: def solve_...(I):")
    if chunk:
        yield Chunk(first_line, "\n".join(chunk))
    elif openings.in_text:
        yield text_from


class _Helpers:
    """The functions of a text by name."""

    def __init__(self) -> None:
        self._by_name: dict[str, list[tuple[int, Chunk, Helper]]] = {}
        self._names: list[str] = []

    def add(self, place: int, chunk: Chunk) -> None:
        """Add the function of a chunk, if it is one; only the last ones are kept."""
        name = None if chunk.trouble else _NAME.match(chunk.text)
        if name is None:
            return
        helper = Helper(chunk.text, chunk.line)
        self._by_name.setdefault(name.group(1), []).append((place, chunk, helper))
        self._names.append(name.group(1))
        if len(self._names) > MAX_HELPERS:
            del self._by_name[self._names.pop(0)][0]

    def near(self, place: int, block: tuple[int, ...]) -> FindHelper:
        """Return how the program of a chunk finds a function: in its own block, if it is there.

        The nearest above is taken, else the first below.
        """

        def find(name: str) -> Helper | None:
            helpers = self._by_name.get(name, ())
            own = [each for each in helpers if each[1].block == block] or helpers
            above = [helper for at, _, helper in own if at < place]
            return above[-1] if above else next((helper for _, _, helper in own), None)

        return find


def _programs_among(
    chunks: Iterable[Chunk], *, is_large: bool = False
) -> Iterator[tuple[Chunk, FindHelper]]:
    """Yield the chunks that are programs, and how they find the functions that they call.

    A function with other parameters than inputs is left out if others call it. Of a large text one
    chunk is held at a time, unless it has such functions; calls of functions below are not found.
    """
    helpers = _Helpers()
    numbered = enumerate(chunks)
    held: list[tuple[int, Chunk]] = []
    for place, chunk in numbered if is_large else ():
        helpers.add(place, chunk)
        if not chunk.trouble and not _takes_inputs(chunk.text):
            held.append((place, chunk))
            break
        yield chunk, helpers.near(place, chunk.block)
    for place, chunk in numbered:
        helpers.add(place, chunk)
        held.append((place, chunk))
    others = [not chunk.trouble and not _takes_inputs(chunk.text) for _, chunk in held]
    names = [found.group(1) if (found := _NAME.match(chunk.text)) else "" for _, chunk in held]
    called: set[str] = set()
    for own, (_, chunk) in zip(names, held if any(others) else (), strict=False):
        called.update(set(_WORD.findall(chunk.text)) - {own})
    for own, is_other, (place, chunk) in zip(names, others, held, strict=True):
        if is_other and own in called:
            primitive = find_primitive(own)
            if primitive is None or primitive.parameters == _parameters(chunk.text):
                continue  # part of its callers, or a copy of the definition of the primitive
            why = f"{own} is a primitive; expected another name for this function"
            chunk = chunk._replace(trouble=why, text=chunk.text.partition("\n")[0])
        yield chunk, helpers.near(place, chunk.block)


def _takes_inputs(text: str) -> bool:
    """Return whether the parameters of a function are inputs; true if they cannot be read."""
    names = _parameters(text)
    return names is None or names in SIGNATURES


def _parameters(text: str) -> tuple[str, ...] | None:
    """Return the names of a function's parameters; None if they cannot be read."""
    head = _HEAD.match(text)
    if head is None:
        return None
    names = (each.partition(":")[0].partition("=")[0].strip() for each in head.group(1).split(","))
    return tuple(filter(None, names))


def _parse_chunk(chunk: Chunk, file: str, find_helper: FindHelper) -> ParsedProgram:
    first_line, text, trouble, first_column, _ = chunk

    def rejection(message: str, line: int = 1, column: int = 1, shown: str = "") -> ProgramError:
        return ProgramError(
            message,
            file=file,
            line=first_line + line - 1,
            column=first_column + column,
            text=shown,
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
        return ParsedProgram(plain[0], file, first_line, text, plain[1])
    try:
        tree = parse_syntax(text)
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
        reader = TreeReader(
            text, first_line, file, first_column=first_column, find_helper=find_helper
        )
        name, result, lines_read = reader.read(tree)
        parsed = ParsedProgram(Program(result, name), file, first_line, text, lines_read)
    except RecursionError as error:
        raise rejection("not readable as a program: nested too deep") from error
    if len(text) > MIN_LONG_TEXT:
        own = parsed.program.text
        if len(own) > MAX_PROGRAM_BYTES or own.count("\n") > MAX_LINES:
            raise rejection(
                f"written with one call per line, it has {own.count(chr(10)):,} lines and "
                f"{len(own):,} bytes; a program has at most {MAX_LINES:,} and {MAX_PROGRAM_BYTES:,}"
            )
    return parsed


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


def _line(text: str, number: int) -> str:
    lines = text.split("\n")
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def parse_expression(text: str) -> Node:
    """Parse a single expression without inputs, as in the examples of primitives."""
    return parse_program(f"def example(I):\n    return {text}\n").result
