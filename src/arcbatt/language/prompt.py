"""The language in a few kilobytes, for the prompt of a language model."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby

from arcbatt.suggestion import suggest

from .registry import Primitive, all_primitives

# The most bytes of a prompt, by dialect.
MAX_BYTES = {"full": 30_000, "arc-dsl": 12_000}
DIALECTS = tuple(MAX_BYTES)
# The families of the public arc-dsl.
_ARC_DSL = ("numbers", "containers", "functions", "patches", "pieces", "grids", "objects", "own")

_GRAMMAR = """\
Programs for ARC tasks, which map an input grid to an output grid, are written in a small functional
language. It looks like Python, but Python does not run it; only this is allowed:
1. `def solve(I):` is the head; I is the input grid, a tuple of rows of colors 0 to 9.
2. Every line is `name = expression`; the last line is `return expression`. Names are assigned once.
3. An expression is a name, a constant, a number, a tuple or set of these, or a call f(x, y).
4. Calls may be nested: `x = fill(I, RED, ofcolor(I, BLUE))`.
5. Operators + - * // % == != < > <= >= in not and or, and `a if c else b`, stand for primitives.
   Both a and b are computed: if one has no result, the program fails.
6. Functions are values: a primitive's name, compose(f, g), rbind(f, last), lbind(f, first),
   fork(f, g, h), or `lambda x: ...` of one argument put together from calls.
7. There are no loops, no `if` statements, no recursion, no subscripts, slices, methods or imports:
   use apply(f, c), mapply(f, c), sfilter(c, f), first(c), last(c), index(grid, (row, column)).
8. `def solve(S, I):` gives the demos too: S is a tuple of (input, output) pairs.
9. Names of primitives and constants cannot be assigned to. Values never change.
10. A call without a result, such as first of an empty set, makes the program fail.
11. Sets are iterated in ascending order, tuples as they stand; of equals the first is taken.
12. A box is the rectangle around a patch. Locations outside a grid are left out.
"""
_TYPES = """\
Types: Integer (Color, Count, Rank and codes are integers); Boolean; Pair is (row, column), also a
size or direction; Grid is a tuple of rows; Indices is a set of Pairs; Cell is (color, Pair); Object
is a set of Cells; Objects a set of Objects; Patch is Indices or Object; Element is Grid or Object;
Numerical is Integer or Pair, computed number by number; Tuple[a], Set[a], C[a] (either) hold
members of type a; a -> b is a function.
"""
_OTHER_TYPES = """\
Picture is (Pair, Grid), a grid at a place, in which 0 is empty: (ORIGIN, I) makes one, last(p) is
its grid, its main color is the most common but 0; Pictures is a set of them. Demos is the type of
S. Learners (learn_..., grow_tree, ...) find a rule in the demos, and fail where there is none; so
`return learn_cells(S, I, 2)` is a whole program, as are apply_tree(grow_tree(S, 0, 0), I) and
apply_fates(learn_fates(S), I, 0).
"""
_CONSTANTS = """\
Constants: BLACK 0 BLUE 1 RED 2 GREEN 3 YELLOW 4 GRAY 5 MAGENTA 6 ORANGE 7 CYAN 8 BROWN 9; ZERO ONE
TWO THREE ... TEN, NEG_ONE, NEG_TWO; T, F; UP DOWN LEFT RIGHT UNITY (1, 1) NEG_UNITY UP_RIGHT
DOWN_LEFT ORIGIN (0, 0) ZERO_BY_TWO TWO_BY_ZERO TWO_BY_TWO THREE_BY_THREE.
"""
EXAMPLES = (
    (
        "Black cells that are shut in become yellow.",
        """\
def solve(I):
    gaps = colorfilter(objects(I, T, F, F), BLACK)
    inside = sfilter(gaps, lambda gap: not bordering(gap, I))
    return fill(I, YELLOW, merge(inside))
""",
    ),
    (
        "The largest object, cut out and mirrored.",
        """\
def solve(I):
    parts = objects(I, T, F, T)
    largest = argmax(parts, size)
    return vmirror(subgrid(largest, I))
""",
    ),
    (
        "The input beside its mirror image, red instead of blue if it is wide.",
        """\
def solve(I):
    both_sides = hconcat(I, vmirror(I))
    recolored = replace(both_sides, BLUE, RED)
    return recolored if width(I) > height(I) else both_sides
""",
    ),
)


def language_prompt(dialect: str = "full", families: Collection[str] | None = None) -> str:
    """Return a description of the language for a prompt, with every primitive on a line.

    The dialect "full" has all primitives in at most 30,000 bytes, "arc-dsl" only those of the
    public arc-dsl, in at most 12,000. `families` chooses among them. Primitives of your own are
    added.
    """
    if dialect not in MAX_BYTES:
        raise ValueError(
            f"no dialect is named {dialect} (there are {' and '.join(DIALECTS)})"
            f"{suggest(dialect, DIALECTS)}"
        )
    if isinstance(families, str):
        families = [families]
    chosen = [
        each
        for each in all_primitives().values()
        if (dialect == "full" or is_arc_dsl(each)) and (not families or each.family in families)
    ]
    known = dict.fromkeys(each.family for each in all_primitives().values())
    for family in families or ():
        if family not in known:
            raise ValueError(f"no family is named {family}{suggest(family, known)}")
    return _write(chosen)


def is_arc_dsl(primitive: Primitive) -> bool:
    """Return whether a primitive is of the public arc-dsl, or the user's own."""
    return primitive.family in _ARC_DSL and primitive.in_arc_dsl


def _write(primitives: Sequence[Primitive]) -> str:
    is_dialect = all(map(is_arc_dsl, primitives))
    types = _TYPES if is_dialect else _TYPES + _OTHER_TYPES
    parts = [_GRAMMAR, types, _CONSTANTS, "Primitives, as name(arguments) -> type: what it gives"]
    for family, members in groupby(primitives, key=lambda each: each.family):
        parts.append(f"# {family}")
        parts += [_line(each) for each in members]
    parts.append("\nExamples\n")
    parts += [f"{meaning}\n{text}" for meaning, text in EXAMPLES]
    return "\n".join(parts)


def _line(primitive: Primitive) -> str:
    """Return a primitive on one line, with the ranges of its codes."""
    results = [str(signature.result) for signature in primitive.signatures]
    if {"Indices", "Object"} <= set(results):
        results = ["Patch" if each in ("Indices", "Object") else each for each in results]
    if {"Integer", "Pair"} <= set(results):
        results = ["Numerical" if each in ("Integer", "Pair") else each for each in results]
    if "Grid" in results:  # a tuple of tuples is treated as a grid is
        results = [each for each in results if not each.startswith("Tuple")]
    if "Tuple[Grid]" in results:
        results = [each for each in results if not each.startswith("Tuple[Tuple")]
    text = primitive.brief or primitive.doc.removesuffix(".")
    text = text[:1].lower() + text[1:]
    for place, values in primitive.codes:
        text += f"; {primitive.parameters[place]} {values[0]} to {values[-1]}"
    return f"{primitive.usage} -> {' | '.join(dict.fromkeys(results))}: {text}"
