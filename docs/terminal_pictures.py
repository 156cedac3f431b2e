"""SVG pictures of terminal output for the documentation."""

import io
import re

from rich.console import Console, RenderableType
from rich.terminal_theme import TerminalTheme

from arcbatt.drawing import draw_task
from arcbatt.tasks import find_task

WIDTH = 100
# Dark, with enough contrast for the dim text of commands.
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
    """Return the terminal output of `arcbatt show TASK` as an SVG picture."""
    return record(f"arcbatt show {task_id}", draw_task(find_task(task_id)))


def record(title: str, *blocks: RenderableType, width: int = WIDTH) -> str:
    """Return an SVG picture of printed blocks in a terminal window with a title."""
    console = Console(
        record=True,
        file=io.StringIO(),
        width=width,
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
        # The picture must not depend on the environment.
        _environ={},
    )
    console.print(*blocks, sep="\n")
    name = re.sub(r"\W+", "-", title.removeprefix("arcbatt "))
    svg = console.export_svg(title=title, theme=THEME, unique_id=name)
    # Rich loads a font from the web and adds a comment. Any local monospaced font will do, and
    # without both the picture refers to nothing outside itself.
    return re.sub(r"\s*(@font-face \{.*?\}|<!-- .*? -->)", "", svg, flags=re.DOTALL)
