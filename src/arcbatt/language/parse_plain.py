"""Parse program text of a plain form, several times as fast as `ast`.

Plain is ASCII text with one assignment `    name = expression` per line and a last line `    return
expression`, where an expression is a name, a number, a literal of numbers, or a call with such
arguments, nested at will, `, ` between them. That is how programs are printed, and how nearly all
solvers are written. `ast` reads such text as the same program. Any other text, errors included,
gives None, so that only `parse` reports errors.
"""

from __future__ import annotations

import re
from keyword import iskeyword

from . import ir
from .constants import CONSTANTS
from .ir import SIGNATURES, Node, Program
from .registry import Primitive, on_declared, spellings
from .registry import get_primitive as primitive_of
from .values import MAX_NUMBER, Value

Line = tuple[int, str, Node]
"""Line number, name assigned to, node."""

# The deepest nesting; `parse` allows more.
MAX_PLAIN_NESTING = 32

_ANNOTATION = r"(?:: ([A-Za-z]\w*))?"
_INPUTS = {", ".join(names): names for names in SIGNATURES}
_HEAD = re.compile(r"def ([A-Za-z]\w*)\(([\w, :]+)\)(?: -> ([A-Za-z]\w*))?:", re.ASCII)
_TYPED_NAME = re.compile(r"([A-Za-z]\w*)" + _ANNOTATION, re.ASCII)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,8})", re.ASCII)
_TOKEN = re.compile(r"[A-Za-z]\w*\(?|-?[0-9]+|, |[(){},]", re.ASCII)


class _NotPlain(Exception):
    """Raised for text that must be parsed by `ast`."""


# Names that every program has: constants, and primitives as values.
_atoms: dict[str, Node] = {}
_callees: dict[str, Primitive] = {}


def _collect_names() -> None:
    for spelling, name in spellings().items():
        _callees[spelling] = primitive_of(name)
        _atoms[spelling] = ir.primitive_node(name)
    # A constant takes precedence over a primitive of the same name, as in `parse`.
    for name, value in CONSTANTS.items():
        _callees.pop(name, None)
        _atoms[name] = ir.constant(value)


on_declared(_atoms.clear)
on_declared(_callees.clear)


def read_plain(text: str, first_line: int) -> tuple[Program, tuple[Line, ...]] | None:
    """Return the program of a text and its lines as `parse` has them, or None if it is not plain.

    The text has no lone carriage return and no NUL.
    """
    if not text.isascii():
        return None
    try:
        return _Plain().read(text.split("\n"), first_line)
    except _NotPlain:
        return None


class _Plain:
    """Reads the lines of one function."""

    def __init__(self) -> None:
        if not _atoms:
            _collect_names()
        self.own: dict[str, Node] = {}

    def read(self, texts: list[str], first_line: int) -> tuple[Program, tuple[Line, ...]]:
        name = self.read_head(texts[0].removesuffix("\r"))
        lines: list[Line] = []
        result: Node | None = None
        n_docstring = _count_docstring(texts)
        for number, text in enumerate(texts[1 + n_docstring :], first_line + 1 + n_docstring):
            line = text.rstrip(" \r")
            if "#" in line:
                line = line.partition("#")[0].rstrip(" ")
            if not line:
                continue
            if result is not None or not line.startswith("    "):
                raise _NotPlain
            target, is_assignment, expression = line[4:].partition(" = ")
            if is_assignment:
                node = self.read_expression(expression)
                target = self.read_target(target)
                self.own[target] = node
                lines.append((number, target, node))
            elif target.startswith("return "):
                expression = target.removeprefix("return ")
                result = self.read_expression(expression)
                if not expression.isidentifier() or not lines:
                    lines.append((number, "return", result))
            else:
                raise _NotPlain
        if result is None:
            raise _NotPlain
        return Program(result, name), tuple(lines)

    def read_head(self, line: str) -> str:
        head = _HEAD.fullmatch(line)
        if head is None:
            raise _NotPlain
        name, given, annotation = head.groups()
        inputs = _INPUTS.get(given)
        if inputs is None:
            plain = ", ".join(self.without_annotation(each) for each in given.split(", "))
            inputs = _INPUTS.get(plain)
        if inputs is None or iskeyword(name) or iskeyword(annotation or ""):
            raise _NotPlain
        self.inputs: tuple[str, ...] = inputs
        for each in inputs:
            self.own[each] = ir.input_node(each)
        return str(name)

    def without_annotation(self, text: str) -> str:
        typed = _TYPED_NAME.fullmatch(text)
        if typed is None or iskeyword(typed.group(2) or ""):
            raise _NotPlain
        return typed.group(1)

    def read_target(self, text: str) -> str:
        name = text if text.isidentifier() else self.without_annotation(text)
        if name in _atoms or name in self.inputs or name == "S" or name[0] == "_":
            raise _NotPlain
        if iskeyword(name):
            raise _NotPlain
        return name

    def read_expression(self, text: str) -> Node:
        node = self.own.get(text) or _atoms.get(text)
        if node is not None:
            return node
        callee, is_call, rest = text.partition("(")
        if is_call and callee and rest[-1:] == ")":
            arguments = rest[:-1]
            if "(" not in arguments and "{" not in arguments:
                return self.make_call(callee, [self.read_atom(a) for a in arguments.split(", ")])
        return self.read_nested(text)

    def read_atom(self, text: str) -> Node:
        return self.own.get(text) or _atoms.get(text) or ir.constant(_read_number(text))

    def make_call(self, callee: str, args: list[Node]) -> Node:
        function = self.own.get(callee)
        if function is None:
            primitive = _callees.get(callee)
            if primitive is None or len(args) != len(primitive.parameters):
                raise _NotPlain
            return ir.call_node(primitive, *args)
        if not args or function.kind == "constant":
            raise _NotPlain
        try:
            return ir.invoke_node(function, *args)
        except ValueError:
            raise _NotPlain from None

    def read_nested(self, text: str) -> Node:
        """Read calls within calls, and literals, token by token."""
        tokens = _TOKEN.findall(text)
        if sum(map(len, tokens)) != len(text):
            raise _NotPlain
        # The enclosing calls and literals: callee, or "(" or "{" of a literal, with the members
        # read so far, nodes or values.
        opened = ""
        members: list[Node | Value] = []
        outer: list[tuple[str, list[Node | Value]]] = []
        may_follow = False  # whether a comma or the end may follow
        for place, token in enumerate(tokens):
            last = token[-1]
            if last == "(" or token == "{":
                is_literal = len(token) == 1
                if may_follow or len(outer) >= MAX_PLAIN_NESTING:
                    raise _NotPlain
                if not is_literal and opened in ("(", "{"):
                    raise _NotPlain
                outer.append((opened, members))
                opened, members = token if is_literal else token[:-1], []
            elif token == ", ":
                if not may_follow or not outer:
                    raise _NotPlain
                may_follow = False
            elif token == ",":
                # Only `(1,)`, a tuple of one.
                if opened != "(" or len(members) != 1 or tokens[place + 1 : place + 2] != [")"]:
                    raise _NotPlain
            elif last in ")}":
                if not outer or may_follow != bool(members) or (opened == "{") != (last == "}"):
                    raise _NotPlain
                if opened == "(" and len(members) == 1 and tokens[place - 1] != ",":
                    raise _NotPlain  # brackets around an expression
                if opened == "{" and not members:
                    raise _NotPlain  # a dict
                if opened in ("(", "{"):
                    value: Value = tuple(members) if opened == "(" else frozenset(members)  # type: ignore[arg-type]
                    opened, members = outer.pop()
                    members.append(value if opened in ("(", "{") else ir.constant(value))
                else:
                    made = self.make_call(opened, members)  # type: ignore[arg-type]
                    opened, members = outer.pop()
                    members.append(made)
                may_follow = True
            else:
                if may_follow:
                    raise _NotPlain
                if opened in ("(", "{"):
                    is_name = token in CONSTANTS
                    members.append(CONSTANTS[token] if is_name else _read_number(token))
                else:
                    members.append(self.read_atom(token))
                may_follow = True
        if outer or len(members) != 1:
            raise _NotPlain
        (result,) = members
        assert isinstance(result, Node)
        return result


def _count_docstring(texts: list[str]) -> int:
    """Return how many lines a docstring right below the head takes."""
    if len(texts) < 2 or not texts[1].startswith('    """'):
        return 0
    n_quotes = 0
    for number, text in enumerate(texts[1:], 1):
        n_quotes += text.count('"')
        if "\\" in text or n_quotes > 6:
            break
        if n_quotes == 6:
            if text.rstrip(" \r").endswith('"""'):
                return number
            break
    raise _NotPlain


def _read_number(text: str) -> int:
    """Return a decimal number within the language's range."""
    if _NUMBER.fullmatch(text) is None:
        raise _NotPlain
    number = int(text)
    if abs(number) > MAX_NUMBER:
        raise _NotPlain
    return number
