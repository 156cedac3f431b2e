"""A process that writes to a pool until it is killed: `python -m tests.pool_writer POOL NAME N`.

It writes N transactions (0: without end), each of a few programs with a trial, and prints the
number of each once it is committed. After every tenth it makes a fresh pool beside.
"""

from __future__ import annotations

import sys
from hashlib import blake2b
from pathlib import Path

from arcbatt.language import Program, ir
from arcbatt.pool import NewProgram, NewTrial, Pool

PROGRAMS_A_WRITE = 5
TASK = blake2b(b"task", digest_size=16).digest()


def rows_of(name: str, number: int) -> list[NewProgram]:
    """The programs of one transaction: its own, and one that all writers write."""
    values = [(sum(name.encode()), number, place) for place in range(PROGRAMS_A_WRITE)]
    values.append((0, number, 0))
    return [
        NewProgram.of(
            Program(ir.call_node("fill", ir.input_node("I"), *[ir.constant(v)] * 2)), name
        )
        for v in values
    ]


def main(path: Path, name: str, n_writes: int) -> None:
    number = 0
    while not n_writes or number < n_writes:
        # Opened anew now and then, so that opening and closing are interrupted too.
        with Pool.open(path) as pool:
            for _ in range(10):
                number += 1
                rows = rows_of(name, number)
                with pool.writing():
                    pool.add_programs(rows)
                    pool.record_trials(
                        [NewTrial(row.digest, TASK, "task", "set", 1, 2) for row in rows]
                    )
                print(number, flush=True)
        if not n_writes:
            with Pool.open(path.with_name(f"fresh-{name}-{number}.db")) as pool:
                pool.add_programs(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
