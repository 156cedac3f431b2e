"""Find programs in text that is not a program file: prose, Markdown, JSON.

A program begins at a `def` and ends at the first line that is indented no deeper. It may stand in
a fence, be indented or quoted as a whole, stand on one line in backticks, or be a string of JSON
with escaped line ends or a list of strings, one per line, as in the cells of a notebook. Everything
else is ignored without a message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from .parse import BYTE_ORDER_MARK, Chunk, Openings, ParsedProgram, RejectedProgram, read_chunks

# Files whose programs stand among other text.
SUFFIXES = frozenset({".md", ".markdown", ".txt", ".json", ".jsonl", ".ipynb", ".html", ".log"})
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
# A function on one line.
_ONE_LINE = re.compile(rf"[ \t]*{_DEF}{_PARAMETERS}\)[^:\n]{{0,200}}:[ \t]*return\b")
# The next string of a list of JSON, and the end of a line within such a list.
_NEXT_STRING = re.compile(r'[\s,]*"((?:[^"\\]|\\.)*)"')
_LINE_END = re.compile(r"[\s,]*$")


def read_programs(text: str, file: str = "") -> list[ParsedProgram | RejectedProgram]:
    """Return the programs of any text, such as the reply of a language model, in order.

    They may stand in prose, Markdown or JSON. A function that is not a program is among them as a
    `RejectedProgram`, with all its errors and their places; other text is passed over. The lines
    of a program in JSON are counted from the string in which it begins, so they are right
    in a list with one string per line.
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
    number, column = 0, 0
    block: tuple[int, ...] = ()  # changes at every fence
    while number < len(lines):
        line = lines[number]
        if column:  # after a list of strings
            number, column = yield from _in_strings(lines, _Place(number, column))
            continue
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
            number, column = yield from _in_strings(lines, _Place(number, 0))
            continue
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


class _Place(NamedTuple):
    """A place in lines, both counted from 0."""

    line: int
    column: int


class _String(NamedTuple):
    """A string of JSON: its content, and the places of its first character and behind its end."""

    text: str
    start: _Place
    end: _Place

    @property
    def is_line(self) -> bool:
        """Whether it is a single line, with or without a line end."""
        return "\n" not in self.text.removesuffix("\n")


def _in_strings(lines: list[str], place: _Place) -> Generator[Chunk, None, _Place]:
    """Yield the functions in the strings of a line, from a place on; return the place to read next.

    This is the beginning of the next line, or the end of a list of strings.
    """
    number = place.line
    line = lines[number]
    quotes = (found.start() for found in _QUOTE.finditer(line, place.column) if found.group(1))
    for start, end in pairwise(quotes):
        content = line[start + 1 : end]
        text = _decode(content) if _ANY_DEF.search(content) else None
        if text is None:
            continue
        string = _String(text, _Place(number, start + 1), _Place(number, end + 1))
        is_in_list = line[max(0, start - 200) : start].rstrip()[-1:] in ("", "[", ",")
        if is_in_list and string.is_line and _HEAD.match(text):
            strings = [string, *_rest_of_list(lines, string.end)]
            if len(strings) > 1:
                yield from _in_list(strings)
                return strings[-1].end
        if _ONE_LINE.match(text) or any(mark in text for mark in '\n\\"'):
            # All functions in a string are at its place.
            block = string.start
            for chunk in _find(text.split("\n")):
                yield Chunk(number + 1, chunk.text, "", start + 1, (*block, *chunk.block))
    return _Place(number + 1, 0)


def _decode(content: str) -> str | None:
    try:
        return str(json.loads(f'"{content}"', strict=False))
    except ValueError:
        return None


def _rest_of_list(lines: list[str], place: _Place) -> Iterator[_String]:
    """Yield the strings of a list from a place on, up to one that is not a single line."""
    number, column = place
    while number < len(lines):
        found = _NEXT_STRING.match(lines[number], column)
        if found is None:
            if not _LINE_END.match(lines[number], column):
                return
            number, column = number + 1, 0
            continue
        text = _decode(found.group(1))
        column = found.end()
        string = _String(text or "", _Place(number, found.start(1)), _Place(number, column))
        if text is None or not string.is_line:
            return
        yield string


def _in_list(strings: list[_String]) -> Iterator[Chunk]:
    """Yield the functions in a list of strings, each of them a line."""
    block = strings[0].start
    for chunk in _find([string.text.rstrip("\r\n") for string in strings]):
        line, column = strings[chunk.line - 1].start
        yield Chunk(
            line + 1, chunk.text, column=column + chunk.column, block=(*block, *chunk.block)
        )
