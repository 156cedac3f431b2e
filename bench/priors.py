"""Learn how likely one move follows another, which orders the last moves of a search.

    python bench/priors.py            write priors.inc of the native enumeration; then rebuild

It counts the primitives in stacks that are right on ARC-AGI-1 training, tests included, as
enumeration finds them two moves deep: each primitive of a piece after the one before it.
"""

from __future__ import annotations

import argparse
from collections import Counter
from itertools import pairwise
from math import log2
from pathlib import Path

from rich.console import Console

from arcbatt.language import Program, interpret
from arcbatt.language.ir import constant
from arcbatt.proposers.enumerate import EnumerateOptions, vocabulary
from arcbatt.proposers.enumerate.search import search_view
from arcbatt.proposers.enumerate.stack import Stack
from arcbatt.proposers.views import View, by_role
from arcbatt.scoring import Answers, is_right, load_answers
from arcbatt.tasks import Task, load

SET = "arc-agi-1/training"
TABLE = Path(__file__).parents[1] / "src/arcbatt/engine/native/enumerate/priors.inc"
# Smoothing: the count of an unseen primitive, and the weight of the prior without its predecessor.
UNSEEN = 0.5
PRIOR_WEIGHT = 4.0
MAX_STACKS = 30


def is_right_in_tests(task: Task, view: View, stack: Stack, answers: Answers) -> bool:
    demos = tuple((demo.input, demo.output) for demo in task.demos)
    for index, grid in enumerate(stack.outputs):
        if grid is None:
            return False
        restored = Program(view.restore(constant(grid)), "restored")
        output = interpret(restored, {"I": task.test_inputs[index], "S": demos}).outcome
        if not is_right(answers, task.id, index, output):
            return False
    return True


def count_pairs() -> Counter[tuple[str, str]]:
    """Count pairs of consecutive primitives; the first of a piece follows an empty name."""
    answers = load_answers(SET)
    options = EnumerateOptions(depth=2, max_stacks=MAX_STACKS, max_s=1e6)
    pairs: Counter[tuple[str, str]] = Counter()
    for task in load(SET):
        view = by_role(task)
        stacks = search_view(view, options).stacks
        right = next((s for s in stacks if is_right_in_tests(task, view, s, answers)), None)
        for layer in right.layers if right else ():
            names = ["", *(vocabulary()[number].primitive for number in layer.path[1:])]
            pairs.update(pairwise(names))
    return pairs


def write_table(pairs: Counter[tuple[str, str]]) -> str:
    """Return rows of predecessor, primitive and tenths of a bit; no predecessor stands for any."""
    primitives = sorted({move.primitive for move in vocabulary()})
    alone: Counter[str] = Counter()
    before: Counter[str] = Counter()
    for (first, second), n in pairs.items():
        alone[second] += n
        before[first] += n
    n_all = alone.total() + UNSEEN * len(primitives)
    share = {name: (alone[name] + UNSEEN) / n_all for name in primitives}
    rows = [("", name, share[name]) for name in primitives if alone[name]]
    rows += [
        (first, second, (n + PRIOR_WEIGHT * share[second]) / (before[first] + PRIOR_WEIGHT))
        for (first, second), n in sorted(pairs.items())
        if first
    ]
    lines = [f"ARC_PRIOR({a}, {b}, {round(-10 * log2(p))})" for a, b, p in rows]
    head = "// Learned on training by bench/priors.py; do not edit.\n"
    return head + "\n".join(lines) + "\n"


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    pairs = count_pairs()
    table = write_table(pairs)
    TABLE.write_text(table, "utf-8")
    Console().print(f"{TABLE.name}: {table.count('ARC_PRIOR')} rows of {pairs.total()} moves")


if __name__ == "__main__":
    main()
