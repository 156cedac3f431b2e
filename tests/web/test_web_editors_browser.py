"""Drawing, solving and writing in a real browser, by pointer and by keys, wide and narrow."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arcbatt.web.jobs import MAX_RUNNING
from arcbatt.web.jobs_protocol import SOLVE
from tests.support.web import SCHEMES, WIDTHS, require_accessible, serving, wait_until, watched

pytestmark = pytest.mark.xdist_group("browser")

TASK = "/sets/arc-agi-1-training/tasks/67a3c6ac"  # every input is mirrored
RIGHT = "def solve_67a3c6ac(I):\n    O = vmirror(I)\n    return O\n"
UNSOLVABLE = "#task=12.1,12.2;12"  # one input, two outputs: a search goes on to its end


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(runs_folder=tmp_path_factory.mktemp("runs")) as where:
        yield where


def open_page(seen: Any, path: str) -> Any:
    page = seen.open(path)
    page.wait_for_selector("html[data-ready]")
    return page


def grid(page: Any, pair: str, side: int = 0) -> Any:
    return page.locator(f'[data-pair="{pair}"] canvas').nth(side)


def drawn(page: Any) -> dict[str, Any]:
    """Return the task that the page would save."""
    kept: dict[str, Any] = json.loads(page.evaluate("localStorage.getItem('arcbatt-drawn')"))
    return kept


def first_input(page: Any) -> list[list[int]]:
    rows: list[list[int]] = drawn(page)["train"][0]["input"]
    return rows


def program(page: Any) -> str:
    """Return the text in the program editor, without its notes."""
    text: str = page.evaluate(
        """() => [...document.getElementById("editor").shadowRoot.querySelectorAll(".cm-line")]
            .map((line) => line.textContent).join("\\n")"""
    )
    return text


def set_program(page: Any, text: str) -> None:
    """Replace the text in the program editor, as pasting does."""
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+a")
    page.evaluate(
        """(text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            const content = document.getElementById("editor").shadowRoot.activeElement;
            const options = { clipboardData, bubbles: true, cancelable: true };
            content.dispatchEvent(new ClipboardEvent("paste", options));
        }""",
        text,
    )


def paste(page: Any, text: str) -> None:
    """Paste a text into the grid that has the focus, as if another program had copied it."""
    page.evaluate(
        """(text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            const options = { clipboardData, bubbles: true, cancelable: true };
            document.activeElement.dispatchEvent(new ClipboardEvent("paste", options));
        }""",
        text,
    )


def drag(page: Any, canvas: Any, start: tuple[int, int], end: tuple[int, int]) -> None:
    """Drag from cell to cell."""
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    rows = canvas.locator("..").locator("[data-size=rows]").input_value()
    cell = box["height"] / int(rows)
    places = [(box["x"] + (c + 0.5) * cell, box["y"] + (r + 0.5) * cell) for r, c in (start, end)]
    page.mouse.move(*places[0])
    page.mouse.down()
    page.mouse.move(*places[1], steps=2)
    page.mouse.up()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_editors_are_readable_and_named(
    browser: Any, address: str, width: int, scheme: str
) -> None:
    with watched(browser, address, width=width, scheme=scheme) as seen:
        page = open_page(seen, f"{TASK}/draw")
        page.click("summary")
        require_accessible(page)
        seen.require_clean()
        page = open_page(seen, f"{TASK}/write")
        page.wait_for_selector("html[data-checked]")
        set_program(page, RIGHT.replace("vmirror", "vmiror"))
        page.wait_for_selector(".note.failed")
        page.keyboard.press("Control+End")
        page.keyboard.press("Control+Space")
        page.locator(".cm-tooltip-autocomplete li").first.wait_for()
        require_accessible(page)
        seen.require_clean()
        page = open_page(seen, "/write")
        page.wait_for_selector("html[data-checked]")
        assert page.inner_text("h1") == "Write a program for 67a3c6ac, an example"
        assert not page.locator("#problem").is_visible()
        seen.require_clean()


@pytest.mark.parametrize("width", WIDTHS)
def test_draw_by_pointer(browser: Any, address: str, width: int, tmp_path: Path) -> None:
    with watched(browser, address, width=width, accept_downloads=True) as seen:
        page = open_page(seen, "/draw")
        canvas = grid(page, "demo 1")
        page.click('[data-color="2"]')
        drag(page, canvas, (0, 0), (0, 2))
        assert first_input(page) == [[2, 2, 2], [0, 0, 0], [0, 0, 0]]
        page.click('[data-tool="fill"]')
        page.click('[data-color="4"]')
        drag(page, canvas, (2, 2), (2, 2))
        filled = [[2, 2, 2], [4, 4, 4], [4, 4, 4]]
        assert first_input(page) == filled
        page.click('[data-do="undo"]')
        assert first_input(page)[1] == [0, 0, 0]
        # A stroke is undone whole.
        page.click('[data-do="undo"]')
        assert first_input(page) == [[0] * 3] * 3
        page.click('[data-do="redo"]')
        page.click('[data-do="redo"]')
        assert first_input(page) == filled
        page.click('[data-tool="pick"]')
        drag(page, canvas, (0, 0), (0, 0))
        assert page.get_attribute('[data-color="2"]', "aria-checked") == "true"
        assert page.get_attribute('[data-tool="paint"]', "aria-checked") == "true"
        # Select, move, flip, and copy to another grid.
        page.click('[data-tool="select"]')
        drag(page, canvas, (0, 0), (0, 1))
        drag(page, canvas, (0, 0), (1, 0))
        assert first_input(page) == [[0, 0, 2], [2, 2, 4], [4, 4, 4]]
        drag(page, canvas, (1, 1), (2, 1))
        assert first_input(page) == [[0, 0, 2], [4, 4, 4], [2, 2, 4]]
        drag(page, canvas, (0, 1), (0, 2))
        page.click('[data-do="flip"]')
        assert first_input(page)[0] == [0, 2, 0]
        page.click('[data-do="copy"]')
        output = grid(page, "demo 1", 1)
        drag(page, output, (2, 1), (2, 1))
        page.click('[data-do="paste"]')
        assert drawn(page)["train"][0]["output"] == [[0, 0, 0], [0, 0, 0], [0, 2, 0]]
        # Sizes, pairs and answers.
        rows = page.get_by_label("demo 1 input: rows")
        rows.fill("2")
        rows.press("Enter")
        assert first_input(page) == [[0, 2, 0], [4, 4, 4]]
        rows.fill("31")
        rows.press("Enter")
        assert rows.input_value() == "2"
        page.click('[data-do="add-demo"]')
        page.click('[data-do="add-test"]')
        page.get_by_role("button", name="Remove test 1").click()
        page.get_by_role("button", name="Draw the answer to test 1").click()
        assert [len(drawn(page)[part]) for part in ("train", "test")] == [2, 1]
        assert drawn(page)["test"][0].keys() == {"input", "output"}
        # Saved, changed, opened again; what cannot be opened says why.
        before = drawn(page)
        with page.expect_download() as saved:
            page.click('[data-do="save"]')
        file = tmp_path / "task.json"
        saved.value.save_as(file)
        assert json.loads(file.read_text()) == before
        page.click('[data-do="new"]')
        assert drawn(page) != before
        page.set_input_files("#open", file)
        page.wait_for_selector('[data-pair="demo 2"]')
        assert drawn(page) == before
        page.click('[data-do="link"]')
        page.wait_for_url(re.compile("#task="))


def test_a_file_that_is_no_task_says_why(browser: Any, address: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    with watched(browser, address) as seen:
        page = open_page(seen, "/draw")
        file.write_text(
            '{"train": [{"input": [[1, 12]], "output": [[1]]}], "test": [{"input": [[1]]}]}'
        )
        page.set_input_files("#open", file)
        page.wait_for_selector("#trouble:visible")
        # The browser notes on its console that the server refused something.
        assert [each for each in seen.errors if "422" in each] == seen.errors
        seen.errors.clear()
        assert page.inner_text("#trouble") == (
            "task: demo 1 input: row 1, column 2: 12 is not a color (0 to 9)"
        )


def drop(page: Any, text: str) -> None:
    """Drop a file on the page."""
    page.evaluate(
        """(text) => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([text], "dropped"));
            for (const kind of ["dragover", "drop"]) {
                const options = { dataTransfer, bubbles: true, cancelable: true };
                const event = new DragEvent(kind, options);
                if (document.querySelector("main").dispatchEvent(event)) throw new Error("left");
            }
        }""",
        text,
    )


def test_files_can_be_dropped(browser: Any, address: str) -> None:
    with watched(browser, address) as seen:
        page = open_page(seen, "/draw")
        task = {"train": [{"input": [[1, 2]], "output": [[2]]}] * 2, "test": [{"input": [[3]]}]}
        drop(page, json.dumps(task))
        page.wait_for_selector('[data-pair="demo 2"]')
        assert drawn(page) == task
        page = open_page(seen, "/write")
        drop(page, RIGHT)
        page.locator(".cm-line", has_text="vmirror").wait_for()
        assert program(page) == RIGHT
        # An address that was cut off within a character.
        page = open_page(seen, "/write?cut#program=def%20solve(I):%E2%9")
        assert program(page).startswith("def%20solve")


def test_draw_by_keys_alone(browser: Any, address: str) -> None:
    with watched(browser, address) as seen:
        page = open_page(seen, "/draw#task=000_000_000.0;0")
        press = page.keyboard.press
        # From the top of the page, Tab leads there.
        for _ in range(40):
            press("Tab")
            if page.evaluate("document.activeElement.tagName") == "CANVAS":
                break
        press("3")
        press("ArrowRight")
        press("5")
        assert first_input(page)[0] == [3, 5, 0]
        assert "column 2" in page.inner_text("#said")
        press("Shift+ArrowLeft")
        press("Control+c")
        press("Escape")
        press("ArrowDown")
        press("Control+v")
        assert first_input(page)[1] == [3, 5, 0]
        # A pasted patch can be moved, and the cells under it reappear.
        press("Alt+ArrowDown")
        assert first_input(page) == [[3, 5, 0], [0, 0, 0], [3, 5, 0]]
        press("Control+z")
        press("Control+z")
        press("Control+y")
        press("Escape")
        press("f")
        press("Space")
        press("Control+a")
        press("r")
        press("h")
        press("v")
        press("Control+x")
        assert first_input(page) == [[0] * 3] * 3
        press("Control+v")
        press("Delete")
        assert first_input(page) == [[0] * 3] * 3
        # From other programs: rows of digits, or JSON; what is neither is left.
        for key in ("Escape", "ArrowUp", "ArrowUp", "ArrowLeft", "ArrowLeft"):
            press(key)
        for text, rows in (("12\n34", [[1, 2], [3, 4]]), ("[[5, 6],\n[7, 8]]", [[5, 6], [7, 8]])):
            paste(page, text)
            assert [row[:2] for row in first_input(page)[:2]] == rows
        for text in ("", "a b", "10 2", "12\n3", "1" * 31):
            press("Escape")
            paste(page, text)
            assert "the clipboard has no grid" in page.inner_text("#said"), text


@pytest.mark.parametrize("width", WIDTHS)
def test_a_search_ends_when_it_is_stopped_or_left(browser: Any, address: str, width: int) -> None:
    with watched(browser, address, width=width) as seen:
        # All concurrent searches end when their page is closed.
        n_left = MAX_RUNNING[SOLVE] if width == WIDTHS[0] else 0
        for number in range(n_left + 1):
            page = open_page(seen, f"/draw?{number}{UNSOLVABLE}")
            page.select_option("#budget", "300")
            page.click("#solve")
            page.get_by_text("programs tried").wait_for()
        page.wait_for_selector("#attempts .attempt-row canvas")
        page.focus("#stop")
        page.keyboard.press("Enter")
        page.get_by_text("Stopped. Found so far").wait_for()
        assert page.locator("#attempts figure").count() == 2
        assert page.locator("#attempts pre").first.text_content().startswith("def ")
        assert page.locator("#solve").is_enabled()


def test_solve_what_is_drawn(browser: Any, address: str) -> None:
    with watched(browser, address) as seen:
        page = open_page(seen, f"{TASK}/draw")
        # The answer is wrong, but the search does not see it.
        page.get_by_role("button", name="Draw the answer to test 1").click()
        page.select_option("#budget", "5")
        page.click("#solve")
        page.get_by_text("Done after").wait_for()
        state = page.inner_text("#state")
        assert "a program fits all demos" in state
        spent_s = float(state.split()[2])
        assert spent_s <= 5 if "nothing more to try" in state else spent_s >= 5
        assert page.locator("#attempts .mark.wrong").first.is_visible()
        # And on to the program.
        page.locator("#attempts summary").first.click()
        page.locator("#attempts details a").first.click()
        page.wait_for_selector("html[data-checked]")
        assert "right on 3 of 4 pairs" in page.inner_text("#summary")


@pytest.mark.parametrize("width", WIDTHS)
def test_write_a_program(browser: Any, address: str, width: int) -> None:
    with watched(browser, address, width=width) as seen:
        page = open_page(seen, f"{TASK}/write")
        page.wait_for_selector("html[data-checked]")
        assert page.inner_text("#summary").startswith("✗ right on 0 of 4 pairs")
        set_program(page, RIGHT.replace("vmirror(I)", "crop(I, I, I)"))
        page.wait_for_selector(".note.failed")
        assert page.inner_text("#problem").startswith("line 2: cannot work: crop cannot take")
        set_program(page, RIGHT.replace("vmirror", "vmiror"))
        page.get_by_text("line 2: unknown primitive").wait_for()
        note = page.locator(".note").first
        assert note.inner_text() == "unknown primitive vmiror; did you mean vmirror?"
        note_box, pane = note.bounding_box(), page.locator("#editor").bounding_box()
        assert note_box["x"] + note_box["width"] <= pane["x"] + pane["width"]
        assert page.inner_text("#problem").startswith("line 2: unknown primitive vmiror")
        assert page.locator(".cm-content").get_attribute("aria-invalid") == "true"
        assert page.locator(".wrong-word").inner_text() == "vmiror"
        # Completion, by keys: the word is replaced, its doc is shown.
        for key in ("Control+Home", "ArrowDown", "End"):
            page.keyboard.press(key)
        for _ in range(len("r(I)")):
            page.keyboard.press("ArrowLeft")
        for _ in range(len("ro")):
            page.keyboard.press("Backspace")
        page.keyboard.press("r")
        page.keyboard.press("Control+Space")
        chosen = page.locator(".cm-tooltip-autocomplete li[aria-selected]")
        chosen.wait_for()
        assert chosen.locator(".cm-completionLabel").inner_text() == "vmirror"
        assert page.inner_text("#doc h2") == "vmirror(piece)"
        assert page.locator("#doc code").count() >= 2
        page.keyboard.press("Enter")
        assert program(page) == RIGHT
        page.get_by_text("✓ right on 4 of 4 pairs").wait_for()
        page.locator(".note.failed").wait_for(state="detached")
        assert note.inner_text() == "grid 4x4"
        assert page.locator("#values li.line svg").count() >= 2
        # Another pair, by keys, and all side by side.
        page.locator('#pairs [data-pair="demo 1"]').focus()
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector("#values.all")
        assert page.locator("#values .pair-label:visible").count() >= 8
        # Kept when the page is opened anew, and in its address.
        page.click("#link")
        page.wait_for_url(re.compile("#program="))
        page.reload()
        page.wait_for_selector("html[data-checked]")
        assert program(page) == RIGHT


def test_what_is_typed_is_never_replaced(browser: Any, address: str) -> None:
    with watched(browser, address) as seen:
        page = open_page(seen, f"{TASK}/write")
        page.locator(".cm-content").focus()
        page.keyboard.press("Control+a")
        # y begins YELLOW, and x1 a name; Enter indents as the line before.
        page.keyboard.type("def solve(I):\nx1 = hmirror(I)\ny = rot180(x1)\nreturn y\n", delay=5)
        assert page.locator(".cm-tooltip-autocomplete").count() == 0
        lines = program(page).split("\n")
        assert lines == [
            "def solve(I):",
            "    x1 = hmirror(I)",
            "    y = rot180(x1)",
            "    return y",
            "    ",
        ]
        page.get_by_text("✓ right on 4 of 4 pairs").wait_for()
        assert page.locator("#editor .w-primitive").count() == 2
        page.keyboard.press("Control+z")
        # Escape, then Tab leaves the editor.
        page.keyboard.press("Escape")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") != "editor"
        seen.require_clean()


def test_play_a_task(browser: Any, address: str) -> None:
    with watched(browser, address) as seen:
        page = open_page(seen, f"{TASK}/play")
        require_accessible(page)
        page.get_by_role("button", name="output of test 1: the same grid as the input").click()
        submit = page.get_by_role("button", name="Submit the output of test 1")
        submit.click()
        page.get_by_text("1 attempt left").wait_for()
        assert page.locator(".mark.wrong").count() == 1
        # Mirrored by a key of the drawing tools.
        page.locator("#tests .side canvas").focus()
        page.keyboard.press("h")
        submit.click()
        page.get_by_text("You have solved this task.").wait_for()
        assert submit.is_disabled()
        seen.require_clean()


def test_two_wrong_attempts_end_a_task(browser: Any, address: str) -> None:
    with watched(browser, address) as seen:
        page = open_page(seen, f"{TASK}/play")
        rows = page.get_by_label("output of test 1: rows")
        rows.fill("2")
        rows.press("Enter")
        page.locator("#tests .side canvas").focus()
        page.keyboard.press("3")
        page.click("#undo")
        assert rows.input_value() == "2"
        page.click("#undo")
        assert rows.input_value() == "3"
        submit = page.get_by_role("button", name="Submit the output of test 1")
        submit.click()
        page.get_by_text("1 attempt left").wait_for()
        submit.click()
        page.get_by_text("Not solved: 0 of 1 test inputs right.").wait_for()
        assert submit.is_disabled()


def test_solve_on_the_page_of_a_task(browser: Any, address: str) -> None:
    with watched(browser, address) as seen:
        page = open_page(seen, TASK)
        assert not page.is_checked("#library")
        page.select_option("#budget", "5")
        page.click("#solve")
        page.get_by_text("Done after").wait_for()
        assert "a program fits all demos" in page.inner_text("#state")
        assert page.locator("#attempts figure").count() == 2
        seen.require_clean()


def test_primitives_can_be_browsed(browser: Any, address: str) -> None:
    with watched(browser, address) as seen:
        page = open_page(seen, "/primitives#objects")
        assert page.locator("#objects[open]").count() == 1
        page.fill("#words", "vmirror")
        wait_until(page, "document.querySelectorAll('.primitive:not([hidden])').length < 20")
        assert page.locator("#vmirror").is_visible() and page.locator("#objects").is_hidden()
        require_accessible(page)
        seen.require_clean()
