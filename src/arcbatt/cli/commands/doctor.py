"""`arcbatt doctor`: show the installation and test its backends."""

from collections.abc import Iterator, Sequence
from typing import Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from arcbatt.checking import SHIPPED, RecordedCall, read_recorded
from arcbatt.doctor import Facts, SelfTest, all_ok, backends, gather_facts, try_backend
from arcbatt.engine.gpu.health import CompiledKernels, GpuSearch
from arcbatt.plurals import count

from ..console import can_overwrite, counting_bar, print_blocks, print_json, stdout
from ..options import AsJson

EXAMPLES = (
    ("arcbatt doctor", "show what is installed and whether it works"),
    ("arcbatt doctor --json", "for a script, or for a bug report"),
)

GIB = 2**30


def doctor(
    as_json: AsJson = False,
) -> None:
    """Show versions, compiler, cores, GPUs, kernels and calibration, and test every backend.

    The test replays the recorded calls that come with arcbatt on the reference interpreter, on the
    CPU one at a time and fused, and fused on each GPU.

    Exits with 0 if every backend on this machine passes, with 1 if one fails; having no GPU is not
    a failure.
    """
    facts = gather_facts()
    tests = _try_all(facts.gpu_search, is_quiet=as_json or not can_overwrite(stdout()))
    if as_json:
        content = {**facts.to_json(), "self_test": [test.to_json() for test in tests]}
        print_json({**content, "ok": all_ok(tests)})
    else:
        print_blocks(_table_of_facts(facts), _table_of_tests(tests, facts.gpu_search))
        for test in tests:
            if not test.ok:
                print_blocks(Text(f"{test.backend}: {test.trouble}", style="red"))
    if not all_ok(tests):
        raise typer.Exit(1)


def _try_all(gpu_search: GpuSearch, is_quiet: bool) -> list[SelfTest]:
    engines = backends(gpu_search)
    calls = list(read_recorded(SHIPPED))
    with counting_bar("testing", is_quiet) as progress:
        bar = progress.add_task("", total=len(engines) * len(calls))

        def taken() -> Iterator[RecordedCall]:
            for call in calls:
                yield call
                progress.advance(bar)

        tests = []
        for name, engine in engines.items():
            compiling = " (new sources are compiled first)" * name.startswith("cuda")
            progress.update(bar, description=name + compiling)
            tests.append(try_backend(name, engine, taken()))
        return tests


def _table_of_facts(facts: Facts) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in _rows(facts):
        table.add_row(name, value)
    return table


def _rows(facts: Facts) -> Iterator[tuple[str, str | Text]]:
    yield "arcbatt", facts.arcbatt
    yield "Python", facts.python
    yield "platform", facts.platform
    usable = f", {facts.n_usable_cores} of them usable"
    yield "cores", f"{facts.n_cores}{usable * (facts.n_usable_cores != facts.n_cores)}"
    build = facts.build
    yield "compiler", build.compiler + ", with sanitizers" * build.sanitized
    yield "flags", build.flags
    yield "instructions", build.instruction_set
    search = facts.gpu_search
    if search.cupy:
        versions = [
            f"{name} CUDA {version}"
            for name, version in (("driver", search.driver_cuda), ("runtime", search.runtime_cuda))
            if version
        ]
        yield "CuPy", ", ".join([search.cupy, *versions])
    for gpu in search.gpus:
        memory = f"{gpu.memory_bytes / GIB:.0f} GiB"
        yield f"cuda:{gpu.number}", f"{gpu.name}, {memory}, compute {gpu.compute_capability}"
    if not search.gpus:
        yield "GPU", Text(f"none: {search.trouble}", style="yellow")
    yield from _rows_of_kernels(facts.kernels)
    yield "calibration", facts.calibration_path if facts.calibration else _no_calibration(facts)
    for name, value in (facts.calibration or {}).items():
        yield f"  {name}", _format(value)


def _rows_of_kernels(kernels: CompiledKernels) -> Iterator[tuple[str, str | Text]]:
    """Yield the compiled kernels per GPU architecture, and those still to be compiled."""
    total = f"of {count(kernels.n_modules, 'module')}"
    compiled = [f"{n} {total} for {target}" for target, n in kernels.targets.items()]
    yield "kernels", ", ".join(compiled) or f"none {total} compiled in {kernels.folders[-1]}"
    for gpu, n in kernels.on_gpus.items():
        n_missing = kernels.n_modules - n
        if not n_missing:
            yield f"  {gpu}", "all are compiled"
        elif kernels.compiler:
            note = f"{n_missing} {total} are compiled by {kernels.compiler} when needed"
            yield f"  {gpu}", note
        else:
            missing = f"{n_missing} {total} cannot be compiled: {kernels.trouble}"
            yield f"  {gpu}", Text(missing, style="yellow")
    for name, trouble in kernels.failed.items():
        yield f"  {name}", Text(f"failed: {trouble}", style="yellow")


def _no_calibration(facts: Facts) -> Text:
    return Text(f"none stored at {facts.calibration_path}", style="yellow")


def _format(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _table_of_tests(tests: Sequence[SelfTest], gpu_search: GpuSearch) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("backend", no_wrap=True)
    table.add_column("recorded calls", justify="right", no_wrap=True)
    table.add_column("result", overflow="fold")
    for test in tests:
        result = Text("ok", style="bold green") if test.ok else Text("failed", style="bold red")
        table.add_row(test.backend, f"{test.passed:,} of {test.total:,}", result)
    if not gpu_search.gpus:
        table.add_row("cuda", "", Text("not tested: no GPU", style="yellow"))
    return table
