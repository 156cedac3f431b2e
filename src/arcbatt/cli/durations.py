"""Times as people write them: 90, 30s, 10m, 1.5h."""

import re

import typer

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


def parse_duration(text: str) -> float:
    """Return seconds; anything that is not a duration is an error of usage."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smh]?)\s*", text)
    if not found or float(found[1]) <= 0:
        raise typer.BadParameter(f"{text!r} is not a duration; write 90s, 10m or 1.5h")
    return float(found[1]) * _UNITS[found[2]]


def format_duration(seconds: float) -> str:
    """Return a time in two units at most."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"
