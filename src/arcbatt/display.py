"""What shows itself in a notebook: a base class for tasks, programs and all that is drawn.

Drawing lies above what is drawn (`drawing` knows tasks, tasks know no drawing), so it is named
here, not imported, and loaded when something is first shown.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from importlib import import_module
from typing import Any

SVG, HTML, PLAIN = "image/svg+xml", "text/html", "text/plain"


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    return notebook_shell() is not None


def notebook_shell() -> Any:
    """Return the shell of the notebook that this process is the kernel of, None elsewhere."""
    ipython = sys.modules.get("IPython")
    # It may be half imported, by what imports arcbatt.
    find = getattr(ipython, "get_ipython", None)
    shell = None if find is None else find()
    return shell if getattr(shell, "kernel", None) is not None else None


def notebook_display() -> Any:
    """Return the module of IPython that shows things in a cell."""
    return import_module("IPython.display")


class Displayed:
    """Shows itself in a notebook: as a drawing, or as HTML where it is more than that."""

    __slots__ = ()

    def _repr_svg_(self) -> str | None:
        """Return the drawing; None where there is HTML, so that a notebook keeps only one."""
        drawn: str | None = import_module("arcbatt.drawing.notebook").draw_svg(self)
        return drawn

    def _repr_html_(self) -> str | None:
        """Return the HTML, all text in it escaped; None where there is a drawing."""
        made: str | None = import_module("arcbatt.drawing.notebook").make_html(self)
        return made

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """Return all forms that a notebook may choose from, by their media types."""
        found: dict[str, str] = {}
        for media, make in (
            (PLAIN, self.__repr__),
            (SVG, self._repr_svg_),
            (HTML, self._repr_html_),
        ):
            if (include is None or media in include) and media not in (exclude or ()):
                content = make()
                if content is not None:
                    found[media] = content
        return found


def load_ipython_extension(ipython: Any) -> None:
    """Have plain tuples and sets that are grids or patches drawn in a notebook.

    Importing arcbatt in a notebook does it; `%unload_ext arcbatt` shows them as text again.
    """
    formatter = ipython.display_formatter.formatters[SVG]
    for kind in (tuple, frozenset):
        formatter.for_type(kind, _draw_plain)


def unload_ipython_extension(ipython: Any) -> None:
    """Show plain tuples and sets as text again."""
    formatter = ipython.display_formatter.formatters[SVG]
    for kind in (tuple, frozenset):
        formatter.pop(kind, None)


def _draw_plain(value: object) -> str | None:
    drawn: str | None = import_module("arcbatt.drawing.notebook").draw_plain(value)
    return drawn
