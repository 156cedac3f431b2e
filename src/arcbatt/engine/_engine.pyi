from typing import Any

n_primitives: int
NOT_RUN: int
NO_NUMBER: int
source_digest: str

def build_info() -> dict[str, Any]: ...
def set_function_class(cls: Any) -> None: ...
def call(
    primitive: int, args: tuple[Any, ...], max_steps: int, max_bytes: int
) -> tuple[int, Any, int, int, int]: ...

class Samples:
    def __init__(
        self,
        cells: Any,
        shapes: Any,
        inputs: Any,
        targets: Any,
        groups: Any,
        group_starts: Any,
        group_grids: Any,
    ) -> None: ...
    def image_bytes(self) -> int: ...
    def write_image(self, to: Any, base: int) -> None: ...

class FusedBatt:
    def __init__(
        self,
        ops: Any,
        primitives: Any,
        firsts: Any,
        counts: Any,
        args: Any,
        results: Any,
        constants: list[Any],
    ) -> None: ...
    def image_bytes(self) -> int: ...
    def write_image(self, to: Any, base: int) -> None: ...

class SampleQueue:
    def __init__(self, *, n_samples: int, has_left_out: bool, runs_spare: bool) -> None: ...
    def lend(self, n: int) -> tuple[int, int, int] | None: ...
    def finish(self, chunk: int) -> bool: ...
    def give_back(self, chunk: int) -> None: ...
    def is_overtaken(self, chunk: int) -> bool: ...
    def close(self) -> None: ...
    @property
    def n_left(self) -> int: ...
    @property
    def n_done(self) -> int: ...

def run_batt(
    batt: FusedBatt,
    samples: Samples,
    chosen: Any,
    *,
    max_steps: int,
    max_bytes: int,
    max_arena_bytes: int,
    n_threads: int,
    reasons: Any,
    matches: Any,
    hashes: Any,
    steps: Any,
    numbers: Any,
    keep_values: bool,
    queue: SampleQueue | None,
    programs_on_gpu: Any,
    profile: Any,
) -> tuple[list[bytes], list[bytes]] | None: ...
def run_tasks(
    batt: FusedBatt,
    samples: Samples,
    starts: Any,
    tasks_of_programs: Any,
    *,
    max_steps: int,
    max_bytes: int,
    max_arena_bytes: int,
    n_threads: int,
    staged: bool,
    reasons: Any,
    n_matches: Any,
    hashes: Any,
    steps: Any,
    numbers: Any,
    profile: Any,
) -> None: ...

class Kernels:
    def __init__(
        self,
        *,
        functions: Any,
        wide_functions: Any,
        grids: Any,
        wide_grids: Any,
        block: int,
        wide_block: int,
        steps: Any,
        levels: Any,
    ) -> None: ...

def start_kernels(
    driver_functions: Any, streams: Any, events: Any, launches: Any, kernels: Kernels
) -> int: ...
