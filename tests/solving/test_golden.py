"""The golden list: 40 training tasks have the same results as before."""

from __future__ import annotations

import json

import pytest

from tests.golden import LIST, describe_changes, make


@pytest.mark.slow
def test_what_is_solved_and_submitted_is_what_it_was() -> None:
    changes = describe_changes(json.loads(LIST.read_text("utf-8")), make())
    assert not changes, "\n".join(changes) + "\nIf that is meant: python -m tests.golden --accept\n"
