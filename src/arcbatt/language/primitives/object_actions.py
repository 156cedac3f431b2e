"""What becomes of a grid's objects, learnt from the demos as a small tree over actions.

`learn_actions` gives the rules as numbers, which depend on the demos alone; `apply_actions` does to
a grid's objects what the rules say. `describe_actions` says in words what rules mean.

Rules are the segmentation, followed by nodes of four numbers each, the first of them the root. A
question is `feature, comparison, value, place of the node if not`; the node if so comes next. An
action is `-1, what, paint, copies`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from ..budget import charge
from ..domains import AnyTuple, Demos, Grid, Number
from ..failure import empty, out_of_range, wrong_type
from ..registry import primitive, worded
from ..values import Value
from .cell_columns import COLOR_NAMES
from .object_drawing import (
    BY_CONSTANT,
    MAX_STEP,
    N_PAINTS,
    N_WAYS,
    N_WHATS,
    OF_COLOR,
    OF_OTHER,
    OWN,
    STAY,
    TO_OTHER,
    TRIED,
    VANISH,
    drawn,
    is_addition,
    paint_of,
    reference_of,
)
from .object_stages import (
    FEATURES,
    N_FEATURES,
    N_SEGMENTATIONS,
    REFERENCES,
    Stage,
    Thing,
    background_of,
    features_of,
    refer,
    stage_of,
)
from .observations import Pairs, check_colors, size_of

MAX_OBJECTS = 64  # of a grid
MAX_OBJECTS_IN_ALL = 512

# --- rules ---

NODE = 4
ACTION = -1
_QUIET = ((STAY, OWN, 0), (VANISH, OWN, 0))
EQUAL, AT_LEAST = 0, 1

Action: TypeAlias = tuple[int, int, int]  # what, paint, copies


def _choose(rules: Sequence[int], described: Sequence[int]) -> Action:
    place = 1
    while rules[place] != ACTION:
        feature, comparison, value, otherwise = rules[place : place + NODE]
        number = described[feature]
        holds = number >= value if comparison == AT_LEAST else number == value
        place = place + NODE if holds else otherwise
    return rules[place + 1], rules[place + 2], rules[place + 3]


def _act(stage: Stage, actions: Sequence[Action]) -> Grid | None:
    """The grid after all objects have acted; None where one cannot.

    What is added is drawn first, then what stays, then what moves, each in the objects' order.
    """
    rows = [
        [stage.background if label >= 0 else cell for cell, label in zip(row, line, strict=True)]
        for row, line in zip(stage.grid, stage.labels, strict=True)
    ]
    for layer in range(3):
        for own, (what, paint, copies) in zip(stage.things, actions, strict=True):
            adds = is_addition(what)
            stays = adds or copies or (what == STAY and paint == OWN)
            if layer == 1 and stays:
                for i, j in own.cells:
                    rows[i][j] = stage.grid[i][j]
            if layer != (0 if adds else 1 if what == STAY else 2):
                continue
            color, cells = paint_of(stage, own, paint), drawn(stage, own, what)
            if color == -2 or cells is None:
                return None
            for i, j, own_color in cells:
                rows[i][j] = own_color if color < 0 else color
    return tuple(map(tuple, rows))


def _check_rules(rules: Sequence[int]) -> None:
    """Fail unless numbers are rules: all codes known, and no node before one that leads to it."""
    if len(rules) <= NODE or len(rules) % NODE != 1 or not 0 <= rules[0] < 2 * N_SEGMENTATIONS:
        raise out_of_range("apply_actions: no rules")
    for place in range(1, len(rules), NODE):
        feature, a, b, c = rules[place : place + NODE]
        if feature == ACTION:
            fits = 0 <= a < N_WHATS and 0 <= b < N_PAINTS and 0 <= c <= 1
        else:
            fits = 0 <= feature < N_FEATURES and 0 <= a <= 1 and place + NODE < len(rules)
            fits = fits and place < c < len(rules) and c % NODE == 1
        if not fits:
            raise out_of_range(f"apply_actions: no rule at {place}")


@primitive(
    "Tuple[Integer], Grid -> Grid",
    examples=(
        "apply_actions((0, -1, 5, 0, 0), ((1, 0, 0), (0, 0, 0))) == ((0, 0, 1), (0, 0, 0))",
        "apply_actions((0, 4, 0, 1, 9, -1, 1, 0, 0, -1, 0, 3, 0), ((1, 0, 0, 0, 3, 3),)) == "
        "((0, 0, 0, 0, 2, 2),)",
    ),
)
def apply_actions(rules: AnyTuple, I: Grid) -> Value:  # noqa: E741
    """A grid after each of its objects has done what rules say; see `learn_actions`.

    It fails as empty where there are more than 64 objects, or one cannot do what it should: it has
    no other object of that name, or nothing of it would be seen.
    """
    numbers = [int(number) for number in rules if isinstance(number, int)]
    if len(numbers) < len(rules):
        raise wrong_type("apply_actions: rules are numbers")
    check_colors("apply_actions", (), I)
    _check_rules(numbers)
    stage = stage_of(I, numbers[0])
    if len(stage.things) > MAX_OBJECTS:
        raise empty("apply_actions: too many objects")
    _charge_for([stage])
    refer(stage)
    actions = [_choose(numbers, described) for described in features_of(stage)]
    grid = _act(stage, actions)
    if grid is None:
        raise empty("apply_actions: an object cannot do what it should")
    return grid


def _charge_for(stages: Sequence[Stage]) -> None:
    """What is to be done with each cell of an object's box, and for each two objects."""
    charge(
        sum(sum(thing.area for thing in stage.things) + len(stage.things) ** 2 for stage in stages)
    )


# --- words ---

_SEGMENTATION_WORDS = (
    "4-connected, of one colour",
    "8-connected, of one colour",
    "8-connected, of any colours",
    "all of one colour",
    "4-connected, of one colour, those of the background too",
)
_SIDES = ("up", "down", "left", "right")
_RAY_WORDS = (*_SIDES, "left and right", "up and down", "in 4 directions")
_CORNER_WORDS = ("up left", "up right", "down left", "down right", "in 4 diagonal directions")
_WAY_WORDS = (
    "moves towards {} until it touches",
    "moves away from {} to the edge",
    "moves to the upper row of {}",
    "moves to the lower row of {}",
    "moves to the left column of {}",
    "moves to the right column of {}",
    "moves to the middle row of {}",
    "moves to the middle column of {}",
    "moves onto the upper left of {}",
    "moves onto the middle of {}",
    "is mirrored over {}, left to right",
    "is mirrored over {}, top to bottom",
    "is turned around the middle of {}",
    "draws a line to {}",
)
# By code, up to where others are named.
_WHAT_WORDS = (
    "stays",
    "vanishes",
    *(f"slides {side} until it is blocked" for side in _SIDES),
    *(f"moves {side} to the edge" for side in _SIDES),
    *(f"moves {side} by its own length" for side in _SIDES),
    "is mirrored top to bottom",
    "is mirrored left to right",
    "is turned by 180 degrees",
    "is mirrored at its diagonal",
    "is turned right",
    "is turned left",
    "is mirrored at its other diagonal",
    "fills its holes",
    "fills its box",
    "draws a ring around its box",
    *(f"shoots {word} until blocked" for word in (*_RAY_WORDS, *_CORNER_WORDS)),
    *(f"shoots {word} behind all others" for word in _RAY_WORDS),
    "is joined to what lies in its rows and columns",
    "is joined to its colour in its rows and columns",
)


def _describe_action(what: int, paint: int, copies: int) -> str:
    if what < TO_OTHER:
        words = _WHAT_WORDS[what]
    elif what < BY_CONSTANT:
        way = _WAY_WORDS[(what - TO_OTHER) % N_WAYS]
        words = way.format(REFERENCES[reference_of(what)][0])
    else:
        down, along = divmod(what - BY_CONSTANT, 2 * MAX_STEP + 1)
        words = f"moves by {down - MAX_STEP} rows and {along - MAX_STEP} columns"
    if copies:
        words += " as a copy"
    if OF_COLOR <= paint < OF_OTHER:
        words += f", in {COLOR_NAMES[paint - OF_COLOR]}"
    elif paint >= OF_OTHER:
        words += f", in the colour of {REFERENCES[paint - OF_OTHER][0]}"
    return words


def _describe_question(feature: int, comparison: int, value: int) -> str:
    name = FEATURES[feature][0]
    if comparison == AT_LEAST:
        return f"{name} is at least {value}"
    if name.startswith(
        ("it ", "its box ", "there ", "something ", "its size is ", "its colour is ")
    ):
        return name if value else f"it is not so that {name}"
    return f"{name} is {value}"


def describe_actions(rules: Sequence[int]) -> str:
    """Return in words what rules mean."""
    _check_rules(rules)
    segments = rules[0]
    zero = ", the background being 0" if segments >= N_SEGMENTATIONS else ""
    lines = [f"Objects are {_SEGMENTATION_WORDS[segments % N_SEGMENTATIONS]}{zero}."]

    def describe(place: int, indent: str) -> None:
        feature, a, b, c = rules[place : place + NODE]
        if feature == ACTION:
            lines.append(f"{indent}it {_describe_action(a, b, c)}")
            return
        lines.append(f"{indent}if {_describe_question(feature, a, b)}:")
        describe(place + NODE, indent + "  ")
        lines.append(f"{indent}otherwise:")
        describe(c, indent + "  ")

    describe(1, "")
    return "\n".join(lines)


@worded("learn_actions")
def _(given: Sequence[int], *args: Value) -> list[str]:
    return describe_actions(given).splitlines()


# --- learning ---

MAX_ACTIONS = 3  # of which all choices are gone through
MAX_GREEDY_ACTIONS = 6
MAX_ROWS = 1000
MAX_TRIED = 4000
MAX_COVERS = 64
MAX_DEPTH = 4
MAX_NEW = 64  # cells of a demo that have to be drawn
# For each object, and each thing that it may do: the colours that agree with the output, and
# whether its own colours do.
ALL_COLORS, OWN_AGREES = (1 << 10) - 1, 1 << 10


@dataclass(eq=False)
class _Lesson:
    """The demos' objects, numbered through, and what they may have done. Sets are bits."""

    stages: list[Stage]
    wanted: list[Grid]
    owners: list[tuple[int, Thing]]  # for each object its demo
    agreeing: dict[int, list[int]]  # for each thing to do, for each object
    drawing: dict[int, list[int]]  # likewise which of its demo's new cells are drawn
    n_new: list[int]  # of each demo
    described: list[list[int]]


def _agree(
    stage: Stage, wanted: Grid, own: Thing, what: int, new: list[list[int]], shown: list[list[bool]]
) -> tuple[int, int]:
    """How something done agrees with the output, and which new cells it draws."""
    if what == VANISH:
        gone = all(wanted[i][j] == stage.background for i, j in own.cells)
        return (OWN_AGREES, 0) if gone else (0, 0)
    if is_addition(what) and any(wanted[i][j] != stage.grid[i][j] for i, j in own.cells):
        return 0, 0
    cells = drawn(stage, own, what)
    if cells is None:
        return 0, 0
    agreeing, drawing, any_new = (ALL_COLORS | OWN_AGREES) & ~(1 << stage.background), 0, False
    for i, j, own_color in cells:
        color = wanted[i][j]
        agreeing &= 1 << color | (OWN_AGREES if color == own_color else 0)
        if not agreeing:
            return 0, 0
        if new[i][j] >= 0:
            any_new = True
            if new[i][j] < MAX_NEW:
                drawing |= 1 << new[i][j]
    if any_new:
        for i, j, _ in cells:
            shown[i][j] = True
    return agreeing, drawing


def _look_at(S: Pairs, segments: int) -> _Lesson:
    stages = [stage_of(given, segments) for given, _ in S]
    counts = [len(stage.things) for stage in stages]
    if max(counts) > MAX_OBJECTS or sum(counts) > MAX_OBJECTS_IN_ALL or not sum(counts):
        raise empty("learn_actions: no objects, or too many")
    _charge_for(stages)
    charge(sum(counts) * len(TRIED))
    agreeing: dict[int, list[int]] = {what: [] for what in TRIED}
    drawing: dict[int, list[int]] = {what: [] for what in TRIED}
    n_new = []
    for stage, (given, wanted) in zip(stages, S, strict=True):
        refer(stage)
        n, new = 0, [[-1] * len(row) for row in given]
        for i, row in enumerate(wanted):
            for j, color in enumerate(row):
                if color not in (given[i][j], stage.background):
                    new[i][j] = n
                    n += 1
        n_new.append(min(n, MAX_NEW))
        shown = [[False] * len(row) for row in given]
        for own in stage.things:
            can_act = False
            for what in TRIED:
                agrees, draws = _agree(stage, wanted, own, what, new, shown)
                agreeing[what].append(agrees)
                drawing[what].append(draws)
                can_act = can_act or agrees != 0
            if not can_act:
                raise empty("learn_actions: an object does what no action does")
        for line, shown_line in zip(new, shown, strict=True):
            for number, is_shown in zip(line, shown_line, strict=True):
                if number >= 0 and not is_shown:
                    raise empty("learn_actions: something is drawn by no action")
    owners = [(d, thing) for d, stage in enumerate(stages) for thing in stage.things]
    described = [row for stage in stages for row in features_of(stage)]
    wanted_grids = [wanted for _, wanted in S]
    return _Lesson(stages, wanted_grids, owners, agreeing, drawing, n_new, described)


def _paints(what: int) -> Iterator[int]:
    yield OWN
    if what == VANISH:
        return
    yield from range(OF_COLOR, OF_OTHER)
    if what == STAY:
        yield from range(OF_OTHER, N_PAINTS)
    elif reference_of(what) >= 0:
        yield OF_OTHER + reference_of(what)


@dataclass(frozen=True)
class _Row:
    """An action, the objects that may have done it, and which new cells of all demos they draw."""

    action: Action
    objects: int
    cells: int
    drawing: int  # those objects that draw new cells


def _rows(lesson: _Lesson) -> list[_Row]:
    """The actions; of those with the same objects and cells the first."""
    staying = lesson.agreeing[STAY]
    rows: list[_Row] = []
    known: set[tuple[int, int, int]] = set()
    for copies in (0, 1):
        for what in TRIED:
            if copies and (what in (STAY, VANISH) or is_addition(what)):
                continue
            agreeing, drawing = lesson.agreeing[what], lesson.drawing[what]
            for paint in _paints(what):
                objects = cells = busy = 0
                for k, (d, own) in enumerate(lesson.owners):
                    if copies and not staying[k] & OWN_AGREES:
                        continue
                    color = paint_of(lesson.stages[d], own, paint)
                    bit = OWN_AGREES if color == -1 else 0 if color == -2 else 1 << color
                    if agreeing[k] & bit:
                        objects |= 1 << k
                        cells |= drawing[k] << MAX_NEW * d
                        busy |= (drawing[k] != 0) << k
                key = (objects, cells, min(what, 2))
                if objects and key not in known:
                    known.add(key)
                    rows.append(_Row((what, paint, copies), objects, cells, busy))
                    if len(rows) == MAX_ROWS:
                        return rows
    return rows


def _sets(lesson: _Lesson, rows: list[_Row]) -> tuple[list[int], list[int]]:
    """The places of all objects and new cells, and for each row which of them it has."""
    n = len(lesson.owners)
    new = [n + MAX_NEW * d + k for d, n_new in enumerate(lesson.n_new) for k in range(n_new)]
    return [*range(n), *new], [row.objects | row.cells << n for row in rows]


def _greedy_cover(lesson: _Lesson, rows: list[_Row]) -> list[int]:
    """Rows that each have the most of what those before it leave; none if that takes too many."""
    places, sets = _sets(lesson, rows)
    left = sum(1 << k for k in places)
    chosen: list[int] = []
    while left and len(chosen) < MAX_GREEDY_ACTIONS:
        chosen.append(max(range(len(sets)), key=lambda r: ((sets[r] & left).bit_count(), -r)))
        left &= ~sets[chosen[-1]]
    return [] if left else chosen


def _covers(lesson: _Lesson, rows: list[_Row], n_actions: int) -> Iterator[list[int]]:
    """Choices of so many rows that have all objects and all new cells.

    One of the rows that have the object or cell which the fewest rows have is chosen, then so on
    with what is left.
    """
    places, sets = _sets(lesson, rows)
    counts = {k: sum(members >> k & 1 for members in sets) for k in places}
    n_tried = 0

    def choose(left: int, chosen: list[int]) -> Iterator[list[int]]:
        nonlocal n_tried
        rarest = min((k for k in places if left >> k & 1), key=lambda k: (counts[k], k))
        is_last = len(chosen) + 1 == n_actions
        for r, members in enumerate(sets):
            if not members >> rarest & 1:
                continue
            n_tried += 1
            if n_tried > MAX_TRIED:
                return
            rest = left & ~members
            if is_last:
                if not rest:
                    yield [*chosen, r]
            elif rest:
                yield from choose(rest, [*chosen, r])

    return choose(sum(1 << k for k in places), [])


Question: TypeAlias = tuple[int, int, int, int]  # feature, comparison, value, who says yes


def _questions(lesson: _Lesson) -> list[Question]:
    questions = []
    for feature, (_, is_counted) in enumerate(FEATURES):
        numbers = [described[feature] for described in lesson.described]
        for comparison in (AT_LEAST, EQUAL) if is_counted else (EQUAL,):
            for value in sorted(set(numbers)):
                holding = sum(
                    1 << k
                    for k, number in enumerate(numbers)
                    if (number >= value if comparison == AT_LEAST else number == value)
                )
                if holding != (1 << len(numbers)) - 1:
                    questions.append((feature, comparison, value, holding))
    return questions


def _n_wrong(members: int, rows: list[int]) -> int:
    """How many objects are not right if all do the same."""
    return members.bit_count() - max((members & row).bit_count() for row in rows)


def _grow(
    members: int,
    actions: list[Action],
    rows: list[int],
    questions: list[Question],
    place: int,
    depth: int,
) -> list[int] | None:
    """The nodes from a place on that tell objects' actions; None where that takes too many."""
    for action, row in zip(actions, rows, strict=True):
        if not members & ~row:
            return [ACTION, *action]
    if depth == MAX_DEPTH:
        return None
    best, fewest = None, _n_wrong(members, rows)
    for question in questions:
        yes = members & question[3]
        if not yes or yes == members:
            continue
        n_wrong = _n_wrong(yes, rows) + _n_wrong(members & ~yes, rows)
        if n_wrong < fewest:
            best, fewest = question, n_wrong
    if best is None:
        return None
    feature, comparison, value, holding = best
    yes_nodes = _grow(members & holding, actions, rows, questions, place + NODE, depth + 1)
    if yes_nodes is None:
        return None
    otherwise = place + NODE + len(yes_nodes)
    no_nodes = _grow(members & ~holding, actions, rows, questions, otherwise, depth + 1)
    if no_nodes is None:
        return None
    return [feature, comparison, value, otherwise, *yes_nodes, *no_nodes]


def _is_exact(lesson: _Lesson, rules: list[int]) -> bool:
    first = 0
    for stage, wanted in zip(lesson.stages, lesson.wanted, strict=True):
        described = lesson.described[first : first + len(stage.things)]
        first += len(stage.things)
        if _act(stage, [_choose(rules, each) for each in described]) != wanted:
            return False
    return True


def _cost(rules: list[int]) -> tuple[int, int]:
    """How many nodes, and how late in their lists questions are."""
    asked = sum(max(0, rules[place]) for place in range(1, len(rules), NODE))
    return len(rules), asked


def _try_cover(
    lesson: _Lesson,
    segments: int,
    chosen: list[_Row],
    questions: list[Question],
    best: list[int] | None,
) -> list[int] | None:
    """The rules that choose among some actions, if they are exact and simpler than the best."""
    everyone = (1 << len(lesson.owners)) - 1
    actions = [row.action for row in chosen]
    busy = 0
    for row in chosen:
        busy |= row.drawing
    # Who may draw something new does not merely stay or vanish, if that explains all.
    for idle in (everyone & ~busy, everyone):
        may = [row.objects & idle if row.action in _QUIET else row.objects for row in chosen]
        nodes = _grow(everyone, actions, may, questions, 1, 0)
        if nodes is None:
            continue
        rules = [segments, *nodes]
        if (best is None or _cost(rules) < _cost(best)) and _is_exact(lesson, rules):
            return rules
    return best


@primitive(
    "Demos, Code[0..9] -> Tuple[Integer]",
    examples=(
        "learn_actions(((((1, 0, 0), (0, 0, 0)), ((0, 0, 1), (0, 0, 0))),), 0) == (0, -1, 5, 0, 0)",
        "learn_actions(((((1, 0, 0, 0, 3, 3),), ((0, 0, 0, 0, 2, 2),)),), 0) == (0, -1, 9, 3, 0)",
    ),
    ties="the first in the order of actions and of features",
)
def learn_actions(S: Demos, segments: Number) -> Value:
    """Rules that say what the objects of the demos do, for `apply_actions`.

    All outputs must have their inputs' sizes. Objects are what is not background, the commonest
    colour of the grid, or, from code 5 on, 0 where that is not the commonest in all demos: 0
    4-connected of one colour, 1 8-connected of one colour, 2 8-connected of any colours, 3 all of
    one colour, 4 as 0, the background's parts too. A grid may have 64 of them, all demos 512.

    Each object must have done one thing of those that `what` numbers, in one paint, and copied
    itself or not; `describe_actions` of the module has the words. The rules have the fewest
    actions that may be what all objects did and that draw all cells which are new; up to three
    are sought by going through choices, of which at most 64 are tried, and up to six by taking
    those that explain most. A tree of at most four questions in a row, by the fewest errors,
    tells objects' actions from what they are like. The rules give all outputs exactly; the fewest
    nodes win, then the questions that come first in their list.
    """
    check_colors("learn_actions", S)
    if not S or any(size_of(given) != size_of(wanted) for given, wanted in S):
        raise empty("learn_actions: no demos, or an output is of another size than its input")
    if all(given == wanted for given, wanted in S):
        raise empty("learn_actions: nothing changes")
    if segments >= N_SEGMENTATIONS and all(background_of(given, 0) == 0 for given, _ in S):
        raise empty("learn_actions: the commonest colour is 0 in any case")
    lesson = _look_at(S, segments)
    rows = _rows(lesson)
    questions = _questions(lesson)
    for n_actions in range(1, MAX_ACTIONS + 1):
        covers = _covers(lesson, rows, n_actions)
        best: list[int] | None = None
        for cover in islice(covers, MAX_COVERS):
            best = _try_cover(lesson, segments, [rows[r] for r in sorted(cover)], questions, best)
        if best is not None:
            return tuple(best)
    if cover := _greedy_cover(lesson, rows):
        best = _try_cover(lesson, segments, [rows[r] for r in sorted(cover)], questions, None)
        if best is not None:
            return tuple(best)
    raise empty("learn_actions: no few actions explain all objects")
