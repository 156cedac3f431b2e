"""Kernels and the CPU give equal results: on a CPU that emulates a GPU, and on a GPU."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from ctypes import CDLL
from random import Random

import pytest

from arcbatt.engine import profiler
from arcbatt.engine.batt import Batt
from arcbatt.engine.gpu import device_run, kernels, plan
from arcbatt.engine.graph.samples import Samples
from arcbatt.language import Budget, interpret, parse_program
from arcbatt.library import library_programs
from arcbatt.tasks import load
from bench.random_programs import random_program
from tests.support import emulated_gpu
from tests.support.gpu import (
    NESTED,
    SMALL,
    check_equal,
    kept_words,
    needs_gpu,
    training_samples,
)


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("steps", [400, 6000, 200_000])
def test_functions_as_steps_agree(steps: int) -> None:
    programs = [solver.program for solver in library_programs()][::3]
    programs += [random_program(seed, 10, well_typed=seed % 3 > 0) for seed in range(60)]
    programs.append(parse_program(NESTED.replace("def f(I)", "def f(S, I)")))
    batt, samples = Batt(programs), training_samples(12)
    budget = Budget(steps=steps, bytes=steps * 20)
    wanted = batt.run(samples, budget, device="cpu", keep_values=True)
    got = batt.run(samples, budget, device="cuda", keep_values=True)
    check_equal(got, wanted)
    n_run = len(samples) * batt.plan.programs.size
    assert got.ran_on["cuda:0"] == n_run
    assert got.ran_on["cpu"] == wanted.reasons.size - n_run
    for program in range(0, len(programs), 5):
        for sample in range(0, len(samples), 5):
            assert got.outcome(program, sample) == wanted.outcome(program, sample)


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("seed", range(4))
def test_steps_wait_for_everything_they_need(
    monkeypatch: pytest.MonkeyPatch, library_of_kernels: CDLL, seed: int
) -> None:
    programs = [solver.program for solver in library_programs()][seed::20]
    programs.append(parse_program(NESTED.replace("def f(I)", "def f(S, I)")))
    batt, samples = Batt(programs), training_samples(2)
    wanted = batt.run(samples, SMALL, device="cpu")
    driver = emulated_gpu.LateDriver(library_of_kernels, seed)
    monkeypatch.setattr(kernels, "driver", driver.driver)
    monkeypatch.setattr(device_run, "EVENTS_PER_STREAM", (2, 32)[seed % 2])
    got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, wanted)
    assert got.ran_on["cuda:0"] == len(samples) * batt.plan.programs.size


@pytest.mark.usefixtures("on_cpu")
def test_two_concurrent_runs_on_one_gpu_agree() -> None:
    programs, samples = [solver.program for solver in library_programs()], training_samples(6)
    batts = [Batt(programs[start::40]) for start in range(4)]
    wanted = [batt.run(samples, SMALL, device="cpu") for batt in batts]
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(batt.run, samples, SMALL, device="cuda") for batt in batts]
        for run, each in zip(runs, wanted, strict=True):
            check_equal(run.result(), each)
            assert run.result().ran_on["cuda:0"]


@pytest.mark.usefixtures("on_cpu")
def test_a_profile_has_every_launch() -> None:
    batt, samples = Batt([parse_program(NESTED.replace("(I)", "(S, I)", 1))]), training_samples(4)
    with profiler.profile() as profile:
        got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, batt.run(samples, SMALL, device="cpu"))
    stages = plan.stages_of(batt.plan)
    steps = {(k, step.kernel) for k, stage in enumerate(stages) for step in stage}
    timed = {(launch.stage, launch.kernel) for launch in profile.launches}
    others = {kernel for _, kernel in timed - steps}
    assert others == {device_run.COUNTING, "find_outcomes"}
    assert all(launch.n_items > 0 and launch.seconds > 0 for launch in profile.launches)
    loads = [launch for launch in profile.launches if launch.kernel == "run_load"]
    assert sum(launch.n_items for launch in loads) % len(samples) == 0


# Parts of grids, merged, moved as far as possible, and painted over each other.
PARTS = """
def f(I):
    o = objects(I, {u}, {d}, {w})
    m = merge(o)
    p = shift(m, ({k}, -2))
    q = shift(toindices(m), (-1048570, {k}))
    v = paint(I, combine(m, shift(merge(partition(I)), (0, 1))))
    g = underpaint(I, shift(m, (1, 0)))
    t = pair(totuple(o), merge(totuple(o)))
    return pair(pair(paint(I, p), pair(v, g)), pair(t, pair(totuple(p), merge(initset(m)))))
"""


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("steps", [3000, 10**7])
def test_parts_of_grids_agree(steps: int) -> None:
    flags = [(u, d, w) for u in "TF" for d in "TF" for w in "TF"]
    texts = [PARTS.format(u=u, d=d, w=w, k=k) for k, (u, d, w) in enumerate(flags)]
    rng = Random(steps)
    sizes = [(1, 1), (3, 5), (7, 31), (13, 12), (30, 30), (32, 32), (2, 33), (33, 4)]

    def grid(n_rows: int, width: int, colors: int, share: float) -> tuple[tuple[int, ...], ...]:
        def cell() -> int:
            return rng.randrange(colors) if rng.random() < share else 0

        return tuple(tuple(cell() for _ in range(width)) for _ in range(n_rows))

    samples = Samples(
        [
            grid(*size, colors, share)
            for size in sizes
            for colors, share in ((3, 0.2), (10, 0.8), (12, 0.5))
        ]
    )
    batt = Batt([parse_program(text) for text in texts])
    budget = Budget(steps=steps, bytes=100 * steps)
    got = batt.run(samples, budget, device="cuda", keep_values=True)
    wanted = batt.run(samples, budget, device="cpu", keep_values=True)
    check_equal(got, wanted)
    for program in range(len(texts)):
        for sample in range(0, len(samples), 5):
            assert got.outcome(program, sample) == wanted.outcome(program, sample)


LARGE_GRIDS = """
def f_{k}(I):
    a = upscale(I, 2)
    b = hconcat(a, vconcat(hmirror(I), dmirror(I)))
    c = pair(enclosed_cells(b, {k}), areas_between(b, ofcolor(b, {k})))
    e = pair(objects(b, {u}, {d}, {w}), objects_t(a, {u}, {d}, {w}))
    return pair(pair(e, c), o_g(b, {k}))
"""


@pytest.mark.usefixtures("on_cpu")
def test_objects_of_large_grids_agree() -> None:
    flags = [(u, d, w) for u in "TF" for d in "TF" for w in "TF"]
    texts = [LARGE_GRIDS.format(k=k, u=u, d=d, w=w) for k, (u, d, w) in enumerate(flags)]
    batt = Batt([parse_program(text) for text in texts])
    grid = tuple(tuple((i * i + j * (j % 5)) % 4 for j in range(17)) for i in range(17))
    samples = Samples([grid, ((1,) * 20,) * 20, ((0,) * 17,) * 17])
    for steps in (20_000, 10**7):
        budget = Budget(steps=steps, bytes=100 * steps)
        got = batt.run(samples, budget, device="cuda", keep_values=True)
        wanted = batt.run(samples, budget, device="cpu", keep_values=True)
        check_equal(got, wanted)
        for program in range(len(texts)):
            assert got.outcome(program, 0) == wanted.outcome(program, 0)


# Floods and parts: by bits on pictures of up to 32 rows and 63 columns, cell by cell on others.
FLOODS = """
def f_{code}(I):
    p = astuple(ORIGIN, I)
    a = astuple(astuple(solid(p), holes(p)), astuple(rim(p), core(p)))
    b = tally(p, {what}, 1)
    c = pick(insert(p, split_columns(p)), {code})
    return astuple(a, astuple(b, c))
"""


@pytest.mark.usefixtures("on_cpu")
def test_floods_of_pictures_agree() -> None:
    codes = ((2, 7), (3, 10), (4, 11))
    batt = Batt([parse_program(FLOODS.format(what=what, code=code)) for what, code in codes])
    rng = Random(5)
    sizes = [(1, 1), (5, 7), (32, 63), (33, 9), (9, 64), (34, 65)]
    samples = Samples(
        [
            [[rng.randrange(1, 4) * (rng.random() < share) for _ in range(n)] for _ in range(m)]
            for m, n in sizes
            for share in (0.3, 0.6)
        ]
    )
    got = batt.run(samples, device="cuda", keep_values=True)
    wanted = batt.run(samples, device="cpu", keep_values=True)
    check_equal(got, wanted)
    assert not wanted.reasons.any()
    for program in range(len(codes)):
        for sample in range(len(samples)):
            wanted_value = interpret(batt.programs[program], samples.inputs_of(sample)["I"]).outcome
            assert got.outcome(program, sample) == wanted_value


# Sets of locations and of cells, small and large, one of two colors, a tuple, and an empty set.
ELEMENTS = """
def f(I):
    a = asindices(I)
    b = insert(a, insert(corners(a), insert(initset(ORIGIN), initset(shift(a, (3, -2))))))
    c = combine(apply(lbind(recolor, 2), b), initset(asobject(I)))
    d = combine(totuple(combine(b, c)), astuple(totuple(corners(a)), totuple(difference(a, a))))
    return {call}
"""


OF_ONE = (
    "uppermost lowermost leftmost rightmost ulcorner urcorner llcorner lrcorner corners vline hline"
    " center height width shape portrait toindices initset size color".split()
)


OF_TWO = "intersection difference combine manhattan hmatching vmatching insert contained".split()


CALLS = [
    *(f"apply({name}, sfilter({sets}, size))" for name in OF_ONE for sets in "bcd"),
    *(f"apply({name}, d)" for name in OF_ONE),
    *(f"prapply({name}, {x}, {y})" for name in OF_TWO for x, y in ("bb", "bc", "cb", "cc", "db")),
    *(
        f"apply(rbind(shift, {way}), {sets})"
        for way in ("(1, -1)", "(0, 0)", "3")
        for sets in "bcd"
    ),
    *(f"apply(lbind(recolor, {color}), {sets})" for color in (0, 2) for sets in "bcd"),
    *(f"apply({name}, a)" for name in ("neighbors", "dneighbors", "ineighbors")),
    *(f"apply(lbind({name}, insert), b)" for name in ("lbind", "rbind", "matcher")),
    "apply(lbind(compose, first), combine(initset(last), initset(size)))",
    "apply(fork(insert, first, compose(initset, last)), product(a, corners(a)))",
    "apply(lbind(fork, insert), combine(b, initset(first)))",
    *(f"apply(rbind(remove, {sets}), {sets})" for sets in "abcd"),
    *(
        f"apply(lbind(remove, {x}), {y})"
        for x in ("1", "ORIGIN")
        for y in ("a", "b", "product(a, a)")
    ),
    "apply(lbind(remove, first(b)), insert(b, insert(initset(first(b)), initset(b))))",
    "prapply(remove, interval(0, 4, 1), insert((0, 1), insert((1, 1, 2), initset((3, 1, 1)))))",
    "apply(rbind(remove, palette(I)), interval(0, 4, 1))",
    "apply(rbind(remove, insert(a, initset(1))), insert(a, initset(1)))",
    *(f"apply(rbind(shoot, {way}), a)" for way in ("UP_RIGHT", "(3, -3)", "(1, 2)")),
    "apply(lbind(shoot, ORIGIN), combine(a, shift(a, (30000, 0))))",
    "prapply(connect, a, shift(a, (20, 20)))",
]


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("steps", [900, 30_000, 10**6])
def test_small_and_large_elements_agree(steps: int) -> None:
    batt = Batt([parse_program(ELEMENTS.format(call=call)) for call in CALLS])
    grid = tuple(tuple((i * i + j * (j % 5)) % 4 for j in range(9)) for i in range(9))
    samples = Samples([grid, ((1, 2, 3),) * 3, ((0,),)])
    budget = Budget(steps=steps, bytes=steps * 20)
    wanted = batt.run(samples, budget, device="cpu", keep_values=True)
    got = batt.run(samples, budget, device="cuda", keep_values=True)
    check_equal(got, wanted)
    assert got.ran_on["cuda:0"] > 0.9 * wanted.reasons.size
    for program in range(len(CALLS)):
        assert got.outcome(program, 0) == wanted.outcome(program, 0)


# Grids, patches and sets near the origin (32 rows and columns), across that border, and far away.
PLAIN = """
def f_{k}(I):
    b = {turn}(I)
    o = merge(objects(b, {u}, {d}, T))
    x = ofcolor(b, {k})
    y = shift(x, ({di}, {dj}))
    z = combine(x, y)
    w = difference(z, toindices(shift(o, ({di}, 0))))
    g = underfill(fill(b, {k}, w), 3, y)
    q = shift(asobject(tophalf(g)), (1, {di}))
    r = paint(g, combine(q, recolor({k}, z)))
    t = recolor({k}, toobject(z, r))
    v = paint(r, recolor(3, combine(t, q)))
    s = crop(hconcat(v, hmirror(v)), (1, 1), (9, 9))
    e = cover(s, box(combine(toindices(t), y)))
    return pair(totuple(pair(e, totuple(o))), pair(totuple(w), totuple(combine(z, toindices(q)))))
"""


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("steps", [300, 2500, 10**6])
def test_plain_calls_agree(steps: int) -> None:
    moves = [(0, 1), (1, 0), (-2, 3), (3, -4), (25, 1), (2, 40), (-40, 500), (100_000, -7)]
    turns = ["rot90", "dmirror", "vmirror", "identity"]
    texts = [
        PLAIN.format(k=k, di=di, dj=dj, u="TF"[k % 2], d="FT"[k // 2 % 2], turn=turns[k % 4])
        for k, (di, dj) in enumerate(moves)
    ]
    batt = Batt([parse_program(text) for text in texts])
    inputs = [task.demos[0].input for task in load("arc-agi-1/training")[:12]]
    samples = Samples([*inputs, ((0, 1, 2) * 15, (3, 0, 0) * 15) * 17, ((11, -1), (0, 2))])
    budget = Budget(steps=steps, bytes=20 * steps)
    wanted = batt.run(samples, budget, device="cpu", keep_values=True)
    got = batt.run(samples, budget, device="cuda", keep_values=True)
    check_equal(got, wanted)
    assert got.ran_on["cuda:0"] == wanted.reasons.size
    for program in range(len(texts)):
        for sample in range(len(samples)):
            assert got.outcome(program, sample) == wanted.outcome(program, sample)


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("seed", range(3))
def test_chunks_are_started_before_others_are_done(
    monkeypatch: pytest.MonkeyPatch, library_of_kernels: CDLL, seed: int
) -> None:
    texts = [
        PLAIN.format(k=k, di=1, dj=k, u="T", d="FT"[k], turn=("rot90", "vmirror")[k])
        for k in range(2)
    ]
    batt = Batt([parse_program(text) for text in texts])
    inputs = [task.demos[0].input for task in load("arc-agi-1/training")]
    samples = Samples([grid for grid in inputs if len(grid) * len(grid[0]) < 40][: 70 + seed])
    wanted = batt.run(samples, SMALL, device="cpu")
    driver = emulated_gpu.LateDriver(library_of_kernels, seed)
    monkeypatch.setattr(kernels, "driver", driver.driver)
    monkeypatch.setattr(device_run, "EXPECTED_CALL_BYTES", 2**40)  # 32 samples per chunk
    got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, wanted)
    assert dict(got.ran_on) == {"cuda:0": wanted.reasons.size}


LARGE_SETS = """
def f(I):
    a = asindices(I)
    b = prapply(connect, a, a)
    c = mapply(rbind(shift, (1, 1)), b)
    d = apply(rbind(astuple, 1), product(a, corners(a)))
    e = order(b, size)
    g = papply(add, totuple(a), totuple(c))
    return pair(pair(initset(b), initset(c)), pair(initset(d), pair(e, g)))
"""


@pytest.mark.usefixtures("on_cpu")
def test_large_values_agree() -> None:
    batt = Batt([parse_program(LARGE_SETS)])
    samples = Samples([((1, 2, 3),) * 3, ((0,) * 5,) * 4, ((1, 2),)])
    for steps in (2_000, 40_000, 10**7):
        budget = Budget(steps=steps, bytes=100 * steps)
        got = batt.run(samples, budget, device="cuda", keep_values=True)
        wanted = batt.run(samples, budget, device="cpu", keep_values=True)
        check_equal(got, wanted)
        assert got.ran_on == {"cuda:0": len(samples)}
        assert all(got.outcome(0, k) == wanted.outcome(0, k) for k in range(len(samples)))


# Calls on values that are large enough for wide lanes, some with members close together.
LARGE_CALLS = """
def f(I):
    a = asindices(I)
    b = asobject(I)
    c = apply(initset, a)
    d = shift(a, (7, 900))
    e = insert(a, insert(shift(b, (3, 2)), initset(d)))
    return {call}
"""


CALLS_ON_LARGE = [
    *(
        "pair(a, d)",
        "pair(totuple(b), a)",
        "pair(totuple(e), totuple(e))",
        "product(a, corners(d))",
    ),
    *("product(c, corners(a))", "combine(c, e)", "combine(c, apply(initset, d))", "combine(c, b)"),
    *("combine(e, a)", "merge(e)", "merge(insert(d, initset(a)))", "merge(insert(a, initset(d)))"),
    "mapply(lbind(shift, a), corners(d))",
    "mapply(lbind(shift, b), corners(a))",
    "mapply(lbind(shift, d), totuple(corners(a)))",
    *("copies_at(a, a)", "copies_at(b, corners(d))", "copies_at(d, totuple(corners(a)))"),
    *("foreground(I)", "palette(I)", "palette(b)", "get_color_rank(I, 1)", "get_color_rank(b, -1)"),
    *(
        "get_color_rank(canvas(17, (20, 20)), 0)",
        "move(I, totuple(b), (0, 0))",
        "move(I, d, ORIGIN)",
    ),
    *(
        "objects(I, T, F, F)",
        "insert(upscale(I, 3), c)",
        "tile(astuple(ORIGIN, I), (30, 41), 1)",
        "b",
        "I",
    ),
]


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("steps", [20_000, 10**6])
def test_calls_on_large_values_agree(steps: int) -> None:
    batt = Batt([parse_program(LARGE_CALLS.format(call=call)) for call in CALLS_ON_LARGE])
    samples = Samples([tuple(tuple((i * j + i) % 7 % 4 for j in range(18)) for i in range(19))])
    budget = Budget(steps=steps, bytes=steps * 20)
    wanted = batt.run(samples, budget, device="cpu", keep_values=True)
    got = batt.run(samples, budget, device="cuda", keep_values=True)
    check_equal(got, wanted)
    assert got.ran_on == {"cuda:0": len(CALLS_ON_LARGE)}
    for program in range(len(CALLS_ON_LARGE)):
        assert got.outcome(program, 0) == wanted.outcome(program, 0)


# Branches of functions: nested, repeated, of two arguments, with one function failing, with failed
# arguments, as parts of other functions, chosen per element.
BRANCHES = [
    "apply(branch({c}, size, color), o)",
    "mapply(fork(recolor, branch({c}, color, compose(first, palette)), toindices), o)",
    "mapply(lbind(mapply, branch({c}, vfrontier, hfrontier)), apply(toindices, o))",
    "papply(branch({c}, add, compose(lbind, add)), totuple(palette(I)), totuple(palette(I)))",
    "papply(branch({c}, add, multiply), totuple(palette(I)), totuple(palette(I)))",
    "order(o, branch({c}, branch(d, size, height), fork(add, width, branch(d, width, leftmost))))",
    "sfilter(o, compose(branch(d, even, positive), branch({c}, size, ulcorner)))",
    "apply(chain(branch({c}, first, last), branch(d, first, order), totuple), o)",
    "apply(matcher(branch({c}, size, color), 4), o)",
    "apply(power(branch({c}, outbox, inbox), 2), o)",
    "apply(fork(apply, chain(rbind(rbind, 0), branch({c}, size, width), identity), identity), o)",
    "branch({c}, hmirror, objects)(I)",
    "branch({c}, objects, replace)(I, d, {c}, T)",
    "argmax(o, branch({c}, compose(size, branch(d, outbox, color)), size))",
    "extract(o, branch({c}, identity, size))",
    "apply(fork(apply, chain(rbind(rbind(branch, last), first), even, size), identity), o)",
]
CONDITIONS = [
    "d",
    "equality(height(I), width(I))",
    "palette(I)",
    "size",
    "index(I, (1, 1))",
    "first(I)",
]
BRANCHING = """
def f(I):
    o = objects(I, T, F, T)
    d = greater(size(o), 3)
    return {call}
"""


@pytest.mark.parametrize("card", ["on_cpu", pytest.param("", marks=needs_gpu)])
def test_branches_of_functions_agree(card: str, request: pytest.FixtureRequest) -> None:
    if card:
        request.getfixturevalue(card)
    calls = [each.format(c=condition) for each in BRANCHES for condition in CONDITIONS]
    batt = Batt([parse_program(BRANCHING.format(call=call)) for call in calls])
    samples = training_samples(12 if card else 400)
    for steps in (300, 5000, 10**6):
        budget = Budget(steps=steps, bytes=20 * steps)
        wanted = batt.run(samples, budget, device="cpu", keep_values=True)
        got = batt.run(samples, budget, device="cuda", keep_values=True)
        check_equal(got, wanted)
        assert kept_words(got) == kept_words(wanted)
    # Four of the forms choose between functions of different arity, one calls a function's result.
    assert got.ran_on["cuda:0"] == len(samples) * (len(BRANCHES) - 5) * len(CONDITIONS)
    assert (wanted.reasons == 0).any() and (wanted.reasons != 0).any()


# Grids with all kinds of symmetries, with some hidden or wrong cells.
@pytest.mark.parametrize("card", ["on_cpu", pytest.param("", marks=needs_gpu)])
def test_symmetries_agree(card: str, request: pytest.FixtureRequest) -> None:
    if card:
        request.getfixturevalue(card)
    rng = Random(0)

    def grid(n_rows: int, width: int, kind: int) -> tuple[tuple[int, ...], ...]:
        colors = [[rng.randrange(1, 4) for _ in range(width)] for _ in range(n_rows)]
        places = {
            0: lambda i, j: (i, min(j, width - 1 - j)),
            1: lambda i, j: (min(i, n_rows - 1 - i), min(j, width - 1 - j)),
            2: lambda i, j: (i % 4, j % 3),
            3: lambda i, j: (min(i, j), max(i, j)) if max(i, j) < min(n_rows, width) else (i, j),
            4: lambda i, j: (0, (i + j) % 5 % width),
            5: lambda i, j: (i, j),
        }
        cells = [
            [colors[a][b] for a, b in (places[kind](i, j) for j in range(width))]
            for i in range(n_rows)
        ]
        changed = rng.choice(((0,), (9,), (0, 0, 0, 9)))
        for _ in range(n_rows * width // 10 + 1):
            cells[rng.randrange(n_rows)][rng.randrange(width)] = rng.choice(changed)
        return tuple(map(tuple, cells))

    sizes = [(1, 1), (1, 9), (4, 4), (6, 11), (13, 13), (24, 9), (30, 30), (2, 70)]
    if not card:  # wide lanes there, too
        sizes += [(50, 52), (70, 60)]
    samples = Samples([grid(*size, kind) for size in sizes for kind in range(6)])
    texts = [f"close_symmetry(I, {hidden}, {noise})" for hidden in (0, 9) for noise in "FT"]
    batt = Batt([parse_program(f"def f(I):\n    return {text}\n") for text in texts])
    for steps in (3000, 50_000, 10**7):
        budget = Budget(steps=steps, bytes=20 * steps)
        wanted = batt.run(samples, budget, device="cpu", keep_values=True)
        got = batt.run(samples, budget, device="cuda", keep_values=True)
        check_equal(got, wanted)
        assert kept_words(got) == kept_words(wanted)
        assert got.ran_on == {"cuda:0": got.reasons.size}
    assert (wanted.reasons == 0).sum() > 30 and (wanted.reasons != 0).sum() > 10


# Each thread compares grids by itself; with more widths, threads diverge more.
GRIDS_OF_MANY_SIZES = """
def f(I):
    a = apply(rbind(subgrid, I), parts_of(I, 0, F))
    b = insert(I, combine(a, apply(rbind(subgrid, I), parts_of(I, 8, F))))
    c = combine(b, apply(hmirror, b))
    d = combine(c, apply(rot90, c))
    return {call}
"""
CALLS_ON_GRIDS = ["d", "pair(d, d)", "combine(apply(initset, d), apply(rbind(pair, b), d))"]


@pytest.mark.parametrize("card", ["on_cpu", pytest.param("", marks=needs_gpu)])
def test_sets_of_grids_of_many_sizes_agree(card: str, request: pytest.FixtureRequest) -> None:
    if card:
        request.getfixturevalue(card)
    texts = [GRIDS_OF_MANY_SIZES.format(call=call) for call in CALLS_ON_GRIDS]
    batt = Batt([parse_program(text) for text in texts])
    samples = training_samples(10 if card else 400)
    wanted = batt.run(samples, device="cpu", keep_values=True)
    for _ in range(1 if card else 20):
        got = batt.run(samples, device="cuda", keep_values=True)
        check_equal(got, wanted)
        # Word for word: equal sets may still have their members in another order.
        assert kept_words(got) == kept_words(wanted)


@needs_gpu
@pytest.mark.parametrize("well_typed", [True, False])
def test_random_programs_agree(well_typed: bool) -> None:
    batt = Batt([random_program(seed, 10, well_typed=well_typed) for seed in range(500)])
    samples = training_samples(60)
    got = batt.run(samples, SMALL, device="cuda", keep_values=True)
    wanted = batt.run(samples, SMALL, device="cpu", keep_values=True)
    assert got.ran_on["cuda:0"] > 0
    check_equal(got, wanted)
    for program in range(0, 500, 7):
        for sample in range(0, 60, 7):
            assert got.outcome(program, sample) == wanted.outcome(program, sample)


@needs_gpu
def test_hostile_programs_do_not_affect_others() -> None:
    lines = "".join(f"    x{k + 1} = hconcat(x{k}, x{k})\n" for k in range(20))
    doubling = f"def f(I):\n    x0 = hmirror(I)\n{lines}    return x20\n"
    texts = (
        doubling,
        "def f(I):\n    return upscale(I, 4000)\n",
        "def f(I):\n    return rot90(I)\n",
    )
    batt = Batt([parse_program(text) for text in texts])
    samples = training_samples(50)
    check_equal(batt.run(samples, device="cuda"), batt.run(samples, device="cpu"))
