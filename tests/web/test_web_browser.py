"""Pages in a real browser, at all sizes, light and dark."""

from __future__ import annotations

import json
import re
import shutil
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Outcome
from tests.support.web import (
    SCHEMES,
    SHOWN_TASKS,
    WIDTHS,
    TwoRuns,
    require_accessible,
    serving,
    wait_until,
    watched,
)

pytestmark = pytest.mark.xdist_group("browser")
SET = "/sets/arc-agi-1-training"


@pytest.fixture(scope="module")
def address(two_runs: TwoRuns) -> Iterator[str]:
    with serving(runs_folder=two_runs.folder) as where:
        yield where


def paths(runs: TwoRuns) -> list[str]:
    """A page of every kind."""
    run = f"/runs/{runs.second}"
    return [
        f"{SET}/tasks/00d62c1b",
        "/runs",
        run,
        f"{run}/tasks/017c7c7b",
        f"{run}/tasks/{SHOWN_TASKS[-1]}",
        f"{run}/tasks/017c7c7b/programs/1",
        f"{SET}/tasks/00d62c1b/play",
        "/primitives",
        f"/compare?first={runs.first}&second={runs.second}",
        "/nowhere",
    ]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_page_is_readable_and_has_no_errors(
    browser: Any, address: str, two_runs: TwoRuns, width: int, scheme: str
) -> None:
    for path in paths(two_runs):
        with watched(browser, address, width=width, scheme=scheme) as seen:
            page = seen.open(path)
            assert page.locator("h1").count() == 1 and page.title()
            require_accessible(page)
            if path == "/nowhere":
                # The browser itself reports the status on its console.
                seen.errors = [each for each in seen.errors if "404" not in each]


@pytest.mark.parametrize("width", WIDTHS)
def test_400_tasks_are_filtered_and_navigated(browser: Any, address: str, width: int) -> None:
    with watched(browser, address, width=width) as seen:
        page = seen.open(SET)
        page.wait_for_selector("html[data-ready]")
        assert page.locator(".thumb").count() == 400
        page.locator(".thumb canvas").first.wait_for()
        # Cards far below are not drawn yet.
        assert page.locator(".thumb canvas").count() < 400
        page.locator(".thumb").first.focus()
        page.keyboard.press("ArrowRight")
        second = page.evaluate("document.activeElement.dataset.task")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowUp")
        assert page.evaluate("document.activeElement.dataset.task") == second
        page.keyboard.press("End")
        page.locator(".thumb:focus canvas").first.wait_for()
        page.fill("#find", "00d62c1b")
        assert page.locator(".thumb:visible").count() == 1
        page.wait_for_url(re.compile(r"\?find=00d62c1b$"))
        page.locator(".thumb:visible").focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/tasks/00d62c1b")
        page.keyboard.press("n")
        page.wait_for_url("**/tasks/017c7c7b")


def test_filters_are_in_the_address(browser: Any, address: str, two_runs: TwoRuns) -> None:
    with watched(browser, address) as seen:
        page = seen.open(f"/runs/{two_runs.second}?state=fits&order=confidence")
        page.wait_for_selector("html[data-ready]")
        shown = page.locator(".thumb:visible").count()
        assert 0 < shown < len(SHOWN_TASKS)
        assert page.locator("select[name=state]").input_value() == "fits"
        page.select_option("select[name=proposer]", "known")
        page.wait_for_url(re.compile("proposer=known"))
        assert page.locator(".thumb:visible b").all_text_contents() == ["67a3c6ac"]
        page.check("input[name=colors][value='9']")
        assert page.locator("#shown").text_content() == f"0 of {len(SHOWN_TASKS)} tasks"
        page.click("button[type=reset]")
        page.wait_for_url(f"**/runs/{two_runs.second}")
        assert page.locator(".thumb:visible").count() == len(SHOWN_TASKS)


def test_digits_and_dark_mode_are_remembered(browser: Any, address: str, two_runs: TwoRuns) -> None:
    with watched(browser, address) as seen:
        page = seen.open(f"/runs/{two_runs.second}/tasks/67a3c6ac")
        assert page.locator("canvas.digits").count() == 0
        page.select_option("select[data-switch=cells]", "digits")
        page.wait_for_selector("canvas.digits")
        page.select_option("select[data-switch=theme]", "dark")
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page = seen.open(f"/runs/{two_runs.second}/tasks/67a3c6ac/programs/1")
        page.wait_for_selector("svg path.digits", state="attached")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
        page.select_option("select[data-switch=cells]", "colors")
        assert page.locator("svg path.digits:visible").count() == 0


@pytest.mark.parametrize("width", WIDTHS)
def test_digits_fit_their_cells(browser: Any, address: str, width: int) -> None:
    with watched(browser, address, width=width) as seen:
        page = seen.open(f"{SET}?find=045e512c")
        small = page.locator(".thumb:visible canvas").first
        small.wait_for()
        before = small.bounding_box()["width"]
        page.select_option("select[data-switch=cells]", "digits")
        page.wait_for_selector(".thumb:visible canvas[role=img]")
        assert page.locator(".thumb:visible canvas").first.bounding_box()["width"] > 1.5 * before
        seen.require_clean()
        # The largest grids that there are.
        page = seen.open(f"{SET}/tasks/3631a71a")
        page.wait_for_selector("canvas.digits")


def test_lines_of_a_program_and_its_layers(browser: Any, address: str, two_runs: TwoRuns) -> None:
    with watched(browser, address) as seen:
        page = seen.open(f"/runs/{two_runs.second}/tasks/25ff71a9")
        page.click("text=Explain the program line by line")
        page.wait_for_selector(".explanation .line")
        first = page.locator(".value:visible").count()
        page.focus("[role=tab][aria-selected=true]")
        page.keyboard.press("ArrowLeft")  # from the first pair around to all of them
        assert page.locator("[role=tab][aria-selected=true]").text_content() == "side by side"
        assert page.locator(".value:visible").count() > first
        lifted = page.locator(".lifting [role=status]")
        before = _drawn_layers(page)
        assert lifted.text_content().startswith("0 of ")  # type: ignore[union-attr]
        page.click("[data-lift='1']")
        assert lifted.text_content().startswith("1 of ")  # type: ignore[union-attr]
        assert _drawn_layers(page) != before
        page.click("[data-lift='-1']")
        assert _drawn_layers(page) == before


def _drawn_layers(page: Any) -> list[str]:
    drawn = page.locator("[data-depth]:visible").evaluate_all("all => all.map(e => e.innerHTML)")
    assert drawn
    return list(drawn)


def test_two_runs_are_compared(browser: Any, address: str, two_runs: TwoRuns) -> None:
    with watched(browser, address) as seen:
        page = seen.open("/runs")
        for run in (two_runs.first, two_runs.second):
            page.check(f"input[name=run][value='{run}']")
        page.get_by_role("button", name="Compare").click()
        page.wait_for_url("**/compare?*")
        gained = page.locator("section[aria-label=gained] li")
        assert gained.count() > 0
        gained.first.locator("a").last.click()
        page.wait_for_url(f"**/runs/{two_runs.second}/tasks/*")


def test_long_ids_fit_the_pages(browser: Any, tmp_path: Path) -> None:
    pair = {"input": [[1, 2], [3, 4]], "output": [[2, 1], [4, 3]]}
    task = {"train": [pair, pair], "test": [{"input": [[5, 6]]}]}
    (tmp_path / "many.json").write_text(json.dumps({f"{c}{'_long' * 30}": task for c in "ab"}))
    for proposers in ("known", "learn"):
        arguments = ("--proposers", proposers, "--budget", "1h", "--rounds", "1", "--no-explain")
        solved = Outcome("solve", tmp_path / "many.json", *arguments, "--out", tmp_path / "runs")
        assert solved.status == 0, solved.err
    with serving(runs_folder=tmp_path / "runs") as where:
        runs = sorted(each.name for each in (tmp_path / "runs").iterdir())
        for width in WIDTHS:
            for path in ("/runs", f"/runs/{runs[0]}", f"/compare?first={runs[0]}&second={runs[1]}"):
                with watched(browser, where, width=width) as seen:
                    seen.open(path)
                    seen.require_clean()


def set_hidden(page: Any, is_hidden: bool) -> None:
    """Simulate that the tab of a page is in the background, or not."""
    page.evaluate(
        """(hidden) => {
            Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        is_hidden,
    )


def test_a_run_is_watched_as_it_goes_on(browser: Any, address: str, two_runs: TwoRuns) -> None:
    from filelock import FileLock

    from arcbatt.solving.run_folder import LOCK, LOG

    path = two_runs.folder / two_runs.second
    log = (path / LOG).read_bytes()
    with watched(browser, address) as seen:
        try:
            with FileLock(path / LOCK):
                page = seen.open(f"/runs/{two_runs.second}")
                page.wait_for_selector("#log tr")
                line = log.splitlines()[-1].decode()
                more = re.sub(r'"item": "[^"]*"', '"item": "something new"', line)
                with (path / LOG).open("a") as file:
                    file.write(more + "\n")
                page.wait_for_selector("#log >> text=something new")
                assert page.locator("#state").text_content() == "running"
                # A hidden page is not updated, and catches up when it is visible again.
                set_hidden(page, True)
                with (path / LOG).open("a") as file:
                    file.write(more.replace("something new", "something else") + "\n")
                page.wait_for_timeout(1200)
                assert page.locator("#log >> text=something else").count() == 0
                set_hidden(page, False)
                page.wait_for_selector("#log >> text=something else")
            page.wait_for_selector("#state >> text=ended")
        finally:
            (path / LOG).write_bytes(log)


def test_a_run_that_is_removed_says_so(
    browser: Any, address: str, two_runs: TwoRuns, tmp_path: Path
) -> None:
    from filelock import FileLock

    from arcbatt.solving.run_folder import LOCK

    path = two_runs.folder / "removed"
    shutil.copytree(two_runs.folder / two_runs.first, path)
    with watched(browser, address) as seen, FileLock(path / LOCK):
        page = seen.open("/runs/removed")
        page.wait_for_selector(".thumb")
        path.rename(tmp_path / "removed")
        page.wait_for_selector("#state >> text=not known")
        assert page.inner_text("#doing") == "no run is named removed"
        assert page.locator(".thumb").count() == len(SHOWN_TASKS)


def test_a_link_with_the_token_works(browser: Any, address: str, tmp_path: Path) -> None:
    with (
        serving(runs_folder=tmp_path, token="secret") as guarded,
        watched(browser, "http:") as seen,
    ):
        # Another site, as browsers see it: the same machine by another name.
        elsewhere = address.replace("127.0.0.1", "localhost")
        for query in ("?token=secret", ""):
            seen.page.goto(f"{elsewhere}/runs")
            seen.page.evaluate("(to) => location.assign(to)", f"{guarded}/runs{query}")
            seen.page.wait_for_url(f"{guarded}/runs")
            assert seen.page.inner_text("h1") == "Runs"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_reports_and_exports_are_self_contained(
    browser: Any, address: str, two_runs: TwoRuns, tmp_path: Path, width: int, scheme: str
) -> None:
    from arcbatt.api import score
    from arcbatt.solving.runs import note_score

    path = tmp_path / "run"
    shutil.copytree(two_runs.folder / two_runs.second, path)
    scored = score(path)
    note_score(path, {task.task_id: task.right_attempts for task in scored.by_task})
    report = path / "report.html"
    explanation = next((path / "explanations").glob("*.html"))
    with watched(browser, "file:", width=width, scheme=scheme) as seen:
        page = seen.open(f"//{report}")
        assert page.locator("article:visible").count() == len(SHOWN_TASKS)
        assert page.locator(".mark.right").count() > 0
        # Both attempts at a test lie within the window.
        for box in page.locator(".attempt").all():
            found = box.bounding_box()
            assert found["x"] + found["width"] <= width, found
        page.select_option("#verdict", "right")
        assert page.locator("article:visible").count() == scored.solved
        require_accessible(page)
        seen.require_clean()
        page = seen.open(f"//{explanation}")
        assert page.locator(".line").count() > 1
        seen.require_clean()
    exported = [f"/runs/{two_runs.second}/tasks/017c7c7b/export.html"]
    exported += [f"/compare/export.html?first={two_runs.first}&second={two_runs.second}"]
    for number, where in enumerate(exported):
        file = tmp_path / f"{number}.html"
        file.write_bytes(urllib.request.urlopen(address + where).read())
        with watched(browser, "file:", width=width, scheme=scheme) as seen:
            page = seen.open(f"//{file}")
            assert page.locator("img").count() > 1


COLORS_OF_CANVAS = """() => {
    const drawn = document.querySelector(".uplot canvas");
    const copy = new OffscreenCanvas(drawn.width, drawn.height);
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(drawn, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const colors = new Set();
    for (let k = 0; k < data.length; k += 4) colors.add(`${data[k]},${data[k + 1]},${data[k + 2]}`);
    return colors;
}"""


def test_charts_are_zoomed_and_read(browser: Any, address: str, two_runs: TwoRuns) -> None:
    with watched(browser, address) as seen:
        page = seen.open(f"/runs/{two_runs.second}")
        page.wait_for_selector("html[data-charts]", state="attached")
        page.click("summary >> text=curve and log")
        for theme, accent in (("light", "48,82,200"), ("dark", "142,168,255")):
            page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
            wait_until(page, f"({COLORS_OF_CANVAS})().has('{accent}')")
        over = page.locator(".u-over").first
        over.scroll_into_view_if_needed()
        box = over.bounding_box()
        middle = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + box["width"] * 0.9, middle)
        # The legend has the values at the pointer.
        wait_until(page, "/\\d/.test(document.querySelector('.u-value').textContent)")
        ticks = "document.querySelector('.uplot canvas').toDataURL()"
        whole = page.evaluate(ticks)
        page.mouse.move(box["x"] + box["width"] * 0.2, middle)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.6, middle, steps=4)
        page.mouse.up()
        wait_until(page, f"{ticks} !== {whole!r}")
        seen.require_clean()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_list_of_runs_fits_its_page(
    browser: Any, address: str, two_runs: TwoRuns, width: int
) -> None:
    with watched(browser, address, width=width) as seen:
        page = seen.open("/runs")
        assert page.evaluate(
            "document.querySelector('#runs').scrollWidth"
            " <= document.querySelector('#runs').parentElement.clientWidth"
        )
        box = page.locator("[data-do=delete]").first.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width


def test_runs_are_sorted_named_and_deleted(browser: Any, two_runs: TwoRuns, tmp_path: Path) -> None:
    for name in ("first", "second"):
        shutil.copytree(two_runs.folder / getattr(two_runs, name), tmp_path / name)
    with serving(runs_folder=tmp_path) as where, watched(browser, where) as seen:
        page = seen.open("/runs")
        page.wait_for_selector("html[data-ready]")
        listed = "[...document.querySelectorAll('#runs tbody tr')].map((r) => r.dataset.run)"
        page.get_by_role("button", name="run", exact=True).click()
        assert page.evaluate(listed) == ["first", "second"]
        page.get_by_role("button", name="fits", exact=True).click()
        assert page.evaluate(listed) == ["second", "first"]
        page.get_by_role("button", name="fits", exact=True).click()
        assert page.evaluate(listed) == ["first", "second"]
        page.get_by_role("button", name="name first, or note something").click()
        page.fill("[name=name]", "the shallow one")
        page.fill("[name=note]", "known alone")
        page.get_by_role("button", name="Keep").click()
        page.get_by_role("link", name="the shallow one").wait_for()
        page.get_by_role("button", name="delete second").click()
        require_accessible(page)
        page.get_by_role("button", name="Delete", exact=True).click()
        wait_until(page, "document.querySelectorAll('#runs tbody tr').length === 1")
        assert not (tmp_path / "second").exists()
        seen.require_clean()
