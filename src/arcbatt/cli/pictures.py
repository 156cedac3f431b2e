"""Pictures of the command line for the documentation."""

import io
import re

from rich.console import Console, RenderableType
from rich.terminal_theme import TerminalTheme

from arcbatt.drawing import draw_task

from .finding import get_task

WIDTH = 100
# Dark, with the grey of the commands' quiet text at a contrast that can be read.
THEME = TerminalTheme(
    (22, 26, 32),
    (222, 227, 234),
    [
        (40, 44, 52),
        (224, 108, 117),
        (125, 196, 120),
        (229, 192, 123),
        (97, 175, 239),
        (198, 120, 221),
        (86, 182, 194),
        (171, 178, 191),
    ],
)


def record_show(task_id: str) -> str:
    """Return what `arcbatt show TASK` prints in a terminal, as an SVG picture."""
    return record(f"arcbatt show {task_id}", draw_task(get_task(task_id)))


def record(title: str, *blocks: RenderableType, width: int = WIDTH) -> str:
    """Return what is printed in a terminal, as an SVG picture under a title."""
    console = Console(
        record=True,
        file=io.StringIO(),
        width=width,
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
        # The picture must not depend on who makes it.
        _environ={},
    )
    console.print(*blocks, sep="\n")
    name = re.sub(r"\W+", "-", title.removeprefix("arcbatt "))
    svg = console.export_svg(title=title, theme=THEME, unique_id=name)
    # Rich asks for a font from the web and signs in a comment; a monospaced font of the reader's
    # does as well, and the picture then refers to nothing outside it.
    return re.sub(r"\s*(@font-face \{.*?\}|<!-- .*? -->)", "", svg, flags=re.DOTALL)
