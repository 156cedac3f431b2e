"""What classes, panels, templates and bars have learnt, in words; see `learned_words`."""

from __future__ import annotations

from ..registry import worded
from ..values import Grid, Value
from .classes import FEATURES, described
from .learned_words import shortened
from .object_bars import DRAWINGS_IN_WORDS, ORDERS_IN_WORDS, WHATS_IN_WORDS, WHICH_IN_WORDS
from .observations import Pairs
from .panels import FOLDS_IN_WORDS, KEYS, LAYOUTS_IN_WORDS
from .templates import MATCHES_IN_WORDS


@worded("learn_class")
def _(given: Value, S: Pairs, I: Grid, feature: int) -> list[str]:  # noqa: E741
    found: dict[Grid, list[int]] = {}
    for number, (_, wanted) in enumerate(S, 1):
        found.setdefault(wanted, []).append(number)
    (own,) = described((I,), feature)
    alike = [
        number for number, (grid, _) in enumerate(S, 1) if described((grid,), feature)[0] == own
    ]
    lines = [f"one output for demos {', '.join(map(str, each))}" for each in found.values()]
    return [
        f"the output is told by what the input is like: {FEATURES[feature][0]}",
        *shortened(lines),
        f"this input is like that of demo {', '.join(map(str, alike))}",
    ]


@worded("learn_panels")
def _(given: Value, S: Pairs, I: Grid, layout: int, how: int) -> list[str]:  # noqa: E741
    return [
        f"panels, {LAYOUTS_IN_WORDS[layout]}, laid one over the other; a place is told by "
        f"{FOLDS_IN_WORDS[how]} there"
    ]


@worded("pick_panel")
def _(given: Value, S: Pairs, I: Grid, layout: int, feature: int) -> list[str]:  # noqa: E741
    return [
        f"of panels, {LAYOUTS_IN_WORDS[layout]}, the one that is like those which the demos pick: "
        f"told by {FEATURES[feature][0]}"
    ]


@worded("panel_cells")
def _(given: Value, S: Pairs, I: Grid, layout: int, feature: int) -> list[str]:  # noqa: E741
    return [
        f"a cell for each panel, {LAYOUTS_IN_WORDS[layout]}; its colour is told by "
        f"{FEATURES[feature][0]}"
    ]


@worded("fill_panels")
def _(given: Value, S: Pairs, I: Grid, key: int, most: int) -> list[str]:  # noqa: E741
    told = " and whether no panel shows more than its own" * most
    return [
        f"the key to all panels is {KEYS[key][0]}; a place is told by whether it and the key are "
        f"black there{told}"
    ]


@worded("complete_templates")
def _(given: Value, grid: Grid, match: int, turns: int, removes: int) -> list[str]:
    turned = ", also mirrored and turned" * turns
    gone = "; what it was taken from is taken away" * removes
    return [f"a template{turned} is completed where {MATCHES_IN_WORDS[match]}{gone}"]


@worded("object_bars")
def _(given: Value, grid: Grid, what: int, choice: int, drawing: int) -> list[str]:
    which, order = divmod(choice, len(ORDERS_IN_WORDS))
    return [
        f"{WHATS_IN_WORDS[what]}, {WHICH_IN_WORDS[which]}, {ORDERS_IN_WORDS[order]}, as "
        f"{DRAWINGS_IN_WORDS[drawing]}"
    ]
