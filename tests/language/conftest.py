"""Fixtures of the tests of the language."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arcbatt.language.budget import Meter, metered


@pytest.fixture(autouse=True)
def meter() -> Iterator[None]:
    """Count the cost of definitions that a test calls directly."""
    with metered(Meter()):
        yield
