"""The bound on memory for values in this process: of runs on the CPU and of enumerations together.

A program that would exceed it fails with `Reason.MEMORY`, and the run continues; an enumeration
ends as if its own bound were reached.
"""

from __future__ import annotations

import gc

from arcbatt.engine import _engine
from arcbatt.measure import machine_memory


def bound_memory(n_bytes: int | None = None) -> None:
    """Set the bound; None stands for half of the memory of the machine or container.

    Values of earlier searches count until Python has freed them. If they take more than half of the
    bound, those that nothing refers to any more are freed now.
    """
    _engine.set_memory_bound(machine_memory() // 2 if n_bytes is None else n_bytes)
    if _engine.memory_in_use() > _engine.memory_bound() // 2:
        gc.collect()


bound_memory()
