"""Mutations: well typed, new, of every kind, determined by a seed; and their counts."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt.language import Program, format_program, ir, parse_program
from arcbatt.language.infer import fits_type, infer, type_of
from arcbatt.language.types import GRID
from arcbatt.library import library_programs
from arcbatt.proposers.evolve.mutation import KINDS, Donors, Mutant, MutationCounts, Mutator
from arcbatt.proposers.evolve.mutation.anatomy import Anatomy, anatomy_of, with_arguments
from arcbatt.proposers.evolve.mutation.constants import other_value
from arcbatt.proposers.evolve.mutation.kinds import MutationContext
from arcbatt.proposers.evolve.mutation.roles import role_of_place
from tests.conftest import printed_with_any_hash_seed, programs

LIBRARY = [parsed.program for parsed in library_programs()]
DONORS = Donors(LIBRARY)
KIND_NAMES = (
    "variable",
    "primitive",
    "constant",
    "demo_color",
    "splice",
    "insert",
    "delete",
    "crossover",
)
seeds = st.integers(0, 2**32)


def program(*lines: str) -> Program:
    return parse_program("\n".join(["def f(S, I):", *(f"    {line}" for line in lines)]))


def mutants_of(parent: Program, kind: str, n: int = 300, seed: int = 0) -> list[Mutant]:
    mutator = Mutator(DONORS, random.Random(seed))
    found = (mutator.mutate_by(kind, parent) for _ in range(n))
    return [mutant for mutant in found if mutant is not None]


def check(mutant: Mutant, parent: Program, max_calls: int) -> None:
    typing = infer(mutant.program)
    assert not typing.warnings
    assert typing.result is type_of(parent.result) or fits_type(GRID, typing.result)
    assert mutant.program.n_calls <= max_calls
    assert mutant.parents[0] == parent
    assert mutant.program not in mutant.parents
    assert parse_program(format_program(mutant.program)) == mutant.program


# --- mutants ---


@pytest.mark.slow
@given(seeds, st.sampled_from(LIBRARY), st.integers(1, 60))
def test_mutants_of_the_library_are_well_typed_and_new(
    seed: int, parent: Program, max_calls: int
) -> None:
    mutator = Mutator(DONORS, random.Random(seed), max_calls=max_calls)
    for kind in mutator.kinds:
        mutant = mutator.mutate_by(kind, parent)
        if mutant is not None:
            assert mutant.kind == kind
            check(mutant, parent, max_calls)


@given(seeds, programs)
def test_mutants_of_any_program_are_well_typed_and_new(seed: int, parent: Program) -> None:
    mutator = Mutator(DONORS, random.Random(seed))
    for kind in mutator.kinds:
        mutant = mutator.mutate_by(kind, parent)
        if mutant is not None:
            check(mutant, parent, mutator.max_calls)


@settings(max_examples=30)
@given(seeds)
def test_mutants_of_mutants_stay_well_typed(seed: int) -> None:
    rng = random.Random(seed)
    mutator = Mutator(DONORS, rng, max_calls=25)
    parent = rng.choice(LIBRARY)
    for _ in range(40):
        mutant = mutator.mutate(parent)
        if mutant is not None:
            check(mutant, parent, 25)
            parent = mutant.program


def test_every_kind_occurs() -> None:
    mutator = Mutator(DONORS, random.Random(0))
    assert mutator.kinds == tuple(KINDS) == KIND_NAMES
    made = [mutator.mutate(parent) for parent in LIBRARY * 5]
    counts = Counter(mutant.kind for mutant in made if mutant is not None)
    assert set(counts) == set(KIND_NAMES)


def test_donors_are_solvers() -> None:
    text = "def differ_same(S, I, output, target):\n    return equality(output, target)\n"
    mutator = Mutator([parse_program(text)], random.Random(0))
    with pytest.raises(ValueError, match="differ_same is not a solver"):
        [mutator.mutate_by("splice", LIBRARY[0]) for _ in range(10)]


def test_options_are_checked() -> None:
    with pytest.raises(ValueError, match="max_calls is 0"):
        Mutator([], random.Random(0), max_calls=0)


def test_without_donors_nothing_is_spliced_or_crossed() -> None:
    mutator = Mutator([], random.Random(0))
    for kind in ("splice", "crossover"):
        assert all(mutator.mutate_by(kind, parent) is None for parent in LIBRARY)


def test_a_kind_without_a_spot_yields_nothing() -> None:
    bare = Program(ir.input_node("I"))
    mutator = Mutator(DONORS, random.Random(0))
    for kind in set(KIND_NAMES) - {"insert", "crossover"}:
        assert mutator.mutate_by(kind, bare) is None
    assert mutator.mutate_by("insert", bare) is not None


# --- rebuilding ---


def replaced(anatomy: Anatomy, news: Mapping[tuple[int, int], ir.Node]) -> ir.Node | None:
    """Return the result with other nodes in some places, rebuilt fully; None if ill typed."""
    made: list[ir.Node] = []
    for k, node in enumerate(anatomy.nodes):
        args = [news.get((k, i), made[j]) for i, j in enumerate(anatomy.args[k])]
        again = with_arguments(node, tuple(args)) if args else node
        if again is None or type_of(again) is None:
            return None
        made.append(again)
    return made[anatomy.result]


@given(seeds)
def test_rebuilding_changed_nodes_equals_rebuilding_all(seed: int) -> None:
    rng = random.Random(seed)
    anatomy = anatomy_of(rng.choice(LIBRARY))
    number = rng.choice(anatomy.variables)
    new = rng.choice(anatomy.nodes if rng.random() < 0.5 else list(rng.choice(LIBRARY).nodes()))
    everywhere = dict.fromkeys(anatomy.uses[number], new)
    if everywhere and number != anatomy.result:
        assert anatomy.with_node(number, new) is replaced(anatomy, everywhere)
    places = {rng.choice(anatomy.places): new for _ in range(rng.randint(1, 3))}
    assert anatomy.with_places(places) is replaced(anatomy, places)


@given(seeds, st.sampled_from(KIND_NAMES))
@settings(max_examples=60)
def test_a_draft_that_cannot_grow_does_not(seed: int, kind: str) -> None:
    rng = random.Random(seed)
    anatomy = anatomy_of(rng.choice(LIBRARY))
    if KINDS[kind].spots(anatomy):
        draft = KINDS[kind].make(MutationContext(rng, DONORS), anatomy)
        if draft is not None and draft.result is not None and not draft.may_grow:
            assert Program(draft.result).n_calls <= len(anatomy.calls)


# --- single kinds ---


def texts_of(mutants: list[Mutant]) -> set[str]:
    """Return the last expressions of mutants of one kind."""
    return {format_program(m.program).split("O = ")[1].split("\n")[0] for m in mutants}


def test_variable() -> None:
    parent = program("a = hmirror(I)", "b = rot90(a)", "return hconcat(b, b)")
    results = {mutant.program for mutant in mutants_of(parent, "variable")}
    assert program("a = hmirror(I)", "b = rot90(a)", "return hconcat(b, a)") in results
    assert program("a = hmirror(I)", "b = rot90(a)", "return hconcat(I, b)") in results
    assert program("a = rot90(I)", "return hconcat(a, a)") in results


def test_variable_prefers_recent_ones() -> None:
    lines = ["x0 = hmirror(I)"]
    lines += [f"x{k} = hconcat(x{k - 1}, x{k - 1})" for k in range(1, 8)]
    parent = program(*lines, "return vconcat(x7, x7)")
    counts = Counter(
        anatomy_of(mutant.program).nodes.index(mutant.program.result.args[1])
        for mutant in mutants_of(parent, "variable", 4000)
        if mutant.program.result.args[0] is parent.result.args[0]
    )
    assert counts[8] > 2 * counts[1] > 0  # x6 against I


def test_primitive() -> None:
    found = texts_of(mutants_of(program("return hmirror(I)"), "primitive"))
    assert {"vmirror(I)", "rot90(I)", "trim(I)", "compress(I)"} <= found
    parent = program("return fill(I, 3, argmax(objects(I, T, F, T), size))")
    mutants = mutants_of(parent, "primitive", n=1000)
    heads = {m.program.result.name for m in mutants}
    keys = {node.name for m in mutants for node in m.program.nodes() if node.kind == "primitive"}
    assert "underfill" in heads
    assert {"height", "color", "uppermost"} <= keys


@pytest.mark.parametrize(
    ("call", "role", "values"),
    [
        ("ofcolor(I, 3)", "Color", range(10)),
        ("o_g(I, 5)", "ObjectCode", range(8)),
        ("mir_rot(I, 2)", "MirrorCode", range(8)),
        ("mir_rot(asobject(I), 2)", "PatchMirrorCode", range(4)),
        ("corner(asindices(I), 1)", "CornerCode", range(4)),
        ("col_row(asindices(I), 1)", "SideCode", range(4)),
        ("turn(astuple((0, 0), I), 2)", "Code[1..8]", range(1, 9)),
        ("apply_fates(learn_fates(S), I, 1)", "Code[0..2]", range(3)),
        ("tint(astuple((0, 0), I), 3)", "Color", range(10)),
        ("grow(astuple((0, 0), I), 3)", "Count", range(1, 10)),
        ("get_nth(I, 0)", "Rank", (0, 1, 2, 3, -1, -2, -3)),
        ("objects(I, T, F, T)", "Boolean", (True, False)),
        ("hupscale(I, 2)", "Count", range(1, 10)),
        ("equality(mostcolor(I), 3)", "Color", range(10)),
        ("contained(3, palette(I))", "Color", range(10)),
        ("sfilter(partition(I), matcher(color, 3))", "Color", range(10)),
        ("sfilter(partition(I), matcher(compose(size, toindices), 3))", "Count", range(1, 10)),
        ("apply(rbind(shift, (0, 2)), partition(I))", "Direction", None),
        ("apply(lbind(recolor, 3), partition(I))", "Color", range(10)),
        ("apply(rbind(rbind(get_arg_rank, 0), size), hsplit(I, 2))", "Rank", None),
        ("canvas(0, (3, 4))", "Color", range(10)),
        ("add(height(I), 1)", "", None),
    ],
)
def test_constants_keep_to_their_role(call: str, role: str, values: range | None) -> None:
    parent = program(f"return {call}")
    anatomy = anatomy_of(parent)
    assert role in {found for _, _, found in anatomy.constant_places}
    if values is not None:
        user, place, _ = next(at for at in anatomy.constant_places if at[2] == role)
        value = anatomy.nodes[user].args[place].value
        rng = random.Random(0)
        drawn = {repr(other_value(value, role, rng)) for _ in range(500)} - {"None"}
        assert drawn | {repr(value)} == {repr(value) for value in values} | {repr(value)}


def test_role_of_a_pair_and_of_a_rank() -> None:
    assert role_of_place(program("return canvas(0, (3, 4))").result, 1) == "Dims"
    assert role_of_place(program("return move(I, asobject(I), (0, 1))").result, 2) == "Direction"
    last = program("return get_arg_rank(partition(I), size, L1)").result
    assert role_of_place(last, 2) == "Rank"
    assert role_of_place(last, 0) == ""


@given(
    st.recursive(
        st.integers(-50, 50) | st.booleans(),
        lambda inner: st.lists(inner, max_size=4).map(tuple) | st.frozensets(inner, max_size=4),
        max_leaves=8,
    ),
    st.sampled_from(["", "Color", "Rank", "Boolean", "Direction", "Dims", "Count"]),
    seeds,
)
def test_other_value_differs(value: object, role: str, seed: int) -> None:
    other = other_value(value, role, random.Random(seed))  # type: ignore[arg-type]
    if other is not None:
        assert ir.constant(other) is not ir.constant(value)  # type: ignore[arg-type]


def test_constant_changes_in_one_place_or_wherever_its_role_is_the_same() -> None:
    parent = program("a = ofcolor(I, 2)", "b = fill(I, 2, a)", "return hupscale(b, 2)")
    seen = set()
    for mutant in mutants_of(parent, "constant"):
        b, times = mutant.program.result.args
        seen.add((b.args[1].value == 2, b.args[2].args[1].value == 2, times.value == 2))
    assert seen == {
        (False, True, True),
        (True, False, True),
        (False, False, True),
        (True, True, False),
    }


def test_demo_color() -> None:
    mutants = mutants_of(program("return replace(I, 3, 4)"), "demo_color")
    found = {arg for mutant in mutants for arg in mutant.program.result.args if arg.args}
    assert program("return c_zo_n(S, p_g, first)").result in found
    assert program("return c_iz_n(S, p_g, rbind(get_nth, 1))").result in found
    assert all(mutant.program.inputs == ("S", "I") for mutant in mutants)
    assert not mutants_of(program("return hupscale(I, 3)"), "demo_color")


def test_splice_names_the_donor() -> None:
    parent = program("return hmirror(I)")
    for mutant in mutants_of(parent, "splice"):
        assert len(mutant.parents) == 2 and mutant.parents[1] in LIBRARY
    assert {"rot90(I)", "tophalf(I)", "dmirror(I)"} & texts_of(mutants_of(parent, "splice", 3000))


def test_insert_and_delete() -> None:
    one = program("return hmirror(I)")
    inserted = {mutant.program for mutant in mutants_of(one, "insert", 2000)}
    two = program("return hmirror(rot90(I))")
    assert two in inserted and program("return rot90(hmirror(I))") in inserted
    assert {"hconcat", "fill", "crop", "order"} <= {each.result.name for each in inserted}
    assert all(each.n_calls >= 2 for each in inserted)
    deleted = {mutant.program for mutant in mutants_of(two, "delete")}
    assert deleted == {one, program("return rot90(I)")}
    # Deleting the only call leaves nothing.
    assert not mutants_of(one, "delete")


def test_insert_into_functions() -> None:
    parent = program("return paint(I, mapply(normalize, partition(I)))")
    found = {
        node.name
        for mutant in mutants_of(parent, "insert", 2000)
        for node in mutant.program.nodes()
        if node.kind == "call"
    }
    assert {"shift", "fill", "remove", "sfilter"} <= found
    parent = program("return paint(I, mapply(compose(normalize, normalize), partition(I)))")
    chained = [
        mutant
        for mutant in mutants_of(parent, "insert", 2000)
        if sum(node.kind == "call" and node.name == "compose" for node in mutant.program.nodes())
        > 1
    ]
    assert chained


def test_crossover_joins_one_program_s_beginning_to_the_other_s_end() -> None:
    parent, mate = program("return hmirror(I)"), program("return hconcat(rot90(I), I)")
    mutator = Mutator([mate], random.Random(0))
    found = set()
    for _ in range(300):
        mutant = mutator.mutate_by("crossover", parent)
        if mutant is not None:
            assert mutant.parents == (parent, mate)
            found.add(mutant.program)
    assert found == {
        program("return hconcat(rot90(hmirror(I)), hmirror(I))"),
        program("return hconcat(rot90(hmirror(I)), I)"),
        program("return hconcat(rot90(I), hmirror(I))"),
        program("return hconcat(hmirror(I), I)"),
    }


# --- reproducibility ---


@pytest.mark.slow
def test_mutants_do_not_depend_on_the_process() -> None:
    code = (
        "import random\n"
        "from arcbatt.library import library_programs\n"
        "from arcbatt.proposers.evolve.mutation import Mutator\n"
        "programs = [parsed.program for parsed in library_programs()]\n"
        "mutator = Mutator(programs, random.Random(7))\n"
        "for parent in programs * 6:\n"
        "    mutant = mutator.mutate(parent)\n"
        "    print(mutant and (mutant.kind, mutant.program.hash))\n"
    )
    outputs = printed_with_any_hash_seed(code)
    mutator = Mutator(LIBRARY, random.Random(7))  # here, where much has been mutated before
    made = [mutator.mutate(parent) for parent in LIBRARY * 6]
    shown = [f"{mutant and (mutant.kind, mutant.program.hash)}\n" for mutant in made]
    assert outputs == {"".join(shown)}


# --- types ---


@given(programs)
def test_cached_types_are_those_of_inference(parent: Program) -> None:
    typing = infer(parent)
    ill_typed = {warning.node for warning in typing.warnings}
    for node in parent.nodes():
        below = set(Program(node).nodes())
        assert type_of(node) is (None if ill_typed & below else typing.types[node])


# --- kinds ---


def test_kinds_are_drawn_evenly() -> None:
    mutator, parent = Mutator(LIBRARY, random.Random(0)), max(LIBRARY, key=lambda p: p.n_calls)
    drawn: Counter[str] = Counter()
    mutator.mutate_by = lambda kind, parent: drawn.update([kind])  # type: ignore[assignment]
    for _ in range(5000):
        mutator.mutate(parent)
    assert all(300 < drawn[kind] < 700 for kind in KIND_NAMES)


def test_mutants_are_counted_by_kind() -> None:
    counts = MutationCounts()
    some = np.array([True, False, False])
    counts.record(
        ["splice", "splice", "delete"],
        ran=np.array([True, True, False]),
        improved=some,
        fitted=some,
    )
    counts.record(["splice"], ran=some[:1], improved=some[1:2], fitted=some[1:2])
    table = counts.to_json()
    assert table["splice"] == {"tried": 3, "ran": 3, "improved": 1, "fitted": 1}
    assert table["delete"] == {"tried": 1, "ran": 0, "improved": 0, "fitted": 0}
    assert not any(table["insert"].values()) and tuple(table) == KIND_NAMES
    again = MutationCounts.from_json(json.loads(json.dumps(table)))
    assert again.to_json() == table
