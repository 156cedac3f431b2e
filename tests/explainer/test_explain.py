"""Explaining programs: sources, traces, the terminal and the page."""

import io
from html.parser import HTMLParser

import pytest
from rich.console import Console

from arcbatt.drawing.words import words
from arcbatt.explainer import (
    Explanation,
    draw_explanation,
    explain,
    find_layers,
    make_page,
    read_source,
    to_tables,
)
from arcbatt.language import (
    Budget,
    ParsedProgram,
    RejectedProgram,
    interpret,
    parse_program,
    parse_programs,
    read_lines,
)
from arcbatt.language.budget import SEARCH_BUDGET
from arcbatt.library import library_programs
from arcbatt.tasks import Pair, Task, find_task

GRID = ((0, 1, 1), (0, 0, 0), (2, 0, 0))
TASK = Task("mine", (Pair(GRID, GRID), Pair(GRID, GRID[::-1])), (GRID,), "here")

TEXT = '''# Not of the program.
def solve_mine(I):
    """What it does, <in words>."""
    parts = objects(I, T, F, T)  # at the end
    # Above the line.
    big = argmax(parts, size)
    spare = mostcolor(I)
    moved = shift(big,
        directions=DOWN)
    return paint(I, moved)


def solve_other(I):
    return I
'''

FAILING = """def solve_mine(I):
    parts = objects(I, T, F, T)
    none = colorfilter(parts, NINE)
    cell = first(first(none))
    after = increment(cell)
    output = canvas(after, UNITY)
    return output
"""


def explained(text: str, budget: Budget = SEARCH_BUDGET, task: Task = TASK) -> Explanation:
    program = next(iter(parse_programs(text, "mine.py")))
    pairs = [("demo", 0), ("demo", 1), ("test", 0)]
    source = read_source(program)
    return explain(program, source, task, pairs, lambda index, value: value == GRID, budget)


def printed(explanation: Explanation, **options: bool) -> str:
    file = io.StringIO()
    console = Console(file=file, width=120, no_color=True)
    console.print(draw_explanation(explanation, **options))
    return file.getvalue()


class Elements(HTMLParser):
    """Collects what a page holds, and fails where its tags do not nest."""

    VOID = frozenset({"link", "meta", "br", "path", "polygon"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_source_has_statements_as_written() -> None:
    program, other = parse_programs(TEXT, "mine.py")
    source = read_source(program)
    assert source.header == "def solve_mine(I):"
    assert source.doc == "What it does, <in words>."
    assert [(each.number, each.name) for each in source.statements] == [
        (4, "parts"),
        (6, "big"),
        (7, "spare"),
        (8, "moved"),
        (10, "return"),
    ]
    assert source.statements[1].comments == ("# Above the line.",)
    assert source.statements[3].text == "moved = shift(big,\n    directions=DOWN)"
    assert source.last_line == "return paint(I, moved)"
    assert [each.text for each in read_source(other).statements] == ["return I"]


def test_source_ends_with_the_program() -> None:
    text = "import os\n# old\rline end\n" + TEXT + "@decorated\n"
    rejected, program, _, _ = read_lines(text.split("\n"))
    assert isinstance(rejected, RejectedProgram) and isinstance(program, ParsedProgram)
    assert read_source(program).text == read_source(next(parse_programs(TEXT))).text


def test_inner_calls_carry_their_own_nodes() -> None:
    text = (
        "def solve_mine(I):\n    f = compose(size, first)\n"
        "    x = add(f(totuple(fgpartition(I))), divide(b=TWO, a=size(I)))\n    return x\n"
    )
    (program,) = parse_programs(text)
    inner = read_source(program).statements[1].inner
    assert [each.text for each in inner] == [
        "fgpartition(I)",
        "totuple(fgpartition(I))",
        "f(totuple(fgpartition(I)))",
        "size(I)",
        "divide(b=TWO, a=size(I))",
    ]
    trace = interpret(program.program, {"I": GRID}, keep_trace=True).trace
    assert [trace[each.node] for each in inner][2:] == [2, 3, 1]


def test_joined_words_are_the_text() -> None:
    text = "x1 = fill(I, RED, {(0, 1)})  # shift"
    assert "".join(word for _, word in words(text, {"x1"})) == text
    kinds = {word: kind for kind, word in words(text, {"x1"})}
    assert kinds["x1"] == "name" and kinds["fill"] == "primitive"
    assert kinds["I"] == "input" and kinds["RED"] == "constant" and kinds["0"] == "constant"
    assert kinds["# shift"] == "comment"


@pytest.mark.slow
def test_every_library_program_can_be_explained() -> None:
    for program in library_programs():
        task = find_task(program.name.removeprefix("solve_"))
        source = read_source(program)
        explanation = explain(program, source, task, [("demo", 0)], lambda index, value: None)
        (pair,) = explanation.pairs
        assert pair.verdict == "right"
        used = [
            trace.n_steps
            for line, trace in zip(explanation.lines, pair.lines, strict=True)
            if line.is_used
        ]
        assert sum(used) == pair.n_steps


def test_lines_have_values_types_and_verdicts() -> None:
    explanation = explained(TEXT)
    assert [pair.verdict for pair in explanation.pairs] == ["wrong", "wrong", "wrong"]
    assert [str(line.type) for line in explanation.lines] == [
        "Objects",
        "Object",
        "Color",
        "Object",
        "Grid",
    ]
    assert [line.is_used for line in explanation.lines] == [True, True, False, True, True]
    spare = explanation.pairs[0].lines[2].step
    assert (spare.state, spare.outcome) == ("value", 0)
    assert explanation.pairs[0].lines[4].step.outcome == explanation.pairs[0].outcome


def test_a_failed_line_and_those_that_need_it() -> None:
    explanation = explained(FAILING)
    states = [(each.step.state, each.step.needs) for each in explanation.pairs[0].lines]
    assert states == [
        ("value", ""),
        ("value", ""),
        ("failed", ""),
        ("blocked", "cell"),
        ("blocked", "cell"),
    ]
    assert [pair.verdict for pair in explanation.pairs] == ["failed"] * 3
    shown = printed(explanation)
    assert "failed: empty: first" in shown
    assert "needs cell, which failed" in shown


def test_lines_beyond_the_budget_are_not_reached() -> None:
    explanation = explained(FAILING, Budget(steps=2))
    assert [each.step.state for each in explanation.pairs[0].lines] == [
        "failed",
        *["unreached"] * 4,
    ]
    assert "not reached within the budget" in printed(explanation)


def test_a_line_that_cannot_work_says_so() -> None:
    explanation = explained("def solve_mine(I):\n    x1 = fill(I, I, TWO)\n    return x1\n")
    assert explanation.lines[0].warning.startswith("fill cannot take")
    assert "cannot work: fill cannot take" in printed(explanation)
    assert "cannot work: fill cannot take" in make_page(explanation)


def test_a_name_assigned_twice() -> None:
    text = "def solve_mine(I):\n    x = vmirror(I)\n    x = hmirror(x)\n    return x\n"
    explanation = explained(text)
    first, second = explanation.pairs[0].lines
    assert first.step.outcome == tuple(row[::-1] for row in GRID)
    assert second.step.outcome == tuple(row[::-1] for row in GRID)[::-1]
    ids = Elements(make_page(explanation)).ids
    assert len(ids) == len(set(ids))


def test_terminal_shows_each_line_once_with_its_number() -> None:
    shown = printed(explained(TEXT))
    for part in ("  4  parts = objects(I, T, F, T)", "  6  big = argmax(parts, size)", "# Above"):
        assert shown.count(part) == 1
    assert "unused: the result does not need this line" in shown
    assert "demo 1 is wrong: 2 cells differ" in shown
    assert "test 1 is wrong" in shown
    assert "where they differ" in shown


def test_inner_calls_are_drawn_when_asked_for() -> None:
    text = "def solve_mine(I):\n    x = size(palette(I))\n    return canvas(x, UNITY)\n"
    assert "· palette(I)" not in printed(explained(text))
    assert "· palette(I)" in printed(explained(text), inner=True)


@pytest.mark.parametrize("text", [TEXT, FAILING])
def test_the_page_is_self_contained(text: str) -> None:
    page = make_page(explained(text))
    elements = Elements(page)
    for tag, name, value in elements.attributes:
        if name in ("src", "href", "xlink:href", "srcset", "data", "action"):
            assert (tag, value[:1]) == ("a", "#"), (tag, name, value)
        if "://" in value:
            assert (tag, name, value) == ("svg", "xmlns", "http://www.w3.org/2000/svg")
    assert page.count("url(") == page.count("url(#") and "@import" not in page
    assert page.count("://") == page.count('xmlns="http://www.w3.org/2000/svg"')
    assert not any(tag == "link" for tag, _, _ in elements.attributes)


def test_the_page_shows_what_the_terminal_shows() -> None:
    page = make_page(explained(TEXT))
    assert "What it does, &lt;in words&gt;." in page
    assert "<in words>" not in page
    assert 'id="line-big"' in page and 'href="#line-big"' in page
    assert "where they differ" in page and "wanted" in page
    assert "unused: the result does not need this line" in page
    for label in ("demo 1", "demo 2", "test 1"):
        assert f">{label} <span" in page


def test_the_page_of_a_failing_program() -> None:
    page = make_page(explained(FAILING))
    assert '<div class="failure">failed: empty: first' in page
    assert "needs cell, which failed" in page
    assert page.split("<body>")[1].count("has-failed") == 1


def test_the_page_has_docs_of_primitives() -> None:
    page = make_page(explained(TEXT))
    assert "<b>argmax(container, compfunc)</b>" in page


PICTURES = """def solve_mine(I):
    whole = astuple(ORIGIN, I)
    parts = split_shapes(whole)
    none = split_shapes(keep_color(whole, NINE))
    return first(last(totuple(parts)))
"""


def test_lines_that_give_pictures() -> None:
    explanation = explained(PICTURES)
    assert [str(line.type) for line in explanation.lines[:3]] == ["Picture", "Pictures", "Pictures"]
    for shown in (printed(explanation, inner=True), make_page(explanation)):
        assert "picture 3x3 at (0, 0)" in shown
        assert "list of 2 pictures" in shown
        assert "empty list of pictures" in shown
        assert "tuple of" not in shown and "set of" not in shown
    assert "0b 1b" in printed(explanation) or "1a 1a" in printed(explanation)


HOSTILE = "</title><script>alert(1)</script><img src=x onerror='a()'>\""


def test_the_page_escapes_text() -> None:
    task = Task(HOSTILE, TASK.demos, TASK.test_inputs, HOSTILE)
    text = TEXT.replace("<in words>", HOSTILE.replace('"', "")).replace("Above", HOSTILE)
    (program, _) = parse_programs(text, HOSTILE)
    source = read_source(program)
    page = make_page(explain(program, source, task, [("demo", 0)], lambda index, value: None))
    assert "<script>alert" not in page and "<img" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 5
    Elements(page)


def test_unused_lines_have_a_budget() -> None:
    lines = "".join(f"    x{k} = hconcat(I, canvas({k}, (3, 3)))\n" for k in range(1, 9))
    explanation = explained(f"def solve_mine(I):\n{lines}    return I\n", Budget(steps=100))
    states = [each.step.state for each in explanation.pairs[0].lines]
    assert states[0] == "value" and states[-1] == "unreached"


def test_source_with_other_line_ends_and_wide_characters() -> None:
    text = "def solve_mine(I):\n    # über\n    x = canvas(ONE, (2, \n      1))\n    return x\n"
    (statement,) = read_source(next(parse_programs(text.replace("\n", "\r\n")))).statements
    assert statement.comments == ("# über",)
    assert statement.text == "x = canvas(ONE, (2, \n  1))"


# --- layers and tables ---

STACKED = """def solve(S, I):
    x1 = astuple(ORIGIN, I)
    x2 = tint(x1, TWO)
    x3 = keep_color(x1, ONE)
    x4 = over(x3, x2)
    x5 = holes_over(x1, x4)
    O = last(x5)
    return O
"""


def test_layers_of_a_stack_are_lifted_from_above() -> None:
    layers = find_layers(parse_program(STACKED))
    assert [layer.paints for layer in layers] == [
        "where it is 0",
        "where it is not 0",
        "everywhere",
    ]
    assert layers[0].program == parse_program(STACKED)
    lifted = STACKED.replace("x5 = holes_over(x1, x4)", "x5 = x4").replace("last(x5)", "last(x4)")
    lifted = lifted.replace("    x5 = x4\n", "")
    assert layers[1].program == parse_program(lifted)
    assert find_layers(parse_program("def solve(I):\n    O = vmirror(I)\n    return O\n")) == []


def test_rules_become_tables() -> None:
    lines = [
        "an object, 4-connected and black, is described by whether it touches the edge:",
        "one at the edge stays",
        "one not at the edge becomes yellow",
        "panels lie over each other, and a place depends on how many show something:",
        "2 of them: green",
        "a cell of black becomes A where the first color up is A",
        "also mirrored and turned in all ways",
        "Objects are 8-connected:",
        "if its size is at least 14:",
        "  it stays",
    ]
    edge, panels, tree = to_tables(lines)
    assert [(row.what, row.result, row.color) for row in edge.rows] == [
        ("one at the edge", "stays", None),
        ("one not at the edge", "yellow", 4),
    ]
    assert [(row.what, row.result, row.where) for row in panels.rows] == [
        ("2 of them", "green", ""),
        ("a cell of black", "A", "the first color up is A"),
        ("also mirrored and turned in all ways", "", ""),
    ]
    assert not tree.is_table and [row.what for row in tree.rows] == lines[-2:]
