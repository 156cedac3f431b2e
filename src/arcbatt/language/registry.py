"""The registry: every primitive of the language, declared once.

`@primitive(...)` on a plain-Python definition declares name, types, ranges of codes, doc, tie
rule, oddities, examples, what the definition reads, which arguments it checks, and how it is
searched with. Everything else in the project (parser, types, documentation, engine checks, rows
of the search, tests) reads it from here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import product
from threading import Lock
from types import ModuleType
from typing import Any, Protocol, TypeVar

from . import domains
from .domains import Domain
from .types import Signature, parse_signature
from .values import Value

Definition = TypeVar("Definition", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Searched:
    """How the search tries a primitive on pictures.

    `order` is its place among all that are tried, ascending. `codes` are what it is tried with, in
    that order, where that is not simply all of its ranges: numbers, or tuples where it takes
    several. `needs_color` keeps it from being tried where its code, a colour, does not occur.
    What takes a size is tried with that of the input and that of the output.
    """

    order: int
    codes: Sequence[int | tuple[int, ...]] = ()
    needs_color: bool = False


@dataclass(frozen=True, slots=True)
class Primitive:
    """One primitive: its meaning (`define`) and all that is declared about it."""

    name: str
    family: str
    parameters: tuple[str, ...]
    domains: tuple[Domain, ...]
    signatures: tuple[Signature, ...]
    doc: str
    notes: str
    ties: str
    examples: tuple[str, ...]
    peeks: frozenset[int]
    aliases: tuple[str, ...]
    searched: Searched | None
    codes: tuple[tuple[int, range], ...]  # places of arguments whose range is stated, with it
    define: Callable[..., Any] = field(repr=False)
    is_own: bool = False  # declared outside the package (`own`): no engine has it

    @property
    def arity(self) -> int:
        return len(self.parameters)

    @property
    def usage(self) -> str:
        return f"{self.name}({', '.join(self.parameters)})"

    @property
    def other_names(self) -> list[str]:
        """Other spellings that stand for it, ascending."""
        return sorted(name for name, own in spellings().items() if own == self.name != name)

    def to_json(self) -> dict[str, Any]:
        """Return all that is declared about it, but for its meaning, as plain data."""
        return {
            "name": self.name,
            "family": self.family,
            "usage": self.usage,
            "signatures": [str(signature) for signature in self.signatures],
            "doc": self.doc,
            "notes": self.notes or None,
            "ties": self.ties or None,
            "other_names": self.other_names,
            "examples": list(self.examples),
            "is_searched_with": self.searched is not None,
        }

    def all_codes(self) -> Iterator[tuple[int, ...]]:
        """Yield every choice of the arguments whose range is stated, the last changing fastest."""
        return product(*(values for _, values in self.codes))

    def searched_codes(self) -> list[tuple[int, ...]]:
        """Return the codes that it is searched with, in the order in which they are tried."""
        if self.searched is None:
            return []
        chosen = self.searched.codes or self.all_codes()
        return [codes if isinstance(codes, tuple) else (codes,) for codes in chosen]


_primitives: dict[str, Primitive] = {}
_spellings: dict[str, str] = {}
_collecting = Lock()
# How a function made by this primitive is called: applied(*captured, *arguments).
_applied: dict[str, Callable[..., Value]] = {}
_own: dict[str, Primitive] = {}
# What is called when the registry has changed.
_forgetting: list[Callable[[], None]] = []
# What a call has learnt, or looks for, as lines of words: worded(value, *arguments).
_worded: dict[str, Callable[..., list[str]]] = {}


def primitive(
    *signatures: str,
    examples: tuple[str, ...],
    ties: str = "",
    peeks: str = "",
    aliases: tuple[str, ...] = (),
    searched: Searched | None = None,
) -> Callable[[Definition], Definition]:
    """Declare a primitive; the decorated definition is its meaning.

    `signatures` are its types, one overload each; `peeks` names the parameters (or "all")
    that are not read in full; further `aliases` beside the suffixed spellings may be given;
    `searched` has a primitive on pictures tried by the search.
    The docstring's first paragraph is the doc line, the rest notes on oddities.
    """

    def declare(define: Definition) -> Definition:
        name = define.__name__.rstrip("_")
        parameters = tuple(inspect.signature(define).parameters)
        doc, _, notes = inspect.cleandoc(define.__doc__ or "").partition("\n\n")
        types = tuple(parse_signature(text) for text in signatures)
        peeked = parameters if peeks == "all" else tuple(peeks.split())
        _primitives[name] = Primitive(
            name=name,
            family=define.__module__.rpartition(".")[2],
            parameters=parameters,
            domains=tuple(_domain(define.__annotations__[parameter]) for parameter in parameters),
            signatures=types,
            doc=" ".join(doc.split()),
            notes=" ".join(notes.split()),
            ties=ties,
            examples=examples,
            peeks=frozenset(parameters.index(parameter) for parameter in peeked),
            aliases=aliases,
            searched=searched,
            codes=stated_codes(types),
            define=define,
        )
        return define

    return declare


def _domain(annotation: str) -> Domain:
    """The domain that a parameter's annotation, a name of `domains`, carries."""
    domain = vars(domains)[annotation].__metadata__[0]
    assert isinstance(domain, Domain)
    return domain


def stated_codes(signatures: tuple[Signature, ...]) -> tuple[tuple[int, range], ...]:
    """Return the places of arguments whose range is stated, with it.

    Where overloads state several, it goes from the least to the greatest number, and the
    definition checks what one of them further refuses.
    """
    found = []
    for place, parameters in enumerate(zip(*(s.parameters for s in signatures), strict=True)):
        stated = [parameter.values for parameter in parameters if parameter.values is not None]
        if stated:
            if len(stated) < len(parameters):
                raise ValueError("a range must be stated in all signatures or in none")
            first, last = min(values[0] for values in stated), max(values[-1] for values in stated)
            found.append((place, range(first, last + 1)))
    return tuple(found)


def applied(name: str) -> Callable[[Definition], Definition]:
    """Declare what calling a function value made by primitive `name` does."""

    def declare(define: Definition) -> Definition:
        _applied[name] = define
        return define

    return declare


def worded(name: str) -> Callable[[Definition], Definition]:
    """Declare how a call of primitive `name` is told in words, from its value and arguments.

    For what learns: the rule that it has learnt, as lines that a person can read.
    """

    def declare(tell: Definition) -> Definition:
        _worded[name] = tell
        return tell

    return declare


def words_of_call(name: str, value: Value, args: Sequence[Value]) -> list[str]:
    """Return what a call has learnt, as lines of words; none for what learns nothing."""
    all_primitives()  # importing the families declares them
    tell = _worded.get(name)
    return [] if tell is None else tell(value, *args)


def worded_names() -> frozenset[str]:
    """Return the names of the primitives whose calls are told in words."""
    all_primitives()
    return frozenset(_worded)


def applied_definition(name: str) -> Callable[..., Value] | None:
    return _applied.get(name)


def all_primitives() -> Mapping[str, Primitive]:
    """By name, in the order of families and of declaration, own ones last."""
    if not _spellings:
        # Importing the families declares them; it has locks of its own, and so comes before ours.
        from .primitives import FAMILIES

        with _collecting:
            if not _spellings:
                _collect_spellings(FAMILIES)
    return _primitives


def bundled_primitives() -> Mapping[str, Primitive]:
    """Return those that come with the package, which are the ones that engines have."""
    return {name: each for name, each in all_primitives().items() if not each.is_own}


def own_primitives() -> Mapping[str, Primitive]:
    """Return those that were declared outside the package."""
    return _own


def declare_own(primitive: Primitive) -> None:
    """Add an own primitive, or put it in the place of the own one of its name.

    All that was remembered of the registry is forgotten.
    """
    all_primitives()
    for old in [spelling for spelling, name in _spellings.items() if name == primitive.name]:
        del _spellings[old]
    _primitives[primitive.name] = _own[primitive.name] = primitive
    for spelling in (primitive.name, *primitive.aliases):
        _spellings[spelling] = primitive.name
    for forget in _forgetting:
        forget()


def withdraw_own(name: str) -> None:
    """Take an own primitive out again; programs that call it cannot be run any more."""
    del _own[name], _primitives[name]
    for spelling in [each for each, stands_for in _spellings.items() if stands_for == name]:
        del _spellings[spelling]
    for forget in _forgetting:
        forget()


def on_declared(forget: Callable[[], None]) -> None:
    """Have a function called after an own primitive was declared or withdrawn."""
    _forgetting.append(forget)


class _Remembering(Protocol):
    def cache_clear(self) -> None: ...


Remembering = TypeVar("Remembering", bound=_Remembering)


def of_registry(remembering: Remembering) -> Remembering:
    """Mark a cached function as one whose results depend on which primitives there are."""
    on_declared(remembering.cache_clear)
    return remembering


def _collect_spellings(families: Sequence[ModuleType]) -> None:
    """All names: own ones, declared aliases, and suffixed ones where a version exists.

    A suffix names the version for tuples and grids (_t), sets and patches (_f), indices
    (_i) or objects (_o); it is accepted where some overload takes such an argument.
    """
    places = {module.__name__.rpartition(".")[2]: i for i, module in enumerate(families)}
    declared_in_order = sorted(_primitives.values(), key=lambda p: places[p.family])
    _primitives.clear()
    _primitives.update((declared.name, declared) for declared in declared_in_order)
    found: dict[str, str] = {}
    for name, declared in _primitives.items():
        for suffix in ("t", "f", "i", "o"):
            if any(signature.accepts_suffix(suffix) for signature in declared.signatures):
                for base in (name, *declared.aliases):
                    found.setdefault(f"{base}_{suffix}", name)
    for name, declared in _primitives.items():
        for alias in declared.aliases:
            found[alias] = name
    for name in _primitives:
        found[name] = name
    _spellings.update(found)  # at once: another thread takes what is there for all


def find_primitive(spelling: str) -> Primitive | None:
    """The primitive of that name or spelling."""
    name = (_spellings or spellings()).get(spelling)
    return None if name is None else _primitives[name]


def get_primitive(name: str) -> Primitive:
    """The primitive of exactly that name; for names that come from the registry."""
    return all_primitives()[name]


def spellings() -> Mapping[str, str]:
    """Every accepted name, with the name of the primitive it stands for."""
    all_primitives()
    return _spellings


def suggest(spelling: str, extra: tuple[str, ...] = ()) -> str:
    """A "did you mean" for an unknown name, or nothing."""
    if len(spelling) > 64:
        return ""
    close = get_close_matches(spelling, [*extra, *spellings()], n=1, cutoff=0.6)
    return f"did you mean {close[0]}?" if close else ""
