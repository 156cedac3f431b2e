"""What the user named in, the thing itself out, or a message with the nearest name."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from arcbatt.checking import (
    DIFFER,
    KnownTask,
    find_built_in,
    is_differ,
    load_source,
)
from arcbatt.conformance import ENGINES, Engine, fused
from arcbatt.engine.gpu import GpuError, device_count
from arcbatt.language import (
    ParsedProgram,
    Primitive,
    RejectedProgram,
    find_primitive,
    read_file,
)
from arcbatt.language.registry import suggest
from arcbatt.plurals import count
from arcbatt.tasks import (
    TASK_SETS,
    BadTask,
    Task,
    TaskError,
    UnknownTask,
    find_task,
    load,
    load_valid,
    require_valid,
)
from arcbatt.tasks.program_names import program_name
from arcbatt.tasks.task import suggest as suggest_name

from .console import print_notice, stop

# Broken programs of a file, and names of its programs, that a message has room for.
MAX_NOTICES = 3
MAX_NAMES = 20


def get_task(name: str, source: str | None = None) -> Task:
    """Return the task of an id, or the one in a task file; `source` says where to look."""
    if source is not None:
        tasks, bad = load_valid(source)
        # Others of the source may be broken, as in a set that was solved with --skip-bad.
        require_valid([each for each in bad if each.id == name], 1)
        return tasks[name]
    if not _is_path(name):
        return find_task(name)
    tasks = load(name)
    if len(tasks) != 1:
        raise TaskError(f"{name} holds {len(tasks)} tasks; choose one: ID --data {quote(name)}")
    return tasks[0]


def choose_tasks(source: str, names: Sequence[str]) -> list[Task]:
    """Return the tasks of a source with these ids ("ID" or "ID,ID..."); without any, all."""
    tasks, bad = choose_valid_tasks(source, names)
    require_valid(bad, len(bad) + len(tasks))
    return tasks


def choose_valid_tasks(source: str, names: Sequence[str]) -> tuple[list[Task], list[BadTask]]:
    """Return tasks as `choose_tasks` does and, apart, those of them that are not valid."""
    found, bad = load_valid(source)
    wanted = _split_names(names)
    if wanted is not None:
        known = {each.id: each for each in (*found, *bad)}
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise UnknownTask(unknown[0], source, known)
        bad = [each for each in bad if each.id in wanted]
        return [task for name in wanted if (task := found.get(name)) is not None], bad
    return list(found), bad


def _split_names(names: Sequence[str]) -> list[str] | None:
    """Return the ids in "ID" or "ID,ID...", each once; None where nothing was given."""
    if not names:
        return None
    wanted = [each for name in names for each in name.split(",") if each]
    if not wanted:
        stop("--tasks names no task; write ID or ID,ID, or leave it out for all")
    return list(dict.fromkeys(wanted))


def find_source(name: str) -> tuple[str, tuple[str, ...] | None]:
    """Return where the tasks are that a name stands for, and which of them: all, or one by id.

    A path is made to hold from any folder; what is not there stays as it was written, for whoever
    says so.
    """
    if name in TASK_SETS:
        return name, None
    if _is_path(name):
        return str(Path(name).absolute()) if _is_there(name) else name, None
    try:
        return find_task(name).source, (name,)
    except UnknownTask:
        ids = (each for task_set in TASK_SETS for each in load(task_set).ids)
        stop(
            f"no task set, file, folder or task is named {name}"
            f"{suggest_name(name, [*TASK_SETS, *ids])}\n"
            f"The task sets are {', '.join(TASK_SETS)}."
        )


def _is_there(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False


def check_device(name: str, *, is_here: bool = True) -> None:
    """End with a message unless this is the name of a device and, where it is used, it is there."""
    if not re.fullmatch(r"auto|cpu|cuda(:\d+)?", name):
        stop(f"{name} is not a device; devices are auto, cpu, cuda and cuda:0, cuda:1, ...")
    kind, _, number = name.partition(":")
    if kind != "cuda" or not is_here:
        return
    try:
        n_gpus = device_count()
    except GpuError as error:
        stop(f"--device {name}: no GPU: {error}; --device auto uses GPUs if there are any")
    if number and int(number) >= n_gpus:
        stop(f"--device {name}: there is no such GPU; {count(n_gpus, 'GPU')} found")


def get_known_task(name: str, source: str | None = None) -> KnownTask:
    """Return the task of an id or of a task file, with its sealed answers where it has them."""
    task = get_task(name, source)
    place = name if source is None and _is_path(name) else source
    known = find_built_in(task.id) if place is None else load_source(place).find(task.id)
    assert known is not None  # it has just been found there
    return known


def get_program(file: Path, name: str | None, task_id: str) -> ParsedProgram:
    """Return the program of a file that is meant: by name, else solve_<task>, else the only one.

    Other programs of the file that cannot be read are reported, and do no harm.
    """
    found = read_file(file)
    programs = {each.name: each for each in found if isinstance(each, ParsedProgram)}
    rejected = [each for each in found if isinstance(each, RejectedProgram)]
    broken = {each.name: each.error for each in rejected}
    wanted = name or program_name(task_id)
    if name is None and len(programs) == 1 and wanted not in broken:
        (wanted,) = programs
    if wanted not in programs:
        if wanted in broken:
            stop(str(broken[wanted]))
        if not programs:
            stop(str(rejected[0].error) if rejected else f"{file}: no programs in this file")
        listed = ", ".join([*programs][:MAX_NAMES]) + ", ..." * (len(programs) > MAX_NAMES)
        hint = suggest_name(wanted, programs) if name else "; choose one with --name NAME"
        stop(f"no program is named {wanted}{hint}\nThe programs of {file} are: {listed}.")
    _report_rejected(rejected)
    program = programs[wanted]
    if is_differ(program):
        stop(f"{program.file}:{program.line}: {wanted}: {DIFFER}")
    return program


def _report_rejected(rejected: Sequence[RejectedProgram]) -> None:
    for each in rejected[:MAX_NOTICES]:
        print_notice(f"left out: {each.error}")
    if len(rejected) > MAX_NOTICES:
        print_notice(f"{len(rejected) - MAX_NOTICES} more programs of the file cannot be read")


def _is_path(name: str) -> bool:
    return name.endswith(".json") or os.sep in name or (name != "" and Path(name).exists())


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
