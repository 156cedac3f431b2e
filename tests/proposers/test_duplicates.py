"""Programs with the same behavior, and which of them is kept."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.engine import _engine
from arcbatt.engine.batt import Batt
from arcbatt.engine.graph.results import BattResult
from arcbatt.engine.graph.samples import Grid, Samples
from arcbatt.language import Budget, Failure, Program, interpret, parse_program
from arcbatt.proposers.evolve.duplicates import cheapest_by_behavior
from tests.conftest import grids, programs

SMALL = Budget(steps=200_000, bytes=2**22)


def program(expression: str, name: str = "solve") -> Program:
    return parse_program(f"def {name}(I):\n    return {expression}\n")


def kept_on(members: list[Program], inputs: list[Grid]) -> list[int]:
    result = Batt(members).run(Samples(inputs), SMALL, device="cpu", n_threads=1)
    return kept_of(members, result)


def kept_of(members: list[Program], result: BattResult) -> list[int]:
    return cheapest_by_behavior(members, result.reasons, result.hashes, result.steps)


GRIDS: list[Grid] = [((1, 2), (3, 4)), ((0, 0, 5), (1, 0, 0))]
SYMMETRIC: list[Grid] = [((1, 1), (1, 1))]


def test_equal_programs_are_one_whatever_their_names_and_texts() -> None:
    assert kept_on([], GRIDS) == []
    members = [
        program("hmirror(I)", "a"),
        program("vmirror(I)", "b"),
        parse_program("def c(S, I):\n    x = I\n    y = hmirror_t(x)\n    return y\n"),
    ]
    assert members[2] == members[0]
    assert kept_on(members, GRIDS) == [0, 1]


def test_the_cheapest_of_a_behavior_is_kept() -> None:
    members = [
        program("hmirror(hmirror(vmirror(I)))"),
        program("rot90(I)"),
        program("vmirror(I)"),
        program("vmirror(vmirror(vmirror(I)))"),
    ]
    assert kept_on(members, GRIDS) == [1, 2]


def test_one_sample_distinguishes_programs() -> None:
    members = [program("hmirror(I)"), program("vmirror(I)")]
    assert len(kept_on(members, SYMMETRIC)) == 1
    assert len(kept_on(members, [*SYMMETRIC, *GRIDS])) == 2


def test_failures_are_behavior_distinguished_by_reason() -> None:
    wrong_type, empty = "add(I, hmirror(I))", "first(difference(asindices(I), asindices(I)))"
    members = [program(wrong_type), program(empty), program("add(I, vmirror(I))"), program("I")]
    kept = kept_on(members, GRIDS)
    assert len(kept) == 3 and {1, 3} < set(kept)


def test_a_failure_is_not_a_value_whose_hash_is_0() -> None:
    reasons = np.array([[0, 0], [3, 0]], np.uint8)
    hashes = np.zeros((2, 2), np.uint64)
    steps = np.ones((2, 2), np.int64)
    members = [program("hmirror(I)"), program("vmirror(I)")]
    assert cheapest_by_behavior(members, reasons, hashes, steps) == [0, 1]


def test_ties_go_to_fewer_calls_then_to_the_least_digest() -> None:
    members = [program("rot180(rot180(I))"), program("rot270(I)"), program("rot90(I)")]
    nothing = np.zeros((3, 1), np.uint8)
    same = np.ones((3, 1), np.uint64)
    steps = np.ones((3, 1), np.int64)
    found = cheapest_by_behavior(members, nothing, same, steps)
    assert found == [min((1, 2), key=lambda k: members[k].result.digest)]
    found = cheapest_by_behavior([members[1]] * 2, nothing[:2], same[:2], steps[:2])
    assert found == [0]


def test_arrays_of_another_shape_or_with_gaps_are_refused() -> None:
    members = [program("hmirror(I)"), program("vmirror(I)")]
    result = Batt(members).run(Samples(GRIDS), device="cpu", n_threads=1)
    with pytest.raises(ValueError, match="expected arrays for 1 programs"):
        kept_of(members[:1], result)
    result.reasons[1, 1] = _engine.NOT_RUN
    with pytest.raises(ValueError, match="not run"):
        kept_of(members, result)


def test_programs_are_compared_in_full_if_sums_are_equal() -> None:
    members = [program(f"{name}(I)") for name in ("hmirror", "vmirror", "rot90", "vmirror")]
    # The sum of reason and hash is the same in all rows.
    reasons = np.array([[0, 1], [1, 1], [2, 1], [1, 1]], np.uint8)
    hashes = np.array([[7, 3], [6, 3], [5, 3], [6, 3]], np.uint64)
    assert cheapest_by_behavior(members, reasons, hashes, np.ones((4, 2), np.int64)) == [0, 1, 2]


def test_any_part_of_a_result_can_be_compared() -> None:
    members = [program("hmirror(I)"), program("vmirror(I)")]
    result = Batt(members).run(Samples([*GRIDS, *SYMMETRIC]), device="cpu", n_threads=1)
    part = np.s_[:, 2:]
    found = cheapest_by_behavior(
        members, result.reasons[part], result.hashes[part], result.steps[part]
    )
    assert len(found) == 1


@given(
    st.lists(programs, min_size=1, max_size=8),
    st.lists(grids(), min_size=1, max_size=4),
    st.randoms(use_true_random=False),
)
def test_the_cheapest_of_each_reference_behavior_is_kept(
    members: list[Program], inputs: list[Grid], shuffling: random.Random
) -> None:
    members = members + shuffling.choices(members, k=2)

    def outcomes(member: Program) -> tuple[object, ...]:
        results = (interpret(member, {"I": grid, "S": ()}, SMALL).outcome for grid in inputs)
        return tuple(r.reason if isinstance(r, Failure) else (r,) for r in results)

    result = Batt(members).run(
        Samples(inputs, demos=[()] * len(inputs)), SMALL, device="cpu", n_threads=1
    )
    kept = kept_of(members, result)
    known = [outcomes(member) for member in members]
    costs = result.steps.sum(axis=1)
    for place, outcome in enumerate(known):
        (cheapest,) = [k for k in kept if known[k] == outcome]
        assert costs[cheapest] <= costs[place]
    # The choice does not depend on the order of programs.
    order = list(range(len(members)))
    shuffling.shuffle(order)
    shuffled = cheapest_by_behavior(
        [members[k] for k in order],
        result.reasons[order],
        result.hashes[order],
        result.steps[order],
    )
    assert {members[k] for k in kept} == {members[order[k]] for k in shuffled}
