"""The primitives of the language by family, with their documentation and examples."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arcbatt.language import all_primitives
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.values import format_value

from .responses import show_page


def show_primitives(request: Request) -> Response:
    """Show all primitives; the page filters them by words."""
    families: dict[str, list[dict[str, object]]] = {}
    for primitive in all_primitives().values():
        families.setdefault(primitive.family, []).append(primitive.to_json())
    constants = {name: format_value(value) for name, value in CONSTANTS.items()}
    return show_page(request, "primitives.html", families=families, constants=constants)


ROUTES = [Route("/primitives", show_primitives)]
