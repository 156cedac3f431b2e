"""The name and the note that a person gives a run: `notes.json` in its folder."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from arcbatt.files import write_whole
from arcbatt.tasks import TaskError
from arcbatt.tasks.json_file import read_json

from .report.results_shape import find_fault
from .run_folder import read_config, refuse_links

NOTES = "notes.json"
MAX_NAME, MAX_NOTE = 80, 2_000
SHAPE = {"name": str, "note": str}


@dataclass(frozen=True, slots=True)
class RunNotes:
    """The name and the note of a run."""

    name: str = ""
    note: str = ""


def read_notes(path: Path) -> RunNotes:
    """Return the notes in a run's folder; an unreadable file counts as no notes."""
    try:
        content = read_json(path / NOTES)
    except TaskError:
        return RunNotes()
    if find_fault(content, SHAPE):
        return RunNotes()
    return RunNotes(content["name"][:MAX_NAME], content["note"][:MAX_NOTE])


def write_notes(path: Path, notes: RunNotes) -> None:
    """Keep notes in a run's folder; raise `RunFolderError` for another folder."""
    refuse_links(path)
    read_config(path)
    write_whole(path / NOTES, json.dumps(asdict(notes)) + "\n")
