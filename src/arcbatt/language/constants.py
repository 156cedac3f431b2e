"""The named constants of arc-dsl.

Several names may stand for one value: `THREE`, `GREEN`, `F3` and `R3` are all the number
3. A program keeps the value; printing uses the first name below that fits.
"""

from __future__ import annotations

from .values import Value, format_value

_NUMBERS = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN")

COLOR_NAMES: dict[str, int] = {
    "BLACK": 0,
    "BLUE": 1,
    "RED": 2,
    "GREEN": 3,
    "YELLOW": 4,
    "GRAY": 5,
    "GREY": 5,
    "MAGENTA": 6,
    "FUCHSIA": 6,
    "PINK": 6,
    "ORANGE": 7,
    "CYAN": 8,
    "TEAL": 8,
    "AZURE": 8,
    "BROWN": 9,
    "BURGUNDY": 9,
    "MAROON": 9,
}

CONSTANTS: dict[str, Value] = {
    "F": False,
    "T": True,
    **{name: number for number, name in enumerate(_NUMBERS)},
    "NEG_ONE": -1,
    "NEG_TWO": -2,
    "DOWN": (1, 0),
    "RIGHT": (0, 1),
    "UP": (-1, 0),
    "LEFT": (0, -1),
    "ORIGIN": (0, 0),
    "UNITY": (1, 1),
    "NEG_UNITY": (-1, -1),
    "UP_RIGHT": (-1, 1),
    "DOWN_LEFT": (1, -1),
    "ZERO_BY_TWO": (0, 2),
    "TWO_BY_ZERO": (2, 0),
    "TWO_BY_TWO": (2, 2),
    "THREE_BY_THREE": (3, 3),
    "EMPTY": frozenset(),
    # Ranks from the first and from the last; codes of objects, corners and sides, mirrors.
    **{f"F{n}": n for n in range(10)},
    **{f"L{n}": -n for n in range(1, 11)},
    **{f"R{n}": n for n in range(10)},
    **{f"A{n}": n for n in range(8)},
    **COLOR_NAMES,
}

# The literal text of each named value, with the name that prints it.
NAME_OF_TEXT: dict[str, str] = {}
for _name, _value in CONSTANTS.items():
    NAME_OF_TEXT.setdefault(format_value(_value), _name)
