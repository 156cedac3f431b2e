"""The registry: everything about a primitive is declared, and declared right."""

from __future__ import annotations

import pytest

from arcbatt.language import Failure, Program, all_primitives, find_primitive, run
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.infer import infer
from arcbatt.language.parse import parse_expression
from arcbatt.language.registry import Primitive, applied_definition, spellings, suggest

PRIMITIVES = list(all_primitives().values())

# The names of the dialect's functions, and those of the coded, ranked and demo primitives.
ARC_DSL = """
identity add subtract multiply divide invert even double halve flip equality contained combine
intersection difference dedupe order repeat greater size merge maximum minimum valmax valmin
argmax argmin mostcommon leastcommon initset both either increment decrement crement sign
positive toivec tojvec sfilter mfilter extract totuple first last insert remove other interval
astuple product pair branch compose chain matcher rbind lbind power fork apply rapply mapply
papply mpapply prapply mostcolor leastcolor height width shape portrait colorcount colorfilter
sizefilter asindices ofcolor ulcorner urcorner llcorner lrcorner crop toindices recolor shift
normalize dneighbors ineighbors neighbors objects partition fgpartition uppermost lowermost
leftmost rightmost square vline hline hmatching vmatching manhattan adjacent bordering
centerofmass palette numcolors color toobject asobject rot90 rot180 rot270 hmirror vmirror
dmirror cmirror fill paint underfill underpaint hupscale vupscale upscale downscale hconcat
vconcat subgrid hsplit vsplit cellwise replace switch center position index canvas corners
connect cover trim move tophalf bottomhalf lefthalf righthalf vfrontier hfrontier backdrop delta
gravitate inbox outbox box shoot occurrences frontiers compress hperiod vperiod
""".split()
BEYOND = """
o_g o_g_t objects_t mir_rot_t mir_rot_f col_row corner get_nth_t get_nth_f get_nth_by_key_t
get_nth_by_key_f get_rank get_arg_rank get_arg_rank_t get_arg_rank_f get_val_rank get_val_rank_t
get_val_rank_f get_common_rank get_common_rank_t get_common_rank_f get_color_rank_t
get_color_rank_f second difference_tuple p_g p_o p_f dedupe_pair_tuple c_iz c_zo c_iz_n c_zo_n
a_mr size_t mapply_t apply_t hmirror_f toindices_o
""".split()


def test_the_whole_dialect_is_there() -> None:
    assert len(set(ARC_DSL)) == 160
    assert set(ARC_DSL) <= set(all_primitives())


@pytest.mark.parametrize("name", BEYOND)
def test_names_beyond_the_dialect_are_accepted(name: str) -> None:
    assert find_primitive(name) is not None


def test_suffixed_spellings_are_names_not_copies() -> None:
    assert find_primitive("apply_t") is find_primitive("apply_f") is find_primitive("apply")
    assert find_primitive("objects_t") is not find_primitive("objects")
    assert find_primitive("add_t") is None
    assert find_primitive("ofcolor_o") is None


def test_no_name_means_two_things() -> None:
    assert not set(CONSTANTS) & set(spellings())


@pytest.mark.parametrize("primitive", PRIMITIVES, ids=lambda p: p.name)
def test_each_block_is_complete(primitive: Primitive) -> None:
    assert primitive.doc.endswith(".") and len(primitive.doc) > 10
    assert len(primitive.examples) >= 2
    assert primitive.signatures
    assert all(len(s.parameters) == primitive.arity for s in primitive.signatures)


@pytest.mark.parametrize(
    "example", [example for p in PRIMITIVES for example in p.examples], ids=str
)
def test_examples_hold(example: str) -> None:
    call, wanted = (Program(parse_expression(side)) for side in example.split(" == "))
    outcome = run(call, {"I": ()}).outcome
    assert not isinstance(outcome, Failure), f"{example}: {outcome}"
    assert outcome == run(wanted, {"I": ()}).outcome
    assert infer(call).can_work, [str(warning) for warning in infer(call).warnings]


def test_functions_that_can_be_made_can_be_called() -> None:
    makers = {p.name for p in PRIMITIVES if p.signatures[0].result.kind == "function"}
    assert makers == {"compose", "chain", "matcher", "rbind", "lbind", "power", "fork"}
    assert all(applied_definition(name) for name in makers)


def test_mistyped_names_get_a_suggestion() -> None:
    assert suggest("hmiror") == "did you mean hmirror?"
    assert suggest("qqqqqqqq") == ""


def test_constants_of_the_dialect() -> None:
    wanted = {"ZERO": 0, "TEN": 10, "NEG_TWO": -2, "T": True, "F": False, "UP": (-1, 0)}
    wanted |= {"DOWN_LEFT": (1, -1), "THREE_BY_THREE": (3, 3), "F9": 9, "L1": -1, "L10": -10}
    wanted |= {"R0": 0, "R9": 9, "A7": 7, "BLUE": 1, "ZERO_BY_TWO": (0, 2), "UNITY": (1, 1)}
    assert {name: CONSTANTS[name] for name in wanted} == wanted
