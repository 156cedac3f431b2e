"""Remedies for Python that program text cannot contain: what to write instead.

They are part of error messages, and read by people and by language models.
"""

from __future__ import annotations

import ast

EXPECTED = "expected a name, a constant, a number, a tuple or set of them, or a call"
# Longer arguments would make a remedy hard to read.
MAX_ARGUMENT = 30

_STATEMENTS: dict[type[ast.stmt], str] = {
    ast.For: "there are no loops: write apply(function, container) for a value per member, "
    "sfilter(container, condition) to choose members, mapply to merge the values",
    ast.While: "there are no loops: write power(function, n) to apply a function n times",
    ast.If: "there are no if statements: write x = branch(condition, a, b), or "
    "x = a if condition else b",
    ast.Return: "only the last line returns: write x = branch(condition, a, b) to choose",
    ast.Expr: "values never change, so every call needs a name for its result",
    ast.Import: "nothing can be imported inside a program: all primitives are there",
    ast.ImportFrom: "nothing can be imported inside a program: all primitives are there",
    ast.Try: "there is no try: a call that cannot give a value makes the program fail",
    ast.Match: "there is no match: write x = branch(condition, a, b)",
    ast.Pass: "leave this line out",
    ast.Delete: "leave this line out",
    ast.Global: "leave this line out",
    ast.Raise: "nothing is raised: a call that cannot give a value fails by itself",
    ast.Assert: "there is no assert: a call that cannot give a value fails by itself",
}
_BUILTINS = {
    "set": "write initset(value) for a set of one, combine(a, b) to join sets, or apply on a set",
    "frozenset": "write initset(value) for a set of one, combine(a, b) to join sets, or apply on "
    "a set",
    "list": "write totuple(container): there are tuples and sets, no lists",
    "sum": "there is no sum over a container; size(container) counts, add(a, b) adds two",
    "max": "write maximum(container), or branch(greater(a, b), a, b) for two values",
    "min": "write minimum(container), or branch(greater(a, b), b, a) for two values",
    "str": "there is no text",
    "dict": "there are no dicts: write branch(equality(x, key), value, other)",
    "abs": "write maximum(astuple(x, invert(x)))",
    "zip": "write pair(a, b), or papply(function, a, b) to combine members",
    "enumerate": "write pair(interval(0, size(x), 1), x)",
    "map": "write apply(function, container)",
    "filter": "write sfilter(container, condition)",
    "any": "write greater(size(sfilter(container, condition)), 0)",
    "all": "write equality(size(sfilter(container, condition)), size(container))",
    "reversed": "write hmirror(grid) or vmirror(grid)",
    "sorted": "write order(container, function), and compose(invert, function) for the greatest "
    "first",
    "next": "write first(container)",
    "iter": "write first(container) for a member, apply(function, container) for all",
    "pow": "write multiply(a, a)",
    "type": "types are known from the calls",
    "Counter": "write mostcommon(container) or leastcommon(container)",
    "print": "nothing is printed: every line assigns a value",
    "divmod": "write divide(a, b)",
    "round": "numbers are whole",
    "int": "numbers are whole",
    "bool": "conditions take any value; flip(flip(x)) gives T or F",
    "range": "write interval(start, stop, step)",
    "isinstance": "types are known from the calls",
    "deepcopy": "values never change, so there is nothing to copy",
    "copy": "values never change, so there is nothing to copy",
}
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Div: "write divide(a, b), the whole quotient",
    ast.Pow: "write multiply(a, a)",
    ast.BitXor: "write combine(difference(a, b), difference(b, a))",
    ast.MatMult: "there is no matrix product",
    ast.LShift: "write shift(patch, directions) to move a patch",
    ast.RShift: "write shift(patch, directions) to move a patch",
}
_LITERALS: dict[type, str] = {
    float: "numbers are whole",
    str: "there is no text; colors are BLACK, BLUE, RED, GREEN, YELLOW, GRAY, MAGENTA, ORANGE, "
    "CYAN, BROWN, or 0 to 9",
    type(None): "there is no None to write",
}


def of_statement(statement: ast.stmt) -> str:
    """Return what to write instead of a statement that assigns nothing."""
    remedy = _STATEMENTS.get(type(statement))
    return "expected an assignment: name = call(...)" + (f"; {remedy}" if remedy else "")


def of_targets(targets: list[ast.expr]) -> str:
    """Return what to write instead of assigning to what is not one name."""
    expected = "expected one name to assign to"
    match targets:
        case [ast.Tuple(elts=[ast.Name(id=first), ast.Name(id=last)])]:
            remedy = f"write value = ..., then {first} = first(value) and {last} = last(value)"
            return f"{expected}; {remedy}"
        case [ast.Subscript()]:
            return (
                f"{expected}; values never change: write x = fill(grid, color, {{(row, column)}})"
            )
        case [ast.Attribute()]:
            return f"{expected}; values have no attributes"
    return expected


def of_call(call: ast.Call, name: str) -> str:
    """Return what to write instead of calling a built-in function of Python, if anything."""
    if name == "zip" and len(call.args) == 1 and isinstance(call.args[0], ast.Starred):
        return ": write dmirror(grid) to exchange rows and columns"
    remedy = _BUILTINS.get(name)
    return f": {remedy}" if remedy else ""


def of_callee(callee: ast.expr) -> str:
    """Return what to write instead of calling something that is not a name of a function."""
    expected = "expected a primitive or a function-valued name to call"
    if isinstance(callee, ast.Attribute):
        remedy = "there are no modules or methods: call a primitive with the value as argument"
        return f"{expected}; {remedy}, such as vmirror(grid)"
    return expected


def of_operator(operator: ast.AST) -> str:
    """Return what to write instead of an operator."""
    for kind, remedy in _OPERATORS.items():
        if isinstance(operator, kind):
            return remedy
    return "no primitive stands for this operator"


def of_expression(expression: ast.expr) -> str:
    """Return what is wrong with an expression that is not of the language, and what to write."""
    match expression:
        case ast.Subscript():
            return _of_subscript(expression)
        case ast.List(elts=[]):
            return f"{EXPECTED}; there are no lists: write () or EMPTY, an empty set"
        case ast.List():
            members = ", ".join(_text(member) for member in expression.elts[:2])
            return f"{EXPECTED}; there are no lists: write a tuple, ({members}, ...)"
        case ast.Dict() | ast.DictComp():
            return f"{EXPECTED}; there are no dicts: write branch(equality(x, key), value, other)"
        case ast.Attribute():
            return f"{EXPECTED}; values have no attributes: call a primitive, such as size(x)"
        case ast.JoinedStr():
            return f"{EXPECTED}; there is no text"
        case ast.Constant():
            remedy = _LITERALS.get(type(expression.value))
            return f"{EXPECTED}; {remedy}" if remedy else EXPECTED
        case ast.NamedExpr():
            return f"{EXPECTED}; assign on a line of its own"
    return EXPECTED


def _of_subscript(expression: ast.Subscript) -> str:
    value, place = expression.value, expression.slice
    if isinstance(place, ast.Slice) and place.step is not None and _number(place.step) == -1:
        return (
            f"{EXPECTED}; write hmirror(grid) for the rows reversed, vmirror(grid) for the columns"
        )
    if isinstance(place, ast.Slice) or (
        isinstance(place, ast.Tuple) and any(isinstance(each, ast.Slice) for each in place.elts)
    ):
        return (
            f"{EXPECTED}; there are no slices: write crop(grid, start, dims) for a part of a grid"
        )
    if isinstance(place, ast.Tuple) and len(place.elts) == 2:
        remedy = _index(value, *place.elts)
    elif isinstance(value, ast.Subscript) and not isinstance(value.slice, ast.Slice | ast.Tuple):
        remedy = _index(value.value, value.slice, place)
    else:
        remedy = _end(_text(value), place)
    if remedy:
        return f"{EXPECTED}; write {remedy}"
    return (
        f"{EXPECTED}; there are no subscripts: write first(x), last(x), or index(grid, "
        f"(row, column)) for a cell"
    )


def _number(expression: ast.expr) -> int | None:
    """Return the value of a number, which may be negative."""
    match expression:
        case ast.Constant(value=int(value)):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return -value
    return None


def _end(container: str, place: ast.expr) -> str:
    """Return a call for the first or last member; an empty text for any other."""
    name = {0: "first", -1: "last"}.get(1 if (number := _number(place)) is None else number)
    return f"{name}({container})" if name else ""


def _index(grid: ast.expr, row: ast.expr, column: ast.expr) -> str:
    """Return a call for a cell; an empty text if it is counted from the end but is not the last."""
    if any((_number(each) or 0) < 0 for each in (row, column)):
        rows = _end(_text(grid), row)
        return rows and _end(rows, column)
    if isinstance(row, ast.Constant) and isinstance(column, ast.Constant):
        return f"index({_text(grid)}, ({_text(row)}, {_text(column)}))"
    return f"index({_text(grid)}, astuple({_text(row)}, {_text(column)}))"


def _text(expression: ast.expr) -> str:
    """Return the text of a name, a number or a call of them, or a stand-in for anything else."""
    text = "x"
    match expression:
        case ast.Name():
            text = expression.id
        case ast.Constant(value=int()):
            text = repr(expression.value)
        case ast.Call(func=ast.Name(), keywords=[]) if len(expression.args) <= 2 and all(
            isinstance(each, ast.Name | ast.Constant) for each in expression.args
        ):
            name = expression.func.id  # type: ignore[attr-defined]
            text = f"{name}({', '.join(map(_text, expression.args))})"
    return text if len(text) <= MAX_ARGUMENT else "x"
