"""Cards: new programs, drawn by weight, determined by a seed; and `arcbatt card`."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt.language import Program, parse_program
from arcbatt.language.infer import infer
from arcbatt.library import library_programs
from arcbatt.pool import Pool, PoolProgram, PoolTrial
from arcbatt.proposers.evolve import cards
from arcbatt.proposers.evolve.cards import Card, deal, new_mutants, pool_parents
from arcbatt.proposers.evolve.mutation import Mutant, Mutator
from arcbatt.tasks import find_task
from tests.conftest import printed_with_any_hash_seed
from tests.support.commands import Outcome, error_of
from tests.support.self_check import BattText

LIBRARY = [parsed.program for parsed in library_programs()]


def digests(card: Card) -> list[bytes]:
    return [program.result.digest for program in card.programs]


@settings(max_examples=40)
@given(st.integers(0, 2**63 - 1), st.integers(1, 40))
def test_a_seed_determines_a_full_card_of_new_programs(seed: int, size: int) -> None:
    card = deal(LIBRARY, size, seed)
    assert len(card.mutants) == len(card.programs) == len(set(card.programs)) == size
    assert not set(card.programs) & set(LIBRARY)
    assert {mutant.parents[0] for mutant in card.mutants} == set(card.parents) <= set(LIBRARY)
    assert not any(infer(program).warnings for program in card.programs)
    again = deal(LIBRARY, size, seed)
    assert again.mutants == card.mutants
    assert again.text == card.text


def test_seen_programs_are_not_dealt_again() -> None:
    def mutate_all(seen: set[bytes]) -> list[bytes]:
        mutator = Mutator(LIBRARY, random.Random(3))
        mutants = new_mutants(mutator, ((program, None) for program in LIBRARY), seen)
        return [mutant.program.result.digest for mutant, _ in mutants]

    seen: set[bytes] = set()
    first = mutate_all(seen)
    assert seen == set(first) and len(seen) == len(first) > len(LIBRARY) // 2
    second = mutate_all(seen)
    assert not set(first) & set(second) and seen == {*first, *second}


def test_a_seen_mutant_is_mutated_again(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = LIBRARY[:6]

    def following(_self: Mutator, program: Program) -> Mutant:
        return Mutant(chain[chain.index(program) + 1], "insert", (program,))

    monkeypatch.setattr(Mutator, "mutate", following)
    mutator = Mutator(LIBRARY, random.Random(0))
    seen = {program.result.digest for program in chain[:3]}
    ((mutant, belonging),) = new_mutants(mutator, [(chain[0], "task")], seen)
    assert mutant == Mutant(chain[3], "insert", (chain[0],)) and belonging == "task"
    assert chain[3].result.digest in seen
    # It gives up after a few tries.
    seen = {program.result.digest for program in chain}
    assert not list(new_mutants(mutator, [(chain[0], None)], seen))
    assert len(seen) == len(chain)


def test_parents_are_drawn_by_weight() -> None:
    weights = [1.0, 9.0, 0.0]
    card = deal(LIBRARY[:3], 200, 0, weights=weights)
    counts = Counter(LIBRARY.index(mutant.parents[0]) for mutant in card.mutants)
    # Less than the ratio of weights, as the likelier parent more often repeats a mutant.
    assert 2 * counts[0] < counts[1] and counts[2] == 0


def test_a_card_is_smaller_if_there_is_nothing_new(monkeypatch: pytest.MonkeyPatch) -> None:
    parent = parse_program("def f(I):\n    return hmirror(I)\n")
    monkeypatch.setattr(cards, "DRAWS_PER_PROGRAM", 1)
    card = deal([parent], 400, 0)
    assert 10 < len(card.mutants) < 400


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="needs parents"):
        deal([])
    with pytest.raises(ValueError, match="at least one program"):
        deal(LIBRARY, 0)
    for weights in ([1.0], [-1.0] * len(LIBRARY), [0.0] * len(LIBRARY)):
        with pytest.raises(ValueError, match="weight"):
            deal(LIBRARY, weights=weights)


def test_programs_of_a_card_share_calls() -> None:
    size = deal(LIBRARY, 50, 5).batt.size
    assert size.n_calls < size.n_calls_before


def test_the_text_has_every_program() -> None:
    card = deal(LIBRARY, 20, 1)
    text = BattText(card.text)
    assert [parse_program(text.slice(k)) for k in range(len(text))] == list(card.programs)


@pytest.mark.slow
def test_cards_do_not_depend_on_the_process() -> None:
    code = (
        "from arcbatt.library import library_programs\n"
        "from arcbatt.proposers.evolve.cards import deal\n"
        "programs = [parsed.program for parsed in library_programs()]\n"
        "print(deal(programs, 200, 11).text, end='')\n"
    )
    outputs = printed_with_any_hash_seed(code)
    assert outputs == {deal(LIBRARY, 200, 11).text}


# --- parents from a pool ---


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    """Return a pool whose first program fits a task; the second is half right, the third close."""
    path = tmp_path / "pool.db"
    rows = [PoolProgram.of(program, "library") for program in LIBRARY[:4]]
    a, b, c = (find_task(name) for name in ("00d62c1b", "67a3c6ac", "5c0a986e"))
    with Pool.open(path) as opened:
        opened.add_programs(rows)
        opened.record_trials(
            [
                PoolTrial.of(rows[0].digest, a, len(a.demos)),
                PoolTrial.of(rows[0].digest, b, 0, credit=100),
                PoolTrial.of(rows[1].digest, b, 0, credit=500),
                PoolTrial.of(rows[2].digest, c, 0, credit=900),
            ]
        )
    return path


def test_parents_of_a_pool_are_weighted_by_score(pool: Path) -> None:
    with Pool.open(pool) as opened:
        parents, weights = pool_parents(opened)
    assert dict(zip(parents, weights, strict=True)) == pytest.approx(
        {LIBRARY[0]: 1.0, LIBRARY[1]: 0.25, LIBRARY[2]: 0.81}
    )


def test_in_a_pool_without_scores_all_solvers_are_parents() -> None:
    with Pool.in_memory() as opened:
        opened.add_library()
        parents, weights = pool_parents(opened)
    assert set(parents) == set(LIBRARY) and set(weights) == {1.0}


# --- the command ---


def test_command() -> None:
    outcome = Outcome("card", "--size", "5", "--seed", "2")
    card = deal(LIBRARY, 5, 2)
    assert outcome.status == 0
    assert "def batt(" in outcome.out
    for program in card.programs:
        assert f"# {program.name}" in outcome.out
    assert f"{card.batt.size.n_calls} after sharing" in outcome.out
    assert Outcome("card", "--size", "5", "--seed", "2").out == outcome.out


def test_command_as_json(pool: Path) -> None:
    shown = Outcome("card", "--size", "5", "--seed", "2", "--json").json
    card = deal(LIBRARY, 5, 2)
    assert shown["seed"] == 2 and shown["text"] == card.text
    assert [each["hash"] for each in shown["mutants"]] == [p.hash for p in card.programs]
    assert (shown["calls_before_sharing"], shown["calls"]) == (
        sum(program.n_calls for program in card.programs),
        card.batt.n_calls,
    )
    of_pool = Outcome("card", "--pool", pool, "--json").json
    assert {each["name"] for each in of_pool["parents"]} <= {p.name for p in LIBRARY[:3]}
    assert len(of_pool["mutants"]) == 32


def test_command_reports_errors(tmp_path: Path) -> None:
    empty = tmp_path / "empty.db"
    Pool.open(empty).close()
    assert "has no solvers" in error_of("card", "--pool", empty)
    assert "missing.db" in error_of("card", "--pool", tmp_path / "missing.db")
    assert error_of("card", "--size", "0")
