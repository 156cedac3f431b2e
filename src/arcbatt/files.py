"""Writing files: a path and its content in, the whole file there or what was there before."""

import os
import secrets
import stat
from pathlib import Path


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file that is there whole or, after a failure or a sudden end, as it was before.

    It is written beside itself, synced and renamed, so that two writers do not mix. Links are
    followed, and a device or a pipe is written to rather than replaced. An `OSError` names `path`.
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
    except BaseException:  # an interrupt, too, leaves no half-written file
        new.unlink(missing_ok=True)
        raise


def cache_folder() -> Path:
    """Return where what can be made again is kept: ARCBATT_CACHE, or the user's for caches."""
    folder = os.environ.get("ARCBATT_CACHE")
    if folder:
        return Path(folder)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "arcbatt"
