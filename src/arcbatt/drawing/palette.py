"""The colours of pictures: an ARC colour number in, a "#rrggbb" string out."""

COLORS = (
    "#000000",
    "#0074D9",
    "#FF4136",
    "#2ECC40",
    "#FFDC00",
    "#AAAAAA",
    "#F012BE",
    "#FF851B",
    "#7FDBFF",
    "#870C25",
)

# Numbers that are no ARC colour (markers such as -1, 10 or 41), drawn with their digits.
ODD = "#D8D2C4"
ODD_HATCH = "#B9B09B"
ODD_TEXT = "#3B3528"

# Grid lines, and text that can be read on a light and on a dark page.
GRID_LINE = "#555555"
VOID_LINE = "#9AA1AB"
TEXT = "#6E7781"
STRONG_TEXT = "#7A828C"
FAILURE = "#E5383B"

# What a grid fades towards under the patches that are drawn over it.
BACKDROP = "#3A3F47"
DIMMING = 0.74

# The outline of a patch is bright with a dark rim, so that it stands out on any cell.
RIM = "#14171C"
OUTLINES = ("#FFFFFF", "#FFB8E6", "#B9F6C5", "#FFE89A", "#B8D4FF", "#E0C3FF")
# Fills of index sets; none is near an ARC colour.
SHADES = ("#8A5CF6", "#12B5A6", "#E07A3F", "#D6498F", "#6B8E23", "#3F6FE0")


def color_of(number: int) -> str:
    """Return the fill of a cell with this number; any number outside 0 to 9 has the odd one."""
    return COLORS[number] if is_color(number) else ODD


def is_color(number: int) -> bool:
    """Return whether the number is one of the ten ARC colours."""
    return 0 <= number < len(COLORS)


def mix(color: str, other: str, part: float) -> str:
    """Return `colour` with `part` (0 to 1) of `other` in it."""
    channels = (
        round(int(color[k : k + 2], 16) * (1 - part) + int(other[k : k + 2], 16) * part)
        for k in (1, 3, 5)
    )
    return "#" + "".join(f"{channel:02X}" for channel in channels)


def dimmed(color: str) -> str:
    """Return the colour of a cell that lies under a patch of interest, but is not part of it."""
    return mix(color, BACKDROP, DIMMING)


def text_on(color: str) -> str:
    """Return black or white, whichever can be read better on `colour`."""
    red, green, blue = (_linear(int(color[k : k + 2], 16) / 255) for k in (1, 3, 5))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    # Contrast as WCAG 2 has it: that with black is the greater one.
    return "#000000" if (luminance + 0.05) ** 2 > 0.05 * 1.05 else "#FFFFFF"


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.03928 else float(((channel + 0.055) / 1.055) ** 2.4)
