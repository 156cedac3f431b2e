"""Look up tasks, programs, primitives and devices by name, with suggestions on errors."""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from shlex import quote

from arcbatt.checking import (
    DIFFER,
    ENGINES,
    Engine,
    KnownTask,
    find_built_in,
    fused,
    is_differ,
    load_source,
)
from arcbatt.engine.gpu.devices import GpuError, check_device_name, device_count
from arcbatt.language import (
    ParsedProgram,
    Primitive,
    ProgramError,
    RejectedProgram,
    find_primitive,
    read_file,
)
from arcbatt.language.registry import spellings
from arcbatt.library import library_programs
from arcbatt.plurals import count
from arcbatt.suggestion import suggest
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
    task_of_set,
)
from arcbatt.tasks.program_names import program_name, task_id_of
from arcbatt.tasks.source_names import split_source

from .console import print_notice, stop

# Rejected programs, and program names, that a message lists.
MAX_NOTICES = 3
MAX_NAMES = 20


def get_task(name: str, source: str | None = None) -> Task:
    """Return a task by id, or the only task of a file; `source` restricts the search."""
    if source is not None:
        tasks, bad = load_valid(source)
        # Other tasks of the source may be invalid, as in a set solved with --skip-bad.
        require_valid([each for each in bad if each.id == name], 1)
        return tasks[name]
    if not _is_path(name):
        return find_task(name)
    tasks = load(name)
    if len(tasks) != 1:
        raise TaskError(f"{name} holds {len(tasks)} tasks; choose one: ID --data {quote(name)}")
    return tasks[0]


def choose_tasks(source: str, names: Sequence[str]) -> list[Task]:
    """Return the tasks of a source with the given ids ("ID" or "ID,ID..."), or all."""
    tasks, bad = choose_valid_tasks(source, names)
    require_valid(bad, len(bad) + len(tasks))
    return tasks


def choose_valid_tasks(source: str, names: Sequence[str]) -> tuple[list[Task], list[BadTask]]:
    """Return tasks as `choose_tasks` does, and separately the invalid ones."""
    wanted = _split_names(names)
    if wanted is not None and source in TASK_SETS:
        # Reading a whole set to choose one task would take a tenth of a short search.
        chosen = [task for name in wanted if (task := task_of_set(source, name)) is not None]
        if len(chosen) == len(wanted):
            return chosen, []
    valid, bad = load_valid(source)
    if wanted is not None:
        known = {each.id: each for each in (*valid, *bad)}
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise UnknownTask(unknown[0], source, known)
        bad = [each for each in bad if each.id in wanted]
        return [task for name in wanted if (task := valid.get(name)) is not None], bad
    return list(valid), bad


def _split_names(names: Sequence[str]) -> list[str] | None:
    """Return the distinct ids in "ID" or "ID,ID...", or None if nothing was given."""
    if not names:
        return None
    wanted = [each for name in names for each in name.split(",") if each]
    if not wanted:
        stop("--tasks names no task; write ID or ID,ID, or leave it out for all")
    return list(dict.fromkeys(wanted))


def find_source(name: str) -> tuple[str, tuple[str, ...] | None]:
    """Return the source that a name stands for, and the ids to choose from it: None for all.

    An existing path becomes absolute; another one is returned as it is, for a later error message.
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
            f"{suggest(name, [*TASK_SETS, *ids])}\n"
            f"The task sets are {', '.join(TASK_SETS)}."
        )


def find_tasks(name: str, names: Sequence[str] | None) -> tuple[str, tuple[str, ...] | None]:
    """Return what `find_source` returns, with the ids of --tasks, if any are given."""
    source, chosen = find_source(name)
    if chosen and names:
        stop(f"{name} is one task; --tasks chooses among those of a set")
    return source, tuple(names) if names else chosen


def _is_there(name: str) -> bool:
    try:
        return Path(split_source(name)[0]).exists()
    except (OSError, ValueError):
        return False


def check_device(name: str, *, is_here: bool = True) -> None:
    """Stop unless this is a device name and, if it is used here, the device is available."""
    try:
        check_device_name(name)
    except ValueError as error:
        stop(str(error))
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
    """Return a task by id or file, with its sealed answers if it has them."""
    task = get_task(name, source)
    place = name if source is None and _is_path(name) else source
    known = find_built_in(task.id) if place is None else load_source(place).find(task.id)
    assert known is not None  # `get_task` has just found it
    return known


def is_task_id(name: str) -> bool:
    """Return whether this is a task id, not a file; raise `UnknownTask` for a mistyped id."""
    if _is_path(name) or re.fullmatch("[0-9a-f]{6,10}", name) is None:
        return False
    find_task(name)
    return True


def get_bundled(task_id: str) -> Path:
    """Return the file with the bundled solver of a task."""
    name = program_name(task_id)
    file = next((Path(each.file) for each in library_programs() if each.name == name), None)
    if file is None:
        stop(f"no solver for {task_id} comes with arcbatt; name a FILE with a program of your own")
    return file


def get_named_task(file: Path, name: str | None) -> str:
    """Return the id of the task that a program of a file is named after."""
    names = [each.name for each in read_file(file) if isinstance(each, ParsedProgram)]
    chosen = [each for each in names if name in (None, each)]
    ids = {task_id for each in chosen if (task_id := task_id_of(each)) is not None}
    if len(ids) != 1:
        stop(f"{file}: which task? --task ID names one")
    return ids.pop()


def get_program(file: Path, name: str | None, task_id: str) -> ParsedProgram:
    """Return a program of a file: by name, else solve_<task>, else the only one.

    Other programs of the file that cannot be parsed are reported and skipped.
    """
    items = read_file(file)
    programs = {each.name: each for each in items if isinstance(each, ParsedProgram)}
    rejected = [each for each in items if isinstance(each, RejectedProgram)]
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
        hint = suggest(wanted, programs) if name else "; choose one with --name NAME"
        stop(f"no program is named {wanted}{hint}\nThe programs of {file} are: {listed}.")
    _report_rejected(rejected)
    program = programs[wanted]
    if is_differ(program):
        stop(f"{program.file}:{program.line}: {wanted}: {DIFFER}")
    return program


def parse_files(
    paths: Iterable[Path],
) -> tuple[list[ParsedProgram], list[RejectedProgram], list[str]]:
    """Return the programs of all files, the rejected programs, and an error per unreadable file."""
    programs: list[ParsedProgram] = []
    rejected: list[RejectedProgram] = []
    errors: list[str] = []
    for path in paths:
        try:
            items = read_file(path)
        except ProgramError as error:
            errors.append(str(error))
            continue
        if not items:
            errors.append(f"{path}: no programs in this file")
        programs += [item for item in items if isinstance(item, ParsedProgram)]
        rejected += [item for item in items if isinstance(item, RejectedProgram)]
    return programs, rejected, errors


def _report_rejected(rejected: Sequence[RejectedProgram]) -> None:
    for each in rejected[:MAX_NOTICES]:
        print_notice(f"left out: {each.error}")
    if len(rejected) > MAX_NOTICES:
        print_notice(f"{len(rejected) - MAX_NOTICES} more programs of the file cannot be read")


def _is_path(name: str) -> bool:
    path, _ = split_source(name)
    return (
        path.endswith((".json", ".jsonl")) or os.sep in path or (path != "" and Path(path).exists())
    )


def get_primitive(name: str) -> Primitive:
    """Return a primitive by name or alternative spelling."""
    primitive = find_primitive(name)
    if primitive is None:
        hint = suggest(name, spellings()) or "; `arcbatt primitives` lists them"
        stop(f"no primitive is named {name}{hint}")
    return primitive


def get_engine(name: str) -> Engine:
    """Return an engine by name; cuda:1 selects a GPU by its number."""
    if re.fullmatch(r"cuda:\d+", name):
        return fused(name)
    if name not in ENGINES:
        stop(
            f"no engine is named {name}{suggest(name, ENGINES)}\n"
            f"The engines are: {', '.join(ENGINES)}."
        )
    return ENGINES[name]
