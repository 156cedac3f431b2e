"""Translate the syntax tree of a function into a program.

Besides calls, what maps one to one onto the language is accepted in the form in which Python has
it: operators, conditional expressions, lambdas and comprehensions, other names of the one input,
and functions that call each other without recursion, whose calls are written out. All else is
rejected with a remedy (`remedies`). The reading goes on after an error, so that all errors of a
program are reported at once. Nothing is ever run.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from arcbatt.plurals import count
from arcbatt.suggestion import suggest

from . import ir, remedies
from .constants import CONSTANTS
from .function_of import function_of
from .infer import type_of
from .ir import SIGNATURES, Node
from .program_error import ProgramError, shorten
from .registry import Primitive, find_primitive, spellings
from .types import ANY, Type
from .values import MAX_NUMBER, Value

Lines = tuple[tuple[int, str, Node], ...]

# Of one program, with the lines of the functions that it calls, once per call.
MAX_LINES = 10_000
MAX_NESTING = 64
# The most errors that are reported of one program.
MAX_ERRORS = 20

_ODD_LITERAL = re.compile(r"\\|\b[0-9]+[A-Za-z_]")
# Stands for an expression that could not be read, so that reading goes on.
_UNREADABLE = ir.placeholder(0)
_EXPECTED_INPUTS = "expected the inputs (I), (S, I) or (S, I, output, target)"

# Operators of Python by the primitive with the same meaning.
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.FloorDiv: "divide",
}
_OF_SETS: dict[type[ast.operator], str] = {
    ast.BitOr: "combine",
    ast.BitAnd: "intersection",
    ast.Sub: "difference",
}
# By comparison: the primitive, whether its arguments change places, whether it is negated.
_COMPARISONS: dict[type[ast.cmpop], tuple[str, bool, bool]] = {
    ast.Eq: ("equality", False, False),
    ast.NotEq: ("equality", False, True),
    ast.Gt: ("greater", False, False),
    ast.Lt: ("greater", True, False),
    ast.GtE: ("greater", True, True),
    ast.LtE: ("greater", False, True),
    ast.In: ("contained", False, False),
    ast.NotIn: ("contained", False, True),
}
# Built-in functions of Python with one argument, and with a `key`.
_BUILTINS = {"len": "size", "max": "maximum", "min": "minimum", "tuple": "totuple"}
_WITH_KEY = {"max": "argmax", "min": "argmin", "sorted": "order"}
# The primitive that a comprehension becomes, by the function around it.
_COLLECTORS = {"tuple": "tuple", "list": "tuple", "frozenset": "set", "set": "set"}


# On an error Python opens the file of this name to show its line; by default `<unknown>`.
_NO_FILE = ""


def parse_syntax(text: str) -> ast.Module:
    """Return the syntax tree of a text."""
    if not _ODD_LITERAL.search(text):
        return ast.parse(text, _NO_FILE)
    with warnings.catch_warnings():  # about odd escapes in docstrings, and numbers such as 1if
        warnings.simplefilter("ignore")
        return ast.parse(text, _NO_FILE)


@cache
def _constant_node(name: str) -> Node:
    return ir.constant(CONSTANTS[name])


@dataclass(eq=False)
class Helper:
    """A function that programs of the same text may call."""

    text: str
    line: int
    _function: _Function | None = None

    def function(self, file: str, inlining: _Inlining) -> _Function:
        """Return the parsed function; raise `ProgramError` or `SyntaxError`."""
        if self._function is None or self._function.reader.inlining is not inlining:
            (tree, *_) = parse_syntax(self.text).body
            reader = TreeReader(self.text, self.line, file, inlining=inlining)
            if not isinstance(tree, ast.FunctionDef):
                raise reader.reject("expected a function", tree)
            self._function = _Function(tree, reader)
        return self._function


FindHelper = Callable[[str], Helper | None]


@dataclass(eq=False)
class _Function:
    """A function of the text, and the reader whose text and names it has."""

    tree: ast.FunctionDef
    reader: TreeReader


@dataclass(eq=False)
class _Inlining:
    """The calls of functions of the text within one program, and the errors found in it."""

    find_helper: FindHelper
    n_lines: int = 0
    n_placeholders: int = 0
    active: list[ast.FunctionDef] = field(default_factory=list)
    results: dict[tuple[ast.FunctionDef, tuple[Node, ...]], Node] = field(default_factory=dict)
    errors: list[ProgramError] = field(default_factory=list)


class TreeReader:
    """Reads one function, and those that it calls."""

    def __init__(
        self,
        text: str,
        first_line: int,
        file: str,
        *,
        first_column: int = 0,
        find_helper: FindHelper = lambda _name: None,
        inlining: _Inlining | None = None,
    ) -> None:
        self.text = text
        self.first_line = first_line
        self.first_column = first_column
        self.file = file
        self.inlining = inlining or _Inlining(find_helper)
        self.names: dict[str, Node] = {}
        self.functions: dict[str, _Function] = {}  # defined inside the function
        self.reserved: frozenset[str] = frozenset()
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
            column=self.first_column + len(whole[:start].decode(errors="replace")) + 1,
            text=whole[start:end].decode(errors="replace").strip(),
        )

    def read(self, tree: ast.Module) -> tuple[str, Node, Lines]:
        """Return the name of a program, its result and its lines."""
        function, *rest = tree.body
        if not isinstance(function, ast.FunctionDef):
            raise self.reject("expected a program: def solve_...(I):", function)
        if rest:
            raise self.reject("expected nothing between programs", rest[0])
        self.read_inputs(function)
        self.inlining.active.append(function)
        result = self.read_body(function)
        if errors := self.inlining.errors:
            first, *more = sorted(errors, key=lambda error: (error.line, error.column))
            first.more = tuple(more)
            raise first
        return function.name, result, tuple(self.lines)

    def read_inputs(self, function: ast.FunctionDef) -> None:
        names = _parameters(function)
        if names is None or function.decorator_list:
            raise self.reject(_EXPECTED_INPUTS, function)
        if names in SIGNATURES:
            self.names = {name: ir.input_node(name) for name in names}
        elif len(names) == 1 and names != ("S",) and not _is_taken(names[0]):
            self.names = {names[0]: ir.input_node("I")}
        else:
            raise self.reject(_EXPECTED_INPUTS, function)
        self.reserved = frozenset({"S", "I", *names})

    def read_body(self, function: ast.FunctionDef) -> Node:
        """Read the lines of a function, and return the node of its result."""
        statements = function.body
        if (
            isinstance(statements[0], ast.Expr)
            and isinstance(statements[0].value, ast.Constant)
            and isinstance(statements[0].value.value, str)
        ):
            statements = statements[1:]  # a docstring
        is_whole = bool(statements) and isinstance(statements[-1], ast.Return)
        for statement in statements[:-1] if is_whole else statements:
            try:
                self.read_statement(statement)
            except ProgramError as error:
                self.note(error)
                for name in _assigned(statement):
                    self.names.setdefault(name, _UNREADABLE)
        if not is_whole:
            at = (statements or [function])[-1]
            if not statements or isinstance(at, ast.Assign | ast.AnnAssign):
                self.note(self.reject("expected a last line `return ...`", at))
            return _UNREADABLE
        returned = statements[-1]
        assert isinstance(returned, ast.Return)
        if returned.value is None:
            self.note(self.reject("expected a name or a call to return", returned))
            return _UNREADABLE
        result = self.attempt(returned.value, 0)
        if not isinstance(returned.value, ast.Name) or not self.lines:
            self.lines.append((self.first_line + returned.lineno - 1, "return", result))
        return result

    def note(self, error: ProgramError) -> None:
        """Note an error, to read on."""
        errors = self.inlining.errors
        if len(errors) < MAX_ERRORS and str(error) not in map(str, errors):
            errors.append(error)

    def attempt(self, expression: ast.expr, depth: int) -> Node:
        """Return the node of an expression; note an error in it."""
        try:
            return self.read_expression(expression, depth)
        except ProgramError as error:
            self.note(error)
            return _UNREADABLE

    # --- statements ---

    def read_statement(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.FunctionDef):
            self.check_name(statement.name, statement)
            self.functions[statement.name] = _Function(statement, self)
            return
        if isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets: list[ast.expr] = [statement.target]
            value = statement.value
        elif isinstance(statement, ast.AugAssign):
            targets = [statement.target]
            value = ast.copy_location(
                ast.BinOp(statement.target, statement.op, statement.value), statement
            )
        elif isinstance(statement, ast.Assign):
            targets, value = statement.targets, statement.value
        else:
            raise self.reject(remedies.of_statement(statement), statement)
        (target, *others) = targets
        if others or not isinstance(target, ast.Name):
            raise self.reject(remedies.of_targets(targets), target)
        self.check_name(target.id, target)
        node = self.attempt(value, 0)
        self.names[target.id] = node
        self.functions.pop(target.id, None)
        self.lines.append((self.first_line + statement.lineno - 1, target.id, node))

    def check_name(self, name: str, at: ast.AST) -> None:
        """Raise `ProgramError` unless a value may have this name."""
        if name in self.reserved:
            raise self.reject(f"{name} is an input; expected another name to assign to", at)
        if _is_taken(name):
            kind = "constant" if name in CONSTANTS else "primitive"
            raise self.reject(f"{name} is a {kind}; expected another name to assign to", at)

    # --- expressions ---

    def read_expression(self, expression: ast.expr, depth: int = 0) -> Node:
        if isinstance(expression, ast.Name):
            return self.names.get(expression.id) or self.read_name(expression)
        if depth > MAX_NESTING:
            raise self.reject(f"calls nested deeper than {MAX_NESTING}", expression)
        match expression:
            case ast.Call():
                return self.read_call(expression, depth)
            case ast.BinOp():
                return self.read_operator(expression, depth)
            case ast.BoolOp():
                name = "both" if isinstance(expression.op, ast.And) else "either"
                first, *rest = (self.attempt(each, depth + 1) for each in expression.values)
                for each in rest:
                    first = ir.call_node(name, first, each)
                return first
            case ast.Compare():
                return self.read_comparison(expression, depth)
            case ast.UnaryOp(op=ast.Not()):
                return ir.call_node("flip", self.attempt(expression.operand, depth + 1))
            case ast.UnaryOp(op=ast.USub()) if not isinstance(expression.operand, ast.Constant):
                return ir.call_node("invert", self.attempt(expression.operand, depth + 1))
            case ast.IfExp():
                parts = (expression.test, expression.body, expression.orelse)
                nodes = [self.attempt(part, depth + 1) for part in parts]
                return ir.call_node("branch", *nodes)
            case ast.Lambda():
                return self.read_lambda(expression, depth)
            case ast.SetComp():
                return self.read_comprehension(expression, "set", expression, depth)
            case ast.ListComp():
                return self.read_comprehension(expression, "tuple", expression, depth)
            case ast.GeneratorExp():
                return self.read_comprehension(expression, "any", expression, depth)
            case ast.Tuple() if not _is_literal(expression, depth):
                return self.read_tuple(expression, depth)
            case ast.Set() if not _is_literal(expression, depth):
                first, *rest = (self.attempt(each, depth + 1) for each in expression.elts)
                made = ir.call_node("initset", first)
                for each in rest:
                    made = ir.call_node("insert", each, made)
                return made
        return ir.constant(self.read_literal(expression, depth))

    def read_name(self, expression: ast.Name) -> Node:
        name = expression.id
        if name in CONSTANTS:
            return _constant_node(name)
        if name not in self.functions and find_primitive(name) is not None:
            return ir.primitive_node(name)
        function = self.find_function(name, expression)
        if function is not None:
            parameters = _parameters(function.tree)

            def apply(args: Sequence[Node]) -> Node:
                return self.call_function(function, tuple(args), expression)

            return self.make_function(parameters, apply, expression)
        if name in _BUILTINS:
            return ir.primitive_node(_BUILTINS[name])
        hint = suggest(name, (*self.names, *CONSTANTS, *spellings()))
        raise self.reject(f"unknown name {shorten(name)}{hint}", expression)

    def read_tuple(self, expression: ast.Tuple, depth: int) -> Node:
        """Read a tuple whose members are not all literal: a pair."""
        if any(isinstance(each, ast.Starred) for each in expression.elts):
            raise self.reject(remedies.EXPECTED, expression)
        if len(expression.elts) == 1:
            member = self.attempt(expression.elts[0], depth + 1)
            return ir.call_node("repeat", member, ir.constant(1))
        if len(expression.elts) != 2:
            remedy = "a tuple of three or more values has no primitive: write astuple(a, b) for two"
            raise self.reject(f"{remedy}, combine(a, b) to join tuples", expression)
        return ir.call_node("astuple", *(self.attempt(each, depth + 1) for each in expression.elts))

    def read_operator(self, expression: ast.BinOp, depth: int) -> Node:
        left = self.attempt(expression.left, depth + 1)
        right = self.attempt(expression.right, depth + 1)
        kinds = {_type_of(left).kind, _type_of(right).kind}
        operator = type(expression.op)
        if operator in _OF_SETS and (kinds == {"set"} or operator is not ast.Sub):
            return ir.call_node(_OF_SETS[operator], left, right)
        if operator is ast.Add and "tuple" in kinds and kinds <= {"tuple", "product"}:
            return ir.call_node("combine", left, right)
        if operator is ast.Mod:
            quotient = ir.call_node("divide", left, right)
            return ir.call_node("subtract", left, ir.call_node("multiply", right, quotient))
        if operator not in _ARITHMETIC:
            raise self.reject(remedies.of_operator(expression.op), expression)
        return ir.call_node(_ARITHMETIC[operator], left, right)

    def read_comparison(self, expression: ast.Compare, depth: int) -> Node:
        terms = [expression.left, *expression.comparators]
        nodes = [self.attempt(term, depth + 1) for term in terms]
        result: Node | None = None
        for place, operator in enumerate(expression.ops):
            if type(operator) not in _COMPARISONS:
                raise self.reject("there is no None to compare with: write a == b", expression)
            name, is_swapped, is_negated = _COMPARISONS[type(operator)]
            pair = nodes[place : place + 2]
            node = ir.call_node(name, *(reversed(pair) if is_swapped else pair))
            if is_negated:
                node = ir.call_node("flip", node)
            result = node if result is None else ir.call_node("both", result, node)
        assert result is not None  # there is at least one operator
        return result

    # --- functions ---

    def read_lambda(self, expression: ast.Lambda, depth: int) -> Node:
        args = expression.args
        if args.posonlyargs or args.kwonlyargs or args.vararg or args.kwarg or args.defaults:
            raise self.reject("expected a lambda of plain arguments", expression)
        names = tuple(arg.arg for arg in args.args)

        def apply(nodes: Sequence[Node]) -> Node:
            with_own = self.inside(dict(zip(names, nodes, strict=True)))
            return with_own.read_expression(expression.body, depth + 1)

        return self.make_function(names, apply, expression)

    def inside(self, names: Mapping[str, Node]) -> TreeReader:
        """Return a reader of the same text that knows further names."""
        reader = TreeReader(
            self.text,
            self.first_line,
            self.file,
            first_column=self.first_column,
            inlining=self.inlining,
        )
        reader.names = {**self.names, **names}
        reader.functions = {k: v for k, v in self.functions.items() if k not in names}
        return reader

    def make_function(
        self, names: Sequence[str] | None, apply: Callable[[Sequence[Node]], Node], at: ast.expr
    ) -> Node:
        """Return the function value with these parameters, put together from primitives."""
        if names is None or not 1 <= len(names) <= 2:
            raise self.reject("a function value has one or two plain arguments", at)
        args = []
        for _ in names:
            self.inlining.n_placeholders += 1
            args.append(ir.placeholder(self.inlining.n_placeholders))
        result = apply(args)
        made: Node | None = None
        if result is _UNREADABLE or self.inlining.errors:
            return _UNREADABLE
        if len(args) == 1:
            made = function_of(result, args[0].name)
        elif result.kind == "call" and result.args == tuple(args):
            made = ir.primitive_node(result.name)
        elif result.kind == "invoke" and result.args[1:] == tuple(args):
            made = result.args[0]
        if made is None:
            raise self.reject(
                "this function cannot be put together from primitives: write it with "
                "compose(outer, inner), fork(outer, a, b), lbind(function, first) and "
                "rbind(function, last)",
                at,
            )
        return made

    def find_function(self, name: str, at: ast.AST) -> _Function | None:
        """Return the function of this name in the text, if there is one."""
        if name in self.functions:
            return self.functions[name]
        helper = self.inlining.find_helper(name)
        if helper is None:
            return None
        try:
            return helper.function(self.file, self.inlining)
        except SyntaxError as error:
            why = f"{name}, line {helper.line + (error.lineno or 1) - 1}: {error.msg}"
            raise self.reject(f"not readable as a program: {why}", at) from error

    def call_function(self, function: _Function, args: tuple[Node, ...], at: ast.AST) -> Node:
        """Return the result of a function of the text: its lines are written out."""
        tree, inlining = function.tree, self.inlining
        names = _parameters(tree)
        if names is None or tree.decorator_list:
            raise self.reject(f"{tree.name}: expected a function of plain arguments", at)
        if len(names) != len(args):
            takes = count(len(names), "argument")
            raise self.reject(f"{tree.name} takes {takes}, not {len(args)}", at)
        if tree in inlining.active or len(inlining.active) >= MAX_NESTING:
            raise self.reject(
                f"{tree.name} calls itself: there is no recursion; power(function, n) applies a "
                f"function n times",
                at,
            )
        is_closed = not function.reader.names
        if is_closed and (tree, args) in inlining.results:
            return inlining.results[tree, args]
        inlining.n_lines += len(tree.body)
        if inlining.n_lines > MAX_LINES:
            raise self.reject(f"more than {MAX_LINES} lines with those of its functions", at)
        reader = function.reader.inside(dict(zip(names, args, strict=True)))
        inlining.active.append(tree)
        try:
            result = reader.read_body(tree)
        finally:
            inlining.active.pop()
        if is_closed:
            inlining.results[tree, args] = result
        return result

    def read_comprehension(
        self,
        expression: ast.SetComp | ast.ListComp | ast.GeneratorExp,
        kind: str,
        at: ast.expr,
        depth: int,
    ) -> Node:
        """Read a comprehension as a call of `apply` on the members that `sfilter` chooses."""
        (generator, *others) = expression.generators
        if others or not isinstance(generator.target, ast.Name) or generator.is_async:
            raise self.reject(
                "expected one `for name in container`: write product(a, b) for all pairs, "
                "mapply(function, container) to merge values",
                at,
            )
        container = self.attempt(generator.iter, depth + 1)
        name = generator.target.id
        for condition in generator.ifs:
            chosen = self.make_function([name], self.reading(name, condition, depth), condition)
            container = ir.call_node("sfilter", container, chosen)
        members = _type_of(container).kind
        if kind == "tuple" and members == "set":
            container = ir.call_node("totuple", container)
        elif kind == "set" and members not in ("set", "any") and not self.inlining.errors:
            raise self.reject(
                "there is no set of what a tuple holds: write apply(function, container), which "
                "gives a tuple, and dedupe for its distinct members",
                at,
            )
        value = expression.elt
        if isinstance(value, ast.Name) and value.id == name:
            return container
        function = self.make_function([name], self.reading(name, value, depth), value)
        return ir.call_node("apply", function, container)

    def reading(
        self, name: str, expression: ast.expr, depth: int
    ) -> Callable[[Sequence[Node]], Node]:
        """Return a function that reads an expression with the node that a name stands for."""
        return lambda args: self.inside({name: args[0]}).attempt(expression, depth + 1)

    # --- calls ---

    def read_call(self, expression: ast.Call, depth: int) -> Node:
        callee = expression.func
        if isinstance(callee, ast.Name) and callee.id not in self.names:
            return self.read_named_call(expression, callee, depth)
        if not isinstance(callee, ast.Name | ast.Call | ast.Lambda):
            raise self.reject(remedies.of_callee(callee), callee)
        args = [self.attempt(arg, depth + 1) for arg in expression.args]
        if expression.keywords:
            raise self.reject("only primitives take keyword arguments", expression)
        if not args:
            raise self.reject("a function value needs at least one argument", expression)
        function = self.attempt(callee, depth + 1)
        if function.kind == "constant":
            raise self.reject(remedies.of_callee(callee), callee)
        try:
            return ir.invoke_node(function, *args)
        except ValueError as error:
            raise self.reject(str(error), expression) from error

    def read_named_call(self, expression: ast.Call, callee: ast.Name, depth: int) -> Node:
        name = callee.id
        if name in CONSTANTS:
            raise self.reject(remedies.of_callee(callee), callee)
        primitive = None if name in self.functions else find_primitive(name)
        if primitive is None:
            function = self.find_function(name, callee)
            if function is None:
                return self.read_builtin(expression, callee, depth)
            if expression.keywords:
                raise self.reject("only primitives take keyword arguments", expression)
            args = [self.attempt(arg, depth + 1) for arg in expression.args]
            return self.call_function(function, tuple(args), expression)
        args = [self.attempt(arg, depth + 1) for arg in expression.args]
        if expression.keywords:
            args = self.place_keywords(primitive, args, expression, depth)
        if len(args) != primitive.arity:
            takes = count(primitive.arity, "argument")
            raise self.reject(f"{primitive.usage} takes {takes}, not {len(args)}", expression)
        return ir.call_node(primitive, *args)

    def read_builtin(self, expression: ast.Call, callee: ast.Name, depth: int) -> Node:
        """Read a call of a built-in function of Python that a primitive stands for."""
        name = callee.id
        keywords = {each.arg: each.value for each in expression.keywords}
        if len(expression.args) == 1:
            (argument,) = expression.args
            if name in _COLLECTORS and isinstance(argument, ast.GeneratorExp | ast.ListComp):
                kind = _COLLECTORS[name]
                return self.read_comprehension(argument, kind, expression, depth)
            if name in _COLLECTORS and isinstance(argument, ast.SetComp):
                return self.read_comprehension(argument, "set", expression, depth)
            if name in _WITH_KEY and [*keywords] == ["key"]:
                nodes = (self.attempt(each, depth + 1) for each in (argument, keywords["key"]))
                return ir.call_node(_WITH_KEY[name], *nodes)
            if name in _BUILTINS and not keywords:
                return ir.call_node(_BUILTINS[name], self.attempt(argument, depth + 1))
            if name == "sorted" and not keywords:
                container = self.attempt(argument, depth + 1)
                return ir.call_node("order", container, ir.primitive_node("identity"))
        hint = remedies.of_call(expression, name)
        if not hint:
            hint = suggest(name, (*self.names, *spellings()))
            for argument in expression.args:  # for the errors in them
                self.attempt(argument, depth + 1)
        raise self.reject(f"unknown primitive {shorten(name)}{hint}", callee)

    def place_keywords(
        self, primitive: Primitive, args: list[Node], call: ast.Call, depth: int
    ) -> list[Node]:
        given = dict(zip(primitive.parameters, args, strict=False))
        for keyword in call.keywords:
            name = keyword.arg
            if name not in primitive.parameters:
                raise self.reject(
                    f"{primitive.usage} has no argument {shorten(name or '**')}", keyword.value
                )
            if name in given:
                raise self.reject(f"{primitive.usage}: {name} is given twice", keyword.value)
            given[name] = self.attempt(keyword.value, depth + 1)
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
        raise self.reject(remedies.of_expression(expression), expression)


def _parameters(function: ast.FunctionDef) -> tuple[str, ...] | None:
    """Return the names of a function's parameters; None unless all are plain."""
    args = function.args
    if args.posonlyargs or args.kwonlyargs or args.vararg or args.kwarg or args.defaults:
        return None
    return tuple(arg.arg for arg in args.args)


def _is_taken(name: str) -> bool:
    """Return whether a name is one of the language."""
    return name in CONSTANTS or find_primitive(name) is not None


def _assigned(statement: ast.stmt) -> list[str]:
    """Return the names that a statement, of any kind, assigns to."""
    return [
        each.id
        for each in ast.walk(statement)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    ]


def _is_literal(expression: ast.expr, depth: int) -> bool:
    """Return whether an expression is of numbers, constants, and tuples and sets of them.

    What is nested too deep counts as literal, to be rejected as such.
    """
    if depth > MAX_NESTING:
        return True
    match expression:
        case ast.Tuple() | ast.Set():
            return all(_is_literal(each, depth + 1) for each in expression.elts)
        case ast.Name():
            return expression.id in CONSTANTS
        case ast.UnaryOp(op=ast.USub()):
            return isinstance(expression.operand, ast.Constant)
    return isinstance(expression, ast.Constant)


def _type_of(node: Node) -> Type:
    return type_of(node) or ANY
