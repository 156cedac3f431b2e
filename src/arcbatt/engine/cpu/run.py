"""Runs of a fused graph on the threads of the CPU."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine import _engine, memory, profiler  # noqa: F401  (memory sets the bound)
from arcbatt.engine.graph.results import KeptWords, RunArrays
from arcbatt.engine.graph.samples import Samples
from arcbatt.language import Budget

# Memory for the values of one sample on one thread; if it is exceeded, programs are run one by one.
MAX_ARENA_BYTES = 512 * 2**20


@dataclass(frozen=True, slots=True)
class RunRequest:
    """The samples and limits of a run."""

    samples: Samples
    budget: Budget
    n_threads: int
    keep_values: bool = False

    def new_arrays(self, n_programs: int) -> RunArrays:
        """Return arrays for the results, none of which has been run."""
        return RunArrays.new((n_programs, len(self.samples)))


def run_on_cpu(
    fused: _engine.FusedBatt,
    request: RunRequest,
    arrays: RunArrays,
    chosen: NDArray[np.uint32] | None = None,
) -> list[KeptWords]:
    """Run all programs on the chosen samples, or on all; return the kept values."""
    kept = _engine.run_batt(
        fused,
        request.samples.packed,
        request.samples.by_demos if chosen is None else chosen,
        max_steps=request.budget.steps,
        max_bytes=request.budget.bytes,
        max_arena_bytes=MAX_ARENA_BYTES,
        n_threads=request.n_threads,
        **arrays._asdict(),
        keep_values=request.keep_values,
        profile=profiler.counts(),
    )
    words_and_cells = zip(*kept, strict=True) if kept else ()
    return [_to_kept_words(words, cells) for words, cells in words_and_cells]


def _to_kept_words(words: bytes, cells: bytes) -> KeptWords:
    pairs = np.frombuffer(cells, np.int64).reshape(-1, 2)
    return KeptWords(np.frombuffer(words, np.int32), pairs[:, 0], pairs[:, 1])
