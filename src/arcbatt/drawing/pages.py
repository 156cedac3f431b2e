"""Render HTML pages from Jinja templates that are stored beside their modules.

Values are escaped unless marked as trusted HTML: drawings, styles and scripts. A template may
include templates of other packages, such as "arcbatt.drawing/shared/base.html", the frame of all
pages. A page embeds its styles and scripts, or links to them if a server provides them.
"""

from contextlib import suppress
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

from jinja2 import BytecodeCache, Environment, FunctionLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup, escape

from arcbatt.drawing.palette import COLORS, text_on
from arcbatt.files import cache_folder, write_whole
from arcbatt.language.primitives.cell_columns import COLOR_NAMES


def render_page(package: str, template: str, *, linked: bool = False, **values: Any) -> str:
    """Render a template of a package.

    A `linked` page refers to its styles and scripts as "/static/NAME".
    """
    return _environment(package, linked).get_template(template).render(**values)


def trusted(html: str) -> Markup:
    """Mark HTML as safe; all text in it must be escaped."""
    return Markup(html)


class _CompiledTemplates(BytecodeCache):
    """Templates compiled by earlier processes, in the cache folder if that can be written.

    To compile the templates of a report takes longer than to make the report.
    """

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            bucket.load_bytecode(BytesIO(self._path(bucket).read_bytes()))

    def dump_bytecode(self, bucket: Bucket) -> None:
        path = self._path(bucket)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, bucket.bytecode_to_string())

    def _path(self, bucket: Bucket) -> Path:
        return cache_folder() / "templates" / bucket.key


@cache
def _environment(package: str, linked: bool) -> Environment:
    def place_of(name: str) -> tuple[str, str]:
        place, _, file = name.partition("/")
        return (place, file) if place.startswith("arcbatt.") else (package, name)

    def read(name: str) -> str:
        place, file = place_of(name)
        return (files(place) / file).read_text(encoding="utf-8")

    def load(name: str) -> tuple[str, str, None]:
        # Templates of the same name in two packages are compiled into two files.
        return read(name), "/".join(place_of(name)), None

    def style(name: str) -> Markup:
        if linked:
            return _element('<link rel="stylesheet" href="/static/{}">', name)
        return trusted(f"<style>\n{read(name)}</style>")

    def script(name: str, is_module: bool = True) -> Markup:
        kind = ' type="module"' if is_module else ""
        if linked:
            return _element(f'<script{kind} src="/static/{{}}"></script>', name)
        return trusted(f"<script{kind}>\n{read(name)}</script>")

    environment = Environment(
        loader=FunctionLoader(load),
        bytecode_cache=_CompiledTemplates(),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.globals |= {"style": style, "script": script, "colors": _colors()}
    return environment


def _colors() -> str:
    """Return the name, fill and text color of each color, for scripts."""
    return ";".join(
        f"{name} {fill} {text_on(fill)}" for name, fill in zip(COLOR_NAMES, COLORS, strict=True)
    )


def _element(markup: str, name: str) -> Markup:
    return trusted(markup.format(escape(name.rpartition("/")[2])))
