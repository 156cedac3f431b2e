"""The registry: every primitive is declared completely and correctly."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arcbatt.engine import _enumerate
from arcbatt.engine.table import RENDERERS, render_moves
from arcbatt.language import (
    Failure,
    Program,
    Reason,
    Value,
    all_primitives,
    domains,
    find_primitive,
    interpret,
)
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.infer import infer
from arcbatt.language.interpreter import evaluate_call
from arcbatt.language.parse import parse_expression
from arcbatt.language.registry import Primitive, Searched, applied_definition, spellings
from arcbatt.language.types import parse_signature
from arcbatt.suggestion import suggest
from tests.engine.test_engine import check_call

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
    outcome = interpret(call, {"I": ()}).outcome
    assert not isinstance(outcome, Failure), f"{example}: {outcome}"
    assert outcome == interpret(wanted, {"I": ()}).outcome
    assert not infer(call).warnings


# --- codes ---

CODED = [primitive for primitive in PRIMITIVES if primitive.codes]


def example_args(primitive: Primitive) -> list[Value]:
    call = parse_expression(primitive.examples[0].split(" == ")[0])
    return [interpret(Program(arg), {"I": ()}).outcome for arg in call.args]  # type: ignore[misc]


@pytest.mark.parametrize("primitive", CODED, ids=lambda p: p.name)
def test_every_code_is_one_on_both_sides(primitive: Primitive) -> None:
    for codes in primitive.all_codes():
        args = example_args(primitive)
        for (place, _), code in zip(primitive.codes, codes, strict=True):
            args[place] = code
        check_call(primitive.name, args)
        outcome = evaluate_call(primitive.name, args)
        assert outcome != Failure(Reason.RANGE), f"{primitive.name} of code {codes}: {outcome}"


@pytest.mark.parametrize("primitive", CODED, ids=lambda p: p.name)
def test_any_other_number_is_out_of_range(primitive: Primitive) -> None:
    for place, codes in primitive.codes:
        assert primitive.domains[place] is domains.NUMBER
        for number in (codes[0] - 1, codes[-1] + 1):
            args = example_args(primitive)
            args[place] = number
            outcome = evaluate_call(primitive.name, args)
            assert outcome == Failure(Reason.RANGE)
            assert f"expected {codes[0]}..{codes[-1]}" in str(outcome)
            check_call(primitive.name, args)


def test_a_wrong_type_comes_before_a_wrong_code() -> None:
    assert evaluate_call("turn", [3, 99]) == Failure(Reason.TYPE)
    assert evaluate_call("panel_cells", [(), ((1,),), 99, ()]) == Failure(Reason.TYPE)
    assert evaluate_call("panel_cells", [(), ((10,),), 99, 0]) == Failure(Reason.RANGE)
    check_call("mir_rot", [frozenset({(0, 1)}), 4])
    assert evaluate_call("mir_rot", [frozenset({(0, 1)}), 4]) == Failure(Reason.RANGE)


@pytest.mark.parametrize(
    "text",
    ["Code", "Code[3]", "Code[0..]", "Code[3..1]", "Code[0..3", "Code[a..b]", "Grid[0..3]"],
)
def test_ranges_are_written_in_one_way(text: str) -> None:
    with pytest.raises(ValueError, match="signature"):
        parse_signature(f"Grid, {text} -> Grid")
    assert str(parse_signature("Grid, Code[1..8] -> Grid")) == "Grid, Code[1..8] -> Grid"


# --- what the engine reads ---


@pytest.mark.parametrize("path", RENDERERS, ids=lambda path: path.name)
def test_the_engines_lists_are_fresh(path: Path) -> None:
    assert path.read_text("utf-8") == RENDERERS[path](), "run make docs"


def test_one_primitive_ends_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    primitives = {p.name: p for p in PRIMITIVES}
    assert primitives["heap_up"].searched == Searched(ends_lists=True)
    for name, how in (("heap_up", Searched()), ("spot", Searched(ends_lists=True))):
        changed = {**primitives, name: replace(primitives[name], searched=how)}
        monkeypatch.setattr(
            "arcbatt.engine.table.bundled_primitives", lambda changed=changed: changed
        )
        with pytest.raises(ValueError, match="ends_lists"):
            render_moves()


def test_the_search_tries_what_is_declared() -> None:
    tried: dict[str, list[tuple[int, ...]]] = {}
    for _, name, args, takes in _enumerate.moves():
        assert bool(takes) == ("size" in all_primitives()[name].parameters)
        if takes != "output size":
            tried.setdefault(name, []).append(args)
    searched = {p.name: p.searched for p in PRIMITIVES if p.searched}
    assert tried == {name: all_primitives()[name].searched_codes() for name in searched}
    in_order = list(tried)
    for name, how in searched.items():
        if how.after:
            assert in_order.index(name) == in_order.index(how.after) + 1
        if how.before:
            assert in_order.index(name) == in_order.index(how.before) - 1


@pytest.mark.parametrize("primitive", [p for p in PRIMITIVES if p.searched], ids=lambda p: p.name)
def test_what_is_searched_with_are_codes(primitive: Primitive) -> None:
    tried = primitive.searched_codes()
    assert len(set(tried)) == len(tried)
    if primitive.codes:
        assert set(tried) <= set(primitive.all_codes())


def test_functions_that_can_be_made_can_be_called() -> None:
    makers = {p.name for p in PRIMITIVES if p.signatures[0].result.kind == "function"}
    assert makers == {"compose", "chain", "matcher", "rbind", "lbind", "power", "fork"}
    assert all(applied_definition(name) for name in makers)


def test_mistyped_names_get_a_suggestion() -> None:
    assert suggest("hmiror", spellings()) == "; did you mean hmirror?"
    assert suggest("qqqqqqqq", spellings()) == ""


def test_constants_of_the_dialect() -> None:
    wanted = {"ZERO": 0, "TEN": 10, "NEG_TWO": -2, "T": True, "F": False, "UP": (-1, 0)}
    wanted |= {"DOWN_LEFT": (1, -1), "THREE_BY_THREE": (3, 3), "F9": 9, "L1": -1, "L10": -10}
    wanted |= {"R0": 0, "R9": 9, "A7": 7, "BLUE": 1, "ZERO_BY_TWO": (0, 2), "UNITY": (1, 1)}
    assert {name: CONSTANTS[name] for name in wanted} == wanted


def test_threads_that_ask_first_find_all_primitives() -> None:
    code = (
        "import sys\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from threading import Barrier\n"
        "from arcbatt.language import registry\n"
        "names = list(registry.all_primitives())\n"
        "together = Barrier(4)\n"
        "def look(_):\n"
        "    together.wait()\n"
        "    listed = list(registry.all_primitives())\n"
        "    return listed == names and registry.find_primitive('hmirror_t') is not None\n"
        "sys.setswitchinterval(1e-6)\n"  # so that threads get between each other everywhere
        "with ThreadPoolExecutor(4) as threads:\n"
        "    for _ in range(20):\n"
        "        registry._spellings.clear()\n"
        "        assert all(threads.map(look, range(4)))\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
