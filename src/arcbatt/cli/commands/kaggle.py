"""`arcbatt kaggle`: solve a competition's tasks and write `submission.json` where Kaggle looks."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer
from rich.text import Text

from arcbatt.measure import usable_cores
from arcbatt.plugins import load_plugins
from arcbatt.plurals import count
from arcbatt.suggestion import suggest
from arcbatt.tasks import load_valid
from arcbatt.tasks.kaggle import (
    INPUT,
    PARTS,
    RERUN,
    RUNS,
    WORKING,
    KaggleFiles,
    find_files,
    is_rerun,
)
from arcbatt.tasks.submission import Submission, fill_in, write_submission

from .. import notes_interrupts
from ..console import print_blocks, print_notice, stop
from ..options import (
    AskSettings,
    DeviceName,
    Endpoint,
    KnownPool,
    LatePlugins,
    Library,
    MaxRequests,
    Memory,
    ModelName,
    Proposers,
    Rounds,
    Seed,
    Threads,
)
from ..timing import wall_s
from ..units import format_duration, parse_duration

EXAMPLES = (
    ("arcbatt kaggle", "in a competition notebook: nothing else is needed"),
    ("arcbatt kaggle --limit 9h", "where a notebook may run for nine hours"),
    ("arcbatt kaggle --pool /kaggle/input/mine/pool.db", "with the programs of a pool of your own"),
    ("arcbatt kaggle --set evaluation --budget 10m", "try it on tasks whose answers are known"),
    ("arcbatt kaggle --input arc-prize-2026 --output out", "on files on your own machine"),
)

SUBMISSION = "submission.json"
# Time kept in reserve: the notebook starts before the command, and Kaggle adds overhead.
MARGIN_SHARE = 0.04
MAX_MARGIN_S = 20 * 60.0
# The budget of a run that does not count.
SHORT_S = 5 * 60.0


@notes_interrupts
def kaggle(
    input_folder: Annotated[
        Path,
        typer.Option(
            "--input",
            metavar="DIR",
            help="Where the competition's files are; subfolders are searched.",
        ),
    ] = INPUT,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            metavar="DIR",
            help="Where to write submission.json, and to make the run's folder, in runs.",
        ),
    ] = WORKING,
    limit: Annotated[
        str,
        typer.Option(
            "--limit",
            metavar="TIME",
            help="When Kaggle ends the notebook; the search ends earlier by 4 % of that, at most "
            "20 minutes.",
        ),
    ] = "12h",
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            metavar="TIME",
            help="How long the command may take: 90s, 10m, 1.5h; by default the limit less the "
            "margin in the run that counts, and 5 minutes in any other.",
        ),
    ] = None,
    part: Annotated[
        str,
        typer.Option(
            "--set",
            metavar="NAME",
            help=f"Which tasks: {', '.join(PARTS)}.",
            autocompletion=lambda incomplete: [n for n in PARTS if n.startswith(incomplete)],
        ),
    ] = PARTS[0],
    pool: KnownPool = None,
    library: Library = True,
    proposers: Proposers = None,
    memory: Memory = None,
    model: ModelName = None,
    endpoint: Endpoint = None,
    max_requests: MaxRequests = None,
    ask: AskSettings = None,
    plugin: LatePlugins = None,
    device: DeviceName = "auto",
    threads: Threads = None,
    seed: Seed = 0,
    rounds: Rounds = None,
) -> None:
    """Solve the tasks of an ARC Prize competition in a Kaggle notebook.

    Writes a valid submission at once, with stand-ins for all attempts, and keeps it current
    during the search: whatever ends the notebook, there is a submission. Tasks that are not valid
    are reported, and keep their stand-ins. Uses all cores and GPUs, and no network. A pool or
    plugin that cannot be loaded ends the command, as the first run should show.

    Kaggle runs a notebook twice: when it is saved, on the public tasks, and for the score, on the
    hidden ones. The first run takes only 5 minutes, to see that everything works.

    Exits with 0, with 2 if something cannot be read or written, with 130 if it was interrupted.
    """
    budget_s = _choose_budget(limit, budget)
    if part not in PARTS:
        stop(f"no set is named {part}{suggest(part, PARTS)}\nThe sets are: {', '.join(PARTS)}.")
    files = find_files(input_folder, part)
    tasks, bad = load_valid(files.challenges)
    inputs = {task.id: task.test_inputs for task in tasks} | {b.id: b.test_inputs for b in bad}
    filled: Submission = {task_id: fill_in(inputs[task_id]) for task_id in sorted(inputs)}
    output.mkdir(parents=True, exist_ok=True)
    submission = (output / SUBMISSION).absolute()
    write_submission(submission, filled)
    _print_start(files, part, submission, len(tasks), len(bad), budget_s)

    # Imported late: loading the search takes longer than everything above.
    from arcbatt.engine.gpu.devices import GpuError, device_count
    from arcbatt.proposers.evolve import EvolveOptions
    from arcbatt.solving import SearchOptions

    from ..lookup import check_device
    from ..search_session import (
        SearchRequest,
        choose_ask,
        choose_memory,
        choose_proposers,
        print_faults,
        start_run,
    )

    plugins = load_plugins(plugin or ())
    check_device(device, is_here=False)  # without its GPU a notebook should continue
    try:
        gpus = count(device_count(), "GPU")
    except GpuError as error:
        gpus = f"no GPU: {error}"
    print_blocks(Text(f"machine: {count(threads or usable_cores(), 'core')}; {gpus}"))
    if not tasks:
        print_faults(bad)
        stop(f"{files.challenges}: none of its tasks is valid; {submission} has stand-ins only")
    options = SearchOptions(
        data=str(files.challenges.absolute()),
        skip_bad=True,
        submission=str(submission),
        proposers=choose_proposers(proposers, asks=model is not None),
        ask=choose_ask(model, endpoint, max_requests, ask or []),
        pool=None if pool is None else str(pool.absolute()),
        library=library,
        plugins=plugins,
        max_bytes=choose_memory(memory),
        evolve=EvolveOptions(seed=seed),
        device=device,
        n_threads=threads,
        survives_errors=True,
    )
    try:
        request = SearchRequest(budget_s, rounds, submission=str(submission))
        start_run("kaggle", options, output / RUNS, request)
    finally:
        _print_end(submission, filled)


def _choose_budget(limit: str, budget: str | None) -> float:
    """Return the budget of the command in seconds."""
    limit_s = parse_duration(limit, "--limit")
    most_s = limit_s - min(MARGIN_SHARE * limit_s, MAX_MARGIN_S)
    if budget is not None:
        wanted_s = parse_duration(budget)
        if wanted_s > most_s:
            stop(
                f"--budget {budget}: with a limit of {format_duration(limit_s)} it can be at most "
                f"{format_duration(most_s)}; the rest is the margin"
            )
        return wanted_s
    return most_s if is_rerun() else min(SHORT_S, most_s)


def _print_start(
    files: KaggleFiles, part: str, submission: Path, n_tasks: int, n_bad: int, budget_s: float
) -> None:
    why = "the run that counts" if is_rerun() else f"not the run that counts ({RERUN} is not set)"
    left_out = f", {n_bad:,} not valid" if n_bad else ""
    lines = [
        f"tasks: {files.challenges}: {count(n_tasks, 'task')}{left_out}",
        f"submission: {submission}, written after {wall_s():.1f} s, with stand-ins only",
        f"budget: {format_duration(budget_s)}, {why}",
    ]
    print_blocks(Text("\n".join(lines)))
    for other in files.others:
        is_alone = find_files(other.parent, part).challenges == other
        hint = (
            f"--input {quote(str(other.parent))} would use it"
            if is_alone
            else "give it a folder of its own"
        )
        print_notice(f"not used: {other}; {hint}")


def _print_end(submission: Path, filled: Submission) -> None:
    """Read the submission as Kaggle will, and print how many tasks have attempts of programs."""
    from arcbatt.scoring import read_submission

    written = read_submission(submission)
    lengths = {task_id: len(entries) for task_id, entries in filled.items()}
    if {task_id: len(entries) for task_id, entries in written.items()} != lengths:
        stop(f"{submission}: not the tasks or test inputs that were asked for; this is a bug")
    n_changed = sum(
        any(
            tuple(map(tuple, entry[key])) != there[key]
            for entry, there in zip(written[task_id], entries, strict=True)
            for key in there
        )
        for task_id, entries in filled.items()
    )
    print_blocks(
        Text(
            f"{submission} is valid: {count(len(written), 'task')}, "
            f"{count(sum(lengths.values()), 'test input')}, two attempts each; "
            f"{n_changed:,} with something found, after {format_duration(wall_s())}",
            style="bold green",
        )
    )
