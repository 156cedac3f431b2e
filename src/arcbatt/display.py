"""Notebook display: a base class for tasks, programs and other values that are drawn.

`drawing` depends on tasks and programs, not the other way round, so it is imported by name when a
value is first shown.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from importlib import import_module
from typing import Any

SVG, HTML, PLAIN = "image/svg+xml", "text/html", "text/plain"


def in_notebook() -> bool:
    """Return whether this process is a notebook kernel."""
    return notebook_shell() is not None


def notebook_shell() -> Any:
    """Return the IPython shell of a notebook kernel, or None outside a notebook."""
    ipython = sys.modules.get("IPython")
    # IPython may be partially imported if it is importing arcbatt.
    find = getattr(ipython, "get_ipython", None)
    shell = None if find is None else find()
    return shell if getattr(shell, "kernel", None) is not None else None


def notebook_display() -> Any:
    """Return the module `IPython.display`."""
    return import_module("IPython.display")


class Displayed:
    """A value that a notebook shows as an SVG drawing or as HTML."""

    __slots__ = ()

    def _repr_svg_(self) -> str | None:
        """Return the drawing, or None if there is HTML, so that a notebook stores only one."""
        drawn: str | None = import_module("arcbatt.drawing.notebook").draw_svg(self)
        return drawn

    def _repr_html_(self) -> str | None:
        """Return HTML with all text escaped, or None if there is a drawing."""
        made: str | None = import_module("arcbatt.drawing.notebook").make_html(self)
        return made

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """Return the representations for a notebook by media type."""
        bundle: dict[str, str] = {}
        for media, make in (
            (PLAIN, self.__repr__),
            (SVG, self._repr_svg_),
            (HTML, self._repr_html_),
        ):
            if (include is None or media in include) and media not in (exclude or ()):
                content = make()
                if content is not None:
                    bundle[media] = content
        return bundle


def load_ipython_extension(ipython: Any) -> None:
    """Draw plain tuples and sets that are grids or patches in a notebook.

    Importing arcbatt in a notebook loads this; `%unload_ext arcbatt` shows them as text again.
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
