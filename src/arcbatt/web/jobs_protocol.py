"""What a server and the processes of its jobs say to each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

# Kinds of jobs.
SOLVE, CHECK = "solve", "check"
# What every job tells: that it is over, and, before that, what went wrong.
END, ERROR = "end", "failed"

# A job tells events: their names and data.
Tell: TypeAlias = "Callable[[str, dict[str, Any]], None]"
