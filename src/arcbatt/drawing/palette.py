"""The colors of pictures as "#rrggbb" strings."""

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

# Numbers outside the ARC colors (such as -1, 10 or 41), drawn with their digits.
ODD = "#D8D2C4"
ODD_HATCH = "#B9B09B"
ODD_TEXT = "#3B3528"

# Lines and text, readable on light and dark pages.
GRID_LINE = "#555555"
VOID_LINE = "#9AA1AB"
TEXT = "#6E7781"
STRONG_TEXT = "#7A828C"
FAILURE = "#E5383B"

# A grid fades toward this color under patches drawn over it.
BACKDROP = "#3A3F47"
DIMMING = 0.74

# The outline of a patch is bright with a dark rim, visible on any cell.
RIM = "#14171C"
OUTLINES = ("#FFFFFF", "#FFB8E6", "#B9F6C5", "#FFE89A", "#B8D4FF", "#E0C3FF")
# Fills of index sets, all distinct from ARC colors.
SHADES = ("#8A5CF6", "#12B5A6", "#E07A3F", "#D6498F", "#6B8E23", "#3F6FE0")


def color_of(number: int) -> str:
    """Return the fill of a cell with this number; ODD outside 0 to 9."""
    return COLORS[number] if is_color(number) else ODD


def is_color(number: int) -> bool:
    """Return whether the number is one of the ten ARC colors."""
    return 0 <= number < len(COLORS)


def mix(color: str, other: str, part: float) -> str:
    """Return a mixture of two colors with a fraction `part` of `other`."""
    channels = (
        round(int(color[k : k + 2], 16) * (1 - part) + int(other[k : k + 2], 16) * part)
        for k in (1, 3, 5)
    )
    return "#" + "".join(f"{channel:02X}" for channel in channels)


def dimmed(color: str) -> str:
    """Return the color of a grid cell that is not covered by the patches above it."""
    return mix(color, BACKDROP, DIMMING)


def text_on(color: str) -> str:
    """Return black or white, whichever has more contrast on `color`."""
    red, green, blue = (_linear(int(color[k : k + 2], 16) / 255) for k in (1, 3, 5))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    # By the contrast of WCAG 2.
    return "#000000" if (luminance + 0.05) ** 2 > 0.05 * 1.05 else "#FFFFFF"


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.03928 else float(((channel + 0.055) / 1.055) ** 2.4)
