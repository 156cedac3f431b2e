"""Where the pool is when nobody says."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

VARIABLE = "ARCBATT_POOL"


def default_path(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the file that ARCBATT_POOL names, or `arcbatt/pool.db` in the user's data folder."""
    named = environment.get(VARIABLE)
    return Path(named) if named else _data_folder(environment) / "arcbatt" / "pool.db"


def _data_folder(environment: Mapping[str, str]) -> Path:
    if sys.platform == "win32":
        given = environment.get("LOCALAPPDATA")
        return Path(given) if given else Path.home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    given = environment.get("XDG_DATA_HOME")
    # The convention ignores a relative one.
    return Path(given) if given and Path(given).is_absolute() else Path.home() / ".local" / "share"
