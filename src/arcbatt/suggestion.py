"""Suggest the known name that a misspelled one is closest to."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

# Longer names are not compared: that takes too long, and they are not typing errors.
MAX_LENGTH = 64


def suggest(name: object, known: Iterable[str]) -> str:
    """Return "; did you mean X?" for the known name closest to `name`, or "" if none is close."""
    if not isinstance(name, str) or len(name) > MAX_LENGTH:
        return ""
    close = get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]}?" if close else ""
