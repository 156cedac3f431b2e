"""The language in a prompt."""

from __future__ import annotations

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


def test_descriptions_of_the_dialect_are_cut_where_they_make_sense() -> None:
    text = arcbatt.language_prompt("arc-dsl")
    lines = text.partition("# numbers")[2].partition("\nExamples\n")[0].split("\n")
    described = [line.rpartition(": ")[2] for line in lines if " -> " in line]
    assert len(described) > 150
    for description in described:
        assert description.split()[-1] not in {"of", "the", "than", "that", "is", "to"}
    # The first clause says what a primitive does, so that it is cut last.
    assert "\nargmax(container, compfunc) -> a: member for which function is greatest\n" in text
    assert "\nhsplit(grid, n) -> Tuple[Grid]: grid cut into n parts of equal width\n" in text
    assert "Picture is" not in text and "Picture is" in arcbatt.language_prompt()


def test_the_examples_of_the_prompt_are_programs() -> None:
    for _, text in EXAMPLES:
        assert isinstance(arcbatt.read_programs(text)[0], arcbatt.ParsedProgram)


def test_families_choose_primitives() -> None:
    text = arcbatt.language_prompt(families=["grids"])
    assert "\nhconcat(a, b) -> " in text and "\nadd(a, b) -> " not in text
    with pytest.raises(ValueError, match="no family is named gridz; did you mean grids"):
        arcbatt.language_prompt(families=["gridz"])
    with pytest.raises(ValueError, match="no dialect is named arc; "):
        arcbatt.language_prompt("arc")


def test_the_dialect_is_that_of_the_recorded_calls() -> None:
    recorded = {each.name for each in read_recorded(SHIPPED)}
    dialect = {each.name for each in all_primitives().values() if is_arc_dsl(each)}
    combining = {each.name for each in all_primitives().values() if each.family == "functions"}
    assert dialect == recorded | combining
