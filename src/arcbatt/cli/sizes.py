"""Amounts of memory as people write them: 512MiB, 1GiB."""

import re

import typer

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
# Less than this is taken before a search has begun.
_LEAST = 2**24
_MOST = 2**50


def parse_bytes(text: str) -> int:
    """Return bytes; anything that is not an amount of memory is an error of usage."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", text.lower())
    if not found:
        raise typer.BadParameter(f"{text!r} is not an amount of memory; write 512MiB or 1GiB")
    n_bytes = int(float(found[1]) * _UNITS[found[2]])
    if n_bytes < _LEAST:
        raise typer.BadParameter(f"{text!r} is too little; the least is {format_bytes(_LEAST)}")
    if n_bytes > _MOST:
        raise typer.BadParameter(f"{text!r} is too much; the most is {format_bytes(_MOST)}")
    return n_bytes


def format_bytes(n_bytes: int) -> str:
    """Return an amount in the largest unit that it is whole in."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        size = _UNITS[unit[0].lower()]
        if n_bytes and n_bytes % size == 0:
            return f"{n_bytes // size}{unit}"
    return f"{n_bytes}B"
