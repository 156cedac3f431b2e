"""Features of a cell by its relations to colors, lines, panels, symmetries and objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..values import Pair
from .cell_columns import (
    COLOR_NAMES,
    IS_FACT,
    MOST,
    NAMES,
    NONE,
    PAINT,
    TURNS,
    Column,
    count_colors,
    most_common_color,
)
from .cell_objects import ObjectColumns
from .cell_surroundings import LINES
from .color_grids import AROUND, BESIDE, CORNERS

MAX_PANELS, MAX_SHOWN, MAX_OBJECTS = 100, 100, 32


@dataclass(frozen=True)
class _Panels:
    """Equal panels between lines of one color: their first rows and columns, and their size."""

    rows: list[int]
    columns: list[int]
    height: int
    breadth: int


def _find_runs(is_line: Sequence[bool]) -> tuple[list[int], int] | None:
    """Return where runs of lines begin that are not separators, and how long they all are."""
    runs: list[list[int]] = []
    for k, separates in enumerate(is_line):
        if separates:
            continue
        if k and not is_line[k - 1]:
            runs[-1].append(k)
        else:
            runs.append([k])
    lengths = {len(run) for run in runs}
    return ([run[0] for run in runs], lengths.pop()) if len(lengths) == 1 else None


class RelationColumns(ObjectColumns):
    """Features of what a cell is to colors, panels, symmetries and objects of its grid."""

    def _add_relations(self) -> None:
        for add_group in (
            self._nearest,
            self._sides,
            self._directions,
            self._panels,
            self._symmetries,
            self._axes,
            self._sequences,
            self._other_objects,
        ):
            add_group()
            self.end_group()

    def _shared_color(self, colors: Iterable[int]) -> int:
        """Return the color that all but background agree on.

        It is the background if nothing else is seen, and NONE if nothing at all is.
        """
        seen = set(colors) - {NONE}
        shown = seen - {self.ground}
        return NONE if len(shown) > 1 or not seen else shown.pop() if shown else self.ground

    def _nearest(self) -> None:
        far = self.n_rows + self.width
        for oblique, words in ((False, "straight steps"), (True, "steps")):
            spread = [self._spread(color, oblique) for color in range(10)]
            ties, farthest = [], []
            for k, own in enumerate(self.cells):
                others = {
                    c: spread[c][k]
                    for c in range(10)
                    if c not in (self.ground, own) and spread[c][k] < far
                }
                ties.append(list(others.values()).count(min(others.values(), default=0)))
                farthest.append(max(others, key=others.__getitem__, default=NONE))
            name = f"how many other colors except background are nearest by {words}"
            self.add(name, 0, 9, ties)
            self.add(f"the farthest other color except background by {words}", PAINT, 7, farthest)

    def _sides(self) -> None:
        """Add the nearer of the colors that a cell sees on the two sides of its row or column."""
        for one, other, line in LINES[:2]:
            nearer, tied = [], []
            for k in range(len(self.cells)):
                (a, near_a), (b, near_b) = (self._sight(d, k) for d in (one, other))
                nearer.append(a if near_a < near_b else b if near_b < near_a or a == b else NONE)
                tied.append(int(near_a == near_b < MOST))
            self.add(f"the nearer color seen in its {line}", PAINT | TURNS, 10, nearer)
            self.add(f"two colors seen in its {line} are as near", TURNS | IS_FACT, 9, tied)

    def _sight(self, d: int, k: int) -> tuple[int, int]:
        """Return the color seen in a direction, and how many steps away; MOST if none is."""
        color = self.sights[d][k]
        if color == NONE:
            return NONE, MOST
        (i, j), (di, dj) = divmod(k, self.width), AROUND[d]
        steps = 0
        while self.at(i + steps * di, j + steps * dj) != color:
            steps += 1
        return color, steps

    def _directions(self) -> None:
        """Add in how many directions a color is anywhere."""
        seen: list[list[set[int]]] = []  # by direction, by cell
        for di, dj in AROUND:
            ahead: list[set[int]] = [set() for _ in self.cells]
            places = range(len(self.cells))
            for k in places if (di, dj) < (0, 0) else places[::-1]:
                i, j = k // self.width + di, k % self.width + dj
                if self.at(i, j) != NONE:
                    ahead[k] = {self.at(i, j), *ahead[i * self.width + j]}
            seen.append(ahead)
        for directions, words in ((BESIDE, "straight"), (CORNERS, "oblique")):
            ways = [seen[AROUND.index(step)] for step in directions]
            for c, name in enumerate(COLOR_NAMES):
                column = [sum(c in way[k] for way in ways) for k in range(len(self.cells))]
                self.add(f"in how many {words} directions {name} is", NAMES, 9, column)

    # --- panels ---

    def _find_panels(self) -> _Panels | None:
        rows = [self.cells[i * self.width : (i + 1) * self.width] for i in range(self.n_rows)]
        columns = list(zip(*rows, strict=True))
        for color in (*range(1, 10), 0):
            if color not in self.cells:
                continue
            down = _find_runs([set(row) == {color} for row in rows])
            across = _find_runs([set(column) == {color} for column in columns])
            if down and across and 2 <= len(down[0]) * len(across[0]) <= MAX_PANELS:
                return _Panels(down[0], across[0], down[1], across[1])
        return None

    def _panels(self) -> None:
        n = len(self.cells)
        panels = self._find_panels()
        of: list[tuple[int, int, int] | None] = [None] * n  # its panel, and its place there
        contents: list[tuple[int, ...]] = []
        n_across = len(panels.columns) if panels else 1
        n_down = len(panels.rows) if panels else 1
        height, breadth = (panels.height, panels.breadth) if panels else (0, 0)
        for p, (top, left) in (
            enumerate((top, left) for top in panels.rows for left in panels.columns)
            if panels
            else ()
        ):
            for i in range(height):
                for j in range(breadth):
                    of[(top + i) * self.width + left + j] = p, i, j
            contents.append(
                tuple(self.at(top + i, left + j) for i in range(height) for j in range(breadth))
            )
        shown = [sum(color != self.ground for color in content) for content in contents]
        fullest = [p for p, number in enumerate(shown) if number == max(shown)]
        single = next((c for c in range(10) if self.counts[c] == 1), NONE)
        marks = [of[k] for k in range(n) if self.cells[k] == single]
        mark = marks[0] if marks else None
        is_square = (n_down, n_across) == (height, breadth)

        def color_in(p: int, i: int, j: int) -> int:
            return contents[p][i * breadth + j]

        def sees(p: int, i: int, j: int, down: int, across: int) -> int:
            row, column = p // n_across + down, p % n_across + across
            while 0 <= row < n_down and 0 <= column < n_across:
                color = color_in(row * n_across + column, i, j)
                if color not in (self.ground, color_in(p, i, j)):
                    return color
                row, column = row + down, column + across
            return NONE

        def between(p: int, i: int, j: int) -> int:
            left, up = sees(p, i, j, 0, -1), sees(p, i, j, -1, 0)
            sideways = left if left == sees(p, i, j, 0, 1) else NONE
            return min(sideways, up if up == sees(p, i, j, 1, 0) else NONE)

        def mapped(p: int, i: int, j: int) -> int:
            if key is None or not is_square:
                return NONE
            return color_in(key, p // n_across, p % n_across)

        def add(
            name: str, traits: int, simplicity: int, outside: int, f: Callable[[int, int, int], int]
        ) -> None:
            column = [outside if place is None else int(f(*place)) for place in of]
            self.add(name, traits, simplicity, column)

        at_place = [count_colors(colors) for colors in zip(*contents, strict=True)]
        key = fullest[0] if len(fullest) == 1 else None
        named = mark[1] * n_across + mark[2] if mark and is_square else None
        add("panels above its panel", TURNS, 9, MOST, lambda p, i, j: p // n_across)
        add("panels left of its panel", TURNS, 9, MOST, lambda p, i, j: p % n_across)
        add("cells of its panel except background", 0, 9, 0, lambda p, i, j: shown[p])
        more = [sum(other > number for other in shown) for number in shown]
        fewer = [sum(other < number for other in shown) for number in shown]
        add("how many panels show more than its panel", 0, 9, MOST, lambda p, i, j: more[p])
        add("how many panels show less than its panel", 0, 9, MOST, lambda p, i, j: fewer[p])
        like = [contents.count(content) for content in contents]
        add("how many panels are like its panel", 0, 9, 0, lambda p, i, j: like[p])
        n_here = [len(contents) - counts[self.ground] for counts in at_place]
        name = "how many panels show something at its place"
        add(name, 0, 9, 0, lambda p, i, j: n_here[i * breadth + j])
        main = [most_common_color(counts, (self.ground,)) for counts in at_place]
        name = "the most common color at its place in panels"
        add(name, PAINT, 9, NONE, lambda p, i, j: main[i * breadth + j])
        name = "the color at its place in the panel that shows most"
        add(name, PAINT, 9, NONE, lambda p, i, j: NONE if key is None else color_in(key, i, j))
        add("the color of its panel in the panel that shows most", PAINT, 9, NONE, mapped)
        name = "the color at its place in the panel with the first color of one cell"
        add(name, PAINT, 8, NONE, lambda p, i, j: color_in(mark[0], i, j) if mark else NONE)
        name = "its panel lies as the first color of one cell lies in a panel"
        add(name, IS_FACT, 8, 0, lambda p, i, j: p == named)
        add("the color at its place in panels on both sides of its panel", PAINT, 9, NONE, between)

    # --- symmetries ---

    def _find_symmetry(self, how: str) -> Callable[[Pair], Pair] | None:
        """Return the reflection or turn that has the best score, if a single one has.

        Cells that are shown count 2 if they have an image of their own color, and -1 if they have
        none. No image may have another color.
        """
        shown = [
            (k // self.width, k % self.width)
            for k, color in enumerate(self.cells)
            if color != self.ground
        ]
        if not shown or len(shown) > MAX_SHOWN:
            return None
        rows, columns = ([place[axis] for place in shown] for axis in (0, 1))
        downs = range(2 * min(rows), 2 * max(rows) + 1) if how != "sideways" else range(1)
        acrosses = range(2 * min(columns), 2 * max(columns) + 1) if how != "upright" else range(1)
        best: tuple[int, list[Callable[[Pair], Pair]]] = (1, [])
        for down in downs:
            for across in acrosses:
                if how == "quarter" and (down + across) % 2:
                    continue
                image = _image(how, down, across)
                score = 0
                for place in shown:
                    color, seen = self.at(*place), self.at(*image(place))
                    if seen in (NONE, self.ground):
                        score -= 1
                    elif seen == color:
                        score += 2
                    else:
                        break
                else:
                    if score > best[0]:
                        best = score, []
                    if score == best[0]:
                        best[1].append(image)
        return best[1][0] if len(best[1]) == 1 else None

    def _symmetries(self) -> None:
        for how, traits, words in (
            ("sideways", TURNS, "mirrored left to right"),
            ("upright", TURNS, "mirrored top to bottom"),
            ("half", 0, "turned by half"),
            ("quarter", TURNS, "turned by a quarter"),
        ):
            image = self._find_symmetry(how)
            seen: Column = [NONE] * len(self.cells)
            orbit: Column = [NONE] * len(self.cells)
            for k in range(len(self.cells)) if image else ():
                assert image is not None
                places = [divmod(k, self.width)]
                for _ in range(3):
                    places.append(image(places[-1]))
                seen[k] = self.at(*places[1])
                orbit[k] = self._shared_color(self.at(*place) for place in places)
            name = f"the color there when what is shown is {words}, where that fits best"
            self.add(name, PAINT | traits, 9, seen)
        self.add(
            "the color of its images under quarter turns, where these fit best", PAINT, 9, orbit
        )

    def _axes(self) -> None:
        """Add images under reflection at the only inner row and column of another color."""
        rows = [self.cells[i * self.width : (i + 1) * self.width] for i in range(self.n_rows)]
        columns = [list(column) for column in zip(*rows, strict=True)]

        def is_axis(line: list[int]) -> bool:
            color = most_common_color(count_colors(line))
            return color != self.ground and len(line) > 2 and line.count(color) >= len(line) - 1

        def find(lines: list[list[int]]) -> int | None:
            axes = [k for k in range(1, len(lines) - 1) if is_axis(lines[k])]
            return axes[0] if len(axes) == 1 else None

        row, column = find(rows), find(columns)

        def sideways(i: int, j: int) -> int:
            return NONE if column is None else self.at(i, 2 * column - j)

        def upright(i: int, j: int) -> int:
            return NONE if row is None else self.at(2 * row - i, j)

        def turned(i: int, j: int) -> int:
            if row is None or column is None:
                return NONE
            return self.at(2 * row - i, 2 * column - j)

        def any_of_them(i: int, j: int) -> int:
            return self._shared_color((sideways(i, j), upright(i, j), turned(i, j)))

        at = "the color of its image at the only"
        self.each(f"{at} inner column of one color", PAINT | TURNS, 9, sideways)
        self.each(f"{at} inner row of one color", PAINT | TURNS, 9, upright)
        self.each(f"{at} crossing of a row and a column of one color", PAINT, 9, turned)
        self.each(f"{at} inner row, column or crossing of one color", PAINT, 9, any_of_them)

    def _sequences(self) -> None:
        """Add the colors of the first line that is shown, in turn for the lines after all these."""
        rows = [
            i for i in range(self.n_rows) if any(self._is_shown(i, j) for j in range(self.width))
        ]
        columns = [
            j for j in range(self.width) if any(self._is_shown(i, j) for i in range(self.n_rows))
        ]

        def in_row(i: int, j: int) -> int:
            return self.at(rows[0], (i - len(rows)) % self.width) if rows else NONE

        def in_column(i: int, j: int) -> int:
            return self.at((j - len(columns)) % self.n_rows, columns[0]) if columns else NONE

        name = "the color whose turn it is, of the first {0} that is shown, in the {0}s after these"
        self.each(name.format("row"), PAINT | TURNS, 7, in_row)
        self.each(name.format("column"), PAINT | TURNS, 7, in_column)

    def _is_shown(self, i: int, j: int) -> bool:
        return self.at(i, j) != self.ground

    # --- objects ---

    def _other_objects(self) -> None:
        objects = [each for each in self.objects if each.color != self.ground]
        if len(objects) > MAX_OBJECTS:
            objects = []
        owners = {place: each for each in objects for place in each.cells}
        bearings = []
        for k in range(len(self.cells)):
            i, j = divmod(k, self.width)
            apart = []
            for each in objects:
                if owners.get((i, j)) is each:
                    continue
                top, bottom, left, right = each.box
                down, across = max(0, top - i, i - bottom), max(0, left - j, j - right)
                bearing = 2 if down == across else int(down == 0 or across == 0)
                apart.append((down + across, -bearing))
            bearings.append(-min(apart)[1] if apart else 3)
        name = (
            "how it lies to the nearest object (0 aside, 1 in its lines, 2 in line with a corner)"
        )
        self.add(name, 0, 9, bearings)
        sizes = [each.size for each in objects]
        for pick, other, words in ((max, min, "largest"), (min, max, "smallest")):
            moved: Column = [NONE] * len(self.cells)
            picked, onto = ([o for o in objects if o.size == f(sizes)] for f in (pick, other))
            if len(picked) == len(onto) == 1 and picked != onto:
                (one,), (two,) = picked, onto
                top, bottom, left, right = one.box
                down = sum(two.box[:2]) - top - bottom
                across = sum(two.box[2:]) - left - right
                for i in range(top, bottom + 1):
                    for j in range(left, right + 1):
                        i2, j2 = i + down // 2, j + across // 2
                        if down % 2 == across % 2 == 0 and self.at(i2, j2) != NONE:
                            moved[i2 * self.width + j2] = self.at(i, j)
            onto_words = "smallest" if words == "largest" else "largest"
            name = f"the color there when the {words} object is centered on the {onto_words}"
            self.add(name, PAINT, 8, moved)


def _image(how: str, down: int, across: int) -> Callable[[Pair], Pair]:
    """Return a reflection or turn by the sums of the coordinates of places and their images."""
    if how == "sideways":
        return lambda place: (place[0], across - place[1])
    if how == "upright":
        return lambda place: (down - place[0], place[1])
    if how == "half":
        return lambda place: (down - place[0], across - place[1])
    return lambda place: (
        (down + 2 * place[1] - across) // 2,
        (across - 2 * place[0] + down) // 2,
    )
