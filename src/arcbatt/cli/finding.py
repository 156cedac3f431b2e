"""What the user named in, the thing itself out, or a message with the nearest name."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from arcbatt.checking import KnownTask, find_built_in, load_source
from arcbatt.conformance import ENGINES, Engine, fused
from arcbatt.language import Primitive, find_primitive
from arcbatt.language.registry import all_primitives, suggest
from arcbatt.tasks import TASK_SETS, Task, TaskError, find_task, load
from arcbatt.tasks.task import suggest as suggest_name

from .console import stop


def get_task(name: str, source: str | None = None) -> Task:
    """Return the task of an id, or the one in a task file; `source` says where to look."""
    if source is not None:
        return load(source)[name]
    if not _is_path(name):
        return find_task(name)
    tasks = load(name)
    if len(tasks) != 1:
        raise TaskError(f"{name} holds {len(tasks)} tasks; choose one: ID --set {name}")
    return tasks[0]


def choose_tasks(source: str, names: Sequence[str]) -> list[Task]:
    """Return the tasks of a source with these ids ("ID" or "ID,ID..."); without any, all."""
    found = load(source)
    if not names:
        return list(found)
    wanted = [each for name in names for each in name.split(",") if each]
    if not wanted:
        stop("--tasks names no task; write ID or ID,ID, or leave it out for all")
    return [found[name] for name in dict.fromkeys(wanted)]


def check_device(name: str) -> None:
    """End with a message unless this is the name of a device, be it there or not."""
    if not re.fullmatch(r"auto|cpu|cuda(:\d+)?", name):
        stop(f"{name} is no device; devices are auto, cpu, cuda and cuda:0, cuda:1, ...")


def get_known_task(name: str) -> KnownTask:
    """Return the task of an id or of a task file, with its sealed answers where it has them."""
    task = get_task(name)
    known = load_source(name).find(task.id) if _is_path(name) else find_built_in(task.id)
    assert known is not None  # it has just been found there
    return known


def _is_path(name: str) -> bool:
    return name.endswith(".json") or os.sep in name or Path(name).exists()


def get_primitive(name: str) -> Primitive:
    """Return the primitive of a name or spelling."""
    primitive = find_primitive(name)
    if primitive is None:
        hint = suggest(name)
        stop(
            f"no primitive is named {name}"
            + (f"; {hint}" if hint else "; `arcbatt primitives` lists them")
        )
    return primitive


def get_engine(name: str) -> Engine:
    """Return the engine of a name; a GPU may be chosen by its number, as in cuda:1."""
    if re.fullmatch(r"cuda:\d+", name):
        return fused(name)
    if name not in ENGINES:
        stop(
            f"no engine is named {name}{suggest_name(name, ENGINES)}\n"
            f"The engines are: {', '.join(ENGINES)}."
        )
    return ENGINES[name]


def complete_task(incomplete: str) -> list[str]:
    """Return the task ids that start so, for the shell."""
    return sorted(
        {each for name in TASK_SETS for each in load(name).ids if each.startswith(incomplete)}
    )


def complete_set(incomplete: str) -> list[str]:
    """Return the names of built-in sets that start so, for the shell."""
    return [name for name in TASK_SETS if name.startswith(incomplete)]


def complete_primitive(incomplete: str) -> list[str]:
    """Return the primitives whose names start so, for the shell."""
    return [name for name in all_primitives() if name.startswith(incomplete)]


def complete_engine(incomplete: str) -> list[str]:
    """Return the engines whose names start so, for the shell."""
    return [name for name in ENGINES if name.startswith(incomplete)]
