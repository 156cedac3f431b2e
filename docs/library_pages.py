"""Render the pages about bundled solvers, one per theme, with pictures."""

from __future__ import annotations

import re
from pathlib import Path

from arcbatt.drawing.cells import runs
from arcbatt.drawing.palette import COLORS
from arcbatt.drawing.scene import Block, Boxes
from arcbatt.drawing.svg import render_svg
from arcbatt.library import library_files
from arcbatt.tasks import Task, find_task
from arcbatt.tasks.program_names import task_id_of

FOLDER = "library"
PICTURES = "img/library"
# The cell size, the gap between grids, and the maximum number of demos.
CELL, GAP, MAX_DEMOS = 5, 2, 4


def render_library() -> dict[str, str]:
    """Return the pages and pictures by their paths below docs."""
    pages: dict[str, str] = {}
    rows = []
    n_programs = 0
    for path in library_files():
        head, programs = _read(path)
        lines = [f"# {path.stem.capitalize()}", "", head, ""]
        for name, text in programs:
            task = find_task(task_id_of(name) or name)
            picture = f"{PICTURES}/{task.id}.svg"
            pages[picture] = _thumbnail(task)
            lines += [f"## {task.id}", "", f"![{task.id}](../{picture})", ""]
            lines += ["```py", text.strip(), "```", ""]
        pages[f"{FOLDER}/{path.stem}.md"] = "\n".join(lines).rstrip() + "\n"
        rows.append(f"| [{path.stem}]({FOLDER}/{path.stem}.md) | {len(programs)} | {head} |")
        n_programs += len(programs)
    pages["library.md"] = "\n".join(
        [
            "# The library",
            "",
            "This page lists the programs that come with arcbatt. It is generated from the bundled "
            "solvers by `make docs`; do not edit.",
            "",
            f"{n_programs} programs, each for one ARC-AGI-1 training task, by theme. Every page "
            "has the programs with their tasks drawn: inputs above, outputs below. `arcbatt check "
            "--library` runs them on all pairs, `arcbatt check --library --turned` on their tasks "
            "turned and recolored, `arcbatt check --library --pairs FILE` on generated pairs, and "
            "`arcbatt explain src/arcbatt/solvers/symmetry.py --task 67a3c6ac` shows one of them "
            "line by line.",
            "",
            "One of the 400 training tasks has no program: e5062a87. Gaps that have the form of "
            "its red shape turn red, but not all of them. Its second demo leaves a gap empty that "
            "overlaps no other, and no rule was found that tells it from those that are filled.",
            "",
            "| theme | programs | what they are about |",
            "| --- | --- | --- |",
            *rows,
        ]
    )
    pages["library.md"] += "\n"
    return pages


def _read(path: Path) -> tuple[str, list[tuple[str, str]]]:
    """Return the theme of a file, and the names and texts of its programs."""
    text = path.read_text("utf-8")
    head, *programs = re.split(r"^(?=def )", text, flags=re.MULTILINE)
    theme = " ".join(line.lstrip("# ") for line in head.splitlines() if line.startswith("#"))
    named = [(re.match(r"def (\w+)", each), each) for each in programs]
    return theme, [(match[1], each) for match, each in named if match]


def _thumbnail(task: Task) -> str:
    """Return the demos of a task as a small SVG, each input above its output."""
    demos = task.demos[:MAX_DEMOS]
    across = [max(len(each.input[0]), len(each.output[0])) for each in demos]
    highest = max(len(each.input) for each in demos)
    places: dict[int, list[tuple[int, int]]] = {}
    left = 0
    for demo, wide in zip(demos, across, strict=True):
        for grid, top in ((demo.input, highest - len(demo.input)), (demo.output, highest + GAP)):
            for i, row in enumerate(grid):
                for j, color in enumerate(row):
                    places.setdefault(color, []).append((top + i, left + j))
        left += wide + GAP
    height = highest + GAP + max(len(each.output) for each in demos)
    return render_svg(
        Block(
            (left - GAP) * CELL,
            height * CELL,
            tuple(_boxes(color, sorted(found)) for color, found in sorted(places.items())),
        )
    )


def _boxes(color: int, places: list[tuple[int, int]]) -> Boxes:
    boxes = ((j * CELL, i * CELL, (end - j) * CELL, CELL) for i, j, end in runs(places))
    return Boxes(tuple(boxes), COLORS[color])
