"""Variants: all programs that are one change of a kind away from a program, without chance.

What a kind of `kinds` draws one of, a kind here goes through. That pays for programs that were
written for other tasks: the rule is often the same, and a colour or a turn is not. Variants of one
program share most of their calls, so they cost a fraction of what as many programs cost. Kinds with
many variants (other primitives, constants, variables) are not here: drawing those of programs that
are nearly right finds more in the same time.

| kind | each |
| --- | --- |
| demo_color | colour, wherever it stands, taken from the demos: what leaves or arrives |
| two_colors | two colours, each taken from the demos or by its rank in the input |
| generalize | colour, wherever it stands, taken by its rank in the input |
| delete | call left out for one of its arguments |
| finish | primitive from grid to grid after the result |
| sequence | other known program after the result, both of few calls |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, permutations

from arcbatt.language import Node, Program, ir
from arcbatt.language.infer import type_of

from ...first_programs import first_programs
from .anatomy import Anatomy, Place, anatomy_of
from .kinds import demo_colors
from .mutator import Mutant, named
from .vocabulary import is_grid

# Ranks by frequency: the background, what is drawn on it, and the rarest.
_RANKS = (0, 1, 2, -1, -2)
SEQUENCE = "sequence"
# Of two programs in sequence: with up to 10 calls each there are three times as many, and as many
# tasks are solved by those with up to 6 as by all others.
MAX_CALLS_OF_EACH = 6


def variants(program: Program, kind: str, known: Sequence[Program] = ()) -> Iterator[Mutant]:
    """Yield all variants of a kind, each once, that are well typed and give a grid.

    `known` are the programs that may come after this one.
    """
    made = _sequences(program, known) if kind == SEQUENCE else _changes(program, kind)
    met = {program.result}
    for result, parents in made:
        if result is None or result in met:
            continue
        met.add(result)
        given = type_of(result)
        if given is not None and is_grid(given):
            yield Mutant(named(result), kind, parents)


_Made = Iterator[tuple[Node | None, tuple[Program, ...]]]


def _changes(program: Program, kind: str) -> _Made:
    for result in CHANGES[kind](anatomy_of(program)):
        yield result, (program,)


def _sequences(program: Program, known: Sequence[Program]) -> _Made:
    """One that looks at the demos comes first, if at all: it knows what inputs become."""
    if program.n_calls > MAX_CALLS_OF_EACH:
        return
    for after in known:
        if after != program and after.n_calls <= MAX_CALLS_OF_EACH and "S" not in after.inputs:
            yield ir.replace_input(after.result, "I", program.result), (program, after)


def _with_demo_color(anatomy: Anatomy) -> Iterator[Node | None]:
    return _with_color(anatomy, demo_colors())


def _with_color_by_rank(anatomy: Anatomy) -> Iterator[Node | None]:
    return _with_color(anatomy, _colors_by_rank())


def _with_two_colors(anatomy: Anatomy) -> Iterator[Node | None]:
    for one, other in combinations(_color_places(anatomy).values(), 2):
        for first, second in permutations(_colors_of_samples(), 2):
            yield anatomy.with_places({**dict.fromkeys(one, first), **dict.fromkeys(other, second)})


def _without_call(anatomy: Anatomy) -> Iterator[Node | None]:
    for k, place in anatomy.deletable:
        yield anatomy.with_node(k, anatomy.nodes[k].args[place])


def _finished(anatomy: Anatomy) -> Iterator[Node | None]:
    for last in first_programs():
        yield ir.replace_input(last.result, "I", anatomy.nodes[anatomy.result])


CHANGES: Mapping[str, Callable[[Anatomy], Iterator[Node | None]]] = {
    "demo_color": _with_demo_color,
    "two_colors": _with_two_colors,
    "generalize": _with_color_by_rank,
    "delete": _without_call,
    "finish": _finished,
}
VARIANTS = (*CHANGES, SEQUENCE)


# --- what several kinds need ---


def _color_places(anatomy: Anatomy) -> dict[int, list[Place]]:
    """By constant, of those that are a colour somewhere: the places where they are one."""
    found: dict[int, list[Place]] = {}
    for user, place, role in anatomy.constant_places:
        if role == "Color":
            found.setdefault(anatomy.args[user][place], []).append((user, place))
    return found


def _with_color(anatomy: Anatomy, colors: Sequence[Node]) -> Iterator[Node | None]:
    for places in _color_places(anatomy).values():
        for color in colors:
            yield anatomy.with_places(dict.fromkeys(places, color))


@cache
def _colors_by_rank() -> tuple[Node, ...]:
    grid = ir.input_node("I")
    return tuple(ir.call_node("get_color_rank", grid, ir.constant(rank)) for rank in _RANKS)


@cache
def _colors_of_samples() -> tuple[Node, ...]:
    """The likeliest colours of both kinds, few enough to go through all pairs."""
    of_demos = [color for color in demo_colors() if color.args[2].name in ("first", "last")]
    return (*of_demos, *_colors_by_rank()[:4])
