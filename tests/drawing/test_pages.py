import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment

from arcbatt.drawing import notebook, pages


@pytest.fixture(autouse=True)
def _nothing_is_loaded() -> Iterator[None]:
    pages._environment.cache_clear()
    yield
    pages._environment.cache_clear()


def _page() -> str:
    return notebook.program_html("x1 = hmirror(I)")


def test_templates_are_compiled_once(monkeypatch: pytest.MonkeyPatch, cache_folder: Path) -> None:
    page = _page()
    (compiled,) = (cache_folder / "templates").iterdir()
    pages._environment.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(Environment, "compile", None)
        assert _page() == page
    compiled.write_bytes(compiled.read_bytes()[:-5])
    pages._environment.cache_clear()
    assert _page() == page


def test_pages_need_no_cache_folder(cache_folder: Path) -> None:
    page = _page()
    shutil.rmtree(cache_folder / "templates")
    (cache_folder / "templates").write_text("a file")
    pages._environment.cache_clear()
    assert _page() == page
