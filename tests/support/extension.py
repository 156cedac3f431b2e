"""Import another build of the native extensions instead of the installed one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

PACKAGE = "arcbatt.engine."
ENGINE, ENUMERATE = "_engine", "_enumerate"


class _ReplacementFinder(MetaPathFinder):
    def __init__(self, files: dict[str, Path]) -> None:
        self.files = files

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return spec_from_file_location(name, self.files[name]) if name in self.files else None


def use_extension(path: Path) -> None:
    """Import the engine extension from a file, and the enumeration extension beside it.

    Call this before anything has imported them.
    """
    files = {
        PACKAGE + ENGINE: path,
        PACKAGE + ENUMERATE: path.with_name(path.name.replace(ENGINE, ENUMERATE)),
    }
    for name in files:
        if name in sys.modules:
            raise RuntimeError(f"{name} is imported already")
    sys.meta_path.insert(0, _ReplacementFinder(files))
