"""Rules in words: every code of every learner has its own text."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import pytest

from arcbatt.engine.cpu.calls import evaluate_data
from arcbatt.evaluation import TaskBoard
from arcbatt.explainer import describe_rules, explain, make_page, read_source
from arcbatt.language import Failure, parse_program, parse_programs
from arcbatt.language.learners.cell_tables import RELATIVE_SIGHTS, SIGHTS
from arcbatt.language.learners.color_roles import MEASURES
from arcbatt.language.learners.object_predicates import FEATURES, Scale
from arcbatt.language.primitives.grid_objects import FEATURES as OBJECT_FEATURES
from arcbatt.language.primitives.object_actions import ACTION, describe_actions
from arcbatt.language.registry import get_primitive, worded_names, words_of_call
from arcbatt.language.wording import MAX_LINES, join_words, name_rank, negate
from arcbatt.proposers.learn import learner_names, rule_primitives
from arcbatt.proposers.trees import TreeChoice
from arcbatt.proposers.views import plain_nodes
from tests.explainer.test_explain import printed
from tests.support.search import training

N_SIGHTS = len(SIGHTS) + len(RELATIVE_SIGHTS)
VIEWS = ("role_demos", "to_roles", "from_roles", "ground_demos", "swap_ground")
TURNS = ("turn_demos", "to_turn", "from_turn")

# A blue cell is surrounded by black ones in the one place where it changes.
CROSS: Any = ((((0, 0, 0), (0, 1, 0), (0, 0, 0)), ((0, 0, 0), (0, 2, 0), (0, 0, 0))),)


def grid_of(*rows: str) -> Any:
    return tuple(tuple(map(int, row)) for row in rows)


# Every cell stays, which is a rule for every sight and feature.
STILL = tuple(
    (grid, grid)
    for grid in (
        grid_of("50500", "50008", "00880", "08080", "00000"),
        grid_of("0110", "0101", "2111", "0000"),
    )
)


def test_every_learner_and_view_has_words() -> None:
    assert worded_names() >= {*learner_names(), *VIEWS, *TURNS}


def test_every_code_has_words() -> None:
    assert range(N_SIGHTS) == get_primitive("learn_cells").codes[0][1]
    assert len(MEASURES) == 23 == len(set(MEASURES))


def recolored(color: int) -> Any:
    """Return demos in which all cells of a color become 3 and something stays."""
    return tuple(
        (grid, tuple(tuple(3 if cell == color else cell for cell in row) for row in grid))
        for grid, _ in STILL
    )


@pytest.mark.parametrize("code", range(N_SIGHTS))
def test_every_sight_has_words(code: int) -> None:
    lines = []
    for demos in (recolored(5), recolored(1), STILL):
        given = evaluate_data("learn_cells", [demos, demos[0][0], code])
        if not isinstance(given, Failure):
            lines += words_of_call("learn_cells", given, [demos, demos[0][0], code])
    assert lines[0].startswith("the new color of a cell depends on ")
    assert (*SIGHTS, *RELATIVE_SIGHTS)[code][0] in lines[0]


def test_long_tables_are_shortened() -> None:
    grid = tuple(
        tuple((7 * i * i * j + 5 * j * j + 3 * i) % 11 % 6 for j in range(12)) for i in range(12)
    )
    changed = tuple(tuple(7 if cell == 5 else cell for cell in row) for row in grid)
    lines = words_of_call("learn_cells", changed, [((grid, changed),), grid, 2])
    n_fives = sum(row.count(5) for row in grid)
    assert n_fives > MAX_LINES == len(lines) - 2
    assert lines[-1] == f"and {n_fives - MAX_LINES} more"


@pytest.mark.parametrize("name", [*VIEWS, *TURNS, "close_symmetry"])
def test_every_code_of_a_view_and_of_symmetry_has_words(name: str) -> None:
    primitive = get_primitive(name)
    hidden = grid_of("1221", "3443", "5699")
    values = {"S": recolored(5), "I": STILL[0][0], "grid": hidden, "hidden": 9}
    wordings = set()
    for codes in product(*(numbers for _, numbers in primitive.codes)):
        given = dict(zip((primitive.parameters[k] for k, _ in primitive.codes), codes, strict=True))
        args = [(values | given)[parameter] for parameter in primitive.parameters]
        lines = words_of_call(name, evaluate_data(name, args), args)  # type: ignore[arg-type]
        assert lines and all(lines)
        wordings.add(tuple(lines))
    assert name == "from_turn" or len(wordings) == len(list(primitive.all_codes()))


# These need other grids: see test_panels.py, test_blocks.py, test_layers.py, test_slides.py,
# test_rolls.py and test_orders.py.
WITHOUT_STILL = {
    "learn_panels",
    "panel_cells",
    "fill_panels",
    "learn_blocks",
    "learn_layers",
    "learn_slides",
    "learn_rolls",
    "learn_order",
}


# Rules that return an output, and take no color besides their codes.
OUTPUT_RULES = {
    name
    for name, each in rule_primitives().items()
    if each.rule and not each.rule.applied_by and not each.rule.crops
}


@pytest.mark.parametrize("name", sorted(OUTPUT_RULES - WITHOUT_STILL))
def test_codes_have_different_words(name: str) -> None:
    primitive = get_primitive(name)
    grid = STILL[0][0]
    wordings = set()
    for codes in primitive.all_codes():
        given = iter(codes)
        places = {place for place, _ in primitive.codes}
        args = [
            next(given) if place in places else STILL if parameter == "S" else grid
            for place, parameter in enumerate(primitive.parameters)
        ]
        if isinstance(evaluate_data("learn_cells", args), Failure) and name == "learn_cells":
            continue
        wordings.add(words_of_call(name, grid, args)[0])
    # Ranks from the greatest and from the least have the same first line.
    n_codes = 1 if name == "learn_cells" else len(list(primitive.all_codes()))
    assert len(wordings) > 0.9 * n_codes


def test_words_say_where_a_symmetry_is() -> None:
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
    shown = explain(program, read_source(program), task, [("demo", 0)], lambda k, v: None)
    words = shown.pairs[0].lines[0].step.words
    assert words and words[0].startswith("repeatedly")
    drawn = printed(shown)
    page = make_page(shown)
    for line in words:
        assert line in " ".join(drawn.split())
        # A page has a table of what becomes what, and where.
        assert line in page or f">{line.rpartition(' where ')[2]}</td>" in page
    assert "tuple of" not in drawn


def test_a_rule_that_is_applied_to_many_grids_is_in_words() -> None:
    (task,) = training("25d8a9c8")
    board = TaskBoard([task], device="cpu", n_threads=1)
    run = partial(board.values_on_first_demo, task)
    once, often = (
        parse_program(f"def solve(S, I):\n{lines}    return O\n")
        for lines in (
            "    O = learn_cells(S, I, 1)\n",
            "    x1 = lbind(learn_cells, S)\n    x2 = rbind(x1, 1)\n"
            "    x3 = initset(I)\n    x4 = apply(x2, x3)\n    O = first(x4)\n",
        )
    )
    assert describe_rules(often, run) == describe_rules(once, run) != []
    # A function that lacks more than the grid has learned nothing yet.
    unready = parse_program("def solve(S, I):\n    O = lbind(learn_cells, S)\n    return O\n")
    assert describe_rules(unready, run) == []


def test_rules_of_a_program_are_listed_once() -> None:
    (task,) = training("25d8a9c8")
    board = TaskBoard([task], device="cpu", n_threads=1)
    program = TreeChoice(plain_nodes(), 0).program
    run = partial(board.values_on_first_demo, task)
    lines = describe_rules(program, run)
    assert lines[0] == "for each cell:" and any("it becomes" in line for line in lines)
    learns_nothing = parse_program("def solve(I):\n    O = vmirror(I)\n    return O\n")
    assert describe_rules(learns_nothing, run) == []


def test_words_are_sentences() -> None:
    assert negate("it touches red") == "it does not touch red"
    for feature in FEATURES:
        if feature.scale == Scale.FLAG:
            assert " not " in negate(feature.phrase)
    assert [name_rank(k, "largest") for k in range(2)] == ["the largest", "the 2nd largest"]
    assert name_rank(2, "the one with the {}most holes") == "the one with the 3rd most holes"
    said = join_words(["up"]), join_words(["up", "down"]), join_words(["up", "down", "left"])
    assert said == ("up", "up and down", "up, down and left")


def test_actions_ask_no_negated_question() -> None:
    stays, vanishes = (ACTION, 0, 0, 0), (ACTION, 1, 0, 0)
    names = [each.name for each in OBJECT_FEATURES]
    edge, nearest, rank = map(names.index, ("TOUCHES_EDGE", "COLOR_OF_NEAREST", "HEIGHT_RANK"))

    def ask(feature: int, value: int) -> list[str]:
        return describe_actions((0, feature, 0, value, 9, *stays, *vanishes)).splitlines()[1:]

    assert ask(edge, 0) == ["if it touches the edge:", "  it vanishes", "otherwise:", "  it stays"]
    assert ask(edge, 1)[1] == "  it stays"
    assert ask(nearest, 3)[0] == "if the color of the nearest is green:"
    assert ask(rank, 1)[0] == "if it is the 2nd tallest:"


def test_sights_group_places_by_color() -> None:
    lines = words_of_call("learn_cells", None, [CROSS, CROSS[0][0], 1])
    assert "a blue cell becomes red where black is above, to the left, to the right and below" in (
        lines
    )
