"""Find programs in text that is not a program file: prose, Markdown, JSON.

A program begins at a `def` and ends at the first line that is indented no deeper. It may stand in
a fence, be indented or quoted as a whole, stand on one line in backticks, or be a string of JSON
with escaped line ends. Everything else is ignored without a message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from .parse import BYTE_ORDER_MARK, Chunk, Openings, ParsedProgram, RejectedProgram, read_chunks

# Files whose programs stand among other text.
SUFFIXES = frozenset({".md", ".markdown", ".txt", ".json", ".jsonl", ".html", ".log"})
# Of a text; the rest is ignored.
MAX_CHARACTERS = 20_000_000
MAX_FOUND = 10_000

_DEF = r"def[ \t]+[A-Za-z_]\w{0,100}[ \t]*\("
# Parameters, with at most one level of brackets in their types and defaults.
_PARAMETERS = r"(?:[^()\n]|\([^()\n]{0,100}\)){0,400}"
# The head of a function, whole or continued on the next line.
_HEAD = re.compile(rf"([ \t>]*)({_DEF}{_PARAMETERS}(?:\)[^\n:]{{0,200}}:|$))")
_INLINE = re.compile(rf"`({_DEF}[^`\n]{{1,2000}})`")
_FENCE = re.compile(r"[ \t>]*(```|~~~)")
# A quotation mark, and an escaped character that is not one. They divide a line into strings of
# JSON and what is between them.
_QUOTE = re.compile(r'\\.|(")')
_ANY_DEF = re.compile(_DEF)


def read_programs(text: str, file: str = "") -> list[ParsedProgram | RejectedProgram]:
    """Return the programs of any text, such as the reply of a language model, in order.

    They may stand in prose, Markdown or JSON. A function that is not a program is among them as a
    `RejectedProgram`, with all its errors and their places; other text is passed over. The lines
    of a program in a string of JSON are counted from the line of the string.
    """
    if not isinstance(text, str):
        raise TypeError(f"expected text, not a {type(text).__name__}")
    text = text[:MAX_CHARACTERS].removeprefix(BYTE_ORDER_MARK)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    chunks = []
    for chunk in _find(text.split("\n")):
        chunks.append(chunk)
        if len(chunks) == MAX_FOUND:
            break
    return list(read_chunks(chunks, file))


def is_prose(path: Path) -> bool:
    """Return whether a file has programs among other text, by its name."""
    return path.suffix.lower() in SUFFIXES


def _find(lines: list[str]) -> Iterator[Chunk]:
    """Yield the functions of a text."""
    number = 0
    block: tuple[int, ...] = ()  # changes at every fence
    while number < len(lines):
        line = lines[number]
        head = _HEAD.match(line)
        if head is not None:
            n_lines, chunk = _function(lines, number, head.group(1))
            number += n_lines
            yield chunk._replace(block=block)
            continue
        if _FENCE.match(line):
            block = (number,)
        if "def" in line:
            for found in _INLINE.finditer(line):
                yield Chunk(number + 1, found.group(1), column=found.start(1))
            quotes = [found.start() for found in _QUOTE.finditer(line) if found.group(1)]
            for start, end in pairwise(quotes):
                yield from _in_string(line[start + 1 : end], number + 1, start + 1)
        number += 1


def _function(lines: list[str], start: int, margin: str) -> tuple[int, Chunk]:
    """Return the function that begins at a line, without its margin, and its number of lines."""
    taken = [lines[start][len(margin) :]]
    openings = Openings()
    openings.follow(taken[0])
    for place in range(start + 1, len(lines)):
        line = lines[place]
        inside = _without_margin(line, margin)
        # The rule in a docstring may have a fence of its own, which is indented.
        is_in_docstring = openings.in_text and inside is not None and inside[:1] in (" ", "\t")
        is_fence = _FENCE.match(line) is not None and not is_in_docstring
        if is_fence or (inside is not None and _HEAD.match(inside) and inside[0] == "d"):
            break
        if inside is None and line.strip() and not openings:
            break
        inside = line.strip() if inside is None else inside
        if inside.strip() and inside[0] not in " \t)]}#" and not openings:
            break
        taken.append(inside)
        openings.follow(inside)
    while len(taken) > 1 and not taken[-1].strip():
        taken.pop()
    return len(taken), Chunk(start + 1, "\n".join(taken), column=len(margin))


def _without_margin(line: str, margin: str) -> str | None:
    """Return a line without the margin of its function; None if it lacks that."""
    if line.startswith(margin):
        return line[len(margin) :]
    return "" if not line.strip(" \t>") else None


def _in_string(content: str, line: int, column: int) -> Iterator[Chunk]:
    """Yield the functions in a string of JSON; all of them are at its place."""
    if "\\" not in content or not _ANY_DEF.search(content):
        return
    try:
        text = json.loads(f'"{content}"', strict=False)
    except ValueError:
        return
    if "\n" not in text and "\\" not in text:  # neither lines nor a string within the string
        return
    for chunk in _find(text.split("\n")):
        yield Chunk(line, chunk.text, column=column, block=(line, column, *chunk.block))
