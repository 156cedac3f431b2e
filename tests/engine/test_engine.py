"""The engine agrees with the reference: value, failure, cost and hash, alone and fused."""

from __future__ import annotations

import gc
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt.engine import _engine, profiler
from arcbatt.engine.batt import Batt
from arcbatt.engine.cpu.calls import NumberedFunction, run_call
from arcbatt.engine.graph.samples import Samples
from arcbatt.engine.memory import bound_memory
from arcbatt.engine.table import NATIVE, TABLE, primitive_numbers, render
from arcbatt.engine.version import engine_version
from arcbatt.language import (
    Budget,
    Failure,
    Function,
    Program,
    Reason,
    Value,
    all_primitives,
    interpret,
    parse_program,
)
from arcbatt.language.budget import Meter, metered
from arcbatt.language.calls import call_primitive
from arcbatt.language.failure import CallFailed
from arcbatt.language.values import content_hash
from arcbatt.library import library_programs
from arcbatt.tasks import load
from bench.random_programs import random_program
from tests.conftest import grids, programs, values

SMALL = Budget(steps=200_000, bytes=2**22)


# --- both sides know the same primitives ---


def test_the_table_is_fresh() -> None:
    assert TABLE.read_text("utf-8") == render(), "run python -m arcbatt.engine.table"
    assert _engine.n_primitives == len(all_primitives())


# prim_<name>, move_<name> for primitives on pictures, ARC_IMPLEMENT(<name>) on the CPU only.
IMPLEMENTATION = re.compile(
    r".* (prim|move)_(?P<name>\w+)\(Lane&.*[^;]$|ARC_IMPLEMENT\((?P<host_name>\w+)\)"
)


def test_every_primitive_is_implemented_once_in_the_file_of_its_family() -> None:
    families: dict[str, str] = {}
    headers = (TABLE.parent / "primitives").glob("*.hpp")
    for path in (*headers, *(NATIVE / "learners").glob("*.cpp")):
        for line in path.read_text("utf-8").splitlines():
            if match := IMPLEMENTATION.match(line):
                name = match["name"] or match["host_name"]
                assert name not in families, f"{name} is implemented twice"
                families[name] = path.stem
    assert families == {name: primitive.family for name, primitive in all_primitives().items()}


# --- single calls ---


def check_call(name: str, args: Sequence[Value], budget: Budget = SMALL) -> None:
    meter = Meter(budget)
    wanted: Value | Failure
    try:
        with metered(meter):
            wanted = call_primitive(all_primitives()[name], args)
    except CallFailed as failed:
        wanted = failed.failure
    got = run_call(name, args, budget)
    if meter.exceeded:
        assert got.outcome == Failure(Reason.BUDGET)
        return
    assert got.outcome == wanted
    assert (got.steps, got.bytes) == (meter.steps, meter.bytes)
    if not isinstance(wanted, Failure):
        assert got.hash == content_hash(wanted)


cells = st.tuples(st.integers(0, 9), st.tuples(st.integers(-3, 9), st.integers(-3, 9)))
bare_functions = st.sampled_from([Function(name) for name in all_primitives()])
functions = st.recursive(
    bare_functions,
    lambda inner: st.one_of(
        st.builds(lambda f, g: Function("compose", (f, g)), inner, inner),
        st.builds(lambda f, g, h: Function("fork", (f, g, h)), inner, inner, inner),
        st.builds(lambda f, v: Function("rbind", (f, v)), inner, values),
        st.builds(lambda f, v: Function("lbind", (f, v)), inner, values),
        st.builds(lambda f, v: Function("matcher", (f, v)), inner, values),
        st.builds(lambda f, n: Function("power", (f, n)), inner, st.integers(2, 4)),
    ),
    max_leaves=4,
)
arguments = st.one_of(
    st.integers(-30, 30),
    st.tuples(st.integers(-9, 9), st.integers(-9, 9)),
    grids(),
    st.frozensets(cells, max_size=8),
    st.frozensets(cells.map(lambda cell: cell[1]), max_size=8),
    st.lists(cells, max_size=5).map(tuple),
    st.lists(st.lists(st.integers(-2, 12), max_size=4).map(tuple), max_size=4).map(tuple),
    st.frozensets(st.frozensets(cells, min_size=1, max_size=4), max_size=4),
    st.lists(grids(4), max_size=3).map(tuple),
    values,
    functions,
)


@pytest.mark.slow
@pytest.mark.parametrize("name", all_primitives())
@settings(max_examples=80)  # of each primitive
@given(st.data())
def test_calls_of_any_values(name: str, data: st.DataObject) -> None:
    check_call(name, [data.draw(arguments) for _ in range(all_primitives()[name].arity)])


# The first and last row, column and color of cells that become a set by bits, and those beyond.
@pytest.mark.parametrize("row", [-49, -48, 79, 80])
@pytest.mark.parametrize("column", [-49, -48, 79, 80])
@pytest.mark.parametrize("color", [-1, 0, 15, 16])
def test_many_cells_become_a_set_wherever_they_are(row: int, column: int, color: int) -> None:
    near = [(k % 3, (k // 9, k % 9)) for k in range(90)]
    for cell in ((color, (row, 0)), (color, (0, column)), (color, (row, column))):
        parts = frozenset({frozenset(near[:60]), frozenset([*near[50:], cell])})
        check_call("merge", [parts])
        check_call("toindices", [frozenset([*near, cell])])
        check_call("manhattan", [frozenset([cell]), frozenset(near)])
        check_call("manhattan", [frozenset(near), frozenset([cell[1]])])


@pytest.mark.parametrize("name", ["connect", "shoot"])
def test_lines_of_many_pairs(name: str) -> None:
    places = frozenset((i, 3 * j) for i in range(-2, 5) for j in range(5))
    check_call("prapply", [Function(name), places, places])
    check_call("mapply", [Function("lbind", (Function(name), (0, 0))), places])


def test_least_distances_of_many_patches() -> None:
    cell = frozenset({(3, (2, 4))})
    line = frozenset((2, j) for j in range(40))
    cells = frozenset((k % 3, (k // 9, k % 9)) for k in range(90))
    patches = (cell, line, cells, frozenset({(30, -5)}))
    others = [frozenset(), ((1, (0, 0)), (2, (0, 1))), 7]  # empty, a tuple, and no patch
    for more in (patches, *((*patches, other) for other in others)):
        check_call("prapply", [Function("manhattan"), more, patches])
        for patch in (cell, line, cells):
            check_call("apply", [Function("lbind", (Function("manhattan"), patch)), more])
            check_call("apply", [Function("rbind", (Function("manhattan"), patch)), more])


FAR = 2**20  # the first row or column that no location can have


@pytest.mark.slow
@pytest.mark.parametrize("far", [0, 1])
def test_only_locations_of_the_result_have_to_be_in_range(far: int) -> None:
    tall = ((1, 0, 0), *((),) * (FAR - 1), (far,))
    check_call("fgpartition", [tall], Budget())
    wide = ((1,) + (0,) * (FAR - 1) + (far,),)
    check_call("objects", [wide, bool(far), False, True], Budget())


@given(values)
def test_hashes_are_those_of_the_language(value: Value) -> None:
    assert run_call("identity", [value]).hash == content_hash(value)


# --- batts ---


def demo_samples(grid: Value) -> Samples:
    return Samples([grid], [grid], [((grid, grid),)])  # type: ignore[list-item]


def check_batt(several: Sequence[Program], inputs: Sequence[Value], **options: int) -> None:
    demos = tuple((grid, grid) for grid in inputs[:2])
    samples = Samples(inputs, inputs, [demos] * len(inputs))  # type: ignore[arg-type, list-item]
    result = Batt(several).run(samples, SMALL, keep_values=True, **options)
    for p, program in enumerate(several):
        for s, grid in enumerate(inputs):
            wanted = interpret(program, {"I": grid, "S": demos}, SMALL)
            assert result.outcome(p, s) == wanted.outcome
            assert result.steps[p, s] == wanted.steps
            if not isinstance(wanted.outcome, Failure):
                assert result.hashes[p, s] == content_hash(wanted.outcome)
                assert result.matches[p, s] == (wanted.outcome == grid)


@pytest.mark.slow
@given(st.lists(programs, min_size=1, max_size=6), st.lists(grids(), min_size=1, max_size=3))
def test_fused_programs_give_what_they_give_alone(
    several: list[Program], inputs: list[Value]
) -> None:
    check_batt(several, inputs)


def test_a_part_of_a_grid_does_not_equal_the_grid() -> None:
    """Results may lie in their arguments' memory: the same start, yet another width."""
    check_batt([parse_program("def f(I):\n    return lefthalf(I)\n")], [((0, 0),)])


@pytest.mark.slow
def test_real_grids_and_the_library() -> None:
    rng = random.Random(1)
    tasks = load("arc-agi-1/training")
    inputs = [rng.choice(rng.choice(tasks).demos).input for _ in range(6)]
    check_batt([solver.program for solver in library_programs()], inputs)


def result_arrays(batt: Batt, samples: Samples, n_threads: int) -> list[np.ndarray]:
    result = batt.run(samples, SMALL, n_threads=n_threads)
    return [result.reasons, result.matches, result.hashes, result.steps]


def test_neither_threads_nor_the_order_of_programs_matter() -> None:
    several = [random_program(seed, 10) for seed in range(60)]
    inputs = [task.demos[0].input for task in load("arc-agi-1/training")[:40]]
    samples = Samples(inputs, inputs, [((grid, grid),) for grid in inputs])
    one = result_arrays(Batt(several), samples, 1)
    two = result_arrays(Batt(several), samples, 2)
    backwards = result_arrays(Batt(several[::-1]), samples, 2)
    for a, b, c in zip(one, two, backwards, strict=True):
        assert (a == b).all()
        assert (a == c[::-1]).all()


def test_sharing_is_counted() -> None:
    text = "def f(I):\n    a = hmirror(I)\n    b = vmirror(a)\n    return b\n"
    batt = Batt([parse_program(text), parse_program(text.replace("vmirror", "dmirror"))])
    assert (batt.size.n_calls_before, batt.size.n_calls) == (4, 3)


HOSTILE = [
    "a = upscale(I, 10)\n    b = upscale(a, 10)\n    c = upscale(b, 10)\n    x = upscale(c, 10)",
    "f = power(fork(combine, identity, identity), 60)\n    x = f((1, 2))",
    "a = interval(0, 100000, 1)\n    x = product(a, a)",
    "a = interval(0, 100000, 1)\n    x = prapply(add, a, a)",
    "a = asindices(canvas(0, (300, 300)))\n    x = manhattan(a, shift(a, (900, 900)))",
    "x = power(double, 1000000)(0)\n    x = power(power(double, 1000000), 1000000)(0)",
    "x = backdrop({(0, 0), (1000000, 1000000)})",
    "x = mapply(neighbors, connect(ORIGIN, (0, 900000)))",
]


def test_a_hostile_program_fails_alone() -> None:
    innocent = parse_program("def f(I):\n    return hmirror(I)\n")
    hostile = [parse_program(f"def f(I):\n    {lines}\n    return x\n") for lines in HOSTILE]
    result = Batt([innocent, *hostile, innocent]).run(demo_samples(((1, 2), (3, 4))), SMALL)
    assert result.reasons[:, 0].tolist() == [0, *[int(Reason.BUDGET)] * len(hostile), 0]


@pytest.mark.slow
def test_programs_run_one_by_one_where_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def f(I):\n    large = upscale(I, 30)\n    return replace(large, {}, {})\n"
    several = [parse_program(text.format(old, new)) for old in range(10) for new in range(10)]
    grid = tuple(tuple((i * j) % 10 for j in range(30)) for i in range(30))
    # Free the memory that threads keep: it could be enough for all programs together.
    bound_memory()
    results, n_upscaled = [], []
    for max_bytes in (1, 2**29):
        monkeypatch.setattr("arcbatt.engine.cpu.run.MAX_ARENA_BYTES", max_bytes)
        with profiler.profile() as profile:
            results.append(Batt(several).run(Samples([grid]), n_threads=1, device="cpu"))
        n_upscaled.append({row.name: row.n_calls for row in profile.rows()}["upscale"])
    for name in ("reasons", "hashes", "steps"):
        assert (getattr(results[0], name) == getattr(results[1], name)).all()
    # Shared calls run once in the first try with all programs, then once for each program.
    assert n_upscaled == [1 + len(several), 1]


def test_a_program_that_has_spent_its_budget_runs_no_further() -> None:
    lines = [f"x{k + 1} = hmirror(replace(x{k}, {k}, {k + 1}))" for k in range(8)]
    body = "".join(f"    {line}\n" for line in lines)
    program = parse_program(f"def f(I):\n    x0 = I\n{body}    return x8\n")
    grid = tuple((0,) * 10 for _ in range(10))
    steps = interpret(program, {"I": grid}).steps
    for share in (1, 2, 4):
        budget = Budget(steps // share, 2**20)
        with profiler.profile() as profile:
            result = Batt([program]).run(Samples([grid]), budget, n_threads=1, device="cpu")
        wanted = interpret(program, {"I": grid}, budget)
        assert int(result.steps[0, 0]) == wanted.steps
        assert bool(result.reasons[0, 0]) == (share > 1)
        n_run = sum(row.n_calls for row in profile.rows())
        assert n_run == program.n_calls if share == 1 else n_run <= program.n_calls // share + 1


@pytest.mark.parametrize("device", ["gpu", "cuda:x", "", "cpu:0"])
def test_devices_that_do_not_exist_are_refused(device: str) -> None:
    with pytest.raises(ValueError, match="is not a device"):
        Batt([parse_program("def f(I):\n    return I\n")]).run(demo_samples(((1,),)), device=device)


@pytest.mark.parametrize("n_args", [1, 4, 5, 6, 255, 256, 300])
@pytest.mark.parametrize("function", ["branch(T, size, size)", "compose(size, hmirror)", "I"])
def test_function_values_may_be_called_with_any_number_of_arguments(
    function: str, n_args: int
) -> None:
    arguments = ", ".join(["I"] * n_args)
    program = parse_program(f"def f(I):\n    g = {function}\n    return g({arguments})\n")
    check_batt([program], [((1, 2), (3, 4))])


def test_values_that_were_not_kept_are_asked_for_in_vain() -> None:
    result = Batt([parse_program("def f(I):\n    return I\n")]).run(demo_samples(((1,),)))
    with pytest.raises(ValueError, match="keep_values"):
        result.outcome(0, 0)


def test_only_results_that_are_there_are_given() -> None:
    both = [parse_program(f"def f(I):\n    return {name}(I)\n") for name in ("hmirror", "vmirror")]
    samples = Samples([((1, 2), (3, 4)), ((5,),)])
    result = Batt(both).run(samples, keep_values=True)
    assert result.outcome(1, 0) == ((2, 1), (4, 3)) and result.outcome(np.int64(0), 1) == ((5,),)  # type: ignore[arg-type]
    for place in (-1, 2):
        with pytest.raises(IndexError, match=f"there is no program {place}; expected 0 to 1"):
            result.outcome(place, 0)
        with pytest.raises(IndexError, match=f"there is no sample {place}; expected 0 to 1"):
            result.outcome(0, place)
    with pytest.raises(IndexError, match="no program 0; there are none"):
        Batt([]).run(samples).outcome(0, 0)


def test_results_are_equal_to_themselves_alone() -> None:
    batt = Batt([parse_program("def f(I):\n    return I\n")])
    first, second = batt.run(demo_samples(((1,),))), batt.run(demo_samples(((1,),)))
    assert first == first and first != second and len({first, second}) == 2


@pytest.mark.parametrize("chosen", [[2, 0], [1, 0, 2], [1, 1], [], np.array([2, 1], np.uint8)])
def test_a_part_has_the_programs_that_were_chosen(chosen: Any) -> None:
    texts = ("hmirror(x)", "vmirror(x)", "dmirror(x)")
    several = [parse_program(f"def f(I):\n    x = rot90(I)\n    return {text}\n") for text in texts]
    samples = demo_samples(((1, 2), (3, 4)))
    part = Batt(several).part(chosen)
    assert list(part.programs) == [several[k] for k in chosen]
    whole = Batt(several).run(samples).hashes
    assert part.run(samples).hashes.tolist() == [whole[k].tolist() for k in chosen]


def test_a_run_can_be_interrupted() -> None:
    code = """
import _thread, signal, threading
from arcbatt.engine.batt import Batt
from arcbatt.engine.graph.samples import Samples
from arcbatt.language import Budget, parse_program
slow = "def f(I):\\n    a = interval(0, 30000, 1)\\n    x = prapply(astuple, a, combine(I, I))\\n"
end = "    y = combine(x, {{{}}})\\n    return size(y)\\n"
programs = [parse_program(slow + end.format(k)) for k in range(4000)]
samples = Samples([((1, 2), (3, 4))] * 400)
# Interrupts are ignored in tests that run in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(1.0, _thread.interrupt_main).start()
try:
    Batt(programs).run(samples, Budget())
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr


@pytest.mark.slow
def test_signals_are_heard_during_long_runs_of_few_programs() -> None:
    program = parse_program("def f(I):\n    return power(power(double, 1000000), 1000000)(0)\n")
    heard = []
    before = signal.signal(signal.SIGALRM, lambda *_: heard.append(len(heard)))
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        Batt([program]).run(Samples([((1,),)] * 30), n_threads=1, device="cpu")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # Signals that arrive while none is handled count as one.
    assert len(heard) > 1


# The system gives no more threads once the memory that may be mapped is full of their stacks.
FEW_THREADS = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (12 * 2**30,) * 2)
import numpy as np
from arcbatt.engine import profiler
from arcbatt.engine.batt import Batt
from arcbatt.engine.graph.samples import Samples
from arcbatt.engine.task_run import TaskSamples, run_on_tasks
from arcbatt.tasks import load
from bench.random_programs import random_program
programs = [random_program(seed, 10) for seed in range(40)]
tasks = load("arc-agi-1/training")[:40]
inputs = [task.demos[0].input for task in tasks]
batt, samples = Batt(programs), Samples(inputs, inputs, [((g, g),) for g in inputs])
one, many = (batt.run(samples, n_threads=n, device="cpu", keep_values=True) for n in (1, 8))
with profiler.profile() as profile:
    again = batt.run(samples, n_threads=8, device="cpu", keep_values=True)
for result in (many, again):
    for name in ("reasons", "matches", "hashes", "steps", "numbers"):
        assert (getattr(one, name) == getattr(result, name)).all()
    for program in range(40):
        for sample in range(40):
            assert one.outcome(program, sample) == result.outcome(program, sample)
# Each thread runs calls of constants once.
varying = set()
for program in programs:
    for node in program.nodes():
        if node.kind == "input" or not varying.isdisjoint(node.args):
            varying.add(node)
n_varying = sum(node.kind in ("call", "invoke") for node in varying) * len(samples)
assert n_varying <= sum(row.n_calls for row in profile.rows()) <= n_varying + 8 * batt.n_calls
on_tasks = [run_on_tasks(batt, TaskSamples(tasks), n_threads=n, device="cpu") for n in (1, 8)]
assert (on_tasks[0].steps == on_tasks[1].steps).all()
print("done")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="stacks are sized by Linux's limit")
@pytest.mark.parametrize("stack_gb", [64, 3], ids=["no thread", "some threads"])
def test_threads_that_cannot_be_started_are_done_without(stack_gb: int) -> None:
    """With 12 GB for all stacks, no thread or only a few can be started."""
    # A thread's stack is as large as the limit was when the process began.
    limits = f"ulimit -S -s {stack_gb * 2**20} || exit 77; exec"
    command = f'{limits} "$0" -c "$1"'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, FEW_THREADS],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    )
    if done.returncode == 77:
        pytest.skip("stacks may not be so large here")
    assert done.stdout == "done\n", done.stderr


# --- arrays are taken as they are ---


def packed_grid(dtype: type = np.int32) -> _engine.Samples:
    def array(*numbers: int) -> np.ndarray:
        return np.array(numbers, np.int32)

    cells = np.array([1, 2], dtype)
    return _engine.Samples(cells, array(1, 2), array(0), array(-1), array(-1), array(0), array())


def test_cells_of_another_type_are_refused_and_not_converted() -> None:
    packed_grid()
    for dtype in (np.int64, np.uint8, np.float32):
        with pytest.raises(TypeError):
            packed_grid(dtype)


def test_cells_live_as_long_as_their_samples() -> None:
    batt = Batt([parse_program("def f(I):\n    return I\n")])
    samples = Samples([np.full((30, 30), k) for k in range(200)])
    gc.collect()
    _ = [np.full((30, 30), 7, np.int32) for _ in range(500)]
    result = batt.run(samples, device="cpu", keep_values=True)
    assert [result.outcome(0, k) for k in range(200)] == [((k,) * 30,) * 30 for k in range(200)]


@pytest.mark.parametrize("name", ["reasons", "matches", "hashes", "steps", "numbers"])
def test_results_are_written_into_the_arrays_given_or_refused(name: str) -> None:
    programs = [parse_program(f"def f(I):\n    return {each}\n") for each in ("I", "hmirror(I)")]
    batt = Batt(programs)
    types = {"reasons": "u1", "matches": "u1", "hashes": "u8", "steps": "i8", "numbers": "i4"}
    limits = {"max_steps": 100, "max_bytes": 10**6, "max_arena_bytes": 10**6, "n_threads": 1}

    def run_into(arrays: dict[str, np.ndarray]) -> None:
        _engine.run_batt(
            batt.fused,
            packed_grid(),
            np.array([0], np.uint32),
            profile=np.zeros(0, np.int64),
            keep_values=False,
            **limits,
            **arrays,
        )

    arrays = {each: np.zeros((2, 1), dtype) for each, dtype in types.items()}
    run_into(arrays)
    assert (arrays["hashes"] == content_hash(((1, 2),))).all()
    for wrong in (np.zeros((2, 1), "f4"), np.zeros((2, 2), types[name])[:, ::2], [[0], [0]]):
        with pytest.raises(TypeError):
            run_into({**arrays, name: wrong})  # type: ignore[dict-item]
    frozen = np.zeros((2, 1), types[name])
    frozen.flags.writeable = False
    with pytest.raises(TypeError):
        run_into({**arrays, name: frozen})


def test_what_makes_no_sense_is_refused_by_the_extension() -> None:
    call = _engine.call
    ring: object = 1
    for _ in range(100_000):
        ring = (ring,)
    with pytest.raises(ValueError, match="nested deeper"):
        call(primitive_numbers()["identity"], (ring,), 100, 10**6)
    with pytest.raises(ValueError, match="no such primitive"):
        call(primitive_numbers()["identity"], (NumberedFunction(10**6, ()),), 100, 10**6)
    with pytest.raises(ValueError, match="not a value"):
        call(primitive_numbers()["identity"], (1.5,), 100, 10**6)
    samples = packed_grid()
    with pytest.raises(ValueError, match="another size"):
        samples.write_image(np.zeros(1, np.uint8), 0)


# --- versions ---


def test_the_extension_was_built_from_these_sources() -> None:
    folder = TABLE.parent.parent.parent
    names = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.suffix in (".cpp", ".hpp", ".inc", ".cu")
    )
    listing = "".join(f"{n} {sha256((folder / n).read_bytes()).hexdigest()}\n" for n in names)
    built_from = sha256(listing.encode()).hexdigest()
    assert _engine.source_digest == built_from, "the extension is stale: make .venv/ready"


def test_another_source_is_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    here = engine_version()
    assert here == engine_version.__wrapped__()
    assert len(here) == 32 and int(here, 16) >= 0
    monkeypatch.setattr(_engine, "source_digest", "0" * 64)
    assert engine_version.__wrapped__() != here


def test_primitives_are_numbered_by_name() -> None:
    assert list(primitive_numbers()) == sorted(all_primitives())
