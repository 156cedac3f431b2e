"""The registry: every primitive of the language, declared once.

`@primitive(...)` on a plain-Python definition declares everything about a primitive: name, types,
ranges of codes, documentation, ties, examples, how a GPU runs it and how the search uses it. The
parser, type inference, documentation, generated tables of the engine and tests read it from here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from threading import Lock
from types import ModuleType
from typing import Any, Protocol, TypeVar

from .domains import Domain, domain_of
from .native import call_learner
from .types import Signature, parse_signature
from .values import Value

Definition = TypeVar("Definition", bound=Callable[..., Any])


# Features of a picture as constants of native/enumerate/features.hpp: an expression in which
# {code} stands for the first code, or a sequence with one expression per code.
Features = str | Sequence[str]


@dataclass(frozen=True, slots=True)
class Searched:
    """How the search tries a primitive on pictures.

    Primitives are tried in the order of declaration, except that `after` and `before` place one
    next to another. `codes` are the codes that it is tried with, in this order (tuples if it takes
    several), by default all. `needs_color`: it is tried only where its code, a color, occurs. A
    primitive that takes a size is tried with that of the input and that of the output.
    `ends_lists`: of one primitive, which turns the lists made at the last depth into pictures.

    The rest predicts results without a run. A picture stays as it is with all features of
    `unchanged_if` (for a primitive that takes a size, if it also has that size) and becomes blank
    with those of `blank_if`. `plain` names a rule in features.hpp for results of one color.
    """

    after: str = ""
    before: str = ""
    codes: Sequence[int | tuple[int, ...]] = ()
    needs_color: bool = False
    ends_lists: bool = False
    unchanged_if: Features = ""
    blank_if: Features = ""
    plain: Features = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """How the search uses a primitive as a rule for a task: with all codes, in every view.

    Its parameters say how it is called. With demos and a grid, or with a grid alone, it returns the
    output. With demos alone it returns a learned rule as data, which the primitive `applied_by`
    applies to the grid. A color is tried with all colors.

    `bits` is its cost beyond that of any rule. `on_bases`: it is also learned from other grids than
    the input that come near the outputs. `plain_only`: it is not tried in other views than the
    plain one. `crops`: the part of the output where the grid has the color is tried as well.
    """

    applied_by: str = ""
    bits: float = 0.0
    on_bases: bool = False
    plain_only: bool = False
    crops: bool = False


@dataclass(frozen=True, slots=True)
class Gpu:
    """How a GPU runs a primitive. Parameters are given by name, separated by spaces.

    `calls`: parameters that are functions it calls, in this order (twice if called in two passes),
    each on `columns` elements at once. `combines`: parameters that are functions out of which it
    makes a function. `single_thread`: one thread runs a call unless its arguments are large.
    `wide`: it also has a kernel for large values, run by a whole block. `slow_to_compile`: its
    kernel takes twice as long to compile as most. `cpu_only`: programs that call it run on the CPU.
    """

    calls: str = ""
    columns: int = 1
    combines: str = ""
    single_thread: bool = False
    wide: bool = False
    slow_to_compile: bool = False
    cpu_only: bool = False


ON_GPU = Gpu()
SINGLE_THREAD = Gpu(single_thread=True)
WIDE = Gpu(wide=True)
SLOW_TO_COMPILE = Gpu(slow_to_compile=True)
# A search through one demo after another takes a warp far longer than a core.
CPU_ONLY = Gpu(cpu_only=True)


@dataclass(frozen=True, slots=True)
class Primitive:
    """One primitive: its definition and everything declared about it."""

    name: str
    family: str
    parameters: tuple[str, ...]
    domains: tuple[Domain, ...]
    signatures: tuple[Signature, ...]
    doc: str
    brief: str  # its description for prompts, where that is not `doc`
    notes: str
    ties: str
    examples: tuple[str, ...]
    peeks: frozenset[int]
    aliases: tuple[str, ...]
    searched: Searched | None
    rule: Rule | None
    gpu: Gpu
    codes: tuple[tuple[int, range], ...]  # positions of arguments with a stated range, and it
    define: Callable[..., Any] = field(repr=False)
    is_user_defined: bool = False  # declared outside the package: no engine has it
    is_learner: bool = False  # `define` calls the native code, the only implementation
    is_host: bool = False  # its C++ is in native/learners, which no GPU compiles
    in_arc_dsl: bool = True  # in the public arc-dsl, if its family is (`prompt.py`)

    @property
    def arity(self) -> int:
        return len(self.parameters)

    @property
    def usage(self) -> str:
        return f"{self.name}({', '.join(self.parameters)})"

    @property
    def called_functions(self) -> tuple[int, ...]:
        """Positions of the functions that it calls, in the order of `Gpu.calls`."""
        return tuple(map(self.parameters.index, self.gpu.calls.split()))

    @property
    def combined_functions(self) -> tuple[int, ...]:
        """Positions of the functions out of which it makes a function."""
        return tuple(map(self.parameters.index, self.gpu.combines.split()))

    @property
    def other_names(self) -> list[str]:
        """Its other accepted spellings, ascending."""
        return sorted(each for each, name in spellings().items() if name == self.name != each)

    def to_json(self) -> dict[str, Any]:
        """Return the declaration, without the definition, as plain data."""
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
        """Yield every combination of the arguments with a stated range, the last varying first."""
        return product(*(values for _, values in self.codes))

    def searched_codes(self) -> list[tuple[int, ...]]:
        """Return the codes that the search tries it with, in that order."""
        if self.searched is None:
            return []
        chosen = self.searched.codes or self.all_codes()
        return [codes if isinstance(codes, tuple) else (codes,) for codes in chosen]


_primitives: dict[str, Primitive] = {}
_user_primitives: dict[str, Primitive] = {}
_spellings: dict[str, str] = {}
_collecting = Lock()
# By primitive, how the functions it makes are called: applied(*captured, *arguments).
_applied: dict[str, Callable[..., Value]] = {}
# By primitive, how a call is put into words: worded(value, *arguments).
_worded: dict[str, Callable[..., list[str]]] = {}
_cache_resets: list[Callable[[], None]] = []


def primitive(
    *signatures: str,
    examples: tuple[str, ...] = (),
    ties: str = "",
    brief: str = "",
    peeks: str = "",
    aliases: tuple[str, ...] = (),
    domains: Mapping[str, Domain] | None = None,
    searched: Searched | None = None,
    rule: Rule | None = None,
    gpu: Gpu = ON_GPU,
    is_learner: bool = False,
    is_host: bool = False,
    in_arc_dsl: bool = True,
) -> Callable[[Definition], Definition]:
    """Declare a primitive, in the package or outside of it; the decorated function defines it.

    `signatures` are its types, such as "Grid, Color -> Grid", one per overload; docs/primitives.md
    has those of all primitives. `examples`, such as "drop(((1,), (0,))) == ((0,), (1,))", are
    tested. `ties` says which of several equally good answers it gives. `aliases` are further
    names. The first paragraph of the docstring says what it returns, the others describe special
    cases. `brief` says it in few words for the prompt of a language model, in terms of the
    parameters; by default it is the first paragraph.

    A primitive declared outside the package becomes part of the language at once, and its examples
    are tried. Its function gets values of the language (tuples, frozensets, numbers, functions,
    which it may call) and returns one of the declared type; lists and arrays of integers are taken
    for tuples. An exception that it raises is a failure of the call. Declaring a name again
    replaces it, as when a cell of a notebook is run again. A wrong declaration raises ValueError.

    The rest concerns primitives of the package. `peeks` names the parameters (or "all") that are
    not read in full. `domains` overrides what follows from the types. `searched` has the search
    try a primitive on pictures, `rule` has it try one as a rule for tasks, `gpu` says how a GPU
    runs it. The decorated function of a learner (`is_learner`) has a docstring and no body:
    native/learners has its implementation. That folder also has the C++ of primitives with a
    definition that no GPU runs (`is_host`). `in_arc_dsl=False` marks what a family of the public
    arc-dsl has beyond it.
    """
    for text in signatures:
        if not isinstance(text, str):
            raise TypeError(
                f'@primitive takes the types as text, such as @primitive("Grid -> Grid"), '
                f"not a {type(text).__name__}"
            )

    def declare(define: Definition) -> Definition:
        is_bundled = define.__module__.startswith(f"{__package__}.")
        if not is_bundled:
            from . import user_defined  # it tries examples, and running them needs the registry

            user_defined.check_declaration(define, signatures, aliases)
        name = define.__name__.rstrip("_") if is_bundled else define.__name__
        parameters = tuple(inspect.signature(define).parameters)
        doc, _, notes = inspect.cleandoc(define.__doc__ or "").partition("\n\n")
        types = tuple(parse_signature(text) for text in signatures)
        peeked = parameters if peeks == "all" else tuple(peeks.split())
        by_place = zip(*(signature.parameters for signature in types), strict=True)
        declared = domains or {}
        made = Primitive(
            name=name,
            family=define.__module__.rpartition(".")[2],
            parameters=parameters,
            domains=tuple(
                declared.get(parameter) or domain_of(overloads)
                for parameter, overloads in zip(parameters, by_place, strict=True)
            ),
            signatures=types,
            doc=" ".join(doc.split()),
            brief=brief,
            notes=" ".join(notes.split()),
            ties=ties,
            examples=tuple(examples),
            peeks=frozenset(map(parameters.index, peeked)),
            aliases=tuple(aliases),
            searched=searched,
            rule=rule,
            gpu=CPU_ONLY if is_host or is_learner else gpu,
            codes=_stated_codes(types),
            define=partial(_run_learner, name) if is_learner else define,
            is_user_defined=not is_bundled,
            is_learner=is_learner,
            is_host=is_host or is_learner,
            in_arc_dsl=in_arc_dsl,
        )
        if is_bundled:
            _primitives[name] = made
        else:
            user_defined.declare(made)
        return define

    return declare


def _run_learner(name: str, *args: Value) -> Value:
    return call_learner(name, args)


def _stated_codes(signatures: tuple[Signature, ...]) -> tuple[tuple[int, range], ...]:
    """Return the positions of arguments whose range is stated, with the range.

    Of overloads with different ranges, it is the range that covers all; the definition checks the
    rest.
    """
    codes = []
    for place, overloads in enumerate(zip(*(s.parameters for s in signatures), strict=True)):
        ranges = [term.values for term in overloads if term.values is not None]
        if ranges:
            if len(ranges) < len(overloads):
                raise ValueError("a range must be stated in all signatures or in none")
            first, last = min(values[0] for values in ranges), max(values[-1] for values in ranges)
            codes.append((place, range(first, last + 1)))
    return tuple(codes)


def applied(name: str) -> Callable[[Definition], Definition]:
    """Declare what calling a function value made by primitive `name` does."""

    def declare(define: Definition) -> Definition:
        _applied[name] = define
        return define

    return declare


def applied_definition(name: str) -> Callable[..., Value] | None:
    """Return what a call of a function made by a primitive does; None if it makes none."""
    return _applied.get(name)


def worded(name: str) -> Callable[[Definition], Definition]:
    """Declare how a call of a learner is put into words, from its value and arguments.

    The decorated function returns the learned rule as lines of text.
    """

    def declare(describe: Definition) -> Definition:
        _worded[name] = describe
        return describe

    return declare


def words_of_call(name: str, value: Value, args: Sequence[Value]) -> list[str]:
    """Return what a call has learned, as lines of text; no lines if it learns nothing."""
    all_primitives()  # importing the families declares them
    describe = _worded.get(name)
    return [] if describe is None else describe(value, *args)


def worded_names() -> frozenset[str]:
    """Return the names of the primitives whose calls are put into words."""
    all_primitives()
    return frozenset(_worded)


def all_primitives() -> Mapping[str, Primitive]:
    """Return all primitives by name, by family and declaration, user-defined last."""
    if not _spellings:
        # Importing the families declares them. Imports have locks of their own, so this precedes
        # our lock.
        from .families import FAMILIES

        with _collecting:
            if not _spellings:
                _collect_spellings(FAMILIES)
    return _primitives


def bundled_primitives() -> Mapping[str, Primitive]:
    """Return the primitives of the package, which are the ones that engines have."""
    return {name: each for name, each in all_primitives().items() if not each.is_user_defined}


def user_primitives() -> Mapping[str, Primitive]:
    """Return the primitives that were declared outside the package."""
    return _user_primitives


def add_user_primitive(made: Primitive) -> None:
    """Add a user-defined primitive, or replace the user-defined one of its name."""
    all_primitives()
    _drop_spellings(made.name)
    _primitives[made.name] = _user_primitives[made.name] = made
    for spelling in (made.name, *made.aliases):
        _spellings[spelling] = made.name
    _reset_caches()


def withdraw_user_primitive(name: str) -> None:
    """Remove a user-defined primitive; programs that call it can no longer run."""
    del _user_primitives[name], _primitives[name]
    _drop_spellings(name)
    _reset_caches()


def _drop_spellings(name: str) -> None:
    for spelling in [each for each, stands_for in _spellings.items() if stands_for == name]:
        del _spellings[spelling]


def _reset_caches() -> None:
    for reset in _cache_resets:
        reset()


def on_declared(reset: Callable[[], None]) -> None:
    """Call a function after a user-defined primitive was declared or withdrawn."""
    _cache_resets.append(reset)


class _Cached(Protocol):
    def cache_clear(self) -> None: ...


Cached = TypeVar("Cached", bound=_Cached)


def of_registry(cached: Cached) -> Cached:
    """Mark a cached function as one whose results depend on the registered primitives."""
    on_declared(cached.cache_clear)
    return cached


def _collect_spellings(families: Sequence[ModuleType]) -> None:
    """Collect all spellings: names, aliases, and names with a suffix.

    A suffix names the version for tuples and grids (_t), sets and patches (_f), indices (_i) or
    objects (_o); it is accepted where some overload takes such an argument.
    """
    positions = {module.__name__.rpartition(".")[2]: i for i, module in enumerate(families)}
    in_order = sorted(_primitives.values(), key=lambda p: positions[p.family])
    _primitives.clear()
    _primitives.update((declared.name, declared) for declared in in_order)
    collected: dict[str, str] = {}
    for name, declared in _primitives.items():
        for suffix in ("t", "f", "i", "o"):
            if any(signature.accepts_suffix(suffix) for signature in declared.signatures):
                for base in (name, *declared.aliases):
                    collected.setdefault(f"{base}_{suffix}", name)
    for name, declared in _primitives.items():
        for alias in declared.aliases:
            collected[alias] = name
    for name in _primitives:
        collected[name] = name
    _spellings.update(collected)  # at once: other threads take a non-empty table for complete


def spellings() -> Mapping[str, str]:
    """Return every accepted spelling, with the name of its primitive."""
    all_primitives()
    return _spellings


def find_primitive(spelling: str) -> Primitive | None:
    """Return the primitive of a name or other spelling, or None."""
    name = (_spellings or spellings()).get(spelling)
    return None if name is None else _primitives[name]


def get_primitive(name: str) -> Primitive:
    """Return the primitive of exactly this name, which must exist."""
    return all_primitives()[name]
