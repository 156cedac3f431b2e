"""What can be said of a cell by the object that it belongs to, and by others around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..budget import charge
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
    commonest_color,
    count_colors,
    rarest_color,
)
from .cell_surroundings import DIRECTION_NAMES, LINES, SurroundingsColumns
from .observations import AROUND, BESIDE, ranks


@dataclass(eq=False)
class _Object:
    """Connected places of a grid, in reading order."""

    places: list[int]
    width: int  # of the grid
    color: int  # its commonest

    @property
    def size(self) -> int:
        return len(self.places)

    @cached_property
    def box(self) -> tuple[int, int, int, int]:
        """Its first and last row, its first and last column."""
        rows = [k // self.width for k in self.places]
        columns = [k % self.width for k in self.places]
        return min(rows), max(rows), min(columns), max(columns)

    @property
    def height(self) -> int:
        return self.box[1] - self.box[0] + 1

    @property
    def breadth(self) -> int:
        return self.box[3] - self.box[2] + 1

    @cached_property
    def shape(self) -> tuple[tuple[int, int], ...]:
        top, _, left, _ = self.box
        return tuple((k // self.width - top, k % self.width - left) for k in self.places)

    @cached_property
    def mirrors(self) -> tuple[bool, bool]:
        """Whether its shape is its own mirror image, left to right and top to bottom."""
        there = set(self.shape)
        last_row, last_column = self.height - 1, self.breadth - 1
        return (
            all((i, last_column - j) in there for i, j in there),
            all((last_row - i, j) in there for i, j in there),
        )

    @cached_property
    def n_holes(self) -> int:
        """How many 4-connected parts of its box are not its own and do not reach its sides."""
        left = {(i, j) for i in range(self.height) for j in range(self.breadth)} - set(self.shape)
        n_holes = 0
        while left:
            new = [left.pop()]
            is_hole = True
            while new:
                i, j = new.pop()
                is_hole &= 0 < i < self.height - 1 and 0 < j < self.breadth - 1
                for di, dj in BESIDE:
                    if (i + di, j + dj) in left:
                        left.remove((i + di, j + dj))
                        new.append((i + di, j + dj))
            n_holes += is_hole
        return n_holes


class ObjectColumns(SurroundingsColumns):
    """Features of the boxes of colours, and of parts and objects; those around it come before."""

    def _add_objects(self) -> None:
        self._boxes()
        for cut, words in enumerate(("one-colour part", "one-colour object", "object")):
            self._objects(cut, words)

    def _boxes(self) -> None:
        number = [0] * len(self.cells)
        for c, name in enumerate(COLOR_NAMES):
            places = [k for k, color in enumerate(self.cells) if color == c]
            inside = [0] * len(self.cells)
            if places:
                top, bottom, left, right = _Object(places, self.width, c).box
                for i in range(top, bottom + 1):
                    for j in range(left, right + 1):
                        inside[i * self.width + j] = 1
                        number[i * self.width + j] += c != self.ground
            self.add(f"it is within the box of {name}", NAMES | IS_FACT, 11, inside)
        self.add("within how many boxes of colours but background it is", 0, 8, number)

    def _cut(self, cut: int) -> list[_Object]:
        """The parts of the grid: 4-connected of one colour; 8-connected of one colour, or of
        all but background together, and of background 4-connected."""
        objects = []
        seen = [False] * len(self.cells)
        for start, color in enumerate(self.cells):
            if seen[start]:
                continue
            is_ground = color == self.ground
            directions = BESIDE if cut == 0 or is_ground else AROUND
            seen[start] = True
            found = [start]
            for k in found:
                i, j = divmod(k, self.width)
                for di, dj in directions:
                    other = self.at(i + di, j + dj)
                    if other == NONE:
                        continue
                    alike = other == color if cut < 2 or is_ground else other != self.ground
                    at = (i + di) * self.width + j + dj
                    if alike and not seen[at]:
                        seen[at] = True
                        found.append(at)
            main = commonest_color(count_colors(self.cells[k] for k in found))
            objects.append(_Object(sorted(found), self.width, main))
        charge(sum(each.height * each.breadth for each in objects))
        return objects

    def _objects(self, cut: int, words: str) -> None:
        objects = self._cut(cut)
        of = [0] * len(self.cells)
        for number, each in enumerate(objects):
            for k in each.places:
                of[k] = number
        is_ground = [each.color == self.ground for each in objects]
        its = f"its {words}"

        def add(name: str, traits: int, simplicity: int, values: Sequence[int]) -> None:
            self.add(name, traits, simplicity, [values[number] for number in of])

        def among(keys: Sequence[object], give: Callable[[list[int]], Sequence[int]]) -> list[int]:
            """What is given for the parts that share a key, for each of them."""
            found = [0] * len(objects)
            for key in dict.fromkeys(keys):
                same = [n for n, other in enumerate(keys) if other == key]
                for n, value in zip(same, give(same), strict=True):
                    found[n] = value
            return found

        def rank(numbers: Sequence[int], falling: bool) -> Callable[[list[int]], list[int]]:
            return lambda same: ranks([numbers[n] for n in same], falling)

        def count(same: list[int]) -> list[int]:
            return [len(same)] * len(same)

        sizes = [each.size for each in objects]
        boxes = [each.box for each in objects]
        colors = [each.color for each in objects]
        heights = [each.height for each in objects]
        breadths = [each.breadth for each in objects]
        add(f"the size of {its}", 0, 10, sizes)
        add(f"the size of {its} is odd", IS_FACT, 7, [size % 2 for size in sizes])
        add(
            f"the rank by size of {its}, from the largest",
            0,
            12,
            among(is_ground, rank(sizes, True)),
        )
        add(
            f"the rank by size of {its}, from the smallest",
            0,
            12,
            among(is_ground, rank(sizes, False)),
        )
        add(
            f"the rank by size of {its} in its colour, from the largest",
            0,
            9,
            among(colors, rank(sizes, True)),
        )
        add(
            f"how many have the size of {its}",
            0,
            9,
            among(list(zip(is_ground, sizes, strict=True)), count),
        )
        shapes = [(ground, each.shape) for ground, each in zip(is_ground, objects, strict=True)]
        add(f"how many have the shape of {its}", 0, 10, among(shapes, count))
        add(f"how many have the colour of {its}", 0, 8, among(colors, count))
        add(f"the height of {its}", TURNS, 9, heights)
        add(f"the width of {its}", TURNS, 9, breadths)
        sides = list(zip(heights, breadths, strict=True))
        add(f"the longer side of {its}", 0, 9, [max(side) for side in sides])
        add(f"the shorter side of {its}", 0, 9, [min(side) for side in sides])
        add(
            f"{its} fills its box",
            IS_FACT,
            10,
            [int(h * w == size) for (h, w), size in zip(sides, sizes, strict=True)],
        )
        add(f"the box of {its} is a square", IS_FACT, 9, [int(h == w) for h, w in sides])
        add(f"how many holes {its} has", 0, 11, [each.n_holes for each in objects])
        on_edge = [
            int(top == 0 or left == 0 or bottom == self.n_rows - 1 or right == self.width - 1)
            for top, bottom, left, right in boxes
        ]
        add(f"{its} touches the edge", IS_FACT, 12, on_edge)
        ends = (0, self.n_rows - 1, 0, self.width - 1)
        for side, name in enumerate(("top", "bottom", "left edge", "right edge")):
            add(
                f"{its} touches the {name}",
                TURNS | IS_FACT,
                9,
                [int(b[side] == ends[side]) for b in boxes],
            )
        mirrors = [each.mirrors for each in objects]
        add(f"{its} is symmetric left to right", TURNS | IS_FACT, 8, [int(m[0]) for m in mirrors])
        add(f"{its} is symmetric top to bottom", TURNS | IS_FACT, 8, [int(m[1]) for m in mirrors])
        add(f"how many ways {its} is symmetric", 0, 8, [sum(m) for m in mirrors])
        for side, name, falling in (
            (0, "top", False),
            (1, "bottom", True),
            (2, "left", False),
            (3, "right", True),
        ):
            add(
                f"the rank of {its} from the {name}",
                TURNS,
                9,
                among(is_ground, rank([box[side] for box in boxes], falling)),
            )
        touched = [
            count_colors(
                self.at(k // self.width + di, k % self.width + dj)
                for k in each.places
                for di, dj in (AROUND if cut else BESIDE)
                if 0 <= k // self.width + di < self.n_rows
                and 0 <= k % self.width + dj < self.width
                and of[k + di * self.width + dj] != number
            )
            for number, each in enumerate(objects)
        ]
        for c, name in enumerate(COLOR_NAMES):
            add(
                f"{its} touches {name}",
                NAMES | IS_FACT,
                11,
                [int(counts[c] > 0) for counts in touched],
            )
        # Of what together is all but background that would be no other colour.
        traits = SHADE if cut == 2 else PAINT
        add(
            f"the colour but background that {its} touches most",
            traits,
            11,
            [commonest_color(counts, (self.ground,)) for counts in touched],
        )
        add(
            f"how many colours {its} touches",
            0,
            8,
            [sum(number > 0 for number in counts[:NONE]) for counts in touched],
        )
        if cut == 2:
            inside = [count_colors(self.cells[k] for k in each.places) for each in objects]
            add(
                f"how many colours {its} has",
                0,
                10,
                [sum(number > 0 for number in counts) for counts in inside],
            )
            add(f"the commonest colour of {its}", PAINT, 11, [commonest_color(c) for c in inside])
            add(f"the rarest colour of {its}", PAINT, 11, [rarest_color(c) for c in inside])
        self._places(its, [boxes[number] for number in of], of, cut)
        if cut == 1:
            self._sighted(words, objects, of)
        if cut:
            self._enclosing(words, cut, [each for each in objects if each.color != self.ground])

    def _places(
        self, its: str, boxes: list[tuple[int, int, int, int]], of: list[int], cut: int
    ) -> None:
        """Where cells lie in their parts."""
        places = [divmod(k, self.width) for k in range(len(self.cells))]
        sides = [
            (i - top, bottom - i, j - left, right - j)
            for (i, j), (top, bottom, left, right) in zip(places, boxes, strict=True)
        ]
        for side, name in enumerate(("top", "bottom", "left side", "right side")):
            self.add(f"its distance from the {name} of {its}", TURNS, 9, [s[side] for s in sides])
        self.add(f"its distance from the box of {its}", 0, 10, [min(s) for s in sides])
        self.add(
            f"its distance from the box of {its} is odd", IS_FACT, 8, [min(s) % 2 for s in sides]
        )
        self.add(f"its row in {its} is odd", TURNS | IS_FACT, 7, [s[0] % 2 for s in sides])
        self.add(f"its column in {its} is odd", TURNS | IS_FACT, 7, [s[2] % 2 for s in sides])
        self.add(
            f"its row plus its column in {its} is odd",
            TURNS | IS_FACT,
            8,
            [(s[0] + s[2]) % 2 for s in sides],
        )
        self.add(
            f"how many middle lines of {its} it is on",
            0,
            8,
            [(s[0] == s[1]) + (s[2] == s[3]) for s in sides],
        )
        self.add(
            f"how many diagonals of {its} it is on",
            0,
            8,
            [
                (s[0] + s[1] == s[2] + s[3]) * ((s[0] == s[2]) + (s[0] == s[3]))  # of squares
                for s in sides
            ],
        )
        for directions, words in ((BESIDE, "beside"), (AROUND, "around")):
            number = []
            for k, (i, j) in enumerate(places):
                number.append(
                    sum(
                        self.at(i + di, j + dj) == NONE or of[k + di * self.width + dj] != of[k]
                        for di, dj in directions
                    )
                )
            self.add(f"how many places {words} it are not of {its}", 0, 10, number)
        if cut == 2:
            boxed = list(zip(places, boxes, strict=True))
            self.add(
                f"the colour there when {its} is mirrored left to right",
                PAINT | TURNS,
                9,
                [self.at(i, left + right - j) for (i, j), (_, _, left, right) in boxed],
            )
            self.add(
                f"the colour there when {its} is mirrored top to bottom",
                PAINT | TURNS,
                9,
                [self.at(top + bottom - i, j) for (i, j), (top, bottom, _, _) in boxed],
            )
            self.add(
                f"the colour there when {its} is turned by half",
                PAINT,
                9,
                [
                    self.at(top + bottom - i, left + right - j)
                    for (i, j), (top, bottom, left, right) in boxed
                ],
            )

    def _sighted(self, words: str, objects: list[_Object], of: list[int]) -> None:
        """What a cell sees of objects but background, and what its own object sees."""
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
        self.add(
            f"the size of the largest other {words} around it",
            0,
            11,
            [max(found, default=0) for found in around],
        )
        self.add(
            f"the size of the smallest other {words} around it",
            0,
            10,
            [min(found, default=0) for found in around],
        )
        for step in BESIDE:
            d = AROUND.index(step)
            self.add(
                f"the size of the {words} seen {DIRECTION_NAMES[d]} of it",
                TURNS,
                9,
                [sizes[number] if number >= 0 else 0 for number in seen[d]],
            )
        less, more = [], []
        for k in range(len(self.cells)):
            ends = [(seen[one][k], seen[other][k]) for one, other, _ in LINES[:2]]
            pairs = [pair for pair in ends if min(pair) >= 0]
            found = min(
                (sorted((sizes[n], objects[n].color) for n in pair) for pair in pairs), default=[]
            )
            less.append(found[0][1] if found else NONE)
            more.append(found[1][1] if found else NONE)
        self.add(f"the colour of the smaller {words} that it is between", PAINT, 12, less)
        self.add(f"the colour of the larger {words} that it is between", PAINT, 12, more)
        for step in BESIDE:
            d = AROUND.index(step)
            sights = [count_colors(self.sights[d][k] for k in each.places) for each in objects]
            main = [commonest_color(counts) for counts in sights]
            self.add(
                f"the main colour that its {words} sees {DIRECTION_NAMES[d]} of it",
                PAINT | TURNS,
                10,
                [main[number] for number in of],
            )

    def _enclosing(self, words: str, cut: int, objects: list[_Object]) -> None:
        """The object of two cells or more with the smallest box, the first of several, around."""
        n = len(self.cells)
        color, ring, size, area = [NONE] * n, [MOST] * n, [0] * n, [n + 1] * n
        for each in objects:
            if each.size < 2:
                continue
            top, bottom, left, right = each.box
            for i in range(top, bottom + 1):
                for j in range(left, right + 1):
                    k = i * self.width + j
                    if each.height * each.breadth < area[k]:
                        area[k] = each.height * each.breadth
                        color[k], size[k] = each.color, each.size
                        ring[k] = min(i - top, bottom - i, j - left, right - j)
        box = f"{words} with the smallest box around it"
        self.add(f"it is within the box of a {words}", IS_FACT, 11, [int(c != NONE) for c in color])
        self.add(f"the colour of the {box}", PAINT if cut == 2 else SHADE, 10, color)
        self.add(f"its distance from the box of the {box}", 0, 9, ring)
        self.add(f"the size of the {box}", 0, 8, size)
