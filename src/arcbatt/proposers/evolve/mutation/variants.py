"""Variants: all programs that are one change of a kind away from a program.

Mutation draws single changes at random; variants enumerate them. That pays for programs written for
other tasks: the rule is often the same, with another color or orientation. Variants of one program
share most of their calls, so they cost a fraction of as many unrelated programs. Kinds with many
variants (other primitives, constants, variables) are left out: random mutants of nearly right
programs find more in the same time.

| kind | change |
| --- | --- |
| demo_color | a color, in all its places, is taken from the demos: one that disappears or appears |
| two_colors | two colors are each taken from the demos or by their rank in the input |
| generalize | a color, in all its places, is taken by its rank in the input |
| delete | a call is replaced by one of its arguments |
| finish | a primitive from grid to grid follows the result |
| sequence | another known program follows the result, both with few calls |
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

# Ranks by frequency: the background, the main colors, and the rarest.
_RANKS = (0, 1, 2, -1, -2)
SEQUENCE = "sequence"
# The most calls of each program in a sequence: up to 10 calls gives three times as many sequences,
# and half of the tasks solved are solved with up to 6.
MAX_CALLS_OF_EACH = 6


def variants(program: Program, kind: str, known: Sequence[Program] = ()) -> Iterator[Mutant]:
    """Yield all distinct variants of a kind that are well typed and return a grid.

    `known` are the programs that may follow this one in a sequence.
    """
    made = _sequences(program, known) if kind == SEQUENCE else _changes(program, kind)
    seen = {program.result}
    for result, parents in made:
        if result is None or result in seen:
            continue
        seen.add(result)
        given = type_of(result)
        if given is not None and is_grid(given):
            yield Mutant(named(result), kind, parents)


_Made = Iterator[tuple[Node | None, tuple[Program, ...]]]


def _changes(program: Program, kind: str) -> _Made:
    for result in CHANGES[kind](anatomy_of(program)):
        yield result, (program,)


def _sequences(program: Program, known: Sequence[Program]) -> _Made:
    """Yield sequences; only the first program may read the demos, as their inputs are its own."""
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


# --- helpers ---


def _color_places(anatomy: Anatomy) -> dict[int, list[Place]]:
    """Return by constant the places where it is a color."""
    by_constant: dict[int, list[Place]] = {}
    for user, place, _ in anatomy.color_places:
        by_constant.setdefault(anatomy.args[user][place], []).append((user, place))
    return by_constant


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
    """Return the likeliest colors from demos and by rank, few enough for all pairs."""
    of_demos = [color for color in demo_colors() if color.args[2].name in ("first", "last")]
    return (*of_demos, *_colors_by_rank()[:4])
