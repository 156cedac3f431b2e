"""Winning programs in, a page for each out that shows what every line of it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from arcbatt.explain import explain, make_page, read_source
from arcbatt.files import write_whole
from arcbatt.language import ParsedProgram, Value, parse_programs
from arcbatt.measure import phase

from .results import PROGRAMS, Winner

FOLDER = "explanations"


def write_explanations(
    folder: Path,
    text: str,
    winners: Iterable[Winner],
    pages: dict[str, str],
    on_progress: Callable[[int], None] = lambda _n: None,
) -> None:
    """Write a page for each program; note in `pages` by task id where it is in the folder.

    `text` is that of `programs.py`, which pages refer to; `on_progress` is told how many there are
    by now. Nobody here knows which outputs are right, so those for test inputs are not judged.
    """
    pages.clear()
    parsed = {program.name: program for program in parse_programs(text, PROGRAMS)}
    for winner in winners:
        place = f"{FOLDER}/{winner.program.name}.html"
        (folder / FOLDER).mkdir(exist_ok=True)
        write_whole(folder / place, _page(winner, parsed[winner.program.name], text))
        pages[winner.ranked.task.id] = place
        on_progress(len(pages))


@phase("display")
def _page(winner: Winner, program: ParsedProgram, text: str) -> str:
    task = winner.ranked.task
    pairs = [("demo", k) for k in range(len(task.demos))]
    pairs += [("test", k) for k in range(len(task.test_inputs))]
    source = read_source(program, text)
    return make_page(explain(program, source, task, pairs, _unjudged))


def _unjudged(_index: int, _value: Value) -> None:
    return None
