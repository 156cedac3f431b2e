"""Makes what the engine's headers know of the primitives, from the registry.

    python -m arcbatt.engine.table          write it
    python -m arcbatt.engine.table --check  exit 1 if a file is stale

`table.inc` has a row for each primitive, `codes.inc` one for each argument whose range is stated,
`moves.inc` one for each call that the search tries. Primitives are numbered in the order of their
names, which is how function values sort.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from arcbatt.language import domains
from arcbatt.language.domains import Domain
from arcbatt.language.registry import Primitive, Searched, bundled_primitives
from arcbatt.language.types import NAMED
from arcbatt.language.values import hash_name

MAX_ARITY = 4
MAX_MOVE_CODES = 2
ENGINE = Path(__file__).parent
TABLE = ENGINE / "include" / "arcbatt" / "table.inc"
CODES = TABLE.with_name("codes.inc")
MOVES = ENGINE / "enumerate" / "moves.inc"

_HEAD = "// Made from the registry by arcbatt.engine.table; do not edit.\n"
_LETTERS = {NAMED["Picture"]: "P", NAMED["Pictures"]: "L"}


def domain_names() -> dict[Domain, str]:
    """The engine's name of each domain: AnyTuple is ANY_TUPLE; Grid, taken by a kind, A_GRID."""
    names = {}
    for name, alias in vars(domains).items():
        for domain in getattr(alias, "__metadata__", ()):
            if isinstance(domain, Domain):
                upper = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()
                names[domain] = "A_GRID" if upper == "GRID" else upper
    return names


@cache
def primitive_numbers() -> dict[str, int]:
    """The engine's number of each primitive."""
    return {name: number for number, name in enumerate(sorted(bundled_primitives()))}


def render() -> str:
    """Return the text of `table.inc`."""
    names = domain_names()
    rows = [_row(bundled_primitives()[name], names) for name in primitive_numbers()]
    return _HEAD + "".join(rows)


def _row(primitive: Primitive, names: dict[Domain, str]) -> str:
    peeks = sum(1 << k for k in primitive.peeks)
    checked = [names[domain] for domain in primitive.domains]
    checked += ["ANYTHING"] * (MAX_ARITY - len(checked))
    fields = [primitive.name, str(primitive.arity), str(peeks), *checked]
    return f"ARC_PRIMITIVE({', '.join(fields)}, 0x{hash_name(primitive.name):016x}ULL)\n"


def render_codes() -> str:
    """Return the text of `codes.inc`: primitive, argument, its first and its last number."""
    rows = [
        f"ARC_CODE_RANGE({name}, {place}, {codes[0]}, {codes[-1]})\n"
        for name in primitive_numbers()
        for place, codes in bundled_primitives()[name].codes
    ]
    return _HEAD + "".join(rows)


def render_moves() -> str:
    """Return the text of `moves.inc`, in the order in which moves are tried.

    A row is shape, primitive, size that is taken, number of codes, codes, colour that must occur.
    """
    searched = [(p.searched, p) for p in bundled_primitives().values() if p.searched]
    searched.sort(key=lambda pair: pair[0].order)
    for (one, first), (other, second) in pairwise(searched):
        if one.order == other.order:
            raise ValueError(f"{first.name} and {second.name}: both searched at {one.order}")
    return _HEAD + "".join(row for how, primitive in searched for row in _moves(primitive, how))


def _moves(primitive: Primitive, how: Searched) -> Iterator[str]:
    given, *others = primitive.signatures[0].parameters
    result = primitive.signatures[0].result
    if not {given, result} <= set(_LETTERS):
        raise ValueError(f"{primitive.name}: only what takes and gives pictures is searched with")
    shape = f"{_LETTERS[given]}_TO_{_LETTERS[result]}"
    takes_size = NAMED["Dims"] in others
    for codes in primitive.searched_codes():
        if len(codes) != len(others) - takes_size or len(codes) > MAX_MOVE_CODES:
            raise ValueError(f"{primitive.name}: searched with {len(codes)} codes")
        padded = [*codes, *[0] * (MAX_MOVE_CODES - len(codes))]
        color = codes[0] if how.needs_color else -1
        for size in ("INPUT_SIZE", "OUTPUT_SIZE") if takes_size else ("NOTHING",):
            fields = [shape, primitive.name, size, len(codes), *padded, color]
            yield f"ARC_MOVE({', '.join(map(str, fields))})\n"


RENDERERS = {TABLE: render, CODES: render_codes, MOVES: render_moves}


def main() -> None:
    texts = {path: render_file() for path, render_file in RENDERERS.items()}
    stale = [p for p, text in texts.items() if not p.exists() or p.read_text("utf-8") != text]
    if "--check" in sys.argv[1:] and stale:
        names = ", ".join(path.name for path in stale)
        raise SystemExit(f"stale: {names}; run python -m arcbatt.engine.table")
    for path in stale:
        path.write_text(texts[path], "utf-8")


if __name__ == "__main__":
    main()
