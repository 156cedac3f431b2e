"""Features of a cell by what is around it, in its lines, and by its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..wording import DIRECTION_NAMES
from .cell_columns import (
    COLOR_NAMES,
    IS_FACT,
    MOST,
    NAMES,
    NONE,
    PAINT,
    SHADE,
    TURNS,
    CellColumns,
    Column,
    count_colors,
    most_common_color,
    n_counted,
)
from .color_grids import AROUND, BESIDE, CORNERS

# Opposite directions, as places in AROUND: the row, the column, both diagonals.
LINES = ((3, 4, "row"), (1, 6, "column"), (0, 7, "falling diagonal"), (2, 5, "rising diagonal"))


class SurroundingsColumns(CellColumns):
    """Features of a cell's neighbors, directions, lines, place and distances."""

    def _add_surroundings(self) -> None:
        for add_group in (
            self._own,
            self._around,
            self._looks,
            self._sights,
            self._mirrored,
            self._position,
            self._lines,
            self._counts,
            self._distances,
        ):
            add_group()
            self.end_group()

    def _own(self) -> None:
        self.add("its own color", PAINT, 16, self.cells)
        self.add("it is background", IS_FACT, 16, [color == self.ground for color in self.cells])

    def _around(self) -> None:
        for di in range(-2, 3):
            for dj in range(-2, 3):
                if (di, dj) == (0, 0):
                    continue
                seen = [
                    self.at(i + di, j + dj) for i in range(self.n_rows) for j in range(self.width)
                ]
                if (di, dj) not in AROUND:
                    where = f"{di:+d} rows, {dj:+d} columns from it"
                    self.add(f"the color {where}", SHADE | TURNS, 10, seen)
                    continue
                where = DIRECTION_NAMES[AROUND.index((di, dj))] + " of it"
                self.add(f"the color {where}", PAINT | TURNS, 14, seen)
                same = [int(a == b) for a, b in zip(seen, self.cells, strict=True)]
                self.add(f"its own color is {where}", TURNS | IS_FACT, 12, same)
                ground = [int(color == self.ground) for color in seen]
                self.add(f"background is {where}", TURNS | IS_FACT, 12, ground)

    def _looks(self) -> None:
        """Add the first other color in each direction, and how far it is."""
        n = len(self.cells)
        colors: list[Column] = []
        distances: list[Column] = []
        for (di, dj), name in zip(AROUND, DIRECTION_NAMES, strict=True):
            color, distance = [NONE] * n, [1] * n
            rows = range(self.n_rows) if di < 0 else range(self.n_rows - 1, -1, -1)
            places = range(self.width) if dj < 0 else range(self.width - 1, -1, -1)
            for i in rows:
                for j in places:
                    k = i * self.width + j
                    following = self.at(i + di, j + dj)
                    if following == self.cells[k]:
                        ahead = (i + di) * self.width + j + dj
                        color[k], distance[k] = color[ahead], distance[ahead] + 1
                    else:
                        color[k] = following
            colors.append(color)
            distances.append(distance)
            self.add(f"the first other color {name} of it", SHADE | TURNS, 14, color)
            self.add(f"how far off another color is {name} of it", TURNS, 10, distance)
            odd = [number % 2 for number in distance]
            self.add(f"another color is an odd way {name} of it", TURNS | IS_FACT, 8, odd)
            edge = [int(number == NONE) for number in color]
            self.add(f"only its own color is {name} of it", TURNS | IS_FACT, 12, edge)
        straight = [AROUND.index(step) for step in BESIDE]
        oblique = [AROUND.index(step) for step in CORNERS]
        for ways, words in ((straight, "straight"), (oblique, "oblique")):
            seen = [count_colors(colors[d][k] for d in ways) for k in range(n)]
            for c, name in enumerate(COLOR_NAMES):
                column = [counts[c] for counts in seen]
                self.add(f"how many {words} ways {name} is seen first", NAMES, 11, column)
            nothing = [counts[NONE] for counts in seen]
            self.add(f"how many {words} ways only its own color is seen", 0, 11, nothing)
            far = [[distances[d][k] for d in ways] for k in range(n)]
            self.add(f"how near another color is, {words}", 0, 9, [min(f) for f in far])
            self.add(f"how far another color is, {words}", 0, 8, [max(f) for f in far])
        between = []
        for one, other, line in LINES:
            shared = [
                a if a == b else NONE for a, b in zip(colors[one], colors[other], strict=True)
            ]
            between.append(shared)
            traits = (PAINT if len(between) <= 2 else SHADE) | TURNS
            self.add(f"the color on both sides of it in its {line}", traits, 14, shared)
            is_between = [int(color != NONE) for color in shared]
            self.add(f"it is between two of a color in its {line}", TURNS | IS_FACT, 12, is_between)
        for pair, words in ((between[:2], "row or column"), (between[2:], "diagonals")):
            shared = [min(colors) for colors in zip(*pair, strict=True)]
            self.add(f"the color on both sides of it in its {words}", PAINT, 13, shared)
            number = [sum(c != NONE for c in colors) for colors in zip(*pair, strict=True)]
            self.add(f"how often it is between two of a color in its {words}", 0, 11, number)

    def _sights(self) -> None:
        """Add the first color in each direction except the background and the cell's own."""
        self.sights: list[Column] = []
        for (di, dj), name in zip(AROUND, DIRECTION_NAMES, strict=True):
            sight = []
            for k, own in enumerate(self.cells):
                i, j = divmod(k, self.width)
                color = own
                while color in (own, self.ground):
                    i, j = i + di, j + dj
                    color = self.at(i, j)
                sight.append(color)
            self.sights.append(sight)
            self.add(f"the color seen {name} of it", PAINT | TURNS, 13, sight)

    def _mirrored(self) -> None:
        last_row, last_column = self.n_rows - 1, self.width - 1
        images: tuple[tuple[str, int, Callable[[int, int], int]], ...] = (
            ("mirrored left to right", TURNS, lambda i, j: self.at(i, last_column - j)),
            ("mirrored top to bottom", TURNS, lambda i, j: self.at(last_row - i, j)),
            ("turned by half", 0, lambda i, j: self.at(last_row - i, last_column - j)),
            ("mirrored at the falling diagonal", TURNS, lambda i, j: self.at(j, i)),
            (
                "mirrored at the rising diagonal",
                TURNS,
                lambda i, j: self.at(last_column - j, last_row - i),
            ),
        )
        for words, turns, image in images:
            self.each(f"the color there when the grid is {words}", PAINT | turns, 11, image)
            same = [int(a == b) for a, b in zip(self.columns[-1], self.cells, strict=True)]
            self.add(f"it is the same when the grid is {words}", turns | IS_FACT, 10, same)

    def _position(self) -> None:
        last_row, last_column = self.n_rows - 1, self.width - 1
        self.each("rows above it", TURNS, 10, lambda i, j: i)
        self.each("rows below it", TURNS, 10, lambda i, j: last_row - i)
        self.each("columns left of it", TURNS, 10, lambda i, j: j)
        self.each("columns right of it", TURNS, 10, lambda i, j: last_column - j)
        above = [i for i in range(self.n_rows) for _ in range(self.width)]
        left = [j for _ in range(self.n_rows) for j in range(self.width)]
        below, right = above[::-1], left[::-1]
        both = [i + j for i, j in zip(above, left, strict=True)]
        for m in (2, 3):
            for words, simplicity, numbers in (
                ("rows above it", 10, above),
                ("rows below it", 8, below),
                ("columns left of it", 10, left),
                ("columns right of it", 8, right),
                ("rows and columns", 10, both),
            ):
                column = [number % m for number in numbers]
                self.add(f"{words} modulo {m}", TURNS, simplicity, column)
        self.each("rows less columns modulo 3", TURNS, 9, lambda i, j: (i - j + 3 * self.width) % 3)
        edge: Callable[[int, int], int] = lambda i, j: min(i, j, last_row - i, last_column - j)  # noqa: E731
        self.each("its distance from the edge", 0, 12, edge)
        self.each("its distance from the edge is odd", IS_FACT, 10, lambda i, j: edge(i, j) % 2)
        self.each("its distance from top or bottom", TURNS, 9, lambda i, j: min(i, last_row - i))
        self.each("its distance from left or right", TURNS, 9, lambda i, j: min(j, last_column - j))
        fact = TURNS | IS_FACT
        self.each("it is on the falling diagonal", fact, 10, lambda i, j: i == j)
        self.each("it is on the rising diagonal", fact, 10, lambda i, j: i + j == last_column)
        self.each("it is in the middle row", fact, 9, lambda i, j: 2 * i == last_row)
        self.each("it is in the middle column", fact, 9, lambda i, j: 2 * j == last_column)
        diagonals = [(i == j) + (i + j == last_column) for i, j in zip(above, left, strict=True)]
        on_diagonals = diagonals if last_row == last_column else [0] * len(diagonals)
        self.add("how many diagonals of the square it is on", 0, 9, on_diagonals)
        middle = [
            (2 * i == last_row) + (2 * j == last_column) for i, j in zip(above, left, strict=True)
        ]
        self.add("how many middle lines it is on", 0, 9, middle)

    def _lines(self) -> None:
        rows = [self.cells[i * self.width : (i + 1) * self.width] for i in range(self.n_rows)]
        lines = (rows, [list(column) for column in zip(*rows, strict=True)])
        counts = tuple([count_colors(line) for line in kind] for kind in lines)
        uniform = tuple(
            [int(max(tally) == len(line)) for line, tally in zip(*both, strict=True)]
            for both in zip(lines, counts, strict=True)
        )
        shown = tuple(
            [len(line) - tally[self.ground] for line, tally in zip(*both, strict=True)]
            for both in zip(lines, counts, strict=True)
        )

        def add(kind: int, name: str, traits: int, simplicity: int, of: Sequence[int]) -> None:
            words = f"its {('row', 'column')[kind]}"
            self.each(name.format(words), traits | TURNS, simplicity, lambda i, j: of[(i, j)[kind]])

        for kind in range(2):
            shown_in = [[c for c in line if c != self.ground] for line in lines[kind]]
            main = [most_common_color(tally, (self.ground,)) for tally in counts[kind]]
            add(kind, "{} is of one color", IS_FACT, 12, uniform[kind])
            add(kind, "the main color of {} except background", PAINT, 11, main)
            first = [line[0] if line else NONE for line in shown_in]
            last = [line[-1] if line else NONE for line in shown_in]
            add(kind, "the first color in {} except background", PAINT, 11, first)
            add(kind, "the last color in {} except background", PAINT, 11, last)
            add(kind, "the color where {} begins", SHADE, 11, [line[0] for line in lines[kind]])
            add(kind, "the color where {} ends", SHADE, 11, [line[-1] for line in lines[kind]])
            add(kind, "how many cells of {} are not background", 0, 9, shown[kind])
            for c, name in enumerate(COLOR_NAMES):
                has = [int(tally[c] > 0) for tally in counts[kind]]
                add(kind, f"{{}} has {name}", NAMES | IS_FACT, 11, has)
        likeness = [sum(max(tally) for tally in kind) for kind in counts]
        kind = int(likeness[1] > likeness[0])
        alike = [most_common_color(tally) for tally in counts[kind]]
        if likeness[0] == likeness[1]:
            alike = [NONE] * len(alike)
        name = "the main color of its row, or of its column, whichever are more alike"
        self.each(name, PAINT, 9, lambda i, j: alike[(i, j)[kind]])
        both = [a + b for a in uniform[0] for b in uniform[1]]
        self.add("how many of its row and column are of one color", 0, 12, both)
        in_rows, in_columns = counts
        for c, name in enumerate(COLOR_NAMES):
            column = [(a[c] > 0) + (b[c] > 0) for a in in_rows for b in in_columns]
            self.add(f"how many of its row and column have {name}", NAMES, 11, column)
        more = [max(a, b) for a in shown[0] for b in shown[1]]
        fewer = [min(a, b) for a in shown[0] for b in shown[1]]
        self.add("cells except background in its row or column, the more", 0, 8, more)
        self.add("cells except background in its row or column, the fewer", 0, 8, fewer)

    def _counts(self) -> None:
        for directions, words, simplicity in (
            (BESIDE, "beside it", 13),
            (CORNERS, "at its corners", 11),
            (AROUND, "around it", 12),
        ):
            tallies = [count_colors(self.beside(k, directions)) for k in range(len(self.cells))]
            for c, name in enumerate(COLOR_NAMES):
                column = [counts[c] for counts in tallies]
                self.add(f"how many {name} cells are {words}", NAMES, simplicity, column)
            own = list(zip(tallies, self.cells, strict=True))
            same = [counts[color] for counts, color in own]
            shown = [sum(counts[:NONE]) - counts[self.ground] for counts in tallies]
            main = [most_common_color(counts, (self.ground, color)) for counts, color in own]
            self.add(f"how many cells of its color are {words}", 0, 12, same)
            self.add(f"how many cells except background are {words}", 0, 12, shown)
            self.add(
                f"how many colors are {words}", 0, 9, [n_counted(counts) for counts in tallies]
            )
            traits = SHADE if directions is CORNERS else PAINT
            self.add(f"the most common other color {words} except background", traits, 12, main)

    def _spread(self, color: int, oblique: bool) -> Column:
        """Return the distance of each cell from a color, in straight steps or also oblique ones."""
        far = self.n_rows + self.width  # more than any distance
        distances = [0 if cell == color else far for cell in self.cells]
        before = AROUND[:4] if oblique else BESIDE[:2]
        for backward in (False, True):
            sign = -1 if backward else 1
            for k in range(len(distances))[::sign]:
                i, j = divmod(k, self.width)
                for di, dj in before:
                    i2, j2 = i + sign * di, j + sign * dj
                    if 0 <= i2 < self.n_rows and 0 <= j2 < self.width:
                        distances[k] = min(distances[k], distances[i2 * self.width + j2] + 1)
        return distances

    def _distances(self) -> None:
        far = self.n_rows + self.width
        for oblique, words in ((False, "straight steps"), (True, "steps")):
            spread = [self._spread(color, oblique) for color in range(10)]
            for c, name in enumerate(COLOR_NAMES):
                column = [MOST if number == far else number for number in spread[c]]
                self.add(f"how many {words} from {name} it is", NAMES, 9, column)
            nearest, distance = [], []
            for k, own in enumerate(self.cells):
                others = [c for c in range(10) if c not in (self.ground, own)]
                number, color = min(((spread[c][k], c) for c in others), default=(far, NONE))
                nearest.append(NONE if number == far else color)
                distance.append(MOST if number == far else number)
            self.add(f"the nearest other color except background by {words}", PAINT, 11, nearest)
            self.add(f"how many {words} it is from another color except background", 0, 9, distance)
            odd = [number % 2 for number in distance]
            name = f"it is an odd number of {words} from another color except background"
            self.add(name, IS_FACT, 8, odd)
