"""The first programs of every search: the input itself, and each primitive from grid to grid."""

from __future__ import annotations

from functools import cache

from arcbatt.language import Program, all_primitives
from arcbatt.language.ir import call_node, input_node
from arcbatt.language.registry import of_registry
from arcbatt.language.types import GRID
from arcbatt.library import library_programs
from arcbatt.pool import Pool, PoolProgram

ORIGIN = "primitive"


@of_registry
@cache
def first_programs() -> tuple[Program, ...]:
    """Return the programs of at most one call that give a grid for a grid."""
    grid = input_node("I")
    return (
        Program(grid, "only_input"),
        *(
            Program(call_node(primitive, grid), f"only_{name}")
            for name, primitive in all_primitives().items()
            if any(
                each.parameters == (GRID,) and each.result is GRID for each in primitive.signatures
            )
        ),
    )


def fill_pool(pool: Pool, *, library: bool) -> list[Program]:
    """Add the programs that every search starts from to a pool, and return them."""
    first = list(first_programs())
    solvers = [parsed.program for parsed in library_programs()] if library else []
    with pool.writing():
        if library:
            pool.add_library()
        pool.add_programs([PoolProgram.of(program, ORIGIN) for program in first])
    return solvers + first
