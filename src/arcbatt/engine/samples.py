"""Samples as the engine takes them: grids packed into arrays."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.language import to_value
from arcbatt.language.values import MAX_NUMBER

from . import _engine

Grid = tuple[tuple[int, ...], ...]
_NUMBERS = frozenset({int, bool})


class Samples:
    """Inputs with, where there are some, targets and demos.

    `demos[k]` are the (input, output) pairs that sample k's programs see as `S`; samples of one
    task give the same tuple and share it. Grids may also be lists of rows or NumPy arrays of
    integers; what is no grid is refused with a `ValueError` that says which.
    """

    def __init__(
        self,
        inputs: Sequence[Any],
        targets: Sequence[Any] | None = None,
        demos: Sequence[Sequence[tuple[Any, Any]]] | None = None,
    ) -> None:
        # Lists, so that each object stays, and with it the id that it is known by.
        inputs = list(inputs)
        targets = [None] * len(inputs) if targets is None else list(targets)
        demos = None if demos is None else list(demos)
        for name, several in (("targets", targets), ("demos", demos)):
            if several is not None and len(several) != len(inputs):
                raise ValueError(f"{len(several)} {name} for {len(inputs)} inputs")
        packer = _Packer()
        input_places = [packer.add(grid, f"input {k}") for k, grid in enumerate(inputs)]
        target_places = [
            -1 if grid is None else packer.add(grid, f"target {k}")
            for k, grid in enumerate(targets)
        ]
        groups: dict[int, int] = {}
        starts, members, places = [0], [], []
        for k, pairs in enumerate(demos or ()):
            group = groups.get(id(pairs))
            if group is None:
                group = groups[id(pairs)] = len(groups)
                members += _add_pairs(packer, pairs, f"demos of sample {k}")
                starts.append(len(members) // 2)
            places.append(group)
        if demos is None:
            places = [-1] * len(inputs)
        self._n_samples = len(inputs)
        self.images: dict[int, Any] = {}  # by device; see gpu.py
        shapes = np.array(packer.shapes, np.int32)
        # Places of the samples, the largest inputs first: what is run together should be alike.
        sizes = shapes.reshape(-1, 2).prod(axis=1, dtype=np.int64)[input_places]
        self.order = np.argsort(-sizes, kind="stable").astype(np.uint32)
        self.packed = _engine.Samples(
            packer.cells(),
            shapes,
            np.array(input_places, np.int32),
            np.array(target_places, np.int32),
            np.array(places, np.int32),
            np.array(starts, np.int32),
            np.array(members, np.int32),
        )

    @cached_property
    def spread(self) -> NDArray[np.uint32]:
        """Places of the samples, in an order of which every part is like the whole."""
        return np.random.default_rng(0).permutation(self._n_samples).astype(np.uint32)

    def __len__(self) -> int:
        return self._n_samples


def _add_pairs(packer: _Packer, pairs: Any, what: str) -> list[int]:
    """Pack the grids of demos; returns their places, input and output in turn."""
    added = []
    for k, pair in enumerate(pairs):
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            shown = reprlib.repr(pair)
            raise ValueError(f"{what}: demo {k} is {shown}, expected a pair (input, output)")
        added += [
            packer.add(grid, f"{what}: {side} of demo {k}")
            for side, grid in zip(("input", "output"), pair, strict=True)
        ]
    return added


def _is_grid(value: Any) -> bool:
    """Whether this is a tuple of rows of numbers, all of one length, none empty."""
    return (
        type(value) is tuple
        and set(map(type, value)) == {tuple}
        and len(set(map(len, value))) == 1
        and set(map(type, chain.from_iterable(value))) <= _NUMBERS
        and bool(value[0])
    )


class _Packer:
    """Lays grids end to end, each once."""

    def __init__(self) -> None:
        self.shapes: list[int] = []
        self._rows: list[Iterable[int]] = []
        self._places: dict[int, tuple[int, object, str]] = {}

    def add(self, given: Any, what: str) -> int:
        known = self._places.get(id(given))
        if known is None:
            grid: Any = given if _is_grid(given) else to_value(given, what)
            if not _is_grid(grid):
                shown = reprlib.repr(given)
                raise ValueError(f"{what}: {shown} is no grid, rows of numbers of one length")
            # What was given is kept, so that its id stays its own.
            known = self._places[id(given)] = (len(self.shapes) // 2, given, what)
            self.shapes += (len(grid), len(grid[0]))
            self._rows += grid
        return known[0]

    def cells(self) -> NDArray[np.int32]:
        """All cells; raises a `ValueError` for one that is no number of the language."""
        try:
            cells = np.fromiter(chain.from_iterable(self._rows), np.int32)
        except OverflowError:
            cells = None
        if cells is None or (
            cells.size and not -MAX_NUMBER <= cells.min() <= cells.max() <= MAX_NUMBER
        ):
            # Which one it is, is looked for only now.
            for _, given, what in self._places.values():
                to_value(given, what)
            raise AssertionError("all cells are numbers of the language")
        return cells
