"""User-defined primitives: declared outside the package, in plain Python.

A user-defined primitive is part of the language like any other: programs call it, types are
inferred, mutations insert it. No engine has it, so a batt runs programs that call it by the
definitions (`engine.cpu.definitions`), hundreds of times slower than others.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from keyword import iskeyword
from types import CodeType
from typing import Any

from . import domains
from .budget import current_meter
from .constants import CONSTANTS
from .conversion import to_value
from .domains import tell
from .failure import CallFailed, out_of_range, over_budget, wrong_type
from .interpreter import interpret
from .ir import INPUTS, Program
from .parse import parse_expression
from .program_error import ProgramError
from .registry import (
    CPU_ONLY,
    Primitive,
    add_user_primitive,
    spellings,
    user_primitives,
    withdraw_user_primitive,
)
from .types import GRID, Signature, Type, parse_signature
from .values import Function, Value, is_number

FAMILY = "own"
# No primitive of the package has more.
MAX_PARAMETERS = 4


def check_declaration(
    define: Callable[..., Any], signatures: Sequence[str], aliases: Sequence[str]
) -> None:
    """Raise a `ValueError` that says what is wrong with a declaration."""
    name = define.__name__
    if not signatures:
        raise ValueError(f'{name}: say its types, such as @primitive("Grid -> Grid")')
    for spelling in (name, *aliases):
        _check_name(spelling, name)
    n_parameters = len(inspect.signature(define).parameters)
    for text in signatures:
        n_types = len(parse_signature(text).parameters)
        if n_types != n_parameters:
            raise ValueError(
                f"{name}: {text!r} has {n_types} arguments, the function {n_parameters}"
            )
    if not 1 <= n_parameters <= MAX_PARAMETERS:
        raise ValueError(f"{name}: {n_parameters} arguments, expected 1 to {MAX_PARAMETERS}")


def declare(made: Primitive) -> None:
    """Add a primitive to the language, unless one of its examples is wrong."""
    before = user_primitives().get(made.name)
    guarded = _Guarded(made.name, made.define, made.signatures)
    add_user_primitive(replace(made, family=FAMILY, gpu=CPU_ONLY, define=guarded))
    try:
        for example in made.examples:
            _try_example(example, made.name)
    except ValueError:
        if before is None:
            withdraw_user_primitive(made.name)
        else:
            add_user_primitive(before)
        raise


def _check_name(spelling: str, name: str) -> None:
    if not (spelling.isidentifier() and spelling.isascii()) or iskeyword(spelling):
        raise ValueError(f"{spelling!r} cannot name a primitive: it is not an ASCII identifier")
    stands_for = spellings().get(spelling)
    taken = stands_for is not None and stands_for not in user_primitives()
    if taken or spelling in CONSTANTS or spelling in INPUTS:
        raise ValueError(f"{spelling} is a name of the language already; choose another")
    if stands_for not in (None, name):
        raise ValueError(f"{spelling} is a name of {stands_for} already; choose another")


@dataclass(frozen=True, slots=True)
class _Guarded:
    """A definition whose exceptions become failures and whose result is checked."""

    name: str
    define: Callable[..., Any]
    signatures: tuple[Signature, ...]

    def __call__(self, *args: Value) -> Value:
        try:
            result = self.define(*args)
        except CallFailed:
            raise
        except (LookupError, ArithmeticError) as error:
            self._check_budget()
            raise out_of_range(self._say(error)) from error
        except Exception as error:  # a user's definition may raise anything
            self._check_budget()
            raise wrong_type(self._say(error)) from error
        self._check_budget()
        try:
            value = to_value(result, f"what {self.name} returned")
        except ValueError as error:
            raise wrong_type(str(error)) from None
        self._check_type(args, value)
        return value

    def _say(self, error: Exception) -> str:
        return f"{self.name}: {type(error).__name__}: {error}"

    def _check_budget(self) -> None:
        """Fail if a called function exceeded the budget, even if the definition caught that."""
        if current_meter().exceeded:
            raise over_budget(f"{self.name}: its calls take more than the budget")

    def _check_type(self, args: tuple[Value, ...], value: Value) -> None:
        """Fail unless the value has a type that is declared for such arguments."""
        expected = []
        for signature in self.signatures:
            kinds: dict[str, type] = {}
            if all(_holds(*pair, kinds) for pair in zip(signature.parameters, args, strict=True)):
                if _holds(signature.result, value, kinds):
                    return
                expected.append(signature.result)
        if not expected:  # domains accept some arguments that types do not, such as tuples of cells
            expected = [signature.result for signature in self.signatures]
            if any(_holds(term, value, {}) for term in expected):
                return
        wanted = " or ".join(dict.fromkeys(map(str, expected)))
        raise wrong_type(f"what {self.name} returned is {tell(value)}, expected {wanted}")


def _holds(term: Type, value: Any, kinds: dict[str, type]) -> bool:
    """Return whether a value has a type; `kinds` binds container variables."""
    if term is GRID:
        return domains.GRID.holds(value)
    match term.kind:
        case "integer":
            return is_number(value) and (term.values is None or value in term.values)
        case "boolean":
            return is_number(value) and value in (0, 1)
        case "none":
            return value is None
        case "function":
            return isinstance(value, Function)
        case "union":
            return any(_holds(each, value, kinds) for each in term.args)
        case "product":
            return (
                type(value) is tuple
                and len(value) == 2
                and all(_holds(*pair, kinds) for pair in zip(term.args, value, strict=True))
            )
        case "tuple" | "set" | "container":
            kind = {"tuple": tuple, "set": frozenset}.get(term.kind, type(value))
            if type(value) is not kind or kind not in (tuple, frozenset):
                return False
            if term.kind == "container" and kinds.setdefault(term.label, kind) is not kind:
                return False
            return all(_holds(term.args[0], member, kinds) for member in value)
    return True  # Any, or a type variable


def _try_example(example: str, name: str) -> None:
    call, is_there, wanted = example.partition(" == ")
    if not is_there:
        raise ValueError(f"{name}: the example {example!r} is not of the form call == value")
    try:
        got, expected = (
            interpret(Program(parse_expression(text)), {"I": ()}).outcome for text in (call, wanted)
        )
    except ProgramError as error:
        raise ValueError(f"{name}: the example {example!r} cannot be read: {error}") from None
    if got != expected:
        raise ValueError(f"{name}: the example {example!r} is wrong: it gives {got}")


def module_of(primitive: Primitive) -> str:
    """Return the name of the module that declares a user-defined primitive."""
    assert isinstance(primitive.define, _Guarded)
    return primitive.define.define.__module__


def user_primitives_digest() -> bytes:
    """Return a digest of the code of all user-defined primitives, empty if there are none.

    It does not cover functions that their code calls.
    """
    if not user_primitives():
        return b""
    digest = blake2b(digest_size=16)
    for name, own in sorted(user_primitives().items()):
        signatures = "; ".join(map(str, own.signatures))
        digest.update(f"{name}\0{signatures}\0".encode())
        assert isinstance(own.define, _Guarded)
        code = getattr(own.define.define, "__code__", None)
        if isinstance(code, CodeType):
            _digest_code(code, digest)
    return digest.digest()


def _digest_code(code: CodeType, digest: blake2b) -> None:
    digest.update(code.co_code + repr(code.co_names).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _digest_code(constant, digest)
        else:
            # The order of a set of strings differs between processes.
            members = sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant
            digest.update(repr(members).encode())
