"""What was learnt, in words: every code of every primitive that learns has a text."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from arcbatt.engine.cpu import evaluate_data
from arcbatt.evaluation import TaskBoard
from arcbatt.explainer import explain, make_page, read_source, say_rules
from arcbatt.language import Failure, parse_program, parse_programs
from arcbatt.language.primitives.learned_words import (
    FEATURE_WORDS,
    MAX_LINES,
    MEASURE_WORDS,
    RELATIVE_SIGHT_WORDS,
    SEGMENT_WORDS,
    SIGHT_WORDS,
)
from arcbatt.language.primitives.observations import (
    FEATURES,
    N_MEASURES,
    RELATIVE_SIGHTS,
    SIGHTS,
    ZEROS,
)
from arcbatt.language.registry import get_primitive, worded_names, words_of_call
from arcbatt.proposers.enumerate.views import bare
from arcbatt.proposers.learn import CHOSEN, DIRECT, LEARNING
from arcbatt.proposers.trees import Choice

from .solving_parts import training
from .test_explain import printed

N_CUTS, N_SIGHTS = ZEROS + 1, len(SIGHTS) + len(RELATIVE_SIGHTS)
VIEWS = ("role_demos", "to_roles", "from_roles", "ground_demos", "swap_ground")
TURNS = ("turn_demos", "to_turn", "from_turn")


def grid_of(*rows: str) -> Any:
    return tuple(tuple(map(int, row)) for row in rows)


# Every cell stays: whatever is seen and however objects are told apart, that is one rule.
STILL = tuple(
    (grid, grid)
    for grid in (
        grid_of("50500", "50008", "00880", "08080", "00000"),
        grid_of("0110", "0101", "2111", "0000"),
    )
)


def test_whatever_learns_and_every_view_is_told() -> None:
    assert worded_names() >= {*LEARNING, *VIEWS, *TURNS}


def test_there_are_as_many_words_as_codes() -> None:
    assert len(SIGHT_WORDS) == len(SIGHTS)
    assert len(RELATIVE_SIGHT_WORDS) == len(RELATIVE_SIGHTS)
    assert len(FEATURE_WORDS) == len(FEATURES)
    assert len(SEGMENT_WORDS) == N_CUTS
    assert len(MEASURE_WORDS) == N_MEASURES == len(set(MEASURE_WORDS))


def recolored(color: int) -> Any:
    """Demos in which all cells of a colour but 0 become 3, and something stays."""
    return tuple(
        (grid, tuple(tuple(3 if cell == color else cell for cell in row) for row in grid))
        for grid, _ in STILL
    )


@pytest.mark.parametrize("code", range(N_SIGHTS))
def test_every_sight_is_told(code: int) -> None:
    lines = []
    for demos in (recolored(5), recolored(1), STILL):
        given = evaluate_data("learn_cells", [demos, demos[0][0], code])
        if not isinstance(given, Failure):
            lines += words_of_call("learn_cells", given, [demos, demos[0][0], code])
    assert lines[0].startswith("what a cell becomes is told by ")
    told = (*SIGHT_WORDS, *RELATIVE_SIGHT_WORDS)
    assert told[code][0] in lines[0]


@pytest.mark.parametrize("feature", range(len(FEATURES)))
def test_every_feature_of_objects_is_told(feature: int) -> None:
    grid = STILL[0][0]
    for segments in range(N_CUTS):
        lines = words_of_call("learn_objects", grid, [STILL, grid, segments, feature])
        assert SEGMENT_WORDS[segments] in lines[0] and FEATURE_WORDS[feature][0] in lines[0]
        assert lines[1:] and all(line.endswith("stays") for line in lines[1:])


def test_objects_are_told_by_what_they_are() -> None:
    demos = ((grid_of("110", "000", "100"), grid_of("220", "000", "100")),)
    widest = words_of_call("learn_objects", None, [demos, demos[0][0], 0, 19])
    assert widest[1:] == ["the 2nd widest stays", "the widest becomes red"]
    sized = words_of_call("learn_objects", None, [demos, demos[0][0], 0, 1])
    assert sized[1:] == ["one of 1 cell stays", "one of 2 cells becomes red"]
    picked = ((demos[0][0], grid_of("11")),)
    (line,) = words_of_call("pick_object", None, [picked, demos[0][0], 0, 2])
    assert line.endswith("picked is the largest")


def test_tables_are_told_in_short() -> None:
    grid = tuple(
        tuple((7 * i * i * j + 5 * j * j + 3 * i) % 11 % 6 for j in range(12)) for i in range(12)
    )
    changed = tuple(tuple(7 if cell == 5 else cell for cell in row) for row in grid)
    lines = words_of_call("learn_cells", changed, [((grid, changed),), grid, 2])
    n_fives = sum(row.count(5) for row in grid)
    assert n_fives > MAX_LINES == len(lines) - 2
    assert lines[-1] == f"and {n_fives - MAX_LINES} more"


@pytest.mark.parametrize("name", [*VIEWS, *TURNS, "close_symmetry"])
def test_every_code_of_a_view_and_of_symmetry_is_told(name: str) -> None:
    primitive = get_primitive(name)
    hidden = grid_of("1221", "3443", "5699")
    values = {"S": recolored(5), "I": STILL[0][0], "grid": hidden, "hidden": 9}
    told = set()
    for codes in product(*(numbers for _, numbers in primitive.codes)):
        given = dict(zip((primitive.parameters[k] for k, _ in primitive.codes), codes, strict=True))
        args = [(values | given)[parameter] for parameter in primitive.parameters]
        lines = words_of_call(name, evaluate_data(name, args), args)  # type: ignore[arg-type]
        assert lines and all(lines)
        told.add(tuple(lines))
    assert name == "from_turn" or len(told) == len(list(primitive.all_codes()))


# Those are told from grids that have panels: in test_panels.py.
OF_PANELS = {"learn_panels", "pick_panel", "panel_cells", "fill_panels"}


@pytest.mark.parametrize("name", sorted({*DIRECT, *CHOSEN} - OF_PANELS))
def test_no_two_codes_are_told_alike(name: str) -> None:
    primitive = get_primitive(name)
    grid = STILL[0][0]
    told = set()
    for codes in primitive.all_codes():
        given = iter(codes)
        places = {place for place, _ in primitive.codes}
        args = [
            next(given) if place in places else STILL if parameter == "S" else grid
            for place, parameter in enumerate(primitive.parameters)
        ]
        if isinstance(evaluate_data("learn_cells", args), Failure) and name == "learn_cells":
            continue
        told.add(words_of_call(name, grid, args)[0])
    # Ranks from the greatest and from the least are one thing in short.
    assert len(told) > 0.9 * (1 if name == "learn_cells" else len(list(primitive.all_codes())))


def test_a_symmetry_is_told_by_where_it_is() -> None:
    grid = grid_of("1221", "3443", "5699")
    lines = words_of_call("close_symmetry", None, [grid, 9, 0])
    assert "mirrored left to right at column 1.5" in lines


REWRITING = """def solve_mine(S, I):
    x1 = learn_rewrites(S, 0)
    O = rewrite(x1, I)
    return O
"""


def test_explanations_show_rules_and_not_their_numbers() -> None:
    text = REWRITING
    (task,) = training("3bd67248")
    program = next(iter(parse_programs(text, "mine.py")))
    shown = explain(program, read_source(program, text), task, [("demo", 0)], lambda k, v: None)
    words = shown.pairs[0].lines[0].step.words
    assert words and words[0].startswith("again and again")
    drawn = printed(shown)
    page = make_page(shown)
    for line in words:
        assert line in " ".join(drawn.split())
        # A page has a table of what becomes what, and where.
        assert line in page or f">{line.rpartition(' where ')[2]}</td>" in page
    assert "tuple of" not in drawn


def test_rules_of_a_program_are_told_once() -> None:
    (task,) = training("25d8a9c8")
    board = TaskBoard([task], device="cpu", n_threads=1)
    program = Choice(bare(), 0).program
    lines = say_rules(program, lambda programs: board.learnt(task, programs))
    assert lines[0] == "for each cell:" and any("it takes" in line for line in lines)
    learns_nothing = parse_program("def solve(I):\n    O = vmirror(I)\n    return O\n")
    assert say_rules(learns_nothing, lambda programs: board.learnt(task, programs)) == []
