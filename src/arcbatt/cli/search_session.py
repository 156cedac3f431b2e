"""Runs of a search for the commands `solve`, `evolve` and `kaggle`: start or resume, then show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any

import typer
from rich.text import Text

from arcbatt.interrupts import TERMINATION, Interrupt, noting_interrupts
from arcbatt.plugins import loaded_plugins
from arcbatt.plurals import count
from arcbatt.pool import Pool
from arcbatt.proposers import PROPOSER_NAMES
from arcbatt.proposers.ask import AskOptions
from arcbatt.proposers.ask.endpoint import import_openai, read_key
from arcbatt.proposers.registry import check_names, plugin_proposers
from arcbatt.scoring import has_answers
from arcbatt.solving import RunStore, Search, SearchOptions
from arcbatt.solving.descriptions import describe_ranking
from arcbatt.solving.run_folder import REPORT, SUBMISSION, RunFolder, read_config
from arcbatt.solving.run_store import make_config, missing_space, read_options
from arcbatt.suggestion import suggest
from arcbatt.tasks import BadTask, Task

from . import INTERRUPTED, ignore_signals
from .cluster_display import print_worker_notices, worker_tables, workers_to_json
from .console import (
    clean,
    print_blocks,
    print_json,
    print_notice,
    stop,
    warnings_as_notices,
    why_unwritable,
)
from .lookup import choose_valid_tasks
from .loop_display import (
    LoopDisplay,
    draw_attempts,
    part_tables,
    proposer_table,
    share_of_gpus,
    summary_to_json,
    task_table,
)
from .timing import wall_s
from .units import format_duration, parse_bytes, parse_duration

# Parameters that may be given with --resume; all others are the run's own.
RESUMABLE = {
    "plugin",
    "endpoint",
    "budget",
    "cluster",
    "rounds",
    "resume",
    "submission",
    "explain",
    "trace",
    "limit",
    "as_json",
}
# The settings that --ask accepts.
ASK_SETTINGS = (
    "max_tokens",
    "max_cost",
    "price_in",
    "price_out",
    "samples",
    "turns",
    "parallel",
    "reply_tokens",
    "temperature",
    "timeout_s",
    "images",
    "dialect",
)
# A run of `kaggle` is one of `solve` with options that its folder keeps.
RESUMED_BY = {"kaggle": "solve"}


@dataclass(frozen=True)
class SearchRequest:
    """The parameters of a command besides the options of the search itself."""

    budget_s: float
    rounds: int | None = None
    cluster: str | None = None
    traced: Sequence[str] = ()
    explain: bool = False
    limit: int = 20
    as_json: bool = False
    submission: str | None = None
    endpoint: str | None = None


def choose_proposers(text: str | None, *, asks: bool = False) -> tuple[str, ...]:
    """Return the proposers in "NAME,NAME...", or all; stop at an unknown name.

    By default these are those of the package and of plugins, and `ask` if a model is named.
    """
    if text is None:
        return (*PROPOSER_NAMES, *plugin_proposers(), *(["ask"] if asks else []))
    try:
        names = check_names([name for name in text.split(",") if name])
    except ValueError as error:
        stop(f"--proposers: {error}")
    if not names:
        stop(f"--proposers names none; the proposers are {', '.join(PROPOSER_NAMES)}")
    if asks and "ask" not in names:
        stop("--model names a model for the proposer ask: add ask to --proposers")
    return names


def choose_ask(
    model: str | None, endpoint: str | None, max_requests: int | None, settings: Sequence[str]
) -> AskOptions:
    """Return the options of the proposer `ask`; stop at one that is wrong."""
    given: dict[str, Any] = {}
    if max_requests is not None:
        given["max_requests"] = max_requests
    for text in (each for setting in settings for each in setting.split(",") if each):
        name, mark, value = text.partition("=")
        field = {"timeout": "timeout_s"}.get(name, name.replace("-", "_"))
        if field not in ASK_SETTINGS or not mark:
            names = [each.removesuffix("_s").replace("_", "-") for each in ASK_SETTINGS]
            stop(f"--ask {text}: expected NAME=VALUE with one of the names {', '.join(names)}")
        given[field] = _read_setting(text, field, value)
    try:
        options = AskOptions(model=model or "", endpoint=endpoint or "", **given)
    except ValueError as error:
        # The message begins with the setting, and some are options of their own.
        name = str(error).partition(" ")[0].rstrip(":").replace("_", "-")
        option = f"--{name}" if name in ("endpoint", "max-requests") else "--ask"
        stop(f"{option}: {error}")
    if model is None and options != AskOptions():
        stop("--endpoint, --max-requests and --ask are for a language model: add --model NAME")
    return options


def _read_setting(text: str, field: str, value: str) -> Any:
    kind = type(getattr(AskOptions(), field))
    try:
        if field == "timeout_s":
            return parse_duration(value, "--ask timeout")
        if kind is bool:
            return {"yes": True, "no": False}[value]
        return kind(value.replace("_", "")) if kind is not str else value
    except (KeyError, ValueError):
        wanted = "yes or no" if kind is bool else "a number"
        stop(f"--ask {text}: expected {wanted}")


def choose_memory(text: str | None) -> int | None:
    """Return an amount of memory in bytes; None for the default."""
    return None if text is None else parse_bytes(text)


def start_run(command: str, options: SearchOptions, out: Path, request: SearchRequest) -> None:
    """Check all that can be checked in advance, then search in a new run folder."""
    tasks, bad = _load_tasks(options)
    _check_traced(tasks, request.traced)
    _check_submission(request.submission)
    _check_ask(options)
    if options.pool is not None:
        Pool.open(options.pool, create=False).close()
    if lack := missing_space(out, len(tasks)):
        if command != "kaggle":
            stop(f"{lack}; free some, or choose another folder with --out")
        print_notice(f"{lack}; continuing nevertheless")
    with _noting_interrupts() as interrupt:
        folder = RunFolder.create(out, make_config(command, options))
        _run(folder, options, tasks, bad, request, interrupt)


def _check_ask(options: SearchOptions) -> None:
    """Stop unless the model that is to be asked can be."""
    if "ask" not in options.proposers:
        return
    try:
        options.ask.require_model()
        import_openai()
    except ValueError as error:
        stop(str(error))


def resume_run(ctx: typer.Context, path: Path, command: str, request: SearchRequest) -> None:
    """Resume the run in a folder, with its own options."""
    for name in ctx.params:
        source = ctx.get_parameter_source(name)
        if name not in RESUMABLE and source is not None and source.name == "COMMANDLINE":
            words = "SET" if name == "source" else f"--{name.replace('_', '-')}"
            stop(f"{words} cannot be given with --resume: the run keeps its own")
    config, _ = read_config(path)
    # Plugins are code, and a run may come from elsewhere: it must not choose what is imported.
    for name in config.options.get("plugins") or ():
        if name not in loaded_plugins():
            stop(f"{path} was started with a plugin: add --plugin {quote(str(name))}")
    with _noting_interrupts() as interrupt:
        _resume(RunFolder.open(path), command, request, interrupt)


def _resume(folder: RunFolder, command: str, request: SearchRequest, interrupt: Interrupt) -> None:
    path = folder.path
    with ExitStack() as on_failure:
        on_failure.callback(folder.close)
        resumed_by = RESUMED_BY.get(folder.config.command, folder.config.command)
        if resumed_by != command:
            stop(
                f"{path} is the folder of `arcbatt {folder.config.command}`; "
                f"arcbatt {resumed_by} --resume {quote(str(path))} resumes it"
            )
        _check_submission(request.submission)
        options = _choose_endpoint(path, read_options(folder.config), request.endpoint)
        _check_ask(options)
        tasks, bad = _load_tasks(options)
        _check_traced(tasks, request.traced)
        on_failure.pop_all()
    if request.submission is None and options.submission is not None:
        # A folder may come from elsewhere, and its config may name any file.
        other = clean(options.submission)
        print_notice(f"the run also wrote {other}; --submission {quote(other)} keeps that current")
    _run(folder, options, tasks, bad, request, interrupt)


def _choose_endpoint(path: Path, options: SearchOptions, endpoint: str | None) -> SearchOptions:
    """Return the options of a run with the endpoint that --endpoint names, if any.

    The folder may be somebody else's: the key goes only where this command says.
    """
    if "ask" not in options.proposers:
        if endpoint is not None:
            stop(f"--endpoint: {path} asks no model")
        return options
    if endpoint is None:
        if read_key():
            other = clean(options.ask.endpoint)
            stop(
                f"{path} asks a model at {other}, which would get the key of this environment: "
                f"add --endpoint {quote(other)} if it may have it"
            )
        return options
    try:
        return replace(options, ask=replace(options.ask, endpoint=endpoint))
    except ValueError as error:
        stop(f"--endpoint: {error}")


@contextmanager
def _noting_interrupts() -> Iterator[Interrupt]:
    """Note signals in a flag from before there is a folder until all is written, and shown."""
    with noting_interrupts(Interrupt(), *TERMINATION) as interrupt:
        try:
            yield interrupt
        finally:
            ignore_signals()


def _check_submission(submission: str | None) -> None:
    if submission is not None and (why := why_unwritable(Path(submission))):
        stop(f"--submission: {submission} {why}; name a file")


def _load_tasks(options: SearchOptions) -> tuple[list[Task], list[BadTask]]:
    """Return the tasks of a run, and those that are left out because they are not valid."""
    tasks, bad = choose_valid_tasks(options.data, options.tasks or ())
    if bad and not options.skip_bad:
        n_more = sum(len(each.faults) for each in bad) - 1
        more = f"\n{count(n_more, 'more fault')} in {count(len(bad), 'task')}; " if n_more else "\n"
        stop(f"{bad[0].faults[0]}{more}--skip-bad lists all faults and solves the rest")
    if not tasks:
        print_faults(bad)
        stop(f"{options.data}: no valid task to solve")
    return tasks, bad


def print_faults(bad: Sequence[BadTask]) -> None:
    """Print every fault of tasks that are left out."""
    for each in bad:
        for fault in each.faults:
            print_notice(f"left out: {fault}")


def _check_traced(tasks: Sequence[Task], traced: Sequence[str]) -> None:
    ids = [task.id for task in tasks]
    for name in traced:
        if name not in ids:
            stop(f"--trace {name}: no such task among those to solve{suggest(name, ids)}")


def _run(
    folder: RunFolder,
    options: SearchOptions,
    tasks: Sequence[Task],
    bad: Sequence[BadTask],
    request: SearchRequest,
    interrupt: Interrupt,
) -> None:
    """Search in a folder and show the results; exit with 130 if the search was interrupted."""
    print_faults(bad)
    display = LoopDisplay()
    with warnings_as_notices():
        store = RunStore(
            folder,
            submission=request.submission,
            bad=bad,
            on_explained=lambda n, of: display.say_quietly(f"explanations: {n} of {of}"),
        )
        search = Search(
            options,
            store,
            tasks,
            cluster=request.cluster,
            watcher=display,
            traced=request.traced,
            interrupt=interrupt,
        )
        with search, display:
            # Starting the process is part of the budget.
            budget_s = request.budget_s - wall_s()
            search.run(budget_s, request.rounds, explain=request.explain)
        _show(search, store, display, request)
    if search.is_interrupted:
        raise typer.Exit(INTERRUPTED)


def _show(search: Search, store: RunStore, display: LoopDisplay, request: SearchRequest) -> None:
    loop, path = search.loop, store.path
    ranked = loop.rank()
    for each in ranked:
        if each.task.id in request.traced:
            for line in describe_ranking(each):
                display.on_trace(each.task, "ranking", line)
    if search.trouble is not None:
        print_notice(search.trouble)
    print_worker_notices(loop)
    if search.is_interrupted:
        print_notice("interrupted; the results found so far are written")
    if request.as_json:
        print_json(
            {
                "folder": str(path),
                "submission": str(path / SUBMISSION),
                "report": str(path / REPORT),
                "ended": search.is_interrupted,
                **workers_to_json(loop),
                **summary_to_json(loop, ranked, store.bad),
            }
        )
    else:
        print_blocks(
            *([task_table(loop, ranked, request.limit)] if loop.n_fitted else []),
            proposer_table(loop.counts),
            *part_tables(loop),
            *worker_tables(loop),
            *([draw_attempts(ranked[0])] if len(ranked) == 1 else []),
            *_rules(store, len(ranked)),
            _summary(search, store, request),
        )


def _rules(store: RunStore, n_tasks: int) -> list[Text]:
    """Return the rules learned for a single task; the report has those of several."""
    if n_tasks > 1 or not store.rules:
        return []
    (lines,) = store.rules.values()
    return [Text.assemble(("learned rules\n", "bold"), "\n".join(lines))]


def _summary(search: Search, store: RunStore, request: SearchRequest) -> Text:
    loop, path = search.loop, store.path
    text = Text(
        f"programs fit {loop.n_fitted} of {count(len(loop.tasks), 'task')} "
        f"after {format_duration(loop.elapsed_s)}",
        style="bold green" if loop.n_fitted else "bold",
    )
    if share := share_of_gpus(loop):
        text.append(f"\n{share}", style="not bold")
    if has_answers(search.options.data):
        text.append(f"\nwhether they are right: arcbatt score {quote(str(path))}", style="not bold")
    text.append(f"\nreport: {path / REPORT}", style="not bold green")
    if store.bad:
        left_out = (
            f"\n{count(len(store.bad), 'task')} not valid: left out, with stand-ins as attempts"
        )
        text.append(left_out, style="not bold yellow")
    submission = request.submission or path / SUBMISSION
    text.append(f"\nsubmission: {submission}", style="not bold green")
    return text
