"""Notebooks: drawings, escaped HTML, and a progress bar."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

import arcbatt
from arcbatt.display import Displayed
from arcbatt.drawing.notebook import draw_plain
from arcbatt.language import Failure, Function, Reason

SVG, HTML, PLAIN = "image/svg+xml", "text/html", "text/plain"
EVIL = "<script>alert(1)</script>"
GRID = ((1, 2), (3, 4))
VMIRROR = "def solve(I):\n    O = vmirror(I)\n    return O\n"


def evil_task() -> arcbatt.Task:
    return arcbatt.Task.of([(GRID, GRID)], [GRID], id=EVIL, source=EVIL)


def solution() -> arcbatt.Solution:
    return arcbatt.solve(evil_task(), proposers=["known"], max_rounds=1)


def solutions() -> arcbatt.Solutions:
    return arcbatt.solve_all([evil_task()], proposers=["known"], max_rounds=1)


def program() -> arcbatt.Program:
    return arcbatt.parse_program(VMIRROR)


SHOWN: dict[str, tuple[Callable[[], Displayed], str, str]] = {
    "task": (evil_task, SVG, "demo 1"),
    "pair": (lambda: evil_task().demos[0], SVG, "<path"),
    "failure": (lambda: Failure(Reason.EMPTY, EVIL), SVG, "empty"),
    "result": (lambda: arcbatt.run(program(), GRID), SVG, "grid 2x2"),
    "program": (program, HTML, "vmirror"),
    "function": (lambda: Function("vmirror"), HTML, "vmirror"),
    "tasks": (lambda: arcbatt.tasks.to_tasks([evil_task()]), HTML, "1 task"),  # type: ignore[attr-defined]
    "all tasks": (lambda: arcbatt.load("arc-agi-1/training"), HTML, "and 388 more"),
    "batt": (
        lambda: arcbatt.Batt([program()] * 20).run(arcbatt.Samples([GRID, GRID])),
        HTML,
        "20 programs on 2 samples",
    ),
    "run": (lambda: arcbatt.run(program(), evil_task()), HTML, "fits 0 of 1 demo<"),
    "failed run": (
        lambda: arcbatt.run(
            arcbatt.parse_program("def solve(I):\n    return first(EMPTY)\n"), evil_task()
        ),
        HTML,
        "failed: empty",
    ),
    "solution": (solution, HTML, "confidence"),
    "solutions": (solutions, HTML, "programs fit 1 of 1 task,"),
    "explanation": (lambda: arcbatt.explain(solution()), HTML, "<iframe srcdoc="),
    "score": (
        lambda: arcbatt.score(solution(), answers={EVIL: [GRID]}),
        HTML,
        "right at attempt",
    ),
}


class Tags(HTMLParser):
    """Collects the tags of a document."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)


@pytest.mark.parametrize("name", SHOWN)
def test_values_have_one_representation_and_are_escaped(name: str) -> None:
    make, media, words = SHOWN[name]
    thing = make()
    bundle = thing._repr_mimebundle_()
    assert set(bundle) == {PLAIN, media} and bundle[PLAIN] == repr(thing)
    assert words in bundle[media]
    if media == SVG:
        ElementTree.fromstring(bundle[SVG])
        assert thing._repr_html_() is None and thing._repr_svg_() == bundle[SVG]
    else:
        assert thing._repr_svg_() is None and thing._repr_html_() == bundle[HTML]
        reader = Tags()
        reader.feed(bundle[HTML])
        assert reader.tags and "script" not in reader.tags
    assert EVIL not in bundle[media]


def test_forms_can_be_chosen() -> None:
    task = evil_task()
    assert set(task._repr_mimebundle_(include=[PLAIN])) == {PLAIN}
    assert set(task._repr_mimebundle_(exclude=[SVG])) == {PLAIN}


@pytest.mark.parametrize(
    "value",
    [GRID, (GRID, GRID), ((5,),), frozenset({(1, 2)}), frozenset({(3, (0, 1))})],
)
def test_plain_values_that_are_drawn(value: object) -> None:
    drawn = draw_plain(value)
    assert drawn is not None
    ElementTree.fromstring(drawn)


@pytest.mark.parametrize(
    "value",
    [
        (),
        (1, 2),
        ((1, 2), (3,)),
        ((1, 12),),
        ((1.0, 2.0),),
        ((True, False),),
        (("a", "b"),),
        ((),),
        frozenset(),
        frozenset({1, 2}),
        frozenset({"a"}),
        tuple((0,) * 40 for _ in range(40)),
        [[1, 2]],
        np.ones((2, 2)),
        7,
    ],
)
def test_other_plain_values_stay_text(value: object) -> None:
    assert draw_plain(value) is None


# --- a real kernel ---

CELLS = [
    "import arcbatt",
    "arcbatt.find_task('67a3c6ac')",
    "arcbatt.find_task('67a3c6ac').demos[0].input",
    "arcbatt.parse_program('def solve(I):\\n    return vmirror(I)\\n')",
    "arcbatt.show([[1, 2], [3, 4]])",
    "arcbatt.show('67a3c6ac')",
    "solution = arcbatt.solve('67a3c6ac', proposers=['known'], max_rounds=1)\nsolution",
    "arcbatt.explain(solution)",
    "%unload_ext arcbatt",
    "arcbatt.find_task('67a3c6ac').demos[0].input",
    # The interrupt of a kernel is this signal.
    "import os, signal, threading\n"
    "class Patience(arcbatt.Proposer):\n"
    "    name = 'patience'\n"
    "    def next_offer(self, context):\n"
    "        return arcbatt.Offer('wait', context.board.tasks, 1e-9, 1.0)\n"
    "    def work(self, offer, context):\n"
    "        import time\n"
    "        threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
    "        while not context.allowance.is_spent:\n"
    "            time.sleep(0.01)\n"
    "found = arcbatt.solve('67a3c6ac', 60, proposers=['known', Patience()])\n"
    "print(found)",
]


@pytest.fixture(scope="module")
def outputs() -> list[list[Any]]:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(notebook, timeout=120).execute()
    return [cell.outputs for cell in notebook.cells]


def media_of(output: Any) -> set[str]:
    return set(output.get("data", {}))


@pytest.mark.slow
def test_tasks_grids_and_programs_show_themselves(outputs: list[list[Any]]) -> None:
    assert media_of(outputs[1][0]) == {PLAIN, SVG}
    assert media_of(outputs[2][0]) == {PLAIN, SVG}
    assert media_of(outputs[3][0]) == {PLAIN, HTML}


@pytest.mark.slow
def test_show_draws_in_the_cell(outputs: list[list[Any]]) -> None:
    assert SVG in media_of(outputs[4][0]) and SVG in media_of(outputs[5][0])


@pytest.mark.slow
def test_solving_leaves_one_line_and_the_solution(outputs: list[list[Any]]) -> None:
    bar, solution = outputs[6]
    assert "programs fit 1 of 1 task after" in bar.data[HTML] and "<progress" not in bar.data[HTML]
    assert media_of(solution) == {PLAIN, HTML}
    assert "<iframe" in outputs[7][0].data[HTML]


@pytest.mark.slow
def test_unloading_the_extension_shows_grids_as_text(outputs: list[list[Any]]) -> None:
    assert media_of(outputs[9][0]) == {PLAIN}


@pytest.mark.slow
def test_an_interrupt_returns_what_was_found(outputs: list[list[Any]]) -> None:
    (printed,) = [each for each in outputs[10] if each.output_type == "stream"]
    assert "a program fits all demos" in printed.text and "interrupted" in printed.text
    assert not [each for each in outputs[10] if each.output_type == "error"]
