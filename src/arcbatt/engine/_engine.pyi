from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

n_primitives: int
NOT_RUN: int
NO_NUMBER: int
source_digest: str

memory_account: object

def set_memory_bound(n_bytes: int, /) -> None: ...
def memory_bound() -> int: ...
def memory_in_use() -> int: ...
def build_info() -> dict[str, Any]: ...
def set_function_class(cls: Any) -> None: ...
def run_primitive(
    primitive: int,
    args: tuple[object, ...],
    max_steps: int,
    max_bytes: int,
    steps: int,
    n_bytes: int,
    /,
) -> tuple[int, object, int]: ...
def find_rule(primitive: int, args: tuple[object, ...], /) -> object: ...
def shapes_of(cells: bytes, width: int, ground: int, /) -> list[bytes]: ...
def windows_of(cells: bytes, width: int, /) -> bytes: ...
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
    def part(self, programs: Any) -> FusedBatt: ...
    @property
    def n_nodes(self) -> int: ...
    @property
    def n_calls(self) -> int: ...
    @property
    def nodes_before(self) -> NDArray[np.uint32]: ...
    def image_bytes(self) -> int: ...
    def write_image(self, to: Any, base: int) -> None: ...

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
    n_done: int,
    pairs: Any,
    reasons: Any,
    matches: Any,
    hashes: Any,
    steps: Any,
    numbers: Any,
    profile: Any,
) -> None: ...
def number_keys(keys: Any, numbers: Any) -> None: ...
def find_same_rows(reasons: Any, hashes: Any, firsts: Any) -> None: ...
def count_calls(firsts: Any, counts: Any, args: Any, places: Any, n_calls: Any) -> None: ...
def mark_needed(firsts: Any, counts: Any, args: Any, places: Any, needed: Any) -> None: ...

ops: dict[str, int]
tags: dict[str, int]
step_kinds: list[str]
other_heads: list[str]
NO_DOMAIN: int
MAX_PHASES: int
batt_bytes: int
value_bytes: int
cost_bytes: int
page_bytes: int
step_bytes: int
queue_bytes: int
domain_bytes: int
LAUNCH: np.dtype[np.void]

class Driver:
    def __init__(
        self, *, launch: int, record: int, wait: int, copy: int, fill: int, query: int
    ) -> None: ...

class DeviceSettings:
    def __init__(
        self,
        *,
        n_blocks: int,
        n_wide_blocks: int,
        block_threads: int,
        wide_block_threads: int,
        elements_per_item: int,
        max_large: int,
        max_elements: int,
        add_counts: int,
        pick: int,
    ) -> None: ...

class DeviceAddresses:
    def __init__(
        self, *, nodes: int, others: int, domains: int, queues: int, listed: int
    ) -> None: ...

class PlanRules:
    def __init__(
        self,
        *,
        calls: Any,
        columns: Any,
        combines: Any,
        cpu_only: Any,
        single_thread: Any,
        max_ops: int,
        max_power: int,
    ) -> None: ...

class Plan:
    @property
    def n_nodes(self) -> int: ...
    @property
    def n_function_calls(self) -> int: ...
    @property
    def n_left_out(self) -> int: ...
    @property
    def n_steps(self) -> int: ...
    @property
    def n_ops(self) -> int: ...
    @property
    def n_domains(self) -> int: ...
    @property
    def most_at_once(self) -> int: ...
    @property
    def programs(self) -> NDArray[np.uint32]: ...
    @property
    def nodes(self) -> NDArray[np.uint32]: ...
    @property
    def others(self) -> NDArray[np.uint32]: ...
    @property
    def sites(self) -> NDArray[np.void]: ...
    @property
    def steps(self) -> NDArray[np.void]: ...
    @property
    def stage_ends(self) -> NDArray[np.uint32]: ...
    @property
    def needs(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...
    @property
    def size_needs(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...
    def image(self) -> tuple[NDArray[np.uint8], list[int]]: ...

def make_plan(batt: FusedBatt, rules: PlanRules) -> Plan: ...

class PlanRun:
    def __init__(
        self,
        plan: Plan,
        *,
        driver: Driver,
        settings: DeviceSettings,
        addresses: DeviceAddresses,
        streams: Any,
        events: Any,
        timing: Any,
        launches: Any,
        functions: Any,
        wide_functions: Any,
        n_samples: int,
    ) -> None: ...
    TOO_MANY: int
    LACKS_MEMORY: int
    STOPPED: int
    def run(self, should_continue: Callable[[], bool]) -> int: ...
    def end(self) -> int: ...
    def wait(self, should_continue: Callable[[], bool]) -> int: ...
    @property
    def started(self) -> list[tuple[int, bool, int]]: ...
    @property
    def lacking(self) -> tuple[int, int]: ...
    def give_memory(
        self, *, host: int, host_bytes: int, device: int, device_bytes: int
    ) -> None: ...
    def start_one(
        self,
        *,
        function: int,
        wide_function: int,
        nodes: int,
        n_nodes: int,
        n_items: int,
        host: int,
        device: int,
    ) -> int: ...
