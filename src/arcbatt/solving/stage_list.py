"""Names of stages in, the stages out: the one place that knows which there are, and their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arcbatt.pool import Pool
from arcbatt.search.evolving import EvolveOptions

from .enumerate_stage import EnumerateStage
from .evolve_stage import EvolveStage
from .pool_stage import PoolStage
from .stages import Stage


@dataclass(frozen=True)
class StageOptions:
    """What stages are made from.

    `pool` has what is known at the start, and takes what is found; `differences` is where a
    program is written that gives alone what its batt did not.
    """

    pool: Pool
    differences: Path
    seed: int = 0
    device: str = "auto"
    n_threads: int | None = None


def _pool_stage(options: StageOptions) -> Stage:
    return PoolStage(options.pool, device=options.device, n_threads=options.n_threads)


def _enumerate_stage(options: StageOptions) -> Stage:
    return EnumerateStage(n_threads=options.n_threads)


def _evolve_stage(options: StageOptions) -> Stage:
    evolving = EvolveOptions(seed=options.seed, device=options.device, n_threads=options.n_threads)
    return EvolveStage(options.pool, evolving, options.differences)


# The cheapest first: that is the order in which they run.
STAGE_MAKERS: Mapping[str, Callable[[StageOptions], Stage]] = {
    "pool": _pool_stage,
    "enumerate": _enumerate_stage,
    "evolve": _evolve_stage,
}
STAGE_NAMES = tuple(STAGE_MAKERS)


def make_stages(names: Sequence[str], options: StageOptions) -> list[Stage]:
    """Return the named stages in the order of `STAGE_NAMES`; an unknown name is a ValueError."""
    for name in names:
        if name not in STAGE_MAKERS:
            raise ValueError(f"no stage is named {name}; stages are {', '.join(STAGE_NAMES)}")
    return [make(options) for name, make in STAGE_MAKERS.items() if name in names]


def describe_differences(stages: Sequence[Stage]) -> str | None:
    """Say it if programs gave alone what they did not give in their batt, which is a bug."""
    for stage in stages:
        if isinstance(stage, EvolveStage) and stage.validator.n_differences:
            return (
                f"{stage.validator.n_differences} programs gave alone what they did not give in "
                f"their batt: a bug; the files in {stage.validator.folder} have all about it"
            )
    return None
