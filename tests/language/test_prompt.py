"""The language in a prompt."""

from __future__ import annotations

import re

import pytest

import arcbatt
from arcbatt.checking.recorded_calls import SHIPPED, read_recorded
from arcbatt.language import all_primitives
from arcbatt.language.prompt import EXAMPLES, MAX_BYTES, is_arc_dsl


@pytest.mark.parametrize("dialect", MAX_BYTES)
def test_a_prompt_has_every_primitive_and_keeps_its_size(dialect: str) -> None:
    text = arcbatt.language_prompt(dialect)
    assert len(text.encode()) <= MAX_BYTES[dialect]
    for primitive in all_primitives().values():
        has_line = f"\n{primitive.usage} -> " in text
        assert has_line == (dialect == "full" or is_arc_dsl(primitive))


def test_lines_say_in_few_words_what_a_primitive_gives() -> None:
    text = arcbatt.language_prompt("arc-dsl")
    assert "\nargmax(container, compfunc) -> a: member of greatest compfunc\n" in text
    assert "\nbranch(condition, a, b) -> a: a if condition else b\n" in text
    assert "Picture is" not in text and "Picture is" in arcbatt.language_prompt()
    assert "corner(patch, r) -> Pair: a corner of the patch's box by code" in (
        arcbatt.language_prompt()
    )
    assert "lower right; r 0 to 3\n" in arcbatt.language_prompt()


def test_a_brief_that_is_an_expression_holds() -> None:
    n_held = 0
    for primitive in all_primitives().values():
        if not primitive.brief:
            continue
        head = f"def brief({', '.join(primitive.parameters)}):"
        for example in primitive.examples:
            called = re.sub(rf"\b{primitive.name}\(", "brief(", example)
            text = f"{head}\n    return {primitive.brief}\n\ndef solve(I):\n    return {called}\n"
            try:
                program = arcbatt.parse_program(text)
            except arcbatt.ProgramError:
                continue
            assert arcbatt.interpret(program, {"I": ((0,),)}).outcome == 1, text
            n_held += 1
    assert n_held > 50


def test_the_examples_of_the_prompt_are_programs() -> None:
    for _, text in EXAMPLES:
        assert isinstance(arcbatt.read_programs(text)[0], arcbatt.ParsedProgram)


def test_families_choose_primitives() -> None:
    text = arcbatt.language_prompt(families=["grids"])
    assert "\nhconcat(a, b) -> " in text and "\nadd(a, b) -> " not in text
    with pytest.raises(ValueError, match="no family is named gridz; did you mean grids"):
        arcbatt.language_prompt(families=["gridz"])
    with pytest.raises(
        ValueError,
        match=r"no dialect is named arcdsl \(there are full and arc-dsl\); did you mean arc-dsl\?$",
    ):
        arcbatt.language_prompt("arcdsl")


def test_the_dialect_is_that_of_the_recorded_calls() -> None:
    recorded = {each.name for each in read_recorded(SHIPPED)}
    dialect = {each.name for each in all_primitives().values() if is_arc_dsl(each)}
    combining = {each.name for each in all_primitives().values() if each.family == "functions"}
    assert dialect == recorded | combining
