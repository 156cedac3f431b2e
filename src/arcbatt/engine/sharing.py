"""One run's samples shared out between the CPU's threads and GPUs: who takes how many, and when.

Threads of the CPU take samples from the front of a queue (sharing.hpp), a few at a time; GPUs take
chunks from its back, so large that both should be done at the same time. Where they are not: what
nobody has taken yet is shared out again, by what was measured meanwhile; threads that find nothing
left wait for a GPU until it is overdue, then run what it has not finished, too, and whoever is done
first has won.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from threading import Event, Lock
from time import perf_counter

from . import _engine
from .calibration import Prediction

# Sharing a run out costs something, too: threads have whole samples, and end at different times. So
# both work only where the better of the two is expected to take as long as this, and both together
# this part less.
LEAST_SHARED_S = 0.03
LEAST_SHARED_GAIN = 0.1
# A GPU takes samples if that is expected to save this part of the time that the CPU would take.
LEAST_GAIN = 0.1
# A GPU that takes this many times as long as expected is overdue.
OVERDUE = 1.1
# So often a GPU that has none looks whether the CPU takes longer than expected.
LOOKS_A_RUN = 4
LEAST_PAUSE_S = 0.001


def pays(expected: Prediction, n_samples: int, n_devices: int) -> bool:
    """Return whether the CPU and GPUs together are expected to take less than the better."""
    better_s = min(expected.cpu_s(n_samples), expected.gpu_s(n_samples, n_devices))
    _, both_s = expected.split(n_samples, n_devices)
    return better_s >= LEAST_SHARED_S and both_s <= (1 - LEAST_SHARED_GAIN) * better_s


class Pace:
    """How many samples each of some GPUs should take, at first and later on."""

    def __init__(
        self, queue: _engine.SampleQueue, n_devices: int, expected: Prediction | None
    ) -> None:
        """Without expectations GPUs take all there is."""
        self.queue = queue
        self.ended = Event()  # the CPU's threads have nothing left
        self._n_devices = n_devices
        self._expected = self._at_first = expected
        self._n_on_gpus = self._n_chunks = 0
        self._gpus_s = 0.0
        self._began_s = perf_counter()
        self._lock = Lock()

    def share(self, n_devices: int) -> int:
        """Return how many samples the next of so many GPUs should take, all of which have none.

        None, where that would gain too little.
        """
        n_left = self.queue.n_left
        if self._expected is None:
            return -(-n_left // n_devices)
        now, n_others = self._measured(self._expected), self._n_devices - n_devices
        n, both_s = now.split(n_left, n_devices, n_others)
        without_s = now.cpu_sample_s * n_left * now.slower_beside(n_others)
        return n if both_s <= (1 - LEAST_GAIN) * without_s else 0

    def lend(self, n: int) -> tuple[int, int, int] | None:
        """Lend a GPU so many samples: the number of the chunk, its first sample and its end.

        None when nothing is left. Without expectations it is never overdue.
        """
        due_s = inf
        if self._expected is not None:
            due_s = OVERDUE * (self._expected.gpu_fixed_s + n * self._expected.gpu_sample_s)
        return self.queue.lend(n, due_s)

    def wait_for_share(self) -> int:
        """Return the same as soon as there is some; 0 when nothing is left."""
        while n_left := self.queue.n_left:
            n = self.share(self._n_devices)
            if n:
                return n
            assert self._expected is not None
            rest_s = self._expected.cpu_sample_s * n_left
            if self.ended.wait(max(LEAST_PAUSE_S, rest_s / LOOKS_A_RUN)):
                break
        return 0

    def note(self, n_samples: int, elapsed_s: float) -> None:
        """Take what a chunk took on a GPU for what others will take."""
        if self._expected is None:
            return
        with self._lock:
            self._n_chunks += 1
            self._n_on_gpus += n_samples
            self._gpus_s += elapsed_s
            fixed_s = min(self._expected.gpu_fixed_s, elapsed_s / 2)
            sample_s = (elapsed_s - fixed_s) / n_samples
            self._expected = replace(self._expected, gpu_fixed_s=fixed_s, gpu_sample_s=sample_s)

    def gpu_part(self) -> tuple[float, float] | None:
        """Return what GPUs took for their part, and what was expected; None if they had none."""
        if self._at_first is None or not self._n_chunks:
            return None
        fixed_s, sample_s = self._at_first.gpu_fixed_s, self._at_first.gpu_sample_s
        return self._gpus_s, self._n_chunks * fixed_s + self._n_on_gpus * sample_s

    def cpu_part(self) -> tuple[float, float] | None:
        """Return the same of the CPU; None if it had too little to tell anything."""
        if self._at_first is None or self.queue.n_done < self._at_first.n_threads:
            return None
        left_out_s = self._at_first.left_out_sample_s * self.queue.n_left_out_done
        alone_s = self._at_first.cpu_sample_s * self.queue.n_done + left_out_s
        return self.queue.done_s, alone_s * self._at_first.slower_beside(self._n_devices)

    def _measured(self, expected: Prediction) -> Prediction:
        """Return expectations by what the CPU has done so far, if that tells anything."""
        elapsed_s = perf_counter() - self._began_s
        left_out = expected.left_out_sample_s / expected.cpu_sample_s
        n_done = self.queue.n_done + left_out * self.queue.n_left_out_done
        if n_done >= expected.n_threads:
            sample_s = elapsed_s / n_done / expected.slower_beside(self._n_devices)
        else:  # nothing yet says that it takes less than expected, but it may take more
            sample_s = max(expected.cpu_sample_s, elapsed_s / expected.n_threads)
        scale = sample_s / expected.cpu_sample_s
        return replace(
            expected,
            cpu_sample_s=sample_s,
            left_out_sample_s=expected.left_out_sample_s * scale,
        )
