"""The Sphinx configuration of `make site`, for the Markdown pages in this folder."""

from pathlib import Path
from typing import Any

project = "arcbatt"
copyright = "the arcbatt contributors"
extensions = ["myst_parser"]
# Headings can be linked by the anchors that repository hosts give them.
myst_heading_anchors = 4
html_theme = "furo"
html_title = "arcbatt"
html_show_sphinx = False
# Program text is not always valid for a highlighter of Python.
suppress_warnings = ["misc.highlighting_failure"]

# The contents in reading order; pages that are not listed come last.
CONTENTS = {
    "Begin here": (
        "tutorial",
        "notebooks",
        "web",
        "web-editors",
        "kaggle",
        "solving",
        "models",
        "cluster",
    ),
    "Look it up": ("commands", "api", "language", "primitives", "library"),
    "How it works": ("architecture", "engine", "pool", "evolve", "differs"),
}


def add_contents(_app: Any, page: str, source: list[str]) -> None:
    """Add the contents to index pages, which stay plain Markdown themselves."""
    if page == "index":
        here = {path.stem for path in Path(__file__).parent.glob("*.md")} - {"index"}
        named = {name for names in CONTENTS.values() for name in names}
        for caption, names in {**CONTENTS, "More": tuple(sorted(here - named))}.items():
            source[0] += _contents(caption, names)
    elif page in ("commands", "library"):
        names = sorted(path.stem for path in (Path(__file__).parent / page).glob("*.md"))
        source[0] += _contents("", tuple(f"{page}/{name}" for name in names))


def _contents(caption: str, names: tuple[str, ...]) -> str:
    options = ":hidden:\n" + (f":caption: {caption}\n" if caption else "")
    return f"\n```{{toctree}}\n{options}\n" + "\n".join(names) + "\n```\n" if names else ""


def setup(app: Any) -> None:
    """Connect the contents to Sphinx."""
    app.connect("source-read", add_contents)
