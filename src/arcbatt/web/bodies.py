"""Parse and check the JSON bodies of requests."""

from __future__ import annotations

import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request


async def read_object(request: Request) -> dict[str, Any]:
    """Return the JSON object in a request body."""
    try:
        content = json.loads(await request.body())
        # Lone surrogates, which JSON can escape, cannot be encoded in an answer.
        json.dumps(content, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as problem:
        raise HTTPException(400, f"the request body is not JSON: {problem}") from None
    if not isinstance(content, dict):
        raise HTTPException(400, "the request body is not a JSON object")
    return content


def read_text(content: dict[str, Any], name: str, limit: int) -> str:
    """Return a text from a request body, of at most `limit` characters."""
    text = content.get(name)
    if not isinstance(text, str):
        raise HTTPException(422, f'"{name}" is not a text')
    if len(text) > limit:
        raise HTTPException(
            422, f'"{name}" has {len(text):,} characters, expected {limit:,} at most'
        )
    return text


def read_flag(content: dict[str, Any], name: str, default: bool) -> bool:
    """Return true or false from a request body."""
    flag = content.get(name, default)
    if isinstance(flag, bool):
        return flag
    raise HTTPException(422, f'"{name}" is not true or false')


def read_number(content: dict[str, Any], name: str, least: float, most: float) -> float:
    """Return a number from a request body, within bounds."""
    number = content.get(name)
    if isinstance(number, int | float) and not isinstance(number, bool):
        if least <= number <= most:
            return float(number)
    raise HTTPException(422, f'"{name}" is not a number from {least:g} to {most:g}')
