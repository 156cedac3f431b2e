"""Measure the cost of differs, and how well their scores rank wrong programs.

    python bench/differs.py [--chains 40] [--seed 0] [--evolve 40] [--every 8] [--seeds 3]

Prints three tables. Cost: microseconds per differ and output on one demo, over all demos of
ARC-AGI-1 training with 12 simple outputs each. Ranking: every library solver is edited at random,
repeatedly, so that the distance of each program from the solver is known; a differ ranks well if,
of two wrong programs for a task, it mostly gives the nearer one the higher score. Weights are
fitted on every other task and tested on the rest. Evolution: tasks fitted with and without
selection by differs, for equal CPU time.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from arcbatt.engine.batt import Batt
from arcbatt.engine.graph.samples import Samples
from arcbatt.evaluation import Differ, TaskBoard, bundled_differs
from arcbatt.evaluation.differs import score_programs, weights_of
from arcbatt.language import Budget, Node, Program, parse_program
from arcbatt.language.infer import fitting_primitives, infer
from arcbatt.language.ir import call_node, replace_input, replace_node
from arcbatt.language.types import Type
from arcbatt.library import library_programs
from arcbatt.pool import Pool
from arcbatt.proposers.evolve import EvolveOptions
from arcbatt.proposers.evolve.evolution import Evolution
from arcbatt.tasks import Task, TaskSet, load

REPEATS = 5
SIMPLE = (
    "I",
    "hmirror(I)",
    "vmirror(I)",
    "rot90(I)",
    "replace(I, 1, 2)",
    "replace(I, 0, 3)",
    "tophalf(I)",
    "hconcat(I, I)",
    "trim(I)",
    "fill(I, 4, corners(asindices(I)))",
    "canvas(3, (5, 5))",
    "compress(I)",
)
MAX_EDITS = 4
# Programs with at least FAR edits are far, those with one edit are near.
FAR = 3
SMALL = Budget(steps=200_000, bytes=2**24)


def demo_samples(tasks: Sequence[Task]) -> Samples:
    pairs = [tuple((demo.input, demo.output) for demo in task.demos) for task in tasks]
    return Samples(
        [demo.input for task in tasks for demo in task.demos],
        [demo.output for task in tasks for demo in task.demos],
        [demos for demos in pairs for _ in demos],
    )


# --- cost ---


def measure(work: Callable[[], object]) -> float:
    """Return the shortest wall-clock time of several runs, in seconds."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def judge_program(differ: Differ, program: Program) -> Program:
    """Return the program that computes a differ's (score, element) for a program's output."""
    return Program(replace_input(differ.program.result, "output", program.result))


def cost_table(tasks: TaskSet) -> Table:
    samples = demo_samples(tasks)
    differs = bundled_differs()
    outputs = [parse_program(f"def simple(I):\n    return {text}\n") for text in SIMPLE]

    def run_s(programs: Sequence[Program]) -> float:
        batt = Batt([*outputs, *programs])
        return measure(lambda: batt.run(samples, device="cpu", n_threads=1))

    without_s = run_s([])

    def added_us(programs: Sequence[Program]) -> float:
        return (run_s(programs) - without_s) / len(samples) / len(outputs) * 1e6

    table = Table(title=f"cost of one more output per demo, {len(samples)} demos, one thread")
    for heading in ("differ", "score, µs", "with element, µs"):
        table.add_column(heading, justify="left" if heading == "differ" else "right")
    for chosen in [[differ] for differ in differs] + [list(differs)]:
        name = chosen[0].name if len(chosen) == 1 else "all together"
        whole = [judge_program(differ, output) for output in outputs for differ in chosen]
        score_us = added_us(score_programs(chosen, outputs))
        table.add_row(name, f"{score_us:.2f}", f"{added_us(whole):.2f}")
    fill_s = measure(lambda: score_programs(differs, outputs)) / len(outputs)
    table.add_row("making the scoring programs", f"{fill_s * 1e6:.0f} per program", "")
    return table


# --- ranking ---


class Editor:
    """Random single edits of programs that mostly preserve types."""

    def __init__(self, programs: Sequence[Program], seed: int) -> None:
        self._rng = random.Random(seed)
        self._bank: dict[Type, list[Node]] = {}
        for program in programs:
            for node, term in infer(program).types.items():
                self._bank.setdefault(term, []).append(node)

    def edit(self, program: Program) -> Program:
        """Replace one node by another of the same type, or one primitive by a similar one."""
        types = infer(program).types
        places = list(types)
        while True:
            at = self._rng.choice(places)
            by = self._swap(at, types) if self._rng.random() < 0.3 else self._other(at, types)
            if by is not None and by is not at:
                return Program(replace_node(program.result, at, by), program.name)

    def _other(self, at: Node, types: Mapping[Node, Type]) -> Node | None:
        own = [node for node, term in types.items() if term == types[at] and node is not at]
        choices = own if own and self._rng.random() < 0.5 else self._bank.get(types[at], [])
        return self._rng.choice(choices) if choices else None

    def _swap(self, at: Node, types: Mapping[Node, Type]) -> Node | None:
        if at.kind != "call":
            return None
        args = [types[arg] for arg in at.args]
        fitting = [p for p, term in fitting_primitives(args) if term == types[at]]
        return call_node(self._rng.choice(fitting), *at.args) if fitting else None


@dataclass(frozen=True)
class Wrong:
    """Wrong programs for one task: edits from the solver, fraction of matching demos,
    and scores [program, differ].

    Solvers of other tasks are included, at an infinite distance.
    """

    edits: NDArray[np.float64]
    matched: NDArray[np.float64]
    scores: NDArray[np.float64]


OTHER = np.inf


def wrong_programs(tasks: TaskSet, n_chains: int, seed: int) -> list[Wrong]:
    differs = bundled_differs()
    solvers = [parsed.program for parsed in library_programs()]
    editor = Editor(solvers, seed)
    wrongs = []
    for solver in solvers:
        samples = demo_samples([tasks[solver.name.removeprefix("solve_")]])
        edits: dict[Program, float] = {other: OTHER for other in solvers if other != solver}
        for _ in range(n_chains):
            program = solver
            for n_edits in range(1, MAX_EDITS + 1):
                program = editor.edit(program)
                if program != solver:
                    edits[program] = min(n_edits, edits.get(program, OTHER))
        programs = list(edits)
        first = Batt(programs).run(samples, SMALL, device="cpu")
        # Skip programs that fail on a demo, and those that are right on all.
        is_wrong = ~(first.reasons != 0).any(axis=1) & ~first.matches.all(axis=1)
        # Of programs with equal outputs, keep the nearest.
        nearest: dict[bytes, int] = {}
        for k in sorted(np.flatnonzero(is_wrong).tolist(), key=lambda k: edits[programs[k]]):
            nearest.setdefault(first.hashes[k].tobytes(), k)
        chosen = [programs[k] for k in nearest.values()]
        if not chosen:
            continue
        numbers = Batt(score_programs(differs, chosen)).run(samples, device="cpu").numbers
        scores = np.clip(numbers, 0, 1000).reshape(len(chosen), len(differs), -1)
        matched = first.matches[list(nearest.values())].mean(axis=1)
        distances = np.array([edits[program] for program in chosen])
        wrongs.append(Wrong(distances, matched, scores.mean(axis=2)))
    return wrongs


def concordance(
    wrongs: Sequence[Wrong],
    score: Callable[[Wrong], NDArray[np.float64]],
    is_far: Callable[[NDArray[np.float64]], NDArray[np.bool_]],
) -> float:
    """Return how often the nearer of two programs scores higher (ties count half), over tasks."""
    shares = []
    for wrong in wrongs:
        near, far = wrong.edits == 1, is_far(wrong.edits)
        if near.any() and far.any():
            given = score(wrong)
            gap = given[near][:, None] - given[far][None, :]
            shares.append(float((np.sign(gap) / 2 + 0.5).mean()))
    return float(np.mean(shares))


def far_edited(edits: NDArray[np.float64]) -> NDArray[np.bool_]:
    far: NDArray[np.bool_] = (edits >= FAR) & (edits != OTHER)
    return far


def is_other(edits: NDArray[np.float64]) -> NDArray[np.bool_]:
    other: NDArray[np.bool_] = edits == OTHER
    return other


def fit_weights(wrongs: Sequence[Wrong], n_rounds: int = 2000) -> NDArray[np.float64]:
    """Fit non-negative weights by logistic regression, with equal weight per task."""
    gaps, shares = [], []
    for wrong in wrongs:
        near = wrong.scores[wrong.edits == 1]
        for is_far in (far_edited, is_other):
            far = wrong.scores[is_far(wrong.edits)]
            if len(near) and len(far):
                gap = (near[:, None, :] - far[None, :, :]).reshape(-1, near.shape[1]) / 1000
                gaps.append(gap)
                shares.append(np.full(len(gap), 1 / len(gap)))
    gap, share = np.concatenate(gaps), np.concatenate(shares)
    weights: NDArray[np.float64] = np.ones(gap.shape[1])
    step = 4 / share.sum()
    for _ in range(n_rounds):
        slope = gap.T @ (share * np.exp(-np.logaddexp(0, gap @ weights)))
        weights = np.maximum(0, weights + step * slope)
    weights /= weights.sum()
    return weights


def ranking_table(wrongs: Sequence[Wrong]) -> Table:
    differs = bundled_differs()
    fitted = fit_weights(wrongs)
    table = Table(title="how often a program one edit away scores higher than ...")
    for heading in ("score", f"{FAR} or {MAX_EDITS} edits away", "a solver of another task"):
        table.add_column(heading, justify="left" if heading == "score" else "right")
    table.add_column("weight", justify="right")
    table.add_column("fitted", justify="right")

    def add(
        name: str,
        score: Callable[[Wrong], NDArray[np.float64]],
        among: Sequence[Wrong],
        *more: str,
    ) -> None:
        shares = [concordance(among, score, is_far) for is_far in (far_edited, is_other)]
        table.add_row(name, *(f"{share:.3f}" for share in shares), *more)

    def by(weights: NDArray[np.float64]) -> Callable[[Wrong], NDArray[np.float64]]:
        return lambda wrong: wrong.scores @ weights

    for k, differ in enumerate(differs):
        only = np.eye(len(differs))[k]
        add(differ.name, by(only), wrongs, str(differ.weight), f"{fitted[k]:.3f}")
    add("demos that match, without differs", lambda wrong: wrong.matched, wrongs)
    add("all alike", by(np.ones(len(differs))), wrongs)
    add("credit", by(weights_of(differs).astype(np.float64)), wrongs)
    for name, fit_on, test_on in (("even", 0, 1), ("odd", 1, 0)):
        weights = fit_weights(wrongs[fit_on::2])
        add(f"fitted on {name} tasks, on the others", by(weights), wrongs[test_on::2])
        add(
            "credit, on the same tasks",
            by(weights_of(differs).astype(np.float64)),
            wrongs[test_on::2],
        )
    return table


def selection_table(tasks: Sequence[Task], seconds: float, n_seeds: int) -> Table:
    """Compare evolution with and without differs: tasks fitted at start and end.

    Both get the same CPU time over all threads, which does not depend on other load.
    """
    table = Table(title=f"evolution for {seconds:g} s of the CPU, tasks fitted of {len(tasks)}")
    for heading in ("seed", "at the start", "without differs", "with differs"):
        table.add_column(heading, justify="right")
    board = TaskBoard(tasks)
    for seed in range(n_seeds):
        fitted = []
        for use_differs in (False, True):
            options = EvolveOptions(seed=seed, use_differs=use_differs)
            with Pool.in_memory() as pool:
                pool.add_library()
                evolution = Evolution(board, pool, options)
                start = time.process_time()
                evolution.begin(list(pool.solvers()))
                at_start = evolution.archive.n_fitted
                while time.process_time() - start < seconds:
                    evolution.step()
                evolution.close()
                fitted.append(evolution.archive.n_fitted)
        table.add_row(str(seed), str(at_start), *map(str, fitted))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--chains", type=int, default=40, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="K")
    parser.add_argument(
        "--evolve", type=float, default=40, metavar="SECONDS", help="0 to skip evolution"
    )
    parser.add_argument(
        "--every", type=int, default=8, metavar="K", help="evolve on every Kth task"
    )
    parser.add_argument("--seeds", type=int, default=3, metavar="N")
    options = parser.parse_args()
    tasks = load("arc-agi-1/training")
    console = Console()
    console.print(cost_table(tasks))
    wrongs = wrong_programs(tasks, options.chains, options.seed)
    n_wrong = sum(len(wrong.edits) for wrong in wrongs)
    console.print(f"{n_wrong:,} wrong programs with distinct outputs for {len(wrongs)} tasks")
    console.print(ranking_table(wrongs))
    if options.evolve:
        chosen = list(tasks)[:: options.every]
        console.print(selection_table(chosen, options.evolve, options.seeds))


if __name__ == "__main__":
    main()
