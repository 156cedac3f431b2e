"""Learn from the demos how features of whole grids, or of their panels, determine the output."""

from __future__ import annotations

from typing import Any

from ..native import find_rule
from ..registry import Rule, primitive, worded
from ..values import Demos, Grid, Value
from ..wording import COLOR_NAMES, colors_in, draw_mask, name_color, name_colors, shorten

_COLORS, _MAIN_COLOR, _MIRRORS, _TRANSPOSE = 2, 3, 6, 7
# Features of a whole grid, by code.
GRID_FEATURES = (
    "how many cells are not black",
    "how many colors other than black it has",
    "which colors other than black it has",
    "its most common color other than black",
    "which cells are not black",
    "which cells are not black, up to mirrors and turns",
    "whether it is its mirror image, left to right and top to bottom",
    "whether it is its transpose",
    "how many 8-connected objects of one color it has",
    "how many 4-connected objects of one color it has",
    "how many black regions it encloses",
    "how many cells have neither black nor its most common color",
)
LAYOUTS = (
    "between lines of a color other than black",
    "between empty rows and columns",
    "left and right half",
    "upper and lower half",
    "four quarters",
    "squares in a row or column",
)
_BY_LINES = 0
FOLDS = ("their colors", "which of them are not black", "how many of them are not black")
# Features of a panel, by code: those of a whole grid, then its place among the panels.
PANEL_FEATURES = (
    *GRID_FEATURES,
    "its rank by cells that are not black, from the most",
    "its rank by cells that are not black, from the fewest",
    "its rank by colors, from the most",
    "how many are equal to it",
    "how many are not black in the same cells",
    "its rank by 8-connected objects, from the most",
    "its rank by cells of other colors than its most common one",
    "its position among all panels",
    *(f"its rank by {name} cells, from the most" for name in COLOR_NAMES[1:]),
)
_KEY_PANELS = (
    "the panel with the most colored cells",
    "the panel with the fewest colored cells",
    "the panel with the most colors",
    "the panel that equals no other",
)
KEYS = (
    "the first panel",
    "the last panel",
    "all panels, laid over each other",
    *_KEY_PANELS,
    *(f"{panel}, of which each cell stands for a panel" for panel in _KEY_PANELS),
)
_FILLS = (
    "stays",
    "becomes the key's color",
    "becomes its panel's most common color",
    "becomes the color of the lines",
)


_MIRROR_WORDS = ("neither", "top to bottom only", "left to right only", "both")


def _say_feature(feature: int, key: Any) -> str:
    """Return the words for a feature's value, as the native rules give it."""
    if feature == _COLORS:
        return name_colors(colors_in(key))
    if feature == _MAIN_COLOR:
        return name_color(key)
    if feature == _MIRRORS:
        return _MIRROR_WORDS[key]
    if feature == _TRANSPOSE:
        return "yes" if key else "no"
    return draw_mask(key) if isinstance(key, tuple) else str(key)


def _say_panels(layout: int) -> str:
    return f"panels ({LAYOUTS[layout]})"


@primitive(
    "Demos, Grid, Code[0..11] -> Grid",
    rule=Rule(),
    is_learner=True,
    examples=(
        "learn_class(((((1, 0),), ((5,),)), (((1, 1),), ((6, 6),))), ((0, 3),), 0) == ((5,),)",
        "learn_class(((((1, 0),), ((5,),)), (((2, 2),), ((6, 6),))), ((2, 0),), 3) == ((6, 6),)",
    ),
)
def learn_class(S: Demos, I: Grid, feature: int) -> Value:  # noqa: E741
    """Return the output of the demos whose inputs are like a grid.

    Demos whose inputs are alike must have the same output, and at least two outputs must differ.
    Inputs are alike by: 0 how many cells are not 0, 1 how many colors other than 0 they have, 2
    which ones, 3 the most common of them, the lowest of several, 4 which cells are not 0, 5 the
    same up to mirrors and turns, 6 whether they are their own mirror images left to right, and top
    to bottom, 7 whether they are their transposes, 8 how many 8-connected objects of one color
    other than 0 they have, 9 how many 4-connected ones, 10 how many 4-connected regions of 0 do not
    touch their edges, 11 how many cells have neither 0 nor their most common color.
    """


@worded("learn_class")
def _(given: Value, *args: Any) -> list[str]:
    feature = args[-1]
    rule: Any = find_rule("learn_class", args)
    lines = [f"{_say_feature(feature, key)}: the output of demo {k + 1}" for key, k in rule]
    return [
        f"the output depends on this feature of the input: {GRID_FEATURES[feature]}:",
        *shorten(sorted(lines)),
    ]


@primitive(
    "Demos, Grid, Code[0..5], Code[0..2] -> Grid",
    rule=Rule(),
    is_learner=True,
    examples=(
        "learn_panels(((((1, 1, 0, 1),), ((4, 1),)),), ((0, 2, 2, 2),), 2, 2) == ((4, 2),)",
        "learn_panels(((((1, 0, 5, 2, 0),), ((3, 0),)),), ((0, 1, 5, 0, 2),), 0, 1) == ((0, 3),)",
    ),
    ties="where several choices fit all demos: the first panel, then a color",
)
def learn_panels(S: Demos, I: Grid, layout: int, how: int) -> Value:  # noqa: E741
    """Combine the panels of a grid, laid over each other, as the demos do.

    Each output must have the size of its input's panels, of which there are at most 9. Places at
    which the panels are alike must be alike in the output: all take the color of the same panel, or
    all the same color. Places are alike if they have as many panels and equal: 0 the colors of all
    panels, in order, 1 which of them are not 0, 2 how many of them are not 0.

    Layouts: 0 between rows and columns of one color other than 0, the first color that leaves
    panels of one size, 1 between rows and columns of 0, 2 the left and the right half, without a
    column in the middle, 3 the upper and the lower half, 4 both, 5 squares beside each other. A
    grid has 2 to 64 panels.
    """


@worded("learn_panels")
def _(given: Value, *args: Any) -> list[str]:
    _, _, layout, how = args
    rule: Any = find_rule("learn_panels", args)
    lines = []
    for seen, way in rule:
        if how == 0:
            where = ", ".join(map(name_color, seen))
        elif how == 1:
            where = ", ".join("colored" if shown else "black" for shown in seen)
        else:
            where = f"{seen[0]} of them"
        becomes = f"the color in panel {way + 1}" if way < 10 else name_color(way - 10)
        lines.append(f"{where}: {becomes}")
    return [
        f"{_say_panels(layout)} are laid over each other; a place depends on {FOLDS[how]} there:",
        *shorten(sorted(lines)),
    ]


@primitive(
    "Demos, Grid, Code[0..5], Code[0..28] -> Grid",
    rule=Rule(),
    is_learner=True,
    examples=(
        "panel_cells(((((1, 0, 5, 2, 2),), ((3, 4),)),), ((6, 6, 5, 0, 6),), 0, 0) == ((4, 3),)",
        "panel_cells(((((1, 0, 5, 2, 2),), ((1, 2),)),), ((6, 6, 5, 0, 7),), 0, 12) == ((6, 7),)",
    ),
    ties="a panel's own most common color before another",
)
def panel_cells(S: Demos, I: Grid, layout: int, feature: int) -> Value:  # noqa: E741
    """Return one cell per panel of a grid, in the color that demos give to panels like it.

    Each output must have one cell per panel of its input. Panels that are alike must all become
    their own most common colors (other than 0, the lowest of several; 0 where there is none), or
    all become some color.

    Layouts are those of `learn_panels`. Features 0 to 11 are those of `learn_class`; ranks among
    the panels of the grid, which count distinct numbers, are 12 by cells that are not 0, from the
    most, 13 the same from the fewest, 14 by colors, from the most, 17 by 8-connected objects, 18
    by cells that have neither 0 nor their most common color, 20 to 28 by cells of color 1 to 9; 15
    is how many panels are equal, 16 how many are 0 at the same places, 19 the position, row by
    row.
    """


@worded("panel_cells")
def _(given: Value, *args: Any) -> list[str]:
    _, _, layout, feature = args
    rule: Any = find_rule("panel_cells", args)
    lines = []
    for key, way in rule:
        becomes = "its most common color" if way < 10 else name_color(way - 10)
        lines.append(f"{_say_feature(feature, key)}: {becomes}")
    return [
        f"each of the {_say_panels(layout)} becomes a cell by {PANEL_FEATURES[feature]}:",
        *shorten(sorted(lines)),
    ]


@primitive(
    "Demos, Grid, Code[0..10], Code[0..1] -> Grid",
    rule=Rule(),
    is_learner=True,
    examples=(
        "fill_panels(((((3, 0, 1, 0, 3),), ((3, 3, 1, 3, 3),)),), ((0, 2, 1, 2, 0),), 2, 0) == "
        "((2, 2, 1, 2, 2),)",
        "fill_panels(((((3, 3, 1, 0, 3),), ((3, 3, 1, 0, 0),)),), ((0, 2, 1, 2, 2),), 2, 1) == "
        "((0, 0, 1, 2, 2),)",
    ),
    ties="a place stays before it becomes what the key shows, then the most common color of the "
    "panel, that of the lines, and a color",
)
def fill_panels(S: Demos, I: Grid, key: int, most: int) -> Value:  # noqa: E741
    """Fill the panels of a grid, which lie between lines, place by place as the demos do.

    Outputs must have their inputs' sizes, and nothing outside the panels may change. Places that
    are alike must become alike: stay, or become what the key shows for them, the most common color
    other than 0 of their panel, the color of the lines, or some color. They are alike by whether
    they are 0, whether the key shows 0, and, with `most` 1, whether no panel shows more than
    theirs.

    The key: 0 the first panel, 1 the last, 2 all panels, the first that is not 0 at each place, 3
    the panel that shows most cells other than 0, 4 fewest, 5 most colors, 6 the one that equals no
    other; several panels that are equal may qualify, but not all. It shows a place of each panel at
    the same place within it. 7 to 10 are 3 to 6 as a map: a panel must have as many rows and
    columns as there are rows and columns of panels, and has one cell for each of them.

    Panels lie between rows and columns of one color other than 0, as in layout 0 of `learn_panels`.
    """


@worded("fill_panels")
def _(given: Value, *args: Any) -> list[str]:
    _, _, key, most = args
    rule: Any = find_rule("fill_panels", args)
    lines = []
    for (own, other, is_most), way in rule:
        becomes = _FILLS[way] if way < 10 else f"becomes {name_color(way - 10)}"
        place = "a colored place" if own else "a black place"
        where = "not black" if other else "black"
        panel = f" of a panel with {'the most' if is_most else 'fewer'} colored cells" * bool(most)
        lines.append(f"{place}{panel} {becomes} where the key is {where}")
    title = f"{_say_panels(_BY_LINES)} are filled by a key, {KEYS[key]}:"
    return [title, *sorted(lines)]
