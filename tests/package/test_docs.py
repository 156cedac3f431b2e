"""The documentation says what is so: it is fresh, its links lead somewhere, its snippets run."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from arcbatt.language import Program, parse_program

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


def snippets(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.S | re.M)


@pytest.mark.slow
@pytest.mark.parametrize("name", names([page for page in PAGES if snippets(page)]))
def test_snippets_run(name: str, tmp_path: Path) -> None:
    """Those of a page after one another: what an earlier one made a later one may use."""
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
