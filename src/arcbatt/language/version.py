"""The version of the language, which changes with the meaning of programs."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path

from .registry import of_registry
from .user_defined import user_primitives_digest

# Modules about the text of programs do not affect their meaning.
_NO_MEANING = frozenset(
    f"{name}.py" for name in ("__init__", "parse", "parse_plain", "text", "version")
)


@of_registry
@cache
def language_version() -> str:
    """Return 32 hexadecimal digits that stand for the meaning of every program.

    They are a digest of the sources that define it, those of the native learners and user-defined
    primitives included. So a changed definition is another version, and results cached under the
    old one are not used. A changed comment in the package is another version, too.
    """
    folder = Path(__file__).parent
    digest = blake2b(digest_size=16)
    learners = folder.parent / "engine" / "native" / "learners"
    for path in (*sorted(folder.rglob("*.py")), *sorted(learners.glob("*.*"))):
        name = path.relative_to(folder.parent).as_posix().removeprefix("language/")
        if name not in _NO_MEANING:
            source = path.read_bytes().replace(b"\r\n", b"\n")
            digest.update(f"{name}\0{len(source)}\0".encode() + source)
    digest.update(user_primitives_digest())
    return digest.hexdigest()
