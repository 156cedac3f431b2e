"""Checks that options of several proposers share."""

from __future__ import annotations

from numbers import Integral


def whole_number(
    name: str, given: object, least: int | None = None, most: int | None = None
) -> int:
    """Return a whole number, of Python or NumPy, within bounds; raise ValueError otherwise."""
    if isinstance(given, Integral) and not isinstance(given, bool):
        number = int(given)
        if (least is None or least <= number) and (most is None or number <= most):
            return number
    bounds = "" if least is None else f" of at least {least:,}"
    if most is not None:
        bounds = f" from {least:,} to {most:,}"
    raise ValueError(f"{name} is {given!r:.40}, expected a whole number{bounds}")
