"""The documentation is up to date, its links lead somewhere, and its snippets run."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from arcbatt.cli.loop_display import proposer_table
from arcbatt.language import Program, parse_program
from arcbatt.proposers.enumerate import EnumerateProposer

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
# Text of a program of the language, which is parsed, not run by Python.
PROGRAM = re.compile(r"def \w+\((I|S, I|S, I, output, target)\):")


def names(paths: list[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in paths]


@pytest.mark.slow
def test_generated_documentation_is_fresh() -> None:
    check = subprocess.run(
        [sys.executable, DOCS / "generate.py", "--check"], capture_output=True, text=True
    )
    assert check.returncode == 0, check.stdout + check.stderr


def without_code(text: str) -> str:
    text = re.sub(r"^( *)```.*?^\1```", "", text, flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", lambda found: "c" * len(found.group()), text)


@cache
def anchors_of(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, as repositories and the site make them."""
    text = re.sub(r"^( *)```.*?^\1```", "", page.read_text("utf-8"), flags=re.S | re.M)
    found: list[str] = []
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        same = re.compile(rf"{re.escape(slug)}(-\d+)?")
        n_before = sum(same.fullmatch(each) is not None for each in found)
        found.append(f"{slug}-{n_before}" if n_before else slug)
    return frozenset(found)


@pytest.mark.parametrize("name", names(PAGES))
def test_links_resolve(name: str) -> None:
    page = ROOT / name
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text("utf-8"))):
        if link.startswith(("http:", "https:")):
            continue
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), f"{name}: {link}"
        if anchor:
            assert anchor in anchors_of(target), f"{name}: {link}"


def test_every_page_is_linked() -> None:
    listed = "".join(path.read_text("utf-8") for path in (DOCS / "index.md", ROOT / "README.md"))
    for page in DOCS.glob("*.md"):
        assert page.name == "index.md" or f"{page.name})" in listed, page.name


def test_the_picture_of_kaggle_has_the_tables_of_today() -> None:
    """`docs/record.py` draws it; the page says with which tasks."""
    drawn = (DOCS / "img" / "kaggle.svg").read_text("utf-8")
    text = re.sub(r"<[^>]*>|&#160;|\s+", " ", drawn)
    headings = [column.header for column in proposer_table({}).columns]
    headings += EnumerateProposer.count_columns.values()
    assert all(f" {heading} " in text for heading in headings), headings


def snippets(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.S | re.M)


@pytest.mark.slow
@pytest.mark.parametrize("name", names([page for page in PAGES if snippets(page)]))
def test_snippets_run(name: str, tmp_path: Path) -> None:
    """Run the snippets of a page in order; later ones may use names of earlier ones."""
    lines = []
    for snippet in snippets(ROOT / name):
        if PROGRAM.match(snippet):
            assert isinstance(parse_program(re.sub(r":  #.*", ":", snippet, count=1)), Program)
        else:
            lines.append(snippet)
    script = tmp_path / "snippets.py"
    script.write_text("\n".join(lines), "utf-8")
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
