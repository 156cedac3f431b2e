"""Messages between dealing processes: graphs, filters of seen programs, portions of cards."""

from __future__ import annotations

import random
from collections import Counter
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.engine import _engine
from arcbatt.engine.batt import Batt, GraphBatt
from arcbatt.engine.graph.fusion import GraphBuilder
from arcbatt.engine.graph.graphs import Graph, GraphPrograms, merge_graphs, sizes_of
from arcbatt.engine.graph.samples import Samples
from arcbatt.language import Program, parse_program
from arcbatt.library import library_programs
from arcbatt.pool import Pool, PoolCard
from arcbatt.proposers.evolve import seen_programs as seen_module
from arcbatt.proposers.evolve.archive import Draws
from arcbatt.proposers.evolve.dealer import MAX_PROCESSES, processes_for
from arcbatt.proposers.evolve.portions import PORTION_SIZE, divide
from arcbatt.proposers.evolve.seen_programs import SeenFilter, SeenPrograms
from tests.conftest import programs

LIBRARY = [each.program for each in library_programs()]


def graph_of(members: list[Program]) -> Graph:
    builder = GraphBuilder()
    return builder.to_graph([builder.add(each.result, each.name) for each in members])


@given(st.lists(st.lists(programs, max_size=5), min_size=1, max_size=4))
def test_merged_graphs_contain_all_programs(groups: list[list[Program]]) -> None:
    whole = graph_of([program for group in groups for program in group])
    sent = [Graph.from_bytes(graph_of(group).to_bytes()) for group in groups]
    merged = merge_graphs(sent)
    for name in ("ops", "primitives", "counts", "args", "results", "firsts"):
        assert (getattr(merged, name) == getattr(whole, name)).all()
    assert (merged.constants, merged.digests) == (whole.constants, whole.digests)
    members = [program for group in groups for program in group]
    assert [merged.node(place) for place in merged.results.tolist()] == [
        program.result for program in members
    ]
    lazy = GraphPrograms(merged, lambda _digest: "made", merged.results.tolist())
    everywhere = range(len(members))
    assert sizes_of(lazy, everywhere) == sizes_of(members, everywhere)
    assert merged.result_digests == [program.result.digest for program in members]


@given(st.lists(programs, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_a_part_of_a_graph_has_only_the_needed_nodes(
    members: list[Program], rng: random.Random
) -> None:
    chosen = rng.sample(range(len(members)), rng.randint(1, len(members)))
    graph = graph_of(members)
    part = graph.part([graph.results[k].item() for k in chosen])
    assert [part.node(place) for place in part.results.tolist()] == [
        members[k].result for k in chosen
    ]
    assert len(part) == len({node for k in chosen for node in members[k].nodes()})


def test_invalid_arrays_are_refused() -> None:
    graph = graph_of(LIBRARY[:3])
    arrays = (graph.firsts, graph.counts, graph.args)
    places = np.array([0, len(graph)], np.int32)
    few = np.zeros(1, np.int32)
    with pytest.raises(ValueError, match="no such node"):
        _engine.count_calls(*arrays, places, np.zeros(2, np.int32))
    with pytest.raises(ValueError, match="no such node"):
        _engine.mark_needed(*arrays, places, np.zeros(len(graph), np.bool_))
    with pytest.raises(ValueError, match="invalid node"):
        _engine.count_calls(graph.firsts + len(graph.args), *arrays[1:], places[:1], few)
    with pytest.raises(ValueError, match="wrong size"):
        _engine.count_calls(*arrays, places[:1], np.zeros(2, np.int32))
    with pytest.raises(ValueError, match="wrong size"):
        _engine.number_keys(np.zeros((2, 2), np.uint64), few)
    with pytest.raises(ValueError, match="wrong size"):
        _engine.find_same_rows(np.zeros((1, 2), np.uint8), np.zeros((1, 3), np.uint64), few)


def test_a_graph_runs_like_its_programs() -> None:
    chosen = LIBRARY[:40]
    grid = ((1, 2, 0), (0, 0, 3))
    samples = Samples([grid], demos=[((grid, grid),)])
    wanted = Batt(chosen).run(samples, device="cpu", n_threads=1)
    graph = merge_graphs([graph_of(chosen[:25]), graph_of(chosen[20:])])
    places = [*range(20), *range(25, 45)]
    results = graph.results[places].tolist()
    names = {program.result.digest: program.name for program in chosen}
    programs = GraphPrograms(graph, names.__getitem__, results)
    batt = GraphBatt(graph.fuse(np.array(places, np.uint32)), programs)
    for part, rows in ((batt, slice(None)), (batt.part(np.arange(10, 30)), slice(10, 30))):
        got = part.run(samples, device="cpu", n_threads=1)
        for name in ("reasons", "hashes", "steps"):
            assert (getattr(got, name) == getattr(wanted, name)[rows]).all()
        assert list(part.programs) == chosen[rows]
        assert list(part.programs[2:4]) == chosen[rows][2:4]


def test_booleans_and_numbers_stay_distinct_in_messages() -> None:
    texts = ["replace(I, 1, 0)", "hconcat(I, branch(T, I, I))", "canvas(0, (1, 1))"]
    members = [parse_program(f"def f(I):\n    return {text}\n") for text in texts]
    graph = Graph.from_bytes(graph_of(members).to_bytes())
    assert [graph.node(place) for place in graph.results.tolist()] == [m.result for m in members]


# --- seen programs ---


def digest(number: int) -> bytes:
    return blake2b(str(number).encode(), digest_size=16).digest()


def joined(numbers: range) -> bytes:
    return b"".join(map(digest, numbers))


def test_a_filter_knows_all_added_digests_and_few_others() -> None:
    known = SeenFilter()
    known.add_all(joined(range(20_000)))
    assert all(digest(number) in known for number in range(20_000))
    assert sum(digest(number) in known for number in range(20_000, 40_000)) < 5
    again = SeenFilter.from_parts(*known.to_parts())
    again.add_all(joined(range(20_000, 20_010)))
    assert all(digest(number) in again for number in range(20_010))
    assert digest(20_000) not in known


def test_a_filter_is_bounded_and_knows_the_latest_digests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_module, "MAX_ADDED", 100)
    known = SeenFilter()
    for start in range(0, 1000, 40):
        known.add_all(joined(range(start, start + 40)))
        assert all(digest(number) in known for number in range(max(start - 80, 0), start + 40))
    assert known.has_forgotten and digest(0) not in known
    assert len(known.to_parts()[1]) == 2
    # A restored filter behaves like the original.
    again = SeenFilter.from_parts(*known.to_parts())
    for each in (known, again):
        each.add_all(joined(range(1000, 1090)))
    assert again.to_parts() == known.to_parts()


def test_the_pool_completes_the_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_module, "MAX_ADDED", 100)
    with Pool.in_memory() as pool:
        seen = SeenPrograms(pool)
        for start in range(0, 600, 20):
            some = [digest(number) for number in range(start, start + 20)]
            assert seen.find_new([*some, some[0], digest(0)]) == [*range(20)] or not start
            for each in some:
                seen.add_all([each])
                assert each in seen
            assert seen.take_news() == b"".join(some)
            pool.mark_seen(some)
        assert all(digest(number) in seen for number in range(600))
        assert digest(600) not in seen
        # Another run with this pool knows them all.
        again = SeenPrograms(pool)
        assert all(digest(number) in again for number in range(600))
        assert digest(600) not in again


def test_the_pool_is_only_asked_after_the_filter_has_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Pool.in_memory() as pool:
        seen = SeenPrograms(pool)
        monkeypatch.setattr(pool, "seen", lambda _digests: pytest.fail("was asked"))
        for number in range(100):
            assert digest(number) not in seen
            seen.add_all([digest(number)])
        seen.take_news()
        assert digest(100) not in seen and digest(99) in seen


# --- portions ---


def draws_of(counts: list[int]) -> Draws:
    chosen = [k for k, n in enumerate(counts) for _ in range(n)]
    random.Random(0).shuffle(chosen)
    return Draws(LIBRARY[: len(counts)], chosen, [None] * len(chosen))


def test_portions_keep_the_order_of_draws_and_programs_together() -> None:
    draws = draws_of([random.Random(k).randrange(1, 30) for k in range(100)])
    card = PoolCard(7, 410, 1)
    portions = divide(card, draws)
    assert len(portions) == -(-410 // PORTION_SIZE)
    assert 410 < sum(portion.size for portion in portions) < 500
    places = sorted(place for portion in portions for place in portion.draws)
    assert places == list(range(len(draws.chosen)))
    for portion in portions:
        assert portion.draws == sorted(portion.draws)
        assert portion.parents == [draws.chosen[place] for place in portion.draws]
    met_in = Counter(parent for portion in portions for parent in set(portion.parents))
    assert set(met_in.values()) == {1}
    lengths = [len(portion.draws) for portion in portions]
    assert max(lengths) < 1.3 * min(lengths)
    assert len({portion.seed for portion in portions}) == len(portions)
    assert divide(card, draws) == portions


def test_a_frequent_program_is_in_several_portions() -> None:
    portions = divide(PoolCard(7, 200, 1), draws_of([700, 60, 40]))
    lengths = [len(portion.draws) for portion in portions]
    assert sum(lengths) == 800 and max(lengths) < 2 * min(lengths)
    assert divide(PoolCard(7, 200, 1), Draws([], [], []))[0].draws == []


def test_few_cores_have_no_dealing_processes() -> None:
    assert [processes_for(n) for n in (1, 3, 4, 16, 1000)] == [0, 0, 2, 10, MAX_PROCESSES]
