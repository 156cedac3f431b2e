"""The version of the engine: whatever may change what it gives for a program."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path

from . import _engine


@cache
def engine_version() -> str:
    """Return 32 hexadecimal digits that stand for the engine that this process runs.

    They are a digest of the native sources, as the extension was built from them, and of the Python
    sources beside them. So a changed engine is another version, and so is a changed comment; what
    it means is `language_version`.
    """
    folder = Path(__file__).parent
    digest = blake2b(_engine.source_digest.encode(), digest_size=16)
    for path in sorted(folder.rglob("*.py")):
        source = path.read_bytes().replace(b"\r\n", b"\n")
        name = path.relative_to(folder).as_posix()
        digest.update(f"{name}\0{len(source)}\0".encode() + source)
    return digest.hexdigest()
