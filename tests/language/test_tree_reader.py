"""Python that people and models write: accepted forms, their meaning, and remedies."""

from __future__ import annotations

import pytest

from arcbatt.language import ParsedProgram, ProgramError, interpret, parse_program, read_lines
from arcbatt.language.parse import parse_programs
from arcbatt.language.tree_reader import MAX_ERRORS

GRID = ((1, 0, 2), (0, 3, 0))


def solver(*lines: str, head: str = "def solve(I):") -> str:
    return "\n".join([head, *(f"    {line}" for line in lines)]) + "\n"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("height(I) + 1", "add(height(I), 1)"),
        ("shape(I) - UNITY", "subtract(shape(I), UNITY)"),
        ("height(I) * width(I) // 2", "divide(multiply(height(I), width(I)), 2)"),
        ("I + I", "combine(I, I)"),
        ("palette(I) | {3}", "combine(palette(I), {3})"),
        ("palette(I) & {3}", "intersection(palette(I), {3})"),
        ("palette(I) - {3}", "difference(palette(I), {3})"),
        ("-height(I)", "invert(height(I))"),
        ("height(I) == 3", "equality(height(I), 3)"),
        ("height(I) != 3", "flip(equality(height(I), 3))"),
        ("height(I) < 3", "greater(3, height(I))"),
        ("height(I) >= 3", "flip(greater(3, height(I)))"),
        ("1 < height(I) <= 3", "both(greater(height(I), 1), flip(greater(height(I), 3)))"),
        ("3 in palette(I)", "contained(3, palette(I))"),
        ("3 not in palette(I)", "flip(contained(3, palette(I)))"),
        ("square(I) and portrait(I) or T", "either(both(square(I), portrait(I)), T)"),
        ("not square(I)", "flip(square(I))"),
        ("I if square(I) else hmirror(I)", "branch(square(I), I, hmirror(I))"),
        ("(height(I), width(I) - 1)", "astuple(height(I), subtract(width(I), 1))"),
        ("{height(I), 4}", "insert(4, initset(height(I)))"),
        ("len(palette(I))", "size(palette(I))"),
        ("max(objects(I, T, F, T), key=size)", "argmax(objects(I, T, F, T), size)"),
        ("sorted(I, key=lambda row: size(row))", "order(I, size)"),
        ("apply(lambda row: add(first(row), 1), I)", "apply(compose(rbind(add, 1), first), I)"),
        ("papply(lambda a, b: combine(a, b), I, I)", "papply(combine, I, I)"),
        (
            "[first(row) for row in I if first(row) > 0]",
            "apply(first, sfilter(I, compose(rbind(greater, 0), first)))",
        ),
        (
            "max(size(o) for o in objects(I, T, F, T))",
            "maximum(apply(size, objects(I, T, F, T)))",
        ),
        (
            "merge(recolor(RED, o) for o in objects(I, T, F, T))",
            "merge(apply(lbind(recolor, RED), objects(I, T, F, T)))",
        ),
        (
            "apply(lambda c: 0 if c == 3 else c, first(I))",
            "apply(fork(rbind(branch, 0), compose(flip, rbind(equality, 3)), identity), first(I))",
        ),
        (
            "frozenset(color(o) for o in objects(I, T, F, T))",
            "apply(color, objects(I, T, F, T))",
        ),
        (
            "tuple(color(o) for o in objects(I, T, F, T))",
            "apply(color, totuple(objects(I, T, F, T)))",
        ),
    ],
)
def test_what_maps_one_to_one_is_accepted(written: str, meant: str) -> None:
    assert parse_program(solver(f"return {written}")) == parse_program(solver(f"return {meant}"))


def test_remainders_are_those_of_python() -> None:
    for n in range(-5, 6):
        text = solver(f"x = add({n}, 0)", "return x % 3")
        assert interpret(parse_program(text), {"I": GRID}).outcome == n % 3


def test_an_augmented_assignment_is_an_assignment() -> None:
    text = solver("x = height(I)", "x += 1", "return x")
    assert parse_program(text) == parse_program(solver("return add(height(I), 1)"))


def test_the_one_input_may_have_another_name() -> None:
    text = solver("x = hmirror(grid)", "return x", head="def solve(grid: Grid) -> Grid:")
    assert parse_program(text) == parse_program(solver("return hmirror(I)"))
    for head in ("def solve(S):", "def solve(size):", "def solve(self, grid):"):
        with pytest.raises(ProgramError, match="expected the inputs"):
            parse_program(solver("return 1", head=head))


HELPERS = """
def flip_both(grid):
    grid = hmirror(grid)
    return vmirror(grid)

def is_large(obj, limit):
    return size(obj) > limit

def solve(I):
    def inner(x):
        return combine(x, flip_both(I))
    x = flip_both(I)
    large = sfilter(objects(x, T, F, T), lambda o: is_large(o, 3))
    O = inner(fill(x, RED, merge(large)))
    return O
"""


def test_functions_of_the_text_are_written_out() -> None:
    plain = """
def solve(I):
    x = vmirror(hmirror(I))
    large = sfilter(objects(x, T, F, T), compose(rbind(greater, 3), size))
    return combine(fill(x, RED, merge(large)), x)
"""
    assert parse_program(HELPERS) == parse_program(plain)
    (only,) = read_lines(HELPERS.split("\n"))
    assert isinstance(only, ParsedProgram)
    assert [name for _, name, _ in only.lines] == ["x", "large", "O"]


def test_a_function_may_be_a_value_and_stand_below() -> None:
    text = (
        solver("return apply(doubled, I)") + "\ndef doubled(row):\n    return combine(row, row)\n"
    )
    plain = solver("return apply(fork(combine, identity, identity), I)")
    assert parse_program(text) == parse_program(plain)


def test_a_function_with_the_name_of_a_primitive_is_rejected() -> None:
    text = "def trim(x):\n    return hmirror(x)\n\n" + solver("return trim(I)")
    with pytest.raises(ProgramError, match="trim is a primitive; expected another name"):
        parse_program(text)
    # A copy of the primitive's own definition changes nothing.
    copied = "def trim(grid):\n    return tuple(r[1:-1] for r in grid[1:-1])\n\n"
    plain = solver("return trim(I)")
    assert parse_program(copied + plain) == parse_program(plain)


def test_a_function_that_no_other_calls_is_a_program() -> None:
    text = solver("return hmirror(I)") + solver("return vmirror(x)", head="def other(x):")
    assert [each.name for each in parse_programs(text)] == ["solve", "other"]


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return f(x)\n" + solver("return f(I)"),
        "def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\n" + solver("return f(I)"),
        solver("def f(x):", "    return f(x)", "return f(I)"),
        solver("def f(x):", "    return apply(f, x)", "return f(I)"),
    ],
)
def test_recursion_is_rejected(text: str) -> None:
    with pytest.raises(ProgramError, match="calls itself"):
        list(parse_programs(text))


def test_functions_that_call_others_twice_do_not_explode() -> None:
    functions = ["def f0(x, y):\n    return combine(x, y)\n"]
    for n in range(1, 40):
        functions.append(f"def f{n}(x, y):\n    return f{n - 1}(f{n - 1}(x, y), f{n - 1}(y, x))\n")
    with pytest.raises(ProgramError, match="more than 10000 lines"):
        list(parse_programs("".join(functions) + solver("return f39(I, hmirror(I))")))
    same = [f"def f{n}(x):\n    return combine(f{n - 1}(x), f{n - 1}(x))\n" for n in range(1, 40)]
    text = "def f0(x):\n    return combine(x, x)\n" + "".join(same) + solver("return f39(I)")
    assert parse_program(text).n_calls == 40


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("x = I[0]", "write first(I)"),
        ("x = I[-1]", "write last(I)"),
        ("x = I[0][1]", "write index(I, (0, 1))"),
        ("x = I[a, b]", "write index(I, astuple(a, b))"),
        ("x = I[-1][-1]", "write last(last(I))"),
        ("x = I[-1][0]", "write first(last(I))"),
        ("x = I[-2][0]", "write first(x), last(x), or index"),
        ("x = I[::-1]", "write hmirror(grid)"),
        ("x = zip(*I)", "write dmirror(grid)"),
        ("x = sorted(I, key=size, reverse=True)", "write order(container, function)"),
        ("x = next(iter(I))", "write first(container)"),
        ("I[0][1] = 3", "values never change: write x = fill("),
        ("I[0][1] += 3", "values never change: write x = fill("),
        ("try: x = I\n    except: x = I", "there is no try"),
        ("pass", "leave this line out"),
        ("x = I[1:3]", "crop(grid, start, dims)"),
        ("x = I.shape", "no attributes"),
        ("x = [1, 2]", "write a tuple, (1, 2, ...)"),
        ("x = {1: 2}", "there are no dicts"),
        ("x = 'red'", "RED"),
        ("x = 1.5", "numbers are whole"),
        ("x = None", "there is no None"),
        ("x = height(I) / 2", "write divide(a, b)"),
        ("x = I is None", "write a == b"),
        ("x = set(I)", "initset(value)"),
        ("x = sum(I)", "size(container) counts"),
        ("x = range(3)", "write interval(start, stop, step)"),
        ("x = {a for row in I for a in row}", "expected one `for name in container`"),
        ("x = {first(row) for row in I}", "apply(function, container)"),
        ("x = apply(lambda row: I, I)", "put together from primitives"),
        ("x = np.flip(I)", "expected a primitive"),
        ("h, w = shape(I)", "h = first(value) and w = last(value)"),
        ("for row in I: x = row", "apply(function, container)"),
        ("while T: x = I", "power(function, n)"),
        ("if T: return I", "branch(condition, a, b)"),
        ("return I", "only the last line returns"),
        ("import numpy", "nothing can be imported"),
        ("I = hmirror(I)", "I is an input; expected another name"),
        ("objects = hmirror(I)", "objects is a primitive; expected another name"),
    ],
)
def test_what_is_not_accepted_gets_a_remedy(line: str, remedy: str) -> None:
    with pytest.raises(ProgramError) as caught:
        parse_program(solver(line, "return I"))
    assert remedy in caught.value.message


def test_all_errors_of_a_program_are_told_at_once() -> None:
    text = solver(
        "x = hmiror(J)", "y = add(I[0], nothing)", "h, w = shape(x)", "z = fill(x, h)", "return q"
    )
    with pytest.raises(ProgramError) as caught:
        parse_program(text)
    told = [(error.line, error.message.partition(";")[0]) for error in caught.value.all]
    assert [line for line, _ in told] == [2, 2, 3, 3, 4, 5, 6]
    assert told[0][1].startswith("unknown primitive hmiror")
    assert told[1][1].startswith("unknown name J")
    assert told[3][1].startswith("unknown name nothing")
    assert told[5][1].startswith("fill(grid, value, patch) takes 3 arguments, not 2")


def test_the_errors_of_one_program_are_bounded() -> None:
    text = solver(*(f"x{k} = nothing{k}" for k in range(500)), "return I")
    with pytest.raises(ProgramError) as caught:
        parse_program(text)
    assert len(caught.value.all) == MAX_ERRORS


def test_an_error_in_a_function_says_where_it_is() -> None:
    text = "def helper(x):\n    return x[0]\n\n" + solver("return helper(I)")
    with pytest.raises(ProgramError) as caught:
        parse_program(text)
    assert (caught.value.line, caught.value.text) == (2, "x[0]")
