"""The name and the note that a person gives a run: `notes.json` in its folder."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from arcbatt.files import write_whole

from .run_folder import read_config

NOTES = "notes.json"
MAX_NAME, MAX_NOTE = 80, 2_000


@dataclass(frozen=True, slots=True)
class RunNotes:
    """What a person calls a run, and says about it."""

    name: str = ""
    note: str = ""


def read_notes(path: Path) -> RunNotes:
    """Return the notes in a run's folder; a file that is none counts as no notes."""
    try:
        content = json.loads((path / NOTES).read_bytes())
        name, note = content["name"], content["note"]
    except (OSError, ValueError, KeyError, TypeError):
        return RunNotes()
    is_text = isinstance(name, str) and isinstance(note, str)
    return RunNotes(name[:MAX_NAME], note[:MAX_NOTE]) if is_text else RunNotes()


def write_notes(path: Path, notes: RunNotes) -> None:
    """Keep notes in a run's folder; raise `RunFolderError` for another folder."""
    read_config(path)
    write_whole(path / NOTES, json.dumps(asdict(notes)) + "\n")
