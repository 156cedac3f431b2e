"""The version of the engine: a digest of its sources."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path

from . import _engine


@cache
def engine_version() -> str:
    """Return the version of the engine that this process runs, as 32 hexadecimal digits.

    It is a digest of the native sources that the extension was built from, and of the Python
    sources, so a changed comment makes another version. `language_version` changes with the meaning
    of programs instead.
    """
    folder = Path(__file__).parent
    digest = blake2b(_engine.source_digest.encode(), digest_size=16)
    for path in sorted(folder.rglob("*.py")):
        source = path.read_bytes().replace(b"\r\n", b"\n")
        name = path.relative_to(folder).as_posix()
        digest.update(f"{name}\0{len(source)}\0".encode() + source)
    return digest.hexdigest()
