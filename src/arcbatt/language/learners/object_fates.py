"""What becomes of a grid's objects, by predicates that relate them to each other."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from ..registry import primitive, worded
from ..values import Demos, Grid, Value
from ..wording import COLOR_NAMES, name_rank, shorten
from .object_predicates import CUTS, FEATURES, Scale

# --- codes of rules ---


class Fate(IntEnum):
    """What becomes of an object. Those with an ink follow in its order, others in that of a code.

    An ink below 10 is a color, from 10 on a `Like`.
    """

    KEEP = 0
    VANISH = 1
    SWAP = 2  # exchange its two colors
    SYMMETRY = 3  # and a group of mirrors and turns
    TURN = 9  # and a turn from 1 to 7, in its box
    PAINT = 20  # and an ink
    FILL_HOLES = 40
    FILL_BOX = 60
    RING = 80  # around its box
    HALO = 100  # around its cells
    RIM = 120  # its cells beside or at the corner of others
    CORE = 140  # the others
    END = 160


class Like(IntEnum):
    """Whose color an ink is."""

    OWN = 0
    MINOR = 1  # its second color
    NEAREST = 2
    LARGEST = 3
    SMALLEST = 4
    AROUND = 5
    WITHIN = 6
    TOUCHED = 7
    TWIN = 8  # the others of its shape
    BESIDE = 9  # the nearest in its rows or columns


class FateKind(IntEnum):
    """What a rule makes: `parameters` follow its tests."""

    PAINT_BY_TEST = 0  # fate if all tests hold, fate otherwise
    PAINT_BY_TABLE = 1  # feature, then values and their fates
    CROP_ONE = 2  # a Crop of the selected object
    DRAW_COUNT = 3  # a Count, color (10: its own), size (32 * height + width), of those selected
    DRAW_LIST = 4  # a Listing, an Order, of those selected


class Crop(IntEnum):
    BOX = 0
    ALONE = 1
    INSIDE = 2
    ONE_CELL = 3
    TURNED = 4  # by 1 to 7, in order
    N_CROPS = 11


class Count(IntEnum):
    IN_ROW = 0
    IN_COLUMN = 1
    SQUARE = 2
    DIAGONAL = 3
    FILLED = 4  # as many cells of a constant size
    N_COUNTS = 5


class Listing(IntEnum):
    CELLS_ALONG = 0
    CELLS_DOWN = 1
    CROPS_ALONG = 2
    CROPS_ALONG_APART = 3
    CROPS_DOWN = 4
    CROPS_DOWN_APART = 5
    BARS_RIGHT = 6
    BARS_LEFT = 7
    BARS_DOWN = 8
    BARS_UP = 9
    CELL_TABLE = 10
    N_LISTINGS = 11


class Order(IntEnum):
    FROM_LEFT = 0
    FROM_TOP = 1
    LARGEST_FIRST = 2
    SMALLEST_FIRST = 3
    N_ORDERS = 4


_LIKE_BITS = (1.5, 2.0, 3.0, 2.5, 3.0, 2.0, 2.0, 2.0, 2.5, 3.0)
_INK_BITS = (*([2.0] * 10), *_LIKE_BITS)
FATE_BITS = (
    *(0.5, 0.5, 2.5),
    *([3.0] * 6),
    *([0.0] + [3.0] * 7 + [0.0] * 3),
    *(bits for bits in _INK_BITS),
    *(bits + 0.5 for bits in _INK_BITS),
    *(bits + 0.5 for bits in _INK_BITS),
    *(bits + 1.5 for bits in _INK_BITS),
    *(bits + 2.0 for bits in _INK_BITS),
    *(bits + 1.5 for bits in _INK_BITS),
    *(bits + 1.5 for bits in _INK_BITS),
)
assert len(FATE_BITS) == Fate.END


@primitive(
    "Demos -> Tuple[Integer]",
    is_learner=True,
    ties="rules of equal bits in the order of their numbers",
)
def learn_fates(S: Demos) -> Value:
    """Learn what becomes of the objects of the demos, as a set of rules for `apply_fates`."""


@primitive(
    "Tuple[Integer], Grid, Code[0..2] -> Grid",
    is_learner=True,
)
def apply_fates(rules: tuple[Value, ...], I: Grid, place: int) -> Value:  # noqa: E741
    """Return the grid that most rules give for a grid, or the second or third."""
