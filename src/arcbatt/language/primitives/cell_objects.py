"""Features of a cell by the object that it belongs to, and by others around it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cached_property

from ..budget import charge
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
    Column,
    count_colors,
    most_common_color,
    n_counted,
    rarest_color,
)
from .cell_surroundings import LINES, SurroundingsColumns
from .color_grids import AROUND, BESIDE, all_places
from .grid_parts import GridPart, cut


class _Object(GridPart):
    """A part of a grid, and how often its cells touch each color outside of it."""

    touched: list[int]

    @cached_property
    def mirrors(self) -> tuple[bool, bool]:
        """Whether its shape is symmetric, left to right and top to bottom."""
        there = set(self.shape)
        last_row, last_column = self.height - 1, self.width - 1
        return (
            all((i, last_column - j) in there for i, j in there),
            all((last_row - i, j) in there for i, j in there),
        )


class ObjectColumns(SurroundingsColumns):
    """Features of the boxes of colors, and of parts and objects, after those of surroundings."""

    def _add_objects(self) -> None:
        self._boxes()
        self.end_group()
        for way, words in enumerate(("one-color part", "one-color object", "object")):
            self._objects(way, words)
            self.end_group()

    def _boxes(self) -> None:
        number = [0] * len(self.cells)
        for c, name in enumerate(COLOR_NAMES):
            places = [at for at in all_places(self.grid) if self.at(*at) == c]
            inside = [0] * len(self.cells)
            if places:
                top, bottom, left, right = GridPart(0, places, self.grid).box
                for i in range(top, bottom + 1):
                    for j in range(left, right + 1):
                        inside[i * self.width + j] = 1
                        number[i * self.width + j] += c != self.ground
            self.add(f"it is within the box of {name}", NAMES | IS_FACT, 11, inside)
        self.add("within how many boxes of colors except background it is", 0, 8, number)

    def _cut(self, way: int) -> list[_Object]:
        """Return the parts of the grid.

        They are 4-connected of one color; or 8-connected of one color, or of all colors except the
        background, which is always 4-connected.
        """
        steps = AROUND if way else BESIDE
        parts = cut(self.grid, self.ground, steps, together=way == 2, with_background=True)
        objects = [_Object(number, cells, self.grid) for number, cells in enumerate(parts)]
        charge(sum(each.area for each in objects))
        for each in objects:
            own = set(each.cells)
            around = ((i + di, j + dj) for i, j in each.cells for di, dj in steps)
            each.touched = count_colors(self.at(*place) for place in around if place not in own)
        return objects

    def _objects(self, way: int, words: str) -> None:
        self.objects = objects = self._cut(way)
        of = [0] * len(self.cells)
        for number, each in enumerate(objects):
            for i, j in each.cells:
                of[i * self.width + j] = number
        its = f"its {words}"

        def add(name: str, traits: int, simplicity: int, measure: Callable[[_Object], int]) -> None:
            values = [int(measure(each)) for each in objects]
            self.add(name.format(its), traits, simplicity, [values[number] for number in of])

        def rank(
            name: str,
            traits: int,
            simplicity: int,
            measure: Callable[[_Object], int],
            falling: bool = False,
            key: Callable[[_Object], object] = lambda o: o.color == self.ground,
        ) -> None:
            """Add the number of distinct lower, or higher, values among objects with a key."""

            values: defaultdict[object, set[int]] = defaultdict(set)
            for each in objects:
                values[key(each)].add(measure(each))

            def count_passed(own: _Object) -> int:
                number = measure(own)
                return sum(v > number if falling else v < number for v in values[key(own)])

            add(name, traits, simplicity, count_passed)

        def count(name: str, simplicity: int, key: Callable[[_Object], object]) -> None:
            numbers = Counter(map(key, objects))
            add(name, 0, simplicity, lambda o: numbers[key(o)])

        last_row, last_column = self.n_rows - 1, self.width - 1
        ends = (0, last_row, 0, last_column)
        add("the size of {}", 0, 10, lambda o: o.size)
        add("the size of {} is odd", IS_FACT, 7, lambda o: o.size % 2)
        rank("the rank by size of {}, from the largest", 0, 12, lambda o: o.size, True)
        rank("the rank by size of {}, from the smallest", 0, 12, lambda o: o.size)
        in_color = "the rank by size of {} in its color, from the largest"
        rank(in_color, 0, 9, lambda o: o.size, True, lambda o: o.color)
        count("how many have the size of {}", 9, lambda o: (o.color == self.ground, o.size))
        count(
            "how many have the shape of {}", 10, lambda o: (o.color == self.ground, tuple(o.shape))
        )
        count("how many have the color of {}", 8, lambda o: o.color)
        add("the height of {}", TURNS, 9, lambda o: o.height)
        add("the width of {}", TURNS, 9, lambda o: o.width)
        add("the longer side of {}", 0, 9, lambda o: max(o.height, o.width))
        add("the shorter side of {}", 0, 9, lambda o: min(o.height, o.width))
        add("{} fills its box", IS_FACT, 10, lambda o: o.area == o.size)
        add("the box of {} is a square", IS_FACT, 9, lambda o: o.height == o.width)
        add("how many holes {} has", 0, 11, lambda o: len(o.holes))
        on_edge = lambda o: any(map(int.__eq__, o.box, ends))  # noqa: E731
        add("{} touches the edge", IS_FACT, 12, on_edge)
        for side, name in enumerate(("top", "bottom", "left edge", "right edge")):
            touches = lambda o, s=side: o.box[s] == ends[s]  # noqa: E731
            add(f"{{}} touches the {name}", TURNS | IS_FACT, 9, touches)
        add("{} is symmetric left to right", TURNS | IS_FACT, 8, lambda o: o.mirrors[0])
        add("{} is symmetric top to bottom", TURNS | IS_FACT, 8, lambda o: o.mirrors[1])
        add("how many ways {} is symmetric", 0, 8, lambda o: sum(o.mirrors))
        for side, name in enumerate(("top", "bottom", "left", "right")):
            place = lambda o, s=side: o.box[s]  # noqa: E731
            rank(f"the rank of {{}} from the {name}", TURNS, 9, place, side % 2 == 1)
        for c, name in enumerate(COLOR_NAMES):
            touches = lambda o, c=c: o.touched[c] > 0  # noqa: E731
            add(f"{{}} touches {name}", NAMES | IS_FACT, 11, touches)
        # An object of all colors but the background touches only the background.
        most_touched = lambda o: most_common_color(o.touched, (self.ground,))  # noqa: E731
        traits = SHADE if way == 2 else PAINT
        add("the color except background that {} touches most", traits, 11, most_touched)
        add("how many colors {} touches", 0, 8, lambda o: n_counted(o.touched))
        if way == 2:
            add("how many colors {} has", 0, 10, lambda o: n_counted(o.counts))
            add("the most common color of {}", PAINT, 11, lambda o: o.color)
            add("the rarest color of {}", PAINT, 11, lambda o: rarest_color(o.counts))
        self._places(its, [objects[number].box for number in of], of, way)
        if way == 1:
            self._sighted(words, objects, of)
        if way:
            self._enclosing(words, way, [each for each in objects if each.color != self.ground])

    def _places(
        self, its: str, boxes: list[tuple[int, int, int, int]], of: list[int], way: int
    ) -> None:
        """Add where cells lie in their parts."""
        places = [divmod(k, self.width) for k in range(len(self.cells))]
        boxed = [(*place, *box) for place, box in zip(places, boxes, strict=True)]
        sides = [
            (i - top, bottom - i, j - left, right - j) for i, j, top, bottom, left, right in boxed
        ]

        def add(name: str, traits: int, simplicity: int, f: Callable[..., int]) -> None:
            """Add a function of the distances from the top, bottom, left and right of the box."""
            self.add(name.format(its), traits, simplicity, [f(*distances) for distances in sides])

        for side, name in enumerate(("top", "bottom", "left side", "right side")):
            add(f"its distance from the {name} of {{}}", TURNS, 9, lambda *s, k=side: s[k])
        add("its distance from the box of {}", 0, 10, min)
        add("its distance from the box of {} is odd", IS_FACT, 8, lambda *s: min(s) % 2)
        add("its row in {} is odd", TURNS | IS_FACT, 7, lambda a, b, c, d: a % 2)
        add("its column in {} is odd", TURNS | IS_FACT, 7, lambda a, b, c, d: c % 2)
        both_odd = lambda a, b, c, d: (a + c) % 2  # noqa: E731
        add("its row plus its column in {} is odd", TURNS | IS_FACT, 8, both_odd)
        n_middle_lines = lambda a, b, c, d: (a == b) + (c == d)  # noqa: E731
        add("how many middle lines of {} it is on", 0, 8, n_middle_lines)
        n_diagonals = lambda a, b, c, d: (a + b == c + d) * ((a == c) + (a == d))  # noqa: E731
        add("how many diagonals of {} it is on", 0, 8, n_diagonals)
        for directions, words in ((BESIDE, "beside"), (AROUND, "around")):
            numbers = [
                sum(
                    self.at(i + di, j + dj) == NONE or of[k + di * self.width + dj] != of[k]
                    for di, dj in directions
                )
                for k, (i, j) in enumerate(places)
            ]
            self.add(f"how many places {words} it are not of {its}", 0, 10, numbers)
        if way == 2:
            sideways = [self.at(i, left + right - j) for i, j, _, _, left, right in boxed]
            upright = [self.at(top + bottom - i, j) for i, j, top, bottom, _, _ in boxed]
            turned = [self.at(t + b - i, left + r - j) for i, j, t, b, left, r in boxed]
            image = f"the color there when {its} is"
            self.add(f"{image} mirrored left to right", PAINT | TURNS, 9, sideways)
            self.add(f"{image} mirrored top to bottom", PAINT | TURNS, 9, upright)
            self.add(f"{image} turned by half", PAINT, 9, turned)

    def _sighted(self, words: str, objects: list[_Object], of: list[int]) -> None:
        """Add what a cell sees of objects except the background, and what its own object sees."""
        sizes = [0 if each.color == self.ground else each.size for each in objects]
        seen: list[Column] = []  # by direction: the object seen, or -1
        for (di, dj), sight in zip(AROUND, self.sights, strict=True):
            column = []
            for k, color in enumerate(sight):
                i, j = divmod(k, self.width)
                while color != NONE and self.at(i, j) != color:
                    i, j = i + di, j + dj
                column.append(-1 if color == NONE else of[i * self.width + j])
            seen.append(column)
        around = [
            [
                sizes[of[k + di * self.width + dj]]
                for (di, dj), color in zip(AROUND, self.beside(k, AROUND), strict=True)
                if color not in (NONE, self.ground) and of[k + di * self.width + dj] != of[k]
            ]
            for k in range(len(self.cells))
        ]
        largest = [max(numbers, default=0) for numbers in around]
        smallest = [min(numbers, default=0) for numbers in around]
        self.add(f"the size of the largest other {words} around it", 0, 11, largest)
        self.add(f"the size of the smallest other {words} around it", 0, 10, smallest)
        straight = [AROUND.index(step) for step in BESIDE]
        for d in straight:
            seen_sizes = [sizes[number] if number >= 0 else 0 for number in seen[d]]
            self.add(
                f"the size of the {words} seen {DIRECTION_NAMES[d]} of it", TURNS, 9, seen_sizes
            )
        less, more = [], []
        for k in range(len(self.cells)):
            ends = [(seen[one][k], seen[other][k]) for one, other, _ in LINES[:2]]
            pairs = [pair for pair in ends if min(pair) >= 0]
            lines = [sorted((sizes[n], objects[n].color) for n in pair) for pair in pairs]
            best = min(lines, default=[(0, NONE), (0, NONE)])
            less.append(best[0][1])
            more.append(best[1][1])
        self.add(f"the color of the smaller {words} that it is between", PAINT, 12, less)
        self.add(f"the color of the larger {words} that it is between", PAINT, 12, more)
        for d in straight:
            sights = [
                count_colors(self.sights[d][i * self.width + j] for i, j in each.cells)
                for each in objects
            ]
            main = [most_common_color(counts) for counts in sights]
            name = f"the main color that its {words} sees {DIRECTION_NAMES[d]} of it"
            self.add(name, PAINT | TURNS, 10, [main[number] for number in of])

    def _enclosing(self, words: str, way: int, objects: list[_Object]) -> None:
        """Add the object of two or more cells with the smallest box around it, the first."""
        n = len(self.cells)
        color, ring, size, area = [NONE] * n, [MOST] * n, [0] * n, [n + 1] * n
        for each in objects:
            if each.size < 2:
                continue
            top, bottom, left, right = each.box
            for i in range(top, bottom + 1):
                for j in range(left, right + 1):
                    k = i * self.width + j
                    if each.area < area[k]:
                        area[k] = each.area
                        color[k], size[k] = each.color, each.size
                        ring[k] = min(i - top, bottom - i, j - left, right - j)
        box = f"{words} with the smallest box around it"
        self.add(f"it is within the box of a {words}", IS_FACT, 11, [int(c != NONE) for c in color])
        self.add(f"the color of the {box}", PAINT if way == 2 else SHADE, 10, color)
        self.add(f"its distance from the box of the {box}", 0, 9, ring)
        self.add(f"the size of the {box}", 0, 8, size)
