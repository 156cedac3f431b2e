"""The process of a local worker: `python -m arcbatt.solving.cluster.process NUMBER THREADS DEVICE`.

Messages come by standard input and go by standard output. It ends at once when its input does, so
that no worker is left when a driver was killed.
"""

from __future__ import annotations

import sys

from arcbatt.processes import ending_at_once, take_pipes, write_message

from .worker import Worker


def main(number: str, n_threads: str, device: str) -> None:
    """Answer messages until there are no more, or one that cannot be answered."""
    messages, answers = take_pipes()
    with ending_at_once():
        worker = Worker(int(number), int(n_threads), device)
        write_message(answers, worker.hello())
        while True:
            write_message(answers, worker.answer(messages.get()))


if __name__ == "__main__":
    main(*sys.argv[1:])
