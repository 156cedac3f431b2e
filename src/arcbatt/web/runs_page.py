"""Pages about runs, which update while a run is in progress.

Any process may be writing to the folder of a run. Pages read its files; server-sent events notify
them of changes.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arcbatt.drawing.charts import lay_out_charts
from arcbatt.drawing.pages import trusted
from arcbatt.drawing.svg import render_svg
from arcbatt.proposers import PROPOSER_NAMES
from arcbatt.solving.log import LogEntry, progress_charts
from arcbatt.solving.report.page import make_report
from arcbatt.solving.report.views import say_duration, view_values
from arcbatt.solving.run_folder import LOG, RESULTS, RunFolderError
from arcbatt.solving.run_notes import MAX_NAME, MAX_NOTE, RunNotes, read_notes, write_notes
from arcbatt.solving.runs import RunSummary, is_running, remove_run, summarize_run

from .bodies import read_object, read_text
from .catalog import Catalog, mtime_ns_of
from .gallery import gallery_values
from .responses import (
    EventStream,
    catalog_of,
    charts_to_json,
    export_file,
    export_scene,
    show_page,
)
from .run_data import ShownRun, count_solved, read_run

POLL_S = 1.0
# Seconds between comments on an idle stream, which reveal closed connections.
HEARTBEAT_S = 15.0
# Entries of a run's log that are listed.
MAX_ENTRIES = 30
# The last event of a run that can no longer be read.
TROUBLE = "trouble"
# More pages than anyone has open.
MAX_STREAMS = 32


NO_NOTES = RunNotes()


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run in the list; `trouble` says why it cannot be read."""

    key: str
    path: Path
    summary: RunSummary | None
    trouble: str = ""
    notes: RunNotes = NO_NOTES
    n_solved: int | None = None

    @property
    def settings(self) -> str:
        """The options that tell runs apart, in a few words."""
        assert self.summary is not None  # only readable runs have settings
        options = self.summary.config.options
        words = [f"seed {self.summary.config.seed}"]
        if options.get("library") is False:
            words.append("no library")
        proposers = options.get("proposers", ())
        if tuple(proposers) != PROPOSER_NAMES:
            words.append(", ".join(map(str, proposers)))
        words += [f"off: {', '.join(map(str, off))}"] if (off := options.get("off")) else []
        words += ["with a pool"] if options.get("pool") else []
        return "; ".join(words)


def show_runs(request: Request) -> Response:
    """Show the list of runs."""
    return show_page(request, "runs.html", runs=list_runs(request), **view_values())


def list_runs(request: Request) -> list[ListedRun]:
    """Return all runs; unreadable ones with the reason."""
    runs = []
    for key, path in catalog_of(request).runs().items():
        try:
            summary = summarize_run(path)
            solved = None if summary.is_running else count_solved(path)
            runs.append(ListedRun(key, path, summary, "", read_notes(path), solved))
        except (RunFolderError, OSError) as error:
            runs.append(ListedRun(key, path, None, str(error)))
    return runs


async def change_notes(request: Request) -> Response:
    """Keep the name and note of a run."""
    content = await read_object(request)
    notes = RunNotes(read_text(content, "name", MAX_NAME), read_text(content, "note", MAX_NOTE))
    path = await run_in_threadpool(catalog_of(request).run, request.path_params["run"])
    await run_in_threadpool(write_notes, path, notes)
    return JSONResponse({"name": notes.name, "note": notes.note})


async def delete_run(request: Request) -> Response:
    """Remove the folder of a run that is not in progress."""
    await read_object(request)
    path = await run_in_threadpool(catalog_of(request).run, request.path_params["run"])
    await run_in_threadpool(remove_run, path)
    return JSONResponse({"removed": request.path_params["run"]})


def show_run(request: Request) -> Response:
    """Show a run: numbers, charts, log and tasks."""
    run = read_run(catalog_of(request), request.path_params["run"])
    entries = run.log
    proposers = dict.fromkeys(
        [*run.results.get("proposers", {}), *(entry.proposer for entry in entries)]
    )
    gallery = gallery_values(request, run.address, f"/api/runs/{run.key}/tasks", proposers)
    return show_page(
        request,
        "run.html",
        run=run,
        notes=read_notes(run.path),
        overview=None if run.is_running else run.overview,
        parts=list(part_tables(run)),
        progress=progress_of(run),
        entries=[entry_to_json(entry) for entry in reversed(entries[-MAX_ENTRIES:])],
        chart=trusted(render_svg(lay_out_charts("", progress_charts(entries)))),
        **{**view_values(), **gallery},
    )


@dataclass(frozen=True, slots=True)
class PartTable:
    """The results of a proposer's parts: one row per part, one column per count."""

    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]]]


def part_tables(run: ShownRun) -> Iterator[tuple[str, PartTable]]:
    """Yield the counts of each part, for proposers that have parts."""
    for proposer, parts in run.results.get("parts", {}).items():
        names = list(dict.fromkeys(name for counts in parts.values() for name in counts))
        rows = [
            (part, [_say_count(name, counts.get(name)) for name in names])
            for part, counts in parts.items()
        ]
        yield proposer, PartTable([_say_name(name) for name in names], rows)


def _say_name(name: str) -> str:
    return name.removeprefix("n_").removesuffix("_s").replace("_", " ")


def _say_count(name: str, number: Any) -> str:
    if not isinstance(number, int | float):
        return "-"
    return say_duration(number) if name.endswith("_s") else f"{number:,}"


def entry_to_json(entry: LogEntry) -> dict[str, Any]:
    """Return the description of a log entry."""
    return {
        "number": entry.number,
        "elapsed_s": round(entry.elapsed_s, 1),
        "proposer": entry.proposer,
        "item": entry.item,
        "fitted": entry.n_fitted,
        "pairs": entry.n_pairs,
    }


def progress_of(run: ShownRun) -> dict[str, Any]:
    """Return the progress of a run."""
    entries = run.log
    last = entries[-1] if entries else None
    return {
        "running": run.is_running,
        "tasks": len(run.tasks),
        "fitted": last.n_fitted if last else 0,
        "elapsed_s": round(last.elapsed_s, 1) if last else 0.0,
        "doing": f"{last.proposer}: {last.item}" if last else "begins",
        "entries": [entry_to_json(entry) for entry in reversed(entries[-MAX_ENTRIES:])],
    }


async def watch_run(request: Request) -> Response:
    """Send an event whenever a run has news, until it ends or the client disconnects."""
    catalog, key = catalog_of(request), request.path_params["run"]
    path = await run_in_threadpool(catalog.run, key)
    state = request.app.state
    if state.n_streams >= MAX_STREAMS:
        raise HTTPException(503, f"{MAX_STREAMS} pages are being kept current; close some")

    # Counted here, not when the events begin: other requests are handled in between.
    state.n_streams += 1

    def end() -> None:
        state.n_streams -= 1

    async def events() -> AsyncIterator[str]:
        seen: tuple[int, ...] | None = None
        silent_s = 0.0
        while not await request.is_disconnected():
            now = _stamp(path)
            if now != seen:
                seen, silent_s = now, 0.0
                try:
                    progress = await run_in_threadpool(_read_progress, catalog, key)
                except (HTTPException, RunFolderError, OSError) as error:
                    why = error.detail if isinstance(error, HTTPException) else str(error)
                    yield f"event: {TROUBLE}\ndata: {json.dumps(why)}\n\n"
                    return
                yield f"data: {json.dumps(progress)}\n\n"
                if not progress["running"]:
                    return
            elif not await run_in_threadpool(is_running, path):
                seen = None  # the run ended without a final event
            elif silent_s >= HEARTBEAT_S:
                silent_s = 0.0
                yield ": still here\n\n"
            await asyncio.sleep(POLL_S)
            silent_s += POLL_S

    return EventStream(events(), end)


def _read_progress(catalog: Catalog, key: str) -> dict[str, Any]:
    return progress_of(read_run(catalog, key))


def _stamp(path: Path) -> tuple[int, ...]:
    """Return a value that changes whenever a run writes something."""
    return tuple(mtime_ns_of(path / name) for name in (LOG, RESULTS))


def list_charts(request: Request) -> Response:
    """Return the charts of a run as data: a title, axes and lines each."""
    run = read_run(catalog_of(request), request.path_params["run"])
    return JSONResponse({"charts": charts_to_json(progress_charts(run.log))})


def draw_progress(request: Request) -> Response:
    """Export the charts of a run as a picture."""
    run = read_run(catalog_of(request), request.path_params["run"])
    scene = lay_out_charts(run.title, progress_charts(run.log))
    return export_scene(scene, f"{run.key}-progress", request.path_params["kind"])


def export_report(request: Request) -> Response:
    """Export the report of a run, with the score if it is known."""
    run = read_run(catalog_of(request), request.path_params["run"])
    report = make_report(run.results, run.tasks, title=f"arcbatt {run.title}", right=run.right)
    return export_file(report.encode(), f"{run.key}.html", "text/html; charset=utf-8")


ROUTES = [
    Route("/runs", show_runs),
    Route("/runs/{run}", show_run),
    Route("/runs/{run}/export.html", export_report),
    Route("/runs/{run}/progress.{kind}", draw_progress),
    Route("/api/runs/{run}/events", watch_run),
    Route("/api/runs/{run}/notes", change_notes, methods=["POST"]),
    Route("/api/runs/{run}/delete", delete_run, methods=["POST"]),
    Route("/api/runs/{run}/charts", list_charts),
]
