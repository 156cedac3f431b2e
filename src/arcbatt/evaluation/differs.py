"""Differs: programs that score an output against the target.

A differ is a program over (S, I, output, target) that returns a pair: a score from 0 to 1000, and
the element at fault. Replacing its `output` by a program's result makes one more program for the
batt, whose value is the score; calls that the two share are run once. docs/differs.md describes the
differs and where their weights come from.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine.batt import Batt, ContinuedBatt
from arcbatt.engine.cpu.definitions import find_defined
from arcbatt.engine.graph.fusion import Continuation
from arcbatt.language import Node, Program
from arcbatt.language.ir import walk
from arcbatt.library import differ_files, library_differs

BEST_SCORE = 1000
_WEIGHT = re.compile(r"^# weight: (\d+)\ndef (\w+)\(", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Differ:
    """A program over (S, I, output, target) that ends in `astuple(score, element)`.

    Its score counts in the credit by its weight.
    """

    program: Program
    weight: int

    def __post_init__(self) -> None:
        result = self.program.result
        if result.kind != "call" or result.name != "astuple":
            raise ValueError(f"{self.program.name}: a differ must return astuple(score, element)")
        if self.weight < 1:
            # With a weight of 0, a wrong output could have full credit.
            raise ValueError(f"{self.program.name}: the weight {self.weight} is less than 1")

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def score(self) -> Node:
        """The node of the score alone, without the calls that only the element needs."""
        return self.program.result.args[0]


@cache
def bundled_differs() -> tuple[Differ, ...]:
    """Return the library's differs with their weights, in the library's order."""
    weights = _read_weights()
    missing = [parsed.name for parsed in library_differs() if parsed.name not in weights]
    if missing:
        raise ValueError(f"{', '.join(missing)}: no comment `# weight: N` above the definition")
    return tuple(Differ(parsed.program, weights[parsed.name]) for parsed in library_differs())


def _read_weights() -> Mapping[str, int]:
    texts = (file.read_text("utf-8") for file in differ_files())
    return {name: int(weight) for text in texts for weight, name in _WEIGHT.findall(text)}


def score_programs(differs: Sequence[Differ], programs: Sequence[Program]) -> list[Program]:
    """Return the programs that compute scores, ordered by program, then by differ.

    A run's arrays can therefore be viewed as [program, differ]: `numbers.reshape(len(programs),
    len(differs), -1)`.
    """
    continuation = _continuation(tuple(differs))
    return [score for program in programs for score in continuation.programs(program.result)]


def score_batt(differs: Sequence[Differ], programs: Sequence[Program]) -> Batt:
    """Return the batt of `score_programs`, built in a fraction of the time."""
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
    """Return the differs' weights, in their order."""
    return np.array([differ.weight for differ in differs], np.int64)
