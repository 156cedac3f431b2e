"""Write to a pool until killed: `python -m tests.support.pool_writer POOL NAME N`.

Writes N transactions (0: without end), each with a few programs and a trial, and prints the number
of each transaction once it is committed. After every tenth, creates a fresh pool beside the first.
"""

from __future__ import annotations

import sys
from hashlib import blake2b
from pathlib import Path

from arcbatt.language import Program, ir
from arcbatt.pool import Pool, PoolProgram, PoolTrial

PROGRAMS_PER_WRITE = 5
TASK = blake2b(b"task", digest_size=16).digest()


def rows_of(name: str, number: int) -> list[PoolProgram]:
    """Return the programs of one transaction: its own, and one shared by all writers."""
    values = [(sum(name.encode()), number, place) for place in range(PROGRAMS_PER_WRITE)]
    values.append((0, number, 0))
    return [
        PoolProgram.of(
            Program(ir.call_node("fill", ir.input_node("I"), *[ir.constant(v)] * 2)), name
        )
        for v in values
    ]


def main(path: Path, name: str, n_writes: int) -> None:
    number = 0
    while not n_writes or number < n_writes:
        # Reopen now and then, so that opening and closing are interrupted too.
        with Pool.open(path) as pool:
            for _ in range(10):
                number += 1
                rows = rows_of(name, number)
                with pool.writing():
                    pool.add_programs(rows)
                    pool.record_trials(
                        [PoolTrial(row.digest, TASK, "task", "set", 1, 2) for row in rows]
                    )
                print(number, flush=True)
        if not n_writes:
            with Pool.open(path.with_name(f"fresh-{name}-{number}.db")) as pool:
                pool.add_programs(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
