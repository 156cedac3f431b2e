"""Differs: programs that judge an output by the target, and the credit made of their scores.

A differ is a program over (S, I, output, target) that returns a pair: a score from 0 to 1000, and
the element at fault. Put in place of its `output`, a program's result makes one program more for
the batt, whose value is the score; what the two have in common is run once. So programs and
differs go in, and programs that score come out (`score_programs`). docs/differs.md says what the
differs are, and where the weights come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine.batt import Batt, ContinuedBatt
from arcbatt.engine.defined import find_defined
from arcbatt.engine.fusing import Continuation
from arcbatt.language import Node, Program
from arcbatt.language.ir import walk
from arcbatt.library import library_differs

BEST_SCORE = 1000

# What each bundled differ's score counts in the credit; docs/differs.md has the reasons.
WEIGHTS: Mapping[str, int] = {
    "differ_size": 2,
    "differ_cells": 1,
    "differ_changes": 6,
    "differ_box": 1,
    "differ_colors_missing": 1,
    "differ_colors_extra": 1,
    "differ_color_counts": 3,
    "differ_recolored": 2,
    "differ_objects_missing": 1,
    "differ_objects_extra": 2,
    "differ_shapes": 1,
    "differ_turned": 1,
    "differ_shifted": 1,
}


@dataclass(frozen=True, slots=True)
class Differ:
    """A program over (S, I, output, target) that ends in `astuple(score, element)`."""

    program: Program
    weight: int

    def __post_init__(self) -> None:
        result = self.program.result
        if result.kind != "call" or result.name != "astuple":
            raise ValueError(f"{self.program.name}: a differ must return astuple(score, element)")
        if self.weight < 1:
            # With a weight of 0 a wrong output could have full credit.
            raise ValueError(f"{self.program.name}: the weight {self.weight} is less than 1")

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def score(self) -> Node:
        """The node of the score alone, without what only the element needs."""
        return self.program.result.args[0]


@cache
def bundled_differs() -> tuple[Differ, ...]:
    """The differs of the library with their weights, in the library's order."""
    return tuple(Differ(parsed.program, WEIGHTS[parsed.name]) for parsed in library_differs())


def score_programs(differs: Sequence[Differ], programs: Sequence[Program]) -> list[Program]:
    """The programs that give the scores alone: all differs of the first program, of the next, ...

    So the rows of a run's arrays can be seen as [program, differ]: `numbers.reshape(len(programs),
    len(differs), -1)`.
    """
    continuation = _continuation(tuple(differs))
    return [score for program in programs for score in continuation.programs(program.result)]


def score_batt(differs: Sequence[Differ], programs: Sequence[Program]) -> Batt:
    """The batt of `score_programs`, made in a fraction of the time; each is for one task."""
    if find_defined(programs).any() or find_defined([each.program for each in differs]).any():
        return Batt(score_programs(differs, programs))
    return ContinuedBatt(programs, _continuation(tuple(differs)))


@cache
def _continuation(differs: tuple[Differ, ...]) -> Continuation:
    needs_output: dict[Node, bool] = {}
    for node in walk(*(differ.score for differ in differs)):
        is_output = node.kind == "input" and node.name == "output"
        needs_output[node] = is_output or any(needs_output[arg] for arg in node.args)
    fixed = [node for node, needs in needs_output.items() if not needs]
    places = {node: place for place, node in enumerate(fixed)}
    steps: list[tuple[Node, tuple[int, ...]]] = []
    for node, needs in needs_output.items():
        if needs and node.kind == "input":
            places[node] = len(fixed)
    for node, needs in needs_output.items():
        if needs and node.kind != "input":
            steps.append((node, tuple([places[arg] for arg in node.args])))
            places[node] = len(fixed) + len(steps)
    return Continuation(
        names=tuple(differ.name for differ in differs),
        fixed=tuple(fixed),
        steps=tuple(steps),
        results=tuple(places[differ.score] for differ in differs),
    )


def weights_of(differs: Sequence[Differ]) -> NDArray[np.int64]:
    """The differs' weights, in their order."""
    return np.array([differ.weight for differ in differs], np.int64)
