"""Names of stages in, the stages out: the one place that knows which there are, and their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arcbatt.pool import Pool
from arcbatt.search.enumerating import EnumerateOptions
from arcbatt.search.evolving import EvolveOptions

from .enumerate_stage import PASSES, EnumerateStage
from .evolve_stage import EvolveStage
from .known_values import solvers_of
from .learn_stage import LearnStage
from .pool_stage import PoolStage
from .stages import Stage
from .switches import check_switches, enumerate_options

DEFAULT_MAX_BYTES = EnumerateOptions().max_bytes


@dataclass(frozen=True)
class StageOptions:
    """What stages are made from.

    `pool` has what is known at the start, and takes what is found; `differences` is where a
    program is written that gives alone what its batt did not; `off` has what is switched off
    (`switches`), `max_bytes` bounds the memory of one task's search.
    """

    pool: Pool
    differences: Path
    seed: int = 0
    device: str = "auto"
    n_threads: int | None = None
    off: frozenset[str] = frozenset()
    max_bytes: int = DEFAULT_MAX_BYTES

    def __post_init__(self) -> None:
        check_switches(self.off)


def _pool_stage(options: StageOptions) -> Stage:
    return PoolStage(options.pool, device=options.device, n_threads=options.n_threads)


def _learn_stage(options: StageOptions) -> Stage:
    return LearnStage(n_threads=options.n_threads, off=options.off)


def _enumerate_stage(options: StageOptions) -> Stage:
    return EnumerateStage(
        n_threads=options.n_threads,
        options=enumerate_options(options.off, options.max_bytes),
        passes=[each for each in PASSES if each.switch not in options.off],
        known=None if "known" in options.off else lambda: list(solvers_of(options.pool)),
    )


def _evolve_stage(options: StageOptions) -> Stage:
    evolving = EvolveOptions(seed=options.seed, device=options.device, n_threads=options.n_threads)
    with_parents = "parents" not in options.off
    return EvolveStage(options.pool, evolving, options.differences, with_parents=with_parents)


# The cheapest first: that is the order in which they run.
STAGE_MAKERS: Mapping[str, Callable[[StageOptions], Stage]] = {
    "pool": _pool_stage,
    "learn": _learn_stage,
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
