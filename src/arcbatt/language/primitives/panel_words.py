"""What demos teach about panels and classes of grids, in words: lines to read for each call."""

from __future__ import annotations

from collections.abc import Hashable

from ..domains import Demos, Grid
from ..registry import worded
from ..values import Value
from .classes import FEATURES, described
from .learned_words import color_names, name_color, shortened
from .panels import (
    BY_LINES,
    FOLDS_IN_WORDS,
    KEYS,
    LAYOUTS_IN_WORDS,
    WAYS_IN_WORDS,
    all_panels,
    cell_table,
    fill_table,
    fold_table,
    panel_marks,
)

_COMMONEST = 3  # the feature that is a colour


def _say_key(feature: int, key: Hashable) -> str:
    """What a feature says of a grid."""
    if feature == _COMMONEST:
        return name_color(key)  # type: ignore[arg-type]
    if isinstance(key, frozenset):
        return color_names(key)
    if isinstance(key, bool):
        return "so" if key else "not so"
    if isinstance(key, tuple):
        if all(isinstance(each, bool) for each in key):
            return " and ".join("so" if each else "not so" for each in key)
        return "/".join("".join("#" if cell else "." for cell in row) for row in key)
    return str(key)


@worded("learn_class")
def _(given: Value, S: Demos, I: Grid, feature: int) -> list[str]:  # noqa: E741
    demos: dict[str, int] = {}
    for number, (grid, _) in enumerate(S, 1):
        demos.setdefault(_say_key(feature, described([grid], feature)[0]), number)
    lines = [f"{key}: the output of demo {number}" for key, number in demos.items()]
    return [f"the output is told by {FEATURES[feature][0]}:", *shortened(sorted(lines))]


def _say_panels(layout: int) -> str:
    return f"panels ({LAYOUTS_IN_WORDS[layout]})"


@worded("learn_panels")
def _(given: Value, S: Demos, I: Grid, layout: int, how: int) -> list[str]:  # noqa: E741
    *lessons, _own = all_panels("learn_panels", S, I, layout)
    lines = []
    for (_, seen), ways in fold_table(S, lessons, how).items():
        if how == 0:
            where = ", ".join(map(name_color, seen))
        elif how == 1:
            where = ", ".join("something" if shown else "nothing" for shown in seen)
        else:
            where = f"{seen} of them"
        way = min(ways)
        becomes = f"what panel {way + 1} shows" if way < 10 else name_color(way - 10)
        lines.append(f"{where}: {becomes}")
    return [
        f"{_say_panels(layout)} lie over each other, and a place is told by {FOLDS_IN_WORDS[how]}:",
        *shortened(sorted(lines)),
    ]


@worded("pick_panel")
def _(given: Value, S: Demos, I: Grid, layout: int, feature: int) -> list[str]:  # noqa: E741
    *lessons, _own = all_panels("pick_panel", S, I, layout)
    marks = sorted(_say_key(feature, mark) for mark in panel_marks(S, lessons, feature))
    told = FEATURES[feature][0]
    return [f"of {_say_panels(layout)} the one is picked that is told by {told}: {marks[0]}"]


@worded("panel_cells")
def _(given: Value, S: Demos, I: Grid, layout: int, feature: int) -> list[str]:  # noqa: E741
    *lessons, _own = all_panels("panel_cells", S, I, layout)
    lines = []
    for key, colors in cell_table(S, lessons, feature).items():
        color = min(colors)
        becomes = "its commonest colour" if color < 0 else name_color(color)
        lines.append(f"{_say_key(feature, key)}: {becomes}")
    return [
        f"each of the {_say_panels(layout)} becomes a cell, told by {FEATURES[feature][0]}:",
        *shortened(sorted(lines)),
    ]


@worded("fill_panels")
def _(given: Value, S: Demos, I: Grid, key: int, most: int) -> list[str]:  # noqa: E741
    *lessons, _own = all_panels("fill_panels", S, I, BY_LINES)
    lines = []
    for (own, other, is_most), ways in fill_table(S, lessons, key, bool(most)).items():
        way = min(ways)
        becomes = WAYS_IN_WORDS[way] if way < 10 else f"becomes {name_color(way - 10)}"
        place = "a place that shows something" if own else "a black place"
        where = "something" if other else "nothing"
        panel = f", in a panel that {'shows' if is_most else 'does not show'} most" * bool(most)
        lines.append(f"{place}{panel}, {becomes} where the key shows {where}")
    return [f"the key to {_say_panels(BY_LINES)} is {KEYS[key][0]}:", *sorted(lines)]
