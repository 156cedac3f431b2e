"""A template of HTML that lies beside a module and its values in, a page out.

All that a template is given is escaped, unless it was made here to be HTML: drawings, and the
style and script that lie beside the template.
"""

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup


def render_page(package: str, template: str, **values: Any) -> str:
    """Return the page that a template of a package makes of values."""
    return _environment(package).get_template(template).render(**values)


def trusted(html: str) -> Markup:
    """Mark HTML that was made here, of escaped texts, as such."""
    return Markup(html)


@cache
def _environment(package: str) -> Environment:
    def read(name: str) -> str:
        return (files(package) / name).read_text(encoding="utf-8")

    environment = Environment(
        loader=FunctionLoader(read),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.globals["resource"] = lambda name: trusted(read(name))
    return environment
