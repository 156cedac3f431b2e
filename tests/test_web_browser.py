"""Pages in a real browser: what a person sees and does, at all sizes, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web_parts import SCHEMES, WIDTHS, serving, watched

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("runs")
    with serving(runs_folder=folder) as where:
        yield where


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_gallery_shows_a_set(browser: Any, address: str, width: int, scheme: str) -> None:
    with watched(browser, address, width=width, scheme=scheme) as seen:
        page = seen.open("/sets/arc-agi-1-training")
        page.wait_for_selector("html[data-ready]")
        assert page.locator(".thumb").count() == 400
        assert page.locator(".thumb canvas").first.is_visible()
        page.fill("#find", "00d62c1b")
        assert page.locator(".thumb:visible").count() == 1
