"""Names of jobs and events that a server and its processes share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

# Kinds of jobs.
SOLVE, CHECK = "solve", "check"
# Every job ends with END; a failure is sent before it.
END, ERROR = "end", "failed"

# Sends an event: its name and data.
SendEvent: TypeAlias = "Callable[[str, dict[str, Any]], None]"
