"""What the shell offers while a command line is written: the beginning of a word in, words out.

The shell asks after every key, so no more is loaded than an answer takes.
"""

from arcbatt.tasks import TASK_SETS, load


def complete_task(incomplete: str) -> list[str]:
    """Return the task ids that start so."""
    return sorted(
        {each for name in TASK_SETS for each in load(name).ids if each.startswith(incomplete)}
    )


def complete_set(incomplete: str) -> list[str]:
    """Return the names of built-in sets that start so."""
    return [name for name in TASK_SETS if name.startswith(incomplete)]


def complete_source(incomplete: str) -> list[str]:
    """Return the built-in sets that start so or, if none does, the task ids."""
    return complete_set(incomplete) or complete_task(incomplete)


def complete_primitive(incomplete: str) -> list[str]:
    """Return the primitives whose names start so."""
    from arcbatt.language.registry import all_primitives

    return [name for name in all_primitives() if name.startswith(incomplete)]


def complete_family(incomplete: str) -> list[str]:
    """Return the families of primitives whose names start so."""
    from arcbatt.language.registry import all_primitives

    families = dict.fromkeys(primitive.family for primitive in all_primitives().values())
    return [name for name in families if name.startswith(incomplete)]


def complete_engine(incomplete: str) -> list[str]:
    """Return the engines whose names start so."""
    from arcbatt.conformance import ENGINES

    return [name for name in ENGINES if name.startswith(incomplete)]
