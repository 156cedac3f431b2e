"""Demos held out: each is run with the other demos of its task as `S`.

A program that sees the pair it is judged by can look the output up in `S`, and so fit all demos of
nearly any task without a rule. Held out, a demo is what a test input is: a pair that is not in `S`.
"""

from __future__ import annotations

from collections.abc import Sequence

from arcbatt.engine.samples import Samples
from arcbatt.engine.staged import TaskSamples


class HeldOutSamples(TaskSamples):
    """The demos of tasks; the only demo of a task has nothing but itself to be seen with."""

    def demos_of(self, tasks: Sequence[int], first: int = 0, end: int | None = None) -> Samples:
        chosen = [
            (demo, self.pairs[t][:k] + self.pairs[t][k + 1 :] or self.pairs[t])
            for t in tasks
            for k, demo in list(enumerate(self.tasks[t].demos))[first:end]
        ]
        return Samples(
            [demo.input for demo, _ in chosen],
            [demo.output for demo, _ in chosen],
            [others for _, others in chosen],
        )
