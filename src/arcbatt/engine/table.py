"""Makes `include/arcbatt/table.inc`, the primitives as the engine's headers know them.

    python -m arcbatt.engine.table          write it
    python -m arcbatt.engine.table --check  exit 1 if it is stale

Primitives are numbered in the order of their names, which is how function values sort.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from arcbatt.language import all_primitives, domains
from arcbatt.language.domains import Domain
from arcbatt.language.registry import Primitive
from arcbatt.language.values import hash_name

MAX_ARITY = 4
TABLE = Path(__file__).parent / "include" / "arcbatt" / "table.inc"


def domain_names() -> dict[Domain, str]:
    """The engine's name of each domain: AnyTuple is ANY_TUPLE; Grid, taken by a kind, A_GRID."""
    names = {}
    for name, alias in vars(domains).items():
        for domain in getattr(alias, "__metadata__", ()):
            if isinstance(domain, Domain):
                upper = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()
                names[domain] = "A_GRID" if upper == "GRID" else upper
    return names


def primitive_numbers() -> dict[str, int]:
    """The engine's number of each primitive."""
    return {name: number for number, name in enumerate(sorted(all_primitives()))}


def render() -> str:
    names = domain_names()
    lines = ["// Made from the registry by arcbatt.engine.table; do not edit."]
    for name in primitive_numbers():
        lines.append(_row(all_primitives()[name], names))
    return "\n".join(lines) + "\n"


def _row(primitive: Primitive, names: dict[Domain, str]) -> str:
    peeks = sum(1 << k for k in primitive.peeks)
    checked = [names[domain] for domain in primitive.domains]
    checked += ["ANYTHING"] * (MAX_ARITY - len(checked))
    fields = [primitive.name, str(primitive.arity), str(peeks), *checked]
    return f"ARC_PRIMITIVE({', '.join(fields)}, 0x{hash_name(primitive.name):016x}ULL)"


def main() -> None:
    text = render()
    stale = not TABLE.exists() or TABLE.read_text("utf-8") != text
    if "--check" in sys.argv[1:]:
        raise SystemExit(f"stale: {TABLE.name}; run python -m arcbatt.engine.table" if stale else 0)
    TABLE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
