"""Split program text into words with their kinds, for syntax highlighting."""

import re
from collections.abc import Iterator, Set
from typing import Literal

from arcbatt.language import find_primitive
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.ir import INPUTS

WordKind = Literal["primitive", "constant", "input", "name", "comment", "other"]

_WORD = re.compile(r"#.*|[^\W\d]\w*|\d+|\s+|.", re.DOTALL)


def words(text: str, names: Set[str]) -> Iterator[tuple[WordKind, str]]:
    """Yield the words of program text with their kinds; joined, they are the text."""
    for match in _WORD.finditer(text):
        word = match.group()
        yield _kind(word, names), word


def _kind(word: str, names: Set[str]) -> WordKind:
    if word.startswith("#"):
        return "comment"
    if word in names:
        return "name"
    if word in INPUTS:
        return "input"
    if word in CONSTANTS or word.isdecimal():
        return "constant"
    return "primitive" if find_primitive(word) is not None else "other"
