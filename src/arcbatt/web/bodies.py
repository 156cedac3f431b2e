"""The body of a request in, what it says out; what it should not say is answered with why."""

from __future__ import annotations

import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request


async def read_object(request: Request) -> dict[str, Any]:
    """Return the JSON object that was sent."""
    try:
        content = json.loads(await request.body())
        # Halves of characters, which JSON can escape, could not be sent back.
        json.dumps(content, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as problem:
        raise HTTPException(400, f"what was sent is not JSON: {problem}") from None
    if not isinstance(content, dict):
        raise HTTPException(400, "what was sent is not a JSON object")
    return content


def read_text(content: dict[str, Any], name: str, most: int) -> str:
    """Return a text of an object that was sent, of so many characters at most."""
    text = content.get(name)
    if not isinstance(text, str):
        raise HTTPException(422, f'"{name}" is not a text')
    if len(text) > most:
        raise HTTPException(
            422, f'"{name}" has {len(text):,} characters, expected {most:,} at most'
        )
    return text


def read_number(content: dict[str, Any], name: str, least: float, most: float) -> float:
    """Return a number of an object that was sent, within bounds."""
    number = content.get(name)
    if isinstance(number, int | float) and not isinstance(number, bool):
        if least <= number <= most:
            return float(number)
    raise HTTPException(422, f'"{name}" is not a number from {least:g} to {most:g}')
