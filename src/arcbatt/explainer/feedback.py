"""Feedback on a program in plain text, short enough for the prompt of a language model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from arcbatt.drawing import describe
from arcbatt.drawing.grid_diff import describe_difference, differing_cells
from arcbatt.language import Failure, Node, ParsedProgram, RejectedProgram, Value, find_primitive
from arcbatt.language.domains import GRID
from arcbatt.language.values import format_value
from arcbatt.plurals import count
from arcbatt.tasks import Grid

Outcome: TypeAlias = "Value | Failure"

# The most characters of a feedback, cells that are listed, and characters of an argument.
MAX_TEXT = 4_000
MAX_CELLS = 8
MAX_ARGUMENT = 80
# Grids with more cells than this are not written out, nor those of more than a few demos.
MAX_GRID = 400
MAX_GRIDS = 2


@dataclass(frozen=True, slots=True)
class FailedCall:
    """The call in which a program failed: its line, and its arguments with their values."""

    line: int
    name: str
    text: str
    call: str
    args: tuple[tuple[str, Outcome], ...]


@dataclass(frozen=True, slots=True)
class PairOutcome:
    """A program's outcome on a pair; `wanted` is None for a test input."""

    label: str
    wanted: Grid | None
    outcome: Outcome
    failed: FailedCall | None = None


def find_failed_call(
    program: ParsedProgram, node: Node | None, outcomes: Mapping[Node, Outcome]
) -> FailedCall | None:
    """Return the call of a failed node, given the values of the nodes below it."""
    if node is None:
        return None
    line, name = program.places().get(node, (program.line, program.name))
    texts = program.text.split("\n")
    place = line - program.line
    text = texts[place].strip() if 0 <= place < len(texts) else ""
    primitive = find_primitive(node.name) if node.kind == "call" else None
    names: Sequence[str] = () if primitive is None else primitive.parameters
    if primitive is None:
        names = ["function", *(f"argument {k}" for k in range(1, len(node.args)))]
    args = tuple(
        (each, outcomes[arg])
        for each, arg in zip(names, node.args, strict=False)
        if arg in outcomes
    )
    return FailedCall(line, name, text, "" if primitive is None else primitive.name, args)


def write_feedback(name: str, pairs: Iterable[PairOutcome]) -> str:
    """Return what a program gave on each pair, and how that differs from what was wanted."""
    pairs = list(pairs)
    demos = [pair for pair in pairs if pair.wanted is not None]
    n_right = sum(pair.outcome == pair.wanted for pair in demos)
    lines = [f"{name} is right on {n_right} of {count(len(demos), 'demo')}."]
    n_grids = 0
    described: list[tuple[list[str], list[str]]] = []  # the labels of pairs, and what they gave
    for pair in pairs:
        if isinstance(pair.outcome, Failure):
            outcome = _describe_failure(pair)
        elif pair.wanted is None:
            outcome = [f"gives {describe(pair.outcome).caption}"]
        elif pair.outcome == pair.wanted:
            outcome = ["right"]
        else:
            outcome = _describe_wrong(pair, pair.wanted, with_grid=n_grids < MAX_GRIDS)
            n_grids += 1
        if described and described[-1][1] == outcome:
            described[-1][0].append(pair.label)
        else:
            described.append(([pair.label], outcome))
    for labels, (first, *others) in described:
        lines += [f"{', '.join(labels)}: {first}", *others]
    return _cut("\n".join(lines))


def describe_rejection(rejected: RejectedProgram) -> str:
    """Return all errors of a program that could not be read, with what to write instead."""
    lines = [f"{rejected.name or 'This'} is not a program of the language:"]
    for error in rejected.errors:
        lines.append(f"line {error.line - rejected.line + 1}: {error.message}")
        if error.text:
            lines.append(f"    {error.text[:MAX_ARGUMENT]}")
    return _cut("\n".join(lines))


def _describe_failure(pair: PairOutcome) -> list[str]:
    failed = pair.failed
    if failed is None:
        return [f"fails: {pair.outcome}"]
    lines = [f"fails in `{failed.text[:MAX_ARGUMENT]}`: {pair.outcome}"]
    lines += [
        f"    {f'{failed.call}: ' * bool(failed.call)}{name} is {_value(value)}"
        for name, value in failed.args
    ]
    return lines


def _describe_wrong(pair: PairOutcome, wanted: Grid, *, with_grid: bool) -> list[str]:
    outcome = pair.outcome
    assert not isinstance(outcome, Failure)
    lines = [f"wrong, {describe_difference(wanted, outcome)}"]
    cells = differing_cells(wanted, outcome)
    if cells:
        assert isinstance(outcome, tuple)
        shown = [
            f"({row}, {column}) is {_short(outcome[row][column])}, not {wanted[row][column]}"  # type: ignore[index]
            for row, column in sorted(cells)[:MAX_CELLS]
        ]
        lines[0] += f": {'; '.join(shown)}{'; ...' * (len(cells) > MAX_CELLS)}"
    if with_grid and GRID.holds(outcome):
        rows = format_grid(outcome)  # type: ignore[arg-type]
        lines += ["it gives:", *rows] if rows else []
    return lines


def format_grid(grid: Grid) -> list[str]:
    """Return the rows of a grid as digits, or no rows if they would be too many."""
    if sum(map(len, grid)) > MAX_GRID:
        return []
    is_digits = all(0 <= color <= 9 for row in grid for color in row)
    return [("" if is_digits else " ").join(map(str, row)) for row in grid]


def _value(value: Outcome) -> str:
    """Return the value of an argument in a few words, with its text if that is short."""
    if isinstance(value, Failure):
        return f"failed: {value}"
    caption = describe(value).caption
    return caption if len(text := _short(value)) > MAX_ARGUMENT else f"{text} ({caption})"


def _short(value: Value) -> str:
    if isinstance(value, int | tuple | frozenset) and len(repr(value)) < 4 * MAX_ARGUMENT:
        return format_value(value)
    return describe(value).caption


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 4] + "\n..."
