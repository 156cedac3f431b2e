"""Primitives over the demos, `S`: a tuple of (input, output) pairs."""

from __future__ import annotations

from ..calls import call, map_over
from ..failure import empty, out_of_range
from ..registry import CPU_ONLY, Gpu, primitive
from ..types import CODES
from ..values import Demos, Function, Grid, Value
from .codes import mir_rot
from .color_grids import check_colors
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
    gpu=Gpu(calls="f f"),
    brief="the members of f(input) that are not in f(output), over all demos",
)
def c_iz(S: Demos, f: Function) -> Value:
    """The values of a function on inputs that are in no output.

    With `p_g`, the colors that disappear; a color of several inputs occurs once per input.
    """
    inputs, outputs = _over_sides(S, f, "c_iz")
    return difference(inputs, outputs)  # type: ignore[arg-type]


@primitive(
    "Demos, (Grid -> C[a]) -> Tuple[a]",
    examples=(
        "c_zo(((((1, 2),), ((2, 3),)),), p_g) == (3,)",
        "c_zo(((((1, 2),), ((1, 2),)),), p_g) == ()",
    ),
    gpu=Gpu(calls="f f"),
    brief="the members of f(output) that are not in f(input), over all demos",
)
def c_zo(S: Demos, f: Function) -> Value:
    """The values of a function on outputs that are in no input.

    With `p_g`, the colors that appear; a color of several outputs occurs once per output.
    """
    inputs, outputs = _over_sides(S, f, "c_zo")
    return difference(outputs, inputs)  # type: ignore[arg-type]


@primitive(
    "Demos, (Grid -> C[a]), (Tuple[a] -> b) -> b",
    examples=(
        "c_iz_n(((((1, 2),), ((2, 2),)),), p_g, first) == 1",
        "c_iz_n(((((1, 2),), ((3, 4),)),), p_g, rbind(get_nth, L1)) == 2",
    ),
    gpu=Gpu(calls="f f pick"),
    brief="pick(c_iz(S, f))",
)
def c_iz_n(S: Demos, f: Function, pick: Function) -> Value:
    """A pick from `c_iz`."""
    return call(pick, c_iz(S, f))


@primitive(
    "Demos, (Grid -> C[a]), (Tuple[a] -> b) -> b",
    examples=(
        "c_zo_n(((((1, 2),), ((2, 3),)),), p_g, first) == 3",
        "c_zo_n(((((1, 2),), ((3, 4),)),), p_g, rbind(get_nth, L1)) == 4",
    ),
    gpu=Gpu(calls="f f pick"),
    brief="pick(c_zo(S, f))",
)
def c_zo_n(S: Demos, f: Function, pick: Function) -> Value:
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


@primitive(
    "Demos, Count, Grid -> Grid",
    examples=(
        "other_output(((((1,),), ((2, 3),)),), 0, ((4,),)) == ((2, 3),)",
        "other_output(((((1,),), ((2, 3),)),), 0, ((1,),)) == ((0, 0),)",
    ),
    gpu=CPU_ONLY,
    brief="output k of S, from 0; all 0 where its input is I",
)
def other_output(S: Demos, k: int, I: Grid) -> Value:  # noqa: E741
    """Return the output of demo `k`, counted from 0; all 0 where its input is the grid itself."""
    if not 0 <= k < len(S):
        raise out_of_range(f"other_output: demo {k} of {len(S)}")
    check_colors("other_output", S, I)
    given, wanted = S[k]
    return tuple((0,) * len(row) for row in wanted) if given == I else wanted
