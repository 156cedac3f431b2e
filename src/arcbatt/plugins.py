"""Plugins: Python files and modules of the user's own, with primitives and proposers.

A plugin is code. It is imported only where it is asked for by name: a file, a module, or an entry
point of the group `arcbatt.plugins` of an installed package. Child processes import what their
parent has imported; a run that is resumed, and a run of somebody else, do not.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

GROUP = "arcbatt.plugins"
# Names of the plugins of this process, for its children.
VARIABLE = "ARCBATT_PLUGINS"

_loaded: dict[str, ModuleType] = {}


class PluginError(ValueError):
    """A plugin cannot be imported: which one, and why."""


def load_plugin(name: str) -> ModuleType:
    """Import a plugin, which runs its code: a file, a module, or an installed plugin by name.

    Its primitives (`arcbatt.primitive`) become part of the language, and its subclasses of
    `arcbatt.Proposer` proposers that searches find by name. Importing it again does nothing.
    """
    full_name = full_name_of(name)
    if full_name not in _loaded:
        before = set(sys.modules)
        try:
            _loaded[full_name] = _import(full_name)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plugin may do anything, exit included
            for module in set(sys.modules) - before:
                if module.startswith("arcbatt_plugin_"):
                    del sys.modules[module]
            raise PluginError(f"plugin {name}: {_describe(error)}") from error
        os.environ[VARIABLE] = json.dumps([*_loaded])
    return _loaded[full_name]


def load_plugins(names: Iterable[str]) -> tuple[str, ...]:
    """Import plugins, and return their full names."""
    names = tuple(names)
    for name in names:
        load_plugin(name)
    return tuple(dict.fromkeys(map(full_name_of, names)))


def full_name_of(name: str) -> str:
    """Return the name of a plugin that holds in any folder."""
    return str(Path(name).absolute()) if _is_file(name) else name


def loaded_plugins() -> Mapping[str, ModuleType]:
    """Return the modules of the imported plugins by full name."""
    return _loaded


def load_plugins_of_parent() -> None:
    """Import the plugins of the process that has started this one."""
    load_plugins(json.loads(os.environ.get(VARIABLE, "[]")))


def _is_file(name: str) -> bool:
    return name.endswith(".py") or os.sep in name


def _import(name: str) -> ModuleType:
    if _is_file(name):
        path = Path(name)
        if not path.is_file():
            raise FileNotFoundError(f"there is no file {path}")
        # Two files of the same name are two modules.
        place = blake2b(str(path).encode(), digest_size=4).hexdigest()
        stem = "".join(c if c.isalnum() else "_" for c in path.stem)
        spec = spec_from_file_location(f"arcbatt_plugin_{stem}_{place}", path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} is not a Python file")
        module = module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module
    installed = {each.name: each for each in entry_points(group=GROUP)}
    if name in installed:
        return importlib.import_module(installed[name].module)
    is_module = all(part.isidentifier() for part in name.split("."))
    try:
        if not is_module:
            raise ModuleNotFoundError(name=name)
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.partition(".")[0] and error.name != name:
            raise
        known = f"; installed plugins: {', '.join(sorted(installed))}" if installed else ""
        raise ImportError(
            f"neither a file NAME.py, nor a module, nor an installed plugin{known}"
        ) from None


def _describe(error: BaseException) -> str:
    """Return an error in one line, with the place in the plugin where it happened."""
    what = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, SyntaxError):
        return f"{error.msg} ({error.filename}, line {error.lineno})"
    if not isinstance(error, ImportError | FileNotFoundError) or error.__traceback__ is None:
        what = f"{type(error).__name__}: {what}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<") and Path(frame.filename) != Path(__file__)
    ]
    mine = [frame for frame in frames if "importlib" not in frame.filename]
    return f"{what} ({mine[0].filename}, line {mine[0].lineno})" if mine else what
