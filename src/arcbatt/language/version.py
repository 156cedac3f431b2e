"""The version of the language: whatever may change a program's value, failure, cost or type."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path

from .own import own_digest
from .registry import of_registry

# What gives programs their names and texts, and makes up random ones, is no part of their meaning.
_NO_MEANING = frozenset(
    f"{name}.py"
    for name in ("__init__", "parse", "parse_plain", "random_programs", "text", "version")
)


@of_registry
@cache
def language_version() -> str:
    """Return 32 hexadecimal digits that stand for the meaning of every program.

    They are a digest of the sources that define it: the primitives, their declarations and what
    these build on, own primitives included. So a changed definition is another version, and what
    was remembered under the old one is not taken for its result. A changed comment in the package
    is another version too.
    """
    folder = Path(__file__).parent
    digest = blake2b(digest_size=16)
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        if name not in _NO_MEANING:
            source = path.read_bytes().replace(b"\r\n", b"\n")
            digest.update(f"{name}\0{len(source)}\0".encode() + source)
    digest.update(own_digest())
    return digest.hexdigest()
