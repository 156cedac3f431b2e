"""Pages that explain winning programs line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from arcbatt.explainer import all_pairs, explain, make_page, read_source, unjudged
from arcbatt.files import write_whole
from arcbatt.language import ParsedProgram, parse_programs
from arcbatt.measure import phase

from ..descriptions import choices_of
from .results import PROGRAMS, Winner

FOLDER = "explanations"


def write_explanations(
    folder: Path, text: str, winners: Iterable[Winner]
) -> Iterator[dict[str, str]]:
    """Write a page per program; after each yield its path in the folder by task id.

    `text` is the content of `programs.py`, which pages refer to. Test outputs are not judged: their
    answers are unknown here.
    """
    parsed = {program.name: program for program in parse_programs(text, PROGRAMS)}
    for winner in winners:
        place = f"{FOLDER}/{winner.program.name}.html"
        (folder / FOLDER).mkdir(exist_ok=True)
        write_whole(folder / place, _page(winner, parsed[winner.program.name]))
        yield {winner.ranked.task.id: place}


@phase("display")
def _page(winner: Winner, program: ParsedProgram) -> str:
    task = winner.ranked.task
    source = read_source(program)
    explanation = explain(program, source, task, all_pairs(task), unjudged)
    return make_page(explanation, choices_of(winner.ranked))
