"""Where the pool is when nobody says."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_data_path

VARIABLE = "ARCBATT_POOL"


def default_path() -> Path:
    """Return the file that ARCBATT_POOL names, or `arcbatt/pool.db` in the user's data folder."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else user_data_path("arcbatt", appauthor=False) / "pool.db"
