"""Shell completion: words that start with what the user has typed so far.

The shell asks after every key press, so each function imports only what it needs.
"""

from collections.abc import Iterable

from arcbatt.tasks import TASK_SETS, load


def _starting_with(incomplete: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]


def complete_task(incomplete: str) -> list[str]:
    """Return task ids."""
    return _starting_with(incomplete, sorted({id for name in TASK_SETS for id in load(name).ids}))


def complete_set(incomplete: str) -> list[str]:
    """Return the names of built-in sets."""
    return _starting_with(incomplete, TASK_SETS)


def complete_source(incomplete: str) -> list[str]:
    """Return built-in sets or, if no set matches, task ids."""
    return complete_set(incomplete) or complete_task(incomplete)


def complete_primitive(incomplete: str) -> list[str]:
    """Return the names of primitives."""
    from arcbatt.language.registry import all_primitives

    return _starting_with(incomplete, all_primitives())


def complete_family(incomplete: str) -> list[str]:
    """Return the families of primitives."""
    from arcbatt.language.registry import all_primitives

    families = dict.fromkeys(primitive.family for primitive in all_primitives().values())
    return _starting_with(incomplete, families)


def complete_engine(incomplete: str) -> list[str]:
    """Return the names of engines."""
    from arcbatt.checking import ENGINES

    return _starting_with(incomplete, ENGINES)


def complete_run(incomplete: str) -> list[str]:
    """Return the folders of runs below the default output folder."""
    from arcbatt.solving.run_folder import CONFIG

    from .options import DEFAULT_OUT

    configs = DEFAULT_OUT.glob(f"*/{CONFIG}")
    return _starting_with(incomplete, sorted(str(config.parent) for config in configs))
