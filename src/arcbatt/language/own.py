"""Own primitives: declared by whoever uses the package, in plain Python, without changing it.

An own primitive is part of the language as any other: programs call it, types are inferred,
mutations put it in. Its Python definition is all there is of it: no engine has it, so a batt runs
programs that call it by the definitions (`engine.defined`), hundreds of times slower than others.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from keyword import iskeyword
from types import CodeType
from typing import Any, TypeVar

from . import domains
from .budget import current_meter
from .constants import CONSTANTS
from .conversion import to_value
from .domains import Domain, tell
from .failure import CallFailed, out_of_range, over_budget, wrong_type
from .interpreter import interpret
from .ir import INPUTS, Program
from .parse import ProgramError, parse_expression
from .registry import (
    Primitive,
    declare_own,
    own_primitives,
    spellings,
    stated_codes,
    withdraw_own,
)
from .types import GRID, NAMED, Signature, Type, parse_signature
from .values import Function, Value, is_number

FAMILY = "own"
# As many as bundled ones have.
MAX_PARAMETERS = 4

Definition = TypeVar("Definition", bound=Callable[..., Any])


def primitive(
    *signatures: str, examples: tuple[str, ...] = (), aliases: tuple[str, ...] = ()
) -> Callable[[Definition], Definition]:
    """Declare an own primitive; the decorated function is its meaning.

    `signatures` are its types, such as "Grid, Color -> Grid", one for each overload;
    docs/primitives.md has those of all primitives. `examples`, such as
    "drop(((1,), (0,))) == ((0,), (1,))", are tried at once. The function gets values of the
    language (tuples, frozensets, numbers, functions, which it may call) and returns one of the
    type that was declared; lists and arrays of integers are taken for tuples. What it raises is a
    failure of the call. Declaring a name again replaces it, as when a cell of a notebook is run
    again.

    Raise a `ValueError` that says what is wrong with the declaration.
    """

    def declare(define: Definition) -> Definition:
        made = _make(define, signatures, examples, aliases)
        before = own_primitives().get(made.name)
        declare_own(made)
        try:
            for example in examples:
                _try_example(example, made.name)
        except ValueError:
            if before is None:
                withdraw_own(made.name)
            else:
                declare_own(before)
            raise
        return define

    for given in signatures:
        if not isinstance(given, str):
            raise TypeError(
                f'@primitive takes the types as text, such as @primitive("Grid -> Grid"), '
                f"not a {type(given).__name__}"
            )
    return declare


def _make(
    define: Callable[..., Any],
    signatures: tuple[str, ...],
    examples: tuple[str, ...],
    aliases: tuple[str, ...],
) -> Primitive:
    name = define.__name__
    if not signatures:
        raise ValueError(f'{name}: say its types, such as @primitive("Grid -> Grid")')
    for spelling in (name, *aliases):
        _check_name(spelling, name)
    parameters = tuple(inspect.signature(define).parameters)
    types = tuple(parse_signature(text) for text in signatures)
    for text, signature in zip(signatures, types, strict=True):
        if len(signature.parameters) != len(parameters):
            raise ValueError(
                f"{name}: {text!r} has {len(signature.parameters)} arguments, "
                f"the function {len(parameters)}"
            )
    if not 1 <= len(parameters) <= MAX_PARAMETERS:
        raise ValueError(f"{name}: {len(parameters)} arguments, expected 1 to {MAX_PARAMETERS}")
    doc, _, notes = inspect.cleandoc(define.__doc__ or "").partition("\n\n")
    return Primitive(
        name=name,
        family=FAMILY,
        parameters=parameters,
        domains=tuple(_domain_of(types, place) for place in range(len(parameters))),
        signatures=types,
        doc=" ".join(doc.split()),
        notes=" ".join(notes.split()),
        ties="",
        examples=tuple(examples),
        peeks=frozenset(),
        aliases=tuple(aliases),
        searched=None,
        codes=stated_codes(types),
        define=_Guarded(name, define, types),
        is_own=True,
    )


def _check_name(spelling: str, name: str) -> None:
    if not (spelling.isidentifier() and spelling.isascii()) or iskeyword(spelling):
        raise ValueError(f"{spelling!r} cannot be the name of a primitive: it is no plain name")
    stands_for = spellings().get(spelling)
    taken = stands_for is not None and stands_for not in own_primitives()
    if taken or spelling in CONSTANTS or spelling in INPUTS:
        raise ValueError(f"{spelling} is a name of the language already; choose another")
    if stands_for not in (None, name):
        raise ValueError(f"{spelling} is a name of {stands_for} already; choose another")


_DOMAINS = {
    NAMED["Grid"]: domains.Grid,
    NAMED["Pair"]: domains.Location,
    NAMED["Numerical"]: domains.Numerical,
    NAMED["Patch"]: domains.Patch,
    NAMED["Indices"]: domains.Patch,
    NAMED["Object"]: domains.Cells,
    NAMED["Cells"]: domains.Cells,
    NAMED["Objects"]: domains.Objects,
    NAMED["Element"]: domains.Element,
    NAMED["Demos"]: domains.Demos,
    NAMED["Picture"]: domains.Picture,
    NAMED["Pictures"]: domains.Pictures,
}
_DOMAINS_BY_KIND = {
    "integer": domains.Number,
    "boolean": domains.Number,
    "tuple": domains.AnyTuple,
    "product": domains.AnyTuple,
    "set": domains.AnySet,
    "container": domains.AnyContainer,
    "function": domains.AnyFunction,
}


def _domain_of(signatures: tuple[Signature, ...], place: int) -> Domain:
    """Return what is checked of an argument before the definition runs."""
    found = {_domain_of_type(signature.parameters[place]) for signature in signatures}
    (domain,) = found if len(found) == 1 else {_domain(domains.Anything)}
    return domain


def _domain_of_type(term: Type) -> Domain:
    if term.kind == "product" and all(arg.kind == "integer" for arg in term.args):
        return _domain(domains.Location)
    return _domain(_DOMAINS.get(term) or _DOMAINS_BY_KIND.get(term.kind, domains.Anything))


def _domain(alias: Any) -> Domain:
    domain = alias.__metadata__[0]
    assert isinstance(domain, Domain)
    return domain


@dataclass(frozen=True, slots=True)
class _Guarded:
    """A definition whose errors are failures; its result is a value as declared, or a failure."""

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
        except Exception as error:  # whatever somebody's definition may raise
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
        """Fail if a function was called for which the budget had no room, though that was caught.

        What is over budget is so whatever else happens in the program.
        """
        if current_meter().exceeded:
            raise over_budget(f"{self.name}: what it called takes more than the budget")

    def _check_type(self, args: tuple[Value, ...], value: Value) -> None:
        """Fail unless the value is of a type that was declared for such arguments."""
        expected = []
        for signature in self.signatures:
            kinds: dict[str, type] = {}
            if all(_holds(*pair, kinds) for pair in zip(signature.parameters, args, strict=True)):
                if _holds(signature.result, value, kinds):
                    return
                expected.append(signature.result)
        if not expected:  # domains take some arguments that types do not, such as tuples of cells
            expected = [signature.result for signature in self.signatures]
            if any(_holds(term, value, {}) for term in expected):
                return
        wanted = " or ".join(dict.fromkeys(map(str, expected)))
        raise wrong_type(f"what {self.name} returned is {tell(value)}, expected {wanted}")


def _holds(term: Type, value: Any, kinds: dict[str, type]) -> bool:
    """Whether a value is of a type; `kinds` has what letters for containers stand for by now."""
    if term is GRID:
        return _domain(domains.Grid).holds(value)
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
    return True  # anything, or what a letter stands for


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


def own_digest() -> bytes:
    """Return what stands for the meaning of all own primitives, empty where there are none.

    It sees their code, not what else that calls.
    """
    if not own_primitives():
        return b""
    digest = blake2b(digest_size=16)
    for name, own in sorted(own_primitives().items()):
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
            # A set of texts has another order in every process.
            members = sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant
            digest.update(repr(members).encode())
