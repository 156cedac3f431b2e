"""Values: their order, and their weights."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import Function, format_value
from arcbatt.language.failure import CallFailed, Reason
from arcbatt.language.parse import parse_expression
from arcbatt.language.values import MAX_DEPTH, MAX_NUMBER, compare, sort, weigh
from tests.conftest import values


@given(values, values)
def test_order_is_antisymmetric_and_zero_only_for_equals(a: object, b: object) -> None:
    assert compare(a, b) == -compare(b, a) or compare(a, b) * compare(b, a) < 0
    assert (compare(a, b) == 0) == (a == b)


@given(values, values, values)
def test_order_is_transitive(a: object, b: object, c: object) -> None:
    if compare(a, b) <= 0 and compare(b, c) <= 0:
        assert compare(a, c) <= 0


@given(st.lists(values, max_size=8), st.randoms())
def test_sorting_does_not_depend_on_where_values_stood(items: list, rng: random.Random) -> None:
    shuffled = items[:]
    rng.shuffle(shuffled)
    assert sort(items) == sort(shuffled)
    ordered = sort(items)
    assert all(compare(a, b) <= 0 for a, b in pairwise(ordered))


def test_the_order_of_kinds() -> None:
    ascending = [
        None,
        -1,
        0,
        7,
        (),
        (0,),
        (0, 1),
        (1,),
        ((0,), 1),
        frozenset(),
        frozenset({0}),
        frozenset({0, 1}),
        frozenset({1}),
        Function("add"),
        Function("compose", (Function("add"), Function("size"))),
        Function("size"),
    ]
    shuffled = ascending[:]
    random.Random(0).shuffle(shuffled)
    assert sort(shuffled) == ascending


def test_cells_sort_by_color_row_column() -> None:
    cells = [(2, (0, 1)), (1, (5, 5)), (2, (0, 0)), (1, (3, 9))]
    assert sort(cells) == [(1, (3, 9)), (1, (5, 5)), (2, (0, 0)), (2, (0, 1))]


@given(values)
def test_weight_counts_elements_at_all_levels(value: object) -> None:
    def count(v: object) -> int:
        return len(v) + sum(map(count, v)) if isinstance(v, tuple | frozenset) else 0

    assert weigh(value, 10**6) == count(value)


def test_weights_of_the_common_kinds() -> None:
    assert weigh(5, 0) == 0
    assert weigh(((1, 2, 3), (4, 5, 6)), 100) == 2 + 6
    assert weigh(frozenset({(0, 1), (2, 3)}), 100) == 2 + 4
    assert weigh(frozenset({(7, (0, 1))}), 100) == 1 + 2 + 2
    assert weigh(Function("size"), 100) == 0
    assert weigh(Function("rbind", (Function("fill"), (1, 2))), 100) == 2 + 2


@pytest.mark.parametrize("number", [MAX_NUMBER + 1, -MAX_NUMBER - 1])
def test_numbers_have_a_range(number: int) -> None:
    for value in (number, (0, number), frozenset({(1, (number, 0))})):
        with pytest.raises(CallFailed) as caught:
            weigh(value, 100)
        assert caught.value.failure.reason is Reason.RANGE


def test_nesting_has_a_limit() -> None:
    value: object = 1
    for _ in range(MAX_DEPTH):
        value = (value,)
    assert weigh(value, 1000) == MAX_DEPTH
    with pytest.raises(CallFailed) as caught:
        weigh((value,), 1000)
    assert caught.value.failure.reason is Reason.BUDGET


@pytest.mark.slow
@given(values.filter(lambda v: "None" not in repr(v)))
def test_the_text_of_a_value_reads_back_as_the_value(value: object) -> None:
    node = parse_expression(format_value(value))
    assert node.kind == "constant" and node.value == value
    assert format_value(node.value) == format_value(value)
