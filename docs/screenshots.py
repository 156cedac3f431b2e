"""Take screenshots of pages for README and documentation, in Chromium.

python -m docs.screenshots [--run RUN]

RUN is the folder of a run over ARC-AGI-1 training, otherwise the newest in `runs`: that of
`make run`. Pictures are of few colors, so that they stay small.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from arcbatt.files import write_whole
from tests.support.web import find_chromium, serving

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "img"
N_COLORS = 128
SETTLE_MS = 400
# The editor indents.
WRITTEN = """def solve_00d62c1b(I):
gaps = colorfilter(objects(I, T, F, F), BLACK)
outside = mfilter(gaps, bord"""


def nothing(_page: Any) -> None:
    """Take the page as it opens."""


def hover_primitive(page: Any) -> None:
    """Show the documentation of a primitive, as hovering over it does."""
    page.locator(".w-primitive", has_text="parts_of").first.hover()


def to_attempts(page: Any) -> None:
    """Scroll to the attempts."""
    page.locator("section[aria-label=Demos] h2").scroll_into_view_if_needed()


def solve_drawing(page: Any) -> None:
    """Complete the drawing, and solve it until there is an attempt."""
    page.locator('[data-pair="demo 1"] canvas').first.focus()
    for key in ("Shift+ArrowRight", "Shift+ArrowDown"):
        page.keyboard.press(key)
    page.click("#solve")
    page.wait_for_selector("#attempts canvas")
    page.evaluate("scrollTo(0, 0)")


def write_program(page: Any) -> None:
    """Write a program with an unfinished last line, and ask for completions."""
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type(WRITTEN)
    page.wait_for_selector(".note.failed")
    page.keyboard.press("Control+Space")
    page.wait_for_selector(".cm-tooltip-autocomplete li")


@dataclass(frozen=True)
class Shot:
    """A screenshot: its page, its screen, and the actions before it."""

    file: str
    path: str
    width: int = 1280
    height: int = 900
    scheme: str = "light"
    is_whole: bool = False
    prepare: Callable[[Any], None] = nothing


def shots(run: str) -> list[Shot]:
    """Return the screenshots to take, given the key of a run."""
    holes = "/sets/arc-agi-1-training/tasks/44d8ac46"
    walls = "/sets/arc-agi-1-training/tasks/00d62c1b"
    mirrored = "/sets/arc-agi-1-training/tasks/67a3c6ac"
    return [
        Shot(
            "explain.png", f"{holes}/programs/1", 1352, 900, is_whole=True, prepare=hover_primitive
        ),
        Shot("gallery.png", f"/runs/{run}"),
        Shot("task.png", f"/runs/{run}/tasks/017c7c7b", prepare=to_attempts),
        Shot("draw.png", f"{mirrored}/draw", height=1650, prepare=solve_drawing),
        Shot("write.png", f"{walls}/write", prepare=write_program),
        Shot("phone.png", f"/runs/{run}/tasks/05f2a901", 390, 844, "dark"),
    ]


def take(browser: Any, address: str, shot: Shot) -> None:
    """Take a screenshot and write it."""
    context = browser.new_context(
        viewport={"width": shot.width, "height": shot.height}, color_scheme=shot.scheme
    )
    page = context.new_page()
    page.goto(address + shot.path)
    page.wait_for_timeout(SETTLE_MS)
    shot.prepare(page)
    page.wait_for_timeout(SETTLE_MS)
    content = page.screenshot(full_page=shot.is_whole)
    context.close()
    with Image.open(BytesIO(content)) as image:
        small = image.convert("RGB").quantize(N_COLORS, dither=Image.Dither.NONE)
        file = BytesIO()
        small.save(file, "PNG", optimize=True)
    write_whole(PICTURES / shot.file, file.getvalue())
    print(f"docs/img/{shot.file}: {len(file.getvalue()) / 1e3:,.0f} kB")


def main() -> None:
    parser = argparse.ArgumentParser(description="Take the pictures of pages.")
    parser.add_argument("--run", type=Path, metavar="RUN")
    args = parser.parse_args()
    run = args.run or max((ROOT / "runs").glob("solve-*"), default=None)
    if run is None:
        parser.error("there is no run to show; `make run` makes one")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(playwright))
        with serving(runs=(run,)) as address:
            for shot in shots(run.resolve().name):
                take(browser, address, shot)
        report = Shot("report.png", "")
        take(browser, (run.resolve() / "report.html").as_uri(), report)
        browser.close()


if __name__ == "__main__":
    main()
