"""Atomic file writes, and the cache folder."""

import os
import secrets
import stat
from pathlib import Path


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file atomically: after a failure or a crash, the old content is still there.

    The content goes to a temporary file in the same folder, which is synced and renamed, so that
    concurrent writers do not mix. Links are followed; devices and pipes are written to directly. An
    `OSError` names `path`.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    place = Path(os.path.realpath(path))
    try:
        if place.exists() and not place.is_file():
            place.write_bytes(data)
        else:
            _replace(place, data)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def _replace(place: Path, data: bytes) -> None:
    new = place.parent / f".{secrets.token_hex(8)}.new"
    try:
        with new.open("xb") as file:
            if place.exists():
                new.chmod(stat.S_IMODE(place.stat().st_mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(place)
    except BaseException:  # also after an interrupt, leave no temporary file
        new.unlink(missing_ok=True)
        raise


def cache_folder() -> Path:
    """Return the folder for caches: ARCBATT_CACHE, or the user's cache folder."""
    folder = os.environ.get("ARCBATT_CACHE")
    if folder:
        return Path(folder)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "arcbatt"
