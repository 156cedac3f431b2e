"""Durations (`90s`, `1.5h`) and memory sizes (`512MiB`) on the command line."""

import re

import typer

_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
_BYTES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def parse_duration(text: str, option: str = "--budget") -> float:
    """Return the seconds of a positive duration; reject anything else as a usage error."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smh]?)\s*", text)
    if not match:
        raise typer.BadParameter(
            f"{text!r} is not a duration; write 90s, 10m or 1.5h", param_hint=option
        )
    if float(match[1]) == 0:
        raise typer.BadParameter(f"{text!r} is zero; write 1s or more", param_hint=option)
    return float(match[1]) * _SECONDS[match[2]]


def format_duration(seconds: float) -> str:
    """Format seconds in at most two units."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def parse_bytes(text: str) -> int:
    """Return the bytes in the value of --memory; reject anything else as a usage error."""
    # Imported here because `kaggle` must load little before it writes its first submission.
    from arcbatt.proposers.registry import LEAST_MAX_BYTES
    from arcbatt.solving.options import MOST_MEMORY

    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", text.lower())
    if not match:
        raise typer.BadParameter(
            f"{text!r} is not an amount of memory; write 512MiB or 1GiB", param_hint="--memory"
        )
    n_bytes = int(float(match[1]) * _BYTES[match[2]])
    if n_bytes < LEAST_MAX_BYTES:
        least = format_bytes(LEAST_MAX_BYTES)
        raise typer.BadParameter(
            f"{text!r} is too little; the minimum is {least}", param_hint="--memory"
        )
    if n_bytes > MOST_MEMORY:
        most = format_bytes(MOST_MEMORY)
        raise typer.BadParameter(
            f"{text!r} is too much; the maximum is {most}", param_hint="--memory"
        )
    return n_bytes


def format_bytes(n_bytes: int) -> str:
    """Format bytes in the largest unit that divides them."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        size = _BYTES[unit[0].lower()]
        if n_bytes and n_bytes % size == 0:
            return f"{n_bytes // size}{unit}"
    return f"{n_bytes}B"
