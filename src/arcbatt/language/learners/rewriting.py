"""Rules that rewrite cells until nothing changes, learned from the demos."""

from __future__ import annotations

from collections.abc import Sequence

from ..primitives.rewriting import describe_rules
from ..registry import Rule, primitive, worded
from ..values import Demos, Value


@primitive(
    "Demos, Code[0..7] -> Tuple[Integer]",
    rule=Rule(applied_by="rewrite", bits=1.0, on_bases=True),
    is_learner=True,
    ties="of equally good rules the first: by cells in reading order, then by places",
    examples=(
        "learn_rewrites(((((0, 0, 0), (1, 0, 0), (0, 0, 0)), "
        "((0, 0, 0), (1, 1, 1), (0, 0, 0))),), 0) == (0, 0, 11, 3, 11, -1, -1, -1, -1)",
        "learn_rewrites(((((1, 0), (0, 0)), ((1, 0), (0, 1))),), 0) == "
        "(0, 0, 11, 0, 11, -1, -1, -1, -1)",
    ),
)
def learn_rewrites(S: Demos, code: int) -> Value:
    """Learn rules for `rewrite` that make all outputs and are never wrong on the way.

    Outputs must have their inputs' sizes, and something must change. Codes 0 to 3 say which
    mirrors and turns of the rules also hold: none, left to right, also top to bottom and both, all
    eight. Their rules are about the 8 places around a cell; those of codes 4 to 7, likewise, also
    about 8 places two steps away.

    In turns, the demos are rewritten as far as possible and a rule is added for one of the first 8
    kinds of cells that are still to change. A kind is a color, the color it becomes and the places
    near it, some of which must have another color. A rule requires at most 3 of those places to
    look as they do there. A look may stand for one color that all such places share, which may also
    be the new color, or for any color but the cell's own. No cell seen so far, and none that stays
    in an output, may become wrong by it. The best rule has the most cells, among those still to
    change and as they look in the outputs, counted in all turns, times 16, divided by its number of
    places plus 1 and rounded down (a place two steps away counts twice). On a tie, a rule with the
    shared color is preferred, then one with constant colors. If the rules together do something
    wrong, the wrong cells are added to those seen and learning restarts, up to 4 times. It fails if
    no rule is found, 6 rules are not enough, or more than 2048 kinds are seen.
    """


@worded("learn_rewrites")
def _(given: Sequence[int], S: Demos, code: int) -> list[str]:
    return ["repeatedly, until nothing changes:", *describe_rules(given)]
