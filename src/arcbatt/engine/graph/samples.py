"""Samples: grids packed into arrays for the engine."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine import _engine
from arcbatt.language import Value, to_value
from arcbatt.language.values import MAX_NUMBER
from arcbatt.plurals import count
from arcbatt.tasks import Task

Grid = tuple[tuple[int, ...], ...]
_NUMBERS = frozenset({int, bool})


class Samples:
    """Inputs, optionally with targets and demos.

    `demos[k]` are the (input, output) pairs that programs see as `S` on sample k; samples with the
    same tuple share its values. Grids may also be lists of rows or NumPy arrays of integers; for
    anything else, a `ValueError` names the grid.
    """

    def __init__(
        self,
        inputs: Sequence[Any],
        targets: Sequence[Any] | None = None,
        demos: Sequence[Sequence[tuple[Any, Any]]] | None = None,
    ) -> None:
        if isinstance(inputs, Task):
            raise TypeError("Samples takes grids; Samples.of(task) takes the demos of a task")
        # Equal objects are recognized by their ids, so all of them must stay alive.
        inputs = list(inputs)
        targets = [None] * len(inputs) if targets is None else list(targets)
        demos = None if demos is None else list(demos)
        for name, several in (("targets", targets), ("demos", demos)):
            if several is not None and len(several) != len(inputs):
                raise ValueError(f"{len(several)} {name} for {len(inputs)} inputs")
        self._given = (inputs, targets, demos)
        packer = _Packer()
        input_places = [packer.add(grid, ("input", k)) for k, grid in enumerate(inputs)]
        target_places = [
            -1 if grid is None else packer.add(grid, ("target", k))
            for k, grid in enumerate(targets)
        ]
        groups: dict[int, int] = {}
        starts, members, places = [0], [], []
        for k, pairs in enumerate(demos or ()):
            group = groups.get(id(pairs))
            if group is None:
                group = groups[id(pairs)] = len(groups)
                members += _add_pairs(packer, pairs, f"demos of sample {k}:")
                starts.append(len(members) // 2)
            places.append(group)
        if demos is None:
            places = [-1] * len(inputs)
        self._n_samples = len(inputs)
        self._groups = places
        cells, shapes = packer.cells(), np.array(packer.shapes, np.int32)
        # Sample numbers by decreasing input size: samples that run together should be similar.
        self._sizes = shapes.reshape(-1, 2).prod(axis=1, dtype=np.int64)[input_places]
        self.order = np.argsort(-self._sizes, kind="stable").astype(np.uint32)
        lists = (input_places, target_places, places, starts, members)
        self._arrays = (cells, shapes, *(np.array(numbers, np.int32) for numbers in lists))
        self.packed = _engine.Samples(*self._arrays)

    @classmethod
    def of(cls, *tasks: Task) -> Samples:
        """Return the demos of tasks as samples, with their outputs as targets and all as `S`."""
        for task in tasks:
            if not isinstance(task, Task):
                raise TypeError(
                    f"Samples.of takes tasks, not a {type(task).__name__}; for a list of tasks, "
                    f"write Samples.of(*tasks)"
                )
        pairs = {task: tuple((demo.input, demo.output) for demo in task.demos) for task in tasks}
        demos = [(task, demo) for task in tasks for demo in task.demos]
        return cls(
            [demo.input for _, demo in demos],
            [demo.output for _, demo in demos],
            [pairs[task] for task, _ in demos],
        )

    @cached_property
    def digest(self) -> bytes:
        """A digest of the content."""
        digest = blake2b(digest_size=16)
        for array in self._arrays:
            digest.update(len(array).to_bytes(8, "little") + array.tobytes())
        return digest.digest()

    @cached_property
    def by_demos(self) -> NDArray[np.uint32]:
        """Sample numbers, grouped by demos, by decreasing input size."""
        groups = np.array(self._groups, np.int64)
        if not len(groups) or groups[0] < 0:
            return self.order
        largest = np.zeros(groups.max() + 1, np.int64)
        np.maximum.at(largest, groups, self._sizes)
        return np.lexsort((-self._sizes, groups, -largest[groups])).astype(np.uint32)

    def inputs_of(self, sample: int) -> dict[str, Value]:
        """Return the inputs of a sample's programs by name; without a target it is None."""
        inputs, targets, demos = self._given
        pairs = () if demos is None else demos[sample]
        return {
            "I": to_value(inputs[sample], f"input {sample}"),
            "S": to_value(tuple(map(tuple, pairs)), f"demos of sample {sample}"),
            "target": to_value(targets[sample], f"target {sample}"),
        }

    def __len__(self) -> int:
        return self._n_samples

    def __repr__(self) -> str:
        return f"<Samples: {count(self._n_samples, 'sample')}>"


def _add_pairs(packer: _Packer, pairs: Any, what: str) -> list[int]:
    """Pack the grids of demos; return their numbers, alternating input and output."""
    added = []
    for k, pair in enumerate(pairs):
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            shown = reprlib.repr(pair)
            raise ValueError(f"{what} demo {k} is {shown}, expected a pair (input, output)")
        before, after = pair
        added.append(packer.add(before, (what, "input of demo", k)))
        added.append(packer.add(after, (what, "output of demo", k)))
    return added


class _Packer:
    """Concatenates grids, each once."""

    def __init__(self) -> None:
        self.shapes: list[int] = []
        self._rows: list[tuple[int, ...]] = []
        self._places: dict[int, tuple[int, Any, tuple[object, ...]]] = {}

    def add(self, given: Any, where: tuple[object, ...]) -> int:
        """Pack a grid and return its number; `where` names it in errors."""
        known = self._places.get(id(given))
        if known is None:
            is_rows = type(given) is tuple and set(map(type, given)) == {tuple}
            grid = given if is_rows else _to_rows(given, where)
            if len(set(map(len, grid))) != 1 or not grid[0]:
                raise _no_grid(given, where)
            # The object is kept alive, so that its id stays unique.
            known = self._places[id(given)] = (len(self.shapes) // 2, given, where)
            self.shapes += (len(grid), len(grid[0]))
            self._rows += grid
        return known[0]

    def cells(self) -> NDArray[np.int32]:
        """Return all cells; raise a `ValueError` if some are not numbers."""
        # All at once: samples of a set of tasks have half a million of them.
        if not set(map(type, chain.from_iterable(self._rows))) <= _NUMBERS:
            self._convert()
        try:
            cells = np.fromiter(chain.from_iterable(self._rows), np.int32)
        except OverflowError:
            cells = np.full(1, MAX_NUMBER + 1, np.int32)
        if cells.size and (cells.min() < -MAX_NUMBER or cells.max() > MAX_NUMBER):
            self._convert()
        return cells

    def _convert(self) -> None:
        """Convert cells to numbers; raise a `ValueError` if some cannot be converted."""
        self._rows = []
        for _, given, where in self._places.values():
            grid = _to_rows(given, where)
            if not set(map(type, chain.from_iterable(grid))) <= _NUMBERS:
                raise _no_grid(given, where)
            self._rows += grid


def _to_rows(given: Any, where: tuple[object, ...]) -> Any:
    rows = to_value(given, _in_words(where))
    if type(rows) is not tuple or set(map(type, rows)) != {tuple}:
        raise _no_grid(given, where)
    return rows


def _no_grid(given: Any, where: tuple[object, ...]) -> ValueError:
    shown = reprlib.repr(given)
    return ValueError(f"{_in_words(where)}: {shown} is not a grid: rows of numbers, of one length")


def _in_words(where: tuple[object, ...]) -> str:
    return " ".join(map(str, where))
