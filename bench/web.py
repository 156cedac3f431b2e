"""Measure how fast the pages of the web app load, and whether they scroll smoothly.

    python -m bench.web [--repeats 3]

Prints a table. Pages are opened in Chromium on screens of 1280 and 390 pixels. "Ready" is the time
from the click until all tasks are shown and filters work, the shortest of several; "CPU" is the CPU
time of the page's thread, which does not depend on other load. "Scrolling" is the CPU time of that
thread while the page is scrolled from top to bottom in two seconds; below two, no frame is dropped.
The gallery of 1,120 tasks has rotated copies of ARC-AGI-1 training; the report is that of a run of
`known` over ARC-AGI-1 training.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.table import Table

from arcbatt.solving import RunStore, Search, SearchOptions
from arcbatt.tasks import Grid, load
from arcbatt.web.catalog import make_keys
from tests.support.web import find_chromium, serving

TRAINING = "arc-agi-1/training"
N_TASKS = 1_120
WIDTHS = (1280, 390)

SCROLL = """() => new Promise((done) => {
  const began = performance.now();
  const step = (now) => {
    const part = Math.min((now - began) / 2000, 1);
    scrollTo(0, part * (document.documentElement.scrollHeight - innerHeight));
    if (part < 1) requestAnimationFrame(step);
    else done(null);
  };
  requestAnimationFrame(step);
})"""


def turn(grid: Grid, times: int) -> Grid:
    for _ in range(times):
        grid = tuple(zip(*grid[::-1], strict=True))
    return grid


def write_many(path: Path) -> None:
    """Write a file with as many tasks as ARC-AGI-2 has."""
    tasks: dict[str, Any] = {}
    for times in range(3):
        for task in load(TRAINING):
            if len(tasks) == N_TASKS:
                break
            tasks[f"{task.id}-{times}"] = {
                "train": [
                    {"input": turn(demo.input, times), "output": turn(demo.output, times)}
                    for demo in task.demos
                ],
                "test": [{"input": turn(grid, times)} for grid in task.test_inputs],
            }
    path.write_text(json.dumps(tasks))


def make_run(folder: Path) -> Path:
    options = SearchOptions(TRAINING, None, ("known",), library=False, device="cpu")
    store = RunStore.create(folder, "solve", options)
    with Search(options, store, list(load(TRAINING))) as search:
        search.run(60, max_rounds=1)
    return store.path


@contextmanager
def window(browser: Any, width: int) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": width, "height": 900})
    try:
        yield context.new_page()
    finally:
        context.close()


def measure(browser: Any, where: str, ready: str, width: int) -> tuple[float, float, float]:
    """Return the time until a page is ready, its CPU time, and that of scrolling."""
    with window(browser, width) as page:
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})

        def cpu_s() -> float:
            metrics = session.send("Performance.getMetrics")["metrics"]
            return next(each["value"] for each in metrics if each["name"] == "TaskDuration")

        page.goto(where, wait_until="commit")
        page.wait_for_selector(ready, state="attached")
        ready_ms, ready_cpu_s = page.evaluate("performance.now()"), cpu_s()
        page.evaluate(SCROLL)
        return ready_ms, ready_cpu_s, cpu_s() - ready_cpu_s


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how fast the pages of the web app load.")
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    table = Table("page", "width", "ready", "CPU", "scrolling in 2 s, CPU")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        write_many(folder / "many_challenges.json")
        run = make_run(folder / "runs")
        browser = playwright.chromium.launch(executable_path=find_chromium(playwright))
        source = str(folder / "many_challenges.json")
        with serving(runs_folder=folder / "runs", data=(source,)) as address:
            (many,) = make_keys([source])
            pages = (
                ("gallery of 400 tasks", f"{address}/sets/arc-agi-1-training", "[data-ready]"),
                ("a run of 400 tasks", f"{address}/runs/{run.name}", "[data-ready]"),
                ("gallery of 1,120 tasks", f"{address}/sets/{many}", "[data-ready]"),
                ("report of 400 tasks", f"file://{run}/report.html", "#shown:not(:empty)"),
            )
            for title, where, ready in pages:
                for width in WIDTHS:
                    seen = [measure(browser, where, ready, width) for _ in range(args.repeats)]
                    ready_ms, cpu_s = (min(each[k] for each in seen) for k in (0, 1))
                    scroll_s = max(each[2] for each in seen)
                    row = (f"{ready_ms / 1000:.2f} s", f"{cpu_s:.2f} s", f"{scroll_s:.2f} s")
                    table.add_row(title, str(width), *row)
        browser.close()
    Console().print(table)


if __name__ == "__main__":
    main()
