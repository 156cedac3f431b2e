"""Recorded calls and an engine in, the calls that it answers otherwise out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arcbatt.language.failure import Failure, Reason
from arcbatt.language.registry import find_primitive, suggest

from .engines import Engine
from .recorded import Difference, RecordedCall


def replay(calls: Iterable[RecordedCall], engine: Engine) -> tuple[int, list[Difference]]:
    """Run recorded calls; returns how many there were, and the differences in their order."""
    total = 0
    differences = []

    def known() -> Iterator[RecordedCall]:
        nonlocal total
        for call in calls:
            total += 1
            if find_primitive(call.name) is None:
                unknown = f"no primitive is named {call.name!r} {suggest(str(call.name))}".rstrip()
                differences.append(Difference(call, Failure(Reason.TYPE, unknown)))
            else:
                yield call

    for call, outcome in engine(known()):
        if not call.agrees(outcome):
            differences.append(Difference(call, outcome))
    return total, sorted(differences, key=lambda difference: difference.call.line)
