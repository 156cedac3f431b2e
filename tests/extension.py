"""Another build of the engine's extension in place of the installed one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

NAME = "arcbatt.engine._engine"


class _Instead(MetaPathFinder):
    def __init__(self, path: Path) -> None:
        self.path = path

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return spec_from_file_location(NAME, self.path) if name == NAME else None


def use_extension(path: Path) -> None:
    """Import the engine's extension from a file; to be called before anything has imported it."""
    if NAME in sys.modules:
        raise RuntimeError(f"{NAME} is imported already")
    sys.meta_path.insert(0, _Instead(path))
