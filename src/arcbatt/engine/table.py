"""Generate the tables that the engine's headers include, from the registry.

    python -m arcbatt.engine.table          write them
    python -m arcbatt.engine.table --check  exit 1 if a file is stale

`table.inc` has a row per primitive, `codes.inc` one per argument with a stated range,
`families.inc` one per header of primitives, `picture_primitives.inc` one per primitive on pictures,
`moves.inc` and `predictions.inc` one per call that the search tries. Primitives are numbered in the
order of their names, which is how function values sort.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from arcbatt.engine.learner_tables import (
    render_cell_features,
    render_fate_codes,
    render_object_codes,
)
from arcbatt.language.registry import Features, Primitive, Searched, bundled_primitives
from arcbatt.language.types import NAMED
from arcbatt.language.values import hash_name

MAX_ARITY = 4
MAX_MOVE_CODES = 2
NATIVE = Path(__file__).parent / "native"
TABLE = NATIVE / "include" / "arcbatt" / "table.inc"
CODES = TABLE.with_name("codes.inc")
FAMILIES = TABLE.with_name("families.inc")
PICTURE_PRIMITIVES = TABLE.with_name("picture_primitives.inc")
MOVES = NATIVE / "enumerate" / "moves.inc"
PREDICTIONS = MOVES.with_name("predictions.inc")

_HEAD = "// Made from the registry by arcbatt.engine.table; do not edit.\n"
# Of moves, in the order in which they are tried: P is a picture, L a list of pictures.
SHAPES = ("P_TO_P", "P_TO_L", "L_TO_P", "L_TO_L")
_LETTERS = {NAMED["Picture"]: "P", NAMED["Pictures"]: "L"}


@cache
def primitive_numbers() -> dict[str, int]:
    """Return the engine's number of each primitive."""
    return {name: number for number, name in enumerate(sorted(bundled_primitives()))}


def render() -> str:
    """Return the text of `table.inc`.

    Rows of primitives that are compiled for the CPU only have a macro of their own, which is
    ARC_PRIMITIVE unless it is defined.
    """
    rows = [_row(bundled_primitives()[name]) for name in primitive_numbers()]
    default = "#if !defined(ARC_HOST_PRIMITIVE)\n#define ARC_HOST_PRIMITIVE ARC_PRIMITIVE\n#endif\n"
    return _HEAD + default + "".join(rows) + "#undef ARC_HOST_PRIMITIVE\n"


def _row(primitive: Primitive) -> str:
    peeks = sum(1 << k for k in primitive.peeks)
    checked = [domain.name for domain in primitive.domains]
    checked += ["ANYTHING"] * (MAX_ARITY - len(checked))
    fields = [primitive.name, str(primitive.arity), str(peeks), *checked]
    macro = "ARC_HOST_PRIMITIVE" if primitive.is_host else "ARC_PRIMITIVE"
    return f"{macro}({', '.join(fields)}, 0x{hash_name(primitive.name):016x}ULL)\n"


def render_codes() -> str:
    """Return the text of `codes.inc`: primitive, argument, its first and its last number."""
    rows = [
        f"ARC_CODE_RANGE({name}, {place}, {codes[0]}, {codes[-1]})\n"
        for name in primitive_numbers()
        for place, codes in bundled_primitives()[name].codes
    ]
    return _HEAD + "".join(rows)


def render_families() -> str:
    """Return the text of `families.inc`: the headers of families that GPUs compile, in order."""
    names = dict.fromkeys(p.family for p in bundled_primitives().values() if not p.is_host)
    return _HEAD + "".join(f'#include "primitives/{name}.hpp"\n' for name in names)


def render_picture_primitives() -> str:
    """Return the text of `picture_primitives.inc`: primitive, check, arguments of its move."""
    return _HEAD + "".join(
        f"ARC_PICTURE_PRIMITIVE({name}, {', '.join(_picture_arguments(primitive))})\n"
        for name, primitive in bundled_primitives().items()
        if {primitive.signatures[0].parameters[0], primitive.signatures[0].result} <= set(_LETTERS)
    )


def _picture_arguments(primitive: Primitive) -> list[str]:
    """Return the check of a primitive on pictures, then what its arguments are in C++."""
    check = "ARC_NO_CHECK"
    given = []
    for k, term in enumerate(primitive.signatures[0].parameters):
        if term is NAMED["Pictures"]:
            check = f"ARC_PICTURE_LIST(list, a[{k}])"
            given.append("list")
        elif term is NAMED["Picture"]:
            given.append(f"picture_of(a[{k}])")
        elif term.kind == "product":
            check = f"ARC_CHECK_SIZE(a[{k}])" if term is NAMED["Dims"] else check
            given += [f"row_of(a[{k}].key)", f"column_of(a[{k}].key)"]
        else:
            given.append(f"a[{k}].number")
    return [check, *given]


def render_moves() -> str:
    """Return the text of `moves.inc`, in the order in which moves are tried.

    A row is shape, primitive, size that it takes, number of codes, codes, color that must occur.
    The row of the move that ends lists has a macro of its own.
    """
    if [_shape(primitive) for primitive, how in _searched() if how.ends_lists] != ["L_TO_P"]:
        raise ValueError("ends_lists: expected one searched primitive from pictures to a picture")
    return _HEAD + "".join(row for primitive, how in _searched() for row in _moves(primitive, how))


def _searched() -> list[tuple[Primitive, Searched]]:
    """Return the primitives that the search tries: by shape, then in declared order."""
    searched = [(p, p.searched) for p in bundled_primitives().values() if p.searched]
    by_shape = sorted(searched, key=lambda each: SHAPES.index(_shape(each[0])))
    return _in_declared_order(by_shape)


def _in_declared_order(
    searched: Iterable[tuple[Primitive, Searched]],
) -> list[tuple[Primitive, Searched]]:
    """Move primitives next to those that they are declared to be tried after or before."""
    waiting = list(searched)
    ordered = [each for each in waiting if not each[1].after and not each[1].before]
    waiting = [each for each in waiting if each not in ordered]
    while waiting:
        names = [primitive.name for primitive, _ in ordered]
        ready = [each for each in waiting if (each[1].after or each[1].before) in names]
        if not ready:
            raise ValueError(f"{waiting[0][0].name}: no searched primitive to be tried next to")
        _, how = ready[0]
        place = names.index(how.after) + 1 if how.after else names.index(how.before)
        ordered.insert(place, ready[0])
        waiting.remove(ready[0])
    return ordered


def _shape(primitive: Primitive) -> str:
    given, result = primitive.signatures[0].parameters[0], primitive.signatures[0].result
    if not {given, result} <= set(_LETTERS):
        raise ValueError(f"{primitive.name}: the search tries only primitives on pictures")
    return f"{_LETTERS[given]}_TO_{_LETTERS[result]}"


def _moves(primitive: Primitive, how: Searched) -> Iterator[str]:
    for size, codes in _variants(primitive):
        padded = [*codes, *[0] * (MAX_MOVE_CODES - len(codes))]
        color = codes[0] if how.needs_color else -1
        fields = [_shape(primitive), primitive.name, size, len(codes), *padded, color]
        macro = "ARC_LIST_ENDING_MOVE" if how.ends_lists else "ARC_MOVE"
        yield f"{macro}({', '.join(map(str, fields))})\n"


def _variants(primitive: Primitive) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the size and the codes of each move of a primitive."""
    others = primitive.signatures[0].parameters[1:]
    takes_size = NAMED["Dims"] in others
    for codes in primitive.searched_codes():
        if len(codes) != len(others) - takes_size or len(codes) > MAX_MOVE_CODES:
            raise ValueError(f"{primitive.name}: searched with {len(codes)} codes")
        for size in ("INPUT_SIZE", "OUTPUT_SIZE") if takes_size else ("NOTHING",):
            yield size, codes


def render_predictions() -> str:
    """Return the text of `predictions.inc`, with the rows of `moves.inc`.

    A row is the features of an unchanged result, those of a blank one, the rule for a plain one.
    """
    rows = []
    for primitive, how in _searched():
        for _, codes in _variants(primitive):
            unchanged = _features(how.unchanged_if, codes) or "NEVER"
            blank = _features(how.blank_if, codes) or "NEVER"
            plain = _features(how.plain, codes) or "NO_RULE"
            rows.append(f"ARC_PREDICTION({unchanged}, {blank}, {plain})\n")
    return _HEAD + "".join(rows)


def _features(features: Features, codes: tuple[int, ...]) -> str:
    if isinstance(features, str):
        return features.format(code=codes[0] if codes else "")
    return features[codes[0]]


RENDERERS = {
    TABLE: render,
    CODES: render_codes,
    FAMILIES: render_families,
    PICTURE_PRIMITIVES: render_picture_primitives,
    MOVES: render_moves,
    NATIVE / "learners" / "object_codes.inc": render_object_codes,
    NATIVE / "learners" / "cell_features.inc": render_cell_features,
    NATIVE / "learners" / "fate_codes.inc": render_fate_codes,
    PREDICTIONS: render_predictions,
}


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
