"""The process of a local worker: `python -m arcbatt.solving.cluster.process NUMBER THREADS DEVICE`.

It reads messages from standard input and answers on standard output. It exits as soon as its input
ends, so that no worker outlives its driver.
"""

from __future__ import annotations

import sys

from arcbatt.plugins import load_plugins_of_parent
from arcbatt.processes import exit_on_error, take_pipes, write_message

from .worker import Worker


def main(number: str, n_threads: str, device: str) -> None:
    """Answer messages until the input ends or one cannot be answered."""
    messages, answers = take_pipes()
    with exit_on_error():
        load_plugins_of_parent()
        worker = Worker(int(number), int(n_threads), device)
        write_message(answers, worker.hello())
        while True:
            write_message(answers, worker.answer(messages.get()))


if __name__ == "__main__":
    main(*sys.argv[1:])
