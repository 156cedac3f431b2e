"""What the demos tell: primitives over `S`, the tuple of (input, output) pairs."""

from __future__ import annotations

from ..calling import call, map_over
from ..domains import AnyFunction, Demos
from ..failure import empty
from ..registry import primitive
from ..types import CODES
from ..values import Value
from .codes import mir_rot
from .containers import difference, merge_members


@primitive(
    "Demos -> Demos",
    examples=(
        "dedupe_pair_tuple(((((1,),), ((1,),)), (((1,),), ((2,),)))) == ((((1,),), ((2,),)),)",
        "dedupe_pair_tuple(()) == ()",
    ),
)
def dedupe_pair_tuple(S: Demos) -> Value:
    """The pairs whose output differs from the input."""
    return tuple(pair for pair in S if pair[0] != pair[1])


def _over_sides(S: Demos, function: Value, name: str) -> tuple[Value, Value]:
    inputs = merge_members(tuple(map_over(function, [pair[0] for pair in S])), name)
    outputs = merge_members(tuple(map_over(function, [pair[1] for pair in S])), name)
    return inputs, outputs


@primitive(
    "Demos, (Grid -> C[a]) -> Tuple[a]",
    examples=(
        "c_iz(((((1, 2),), ((2, 2),)),), p_g) == (1,)",
        "c_iz(((((1, 2),), ((3, 4),)),), p_g) == (1, 2)",
    ),
)
def c_iz(S: Demos, f: AnyFunction) -> Value:
    """What a function finds in the inputs but in no output.

    With `p_g` the colours that leave; one that several inputs have stands there so many
    times.
    """
    inputs, outputs = _over_sides(S, f, "c_iz")
    return difference(inputs, outputs)  # type: ignore[arg-type]


@primitive(
    "Demos, (Grid -> C[a]) -> Tuple[a]",
    examples=(
        "c_zo(((((1, 2),), ((2, 3),)),), p_g) == (3,)",
        "c_zo(((((1, 2),), ((1, 2),)),), p_g) == ()",
    ),
)
def c_zo(S: Demos, f: AnyFunction) -> Value:
    """What a function finds in the outputs but in no input.

    With `p_g` the colours that arrive; one that several outputs have stands there so many
    times.
    """
    inputs, outputs = _over_sides(S, f, "c_zo")
    return difference(outputs, inputs)  # type: ignore[arg-type]


@primitive(
    "Demos, (Grid -> C[a]), (Tuple[a] -> b) -> b",
    examples=(
        "c_iz_n(((((1, 2),), ((2, 2),)),), p_g, first) == 1",
        "c_iz_n(((((1, 2),), ((3, 4),)),), p_g, rbind(get_nth, L1)) == 2",
    ),
)
def c_iz_n(S: Demos, f: AnyFunction, pick: AnyFunction) -> Value:
    """A pick from `c_iz`."""
    return call(pick, c_iz(S, f))


@primitive(
    "Demos, (Grid -> C[a]), (Tuple[a] -> b) -> b",
    examples=(
        "c_zo_n(((((1, 2),), ((2, 3),)),), p_g, first) == 3",
        "c_zo_n(((((1, 2),), ((3, 4),)),), p_g, rbind(get_nth, L1)) == 4",
    ),
)
def c_zo_n(S: Demos, f: AnyFunction, pick: AnyFunction) -> Value:
    """A pick from `c_zo`."""
    return call(pick, c_zo(S, f))


@primitive(
    "Demos -> MirrorCode",
    examples=(
        "a_mr(((((1, 2),), ((2, 1),)),)) == A2",
        "a_mr(((((1, 2), (3, 4)), ((1, 3), (2, 4))),)) == A1",
    ),
)
def a_mr(S: Demos) -> Value:
    """The first code from 0 to 7 for which `mir_rot` of each input is its output.

    Fails where there is none.
    """
    for code in CODES["MirrorCode"]:
        if all(mir_rot(given, code) == wanted for given, wanted in S):
            return code
    raise empty("a_mr: no mirror or turn gives the outputs")
