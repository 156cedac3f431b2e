"""Plans of a GPU's work: every call once, functions written out, steps shared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.engine import _engine
from arcbatt.engine.batt import Batt
from arcbatt.engine.gpu import kernels
from arcbatt.engine.gpu import plan as plan_module
from arcbatt.language import parse_program
from arcbatt.language.domains import ANY_FUNCTION, FUNCTIONS
from arcbatt.language.registry import bundled_primitives
from bench.random_programs import random_program


@given(st.lists(st.integers(0, 10**6), max_size=12))
def test_plans_run_every_node_once_after_its_arguments(seeds: list[int]) -> None:
    batt = Batt([random_program(seed, 8) for seed in seeds])
    nodes, plan = batt._nodes, batt.plan
    run = {node for k in plan.programs for node in batt.programs[k].nodes()}
    done: dict[object, int] = {}  # by node, its step
    at_node = at_other = 0
    for number, step in enumerate(step for steps in plan_module.stages_of(plan) for step in steps):
        members = [nodes[k] for k in plan.nodes[at_node : at_node + step.n_nodes]]
        others = plan.others[at_other : at_other + step.n_others].tolist()
        at_node, at_other = at_node + step.n_nodes, at_other + step.n_others
        assert all(done[arg] in step.needs for node in members for arg in node.args)
        assert all(need < number for need in (*step.needs, *step.size_needs))
        assert set(step.size_needs) <= set(step.needs)
        done.update(dict.fromkeys(members, number))
        if step.kernel.startswith("site_"):
            for site, phase in ((entry >> 2, entry & 3) for entry in others):
                home, column = plan.sites["home"][site], plan.sites["column"][site]
                if home == _engine.NO_DOMAIN and phase == 0:
                    assert all(done[arg] in step.needs for arg in nodes[column].args)
                if home == _engine.NO_DOMAIN and phase == plan.sites["n_phases"][site]:
                    done[nodes[column]] = number
    assert set(done) == run


def test_plans_know_all_primitives_that_call_functions() -> None:
    for primitive in bundled_primitives().values():
        functions = [domain is ANY_FUNCTION for domain in primitive.domains]
        # `branch` takes anything, functions too.
        if any(functions) or primitive.gpu.calls or primitive.gpu.combines != "a b":
            declared = {*primitive.called_functions, *primitive.combined_functions}
            assert declared == {place for place, takes in enumerate(functions) if takes}
        assert primitive.gpu.cpu_only or FUNCTIONS not in primitive.domains


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("apply(size, objects(I, T, F, T))", True),
        ("mapply(fork(shift, identity, compose(invert, ulcorner)), objects(I, T, F, T))", True),
        ("apply(lbind(apply, size), pair(I, I))", True),
        ("apply(branch(T, size, color), objects(I, T, F, T))", True),
        ("apply(branch(T, size, add), objects(I, T, F, T))", False),
        ("apply(branch(T, size, 1), objects(I, T, F, T))", False),
        ("rapply(combine(initset(size), initset(height)), I)", False),
        ("apply(power(outbox, 3), objects(I, T, F, T))", True),
        ("apply(power(outbox, size(I)), objects(I, T, F, T))", False),
    ],
)
def test_known_functions_are_flattened(text: str, runs: bool) -> None:
    batt = Batt([parse_program(f"def f(I):\n    return {text}\n")])
    assert bool(batt.plan.programs.size) == runs


def test_programs_of_one_shape_share_their_steps() -> None:
    text = "def f(I):\n    return paint(replace(I, {k}, 3), asobject({turn}(I)))\n"
    turns = ("hmirror", "vmirror", "rot90")
    programs = [parse_program(text.format(k=k, turn=turns[k % 3])) for k in range(9)]
    assert Batt(programs).plan.n_steps == 1 + len(turns) + 3


def test_every_primitive_that_a_plan_runs_has_a_kernel() -> None:
    made = {name for names in kernels.modules().values() for name in names}
    for primitive in bundled_primitives().values():
        if not primitive.gpu.cpu_only:
            kind = "site" if primitive.gpu.calls else "run"
            assert f"{kind}_{primitive.name}" in made
