"""The parser: accepted text, errors, and hostile text."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt.explainer import read_source
from arcbatt.language import (
    ParsedProgram,
    Program,
    ProgramError,
    RejectedProgram,
    format_program,
    interpret,
    ir,
    parse_file,
    parse_program,
    read_file,
    read_lines,
)
from arcbatt.language import parse as parse_module
from arcbatt.language.parse import MAX_PROGRAM_BYTES, parse_programs
from arcbatt.language.parse_plain import read_plain
from arcbatt.language.text import MAX_COLUMNS
from arcbatt.language.tree_reader import MAX_LINES, MAX_NESTING
from tests.conftest import programs


def body(*lines: str, head: str = "def solve_x(I):") -> str:
    return "\n".join([head, *(f"    {line}" for line in lines)]) + "\n"


def rejection(text: str) -> ProgramError:
    with pytest.raises(ProgramError) as caught:
        list(parse_programs(text, "file.py"))
    return caught.value


def test_what_solver_files_look_like() -> None:
    text = body(
        '"""A docstring."""',
        "x1 = vmirror(I)  # a comment",
        "",
        "x2 = hconcat(I, x1)",
        "x3 = compose(hmirror, vmirror)",
        "x4 = x3(x2)",
        "O = vconcat(x2, x4)",
        "return O",
    )
    program = parse_program("from dsl import *\nfrom constants import *\n\n\n" + text)
    assert program.name == "solve_x"
    outcome = interpret(program, {"I": ((1, 2),)}).outcome
    assert outcome == ((1, 2, 2, 1), (1, 2, 2, 1))


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("x = 17", 17),
        ("x = -3", -3),
        ("x = (1, (2, 3), TWO)", (1, (2, 3), 2)),
        ("x = {(0, 1), ORIGIN}", frozenset({(0, 1), (0, 0)})),
        ("x = ()", ()),
        ("x = (True, F)", (True, False)),
        ("x = EMPTY", frozenset()),
        ("x = lbind(add, 2)(3)", 5),
        ("x = add(b=2, a=subtract(b=1, a=7))", 8),
        ("x = size_t(I)", 1),
        ("x = first(apply(first, I))", 4),
    ],
)
def test_expressions(line: str, value: object) -> None:
    assert interpret(parse_program(body(line, "return x")), {"I": ((4, 4),)}).outcome == value


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        (body("x = hmiror(I)", "return x"), 2, 9, "did you mean hmirror?"),
        (body("x = hmirror(J)", "return x"), 2, 17, "unknown name J"),
        (body("shape_one = hmirror(I)", "return shape_onee"), 3, 12, "did you mean shape_one?"),
        (body("x = hmirror(S)", "return x"), 2, 17, "unknown name S"),
        (body("x = hmirror(I, I)", "return x"), 2, 9, "hmirror(piece) takes 1 argument, not 2"),
        (body("x = fill(I, value=1)", "return x"), 2, 9, "expected patch"),
        (body("x = fill(I, color=1, patch=I)", "return x"), 2, 23, "has no argument color"),
        (body("x = fill(I, 1, grid=I)", "return x"), 2, 25, "grid is given twice"),
        (body("x = hmirror(**I)", "return x"), 2, 19, "has no argument **"),
        (body("x = hmirror(*I)", "return x"), 2, 17, "expected a name"),
        (body("x = I.size", "return x"), 2, 9, "expected a name, a constant"),
        (body("x = I[0]", "return x"), 2, 9, "expected a name, a constant"),
        (body("x = 'text'", "return x"), 2, 9, "expected a name, a constant"),
        (body("x = 1.5", "return x"), 2, 9, "expected a name, a constant"),
        (body("x = 99999999", "return x"), 2, 9, "expected a number up to"),
        (body("x = (1, I, 2)", "return x"), 2, 9, "write astuple(a, b) for two"),
        (body("x = ONE(I)", "return x"), 2, 9, "function-valued"),
        (body("x = I.hmirror(I)", "return x"), 2, 9, "function-valued"),
        (body("f = compose(hmirror, hmirror)", "x = f()", "return x"), 3, 9, "at least one"),
        (body("f = compose(hmirror, hmirror)", "x = f(a=I)", "return x"), 3, 9, "keyword"),
        (body("f = hmirror", "x = f(I, I)", "return x"), 3, 9, "takes 1 argument"),
        (body("x = lambda *y: y", "return x"), 2, 9, "expected a lambda of plain arguments"),
        (body("x = [1, 2]", "return x"), 2, 9, "expected a name, a constant"),
        (body("x, y = I", "return x"), 2, 5, "one name to assign to"),
        (body("x = y = I", "return x"), 2, 5, "one name to assign to"),
        (body("x: int", "return I"), 2, 5, "expected an assignment"),
        (body("(x): int = I", "x.y: int = I", "return I"), 3, 5, "one name to assign to"),
        (body("ONE: int = I", "return I"), 2, 5, "is a constant"),
        (body("I = hmirror(I)", "return I"), 2, 5, "is an input"),
        (body("ONE = hmirror(I)", "return ONE"), 2, 5, "is a constant"),
        (body("size = hmirror(I)", "return size"), 2, 5, "is a primitive"),
        (body("x = hmirror(I)"), 2, 5, "expected a last line `return ...`"),
        (body("return"), 2, 5, "expected a name or a call to return"),
        (body("if I:", "    return I"), 2, 5, "write x = branch(condition, a, b)"),
        (body("for i in I: pass", "return I"), 2, 5, "expected an assignment"),
        (body("import os", "return I"), 2, 5, "expected an assignment"),
        (body("hmirror(I)", "return I"), 2, 5, "expected an assignment"),
        (
            body("return I", head="def f(I, S):"),
            1,
            1,
            "expected the inputs (I), (S, I) or (S, I, output, target)",
        ),
        (body("return I", head="def f(I=1):"), 1, 1, "expected the inputs"),
        (body("return I", head="def f(*I):"), 1, 1, "expected the inputs"),
        (body("return I", head="def f(I: Grid, J: Grid):"), 1, 1, "expected the inputs"),
        (body("return I") + "x = 1\n", 3, 1, "expected a program"),
        (body("x = hmirror(I", "return x"), 2, 16, "not readable as a program"),
        (body(f"x = add({'9' * 5000}, 1)", "return x"), 2, 13, "a number has too many digits"),
        ("import os\n" + body("return I"), 1, 1, "expected a program"),
        ("@decorated\n" + body("return I"), 1, 1, "expected a program"),
        ("class A: pass\n", 1, 1, "expected a program"),
    ],
)
def test_rejections_say_where_and_what(text: str, line: int, column: int, message: str) -> None:
    error = rejection(text)
    assert message in error.message
    assert (error.file, error.line, error.column) == ("file.py", line, column)
    assert str(error).startswith(f"file.py:{line}:{column}: ")


def test_a_rejection_shows_the_offending_text() -> None:
    assert rejection(body("x = hmirror(I)", "y = add(x, qqqqqq)", "return y")).text == "qqqqqq"


def test_lines_are_counted_through_the_file() -> None:
    error = rejection(body("return I") + "\n\n" + body("x = hmiror(I)", "return x"))
    assert (error.line, error.column) == (6, 9)


# --- hostile text ---


@pytest.mark.parametrize(
    "text",
    [
        body("x = " + "hmirror(" * 1_300_000, "return x"),
        body("x = " + "(" * 10_000_000, "return x"),
        body("x = " + "[" * 5_000_000 + "]" * 5_000_000, "return x"),
        body("x = " + "-" * 10_000_000 + "1", "return x"),
        body("x = " + "not " * 2_500_000 + "1", "return x"),
        body("x = I" + ".a" * 5_000_000, "return x"),
        body("x = " + "1+" * 5_000_000 + "1", "return x"),
        body("x = I" + "(I)" * 3_000_000, "return x"),
        "\n".join(" " * i + "if I:" for i in range(3000)),
        body(*("if I:" for _ in range(2_000_000))),
        body(*(f"x{i} = hmirror(I)" for i in range(1_000_000)), "return x1"),
        body("x = " + "a" * 10_000_000, "return x"),
        body("x = '" + "a" * 10_000_000 + "'", "return x"),
        "\\" * 10_000_000,
        "def " * 2_500_000,
        "(" * 10_000_000,
        body("x = 0x" + "f" * 900_000, "return x"),
        body("x = f'" + "{I}" * 200_000 + "'", "return x"),
        body("x = " + "q" * 500_000, "return x"),
    ],
    ids=lambda text: text[:24].replace("\n", "|") + f"..{len(text)}",
)
def test_ten_megabytes_of_malice_are_refused(text: str) -> None:
    rejection(text)


@pytest.mark.parametrize(
    "expression",
    [
        "hmirror(" * 60 + "I" + ")" * 60,
        "(" * 60 + "1," + ")," * 59 + ")",
    ],
)
def test_nesting_within_the_limit_is_fine(expression: str) -> None:
    assert parse_program(body(f"x = {expression}", "return x"))


@pytest.mark.parametrize("depth", [MAX_NESTING + 2, 90, 190, 1000, 50_000])
@pytest.mark.parametrize(
    "pattern", [("hmirror(", "I", ")"), ("(", "1", ",)"), ("", "I", "(I)"), ("-", "1", "")]
)
def test_nesting_beyond_the_limit_is_not(pattern: tuple[str, str, str], depth: int) -> None:
    opening, core, closing = pattern
    rejection(body("x = " + opening * depth + core + closing * depth, "return x"))


def test_size_limits_hold_for_one_program() -> None:
    padding = "# " + "x" * MAX_PROGRAM_BYTES
    assert "bytes" in rejection(body(padding, "return I")).message
    assert "bytes" in rejection(body("# " + "é" * (MAX_PROGRAM_BYTES // 2), "return I")).message
    lines = [f"x{i} = hmirror(I)" for i in range(MAX_LINES)]
    assert "lines" in rejection(body(*lines, "return I")).message


def test_a_file_may_be_larger_than_any_program() -> None:
    text = body(*(f"x{i} = hmirror(I)" for i in range(400)), "return x3")
    assert sum(1 for _ in parse_programs(text * 200)) == 200


def test_a_program_as_long_as_allowed_runs() -> None:
    lines = ["x0 = hmirror(I)", *(f"x{i} = hmirror(x{i - 1})" for i in range(1, MAX_LINES - 2))]
    program = parse_program(body(*lines, f"return x{MAX_LINES - 3}"))
    assert program.n_calls == MAX_LINES - 2
    assert interpret(program, {"I": ((1,), (2,))}).outcome == ((1,), (2,))
    assert parse_program(format_program(program)) == program


_events: list[str] | None = None


def _watch(event: str, args: tuple[object, ...]) -> None:
    if _events is not None and event in ("import", "exec", "os.system", "subprocess.Popen"):
        _events.append(f"{event} {args}")


sys.addaudithook(_watch)


@contextmanager
def audited() -> Iterator[list[str]]:
    """Record everything that Python imports or executes inside."""
    global _events
    events = _events = []
    try:
        yield events
    finally:
        _events = None


def test_the_watch_sees_what_it_should() -> None:
    with audited() as events:
        compiled = compile("1", "text", "eval")
        eval(compiled)  # noqa: S307
    assert [event.split()[0] for event in events] == ["exec"]


ATTACKS = [
    "__import__('os')",
    "__import__",
    "eval('1')",
    "exec",
    "open('/etc/passwd')",
    "os.system",
]


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize(
    "template",
    [
        "{}\ndef f(I):\n    return I\n",
        "def f(I={}):\n    return I\n",
        "@{}\ndef f(I):\n    return I\n",
        "def f(I):\n    {}\n    return I\n",
        "def f(I):\n    x = {}\n    return x\n",
        "def f(I):\n    x = hmirror({})\n    return x\n",
        "def f(I):\n    x = hmirror(piece={})\n    return x\n",
        "def f(I):\n    x = {}(I)\n    return x\n",
        "def f(I):\n    x = compose({}, hmirror)(I)\n    return x\n",
        "def f(I):\n    x = (1, {})\n    return x\n",
        "def f(I):\n    x = {{1, {}}}\n    return x\n",
        "def f(I):\n    x[{}] = I\n    return x\n",
        "def f(I):\n    return {}\n",
        "def f(I):\n    return I\n{}\n",
        "def f(I):\n    return I\ndef {}(I):\n    return hmirror(\n",
        "def f(I):\n    x = f'{{{}}}'\n    return x\n",
    ],
)
def test_nothing_in_a_text_is_ever_executed(attack: str, template: str) -> None:
    with audited() as events:
        rejection(template.format(attack))
    assert not events


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_annotation_is_ever_executed(attack: str) -> None:
    text = f"def f(I: {attack}) -> {attack}:\n    x: {attack} = hmirror(I)\n    return x\n"
    with audited() as events:
        assert parse_program(text) == parse_program(body("return hmirror(I)"))
    assert not events


@pytest.mark.parametrize(
    "content",
    [
        b"def f(I):\n    x = hmirror(I)\x00\n    return x\n",
        b"\x00" * 1000,
        b"\xff\xfe def f(I): return I",
        b"def f(I):\n    return \xc3\x28\n",
        b"def f(I):\n\treturn I\n        return I\n",
        b"def f(I):\r    return I\x0c\x00",
    ],
)
def test_files_that_are_no_text_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.py"
    path.write_bytes(content)
    with pytest.raises(ProgramError):
        parse_file(path)


def test_a_byte_order_mark_is_no_part_of_a_text(tmp_path: Path) -> None:
    text = "\ufeff" + body("return hmirror(I)")
    path = tmp_path / "marked.py"
    path.write_text(text, "utf-8")
    wanted = parse_program(text[1:])
    assert parse_program(text) == wanted
    assert [each.program for each in parse_file(path)] == [wanted]
    for found in (*read_file(path), *read_lines(text.split("\n"))):
        assert isinstance(found, ParsedProgram) and found.program == wanted and found.line == 1
    assert read_source(parse_file(path)[0]).text == text[1:]
    # Elsewhere than at the beginning it is an error.
    with pytest.raises(ProgramError):
        parse_program(text[1:] + text)


def test_a_missing_file_or_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="cannot be read"):
        parse_file(tmp_path / "none.py")
    with pytest.raises(ProgramError, match="cannot be read"):
        parse_file(tmp_path)


def test_an_empty_text_has_no_programs() -> None:
    assert list(parse_programs("")) == []
    assert list(parse_programs("# only a comment\n\n")) == []
    with pytest.raises(ProgramError, match="found 0"):
        parse_program("")


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        (body("x = hmirror(I)", "y = " + "-" * 9000 + "1", "return y"), 0, 0, "nested too deep"),
        (body("x = hmirror(I)", "y = x\0", "return y"), 3, 10, "a NUL byte"),
        (body("é = hmirrorr(I)", "return é"), 2, 9, "did you mean hmirror?"),
        (body("x = '\x1b[31mred'", "return x"), 2, 9, "expected a name"),
        (body("x = hmirror(I)\r    y = x", "return y"), 2, 19, "a carriage return that ends no"),
        (body("# one\r", "y = I\ry", "return y"), 3, 10, "a carriage return that ends no line"),
    ],
)
def test_odd_text_is_placed_rightly_too(text: str, line: int, column: int, message: str) -> None:
    error = rejection(text)
    assert message in error.message
    assert not line or (error.line, error.column) == (line, column)
    assert "\x1b" not in str(error)


def test_what_may_stand_before_the_first_program(tmp_path: Path) -> None:
    path = tmp_path / "file.py"
    head = '"""A docstring of\ndef two lines."""\n# comment\nfrom arc_dsl.dsl import *\n'
    path.write_bytes(b"\xef\xbb\xbf" + (head + body("return I")).encode())
    (parsed,) = parse_file(path)
    assert parsed.line == 5


def test_a_rejected_program_leaves_the_others(tmp_path: Path) -> None:
    path = tmp_path / "file.py"
    path.write_text(
        body("return I", head="def a(I):") + body("foo", head="def b(I):") + body("return I")
    )
    first, second, third = read_file(path)
    assert isinstance(first, ParsedProgram) and isinstance(third, ParsedProgram)
    assert isinstance(second, RejectedProgram) and (second.name, second.line) == ("b", 3)


STRAY = (
    "import os",
    "ZZ = 3",
    "from dsl import objects",
    "class A:\n    def f(self):\n        pass",
    "@decorated",
    'if __name__ == "__main__":\n    print(solve(I))',
    "what's this: (a bracket",
    'HELP = """\ndef in_text(I):\n    return I\n"""',
    "    indented",
    "import os\n\nimport sys  # together\nx = 1",
)


@pytest.mark.parametrize("stray", STRAY)
def test_a_line_outside_of_programs_leaves_them(tmp_path: Path, stray: str) -> None:
    path = tmp_path / "file.py"
    head = "# a comment\n" + ("" if stray.startswith(" ") else body("return I", head="def a(I):"))
    path.write_text(head + f"{stray}\n\n" + body("return I", head="def b(I):"))
    *before, rejected, after = read_file(path)
    assert [each.name for each in (*before, after)] == ["a", "b"][-len(before) - 1 :]
    assert all(isinstance(each, ParsedProgram) for each in (*before, after))
    assert isinstance(rejected, RejectedProgram) and rejected.name == ""
    line = head.count("\n") + 1
    assert rejected.line == line
    assert str(rejected.error).startswith(f"{path}:{line}:1: expected a program: def solve_...(I):")
    with pytest.raises(ProgramError) as caught:
        parse_file(path)
    assert str(caught.value) == str(rejected.error)


@pytest.mark.parametrize("stray", STRAY)
def test_a_line_above_or_below_all_programs_leaves_them(stray: str) -> None:
    above, *programs = read_lines(f"{stray}\n{body('return I') * 2}".split("\n"))
    assert isinstance(above, RejectedProgram) and above.line == 1
    assert [type(each) for each in programs] == [ParsedProgram] * 2
    if not stray.startswith(" "):
        program, below = read_lines(f"{body('return I')}{stray}\n".split("\n"))
        assert isinstance(program, ParsedProgram)
        assert isinstance(below, RejectedProgram) and below.line == 3


@pytest.mark.parametrize(
    "text",
    [
        "def solve_x(\n    I,\n):\n    return I\n",
        'def solve_x(I):\n    """A docstring\nthat is "not" indented (\n"""\n    return I\n',
        "def solve_x(I):\n    return fill(  # (\nI, ONE,\n{(0, 0)}\n)\n",
        "def solve_x(I):\n    x = \\\nhmirror(I)\n    return x\n",
        "def solve_x(I):\n    'one \\\nline'\n    return I\n",
        "def solve_x(I):\n# a comment\n\n    return I\n",
        body("return I") + '"""A text\ndef between programs."""\nfrom dsl import *\n',
    ],
)
def test_what_is_open_goes_on_in_the_first_column(text: str) -> None:
    first, second = parse_programs(text + body("return hmirror(I)"))
    assert (first.line, first.name, second.name) == (1, "solve_x", "solve_x")
    windows = text.replace("\n", "\r\n") + body("return I")
    assert next(parse_programs(windows)).program == first.program


def test_a_text_that_does_not_end_is_said() -> None:
    (rejected,) = read_lines(["# comment", '"""A docstring', *body("return I").split("\n")])
    assert isinstance(rejected, RejectedProgram) and rejected.line == 2
    assert "expected an end of this text in quotes" in str(rejected.error)


def test_windows_line_ends_are_fine() -> None:
    assert parse_program(body("x = hmirror(I)", "return x").replace("\n", "\r\n"))


# --- any text at all ---


def test_annotations_mean_nothing() -> None:
    text = """
def verify_x(S: Tuple[Pair], I: "Grid | None") -> Grid:
    x1: Grid = vmirror(I)
    x2: Callable[[Grid], Grid] = compose(hmirror, vmirror)
    return x2(x1)
"""
    bare = body("x1 = vmirror(I)", "f = compose(hmirror, vmirror)", "return f(x1)")
    assert parse_program(text) == parse_program(bare)


def outcome_of(text: str) -> list[tuple[str, ParsedProgram]] | tuple[str, int, int]:
    """Return the programs of a text, or its error; no other exception may be raised."""
    try:
        return [(each.name, each) for each in parse_programs(text, "file.py")]
    except ProgramError as error:
        return str(error), error.line, error.column


ODD = ("\r", "\r\n", "\n", "\x0c", "\x85", "\u2028", "\0", "\ufeff", "\t", " ", "\\", "\x1b")
PIECES = (
    *ODD,
    *("(", ")", "{", "}", ",", ", ", "=", " = ", "#", ":", "-", "'", '"', '"""', "f", ".", "é"),
    *(
        "x1",
        "I",
        "S",
        "O",
        "hmirror",
        "add(",
        "ONE",
        "True",
        "return ",
        "    ",
        "1",
        "00",
        "_",
        "if",
    ),
    *("def solve_y(I):\n", "def ", ": Grid", " -> Grid", "x2 = (1, (2,))", "{1, 2}", "x2(I)", "()"),
    *("add(1, 2)", "(1)", "x1(", "lambda", "**", "b=1", "1048576", "-0", "99999999999", "S, I"),
)
TEXTS = (
    body('"""A docstring."""', "x1 = fill(I, ONE, asindices(I))", "O = hmirror(x1)", "return O"),
    body(
        '"""A docstring',
        'of two lines."""',
        "x1 = lbind(add, 2)",
        "x2 = x1(3)  # 5",
        "return (x2,)",
    ),
    body("x1: Grid = crop(I, (0, -1), {(1,), ()})", "return x1", head="def f(S, I: Grid) -> Grid:"),
    body("return I") + "\n\n" + body("return size(objects(I, T, F, T))"),
)


@st.composite
def edited_texts(draw: st.DrawFn) -> str:
    """Draw program text with pieces inserted, removed and moved."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 6)))
        text = text[:start] + draw(st.sampled_from(PIECES)) + text[end:]
    return text


@pytest.mark.slow
@settings(max_examples=1500, deadline=None)
@given(edited_texts())
def test_plain_text_reads_as_by_ast(text: str) -> None:
    fast = outcome_of(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parse_module, "read_plain", lambda *_: None)
        assert outcome_of(text) == fast


@given(programs)
def test_what_is_printed_is_plain(program: Program) -> None:
    assert read_plain(format_program(program), 1) is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parse_module, "read_plain", lambda *_: None)
        slow = outcome_of(format_program(program))
    assert outcome_of(format_program(program)) == slow


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=30).map("".join))
def test_any_text_gives_programs_or_an_error(text: str) -> None:
    outcome_of(text)
    outcome_of(body(text, "return I"))
    assert all(isinstance(each, ParsedProgram | RejectedProgram) for each in read_all(text))


def read_all(text: str) -> list[ParsedProgram | RejectedProgram]:
    try:
        return list(read_lines(body("return I").split("\n") + text.split("\n")))
    except ProgramError as error:
        pytest.fail(f"a text that begins with a program: {error}")


def test_long_names_are_shortened_in_messages() -> None:
    for line in (
        "return " + "q" * 5000,
        "return " + "q" * 5000 + "(I)",
        f"return hmirror({'q' * 5000}=I)",
    ):
        assert len(str(rejection(body(line)))) < 300


def test_no_file_is_opened_for_a_syntax_error(tmp_path: Path) -> None:
    # Reading a FIFO that nobody writes to would not end.
    os.mkfifo(tmp_path / "<unknown>")
    code = (
        "from arcbatt.language import ProgramError, parse_program\n"
        "try: parse_program('def f(I):\\n    return (I\\n')\n"
        "except ProgramError as error: print(error)\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert "not readable as a program" in done.stdout, done.stderr


def test_long_literals_are_written_in_lines_that_can_be_read() -> None:
    numbers = tuple(range(-20_000, 20_000))
    places = frozenset((i, j) for i in range(60) for j in range(60))
    for value in (numbers, places, (numbers, places)):
        node = ir.call_node("astuple", ir.input_node("I"), ir.constant(value))
        program = Program(node, "long")
        assert max(map(len, program.text.split("\n"))) <= MAX_COLUMNS
        assert parse_program(program.text) == program
        assert parse_program(Program(ir.constant(value)).text).result is ir.constant(value)


@pytest.mark.parametrize(
    ("line", "n"),
    [
        # Spaces and names make a text longer; calls on one line become lines.
        ("x{k} = astuple(I, (" + "1," * 9_000 + "1))", 55),
        ("x{k} = " + "vmirror(" * 60 + "I" + ")" * 60, 170),
    ],
)
def test_a_program_whose_own_text_could_not_be_read_is_refused(line: str, n: int) -> None:
    lines = [line.replace("{k}", str(k)).replace("I,", f"{k},") for k in range(n)]
    if "vmirror" in line:
        lines = [each.replace("(I)", f"(canvas({k}, (1, 1)))") for k, each in enumerate(lines)]
    joined = ["y0 = x0", *(f"y{k} = astuple(y{k - 1}, x{k})" for k in range(1, n))]
    text = body(*lines, *joined, f"return y{n - 1}")
    assert len(text) <= MAX_PROGRAM_BYTES and text.count("\n") <= MAX_LINES
    error = rejection(text)
    assert "written with one call per line" in str(error)
