"""Samples as the engine takes them: grids packed into arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _engine

Grid = tuple[tuple[int, ...], ...]


class Samples:
    """Inputs with, where there are some, targets and demos.

    `demos[k]` are the (input, output) pairs that sample k's programs see as `S`; samples of one
    task give the same tuple and share it.
    """

    def __init__(
        self,
        inputs: Sequence[Grid],
        targets: Sequence[Grid | None] | None = None,
        demos: Sequence[tuple[tuple[Grid, Grid], ...]] | None = None,
    ) -> None:
        targets = targets if targets is not None else [None] * len(inputs)
        packer = _Packer()
        input_places = [packer.add(grid) for grid in inputs]
        target_places = [-1 if grid is None else packer.add(grid) for grid in targets]
        groups: dict[int, int] = {}
        starts, members, places = [0], [], []
        for pairs in demos if demos is not None else ():
            group = groups.get(id(pairs))
            if group is None:
                group = groups[id(pairs)] = len(groups)
                members += [packer.add(grid) for pair in pairs for grid in pair]
                starts.append(len(members) // 2)
            places.append(group)
        if demos is None:
            places = [-1] * len(inputs)
        self._n_samples = len(inputs)
        self.images: dict[int, Any] = {}  # by device; see gpu.py
        # Places of the samples, the largest inputs first: what is run together should be alike.
        sizes = np.array([len(grid) * len(grid[0]) for grid in inputs], np.int64)
        self.order = np.argsort(-sizes, kind="stable").astype(np.uint32)
        self.packed = _engine.Samples(
            packer.cells(),
            np.array(packer.shapes, np.int32),
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


class _Packer:
    """Lays grids end to end, each once."""

    def __init__(self) -> None:
        self.shapes: list[int] = []
        self._rows: list[Iterable[int]] = []
        self._places: dict[int, tuple[int, Grid]] = {}

    def add(self, grid: Grid) -> int:
        known = self._places.get(id(grid))
        if known is None:
            known = (len(self.shapes) // 2, grid)
            self._places[id(grid)] = known
            self.shapes += (len(grid), len(grid[0]) if grid else 0)
            self._rows += grid
        return known[0]

    def cells(self) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        return np.fromiter(chain.from_iterable(self._rows), np.int32)
