"""All families of primitives; importing this module declares every primitive."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from . import learners, primitives

# In reading order: each family builds on those before it. A new family may be left out, then it
# comes last. Evolution draws primitives at random by their position, so another order changes runs.
ORDER = """
    numbers containers functions patches shapes pieces grids objects codes ranks demos
    pictures picture_drawing picture_lists picture_pairs
    color_roles cell_tables object_actions views cell_trees rewriting symmetry
    panels templates patterns object_fates
""".split()


def _modules(package: ModuleType) -> list[ModuleType]:
    names = sorted(module.name for module in iter_modules(package.__path__))
    return [import_module(f"{package.__name__}.{name}") for name in names]


def _position(module: ModuleType) -> int:
    name = module.__name__.rpartition(".")[2]
    return ORDER.index(name) if name in ORDER else len(ORDER)


FAMILIES = tuple(sorted((*_modules(primitives), *_modules(learners)), key=_position))
